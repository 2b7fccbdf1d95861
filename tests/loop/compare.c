/* compare.c - one function in every tier, to the bit. */
#include "compare.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 64 };

/* The element at p as bits, every NaN the same; complex numbers and keys by halves. */
static bool same_element(Dtype d, const unsigned char *p, const unsigned char *q)
{
	if (dtype_is_float(d) && isnan(element_number(d, p)) && isnan(element_number(d, q))) return true;
	return !memcmp(p, q, dtype_bytes(d));
}

static void show_element(char *out, size_t n, Dtype d, const unsigned char *p)
{
	double x;
	float f;
	int64_t i = 0;
	memcpy(&i, p, dtype_bytes(d) < 8 ? dtype_bytes(d) : 8);
	memcpy(&x, &i, 8), memcpy(&f, &i, 4);
	if (d == DT_F64)
		snprintf(out, n, "%.17g", x);
	else if (d == DT_F32)
		snprintf(out, n, "%.9g", f);
	else
		snprintf(out, n, "0x%llx", (unsigned long long)i);
}

static Array array_of(const Value *v, int64_t *shape)
{
	Array a = {.data = v->data, .device = {1, 0}, .ndim = (int32_t)v->rank, .shape = shape};
	memcpy(shape, v->dim, v->rank * sizeof *shape);
	array_set_dtype(&a, v->dtype);
	return a;
}

static bool same_results(const char *tier, Frame *f, uint32_t nout, const Value *want, Comparison *c)
{
	for (uint32_t j = 0; j < nout; j++) {
		Array got;
		if (!frame_result(f, j, &got) || array_dtype(&got) != want[j].dtype ||
			(uint32_t)got.ndim != want[j].rank) {
			snprintf(c->text, sizeof c->text, "%s: result %u has another type", tier, j + 1);
			return false;
		}
		for (uint32_t k = 0; k < want[j].rank; k++)
			if (got.shape[k] != want[j].dim[k]) {
				snprintf(c->text, sizeof c->text, "%s: result %u has another shape", tier,
					j + 1);
				return false;
			}
		size_t size = dtype_bytes(want[j].dtype);
		for (int64_t i = 0; i < want[j].count; i++) {
			const unsigned char *p = (const unsigned char *)got.data + (size_t)i * size;
			const unsigned char *q = (const unsigned char *)want[j].data + (size_t)i * size;
			char a[40], b[40];
			if (same_element(want[j].dtype, p, q)) continue;
			show_element(a, sizeof a, want[j].dtype, p),
				show_element(b, sizeof b, want[j].dtype, q);
			snprintf(c->text, sizeof c->text,
				"%s: result %u (%s), element %lld: %s, reference %s", tier, j + 1,
				dtype_name(want[j].dtype), (long long)i, a, b);
			return false;
		}
	}
	return true;
}

static bool run_tier(Graph *g, Function *f, const Value *in, const Value *want, const Error *failed,
	Tier tier, int threads, int isa, Comparison *c, Error *e)
{
	char name[80];
	snprintf(name, sizeof name, "%s, %d thread%s, %s", tier == TIER_INTERPRET ? "interpreted" : "native",
		threads, threads == 1 ? "" : "s", isa == 1 ? "baseline" : "best instruction set");
	Plan *plan = plan_make(g, f, e);
	RunOptions o = {.tier = tier, .threads = threads, .isa = isa, .poison = true, .time_limit = 3600};
	Program *p = plan ? program_new(plan, &o, e) : NULL;
	Frame *frame = p ? frame_new(p, e) : NULL;
	TierState state;
	if (p && tier == TIER_NATIVE) {
		program_state(p, &state);
		if (state.native != state.kernels) {
			fail(e, ERR_COMPILER, (Where){0}, "%s: %s", name, state.text);
			frame_free(frame), program_free(p);
			return false;
		}
	}
	if (!frame) {
		program_free(p);
		return false;
	}
	Array a[MOST];
	int64_t shape[MOST][RANK_MAX];
	for (uint32_t i = 0; i < f->nparam && i < MOST; i++) a[i] = array_of(&in[i], shape[i]);
	Error call = {0};
	int code = program_call(p, frame, &(CallArrays){f->nparam, a, 0, NULL}, &call);
	bool same;
	c->runs++;
	if (code || failed->code) {
		same = code && failed->code;
		if (!same && !c->text[0])
			snprintf(c->text, sizeof c->text, "%s: %s; reference: %s", name,
				code ? call.text : "no error", failed->code ? failed->text : "no error");
	} else {
		Comparison mine = {0};
		same = same_results(name, frame, f->nresult, want, &mine);
		if (!same && !c->text[0]) memcpy(c->text, mine.text, sizeof c->text);
	}
	c->same += same;
	frame_free(frame);
	program_free(p);
	return true;
}

bool compare_tiers(Graph *g, Function *f, const Value *in, bool native, Comparison *c, Error *e)
{
	memset(c, 0, sizeof *c);
	Arena *a = arena_child(g->arena);
	Value *want = NEW_ARRAY(a, Value, f->nresult);
	Error failed = {0};
	if (!evaluate(g, a, f, in, want, false)) {
		failed = g->error;
		error_clear(&g->error);
		if (failed.code == ERR_UNSUPPORTED || failed.code == ERR_INTERNAL ||
			failed.code == ERR_MEMORY) {
			*e = failed;
			arena_free(a);
			return false;
		}
	}
	bool good = true;
	for (int tier = 0; good && tier < (native ? 2 : 1); tier++)
		for (int threads = 1; good && threads <= 2; threads++)
			for (int isa = 0; good && isa <= 1; isa++)
				if (threads == 1 || isa == 0)
					good = run_tier(g, f, in, want, &failed,
						tier ? TIER_NATIVE : TIER_INTERPRET, threads, isa, c, e);
	arena_free(a);
	return good;
}
