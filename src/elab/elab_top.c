/* elab_top.c - a definition of a file as a closed function with its signature. */
#include "elaborator.h"

#include <stdio.h>

/* ---- signatures ------------------------------------------------------------------ */

static Structure *structure_of(Graph *g, const Binding *b, uint32_t *leaf)
{
	Structure *s = NEW(g->arena, Structure);
	s->kind = b->kind;
	if (b->kind == B_NODE) {
		s->leaf = (*leaf)++;
		s->type = b->node->type;
		return s;
	}
	s->n = is_structure(b) ? b->n : 0;
	s->field = b->field;
	s->elem = NEW_ARRAY(g->arena, Structure *, s->n);
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t k = b->kind == B_RECORD ? b->order[i] : i;
		s->elem[k] = structure_of(g, b->elem[k], leaf);
	}
	return s;
}

/* The types of a closed function's own leaves. */
static void set_types(Structure *s, uint32_t n, const Type *const *types, Node *const *nodes)
{
	if (s->kind == B_NODE && s->leaf < n) s->type = types ? types[s->leaf] : nodes[s->leaf]->type;
	for (uint32_t i = 0; i < s->n; i++) set_types(s->elem[i], n, types, nodes);
}

const Structure *signature_leaf(const Signature *sig, const char *path)
{
	size_t n = strcspn(path, ".");
	const Structure *s = NULL;
	for (uint32_t i = 0; i < sig->nparam; i++)
		if (strlen(sig->param[i].name) == n && !memcmp(sig->param[i].name, path, n))
			s = sig->param[i].structure;
	for (path += n; s && *path == '.'; path += n) {
		const Structure *next = NULL;
		n = strcspn(++path, ".");
		for (uint32_t i = 0; i < s->n; i++) {
			char place[16];
			snprintf(place, sizeof place, "%u", i);
			const char *name = s->kind == B_RECORD ? s->field[i] : place;
			if (strlen(name) == n && !memcmp(name, path, n)) next = s->elem[i];
		}
		s = next;
	}
	return s && s->kind == B_NODE ? s : NULL;
}

void structure_print(Text *t, const Structure *s, Graph *g, const Function *f)
{
	if (s->kind == B_NODE) {
		type_print(t, f && g ? type_by_name(g, f, s->type) : s->type);
		return;
	}
	text_add(t, s->kind == B_RECORD ? "{" : "(");
	for (uint32_t i = 0; i < s->n; i++) {
		text_add(t, i ? ", " : "");
		if (s->kind == B_RECORD) text_printf(t, "%s: ", s->field[i]);
		structure_print(t, s->elem[i], g, f);
	}
	text_add(t, structure_end(s->kind, s->n));
}

static void name_leaves(Graph *g, Function *f, const Structure *s, const char *path, uint32_t first)
{
	if (s->kind == B_NODE && !f->param_name[first + s->leaf])
		f->param_name[first + s->leaf] = names_get(&g->names, path, strlen(path));
	for (uint32_t i = 0; i < s->n; i++)
		name_leaves(g, f, s->elem[i],
			s->kind == B_RECORD ? arena_printf(g->arena, "%s.%s", path, s->field[i])
					    : arena_printf(g->arena, "%s.%u", path, i),
			first);
}

static void *not_arrays(Graph *g, const char *what, const Binding *result)
{
	if (binding_has_function(result))
		return graph_fail(g, ERR_TYPE,
			"%s gives functions, wanted arrays; a function is called, as in f(x) or iota[5]()", what);
	return graph_fail(g, ERR_TYPE, "%s gives %s, wanted arrays%s", what, kind_text(result),
		result->kind == B_TYPE ? "; zeros of a type are f64[3](0)" : "");
}

