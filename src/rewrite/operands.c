/* operands.c - the operands of an op of the library as the graph has them.
 *
 * A call of an op has a leaf for each array: of a structure its fields in the
 * order of their code points.  What a rule writes is put into that form: a
 * structure in braces gives its fields, a name p the variables p.bias and
 * p.gain, an operand that is left out its default.
 */
#include "rules.h"
#include "../elab/elab.h"

static uint32_t leaves_of(const Syntax *param)
{
	const Syntax *type = param->kind == SYN_PARAM ? param->part[1] : NULL;
	return type && type->kind == SYN_RECORD ? type->count : 1;
}

uint32_t op_leaves(const Syntax *op)
{
	const Syntax *params = op->part[1];
	uint32_t n = 0;
	for (uint32_t i = 0; i < params->count; i++) n += leaves_of(params->part[i]);
	return n;
}

/* The field of a record type that is number k in the order of the names. */
static const Syntax *field_in_order(const Syntax *record, uint32_t k)
{
	for (uint32_t i = 0; i < record->count; i++) {
		uint32_t before = 0;
		for (uint32_t j = 0; j < record->count; j++)
			before += strcmp(record->part[j]->name, record->part[i]->name) < 0;
		if (before == k) return record->part[i];
	}
	return NULL;
}

const Syntax *op_leaf_type(const Syntax *op, uint32_t leaf)
{
	const Syntax *params = op->part[1];
	for (uint32_t i = 0; i < params->count; i++) {
		const Syntax *p = params->part[i];
		uint32_t n = leaves_of(p);
		if (p->kind != SYN_PARAM) return NULL;
		if (leaf < n && n == 1 && (!p->part[1] || p->part[1]->kind != SYN_RECORD)) return p->part[1];
		if (leaf < n) return field_in_order(p->part[1], leaf)->part[0];
		leaf -= n;
	}
	return NULL;
}

/* The field of a structure as a rule writes it: an entry of {...}, or the variable p.field of a name. */
static const Syntax *field_of(Arena *a, Graph *g, const Syntax *given, const char *field)
{
	for (uint32_t i = 0; given->kind == SYN_CURLY && i < given->count; i++) {
		const Syntax *e = given->part[i];
		if (e->name == field) return e->kind == SYN_ENTRY ? e->part[0] : e;
	}
	if (given->kind != SYN_NAME) return NULL;
	const char *both = arena_printf(a, "%s.%s", given->name, field);
	return syntax_name(a, given->where, names_get(&g->names, both, strlen(both)));
}

const Syntax **op_operands(Arena *a, Graph *g, const Syntax *op, const Syntax *call, uint32_t *n)
{
	const Syntax *params = op->part[1];
	uint32_t given = call->count - 1, k = 0;
	*n = op_leaves(op);
	const Syntax **out = NEW_ARRAY(a, const Syntax *, *n + given + 1);
	if (given == *n || given > params->count) { /* leaf by leaf, or too many */
		for (*n = 0; *n < given; ++*n) out[*n] = call->part[*n + 1];
		return out;
	}
	for (uint32_t i = 0; i < params->count; i++) {
		bool plain = params->part[i]->kind == SYN_PARAM;
		const Syntax *p = params->part[i], *type = plain ? p->part[1] : NULL;
		const Syntax *fallback = plain ? p->part[2] : NULL,
			*x = i < given ? call->part[i + 1] : fallback;
		if (!x || x->kind == SYN_RUN) return NULL;
		if (!type || type->kind != SYN_RECORD) {
			out[k++] = x;
			continue;
		}
		for (uint32_t j = 0; j < type->count; j++)
			if (!(out[k++] = field_of(a, g, x, field_in_order(type, j)->name))) return NULL;
	}
	return out;
}

/* What is wanted, for a message: "p, x, eps = 1e-5". */
const char *op_parameters(Arena *a, const Syntax *op)
{
	const Syntax *params = op->part[1];
	Text t;
	text_open(&t, a);
	for (uint32_t i = 0; i < params->count; i++) {
		const Syntax *p = params->part[i];
		text_add(&t, i ? ", " : "");
		print_syntax(&t, p->kind == SYN_PARAM ? p->part[0] : p);
		if (p->kind == SYN_PARAM && p->part[2]) {
			text_add(&t, " = ");
			print_syntax(&t, p->part[2]);
		}
	}
	return text_done(&t);
}
