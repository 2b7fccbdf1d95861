/* size_walk.c - sizes taken apart: substitution, evaluation, printing. */
#include "size.h"

#include <inttypes.h>

/* ---- substitution ---- */

/* What is divided by 0 once its sizes are known stays a division, which fails where somebody asks for it. */
static const Size *by_zero(Graph *g, const Atom *x, const Size *a, const Size *b)
{
	bool divides = x->kind == ATOM_FLOORDIV || x->kind == ATOM_MOD;
	if (!divides || !a || !b || !size_equals(b, 0)) return NULL;
	return size_of_atom(g, (Atom){.kind = x->kind, .a = a, .b = b});
}

static const Size *substitute_atom(Graph *g, const Atom *x, atom_map map, void *user)
{
	const Size *whole = map && x->kind <= ATOM_NODE ? map(user, x) : NULL;
	if (whole) return whole;
	const Size *a = x->a ? size_substitute(g, x->a, map, user) : NULL;
	const Size *b = x->b ? size_substitute(g, x->b, map, user) : NULL, *none = by_zero(g, x, a, b);
	if (none) return none;
	switch (x->kind) {
	case ATOM_NAME: return size_named(g, x->name);
	case ATOM_PARAM: return (x->data ? size_param_of_data : size_param)(g, x->index);
	case ATOM_NODE: return size_of_node(g, x->node);
	case ATOM_FLOORDIV: return size_floordiv(g, a, b);
	case ATOM_MOD: return size_mod(g, a, b);
	case ATOM_MIN: return size_min(g, a, b);
	case ATOM_MAX: return size_max(g, a, b);
	}
	return NULL;
}

const Size *size_substitute(Graph *g, const Size *s, atom_map map, void *user)
{
	int64_t number;
	if (!s || size_is(s, &number)) return s;
	const Atom *single = size_single(s);
	if (single) return substitute_atom(g, single, map, user);
	const Size *total = size_const(g, 0);
	for (uint32_t i = 0; i < s->nterm; i++) {
		const Size *product = size_const(g, s->term[i].coef);
		for (uint32_t j = 0; j < s->term[i].natom; j++)
			product = size_mul(g, product, substitute_atom(g, s->term[i].atom[j], map, user));
		total = size_add(g, total, product);
	}
	return total;
}

void size_atoms(const Size *s, void (*visit)(void *user, const Atom *), void *user)
{
	for (uint32_t i = 0; i < s->nterm; i++)
		for (uint32_t j = 0; j < s->term[i].natom; j++) {
			const Atom *x = s->term[i].atom[j];
			if (x->kind <= ATOM_NODE) {
				visit(user, x);
				continue;
			}
			size_atoms(x->a, visit, user);
			size_atoms(x->b, visit, user);
		}
}

static void is_of_node(void *user, const Atom *a)
{
	if (a->kind == ATOM_NODE) *(bool *)user = true;
}

bool size_is_of_node(const Size *s)
{
	bool found = false;
	size_atoms(s, is_of_node, &found);
	return found;
}

bool size_is_defined(Graph *g, const Size *s)
{
	bool defined = true;
	for (uint32_t i = 0; i < s->nterm && defined; i++)
		for (uint32_t j = 0; j < s->term[i].natom && defined; j++) {
			const Atom *x = s->term[i].atom[j];
			if (x->kind <= ATOM_NODE) continue;
			const bool divides = x->kind == ATOM_FLOORDIV || x->kind == ATOM_MOD;
			defined = !divides || size_holds(g, size_const(g, 1), x->b, false);
			defined = defined && size_is_defined(g, x->a) && size_is_defined(g, x->b);
		}
	return defined;
}

/* Is an atom met of all of those? */
typedef struct AtomSearch {
	const Atom *atom;
	bool found, all;
	const Size *among;
} AtomSearch;

static void note_same(void *user, const Atom *a)
{
	AtomSearch *s = user;
	s->found |= a == s->atom;
}

static void look_for(void *user, const Atom *a)
{
	AtomSearch *s = user, one = {.atom = a};
	size_atoms(s->among, note_same, &one);
	s->all &= one.found;
}

bool size_grows_as(const Size *part, const Size *whole)
{
	int64_t all, some;
	if (size_is(whole, &all)) return !size_is(part, &some) || some > all / 2;
	AtomSearch s = {.all = true, .among = part};
	size_atoms(whole, look_for, &s);
	return s.all;
}

/* ---- evaluation ---- */

static bool floor_division(int64_t a, int64_t b, bool remainder, int64_t *value)
{
	if (b == 0 || (a == INT64_MIN && b == -1)) return false;
	int64_t q = a / b, r = a % b;
	bool off = r && (r < 0) != (b < 0);
	if (remainder)
		*value = off ? r + b : r;
	else
		*value = q - off;
	return true;
}

