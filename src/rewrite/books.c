/* books.c - the books of a graph: read, numbered, indexed by stage.
 *
 * A graph that goes on from another has that one's rules, which are read once and stay as they are, and its
 * own behind them.  What changes of a rule while it is used, RuleUse, is each graph's own.
 */
#include <stdio.h>

#include "rules.h"

typedef struct RewrittenBody {
	const char *stage;
	BodyWay way;
	Closure c;
	struct RewrittenBody *next;
} RewrittenBody;
typedef struct BookStage {
	const char *name;
	const Forest *forest;
	Automaton *automaton; /* over it */
	uint32_t *rules, n, cap;
} BookStage;

/* Lines of a table by operator. */
typedef struct BookTable {
	LineOfTable *first[OP_COUNT];
} BookTable;

struct Books {
	Graph *g;
	const Books *base; /* that of the graph that this one goes on from, or NULL */
	Arena *arena;
	Rule **rule;
	IdMap use; /* by number of the rule: its RuleUse, once there is something to note */
	uint32_t nrule, rule_cap, carried; /* the first rules are those that Porism carries */
	uint32_t *equation, nequation, equation_cap;
	BookStage *stage;
	uint32_t nstage, stage_cap;
	const BookTable *table[TABLE_COUNT]; /* NULL: to be made */
	bool trusted; /* what is read now is taken without a check */
	bool lent; /* its lists of rules are those of the graph that this one goes on from */
};

Books *books_empty(Graph *g)
{
	if (!g->rewriter) {
		Books *b = NEW(g->arena, Books);
		b->g = g;
		b->arena = g->arena;
		idmap_open(&b->use, g->arena);
		g->rewriter = b;
	}
	return g->rewriter;
}

/* Lists of the other graph's are copied before something is added to them. */
static Books *books_on(Graph *g, const Books *base)
{
	Books *b = books_empty(g);
	*b = *base;
	b->g = g;
	b->arena = g->arena;
	b->lent = true;
	b->base = base;
	idmap_open(&b->use, b->arena);
	b->stage_cap = b->nstage;
	b->stage = NEW_ARRAY(b->arena, BookStage, b->nstage);
	for (uint32_t i = 0; i < b->nstage; i++) {
		const BookStage *s = &base->stage[i];
		b->stage[i] = (BookStage){.name = s->name, .forest = s->forest, .rules = s->rules, .n = s->n};
	}
	return b;
}

static void *copied(Arena *a, const void *list, uint32_t n, uint32_t *cap, size_t size)
{
	void *own = arena_array(a, size, n);
	if (n) memcpy(own, list, n * size);
	*cap = n;
	return own;
}

static void own_lists(Books *b)
{
	if (!b->lent) return;
	b->lent = false;
	b->rule = copied(b->arena, b->rule, b->nrule, &b->rule_cap, sizeof *b->rule);
	b->equation =
		copied(b->arena, b->equation, b->nequation, &b->equation_cap, sizeof *b->equation);
	for (uint32_t i = 0; i < b->nstage; i++) {
		BookStage *s = &b->stage[i];
		s->rules = copied(b->arena, s->rules, s->n, &s->cap, sizeof *s->rules);
	}
}

Books *books_open(Graph *g)
{
	if (g->rewriter) return g->rewriter;
	if (g->below) return g->rewriter = books_open(g->below);
	if (g->base) return books_on(g, g->base->rewriter);
	Books *b = books_empty(g);
	b->trusted = true; /* the tests check them */
	bool good = rules_of_flags(g);
	for (const EmbeddedText *t = embedded_rules; good && t->name; t++)
		good = rules_add(g, t->text, strlen(t->text), t->name);
	good = good && rules_of_neighbours(g);
	b->trusted = false;
	b->carried = b->nrule;
	return good ? b : NULL;
}

Books *books_apart(Graph *g)
{
	const Books *shared = books_open(g);
	g->rewriter = NULL;
	return shared ? books_on(g, shared) : NULL;
}

static BookStage *stage_of(Books *b, const char *name)
{
	for (uint32_t i = 0; i < b->nstage; i++)
		if (!strcmp(b->stage[i].name, name)) return &b->stage[i];
	GROW(b->arena, b->stage, b->nstage, b->stage_cap);
	BookStage *s = &b->stage[b->nstage++];
	*s = (BookStage){.name = names_get(&b->g->names, name, strlen(name))};
	return s;
}

static const Forest *forest_of(Books *b, BookStage *s)
{
	if (!s->forest) s->forest = forest_make(b->g, b->arena, s->name);
	return s->forest;
}

