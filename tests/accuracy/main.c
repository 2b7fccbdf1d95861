/* main.c - check_math: how far the functions of src/math are from the truth; `help` says how it is called.
 *
 * It can be stopped at any time (Ctrl-C) and goes on from its record.
 */
#include "accuracy.h"
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
	"check_math [options] [FUNCTION...]      all functions if none is named\n"
	"  --stride K       f32 of one operand: every K-th number (odd; 1, the default: all 2^32)\n"
	"  --samples N      f64: so many samples (100000000); f32 of two operands: ten times as many\n"
	"  --dtype f32|f64  only this one\n"
	"  --threads N      default: all cores\n"
	"  --record FILE    keep what was found here, and go on where it stops\n"
	"  --page FILE      write the page from the record, once it has every function\n"
	"  --quiet          no progress\n"
	"  --help           this text\n"
	"Fails if an error is above its bound in tests/accuracy/functions.h, a function falls or is not symmetric\n"
	"where it promises to, or a result depends on its place in a vector or on the instruction set.\n";

typedef struct Options {
	uint64_t stride, samples;
	const char *dtype, *record, *page;
	int threads;
	bool quiet;
	char **names;
	int name_count;
} Options;

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void progress(const Options *o, const Row *r, double start, uint64_t began)
{
	if (o->quiet || !isatty(2)) return;
	double done = (double)r->next / (double)r->total, spent = now() - start;
	double left = r->next > began ? spent * (double)(r->total - r->next) / (double)(r->next - began) : 0;
	char bar[31];
	for (int i = 0; i < 30; i++) bar[i] = i < done * 30 ? '#' : '.';
	bar[30] = 0;
	fprintf(stderr, "\r%-12s %s [%s] %5.1f%%  %6.0f s left ", r->name, r->f64 ? "f64" : "f32", bar,
		100 * done, left);
	if (r->next == r->total) fprintf(stderr, "\r%70s\r", "");
}

/* stopped by Ctrl-C: says what is left to do, and ends */
static void end_early(const Options *o, const Row *r)
{
	fprintf(stderr, "\ncheck_math: stopped in %s %s at %.1f%%%s\n", r->name, r->f64 ? "f64" : "f32",
		100.0 * (double)r->next / (double)r->total,
		o->record ? "; the same command goes on from here" : "");
	exit(130);
}

/* a line about a row that is done, with the time of an input if any was looked at now; false if a promise is broken */
static bool judge_row(const Function *f, const Row *r, double seconds)
{
	double bound = r->f64 ? f->bound_f64 : f->bound_f32;
	int digits = r->f64 ? 17 : 9, n;
	uint64_t bent = r->bent + (!r->f64 && f->shape & FALLS_F32 ? climbs(f, r->step) : 0);
	bool good = r->worst <= bound && bent == 0;
	char at[64];
	n = snprintf(at, sizeof at, "%.*g", digits, r->at[0]);
	if (f->args == 2) snprintf(at + n, sizeof at - (size_t)n, ", %.*g", digits, r->at[1]);
	printf("%-12s %s %8.3f ulp at %-*s %9.4f%% not rounded right, %llu settled", f->name,
		r->f64 ? "f64" : "f32", r->worst, f->args == 2 ? 48 : 24, at,
		100.0 * (double)r->wrong / (double)r->total, (unsigned long long)r->settled);
	if (seconds > 0) printf(", %.0f ns an input", 1e9 * seconds);
	if (!good) printf("   BROKEN");
	if (r->worst > BROKEN)
		printf(": a reference breaks its bound");
	else if (r->worst > bound)
		printf(": promised %g", bound);
	if (bent) printf(": shape %llu times", (unsigned long long)bent);
	printf("\n");
	fflush(stdout);
	return good;
}

static void keep(const Options *o, const Row *r)
{
	if (!o->record || record_write(o->record, r)) return;
	fprintf(stderr, "check_math: %s: cannot be written\n", o->record);
	exit(2);
}

/* a tenth as many inputs again, where the errors are largest */
static void hunt(const Options *o, const Function *f, Row *r)
{
	Row h = {.f64 = r->f64, .total = r->total / 10, .mark = source_mark(f, r->f64, true)};
	snprintf(h.name, sizeof h.name, "%s", f->name);
	if (!o->record || !record_read(o->record, &h)) {
		if (!row_hunt(&h, f, o->threads)) {
			fprintf(stderr, "check_math: out of memory\n");
			exit(2);
		}
		keep(o, &h);
	}
	row_join(r, &h);
}

