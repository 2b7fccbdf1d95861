/* parameters.c - the parameters of a file's functions as they are declared, each function's read once. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

const Parameters *target_parameters(const Target *t, const char *function)
{
	for (Parameters *p = *t->parameters; p; p = p->next)
		if (!strcmp(p->function, function)) return p;
	Parameters *p = need(calloc(1, sizeof *p));
	p->function = text_of("%s", function);
	int count = por_declared_params(t->module, function);
	p->known = count >= 0;
	p->param = need(calloc((size_t)(p->known ? count : 0) + 1, sizeof *p->param));
	for (int i = 0; i < count; i++)
		if (!por_declared_param(t->module, function, i, &p->param[p->n])) {
			name_add(&p->names, p->param[p->n].name, p->n);
			p->n++;
		}
	names_sort(&p->names);
	p->next = *t->parameters;
	return *t->parameters = p;
}

void target_parameters_free(Target *t)
{
	for (Parameters *p = t->parameters ? *t->parameters : NULL, *next; p; p = next) {
		next = p->next;
		names_free(&p->names);
		free(p->param);
		free(p->function);
		free(p);
	}
	free(t->parameters);
	t->parameters = NULL;
}

bool target_parameter(const Target *t, const char *function, const char *path, por_param *p)
{
	size_t at;
	const Parameters *all = function ? target_parameters(t, function) : NULL;
	if (!all || !name_find(&all->names, path, strcspn(path, "."), &at)) return false;
	*p = all->param[at];
	return true;
}
