/* test_execute.c - plans built by hand: sizes, strides, loops with aliases and carried values, faults, threads, frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#undef fail
#include "../../src/run/run.h"
#include "../kernel/room.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- building plans ----------------------------------------------------------------- */

static uint32_t dim(Plan *p, Dim d)
{
	d.guard = UINT32_MAX;
	if (!p->dim)
		p->dim = NEW_ARRAY(p->arena, Dim, 64);
	p->dim[p->ndim] = d;
	return p->ndim++;
}

static uint32_t dim_n(Plan *p, int64_t v) { return dim(p, (Dim){ .kind = DIM_CONST, .value = v }); }

static uint32_t buffer(Plan *p, Dtype d, Space space, uint32_t rank, const uint32_t *dims)
{
	if (!p->buffer)
		p->buffer = NEW_ARRAY(p->arena, Buffer, 32);
	Buffer *b = &p->buffer[p->nbuffer];
	*b = (Buffer){ .dtype = (uint8_t)d, .space = space, .rank = rank, .loop = UINT32_MAX, .first = UINT32_MAX };
	b->axes = p->naxis++;
	uint32_t elements = dim_n(p, 1);
	for (uint32_t k = 0; k < rank; k++) {
		p->axis[p->naxis++] = dims[k];
		elements = dim(p, (Dim){ .kind = DIM_MUL, .a = elements, .b = dims[k] });
	}
	p->axis[b->axes] = elements;
	return p->nbuffer++;
}

static uint32_t argument(Plan *p, bool in, const char *name, Dtype d, uint32_t rank, const uint32_t *dims)
{
	struct PlanArg **list = in ? &p->in : &p->out;
	uint32_t *n = in ? &p->nin : &p->nout;
	if (!*list)
		*list = NEW_ARRAY(p->arena, struct PlanArg, 8);
	struct PlanArg *a = &(*list)[*n];
	*a = (struct PlanArg){ .name = name, .dtype = (uint8_t)d, .rank = rank, .file = "model.por", .line = 7 };
	a->buffer = buffer(p, d, in ? SPACE_INPUT : SPACE_OUTPUT, rank, dims);
	p->buffer[a->buffer].index = (*n)++;
	return a->buffer;
}

static Plan *plan_open(void)
{
	Arena *a = arena_new(NULL);
	Plan *p = NEW(a, Plan);
	p->arena = a;
	p->kernel = NEW_ARRAY(a, Kernel *, 16);
	p->axis = NEW_ARRAY(a, uint32_t, 128);
	return p;
}

static Kernel *kernel(Plan *p, Recipe r, uint8_t naxis, uint8_t nrow, uint8_t nfold)
{
	Kernel *k = NEW(p->arena, Kernel);
	*k = (Kernel){ .index = p->nkernel, .recipe = r, .naxis = naxis, .nrow = nrow, .nfold = nfold, .nparam = naxis };
	kernel_takes(k, NEW(p->arena, KernelRoom));
	for (uint8_t i = 0; i < naxis; i++)
		k->extent[i] = (Int){ i, 0 };
	p->kernel[p->nkernel++] = k;
	return k;
}

static uint16_t access_to(Kernel *k, uint8_t buffer, Dtype d, bool written, int64_t s0, Int s1)
{
	Access *a = &k->at[k->nat];
	a->buffer = buffer;
	a->offset = INT_LITERAL(0);
	a->stride[0] = s0 < 0 ? s1 : INT_LITERAL((int32_t)s0);
	a->stride[1] = s0 < 0 ? INT_LITERAL(1) : s1;
	k->buffer[buffer].dtype = (uint8_t)d, k->buffer[buffer].written = written;
	k->nbuffer = buffer >= k->nbuffer ? buffer + 1 : k->nbuffer;
	return k->nat++;
}

static uint16_t ins(Kernel *k, Ins i)
{
	k->code[k->ncode] = i;
	return k->ncode++;
}

static void stage(Kernel *k, bool inner)
{
	uint16_t first = k->nstage ? k->stage[k->nstage - 1].end : 0;
	k->stage[k->nstage++] = (Stage){ first, k->ncode, inner };
}

