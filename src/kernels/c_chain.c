/* c_chain.c - RECIPE_CHAIN: folds of axes that are not the last.
 *
 * An item is a row and CHAIN_BLOCK inner indices: a chain for each stands in an
 * array, and the folded index walks on outside.  Neighbours in a range of items
 * are walked together, so that memory is read in long runs.
 *
 *     WHOLE   for each item: for each block of the folded index: chains, joined pairwise; stage 1
 *     BLOCKS  for each item and block: chains, laid down
 *     FINISH  for each item: those joined; stage 1
 */
#include "c_kernel.h"

static const char *acc_type(const Print *p, uint32_t i)
{
	return held_type(fold_accumulator(&p->k->code[i]));
}

/* Chains from their beginning: neutral, or empty when nothing will come. */
static void print_begin(Print *p, const char *none)
{
	FOLDS(p, i)
	{
		const Ins *x = &p->k->code[i];
		print_open(p, "for (int64_t j = 0; j < len; j++)");
		if (none)
			print_line(
				p, "a%u[j] = %s ? %s : %s;", i, none, fold_empty(p, x), fold_neutral(p, x));
		else
			print_line(p, "a%u[j] = %s;", i, fold_neutral(p, x));
		if (is_argfold(x)) print_line(p, "l%u[j] = 0;", i);
		print_close(p);
	}
}

/* One block of the folded index, [first, last). */
static void print_folded(Print *p)
{
	const Kernel *k = p->k;
	print_line(p, "const int64_t first = b*%d, last = folded - first < %d ? folded : first + %d;",
		FOLD_BLOCK, FOLD_BLOCK, FOLD_BLOCK);
	print_decode(p, k->nrow, k->nfold, "first");
	print_open(p, "for (int64_t f = first; f < last; f++)");
	p->s = 0;
	p->folding = true;
	stage_needs(p->f, 0, p->need);
	print_pointers(p, 'r', 'p', k->nrow, k->nfold);
	print_segments(p, 0, "(row*folded + f)*inner");
	p->folding = false;
	print_advance(p, k->nrow, k->nfold);
	print_close(p);
}

/* The chains in aN join what the stack holds on top. */
static void print_chain_join(Print *p)
{
	print_line(p, "depth--;");
	FOLDS(p, i) if (!is_argfold(&p->k->code[i]))
	{
		const char *below = arena_printf(p->arena, "s%u[depth*%u + j]", i, p->f->sizes.wide);
		print_line(p, "LOOP for (int64_t j = 0; j < len; j++) a%u[j] = %s;", i,
			fold_join(p, &p->k->code[i], below, arena_printf(p->arena, "a%u[j]", i)));
	}
}

/* The results of two blocks join where both take equally many: as the digits of their number carry. */
static void print_chain_push(Print *p)
{
	print_line(p, "uint64_t c = (uint64_t)b;");
	print_open(p, "for (; c & 1; c >>= 1)");
	print_chain_join(p);
	print_close(p);
	FOLDS(p, i)
	if (!is_argfold(&p->k->code[i]))
		print_line(p, "LOOP for (int64_t j = 0; j < len; j++) s%u[depth*%u + j] = a%u[j];", i,
			p->f->sizes.wide, i);
	print_line(p, "depth++;");
}

static void print_chain_pop(Print *p)
{
	print_line(p, "if (nfb > 1) depth--;"); /* the top of the stack is what the chains hold */
	print_open(p, "while (depth > 0)");
	print_chain_join(p);
	print_close(p);
}

static void print_whole(Print *p)
{
	print_line(p, "int64_t depth = 0;");
	print_begin(p, "nfb == 0");
	print_open(p, "for (int64_t b = 0; b < nfb; b++)");
	FOLDS(p, i)
	if (!is_argfold(&p->k->code[i]))
		print_line(p, "if (b > 0) for (int64_t j = 0; j < len; j++) a%u[j] = %s;", i,
			fold_neutral(p, &p->k->code[i]));
	print_folded(p);
	print_open(p, "if (nfb > 1)");
	print_chain_push(p);
	print_close(p);
	print_close(p);
	print_chain_pop(p);
}

static void print_laid(Print *p)
{
	print_begin(p, NULL);
	print_open(p, "%s", "");
	print_folded(p);
	print_close(p);
	FOLDS(p, i)
	{
		print_line(p, "for (int64_t j = 0; j < len; j++) w%u[(item - base)*%d + j] = a%u[j];", i,
			CHAIN_BLOCK, i);
		if (is_argfold(&p->k->code[i]))
			print_line(p, "for (int64_t j = 0; j < len; j++) y%u[(item - base)*%d + j] = l%u[j];",
				i, CHAIN_BLOCK, i);
	}
}

