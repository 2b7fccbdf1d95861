/* fit_data.c - the rows of a fit: what is held out, the shuffle of an epoch, blocks; and saved states.
 *
 * An order of n rows: uniform numbers from a key, sorted; equal ones keep their places.  A step's
 * block depends on its number alone (epoch t // blocks, place t % blocks), so a resumed fit has the same
 * bits.
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
	if (x->u < y->u) return -1;
	if (x->u > y->u) return 1;
	if (x->row < y->row) return -1;
	return x->row > y->row;
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
	TextValue v = {0};
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

/* The function that is minimised, its sizes as symbols: a hash of it as it is printed. */
static int64_t program_hash(const Fit *f)
{
	char *text = por_print_function(f->loss, 0);
	uint64_t hash = 14695981039346656037u;
	for (const char *c = text; c && *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
	por_text_free(text);
	return (int64_t)hash;
}

/* Parameters under their own names, so that p=@FILE takes them; the rest as fit.state.m.w and
 * so on, fit.step, fit.seed, fit.program. */
int fit_save(Fit *f, const char *path)
{
	char error[512];
	ValueLeaf *p, *s;
	size_t np = value_leaves(&f->p, &p), ns = value_leaves(&f->s, &s), n = 0;
	NamedArray *all = need(calloc(np + ns + 4, sizeof *all));
	int64_t program = program_hash(f);
	for (size_t i = 0; i < np; i++)
		all[n++] = (NamedArray){text_of("%s", *p[i].path ? p[i].path : f->p_name), p[i].leaf->array};
	for (size_t i = 0; i < ns; i++)
		all[n++] = (NamedArray){
			text_of("fit.state%s%s", *s[i].path ? "." : "", s[i].path), s[i].leaf->array};
	all[n++] = (NamedArray){text_of("fit.step"), number_array(&f->t)};
	all[n++] = (NamedArray){text_of("fit.seed"), number_array(&f->seed)};
	all[n++] = (NamedArray){text_of("fit.program"), number_array(&program)};
	bool good = npz_write(path, all, n, error, sizeof error);
	for (size_t i = 0; i < n; i++) free(all[i].key);
	free(all);
	value_leaves_free(p, np);
	value_leaves_free(s, ns);
	return good ? EXIT_GOOD : complain(f->options, EXIT_ENVIRONMENT, "%s", error);
}

/* Arrays of a file, and those of them that are known by now. */
typedef struct SavedState {
	const char *path;
	NamedArray *all;
	size_t n;
	bool *taken;
} SavedState;

static NamedArray *find(const SavedState *s, const char *key)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->all[i].key, key)) return &s->all[i];
	return NULL;
}

/* A number that is not finite where the start has one that is: -1: none. */
static int64_t not_finite(const FileArray *a, const FileArray *start)
{
	bool real = is_float_name(a->dtype);
	int64_t n = real ? array_count(a) : 0;
	for (int64_t i = 0; i < n; i++)
		if (!isfinite(array_number(a, i)) && isfinite(array_number(start, i))) return i;
	return -1;
}

static int fill_leaf(Fit *f, const char *path, const char *key, NamedArray *from, FileArray *to)
{
	char is[64], wanted[64];
	if (!from) return complain(f->options, EXIT_FAILED, "%s: no array %s", path, key);
	if (strcmp(file_array_type(&from->array, is, sizeof is),
		file_array_type(to, wanted, sizeof wanted)) ||
		from->array.bytes != to->bytes)
		return complain(f->options, EXIT_FAILED, "%s: %s is %s; %s is wanted", path, key, is, wanted);
	int64_t bad = not_finite(&from->array, to);
	if (bad >= 0)
		return complain(f->options, EXIT_FAILED,
			"%s: element %" PRId64 " of %s is %s; a finite number is wanted", path, bad, key,
			isnan(array_number(&from->array, bad)) ? "nan" : "infinite");
	memcpy(to->data, from->array.data, to->bytes);
	return EXIT_GOOD;
}

/* Fills a structure from arrays called PREFIX.path, or `alone` where it is one array; those are taken. */
static int fill(Fit *f, SavedState *s, TextValue *v, const char *prefix, const char *alone)
{
	ValueLeaf *leaf;
	size_t count = value_leaves(v, &leaf);
	int status = EXIT_GOOD;
	for (size_t i = 0; i < count && status == EXIT_GOOD; i++) {
		char *key = *leaf[i].path ? text_of("%s%s", prefix, leaf[i].path) : text_of("%s", alone);
		NamedArray *from = find(s, key);
		status = fill_leaf(f, s->path, key, from, &leaf[i].leaf->array);
		if (from) s->taken[from - s->all] = true;
		free(key);
	}
	value_leaves_free(leaf, count);
	return status;
}

