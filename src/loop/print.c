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

/* ---- plans --------------------------------------------------------------------------------------- */

/* What is printed, and the run whose steps are: their numbers x1, x2, ... are those of its rows. */
typedef struct PlanText {
	Text *t;
	const Plan *plan;
	const SameRuns *same;
	const SameRun *run; /* NULL: none */
	uint32_t place;     /* the next of it */
} PlanText;

static const char *const before_number[] = {[PLACE_DIM] = "d", [PLACE_ARRAY] = "b", [PLACE_LOOP] = ""};

static void print_place(PlanText *w, PlaceKind kind, uint32_t number)
{
	uint32_t given = w->run ? w->run->given[w->place] : 0;
	if (w->run) number = w->run->same[w->place++].number;
	text_printf(w->t, "%s%u", given ? "x" : before_number[kind], given ? given : number);
}

static void print_call(PlanText *w, const Step *s)
{
	static const char *const core[] = {"contract", "cumsum", "scatter", "top_k", "qr", "tri_solve", "copy",
		"join", "carry", "custom", "effect"};
	uint32_t first = w->place, sizes = s->kind == STEP_KERNEL || core_has_items(s) ? s->call->nparam : 0;
	if (s->kind == STEP_KERNEL)
		text_printf(w->t, "k%u(", s->call->kernel->index);
	else
		text_printf(w->t, "%s %s(", core[s->call->core], dtype_name((Dtype)s->call->dtype));
	w->place = first + sizes;
	for (uint32_t i = 0; i < s->call->nbuffer; i++) {
		text_add(w->t, i ? ", " : "");
		print_place(w, PLACE_ARRAY, s->buffer[i]);
	}
	w->place = first;
	for (uint32_t i = 0; i < sizes; i++) {
		text_add(w->t, i ? ", " : " | ");
		print_place(w, PLACE_DIM, s->call->param[i]);
	}
	w->place = first + step_places(w->plan, s, NULL);
	print_constants(w->t, s);
	text_printf(w->t, ")   # %s\n", s->call->rules ? s->call->rules : "");
}

static void print_carry(PlanText *w, const struct Carry *c)
{
	text_add(w->t, ", carry ");
	print_place(w, PLACE_ARRAY, c->now);
	text_add(w->t, " from ");
	print_place(w, PLACE_ARRAY, c->first);
	text_add(w->t, ", next ");
	print_place(w, PLACE_ARRAY, c->next);
	w->place++; /* its elements */
}

static void print_loop(PlanText *w, const Step *s)
{
	uint32_t first = w->place;
	if (s->condition) {
		w->place += 2;
		text_add(w->t, s->unless ? "unless " : "if ");
		print_place(w, PLACE_ARRAY, s->condition - 1);
		text_add(w->t, ":\n");
		w->place = first + step_places(w->plan, s, NULL);
		return;
	}
	text_add(w->t, "loop ");
	print_place(w, PLACE_LOOP, s->loop);
	text_add(w->t, s->back ? " back: " : ": ");
	print_place(w, PLACE_DIM, s->steps);
	text_add(w->t, " steps, index ");
	print_place(w, PLACE_ARRAY, s->index);
	if (s->whiles) {
		uint32_t carries = w->place;
		text_add(w->t, ", while ");
		print_place(w, PLACE_ARRAY, s->carry[0].now);
		w->place = carries;
	}
	for (uint32_t i = 0; i < s->ncarry; i++) print_carry(w, &s->carry[i]);
	if (s->nrecord) text_printf(w->t, ", %u written down", s->nrecord);
	if (s->ntake) text_printf(w->t, ", unless %u written down", s->ntake);
	text_char(w->t, '\n');
}

/* Gives the last step of the row. */
static const Step *print_row(PlanText *w, const Step *s, const SameAt *at)
{
	const SameRun *run = &w->same->run[at->run];
	const uint32_t *value = run->value + (size_t)at->row * run->ngiven;
	text_printf(w->t, "r%u(", at->run);
	for (uint32_t k = 0; k < run->ngiven; k++) {
		text_add(w->t, k ? ", " : "");
		text_add(w->t, run->gives[k] == PLACE_LOOP && !w->run ? "loop " : "");
		print_place(w, run->gives[k], w->run ? 0 : value[k]);
	}
	text_add(w->t, ")\n");
	for (uint32_t k = run->steps; k > 1; k--) s = s->next;
	return s;
}

