/* check_book.c - lines of a book of kind check.
 *
 * Needs: a line whose sides are expressions of the notation.  Gives: for =>,
 * whether the pipeline (algebra, stable) makes of the left side the node of the
 * right one, or its normal form; for <=>, whether both compute the same on
 * samples.  Names that nothing declares are values: arrays f64[n]; f64[n, n]
 * when they begin with a capital letter; where that does not fit, those in
 * brackets are whole numbers, and at last all are scalars.
 */
#include "../print/print.h"
#include "check.h"

enum { NAMES = 16, SIDE = 5, ROUNDS = 150 };

typedef struct BookLine {
	Graph *g;
	Module *module;
	const Rule *rule;
	uint32_t n, nfact;
	const char *name[NAMES];
	bool index[NAMES];
	Node *value[NAMES], *left, *right;
	LeafFact fact[NAMES];
} BookLine;

static bool is_known(BookLine *s, const char *name)
{
	static const char *const words[] = {"pi", "inf", "nan", "true", "false", "keep"};
	for (uint32_t i = 0; i < countof(words); i++)
		if (!strcmp(name, words[i])) return true;
	return module_find(s->module, name) || module_find(module_prelude(s->g), name) ||
		dtype_named(name, strlen(name)) != DT_NONE;
}

/* The free names of an expression; what it binds itself is taken for a name too, which does no harm. */
static void collect_names(BookLine *s, const Syntax *e, bool index)
{
	if (!e) return;
	if (e->kind == SYN_NAME) {
		for (uint32_t i = 0; i < s->n; i++)
			if (s->name[i] == e->name) {
				s->index[i] |= index;
				return;
			}
		if (s->n < NAMES && !is_known(s, e->name)) {
			s->index[s->n] = index;
			s->name[s->n++] = e->name;
		}
		return;
	}
	for (uint32_t i = 0; i < e->count; i++) {
		const Syntax *callee = e->kind == SYN_CALL && !i ? e->part[0] : NULL;
		if (callee && callee->kind == SYN_NAME) continue;
		if (callee && callee->kind == SYN_SUBSCRIPTS && callee->part[0]->kind == SYN_NAME) {
			for (uint32_t k = 1; k < callee->count; k++) collect_names(s, callee->part[k], true);
			continue;
		}
		collect_names(s, e->part[i], index || (e->kind == SYN_SUBSCRIPTS && i > 0));
	}
}

/* Inputs for the names by the attempt's reading, and both sides over them. */
static bool elaborate(BookLine *s, int attempt, bool concrete)
{
	Graph *g = s->g;
	const Size *n = concrete ? size_const(g, SIDE) : size_named(g, "n");
	const Size *dim[2] = {n, n};
	for (uint32_t i = 0; i < s->n; i++) {
		bool matrix = s->name[i][0] >= 'A' && s->name[i][0] <= 'Z',
		     index = s->index[i] && attempt > 0;
		uint32_t rank = matrix ? 2 : 1;
		if (attempt > 1) rank = 0;
		const Type *t = index ? type_scalar(g, DT_I64) : type_array(g, DT_F64, rank, dim);
		const Node *other = concrete ? NULL : input_named(g, s->name[i]);
		bool prints = !concrete && (!other || other->type == t);
		s->value[i] = prints ? input(g, s->name[i], t) : fresh(g, t, s->name[i]);
	}
	s->left = elaborate_node(g, s->module, s->rule->syntax->part[0], s->n, s->name, s->value);
	s->right = s->left ? elaborate_node(g, s->module, s->rule->syntax->part[1], s->n, s->name, s->value)
			   : NULL;
	return s->right && !g->error.code && s->left->type->kind == TYPE_ARRAY;
}

static bool number_in(const Syntax *e, double *out)
{
	double sign = 1;
	if (e->kind == SYN_UNARY && e->sign == SIGN_MINUS) {
		sign = -1;
		e = e->part[0];
	}
	if (e->kind != SYN_NUMBER) return false;
	*out = sign * (e->number == NUMBER_INTEGER ? (double)e->integer : e->real);
	return true;
}

