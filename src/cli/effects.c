/* effects.c - what a program prints, on standard error: results alone are on standard output. */
#include "cli.h"

int print_effect(void *user, const por_effect *e)
{
	TextBuffer line = {0};
	(void)user;
	if (e->kind != POR_EFFECT_PRINT) return 0; /* the call's error says it */
	for (int32_t i = 0; i < e->n; i++) {
		FileArray a = copy_array(&e->value[i]);
		buffer_printf(&line, "%s%s%s", i ? ", " : "", e->name[i], *e->name[i] ? " = " : "");
		array_line(&line, &a);
		file_array_free(&a);
	}
	fprintf(stderr, "%s\n", buffer_get(&line));
	buffer_free(&line);
	return 0;
}
