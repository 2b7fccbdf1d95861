/* match.c - does the left side of a rule match at a node, and with what?
 *
 * A search over goals (pattern, node): variables, brackets and literals decide,
 * commutative operators and terms of sums and products choose.  A choice keeps
 * a copy of the bindings and puts it back.  The guard is the last goal.  The
 * search is bounded by `steps`, its depth by the size of the rule.
 */
#include "match.h"

enum { STEPS = 4000 };

uint32_t own_args_of_control(const Node *x)
{
	return library_name(x) ? call_function(x)->noperand : node_operands(x);
}

const char *library_name_of_call(const Node *x)
{
	return call_function(x)->flags & FN_OP ? call_function(x)->op : NULL;
}

/* ---- a minus ---------------------------------------------------------------------- */

/* x is -y: y, else NULL.  A minus stands where the collector leaves it: outside, in a number, in one factor.
 * */
static Node *without_minus(Graph *g, Node *x, uint32_t depth)
{
	double value;
	if (x->op == OP_NEG) return x->arg[0];
	if (x->op == OP_CONST && dtype_is_float(node_dtype(x)) && constant_value(x, &value) && value < 0)
		return constant_float(g, x->type, -value);
	if (x->op == OP_EXPAND && x->narg == 1 && depth) {
		Node *a = without_minus(g, x->arg[0], depth - 1);
		return a ? node_make(g, OP_EXPAND, x->attr, 1, &a) : NULL;
	}
	if ((x->op != OP_MUL && x->op != OP_DIV) || !depth) return NULL;
	for (uint32_t i = 0; i < 2; i++) {
		Node *a = without_minus(g, x->arg[i], depth - 1);
		if (a) return build2(g, (Op)x->op, i ? x->arg[0] : a, i ? a : x->arg[1]);
	}
	return NULL;
}

Node *negated(Graph *g, Node *x)
{
	return without_minus(g, x, 8);
}

/* ---- bindings ------------------------------------------------------------------------- */

typedef enum BoundKind { BOUND_VALUE, BOUND_ATTR, BOUND_SIZES, BOUND_RUN } BoundKind;

static void note_bound(Match *m, BoundKind kind, uint32_t var)
{
	m->bound[m->nbound].kind = (uint8_t)kind;
	m->bound[m->nbound++].var = (uint8_t)var;
}

bool match_bind(Match *m, uint32_t var, Node *x)
{
	if (m->equal) x = m->equal->one(m->equal->user, x);
	if (m->value[var]) return m->value[var] == x;
	m->value[var] = x;
	note_bound(m, BOUND_VALUE, var);
	return true;
}

static bool is_size_of(const Node *x, const Node *y)
{
	return x->op == OP_ABS && x->arg[0] == y;
}

/* A square, or cos, has the same value of -x and abs(x): what it was bound to takes the sign that is told
 * elsewhere. */
static bool bind_but_sign(Match *m, const Pattern *p, Node *x)
{
	Node *y = m->value[p->var];
	if (!y || y == x || m->equal) return match_bind(m, p->var, x);
	bool sizes = is_size_of(x, y) || is_size_of(y, x);
	if (!sizes && negated(m->g, x) != y && negated(m->g, y) != x) return false;
	if (!p->even) m->value[p->var] = x;
	return true;
}

static bool solve_variable(Match *m, const Goal *goal)
{
	const Pattern *p = goal->p;
	bool told = m->rule->signs >> p->var & 1;
	if (told ? !bind_but_sign(m, p, goal->x) : !match_bind(m, p->var, goal->x)) return false;
	return match_goal(m, goal->next);
}

/* The list that stands in brackets when the node is printed: rules are written as programs are, where the
 * sizes of an expand are not said. */
