/* merge.c - one loop where several walk the same way.
 *
 * A derivative needs the primal loop with more traces; interning shares
 * nothing across loops, so value and gradient would run it twice.
 * needs: nodes in any state; gives: the same values with as few loops
 */
#include "diff.h"

/* The parameters of a body that its captures take, by operand. */
static bool same_walk(const Node *a, const Node *b)
{
	Function *f = scan_body(a), *h = scan_body(b);
	uint32_t carries = scan_carries(a), bound = 1 + carries + scan_sequences(a);
	if (carries != scan_carries(b) || scan_sequences(a) != scan_sequences(b) || scan_is_back(a) != scan_is_back(b)
	    || a->narg < bound || b->narg < bound || memcmp(a->arg, b->arg, bound * sizeof *a->arg))
		return false;
	if (a->narg != b->narg || memcmp(a->arg, b->arg, a->narg * sizeof *a->arg) || f->nparam != h->nparam
	    || f->nsize != h->nsize || memcmp(f->param, h->param, f->nparam * sizeof *f->param))
		return false;
	for (uint32_t i = 4; i < a->attr->n; i++)
		if (a->attr->v[i].u.size != b->attr->v[i].u.size)
			return false;
	return !memcmp(f->result, h->result, carries * sizeof *f->result);
}

/* Which results of each loop are read. */
static void mark_read(const Region *r, unsigned char **read, Arena *a, uint32_t n, Node *const *roots)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (r->node[i]->op == OP_SCAN)
			read[i] = NEW_ARRAY(a, unsigned char, r->node[i]->type->n + 1);
	for (uint32_t i = 0; i < r->n; i++) {
		Node *x = r->node[i];
		for (uint32_t k = 0; k < x->narg; k++) {
			uint32_t p = region_place(r, x->arg[k]);
			if (!read[p])
				continue;
			if (x->op == OP_GET)
				read[p][attr_int(x, 0)] = 1;
			else
				memset(read[p], 1, x->arg[k]->type->n);
		}
	}
	for (uint32_t i = 0; i < n; i++)
		if (roots[i] && roots[i]->op == OP_SCAN)
			memset(read[region_place(r, roots[i])], 1, roots[i]->type->n);
}

/* A loop with the wanted results alone: traces listed, carried values that are read or feed what is. */
typedef struct Wanted { uint32_t n, cap; Node **trace; } Wanted;

static void want(Arena *a, Wanted *w, Node *trace)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->trace[i] == trace)
			return;
	GROW(a, w->trace, w->n, w->cap);
	w->trace[w->n++] = trace;
}

/* Carried values that something wanted hangs on. */
static void live_carries(Arena *a, Node *x, const Wanted *w, unsigned char *live)
{
	Function *f = scan_body(x);
	uint32_t carries = scan_carries(x);
	for (bool more = true; more;) {
		more = false;
		Node **root = NEW_ARRAY(a, Node *, carries + w->n);
		uint32_t n = 0;
		for (uint32_t i = 0; i < carries; i++)
			if (live[i])
				root[n++] = f->result[i];
		memcpy(root + n, w->trace, w->n * sizeof *root);
		Region *r = region_of(a, n + w->n, root);
		for (uint32_t i = 0; i < r->n; i++) {
			Node *p = r->node[i];
			if (p->op == OP_PARAM && attr_int(p, 0) >= 1 && attr_int(p, 0) <= carries && !live[attr_int(p, 0) - 1])
				live[attr_int(p, 0) - 1] = 1, more = true;
		}
	}
}

