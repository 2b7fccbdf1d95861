/* drive.c - bringing a region to the normal form of a stage.
 *
 * Needs: a graph without error.  Gives: roots equal to the old ones by the laws
 * allowed, in which no rule of the stage applies (or fuel is out, and said to
 * be).  Keeps: types.
 * One sweep, operands first, with a stack of its own: a node over normal
 * operands is rewritten until nothing applies; what a rule built is normalised
 * in the same way; `done` remembers.  Each frame has fuel for a chain of FUEL
 * applications, and the region has FUEL for each node, so the sweep is linear.
 */
#include "drive.h"
#include "match.h"

/* ---- one application ---------------------------------------------------------------- */

/* The right side in the type of the root, or NULL. */
Node *fit_type(Graph *g, Node *y, const Type *want)
{
	if (!y || y->type == want) return y;
	if (y->type->kind != TYPE_ARRAY || want->kind != TYPE_ARRAY) return NULL;
	double value;
	if (y->op == OP_CONST && constant_is_uniform(y) && dtype_is_weak(node_dtype(y)) &&
		constant_value(y, &value))
		return constant_float(g, want, value);
	if (y->type->dtype == want->dtype && y->type->n < want->n)
		y = broadcast_to(g, y, want->n, want->u.dim);
	return y && y->type == want ? y : NULL;
}

/* Does a size see no more of x than that it is x? */
static bool is_opaque(Graph *g, Node *x)
{
	const Size *s = size_of_node(g, x);
	return s && s->nterm == 1 && s->term[0].natom == 1 && s->term[0].atom[0]->kind == ATOM_NODE &&
		s->term[0].atom[0]->node == x && s->term[0].coef == 1;
}

/* Is x arithmetic that sizes see through, and y, of which they see no more than that it is y, another number
 * to them?  Loops count by it, and axes do. */
static bool hides_size(Graph *g, Node *x, Node *y)
{
	bool counts = node_is_scalar(x) && node_dtype(x) == DT_I64;
	return counts && !is_opaque(g, x) && is_opaque(g, y) && size_of_node(g, x) != size_of_node(g, y);
}

/* The right side among other factors: in the place of the first that it stands for above the line, what it
 * divides by in that of the first below it. */
static Node *in_places(Graph *g, const Match *m, const Ratios *f, Node *y)
{
	bool quotient = y->op == OP_DIV;
	Node *with[KEY_TERMS], *over = quotient ? y->arg[0] : y, *under = quotient ? y->arg[1] : NULL;
	for (uint32_t i = 0; i < f->n; i++) {
		Node **to = f->factor[i].below ? &under : &over;
		with[i] = m->used[i] ? *to : f->factor[i].x;
		if (m->used[i]) *to = NULL;
	}
	Node *z = ratio_with(g, m->ratio, with);
	if (over) z = z ? build2(g, OP_MUL, z, over) : over;
	return under ? build2(g, OP_DIV, z, under) : z;
}

static Node *among_factors(Graph *g, const Match *m, Node *y)
{
	Node *with[KEY_TERMS];
	Ratios f;
	if (!factors_of_ratio(m->facts, m->ratio, &f)) return NULL;
	if (m->scale != 1) {
		Node *by = constant_float(g, y->type, m->scale);
		y = build2(g, m->scale_below ? OP_DIV : OP_MUL, y, by);
	}
	if (!m->logarithm) return in_places(g, m, &f, y);
	for (uint32_t i = 0; i < f.n; i++) with[i] = i == m->upper ? NULL : f.factor[i].x;
	Node *rest = ratio_with(g, m->ratio, with);
	rest = rest ? build1(g, OP_LOG, rest) : NULL;
	return rest && m->logarithm > 0 ? build2(g, OP_ADD, y, rest) : build2(g, OP_SUB, rest, y);
}

/* Does the rule move an index or a fold? */
static bool is_move(const Rule *r)
{
	const Pattern *p = r->left;
	return p->kind == P_INDEX ||
		(p->kind == P_OPERATOR && (op_info[p->op].class == FOLD || p->op == OP_GATHER));
}

