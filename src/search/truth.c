/* truth.c - the true value of each class at each point.
 *
 * Needs: classes of equal nodes over inputs and constants.  Gives: for each class and point a number in
 * binary128, and how far the true one may lie off: of the members that one is believed which bounds it best,
 * so that what cancels as it is written is known by a form that does not.
 */
#include "measure.h"

enum { PASSES = 6 };

bool truth_known(Quad value, Quad off)
{
	Quad size = value < 0 ? -value : value;
	return off <= size * 0x1p-52Q + 0x1p-1080Q && size <= (Quad)__DBL_MAX__;
}

static Near room(Arena *a, uint32_t n)
{
	Near x = {NEW_ARRAY(a, Quad, n), NEW_ARRAY(a, Quad, n)};
	for (uint32_t i = 0; i < n; i++) x.off[i] = quad_inf();
	return x;
}

/* Nothing better is to be had. */
static bool is_settled(const Near *x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		Quad size = x->value[i] < 0 ? -x->value[i] : x->value[i];
		if (!(x->off[i] <= size * 0x1p-90Q)) return false;
	}
	return true;
}

static bool take_nearer(Near *to, const Near *from, uint32_t n)
{
	bool any = false;
	for (uint32_t i = 0; i < n; i++) {
		if (!(from->off[i] < to->off[i] / 2)) continue;
		to->value[i] = from->value[i];
		to->off[i] = from->off[i];
		any = true;
	}
	return any;
}

static void leaf(const Points *p, const Node *x, Near *to, uint32_t n)
{
	double c = 0;
	uint32_t k = 0;
	if (x->op == OP_CONST) constant_value(x, &c);
	while (x->op != OP_CONST && k < p->nvar && p->var[k] != x) k++;
	for (uint32_t i = 0; i < n; i++) {
		to->value[i] = x->op == OP_CONST ? c : p->x[k][i];
		to->off[i] = 0;
	}
}

/* How often x's operands have become nearer, in all; 0: there is one of which nothing is known. */
static uintptr_t operands_known(const Truths *t, const Node *x, Near *arg)
{
	uintptr_t sum = 1;
	for (uint32_t k = 0; k < x->narg; k++) {
		uint32_t o = egraph_class(t->e, x->arg[k]);
		if (o == UINT32_MAX || !t->version[o]) return 0;
		sum += t->version[o];
		arg[k] = t->of[o];
	}
	return sum;
}

/* One member of class c, where its operands have become better known; is the class so, too? */
static bool try_member(Truths *t, Arena *a, IdMap *tried, uint32_t c, const Node *x, Near *room)
{
	Near arg[OPERANDS];
	uintptr_t sum = operands_known(t, x, arg);
	if (!sum || (uintptr_t)idmap_get(tried, x->id) == sum) return false;
	idmap_put(tried, x->id, (void *)sum);
	compute_near(t->e->g, a, x, t->n, arg, *room);
	if (!take_nearer(&t->of[c], room, t->n)) return false;
	t->version[c]++;
	return true;
}

/* Where y lies farther from x than both may be off, one of them is wrong, and which is not known. */
static void doubt(Near *x, const Near *y, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		Quad gap = x->value[i] - y->value[i];
		if (gap < 0) gap = -gap;
		if (gap > x->off[i] + y->off[i]) x->off[i] = gap;
	}
}

void truths_find(Truths *t, Arena *a, Egraph *e, const Points *p)
{
	IdMap tried;
	idmap_open(&tried, a);
	*t = (Truths){e, p->n, NEW_ARRAY(a, Near, e->nclass), NEW_ARRAY(a, uint32_t, e->nclass)};
	Near spare = room(a, p->n);
	for (uint32_t c = 0; c < e->nclass; c++) {
		const EClass *k = &e->class[c];
		if (k->above != c) continue;
		t->of[c] = room(a, p->n);
		for (uint32_t i = 0; i < k->n; i++) {
			if (k->member[i]->narg || !is_measured(k->member[i])) continue;
			leaf(p, k->member[i], t->version[c] ? &spare : &t->of[c], p->n);
			if (t->version[c]) doubt(&t->of[c], &spare, p->n); /* a number that was rounded */
			t->version[c] = 1;
		}
	}
	bool any = true;
	for (uint32_t pass = 0; pass < PASSES && any; pass++) {
		any = false;
		for (uint32_t c = 0; c < e->nclass; c++) {
			const EClass *k = &e->class[c];
			for (uint32_t i = 0; k->above == c && i < k->n; i++) {
				if (t->version[c] && is_settled(&t->of[c], p->n)) break;
				const Node *x = k->member[i];
				any |= x->narg && is_measured(x) && try_member(t, a, &tried, c, x, &spare);
			}
		}
	}
}