static void touch(Plan *p, uint32_t b, uint32_t number)
{
	Buffer *x = &p->buffer[b];
	x->first = number < x->first ? number : x->first;
	x->last = number > x->last ? number : x->last;
	if (x->space == SPACE_ALIAS)
		touch(p, x->of, number);
}

static Step *step(Plan *p, Step ***tail, StepKind kind)
{
	Step *s = arena_alloc(p->arena, sizeof *s + BUFFERS_MAX * sizeof *s->buffer);
	s->kind = kind, s->number = p->nstep++, s->call = &call_none, s->line = 12;
	**tail = s;
	*tail = &s->next;
	return s;
}

static Step *launch(Plan *p, Step ***tail, Kernel *k, uint32_t nbuffer, const uint32_t *buffers, uint32_t nparam, const uint32_t *params)
{
	Step *s = step(p, tail, STEP_KERNEL);
	StepCall *c = NEW(p->arena, StepCall);
	uint32_t *param = NEW_ARRAY(p->arena, uint32_t, nparam);
	memcpy(s->buffer, buffers, nbuffer * sizeof *buffers);
	memcpy(param, params, nparam * sizeof *params);
	*c = (StepCall){ .kernel = k, .nbuffer = (uint16_t)nbuffer, .nparam = (uint16_t)nparam, .param = param,
		     .file = "model.por" };
	s->call = c;
	for (uint32_t i = 0; i < nbuffer; i++)
		touch(p, buffers[i], s->number);
	return s;
}

/* out[i] = op(a[i], b[i]), f64 */
static Kernel *binary_kernel(Plan *p, Op op)
{
	Kernel *k = kernel(p, RECIPE_ROWS, 1, 0, 0);
	uint16_t a = ins(k, (Ins){ .kind = INS_LOAD, .dtype = DT_F64, .at = access_to(k, 0, DT_F64, false, 1, INT_LITERAL(0)) });
	uint16_t b = ins(k, (Ins){ .kind = INS_LOAD, .dtype = DT_F64, .at = access_to(k, 1, DT_F64, false, 1, INT_LITERAL(0)) });
	uint16_t c = ins(k, (Ins){ .kind = INS_MAP, .op = (uint16_t)op, .from = DT_F64, .dtype = DT_F64, .a = a, .b = b });
	ins(k, (Ins){ .kind = INS_STORE, .dtype = DT_F64, .a = c, .at = access_to(k, 2, DT_F64, true, 1, INT_LITERAL(0)) });
	stage(k, true);
	return k;
}

/* w = x*y, z = w + y over f64[n] */
static Plan *chain_plan(void)
{
	Plan *p = plan_open();
	Step **tail = &p->first;
	uint32_t n = dim(p, (Dim){ .kind = DIM_SIZE }), one[] = { n };
	p->nsize = 1;
	uint32_t x = argument(p, true, "x", DT_F64, 1, one), y = argument(p, true, "y", DT_F64, 1, one);
	uint32_t z = argument(p, false, "z", DT_F64, 1, one), w = buffer(p, DT_F64, SPACE_WORK, 1, one);
	launch(p, &tail, binary_kernel(p, OP_MUL), 3, (uint32_t[]){ x, y, w }, 1, one);
	launch(p, &tail, binary_kernel(p, OP_ADD), 3, (uint32_t[]){ w, y, z }, 1, one);
	plan_order(p);
	return p;
}

/* y[i] = sum of x[i, :], f32 */
static Plan *sum_plan(void)
{
	Plan *p = plan_open();
	Step **tail = &p->first;
	uint32_t m = dim(p, (Dim){ .kind = DIM_SIZE, .a = 0 }), n = dim(p, (Dim){ .kind = DIM_SIZE, .a = 1 }), two[] = { m, n };
	p->nsize = 2;
	uint32_t x = argument(p, true, "x", DT_F32, 2, two), y = argument(p, false, "y", DT_F32, 1, two);
	Kernel *k = kernel(p, RECIPE_ROWS, 2, 1, 1);
	uint16_t v = ins(k, (Ins){ .kind = INS_LOAD, .dtype = DT_F32, .at = access_to(k, 0, DT_F32, false, -1, (Int){ 1, 0 }) });
	uint16_t s = ins(k, (Ins){ .kind = INS_FOLD, .op = OP_SUM, .from = DT_F32, .dtype = DT_F32, .a = v });
	stage(k, true);
	ins(k, (Ins){ .kind = INS_STORE, .dtype = DT_F32, .a = s, .at = access_to(k, 1, DT_F32, true, 1, INT_LITERAL(0)) });
	stage(k, false);
	launch(p, &tail, k, 2, (uint32_t[]){ x, y }, 2, two);
	plan_order(p);
	return p;
}

