/* format.h - what the two files of the formatter share; nobody else includes it.
 *
 *     format_pieces.c  a text as pieces: its tokens, with comments and line ends; blanks between two of them
 *     format.c         lines: where they begin, and where one that is too long is cut
 *
 * The pieces stay what they are and in their order: only blanks and line ends change, which have no meaning.
 */
#ifndef POR_FORMAT_H
#define POR_FORMAT_H

#include "parse.h"

typedef struct Note {
	const char *text; /* from its # to the end, without blanks there */
	size_t n;
	int column; /* of the source, from 0 */
	bool beside; /* in the line of the piece before */
	bool apart; /* an empty line above */
} Note;

typedef struct FormatPiece {
	TokenKind kind;
	const char *text;
	size_t n;
	int column; /* of the source, from 0 */
	int blanks; /* before it, in the same line of the source */
	uint32_t note, notes; /* comments before it */
	bool first; /* of a line */
	bool apart; /* an empty line above */
	bool unary; /* a sign before its operand */
	bool loose; /* a product's sign with blanks on both sides */
	int at; /* where it is put */
} FormatPiece;

typedef struct FormatPieces {
	FormatPiece *v; /* the last one is the end of the text */
	uint32_t n, cap;
	Note *note;
	uint32_t nnote, note_cap;
} FormatPieces;

/* of a text that parses; the parser has just begun */
void read_pieces(FormatPieces *, Parser *, const char *text);
bool ends_operand(TokenKind);
bool is_product_sign(TokenKind); /* * / // % */
bool is_binary_sign(const FormatPiece *);
int width_of(const char *, size_t n); /* in code points */
/* Is there a blank between this piece and the one before?  slice: a colon here has none; listed: the one
 * before closes the brackets of a scan. */
bool blank_before(const FormatPiece *, bool slice, bool listed);

#endif
