/* few.c - folds of few terms, written out.
 *
 * needs: instructions of a kernel that walks a fold's rows, before axes are merged
 * gives: where the folded axes are of known sizes and hold few terms, a map over the rows: what moves
 *        with the folded index stands once for each term, and a fold is a tree of operators over its
 *        terms, in the order that is defined for it.  So both tiers compute many rows at once
 */
#include "kernel.h"

enum {
	TERMS_MAX = 32, /* of a fold */
	APART_MAX = 8, /* where no more is done with them than to load each some places from the next row's */
	ALONE_MAX = 4, /* where there are no rows to compute at once, and a term is dear */
	ROWS_LEAST = 16,
	DEAR_MAX = 40,
	WRITTEN_MAX = 240
};

typedef struct Few {
	Builder *b;
	uint32_t first, end; /* the folded axes */
	uint32_t nterm;
	uint32_t ncode;
	Ins *code; /* as they were, as is what follows */
	KAccess *at;
	uint32_t nat;
	uint8_t *made_at;
	bool *moves;                  /* with the folded index */
	uint16_t *layer;              /* folds below each */
	uint16_t (*value)[TERMS_MAX]; /* the number of each one's copy for a term */
} Few;

static bool has_access(const Ins *x)
{
	return x->kind == INS_LOAD || x->kind == INS_STORE || x->kind == INS_INDEX;
}

/* ---- is it one? ---------------------------------------------------------------------------- */

/* The number of terms; 0: not known, or too many. */
static uint32_t count_terms(const Builder *b, uint32_t first, uint32_t end)
{
	int64_t n = 1, extent;
	for (uint32_t k = first; k < end; k++) {
		if (!size_is(b->extent[k], &extent) || extent < 1 || extent > TERMS_MAX) return 0;
		n *= extent;
		if (n > TERMS_MAX) return 0;
	}
	return (uint32_t)n;
}

static void from_operand(const Few *w, uint32_t i, uint32_t v)
{
	bool fold = w->code[v].kind == INS_FOLD;
	uint16_t layer = (uint16_t)(w->layer[v] + fold);
	w->moves[i] |= w->moves[v] && !fold;
	w->layer[i] = layer > w->layer[i] ? layer : w->layer[i];
}

static void find_moves(const Few *w)
{
	for (uint32_t i = 0; i < w->ncode; i++) {
		const Ins *x = &w->code[i];
		const uint16_t v[3] = {x->a, x->b, x->c};
		for (uint32_t k = 0; k < ins_arity(x); k++) from_operand(w, i, v[k]);
		if (!has_access(x)) continue;
		const Index *at = &w->at[x->at].at;
		for (uint32_t k = w->first; k < w->end; k++) w->moves[i] |= !size_equals(at->coef[k], 0);
		for (uint32_t k = 0; k < at->ndynamic; k++) from_operand(w, i, at->dynamic[k].value);
	}
}

static bool is_row(const Builder *b, uint32_t axis)
{
	return axis < b->nrow || (b->recipe == RECIPE_CHAIN && axis >= b->nfold);
}

/* Are there rows enough to make up for terms that are computed one by one? */
static bool has_rows(const Builder *b)
{
	int64_t n = 1, extent;
	for (uint32_t k = 0; k < b->naxis; k++) {
		if (!is_row(b, k)) continue;
		if (!size_is(b->extent[k], &extent) || extent > ROWS_LEAST) return true;
		n *= extent;
	}
	return n > ROWS_LEAST;
}

/* Does a load of the next row lie at the next place, or at the same? */
static bool is_near(const Builder *b, const Index *at)
{
	uint32_t last = b->naxis;
	while (last > 0 && !is_row(b, last - 1)) last--;
	return last == 0 || size_equals(at->coef[last - 1], 0) || size_equals(at->coef[last - 1], 1);
}

static bool is_dear(const Ins *x)
{
	bool draw = x->kind == INS_RANDOM || x->kind == INS_KEY_A || x->kind == INS_KEY_B;
	return draw || (x->kind == INS_MAP && op_info[x->op].cost >= COST_DEAR);
}

static bool is_worth_it(const Few *w)
{
	uint32_t written = 0, dear = 0;
	bool apart = true;
	for (uint32_t i = 0; i < w->ncode; i++) {
		const Ins *x = &w->code[i];
		written += w->moves[i] || x->kind == INS_FOLD ? w->nterm : 1;
		if (!w->moves[i] || x->kind == INS_FOLD) continue;
		dear += is_dear(x) ? w->nterm : 0;
		apart &= x->kind == INS_LOAD && !is_near(w->b, &w->at[x->at].at);
	}
	if (apart && w->nterm > APART_MAX) return false;
	if (dear && w->nterm > ALONE_MAX && !has_rows(w->b)) return false;
	return written <= WRITTEN_MAX && dear <= DEAR_MAX;
}

