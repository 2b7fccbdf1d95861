/* typed.c - types from text: f64[m, 2*n + 1].  Every name in a shape is a size of the graph. */
#define POR_NO_LINES
#include "api.h"

static const Size *size_of_syntax(por_graph *, const Syntax *);

static const Size *chain(por_graph *g, const Syntax *s)
{
	const Size *x = size_of_syntax(g, s->part[0]);
	for (uint32_t i = 1; x && i < s->count; i++) {
		const Size *y = size_of_syntax(g, s->part[i]);
		if (!y) return NULL;
		switch (s->signs[i - 1]) {
		case SIGN_PLUS: x = size_add(g->ir, x, y); break;
		case SIGN_MINUS: x = size_sub(g->ir, x, y); break;
		case SIGN_TIMES: x = size_mul(g->ir, x, y); break;
		case SIGN_FLOOR: x = size_floordiv(g->ir, x, y); break;
		case SIGN_MOD: x = size_mod(g->ir, x, y); break;
		default: return NULL;
		}
	}
	return x;
}

/* NULL, without an error of its own, of what is no size. */
static const Size *size_of_syntax(por_graph *g, const Syntax *s)
{
	switch (s->kind) {
	case SYN_NUMBER: return s->number == NUMBER_INTEGER ? size_const(g->ir, s->integer) : NULL;
	case SYN_NAME: return size_named(g->ir, s->name);
	case SYN_CHAIN: return chain(g, s);
	case SYN_CALL: {
		bool least = s->part[0]->kind == SYN_NAME && !strcmp(s->part[0]->name, "min");
		bool most = s->part[0]->kind == SYN_NAME && !strcmp(s->part[0]->name, "max");
		const Size *x = (least || most) && s->count == 3 ? size_of_syntax(g, s->part[1]) : NULL;
		const Size *y = x ? size_of_syntax(g, s->part[2]) : NULL;
		if (!y) return NULL;
		if (least) return size_min(g->ir, x, y);
		return size_max(g->ir, x, y);
	}
	default: return NULL;
	}
}

const Type *type_of_syntax(por_graph *g, const Syntax *s)
{
	Graph *ir = g->ir;
	const Size *dim[RANK_MAX];
	bool shaped = s->kind == SYN_SUBSCRIPTS;
	const Syntax *base = shaped ? s->part[0] : s;
	Dtype d = base->kind == SYN_NAME ? dtype_named(base->name, strlen(base->name)) : DT_NONE;
	uint32_t rank = shaped ? s->count - 1 : 0;
	ir->where = s->where.file && *s->where.file ? s->where : ir->where;
	const char *here = base->kind == SYN_NAME ? habit_of_type(base->name) : NULL;
	if (!dtype_public((int)d) && here)
		return graph_fail(ir, ERR_TYPE, "%s is no dtype; write %s", base->name, here);
	if (!dtype_public((int)d) && base->kind == SYN_NAME)
		return graph_fail(ir, ERR_TYPE,
			"%s is no dtype; a type is one with its sizes, such as f64[m, n]", base->name);
	if (!dtype_public((int)d) || rank > RANK_MAX)
		return graph_fail(
			ir, ERR_TYPE, "a type is a dtype with at most %d sizes, such as f64[m, n]", RANK_MAX);
	for (uint32_t i = 0; i < rank; i++)
		if (!(dim[i] = size_of_syntax(g, s->part[1 + i])))
			return graph_fail(ir, ERR_TYPE,
				"size %u of the type is no whole number, name, or sum, product or quotient "
				"of such",
				i + 1);
	return type_array(ir, d, rank, dim);
}
