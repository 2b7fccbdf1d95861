/* rule.c - a rule's syntax to a rule.
 *
 * Needs: the tree of one rule.  Gives: its left side, right side and guard as
 * patterns over the rule's variables, or an error that names the rule; of an
 * equation the rule from right to left too.
 */
#include <stdio.h>

#include "pattern.h"

static bool mentions(const Pattern *p, const char *name)
{
	if (!p) return false;
	if (p->kind == P_LIBRARY && !strcmp(p->name, name)) return true;
	for (uint32_t i = 0; i < p->n; i++)
		if (mentions(p->arg[i], name)) return true;
	return false;
}

/* The variables that are constants where the guard holds, as bits. */
static uint32_t wanted_constants(const Pattern *p)
{
	if (p && p->kind == P_OPERATOR && p->op == OP_AND)
		return wanted_constants(p->arg[0]) | wanted_constants(p->arg[1]);
	bool one = p && p->kind == P_LIBRARY && p->n == 1 && p->arg[0]->kind == P_VARIABLE;
	bool says = one && (!strcmp(p->name, "constant") || !strcmp(p->name, "literal") ||
		!strcmp(p->name, "moderate"));
	return says ? 1u << p->arg[0]->var : 0;
}

/* Does the guard want a term or factor, which has the dtype of all, to be an integer? */
static bool wants_integers(const Pattern *left, const Pattern *guard)
{
	if (guard && guard->kind == P_OPERATOR && guard->op == OP_AND)
		return wants_integers(left, guard->arg[0]) || wants_integers(left, guard->arg[1]);
	bool says = guard && guard->kind == P_LIBRARY && guard->n == 1 && !strcmp(guard->name, "integer") &&
		guard->arg[0]->kind == P_VARIABLE;
	if (!says || (left->kind != P_SUM && left->kind != P_PRODUCT)) return false;
	for (uint32_t i = 0; i < left->n; i++)
		if (left->arg[i]->kind == P_VARIABLE && left->arg[i]->var == guard->arg[0]->var) return true;
	return false;
}

static bool names_bits(const Pattern *p)
{
	if (p->kind == P_OPERATOR && p->op == OP_BITCAST) return true;
	for (uint32_t i = 0; i < p->n; i++)
		if (names_bits(p->arg[i])) return true;
	return false;
}

/* Views, indices and `where` move values about and compute nothing: true of complex numbers as well. */
static bool only_moves(const Pattern *p)
{
	Class k = op_info[p->op].class;
	if (p->kind == P_HELPER || p->kind == P_LIBRARY || p->kind == P_LET || p->kind == P_SUM ||
		p->kind == P_PRODUCT || p->kind == P_CHAIN)
		return false;
	if (p->kind == P_OPERATOR && k != VIEW && k != INDEX && p->op != OP_WHERE) return false;
	for (uint32_t i = 0; i < p->n; i++)
		if (!only_moves(p->arg[i])) return false;
	return p->kind != P_MATMUL;
}

/* dx for every x of d(f(x)): a tangent is named by its operand. */
static bool add_tangents(RuleReader *c, Where where)
{
	uint32_t n = c->rule->nvar;
	for (uint32_t i = 0; i < n; i++) {
		if (c->rule->var[i].kind != V_VALUE && c->rule->var[i].kind != V_RUN) continue;
		char name[100];
		int k = snprintf(name, sizeof name, "d%s", c->rule->var[i].name);
		if (pattern_variable(c, names_get(&c->g->names, name, (size_t)k), V_TANGENT, i, where) ==
			UINT32_MAX)
			return false;
	}
	return true;
}

/* The operator under d(...) or vjp(..., g), whose operands must be variables. */
static const Pattern *headed(RuleReader *c, const Syntax *left)
{
	bool vjp = c->rule->head == HEAD_VJP, batch = c->rule->head == HEAD_BATCH;
	if (left->count != (vjp ? 3u : 2u))
		return rule_refuse(c, left->where, "%s takes the operator",
			vjp ? "beside the cotangent vjp" : left->part[0]->name);
	c->side = LEFT;
	const Pattern *q = pattern_of(c, left->part[1]);
	if (!q) return NULL;
	bool listed = q->kind == P_SUM || q->kind == P_PRODUCT || q->kind == P_CHAIN;
	if (listed) { /* x + y as the operator itself */
		Pattern *p = pattern_make(c, P_OPERATOR, left->where, 2);
		if (q->kind == P_CHAIN)
			p->op = q->op;
		else if (q->kind == P_PRODUCT)
			p->op = OP_MUL;
		else if (q->sign[1] < 0)
			p->op = OP_SUB;
		else
			p->op = OP_ADD;
		p->arg = q->arg;
		if (q->n != 2) return rule_refuse(c, left->part[1]->where, "%s", "one operator at a time");
		q = p;
	}
	for (uint32_t i = 0; i < q->n; i++)
		if (q->arg[i]->kind != P_VARIABLE && q->arg[i]->kind != P_RUN)
			return rule_refuse(c, left->part[1]->where, "%s", "the operands must be variables");
	if (vjp &&
		(left->part[2]->kind != SYN_NAME ||
			pattern_variable(c, left->part[2]->name, V_COTANGENT, 0, left->where) == UINT32_MAX))
		return rule_refuse(c, left->where, "%s", "the cotangent must be a name");
	if (batch && q->kind != P_LIBRARY)
		return rule_refuse(c, left->part[1]->where, "%s", "operators have lanes of their own: an op is wanted");
	return batch || add_tangents(c, left->where) ? q : NULL;
}

