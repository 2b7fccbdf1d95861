/* parse_expr.c - expressions, by recursive descent and precedence climbing. */
#include "parse.h"

#include <stdio.h>

/* ---- small steps ------------------------------------------------------------- */

bool is(const Parser *p, TokenKind kind) { return p->token.kind == kind; }

bool accept(Parser *p, TokenKind kind)
{
	if (p->token.kind != kind)
		return false;
	next(p);
	return true;
}

bool expect(Parser *p, TokenKind kind, const char *after)
{
	char wanted[80];
	if (accept(p, kind))
		return true;
	snprintf(wanted, sizeof wanted, "%s %s", token_text(kind), after);
	unexpected(p, wanted);
	return false;
}

const char *take_name(Parser *p, const char *wanted)
{
	if (p->token.kind >= TOKEN_FN && p->token.kind <= TOKEN_NOT)
		return fail_here(p, "found %s, a word of the language; wanted %s", token_text(p->token.kind), wanted);
	if (!is(p, TOKEN_NAME))
		return unexpected(p, wanted);
	const char *name = names_get(p->names, p->token.text, p->token.n);
	next(p);
	return name;
}

/* Depth counts what is open: brackets, branches, prefix signs, powers.  An expression that is done can still get
 * deeper by what is put behind it, x.a.b[i]: peak is the depth of the deepest node below, and each such step is one
 * more.  So a tree is never deeper than its text, whatever a walk does. */
static bool too_deep(Parser *p, int depth)
{
	if (depth > SYNTAX_DEPTH + 1)
		fail_here(p, "this is nested more than %d deep", SYNTAX_DEPTH);
	return depth > SYNTAX_DEPTH + 1;
}

bool enter(Parser *p)
{
	p->depth++;
	if (p->depth > p->peak)
		p->peak = p->depth;
	return !too_deep(p, p->depth);
}

bool deeper(Parser *p) { return !too_deep(p, ++p->peak); }

int higher(int a, int b) { return a > b ? a : b; }

/* ---- operators --------------------------------------------------------------------- */

static Syntax *climb(Parser *p, int least, Syntax *first);

/* The number that is the next token; a minus before it is part of it, but before x^y it is not. */
static Syntax *number(Parser *p, bool minus)
{
	Token t = p->token;
	next(p);
	int n = t.n > 40 ? 40 : (int)t.n;
	if (is(p, TOKEN_ROUND))
		return fail_here(p, "%.*s(: a number is no function; write %.*s*(", n, t.text, n, t.text);
	if (is(p, TOKEN_SQUARE))
		return fail_here(p, "%.*s[: a number has no elements", n, t.text);
	if (is(p, TOKEN_DOT))
		return fail_here(p, "%.*s.: a digit stands on each side of the point", n, t.text);
	return number_node(p, t, minus && !is(p, TOKEN_POWER));
}

static Syntax *atom(Parser *p)
{
	Items list;
	switch (p->token.kind) {
	case TOKEN_NUMBER:
		return number(p, false);
	case TOKEN_NAME: {
		Where where = where_of(p, p->token);
		return syntax_name(p->arena, where, take_name(p, "a name"));
	}
	case TOKEN_ROUND: case TOKEN_SQUARE:
		return read_items(p, &list) ? group(p, &list) : NULL;
	case TOKEN_CURLY: {
		bool in_rule = p->in_rule;
		p->in_rule = false;
		Syntax *s = curly(p, expression);
		p->in_rule = in_rule;
		return s;
	}
	case TOKEN_LET: case TOKEN_DO: case TOKEN_IF: case TOKEN_SCAN:
		return fail_here(p, "%s inside an operator needs parentheses", token_text(p->token.kind));
	case TOKEN_NOT:
		return fail_here(p, "not on the right of a stronger operator needs parentheses");
	case TOKEN_PLUS:
		return fail_here(p, "+: there is no prefix plus");
	case TOKEN_DOT:
		return fail_here(p, ".: a digit stands on each side of the point");
	default:
		return unexpected(p, "an expression");
	}
}

static Syntax *postfix(Parser *p, Syntax *s)
{
	int before = p->peak;
	if (!s) {
		p->peak = p->depth;
		s = atom(p);
	}
	while (s && (is(p, TOKEN_DOT) || is(p, TOKEN_SQUARE) || is(p, TOKEN_ROUND))) {
		if (is(p, TOKEN_SQUARE)) {
			s = subscripts(p, SYN_SUBSCRIPTS, s);
		} else if (is(p, TOKEN_ROUND)) {
			s = call(p, s);
		} else {
			next(p);
			const char *name = take_name(p, "a field's name after .");
			s = name ? syntax_field(p->arena, s, name) : NULL;
		}
		if (!deeper(p))
			return NULL;
	}
	p->peak = higher(p->peak, before);
	return s;
}

