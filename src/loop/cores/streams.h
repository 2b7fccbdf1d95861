/* streams.h - a vector x by a matrix y for R = float or double, as fast as memory gives y: in chains and in lanes,
 * where the columns of y are contiguous and where its rows are.
 *
 *   chains, rows     add_terms      a few rows of y at once into the chains of all columns
 *   chains, columns  chain_columns  squares of y are turned in registers: a chain for each number of a vector
 *   lanes, rows      lane_rows      as the first, the rows of each lane into its own line of accumulators
 *   lanes, columns   dots           lanes along the column
 */

/* ---- chains ---- */

/* The n numbers at p, and what is after them if it ends before `end`. */
CORE_INLINE N(Vector) N(load_some)(const R *p, int64_t n, const R *end)
{
	if (p + VL <= end)
		return N(load)(p);
	R some[VL];
	for (int l = 0; l < VL; l++)
		some[l] = l < n ? p[l] : 0;
	return N(load)(some);
}

/* c[j] goes on with (or begins) its chain over `terms` of x[t*xs]*y[t*ys + j].  c has room for whole vectors. */
CORE_INLINE void N(add_terms_of)(int terms, const R *x, int64_t xs, const R *y, int64_t ys, const R *end, R *c,
                                 int64_t width, int begin)
{
	N(Vector) a[4], s[4];
	UNROLL for (int t = 0; t < terms; t++)
		a[t] = N(splat)(x[t*xs]);
	int64_t j = 0;
	for (; j + 4*VL <= width; j += 4*VL) {
		UNROLL for (int v = 0; v < 4; v++)
			s[v] = begin ? N(splat)(-(R)0) : N(load)(c + j + v*VL);
		UNROLL for (int t = 0; t < terms; t++)
			UNROLL for (int v = 0; v < 4; v++)
				s[v] = N(fused)(a[t], N(load)(y + t*ys + j + v*VL), s[v]);
		UNROLL for (int v = 0; v < 4; v++)
			N(save)(c + j + v*VL, s[v]);
	}
	for (; j < width; j += VL) {
		s[0] = begin ? N(splat)(-(R)0) : N(load)(c + j);
		UNROLL for (int t = 0; t < terms; t++)
			s[0] = N(fused)(a[t], N(load_some)(y + t*ys + j, width - j, end), s[0]);
		N(save)(c + j, s[0]);
	}
}

CORE void N(add_terms)(int64_t terms, const R *x, int64_t xs, const R *y, int64_t ys, const R *end, R *c,
                       int64_t width, int begin)
{
	for (; terms >= 4; terms -= 4, x += 4*xs, y += 4*ys, begin = 0)
		N(add_terms_of)(4, x, xs, y, ys, end, c, width, begin);
	for (; terms > 0; terms--, x += xs, y += ys, begin = 0)
		N(add_terms_of)(1, x, xs, y, ys, end, c, width, begin);
}

/* The same where column j is y + j*ys; terms are contiguous. */
CORE void N(chain_columns)(int64_t terms, const R *x, const R *y, int64_t ys, R *c, int64_t width, int begin)
{
	for (int64_t j = 0; j < width; j += VL) {
		int64_t last = least(VL, width - j) - 1, i = 0;
		N(Vector) s = begin ? N(splat)(-(R)0) : N(load)(c + j), r[VL];
		const R *column[VL];
		for (int l = 0; l < VL; l++)
			column[l] = y + (j + least(l, last))*ys;
		for (; i + VL <= terms; i += VL) {
			UNROLL for (int l = 0; l < VL; l++)
				r[l] = N(load)(column[l] + i);
			N(turn_vectors)(r);
			UNROLL for (int l = 0; l < VL; l++)
				s = N(fused)(N(splat)(x[i + l]), r[l], s);
		}
		for (; i < terms; i++) {
			R some[VL];
			for (int l = 0; l < VL; l++)
				some[l] = column[l][i];
			s = N(fused)(N(splat)(x[i]), N(load)(some), s);
		}
		N(save)(c + j, s);
	}
}

/* ---- lanes ---- */

enum { N(LANES) = 256/R_BYTES, N(LANE_VECTORS) = 256/V_BYTES };

#if CORE_ISA == 2
#define DOTS 4
#else
#define DOTS 1
#endif

/* Lanes past `terms` of the vectors that begin with lane `first` are `nothing`. */
CORE_INLINE N(Vector) N(only)(N(Vector) v, int64_t first, int64_t terms, R nothing)
{
	typedef BITS Mask __attribute__((vector_size(V_BYTES)));
	Mask lane, in;
	for (int l = 0; l < VL; l++)
		lane[l] = l;
	in = lane < (Mask)(lane - lane + (BITS)(terms - first));
	return (N(Vector))((in & (Mask)v) | (~in & (Mask)N(splat)(nothing)));
}

/* Lanes of `rows` dot products over a short round of `terms`; those that get no term get -0 times +0, which changes no
 * sum. */
