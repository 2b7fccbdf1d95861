/* match.c - does the left side of a rule match at a node, and with what?
 *
 * A search over goals (pattern, node): variables, brackets and literals decide,
 * commutative operators and terms of sums and products choose.  A choice keeps
 * a copy of the bindings and puts it back.  The guard is the last goal.  The
 * search is bounded by `steps`, its depth by the size of the rule.
 */
#include "rules.h"

enum { STEPS = 4000 };

typedef struct Goal Goal;
struct Goal {
	const Pattern *p;
	Node *x;
	bool root;
	const Goal *next;
};

static bool solve(Match *, const Goal *);

uint32_t own_args(const Node *x)
{
	int n = op_info[x->op].args;
	return n == VARIADIC || (uint32_t)n > x->narg ? x->narg : (uint32_t)n;
}

const char *library_name(const Node *x)
{
	return x->op == OP_CALL && call_function(x)->flags & FN_OP ? call_function(x)->op : NULL;
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

static bool bind(Match *m, uint32_t var, Node *x)
{
	if (m->value[var]) return m->value[var] == x;
	m->value[var] = x;
	return true;
}

/* The list that stands in brackets when the node is printed: rules are written as programs are, where the
 * sizes of an expand are not said. */
static const Attr *shown_attr(Graph *g, const Node *x)
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
	if (b->bound) {
		b->size = b->size ? b->size : size;
		return b->list == list;
	}
	*b = (AttrBinding){true, list, size};
	return true;
}

static bool all_axes(const Node *x, const Attr *list)
{
	if (op_info[x->op].class != FOLD) return !list;
	return (list ? list->n : 0) == node_rank(x->arg[0]);
}

