/* print.c - kernels and plans in words, for readers. */
#include "loop.h"
#include "../math/math.h"

static const char *int_text(Text *t, Int i)
{
	if (i.param >= 0)
		text_printf(t, "s%d", (int)i.param + 1);
	else
		text_printf(t, "%lld", (long long)i.value);
	return "";
}

static void print_access(Text *t, const Kernel *k, const Access *a)
{
	bool any = false;
	text_char(t, '[');
	for (uint32_t i = 0; i < k->naxis; i++) {
		if (int_is(a->stride[i], 0)) continue;
		text_add(t, any ? " + " : "");
		if (!int_is(a->stride[i], 1)) {
			int_text(t, a->stride[i]);
			text_char(t, '*');
		}
		text_printf(t, "i%u", i);
		any = true;
	}
	for (uint32_t i = 0; i < a->ndynamic; i++) {
		text_printf(t, "%sv%u*", any ? " + " : "", a->dynamic[i].value);
		int_text(t, a->dynamic[i].stride);
		any = true;
	}
	if (!any || !int_is(a->offset, 0)) {
		text_add(t, any ? " + " : "");
		int_text(t, a->offset);
	}
	text_char(t, ']');
}

static void print_ins(Text *t, const Kernel *k, uint32_t i)
{
	const Ins *x = &k->code[i];
	if (x->kind != INS_STORE) text_printf(t, "v%u: %s = ", i, dtype_name((Dtype)x->dtype));
	switch ((InsKind)x->kind) {
	case INS_CONST: text_printf(t, "0x%llx", (unsigned long long)x->bits); break;
	case INS_GIVEN: text_printf(t, "c%llu", (unsigned long long)x->bits); break;
	case INS_PARAM:
	case INS_INDEX:
		text_add(t, "index");
		print_access(t, k, &k->at[x->at]);
		break;
	case INS_LOAD:
		text_printf(t, "b%u", k->at[x->at].buffer);
		print_access(t, k, &k->at[x->at]);
		break;
	case INS_STORE:
		text_printf(t, "b%u", k->at[x->at].buffer);
		print_access(t, k, &k->at[x->at]);
		text_printf(t, " = v%u", x->a);
		break;
	case INS_KEY_A:
	case INS_KEY_B:
		text_printf(
			t, "key_at_%c(v%u, v%u, v%u)", x->kind == INS_KEY_A ? 'a' : 'b', x->a, x->b, x->c);
		break;
	case INS_RANDOM: text_printf(t, "%s(v%u, v%u, v%u)", op_info[x->op].text, x->a, x->b, x->c); break;
	case INS_FOLD: text_printf(t, "fold %s v%u", op_info[x->op].text, x->a); break;
	case INS_MAP:
		text_printf(t, "%s(v%u", op_info[x->op].text, x->a);
		if (op_info[x->op].args > 1) text_printf(t, ", v%u", x->b);
		if (op_info[x->op].args > 2) text_printf(t, ", v%u", x->c);
		text_char(t, ')');
		break;
	}
	text_char(t, '\n');
}

void kernel_print(Text *t, const Kernel *k)
{
	bool chain = k->recipe == RECIPE_CHAIN;
	const char *rows = k->nstage > 1 ? "rows" : "map";
	text_printf(t, "kernel k%u: %s, axes", k->index, chain ? "chain" : rows);
	for (uint32_t i = 0; i < k->naxis; i++) {
		const char *end = chain && i == k->nfold ? " ||" : "";
		text_printf(t, "%s i%u < ", i == k->nrow ? " |" : end, i);
		int_text(t, k->extent[i]);
	}
	text_char(t, '\n');
	for (uint32_t s = 0; s < k->nstage; s++) {
		text_add(t, k->stage[s].inner ? "  for each inner index:\n" : "  once a row:\n");
		for (uint32_t i = k->stage[s].first; i < k->stage[s].end; i++) {
			text_add(t, "    ");
			print_ins(t, k, i);
		}
	}
}

