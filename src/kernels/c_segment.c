/* c_segment.c - a stage over a range of inner indices, as loops along the last axis.
 *
 * With one inner axis the range is one segment.  With several, it is walked in
 * row order, a segment for each run along the last axis; the indices of the
 * outer ones stand still in it.  Of row buffers alone it is one segment all the same.
 *
 * A long body is cut in pieces, each a loop of its own over PIECE elements: the
 * chain of one element's operations is then short enough for the processor to
 * work on several elements at once, and its constants stay in registers.
 * Values that cross a cut lie in arrays that fit the nearest cache.
 */
#include "c_kernel.h"

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

/* ---- pieces --------------------------------------------------------------------------------- */

/* CHARACTERS of mathematics make a piece; with more than MOST values crossing there are none. */
enum { CHARACTERS = 2200, DEAR = 400, PIECE = 256, MOST = 12 };

/* What a piece does with an instruction: nothing, forms it, has it from an array or a row buffer, puts what
 * stands still into its row buffer. */
typedef enum Turn { NONE, FORM, CROSS, READ, KEEP } Turn;

typedef struct Pieces {
	uint32_t count;
	uint16_t *of;  /* instruction: the piece that forms it */
	bool *crosses; /* a later piece uses it */
	uint8_t *turn; /* Turn of each instruction in the piece that is printed */
} Pieces;

static bool moves(const Print *p, uint32_t i)
{
	return p->need[i] && (is_read(p, i) || (!p->f->still[i] && (p->lanes || !p->f->direct[i])));
}

static bool is_computed(const Print *p, uint32_t i)
{
	const Access *a = ins_access(p->k, &p->k->code[i]);
	return a && a->ndynamic;
}

/* Loads and the like are formed again where they are used, but for those with computed indices. */
static bool is_cheap(const Print *p, uint32_t i)
{
	const Ins *x = &p->k->code[i];
	if (is_computed(p, i)) return false;
	return x->kind == INS_LOAD || x->kind == INS_INDEX || x->kind == INS_CONST ||
		x->kind == INS_GIVEN || x->kind == INS_PARAM;
}

static uint32_t weight_of(const Ins *x)
{
	char name[40];
	if (x->kind == INS_RANDOM) return CHARACTERS / 2;
	if (x->kind != INS_MAP) return 0;
	map_function(x, name);
	return math_weight(name);
}

/* The cuts: before a piece grows too long, and before a function that asks whether its argument is far, if
 * forming that argument for the question is dear. */
static void find_cuts(Print *p, Pieces *c)
{
	uint32_t weight = 0;
	c->count = 1;
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		const Ins *x = &p->k->code[i];
		if (!moves(p, i) || is_read(p, i)) continue;
		uint32_t w = weight_of(x);
		if (weight && (weight + w > CHARACTERS || (has_near(x) && weight > DEAR))) {
			c->count++;
			weight = 0;
		}
		weight += w;
		c->of[i] = (uint16_t)(c->count - 1);
	}
}

/* Of loops with computed indices compilers make no vectors: the functions of what is read so stand in a loop
 * of their own, and so on in turns. */
static void cut_at_indices(Print *p, Pieces *c)
{
	uint16_t operand[5];
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		uint32_t n = ins_operands(p->k, &p->k->code[i], operand), turn = 0;
		if (!moves(p, i) || is_read(p, i)) continue;
		for (uint32_t o = 0; o < n; o++) turn = c->of[operand[o]] > turn ? c->of[operand[o]] : turn;
		bool dear = weight_of(&p->k->code[i]) > DEAR;
		turn += turn % 2 ? is_computed(p, i) : dear;
		c->of[i] = (uint16_t)turn;
		c->count = turn >= c->count ? turn + 1 : c->count;
	}
}

/* What piece n does with each instruction; a value from an earlier piece comes from there. */
static void take_turns(Print *p, Pieces *c, uint32_t n)
{
	uint16_t operand[5];
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		bool own = p->need[i] && !is_read(p, i) && c->of[i] == n;
		if (!own)
			c->turn[i] = NONE;
		else if (moves(p, i))
			c->turn[i] = FORM;
		else if (p->f->still[i] && is_own(p, i) && p->f->kept[i])
			c->turn[i] = KEEP;
		else
			c->turn[i] = NONE;
	}
	for (uint32_t i = p->k->ncode; i-- > 0;) {
		uint32_t count = c->turn[i] == FORM ? ins_operands(p->k, &p->k->code[i], operand) : 0;
		for (uint32_t o = 0; o < count; o++) {
			uint32_t v = operand[o];
			if (!moves(p, v) || c->turn[v]) continue;
			if (is_read(p, v))
				c->turn[v] = READ;
			else if (is_cheap(p, v))
				c->turn[v] = FORM;
			else
				c->turn[v] = CROSS;
		}
	}
}

static Pieces find_pieces(Print *p)
{
	uint32_t crossing = 0, n = p->k->ncode + 1;
	Pieces c = {1, NEW_ARRAY(p->arena, uint16_t, n), NEW_ARRAY(p->arena, bool, n),
		NEW_ARRAY(p->arena, uint8_t, n)};
	if (!p->lanes && !any_dynamic(p, false))
		find_cuts(p, &c);
	else if (!p->lanes && !has_runs(p))
		cut_at_indices(p, &c);
	for (uint32_t k = 0; k < c.count; k++) {
		take_turns(p, &c, k);
		for (uint32_t i = 0; i < p->k->ncode; i++)
			if (c.turn[i] == CROSS && !c.crosses[i]) {
				c.crosses[i] = true;
				crossing++;
			}
	}
	if (crossing <= MOST) return c;
	memset(c.of, 0, n * sizeof *c.of);
	memset(c.crosses, 0, n * sizeof *c.crosses);
	c.count = 1;
	return c;
}

