/* random_forms.c - the expressions of random programs: loops, branches, arrays by formula, in one another;
 * sizes from parameters, from data, from what a loop captures; derivatives of all of it. */
#include "random_program.h"

#include <inttypes.h>

unsigned forms_pick(ProgramMaker *r, unsigned n)
{
	return (unsigned)(next_random(&r->state) % n);
}

void forms_name(NamesInScope *s, Sort sort, const char *name)
{
	if (s->n[sort] < NAMES) snprintf(s->name[sort][s->n[sort]++], sizeof s->name[0][0], "%s", name);
}

const char *forms_new_name(ProgramMaker *r, char out[8], char letter)
{
	snprintf(out, 8, "%c%u", letter, (unsigned)r->next++ % 1000);
	return out;
}

const char *forms_any_name(ProgramMaker *r, const NamesInScope *s, Sort sort)
{
	/* what is bound last is taken more often */
	unsigned n = (unsigned)s->n[sort], a = forms_pick(r, n), b = forms_pick(r, n);
	return s->name[sort][a > b ? a : b];
}

/* ---- whole numbers: indices, counts, sizes -------------------------------------------------- */

void forms_whole(ProgramMaker *r, const NamesInScope *s)
{
	if (r->sizes && !forms_pick(r, 3)) {
		forms_size(r, s);
		return;
	}
	switch (forms_pick(r, 9)) {
	case 0: buffer_printf(r->b, "%u", forms_pick(r, 4)); break;
	case 8: /* a length asks what the array asks */
		buffer_printf(r->b, "len(%s[", forms_any_name(r, s, forms_pick(r, 2) ? VECTOR_N : VECTOR_M));
		forms_whole(r, s);
		say(r, ":])");
		break;
	case 1: buffer_printf(r->b, "(%s + %u)", forms_any_name(r, s, WHOLE), forms_pick(r, 3)); break;
	case 2: buffer_printf(r->b, "(%s - %u)", forms_any_name(r, s, WHOLE), forms_pick(r, 3)); break;
	case 3: say(r, ONE_OF(r, "(n - 1)", "(m - 1)", "(n//2)", "(n + m)", "n", "m")); break;
	case 4: buffer_printf(r->b, "idx[%u]", forms_pick(r, 2)); break;
	case 5: buffer_printf(r->b, "(%s*%s)", forms_any_name(r, s, WHOLE), forms_any_name(r, s, WHOLE)); break;
	default: say(r, forms_any_name(r, s, WHOLE));
	}
}

/* The steps of a loop: few, or negative. */
void forms_count(ProgramMaker *r, const NamesInScope *s)
{
	if (r->sizes && forms_pick(r, 2)) {
		forms_size_count(r, s);
		return;
	}
	switch (forms_pick(r, 6)) {
	case 0: say(r, "n"); break;
	case 1: say(r, "m"); break;
	case 2: buffer_printf(r->b, "%u", forms_pick(r, 4)); break;
	default:
		say(r, forms_pick(r, 3) ? "min(" : "n - min(");
		forms_whole(r, s);
		say(r, ", 4)");
	}
}

/* ---- branches ----------------------------------------------------------------------------------- */

static void vector(ProgramMaker *r, const NamesInScope *s, Sort sort);

void forms_value(ProgramMaker *r, const NamesInScope *s, Sort sort)
{
	sort == NUMBER ? forms_number(r, s) : vector(r, s, sort);
}

#define OWN "with_derivative((v) => sin(v), (v, y, dv) => cos(v)*dv)("
#define SYSTEM "with_system((v) => v/2.5, (v) => 2.5*v, (v) => v/2.5)("
static void within(ProgramMaker *r, const NamesInScope *s, Sort sort, const char *open, const char *end)
{
	say(r, open);
	forms_value(r, s, sort);
	say(r, end);
}

/* Perhaps after something has happened. */
static void value(ProgramMaker *r, const NamesInScope *s, Sort sort)
{
	bool effect = !r->pure && !forms_pick(r, 6);
	if (effect) say(r, "(do ");
	switch (effect ? forms_pick(r, 4) : 4) {
	case 0:
		say(r, "assert(");
		forms_condition(r, s);
		say(r, " or 0.0 < ");
		forms_number(r, s);
		buffer_printf(r->b, ", {a = %s}", forms_any_name(r, s, VECTOR_N));
		break;
	case 1:
		say(r, "check(");
		forms_value(r, s, sort);
		break;
	case 2:
	case 3:
		buffer_printf(r->b, "print({i = %s, v = ", forms_any_name(r, s, WHOLE));
		forms_value(r, s, sort);
		say(r, "}");
		break;
	default: break;
	}
	if (effect) say(r, ") in ");
	forms_value(r, s, sort);
	if (effect) say(r, ")");
}

