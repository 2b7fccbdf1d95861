/* elab_kept.c - exact(f), checkpoint(f), checkpoint(e), kept(f): functions that stay calls in the graph.
 *
 * What a name of the text stands for is computed outside, where it was written, and is an operand of the
 * call; the rest of the text is inside.
 */
#include "elab_kept.h"

/* ---- what is said of it ------------------------------------------------------------------------- */

/* What became of calls, once. */
static void say(Elab *e, const char *text)
{
	for (uint32_t i = 0; i < e->nsaid; i++)
		if (!strcmp(e->said[i], text)) return;
	GROW(e->g->arena, e->said, e->nsaid, e->said_cap);
	e->said[e->nsaid++] = text;
}

const char *said_of_calls(Elab *e)
{
	Text t;
	if (!e->nsaid) return NULL;
	text_open(&t, e->g->arena);
	for (uint32_t i = 0; i < e->nsaid; i++) text_printf(&t, "%s\n", e->said[i]);
	return text_done(&t);
}

/* With those of the bodies of loops and branches: a call is one, whatever it calls. */
static uint32_t operators_in(Graph *g, const Region *r)
{
	uint32_t count = r->n;
	for (uint32_t i = 0; i < r->n; i++) {
		const Node *x = r->node[i];
		Body b[BODIES_MAX];
		uint32_t n = node_holds_bodies(x) && !call_is_kept(x) ? node_bodies(x, b) : 0;
		for (uint32_t k = 0; k < n; k++) count += operators_in(g, function_region(g, b[k].f));
	}
	return count;
}

/* Of what the leaves reach. */
static uint32_t operators_of(Graph *g, const Binding *b)
{
	Arena *a = arena_child(g->arena);
	uint32_t n = binding_leaves(b, NULL);
	Node **leaf = NEW_ARRAY(a, Node *, n + 1);
	binding_leaves(b, leaf);
	uint32_t count = operators_in(g, region_of(a, n, leaf));
	arena_free(a);
	return count;
}

/* ---- what is outside --------------------------------------------------------------------------- */

void mention_text(Mentioned *m, Env env, const Syntax *s)
{
	if (!s) return;
	Binding *b = s->kind == SYN_NAME || s->kind == SYN_RUN ? env_local(env, s->name) : NULL;
	if (b) mention_value(m, b);
	for (uint32_t i = 0; s->kind != SYN_NAME && i < s->count; i++) mention_text(m, env, s->part[i]);
}

static void mention_function(Mentioned *m, const FunctionValue *f)
{
	for (uint32_t i = 0; i < m->nfunction; i++)
		if (m->function[i] == f) return;
	GROW(m->e->g->arena, m->function, m->nfunction, m->cap);
	m->function[m->nfunction++] = f;
	if (f->inner) mention_value(m, f->inner);
	if (f->kind == F_LAMBDA) mention_text(m, f->env, f->syntax);
	if (f->kind == F_TOLD) mention_operands(m, f);
	if (f->brackets) mention_text(m, f->brackets_env, f->brackets);
}

void mention_value(Mentioned *m, const Binding *b)
{
	if (b->kind == B_FUNCTION) mention_function(m, b->function);
	if (b->kind == B_NODE && op_info[b->node->op].class != LEAF)
		idmap_put(&m->node, b->node->id, b->node);
	for (uint32_t i = 0; is_structure(b) && i < b->n; i++) mention_value(m, b->elem[i]);
}

/* ---- a call that stays --------------------------------------------------------------------------- */

void give_leaf(Elab *e, KeptCall *k, Node *leaf, Node *given)
{
	GROW(e->g->arena, k->leaf, k->n, k->cap);
	GROW(e->g->arena, k->given, k->n, k->given_cap);
	k->leaf[k->n] = leaf;
	k->given[k->n++] = given;
}

Given *over_leaves(Elab *e, KeptCall *k, unsigned flags, uint32_t n, const Given *given)
{
	Graph *g = e->g;
	Given *inner = NEW_ARRAY(g->arena, Given, n);
	for (uint32_t i = 0; i < n; i++) {
		inner[i] = given[i];
		uint32_t count = binding_leaves(given[i].value, NULL);
		Node **leaf = NEW_ARRAY(g->arena, Node *, count);
		binding_leaves(given[i].value, leaf);
		for (uint32_t j = 0; j < count; j++) {
			if (is_given_inside(leaf[j], flags)) continue;
			Node *actual = strong_operand(g, leaf[j]);
			leaf[j] = actual ? fresh(g, actual->type, NULL) : NULL;
			if (!leaf[j]) return NULL;
			stands_for(e, leaf[j], actual);
			give_leaf(e, k, leaf[j], actual);
		}
		if (!(inner[i].value = binding_refill(g, given[i].value, leaf))) return NULL;
	}
	return inner;
}