Signature *close_over(Graph *g, const char *name, uint32_t n, const char *const *names,
	Binding *const *values, Elaborated outcome)
{
	Binding *result = outcome.value;
	if (!result || g->error.code) return NULL;
	if (binding_has_function(result) || (result->kind != B_NODE && !is_structure(result)))
		return not_arrays(g, name ? name : "the expression", result);
	Signature *sig = NEW(g->arena, Signature);
	*sig = (Signature){.name = name, .where = g->where, .said = outcome.said, .nparam = n};
	sig->param = NEW_ARRAY(g->arena, SignatureParam, n);
	uint32_t nleaf = 0, nresult = binding_leaves(result, NULL), k = 0;
	for (uint32_t i = 0; i < n; i++) nleaf += binding_leaves(values[i], NULL);
	Node **leaf = NEW_ARRAY(g->arena, Node *, nleaf + 1),
	     **out = NEW_ARRAY(g->arena, Node *, nresult + 2);
	for (uint32_t i = 0; i < n; i++) {
		SignatureParam *p = &sig->param[i];
		*p = (SignatureParam){.name = names[i], .first = k};
		p->count = binding_leaves(values[i], leaf + k);
		p->structure = structure_of(g, values[i], &k);
	}
	binding_leaves(result, out);
	if (outcome.token) out[nresult++] = outcome.token;
	Closure c;
	if (!function_close(g, (Title){.name = name}, (Nodes){nleaf, leaf}, (Nodes){nresult, out}, &c))
		return NULL;
	if (c.ncapture)
		return graph_fail(
			g, ERR_NAME, "%s uses an input that is no parameter", name ? name : "the expression");
	sig->function = c.function;
	k = 0;
	sig->result = structure_of(g, result, &k);
	set_types(sig->result, c.function->nresult, NULL, c.function->result);
	for (uint32_t i = 0; i < n; i++) {
		set_types(sig->param[i].structure, nleaf, c.function->param, NULL);
		name_leaves(g, c.function, sig->param[i].structure, names[i], 0);
	}
	name_closed_sizes(c.function, &c);
	return sig;
}

/* ---- parameters ----------------------------------------------------------------------------- */

/* `tied`: a parameter with a size that is the value of another parameter, fn f(n: i64, x: f64[n]): the call
 * gives it with a size of its own, and checks that this is the value. */
typedef struct Top {
	Elab *e;
	const FunctionValue *f;
	const Syntax *params; /* whose parts are the parameters */
	uint32_t n;
	Env env;
	GivenPart *given;
	TypeTerm **term;
	Binding **value, **fallback;
	Binding **inside; /* the values as the body has them: see with_sizes */
	const char **name;
	const char **number; /* the names of scalar parameters, NULL for the others */
	bool *learned;
	IdMap tied; /* by leaf: the type that was wanted */
} Top;

static const Declared *given_for(const Top *t, const char *path)
{
	const GivenPart *p = given_part(t->given, path);
	return p ? p->whole : NULL;
}

/* The sizes that given values tell by themselves: see learn_sizes.  Gives whether there was one. */
static bool learn_plain(Top *t, const TypeTerm *term, const char *path)
{
	Graph *g = t->e->g;
	const Declared *d = given_for(t, path);
	if (term->kind == TT_ARRAY)
		return d && d->type && learn_sizes(t->e, term, bind_node(g, fresh(g, d->type, NULL)));
	bool more = false;
	for (uint32_t i = 0; (term->kind == TT_TUPLE || term->kind == TT_RECORD) && i < term->n; i++)
		more |= learn_plain(t, term->elem[i],
			term->kind == TT_TUPLE ? arena_printf(g->arena, "%s.%u", path, i)
					       : arena_printf(g->arena, "%s.%s", path, term->field[i]));
	return more;
}

static void learn_tangled(Top *t)
{
	bool more = false;
	for (uint32_t i = 0; i < t->n; i++) more |= has_tangled_size(t->term[i]);
	while (more && t->given->first) {
		more = false;
		for (uint32_t i = 0; i < t->n; i++)
			more |= t->term[i] && learn_plain(t, t->term[i], t->name[i]);
	}
}