/* Does the rule join exponentials?  exp(x + x^2)*erfc(x) is no exp(x)*erfcx(x) any more. */
static bool joins_exponentials(const Rule *r)
{
	const Pattern *p = r->left;
	bool pair = p->kind == P_PRODUCT || (p->kind == P_OPERATOR && p->op == OP_DIV);
	for (uint32_t i = 0; pair && i < p->n; i++)
		pair = p->arg[i]->kind == P_OPERATOR && p->arg[i]->op == OP_EXP;
	return pair;
}

/* Is no divisor of the left side 0, for all that is known?  Finite operands give no finite quotient
 * otherwise. */
static bool divides_by_numbers(const Driver *d, const Match *m, const Pattern *p, bool divisor)
{
	if (p->kind == P_VARIABLE && divisor && m->rule->var[p->var].kind == V_VALUE && m->value[p->var])
		return off_zero(range_of(d->facts, m->value[p->var]));
	for (uint32_t i = 0; i < p->n; i++) {
		bool below = p->kind == P_OPERATOR && p->op == OP_DIV && i == 1;
		if (!divides_by_numbers(d, m, p->arg[i], divisor || below)) return false;
	}
	return true;
}

/* Of law finite, where facts prove that all it meets is. */
static bool is_proved_finite(const Driver *d, const Match *m, const Rule *r)
{
	for (uint32_t i = 0; i < r->nvar; i++)
		if (r->var[i].kind == V_VALUE && m->value[i] && !range_of(d->facts, m->value[i])->finite)
			return false;
	return divides_by_numbers(d, m, r->left, false);
}

/* May other terms stand around what was matched?  They are grouped in another way then, which a narrow range
 * does not allow. */
static bool bears_grouping(const Node *whole)
{
	return !dtype_is_float(node_dtype(whole)) || is_wide(node_dtype(whole));
}

static bool law_allowed(const Driver *d, const Match *m, const Rule *r)
{
	const RuleUse *use = rule_use(d->g, r);
	if (use->off || (use->late && !d->o->last)) return false;
	if (d->o->whole && (is_move(r) || joins_exponentials(r))) return false;
	if (d->cancels && r->left->kind == P_SUM && r->law != LAW_EXACT) return false;
	const Node *around = m->whole ? m->whole : m->ratio;
	if (around && r->law != LAW_EXACT && !bears_grouping(around)) return false;
	if (d->laws & 1u << r->law) return true;
	return r->law == LAW_FINITE && d->laws & 1u << LAW_REAL && is_proved_finite(d, m, r);
}

static void record(Driver *d, const Rule *r, const char *what, Node *before, Node *after)
{
	RewriteOptions *o = d->o;
	o->fired++;
	if (!o->log_arena) return;
	GROW(o->log_arena, o->log, o->nlog, o->log_cap);
	o->log[o->nlog++] = (Application){r, what, before, after, o->function};
}

/* `side` of r at x: r itself, or an equation from right to left, by which x must come to cost less; with
 * `split` at the logarithm of one factor of log(f(x)*y). */
static Node *apply_rule(Driver *d, const Rule *r, const Rule *side, Node *x, bool split)
{
	Graph *g = d->g;
	Match m;
	RuleUse *use = rule_use(g, r);
	if (use->wide && is_narrow(x)) return NULL;
	use->tried++;
	d->o->tried++;
	if (!(d->laws & 1u << r->law) && r->law != LAW_FINITE) return NULL;
	match_open(&m, g, d->scratch, d->facts);
	bool found = split ? match_logarithm(&m, side, x) : match_rule(&m, side, x);
	d->matched |= found;
	if (!found || !law_allowed(d, &m, r)) return NULL;
	Node *y = side->call ? by_function(d, side, x, &m) : solid(g, instantiate(&m, side->right, x->type));
	if (y && (m.whole || m.ratio)) y = fit_type(g, y, x->type);
	if (y && m.whole) y = terms_around(g, &m, y);
	if (y && m.ratio) y = among_factors(g, &m, y);
	y = fit_type(g, y, x->type);
	bool good = y && y != x && !g->error.code && (!r->equation || costs_less(&m, &d->needs, y, x));
	if (!good || (!d->lower && forgets_sizes(d, x, y)) || hides_size(g, x, y)) {
		use->refused++;
		d->o->refused++;
		return NULL;
	}
	use->fired++;
	node_note(g, y, NULL, r->name, x->id);
	record(d, r, r->name, x, y);
	return y;
}

