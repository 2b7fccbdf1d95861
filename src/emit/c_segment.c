/* c_segment.c - a stage over a range of inner indices, as loops along the last axis.
 *
 * With one inner axis the range is one segment.  With several, it is walked in
 * row order, a segment for each run along the last axis; the indices of the
 * outer ones stand still in it.
 */
#include "print.h"

static bool is_own(const Print *p, uint32_t i)
{
	return p->f->stage[i] == p->s;
}

static bool is_read(const Print *p, uint32_t i)
{
	return !is_own(p, i) && !p->f->again[i];
}

/* Where row buffers, terms and chains lie for this segment. */
static void print_places(Print *p)
{
	bool chain = p->k->recipe == RECIPE_CHAIN;
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		const Ins *x = &p->k->code[i];
		const char *type = held_type((Dtype)x->dtype);
		if (!p->need[i] || (p->f->direct[i] && !p->lanes)) continue;
		if (x->kind == INS_FOLD) {
			type = held_type(fold_accumulator(x));
			if (chain)
				print_line(p, "%s *const h%u = a%u + (p - from);", type, i, i);
			else if (!p->lanes)
				print_line(p, "%s *const e%u = g%u + (p - from);", type, i, i);
			if (chain && is_argfold(x))
				print_line(p, "int64_t *const i%u = l%u + (p - from);", i, i);
		} else if (p->f->kept[i])
			print_line(p, "%s *const h%u = k%u + (p - %s);", type, i, i, p->kept_from);
	}
}

static void print_read(Print *p, uint32_t i)
{
	const Ins *x = &p->k->code[i];
	const char *at =
		arena_printf(p->arena, "%c%u[j]", x->kind == INS_FOLD && is_argfold(x) ? 'i' : 'h', i);
	if (x->kind == INS_FOLD) at = fold_result(p, x, at);
	print_line(p, "const %s v%u = %s;", held_type((Dtype)x->dtype), i, at);
}

static void print_body(Print *p)
{
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		if (!p->need[i]) continue;
		if (is_read(p, i))
			print_read(p, i);
		else if (!p->f->still[i] && (p->lanes || !p->f->direct[i]))
			print_ins(p, i, AT_EACH);
		if (is_own(p, i) && p->f->kept[i]) print_line(p, "h%u[j] = v%u;", i, i);
	}
}

/* Some index was outside: which was the first? */
static void print_search(Print *p)
{
	bool *need = NEW_ARRAY(p->arena, bool, p->k->ncode + 1), *all = p->need;
	uint16_t operand[5];
	for (uint32_t i = p->k->ncode; i-- > 0;) {
		const Access *a = ins_access(p->k, &p->k->code[i]);
		if (!all[i] || (!need[i] && !(a && a->ndynamic && is_own(p, i)))) continue;
		bool value = need[i];
		uint32_t n = ins_operands(p->k, &p->k->code[i], operand);
		uint32_t first = value || p->k->code[i].kind != INS_STORE ? 0 : 1;
		for (uint32_t o = first; o < n && !is_read(p, i); o++) need[operand[o]] = true;
		need[i] = true;
	}
	print_open(p, "if (bad < 0)");
	print_open(p, "for (int64_t j = 0; j < g; j++)");
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		if (!need[i] || !all[i]) continue;
		if (is_read(p, i))
			print_read(p, i);
		else if (!p->f->still[i])
			print_ins(p, i, AT_SEARCH);
	}
	print_close(p);
	print_close(p);
}

/* Asks whether an argument is far, where the stage has functions with a faster one for those that are not; false: it has
 * none. */
