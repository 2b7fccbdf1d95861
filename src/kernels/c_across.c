/* c_across.c - RECIPE_ROWS where rows turn out short: the stages for many rows at once.
 *
 *     NAME_across    what NAME does, for rows of at most SHORT elements
 *
 * A loop along a short row has no vectors to speak of.  So j counts rows here, and each inner index has a
 * loop over them; what a later stage reads of an earlier one has a place for each row.  A row's terms are
 * one to a lane, which join by halving: the same bits.
 */
#include "c_kernel.h"

enum { ROWS_LEAST = 16, CODE_MOST = 64, BYTES_MOST = 49152 };

/* ---- what stands where -------------------------------------------------------------------------- */

/* Is it laid down for later stages?  A fold's terms are, and its results lie where its first terms did. */
static bool is_laid(const Form *f, const Form *across, uint32_t i)
{
	return across->kept[i] || f->k->code[i].kind == INS_FOLD;
}

static uint32_t places(const Form *f, uint32_t i)
{
	bool inner = f->k->stage[f->stage[i]].inner;
	return inner ? SHORT * ROWS_AT_ONCE : ROWS_AT_ONCE;
}

/* Where no value stands still, and those of row stages that later ones use are kept too. */
static Form form_across(Arena *a, const Form *f)
{
	const Kernel *k = f->k;
	Form g = *f;
	g.still = NEW_ARRAY(a, bool, k->ncode + 1);
	g.direct = NEW_ARRAY(a, bool, k->ncode + 1);
	g.kept = NEW_ARRAY(a, bool, k->ncode + 1);
	for (uint32_t i = 0; i < k->ncode; i++) {
		uint16_t operand[5];
		uint32_t n = ins_operands(k, &k->code[i], operand);
		g.kept[i] |= f->kept[i];
		for (uint32_t o = 0; o < n; o++) {
			uint32_t v = operand[o];
			bool row = !k->stage[f->stage[v]].inner;
			g.kept[v] |= row && f->stage[v] != f->stage[i] && !f->again[v];
		}
	}
	return g;
}

static bool may_be_short(const Kernel *k)
{
	Int inner = k->extent[k->naxis - 1], rows = k->extent[k->nrow - 1];
	return (inner.param >= 0 || inner.value <= SHORT) && (rows.param >= 0 || rows.value >= ROWS_LEAST);
}

static bool fits(const Form *f, const Form *across)
{
	const Kernel *k = f->k;
	uint32_t bytes = 0;
	for (uint32_t i = 0; i < k->ncode; i++) {
		const Ins *x = &k->code[i];
		const Access *a = ins_access(k, x);
		Dtype d = x->kind == INS_FOLD ? fold_accumulator(x) : (Dtype)x->dtype;
		if ((a && a->ndynamic) || dtype_is_complex(d)) return false;
		if (x->kind == INS_FOLD && is_argfold(x)) return false;
		if (is_laid(f, across, i)) bytes += places(f, i) * held_bytes(d);
	}
	return bytes <= BYTES_MOST;
}

bool has_across(const Print *p)
{
	const Kernel *k = p->k;
	if (k->recipe != RECIPE_ROWS || k->nrow == 0 || k->naxis != k->nrow + 1) return false;
	bool folds = false;
	for (uint32_t s = 0; s < k->nstage; s++) folds |= stage_folds(k, s);
	Form across = form_across(p->arena, p->f);
	return folds && k->ncode <= CODE_MOST && may_be_short(k) && fits(p->f, &across);
}

/* ---- a stage ------------------------------------------------------------------------------------ */

static void find_need(Print *p)
{
	uint16_t operand[5];
	stage_needs(p->f, p->s, p->need);
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		if (!p->need[i] || is_read(p, i)) continue;
		uint32_t n = ins_operands(p->k, &p->k->code[i], operand);
		for (uint32_t o = 0; o < n; o++)
			p->need[operand[o]] |= p->k->code[operand[o]].kind == INS_FOLD;
	}
}

static void print_places(Print *p)
{
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		const Ins *x = &p->k->code[i];
		bool fold = x->kind == INS_FOLD, own = is_own(p, i);
		if (!p->need[i] || !(fold || p->f->kept[i])) continue;
		const char *type = held_type(fold ? fold_accumulator(x) : (Dtype)x->dtype);
		bool moves = p->k->stage[p->f->stage[i]].inner && (own || !fold);
		print_line(p, "%s *const %c%u = k%u%s;", type, fold && own ? 'e' : 'h', i, i,
			moves ? arena_printf(p->arena, " + x%u*%d", p->k->nrow, ROWS_AT_ONCE) : "");
	}
}

static void print_stage(Print *p, uint32_t s)
{
	bool inner = p->k->stage[s].inner;
	uint32_t axis = p->k->nrow;
	p->s = s;
	find_need(p);
	if (inner)
		print_open(p, "for (int64_t x%u = 0; x%u < inner; x%u++)", axis, axis, axis);
	else
		print_open(p, "%s", "");
	print_pointers(p, 'q', 'b', 0, inner ? axis + 1 : axis);
	print_places(p);
	print_loops(p);
	print_close(p);
	FOLDS(p, i)
	if (is_own(p, i))
		print_line(p, "%s(k%u, inner, g);", fold_helper(p, &p->k->code[i], "across", 0), i);
}

/* ---- the function ------------------------------------------------------------------------------- */

void print_across(Print *p)
{
	const Kernel *k = p->k;
	const Form *was = p->f;
	Form across = form_across(p->arena, was);
	uint32_t last = k->nrow - 1;
	p->f = &across;
	p->along = last;
	print_prologue(p, ACROSS);
	for (uint32_t i = 0; i < k->ncode; i++) {
		const Ins *x = &k->code[i];
		Dtype d = x->kind == INS_FOLD ? fold_accumulator(x) : (Dtype)x->dtype;
		if (is_laid(was, &across, i)) print_line(p, "%s k%u[%u];", held_type(d), i, places(was, i));
	}
	print_decode(p, 0, k->nrow, "lo");
	print_open(p, "for (int64_t row = lo, g; row < hi; row += g)");
	print_line(p, "g = n%u - x%u < %d ? n%u - x%u : %d;", last, last, ROWS_AT_ONCE, last, last, ROWS_AT_ONCE);
	print_line(p, "if (g > hi - row) g = hi - row;");
	for (uint32_t s = 0; s < k->nstage; s++) print_stage(p, s);
	print_line(p, "x%u += g;", last);
	print_open(p, "if (x%u == n%u)", last, last);
	print_line(p, "x%u = 0;", last);
	print_advance(p, 0, last);
	print_close(p);
	print_close(p);
	print_close(p);
	p->f = was;
	p->along = (uint32_t)k->naxis - 1;
	text_char(&p->t, '\n');
}

void print_where_short(Print *p)
{
	print_open(p, "if (inner > 0 && inner <= %d && n%u >= %d)", SHORT, p->k->nrow - 1, ROWS_LEAST);
	print_line(p, "%s_across(buffer, param, lo, hi, scratch, fault);", p->name);
	print_line(p, "return;");
	print_close(p);
}
