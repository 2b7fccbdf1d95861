/* check.c - is a rule true?  Both sides on samples, in binary128 or to the bit.
 *
 * Needs: a compiled rule.  Gives: false and a report with a counterexample when
 * the sides differ where the law says they must not, when the left side is not
 * found by the matcher, when the right side has another type, when its guard
 * is met too rarely to tell, or when a rule of stable does not reduce the
 * error.  The lines of the tables are in check_table.c.
 */
#include "check.h"
#include "range.h"

enum { TRIALS = 480, ENOUGH = 800, LEAST = 100, NUMBERS_LEAST = 10, SMALL = 9 /* one in so many */,
	UNTYPED = 64 /* trials without an instance */,
	HARD_TRIALS = 120, HARD_ENOUGH = 1500, MODERATE_MODES = 4, AT_THRESHOLDS = 12 };

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

/* Either of two guards. */
static Node *either_mask(Instance *in, const Pattern *p, const Type *root, bool *never)
{
	bool not[2] = {false, false};
	Node *x = mask_of(in, p->arg[0], root, &not[0]), *y = mask_of(in, p->arg[1], root, &not[1]);
	*never |= not[0] && not[1];
	if (not[0] || not[1]) return not[0] ? y : x;
	return x && y ? build2(in->m.g, OP_OR, x, y) : NULL;
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
		if (!strcmp(p->name, "wide") || !strcmp(p->name, "moderate") || !strcmp(p->name, "occupied"))
			*never |= !guard_holds(&in->m, p, false);
		*never |= !may_hold_of(p->name, d);
		return NULL;
	}
	if (p->kind == P_LITERAL) {
		*never |= p->value == 0;
		return NULL;
	}
	if (p->op == OP_NOT && p->arg[0]->kind == P_LIBRARY) {
		*never |= !guard_holds(&in->m, p, false);
		return NULL;
	}
	if (p->op == OP_OR) return either_mask(in, p, root, never);
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
	if (instance_is_empty(in)) /* of nothing every comparison holds, but not that of a constant */
		for (uint32_t i = 0; i < p->n; i++)
			if (p->arg[i]->kind == P_VARIABLE && in->constant[p->arg[i]->var])
				*never |= !guard_holds(&in->m, p, false);
	return all_of(g, instantiate(&in->m, p, NULL), root);
}

/* ---- one instance ------------------------------------------------------------------------ */

static void read_guard(Instance *in, const Pattern *p)
{
	if (p->kind == P_LIBRARY && p->n == 1 && p->arg[0]->kind == P_VARIABLE) {
		in->scalar[p->arg[0]->var] |= !strcmp(p->name, "scalar");
		in->constant[p->arg[0]->var] |= !strcmp(p->name, "constant") || !strcmp(p->name, "literal") ||
			!strcmp(p->name, "moderate");
	}
	if (p->kind == P_OPERATOR && p->op == OP_NOT) return;
	if (p->kind == P_OPERATOR && p->op == OP_OR) { /* one of the two is met */
		read_guard(in, p->arg[random_below(in->random, 2)]);
		return;
	}
	for (uint32_t i = 0; i < p->n; i++) read_guard(in, p->arg[i]);
}

static void read_rule(Instance *in)
{
	const Rule *r = in->rule;
	if (r->guard) {
		read_guard(in, r->guard);
		collect_edges(in, r->guard, true);
	}
	in->nguard = in->nedge;
	collect_edges(in, r->left, false);
	if (r->right) collect_edges(in, r->right, false);
	for (uint32_t v = 0; v < RULE_VARIABLES; v++) in->side[v] = (int)random_below(in->random, 3) - 1;
	in->edged = in->nguard && !random_below(in->random, 3);
	if (in->hard) instance_bounds(in);
}

