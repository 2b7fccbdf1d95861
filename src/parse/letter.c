/* letter.c - which code points names are made of. */
#include "parse.h"

typedef struct CodeRange {
	uint32_t first, last;
} CodeRange;

/* Code points above ASCII that are no letters: signs, punctuation, blanks, private use. */
static const CodeRange no_letters[] = {{0x80, 0xa9}, {0xab, 0xb4}, {0xb6, 0xb9}, {0xbb, 0xbf}, {0xd7, 0xd7},
	{0xf7, 0xf7}, {0x1680, 0x1680}, {0x2000, 0x2070}, {0x2072, 0x207e}, {0x208a, 0x208f},
	{0x20a0, 0x20cf}, {0x2150, 0x215f}, {0x2190, 0x2bff}, {0x2e00, 0x2e7f}, {0x3000, 0x3004},
	{0x3008, 0x3020}, {0xe000, 0xf8ff}, {0xfe00, 0xfe1f}, {0xfe30, 0xfe6f}, {0xfeff, 0xff0f},
	{0xff1a, 0xff20}, {0xff3b, 0xff40}, {0xff5b, 0xff65}, {0xffe0, 0xffff}, {0x1f000, 0x1faff},
	{0xe0000, 0x10ffff}};

/* Those that continue a name but do not begin one: combining marks and subscript digits. */
static const CodeRange marks[] = {{0x300, 0x36f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x2080, 0x2089},
	{0x20d0, 0x20ff}, {0xfe20, 0xfe2f}};

static bool is_within(size_t n, const CodeRange *ranges, uint32_t u)
{
	for (size_t i = 0; i < n; i++)
		if (u >= ranges[i].first && u <= ranges[i].last) return true;
	return false;
}

bool is_mark(uint32_t u)
{
	return is_within(countof(marks), marks, u);
}

/* What names are made of as most are: letters, which begin them, and digits. */
enum { PLAIN_LETTER = 1, PLAIN_DIGIT };
static const uint8_t plain[256] = {['a' ... 'z'] = PLAIN_LETTER, ['A' ... 'Z'] = PLAIN_LETTER,
	['_'] = PLAIN_LETTER, ['0' ... '9'] = PLAIN_DIGIT};

static bool is_letter(uint32_t u)
{
	if (u < 0x80) return plain[u] == PLAIN_LETTER;
	return !is_within(countof(no_letters), no_letters, u) && !is_mark(u);
}

size_t name_length(const char *s, const char *end)
{
	const char *at = s;
	if (at < end && plain[(unsigned char)*at] == PLAIN_DIGIT) return 0;
	while (at < end) {
		size_t n;
		while (at < end && plain[(unsigned char)*at]) at++;
		if (at == end || !((unsigned char)*at & 0x80)) break;
		uint32_t u = code_point(at, end, &n);
		if (!is_letter(u) && (at == s || !(is_digit(*at) || is_mark(u)))) break;
		at += n;
	}
	return (size_t)(at - s);
}
