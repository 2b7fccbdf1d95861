/* diagnose.c - errors with their line and a caret, on stderr; with --json also on stdout. */
#include "cli.h"

#include <stdarg.h>
#include <string.h>

static void json_error(const char *text, const por_error *e)
{
	TextBuffer b = {0};
	buffer_text(&b, "{\"error\": {");
	if (e && *e->file) {
		json_key(&b, "file");
		json_text(&b, e->file);
	}
	if (e && e->line) buffer_printf(&b, "%s\"line\": %d", *e->file ? ", " : "", (int)e->line);
	if (e && e->column) buffer_printf(&b, ", \"column\": %d", (int)e->column);
	json_key(&b, "text");
	json_text(&b, text);
	buffer_text(&b, "}}");
	puts(b.text);
	buffer_free(&b);
}

int complain(const Options *o, int status, const char *format, ...)
{
	va_list list;
	char text[2048];
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	fprintf(stderr, "porism: %s\n", text);
	if (o && o->json) json_error(text, NULL);
	return status;
}

int usage(const Options *o, const char *format, ...)
{
	va_list list;
	char text[2048];
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	const char *name = o && o->command ? o->command->name : NULL;
	fprintf(stderr, "porism%s%s: %s\n", name ? " " : "", name ? name : "", text);
	if (name) fprintf(stderr, "porism %s --help says more\n", name);
	if (o && o->json) json_error(text, NULL);
	return EXIT_USAGE;
}

static int status_of(int code)
{
	switch (code) {
	case POR_OK: return EXIT_GOOD;
	case POR_ERR_MEMORY:
	case POR_ERR_FILE:
	case POR_ERR_COMPILER: return EXIT_ENVIRONMENT;
	default: return EXIT_FAILED;
	}
}

/* A limit's error ends with its field, max_nodes; the option is --max-nodes. */
static void name_option(por_error *e)
{
	static const char mark[] = "the limit ";
	char *at = e->code == POR_ERR_LIMIT ? strstr(e->text, mark) : NULL;
	if (!at) return;
	char name[64];
	snprintf(name, sizeof name, "%s", at + strlen(mark));
	name[strcspn(name, " ;,.")] = 0;
	for (char *c = name; *c; c++) *c = *c == '_' ? '-' : *c;
	snprintf(at, sizeof e->text - (size_t)(at - e->text), "which --%s raises", name);
}

int complain_with(const Options *o, const por_error *e, const char *source)
{
	if (!e || e->code == POR_OK) return complain(o, EXIT_FAILED, "an error without a name");
	if (e->code == POR_ERR_CANCELLED && interrupted()) return interrupted();
	por_error wider = *e;
	name_option(&wider);
	e = &wider;
	char *text = por_error_show(e, source);
	size_t n = text ? strlen(text) : 0;
	fprintf(stderr, "%s%s", text ? text : e->text, n && text[n - 1] == '\n' ? "" : "\n");
	por_text_free(text);
	if (o && o->json) json_error(e->text, e);
	return status_of(e->code);
}
