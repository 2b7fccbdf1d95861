/* stack_cells.c - in a pass that walks along rows with few cells written, a row is made there, of its cells.
 *
 * The derivative of a read `a[i]` is zeros with a cell at i.  Where a pass of one loop gives it and another
 * adds it to what it carries, the cell and its index are stacked, as numbers, and not as many rows as there
 * are passes: the cell is then written into what the other loop carries.  An index that the number of the
 * pass says is not stacked either, and the row of a side of a branch is made in one by the same condition.
 * needs: a trace that nobody reads but loops that walk along it; gives: the same values, to the bit
 */
#include "merge.h"

/* What a row is made of. */
typedef enum ThinKind { GIVEN, CELL, WRITTEN, RESHAPED, EITHER } ThinKind;

typedef struct ThinRow {
	ThinKind kind;
	Node *x;             /* in the pass that gives it; of EITHER its type alone counts */
	Node *with;          /* of CELL: in the pass that walks along it */
	struct ThinRow *part[3]; /* WRITTEN: into, at, what; RESHAPED: of; EITHER: condition, sides */
} ThinRow;

typedef struct ThinRows {
	Graph *g;
	Arena *a;
	const LoopPass *made, *walks;
	IdMap again; /* leaves of the pass that gives rows -> those of the other that are the same */
} ThinRows;

enum { AGAIN = 8 }; /* nodes of an index that are made again */

static bool is_known_there(const ThinRows *s, const Node *x)
{
	return x->op == OP_INPUT || x->op == OP_PARAM || idmap_get((IdMap *)&s->walks->outside, x->id);
}

/* Is it a number that either pass has, or one made of few such, and no floats? */
static bool is_made_again(const ThinRows *s, Node *x)
{
	const Region *r = region_above(s->a, 1, &x, &s->made->outside);
	bool again = r->n ? r->n <= AGAIN : is_known_there(s, x);
	if (idmap_get((IdMap *)&s->again, x->id)) return true;
	for (uint32_t i = 0; i < r->n && again; i++) {
		const Node *y = r->node[i];
		bool simple = op_info[y->op].class == MAP || y->op == OP_GATHER;
		again = node_is_scalar(y) && !dtype_is_float(node_dtype(y));
		bool given = y->op == OP_CONST || y->op == OP_SIZE || idmap_get((IdMap *)&s->again, y->id);
		again &= y->narg ? simple : given;
		for (uint32_t k = 0; k < y->narg; k++)
			again &= region_place(r, y->arg[k]) != UINT32_MAX || is_known_there(s, y->arg[k]);
	}
	return again;
}

static ThinRow *row_new(const ThinRows *s, ThinKind kind, Node *x)
{
	ThinRow *r = NEW(s->a, ThinRow);
	r->kind = kind;
	r->x = x;
	return r;
}

/* NULL with an error, or where it is no trace. */
static ThinRow *cell(ThinRows *s, Node *x, Cells *c)
{
	ThinRow *r = row_new(s, CELL, x);
	if (!is_even(s->a, s->made, x)) return NULL;
	if (is_made_again(s, x)) {
		rebuild(s->g, (Nodes){1, &x}, &s->again, NULL, NULL, &r->with);
	} else {
		r->with = fresh(s->g, x->type, NULL);
		list_put(s->a, &c->value, 1, &x);
		list_put(s->a, &c->leaf, 1, &r->with);
	}
	return s->g->error.code ? NULL : r;
}

static ThinRow *row_from(ThinRows *s, Node *x, Cells *c);

static ThinRow *row_or_cell(ThinRows *s, Node *x, Cells *c)
{
	const uint32_t n = c->value.n;
	ThinRow *r = node_rank(x) ? row_from(s, x, c) : NULL;
	if (r || s->g->error.code) return r;
	c->value.n = c->leaf.n = n;
	return cell(s, x, c);
}

/* Cells of the sides are those of a branch by the same condition, and nothing if the other side is taken. */
static ThinRow *row_of_sides(ThinRows *s, Node *x, Cells *c)
{
	Graph *g = s->g;
	Node *both = x->arg[0];
	ThinRow *r = row_new(s, EITHER, x);
	Cells of[2] = {0};
	List result[2] = {0};
	Body b[BODIES_MAX];
	node_bodies(both, b);
	r->part[0] = cell(s, both->arg[0], c);
	for (uint32_t k = 0; k < 2; k++) {
		Opened o = body_open(g, s->a, both, &b[k]);
		if (g->error.code || !r->part[0]) return NULL;
		r->part[1 + k] = row_from(s, o.result[attr_int(x, 0)], &of[k]);
		if (!r->part[1 + k]) return NULL;
	}
	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t i = 0; i < of[k].value.n; i++) {
			Node *y = nothing_like(g, of[k].value.v[i]);
			list_put(s->a, &result[k], 1, &of[k].value.v[i]);
			list_put(s->a, &result[1 - k], 1, &y);
		}
	if (!result[0].n) return r;
	Node *cells = branch(g, both->arg[0], result[0].n, result[0].v, result[1].v, captured(both));
	for (uint32_t k = 0, j = 0; k < 2 && cells; k++)
		for (uint32_t i = 0; i < of[k].value.n; i++, j++) {
			Node *y = get(g, cells, j);
			list_put(s->a, &c->value, 1, &y);
			list_put(s->a, &c->leaf, 1, &of[k].leaf.v[i]);
		}
	return cells ? r : NULL;
}

