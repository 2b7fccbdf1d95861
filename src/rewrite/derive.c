/* derive.c - looking up the tables of derivatives.
 *
 * Needs: a node and the tangents of its operands (or its cotangent).  Gives: the
 * right side of the first line whose operator, brackets and guard fit, built
 * over them; terms with a zero tangent have disappeared.
 */
#include "match.h"

/* Facts are for guards, which few lines have. */
static void open_match(Match *m, Graph *g, Arena *scratch)
{
	match_open(m, g, scratch, NULL);
}

static bool guard_allows(Match *m, const Rule *r)
{
	if (!r->guard) return true;
	if (!m->facts) m->facts = facts_open(m->g, m->scratch, 0, NULL);
	return guard_holds(m, r->guard, false);
}

static const char *named(const Node *n)
{
	const char *library = library_name(n);
	if (n->op == OP_CUSTOM) return ((const Custom *)n->attr->v[0].u.custom)->name;
	return library ? library : op_info[n->op].text;
}

/* The operand that a variable of the left side stands for. */
static uint32_t operand_of(const Rule *r, uint32_t var)
{
	for (uint32_t i = 0; i < r->left->n; i++)
		if (r->left->arg[i]->var == var) return i;
	return UINT32_MAX;
}

static void bind_tangents(Match *m, const Rule *r, const Node *n, Node *const *tangents)
{
	for (uint32_t i = 0; i < r->nvar; i++) {
		if (r->var[i].kind != V_TANGENT) continue;
		uint32_t of = r->var[i].of, k = operand_of(r, of);
		if (r->var[of].kind == V_RUN) {
			Node **dx = NEW_ARRAY(m->scratch, Node *, n->narg ? n->narg : 1);
			for (uint32_t j = 0; j < n->narg; j++)
				dx[j] = tangents && tangents[j] ? tangents[j]
								: zero_tangent(m->scratch, n->arg[j]->type);
			m->run[i].node = dx;
			m->run[i].n = n->narg;
		} else if (k != UINT32_MAX) {
			m->value[i] = tangents && tangents[k] ? tangents[k]
							      : zero_tangent(m->scratch, n->arg[k]->type);
		}
	}
}

static bool asks_shared(const Pattern *guard, uint32_t var)
{
	if (!guard) return false;
	bool asks = guard->kind == P_LIBRARY && guard->n == 1 && !strcmp(guard->name, "shared") &&
		guard->arg[0]->kind == P_VARIABLE && guard->arg[0]->var == var;
	for (uint32_t i = 0; i < guard->n && !asks; i++) asks = asks_shared(guard->arg[i], var);
	return asks;
}

/* On the right side, and in the guard, an operand stands for its lanes; where the guard asks whether it is
 * the same in all, and it is, for that one. */
static void bind_lanes(Match *m, const Rule *r, const Node *n, const OperandLanes *l)
{
	for (uint32_t i = 0; i < r->nvar; i++) {
		uint32_t k = r->var[i].kind == V_VALUE ? operand_of(r, i) : UINT32_MAX;
		if (r->var[i].kind == V_RUN) m->run[i].node = (Node **)(uintptr_t)l->all;
		if (k == UINT32_MAX) continue;
		m->shared[i] = l->shared[k];
		m->value[i] = l->shared[k] && asks_shared(r->guard, i) ? n->arg[k] : l->all[k];
	}
}

/* What a line is given of the operands: their tangents (NULL: zeros), or their lanes. */
typedef struct GivenLine {
	Node *const *tangents;
	const OperandLanes *lanes;
} GivenLine;

/* What the left side of a line asks of n beyond its operator. */
static bool left_matches(Match *m, const LineOfTable *l, Node *n)
{
	const Rule *r = l->rule;
	if (!l->plain && r->left->kind == P_LIBRARY && library_name(n) != r->left->name) return false;
	if (!l->plain) return match_rule(m, r, n);
	match_begin(m, r, n);
	for (uint32_t i = 0; i < r->left->n; i++) m->value[r->left->arg[i]->var] = n->arg[i];
	return true;
}

