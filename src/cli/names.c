/* names.c - places by name: sorted once, then found by halving, so that ten thousand names are no matter. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

void name_add(NameIndex *x, const char *name, size_t at)
{
	if (x->n == x->room) {
		x->room = x->room ? 2 * x->room : 16;
		x->v = need(realloc(x->v, x->room * sizeof *x->v));
	}
	x->v[x->n++] = (NamePlace){name, strlen(name), at};
}

static int compare(const char *a, size_t n, const char *b, size_t m)
{
	int c = memcmp(a, b, n < m ? n : m);
	return c ? c : (n > m) - (n < m);
}

static int by_name(const void *p, const void *q)
{
	const NamePlace *a = p, *b = q;
	int c = compare(a->name, a->length, b->name, b->length);
	return c ? c : (a->at > b->at) - (a->at < b->at);
}

void names_sort(NameIndex *x)
{
	if (x->n) qsort(x->v, x->n, sizeof *x->v, by_name);
}

bool name_find(const NameIndex *x, const char *name, size_t length, size_t *at)
{
	size_t low = 0, high = x->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const NamePlace *v = &x->v[middle];
		if (compare(v->name, v->length, name, length) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	bool found = low < x->n && !compare(x->v[low].name, x->v[low].length, name, length);
	if (found && at) *at = x->v[low].at;
	return found;
}

void names_free(NameIndex *x)
{
	free(x->v);
	*x = (NameIndex){0};
}
