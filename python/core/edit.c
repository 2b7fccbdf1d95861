/* edit.c - derivatives by nodes, other nodes in place of some, what a function captures, nodes in the notation. */
#include "core.h"

/* Lists of nodes of one graph, one after another in memory of PyMem_Malloc; n: how many in each. */
static por_node **take_lists(PyObject *args, int most, Graph **g, Py_ssize_t *n)
{
	if (PyTuple_Size(args) != most) {
		PyErr_Format(PyExc_TypeError, "%d lists of nodes are wanted", most);
		return NULL;
	}
	PyObject *all = PyList_New(0);
	for (int i = 0; all && i < most; i++) {
		PyObject *list = PyTuple_GetItem(args, i);
		n[i] = PySequence_Size(list);
		if (n[i] < 0 || PyList_SetSlice(all, PY_SSIZE_T_MAX, PY_SSIZE_T_MAX, list)) Py_CLEAR(all);
	}
	Py_ssize_t count;
	por_node **x = all ? take_nodes(all, g, &count) : NULL;
	Py_XDECREF(all);
	if (x && *g) return x;
	PyMem_Free(x);
	if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "there is no node");
	return NULL;
}

static PyObject *give_many(Graph *g, int code, Py_ssize_t n, por_node **out, por_node **taken)
{
	PyObject *result = code ? raise_graph(g) : give_nodes(g, (int)n, out);
	PyMem_Free(out);
	PyMem_Free(taken);
	return result;
}

static por_node **room(Py_ssize_t n)
{
	return PyMem_Calloc((size_t)n + 1, sizeof(por_node *));
}

/* grad([y], [x...]) */
static PyObject *grad(PyObject *m, PyObject *args)
{
	ALONE;
	Graph *g = NULL;
	Py_ssize_t n[2];
	por_node **x = take_lists(args, 2, &g, n);
	if (!x) return NULL;
	por_node **d = room(n[1]);
	enter(g);
	return give_many(g, por_grad(x[0], (int)n[1], x + n[0], d), n[1], d, x);
}

/* A derivative of the nodes of one list by those of the next, beside those of the third: like those of list `like`. */
static PyObject *product(PyObject *args, int like,
	int (*make)(int, por_node *const *, int, por_node *const *, por_node *const *, por_node **))
{
	Graph *g = NULL;
	Py_ssize_t n[3];
	por_node **x = take_lists(args, 3, &g, n);
	if (!x) return NULL;
	por_node **d = room(n[like]);
	enter(g);
	return give_many(g, make((int)n[0], x, (int)n[1], x + n[0], x + n[0] + n[1], d), n[like], d, x);
}

/* jvp([y...], [x...], [v...]); vjp([y...], [x...], [u...]) */
static PyObject *jvp(PyObject *m, PyObject *args)
{
	ALONE;
	return product(args, 0, por_jvp);
}
static PyObject *vjp(PyObject *m, PyObject *args)
{
	ALONE;
	return product(args, 1, por_vjp);
}

/* jacobian(y, x, forward); hessian(y, x) */
static PyObject *jacobian(PyObject *m, PyObject *args)
{
	ALONE;
	PyObject *y, *x;
	int forward;
	if (!PyArg_ParseTuple(args, "O!O!p", node_type, &y, node_type, &x, &forward)) return NULL;
	Graph *g = ((Node *)y)->graph;
	enter(g);
	return give_node(g, por_jacobian(((Node *)y)->n, ((Node *)x)->n, forward));
}
static PyObject *hessian(PyObject *m, PyObject *args)
{
	ALONE;
	PyObject *y, *x;
	if (!PyArg_ParseTuple(args, "O!O!", node_type, &y, node_type, &x)) return NULL;
	Graph *g = ((Node *)y)->graph;
	enter(g);
	return give_node(g, por_hessian(((Node *)y)->n, ((Node *)x)->n));
}

/* substitute(roots, from, to) */
static PyObject *substitute(PyObject *m, PyObject *args)
{
	ALONE;
	Graph *g = NULL;
	Py_ssize_t n[3];
	por_node **x = take_lists(args, 3, &g, n);
	if (!x) return NULL;
	if (n[1] != n[2]) {
		PyMem_Free(x);
		return PyErr_Format(PyExc_ValueError, "substitute: %zd nodes for %zd", n[2], n[1]);
	}
	por_node **out = room(n[0]);
	enter(g);
	int code = n[0] ? por_substitute((int)n[0], x, (int)n[1], x + n[0], x + n[0] + n[1], out) : POR_OK;
	return give_many(g, code, n[0], out, x);
}

/* simplify(roots, stages or None) */
static PyObject *simplify(PyObject *m, PyObject *args)
{
	ALONE;
	PyObject *roots;
	const char *stages;
	Graph *g = NULL;
	Py_ssize_t n;
	if (!PyArg_ParseTuple(args, "Oz", &roots, &stages)) return NULL;
	por_node **x = take_nodes(roots, &g, &n);
	if (!x) return NULL;
	if (!g) {
		PyMem_Free(x);
		return PyTuple_New(0);
	}
	enter(g);
	return give_many(g, por_simplify((int)n, x, stages), n, x, NULL);
}

