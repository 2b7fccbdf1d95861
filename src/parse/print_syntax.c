/* print_syntax.c - trees to text that parses to an equal tree, without parentheses that could be left out.
 *
 * Every place in the notation takes expressions from some level on (see the table of levels): 0 an
 * expression, 1 an operator's, 10 a value that something may be put behind.  What is of a lower level gets
 * parentheses.
 */
#include "print_syntax.h"

#include <math.h>
#include <stdio.h>

enum { PREFIX = 8, POSTFIX = 10 };
enum { STEP = 4, INDENT_MOST = 60 };

void printer_put(SyntaxPrinter *w, const char *s)
{
	text_add(w->t, s ? s : "");
}

static bool negative(const Syntax *s)
{
	if (s->text) return s->text[0] == '-';
	if (s->number == NUMBER_INTEGER) return s->integer < 0;
	return signbit(s->real);
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

void printer_line(SyntaxPrinter *w)
{
	while (w->t->n > w->begin && w->t->s[w->t->n - 1] == ' ') w->t->n--;
	text_char(w->t, '\n');
	for (int i = 0; i < w->indent && i < INDENT_MOST; i++) text_char(w->t, ' ');
}

/* Is there nothing but blanks in this line? */
static bool fresh(const SyntaxPrinter *w)
{
	for (size_t n = w->t->n; n > w->begin && w->t->s[n - 1] != '\n'; n--)
		if (w->t->s[n - 1] != ' ') return false;
	return true;
}

static void documentation(SyntaxPrinter *w, const char *text)
{
	for (const char *s = text; s;) {
		const char *stop = strchr(s, '\n');
		size_t n = stop ? (size_t)(stop - s) : strlen(s);
		printer_put(w, n ? "# " : "#");
		text_add_n(w->t, s, n);
		printer_line(w);
		s = stop ? stop + 1 : NULL;
	}
}

/* ---- lists --------------------------------------------------------------------- */

static void list(SyntaxPrinter *w, const Syntax *s, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		if (i > from) printer_put(w, ", ");
		printer_at(w, s->part[i], ANY);
	}
}

void printer_list(
	SyntaxPrinter *w, const char *open, const Syntax *s, uint32_t from, uint32_t to, const char *close)
{
	printer_put(w, open);
	list(w, s, from, to);
	printer_put(w, close);
}

/* Parts that may be missing, each with the word before it. */
void printer_part(SyntaxPrinter *w, const char *before, const Syntax *s, int least)
{
	if (!s) return;
	printer_put(w, before);
	printer_at(w, s, least);
}

static void entry(SyntaxPrinter *w, const Syntax *s, bool may_be_short)
{
	printer_put(w, s->name);
	const Syntax *value = s->part[0];
	if (may_be_short && value->kind == SYN_NAME && !strcmp(value->name, s->name)) return;
	printer_put(w, " = ");
	printer_at(w, value, ANY);
}

static void curly(SyntaxPrinter *w, const Syntax *s)
{
	printer_put(w, "{");
	for (uint32_t i = 0; i < s->count; i++) {
		printer_put(w, i ? ", " : "");
		entry(w, s->part[i], true);
	}
	printer_put(w, "}");
}

static void tuple(SyntaxPrinter *w, const Syntax *s)
{
	printer_list(w, "(", s, 0, s->count, s->count == 1 ? ",)" : ")");
}

static void slice(SyntaxPrinter *w, const Syntax *s)
{
	printer_part(w, "", s->part[0], ANY);
	printer_put(w, ":");
	printer_part(w, "", s->part[1], ANY);
	printer_part(w, ":", s->part[2], ANY);
}

static void param(SyntaxPrinter *w, const Syntax *s)
{
	printer_at(w, s->part[0], ANY);
	printer_part(w, ": ", s->part[1], ANY);
	printer_part(w, " = ", s->part[2], ANY);
	printer_part(w, " if ", s->part[3], OPERATOR);
}

/* ---- operators ----------------------------------------------------------------- */

