/* elab_operator.c - chains, comparisons and signs; arithmetic on numbers and sizes that are known while
 * building. */
#include "elaborator.h"
#include "../oracle/oracle.h"

/* ---- operators ---------------------------------------------------------------------------- */

static Op sign_op(Sign s)
{
	switch (s) {
	case SIGN_OR: return OP_OR;
	case SIGN_AND: return OP_AND;
	case SIGN_EQ: return OP_EQ;
	case SIGN_NE: return OP_NE;
	case SIGN_LT: return OP_LT;
	case SIGN_LE: return OP_LE;
	case SIGN_GT: return OP_GT;
	case SIGN_GE: return OP_GE;
	case SIGN_PLUS: return OP_ADD;
	case SIGN_MINUS: return OP_SUB;
	case SIGN_TIMES: return OP_MUL;
	case SIGN_DIVIDE: return OP_DIV;
	case SIGN_FLOOR: return OP_FLOORDIV;
	case SIGN_MOD: return OP_MOD;
	case SIGN_POWER: return OP_POW;
	default: return OP_NONE;
	}
}

/* Arithmetic on sizes stays a size. */
static Node *size_arith(Graph *g, Op op, const Size *a, const Size *b)
{
	int64_t n;
	const Size *s = NULL;
	switch (op) {
	case OP_ADD: s = size_add(g, a, b); break;
	case OP_SUB: s = size_sub(g, a, b); break;
	case OP_MUL: s = size_mul(g, a, b); break;
	case OP_FLOORDIV:
	case OP_MOD:
		if (size_is(b, &n) ? n > 0 : true)
			s = op == OP_MOD ? size_mod(g, a, b) : size_floordiv(g, a, b);
		break;
	case OP_MAXIMUM: s = size_max(g, a, b); break;
	case OP_MINIMUM: s = size_min(g, a, b); break;
	default: break;
	}
	return s ? size_value(g, s)->node : NULL;
}

static Node *size_test(Graph *g, Op op, const Size *a, const Size *b)
{
	Proof p = size_compare(g, a, b);
	bool below = p == PROOF_LESS, above = p == PROOF_GREATER, same = p == PROOF_EQUAL;
	bool at_most = below || same || p == PROOF_LESS_EQUAL,
	     at_least = above || same || p == PROOF_GREATER_EQUAL;
	bool yes = false, no = false;
	switch (op) {
	case OP_EQ:
	case OP_NE:
		yes = same;
		no = below || above;
		break;
	case OP_LT:
	case OP_GE:
		yes = below;
		no = at_least;
		break;
	case OP_GT:
	case OP_LE:
		yes = above;
		no = at_most;
		break;
	default: break;
	}
	bool turned = op == OP_NE || op == OP_GE || op == OP_LE;
	return yes || no ? constant_int(g, type_scalar(g, DT_BOOL), yes != turned) : NULL;
}

static bool is_weak_int(const Node *x)
{
	return x->type->kind == TYPE_ARRAY && node_is_scalar(x) && node_dtype(x) == DT_WEAK_INT;
}

/* 1.5 + 2i is one constant. */
static Node *complex_number(Graph *g, Op op, const Node *a, const Node *b)
{
	double x, v[2];
	if ((op != OP_ADD && op != OP_SUB) || b->op != OP_CONST || node_dtype(b) != DT_WEAK_COMPLEX ||
		node_rank(b) || a->op != OP_CONST || !dtype_is_weak(node_dtype(a)) || node_rank(a) ||
		!constant_value(a, &x))
		return NULL;
	memcpy(v, constant_bytes(b), sizeof v);
	if (v[0] != 0) return NULL;
	v[0] = x;
	v[1] = op == OP_ADD ? v[1] : -v[1];
	return constant(g, b->type, v);
}

/* Of two sizes, or of numbers of which one is imaginary: known at once, or NULL. */
static Node *known_result(Graph *g, Op op, Node *a, Node *b)
{
	const Size *x = is_weak_int(a) ? known_size(a, g) : NULL;
	const Size *y = is_weak_int(b) ? known_size(b, g) : NULL;
	Node *known = NULL;
	bool test = op_info[op].dtype == RTEST || op_info[op].dtype == TEST;
	if (x && y && (a->op == OP_SIZE || b->op == OP_SIZE)) /* numbers alone: build() */
		known = test ? size_test(g, op, x, y) : size_arith(g, op, x, y);
	if (known || g->error.code) return known;
	bool arrays = a->type->kind == TYPE_ARRAY && b->type->kind == TYPE_ARRAY;
	return arrays ? complex_number(g, op, a, b) : NULL;
}

/* The base of a^b where b is a negative literal: 2^-1 is a half; NULL with an error where it is no float. */
static Node *base_of_power(Graph *g, Node *a, Node *b)
{
	int64_t n;
	bool negative = is_weak_int(b) && constant_integer(b, &n) && n < 0;
	if (!negative || a->type->kind != TYPE_ARRAY || !dtype_is_integer(node_dtype(a))) return a;
	if (dtype_is_weak(node_dtype(a))) return cast(g, a, DT_WEAK_FLOAT);
	return graph_fail(
		g, ERR_TYPE, "^: an integer to the power %lld; convert it, as in f64(x)", (long long)n);
}

Node *arith(Elab *e, Op op, Node *a, Node *b)
{
	Graph *g = e->g;
	if (!a || !b) return NULL;
	Node *known = known_result(g, op, a, b);
	if (known || g->error.code) return known;
	if (op == OP_POW) a = base_of_power(g, a, b);
	return a ? build2(g, op, a, b) : NULL;
}

