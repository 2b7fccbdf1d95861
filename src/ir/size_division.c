/* size_division.c - quotients and remainders of sizes.
 *
 * a // b and a % b are divided with remainder, a = q*b + r, as polynomials (no
 * coefficient of r whose term the leading term of b divides reaches that of b):
 * a // b = q + r // b and a % b = r % b.  What remains is an atom.
 */
#include "size.h"

/* Is term x, but for its coefficient, a multiple of y?  The quotient's atoms go to `room`. */
static bool term_quotient(const Term *x, const Term *y, const Atom **room, uint32_t *n)
{
	uint32_t i = 0, j = 0;
	for (*n = 0; i < x->natom; i++)
		if (j < y->natom && x->atom[i] == y->atom[j])
			j++;
		else
			room[(*n)++] = x->atom[i];
	return j == y->natom;
}

/* a = q*b + r; the leading coefficient of b is positive.  Terms are taken from
 * the highest; what is subtracted with one changes only lower ones. */
static bool divide(Graph *g, const Size *a, const Size *b, const Size **q, const Size **r)
{
	const Term *lead = &b->term[0];
	*q = size_const(g, 0);
	*r = a;
	for (uint32_t i = 0, steps = 0; i < (*r)->nterm; steps++) {
		const Term *t = &(*r)->term[i];
		const Atom *few[16], **room = few;
		uint32_t n;
		if (t->natom > countof(few)) room = NEW_ARRAY(g->arena, const Atom *, t->natom);
		int64_t times = term_quotient(t, lead, room, &n) ? floor_quotient(t->coef, lead->coef) : 0;
		if (!times) {
			i++;
			continue;
		}
		const Size *part = size_of_term(g, (Term){times, n, room});
		*q = size_sum(g, *q, 1, part);
		*r = size_sum(g, *r, -1, size_product(g, part, b));
		if (!*q || !*r || steps > SIZE_WEIGHT) return false;
	}
	return true;
}

/* (x//k + c)//b = (x + c*k)//(k*b) for numbers k, b > 0: one division for two.  NULL: not of that form. */
static const Size *join_divisions(Graph *g, const Size *r, const Size *b)
{
	int64_t k, c = 0, ignored;
	if (!size_is(b, &ignored) || r->nterm < 1 || r->nterm > 2 || r->term[0].coef != 1) return NULL;
	const Atom *x = size_only_atom(&r->term[0], ATOM_FLOORDIV);
	if (!x || !size_is(x->b, &k) || (r->nterm == 2 && r->term[1].natom)) return NULL;
	if (r->nterm == 2) c = r->term[1].coef;
	const Size *top = size_sum(g, x->a, c, x->b), *bottom = size_product(g, x->b, b);
	return top && bottom ? size_division(g, ATOM_FLOORDIV, top, bottom) : NULL;
}

/* a // b or a % b. */
const Size *size_division(Graph *g, AtomKind kind, const Size *a, const Size *b)
{
	const Size *zero = size_const(g, 0), *one = size_const(g, 1), *q, *r;
	if (b->term[0].coef < 0) { /* a // b = -a // -b and a % b = -(-a % -b) */
		a = size_sum(g, zero, -1, a);
		b = size_sum(g, zero, -1, b);
		const Size *s = a && b ? size_division(g, kind, a, b) : NULL;
		return kind == ATOM_MOD ? size_sum(g, zero, -1, s) : s;
	}
	int64_t x, y;
	if (size_is(a, &x) && size_is(b, &y))
		return size_const(g, kind == ATOM_MOD ? floor_rest(x, y) : floor_quotient(x, y));
	if (!divide(g, a, b, &q, &r)) {
		q = zero;
		r = a;
	}
	bool within = r == zero;
	if (!within)
		within = size_proved(g, r) && size_proved(g, size_sum(g, size_sum(g, b, -1, r), -1, one));
	if (kind == ATOM_MOD) return within ? r : size_of_atom(g, (Atom){.kind = ATOM_MOD, .a = r, .b = b});
	const Size *s = within ? zero : join_divisions(g, r, b);
	return size_sum(g, q, 1, s ? s : size_of_atom(g, (Atom){.kind = ATOM_FLOORDIV, .a = r, .b = b}));
}
