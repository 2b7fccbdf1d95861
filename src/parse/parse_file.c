/* parse_file.c - types, declarations, rules, and the entries of the parser. */
#include "parse.h"

/* ---- types ------------------------------------------------------------------------ */

static Syntax *slot(Parser *p)
{
	Syntax *s = syntax_new(p->arena, SYN_SLOT, token_where(p, p->token), 2);
	if (!(s->name = token_name(p, "a field's name or }")) ||
		!token_expect(p, TOKEN_COLON, "and a type after a field's name"))
		return NULL;
	if (!(s->part[0] = read_type(p)) || (token_take(p, TOKEN_IF) && !(s->part[1] = read_operators(p))))
		return NULL;
	return s;
}

static Syntax *record(Parser *p)
{
	Syntax *s = syntax_new(p->arena, SYN_RECORD, token_where(p, p->token), 0);
	lex_next(p);
	while (!token_is(p, TOKEN_CURLY_END)) {
		Syntax *one = slot(p);
		if (!one) return NULL;
		syntax_add(p->arena, s, one);
		if (!token_take(p, TOKEN_COMMA)) break;
	}
	return token_expect(p, TOKEN_CURLY_END, "or , after a field's type") ? s : NULL;
}

/* ( ): the parameters of a function's type, a tuple's type, or what it groups. */
static Syntax *round_type(Parser *p)
{
	Syntax *s = syntax_new(p->arena, SYN_TUPLE, token_where(p, p->token), 0);
	bool comma = false;
	lex_next(p);
	while (!token_is(p, TOKEN_ROUND_END)) {
		Syntax *one = read_type(p);
		if (!one) return NULL;
		syntax_add(p->arena, s, one);
		if (!(comma = token_take(p, TOKEN_COMMA))) break;
	}
	if (!token_expect(p, TOKEN_ROUND_END, "or , after a type")) return NULL;
	if (!token_take(p, TOKEN_ARROW)) return s->count == 1 && !comma ? s->part[0] : s;
	Syntax *result = read_type(p);
	if (!result) return NULL;
	s->kind = SYN_ARROW;
	syntax_add(p->arena, s, result);
	return s;
}

/* name.name... */
static Syntax *dotted(Parser *p, const char *wanted)
{
	Where where = token_where(p, p->token);
	const char *name = token_name(p, wanted);
	Syntax *s = name ? syntax_name(p->arena, where, name) : NULL;
	while (s && token_take(p, TOKEN_DOT)) {
		name = token_name(p, "a name after .");
		s = name && parse_deeper(p, p->peak) ? syntax_field(p->arena, s, name) : NULL;
	}
	return s;
}

Syntax *read_type(Parser *p)
{
	int before = p->peak;
	if (!parse_enter(p)) return NULL;
	p->peak = p->depth;
	TokenKind begins = p->token.kind;
	Syntax *s;
	if (begins == TOKEN_ROUND)
		s = round_type(p);
	else if (begins == TOKEN_CURLY)
		s = record(p);
	else
		s = dotted(p, "a type, as f64[n]");
	while (s && token_is(p, TOKEN_SQUARE)) {
		int base = p->peak;
		p->peak = p->depth;
		s = read_subscripts(p, SYN_SUBSCRIPTS, s);
		if (!parse_deeper(p, base)) return NULL;
	}
	p->peak = higher(p->peak, before);
	p->depth--;
	return s;
}

/* ---- declarations --------------------------------------------------------------------- */

static Syntax *param(Parser *p)
{
	Where where = token_where(p, p->token);
	Syntax *s = syntax_new(p->arena, SYN_PARAM, where, 4);
	const char *name = token_name(p, "a parameter's name");
	if (!name) return NULL;
	s->part[0] = syntax_name(p->arena, where, name);
	if ((token_take(p, TOKEN_COLON) && !(s->part[1] = read_type(p))) ||
		(token_take(p, TOKEN_IS) && !(s->part[2] = read_expression(p))) ||
		(token_take(p, TOKEN_IF) && !(s->part[3] = read_operators(p))))
		return NULL;
	return s;
}

