/* c_fold.c - accumulators: neutral elements, joins, and the helper functions of the defined order.
 *
 * A block's terms go to lanes, element i to lane i mod LANES; lanes join by
 * halving.  Lanes past the number of terms hold the neutral element, which
 * changes nothing: their joins are skipped.  Blocks join pairwise with their
 * neighbours, an odd last one moving up.  That is what a stack does on which
 * two results of equally many blocks join at once, and which is emptied from
 * the top at the end: after n blocks it holds one entry for each bit of n.
 */
#include "c_kernel.h"

#include <stdio.h>

static const char *const fold_map[OP_COUNT] = {
	[OP_SUM] = "add",
	[OP_PROD] = "mul",
	[OP_MAX] = "maximum",
	[OP_MIN] = "minimum",
	[OP_ANY] = "or",
	[OP_ALL] = "and",
	[OP_ARGMAX] = "maximum",
	[OP_ARGMIN] = "minimum",
};

static const char *extreme(Print *p, Dtype d, bool largest)
{
		if (d == DT_F64) return largest ? "__builtin_inf()" : "-__builtin_inf()";
	if (dtype_is_float(d)) return largest ? "__builtin_inff()" : "-__builtin_inff()";
	uint64_t most = ~0ull >> (64 - dtype_digits(d)), least = dtype_min(d) < 0 ? ~most : 0;
	return dtype_literal(p->arena, d, largest ? most : least);
}

static const char *number(Dtype d, bool one)
{
	switch (d) {
	case DT_F32: return one ? "1.0f" : "-0.0f";
	case DT_F64: return one ? "1.0" : "-0.0";
	case DT_C64: return one ? "(C64){ 1.0f, 0.0f }" : "(C64){ -0.0f, -0.0f }";
	case DT_C128: return one ? "(C128){ 1.0, 0.0 }" : "(C128){ -0.0, -0.0 }";
	default: return one ? "1" : "0";
	}
}

const char *fold_neutral(Print *p, const Ins *x)
{
	Dtype d = fold_accumulator(x);
	switch (x->op) {
	case OP_MAX:
	case OP_ARGMAX: return extreme(p, d, false);
	case OP_MIN:
	case OP_ARGMIN: return extreme(p, d, true);
	case OP_PROD:
	case OP_ALL: return number(d, true);
	default: return number(d, false);
	}
}

const char *fold_empty(Print *p, const Ins *x)
{
	Dtype d = fold_accumulator(x);
	if (x->op != OP_SUM) return fold_neutral(p, x);
	if (d == DT_C64) return "(C64){ 0, 0 }";
	if (d == DT_C128) return "(C128){ 0, 0 }";
	return "0";
}

static const char *join_function(Unit *u, uint16_t op, Dtype d)
{
	char name[40];
	snprintf(name, sizeof name, "%s_%s", fold_map[op] ? fold_map[op] : "none", dtype_name(d));
	return unit_math(u, name);
}

const char *fold_join(Print *p, const Ins *x, const char *a, const char *b)
{
	return arena_printf(p->arena, "%s(%s, %s)", join_function(p->u, x->op, fold_accumulator(x)), a, b);
}

const char *fold_term(Print *p, const Ins *x)
{
	Dtype from = dtype_held((Dtype)x->from), to = fold_accumulator(x);
	char name[40];
	if (from == to) return arena_printf(p->arena, "v%u", x->a);
	snprintf(name, sizeof name, "cast_%s_%s", dtype_name(from), dtype_name(to));
	return arena_printf(p->arena, "%s(v%u)", unit_math(p->u, name), x->a);
}

const char *fold_result(Print *p, const Ins *x, const char *total)
{
	return is_argfold(x) ? total : rounded(p, (Dtype)x->dtype, total);
}

/* ---- helpers ------------------------------------------------------------------------------------- */

/* join_OP_T_L(lanes, terms), lanes_OP_T_L(terms, number), across_OP_T_0(terms, number, rows): their names */
const char *fold_helper(Print *p, const Ins *x, const char *kind, uint32_t lanes)
{
	Unit *u = p->u;
	Dtype d = fold_accumulator(x);
	uint32_t i = 0;
	while (i < u->nhelper &&
		!(!strcmp(fold_map[u->helper[i].op], fold_map[x->op]) && u->helper[i].dtype == d &&
			u->helper[i].lanes == lanes))
		i++;
	if (i == countof(u->helper))
		u->failed = true;
	else if (i == u->nhelper) {
		u->helper[i].op = x->op;
		u->helper[i].dtype = (uint8_t)d;
		u->helper[u->nhelper++].lanes = lanes;
		join_function(u, x->op, d);
	}
	return arena_printf(
		p->arena, "%s_%s_%s_%u%s", kind, fold_map[x->op], dtype_name(d), lanes, u->suffix);
}