static bool match_value(Match *m, const AttrExpr *e, const AttrValue *v)
{
	switch (e->sign) {
	case 'v': return bind_attr(m, e->var, attr_make(m->g, 1, v), NULL);
	case 'n': return v->kind == A_INT && v->u.i == e->value;
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

/* ---- sums and products -------------------------------------------------------------------- */

typedef struct TermSearch {
	const Pattern *p;
	Node *x;
	Terms t;
	bool used[KEY_TERMS], done[KEY_TERMS];
	bool product, root, flat; /* flat: through re-association */
	bool bare;                /* variables alone: x - y means a difference as written, no sum at all */
	int turned;               /* -1: every sign of a part of a sum is the other way round */
	const Goal *next;
} TermSearch;

/* Variables bound elsewhere first, then literals, then operators, then what takes anything. */
static int rank_of(const Match *m, const Pattern *p)
{
	if (p->kind == P_LITERAL) return 1;
	if (p->kind != P_VARIABLE) return 2;
	if (m->value[p->var]) return 0;
	return 3;
}

static uint32_t next_term(const Match *m, const TermSearch *s, uint32_t *left)
{
	uint32_t best = UINT32_MAX;
	*left = 0;
	for (uint32_t i = 0; i < s->p->n; i++)
		if (!s->done[i]) {
			(*left)++;
			if (best == UINT32_MAX || rank_of(m, s->p->arg[i]) < rank_of(m, s->p->arg[best]))
				best = i;
		}
	return best;
}

/* May these terms of a sum, NULL those that are used, be joined?  Of both signs the new sum might cancel. */
static bool have_one_sign(Match *m, const TermSearch *s, Node *const *with)
{
	bool up = true, down = true;
	for (uint32_t i = 0; i < s->t.n; i++) {
		if (!with[i]) continue;
		const Range *r = range_of(m->facts, with[i]);
		bool plus = s->t.term[i].sign > 0;
		up &= (plus ? r->lo : -r->hi) >= 0;
		down &= (plus ? r->hi : -r->lo) <= 0;
	}
	return up || down;
}

/* The terms not used, as one value times `sign`; NULL if they may not be joined. */
static Node *rest_of(Match *m, const TermSearch *s, int sign)
{
	Node *with[KEY_TERMS], *one = NULL;
	uint32_t n = 0;
	int own = 1;
	for (uint32_t i = 0; i < s->t.n; i++) {
		with[i] = s->used[i] ? NULL : s->t.term[i].x;
		if (!with[i]) continue;
		if (!n++) own = s->t.term[i].sign;
		one = with[i];
	}
	if (!n) return NULL;
	if (n > 1) {
		if (!s->product && !have_one_sign(m, s, with)) return NULL;
		one = terms_rebuild(m->g, s->x, s->product, with); /* whose signs stand in it */
	} else if (s->product ? s->t.negative : own < 0) {
		sign = -sign;
	}
	if (!one || sign > 0) return one;
	if (s->bare) return NULL;
	Node *plain = negated(m->g, one);
	return plain ? plain : build1(m->g, OP_NEG, one);
}

static bool finish_terms(Match *m, TermSearch *s)
{
	bool all = true, turned_product = s->product && s->t.negative;
	for (uint32_t i = 0; i < s->t.n; i++) all &= s->used[i];
	if (!s->root) return all && !turned_product && solve(m, s->next);
	bool part = !all && s->flat && !s->product;
	if (part && rule_keeps_differences(m->rule) && difference_is_torn(s->x, &s->t, s->used)) return false;
	bool whole = all && s->turned > 0 && !turned_product;
	m->whole = whole ? NULL : s->x;
	m->used = arena_alloc(m->scratch, KEY_TERMS);
	for (uint32_t i = 0; i < KEY_TERMS; i++) {
		bool used = !s->flat || (i < s->t.n && s->used[i]); /* of operands as written: all in them */
		if (used) m->used[i] = s->turned < 0 ? 2 : 1;
	}
	return solve(m, s->next);
}

/* y - 3 is y + x of x = -3, where x is known. */
static Node *other_number(Match *m, const Pattern *p, const Node *x)
{
	double value;
	bool known = p->kind == P_VARIABLE && m->value[p->var];
	bool number = known && x->op == OP_CONST && dtype_is_float(node_dtype(x)) &&
		constant_value(x, &value);
	return number ? constant_float(m->g, x->type, -value) : NULL;
}

static bool assign(Match *m, TermSearch *s)
{
	uint32_t left, k = next_term(m, s, &left);
	if (k == UINT32_MAX) return finish_terms(m, s);
	const Pattern *p = s->p->arg[k];
	int sign = s->product ? 1 : s->p->sign[k] * s->turned;
	s->done[k] = true;
	bool found = false;
	if (left == 1 && !s->root && rank_of(m, p) == 3) { /* the last variable takes the rest */
		Node *rest = rest_of(m, s, sign);
		TermSearch before = *s;
		Match saved = *m;
		bool negative = s->t.negative;
		s->t.negative = false;
		for (uint32_t i = 0; i < s->t.n; i++) s->used[i] = true;
		found = rest && bind(m, p->var, rest) && finish_terms(m, s);
		s->t.negative = negative;
		if (!found) {
			uint32_t steps = m->steps;
			*m = saved;
			m->steps = steps;
			*s = before;
		}
	}
	for (uint32_t i = 0; i < s->t.n && !found && !(left == 1 && !s->root && rank_of(m, p) == 3); i++) {
		Node *term = s->t.term[i].x;
		bool turned = !s->product && s->t.term[i].sign != sign;
		if (s->used[i] || (turned && !(term = other_number(m, p, term)))) continue;
		Match saved = *m;
		Goal none = {p, term, false, NULL};
		s->used[i] = true;
		bool part = m->part;
		m->part = true; /* a term is matched alone, once; the guard comes at the end */
		bool fits = solve(m, &none);
		m->part = part;
		found = fits && assign(m, s);
		if (!found) {
			uint32_t steps = m->steps;
			*m = saved;
			m->steps = steps;
			s->used[i] = false;
		}
	}
	s->done[k] = found;
	return found;
}

static bool try_terms(Match *m, const Goal *goal, bool flat, int turned)
{
	TermSearch s = {.p = goal->p,
		.x = goal->x,
		.product = goal->p->kind == P_PRODUCT,
		.root = goal->root,
		.flat = flat,
		.turned = turned,
		.next = goal->next};
	uint32_t most = flat ? KEY_TERMS : 2;
	s.bare = true;
	for (uint32_t i = 0; i < s.p->n; i++) s.bare &= rank_of(m, s.p->arg[i]) == 3;
	if (s.bare && (flat || turned < 0) && !s.product) return false;
	if (!(s.product ? terms_of_product(s.x, &s.t, most) : terms_of_sum(s.x, &s.t, most)) ||
		s.t.n < s.p->n)
		return false;
	if (flat && s.t.n <= 2 && !s.t.negative && s.t.term[0].x == s.x->arg[0] &&
		s.t.term[1].x == s.x->arg[1])
		return false; /* nothing new */
	Match saved = *m;
	if (assign(m, &s)) return true;
	uint32_t steps = m->steps;
	*m = saved;
	m->steps = steps;
	return false;
}

/* A map that is spread over axes of its surroundings, as exp(x) in log(exp(x) + exp(y)) of a number x and a
 * vector y, is the map of what it is made of, spread; so it is with other views. */
static bool solve_viewed(Match *m, const Goal *goal)
{
	Node *x = goal->root || m->rule->head ? NULL : viewed_map(m->g, goal->x);
	return x && solve(m, &(Goal){goal->p, x, false, goal->next});
}

static bool solve_terms(Match *m, const Goal *goal)
{
	bool sum = goal->p->kind == P_SUM;
	if (sum ? goal->x->op != OP_ADD && goal->x->op != OP_SUB : goal->x->op != OP_MUL)
		return solve_viewed(m, goal);
	if (try_terms(m, goal, false, 1)) return true;
	if (m->rule->law == LAW_EXACT) /* -(x - 0) and 0 - x differ at 0 */
		return false;
	if (sum && goal->root && try_terms(m, goal, false, -1)) return true;
	if (!dtype_is_float(node_dtype(goal->x))) return false;
	return try_terms(m, goal, true, 1) || (sum && goal->root && try_terms(m, goal, true, -1));
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

static bool is_literal(const Pattern *p, const Node *x)
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

static bool head_matches(Match *m, const Pattern *p, const Node *x)
{
	switch (p->kind) {
	case P_OPERATOR: return x->op == p->op && match_attr(m, &p->attr, x);
	case P_LIBRARY: return library_name(x) == p->name && match_attr(m, &p->attr, x);
	case P_TURN: return x->op == OP_TRANSPOSE && is_turn(x);
	case P_MATMUL: return is_matmul(x);
	case P_INDEX: return x->op == OP_GATHER && attr_int(x, 0) == 0 && node_is_scalar(x->arg[1]);
	default: return false;
	}
}

/* Operands in an order that binds most before sums and products choose. */
static bool solve_operands(Match *m, const Goal *goal, bool crossed)
{
	const Pattern *p = goal->p;
	Goal g[8];
	const Goal *next = goal->next;
	if (p->n > countof(g)) return false;
	for (uint32_t pass = 0; pass < 3; pass++)
		for (uint32_t k = p->n; k-- > 0;) {
			PatternKind kind = p->arg[k]->kind;
			uint32_t when = 1;
			if (kind == P_SUM || kind == P_PRODUCT)
				when = 0;
			else if (kind == P_VARIABLE || kind == P_LITERAL)
				when = 2;
			if (when != pass) continue;
			g[k] = (Goal){p->arg[k], goal->x->arg[crossed ? p->n - 1 - k : k], false, next};
			next = &g[k];
		}
	return solve(m, next);
}

static bool solve_run(Match *m, const Goal *goal)
{
	const Pattern *p = goal->p->arg[0];
	uint32_t v = p->var;
	if (m->run[v].node) return false;
	m->run[v].node = goal->x->arg;
	m->run[v].n = goal->x->narg;
	return solve(m, goal->next);
}

static uint32_t stands_in(const Pattern *p, uint32_t var)
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
	bool number = x->op == OP_CONST && dtype_is_float(node_dtype(x)) && constant_value(x, &value) &&
		value > 0;
	return number && stands_in(m->rule->left, var) > 1 ? constant_float(m->g, x->type, -value) : NULL;
}

static bool solve_node(Match *m, const Goal *goal)
{
	const Pattern *p = goal->p;
	Node *x = goal->x;
	if (p->kind == P_OPERATOR && p->op == OP_NEG && p->arg[0]->kind == P_VARIABLE && !m->rule->head) {
		Node *y = x->type->kind == TYPE_ARRAY ? negated(m->g, x) : NULL;
		y = y ? y : minus_of_number(m, p->arg[0]->var, x);
		if (!y || (goal->root && x->op != OP_NEG)) return false;
		return bind(m, p->arg[0]->var, y) && solve(m, goal->next);
	}
	if (!head_matches(m, p, x)) return solve_viewed(m, goal);
	if (p->n == 1 && p->arg[0]->kind == P_RUN) return solve_run(m, goal);
	if (p->n != own_args(x)) return false;
	if (p->kind == P_OPERATOR && p->n == 2 && op_info[p->op].flags & COMM) {
		Match saved = *m;
		if (solve_operands(m, goal, false)) return true;
		uint32_t steps = m->steps;
		*m = saved;
		m->steps = steps;
		return solve_operands(m, goal, true);
	}
	return solve_operands(m, goal, false);
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

static bool solve(Match *m, const Goal *goal)
{
	if (++m->steps > STEPS) return false;
	watch_step(m->g->arena, m->g->watch, 1);
	if (!goal) {
		const Rule *r = m->rule;
		return m->part ||
			(dtypes_allowed(m, r) &&
				(!r->guard || r->head || guard_holds(m, r->guard, r->law == LAW_EXACT)));
	}
	const Pattern *p = goal->p;
	switch (p->kind) {
	case P_VARIABLE: return bind(m, p->var, goal->x) && solve(m, goal->next);
	case P_LITERAL: return is_literal(p, goal->x) && solve(m, goal->next);
	case P_SUM:
	case P_PRODUCT: return solve_terms(m, goal);
	default: return solve_node(m, goal);
	}
}

static bool match_whole(Match *m, const Rule *r, Node *x)
{
	memset(m->value, 0, sizeof m->value);
	memset(m->attr, 0, sizeof m->attr);
	memset(m->run, 0, sizeof m->run);
	m->rule = r;
	m->node = x;
	m->whole = NULL;
	m->used = NULL;
	m->steps = 0;
	m->part = false;
	return solve(m, &(Goal){r->left, x, true, NULL});
}

static bool may_be(const Pattern *p, const Node *x)
{
	if (p->kind == P_OPERATOR) return x->op == p->op;
	if (p->kind == P_SUM) return x->op == OP_ADD || x->op == OP_SUB;
	return p->kind == P_LIBRARY && library_name(x) == p->name;
}

/* f/y within z*f/y: the other factors stay around, as they do around products. */
static bool match_quotient(Match *m, const Rule *r, Node *x)
{
	const Pattern *above = r->left->arg[0];
	Terms t;
	if (r->law == LAW_EXACT || x->arg[0]->op != OP_MUL || !dtype_is_float(node_dtype(x)) ||
		!terms_of_product(x->arg[0], &t, KEY_TERMS))
		return false;
	for (uint32_t i = 0; i < t.n; i++) {
		if (!may_be(above, t.term[i].x)) continue;
		Node *q = build2(m->g, OP_DIV, t.term[i].x, x->arg[1]);
		if (!q || !match_whole(m, r, q)) continue;
		m->whole = x->arg[0];
		m->used = NEW_ARRAY(m->scratch, uint8_t, t.n);
		m->used[i] = 1;
		return true;
	}
	return false;
}

bool match_rule(Match *m, const Rule *r, Node *x)
{
	if (match_whole(m, r, x)) return true;
	bool quotient = r->left->kind == P_OPERATOR && r->left->op == OP_DIV && x->op == OP_DIV && !r->head &&
		!r->call &&
		!r->equation;
	return quotient && match_quotient(m, r, x);
}
