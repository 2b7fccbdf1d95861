/* c_cores.c - the text of the cores, once for each instruction set in one file.
 *
 * The text is cores.h with its includes put in.  What it defines gets other
 * names for each instruction set: names made by its macros hold "core_", which
 * becomes "coreN_"; those that it defines plainly get a suffix.  items.h, which
 * depends on no instruction set, is there once; dtypes and cores that the
 * program does not use are left out.
 */
#include "writer.h"

extern const EmbeddedText embedded_cores[];

static const char *text_named(const char *name, size_t n)
{
	for (const EmbeddedText *e = embedded_cores; e->name; e++)
		if (strlen(e->name) == n && !memcmp(e->name, name, n)) return e->text;
	return "";
}

static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* ---- what is wanted ---------------------------------------------------------------------- */

/* #if over HAS(1u << IS_F32 | ...), WANTED(RUN_QR), && and ||: 1 or 0; -1: something else. */
typedef struct Condition {
	const char *at;
	const CoreWants *wants;
	bool odd;
} Condition;

static void skip_blanks(Condition *c)
{
	while (*c->at == ' ') c->at++;
}

/* Is one of the words between brackets in the list, which is ended by NULL, and wanted? */
static bool one_wanted(Condition *c, const char *prefix, const char *const *name, uint32_t wanted)
{
	bool any = false;
	for (; *c->at && *c->at != ')' && *c->at != '\n'; c->at++)
		if (starts(c->at, prefix)) {
			size_t n = strlen(prefix), k = strcspn(c->at + n, " |)");
			for (uint32_t i = 0; name[i]; i++)
				any |= strlen(name[i]) == k && !memcmp(name[i], c->at + n, k) &&
					(wanted >> i & 1);
		}
	c->odd |= *c->at != ')';
	c->at += *c->at == ')';
	return any;
}

static bool either(Condition *c);

static bool atom(Condition *c)
{
	static const char *const core[] = {
		"CONTRACT", "CUMSUM", "SCATTER", "TOP_K", "QR", "TRI_SOLVE", "COPY", "JOIN", "CARRY", NULL};
#define NAME(D, ...) [DT_##D] = #D,
	static const char *const dtype[] = {"", ALL_DTYPES(NAME) [DT_WEAK_INT] = "NARROW", NULL};
#define IS(D, ...) | 1u << DT_##D
	bool narrow = c->wants->dtypes & (0 NARROW_DTYPES(IS));
	skip_blanks(c);
	if (starts(c->at, "HAS(")) {
		c->at += 4;
		return one_wanted(c, "IS_", dtype, c->wants->dtypes | (uint32_t)narrow << DT_WEAK_INT);
	}
	if (starts(c->at, "WANTED(")) {
		c->at += 7;
		return one_wanted(c, "RUN_", core, c->wants->cores);
	}
	if (*c->at != '(') {
		c->odd = true;
		return false;
	}
	c->at++;
	bool x = either(c);
	skip_blanks(c);
	c->odd |= *c->at != ')';
	c->at += *c->at == ')';
	return x;
}

static bool both(Condition *c)
{
	bool x = atom(c);
	for (skip_blanks(c); !c->odd && starts(c->at, "&&"); skip_blanks(c)) {
		c->at += 2;
		bool y = atom(c);
		x = x && y;
	}
	return x;
}

static bool either(Condition *c)
{
	bool x = both(c);
	for (skip_blanks(c); !c->odd && starts(c->at, "||"); skip_blanks(c)) {
		c->at += 2;
		bool y = both(c);
		x = x || y;
	}
	return x;
}

static int condition(const char *line, const CoreWants *wants)
{
	Condition c = {line + 4, wants, false};
	bool x = starts(line, "#if ") && either(&c);
	return !starts(line, "#if ") || c.odd || *c.at != '\n' ? -1 : x;
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

/* The #endif of the #if at `line`; *other: an #else or #elif between. */
static const char *end_of(const char *line, bool *other)
{
	int depth = 0;
	for (*other = false; *line; line = next_line(line)) {
		depth += starts(line, "#if");
		depth -= starts(line, "#endif");
		*other |= depth == 1 && starts(line, "#el");
		if (depth == 0) break;
	}
	return line;
}

/* Lines up to `end` with what they include, but for items.h; conditions on what is wanted are decided
 * here. */
static void put_in(Text *t, const char *line, const char *end, const CoreWants *wants)
{
	while (line < end && *line) {
		const char *next = next_line(line), *close;
		bool other;
		int wanted = condition(line, wants);
		if (wanted >= 0 && (close = end_of(line, &other), !other)) {
			if (wanted) put_in(t, next, close, wants);
			line = next_line(close);
			continue;
		}
		if (!starts(line, "#include \""))
			text_add_n(t, line, (size_t)(next - line));
		else if (!starts(line + 10, "items.")) {
			const char *text = text_named(line + 10, strcspn(line + 10, "."));
			put_in(t, text, text + strlen(text), wants);
		}
		line = next;
	}
}

/* ---- names ------------------------------------------------------------------------------------ */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t word(const char *s)
{
	size_t n = 0;
	while (is_letter(s[n])) n++;
	return n;
}

/* Names defined plainly at the beginning of a line: CORE type name(, typedef struct name. */
static void find_names(const char *text, Names *names)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (starts(line, "typedef struct ")) {
			if (line[15 + word(line + 15)] != '(') names_get(names, line + 15, word(line + 15));
			continue;
		}
		if (!starts(line, "CORE ") && !starts(line, "CORE_INLINE ")) continue;
		const char *open = line + strcspn(line, "(\n"), *at = open;
		while (at > line && is_letter(at[-1])) at--;
		if (*open == '(' && open - at > 1) /* N(name), S(name), O(name): made by macros */
			names_get(names, at, (size_t)(open - at));
	}
}

static bool same_text(const void *item, const void *key)
{
	return !strcmp(item, key);
}

static void add_renamed(Arena *a, Text *t, const char *text, const Names *names, const char *suffix, int isa)
{
	while (*text) {
		size_t n = word(text);
		if (n == 0) {
			text_char(t, *text++);
			continue;
		}
		const char *w = arena_copy(a, text, n), *core = strstr(w, "core_");
		bool whole = core && (core == w || core[-1] == '_');
		if (whole)
			text_printf(t, "%.*score%d_%s", (int)(core - w), w, isa, core + 5);
		else if (table_find(&names->table, hash_bytes(w, n), w, same_text))
			text_printf(t, "%s%s", w, suffix);
		else
			text_add(t, w);
		text += n;
	}
}

void print_items(Text *t)
{
	const char *items = text_named("items", 5);
	put_in(t, items, items + strlen(items), &(CoreWants){.cores = ~0u, .dtypes = ~0u});
}

void print_cores(Arena *a, Text *t, const char *suffix, int isa, const CoreWants *wants)
{
	Text text;
	Names names;
	text_open(&text, a);
	names_open(&names, a);
	const char *cores = text_named("cores", 5);
	put_in(&text, cores, cores + strlen(cores), wants);
	find_names(text_done(&text), &names);
	text_printf(t, "#undef CORE_RUN\n#undef CORE_ISA\n#define CORE_ISA %d\n", isa);
	add_renamed(a, t, text_done(&text), &names, suffix, isa);
}