/* carried c: c' = c + xs[i] for each row of xs; the trace t[i] = c*xs[i]: rows through aliases */
static Plan *loop_plan(bool back)
{
	Plan *p = plan_open();
	Step **tail = &p->first;
	uint32_t m = dim(p, (Dim){ .kind = DIM_SIZE, .a = 0 }), n = dim(p, (Dim){ .kind = DIM_SIZE, .a = 1 });
	uint32_t rows[] = { m, n }, row[] = { n };
	p->nsize = 2, p->nloop = 1;
	uint32_t xs = argument(p, true, "xs", DT_F64, 2, rows), c0 = argument(p, true, "c", DT_F64, 1, row);
	uint32_t last = argument(p, false, "last", DT_F64, 1, row), trace = argument(p, false, "trace", DT_F64, 2, rows);
	uint32_t now = buffer(p, DT_F64, SPACE_WORK, 1, row), next = buffer(p, DT_F64, SPACE_WORK, 1, row);
	uint32_t index = buffer(p, DT_I64, SPACE_WORK, 0, NULL), x = buffer(p, DT_F64, SPACE_ALIAS, 1, row);
	uint32_t t = buffer(p, DT_F64, SPACE_ALIAS, 1, row), same = buffer(p, DT_F64, SPACE_ALIAS, 1, row);
	p->buffer[x].of = xs, p->buffer[x].loop = 0;
	p->buffer[t].of = trace, p->buffer[t].loop = 0;
	p->buffer[same].of = now;                        /* a reshape of what is carried */
	Step *l = step(p, &tail, STEP_LOOP);
	l->steps = m, l->index = index, l->back = back, l->ncarry = 1;
	l->carry = arena_array(p->arena, sizeof *l->carry, 1);
	l->carry[0] = (struct Carry){ c0, now, next };
	Step **body = &l->body;
	Kernel *mul = binary_kernel(p, OP_MUL), *add = binary_kernel(p, OP_ADD);
	launch(p, &body, mul, 3, (uint32_t[]){ same, x, t }, 1, row);
	launch(p, &body, add, 3, (uint32_t[]){ now, x, next }, 1, row);
	uint32_t end = p->nstep++;
	touch(p, now, l->number), touch(p, next, l->number), touch(p, index, l->number);
	touch(p, now, end), touch(p, next, end), touch(p, index, end);
	launch(p, &tail, add, 3, (uint32_t[]){ now, now, last }, 1, row);
	plan_order(p);
	return p;
}

/* y[i] = x[k[i]] */
static Plan *gather_plan(void)
{
	Plan *p = plan_open();
	Step **tail = &p->first;
	uint32_t n = dim(p, (Dim){ .kind = DIM_SIZE, .a = 0 }), m = dim(p, (Dim){ .kind = DIM_SIZE, .a = 1 });
	p->nsize = 2;
	uint32_t x = argument(p, true, "x", DT_F32, 1, &m), i = argument(p, true, "k", DT_I64, 1, &n);
	uint32_t y = argument(p, false, "y", DT_F32, 1, &n);
	Kernel *k = kernel(p, RECIPE_ROWS, 1, 0, 0);
	k->nparam = 2;
	uint16_t v = ins(k, (Ins){ .kind = INS_LOAD, .dtype = DT_I64, .at = access_to(k, 0, DT_I64, false, 1, INT_LITERAL(0)) });
	uint16_t at = access_to(k, 1, DT_F32, false, 0, INT_LITERAL(0));
	k->at[at].ndynamic = 1;
	k->at[at].dynamic[0].value = v, k->at[at].dynamic[0].stride = INT_LITERAL(1), k->at[at].dynamic[0].extent = (Int){ 1, 0 };
	uint16_t w = ins(k, (Ins){ .kind = INS_LOAD, .dtype = DT_F32, .at = at });
	ins(k, (Ins){ .kind = INS_STORE, .dtype = DT_F32, .a = w, .at = access_to(k, 2, DT_F32, true, 1, INT_LITERAL(0)) });
	stage(k, true);
	launch(p, &tail, k, 3, (uint32_t[]){ i, x, y }, 2, (uint32_t[]){ n, m });
	plan_order(p);
	return p;
}

