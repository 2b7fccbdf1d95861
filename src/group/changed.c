/* changed.c - an array with a part changed, where what the part becomes is read from the array.
 *
 * What a loop carries stays where it is where each step finds what it reads (loop/update.c).  A part that
 * is made of the array's own elements at the same places is written over them as it comes.  One that is
 * made of other elements is stored first, then copied to its place, which costs what the part has; not so
 * where that is as much as the array, which is copied then.
 */
#include "group.h"

static bool same_shape(const Node *a, const Node *b)
{
	if (b->type->kind != TYPE_ARRAY || node_rank(a) != node_rank(b) || node_dtype(a) != node_dtype(b))
		return false;
	for (uint32_t i = 0; i < node_rank(a); i++)
		if (node_dim(a, i) != node_dim(b, i)) return false;
	return true;
}

/* Does it pick the elements of an array of this shape that lie at these places along the axis, side by
 * side? */
static bool is_at(const Node *slice, const Node *shape, uint32_t axis, const Size *from)
{
	uint32_t n = node_rank(shape);
	if (slice->op != OP_SLICE || !same_shape(shape, slice->arg[0])) return false;
	for (uint32_t i = 0; i < n; i++) {
		const Size *start = slice->attr->v[i].u.size;
		bool own = i == axis ? start == from
				     : size_equals(start, 0) && node_dim(slice, i) == node_dim(shape, i);
		if (!own || slice->attr->v[2 * n + i].u.i != 1) return false;
	}
	return true;
}

static bool is_stored_first(const Node *x)
{
	return op_info[x->op].class == LEAF || x->op == OP_GET || x->op == OP_CONCAT ||
		is_scatter(x);
}

static const Node *changed_array(Graph *g, const Node *x)
{
	const Size *at = size_const(g, 0);
	uint32_t axis = (uint32_t)attr_int(x, 0);
	for (uint32_t k = 0; k < x->narg; k++) {
		if (is_at(x->arg[k], x, axis, at) && is_stored_first(x->arg[k]->arg[0]))
			return x->arg[k]->arg[0];
		at = size_add(g, at, node_dim(x->arg[k], axis));
	}
	return NULL;
}

/* What a part, or what it is made of in passing, reads of the array. */
typedef enum Reads { READS_NOTHING, READS_OWN_PLACES, READS_OTHERS } Reads;

static bool is_computed_apart(const Node *x)
{
	switch (op_info[x->op].class) {
	case CUMULATIVE:
	case SOLVE:
	case CONTROL: return true;
	case INDEX: return x->op != OP_GATHER && x->op != OP_ONE_HOT;
	default: return x->op == OP_PAD || x->op == OP_CONCAT;
	}
}

/* Is it the array, or one that it was made of by changing parts or elements? */
static bool is_earlier(Graph *g, const Node *of, const Node *x)
{
	while (of && of != x)
		if (of->op == OP_CONCAT)
			of = changed_array(g, of);
		else
			of = op_info[of->op].class == INDEX ? of->arg[0] : NULL;
	return of != NULL;
}

/* x: the changed array; the part begins at `from` along its axis. */
static Reads part_reads(Groups *gr, const Node *x, Node *part, const Node *of, const Size *from)
{
	Arena *scratch = arena_child(gr->arena);
	Region *r = region_of(scratch, 1, &part);
	Reads *reads = NEW_ARRAY(scratch, Reads, r->n), all;
	for (uint32_t i = 0; i < r->n; i++) {
		const Node *y = r->node[i];
		bool earlier = is_earlier(gr->g, of, y);
		if (earlier) reads[i] = READS_OTHERS;
		if (earlier || is_computed_apart(y)) continue;
		if (y->op == OP_SLICE && y->arg[0] == of && is_at(y, x, (uint32_t)attr_int(x, 0), from)) {
			reads[i] = READS_OWN_PLACES;
			continue;
		}
		for (uint32_t k = 0; k < y->narg; k++) {
			Reads one = reads[region_place(r, y->arg[k])];
			if (one && op_info[y->op].class != MAP) one = READS_OTHERS;
			reads[i] = one > reads[i] ? one : reads[i];
		}
	}
	all = reads[r->n - 1];
	arena_free(scratch);
	return all;
}

void store_changed_parts(Groups *gr)
{
	for (uint32_t i = 0; i < gr->r->n; i++) {
		const Node *x = gr->r->node[i], *of = x->op == OP_CONCAT ? changed_array(gr->g, x) : NULL;
		const Size *at = size_const(gr->g, 0);
		for (uint32_t k = 0; of && k < x->narg; k++) {
			Node *part = x->arg[k];
			const Size *all = type_elements(gr->g, x->type),
				   *some = type_elements(gr->g, part->type);
			if (!size_grows_as(some, all) && part_reads(gr, x, part, of, at) == READS_OTHERS)
				gr->forced[region_place(gr->r, part)] = 1;
			at = size_add(gr->g, at, node_dim(part, (uint32_t)attr_int(x, 0)));
		}
	}
}