static Node *by_equation(Driver *d, Node *x)
{
	for (uint32_t i = 0; i < d->nequation; i++) {
		const Rule *r = rule_at(d->g, d->equation[i]);
		for (uint32_t k = 0; k < 2; k++) {
			const Rule *side = k ? r->back : r;
			Trial t;
			trial_begin(d->g, &t);
			Node *y = side ? apply_rule(d, r, side, x, false) : NULL;
			trial_end(d->g, &t);
			if (y) return y;
		}
	}
	return NULL;
}

/* Is y the exp of a square that a rule makes something else of? */
static bool is_undone(const Driver *d, const Node *y)
{
	if (y->op != OP_EXP) return false;
	do
		y = y->arg[0];
	while (y->op == OP_NEG || y->op == OP_DIV);
	const Node *end = y->op == OP_POW ? done_of(d, y) : NULL;
	return end && end != y;
}

/* What needs no pattern: constants, like terms, orders of operands. */
static Node *by_code(Driver *d, Node *x)
{
	Graph *g = d->g;
	const char *what = NULL;
	Trial t;
	g->rule = "constant";
	trial_begin(g, &t);
	Node *y = by_no_pattern(d, x, &what);
	bool bad = y && (y == x || y->type != x->type || g->error.code || is_undone(d, y));
	if (bad || (y && (forgets_sizes(d, x, y) || hides_size(g, x, y)))) y = NULL;
	trial_end(g, &t);
	if (y) record(d, NULL, what, x, y);
	return y;
}

/* The first rule that matches and may; broken: its function made an error, which stays.  A logarithm is split
 * where no rule takes it whole: log(sinh(x)/x) is none of log(sinh(x)). */
Node *by_book(Driver *d, Node *x, bool *broken)
{
	Graph *g = d->g;
	uint32_t n, own, splits = x->op == OP_LOG && dtype_is_float(node_dtype(x));
	const uint32_t *rules = automaton_rules(d->automaton, state_at(d, x), &n, &own);
	Node *y = NULL;
	if (found_of(d, x) & FOUND_UNMATCHED) n = own;
	d->matched = false;
	for (uint32_t i = 0; i < n << splits && !y && !*broken; i++) {
		const Rule *r = rule_at(g, rules[i % n]);
		Trial t;
		if ((i >= n && !r->splits) || !match_may_be_at(d->facts, r, x)) continue;
		g->rule = r->name;
		trial_begin(g, &t);
		y = apply_rule(d, r, r, x, i >= n);
		*broken = r->call && g->error.code;
		if (!*broken) trial_end(g, &t);
	}
	if (d->algebra && n > own && !d->matched) note_found(d, x, FOUND_UNMATCHED);
	return y;
}

/* One rewriting of x, whose operands are normal; NULL: x is normal. */
static Node *step(Driver *d, Node *x)
{
	Graph *g = d->g;
	if (x->type->kind == TYPE_TOKEN || op_info[x->op].class == LEAF) return NULL;
	if (d->o->most && d->o->fired >= d->o->most) return NULL;
	const Where where = g->where;
	const char *rule = g->rule;
	uint32_t from = g->from;
	bool broken = false;
	g->where = x->origin ? x->origin->where : where;
	g->from = x->id;
	const int derived = g->derived;
	g->derived += node_is_derived(x);
	Node *y = by_code(d, x);
	if (!y) y = by_book(d, x, &broken);
	if (!y && !broken) y = by_factor(d, x, &broken);
	if (!y && !broken && d->nequation && x->type->kind == TYPE_ARRAY) y = by_equation(d, x);
	if (!y && !broken && d->lower && library_name(x)) {
		g->rule = "meaning";
		if ((y = expand_op(g, x))) record(d, NULL, "meaning", x, y);
	}
	g->where = where;
	g->rule = rule;
	g->from = from;
	g->derived = derived;
	return y;
}

/* ---- the sweep ------------------------------------------------------------------------------ */

enum { LOOKED_FOR = 4 };    /* operands: they are wanted when the first is done */

static void push(Driver *d, Node *x, uint32_t fuel)
{
	GROW(d->scratch, d->stack, d->n, d->cap);
	for (uint32_t k = 1; k < x->narg && k < LOOKED_FOR; k++) __builtin_prefetch(x->arg[k]);
	d->stack[d->n++] = (NodeVisit){x, NULL, NULL, fuel, 0};
}

