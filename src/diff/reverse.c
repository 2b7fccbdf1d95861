/* reverse.c - reverse mode: the linear part of forward mode, transposed.
 *
 * needs: nodes that depend linearly on leaves; gives: cotangents of the leaves
 *
 * Contributions to a node are added in the order of the places of their
 * users, then of operand position.  A cotangent that comes through a branch
 * of `where` carries its mask beside it through what follows and is masked as
 * late as is possible: multiplied first, masked after, so that no NaN of the
 * branch not taken comes through.  So does one of what a loop or branch captures carry where it was asked for
 * at all: what is outside is computed also where no pass and no side has asked, and may be NaN there.
 */
#include "linear.h"
#include "../batch/batch.h"

/* One contribution: `value` where `mask` holds (NULL: everywhere), else zero; all of it zero where it was not
 * asked for (NULL: it was).  out, zero: `value` itself is, where the mask does not hold; where not asked. */
typedef struct Contribution {
	uint32_t user, slot;
	Node *value, *mask, *asked;
	bool out, zero;
	struct Contribution *next;
} Contribution;
typedef struct Parts {
	Contribution *first; /* in the order of users' places, then of slots */
	Cotangent *elem;     /* a tuple's cotangents; they are zero where not asked for */
} Parts;

enum { MASKS_MOST = 8 };

/* Of a place: linear in the leaves; a leaf; a leaf whose cotangent somebody multiplies yet. */
enum { LINEAR_IN = 1, IS_LEAF, IS_FACTOR };

typedef struct Reverse {
	Graph *g;
	Arena *a;
	Region *r;
	unsigned char *linear; /* by place */
	Parts *parts;          /* by place */
	Table kept;            /* transposes of calls that stay (calls.c) */
} Reverse;

static Node *masked(Graph *g, Node *value, Node *mask)
{
	return mask ? build3(g, OP_WHERE, mask, value, like(g, value, 0)) : value;
}

/* Has x no element where the loop whose passes are asked about has no pass? */
static bool is_empty_then(Graph *g, const Node *x, const Node *asked)
{
	int64_t none;
	if (asked->op != OP_GT || node_dtype(asked->arg[0]) != DT_I64) return false;
	if (!constant_integer(asked->arg[1], &none) || none != 0) return false;
	const Size *n = size_of_node(g, asked->arg[0]);
	for (uint32_t i = 0; i < node_rank(x); i++)
		if (node_dim(x, i) == n) return true;
	return false;
}

/* The value, zero where it was not asked for. */
static Node *if_asked(Graph *g, const Contribution *c)
{
	Node *x = masked(g, c->value, c->out ? NULL : c->mask);
	if (!x || !c->asked || c->zero || is_empty_then(g, x, c->asked)) return x;
	return masked(g, x, broadcast_to(g, c->asked, node_rank(x), x->type->u.dim));
}

/* A cotangent has the shape of its node: where a size that data gives met an axis (`where`, a loop over
 * both), it comes with that size, and the call checks that they are equal. */
static Node *shaped(Graph *g, Node *x, const Node *to)
{
	const Type *t = x ? type_array(g, node_dtype(x), node_rank(to), to->type->u.dim) : NULL;
	if (!t || x->type == t) return t ? x : NULL;
	bool uniform = x->op == OP_CONST && constant_is_uniform(x);
	return uniform ? node_leaf(g, OP_CONST, x->attr, t) : sized(g, x, t->n, t->u.dim);
}

/* Users come last place first, slots in whatever order: a part goes before all but some of its own user's. */
static void contribute(Reverse *v, Node *to, uint32_t user, uint32_t slot, Contribution c)
{
	if (!c.value) return;
	Contribution **at = &v->parts[region_place(v->r, to)].first, *p = NEW(v->a, Contribution);
	while (*at && ((*at)->user < user || ((*at)->user == user && (*at)->slot < slot))) at = &(*at)->next;
	*p = c;
	p->user = user;
	p->slot = slot;
	p->value = shaped(v->g, c.value, to);
	p->mask = shaped(v->g, c.mask, to);
	p->next = *at;
	*at = p;
}