static bool close_exact(Elab *e, KeptCall *k, Nodes result, Node **out)
{
	Graph *g = e->g;
	Closure c;
	if (!function_close(g, (Title){.name = "exact", .flags = FN_EXACT}, (Nodes){k->n, k->leaf}, result, &c))
		return false;
	for (uint32_t i = 0; i < c.ncapture; i++) give_leaf(e, k, NULL, strong_operand(g, c.capture[i]));
	Node *x = call_with(g, c.function, c.size, k->n, k->given);
	for (uint32_t i = 0; i < result.n && x; i++) out[i] = result.n == 1 ? x : get(g, x, i);
	return x && !g->error.code;
}

static bool is_bound(const Node *x)
{
	return x->op == OP_INPUT || x->op == OP_FRESH || x->op == OP_PARAM;
}

/* What a branch or loop gives whose effects are none of these: it has happened outside. */
static bool has_happened(const Node *x, const IdMap *own)
{
	return x->op == OP_GET && !is_token(x) && is_effect(x->arg[0]) && !idmap_get(own, x->arg[0]->id);
}

void give_outside(Elab *e, KeptCall *k, const Mentioned *m, Nodes result)
{
	Arena *a = arena_child(e->g->arena);
	IdMap leaf, known, own, counts;
	idmap_open(&leaf, a);
	idmap_open(&known, a);
	idmap_open(&counts, a);
	counts_of((Nodes){k->n, k->leaf}, &counts);
	effects_before(a, result, &own);
	for (uint32_t i = 0; i < k->n; i++) idmap_put(&leaf, k->leaf[i]->id, k->leaf[i]);
	Region *all = region_of(a, result.n, result.v);
	bool *inside = NEW_ARRAY(a, bool, all->n); /* it hangs on a leaf: no effect of it is outside */
	for (uint32_t i = 0; i < all->n; i++) {
		Node *x = all->node[i];
		inside[i] = idmap_get(&leaf, x->id);
		for (uint32_t j = 0; j < x->narg; j++) inside[i] |= inside[region_place(all, x->arg[j])];
		bool given = idmap_get(&m->node, x->id) || (has_happened(x, &own) && !inside[i]) ||
			(idmap_get(&counts, x->id) && !inside[i]);
		if (given || idmap_get(&leaf, x->id)) idmap_put(&known, x->id, x);
	}
	Region *r = region_above(a, result.n, result.v, &known);
	bool *asked = NEW_ARRAY(a, bool, all->n);
	for (uint32_t i = 0; i < result.n; i++) asked[region_place(all, result.v[i])] = true;
	for (uint32_t i = 0; i < r->n; i++)
		for (uint32_t j = 0; j < r->node[i]->narg; j++) { /* what a leaf is counted by it shows */
			const Node *y = r->node[i]->arg[j];
			if (j < node_operands(r->node[i]) || !idmap_get(&counts, y->id))
				asked[region_place(all, y)] = true;
		}
	for (uint32_t i = 0; i < all->n; i++) {
		Node *x = all->node[i];
		bool given = is_bound(x) || idmap_get(&known, x->id);
		if (asked[i] && given && !idmap_get(&leaf, x->id)) give_leaf(e, k, x, x);
	}
	arena_free(a);
}

/* The text that is elaborated now, and its effects. */
typedef struct KeptText {
	const char *name; /* of the function */
	unsigned flag; /* FN_... */
	Node *before, *token; /* of the effects around it; the leaf of those inside */
	KeptCall call;
	Mentioned outside;
	KeptForm form;   /* when it is closed, of one that is not exact */
	Binding *shape;  /* NULL: it has effects */
} KeptText;

static void inside_open(Elab *e, KeptText *in, const char *name, unsigned flag)
{
	*in = (KeptText){.name = name, .flag = flag, .before = e->token, .outside = {.e = e}};
	idmap_open(&in->outside.node, e->g->arena);
	e->token = in->token = fresh(e->g, type_token(e->g), NULL);
}

