/* carry_signature.c - a signature that was elaborated in a graph of work, in the graph under it. */
#include "elaborator.h"

typedef struct Carrying {
	Carrier *carrier;
	Graph *to;
} Carrying;

static const char *carry_name(const Carrying *c, const char *name)
{
	return name ? names_get(&c->to->names, name, strlen(name)) : NULL;
}

static const char **carry_names(const Carrying *c, uint32_t n, const char *const *from)
{
	const char **to = from ? NEW_ARRAY(c->to->arena, const char *, n) : NULL;
	for (uint32_t i = 0; to && i < n; i++) to[i] = carry_name(c, from[i]);
	return to;
}

static Structure *carry_structure(const Carrying *c, const Structure *s)
{
	Structure *t = NEW(c->to->arena, Structure);
	*t = *s;
	if (s->type) t->type = carry_type(c->carrier, s->type);
	t->field = carry_names(c, s->n, s->field);
	if (s->n) t->elem = NEW_ARRAY(c->to->arena, Structure *, s->n);
	for (uint32_t i = 0; i < s->n; i++) t->elem[i] = carry_structure(c, s->elem[i]);
	return t;
}

/* Of a default, arrays are asked for alone: NULL of one that is or holds anything else. */
static Binding *carry_default(const Carrying *c, const Binding *b)
{
	if (b->kind != B_NODE && !is_structure(b)) return NULL;
	Binding *to = NEW(c->to->arena, Binding);
	*to = *b;
	if (b->kind == B_NODE) {
		carry_nodes(c->carrier, 1, &b->node, &to->node);
		return to;
	}
	to->elem = NEW_ARRAY(c->to->arena, Binding *, b->n);
	to->field = carry_names(c, b->n, b->field);
	if (b->order) {
		to->order = NEW_ARRAY(c->to->arena, uint32_t, b->n);
		memcpy(to->order, b->order, b->n * sizeof *to->order);
	}
	for (uint32_t i = 0; i < b->n; i++)
		if (!(to->elem[i] = carry_default(c, b->elem[i]))) return NULL;
	return to;
}

Signature *carry_signature(Carrier *carrier, Graph *to, const Signature *s)
{
	Carrying c = {carrier, to};
	Signature *t = NEW(to->arena, Signature);
	*t = *s;
	t->name = carry_name(&c, s->name);
	t->said = s->said ? arena_text(to->arena, s->said) : NULL;
	t->function = carry_function(carrier, s->function);
	t->param = NEW_ARRAY(to->arena, SignatureParam, s->nparam);
	for (uint32_t i = 0; i < s->nparam; i++) {
		const SignatureParam *p = &s->param[i];
		t->param[i] = *p;
		t->param[i].name = carry_name(&c, p->name);
		t->param[i].structure = carry_structure(&c, p->structure);
		t->param[i].fallback = p->fallback ? carry_default(&c, p->fallback) : NULL;
	}
	t->result = carry_structure(&c, s->result);
	t->fact = NEW_ARRAY(to->arena, Fact, s->nfact);
	if (s->nfact) memcpy(t->fact, s->fact, s->nfact * sizeof *t->fact);
	return t;
}