const Attr *shown_attr(Graph *g, const Node *x)
{
	if (x->op == OP_CALL) return call_function(x)->opattr;
	if (x->op != OP_EXPAND) return x->attr;
	int64_t axes[RANK_MAX];
	for (uint32_t i = 0; i < attr_count(x) / 2; i++) axes[i] = attr_int(x, 2 * i);
	return attr_ints(g, attr_count(x) / 2, axes);
}

/* The sizes of the axes that the list names: what an expand on the right needs. */
static const Size *const *axis_sizes(Match *m, const Node *x, const Attr *list)
{
	uint32_t n = list ? list->n : 0;
	const Node *wide = NULL;
	if (x->op == OP_EXPAND)
		wide = x;
	else if (op_info[x->op].class == FOLD)
		wide = x->arg[0];
	if (!wide) return NULL;
	const Size **size = NEW_ARRAY(m->scratch, const Size *, n ? n : 1);
	for (uint32_t i = 0; i < n; i++) size[i] = node_dim(wide, (uint32_t)list->v[i].u.i);
	return size;
}

static bool bind_attr(Match *m, uint32_t var, const Attr *list, const Size *const *size)
{
	AttrBinding *b = &m->attr[var];
	if (b->bound && b->list != list) return false;
	if (!b->bound) {
		*b = (AttrBinding){true, list, NULL};
		note_bound(m, BOUND_ATTR, var);
	}
	if (!b->size && size) {
		b->size = size;
		note_bound(m, BOUND_SIZES, var);
	}
	return true;
}

/* What no brackets stand for: all axes of a fold or flip, of operators along one axis the first. */
static bool all_axes(const Node *x, const Attr *list)
{
	if (op_info[x->op].class == FOLD || x->op == OP_FLIP)
		return (list ? list->n : 0) == node_rank(x->arg[0]);
	bool one = !strcmp(op_info[x->op].brackets, "a?");
	return !list || (one && list->n == 1 && list->v[0].u.i == 0);
}

void match_undo(Match *m, const MatchMark *before)
{
	while (m->nbound > before->nbound) {
		uint32_t var = m->bound[--m->nbound].var;
		switch ((BoundKind)m->bound[m->nbound].kind) {
		case BOUND_VALUE: m->value[var] = NULL; break;
		case BOUND_ATTR: m->attr[var].bound = false; break;
		case BOUND_SIZES: m->attr[var].size = NULL; break;
		case BOUND_RUN: m->run[var].node = NULL; break;
		}
	}
	m->whole = before->whole;
	m->used = before->used;
}

static bool match_value(Match *m, const AttrExpr *e, const AttrValue *v)
{
	switch (e->sign) {
	case 'v': return bind_attr(m, e->var, attr_make(m->g, 1, v), NULL);
	case 'n':
		if (v->kind == A_SIZE) return size_equals(v->u.size, e->value);
		return v->kind == A_INT && v->u.i == e->value;
	case 'd': return v->kind == A_DTYPE && (int64_t)v->u.dtype == e->value;
	default: return false;
	}
}

static bool match_attr(Match *m, const AttrPattern *p, const Node *x)
{
	const Attr *list = shown_attr(m->g, x);
	if (p->kind == AT_NONE) return all_axes(x, list);
	if (p->kind == AT_VARIABLE) return bind_attr(m, p->var, list, axis_sizes(m, x, list));
	if ((list ? list->n : 0) != p->n) return false;
	for (uint32_t i = 0; i < p->n; i++) {
		const AttrExpr *e = p->list[i];
		const AttrValue *v = &list->v[i];
		if (!match_value(m, e, v)) return false;
	}
	return true;
}

/* ---- goals ---------------------------------------------------------------------------------- */

/* The value of a uniform constant; of a complex one its real part, if that is all. */
bool literal_value(const Node *x, double *value)
{
	if (x->op != OP_CONST || !constant_is_uniform(x)) return false;
	if (!dtype_is_complex(node_dtype(x))) return constant_value(x, value);
	double d[2] = {0};
	float f[2] = {0};
	bool single = node_dtype(x) == DT_C64;
	memcpy(single ? (void *)f : (void *)d, constant_bytes(x), single ? sizeof f : sizeof d);
	*value = single ? f[0] : d[0];
	return (single ? f[1] : d[1]) == 0;
}

