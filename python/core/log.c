/* log.c - what the library has to tell goes to the logger "porism" of Python's logging.
 *
 * A line may come from a thread of the C compiler's, which has no part in Python: it is put on a list, and the main
 * thread tells all that is there when it next may. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef struct Line {
	struct Line *next;
	char text[];
} Line;

static Line *_Atomic newest;
static atomic_bool over;                         /* the interpreter ends: nobody listens */

static bool tell(PyObject *logger, const char *text)
{
	bool slower = !strncmp(text, "interpreted, because", 20);
	PyObject *o = PyObject_CallMethod(logger, slower ? "warning" : "info", "ss", "%s", text);
	Py_XDECREF(o);
	return o;
}

static int tell_all(void *unused)
{
	Line *l = atomic_exchange(&newest, NULL), *first = NULL;
	for (Line *next; l; l = next) {
		next = l->next;
		l->next = first;
		first = l;
	}
	PyObject *logging = first ? PyImport_ImportModule("logging") : NULL;
	PyObject *logger = logging ? PyObject_CallMethod(logging, "getLogger", "s", "porism") : NULL;
	bool good = logger;
	for (Line *next; first; first = next) {
		next = first->next;
		good = good && tell(logger, first->text);
		free(first);
	}
	Py_XDECREF(logger);
	Py_XDECREF(logging);
	(void)unused;
	return PyErr_Occurred() ? -1 : 0;
}

void log_line(void *user, const char *text)
{
	size_t n = strlen(text) + 1;
	Line *l = over ? NULL : malloc(sizeof *l + n);
	(void)user;
	if (!l) return;
	memcpy(l->text, text, n);
	l->next = atomic_load(&newest);
	while (!atomic_compare_exchange_weak(&newest, &l->next, l)) continue;
	Py_AddPendingCall(tell_all, NULL);       /* the list of those may be full: the next line tells this one, too */
}

PyObject *end_log(PyObject *module, PyObject *unused)
{
	over = true;
	Py_RETURN_NONE;
}