static Syntax *prefix(Parser *p);

static Syntax *power(Parser *p, Syntax *base)
{
	if (!base || !is(p, TOKEN_POWER))
		return base;
	if (!enter(p))
		return NULL;
	next(p);
	Syntax *exponent = prefix(p);
	p->depth--;
	return exponent ? syntax_binary(p->arena, SIGN_POWER, base, exponent) : NULL;
}

static Syntax *unary(Parser *p, Where where, Sign sign, Syntax *operand)
{
	if (!operand)
		return NULL;
	Syntax *s = syntax_new(p->arena, SYN_UNARY, where, 1);
	s->sign = (uint8_t)sign;
	s->part[0] = operand;
	return s;
}

/* Levels 8 and up: -x, x^y and what binds more. */
static Syntax *prefix(Parser *p)
{
	Where where = where_of(p, p->token);
	if (!is(p, TOKEN_MINUS))
		return power(p, postfix(p, NULL));
	if (!enter(p))
		return NULL;
	next(p);
	Syntax *s;
	if (!is(p, TOKEN_NUMBER))
		s = unary(p, where, SIGN_MINUS, prefix(p));
	else if ((s = number(p, true)) && is(p, TOKEN_POWER))
		s = unary(p, where, SIGN_MINUS, power(p, s));
	else if (s)
		s->where = where;
	p->depth--;
	return s;
}

static Sign infix(TokenKind kind)
{
	static const uint8_t sign[] = {
		[TOKEN_OR] = SIGN_OR, [TOKEN_AND] = SIGN_AND, [TOKEN_EQ] = SIGN_EQ, [TOKEN_NE] = SIGN_NE,
		[TOKEN_LT] = SIGN_LT, [TOKEN_LE] = SIGN_LE, [TOKEN_GT] = SIGN_GT, [TOKEN_GE] = SIGN_GE,
		[TOKEN_PLUS] = SIGN_PLUS, [TOKEN_MINUS] = SIGN_MINUS, [TOKEN_TIMES] = SIGN_TIMES,
		[TOKEN_DIVIDE] = SIGN_DIVIDE, [TOKEN_FLOOR] = SIGN_FLOOR, [TOKEN_MOD] = SIGN_MOD,
		[TOKEN_MATMUL] = SIGN_MATMUL,
	};
	return kind < countof(sign) ? (Sign)sign[kind] : SIGN_NONE;
}

/* Operators of level `least` and up; `first`, when given, is the bracketed value they begin with. */
static Syntax *climb(Parser *p, int least, Syntax *first)
{
	Where where = where_of(p, p->token);
	Syntax *left, *compare = NULL;
	if (first) {
		where = first->where;
		left = power(p, postfix(p, first));
	} else if (is(p, TOKEN_NOT) && least <= sign_level(SIGN_NOT)) {
		if (!enter(p))
			return NULL;
		next(p);
		left = unary(p, where, SIGN_NOT, climb(p, sign_level(SIGN_NOT), NULL));
		p->depth--;
	} else {
		left = prefix(p);
	}
	while (left) {
		Sign sign = infix(p->token.kind);
		int level = sign_level(sign);
		if (!sign || level < least)
			break;
		next(p);
		Syntax *right = climb(p, level + 1, NULL);
		if (!right)
			return NULL;
		if (level == sign_level(SIGN_EQ) && left == compare) {
			syntax_extend(p->arena, compare, sign, right);
		} else {
			left = syntax_binary(p->arena, sign, left, right);
			left->where = where;
			compare = left->kind == SYN_COMPARE ? left : NULL;
		}
	}
	return left;
}

Syntax *operators(Parser *p) { return climb(p, 1, NULL); }

/* ---- forms ------------------------------------------------------------------------------- */

/* let pattern [: type] = value, also of a file. */
Syntax *binding(Parser *p)
{
	Syntax *s = syntax_new(p->arena, SYN_BIND, where_of(p, p->token), 3);
	next(p);
	if (!(s->part[0] = pattern(p)) || (accept(p, TOKEN_COLON) && !(s->part[1] = type(p))))
		return NULL;
	if (!expect(p, TOKEN_IS, "after what let defines") || !(s->part[2] = expression(p)))
		return NULL;
	return s;
}

static Syntax *effect(Parser *p)
{
	Syntax *s = syntax_new(p->arena, SYN_DO, where_of(p, p->token), 1);
	next(p);
	s->part[0] = expression(p);
	return s->part[0] ? s : NULL;
}

