/* improve.c - a form of an expression that errs less, by measurement.
 *
 * Needs: a function of f64 numbers with one result.  Gives: what was written, what the books make of it and
 * the best form that was found, each with its measured error, and the rule that makes the last of the first.
 * All forms are measured as they run, that is after the books have been at them, at the same points against
 * the same true values.
 */
#include "measure.h"
#include "../prove/prove.h"

typedef struct Improver {
	Graph *g;
	Arena *arena;
	const ImproveTask *task;
	Points points, few;
	ClassValues values;
	LeafFact *fact; /* of the inputs */
	Node *written;
	Egraph classes;
	uint32_t normal, worked_out; /* classes up to that number, nodes up to that id */
	uint32_t root;
	Truths truth;
	bool *judged; /* by point: is its true value known? */
	uint32_t njudged;
	Computed *form; /* those that are chosen from */
	uint32_t nform, form_cap;
} Improver;

enum { INPUTS = 12 };

static const Bounds to_glance = {.nodes = 200, .rounds = 1, .matches = 50},
		    to_find = {.nodes = 2000, .rounds = 7, .matches = 250},
		    to_arrange = {.nodes = 4000, .rounds = 2, .matches = 400};
static const double worth = 0.25; /* bits by which a form must be better to be told of */

/* ---- what is given ----------------------------------------------------------------------------- */

static bool open_task(Improver *s)
{
	const Function *f = s->task->f;
	Graph *g = s->g;
	if (f->nresult != 1 || f->nparam > INPUTS)
		return graph_fail(g, ERR_UNSUPPORTED,
			"improve: a function of at most %d numbers with one result was wanted", INPUTS);
	for (uint32_t i = 0; i < f->nparam; i++) {
		const Type *t = f->param[i];
		if (t->kind != TYPE_ARRAY || t->n || t->dtype != DT_F64)
			return graph_fail(g, ERR_UNSUPPORTED, "improve: numbers of f64 were wanted, given %s: %s",
				s->task->name[i], type_shown(g, t));
	}
	Node **var = NEW_ARRAY(s->arena, Node *, f->nparam + 1);
	s->fact = NEW_ARRAY(s->arena, LeafFact, s->task->nfact + 1);
	for (uint32_t i = 0; i < f->nparam; i++) var[i] = input(g, s->task->name[i], f->param[i]);
	for (uint32_t i = 0; i < s->task->nfact; i++) {
		s->fact[i] = s->task->fact[i];
		s->fact[i].leaf = var[attr_int(s->fact[i].leaf, 0)];
	}
	function_inline(g, (Function *)f, NULL, var, &s->written);
	if (g->error.code) return false;
	s->points.var = var;
	Region *r = region_of(s->arena, 1, &s->written);
	for (uint32_t i = 0; i < r->n; i++)
		if (!is_measured(r->node[i]))
			return graph_fail(g, ERR_UNSUPPORTED,
				"improve: numbers of f64 and what maps them were wanted, given %s of %s",
				op_info[r->node[i]->op].text, type_shown(g, r->node[i]->type));
	return true;
}

static bool take_points(Improver *s)
{
	Points *p = &s->points;
	Node **var = p->var;
	if (!points_take(s->g, s->arena, s->task, POINTS, false, p))
		return graph_fail(s->g, ERR_VALUE,
			"improve: the condition holds at none of the points that were tried");
	if (!points_take(s->g, s->arena, s->task, FEW_POINTS, true, &s->few)) s->few.n = 0;
	p->var = s->few.var = var;
	return true;
}

/* ---- the books --------------------------------------------------------------------------------- */

static Node *by_books(const Improver *s, Node *x, const char *const *stage)
{
	for (; *stage && x; stage++) {
		RewriteOptions o = {.nfact = s->task->nfact,
			.fact = s->fact,
			.last = true,
			.whole = !strcmp(*stage, "algebra")};
		if (!rewrite(s->g, *stage, 1, &x, &o)) return NULL;
	}
	return x;
}

static Node *as_it_runs(const Improver *s, Node *x)
{
	static const char *const stage[] = {"algebra", "stable", "lower", NULL};
	return by_books(s, x, stage);
}

/* ---- measuring --------------------------------------------------------------------------------- */

