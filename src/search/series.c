/* series.c - what an expression of one variable is nearly, about 0 and far away: a number times a power of
 * it, read off its true values. */
#include "measure.h"

enum { POWER = 8, DIVISOR = 5040 };

/* c as a quotient of small whole numbers, if it is one. */
static bool as_quotient(double c, double *over, double *under)
{
	for (int q = 1; q <= DIVISOR; q++) {
		double p = round(c * q);
		if (p == 0 || fabs(p) > DIVISOR || fabs(c * q - p) > fabs(p) * 4e-16) continue;
		*over = p;
		*under = q;
		return true;
	}
	return false;
}

static Node *power_of(Graph *g, Node *x, double c, int power)
{
	Node *y = power ? x : NULL;
	double over = c, under = 1;
	int n = power < 0 ? -power : power;
	if (n > 1) y = build2(g, OP_POW, x, constant_float(g, x->type, n));
	as_quotient(c, &over, &under);
	if (power < 0) {
		y = under == 1 ? y : build2(g, OP_MUL, constant_float(g, x->type, under), y);
		return build2(g, OP_DIV, constant_float(g, x->type, over), y);
	}
	if (!y) return constant_float(g, x->type, c);
	if (over != 1) y = build2(g, OP_MUL, constant_float(g, x->type, over), y);
	return under == 1 ? y : build2(g, OP_DIV, y, constant_float(g, x->type, under));
}

/* From the values at two neighbours, one twice the other. */
static Node *term(Graph *g, Node *x, const double *at, const Quad *value)
{
	double twice = (double)(value[1] / value[0]), power = round(log2(fabs(twice)));
	if (!(fabs(power) <= POWER) || !(fabs(twice / exp2(power) - 1) < 1e-12)) return NULL;
	Quad c = value[0];
	for (int i = 0; i < (int)fabs(power); i++) c = power < 0 ? c * at[0] : c / at[0];
	return power_of(g, x, (double)c, (int)power);
}

uint32_t series_forms(Graph *g, Arena *a, Egraph *e, const Points *p, uint32_t root, Node **out)
{
	static const double place[SERIES][2] = {
		{0x1p-200, 0x1p-199}, {-0x1p-200, -0x1p-199}, {0x1p200, 0x1p201}, {-0x1p200, -0x1p201}};
	uint32_t n = 0;
	double low = INFINITY, high = -INFINITY;
	if (p->nvar != 1) return 0;
	for (uint32_t i = 0; i < p->n; i++) {
		low = fmin(low, p->x[0][i]);
		high = fmax(high, p->x[0][i]);
	}
	for (uint32_t k = 0; k < SERIES; k++) {
		double at[2] = {place[k][0], place[k][1]}, *list = at;
		const Points two = {2, 1, p->var, &list};
		Truths t;
		if (!(at[0] > low && at[0] < high && at[1] > low && at[1] < high)) continue;
		truths_find(&t, a, e, &two);
		const Near *near = &t.of[root];
		if (!truth_known(near->value[0], near->off[0]) || !truth_known(near->value[1], near->off[1]))
			continue;
		Node *y = term(g, p->var[0], at, near->value);
		bool again = !y;
		for (uint32_t i = 0; i < n && !again; i++) again = out[i] == y;
		if (!again) out[n++] = y;
	}
	return n;
}
