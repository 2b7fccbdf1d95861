/* lex.c - text to tokens, and messages about places in a text.
 *
 * Text is UTF-8.  The whole of it is checked first (lexer_open), so that everything after may trust it.
 * Columns count code points.
 */
#include "parse.h"

#include <stdio.h>

static const char *const token_texts[] = {"the end of the text", "a name", "a number", "fn", "op", "type",
	"let", "do", "in", "use", "book", "if", "then", "else", "scan", "while", "with", "and", "or", "not",
	"<=>", "=>", "->", "==", "<=", ">=", "!=", "//", "+=", "..", "+", "-", "*", "/", "%", "^", "@", "<",
	">", "=", "(", ")", "[", "]", "{", "}", ",", ":", "."};

/* What people write elsewhere, and what it is here; longer ones first. */
static const struct {
	const char *text, *hint;
} strange[] = {
	{"<>", "not equal is written !="},
	{"|>", "a function is called by f(x)"},
	{"&&", "both is written and"},
	{"&", "both is written and"},
	{"||", "either is written or"},
	{"|", "either is written or; a density's parameters follow commas, as in logp.normal(x, 0, 1)"},
	{"∑", "a sum is written sum(x), or sum([i < n] => x[i])"},
	{"Σ(", "a sum is written sum(x), or sum([i < n] => x[i])"},
	{"∏", "a product is written prod(x), or prod([i < n] => x[i])"},
	{"∂", "a derivative is written grad(e, x)"},
	{"∇", "a derivative is written grad(e, x)"},
	{"∫", "an integral is written quad.gauss_kronrod(f, a, b)"},
	{"∈", "write in"},
	{"∧", "both is written and"},
	{"∨", "either is written or"},
	{"¬", "negation is written not x"},
	{"⋅", "a product is written x*y"},
	{"∘", "a function of a function is written (x) => f(g(x))"},
	{"⊗", "an outer product is written outer(x, y)"},
	{"⇒", "write =>"},
	{"↦", "a function is written (x) => 2*x"},
	{"–", "minus is written -"},
	{"—", "minus is written -"},
	{"“", "there are no strings; print({x}) prints names, einsum has its letters in brackets, einsum[(a, b), (b, c), (a, c)](A, A)"},
	{"**", "a power is written x^y"},
	{":=", "a definition is written ="},
	{".+", "operators are elementwise: write x + y"},
	{".-", "operators are elementwise: write x - y"},
	{".*", "operators are elementwise: write x*y"},
	{"./", "operators are elementwise: write x/y"},
	{".^", "operators are elementwise: write x^y"},
	{".<", "operators are elementwise: write x < y"},
	{".>", "operators are elementwise: write x > y"},
	{".=", "operators are elementwise: write x == y"},
	{".(", "functions are elementwise: write f(x)"},
	{"...", "a run is written .."},
	{"'", "the transpose is written x.T"},
	{"\"", "there are no strings; print({x}) prints names, einsum has its letters in brackets, einsum[(a, b), (b, c), (a, c)](A, A)"},
	{";", "a list has commas, rows are lists too, and a step ends with a line or in: let y = 2 in y*y"},
	{"?", "a choice is written if c then a else b"},
	{"\\", "a function is written (x) => 2*x; the solution of A x = b is solve.linear(A, b)"},
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

/* ---- messages ------------------------------------------------------------- */

const char *token_text(TokenKind kind)
{
	return token_texts[kind];
}

const char *keyword_text(uint32_t i)
{
	return i <= TOKEN_NOT - TOKEN_FN ? token_texts[TOKEN_FN + i] : NULL;
}

const char *token_sign(uint32_t i)
{
	return i <= TOKEN_DOT - TOKEN_SAME ? token_texts[TOKEN_SAME + i] : NULL;
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
	va_list args;
	va_start(args, format);
	fail_list(&p->error, ERR_SYNTAX, where, format, args);
	va_end(args);
	stop(p);
	return NULL;
}

void *syntax_fail(Parser *p, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fail_list(&p->error, ERR_SYNTAX, token_where(p, p->token), format, args);
	va_end(args);
	stop(p);
	return NULL;
}

int shown_bytes(size_t n, const char *text)
{
	if (n > 40)
		for (n = 40; n && ((unsigned char)text[n] & 0xc0) == 0x80;) n--;
	return (int)n;
}

/* Signs and words of the language that other languages use in another way. */
static const char *habit_of_token(TokenKind kind)
{
	switch (kind) {
	case TOKEN_ADD: return "values do not change: write let y = x + 1 in y";
	case TOKEN_IS: return "equal is written ==, and a value is named by let x = 2 in x*x";
	case TOKEN_ARROW: return "a function is written (x) => 2*x";
	case TOKEN_IF: return "a choice is written if c then a else b";
	case TOKEN_COLON: return "a type stands with a parameter, and a value is named by let x = 2 in x*x";
	case TOKEN_WHILE: return "a loop is written scan (t = 1.0) while t < 100 => 2*t";
	default: return NULL;
	}
}

/* Is one of these two tokens a word of another language?  It stands where the error is. */
static void *strange_word(Parser *p, Token first, Token second)
{
	const Token word[] = {first, second};
	for (size_t i = second.kind < TOKEN_NAME || second.kind > TOKEN_NOT; i < countof(word); i++) {
		bool name = word[i].kind == TOKEN_NAME;
		const char *here = name ? habit_of_word(p->arena, word[i].text, word[i].n) : NULL;
		if (here)
			return syntax_fail_at(p, token_where(p, word[i]), "%.*s: %s", (int)word[i].n, word[i].text,
				here);
	}
	return NULL;
}

/* Does an expression go on, begin or end where this is wanted? */
static bool in_expression(const char *wanted)
{
	static const char *const begin[] = {"an operator", "an expression", "then"};
	for (size_t i = 0; i < countof(begin); i++)
		if (!strncmp(wanted, begin[i], strlen(begin[i]))) return true;
	return false;
}

static bool names_dtype(Token t)
{
	static const char *const names[] = {"f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "u64", "u32", "u16",
		"u8", "c128", "c64", "bool", "key"};
	for (size_t i = 0; i < countof(names); i++)
		if (t.n == strlen(names[i]) && !memcmp(t.text, names[i], t.n)) return true;
	return false;
}

void *token_unexpected(Parser *p, const char *wanted)
{
	Token t = p->token;
	strange_word(p, p->before, t);
	if (p->error.code) return NULL;
	if (t.kind == TOKEN_END) return syntax_fail(p, "the text ends; wanted %s", wanted);
	const char *here = in_expression(wanted) || t.kind == TOKEN_ARROW ? habit_of_token(t.kind) : NULL;
	if (t.kind == TOKEN_NUMBER && p->before.kind == TOKEN_DOT) here = "a tuple's first is get[0](t)";
	if (t.kind == TOKEN_FN && !p->before.n)
		here = "functions stand in files, and in an expression let f = (x) => 2*x in f(3)";
	if (t.kind == TOKEN_ROUND && names_dtype(p->before)) here = "sizes of a type stand in brackets, as in f64[m, n]";
	if (p->before.kind == TOKEN_MOD && t.kind > TOKEN_NOT) here = "a product of matrices is written X @ w";
	bool call = p->before.kind == TOKEN_NAME && (t.kind == TOKEN_NAME || t.kind == TOKEN_NUMBER);
	if (call && in_expression(wanted))
		here = arena_printf(p->arena, "a call is written %.*s(%.*s)", shown_bytes(p->before.n, p->before.text),
			p->before.text, shown_bytes(t.n, t.text), t.text);
	return syntax_fail(p, "found %.*s; wanted %s%s%s", shown_bytes(t.n, t.text), t.text, wanted, here ? "; " : "",
		here ? here : "");
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

/* ---- tokens --------------------------------------------------------------------- */

/* The end of the signs of ASCII that stand in a line: most do, and they are looked at eight at a time.  Where
 * all are such, no byte of the word, of it less blanks or of it and ones has its upper bit. */
static const char *plain_run(const char *s, const char *end)
{
	const uint64_t each = 0x0101010101010101u;
	for (uint64_t word; end - s >= 8; s += 8) {
		memcpy(&word, s, 8);
		if (((word - ' ' * each) | word | (word + each)) & 0x80 * each) break;
	}
	while (s < end && *s >= ' ' && *s < 0x7f) s++;
	return s;
}

bool lexer_open(Parser *p, Arena *arena, Names *names, Where begin, const char *text, size_t n)
{
	*p = (Parser){.arena = arena, .names = names, .at = text, .end = text + n, .line = begin.line,
		.column = begin.column};
	p->file = begin.file ? names_get(names, begin.file, strlen(begin.file)) : NULL;
	if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) /* a byte order mark */
		text = p->at += 3;
	int line = begin.line, column = begin.column;
	for (const char *s = text; s < p->end; column++) {
		size_t bytes;
		const char *run = s;
		s = plain_run(s, p->end);
		column += (int)(s - run);
		if (s == p->end) break;
		Where where = {p->file, line, column};
		code_point(s, p->end, &bytes);
		if (!bytes)
			return syntax_fail_at(p, where, "byte %d: this is no UTF-8 text", (unsigned char)*s);
		if (!*s) return syntax_fail_at(p, where, "byte 0: this is no text");
		if (*s == '\n') {
			line++;
			column = 0;
		}
		s += bytes;
	}
	lex_next(p);
	return true;
}

/* Move over n bytes that hold no newline. */
static void advance(Parser *p, size_t n)
{
	for (const char *end = p->at + n; p->at < end; p->at++)
		p->column += ((unsigned char)*p->at & 0xc0) != 0x80;
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
			p->at++;
			p->line++;
			p->column = 1;
			line_begins = blank = true;
		} else if (c == ' ' || c == '\t' || c == '\r') {
			p->at++;
			p->column++;
		} else if (c == '#') {
			if (line_begins && !doc) doc = p->at;
			const char *stop = memchr(p->at, '\n', (size_t)(p->end - p->at));
			if (stop)
				p->at = stop; /* where a new line begins, with its columns */
			else
				advance(p, (size_t)(p->end - p->at));
			blank = false;
		} else {
			break;
		}
	}
	return line_begins ? doc : NULL;
}