/* A mask that is one for all elements says, as that of a number does, whether the node is asked for; spread:
 * so does whether any of its elements holds. */
static void ask_by_mask(Graph *g, bool spread, Contribution *u)
{
	Node *m = u->mask, *one = m ? mask_number(g, m) : NULL;
	if (!m) return;
	u->mask = NULL;
	if (!one) {
		u->value = masked(g, u->value, u->out ? NULL : m);
		u->zero |= !u->asked;
		if (!spread) return;
		one = fold_all(g, OP_ANY, m);
	} else {
		u->zero = false;
	}
	u->asked = u->asked ? build2(g, OP_AND, u->asked, one) : one;
}

static Node *either_asked(Graph *g, Node *a, Node *b)
{
	if (!a || !b) return NULL;
	if (mask_implies(a, b)) return b;
	return mask_implies(b, a) ? a : build2(g, OP_OR, a, b);
}

/* May masks of numbers ask?  Where one of several says what each of them says, or something asks already. */
static bool masks_ask(Graph *g, const Contribution *first)
{
	const Node *most = first->mask ? mask_number(g, first->mask) : NULL;
	bool asks = false, nested = most != NULL;
	for (const Contribution *i = first; i; i = i->next) {
		const Node *m = i->mask ? mask_number(g, i->mask) : NULL;
		asks |= i->asked != NULL;
		if (nested && m && mask_implies(most, m)) most = m;
		nested = nested && m && mask_implies(m, most);
	}
	return asks || nested;
}

/* Do all come with one mask, and are asked for by one? */
static bool are_alike(Reverse *v, Contribution *first)
{
	bool alike = true;
	for (const Contribution *i = first; i; i = i->next)
		alike &= i->asked == first->asked && i->mask == first->mask;
	if (alike || !masks_ask(v->g, first)) return alike;
	for (Contribution *i = first; i; i = i->next)
		if (i->mask && mask_number(v->g, i->mask)) ask_by_mask(v->g, false, i);
	alike = true;
	for (const Contribution *i = first; i; i = i->next)
		alike &= i->asked == first->asked && i->mask == first->mask;
	return alike;
}

/* x + y, a difference where y has a minus. */
static Node *plus(Graph *g, Node *x, Node *y)
{
	return y->op == OP_NEG ? build2(g, OP_SUB, x, y->arg[0]) : build2(g, OP_ADD, x, y);
}

/* Where any of what has come to a node is not zero; NULL: everywhere. */
static Node *all_masks(Reverse *v, const Contribution *first)
{
	Node *mask[MASKS_MOST];
	uint32_t n = 0;
	bool any = false;
	for (const Contribution *i = first; i; i = i->next) {
		const Type *t = i->value ? i->value->type : NULL;
		if (!t || (!i->mask && !i->asked) || n == MASKS_MOST) return NULL;
		mask[n] = i->mask ? i->mask : broadcast_to(v->g, i->asked, t->n, t->u.dim);
		any |= i->mask != NULL;
		if (!mask[n++]) return NULL;
	}
	return any ? any_mask(v->g, n, mask) : NULL;
}

/* The sum of what has come to a node: where all come with one mask, before that is asked. */
static Contribution collect(Reverse *v, const Parts *p)
{
	Contribution *first = p->first;
	if (!first->next) return *first;
	bool alike = are_alike(v, first);
	Contribution sum = {.zero = true, .out = true, .asked = first->asked};
	sum.mask = alike ? first->mask : all_masks(v, first);
	for (const Contribution *i = first; i; i = i->next) {
		Node *x = alike ? i->value : if_asked(v->g, i);
		sum.value = sum.value && x ? plus(v->g, sum.value, x) : x;
		sum.asked = either_asked(v->g, sum.asked, i->asked);
		sum.zero &= !alike || i->zero;
		sum.out &= !alike || i->out;
	}
	return sum;
}