static bool evaluate_atom(const Atom *x, atom_value value, void *user, int64_t *result)
{
	int64_t a, b;
	if (x->kind <= ATOM_NODE) return value(user, x, result);
	if (!size_evaluate(x->a, value, user, &a) || !size_evaluate(x->b, value, user, &b)) return false;
	if (x->kind == ATOM_FLOORDIV || x->kind == ATOM_MOD)
		return floor_division(a, b, x->kind == ATOM_MOD, result);
	*result = (a < b) == (x->kind == ATOM_MIN) ? a : b;
	return true;
}

bool size_evaluate(const Size *s, atom_value value, void *user, int64_t *result)
{
	int64_t total = 0;
	for (uint32_t i = 0; i < s->nterm; i++) {
		int64_t product = s->term[i].coef, x;
		for (uint32_t j = 0; j < s->term[i].natom; j++)
			if (!evaluate_atom(s->term[i].atom[j], value, user, &x) ||
				__builtin_mul_overflow(product, x, &product))
				return false;
		if (__builtin_add_overflow(total, product, &total)) return false;
	}
	*result = total;
	return true;
}

/* ---- printing ---- */

static bool is_division(const Atom *x)
{
	return x->kind == ATOM_FLOORDIV || x->kind == ATOM_MOD;
}

/* Functions share their parameters, so of these it is the function that knows names. */
static const char *scalar_name(const Within *at, const Node *x)
{
	if (x->op == OP_INPUT) return x->attr->v[0].u.name;
	if (x->op == OP_PARAM && at) {
		const char *name = at->f->param_name[attr_int(x, 0)];
		return !name && at->around && at->body->bound && !attr_int(x, 0) ? "i" : name; /* of passes */
	}
	for (const Origin *o = x->origin; o; o = o->next)
		if (o->name) return o->name;
	return NULL;
}

static bool is_captured(const Within *at, const Node *x)
{
	return x->op == OP_PARAM && at && at->around && attr_int(x, 0) >= at->body->bound;
}

/* What computes a number, or an index. */
typedef struct NumberText {
	Text *t;
	bool named; /* a name stands in it */
} NumberText;

static void print_computed(NumberText *c, const Within *at, const Node *x, int levels);

static void print_arguments(NumberText *c, const Within *at, const Node *x, int levels)
{
	for (uint32_t i = 0; i < x->narg; i++) {
		if (i) text_add(c->t, ", ");
		print_computed(c, at, x->arg[i], levels);
	}
}

static bool is_sign(const Node *x)
{
	const char *op = op_info[x->op].text;
	return x->narg == 2 && (op[0] < 'a' || op[0] > 'z');
}

static void print_side(NumberText *c, const Within *at, const Node *x, int levels)
{
	const bool nested = levels && is_sign(x) && !scalar_name(at, x);
	text_add(c->t, nested ? "(" : "");
	print_computed(c, at, x, levels);
	text_add(c->t, nested ? ")" : "");
}

static void print_call(NumberText *c, const Within *at, const Node *x, int levels)
{
	const char *op = op_info[x->op].text;
	const Class class = op_info[x->op].class;
	const bool shown = class == MAP || class == FOLD || class == CUMULATIVE;
	text_printf(c->t, "%s(", op);
	if (shown && op[0] >= 'a' && op[0] <= 'z')
		print_arguments(c, at, x, levels - 1);
	else
		text_add(c->t, "...");
	text_char(c->t, ')');
}

/* A name, a number, x[i], sum(x), x + y; what is deeper is `...`. */
static void print_computed(NumberText *c, const Within *at, const Node *x, int levels)
{
	int64_t value;
	Text *t = c->t;
	while (x->op == OP_CAST || op_info[x->op].class == VIEW || is_captured(at, x))
		if (is_captured(at, x)) {
			x = at->around->arg[at->body->first + attr_int(x, 0)];
			at = at->outer;
		} else {
			x = x->arg[0];
		}
	const char *name = scalar_name(at, x);
	if (name) {
		text_add(t, name);
		c->named = true;
	} else if (constant_integer(x, &value)) {
		text_printf(t, "%lld", (long long)value);
	} else if (levels == 0 || x->op == OP_PARAM || x->op == OP_IOTA) {
		text_add(t, "...");
	} else if (x->op == OP_GET && x->arg[0]->narg) {
		text_printf(t, "%s(...)", op_info[x->arg[0]->op].text);
	} else if (x->op == OP_GATHER) {
		print_computed(c, at, x->arg[0], levels - 1);
		text_char(t, '[');
		print_computed(c, at, x->arg[1], levels - 1);
		text_char(t, ']');
	} else if (x->op == OP_WHERE) {
		print_computed(c, at, x->arg[1], levels);
		text_add(t, " or ");
		print_computed(c, at, x->arg[2], levels);
	} else if (is_sign(x)) {
		print_side(c, at, x->arg[0], levels - 1);
		text_printf(t, " %s ", op_info[x->op].text);
		print_side(c, at, x->arg[1], levels - 1);
	} else {
		print_call(c, at, x, levels);
	}
}