/* The first line of the table for n; bound in *m. */
static const Rule *line_for(Match *m, TableKind table, RuleHead head, Node *n, GivenLine given)
{
	for (const LineOfTable *l = table_lines(m->g, table, (Op)n->op); l; l = l->next) {
		const Rule *r = l->rule;
		if (r->head != head || !left_matches(m, l, n)) continue;
		if (given.lanes)
			bind_lanes(m, r, n, given.lanes);
		else if (head == HEAD_D)
			bind_tangents(m, r, n, given.tangents);
		if (guard_allows(m, r)) return r;
	}
	return NULL;
}

const Rule *derivative_rule(Graph *g, const Node *n, RuleHead which)
{
	if (!books_open(g)) return NULL;
	Arena *scratch = arena_child(g->arena);
	Match m;
	open_match(&m, g, scratch);
	const Rule *r = line_for(&m, TABLE_DERIVATIVE, which, (Node *)n, (GivenLine){0});
	arena_free(scratch);
	return r;
}

/* What the line builds has the type of the node (of the operand). */
static Node *typed(Graph *g, const Rule *r, Node *y, const Type *want)
{
	if (!y || y->type == want) return y;
	double value;
	if (y->type->kind == TYPE_ARRAY && want->kind == TYPE_ARRAY) {
		if (y->op == OP_CONST && constant_is_uniform(y) && constant_value(y, &value))
			return constant_float(g, want, value);
		if (y->type->n < want->n) y = broadcast_to(g, y, want->n, want->u.dim);
		bool same = y &&
			(y->type->dtype == want->dtype || dtype_strong((Dtype)want->dtype) == node_dtype(y));
		if (same && y->type->n == want->n)
			/* an op makes weak numbers strong; sizes that are not known equal are a requirement
			 * elsewhere */
			return y;
	} else if (y->type->kind == want->kind && y->type->n == want->n) {
		return y;
	}
	return graph_fail(g, ERR_DERIVATIVE, "rule %s: gives %s where %s is wanted", r->name,
		y ? type_shown(g, y->type) : "", type_shown(g, want));
}

/* The error that was made just now is of that operator. */
static void fails_at_operator(Graph *g, const Node *n)
{
	if (custom_named(g, named(n))) g->error.argument = ERR_AT_OPERATOR;
}

static bool is_zero_literal(const Pattern *p)
{
	return p->kind == P_LITERAL && p->value == 0;
}

bool derivative_apply(Graph *g, Arena *scratch, Node *n, Node *const *tangents, Node **out)
{
	*out = NULL;
	bool any = false;
	for (uint32_t i = 0; i < n->narg; i++) any |= tangents[i] != NULL;
	if (!any) return true;
	if (!books_open(g)) return false;
	Match m;
	open_match(&m, g, scratch);
	const char *rule = g->rule;
	const Rule *r = line_for(&m, TABLE_DERIVATIVE, HEAD_D, n, (GivenLine){.tangents = tangents});
	if (!r) {
		graph_fail(g, ERR_DERIVATIVE,
			"no derivative rule for %s (d(%s(x)) => ... in book derivative)", named(n), named(n));
		fails_at_operator(g, n);
	} else if (!is_zero_literal(r->right)) {
		g->rule = r->name;
		Node *y = instantiate(&m, r->right, n->type);
		if (y && !is_zero(y)) *out = typed(g, r, y, n->type);
		if (!y && !g->error.code)
			graph_fail(g, ERR_DERIVATIVE, "rule %s does not fit this %s", r->name, named(n));
		g->rule = rule;
	}
	return !g->error.code;
}

