/* custom.c - operators of the user's: an `op` of the notation whose meaning is a C kernel. */
#define POR_NO_LINES
#include "leaf.h"

/* The evaluator's values as arrays for the kernel. */
static int call_kernel(const Custom *c, uint32_t nin, const Value *in, uint32_t nout, Value *out)
{
	enum { FEW = 16 };
	por_array few[FEW] = {0}, *all = few;
	if (nin + nout > FEW && !(all = context_alloc(NULL, (nin + nout) * sizeof *all))) return -1;
	for (uint32_t i = 0; i < nin + nout; i++) {
		const Value *v = i < nin ? &in[i] : &out[i - nin];
		all[i] = por_view(v->data, (int)v->dtype, (int)v->rank, v->dim);
	}
	int code = ((por_kernel)c->kernel)(c->user, (int)nin, all, (int)nout, all + nin);
	if (all != few) context_release(NULL, all, (nin + nout) * sizeof *all);
	return code;
}

static bool is_operator(const char *name)
{
	for (int op = 1; op < por_op_count(); op++)
		if (!strcmp(op_info[op].text, name)) return true;
	return false;
}

int por_define(por_graph *g, const por_custom *given)
{
	por_custom c;
	if (!g || !given) return POR_ERR_VALUE;
	ENTER(unmarked(alone(g, "define"), "define"), code_of(g));
	Graph *ir = g->ir;
	if (!options_copy(&c, sizeof c, given, given->size) || !c.signature || !c.kernel || c.flags > 7) {
		graph_fail(ir, ERR_VALUE,
			"define: an operator has a signature, a kernel, and flags that there are");
		LEAVE(code_of(g));
	}
	/* the meaning after = is never elaborated: the kernel stands for it.  In the prelude every file sees
	 * it. */
	char *text = arena_printf(ir->arena, "op %s = kernel", c.signature);
	const char *file = ir->where.file ? ir->where.file : "define";
	Syntax *s = library_module(g)
		? parse_file(ir->arena, &ir->names, file, text, strlen(text), &ir->error)
		: NULL;
	if (!s) LEAVE(code_of(g));
	if (s->count != 1 || s->part[0]->kind != SYN_OP || !s->part[0]->part[2]) {
		graph_fail(ir, ERR_VALUE, "define: %s: wanted name(parameters) -> type", c.signature);
		LEAVE(code_of(g));
	}
	if (is_operator(s->part[0]->name)) {
		graph_fail(ir, ERR_NAME, "define: %s is an operator already", s->part[0]->name);
		LEAVE(code_of(g));
	}
	if (!module_add(ir, module_prelude(ir), file, text, strlen(text))) LEAVE(code_of(g));
	Custom *x = NEW(ir->arena, Custom);
	*x = (Custom){.next = ir->customs,
		.name = s->part[0]->name,
		.flags = c.flags,
		.call = call_kernel,
		.kernel = (void (*)(void))c.kernel,
		.user = c.user};
	x->c_text = arena_text(ir->arena, c.c_text);
	ir->customs = x;
	LEAVE(code_of(g));
}

por_node *por_custom_call(por_graph *g, const char *name, int n, por_node *const *args)
{
	if (!name || !at_least(g, name, n, 1) || !all_of(g, n, args)) return NULL;
	ENTER(g, NULL);
	if (!custom_named(g->ir, name))
		LEAVE((por_node *)graph_fail(
			g->ir, ERR_NAME, "there is no custom operator %s; por_define makes one", name));
	LEAVE(give_node(g, op_apply_named(g->ir, name, NULL, (uint32_t)n, take_nodes(g, n, args))));
}
