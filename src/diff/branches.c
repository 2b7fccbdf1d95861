/* branches.c - derivatives of branches: each side's own, by the same condition.
 *
 * Nothing of the side that is not taken is differentiated when it runs: the tangents, and the cotangents, are
 * branches too, whose sides compute again what they need of the values within.  Where the first branch is
 * still asked for, and gives the others nothing, merge_branches.c makes one of them.
 */
#include "linear.h"

static Nodes with_more(Arena *a, Nodes o, uint32_t n, Node *const *more)
{
	Node **all = NEW_ARRAY(a, Node *, o.n + n);
	uint32_t k = 0;
	if (o.n) memcpy(all, o.v, o.n * sizeof *all);
	for (uint32_t i = 0; i < n; i++)
		if (more[i]) all[o.n + k++] = more[i];
	return (Nodes){o.n + k, all};
}

/* Zero where a side has none. */
static Node *or_zero(Graph *g, Node *x, const Type *t)
{
	return x ? x : constant_int(g, t, 0);
}

bool forward_if(Forward *f, Node *x, Tangent *t)
{
	Graph *g = f->g;
	Arena *a = f->scratch;
	Body b[BODIES_MAX];
	Opened o[BODIES_MAX];
	uint32_t sides = node_bodies(x, b), n = 0, k = 0;
	for (uint32_t s = 0; s < sides; s++) {
		o[s] = body_open(g, a, x, &b[s]);
		if (g->error.code || !forward_run(f, o[s].nresult, o[s].result)) return false;
	}
	Node **yes = NEW_ARRAY(a, Node *, x->type->n), **no = NEW_ARRAY(a, Node *, x->type->n),
	     **known = NEW_ARRAY(a, Node *, x->narg);
	for (uint32_t i = 0; i < x->type->n; i++) {
		Node *dy = forward_of(f, o[0].result[i]), *dn = forward_of(f, o[1].result[i]);
		if (!dy && !dn) continue;
		yes[n] = or_zero(g, dy, o[0].result[i]->type);
		no[n++] = or_zero(g, dn, o[1].result[i]->type);
	}
	if (!n) return true;
	for (uint32_t i = 1; i < node_operands(x); i++) known[i] = forward_of(f, x->arg[i]);
	Node *d = branch(g, x->arg[0], n, yes, no, with_more(a, captured(x), node_operands(x), known));
	for (uint32_t i = 0; d && i < x->type->n; i++)
		if (forward_of(f, o[0].result[i]) || forward_of(f, o[1].result[i]))
			t->elem[i] = get(g, d, k++);
	return d != NULL;
}

/* Cotangents of the linear operands by one side, for those of the branch's results. */
static Cotangent *reverse_side(Graph *g, Arena *a, Node *x, const Body *b, const TurnRound *t)
{
	Function *f = b->f;
	Node **param = NEW_ARRAY(a, Node *, f->nparam), **result = NEW_ARRAY(a, Node *, f->nresult),
	     **leaf = NEW_ARRAY(a, Node *, f->nparam);
	Cotangent *back = NEW_ARRAY(a, Cotangent, f->nparam);
	bool *factor = NEW_ARRAY(a, bool, f->nparam);
	uint32_t n = 0;
	for (uint32_t i = 0; i < f->nparam; i++) {
		Node *given = x->arg[b->first + i];
		param[i] = given;
		if (!t->linear[b->first + i]) continue;
		factor[n] = t->factor[b->first + i];
		param[i] = leaf[n++] = fresh(g, given->type, leaf_name(given));
	}
	function_inline(g, f, body_sizes(a, x, b), param, result);
	if (g->error.code) return NULL;
	return transpose_body(g, (Nodes){f->nresult, result}, t->cotangent, (Nodes){n, leaf}, factor, back)
		? back
		: NULL;
}

/* What both sides give: cotangents, and for operands of which a side says where it asks for them, whether. */
typedef struct Turned {
	Node **of[BODIES_MAX];
	uint32_t n;
} Turned;

static void give(Turned *t, Node *yes, Node *no)
{
	t->of[0][t->n] = yes;
	t->of[1][t->n++] = no;
}

/* Does the side ask for it? */
static Node *side_asks(Graph *g, Cotangent c)
{
	return c.asked ? c.asked : constant_int(g, type_scalar(g, DT_BOOL), c.value != NULL);
}

static bool needs_result(const Cotangent *yes, const Cotangent *no)
{
	return yes->asked || no->asked;
}

/* Where a side asks for an operand at all and the other does not, the condition says so. */
static Node *asked_by_condition(Graph *g, Node *condition, const Cotangent *yes, const Cotangent *no)
{
	if (!yes->value == !no->value) return NULL;
	return yes->value ? condition : build1(g, OP_NOT, condition);
}

static bool reverse_in(Graph *g, Arena *a, Node *x, const TurnRound *turn, Cotangent *out)
{
	Body b[BODIES_MAX];
	Cotangent *back[BODIES_MAX];
	uint32_t sides = node_bodies(x, b), n = 0, nparam = b[0].f->nparam;
	Turned t = {.n = 0};
	for (uint32_t s = 0; s < 2; s++) { /* a side that is none asks for nothing */
		back[s] = s < sides ? reverse_side(g, a, x, &b[s], turn) : NEW_ARRAY(a, Cotangent, nparam);
		if (!back[s]) return false;
		t.of[s] = NEW_ARRAY(a, Node *, 2 * nparam);
	}
	for (uint32_t i = 1; i <= nparam; i++)
		if (turn->linear[i]) {
			const Type *type = x->arg[i]->type;
			give(&t, or_zero(g, back[0][n].value, type), or_zero(g, back[1][n].value, type));
			n++;
		}
	if (!n) return true;
	for (uint32_t k = 0; k < n; k++)
		if (needs_result(&back[0][k], &back[1][k]))
			give(&t, side_asks(g, back[0][k]), side_asks(g, back[1][k]));
	Node *turned = branch(g, x->arg[0], t.n, t.of[0], t.of[1],
		with_more(a, captured(x), x->type->n, turn->cotangent));
	if (!turned) return false;
	uint32_t k = 0, more = n;
	for (uint32_t i = 1; i <= nparam; i++) {
		if (!turn->linear[i]) continue;
		const Cotangent *yes = &back[0][k], *no = &back[1][k];
		out[i].value = get(g, turned, k++);
		if (needs_result(yes, no))
			out[i].asked = get(g, turned, more++);
		else if (turn->factor[i])
			out[i].asked = asked_by_condition(g, x->arg[0], yes, no);
	}
	return !g->error.code;
}

bool reverse_if(Graph *g, Node *x, const TurnRound *turn, Cotangent *out)
{
	Arena *a = arena_child(g->arena);
	bool good = reverse_in(g, a, x, turn, out);
	arena_free(a);
	return good;
}
