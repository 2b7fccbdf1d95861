/* lex.c - text to tokens, the values of numbers, and messages about places in a text.
 *
 * Text is UTF-8.  The whole of it is checked first (lexer_open), so that everything after may trust it.
 * Columns count code points.
 */
#include "parse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const token_texts[] = {
	"the end of the text",
	"a name",
	"a number",
	"fn",
	"op",
	"type",
	"let",
	"do",
	"in",
	"use",
	"book",
	"if",
	"then",
	"else",
	"scan",
	"while",
	"with",
	"and",
	"or",
	"not",
	"<=>",
	"=>",
	"->",
	"==",
	"<=",
	">=",
	"!=",
	"//",
	"+=",
	"..",
	"+",
	"-",
	"*",
	"/",
	"%",
	"^",
	"@",
	"<",
	">",
	"=",
	"(",
	")",
	"[",
	"]",
	"{",
	"}",
	",",
	":",
	".",
};

/* What people write elsewhere, and what it is here; longer ones first. */
static const struct {
	const char *text, *hint;
} strange[] = {
	{"<>", "not equal is written !="},
	{"&&", "both is written and"},
	{"&", "both is written and"},
	{"||", "either is written or"},
	{"|", "either is written or"},
	{"**", "a power is written x^y"},
	{":=", "a definition is written ="},
	{"...", "a run is written .."},
	{"'", "the transpose is written x.T"},
	{"\"", "there are no strings; print({x}) prints names"},
	{";", "nothing separates definitions; a list has commas"},
	{"!", "negation is written not x"},
	{"~", "negation is written not x"},
	{"×", "a product is written x*y"},
	{"·", "a product is written x*y"},
	{"÷", "a quotient is written x/y"},
	{"−", "minus is written -"},
	{"≤", "write <="},
	{"≥", "write >="},
	{"≠", "not equal is written !="},
	{"→", "write =>"},
	{"²", "a square is written x^2"},
	{"³", "a cube is written x^3"},
	{"√", "a root is written sqrt(x)"},
	{"∞", "infinity is written inf"},
};

/* Code points above ASCII that are no letters: signs, punctuation, blanks, private use. */
static const struct {
	uint32_t first, last;
} no_letters[] = {
	{0x80, 0xa9},
	{0xab, 0xb4},
	{0xb6, 0xb9},
	{0xbb, 0xbf},
	{0xd7, 0xd7},
	{0xf7, 0xf7},
	{0x1680, 0x1680},
	{0x2000, 0x2070},
	{0x2072, 0x207e},
	{0x208a, 0x208f},
	{0x20a0, 0x20cf},
	{0x2150, 0x215f},
	{0x2190, 0x2bff},
	{0x2e00, 0x2e7f},
	{0x3000, 0x3004},
	{0x3008, 0x3020},
	{0xe000, 0xf8ff},
	{0xfe00, 0xfe1f},
	{0xfe30, 0xfe6f},
	{0xfeff, 0xff0f},
	{0xff1a, 0xff20},
	{0xff3b, 0xff40},
	{0xff5b, 0xff65},
	{0xffe0, 0xffff},
	{0x1f000, 0x1faff},
	{0xe0000, 0x10ffff},
};

/* Those that continue a name but do not begin one: combining marks and subscript digits. */
static const struct {
	uint32_t first, last;
} marks[] = {
	{0x300, 0x36f},
	{0x1ab0, 0x1aff},
	{0x1dc0, 0x1dff},
	{0x2080, 0x2089},
	{0x20d0, 0x20ff},
	{0xfe20, 0xfe2f},
};

/* ---- messages ------------------------------------------------------------- */

const char *token_text(TokenKind kind)
{
	return token_texts[kind];
}

Where token_where(const Parser *p, Token t)
{
	return (Where){p->file, t.line, t.column};
}

static void stop(Parser *p)
{
	p->at = p->end;
	p->token.kind = TOKEN_END;
}

void *syntax_fail_at(Parser *p, Where where, const char *format, ...)
{
	char text[sizeof p->error.text];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fail(&p->error, ERR_SYNTAX, where, "%s", text);
	stop(p);
	return NULL;
}

void *syntax_fail(Parser *p, const char *format, ...)
{
	char text[sizeof p->error.text];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return syntax_fail_at(p, token_where(p, p->token), "%s", text);
}

/* At most 40 bytes of a token, cut between code points. */
static int shown(size_t n, const char *text)
{
	if (n > 40)
		for (n = 40; n && ((unsigned char)text[n] & 0xc0) == 0x80;) n--;
	return (int)n;
}

