/* held.c - what sides of several branches hold is held once, under the conditions by which they ask for it.
 *
 * A side holds what it alone uses.  In a chain of branches whose sides use earlier ones, a value is used in
 * sides of several, which would hold it each, and what it uses itself once more in each of these: a text of
 * n lines would become 2^n branches within each other.  So such a value has a branch of its own before them,
 * which computes it where one of their sides is taken that asks for it, and is captured by all.  So do loops
 * that compute it in their passes, if there are any.
 *
 * needs: results that are to be closed; gives: the same values, and the same errors
 */
#include "held.h"

enum { LIGHT = 64, PLACES_EACH = 16, FEW_PLACES = 4096 };

Met *met_of(const HeldOnce *h, const Node *x)
{
	uint32_t at = (uint32_t)(uintptr_t)idmap_get(&h->at, x->id);
	return at ? &h->item[at - 1] : NULL;
}

/* ---- what there is ------------------------------------------------------------------------------- */

typedef struct Looking {
	Node *x;
	Opened *side;
	uint32_t next;
} Looking;

static bool hangs(const HeldOnce *h, const Node *x)
{
	if (idmap_get(&h->bound, x->id)) return true;
	for (uint32_t k = 0; k < x->narg; k++) {
		const Met *t = met_of(h, x->arg[k]);
		if (!t || t->hangs) return true; /* known: it may */
	}
	return false;
}

static bool is_inner(const HeldOnce *h, const Node *x)
{
	bool inner = idmap_get(&h->passing, x->id);
	for (uint32_t k = 0; k < x->narg && !inner; k++) {
		const Met *t = met_of(h, x->arg[k]);
		inner = t && t->inner;
	}
	return inner;
}

static Opened *open_sides(HeldOnce *h, Node *x)
{
	Opened *o = NEW_ARRAY(h->a, Opened, BODIES_MAX);
	Body b[BODIES_MAX];
	node_bodies(x, b);
	if (x->op == OP_SCAN) {
		o[0] = scan_open(h->g, h->a, x);
		for (uint32_t i = 0; i < o[0].nparam && !h->g->error.code; i++)
			idmap_put(&h->passing, o[0].param[i]->id, x);
		return o;
	}
	for (uint32_t k = 0; k < 2 && !h->g->error.code; k++) o[k] = body_open(h->g, h->a, x, &b[k]);
	return o;
}

static uint32_t sides(const Node *x)
{
	return x->op == OP_SCAN ? 1 : 2;
}

/* What it is made of: operands, then what its sides give. */
static uint32_t parts(const Node *x, const Opened *side)
{
	return x->narg + (side ? sides(x) * side[0].nresult : 0);
}

static Node *part(const Node *x, const Opened *side, uint32_t i)
{
	if (i < x->narg) return x->arg[i];
	i -= x->narg;
	return side[i / side[0].nresult].result[i % side[0].nresult];
}

static uint32_t number(const HeldOnce *h, const Node *x)
{
	uint32_t at = (uint32_t)(uintptr_t)idmap_get(&h->at, x->id);
	return at ? at : ~x->id;
}

typedef struct MetKey {
	const HeldOnce *h;
	const Met *t;
} MetKey;

static bool is_weak(const Node *x)
{
	return x->type->kind == TYPE_ARRAY && dtype_is_weak(node_dtype(x));
}

/* Bodies hold no weak ones. */
static const Type *type_within(const HeldOnce *h, const Node *x)
{
	return h->weak && is_weak(x) ? type_with_dtype(h->g, x->type, dtype_strong(node_dtype(x))) : x->type;
}

static bool are_alike(const void *item, const void *key)
{
	const MetKey *k = key;
	const Met *a = &k->h->item[(uintptr_t)item - 1], *b = k->t;
	const bool branches = a->side && a->x->op == OP_IF; /* their attributes are their sides */
	const bool same = type_within(k->h, a->x) == type_within(k->h, b->x);
	return a->x->op == b->x->op && same && a->nof == b->nof && !a->side == !b->side &&
		(branches || a->x->attr == b->x->attr) && !memcmp(a->of, b->of, a->nof * sizeof *a->of);
}

