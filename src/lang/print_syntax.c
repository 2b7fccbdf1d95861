/* print_syntax.c - trees to text that parses to an equal tree, without parentheses that could be left out.
 *
 * Every place in the notation takes expressions from some level on (see the table of levels): 0 an
 * expression, 1 an operator's, 10 a value that something may be put behind.  What is of a lower level gets
 * parentheses.
 */
#include "syntax.h"

#include <math.h>
#include <stdio.h>

enum { ANY = 0, OPERATOR = 1, PREFIX = 8, POSTFIX = 10 };
enum { STEP = 4, INDENT_MOST = 60 };

typedef struct Printer {
	Text *t;
	size_t begin; /* where our text begins in t */
	int indent;
} Printer;

static void print(Printer *, const Syntax *, int least);

static void put(Printer *w, const char *s)
{
	text_add(w->t, s ? s : "");
}

static bool negative(const Syntax *s)
{
	return s->text ? s->text[0] == '-' : s->number == NUMBER_INTEGER ? s->integer < 0 : signbit(s->real);
}

static int level(const Syntax *s)
{
	switch (s->kind) {
	case SYN_LET:
	case SYN_IF:
	case SYN_SCAN:
	case SYN_WITH:
	case SYN_LAMBDA:
	case SYN_FORMULA:
	case SYN_ARROW: return ANY;
	case SYN_CHAIN:
	case SYN_COMPARE: return sign_level(s->signs[0]);
	case SYN_UNARY: return s->sign == SIGN_NOT ? sign_level(SIGN_NOT) : PREFIX;
	case SYN_NUMBER: return negative(s) ? PREFIX : POSTFIX;
	case SYN_POWER: return sign_level(SIGN_POWER);
	default: return POSTFIX;
	}
}

/* ---- lines ------------------------------------------------------------------- */

static void newline(Printer *w)
{
	while (w->t->n > w->begin && w->t->s[w->t->n - 1] == ' ') w->t->n--;
	text_char(w->t, '\n');
	for (int i = 0; i < w->indent && i < INDENT_MOST; i++) text_char(w->t, ' ');
}

/* Is there nothing but blanks in this line? */
static bool fresh(const Printer *w)
{
	for (size_t n = w->t->n; n > w->begin && w->t->s[n - 1] != '\n'; n--)
		if (w->t->s[n - 1] != ' ') return false;
	return true;
}

static void documentation(Printer *w, const char *text)
{
	for (const char *s = text; s;) {
		const char *stop = strchr(s, '\n');
		size_t n = stop ? (size_t)(stop - s) : strlen(s);
		put(w, n ? "# " : "#");
		text_add_n(w->t, s, n);
		newline(w);
		s = stop ? stop + 1 : NULL;
	}
}

/* ---- lists --------------------------------------------------------------------- */

static void list(Printer *w, const Syntax *s, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		if (i > from) put(w, ", ");
		print(w, s->part[i], ANY);
	}
}

static void bracketed(
	Printer *w, const char *open, const Syntax *s, uint32_t from, uint32_t to, const char *close)
{
	put(w, open);
	list(w, s, from, to);
	put(w, close);
}

/* Parts that may be missing, each with the word before it. */
static void optional(Printer *w, const char *before, const Syntax *s, int least)
{
	if (!s) return;
	put(w, before);
	print(w, s, least);
}

static void entry(Printer *w, const Syntax *s, bool may_be_short)
{
	put(w, s->name);
	const Syntax *value = s->part[0];
	if (may_be_short && value->kind == SYN_NAME && !strcmp(value->name, s->name)) return;
	put(w, " = ");
	print(w, value, ANY);
}

static void curly(Printer *w, const Syntax *s)
{
	put(w, "{");
	for (uint32_t i = 0; i < s->count; i++) {
		put(w, i ? ", " : "");
		entry(w, s->part[i], true);
	}
	put(w, "}");
}