/* Sizes and dtypes of the type that given values tell. */
static bool learn(Top *t, const Syntax *s, TypeTerm *term, const char *path)
{
	Graph *g = t->e->g;
	const Declared *d = given_for(t, path);
	if (term->kind == TT_ARRAY && d && d->type)
		return match_type(t->e, s, path, term, bind_node(g, fresh(g, d->type, NULL))) != NULL;
	if (term->kind == TT_ANY && term->variable && d && d->type)
		return match_type(t->e, s, path, term, bind_node(g, fresh(g, d->type, NULL))) != NULL;
	for (uint32_t i = 0; (term->kind == TT_TUPLE || term->kind == TT_RECORD) && i < term->n; i++)
		if (!learn(t, s, term->elem[i],
			    term->kind == TT_TUPLE ? arena_printf(g->arena, "%s.%u", path, i)
						   : arena_printf(g->arena, "%s.%s", path, term->field[i])))
			return false;
	return true;
}

static void note_value(void *user, const Atom *a)
{
	*(bool *)user |= a->kind == ATOM_NODE;
}

static Node *parameter_leaf(Elab *e, void *user, const char *path, const Type *type)
{
	Top *t = user;
	const Size *dim[RANK_MAX];
	const char *last = strrchr(path, '.');
	bool tied = false;
	for (uint32_t i = 0; i < type->n; i++) {
		bool value = false;
		size_atoms(DIM(type, i), note_value, &value);
		dim[i] = DIM(type, i);
		if (value)
			dim[i] = signature_size(e, arena_printf(e->g->arena, "%s_size",
				last ? last + 1 : path));
		tied |= value;
	}
	if (!tied) {
		Node *plain = fresh(e->g, type, path);
		asked_leaf(e, given_for(t, path), plain);
		return plain;
	}
	Node *leaf = fresh(e->g, type_array(e->g, (Dtype)type->dtype, type->n, dim), path);
	if (leaf) idmap_put(&t->tied, leaf->id, (void *)(uintptr_t)type);
	return leaf;
}

static Binding *with_sizes(Top *t, Binding *b)
{
	uint32_t n = t->tied.count && (b->kind == B_NODE || is_structure(b)) ? binding_leaves(b, NULL) : 0;
	if (!n) return b;
	Node **leaf = NEW_ARRAY(t->e->g->arena, Node *, n);
	binding_leaves(b, leaf);
	for (uint32_t i = 0; i < n; i++) {
		const Type *wanted = idmap_get(&t->tied, leaf[i]->id);
		if (wanted) leaf[i] = sized(t->e->g, leaf[i], wanted->n, wanted->u.dim);
	}
	return t->e->g->error.code ? NULL : binding_refill(t->e->g, b, leaf);
}

/* A parameter without a type, from what is given: a type, or a structure of "p.w", "p.b". */
static Node *given_fresh(Elab *e, const char *path, const Declared *d)
{
	Node *leaf = fresh(e->g, d->type, path);
	asked_leaf(e, d, leaf);
	return leaf;
}

static Binding *from_given(Top *t, const char *path)
{
	return given_value(t->e, given_part(t->given, path), path, given_fresh);
}

static bool untyped(Top *t, uint32_t i, const Syntax *p)
{
	Elab *e = t->e;
	t->value[i] = from_given(t, t->name[i]);
	Binding *d = t->fallback[i];
	if (!t->value[i] && d && d->kind == B_NODE && dtype_is_weak(node_dtype(d->node)))
		t->value[i] = bind_node(e->g,
			fresh(e->g, type_with_dtype(e->g, d->node->type, dtype_strong(node_dtype(d->node))),
				t->name[i]));
	else if (!t->value[i] && d && d->kind == B_NODE)
		t->value[i] = bind_node(e->g, fresh(e->g, d->node->type, t->name[i]));
	else if (!t->value[i])
		t->value[i] = d;
	return t->value[i] ||
		fail_at_syntax(e, p, ERR_TYPE, "%s: parameter %s has no type; a value must give it",
			t->f->name, t->name[i]);
}

static bool is_scalar_type(const Syntax *type)
{
	return type && type->kind == SYN_NAME;
}

/* What given values tell of sizes.  Those that compute with a number that is a parameter itself, as in
 * fn f(n: i64, x: f64[n*n]), wait until it is bound. */
