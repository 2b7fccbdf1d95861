/* elab_draw.c - einsum with names for axes, and random draws of any type. */
#include "elab_builtin.h"

/* ---- einsum[(i, j), (j, k), (i, k)](a, b) ------------------------------------------------------- */

typedef struct AxisNames { /* of the axes of an operand or of the result, as numbers */
	uint32_t n;
	int64_t l[RANK_MAX];
} AxisNames;

static bool read_names(Use *u, const Syntax *s, const char **known, uint32_t *nknown, AxisNames *out)
{
	bool one = s->kind == SYN_NAME;
	out->n = one ? 1 : s->count;
	if ((!one && s->kind != SYN_TUPLE) || out->n > RANK_MAX)
		return fail_at_syntax(u->e, s, ERR_TYPE,
			"einsum: names of axes are wanted: einsum[(i, j), (j, k), (i, k)](a, b)");
	for (uint32_t i = 0; i < out->n; i++) {
		const Syntax *x = one ? s : s->part[i];
		if (x->kind != SYN_NAME)
			return fail_at_syntax(
				u->e, x, ERR_TYPE, "einsum: %s is no name of an axis", shown(u->e, x));
		uint32_t k = 0;
		while (k < *nknown && known[k] != x->name) k++;
		if (k == *nknown) known[(*nknown)++] = x->name;
		out->l[i] = k;
	}
	return true;
}

/* The names of the product of x and y that one of the n behind needs. */
static bool names_needed(
	Use *u, const AxisNames *x, const AxisNames *y, uint32_t n, const AxisNames *behind, AxisNames *out)
{
	AxisNames kept = {0};
	for (uint32_t a = 0; a < x->n + y->n; a++) {
		int64_t label = a < x->n ? x->l[a] : y->l[a - x->n];
		bool needed = false;
		for (uint32_t j = 0; j < n; j++) needed |= list_has(behind[j].n, behind[j].l, label);
		if (!needed || list_has(kept.n, kept.l, label)) continue;
		if (kept.n == RANK_MAX)
			return fail_at_syntax(
				u->e, u->at, ERR_TYPE, "einsum: a product of more than %d axes", RANK_MAX);
		kept.l[kept.n++] = label;
	}
	*out = kept;
	return true;
}

/* Several operands are taken from the left, two at a time. */
Binding *einsum(Use *u)
{
	const Syntax *s = u->f->brackets;
	Graph *g = u->e->g;
	if (u->n < 1 || !wants(u, u->n) || !s || s->count != u->n + 2)
		return fail_at_syntax(u->e, u->at, ERR_TYPE,
			"einsum: names for the axes of each operand and of the result are wanted: "
			"einsum[(i, j), (j, k), (i, k)](a, b)");
	const char **known = NEW_ARRAY(g->arena, const char *, (u->n + 1) * RANK_MAX);
	AxisNames *names = NEW_ARRAY(g->arena, AxisNames, u->n + 1);
	uint32_t nknown = 0, last = u->n - 1;
	for (uint32_t i = 0; i < u->n + 1; i++) {
		if (!known || !names || !read_names(u, s->part[1 + i], known, &nknown, &names[i]))
			return NULL;
		Node *x = i < u->n ? array_of(u, i) : NULL;
		if (i < u->n && (!x || node_rank(x) != names[i].n))
			return x ? fail_at_syntax(u->e, u->at, ERR_TYPE, "einsum: %u names for %s",
					   names[i].n, shown_type(u->e, u->arg[i]))
				 : NULL;
	}
	for (uint32_t i = 0; i < names[u->n].n; i++) {
		bool stood = false;
		for (uint32_t j = 0; j < u->n; j++)
			stood |= list_has(names[j].n, names[j].l, names[u->n].l[i]);
		if (!stood)
			return fail_at_syntax(u->e, s->part[1 + u->n], ERR_TYPE,
				"einsum: %s, of the result, names no axis of an operand",
				known[names[u->n].l[i]]);
	}
	at(u->e, u->at);
	Node *x = u->arg[0]->node;
	if (u->n == 1) { /* by a number without axes */
		Node *one = constant_int(g, type_scalar(g, node_dtype(x)), 1);
		x = contract(g, (Labelled){x, names->l}, (Labelled){one, NULL}, names[1].n, names[1].l);
		return bind_node(g, x);
	}
	for (uint32_t i = 1; x && i < u->n; i++) {
		AxisNames result = names[u->n];
		if (i < last && !names_needed(u, names, &names[i], u->n - i, &names[i + 1], &result))
			return NULL;
		x = contract(g, (Labelled){x, names->l}, (Labelled){u->arg[i]->node, names[i].l}, result.n,
			result.l);
		*names = result;
	}
	return bind_node(g, x);
}

/* ---- random --------------------------------------------------------------------------------------- */

typedef struct Draws {
	Op op;
	Node *key;
	int64_t next, count;
	const Syntax *at;
} Draws;

static Node *draw(Elab *e, void *user, const char *path, const Type *t)
{
	Draws *d = user;
	AttrValue v[RANK_MAX + 1];
	(void)path;
	v[0] = av_dtype((Dtype)t->dtype);
	for (uint32_t i = 0; i < t->n; i++) v[1 + i] = av_size(DIM(t, i));
	Node *k = d->count == 1 ? d->key : build2(e->g, OP_KEY_AT, d->key, weak_int(e->g, d->next++));
	return k ? node_make(e->g, d->op, attr_make(e->g, 1 + t->n, v), 1, &k) : NULL;
}

static Node *no_draw(Elab *e, void *user, const char *path, const Type *t)
{
	(void)user;
	(void)path;
	return fresh(e->g, t, NULL);
}

/* of keys and shapes: the result is as they are */
static Binding *keyed(Use *u, Op op)
{
	if (u->f->brackets)
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: %s takes nothing in brackets",
			shown(u->e, u->at), u->f->name);
	if (!wants(u, 2) || !array_of(u, 0) || !array_of(u, 1)) return NULL;
	at(u->e, u->at);
	return bind_node(u->e->g, build2(u->e->g, op, u->arg[0]->node, u->arg[1]->node));
}

Binding *random_draw(Use *u, Op op)
{
	const Syntax *s = u->f->brackets;
	Graph *g = u->e->g;
	if (op_info[op].args == 2) return keyed(u, op);
	Node *key = wants(u, 1) ? array_of(u, 0) : NULL;
	if (!key) return NULL;
	Binding *t = s && s->count == 2 ? elab(u->e, u->f->brackets_env, s->part[1]) : NULL;
	if (s && (!t || t->kind != B_TYPE))
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: a type stands in brackets: %s[f64[n]](k)",
			u->f->name, u->f->name);
	TypeTerm scalar = {.kind = TT_ARRAY, .dtype = DT_F64};
	at(u->e, u->at);
	/* leaf j uses key k[j], leaves by the code points of their names */
	Draws d = {op, key, 0, 1, u->at};
	TypeTerm *term = t ? t->type : &scalar;
	if (term->kind == TT_ARRAY) return term_leaves(u->e, u->at, term, "", draw, &d);
	Binding *shape = term_leaves(u->e, u->at, term, "", no_draw, NULL);
	if (!shape) return NULL;
	uint32_t n = binding_leaves(shape, NULL);
	Node **leaf = NEW_ARRAY(g->arena, Node *, n);
	binding_leaves(shape, leaf);
	d.count = 2;
	for (uint32_t i = 0; i < n; i++)
		if (!(leaf[i] = draw(u->e, &d, "", leaf[i]->type))) return NULL;
	return binding_refill(g, shape, leaf);
}
