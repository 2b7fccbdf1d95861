/* check_maps.c - every map of every dtype, and every pair of maps where their types meet, in each way of running, to the
 * bit, at the edges of their dtypes; `help` says how it is called.
 *
 * What this looks for is a C compiler that takes two functions of src/math, each right, for something else when it has
 * both before it: a cast there and back for a rounding, a difference for a negation.  So a pair stands where such
 * things differ: in a vector loop, and in the scalar code of a row; with operands of its own, with one for all, and with
 * a constant.  The reference evaluator calls one function at a time. */
#include "../src/kernels/c_kernel.h"
#include "../src/standalone/writer.h"
#include "../src/interp/interp.h"
#include "../src/math/math.h"
#include "../src/oracle/oracle.h"
#include "../src/run/run.h"
#include "../src/run/compiler.h"
#include "../tests/kernel/room.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EDGES = 64, ELEMENTS = EDGES * EDGES, ARRAYS = 3, MAPS = 2000, RUN = 256, COMMANDS = 16, DEAR = 2500, SHOWN = 20 };

static const char help[] =
	"check_maps [option...]   compares maps and pairs of maps; the last line is `N pairs, same N, differ N`\n"
	"  --every N      one of N pairs, chosen by --seed N (0); maps alone are all there\n"
	"  --dear         also pairs of two long functions, which hardly see one another\n"
	"  --only TEXT    pairs whose text contains it\n"
	"  --jobs N       processes (2)\n"
	"  --native CC    native code by this compiler too; may be repeated\n"
	"  --alone 'CC -FLAGS'   standalone C by this command too; may be repeated\n"
	"  --baseline     for the machine's least instruction set, too\n"
	"  --quiet        differences and the last line alone\n";

typedef struct Options {
	uint64_t every, seed;
	bool dear, baseline, quiet;
	const char *only, *native[COMMANDS], *alone[COMMANDS];
	int nnative, nalone, jobs;
} Options;

typedef struct Count { _Atomic uint64_t pairs, same, differ, broken; } Count;

/* ---- maps ---------------------------------------------------------------------------------- */

typedef struct Map {
	uint16_t op;
	uint8_t n, in[3], out;
	uint32_t weight; /* characters of its function */
	char name[40];   /* of its function, and its dtype where that has another name: "add_f32 of f16" */
} Map;

static Map maps[MAPS];
static uint32_t nmap;

static const Attr *attr_of(Graph *g, const Map *m)
{
	AttrValue to = av_dtype((Dtype)m->out);
	return m->op == OP_CAST || m->op == OP_BITCAST ? attr_make(g, 1, &to) : NULL;
}

static void add_map(Graph *g, Op op, Dtype from, Dtype to)
{
	Map m = {.op = (uint16_t)op, .n = (uint8_t)op_info[op].args, .out = (uint8_t)to};
	Node *arg[3];
	for (uint32_t i = 0; i < m.n; i++) {
		m.in[i] = (uint8_t)(op == OP_WHERE && !i ? DT_BOOL : from);
		arg[i] = fresh(g, type_scalar(g, (Dtype)m.in[i]), NULL);
	}
	Node *x = node_make(g, op, attr_of(g, &m), m.n, arg);
	error_clear(&g->error);
	if (!x || dtype_is_complex(node_dtype(x)) || nmap == MAPS) return;
	m.out = x->type->dtype;
	Ins ins = {.kind = INS_MAP, .op = m.op, .from = (uint8_t)from, .dtype = m.out};
	map_function(&ins, m.name);
	m.weight = math_weight(m.name);
	if (dtype_is_narrow(from) || dtype_is_narrow((Dtype)m.out))
		snprintf(m.name, sizeof m.name, "%.20s %s %s", op_info[op].name, dtype_name(from),
			dtype_name((Dtype)m.out));
	maps[nmap++] = m;
}

static bool is_real(Dtype d)
{
	return d != DT_KEY && !dtype_is_complex(d);
}

static void find_maps(void)
{
	Graph *g = graph_open(NULL);
	for (int op = OP_NONE + 1; g && op < OP_COUNT; op++) {
		bool converts = op == OP_CAST || op == OP_BITCAST;
		if (op_info[op].class != MAP || op == OP_STOP || op == OP_RE || op == OP_IM || op == OP_CONJ)
			continue; /* nothing is computed for a real number */
		for (Dtype d = DT_NONE + 1; d < DT_WEAK_INT; d++)
			for (Dtype to = DT_BOOL; to < (converts ? DT_WEAK_INT : DT_BOOL + 1); to++)
				if (is_real(d) && is_real(to)) add_map(g, (Op)op, d, to);
	}
	graph_close(g);
}

