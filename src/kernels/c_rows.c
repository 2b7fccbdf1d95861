/* c_rows.c - RECIPE_ROWS: stage after stage for each row, folds block by block.
 *
 *     WHOLE   for each row: stages                    (maps: for each row and block: stages)
 *     BLOCKS  for each row and block: the inner stage, the folds' results of the block laid down
 *     FINISH  for each row: those results joined, row stages
 */
#include "c_kernel.h"

/* ---- a stage that folds ------------------------------------------------------------------ */

static uint32_t common_lanes(const Print *p, uint32_t stage)
{
	uint32_t lanes = 0;
	for (uint32_t i = p->k->stage[stage].first; i < p->k->stage[stage].end; i++) {
		const Ins *x = &p->k->code[i];
		if (x->kind == INS_FOLD && (lanes == 0 || is_ordered(x))) lanes = ins_lanes(x);
	}
	return lanes;
}

#define STAGE_FOLDS(p, stage_, i)                                                                            \
	for (uint32_t i = (p)->k->stage[stage_].first; i < (p)->k->stage[stage_].end; i++)                   \
		if ((p)->k->code[i].kind == INS_FOLD)

static void print_totals(Print *p, uint32_t stage, bool stacks, const char *first_index)
{
	STAGE_FOLDS(p, stage, i)
	{
		const Ins *x = &p->k->code[i];
		const char *type = held_type(fold_accumulator(x));
		if (stacks || is_argfold(x)) print_line(p, "%s t%u = %s;", type, i, fold_empty(p, x));
		if (is_argfold(x))
			print_line(p, "int64_t l%u = %s;", i, first_index);
		else if (stacks && is_ordered(x))
			print_line(p, "%s s%u[52]; int d%u = 0;", type, i, i);
	}
}

/* Where the terms of a block lie. */
static const char *terms(Print *p, uint32_t i)
{
	if (p->f->direct[i]) return arena_printf(p->arena, "(p%u + from)", p->k->code[p->k->code[i].a].at);
	return arena_printf(p->arena, "g%u", i);
}

/* Does the stage do anything but fold what lies in memory? */
static bool only_direct(const Print *p, uint32_t stage)
{
	bool only = p->f->heavy[stage];
	for (uint32_t i = p->k->stage[stage].first; i < p->k->stage[stage].end; i++)
		only &= p->k->code[i].kind == INS_LOAD
			? !p->f->kept[i] && p->k->at[p->k->code[i].at].ndynamic == 0
			: p->f->direct[i];
	return only;
}

/* Among the terms laid down, the first that equals their largest, or the first NaN. */
static void print_find(Print *p, uint32_t i)
{
	const Ins *x = &p->k->code[i];
	const char *type = held_type(fold_accumulator(x)), *m = arena_printf(p->arena, "r%u", i),
		   *g = terms(p, i);
	print_line(p, "const %s r%u = %s(%s, len);", type, i, fold_helper(p, x, "lanes", ins_lanes(x)), g);
	print_line(p, "int64_t f%u = 0;", i);
	print_open(p, "if (t%u == t%u && (%s %s t%u || %s != %s))", i, i, m, x->op == OP_ARGMAX ? ">" : "<",
		i, m, m);
	print_line(p, "while (%s == %s ? %s[f%u] != %s : %s[f%u] == %s[f%u]) f%u++;", m, m, g, i, m, g, i, g,
		i, i);
	print_line(p, "t%u = %s, l%u = from + f%u;", i, m, i, i);
	print_close(p);
}

/* [from, from + len) is a block: rN of each fold; tN and lN of an index that is looked for. */
static void print_block(Print *p, uint32_t stage)
{
	bool heavy = p->f->heavy[stage];
	p->lanes = heavy ? 0 : common_lanes(p, stage);
	STAGE_FOLDS(p, stage, i)
	if (!heavy) {
		const char *neutral = fold_neutral(p, &p->k->code[i]);
		print_line(p, "%s a%u[%u];", held_type(fold_accumulator(&p->k->code[i])), i, p->lanes);
		print_line(p, "for (int64_t l = 0; l < %u; l++) a%u[l] = %s;", p->lanes, i, neutral);
	}
	if (!only_direct(p, stage)) print_segments(p, stage, "row*inner");
	uint32_t lanes = p->lanes;
	p->lanes = 0;
	STAGE_FOLDS(p, stage, i)
	{
		const Ins *x = &p->k->code[i];
		const char *type = held_type(fold_accumulator(x));
		if (is_argfold(x))
			print_find(p, i);
		else if (heavy)
			print_line(p, "%s r%u = %s(%s, len);", type, i,
				fold_helper(p, x, "lanes", ins_lanes(x)), terms(p, i));
		else
			print_line(p, "%s r%u = %s(a%u, len);", type, i, fold_helper(p, x, "join", lanes), i);
	}
}

static void print_results(Print *p, uint32_t stage)
{
	STAGE_FOLDS(p, stage, i)
	{
		const Ins *x = &p->k->code[i];
		if (!is_argfold(x)) print_pop(p, i);
		print_line(p, "const %s v%u = %s;", held_type((Dtype)x->dtype), i,
			fold_result(p, x, arena_printf(p->arena, "%c%u", is_argfold(x) ? 'l' : 't', i)));
	}
}

