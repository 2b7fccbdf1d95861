/* random_written.c - loops of random programs that write elements of what they carry: in sides of branches,
 * one after another, in loops within, of vectors and of a matrix. */
#include "random_program.h"

/* An index that is there, but for an axis of no elements. */
static void inside(ProgramMaker *r, const NamesInScope *s, const char *size)
{
	say(r, "(");
	forms_whole(r, s);
	buffer_printf(r->b, " %% %s)", size);
}

/* An element, or elements side by side, all or every second from there on. */
static void where(ProgramMaker *r, const NamesInScope *s, const char *size)
{
	if (!forms_pick(r, 8)) {
		forms_whole(r, s);
		return;
	}
	inside(r, s, size);
	if (!forms_pick(r, 3)) say(r, ONE_OF(r, ":", ":", "::2", "::-1"));
}

/* What is written: a number, or what is made of elements of what is carried, as a cell of a chart is. */
static void value(ProgramMaker *r, const NamesInScope *s, const char *name, const char *size)
{
	switch (forms_pick(r, 4)) {
	case 0: say(r, "0.5"); break;
	case 1:
		buffer_printf(r->b, "sin(%s[", name);
		inside(r, s, size);
		buffer_printf(r->b, "]*%s[", name);
		inside(r, s, size);
		say(r, "])");
		break;
	default: forms_number(r, s);
	}
}

/* What a loop carries (`name`), with elements written one after another, in sides of branches, in loops; what
 * is written may read what is carried, written to already or not yet. */
static void written(ProgramMaker *r, const NamesInScope *s, Sort sort, const char *name)
{
	NamesInScope inner;
	char own[8], index[8];
	unsigned form = r->left-- > 0 ? forms_pick(r, 6) : 6;
	switch (form) {
	case 0:
	case 1:
		say(r, "(if ");
		forms_condition(r, s);
		say(r, " then ");
		written(r, s, sort, name);
		say(r, " else ");
		written(r, s, sort, forms_pick(r, 3) ? name : forms_any_name(r, s, sort));
		break;
	case 2:
		if (r->loops < DEPTH - 1) {
			inner = *s;
			r->loops++;
			buffer_printf(r->b, "(scan (%s = ", forms_new_name(r, own, 'h'));
			written(r, s, sort, name);
			buffer_printf(r->b, ", %s < ", forms_new_name(r, index, 'i'));
			forms_count(r, s);
			forms_name(&inner, WHOLE, index);
			forms_name(&inner, sort, own);
			say(r, ") => ");
			written(r, &inner, sort, own);
			r->loops--;
			break;
		} /* fall through */
	case 3:
	case 4:
	case 5:
		say(r, "(");
		written(r, s, sort, name);
		say(r, " with [");
		where(r, s, sort == VECTOR_N ? "n" : "m");
		say(r, forms_pick(r, 3) ? "] = " : "] += ");
		value(r, s, name, sort == VECTOR_N ? "n" : "m");
		break;
	default: say(r, name); return;
	}
	say(r, ")");
}

/* B with [i, j] of what B has there or near it, and a number. */
static void table_step(ProgramMaker *r, const NamesInScope *s, const char *name)
{
	buffer_printf(r->b, "%s with [", name);
	inside(r, s, "m");
	say(r, ", ");
	inside(r, s, "n");
	say(r, forms_pick(r, 3) ? "] = " : "] += ");
	for (unsigned more = 1 + forms_pick(r, 2); more--;) {
		buffer_printf(r->b, "%s[", name);
		inside(r, s, "m");
		say(r, ", ");
		inside(r, s, "n");
		say(r, forms_pick(r, 2) ? "]*" : "] + ");
	}
	forms_number(r, s);
}

/* A row or column of a matrix that a loop within a loop has filled, perhaps behind a guard. */
static void line_of_table(ProgramMaker *r, const NamesInScope *s, Sort sort)
{
	NamesInScope inner = *s;
	char name[8], index[8];
	r->loops += 2;
	forms_new_name(r, name, 'B');
	const char *first = forms_pick(r, 2) ? "A" : "f64[m, n](1)";
	buffer_printf(r->b, "(scan (%s = %s, %s < ", name, first, forms_new_name(r, index, 'i'));
	forms_count(r, s);
	forms_name(&inner, WHOLE, index);
	buffer_printf(r->b, ") => scan (%s = %s, %s < ", name, name, forms_new_name(r, index, 'j'));
	forms_count(r, &inner);
	forms_name(&inner, WHOLE, index);
	say(r, ") => ");
	if (!forms_pick(r, 3)) {
		say(r, "if ");
		forms_condition(r, &inner);
		buffer_printf(r->b, " then %s else ", name);
	}
	table_step(r, &inner, name);
	r->loops -= 2;
	say(r, sort == VECTOR_N ? ")[" : ")[:, ");
	inside(r, s, sort == VECTOR_N ? "m" : "n");
	say(r, "]");
}

/* A loop whose body writes elements of what it carries, and may give a trace of it; or a table. */
void forms_writing_loop(ProgramMaker *r, const NamesInScope *s, Sort sort)
{
	NamesInScope inner;
	char name[8];
	if (r->tables && r->loops < DEPTH - 2 && forms_pick(r, 4)) {
		line_of_table(r, s, sort);
		return;
	}
	bool traced = r->traced = !forms_pick(r, 3);
	forms_head(r, s, &inner, sort, name);
	if (traced) buffer_printf(r->b, "{%s = ", name);
	written(r, &inner, sort, name);
	if (traced) buffer_printf(r->b, ", t = %s[%u]}", name, forms_pick(r, 2));
	forms_close(r);
	if (traced) buffer_printf(r->b, ".%s", name);
}

/* A row or column of a matrix, of which a loop has written elements. */
void forms_line_written(ProgramMaker *r, const NamesInScope *s, Sort sort)
{
	NamesInScope inner = *s;
	char name[8], index[8];
	r->loops++;
	buffer_printf(r->b, "(scan (%s = A, %s < ", forms_new_name(r, name, 'B'), forms_new_name(r, index, 'i'));
	forms_count(r, s);
	forms_name(&inner, WHOLE, index);
	buffer_printf(r->b, ") => %s with [", name);
	inside(r, &inner, "m");
	say(r, ", ");
	inside(r, &inner, "n");
	buffer_printf(r->b, "] %s %s[", ONE_OF(r, "=", "+="), name);
	inside(r, &inner, "m");
	say(r, ", ");
	inside(r, &inner, "n");
	say(r, "]*");
	forms_number(r, &inner);
	r->loops--;
	say(r, sort == VECTOR_N ? ")[" : ")[:, ");
	inside(r, s, sort == VECTOR_N ? "m" : "n");
	say(r, "]");
}