/* Are these distinct variables, the operands of a map without brackets? */
static bool is_plain(const Pattern *left)
{
	if (left->kind != P_OPERATOR || op_info[left->op].class != MAP || *op_info[left->op].brackets ||
		(int)left->n != op_info[left->op].args)
		return false;
	for (uint32_t i = 0; i < left->n; i++) {
		if (left->arg[i]->kind != P_VARIABLE) return false;
		for (uint32_t k = 0; k < i; k++)
			if (left->arg[k]->var == left->arg[i]->var) return false;
	}
	return true;
}

static const BookTable *table_of(Books *b, TableKind kind)
{
	static const char *const name[TABLE_COUNT] = {"derivative", "transposition", "batching"};
	if (b->table[kind]) return b->table[kind];
	const BookStage *s = stage_of(b, name[kind]);
	BookTable *t = NEW(b->arena, BookTable);
	for (uint32_t i = s->n; i-- > 0;) {
		const Rule *r = b->rule[s->rules[i]];
		LineOfTable **first = &t->first[r->left->kind == P_LIBRARY ? OP_CALL : r->left->op];
		LineOfTable *l = NEW(b->arena, LineOfTable);
		*l = (LineOfTable){r, is_plain(r->left), *first};
		*first = l;
	}
	return b->table[kind] = t;
}

const LineOfTable *table_lines(Graph *g, TableKind kind, Op op)
{
	return table_of(g->rewriter, kind)->first[op];
}

bool books_finish(Graph *g)
{
	Books *b = books_open(g);
	for (uint32_t i = 0; b && i < b->nstage; i++) forest_of(b, &b->stage[i]);
	for (uint32_t i = 0; b && i < TABLE_COUNT; i++) table_of(b, (TableKind)i);
	return b != NULL;
}

void rules_trust(Graph *g, bool on)
{
	Books *b = g->rewriter ? g->rewriter : books_open(g);
	if (b) b->trusted = on;
}

/* ---- adding --------------------------------------------------------------------- */

static bool has_variable(const Pattern *p)
{
	if (p->kind == P_VARIABLE || p->kind == P_RUN) return true;
	for (uint32_t i = 0; i < p->n; i++)
		if (has_variable(p->arg[i])) return true;
	return false;
}

/* A rule of the user's is checked before it counts; where nobody can, it does not. */
static bool admit(Graph *g, const Rule *r)
{
	if (r->written) return true;
	if (g->admit_rule) return g->admit_rule(g, r);
	fail(&g->error, ERR_INTERNAL, r->where, "rule %s: nothing checks rules of this graph", r->name);
	return false;
}

/* Books of the orders `last` and `stable_last` belong to algebra and stable, after the last derivative, where
 * all of lower is. */
static const char *stage_into(const Book *book, bool *late)
{
	bool algebra = !strcmp(book->stage, "last"), stable = !strcmp(book->stage, "stable_last");
	*late = algebra || stable || !strcmp(book->stage, "lower");
	if (algebra) return "algebra";
	if (stable) return "stable";
	return book->stage;
}

bool rule_is_stable(const Rule *r)
{
	bool late;
	return !strcmp(stage_into(r->book, &late), "stable");
}

bool rule_keeps_differences(const Rule *r)
{
	bool late;
	const char *stage = stage_into(r->book, &late);
	return !strcmp(stage, "stable") || !strcmp(stage, "lower");
}

/* Subpatterns are numbered anew, and functions become something else. */
static void forget_rewriting(Books *b)
{
	b->g->rewritten = NULL;
	for (uint32_t i = 0; i < b->nstage; i++) {
		b->stage[i].forest = NULL;
		b->stage[i].automaton = NULL;
	}
	for (uint32_t i = 0; i < TABLE_COUNT; i++) b->table[i] = NULL;
}

/* Books that say how src/search looks for something; others' equations are used wherever one costs less. */
bool book_is_for_search(const Book *book)
{
	static const char *const stage[] = {"improve", "arrange", "operations"};
	bool is = false;
	for (uint32_t i = 0; i < countof(stage); i++) is |= !strcmp(book->stage, stage[i]);
	return is;
}

/* Each of the user's rules has a name of its own among them, and so has each test
 * of book `check`; lines of the tables are named by what they are of.  Of ours that is checked with the
 * rule. */
static bool is_named_once(Books *b, const Rule *r)
{
	if (b->trusted || r->head || !r->syntax->name) return true;
	for (uint32_t i = b->carried; i < b->nrule; i++) {
		const Rule *other = b->rule[i];
		if (other->written != r->written || other->head || strcmp(other->name, r->name)) continue;
		fail(&b->g->error, ERR_RULE, r->where, "rule %s: there is a rule of that name, %s:%d",
			r->name,
			other->where.file ? other->where.file : other->book->name, other->where.line);
		return false;
	}
	return true;
}