static void settle(Driver *d, Node *x, Node *normal)
{
	side_for(d, x)->done = normal;
	if (x == normal)
		note_literals(d, normal);
	else
		needs_move(&d->needs, x, normal);
	const char *name = x->origin && normal != x ? x->origin->name : NULL;
	if (name && !node_has_name(normal, name)) node_note(d->g, normal, name, NULL, x->id);
}

/* A size that a rewritten node holds is that of its normal form. */
static const Size *normal_atom(void *user, const Atom *a)
{
	Driver *d = user;
	Node *y = a->kind == ATOM_NODE ? done_of(d, a->node) : NULL;
	return y && y != a->node ? size_of_node(d->g, y) : NULL;
}

enum { BRANCH_ROUNDS = 4, LOOP_ROUNDS = 32 };

/* A branch whose sides have become simpler may be none, or capture less. */
static Node *normal_branch(Driver *d, Node *x)
{
	for (uint32_t round = 0; x && x->op == OP_IF && round < BRANCH_ROUNDS; round++) {
		Node *before = x, *plain = (d->lower ? distinct_branch : simpler_branch)(d->g, d->scratch, x);
		/* a condition that is asked no more asks nothing of sizes */
		if (!plain || plain == x || d->lower || !forgets_sizes(d, x, plain)) x = plain;
		if (x && x != before && x->op != OP_IF)
			record(d, NULL, before->arg[0]->op == OP_CONST ? "side" : "select", before, x);
		if (x && x->op == OP_IF) x = with_rewritten_bodies(d, x);
		if (x == before) break;
	}
	return x;
}

/* Of few passes none is left; what is carried twice is carried once. */
static Node *simpler_loop(Driver *d, Node *x)
{
	x = without_passes(d->g, d->scratch, x);
	return x && x->op == OP_SCAN ? distinct_carries(d->g, d->scratch, x) : x;
}

/* What needs no pass of its own leaves the loop, once its body is normal. */
static Node *normal_loop(Driver *d, Node *x)
{
	bool leaves = d->algebra && d->laws & 1 << LAW_REAL;
	Node *before = NULL;
	for (uint32_t round = 0; x && x != before && x->op == OP_SCAN && round < LOOP_ROUNDS; round++) {
		before = x;
		x = with_rewritten_bodies(d, x);
		if (x && x != before) x = distinct_captures(d->g, d->scratch, x);
		if (x && d->algebra) x = simpler_loop(d, x);
		if (x && leaves && x->op == OP_SCAN) x = with_products_before(d->g, d->scratch, x);
		if (x && leaves && x->op == OP_SCAN) x = without_sums(d->g, d->scratch, x);
		if (x && leaves && x->op == OP_SCAN) x = without_places(d->g, d->scratch, x);
		if (x && d->lower && x->op == OP_SCAN) x = with_strides(d->g, d->scratch, x);
	}
	return x;
}

/* Loops that stack the same are merged behind `stable`. */
static Node *normal_product(Driver *d, Node *x)
{
	bool merges = d->algebra && d->o->last && d->laws & 1 << LAW_REAL;
	return merges ? product_of_passes(d->g, d->scratch, x) : x;
}

/* x over normal operands. */
static Node *over_normal(Driver *d, Node *x)
{
	Graph *g = d->g;
	Node *small[8], **arg = small, *y = x;
	bool same = true;
	if (x->narg > countof(small)) arg = NEW_ARRAY(d->scratch, Node *, x->narg);
	for (uint32_t i = 0; i < x->narg; i++) {
		arg[i] = done_of(d, x->arg[i]);
		same &= arg[i] == x->arg[i];
	}
	if (!same) {
		Heritage before = heritage_begin(g, x);
		y = x->op == OP_GET ? get(g, arg[0], (uint32_t)attr_int(x, 0))
				    : node_with(g, x, arg, normal_atom, d);
		heritage_end(g, before, x, y);
	}
	const Where where = g->where;
	g->where = x->origin ? x->origin->where : where;
	if (y && y->op == OP_SCAN) y = without_still(g, d->scratch, y);
	if (y && y->op == OP_SCAN) y = distinct_captures(g, d->scratch, y);
	if (y && y->op == OP_IF)
		y = normal_branch(d, y);
	else if (y && y->op == OP_SCAN)
		y = normal_loop(d, y);
	else if (y && y->op == OP_CONTRACT)
		y = normal_product(d, y);
	else if (y && !library_name(y))
		y = with_rewritten_bodies(d, y);
	g->where = where;
	return y;
}

