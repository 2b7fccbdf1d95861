/* zeros_times.c - a product with what is zero but for a part is the product of that part alone; its negative
 * that of the part, a choice between two that lie alike the choice of the parts.
 *
 * The derivative of f(x)[i] is f'(x) times zeros with something written at i: where f' is infinite
 * elsewhere, 0 times it is no number, while of an element that was not chosen nothing changes.
 * Needs: a product, quotient, negative or choice of floats over normal operands.  Gives: an equal node, or
 * NULL, by law `real`.  So of where(c, x, 0).  Of indices that may name a place twice, of many values one
 * place, all stays.
 */
#include "rules.h"

/* writes after writes, parts among parts */
enum { DEEP = 16 };

/* What stands with it: x*w, w*x, x/w, or -x alone, with w NULL. */
typedef struct Beside {
	Op op;
	Node *w;
	bool first;
} Beside;

static Node *part_times(Graph *g, const Beside *b, Node *z, uint32_t depth);

static bool is_zeros(const Node *x)
{
	double c;
	return x->op == OP_CONST && constant_is_uniform(x) && constant_value(x, &c) && c == 0;
}

static bool writes(const Node *x)
{
	return x->op == OP_SCATTER_ADD || x->op == OP_SCATTER_SET;
}

bool is_part_of_zeros(const Node *x)
{
	const Node *base = x;
	for (uint32_t i = 0; i < DEEP && writes(base); i++) base = base->arg[0];
	return base->op == OP_PAD || (base != x && is_zeros(base));
}

/* v, of the part, and w there */
static Node *meet(Graph *g, const Beside *b, Node *v, Node *w)
{
	if (b->op == OP_NEG) return build1(g, OP_NEG, v);
	return b->first ? build2(g, b->op, w, v) : build2(g, b->op, v, w);
}

/* w from `start` on, so far apart, as large as the part. */
static Node *there(Graph *g, Node *w, const Node *part, const Size *const *start, const int64_t *step)
{
	const Size *const *length = part->type->u.dim;
	if (!w) return NULL;
	if (w->op != OP_CONST || !constant_is_uniform(w)) return slice(g, w, start, length, step);
	return node_leaf(g, OP_CONST, w->attr, type_array(g, node_dtype(w), node_rank(w), length));
}

static Node *at_index(Graph *g, Node *w, Node *i, int64_t axis)
{
	if (!w) return NULL;
	return node_is_scalar(i) ? index_at(g, w, i, axis) : gather(g, w, i, axis);
}

static Node *write_times(Graph *g, const Beside *b, Node *z, uint32_t depth)
{
	Node *before = z->arg[0], *i = z->arg[1];
	if (!index_names_once(g, i)) return NULL;
	Node *rest = is_zeros(before) ? before : part_times(g, b, before, depth);
	if (!rest) return NULL;
	int64_t axis = attr_int(z, 0);
	return scatter(g, (Op)z->op, rest, i, meet(g, b, z->arg[2], at_index(g, b->w, i, axis)), axis);
}

typedef struct Margins {
	const Size *before[RANK_MAX], *after[RANK_MAX];
	int64_t step[RANK_MAX];
} Margins;

static Margins margins_of(const Node *z)
{
	uint32_t r = node_rank(z);
	Margins m;
	for (uint32_t d = 0; d < r; d++) {
		m.before[d] = z->attr->v[d].u.size;
		m.after[d] = z->attr->v[r + d].u.size;
		m.step[d] = attr_int(z, 2 * r + d);
	}
	return m;
}

static Node *pad_times(Graph *g, const Beside *b, Node *z)
{
	Margins m = margins_of(z);
	if (z->narg != 1) return NULL;
	Node *y = meet(g, b, z->arg[0], there(g, b->w, z->arg[0], m.before, m.step));
	return pad(g, y, m.before, m.after, m.step);
}