/* Shapes, and the left side over inputs of them: an array that is not known at once. */
static bool choose_instance(Instance *in)
{
	static const uint32_t ranks[] = {1, 0, 3, 2};
	const Pattern *left = in->rule->left;
	in->m.facts = facts_open(in->m.g, in->m.scratch, 0, NULL);
	read_rule(in);
	Shape s = {.rank = ranks[random_below(in->random, 4)]};
	const uint32_t longest = in->hard ? 60 : 12;
	for (uint32_t i = 0; i < s.rank; i++) {
		uint32_t most = s.rank == 1 ? longest : 3;
		s.dim[i] = in->small && !random_below(in->random, 6) ? random_below(in->random, 2) :
			1 + random_below(in->random, most);
	}
	if (!instance_shape(in, left, &s)) return false;
	if (left->kind != P_VARIABLE) in->m.node = instantiate(&in->m, left, NULL);
	const Node *x = in->m.node;
	if (x && !in->m.g->error.code) collect_ties(in, left);
	return x && !in->m.g->error.code && x->type->kind == TYPE_ARRAY && x->op != OP_CONST;
}

bool instance_open(Instance *in, Graph *g, const Rule *r, Random *random, Dtype real, int mode)
{
	enum { ATTEMPTS = 24 };
	Instance none = {.rule = r,
		.random = random,
		.real = real,
		.mode = mode & ~(SAMPLE_SMALL | SAMPLE_HARD),
		.small = mode & SAMPLE_SMALL,
		.hard = mode & SAMPLE_HARD};
	trial_begin(g, &none.trial);
	none.m.g = g;
	none.m.scratch = arena_child(g->arena);
	none.m.rule = r;
	none.m.apart = true;
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

static bool run_instance(Instance *in, Node *right, Node *mask, Tally *tally, Text *report)
{
	BothSides s;
	Arena *a = arena_child(in->m.g->arena);
	bool good = true;
	if (sides_open(&s, in, a, right, mask))
		good = sides_sample(&s) ? samples_agree(&s, tally, report) : right_asks_no_more(&s, report);
	arena_free(a);
	return good;
}

/* Is the left side found at its own instance, with the values of the instance? */
static bool found(Instance *in)
{
	Rule unguarded = *in->rule;
	Match m;
	unguarded.guard = NULL;
	unguarded.complex = unguarded.integer = true;
	match_open(&m, in->m.g, in->m.scratch, in->m.facts);
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
	uint64_t opened; /* instances of the left side */
	bool missing; /* it is not found at one, or the right side has another type */
	Error why; /* there is none, or a right side of another type */
	const char *instead; /* of what its left side does not match */
	bool at_thresholds; /* values lie where the meanings of its ops change sides */
} Comparison;

/* The right side where it has the left one's type.  *missing: it has not, though it had to, and the report
 * says so. */
static Node *right_of(Comparison *c, Instance *in, bool *missing)
{
	const Rule *r = c->rule;
	Graph *g = c->g;
	const Type *type = in->m.node->type;
	bool must = (in->real == DT_F64 || r->complex) && /* others may be converted */
		!in->small && /* of an axis of size 1 there are other operators */
		r->right->kind != P_HELPER && !r->equation && !names_cast(r->left);
	Node *right = fit_type(g, solid(g, instantiate(&in->m, r->right, type)), type);
	*missing = false;
	if (!right || g->error.code) {
		*missing = must;
		c->why = g->error;
		if (!must) return NULL;
		say_rule(c->report, r);
		text_printf(c->report, "the right side does not get the type of the left%s%s",
			g->error.code ? ": " : "", g->error.text);
		return NULL;
	}
	if (r->equation || (in->small && !dtype_is_integer(in->real)) || found(in)) return right;
	*missing = must; /* elsewhere integers are converted on the left: another pattern */
	if (!c->instead) {
		Text t;
		text_open(&t, c->report->arena);
		text_add(&t, "the left side is not found where it stands");
		say_instead(in, &t);
		c->instead = text_done(&t);
	}
	if (!must) return NULL;
	say_rule(c->report, r);
	text_add(c->report, c->instead);
	return NULL;
}

static bool has_thresholds(Instance *in, Node *right)
{
	collect_thresholds(in, in->m.node, false);
	collect_thresholds(in, right, false);
	return in->nthreshold;
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
		c->opened++;
		c->missing |= missing;
		bool runs = right && !missing && (!c->at_thresholds || has_thresholds(&in, right));
		good = !missing && (!runs || run_instance(&in, right, mask, &c->tally, c->report));
	} else {
		c->why = c->g->error;
		c->tally.tuples += in.m.node && in.m.node->type->kind == TYPE_TUPLE;
	}
	instance_close(&in);
	return good;
}

