/* mark.c - a hash of what a row depends on: the text of the function and of all it uses, as the emitter has
 * them; the text of the references and of what chooses the inputs; the line of functions.h but for the
 * promises. */
#include "accuracy.h"
#include <stdlib.h>
#include <string.h>

typedef struct MathSnippet {
	const char *name, *text;
	const unsigned short *uses;
} MathSnippet;
typedef struct EmbeddedText {
	const char *name, *text;
} EmbeddedText;
extern const MathSnippet embedded_math[]; /* made by tools/embed.py: what a function uses stands before it */
extern const EmbeddedText embedded_references[];

static uint64_t hashed(uint64_t mark, const void *bytes, size_t size)
{
	for (const unsigned char *c = bytes; size > 0; size--, c++) mark = (mark ^ *c) * 0x100000001b3;
	return mark;
}

/* judge.c is for f32, hunt.c for hunts, the others for all */
static bool matters(const char *file, bool f64, bool hunt)
{
	if (!strcmp(file, "hunt")) return hunt;
	return !f64 || strcmp(file, "judge");
}

static uint64_t method_mark(uint64_t mark, const Function *f, bool f64, bool hunt)
{
	double line[] = {f->from, f->to, f->from2, f->to2, f->left, f->right, f->shape & ~FALLS_F32};
	for (const EmbeddedText *t = embedded_references; t->name; t++)
		mark = matters(t->name, f64, hunt) ? hashed(mark, t->text, strlen(t->text)) : mark;
	return hashed(mark, line, sizeof line);
}

uint64_t source_mark(const Function *f, bool f64, bool hunt)
{
	char name[40];
	int last = 0;
	snprintf(name, sizeof name, "%s_%s", f->name, f64 ? "f64" : "f32");
	while (embedded_math[last].name && strcmp(embedded_math[last].name, name)) last++;
	uint64_t mark = 0xcbf29ce484222325;
	bool *used = embedded_math[last].name ? calloc((size_t)last + 1, sizeof *used) : 0;
	if (!used) return 0;
	used[last] = true;
	for (int i = last; i >= 0; i--) {
		for (const unsigned short *u = embedded_math[i].uses; used[i] && *u != 65535; u++)
			used[*u] = true;
		if (used[i]) mark = hashed(mark, embedded_math[i].text, strlen(embedded_math[i].text));
	}
	free(used);
	return method_mark(mark, f, f64, hunt);
}