void *token_unexpected(Parser *p, const char *wanted)
{
	Token t = p->token;
	if (t.kind == TOKEN_END) return syntax_fail(p, "the text ends; wanted %s", wanted);
	return syntax_fail(p, "found %.*s; wanted %s", shown(t.n, t.text), t.text, wanted);
}

static size_t line_length(const char *s)
{
	size_t n = strcspn(s, "\n");
	return n && s[n - 1] == '\r' ? n - 1 : n;
}

/* The line with a mark under the column; of a long line, what stands around it. */
static void show_line(Text *t, const char *s, int column)
{
	enum { before = 80, after = 60 };
	size_t n = line_length(s), from = 0, mark = 0, to;
	int at = 1;
	for (; mark < n && at < column; at++) {
		do mark++;
		while (mark < n && ((unsigned char)s[mark] & 0xc0) == 0x80);
		if (at > before) do
				from++;
			while (((unsigned char)s[from] & 0xc0) == 0x80);
	}
	for (to = mark; to < n && (to < mark + after || ((unsigned char)s[to] & 0xc0) == 0x80);) to++;
	text_printf(t, "    %s", from ? "..." : "");
	text_add_n(t, s + from, to - from);
	text_printf(t, "%s\n    %s", to < n ? "..." : "", from ? "   " : "");
	for (size_t i = from; i < mark; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80) text_char(t, s[i] == '\t' ? '\t' : ' ');
	for (; at < column; at++) text_char(t, ' ');
	text_add(t, "^\n");
}

void error_show(Text *t, const Error *error, const char *source)
{
	if (!t || !error || !error->code) return;
	text_add(t, error->file[0] ? error->file : "<text>");
	if (error->line > 0) text_printf(t, ":%d", error->line);
	if (error->line > 0 && error->column > 0) text_printf(t, ":%d", error->column);
	text_printf(t, ": %s\n", error->text);
	if (!source || error->line < 1 || error->column < 1) return;
	for (int line = 1; line < error->line; line++) {
		source = strchr(source, '\n');
		if (!source++) return;
	}
	show_line(t, source, error->column);
}

/* ---- characters -------------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The code point at s; its bytes in *n, 0 where the text is no UTF-8. */
static uint32_t code_point(const char *s, const char *end, size_t *n)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char c = (unsigned char)*s;
	size_t bytes = c < 0x80 ? 1 : c < 0xc0 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf8 ? 4 : 0;
	*n = 0;
	if (!bytes || bytes > (size_t)(end - s)) return 0;
	uint32_t u = bytes == 1 ? c : c & (0x7fu >> bytes);
	for (size_t i = 1; i < bytes; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80) return 0;
		u = u << 6 | ((unsigned char)s[i] & 0x3f);
	}
	if (u < least[bytes] || u > 0x10ffff || (u >= 0xd800 && u < 0xe000)) return 0;
	*n = bytes;
	return u;
}

static bool is_mark(uint32_t u)
{
	for (size_t i = 0; i < countof(marks); i++)
		if (u >= marks[i].first && u <= marks[i].last) return true;
	return false;
}

static bool is_letter(uint32_t u)
{
	if (u < 0x80) return (u | 32) - 'a' < 26 || u == '_';
	for (size_t i = 0; i < countof(no_letters); i++)
		if (u >= no_letters[i].first && u <= no_letters[i].last) return false;
	return !is_mark(u);
}

/* Bytes of the name at s, 0 where none begins. */
static size_t name_length(const char *s, const char *end)
{
	const char *at = s;
	while (at < end) {
		size_t n;
		uint32_t u = code_point(at, end, &n);
		if (!is_letter(u) && (at == s || !(is_digit(*at) || is_mark(u)))) break;
		at += n;
	}
	return (size_t)(at - s);
}

/* ---- tokens --------------------------------------------------------------------- */

bool lexer_open(Parser *p, Arena *arena, Names *names, const char *file, const char *text, size_t n)
{
	*p = (Parser){.arena = arena, .names = names, .at = text, .end = text + n, .line = 1, .column = 1};
	p->file = file ? names_get(names, file, strlen(file)) : NULL;
	if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) /* a byte order mark */
		text = p->at += 3;
	int line = 1, column = 1;
	for (const char *s = text; s < p->end; column++) {
		size_t bytes;
		Where where = {p->file, line, column};
		code_point(s, p->end, &bytes);
		if (!bytes)
			return syntax_fail_at(p, where, "byte %d: this is no UTF-8 text", (unsigned char)*s);
		if (!*s) return syntax_fail_at(p, where, "byte 0: this is no text");
		if (*s == '\n') line++, column = 0;
		s += bytes;
	}
	lex_next(p);
	return true;
}