static LeafFact *fact_of(BookLine *s, const Syntax *e)
{
	for (uint32_t i = 0; e->kind == SYN_NAME && i < s->n; i++) {
		if (s->name[i] != e->name) continue;
		for (uint32_t k = 0; k < s->nfact; k++)
			if (s->fact[k].leaf == s->value[i]) return &s->fact[k];
		s->fact[s->nfact] = (LeafFact){.leaf = s->value[i], .lo = -INFINITY, .hi = INFINITY};
		return &s->fact[s->nfact++];
	}
	return NULL;
}

/* x > 0, 0 <= x < 1, x != 0, finite(x), and several of these. */
static bool declare(BookLine *s, const Syntax *e)
{
	if (e->kind == SYN_CHAIN) {
		for (uint32_t i = 0; i < e->count; i++)
			if (!declare(s, e->part[i])) return false;
		return true;
	}
	if (e->kind == SYN_CALL && e->count == 2 && !strcmp(e->part[0]->name, "finite")) {
		LeafFact *f = fact_of(s, e->part[1]);
		if (f) f->finite = true;
		return f != NULL;
	}
	for (uint32_t i = 0; e->kind == SYN_COMPARE && i + 1 < e->count; i++) {
		double v;
		Sign sign = (Sign)e->signs[i];
		bool turned = number_in(e->part[i], &v), strict = sign == SIGN_LT || sign == SIGN_GT;
		LeafFact *f = fact_of(s, e->part[i + turned]);
		if (!f || (!turned && !number_in(e->part[i + 1], &v))) return false;
		if (sign == SIGN_NE)
			f->nonzero = true;
		else if ((sign == SIGN_LT || sign == SIGN_LE) != turned) {
			f->hi = v;
			f->hi_open = strict;
		} else {
			f->lo = v;
			f->lo_open = strict;
		}
	}
	return e->kind == SYN_COMPARE;
}

static bool pipeline(BookLine *s, Node **x)
{
	RewriteOptions o = {.nfact = s->nfact, .fact = s->fact, .last = true}, first = o;
	first.whole = true;
	return rewrite(s->g, "algebra", 1, x, &first) && rewrite(s->g, "stable", 1, x, &o);
}

static void say_node(Text *t, Graph *g, Node *x)
{
	print_nodes(t, g, 1, &x, NULL, PRINT_ONE_LINE);
}

static bool turns(BookLine *s, Text *report)
{
	Node *left = s->left, *right = s->right;
	if (!pipeline(s, &left) || !pipeline(s, &right)) return false;
	if (left == s->right || left == right) {
		text_printf(report, "%s: the pipeline turns left into right", s->rule->name);
		return true;
	}
	text_printf(report, "rule %s, book %s: the pipeline makes ", s->rule->name, s->rule->book->name);
	say_node(report, s->g, left);
	text_add(report, ", wanted is ");
	say_node(report, s->g, s->right);
	return false;
}

static bool within(const BookLine *s, uint32_t k, double x)
{
	for (uint32_t i = 0; i < s->nfact; i++) {
		const LeafFact *f = &s->fact[i];
		if (f->leaf == s->value[k] &&
			!(x >= f->lo && x <= f->hi && !(f->lo_open && x == f->lo) &&
				!(f->hi_open && x == f->hi) && !(f->nonzero && x == 0)))
			return false;
	}
	return true;
}

static Value *sample(BookLine *s, Arena *a, Random *random, int mode)
{
	Value *v = NEW_ARRAY(a, Value, s->n + 1);
	for (uint32_t k = 0; k < s->n; k++) {
		const Type *t = s->value[k]->type;
		v[k] = (Value){.type = t, .dtype = (Dtype)t->dtype, .rank = t->n, .dim = {SIDE, SIDE}};
		if (t->n == 2)
			v[k].count = SIDE * SIDE;
		else if (t->n)
			v[k].count = SIDE;
		else
			v[k].count = 1;
		v[k].data = arena_alloc(a, (size_t)v[k].count * sizeof(double));
		for (int64_t i = 0; i < v[k].count; i++) {
			double x = sample_value(random, mode);
			for (int more = 0; more < 50 && !within(s, k, x); more++)
				x = sample_value(random, more % 5);
			if (t->dtype == DT_I64)
				((int64_t *)v[k].data)[i] = random_below(random, SIDE);
			else
				((double *)v[k].data)[i] = x;
		}
	}
	return v;
}