static bool operands_first(Driver *d, NodeVisit *f)
{
	for (; f->next < f->x->narg; f->next++)
		if (!done_of(d, f->x->arg[f->next])) {
			push(d, f->x->arg[f->next], f->fuel);
			return true;
		}
	return false;
}

/* Without an end y stays as it is, and so does what came with it and is not normal. */
static void leave(Driver *d, Node *y)
{
	const uint32_t base = d->n;
	if (!done_of(d, y)) push(d, y, 0);
	while (d->n > base) {
		if (operands_first(d, &d->stack[d->n - 1])) continue;
		Node *x = d->stack[--d->n].x;
		for (uint32_t k = 0; k < x->narg; k++) {
			SweepNode *side = side_for(d, x->arg[k]);
			const StateRow *leaf = side->state ? NULL : automaton_leaf(d->automaton, x->arg[k]);
			if (leaf) side->state = (uintptr_t)leaf | ASKS;
		}
		set_state(d, x);
		if (x != y) settle(d, x, x);
	}
}

static bool normalise(Driver *d, Node *root)
{
	push(d, root, FUEL);
	while (d->n) {
		NodeVisit *f = &d->stack[d->n - 1];
		Node *known;
		if (f->z) {
			known = done_of(d, f->z);
			settle(d, f->x, known);
			if (f->y != f->x) settle(d, f->y, known);
			d->n--;
			continue;
		}
		if (done_of(d, f->x)) {
			d->n--;
			continue;
		}
		if (operands_first(d, f)) continue;
		d->o->visited++;
		Node *x = f->x, *y = over_normal(d, x);
		if (!y) return false;
		if (y != x && (known = done_of(d, y))) {
			settle(d, x, known);
			d->n--;
			continue;
		}
		bool ready = true; /* get of a tuple, or a new body, may bring other operands */
		for (uint32_t i = 0; y != x && i < y->narg; i++)
			ready &= done_of(d, y->arg[i]) == y->arg[i];
		if (ready) set_state(d, y);
		d->cancels = idmap_get(&d->cancelling, x->id);
		Node *z = ready ? step(d, y) : y;
		if (d->g->error.code) return false;
		if (z && (!f->fuel || !d->fuel)) {
			if (!endless(d, y, z)) return false;
			if (!ready) leave(d, y);
			z = NULL;
		}
		if (z) {
			d->fuel--;
			f->y = y;
			f->z = z;
			push(d, z, f->fuel - 1);
			continue;
		}
		settle(d, y, y);
		if (x != y) settle(d, x, y);
		d->n--;
	}
	return true;
}

static bool has_opposites(const Terms *t)
{
	Node *x[KEY_TERMS];
	for (uint32_t i = 0; i < t->n; i++) x[i] = t->term[i].x;
	if (!is_one_twice(t->n, x)) return false;
	for (uint32_t i = 0; i < t->n; i++)
		for (uint32_t k = i + 1; k < t->n; k++)
			if (x[i] == x[k] && t->term[i].sign != t->term[k].sign) return true;
	return false;
}

/* In (1 - exp(x)) + exp(x), exp(x) goes, rounding and all, where -expm1(x) + exp(x) keeps an error as large
 * as it: of a sum that holds a term and its opposite nothing is made more accurate. */
static void note_cancelling(Driver *d, const Region *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		region_look_ahead(r, i);
		Node *stack[2 * KEY_TERMS], *x = r->node[i];
		Terms t;
		uint32_t n = 0, first;
		if (x->op != OP_ADD && x->op != OP_SUB) continue;
		if (!sum_terms(d->facts, x, &t, &first) || !has_opposites(&t)) continue;
		for (stack[n++] = x; n;) {
			Node *y = stack[--n];
			idmap_put(&d->cancelling, y->id, y);
			for (uint32_t k = 0; k < y->narg && n < countof(stack); k++) {
				Op op = (Op)y->arg[k]->op;
				if (op == OP_ADD || op == OP_SUB || op == OP_NEG) stack[n++] = y->arg[k];
			}
		}
	}
}

/* What leaves of an open graph are counted by stays as it is, and what that is made of: they cannot be
 * counted by anything else. */