void forms_condition(ProgramMaker *r, const NamesInScope *s)
{
	if (r->sizes && forms_pick(r, 3)) {
		forms_size_condition(r, s);
		return;
	}
	switch (forms_pick(r, 4)) {
	case 0:
		forms_number(r, s);
		say(r, ONE_OF(r, " > 0.5", " <= 1.0", " > -1.0"));
		break;
	case 1:
		say(r, ONE_OF(r, "any(", "all("));
		say(r, forms_any_name(r, s, forms_pick(r, 2) ? VECTOR_N : VECTOR_M));
		say(r, " > 0.25)");
		break;
	default:
		forms_whole(r, s);
		say(r, ONE_OF(r, " < ", " >= ", " == ", " < "));
		forms_whole(r, s);
	}
}

static void sides(ProgramMaker *r, const NamesInScope *s, Sort sort)
{
	say(r, " then ");
	value(r, s, sort);
	say(r, " else ");
	value(r, s, sort);
	say(r, ")");
}

/* Either side may fail where the other is taken.  Two may ask the same, the later one of what the first
 * gives. */
static void branch(ProgramMaker *r, const NamesInScope *s, Sort sort)
{
	char c[8], first[8];
	if (sort != NUMBER || forms_pick(r, 3)) {
		say(r, "(if ");
		forms_condition(r, s);
		sides(r, s, sort);
		return;
	}
	NamesInScope inner = *s;
	buffer_printf(r->b, "(let %s = ", forms_new_name(r, c, 'c'));
	forms_condition(r, s);
	buffer_printf(r->b, " in let %s = (if %s", forms_new_name(r, first, 'z'), c);
	sides(r, s, sort);
	if (forms_pick(r, 2)) forms_name(&inner, NUMBER, first);
	buffer_printf(r->b, " in %s - (if %s", first, c);
	sides(r, &inner, sort);
	say(r, ")");
}

/* ---- vectors ------------------------------------------------------------------------------------ */

static void goes_on(ProgramMaker *r, Sort carried, const char *name)
{
	const char *least = ONE_OF(r, "3.0", "-0.5", "1.25");
	buffer_printf(r->b, carried == NUMBER ? "abs(%s) < %s" : "sum(%s) < %s", name, least);
}

/* From which end, and of which states its derivatives keep: of all, of pieces, of pieces of pieces. */
static void head_brackets(ProgramMaker *r, bool back)
{
	static const char *const kept[] = {"states = 2", "levels = 2", "levels = 3", "states = 3, levels = 3", "bytes = 64"};
	const char *some = forms_pick(r, 4) ? NULL : one_of(r, sizeof kept/sizeof *kept, kept);
	say(r, back || some ? "(scan[" : "(scan (");
	if (back) say(r, some ? "back, " : "back");
	if (some) say(r, some);
	if (back || some) say(r, "] (");
}

/* A loop's head over what it carries; `inner` gets the names of its body. */
void forms_head(ProgramMaker *r, const NamesInScope *s, NamesInScope *inner, Sort carried, char name[8])
{
	char element[8];
	*inner = *s;
	bool back = !forms_pick(r, 5), traced = r->traced && r->formulas;
	r->traced = false;
	head_brackets(r, back);
	if (carried != SORTS) {
		buffer_printf(r->b, "%s = ", forms_new_name(r, name, 'h'));
		value(r, s, carried);
		say(r, ", ");
	}
	bool walks = forms_pick(r, 3) == 0;
	forms_new_name(r, element, walks ? 'e' : 'i');
	buffer_printf(r->b, walks ? "%s in " : "%s < ", element);
	if (walks)
		vector(r, s, forms_pick(r, 2) ? VECTOR_N : VECTOR_M);
	else
		forms_count(r, s);
	forms_name(inner, walks ? NUMBER : WHOLE, element);
	if (carried != SORTS) forms_name(inner, carried, name);
	say(r, ")");
	r->loops++;
	if (carried != SORTS && !back && !forms_pick(r, 3) && !traced) {
		say(r, " while ");
		r->pure++;
		forms_pick(r, 2) ? goes_on(r, carried, name) : forms_condition(r, inner);
		r->pure--;
	}
	say(r, " => ");
}

