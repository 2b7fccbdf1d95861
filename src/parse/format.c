/* format.c - a file of the notation, laid out: format_text.
 *
 * Needs: a text that parses.  Gives: the same tokens and comments, lines that begin where what they belong to
 * says, blanks between tokens as the printer of trees has them, at most one empty line, no line longer than
 * FORMAT_WIDTH where one can be cut.  Keeps: ends of lines, comments, and in books of rules the columns of
 * what stands two blanks or more apart.  A second time it changes nothing: a cut line is then one that was
 * written so.
 *
 * What is open while a line is laid out stands on a stack of frames; the innermost tells where a line begins.
 */
#include "format.h"

enum { STEP = 4, DEEP = 40 };

typedef enum FormKind { IN_DECLARATION, IN_BRACKETS, IN_LET, IN_IF, IN_SCAN, IN_FUNCTION } FormKind;

typedef struct OpenForm {
	FormKind kind;
	TokenKind open; /* of BRACKETS */
	bool head;      /* BRACKETS behind a function's or type's name */
	bool done;      /* LET: its `in` was there; IF: its `else` was */
	int line;       /* where the line begins in which it was opened */
	int base;       /* where its in, then, else or closing bracket begins a line */
	int more;       /* where any other line begins */
} OpenForm;

typedef struct Formatter {
	Arena *arena;
	FormatPieces p;
	OpenForm *frame, *kept; /* kept: as they were where the line begins */
	uint32_t n, cap, nkept, kept_cap;
	OpenForm closed; /* the brackets that were closed last */
	bool listed;     /* they are a scan's */
	int line;        /* where the line begins that is laid out */
	bool book;       /* rules follow */
} Formatter;

/* ---- frames -------------------------------------------------------------------------------------------- */

static void push(Formatter *f, OpenForm x)
{
	GROW(f->arena, f->frame, f->n, f->cap);
	f->frame[f->n++] = x;
}

/* The place of the innermost frame of a kind within the innermost brackets, + 1; open: it is not done. */
static uint32_t find_frame(const Formatter *f, FormKind kind, bool open)
{
	for (uint32_t i = f->n; i-- > 0 && f->frame[i].kind != IN_BRACKETS;)
		if (f->frame[i].kind == kind && !(open && f->frame[i].done)) return i + 1;
	return 0;
}

static OpenForm *brackets(const Formatter *f)
{
	for (uint32_t i = f->n; i-- > 0;)
		if (f->frame[i].kind == IN_BRACKETS) return &f->frame[i];
	return NULL;
}

static void pop_to(Formatter *f, uint32_t n)
{
	if (n) f->n = n;
}

/* `name:` or `name[tags]:` begins a rule; what has no name begins in the first column. */
static bool begins_rule(const Formatter *f, uint32_t i)
{
	const FormatPiece *x = &f->p.v[i];
	if (!f->book || (i && !ends_operand(x[-1].kind))) return false;
	if (x->first && !x->column) return true;
	if (x->kind != TOKEN_NAME) return false;
	const FormatPiece *at = x + 1;
	if (at->kind == TOKEN_SQUARE)
		while (at->kind != TOKEN_SQUARE_END && at->kind != TOKEN_END) at++;
	return at[at->kind == TOKEN_SQUARE_END].kind == TOKEN_COLON;
}

static bool begins_declaration(const Formatter *f, uint32_t i)
{
	const FormatPiece *x = &f->p.v[i];
	if (brackets(f)) return false;
	switch (x->kind) {
	case TOKEN_FN:
	case TOKEN_OP:
	case TOKEN_TYPE:
	case TOKEN_USE:
	case TOKEN_BOOK:
	case TOKEN_END: return true;
	case TOKEN_LET: return !i || (ends_operand(x[-1].kind) && !find_frame(f, IN_LET, true));
	default: return begins_rule(f, i);
	}
}

static bool closes(TokenKind kind)
{
	return kind == TOKEN_ROUND_END || kind == TOKEN_SQUARE_END || kind == TOKEN_CURLY_END;
}

static bool opens(TokenKind kind)
{
	return kind == TOKEN_ROUND || kind == TOKEN_SQUARE || kind == TOKEN_CURLY;
}

/* What ends before this piece is taken away; where a line begins that begins with it. */
static int enter(Formatter *f, uint32_t i)
{
	const FormatPiece *x = &f->p.v[i];
	uint32_t at = 0;
	if (begins_declaration(f, i)) {
		f->n = 0;
		return 0;
	}
	if (closes(x->kind) || x->kind == TOKEN_COMMA) {
		OpenForm *b = brackets(f);
		pop_to(f, b ? (uint32_t)(b - f->frame) + 1 : 1);
		return closes(x->kind) && b ? b->base : f->frame[f->n - 1].more;
	}
	if (x->kind == TOKEN_THEN || x->kind == TOKEN_ELSE)
		at = find_frame(f, IN_IF, true);
	else if (x->kind == TOKEN_IN ||
		((x->kind == TOKEN_LET || x->kind == TOKEN_DO) && ends_operand(x[-1].kind)))
		at = find_frame(f, IN_LET, true);
	pop_to(f, at);
	if (!f->n) return 0;
	return at ? f->frame[at - 1].base : f->frame[f->n - 1].more;
}

