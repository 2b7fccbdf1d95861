/* open.c - a closed function as nodes of its graph: to be simplified, printed, drawn, compiled with data. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

void opened_free(Opened *o)
{
	free(o->input);
	free(o->argument);
	free(o->result);
	*o = (Opened){0};
}

bool open_function(por_graph *g, por_function *f, const Call *c, Opened *o)
{
	int n = por_function_inputs(f);
	*o = (Opened){.nresult = por_function_outputs(f)};
	o->input = need(calloc((size_t)n + 1, sizeof *o->input));
	o->argument = need(calloc((size_t)n + 1, sizeof *o->argument));
	o->result = need(calloc((size_t)o->nresult + 1, sizeof *o->result));
	for (int i = 0; i < n; i++) {
		por_leaf leaf;
		por_function_input(f, i, &leaf);
		bool bound = c && c->given[i];
		o->argument[i] = bound ? por_constant_array(g, &c->in[i]) : por_input_typed(g, leaf.path, leaf.type);
		if (!bound) o->input[o->n++] = o->argument[i];
	}
	por_node *all = por_invoke(f, n, o->argument);
	for (int i = 0; i < o->nresult; i++) o->result[i] = o->nresult == 1 ? all : por_get(all, i);
	return o->nresult == 0 || o->result[0];
}

/* A result's structure, its leaves printed one by one. */
void print_structure(Buffer *b, const por_structure *s, por_node **leaf)
{
	const char *kind = por_structure_kind(s);
	if (!strcmp(kind, "array")) {
		char *text = por_print(1, &leaf[por_structure_leaf(s)]);
		buffer_text(b, text ? text : "?");
		por_text_free(text);
		return;
	}
	bool record = !strcmp(kind, "record");
	buffer_text(b, record ? "{" : "(");
	for (int i = 0; i < por_structure_count(s); i++) {
		if (i) buffer_text(b, ", ");
		if (record) buffer_printf(b, "%s = ", por_structure_field(s, i));
		print_structure(b, por_structure_element(s, i), leaf);
	}
	buffer_text(b, record ? "}" : ")");
}
