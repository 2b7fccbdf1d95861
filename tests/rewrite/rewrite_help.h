/* rewrite_help.h - for the tests of rewriting: text to nodes and back.
 *
 * A case is `stage: before => after` over names declared as parameters
 * (`x: f64[n] if x > 0`); both sides are elaborated in one graph, so that the
 * rewritten node must be the very node of the other side. */
#ifndef REWRITE_HELP_H
#define REWRITE_HELP_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "elab/elab.h"
#include "prove/prove.h"

typedef struct Scope {
	Graph *g;
	Module *module;
	uint32_t n, nfact;
	const char *name[64];
	Node *value[64];
	LeafFact fact[64];
} Scope;

static double fact_number(const Syntax *s)
{
	double sign = 1;
	if (s->kind == SYN_UNARY) sign = -1, s = s->part[0];
	return sign * (s->number == NUMBER_INTEGER ? (double)s->integer : s->real);
}

/* x > 0, 0 <= x < 1, x != 0, finite(x) */
static inline void declare_fact(LeafFact *f, const Syntax *s)
{
	if (s->kind == SYN_CALL && !strcmp(s->part[0]->name, "finite")) f->finite = true;
	if (s->kind == SYN_CHAIN) {
		for (uint32_t i = 0; i < s->count; i++) declare_fact(f, s->part[i]);
		return;
	}
	for (uint32_t i = 0; s->kind == SYN_COMPARE && i + 1 < s->count; i++) {
		const Syntax *a = s->part[i], *b = s->part[i + 1];
		Sign sign = (Sign)s->signs[i];
		bool turned = b->kind == SYN_NAME, strict = sign == SIGN_LT || sign == SIGN_GT;
		bool below = (sign == SIGN_LT || sign == SIGN_LE) != turned;
		double v = fact_number(turned ? a : b);
		if (sign == SIGN_NE)
			f->nonzero = true;
		else if (below)
			f->hi = v, f->hi_open = strict;
		else
			f->lo = v, f->lo_open = strict;
	}
}

static inline bool declare(Scope *s, const char *text)
{
	Syntax *p = parse_param(s->g->arena, &s->g->names, "declared", text, strlen(text), &s->g->error);
	const Type *t = p && p->part[1] ? elaborate_type(s->g, s->module, p->part[1]) : NULL;
	if (!t) return false;
	s->name[s->n] = p->part[0]->name;
	s->value[s->n] = input(s->g, p->part[0]->name, t);
	if (p->part[3]) {
		LeafFact *f = &s->fact[s->nfact++];
		*f = (LeafFact){.leaf = s->value[s->n], .lo = -INFINITY, .hi = INFINITY};
		declare_fact(f, p->part[3]);
	}
	s->n++;
	return true;
}

static inline Node *node_of(Scope *s, const char *text, size_t n)
{
	Syntax *e = parse_expression(s->g->arena, &s->g->names, "case", text, n, &s->g->error);
	return e ? elaborate_node(s->g, s->module, e, s->n, s->name, s->value) : NULL;
}

static bool scope_open(Scope *s)
{
	memset(s, 0, sizeof *s);
	s->g = graph_open(NULL);
	prove_open(s->g);
	s->module = module_empty(s->g);
	return s->module && books_open(s->g);
}

/* Enough of a printer to read a failure. */
static void show(Text *t, const Node *x, int depth)
{
	double value;
	if (x->op == OP_CONST && constant_value(x, &value))
		text_printf(t, "%g", value);
	else if (x->op == OP_INPUT)
		text_add(t, x->attr->v[0].u.name);
	else if (!depth)
		text_add(t, "...");
	else {
		text_add(t,
			x->op == OP_CALL ? call_function(x)->name ? call_function(x)->name : "call"
					 : op_info[x->op].text);
		for (uint32_t i = 0; x->op != OP_CALL && i < attr_count(x); i++) {
			const AttrValue *v = &x->attr->v[i];
			text_add(t, i ? ", " : "[");
			if (v->kind == A_INT)
				text_printf(t, "%lld", (long long)v->u.i);
			else if (v->kind == A_SIZE)
				size_print(t, v->u.size);
			else
				text_add(t, "_");
			text_add(t, i + 1 == attr_count(x) ? "]" : "");
		}
		for (uint32_t i = 0; i < x->narg; i++) {
			text_add(t, i ? ", " : "(");
			show(t, x->arg[i], depth - 1);
		}
		text_add(t, x->narg ? ")" : "");
	}
}

static inline const char *shown_node(Graph *g, const Node *x)
{
	Text t;
	text_open(&t, g->arena);
	if (x) show(&t, x, 12);
	return x ? text_done(&t) : "nothing";
}

#endif
