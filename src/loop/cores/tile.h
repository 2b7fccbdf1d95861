/* tile.h - the register tile of a contraction in chains, and dot products in lanes, for R = float or double.
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

/* ---- lanes ---- */

enum { N(LANES) = 256/R_BYTES, N(LANE_VECTORS) = 256/V_BYTES };

#if CORE_ISA == 2
#define DOTS 4
#else
#define DOTS 1
#endif

/* Lane l joined with l + h, h halving; vectors first, then numbers. */
CORE_INLINE R N(join_lanes)(N(Vector) *acc)
{
	R lane[VL];
	UNROLL for (int h = N(LANE_VECTORS)/2; h; h /= 2)
		UNROLL for (int l = 0; l < h; l++)
			acc[l] = acc[l] + acc[l + h];
	N(save)(lane, acc[0]);
	UNROLL for (int h = VL/2; h; h /= 2)
		UNROLL for (int l = 0; l < h; l++)
			lane[l] = lane[l] + lane[l + h];
	return lane[0];
}

CORE_INLINE void N(lanes_step)(int rows, N(Vector) acc[DOTS][N(LANE_VECTORS)], const R *x, int64_t xs, const R *y)
{
	UNROLL for (int v = 0; v < N(LANE_VECTORS); v++) {
		N(Vector) b = N(load)(y + v*VL);
		UNROLL for (int r = 0; r < rows; r++)
			acc[r][v] = N(fused)(N(load)(x + r*xs + v*VL), b, acc[r][v]);
	}
}

/* One block of `rows` dot products of contiguous terms.  The last, short round of lanes is filled with -0 and +0,
 * whose product -0 changes no sum. */
CORE_INLINE void N(dots_of)(int rows, int64_t terms, const R *x, int64_t xs, const R *y, R *result)
{
	N(Vector) acc[DOTS][N(LANE_VECTORS)];
	UNROLL for (int r = 0; r < rows; r++)
		UNROLL for (int v = 0; v < N(LANE_VECTORS); v++)
			acc[r][v] = N(splat)(-(R)0);
	int64_t i = 0;
	for (; i + N(LANES) <= terms; i += N(LANES))
		N(lanes_step)(rows, acc, x + i, xs, y + i);
	if (i < terms) {
		R a[DOTS*N(LANES)], b[N(LANES)];
		for (int l = 0; l < N(LANES); l++)
			b[l] = l < terms - i ? y[i + l] : 0;
		for (int r = 0; r < rows; r++)
			for (int l = 0; l < N(LANES); l++)
				a[r*N(LANES) + l] = l < terms - i ? x[r*xs + i + l] : -(R)0;
		N(lanes_step)(rows, acc, a, N(LANES), b);
	}
	UNROLL for (int r = 0; r < rows; r++)
		result[r] = N(join_lanes)(acc[r]);
}

CORE void N(dots)(int64_t rows, int64_t terms, const R *x, int64_t xs, const R *y, R *result)
{
	for (; rows >= DOTS && DOTS > 1; rows -= DOTS, x += DOTS*xs, result += DOTS)
		N(dots_of)(DOTS, terms, x, xs, y, result);
	for (; rows > 0; rows--, x += xs, result++)
		N(dots_of)(1, terms, x, xs, y, result);
}

/* ---- neighbours join ---- */

/* The results of blocks wait in arrays of `size` one after another from `first`; that of block b has just been
 * made at `top`.  Gives where the next goes. */
CORE R *N(join_block)(R *top, int64_t size, int64_t b)
{
	for (; b & 1; b >>= 1) {
		top -= size;
		for (int64_t j = 0; j < size; j++)
			top[j] = top[j] + top[j + size];
	}
	return top + size;
}

/* After the last: what waits joins from the right; the result is in `first`. */
CORE void N(join_rest)(R *first, R *top, int64_t size)
{
	for (top -= size; top > first; top -= size)
		for (int64_t j = 0; j < size; j++)
			top[j - size] = top[j - size] + top[j];
}
