/* streams.h - a vector x by a matrix y for R = float or double, as fast as memory gives y: in chains and in lanes,
 * where the columns of y are contiguous and where its rows are.
 *
 *   rows     add_terms      a few rows of y at once into the chains of all columns; of one lane after another, whose
 *                           lines of sums join as a counter of two digits counts
 *            group_rows     lanes of few terms, several at a time: their sums join in registers
 *   columns  chain_columns  squares of y are turned in registers: a chain for each number of a vector
 *            dots           lanes along the column
 */

/* ---- rows of y ---- */

/* What there is of each term: from at + t*step on. */
typedef struct N(Terms) {
	const R *at;
	int64_t step;
} N(Terms);

/* c[j] goes on with (or begins) its chain for columns j < width.  Then the lines before c, ls apart, join it, and it
 * goes to the first of them.  Lines have room for whole vectors. */
typedef struct N(Line) {
	R *c;
	int64_t width;
	int begin;
	int64_t joins, ls;
} N(Line);

/* A line over `terms` of x's number t by y's row t. */
CORE_INLINE void N(add_terms_of)(int terms, N(Terms) x, N(Terms) y, N(Line) line)
{
	N(Vector) a[8], s[4];
	const int64_t width = line.width, joins = line.joins, ls = line.ls, ys = y.step;
	const int begin = line.begin;
	const R *c = line.c;
	R *to = line.c - joins*ls;
	UNROLL for (int t = 0; t < terms; t++)
		a[t] = N(splat)(x.at[t*x.step]);
	int64_t j = 0;
	for (; j + 4*VL <= width; j += 4*VL) {
		UNROLL for (int v = 0; v < 4; v++)
			s[v] = begin ? N(splat)(-(R)0) : N(load)(c + j + v*VL);
		UNROLL for (int t = 0; t < terms; t++)
			UNROLL for (int v = 0; v < 4; v++)
				s[v] = N(fused)(a[t], N(load)(y.at + t*ys + j + v*VL), s[v]);
		for (int64_t i = 1; i <= joins; i++)
			UNROLL for (int v = 0; v < 4; v++)
				s[v] = N(load)(c - i*ls + j + v*VL) + s[v];
		UNROLL for (int v = 0; v < 4; v++)
			N(save)(to + j + v*VL, s[v]);
	}
	for (; j < width; j += VL) {
		int64_t n = least(VL, width - j);
		s[0] = begin ? N(splat)(-(R)0) : N(load)(c + j);
		UNROLL for (int t = 0; t < terms; t++)
			s[0] = N(fused)(a[t], N(load_same)(y.at + t*ys + j, n), s[0]);
		for (int64_t i = 1; i <= joins; i++)
			s[0] = N(load)(c - i*ls + j) + s[0];
		N(save)(to + j, s[0]);
	}
}

/* Some terms at a time. */
CORE void N(add_terms)(int64_t terms, N(Terms) x, N(Terms) y, N(Line) line)
{
	const int64_t joins = line.joins;
	for (int64_t done; terms > 0; terms -= done, x.at += done*x.step, y.at += done*y.step, line.begin = 0) {
		done = terms >= 8 ? 8 : terms >= 4 ? 4 : terms >= 2 ? 2 : 1;
		line.joins = done == terms ? joins : 0;
		switch (done) {
		case 8: N(add_terms_of)(8, x, y, line); break;
		case 4: N(add_terms_of)(4, x, y, line); break;
		case 2: N(add_terms_of)(2, x, y, line); break;
		default: N(add_terms_of)(1, x, y, line);
		}
	}
}

/* ---- rows of y, several lanes at a time ---- */

/* Lanes that join with each other, of one block: eight are first + step*0, 4, 2, 6, 1, 5, 3 and 7; fewer so, too. */
typedef struct N(Lanes) {
	int64_t terms, first, step;
	const R *x, *y;
	int64_t ys;
} N(Lanes);

/* The sums of some lanes of `vectors` vectors of columns (of n numbers: of less than one), joined: those that wait stay
 * in registers, one for each digit of the lane's place. */