static void tuple(Printer *w, const Syntax *s)
{
	bracketed(w, "(", s, 0, s->count, s->count == 1 ? ",)" : ")");
}

static void slice(Printer *w, const Syntax *s)
{
	optional(w, "", s->part[0], ANY);
	put(w, ":");
	optional(w, "", s->part[1], ANY);
	optional(w, ":", s->part[2], ANY);
}

static void param(Printer *w, const Syntax *s)
{
	print(w, s->part[0], ANY);
	optional(w, ": ", s->part[1], ANY);
	optional(w, " = ", s->part[2], ANY);
	optional(w, " if ", s->part[3], OPERATOR);
}

/* ---- operators ----------------------------------------------------------------- */

static void number(Printer *w, const Syntax *s)
{
	if (s->text)
		put(w, s->text);
	else if (s->number == NUMBER_INTEGER)
		text_printf(w->t, "%lld", (long long)s->integer);
	else
		text_number(w->t, s->real, 64);
	if (!s->text && s->number == NUMBER_IMAGINARY) put(w, "i");
}

static bool tight(Sign sign)
{
	return sign == SIGN_TIMES || sign == SIGN_DIVIDE || sign == SIGN_FLOOR;
}

static void chain(Printer *w, const Syntax *s, uint32_t operands)
{
	int least = sign_level(s->signs[0]) + 1;
	for (uint32_t i = 0; i < operands; i++) {
		if (i) {
			const char *blank = tight(s->signs[i - 1]) ? "" : " ";
			put(w, blank);
			put(w, sign_text(s->signs[i - 1]));
			put(w, blank);
		}
		print(w, s->part[i], least);
	}
}

static void parenthesised(Printer *w, const Syntax *s)
{
	put(w, "(");
	print(w, s, ANY);
	put(w, ")");
}

/* A minus directly before a number would become part of it. */
static void unary(Printer *w, const Syntax *s)
{
	const Syntax *operand = s->part[0];
	put(w, s->sign == SIGN_NOT ? "not " : "-");
	if (s->sign == SIGN_NOT)
		print(w, operand, sign_level(SIGN_NOT));
	else if (operand->kind == SYN_NUMBER && !negative(operand))
		parenthesised(w, operand);
	else
		print(w, operand, PREFIX);
}

/* What .name, [...] or (...) is put behind; a path of `with` has nothing there. */
static void base(Printer *w, const Syntax *s)
{
	if (s && s->kind == SYN_NUMBER)
		parenthesised(w, s);
	else if (s)
		print(w, s, POSTFIX);
}

/* ---- forms --------------------------------------------------------------------- */

static void step(Printer *w, const Syntax *s)
{
	if (s->kind == SYN_DO) {
		put(w, "do ");
		print(w, s->part[0], ANY);
		return;
	}
	put(w, "let ");
	print(w, s->part[0], ANY);
	optional(w, ": ", s->part[1], ANY);
	put(w, " = ");
	print(w, s->part[2], ANY);
}

static void let(Printer *w, const Syntax *s)
{
	int before = w->indent;
	const Syntax *body = s->part[s->count - 1];
	if (!fresh(w)) {
		w->indent += STEP;
		newline(w);
	}
	for (uint32_t i = 0; i + 1 < s->count; i++) {
		step(w, s->part[i]);
		newline(w);
	}
	put(w, "in ");
	if (body->kind == SYN_LET)
		parenthesised(w, body);
	else
		print(w, body, ANY);
	w->indent = before;
}

static void branch(Printer *w, const Syntax *s)
{
	put(w, "if ");
	print(w, s->part[0], OPERATOR);
	put(w, " then ");
	print(w, s->part[1], ANY);
	put(w, " else ");
	print(w, s->part[2], ANY);
}

static void scan(Printer *w, const Syntax *s)
{
	put(w, "scan");
	if (s->part[0]) bracketed(w, "[", s->part[0], 0, s->part[0]->count, "]");
	bracketed(w, " (", s->part[1], 0, s->part[1]->count, ")");
	optional(w, " while ", s->part[2], OPERATOR);
	put(w, " => ");
	print(w, s->part[3], ANY);
}

