/* regions.h - items of a contraction, neighbours in one column block taken together.  Before: T, and O(name), the
 * names of the dtype's routines; O(contract) does an O(Region). */
CORE void O(contract_regions)(const CoreWork *w)
{
	Contraction c = contraction_of(w->param);
	const T *x = w->buffer[c.swapped], *y = w->buffer[!c.swapped];
	for (int64_t item = w->lo, end; item < w->hi; item = end) {
		int64_t row = item % c.row_items, block = item/c.row_items, column = block % c.column_items * c.width;
		int64_t b = block/c.column_items, rows = least(w->hi - item, c.row_items - row), width = c.width;
		end = item + rows;
		for (; end < w->hi && end % c.column_items && width < c.wide; end++)
			width += c.width;
		row *= ITEM_ROWS;
		rows = least(rows*ITEM_ROWS, c.m - row);
		T *out = (T *)w->buffer[2] + b*c.m*c.n + row*c.n + column;
		width = least(width, c.n - column);
		for (int64_t i = 0; c.k == 0 && i < rows; i++)
			__builtin_memset(out + i*c.n, 0, (uint64_t)width*sizeof(T));
		if (c.k)
			O(contract)((O(Region)){ .c = &c, .x = x + b*c.xb + row*c.xm, .y = y + b*c.yb + column*c.yn, .out = out,
			                          .rows = rows, .width = width }, w->scratch);
	}
}
