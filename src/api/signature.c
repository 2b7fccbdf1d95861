/* signature.c - what a function takes and gives: parameters, leaves, structures, promises. */
#define POR_NO_LINES
#include "api.h"

#include <math.h>

/* ---- sizes by their names -------------------------------------------------------------------- */

void leaf_type_print(Text *t, Graph *g, const Function *f, const Type *type)
{
	type_print(t, type_by_name(g, f, type));
}

/* ---- a function that was built from nodes ------------------------------------------------------ */

static Structure *leaf_structure(Graph *g, uint32_t leaf, const Type *type)
{
	Structure *s = NEW(g->arena, Structure);
	*s = (Structure){.kind = B_NODE, .leaf = leaf, .type = type};
	return s;
}

Signature *plain_signature(por_graph *g, Function *f)
{
	Graph *ir = g->ir;
	Signature *s = NEW(ir->arena, Signature);
	*s = (Signature){.name = f->name, .where = f->where, .function = f, .nparam = f->nparam};
	s->param = NEW_ARRAY(ir->arena, SignatureParam, f->nparam + 1);
	for (uint32_t i = 0; i < f->nparam; i++) {
		const char *name =
			f->param_name[i] ? f->param_name[i] : arena_printf(ir->arena, "x%u", i + 1);
		s->param[i] = (SignatureParam){.name = name,
			.structure = leaf_structure(ir, i, f->param[i]),
			.first = i,
			.count = 1};
	}
	uint32_t n = function_values(f);
	if (n == 1) {
		s->result = leaf_structure(ir, 0, f->result[0]->type);
		return s;
	}
	s->result = NEW(ir->arena, Structure);
	*s->result = (Structure){.kind = B_TUPLE, .n = n};
	s->result->elem = NEW_ARRAY(ir->arena, Structure *, n + 1);
	for (uint32_t i = 0; i < n; i++)
		s->result->elem[i] = leaf_structure(ir, i, f->result[i]->type);
	return s;
}

Signature *signature_like(por_graph *g, Function *f, const Signature *of)
{
	Signature *s = plain_signature(g, f);
	s->name = of->name;
	s->documentation = of->documentation;
	s->where = of->where;
	s->nfact = of->nfact;
	s->fact = of->fact;
	return s;
}

/* ---- asking --------------------------------------------------------------------------------------- */

const char *por_function_name(const por_function *f)
{
	return f && f->signature->name ? f->signature->name : "";
}

const char *por_function_doc(const por_function *f)
{
	return f && f->signature->documentation ? f->signature->documentation : "";
}

int por_function_params(const por_function *f)
{
	return f ? (int)f->signature->nparam : 0;
}

static const SignatureParam *param_at(const por_function *f, int i)
{
	return f && i >= 0 && i < por_function_params(f) ? &f->signature->param[i] : NULL;
}

const char *por_function_param(const por_function *f, int i)
{
	const SignatureParam *p = param_at(f, i);
	return p && p->name ? p->name : "";
}

char *por_function_fact(const por_function *f, int i)
{
	const SignatureParam *p = param_at(f, i);
	ENTER_ANYWAY(p ? f->graph : NULL, NULL);
	Text t;
	text_open(&t, graph_->ir->arena);
	if (p->fact) print_syntax(&t, p->fact);
	LEAVE(graph_text(graph_, text_done(&t)));
}

int por_function_inputs(const por_function *f)
{
	return f ? (int)f->function->nparam : 0;
}
int por_function_outputs(const por_function *f)
{
	return f ? (int)function_values(f->function) : 0;
}

/* ---- leaves: what is known of all of them is found in one walk ------------------------------------ */

typedef struct LeafKnown {
	const char *path;
	int32_t param;   /* -1: of none */
	Node *fallback;  /* the default's constant for it, in its dtype, or NULL */
	const Fact *fact; /* NULL: none */
} LeafKnown;

/* The paths to the leaves of a structure, which begin with what stands in `t`. */
static void leaf_paths(Arena *a, Text *t, const Structure *s, const char **path)
{
	if (s->kind == B_NODE) path[s->leaf] = arena_copy(a, t->s, t->n);
	for (uint32_t i = 0; i < s->n; i++) {
		size_t before = t->n;
		if (before) text_char(t, '.');
		if (s->kind == B_RECORD)
			text_add(t, s->field[i]);
		else
			text_printf(t, "%u", i);
		leaf_paths(a, t, s->elem[i], path);
		t->n = before;
	}
}

const char **input_paths(Arena *a, const por_function *f)
{
	const Signature *s = f->signature;
	const char **path = NEW_ARRAY(a, const char *, f->function->nparam + 1);
	Text t;
	for (uint32_t i = 0; i < f->function->nparam; i++) path[i] = "";
	text_open(&t, a);
	for (uint32_t i = 0; i < s->nparam; i++) {
		t.n = 0;
		text_add(&t, s->param[i].name ? s->param[i].name : "");
		leaf_paths(a, &t, s->param[i].structure, path);
	}
	return path;
}

const char **output_paths(Arena *a, const por_function *f)
{
	const char **path = NEW_ARRAY(a, const char *, f->function->nresult + 1);
	Text t;
	for (uint32_t i = 0; i < f->function->nresult; i++) path[i] = "";
	text_open(&t, a);
	leaf_paths(a, &t, f->signature->result, path);
	return path;
}