/* Of the comment above it, what comes after a heading `# ---- ...`, which is its book's. */
const char *rule_text(Arena *arena, const Rule *r)
{
	if (r->call) return arena_printf(arena, "%s => a function of C", r->given);
	Syntax own = *r->syntax;
	for (const char *line = own.text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, "---", 3)) continue;
		line += strcspn(line, "\n");
		own.text = *line ? line + 1 : NULL;
	}
	Text t;
	text_open(&t, arena);
	print_syntax(&t, &own);
	return text_done(&t);
}

/* A cotangent for each operand; of a run `..x` one line speaks for all. */
static bool one_for_each(RuleReader *c, const Syntax *s)
{
	const Pattern *left = c->rule->left, *right = c->rule->right;
	uint32_t n = right->kind == P_TUPLE ? right->n : 1;
	for (uint32_t i = 0; i < left->n; i++)
		if (left->arg[i]->kind == P_RUN) return true;
	if (n == left->n) return true;
	char text[100];
	snprintf(text, sizeof text, "%u cotangents for %u operands; 0 says that there is none", n, left->n);
	rule_refuse(c, s->part[1]->where, "%s", text);
	return false;
}

/* d(f(x)), vjp(f(x), g) and batch(f(x)) are heads; else the rule is of the node itself. */
static int head_of(const Syntax *left, const Book *book)
{
	bool batching = !strcmp(book->stage, "batching");
	if (left->kind != SYN_CALL || left->part[0]->kind != SYN_NAME) return HEAD_NONE;
	if (batching) return strcmp(left->part[0]->name, "batch") ? HEAD_NONE : HEAD_BATCH;
	if (!strcmp(left->part[0]->name, "d")) return HEAD_D;
	return strcmp(left->part[0]->name, "vjp") ? HEAD_NONE : HEAD_VJP;
}

static const char *written(Arena *a, const Syntax *s)
{
	Text t;
	text_open(&t, a);
	print_syntax(&t, s);
	return text_done(&t);
}

static double number_of(const Syntax *s)
{
	if (s->kind != SYN_NUMBER) return 0;
	return s->number == NUMBER_INTEGER ? (double)s->integer : s->real;
}

/* An op that is given functions is no node, so that no pattern finds it: who differentiates its calls is the
 * elaborator. */
static Rule *told(RuleReader *c, const Syntax *op, const Syntax *s)
{
	if (!c->rule->head || strcmp(c->rule->book->stage, "derivative"))
		return rule_refuse(c, s->where,
			"%s takes functions and is no node that a rule could find; its derivative alone can be told",
			op->name);
	c->rule->told = true;
	return op_tell(c->g, op, s) ? c->rule : NULL;
}

/* ---- brackets of one name ------------------------------------------------------------------ */

/* The letters of an operator's brackets; "o" for an order of all axes. */
static void bracket_kind(Op op, char *out)
{
	const char *b = op_info[op].brackets;
	if (*b == '(') b = "a"; /* the sizes of an expand are not written */
	bool order = b[0] == 'a' && b[1] == '.';
	for (; *b; b++)
		if (strchr("aAsidlfngc", *b)) *out++ = order ? 'o' : *b;
	*out = 0;
}

static const char *kind_said(const char *kind)
{
	static const char *const said[][2] = {{"a", "axes"}, {"o", "an order of all axes"}, {"s", "sizes"},
		{"d", "a dtype"}, {"l", "labels"}, {"ff", "flags"}, {"sd", "a size and a dtype"},
		{"ds", "a dtype and sizes"}, {"ssi", "places, lengths and steps"}};
	for (uint32_t i = 0; i < countof(said); i++)
		if (!strcmp(kind, said[i][0])) return said[i][1];
	return "something else";
}

typedef struct BracketUse {
	char kind[8];
	const char *op;
} BracketUse;

