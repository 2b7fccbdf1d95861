/* sources.c - texts of files, kept for carets, and the files that `use` names. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

const char input_name[] = "<stdin>";

bool is_input_word(const char *word)
{
	return !strcmp(word, "-");
}

static const SourceText *find(const Sources *s, const char *file)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].file, file)) return &s->v[i];
	return NULL;
}

const char *source_kept(const Sources *s, const char *file)
{
	const SourceText *found = find(s, file);
	return found ? found->text : NULL;
}

const SourceText *source_read(Sources *s, const char *file)
{
	uint8_t *data;
	size_t n;
	const SourceText *found = find(s, file);
	if (found) return found;
	if (!file_read(strcmp(file, input_name) ? file : "-", &data, &n, s->why, sizeof s->why)) return NULL;
	s->v = need(realloc(s->v, (s->n + 1) * sizeof *s->v));
	s->v[s->n] = (SourceText){text_copy(file, strlen(file)), (char *)data, n};
	return &s->v[s->n++];
}

void source_put(Sources *s, const char *file, const char *text)
{
	size_t i = 0;
	while (i < s->n && strcmp(s->v[i].file, file)) i++;
	if (i == s->n) {
		s->v = need(realloc(s->v, (s->n + 1) * sizeof *s->v));
		s->v[s->n++] = (SourceText){text_copy(file, strlen(file)), NULL, 0};
	}
	free(s->v[i].text);
	s->v[i].text = text_of("%s", text);
	s->v[i].n = strlen(text);
}

int source_load(void *user, por_source *asked)
{
	Sources *s = user;
	const char *slash = strrchr(asked->from, '/');
	int folder = slash ? (int)(slash + 1 - asked->from) : 0;
	free(s->tried);
	s->tried = text_of("%.*s%s.por", folder, asked->from, asked->name);
	const SourceText *found = source_read(s, s->tried);
	size_t name = strlen(s->tried);
	asked->file = s->tried;
	if (!found) { /* file_read's sentence begins with the file, and so does the library's */
		asked->why = !strncmp(s->why, s->tried, name) ? s->why + name + strspn(s->why + name, ": ")
							      : s->why;
		return POR_ERR_FILE;
	}
	asked->text = found->text;
	asked->n = (int64_t)found->n;
	return POR_OK;
}

void sources_free(Sources *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->v[i].file);
		free(s->v[i].text);
	}
	free(s->v);
	free(s->tried);
	*s = (Sources){0};
}