static void fallback_leaves(Graph *g, const SignatureParam *p, const Type *const *type, LeafKnown *known)
{
	uint32_t n = p->fallback ? binding_leaves(p->fallback, NULL) : 0;
	if (!n || n != p->count) return;
	Node **v = NEW_ARRAY(g->arena, Node *, n);
	binding_leaves(p->fallback, v);
	for (uint32_t i = 0; i < n && !g->error.code; i++) {
		const Type *t = type[p->first + i];
		bool fits = v[i]->op == OP_CONST && t->kind == TYPE_ARRAY;
		known[p->first + i].fallback = fits ? cast(g, v[i], (Dtype)t->dtype) : NULL;
	}
}

static LeafKnown *leaves_known(Arena *a, const char *const *path, uint32_t n)
{
	LeafKnown *known = NEW_ARRAY(a, LeafKnown, n + 1);
	for (uint32_t i = 0; i < n; i++) known[i] = (LeafKnown){.path = path[i], .param = -1};
	return known;
}

static LeafKnown *known_inputs(Graph *g, const por_function *f)
{
	const Signature *s = f->signature;
	uint32_t n = f->function->nparam;
	LeafKnown *known = leaves_known(g->arena, input_paths(g->arena, f), n);
	for (uint32_t i = 0; i < s->nparam; i++) {
		const SignatureParam *p = &s->param[i];
		fallback_leaves(g, p, s->function->param, known);
		for (uint32_t k = 0; k < p->count; k++) known[p->first + k].param = (int32_t)i;
	}
	for (uint32_t k = 0; k < s->nfact; k++)
		if (s->fact[k].leaf < n) known[s->fact[k].leaf].fact = &s->fact[k];
	return known;
}

/* What was asked under a mark that is released has gone with it. */
static por_function *asked(const por_function *given)
{
	por_function *f = (por_function *)(uintptr_t)given;
	if (!mark_stands(f->graph, f->asked)) f->input = f->output = NULL;
	if (!f->input && !f->output) f->asked = f->graph->held.mark;
	return f;
}

static const LeafKnown *inputs_of(const por_function *given)
{
	por_function *f = asked(given);
	if (!f->input) f->input = known_inputs(f->graph->ir, f);
	return f->input;
}

static const LeafKnown *outputs_of(const por_function *given)
{
	por_function *f = asked(given);
	Arena *a = f->graph->ir->arena;
	if (!f->output) f->output = leaves_known(a, output_paths(a, f), f->function->nresult);
	return f->output;
}

int por_function_input(const por_function *f, int i, por_leaf *out)
{
	if (!f || !out || i < 0 || i >= por_function_inputs(f)) return POR_ERR_VALUE;
	ENTER_ANYWAY(f->graph, POR_ERR_MEMORY);
	Graph *g = f->graph->ir;
	const LeafKnown *k = &inputs_of(f)[i];
	const Type *type = f->function->param[i];
	*out = (por_leaf){.path = k->path, .param = k->param, .low = -INFINITY, .high = INFINITY};
	if (!g->error.code) out->fallback = give_node(f->graph, k->fallback);
	out->type = give_type(f->graph, type_by_name(g, f->function, type));
	if (k->fact) {
		out->low = k->fact->low;
		out->high = k->fact->high;
		out->integer = k->fact->integer;
		out->above_low = k->fact->above_low;
		out->below_high = k->fact->below_high;
	}
	LEAVE(POR_OK);
}

int por_function_output(const por_function *f, int i, por_leaf *out)
{
	if (!f || !out || i < 0 || i >= por_function_outputs(f)) return POR_ERR_VALUE;
	ENTER_ANYWAY(f->graph, POR_ERR_MEMORY);
	Graph *g = f->graph->ir;
	*out = (por_leaf){.path = outputs_of(f)[i].path, .param = -1, .low = -INFINITY, .high = INFINITY};
	out->type = give_type(f->graph, type_by_name(g, f->function, f->function->result[i]->type));
	LEAVE(POR_OK);
}

/* ---- structures --------------------------------------------------------------------------------------- */

const por_structure *por_function_param_structure(const por_function *f, int i)
{
	const SignatureParam *p = param_at(f, i);
	return p ? (const por_structure *)(const void *)p->structure : NULL;
}

const por_structure *por_function_result_structure(const por_function *f)
{
	return f ? (const por_structure *)(const void *)f->signature->result : NULL;
}

static const Structure *structure_of(const por_structure *s)
{
	return (const Structure *)(const void *)s;
}

const char *por_structure_kind(const por_structure *p)
{
	const Structure *s = structure_of(p);
	if (!s) return "";
	if (s->kind == B_NODE) return "array";
	if (s->kind == B_TUPLE) return "tuple";
	return "record";
}

int por_structure_count(const por_structure *p)
{
	return p ? (int)structure_of(p)->n : 0;
}

const char *por_structure_field(const por_structure *p, int i)
{
	const Structure *s = structure_of(p);
	return s && s->kind == B_RECORD && i >= 0 && (uint32_t)i < s->n ? s->field[i] : "";
}

const por_structure *por_structure_element(const por_structure *p, int i)
{
	const Structure *s = structure_of(p);
	return s && i >= 0 && (uint32_t)i < s->n ? (const por_structure *)(const void *)s->elem[i] : NULL;
}

int por_structure_leaf(const por_structure *p)
{
	const Structure *s = structure_of(p);
	return s && s->kind == B_NODE ? (int)s->leaf : -1;
}
