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

/* to[i*ts + j] = from[i*fi + j*fj]; i < rows, j < columns. */
CORE void S(pack)(R *to, int64_t ts, const T *from, int64_t fi, int64_t fj, int64_t rows, int64_t columns)
{
#if SAME
	if (fi == 1 && fj != 1) {
		N(turn)(to, ts, from, fj, columns, rows);
		return;
	}
#endif
	for (int64_t i = 0; i < rows; i++)
		if (fj == 1)
			for (int64_t j = 0; j < columns; j++)
				to[i*ts + j] = TO_R(from[i*fi + j]);
		else
			for (int64_t j = 0; j < columns; j++)
				to[i*ts + j] = TO_R(from[i*fi + j*fj]);
}

/* The columns of a piece, in panels as wide as the tiles. */
CORE void S(pack_panels)(const S(Region) *g, const T *y, int64_t terms)
{
	R *to = g->packed;
	for (int64_t j = 0, step; j < g->width; j += step, to += step*terms) {
		step = N(tile_width)(g->width - j);
		S(pack)(to, step, y + j*g->c->yn, g->c->yk, g->c->yn, terms, step);
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

/* A strip of rows over a piece: straight from y, or from the panels. */
CORE void S(strip)(const S(Region) *g, int64_t rows, int by_row, int64_t terms, const R *x, int64_t xs, const T *y,
                   int direct, R *c, int64_t cs, int begin)
{
	const R *panel = g->packed;
	for (int64_t j = 0, step; j < g->width; j += step, panel += step*terms) {
		step = N(tile_width)(g->width - j);
		if (!begin)
			S(fetch_chains)(c + j + step, cs, rows, least(step, g->width - j - step));
		if (direct)
			N(tile)(rows, step, by_row, (N(Tile)){ terms, x, (const R *)(const void *)(y + j), xs, g->c->yk, 0, 0, c + j, cs,
			                                       begin });
		else
			N(tile)(rows, step, by_row, (N(Tile)){ terms, x, panel, xs, step, 0, 0, c + j, cs, begin });
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
		S(pack)(g->strips + r/TILE_ROWS*size, TILE_ROWS, x + r*p->xm, p->xk, p->xm, terms, least(TILE_ROWS, rows - r));
}

/* Whether y is read where it lies: it fits L1, or is used few times. */
CORE int S(is_direct)(const S(Region) *g, int64_t rows, int64_t terms)
{
	return SAME && g->c->yn == 1 && (rows < 32 || terms*g->width*R_BYTES <= 24576);
}

/* One piece of k, over rows [from, to) into c. */
CORE void S(piece)(const S(Region) *g, int64_t first, int64_t terms, int64_t from, int64_t to, R *c, int64_t cs,
                   int begin)
{
	const Contraction *p = g->c;
	const T *y = g->y + first*p->yk;
	int direct = S(is_direct)(g, to - from, terms), by_row = p->xk == 1, straight = SAME && (by_row || p->xm == 1) && g->width < 6*VL;
	int far = (to - from)*terms*(int64_t)sizeof(T) > FAR_BYTES && terms*(int64_t)sizeof(T) > 64;
	if (!direct)
		S(pack_panels)(g, y, terms);
	for (int64_t r = from, rows; r < to; r += ITEM_ROWS, c += ITEM_ROWS*cs) {
		const T *x = g->x + r*p->xm + first*p->xk, *next = r + ITEM_ROWS < to ? x + ITEM_ROWS*p->xm : 0;
		rows = least(ITEM_ROWS, to - r);
		if (!straight)
			S(pack_strips)(g, x, rows, terms);
		for (int64_t i = 0; i < rows; i += TILE_ROWS) {
			int64_t here = least(TILE_ROWS, rows - i);
			if (next && (!straight || far))
				S(fetch_strip)(p, next, rows, terms, i/TILE_ROWS, cut_in(rows, TILE_ROWS));
			if (straight)
				S(strip)(g, here, by_row, terms, (const R *)(const void *)(x + i*p->xm), by_row ? p->xm : p->xk,
				         y, direct, c + i*cs, cs, begin);
			else
				S(strip)(g, here, 0, terms, g->strips + i*terms, TILE_ROWS, y, direct, c + i*cs, cs, begin);
		}
	}
}

/* Block b of k.  Few rows read y once: in short pieces of many columns, so that rows of y come in streams. */
CORE void S(block)(const S(Region) *g, int64_t b, int64_t from, int64_t to, R *c, int64_t cs)
{
	int64_t terms = least(g->c->k - b*TERMS, TERMS), step = g->c->few ? FEW_TERMS : PACKED_BYTES/R_BYTES;
	for (int64_t i = 0; i < terms; i += step)
		S(piece)(g, b*TERMS + i, least(step, terms - i), from, to, c, cs, i == 0);
}

#include "thin.h"

CORE void S(chains)(const S(Region) *g)
{
	if (SAME && g->c->k <= TERMS) {
		S(block)(g, 0, 0, g->rows, (R *)(void *)g->out, g->c->n);
		return;
	}
	for (int64_t from = 0; from < g->rows; from += GROUP_ROWS) {
		int64_t to = least(from + GROUP_ROWS, g->rows), size = (to - from)*g->width;
		R *top = g->kept;
		for (int64_t b = 0; b*TERMS < g->c->k; b++) {
			S(block)(g, b, from, to, top, g->width);
			top = N(join_block)(top, size, b);
		}
		N(join_rest)(g->kept, top, size);
		for (int64_t r = from; r < to; r++)
			for (int64_t j = 0; j < g->width; j++)
				g->out[r*g->c->n + j] = FROM_R(g->kept[(r - from)*g->width + j]);
	}
}

/* ---- a region ---- */

CORE void S(contract)(const Contraction *c, const T *x, const T *y, T *out, int64_t rows, int64_t width, void *scratch)
{
	if (c->vector) {
		S(by_vector)(c, x, y, out, width, scratch);
		return;
	}
	S(Region) g = { c, x, y, out, rows, width, scratch, 0, 0 };
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
