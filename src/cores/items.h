/* items.h - cores: their numbers, how their work is cut into items, the scratch they need.
 *
 * A core runs items [lo, hi) of its work; items are independent, so threads take ranges of them.  A range may be
 * any, but long ones are faster: what neighbours share (packed columns of y) is made once for a range.
 *
 *   CONTRACT   a block of ITEM_ROWS rows by ITEM_COLUMNS columns (about) of one batch's result: rows run
 *              fastest, then column blocks, then batches.  Of a result that has one row or one column:
 *              VECTOR_COLUMNS of its elements.
 *   CUMSUM     one of `outer`, and ITEM_INNER of its inner indices: the latter run fastest
 *   SCATTER    as CUMSUM; each looks at all indices
 *   TOP_K      a row          QR, TRI_SOLVE   a matrix          COPY   ITEM_COPY elements
 *   JOIN       ITEM_INNER elements of the result      CARRY   a block, or all
 *
 * Scratch is 64-byte aligned and each thread's own; that of any range suffices for all.
 */

/* Items [lo, hi) of a step's buffers and integers.  fault: position (INT64_MAX before), index and extent of the first
 * index outside. */
typedef struct CoreWork {
	void *const *buffer;
	const int64_t *param;
	int64_t lo, hi;
	void *scratch;
	int64_t *fault;
} CoreWork;

enum {
	RUN_CONTRACT, RUN_CUMSUM, RUN_SCATTER, RUN_TOP_K, RUN_QR, RUN_TRI_SOLVE, RUN_COPY, RUN_JOIN, RUN_CARRY
};
/* How a scatter joins what is there with what comes. */
enum { SCATTERS_ADD, SCATTERS_SET, SCATTERS_MAX, SCATTERS_MIN, SCATTERS_MUL };
enum {
	TERMS = 4096,                    /* of a block of the defined order */
	ITEM_ROWS = 32, ITEM_COLUMNS = 384, ITEM_INNER = 512, ITEM_COPY = 65536,
	COLUMN_STEP = 48,                /* column blocks are a multiple of this: whole register tiles of every type */
	PACKED_BYTES = 2048,             /* of one column of packed y */
	FAR_BYTES = 1 << 19,             /* of x: so much does not stay in the second cache */
	GROUP_ROWS = 256,                /* rows whose partial results are kept at once where they cannot lie in `out` */
	FEW_ROWS = 4, FEW_TERMS = 16, FEW_COLUMNS = 4096,  /* so few rows are as fast as memory gives y: see contract.h */
	THIN_ROWS = 4, THIN_VECTORS = 2, THIN_BLOCKS = 4,  /* of so few rows and vectors of columns: blocks at once */
	VECTOR_COLUMNS = 64,
	STREAM_BYTES = 8192, LINES = 7,  /* of the columns whose lanes are added up together; lines of them at once */
	STREAM_TERMS = 256, STREAM_PACKED = 128, /* rows and columns of a packed piece; whole rounds of lanes */
	TILE_MOST = 8
};

#define CORE static __attribute__((unused))

CORE int64_t cut_in(int64_t n, int64_t size) { return n/size + (n % size != 0); }
CORE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
CORE int64_t whole(int64_t n, int64_t size) { return cut_in(n, size)*size; }

#include "numbers.h"

/* A contraction, as its integers say.  One column is taken as one row: operands swapped. */
typedef struct Contraction {
	int64_t lanes, batch, m, n, k, xb, xm, xk, yb, yk, yn;
	int64_t swapped, vector;         /* vector: one row; of lanes always */
	int64_t row_items, column_items, width;  /* width: columns of an item */
	int64_t few, wide;               /* few rows; the most columns done together */
} Contraction;