/* Of a concatenation of which a part is zero. */
static Node *parts_times(Graph *g, const Beside *b, Node *z)
{
	uint32_t axis = (uint32_t)attr_int(z, 0);
	Node **part = NEW_ARRAY(g->arena, Node *, z->narg);
	const Size *at[RANK_MAX];
	int64_t step[RANK_MAX];
	bool any = false;
	for (uint32_t d = 0; d < node_rank(z); d++) {
		at[d] = size_const(g, 0);
		step[d] = 1;
	}
	for (uint32_t k = 0; k < z->narg; k++) any |= is_zeros(z->arg[k]);
	for (uint32_t k = 0; k < z->narg && any; k++) {
		Node *p = part[k] = z->arg[k];
		if (!is_zeros(p) && !(part[k] = meet(g, b, p, there(g, b->w, p, at, step)))) return NULL;
		at[axis] = size_add(g, at[axis], node_dim(p, axis));
	}
	return any ? concat(g, axis, z->narg, part) : NULL;
}

static Node *mask_times(Graph *g, const Beside *b, const Node *z)
{
	Node *arg[2];
	if (is_zeros(z->arg[1]) == is_zeros(z->arg[2])) return NULL;
	for (uint32_t k = 0; k < 2; k++)
		arg[k] = is_zeros(z->arg[k + 1]) ? z->arg[k + 1] : meet(g, b, z->arg[k + 1], b->w);
	return build3(g, OP_WHERE, z->arg[0], arg[0], arg[1]);
}

static Node *part_times(Graph *g, const Beside *b, Node *z, uint32_t depth)
{
	if (!depth || (b->w && z->type != b->w->type)) return NULL;
	switch ((Op)z->op) {
	case OP_SCATTER_ADD:
	case OP_SCATTER_SET: return write_times(g, b, z, depth - 1);
	case OP_PAD: return pad_times(g, b, z);
	case OP_CONCAT: return parts_times(g, b, z);
	case OP_WHERE: return mask_times(g, b, z);
	default: return NULL;
	}
}

Node *zeros_times(Graph *g, Node *x)
{
	Beside b = {(Op)x->op, x->narg > 1 ? x->arg[1] : NULL, false};
	Node *y = part_times(g, &b, x->arg[0], DEEP);
	if (y || x->op != OP_MUL) return y;
	b = (Beside){OP_MUL, x->arg[0], true};
	return part_times(g, &b, x->arg[1], DEEP);
}

/* Do two lie alike, or is the other zero everywhere? */
static bool lies_like(const Node *z, const Node *other)
{
	if (is_zeros(other)) return true;
	if (other->op != z->op || other->attr != z->attr) return false;
	if (z->op == OP_PAD) return z->arg[0]->type == other->arg[0]->type;
	return other->arg[1] == z->arg[1] && is_zeros(other->arg[0]);
}

/* What is chosen of a part: of zeros a zero. */
static Node *chosen_part(Graph *g, Node *z, uint32_t at, const Node *like)
{
	return is_zeros(z) ? constant_float(g, like->type, 0) : z->arg[at];
}

Node *choose_part(Graph *g, Node *x)
{
	Node *c = x->arg[0], *a = x->arg[1], *b = x->arg[2], *z = is_zeros(a) ? b : a;
	bool padded = z->op == OP_PAD && z->narg == 1;
	bool write = writes(z) && is_zeros(z->arg[0]) && index_names_once(g, z->arg[1]);
	if (!padded && !write) return NULL;
	if (!lies_like(z, z == a ? b : a)) return NULL;
	uint32_t at = write ? 2 : 0;
	Node *u = chosen_part(g, a, at, z->arg[at]), *v = chosen_part(g, b, at, z->arg[at]);
	if (write) {
		Node *by = at_index(g, c, z->arg[1], attr_int(z, 0));
		Node *chosen = build3(g, OP_WHERE, by, u, v);
		return scatter(g, (Op)z->op, z->arg[0], z->arg[1], chosen, attr_int(z, 0));
	}
	Margins m = margins_of(z);
	Node *by = there(g, c, z->arg[0], m.before, m.step);
	return pad(g, build3(g, OP_WHERE, by, u, v), m.before, m.after, m.step);
}