static bool learn_all(Top *t, bool bound)
{
	for (uint32_t i = 0; i < t->n; i++) {
		bool waits = !bound && !t->number[i] && has_size_of(t->term[i], t->n, t->number);
		if (!t->term[i] || t->learned[i] || waits) continue;
		t->learned[i] = true;
		if (!learn(t, t->params->part[i], t->term[i], t->name[i])) return false;
	}
	return true;
}

/* Values for all parameters: bound leaves in their structures. */
static bool make_parameters(Top *t)
{
	Elab *e = t->e;
	Env types = {t->env.scope, UINT32_MAX};
	for (uint32_t i = 0; i < t->n; i++) {
		const Syntax *p = t->params->part[i];
		if (p->kind == SYN_RUN || p->part[0]->kind != SYN_NAME)
			return fail_at_syntax(e, p, ERR_TYPE,
				"%s: a run or pattern is no parameter of a whole program", shown(e, p));
		t->name[i] = p->part[0]->name;
		if (p->part[1] && !(t->term[i] = type_term(e, types, p->part[1]))) return false;
		t->number[i] = is_scalar_type(p->part[1]) ? t->name[i] : NULL;
	}
	learn_tangled(t);
	if (!learn_all(t, false)) return false;
	for (int scalars = 1; scalars >= 0; scalars--) { /* a size may be a scalar parameter */
		if (!scalars && !learn_all(t, true)) return false;
		for (uint32_t i = 0; i < t->n; i++) {
			const Syntax *p = t->params->part[i];
			if (is_scalar_type(p->part[1]) != (bool)scalars) continue;
			t->env.seen = t->env.scope->count;
			if (p->part[2] && !(t->fallback[i] = elab(e, t->env, p->part[2]))) return false;
			const Declared *d = given_for(t, t->name[i]);
			if (d && d->value) {
				t->value[i] = d->value;
			} else if (t->term[i] && t->term[i]->kind != TT_FUNCTION &&
				!(t->term[i]->kind == TT_ANY && from_given(t, t->name[i]))) {
				e->declaring = true;
				t->value[i] = term_leaves(e, p, t->term[i], t->name[i], parameter_leaf, t);
				e->declaring = false;
			} else if (!untyped(t, i, p)) {
				return false;
			}
			t->inside[i] = t->value[i] ? with_sizes(t, t->value[i]) : NULL;
			if (!t->inside[i]) return false;
			env_bind(e, &t->env, t->name[i], t->inside[i]);
		}
	}
	t->env.seen = t->env.scope->count;
	return true;
}

/* ---- functions ------------------------------------------------------------------------------------ */

static bool given_brackets(Top *t)
{
	const Syntax *list = t->f->syntax->kind == SYN_LAMBDA ? NULL : t->f->syntax->part[0];
	if (list && !bind_brackets(t->e, t->f, t->f->syntax, &t->env)) return false;
	for (uint32_t i = 0; list && i < list->count; i++) {
		const Syntax *p = list->part[i];
		const Declared *d = given_for(t, p->kind == SYN_RUN ? p->name : p->part[0]->name);
		if (d && d->value)
			env_bind(t->e, &t->env, p->kind == SYN_RUN ? p->name : p->part[0]->name, d->value);
	}
	return true;
}

static Binding *whole_body(Top *t)
{
	Elab *e = t->e;
	const Syntax *d = t->f->syntax, *body = definition_body(e->g, d);
	Given *given = NEW_ARRAY(e->g->arena, Given, t->n);
	for (uint32_t i = 0; i < t->n; i++) given[i] = (Given){t->name[i], t->inside[i], t->params->part[i]};
	if (!bind_params(e, &t->env,
		    &(GivenAll){.at = d, .what = t->f->name, .params = t->params, .n = t->n, .ngiven = t->n,
			    .given = given}))
		return NULL;
	e->active = d;
	Binding *b = elab(e, t->env, body);
	if (b && d->kind != SYN_LAMBDA && d->part[2]) {
		TypeTerm *term = type_term(e, (Env){t->env.scope, UINT32_MAX}, d->part[2]);
		b = term ? match_type(e, body, "the result", term, b) : NULL;
	}
	return b;
}

