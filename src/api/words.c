/* words.c - what the notation is written with, and a text of it laid out. */
#include "api.h"

const char *por_word(int kind, int i)
{
	if (i < 0) return NULL;
	switch (kind) {
	case POR_WORD_KEYWORD: return keyword_text((uint32_t)i);
	case POR_WORD_SIGN: return token_sign((uint32_t)i);
	case POR_WORD_BUILTIN: return builtin_name((uint32_t)i);
	default: return NULL;
	}
}

char *por_format(por_graph *g, const char *text, int64_t n, const char *file)
{
	if (!g || !text) return NULL;
	ENTER(alone(g, "format"), NULL);
	Graph *ir = g->ir;
	char *laid =
		format_text(ir->arena, &ir->names, file, text, n < 0 ? strlen(text) : (size_t)n, &ir->error);
	LEAVE(laid ? graph_text(g, laid) : NULL);
}