/* Where what begins here and stands on several lines has its in, then or else. */
static int base_of(const Formatter *f, const FormatPiece *x)
{
	const OpenForm *last = f->n ? &f->frame[f->n - 1] : NULL;
	if (x->first) return f->line;
	if (x[-1].kind == TOKEN_ELSE && last && last->kind == IN_IF && x->kind == TOKEN_IF) return last->base;
	return f->line + STEP;
}

static void open_brackets(Formatter *f, uint32_t i)
{
	const FormatPiece *x = &f->p.v[i];
	const bool ends = x[1].first, deep = x->at + 1 > f->line + DEEP;
	OpenForm b = {IN_BRACKETS, .open = x->kind, .line = f->line};
	b.head = i > 1 && x[-1].kind == TOKEN_NAME &&
		(x[-2].kind == TOKEN_FN || x[-2].kind == TOKEN_OP || x[-2].kind == TOKEN_TYPE);
	if (ends)
		b.more = f->line + STEP;
	else
		b.more = deep ? f->line + 2 * STEP : x->at + 1;
	b.base = ends ? f->line : b.more;
	push(f, b);
}

static void close_brackets(Formatter *f)
{
	if (!f->n) return;
	f->closed = f->frame[--f->n];
	const OpenForm *last = f->n ? &f->frame[f->n - 1] : NULL;
	f->listed = f->closed.open == TOKEN_SQUARE && last && last->kind == IN_SCAN && !last->done;
}

/* What begins with this piece, which has its place. */
static void leave(Formatter *f, uint32_t i)
{
	const FormatPiece *x = &f->p.v[i];
	if (!f->n && x->kind != TOKEN_END) push(f, (OpenForm){IN_DECLARATION, .more = STEP});
	const int base = base_of(f, x);
	OpenForm *last = &f->frame[f->n - 1];
	uint32_t at;
	switch (x->kind) {
	case TOKEN_BOOK: f->book = true; break;
	case TOKEN_FN:
	case TOKEN_OP:
	case TOKEN_TYPE:
	case TOKEN_USE: f->book = false; break;
	case TOKEN_LET:
	case TOKEN_DO:
		if (f->n == 1 && (!i || ends_operand(x[-1].kind)) && last->kind == IN_DECLARATION &&
			x->kind == TOKEN_LET)
			f->book = false;
		else if (!(i && ends_operand(x[-1].kind)))
			push(f, (OpenForm){IN_LET, .line = f->line, .base = base, .more = base + STEP});
		break;
	case TOKEN_IN:
		if ((at = find_frame(f, IN_LET, true))) f->frame[at - 1].done = true;
		break;
	case TOKEN_IF: push(f, (OpenForm){IN_IF, .line = f->line, .base = base, .more = base + STEP}); break;
	case TOKEN_ELSE:
		if ((at = find_frame(f, IN_IF, true))) f->frame[at - 1].done = true;
		break;
	case TOKEN_SCAN:
		push(f, (OpenForm){IN_SCAN, .line = f->line, .base = f->line, .more = f->line + 2 * STEP});
		break;
	case TOKEN_GIVES:
		if ((at = find_frame(f, IN_SCAN, true))) {
			f->n = at;
			f->frame[at - 1].done = true;
			f->frame[at - 1].more = f->frame[at - 1].line + STEP;
		} else {
			push(f, (OpenForm){IN_FUNCTION, .more = f->closed.line + STEP});
		}
		break;
	default:
		if (opens(x->kind)) open_brackets(f, i);
		if (closes(x->kind)) close_brackets(f);
	}
}

/* ---- a line --------------------------------------------------------------------------------- */

static void keep_frames(Formatter *f)
{
	while (f->kept_cap < f->n) GROW(f->arena, f->kept, f->kept_cap, f->kept_cap);
	if (f->n) memcpy(f->kept, f->frame, f->n * sizeof *f->frame);
	f->nkept = f->n;
}

static void restore_frames(Formatter *f)
{
	if (f->nkept) memcpy(f->frame, f->kept, f->nkept * sizeof *f->frame);
	f->n = f->nkept;
}

static uint32_t depth(const Formatter *f)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < f->n; i++) n += f->frame[i].kind == IN_BRACKETS;
	return n;
}

/* How unwelcome a cut before this piece is within its brackets; 0: there is none.  Rules stay in
 * their lines. */
