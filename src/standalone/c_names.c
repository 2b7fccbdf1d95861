/* c_names.c - the user's names as C has them. */
#include "writer.h"

#include <stdio.h>

static bool is_taken(const Writer *w, uint32_t n, const char *name)
{
	/* of C and C++; what headers of C define, which may stand before ours; what the file has at hand */
	static const char *const words[] = {"auto", "break", "case", "char", "const", "continue", "default",
		"do", "double", "else", "enum", "extern", "float", "for", "goto", "if", "inline", "int",
		"long", "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct",
		"switch", "typedef", "union", "unsigned", "void", "volatile", "while", "asm", "typeof",
		"typeof_unqual", "alignas", "alignof", "bool", "constexpr", "false", "nullptr",
		"static_assert", "thread_local", "true", "class", "new", "delete", "this", "template",
		"namespace", "using", "private", "public", "protected", "virtual", "friend", "operator",
		"try", "catch", "throw", "and", "and_eq", "bitand", "bitor", "compl", "not", "not_eq", "or",
		"or_eq", "xor", "xor_eq", "export", "explicit", "typename", "typeid", "mutable", "noexcept",
		"decltype", "concept", "requires", "consteval", "constinit", "co_await", "co_return",
		"co_yield", "const_cast", "dynamic_cast", "reinterpret_cast", "static_cast", "wchar_t",
		"char8_t", "char16_t", "char32_t", "main", "unix", "linux", "i386", "NULL", "EOF", "BUFSIZ",
		"I", "complex", "imaginary", "NAN", "INFINITY", "HUGE_VAL", "HUGE_VALF", "HUGE_VALL",
		"errno", "stdin", "stdout", "stderr", "noreturn", "CHAR_BIT", "DBL_MAX", "DBL_MIN",
		"DBL_EPSILON", "FLT_MAX", "FLT_MIN", "FLT_EPSILON", "INT_MAX", "INT_MIN", "LONG_MAX",
		"LONG_MIN", "UINT_MAX", "RAND_MAX", "EXIT_SUCCESS", "EXIT_FAILURE", "int64_t", "workspace",
		"isa", "ISA_MOST", "size_", "arg_", "dims_", "at_", "most_", "w_", "run_"};
	static const char *const parts[] = {
		"", "_workspace", "_sizes", "_bounds", "_layout", "_run", "_run_0", "_run_1", "_run_2", "_code_0",
		"_code_1", "_code_2"};
	size_t own = w->name ? strlen(w->name) : 0;
	for (uint32_t i = 0; own && i < countof(parts); i++)
		if (!strncmp(name, w->name, own) && !strcmp(name + own, parts[i])) return true;
	for (uint32_t i = 0; i < countof(words); i++)
		if (!strcmp(words[i], name)) return true;
	if (prelude_defines(name)) return true;
	for (uint32_t i = 0; i < n; i++)
		if (w->arg[i] && !strcmp(w->arg[i], name)) return true;
	return false;
}

/* The Greek alphabet in its order; the 18th small letter is the sigma at the end of a word. */
static const char *greek(unsigned letter)
{
	static const char *const names[] = {"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta",
		"theta", "iota", "kappa", "lambda", "mu", "nu", "xi", "omicron", "pi", "rho", "sigma",
		"sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"};
	return letter < countof(names) ? names[letter] : "";
}

static bool is_within(uint32_t c, uint32_t first, uint32_t last)
{
	return c >= first && c <= last;
}

/* The character at *s in C: a letter or digit as it is, Greek spelt out, a subscript as its digit, else
 * "". */
static const char *spelt(const char **s, char out[16])
{
	size_t n;
	uint32_t c = code_point(*s, *s + strlen(*s), &n);
	char one = 0;
	*s += n ? n : 1;
	out[0] = 0;
	if (is_within(c, 0x391, 0x3a9)) {
		snprintf(out, 16, "%s", greek(c - 0x391));
		out[0] = (char)(out[0] - 'a' + 'A');
	} else if (is_within(c, 0x3b1, 0x3c9)) {
		snprintf(out, 16, "%s", greek(c - 0x3b1));
	} else if (is_within(c, 0x2080, 0x2089)) {
		one = (char)('0' + (c - 0x2080));
	} else if (is_within(c, 'a', 'z') || is_within(c, 'A', 'Z') || is_within(c, '0', '9')) {
		one = (char)c;
	}
	if (one) snprintf(out, 16, "%c", one);
	return out;
}