/* Neighbours of few rows are done together: rows of y in long streams. */
CORE Contraction contraction_of(const int64_t *p)
{
	Contraction c = { p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], 0, 0, 0, 0, 0, 0, 0 };
	if (c.n == 1 && c.m != 1)
		c = (Contraction){ p[0], p[1], p[3], p[2], p[4], p[8], p[10], p[9], p[5], p[7], p[6], 1, 0, 0, 0, 0, 0, 0 };
	c.vector = c.m == 1;
	c.row_items = cut_in(c.m, ITEM_ROWS);
	int64_t blocks = cut_in(c.n, ITEM_COLUMNS);
	c.width = c.vector ? VECTOR_COLUMNS : blocks ? whole(cut_in(c.n, blocks), COLUMN_STEP) : 1;
	c.column_items = cut_in(c.n, c.width);
	c.few = !c.vector && c.m <= FEW_ROWS && c.yn == 1;
	c.wide = c.few || c.vector ? least(FEW_COLUMNS/c.width, c.column_items)*c.width : c.width;
	return c;
}

/* Of a line of sums, and a gap: lines shall not meet in the same sets of the cache. */
CORE int64_t line_numbers(int64_t width, int64_t bytes) { return whole(width, 16) + 256/bytes; }

/* Numbers of scratch of a vector by a matrix: lines of lanes, a packed piece. */
CORE int64_t stream_line(const Contraction *c, int64_t bytes)
{
	int64_t wide = line_numbers(least(c->wide, STREAM_BYTES/bytes), bytes)*LINES;
	int64_t narrow = least(whole(c->wide, 16), 256/bytes)*(256/bytes);
	return !c->lanes ? 0 : wide > narrow ? wide : narrow;
}

CORE int64_t stream_packed(const Contraction *c)
{
	int64_t terms = least(c->k, TERMS), rows = least(terms, STREAM_TERMS)*whole(least(c->wide, STREAM_PACKED), 16);
	return whole(c->lanes && rows < terms*TILE_MOST ? terms*TILE_MOST : rows, 16);
}

CORE int64_t run_items(int core, const int64_t *p)
{
	Contraction c;
	switch (core) {
	case RUN_CONTRACT:
		c = contraction_of(p);
		return c.batch*c.row_items*c.column_items;
	case RUN_CUMSUM: return p[0]*cut_in(p[2], ITEM_INNER);
	case RUN_SCATTER: return p[1]*cut_in(p[3], ITEM_INNER);
	case RUN_COPY: return cut_in(p[0], ITEM_COPY);
	case RUN_JOIN: return cut_in(p[1], ITEM_INNER);
	case RUN_CARRY: return p[1] ? cut_in(p[0], TERMS) : 1;
	case RUN_TRI_SOLVE: return p[2];
	default: return p[0];
	}
}

/* Results of blocks that wait for their neighbours, and the one that is made: at most so many. */
CORE int64_t waiting(int64_t k)
{
	int64_t n = 1;
	for (int64_t blocks = cut_in(k, TERMS); blocks > 1; blocks = (blocks + 1)/2)
		n++;
	return n;
}

CORE int64_t contract_scratch(int dtype, const int64_t *p)
{
	Contraction c = contraction_of(p);
	int64_t bytes_of = element_bytes(dtype), wide = bytes_of < 4 ? 4 : bytes_of;
	int64_t terms = least(c.k, TERMS), kept = waiting(c.k);
	if (!((IS_NARROW | IS_WIDE) >> dtype & 1))
		return kept*(c.wide + 16)*wide;
	if (c.vector)
		return (whole(terms, 16) + stream_line(&c, wide) + stream_packed(&c) + kept*whole(c.wide, 16) + 16)*wide;
	int64_t columns = c.wide + 16, packed = least(terms, c.few ? FEW_TERMS : PACKED_BYTES/wide);
	int64_t bytes = (packed*(columns + ITEM_ROWS) + 64)*wide;
	if (c.k > TERMS || IS_NARROW >> dtype & 1)
		bytes += kept*(least(c.m, GROUP_ROWS) + ITEM_ROWS)*columns*wide;
	return bytes;
}

CORE int64_t run_scratch(int core, int dtype, const int64_t *p)
{
	switch (core) {
	case RUN_CONTRACT: return contract_scratch(dtype, p);
	case RUN_CUMSUM: return 2*16*least(p[2], ITEM_INNER);
	case RUN_QR: return (2*p[1]*p[2] + 2*p[2] + p[1])*8;
	default: return 0;
	}
}
