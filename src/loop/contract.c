/* contract.c - a contraction as one core: labels sorted into batch, rows, columns and folded ones.
 *
 * needs: two operands that are stored, or transposes of stored ones
 * gives: CORE_CONTRACT over [batch, m, n, k] with strides; operands whose
 *        labels of one kind do not lie at one stride are packed first, and a
 *        result whose axes stand in another order is turned after
 */
#include "make.h"

typedef enum LabelKind { BATCH, ROW, COLUMN, FOLDED, KINDS } LabelKind;

typedef struct ContractLabels {
	uint32_t nx, ny, n;
	int64_t x[RANK_MAX], y[RANK_MAX], out[RANK_MAX];
	const Size *size[LABELS_MAX];
	LabelKind kind[LABELS_MAX];
	uint32_t nkind[KINDS];
	int64_t of[KINDS][RANK_MAX]; /* labels of each kind, in the order they are walked */
} ContractLabels;

static void read_labels(const Node *x, ContractLabels *l)
{
	uint32_t at = 0;
	l->nx = node_rank(x->arg[0]);
	l->ny = node_rank(x->arg[1]);
	l->n = node_rank(x);
	for (uint32_t i = 0; i < l->nx; i++) l->size[l->x[i] = attr_int(x, at++)] = node_dim(x->arg[0], i);
	at++;
	for (uint32_t i = 0; i < l->ny; i++) {
		l->y[i] = attr_int(x, at++);
		if (!l->size[l->y[i]]) l->size[l->y[i]] = node_dim(x->arg[1], i);
	}
	at++;
	for (uint32_t i = 0; i < l->n; i++) l->out[i] = attr_int(x, at++);
}

static void add_label(ContractLabels *l, LabelKind k, int64_t label)
{
	l->of[k][l->nkind[k]++] = label;
}

/* Kept labels in the order of the result, folded ones in the order of x. */
static bool sort_labels(PlanMaker *m, ContractLabels *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		bool inx = list_has(l->nx, l->x, l->out[i]), iny = list_has(l->ny, l->y, l->out[i]);
		LabelKind alone = inx ? ROW : COLUMN;
		add_label(l, inx && iny ? BATCH : alone, l->out[i]);
	}
	for (uint32_t i = 0; i < l->nx; i++)
		if (!list_has(l->n, l->out, l->x[i])) {
			if (!list_has(l->ny, l->y, l->x[i]))
				return graph_fail(
					m->g, ERR_INTERNAL, "einsum: a folded label of one operand alone");
			add_label(l, FOLDED, l->x[i]);
		}
	return true;
}

/* The stored node below transposes and, for each axis of the operand, its stride there. */
static Node *strides_of(PlanMaker *m, Node *x, const Size **stride)
{
	int64_t axis[RANK_MAX];
	uint32_t n = node_rank(x);
	for (uint32_t i = 0; i < n; i++) axis[i] = i;
	while (x->op == OP_TRANSPOSE && !buffer_of(m, x)) {
		for (uint32_t i = 0; i < n; i++) axis[i] = attr_int(x, (uint32_t)axis[i]);
		x = x->arg[0];
	}
	const Size *of[RANK_MAX], *s = size_const(m->g, 1);
	for (uint32_t i = n; i-- > 0;) {
		of[i] = s;
		s = size_mul(m->g, s, node_dim(x, i));
	}
	for (uint32_t i = 0; i < n; i++) stride[i] = of[axis[i]];
	return x;
}

/* One of the two operands: labels of its axes, and the kind of those that the other has not. */
typedef struct Side {
	Node *x;
	uint32_t n;
	const int64_t *label;
	LabelKind free;
} Side;

/* One stride for all labels of a kind, as one index in their order; NULL: there is none. */
static const Size *joint_stride(
	PlanMaker *m, const ContractLabels *l, const Side *s, LabelKind k, const Size *const *stride)
{
	const Size *joint = NULL, *want = NULL;
	for (uint32_t i = l->nkind[k]; i-- > 0;) {
		const Size *mine = NULL;
		for (uint32_t j = 0; j < s->n; j++)
			if (s->label[j] == l->of[k][i]) mine = stride[j];
		if (!mine) return size_const(m->g, 0);
		if (size_equals(l->size[l->of[k][i]], 1)) continue;
		if (want && mine != want) return NULL;
		joint = joint ? joint : mine;
		want = size_mul(m->g, mine, l->size[l->of[k][i]]);
	}
	return joint ? joint : size_const(m->g, 0);
}

typedef struct Operand {
	uint32_t buffer;
	const Size *batch, *free, *folded;
} Operand;

/* An operand packed compactly as [batch, free, folded]. */
static bool pack(PlanMaker *m, const ContractLabels *l, const Side *s, Operand *o)
{
	int64_t perm[RANK_MAX];
	uint32_t k = 0;
	const LabelKind order[3] = {BATCH, s->free, FOLDED};
	for (int j = 0; j < 3; j++)
		for (uint32_t i = 0; i < l->nkind[order[j]]; i++)
			for (uint32_t a = 0; a < s->n; a++)
				if (s->label[a] == l->of[order[j]][i]) perm[k++] = a;
	Node *turned = transpose(m->g, s->x, perm);
	const Node *force;
	if (!turned) return false;
	const Size *size[3];
	for (int j = 0; j < 3; j++) {
		size[j] = size_const(m->g, 1);
		for (uint32_t i = 0; i < l->nkind[order[j]]; i++)
			size[j] = size_mul(m->g, size[j], l->size[l->of[order[j]][i]]);
	}
	o->buffer = buffer_new(m, turned->type, SPACE_WORK);
	o->folded = size_const(m->g, 1);
	o->free = size[2];
	o->batch = size_mul(m->g, size[1], size[2]);
	return kernel_stored(m, turned, o->buffer, NULL, &force);
}