static void print_block_range(Print *p, const char *block)
{
	print_line(p, "const int64_t from = %s*%d;", block, FOLD_BLOCK);
	print_line(p, "const int64_t len = inner - from < %d ? inner - from : %d;", FOLD_BLOCK, FOLD_BLOCK);
}

static void print_fold_stage(Print *p, uint32_t stage)
{
	print_totals(p, stage, true, "0");
	print_open(p, "for (int64_t b = 0; b < nb; b++)");
	print_block_range(p, "b");
	print_block(p, stage);
	STAGE_FOLDS(p, stage, i)
	if (!is_argfold(&p->k->code[i])) print_push(p, i, "b");
	print_close(p);
	print_results(p, stage);
}

/* The blocks' results are in wN (yN: their indices). */
static void print_fold_joined(Print *p, uint32_t stage)
{
	print_totals(p, stage, true, "0");
	print_open(p, "for (int64_t b = 0; b < nb; b++)");
	STAGE_FOLDS(p, stage, i)
	{
		const Ins *x = &p->k->code[i];
		print_line(p, "%s r%u = w%u[b];", held_type(fold_accumulator(x)), i, i);
		if (is_argfold(x))
			print_better(
				p, i, arena_printf(p->arena, "r%u", i), arena_printf(p->arena, "y%u[b]", i));
		else
			print_push(p, i, "b");
	}
	print_close(p);
	print_results(p, stage);
}

static void print_fold_laid(Print *p, uint32_t stage)
{
	print_totals(p, stage, false, "from");
	print_block(p, stage);
	STAGE_FOLDS(p, stage, i)
	{
		bool arg = is_argfold(&p->k->code[i]);
		print_line(p, "w%u[item - base] = %c%u;", i, arg ? 't' : 'r', i);
		if (arg) print_line(p, "y%u[item - base] = l%u;", i, i);
	}
}

/* ---- scratch ---------------------------------------------------------------------------------- */

static void print_scratch(Print *p, Part part)
{
	bool by_row = p->f->sizes.items == ITEM_ROW && part == WHOLE;
	print_line(p, "char *at = scratch;");
	for (uint32_t i = 0; i < p->k->ncode && part != FINISH; i++) {
		const Ins *x = &p->k->code[i];
		const char *type = held_type((Dtype)x->dtype),
			   *number = by_row ? "inner" : arena_printf(p->arena, "%d", FOLD_BLOCK);
		if (x->kind == INS_FOLD && p->f->heavy[p->f->stage[i]] && !p->f->direct[i]) {
			type = held_type(fold_accumulator(x));
			print_line(p, "%s *const g%u = (%s *)at;", type, i, type);
			print_line(p, "at += %d*sizeof(%s);", FOLD_BLOCK, type);
		}
		if (!p->f->kept[i]) continue;
		print_line(p, "%s *const k%u = (%s *)at;", type, i, type);
		print_line(p, "at += (%s*sizeof(%s) + 63) & -64;", number, type);
	}
}

/* ---- the function ------------------------------------------------------------------------------ */

static void print_stages(Print *p, Part part, bool by_row)
{
	const Kernel *k = p->k;
	bool inner_seen = false;
	for (uint32_t s = 0; s < k->nstage; s++) {
		if (!k->stage[s].inner) {
			if (part != BLOCKS || !inner_seen) print_row_stage(p, s);
			continue;
		}
		inner_seen = true;
		if (part == FINISH)
			print_fold_joined(p, s);
		else if (part == BLOCKS)
			print_fold_laid(p, s);
		else if (stage_folds(k, s))
			print_fold_stage(p, s);
		else if (!by_row)
			print_segments(p, s, "row*inner");
		else {
			print_open(p, "%s", "");
			print_line(p, "const int64_t from = 0, len = inner;");
			print_segments(p, s, "row*inner");
			print_close(p);
		}
	}
}

void print_rows(Print *p, Part part)
{
	bool by_row = part == FINISH || (part == WHOLE && p->f->sizes.items == ITEM_ROW);
	uint32_t nrow = p->k->nrow;
	p->kept_from = by_row ? "0" : "from";
	print_prologue(p, part);
	print_line(p, "const int64_t nb = (inner + %d)/%d;", FOLD_BLOCK - 1, FOLD_BLOCK);
	if (has_across(p)) print_where_short(p);
	print_scratch(p, part);
	if (part != WHOLE) print_partials(p, 1);
	if (by_row) {
		print_absent(p, "lo*inner");
		print_decode(p, 0, nrow, "lo");
		print_open(p, "for (int64_t row = lo; row < hi; row++)");
	} else {
		print_line(p, "int64_t row = nb ? lo/nb : 0, block = nb ? lo%%nb : 0;"); /* an axis may be empty */
		print_absent(p, "row*inner + block*4096");
		print_decode(p, 0, nrow, "row");
		print_open(p, "for (int64_t item = lo; item < hi; item++)");
		print_block_range(p, "block");
	}
	print_pointers(p, 'p', 'b', 0, nrow);
	print_stages(p, part, by_row);
	if (by_row) {
		print_advance(p, 0, nrow);
	} else {
		print_open(p, "if (++block == nb)");
		print_line(p, "block = 0, row++;");
		print_advance(p, 0, nrow);
		print_close(p);
	}
	print_close(p);
	print_close(p);
}
