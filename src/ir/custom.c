/* custom.c - operators of the user's with a C kernel: [custom, operands, then for each result dtype, rank,
 * sizes...].  A size may be an operand's value, which follows them once more, as it does in every node. */
#include "ir.h"

Node *custom(
	Graph *g, const Custom *c, uint32_t nresult, const Type *const *result, uint32_t n, Node *const *args)
{
	uint32_t most = 2;
	for (uint32_t i = 0; i < nresult; i++) {
		if (!result[i] || result[i]->kind != TYPE_ARRAY)
			return graph_fail(g, ERR_TYPE, "%s: a custom operator gives arrays", c->name);
		most += 2 + result[i]->n;
	}
	AttrValue *v = NEW_ARRAY(g->arena, AttrValue, most);
	uint32_t k = 2;
	v[0] = (AttrValue){.kind = A_CUSTOM, .u.custom = c};
	v[1] = av_int(n);
	for (uint32_t i = 0; i < nresult; i++) {
		v[k++] = av_dtype((Dtype)result[i]->dtype);
		v[k++] = av_int(result[i]->n);
		for (uint32_t a = 0; a < result[i]->n; a++) v[k++] = av_size(DIM(result[i], a));
	}
	return node_make(g, OP_CUSTOM, attr_make(g, k, v), n, args);
}

const Type *custom_type(Graph *g, const Attr *attr)
{
	const Type **t = NEW_ARRAY(g->arena, const Type *, attr->n);
	uint32_t n = 0;
	for (uint32_t k = 2; k < attr->n; n++) {
		Dtype d = attr->v[k].u.dtype;
		uint32_t rank = (uint32_t)attr->v[k + 1].u.i;
		const Size *dim[RANK_MAX];
		for (uint32_t a = 0; a < rank; a++) dim[a] = attr->v[k + 2 + a].u.size;
		t[n] = type_array(g, d, rank, dim);
		k += 2 + rank;
	}
	return n == 1 ? t[0] : type_tuple(g, n, t);
}

const Custom *custom_named(const Graph *g, const char *name)
{
	for (const Custom *c = g->customs; c; c = c->next)
		if (!strcmp(c->name, name)) return c;
	return NULL;
}