CORE_INLINE void N(lane_sums)(int lanes, int vectors, const N(Lanes) *g, int64_t j, int64_t n, N(Vector) s[4])
{
	N(Vector) waits[3][4];
	UNROLL for (int l = 0; l < lanes; l++) {
		int turned = (l & 1)*lanes/2 + (l >> 1 & 1)*lanes/4 + (l >> 2)*lanes/8, digit = 0;
		UNROLL for (int v = 0; v < vectors; v++)
			s[v] = N(splat)(-(R)0);
		for (int64_t i = g->first + turned*g->step; i < g->terms; i += 256/R_BYTES) {
			const R *p = g->y + i*g->ys + j;
			UNROLL for (int v = 0; v < vectors; v++)
				s[v] = N(fused)(N(splat)(g->x[i]), n ? N(load_same)(p, n) : N(load)(p + v*VL), s[v]);
		}
		UNROLL for (; l >> digit & 1; digit++)
			UNROLL for (int v = 0; v < vectors; v++)
				s[v] = waits[digit][v] + s[v];
		UNROLL for (int v = 0; v < vectors && digit < 3; v++)
			waits[digit][v] = s[v];
	}
}

/* c gets the sums of some lanes, for `width` columns; then the lines before c, as in add_terms_of. */
CORE_INLINE void N(lane_group)(int lanes, const N(Lanes) *g, R *c, int64_t width, int64_t joins, int64_t ls)
{
	enum { STEP = 4 };
	N(Vector) s[4];
	R *to = c - joins*ls;
	int64_t j = 0;
	for (; j + STEP*VL <= width; j += STEP*VL) {
		N(lane_sums)(lanes, STEP, g, j, 0, s);
		for (int64_t i = 1; i <= joins; i++)
			UNROLL for (int v = 0; v < STEP; v++)
				s[v] = N(load)(c - i*ls + j + v*VL) + s[v];
		UNROLL for (int v = 0; v < STEP; v++)
			N(save)(to + j + v*VL, s[v]);
	}
	for (; j < width; j += VL) {
		N(lane_sums)(lanes, 1, g, j, least(VL, width - j), s);
		for (int64_t i = 1; i <= joins; i++)
			s[0] = N(load)(c - i*ls + j) + s[0];
		N(save)(to + j, s[0]);
	}
}

/* Lanes of a group: its rows of y are some sixteen streams.  Of 16 registers, lanes of many terms take too many. */
CORE_INLINE int64_t N(group_of)(int64_t terms)
{
	int64_t rounds = cut_in(terms, 256/R_BYTES);
	return rounds <= 2 ? 8 : CORE_ISA < 2 || rounds > 8 ? 1 : rounds <= 4 ? 4 : 2;
}

/* A block of some columns in groups of 8, 4 or 2 lanes.  Groups come as lanes do in lane_rows. */
CORE void N(group_rows)(int64_t group, int64_t lanes, N(Lanes) g, R *line, int64_t width)
{
	int64_t ls = line_numbers(width, R_BYTES);
	R *top = line;
	g.step = lanes/group;
	for (int64_t i = 0, joins; i < lanes/group; i++, top += (1 - joins)*ls) {
		for (joins = 0; i >> joins & 1;)
			joins++;
		switch (group) {
		case 8: N(lane_group)(8, &g, top, width, joins, ls); break;
		case 4: N(lane_group)(4, &g, top, width, joins, ls); break;
		default: N(lane_group)(2, &g, top, width, joins, ls);
		}
		int64_t half = g.step/2;
		for (; g.first & half; half /= 2)
			g.first -= half;
		g.first += half;
	}
}

/* The chains of VL columns go on over terms [from, to). */
CORE N(Vector) N(few_terms)(int64_t from, int64_t to, const R *x, const R *const *column, N(Vector) s)
{
	for (int64_t i = from; i < to; i++) {
		R some[VL];
		for (int l = 0; l < VL; l++)
			some[l] = column[l][i];
		s = N(fused)(N(splat)(x[i]), N(load)(some), s);
	}
	return s;
}

/* Terms by contiguous columns, of which `head` come before the squares. */
typedef struct N(Columns) {
	int64_t head, terms;
	const R *x;
	N(Terms) y;                      /* column j from at + j*step on */
	int64_t width;
} N(Columns);

/* c[j] begins its chain, for `groups` times VL columns from j on; those behind the last column are the last again.
 * Groups are independent: the chains of one run while squares of the other are turned. */
