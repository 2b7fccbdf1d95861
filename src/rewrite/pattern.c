/* pattern.c - an expression of a rule to a pattern over the rule's variables.
 *
 * On a left side sums and products are flat lists of terms, so that matching
 * is by terms; on a right side they are the operators as written, because the
 * order of a right side is the order of evaluation.
 */
#include <stdio.h>

#include "../elab/elab.h"
#include "pattern.h"

#define MOST_WHOLE (INT64_C(1) << 53) /* literals are kept as doubles */

void *rule_refuse(RuleReader *c, Where where, const char *format, const char *what)
{
	char text[300];
	snprintf(text, sizeof text, format, what);
	return fail(c->error, ERR_RULE, where, "rule %s: %s", c->rule->name, text);
}

Pattern *pattern_make(RuleReader *c, PatternKind kind, Where where, uint32_t n)
{
	Pattern *p = arena_alloc_aligned(c->arena, sizeof *p, _Alignof(Pattern));
	if (++c->count > RULE_PATTERNS) return rule_refuse(c, where, "%s", "too long a rule");
	p->kind = kind;
	p->n = n;
	p->arg = NEW_ARRAY(c->arena, const Pattern *, n);
	return p;
}

/* ---- variables --------------------------------------------------------------- */

static uint32_t find_variable(const Rule *r, const char *name)
{
	for (uint32_t i = r->nvar; i-- > 0;) /* an inner let hides an outer name */
		if (r->var[i].name == name) return i;
	return UINT32_MAX;
}

uint32_t pattern_variable(RuleReader *c, const char *name, VariableKind kind, uint32_t of, Where where)
{
	Rule *r = c->rule;
	if (r->nvar == RULE_VARIABLES) {
		rule_refuse(c, where, "%s", "more variables than 24");
		return UINT32_MAX;
	}
	GROW(c->arena, r->var, r->nvar, r->var_cap);
	r->var[r->nvar] = (Variable){name, kind, of};
	return r->nvar++;
}

static uint32_t variable(RuleReader *c, const Syntax *s, VariableKind kind)
{
	uint32_t i = find_variable(c->rule, s->name);
	if (i == UINT32_MAX) {
		if (c->side != LEFT) {
			rule_refuse(c, s->where, "%s is not bound on the left", s->name);
			return UINT32_MAX;
		}
		return pattern_variable(c, s->name, kind, 0, s->where);
	}
	VariableKind is = c->rule->var[i].kind;
	bool attr = kind == V_ATTR, run = kind == V_RUN;
	if (c->side != GUARD && (attr != (is == V_ATTR))) {
		rule_refuse(
			       c, s->where, "%s stands for an array and for what is in brackets", s->name);
		return UINT32_MAX;
	}
	if (run && is != V_RUN && !(is == V_TANGENT && c->rule->var[c->rule->var[i].of].kind == V_RUN)) {
		rule_refuse(c, s->where, "..%s is not a run on the left", s->name);
		return UINT32_MAX;
	}
	return i;
}

static const Pattern *literal(RuleReader *c, Where where, double value, bool is_integer, bool is_bool)
{
	Pattern *p = pattern_make(c, P_LITERAL, where, 0);
	if (p) {
		p->value = value;
		p->is_integer = is_integer;
		p->is_bool = is_bool;
	}
	return p;
}

static const Pattern *name_pattern(RuleReader *c, const Syntax *s)
{
	static const struct {
		const char *name;
		double value;
		bool is_bool;
	} known[] = {{"pi", 3.14159265358979323846, false}, {"inf", INFINITY, false}, {"nan", NAN, false},
		{"true", 1, true}, {"false", 0, true}};
	if (find_variable(c->rule, s->name) == UINT32_MAX)
		for (uint32_t i = 0; i < countof(known); i++)
			if (!strcmp(s->name, known[i].name))
				return literal(c, s->where, known[i].value, false, known[i].is_bool);
	uint32_t v = variable(c, s, V_VALUE);
	Pattern *p = v == UINT32_MAX ? NULL : pattern_make(c, P_VARIABLE, s->where, 0);
	if (p) p->var = v;
	return p;
}

