/* random_derived.c - derivatives in random programs: by parameters and by what loops carry, along and against
 * values that may depend on the pass. */
#include "random_program.h"

/* A variable: a parameter, or what a loop around this place carries. */
static const char *variable(ProgramMaker *r, const NamesInScope *s, Sort sort)
{
	for (int tries = 0; tries < 4; tries++) {
		const char *name = forms_any_name(r, s, sort);
		if (*name == 'h') return name;
	}
	if (sort == NUMBER) return "a";
	return sort == VECTOR_N ? "x" : "y";
}

static Sort any_sort(ProgramMaker *r)
{
	static const Sort sorts[] = {NUMBER, VECTOR_N, VECTOR_M};
	return sorts[forms_pick(r, 3)];
}

/* NAME(e, x, v): the derivative of an expression of sort `of` by one of sort `by`, with a value of sort
 * `with`. */
static void directed(ProgramMaker *r, const NamesInScope *s, const char *name, Sort of, Sort by, Sort with)
{
	r->grads++;
	say(r, name);
	forms_value(r, s, of);
	r->grads--;
	buffer_printf(r->b, ", %s, ", variable(r, s, by));
	forms_value(r, s, with);
	say(r, ")");
}

static void gradient(ProgramMaker *r, const NamesInScope *s, Sort by)
{
	r->grads++;
	say(r, "grad(");
	forms_number(r, s);
	buffer_printf(r->b, ", %s)", variable(r, s, by));
	r->grads--;
}

void forms_number_derived(ProgramMaker *r, const NamesInScope *s)
{
	Sort by = any_sort(r);
	switch (forms_pick(r, 4)) {
	case 0: directed(r, s, "jvp(", NUMBER, by, by); break;
	case 1: {
		Sort of = any_sort(r);
		directed(r, s, "vjp(", of, NUMBER, of);
		break;
	}
	default:
		say(r, ONE_OF(r, "sum(", "max("));
		gradient(r, s, by == NUMBER ? VECTOR_N : by);
		say(r, ")");
	}
}

void forms_vector_derived(ProgramMaker *r, const NamesInScope *s, Sort sort)
{
	Sort other = any_sort(r);
	switch (forms_pick(r, 4)) {
	case 0: directed(r, s, "jvp(", sort, other, other); break;
	case 1: directed(r, s, "vjp(", other, sort, other); break;
	default: gradient(r, s, sort);
	}
}