static bool print_far(Print *p)
{
	bool *need = NEW_ARRAY(p->arena, bool, p->k->ncode + 1), *asked = NEW_ARRAY(p->arena, bool, p->k->ncode + 1), any = false;
	uint16_t operand[5];
	for (uint32_t i = p->k->ncode; i-- > 0;) {
		asked[i] = p->need[i] && !is_read(p, i) && !p->f->still[i] && has_near(&p->k->code[i]);
		uint32_t n = asked[i] || (need[i] && !is_read(p, i)) ? ins_operands(p->k, &p->k->code[i], operand) : 0;
		for (uint32_t o = 0; o < n; o++) need[operand[o]] = true;
		any |= asked[i];
	}
	if (!any) return false;
	print_line(p, "int far = 0;");
	print_line(p, "LOOP");
	print_open(p, "for (int64_t j = 0; j < g; j++)");
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		const Ins *x = &p->k->code[i];
		if (asked[i])
			print_line(p, "far |= %s(v%u);",
				unit_math(p->u, held_dtype((Dtype)x->dtype) == DT_F64 ? "is_far_f64" : "is_far_f32"), x->a);
		if (need[i] && is_read(p, i))
			print_read(p, i);
		else if (need[i] && !p->f->still[i])
			print_ins(p, i, AT_EACH);
	}
	print_close(p);
	return true;
}

static void print_lane_loops(Print *p)
{
	print_line(p, "int64_t i = 0;");
	print_open(p, "for (; i + %u <= g; i += %u)", p->lanes, p->lanes);
	print_line(p, "LOOP");
	print_open(p, "for (int64_t l = 0; l < %u; l++)", p->lanes);
	print_line(p, "const int64_t j = i + l;");
	print_body(p);
	print_close(p);
	print_close(p);
	print_line(p, "LOOP");
	print_open(p, "for (int64_t l = 0; l < g - i; l++)");
	print_line(p, "const int64_t j = i + l;");
	print_body(p);
	print_close(p);
}

static void print_loops(Print *p, bool near)
{
	p->near = near;
	if (p->lanes) {
		print_lane_loops(p);
	} else {
		print_line(p, "LOOP");
		print_open(p, "for (int64_t j = 0; j < g; j++)");
		print_body(p);
		print_close(p);
	}
	p->near = false;
}

/* p, g and the indices of the outer axes are there. */
static void print_segment(Print *p, const char *row_place)
{
	uint32_t first = p->k->recipe == RECIPE_CHAIN ? p->k->nfold : p->k->nrow;
	bool moving = any_dynamic(p, false);
	print_pointers(p, 'q', p->folding ? 'r' : 'p', first, p->k->naxis);
	print_places(p);
	if (moving || any_dynamic(p, true)) print_line(p, "const int64_t place = %s + p;", row_place);
	if (moving) print_line(p, "int64_t bad = 0;");
	for (uint32_t i = 0; i < p->k->ncode; i++)
		if (p->need[i] && !is_read(p, i) && p->f->still[i]) print_ins(p, i, AT_HEAD);
	if (print_far(p)) {
		print_open(p, "if (far)");
		print_loops(p, false);
		print_close(p);
		print_open(p, "else");
		print_loops(p, true);
		print_close(p);
	} else
		print_loops(p, false);
	if (moving) print_search(p);
}

void print_segments(Print *p, uint32_t stage, const char *row_place)
{
	uint32_t first = p->k->recipe == RECIPE_CHAIN ? p->k->nfold : p->k->nrow, end = p->k->naxis;
	p->s = stage;
	stage_needs(p->f, stage, p->need);
	if (end - first <= 1) {
		print_open(p, "%s", "");
		print_line(p, "const int64_t p = from, g = len;");
		if (end - first == 1) print_line(p, "const int64_t x%u = p;", first);
		print_segment(p, row_place);
		print_close(p);
		return;
	}
	print_open(p, "%s", "");
	print_decode(p, first, end, "from");
	print_open(p, "for (int64_t p = from, g; p < from + len; p += g)");
	print_line(p, "g = n%u - x%u;", end - 1, end - 1);
	print_line(p, "if (g > from + len - p) g = from + len - p;");
	print_segment(p, row_place);
	print_line(p, "x%u += g;", end - 1);
	print_open(p, "if (x%u == n%u)", end - 1, end - 1);
	print_line(p, "x%u = 0;", end - 1);
	print_advance(p, first, end - 1);
	print_close(p);
	print_close(p);
	print_close(p);
}

void print_row_stage(Print *p, uint32_t stage)
{
	p->s = stage;
	stage_needs(p->f, stage, p->need);
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		if (!p->need[i] || is_read(p, i) || p->done[i]) continue;
		print_ins(p, i, AT_ROW);
		p->done[i] = true;
	}
}
