/* checkpoint.c - calls that stay: what is inside is computed there, and again where a derivative needs it.
 *
 * Nodes that are equal are one, so that a derivative, which is made of the values on the way, keeps them.
 * Those in a function of its own are not these: the derivatives of such a call are calls of functions that
 * compute its values again from its operands (diff/calls.c).  Where the call is a checkpoint, that is so when
 * it runs; where the function is but kept for being one, it is taken apart when all is lowered, equal nodes
 * are one again, and what was to be computed twice is computed once.
 */
#include "ir.h"

bool is_checkpoint(const Node *x)
{
	return x->op == OP_CALL && call_function(x)->flags & FN_CHECKPOINT;
}

bool call_is_kept(const Node *x)
{
	return x->op == OP_CALL && call_function(x)->flags & (FN_CHECKPOINT | FN_KEPT);
}

bool is_given_inside(const Node *x, unsigned flags)
{
	if (x->op != OP_CONST || !constant_is_uniform(x)) return x->op == OP_SIZE;
	if (x->narg) return false; /* as many as data say, which the function cannot tell */
	return !(flags & FN_KEPT) || dtype_is_weak(node_dtype(x)) || !dtype_is_float(node_dtype(x));
}

/* The leaves that the results ask for; constants stand in place of theirs. */
typedef struct AskedLeaves {
	Node **leaf, **given, **result;
	uint32_t n, *place; /* among all leaves */
	unsigned flags;     /* of the function, before it is asked */
} AskedLeaves;

static bool ask_leaves(Graph *g, Arena *a, Nodes leaf, Node *const *given, Nodes results, AskedLeaves *out)
{
	IdMap map;
	idmap_open(&map, a);
	*out = (AskedLeaves){.flags = out->flags,
		.leaf = NEW_ARRAY(a, Node *, leaf.n + 1),
		.given = NEW_ARRAY(a, Node *, leaf.n + 1),
		.place = NEW_ARRAY(a, uint32_t, leaf.n + 1),
		.result = NEW_ARRAY(a, Node *, results.n + 1)};
	for (uint32_t i = 0; i < leaf.n; i++) {
		bool inside = given[i] && is_given_inside(given[i], out->flags);
		if (inside) idmap_put(&map, leaf.v[i]->id, given[i]);
	}
	rebuild(g, results, &map, NULL, NULL, out->result);
	if (g->error.code) return false;
	Region *r = region_of(a, results.n, out->result);
	for (uint32_t i = 0; i < leaf.n; i++) {
		if (region_place(r, leaf.v[i]) == UINT32_MAX) continue;
		out->place[out->n] = i;
		out->leaf[out->n] = leaf.v[i];
		out->given[out->n++] = given[i];
	}
	return true;
}

bool kept_form(Graph *g, Title title, Nodes leaf, Node *const *given, Nodes results, KeptForm *out)
{
	AskedLeaves k = {.flags = title.flags};
	*out = (KeptForm){.nresult = results.n};
	for (uint32_t i = 0; i < results.n; i++)
		if (!results.v[i]) return false;
	if (g->error.code || !results.n) return !g->error.code;
	Arena *a = arena_child(g->arena);
	if (ask_leaves(g, a, leaf, given, results, &k) &&
		function_close(
			g, title, (Nodes){k.n, k.leaf}, (Nodes){results.n, k.result}, &out->closure)) {
		out->n = k.n;
		out->place = NEW_ARRAY(g->arena, uint32_t, k.n + 1);
		memcpy(out->place, k.place, k.n * sizeof *k.place);
	}
	arena_free(a);
	return !g->error.code;
}

bool kept_apply(Graph *g, const KeptForm *k, Node *const *given, Node **out)
{
	const Closure *c = &k->closure;
	if (!k->nresult) return true;
	Node **args = NEW_ARRAY(g->arena, Node *, k->n + c->ncapture + 1);
	for (uint32_t i = 0; i < k->n; i++)
		if (!(args[i] = strong_operand(g, given[k->place[i]]))) return false;
	for (uint32_t i = 0; i < c->ncapture; i++) args[k->n + i] = strong_operand(g, c->capture[i]);
	Node *x = g->error.code ? NULL : call_with(g, c->function, c->size, k->n + c->ncapture, args);
	for (uint32_t i = 0; i < k->nresult && x; i++) out[i] = k->nresult == 1 ? x : get(g, x, i);
	return x && !g->error.code;
}

