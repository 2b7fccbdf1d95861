/* c_ins.c - instructions as C: where an access points, indices that are computed, one line for each value. */
#include "c_kernel.h"

#include <stdio.h>

void print_line(Print *p, const char *format, ...)
{
	va_list args;
	for (int i = 0; i < p->depth; i++) text_char(&p->t, '\t');
	va_start(args, format);
	text_vprintf(&p->t, format, args);
	va_end(args);
	text_char(&p->t, '\n');
}

void print_open(Print *p, const char *format, ...)
{
	va_list args;
	for (int i = 0; i < p->depth; i++) text_char(&p->t, '\t');
	va_start(args, format);
	text_vprintf(&p->t, format, args);
	va_end(args);
	text_add(&p->t, *format ? " {\n" : "{\n");
	p->depth++;
}

void print_close(Print *p)
{
	p->depth--;
	print_line(p, "}");
}

const char *int_text(Print *p, Int x)
{
	if (x.param >= 0) return arena_printf(p->arena, "m%d", (int)x.param);
	return dtype_literal(p->arena, DT_I64, (uint64_t)x.value);
}

/* ---- where an access points ----------------------------------------------------------------- */

/* index*stride, and what comes before it, in a sum */
static const char *plus(Print *p, const char *sum, const char *index, Int stride)
{
	if (int_is(stride, 0)) return sum;
	if (int_is(stride, 1)) return arena_printf(p->arena, "%s + %s", sum, index);
	return arena_printf(p->arena, "%s + %s*%s", sum, index, int_text(p, stride));
}

void print_pointers(Print *p, char level, char base, uint32_t first, uint32_t end)
{
	bool *seen = NEW_ARRAY(p->arena, bool, p->k->nat + 1);
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		const Ins *x = &p->k->code[i];
		const Access *a = ins_access(p->k, x);
		bool used = level == 'p' || (p->need[i] && (p->f->stage[i] == p->s || p->f->again[i]));
		if (!a || !used || seen[x->at]) continue;
		seen[x->at] = true;
		bool index = x->kind == INS_INDEX;
		const char *sum = arena_printf(p->arena, "%c%u", base, x->at);
		if (base == 'b')
			sum = index ? int_text(p, a->offset)
				    : arena_printf(p->arena, "b%u + %s", a->buffer, int_text(p, a->offset));
		for (uint32_t axis = first; axis < end; axis++)
			sum = plus(p, sum, arena_printf(p->arena, "x%u", axis), a->stride[axis]);
		if (index)
			print_line(p, "const int64_t %c%u = %s;", level, x->at, sum);
		else
			print_line(p, "%s%s *const %c%u = %s;",
				p->k->buffer[a->buffer].written ? "" : "const ",
				memory_type((Dtype)p->k->buffer[a->buffer].dtype), level, x->at, sum);
	}
}

/* A loop over every fifth element has no vectors in gcc, which knows groups of 2, 3, 4, 8, ...; one over
 * every n-th has. */
const char *held_stride(Print *p, Int stride, bool *far)
{
	int32_t n = stride.value;
	*far = stride.param < 0 && n > 4 && (n & (n - 1));
	return *far ? arena_printf(p->arena, "far%d", (int)n) : int_text(p, stride);
}

/* j times the stride, and what comes before it, in a sum */
static const char *plus_each(Print *p, const char *sum, Int stride)
{
	bool far;
	const char *n = held_stride(p, stride, &far);
	return far ? arena_printf(p->arena, "%s + j*%s", sum, n) : plus(p, sum, "j", stride);
}

/* Pointers of this spot, and the sum of what moves there: "q3", "j*4 + d7_0*m2" */
static const char *moving(Print *p, uint32_t i, Spot spot, const char *sum)
{
	const Access *a = ins_access(p->k, &p->k->code[i]);
	if (spot == AT_EACH || spot == AT_SEARCH)
		if (has_inner_axis(p->k)) sum = plus_each(p, sum, a->stride[p->along]);
	for (uint32_t d = 0; d < a->ndynamic; d++)
		sum = plus(p, sum, arena_printf(p->arena, "d%u_%u", i, d), a->dynamic[d].stride);
	return sum;
}