static Syntax *params(Parser *p, TokenKind close)
{
	Syntax *s = syntax_new(p->arena, SYN_LIST, token_where(p, p->token), 0);
	lex_next(p);
	while (!token_is(p, close)) {
		Syntax *one = token_is(p, TOKEN_RUN) ? read_run(p, false) : param(p);
		if (!one) return NULL;
		syntax_add(p->arena, s, one);
		if (!token_take(p, TOKEN_COMMA)) break;
	}
	return token_expect(p, close, "or , after a parameter; its type follows a colon, as in x: f64") ? names_once(p, s) : NULL;
}

enum { LONG_BODY = 1024, TREES_MOST = 4 << 20 };

/* The text from `begin` to the next token, for syntax_of_later(). */
static Syntax *later(Parser *p, Token begin)
{
	const char *end = token_is(p, TOKEN_END) ? p->end : p->token.text;
	Syntax *s = syntax_new(p->arena, SYN_LATER, token_where(p, begin), 0);
	s->text = arena_copy(p->arena, begin.text, (size_t)(end - begin.text));
	return s;
}

/* Where there is room for it, what was read stands beside the text. */
static Syntax *keep_tree(Parser *p, Syntax *later, Syntax *body, Arena *where)
{
	if (arena_bytes(where) > TREES_MOST - p->tree_bytes) {
		arena_free(where);
		return later;
	}
	later->tree = NEW(p->arena, ReadTree);
	*later->tree = (ReadTree){body, where, p->tree};
	p->tree = later->tree;
	p->tree_bytes += arena_bytes(where);
	return later;
}

/* The end of the line before the next one that begins in its first column; *lines: how many are passed over.
 * NULL: there is none up to `end`. */
static const char *end_by_lines(const char *at, const char *end, int *lines)
{
	const char *newline;
	*lines = 0;
	while ((newline = memchr(at, '\n', (size_t)(end - at)))) {
		if (newline + 1 == end || !strchr(" \t\r\n", newline[1])) return newline;
		at = newline + 1;
		++*lines;
	}
	return NULL;
}

/* Not read at all: it ends where a line begins in its first column. */
static Syntax *body_by_lines(Parser *p)
{
	const Token begin = p->token;
	int lines;
	const char *end = end_by_lines(p->at, p->end, &lines);
	p->at = end ? end : p->end;
	p->line += lines;
	lex_next(p);
	return later(p, begin);
}

/* A long one is read for its mistakes and its end, and kept as text.  What the lines show to be short is read
 * once; what turns out to be short although they do not is read again, to stay. */
static Syntax *function_body(Parser *p)
{
	const Parser begin = *p;
	const char *text = p->token.text;
	int lines;
	if (p->bodies == BODIES_LATER) return body_by_lines(p);
	bool one = p->bodies == BODIES_READ || p->end - text < LONG_BODY;
	if (one || end_by_lines(text, text + LONG_BODY, &lines)) return read_expression(p);
	Arena *own = p->arena = arena_child(begin.arena);
	Syntax *body = read_expression(p);
	p->arena = begin.arena;
	const char *end = token_is(p, TOKEN_END) ? p->end : p->token.text;
	if (body && end - text >= LONG_BODY) return keep_tree(p, later(p, begin.token), body, own);
	arena_free(own);
	if (!body) return NULL;
	*p = begin;
	return read_expression(p);
}

