#!/usr/bin/env python3
"""Writes a C program that gives NULL to every function of the public headers.

    make_null_test.py OUT.c HEADER...

Each function is called in a child process of its own: with NULL (and 0) everywhere, then, for each pointer among its
parameters, with that one NULL and the others as good as can be had (a graph, a node, a text, counts of 1).  A child
must end by itself: a signal, or `_exit` by a sanitizer, is a fault.  The last line is `N passed, N failed`.
"""
import re
import sys

GOOD = {"por_graph *": "graph", "por_node *": "node", "const por_node *": "node", "por_context *": "context",
        "const por_graph *": "graph", "const char *": "\"x\"", "por_type *": "type", "const por_type *": "type",
        "por_function *": "function", "const por_function *": "function", "por_module *": "module",
        "const por_module *": "module", "por_program *": "program", "por_frame *": "frame",
        "const por_frame *": "frame", "const por_program *": "program", "const por_node *const *": "nodes",
        "por_node *const *": "nodes", "por_node **": "results", "const por_size *": "sizes", "const int *": "ints",
        "const int64_t *": "longs", "const por_array *": "arrays", "const por_calls *": "&calls", "por_region *": "region",
        "const por_region *": "region"}

def prototypes(headers):
    """(result, name, [type of each parameter])"""
    text = ""
    for path in headers:
        with open(path, encoding="utf-8") as f:
            text += re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.S)
    text = re.sub(r"^\s*#.*?(?<!\\)$", "", text, flags=re.M | re.S)
    for m in re.finditer(r"POR_API\s+([^;(]*?)(\w+)\s*\(([^;]*)\)\s*;", text):
        result, name, args = m.group(1).strip(), m.group(2), " ".join(m.group(3).split())
        types = []
        for a in [] if args in ("void", "") else args.split(","):
            a = a.strip()
            k = re.match(r"^(.*?[\s*])(?:[A-Za-z_]\w*)?(\[\w*\])?$", a)
            kind = (k.group(1) if k else a).strip()
            if re.fullmatch(r"(const )?\w+", a):
                kind = a                                    # no name
            elif re.fullmatch(r"const", kind):
                kind = a
            types.append(re.sub(r"\s*\*\s*", " *", kind).replace("* *", "**").replace("*const", "*const "
                         ).strip() + (" *" if k and k.group(2) else ""))
        yield result, name, types

def is_pointer(kind):
    return "*" in kind or kind in ("por_rewrite", "por_kernel", "por_task", "por_entry")

def value(kind, null):
    if is_pointer(kind):
        if null or kind not in GOOD:
            return "NULL"
        return GOOD[kind]
    if kind in ("double", "float"):
        return "0"
    return "0" if null else "1"

HEAD = """/* Made by tests/errors/make_null_test.py. */
#define POR_NO_LINES
#include <porism.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static por_context *context;
static por_graph *graph;
static por_node *node, *nodes[2], *results[8];
static por_type *type;
static por_function *function;
static por_module *module;
static por_program *program;
static por_frame *frame;
static por_region *region;
static const por_size sizes[2] = {1, 1};
static const int ints[2] = {0, 0};
static const int64_t longs[4] = {1, 1, 1, 1};
static por_array arrays[2];
static por_calls calls = {1, arrays, longs, 1, arrays, longs};
static double number;
static int passed, failed;

static void check(const char *what, void (*call)(void))
{
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		alarm(60);
		call();
		_exit(0);
	}
	int status = 0;
	waitpid(child, &status, 0);
	if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		passed++;
	} else {
		failed++;
		printf("%s: %s %d\\n", what, WIFSIGNALED(status) ? "signal" : "exit", WIFSIGNALED(status) ? WTERMSIG(status)
		       : WEXITSTATUS(status));
	}
}

static void prepare(void)
{
	context = por_context_new(NULL);
	graph = por_open(context);
	node = nodes[0] = por_input(graph, "x", "f64");
	nodes[1] = por_input(graph, "v", "f64[n]");
	type = por_type_parse(graph, "f64[n]");
	module = por_load(graph, "fn f(x: f64) = x*x", -1, "null.por");
	function = por_function_named(module, "f", 0, NULL);
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .threads = 1};
	program = por_compile_function(function, &o);
	frame = por_frame_new(program);
	region = por_region_of(1, nodes);
	arrays[0] = arrays[1] = por_view(&number, POR_F64, 0, longs);
}
"""

def main(out, *headers):
    calls, lines = [], [HEAD]
    for result, name, types in prototypes(headers):
        variants = [("NULL everywhere", [value(t, True) for t in types])]
        for i, t in enumerate(types):
            if is_pointer(t):
                args = [value(u, j == i) for j, u in enumerate(types)]
                if args not in [v[1] for v in variants]:
                    variants.append(("parameter %d NULL" % (i + 1), args))
        for k, (says, args) in enumerate(variants):
            lines.append("static void call_%s_%d(void) { (void)%s(%s); }\n" % (name, k, name, ", ".join(args)))
            calls.append('\tcheck("%s, %s", call_%s_%d);\n' % (name, says, name, k))
    lines.append("\nint main(void)\n{\n\tprepare();\n%s"
                 "\tprintf(\"%%d passed, %%d failed\\n\", passed, failed);\n\treturn failed != 0;\n}\n" % "".join(calls))
    with open(out, "w", encoding="utf-8") as f:
        f.write("".join(lines))

main(*sys.argv[1:])