static const char *element(Print *p, uint32_t i, Spot spot)
{
	return arena_printf(
		p->arena, "%c%u[%s]", spot == AT_ROW ? 'p' : 'q', p->k->code[i].at, moving(p, i, spot, "0"));
}

/* Computed indices: w as it is, d inside; the sign of z says outside. */
static void print_dynamic(Print *p, uint32_t i, Spot spot)
{
	const Access *a = ins_access(p->k, &p->k->code[i]);
	for (uint32_t d = 0; a && d < a->ndynamic && is_inside(p, i); d++)
		print_line(p, "const int64_t d%u_%u = v%u;", i, d, a->dynamic[d].value);
	for (uint32_t d = 0; a && d < a->ndynamic && !is_inside(p, i); d++) {
		const char *extent = int_text(p, a->dynamic[d].extent), *place = "place + j";
		Dtype from = (Dtype)p->k->code[a->dynamic[d].value].dtype;
		char cast[40];
		snprintf(cast, sizeof cast, "cast_%s_i64", dtype_name(from));
		print_line(p, "const int64_t w%u_%u = %s(v%u);", i, d,
			from == DT_I64 ? "" : unit_math(p->u, cast), a->dynamic[d].value);
		print_line(p,
			"const int64_t z%u_%u = w%u_%u | (int64_t)((uint64_t)(%s) - 1 - (uint64_t)w%u_%u);",
			i, d, i, d, extent, i, d);
		print_line(p, "const int64_t d%u_%u = z%u_%u < 0 ? 0 : w%u_%u;", i, d, i, d, i, d);
		if (spot == AT_EACH) {
			print_line(p, "bad |= z%u_%u;", i, d);
			continue;
		}
		if (spot == AT_ROW) place = p->k->recipe == RECIPE_CHAIN ? "row*folded*inner" : "row*inner";
		if (spot == AT_HEAD) place = "place";
		print_line(p, "if (z%u_%u < 0) outside(fault, %s, w%u_%u, %s);", i, d, place, i, d, extent);
	}
}

bool any_dynamic(const Print *p, bool still)
{
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		const Access *a = ins_access(p->k, &p->k->code[i]);
		if (p->need[i] && a && a->ndynamic && p->f->stage[i] == p->s && p->f->still[i] == still)
			return true;
	}
	return false;
}

/* ---- values --------------------------------------------------------------------------------------- */

static const char *loaded(Print *p, Dtype d, const char *at)
{
	char name[40];
	if (!dtype_is_narrow(d)) return at;
	snprintf(name, sizeof name, "cast_%s_f32", dtype_name(d));
	return arena_printf(p->arena, "%s(%s)", unit_math(p->u, name), at);
}

/* A constant that the step gives, of its bits. */
static const char *given(Print *p, const Ins *x)
{
	uint32_t at = p->k->nparam + (uint32_t)x->bits;
	Dtype d = (Dtype)x->dtype;
	switch (d) {
	case DT_F32:
		return arena_printf(p->arena, "%s((uint32_t)m%u)", unit_math(p->u, "bitcast_u32_f32"), at);
	case DT_F64: return arena_printf(p->arena, "%s(m%u)", unit_math(p->u, "bitcast_i64_f64"), at);
	default: return loaded(p, d, arena_printf(p->arena, "(%s)m%u", memory_type(d), at));
	}
}

static const char *stored(Print *p, Dtype d, const char *value)
{
	char name[40];
	if (!dtype_is_narrow(d)) return value;
	snprintf(name, sizeof name, "cast_f32_%s", dtype_name(d));
	return arena_printf(p->arena, "%s(%s)", unit_math(p->u, name), value);
}

const char *rounded(Print *p, Dtype d, const char *value)
{
	char name[40];
	if (!dtype_is_narrow(d)) return value;
	snprintf(name, sizeof name, "round_%s", dtype_name(d));
	return arena_printf(p->arena, "%s(%s)", unit_math(p->u, name), value);
}

