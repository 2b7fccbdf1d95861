/* mark.c - a hash of the source of a function: of its text and that of all it uses, as the emitter has them. */
#include "accuracy.h"
#include <stdlib.h>
#include <string.h>

typedef struct MathSnippet { const char *name, *text; const unsigned short *uses; } MathSnippet;
extern const MathSnippet embedded_math[];      /* made by tools/embed.py: what a function uses stands before it */

uint64_t source_mark(const Function *f, bool f64)
{
	char name[40];
	int last = 0;
	snprintf(name, sizeof name, "%s_%s", f->name, f64 ? "f64" : "f32");
	while (embedded_math[last].name && strcmp(embedded_math[last].name, name))
		last++;
	uint64_t mark = 0xcbf29ce484222325;
	bool *used = embedded_math[last].name ? calloc((size_t)last + 1, sizeof *used) : 0;
	if (!used)
		return 0;
	used[last] = true;
	for (int i = last; i >= 0; i--) {
		for (const unsigned short *u = embedded_math[i].uses; used[i] && *u != 65535; u++)
			used[*u] = true;
		for (const char *c = embedded_math[i].text; used[i] && *c; c++)
			mark = (mark ^ (unsigned char)*c) * 0x100000001b3;
	}
	free(used);
	return mark;
}