/* ---- what stands once for each term ----------------------------------------------------------- */

/* The access of a term: its place along the folded axes is known. */
static uint16_t access_of_term(const Few *w, const Ins *x, uint32_t term)
{
	Builder *b = w->b;
	KAccess a = w->at[x->at];
	const Size *zero = size_const(b->g, 0);
	uint32_t rest = term;
	for (uint32_t k = w->end; k-- > w->first;) {
		int64_t extent = 1;
		size_is(b->extent[k], &extent);
		const Size *step = size_const(b->g, rest % (uint32_t)extent);
		rest /= (uint32_t)extent;
		a.at.offset = size_add(b->g, a.at.offset, size_mul(b->g, a.at.coef[k], step));
		a.at.coef[k] = zero;
	}
	for (uint32_t k = 0; k < a.at.ndynamic; k++)
		a.at.dynamic[k].value = w->value[a.at.dynamic[k].value][term];
	/* where there are no rows, none is looked for */
	a.at.within = a.at.ndynamic && b->naxis > w->end - w->first;
	KAccess clean = access_of((uint8_t)a.buffer, &a.at);
	return access_add(b, &clean);
}

static uint16_t copy(const Few *w, uint32_t i, uint32_t term)
{
	Ins x = w->code[i];
	uint32_t n = ins_arity(&x);
	if (n > 0) x.a = w->value[x.a][term];
	if (n > 1) x.b = w->value[x.b][term];
	if (n > 2) x.c = w->value[x.c][term];
	if (has_access(&x)) x.at = access_of_term(w, &w->code[i], term);
	return emit(w->b, x);
}

/* ---- folds ------------------------------------------------------------------------------------ */

static const uint16_t fold_map[OP_COUNT] = {
	[OP_SUM] = OP_ADD,
	[OP_PROD] = OP_MUL,
	[OP_MAX] = OP_MAXIMUM,
	[OP_MIN] = OP_MINIMUM,
	[OP_ANY] = OP_OR,
	[OP_ALL] = OP_AND,
};

/* an operator of two operands of that dtype */
static uint16_t map_of(Builder *b, Op op, Dtype d, uint16_t x, uint16_t y)
{
	bool compares = op == OP_EQ || op == OP_NE;
	return emit(b,
		(Ins){.kind = INS_MAP,
			.op = (uint16_t)op,
			.dtype = (uint8_t)(compares ? DT_BOOL : d),
			.from = (uint8_t)d,
			.a = x,
			.b = y});
}

static uint16_t choose(Builder *b, Dtype d, uint16_t condition, uint16_t x, uint16_t y)
{
	return emit(b,
		(Ins){.kind = INS_MAP,
			.op = OP_WHERE,
			.dtype = (uint8_t)d,
			.from = (uint8_t)d,
			.a = condition,
			.b = x,
			.c = y});
}

/* Of the last axis by halves, as lanes join of which each has one term; of others from the first to the last
 * (docs/architecture.md, "The order of a fold").  What a lane or chain begins with changes no term. */
static uint16_t join_terms(const Few *w, const Ins *x, uint16_t *t)
{
	Builder *b = w->b;
	Dtype d = dtype_held((Dtype)x->dtype);
	Op op = (Op)fold_map[x->op];
	for (uint32_t j = 0; j < w->nterm; j++) t[j] = emit_cast(b, t[j], (Dtype)x->from, d);
	uint32_t half = 1;
	while (2 * half < w->nterm) half *= 2;
	for (uint32_t n = w->nterm; b->recipe == RECIPE_ROWS && n > 1; n = half, half /= 2)
		for (uint32_t l = 0; l + half < n; l++) t[l] = map_of(b, op, d, t[l], t[l + half]);
	for (uint32_t j = 1; b->recipe == RECIPE_CHAIN && j < w->nterm; j++)
		t[0] = map_of(b, op, d, t[0], t[j]);
	return emit_cast(b, t[0], d, (Dtype)x->dtype);
}