/* Letters, digits and underscores, no digit first, nobody else's. */
static const char *identifier(Writer *w, uint32_t n, const char *wish, const char *kind, uint32_t number)
{
	char base[48], part[16];
	size_t k = 0;
	if (!wish || !*wish) wish = arena_printf(w->arena, "%s%u", kind, number);
	if (*wish >= '0' && *wish <= '9') base[k++] = 'x';
	while (*wish && k + sizeof part < sizeof base) {
		const char *c = spelt(&wish, part);
		if (!*c && k && base[k - 1] != '_') base[k++] = '_';
		while (*c) base[k++] = *c++;
	}
	base[k] = 0;
	const char *first =
		k ? arena_printf(w->arena, "%s", base) : arena_printf(w->arena, "%s%u", kind, number);
	const char *name = first;
	for (uint32_t i = 2; is_taken(w, n, name) || !strncmp(name, "__", 2); i++)
		name = arena_printf(w->arena, "%s_%u", first, i);
	return name;
}

/* What is not written for the user's eyes, but compiled at once, has nothing of the user's. */
static const char *argument(Writer *w, uint32_t n, const char *wish, const char *kind, uint32_t number)
{
	return identifier(w, n, w->isa < 0 ? wish : NULL, kind, number);
}

/* Of what is computed, outside loops: most_NAME and NAME; in a loop, but for its index: most_NAME alone. */
static void find_computed(Writer *w, uint32_t n)
{
	const Plan *p = w->plan;
	uint32_t result = p->nin + p->nout;
	w->most = NEW_ARRAY(w->arena, const char *, p->nscalar + 1);
	w->computed = NEW_ARRAY(w->arena, const char *, p->nscalar + 1);
	w->result = NEW_ARRAY(w->arena, uint32_t, p->nscalar + 1);
	for (uint32_t i = 0; i < p->nscalar; i++) {
		const DimScalar *s = &p->scalar[i];
		if (!scalar_is_asked(p, i)) continue;
		w->arg[n] = w->most[i] =
			argument(w, n, arena_printf(w->arena, "most_%s", s->text), "most", i + 1);
		n++;
		if (s->loop != UINT32_MAX) continue;
		w->arg[n] = w->computed[i] = argument(w, n, s->text, "size", i + 1);
		n++;
		w->result[i] = result++;
	}
}

/* Without what would end it: a text of the user's. */
const char *comment(Writer *w, const char *s)
{
	Text t;
	text_open(&t, w->arena);
	for (char last = 0; *s; last = *s++) {
		bool ends = (last == '*' && *s == '/') || (last == '/' && *s == '*');
		if (ends) text_char(&t, ' ');
		text_char(&t, (unsigned char)*s < ' ' || *s == '\\' ? ' ' : *s);
	}
	return text_done(&t);
}

void find_args(Writer *w)
{
	const Plan *p = w->plan;
	uint32_t n = 0;
	w->arg = NEW_ARRAY(w->arena, const char *, p->nin + p->nout + p->nsize + 2 * p->nscalar + 1);
	for (uint32_t i = 0; i < p->nin; i++, n++) w->arg[n] = argument(w, n, p->in[i].name, "in", i + 1);
	for (uint32_t i = 0; i < p->nout; i++, n++) {
		const char *path = p->out[i].name;
		w->arg[n] =
			argument(w, n, path ? arena_printf(w->arena, "out_%s", path) : NULL, "out", i + 1);
	}
	for (uint32_t i = 0; i < p->nsize; i++, n++)
		w->arg[n] = argument(w, n, p->size_name ? p->size_name[i] : NULL, "s", i + 1);
	find_computed(w, n);
}

const char *program_name(Writer *w, const char *wish)
{
	return identifier(w, 0, wish, "program", 1);
}
