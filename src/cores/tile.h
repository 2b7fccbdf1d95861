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

/* c[r][...] goes on with (or begins) the chains, over `terms` of x[r]*y; x[r] of term i is at x[r*xs + i] by_row,
 * else at x[i*xs + r].  No vectors: the first `some` numbers of one, and no others are touched. */
CORE_INLINE void N(tile_of)(int rows, int vectors, int by_row, int64_t terms, const R *x, int64_t xs, const R *y,
                            int64_t ys, R *c, int64_t cs, int begin, int64_t some)
{
	N(Vector) acc[TILE_ROWS][3];
	int part = vectors == 0;
	vectors += part;
	UNROLL for (int r = 0; r < rows; r++)
		UNROLL for (int v = 0; v < vectors; v++)
			acc[r][v] = begin ? N(splat)(-(R)0) : part ? N(load_first)(c + r*cs, some) : N(load)(c + r*cs + v*VL);
	for (int64_t i = 0; i < terms; i++) {
		N(Vector) b[3];
		UNROLL for (int v = 0; v < vectors; v++)
			b[v] = part ? N(load_same)(y + i*ys, some) : N(load)(y + i*ys + v*VL);
		UNROLL for (int r = 0; r < rows; r++) {
			N(Vector) a = N(splat)(by_row ? x[r*xs + i] : x[i*xs + r]);
			UNROLL for (int v = 0; v < vectors; v++)
				acc[r][v] = N(fused)(a, b[v], acc[r][v]);
		}
	}
	UNROLL for (int r = 0; r < rows; r++)
		UNROLL for (int v = 0; v < vectors; v++)
			if (part)
				N(save_first)(c + r*cs, N(quiet)(acc[r][v]), some);
			else
				N(save)(c + r*cs + v*VL, N(quiet)(acc[r][v]));
}

/* Columns of the next tile when so many are left: of three vectors, but of 2 and 2 rather than 3 and 1; then less than
 * one vector. */
CORE_INLINE int64_t N(tile_width)(int64_t left)
{
	int64_t v = left/VL;
	return v == 0 ? left : (v > 4 || v == 3 ? 3 : v == 1 ? 1 : 2)*VL;
}

/* A tile of such a width.  A few shapes are compiled; other numbers of rows are made of them. */
CORE void N(tile)(int64_t rows, int64_t width, int by_row, int64_t terms, const R *x, int64_t xs, const R *y,
                  int64_t ys, R *c, int64_t cs, int begin)
{
	for (int64_t done, step = by_row ? xs : 1; rows; rows -= done, x += done*step, c += done*cs) {
		done = rows >= TILE_ROWS ? TILE_ROWS : rows >= 4 ? 4 : rows;
		switch (done*8 + width/VL*2 + by_row) {
#define SHAPE(r, v, o) case r*8 + v*2 + o: N(tile_of)(r, v, o, terms, x, xs, y, ys, c, cs, begin, width); break;
#define BOTH(r, v) SHAPE(r, v, 0) SHAPE(r, v, 1)
#define SHAPES(r) BOTH(r, 0) BOTH(r, 1) BOTH(r, 2) BOTH(r, 3)
		SHAPES(1) SHAPES(2) SHAPES(3) SHAPES(4)
#if TILE_ROWS == 8
		SHAPES(8)
#endif
#undef SHAPE
#undef BOTH
#undef SHAPES
		}
	}
}
