/* c_layout.c - constants and the workspace of a program as C. */
#include "writer.h"

#include <stdlib.h>

/* ---- constants ---------------------------------------------------------------------------- */

static void write_elements(Writer *w, Dtype d, const unsigned char *data, size_t bytes)
{
	bool complex = dtype_is_complex(d);
	Dtype part = dtype_part(d);
	if (dtype_is_narrow(d)) /* its bits */
		part = dtype_bytes(d) == 1 ? DT_U8 : DT_U16;
	else if (d == DT_KEY)
		part = DT_U64;
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
		text_printf(&w->t, "static const %s c%u[] __attribute__((aligned(64))) = {",
			memory_type(dtype_part(d)), i);
		const Elements *e = &w->plan->constant[b->constant];
		write_elements(w, d, e->data, e->bytes);
		text_add(&w->t, "\n};\n");
	}
}

/* ---- what a kernel needs ------------------------------------------------------------------------- */

static const char *product(Writer *w, const Kernel *k, uint32_t first, uint32_t end)
{
	const char *text = "(int64_t)1";
	for (uint32_t i = first; i < end; i++) {
		Int x = k->extent[i];
		text = x.param < 0 ? arena_printf(w->arena, "%s*%lld", text, (long long)x.value)
				   : arena_printf(w->arena, "%s*m[%d]", text, (int)x.param);
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
			say(w, "return rows + 0*inner;"); /* 0*: the user's compiler may warn of unused names */
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

/* Scratch of contractions is least where sizes are odd: at most twice that of these corners. */
static const char contract_most[] =
	"static int64_t contract_most(int dtype, const int64_t *p)\n"
	"{\n"
	"\tint64_t most = 0;\n"
	"\tfor (int i = 0; i < 18; i++) {\n"
	"\t\tint64_t q[11], need;\n"
	"\t\t__builtin_memcpy(q, p, sizeof q);\n"
	"\t\tq[2] = i%3 == 0 ? 1 : i%3 == 1 && q[2] > FEW_ROWS ? FEW_ROWS : q[2];\n"
	"\t\tq[3] = i/3%3 == 0 ? 1 : i/3%3 == 1 && q[3] > ITEM_COLUMNS ? ITEM_COLUMNS : q[3];\n"
	"\t\tq[10] = 1 + i/9;\n"
	"\t\tneed = run_scratch(RUN_CONTRACT, dtype, q);\n"
	"\t\tif (need > most) most = need;\n"
	"\t}\n"
	"\treturn 2*most;\n"
	"}\n";

typedef struct WrittenNeeds {
	Table seen;
	uint32_t n; /* that have been written */
} WrittenNeeds;

static bool need_same(const void *item, const void *key)
{
	const StepCall *a = ((const Step *)item)->call, *b = ((const Step *)key)->call;
	return a->kernel == b->kernel && a->core == b->core && a->dtype == b->dtype &&
		a->nparam == b->nparam && !memcmp(a->param, b->param, a->nparam * sizeof *a->param);
}

/* Is it the first step of such needs? */
static bool need_new(WrittenNeeds *n, const Step *s)
{
	const StepCall *c = s->call;
	uint32_t h = hash_mix(s->kind == STEP_KERNEL ? c->kernel->index : c->core, c->dtype);
	h = hash_mix(h, hash_bytes(c->param, c->nparam * sizeof *c->param));
	if (table_find(&n->seen, h, s, need_same)) return false;
	table_add(&n->seen, h, (void *)s);
	return true;
}

void write_need(Writer *w, const Step *s)
{
	write_step_sizes(w, s, false);
	bool bounds = w->plan->nphase > 1 && s->kind == STEP_CORE && s->call->core == CORE_CONTRACT;
	if (s->kind == STEP_KERNEL)
		say(w, "const int64_t need = k%u_scratch(m);", s->call->kernel->index);
	else if (bounds)
		say(w, "const int64_t need = contract_most(%u, m);", s->call->dtype);
	else
		say(w, "const int64_t need = run_scratch(%d, %u, m);", (int)s->call->core, s->call->dtype);
	say(w, "if (need > most) most = need;");
}

/* NAME_scratch0, NAME_scratch1, ...: the most that some of the steps need.  Compilers take more than twice
 * the time for a function twice as long, so none becomes long. */
enum { NEEDS_OF_FUNCTION = 64 };

static void write_needs(Writer *w, WrittenNeeds *n, const Step *s)
{
	for (; s; s = s->next) {
		if (s->kind == STEP_LOOP) {
			write_needs(w, n, s->body);
			continue;
		}
		if (w->same->within[s->number] || w->same->at[s->number]) continue;
		if ((s->kind == STEP_CORE && !core_has_items(s)) || !need_new(n, s)) continue;
		if (n->n % NEEDS_OF_FUNCTION == 0) {
			if (n->n) {
				say(w, "return most;");
				say_close(w);
			}
			say_open(w, "static int64_t %s_scratch%u(const int64_t *d)", w->name,
				n->n / NEEDS_OF_FUNCTION);
			say(w, "int64_t most = 0;");
		}
		n->n++;
		say_open(w, "%s", "");
		write_need(w, s);
		say_close(w);
	}
}

typedef struct LayoutRow {
	uint32_t place, elements, bytes;
} LayoutRow;

static int by_row(const void *x, const void *y)
{
	const LayoutRow *a = x, *b = y;
	if (a->place != b->place) return a->place < b->place ? -1 : 1;
	if (a->elements != b->elements) return a->elements < b->elements ? -1 : 1;
	return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

enum { ROWS_OF_LINE = 6 };

/* What each place has to hold: rows of place, dim, bytes of an element.  Buffers that share a place and a
 * dim, which programs of many equal layers have, are one row: that of the largest elements. */
static uint32_t write_rows(Writer *w)
{
	const Plan *p = w->plan;
	LayoutRow *row = NEW_ARRAY(w->arena, LayoutRow, p->nbuffer + 1);
	uint32_t n = 0, kept = 0;
	for (uint32_t i = 0; i < p->nbuffer; i++)
		if (w->place[i] != UINT32_MAX)
			row[n++] = (LayoutRow){w->place[i], elements_dim(p, &p->buffer[i]),
				(uint32_t)dtype_bytes((Dtype)p->buffer[i].dtype)};
	qsort(row, n, sizeof *row, by_row);
	say_open(w, "static const int array[][3] =");
	Text line;
	text_open(&line, w->arena);
	for (uint32_t i = 0; i < n; i++) {
		const LayoutRow *r = &row[i];
		if (i + 1 < n && r[1].place == r->place && r[1].elements == r->elements) continue;
		text_printf(&line, "%s{ %u, %u, %u },", kept % ROWS_OF_LINE ? " " : "", r->place, r->elements,
			r->bytes);
		if (++kept % ROWS_OF_LINE) continue;
		say(w, "%s", text_done(&line));
		text_open(&line, w->arena);
	}
	if (kept % ROWS_OF_LINE) say(w, "%s", text_done(&line));
	w->depth--;
	say(w, "};");
	return kept;
}

static void write_places(Writer *w, uint32_t rows)
{
	say(w, "for (int i = 0; i < %u; i++) at[i] = 0;", w->nplace);
	say_open(w, "for (int i = 0; i < %u; i++)", rows);
	say(w, "const int64_t n = d[array[i][1]], bytes = array[i][2];");
	say(w, "if (n > INT64_MAX/8/bytes) return -1;");
	say(w, "const int64_t need = (n*bytes + 63)/64*64;");
	say(w, "if (need > at[array[i][0]]) at[array[i][0]] = need;");
	say_close(w);
	say_open(w, "for (int i = 0; i < %u; i++)", w->nplace);
	say(w, "const int64_t bytes = at[i];");
	say(w, "at[i] = total;");
	say(w, "if (__builtin_add_overflow(total, bytes, &total)) return -1;");
	say_close(w);
}

void write_layout(Writer *w)
{
	WrittenNeeds needs = {.n = 0};
	table_open(&needs.seen, w->arena);
	if (w->plan->nphase > 1 && w->wants.cores >> CORE_CONTRACT & 1) text_add(&w->t, contract_most);
	write_needs(w, &needs, w->plan->first);
	if (needs.n) {
		say(w, "return most;");
		say_close(w);
	}
	write_same_rows(w);
	write_same_needs(w);
	say(w, "/* Where places begin and, behind them, scratch; the bytes of all, or -1. */");
	say_open(w, "static int64_t %s_layout(const int64_t *d, int64_t *at)", w->name);
	uint32_t rows = w->nplace ? write_rows(w) : 0;
	say(w, "int64_t total = 0, scratch = 0;");
	if (w->nplace) write_places(w, rows);
	for (uint32_t i = 0; i * NEEDS_OF_FUNCTION < needs.n; i++) {
		say_open(w, "%s", "");
		say(w, "const int64_t need = %s_scratch%u(d);", w->name, i);
		say(w, "if (need > scratch) scratch = need;");
		say(w, "if (need < 0) return -1;");
		say_close(w);
	}
	write_same_layout(w);
	say(w, "at[%u] = total;", w->nplace);
	say(w, "if (__builtin_add_overflow(total, scratch, &total)) return -1;");
	say(w, "return total < INT64_MAX/4 ? total + 127 : -1;");
	say_close(w);
}