/* As many as have no factor in common with the turns of modes, of special values and of small sizes. */
static Dtype dtype_of_trial(const Rule *r, uint32_t i)
{
	static const Dtype integers[] = {DT_I64, DT_U8, DT_I32, DT_I8, DT_U64, DT_I16, DT_I64, DT_U16, DT_I64,
		DT_U32},
			   all[] = {DT_F64, DT_F32, DT_I64, DT_F16, DT_F64, DT_U8, DT_BF16, DT_I32,
				  DT_F64, DT_U16, DT_C128},
			   reals[] = {DT_F64, DT_F64, DT_F32, DT_F64}; /* narrower ones: their range */
	if (r->boolean) return DT_BOOL;
	if (r->integer) return integers[i % countof(integers)];
	if (r->law == LAW_EXACT) return all[i % (countof(all) - !r->complex)];
	if (rule_is_stable(r)) return DT_F64; /* what is gained is measured there */
	return r->complex ? DT_C128 : reals[i % countof(reals)];
}

/* A rule whose right side has worse derivatives waits for them. */
static void mark_early(Graph *g, const Rule *r, uint64_t seed, Text *report, RuleUse *use)
{
	Text why;
	text_open(&why, g->arena);
	if (rule_is_no_worse(g, r, ORDERS_OF_DERIVATIVES, seed, &why, NULL)) return;
	use->late = true;
	text_printf(report, "; it waits for derivatives: %s", text_done(&why));
}

/* A rule of stable whose right side is worse somewhere is none. */
static bool gains_alone(Graph *g, const Rule *r, uint64_t seed, Text *report, Doubts *doubts)
{
	Text why;
	text_open(&why, g->arena);
	if (rule_is_no_worse(g, r, ORDER_ITSELF, seed, &why, doubts)) return true;
	say_rule(report, r);
	text_printf(report, "the right side is less accurate: %s", text_done(&why));
	return false;
}

/* Law real speaks of real numbers, and of the ranges of floats. */
static bool has_range(const Rule *r)
{
	bool chosen = book_is_for_search(r->book); /* by what is measured of it */
	return r->law == LAW_REAL && !r->integer && !r->complex && !r->boolean && !chosen;
}

/* A rule that leaves the range of f16 alone is for the wider dtypes. */
static void mark_wide(Graph *g, const Rule *r, uint64_t seed, Text *report, RuleUse *use)
{
	Text why;
	text_open(&why, g->arena);
	if (!has_range(r) || rule_keeps_range(g, r, DT_F16, seed, &why, NULL)) return;
	use->wide = true;
	text_printf(report, "; it is for the wider dtypes alone: %s", text_done(&why));
}

/* Is enough known of the sides, by their samples? */
static bool seen_enough(const Comparison *c, uint32_t trials)
{
	const Tally *t = &c->tally;
	if (trials >= (t->met < LEAST ? 3 * TRIALS : TRIALS)) return true;
	if (trials >= UNTYPED && !c->opened && !t->tuples) return true;
	return t->met >= ENOUGH && t->defined >= NUMBERS_LEAST && (!rule_is_stable(c->rule) || t->better);
}

/* A variable that the guard lets be many numbers and of which the left side is a number at one alone: what
 * the rule says beside that was not compared. */
static bool is_at_one_number(const Comparison *c)
{
	for (uint32_t v = 0; v < c->rule->nvar; v++) {
		const Spread *met = &c->tally.met_at[v], *defined = &c->tally.defined_at[v];
		if (!met->more || !defined->seen || defined->more) continue;
		say_rule(c->report, c->rule);
		text_printf(c->report, "the left side is a number at %s = ", c->rule->var[v].name);
		text_number(c->report, defined->first, 64);
		text_add(c->report, " alone of what meets the guard");
		return true;
	}
	return false;
}