CORE_INLINE void N(chains_of)(int groups, const N(Columns) *p, int64_t j, R *c)
{
	const R *column[2][VL], *x = p->x;
	N(Vector) s[2], r[VL];
	const int64_t head = p->head, terms = p->terms;
	int64_t i = head;
	UNROLL for (int g = 0; g < groups; g++) {
		for (int l = 0; l < VL; l++)
			column[g][l] = p->y.at + least(j + g*VL + l, p->width - 1)*p->y.step;
		s[g] = N(few_terms)(0, head, x, column[g], N(splat)(-(R)0));
	}
	for (; i + VL <= terms; i += VL)
		UNROLL for (int g = 0; g < groups; g++) {
			UNROLL for (int l = 0; l < VL; l++)
				r[l] = N(load)(column[g][l] + i);
			N(turn_vectors)(r);
			UNROLL for (int l = 0; l < VL; l++)
				s[g] = N(fused)(N(splat)(x[i + l]), r[l], s[g]);
		}
	UNROLL for (int g = 0; g < groups; g++)
		N(save)(c + j + g*VL, N(few_terms)(i, terms, x, column[g], s[g]));
}

/* Squares of long columns begin where lines of the cache do, if those of all do: many columns meet in few sets, and no
 * line is to be asked for twice. */
CORE void N(chain_columns)(int64_t terms, const R *x, N(Terms) y, R *c, int64_t width)
{
	int64_t past = (int64_t)((__UINTPTR_TYPE__)y.at % V_BYTES)/R_BYTES, j = 0;
	N(Columns) p = { past && y.step % VL == 0 && terms >= 32*VL ? VL - past : 0, terms, x, y, width };
	for (; VL <= 8 && j + VL < width; j += 2*VL)             /* 32 columns would meet in too few sets */
		N(chains_of)(2, &p, j, c);
	for (; j < width; j += VL)
		N(chains_of)(1, &p, j, c);
}

/* ---- few columns, in lanes ---- */

enum { N(LANES) = 256/R_BYTES, N(LANE_VECTORS) = 256/V_BYTES };

/* Some neighbouring lanes from g->first on, of so many vectors of columns, to their lines. */
CORE_INLINE void N(lanes_of)(int lanes, int vectors, const N(Lanes) *g, R *lines, int64_t width)
{
	N(Vector) s[8][4];
	const int64_t ls = vectors*VL, n = width - ls + VL, terms = g->terms - g->first, ys = g->ys;
	const R *x = g->x + g->first, *y = g->y + g->first*ys;
	R *line = lines + g->first*ls;
	UNROLL for (int l = 0; l < lanes; l++)
		UNROLL for (int v = 0; v < vectors; v++)
			s[l][v] = N(splat)(-(R)0);
	for (int64_t i = 0; i < terms; i += N(LANES))
		UNROLL for (int l = 0; l < lanes; l++)
			if (i + l < terms)
				UNROLL for (int v = 0; v < vectors; v++) {
					const R *p = y + (i + l)*ys + v*VL;
					s[l][v] = N(fused)(N(splat)(x[i + l]), v + 1 < vectors ? N(load)(p) : N(load_same)(p, n), s[l][v]);
				}
	UNROLL for (int l = 0; l < lanes; l++)
		UNROLL for (int v = 0; v < vectors; v++)
			N(save)(line + l*ls + v*VL, s[l][v]);
}

/* A block of at most 4*VL columns: each lane has its line; the sums come into the first. */
CORE void N(lane_lines)(N(Lanes) g, R *line, int64_t width)
{
	int64_t vectors = cut_in(width, VL), ls = vectors*VL, step = vectors == 1 ? 8 : vectors == 2 ? 4 : 2;
	for (; g.first < least(g.terms, N(LANES)); g.first += step)
		switch (vectors) {
		case 1: N(lanes_of)(8, 1, &g, line, width); break;
		case 2: N(lanes_of)(4, 2, &g, line, width); break;
		case 3: N(lanes_of)(2, 3, &g, line, width); break;
		default: N(lanes_of)(2, 4, &g, line, width);
		}
	for (int64_t h = N(LANES)/2; h; h /= 2)
		for (int64_t l = 0; l < h && l + h < g.terms; l++)
			for (int64_t j = 0; j < ls; j += VL)
				N(save)(line + l*ls + j, N(load)(line + l*ls + j) + N(load)(line + (l + h)*ls + j));
}

