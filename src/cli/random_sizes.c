/* random_sizes.c - sizes in random programs of which every fourth has many: as numbers, in conditions, in
 * slices, as the passes of loops, and in functions whose arrays are as long as is known when they run. */
#include "random_program.h"

static const char *any_vector(ProgramMaker *r, const NamesInScope *s)
{
	return forms_any_name(r, s, forms_pick(r, 2) ? VECTOR_N : VECTOR_M);
}

void forms_size(ProgramMaker *r, const NamesInScope *s)
{
	switch (forms_pick(r, 8)) {
	case 0: buffer_printf(r->b, "(len(%s) - %u)", any_vector(r, s), 1 + forms_pick(r, 2)); break;
	case 1: buffer_printf(r->b, "(len(%s)//2)", any_vector(r, s)); break;
	case 2: say(r, ONE_OF(r, "min(n, m)", "max(n, m)", "min(n, 2)", "max(m - 1, 0)", "(n*m)", "(n % 2)")); break;
	case 3:
		buffer_printf(r->b, "len(%s[%u:%s])", any_vector(r, s), forms_pick(r, 3), ONE_OF(r, "", "2", "-1", "n", "m"));
		break;
	case 4: say(r, ONE_OF(r, "size[0](A)", "size[1](A)", "len(idx)", "len(concat(x, y))")); break;
	case 5: buffer_printf(r->b, "len(%s[::%s])", any_vector(r, s), ONE_OF(r, "2", "-1")); break;
	default: buffer_printf(r->b, "len(%s)", any_vector(r, s));
	}
}

/* Two sizes, or one and a number; perhaps beside what is no size. */
void forms_size_condition(ProgramMaker *r, const NamesInScope *s)
{
	bool other = !forms_pick(r, 5), first = forms_pick(r, 2);
	if (other) say(r, "(");
	if (!first) buffer_printf(r->b, "%u", forms_pick(r, 4));
	else forms_size(r, s);
	say(r, ONE_OF(r, " < ", " > ", " <= ", " >= ", " == ", " != "));
	if (first && forms_pick(r, 3)) buffer_printf(r->b, "%u", forms_pick(r, 4));
	else forms_size(r, s);
	if (!other) return;
	say(r, ONE_OF(r, " and ", " or "));
	forms_number(r, s);
	say(r, " > 0.25)");
}

/* Of two values of a sort one by sizes; both are computed. */
void forms_chosen(ProgramMaker *r, const NamesInScope *s, Sort sort)
{
	say(r, "where(");
	forms_size_condition(r, s);
	say(r, ", ");
	forms_value(r, s, sort);
	say(r, ", ");
	forms_value(r, s, sort);
	say(r, ")");
}

/* By sizes: the steps of a loop. */
void forms_size_count(ProgramMaker *r, const NamesInScope *s)
{
	if (forms_pick(r, 3)) {
		buffer_printf(r->b, ONE_OF(r, "len(%s)", "len(%s[1:])", "len(%s) - 1"), any_vector(r, s));
		return;
	}
	say(r, "min(");
	forms_size(r, s);
	say(r, ", 4)");
}

/* `part` of vectors that are of whatever length. */
void forms_part(ProgramMaker *r, const NamesInScope *s)
{
	say(r, "part(");
	forms_sized(r, s);
	say(r, ", ");
	forms_sized(r, s);
	say(r, ", ");
	forms_number(r, s);
	say(r, ", ");
	forms_whole(r, s);
	say(r, ", ");
	forms_whole(r, s);
	say(r, ", idx)");
}
