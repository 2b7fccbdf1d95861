/* print_constant.c - sizes, types and constants in the notation. */
#include "print_graph.h"

#include <math.h>
#include <stdlib.h>

const char *parenthesised(GraphPrinter *p, Shown s, int level)
{
	return s.level >= level ? s.text : arena_printf(p->scratch, "(%s)", s.text);
}

/* ---- sizes ---------------------------------------------------------------------------- */

/* alone: it is the whole size, and its level is told. */
static const char *atom_text(GraphPrinter *p, const Atom *a, bool alone)
{
	switch (a->kind) {
	case ATOM_NAME: return a->name;
	case ATOM_PARAM:
		return p->size_name && a->index < p->function->nsize
			? p->size_name[a->index]
			: arena_printf(p->scratch, "s%u", a->index + 1);
	case ATOM_NODE: return operand(p, a->node, LEVEL_ATOM);
	case ATOM_FLOORDIV:
	case ATOM_MOD:
		return arena_printf(p->scratch, "%s%s%s%s%s", alone ? "" : "(",
			size_text(p, a->a, LEVEL_PRODUCT), a->kind == ATOM_MOD ? " % " : "//",
			size_text(p, a->b, LEVEL_MINUS), alone ? "" : ")");
	default:
		return arena_printf(p->scratch, "%s(%s, %s)", a->kind == ATOM_MIN ? "min" : "max",
			size_text(p, a->a, 0), size_text(p, a->b, 0));
	}
}

const char *size_text(GraphPrinter *p, const Size *s, int level)
{
	Text t;
	uint32_t lead = size_lead(s);
	const Atom *one = size_single(s);
	bool quotient = one && (one->kind == ATOM_FLOORDIV || one->kind == ATOM_MOD);
	text_open(&t, p->scratch);
	if (!s->nterm) text_char(&t, '0');
	for (uint32_t i = 0; i < s->nterm; i++) {
		uint32_t behind = i <= lead ? i - 1 : i;
		const Term *m = &s->term[i ? behind : lead];
		uint64_t c = m->coef < 0 ? 0 - (uint64_t)m->coef : (uint64_t)m->coef;
		if (i)
			text_add(&t, m->coef < 0 ? " - " : " + ");
		else if (m->coef < 0)
			text_char(&t, '-');
		if (c != 1 || !m->natom)
			text_printf(&t, "%llu%s", (unsigned long long)c, m->natom ? "*" : "");
		for (uint32_t k = 0; k < m->natom; k++)
			text_printf(&t, "%s%s", k ? "*" : "", atom_text(p, m->atom[k], quotient));
	}
	int own = LEVEL_ATOM;
	if (s->nterm > 1)
		own = LEVEL_SUM;
	else if (s->nterm == 1 && s->term[0].coef < 0)
		own = LEVEL_MINUS;
	else if (quotient || (s->nterm == 1 && s->term[0].natom + (s->term[0].coef != 1) > 1))
		own = LEVEL_PRODUCT;
	return parenthesised(p, atom(text_done(&t), own), level);
}

void print_type(GraphPrinter *p, Text *t, const Type *type)
{
	text_add(t, dtype_name((Dtype)type->dtype));
	for (uint32_t i = 0; i < type->n; i++)
		text_printf(t, "%s%s", i ? ", " : "[", size_text(p, DIM(type, i), 0));
	text_add(t, type->n ? "]" : "");
}

const char *type_text(GraphPrinter *p, const Type *type)
{
	Text t;
	text_open(&t, p->scratch);
	print_type(p, &t, type);
	return text_done(&t);
}

/* ---- constants -------------------------------------------------------------------------- */

/* As f32; where that, read as f64 and rounded again, would not be the same, as f64. */
static void single_text(Text *t, float f)
{
	size_t begin = t->n;
	text_number(t, f, 32);
	if (!isnan(f) && !isinf(f) && (float)strtod(text_done(t) + begin, NULL) != f) {
		t->n = begin;
		text_number(t, f, 64);
	}
}