static bool equal(BookLine *s, Random *random, Text *report)
{
	Graph *g = s->g;
	Closure c = {0};
	Quad worst = 0;
	uint64_t met = 0, all = 0;
	bool good = true;
	if (s->left->type != s->right->type && !(s->right = fit_type(g, s->right, s->left->type))) {
		text_printf(report, "rule %s: the sides differ in type", s->rule->name);
		return false;
	}
	if (!function_close(g, (Title){.name = "check"}, (Nodes){s->n, s->value}, (Nodes){2, (Node *[]){s->left, s->right}}, &c))
		return false;
	double room = s->rule->law == LAW_APPROX ? s->rule->tolerance : 1e-9;
	for (int round = 0; good && round < ROUNDS; round++) {
		Arena *a = arena_child(g->arena);
		Value out[2], *v = values_widened(a, s->n, sample(s, a, random, round % 7));
		if ((good = evaluate(g, a, c.function, v, out, true)))
			for (int64_t i = 0; i < out[0].count && good; i++) {
				bool real = dtype_is_float(out[0].dtype);
				Quad x = real ? ((Quad *)out[0].data)[i] : ((uint8_t *)out[0].data)[i],
				     y = real ? ((Quad *)out[1].data)[i] : ((uint8_t *)out[1].data)[i],
				     size = x < 0 ? -x : x, gap = x < y ? y - x : x - y;
				all++;
				if (!(size < 1e4900Q)) continue;
				met++;
				if (gap > worst * (1 + size)) worst = gap / (1 + size);
				if (gap <= (Quad)room * (1 + size)) continue;
				text_printf(report, "rule %s, book %s: left is ", s->rule->name,
					s->rule->book->name);
				text_number(report, (double)x, 64);
				text_add(report, ", right is ");
				text_number(report, (double)y, 64);
				good = false;
			}
		arena_free(a);
	}
	if (good && met < (s->n ? 100u : 1u)) {
		text_printf(report, "rule %s: of %llu samples only %llu can be compared, 100 are needed",
			s->rule->name, (unsigned long long)all, (unsigned long long)met);
		return false;
	}
	if (good) say_counts(report, s->rule, all, met, (double)worst);
	return good;
}

/* Read as arrays; names that are indices as numbers; all as numbers: by the first reading that fits.  The
 * report says why the first one does not. */
static bool read_sides(BookLine *s, Text *report)
{
	Graph *g = s->g;
	for (int attempt = 0; attempt < 3; attempt++) {
		if (elaborate(s, attempt, s->rule->equation)) return true;
		if (!attempt) text_printf(report, "rule %s: %s", s->rule->name, g->error.text);
		error_clear(&g->error);
	}
	return false;
}

static bool compare_sides(BookLine *s, Random *random, Text *report)
{
	const Rule *r = s->rule;
	const Syntax *guard = r->syntax->count > 2 ? r->syntax->part[2] : NULL;
	if (guard && !declare(s, guard)) {
		text_printf(report, "rule %s: the guard of a test compares names with numbers", r->name);
		return false;
	}
	bool good = r->equation ? equal(s, random, report) : turns(s, report);
	if (s->g->error.code) text_printf(report, "rule %s: %s", r->name, s->g->error.text);
	return good;
}

bool book_check(Graph *g, const Rule *r, Random *random, Text *report)
{
	BookLine s = {.g = g, .rule = r, .module = module_of_file(g, r->where.file)};
	Text unread;
	Trial t;
	text_open(&unread, g->arena);
	if (!s.module) s.module = module_empty(g);
	collect_names(&s, r->syntax->part[0], false);
	collect_names(&s, r->syntax->part[1], false);
	trial_begin(g, &t);
	bool read = read_sides(&s, &unread), good = read && compare_sides(&s, random, report);
	trial_end(g, &t);
	if (!read) text_add(report, text_done(&unread));
	return good;
}
