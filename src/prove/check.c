/* check.c - is a rule true?  Both sides on samples, in binary128 or to the bit.
 *
 * Needs: a compiled rule.  Gives: false and a report with a counterexample when
 * the sides differ where the law says they must not, when the left side is not
 * found by the matcher, when the right side has another type, when its guard
 * is met too rarely to tell, or when a rule of stable does not reduce the
 * error.  The lines of the tables are in check_table.c.
 */
#include "check.h"

enum { TRIALS = 480, ENOUGH = 500, LEAST = 100, NUMBERS_LEAST = 10 };

/* ---- the guard as a mask ------------------------------------------------------------- */

static Node *all_of(Graph *g, Node *x, const Type *root)
{
	if (!x ||
		(x->type->n == root->n &&
			!memcmp(x->type->u.dim, root->u.dim, root->n * sizeof *root->u.dim)))
		return x;
	return broadcast_to(g, fold_all(g, OP_ALL, x), root->n, root->u.dim);
}

/* May a word of guards hold of something of this dtype? */
static bool may_hold_of(const char *word, Dtype d)
{
	if (!strcmp(word, "complex")) return dtype_is_complex(d);
	if (!strcmp(word, "integer")) return dtype_is_integer(d);
	if (!strcmp(word, "real")) return dtype_is_float(d);
	if (!strcmp(word, "boolean")) return d == DT_BOOL;
	return strcmp(word, "positive_definite") != 0;
}

/* NULL: known to be true; *never: known to be false. */
Node *mask_of(Instance *in, const Pattern *p, const Type *root, bool *never)
{
	Graph *g = in->m.g;
	double a, b;
	if (p->kind == P_LIBRARY) {
		Node *x = p->n == 1 && strcmp(p->name, "occupied") ? instantiate(&in->m, p->arg[0], NULL)
								   : NULL;
		if (!strcmp(p->name, "finite")) return all_of(g, build1(g, OP_ISFINITE, x), root);
		if (!strcmp(p->name, "number"))
			return all_of(g, build1(g, OP_NOT, build1(g, OP_ISNAN, x)), root);
		if (!strcmp(p->name, "whole"))
			return all_of(g, build2(g, OP_EQ, x, build1(g, OP_FLOOR, x)), root);
		Dtype d = x ? node_dtype(x) : DT_NONE;
		if (!strcmp(p->name, "wide") || !strcmp(p->name, "moderate")) *never |= !guard_holds(&in->m, p, false);
		*never |= !may_hold_of(p->name, d);
		return NULL;
	}
	if (p->kind == P_LITERAL) {
		*never |= p->value == 0;
		return NULL;
	}
	if (p->op == OP_AND) {
		Node *x = mask_of(in, p->arg[0], root, never), *y = mask_of(in, p->arg[1], root, never);
		if (x && y) return build2(g, OP_AND, x, y);
		if (x) return x;
		return y;
	}
	if (p->n == 2 && guard_number(&in->m, p->arg[0], &a) && guard_number(&in->m, p->arg[1], &b)) {
		*never |= !guard_compares(p->op, a, b);
		return NULL;
	}
	for (uint32_t i = 0; i < p->n; i++)
		if (p->arg[i]->kind == P_VARIABLE && in->rule->var[p->arg[i]->var].kind == V_ATTR) {
			*never = true; /* a list of several axes is no number */
			return NULL;
		}
	return all_of(g, instantiate(&in->m, p, NULL), root);
}

/* ---- one instance ------------------------------------------------------------------------ */

static void flag_guard(Instance *in, const Pattern *p)
{
	if (!p) return;
	if (p->kind == P_LIBRARY && p->n == 1 && p->arg[0]->kind == P_VARIABLE) {
		in->scalar[p->arg[0]->var] |= !strcmp(p->name, "scalar");
		in->constant[p->arg[0]->var] |= !strcmp(p->name, "constant") || !strcmp(p->name, "literal") ||
			!strcmp(p->name, "moderate");
	}
	for (uint32_t i = 0; i < p->n; i++) {
		const Pattern *x = p->arg[i];
		bool edge = p->kind == P_OPERATOR && op_info[p->op].class == MAP && x->kind == P_LITERAL;
		if (edge && in->nedge < countof(in->edge)) in->edge[in->nedge++] = x->value;
		if (x->kind == P_VARIABLE) in->guarded[x->var] = true;
		flag_guard(in, x);
	}
}

