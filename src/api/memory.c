/* memory.c - the arrays of a plan: what each takes, and from which step to which. */
#define POR_NO_LINES
#include "compiled.h"
#include "../math/math.h"

/* Values of the dims when every size parameter, and every size found while it runs, is `size`. */
void plan_example(const Plan *p, int64_t size, int64_t *v)
{
	for (uint32_t i = 0; i < p->ndim; i++) {
		const Dim *d = &p->dim[i];
		int64_t a = d->kind > DIM_SCALAR ? v[d->a] : 0, b = d->kind > DIM_SCALAR ? v[d->b] : 0;
		switch (d->kind) {
		case DIM_CONST: v[i] = d->value; break;
		case DIM_SIZE:
		case DIM_SCALAR: v[i] = size; break;
		case DIM_ADD: v[i] = (int64_t)((uint64_t)a + (uint64_t)b); break;
		case DIM_MUL: v[i] = (int64_t)((uint64_t)a * (uint64_t)b); break;
		case DIM_FLOORDIV: v[i] = floordiv_i64(a, b); break;
		case DIM_MOD: v[i] = mod_i64(a, b); break;
		case DIM_MIN: v[i] = a < b ? a : b; break;
		case DIM_MAX: v[i] = a > b ? a : b; break;
		}
	}
}

static void buffer_text(Text *t, const Plan *p, uint32_t i, const int64_t *dim, const int64_t *offset)
{
	static const char *const spaces[] = {"input", "output", "work", "constant", "part of another"};
	const Buffer *b = &p->buffer[i];
	text_printf(t, "  %-15s buffer %-4u %s[", spaces[b->space], i, dtype_name((Dtype)b->dtype));
	for (uint32_t k = 0; k < b->rank; k++)
		text_printf(t, k ? ", %lld" : "%lld", (long long)dim[buffer_dims(p, i)[k]]);
	int64_t bytes = dim[elements_dim(p, b)] * (int64_t)dtype_bytes((Dtype)b->dtype);
	text_printf(t, "]  %lld bytes", (long long)bytes);
	if (b->space == SPACE_WORK)
		text_printf(t, " at %lld, steps %u to %u", (long long)offset[i], b->first, b->last);
	if (b->space == SPACE_ALIAS) text_printf(t, " of buffer %u", b->of);
	text_char(t, '\n');
}

static int64_t workspace(Text *t, const Plan *p, const int64_t *dim, int64_t *offset)
{
	int64_t bytes = 0;
	for (uint32_t k = 0; k < p->nphase && bytes >= 0; k++) {
		int64_t more = plan_layout(p, k, dim, offset);
		bytes = more < 0 ? more : bytes + more;
	}
	if (bytes == PLAN_NO_MEMORY) arena_out_of_memory(t->arena);
	return bytes;
}

/* Where sizes are symbols: at two sizes of example. */
void memory_text(Text *t, const Plan *p)
{
	int64_t *dim = NEW_ARRAY(t->arena, int64_t, p->ndim + 1),
		*offset = NEW_ARRAY(t->arena, int64_t, p->nbuffer + 1);
	for (int64_t size = 10; size <= 1000; size *= 100) {
		plan_example(p, size, dim);
		int64_t bytes = workspace(t, p, dim, offset);
		if (p->nsize) text_printf(t, "with every size %lld: ", (long long)size);
		text_printf(t, "workspace of %lld bytes\n", (long long)bytes);
		for (uint32_t i = 0; i < p->nbuffer; i++) buffer_text(t, p, i, dim, offset);
		if (!p->nsize) break;
	}
}

static const Step *step_of(const Step *s, uint32_t number)
{
	while (s) {
		if (s->number == number) return s;
		bool inside = s->kind == STEP_LOOP && (!s->next || s->next->number > number);
		s = inside ? s->body : s->next;
	}
	return NULL;
}

/* What a call that was profiled had; else with every size 1000. */
void arrays_json(Text *t, const Program *run)
{
	static const char *const spaces[] = {"input", "output", "work", "constant", "part"};
	const Plan *p = program_plan(run);
	int64_t *dim = NEW_ARRAY(t->arena, int64_t, p->ndim + 1);
	bool seen = false;
	for (uint32_t i = 0; i < p->nbuffer; i++) seen |= program_array_bytes(run, i) > 0;
	plan_example(p, 1000, dim);
	text_printf(t, "{\"sizes\":\"%s\",\"steps\":%u,\"arrays\":[", seen || !p->nsize ? "given" : "1000", p->nstep);
	for (uint32_t i = 0; i < p->nbuffer; i++) {
		const Buffer *b = &p->buffer[i];
		const Step *s = step_of(p->first, b->first);
		int64_t bytes = program_array_bytes(run, i);
		if (!seen) bytes = dim[elements_dim(p, b)] * (int64_t)dtype_bytes((Dtype)b->dtype);
		text_printf(t, "%s{\"array\":%u,\"space\":\"%s\",\"dtype\":\"%s\",\"bytes\":%lld,\"first\":%u,\"last\":%u,",
			i ? ",\n" : "", i, spaces[b->space], dtype_name((Dtype)b->dtype), (long long)bytes, b->first,
			b->last);
		text_add(t, "\"file\":");
		json_quote(t, s && s->line ? s->call->file : NULL);
		text_printf(t, ",\"line\":%d}", s ? s->line : 0);
	}
	text_add(t, "]}\n");
}