static void keep_counts(Driver *d, const Region *r)
{
	IdMap counts;
	idmap_open(&counts, d->scratch);
	for (uint32_t i = 0; i < r->n; i++) {
		Node *x = r->node[i];
		if (op_info[x->op].class == LEAF && x->op != OP_CONST) counts_of((Nodes){1, &x}, &counts);
	}
	for (uint32_t i = 0; i < r->n && counts.count; i++) {
		Node *x = r->node[i];
		if (!idmap_get(&counts, x->id)) continue;
		leave(d, x);
		settle(d, x, x);
	}
}

/* How large it is, and which nodes are needed twice or whole; gives the list of its nodes. */
static const Region *survey(Driver *d, uint32_t n, Node *const *roots)
{
	const Function *f = d->o->function;
	bool own = f && f->region && n == f->nresult && !memcmp(roots, f->result, n * sizeof *roots);
	const Region *r = own ? f->region : region_of(d->scratch, n, roots);
	d->fuel = (uint64_t)FUEL * (r->n + 64);
	if (d->algebra) needs_of(d->g, &d->needs, r, n, roots);
	if (!strcmp(d->stage, "stable")) note_cancelling(d, r);
	return r;
}

/* Operands first, as from the roots, but along the list: what comes next is known, and looked for.  Not where
 * there are effects, which stand first in the list and last among the roots. */
static bool normalise_all(Driver *d, const Region *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		region_look_ahead(r, i);
		if (!done_of(d, r->node[i]) && !normalise(d, r->node[i])) return false;
	}
	return true;
}

static bool has_effects(uint32_t n, Node *const *roots)
{
	for (uint32_t i = 0; i < n; i++)
		if (roots[i] && is_token(roots[i])) return true;
	return false;
}

/* Is what was in a rule's way, as two needed it, needed once in what has come of it? */
static bool frees(Driver *d, uint32_t n, Node *const *roots)
{
	IdMap needs;
	if (!is_any_held(&d->needs)) return false;
	const Region *r = region_of(d->scratch, n, roots);
	idmap_open(&needs, d->scratch);
	needs_of(d->g, &needs, r, n, roots);
	return frees_held(&d->needs, &needs, r);
}

static bool sweep(Graph *g, const char *stage, uint32_t n, Node **roots, RewriteOptions *o, bool *again)
{
	Arena *scratch = arena_child(g->arena);
	Driver d = {
		.g = g, .scratch = scratch, .stage = stage, .o = o, .laws = o->laws ? o->laws : LAWS_DEFAULT};
	d.automaton = automaton_of(g, stage);
	d.facts = facts_open(g, scratch, o->nfact, o->fact);
	d.lower = !strcmp(stage, "lower");
	d.algebra = !strcmp(stage, "algebra") || !strcmp(stage, "stable");
	if (d.algebra) d.equation = equations_of(g, &d.nequation);
	d.newest = g->nnode;
	idmap_open(&d.sides, scratch);
	idmap_open(&d.needs, scratch);
	idmap_open(&d.cancelling, scratch);
	table_open(&d.met, scratch);
	const Region *r = survey(&d, n, roots);
	const uint64_t before = o->fired;
	if (!o->function) keep_counts(&d, r);
	bool good = has_effects(n, roots) || normalise_all(&d, r);
	for (uint32_t i = 0; i < n && good; i++)
		if (roots[i] && (good = normalise(&d, roots[i])))
			roots[i] = settled(&d, done_of(&d, roots[i]));
	*again = d.again || (good && d.algebra && o->fired > before && frees(&d, n, roots));
	arena_free(scratch);
	return good;
}

enum { SWEEPS = 3 };

bool rewrite(Graph *g, const char *stage, uint32_t n, Node **roots, RewriteOptions *options)
{
	RewriteOptions none = {0};
	RewriteOptions *o = options ? options : &none;
	if (g->error.code || !books_open(g)) return false;
	bool good = true, again = true;
	const struct Apart names = g->apart; /* what is tried here, nobody wrote */
	g->apart = (struct Apart){0};
	g->bodies++;
	for (uint32_t k = 0; k < SWEEPS && good && again; k++) good = sweep(g, stage, n, roots, o, &again);
	g->bodies--;
	g->apart = names;
	return good && !g->error.code;
}