/* Move over n bytes that hold no newline. */
static void advance(Parser *p, size_t n)
{
	for (size_t i = 0; i < n; i++) p->column += ((unsigned char)p->at[i] & 0xc0) != 0x80;
	p->at += n;
}

/* Skip blanks and comments; give the start of the comment lines directly above what follows, or NULL. */
static const char *skip(Parser *p, bool line_begins)
{
	const char *doc = NULL;
	bool blank = line_begins; /* nothing in this line so far */
	while (p->at < p->end) {
		char c = *p->at;
		if (c == '\n') {
			doc = blank ? NULL : doc;
			p->at++, p->line++, p->column = 1;
			line_begins = blank = true;
		} else if (c == ' ' || c == '\t' || c == '\r') {
			advance(p, 1);
		} else if (c == '#') {
			if (line_begins && !doc) doc = p->at;
			const char *stop = memchr(p->at, '\n', (size_t)(p->end - p->at));
			advance(p, (size_t)((stop ? stop : p->end) - p->at));
			blank = false;
		} else {
			break;
		}
	}
	return line_begins ? doc : NULL;
}

static const char *digits(const char *s, const char *end, bool hex, bool bars)
{
	while (s < end && ((hex ? is_hex(*s) : is_digit(*s)) || (bars && *s == '_'))) s++;
	return s;
}

/* The exponent that begins with `mark` at s, or s. */
static const char *exponent(const char *s, const char *end, char mark)
{
	const char *d = s + 1;
	if (s >= end || *s != mark) return s;
	if (d < end && (*d == '+' || *d == '-')) d++;
	return d < end && is_digit(*d) ? digits(d, end, false, false) : s;
}

static size_t number_length(const char *s, const char *end)
{
	bool hex = end - s > 2 && s[0] == '0' && s[1] == 'x' && is_hex(s[2]);
	const char *at = digits(hex ? s + 2 : s, end, hex, !hex);
	if (end - at > 1 && *at == '.' && (hex ? is_hex(at[1]) : is_digit(at[1])))
		at = digits(at + 1, end, hex, !hex);
	at = exponent(at, end, hex ? 'p' : 'e');
	if (!hex && at < end && *at == 'i' && !name_length(at + 1, end) && !(end - at > 1 && is_digit(at[1])))
		at++;
	return (size_t)(at - s);
}

static void *strange_sign(Parser *p, const char *s)
{
	size_t n;
	uint32_t u = code_point(s, p->end, &n);
	for (size_t i = 0; i < countof(strange); i++) {
		size_t length = strlen(strange[i].text);
		if (length <= (size_t)(p->end - s) && !memcmp(s, strange[i].text, length))
			return syntax_fail(p, "%s: %s", strange[i].text, strange[i].hint);
	}
	if (u < 0x20 || (u >= 0x7f && u < 0xa1) || (u >= 0x2000 && u < 0x2010) ||
		(u >= 0xe000 && u < 0xf900) || u == 0x3000 || u == 0xfeff || u >= 0xe0000)
		return syntax_fail(p, "character U+%04X has no meaning here", (unsigned)u);
	if (is_mark(u)) return syntax_fail(p, "%.*s: a name cannot begin with this character", (int)n, s);
	return syntax_fail(p, "%.*s: this character has no meaning here", (int)n, s);
}

static TokenKind sign_kind(const char *s, const char *end, size_t *n)
{
	for (int k = TOKEN_SAME; k <= TOKEN_DOT; k++) {
		*n = strlen(token_texts[k]);
		if (*n <= (size_t)(end - s) && !memcmp(s, token_texts[k], *n)) return (TokenKind)k;
	}
	return TOKEN_END;
}

/* Signs that would be read as two tokens, but that people mean as one. */
static bool is_strange_pair(const char *s, const char *end)
{
	size_t left = (size_t)(end - s);
	return left >= 2 &&
		(!memcmp(s, "<>", 2) || !memcmp(s, "**", 2) || !memcmp(s, ":=", 2) ||
			(left >= 3 && !memcmp(s, "...", 3)));
}

static TokenKind word_kind(const char *s, size_t n)
{
	for (int k = TOKEN_FN; k <= TOKEN_NOT; k++)
		if (n == strlen(token_texts[k]) && !memcmp(s, token_texts[k], n)) return (TokenKind)k;
	return TOKEN_NAME;
}