static Syntax *let(Parser *p)
{
	bool in_rule = p->in_rule;
	Syntax *s = syntax_new(p->arena, SYN_LET, where_of(p, p->token), 0);
	while (is(p, TOKEN_LET) || is(p, TOKEN_DO)) {
		p->in_rule = false;
		Syntax *step = is(p, TOKEN_LET) ? binding(p) : effect(p);
		p->in_rule = in_rule;
		if (!step)
			return NULL;
		syntax_add(p->arena, s, step);
		if (!is(p, TOKEN_LET) && !is(p, TOKEN_DO) && !expect(p, TOKEN_IN, "or another let after this one"))
			return NULL;
	}
	Syntax *body = expression(p);
	if (!body)
		return NULL;
	syntax_add(p->arena, s, body);
	return s;
}

static Syntax *branch(Parser *p)
{
	Syntax *s = syntax_new(p->arena, SYN_IF, where_of(p, p->token), 3);
	next(p);
	if (!(s->part[0] = operators(p)) || !expect(p, TOKEN_THEN, "after the condition")
	    || !(s->part[1] = expression(p)) || !expect(p, TOKEN_ELSE, "after this branch")
	    || !(s->part[2] = expression(p)))
		return NULL;
	return s;
}

static Syntax *scan(Parser *p)
{
	Syntax *s = syntax_new(p->arena, SYN_SCAN, where_of(p, p->token), 4);
	if (!arrow_allowed(p))
		return NULL;
	next(p);
	if (is(p, TOKEN_SQUARE) && !(s->part[0] = subscripts(p, SYN_LIST, NULL)))
		return NULL;
	if (!(s->part[1] = scan_list(p)) || (accept(p, TOKEN_WHILE) && !(s->part[2] = operators(p))))
		return NULL;
	if (!expect(p, TOKEN_GIVES, "before the body of this scan") || !(s->part[3] = expression(p)))
		return NULL;
	return s;
}

/* path = value, after with. */
static Syntax *change(Parser *p)
{
	Syntax *s = syntax_new(p->arena, SYN_CHANGE, where_of(p, p->token), 0);
	while (is(p, TOKEN_DOT) || is(p, TOKEN_SQUARE)) {
		Syntax *step;
		if (is(p, TOKEN_SQUARE)) {
			step = subscripts(p, SYN_SUBSCRIPTS, NULL);
		} else {
			step = syntax_new(p->arena, SYN_FIELD, where_of(p, p->token), 1);
			next(p);
			step->name = take_name(p, "a field's name after .");
		}
		if (!step || (step->kind == SYN_FIELD && !step->name))
			return NULL;
		syntax_add(p->arena, s, step);
	}
	if (!s->count || (!is(p, TOKEN_IS) && !is(p, TOKEN_ADD)))
		return unexpected(p, s->count ? "= or += and the new value" : "[...] or .name after with");
	s->sign = is(p, TOKEN_IS) ? SIGN_IS : SIGN_ADD;
	next(p);
	Syntax *value = operators(p);
	if (!value)
		return NULL;
	syntax_add(p->arena, s, value);
	return s;
}

static Syntax *with(Parser *p, Syntax *base)
{
	Syntax *s = base;
	if (s->kind != SYN_WITH) {
		s = syntax_new(p->arena, SYN_WITH, base->where, 1);
		s->part[0] = base;
	}
	while (accept(p, TOKEN_WITH)) {
		Syntax *c = change(p);
		if (!c)
			return NULL;
		syntax_add(p->arena, s, c);
	}
	return s;
}

/* Operators, or a function or an array's formula, which begin like them. */
static Syntax *operators_or_function(Parser *p)
{
	Syntax *first = NULL, *s;
	int before = p->peak;
	if (is(p, TOKEN_ROUND) || is(p, TOKEN_SQUARE)) {
		Items list;
		p->peak = p->depth;
		if (!read_items(p, &list))
			return NULL;
		if (is(p, TOKEN_GIVES)) {
			s = function(p, &list);
			p->peak = higher(p->peak, before);
			return s;
		}
		if (!(first = group(p, &list)))
			return NULL;
	}
	s = climb(p, 1, first);
	p->peak = higher(p->peak, before);
	return s && is(p, TOKEN_WITH) ? with(p, s) : s;
}

Syntax *expression(Parser *p)
{
	Syntax *s;
	if (!enter(p))
		return NULL;
	switch (p->token.kind) {
	case TOKEN_LET: case TOKEN_DO:
		s = let(p);
		break;
	case TOKEN_IF:
		s = branch(p);
		break;
	case TOKEN_SCAN:
		s = scan(p);
		break;
	default:
		s = operators_or_function(p);
	}
	p->depth--;
	return s;
}