bool literal_equals(const Node *x, double value, double literal)
{
	Dtype d = node_dtype(x);
	if (d == DT_F32 || d == DT_C64) literal = (float)literal;
	return value == literal || (isnan(value) && isnan(literal));
}

bool literal_is_inverse(Dtype d, double value, double literal)
{
	double off = fma(value, literal, -1);
	return fabs(off) <= (d == DT_F32 || d == DT_C64 ? 0x1p-23 : 0x1p-52);
}

bool match_literal(const Pattern *p, const Node *x)
{
	double value;
	if (!literal_value(x, &value) || p->is_bool != (node_dtype(x) == DT_BOOL)) return false;
	return literal_equals(x, value, p->value) && (isnan(value) || signbit(value) == signbit(p->value));
}

static bool is_turn(const Node *x)
{
	uint32_t n = node_rank(x);
	for (uint32_t i = 0; i < n; i++)
		if (attr_int(x, i) != (i + 2 < n ? (int64_t)i : (int64_t)(2 * n - 3 - i))) return false;
	return n >= 2;
}

/* y < x, where x > y is looked for within something */
static bool is_mirrored(const Goal *goal)
{
	const Pattern *p = goal->p;
	bool looked_for = p->kind == P_OPERATOR && !goal->root;
	return looked_for && (mirrored(p->op) == goal->x->op || mirrored(p->tied) == goal->x->op);
}

static bool head_matches(Match *m, const Goal *goal)
{
	const Pattern *p = goal->p;
	const Node *x = goal->x;
	switch (p->kind) {
	case P_OPERATOR:
		if (x->op != p->op && x->op != p->tied && !is_mirrored(goal)) return false;
		return match_attr(m, &p->attr, x);
	case P_LIBRARY: return library_name(x) == p->name && match_attr(m, &p->attr, x);
	case P_TURN: return x->op == OP_TRANSPOSE && is_turn(x);
	case P_MATMUL: return is_matmul(x);
	case P_INDEX: return x->op == OP_GATHER && attr_int(x, 0) == 0 && node_is_scalar(x->arg[1]);
	default: return false;
	}
}

/* When an operand is matched: variables and literals first, then operators, then sums and products, those
 * last in which most is to be chosen. */
static uint32_t turn_of(const Match *m, const Pattern *p)
{
	if (p->kind == P_VARIABLE || p->kind == P_LITERAL) return 0;
	bool chooses = p->kind == P_SUM || p->kind == P_PRODUCT || p->kind == P_CHAIN;
	return chooses ? 2 + match_choices(m, p) : 1;
}

/* Operands in an order that binds most before sums and products choose. */
static bool solve_operands(Match *m, const Goal *goal, bool crossed)
{
	const Pattern *p = goal->p;
	uint32_t turn[8], order[8];
	Goal g[8];
	if (p->n > countof(g)) return false;
	for (uint32_t k = 0; k < p->n; k++) {
		uint32_t at = k;
		turn[k] = turn_of(m, p->arg[k]);
		for (; at && turn[order[at - 1]] > turn[k]; at--) order[at] = order[at - 1];
		order[at] = k;
	}
	const Goal *next = goal->next;
	for (uint32_t i = p->n; i-- > 0;) {
		uint32_t k = order[i];
		g[k] = (Goal){p->arg[k], goal->x->arg[crossed ? p->n - 1 - k : k], false, next, NULL};
		next = &g[k];
	}
	return match_goal(m, next);
}

static bool solve_run(Match *m, const Goal *goal)
{
	const Pattern *p = goal->p->arg[0];
	uint32_t v = p->var;
	if (m->run[v].node) return false;
	m->run[v].node = goal->x->arg;
	m->run[v].n = goal->x->narg;
	note_bound(m, BOUND_RUN, v);
	return match_goal(m, goal->next);
}