void forms_close(ProgramMaker *r)
{
	r->loops--;
	say(r, ")");
}

/* ---- arrays by formula ---------------------------------------------------------------------------- */

/* One element of a vector, by an index of the formula's own, which may be outside. */
static void picked(ProgramMaker *r, const NamesInScope *s, const char *index)
{
	const char *of = forms_any_name(r, s, forms_pick(r, 2) ? VECTOR_N : VECTOR_M);
	switch (forms_pick(r, 3)) {
	case 0: buffer_printf(r->b, "(if %s < n - 1 then %s[%s + 1] else ", index, of, index); break;
	case 1: buffer_printf(r->b, "(%s[%s] + ", of, index); break;
	default: buffer_printf(r->b, "(%s[(%s*2 + 1) %% n]*", of, index);
	}
	forms_number(r, s);
	say(r, ")");
}

/* Of all elements one formula, of one in four with effects.  Sizes are those of all, so the index is no whole
 * number there. */
static void formula(ProgramMaker *r, const NamesInScope *s, const char *size)
{
	NamesInScope inner = *s;
	char index[8], element[8], half[8];
	forms_new_name(r, index, 'i');
	index[3] = 0; /* room for what stands around it */
	r->loops++;
	r->formulas++;
	bool told = !r->pure && !forms_pick(r, 4);
	r->pure += !told;
	if (forms_pick(r, 3)) {
		buffer_printf(r->b, "([%s < %s] => ", index, size);
		snprintf(half, sizeof half, "(%.3s/2)", index);
		forms_name(&inner, NUMBER, half);
		forms_pick(r, 2) ? picked(r, &inner, index) : value(r, &inner, NUMBER);
	} else {
		buffer_printf(r->b, "([%s in ", forms_new_name(r, element, 'e'));
		say(r, forms_any_name(r, s, *size == 'n' ? VECTOR_N : VECTOR_M));
		say(r, "] => ");
		forms_name(&inner, NUMBER, element);
		value(r, &inner, NUMBER);
	}
	r->pure -= !told;
	r->formulas--;
	forms_close(r);
}

/* What a mask selects, or the first of it, perhaps more than there is; for all elements of a formula that is
 * of one size, so there is none. */
static void masked(ProgramMaker *r, const NamesInScope *s, Sort of)
{
	bool first = forms_pick(r, 3) == 0;
	vector(r, s, of);
	if (r->formulas) return;
	say(r, first ? "[nonzero(" : "[");
	say(r, forms_any_name(r, s, of));
	say(r, " > ");
	forms_number(r, s);
	if (first) {
		say(r, ", min(");
		forms_whole(r, s);
		say(r, ", 3))");
	}
	say(r, "]");
}

/* A vector of a size that is known when the program runs. */
void forms_sized(ProgramMaker *r, const NamesInScope *s)
{
	Sort of = forms_pick(r, 2) ? VECTOR_N : VECTOR_M;
	NamesInScope inner;
	switch (forms_pick(r, 10)) {
	case 0:
		vector(r, s, of);
		say(r, "[:");
		forms_whole(r, s);
		say(r, "]");
		break;
	case 1:
		vector(r, s, of);
		say(r, "[");
		forms_whole(r, s);
		say(r, ":]");
		break;
	case 2: {
		const char *from = forms_any_name(r, s, WHOLE);
		vector(r, s, of);
		buffer_printf(r->b, "[%s:%s + %u]", from, from, forms_pick(r, 3));
		break;
	}
	case 3:
		vector(r, s, of);
		say(r, forms_pick(r, 2) ? "[idx]" : "[idx[::-1]]");
		break;
	case 4:
		say(r, "f64[min(");
		forms_whole(r, s);
		say(r, ", 9)](");
		forms_number(r, s);
		say(r, ")");
		break;
	case 5:
		if (r->loops < DEPTH - 1) {
			forms_head(r, s, &inner, SORTS, NULL);
			forms_number(r, &inner);
			forms_close(r);
			break;
		} /* fall through */
	case 6:
		vector(r, s, of);
		buffer_printf(r->b, "[::%s]", ONE_OF(r, "2", "-1", "-2"));
		break;
	case 7: masked(r, s, of); break;
	case 8: /* the side that is taken has as many as the other would have, or not */
		if (!r->formulas && r->loops < DEPTH - 1) {
			say(r, "(if ");
			forms_condition(r, s);
			say(r, " then ");
			forms_sized(r, s);
			say(r, " else ");
			forms_sized(r, s);
			say(r, ")");
			break;
		} /* fall through */
	default: vector(r, s, of);
	}
}

