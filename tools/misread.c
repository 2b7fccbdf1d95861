/* misread.c - a picture of the digits that a model reads wrongly, among the rows that its fit held out.
 *
 *     misread DIGITS.npz READ.npy DRAW.npy HOLD PICTURE.svg
 *
 * READ: i64[n], what the model reads in each row.  DRAW: f64[n], the numbers whose order is the split (see
 * docs/notation.md, Fitting): the first HOLD*n rows of that order were held out.
 */
#include "../src/cli/files/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 60, SIDE = 8, PIXELS = SIDE*SIDE };

typedef struct Draw { double u; int64_t row; } Draw;

static int compare(const void *a, const void *b)
{
	const Draw *x = a, *y = b;
	return x->u < y->u ? -1 : x->u > y->u ? 1 : x->row < y->row ? -1 : x->row > y->row;
}

static int compare_rows(const void *a, const void *b)
{
	return ((const Draw *)a)->row < ((const Draw *)b)->row ? -1 : 1;
}

static void *need(void *p)
{
	if (!p) {
		fputs("misread: no memory\n", stderr);
		exit(3);
	}
	return p;
}

static FileArray expect(FileArray a, bool read, const char *what, const char *dtype, int64_t n, const char *error)
{
	if (!read)
		fprintf(stderr, "misread: %s\n", error);
	else if (strcmp(a.dtype, dtype) || (n >= 0 && a.shape[0] != n))
		fprintf(stderr, "misread: %s: %s and as many rows as there are pictures were wanted\n", what, dtype);
	else
		return a;
	exit(1);
}

int main(int argc, char **argv)
{
	char error[512] = "", title[120];
	if (argc != 6) {
		fputs("misread DIGITS.npz READ.npy DRAW.npy HOLD PICTURE.svg\n", stderr);
		return 2;
	}
	FileArray x, y, read, draw;
	bool good = npz_read(argv[1], "x", &x, error, sizeof error);
	x = expect(x, good, "x", "u8", -1, error);
	int64_t n = x.shape[0];
	good = npz_read(argv[1], "y", &y, error, sizeof error);
	y = expect(y, good, "y", "i32", n, error);
	good = npy_read(argv[2], &read, error, sizeof error);
	read = expect(read, good, argv[2], "i64", n, error);
	good = npy_read(argv[3], &draw, error, sizeof error);
	draw = expect(draw, good, argv[3], "f64", n, error);

	Draw *order = need(malloc((size_t)(n + 1)*sizeof *order));
	for (int64_t i = 0; i < n; i++)
		order[i] = (Draw){((double *)draw.data)[i], i};
	qsort(order, (size_t)n, sizeof *order, compare);
	int64_t held = (int64_t)floor(strtod(argv[4], NULL)*(double)n);
	qsort(order, (size_t)held, sizeof *order, compare_rows);

	double pixels[MOST*PIXELS];
	int was_read[MOST], is[MOST];
	size_t shown = 0, wrong = 0;
	for (int64_t i = 0; i < held; i++) {
		int64_t row = order[i].row;
		int r = (int)((int64_t *)read.data)[row], t = ((int32_t *)y.data)[row];
		if (r == t)
			continue;
		wrong++;
		if (shown == MOST)
			continue;
		for (int k = 0; k < PIXELS; k++)
			pixels[shown*PIXELS + (size_t)k] = ((uint8_t *)x.data)[row*PIXELS + k];
		was_read[shown] = r, is[shown] = t;
		shown++;
	}
	snprintf(title, sizeof title, "misread: %zu of %lld digits held out", wrong, (long long)held);
	Digits d = {title, pixels, shown, SIDE, SIDE, 16, was_read, is};
	if (!svg_digits(argv[5], &d, error, sizeof error)) {
		fprintf(stderr, "misread: %s\n", error);
		return 3;
	}
	printf("%zu of %lld digits held out are misread\n", wrong, (long long)held);
	free(order);
	file_array_free(&x), file_array_free(&y), file_array_free(&read), file_array_free(&draw);
	return 0;
}
