/* tile.h - the register tile of a contraction in chains, for R = float or double.
 *
 * A tile is up to TILE_ROWS rows of up to 3 vectors of out.  The accumulators stay in registers while k runs, so
 * each element is the one ascending chain that is defined, whatever the tile.  AVX-512 has 32 registers: 8 x 3
 * accumulators, 3 of y, one of x; AVX2 has 16: 4 x 3, 3 and 1.
 */

#if CORE_ISA == 2
#define TILE_ROWS 8
#else
#define TILE_ROWS 4
#endif

/* c[r][...] goes on with (or begins) the chains, over `terms` of x[r]*y; x[r] of term i is at x[r*xs + i] by_row, else
 * at x[i*xs + r].  Of several blocks, x, y and c of the next are xb, yb and all rows of c further. */
typedef struct N(Tile) {
	int64_t terms;
	const R *x, *y;
	int64_t xs, ys, xb, yb;
	R *c;
	int64_t cs;
	int begin;
} N(Tile);

/* Whole vectors. */
CORE_INLINE void N(tile_of)(int rows, int vectors, int by_row, const N(Tile) *t)
{
	N(Vector) acc[TILE_ROWS][3];
	UNROLL for (int r = 0; r < rows; r++)
		UNROLL for (int v = 0; v < vectors; v++)
			acc[r][v] = t->begin ? N(splat)(-(R)0) : N(load)(t->c + r*t->cs + v*VL);
	for (int64_t i = 0; i < t->terms; i++) {
		N(Vector) b[3];
		UNROLL for (int v = 0; v < vectors; v++)
			b[v] = N(load)(t->y + i*t->ys + v*VL);
		UNROLL for (int r = 0; r < rows; r++) {
			N(Vector) a = N(splat)(by_row ? t->x[r*t->xs + i] : t->x[i*t->xs + r]);
			UNROLL for (int v = 0; v < vectors; v++)
				acc[r][v] = N(fused)(a, b[v], acc[r][v]);
		}
	}
	UNROLL for (int r = 0; r < rows; r++)
		UNROLL for (int v = 0; v < vectors; v++)
			N(save)(t->c + r*t->cs + v*VL, N(quiet)(acc[r][v]));
}

#define V(name) N(name)
#define W_BYTES V_BYTES
#include "part.h"
#undef V
#undef W_BYTES
#if CORE_ISA == 2
#define V(name) N(half_##name)
#define W_BYTES 32
#include "part.h"
#undef V
#undef W_BYTES
#endif

/* Less than a vector: of half a register where that holds it, which takes half the time. */
CORE_INLINE void N(narrow)(int blocks, int rows, int by_row, const N(Tile) *t, int64_t width)
{
#if CORE_ISA == 2
	if (width <= VL/2) {
		N(half_part_of)(blocks, rows, by_row, t, width);
		return;
	}
#endif
	N(part_of)(blocks, rows, by_row, t, width);
}

/* Columns of the next tile when so many are left: of three vectors, but of 2 and 2 rather than 3 and 1; then less than
 * one vector. */
CORE_INLINE int64_t N(tile_width)(int64_t left)
{
	int64_t v = left/VL;
	return v == 0 ? left : (v > 4 || v == 3 ? 3 : v == 1 ? 1 : 2)*VL;
}

/* A tile of such a width.  A few shapes are compiled; other numbers of rows are made of them. */
CORE void N(tile)(int64_t rows, int64_t width, int by_row, N(Tile) t)
{
	for (int64_t done, step = by_row ? t.xs : 1; rows; rows -= done, t.x += done*step, t.c += done*t.cs) {
		done = rows >= TILE_ROWS ? TILE_ROWS : rows >= 4 ? 4 : rows;
		switch (done*8 + width/VL*2 + by_row) {
#define SHAPE(r, v, o) case r*8 + v*2 + o: N(tile_of)(r, v, o, &t); break;
#define BOTH(r, v) SHAPE(r, v, 0) SHAPE(r, v, 1)
#define PART(r, o) case r*8 + o: N(narrow)(1, r, o, &t, width); break;
#define SHAPES(r) PART(r, 0) PART(r, 1) BOTH(r, 1) BOTH(r, 2) BOTH(r, 3)
		SHAPES(1) SHAPES(2) SHAPES(3) SHAPES(4)
#if TILE_ROWS == 8
		SHAPES(8)
#endif
#undef SHAPE
#undef BOTH
#undef PART
#undef SHAPES
		}
	}
}

/* A few rows of at most a vector of columns, of THIN_BLOCKS blocks side by side. */
CORE void N(thin_tile)(int64_t rows, int64_t width, int by_row, const N(Tile) *t)
{
	switch (rows*2 + by_row) {
#define BOTH(r) case r*2: N(narrow)(THIN_BLOCKS, r, 0, t, width); break; \
	case r*2 + 1: N(narrow)(THIN_BLOCKS, r, 1, t, width); break;
	BOTH(1) BOTH(2) BOTH(3) BOTH(4)
#undef BOTH
	}
}
