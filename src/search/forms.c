/* forms.c - of all forms of a class those that err least.
 *
 * Needs: classes and their true values.  Gives: nodes that compute the root, with their values in f64 and
 * their error at each point.  A form is an operator over forms of its operands' classes; of a class a few are
 * kept, the best in the mean and those that are better at some points, and combined until none is new.
 */
#include "measure.h"

enum { KEPT = 4, KEPT_ROOT = 12, PASSES = 6 };

typedef struct KeptForms {
	Computed *v;
	uint32_t n, most, version;
} KeptForms;

typedef struct Search {
	Graph *g;
	Arena *arena;
	const Truths *truth;
	const bool *judged;
	uint32_t points;
	KeptForms *of; /* by class */
	IdMap tried;   /* nodes that have been computed */
	double *value; /* of the form at hand */
	float *bits;
} Search;

/* ---- error ------------------------------------------------------------------------------------- */

static double measure(const Search *s, uint32_t c, const double *value, float *bits)
{
	const Near *t = &s->truth->of[c];
	double sum = 0;
	for (uint32_t i = 0; i < s->points; i++) {
		bool known = s->judged[i] && truth_known(t->value[i], t->off[i]);
		bits[i] = known ? (float)bits_between(value[i], (double)t->value[i]) : 0;
		sum += bits[i];
	}
	return sum / s->points;
}

/* The mean when at each point the best of all but `without` is taken. */
static double best_without(const KeptForms *k, uint32_t without, uint32_t points)
{
	double sum = 0;
	for (uint32_t i = 0; i < points; i++) {
		float least = 64;
		for (uint32_t j = 0; j < k->n; j++)
			if (j != without && k->v[j].bits[i] < least) least = k->v[j].bits[i];
		sum += least;
	}
	return sum / points;
}

static bool is_better(const Computed *x, const Computed *y)
{
	return x->mean + operator_price * x->size < y->mean + operator_price * y->size;
}

/* The form at hand among those of class c; true: it is of them now. */
static bool keep(Search *s, uint32_t c, Node *x, uint32_t size)
{
	KeptForms *k = &s->of[c];
	Computed f = {.node = x, .size = size, .mean = measure(s, c, s->value, s->bits)};
	for (uint32_t j = 0; j < k->n; j++) { /* the same values, said shorter or not */
		if (memcmp(k->v[j].value, s->value, s->points * sizeof *s->value)) continue;
		if (k->v[j].size <= size) return false;
		k->v[j].node = x;
		k->v[j].size = size;
		return true;
	}
	f.value = NEW_ARRAY(s->arena, double, s->points);
	f.bits = NEW_ARRAY(s->arena, float, s->points);
	memcpy(f.value, s->value, s->points * sizeof *f.value);
	memcpy(f.bits, s->bits, s->points * sizeof *f.bits);
	if (!k->v) k->v = NEW_ARRAY(s->arena, Computed, k->most + 1);
	k->v[k->n++] = f;
	for (uint32_t j = k->n - 1; j && is_better(&k->v[j], &k->v[j - 1]); j--) {
		Computed other = k->v[j];
		k->v[j] = k->v[j - 1];
		k->v[j - 1] = other;
	}
	if (k->n <= k->most) return true;
	uint32_t worst = 1; /* the best one stays; of the others goes what is missed least */
	double least = INFINITY;
	for (uint32_t j = 1; j < k->n; j++) {
		double without = best_without(k, j, s->points) + 1e-6 * (k->n - j);
		if (without > least) continue;
		least = without;
		worst = j;
	}
	bool stays = k->v[worst].node != x;
	memmove(&k->v[worst], &k->v[worst + 1], (k->n - worst - 1) * sizeof *k->v);
	k->n--;
	return stays;
}

/* ---- combining --------------------------------------------------------------------------------- */

static bool combine(Search *s, uint32_t c, Node *x, const uint32_t *operand, const uint32_t *which)
{
	Node *arg[OPERANDS];
	const double *value[OPERANDS];
	uint32_t size = 1 + op_info[x->op].cost / 8; /* a function counts as a few sums */
	for (uint32_t k = 0; k < x->narg; k++) {
		const Computed *f = &s->of[operand[k]].v[which[k]];
		arg[k] = f->node;
		value[k] = f->value;
		size += f->size;
	}
	Node *y = node_with(s->g, x, arg, NULL, NULL);
	bool one = y && y->op == OP_DIV && y->arg[0] == y->arg[1]; /* which stands there, too */
	if (!y || one || idmap_get(&s->tried, y->id)) return false;
	idmap_put(&s->tried, y->id, y);
	compute_own(s->g, s->arena, y, s->points, value, s->value);
	return keep(s, c, y, size);
}

static bool combine_all(Search *s, uint32_t c, Node *x)
{
	uint32_t operand[OPERANDS], which[OPERANDS] = {0};
	bool any = false;
	for (uint32_t k = 0; k < x->narg; k++) {
		operand[k] = egraph_class(s->truth->e, x->arg[k]);
		if (operand[k] == UINT32_MAX || !s->of[operand[k]].n) return false;
	}
	for (uint32_t k = 0; k < x->narg;) {
		any |= combine(s, c, x, operand, which);
		for (k = 0; k < x->narg && ++which[k] >= s->of[operand[k]].n; k++) which[k] = 0;
	}
	return any;
}

static void begin(Search *s, const Points *p, uint32_t c, Node *x)
{
	double number = 0;
	uint32_t k = 0;
	if (x->op == OP_CONST) constant_value(x, &number);
	while (x->op != OP_CONST && k < p->nvar && p->var[k] != x) k++;
	for (uint32_t i = 0; i < s->points; i++) s->value[i] = x->op == OP_CONST ? number : p->x[k][i];
	keep(s, c, x, 1);
}

uint32_t forms_best(Graph *g, Arena *a, const Sought *sought, Computed **out)
{
	const Points *p = sought->points;
	const Egraph *e = sought->truth->e;
	uint32_t root = sought->root;
	Search s = {.g = g, .arena = a, .truth = sought->truth, .judged = sought->judged, .points = p->n};
	s.of = NEW_ARRAY(a, KeptForms, e->nclass);
	s.value = NEW_ARRAY(a, double, p->n);
	s.bits = NEW_ARRAY(a, float, p->n);
	idmap_open(&s.tried, a);
	for (uint32_t c = 0; c < e->nclass; c++) {
		s.of[c].most = c == root ? KEPT_ROOT : KEPT;
		for (uint32_t i = 0; e->class[c].above == c && i < e->class[c].n; i++)
			if (!e->class[c].member[i]->narg && is_measured(e->class[c].member[i]))
				begin(&s, p, c, e->class[c].member[i]);
	}
	bool any = true;
	for (uint32_t pass = 0; pass < PASSES && any; pass++) {
		any = false;
		for (uint32_t c = 0; c < e->nclass; c++)
			for (uint32_t i = 0; e->class[c].above == c && i < e->class[c].n; i++) {
				Node *x = e->class[c].member[i];
				any |= x->narg && is_measured(x) && combine_all(&s, c, x);
			}
	}
	*out = s.of[root].v;
	return s.of[root].n;
}