/* The value b of the text by a call; NULL with an error. */
static Binding *inside_close(Elab *e, const Syntax *s, KeptText *in, Binding *b)
{
	Graph *g = e->g;
	KeptCall *k = &in->call;
	Node *after = e->token;
	e->token = in->before;
	if (!b) return NULL;
	if (binding_has_function(b))
		return fail_at_syntax(e, s, ERR_TYPE, "%s: its function gives a function", shown(e, s));
	uint32_t nvalue = binding_leaves(b, NULL), nresult = nvalue;
	Node **result = NEW_ARRAY(g->arena, Node *, nvalue + 1);
	binding_leaves(b, result);
	if (after != in->token) { /* effects: a token is given to it, and one by it */
		give_leaf(e, k, in->token, token_now(e));
		result[nresult++] = after;
	}
	at(e, s);
	Nodes results = {nresult, result};
	bool exact = in->flag == FN_EXACT;
	const Title title = {.name = in->name, .flags = in->flag};
	if (!exact) give_outside(e, k, &in->outside, results);
	if (!(exact ? close_exact(e, k, results, result)
		    : kept_form(g, title, (Nodes){k->n, k->leaf}, k->given, results, &in->form) &&
				kept_apply(g, &in->form, k->given, result)))
		return NULL;
	if (nresult > nvalue)
		e->token = result[nvalue];
	else
		in->shape = b;
	return binding_refill(g, b, result);
}

static unsigned flag_of(const char *name)
{
	if (!strcmp(name, "exact")) return FN_EXACT;
	return strcmp(name, "kept") ? FN_CHECKPOINT : FN_KEPT;
}

Binding *apply_wrapped(
	Elab *e, const Syntax *s, const FunctionValue *f, uint32_t n, const Given *given)
{
	KeptText in;
	KeptCall k = {0};
	Given *inner = over_leaves(e, &k, flag_of(f->name), n, given);
	if (!inner) return NULL;
	unsigned flag = flag_of(f->name);
	const FunctionValue *h = f->inner->function;
	const KeptAgain again = {.function = f, .own = e->own, .n = n, .given = given, .arguments = k.n};
	Binding *known = again_known(e, s, &again, &k);
	if (known || e->g->error.code) return known;
	uint32_t counted = e->ncounted;
	inside_open(e, &in, flag == FN_KEPT && h->kind == F_DEFINITION ? h->name : f->name, flag);
	in.call = k;
	mention_value(&in.outside, f->inner);
	Binding *b = apply(e, s, f->inner, n, inner);
	if (b && flag == FN_KEPT)
		say(e, arena_printf(e->g->arena, "kept(%s): kept, of %u operators, as is said",
			       h->name ? h->name : "...", operators_of(e->g, b)));
	b = inside_close(e, s, &in, b);
	if (b && in.shape && flag != FN_EXACT && e->ncounted == counted)
		again_keep(e, &again, &in.call, &in.form, in.shape);
	return b;
}

/* ---- called often ------------------------------------------------------------------------------ */

/* A definition that calls another at so many places keeps it a function, if that is so large: below, it costs
 * nothing to write it out, and what stands around it has a share in its simplification. */
enum { OFTEN = 4, LARGE = 32 };

static const Syntax *number_given(const Syntax *call, uint32_t i)
{
	return i < call->count && call->part[i]->kind == SYN_NUMBER ? call->part[i] : NULL;
}

/* Are the numbers the same that are given as such?  With others it is another function. */
static bool same_numbers(const Syntax *x, const Syntax *y)
{
	for (uint32_t i = 1; i < x->count || i < y->count; i++) {
		const Syntax *a = number_given(x, i), *b = number_given(y, i);
		if (!a != !b || (a && (a->number != b->number || a->integer != b->integer))) return false;
	}
	return true;
}

/* A call as a definition writes it at so many places: of one name, with the same numbers. */
typedef struct CallPlaces {
	const char *name;
	const Syntax *call;
	uint32_t n;
} CallPlaces;

/* Those of a definition. */
typedef struct WrittenCalls {
	const Syntax *by;
	Table places;
} WrittenCalls;

static uint32_t hash_call(const char *name, const Syntax *call)
{
	uint32_t h = hash_bytes(name, strlen(name));
	for (uint32_t i = 1; i < call->count; i++) {
		const Syntax *x = number_given(call, i);
		if (!x) continue;
		h = hash_mix(hash_mix(h, i), hash_bytes(&x->number, sizeof x->number));
	}
	return h;
}