/* The rule's own tags and those of its section. */
static void take_tags(Books *b, Rule *r, const Syntax *section)
{
	const Syntax *from[] = {r->syntax->part[4], section};
	const char **tag = NULL;
	uint32_t cap = 0;
	for (uint32_t k = 0; k < countof(from); k++)
		for (uint32_t i = 0; from[k] && i < from[k]->count; i++) {
			GROW(b->arena, tag, r->ntag, cap);
			tag[r->ntag++] = from[k]->part[i]->name;
		}
	r->tag = tag;
}

static bool add_rule(Books *b, const Syntax *s, Book *book, const Syntax *tags)
{
	Rule *r = rule_compile(b->g, b->arena, s, book, &b->g->error);
	if (!r) return false;
	if (!r->head && !r->equation && !r->written && r->law == LAW_REAL && !has_variable(r->right)) {
		fail(&b->g->error, ERR_RULE, r->where,
			"rule %s: a right side without variables erases the NaN or infinity of "
			"the left: its law is `finite`, or `exact` if that never happens",
			r->name);
		return false;
	}
	if (!is_named_once(b, r)) return false;
	take_tags(b, r, tags);
	own_lists(b);
	r->number = b->nrule;
	const char *into = stage_into(book, &r->late);
	GROW(b->arena, b->rule, b->nrule, b->rule_cap);
	if (idmap_get(&b->use, b->nrule)) idmap_put(&b->use, b->nrule, NULL); /* of one that was refused */
	b->rule[b->nrule++] = r;
	book->count++;
	if (r->told) return true;
	BookStage *stage = stage_of(b, into);
	forget_rewriting(b);
	GROW(b->arena, stage->rules, stage->n, stage->cap);
	stage->rules[stage->n++] = r->number;
	bool searched = r->equation && !r->written && !book_is_for_search(book);
	if (searched) {
		GROW(b->arena, b->equation, b->nequation, b->equation_cap);
		b->equation[b->nequation++] = r->number;
	}
	if (b->trusted || admit(b->g, r)) return true;
	b->nequation -= searched;
	stage = stage_of(b, into);
	stage->n--;
	b->nrule--;
	book->count--; /* as if it had never been read */
	forget_rewriting(b);
	return false;
}

bool book_add(Graph *g, const Syntax *s, const char *file)
{
	Books *b = g->rewriter ? g->rewriter : books_open(g);
	if (!b) return false;
	Book *book = NEW(b->arena, Book);
	*book = (Book){s->name, s->order ? s->order : s->name, file, b->nrule, 0};
	const Syntax *tags = NULL;
	for (uint32_t i = 0; i < s->count; i++)
		if (s->part[i]->kind == SYN_TAG)
			tags = s->part[i];
		else if (!add_rule(b, s->part[i], book, tags))
			return false;
	return true;
}

bool rules_add(Graph *g, const char *text, size_t n, const char *file)
{
	Syntax *s = parse_file(g->arena, &g->names, file, text, n, &g->error);
	for (uint32_t i = 0; s && i < s->count; i++)
		if (s->part[i]->kind == SYN_BOOK && !book_add(g, s->part[i], file)) return false;
	return s != NULL;
}

bool rules_carried(const char *text, size_t n)
{
	for (const EmbeddedText *t = embedded_rules; t->name; t++)
		if (strlen(t->text) == n && !memcmp(t->text, text, n)) return true;
	return false;
}

bool rule_add(Graph *g, const char *text, const char *stage)
{
	Books *b = g->rewriter ? g->rewriter : books_open(g);
	Syntax *s = b ? parse_rule(b->arena, &g->names, "rule", text, strlen(text), &g->error) : NULL;
	if (!s) return false;
	Book *book = NEW(b->arena, Book);
	*book = (Book){"given",
		names_get(&g->names, stage ? stage : "algebra", strlen(stage ? stage : "algebra")), "rule",
		b->nrule, 0};
	return add_rule(b, s, book, NULL);
}

bool rule_add_call(Graph *g, const char *left, const char *stage, Law law, RuleCall call, const void *user)
{
	Books *b = g->rewriter ? g->rewriter : books_open(g);
	if (!b) return false;
	size_t name = strcspn(left, ":([ ");
	if (left[name] == '[') name += strcspn(left + name, ":"); /* tags, unless an index stands there */
	const char *bare = left[name] == ':' ? left + name + 1 : left;
	bool trusted = b->trusted;
	uint32_t before = b->nrule;
	b->trusted = true;
	bool good = rule_add(g, arena_printf(b->arena, "%s => %s  exact", left, bare), stage);
	b->trusted = trusted;
	if (!good || b->nrule == before) return false;
	Rule *r = b->rule[before];
	r->given = arena_text(b->arena, left);
	r->law = law;
	r->call = call;
	r->user = user;
	return true;
}