/* To a narrow float: once rounded, so from f64 or long integers by way of f64. */
static const char *cast_text(Print *p, const Ins *x)
{
	Dtype from = dtype_held((Dtype)x->from), to = (Dtype)x->dtype;
	char name[40];
	map_function(x, name);
	if (!dtype_is_narrow(to) || dtype_digits(from) <= dtype_digits(DT_F32))
		return rounded(p, to, arena_printf(p->arena, "%s(v%u)", unit_math(p->u, name), x->a));
	snprintf(name, sizeof name, "cast_%s_f64", dtype_name(from));
	const char *wide = arena_printf(p->arena, "%s(v%u)", unit_math(p->u, name), x->a);
	snprintf(name, sizeof name, "cast_f64_%s", dtype_name(to));
	return loaded(p, to, arena_printf(p->arena, "%s(%s)", unit_math(p->u, name), wide));
}

static const char *bitcast_text(Print *p, const Ins *x)
{
	Dtype from = (Dtype)x->from, to = (Dtype)x->dtype;
	char name[40];
	if (!dtype_is_narrow(from) && !dtype_is_narrow(to)) {
		map_function(x, name);
		return arena_printf(p->arena, "%s(v%u)", unit_math(p->u, name), x->a);
	}
	const char *bits = stored(p, from, arena_printf(p->arena, "v%u", x->a));
	return loaded(p, to, arena_printf(p->arena, "(%s)%s", memory_type(to), bits));
}

/* a scalar function of the operands of x */
static const char *call_text(Print *p, const Ins *x, const char *name)
{
	const uint16_t operand[3] = {x->a, x->b, x->c};
	const char *text = arena_printf(p->arena, "%s(", unit_math(p->u, name));
	for (int o = 0; o < op_info[x->op].args && o < 3; o++)
		text = arena_printf(p->arena, "%s%sv%u", text, o ? ", " : "", operand[o]);
	return arena_printf(p->arena, "%s)", text);
}

/* the function that stands beside NAME, as near_NAME does, and need not be there */
static void beside_function(const Ins *x, const char *prefix, char name[48])
{
	strcpy(name, prefix);
	map_function(x, name + strlen(prefix));
}

bool has_near(const Ins *x)
{
	char name[48];
	if (x->kind != INS_MAP) return false;
	beside_function(x, "near_", name);
	return math_weight(name) > 0;
}

const char *far_text(Print *p, const Ins *x)
{
	char name[48];
	beside_function(x, "far_", name);
	return call_text(p, x, name);
}

/* whole numbers by a divisor that stands still along the inner axis: a multiplication does
 * (src/math/divide.h); for a constant the compiler finds it */
bool divides_by_still(const Print *p, uint32_t i)
{
	const Ins *x = &p->k->code[i];
	return x->kind == INS_MAP && (x->op == OP_FLOORDIV || x->op == OP_MOD) &&
		dtype_is_integer((Dtype)x->dtype) &&
		p->k->code[x->b].kind != INS_CONST && !p->f->still[i] && p->f->still[x->b] && p->need[x->b] &&
		!is_read(p, x->b);
}

void print_divisors(Print *p)
{
	for (uint32_t i = 0; i < p->k->ncode; i++) {
		const Ins *x = &p->k->code[i];
		char name[48];
		if (!p->need[i] || is_read(p, i) || !divides_by_still(p, i)) continue;
		snprintf(name, sizeof name, "divisor_%s", dtype_name((Dtype)x->dtype));
		print_line(p, "uint32_t shift%u;", i);
		print_line(p, "const %s factor%u = %s(v%u, &shift%u);",
			held_bytes((Dtype)x->dtype) == 8 ? "uint64_t" : "uint32_t", i, unit_math(p->u, name),
			x->b, i);
	}
}

const char *by_text(Print *p, uint32_t i, char dividend)
{
	const Ins *x = &p->k->code[i];
	char name[48];
	beside_function(x, "by_", name);
	return arena_printf(p->arena, "%s(%c%u, v%u, factor%u, shift%u)", unit_math(p->u, name), dividend,
		x->a, x->b, i, i);
}