/* `asked` may be NULL. */
static Signature *attempt(
	Graph *g, Binding *function, const char *name, uint32_t ngiven, const Declared *given, Asked *asked)
{
	Elab e = {.g = g, .lib = library_of(g), .asked = asked};
	const FunctionValue *f = function->kind == B_FUNCTION ? function->function : NULL;
	if (!f || (f->kind != F_LAMBDA && f->kind != F_DEFINITION))
		return graph_fail(g, ERR_NAME, "%s is %s, not a function of the file", name ? name : "it",
			kind_text(function));
	const Syntax *d = f->syntax;
	Top t = {.e = &e,
		.f = f,
		.params = f->kind == F_LAMBDA ? d : d->part[1],
		.given = given_parts(g, ngiven, given),
		.env = env_open(&e, f->env)};
	idmap_open(&t.tied, g->arena);
	t.n = f->kind == F_LAMBDA ? d->count - 1 : t.params->count;
	t.term = NEW_ARRAY(g->arena, TypeTerm *, t.n);
	t.value = NEW_ARRAY(g->arena, Binding *, t.n);
	t.inside = NEW_ARRAY(g->arena, Binding *, t.n);
	t.fallback = NEW_ARRAY(g->arena, Binding *, t.n);
	t.name = NEW_ARRAY(g->arena, const char *, t.n);
	t.number = NEW_ARRAY(g->arena, const char *, t.n);
	t.learned = NEW_ARRAY(g->arena, bool, t.n);
	e.signature = t.env.scope;
	at(&e, d);
	e.library_calls = f->env.scope->module->library;
	if (!given_brackets(&t) || !make_parameters(&t)) return NULL;
	for (uint32_t i = 0; i < t.n; i++)
		promise_facts(g, t.params->part[i]->part[3], t.name[i], t.term[i], t.value[i]);
	Binding *result = whole_body(&t);
	g->where = d->where;
	const Elaborated whole = {result, e.token, said_of_calls(&e)};
	Signature *sig = close_over(g, name ? name : f->name, t.n, t.name, t.value, whole);
	if (!sig) return NULL;
	FactList facts = {0};
	sig->documentation = f->kind == F_DEFINITION ? d->text : NULL;
	for (uint32_t i = 0; i < t.n; i++) {
		const Syntax *p = t.params->part[i];
		sig->param[i].fallback = t.fallback[i];
		sig->param[i].fact = p->part[3];
		sig->param[i].where = p->where;
		if (p->part[3] && sig->param[i].structure->kind == B_NODE)
			add_fact(g, &facts, p->part[3], t.name[i], sig->param[i].first);
		field_facts(g, &facts, t.term[i], sig->param[i].structure);
		passed_facts(&e, &facts, t.value[i], sig->param[i].first);
	}
	sig->fact = facts.v;
	sig->nfact = facts.n;
	return g->error.code ? NULL : sig;
}

Signature *elaborate_function_value(
	Graph *g, Binding *function, const char *name, uint32_t ngiven, const Declared *given)
{
	Asked asked;
	Signature *sig;
	if (!function || g->error.code) return NULL;
	const struct Apart before = g->apart;
	bool whole = asked_open(g, &asked, ngiven, given);
	do {
		g->apart = (struct Apart){0};
		sig = attempt(g, function, name, ngiven, asked.given, whole ? &asked : NULL);
	} while (asked_again(g, &asked));
	g->apart = before;
	return sig;
}

Signature *elaborate_function(Graph *g, Module *m, const char *name, uint32_t ngiven, const Declared *given)
{
	if (!m || g->error.code) return NULL;
	const char *interned = names_get(&g->names, name, strlen(name));
	Decl *d = module_decl(m, interned);
	if (!d || d->syntax->kind == SYN_TYPE || d->syntax->kind == SYN_USE) {
		g->where = (Where){m->file, 0, 0};
		return graph_fail(g, ERR_NAME, "there is no function %s", name);
	}
	return elaborate_function_value(g, module_value(g, m, interned), interned, ngiven, given);
}