static Array array(Dtype d, void *data, int32_t ndim, int64_t *shape, int64_t *strides)
{
	Array a = { .data = data, .device = { 1, 0 }, .ndim = ndim, .shape = shape, .strides = strides };
	array_set_dtype(&a, d);
	return a;
}

static Program *program(Plan *p, RunOptions o)
{
	Error e = { 0 };
	Program *q = program_new(p, &o, &e);
	if (!q)
		print_error("%s\n", e.text);
	assert_non_null(q);
	return q;
}

static const RunOptions plain = { .tier = TIER_INTERPRET, .threads = 1, .poison = true };

/* ---- tests ------------------------------------------------------------------------------ */

static void test_two_steps(void **state)
{
	(void)state;
	Program *p = program(chain_plan(), plain);
	Frame *f = frame_new(p, NULL);
	double x[5000], y[5000], z[5000];
	for (int i = 0; i < 5000; i++)
		x[i] = i, y[i] = 0.5*i;
	for (int64_t n = 5000; n >= 0; n = n > 10 ? n/3 : n - 1) {
		Array in[] = { array(DT_F64, x, 1, &n, NULL), array(DT_F64, y, 1, &n, NULL) }, out = array(DT_F64, z, 1, &n, NULL);
		memset(z, 0, sizeof z);
		assert_int_equal(program_call(p, f, &(CallArrays){2, in, 1, &out}, NULL), 0);
		for (int i = 0; i < 5000; i++)
			assert_true(z[i] == (i < n ? x[i]*y[i] + y[i] : 0));
		Array r;
		assert_int_equal(program_call(p, f, &(CallArrays){2, in, 0, NULL}, NULL), 0);
		assert_true(frame_result(f, 0, &r) && r.shape[0] == n && array_dtype(&r) == DT_F64);
		assert_memory_equal(r.data, z, (size_t)n * sizeof *z);
		assert_int_equal(program_call(p, NULL, &(CallArrays){2, in, 1, &out}, NULL), 0);
	}
	frame_free(f);
	program_free(p);
}

static void test_strides(void **state)
{
	(void)state;
	Program *p = program(chain_plan(), plain);
	double x[64], y[64], z[64];
	for (int i = 0; i < 64; i++)
		x[i] = i + 1, y[i] = 3*i, z[i] = -1;
	int64_t n = 10, three = 3, minus = -2;
	Array in[] = { array(DT_F64, x, 1, &n, &three), array(DT_F64, y + 40, 1, &n, &minus) };
	Array out = array(DT_F64, z, 1, &n, &three);
	assert_int_equal(program_call(p, NULL, &(CallArrays){2, in, 1, &out}, NULL), 0);
	for (int i = 0; i < 64; i++)
		assert_true(z[i] == (i % 3 == 0 && i < 30 ? x[i]*y[40 - 2*(i/3)] + y[40 - 2*(i/3)] : -1));
	/* a result over its argument, and over half of one */
	double want[20];
	n = 20;
	for (int i = 0; i < 20; i++)
		want[i] = x[i]*y[i] + y[i];
	in[0] = array(DT_F64, x, 1, &n, NULL), in[1] = array(DT_F64, y, 1, &n, NULL);
	out = array(DT_F64, y + 7, 1, &n, NULL);
	assert_int_equal(program_call(p, NULL, &(CallArrays){2, in, 1, &out}, NULL), 0);
	assert_memory_equal(y + 7, want, sizeof want);
	program_free(p);
}

