/* right.c - building the right side of a rule.
 *
 * Needs: a match.  Gives: the node that the ordinary constructors make of the
 * right side over the bound nodes, or NULL (with the graph's error set) when
 * they refuse.  Tangents that are zero are nodes of no operator (OP_NONE) with
 * a type: a term with one disappears, and none reaches the graph.
 */
#include "rules.h"

bool is_zero(const Node *x)
{
	return x && x->op == OP_NONE;
}

Node *zero_tangent(Arena *a, const Type *t)
{
	Node *x = NEW(a, Node);
	x->type = t;
	return x;
}

Node *solid(Graph *g, Node *x)
{
	if (!is_zero(x)) return x;
	if (x->type->kind == TYPE_ARRAY) return constant_int(g, x->type, 0);
	Node **e = NEW_ARRAY(g->arena, Node *, x->type->n);
	for (uint32_t i = 0; i < x->type->n; i++) e[i] = constant_int(g, x->type->u.elem[i], 0);
	return tuple(g, x->type->n, e);
}

/* ---- brackets ------------------------------------------------------------------------ */

static bool attr_number(const Match *m, const AttrExpr *e, int64_t *out)
{
	int64_t a = 0, b = 0;
	switch (e->sign) {
	case 'n':
	case 'd': *out = e->value; return true;
	case 'v': {
		const Attr *list = m->attr[e->var].list;
		if (!list || list->n != 1 || list->v[0].kind != A_INT) return false;
		*out = list->v[0].u.i;
		return true;
	}
	default:
		if (!attr_number(m, e->a, &a) || !attr_number(m, e->b, &b)) return false;
		if (e->sign == '+') *out = a + b;
		if (e->sign == '-') *out = a - b;
		if (e->sign == '*') *out = a * b;
		return true;
	}
}

/* The list for an operator over `subject`; a fold without brackets takes all axes. */
bool attr_evaluate(const Match *m, const AttrPattern *p, Node *subject, const Attr **out)
{
	AttrValue v[3 * RANK_MAX + 2];
	*out = NULL;
	if (p->kind == AT_VARIABLE) {
		*out = m->attr[p->var].list;
		return true;
	}
	if (p->kind == AT_NONE) {
		uint32_t n = subject && subject->type->kind == TYPE_ARRAY ? node_rank(subject) : 0;
		for (uint32_t i = 0; i < n; i++) v[i] = av_int(i);
		*out = attr_make(m->g, n, v);
		return true;
	}
	if (p->n > countof(v)) return false;
	for (uint32_t i = 0; i < p->n; i++) {
		int64_t x = 0;
		if (p->list[i]->sign == 'v' && m->attr[p->list[i]->var].list &&
			m->attr[p->list[i]->var].list->n == 1) {
			v[i] = m->attr[p->list[i]->var].list->v[0];
			continue;
		}
		if (!attr_number(m, p->list[i], &x)) return false;
		v[i] = p->list[i]->sign == 'd' ? av_dtype((Dtype)x) : av_int(x);
	}
	*out = attr_make(m->g, p->n, v);
	return true;
}

/* ---- operators -------------------------------------------------------------------------- */

/* Constants are computed at once, if nothing is lost: 1/2 in a rule is a literal. */
static Node *folded(Graph *g, Node *x)
{
	if (!x || op_info[x->op].class != MAP) return x;
	for (uint32_t i = 0; i < x->narg; i++)
		if (x->arg[i]->op != OP_CONST || !constant_is_uniform(x->arg[i])) return x;
	Node *y = fold_literal(g, x);
	return y ? y : x;
}

static Node *expanded(Match *m, const Pattern *p, Node *x)
{
	const AttrBinding *b = p->attr.kind == AT_VARIABLE ? &m->attr[p->attr.var] : NULL;
	int64_t axes[RANK_MAX];
	if (!b || (b->list && !b->size))
		return graph_fail(m->g, ERR_RULE, "rule %s: expand: the sizes of the axes are not known",
			m->rule->name);
	uint32_t n = b->list ? b->list->n : 0;
	for (uint32_t i = 0; i < n; i++) axes[i] = b->list->v[i].u.i;
	return expand(m->g, x, n, axes, b->size);
}

/* A rule writes sizes as numbers: reshape[2, 3](x). */
static const Attr *with_sizes(Graph *g, Op op, const Attr *attr)
{
	AttrValue v[3 * RANK_MAX + 2];
	if (*op_info[op].brackets != 's' || !attr || attr->n > countof(v) || !op_info[op].brackets[1] ||
		op_info[op].brackets[1] == '.')
		return attr;
	for (uint32_t i = 0; i < attr->n; i++) {
		v[i] = attr->v[i];
		if (v[i].kind == A_INT && v[i].u.i >= 0) v[i] = av_size(size_const(g, v[i].u.i));
	}
	return attr_make(g, attr->n, v);
}

