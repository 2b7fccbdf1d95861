/* report.c - groups counted, checked and shown. */
#include "group.h"

/* Roots that a kernel or a core makes, as they are counted and shown. */
static bool is_computed(const Groups *gr, uint32_t place)
{
	const Node *x = gr->r->node[place];
	bool held = op_info[x->op].class == LEAF || x->op == OP_GET || x->op == OP_TUPLE;
	return gr->root[place] && !held;
}

uint32_t groups_count(const Groups *gr)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < gr->r->n; i++) n += is_computed(gr, i);
	return n;
}

static bool refuse(const Node *x, const char *why, Error *e)
{
	return fail(e, ERR_INTERNAL, x->origin ? x->origin->where : (Where){0}, "groups: %s %s",
		op_info[x->op].text, why);
}

bool groups_verify(const Groups *gr, Error *e)
{
	for (uint32_t i = 0; i < gr->r->n; i++) { /* what fusion promises to those who make kernels of it */
		const Node *x = gr->r->node[i], *home = gr->home[i];
		if (gr->forced[i] && !gr->root[i]) return refuse(x, "is read from memory and not stored", e);
		if (!home) continue;
		uint32_t place = region_place(gr->r, home);
		if (place == UINT32_MAX || place < i)
			return refuse(x, "is computed where it comes too late", e);
		if (!gr->root[place]) return refuse(x, "is computed where nothing is stored", e);
		if (gr->root[i] && home != x) return refuse(x, "is stored and computed elsewhere", e);
	}
	return true;
}

/* The nodes that are computed in passing where another is stored: first[place of that one], next[place],
 * each a place + 1. */
typedef struct Riders { uint32_t *first, *next; } Riders;

static Riders riders_of(const Groups *gr, Arena *a)
{
	Riders p = {NEW_ARRAY(a, uint32_t, gr->r->n), NEW_ARRAY(a, uint32_t, gr->r->n)};
	for (uint32_t i = gr->r->n; i-- > 0;) {
		const Node *x = gr->r->node[i], *home = gr->home[i];
		if (!home || gr->root[i] || op_info[x->op].class == LEAF) continue;
		uint32_t *first = &p.first[region_place(gr->r, home)];
		p.next[i] = *first;
		*first = i + 1;
	}
	return p;
}

static void print_passing(Text *t, const Groups *gr, const Riders *p, uint32_t root)
{
	const char *before = ", computing in passing ";
	for (uint32_t k = p->first[root]; k; k = p->next[k - 1]) {
		text_printf(t, "%s%s", before, op_info[gr->r->node[k - 1]->op].text);
		before = ", ";
	}
}

static void print_at(Text *t, const Groups *gr, const Function *of, int indent)
{
	uint32_t number = 0;
	Riders riders = riders_of(gr, t->arena);
	for (uint32_t i = 0; i < gr->r->n; i++) {
		if (!is_computed(gr, i)) continue;
		Node *x = gr->r->node[i];
		text_printf(t, "%*sgroup %u: %s stores ", indent, "", ++number, op_info[x->op].text);
		type_print(t, type_by_name(gr->g, of, x->type));
		print_passing(t, gr, &riders, i);
		if (x->origin && x->origin->where.line) text_printf(t, "  # line %d", x->origin->where.line);
		text_char(t, '\n');
		Body b[BODIES_MAX];
		uint32_t n = node_bodies(x, b);
		for (uint32_t k = 0; k < n; k++) {
			Function *body = b[k].f;
			Region *r = function_region(gr->g, body);
			print_at(t, groups_of(gr->g, t->arena, r,
				(Nodes){body->nresult, body->result}, true), body,
				indent + 2);
		}
	}
}

void groups_print(Text *t, const Groups *gr, const Function *of)
{
	print_at(t, gr, of, 0);
}
