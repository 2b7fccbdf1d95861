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

int call_donated(por_program *p, por_frame *f, int nin, const por_array *in, int nout, const por_array *out)
{
	por_array all[FEW_ARRAYS] = {0};
	bool numbers = nin == (int)p->nin && in && (!nout || (nout == (int)p->nout && out));
	if (!numbers) return call_plain(p, f, nin, in, nout, out);
	for (uint32_t i = 0; i < p->nout; i++) {
		if (nout) all[i] = out[i];
		if (i < p->donate && !all[i].data) all[i] = in[i];
	}
	return call_plain(p, f, nin, in, (int)p->nout, all);
}
