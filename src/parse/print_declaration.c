/* print_declaration.c - files, their declarations, books and rules, to text. */
#include "print_syntax.h"

static void definition(SyntaxPrinter *w, const Syntax *s)
{
	printer_put(w, s->kind == SYN_OP ? "op " : "fn ");
	printer_put(w, s->name);
	if (s->part[0]) printer_list(w, "[", s->part[0], 0, s->part[0]->count, "]");
	printer_list(w, "(", s->part[1], 0, s->part[1]->count, ")");
	printer_part(w, " -> ", s->part[2], ANY);
	printer_put(w, " = ");
	if (s->part[3]->kind == SYN_LATER) {
		Names names;
		names_open(&names, w->t->arena);
		printer_at(w, syntax_of_later(w->t->arena, &names, s->part[3]), ANY);
	} else {
		printer_at(w, s->part[3], ANY);
	}
}

static void type_declaration(SyntaxPrinter *w, const Syntax *s)
{
	printer_put(w, "type ");
	printer_put(w, s->name);
	if (s->count > 1) printer_list(w, "[", s, 1, s->count, "]");
	printer_put(w, " = ");
	printer_at(w, s->part[0], ANY);
}

/* Does => stand in it outside brackets and steps, where the right side of a rule takes none? */
static bool shows_arrow(const Syntax *s)
{
	while (s->kind == SYN_LET && s->part[s->count - 1]->kind != SYN_LET) s = s->part[s->count - 1];
	if (s->kind == SYN_IF) return shows_arrow(s->part[1]) || shows_arrow(s->part[2]);
	return s->kind == SYN_SCAN || s->kind == SYN_LAMBDA || s->kind == SYN_FORMULA;
}

static void rule(SyntaxPrinter *w, const Syntax *s)
{
	static const char *const law[] = {"", " exact", " real", " finite", " approx("};
	printer_put(w, s->name);
	if (s->part[4]) printer_list(w, "[", s->part[4], 0, s->part[4]->count, "]");
	printer_put(w, s->name ? ": " : "");
	printer_at(w, s->part[0], OPERATOR);
	printer_put(w, s->sign == SIGN_SAME ? " <=> " : " => ");
	if (shows_arrow(s->part[1]))
		printer_parens(w, s->part[1]);
	else
		printer_at(w, s->part[1], ANY);
	printer_put(w, law[s->law]);
	if (s->law == LAW_APPROX) {
		printer_at(w, s->part[3], OPERATOR);
		printer_put(w, ")");
	}
	printer_part(w, " if ", s->part[2], OPERATOR);
}

static void book(SyntaxPrinter *w, const Syntax *s)
{
	printer_put(w, "book ");
	printer_put(w, s->name);
	printer_put(w, s->order ? ": " : "");
	printer_put(w, s->order);
	for (uint32_t i = 0; i < s->count; i++) {
		printer_line(w);
		printer_at(w, s->part[i], ANY);
	}
}

/* A blank line stands between declarations, but not between short ones of a kind. */
static void file(SyntaxPrinter *w, const Syntax *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		const Syntax *d = s->part[i], *last = i ? s->part[i - 1] : NULL;
		bool close = last && last->kind == d->kind && !d->text &&
			(d->kind == SYN_USE || d->kind == SYN_TYPE || d->kind == SYN_BIND);
		if (last && !close) printer_line(w);
		printer_at(w, d, ANY);
		printer_line(w);
	}
}

void print_declaration(SyntaxPrinter *w, const Syntax *s)
{
	switch ((SyntaxKind)s->kind) {
	case SYN_FILE: file(w, s); break;
	case SYN_USE:
		printer_put(w, "use ");
		printer_at(w, s->part[0], ANY);
		break;
	case SYN_TYPE: type_declaration(w, s); break;
	case SYN_FN:
	case SYN_OP: definition(w, s); break;
	case SYN_BOOK: book(w, s); break;
	case SYN_TAG: printer_list(w, "tag ", s, 0, s->count, ""); break;
	case SYN_RULE: rule(w, s); break;
	default: break;
	}
}