/* The state of another optimiser, which has more or fewer. */
static int other_state(Fit *f, const SavedState *s)
{
	ValueLeaf *leaf;
	size_t own = value_leaves(&f->s, &leaf), kept = 0;
	const char *first = "";
	for (size_t i = 0; i < s->n; i++)
		if (!strncmp(s->all[i].key, "fit.state", 9) && !kept++) first = s->all[i].key;
	value_leaves_free(leaf, own);
	return kept == own
		? EXIT_GOOD
		: complain(f->options, EXIT_FAILED,
			  "%s: the state of another optimiser: %zu arrays, as %s, where %s has %zu", s->path,
			  kept, first, f->by, own);
}

/* fit.step and the like: one whole number, at least `least`. */
static int take_number(Fit *f, SavedState *s, const char *key, int64_t least, int64_t *value)
{
	NamedArray *a = find(s, key);
	char is[64];
	if (!a)
		return complain(f->options, EXIT_FAILED, "%s: no state of a fit: it has no array %s",
			s->path, key);
	s->taken[a - s->all] = true;
	if (strcmp(a->array.dtype, "i64") || a->array.rank || a->array.bytes != sizeof *value)
		return complain(f->options, EXIT_FAILED, "%s: %s is %s; i64 is wanted", s->path, key,
			file_array_type(&a->array, is, sizeof is));
	memcpy(value, a->array.data, sizeof *value);
	return *value >= least ? EXIT_GOOD
			       : complain(f->options, EXIT_FAILED,
			"%s: %s is %" PRId64 "; %" PRId64 " or more is wanted",
					 s->path, key, *value, least);
}

static int take_program(Fit *f, SavedState *s)
{
	int64_t program;
	if (!find(s, "fit.program")) return EXIT_GOOD; /* older versions did not write it */
	int status = take_number(f, s, "fit.program", INT64_MIN, &program);
	if (status != EXIT_GOOD || program == program_hash(f)) return status;
	status = other_state(f, s);
	if (status != EXIT_GOOD) return status;
	return complain(f->options, EXIT_FAILED,
		"%s: the state of another program: %s has changed since; %s=@%s takes the parameters alone",
		s->path, f->minimise, f->p_name, s->path);
}

static int check_once(Fit *f, const SavedState *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(s->all[i].key, s->all[k].key))
				return complain(f->options, EXIT_FAILED, "%s: two arrays are called %s",
					s->path, s->all[i].key);
	return EXIT_GOOD;
}

static int check_taken(Fit *f, const SavedState *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->taken[i])
			return complain(f->options, EXIT_FAILED, "%s: %s is no array of this fit", s->path,
				s->all[i].key);
	return EXIT_GOOD;
}

/* Nothing of the file is believed: numbers, types, names, values, and that it is this program's. */
static int take_state(Fit *f, SavedState *s)
{
	int64_t step = 0, seed = 0;
	int status = check_once(f, s);
	if (status == EXIT_GOOD) status = take_number(f, s, "fit.step", 0, &step);
	if (status == EXIT_GOOD) status = take_number(f, s, "fit.seed", INT64_MIN, &seed);
	if (status != EXIT_GOOD) return status;
	if (option(f->options, "seed") && f->seed != seed)
		return usage(f->options, "--seed %" PRId64 ": the state has another seed", f->seed);
	f->t = step;
	f->seed = seed;
	status = take_program(f, s);
	if (status == EXIT_GOOD) status = fill(f, s, &f->p, "", f->p_name);
	if (status == EXIT_GOOD) status = fill(f, s, &f->s, "fit.state.", "fit.state");
	if (status == EXIT_GOOD) status = other_state(f, s);
	return status == EXIT_GOOD ? check_taken(f, s) : status;
}

int fit_resume(Fit *f, const char *path)
{
	char error[512];
	SavedState s = {.path = path};
	if (!npz_read_all(path, &s.all, &s.n, error, sizeof error))
		return complain(f->options, EXIT_ENVIRONMENT, "%s", error);
	s.taken = need(calloc(s.n + 1, sizeof *s.taken));
	int status = take_state(f, &s);
	free(s.taken);
	named_arrays_free(s.all, s.n);
	return status;
}
