/* donate.c - results that take the memory of arguments. */
#define POR_NO_LINES
#include "compiled.h"

/* Each result has the dtype and axes of the argument at its place; sizes are compared at calls. */
bool donation_fits(const por_program *p, por_graph *g, const por_options *o)
{
	if (!o->donate) return true;
	if (o->donate < 0 || o->donate > (int)p->nin || o->donate > (int)p->nout || p->nout > FEW_ARRAYS)
		return graph_fail(g->ir, ERR_VALUE,
			"options: donate %d, of %u arguments and %u results (%d at most)", o->donate, p->nin,
			p->nout, FEW_ARRAYS);
	for (int i = 0; i < o->donate; i++)
		if (p->in[i].dtype != p->out[i].dtype || p->in[i].rank != p->out[i].rank)
			return graph_fail(g->ir, ERR_TYPE,
				"options: donate: result %d%s%s does not fit the memory of %s", i + 1,
				p->out[i].path[0] ? ", " : "", p->out[i].text, p->in[i].text);
	return true;
}

static bool meet(const Port *a, const por_array *x, const Port *b, const por_array *y)
{
	if (!x->data || !y->data || x->ndim != (int)a->rank || y->ndim != (int)b->rank) return false;
	if ((x->ndim && !x->shape) || (y->ndim && !y->shape)) return false; /* refused later */
	return arrays_meet((const Array *)x, por_dtype_bytes(a->dtype), (const Array *)y,
		por_dtype_bytes(b->dtype));
}

/* Donated memory is a result's: no other argument and no other result may lie on it. */
static int check_donated(const por_program *p, por_error *e, const por_array *in, const por_array *all)
{
	for (int i = 0; i < (int)p->donate; i++) {
		if (all[i].data != in[i].data) continue; /* the result has memory of its own */
		for (int k = 0; k < (int)p->nin; k++)
			if (k != i && meet(&p->in[i], &in[i], &p->in[k], &in[k]))
				return call_fail(e, POR_ERR_CALL, &p->in[k], k + 1,
					"arguments %d and %d lie on each other, and %d is donated", i + 1,
					k + 1, i + 1);
		for (int k = 0; k < (int)p->nout; k++)
			if (k >= (int)p->donate && meet(&p->in[i], &in[i], &p->out[k], &all[k]))
				return call_fail(e, POR_ERR_CALL, &p->out[k], 0,
					"result %d lies on argument %d, which is donated", k + 1, i + 1);
	}
	return POR_OK;
}

int call_donated(por_program *p, por_frame *f, int nin, const por_array *in, int nout, const por_array *out)
{
	por_array all[FEW_ARRAYS] = {0};
	bool numbers = nin == (int)p->nin && in && (!nout || (nout == (int)p->nout && out));
	if (!numbers) return call_plain(p, f, nin, in, nout, out);
	for (uint32_t i = 0; i < p->nout; i++) {
		if (nout) all[i] = out[i];
		if (i < p->donate && !all[i].data) all[i] = in[i];
	}
	por_error e = {0};
	if (!check_donated(p, &e, in, all)) return call_plain(p, f, nin, in, (int)p->nout, all);
	if (f)
		f->error = e;
	else
		compiled_set_error(p, &e);
	return e.code;
}