static double *computed(const Improver *s, Node *x)
{
	uint32_t n = s->points.n;
	Region *r = region_of(s->arena, 1, &x);
	double **value = NEW_ARRAY(s->arena, double *, r->n);
	for (uint32_t i = 0; i < r->n; i++) {
		Node *y = r->node[i];
		const double *arg[OPERANDS];
		double c = 0;
		uint32_t v = 0;
		if (!is_computed(y)) return NULL;
		value[i] = NEW_ARRAY(s->arena, double, n);
		if (y->op == OP_CONST) constant_value(y, &c);
		while (y->op == OP_INPUT && s->points.var[v] != y) v++;
		for (uint32_t k = 0; k < y->narg; k++) arg[k] = value[region_place(r, y->arg[k])];
		for (uint32_t k = 0; k < n && !y->narg; k++)
			value[i][k] = y->op == OP_CONST ? c : s->points.x[v][k];
		if (y->narg) compute_own(s->g, s->arena, y, n, arg, value[i]);
	}
	return value[region_place(r, x)];
}

/* The errors of `runs`, which stands for x; infinite, and false, where that cannot be computed here. */
static bool measure(const Improver *s, Node *x, Node *runs, Computed *out)
{
	const Near *t = &s->truth.of[s->root];
	*out = (Computed){.node = x, .size = region_of(s->arena, 1, &x)->n, .mean = INFINITY};
	out->value = runs ? computed(s, runs) : NULL;
	if (!out->value) return false;
	out->bits = NEW_ARRAY(s->arena, float, s->points.n);
	out->mean = 0;
	for (uint32_t i = 0; i < s->points.n; i++) {
		out->bits[i] = s->judged[i] ? (float)bits_between(out->value[i], (double)t->value[i]) : 0;
		out->mean += out->bits[i] / (double)s->njudged;
	}
	return true;
}

static void add_form(Improver *s, Node *x)
{
	GROW(s->arena, s->form, s->nform, s->form_cap);
	if (measure(s, x, as_it_runs(s, x), &s->form[s->nform])) s->nform++;
}

/* ---- the search -------------------------------------------------------------------------------- */

static void add_equal(Egraph *e, uint32_t c, const Node *x, Node *y)
{
	if (y && y != x && y->type == x->type) egraph_join(e, egraph_add(e, y), c);
}

/* Every new class also holds what `algebra` makes of what stands for it, and every class its new members
 * worked out as sums of products. */
static void add_normal(Improver *s)
{
	static const char *const stage[] = {"algebra", NULL};
	Egraph *e = &s->classes;
	uint32_t n = e->nclass, newest = s->g->nnode;
	for (uint32_t c = 0; c < n && e->nnode < e->bounds.nodes; c++) {
		if (e->class[c].above != c) continue;
		Node *best = e->class[c].best;
		if (c >= s->normal) add_equal(e, c, best, by_books(s, best, stage));
		for (uint32_t i = 0; e->class[c].above == c && i < e->class[c].n; i++) {
			Node *x = e->class[c].member[i];
			if (x->id > s->worked_out && x->id <= newest)
				add_equal(e, c, x, polynomial_form(s->g, x));
		}
	}
	s->normal = n;
	s->worked_out = newest;
	egraph_rebuild(e);
}

/* By these rules, until nothing is new. */
static void grow(Improver *s, const char *const *stage, Bounds bounds)
{
	Egraph *e = &s->classes;
	SearchWay *way;
	uint32_t n = ways_of(s->g, s->arena, stage, &way);
	e->bounds = bounds;
	for (uint32_t round = 0; round < bounds.rounds; round++) {
		add_normal(s);
		if (!egraph_round(e, n, way)) break;
	}
}

