/* test_checker.c - rules that are not true are refused, and true ones taken.
 *
 * wrong.por, right.por: books whose rules are read one by one, each into a graph of its own with the ops of its file.
 * What is said of a refusal stands in the heading of its section behind a bar: a rule that is refused for another
 * reason tells nothing.  One whose derivatives are worse is taken, and waits for them; where that is so, the bar says
 * it too. */

#include "file_text.h"
#include "elab/elab.h"
#include "prove/prove.h"

typedef struct Listed {
	const char *heading, *said, *book; /* of its section; the line `book NAME: STAGE` */
	char *text;
	int line;
} Listed;

typedef struct List {
	const char *file;
	char *text, *ops; /* the file's, of which the rules are parts */
	Listed *rule;
	uint32_t n;
} List;

static bool begins(const char *line, const char *with)
{
	return !strncmp(line, with, strlen(with));
}

/* Lines of the file: a rule goes on where a line is indented. */
static bool list_read(List *l, const char *path)
{
	char *text = file_text(path), *next;
	const char *heading = "", *said = "", *book = "book none";
	if (!text) return false;
	*l = (List){.file = path, .text = text, .ops = calloc(strlen(text) + 1, 1), .rule = calloc(2000, sizeof *l->rule)};
	int at = 0;
	for (char *line = text; line && *line; line = next) {
		at++;
		next = strchr(line, '\n');
		if (next) *next++ = 0;
		while (next && *next == ' ') { /* goes on */
			next[-1] = ' ';
			char *end = strchr(next, '\n');
			next = end ? end + 1 : NULL;
			if (end) *end = 0;
			at++;
		}
		if (begins(line, "# ---- ")) {
			char *bar = strstr(line, " | ");
			heading = line + strlen("# ---- ");
			said = bar ? bar + 3 : "";
			if (bar) *bar = 0;
		} else if (begins(line, "op ")) {
			strcat(strcat(l->ops, line), "\n");
		} else if (begins(line, "book ")) {
			book = line;
		} else if (*line && *line != '#') {
			l->rule[l->n++] = (Listed){heading, said, book, line, at};
		}
	}
	return true;
}

static void list_free(List *l)
{
	free(l->text);
	free(l->ops);
	free(l->rule);
}

/* A rule that begins with a bracket or a sign wants a name. */
static bool wants_name(const char *text)
{
	const char *end = text + strcspn(text, " ([{:+-*/<>=!");
	return *end != ':' && strncmp(text, "d(", 2) && strncmp(text, "batch(", 6);
}

/* The text of a rule, or of two. */
static void add_lines(Text *t, const char *text)
{
	const char *next = strstr(text, " ;; ");
	text_printf(t, "%.*s\n", next ? (int)(next - text) : (int)strlen(text), text);
	if (next) text_printf(t, "%s\n", next + 4);
}

/* What becomes of a rule that is read. */
typedef enum Fate { REFUSED, TAKEN, WAITS, NARROWED } Fate;

static Fate fate_of(const Graph *base, const List *l, const Listed *r, char *said, size_t room)
{
	Graph *g = graph_open_on(base);
	prove_open(g);
	Text text;
	text_open(&text, g->arena);
	text_printf(&text, "%s%s\n%s", l->ops, r->book, wants_name(r->text) ? "listed: " : "");
	add_lines(&text, r->text);
	const char *whole = text_done(&text);
	Module *m = books_open(g) ? module_load(g, "listed", whole, strlen(whole)) : NULL;
	const Syntax *s = m ? module_syntax(m) : NULL;
	uint32_t before = rules_count(g);
	for (uint32_t i = 0; s && i < s->count && !g->error.code; i++)
		if (s->part[i]->kind == SYN_BOOK) book_add(g, s->part[i], "listed");
	Fate fate = REFUSED;
	if (!g->error.code && rules_count(g) == before + 1) {
		const Rule *read = rule_at(g, before);
		bool ordered = !strcmp(read->book->stage, "last") || !strcmp(read->book->stage, "stable_last");
		const RuleUse *use = rule_use(g, read);
		fate = use->wide ? NARROWED : TAKEN;
		if (use->late && !ordered) fate = WAITS;
	}
	const char *why = g->error.text;
	if (fate == WAITS) why = "waits for derivatives";
	if (fate == NARROWED) why = "for the wider dtypes alone";
	snprintf(said, room, "%s", fate == TAKEN ? "taken" : why);
	graph_close(g);
	return fate;
}

/* All of a list; how many became what is wanted. */
static uint32_t judge_list(const Graph *base, const List *l, bool right, bool verbose)
{
	uint32_t good = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		const Listed *r = &l->rule[i];
		char said[1000];
		Fate fate = fate_of(base, l, r, said, sizeof said);
		bool waits = fate == WAITS && !strcmp(r->said, "waits for derivatives"),
		     is = right ? fate == TAKEN || fate == NARROWED || waits : fate != TAKEN && strstr(said, r->said);
		good += is;
		if (!is || verbose)
			printf("%s:%d: %s%s\n    %s: %s\n", l->file, r->line, is ? "" : "NOT SO: ", r->text, r->heading, said);
	}
	return good;
}

int main(int argc, char **argv)
{
	bool verbose = argc > 1 && !strcmp(argv[1], "--verbose");
	List wrong, right;
	Graph *base = graph_open(NULL);
	prove_open(base);
	if (!library_read(base) || !books_finish(base) || !list_read(&wrong, "tests/rewrite/wrong.por") ||
		!list_read(&right, "tests/rewrite/right.por"))
		return 1;
	uint32_t refused = judge_list(base, &wrong, false, verbose), taken = judge_list(base, &right, true, verbose);
	printf("refused %u of %u\n", refused, wrong.n);
	printf("taken %u of %u\n", taken, right.n);
	list_free(&wrong);
	list_free(&right);
	graph_close(base);
	return refused != wrong.n || taken != right.n;
}
