/* c_layout.c - sizes, constants and the workspace of a program as C. */
#include "program.h"

/* ---- constants ---------------------------------------------------------------------------- */

static void write_elements(Writer *w, Dtype d, const unsigned char *data, size_t bytes)
{
	bool complex = dtype_is_complex(d), half = d == DT_F16 || d == DT_BF16;
	Dtype part = d == DT_C64 ? DT_F32 : d == DT_C128 ? DT_F64 : half ? DT_U16 : d == DT_KEY ? DT_U64 : d;
	size_t each = dtype_bytes(part);
	Text t;
	text_open(&t, w->arena);
	for (size_t i = 0; i < bytes / each; i++) {
		uint64_t bits = 0;
		memcpy(&bits, data + i * each, each);
		const char *x = dtype_literal(w->arena, part, bits);
		text_printf(&t, "%s%s,", i % (complex ? 6 : 8) ? " " : "\n\t", x);
	}
	text_add(&w->t, t.n ? text_done(&t) : " 0");
}

void write_constants(Writer *w)
{
	for (uint32_t i = 0; i < w->plan->nbuffer; i++) {
		const Buffer *b = &w->plan->buffer[i];
		Dtype d = (Dtype)b->dtype;
		if (b->space != SPACE_CONST || !w->used[i]) continue;
		const char *type = d == DT_C64 ? "float" : d == DT_C128 ? "double" : memory_type(d);
		text_printf(&w->t, "static const %s c%u[] __attribute__((aligned(64))) = {", type, i);
		write_elements(w, d, b->data, b->bytes);
		text_add(&w->t, "\n};\n");
	}
}

/* ---- sizes ------------------------------------------------------------------------------------ */

static void write_dim(Writer *w, uint32_t i)
{
	const Dim *d = &w->plan->dim[i];
	switch (d->kind) {
	case DIM_CONST: say(w, "d[%u] = %s;", i, dtype_literal(w->arena, DT_I64, (uint64_t)d->value)); break;
	case DIM_SIZE: say(w, "d[%u] = size[%u];", i, d->a); break;
	case DIM_SCALAR: say(w, "d[%u] = size[%u];", i, w->plan->nsize + d->a); break;
	case DIM_ADD: say(w, "bad |= __builtin_add_overflow(d[%u], d[%u], &d[%u]);", d->a, d->b, i); break;
	case DIM_MUL: say(w, "bad |= __builtin_mul_overflow(d[%u], d[%u], &d[%u]);", d->a, d->b, i); break;
	case DIM_FLOORDIV:
	case DIM_MOD:
		say(w, "d[%u] = floor_%s(d[%u], d[%u]);", i, d->kind == DIM_MOD ? "rest" : "divide", d->a,
			d->b);
		break;
	case DIM_MIN:
	case DIM_MAX:
		say(w, "d[%u] = d[%u] %c d[%u] ? d[%u] : d[%u];", i, d->a, d->kind == DIM_MIN ? '<' : '>',
			d->b, d->a, d->b);
		break;
	}
}

void write_sizes(Writer *w)
{
	const Plan *p = w->plan;
	text_add(&w->t,
		"\nstatic __attribute__((unused)) int64_t floor_divide(int64_t a, int64_t b)\n"
		"{\n\treturn b == 0 ? 0 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a/b - (a%b != 0 && (a ^ b) < 0);\n}\n"
		"static __attribute__((unused)) int64_t floor_rest(int64_t a, int64_t b)\n"
		"{\n\treturn b == 0 ? a : b == -1 ? 0 : a - b*floor_divide(a, b);\n}\n");
	say_open(w, "static int %s_sizes(const int64_t *size, int64_t *d)", w->name);
	say(w, "int bad = 0;");
	for (uint32_t i = 0; i < p->ndim; i++) write_dim(w, i);
	for (uint32_t i = 0; i < p->nsize; i++) say(w, "bad |= size[%u] < 0;", i);
	for (uint32_t i = 0; i < p->nsized; i++) say(w, "bad |= d[%u] < 0;", p->sized[i].dim);
	for (uint32_t i = 0; i < p->nrequirement; i++)
		say(w, "bad |= d[%u] %s d[%u];", p->requirement[i].a, p->requirement[i].equal ? "!=" : ">",
			p->requirement[i].b);
	say(w, "return bad;");
	say_close(w);
}

/* ---- what a kernel needs ------------------------------------------------------------------------- */

static const char *product(Writer *w, const Kernel *k, uint32_t first, uint32_t end)
{
	const char *text = "(int64_t)1";
	for (uint32_t i = first; i < end; i++) {
		Int x = k->extent[i];
		text = x.param < 0 ? arena_printf(w->arena, "%s*%lld", text, (long long)x.value)
				   : arena_printf(w->arena, "%s*m[%d]", text, x.param);
	}
	return text;
}

static const char *arrays(Writer *w, const uint16_t count[5], const char *n)
{
	const char *text = "0";
	for (uint32_t c = 0; c < 5; c++)
		if (count[c])
			text = arena_printf(
				w->arena, "%s + %u*((%s*%u + 63) & -64)", text, count[c], n, 1u << c);
	return text;
}