static Syntax *definition(Parser *p)
{
	bool op = token_is(p, TOKEN_OP);
	Syntax *s = syntax_new(p->arena, op ? SYN_OP : SYN_FN, token_where(p, p->token), 4);
	lex_next(p);
	if (!(s->name = token_name(p, op ? "the operator's name after op" : "the function's name after fn")))
		return NULL;
	if (token_is(p, TOKEN_SQUARE) && !(s->part[0] = params(p, TOKEN_SQUARE_END))) return NULL;
	if (!token_is(p, TOKEN_ROUND)) return token_unexpected(p, "( and the parameters");
	if (!(s->part[1] = params(p, TOKEN_ROUND_END)) ||
		(token_take(p, TOKEN_ARROW) && !(s->part[2] = read_type(p))))
		return NULL;
	if (!token_expect(p, TOKEN_IS, "and the function's body, as in fn f(x: f64) -> f64 = 2*x")) return NULL;
	return (s->part[3] = op ? read_expression(p) : function_body(p)) ? s : NULL;
}

static Syntax *type_declaration(Parser *p)
{
	Syntax *s = syntax_new(p->arena, SYN_TYPE, token_where(p, p->token), 1);
	lex_next(p);
	if (!(s->name = token_name(p, "the type's name after type"))) return NULL;
	if (token_take(p, TOKEN_SQUARE)) {
		do {
			Where where = token_where(p, p->token);
			const char *name = token_name(p, "a type's parameter, a name");
			if (!name) return NULL;
			syntax_add(p->arena, s, syntax_name(p->arena, where, name));
		} while (token_take(p, TOKEN_COMMA));
		if (!token_expect(p, TOKEN_SQUARE_END, "or , after a type's parameter")) return NULL;
	}
	if (!token_expect(p, TOKEN_IS, "and the type")) return NULL;
	return (s->part[0] = read_type(p)) ? s : NULL;
}

static Syntax *use(Parser *p)
{
	Syntax *s = syntax_new(p->arena, SYN_USE, token_where(p, p->token), 1);
	lex_next(p);
	return (s->part[0] = dotted(p, "a module's name after use")) ? s : NULL;
}

/* ---- rules ------------------------------------------------------------------------------ */

static Law law(const Parser *p)
{
	static const char *const name[] = {[LAW_EXACT] = "exact", "real", "finite", "approx"};
	if (!token_is(p, TOKEN_NAME)) return LAW_NONE;
	for (int l = LAW_EXACT; l <= LAW_APPROX; l++)
		if (p->token.n == strlen(name[l]) && !memcmp(p->token.text, name[l], p->token.n))
			return (Law)l;
	return LAW_NONE;
}

static bool tolerance(Parser *p, Syntax *rule)
{
	return token_expect(p, TOKEN_ROUND, "and a tolerance after approx") &&
		(rule->part[3] = read_operators(p)) && token_expect(p, TOKEN_ROUND_END, "after a tolerance");
}

/* name: or name[tag, tag]: before the left side, which was read in its place. */
static bool title(Parser *p, Syntax *rule)
{
	Syntax *s = rule->part[0], *name = s->kind == SYN_SUBSCRIPTS ? s->part[0] : s;
	if (name->kind != SYN_NAME || !token_take(p, TOKEN_COLON)) return true;
	rule->name = name->name;
	if (s != name) rule->part[4] = syntax_new(p->arena, SYN_LIST, s->where, 0);
	for (uint32_t i = 1; s != name && i < s->count; i++) {
		if (s->part[i]->kind != SYN_NAME)
			return syntax_fail_at(p, s->part[i]->where, "a tag is a name, as in name[tag, tag]: left => right");
		syntax_add(p->arena, rule->part[4], s->part[i]);
	}
	return (rule->part[0] = read_operators(p)) != NULL;
}

static Syntax *left_side(Parser *p)
{
	Syntax *s = syntax_new(p->arena, SYN_RULE, token_where(p, p->token), 5);
	s->text = lex_documentation(p);
	s->part[0] = read_operators(p);
	return s->part[0] && title(p, s) ? s : NULL;
}