/* one function in one dtype; false if a promise is broken */
static bool check(const Options *o, const Function *f, bool f64)
{
	Row r = {.f64 = f64, .step = 1, .total = o->samples, .mark = source_mark(f, f64, false)};
	snprintf(r.name, sizeof r.name, "%s", f->name);
	if (f->args == 1 && !f64)
		r.step = o->stride, r.total = ((1ull << 32) + r.step - 1) / r.step;
	else if (!f64)
		r.total *= 10;
	if (o->record) record_read(o->record, &r);
	double start = now(), saved = start;
	uint64_t began = r.next, batch = 1 << 18;
	while (r.next < r.total) {
		row_advance(&r, f, batch, o->threads);
		progress(o, &r, start, began);
		if (r.next == r.total || stopped || now() - saved > 5) {
			keep(o, &r);
			saved = now();
		}
		if (stopped) end_early(o, &r);
	}
	if (is_sampled(f, f64)) hunt(o, f, &r);
	return judge_row(f, &r, r.total > began ? (now() - start) / (double)(r.total - began) : 0);
}

static bool named(const Options *o, const char *name)
{
	for (int i = 0; i < o->name_count; i++)
		if (!strcmp(o->names[i], name)) return true;
	return o->name_count == 0;
}

/* the number that an option wants, or 0 with a word about it */
static uint64_t number(const char *option, const char *text)
{
	char *end;
	uint64_t n = text && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
	if (n > 0 && !*end) return n;
	fprintf(stderr, "check_math: %s wants a whole number above 0, not %s\n", option,
		text ? text : "nothing");
	return 0;
}

/* an option with its value (NULL if there is none); false if that is wrong, which is said */
static bool parse_option(Options *o, const char *a, const char *v)
{
	if (!strcmp(a, "--stride")) return (o->stride = number(a, v)) > 0 && (o->stride |= 1);
	if (!strcmp(a, "--samples")) return (o->samples = number(a, v)) > 0;
	if (!strcmp(a, "--threads")) return (o->threads = (int)number(a, v)) > 0;
	if (!strcmp(a, "--dtype") && v && (!strcmp(v, "f32") || !strcmp(v, "f64"))) return (o->dtype = v);
	if (!strcmp(a, "--record") && v) return (o->record = v);
	if (!strcmp(a, "--page") && v) return (o->page = v);
	if (!strcmp(a, "--dtype"))
		fprintf(stderr, "check_math: --dtype wants f32 or f64, not %s\n", v ? v : "nothing");
	else if (!strcmp(a, "--record") || !strcmp(a, "--page"))
		fprintf(stderr, "check_math: %s wants the name of a file\n", a);
	else
		fprintf(stderr, "check_math: there is no option %s; --help lists them\n", a);
	return false;
}

static bool parse(Options *o, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-')
			o->names[o->name_count++] = argv[i];
		else if (!strcmp(argv[i], "--quiet"))
			o->quiet = true;
		else if (parse_option(o, argv[i], i + 1 < argc ? argv[i + 1] : 0))
			i++;
		else
			return false;
	}
	return true;
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

/* all that is asked for, and a line that counts; false if a promise is broken */
static bool check_all(const Options *o)
{
	int results = 0, broken = 0;
	double start = now();
	for (const Function *f = functions; f < functions + function_count; f++)
		broken += named(o, f->name) && !places_kept(f);
	for (const Function *f = functions; f < functions + function_count; f++)
		for (int wide = 0; wide < 2; wide++) {
			if (!named(o, f->name) || (o->dtype && strcmp(o->dtype, wide ? "f64" : "f32")))
				continue;
			results++;
			broken += !check(o, f, wide);
		}
	printf("%d results, %d broken, %.0f s\n", results, broken, now() - start);
	return broken == 0;
}

int main(int argc, char **argv)
{
	Options o = {.stride = 1, .samples = 100000000, .threads = (int)sysconf(_SC_NPROCESSORS_ONLN)};
	o.names = calloc((size_t)argc, sizeof *o.names);
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return fputs(help, stdout) < 0;
	if (!o.names || !parse(&o, argc, argv)) return 2;
	if (unknown(&o)) {
		fprintf(stderr, "check_math: no function is called %s\n", unknown(&o));
		return 2;
	}
	signal(SIGINT, stop);
	bool good = check_all(&o);
	if (o.page && !(o.record && record_page(o.page, o.record))) {
		fprintf(stderr, "check_math: %s: cannot be written%s\n", o.page,
			o.record ? "" : " without --record");
		return 2;
	}
	free(o.names);
	return !good;
}