bool kept_call(Graph *g, Title title, Nodes leaf, Node *const *given, Nodes results, Node **out)
{
	KeptForm k;
	return kept_form(g, title, leaf, given, results, &k) && kept_apply(g, &k, given, out);
}

/* ---- as loops --------------------------------------------------------------------------------- */

/* A trace has an axis more; where there is no room for it, the result is one row. */
static Node *row_of(Graph *g, Node *x)
{
	const Size *n = type_elements(g, x->type);
	return node_rank(x) == RANK_MAX ? reshape(g, x, 1, &n) : x;
}

/* The loop's parameters: its index, the token, what it captures. */
typedef struct Pass {
	Node **param, **result, **capture, **first;
	uint32_t ncapture, ncarry, ntrace;
} Pass;

static bool open_pass(Graph *g, Arena *a, Node *x, Pass *p)
{
	Body b[BODIES_MAX];
	node_bodies(x, b);
	Function *f = b->f;
	Node **leaf = NEW_ARRAY(a, Node *, f->nparam + 1), **result = NEW_ARRAY(a, Node *, f->nresult);
	*p = (Pass){.param = NEW_ARRAY(a, Node *, f->nparam + 2),
		.result = NEW_ARRAY(a, Node *, f->nresult),
		.capture = NEW_ARRAY(a, Node *, f->nparam + 1),
		.first = NEW_ARRAY(a, Node *, 1)};
	p->param[0] = fresh(g, type_scalar(g, DT_I64), NULL);
	Node *first = token(g), *within = fresh(g, type_token(g), NULL);
	for (uint32_t i = 0; i < f->nparam; i++) {
		bool orders = is_token(x->arg[i]);
		leaf[i] = orders ? within : fresh(g, x->arg[i]->type, f->param_name[i]);
		if (!leaf[i]) return false;
		if (orders)
			first = x->arg[i];
		else
			p->ncapture++;
	}
	function_inline(g, f, body_sizes(a, x, b), leaf, result);
	if (g->error.code) return false;
	for (uint32_t i = 0; i < f->nresult; i++)
		if (is_token(result[i])) p->result[p->ncarry++] = result[i];
	if (p->ncarry) p->param[1] = within;
	p->first[0] = first;
	for (uint32_t i = 0; i < f->nresult; i++)
		if (!is_token(result[i])) p->result[p->ncarry + p->ntrace++] = row_of(g, result[i]);
	for (uint32_t i = 0, k = 0; i < f->nparam; i++)
		if (!is_token(x->arg[i])) {
			p->param[1 + p->ncarry + k] = leaf[i];
			p->capture[k++] = x->arg[i];
		}
	return !g->error.code;
}

static Node *as_loop(Graph *g, Arena *a, Node *x)
{
	Pass p;
	Closure c;
	const Type *const *type = x->type->kind == TYPE_TUPLE ? x->type->u.elem : &x->type;
	uint32_t n = call_function(x)->nresult, k = 0;
	if (!open_pass(g, a, x, &p) ||
		!function_close(g, (Title){call_function(x)->name, .flags = FN_BODY},
			(Nodes){1 + p.ncarry + p.ncapture, p.param},
			(Nodes){p.ncarry + p.ntrace, p.result}, &c))
		return NULL;
	/* sizes that it is given may be values outside, which the closed function captures */
	Node **capture = NEW_ARRAY(g->arena, Node *, p.ncapture + c.ncapture + 1);
	memcpy(capture, p.capture, p.ncapture * sizeof *capture);
	if (c.ncapture) memcpy(capture + p.ncapture, c.capture, c.ncapture * sizeof *capture);
	c.capture = capture;
	c.ncapture += p.ncapture;
	Node *loop = scan(g, &c, constant_int(g, type_scalar(g, DT_I64), 1), (Nodes){p.ncarry, p.first},
		(Nodes){0}, 0);
	Node **out = NEW_ARRAY(a, Node *, n);
	for (uint32_t i = 0; i < n && loop; i++) {
		const Type *t = type[i];
		if (t->kind == TYPE_TOKEN)
			out[i] = get(g, loop, 0);
		else
			out[i] = reshape(g, get(g, loop, p.ncarry + k++), t->n, t->u.dim);
	}
	if (!loop || g->error.code) return NULL;
	return n == 1 ? out[0] : tuple(g, n, out);
}

Function *checkpoints_as_loops(Graph *g, Function *f)
{
	return function_replace(g, f, (NodeKind){1u << CONTROL, is_checkpoint}, as_loop);
}
