/* parse_expr.c - expressions, by recursive descent and precedence climbing. */
#include "parse.h"
#include "../base/stack.h"

#include <stdio.h>

/* ---- small steps ------------------------------------------------------------- */

bool token_is(const Parser *p, TokenKind kind)
{
	return p->token.kind == kind;
}

bool token_take(Parser *p, TokenKind kind)
{
	if (p->token.kind != kind) return false;
	lex_next(p);
	return true;
}

bool token_expect(Parser *p, TokenKind kind, const char *after)
{
	char wanted[80];
	if (token_take(p, kind)) return true;
	snprintf(wanted, sizeof wanted, "%s %s", token_text(kind), after);
	token_unexpected(p, wanted);
	return false;
}

bool close_list(Parser *p, Where open, TokenKind kind, const char *after)
{
	const char *sign = token_text(kind - 1); /* what opens stands before what closes */
	const Token t = p->token;
	if (p->error.code) return false;
	if (t.kind == TOKEN_END)
		return syntax_fail_at(p, open, "this %s is not closed: the text ends before its %s", sign, token_text(kind));
	const TokenKind k = t.kind;
	if (k == TOKEN_FN || k == TOKEN_OP || k == TOKEN_TYPE || k == TOKEN_USE || k == TOKEN_BOOK)
		return syntax_fail_at(p, open, "this %s is not closed: line %d begins a definition before its %s", sign, t.line,
			token_text(kind));
	return token_expect(p, kind, after);
}

const char *token_name(Parser *p, const char *wanted)
{
	if (p->token.kind >= TOKEN_FN && p->token.kind <= TOKEN_NOT)
		return syntax_fail(
			p, "found %s, a word of the language; wanted %s%s", token_text(p->token.kind), wanted,
			p->before.kind == TOKEN_DOT ? "; functions and loops stand by themselves, without a module" : "");
	if (!token_is(p, TOKEN_NAME)) return token_unexpected(p, wanted);
	const char *name = names_get(p->names, p->token.text, p->token.n);
	lex_next(p);
	return name;
}

/* Depth counts what is open: brackets, branches, prefix signs, powers.  An expression that is done still
 * gets deeper by what is put behind it, x.a.b[i]: peak is the depth of the deepest node of the present
 * expression, and each such step adds one to its base.  So a tree is never deeper than the limit allows,
 * and walks may recurse. */
static bool too_deep(Parser *p, int depth)
{
	bool deep = depth > SYNTAX_DEPTH + 1;
	if (deep)
		syntax_fail(p, "this is nested more than %d deep", SYNTAX_DEPTH);
	else if (stack_left() < STACK_SPARE)
		syntax_fail(
			p, "this is nested %d deep, more than the stack of this thread has room for", depth);
	return deep || p->error.code;
}

bool parse_enter(Parser *p)
{
	p->depth++;
	if (p->depth > p->peak) p->peak = p->depth;
	return !too_deep(p, p->depth);
}

bool parse_deeper(Parser *p, int base)
{
	p->peak = higher(p->peak, base + 1);
	return !too_deep(p, p->peak);
}

/* ---- operators --------------------------------------------------------------------- */

static Syntax *climb(Parser *p, int least, Syntax *first);

/* The number that is the next token; a minus before it is part of it, but before x^y it is not. */
static Syntax *number(Parser *p, bool minus)
{
	Token t = p->token;
	const bool power = p->before.kind == TOKEN_POWER;
	lex_next(p);
	int n = t.n > 40 ? 40 : (int)t.n;
	if (token_is(p, TOKEN_ROUND) && power)
		return syntax_fail(p, "^%.*s(: of a function's value a power is written f(x)^%.*s, a product x^%.*s*(...)", n,
			t.text, n, t.text, n, t.text);
	if (token_is(p, TOKEN_ROUND))
		return syntax_fail(p, "%.*s(: a number is no function; write %.*s*(", n, t.text, n, t.text);
	if (token_is(p, TOKEN_SQUARE)) return syntax_fail(p, "%.*s[: a number has no elements", n, t.text);
	if (token_is(p, TOKEN_DOT))
		return syntax_fail(p, "%.*s.: a digit stands on each side of the point, as in %.*s.0", n, t.text, n, t.text);
	return lex_number(p, t, minus && !token_is(p, TOKEN_POWER));
}

