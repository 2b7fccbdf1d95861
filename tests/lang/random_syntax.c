/* random_syntax.c - random trees of every kind, within what syntax.h promises. */
#include <stdio.h>
#include <stdlib.h>
#include "random_syntax.h"

#include <math.h>

static const Where nowhere = {0};

static uint64_t bits(Random *r)
{
	r->state += 0x9e3779b97f4a7c15u;
	uint64_t x = r->state;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static uint32_t below(Random *r, uint32_t n)
{
	return (uint32_t)(bits(r) % n);
}

static const char *name(Random *r)
{
	static const char *const text[] = {
		"x", "y", "A", "_", "real", "exact", "σ", "α₁", "e1", "i", "ẋ", "x_2", "size"};
	const char *s = text[below(r, countof(text))];
	return names_get(r->names, s, strlen(s));
}

static Syntax *make(Random *r, SyntaxKind kind)
{
	return syntax_new(r->arena, kind, nowhere, 0);
}

static Syntax *named(Random *r, SyntaxKind kind)
{
	Syntax *s = make(r, kind);
	s->name = name(r);
	return s;
}

/* With a name of its own: what a list or pattern defines is defined once. */
static Syntax *defined(Random *r, SyntaxKind kind)
{
	char text[32];
	int n = snprintf(text, sizeof text, "%s%u", name(r), r->defined++);
	Syntax *s = make(r, kind);
	s->name = names_get(r->names, text, (size_t)n);
	return s;
}

static Syntax *with_part(Random *r, Syntax *s, Syntax *part)
{
	syntax_add(r->arena, s, part);
	return s;
}

static Syntax *maybe(Random *r, Syntax *s)
{
	return below(r, 2) ? s : NULL;
}

/* An integer that 64 bits do not hold is its text. */
static void large(Random *r, Syntax *s)
{
	char text[64];
	int n = snprintf(text, sizeof text, "%s%llu%020llu", below(r, 2) ? "-" : "", 1 + (unsigned long long)bits(r) % 1000000,
		(unsigned long long)bits(r));
	s->text = names_get(r->names, text, (size_t)n);
	s->real = strtod(text, NULL);
}

static Syntax *number(Random *r)
{
	static const uint8_t kinds[] = {NUMBER_INTEGER, NUMBER_WHOLE, NUMBER_REAL, NUMBER_IMAGINARY};
	Syntax *s = make(r, SYN_NUMBER);
	uint64_t u = bits(r);
	s->number = kinds[below(r, countof(kinds))];
	if (s->number == NUMBER_WHOLE) {
		large(r, s);
		return s;
	}
	if (s->number == NUMBER_INTEGER) {
		s->integer = below(r, 2) ? (int64_t)below(r, 10) : (int64_t)u;
		return s;
	}
	memcpy(&s->real, &u, sizeof u);
	if (!isfinite(s->real) || below(r, 2)) s->real = (double)below(r, 100) / 8;
	return s;
}

static Syntax *leaf(Random *r)
{
	return below(r, 3) ? named(r, SYN_NAME) : number(r);
}

static Syntax *pattern(Random *r, int depth)
{
	if (depth <= 0 || below(r, 2)) return defined(r, SYN_NAME);
	bool curly = below(r, 2);
	Syntax *s = make(r, curly ? SYN_CURLY : SYN_TUPLE);
	for (uint32_t n = below(r, 3) + !curly; n; n--)
		with_part(r, s,
			curly ? with_part(r, named(r, SYN_ENTRY), pattern(r, depth - 1))
			      : pattern(r, depth - 1));
	return s;
}

static Syntax *bind(Random *r, int depth)
{
	Syntax *s = syntax_new(r->arena, SYN_BIND, nowhere, 3);
	s->part[0] = pattern(r, 2);
	s->part[1] = maybe(r, random_type(r, depth - 1));
	s->part[2] = random_expression(r, depth - 1);
	return s;
}

static Syntax *flag(Random *r, int depth)
{
	switch (below(r, 4)) {
	case 0: return with_part(r, named(r, SYN_ENTRY), random_expression(r, depth - 1));
	case 1: return named(r, SYN_RUN);
	default: return random_expression(r, depth - 1);
	}
}

static Syntax *sub(Random *r, int depth)
{
	if (below(r, 3)) return below(r, 8) ? flag(r, depth) : make(r, SYN_RUN);
	Syntax *s = syntax_new(r->arena, SYN_SLICE, nowhere, 3);
	for (int i = 0; i < 3; i++) s->part[i] = maybe(r, random_expression(r, depth - 1));
	return s;
}

static Syntax *subscripts(Random *r, Syntax *base, int depth)
{
	Syntax *s = with_part(r, make(r, SYN_SUBSCRIPTS), base);
	for (uint32_t n = below(r, 4); n; n--) with_part(r, s, sub(r, depth));
	return s;
}

static Syntax *counter(Random *r, int depth)
{
	return with_part(r, defined(r, below(r, 2) ? SYN_BELOW : SYN_OVER), random_expression(r, depth - 1));
}

static Syntax *let(Random *r, int depth)
{
	Syntax *s = make(r, SYN_LET);
	for (uint32_t n = 1 + below(r, 3); n; n--)
		with_part(r, s,
			below(r, 4) ? bind(r, depth)
				    : with_part(r, make(r, SYN_DO), random_expression(r, depth - 1)));
	return with_part(r, s, random_expression(r, depth - 1));
}

static Syntax *scan(Random *r, int depth)
{
	Syntax *s = syntax_new(r->arena, SYN_SCAN, nowhere, 4), *flags = make(r, SYN_LIST),
	       *items = make(r, SYN_LIST);
	for (uint32_t n = below(r, 3); n; n--) with_part(r, flags, sub(r, depth));
	for (uint32_t n = below(r, 4); n; n--)
		with_part(r, items,
			below(r, 2) ? counter(r, depth)
				    : with_part(r, defined(r, SYN_ENTRY), random_expression(r, depth - 1)));
	s->part[0] = maybe(r, flags);
	s->part[1] = items;
	s->part[2] = maybe(r, random_expression(r, depth - 1));
	s->part[3] = random_expression(r, depth - 1);
	return s;
}

static Syntax *with(Random *r, int depth)
{
	Syntax *base = random_expression(r, depth - 1), *s = make(r, SYN_WITH);
	if (base->kind == SYN_WITH)
		s = base;
	else
		with_part(r, s, base);
	for (uint32_t n = 1 + below(r, 2); n; n--) {
		Syntax *c = make(r, SYN_CHANGE);
		c->sign = below(r, 2) ? SIGN_IS : SIGN_ADD;
		for (uint32_t k = 1 + below(r, 2); k; k--)
			with_part(r, c,
				below(r, 2) ? subscripts(r, NULL, depth)
					    : with_part(r, named(r, SYN_FIELD), NULL));
		with_part(r, s, with_part(r, c, random_expression(r, depth - 1)));
	}
	return s;
}

static Syntax *function(Random *r, int depth)
{
	bool lambda = below(r, 2);
	Syntax *s = make(r, lambda ? SYN_LAMBDA : SYN_FORMULA);
	for (uint32_t n = below(r, 3); n; n--) {
		if (!lambda || !below(r, 6)) {
			with_part(r, s, lambda ? defined(r, SYN_RUN) : counter(r, depth));
			continue;
		}
		Syntax *p = syntax_new(r->arena, SYN_PARAM, nowhere, 4);
		p->part[0] = pattern(r, 2);
		p->part[1] = maybe(r, random_type(r, depth - 1));
		with_part(r, s, p);
	}
	return with_part(r, s, random_expression(r, depth - 1));
}

/* Operators: each sign of its level. */
static Syntax *operators(Random *r, int depth)
{
	static const Sign first[] = {SIGN_OR, SIGN_AND, SIGN_EQ, SIGN_PLUS, SIGN_TIMES, SIGN_POWER};
	static const uint32_t many[] = {1, 1, 6, 2, 5, 1};
	uint32_t k = below(r, countof(first));
	Syntax *s = random_expression(r, depth - 1), *compare = NULL;
	for (uint32_t n = 1 + below(r, 3); n; n--) {
		Sign sign = (Sign)(first[k] + below(r, many[k]));
		Syntax *right = random_expression(r, depth - 1);
		if (compare)
			syntax_extend(r->arena, s, sign, right);
		else
			s = syntax_binary(r->arena, sign, s, right);
		compare = s->kind == SYN_COMPARE ? s : NULL;
	}
	return s;
}

static Syntax *branch_or_sign(Random *r, int depth)
{
	Syntax *s = make(r, below(r, 2) ? SYN_IF : SYN_UNARY);
	if (s->kind == SYN_UNARY) s->sign = below(r, 3) ? SIGN_MINUS : SIGN_NOT;
	for (int n = s->kind == SYN_IF ? 3 : 1; n; n--) with_part(r, s, random_expression(r, depth - 1));
	return s;
}

static Syntax *bracketed(Random *r, int depth)
{
	static const SyntaxKind kinds[] = {SYN_TUPLE, SYN_ARRAY, SYN_CURLY};
	Syntax *s = make(r, kinds[below(r, 3)]);
	for (uint32_t n = below(r, 4); n; n--) {
		Syntax *e = random_expression(r, depth - 1);
		with_part(r, s, s->kind == SYN_CURLY ? with_part(r, named(r, SYN_ENTRY), e) : e);
	}
	return s;
}

static Syntax *call(Random *r, int depth)
{
	Syntax *s = with_part(r, make(r, SYN_CALL), random_expression(r, depth - 1));
	for (uint32_t n = below(r, 4); n; n--) with_part(r, s, flag(r, depth));
	return s;
}

Syntax *random_expression(Random *r, int depth)
{
	if (depth <= 0) return leaf(r);
	switch (below(r, 12)) {
	case 0: return let(r, depth);
	case 1: return scan(r, depth);
	case 2: return with(r, depth);
	case 3: return function(r, depth);
	case 4: return branch_or_sign(r, depth);
	case 5: return bracketed(r, depth);
	case 6: return call(r, depth);
	case 7: return subscripts(r, random_expression(r, depth - 1), depth);
	case 8: return with_part(r, named(r, SYN_FIELD), random_expression(r, depth - 1));
	case 9: return leaf(r);
	default: return operators(r, depth);
	}
}

Syntax *random_type(Random *r, int depth)
{
	uint32_t kind = depth <= 0 ? 0 : below(r, 5);
	if (kind == 0)
		return below(r, 2) ? named(r, SYN_NAME)
				   : with_part(r, named(r, SYN_FIELD), named(r, SYN_NAME));
	if (kind == 1) return subscripts(r, random_type(r, depth - 1), depth);
	Syntax *s = make(r, kind == 2 ? SYN_TUPLE : kind == 3 ? SYN_RECORD : SYN_ARROW);
	for (uint32_t n = below(r, 3); n; n--) {
		Syntax *one = random_type(r, depth - 1);
		if (kind == 3) {
			one = with_part(r, named(r, SYN_SLOT), one);
			with_part(r, one, maybe(r, random_expression(r, depth - 1)));
		}
		with_part(r, s, one);
	}
	return kind == 4 ? with_part(r, s, random_type(r, depth - 1)) : s;
}

static Syntax *params(Random *r, int depth)
{
	Syntax *s = make(r, SYN_LIST);
	for (uint32_t n = below(r, 4); n; n--) {
		Syntax *p = syntax_new(r->arena, below(r, 5) ? SYN_PARAM : SYN_RUN, nowhere, 4);
		if (p->kind == SYN_RUN) {
			p->count = 0;
			p->name = defined(r, SYN_NAME)->name;
		} else {
			p->part[0] = defined(r, SYN_NAME);
			p->part[1] = maybe(r, random_type(r, depth - 1));
			p->part[2] = maybe(r, random_expression(r, depth - 1));
			p->part[3] = maybe(r, random_expression(r, depth - 1));
		}
		with_part(r, s, p);
	}
	return s;
}

/* What prints with a name in front, as a rule without a name must. */
static Syntax *left_side(Random *r, int depth)
{
	return with_part(
		r, with_part(r, make(r, SYN_CALL), named(r, SYN_NAME)), random_expression(r, depth - 1));
}

static const char *documentation(Random *r)
{
	static const char *const text[] = {"one line", "two\nlines", "", "  indented\n\n# more", "é"};
	return below(r, 2) ? text[below(r, countof(text))] : NULL;
}

static Syntax *tags(Random *r, SyntaxKind kind)
{
	Syntax *s = make(r, kind);
	for (uint32_t n = 1 + below(r, 3); n; n--) with_part(r, s, named(r, SYN_NAME));
	return s;
}

static Syntax *rule(Random *r, int depth)
{
	Syntax *s = syntax_new(r->arena, SYN_RULE, nowhere, 5);
	s->name = below(r, 2) ? name(r) : NULL;
	if (s->name &&
		(!strcmp(s->name, "real") || !strcmp(s->name, "exact"))) /* these would be the law before */
		s->name = NULL;
	if (s->name && below(r, 2)) s->part[4] = tags(r, SYN_LIST);
	s->text = documentation(r);
	s->sign = below(r, 2) ? SIGN_GIVES : SIGN_SAME;
	s->part[0] = s->name ? random_expression(r, depth) : left_side(r, depth);
	while (!s->name &&
		(!strcmp(s->part[0]->part[0]->name, "real") || !strcmp(s->part[0]->part[0]->name, "exact")))
		s->part[0] = left_side(r, depth);
	s->part[1] = random_expression(r, depth);
	s->part[2] = maybe(r, random_expression(r, depth - 1));
	s->law = (uint8_t)below(r, LAW_APPROX + 1);
	s->part[3] = s->law == LAW_APPROX ? random_expression(r, depth - 1) : NULL;
	return s;
}

static Syntax *declaration(Random *r, int depth)
{
	static const SyntaxKind kinds[] = {SYN_USE, SYN_TYPE, SYN_BIND, SYN_FN, SYN_OP, SYN_BOOK};
	SyntaxKind kind = kinds[below(r, countof(kinds))];
	Syntax *s = kind == SYN_BIND ? bind(r, depth) : named(r, kind);
	if (kind == SYN_USE) {
		s->name = NULL;
		with_part(r, s, with_part(r, named(r, SYN_FIELD), named(r, SYN_NAME)));
	} else if (kind == SYN_TYPE) {
		with_part(r, s, random_type(r, depth));
		for (uint32_t n = below(r, 3); n; n--) with_part(r, s, named(r, SYN_NAME));
	} else if (kind == SYN_BOOK) {
		s->order = maybe(r, s) ? name(r) : NULL;
		for (uint32_t n = below(r, 4); n; n--)
			with_part(r, s, below(r, 4) ? rule(r, depth) : tags(r, SYN_TAG));
	} else if (kind != SYN_BIND) {
		with_part(r, s, maybe(r, params(r, depth)));
		with_part(r, s, params(r, depth));
		with_part(r, s, maybe(r, random_type(r, depth)));
		with_part(r, s, random_expression(r, depth));
	}
	s->text = documentation(r);
	return s;
}

Syntax *random_file(Random *r, int depth)
{
	Syntax *s = make(r, SYN_FILE);
	for (uint32_t n = below(r, 5); n; n--) with_part(r, s, declaration(r, depth));
	return s;
}
