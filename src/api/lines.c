/* lines.c - twins with the user's line of what does not build one operator: por_at for the time of a call. */
#define POR_NO_LINES
#include "api.h"

static por_graph *graph_at(int n, por_node *const *x)
{
	return n > 0 && x && x[0] ? x[0]->graph : NULL;
}

/* por_at's line comes back; a line that is not given leaves it.  Of a text (own: false) por_at may have named
 * the file. */
static Where line_begin(por_graph *g, const char *where, bool own)
{
	Where before = g ? g->at : (Where){NULL, 0, 0};
	if (where && (own || !before.file)) por_at(g, where);
	return before;
}

static void line_end(por_graph *g, Where before)
{
	if (g) g->at = before;
}

/* clang-format off */
#define AT(of, own, call)                                                                                         \
	do {                                                                                                 \
		por_graph *const at_ = (of);                                                                 \
		const Where before_ = line_begin(at_, where, own);                                                \
		__auto_type value_ = call;                                                                   \
		line_end(at_, before_);                                                                      \
		return value_;                                                                               \
	} while (0)
/* clang-format on */

por_function *por_function_of_at(por_graph *g, const char *name, int n, por_node *const *params,
	int nresults, por_node *const *results, const char *where)
{
	AT(g, true, por_function_of(g, name, n, params, nresults, results));
}

por_node *por_invoke_at(por_function *f, int n, por_node *const *args, const char *where)
{
	AT(f ? f->graph : NULL, true, por_invoke(f, n, args));
}

por_function *por_vmap_at(por_function *f, int n, const int *axes, const char *where)
{
	AT(f ? f->graph : NULL, true, por_vmap(f, n, axes));
}

por_function *por_bind_at(por_function *f, int n, const char *const *paths, por_node *const *values,
	const char *where)
{
	AT(f ? f->graph : NULL, true, por_bind(f, n, paths, values));
}

int por_grad_at(por_node *y, int n, por_node *const *x, por_node **d, const char *where)
{
	AT(graph_at(1, &y), true, por_grad(y, n, x, d));
}

int por_jvp_at(int ny, por_node *const *y, int nx, por_node *const *x, por_node *const *v,
	por_node **dy, const char *where)
{
	AT(graph_at(ny, y), true, por_jvp(ny, y, nx, x, v, dy));
}

int por_vjp_at(int ny, por_node *const *y, int nx, por_node *const *x, por_node *const *u,
	por_node **dx, const char *where)
{
	AT(graph_at(ny, y), true, por_vjp(ny, y, nx, x, u, dx));
}

por_node *por_jacobian_at(por_node *y, por_node *x, int forward, const char *where)
{
	AT(graph_at(1, &y), true, por_jacobian(y, x, forward));
}

por_node *por_hessian_at(por_node *y, por_node *x, const char *where)
{
	AT(graph_at(1, &y), true, por_hessian(y, x));
}

int por_sparse_jacobian_at(por_node *y, por_node *x, por_node **out, const char *where)
{
	AT(graph_at(1, &y), true, por_sparse_jacobian(y, x, out));
}

int por_sparse_hessian_at(por_node *y, por_node *x, por_node **out, const char *where)
{
	AT(graph_at(1, &y), true, por_sparse_hessian(y, x, out));
}

por_node *por_do_at(por_node *after, int kind, int n, const char *const *names,
	por_node *const *values, const char *where)
{
	AT(graph_at(n > 0 && values ? 1 : 0, values), true, por_do(after, kind, n, names, values));
}

int por_if_all_at(por_node *condition, int n, por_node *const *yes, por_node *const *no, por_node **out,
	const char *where)
{
	AT(graph_at(1, &condition), true, por_if_all(condition, n, yes, no, out));
}

por_node *por_invoke_after_at(
	por_node *after, por_function *f, int n, por_node *const *args, const char *where)
{
	AT(f ? f->graph : NULL, true, por_invoke_after(after, f, n, args));
}

por_node *por_if_at(por_node *condition, por_node *yes, por_node *no, const char *where)
{
	AT(graph_at(1, &condition), true, por_if(condition, yes, no));
}

int por_loop_while_at(por_loop *l, por_node *condition, const char *where)
{
	AT(loop_graph(l), true, por_loop_while(l, condition));
}

int por_loop_while_after_at(por_loop *l, por_node *condition, por_node *after, const char *where)
{
	AT(loop_graph(l), true, por_loop_while_after(l, condition, after));
}

por_loop *por_loop_open_at(por_graph *g, por_node *steps, int back, const char *where)
{
	AT(g, true, por_loop_open(g, steps, back));
}

por_node *por_loop_each_at(por_loop *l, por_node *xs, const char *where)
{
	AT(loop_graph(l), true, por_loop_each(l, xs));
}