static void number(SyntaxPrinter *w, const Syntax *s)
{
	if (s->text)
		printer_put(w, s->text);
	else if (s->number == NUMBER_INTEGER)
		text_printf(w->t, "%lld", (long long)s->integer);
	else
		text_number(w->t, s->real, 64);
	if (!s->text && s->number == NUMBER_IMAGINARY) printer_put(w, "i");
}

static bool tight(Sign sign)
{
	return sign == SIGN_TIMES || sign == SIGN_DIVIDE || sign == SIGN_FLOOR;
}

static void chain(SyntaxPrinter *w, const Syntax *s, uint32_t operands)
{
	int least = sign_level(s->signs[0]) + 1;
	for (uint32_t i = 0; i < operands; i++) {
		if (i) {
			const char *blank = tight(s->signs[i - 1]) ? "" : " ";
			printer_put(w, blank);
			printer_put(w, sign_text(s->signs[i - 1]));
			printer_put(w, blank);
		}
		printer_at(w, s->part[i], least);
	}
}

void printer_parens(SyntaxPrinter *w, const Syntax *s)
{
	printer_put(w, "(");
	printer_at(w, s, ANY);
	printer_put(w, ")");
}

/* A minus directly before a number would become part of it. */
static void unary(SyntaxPrinter *w, const Syntax *s)
{
	const Syntax *operand = s->part[0];
	printer_put(w, s->sign == SIGN_NOT ? "not " : "-");
	if (s->sign == SIGN_NOT)
		printer_at(w, operand, sign_level(SIGN_NOT));
	else if (operand->kind == SYN_NUMBER && !negative(operand))
		printer_parens(w, operand);
	else
		printer_at(w, operand, PREFIX);
}

/* What .name, [...] or (...) is put behind; a path of `with` has nothing there. */
static void base(SyntaxPrinter *w, const Syntax *s)
{
	if (s && s->kind == SYN_NUMBER)
		printer_parens(w, s);
	else if (s)
		printer_at(w, s, POSTFIX);
}

/* ---- forms --------------------------------------------------------------------- */

static void step(SyntaxPrinter *w, const Syntax *s)
{
	if (s->kind == SYN_DO) {
		printer_put(w, "do ");
		printer_at(w, s->part[0], ANY);
		return;
	}
	printer_put(w, "let ");
	printer_at(w, s->part[0], ANY);
	printer_part(w, ": ", s->part[1], ANY);
	printer_put(w, " = ");
	printer_at(w, s->part[2], ANY);
}

static void let(SyntaxPrinter *w, const Syntax *s)
{
	int before = w->indent;
	const Syntax *body = s->part[s->count - 1];
	if (!fresh(w)) {
		w->indent += STEP;
		printer_line(w);
	}
	for (uint32_t i = 0; i + 1 < s->count; i++) {
		step(w, s->part[i]);
		printer_line(w);
	}
	printer_put(w, "in ");
	if (body->kind == SYN_LET)
		printer_parens(w, body);
	else
		printer_at(w, body, ANY);
	w->indent = before;
}

static void branch(SyntaxPrinter *w, const Syntax *s)
{
	printer_put(w, "if ");
	printer_at(w, s->part[0], OPERATOR);
	printer_put(w, " then ");
	printer_at(w, s->part[1], ANY);
	printer_put(w, " else ");
	printer_at(w, s->part[2], ANY);
}

static void scan(SyntaxPrinter *w, const Syntax *s)
{
	printer_put(w, "scan");
	if (s->part[0]) printer_list(w, "[", s->part[0], 0, s->part[0]->count, "]");
	printer_list(w, " (", s->part[1], 0, s->part[1]->count, ")");
	printer_part(w, " while ", s->part[2], OPERATOR);
	printer_put(w, " => ");
	printer_at(w, s->part[3], ANY);
}

static void change(SyntaxPrinter *w, const Syntax *s)
{
	for (uint32_t i = 0; i + 1 < s->count; i++) printer_at(w, s->part[i], ANY);
	printer_put(w, s->sign == SIGN_ADD ? " += " : " = ");
	printer_at(w, s->part[s->count - 1], OPERATOR);
}