enum { CHOICES = 6 }; /* so many within one another are looked at */

static Node *join_masks(Graph *g, Node *a, Node *b)
{
	return a ? build2(g, OP_AND, a, b) : b;
}

/* What is chosen whatever the conditions are, of choices within one another. */
static const Node *chosen_anyway(const Node *x, unsigned within)
{
	if (x->op != OP_WHERE || !within) return x;
	const Node *y = chosen_anyway(x->arg[1], within - 1);
	return y == chosen_anyway(x->arg[2], within - 1) ? y : x;
}

static void through_where(Reverse *v, Node *x, uint32_t place, Contribution u)
{
	Graph *g = v->g;
	Node *mask = u.mask;
	if (chosen_anyway(x, CHOICES) != x) {
		contribute(v, x->arg[1], place, 1, u);
		return;
	}
	for (uint32_t k = 1; k < 3; k++)
		if (v->linear[region_place(v->r, x->arg[k])]) {
			Node *c = k == 1 ? x->arg[0] : build1(g, OP_NOT, x->arg[0]);
			u.mask = join_masks(g, mask, c);
			u.out = false;
			contribute(v, x->arg[k], place, k, u);
		}
}

/* The mask as the transpose of x shows it, where that is a view of the same elements, or their sum (out is
 * one of which all of them are); otherwise the value is masked. */
static bool mask_passes(const Node *x)
{
	switch (op_info[x->op].class) {
	case MAP: return x->op != OP_CAST || dtype_is_float(node_dtype(x->arg[0]));
	case FOLD: return x->op == OP_SUM;
	case VIEW: return x->op == OP_RESHAPE || x->op == OP_TRANSPOSE || x->op == OP_FLIP ||
			(x->op == OP_EXPAND && node_rank(x->arg[0]));
	default: return false;
	}
}

/* Does its transpose make zeros of zeros, whatever its other operands are? */
static bool keeps_zeros(const Node *x)
{
	return op_info[x->op].class == VIEW || x->op == OP_SUM || x->op == OP_ADD || x->op == OP_SUB ||
		x->op == OP_NEG || x->op == OP_CAST;
}

/* Through a product with what may be no number where the mask does not hold: that is 0 there, too, until
 * guarded_products() sees whether it has to be. */
static bool through_product(Reverse *v, const Node *x, uint32_t place, const Contribution *u)
{
	Node *back[2] = {NULL}, *mask[2] = {u->mask, u->mask};
	if (x->op != OP_CONTRACT || !u->mask || mask_number(v->g, u->mask)) return false;
	for (uint32_t k = 0; k < 2; k++) {
		Node *other = x->arg[!k];
		if (!v->linear[region_place(v->r, x->arg[k])]) continue;
		if (other->op != OP_CONST && !mask_asks(u->mask, other) && !mask_guards(u->mask, other))
			back[k] = guarded_transpose(v->g, x, k, u->value, &mask[k]);
		if (!back[k]) return false;
	}
	for (uint32_t k = 2; k-- > 0;) {
		Contribution c = {.value = back[k], .mask = mask[k], .asked = u->asked};
		if (back[k] && !mask[k]) { /* none of it, where nothing is left */
			c.asked = join_masks(v->g, c.asked, fold_all(v->g, OP_ANY, u->mask));
			c.zero = !u->asked;
		}
		contribute(v, x->arg[k], place, k, c);
	}
	return true;
}

/* Of what comes to an operand; the minus of what is summed is that of the sum. */
static bool turn_back(Reverse *v, Node *x, Node *value, uint32_t k, Node **back)
{
	const bool minus = x->op == OP_EXPAND && value->op == OP_NEG;
	if (!transpose_apply(v->g, v->a, x, minus ? value->arg[0] : value, k, back)) return false;
	if (minus && *back) *back = build1(v->g, OP_NEG, *back);
	return true;
}