static const char *map_text(Print *p, const Ins *x)
{
	char name[48];
	if (x->op == OP_CAST) return cast_text(p, x);
	if (x->op == OP_BITCAST) return bitcast_text(p, x);
	if (p->near && has_near(x))
		beside_function(x, "near_", name);
	else
		map_function(x, name);
	return rounded(p, (Dtype)x->dtype, call_text(p, x, name));
}

static const char *random_text(Print *p, const Ins *x)
{
	char name[40];
	bool draw = x->kind == INS_RANDOM, exact = x->op == OP_UNIFORM || x->op == OP_UNIFORM_OPEN;
	if (draw)
		snprintf(name, sizeof name, "%s_%s", op_info[x->op].text,
			dtype_name(exact ? (Dtype)x->dtype : dtype_held((Dtype)x->dtype)));
	else
		strcpy(name, x->kind == INS_KEY_A ? "key_at_a" : "key_at_b");
	const char *third = draw && x->op == OP_GAMMA_DRAW ? "" : "(uint64_t)";
	const char *text = arena_printf(
		p->arena, "%s(v%u, v%u, %sv%u)", unit_math(p->u, name), x->a, x->b, third, x->c);
	return draw ? rounded(p, (Dtype)x->dtype, text) : text;
}

static void print_fold(Print *p, uint32_t i)
{
	const Ins *x = &p->k->code[i];
	const char *term = fold_term(p, x);
	if (p->lanes)
		print_line(p, "a%u[l] = %s;", i, fold_join(p, x, arena_printf(p->arena, "a%u[l]", i), term));
	else if (!p->folding)
		print_line(p, "e%u[j] = %s;", i, term);
	else if (is_argfold(x)) {
		const char *best = arena_printf(p->arena, "h%u[j]", i),
			   *more = x->op == OP_ARGMAX ? ">" : "<";
		print_line(p, "const uint8_t c%u = (v%u %s %s) | ((v%u != v%u) & (%s == %s));", i, x->a, more,
			best, x->a, x->a, best, best);
		print_line(p, "i%u[j] = c%u ? f : i%u[j];", i, i, i);
		print_line(p, "%s = c%u ? v%u : %s;", best, i, x->a, best);
	} else
		print_line(p, "h%u[j] = %s;", i, fold_join(p, x, arena_printf(p->arena, "h%u[j]", i), term));
}

void print_ins(Print *p, uint32_t i, Spot spot)
{
	const Ins *x = &p->k->code[i];
	Dtype d = (Dtype)x->dtype;
	const Access *a = ins_access(p->k, x);
	const char *value = NULL;
	if (p->slides && p->slides[i]) {
		print_line(p, "const int64_t v%u = o%u + (j - at_j);", i, i);
		return;
	}
	print_dynamic(p, i, spot);
	switch ((InsKind)x->kind) {
	case INS_CONST: value = dtype_literal(p->arena, d, x->bits); break;
	case INS_GIVEN: value = given(p, x); break;
	case INS_PARAM: value = int_text(p, p->k->at[x->at].offset); break;
	case INS_INDEX:
		value = moving(p, i, spot, arena_printf(p->arena, "%c%u", spot == AT_ROW ? 'p' : 'q', x->at));
		break;
	case INS_LOAD: value = loaded(p, (Dtype)p->k->buffer[a->buffer].dtype, element(p, i, spot)); break;
	case INS_MAP:
		value = (spot == AT_EACH || spot == AT_SEARCH) &&
			divides_by_still(p, i) ? by_text(p, i, 'v') : map_text(p, x);
		break;
	case INS_KEY_A:
	case INS_KEY_B:
	case INS_RANDOM: value = random_text(p, x); break;
	case INS_FOLD: print_fold(p, i); return;
	case INS_STORE:
		print_line(p, "%s = %s;", element(p, i, spot),
			stored(p, (Dtype)p->k->buffer[a->buffer].dtype, arena_printf(p->arena, "v%u", x->a)));
		return;
	}
	print_line(p, "const %s v%u = %s;", held_type(d), i, value);
}
