/* books.c - the books of a graph: read, numbered, indexed by stage. */
#include <stdio.h>

#include "rules.h"

typedef struct Body {
	unsigned laws;
	bool last;
	Closure c;
	struct Body *next;
} Body;
typedef struct Stage {
	const char *name;
	Automaton *automaton;
	uint32_t *rules, n, cap;
	IdMap bodies; /* function id -> Body list */
} Stage;

struct Books {
	Graph *g;
	Arena *arena;
	Rule **rule;
	uint32_t nrule, rule_cap;
	Stage *stage;
	uint32_t nstage, stage_cap;
	uint32_t given; /* rules added one by one */
};

Arena *rules_arena(Graph *g)
{
	return g->arena;
}

Books *books_empty(Graph *g)
{
	if (!g->rewriter) {
		Books *b = NEW(g->arena, Books);
		b->g = g, b->arena = g->arena;
		g->rewriter = b;
	}
	return g->rewriter;
}

Books *books_open(Graph *g)
{
	if (g->rewriter) return g->rewriter;
	Books *b = books_empty(g);
	for (const EmbeddedText *t = embedded_rules; t->name; t++)
		if (!rules_add(g, t->text, strlen(t->text), t->name)) return NULL;
	return b;
}

static Stage *stage_of(Books *b, const char *name)
{
	for (uint32_t i = 0; i < b->nstage; i++)
		if (!strcmp(b->stage[i].name, name)) return &b->stage[i];
	GROW(b->arena, b->stage, b->nstage, b->stage_cap);
	Stage *s = &b->stage[b->nstage++];
	*s = (Stage){.name = names_get(&b->g->names, name, strlen(name))};
	idmap_open(&s->bodies, b->arena);
	return s;
}

/* ---- adding --------------------------------------------------------------------- */

static bool has_variable(const Pattern *p)
{
	if (p->kind == P_VARIABLE || p->kind == P_RUN) return true;
	for (uint32_t i = 0; i < p->n; i++)
		if (has_variable(p->arg[i])) return true;
	return false;
}

/* A linear reading of a pattern, coef[v] per variable, that => must lower: arithmetic and views add one,
 * other maps double, folds and contractions triple what is inside. */
double rule_weight(const Pattern *p, const Rule *r, double *coef)
{
	double inner[RULE_VARIABLES], w = 1;
	if (p->kind == P_VARIABLE || p->kind == P_RUN) {
		coef[p->var] += 1;
		return 0;
	}
	if (p->kind == P_LITERAL) return 1;
	Class class = op_info[p->op].class;
	bool light = p->kind == P_SUM || p->kind == P_PRODUCT || p->kind == P_HELPER || class == VIEW ||
		(p->kind == P_OPERATOR && p->op >= OP_ADD && p->op <= OP_DIV) ||
		(p->kind == P_OPERATOR && p->op == OP_NEG);
	double times = light ? 1 : p->op == OP_PROD ? 4 : class == FOLD || class == CONTRACT ? 3 : 2;
	uint32_t ops = p->kind == P_SUM || p->kind == P_PRODUCT ? p->n - 1
		: p->op == OP_DIV                               ? 4
		: light                                         ? 1
								: 2;
	for (uint32_t i = 0; i < p->n; i++) {
		memset(inner, 0, sizeof inner);
		double c = rule_weight(p->arg[i], r, inner);
		w += times * c;
		for (uint32_t v = 0; v < r->nvar; v++) coef[v] += times * inner[v];
	}
	return w + ops - 1;
}

static bool decreases(const Rule *r)
{
	double left[RULE_VARIABLES] = {0}, right[RULE_VARIABLES] = {0};
	double l = rule_weight(r->left, r, left), w = rule_weight(r->right, r, right);
	for (uint32_t v = 0; v < r->nvar; v++) {
		if (right[v] > left[v]) return false;
		l += 2 * left[v], w += 2 * right[v]; /* a leaf weighs 2 */
	}
	return l > w;
}

static bool add_rule(Books *b, const Syntax *s, Book *book)
{
	Rule *r = rule_compile(b->g, b->arena, s, book);
	if (!r) return false;
	if (!r->head && !r->equation && r->law == LAW_REAL && !has_variable(r->right) &&
		strcmp(book->stage, "check")) {
		fail(&b->g->error, ERR_RULE, r->where,
			"rule %s: a right side without variables erases the NaN or infinity of "
			"the left: its law is `finite`, or `exact` if that never happens",
			r->name);
		return false;
	}
	r->number = b->nrule;
	r->decreasing = decreases(r);
	r->late = !strcmp(book->stage, "last");
	GROW(b->arena, b->rule, b->nrule, b->rule_cap);
	b->rule[b->nrule++] = r;
	book->count++;
	Stage *stage = stage_of(b, r->late ? "algebra" : book->stage);
	for (uint32_t i = 0; i < b->nstage; i++) /* subpatterns are numbered anew */
		b->stage[i].automaton = NULL, idmap_open(&b->stage[i].bodies, b->arena);
	GROW(b->arena, stage->rules, stage->n, stage->cap);
	stage->rules[stage->n++] = r->number;
	return true;
}

bool book_add(Graph *g, const Syntax *s, const char *file)
{
	Books *b = g->rewriter ? g->rewriter : books_open(g);
	if (!b) return false;
	Book *book = NEW(b->arena, Book);
	*book = (Book){s->name, s->order ? s->order : s->name, file, b->nrule, 0};
	for (uint32_t i = 0; i < s->count; i++)
		if (!add_rule(b, s->part[i], book)) return false;
	return true;
}

bool rules_add(Graph *g, const char *text, size_t n, const char *file)
{
	Syntax *s = parse_file(g->arena, &g->names, file, text, n, &g->error);
	for (uint32_t i = 0; s && i < s->count; i++)
		if (s->part[i]->kind == SYN_BOOK && !book_add(g, s->part[i], file)) return false;
	return s != NULL;
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
	return add_rule(b, s, book);
}

/* ---- asking ------------------------------------------------------------------------ */

uint32_t rules_count(Graph *g)
{
	return g->rewriter ? ((Books *)g->rewriter)->nrule : 0;
}

Rule *rule_at(Graph *g, uint32_t number)
{
	return ((Books *)g->rewriter)->rule[number];
}

Rule *rule_named(Graph *g, const char *name)
{
	Books *b = g->rewriter;
	for (uint32_t i = b ? b->nrule : 0; i-- > 0;)
		if (!strcmp(b->rule[i]->name, name)) return b->rule[i];
	return NULL;
}

const uint32_t *stage_rules(Graph *g, const char *name, uint32_t *n)
{
	Stage *s = stage_of(g->rewriter, name);
	*n = s->n;
	return s->rules;
}

Automaton *automaton_of(Graph *g, const char *name)
{
	Books *b = g->rewriter;
	Stage *s = stage_of(b, name);
	if (!s->automaton) s->automaton = automaton_make(g, b->arena, name);
	return s->automaton;
}

Closure *function_memo(Graph *g, const char *name, const Function *f, unsigned laws, bool last)
{
	Books *b = g->rewriter;
	Stage *s = stage_of(b, name);
	Body *first = idmap_get(&s->bodies, f->id), *body = first;
	while (body && (body->laws != laws || body->last != last)) body = body->next;
	if (!body) {
		body = NEW(b->arena, Body);
		*body = (Body){laws, last, {0}, first};
		idmap_put(&s->bodies, f->id, body);
	}
	return &body->c;
}
