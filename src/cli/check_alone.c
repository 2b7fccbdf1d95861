/* check_alone.c - a program as C that stands alone, compiled, loaded and called.
 *
 * A door of one shape is added to the C that is exported: its own functions take what the header says, in
 * words of C.  From there the names, order and meaning of their parameters are read: sizes, the most that
 * computed sizes may be, inputs, outputs, where computed sizes go, the workspace.
 */
#include "check.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 64,                /* that computed sizes may be at first, or an argument's elements */
       LARGEST_MOST = 1 << 24,
       DO_NOT_FIT = 1,           /* what standalone C gives where sizes do not fit */
       ROOM = 1 << 24,           /* bytes of a result: more than random programs make */
       DOOR_SIZES = 512 };       /* numbers that a door takes */

typedef int (*Door)(const int64_t *size, void *const *array);

struct Alone {
	void *object;
	Door door;
	int nsize;
	char *size[DOOR_SIZES]; /* names, in the door's order */
};

/* ---- the door -------------------------------------------------------------------------------- */

/* The parameters of `int NAME(` in a header, each in `part`, which points into the text. */
static int split_parameters(char *header, const char *function, char **part, int most)
{
	char *at = strstr(header, function), *end = at ? strchr(at, ')') : NULL;
	int n = 0;
	if (!end) return 0;
	*end = 0;
	for (char *save = NULL, *p = strtok_r(at + strlen(function), ",", &save); p && n < most;
		p = strtok_r(NULL, ",", &save))
		part[n++] = p + strspn(p, " ");
	return n;
}

static const char *name_in(const char *parameter)
{
	const char *end = parameter + strlen(parameter);
	while (end > parameter && is_name_char(end[-1])) end--;
	return end;
}

static void add_list(TextBuffer *b, int n, char *const *part)
{
	for (int i = 0; i < n; i++) buffer_printf(b, "%s%s", i ? ", " : "", part[i]);
}

/* A size's value is $size[i]; an array's place $array[its leaf], then there is NULL for what nobody asks. */
static void add_values(TextBuffer *b, Alone *a, int n, char *const *part, int narray, const int *leaf)
{
	int arrays = 0;
	for (int i = 0; i < n; i++) {
		const char *name = name_in(part[i]);
		if (strchr(part[i], '*')) {
			bool known = arrays < narray;
			buffer_printf(b, known ? "\t%s = $array[%d];\n" : "\t%s = 0;\n", part[i], known ? leaf[arrays++] : 0);
		} else if (a->nsize < DOOR_SIZES) {
			buffer_printf(b, "\t%s = $size[%d];\n", part[i], a->nsize);
			a->size[a->nsize++] = text_of("%s", name);
		}
	}
}

/* What is given to NAME_workspace: numbers that the main function takes too, or arrays of one. */
static void add_sizes(TextBuffer *b, int n, char *const *part, int nmain, char *const *main)
{
	for (int i = 0; i < n; i++) {
		const char *name = name_in(part[i]);
		bool array = false;
		for (int k = 0; k < nmain; k++)
			array |= !strcmp(name_in(main[k]), name) && strchr(main[k], '*');
		buffer_printf(b, "%s%s%s", i ? ", " : "", array ? "*" : "", name);
	}
}

/* What calls the exported functions, f and f_workspace.  Names of its own have a sign that those of
 * parameters cannot have. */
static char *door(Alone *a, char *header, int narray, const int *leaf)
{
	enum { PARAMETERS = DOOR_SIZES };
	char *asked[PARAMETERS], *given[PARAMETERS], *names[PARAMETERS];
	int n = split_parameters(header, "int f(", given, PARAMETERS) - 1; /* without the workspace */
	int m = split_parameters(header, "int64_t f_workspace(", asked, PARAMETERS);
	if (n < 0) return NULL;
	if (m == 1 && !strcmp(asked[0], "void")) m = 0;
	TextBuffer b = {0};
	buffer_text(&b, "\nint door(const int64_t *$size, void *const *$array)\n{\n");
	add_values(&b, a, n, given, narray, leaf);
	buffer_text(&b, "\tint64_t $room = f_workspace(");
	add_sizes(&b, m, asked, n, given);
	buffer_text(&b, ");\n\tif ($room < 0) return 1;\n\tvoid *$workspace = __builtin_malloc($room + 1);\n"
			"\tif (!$workspace) return 1;\n\tint $code = f(");
	for (int i = 0; i < n; i++) names[i] = (char *)(uintptr_t)name_in(given[i]);
	add_list(&b, n, names);
	buffer_text(&b, n ? ", $workspace);\n" : "$workspace);\n");
	buffer_text(&b, "\t__builtin_free($workspace);\n\treturn $code;\n}\n");
	return b.text;
}