static void change(Printer *w, const Syntax *s)
{
	for (uint32_t i = 0; i + 1 < s->count; i++) print(w, s->part[i], ANY);
	put(w, s->sign == SIGN_ADD ? " += " : " = ");
	print(w, s->part[s->count - 1], OPERATOR);
}

static void with(Printer *w, const Syntax *s)
{
	print(w, s->part[0], OPERATOR);
	for (uint32_t i = 1; i < s->count; i++) {
		put(w, " with ");
		change(w, s->part[i]);
	}
}

static void function(Printer *w, const Syntax *s)
{
	bool lambda = s->kind == SYN_LAMBDA;
	bracketed(w, lambda ? "(" : "[", s, 0, s->count - 1, lambda ? ") => " : "] => ");
	print(w, s->part[s->count - 1], ANY);
}

/* ---- declarations --------------------------------------------------------------- */

static void definition(Printer *w, const Syntax *s)
{
	put(w, s->kind == SYN_OP ? "op " : "fn ");
	put(w, s->name);
	if (s->part[0]) bracketed(w, "[", s->part[0], 0, s->part[0]->count, "]");
	bracketed(w, "(", s->part[1], 0, s->part[1]->count, ")");
	optional(w, " -> ", s->part[2], ANY);
	put(w, " = ");
	print(w, s->part[3], ANY);
}

static void type_declaration(Printer *w, const Syntax *s)
{
	put(w, "type ");
	put(w, s->name);
	if (s->count > 1) bracketed(w, "[", s, 1, s->count, "]");
	put(w, " = ");
	print(w, s->part[0], ANY);
}

/* Does => stand in it outside brackets and steps, where the right side of a rule takes none? */
static bool shows_arrow(const Syntax *s)
{
	while (s->kind == SYN_LET && s->part[s->count - 1]->kind != SYN_LET) s = s->part[s->count - 1];
	if (s->kind == SYN_IF) return shows_arrow(s->part[1]) || shows_arrow(s->part[2]);
	return s->kind == SYN_SCAN || s->kind == SYN_LAMBDA || s->kind == SYN_FORMULA;
}

static void rule(Printer *w, const Syntax *s)
{
	static const char *const law[] = {"", " exact", " real", " finite", " approx("};
	put(w, s->name);
	put(w, s->name ? ": " : "");
	print(w, s->part[0], OPERATOR);
	put(w, s->sign == SIGN_SAME ? " <=> " : " => ");
	if (shows_arrow(s->part[1]))
		parenthesised(w, s->part[1]);
	else
		print(w, s->part[1], ANY);
	put(w, law[s->law]);
	if (s->law == LAW_APPROX) {
		print(w, s->part[3], OPERATOR);
		put(w, ")");
	}
	optional(w, " if ", s->part[2], OPERATOR);
}

static void book(Printer *w, const Syntax *s)
{
	put(w, "book ");
	put(w, s->name);
	put(w, s->order ? ": " : "");
	put(w, s->order);
	for (uint32_t i = 0; i < s->count; i++) {
		newline(w);
		print(w, s->part[i], ANY);
	}
}

/* A blank line stands between declarations, but not between short ones of a kind. */
static void file(Printer *w, const Syntax *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		const Syntax *d = s->part[i], *last = i ? s->part[i - 1] : NULL;
		bool close = last && last->kind == d->kind && !d->text &&
			(d->kind == SYN_USE || d->kind == SYN_TYPE || d->kind == SYN_BIND);
		if (last && !close) newline(w);
		print(w, d, ANY);
		newline(w);
	}
}

/* ---- all of it ---------------------------------------------------------------------- */