static void through_operator(Reverse *v, Node *x, uint32_t place, Contribution u)
{
	Graph *g = v->g;
	if (through_product(v, x, place, &u)) return;
	const bool passes = u.mask && mask_passes(x) &&
		(op_info[x->op].class == MAP || !mask_number(g, u.mask));
	if (!passes) ask_by_mask(g, x->op == OP_EXPAND && !node_rank(x->arg[0]), &u);
	const bool zero = u.zero && keeps_zeros(x), sums = x->op == OP_EXPAND;
	Node *mask = NULL, *value = u.value;
	if (passes && sums && !u.out) value = masked(g, value, u.mask);
	const bool out = passes && (sums || (u.out && keeps_zeros(x)));
	if (passes) {
		mask = u.mask;
		if (op_info[x->op].class != MAP) /* turn the mask as the value is turned */
			mask = NULL;
		if (!mask) {
			/* a view or a sum transposes bools as it does numbers: by the same rule over a 0/1
			 * array */
			Node *as_number = cast(g, u.mask, node_dtype(value)), *turned = NULL;
			if (!transpose_apply(g, v->a, x, as_number, 0, &turned) || !turned) return;
			mask = build2(g, OP_NE, turned, like(g, turned, 0));
		}
	}
	uint32_t n = op_info[x->op].args == VARIADIC ? x->narg : (uint32_t)op_info[x->op].args;
	for (uint32_t k = n; k-- > 0 && !g->error.code;) {
		Node *back = NULL;
		if (!v->linear[region_place(v->r, x->arg[k])]) continue;
		if (turn_back(v, x, value, k, &back))
			contribute(v, x->arg[k], place, k,
				(Contribution){.value = back,
					.mask = mask,
					.asked = u.asked,
					.out = out,
					.zero = zero});
	}
}

static void through_marker(Reverse *v, Node *x, uint32_t place, Contribution u)
{
	Graph *g = v->g;
	uint32_t n = call_function(x)->nparam / 2;
	const Attr *which = call_function(x)->opattr;
	Function *op = which->v[0].u.function;
	Node **out = NEW_ARRAY(v->a, Node *, n + 1);
	ask_by_mask(g, false, &u);
	Node *primal = call_as_called(g, x, op, x->arg), *value = u.value;
	if (!primal || !value) return;
	if (!(own_derivative(primal, OWN_PULLBACK) ? own_apply(g, primal, &value, out)
						   : vjp_apply(g, primal, value, out)))
		return;
	for (uint32_t k = 0; k < n; k++)
		if (which->v[k + 1].u.i && v->linear[region_place(v->r, x->arg[n + k])])
			contribute(v, x->arg[n + k], place, k,
				(Contribution){.value = out[k], .asked = u.asked});
}

/* Of no operator's results was any asked for, where this does not hold; NULL: it always holds. */
static Node *any_asked(Graph *g, uint32_t n, const Cotangent *u)
{
	Node *any = NULL;
	bool first = true;
	for (uint32_t i = 0; i < n; i++) {
		if (!u[i].value) continue;
		any = first ? u[i].asked : either_asked(g, any, u[i].asked);
		first = false;
	}
	return any;
}

static void through_bodies(Reverse *v, Node *x, uint32_t place, uint32_t nresult, const Cotangent *result)
{
	Graph *g = v->g;
	bool *linear = NEW_ARRAY(v->a, bool, x->narg), *factor = NEW_ARRAY(v->a, bool, x->narg);
	Node **u = NEW_ARRAY(v->a, Node *, nresult), **out = NEW_ARRAY(v->a, Node *, x->narg);
	Cotangent *back = NEW_ARRAY(v->a, Cotangent, x->narg);
	for (uint32_t i = 0; i < nresult; i++) u[i] = result[i].value;
	for (uint32_t k = 0; k < x->narg; k++) {
		unsigned char mark = v->linear[region_place(v->r, x->arg[k])];
		linear[k] = mark;
		factor[k] = mark == LINEAR_IN || mark == IS_FACTOR;
	}
	const TurnRound turn = {linear, factor, u};
	bool good;
	switch (x->op) {
	case OP_IF: good = reverse_if(g, x, &turn, back); break;
	case OP_SCAN: good = reverse_scan(g, x, &turn, back); break;
	default:
		good = system_size(x) ? reverse_system(g, x, linear, u, out)
				      : reverse_kept(g, &v->kept, x, linear, u, out);
		for (uint32_t k = 0; k < x->narg; k++) back[k].value = out[k];
	}
	if (!good) return;
	Node *asked = any_asked(g, nresult, result);
	for (uint32_t k = 0; k < x->narg; k++) {
		Contribution c = {.value = back[k].value, .asked = back[k].asked, .zero = !asked};
		if (!linear[k]) continue;
		if (asked) c.asked = c.asked ? build2(g, OP_AND, asked, c.asked) : asked;
		contribute(v, x->arg[k], place, k, c);
	}
}