/* ---- brackets ------------------------------------------------------------------ */

static const AttrExpr *attr_expression(RuleReader *c, const Syntax *s)
{
	AttrExpr *e = NEW(c->arena, AttrExpr);
	switch (s->kind) {
	case SYN_NUMBER:
		if (s->number != NUMBER_INTEGER)
			return rule_refuse(c, s->where, "%s", "brackets hold whole numbers and variables");
		*e = (AttrExpr){.sign = 'n', .value = s->integer};
		return e;
	case SYN_NAME: {
		Dtype d = dtype_named(s->name, strlen(s->name));
		if (d != DT_NONE && find_variable(c->rule, s->name) == UINT32_MAX) {
			*e = (AttrExpr){.sign = 'd', .value = d};
			return e;
		}
		*e = (AttrExpr){.sign = 'v', .var = variable(c, s, V_ATTR)};
		return e->var == UINT32_MAX ? NULL : e;
	}
	case SYN_CHAIN: {
		const AttrExpr *a = attr_expression(c, s->part[0]);
		for (uint32_t i = 1; a && i < s->count; i++) {
			const AttrExpr *b = attr_expression(c, s->part[i]);
			Sign sign = (Sign)s->signs[i - 1];
			if (sign != SIGN_PLUS && sign != SIGN_MINUS && sign != SIGN_TIMES)
				return rule_refuse(c, s->where, "%s in brackets: only +, - and * are known",
					sign_text(sign));
			e = NEW(c->arena, AttrExpr);
			*e = (AttrExpr){.sign = sign_text(sign)[0], .a = a, .b = b};
			a = b ? e : NULL;
		}
		return a;
	}
	default: return rule_refuse(c, s->where, "%s", "brackets hold axes, variables and + - * of them");
	}
}

static bool attr_pattern(RuleReader *c, const Syntax *s, AttrPattern *out)
{
	uint32_t n = s->count - 1;
	out->list = NEW_ARRAY(c->arena, const AttrExpr *, n ? n : 1);
	out->kind = AT_LIST;
	for (uint32_t i = 1; i < s->count; i++) {
		const Syntax *e = s->part[i];
		if (c->side == RIGHT && e->kind == SYN_NAME && !strcmp(e->name, "keep") &&
			find_variable(c->rule, e->name) == UINT32_MAX) {
			out->keep = true;
			continue;
		}
		if (!(out->list[out->n++] = attr_expression(c, e))) return false;
	}
	if (out->n == 1 && out->list[0]->sign == 'v') { /* alone: the whole list */
		out->kind = AT_VARIABLE;
		out->var = out->list[0]->var;
	}
	if (!out->n) out->kind = AT_NONE;
	return true;
}

/* ---- names ------------------------------------------------------------------------ */

static bool is_guard_word(const char *name)
{
	static const char *const words[] = {"finite", "number", "whole", "integer", "real", "complex",
		"boolean", "constant", "literal", "moderate", "wide", "scalar", "spread", "shared", "occupied", "positive_definite", "rank", "count",
		"alone"};
	for (uint32_t i = 0; i < countof(words); i++)
		if (!strcmp(name, words[i])) return true;
	return false;
}

/* A name that is called is an operator, an op, a helper of right sides or a word of guards. */
static bool known_name(RuleReader *c, const Pattern *p, Where where)
{
	Graph *g = c->g;
	if (p->kind != P_LIBRARY || (c->side == GUARD && is_guard_word(p->name))) return true;
	if (custom_named(g, p->name)) return true;
	if (op_find(g, p->name)) return true;
	const char *dot = strrchr(p->name, '.');
	const Syntax *s = dot ? NULL : module_declaration(g, p->name);
	for (int n = 0; !dot && !s && n < 6; n++)
		if (op_named(p->name, strlen(p->name), n) != OP_NONE) {
			char text[100];
			snprintf(text, sizeof text, "%.40s takes %d operands, here are %u", p->name, n, p->n);
			rule_refuse(c, where, "%s", text);
			return false;
		}
	if (s && s->kind == SYN_FN) {
		rule_refuse(c, where,
			       "%s is a fn, which is taken apart before rules see it; make it an op",
			       p->name);
		return false;
	}
	rule_refuse(c, where,
		       c->side == GUARD
			       ? "%s is no word of guards, no operator and no op"
			       : "there is no operator or op %s; a fn is none, it is taken apart before "
				 "rules see it",
		       p->name);
	return false;
}