static bool same_place(const void *item, const void *key)
{
	const CallPlaces *a = item, *b = key;
	return !strcmp(a->name, b->name) && same_numbers(a->call, b->call);
}

static void count_calls(Graph *g, const Syntax *s, Table *places)
{
	if (!s) return;
	if (s->kind == SYN_CALL && s->part[0]->kind == SYN_NAME) {
		CallPlaces key = {s->part[0]->name, s, 0}, *c;
		uint32_t hash = hash_call(key.name, s);
		c = table_find(places, hash, &key, same_place);
		if (!c) {
			c = NEW(g->arena, CallPlaces);
			*c = key;
			table_add(places, hash, c);
		}
		c->n++;
	}
	for (uint32_t i = 0; i < s->count; i++) count_calls(g, s->part[i], places);
}

static bool same_definition(const void *item, const void *key)
{
	return ((const WrittenCalls *)item)->by == key;
}

static const Table *places_within(Elab *e, const Syntax *by)
{
	uint32_t hash = hash_mix(0, (uintptr_t)by);
	if (!e->written.arena) table_open(&e->written, e->g->arena);
	WrittenCalls *w = table_find(&e->written, hash, by, same_definition);
	if (!w) {
		w = NEW(e->g->arena, WrittenCalls);
		w->by = by;
		table_open(&w->places, e->g->arena);
		count_calls(e->g, definition_body(e->g, by), &w->places);
		table_add(&e->written, hash, w);
	}
	return &w->places;
}

static uint32_t places_of_call(Elab *e, const Syntax *by, const char *name, const Syntax *like)
{
	const CallPlaces key = {name, like, 0},
			 *c = table_find(places_within(e, by), hash_call(name, like), &key, same_place);
	return c ? c->n : 0;
}

static bool same_calls(const Often *o, const Syntax *by, const FunctionValue *f, const Syntax *call)
{
	return o->by == by && o->of == f->syntax && same_numbers(o->call, call);
}

/* At how many places does the definition that is elaborated call it?  One call after the other asks the same;
 * 0: it is written out, as was found. */
static uint32_t places_of(Elab *e, const Syntax *call, const FunctionValue *f)
{
	Often *o = &e->often;
	const Syntax *by = e->active;
	if (!by || call->kind != SYN_CALL) return 0;
	if (!same_calls(o, by, f, call)) {
		uint32_t places = places_of_call(e, by, f->name, call);
		*o = (Often){.by = by, .of = f->syntax, .call = call, .places = places};
	}
	return o->places;
}

/* Of functions of the user's, that are called at several places alone. */
static void say_of_places(Elab *e, const FunctionValue *f, const char *what)
{
	Often *o = &e->often;
	if (o->said || e->library_calls || f->env.scope->module->library) return;
	say(e, arena_printf(e->g->arena, "%s calls %s at %u places: %s", o->by->name, f->name, o->places, what));
	o->said = true;
}

/* No brackets, and no facts of its parameters, which speak of what is given. */
static bool is_plain_definition(const FunctionValue *f)
{
	const Syntax *d = f->syntax, *params = d->part[1];
	if (f->brackets || (d->part[0] && d->part[0]->count)) return false;
	for (uint32_t i = 0; i < params->count; i++)
		if (params->part[i]->kind != SYN_PARAM || params->part[i]->part[3]) return false;
	return true;
}

/* May it be given to a function, or by one, and be the same?  A lone whole number may be a size or an index
 * that is known, and what is weak takes its type from what it meets. */
static bool may_pass(const Node *x)
{
	if (x->type->kind != TYPE_ARRAY || dtype_is_weak(node_dtype(x))) return false;
	return node_rank(x) || !dtype_is_integer(node_dtype(x));
}

static bool may_be_given(uint32_t n, const Given *given)
{
	for (uint32_t i = 0; i < n; i++) {
		const Binding *b = given[i].value;
		if (b->kind == B_TYPE || binding_has_function(b)) return false;
		for (uint32_t k = 0; is_structure(b) && k < b->n; k++)
			if (!may_be_given(1, &(Given){.value = b->elem[k]})) return false;
		if (b->kind != B_NODE || b->node->op == OP_CONST || b->node->op == OP_SIZE) continue;
		if (!may_pass(b->node)) return false;
	}
	return true;
}