/* Shapes, and the left side over inputs of them: an array that is not known at once. */
static bool choose_instance(Instance *in)
{
	static const uint32_t ranks[] = {1, 0, 3, 2};
	const Pattern *left = in->rule->left;
	in->m.facts = facts_open(in->m.g, in->m.scratch, 0, NULL);
	flag_guard(in, in->rule->guard);
	if (random_below(in->random, 3)) in->nedge = 0;
	in->side = (int)random_below(in->random, 3) - 1;
	Shape s = {.rank = ranks[random_below(in->random, 4)]};
	for (uint32_t i = 0; i < s.rank; i++) {
		uint32_t most = s.rank == 1 ? 12 : 3;
		s.dim[i] = 1 + random_below(in->random, most);
	}
	if (!instance_shape(in, left, &s)) return false;
	if (left->kind != P_VARIABLE) in->m.node = instantiate(&in->m, left, NULL);
	const Node *x = in->m.node;
	return x && !in->m.g->error.code && x->type->kind == TYPE_ARRAY && x->op != OP_CONST;
}

bool instance_open(Instance *in, Graph *g, const Rule *r, Random *random, Dtype real, int mode)
{
	enum { ATTEMPTS = 24 };
	Instance none = {.rule = r, .random = random, .real = real, .mode = mode};
	trial_begin(g, &none.trial);
	none.m.g = g;
	none.m.scratch = arena_child(g->arena);
	none.m.rule = r;
	for (uint32_t i = 0; i < ATTEMPTS; i++) {
		*in = none;
		error_clear(&g->error); /* of the attempt before */
		if (choose_instance(in)) return true;
	}
	return false;
}

void instance_close(Instance *in)
{
	trial_end(in->m.g, &in->trial);
	arena_free(in->m.scratch);
}

static bool inside(Node *x, const Node *left)
{
	return x != left && x->type->kind == TYPE_ARRAY &&
		(dtype_is_float(node_dtype(x)) || dtype_is_complex(node_dtype(x))) && x->op != OP_CONST;
}

static bool run_instance(Instance *in, Node *right, Node *mask, Tally *tally, Text *report)
{
	Graph *g = in->m.g;
	Arena *a = arena_child(g->arena);
	Node *result[40] = {in->m.node, right};
	uint32_t n = 2;
	if (mask) result[n++] = mask;
	Region *region = region_of(a, 1, &in->m.node);
	for (uint32_t i = 0; i < region->n && n < countof(result); i++)
		if (inside(region->node[i], in->m.node)) result[n++] = region->node[i];
	Closure c = {0};
	bool good = true;
	if (function_close(g, (Title){.name = "check"}, (Nodes){in->ninput, in->input}, (Nodes){n, result}, &c)) {
		Value *values = instance_values(in, a), *own = NEW_ARRAY(a, Value, n),
		      *wide = NEW_ARRAY(a, Value, n);
		Samples s = {.input = values, .own = own, .wide = wide, .n = n, .masked = mask != NULL};
		bool ran = evaluates(g, a, c.function, values, own, false) &&
			(in->rule->law == LAW_EXACT ||
				evaluates(
					g, a, c.function, values_widened(a, in->ninput, values), wide, true));
		if (ran) good = samples_agree(in, &s, tally, report);
	}
	arena_free(a);
	return good;
}

/* Is the left side found at its own instance, with the values of the instance? */
static bool found(Instance *in)
{
	Rule unguarded = *in->rule;
	static const Match empty;
	Match m = empty;
	unguarded.guard = NULL;
	unguarded.complex = unguarded.integer = true;
	m.g = in->m.g;
	m.scratch = in->m.scratch;
	m.facts = in->m.facts;
	if (!match_rule(&m, &unguarded, in->m.node)) return false;
	for (uint32_t i = 0; i < in->rule->nvar; i++) /* a converted operand is another value */
		if (m.value[i] && in->m.value[i] && m.value[i]->type != in->m.value[i]->type) return false;
	return true;
}

/* A rule that is compared, and what was seen so far. */
typedef struct Comparison {
	Graph *g;
	const Rule *rule;
	Random random;
	Tally tally;
	Text *report;
} Comparison;

/* The right side where it has the left one's type.  *missing: it has not, though it had to, and the report
 * says so. */
static Node *right_of(Comparison *c, Instance *in, bool *missing)
{
	const Rule *r = c->rule;
	Graph *g = c->g;
	const Type *type = in->m.node->type;
	bool must = (in->real == DT_F64 || r->complex) && /* others may be converted */
		r->right->kind != P_HELPER && !r->equation;
	Node *right = fit_type(g, solid(g, instantiate(&in->m, r->right, type)), type);
	*missing = false;
	if (!right || g->error.code) {
		*missing = must;
		if (!must) return NULL;
		say_rule(c->report, r);
		text_printf(c->report, "the right side does not get the type of the left%s%s",
			g->error.code ? ": " : "", g->error.text);
		return NULL;
	}
	if (r->equation || found(in)) return right;
	*missing = must; /* elsewhere integers are converted on the left: another pattern */
	if (!must) return NULL;
	say_rule(c->report, r);
	text_add(c->report, "the left side is not found where it stands");
	return NULL;
}