/* ---- made, called ------------------------------------------------------------------------------ */

static bool write_source(const char *path, const char *code, const char *more)
{
	FILE *f = fopen(path, "w");
	if (!f) return false;
	bool good = fputs(code, f) >= 0 && fputs(more, f) >= 0;
	return !fclose(f) && good;
}

static void *load(const char *code, const char *more)
{
	char folder[] = "/tmp/porism-check-XXXXXX", *command = NULL;
	if (!mkdtemp(folder)) return NULL;
	char *source = text_of("%s/f.c", folder), *object = text_of("%s/f.so", folder);
	void *handle = NULL;
	if (write_source(source, code, more) && !compile_shared(source, object, &command))
		handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
	free(command);
	remove(source);
	remove(object);
	rmdir(folder);
	free(source);
	free(object);
	return handle;
}

Alone *alone_open(por_program *p, const por_function *f)
{
	Alone *a = need(calloc(1, sizeof *a));
	char *code = por_export_c(p, "f", 0), *header = code ? por_export_c(p, "f", 1) : NULL;
	int *leaf = declared_leaves(f);
	char *text = header ? door(a, header, por_program_inputs(p) + por_program_outputs(p), leaf) : NULL;
	if (text) a->object = load(code, text);
	void *symbol = a->object ? dlsym(a->object, "door") : NULL;
	memcpy(&a->door, &symbol, sizeof symbol);
	free(text);
	free(leaf);
	por_text_free(code);
	por_text_free(header);
	if (a->door) return a;
	alone_close(a);
	return NULL;
}

void alone_close(Alone *a)
{
	if (!a) return;
	if (a->object) dlclose(a->object);
	for (int i = 0; i < a->nsize; i++) free(a->size[i]);
	free(a);
}

/* Of a size that is computed it is the most that it may be: `most`, or as many as an argument has. */
static int64_t size_of(const Alone *a, const RandomArguments *in, int i, int64_t most)
{
	for (int k = 0; k < in->nsize; k++)
		if (!strcmp(in->size[k].name, a->size[i])) return in->size[k].value;
	for (int k = 0; k < in->n; k++)
		if (por_array_count(&in->in[k]) > most) most = por_array_count(&in->in[k]);
	return most;
}

/* The shapes are those of `like`, whose own way gave them; without it there is nothing to compare. */
Outcome alone_call(const Alone *a, const RandomArguments *in, int nout, const Outcome *like)
{
	Outcome r = {0};
	int64_t size[DOOR_SIZES] = {0};
	void **array = need(calloc((size_t)(in->n + nout) + 1, sizeof *array));
	for (int i = 0; i < in->n; i++) array[i] = in->own[i].data;
	for (int i = 0; i < nout; i++) {
		size_t bytes;
		bool larger = i < like->n && file_array_bytes(&like->result[i], &bytes) && bytes > ROOM;
		array[in->n + i] = need(malloc(larger ? bytes : ROOM));
	}
	int code = DO_NOT_FIT;
	for (int64_t most = MOST; code == DO_NOT_FIT && most <= LARGEST_MOST; most *= 16) {
		for (int i = 0; i < a->nsize; i++) size[i] = size_of(a, in, i, most);
		code = a->door(size, array);
		if (like->code) break; /* it has no more of a size than that */
	}
	if (code) {
		r.code = POR_ERR_CALL;
		snprintf(r.text, sizeof r.text, "it gives %d", code);
	} else if (!like->code) {
		r.n = like->n;
		r.result = need(calloc((size_t)r.n + 1, sizeof *r.result));
		for (int i = 0; i < r.n; i++) {
			por_array one = array_view(&like->result[i]);
			one.data = array[in->n + i];
			r.result[i] = copy_array(&one);
		}
	}
	for (int i = 0; i < nout; i++) free(array[in->n + i]);
	free(array);
	return r;
}