/* A changed copy, by an index or along a slice. */
static void update(ProgramMaker *r, const NamesInScope *s, Sort sort)
{
	say(r, "(");
	say(r, forms_any_name(r, s, sort));
	say(r, " with [");
	if (forms_pick(r, 3)) {
		forms_whole(r, s);
		say(r, forms_pick(r, 2) ? "] = " : "] += ");
	} else
		say(r, forms_pick(r, 2) ? "idx] += " : "1:] = ");
	forms_number(r, s);
	say(r, ")");
}

/* All elements one number; perhaps not as many as are wanted there. */
static void uniform(ProgramMaker *r, const NamesInScope *s, Sort sort)
{
	const char *named = sort == VECTOR_N ? "n" : "m", *size = forms_pick(r, 2) ? forms_any_name(r, s, WHOLE) : named;
	buffer_printf(r->b, "f64[%s](", size);
	if (forms_pick(r, 2))
		say(r, ONE_OF(r, "0.0", "1.0", "2.5"));
	else
		forms_number(r, s);
	say(r, ")");
}

/* What is computed again where a derivative needs it: an expression, or a function of a value. */
static void kept(ProgramMaker *r, const NamesInScope *s, Sort sort)
{
	NamesInScope inner = *s;
	char name[8];
	say(r, "checkpoint(");
	if (forms_pick(r, 2)) {
		buffer_printf(r->b, "(%s) => ", forms_new_name(r, name, 'p'));
		forms_name(&inner, sort, name);
		value(r, &inner, sort);
		say(r, ")(");
	}
	value(r, s, sort);
	say(r, ")");
}

/* Of a sparse matrix by x or y what stands in each column; of a Hessian, in each row. */
static void sums_of_columns(ProgramMaker *r, const NamesInScope *s, Sort sort)
{
	char name[8];
	const char *by = sort == VECTOR_N ? "x" : "y", *n = sort == VECTOR_N ? "n" : "m";
	bool hessian = forms_pick(r, 2);
	buffer_printf(r->b, "(let %s = ", forms_new_name(r, name, 'e'));
	r->grads += 2;
	if (hessian)
		within(r, s, NUMBER, "sparse_hessian(", "");
	else
		within(r, s, forms_pick(r, 2) ? VECTOR_N : VECTOR_M, "sparse_jacobian(", "");
	r->grads -= 2;
	buffer_printf(r->b, ", %s) in f64[%s](0) with [%s.%s] += %s.values)", by, n, name,
		hessian ? "rows" : "columns", name);
}

static void vector(ProgramMaker *r, const NamesInScope *s, Sort sort)
{
	NamesInScope inner;
	char name[8];
	if (r->left-- <= 0) {
		say(r, forms_any_name(r, s, sort));
		return;
	}
	if (r->sizes && !forms_pick(r, 8)) {
		forms_chosen(r, s, sort);
		return;
	}
	switch (forms_pick(r, 18)) {
	case 17:
	case 16:
	case 15:
		if (r->loops >= DEPTH - 1)
			say(r, forms_any_name(r, s, sort));
		else if (forms_pick(r, 4))
			forms_writing_loop(r, s, sort);
		else
			forms_line_written(r, s, sort);
		break;
	case 14: kept(r, s, sort); break;
	case 12:
	case 13:
		if (r->loops < DEPTH - 1) {
			formula(r, s, sort == VECTOR_N ? "n" : "m");
			break;
		} /* fall through */
	case 11: branch(r, s, sort); break;
	case 10: uniform(r, s, sort); break;
	case 0:
		within(r, s, sort, "(", ONE_OF(r, " + ", " - ", "*", "*0.0 + "));
		within(r, s, sort, "", ")");
		break;
	case 1:
		within(r, s, NUMBER, "(", ONE_OF(r, " + ", "*"));
		within(r, s, sort, "", ")");
		break;
	case 2:
		say(r, sort == VECTOR_N ? "A[" : "A[:, ");
		forms_whole(r, s);
		say(r, "]");
		break;
	case 3: update(r, s, sort); break;
	case 4:
		if (r->loops >= DEPTH - 1) {
			say(r, forms_any_name(r, s, sort));
			break;
		}
		forms_head(r, s, &inner, sort, name);
		vector(r, &inner, sort);
		forms_close(r);
		break;
	case 5: within(r, s, sort, ONE_OF(r, "cumsum(", "tanh(", OWN, SYSTEM), ")"); break;
	case 6:
		say(r, sort == VECTOR_N ? "(" : "(A @ ");
		vector(r, s, sort == VECTOR_N ? VECTOR_M : VECTOR_N);
		say(r, sort == VECTOR_N ? " @ A)" : ")");
		break;
	case 7:
		if (r->grads < 2 && forms_pick(r, 3)) {
			forms_vector_derived(r, s, sort);
			break;
		}
		if (!r->grads) {
			sums_of_columns(r, s, sort);
			break;
		} /* fall through */
	default: say(r, forms_any_name(r, s, sort));
	}
}