/* ---- calls ------------------------------------------------------------------------ */

/* The operands of a call as the graph has them: see operands.c. */
static const Syntax *const *operands(
	RuleReader *c, const Syntax *s, const Syntax *name, const Syntax *brackets, uint32_t *n)
{
	const Syntax *const *plain = (const Syntax *const *)s->part + 1;
	if (c->side == GUARD || custom_named(c->g, name->name)) return plain;
	const Syntax *op = op_find(c->g, op_written(c->g, s->where.file, name->name));
	if (!op) return plain;
	const Syntax **out = op_operands(c->arena, c->g, op, s, n);
	char text[200];
	snprintf(text, sizeof text, "%.40s takes %.100s", name->name, op_parameters(c->arena, op));
	if (!out || *n != op_leaves(op)) return rule_refuse(c, s->where, "%s", text);
	if (brackets || !op->part[0] || !op->part[0]->count) return out;
	snprintf(text, sizeof text, "%.40s has brackets: write %.40s[a](...)", name->name, name->name);
	return rule_refuse(c, s->where, "%s", text);
}

/* ..xs stands for any number of operands. */
static const Pattern *call_operand(RuleReader *c, const Syntax *s)
{
	if (s->kind == SYN_ENTRY)
		return rule_refuse(c, s->where, "%s = ...: operands of a rule have no names", s->name);
	if (s->kind != SYN_RUN) return pattern_of(c, s);
	Pattern *run = pattern_make(c, P_RUN, s->where, 0);
	if (!run || !s->name) return NULL;
	run->var = variable(c, s, V_RUN);
	return run->var != UINT32_MAX ? run : NULL;
}

/* f32(x) is cast[f32](x). */
static const Pattern *cast_pattern(RuleReader *c, const Syntax *s, Dtype to)
{
	AttrExpr *e = NEW(c->arena, AttrExpr);
	Pattern *p = pattern_make(c, P_OPERATOR, s->where, 1);
	if (!p || !(p->arg[0] = call_operand(c, s->part[1]))) return NULL;
	*e = (AttrExpr){.sign = 'd', .value = to};
	p->name = op_info[OP_CAST].text;
	p->op = OP_CAST;
	p->helper = UINT32_MAX;
	p->attr.list = NEW_ARRAY(c->arena, const AttrExpr *, 1);
	p->attr.list[p->attr.n++] = e;
	p->attr.kind = AT_LIST;
	return p;
}

