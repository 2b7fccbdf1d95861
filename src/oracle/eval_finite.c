/* eval_finite.c - where a NaN or an infinity arises: of operands that have none.
 *
 * An infinity that was there before, as that of a mask, may go on; so may a NaN that has been let through.
 */
#include "eval.h"

static bool is_computed(const Node *x)
{
	Class c = op_info[x->op].class;
	return x->type->kind == TYPE_ARRAY && c != LEAF && c != CONTROL;
}

/* Is what is wrong with element i of v (it is a NaN, or infinite) no fault of this operand? */
static bool is_clean(const Value *v, int64_t i, bool nan)
{
	return nan ? value_is_number(v, i) : value_is_finite(v, i);
}

/* Did element i arise here?  Each of a map's is made of those at its place; a NaN that is a constant, as
 * rules write what a function is outside of its domain, arises where it is chosen. */
static bool arises(const Node *x, const Value *const *arg, const Value *v, int64_t i)
{
	bool nan = !value_is_number(v, i), map = op_info[x->op].class == MAP;
	for (uint32_t k = 0; k < node_operands(x); k++) {
		if (nan && x->op == OP_WHERE && x->arg[k]->op == OP_CONST) continue;
		if (map && !is_clean(arg[k], i, nan)) return false;
		for (int64_t j = 0; !map && j < arg[k]->count; j++)
			if (!is_clean(arg[k], j, nan)) return false;
	}
	return true;
}

static void say_operand(Line *l, const Node *x, const Value *v, int64_t i)
{
	if (op_info[x->op].class == MAP)
		line_element(l, v, i);
	else
		line_value(l, v);
}

/* log(-1), 1/0, sum([1, 2]) */
static void say_node(Line *l, const Node *x, const Value *const *arg, int64_t i)
{
	const char *text = op_info[x->op].text;
	uint32_t n = node_operands(x);
	bool word = (*text >= 'a' && *text <= 'z') || (unsigned char)*text >= 0x80;
	if (!word && n == 2) {
		say_operand(l, x, arg[0], i);
		line_printf(l, " %s ", text);
		say_operand(l, x, arg[1], i);
		return;
	}
	line_printf(l, "%s(", text);
	for (uint32_t k = 0; k < n; k++) {
		line_printf(l, "%s", k ? ", " : "");
		say_operand(l, x, arg[k], i);
	}
	line_printf(l, ")");
}

bool eval_finite(Activation *f, const Node *x, const Value *const *arg, const Value *out)
{
	Line l = {.n = 0};
	int64_t i = 0;
	if (!is_computed(x) || !out->data || !dtype_is_float(dtype_part(out->dtype))) return true;
	while (i < out->count && (value_is_finite(out, i) || !arises(x, arg, out, i))) i++;
	if (i == out->count) return true;
	say_node(&l, x, arg, i);
	line_printf(&l, " is ");
	line_element(&l, out, i);
	for (const Origin *o = x->origin; o; o = o->next)
		if (o->name) {
			line_printf(&l, ", in %s", o->name);
			break;
		}
	if (out->rank) line_printf(&l, "%s", x->origin && x->origin->name ? "" : ", element ");
	line_place(&l, out, i);
	line_passes(&l, f->e->npass, f->e->pass);
	if (node_is_derived(x)) line_printf(&l, "; in the derivative of this line");
	return eval_fail(f, ERR_CALL, "%s", l.s);
}