static void expect_error(Program *p, const Array *in, const char *text, int argument, int line)
{
	Error e = { 0 };
	Frame *f = frame_new(p, NULL);
	assert_int_equal(program_call(p, f, &(CallArrays){2, in, 0, NULL}, &e), ERR_CALL);
	assert_string_equal(e.text, text);
	assert_int_equal(e.argument, argument);
	assert_int_equal(e.line, line);
	assert_string_equal(e.file, "model.por");
	assert_string_equal(frame_error(f)->text, text);
	frame_free(f);
}

static void test_errors(void **state)
{
	(void)state;
	Program *p = program(chain_plan(), plain);
	double x[20] = { 0 };
	int64_t n = 10, m = 9, two[] = { 2, 5 };
	expect_error(p, (Array[]){ array(DT_F64, x, 1, &n, NULL), array(DT_F64, x, 1, &m, NULL) },
	             "argument 2 (y): size 9 on axis 0, wanted 10", 2, 7);
	expect_error(p, (Array[]){ array(DT_F64, x, 1, &n, NULL), array(DT_F32, x, 1, &n, NULL) },
	             "argument 2 (y): dtype f32, wanted f64", 2, 7);
	expect_error(p, (Array[]){ array(DT_F64, x, 2, two, NULL), array(DT_F64, x, 1, &n, NULL) },
	             "argument 1 (x): 2 axes, wanted 1", 1, 7);
	/* a call without a frame has nowhere to leave results */
	Error e = { 0 };
	Array in[] = { array(DT_F64, x, 1, &n, NULL), array(DT_F64, x, 1, &n, NULL) };
	assert_int_equal(program_call(p, NULL, &(CallArrays){2, in, 0, NULL}, &e), ERR_CALL);
	program_free(p);
}

/* Sizes that are not plain are solved for what they lack, or checked. */
static void test_affine_sizes(void **state)
{
	(void)state;
	for (uint32_t nin = 1; nin <= 2; nin++) {
		Plan *p = plan_open();
		uint32_t n = dim(p, (Dim){ .kind = DIM_SIZE }), two = dim_n(p, 2), one = dim_n(p, 1);
		uint32_t twice = dim(p, (Dim){ .kind = DIM_MUL, .a = two, .b = n });
		uint32_t odd = dim(p, (Dim){ .kind = DIM_ADD, .a = twice, .b = one });
		p->nsize = 1;
		argument(p, true, "x", DT_F64, 1, &odd);
		if (nin == 2)
			argument(p, true, "y", DT_F64, 1, &n);
		argument(p, false, "z", DT_F64, 1, &n);
		plan_order(p);
		Program *q = program(p, plain);
		Frame *f = frame_new(q, NULL);
		double x[8] = { 0 };
		int64_t seven = 7, eight = 8, three = 3, four = 4;
		Array in[] = { array(DT_F64, x, 1, &seven, NULL), array(DT_F64, x, 1, &three, NULL) }, r;
		assert_int_equal(program_call(q, f, &(CallArrays){nin, in, 0, NULL}, NULL), 0);
		assert_true(frame_result(f, 0, &r) && r.shape[0] == 3);
		in[0].shape = &eight;
		assert_int_equal(program_call(q, f, &(CallArrays){nin, in, 0, NULL}, NULL), ERR_CALL);
		assert_string_equal(frame_error(f)->text, "argument 1 (x): size 8 on axis 0, wanted 7");
		in[0].shape = &seven, in[1].shape = &four;
		assert_int_equal(program_call(q, f, &(CallArrays){nin, in, 0, NULL}, NULL), nin == 1 ? 0 : ERR_CALL);
		frame_free(f);
		program_free(q);
	}
}

static void test_gather(void **state)
{
	(void)state;
	Program *p = program(gather_plan(), plain);
	float x[10], y[4];
	int64_t k[] = { 9, 0, 3, 3 }, ten = 10, four = 4;
	for (int i = 0; i < 10; i++)
		x[i] = (float)i;
	Array in[] = { array(DT_F32, x, 1, &ten, NULL), array(DT_I64, k, 1, &four, NULL) }, out = array(DT_F32, y, 1, &four, NULL);
	assert_int_equal(program_call(p, NULL, &(CallArrays){2, in, 1, &out}, NULL), 0);
	for (int i = 0; i < 4; i++)
		assert_true(y[i] == x[k[i]]);
	k[2] = 12, k[3] = -1;
	expect_error(p, in, "index 12 of an axis of 10 (element 2)", ERR_AT_INDEX, 12);
	program_free(p);
}

