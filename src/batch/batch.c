/* batch.c - the lanes of all nodes below some results: a loop over their region, by the class of each.
 *
 * needs: nodes without an error; gives: their lanes as nodes of the same graph
 */
#include "lanes.h"

const char *const loop_name[WHYS] = {
	"lanes_of_sizes", "lanes_of_effects", "lanes_of_exact", "lanes_of_own", "lanes_of_kernel"};

const char *why_lane_by_lane(const Function *body)
{
	static const char *const text[WHYS] = {
		[WHY_SIZES] = "sizes within differ from one to the next, or axes are too many",
		[WHY_EFFECTS] = "effects happen one after another",
		[WHY_EXACT] = "nothing is moved out of an exact function",
		[WHY_OWN] = "it tells its derivative for one",
		[WHY_KERNEL] = "its kernel in C computes one",
	};
	for (uint32_t i = 0; body->name && i < WHYS; i++)
		if (!strcmp(body->name, loop_name[i])) return text[i];
	return NULL;
}

void batch_open(Batch *b, Graph *g, Arena *a, const Size *n)
{
	*b = (Batch){.g = g, .a = a, .n = n};
	idmap_open(&b->done, a);
	idmap_open(&b->steep, a);
}

static Known *known_new(Batch *b, const Node *x)
{
	Known *k = NEW(b->a, Known);
	k->n = x->type->kind == TYPE_TUPLE ? x->type->n : 1;
	k->elem = NEW_ARRAY(b->a, Node *, k->n + 1);
	k->stood = NEW_ARRAY(b->a, Stood *, k->n + 1);
	idmap_put(&b->done, x->id, k);
	return k;
}

void batch_seed(Batch *b, const Node *x, Node *lanes)
{
	known_new(b, x)->elem[0] = lanes;
}

Known *known_of(const Batch *b, const Node *x)
{
	return idmap_get(&b->done, x->id);
}

Node *lanes_of(const Batch *b, const Node *x)
{
	const Known *k = known_of(b, x);
	if (!k || !k->n) return NULL;
	return k->stood[0] ? stood_seen(b, k->stood[0]) : k->elem[0];
}

bool has_lanes(const Batch *b, const Node *x)
{
	const Known *k = known_of(b, x);
	for (uint32_t i = 0; k && i < k->n; i++)
		if (k->elem[i] || k->stood[i]) return true;
	return false;
}

/* ---- lanes -------------------------------------------------------------------------------- */

Node *spread(const Batch *b, Node *x)
{
	return expand(b->g, x, 1, (int64_t[]){0}, &b->n);
}

Node *all_lanes(const Batch *b, Node *x)
{
	Node *y = x ? lanes_of(b, x) : NULL;
	return y ? y : spread(b, x);
}

const Type *lane_type(const Batch *b, const Type *t)
{
	const Size *dim[RANK_MAX + 1] = {b->n};
	if (t->n >= RANK_MAX)
		return graph_fail(b->g, ERR_TYPE,
			"for all of an axis: %s and one axis more, at most %d are possible",
			type_shown(b->g, t), RANK_MAX);
	memcpy(dim + 1, t->u.dim, t->n * sizeof *dim);
	return type_array(b->g, (Dtype)t->dtype, t->n + 1, dim);
}

Node *choose(const Batch *b, Node *c, Node *x, Node *y)
{
	int64_t axis[RANK_MAX];
	uint32_t n = 0;
	if (!c || !x || !y) return NULL;
	for (uint32_t i = 1; i < node_rank(x); i++) axis[n++] = i;
	c = expand(b->g, c, n, axis, x->type->u.dim + 1);
	return build3(b->g, OP_WHERE, c, x, y);
}

Node *axes_first(Graph *g, Node *x, uint32_t n, const int64_t *axis)
{
	int64_t perm[RANK_MAX];
	uint32_t k = n;
	if (!x) return NULL;
	memcpy(perm, axis, n * sizeof *perm);
	for (uint32_t i = 0; i < node_rank(x); i++)
		if (!list_has(n, axis, i)) perm[k++] = i;
	return transpose(g, x, perm);
}

