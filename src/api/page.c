/* page.c - a program as a page of HTML: its graphs, the rules applied, plan, times and memory.
 *
 * The page is src/page, a style and scripts, and the data that they draw as one JSON.  It asks for
 * nothing that it does not hold.
 */
#define POR_NO_LINES
#include "compiled.h"

/* What the page is called, the stage that it opens with, the user's texts. */
typedef struct PageText {
	const char *title, *stage;
	int n;
	const char *const *file, *const *text;
} PageText;

extern const EmbeddedText embedded_page[]; /* tools/embed.py: the files of src/page; ends with a NULL name */

static void add_part(Text *t, const char *name)
{
	for (const EmbeddedText *e = embedded_page; e->name; e++)
		if (!strcmp(e->name, name)) text_add(t, e->text);
}

/* JSON within a script: no text of it can end that. */
static void add_json(Text *t, const char *json)
{
	for (const char *at = json; *at;) {
		size_t n = strcspn(at, "<");
		text_add_n(t, at, n);
		at += n;
		text_add(t, *at ? "\\u003c" : "");
		at += *at != 0;
	}
}

enum { ANY = 0, LONG_TEXT = 200000 }; /* bytes that a page has room for */

/* ,"key": what `explain` has; null where it has nothing, or more than `most` bytes. */
static void add_explained(Text *t, por_program *p, const char *key, const char *what, size_t most)
{
	char *text = por_explain(p, what);
	text_printf(t, ",\n\"%s\":", key);
	add_json(t, text && (!most || strlen(text) <= most) ? text : "null");
	por_text_free(text);
}

static void add_text(Text *t, const char *key, const char *text)
{
	Text quoted;
	text_open(&quoted, t->arena);
	json_quote(&quoted, text);
	text_printf(t, "\"%s\":", key);
	add_json(t, text_done(&quoted));
}

static void add_data(Text *t, por_program *p, const PageText *s)
{
	bool timed = p->run && p->options.profile;
	text_char(t, '{');
	add_text(t, "title", s->title);
	text_char(t, ',');
	add_text(t, "stage", s->stage);
	text_add(t, ",\n\"sources\":[");
	for (int i = 0; i < s->n; i++) {
		text_add(t, i ? ",{" : "{");
		add_text(t, "file", s->file[i]);
		text_char(t, ',');
		add_text(t, "text", s->text[i]);
		text_char(t, '}');
	}
	text_char(t, ']');
	add_explained(t, p, "graphs", "graphs.json", ANY);
	add_explained(t, p, "stages", "stages.json", 2 * LONG_TEXT);
	add_explained(t, p, "calls", "calls.json", LONG_TEXT);
	if (p->run) {
		add_explained(t, p, "memory", "arrays.json", 2 * LONG_TEXT);
		add_explained(t, p, "kernels", "kernels.json", LONG_TEXT);
		add_explained(t, p, "plan", "plan.json", LONG_TEXT);
	}
	if (timed) {
		add_explained(t, p, "profile", "profile.json", 2 * LONG_TEXT);
		text_add(t, ",\n\"peaks\":");
		peaks_json(t, p);
	}
	text_add(t, "}\n");
}

static bool has_graphs(const por_program *p)
{
	for (uint32_t i = 0; i < p->nexplained; i++)
		if (!strcmp(p->explained[i].what, "graphs.json")) return true;
	return false;
}

static bool page_text(Text *t, por_program *p, const void *of)
{
	static const char *const scripts[] = {"model", "fold", "layout", "draw", "side", "start"};
	text_add(t, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<style>\n");
	add_part(t, "style");
	text_add(t, "</style>\n</head>\n<body>\n<script type=\"application/json\" id=\"data\">\n");
	add_data(t, p, of);
	text_add(t, "</script>\n<script>\n");
	for (size_t i = 0; i < countof(scripts); i++) add_part(t, scripts[i]);
	text_add(t, "</script>\n</body>\n</html>\n");
	return true;
}

char *por_page(por_program *p, const char *title, const char *stage, int n, const char *const *file,
	const char *const *text)
{
	if (!p) return NULL;
	if (!has_graphs(p)) {
		compiled_fail(p, POR_ERR_VALUE, "page: graphs are kept by the option keep_stages of 2");
		return NULL;
	}
	PageText s = {title ? title : "", stage ? stage : "stable", n, file, text};
	bool known;
	return compiled_written(p, page_text, &s, &known);
}