static uint32_t cut_cost(const Formatter *f, const FormatPiece *x)
{
	const FormatPiece *last = x - 1;
	const bool inside = brackets(f) != NULL;
	if (f->book) return 0;
	switch (x->kind) {
	case TOKEN_LET: return ends_operand(last->kind) ? 2 : 1;
	case TOKEN_IN: return find_frame(f, IN_LET, true) ? 3 : 0;
	case TOKEN_THEN:
	case TOKEN_ELSE:
	case TOKEN_WHILE: return 3;
	case TOKEN_WITH: return 5;
	default: break;
	}
	switch (last->kind) {
	case TOKEN_IS:
		if (inside) return 0;
		return f->n > 1 ? 6 : 2;
	case TOKEN_GIVES: return 3;
	case TOKEN_COMMA: return 4;
	case TOKEN_AND:
	case TOKEN_OR: return 5;
	default: break;
	}
	if (!is_binary_sign(last)) return 0;
	return is_product_sign(last->kind) ? 7 : 6;
}

static int place_of(const Formatter *f, uint32_t i, int end, int shift)
{
	const FormatPiece *x = &f->p.v[i];
	const OpenForm *b = brackets(f);
	bool slice = b && b->open == TOKEN_SQUARE && !b->head;
	int at = end + blank_before(x, slice, f->listed && x[-1].kind == TOKEN_SQUARE_END);
	if (f->book && x->blanks > 1 && x->column + shift > at) at = x->column + shift;
	return at;
}

/* Places of the line that begins with piece i.  The piece before which it is to be cut; 0: it fits. */
static uint32_t lay_out_line(Formatter *f, uint32_t i)
{
	uint32_t best = 0, cheapest = UINT32_MAX;
	int end = 0, shift = 0;
	for (uint32_t k = i; k == i || !f->p.v[k].first; k++) {
		FormatPiece *x = &f->p.v[k];
		int begin = enter(f, k);
		if (k == i) {
			x->at = f->book && f->n && x->column > begin ? x->column : begin;
			f->line = x->at;
			shift = x->at - x->column;
		} else {
			x->at = place_of(f, k, end, shift);
			uint32_t cost = cut_cost(f, x);
			if (cost) cost += 8 * depth(f);
			/* of equal ones the last, of steps the first */
			bool better = cost < cheapest || (cost == cheapest && x->kind != TOKEN_LET);
			if (cost && better && begin + STEP < x->at) {
				best = k;
				cheapest = cost;
			}
		}
		end = x->at + width_of(x->text, x->n);
		if (end > FORMAT_WIDTH && best) return best;
		if (x->kind == TOKEN_END) break;
		leave(f, k);
	}
	return 0;
}

/* Cuts it until it fits, or nothing more can be cut.  The piece behind it. */
static uint32_t settle_line(Formatter *f, uint32_t i)
{
	const OpenForm closed = f->closed;
	const bool listed = f->listed, book = f->book;
	keep_frames(f);
	for (uint32_t cut; (cut = lay_out_line(f, i));) {
		f->p.v[cut].first = true;
		restore_frames(f);
		f->closed = closed;
		f->listed = listed;
		f->book = book;
	}
	for (i++; i < f->p.n && !f->p.v[i].first;) i++;
	return i;
}

/* ---- text ----------------------------------------------------------------------------------- */

static void put_blanks(Text *t, int n)
{
	for (; n > 0; n--) text_char(t, ' ');
}

/* Comments before a line that begins at `column`: first what stands beside the line before, which
 * ends at `end`. */
static void put_notes(Text *t, const Formatter *f, const FormatPiece *x, int end)
{
	for (uint32_t i = 0; i < x->notes; i++) {
		const Note *note = &f->p.note[x->note + i];
		if (note->beside) {
			put_blanks(t, note->column >= end + 2 ? note->column - end : 2);
		} else {
			if (t->n) text_char(t, '\n');
			if (note->apart) text_char(t, '\n');
			put_blanks(t, x->at);
		}
		text_add_n(t, note->text, note->n);
	}
	if (x->kind != TOKEN_END && t->n) text_char(t, '\n');
	if (x->kind != TOKEN_END && x->apart) text_char(t, '\n');
}

static void put_line(Text *t, const Formatter *f, uint32_t i, uint32_t to)
{
	int end = 0;
	for (; i < to && f->p.v[i].kind != TOKEN_END; i++) {
		const FormatPiece *x = &f->p.v[i];
		put_blanks(t, x->at - end);
		text_add_n(t, x->text, x->n);
		end = x->at + width_of(x->text, x->n);
	}
}

char *format_text(Arena *a, Names *names, const char *file, const char *text, size_t n, Error *error)
{
	if (!parse_file(a, names, file, text, n, error)) return NULL;
	Parser parser;
	Formatter f = {.arena = a};
	Text t;
	text_open(&t, a);
	lexer_open(&parser, a, names, (Where){file, 1, 1}, text, n);
	bool mark = n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3);
	read_pieces(&f.p, &parser, mark ? text + 3 : text);
	int end = 0;
	for (uint32_t i = 0, next; i < f.p.n; i = next) {
		next = settle_line(&f, i);
		put_notes(&t, &f, &f.p.v[i], end);
		put_line(&t, &f, i, next);
		const FormatPiece *last = &f.p.v[next - 1];
		end = last->at + width_of(last->text, last->n);
	}
	if (t.n) text_char(&t, '\n');
	return text_done(&t);
}
