/* c_kernel.c - what every kernel function begins with, and the walk through an index of several axes. */
#include "c_kernel.h"

static const char *product(Print *p, uint32_t first, uint32_t end)
{
	const char *text = first == end ? "1" : "";
	for (uint32_t axis = first; axis < end; axis++)
		text = arena_printf(p->arena, "%s%sn%u", text, axis > first ? "*" : "", axis);
	return text;
}

/* Parameters, extents, rows, inner, folded. */
static void print_shapes(Print *p)
{
	const Kernel *k = p->k;
	uint32_t inner = k->recipe == RECIPE_CHAIN ? k->nfold : k->nrow;
	for (uint32_t i = 0; i < k->nparam + k->nconstant; i++)
		print_line(p, "const int64_t m%u = param[%u];", i, i);
	for (uint32_t i = 0; i < k->naxis; i++)
		print_line(p, "const int64_t n%u = %s;", i, int_text(p, k->extent[i]));
	print_line(p, "const int64_t rows = %s, inner = %s;", product(p, 0, k->nrow),
		product(p, inner, k->naxis));
	if (k->recipe == RECIPE_CHAIN)
		print_line(p, "const int64_t folded = %s;", product(p, k->nrow, k->nfold));
}

static void print_strides(Print *p)
{
	const Kernel *k = p->k;
	bool far;
	for (uint32_t i = 0; i < k->nat && has_inner_axis(k); i++) {
		Int stride = k->at[i].stride[p->along];
		const char *name = held_stride(p, stride, &far);
		for (uint32_t b = 0; b < i && far; b++)
			far = !int_is(k->at[b].stride[p->along], stride.value);
		if (!far) continue;
		print_line(p, "int64_t %s = %d;", name, (int)stride.value);
		print_line(p, "UNKNOWN(%s);", name);
	}
}

static const char signature[] =
	"void *const *buffer, const int64_t *param, int64_t lo, int64_t hi, void *scratch, struct fault *fault";

void print_prologue(Print *p, Part part)
{
	const Kernel *k = p->k;
	if (part == WHOLE)
		print_open(p, "%svoid %s(%s)", *p->u->suffix ? "static " : "", p->name, signature);
	else if (part == ACROSS)
		print_open(p, "static ALONE void %s_across(%s)", p->name, signature);
	else
		print_open(p, "static ALONE void %s_%s(%s, void *results, int64_t base, int64_t count)",
			p->name, part == BLOCKS ? "part" : "join", signature);
	print_line(p, "if (lo >= hi) return;");
	print_shapes(p);
	for (uint32_t i = 0; i < k->nbuffer; i++) {
		const char *constant = k->buffer[i].written ? "" : "const ",
			   *type = memory_type((Dtype)k->buffer[i].dtype);
		print_line(p, "%s%s *const b%u = buffer[%u];", constant, type, i, i);
	}
	print_strides(p);
	memset(p->done, 0, k->ncode);
}

/* Indices of the axes from one number. */
void print_decode(Print *p, uint32_t first, uint32_t end, const char *number)
{
	if (end - first == 1) {
		print_line(p, "int64_t x%u = %s;", first, number);
		return;
	}
	const char *rest = number;
	for (uint32_t axis = end; axis-- > first;) {
		print_line(
			p, axis == first ? "int64_t x%u = %s;" : "int64_t x%u = %s%%n%u;", axis, rest, axis);
		if (axis > first) print_line(p, "const int64_t u%u = %s/n%u;", axis, rest, axis);
		rest = arena_printf(p->arena, "u%u", axis);
	}
}

/* To the next, in row order. */
void print_advance(Print *p, uint32_t first, uint32_t end)
{
	if (first == end) return;
	if (end - first == 1) {
		print_line(p, "x%u++;", first);
		return;
	}
	print_open(p, "if (++x%u == n%u)", end - 1, end - 1);
	print_line(p, "x%u = 0;", end - 1);
	print_advance(p, first, end - 1);
	print_close(p);
}

/* Along an axis without elements every index is outside, and there is nothing to load instead. */
void print_absent(Print *p, const char *place)
{
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		const Access *a = ins_access(p->k, &p->k->code[i]);
		bool inner = p->k->stage[p->f->stage[i]].inner;
		for (uint32_t d = 0; a && d < a->ndynamic; d++) {
			Int extent = a->dynamic[d].extent;
			if (extent.param < 0 && extent.value > 0) continue;
			bool folded = p->k->recipe == RECIPE_CHAIN && p->f->stage[i] == 0;
			print_open(p, "if (%s <= 0%s%s)", int_text(p, extent), inner ? " && inner > 0" : "",
				inner && folded ? " && folded > 0" : "");
			print_line(p, "outside(fault, %s, 0, %s);", place, int_text(p, extent));
			print_line(p, "return;");
			print_close(p);
		}
	}
}

/* Where the results of all blocks lie. */
void print_partials(Print *p, uint32_t width)
{
	print_line(p, "char *part = results;");
	FOLDS(p, i)
	{
		const char *type = held_type(fold_accumulator(&p->k->code[i]));
		print_line(p, "%s *const w%u = (%s *)part;", type, i, type);
		print_line(p, "part += (count*%u*sizeof(%s) + 63) & -64;", width, type);
		if (!is_argfold(&p->k->code[i])) continue;
		print_line(p, "int64_t *const y%u = (int64_t *)part;", i);
		print_line(p, "part += (count*%u*8 + 63) & -64;", width);
	}
}

/* What is called from outside.  Of ROWS, NAME keeps the results of its blocks behind what the inner functions
 * use of scratch. */
void print_split(Print *p)
{
	bool chain = p->k->recipe == RECIPE_CHAIN;
	const char *pass = "scratch, fault", *blocks = chain ? "nib*nfb" : "nb";
	for (int which = chain ? 1 : 0; which < 3; which++) {
		static const char *const suffix[] = {"", "_blocks", "_finish"};
		print_line(p, "%s", "");
		print_open(p, "%svoid %s%s(%s)", *p->u->suffix ? "static __attribute__((unused)) " : "",
			p->name, suffix[which], signature);
		print_shapes(p);
		if (chain)
			print_line(p, "const int64_t nib = (inner + %d)/%d, nfb = (folded + %d)/%d;",
				CHAIN_BLOCK - 1, CHAIN_BLOCK, FOLD_BLOCK - 1, FOLD_BLOCK);
		else
			print_line(p, "const int64_t nb = (inner + %d)/%d;", FOLD_BLOCK - 1, FOLD_BLOCK);
		if (which == 1)
			print_line(p, "%s_part(buffer, param, lo, hi, %s, buffer[%u], 0, %s);", p->name, pass,
				p->k->nbuffer, blocks);
		if (which == 2)
			print_line(p, "%s_join(buffer, param, lo, hi, %s, buffer[%u], 0, %s);", p->name, pass,
				p->k->nbuffer, blocks);
		if (which == 0) {
			print_line(p, "void *const results = (char *)scratch + %u;", p->f->sizes.fixed);
			print_line(p, "if (lo >= hi) return;");
			print_line(p, "%s_part(buffer, param, 0, nb, %s, results, 0, nb);", p->name, pass);
			print_line(p, "%s_join(buffer, param, 0, 1, %s, results, 0, nb);", p->name, pass);
		}
		print_close(p);
	}
}