void scalar_print(Text *t, const Within *at, const Node *x)
{
	print_computed(&(NumberText){.t = t}, at, x, 2);
}

bool scalar_is_told(Arena *a, const Node *x)
{
	Text t;
	text_open(&t, a);
	NumberText c = {.t = &t};
	print_computed(&c, NULL, x, 2);
	return c.named;
}

/* Is it the same array, in other axes? */
static bool is_same_array(const Node *x)
{
	return x->op == OP_CAST || x->op == OP_TRANSPOSE || (x->op == OP_RESHAPE && !is_sized(x));
}

static const char *array_name(const Within *at, const Node *x)
{
	while (is_same_array(x) || is_captured(at, x))
		if (is_same_array(x)) {
			x = x->arg[0];
		} else {
			x = at->around->arg[at->body->first + attr_int(x, 0)];
			at = at->outer;
		}
	return scalar_name(at, x);
}

/* An index that is an argument is told by its name, another by what computes it, where a name is in that. */
static void print_index(Text *t, const Within *at, const Node *x)
{
	Text own;
	text_open(&own, t->arena);
	NumberText c = {.t = &own};
	print_computed(&c, at, x, 2);
	const char *told = text_done(&own);
	if (c.named) text_printf(t, ": %s", told);
}

void indices_print(Text *t, const Within *at, const Node *x)
{
	const size_t before = t->n;
	print_index(t, at, x->arg[1]);
	const char *array = array_name(at, x->arg[0]);
	if (array) text_printf(t, t->n > before ? ", in %s" : ": in %s", array);
}

/* The operand of a division: in parentheses unless it is one name, call or number. */
static void print_operand(Text *t, const Size *s)
{
	bool plain = !s->nterm;
	if (s->nterm == 1) {
		const Term *only = &s->term[0];
		plain = only->natom == 1 ? only->coef == 1 && !is_division(only->atom[0])
					 : !only->natom && only->coef > 0;
	}
	text_add(t, plain ? "" : "(");
	size_print(t, s);
	text_add(t, plain ? "" : ")");
}

static void print_atom(Text *t, const Atom *x)
{
	switch (x->kind) {
	case ATOM_NAME: text_add(t, x->name); break;
	case ATOM_PARAM: text_printf(t, "s%" PRIu32, x->index + 1); break;
	case ATOM_NODE: scalar_print(t, NULL, x->node); break;
	case ATOM_FLOORDIV:
	case ATOM_MOD:
		print_operand(t, x->a);
		text_add(t, x->kind == ATOM_MOD ? " % " : "//");
		print_operand(t, x->b);
		break;
	case ATOM_MIN:
	case ATOM_MAX:
		text_add(t, x->kind == ATOM_MIN ? "min(" : "max(");
		size_print(t, x->a);
		text_add(t, ", ");
		size_print(t, x->b);
		text_char(t, ')');
		break;
	}
}

/* A division beside a factor or a leading minus is put in parentheses. */
static void print_term(Text *t, const Term *x, bool first)
{
	uint64_t size = x->coef < 0 ? -(uint64_t)x->coef : (uint64_t)x->coef;
	bool minus = x->coef < 0, number = size != 1 || !x->natom;
	bool alone = x->natom == 1 && !number && !(first && minus);
	if (first)
		text_add(t, minus ? "-" : "");
	else
		text_add(t, minus ? " - " : " + ");
	if (number) text_printf(t, "%" PRIu64, size);
	for (uint32_t i = 0; i < x->natom; i++) {
		bool wrap = is_division(x->atom[i]) && !alone;
		if (i || number) text_char(t, '*');
		text_add(t, wrap ? "(" : "");
		print_atom(t, x->atom[i]);
		text_add(t, wrap ? ")" : "");
	}
}

uint32_t size_lead(const Size *s)
{
	for (uint32_t i = 0; i < s->nterm; i++)
		if (s->term[i].coef > 0) return i;
	return 0;
}

void size_print(Text *t, const Size *s)
{
	uint32_t lead = size_lead(s);
	if (!s->nterm)
		text_char(t, '0');
	else
		print_term(t, &s->term[lead], true);
	for (uint32_t i = 0; i < s->nterm; i++)
		if (i != lead) print_term(t, &s->term[i], false);
}

const char *size_shown(Graph *g, const Size *s)
{
	Text t;
	text_open(&t, g->arena);
	size_print(&t, s);
	return text_done(&t);
}