/* By brackets of another kind nothing is built.  A flip along no axis is one that a rule takes away. */
static Node *bracketed(Match *m, Op op, const Attr *attr, uint32_t n, Node **x)
{
	attr = with_sizes(m->g, op, attr);
	bool array = !n || x[0]->type->kind == TYPE_ARRAY, none = op == OP_FLIP && !attr;
	if (array && !none && !attr_fits(op, n ? node_rank(x[0]) : 0, attr))
		return graph_fail(m->g, ERR_RULE, "rule %s: %s: its brackets hold something else",
			m->rule->name, op_info[op].text);
	return build(m->g, op, attr, n, x);
}

static Node *plain_operator(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Graph *g = m->g;
	const Attr *attr = NULL;
	switch (p->kind) {
	case P_MATMUL: return matmul(g, x[0], x[1]);
	case P_TURN: return turn(g, x[0]);
	case P_INDEX: return gather(g, x[0], x[1], 0);
	case P_LIBRARY:
		if (!attr_evaluate(m, &p->attr, NULL, &attr) || !g->apply_op) return NULL;
		return g->apply_op(g, p->name, attr, n, x);
	default: break;
	}
	if (p->op == OP_EXPAND) return expanded(m, p, x[0]);
	bool fold = op_info[p->op].class == FOLD;
	bool has_list = fold || p->op == OP_FLIP || p->attr.kind != AT_NONE;
	if (has_list && !attr_evaluate(m, &p->attr, n ? x[0] : NULL, &attr)) return NULL;
	Node *y = bracketed(m, p->op, attr, n, x);
	y = m->apart ? y : folded(g, y);
	if (!y || !p->attr.keep) return y;
	int64_t axes[RANK_MAX];
	for (uint32_t i = 0; i < attr_count(y); i++) axes[i] = attr_int(y, i);
	return unsqueeze(g, y, attr_count(y), axes);
}

/* Is the result nothing, where some operands are (all: each of them)? */
static bool vanishes(Op op, bool all, Node *const *x)
{
	unsigned flags = op_info[op].flags;
	switch (op) {
	case OP_WHERE: return is_zero(x[1]) && is_zero(x[2]);
	case OP_SCATTER_ADD:
	case OP_SCATTER_MUL:
	case OP_SCATTER_SET: return is_zero(x[0]) && is_zero(x[2]);
	case OP_GATHER: return is_zero(x[0]);
	default: break;
	}
	if (all) return flags & (LINEAR | BILINEAR);
	return flags & BILINEAR || (op == OP_DIV && is_zero(x[0]));
}

/* Floats of one type, of which a sum, product or quotient is of that type, too. */
static bool are_one_type(uint32_t n, Node *const *x)
{
	for (uint32_t i = 1; i < n; i++)
		if (x[i]->type != x[0]->type) return false;
	return x[0]->type->kind == TYPE_ARRAY && dtype_is_float(node_dtype(x[0])) &&
		!dtype_is_weak(node_dtype(x[0]));
}

static bool is_arithmetic(Op op)
{
	return op == OP_ADD || op == OP_SUB || op == OP_MUL || op == OP_DIV || op == OP_NEG;
}

/* An operator some of whose operands are zero tangents.  Where the type of the result is known, nothing is
 * built to ask for it. */
static Node *operator_with_zeros(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Node *s[8];
	uint32_t zeros = 0;
	if (n > countof(s)) return graph_fail(m->g, ERR_RULE, "rule %s: too many operands", m->rule->name);
	for (uint32_t i = 0; i < n; i++) zeros += is_zero(x[i]);
	bool nothing = vanishes(p->op, zeros == n, x), sum = p->op == OP_ADD || p->op == OP_SUB;
	Node *y = NULL;
	if (!is_arithmetic(p->op) || !(nothing || sum) || !are_one_type(n, x)) {
		for (uint32_t i = 0; i < n; i++) s[i] = solid(m->g, x[i]);
		if (!(y = plain_operator(m, p, n, s))) return NULL;
	}
	const Type *type = y ? y->type : x[0]->type;
	if (nothing) return zero_tangent(m->scratch, type);
	if (!sum) return y;
	Node *other = is_zero(x[0]) ? x[1] : x[0];
	if (p->op == OP_SUB && is_zero(x[0])) other = build1(m->g, OP_NEG, other);
	return other ? broadcast_to(m->g, other, type->n, type->u.dim) : NULL;
}

/* Is it made by maps alone of numbers and what is bound, all of it of one type? */
static bool is_of_type(const Match *m, const Pattern *p, const Type *t)
{
	if (p->kind == P_LITERAL) return true;
	if (p->kind == P_VARIABLE) return m->value[p->var] && m->value[p->var]->type == t;
	if (p->kind != P_OPERATOR || op_info[p->op].class != MAP) return false;
	if (op_info[p->op].dtype == OWN) return false;
	for (uint32_t i = 0; i < p->n; i++)
		if (!is_of_type(m, p->arg[i], t)) return false;
	return true;
}