/* The instructions of a piece, or those that `only` marks. */
static void print_turns(Print *p, const Pieces *c, const bool *only)
{
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		const char *type = held_type((Dtype)p->k->code[i].dtype);
		if (!c->turn[i] || (only && !only[i])) continue;
		if (c->turn[i] == READ)
			print_read(p, i);
		else if (c->turn[i] == CROSS)
			print_line(p, "const %s v%u = c%u[j - from_j];", type, i, i);
		else if (c->turn[i] == FORM)
			print_ins(p, i, AT_EACH);
		if (only || c->turn[i] == READ || c->turn[i] == CROSS) continue;
		if (c->crosses[i]) print_line(p, "c%u[j - from_j] = v%u;", i, i);
		if (is_own(p, i) && p->f->kept[i]) print_line(p, "h%u[j] = v%u;", i, i);
	}
}

static void print_each(Print *p, const Pieces *c)
{
	print_line(p, "LOOP");
	if (c->count > 1)
		print_open(p, "for (int64_t j = from_j; j < to_j; j++)");
	else if (p->runs)
		print_open(p, "for (int64_t j = at_j; j < %s; j++)", p->slides ? "end_j" : "g");
	else
		print_open(p, "for (int64_t j = 0; j < g; j++)");
}

/* Asks whether an argument is far, where the piece has functions with a faster one for those that are not;
 * false: it has none. */
static bool print_far(Print *p, const Pieces *c)
{
	bool *need = NEW_ARRAY(p->arena, bool, p->k->ncode + 1), any = false;
	uint16_t operand[5];
	for (uint32_t i = p->k->ncode; i-- > 0;) {
		bool asked = c->turn[i] == FORM && has_near(&p->k->code[i]);
		uint32_t n = asked || (need[i] && c->turn[i] == FORM)
			? ins_operands(p->k, &p->k->code[i], operand)
			: 0;
		for (uint32_t o = 0; o < n; o++) need[operand[o]] = true;
		any |= asked;
	}
	if (!any) return false;
	print_line(p, "int far = 0;");
	print_each(p, c);
	print_turns(p, c, need);
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		const Ins *x = &p->k->code[i];
		if (c->turn[i] == FORM && has_near(x)) print_line(p, "far |= %s;", far_text(p, x));
	}
	print_close(p);
	return true;
}

static void print_turns_each(Print *p, const void *pieces)
{
	print_each(p, pieces);
	print_turns(p, pieces, NULL);
	print_close(p);
}

static void print_loop(Print *p, const Pieces *c, bool near)
{
	p->near = near;
	if (p->lanes) {
		print_lane_loops(p);
	} else {
		p->runs = c->count == 1 && print_runs(p, print_turns_each, c);
		print_turns_each(p, c);
		p->runs = false;
	}
	p->near = false;
}

static void print_piece(Print *p, Pieces *c, uint32_t n)
{
	take_turns(p, c, n);
	if (c->count > 1) print_open(p, "%s", "");
	if (print_far(p, c)) {
		print_open(p, "if (far)");
		print_loop(p, c, false);
		print_close(p);
		print_open(p, "else");
		print_loop(p, c, true);
		print_close(p);
	} else
		print_loop(p, c, false);
	if (c->count > 1) print_close(p);
}

void print_loops(Print *p)
{
	Pieces c = find_pieces(p);
	if (c.count == 1) {
		print_piece(p, &c, 0);
		return;
	}
	for (uint32_t i = 0; i < p->k->ncode; i++)
		if (c.crosses[i])
			print_line(p, "%s c%u[%d];", held_type((Dtype)p->k->code[i].dtype), i, PIECE);
	print_open(p, "for (int64_t from_j = 0; from_j < g; from_j += %d)", PIECE);
	print_line(p, "const int64_t to_j = g - from_j < %d ? g : from_j + %d;", PIECE, PIECE);
	for (uint32_t k = 0; k < c.count; k++) print_piece(p, &c, k);
	print_close(p);
}

/* ---- segments ------------------------------------------------------------------------------- */

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
	print_divisors(p);
	print_loops(p);
	if (moving) print_search(p);
}

/* Does the stage read and write row buffers alone, which lie in one piece, and what is still? */
static bool lies_in_one_piece(const Print *p, uint32_t first, uint32_t end)
{
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		const Access *a = p->need[i] && !is_read(p, i) ? ins_access(p->k, &p->k->code[i]) : NULL;
		if (a && a->ndynamic) return false;
		for (uint32_t axis = first; a && axis < end; axis++)
			if (!int_is(a->stride[axis], 0)) return false;
	}
	return true;
}

void print_segments(Print *p, uint32_t stage, const char *row_place)
{
	uint32_t first = p->k->recipe == RECIPE_CHAIN ? p->k->nfold : p->k->nrow, end = p->k->naxis;
	p->s = stage;
	stage_needs(p->f, stage, p->need);
	if (end - first <= 1 || lies_in_one_piece(p, first, end)) {
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
