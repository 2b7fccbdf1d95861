/* part.h - a tile of less columns than a register of W_BYTES has, for tile.h.
 *
 * Before: V(name), the names for this width.  Of one block of terms or of several side by side: one alone would wait
 * for its own sums.
 */
CORE_INLINE void V(part_of)(int blocks, int rows, int by_row, const N(Tile) *t, int64_t width)
{
	V(Vector) acc[THIN_BLOCKS*TILE_ROWS];
	int64_t xr = by_row ? t->xs : 1, xi = by_row ? 1 : t->xs, cb = rows*t->cs;
	UNROLL for (int q = 0; q < blocks; q++)
		UNROLL for (int r = 0; r < rows; r++)
			acc[q*rows + r] = t->begin ? V(splat)(-(R)0) : V(load_first)(t->c + q*cb + r*t->cs, width);
	for (int64_t i = 0; i < t->terms; i++)
		UNROLL for (int q = 0; q < blocks; q++) {
			V(Vector) b = V(load_same)(t->y + q*t->yb + i*t->ys, width);
			UNROLL for (int r = 0; r < rows; r++)
				acc[q*rows + r] = V(fused)(V(splat)(t->x[q*t->xb + r*xr + i*xi]), b, acc[q*rows + r]);
		}
	UNROLL for (int q = 0; q < blocks; q++)
		UNROLL for (int r = 0; r < rows; r++)
			V(save_first)(t->c + q*cb + r*t->cs, V(quiet)(acc[q*rows + r]), width);
}