static bool is_of_sides(const Node *x)
{
	if (x->op != OP_GET || x->arg[0]->op != OP_IF || x->type->kind != TYPE_ARRAY) return false;
	Body b[BODIES_MAX];
	uint32_t n = node_bodies(x->arg[0], b);
	for (uint32_t k = 0; k < n; k++) {
		const Node *y = b[k].f->result[attr_int(x, 0)];
		while (y->op == OP_RESHAPE) y = y->arg[0];
		if (y->op != OP_CONST && !is_scatter(y) && !is_of_sides(y)) return false;
	}
	return true;
}

/* What it is made of, if that is little; NULL: it is not, or an error. */
static ThinRow *row_from(ThinRows *s, Node *x, Cells *c)
{
	ThinRow *r;
	if (x->op == OP_CONST) {
		bool given = constant_is_uniform(x) && is_even(s->a, s->made, x);
		return given ? row_new(s, GIVEN, x) : NULL;
	}
	if (x->op == OP_RESHAPE) {
		r = is_even(s->a, s->made, x) ? row_new(s, RESHAPED, x) : NULL;
		return r && (r->part[0] = row_from(s, x->arg[0], c)) ? r : NULL;
	}
	if (is_scatter(x)) {
		r = row_new(s, WRITTEN, x);
		bool known = (r->part[0] = row_from(s, x->arg[0], c)) &&
			(r->part[1] = cell(s, x->arg[1], c)) && (r->part[2] = row_or_cell(s, x->arg[2], c));
		return known ? r : NULL;
	}
	return is_of_sides(x) ? row_of_sides(s, x, c) : NULL;
}

/* The row in the pass that walks along it; NULL with an error. */
static Node *row_made(Graph *g, const ThinRow *r)
{
	Node *part[3] = {0};
	for (uint32_t k = 0; k < 3 && r->part[k]; k++)
		if (!(part[k] = row_made(g, r->part[k]))) return NULL;
	switch (r->kind) {
	case CELL: return r->with;
	case WRITTEN: return scatter(g, (Op)r->x->op, part[0], part[1], part[2], attr_int(r->x, 0));
	case RESHAPED: return reshape(g, part[0], node_rank(r->x), r->x->type->u.dim);
	case EITHER: return get(g, branch(g, part[0], 1, &part[1], &part[2], (Nodes){0}), 0);
	default: return r->x;
	}
}

/* The row in place of the leaf that stands for it, if its cells are much less than it is. */
static Node *thin_row(ThinRows *s, Node *x, const Node *leaf, Cells *c)
{
	Cells own = {0};
	const Size *elements = size_const(s->g, 0);
	const ThinRow *r = node_rank(leaf) ? row_from(s, x, &own) : NULL;
	if (!r || !own.value.n) return NULL;
	for (uint32_t i = 0; i < own.value.n; i++)
		elements = size_add(s->g, elements, type_elements(s->g, own.value.v[i]->type));
	if (!is_half(elements, type_elements(s->g, leaf->type))) return NULL;
	Node *y = row_made(s->g, r);
	if (!y || y->type != leaf->type) return NULL;
	list_put(s->a, &c->value, own.value.n, own.value.v);
	list_put(s->a, &c->leaf, own.leaf.n, own.leaf.v);
	return y;
}

/* The number of the pass, and elements of what both walk along. */
static void find_same(ThinRows *s)
{
	const LoopPass *m = s->made, *w = s->walks;
	idmap_open(&s->again, s->a);
	idmap_put(&s->again, m->o.param[0]->id, w->o.param[0]);
	for (uint32_t i = 1 + m->carries; i <= m->carries + m->sequences; i++)
		for (uint32_t k = 1 + w->carries; k <= w->carries + w->sequences; k++)
			if (m->x->arg[i] == w->x->arg[k])
				idmap_put(&s->again, m->o.param[i]->id, w->o.param[k]);
}

bool cells_apart(
	Graph *g, Arena *a, const LoopPass *made, LoopPass *walks, const bool *trace, Cells *cells)
{
	ThinRows s = {.g = g, .a = a, .made = made, .walks = walks};
	List value = {0}, with = {0};
	find_same(&s);
	for (uint32_t i = 0; i < walks->sequences && !g->error.code; i++) {
		Node *own = walks->o.param[1 + walks->carries + i];
		const Node *of = walks->x->arg[1 + walks->carries + i];
		if (!trace[i] || region_place(walks->r, own) == UINT32_MAX) continue;
		Node *y = thin_row(&s, made->o.result[attr_int(of, 0)], own, cells);
		if (!y) continue;
		list_put(a, &value, 1, &own);
		list_put(a, &with, 1, &y);
	}
	return !g->error.code && (!value.n || pass_change(g, a, walks, value.n, value.v, with.v));
}