/* Forms of what is written, and its true values, which those that agree show. */
static void search(Improver *s, Bounds bounds)
{
	static const char *const books[] = {"algebra", "stable", NULL};
	static const char *const find[] = {"improve", "stable", "algebra", NULL};
	static const char *const arrange[] = {"arrange", NULL};
	Egraph *e = &s->classes;
	s->normal = s->worked_out = s->njudged = 0;
	egraph_open(e, s->g, s->arena, facts_open(s->g, s->arena, s->task->nfact, s->fact), bounds);
	values_open(&s->values, e, &s->few);
	uint32_t root = egraph_add(e, s->written);
	Node *normal = by_books(s, s->written, books);
	if (normal) egraph_join(e, root, egraph_add(e, normal));
	egraph_rebuild(e);
	grow(s, find, bounds);
	if (bounds.rounds > to_glance.rounds) grow(s, arrange, to_arrange);
	s->root = egraph_stands(e, root);
	truths_find(&s->truth, s->arena, e, &s->points);
	const Near *t = &s->truth.of[s->root];
	s->judged = NEW_ARRAY(s->arena, bool, s->points.n);
	truths_written(&s->truth, s->arena, &s->points, s->root, s->written, s->judged);
	for (uint32_t i = 0; i < s->points.n; i++)
		s->njudged += s->judged[i] = !s->judged[i] && truth_known(t->value[i], t->off[i]);
}

static void choose_from(Improver *s)
{
	Computed *found;
	Node *series[SERIES];
	const Sought sought = {&s->truth, &s->points, s->judged, s->root};
	uint32_t n = forms_best(s->g, s->arena, &sought, &found);
	for (uint32_t i = 0; i < n; i++) add_form(s, found[i].node);
	n = series_forms(s->g, s->arena, &s->classes, &s->points, s->root, series);
	for (uint32_t i = 0; i < n; i++) add_form(s, series[i]);
}

/* ---- what is told ------------------------------------------------------------------------------ */

/* On one line. */
static const char *text_of(const Improver *s, Node *x, unsigned flags)
{
	Text t;
	text_open(&t, s->arena);
	double c;
	if (x->op == OP_CONST && constant_value(x, &c))
		text_number(&t, c, 64);
	else
		print_nodes(&t, s->g, 1, &x, NULL, PRINT_ONE_LINE | flags);
	char *text = text_done(&t);
	for (size_t n = strlen(text); n && text[n - 1] == '\n'; n--) text[n - 1] = 0;
	return text;
}

static void tell(const Improver *s, Improvement *out, const char *what, const Computed *f)
{
	ErrorForm *e = &out->form[out->nform++];
	*e = (ErrorForm){what, text_of(s, f->node, 0), f->mean, f->bits ? 0 : f->mean};
	uint32_t worst = s->points.n;
	for (uint32_t i = 0; f->bits && i < s->points.n; i++) {
		if (!(f->bits[i] > e->most)) continue;
		e->most = f->bits[i];
		worst = i;
	}
	if (worst == s->points.n) return;
	double *at = NEW_ARRAY(s->arena, double, s->points.nvar);
	for (uint32_t k = 0; k < s->points.nvar; k++) at[k] = s->points.x[k][worst];
	e->at = at;
	e->truth = (double)s->truth.of[s->root].value[worst];
}

/* x > 0 and x < 1e100, as a guard says what is promised. */
static const char *promises(const Improver *s)
{
	Text t;
	text_open(&t, s->arena);
	for (uint32_t i = 0; i < s->task->nfact; i++) {
		const LeafFact *f = &s->fact[i];
		for (uint32_t k = 0; k < 2; k++) {
			double bound = k ? f->hi : f->lo;
			if (!isfinite(bound)) continue;
			bool open = k ? f->hi_open : f->lo_open;
			text_printf(&t, "%s%s %c%s ", t.n ? " and " : " if ", f->leaf->attr->v[0].u.name,
				k ? '<' : '>', open ? "" : "=");
			text_number(&t, bound, 64);
		}
	}
	return text_done(&t);
}

static void tell_rule_of(const Improver *s, Improvement *out, Node *left, const Computed *best)
{
	Graph *g = s->g;
	const Error before = g->error;
	const char *name = "improved";
	for (uint32_t i = 2; rule_named(g, name); i++) name = arena_printf(s->arena, "improved_%u", i);
	out->rule = arena_printf(s->arena, "%s: %s => %s  real%s", name, text_of(s, left, PRINT_APART | PRINT_BARE),
		text_of(s, best->node, PRINT_BARE), promises(s));
	out->holds = rule_add(g, out->rule, "stable");
	const char *refused = arena_text(s->arena, g->error.text);
	out->report = out->holds ? rule_use(g, rule_named(g, name))->told : refused;
	g->error = before;
}

static bool holds_node(const Improver *s, Node *x, const Node *part)
{
	const Region *r = x ? region_of(s->arena, 1, &x) : NULL;
	for (uint32_t i = 0; r && i < r->n; i++)
		if (r->node[i] == part) return true;
	return false;
}