static void print_declaration(Printer *w, const Syntax *s)
{
	switch ((SyntaxKind)s->kind) {
	case SYN_FILE: file(w, s); break;
	case SYN_USE:
		put(w, "use ");
		print(w, s->part[0], ANY);
		break;
	case SYN_TYPE: type_declaration(w, s); break;
	case SYN_FN:
	case SYN_OP: definition(w, s); break;
	case SYN_BOOK: book(w, s); break;
	case SYN_RULE: rule(w, s); break;
	default: break;
	}
}

/* What stands in lists and types. */
static void print_part(Printer *w, const Syntax *s)
{
	switch ((SyntaxKind)s->kind) {
	case SYN_ENTRY: entry(w, s, false); break;
	case SYN_RUN:
		put(w, "..");
		put(w, s->name);
		break;
	case SYN_SLICE: slice(w, s); break;
	case SYN_BELOW:
		put(w, s->name);
		put(w, " < ");
		print(w, s->part[0], sign_level(SIGN_LT) + 1);
		break;
	case SYN_OVER:
		put(w, s->name);
		put(w, " in ");
		print(w, s->part[0], ANY);
		break;
	case SYN_BIND:
	case SYN_DO: step(w, s); break;
	case SYN_CHANGE: change(w, s); break;
	case SYN_PARAM: param(w, s); break;
	case SYN_LIST: list(w, s, 0, s->count); break;
	case SYN_RECORD: bracketed(w, "{", s, 0, s->count, "}"); break;
	case SYN_SLOT:
		put(w, s->name);
		optional(w, ": ", s->part[0], ANY);
		optional(w, " if ", s->part[1], OPERATOR);
		break;
	case SYN_ARROW:
		bracketed(w, "(", s, 0, s->count - 1, ") -> ");
		print(w, s->part[s->count - 1], ANY);
		break;
	default: print_declaration(w, s); break;
	}
}

static void print_bare(Printer *w, const Syntax *s)
{
	switch ((SyntaxKind)s->kind) {
	case SYN_NUMBER: number(w, s); break;
	case SYN_NAME: put(w, s->name); break;
	case SYN_TUPLE: tuple(w, s); break;
	case SYN_ARRAY: bracketed(w, "[", s, 0, s->count, "]"); break;
	case SYN_CURLY: curly(w, s); break;
	case SYN_CALL:
		base(w, s->part[0]);
		bracketed(w, "(", s, 1, s->count, ")");
		break;
	case SYN_SUBSCRIPTS:
		base(w, s->part[0]);
		bracketed(w, "[", s, 1, s->count, "]");
		break;
	case SYN_FIELD:
		base(w, s->part[0]);
		put(w, ".");
		put(w, s->name);
		break;
	case SYN_POWER:
		print(w, s->part[0], POSTFIX);
		put(w, "^");
		print(w, s->part[1], PREFIX);
		break;
	case SYN_UNARY: unary(w, s); break;
	case SYN_CHAIN:
	case SYN_COMPARE: chain(w, s, s->count); break;
	case SYN_LET: let(w, s); break;
	case SYN_IF: branch(w, s); break;
	case SYN_SCAN: scan(w, s); break;
	case SYN_WITH: with(w, s); break;
	case SYN_LAMBDA:
	case SYN_FORMULA: function(w, s); break;
	default: print_part(w, s); break;
	}
}

static void print(Printer *w, const Syntax *s, int least)
{
	if (s->kind != SYN_NUMBER && s->kind != SYN_NAME) documentation(w, s->text);
	if (level(s) < least)
		parenthesised(w, s);
	else
		print_bare(w, s);
}

void print_syntax(Text *t, const Syntax *s)
{
	Printer w = {.t = t, .begin = t ? t->n : 0};
	if (t && s) print(&w, s, ANY);
}

void print_chain(Text *t, const Syntax *s, uint32_t operands)
{
	Printer w = {.t = t, .begin = t ? t->n : 0};
	if (t && s) chain(&w, s, operands < s->count ? operands : s->count);
}
