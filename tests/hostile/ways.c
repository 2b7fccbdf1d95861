/* ways.c - functions called with numbers that may be bad, by the evaluator, the interpreter and native code.
 *
 *     ways FILE.por CALLS FOLDER [WAY...]
 *
 * Every function takes (x: f64[n], k: i64) and gives one array of f64.  CALLS: a line `NAME n k` each, calls of one
 * function one after the other; x is 1, 2, ..., n.  Before each call a line `call NAME n k WAY` is printed, so that
 * one that ends the process is known, and after it `refused CODE TEXT` or `= SHAPE : VALUES`.  FOLDER gets NAME.c and
 * NAME.h, the function as C that stands alone.  A call that takes longer than SECONDS ends the process.
 */
#include "porism.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 5 };

static const struct Way {
	const char *name;
	int tier;
} ways[] = {{"reference", POR_TIER_REFERENCE}, {"interpreted", POR_TIER_INTERPRET}, {"native", POR_TIER_NATIVE}};
enum { WAYS = sizeof ways / sizeof *ways };

typedef struct Run {
	por_graph *graph;
	por_module *module;
	por_program *program[WAYS];
	por_frame *frame[WAYS];
	const char *folder;
} Run;

static void refused(const por_error *e)
{
	char text[512];
	snprintf(text, sizeof text, "%.400s", e->text);
	for (char *c = text; *c; c++)
		if (*c == '\n') *c = ' ';
	printf("refused %d %s\n", e->code, text);
}

static void write_file(const Run *r, const char *name, const char *end, char *text)
{
	char path[1024];
	snprintf(path, sizeof path, "%s/%s.%s", r->folder, name, end);
	FILE *f = text ? fopen(path, "w") : NULL;
	if (f) fputs(text, f), fclose(f);
	por_text_free(text);
}

static void close_function(Run *r)
{
	for (int w = 0; w < WAYS; w++) {
		por_frame_free(r->frame[w]), por_program_free(r->program[w]);
		r->frame[w] = NULL, r->program[w] = NULL;
	}
}

/* In the ways that are asked for; what does not compile is told once. */
static void open_function(Run *r, const char *name, const char *wanted)
{
	close_function(r);
	por_function *f = por_function_named(r->module, name, 0, NULL);
	for (int w = 0; w < WAYS; w++) {
		if (*wanted && !strstr(wanted, ways[w].name)) continue;
		por_options o = {.size = sizeof o, .tier = ways[w].tier, .threads = 1};
		r->program[w] = f ? por_compile_function(f, &o) : NULL;
		r->frame[w] = r->program[w] ? por_frame_new(r->program[w]) : NULL;
		if (!r->frame[w]) {
			printf("call %s - - %s\n", name, ways[w].name);
			refused(por_graph_error(r->graph));
			por_clear_error(r->graph);
		} else if (ways[w].tier == POR_TIER_INTERPRET) {
			write_file(r, name, "c", por_export_c(r->program[w], name, 0));
			write_file(r, name, "h", por_export_c(r->program[w], name, 1));
		}
	}
}

static void print_result(const por_array *a)
{
	const double *x = a->data;
	int64_t n = por_array_count(a);
	printf("=");
	for (int i = 0; i < a->ndim; i++) printf(" %" PRId64, a->shape[i]);
	printf(" :");
	for (int64_t i = 0; i < n; i++) printf(" %.17g", x[i]);
	putchar('\n');
}

static void call(Run *r, const char *name, int64_t n, int64_t k)
{
	double *x = malloc((size_t)n * sizeof *x); /* no element more: a sanitizer sees what reads past it */
	for (int64_t i = 0; i < n; i++) x[i] = (double)(i + 1);
	por_array in[2] = {por_view(x, POR_F64, 1, &n), por_view(&k, POR_I64, 0, NULL)};
	for (int w = 0; w < WAYS; w++) {
		if (!r->frame[w]) continue;
		printf("call %s %" PRId64 " %" PRId64 " %s\n", name, n, k, ways[w].name);
		fflush(stdout);
		alarm(SECONDS);
		if (por_call(r->program[w], r->frame[w], 2, in, 0, NULL))
			refused(por_frame_error(r->frame[w]));
		else
			print_result(por_frame_result(r->frame[w], 0));
		alarm(0);
	}
	free(x);
}

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 1 << 22);
	if (f) text[fread(text, 1, (1 << 22) - 1, f)] = 0, fclose(f);
	return text;
}

int main(int argc, char **argv)
{
	if (argc < 4) return 2;
	char *text = read_file(argv[1]), name[128], last[128] = "", wanted[256] = "";
	for (int i = 4; i < argc; i++) strcat(strcat(wanted, argv[i]), " ");
	Run r = {.graph = por_open(NULL), .folder = argv[3]};
	r.module = por_load(r.graph, text, -1, "hostile.por");
	if (!r.module) return fprintf(stderr, "%s\n", por_graph_error(r.graph)->text), 1;
	FILE *calls = fopen(argv[2], "r");
	int64_t n, k;
	while (calls && fscanf(calls, "%127s %" SCNd64 " %" SCNd64, name, &n, &k) == 3) {
		if (strcmp(name, last)) open_function(&r, name, wanted);
		strcpy(last, name);
		call(&r, name, n, k);
	}
	if (calls) fclose(calls);
	close_function(&r);
	por_close(r.graph);
	free(text);
	return 0;
}