static bool holds_one_thing(RuleReader *c, BracketUse *use, uint32_t var, Op op)
{
	BracketUse now = {.op = op_info[op].text};
	char text[200];
	bracket_kind(op, now.kind);
	if (!use[var].op) use[var] = now;
	if (!strcmp(use[var].kind, now.kind)) return true;
	snprintf(text, sizeof text, "[%.40s] holds %s in %s and %s in %s: write two names",
		c->rule->var[var].name, kind_said(use[var].kind), use[var].op, kind_said(now.kind), now.op);
	rule_refuse(c, c->rule->where, "%s", text);
	return false;
}

/* A name in brackets stands for one list wherever it is on the left: axes, sizes, a dtype, ... */
static bool brackets_agree(RuleReader *c, const Pattern *p, BracketUse *use)
{
	if (p->kind == P_OPERATOR && p->attr.kind == AT_VARIABLE &&
		!holds_one_thing(c, use, p->attr.var, p->op))
		return false;
	for (uint32_t i = 0; i < p->n; i++)
		if (!brackets_agree(c, p->arg[i], use)) return false;
	return true;
}

/* ---- what says the same ------------------------------------------------------------------------ */

/* Is it x^2, cos(x) or another function of a variable that is the same of -x? */
static bool is_even(const Pattern *p)
{
	if (p->kind != P_OPERATOR || !p->n || p->arg[0]->kind != P_VARIABLE) return false;
	bool power = p->op == OP_POW && p->arg[1]->kind == P_LITERAL && p->arg[1]->value == 2;
	return power || op_info[p->op].flags & EVEN;
}

static uint32_t in_even(const Pattern *p, uint32_t var)
{
	uint32_t n = 0;
	if (is_even(p)) return p->arg[0]->var == var;
	for (uint32_t i = 0; i < p->n; i++) n += in_even(p->arg[i], var);
	return n;
}

/* The other of > and >=, < and <=. */
static Op with_tie(Op op)
{
	static const Op other[OP_COUNT] = {
		[OP_GT] = OP_GE, [OP_GE] = OP_GT, [OP_LT] = OP_LE, [OP_LE] = OP_LT};
	return other[op];
}

/* What p is where x and y are equal: x for y, and for -x where both are 0. */
static const Pattern *at_tie(const Pattern *p, const Pattern *x, const Pattern *y)
{
	bool zero = y->kind == P_LITERAL && y->value == 0;
	if (zero && p->kind == P_OPERATOR && p->op == OP_NEG) p = p->arg[0];
	bool is_y = p->kind == y->kind && (y->kind == P_VARIABLE ? p->var == y->var : p->value == y->value);
	return is_y ? x : p;
}

/* where(x > y, x, y): a tie gives the same either way. */
static bool is_tied_choice(const Pattern *p)
{
	if (p->kind != P_OPERATOR || p->op != OP_WHERE || p->arg[0]->kind != P_OPERATOR) return false;
	const Pattern *c = p->arg[0], *x = c->n == 2 ? c->arg[0] : NULL, *y = c->n == 2 ? c->arg[1] : NULL;
	if (with_tie(c->op) == OP_NONE || x->kind != P_VARIABLE) return false;
	if (y->kind != P_VARIABLE && y->kind != P_LITERAL) return false;
	const Pattern *a = at_tie(p->arg[1], x, y), *b = at_tie(p->arg[2], x, y);
	return a->kind == P_VARIABLE && b->kind == P_VARIABLE && a->var == x->var && b->var == x->var;
}

/* A difference, or what a function other than exp has with a minus: log1p(-x^2) is one. */
static bool may_cancel(const Pattern *p)
{
	if (p->kind != P_SUM) return p->kind == P_OPERATOR && p->op == OP_NEG;
	for (uint32_t i = 0; i < p->n; i++)
		if (p->sign[i] < 0 || (p->arg[i]->kind == P_LITERAL && p->arg[i]->value < 0)) return true;
	return false;
}

/* The left side with notes of what else says the same: the sign of what an even function has, ties of a
 * comparison where no derivative follows; and of where squares cancel. */
static const Pattern *noted(RuleReader *c, const Pattern *p, bool in_exp)
{
	const Rule *r = c->rule;
	Pattern *q = NEW(c->arena, Pattern);
	*q = *p;
	q->arg = NEW_ARRAY(c->arena, const Pattern *, p->n);
	for (uint32_t i = 0; i < p->n; i++) {
		Pattern *part = (Pattern *)noted(c, p->arg[i], p->kind == P_OPERATOR && p->op == OP_EXP);
		part->cancels = !in_exp && may_cancel(p);
		q->arg[i] = part;
	}
	bool even = is_even(p) && r->signs >> p->arg[0]->var & 1;
	bool tied = !strcmp(r->book->stage, "last") && is_tied_choice(p);
	if (!even && !tied) return q;
	Pattern *first = (Pattern *)q->arg[0]; /* a copy too */
	first->even = even;
	if (tied) first->tied = with_tie(first->op);
	return q;
}

