/* sample_cast.c - dtypes for what a rule converts: cast[t](x), f32(x), bitcast[t](x).
 *
 * At the root the brackets are free where the rule leaves them so, and the operand has the instance's dtype;
 * within something the result is mostly what is asked for, and the operand may be of any.
 */
#include "sample.h"

bool names_cast(const Pattern *p)
{
	if (p->kind == P_OPERATOR && (p->op == OP_CAST || p->op == OP_BITCAST)) return true;
	for (uint32_t i = 0; i < p->n; i++)
		if (names_cast(p->arg[i])) return true;
	return false;
}

static Dtype any_dtype(Instance *in, bool bits)
{
	static const Dtype all[] = {DT_F64, DT_F32, DT_I64, DT_F16, DT_I32, DT_U8, DT_BF16, DT_BOOL, DT_I8,
				  DT_U16, DT_U32, DT_U64, DT_I16},
			   reals[] = {DT_F64, DT_F32};
	bool exact = bits || in->rule->law == LAW_EXACT || in->rule->integer || in->rule->boolean;
	return exact ? all[random_below(in->random, countof(all))] : reals[random_below(in->random, 2)];
}

/* What the brackets say already; DT_NONE: they are free. */
static Dtype dtype_given(const Instance *in, const Pattern *p)
{
	bool cast = p->kind == P_OPERATOR && (p->op == OP_CAST || p->op == OP_BITCAST);
	const Attr *list = NULL;
	if (!cast || (p->attr.kind == AT_VARIABLE && !in->m.attr[p->attr.var].bound)) return DT_NONE;
	bool said = attr_evaluate(&in->m, &p->attr, NULL, &list) && list && list->n == 1;
	return said && list->v[0].kind == A_DTYPE ? list->v[0].u.dtype : DT_NONE;
}

/* One of as many bytes, where bits are read as others. */
static Dtype dtype_beside(Instance *in, const Pattern *p, Dtype other)
{
	for (uint32_t i = 0; i < 64; i++) {
		Dtype d = any_dtype(in, p->op == OP_BITCAST);
		bool fits = p->op == OP_CAST || (d != DT_BOOL && dtype_bytes(d) == dtype_bytes(other));
		if (d != other && fits) return d;
	}
	return other;
}

/* Is the conversion an operand of a comparison? */
static bool is_compared(const Pattern *whole, const Pattern *p)
{
	DtypeRule of = whole->kind == P_OPERATOR ? op_info[whole->op].dtype : SAME;
	bool test = of == TEST || of == RTEST;
	for (uint32_t i = 0; i < whole->n; i++)
		if ((test && whole->arg[i] == p) || is_compared(whole->arg[i], p)) return true;
	return false;
}

bool assign_cast(Instance *in, const Pattern *p, const Shape *s, Want want)
{
	bool root = p == in->rule->left;
	Dtype wanted = dtype_wanted(in, want), to = in->rule->head ? DT_F32 : dtype_given(in, p);
	bool others = in->rule->integer || in->rule->boolean; /* of what is none, around it anything goes */
	bool free = to == DT_NONE && want == REAL_NUMBER && random_below(in->random, 2);
	bool twice = root && p->arg[0]->kind == P_OPERATOR && p->arg[0]->op == OP_CAST,
	     back = twice && !random_below(in->random, 3);
	if (to == DT_NONE && back)
		to = in->real; /* there and back */
	else if (to == DT_NONE)
		to = root || free ? dtype_beside(in, p, in->real) : wanted;
	bool compared = in->hard && is_compared(in->rule->left, p); /* with what is converted to the same */
	bool fits = root || free || compared || in->rule->head || to == wanted ||
		(others && want == REAL_NUMBER);
	if (!fits) return false;
	AttrValue v = av_dtype(to);
	bind_list(in, &p->attr, attr_make(in->m.g, 1, &v), NULL);
	Dtype from = dtype_given(in, p->arg[0]);
	bool own = root || in->rule->head || others || random_below(in->random, 2);
	if (from == DT_NONE) from = own ? in->real : dtype_beside(in, p, to);
	if (compared && in->cast_from != DT_NONE) from = in->cast_from;
	in->cast_from = from;
	return assign_shape(in, p->arg[0], s, (Want)(OF_DTYPE + from));
}