static const Pattern *call_pattern(RuleReader *c, const Syntax *s)
{
	const Syntax *callee = s->part[0], *brackets = callee->kind == SYN_SUBSCRIPTS ? callee : NULL;
	const Syntax *name = brackets ? brackets->part[0] : callee;
	if (name->kind == SYN_FIELD && name->part[0]->kind == SYN_NAME) { /* module.op */
		char both[200];
		int n = snprintf(both, sizeof both, "%s.%s", name->part[0]->name, name->name);
		name = syntax_name(c->arena, name->where, names_get(&c->g->names, both, (size_t)n));
	}
	if (name->kind != SYN_NAME)
		return rule_refuse(
			c, s->where, "%s", "what is called must be the name of an operator or an op");
	uint32_t n = s->count - 1;
	Dtype to = brackets ? DT_NONE : dtype_named(name->name, strlen(name->name));
	if (to != DT_NONE && n == 1) return cast_pattern(c, s, to);
	Op op = op_named(name->name, strlen(name->name), (int)n);
	const Syntax *const *operand = (const Syntax *const *)s->part + 1;
	if (op == OP_NONE && !(operand = operands(c, s, name, brackets, &n))) return NULL;
	Pattern *p = pattern_make(c, P_OPERATOR, s->where, n);
	if (!p) return NULL;
	p->name = name->name;
	p->op = op;
	if (p->op == OP_NONE && p->n && s->part[1]->kind == SYN_RUN)
		p->op = op_named(name->name, strlen(name->name), VARIADIC);
	if (c->side == GUARD && (!strcmp(p->name, "complex") || !strcmp(p->name, "size"))) p->op = OP_NONE;
	p->helper = c->side == RIGHT && p->op == OP_NONE ? helper_named(p->name) : UINT32_MAX;
	if (p->op == OP_NONE) p->kind = p->helper != UINT32_MAX ? P_HELPER : P_LIBRARY;
	if (p->kind == P_LIBRARY && c->side != GUARD) p->name = op_written(c->g, s->where.file, p->name);
	if (!known_name(c, p, s->where) || (brackets && !attr_pattern(c, brackets, &p->attr))) return NULL;
	for (uint32_t i = 0; i < p->n; i++)
		if (!(p->arg[i] = call_operand(c, operand[i]))) return NULL;
	if (p->op == OP_EXP && c->side == LEFT && !(p->arg[0] = pattern_exponent(c, p->arg[0]))) return NULL;
	return p;
}

static Pattern *operator2(RuleReader *c, Op op, const Pattern *a, const Pattern *b, Where where)
{
	Pattern *p = a && b ? pattern_make(c, P_OPERATOR, where, 2) : NULL;
	if (p) {
		p->op = op;
		p->arg[0] = a;
		p->arg[1] = b;
	}
	return p;
}

static Pattern *operator1(RuleReader *c, Op op, const Pattern *a, Where where)
{
	Pattern *p = a ? pattern_make(c, P_OPERATOR, where, 1) : NULL;
	if (p) {
		p->op = op;
		p->arg[0] = a;
	}
	return p;
}

/* ---- sums and products of a left side ------------------------------------------------ */

/* a and b joined in one flat list; either may be a list already. */
static const Pattern *join(
	RuleReader *c, PatternKind kind, const Pattern *a, int sign, const Pattern *b, Where where)
{
	if (!a || !b) return NULL;
	const Pattern *part[2] = {a, b};
	uint32_t n = 0;
	for (uint32_t k = 0; k < 2; k++) n += part[k]->kind == kind ? part[k]->n : 1;
	Pattern *p = pattern_make(c, kind, where, n);
	if (!p) return NULL;
	p->sign = NEW_ARRAY(c->arena, int8_t, n);
	n = 0;
	for (uint32_t k = 0; k < 2; k++) {
		const Pattern *q = part[k];
		int s = k ? sign : 1;
		if (kind == P_SUM && q->kind == P_OPERATOR && q->op == OP_NEG) {
			q = q->arg[0];
			s = -s;
		}
		uint32_t m = q->kind == kind ? q->n : 1;
		if (n + m > p->n) {
			q = part[k];
			s = k ? sign : 1;
			m = 1; /* -(a + b): one term with a sign */
		}
		for (uint32_t i = 0; i < m; i++, n++) {
			p->arg[n] = q->kind == kind ? q->arg[i] : q;
			p->sign[n] = (int8_t)(q->kind == kind ? s * q->sign[i] : s);
		}
	}
	return p;
}

static bool is_number(const Pattern *p)
{
	return p && p->kind == P_LITERAL && !p->is_bool;
}

/* 1/3 on a left side is the constant that it becomes. */
static const Pattern *quotient(RuleReader *c, const Pattern *a, const Pattern *b, Where where)
{
	Pattern *p = pattern_make(c, P_LITERAL, where, 0);
	if (!p) return NULL;
	p->value = a->value / b->value;
	p->divisions = 1 + a->divisions + b->divisions;
	return p;
}