/* ---- numbers ------------------------------------------------------------------------------------ */

static void argument(ProgramMaker *r, const NamesInScope *s, char parameter)
{
	switch (parameter) {
	case 'x': vector(r, s, VECTOR_N); break;
	case 'y': vector(r, s, VECTOR_M); break;
	case 'A': say(r, "A"); break;
	case 'a': forms_number(r, s); break;
	case 'q': say(r, "idx"); break;
	default: forms_whole(r, s);
	}
}

static void call_one(ProgramMaker *r, const NamesInScope *s)
{
	int f = (int)forms_pick(r, (unsigned)r->callees);
	static const char *const ways[] = {"f%d(", "f%d(", "kept(f%d)(", "checkpoint(f%d)("};
	buffer_printf(r->b, ONE_OF(r, ways[0], ways[1], ways[2], ways[3]), f);
	for (const char *p = r->order[f]; *p; p++) {
		argument(r, s, *p);
		say(r, p[1] ? ", " : ")");
	}
}

/* A loop that carries a value, and perhaps gives a trace too. */
static void carried_loop(ProgramMaker *r, const NamesInScope *s)
{
	NamesInScope inner;
	char name[8];
	Sort sort = VECTOR_M;
	if (forms_pick(r, 4))
		sort = NUMBER;
	else if (forms_pick(r, 2))
		sort = VECTOR_N;
	bool traced = forms_pick(r, 3) == 0, trace = traced && forms_pick(r, 2);
	if (sort != NUMBER || trace) say(r, "sum(");
	r->traced = traced;
	forms_head(r, s, &inner, sort, name);
	if (traced) buffer_printf(r->b, "{%s = ", name);
	value(r, &inner, sort);
	if (traced) {
		say(r, ", t = ");
		forms_number(r, &inner);
		say(r, "}");
	}
	forms_close(r);
	if (traced) buffer_printf(r->b, ".%s", trace ? "t" : name);
	if (sort != NUMBER || trace) say(r, ")");
}

void forms_number(ProgramMaker *r, const NamesInScope *s)
{
	if (r->left-- <= 0) {
		say(r, forms_pick(r, 4) ? forms_any_name(r, s, NUMBER) : ONE_OF(r, "0.5", "2.0", "-1.25"));
		return;
	}
	if (r->sizes && !forms_pick(r, 5)) {
		r->part && forms_pick(r, 2) ? forms_part(r, s) : forms_chosen(r, s, NUMBER);
		return;
	}
	switch (forms_pick(r, 17)) {
	case 14:
	case 15: branch(r, s, NUMBER); break;
	case 16: kept(r, s, NUMBER); break;
	case 0:
	case 1:
		say(r, "(");
		forms_number(r, s);
		say(r, ONE_OF(r, " + ", " - ", "*", " + "));
		forms_number(r, s);
		say(r, ")");
		break;
	case 2: within(r, s, NUMBER, ONE_OF(r, "sin(", OWN, SYSTEM, "-(", "abs("), ")"); break;
	case 3:
	case 4:
		say(r, forms_any_name(r, s, forms_pick(r, 2) ? VECTOR_N : VECTOR_M));
		say(r, "[");
		forms_whole(r, s);
		say(r, "]");
		break;
	case 5:
	case 6:
		say(r, ONE_OF(r, "sum(", "mean(", "max(", "sum("));
		forms_sized(r, s);
		say(r, ")");
		break;
	case 7: buffer_printf(r->b, "%s*0.25", forms_any_name(r, s, WHOLE)); break;
	case 8:
	case 9:
	case 10:
		if (r->loops < DEPTH) {
			carried_loop(r, s);
			break;
		} /* fall through */
	case 11:
		if (r->callees) {
			call_one(r, s);
			break;
		} /* fall through */
	case 12:
		if (r->grads < 2) {
			forms_number_derived(r, s);
			break;
		} /* fall through */
	default: say(r, forms_any_name(r, s, NUMBER));
	}
}
