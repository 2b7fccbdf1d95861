/* main.c - check_math: how far the functions of src/math are from the truth.
 *
 *     check_math [options] [FUNCTION...]      all functions if none is named
 *       --stride K       f32 of one operand: every K-th number (odd; 1: all 2^32)
 *       --samples N      f64: so many samples; f32 of two operands: ten times as many
 *       --dtype f32|f64  only this one
 *       --threads N      default: all cores
 *       --record FILE    keep what was found here, and go on where it stops
 *       --page FILE      write the page from the record
 *       --quiet          no progress
 * Fails if an error is above its bound in functions.h, a shape is broken, or a result depends on its place in a vector
 * or on the instruction set.
 */
#include "accuracy.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct Options {
	uint64_t stride, samples;
	const char *dtype, *record, *page;
	int threads;
	bool quiet;
	char **names;
	int name_count;
} Options;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void progress(const Options *o, const Row *r, double start, uint64_t began)
{
	if (o->quiet || !isatty(2))
		return;
	double done = (double)r->next / (double)r->total, spent = now() - start;
	double left = r->next > began ? spent * (double)(r->total - r->next) / (double)(r->next - began) : 0;
	char bar[31];
	for (int i = 0; i < 30; i++) bar[i] = i < done * 30 ? '#' : '.';
	bar[30] = 0;
	fprintf(stderr, "\r%-12s %s [%s] %5.1f%%  %6.0f s left ", r->name, r->f64 ? "f64" : "f32", bar, 100 * done, left);
	if (r->next == r->total)
		fprintf(stderr, "\r%70s\r", "");
}

/* one function in one dtype; false if a promise is broken */
static bool check(const Options *o, const Function *f, bool f64)
{
	Row r = { .f64 = f64, .step = 1, .total = o->samples, .mark = source_mark(f, f64), .worst = 0 };
	snprintf(r.name, sizeof r.name, "%s", f->name);
	if (f->args == 1 && !f64)
		r.step = o->stride, r.total = ((1ull << 32) + r.step - 1) / r.step;
	else if (!f64)
		r.total *= 10;
	if (o->record)
		record_read(o->record, &r);
	double start = now(), saved = start;
	uint64_t began = r.next, batch = 1 << 18;
	while (r.next < r.total) {
		row_advance(&r, f, batch, o->threads);
		progress(o, &r, start, began);
		if (o->record && (r.next == r.total || now() - saved > 5)) {
			if (!record_write(o->record, &r)) {
				fprintf(stderr, "check_math: %s: cannot be written\n", o->record);
				exit(2);
			}
			saved = now();
		}
	}
	double bound = f64 ? f->bound_f64 : f->bound_f32;
	uint64_t bent = r.bent + (!f64 && f->shape & FALLS_F32 ? climbs(f, r.step) : 0);
	bool good = r.worst <= bound && bent == 0;
	printf("%-12s %s %8.3f ulp at %-24.*g %-*.*g %9.4f%% not rounded right, %llu settled%s", f->name, f64 ? "f64" : "f32", r.worst,
	       f64 ? 17 : 9, r.at[0], f->args == 2 ? 24 : 0, f64 ? 17 : 9, r.at[1], 100.0 * (double)r.wrong / (double)r.total,
	       (unsigned long long)r.settled, good ? "" : "   BROKEN");
	if (r.worst > BROKEN)
		printf(": a reference breaks its bound");
	else if (r.worst > bound)
		printf(": promised %g", bound);
	if (bent)
		printf(": shape %llu times", (unsigned long long)bent);
	printf("\n");
	fflush(stdout);
	return good;
}

static bool named(const Options *o, const char *name)
{
	for (int i = 0; i < o->name_count; i++)
		if (!strcmp(o->names[i], name))
			return true;
	return o->name_count == 0;
}

static bool parse(Options *o, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *a = argv[i], *v = i + 1 < argc ? argv[i + 1] : 0;
		if (a[0] != '-') { o->names[o->name_count++] = argv[i]; continue; }
		if (!strcmp(a, "--quiet")) { o->quiet = true; continue; }
		if (!v) return false;
		i++;
		if (!strcmp(a, "--stride")) o->stride = strtoull(v, 0, 10) | 1;
		else if (!strcmp(a, "--samples")) o->samples = strtoull(v, 0, 10);
		else if (!strcmp(a, "--dtype")) o->dtype = v;
		else if (!strcmp(a, "--threads")) o->threads = atoi(v);
		else if (!strcmp(a, "--record")) o->record = v;
		else if (!strcmp(a, "--page")) o->page = v;
		else return false;
	}
	return o->samples > 0 && o->threads > 0 && (!o->dtype || !strcmp(o->dtype, "f32") || !strcmp(o->dtype, "f64"));
}

/* a name that no function has, or NULL */
static const char *unknown(const Options *o)
{
	for (int i = 0; i < o->name_count; i++) {
		int j = 0;
		while (j < function_count && strcmp(functions[j].name, o->names[i])) j++;
		if (j == function_count) return o->names[i];
	}
	return 0;
}

int main(int argc, char **argv)
{
	Options o = { .stride = 1, .samples = 100000000, .threads = (int)sysconf(_SC_NPROCESSORS_ONLN) };
	o.names = calloc((size_t)argc, sizeof *o.names);
	if (!o.names || !parse(&o, argc, argv) || unknown(&o)) {
		if (o.names && unknown(&o))
			fprintf(stderr, "check_math: no function is called %s\n", unknown(&o));
		else
			fprintf(stderr, "usage: check_math [--stride K] [--samples N] [--dtype f32|f64] [--threads N] [--record FILE] "
			                "[--page FILE] [--quiet] [FUNCTION...]\n");
		return 2;
	}
	bool good = true;
	for (const Function *f = functions; f < functions + function_count; f++)
		good &= !named(&o, f->name) || places_kept(f);
	for (const Function *f = functions; f < functions + function_count; f++)
		for (int wide = 0; wide < 2; wide++)
			if (named(&o, f->name) && (!o.dtype || !strcmp(o.dtype, wide ? "f64" : "f32")))
				good &= check(&o, f, wide);
	if (o.page && (!o.record || !record_page(o.page, o.record))) {
		fprintf(stderr, "check_math: %s: cannot be written\n", o.page);
		return 2;
	}
	free(o.names);
	return !good;
}