static void test_loop(void **state)
{
	(void)state;
	double xs[7*3], c[3] = { 1, 2, 3 }, last[3], trace[7*3];
	for (int i = 0; i < 21; i++)
		xs[i] = i*0.25 - 2;
	for (int back = 0; back < 2; back++) {
		Program *p = program(loop_plan(back), plain);
		for (int64_t m = 0; m <= 7; m++) {
			int64_t rows[] = { m, 3 };
			Array in[] = { array(DT_F64, xs, 2, rows, NULL), array(DT_F64, c, 1, rows + 1, NULL) };
			Array out[] = { array(DT_F64, last, 1, rows + 1, NULL), array(DT_F64, trace, 2, rows, NULL) };
			assert_int_equal(program_call(p, NULL, &(CallArrays){2, in, 2, out}, NULL), 0);
			double now[3] = { 1, 2, 3 };
			for (int64_t s = 0; s < m; s++) {
				int64_t i = back ? m - 1 - s : s;
				for (int j = 0; j < 3; j++) {
					assert_true(trace[3*i + j] == now[j]*xs[3*i + j]);
					now[j] += xs[3*i + j];
				}
			}
			for (int j = 0; j < 3; j++)
				assert_true(last[j] == 2*now[j]);
		}
		program_free(p);
	}
}

static void run_sum(RunOptions o, float *x, int64_t m, int64_t n, float *y)
{
	Program *p = program(sum_plan(), o);
	if (o.tier == TIER_NATIVE) {
		TierState s;
		program_state(p, &s);
		if (s.native != s.kernels)
			print_error("%s\n", s.text);
		assert_int_equal(s.native, s.kernels);
	}
	int64_t shape[] = { m, n };
	Array in = array(DT_F32, x, 2, shape, NULL), out = array(DT_F32, y, 1, shape, NULL);
	for (int i = 0; i < 3; i++) {
		memset(y, 0, (size_t)m * sizeof *y);
		assert_int_equal(program_call(p, NULL, &(CallArrays){1, &in, 1, &out}, NULL), 0);
	}
	program_free(p);
}

static void test_same_bits(void **state)
{
	(void)state;
	static const int64_t sizes[][2] = { { 1, 300001 }, { 3, 50000 }, { 700, 129 }, { 20000, 7 }, { 5, 0 }, { 1, 4096 } };
	for (size_t k = 0; k < countof(sizes); k++) {
		int64_t m = sizes[k][0], n = sizes[k][1];
		float *x = malloc((size_t)(m*n + 1) * sizeof *x), *y = malloc((size_t)m * 4), *z = malloc((size_t)m * 4);
		for (int64_t i = 0; i < m*n; i++)
			x[i] = sinf((float)i)*1000;
		run_sum(plain, x, m, n, y);
		for (int way = 0; way < 6; way++) {
			RunOptions o = { .tier = way < 3 ? TIER_INTERPRET : TIER_NATIVE, .threads = 1 + way % 3, .isa = way < 3 ? way + 1 : 0 };
			o.alternate = way == 5;
			run_sum(o, x, m, n, z);
			assert_memory_equal(y, z, (size_t)m * 4);
		}
		for (int64_t i = 0; n == 0 && i < m; i++)
			assert_true(y[i] == 0 && !signbit(y[i]));
		free(x), free(y), free(z);
	}
}