CORE_INLINE void N(lanes_rest)(int rows, N(Vector) acc[DOTS][N(LANE_VECTORS)], int64_t terms, const R *x, int64_t xs,
                               const R *end, const R *y)
{
	UNROLL for (int v = 0; v < N(LANE_VECTORS); v++) {
		int64_t i = v*VL, n = least(VL, terms - i);
		if (n <= 0)
			break;
		N(Vector) b = N(only)(N(load_some)(y + i, n, y + terms), i, terms, 0);
		UNROLL for (int r = 0; r < rows; r++)
			acc[r][v] = N(fused)(N(only)(N(load_some)(x + r*xs + i, n, end), i, terms, -(R)0), b, acc[r][v]);
	}
}

CORE_INLINE void N(lanes_step)(int rows, N(Vector) acc[DOTS][N(LANE_VECTORS)], const R *x, int64_t xs, const R *y)
{
	UNROLL for (int v = 0; v < N(LANE_VECTORS); v++) {
		N(Vector) b = N(load)(y + v*VL);
		UNROLL for (int r = 0; r < rows; r++)
			acc[r][v] = N(fused)(N(load)(x + r*xs + v*VL), b, acc[r][v]);
	}
}

/* One block of `rows` dot products of contiguous terms: lanes joined as far as whole vectors go. */
CORE_INLINE void N(dots_of)(int rows, int64_t terms, const R *x, int64_t xs, const R *end, const R *y, N(Vector) *result)
{
	N(Vector) acc[DOTS][N(LANE_VECTORS)];
	UNROLL for (int r = 0; r < rows; r++)
		UNROLL for (int v = 0; v < N(LANE_VECTORS); v++)
			acc[r][v] = N(splat)(-(R)0);
	int64_t i = 0;
	for (; i + N(LANES) <= terms; i += N(LANES))
		N(lanes_step)(rows, acc, x + i, xs, y + i);
	if (i < terms)
		N(lanes_rest)(rows, acc, terms - i, x + i, xs, end, y + i);
	UNROLL for (int r = 0; r < rows; r++) {
		UNROLL for (int h = N(LANE_VECTORS)/2; h; h /= 2)
			UNROLL for (int v = 0; v < h; v++)
				acc[r][v] = acc[r][v] + acc[r][v + h];
		result[r] = acc[r][0];
	}
}

/* Lane l joined with l + h, h halving, of one vector for each of VL rows: turned, so that all rows join at once. */
CORE_INLINE N(Vector) N(join_lanes)(N(Vector) lane[VL])
{
	N(turn_vectors)(lane);
	UNROLL for (int h = VL/2; h; h /= 2)
		UNROLL for (int l = 0; l < h; l++)
			lane[l] = lane[l] + lane[l + h];
	return lane[0];
}

/* Rows of x, which ends at `end`, by y. */
CORE void N(dots)(int64_t rows, int64_t terms, const R *x, int64_t xs, const R *end, const R *y, R *result)
{
	for (int64_t r = 0; r < rows; r += VL) {
		N(Vector) lane[VL];
		int64_t here = least(VL, rows - r), i = 0;
		for (; i + DOTS <= here; i += DOTS)
			N(dots_of)(DOTS, terms, x + (r + i)*xs, xs, end, y, lane + i);
		for (; i < here; i++)
			N(dots_of)(1, terms, x + (r + i)*xs, xs, end, y, lane + i);
		for (; i < VL; i++)
			lane[i] = N(splat)(0);
		N(Vector) sum = N(join_lanes)(lane);
		for (i = 0; i < here; i++)
			result[r + i] = sum[i];
	}
}

/* acc[l*as + j] goes on with (or begins) lane l of column j, over `terms` rows of y; the first is of lane 0.  Four
 * rounds of the lanes at once, so that each line of acc is touched once for four rows of y. */
CORE void N(lane_rows)(int64_t terms, const R *x, const R *y, int64_t ys, const R *end, R *acc, int64_t as,
                       int64_t width, int begin)
{
	enum { L = N(LANES) };
	for (int64_t i = 0; i < terms; i += 4*L, begin = 0)
		for (int64_t l = i; l < least(i + L, terms); l++)
			if (terms - l > 3*L)
				N(add_terms_of)(4, x + l, L, y + l*ys, L*ys, end, acc + (l - i)*as, width, begin);
			else
				N(add_terms)(cut_in(terms - l, L), x + l, L, y + l*ys, L*ys, end, acc + (l - i)*as, width, begin);
}

/* The lanes of a block join in acc[0]; lanes after `terms` hold nothing. */
CORE void N(join_lane_rows)(R *acc, int64_t as, int64_t terms)
{
	for (int64_t h = N(LANES)/2; h; h /= 2)
		for (int64_t l = 0; l < h && l + h < terms; l++)
			for (int64_t j = 0; j < as; j += VL)
				N(save)(acc + l*as + j, N(load)(acc + l*as + j) + N(load)(acc + (l + h)*as + j));
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