static const Pattern *chain(RuleReader *c, const Syntax *s)
{
	static const Op ops[SIGN_KINDS] = {[SIGN_OR] = OP_OR,
		[SIGN_AND] = OP_AND,
		[SIGN_PLUS] = OP_ADD,
		[SIGN_MINUS] = OP_SUB,
		[SIGN_TIMES] = OP_MUL,
		[SIGN_DIVIDE] = OP_DIV,
		[SIGN_FLOOR] = OP_FLOORDIV,
		[SIGN_MOD] = OP_MOD,
		[SIGN_MATMUL] = OP_CONTRACT};
	const Pattern *a = pattern_of(c, s->part[0]);
	for (uint32_t i = 1; a && i < s->count; i++) {
		Sign sign = (Sign)s->signs[i - 1];
		const Pattern *b = pattern_of(c, s->part[i]);
		if (c->side == LEFT && (sign == SIGN_PLUS || sign == SIGN_MINUS)) {
			a = join(c, P_SUM, a, sign == SIGN_PLUS ? 1 : -1, b, s->where);
		} else if (c->side == LEFT && sign == SIGN_TIMES) {
			a = join(c, P_PRODUCT, a, 1, b, s->where);
		} else if (c->side == LEFT && sign == SIGN_DIVIDE && is_number(a) && is_number(b)) {
			a = quotient(c, a, b, s->where);
		} else {
			Pattern *p = operator2(c, ops[sign], a, b, s->where);
			if (p && sign == SIGN_MATMUL) p->kind = P_MATMUL;
			a = p;
		}
	}
	return a;
}

/* A literal before the sign of a left side goes behind it, as order_operands does. */
static const Pattern *compare_two(RuleReader *c, Op op, const Pattern *a, const Pattern *b, Where where)
{
	Op other = mirrored(op);
	bool turned = c->side == LEFT && a->kind == P_LITERAL && other != OP_NONE;
	return turned ? operator2(c, other, b, a, where) : operator2(c, op, a, b, where);
}

static const Pattern *comparison(RuleReader *c, const Syntax *s)
{
	static const Op ops[SIGN_KINDS] = {[SIGN_EQ] = OP_EQ,
		[SIGN_NE] = OP_NE,
		[SIGN_LT] = OP_LT,
		[SIGN_LE] = OP_LE,
		[SIGN_GT] = OP_GT,
		[SIGN_GE] = OP_GE};
	const Pattern *all = NULL, *a = pattern_of(c, s->part[0]);
	for (uint32_t i = 1; a && i < s->count; i++) {
		const Pattern *b = pattern_of(c, s->part[i]);
		const Pattern *one = compare_two(c, ops[s->signs[i - 1]], a, b, s->where);
		all = all ? operator2(c, OP_AND, all, one, s->where) : one;
		if (!all) return NULL;
		a = b;
	}
	return all;
}

/* ---- expressions ----------------------------------------------------------------------- */

/* let a = e let (p, q) = f in body: one P_LET in the other. */
static const Pattern *let(RuleReader *c, const Syntax *s, uint32_t at)
{
	if (at + 1 == s->count) return pattern_of(c, s->part[at]);
	const Syntax *bind = s->part[at];
	if (c->side != RIGHT || bind->kind != SYN_BIND)
		return rule_refuse(c, s->where, "%s", "let stands on right sides, with names alone");
	const Syntax *names = bind->part[0];
	Pattern *p = pattern_make(c, P_LET, s->where, 2);
	if (!p || !(p->arg[0] = pattern_of(c, bind->part[2]))) return NULL;
	p->locals = names->kind == SYN_TUPLE ? names->count : 1;
	uint32_t before = c->rule->nvar;
	for (uint32_t i = 0; i < p->locals; i++) {
		const Syntax *name = names->kind == SYN_TUPLE ? names->part[i] : names;
		if (name->kind != SYN_NAME ||
			pattern_variable(c, name->name, V_LOCAL, names->kind == SYN_TUPLE, name->where) ==
				UINT32_MAX)
			return rule_refuse(c, s->where, "%s", "let binds names");
	}
	p->var = before;
	p->is_bool = names->kind == SYN_TUPLE; /* taken apart */
	p->arg[1] = let(c, s, at + 1);
	for (uint32_t i = 0; i < p->locals; i++)
		c->rule->var[before + i].name = ""; /* out of scope: the number stays taken */
	return p->arg[1] ? p : NULL;
}

