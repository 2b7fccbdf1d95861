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

/* Views, indices and `where` move values about and compute nothing: true of complex numbers as well. */
static bool only_moves(const Pattern *p)
{
	Class k = op_info[p->op].class;
	if (p->kind == P_HELPER || p->kind == P_LIBRARY || p->kind == P_LET || p->kind == P_SUM ||
		p->kind == P_PRODUCT)
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
	if (q->kind == P_SUM || q->kind == P_PRODUCT) { /* x + y as the operator itself */
		Pattern *p = pattern_make(c, P_OPERATOR, left->where, 2);
		if (q->kind == P_PRODUCT)
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
	c.side = GUARD;
	r->guard = r->left && s->count > 2 && s->part[2] ? pattern_of(&c, s->part[2]) : NULL;
	c.side = RIGHT;
	r->right = r->left && !error->code ? pattern_of(&c, s->part[1]) : NULL;
	r->integer = mentions(r->guard, "integer");
	r->complex = mentions(r->guard, "complex");
	r->boolean = mentions(r->guard, "boolean");
	if (!r->right || error->code) return NULL;
	if (r->head == HEAD_VJP && !one_for_each(&c, s)) return NULL;
	r->splits = rule_splits_logarithms(r);
	r->shared = rule_shares_factors(r);
	r->constants = r->head ? 0 : wanted_constants(r->guard);
	r->factors = rule_has_factors(r);
	r->complex |= r->law == LAW_EXACT && only_moves(r->left) && only_moves(r->right);
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