Nodes outside_with(Arena *a, Nodes o, uint32_t n, Node *const *more)
{
	Node **all = NEW_ARRAY(a, Node *, o.n + n + 1);
	uint32_t k = 0;
	for (uint32_t i = 0; i < o.n; i++) all[k++] = o.v[i];
	for (uint32_t i = 0; i < n; i++)
		if (more[i]) all[k++] = more[i];
	return (Nodes){k, all};
}

/* ---- sizes --------------------------------------------------------------------------------- */

static Node *atom_lanes(Batch *b, const Atom *a)
{
	static const Op by[] = {[ATOM_FLOORDIV] = OP_FLOORDIV,
		[ATOM_MOD] = OP_MOD,
		[ATOM_MIN] = OP_MINIMUM,
		[ATOM_MAX] = OP_MAXIMUM};
	if (a->kind == ATOM_NODE) return all_lanes(b, a->node);
	if (a->kind == ATOM_NAME) return spread(b, size_node(b->g, size_named(b->g, a->name)));
	if (a->kind == ATOM_PARAM)
		return spread(
			b, size_node(b->g, (a->data ? size_param_of_data : size_param)(b->g, a->index)));
	Node *x = size_lanes(b, a->a), *y = size_lanes(b, a->b);
	return x && y ? build2(b->g, by[a->kind], x, y) : NULL;
}

Node *size_lanes(Batch *b, const Size *s)
{
	Node *sum = NULL;
	for (uint32_t t = 0; t < s->nterm; t++) {
		const Term *term = &s->term[t];
		Node *product = spread(b, constant_int(b->g, type_scalar(b->g, DT_I64), term->coef));
		for (uint32_t k = 0; product && k < term->natom; k++) {
			Node *factor = atom_lanes(b, term->atom[k]);
			product = factor ? build2(b->g, OP_MUL, product, cast(b->g, factor, DT_I64)) : NULL;
		}
		sum = sum && product ? build2(b->g, OP_ADD, sum, product) : product;
		if (!sum) return NULL;
	}
	return sum ? sum : spread(b, constant_int(b->g, type_scalar(b->g, DT_I64), 0));
}

/* ---- a node ----------------------------------------------------------------------------------- */

typedef struct FindLanes {
	const Batch *b;
	bool found;
} FindLanes;

static void find_lanes(void *user, const Atom *a)
{
	FindLanes *f = user;
	f->found = f->found || (a->kind == ATOM_NODE && has_lanes(f->b, a->node));
}

bool size_differs(const Batch *b, const Size *s)
{
	FindLanes f = {b, false};
	size_atoms(s, find_lanes, &f);
	return f.found;
}

/* A size as it is told: i of i + 1, which the text may have nowhere. */
static const char *differing(const Batch *b, const Size *s)
{
	const Size *rest = s;
	for (uint32_t t = 0; t < s->nterm; t++)
		if (!s->term[t].natom) rest = size_sub(b->g, s, size_const(b->g, s->term[t].coef));
	return size_shown(b->g, rest);
}

/* The sizes of x are those of all lanes; false with an error that names one that is not. */
static bool sizes_are_shared(Batch *b, const Node *x)
{
	for (uint32_t i = 0; i < x->type->n; i++) {
		const Type *t = x->type->kind == TYPE_TUPLE ? x->type->u.elem[i] : x->type;
		for (uint32_t k = 0; t->kind == TYPE_ARRAY && k < t->n; k++)
			if (size_differs(b, DIM(t, k))) {
				if (!b->g->error.code) b->g->blamed = DIM(t, k);
				return graph_fail(b->g, ERR_TYPE,
					"for all of an axis: %s: %s is a size that differs from one to the next; "
					"take the most that it may be, and `if` or `where` for what is beyond it",
					x->op == OP_CONST || x->op == OP_EXPAND ? "an array" : op_info[x->op].text,
					differing(b, DIM(t, k)));
			}
	}
	return true;
}

static bool push_index(Batch *b, Node *x, Known *k)
{
	if (x->op == OP_GATHER) return batch_gather(b, x, k);
	if (is_scatter(x)) return batch_scatter(b, x, k);
	return batch_plain(b, x, k->elem);
}

/* Element i of what is known of x. */
static bool push_element(const Batch *b, const Node *x, int64_t i, Known *out, uint32_t to)
{
	const Known *k = known_of(b, x);
	if (!k || i >= k->n) return true;
	out->elem[to] = k->elem[i];
	out->stood[to] = k->stood[i];
	return true;
}