/* The loop over x's operands that gives the live carried values and these traces; results by old carry and trace. */
static Node *loop_with(Graph *g, Arena *a, Node *x, Node *const *args, const Wanted *w, const unsigned char *live)
{
	Function *f = scan_body(x);
	uint32_t carries = scan_carries(x), sequences = scan_sequences(x), bound = 1 + carries + sequences;
	Node **leaf = NEW_ARRAY(a, Node *, f->nparam), **param = NEW_ARRAY(a, Node *, f->nparam);
	Node **root = NEW_ARRAY(a, Node *, carries + w->n), **first = NEW_ARRAY(a, Node *, carries);
	const Size **size = NEW_ARRAY(a, const Size *, f->nsize);
	uint32_t nparam = 0, nroot = 0, nfirst = 0;
	for (uint32_t i = 0; i < f->nsize; i++)
		size[i] = x->attr->v[4 + i].u.size;
	/* open the body by inlining a shell of it whose results are all that is wanted */
	Function shell = *f;
	shell.region = NULL;
	for (uint32_t i = 0; i < carries; i++)
		if (live[i])
			root[nroot++] = f->result[i];
	memcpy(root + nroot, w->trace, w->n * sizeof *root);
	shell.nresult = nroot + w->n;
	shell.result = root;
	for (uint32_t i = 0; i < f->nparam; i++) {
		if (i >= bound) {
			leaf[i] = args[i];
			continue;
		}
		const Type *t = args[i]->type;
		if (i > carries)
			t = type_array(g, (Dtype)t->dtype, t->n - 1, &DIM(t, 1));
		leaf[i] = fresh(g, i ? t : type_scalar(g, DT_I64), f->param_name[i]);
		if (!i || i > carries || live[i - 1])
			param[nparam++] = leaf[i];
		if (i && i <= carries && live[i - 1])
			first[nfirst++] = args[i];
	}
	Node **result = NEW_ARRAY(a, Node *, shell.nresult);
	function_inline(g, &shell, size, leaf, result);
	Closure c;
	if (g->error.code || !function_close(g, f->name, FN_BODY, NULL, NULL, nparam, param, shell.nresult, result, &c))
		return NULL;
	return scan(g, &c, args[0], nfirst, first, sequences, args + 1 + carries, scan_is_back(x));
}

/* Where result j of loop s stands in the merged one: live carried values first, then the traces. */
static uint32_t place_in(const Node *s, int64_t j, const Wanted *w, const unsigned char *live)
{
	uint32_t carries = scan_carries(s), at = 0;
	for (uint32_t c = 0; c < carries && c < j; c++)
		at += live[c];
	for (uint32_t t = 0; j >= carries && t < w->n && w->trace[t] != scan_body(s)->result[j]; t++)
		at++;
	return at;
}

bool diff_merge(Graph *g, uint32_t n, Node **roots)
{
	if (g->error.code)
		return false;
	Arena *a = arena_child(g->arena);
	Region *r = region_of(a, n, roots);
	unsigned char **read = NEW_ARRAY(a, unsigned char *, r->n);
	mark_read(r, read, a, n, roots);
	IdMap map;
	idmap_open(&map, a);
	bool *done = NEW_ARRAY(a, bool, r->n), changed = false;
	for (uint32_t i = 0; i < r->n && !g->error.code; i++) {
		Node *x = r->node[i];
		if (x->op != OP_SCAN || done[i])
			continue;
		uint32_t carries = scan_carries(x), members = 0;
		Wanted w = { 0 };
		unsigned char *live = NEW_ARRAY(a, unsigned char, carries + 1);
		for (uint32_t k = i; k < r->n; k++) {
			Node *y = r->node[k];
			if (y->op != OP_SCAN || done[k] || (y != x && !same_walk(x, y)))
				continue;
			done[k] = true;
			members++;
			for (uint32_t j = 0; j < y->type->n; j++)
				if (read[k][j] && j < carries)
					live[j] = 1;
				else if (read[k][j])
					want(a, &w, scan_body(y)->result[j]);
		}
		live_carries(a, x, &w, live);
		bool dead = w.n + carries < x->type->n;
		for (uint32_t j = 0; j < carries; j++)
			dead |= !live[j];
		if (members == 1 && !dead && w.n + carries == x->type->n)
			continue;
		changed = true;
		/* the operands may themselves hold replaced loops */
		Node **args = NEW_ARRAY(a, Node *, x->narg);
		rebuild(g, x->narg, x->arg, &map, NULL, NULL, args);
		Node *merged = g->error.code ? NULL : loop_with(g, a, x, args, &w, live);
		if (!merged)
			break;
		for (uint32_t k = i; k < r->n; k++) {
			Node *y = r->node[k];
			if (y->op != OP_GET || y->arg[0]->op != OP_SCAN)
				continue;
			Node *s = y->arg[0];
			if (s != x && !same_walk(x, s))
				continue;
			idmap_put(&map, y->id, get(g, merged, place_in(s, attr_int(y, 0), &w, live)));
		}
	}
	if (changed && !g->error.code)
		rebuild(g, n, roots, &map, NULL, NULL, roots);
	arena_free(a);
	return !g->error.code;
}
