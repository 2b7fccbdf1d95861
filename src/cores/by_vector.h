/* by_vector.h - a vector x by a matrix y, of floats stored as T and accumulated in R, block by block.
 *
 * Before: streams.h for R; T, S(name), TO_R, FROM_R and SAME as for contract.h.  y is read where it lies if it is of
 * R and its rows or columns are contiguous; else pieces of it are packed as rows.
 */

typedef struct S(Product) {
	const Contraction *c;
	int64_t width;
	R *line, *packed;                /* scratch: lines of lanes that wait for others; pieces of y */
} S(Product);

/* Rows of y, yk apart, that come into the chains of a line, then joined to the lines before: where they lie, or packed
 * first. */
CORE void S(add_rows)(const S(Product) *p, int64_t terms, N(Terms) x, const T *y, int64_t yk, N(Line) line)
{
	int64_t ps = whole(line.width, VL), most = p->c->lanes ? N(LANES) : STREAM_TERMS, joins = line.joins;
	if (SAME && p->c->yn == 1) {
		N(add_terms)(terms, x, (N(Terms)){ (const R *)(const void *)y, yk }, line);
		return;
	}
	for (int64_t i = 0, some; i < terms; i += some, x.at += some*x.step, line.begin = 0) {
		some = least(most, terms - i);
		S(pack)(p->packed, ps, (S(Matrix)){ y + i*yk, yk, p->c->yn }, some, line.width);
		line.joins = i + some < terms ? 0 : joins;
		N(add_terms)(some, x, (N(Terms)){ p->packed, ps }, line);
	}
}

/* A block of some columns in lanes.  They come in the order in which they join, that of their numbers' digits turned:
 * 0, 32, 16, 48, 8, ...: those that wait lie in lines one after another, as the digits of a counter. */
CORE R *S(lane_rows)(const S(Product) *p, int64_t terms, const R *x, const T *y, int64_t width)
{
	N(Lanes) all = { .terms = terms, .x = x, .y = (const R *)(const void *)y, .ys = p->c->yk };
	if (SAME && p->c->yn == 1 && width <= 4*VL) {
		N(lane_lines)(all, p->line, width);
		return p->line;
	}
	int64_t lanes = 1, ls = line_numbers(width, R_BYTES), yk = p->c->yk;
	while (lanes < N(LANES) && lanes < terms)
		lanes *= 2;
	int64_t group = least(N(group_of)(terms), lanes);
	if (SAME && p->c->yn == 1 && group > 1) {
		N(group_rows)(group, lanes, all, p->line, width);
		return p->line;
	}
	R *top = p->line;
	for (int64_t i = 0, lane = 0; i < lanes; i++) {
		int64_t joins = 0, rounds = terms > lane ? cut_in(terms - lane, N(LANES)) : 0, half = lanes/2;
		for (; i >> joins & 1; joins++)
			continue;
		if (rounds > 0)
			S(add_rows)(p, rounds, (N(Terms)){ x + lane, N(LANES) }, y + lane*yk, N(LANES)*yk,
			            (N(Line)){ top, width, 1, joins, ls });
		else if (joins > 1)              /* a lane without terms: what waits for it goes on */
			N(add_terms_of)(0, (N(Terms)){ x, 0 }, (N(Terms)){ x, 0 }, (N(Line)){ top - ls, width, 0, joins - 1, ls });
		top += (1 - joins)*ls;
		for (; lane & half; half /= 2)
			lane -= half;
		lane += half;
	}
	return p->line;
}

/* A block of some columns, whose rows are read. */
CORE void S(rows_block)(const S(Product) *p, int64_t terms, const R *x, const T *y, R *c, int64_t width)
{
	if (p->c->lanes)
		__builtin_memcpy(c, S(lane_rows)(p, terms, x, y, width), (uint64_t)width*sizeof(R));
	else
		S(add_rows)(p, terms, (N(Terms)){ x, 1 }, y, p->c->yk, (N(Line)){ .c = c, .width = width, .begin = 1 });
}

/* A block of dot products with columns that are contiguous. */
CORE void S(columns_block)(const S(Product) *p, int64_t terms, const R *x, const T *y, R *c)
{
	int64_t yn = p->c->yn;
	if (SAME) {
		N(dots)(p->width, terms, (N(Terms)){ (const R *)(const void *)y, yn }, x, c);
		return;
	}
	for (int64_t j = 0, some; j < p->width; j += some) {
		some = least(TILE_MOST, p->width - j);
		S(pack)(p->packed, terms, (S(Matrix)){ y + j*yn, yn, 1 }, some, terms);
		N(dots)(some, terms, (N(Terms)){ p->packed, terms }, x, c + j);
	}
}

CORE void S(product_block)(const S(Product) *p, int64_t terms, const R *x, const T *y, R *c)
{
	const Contraction *a = p->c;
	if (a->yk == 1 && a->lanes && (a->yn != 1 || a->n == 1))
		S(columns_block)(p, terms, x, y, c);
	else if (a->yk == 1 && a->yn != 1 && !a->lanes && SAME)
		N(chain_columns)(terms, x, (N(Terms)){ (const R *)(const void *)y, a->yn }, c, p->width);
	else {
		int64_t step = SAME && a->yn == 1 ? a->lanes ? STREAM_BYTES/R_BYTES : p->width : STREAM_PACKED;
		for (int64_t j = 0; j < p->width; j += step)
			S(rows_block)(p, terms, x, y + j*a->yn, c + j, least(step, p->width - j));
	}
}

CORE void S(by_vector)(const Contraction *c, const T *x, const T *y, T *out, int64_t width, void *scratch)
{
	R *terms = scratch, *line = terms + whole(least(c->k, TERMS), 16);
	R *packed = line + stream_line(c, R_BYTES), *kept = packed + stream_packed(c), *top = kept;
	S(Product) p = { c, width, line, packed };
	int64_t size = whole(width, 16);
	for (int64_t b = 0; b*TERMS < c->k; b++, y += TERMS*c->yk, x += TERMS*c->xk) {
		int64_t some = least(c->k - b*TERMS, TERMS);
		int straight = SAME && c->xk == 1;
		if (!straight)
			S(pack)(terms, some, (S(Matrix)){ x, 0, c->xk }, 1, some);
		S(product_block)(&p, some, straight ? (const R *)(const void *)x : terms, y, top);
		top = N(join_block)(top, size, b);
	}
	N(join_rest)(kept, top, size);
	for (int64_t j = 0; j < width; j++)
		out[j] = FROM_R(kept[j]);
}