/* ---- columns of y, in lanes ---- */

#if CORE_ISA == 2
#define DOTS 4
#else
#define DOTS 1
#endif

/* Lanes of `rows` dot products over a round of less than all lanes; those that get no term get 0 times -0, which changes
 * no sum. */
CORE_INLINE void N(lanes_rest)(int rows, int vectors, N(Vector) acc[DOTS][N(LANE_VECTORS)], int64_t terms, N(Terms) x,
                               const R *y)
{
	UNROLL for (int v = 0; v < vectors; v++) {
		int64_t n = terms - v*VL;
		if (n <= 0)
			break;
		N(Vector) b = n >= VL ? N(load)(y + v*VL) : N(load_first_minus)(y + v*VL, n);
		UNROLL for (int r = 0; r < rows; r++) {
			const R *p = x.at + r*x.step + v*VL;
			acc[r][v] = N(fused)(n >= VL ? N(load)(p) : N(load_first)(p, n), b, acc[r][v]);
		}
	}
}

CORE_INLINE void N(lanes_step)(int rows, N(Vector) acc[DOTS][N(LANE_VECTORS)], N(Terms) x, const R *y)
{
	UNROLL for (int v = 0; v < N(LANE_VECTORS); v++) {
		N(Vector) b = N(load)(y + v*VL);
		UNROLL for (int r = 0; r < rows; r++)
			acc[r][v] = N(fused)(N(load)(x.at + r*x.step + v*VL), b, acc[r][v]);
	}
}

/* One block of `rows` dot products of contiguous terms, which reach that many vectors of lanes: joined as far as whole
 * vectors go. */
CORE_INLINE void N(dots_of)(int rows, int vectors, int64_t terms, N(Terms) x, const R *y, N(Vector) *result)
{
	N(Vector) acc[DOTS][N(LANE_VECTORS)];
	UNROLL for (int r = 0; r < rows; r++)
		UNROLL for (int v = 0; v < vectors; v++)
			acc[r][v] = N(splat)(-(R)0);
	int64_t i = 0;
	for (; vectors == N(LANE_VECTORS) && i + N(LANES) <= terms; i += N(LANES), x.at += N(LANES))
		N(lanes_step)(rows, acc, x, y + i);
	N(lanes_rest)(rows, vectors, acc, terms - i, x, y + i);
	UNROLL for (int r = 0; r < rows; r++) {
		UNROLL for (int h = vectors/2; h; h /= 2)
			UNROLL for (int v = 0; v < h; v++)
				acc[r][v] = acc[r][v] + acc[r][v + h];
		result[r] = acc[r][0];
	}
}

/* Rows of x by y, of terms in that many vectors of lanes. */
CORE_INLINE void N(dots_in)(int vectors, int64_t rows, int64_t terms, N(Terms) x, const R *y, R *result)
{
	N(Vector) lane[VL];
	int64_t r = 0, i = 0;
	for (; r + VL <= rows; r += VL) {
		UNROLL for (int l = 0; l < VL; l += DOTS)
			N(dots_of)(DOTS, vectors, terms, (N(Terms)){ x.at + (r + l)*x.step, x.step }, y, lane + l);
		N(save)(result + r, N(join_lanes)(lane));
	}
	if (r == rows)
		return;
	for (; i < rows - r; i++)
		N(dots_of)(1, vectors, terms, (N(Terms)){ x.at + (r + i)*x.step, x.step }, y, lane + i);
	for (; i < VL; i++)
		lane[i] = N(splat)(0);
	N(Vector) sum = N(join_lanes)(lane);
	for (i = 0; i < rows - r; i++)
		result[r + i] = sum[i];
}

CORE void N(dots)(int64_t rows, int64_t terms, N(Terms) x, const R *y, R *result)
{
	if (terms <= VL)
		N(dots_in)(1, rows, terms, x, y, result);
	else if (terms <= 2*VL)
		N(dots_in)(2, rows, terms, x, y, result);
	else
		N(dots_in)(N(LANE_VECTORS), rows, terms, x, y, result);
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
