/* syntax.c - building and comparing trees. */
#include "syntax.h"

static const struct {
	const char *text;
	int level;
} signs[SIGN_KINDS] = {
	[SIGN_OR] = {"or", 1},
	[SIGN_AND] = {"and", 2},
	[SIGN_NOT] = {"not", 3},
	[SIGN_EQ] = {"==", 4},
	[SIGN_NE] = {"!=", 4},
	[SIGN_LT] = {"<", 4},
	[SIGN_LE] = {"<=", 4},
	[SIGN_GT] = {">", 4},
	[SIGN_GE] = {">=", 4},
	[SIGN_PLUS] = {"+", 5},
	[SIGN_MINUS] = {"-", 5},
	[SIGN_TIMES] = {"*", 6},
	[SIGN_DIVIDE] = {"/", 6},
	[SIGN_FLOOR] = {"//", 6},
	[SIGN_MOD] = {"%", 6},
	[SIGN_MATMUL] = {"@", 6},
	[SIGN_POWER] = {"^", 9},
	[SIGN_IS] = {"=", 0},
	[SIGN_ADD] = {"+=", 0},
	[SIGN_GIVES] = {"=>", 0},
	[SIGN_SAME] = {"<=>", 0},
};

const char *sign_text(Sign sign)
{
	return signs[sign].text ? signs[sign].text : "";
}

int sign_level(Sign sign)
{
	return signs[sign].level;
}

static bool has_signs(const Syntax *s)
{
	return s->kind == SYN_CHAIN || s->kind == SYN_COMPARE;
}

Syntax *syntax_new(Arena *a, SyntaxKind kind, Where where, uint32_t count)
{
	size_t bytes;
	if (kind == SYN_NAME)
		bytes = offsetof(Syntax, text);
	else if (kind == SYN_NUMBER)
		bytes = offsetof(Syntax, part);
	else
		bytes = sizeof(Syntax);
	Syntax *s = arena_alloc_aligned(a, bytes, _Alignof(Syntax));
	s->kind = (uint8_t)kind;
	s->where = where;
	if (!count) return s;
	s->count = s->cap = count;
	s->part = NEW_ARRAY(a, Syntax *, count);
	if (has_signs(s)) s->signs = NEW_ARRAY(a, uint8_t, count);
	return s;
}

void syntax_add(Arena *a, Syntax *s, Syntax *part)
{
	uint32_t cap = s->cap;
	GROW(a, s->part, s->count, s->cap);
	if (s->cap != cap && has_signs(s)) {
		uint8_t *more = NEW_ARRAY(a, uint8_t, s->cap);
		if (s->count) memcpy(more, s->signs, s->count);
		s->signs = more;
	}
	s->part[s->count++] = part;
}

void syntax_extend(Arena *a, Syntax *chain, Sign sign, Syntax *right)
{
	syntax_add(a, chain, right);
	chain->signs[chain->count - 2] = (uint8_t)sign;
}

Syntax *syntax_name(Arena *a, Where where, const char *name)
{
	Syntax *s = syntax_new(a, SYN_NAME, where, 0);
	s->name = name;
	return s;
}

Syntax *syntax_field(Arena *a, Syntax *base, const char *name)
{
	Syntax *s = syntax_new(a, SYN_FIELD, base->where, 1);
	s->part[0] = base;
	s->name = name;
	return s;
}

Syntax *syntax_binary(Arena *a, Sign sign, Syntax *left, Syntax *right)
{
	int level = sign_level(sign);
	if (left->kind == SYN_CHAIN && sign_level(left->signs[0]) == level) {
		syntax_extend(a, left, sign, right);
		return left;
	}
	SyntaxKind kind = SYN_CHAIN;
	if (sign == SIGN_POWER)
		kind = SYN_POWER;
	else if (level == sign_level(SIGN_EQ))
		kind = SYN_COMPARE;
	Syntax *s = syntax_new(a, kind, left->where, 2);
	s->part[0] = left;
	s->part[1] = right;
	if (has_signs(s)) s->signs[0] = (uint8_t)sign;
	return s;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_value(const Syntax *a, const Syntax *b)
{
	switch (a->kind) {
	case SYN_NAME: return true;
	case SYN_NUMBER: /* the bits of an integer or a float: 0.0 is not -0.0 */
		return a->number == b->number && a->integer == b->integer &&
			(a->number != NUMBER_WHOLE || a->text == b->text);
	case SYN_CHAIN:
	case SYN_COMPARE: return !a->count || !memcmp(a->signs, b->signs, a->count - 1);
	case SYN_BOOK: return same_text(a->order, b->order) && same_text(a->text, b->text);
	default: return same_text(a->text, b->text);
	}
}

bool syntax_equal(const Syntax *a, const Syntax *b)
{
	if (a == b || !a || !b) return a == b;
	if (a->kind != b->kind || a->sign != b->sign || a->law != b->law || a->count != b->count ||
		!same_text(a->name, b->name) || !same_value(a, b))
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (!syntax_equal(a->part[i], b->part[i])) return false;
	return true;
}
