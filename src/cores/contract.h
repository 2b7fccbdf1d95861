/* contract.h - contraction of floats stored as T, accumulated in R: blocks, packing, tiles in chains.
 *
 * Before: vector.h, tile.h and streams.h for R; T, S(name) the name for T, TO_R(t), FROM_R(r) with NaN the positive
 * quiet one, and SAME: T is R.
 *
 *        columns of an item            y is cut into pieces of PACKED_BYTES of a column by an item's
 *       +-----+-----+---+              columns; a piece is packed in panels of 3 vectors (or fewer
 *   k   |panel|panel|   |  piece       at the end) and stays in the L2 cache while the tiles
 *       +-----+-----+---+              of all rows pass over it; a strip of x, TILE_ROWS rows by the
 *       |     |     |   |  piece       piece's terms, stays in L1 while it meets all panels.  Between
 *       +-----+-----+---+              pieces the chains lie in `out` or, where that cannot be
 *                                      (k > TERMS, T is not R), in scratch.
 */

typedef struct S(Region) {
	const Contraction *c;
	const T *x, *y;                  /* of the first row, of the first column */
	T *out;
	int64_t rows, width;
	R *packed, *strips, *kept;       /* scratch: a piece of y; strips of x; chains */
} S(Region);

/* ---- packing ---- */

/* Element (i, j) of a matrix: at[i*row + j*column]. */
typedef struct S(Matrix) {
	const T *at;
	int64_t row, column;
} S(Matrix);

/* to[i*ts + j] = element (i, j); i < rows, j < columns. */
CORE void S(pack)(R *to, int64_t ts, S(Matrix) from, int64_t rows, int64_t columns)
{
#if SAME
	if (from.row == 1 && from.column != 1) {
		N(turn)(to, ts, from.at, from.column, columns, rows);
		return;
	}
#endif
	for (int64_t i = 0; i < rows; i++)
		if (from.column == 1)
			for (int64_t j = 0; j < columns; j++)
				to[i*ts + j] = TO_R(from.at[i*from.row + j]);
		else
			for (int64_t j = 0; j < columns; j++)
				to[i*ts + j] = TO_R(from.at[i*from.row + j*from.column]);
}

/* The columns of a piece, in panels as wide as the tiles. */
CORE void S(pack_panels)(const S(Region) *g, const T *y, int64_t terms)
{
	R *to = g->packed;
	for (int64_t j = 0, step; j < g->width; j += step, to += step*terms) {
		step = N(tile_width)(g->width - j);
		S(pack)(to, step, (S(Matrix)){ y + j*g->c->yn, g->c->yk, g->c->yn }, terms, step);
	}
}

#include "by_vector.h"

/* ---- chains ---- */

/* Asks for what is needed soon: the chains of the next panel, and part i of `parts` of the next rows of x.  Rows of x
 * that are read where they lie are asked for if there are many: then they come from memory. */
CORE_INLINE void S(fetch_chains)(const R *c, int64_t cs, int64_t rows, int64_t width)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t j = 0; j < width; j += 64/R_BYTES)
			__builtin_prefetch(c + r*cs + j, 1);
}

CORE_INLINE void S(fetch_strip)(const Contraction *p, const T *x, int64_t rows, int64_t terms, int64_t i,
                                int64_t parts)
{
	int64_t line = 64/(int64_t)sizeof(T), from = terms*i/parts, to = terms*(i + 1)/parts;
	if (p->xk == 1)
		for (int64_t r = 0; r < rows; r++)
			for (int64_t t = from; t < to; t += line)
				__builtin_prefetch(x + r*p->xm + t);
	else if (p->xm == 1)
		for (int64_t t = from; t < to; t++)
			__builtin_prefetch(x + t*p->xk);
}

/* A strip of rows over a piece: straight from y, or from the panels (y NULL).  t: its tile of the first columns, but for
 * their y. */
CORE void S(strip)(const S(Region) *g, int64_t rows, int by_row, N(Tile) t, const T *y)
{
	const R *panel = g->packed;
	for (int64_t j = 0, step; j < g->width; j += step, t.c += step, panel += step*t.terms) {
		step = N(tile_width)(g->width - j);
		if (!t.begin)
			S(fetch_chains)(t.c + step, t.cs, rows, least(step, g->width - j - step));
		t.y = y ? (const R *)(const void *)(y + j) : panel;
		t.ys = y ? g->c->yk : step;
		N(tile)(rows, step, by_row, t);
	}
}

