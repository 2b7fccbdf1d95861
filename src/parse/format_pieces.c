/* format_pieces.c - a text as pieces: its tokens, with comments and line ends; blanks between two of them. */
#include "format.h"

bool ends_operand(TokenKind kind)
{
	return kind == TOKEN_NAME || kind == TOKEN_NUMBER || kind == TOKEN_ROUND_END ||
		kind == TOKEN_SQUARE_END || kind == TOKEN_CURLY_END;
}

bool is_product_sign(TokenKind kind)
{
	return kind == TOKEN_TIMES || kind == TOKEN_DIVIDE || kind == TOKEN_FLOOR || kind == TOKEN_MOD;
}

bool is_binary_sign(const FormatPiece *p)
{
	switch (p->kind) {
	case TOKEN_AND:
	case TOKEN_OR:
	case TOKEN_EQ:
	case TOKEN_NE:
	case TOKEN_LT:
	case TOKEN_LE:
	case TOKEN_GT:
	case TOKEN_GE:
	case TOKEN_PLUS:
	case TOKEN_MATMUL: return true;
	case TOKEN_MINUS: return !p->unary;
	default: return is_product_sign(p->kind);
	}
}

int width_of(const char *s, size_t n)
{
	int width = 0;
	for (size_t i = 0; i < n; i++) width += ((unsigned char)s[i] & 0xc0) != 0x80;
	return width;
}

/* ---- what stands between two tokens ---------------------------------------------------------------- */

typedef struct Gap {
	int lines;        /* ends of lines since the last thing */
	int blanks;       /* since the last line end */
	const char *line; /* where the line begins */
} Gap;

static void add_note(FormatPieces *p, Arena *a, const char *from, const char *to, const Gap *gap)
{
	while (to > from && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\r')) to--;
	const bool above = p->n || p->nnote; /* is there anything? */
	GROW(a, p->note, p->nnote, p->note_cap);
	p->note[p->nnote++] =
		(Note){from, (size_t)(to - from), width_of(gap->line, (size_t)(from - gap->line)),
			.beside = !gap->lines && p->n, .apart = gap->lines > 1 && above};
}

static Gap read_gap(FormatPieces *p, Arena *a, const char *from, const char *to, const char *line)
{
	Gap gap = {.line = line, .lines = !p->n};
	for (const char *s = from; s < to; s++) {
		if (*s == '#') {
			const char *stop = memchr(s, '\n', (size_t)(to - s));
			add_note(p, a, s, stop ? stop : to, &gap);
			if (!stop) break;
			s = stop - 1;
			gap.lines = 0;
		} else if (*s == '\n') {
			gap.lines++;
			gap.blanks = 0;
			gap.line = s + 1;
		} else {
			gap.blanks++;
		}
	}
	return gap;
}

/* A product's sign is loose where it was written so; at the end or beginning of a line its other
 * side says it. */
static void find_loose(FormatPieces *p)
{
	for (uint32_t i = 1; i + 1 < p->n; i++) {
		FormatPiece *x = &p->v[i], *next = x + 1;
		if (!is_product_sign(x->kind)) continue;
		if (!x->first)
			x->loose = x->blanks > 0;
		else
			x->loose = next->first || next->blanks > 0;
	}
}

void read_pieces(FormatPieces *p, Parser *parser, const char *text)
{
	Arena *a = parser->arena;
	const char *from = text, *line = text;
	for (;; lex_next(parser)) {
		Token t = parser->token;
		uint32_t note = p->nnote;
		bool was = p->n > 0;
		Gap gap = read_gap(p, a, from, t.text, line);
		GROW(a, p->v, p->n, p->cap);
		p->v[p->n] = (FormatPiece){.kind = t.kind,
			.text = t.text,
			.n = t.n,
			.blanks = gap.blanks,
			.column = width_of(gap.line, (size_t)(t.text - gap.line)),
			.note = note,
			.notes = p->nnote - note,
			.first = gap.lines || p->nnote > note || !was,
			.apart = gap.lines > 1 && (was || p->nnote),
			.unary = t.kind == TOKEN_MINUS && !(was && ends_operand(p->v[p->n - 1].kind))};
		p->n++;
		if (t.kind == TOKEN_END) break;
		from = t.text + t.n;
		line = gap.line;
	}
	find_loose(p);
}

/* ---- blanks ------------------------------------------------------------------------------------------ */

static bool opens(TokenKind kind)
{
	return kind == TOKEN_ROUND || kind == TOKEN_SQUARE || kind == TOKEN_CURLY;
}

static bool closes(TokenKind kind)
{
	return kind == TOKEN_ROUND_END || kind == TOKEN_SQUARE_END || kind == TOKEN_CURLY_END;
}

bool blank_before(const FormatPiece *x, bool slice, bool listed)
{
	const FormatPiece *last = x - 1;
	if (opens(last->kind) || closes(x->kind) || x->kind == TOKEN_COMMA) return false;
	if (x->kind == TOKEN_DOT) return last->kind == TOKEN_WITH;
	if (last->kind == TOKEN_COMMA) return true;
	if (last->kind == TOKEN_DOT || last->kind == TOKEN_RUN || x->kind == TOKEN_COLON) return false;
	if (last->kind == TOKEN_COLON) return !slice;
	if (last->unary || last->kind == TOKEN_POWER || x->kind == TOKEN_POWER) return false;
	if (x->kind == TOKEN_ROUND && ends_operand(last->kind)) return listed;
	if (x->kind == TOKEN_SQUARE) return !ends_operand(last->kind) && last->kind != TOKEN_SCAN;
	if (is_product_sign(x->kind)) return x->loose;
	return !is_product_sign(last->kind) || last->loose;
}