void given_print(Text *t, const Step *s, uint32_t number)
{
	uint64_t bits = call_constants(s->call)[number];
	const Ins *x = s->call->kernel->code;
	while (x->kind != INS_GIVEN || x->bits != number) x++;
	Dtype d = (Dtype)x->dtype;
	if (dtype_is_float(d))
		text_number(t, element_number(d, &bits), d == DT_F32 ? 32 : 64);
	else
		text_printf(t, "%lld", (long long)element_whole(d, &bits));
}

static void print_constants(Text *t, const Step *s)
{
	for (uint32_t i = 0; i < s->call->nconstant; i++) {
		text_printf(t, i ? ", c%u = " : " | c%u = ", i);
		given_print(t, s, i);
	}
}

static void print_steps(Text *t, const Step *s, int depth)
{
	static const char *const core[] = {
		"contract", "cumsum", "scatter", "top_k", "qr", "tri_solve", "copy", "custom"};
	for (; s; s = s->next) {
		text_printf(t, "%*s", 2 * depth, "");
		if (s->kind == STEP_LOOP && s->condition) {
			text_printf(t, "%s b%u:\n", s->unless ? "unless" : "if", s->condition - 1);
			print_steps(t, s->body, depth + 1);
			continue;
		}
		if (s->kind == STEP_LOOP) {
			text_printf(t, "loop %u%s: d%u steps, index b%u", s->loop, s->back ? " back" : "",
				s->steps, s->index);
			if (s->whiles) text_printf(t, ", while b%u", s->carry[0].now);
			for (uint32_t i = 0; i < s->ncarry; i++)
				text_printf(t, ", carry b%u from b%u, next b%u", s->carry[i].now,
					s->carry[i].first, s->carry[i].next);
			text_char(t, '\n');
			print_steps(t, s->body, depth + 1);
			continue;
		}
		if (s->kind == STEP_KERNEL)
			text_printf(t, "k%u", s->call->kernel->index);
		else
			text_printf(t, "%s %s", core[s->call->core], dtype_name((Dtype)s->call->dtype));
		text_char(t, '(');
		for (uint32_t i = 0; i < s->call->nbuffer; i++)
			text_printf(t, "%sb%u", i ? ", " : "", s->buffer[i]);
		text_add(t, s->call->nparam ? " | " : "");
		for (uint32_t i = 0; i < s->call->nparam; i++) text_printf(t, "%sd%u", i ? ", " : "", s->call->param[i]);
		print_constants(t, s);
		text_printf(t, ")   # %s\n", s->call->rules ? s->call->rules : "");
	}
}

void plan_print(Text *t, const Plan *p)
{
	static const char *const space[] = {"input", "output", "work", "const", "alias"};
	static const char *const dim[] = {"", "", "", "+", "*", "//", "%", "min", "max"};
	for (uint32_t i = 0; i < p->ndim; i++) {
		const Dim *d = &p->dim[i];
		if (d->kind == DIM_CONST)
			text_printf(t, "d%u = %lld\n", i, (long long)d->value);
		else if (d->kind == DIM_SIZE)
			text_printf(t, "d%u = size%u\n", i, d->a + 1);
		else if (d->kind == DIM_SCALAR)
			text_printf(t, "d%u = scalar b%u, from step %u on\n", i, p->scalar[d->a].buffer,
				p->scalar[d->a].ready);
		else if (d->guard == UINT32_MAX)
			text_printf(t, "d%u = d%u %s d%u\n", i, d->a, dim[d->kind], d->b);
		else
			text_printf(t, "d%u = d%u %s d%u where d%u > 0\n", i, d->a, dim[d->kind], d->b, d->guard);
	}
	for (uint32_t i = 0; i < p->nbuffer; i++) {
		const Buffer *b = &p->buffer[i];
		text_printf(t, "b%u: %s %s[", i, space[b->space], dtype_name((Dtype)b->dtype));
		for (uint32_t k = 0; k < b->rank; k++) text_printf(t, "%sd%u", k ? ", " : "", buffer_dims(p, i)[k]);
		text_char(t, ']');
		if (b->space == SPACE_ALIAS)
			text_printf(t, " of b%u%s", b->of, b->loop == UINT32_MAX ? "" : ", moving");
		text_char(t, '\n');
	}
	print_steps(t, p->first, 0);
}