static bool node_has_bodies(const Node *x)
{
	Body b[BODIES_MAX];
	return node_bodies(x, b) > 0;
}

static bool is_marked(const Reverse *v, const Node *x)
{
	return v->linear[region_place(v->r, x)];
}

/* What an operator does that is linear in no way: it multiplies two of what is linear, divides by one or asks
 * it for a bool; NULL: nothing of that. */
static const char *bend(Reverse *v, const Node *x)
{
	const unsigned flags = op_info[x->op].flags;
	bool first = x->narg && is_marked(v, x->arg[0]), second = x->narg > 1 && is_marked(v, x->arg[1]);
	if ((flags & BILINEAR || x->op == OP_FMA) && first && second) return "multiplies two of them";
	if (flags & RATIO && second) return "divides by one";
	return (x->op == OP_WHERE || x->op == OP_IF) && first ? "asks of one which side it takes" : NULL;
}

static bool is_linear(Reverse *v, const Node *x)
{
	const char *what = bend(v, x);
	if (what)
		graph_fail(v->g, ERR_DERIVATIVE,
			"a derivative is linear in its tangents, and %s %s (all that a loop carries beside tangents "
			"counts as one)",
			op_info[x->op].text, what);
	return !what;
}

static void through(Reverse *v, Node *x, uint32_t place)
{
	Graph *g = v->g;
	Parts *p = &v->parts[place];
	if ((p->first || p->elem) && !is_linear(v, x)) return;
	if (x->type->kind == TYPE_TUPLE && node_has_bodies(x)) {
		if (p->elem) through_bodies(v, x, place, x->type->n, p->elem);
		return;
	}
	if (!p->first) return;
	Contribution u = collect(v, p);
	if (!u.value) return;
	if (x->op == OP_GET || call_is_kept(x) || system_size(x)) ask_by_mask(g, false, &u);
	if (x->op == OP_GET) {
		uint32_t from = region_place(v->r, x->arg[0]);
		Parts *t = &v->parts[from];
		if (!t->elem) t->elem = NEW_ARRAY(v->a, Cotangent, x->arg[0]->type->n);
		t->elem[attr_int(x, 0)] = (Cotangent){if_asked(g, &u), u.asked};
	} else if (x->op == OP_WHERE) {
		through_where(v, x, place, u);
	} else if (marker_is(x)) {
		through_marker(v, x, place, u);
	} else if (call_is_kept(x) || system_size(x)) {
		through_bodies(v, x, place, 1, &(Cotangent){if_asked(g, &u), u.asked});
	} else {
		through_operator(v, x, place, u);
	}
}

bool transpose_linear(Graph *g, Nodes y, Node *const *u, Nodes leaf, Node **out)
{
	Cotangent *back = NEW_ARRAY(g->arena, Cotangent, leaf.n);
	bool good = transpose_body(g, y, u, leaf, NULL, back);
	for (uint32_t k = 0; k < leaf.n; k++) out[k] = back[k].value;
	return good;
}

