/* rule.c - rules of rewriting by functions of Python.
 *
 * The functions lie in the list `functions` of the graph's object, where the collector of garbage sees them; a rule knows
 * its place there.  What a function raises is the error of whatever was rewritten: the core is given a node of another
 * graph, which ends it, and raise_graph leaves the exception that is there.  Nodes that were seen meanwhile are of the
 * rewriting, and are none when the function has returned. */
#include "core.h"

#include <string.h>

struct FunctionRule {
	FunctionRule *next;
	Graph *graph;
	Py_ssize_t place;
};

/* What no rule may give. */
static por_node *node_elsewhere(void)
{
	static por_graph *elsewhere;
	if (!elsewhere) elsewhere = por_open(context);
	return por_number(elsewhere, 0);
}

static void forget_nodes(PyObject *made)
{
	for (Py_ssize_t i = 0; i < PyList_Size(made); i++) ((Node *)PyList_GetItem(made, i))->n = NULL;
}

/* The node that it gives; NULL without an error: it leaves what it was called for. */
static por_node *call_function(const FunctionRule *r, por_node *matched, int n, por_node *const *x)
{
	Graph *g = r->graph;
	PyObject *functions = PyObject_GetAttrString(OBJECT(g), "functions");
	PyObject *function = functions ? PyList_GetItem(functions, r->place) : NULL;
	PyObject *args = function ? PyTuple_New(n + 1) : NULL;     /* what was matched, and its variables */
	bool good = args;
	for (int i = 0; good && i <= n; i++) {
		PyObject *o = give_node(g, i ? x[i - 1] : matched);
		good = o && !PyTuple_SetItem(args, i, o);
	}
	PyObject *result = good ? PyObject_CallObject(function, args) : NULL;
	por_node *y = result && result != Py_None && enter(g) ? take_node(result, g) : NULL;
	Py_XDECREF(result);
	Py_XDECREF(args);
	Py_XDECREF(functions);
	return y;
}

static por_node *rewritten(void *user, por_node *matched, int n, por_node *const *variables)
{
	const FunctionRule *r = user;
	Graph *g = r->graph;
	por_node *y = NULL;
	char where[sizeof g->where];
	PyGILState_STATE state = PyGILState_Ensure();
	PyObject *made = PyErr_Occurred() ? NULL : PyList_New(0);
	if (made) {
		memcpy(where, g->where, sizeof where);
		g->made = made;
		y = call_function(r, matched, n, variables);
		g->made = NULL;
		forget_nodes(made);
		Py_DECREF(made);
		memcpy(g->where, where, sizeof where);
		por_at(g->g, *where ? where : NULL);
	}
	if (PyErr_Occurred()) y = node_elsewhere();
	PyGILState_Release(state);
	return y;
}

static unsigned law_of(const char *name)
{
	static const char *const names[] = {"exact", "real", "finite", "approx"};
	for (unsigned i = 0; i < 4; i++)
		if (!strcmp(name, names[i])) return 1u << i;
	PyErr_Format(PyExc_ValueError, "law is %s: wanted exact, real, finite or approx", name);
	return 0;
}

PyObject *graph_function_rule(PyObject *self, PyObject *args)
{
	ALONE;
	Graph *g = (Graph *)self;
	const char *pattern, *law;
	Py_ssize_t place;
	if (!PyArg_ParseTuple(args, "ssn", &pattern, &law, &place)) return NULL;
	unsigned bit = law_of(law);
	FunctionRule *r = bit ? PyMem_Calloc(1, sizeof *r) : NULL;
	if (!r) return bit ? PyErr_NoMemory() : NULL;
	*r = (FunctionRule){g->rules, g, place};
	g->rules = r;
	enter(g);
	if (por_rule_call(g->g, pattern, bit, rewritten, r)) return raise_graph(g);
	Py_RETURN_NONE;
}

void free_rules(Graph *g)
{
	for (FunctionRule *r = g->rules, *next; r; r = next) {
		next = r->next;
		PyMem_Free(r);
	}
}