static const Pattern *subscripts(RuleReader *c, const Syntax *s)
{
	const Syntax *i = s->count == 2 ? s->part[1] : NULL;
	if (!i || i->kind == SYN_SLICE || i->kind == SYN_RUN || i->kind == SYN_ENTRY)
		return rule_refuse(c, s->where, "%s",
			"a rule knows x[i] with one index; name the operator for others: slice[a](x)");
	Pattern *p = pattern_make(c, P_INDEX, s->where, 2);
	if (!p) return NULL;
	p->op = OP_GATHER;
	p->arg[0] = pattern_of(c, s->part[0]);
	p->arg[1] = p->arg[0] ? pattern_of(c, i) : NULL;
	return p->arg[1] ? p : NULL;
}

/* p.gain is the variable of that name, which an op with a structure p binds. */
static const Syntax *field_name(RuleReader *c, const Syntax *s)
{
	const char *both = arena_printf(c->arena, "%s.%s", s->part[0]->name, s->name);
	return syntax_name(c->arena, s->where, names_get(&c->g->names, both, strlen(both)));
}

static const Pattern *number_pattern(RuleReader *c, const Syntax *s)
{
	bool integer = s->number == NUMBER_INTEGER;
	bool large = integer && (s->integer > MOST_WHOLE || s->integer < -MOST_WHOLE);
	if (s->number == NUMBER_IMAGINARY)
		return rule_refuse(c, s->where, "%s",
			"an imaginary number stands in no rule; write complex(0, 1)");
	if (s->number == NUMBER_WHOLE || large)
		return rule_refuse(c, s->where, "%s",
			"whole numbers of a rule go up to 2^53; a float has a point");
	return literal(c, s->where, integer ? (double)s->integer : s->real, integer, false);
}

static const Pattern *unary_pattern(RuleReader *c, const Syntax *s)
{
	const Pattern *a = pattern_of(c, s->part[0]);
	bool minus = s->sign == SIGN_MINUS;
	if (a && a->kind == P_LITERAL && minus) return literal(c, s->where, -a->value, a->is_integer, false);
	return operator1(c, minus ? OP_NEG : OP_NOT, a, s->where);
}

static const Pattern *field_pattern(RuleReader *c, const Syntax *s)
{
	bool turned = !strcmp(s->name, "T");
	if (!turned && s->part[0]->kind == SYN_NAME) return name_pattern(c, field_name(c, s));
	if (!turned) return rule_refuse(c, s->where, ".%s: a rule knows .T, and fields of a name", s->name);
	Pattern *p = operator1(c, OP_TRANSPOSE, pattern_of(c, s->part[0]), s->where);
	if (p) p->kind = P_TURN;
	return p;
}

const Pattern *pattern_of(RuleReader *c, const Syntax *s)
{
	switch (s->kind) {
	case SYN_NUMBER: return number_pattern(c, s);
	case SYN_NAME: return name_pattern(c, s);
	case SYN_CALL: return call_pattern(c, s);
	case SYN_CHAIN: return chain(c, s);
	case SYN_COMPARE: return comparison(c, s);
	case SYN_SUBSCRIPTS: return subscripts(c, s);
	case SYN_LET: return let(c, s, 0);
	case SYN_UNARY: return unary_pattern(c, s);
	case SYN_FIELD: return field_pattern(c, s);
	case SYN_POWER: {
		const Pattern *a = pattern_of(c, s->part[0]), *b = a ? pattern_of(c, s->part[1]) : NULL;
		return operator2(c, OP_POW, a, b, s->where);
	}
	case SYN_TUPLE: {
		Pattern *p = pattern_make(c, P_TUPLE, s->where, s->count);
		for (uint32_t i = 0; p && i < s->count; i++)
			if (!(p->arg[i] = pattern_of(c, s->part[i]))) return NULL;
		return p;
	}
	default: return rule_refuse(c, s->where, "%s", "this form stands in no rule");
	}
}