bool transpose_body(Graph *g, Nodes y, Node *const *u, Nodes leaf, const bool *factor, Cotangent *out)
{
	Reverse v = {.g = g, .a = arena_child(g->arena)};
	table_open(&v.kept, v.a);
	v.r = region_of(v.a, y.n, y.v);
	v.linear = NEW_ARRAY(v.a, unsigned char, v.r->n);
	v.parts = NEW_ARRAY(v.a, Parts, v.r->n);
	for (uint32_t k = 0; k < leaf.n; k++) {
		uint32_t place = region_place(v.r, leaf.v[k]);
		out[k] = (Cotangent){0};
		if (place != UINT32_MAX) v.linear[place] = factor && factor[k] ? IS_FACTOR : IS_LEAF;
	}
	for (uint32_t i = 0; i < v.r->n; i++) {
		region_look_ahead(v.r, i);
		for (uint32_t k = 0; k < v.r->node[i]->narg && !v.linear[i]; k++)
			if (v.linear[region_place(v.r, v.r->node[i]->arg[k])]) v.linear[i] = LINEAR_IN;
	}
	for (uint32_t i = y.n; i-- > 0;)
		if (y.v[i] && u[i] && v.linear[region_place(v.r, y.v[i])])
			contribute(&v, y.v[i], UINT32_MAX, i, (Contribution){.value = u[i]});
	const Where where = g->where;
	for (uint32_t i = v.r->n; i-- > 0 && !g->error.code;)
		if (v.linear[i] == LINEAR_IN) {
			g->where = v.r->node[i]->origin ? v.r->node[i]->origin->where : where;
			through(&v, v.r->node[i], i);
		}
	g->where = where;
	for (uint32_t k = 0; k < leaf.n && !g->error.code; k++) {
		uint32_t place = region_place(v.r, leaf.v[k]);
		if (place == UINT32_MAX || !v.parts[place].first) continue;
		Contribution p = collect(&v, &v.parts[place]);
		if (v.linear[place] == IS_FACTOR) ask_by_mask(g, true, &p);
		out[k] = (Cotangent){if_asked(g, &p), v.linear[place] == IS_FACTOR ? p.asked : NULL};
	}
	arena_free(v.a);
	return !g->error.code;
}

bool diff_vjp(Graph *g, Nodes y, Nodes x, Node *const *u, Node **out)
{
	if (g->error.code) return false;
	Arena *a = arena_child(g->arena);
	Node **leaf = NEW_ARRAY(a, Node *, x.n), **dy = NEW_ARRAY(a, Node *, y.n),
	     **ct = NEW_ARRAY(a, Node *, y.n);
	Forward f;
	forward_open(&f, g, a);
	for (uint32_t i = 0; i < x.n; i++) {
		leaf[i] = forward_of(&f, x.v[i]); /* of a variable that stands twice */
		if (leaf[i]) continue;
		leaf[i] = differential_leaf(g, x.v[i]);
		forward_seed(&f, x.v[i], leaf[i]);
	}
	g->bodies++;
	g->derived++;
	bool good = forward_run(&f, y.n, y.v);
	uint32_t n = 0;
	for (uint32_t i = 0; good && i < y.n; i++)
		if (u[i] && (dy[n] = forward_of(&f, y.v[i]))) ct[n++] = u[i];
	good = good && transpose_linear(g, (Nodes){n, dy}, ct, (Nodes){x.n, leaf}, out);
	g->bodies--;
	g->derived--;
	for (uint32_t i = 0; good && i < x.n; i++) out[i] = out[i] ? out[i] : like(g, x.v[i], 0);
	arena_free(a);
	return good && !g->error.code;
}

bool diff_grad(Graph *g, Node *y, uint32_t nx, Node *const *x, Node **out)
{
	if (!y) return false;
	if (!node_is_scalar(y) || !dtype_is_float(node_dtype(y))) {
		graph_fail(g, ERR_DERIVATIVE,
			"grad: a gradient is of a real scalar, not of %s; use vjp or jacobian",
			type_shown(g, y->type));
		return false;
	}
	Node *one = like(g, y, 1);
	return diff_vjp(g, (Nodes){1, &y}, (Nodes){nx, x}, &one, out);
}