uint32_t stands_in(const Pattern *p, uint32_t var)
{
	uint32_t n = p->kind == P_VARIABLE && p->var == var;
	for (uint32_t i = 0; i < p->n; i++) n += stands_in(p->arg[i], var);
	return n;
}

/* 3 is -(-3) where the variable stands elsewhere too, as in exp(x) - exp(-x): of x = -3 the minus is not
 * written. Where it stands alone, as in cos(-x), that would never end. */
static Node *minus_of_number(Match *m, uint32_t var, const Node *x)
{
	double value;
	bool number =
		x->op == OP_CONST && dtype_is_float(node_dtype(x)) && constant_value(x, &value) && value > 0;
	return number && stands_in(m->rule->left, var) > 1 ? constant_float(m->g, x->type, -value) : NULL;
}

static bool solve(Match *, const Goal *);

/* A map that is spread over axes of its surroundings, as exp(x) in log(exp(x) + exp(y)) of a number x and a
 * vector y, is the map of what it is made of, spread; so it is with other views.  What equals that map is not
 * asked: the view is among it, and this would never end. */
bool match_viewed(Match *m, const Goal *goal)
{
	Node *x = goal->root || m->rule->head ? NULL : viewed_map(m->g, goal->x);
	return x && solve(m, &(Goal){goal->p, x, false, goal->next, NULL});
}

bool is_square_of(const Pattern *p, const Node *x)
{
	bool power = p->kind == P_OPERATOR && p->op == OP_POW;
	bool square = power && p->arg[1]->kind == P_LITERAL && p->arg[1]->value == 2;
	return square && x->op == OP_MUL && x->arg[0] == x->arg[1] && dtype_is_float(node_dtype(x));
}

bool is_even_power(const Node *x)
{
	double n;
	bool power = x->op == OP_POW && dtype_is_float(node_dtype(x)) && literal_value(x->arg[1], &n);
	return power && n >= 4 && n <= 64 && fmod(n, 2) == 0;
}

/* Is it the square of a variable?  x^4 is that of x^2. */
static bool is_variable_squared(const Pattern *p)
{
	return p->kind == P_OPERATOR && p->op == OP_POW && p->arg[0]->kind == P_VARIABLE &&
		p->arg[1]->kind == P_LITERAL && p->arg[1]->value == 2;
}

/* 4*y^2 and y^2/4, by their number, *by below a line, and what is squared; NULL: it is something else. */
static Node *scaled_square(const Node *x, double *c, bool *below)
{
	*below = x->op == OP_DIV;
	if ((!*below && x->op != OP_MUL) || !dtype_is_float(node_dtype(x))) return NULL;
	for (uint32_t i = 0; i < 2; i++) {
		const Node *y = x->arg[i], *number = x->arg[1 - i];
		double n;
		if ((*below && i) || !literal_value(number, c) || *c <= 0) continue;
		if (!is_moderate(node_dtype(x), *c) || !is_wide(node_dtype(x))) continue;
		if (y->op == OP_MUL && y->arg[0] == y->arg[1]) return y->arg[0];
		if (y->op == OP_POW && literal_value(y->arg[1], &n) && n == 2) return y->arg[0];
	}
	return NULL;
}

bool is_scaled_square(const Node *x)
{
	double c;
	bool below;
	return scaled_square(x, &c, &below) != NULL;
}

/* 2*y of 4*y^2; NULL: the root of the number is rounded, and a difference would show by how much. */
static Node *root_of_scaled(Graph *g, const Node *x, bool cancels)
{
	double c;
	bool below;
	Node *y = scaled_square(x, &c, &below);
	double root = sqrt(c);
	if (cancels && fma(root, root, -c) != 0) return NULL;
	return build2(g, below ? OP_DIV : OP_MUL, y, constant_float(g, y->type, root));
}