static void put_item(HeldOnce *h, const Looking *v)
{
	const bool branches = v->side && v->x->op == OP_IF; /* alike though they capture others */
	Met t = {.x = v->x, .side = v->side, .hangs = hangs(h, v->x), .inner = is_inner(h, v->x)};
	t.nof = branches ? parts(v->x, v->side) : v->x->narg;
	uint32_t first = branches ? v->x->narg - 1 : 0, hash = hash_mix(v->x->op, type_within(h, v->x)->id);
	t.nof -= first;
	t.of = NEW_ARRAY(h->a, uint32_t, t.nof + 1);
	for (uint32_t i = 0; i < t.nof; i++) {
		t.of[i] = number(h, i || !first ? part(v->x, v->side, first + i) : v->x->arg[0]);
		hash = hash_mix(hash, t.of[i]);
	}
	MetKey key = {h, &t};
	void *known = v->x->narg ? table_find(&h->alike, hash, &key, are_alike) : NULL;
	GROW(h->a, h->node, h->nnode, h->node_cap);
	h->node[h->nnode++] = v->x;
	if (!known) {
		GROW(h->a, h->item, h->n, h->cap);
		h->item[h->n++] = t;
		known = (void *)(uintptr_t)h->n;
		if (v->x->narg) table_add(&h->alike, hash, known);
	}
	idmap_put(&h->at, v->x->id, known);
}

/* A number or a size as bodies hold it, and what is cast to what it is there; NULL: it is held as it is. */
static Node *as_within(const HeldOnce *h, Node *x)
{
	Graph *g = h->g;
	if (!h->weak) return NULL;
	const bool casts = x->op == OP_CAST;
	if (casts && dtype_strong(node_dtype(x)) == dtype_strong(node_dtype(x->arg[0]))) return x->arg[0];
	if (!is_weak(x) || x->narg) return NULL;
	if (x->op == OP_SIZE) return size_node(g, x->attr->v[0].u.size);
	if (x->op != OP_CONST) return NULL;
	return node_leaf(g, OP_CONST, attr_make(g, 1, x->attr->v), type_within(h, x));
}

void met_below(HeldOnce *h, Node *root)
{
	Looking *stack = NULL;
	uint32_t depth = 0, cap = 0;
	GROW(h->a, stack, depth, cap);
	stack[depth++] = (Looking){.x = root};
	while (depth && !h->g->error.code) {
		Looking *v = &stack[depth - 1];
		if (idmap_get(&h->at, v->x->id) || (h->known && idmap_get(h->known, v->x->id))) {
			depth--;
			continue;
		}
		const bool holds = v->x->op == OP_IF || v->x->op == OP_SCAN;
		if (v->next == v->x->narg && holds && !v->side && hangs(h, v->x))
			v->side = open_sides(h, v->x);
		if (v->next == parts(v->x, v->side)) {
			Node *within = as_within(h, v->x);
			if (within && !idmap_get(&h->at, within->id)) put_item(h, &(Looking){.x = within});
			if (within)
				idmap_put(&h->at, v->x->id, idmap_get(&h->at, within->id));
			else
				put_item(h, v);
			depth--;
			continue;
		}
		Node *y = part(v->x, v->side, v->next++);
		GROW(h->a, stack, depth, cap);
		stack[depth++] = (Looking){.x = y};
	}
}