static void print_joined(Print *p)
{
	print_line(p, "int64_t depth = 0;");
	print_begin(p, "nfb == 0");
	print_open(p, "for (int64_t b = 0; b < nfb; b++)");
	print_line(p, "const int64_t o = ((item - base)*nfb + b)*%d;", CHAIN_BLOCK);
	FOLDS(p, i)
	{
		const Ins *x = &p->k->code[i];
		if (!is_argfold(x)) {
			print_line(p, "LOOP for (int64_t j = 0; j < len; j++) a%u[j] = w%u[o + j];", i, i);
			continue;
		}
		print_open(p, "for (int64_t j = 0; j < len; j++)");
		print_line(p, "const %s t%u = a%u[j], r%u = w%u[o + j];", acc_type(p, i), i, i, i, i);
		print_line(p,
			"if (t%u == t%u && (r%u %s t%u || r%u != r%u)) a%u[j] = r%u, l%u[j] = y%u[o + j];", i,
			i, i, x->op == OP_ARGMAX ? ">" : "<", i, i, i, i, i, i, i);
		print_close(p);
	}
	print_open(p, "if (nfb > 1)");
	print_chain_push(p);
	print_close(p);
	print_close(p);
	print_chain_pop(p);
}

/* ---- the function ------------------------------------------------------------------------------ */

static void print_arrays(Print *p, Part part)
{
	if (part != BLOCKS) print_line(p, "char *at = scratch;");
	FOLDS(p, i)
	{
		const char *type = acc_type(p, i);
		print_line(p, "%s a%u[%u];", type, i, p->f->sizes.wide);
		if (is_argfold(&p->k->code[i]))
			print_line(p, "int64_t l%u[%u];", i, p->f->sizes.wide);
		else if (part != BLOCKS) {
			print_line(p, "%s *const s%u = (%s *)at;", type, i, type);
			print_line(p, "at += levels*%u*sizeof(%s);", p->f->sizes.wide, type);
		}
	}
}

void print_chain_kernel(Print *p, Part part)
{
	uint32_t nrow = p->k->nrow;
	print_prologue(p, part);
	print_line(p, "const int64_t nib = (inner + %d)/%d, nfb = (folded + %d)/%d;", CHAIN_BLOCK - 1,
		CHAIN_BLOCK, FOLD_BLOCK - 1, FOLD_BLOCK);
	print_line(p, "const int64_t levels = nfb > 1 ? 64 - __builtin_clzll((uint64_t)nfb) : 0;");
	print_arrays(p, part);
	if (part != WHOLE) print_partials(p, CHAIN_BLOCK);
	const char *per = part == BLOCKS ? "nib*nfb" : "nib";
	print_absent(p, arena_printf(p->arena, "lo/(%s)*folded*inner", per));
	if (part == WHOLE)
		print_open(p, "for (int64_t item = lo, group; item < hi; item += group)");
	else
		print_open(p, "for (int64_t item = lo; item < hi; item++)");
	print_line(p, "const int64_t row = item/(%s);", per);
	if (part == BLOCKS)
		print_line(p, "const int64_t b = item%%nfb, from = item/nfb%%nib*%d;", CHAIN_BLOCK);
	else
		print_line(p, "const int64_t from = item%%nib*%d;", CHAIN_BLOCK);
	if (part == WHOLE) {
		print_line(p, "group = nib - item%%nib < hi - item ? nib - item%%nib : hi - item;");
		print_line(p, "if (group > %u) group = %u;", p->f->sizes.wide / CHAIN_BLOCK,
			p->f->sizes.wide / CHAIN_BLOCK);
	}
	print_line(p, "const int64_t most = %s%d, len = inner - from < most ? inner - from : most;",
		part == WHOLE ? "group*" : "", CHAIN_BLOCK);
	print_decode(p, 0, nrow, "row");
	print_pointers(p, 'p', 'b', 0, nrow);
	if (part == WHOLE)
		print_whole(p);
	else if (part == BLOCKS)
		print_laid(p);
	else
		print_joined(p);
	if (part != BLOCKS) print_segments(p, 1, "row*folded*inner");
	print_close(p);
	print_close(p);
}