void lex_next(Parser *p)
{
	const char *doc = skip(p, p->column == 1 && p->line == 1);
	const char *s = p->at;
	size_t n = 0, name;
	p->token = (Token){.kind = TOKEN_END, .text = s, .doc = doc, .line = p->line, .column = p->column};
	if (s == p->end) return;
	if (is_digit(*s)) {
		n = number_length(s, p->end);
		name = name_length(s + n, p->end);
		if (name) {
			syntax_fail(p, "%.*s%.*s: a number ends where a name begins; write %.*s*%.*s",
				shown(n, s), s, shown(name, s + n), s + n, shown(n, s), s, shown(name, s + n),
				s + n);
			return;
		}
		p->token.kind = TOKEN_NUMBER;
	} else if ((n = name_length(s, p->end))) {
		p->token.kind = word_kind(s, n);
	} else if (is_strange_pair(s, p->end) || !(p->token.kind = sign_kind(s, p->end, &n))) {
		strange_sign(p, s);
		return;
	}
	p->token.n = n;
	advance(p, n);
}

const char *lex_documentation(Parser *p)
{
	if (!p->token.doc) return NULL;
	bool first = true;
	Text t;
	text_open(&t, p->arena);
	for (const char *s = p->token.doc; s < p->token.text;) {
		const char *stop = memchr(s, '\n', (size_t)(p->token.text - s));
		const char *last = stop ? stop : p->token.text;
		const char *hash = memchr(s, '#', (size_t)(last - s));
		s = last + 1;
		if (!hash) /* the blanks before the definition */
			break;
		hash += last - hash > 1 && hash[1] == ' ' ? 2 : 1;
		while (last > hash && (last[-1] == ' ' || last[-1] == '\t' || last[-1] == '\r')) last--;
		if (!first) text_char(&t, '\n');
		first = false;
		text_add_n(&t, hash, (size_t)(last - hash));
	}
	return text_done(&t);
}

/* ---- values of numbers ------------------------------------------------------------- */

static void *integer_value(Parser *p, Token t, bool negative, int base, const char *s, Syntax *number)
{
	uint64_t value = 0, most = (uint64_t)INT64_MAX + negative;
	for (; *s; s++) {
		uint64_t digit = (uint64_t)(is_digit(*s) ? *s - '0' : (*s | 32) - 'a' + 10);
		if (value > (most - digit) / (uint64_t)base)
			return syntax_fail_at(p, token_where(p, t),
				"%s%.*s: integers go up to 9223372036854775807; a float has a point",
				negative ? "-" : "", shown(t.n, t.text), t.text);
		value = value * (uint64_t)base + digit;
	}
	number->integer = negative ? (int64_t)(0 - value) : (int64_t)value;
	return number;
}

/* The digits of s without the point, which depends on the locale, and an exponent that makes up for it. */
static double real_value(Arena *a, const char *s, bool hex)
{
	char small[128], *buffer = small, *to;
	size_t n = strlen(s);
	long long shift = 0;
	bool fraction = false;
	const char mark = hex ? 'p' : 'e';
	if (n + 32 > sizeof small) buffer = arena_alloc(a, n + 32);
	to = buffer;
	for (; *s && (*s != mark); s++) {
		if (*s == '.') {
			fraction = true;
			continue;
		}
		*to++ = *s;
		shift -= fraction ? hex ? 4 : 1 : 0;
	}
	if (*s) {
		long long e = strtoll(s + 1, NULL, 10); /* at the ends of its range when it is beyond */
		const long long most = 1LL << 60;
		shift += e > most ? most : e < -most ? -most : e;
	}
	sprintf(to, "%c%lld", mark, shift);
	return strtod(buffer, NULL);
}

Syntax *lex_number(Parser *p, Token t, bool negative)
{
	Syntax *number = syntax_new(p->arena, SYN_NUMBER, token_where(p, t), 0);
	char *text = arena_alloc(p->arena, t.n + 2), *to = text;
	bool hex = t.n > 1 && t.text[1] == 'x', imaginary = !hex && t.text[t.n - 1] == 'i';
	for (size_t i = 0; i < t.n - imaginary; i++)
		if (t.text[i] != '_') *to++ = t.text[i];
	*to = 0;
	if (!imaginary && !strpbrk(text, hex ? ".p" : ".e")) {
		number->number = NUMBER_INTEGER;
		if (!integer_value(p, t, negative, hex ? 16 : 10, hex ? text + 2 : text, number)) return NULL;
	} else {
		double value = real_value(p->arena, text, hex);
		if (!isfinite(value))
			return syntax_fail_at(p, token_where(p, t),
				"%.*s: floats go up to 1.7976931348623157e308", shown(t.n, t.text), t.text);
		number->number = imaginary ? NUMBER_IMAGINARY : NUMBER_REAL;
		number->real = negative ? -value : value;
	}
	memcpy(text + negative, t.text, t.n);
	text[0] = negative ? '-' : text[0];
	text[t.n + negative] = 0;
	number->text = names_get(p->names, text, t.n + negative);
	return number;
}