static void element_text(Text *t, Dtype d, const unsigned char *at)
{
	switch (d) {
	case DT_BOOL: text_add(t, *at ? "true" : "false"); return;
	case DT_U64: {
		uint64_t u;
		memcpy(&u, at, 8);
		text_printf(t, "%llu", (unsigned long long)u);
		return;
	}
	case DT_KEY: {
		int64_t word[2];
		memcpy(word, at, sizeof word);
		text_printf(
			t, word[1] ? "key(%lld, %lld)" : "key(%lld)", (long long)word[0], (long long)word[1]);
		return;
	}
	case DT_C64:
	case DT_C128: {
		size_t half = dtype_bytes(d) / 2;
		static const char zeros[8];
		if (memcmp(at, zeros, half)) {
			element_text(t, dtype_part(d), at);
			text_add(t, " + ");
		}
		element_text(t, dtype_part(d), at + half);
		text_add(t, "i");
		return;
	}
	case DT_F32: single_text(t, (float)element_number(d, at)); return;
	default: break;
	}
	if (dtype_is_float(d))
		text_number(t, element_number(d, at), 64);
	else
		text_printf(t, "%lld", (long long)element_whole(d, at));
}

/* Elements of a constant in brackets, axis by axis, as those of d. */
static void data_text(Text *t, const Node *x, Dtype d)
{
	int64_t size[RANK_MAX], at[RANK_MAX] = {0};
	size_t bytes = dtype_bytes(d);
	const unsigned char *p = constant_bytes(x);
	uint32_t n = node_rank(x);
	for (uint32_t i = 0; i < n; i++) size_is(node_dim(x, i), &size[i]);
	for (uint32_t i = 0; i < n; i++) text_char(t, '[');
	for (size_t k = 0; k * bytes < x->attr->v[0].u.data->bytes; k++) {
		if (k) {
			uint32_t axis = n;
			while (axis-- && ++at[axis] == size[axis]) at[axis] = 0;
			for (uint32_t i = axis + 1; i < n; i++) text_char(t, ']');
			text_add(t, ", ");
			for (uint32_t i = axis + 1; i < n; i++) text_char(t, '[');
		}
		element_text(t, d, p + k * bytes);
	}
	for (uint32_t i = 0; i < n; i++) text_char(t, ']');
}

static bool is_whole(const Node *x, int64_t *i)
{
	double v;
	return constant_value(x, &v) && dtype_is_float(node_dtype(x)) && v == floor(v) && fabs(v) < 1e6 &&
		!(v == 0 && signbit(v)) && (*i = (int64_t)v, true);
}

/* Whole numbers past what a literal holds: they are written as the i64 of the same bits. */
static bool is_wide(const Node *x)
{
	const unsigned char *p = constant_bytes(x);
	uint64_t u = 0;
	for (size_t k = 0; node_dtype(x) == DT_U64 && k < x->attr->v[0].u.data->bytes && u <= INT64_MAX;
		k += 8)
		memcpy(&u, p + k, 8);
	return u > INT64_MAX;
}

static Shown wide_text(GraphPrinter *p, const Node *x, bool weak)
{
	Text t;
	text_open(&t, p->scratch);
	bool uniform = constant_is_uniform(x), shaped = uniform && !weak && x->type->n;
	text_add(&t, "bitcast[u64](");
	if (shaped) {
		text_add(&t, "i64");
		text_add(&t, type_text(p, x->type) + strlen(dtype_name(DT_U64)));
		text_char(&t, '(');
	}
	if (uniform)
		element_text(&t, DT_I64, constant_bytes(x));
	else
		data_text(&t, x, DT_I64);
	text_add(&t, shaped ? "))" : ")");
	return atom(text_done(&t), LEVEL_ATOM);
}

Shown constant_text(GraphPrinter *p, const Node *x, bool weak)
{
	if (is_wide(x)) return wide_text(p, x, weak);
	Text t;
	int64_t i;
	text_open(&t, p->scratch);
	Dtype d = dtype_strong(node_dtype(x));
	bool uniform = constant_is_uniform(x), scalar = !x->type->n;
	weak = weak || d != node_dtype(x) || (p->flags & PRINT_BARE && dtype_is_float(d));
	if (!uniform)
		data_text(&t, x, d);
	else if (is_whole(x, &i))
		text_printf(&t, "%lld", (long long)i);
	else
		element_text(&t, d, constant_bytes(x));
	const char *text = text_done(&t);
	bool minus = text[0] == '-';
	if (weak && uniform) {
		int level = strchr(text, ' ') ? LEVEL_SUM : LEVEL_ATOM;
		return atom(text, minus ? LEVEL_MINUS : level);
	}
	if (d == DT_KEY && uniform && !scalar)
		return atom(arena_printf(p->scratch, "%s%s", type_text(p, x->type), text + strlen("key")),
			LEVEL_ATOM);
	if ((d == DT_BOOL || d == DT_KEY) && (scalar || !uniform)) return atom(text, LEVEL_ATOM);
	return atom(arena_printf(p->scratch, "%s(%s)", uniform ? type_text(p, x->type) : dtype_name(d), text),
		LEVEL_ATOM);
}