/* Rows of x in strips of TILE_ROWS, each [terms][TILE_ROWS]. */
CORE void S(pack_strips)(const S(Region) *g, const T *x, int64_t rows, int64_t terms)
{
	const Contraction *p = g->c;
	int64_t size = terms*TILE_ROWS, done = p->xm == 1 ? rows/TILE_ROWS*TILE_ROWS : 0;
	for (int64_t t = 0; done && t < terms; t++)
		for (int64_t r = 0; r < done; r += TILE_ROWS)
			UNROLL for (int l = 0; l < TILE_ROWS; l++)
				g->strips[r*terms + t*TILE_ROWS + l] = TO_R(x[t*p->xk + r + l]);
	for (int64_t r = done; r < rows; r += TILE_ROWS)
		S(pack)(g->strips + r/TILE_ROWS*size, TILE_ROWS, (S(Matrix)){ x + r*p->xm, p->xk, p->xm }, terms,
		        least(TILE_ROWS, rows - r));
}

/* Whether y is read where it lies: it fits L1, or is used few times. */
CORE int S(is_direct)(const S(Region) *g, int64_t rows, int64_t terms)
{
	return SAME && g->c->yn == 1 && (rows <= 64 || terms*g->width*R_BYTES <= 24576);
}

/* Rows [from, to) of a region, and where their chains are. */
typedef struct S(Rows) {
	int64_t from, to;
	R *c;
	int64_t cs;
} S(Rows);

/* One piece of k. */
CORE void S(piece)(const S(Region) *g, S(Rows) at, int64_t first, int64_t terms, int begin)
{
	const Contraction *p = g->c;
	const T *y = g->y + first*p->yk;
	int direct = S(is_direct)(g, at.to - at.from, terms), by_row = p->xk == 1;
	int straight = SAME && (by_row || p->xm == 1) && g->width < 6*VL;
	int far = (at.to - at.from)*terms*(int64_t)sizeof(T) > FAR_BYTES && terms*(int64_t)sizeof(T) > 64;
	if (!direct) {
		S(pack_panels)(g, y, terms);
		y = 0;
	}
	for (int64_t r = at.from, rows; r < at.to; r += ITEM_ROWS, at.c += ITEM_ROWS*at.cs) {
		const T *x = g->x + r*p->xm + first*p->xk, *next = r + ITEM_ROWS < at.to ? x + ITEM_ROWS*p->xm : 0;
		rows = least(ITEM_ROWS, at.to - r);
		if (!straight)
			S(pack_strips)(g, x, rows, terms);
		for (int64_t i = 0; i < rows; i += TILE_ROWS) {
			int64_t here = least(TILE_ROWS, rows - i);
			if (next && (!straight || far))
				S(fetch_strip)(p, next, rows, terms, i/TILE_ROWS, cut_in(rows, TILE_ROWS));
			N(Tile) t = { .terms = terms, .x = g->strips + i*terms, .xs = TILE_ROWS, .c = at.c + i*at.cs,
			              .cs = at.cs, .begin = begin };
			if (straight) {
				t.x = (const R *)(const void *)(x + i*p->xm);
				t.xs = by_row ? p->xm : p->xk;
			}
			S(strip)(g, here, straight && by_row, t, y);
		}
	}
}

/* Block b of k.  Few rows read y once: in short pieces of many columns, so that rows of y come in streams. */
CORE void S(block)(const S(Region) *g, S(Rows) at, int64_t b)
{
	int64_t terms = least(g->c->k - b*TERMS, TERMS), step = g->c->few ? FEW_TERMS : PACKED_BYTES/R_BYTES;
	for (int64_t i = 0; i < terms; i += step)
		S(piece)(g, at, b*TERMS + i, least(step, terms - i), i == 0);
}

#include "thin.h"

CORE void S(chains)(const S(Region) *g)
{
	if (SAME && g->c->k <= TERMS) {
		S(block)(g, (S(Rows)){ 0, g->rows, (R *)(void *)g->out, g->c->n }, 0);
		return;
	}
	for (int64_t from = 0; from < g->rows; from += GROUP_ROWS) {
		int64_t to = least(from + GROUP_ROWS, g->rows), size = (to - from)*g->width;
		R *top = g->kept;
		for (int64_t b = 0; b*TERMS < g->c->k; b++) {
			S(block)(g, (S(Rows)){ from, to, top, g->width }, b);
			top = N(join_block)(top, size, b);
		}
		N(join_rest)(g->kept, top, size);
		for (int64_t r = from; r < to; r++)
			for (int64_t j = 0; j < g->width; j++)
				g->out[r*g->c->n + j] = FROM_R(g->kept[(r - from)*g->width + j]);
	}
}

/* ---- a region ---- */

CORE void S(contract)(S(Region) g, void *scratch)
{
	const Contraction *c = g.c;
	if (c->vector) {
		S(by_vector)(c, g.x, g.y, g.out, g.width, scratch);
		return;
	}
	g.packed = scratch;
	int64_t terms = least(c->k, c->few ? FEW_TERMS : PACKED_BYTES/R_BYTES);
	g.strips = g.packed + terms*(c->wide + 16);
	g.kept = g.strips + terms*ITEM_ROWS;
	if (S(is_thin)(&g))
		S(thin)(&g);
	else
		S(chains)(&g);
}

#define O S
#include "regions.h"
#undef O
