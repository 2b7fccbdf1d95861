/* record.c - the record of what was found, a line a row, so that a check can go on where it was stopped; and the page
 * that is made from it. */
#include "accuracy.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1024 };

#define LINE_OUT "%s %s %llu %llu %llu %llx %llu %llu %llu %a %a %a\n"
#define LINE_IN "%23s %3s %llu %llu %llu %llx %llu %llu %llu %la %la %la"

static bool parse(const char *line, Row *r)
{
	char dtype[4];
	unsigned long long v[7];
	if (sscanf(line, LINE_IN, r->name, dtype, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &r->worst,
		    &r->at[0], &r->at[1]) != 12)
		return false;
	r->f64 = !strcmp(dtype, "f64");
	r->step = v[0], r->total = v[1], r->next = v[2], r->mark = v[3], r->wrong = v[4], r->settled = v[5],
	r->bent = v[6];
	return true;
}

static int read_all(const char *path, Row *rows)
{
	char line[512];
	int n = 0;
	FILE *f = fopen(path, "r");
	while (f && n < ROWS && fgets(line, sizeof line, f)) n += parse(line, &rows[n]);
	if (f) fclose(f);
	return n;
}

/* rows of the same check: of another number of inputs it is another */
static bool alike(const Row *a, const Row *b)
{
	return !strcmp(a->name, b->name) && a->f64 == b->f64 && a->step == b->step && a->total == b->total;
}

bool record_read(const char *path, Row *row)
{
	Row rows[ROWS];
	int n = read_all(path, rows);
	for (int i = 0; i < n; i++)
		if (alike(&rows[i], row) && rows[i].mark == row->mark) {
			*row = rows[i];
			return true;
		}
	return false;
}

void row_join(Row *row, const Row *hunt)
{
	row->settled += hunt->settled;
	if (hunt->worst > row->worst) row->worst = hunt->worst, row->at[0] = hunt->at[0], row->at[1] = hunt->at[1];
}

bool record_write(const char *path, const Row *row)
{
	Row rows[ROWS];
	char temporary[4096];
	int n = read_all(path, rows), at = 0;
	while (at < n && !alike(&rows[at], row)) at++;
	if (at == ROWS) return false;
	rows[at] = *row;
	n = at == n ? n + 1 : n;
	snprintf(temporary, sizeof temporary, "%s.new", path);
	FILE *f = fopen(temporary, "w");
	if (!f) return false;
	for (const Row *r = rows; r < rows + n; r++)
		fprintf(f, LINE_OUT, r->name, r->f64 ? "f64" : "f32", (unsigned long long)r->step,
			(unsigned long long)r->total, (unsigned long long)r->next,
			(unsigned long long)r->mark, (unsigned long long)r->wrong,
			(unsigned long long)r->settled, (unsigned long long)r->bent, r->worst, r->at[0],
			r->at[1]);
	return fclose(f) == 0 && rename(temporary, path) == 0;
}

/* ---- the page ---- */

static const char head[] =
	"# Accuracy\n\n"
	"Made by `make check-math`: do not edit. The largest error of each function of `src/math`, in units\n"
	"of the last place (ulp) of the true result, the input where it was found, and the share of results\n"
	"that are not the true one rounded to nearest. What is quick, our own function of f64 for f32 (2^-42) and\n"
	"the binary128 of the reference evaluator for f64 (2^-94), has a bound of its own error; where that leaves\n"
	"the rounding in doubt MPFR with 200 bits is asked. MPFR also settles one f32 input in 65,536 and one f64\n"
	"input in 100 whatever the others say, and a reference that breaks its bound there fails the check.\n"
	"Inputs: *all* is every f32 number; *1 in k* is every k-th, by its bits; a count is so many samples,\n"
	"dense in the function's interval, of random bits, of random exponents, and beside landmarks where\n"
	"formulas change or results vanish; and a tenth as many again where the largest errors were found, in\n"
	"ever smaller places. f16 and bf16 are computed in f32 and rounded once.\n\n"
	"*Promised* is the bound that the check holds the function to; *beside zeros* the size below which an\n"
	"ulp is that of this size, for arguments below 0 and for the others. *Shape* counts the inputs where a\n"
	"rising function falls, a falling one rises, or symmetry is not exact; empty where there is none to keep.\n\n"
	"| function | dtype | inputs | largest error | at | not rounded right | promised | beside zeros | shape |\n"
	"|---|---|---|---|---|---|---|---|---|\n";