/* ---- pairs ------------------------------------------------------------------------------------- */

/* What the operands are that are no map's result: arrays of their own, one array wherever the dtype is the same, or one
 * array for the inner map and a constant for the outer. */
typedef enum Others { OWN_ARRAYS, ONE_ARRAY, CONSTANTS } Others;
static const double constants[] = {0, -0.0, 1, -1, 2, 0.5, -3, __builtin_inf()};
enum { NCONSTANT = sizeof constants / sizeof *constants };

typedef struct Pair {
	const Map *f, *g;  /* f(..., g(...), ...); g NULL: f alone */
	uint32_t at;       /* operand of f that g is */
	Others others;
	double constant;
} Pair;

static uint64_t mixed(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static void pair_text(const Pair *p, char out[200])
{
	static const char *const what[] = {"", ", one array", ""};
	char constant[40] = "";
	if (p->others == CONSTANTS) snprintf(constant, sizeof constant, ", %g elsewhere", p->constant);
	if (p->g)
		snprintf(out, 200, "%s(%s) at operand %u%s%s", p->f->name, p->g->name, p->at + 1,
			what[p->others], constant);
	else
		snprintf(out, 200, "%s%s%s", p->f->name, what[p->others], constant);
}

typedef struct Pairs { uint32_t n, room; Pair *pair; } Pairs;

static void take(Pairs *all, const Options *o, Pair p)
{
	char text[200];
	pair_text(&p, text);
	if (o->only && !strstr(text, o->only)) return;
	if (all->n == all->room) {
		all->room = all->room ? 2 * all->room : 1024;
		all->pair = realloc(all->pair, all->room * sizeof *all->pair);
		if (!all->pair) exit(2);
	}
	all->pair[all->n++] = p;
}

static void alone(Pairs *all, const Options *o, const Map *f)
{
	take(all, o, (Pair){.f = f});
	if (f->n == 1) return;
	take(all, o, (Pair){.f = f, .others = ONE_ARRAY});
	for (uint32_t at = 0; at < f->n; at++)
		for (int c = 0; c < (f->weight > DEAR ? 1 : NCONSTANT); c++)
			take(all, o, (Pair){.f = f, .at = at, .others = CONSTANTS, .constant = constants[c]});
}

static Pairs find_pairs(const Options *o)
{
	Pairs all = {0};
	uint64_t serial = 0;
	for (uint32_t i = 0; i < nmap; i++) alone(&all, o, &maps[i]);
	for (uint32_t i = 0; i < nmap; i++)
		for (uint32_t k = 0; k < nmap; k++)
			for (uint32_t at = 0; at < maps[i].n; at++) {
				const Map *f = &maps[i], *g = &maps[k];
				uint64_t h = mixed(++serial + (o->seed << 32));
				if (f->in[at] != g->out || h % o->every) continue;
				if (f->weight > DEAR && g->weight > DEAR && !o->dear) continue;
				take(&all, o, (Pair){.f = f, .g = g, .at = at});
				if (f->n == 1 && g->n == 1) continue;
				Others more = f->n > 1 && (h >> 40) % 3 ? CONSTANTS : ONE_ARRAY;
				take(&all, o, (Pair){f, g, at, more, constants[(h >> 48) % NCONSTANT]});
			}
	return all;
}

/* ---- edges --------------------------------------------------------------------------------------- */

static uint32_t float_edges(double edge[EDGES], double least, double normal, double largest, double ulp)
{
	const double positive[] = {0, least, 3 * least, normal - least, normal, 0.0009, 0.25, 0.5, 1 - ulp / 2, 1,
		1 + ulp, 1.5, 2, 2.5, 3, 10.3, 127.5, 128, 255.5, 256, 1 / ulp, 2 / ulp, 0x1p31, 0x1p32, 0x1p53,
		0x1p63, 0x1p64, largest, __builtin_inf()};
	uint32_t n = 0;
	for (uint32_t i = 0; i < countof(positive); i++) edge[n++] = positive[i], edge[n++] = -positive[i];
	edge[n++] = __builtin_nan("");
	return n;
}

static uint32_t whole_edges(int64_t edge[EDGES], int bits, bool is_signed)
{
	const int64_t near[] = {0, 1, 2, 3, 7, 8, 10, 15, 16, 31, 32, 63, 64, 65, 100, -1, -2, -3, -7, -8, -100};
	const int power[] = {6, 7, 8, 15, 16, 24, 31, 32, 52, 53, 62, 63};
	uint32_t n = 0;
	for (uint32_t i = 0; i < countof(near); i++) edge[n++] = near[i];
	for (uint32_t i = 0; i < countof(power); i++)
		for (int64_t d = -1; d <= 1; d++) edge[n++] = (int64_t)((1ull << power[i]) + (uint64_t)d);
	edge[n++] = (int64_t)(1ull << (bits - 1)), edge[n++] = (int64_t)((1ull << (bits - 1)) - (uint64_t)is_signed);
	edge[n++] = -(int64_t)(1ull << (bits - 2)), edge[n++] = (int64_t)0x9e3779b97f4a7c15;
	return n;
}

static uint32_t edges(Dtype d, char (*out)[8])
{
	double x[EDGES] = {0};
	int64_t w[EDGES] = {0};
	uint32_t n = 2;
	double unit = ldexp(1, 1 - dtype_digits(d));
	if (dtype_is_float(d))
		n = float_edges(x, dtype_min(d) * unit, dtype_min(d), dtype_max(d), unit);
	else if (dtype_is_integer(d))
		n = whole_edges(w, 8 * (int)dtype_bytes(d), !dtype_is_unsigned(d));
	for (uint32_t i = 0; i < n; i++)
		if (dtype_is_float(d))
			element_cast(d, out[i], DT_F64, &x[i]);
		else if (d == DT_BOOL)
			out[i][0] = (char)i;
		else
			memcpy(out[i], &w[i], dtype_bytes(d)); /* its low bytes */
	return n;
}

/* Array k of a dtype: with another all pairs of edges, and of three a part. */
static char *filled[DT_COUNT][ARRAYS];

static void fill(Dtype d)
{
	char edge[EDGES][8] = {{0}};
	uint32_t n = edges(d, edge);
	size_t size = dtype_bytes(d);
	for (uint32_t k = 0; k < ARRAYS; k++) {
		char *at = filled[d][k] = malloc(ELEMENTS * size);
		if (!at) exit(2);
		for (uint32_t i = 0; i < ELEMENTS; i++) {
			uint32_t e = k == 0 ? i % EDGES : k == 1 ? i / EDGES : 5 * i + 11 * (i / EDGES);
			memcpy(at + i * size, edge[e % n], size);
		}
	}
}

/* ---- a batch: pairs as a function for the evaluator, and as kernels ---------------------------- */

/* Pairs [first, end) of a batch: a loop each, or the scalar code of the rows. */
typedef struct Draft {
	Kernel k;
	KernelRoom room;
	uint32_t first, end;
	void *buffer[BUFFERS_MAX];
	uint8_t input[DT_COUNT][ARRAYS]; /* 1 + its buffer */
} Draft;

typedef struct Batch {
	Graph *g;
	const Pair *pair;
	uint32_t npair;
	bool rows;                       /* the scalar code of rows; else loops */
	Node *param[DT_COUNT][ARRAYS];
	Value *want;
	char *got;                       /* of pair i, at i*ELEMENTS*8 */
	bool *differs;
	uint32_t ndraft;
	Draft draft[UNIT_MOST];
	const char *source;
} Batch;

static const Type *array_type(Batch *b, Dtype d)
{
	const Size *dim[] = {size_const(b->g, ELEMENTS)};
	return type_array(b->g, d, 1, dim);
}

static Node *pair_constant(Batch *b, Dtype d, double value)
{
	double low = dtype_is_unsigned(d) ? 0 : -3;
	if (!dtype_is_float(d)) value = value < low ? 3 : value > 100 ? 100 : value;
	return constant_float(b->g, array_type(b, d), d == DT_BOOL ? value > 0 : value);
}

/* What operand i of a map is: an array, a constant, or (NULL) the inner map. */
static Node *operand(Batch *b, const Pair *p, const Map *m, uint32_t i, uint32_t *array)
{
	Dtype d = (Dtype)m->in[i];
	bool outer = m == p->f && array[1];
	if (outer && p->g && i == p->at) return NULL;
	if (outer && p->others == CONSTANTS && (p->g || i == p->at)) return pair_constant(b, d, p->constant);
	uint32_t k = p->others == ONE_ARRAY ? 0 : array[0]++ % ARRAYS;
	if (!b->param[d][k]) b->param[d][k] = fresh(b->g, array_type(b, d), NULL);
	return b->param[d][k];
}

static bool has_room(const Batch *b, const Draft *d)
{
	uint32_t loads = 5, pairs = d->end - d->first;
	return d->k.nbuffer + loads + 1 <= BUFFERS_MAX && d->k.ncode + 2 * loads + 3 <= CODE_MAX &&
		(b->rows || pairs < STAGES_MAX);
}

static uint16_t add_ins(Draft *d, Ins x)
{
	d->k.code[d->k.ncode] = x;
	return d->k.ncode++;
}

static uint16_t add_access(Draft *d, InsKind kind, uint32_t buffer, Dtype t, uint16_t value)
{
	Access *a = &d->k.at[d->k.nat];
	a->buffer = (uint8_t)buffer;
	a->offset = INT_LITERAL(0);
	a->stride[0] = INT_LITERAL(1);
	return add_ins(d, (Ins){.kind = (uint8_t)kind, .dtype = (uint8_t)t, .a = value, .at = d->k.nat++});
}

static uint16_t add_operand(Batch *b, Draft *d, const Node *x)
{
	Dtype t = node_dtype(x);
	uint64_t bits = 0;
	if (x->op == OP_CONST) {
		memcpy(&bits, constant_bytes(x), dtype_bytes(t));
		return add_ins(d, (Ins){.kind = INS_CONST, .dtype = (uint8_t)t, .bits = bits});
	}
	uint32_t k = 0;
	while (b->param[t][k] != x) k++;
	if (!d->input[t][k]) {
		d->buffer[d->k.nbuffer] = filled[t][k];
		d->k.buffer[d->k.nbuffer].dtype = (uint8_t)t;
		d->input[t][k] = ++d->k.nbuffer;
	}
	return add_access(d, INS_LOAD, d->input[t][k] - 1u, t, 0);
}

/* The pair as a node, and behind what the draft has. */
static Node *add_pair(Batch *b, Draft *d, uint32_t number)
{
	const Pair *p = &b->pair[number];
	uint32_t array[2] = {0, p->g == NULL}; /* how many were used; is this the outer map? */
	Node *inner = NULL;
	uint16_t last = 0, first = d->k.ncode;
	for (const Map *m = p->g ? p->g : p->f; m; m = m == p->f && array[1] ? NULL : p->f) {
		Node *x[3];
		uint16_t v[3] = {0};
		if (inner) array[1] = 1;
		for (uint32_t i = 0; i < m->n; i++) {
			x[i] = operand(b, p, m, i, array);
			v[i] = x[i] ? add_operand(b, d, x[i]) : last;
			if (!x[i]) x[i] = inner;
		}
		inner = node_make(b->g, (Op)m->op, attr_of(b->g, m), m->n, x);
		last = add_ins(d, (Ins){.kind = INS_MAP, .op = m->op, .from = m->in[m->n - 1], .dtype = m->out, .a = v[0],
					  .b = v[1], .c = v[2]});
	}
	d->buffer[d->k.nbuffer] = b->got + (size_t)number * ELEMENTS * 8;
	d->k.buffer[d->k.nbuffer].dtype = p->f->out, d->k.buffer[d->k.nbuffer].written = true;
	add_access(d, INS_STORE, d->k.nbuffer++, (Dtype)p->f->out, last);
	if (!b->rows) d->k.stage[d->k.nstage++] = (Stage){first, 0, true};
	d->k.stage[d->k.nstage - 1].end = d->k.ncode;
	d->end = number + 1;
	return inner;
}

/* A row's scalar code has a loop before it: the largest of two equal elements, which goes nowhere. */
static void add_inner(Draft *d)
{
	d->buffer[0] = filled[DT_I32][0], d->input[DT_I32][0] = 1;
	d->k.buffer[d->k.nbuffer++].dtype = DT_I32;
	uint16_t x = add_access(d, INS_LOAD, 0, DT_I32, 0);
	add_ins(d, (Ins){.kind = INS_FOLD, .op = OP_MAX, .from = DT_I32, .dtype = DT_I32, .a = x});
	d->k.nrow = 1, d->k.naxis = 2, d->k.extent[1] = (Int){1, 0}, d->k.nparam = 2;
	d->k.stage[d->k.nstage++] = (Stage){0, d->k.ncode, true};
	d->k.stage[d->k.nstage++] = (Stage){d->k.ncode, d->k.ncode, false};
}

static const int64_t extents[] = {ELEMENTS, 2};

static Draft *open_draft(Batch *b, uint32_t first)
{
	Draft *d = &b->draft[b->ndraft++];
	d->k = (Kernel){.recipe = RECIPE_ROWS, .naxis = 1, .nparam = 1, .index = b->ndraft - 1};
	kernel_takes(&d->k, &d->room);
	d->k.extent[0] = (Int){0, 0};
	d->first = d->end = first;
	if (b->rows) add_inner(d);
	return d;
}

/* What the evaluator makes of them. */
static bool find_wanted(Batch *b, Node *const *root)
{
	Node *param[DT_COUNT * ARRAYS];
	Value in[DT_COUNT * ARRAYS];
	uint32_t n = 0;
	Closure c;
	for (uint32_t d = 0; d < DT_COUNT; d++)
		for (uint32_t k = 0; k < ARRAYS; k++)
			if (b->param[d][k]) {
				const Type *t = b->param[d][k]->type;
				param[n] = b->param[d][k];
				in[n++] = (Value){.type = t, .dtype = (Dtype)d, .rank = 1, .dim = {ELEMENTS},
					.count = ELEMENTS, .data = filled[d][k]};
			}
	return function_close(b->g, (Title){0}, (Nodes){n, param}, (Nodes){b->npair, root}, &c) &&
		evaluate(b->g, b->g->arena, c.function, in, b->want, false);
}

static Batch *open_batch(const Pair *pair, uint32_t n, bool rows)
{
	Graph *g = graph_open(NULL);
	Batch *b = NEW(g->arena, Batch);
	*b = (Batch){.g = g, .pair = pair, .npair = n, .rows = rows};
	Node **root = NEW_ARRAY(g->arena, Node *, n);
	b->want = NEW_ARRAY(g->arena, Value, n);
	b->differs = NEW_ARRAY(g->arena, bool, n);
	b->got = NEW_ARRAY(g->arena, char, (size_t)n * ELEMENTS * 8);
	Draft *d = NULL;
	for (uint32_t i = 0; i < n; i++) {
		if (!d || !has_room(b, d)) d = b->ndraft < UNIT_MOST ? open_draft(b, i) : NULL;
		if (!d) { /* the rest is the next batch's */
			b->npair = i;
			break;
		}
		root[i] = add_pair(b, d, i);
	}
	const Kernel *kernel[UNIT_MOST];
	for (uint32_t i = 0; i < b->ndraft; i++) kernel[i] = &b->draft[i].k;
	Text t;
	text_open(&t, g->arena);
	if (find_wanted(b, root) && emit_unit(&t, b->ndraft, kernel, &g->error)) b->source = text_done(&t);
	return b;
}

/* ---- comparing ------------------------------------------------------------------------------------ */

static bool same(Dtype d, const char *p, const char *q)
{
	if (!memcmp(p, q, dtype_bytes(d))) return true;
	double x = element_number(d, p), y = element_number(d, q);
	return dtype_is_float(d) && x != x && y != y;
}

static void compare(Batch *b, const char *way, uint32_t i)
{
	static int shown;
	Dtype d = b->want[i].dtype;
	size_t size = dtype_bytes(d);
	for (uint32_t e = 0; e < ELEMENTS; e++) {
		const char *p = b->got + (size_t)i * ELEMENTS * 8 + e * size;
		const char *q = (const char *)b->want[i].data + e * size;
		char text[200];
		if (same(d, p, q)) continue;
		if (!b->differs[i] && shown++ < SHOWN) {
			pair_text(&b->pair[i], text);
			printf("%s, %s, %s: element %u: %.17g, reference %.17g\n", text,
				b->rows ? "a row" : "a loop", way, e, element_number(d, p), element_number(d, q));
			fflush(stdout);
		}
		b->differs[i] = true;
		return;
	}
}

/* ---- ways ------------------------------------------------------------------------------------------- */

static bool interpret(Batch *b, int isa, Error *e)
{
	bool good = true;
	memset(b->got, 0x77, (size_t)b->npair * ELEMENTS * 8);
	for (uint32_t i = 0; i < b->ndraft && good; i++) {
		Draft *d = &b->draft[i];
		Arena *a = arena_child(b->g->arena);
		Fault fault = {.position = INT64_MAX};
		Bound *bound = interp_bind(interp_new(&d->k, const_pool_open(a, isa)), extents, a, e);
		void *scratch = bound ? aligned_alloc(64, (bound_scratch(bound) + 64) & ~(size_t)63) : NULL;
		good = scratch != NULL;
		if (good) interp_run(bound, &(Piece){d->buffer, extents, 0, bound_items(bound), scratch, &fault}, NULL);
		free(scratch);
		arena_free(a);
	}
	for (uint32_t i = 0; i < b->npair && good; i++) compare(b, isa ? "interpreted" : "interpreted, baseline", i);
	return good;
}

typedef void (*Native)(void *const *, const int64_t *, int64_t, int64_t, void *, Fault *);

static bool run_native(Batch *b, const char *way, void *(*symbol)(const void *, const char *), const void *code, Error *e)
{
	memset(b->got, 0x77, (size_t)b->npair * ELEMENTS * 8);
	for (uint32_t i = 0; i < b->ndraft; i++) {
		Draft *d = &b->draft[i];
		char name[20];
		Fault fault = {.position = INT64_MAX};
		snprintf(name, sizeof name, "k%u", i);
		KernelForm form = kernel_form(&d->k);
		void *s = symbol(code, name), *scratch = aligned_alloc(64, (form_scratch(&form, extents) + 64) & ~(size_t)63);
		Native f;
		memcpy(&f, &s, sizeof f);
		if (!f || !scratch) return fail(e, ERR_COMPILER, (Where){0}, "%s: there is no %s", way, name) != NULL;
		f(d->buffer, extents, 0, form_items(&form, extents), scratch, &fault);
		free(scratch);
	}
	for (uint32_t i = 0; i < b->npair; i++) compare(b, way, i);
	return true;
}

static void *of_unit(const void *code, const char *name)
{
	return code_symbol(code, name);
}

static void *of_file(const void *code, const char *name)
{
	return dlsym((void *)(uintptr_t)code, name);
}

static bool compile_native(Batch *b, const char *command, int isa, const char *folder, Error *e)
{
	Compiler c;
	char way[200];
	snprintf(way, sizeof way, "native by %.150s%s", command, isa ? "" : ", baseline");
	if (!compiler_open(&c, command, folder, e)) return false;
	c.time_limit = 600;
	Code *code = compile_unit(&c, b->source, isa, false, e);
	bool good = code && run_native(b, way, of_unit, code, e);
	code_close(code);
	cache_clear(&c.cache);
	compiler_close(&c);
	return good;
}

/* What stands before and behind kernels in standalone C, compiled by a user's command. */
static bool compile_alone(Batch *b, const char *command, int isa, const char *folder, Error *e)
{
	char source[300], object[300], line[1000], way[200];
	snprintf(source, sizeof source, "%s/alone.c", folder), snprintf(object, sizeof object, "%s/alone.so", folder);
	snprintf(way, sizeof way, "standalone by %.150s%s", command, isa ? "" : ", baseline");
	Text t;
	text_open(&t, b->g->arena);
	print_head(&t);
	text_add(&t, isa_region(isa)), text_add(&t, b->source), text_add(&t, isa_region_end(isa));
	FILE *f = fopen(source, "w");
	bool written = f && fputs(text_done(&t), f) >= 0;
	written = f && fclose(f) == 0 && written;
	snprintf(line, sizeof line, "%s -w -shared -fPIC -o %s %s -lm", command, object, source);
	void *code = written && system(line) == 0 ? dlopen(object, RTLD_NOW | RTLD_LOCAL) : NULL;
	unlink(object);
	if (!code) return fail(e, ERR_COMPILER, (Where){0}, "%s: it failed", line) != NULL;
	bool good = run_native(b, way, of_file, code, e);
	dlclose(code);
	return good;
}

static bool run_ways(Batch *b, const Options *o, const char *folder, Error *e)
{
	int best = cpu_isa();
	bool good = b->source != NULL;
	for (int isa = o->baseline ? 0 : best; isa <= best && good; isa += best ? best : 1) {
		good = interpret(b, isa, e);
		for (int i = 0; i < o->nnative && good; i++) good = compile_native(b, o->native[i], isa, folder, e);
		for (int i = 0; i < o->nalone && good; i++) good = compile_alone(b, o->alone[i], isa, folder, e);
	}
	return good;
}

/* How many of these pairs were compared. */
static uint32_t check_batch(const Options *o, const Pair *pair, uint32_t n, bool rows, const char *folder, Count *count)
{
	Error e = {0};
	Batch *b = open_batch(pair, n, rows);
	n = b->npair;
	if (!run_ways(b, o, folder, &e)) {
		printf("%u pairs were not compared: %s\n", n, b->g->error.code ? b->g->error.text : e.text);
		fflush(stdout);
		count->broken += n;
	} else
		for (uint32_t i = 0; i < n; i++) *(b->differs[i] ? &count->differ : &count->same) += 1;
	graph_close(b->g);
	return n;
}

/* ---- all of them --------------------------------------------------------------------------------- */

/* Every `jobs`-th run of pairs; code goes to a folder of its own, which goes at the end. */
static void check_part(const Options *o, const Pairs *all, uint32_t part, Count *count)
{
	char folder[] = "/tmp/check_maps-XXXXXX";
	if (!mkdtemp(folder)) exit(2);
	for (uint32_t i = part * RUN; i < all->n; i += RUN * (uint32_t)o->jobs) {
		uint32_t n = all->n - i < RUN ? all->n - i : RUN;
		for (int rows = 0; rows <= 1; rows++)
			for (uint32_t k = 0; k < n;)
				k += check_batch(o, all->pair + i + k, n - k, rows, folder, count);
		count->pairs += n;
		if (o->quiet) continue;
		printf("%llu of %u\n", (unsigned long long)count->pairs, all->n);
		fflush(stdout);
	}
	rmdir(folder);
}

static bool read_options(int argc, char **argv, Options *o)
{
	*o = (Options){.every = 1, .jobs = 2};
	for (int i = 1; i < argc; i++) {
		const char *a = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
		if (!strcmp(a, "--dear"))
			o->dear = true;
		else if (!strcmp(a, "--baseline"))
			o->baseline = true;
		else if (!strcmp(a, "--quiet"))
			o->quiet = true;
		else if (!value)
			return false;
		else if (!strcmp(a, "--only"))
			o->only = argv[++i];
		else if (!strcmp(a, "--native") && o->nnative < COMMANDS)
			o->native[o->nnative++] = argv[++i];
		else if (!strcmp(a, "--alone") && o->nalone < COMMANDS)
			o->alone[o->nalone++] = argv[++i];
		else if (!strcmp(a, "--every"))
			o->every = strtoull(argv[++i], NULL, 10);
		else if (!strcmp(a, "--seed"))
			o->seed = strtoull(argv[++i], NULL, 10);
		else if (!strcmp(a, "--jobs"))
			o->jobs = atoi(argv[++i]);
		else
			return false;
	}
	return o->every > 0 && o->jobs > 0;
}

int main(int argc, char **argv)
{
	Options o;
	if (!read_options(argc, argv, &o)) {
		fputs(help, stderr);
		return 2;
	}
	find_maps();
	for (Dtype d = DT_NONE + 1; d < DT_WEAK_INT; d++)
		if (is_real(d)) fill(d);
	Pairs all = find_pairs(&o);
	Count *count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (count == MAP_FAILED) return 2;
	if (!o.quiet) printf("%u maps, %u pairs, each in a loop and in a row\n", nmap, all.n);
	fflush(stdout);
	bool died = false;
	for (int i = 0; i < o.jobs; i++)
		if (fork() == 0) {
			check_part(&o, &all, (uint32_t)i, count);
			_exit(0);
		}
	for (int i = 0, status; i < o.jobs; i++) died |= wait(&status) < 0 || status != 0;
	printf("%u pairs, same %llu, differ %llu%s\n", all.n, (unsigned long long)count->same,
		(unsigned long long)count->differ, count->broken ? ", not compared: some" : died ? ", a process died" : "");
	return died || count->differ || count->broken;
}