/* A product with a zero tangent, of which nothing is built: its type is known; else NULL. */
static Node *zero_product(Match *m, const Pattern *p)
{
	if (p->kind != P_OPERATOR || p->op != OP_MUL || !m->rule->head) return NULL;
	for (uint32_t i = 0; i < 2; i++) {
		Node *x = p->arg[i]->kind == P_VARIABLE ? m->value[p->arg[i]->var] : NULL;
		if (x && is_zero(x) && are_one_type(1, &x) && is_of_type(m, p->arg[!i], x->type)) return x;
	}
	return NULL;
}

enum { FEW_OPERANDS = 4 };

/* *out: room for a few, or more of it. */
static uint32_t operands(Match *m, const Pattern *p, Node ***out)
{
	uint32_t n = 0, cap = p->n + 1;
	for (uint32_t i = 0; i < p->n; i++)
		if (p->arg[i]->kind == P_RUN) {
			uint32_t v = p->arg[i]->var;
			cap += m->run[m->rule->var[v].kind == V_TANGENT ? m->rule->var[v].of : v].n;
		}
	if (cap > FEW_OPERANDS) *out = NEW_ARRAY(m->scratch, Node *, cap);
	Node **x = *out;
	for (uint32_t i = 0; i < p->n; i++) {
		if (p->arg[i]->kind == P_RUN) {
			uint32_t v = p->arg[i]->var;
			for (uint32_t k = 0; k < m->run[v].n; k++) x[n++] = m->run[v].node[k];
		} else if (!(x[n++] = instantiate(m, p->arg[i], NULL))) {
			return UINT32_MAX;
		}
	}
	return n;
}

static Node *variadic(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	bool nothing = true;
	for (uint32_t i = 0; i < n; i++) {
		nothing &= is_zero(x[i]);
		x[i] = solid(m->g, x[i]);
	}
	Node *y = plain_operator(m, p, n, x);
	return y && nothing ? zero_tangent(m->scratch, y->type) : y;
}

static Node *operation(Match *m, const Pattern *p)
{
	Node *few[FEW_OPERANDS], **x = few, *nothing = zero_product(m, p);
	if (nothing) return nothing;
	uint32_t n = operands(m, p, &x);
	if (n == UINT32_MAX) return NULL;
	bool zeros = false;
	for (uint32_t i = 0; i < n; i++) zeros |= is_zero(x[i]);
	if (p->kind == P_HELPER) return helper_apply(m, p, n, x);
	if (p->kind == P_TUPLE) {
		for (uint32_t i = 0; i < n; i++) x[i] = solid(m->g, x[i]);
		return tuple(m->g, n, x);
	}
	if (zeros && p->kind == P_OPERATOR && op_info[p->op].args == VARIADIC) return variadic(m, p, n, x);
	return zeros ? operator_with_zeros(m, p, n, x) : plain_operator(m, p, n, x);
}

static Node *let(Match *m, const Pattern *p)
{
	Node *x = instantiate(m, p->arg[0], NULL);
	if (!x) return NULL;
	for (uint32_t i = 0; i < p->locals; i++) {
		if (!p->is_bool)
			m->value[p->var] = x;
		else if (is_zero(x) && x->type->kind == TYPE_TUPLE)
			m->value[p->var + i] = zero_tangent(m->scratch, x->type->u.elem[i]);
		else if (x->type->kind != TYPE_TUPLE || !(m->value[p->var + i] = get(m->g, x, i)))
			return graph_fail(
				m->g, ERR_RULE, "rule %s: let takes apart what is no tuple", m->rule->name);
	}
	return instantiate(m, p->arg[1], NULL);
}

/* A left side as written (rule checks build it): terms from left to right. */
static Node *flat(Match *m, const Pattern *p)
{
	Node *y = NULL;
	for (uint32_t i = 0; i < p->n; i++) {
		Node *x = instantiate(m, p->arg[i], NULL);
		bool minus = p->kind == P_SUM && p->sign[i] < 0;
		Op op = minus ? OP_SUB : OP_ADD;
		if (p->kind != P_SUM) op = p->kind == P_CHAIN ? p->op : OP_MUL;
		if (!y)
			y = minus ? build1(m->g, OP_NEG, x) : x;
		else
			y = build2(m->g, op, y, x);
		if (!y) return NULL;
	}
	return y;
}

Node *instantiate(Match *m, const Pattern *p, const Type *want)
{
	switch (p->kind) {
	case P_VARIABLE: return m->value[p->var];
	case P_LITERAL:
		if (want && want->kind == TYPE_ARRAY)
			return p->is_integer || p->is_bool ? constant_int(m->g, want, (int64_t)p->value)
							   : constant_float(m->g, want, p->value);
		if (p->is_bool) return constant_int(m->g, type_scalar(m->g, DT_BOOL), (int64_t)p->value);
		return p->is_integer ? weak_int(m->g, (int64_t)p->value) : weak_float(m->g, p->value);
	case P_LET: return let(m, p);
	case P_SUM:
	case P_PRODUCT:
	case P_CHAIN: return flat(m, p);
	default: return operation(m, p);
	}
}