static void test_background(void **state)
{
	(void)state;
	Program *p = program(loop_plan(false), (RunOptions){ .tier = TIER_BACKGROUND, .threads = 1, .alternate = 1 });
	double xs[4*3] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 }, c[3] = { 0 }, last[3], trace[4*3];
	int64_t rows[] = { 4, 3 };
	Array in[] = { array(DT_F64, xs, 2, rows, NULL), array(DT_F64, c, 1, rows + 1, NULL) };
	Array out[] = { array(DT_F64, last, 1, rows + 1, NULL), array(DT_F64, trace, 2, rows, NULL) };
	for (int i = 0; i < 2000; i++) {
		if (i == 1000)
			assert_true(program_wait(p));
		assert_int_equal(program_call(p, NULL, &(CallArrays){2, in, 2, out}, NULL), 0);
		assert_true(last[0] == 44 && last[1] == 52 && last[2] == 60);
	}
	pid_t child = fork();
	if (!child) {                            /* the program lives on in a child */
		bool good = program_call(p, NULL, &(CallArrays){2, in, 2, out}, NULL) == 0 && last[0] == 44 && program_wait(p);
		_exit(!good);
	}
	int status;
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	program_free(p);
	/* no compiler: interpreted, and it says so */
	p = program(loop_plan(false), (RunOptions){ .tier = TIER_NATIVE, .compiler = "/nowhere/cc", .threads = 1 });
	TierState s;
	program_state(p, &s);
	assert_int_equal(s.native, 0);
	assert_non_null(strstr(s.text, "compiler"));
	assert_int_equal(program_call(p, NULL, &(CallArrays){2, in, 2, out}, NULL), 0);
	assert_true(last[0] == 44);
	program_free(p);
}

typedef struct Caller { Program *p; int seed; bool good; } Caller;

static void *many_calls(void *user)
{
	Caller *c = user;
	double x[300], y[300], z[300];
	c->good = true;
	for (int k = 0; k < 500; k++) {
		int64_t n = 1 + (k*7 + c->seed*13) % 300;
		for (int i = 0; i < n; i++)
			x[i] = i + c->seed, y[i] = k - i;
		Array in[] = { array(DT_F64, x, 1, &n, NULL), array(DT_F64, y, 1, &n, NULL) }, out = array(DT_F64, z, 1, &n, NULL);
		c->good &= program_call(c->p, NULL, &(CallArrays){2, in, 1, &out}, NULL) == 0;
		for (int i = 0; i < n; i++)
			c->good &= z[i] == x[i]*y[i] + y[i];
	}
	return NULL;
}

static void test_many_callers(void **state)
{
	(void)state;
	Program *p = program(chain_plan(), (RunOptions){ .tier = TIER_INTERPRET });
	pthread_t t[8];
	Caller c[8];
	for (int i = 0; i < 8; i++) {
		c[i] = (Caller){ p, i, false };
		pthread_create(&t[i], NULL, many_calls, &c[i]);
	}
	for (int i = 0; i < 8; i++) {
		pthread_join(t[i], NULL);
		assert_true(c[i].good);
	}
	program_free(p);
	pool_close();
}

/* ---- memory: every allocation fails once, nothing is lost ---------------------------------- */

typedef struct Counted { int64_t left, live; } Counted;

static void *counted_alloc(void *user, size_t size, size_t align)
{
	Counted *c = user;
	if (c->left-- <= 0)
		return NULL;
	void *p = allocator_libc.alloc(NULL, size, align);
	c->live += p ? (int64_t)size : 0;
	return p;
}

static void counted_free(void *user, void *p, size_t size, size_t align)
{
	((Counted *)user)->live -= (int64_t)size;
	allocator_libc.free(NULL, p, size, align);
}

static void test_out_of_memory(void **state)
{
	(void)state;
	double x[10] = { 0 }, z[10];
	int64_t n = 10;
	bool done = false;
	for (int64_t left = 0; !done; left++) {
		Counted c = { .left = left };
		Allocator a = { counted_alloc, counted_free, &c };
		Error e = { 0 };
		Program *p = program_new(chain_plan(), &(RunOptions){ .tier = TIER_INTERPRET, .threads = 1, .allocator = &a }, &e);
		if (p) {
			Array in[] = { array(DT_F64, x, 1, &n, NULL), array(DT_F64, x, 1, &n, NULL) }, out = array(DT_F64, z, 1, &n, NULL);
			done = program_call(p, NULL, &(CallArrays){2, in, 1, &out}, &e) == 0;
			program_free(p);
		}
		assert_int_equal(e.code, done ? 0 : ERR_MEMORY);
		assert_int_equal(c.live, 0);
		assert_true(left < 100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_steps),
		cmocka_unit_test(test_strides),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_affine_sizes),
		cmocka_unit_test(test_gather),
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_same_bits),
		cmocka_unit_test(test_background),
		cmocka_unit_test(test_many_callers),
		cmocka_unit_test(test_out_of_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