static Node *root_of_power(Graph *g, const Node *x)
{
	double n;
	literal_value(x->arg[1], &n);
	return build2(g, OP_POW, x->arg[0], constant_float(g, x->arg[1]->type, n / 2));
}

static bool solve_node(Match *m, const Goal *goal)
{
	const Pattern *p = goal->p;
	Node *x = goal->x;
	bool may_part = m->rule->law != LAW_EXACT && !m->rule->head && !m->equal;
	if (may_part && is_variable_squared(p) && is_even_power(x)) {
		Node *root = root_of_power(m->g, x);
		return root && match_goal(m, &(Goal){p->arg[0], root, false, goal->next, NULL});
	}
	if (may_part && !goal->root && is_variable_squared(p) && rule_keeps_differences(m->rule) &&
		is_scaled_square(x)) {
		Node *root = root_of_scaled(m->g, x, p->cancels);
		return root && match_goal(m, &(Goal){p->arg[0], root, false, goal->next, NULL});
	}
	if (p->kind == P_OPERATOR && p->op == OP_NEG && p->arg[0]->kind == P_VARIABLE && !m->rule->head) {
		Node *y = x->type->kind == TYPE_ARRAY ? negated(m->g, x) : NULL;
		y = y ? y : minus_of_number(m, p->arg[0]->var, x);
		if (!y || (goal->root && x->op != OP_NEG)) return false;
		return match_bind(m, p->arg[0]->var, y) && match_goal(m, goal->next);
	}
	bool quotient = p->kind == P_OPERATOR && p->op == OP_DIV && !m->equal;
	if (m->rule->law != LAW_EXACT && !m->rule->head && is_square_of(p, x))
		return match_goal(m, &(Goal){p->arg[0], x->arg[0], false, goal->next, NULL});
	if (!head_matches(m, goal)) return (quotient && match_ratio(m, goal)) || match_viewed(m, goal);
	if (p->n == 1 && p->arg[0]->kind == P_RUN) return solve_run(m, goal);
	if (p->n != own_args(x)) return false;
	if (p->kind == P_OPERATOR && p->n == 2 && op_info[p->op].flags & COMM) {
		MatchMark saved = match_mark(m);
		if (solve_operands(m, goal, false)) return true;
		match_undo(m, &saved);
		return solve_operands(m, goal, true);
	}
	if (!quotient) return solve_operands(m, goal, is_mirrored(goal));
	MatchMark saved = match_mark(m);
	if (solve_operands(m, goal, false)) return true;
	match_undo(m, &saved);
	return match_ratio(m, goal);
}

/* What the law says about dtypes: exact rules for all real dtypes, others for real floats, unless the
 * guard says so. */
static bool dtypes_allowed(const Match *m, const Rule *r)
{
	if (r->head) return true;
	const Node *seen[RULE_VARIABLES + 1];
	uint32_t n = 0;
	seen[n++] = m->node;
	for (uint32_t i = 0; i < r->nvar; i++)
		if (r->var[i].kind == V_VALUE && m->value[i]) seen[n++] = m->value[i];
	for (uint32_t i = 0; i < n; i++) {
		if (seen[i]->type->kind != TYPE_ARRAY) continue;
		Dtype d = node_dtype(seen[i]);
		if (dtype_is_complex(d) && !r->complex) return false;
		if (r->law != LAW_EXACT && i == 0 && dtype_is_integer(d) && !r->integer &&
			m->node->op != OP_GATHER &&
			!((m->node->op == OP_ARGMAX || m->node->op == OP_ARGMIN) &&
				dtype_is_float(node_dtype(m->node->arg[0]))))
			return false;
	}
	return true;
}

/* All goals are met: does the guard hold?  Who matches modulo equations hears of it and wants the next. */
static bool end(Match *m)
{
	const Rule *r = m->rule;
	if (m->part) return true;
	if (!dtypes_allowed(m, r)) return false;
	if (r->guard && !r->head && !guard_holds(m, r->guard, r->law == LAW_EXACT)) return false;
	if (!m->equal) return true;
	m->equal->found(m->equal->user, m);
	return false;
}