/* Too little could be compared, and why. */
static bool says_too_little(const Comparison *c)
{
	const Tally *t = &c->tally;
	bool none = !t->samples && c->why.code;
	if (t->samples && t->met >= LEAST && t->defined >= NUMBERS_LEAST) return is_at_one_number(c);
	say_rule(c->report, c->rule);
	if (!t->samples && t->tuples)
		text_add(c->report, "the left side gives several results, and a rule can be tried on one alone");
	else if (!c->opened)
		text_printf(c->report, "the left side never has a type%s%s", none ? ": " : "",
			none ? c->why.text : "");
	else if (!t->samples && c->instead)
		text_add(c->report, c->instead);
	else if (none)
		text_printf(c->report, "the right side never has the type of the left: %s", c->why.text);
	else if (t->met < LEAST)
		text_printf(c->report,
			"of %llu samples only %llu met the left side and its guard, %d are needed",
			(unsigned long long)t->samples, (unsigned long long)t->met, LEAST);
	else
		text_printf(c->report,
			"of %llu samples that met the guard the left side is a number for %llu alone, %d are needed",
			(unsigned long long)t->met, (unsigned long long)t->defined, NUMBERS_LEAST);
	return true;
}

/* When it has to wait for derivatives, and where its range ends. */
static void mark_use(Graph *g, const Rule *r, uint64_t seed, Text *report, RuleUse *use)
{
	bool waited = use->late, searched = book_is_for_search(r->book);
	use->late = waited || (!searched && rule_is_late(g, r, seed));
	if (use->late && !waited)
		text_add(report, "; it waits for derivatives: those of its sides differ");
	else if (!use->late && !searched)
		mark_early(g, r, seed, report, use);
	mark_wide(g, r, seed, report, use);
}

/* Has it jumps, as rounding to whole numbers and comparisons have? */
static bool has_jumps(const Pattern *p)
{
	const OpInfo *o = p->kind == P_OPERATOR ? &op_info[p->op] : NULL;
	if (o && (o->flags & TO_WHOLE || o->dtype == TEST || o->dtype == RTEST || p->op == OP_SIGN ||
		p->op == OP_FLOORDIV || p->op == OP_MOD))
		return true;
	for (uint32_t i = 0; i < p->n; i++)
		if (has_jumps(p->arg[i])) return true;
	return false;
}

/* Of what was seen elsewhere the counts stay as they are. */
static bool agree_at_thresholds(Comparison *c)
{
	const Tally tally = c->tally;
	bool good = true;
	if (!names_ops(c->rule->left) && !names_ops(c->rule->right)) return true;
	c->at_thresholds = true;
	for (uint32_t i = 0; i < AT_THRESHOLDS && good; i++)
		good = one_trial(c, dtype_of_trial(c->rule, i), (int)(i % 4));
	c->tally = tally;
	return good;
}

/* The values that decide, where the guard holds. */
static bool hard_ones_agree(Comparison *c, uint64_t seed)
{
	const Rule *r = c->rule;
	const uint64_t before = c->tally.met, better = c->tally.better;
	bool good = true;
	if (!c->opened || !before) return true;
	c->random = (Random){seed + 0x5eed};
	for (uint32_t i = 0; good && i < HARD_TRIALS && c->tally.met < before + HARD_ENOUGH; i++) {
		int mode = (int)(i % MODERATE_MODES) | SAMPLE_HARD;
		if (i % SMALL == SMALL - 1) mode = 2 | SAMPLE_HARD | SAMPLE_SMALL;
		good = one_trial(c, dtype_of_trial(r, i), mode);
	}
	c->tally.better = better;
	return good;
}