/* What follows a left side. */
static Syntax *rest_of_rule(Parser *p, Syntax *s)
{
	if (!s) return NULL;
	if (!token_is(p, TOKEN_GIVES) && !token_is(p, TOKEN_SAME))
		return token_unexpected(p, "=> or <=> after the left side of a rule");
	s->sign = token_is(p, TOKEN_GIVES) ? SIGN_GIVES : SIGN_SAME;
	lex_next(p);
	p->in_rule = true;
	s->part[1] = read_expression(p);
	p->in_rule = false;
	if (!s->part[1]) return NULL;
	s->law = (uint8_t)law(p);
	if (s->law) lex_next(p);
	if (s->law == LAW_APPROX && !tolerance(p, s)) return NULL;
	if (token_take(p, TOKEN_IF) && !(s->part[2] = read_operators(p))) return NULL;
	return s;
}

static Syntax *rule(Parser *p)
{
	return rest_of_rule(p, left_side(p));
}

/* A rule, or `tag name, name`. */
static Syntax *line_of_book(Parser *p)
{
	static const char word[] = "tag";
	Syntax *s = left_side(p);
	bool tags = s && !s->name && s->part[0]->kind == SYN_NAME && !strcmp(s->part[0]->name, word);
	if (!tags || !token_is(p, TOKEN_NAME)) return rest_of_rule(p, s);
	s = syntax_new(p->arena, SYN_TAG, s->where, 0);
	do {
		Where where = token_where(p, p->token);
		const char *name = token_name(p, "a tag's name");
		if (!name) return NULL;
		syntax_add(p->arena, s, syntax_name(p->arena, where, name));
	} while (token_take(p, TOKEN_COMMA));
	return s;
}

static Syntax *book(Parser *p)
{
	Syntax *s = syntax_new(p->arena, SYN_BOOK, token_where(p, p->token), 0);
	lex_next(p);
	if (!(s->name = token_name(p, "the book's name after book"))) return NULL;
	if (token_take(p, TOKEN_COLON) && !(s->order = token_name(p, "the name of the book's order after :")))
		return NULL;
	while (token_is(p, TOKEN_NAME)) {
		Syntax *one = line_of_book(p);
		if (!one) return NULL;
		syntax_add(p->arena, s, one);
	}
	if (token_is(p, TOKEN_NUMBER) || token_is(p, TOKEN_MINUS) || token_is(p, TOKEN_NOT) ||
		token_is(p, TOKEN_ROUND) || token_is(p, TOKEN_SQUARE) || token_is(p, TOKEN_CURLY))
		return syntax_fail(p, "a rule begins with a name; write name: before its left side");
	return s;
}

/* ---- entries ------------------------------------------------------------------------------ */

/* What others begin with: f(x) = ..., y = ..., a comment, a block of Stan's. */
static void *no_declaration(Parser *p)
{
	const char *wanted = "a definition, which begins with use, type, let, fn, op or book", *here = NULL;
	const TokenKind kind = p->token.kind;
	Parser next = *p;
	if (kind == TOKEN_FLOOR || kind == TOKEN_DIVIDE)
		here = "a comment begins with #";
	else if (kind == TOKEN_IS && p->before.kind == TOKEN_NAME)
		here = "a value is named by let y = 2 in y*y";
	else if (kind == TOKEN_NAME)
		lex_next(&next);
	if (kind == TOKEN_NAME && next.token.kind == TOKEN_ROUND)
		here = "a function is written fn f(x) = 2*x";
	else if (kind == TOKEN_NAME && (next.token.kind == TOKEN_IS || next.token.kind == TOKEN_COLON))
		here = "a value is named by let y = 2";
	else if (kind == TOKEN_NAME && next.token.kind == TOKEN_CURLY)
		here = "there are no blocks: data and parameters are those of a function, and what it gives is the model";
	return token_unexpected(p, here ? arena_printf(p->arena, "%s; %s", wanted, here) : wanted);
}

static Syntax *declaration(Parser *p)
{
	const char *doc = lex_documentation(p);
	Syntax *s;
	switch (p->token.kind) {
	case TOKEN_USE: s = use(p); break;
	case TOKEN_TYPE: s = type_declaration(p); break;
	case TOKEN_LET: s = read_binding(p); break;
	case TOKEN_BOOK: s = book(p); break;
	case TOKEN_FN:
	case TOKEN_OP: s = definition(p); break;
	default: return no_declaration(p);
	}
	if (s) s->text = doc;
	return s;
}

