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
 * else at x[i*xs + r]. */
CORE_INLINE void N(tile_of)(int rows, int vectors, int by_row, int64_t terms, const R *x, int64_t xs, const R *y,
                            int64_t ys, R *c, int64_t cs, int begin)
{
	N(Vector) acc[TILE_ROWS][3];
	UNROLL for (int r = 0; r < rows; r++)
		UNROLL for (int v = 0; v < vectors; v++)
			acc[r][v] = begin ? N(splat)(-(R)0) : N(load)(c + r*cs + v*VL);
	for (int64_t i = 0; i < terms; i++) {
		N(Vector) b[3];
		UNROLL for (int v = 0; v < vectors; v++)
			b[v] = N(load)(y + i*ys + v*VL);
		UNROLL for (int r = 0; r < rows; r++) {
			N(Vector) a = N(splat)(by_row ? x[r*xs + i] : x[i*xs + r]);
			UNROLL for (int v = 0; v < vectors; v++)
				acc[r][v] = N(fused)(a, b[v], acc[r][v]);
		}
	}
	UNROLL for (int r = 0; r < rows; r++)
		UNROLL for (int v = 0; v < vectors; v++)
			N(save)(c + r*cs + v*VL, N(quiet)(acc[r][v]));
}

/* A few shapes are compiled; other numbers of rows are made of them. */
CORE void N(tile)(int64_t rows, int vectors, int by_row, int64_t terms, const R *x, int64_t xs, const R *y,
                  int64_t ys, R *c, int64_t cs, int begin)
{
	for (int64_t done, step = by_row ? xs : 1; rows; rows -= done, x += done*step, c += done*cs) {
		done = rows >= TILE_ROWS ? TILE_ROWS : rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
		switch (done*8 + vectors*2 + by_row) {
#define SHAPE(r, v, o) case r*8 + v*2 + o: N(tile_of)(r, v, o, terms, x, xs, y, ys, c, cs, begin); break;
#define SHAPES(r) SHAPE(r, 1, 0) SHAPE(r, 2, 0) SHAPE(r, 3, 0) SHAPE(r, 1, 1) SHAPE(r, 2, 1) SHAPE(r, 3, 1)
		SHAPES(1) SHAPES(2) SHAPES(4)
#if TILE_ROWS == 8
		SHAPES(8)
#endif
#undef SHAPE
#undef SHAPES
		}
	}
}