void note_alike(Graph *g, Arena *a, Nodes roots, Nodes x, Node *const *leaf, IdMap *map)
{
	HeldOnce h = {.g = g, .a = a, .weak = true};
	idmap_open(&h.bound, a);
	idmap_open(&h.at, a);
	idmap_open(&h.passing, a);
	table_open(&h.alike, a);
	Region *r = region_of(a, roots.n, roots.v);
	for (uint32_t i = 0; i < r->n; i++)
		if (op_info[r->node[i]->op].class == LEAF) idmap_put(&h.bound, r->node[i]->id, r->node[i]);
	g->bodies++;
	for (uint32_t k = 0; k < x.n; k++) met_below(&h, x.v[k]);
	for (uint32_t i = 0; i < roots.n; i++) met_below(&h, roots.v[i]);
	g->bodies--;
	for (uint32_t i = 0; i < h.nnode && !g->error.code; i++)
		for (uint32_t k = 0; k < x.n; k++) {
			const Node *y = h.node[i];
			bool alike = y->type == x.v[k]->type && met_of(&h, y) == met_of(&h, x.v[k]);
			if (alike && y != x.v[k]) idmap_put(map, y->id, leaf[k]);
		}
}

/* ---- places ---------------------------------------------------------------------------------------- */

static uint32_t new_places(HeldOnce *h, uint32_t above, Node *condition, bool loops)
{
	const Stead new = {.above = above,
		.depth = h->place[above].depth + 1,
		.condition = condition,
		.loops = loops || h->place[above].loops};
	for (uint32_t k = 0; k < 2; k++) {
		GROW(h->a, h->place, h->nplace, h->place_cap);
		h->place[h->nplace++] = new;
	}
	return h->nplace - 2;
}

/* Those of its sides, or of its body, where it is computed in place p. */
static uint32_t places_within(HeldOnce *h, const Node *x, uint32_t p)
{
	if (x->op == OP_IF) return new_places(h, p, x->arg[0], false);
	Node *steps = scan_steps(x), *zero = steps ? constant_int(h->g, steps->type, 0) : NULL;
	return new_places(h, p, zero ? build2(h->g, OP_GT, steps, zero) : NULL, true);
}

static bool is_within(const HeldOnce *h, uint32_t p, uint32_t in)
{
	while (h->place[p].depth > h->place[in].depth) p = h->place[p].above;
	return p == in;
}

static uint32_t common_place(const HeldOnce *h, uint32_t p, uint32_t q)
{
	while (p != q)
		if (h->place[p].depth >= h->place[q].depth)
			p = h->place[p].above;
		else
			q = h->place[q].above;
	return p;
}

/* Is it computed wherever `in` is come to? */
static bool is_there(const HeldOnce *h, const Met *t, uint32_t in)
{
	bool there = false;
	for (uint32_t i = 0; t->done && i < t->n && !there; i++) there = is_within(h, in, t->place[i]);
	return there;
}

static bool is_leaf(const Node *x)
{
	return op_info[x->op].class == LEAF && !x->narg;
}

static void ask_from(HeldOnce *h, const Node *x, uint32_t place)
{
	Met *t = met_of(h, x);
	if (!t || is_leaf(x)) return;
	for (uint32_t i = t->n; i-- > 0;)
		if (t->place[i] == place) return;
	GROW(h->a, t->place, t->n, t->cap);
	t->place[t->n++] = place;
}

/* Without those within others, both sides of a branch being the place that it is in. */
static void fewest_places(HeldOnce *h, Met *t)
{
	if (h->mark_cap < h->nplace) {
		h->mark_cap = 2 * h->nplace;
		h->mark = NEW_ARRAY(h->a, uint32_t, h->mark_cap);
		h->marks = 0;
	}
	uint32_t of = h->marks += 2, kept = 0; /* of: one of them; of + 1: and listed */
	for (uint32_t i = 0; i < t->n; i++) h->mark[t->place[i]] = of;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t p = t->place[i];
		while (p != TOP && h->mark[p] == of && h->mark[p ^ 1] == of) {
			h->mark[p] = h->mark[p ^ 1] = 0;
			p = h->place[p].above;
			h->mark[p] = of;
		}
		t->place[i] = p;
	}
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t p = t->place[i], above = p;
		if (h->mark[p] != of) continue;
		while (above != TOP && (above == p || h->mark[above] < of)) above = h->place[above].above;
		if (above != p && h->mark[above] >= of) continue;
		h->mark[p] = of + 1;
		t->place[kept++] = p;
	}
	t->n = kept;
}