Likened sides_agree(Graph *g, const Rule *r, uint64_t seed, Text *report, RuleUse *use, Doubts *doubts)
{
	Comparison c = {.g = g, .rule = r, .random = {seed}, .report = report, .tally = {.doubts = doubts}};
	bool stable = rule_is_stable(r), choice = stable || has_choice(r->left),
	     jumps = has_jumps(r->left) || has_jumps(r->right);
	for (uint32_t i = 0; !seen_enough(&c, i); i++) {
		Dtype d = dtype_of_trial(r, i);
		bool special = r->law == LAW_EXACT && i % 3 == 2; /* zeros of both signs, NaN, infinities */
		int mode = special ? SAMPLE_SPECIAL : (int)(i % (SAMPLE_MODES - !choice));
		if (jumps && i % 4 == 1) mode = i % 8 == 1 ? SAMPLE_HALVES : SAMPLE_TIES;
		if (i % SMALL == SMALL - 1) mode = (r->law == LAW_EXACT ? mode : 2) | SAMPLE_SMALL;
		if (!one_trial(&c, d, mode)) return c.missing ? SIDES_UNSEEN : SIDES_DIFFER;
	}
	if (!hard_ones_agree(&c, seed)) return c.missing ? SIDES_UNSEEN : SIDES_DIFFER;
	if (says_too_little(&c)) return c.tally.samples ? SIDES_DIFFER : SIDES_UNSEEN;
	if (!agree_at_thresholds(&c)) return SIDES_DIFFER;
	if (stable && !c.tally.better) {
		say_rule(report, r);
		text_add(report, "the right side is nowhere more accurate than the left");
		return SIDES_DIFFER;
	}
	bool in_range = !has_range(r) || (rule_keeps_range(g, r, DT_F64, seed, report, doubts) &&
		rule_keeps_range(g, r, DT_F32, seed, report, doubts));
	if (!in_range || (has_range(r) && !gains_alone(g, r, seed, report, doubts))) return SIDES_DIFFER;
	doubts->last = c.tally;
	say_counts(report, r, c.tally.samples, c.tally.met, (double)c.tally.error);
	mark_use(g, r, seed, report, use);
	return SIDES_AGREE;
}

/* A kernel in C has no value in binary128: rules that name its operator are taken as they are. */
static bool names_custom(const Graph *g, const Pattern *p)
{
	if (p && p->kind == P_LIBRARY && custom_named(g, p->name)) return true;
	for (uint32_t i = 0; p && i < p->n; i++)
		if (names_custom(g, p->arg[i])) return true;
	return false;
}

static bool holds(Graph *g, const Rule *r, uint64_t seed, Text *report)
{
	Random random = {seed};
	const Rule *namesake = rule_namesake(g, r);
	if (namesake) {
		text_printf(report, "rule %s: book %s has a rule of that name", r->name, namesake->book->name);
		return false;
	}
	if (r->written) return book_check(g, r, &random, report);
	if (r->told) {
		text_printf(report, "%s: not compared, it holds of the functions that are given", r->name);
		return true;
	}
	if (names_custom(g, r->left) || names_custom(g, r->right)) {
		text_printf(report, "%s: not compared, it names an operator written in C", r->name);
		return true;
	}
	Doubts doubts = {.arena = g->arena};
	Likened sides = r->head ? SIDES_UNSEEN : sides_agree(g, r, seed, report, rule_use(g, r), &doubts);
	if (r->head ? !table_check(g, r, &random, report) : sides != SIDES_AGREE) {
		const char *guard = sides == SIDES_DIFFER ? guard_suggested(g, r, seed, &doubts) : NULL;
		if (guard) text_printf(report, "; add `%s %s`", r->guard ? "and" : "if", guard);
		return false;
	}
	Text why;
	text_open(&why, g->arena);
	say_where_it_counts(report, g, r);
	const Finding finding = rule_finding(g, r, &why);
	if (finding == FOUND_ALREADY)
		text_printf(report, "; others do its work: %s", text_done(&why));
	if (finding != NEVER_FOUND && finding != NEVER_ENDS) return true;
	text_open(report, report->arena);
	say_rule(report, r);
	if (finding == NEVER_ENDS)
		text_add(report, "there is no end to it: in what it makes its left side is found again");
	if (finding == NEVER_ENDS && *text_done(&why))
		text_printf(report, ", brought back by %s", text_done(&why));
	if (finding == NEVER_FOUND)
		text_printf(report, "it can never be found: %s", text_done(&why));
	return false;
}

/* The samples are many, and go with the mark. */
bool rule_check(Graph *g, const Rule *r, uint64_t seed, Text *report)
{
	graph_mark(g);
	bool good = holds(g, r, seed, report);
	graph_release(g);
	return good;
}
