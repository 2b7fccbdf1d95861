/* check_meanings.c - where the meanings of ops change sides: the inputs at which something that is compared
 * there, or of which the larger or smaller is taken, is a number that stands beside it.  A tie splits its
 * gradient, and one side may end before the other begins.
 */
#include "check.h"

enum { DEPTH = 6 /* ops in the meanings of ops */ };

static void add_threshold(Instance *in, const Node *x, double value)
{
	uint32_t k = 0;
	while (k < in->ninput && in->input[k] != x) k++;
	if (k == in->ninput || in->nthreshold == THRESHOLDS || !isfinite(value)) return;
	for (uint32_t i = 0; i < in->nthreshold; i++)
		if (in->threshold[i].input == k && in->threshold[i].value == value) return;
	in->threshold[in->nthreshold++] = (Threshold){k, value};
}

/* A number, the same everywhere. */
static bool is_number(const Node *x, double *value)
{
	while (is_seen_through((Op)x->op)) x = x->arg[0];
	return literal_value(x, value);
}

/* The inputs at which x has the value. */
static void solve(Instance *in, const Node *x, double value)
{
	double c;
	uint32_t n = own_args(x);
	if (n == 0 || !isfinite(value)) {
		add_threshold(in, x, value);
	} else if (is_seen_through((Op)x->op)) {
		solve(in, x->arg[0], value);
	} else if (n == 1) {
		solve(in, x->arg[0], operand_at((Op)x->op, value));
		if (x->op == OP_ABS) solve(in, x->arg[0], -value);
	} else if (n == 2 && x->op == OP_MUL && x->arg[0] == x->arg[1]) {
		for (int sign = -1; sign <= 1; sign += 2) solve(in, x->arg[0], sign * sqrt(value));
	} else if (n == 2) {
		for (uint32_t i = 0; i < 2; i++)
			if (is_number(x->arg[i], &c))
				solve(in, x->arg[1 - i], operand_beside((Op)x->op, value, c, i == 0));
	}
}

static bool changes_sides(const Node *x)
{
	DtypeRule of = op_info[x->op].dtype;
	return own_args(x) == 2 && (of == TEST || of == RTEST || x->op == OP_MAXIMUM || x->op == OP_MINIMUM);
}

static void thresholds_of(Instance *in, Node *root, bool listed, uint32_t depth)
{
	Graph *g = in->m.g;
	double c;
	Region *r = region_of(in->m.scratch, 1, &root);
	for (uint32_t i = 0; i < r->n && !g->error.code; i++) {
		Node *x = r->node[i];
		for (uint32_t k = 0; k < 2 && listed && changes_sides(x); k++)
			if (is_number(x->arg[k], &c)) solve(in, x->arg[1 - k], c);
		Node *meaning = library_name(x) && depth < DEPTH ? expand_op(g, x) : NULL;
		if (meaning && !g->error.code) thresholds_of(in, meaning, true, depth + 1);
	}
}

void collect_thresholds(Instance *in, Node *x, bool own)
{
	Error before = in->m.g->error;
	thresholds_of(in, x, own, 0);
	in->m.g->error = before;
}

bool names_ops(const Pattern *p)
{
	if (p->kind == P_LIBRARY) return true;
	for (uint32_t i = 0; i < p->n; i++)
		if (names_ops(p->arg[i])) return true;
	return false;
}