static void see_data(void *user, const Atom *a)
{
	bool *data = user;
	*data |= a->kind == ATOM_NODE;
}

static bool may_be_result(Graph *g, const Binding *b)
{
	if (binding_has_function(b)) return false;
	uint32_t n = binding_leaves(b, NULL);
	Node **leaf = NEW_ARRAY(g->arena, Node *, n + 1);
	binding_leaves(b, leaf);
	bool data = false;
	for (uint32_t i = 0; i < n; i++) {
		if (leaf[i]->op == OP_CONST || leaf[i]->op == OP_SIZE || !may_pass(leaf[i])) return false;
		for (uint32_t k = 0; k < node_rank(leaf[i]); k++)
			size_atoms(node_dim(leaf[i], k), see_data, &data);
	}
	return n && !data;
}

/* Why a call is written out; NULL: it need not be. */
static const char *why_written_out(const FunctionValue *f, uint32_t places, uint32_t n, const Given *given)
{
	_Static_assert(OFTEN == 4 && LARGE == 32, "as is said");
	if (places < OFTEN) return "written out, kept from 4 on";
	if (!is_plain_definition(f)) return "written out, it has brackets, or facts of its parameters";
	return may_be_given(n, given)
		? NULL
		: "written out, it is given what is known while building, a function, or what has no dtype yet";
}

/* The same, of what it gives. */
static const char *why_not_kept(Elab *e, const Binding *b, uint32_t counted)
{
	if (e->ncounted > counted || !may_be_result(e->g, b))
		return "written out, it gives what is known while building, has no dtype yet, or has computed sizes";
	uint32_t n = operators_of(e->g, b);
	if (n >= LARGE) return NULL;
	return arena_printf(e->g->arena, "written out, of %u operators, kept from 32 on", n);
}

Binding *apply_often(Elab *e, const Syntax *s, const FunctionValue *f, uint32_t n, const Given *given)
{
	uint32_t places = places_of(e, s, f);
	if (places < 2) return NULL;
	const char *why = why_written_out(f, places, n, given);
	if (why) {
		say_of_places(e, f, why);
		return NULL;
	}
	Call call = call_of(e, f, f->env, n, given);
	if (!call.kept) return NULL;
	Binding *known = call_known(e, &call);
	if (known) return known;
	KeptText in;
	KeptCall k = {0};
	Node *before = e->token;
	uint32_t counted = e->ncounted;
	const Often often = e->often; /* what is inside asks about other calls */
	Given *inner = over_leaves(e, &k, FN_KEPT, n, given);
	if (!inner) return NULL;
	inside_open(e, &in, f->name, FN_KEPT);
	in.call = k;
	Binding *b = written_out(e, s, f, n, inner);
	e->often = often;
	why = b ? why_not_kept(e, b, counted) : NULL;
	if (why) {
		say_of_places(e, f, why);
		e->token = before;
		e->ncounted = counted;
		e->often.places = 0;
		return NULL;
	}
	if (b) say_of_places(e, f, arena_printf(e->g->arena, "kept, of %u operators", operators_of(e->g, b)));
	b = inside_close(e, s, &in, b);
	if (e->token == before) call_keep(e, &call, b); /* effects happen in each call */
	return b;
}

/* ---- checkpoint(e) ---------------------------------------------------------------------------- */

bool is_checkpoint_of(const Binding *callee, const Syntax *s)
{
	const FunctionValue *f = callee->kind == B_FUNCTION ? callee->function : NULL;
	bool one = s->count == 2 && s->part[1]->kind != SYN_ENTRY && s->part[1]->kind != SYN_RUN;
	return one && f && f->kind == F_OPERATOR && !f->brackets && !strcmp(f->name, "checkpoint");
}

/* Of an expression that gives a function that function, wrapped; else its value. */
Binding *elab_checkpoint(Elab *e, Env env, const Syntax *s, Binding *callee)
{
	KeptText in;
	inside_open(e, &in, callee->function->name, FN_CHECKPOINT);
	mention_text(&in.outside, env, s->part[1]);
	Binding *b = elab(e, env, s->part[1]);
	if (!b || b->kind != B_FUNCTION) return inside_close(e, s, &in, b);
	bool effects = e->token != in.token;
	e->token = in.before;
	if (effects) b = elab(e, env, s->part[1]); /* those on the way to a function are outside */
	return b ? apply(e, s, callee, 1, &(Given){NULL, b, s->part[1]}) : NULL;
}