static bool one_trial(Comparison *c, Dtype real, int mode)
{
	const Rule *r = c->rule;
	Instance in;
	bool good = true, never = false, missing = false;
	if (instance_open(&in, c->g, r, &c->random, real, mode)) {
		Node *mask = r->guard ? mask_of(&in, r->guard, in.m.node->type, &never) : NULL;
		Node *right = never ? NULL : right_of(c, &in, &missing);
		c->tally.instances += !never;
		good = !missing && (!right || run_instance(&in, right, mask, &c->tally, c->report));
	} else {
		c->tally.tuples += in.m.node && in.m.node->type->kind == TYPE_TUPLE;
	}
	instance_close(&in);
	return good;
}

static Dtype dtype_of_trial(const Rule *r, uint32_t i)
{
	static const Dtype integers[] = {DT_I64, DT_U8, DT_I64, DT_I8},
			   all[] = {DT_F64, DT_F32, DT_I64, DT_F64, DT_U8, DT_C128};
	if (r->boolean) return DT_BOOL;
	if (r->integer) return integers[i % countof(integers)];
	if (r->law == LAW_EXACT) return all[i % (r->complex ? 6 : 5)];
	return r->complex ? DT_C128 : DT_F64;
}

/* A rule of stable whose right side has worse derivatives waits for them. */
static void mark_early(Graph *g, const Rule *r, uint64_t seed, Text *report, bool *late)
{
	Text why;
	text_open(&why, g->arena);
	if (rule_may_come_early(g, r, seed, &why)) return;
	*late = true;
	text_printf(report, "; it waits for derivatives: %s", text_done(&why));
}

bool sides_agree(Graph *g, const Rule *r, uint64_t seed, Text *report, bool *late)
{
	Comparison c = {.g = g, .rule = r, .random = {seed}, .report = report};
	const Tally *tally = &c.tally;
	bool stable = rule_is_stable(r), choice = stable || has_choice(r->left);
	for (uint32_t i = 0; i < TRIALS &&
		(tally->met < ENOUGH || tally->defined < NUMBERS_LEAST || (stable && !tally->better));
		i++) {
		Dtype d = dtype_of_trial(r, i);
		bool special = r->law == LAW_EXACT && i % 3 == 2; /* zeros of both signs, NaN, infinities */
		int mode = special ? SAMPLE_MODES - 1 : (int)(i % (SAMPLE_MODES - !choice));
		if (!one_trial(&c, d, mode)) return false;
	}
	if (!tally->samples && tally->tuples) {
		say_rule(report, r);
		text_add(report, "the left side gives several results, and a rule can be tried on one alone");
		return false;
	}
	if (!tally->instances || tally->met < LEAST) {
		say_rule(report, r);
		text_printf(report,
			"of %llu samples only %llu met the left side and its guard, %d are needed",
			(unsigned long long)tally->samples, (unsigned long long)tally->met, LEAST);
		return false;
	}
	if (tally->defined < NUMBERS_LEAST) {
		say_rule(report, r);
		text_printf(report,
			"of %llu samples that met the guard the left side is a number for %llu alone, %d are needed",
			(unsigned long long)tally->met, (unsigned long long)tally->defined, NUMBERS_LEAST);
		return false;
	}
	if (stable && !tally->better) {
		say_rule(report, r);
		text_add(report, "the right side is nowhere more accurate than the left");
		return false;
	}
	say_counts(report, r, tally->samples, tally->met, (double)tally->error);
	bool waited = *late;
	*late = waited || rule_is_late(g, r, seed);
	if (stable && !*late) mark_early(g, r, seed, report, late);
	if (*late && !waited && !stable)
		text_add(report, "; it waits for derivatives: those of its sides differ");
	return true;
}

/* A kernel in C has no value in binary128: rules that name its operator are taken as they are. */
static bool names_custom(const Graph *g, const Pattern *p)
{
	if (p && p->kind == P_LIBRARY && custom_named(g, p->name)) return true;
	for (uint32_t i = 0; p && i < p->n; i++)
		if (names_custom(g, p->arg[i])) return true;
	return false;
}

bool rule_check(Graph *g, const Rule *r, uint64_t seed, Text *report)
{
	Random random = {seed};
	if (r->written) return book_check(g, r, &random, report);
	if (r->told) {
		text_printf(report, "%s: not compared, it holds of the functions that are given", r->name);
		return true;
	}
	if (names_custom(g, r->left) || names_custom(g, r->right)) {
		text_printf(report, "%s: not compared, it names an operator written in C", r->name);
		return true;
	}
	if (r->head ? !table_check(g, r, &random, report) : !sides_agree(g, r, seed, report,
		&rule_use(g, r)->late)) {
		const char *guard = r->head ? NULL : guard_suggested(g, r, seed);
		if (guard) text_printf(report, "; add `%s %s`", r->guard ? "and" : "if", guard);
		return false;
	}
	const Rule *first = rule_shadowed_by(g, r);
	if (first)
		text_printf(report, "; it never fires: %s (%s:%d) always comes first", first->name,
			first->where.file ? first->where.file : first->book->name, first->where.line);
	return true;
}