/* Read where it lies if one stride a kind says where that is, else packed. */
static bool operand(PlanMaker *m, const ContractLabels *l, const Side *s, Operand *o)
{
	const Size *stride[RANK_MAX];
	Node *stored = strides_of(m, s->x, stride);
	uint32_t b = buffer_of(m, stored);
	o->batch = joint_stride(m, l, s, BATCH, stride);
	o->free = joint_stride(m, l, s, s->free, stride);
	o->folded = joint_stride(m, l, s, FOLDED, stride);
	if (b && o->batch && o->free && o->folded) {
		o->buffer = b - 1;
		return true;
	}
	return pack(m, l, s, o);
}

/* Is the fold in lanes?  Where an operand has no free axis. */
static bool in_lanes(const ContractLabels *l)
{
	return l->nkind[FOLDED] && (!l->nkind[ROW] || !l->nkind[COLUMN]);
}

/* Do the result's columns stand before its rows? */
static bool columns_first(const ContractLabels *l)
{
	return l->nkind[ROW] && l->nkind[COLUMN] && l->out[l->nkind[BATCH]] == l->of[COLUMN][0];
}

static void swap_operands(ContractLabels *l)
{
	ContractLabels old = *l;
	l->nx = old.ny;
	l->ny = old.nx;
	memcpy(l->x, old.y, sizeof l->x);
	memcpy(l->y, old.x, sizeof l->y);
	memcpy(l->of[ROW], old.of[COLUMN], sizeof l->of[ROW]);
	memcpy(l->of[COLUMN], old.of[ROW], sizeof l->of[COLUMN]);
	l->nkind[ROW] = old.nkind[COLUMN];
	l->nkind[COLUMN] = old.nkind[ROW];
}

/* Write the stored array `from` of type t to `to`, element (i...) at the strides. */
static bool copy_turned(PlanMaker *m, const Type *t, uint32_t from, uint32_t to, const Size *const *stride)
{
	const Node *force;
	StoreTarget target = {to, size_const(m->g, 0), stride};
	m->temporary = fresh(m->g, t, NULL);
	m->temporary_buffer = from;
	bool done = kernel_make(m, m->temporary, to, &target, &force);
	m->temporary = NULL;
	return done;
}

bool contract_plan(PlanMaker *m, Node *x, uint32_t target)
{
	Graph *g = m->g;
	ContractLabels l;
	memset(&l, 0, sizeof l);
	read_labels(x, &l);
	if (!sort_labels(m, &l)) return false;
	bool lanes = in_lanes(&l);
	Node *left = x->arg[0], *right = x->arg[1];
	if (columns_first(&l)) { /* x*y is y*x: the result then lies as it is wanted */
		swap_operands(&l);
		left = x->arg[1];
		right = x->arg[0];
	}
	const Size *size[KINDS];
	for (int k = 0; k < KINDS; k++) {
		size[k] = size_const(g, 1);
		for (uint32_t i = 0; i < l.nkind[k]; i++) size[k] = size_mul(g, size[k], l.size[l.of[k][i]]);
	}
	Operand a, b;
	const Side rows = {left, l.nx, l.x, ROW}, columns = {right, l.ny, l.y, COLUMN};
	if (!operand(m, &l, &rows, &a) || !operand(m, &l, &columns, &b)) return false;
	/* the result as the core gives it: [batch..., rows..., columns...] */
	const Size *dim[RANK_MAX];
	int64_t order[RANK_MAX];
	uint32_t n = 0;
	bool straight = true;
	for (int k = BATCH; k <= COLUMN; k++)
		for (uint32_t i = 0; i < l.nkind[k]; i++) {
			straight = straight && l.out[n] == l.of[k][i];
			order[n] = l.of[k][i];
			dim[n++] = l.size[l.of[k][i]];
		}
	const Type *t = type_array(g, node_dtype(x), n, dim);
	uint32_t out = straight && target ? target - 1 : buffer_new(m, t, SPACE_WORK);
	const Size *integers[] = {size_const(g, lanes), size[BATCH], size[ROW], size[COLUMN], size[FOLDED],
		a.batch, a.free, a.folded, b.batch, b.folded, b.free};
	uint32_t param[countof(integers)], buffer[3] = {a.buffer, b.buffer, out};
	for (uint32_t i = 0; i < countof(integers); i++) param[i] = dim_of(m, integers[i]);
	core_step(m, x,
		&(StepCall){.core = CORE_CONTRACT,
			.dtype = (uint8_t)node_dtype(x),
			.nbuffer = 3,
			.nparam = countof(integers),
			.param = param},
		buffer);
	if (straight) {
		m->scope->buffer[region_place(m->scope->r, x)] = out + 1;
		return true;
	}
	/* turn it: a copy whose element (result axes) is read from the core's order */
	const Size *stride[RANK_MAX], *s = size_const(g, 1);
	uint32_t to = target ? target - 1 : buffer_new(m, x->type, SPACE_WORK);
	const Size *by_label[LABELS_MAX] = {0};
	for (uint32_t i = n; i-- > 0;) {
		by_label[l.out[i]] = s;
		s = size_mul(g, s, node_dim(x, i));
	}
	for (uint32_t i = 0; i < n; i++) stride[i] = by_label[order[i]];
	return copy_turned(m, t, out, to, stride) &&
		(m->scope->buffer[region_place(m->scope->r, x)] = to + 1);
}