/* The end of the digits; with `bars`, single _ stand between them. */
static const char *digits(const char *s, const char *end, bool hex, bool bars)
{
	while (s < end &&
		((hex ? is_hex(*s) : is_digit(*s)) || (bars && *s == '_' && end - s > 1 && is_digit(s[1]))))
		s++;
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

/* A point with a digit behind it. */
static bool is_fraction(const char *at, const char *end, bool hex)
{
	if (end - at < 2 || *at != '.') return false;
	return hex ? is_hex(at[1]) : is_digit(at[1]);
}

/* The i of an imaginary number, which begins neither a name nor a number. */
static bool is_imaginary(const char *at, const char *end)
{
	if (at == end || *at != 'i' || name_length(at + 1, end)) return false;
	return end - at == 1 || !is_digit(at[1]);
}

static size_t number_length(const char *s, const char *end)
{
	bool hex = end - s > 2 && s[0] == '0' && s[1] == 'x' && is_hex(s[2]);
	const char *at = digits(hex ? s + 2 : s, end, hex, !hex);
	if (is_fraction(at, end, hex)) at = digits(at + 1, end, hex, !hex);
	at = exponent(at, end, hex ? 'p' : 'e');
	if (!hex && is_imaginary(at, end)) at++;
	return (size_t)(at - s);
}

/* What is said of a sign where an operand would begin. */
static const char *strange_operand(const Parser *p, const char *s)
{
	static const char *const strings[] = {"a field is written {a = 1}", "a field of a structure is p.a, and einsum's letters are names: einsum[(a, b), (b, c), (a, c)](A, A)"};
	const TokenKind before = p->before.kind;
	const bool operand = before == TOKEN_NAME || before == TOKEN_NUMBER || before == TOKEN_ROUND_END ||
		before == TOKEN_SQUARE_END || before == TOKEN_CURLY_END;
	if (*s == '\'' && before == TOKEN_NAME && p->end - s > 1 && s[1] == '(') return "a derivative is written grad(f, x)";
	if (*s == '"' || *s == '\'') {
		if (before == TOKEN_CURLY) return strings[0];
		return before == TOKEN_SQUARE && *s == '"' ? strings[1] : NULL;
	}
	if (*s == '~' && operand) return "a density is added to the others, as logp.normal(x, 0, 1)";
	if (*s != '|' || (operand && p->before.n)) return NULL;
	return p->end - s > 1 && s[1] == '|' ? "a norm is written norm(x)" : "the absolute value is written abs(x)";
}

static void *strange_sign(Parser *p, const char *s)
{
	size_t n;
	uint32_t u = code_point(s, p->end, &n);
	const char *here = strange_operand(p, s);
	if (here) return syntax_fail(p, "%.*s: %s", s[0] == '|' && p->end - s > 1 && s[1] == '|' ? 2 : 1, s, here);
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
	/* The first sign that begins with a character. */
	static const uint8_t first[] = {['<'] = TOKEN_SAME, ['='] = TOKEN_GIVES, ['-'] = TOKEN_ARROW,
		['>'] = TOKEN_GE, ['!'] = TOKEN_NE, ['/'] = TOKEN_FLOOR, ['+'] = TOKEN_ADD, ['.'] = TOKEN_RUN,
		['*'] = TOKEN_TIMES, ['%'] = TOKEN_MOD, ['^'] = TOKEN_POWER, ['@'] = TOKEN_MATMUL,
		['('] = TOKEN_ROUND, [')'] = TOKEN_ROUND_END, ['['] = TOKEN_SQUARE, [']'] = TOKEN_SQUARE_END,
		['{'] = TOKEN_CURLY, ['}'] = TOKEN_CURLY_END, [','] = TOKEN_COMMA, [':'] = TOKEN_COLON};
	unsigned char c = (unsigned char)*s;
	int k = c < countof(first) ? first[c] : TOKEN_END;
	for (; k && k <= TOKEN_DOT; k++) {
		const char *sign = token_texts[k], *at = s;
		for (; *sign && at < end && *sign == *at; at++) sign++;
		*n = (size_t)(at - s);
		if (!*sign) return (TokenKind)k;
	}
	return TOKEN_END;
}

/* Signs that would be read as two tokens, but that people mean as one. */
static bool is_strange_pair(const Parser *p, const char *s, const char *end)
{
	size_t left = (size_t)(end - s);
	bool number = p->before.kind == TOKEN_NUMBER && p->before.text + p->before.n == s; /* "1." is another mistake */
	if (left >= 2 && *s == '.' && strchr("+-*/^<>=(", s[1])) return !number;
	return left >= 2 &&
		(!memcmp(s, "<>", 2) || !memcmp(s, "**", 2) || !memcmp(s, ":=", 2) ||
			(left >= 3 && !memcmp(s, "...", 3)));
}

static TokenKind word_kind(const char *s, size_t n)
{
	/* The first word that begins with a letter. */
	static const uint8_t first[] = {['a'] = TOKEN_AND, ['b'] = TOKEN_BOOK, ['d'] = TOKEN_DO,
		['e'] = TOKEN_ELSE, ['f'] = TOKEN_FN, ['i'] = TOKEN_IN, ['l'] = TOKEN_LET, ['n'] = TOKEN_NOT,
		['o'] = TOKEN_OP, ['s'] = TOKEN_SCAN, ['t'] = TOKEN_TYPE, ['u'] = TOKEN_USE,
		['w'] = TOKEN_WHILE};
	enum { LONGEST_WORD = 5 };
	unsigned char c = (unsigned char)*s;
	int k = n > 1 && n <= LONGEST_WORD && c < countof(first) ? first[c] : TOKEN_END;
	for (; k && k <= TOKEN_NOT; k++)
		if (*s == *token_texts[k] && n == strlen(token_texts[k]) && !memcmp(s, token_texts[k], n))
			return (TokenKind)k;
	return TOKEN_NAME;
}

void lex_next(Parser *p)
{
	const char *doc = skip(p, p->column == 1 && p->line == 1);
	const char *s = p->at;
	p->before = p->token;
	size_t n = 0, name;
	p->token = (Token){.kind = TOKEN_END, .text = s, .doc = doc, .line = p->line, .column = p->column};
	if (s == p->end) return;
	if (is_digit(*s)) {
		n = number_length(s, p->end);
		name = name_length(s + n, p->end);
		if (name && s[n] == '_') {
			syntax_fail(p,
				"%.*s%.*s: in a number _ stands alone, with a decimal digit on each side, as in 1_000",
				shown_bytes(n, s), s, shown_bytes(name, s + n), s + n);
			return;
		}
		if (name && s[n] == 'E' && (name > 1 || (s + n + 1 < p->end && strchr("+-", s[n + 1])))) {
			syntax_fail(p, "%.*sE: the exponent of a number has a small e, as in 1e-3", shown_bytes(n, s), s);
			return;
		}
		if (name == 1 && strchr("fFlLuUdD", s[n])) {
			syntax_fail(p, "%.*s%c: a number has no suffix; f32(0.1) is one of another dtype, 2*f a product",
				shown_bytes(n, s), s, s[n]);
			return;
		}
		if (name) {
			syntax_fail(p, "%.*s%.*s: a number ends where a name begins; write %.*s*%.*s",
				shown_bytes(n, s), s, shown_bytes(name, s + n), s + n, shown_bytes(n, s), s,
				shown_bytes(name, s + n), s + n);
			return;
		}
		p->token.kind = TOKEN_NUMBER;
	} else if ((n = name_length(s, p->end))) {
		p->token.kind = word_kind(s, n);
	} else if (is_strange_pair(p, s, p->end) || !(p->token.kind = sign_kind(s, p->end, &n))) {
		strange_sign(p, s);
		return;
	}
	p->token.n = n;
	if (p->token.kind == TOKEN_NAME) {
		advance(p, n);
	} else {
		p->column += (int)n;
		p->at += n;
	}
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