/* ---- asking ------------------------------------------------------------------------ */

uint32_t rules_count(Graph *g)
{
	return g->rewriter ? ((Books *)g->rewriter)->nrule : 0;
}

const Rule *rule_at(Graph *g, uint32_t number)
{
	return ((Books *)g->rewriter)->rule[number];
}

RuleUse *rule_use(Graph *g, const Rule *r)
{
	Books *b = g->rewriter;
	RuleUse *use = idmap_get(&b->use, r->number);
	if (use) return use;
	const RuleUse *before = b->base ? idmap_get(&b->base->use, r->number) : NULL;
	use = NEW(b->arena, RuleUse);
	*use = before ? *before : (RuleUse){.late = r->late};
	idmap_put(&b->use, r->number, use);
	return use;
}

void rules_on(Graph *g)
{
	Books *b = g->rewriter;
	for (uint32_t i = 0; i < b->nrule; i++) {
		RuleUse *use = idmap_get(&b->use, i);
		if (use) use->off = false;
	}
}

const Rule *rule_named(Graph *g, const char *name)
{
	Books *b = g->rewriter;
	for (uint32_t i = b ? b->nrule : 0; i-- > 0;)
		if (!strcmp(b->rule[i]->name, name)) return b->rule[i];
	return NULL;
}

const Rule *rule_namesake(Graph *g, const Rule *r)
{
	Books *b = g->rewriter;
	uint32_t carried = r->number < b->carried ? b->carried : 0;
	for (uint32_t i = 0; i < carried && !r->head && r->syntax->name; i++)
		if (b->rule[i] != r && !b->rule[i]->head && !strcmp(b->rule[i]->name, r->name))
			return b->rule[i];
	return NULL;
}

const uint32_t *stage_rules(Graph *g, const char *name, uint32_t *n)
{
	BookStage *s = stage_of(g->rewriter, name);
	*n = s->n;
	return s->rules;
}

bool rules_call(Graph *g)
{
	const Books *b = g->rewriter;
	for (uint32_t i = b ? b->carried : 0; b && i < b->nrule; i++)
		if (b->rule[i]->call) return true;
	return false;
}

bool books_are_trusted(Graph *g)
{
	const Books *b = g->rewriter;
	return !b || b->trusted;
}

bool rule_is_users(Graph *g, const Rule *r)
{
	return r->number >= ((Books *)g->rewriter)->carried;
}

const uint32_t *equations_of(Graph *g, uint32_t *n)
{
	Books *b = g->rewriter;
	*n = b->nequation;
	return b->equation;
}

Automaton *automaton_of(Graph *g, const char *name)
{
	Books *b = g->rewriter;
	BookStage *s = stage_of(b, name);
	if (!s->automaton) s->automaton = automaton_make(b->arena, forest_of(b, s));
	return s->automaton;
}

static bool same_fact(const LeafFact *a, const LeafFact *b)
{
	return a->leaf == b->leaf && a->lo == b->lo && a->hi == b->hi && a->lo_open == b->lo_open &&
		a->hi_open == b->hi_open && a->nonzero == b->nonzero && a->integer == b->integer &&
		a->finite == b->finite && a->no_nan == b->no_nan;
}

static bool same_way(const BodyWay *a, const BodyWay *b)
{
	if (a->laws != b->laws || a->last != b->last || a->whole != b->whole || a->nfact != b->nfact)
		return false;
	for (uint32_t i = 0; i < a->nfact; i++)
		if (!same_fact(&a->fact[i], &b->fact[i])) return false;
	return true;
}

Closure *function_memo(Graph *g, const char *name, const Function *f, const BodyWay *way)
{
	const char *stage = stage_of(g->rewriter, name)->name;
	IdMap *bodies = g->rewritten;
	if (!bodies) {
		g->rewritten = bodies = NEW(g->arena, IdMap);
		idmap_open(bodies, g->arena);
	}
	RewrittenBody *first = idmap_get(bodies, f->id), *body = first;
	while (body && (body->stage != stage || !same_way(&body->way, way))) body = body->next;
	if (!body) {
		LeafFact *fact = NEW_ARRAY(g->arena, LeafFact, way->nfact);
		if (way->nfact) memcpy(fact, way->fact, way->nfact * sizeof *fact);
		body = NEW(g->arena, RewrittenBody);
		*body = (RewrittenBody){.stage = stage, .way = *way, .next = first};
		body->way.fact = fact;
		idmap_put(bodies, f->id, body);
	}
	return &body->c;
}