/* What happens before a token is the roots' own. */
static void mark_effects(const por_region *r, por_node *x, char *depends)
{
	while (x && is_token_node(x) && por_node_op(x) != POR_OP_TOKEN) {
		int place = por_region_place(r, x);
		if (place >= 0) depends[place] = 1;
		if (por_node_op(x) == POR_OP_GET) place = por_region_place(r, x = por_node_arg(x, 0));
		if (place >= 0) depends[place] = 1;
		por_node *before = NULL;
		for (int k = 0; k < por_node_nargs(x); k++)
			if (is_token_node(por_node_arg(x, k))) before = por_node_arg(x, k);
		x = before;
	}
}

/* Places in the region: what depends on nodes of one's own, and what is taken from outside of them. */
typedef struct Captured {
	por_region *r;
	int n;
	char *depends, *taken;
} Captured;

static void mark_dependent(Captured *c, Py_ssize_t nroots, por_node **roots, Py_ssize_t nown, por_node **own)
{
	for (Py_ssize_t i = 0; i < nown; i++) {
		int place = por_region_place(c->r, own[i]);
		if (place >= 0) c->depends[place] = 1;
	}
	for (Py_ssize_t i = 0; i < nroots; i++) mark_effects(c->r, roots[i], c->depends);
	for (int i = 0; i < c->n; i++) {
		por_node *x = por_region_node(c->r, i);
		for (int k = 0; k < por_node_nargs(x); k++) {
			int place = por_region_place(c->r, por_node_arg(x, k));
			if (place >= 0) c->depends[i] |= c->depends[place];
		}
	}
}

/* Made within as outside: of these the sizes alone are taken. */
static int is_plain(const por_node *x)
{
	int op = por_node_op(x);
	return op == POR_OP_CONST || op == POR_OP_SIZE || op == POR_OP_IOTA || op == POR_OP_TOKEN;
}

static void take_operands(Captured *c, const por_node *x)
{
	for (int k = 0; k < por_node_nargs(x); k++) {
		int place = por_region_place(c->r, por_node_arg(x, k));
		if (place >= 0 && !c->depends[place]) c->taken[place] = 1;
	}
}

static void mark_taken(Captured *c, Py_ssize_t nroots, por_node **roots)
{
	for (Py_ssize_t k = 0; k < nroots; k++) {
		int place = por_region_place(c->r, roots[k]);
		if (place >= 0 && !c->depends[place]) c->taken[place] = 1;
	}
	for (int i = c->n; i-- > 0;) { /* operands are before what is made of them */
		por_node *x = por_region_node(c->r, i);
		if (c->depends[i] || (c->taken[i] && is_plain(x))) take_operands(c, x);
	}
}

static PyObject *give_taken(Graph *g, const Captured *c)
{
	PyObject *list = PyList_New(0);
	for (int i = 0; list && i < c->n; i++) {
		por_node *x = por_region_node(c->r, i);
		if (!c->taken[i] || is_plain(x)) continue;
		PyObject *o = give_node(g, x);
		if (!o || PyList_Append(list, o)) Py_CLEAR(list);
		Py_XDECREF(o);
	}
	return list;
}

/* captured(roots, own): the nodes that roots use, that do not depend on `own`, and that are no constants */
static PyObject *captured(PyObject *m, PyObject *args)
{
	ALONE;
	Graph *g = NULL;
	Py_ssize_t n[2];
	por_node **x = take_lists(args, 2, &g, n);
	if (!x) return NULL;
	Captured c = {.r = por_region_of((int)n[0], x)};
	c.n = por_region_count(c.r);
	c.depends = PyMem_Calloc((size_t)c.n + 1, 2);
	c.taken = c.depends + c.n;
	PyObject *list = NULL;
	if (!c.r) raise_graph(g);
	else if (!c.depends) PyErr_NoMemory();
	else {
		mark_dependent(&c, n[0], x, n[1], x + n[0]);
		mark_taken(&c, n[0], x);
		list = give_taken(g, &c);
	}
	PyMem_Free(c.depends);
	PyMem_Free(x);
	por_region_free(c.r);
	return list;
}

static PyObject *print_nodes(PyObject *m, PyObject *roots)
{
	ALONE;
	Graph *g = NULL;
	Py_ssize_t n;
	por_node **x = take_nodes(roots, &g, &n);
	if (!x) return NULL;
	PyObject *text = g ? give_text(g, por_print((int)n, x)) : PyUnicode_FromString("");
	PyMem_Free(x);
	return text;
}

PyMethodDef edit_functions[] = {
	{"grad", grad, METH_VARARGS, NULL},
	{"jvp", jvp, METH_VARARGS, NULL},
	{"vjp", vjp, METH_VARARGS, NULL},
	{"jacobian", jacobian, METH_VARARGS, NULL},
	{"hessian", hessian, METH_VARARGS, NULL},
	{"substitute", substitute, METH_VARARGS, NULL},
	{"simplify", simplify, METH_VARARGS, NULL},
	{"captured", captured, METH_VARARGS, NULL},
	{"print_nodes", print_nodes, METH_O, NULL},
	{0}};