static Syntax *atom(Parser *p)
{
	ItemList list;
	switch (p->token.kind) {
	case TOKEN_NUMBER: return number(p, false);
	case TOKEN_NAME: {
		Where where = token_where(p, p->token);
		return syntax_name(p->arena, where, token_name(p, "a name"));
	}
	case TOKEN_ROUND:
	case TOKEN_SQUARE: return read_items(p, &list) ? items_group(p, &list) : NULL;
	case TOKEN_CURLY: {
		bool in_rule = p->in_rule;
		p->in_rule = false;
		Syntax *s = read_curly(p, read_expression);
		p->in_rule = in_rule;
		return s;
	}
	case TOKEN_LET:
	case TOKEN_DO:
	case TOKEN_IF:
	case TOKEN_SCAN:
		return syntax_fail(p, "%s inside an operator needs parentheses", token_text(p->token.kind));
	case TOKEN_NOT: return syntax_fail(p, "not on the right of a stronger operator needs parentheses");
	case TOKEN_PLUS: return syntax_fail(p, "+: there is no prefix plus");
	case TOKEN_DOT: return syntax_fail(p, ".: a digit stands on each side of the point, as in 0.5");
	default: return token_unexpected(p, "an expression");
	}
}

static Syntax *postfix(Parser *p, Syntax *s)
{
	int before = p->peak;
	if (!s) {
		p->peak = p->depth;
		s = atom(p);
	}
	while (s && (token_is(p, TOKEN_DOT) || token_is(p, TOKEN_SQUARE) || token_is(p, TOKEN_ROUND))) {
		int base = p->peak;
		p->peak = p->depth;
		if (token_is(p, TOKEN_SQUARE)) {
			s = read_subscripts(p, SYN_SUBSCRIPTS, s);
		} else if (token_is(p, TOKEN_ROUND)) {
			s = read_call(p, s);
		} else {
			lex_next(p);
			const char *name = token_name(p, "a field's name after .");
			s = name ? syntax_field(p->arena, s, name) : NULL;
		}
		if (!parse_deeper(p, base)) return NULL;
	}
	p->peak = higher(p->peak, before);
	return s;
}

static Syntax *prefix(Parser *p);

static Syntax *power(Parser *p, Syntax *base)
{
	if (!base || !token_is(p, TOKEN_POWER)) return base;
	if (!parse_enter(p)) return NULL;
	lex_next(p);
	Syntax *exponent = prefix(p);
	p->depth--;
	return exponent ? syntax_binary(p->arena, SIGN_POWER, base, exponent) : NULL;
}

static Syntax *unary(Parser *p, Where where, Sign sign, Syntax *operand)
{
	if (!operand) return NULL;
	Syntax *s = syntax_new(p->arena, SYN_UNARY, where, 1);
	s->sign = (uint8_t)sign;
	s->part[0] = operand;
	return s;
}

/* Levels 8 and up: -x, x^y and what binds more. */
static Syntax *prefix(Parser *p)
{
	Where where = token_where(p, p->token);
	if (!token_is(p, TOKEN_MINUS)) return power(p, postfix(p, NULL));
	if (!parse_enter(p)) return NULL;
	lex_next(p);
	Syntax *s;
	if (!token_is(p, TOKEN_NUMBER))
		s = unary(p, where, SIGN_MINUS, prefix(p));
	else if ((s = number(p, true)) && token_is(p, TOKEN_POWER))
		s = unary(p, where, SIGN_MINUS, power(p, s));
	else if (s)
		s->where = where;
	p->depth--;
	return s;
}