/* The best choice of forms; of those alone that do not hold what the books leave, where that is nearly as
 * good: a rule that makes such a one would find it there again. */
static Node *best_choice(Improver *s, const Node *normal, Regimes *r)
{
	static const char *const books[] = {"algebra", "stable", NULL};
	enum { FREE_MOST = 64 };
	Computed free[FREE_MOST];
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->nform && n < FREE_MOST; i++)
		if (!holds_node(s, by_books(s, s->form[i].node, books), normal)) free[n++] = s->form[i];
	*r = regimes_of(s->g, s->arena, &s->points, s->nform, s->form);
	Node *x = regimes_node(s->g, r, s->form);
	if (!n || !holds_node(s, x, normal)) return x;
	Regimes other = regimes_of(s->g, s->arena, &s->points, n, free);
	if (other.mean > r->mean + worth) return x;
	memcpy(s->form, free, n * sizeof *free);
	s->nform = n;
	*r = other;
	return regimes_node(s->g, r, s->form);
}

/* The rule, read as one of the user's in book stable: of what was written, or of what the rules there make of
 * it before any other is found. */
static void tell_rule(const Improver *s, Improvement *out, Node *normal, const Computed *best)
{
	Node *stays = by_books(s, s->written, (const char *const[]){"algebra", NULL});
	Node *left[] = {stays == normal ? s->written : normal, stays == normal ? normal : stays, s->written};
	for (uint32_t i = 0; i < countof(left) && !out->holds; i++)
		if (!i || (left[i] != left[0] && left[i] != left[i - 1])) tell_rule_of(s, out, left[i], best);
}

static bool names_nan(const Pattern *p)
{
	if (p && p->kind == P_LITERAL && isnan(p->value)) return true;
	for (uint32_t i = 0; p && i < p->n; i++)
		if (names_nan(p->arg[i])) return true;
	return false;
}

/* What says where it is no number is worth nothing where a number is searched. */
static void leave_out_nan(Graph *g)
{
	for (uint32_t i = 0; i < rules_count(g); i++)
		if (names_nan(rule_at(g, i)->right)) rule_use(g, rule_at(g, i))->off = true;
}

/* What is written and what the books make of it, measured; gives whether nearly all points tell that there is
 * nothing better to be found. */
static bool judge(Improver *s, Node *normal, Bounds bounds, Computed *written, Computed *books)
{
	search(s, bounds);
	if (!s->njudged || s->g->error.code) return false;
	measure(s, s->written, s->written, written);
	measure(s, normal, as_it_runs(s, s->written), books);
	return books->mean <= worth && s->njudged >= s->points.n - s->points.n / 10;
}

bool improve(Graph *g, Arena *a, const ImproveTask *task, Improvement *out)
{
	Improver s = {.g = g, .arena = a, .task = task};
	Computed written, books, best;
	*out = (Improvement){.form = NEW_ARRAY(a, ErrorForm, 3 + PIECES)};
	if (!books_apart(g)) return false;
	leave_out_nan(g);
	if (!open_task(&s) || !take_points(&s)) return false;
	Node *normal = by_books(&s, s.written, (const char *const[]){"algebra", "stable", NULL});
	bool settled = judge(&s, normal, to_glance, &written, &books);
	if (!settled) settled = judge(&s, normal, to_find, &written, &books);
	if (!s.njudged)
		return graph_fail(g, ERR_VALUE,
			"improve: at none of %u points is the true value known and a number", s.points.n);
	if (!settled) choose_from(&s);
	out->asked = s.points.n;
	out->judged = s.njudged;
	tell(&s, out, "written", &written);
	tell(&s, out, "books", &books);
	if (!s.nform) return !g->error.code;
	Regimes r;
	Node *x = best_choice(&s, normal, &r);
	bool found = measure(&s, x, as_it_runs(&s, x), &best) &&
		best.mean < fmin(written.mean, books.mean) - worth;
	if (!found) return !g->error.code;
	tell(&s, out, "improved", &best);
	for (uint32_t i = 0; r.n > 1 && i < r.n; i++) tell(&s, out, "piece", &s.form[r.form[i]]);
	tell_rule(&s, out, normal, &best);
	return !g->error.code;
}