/* A view of what is stood in for is one of its rows. */
static bool push_view(Batch *b, Node *x, Known *k)
{
	Stood *s = node_operands(x) == 1 ? stood_of(b, x->arg[0]) : NULL;
	if (!s || !s->row) return batch_plain(b, x, k->elem);
	Known *of = known_of(b, x->arg[0]);
	Node *own, *seen;
	of->elem[0] = s->own;
	of->stood[0] = NULL;
	bool good = batch_plain(b, x, &own);
	of->elem[0] = NULL;
	of->stood[0] = s;
	good = good && batch_plain(b, x, &seen);
	if (good) k->stood[0] = stood_read_of(b, s, own, seen);
	return good;
}

static bool push_control(Batch *b, Node *x, Known *k)
{
	Node **out = k->elem;
	switch (x->op) {
	case OP_GET: return push_element(b, x->arg[0], attr_int(x, 0), k, 0);
	case OP_TUPLE:
		for (uint32_t i = 0; i < x->narg; i++) push_element(b, x->arg[i], 0, k, i);
		return true;
	case OP_SCAN: return batch_scan(b, x, out);
	case OP_IF: return batch_if(b, x, k);
	case OP_CALL: return batch_call(b, x, out);
	case OP_CUSTOM: return batch_custom(b, x, out);
	default:
		return graph_fail(b->g, ERR_UNSUPPORTED,
			"for all of an axis: %s is an effect, of which there is no one order",
			op_info[x->op].text);
	}
}

/* Of a leaf: a size that is computed, the same number in all lanes or a value. */
static bool push_leaf(Batch *b, Node *x, Node **out)
{
	if (x->op != OP_SIZE) return sizes_are_shared(b, x);
	out[0] = size_differs(b, x->attr->v[0].u.size) ? size_lanes(b, x->attr->v[0].u.size) : NULL;
	return !b->g->error.code;
}

/* Is it steep, or hangs on what is?  Then it has lanes, so that it can be screened. */
static bool screens(Batch *b, Node *x)
{
	bool steep = b->takes && is_steep(x);
	for (uint32_t i = 0; b->takes && i < x->narg; i++)
		steep = steep || idmap_get(&b->steep, x->arg[i]->id);
	if (steep) idmap_put(&b->steep, x->id, x);
	return steep && op_info[x->op].class == MAP;
}

static bool push(Batch *b, Node *x)
{
	bool any = false, sizes = false;
	Known *k = known_new(b, x);
	for (uint32_t i = 0; i < x->narg; i++) {
		bool lanes = has_lanes(b, x->arg[i]);
		any |= lanes;
		sizes |= lanes && i >= node_operands(x);
	}
	any |= screens(b, x) || is_masked(b, x);
	if (!any) return true;
	Class class = op_info[x->op].class;
	if (class == LEAF) return push_leaf(b, x, k->elem);
	if (x->op != OP_GET && !sizes_are_shared(b, x)) return false;
	if (x->op == OP_SLICE && sizes) return batch_window(b, x, k->elem);
	if (x->op == OP_PAD && sizes) return batch_pad(b, x, k->elem);
	if (class == CONTROL) return push_control(b, x, k);
	if (class == INDEX) return push_index(b, x, k);
	return class == VIEW ? push_view(b, x, k) : batch_plain(b, x, k->elem);
}

bool batch_run(Batch *b, uint32_t n, Node *const *y)
{
	Graph *g = b->g;
	Region *r = region_above(b->a, n, y, &b->done);
	for (uint32_t i = 0; i < r->n && !g->error.code; i++) {
		Node *x = r->node[i];
		if (idmap_get(&b->done, x->id)) continue;
		Heritage before = heritage_begin(g, x);
		bool good = push(b, x);
		heritage_end(g, before, x, NULL);
		if (!good) return false;
	}
	return !g->error.code;
}

/* Of a loop over the lanes: leaves (index, token, elements) and what the elements are of; `map` has what
 * stands for the lanes' leaves. */
typedef struct WholeLoop {
	Node **leaf, **seq;
	uint32_t nleaf, nseq;
	IdMap map;
} WholeLoop;