bool transpose_apply(Graph *g, Arena *scratch, Node *n, Node *cotangent, uint32_t which, Node **out)
{
	*out = NULL;
	if (!books_open(g)) return false;
	Match m;
	open_match(&m, g, scratch);
	const char *rule = g->rule;
	const Rule *r = line_for(&m, TABLE_TRANSPOSITION, HEAD_VJP, n, (GivenLine){0});
	if (!r) {
		graph_fail(g, ERR_DERIVATIVE,
			"a derivative is linear in its tangents, and no transpose rule for %s is there (vjp(%s(x), "
			"g) => ... in book transposition)",
			named(n), named(n));
		fails_at_operator(g, n);
	} else {
		for (uint32_t i = 0; i < r->nvar; i++)
			if (r->var[i].kind == V_COTANGENT) m.value[i] = cotangent;
		m.which = which;
		g->rule = r->name;
		const Pattern *right =
			r->right->kind == P_TUPLE && which < r->right->n ? r->right->arg[which] : r->right;
		if (!is_zero_literal(right)) {
			Node *y = instantiate(&m, right, NULL);
			*out = typed(g, r, y, n->arg[which]->type);
			if (!y && !g->error.code)
				graph_fail(
					g, ERR_DERIVATIVE, "rule %s does not fit this %s", r->name, named(n));
		}
		g->rule = rule;
	}
	return !g->error.code;
}

bool vjp_apply(Graph *g, Node *n, Node *cotangent, Node **out)
{
	if (!books_open(g)) return false;
	Arena *scratch = arena_child(g->arena);
	Match m;
	open_match(&m, g, scratch);
	const char *rule = g->rule;
	const Rule *r = line_for(&m, TABLE_DERIVATIVE, HEAD_VJP, n, (GivenLine){0});
	for (uint32_t i = 0; r && i < r->nvar; i++)
		if (r->var[i].kind == V_COTANGENT) m.value[i] = cotangent;
	for (uint32_t k = 0; r && k < n->narg && !g->error.code; k++) {
		const Pattern *right =
			r->right->kind == P_TUPLE && k < r->right->n ? r->right->arg[k] : r->right;
		g->rule = r->name;
		out[k] = is_zero_literal(right) || (k && r->right->kind != P_TUPLE)
			? NULL
			: typed(g, r, instantiate(&m, right, NULL), n->arg[k]->type);
		g->rule = rule;
	}
	arena_free(scratch);
	return r && !g->error.code;
}

/* As typed, with the sizes that are wanted. */
static Node *typed_lanes(Graph *g, const Rule *r, Node *y, const Type *want)
{
	y = typed(g, r, y, want);
	return !y || y->type == want ? y : sized(g, y, want->n, want->u.dim);
}

bool batch_apply(Graph *g, Node *x, OperandLanes l, uint32_t n, const Type *const *want, Node **out)
{
	if (!books_open(g)) return false;
	Arena *scratch = arena_child(g->arena);
	Match m;
	open_match(&m, g, scratch);
	const char *rule = g->rule;
	const Rule *r = line_for(&m, TABLE_BATCHING, HEAD_BATCH, x, (GivenLine){.lanes = &l});
	if (r) {
		g->rule = r->name;
		Node *y = instantiate(&m, r->right, n == 1 ? want[0] : NULL);
		bool several = y && y->type->kind == TYPE_TUPLE;
		if (!g->error.code && (!y || n != (several ? y->type->n : 1)))
			graph_fail(g, ERR_RULE, "rule %s does not fit this %s", r->name, named(x));
		for (uint32_t i = 0; i < n && !g->error.code; i++)
			out[i] = typed_lanes(g, r, several ? get(g, y, i) : y, want[i]);
		g->rule = rule;
	}
	arena_free(scratch);
	return r && !g->error.code;
}

Node *expand_op(Graph *g, Node *x)
{
	Body b[BODIES_MAX];
	node_bodies(x, b);
	Opened o = body_open(g, g->arena, x, b);
	if (g->error.code) return NULL;
	return o.nresult == 1 ? o.result[0] : tuple(g, o.nresult, o.result);
}