/* The first place of the best, or of a NaN: where one is, the best is NaN. */
static uint16_t find_best(const Few *w, const Ins *x, const uint16_t *t)
{
	Builder *b = w->b;
	Dtype d = (Dtype)x->from;
	Op better = x->op == OP_ARGMAX ? OP_MAXIMUM : OP_MINIMUM;
	uint16_t best = t[0], place = emit_const(b, DT_I64, w->nterm - 1);
	for (uint32_t j = 1; j < w->nterm; j++) best = map_of(b, better, d, best, t[j]);
	for (uint32_t j = w->nterm - 1; j-- > 0;) {
		uint16_t found = map_of(b, OP_EQ, d, t[j], best);
		if (dtype_is_float(d)) {
			uint16_t is_nan = map_of(b, OP_NE, d, t[j], t[j]);
			found = map_of(b, OP_OR, DT_BOOL, found, is_nan);
		}
		place = choose(b, DT_I64, found, emit_const(b, DT_I64, j), place);
	}
	return emit_cast(b, place, DT_I64, (Dtype)x->dtype);
}

static uint16_t write_fold(const Few *w, const Ins *x)
{
	uint16_t t[TERMS_MAX];
	memcpy(t, w->value[x->a], sizeof t);
	return fold_map[x->op] ? join_terms(w, x, t) : find_best(w, x, t);
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static void write_still(const Few *w, uint32_t i)
{
	uint16_t v = w->code[i].kind == INS_FOLD ? write_fold(w, &w->code[i]) : copy(w, i, 0);
	for (uint32_t j = 0; j < w->nterm; j++) w->value[i][j] = v;
}

/* Layer by layer; in one, what stands still, then term after term, then the folds. */
static void write_layer(const Few *w, uint16_t layer)
{
	for (uint32_t i = 0; i < w->ncode; i++)
		if (w->layer[i] == layer && !w->moves[i] && w->code[i].kind != INS_FOLD) write_still(w, i);
	for (uint32_t j = 0; j < w->nterm; j++)
		for (uint32_t i = 0; i < w->ncode; i++)
			if (w->layer[i] == layer && w->moves[i] && w->code[i].kind != INS_FOLD)
				w->value[i][j] = copy(w, i, j);
	for (uint32_t i = 0; i < w->ncode; i++)
		if (w->layer[i] == layer && w->code[i].kind == INS_FOLD) write_still(w, i);
}

/* The folded axes are gone: no access walks them. */
static void leave_axes(const Few *w)
{
	Builder *b = w->b;
	for (uint32_t k = w->end; k-- > w->first;) axis_drop(b, k);
	b->recipe = RECIPE_ROWS;
	b->rows = NULL;
	memset(b->made_at, 0, sizeof b->made_at);
}

static void *copied(Builder *b, const void *from, size_t bytes)
{
	return memcpy(arena_array(b->scratch, 1, bytes), from, bytes);
}

static void write_all(const Few *w)
{
	Builder *b = w->b;
	uint16_t last = 0;
	b->ncode = b->nat = b->at_cap = 0;
	b->at = NULL;
	b->phase = 0;
	for (uint32_t i = 0; i < w->ncode; i++) last = w->layer[i] > last ? w->layer[i] : last;
	for (uint16_t layer = 0; layer <= last; layer++) write_layer(w, layer);
}

/* As it was. */
static void take_back(const Few *w)
{
	Builder *b = w->b;
	memcpy(b->code, w->code, w->ncode * sizeof *w->code);
	memcpy(b->made_at, w->made_at, w->ncode);
	b->ncode = w->ncode;
	b->at = w->at;
	b->nat = b->at_cap = w->nat;
	b->failed = false;
	b->force = NULL;
}

void folds_write_out(Builder *b)
{
	if (!b->rows) return;
	Few w = {.b = b, .first = b->nrow, .ncode = b->ncode, .at = b->at, .nat = b->nat};
	w.end = b->recipe == RECIPE_CHAIN ? b->nfold : b->naxis;
	if (!(w.nterm = count_terms(b, w.first, w.end))) return;
	w.code = copied(b, b->code, w.ncode * sizeof *w.code);
	w.made_at = copied(b, b->made_at, w.ncode);
	w.moves = NEW_ARRAY(b->scratch, bool, w.ncode);
	w.layer = NEW_ARRAY(b->scratch, uint16_t, w.ncode);
	w.value = arena_array(b->scratch, sizeof *w.value, w.ncode);
	find_moves(&w);
	if (!is_worth_it(&w)) return;
	write_all(&w);
	if (b->failed)
		take_back(&w);
	else
		leave_axes(&w);
}
