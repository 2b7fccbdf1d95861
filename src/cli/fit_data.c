/* fit_data.c - the rows of a fit: what is held out, the shuffle of an epoch, blocks; and saved states.
 *
 * An order of n rows: uniform numbers from a key, sorted; equal ones keep their places.  A step's
 * block depends on its number alone (epoch t // blocks, place t % blocks), so a resumed fit has the same bits.
 */
#include "fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Draw {
	double u;
	int64_t row;
} Draw;

static int compare_draws(const void *a, const void *b)
{
	const Draw *x = a, *y = b;
	return x->u < y->u ? -1 : x->u > y->u ? 1 : x->row < y->row ? -1 : x->row > y->row;
}

static int compare_rows(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* 0..n-1 in the order of a key: "[1]" or "[2][7]" of the root. */
static int draw_order(Fit *f, const char *key, int64_t n, int64_t *order)
{
	char *text = text_of("uniform[f64[%" PRId64 "]](key(%" PRId64 ")%s)", n, f->seed, key);
	Value v = {0};
	int status = evaluate_text(&f->target, NULL, text, &v);
	free(text);
	if (status != EXIT_GOOD) return status;
	Draw *draw = need(malloc((size_t)(n + 1) * sizeof *draw));
	for (int64_t i = 0; i < n; i++) draw[i] = (Draw){array_number(&v.array, i), i};
	qsort(draw, (size_t)n, sizeof *draw, compare_draws);
	for (int64_t i = 0; i < n; i++) order[i] = draw[i].row;
	free(draw);
	value_free(&v);
	return EXIT_GOOD;
}

int fit_split(Fit *f)
{
	f->epoch = -1;
	if (!f->rows) return EXIT_GOOD;
	f->nheld = (int64_t)floor(f->hold * (double)f->rows);
	f->ntrain = f->rows - f->nheld;
	int64_t *all = need(malloc((size_t)(f->rows + 1) * sizeof *all));
	f->held = need(malloc((size_t)(f->rows + 1) * sizeof *f->held));
	f->train = need(malloc((size_t)(f->rows + 1) * sizeof *f->train));
	f->order = need(malloc((size_t)(f->rows + 1) * sizeof *f->order));
	int status = EXIT_GOOD;
	if (f->nheld)
		status = draw_order(f, "[1]", f->rows, all);
	else
		for (int64_t i = 0; i < f->rows; i++) all[i] = i;
	memcpy(f->held, all, (size_t)f->nheld * sizeof *all);
	memcpy(f->train, all + f->nheld, (size_t)f->ntrain * sizeof *all);
	qsort(f->held, (size_t)f->nheld, sizeof *all, compare_rows);
	qsort(f->train, (size_t)f->ntrain, sizeof *all, compare_rows);
	free(all);
	return status;
}

int fit_shuffle(Fit *f, int64_t epoch)
{
	if (!f->rows || f->epoch == epoch) return EXIT_GOOD;
	char key[48];
	snprintf(key, sizeof key, "[2][%" PRId64 "]", epoch);
	int status = draw_order(f, key, f->ntrain, f->order);
	for (int64_t i = 0; i < f->ntrain && status == EXIT_GOOD; i++) f->order[i] = f->train[f->order[i]];
	f->epoch = epoch;
	return status;
}

int64_t fit_blocks(const Fit *f)
{
	return f->rows && f->block ? (f->ntrain + f->block - 1) / f->block : 1;
}

/* Rows of an array along an axis: to[.., k, ..] = from[.., rows[k], ..] */
static void take_rows(FileArray *to, const FileArray *from, int axis, const int64_t *rows, int64_t n)
{
	size_t inner = element_bytes(from->dtype), outer = 1;
	for (int i = 0; i < axis; i++) outer *= (size_t)from->shape[i];
	for (int i = axis + 1; i < from->rank; i++) inner *= (size_t)from->shape[i];
	const char *source = from->data;
	char *target = to->data;
	for (size_t o = 0; o < outer; o++, source += (size_t)from->shape[axis] * inner)
		for (int64_t k = 0; k < n; k++, target += inner)
			memcpy(target, source + (size_t)rows[k] * inner, inner);
	to->shape[axis] = n;
}

/* The function's data become those of these rows. */
void fit_take(FitFunction *c, const int64_t *rows, int64_t n)
{
	for (int i = 0; i < c->nin; i++)
		if (c->data[i] && c->data[i]->axis >= 0)
			take_rows(&c->cut[i], &c->data[i]->array, c->data[i]->axis, rows, n);
}

/* ---- saved states ---------------------------------------------------------------------------- */

static FileArray number_array(int64_t *x)
{
	return (FileArray){.dtype = "i64", .data = x, .bytes = 8};
}

/* Parameters under their own names, so that p=@FILE takes them; the rest as fit.state.m.w and
 * so on, fit.step, fit.seed. */
int fit_save(Fit *f, const char *path)
{
	char error[512];
	ValueLeaf *p, *s;
	size_t np = value_leaves(&f->p, &p), ns = value_leaves(&f->s, &s), n = 0;
	NamedArray *all = need(calloc(np + ns + 3, sizeof *all));
	for (size_t i = 0; i < np; i++)
		all[n++] = (NamedArray){text_of("%s", *p[i].path ? p[i].path : f->p_name), p[i].leaf->array};
	for (size_t i = 0; i < ns; i++)
		all[n++] = (NamedArray){
			text_of("fit.state%s%s", *s[i].path ? "." : "", s[i].path), s[i].leaf->array};
	all[n++] = (NamedArray){text_of("fit.step"), number_array(&f->t)};
	all[n++] = (NamedArray){text_of("fit.seed"), number_array(&f->seed)};
	bool good = npz_write(path, all, n, error, sizeof error);
	for (size_t i = 0; i < n; i++) free(all[i].key);
	free(all);
	value_leaves_free(p, np);
	value_leaves_free(s, ns);
	return good ? EXIT_GOOD : complain(f->options, EXIT_ENVIRONMENT, "%s", error);
}

static NamedArray *find(NamedArray *all, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(all[i].key, key)) return &all[i];
	return NULL;
}