static const char pairs[] =
	"\n## Pairs\n\n"
	"Of functions f and g that undo each other - exp and log, exp2 and log2, exp10 and log10, expm1 and\n"
	"log1p, sin and asin, cos and acos, tan and atan, sinh and asinh, cosh and acosh, tanh and atanh, erf\n"
	"and erfinv, sigmoid and logit, in both orders - x lies between the results of g at the two numbers\n"
	"that are as many steps from f(x) as f is promised to err by, widened by the promise of g in steps.\n"
	"`tests/math/test_pairs.c` holds them to it, in f32 and f64, and the functions to the slopes that\n"
	"their derivative rules make of other functions, to 2^-26 by differences.\n";

static void inputs_text(char *out, size_t size, const Row *r, const Function *f)
{
	if (f->args == 1 && !r->f64 && r->step == 1)
		snprintf(out, size, "all");
	else if (f->args == 1 && !r->f64)
		snprintf(out, size, "1 in %llu", (unsigned long long)r->step);
	else
		snprintf(out, size, "%.3g", (double)r->total);
}

static void line(FILE *page, const Row *r, const Function *f)
{
	char inputs[32], at[64], floor[24] = "", shape[24] = "";
	inputs_text(inputs, sizeof inputs, r, f);
	int n = snprintf(at, sizeof at, r->f64 ? "%.17g" : "%.9g", r->at[0]);
	if (f->args == 2) snprintf(at + n, sizeof at - (size_t)n, r->f64 ? ", %.17g" : ", %.9g", r->at[1]);
	if (f->left > 0 || f->right > 0) snprintf(floor, sizeof floor, "%.3g, %.3g", f->left, f->right);
	if (r->f64 ? f->shape & ~(RISES_F32 | FALLS_F32) : f->shape) snprintf(shape, sizeof shape, "%llu", (unsigned long long)r->bent);
	double share = 100.0 * (double)r->wrong / (double)r->total;
	fprintf(page, "| %s | %s | %s | %.3f | %s | %.*f%% | %g | %s | %s |\n", r->name,
		r->f64 ? "f64" : "f32", inputs, r->worst, r->worst > 0 ? at : "",
		share > 0 && share < 0.01 ? 4 : 2, share, r->f64 ? f->bound_f64 : f->bound_f32, floor, shape);
}

/* the finished row of most inputs, of the source as it is, from a hunt or not */
static const Row *row_of(const Row *rows, int n, const Function *f, bool f64, bool hunt)
{
	const Row *best = 0;
	uint64_t mark = source_mark(f, f64, hunt);
	for (const Row *r = rows; r < rows + n; r++)
		if (!strcmp(r->name, f->name) && r->f64 == f64 && r->next == r->total && r->mark == mark &&
			!r->step == hunt && (!best || r->total > best->total))
			best = r;
	return best;
}

/* what the page says of a function; false if the record lacks it or, of a sampled one, the hunt */
static bool found_of(const Row *rows, int n, const Function *f, bool f64, Row *found)
{
	const Row *r = row_of(rows, n, f, f64, false), *h = row_of(rows, n, f, f64, true);
	if (!r || (!h && is_sampled(f, f64))) return false;
	*found = *r;
	if (h) row_join(found, h);
	return true;
}

/* how many rows of the page the record lacks */
static int lacking(const Row *rows, int n)
{
	int count = 0;
	Row found;
	for (const Function *f = functions; f < functions + function_count; f++)
		count += !found_of(rows, n, f, false, &found) + !found_of(rows, n, f, true, &found);
	return count;
}

/* what the record knows, in the order of functions.h; a page is not replaced by a part of it */
bool record_page(const char *path, const char *record)
{
	Row *rows = malloc(ROWS * sizeof *rows);
	int n = rows ? read_all(record, rows) : 0, left = lacking(rows, n);
	if (rows && left > 0) {
		printf("%s stays as it is: of %d results %d are not in %s yet\n", path, 2 * function_count,
			left, record);
		free(rows);
		return true;
	}
	FILE *page = rows ? fopen(path, "w") : 0;
	if (page) {
		fputs(head, page);
		for (const Function *f = functions; f < functions + function_count; f++)
			for (int wide = 0; wide < 2; wide++) {
				Row found;
				if (found_of(rows, n, f, wide, &found)) line(page, &found, f);
			}
		fputs(pairs, page);
	}
	free(rows);
	return page && fclose(page) == 0;
}
