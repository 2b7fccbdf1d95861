/* strides.c - what a loop walks along another axis than the first lies where it is.
 *
 * Elements of a sequence lie along its first axis, so `x in X.T` asks for a transposed copy of X before the
 * loop.  Where kernels alone read the elements, each pass reads them from X itself instead, through strides:
 * always where the last axis of X stays the last, so that rows are in one piece; else where a pass reads an
 * element once.  Reading numbers that lie far apart twice takes longer than a copy (docs/performance.md).
 * needs: a SCAN that is lowered; gives: the same results
 */
#include "../ir/pass.h"
#include "rules.h"

/* Who reads an element in a pass, whatever views of it they take. */
typedef struct Readers {
	uint32_t n;
	bool kernels; /* maps and folds alone */
	bool maps;    /* what hangs on it is maps alone: one kernel has all of them */
} Readers;

static bool is_among(const LoopPass *p, const bool *set, const Node *x)
{
	uint32_t place = region_place(p->r, x);
	return place != UINT32_MAX && set[place];
}

static Readers readers_of(Arena *a, const LoopPass *p, const Node *element)
{
	bool *view = NEW_ARRAY(a, bool, p->r->n + 1), *hangs = NEW_ARRAY(a, bool, p->r->n + 1);
	Readers w = {.kernels = true, .maps = true};
	for (uint32_t i = 0; i < p->r->n; i++) {
		const Node *x = p->r->node[i];
		Class class = op_info[x->op].class;
		bool reads = false;
		view[i] = hangs[i] = x == element;
		for (uint32_t k = 0; k < x->narg; k++) {
			reads |= is_among(p, view, x->arg[k]);
			hangs[i] |= is_among(p, hangs, x->arg[k]);
		}
		view[i] |= reads && class == VIEW;
		w.n += reads && class != VIEW;
		w.kernels &= !reads || class == VIEW || class == MAP || class == FOLD;
		w.maps &= !hangs[i] || x == element || class == VIEW || class == MAP;
	}
	return w;
}

static bool stays(Arena *a, const LoopPass *p, const Node *sequence, const Node *element)
{
	if (sequence->op != OP_TRANSPOSE) return false;
	Readers w = readers_of(a, p, element);
	bool whole_rows = attr_int(sequence, 0) != node_rank(sequence) - 1;
	return w.kernels && (whole_rows || w.maps || w.n == 1);
}

/* The element of a transposed array: of the array along the axis that came first, its axes then turned. */
static Node *element_within(Graph *g, const Node *sequence, Node *index)
{
	int64_t first = attr_int(sequence, 0), turn[RANK_MAX];
	for (uint32_t i = 1; i < node_rank(sequence); i++)
		turn[i - 1] = attr_int(sequence, i) - (attr_int(sequence, i) > first);
	return transpose(g, gather(g, sequence->arg[0], index, first), turn);
}

/* Leaves of the sequences that are read where they lie get their elements; the others and theirs move up.
 * Gives how many are left. */
static uint32_t find_elements(
	Graph *g, Arena *a, const LoopPass *p, IdMap *element, Node **leaf, Node **sequence)
{
	uint32_t left = 0;
	for (uint32_t i = 0; i < p->sequences; i++) {
		bool there = stays(a, p, sequence[i], leaf[i]);
		Node *x = there ? element_within(g, sequence[i], p->o.param[0]) : NULL;
		if (x)
			idmap_put(element, leaf[i]->id, x);
		else {
			leaf[left] = leaf[i];
			sequence[left++] = sequence[i];
		}
	}
	return left;
}

static bool walks_turned(const Node *x)
{
	for (uint32_t i = 0; i < scan_sequences(x); i++)
		if (x->arg[1 + scan_carries(x) + i]->op == OP_TRANSPOSE) return true;
	return false;
}

Node *with_strides(Graph *g, Arena *a, Node *x)
{
	LoopPass p;
	IdMap element;
	Closure c;
	if (!walks_turned(x) || !passes_are_elements(g, x)) return x;
	if (!pass_open(g, a, x, &p)) return NULL;
	uint32_t own = 1 + p.carries, n = p.sequences;
	Node **param = NEW_ARRAY(a, Node *, own + n), **sequence = NEW_ARRAY(a, Node *, n),
	     **result = NEW_ARRAY(a, Node *, p.o.nresult);
	memcpy(param, p.o.param, (own + n) * sizeof *param);
	memcpy(sequence, x->arg + own, n * sizeof *sequence);
	idmap_open(&element, a);
	n = find_elements(g, a, &p, &element, param + own, sequence);
	if (g->error.code) return NULL;
	if (n == p.sequences) return x;
	rebuild(g, (Nodes){p.o.nresult, p.o.result}, &element, NULL, NULL, result);
	if (g->error.code || !body_close(g, scan_body(x)->name, (Nodes){own + n, param},
		    (Nodes){p.o.nresult, result}, (Around){x->arg[0], captured(x)}, &c))
		return NULL;
	return scan(g, &c, x->arg[0], (Nodes){p.carries, x->arg + 1}, (Nodes){n, sequence}, scan_way(x));
}
