/* c_slide.c - runs of a segment in which computed indices count up.
 *
 * x[(i + 1)%n] is read one by one only where the index comes round.  An
 * instruction *slides* that is one more at each j: the index itself, it and
 * what stands still, its remainder up to the next multiple of a divisor.  So
 * a segment is walked in runs,
 *
 *     at_j begins at 0; of each run: oN of what slides, as it is at at_j;
 *     end_j, before the first multiple; whether the accesses are inside from
 *     end to end; and then a loop in which elements lie side by side
 *
 * What no run takes is left to the loop that looks at each index: the rest of
 * a segment in which one is outside, and divisors below LEAST_RUN.
 */
#include "c_kernel.h"

enum { LEAST_RUN = 32 };

static bool is_still(const Print *p, uint32_t i)
{
	if (!p->k->stage[p->f->stage[i]].inner) return true;
	return p->need[i] && p->f->still[i] && !is_read(p, i);
}

static bool is_sliding(const Print *p, const bool *slides, uint32_t i)
{
	const Ins *x = &p->k->code[i];
	if (!p->need[i] || is_read(p, i) || p->f->still[i] || x->dtype != DT_I64) return false;
	if (x->kind == INS_INDEX) {
		const Access *a = ins_access(p->k, x);
		return has_inner_axis(p->k) && a->ndynamic == 0 && int_is(a->stride[p->k->naxis - 1], 1);
	}
	if (x->kind != INS_MAP) return false;
	bool left = slides[x->a] && is_still(p, x->b);
	if (x->op == OP_ADD) return left || (is_still(p, x->a) && slides[x->b]);
	return left && (x->op == OP_SUB || x->op == OP_MOD);
}

static bool inside_in_run(const Print *p, const bool *slides, uint32_t i)
{
	const Ins *x = &p->k->code[i];
	const Access *a = ins_access(p->k, x);
	bool inside =
		x->kind == INS_LOAD && p->need[i] && !is_read(p, i) && !p->f->still[i] && a->ndynamic > 0;
	if (!inside) return false;
	for (uint32_t d = 0; d < a->ndynamic; d++) {
		uint32_t v = a->dynamic[d].value;
		inside &= slides[v] || (is_still(p, v) && p->k->code[v].dtype == DT_I64);
	}
	return inside;
}

bool is_inside(const Print *p, uint32_t i)
{
	return p->slides && inside_in_run(p, p->slides, i);
}

/* Those that some access reads by; the number of accesses with one. */
static uint32_t find_sliding(Print *p, bool *slides)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		slides[i] = is_sliding(p, slides, i);
		const Access *a = ins_access(p->k, &p->k->code[i]);
		bool inside = inside_in_run(p, slides, i);
		for (uint32_t d = 0; inside && d < a->ndynamic; d++) n += slides[a->dynamic[d].value];
	}
	return n;
}

/* oN: values at at_j. */
static const char *start_text(Print *p, const bool *slides, uint32_t i)
{
	const Ins *x = &p->k->code[i];
	if (x->kind == INS_INDEX) return arena_printf(p->arena, "q%u + at_j", x->at);
	if (x->op == OP_MOD && divides_by_still(p, i)) return by_text(p, i, 'o');
	char name[40];
	map_function(x, name);
	return arena_printf(p->arena, "%s(%c%u, %c%u)", unit_math(p->u, name), slides[x->a] ? 'o' : 'v', x->a,
		slides[x->b] ? 'o' : 'v', x->b);
}

static void print_starts(Print *p, const bool *slides)
{
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		const Ins *x = &p->k->code[i];
		if (!slides[i]) continue;
		bool comes_round = x->kind == INS_MAP && x->op == OP_MOD;
		if (comes_round) print_line(p, "if (v%u < %d) break;", x->b, LEAST_RUN);
		print_line(p, "const int64_t o%u = %s;", i, start_text(p, slides, i));
		if (comes_round)
			print_line(p, "if (v%u - o%u < end_j - at_j) end_j = at_j + v%u - o%u;", x->b, i,
				x->b, i);
		else if (x->kind == INS_MAP)
			print_line(p, "if (o%u > INT64_MAX - g) break;", i);
	}
}

static bool same_int(Int x, Int y)
{
	return x.param == y.param && (x.param >= 0 || x.value == y.value);
}

/* Has an access before this one, or this one before d, such an index of such an axis? */
static bool is_asked(const Print *p, const bool *slides, uint32_t i, uint32_t d)
{
	const Dynamic *x = &ins_access(p->k, &p->k->code[i])->dynamic[d];
	for (uint32_t b = 0; b <= i; b++) {
		const Access *a = ins_access(p->k, &p->k->code[b]);
		if (!inside_in_run(p, slides, b)) continue;
		for (uint32_t e = 0; e < (b < i ? a->ndynamic : d); e++)
			if (a->dynamic[e].value == x->value && same_int(a->dynamic[e].extent, x->extent))
				return true;
	}
	return false;
}

static void print_inside(Print *p, const bool *slides)
{
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		const Access *a = ins_access(p->k, &p->k->code[i]);
		for (uint32_t d = 0; inside_in_run(p, slides, i) && d < a->ndynamic; d++) {
			uint32_t v = a->dynamic[d].value;
			const char *extent = int_text(p, a->dynamic[d].extent);
			if (is_asked(p, slides, i, d)) continue;
			if (slides[v])
				print_line(
					p, "if (o%u < 0 || o%u > %s - (end_j - at_j)) break;", v, v, extent);
			else
				print_line(p, "if (v%u < 0 || v%u >= %s) break;", v, v, extent);
		}
	}
}

bool has_runs(Print *p)
{
	return find_sliding(p, NEW_ARRAY(p->arena, bool, p->k->ncode + 1));
}

bool print_runs(Print *p, void (*print_loop)(Print *, const void *pieces), const void *pieces)
{
	bool *slides = NEW_ARRAY(p->arena, bool, p->k->ncode + 1);
	if (!find_sliding(p, slides)) return false;
	p->runs = true;
	print_line(p, "int64_t at_j = 0;");
	print_open(p, "for (int64_t end_j; at_j < g; at_j = end_j)");
	print_line(p, "end_j = g;");
	print_starts(p, slides);
	print_inside(p, slides);
	p->slides = slides;
	print_loop(p, pieces);
	p->slides = NULL;
	print_close(p);
	return true;
}