void write_kernel_needs(Writer *w)
{
	for (uint32_t i = 0; i < w->plan->nkernel; i++) {
		const Kernel *k = w->plan->kernel[i];
		const KernelForm *f = &w->form[i].sizes;
		bool chain = f->items == ITEM_CHAIN;
		uint32_t inner = chain ? k->nfold : k->nrow;
		say_open(w, "static __attribute__((unused)) int64_t k%u_items(const int64_t *m)", i);
		say(w, "const int64_t rows = %s, inner = %s;", product(w, k, 0, k->nrow),
			product(w, k, inner, k->naxis));
		if (f->items == ITEM_ROW)
			say(w, "return rows + 0*inner;");
		else
			say(w, "return rows*((inner + %d)/%d);", (chain ? CHAIN_BLOCK : FOLD_BLOCK) - 1,
				chain ? CHAIN_BLOCK : FOLD_BLOCK);
		say_close(w);
		say_open(w, "static __attribute__((unused)) int64_t k%u_scratch(const int64_t *m)", i);
		say(w, "const int64_t inner = %s, folded = %s;", product(w, k, inner, k->naxis),
			product(w, k, k->nrow, inner));
		say(w, "const int64_t nb = (%s + %d)/%d;", chain ? "folded" : "inner + 0*folded",
			FOLD_BLOCK - 1, FOLD_BLOCK);
		if (chain)
			say(w, "const int64_t levels = nb > 1 ? 64 - __builtin_clzll((uint64_t)nb) : 0, row = inner;");
		else
			say(w, "const int64_t levels = 0, row = %s;",
				f->items == ITEM_ROW ? "inner" : "4096");
		say(w, "return %u + levels*%u + 0*row + %s + %s;", f->fixed, f->level,
			chain ? "0" : arrays(w, f->kept, "row"),
			f->splits && !chain ? arrays(w, f->slot, "nb") : "0");
		say_close(w);
	}
}

/* ---- the workspace ----------------------------------------------------------------------------------- */

static void write_needs(Writer *w, const Step *s)
{
	for (; s; s = s->next) {
		if (s->kind == STEP_LOOP) {
			write_needs(w, s->body);
			continue;
		}
		if (s->kind == STEP_CORE && s->core == CORE_CUSTOM) continue;
		say_open(w, "%s", "");
		write_step_params(w, s);
		if (s->kind == STEP_KERNEL)
			say(w, "const int64_t need = k%u_scratch(m);", s->kernel->index);
		else
			say(w, "const int64_t need = run_scratch(%d, %u, m);", (int)s->core, s->dtype);
		say(w, "if (need > scratch) scratch = need;");
		say_close(w);
	}
}

/* The rule of plan_layout: in the order of birth, each takes the lowest gap between those that live at once. */
static const char place[] =
	"struct block { int64_t at, bytes; int last, next; };\n"
	"static __attribute__((unused)) int64_t place(struct block *all, int *first, int i, int birth)\n"
	"{\n"
	"\tint64_t at = 0;\n"
	"\tfor (int *p = first; *p >= 0;)\n"
	"\t\tif (all[*p].last < birth) *p = all[*p].next;\n"
	"\t\telse p = &all[*p].next;\n"
	"\tint *p = first;\n"
	"\tfor (; *p >= 0 && all[*p].at - at < all[i].bytes; p = &all[*p].next)\n"
	"\t\tat = all[*p].at + all[*p].bytes;\n"
	"\tall[i].at = at;\n"
	"\tall[i].next = *p;\n"
	"\t*p = i;\n"
	"\treturn at;\n"
	"}\n";

void write_layout(Writer *w)
{
	const Plan *p = w->plan;
	uint32_t n = 0;
	text_add(&w->t, place);
	say(w, "/* Offsets of buffers and, behind them, of scratch; the bytes of all, or -1. */");
	say_open(w, "static int64_t %s_layout(const int64_t *d, int64_t *at)", w->name);
	say(w, "int64_t end, total = 0, scratch = 0;");
	say_open(w, "static const int work[][5] =");
	for (uint32_t k = 0; k < p->nbuffer; k++) {
		const Buffer *b = &p->buffer[p->birth[k]];
		if (b->space != SPACE_WORK || b->first == UINT32_MAX || !w->used[p->birth[k]]) continue;
		say(w, "{ %u, %u, %zu, %u, %u },", p->birth[k], b->elements, dtype_bytes((Dtype)b->dtype),
			b->first, b->last);
		n++;
	}
	say(w, "{ 0 }");
	w->depth--;
	say(w, "};");
	say(w, "struct block block[%u];", n + 1);
	say(w, "int first = -1;");
	say_open(w, "for (int i = 0; i < %u; i++)", n);
	say(w, "if (d[work[i][1]] > INT64_MAX/8/work[i][2]) return -1;");
	say(w, "block[i].bytes = (d[work[i][1]]*work[i][2] + 63)/64*64;");
	say(w, "block[i].last = work[i][4];");
	say(w, "end = (at[work[i][0]] = place(block, &first, i, work[i][3])) + block[i].bytes;");
	say(w, "if (end < 0 || end > INT64_MAX/4) return -1;");
	say(w, "if (end > total) total = end;");
	say_close(w);
	for (uint32_t i = 0; i < p->nbuffer; i++) {
		const Buffer *b = &p->buffer[i];
		if (!w->used[i] || !is_filled(p, b)) continue;
		say(w, "if (d[%u] > INT64_MAX/8/%zu) return -1;", b->elements, b->bytes);
		say(w, "at[%u] = total, total += (d[%u]*%zu + 63)/64*64;", i, b->elements, b->bytes);
	}
	write_needs(w, p->first);
	say(w, "at[%u] = total;", p->nbuffer);
	say(w, "if (total < 0 || scratch < 0 || __builtin_add_overflow(total, scratch, &end)) return -1;");
	say(w, "return end < INT64_MAX - 127 ? end + 127 : -1;");
	say_close(w);
}