static bool solve(Match *m, const Goal *goal)
{
	const Pattern *p = goal->p;
	switch (p->kind) {
	case P_VARIABLE: return solve_variable(m, goal);
	case P_LITERAL: return match_literal(p, goal->x) && match_goal(m, goal->next);
	case P_SUM:
	case P_PRODUCT:
	case P_CHAIN: return match_terms(m, goal);
	default: return solve_node(m, goal);
	}
}

/* May a node of this operator be what the pattern is the head of? */
static bool may_head(const Pattern *p, Op op)
{
	switch (p->kind) {
	case P_LITERAL: return op == OP_CONST;
	case P_OPERATOR: return op == p->op || p->op == OP_NEG || p->op == OP_POW || is_seen_through(op);
	case P_SUM: return op == OP_ADD || op == OP_SUB || is_seen_through(op);
	case P_PRODUCT: return op == OP_MUL || is_seen_through(op);
	case P_CHAIN: return op == p->op || is_seen_through(op);
	case P_MATMUL: return op == OP_CONTRACT;
	default: return true;
	}
}

/* Each of the nodes that are equal to the goal's. */
static bool solve_equal(Match *m, const Goal *goal)
{
	Nodes equal = m->equal->of(m->equal->user, goal->x);
	if (!equal.n) return solve(m, goal);
	MatchMark saved = match_mark(m);
	for (uint32_t i = 0; i < equal.n; i++) {
		if (!may_head(goal->p, (Op)equal.v[i]->op)) continue;
		if (solve(m, &(Goal){goal->p, equal.v[i], false, goal->next, NULL})) return true;
		match_undo(m, &saved);
	}
	return false;
}

bool match_goal(Match *m, const Goal *goal)
{
	if (++m->steps > STEPS) return false;
	watch_step(m->g->arena, m->g->watch, 1);
	if (!goal) return end(m);
	if (goal->terms) return match_more_terms(m, goal->terms);
	bool any = m->equal && !goal->root && goal->p->kind != P_VARIABLE;
	return any ? solve_equal(m, goal) : solve(m, goal);
}

void match_open(Match *m, Graph *g, Arena *scratch, struct Facts *facts)
{
	m->g = g;
	m->scratch = scratch;
	m->facts = facts;
	m->which = 0;
	m->equal = NULL;
	m->apart = false;
	memset(m->shared, 0, sizeof m->shared);
}

void match_begin(Match *m, const Rule *r, Node *x)
{
	memset(m->value, 0, r->nvar * sizeof *m->value);
	memset(m->attr, 0, r->nvar * sizeof *m->attr);
	memset(m->run, 0, r->nvar * sizeof *m->run);
	m->nbound = 0;
	m->rule = r;
	m->node = x;
	m->whole = m->ratio = NULL;
	m->logarithm = 0;
	m->scale = 1;
	m->used = NULL;
	m->steps = 0;
	m->part = false;
}

bool match_whole(Match *m, const Rule *r, Node *x)
{
	match_begin(m, r, x);
	return match_goal(m, &(Goal){r->left, x, true, NULL, NULL});
}

bool match_rule(Match *m, const Rule *r, Node *x)
{
	if (!m->equal && r->integers && !dtype_is_integer(node_dtype(x))) return false;
	if (!m->equal && r->repeats && !match_may_repeat(r, x)) return false;
	if (match_whole(m, r, x)) return true;
	if (m->equal) return false; /* what stands around is equal, too */
	if (x->op != OP_DIV && x->op != OP_MUL) return false;
	bool quotient =
		r->left->kind == P_OPERATOR && r->left->op == OP_DIV && !r->head && !r->call && !r->equation;
	return (quotient && match_quotient(m, r, x)) || (r->factors && match_factors(m, r, x));
}