/* ---- what was written, and who contradicts ----------------------------------------------------- */

static Near near_of(Graph *g, Arena *a, const Points *p, Node *x)
{
	Region *r = region_of(a, 1, &x);
	Near *of = NEW_ARRAY(a, Near, r->n), arg[OPERANDS];
	for (uint32_t i = 0; i < r->n; i++) {
		const Node *y = r->node[i];
		of[i] = room(a, p->n);
		for (uint32_t k = 0; k < y->narg; k++) arg[k] = of[region_place(r, y->arg[k])];
		if (y->narg)
			compute_near(g, a, y, p->n, arg, of[i]);
		else
			leaf(p, y, &of[i], p->n);
	}
	return of[region_place(r, x)];
}

void truths_written(Truths *t, Arena *a, const Points *p, uint32_t root, Node *written, bool *undefined)
{
	Near *own = &t->of[root], w = near_of(t->e->g, a, p, written), spare = room(a, p->n);
	const EClass *k = &t->e->class[root];
	for (uint32_t i = 0; i < k->n; i++) {
		Near arg[OPERANDS];
		const Node *x = k->member[i];
		if (!x->narg || !is_measured(x) || !operands_known(t, x, arg)) continue;
		compute_near(t->e->g, a, x, t->n, arg, spare);
		doubt(own, &spare, t->n);
	}
	doubt(own, &w, t->n);
	for (uint32_t i = 0; i < t->n; i++) {
		undefined[i] = w.value[i] != w.value[i];
		if (undefined[i] || !truth_known(w.value[i], w.off[i])) continue;
		own->value[i] = w.value[i];
		own->off[i] = w.off[i];
	}
}

/* ---- while classes grow ------------------------------------------------------------------------ */

static Near *known_of(ClassValues *w, uint32_t c)
{
	if (c >= w->nclass) {
		Near *more = NEW_ARRAY(w->e->arena, Near, 2 * c + 64);
		if (w->nclass) memcpy(more, w->of, w->nclass * sizeof *more);
		w->of = more;
		w->nclass = 2 * c + 64;
	}
	if (!w->of[c].value) w->of[c] = room(w->e->arena, w->points.n);
	return &w->of[c];
}

static void entered(void *user, uint32_t c, const Node *x)
{
	ClassValues *w = user;
	Near *own = known_of(w, c), arg[OPERANDS];
	if (!is_measured(x) || is_settled(own, w->points.n)) return;
	if (!x->narg) {
		leaf(&w->points, x, own, w->points.n);
		return;
	}
	for (uint32_t k = 0; k < x->narg; k++) {
		uint32_t o = egraph_class(w->e, x->arg[k]);
		if (o == UINT32_MAX) return;
		known_of(w, o);
	}
	for (uint32_t k = 0; k < x->narg; k++) arg[k] = *known_of(w, egraph_class(w->e, x->arg[k]));
	Near now = room(w->e->arena, w->points.n);
	compute_near(w->e->g, w->e->arena, x, w->points.n, arg, now);
	take_nearer(known_of(w, c), &now, w->points.n);
}

/* Known at none of the points, which are of everyday size: what is divided by 0 would be equal to all. */
static bool is_nowhere(const Near *x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (x->off[i] < quad_inf()) return false;
	return n > 0;
}

static bool agree(void *user, uint32_t a, uint32_t b)
{
	ClassValues *w = user;
	known_of(w, a > b ? a : b);
	Near *x = known_of(w, a), *y = known_of(w, b);
	if (is_nowhere(x, w->points.n) || is_nowhere(y, w->points.n)) return false;
	for (uint32_t i = 0; i < w->points.n; i++) {
		Quad gap = x->value[i] - y->value[i], size = x->value[i] < 0 ? -x->value[i] : x->value[i];
		if (gap < 0) gap = -gap;
		if (gap > x->off[i] + y->off[i] + size * 0x1p-40Q) return false;
	}
	take_nearer(a < b ? x : y, a < b ? y : x, w->points.n);
	return true;
}

void values_open(ClassValues *w, Egraph *e, const Points *p)
{
	*w = (ClassValues){.e = e, .worth = {entered, agree, w}, .points = *p};
	e->worth = &w->worth;
}
