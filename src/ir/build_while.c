/* build_while.c - a loop that a condition ends: it carries whether it goes on, and how many passes it made.
 *
 * The condition is asked of the first values before the first pass, and in each pass of the next values, so
 * that a pass knows before it begins whether it is made.  So do its effects happen: before the first pass,
 * and at the end of each.
 */
#include "ir.h"

/* The condition before the pass with this index, of these carried values. */
static bool condition_at(
	Graph *g, const LoopParts *p, const LoopTest *of, Node *const *carried, Node *index, LoopTest *out)
{
	Arena *a = arena_child(g->arena);
	Node *x[] = {of->holds, of->after};
	const Nodes asked = {of->after ? 2 : 1, x};
	Region *r = region_of(a, asked.n, asked.v);
	IdMap map;
	idmap_open(&map, a);
	if (index) idmap_put(&map, p->param[0]->id, index);
	for (uint32_t i = 1; i < p->nparam && index; i++) {
		Node *leaf = p->param[i], *to;
		if (region_place(r, leaf) == UINT32_MAX) continue;
		if (i <= p->ncarry && leaf->type->kind != TYPE_ARRAY)
			to = carried[i - 1];
		else if (i <= p->ncarry)
			to = cast(g, carried[i - 1], node_dtype(leaf));
		else
			to = gather(g, p->seq[i - 1 - p->ncarry], index, 0);
		if (to) idmap_put(&map, leaf->id, to);
	}
	if (!g->error.code) rebuild(g, asked, &map, NULL, NULL, x);
	arena_free(a);
	*out = (LoopTest){x[0], x[1], of->carried};
	return !g->error.code;
}

typedef struct WhileLoop {
	const LoopParts *parts;
	Node *steps; /* NULL: any number */
	const LoopTest *condition;
} WhileLoop;

static bool has_first_pass(Graph *g, Node *steps)
{
	const Size *n = size_of_node(g, cast(g, steps, DT_I64));
	return n && size_holds(g, size_const(g, 1), n, false);
}

static Nodes needed_for(Arena *a, uint32_t n, Node *const *x)
{
	Region *r = region_of(a, n, x);
	return (Nodes){r->n, r->node};
}

/* Is there a pass with this index, and does the condition hold before it?  Of a pass that there is not, the
 * condition is not asked.  It captures what is computed around it anyway: it would else hold the body once
 * more, and that of a loop in a loop twice more. */
static bool goes_on(Graph *g, Node *steps, Node *index, LoopTest *c, Node *const *carried, Nodes around)
{
	Node *yes[] = {c->holds, c->after},
	     *no[] = {constant_int(g, type_scalar(g, DT_BOOL), 0), c->after ? carried[c->carried] : NULL};
	Node *is_pass = build2(g, OP_LT, index, steps), *x = NULL;
	if (is_pass) x = branch(g, is_pass, c->after ? 2 : 1, yes, no, around);
	if (!x) return false;
	c->holds = get(g, x, 0);
	if (c->after) c->after = get(g, x, 1);
	return !g->error.code;
}

/* Before the first pass.  Where there is one for certain the condition is asked whatever comes. */
static bool begins(Graph *g, const WhileLoop *of, Node *index, LoopTest *out)
{
	const LoopParts *p = of->parts;
	if (!condition_at(g, p, of->condition, p->first, index, out)) return false;
	if (!of->steps || has_first_pass(g, of->steps)) return true;
	Arena *a = arena_child(g->arena);
	bool good = goes_on(g, of->steps, index, out, p->first, needed_for(a, p->ncarry, p->first));
	arena_free(a);
	return good;
}

/* After a pass: `first` is what the condition was before the first one. */
static bool continues(Graph *g, const WhileLoop *of, Node *first, Node *index, LoopTest *out)
{
	const LoopParts *p = of->parts;
	if (!condition_at(g, p, of->condition, p->result, index, out)) return false;
	if (!of->steps) return true;
	Arena *a = arena_child(g->arena);
	Node **known = NEW_ARRAY(a, Node *, 2*p->ncarry + 1);
	memcpy(known, p->result, p->ncarry * sizeof *known);
	memcpy(known + p->ncarry, p->first, p->ncarry * sizeof *known);
	known[2*p->ncarry] = first;
	bool good = goes_on(g, of->steps, index, out, p->result, needed_for(a, 2*p->ncarry + 1, known));
	arena_free(a);
	return good;
}

