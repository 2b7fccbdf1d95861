/* c_sizes.c - the dims of a program as C, and what must hold of them: when the call begins, and when computed
 * sizes become known. */
#include "writer.h"

static void write_dim(Writer *w, uint32_t i)
{
	const Dim *d = &w->plan->dim[i];
	switch (d->kind) {
	case DIM_CONST: say(w, "d[%u] = %s;", i, dtype_literal(w->arena, DT_I64, (uint64_t)d->value)); break;
	case DIM_SIZE: say(w, "d[%u] = size[%u];", i, d->a); break;
	case DIM_SCALAR:
		if (!d->phase) say(w, "d[%u] = size[%u];", i, w->plan->nsize + d->a);
		break;
	case DIM_ADD: say(w, "bad |= __builtin_add_overflow(d[%u], d[%u], &d[%u]);", d->a, d->b, i); break;
	case DIM_MUL: say(w, "bad |= __builtin_mul_overflow(d[%u], d[%u], &d[%u]);", d->a, d->b, i); break;
	case DIM_FLOORDIV:
	case DIM_MOD:
		say(w, "d[%u] = floor_%s(d[%u], d[%u], &bad);", i, d->kind == DIM_MOD ? "rest" : "divide",
			d->a, d->b);
		break;
	case DIM_MIN:
	case DIM_MAX:
		say(w, "d[%u] = d[%u] %c d[%u] ? d[%u] : d[%u];", i, d->a, d->kind == DIM_MIN ? '<' : '>',
			d->b, d->a, d->b);
		break;
	}
}

static const char *guard_text(Writer *w, uint32_t guard)
{
	return guard == UINT32_MAX ? "" : arena_printf(w->arena, "d[%u] > 0 && ", guard);
}

/* Is an array of that phase, or a loop, larger than anything may be? */
static void write_huge(Writer *w, uint32_t phase)
{
	const Plan *p = w->plan;
	say_open(w, "static int %s_huge_%u(const int64_t *d)", w->name, phase);
	bool any = false;
	for (uint32_t i = 0; i < p->nextent; i++) {
		const Extent *x = &p->extent[i];
		Text t;
		if (x->phase != phase) continue;
		text_open(&t, w->arena);
		for (uint32_t k = 0; k < x->rank; k++) text_printf(&t, "%sd[%u]", k ? ", " : "", x->dim[k]);
		say(w, "%s %sis_huge(%u, (const int64_t[]){ %s }, %lldll);", any ? "bad |=" : "int bad =",
			guard_text(w, x->guard), x->rank, text_done(&t),
			(long long)(x->dtype ? LARGEST / (int64_t)dtype_bytes((Dtype)x->dtype) : LARGEST));
		any = true;
	}
	say(w, any ? "return bad;" : "return 0;");
	say_close(w);
}

static void write_phase(Writer *w, uint32_t phase)
{
	const Plan *p = w->plan;
	const char *number = phase ? arena_printf(w->arena, "_%u", phase) : "";
	say_open(w, "static int %s_sizes%s(const int64_t *size, int64_t *d)", w->name, number);
	say(w, "int bad = 0;");
	for (uint32_t i = 0; i < p->ndim; i++)
		if (p->dim[i].phase == phase) {
			uint32_t guard = p->dim[i].guard;
			if (guard != UINT32_MAX) say(w, "d[%u] = 0;", i);
			if (guard != UINT32_MAX) w->lead = arena_printf(w->arena, "if (d[%u] > 0) ", guard);
			write_dim(w, i);
			w->lead = NULL;
		}
	for (uint32_t i = 0; i < p->nsize && !phase; i++) say(w, "bad |= size[%u] < 0;", i);
	for (uint32_t i = 0; i < p->nscalar && !phase; i++)
		if (w->most[i]) say(w, "bad |= size[%u] < 0;", p->nsize + i);
	for (uint32_t i = 0; i < p->nsized; i++)
		if (later_phase(p, p->dim[p->sized[i].dim].phase, p->sized[i].guard) == phase)
			say(w, "bad |= %sd[%u] < 0;", guard_text(w, p->sized[i].guard), p->sized[i].dim);
	for (uint32_t i = 0; i < p->nrequirement; i++) {
		const Requirement *r = &p->requirement[i];
		if (requirement_phase(p, r) == phase)
			say(w, "bad |= %sd[%u] %s d[%u];", guard_text(w, r->guard), r->a,
				r->equal ? "!=" : ">", r->b);
	}
	say(w, "return bad || %s_huge_%u(d);", w->name, phase);
	say_close(w);
}

void write_sizes(Writer *w)
{
	text_add(&w->t,
		"\nstatic __attribute__((unused)) int64_t floor_divide(int64_t a, int64_t b, int *bad)\n"
		"{\n"
		"\tif (b == 0 || (a == INT64_MIN && b == -1)) {\n\t\t*bad = 1;\n\t\treturn 0;\n\t}\n"
		"\treturn a/b - (a%b != 0 && (a%b < 0) != (b < 0));\n}\n"
		"static __attribute__((unused)) int64_t floor_rest(int64_t a, int64_t b, int *bad)\n"
		"{\n"
		"\tif (b == 0 || (a == INT64_MIN && b == -1)) {\n\t\t*bad = 1;\n\t\treturn 0;\n\t}\n"
		"\treturn a%b + (a%b != 0 && (a%b < 0) != (b < 0) ? b : 0);\n}\n"
		"/* Do n sizes make more than `most`?  Those that are 0 do not count. */\n"
		"static __attribute__((unused)) int is_huge(int n, const int64_t *size, int64_t most)\n"
		"{\n"
		"\tint64_t all = 1;\n"
		"\tfor (int i = 0; i < n; i++)\n"
		"\t\tif (size[i] && (__builtin_mul_overflow(all, size[i], &all) || all > most)) return 1;\n"
		"\treturn 0;\n}\n");
	for (uint32_t k = 0; k < w->plan->nphase; k++) write_huge(w, k);
	for (uint32_t k = 0; k < w->plan->nphase; k++) write_phase(w, k);
}