/* Terms of short rows, one to a lane: those of all rows lie side by side. */
static void print_across_helper(Print *p, const Ins *x, Dtype d)
{
	print_line(p, "static void %s(%s *a, int64_t n, int64_t g)", fold_helper(p, x, "across", 0),
		held_type(d));
	print_open(p, "%s", "");
	print_line(p, "for (int64_t h = %d; h; h /= 2)", SHORT_HALF);
	print_open(p, "for (int64_t l = 0; l < h && l + h < n; l++)");
	const char *first = arena_printf(p->arena, "a[l*%d + j]", ROWS_AT_ONCE),
		   *second = arena_printf(p->arena, "a[(l + h)*%d + j]", ROWS_AT_ONCE);
	print_line(p, "LOOP");
	print_line(p, "for (int64_t j = 0; j < g; j++) %s = %s(%s, %s);", first,
		join_function(p->u, x->op, d), first, second);
	print_close(p);
	print_close(p);
}

static void print_helper(Print *p, const Ins *x, Dtype d, uint32_t lanes)
{
	if (!lanes) {
		print_across_helper(p, x, d);
		return;
	}
	const char *type = held_type(d), *join = join_function(p->u, x->op, d),
		   *name = fold_helper(p, x, "join", lanes);
	print_line(
		p, "static inline __attribute__((always_inline)) %s %s(%s *a, int64_t n)", type, name, type);
	print_open(p, "%s", "");
	for (uint32_t h = lanes / 2; h; h /= 2) {
		print_line(p, "if (n > %u)", h);
		print_line(p, "\tfor (int64_t l = 0; l < %u; l++) a[l] = %s(a[l], a[l + %u]);", h, join, h);
	}
	print_line(p, "return a[0];");
	print_close(p);
	print_line(p, "static %s %s(const %s *g, int64_t n)", type, fold_helper(p, x, "lanes", lanes), type);
	print_open(p, "%s", "");
	print_line(p, "%s a[%u];", type, lanes);
	print_line(p, "int64_t i = 0;");
	print_line(p, "for (int64_t l = 0; l < %u; l++) a[l] = %s;", lanes, fold_neutral(p, x));
	print_line(p, "for (; i + %u <= n; i += %u)", lanes, lanes);
	print_line(p, "\tfor (int64_t l = 0; l < %u; l++) a[l] = %s(a[l], g[i + l]);", lanes, join);
	print_line(p, "for (int64_t l = 0; l < n - i; l++) a[l] = %s(a[l], g[i + l]);", join);
	print_line(p, "return %s(a, n);", name);
	print_close(p);
}

void print_helpers(Unit *u, Text *t)
{
	Print p = {.u = u, .arena = u->arena};
	text_open(&p.t, u->arena);
	for (uint32_t i = 0; i < u->nhelper; i++) {
		Ins x = {.kind = INS_FOLD,
			.op = u->helper[i].op,
			.dtype = u->helper[i].dtype,
			.from = u->helper[i].dtype};
		print_helper(&p, &x, (Dtype)x.dtype, u->helper[i].lanes);
	}
	text_add(t, text_done(&p.t));
}

/* ---- from block to block ---------------------------------------------------------------------------- */

/* tN, lN: the best so far and its index.  A later one must be better, or the first NaN. */
void print_better(Print *p, uint32_t i, const char *value, const char *index)
{
	const char *more = p->k->code[i].op == OP_ARGMAX ? ">" : "<";
	print_line(p, "if (t%u == t%u && (%s %s t%u || %s != %s)) t%u = %s, l%u = %s;", i, i, value, more, i,
		value, value, i, value, i, index);
}

void print_push(Print *p, uint32_t i, const char *block)
{
	const Ins *x = &p->k->code[i];
	const char *r = arena_printf(p->arena, "r%u", i);
	if (!is_ordered(x)) {
		print_line(p, "t%u = %s;", i, fold_join(p, x, arena_printf(p->arena, "t%u", i), r));
		return;
	}
	print_line(p, "for (uint64_t c = (uint64_t)%s; c & 1; c >>= 1) r%u = %s;", block, i,
		fold_join(p, x, arena_printf(p->arena, "s%u[--d%u]", i, i), r));
	print_line(p, "s%u[d%u++] = r%u;", i, i, i);
}

void print_pop(Print *p, uint32_t i)
{
	const Ins *x = &p->k->code[i];
	if (!is_ordered(x)) return;
	print_line(p, "if (d%u) t%u = s%u[--d%u];", i, i, i, i);
	print_line(p, "while (d%u) t%u = %s;", i, i,
		fold_join(
			p, x, arena_printf(p->arena, "s%u[--d%u]", i, i), arena_printf(p->arena, "t%u", i)));
}
