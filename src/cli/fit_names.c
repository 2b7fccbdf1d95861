/* fit_names.c - the functions of a record and their parameters by name: types that values tell, words that
 * nothing takes. */
#include "fit.h"

#include <stdlib.h>
#include <string.h>

/* Parameter i behind the bracket parameters; false: there is none. */
bool plain_param(Fit *f, const char *function, int i, por_param *p)
{
	const Parameters *all = target_parameters(&f->target, function);
	size_t brackets = 0, at = (size_t)i;
	while (brackets < all->n && all->param[brackets].bracket) brackets++;
	if (at >= all->n - brackets) return false;
	*p = all->param[brackets + at];
	return true;
}

/* A function of the record.  What its parameters do not say of their types the values say: those of the
 * command line, of the first one those of `start`. */
por_function *fit_function(Fit *f, const char *function)
{
	GivenLeaves all;
	ValueLeaf *start = NULL;
	por_param p;
	arguments_leaves(&f->arguments, &all);
	size_t count = f->p_type ? value_leaves(&f->p, &start) : 0, n = 0;
	por_given *given = need(calloc(all.n + count + 1, sizeof *given));
	char **path = need(calloc(count + 1, sizeof *path));
	if (plain_param(f, function, 0, &p) && !*p.type)
		for (size_t k = 0; k < count; k++) {
			path[k] = text_of("%s%s%s", p.name, *start[k].path ? "." : "", start[k].path);
			given[n++] = (por_given){
				.name = path[k], .type = type_of_array(&f->target, &start[k].leaf->array)};
		}
	for (int i = count ? 1 : 0; plain_param(f, function, i, &p); i++) {
		size_t length = strlen(p.name);
		for (size_t k = 0; k < all.n && !*p.type; k++)
			if (!strncmp(all.leaf[k].path, p.name, length) &&
				strchr(".", all.leaf[k].path[length]))
				given[n++] = (por_given){.name = all.leaf[k].path,
					.type = type_of_array(&f->target, all.leaf[k].array)};
	}
	por_function *g = por_function_named(f->target.module, function, (int)n, given);
	for (size_t k = 0; k < count; k++) free(path[k]);
	free(path);
	free(given);
	value_leaves_free(start, count);
	given_leaves_free(&all);
	return g;
}

/* What no function takes is most often a slip of the pen. */
int unknown_arguments(Fit *f)
{
	const char *function[] = {f->minimise, f->start, f->show};
	for (size_t i = 0; i < f->arguments.n; i++) {
		const char *name = f->arguments.given[i].name;
		bool known = false;
		por_param p;
		for (int k = 0; k < 3; k++)
			known |= function[k] &&
				/* a value of some expression */
				(!target_parameters(&f->target, function[k])->known ||
					target_parameter(&f->target, function[k], name, &p));
		if (por_graph_error(f->target.graph)->code) return target_fail(&f->target);
		if (!known) return usage(f->options, "%s is no parameter of %s", name, f->minimise);
	}
	return EXIT_GOOD;
}