/* ---- what asks for it -------------------------------------------------------------------------------- */

/* Is it made of what is computed in that place anyway in a few steps?  total: can none of them fail? */
static bool is_light(HeldOnce *h, Node *x, uint32_t in, uint32_t *left, bool *total)
{
	const Met *t = met_of(h, x);
	Class class = op_info[x->op].class;
	if (t && t->inner) return false;
	if (is_leaf(x) || (h->known && idmap_get(h->known, x->id))) return true;
	if (t && !t->held && is_there(h, t, in)) return true;
	bool passing = class == MAP || class == VIEW || (x->op == OP_GATHER && node_is_scalar(x));
	if (!passing || !*left) return false;
	--*left;
	*total = *total && node_is_total(h->g, x, NULL);
	for (uint32_t k = 0; k < x->narg; k++)
		if (!is_light(h, x->arg[k], in, left, total)) return false;
	return true;
}

static Node *false_bool(Graph *g)
{
	return constant_int(g, type_scalar(g, DT_BOOL), 0);
}

/* Is place p come to from `in`, in which this is asked?  NULL: it cannot be said there. */
static Node *is_come_to(HeldOnce *h, uint32_t p, uint32_t in)
{
	Graph *g = h->g;
	uint32_t left = LIGHT, above = h->place[p].above;
	bool total = true;
	if (h->place[p].asked && h->place[p].in == in) return h->place[p].asked;
	Node *c = h->place[p].condition, *first = NULL;
	if (!c) return NULL;
	if (above != in && (!is_light(h, c, in, &left, &total) || !(first = is_come_to(h, above, in))))
		return NULL;
	if (p & 1) c = build1(g, OP_NOT, c);
	if (first && total) {
		c = build2(g, OP_AND, first, c);
	} else if (first) {
		Node *no = false_bool(g), *y = c ? branch(g, first, 1, &c, &no, (Nodes){0}) : NULL;
		c = y ? get(g, y, 0) : NULL;
	}
	h->place[p].asked = c;
	h->place[p].in = in;
	return c;
}

/* Does it hang on what is held once, or on x, in whatever side? */
static bool hangs_on_held(HeldOnce *h, Node *c, const Node *x)
{
	Node **stack = NULL;
	uint32_t depth = 0, cap = 0;
	bool found = false;
	Arena *a = arena_child(h->a);
	IdMap seen;
	idmap_open(&seen, a);
	GROW(a, stack, depth, cap);
	stack[depth++] = c;
	while (depth && !found) {
		Node *y = stack[--depth];
		const Met *t = met_of(h, y);
		if (is_leaf(y) || idmap_get(&seen, y->id)) continue;
		idmap_put(&seen, y->id, y);
		found = y == x || (t && t->held);
		const Opened *side = t ? t->side : NULL;
		for (uint32_t i = 0; i < parts(y, side); i++) {
			GROW(a, stack, depth, cap);
			stack[depth++] = part(y, side, i);
		}
	}
	arena_free(a);
	return found;
}

/* By which conditions something is asked for; NULL: it cannot be said. */
static Node *what_asks(HeldOnce *h, const Met *t, uint32_t in)
{
	Node *any = NULL;
	for (uint32_t i = 0; i < t->n; i++) {
		Node *c = is_come_to(h, t->place[i], in);
		if (!c) return NULL;
		any = any ? build2(h->g, OP_OR, any, c) : c;
	}
	return any && !hangs_on_held(h, any, t->x) ? any : NULL;
}

/* ---- what is held once --------------------------------------------------------------------- */

static bool is_number(Dtype d)
{
	return dtype_is_float(d) || dtype_is_integer(d) || d == DT_BOOL;
}