Node *while_of_flag(Graph *g, const LoopParts *p, Node *steps)
{
	Closure c;
	if (!steps) steps = constant_int(g, type_scalar(g, DT_I64), LARGEST);
	Arena *a = arena_child(g->arena);
	bool closed = body_close(g, NULL, (Nodes){p->nparam, p->param}, (Nodes){p->ncarry, p->result},
		(Around){.outside = needed_for(a, p->ncarry, p->first)}, &c);
	arena_free(a);
	if (!closed) return NULL;
	return scan(g, &c, steps, (Nodes){p->ncarry, p->first}, (Nodes){p->nseq, p->seq}, WAY_WHILE);
}

Node *while_loop(Graph *g, const LoopParts *p, Node *steps, const LoopTest *condition)
{
	LoopTest before, behind;
	uint32_t ncarry = p->ncarry + 2;
	const Type *number = type_scalar(g, DT_I64);
	Node **param = NEW_ARRAY(g->arena, Node *, p->nparam + 2),
	     **first = NEW_ARRAY(g->arena, Node *, ncarry),
	     **result = NEW_ARRAY(g->arena, Node *, ncarry);
	Node *begin = constant_int(g, p->param[0]->type, 0),
	     *next = build2(g, OP_ADD, p->param[0], constant_int(g, p->param[0]->type, 1));
	param[0] = p->param[0];
	param[1] = fresh(g, type_scalar(g, DT_BOOL), "goes");
	param[2] = fresh(g, number, "passes");
	memcpy(param + 3, p->param + 1, (p->nparam - 1) * sizeof *param);
	g->bodies++;
	const WhileLoop of = {p, steps, condition};
	bool good = next && begins(g, &of, begin, &before) && continues(g, &of, before.holds, next, &behind);
	g->bodies--;
	if (!good) return NULL;
	first[0] = before.holds;
	result[0] = behind.holds;
	first[1] = constant_int(g, number, 0);
	result[1] = cast(g, next, DT_I64);
	memcpy(first + 2, p->first, p->ncarry * sizeof *first);
	memcpy(result + 2, p->result, p->ncarry * sizeof *result);
	if (condition->after) {
		first[2 + condition->carried] = before.after;
		result[2 + condition->carried] = behind.after;
	}
	if (g->error.code) return NULL;
	LoopParts parts = {p->nparam + 2, param, ncarry, result, ncarry, first, p->nseq, p->seq};
	return while_of_flag(g, &parts, steps);
}

/* The parts without tokens and effects. */
static bool pure_parts(Graph *g, const LoopParts *p, LoopParts *out)
{
	*out = *p;
	out->param = NEW_ARRAY(g->arena, Node *, p->nparam);
	out->result = NEW_ARRAY(g->arena, Node *, p->nresult);
	out->first = NEW_ARRAY(g->arena, Node *, p->ncarry);
	out->nparam = out->nresult = out->ncarry = 0;
	for (uint32_t i = 0; i < p->nparam; i++)
		if (!is_token(p->param[i])) out->param[out->nparam++] = p->param[i];
	for (uint32_t i = 0; i < p->nresult; i++)
		if (!is_token(p->result[i])) out->result[out->nresult++] = p->result[i];
	for (uint32_t i = 0; i < p->ncarry; i++)
		if (!is_token(p->first[i])) out->first[out->ncarry++] = p->first[i];
	return without_effects_over(
		g, (Nodes){p->nparam, p->param}, (Nodes){out->nresult, out->result}, out->result);
}

bool loop_of_passes(Graph *g, const LoopParts *p, Node *whiles, LoopParts *counted, Node **steps)
{
	if (!pure_parts(g, p, counted)) return false;
	*steps = get(g, whiles, 1);
	counted->seq = NEW_ARRAY(g->arena, Node *, p->nseq + 1);
	for (uint32_t i = 0; i < p->nseq && *steps; i++)
		counted->seq[i] = rows(g, p->seq[i], size_const(g, 0), size_of_node(g, *steps));
	return !g->error.code;
}
