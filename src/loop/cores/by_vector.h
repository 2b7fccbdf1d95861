/* by_vector.h - a vector x by a matrix y, of floats stored as T and accumulated in R, block by block.
 *
 * Before: streams.h for R; T, S(name), TO_R, FROM_R and SAME as for contract.h.  y is read where it lies if it is of
 * R and its rows or columns are contiguous; else pieces of it are packed as rows.
 */

typedef struct S(Product) {
	const Contraction *c;
	const T *y, *end;                /* of the first column; the end of the matrix */
	int64_t width;
	R *line, *packed;                /* scratch: accumulators of lanes; pieces of y */
} S(Product);

/* Rows [first, first + terms) of a block, of some columns: into lines of lanes, or into the chains c. */
CORE void S(add_rows)(const S(Product) *p, int64_t first, int64_t terms, const R *x, const R *y, int64_t ys,
                      const R *end, R *c, int64_t width)
{
	if (p->c->lanes)
		N(lane_rows)(terms, x + first, y, ys, end, p->line, whole(width, VL), width, first == 0);
	else
		N(add_terms)(terms, x + first, 1, y, ys, end, c, width, first == 0);
}

/* A block of some columns, whose rows are read where they lie or packed first. */
CORE void S(rows_block)(const S(Product) *p, int64_t terms, const R *x, const T *y, R *c, int64_t width)
{
	const Contraction *a = p->c;
	if (SAME && a->yn == 1)
		S(add_rows)(p, 0, terms, x, (const R *)(const void *)y, a->yk, (const R *)(const void *)p->end, c, width);
	else
		for (int64_t i = 0, ys = whole(width, VL), some; i < terms; i += some) {
			some = least(STREAM_TERMS, terms - i);
			S(pack)(p->packed, ys, y + i*a->yk, a->yk, a->yn, some, width);
			S(add_rows)(p, i, some, x, p->packed, ys, p->packed + some*ys, c, width);
		}
	if (a->lanes) {
		N(join_lane_rows)(p->line, whole(width, VL), terms);
		__builtin_memcpy(c, p->line, (uint64_t)width*sizeof(R));
	}
}

/* A block of dot products with columns that are contiguous. */
CORE void S(columns_block)(const S(Product) *p, int64_t terms, const R *x, const T *y, R *c)
{
	for (int64_t j = 0, some; j < p->width; j += some, y += some*p->c->yn) {
		some = SAME ? p->width : least(TILE_MOST, p->width - j);
		const R *column = (const R *)(const void *)y;
		if (!SAME) {
			S(pack)(p->packed, terms, y, p->c->yn, 1, some, terms);
			column = p->packed;
		}
		N(dots)(some, terms, column, SAME ? p->c->yn : terms, SAME ? (const R *)(const void *)p->end : column + some*terms,
		        x, c + j);
	}
}

CORE void S(product_block)(const S(Product) *p, int64_t terms, const R *x, const T *y, R *c)
{
	const Contraction *a = p->c;
	if (a->yk == 1 && a->lanes && terms >= 2*VL)     /* shorter ones are turned and added up side by side */
		S(columns_block)(p, terms, x, y, c);
	else if (a->yk == 1 && a->yn != 1 && !a->lanes && SAME)
		N(chain_columns)(terms, x, (const R *)(const void *)y, a->yn, c, p->width, 1);
	else {
		int64_t lines = (terms > 4*N(LANES) ? STREAM_BYTES : STREAM_BYTES/4)/R_BYTES;
		int64_t step = SAME && a->yn == 1 ? a->lanes ? lines : p->width : STREAM_PACKED;
		for (int64_t j = 0; j < p->width; j += step)
			S(rows_block)(p, terms, x, y + j*a->yn, c + j, least(step, p->width - j));
	}
}

CORE void S(by_vector)(const Contraction *c, const T *x, const T *y, const T *end, T *out, int64_t width, void *scratch)
{
	R *terms = scratch, *line = terms + whole(least(c->k, TERMS), 16);
	R *packed = line + stream_line(c, R_BYTES), *kept = packed + stream_packed(c), *top = kept;
	S(Product) p = { c, y, end, width, line, packed };
	int64_t size = whole(width, 16);
	for (int64_t b = 0; b*TERMS < c->k; b++, p.y += TERMS*c->yk, x += TERMS*c->xk) {
		int64_t some = least(c->k - b*TERMS, TERMS);
		int straight = SAME && c->xk == 1;
		if (!straight)
			S(pack)(terms, some, x, 0, c->xk, 1, some);
		S(product_block)(&p, some, straight ? (const R *)(const void *)x : terms, p.y, top);
		top = N(join_block)(top, size, b);
	}
	N(join_rest)(kept, top, size);
	for (int64_t j = 0; j < width; j++)
		out[j] = FROM_R(kept[j]);
}