/* Can zeros stand for it where nobody asks for it? */
static bool has_zeros(const Type *t)
{
	bool sized = false;
	if (t->kind != TYPE_ARRAY || !is_number((Dtype)t->dtype)) return false;
	for (uint32_t i = 0; i < t->n; i++) sized |= size_is_of_node(DIM(t, i));
	return !sized;
}

static bool may_be_held(HeldOnce *h, const Met *t)
{
	const Type *type = t->x->type;
	if (!t->hangs || t->inner || t->counts || !node_holds_bodies(t->x)) return false;
	if (bodies_held(h->g, t->x) < MANY_BODIES) return false;
	if (type->kind != TYPE_TUPLE) return false;
	for (uint32_t i = 0; i < type->n; i++)
		if (!has_zeros(type->u.elem[i])) return false;
	return true;
}

typedef struct Standpoint {
	const HeldOnce *h;
	uint32_t in;
} Standpoint;

static Standing stands_in(void *user, const Node *x)
{
	const Standpoint *a = user;
	const Met *t = met_of(a->h, x);
	return !t || is_there(a->h, t, a->in) ? STANDS_THERE : STANDS_OPEN;
}

/* Do several branches, or more than loops, ask for it? */
static bool is_asked_again(const HeldOnce *h, const Met *t)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < t->n; i++) n += !h->place[t->place[i]].loops;
	return n > 1;
}

/* Of what is asked for from several places: held in the one that they have in common. */
static void hold_once(HeldOnce *h, Met *t)
{
	uint32_t in = t->place[0];
	for (uint32_t i = 1; i < t->n; i++) in = common_place(h, in, t->place[i]);
	Node *asked = what_asks(h, t, in);
	Standpoint at = {h, in};
	if (h->g->error.code || (!asked && !is_total_down_to(h->g, t->x, stands_in, &at))) return;
	GROW(h->a, h->once, h->nonce, h->once_cap);
	h->once[h->nonce++] = (Once){.x = t->x, .asked = asked, .in = in};
	h->deeper |= in != TOP;
	t->held = true;
	t->n = 1;
	t->place[0] = asked ? new_places(h, in, asked, false) : in;
}

/* Is what it is made of there that sizes are counted by, too? */
static void pass_on_counting(HeldOnce *h, const Met *t)
{
	uint32_t first = t->x->op == OP_SIZE ? 0 : node_operands(t->x);
	if (t->counts && t->x->op == OP_GET) first = 0;
	for (uint32_t k = first; k < t->x->narg; k++) {
		Met *of = met_of(h, t->x->arg[k]);
		if (of) of->counts = true;
	}
}

static void pass_on(HeldOnce *h, const Met *t)
{
	pass_on_counting(h, t);
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t p = t->place[i], within = t->side ? places_within(h, t->x, p) : 0;
		bool lazy = t->side && t->x->op == OP_IF;
		uint32_t captured = lazy ? node_operands(t->x) : 1; /* asked for in its sides */
		for (uint32_t k = 0; k < t->x->narg; k++)
			if (!k || k >= captured) ask_from(h, t->x->arg[k], p);
		for (uint32_t k = 0; t->side && k < sides(t->x); k++)
			for (uint32_t j = 0; j < t->side[k].nresult; j++)
				ask_from(h, t->side[k].result[j], within + k);
	}
}

/* Who asks comes before what is asked for. */
bool places_of_all(HeldOnce *h, Nodes results)
{
	uint32_t most = PLACES_EACH * h->n + FEW_PLACES;
	for (uint32_t i = 0; i < results.n; i++) ask_from(h, results.v[i], TOP);
	for (uint32_t i = h->n; i-- > 0 && !h->g->error.code;) {
		Met *t = &h->item[i];
		if (t->n > 1) fewest_places(h, t);
		if (is_asked_again(h, t) && may_be_held(h, t)) hold_once(h, t);
		t->done = true;
		pass_on(h, t);
		if (h->nplace > most) return false;
	}
	return !h->g->error.code;
}