Node *arith_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	(void)n;
	return arith(e, *(const Op *)user, x[0], x[1]);
}

static Node *op_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	return build(e->g, *(const Op *)user, NULL, n, x);
}

static const Size *inner_size(const Node *x, bool left)
{
	uint32_t r = node_rank(x), above = r > 1 ? r - 2 : 0;
	return node_dim(x, left ? r - 1 : above);
}

static Binding *matrix_product(Elab *e, const Syntax *s, uint32_t i, Binding *a, Binding *b)
{
	const Syntax *right = s->part[i];
	if (a->kind != B_NODE || b->kind != B_NODE)
		return fail_at_syntax(e, s, ERR_TYPE, "%s: @ takes arrays, not %s", shown(e, s),
			kind_text(a->kind == B_NODE ? b : a));
	if (a->node->type->kind == TYPE_ARRAY && b->node->type->kind == TYPE_ARRAY && node_rank(a->node) &&
		node_rank(b->node) &&
		sizes_clash(e->g, inner_size(a->node, true), inner_size(b->node, false))) {
		Text left;
		text_open(&left, e->g->arena);
		print_chain(&left, s, i);
		const char *l = text_done(&left);
		return fail_at_syntax(e, s, ERR_TYPE,
			"%s @ %s: inner sizes differ: %s (%s: %s) and %s (%s: %s)%s", l, shown(e, right),
			size_shown(e->g, inner_size(a->node, true)), l, shown_type(e, a),
			size_shown(e->g, inner_size(b->node, false)), shown(e, right), shown_type(e, b),
			clash_advice(e->g, inner_size(a->node, true), inner_size(b->node, false)));
	}
	return bind_node(e->g, matmul(e->g, a->node, b->node));
}

/* x and y, x or y: what is known of x decides at once, or leaves y. */
static Binding *logical(Elab *e, Env env, const Syntax *s, uint32_t i, Binding *x)
{
	const Op op = sign_op((Sign)s->signs[i - 1]);
	bool known, is_known = known_bool(e, x, &known);
	if (is_known && known == (op == OP_OR)) return x; /* not looked at: ends recursions */
	if (is_known) return elab(e, env, s->part[i]);
	Node *before = e->token;
	e->g->bodies++;
	Binding *y = elab(e, env, s->part[i]);
	e->g->bodies--;
	if (!y) return NULL;
	at(e, s);
	Node *decided = NULL;
	if (x->kind == B_NODE && y->kind == B_NODE)
		decided = decided_by(e, env, s->part[i], op, (Node *[]){x->node, y->node}, before);
	if (decided || e->g->error.code) return bind_node(e->g, decided);
	return on_leaves(e, s, 2, (Binding *[]){x, y}, arith_leaf, &op);
}

Binding *elab_chain(Elab *e, Env env, const Syntax *s)
{
	Binding *x = elab(e, env, s->part[0]);
	for (uint32_t i = 1; x && i < s->count; i++) {
		Sign sign = (Sign)s->signs[i - 1];
		if (sign == SIGN_AND || sign == SIGN_OR) {
			x = logical(e, env, s, i, x);
			continue;
		}
		Binding *y = elab(e, env, s->part[i]);
		if (!y) return NULL;
		at(e, s);
		Op op = sign_op(sign);
		x = sign == SIGN_MATMUL ? matrix_product(e, s, i, x, y)
					: on_leaves(e, s, 2, (Binding *[]){x, y}, arith_leaf, &op);
	}
	return x;
}

Binding *elab_compare(Elab *e, Env env, const Syntax *s)
{
	Binding *all = NULL, *x = elab(e, env, s->part[0]);
	const Op both = OP_AND;
	for (uint32_t i = 1; x && i < s->count; i++) {
		Binding *y = elab(e, env, s->part[i]);
		if (!y) return NULL;
		at(e, s);
		Op op = sign_op((Sign)s->signs[i - 1]);
		Binding *test = on_leaves(e, s, 2, (Binding *[]){x, y}, arith_leaf, &op);
		all = all && test ? on_leaves(e, s, 2, (Binding *[]){all, test}, arith_leaf, &both) : test;
		if (!all) return NULL;
		x = y;
	}
	return x ? all : NULL;
}

Binding *elab_unary(Elab *e, Env env, const Syntax *s)
{
	Binding *x = elab(e, env, s->part[0]);
	if (!x) return NULL;
	at(e, s);
	bool known;
	if (s->sign == SIGN_NOT && known_bool(e, x, &known))
		return bind_node(e->g, constant_int(e->g, type_scalar(e->g, DT_BOOL), !known));
	if (s->sign == SIGN_MINUS && x->kind == B_NODE && is_weak_int(x->node) && x->node->op == OP_SIZE) {
		const Size *n = known_size(x->node, e->g);
		if (n) return size_value(e->g, size_sub(e->g, size_const(e->g, 0), n));
	}
	const Op op = s->sign == SIGN_NOT ? OP_NOT : OP_NEG;
	if (s->sign == SIGN_MINUS && x->kind == B_NODE && x->node->op == OP_CONST &&
		node_dtype(x->node) == DT_WEAK_FLOAT && literal_dtype(x->node) == DT_WEAK_FLOAT &&
		x->node->type->n == 0) {
		double v;
		if (constant_value(x->node, &v)) return bind_node(e->g, weak_float(e->g, -v));
	}
	return on_leaves(e, s, 1, &x, op_leaf, &op);
}