/* What counts the lanes is the loop's own index. */
static bool open_whole(Graph *g, const Lanes *l, Node *steps, WholeLoop *w)
{
	leaf_is_below(g, w->leaf[w->nleaf++] = fresh(g, type_scalar(g, DT_I64), NULL), steps);
	if (l->token)
		idmap_put(&w->map, l->token->id, w->leaf[w->nleaf++] = fresh(g, l->token->type, NULL));
	for (uint32_t i = 0; i < l->nx && !g->error.code; i++) {
		Node *x = l->x[i], *of = w->leaf[0];
		Dtype strong = dtype_strong(node_dtype(x));
		bool counts = l->xs[i]->op == OP_IOTA ||
			(l->xs[i]->op == OP_CAST && l->xs[i]->arg[0]->op == OP_IOTA);
		if (!counts) {
			w->seq[w->nseq++] = cast(g, l->xs[i], strong);
			of = fresh(g, type_with_dtype(g, x->type, strong), leaf_name(x));
			w->leaf[w->nleaf++] = of;
		}
		idmap_put(&w->map, x->id, cast(g, of, node_dtype(x)));
	}
	return !g->error.code;
}

/* A loop over the lanes, of all that is asked for, one after another. */
static bool all_by_loop(Graph *g, Arena *a, const Lanes *l, uint32_t ny, Node *const *y, Node **out)
{
	uint32_t values = l->token ? ny - 1 : ny, first = ny - values;
	Node *steps = size_node(g, l->n), **result = NEW_ARRAY(a, Node *, ny);
	WholeLoop w = {.leaf = NEW_ARRAY(a, Node *, 2 + l->nx), .seq = NEW_ARRAY(a, Node *, l->nx)};
	Closure c;
	idmap_open(&w.map, a);
	if (g->error.code || !open_whole(g, l, steps, &w)) return false;
	rebuild(g, (Nodes){values, (Node **)y}, &w.map, NULL, NULL, result + first);
	if (first && !g->error.code) rebuild(g, (Nodes){1, (Node **)y + values}, &w.map, NULL, NULL, result);
	for (uint32_t i = 0; i < values && !g->error.code; i++)
		result[first + i] = cast(g, result[first + i], dtype_strong(node_dtype(y[i])));
	if (g->error.code ||
		!body_close(g, loop_name[l->token ? WHY_EFFECTS : WHY_SIZES], (Nodes){w.nleaf, w.leaf},
			(Nodes){ny, result}, (Around){.steps = steps}, &c))
		return false;
	Node *before = l->before;
	Node *loop = scan(g, &c, steps, (Nodes){first, &before}, (Nodes){w.nseq, w.seq}, 0);
	for (uint32_t i = 0; i < values && loop; i++)
		out[i] = cast(g, get(g, loop, first + i), node_dtype(y[i]));
	if (first && loop) out[values] = get(g, loop, 0);
	return loop && !g->error.code;
}

/* Where sizes within differ from lane to lane, or axes are too many, one lane after another; with the error
 * as it was where that is no way either, as sizes of results differ. */
static bool again_by_loop(Graph *g, Arena *a, const Lanes *l, uint32_t ny, Node *const *y, Node **out)
{
	const Error before = g->error;
	if (before.code != ERR_TYPE) return false;
	error_clear(&g->error);
	bool good = all_by_loop(g, a, l, ny, y, out);
	if (!good && g->error.code == ERR_TYPE) g->error = before;
	return good;
}

static bool all_together(Graph *g, Arena *a, const Lanes *l, uint32_t ny, Node *const *y, Node **out)
{
	Batch b;
	y = held_once(g, a, (Nodes){ny, y}, (Nodes){l->nx, l->x});
	if (!y) return false;
	batch_open(&b, g, a, l->n);
	for (uint32_t i = 0; i < l->nx; i++) batch_seed(&b, l->x[i], l->xs[i]);
	bool good = batch_run(&b, ny, y);
	for (uint32_t i = 0; good && i < ny; i++) out[i] = all_lanes(&b, y[i]);
	return good || again_by_loop(g, a, l, ny, y, out);
}

bool batch(Graph *g, const Lanes *l, uint32_t ny, Node *const *y, Node **out)
{
	if (g->error.code) return false;
	Arena *a = arena_child(g->arena);
	g->bodies++;
	bool good = l->token ? all_by_loop(g, a, l, ny, y, out) : all_together(g, a, l, ny, y, out);
	g->bodies--;
	arena_free(a);
	return good && !g->error.code;
}