por_node *por_loop_carry_at(por_loop *l, por_node *first, const char *where)
{
	AT(loop_graph(l), true, por_loop_carry(l, first));
}

int por_loop_next_at(por_loop *l, por_node *carried, por_node *next, const char *where)
{
	AT(loop_graph(l), true, por_loop_next(l, carried, next));
}

int por_loop_stack_at(por_loop *l, por_node *x, const char *where)
{
	AT(loop_graph(l), true, por_loop_stack(l, x));
}

int por_loop_close_at(por_loop *l, const char *where)
{
	AT(loop_graph(l), true, por_loop_close(l));
}

por_node *por_loop_last_at(por_loop *l, por_node *carried, const char *where)
{
	AT(loop_graph(l), true, por_loop_last(l, carried));
}

por_node *por_loop_stacked_at(por_loop *l, int number, const char *where)
{
	AT(loop_graph(l), true, por_loop_stacked(l, number));
}

int por_substitute_at(int n, por_node *const *roots, int m, por_node *const *from,
	por_node *const *to, por_node **out, const char *where)
{
	AT(graph_at(n, roots), true, por_substitute(n, roots, m, from, to, out));
}

int por_simplify_at(int n, por_node **roots, const char *stages, const char *where)
{
	AT(graph_at(n, roots), true, por_simplify(n, roots, stages));
}

por_node *por_rebuild_at(por_node *x, int nargs, por_node *const *args, const char *where)
{
	AT(graph_at(1, &x), true, por_rebuild(x, nargs, args));
}

por_node *por_parse_at(por_graph *g, const char *text, int n, const char *const *names,
	por_node *const *nodes, const char *where)
{
	AT(g, false, por_parse(g, text, n, names, nodes));
}

por_node *por_library_at(por_graph *g, const char *name, int n, por_node *const *args,
	const char *where)
{
	AT(g, false, por_library(g, name, n, args));
}

por_type *por_type_parse_at(por_graph *g, const char *text, const char *where)
{
	AT(g, false, por_type_parse(g, text));
}

por_node *por_input_typed_at(por_graph *g, const char *name, const por_type *type,
	const char *where)
{
	AT(g, true, por_input_typed(g, name, type));
}

por_node *por_constant_at(por_graph *g, const char *type, double value, const char *where)
{
	AT(g, false, por_constant(g, type, value));
}

por_node *por_constant_array_at(por_graph *g, const por_array *a, const char *where)
{
	AT(g, true, por_constant_array(g, a));
}

por_function *por_function_named_at(por_module *m, const char *name, int n, const por_given *given,
	const char *where)
{
	AT(m ? m->graph : NULL, true, por_function_named(m, name, n, given));
}

por_function *por_function_expression_at(por_graph *g, por_module *m, const char *text, int n,
	const por_given *given, const char *where)
{
	AT(g, true, por_function_expression(g, m, text, n, given));
}

por_function *por_optimise_at(por_function *f, const por_options *options, const char *until,
	const char *where)
{
	AT(f ? f->graph : NULL, true, por_optimise(f, options, until));
}

por_program *por_compile_at(por_graph *g, int nin, por_node *const *in, int nout,
	por_node *const *out, const por_options *options, const char *where)
{
	AT(g, true, por_compile(g, nin, in, nout, out, options));
}

por_program *por_compile_function_at(por_function *f, const por_options *options, const char *where)
{
	AT(f ? f->graph : NULL, true, por_compile_function(f, options));
}

int por_rule_call_at(por_graph *g, const char *pattern, unsigned law, por_rewrite fn, void *user,
	const char *where)
{
	AT(g, true, por_rule_call(g, pattern, law, fn, user));
}

int por_define_at(por_graph *g, const por_custom *custom, const char *where)
{
	AT(g, true, por_define(g, custom));
}

por_node *por_custom_call_at(por_graph *g, const char *name, int n, por_node *const *args,
	const char *where)
{
	AT(g, true, por_custom_call(g, name, n, args));
}

por_node *por_turn_at(por_node *x, const char *where)
{
	AT(graph_at(1, &x), true, por_turn(x));
}

por_node *por_broadcast_to_at(por_node *x, int rank, const por_size *sizes, const char *where)
{
	AT(graph_at(1, &x), true, por_broadcast_to(x, rank, sizes));
}

por_node *por_squeeze_at(por_node *x, int n, const int *axes, const char *where)
{
	AT(graph_at(1, &x), true, por_squeeze(x, n, axes));
}

por_node *por_unsqueeze_at(por_node *x, int n, const int *axes, const char *where)
{
	AT(graph_at(1, &x), true, por_unsqueeze(x, n, axes));
}

por_node *por_at_index_at(por_node *x, por_node *i, const char *where)
{
	AT(graph_at(1, &x), true, por_at_index(x, i));
}