static void with(SyntaxPrinter *w, const Syntax *s)
{
	printer_at(w, s->part[0], OPERATOR);
	for (uint32_t i = 1; i < s->count; i++) {
		printer_put(w, " with ");
		change(w, s->part[i]);
	}
}

static void function(SyntaxPrinter *w, const Syntax *s)
{
	bool lambda = s->kind == SYN_LAMBDA;
	printer_list(w, lambda ? "(" : "[", s, 0, s->count - 1, lambda ? ") => " : "] => ");
	printer_at(w, s->part[s->count - 1], ANY);
}

/* ---- all of it ---------------------------------------------------------------------- */

/* What stands in lists and types. */
static void print_part(SyntaxPrinter *w, const Syntax *s)
{
	switch ((SyntaxKind)s->kind) {
	case SYN_ENTRY: entry(w, s, false); break;
	case SYN_RUN:
		printer_put(w, "..");
		printer_put(w, s->name);
		break;
	case SYN_SLICE: slice(w, s); break;
	case SYN_BELOW:
		printer_put(w, s->name);
		printer_put(w, " < ");
		printer_at(w, s->part[0], sign_level(SIGN_LT) + 1);
		break;
	case SYN_OVER:
		printer_put(w, s->name);
		printer_put(w, " in ");
		printer_at(w, s->part[0], ANY);
		break;
	case SYN_BIND:
	case SYN_DO: step(w, s); break;
	case SYN_CHANGE: change(w, s); break;
	case SYN_PARAM: param(w, s); break;
	case SYN_LIST: list(w, s, 0, s->count); break;
	case SYN_RECORD: printer_list(w, "{", s, 0, s->count, "}"); break;
	case SYN_SLOT:
		printer_put(w, s->name);
		printer_part(w, ": ", s->part[0], ANY);
		printer_part(w, " if ", s->part[1], OPERATOR);
		break;
	case SYN_ARROW:
		printer_list(w, "(", s, 0, s->count - 1, ") -> ");
		printer_at(w, s->part[s->count - 1], ANY);
		break;
	default: print_declaration(w, s); break;
	}
}

static void print_bare(SyntaxPrinter *w, const Syntax *s)
{
	switch ((SyntaxKind)s->kind) {
	case SYN_NUMBER: number(w, s); break;
	case SYN_NAME: printer_put(w, s->name); break;
	case SYN_TUPLE: tuple(w, s); break;
	case SYN_ARRAY: printer_list(w, "[", s, 0, s->count, "]"); break;
	case SYN_CURLY: curly(w, s); break;
	case SYN_CALL:
		base(w, s->part[0]);
		printer_list(w, "(", s, 1, s->count, ")");
		break;
	case SYN_SUBSCRIPTS:
		base(w, s->part[0]);
		printer_list(w, "[", s, 1, s->count, "]");
		break;
	case SYN_FIELD:
		base(w, s->part[0]);
		printer_put(w, ".");
		printer_put(w, s->name);
		break;
	case SYN_POWER:
		printer_at(w, s->part[0], POSTFIX);
		printer_put(w, "^");
		printer_at(w, s->part[1], PREFIX);
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

void printer_at(SyntaxPrinter *w, const Syntax *s, int least)
{
	if (s->kind != SYN_NUMBER && s->kind != SYN_NAME) documentation(w, s->text);
	if (level(s) < least)
		printer_parens(w, s);
	else
		print_bare(w, s);
}

void print_syntax(Text *t, const Syntax *s)
{
	SyntaxPrinter w = {.t = t, .begin = t ? t->n : 0};
	if (t && s) printer_at(&w, s, ANY);
}

void print_chain(Text *t, const Syntax *s, uint32_t operands)
{
	SyntaxPrinter w = {.t = t, .begin = t ? t->n : 0};
	if (t && s) chain(&w, s, operands < s->count ? operands : s->count);
}
