/* brackets.c - is a list what an operator's brackets hold, as ops.h says it?
 *
 * Whoever builds an operator with brackets of others' making, an interface or a rule, asks before the
 * constructor reads them.
 */
#include "ir.h"

/* A letter or several in parentheses, and how often they may stand. */
typedef struct BracketItem {
	const char *letter, *rest;
	uint32_t letters, least, most;
} BracketItem;

static uint32_t most_of(char letter, uint32_t rank)
{
	switch (letter) {
	case 'a': return rank;
	case 'A': return RANK_MAX - rank;
	case 'l': return 3 * RANK_MAX + 2;
	default: return RANK_MAX;
	}
}

static BracketItem next_item(const char *brackets, uint32_t rank)
{
	bool group = *brackets == '(';
	uint32_t letters = group ? (uint32_t)strcspn(brackets, ")") - 1 : 1;
	BracketItem i = {.letter = brackets + group, .letters = letters, .least = 1, .most = 1};
	i.rest = i.letter + letters + group;
	if (!*i.rest || !strchr("?*+.", *i.rest)) return i;
	if (*i.rest == '?' || *i.rest == '*') i.least = 0;
	if (*i.rest == '*' || *i.rest == '+') i.most = most_of(*i.letter, rank);
	if (*i.rest == '.') i.least = i.most = rank;
	i.rest++;
	return i;
}

static bool letter_fits(char letter, AttrKind kind)
{
	if (letter == 's' || letter == 'd') return kind == (letter == 's' ? A_SIZE : A_DTYPE);
	return strchr("aAilf", letter) && kind == A_INT;
}

static bool letters_fit(const BracketItem *i, uint32_t n, const AttrValue *v)
{
	for (uint32_t k = 0; k < i->letters; k++)
		if (k >= n || !letter_fits(i->letter[k], v[k].kind)) return false;
	return true;
}

bool attr_fits(Op op, uint32_t rank, const Attr *attr)
{
	const char *b = op_info[op].brackets;
	uint32_t n = attr ? attr->n : 0;
	const AttrValue *v = attr ? attr->v : NULL;
	while (*b) {
		BracketItem i = next_item(b, rank);
		uint32_t times = 0;
		for (; times < i.most && letters_fit(&i, n, v); times++) {
			n -= i.letters;
			v += i.letters;
		}
		if (times < i.least) return false;
		b = i.rest;
	}
	return !n;
}