static Syntax *file_of_declarations(Parser *p)
{
	Syntax *s = syntax_new(p->arena, SYN_FILE, (Where){p->file, 1, 1}, 0);
	while (!token_is(p, TOKEN_END)) {
		Syntax *one = declaration(p);
		if (!one) return NULL;
		syntax_add(p->arena, s, one);
	}
	return s;
}

static bool begin(Parser *p, Arena *a, Names *names, const char *file, const char *text, size_t n)
{
	p->error.code = ERR_NONE;
	return a && names && text && lexer_open(p, a, names, (Where){file, 1, 1}, text, n);
}

/* What was read has to be the whole text; `wanted` is what else could follow it. */
static Syntax *end(Parser *p, Syntax *s, const char *wanted, Error *error)
{
	if (error && error->code) return NULL;
	if (s && !token_is(p, TOKEN_END)) s = token_unexpected(p, wanted);
	if (p->error.code && error) *error = p->error;
	return p->error.code ? NULL : s;
}

Syntax *parse_file(Arena *a, Names *names, const char *file, const char *text, size_t n, Error *error)
{
	Parser p;
	Syntax *s = begin(&p, a, names, file, text, n) ? file_of_declarations(&p) : NULL;
	return end(&p, s, "a definition", error);
}

Syntax *parse_module(Arena *a, Names *names, const char *file, const char *text, size_t n, Error *error)
{
	Parser p;
	bool good = begin(&p, a, names, file, text, n);
	p.bodies = BODIES_LONG_LATER;
	Syntax *s = end(&p, good ? file_of_declarations(&p) : NULL, "a definition", error);
	for (ReadTree *t = good && !s ? p.tree : NULL; t; t = t->before) arena_free(t->arena);
	return s;
}

Syntax *parse_laid_out(Arena *a, Names *names, const char *file, const char *text, size_t n, Error *error)
{
	Parser p;
	bool good = begin(&p, a, names, file, text, n);
	p.bodies = BODIES_LATER;
	return end(&p, good ? file_of_declarations(&p) : NULL, "a definition", error);
}

Syntax *syntax_of_later(Arena *a, Names *names, const Syntax *later)
{
	Parser p;
	bool good = lexer_open(&p, a, names, later->where, later->text, strlen(later->text));
	return good ? read_expression(&p) : NULL;
}

Syntax *syntax_take_later(Arena *a, Names *names, const Syntax *later)
{
	ReadTree *t = later->tree;
	if (!t || !t->body || !arena_move(t->arena, a)) return syntax_of_later(a, names, later);
	Syntax *body = t->body;
	t->body = NULL;
	return body;
}

Syntax *parse_expression(Arena *a, Names *names, const char *file, const char *text, size_t n, Error *error)
{
	Parser p;
	Syntax *s = begin(&p, a, names, file, text, n) ? read_expression(&p) : NULL;
	return end(&p, s, "an operator or the end of the text", error);
}

Syntax *parse_type(Arena *a, Names *names, const char *file, const char *text, size_t n, Error *error)
{
	Parser p;
	Syntax *s = begin(&p, a, names, file, text, n) ? read_type(&p) : NULL;
	return end(&p, s, "the end of the type", error);
}

Syntax *parse_rule(Arena *a, Names *names, const char *file, const char *text, size_t n, Error *error)
{
	Parser p;
	Syntax *s = begin(&p, a, names, file, text, n) ? rule(&p) : NULL;
	return end(&p, s, "a law, if and a guard, or the end of the rule", error);
}

Syntax *parse_param(Arena *a, Names *names, const char *file, const char *text, size_t n, Error *error)
{
	Parser p;
	Syntax *s = begin(&p, a, names, file, text, n) ? param(&p) : NULL;
	return end(&p, s, "the end of the parameter", error);
}