static Sign infix(TokenKind kind)
{
	static const uint8_t sign[] = {
		[TOKEN_OR] = SIGN_OR,
		[TOKEN_AND] = SIGN_AND,
		[TOKEN_EQ] = SIGN_EQ,
		[TOKEN_NE] = SIGN_NE,
		[TOKEN_LT] = SIGN_LT,
		[TOKEN_LE] = SIGN_LE,
		[TOKEN_GT] = SIGN_GT,
		[TOKEN_GE] = SIGN_GE,
		[TOKEN_PLUS] = SIGN_PLUS,
		[TOKEN_MINUS] = SIGN_MINUS,
		[TOKEN_TIMES] = SIGN_TIMES,
		[TOKEN_DIVIDE] = SIGN_DIVIDE,
		[TOKEN_FLOOR] = SIGN_FLOOR,
		[TOKEN_MOD] = SIGN_MOD,
		[TOKEN_MATMUL] = SIGN_MATMUL,
	};
	return kind < countof(sign) ? (Sign)sign[kind] : SIGN_NONE;
}

/* Operators of level `least` and up; `first`, when given, is the bracketed value they begin with. */
static Syntax *climb(Parser *p, int least, Syntax *first)
{
	Where where = token_where(p, p->token);
	Syntax *left, *compare = NULL;
	if (first) {
		where = first->where;
		left = power(p, postfix(p, first));
	} else if (token_is(p, TOKEN_NOT) && least <= sign_level(SIGN_NOT)) {
		if (!parse_enter(p)) return NULL;
		lex_next(p);
		left = unary(p, where, SIGN_NOT, climb(p, sign_level(SIGN_NOT), NULL));
		p->depth--;
	} else {
		left = prefix(p);
	}
	while (left) {
		Sign sign = infix(p->token.kind);
		int level = sign_level(sign);
		if (!sign || level < least) break;
		lex_next(p);
		Syntax *right = climb(p, level + 1, NULL);
		if (!right) return NULL;
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

Syntax *read_operators(Parser *p)
{
	return climb(p, 1, NULL);
}

/* ---- forms ------------------------------------------------------------------------------- */

/* let pattern [: type] = value, also of a file. */
Syntax *read_binding(Parser *p)
{
	Syntax *s = syntax_new(p->arena, SYN_BIND, token_where(p, p->token), 3);
	lex_next(p);
	if (!(s->part[0] = read_pattern(p)) || (token_take(p, TOKEN_COLON) && !(s->part[1] = read_type(p))))
		return NULL;
	if (!token_expect(p, TOKEN_IS, "after what let defines") || !(s->part[2] = read_expression(p)))
		return NULL;
	return s;
}

static Syntax *effect(Parser *p)
{
	Syntax *s = syntax_new(p->arena, SYN_DO, token_where(p, p->token), 1);
	lex_next(p);
	s->part[0] = read_expression(p);
	return s->part[0] ? s : NULL;
}

static Syntax *let(Parser *p)
{
	bool in_rule = p->in_rule;
	Syntax *s = syntax_new(p->arena, SYN_LET, token_where(p, p->token), 0);
	while (token_is(p, TOKEN_LET) || token_is(p, TOKEN_DO)) {
		p->in_rule = false;
		Syntax *step = token_is(p, TOKEN_LET) ? read_binding(p) : effect(p);
		p->in_rule = in_rule;
		if (!step) return NULL;
		syntax_add(p->arena, s, step);
		if (!token_is(p, TOKEN_LET) && !token_is(p, TOKEN_DO) && !token_expect(p, TOKEN_IN,
			arena_printf(p->arena, "or another let after that of line %d", step->where.line)))
			return NULL;
	}
	Syntax *body = read_expression(p);
	if (!body) return NULL;
	syntax_add(p->arena, s, body);
	return s;
}

static Syntax *branch(Parser *p)
{
	Syntax *s = syntax_new(p->arena, SYN_IF, token_where(p, p->token), 3);
	lex_next(p);
	if (!(s->part[0] = read_operators(p)) || !token_expect(p, TOKEN_THEN, "after the condition") ||
		!(s->part[1] = read_expression(p)) || !token_expect(p, TOKEN_ELSE, "after this branch") ||
		!(s->part[2] = read_expression(p)))
		return NULL;
	return s;
}

static Syntax *scan(Parser *p)
{
	Syntax *s = syntax_new(p->arena, SYN_SCAN, token_where(p, p->token), 4);
	if (!arrow_allowed_here(p)) return NULL;
	lex_next(p);
	if (token_is(p, TOKEN_SQUARE) && !(s->part[0] = read_subscripts(p, SYN_LIST, NULL))) return NULL;
	if (!(s->part[1] = read_scan_list(p)) ||
		(token_take(p, TOKEN_WHILE) && !(s->part[2] = read_operators(p))))
		return NULL;
	if (!token_expect(p, TOKEN_GIVES, "before the body of this scan") ||
		!(s->part[3] = read_expression(p)))
		return NULL;
	return s;
}

/* path = value, after with. */
static Syntax *change(Parser *p)
{
	Syntax *s = syntax_new(p->arena, SYN_CHANGE, token_where(p, p->token), 0);
	while (token_is(p, TOKEN_DOT) || token_is(p, TOKEN_SQUARE)) {
		Syntax *step;
		if (token_is(p, TOKEN_SQUARE)) {
			step = read_subscripts(p, SYN_SUBSCRIPTS, NULL);
		} else {
			step = syntax_new(p->arena, SYN_FIELD, token_where(p, p->token), 1);
			lex_next(p);
			step->name = token_name(p, "a field's name after .");
		}
		if (!step || (step->kind == SYN_FIELD && !step->name)) return NULL;
		syntax_add(p->arena, s, step);
	}
	if (!s->count || (!token_is(p, TOKEN_IS) && !token_is(p, TOKEN_ADD)))
		return token_unexpected(
			p, s->count ? "= or += and the new value" : "[...] or .name after with");
	s->sign = token_is(p, TOKEN_IS) ? SIGN_IS : SIGN_ADD;
	lex_next(p);
	Syntax *value = read_operators(p);
	if (!value) return NULL;
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
	while (token_take(p, TOKEN_WITH)) {
		Syntax *c = change(p);
		if (!c) return NULL;
		syntax_add(p->arena, s, c);
	}
	return s;
}

/* Operators, or a function or an array's formula, which begin like them. */
static Syntax *operators_or_function(Parser *p)
{
	Syntax *first = NULL, *s;
	int before = p->peak;
	if (token_is(p, TOKEN_ROUND) || token_is(p, TOKEN_SQUARE)) {
		ItemList list;
		p->peak = p->depth;
		if (!read_items(p, &list)) return NULL;
		if (token_is(p, TOKEN_GIVES)) {
			s = items_function(p, &list);
			p->peak = higher(p->peak, before);
			return s;
		}
		if (!(first = items_group(p, &list))) return NULL;
	}
	s = climb(p, 1, first);
	p->peak = higher(p->peak, before);
	if (token_is(p, TOKEN_GIVES))
		return syntax_fail(p,
			"=> follows a list alone, (x) => ... or [i < n] => ..., and in operators it "
			"needs parentheses");
	return s && token_is(p, TOKEN_WITH) ? with(p, s) : s;
}

Syntax *read_expression(Parser *p)
{
	Syntax *s;
	if (!parse_enter(p)) return NULL;
	switch (p->token.kind) {
	case TOKEN_LET:
	case TOKEN_DO: s = let(p); break;
	case TOKEN_IF: s = branch(p); break;
	case TOKEN_SCAN: s = scan(p); break;
	default: s = operators_or_function(p);
	}
	p->depth--;
	return s;
}
