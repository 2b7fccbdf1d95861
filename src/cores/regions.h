/* regions.h - items of a contraction, neighbours in one column block taken together.  Before: T, and O(name), the
 * names of the dtype's routines; O(contract) does a region. */
CORE void O(contract_regions)(void *const *buffer, const int64_t *p, int64_t lo, int64_t hi, void *scratch)
{
	Contraction c = contraction_of(p);
	const T *x = buffer[c.swapped], *y = buffer[!c.swapped];
	for (int64_t item = lo, end; item < hi; item = end) {
		int64_t row = item % c.row_items, block = item/c.row_items, column = block % c.column_items * c.width;
		int64_t b = block/c.column_items, rows = least(hi - item, c.row_items - row), width = c.width;
		end = item + rows;
		for (; end < hi && end % c.column_items && width < c.wide; end++)
			width += c.width;
		row *= ITEM_ROWS;
		rows = least(rows*ITEM_ROWS, c.m - row);
		T *out = (T *)buffer[2] + b*c.m*c.n + row*c.n + column;
		width = least(width, c.n - column);
		for (int64_t i = 0; c.k == 0 && i < rows; i++)
			__builtin_memset(out + i*c.n, 0, (uint64_t)width*sizeof(T));
		if (c.k)
			O(contract)(&c, x + b*c.xb + row*c.xm, y + b*c.yb + column*c.yn, out, rows, width, scratch);
	}
}
