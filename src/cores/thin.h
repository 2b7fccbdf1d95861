/* thin.h - few rows by few columns over many blocks of terms, for contract.h: THIN_BLOCKS blocks side by side, as the
 * chains of one alone would wait for their own sums. */

CORE int S(is_thin)(const S(Region) *g)
{
	return g->c->k >= THIN_BLOCKS*TERMS && g->c->yn == 1 && g->rows <= THIN_ROWS && g->width <= THIN_VECTORS*VL;
}

/* Whether rows of x are read where they lie. */
CORE int S(is_straight)(const Contraction *p) { return SAME && (p->xk == 1 || p->xm == 1); }

/* `terms` of each of some blocks: into c, where the results of blocks lie one after another. */
CORE void S(thin_piece)(const S(Region) *g, int64_t first, int64_t terms, int64_t blocks, R *c, int begin)
{
	const Contraction *p = g->c;
	int by_row = p->xk == 1, straight = S(is_straight)(p);
	const T *x = g->x + first*p->xk, *y = g->y + first*p->yk;
	N(Tile) t = { terms, (const R *)(const void *)x, 0, by_row ? p->xm : p->xk, p->yk, TERMS*p->xk, TERMS*p->yk, 0,
	              g->width, begin };
	if (!straight)
		t.x = g->strips, t.xs = g->rows, t.xb = terms*g->rows;
	for (int64_t q = 0; !straight && q < blocks; q++)
		S(pack)(g->strips + q*t.xb, t.xs, (S(Matrix)){ x + q*TERMS*p->xk, p->xk, p->xm }, terms, g->rows);
	for (int64_t j = 0, width; j < g->width; j += width) {
		width = least(VL, g->width - j);
		t.y = (const R *)(const void *)(y + j), t.c = c + j;
		if (!SAME)
			t.y = g->packed, t.ys = width, t.yb = terms*width;
		for (int64_t q = 0; !SAME && q < blocks; q++)
			S(pack)(g->packed + q*t.yb, width, (S(Matrix)){ y + q*TERMS*p->yk + j, p->yk, 1 }, terms, width);
		if (blocks == THIN_BLOCKS)
			N(thin_tile)(g->rows, width, straight && by_row, &t);
		else
			N(tile)(g->rows, width, straight && by_row, t);
	}
}

CORE void S(thin)(const S(Region) *g)
{
	R c[THIN_BLOCKS*THIN_ROWS*THIN_VECTORS*VL], *top = g->kept;
	int64_t k = g->c->k, size = g->rows*g->width, step = g->c->few ? FEW_TERMS : PACKED_BYTES/R_BYTES;
	if (S(is_straight)(g->c) && g->width <= VL)
		step = TERMS;                    /* nothing is packed, and y met once */
	for (int64_t b = 0, blocks; b*TERMS < k; b += blocks) {
		int64_t terms = least(k - b*TERMS, TERMS);
		blocks = b + THIN_BLOCKS <= k/TERMS ? THIN_BLOCKS : 1;
		for (int64_t i = 0; i < terms; i += step)
			S(thin_piece)(g, b*TERMS + i, least(step, terms - i), blocks, c, i == 0);
		for (int64_t q = 0; q < blocks; q++) {
			__builtin_memcpy(top, c + q*size, (uint64_t)size*sizeof(R));
			top = N(join_block)(top, size, b + q);
		}
	}
	N(join_rest)(g->kept, top, size);
	for (int64_t r = 0; r < g->rows; r++)
		for (int64_t j = 0; j < g->width; j++)
			g->out[r*g->c->n + j] = FROM_R(g->kept[r*g->width + j]);
}