/* Variables of a rule of stable that stand once besides in squares and other even functions. */
static uint32_t signs_of(const Rule *r)
{
	uint32_t signs = 0;
	bool plain = !r->head && !r->equation && !r->call && r->law != LAW_EXACT;
	if (!plain || !rule_is_stable(r)) return 0;
	for (uint32_t v = 0; v < r->nvar; v++) {
		uint32_t even = r->var[v].kind == V_VALUE ? in_even(r->left, v) : 0;
		if (even && stands_in(r->left, v) == even + 1) signs |= 1u << v;
	}
	return signs;
}

static Rule *compile(Graph *g, Arena *arena, const Syntax *s, const Book *book, Error *error)
{
	Rule *r = NEW(arena, Rule);
	RuleReader c = {.g = g, .arena = arena, .rule = r, .error = error, .side = LEFT};
	const Syntax *left = s->part[0];
	r->book = book;
	r->where = s->where;
	r->law = s->law ? (Law)s->law : LAW_REAL;
	r->equation = s->sign == SIGN_SAME;
	r->name = s->name ? s->name : written(arena, left);
	r->syntax = s;
	if (s->count > 3 && s->part[3]) r->tolerance = number_of(s->part[3]);
	r->written = !strcmp(book->stage, "check");
	if (r->written) return r;
	r->head = head_of(left, book);
	if (!r->head && !strcmp(book->stage, "batching"))
		return rule_refuse(&c, s->where, "%s", "book batching has lines batch(f(x)) => ... alone");
	const Syntax *call = r->head && left->count > 1 ? left->part[1] : left, *op = op_of_call(g, call);
	if (op && op_takes_functions(op)) return told(&c, op, s);
	r->left = r->head ? headed(&c, left) : pattern_of(&c, left);
	if (r->left && (r->left->kind == P_VARIABLE || r->left->kind == P_LITERAL))
		return rule_refuse(&c, s->where, "%s", "the left side is no operator");
	BracketUse use[RULE_VARIABLES] = {{{0}, NULL}};
	if (r->left && !brackets_agree(&c, r->left, use)) return NULL;
	c.side = GUARD;
	r->guard = r->left && s->count > 2 && s->part[2] ? pattern_of(&c, s->part[2]) : NULL;
	c.side = RIGHT;
	r->right = r->left && !error->code ? pattern_of(&c, s->part[1]) : NULL;
	r->integer = mentions(r->guard, "integer");
	r->complex = mentions(r->guard, "complex");
	r->boolean = mentions(r->guard, "boolean");
	if (!r->right || error->code) return NULL;
	if (r->head == HEAD_VJP && !one_for_each(&c, s)) return NULL;
	if (!r->head && r->law != LAW_EXACT && (names_bits(r->left) || names_bits(r->right)))
		return rule_refuse(&c, s->where, "%s", "bits are no real number: the law of a rule with bitcast is exact");
	r->signs = signs_of(r);
	bool notes = rule_keeps_differences(r) || !strcmp(book->stage, "last");
	if (!r->head && notes) r->left = noted(&c, r->left, false);
	r->splits = rule_splits_logarithms(r);
	r->constants = r->head ? 0 : wanted_constants(r->guard);
	r->shared = rule_shares_factors(r);
	r->factors = rule_has_factors(r);
	r->integers = !r->head && wants_integers(r->left, r->guard);
	r->repeats = rule_repeats(r);
	r->moves = r->law == LAW_EXACT && !r->complex && only_moves(r->left) && only_moves(r->right);
	r->complex |= r->moves;
	return r;
}

/* An equation from right to left; NULL where the right side cannot be looked for, or does not bind all. */
static const Rule *turned(Graph *g, Arena *arena, const Syntax *s, const Book *book)
{
	Error unread = {0};
	Syntax *back = NEW(arena, Syntax);
	*back = *s;
	back->part = NEW_ARRAY(arena, Syntax *, s->count);
	memcpy(back->part, s->part, s->count * sizeof *s->part);
	back->part[0] = s->part[1];
	back->part[1] = s->part[0];
	return compile(g, arena, back, book, &unread);
}

Rule *rule_compile(Graph *g, Arena *arena, const Syntax *s, const Book *book, Error *error)
{
	Rule *r = compile(g, arena, s, book, error);
	if (r && r->equation && !r->written) r->back = turned(g, arena, s, book);
	return r;
}