static void print_steps(PlanText *w, const Step *s, const Step *end, int depth)
{
	for (; s != end; s = s->next) {
		const SameAt *at = same_at(w->same, s, w->run);
		text_printf(w->t, "%*s", 2 * depth, "");
		if (at) {
			s = print_row(w, s, at);
		} else if (s->kind == STEP_LOOP) {
			print_loop(w, s);
			print_steps(w, s->body, NULL, depth + 1);
		} else {
			print_call(w, s);
		}
	}
}

static void print_runs(PlanText *w)
{
	for (uint32_t i = 0; i < w->same->n; i++) {
		const SameRun *run = &w->same->run[i];
		const Step *end = run->row[0];
		text_printf(w->t, "r%u(", i);
		for (uint32_t k = 0; k < run->ngiven; k++) text_printf(w->t, k ? ", x%u" : "x%u", k + 1);
		text_printf(w->t, "), %u times:\n", run->times);
		for (uint32_t k = 0; k < run->steps; k++) end = end->next;
		w->run = run;
		w->place = 0;
		print_steps(w, run->row[0], end, 1);
	}
	w->run = NULL;
}

static void print_dim(Text *t, const Plan *p, uint32_t i)
{
	static const char *const between[] = {"", "", "", "+", "*", "//", "%", "min", "max"};
	const Dim *d = &p->dim[i];
	text_printf(t, "d%u = ", i);
	if (d->kind == DIM_CONST)
		text_printf(t, "%lld", (long long)d->value);
	else if (d->kind == DIM_SIZE)
		text_printf(t, "size%u", d->a + 1);
	else if (d->kind == DIM_SCALAR)
		text_printf(t, "scalar b%u, from step %u on", p->scalar[d->a].buffer, p->scalar[d->a].ready);
	else
		text_printf(t, "d%u %s d%u", d->a, between[d->kind], d->b);
	if (d->kind > DIM_SCALAR && d->guard != UINT32_MAX) text_printf(t, " where d%u > 0", d->guard);
	text_char(t, '\n');
}

static const char *array_text(Arena *a, const Plan *p, uint32_t i)
{
	static const char *const space[] = {"input", "output", "work", "const", "alias"};
	const Buffer *b = &p->buffer[i];
	Text t;
	text_open(&t, a);
	text_printf(&t, "%s %s[", space[b->space], dtype_name((Dtype)b->dtype));
	for (uint32_t k = 0; k < b->rank; k++) text_printf(&t, k ? ", d%u" : "d%u", buffer_dims(p, i)[k]);
	text_add(&t, b->space == SPACE_ALIAS && b->loop != UINT32_MAX ? "], moving" : "]");
	return text_done(&t);
}

/* Arrays of which the same is told. */
typedef struct ArrayKind {
	const char *what;
	uint32_t n, cap, *array;
} ArrayKind;

/* b1, b4 to b9: work f64[d0]; of each alias, in which array it lies */
static void print_kind(Text *t, const Plan *p, const ArrayKind *x)
{
	for (uint32_t i = 0, end; i < x->n; i = end) {
		const Buffer *b = &p->buffer[x->array[i]];
		bool alias = b->space == SPACE_ALIAS;
		for (end = i + 1; !alias && end < x->n && x->array[end] == x->array[end - 1] + 1;) end++;
		text_printf(t, i ? ", b%u" : "b%u", x->array[i]);
		if (end > i + 1) text_printf(t, " to b%u", x->array[end - 1]);
		if (alias) text_printf(t, " of b%u", b->of);
	}
	text_printf(t, ": %s\n", x->what);
}

static void print_arrays(Text *t, Arena *a, const Plan *p)
{
	Names names;
	NameMap kinds;
	ArrayKind *kind = NEW_ARRAY(a, ArrayKind, p->nbuffer + 1);
	uint32_t n = 0;
	names_open(&names, a);
	namemap_open(&kinds, a);
	for (uint32_t i = 0; i < p->nbuffer; i++) {
		const char *what = array_text(a, p, i);
		what = names_get(&names, what, strlen(what));
		ArrayKind *x = namemap_get(&kinds, what);
		if (!x) namemap_put(&kinds, what, x = &kind[n++]);
		x->what = what;
		GROW(a, x->array, x->n, x->cap);
		x->array[x->n++] = i;
	}
	for (uint32_t k = 0; k < n; k++) print_kind(t, p, &kind[k]);
}

void plan_print(Text *t, const Plan *p)
{
	Arena *a = arena_child(t->arena);
	PlanText w = {.t = t, .plan = p, .same = same_runs(a, p)};
	for (uint32_t i = 0; i < p->ndim; i++) print_dim(t, p, i);
	print_arrays(t, a, p);
	print_runs(&w);
	print_steps(&w, p->first, NULL, 0);
	arena_free(a);
}
