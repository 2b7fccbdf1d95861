/* xla.c - programs as custom calls of XLA's, without Python in between: the call's attributes say which program it is.
 *
 * Where arguments and results have axes that the program does not know, before its own, it is called for each place
 * in them, which is what jax.vmap makes of a call. */
#include "core.h"
#include "xla.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PORTS_MAX = 256 };

/* Kept to the end of the process: what XLA compiled may ask for it at any time. */
typedef struct Entry {
	por_program *p;
	int nin, nout;
} Entry;

/* A number of this process, as what is compiled may be kept on a disk, and addresses mean nothing there. */
static int64_t session(void)
{
	static _Atomic int64_t number;
	struct timespec now;
	if (!number && !clock_gettime(CLOCK_REALTIME, &now)) {
		uint64_t mixed = (uint64_t)now.tv_sec*1000000007u ^ (uint64_t)now.tv_nsec << 20 ^ (uintptr_t)&number;
		int64_t none = 0;
		atomic_compare_exchange_strong(&number, &none, (int64_t)mixed | 1);
	}
	return number;
}

static XlaError *fail(const XlaCall *call, int code, const char *text)
{
	XlaErrorArgs e = {.size = sizeof e, .message = text, .code = code};
	return call->api->error(&e);
}

/* What print itself raised has nobody here to go to but the text. */
static XlaError *fail_with(const XlaCall *call, const por_error *error)
{
	if (print_raised()) {
		PyGILState_STATE state = PyGILState_Ensure();
		operator_raised(NULL);
		PyErr_Clear();
		PyGILState_Release(state);
	}
	char *shown = por_error_show(error, NULL);
	XlaError *e = fail(call, XLA_INVALID_ARGUMENT, shown ? shown : error->text);
	por_text_free(shown);
	return e;
}

static int64_t attribute(const XlaCall *call, const char *name)
{
	const XlaAttributes *a = &call->attributes;
	for (int64_t i = 0; i < a->n; i++) {
		const XlaScalar *s = a->value[i];
		bool same = a->name[i]->n == strlen(name) && !memcmp(a->name[i]->text, name, a->name[i]->n);
		if (same && a->type[i] == XLA_SCALAR && s->dtype == XLA_S64) return *(const int64_t *)s->value;
	}
	return 0;
}

/* Fills the views and steps of a list; how many calls its leading axes ask for, -1: it does not fit the program, or
 * the lists before it (calls, -1: there was none). */
static int64_t take_list(const Entry *e, const XlaList *list, bool in, por_array *view, int64_t *step, int64_t calls)
{
	for (int64_t i = 0; i < list->n; i++) {
		const XlaBuffer *b = list->buffer[i];
		int rank, dtype = (in ? por_program_input_type : por_program_output_type)(e->p, (int)i, &rank);
		int64_t before = 1;
		if (b->rank < rank) return -1;
		for (int64_t k = 0; k < b->rank - rank; k++) before *= b->dims[k];
		if (calls >= 0 && before != calls) return -1;
		calls = before;
		view[i] = por_view(b->data, dtype, rank, b->dims + (b->rank - rank));
		step[i] = por_array_count(&view[i])*por_dtype_bytes(dtype);
	}
	return calls;
}

static XlaError *run(XlaCall *call, const Entry *e)
{
	por_array view[PORTS_MAX];
	int64_t step[PORTS_MAX];
	if (call->args.n != e->nin || call->results.n != e->nout)
		return fail(call, XLA_INVALID_ARGUMENT, "porism: another number of arguments or results");
	int64_t calls = take_list(e, &call->args, true, view, step, -1);
	if (calls >= 0 || !e->nin) calls = take_list(e, &call->results, false, view + e->nin, step + e->nin, calls);
	if (calls < 0) return fail(call, XLA_INVALID_ARGUMENT, "porism: arguments and results of other shapes");
	por_calls all = {e->nin, view, step, e->nout, view + e->nin, step + e->nin};
	int code = calls == 1 ? por_call(e->p, NULL, e->nin, view, e->nout, view + e->nin) :
		por_call_many(e->p, NULL, calls, &all);
	return code ? fail_with(call, por_program_error(e->p)) : NULL;
}

static XlaError *handle(XlaCall *call)
{
	if (call->extension && call->extension->type == XLA_METADATA) {
		XlaMetadata *m = ((XlaAsked *)(void *)call->extension)->metadata;
		m->version = (XlaVersion){.size = sizeof m->version, .major = 0, .minor = call->api ? call->api->version.minor : 1};
		m->traits = 0;
		return NULL;
	}
	if (call->stage != XLA_EXECUTE) return NULL;
	if (attribute(call, "session") != session())
		return fail(call, XLA_INVALID_ARGUMENT, "porism: a program of another process");
	return run(call, (const Entry *)(uintptr_t)attribute(call, "program"));
}

/* xla_handler(): what jax.ffi.register_ffi_target takes */
static PyObject *xla_handler(PyObject *m, PyObject *unused)
{
	XlaError *(*f)(XlaCall *) = handle;
	void *address;
	memcpy(&address, &f, sizeof address);
	return PyCapsule_New(address, NULL, NULL);
}

/* xla_keep(program): (program, session), the attributes of a call of it; None: it calls Python, which XLA cannot */
static PyObject *xla_keep(PyObject *m, PyObject *o)
{
	por_program *p = Py_TYPE(o) == program_type ? program_alone(o) : NULL;
	if (!p || por_program_inputs(p) + por_program_outputs(p) > PORTS_MAX) Py_RETURN_NONE;
	Entry *e = malloc(sizeof *e);
	if (!e) return PyErr_NoMemory();
	*e = (Entry){p, por_program_inputs(p), por_program_outputs(p)};
	Py_INCREF(o);
	return Py_BuildValue("(LL)", (long long)(uintptr_t)e, (long long)session());
}

PyMethodDef xla_functions[] = {{"xla_handler", xla_handler, METH_NOARGS, NULL}, {"xla_keep", xla_keep, METH_O, NULL}, {0}};