/* Fills a structure from arrays called PREFIX.path, or `alone` where it is one array. */
static int fill(
	Fit *f, const char *path, Value *v, NamedArray *all, size_t n, const char *prefix, const char *alone)
{
	ValueLeaf *leaf;
	size_t count = value_leaves(v, &leaf);
	int status = EXIT_GOOD;
	for (size_t i = 0; i < count && status == EXIT_GOOD; i++) {
		char *key = *leaf[i].path ? text_of("%s%s", prefix, leaf[i].path) : text_of("%s", alone);
		NamedArray *from = find(all, n, key);
		FileArray *to = &leaf[i].leaf->array;
		char is[64], wanted[64];
		if (!from)
			status = complain(f->options, EXIT_FAILED, "%s: no array %s", path, key);
		else if (strcmp(file_array_type(&from->array, is, sizeof is),
				 file_array_type(to, wanted, sizeof wanted)))
			status = complain(
				f->options, EXIT_FAILED, "%s: %s is %s; %s is wanted", path, key, is, wanted);
		else
			memcpy(to->data, from->array.data, to->bytes);
		free(key);
	}
	value_leaves_free(leaf, count);
	return status;
}

/* The state of another optimiser, which has more. */
static int other_state(Fit *f, const char *path, const NamedArray *all, size_t n)
{
	ValueLeaf *leaf;
	size_t own = value_leaves(&f->s, &leaf), kept = 0;
	const char *first = "";
	for (size_t i = 0; i < n; i++)
		if (!strncmp(all[i].key, "fit.state", 9) && !kept++) first = all[i].key;
	value_leaves_free(leaf, own);
	return kept == own
		? EXIT_GOOD
		: complain(f->options, EXIT_FAILED,
			  "%s: the state of another optimiser: %zu arrays, as %s, where %s has %zu", path,
			  kept, first, f->by, own);
}

int fit_resume(Fit *f, const char *path)
{
	char error[512];
	NamedArray *all;
	size_t n;
	if (!npz_read_all(path, &all, &n, error, sizeof error))
		return complain(f->options, EXIT_ENVIRONMENT, "%s", error);
	NamedArray *step = find(all, n, "fit.step"), *seed = find(all, n, "fit.seed");
	int status = EXIT_GOOD;
	if (!step || !seed)
		status =
			complain(f->options, EXIT_FAILED, "%s: no state of a fit (fit.step, fit.seed)", path);
	else if (option(f->options, "seed") && f->seed != (int64_t)array_number(&seed->array, 0))
		status = usage(f->options, "--seed %" PRId64 ": the state has another seed", f->seed);
	if (status == EXIT_GOOD) {
		f->t = (int64_t)array_number(&step->array, 0);
		f->seed = *(int64_t *)seed->array.data;
		status = fill(f, path, &f->p, all, n, "", f->p_name);
	}
	if (status == EXIT_GOOD) status = fill(f, path, &f->s, all, n, "fit.state.", "fit.state");
	if (status == EXIT_GOOD) status = other_state(f, path, all, n);
	named_arrays_free(all, n);
	return status;
}
