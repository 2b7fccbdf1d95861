/* parse_list.c - whatever stands in brackets: items, patterns, arguments, subscripts.
 *
 * A list in round or square brackets is read once, as items; what follows it (=> or not) and what stood
 * before it (a value, scan, nothing) says what it is, and the items are turned into that.
 */
#include "parse.h"

/* ---- patterns ------------------------------------------------------------------- */

static bool check_pattern(Parser *p, const Syntax *s)
{
	if (s->kind == SYN_NAME) return true;
	if (s->kind == SYN_ENTRY) return check_pattern(p, s->part[0]);
	if (s->kind != SYN_CURLY && (s->kind != SYN_TUPLE || !s->count)) {
		syntax_fail_at(p, s->where, "a name, (a, b) or {a, b} can be defined here, nothing else");
		return false;
	}
	for (uint32_t i = 0; i < s->count; i++)
		if (!check_pattern(p, s->part[i])) return false;
	return true;
}

static bool new_name(Parser *p, NameMap *seen, Where where, const char *name)
{
	if (!strcmp(name, "_")) return true;
	if (namemap_get(seen, name)) {
		syntax_fail_at(p, where, "%s is defined twice here", name);
		return false;
	}
	namemap_put(seen, name, (void *)(uintptr_t)name);
	return true;
}

static bool new_names(Parser *p, NameMap *seen, const Syntax *pattern)
{
	if (pattern->kind == SYN_NAME) return new_name(p, seen, pattern->where, pattern->name);
	for (uint32_t i = 0; i < pattern->count; i++)
		if (!new_names(p, seen,
			    pattern->kind == SYN_CURLY ? pattern->part[i]->part[0] : pattern->part[i]))
			return false;
	return true;
}

Syntax *names_once(Parser *p, Syntax *list)
{
	NameMap seen;
	namemap_open(&seen, p->arena);
	for (uint32_t i = 0; list && i < list->count; i++) {
		const Syntax *s = list->part[i];
		bool good = s->kind == SYN_PARAM ? new_names(p, &seen, s->part[0])
						 : new_name(p, &seen, s->where, s->name);
		if (!good) return NULL;
	}
	return list;
}

static Syntax *once(Parser *p, Syntax *pattern)
{
	NameMap seen;
	if (!pattern || pattern->kind == SYN_NAME) return pattern;
	namemap_open(&seen, p->arena);
	return new_names(p, &seen, pattern) ? pattern : NULL;
}

static Syntax *entry(Parser *p, Where where, const char *name, Syntax *value)
{
	Syntax *s = syntax_new(p->arena, SYN_ENTRY, where, 1);
	s->name = name;
	s->part[0] = value;
	return s;
}

/* The rest of { }: each entry is a name, or a name and what `value` reads after the =. */
Syntax *read_curly(Parser *p, Syntax *(*value)(Parser *))
{
	Syntax *s = syntax_new(p->arena, SYN_CURLY, token_where(p, p->token), 0);
	lex_next(p);
	while (!token_is(p, TOKEN_CURLY_END)) {
		Where where = token_where(p, p->token);
		const char *name = token_name(p, "a field's name or }; an array is [1, 2]");
		if (!name) return NULL;
		Syntax *e =
			token_is(p, TOKEN_IS) ? (lex_next(p), value(p)) : syntax_name(p->arena, where, name);
		if (!e) return NULL;
		syntax_add(p->arena, s, entry(p, where, name, e));
		if (!token_take(p, TOKEN_COMMA)) break;
	}
	if (token_is(p, TOKEN_COLON)) return token_unexpected(p, "} or , after a field; its value follows =, as in {a = 1}");
	return close_list(p, s->where, TOKEN_CURLY_END, "or , after a field") ? s : NULL;
}

static Syntax *read_part(Parser *p)
{
	Syntax *s = NULL;
	if (!parse_enter(p)) return NULL;
	if (token_is(p, TOKEN_CURLY)) {
		s = read_curly(p, read_part);
	} else if (token_is(p, TOKEN_ROUND)) {
		Syntax *tuple = syntax_new(p->arena, SYN_TUPLE, token_where(p, p->token), 0);
		bool comma;
		lex_next(p);
		do {
			Syntax *part = read_part(p);
			if (!part) return NULL;
			syntax_add(p->arena, tuple, part);
			comma = token_take(p, TOKEN_COMMA);
		} while (comma && !token_is(p, TOKEN_ROUND_END));
		if (!token_expect(p, TOKEN_ROUND_END, "or , in a pattern")) return NULL;
		s = tuple->count == 1 && !comma ? tuple->part[0] : tuple;
	} else {
		Where where = token_where(p, p->token);
		const char *name = token_name(p, "a name, (a, b) or {a, b} to define");
		s = name ? syntax_name(p->arena, where, name) : NULL;
	}
	p->depth--;
	return s;
}

Syntax *read_pattern(Parser *p)
{
	return once(p, read_part(p));
}

/* ---- lists ---------------------------------------------------------------------- */

Syntax *read_run(Parser *p, bool bare)
{
	Syntax *s = syntax_new(p->arena, SYN_RUN, token_where(p, p->token), 0);
	lex_next(p);
	if (!bare || token_is(p, TOKEN_NAME))
		if (!(s->name = token_name(p, "a run's name after .."))) return NULL;
	return s;
}

static bool item(Parser *p, Item *it)
{
	*it = (Item){0};
	if (token_is(p, TOKEN_RUN)) return (it->left = read_run(p, false)) != NULL;
	if (!(it->left = read_expression(p))) return false;
	if (token_take(p, TOKEN_COLON) && !(it->type = read_type(p))) return false;
	if (token_is(p, TOKEN_IS) || token_is(p, TOKEN_IN)) {
		it->link = p->token.kind;
		lex_next(p);
		it->value = read_expression(p);
		return it->value != NULL;
	}
	return true;
}

/* The list that begins with the next token. */
bool read_items(Parser *p, ItemList *list)
{
	bool in_rule = p->in_rule;
	*list = (ItemList){.where = token_where(p, p->token), .round = token_is(p, TOKEN_ROUND)};
	list->item = list->few;
	list->cap = countof(list->few);
	TokenKind close = list->round ? TOKEN_ROUND_END : TOKEN_SQUARE_END;
	p->in_rule = false;
	lex_next(p);
	while (!token_is(p, close)) {
		GROW(p->arena, list->item, list->n, list->cap);
		if (!item(p, &list->item[list->n++])) return false;
		if (!(list->comma = token_take(p, TOKEN_COMMA))) break;
	}
	p->in_rule = in_rule;
	if (token_is(p, TOKEN_RUN))
		return token_unexpected(p, "] or , in this list; a count is written i < n, a slice x[a:b]") != NULL;
	return close_list(p, list->where, close, "or , in this list");
}

/* ( ) alone: what it groups, or a tuple.  [ ] alone: an array. */
Syntax *items_group(Parser *p, const ItemList *list)
{
	Syntax *s = syntax_new(p->arena, list->round ? SYN_TUPLE : SYN_ARRAY, list->where, list->n);
	for (uint32_t i = 0; i < list->n; i++) {
		const Item *it = &list->item[i];
		if (it->left->kind == SYN_RUN)
			return syntax_fail_at(p, it->left->where, "a run stands in the arguments of a call");
		if (it->type || it->link)
			return syntax_fail_at(p, it->left->where, "a definition in %s",
				list->round ? "( ) belongs to a function, (x: T) => ..., or a scan"
					    : "[ ] belongs to an array's formula, [i < n, x in xs] => ...");
		s->part[i] = it->left;
	}
	return list->round && list->n == 1 && !list->comma ? s->part[0] : s;
}

Syntax *read_call(Parser *p, Syntax *callee)
{
	ItemList list;
	if (!read_items(p, &list)) return NULL;
	Syntax *s = syntax_new(p->arena, SYN_CALL, callee->where, list.n + 1);
	s->part[0] = callee;
	for (uint32_t i = 0; i < list.n; i++) {
		const Item *it = &list.item[i];
		if (it->type || it->link == TOKEN_IN || (it->link && it->left->kind != SYN_NAME))
			return syntax_fail_at(p, it->left->where,
				"an argument is an expression, name = expression or ..run");
		s->part[i + 1] = it->link ? entry(p, it->left->where, it->left->name, it->value) : it->left;
	}
	return s;
}

/* name < size or name in array. */
static Syntax *counter(Parser *p, const Item *it)
{
	const Syntax *left = it->left;
	Syntax *s;
	if (!it->type && it->link == TOKEN_IN && left->kind == SYN_NAME) {
		s = syntax_new(p->arena, SYN_OVER, left->where, 1);
		s->name = left->name;
		s->part[0] = it->value;
		return s;
	}
	if (it->type || it->link || left->kind != SYN_COMPARE || left->count != 2 ||
		left->signs[0] != SIGN_LT || left->part[0]->kind != SYN_NAME)
		return NULL;
	s = syntax_new(p->arena, SYN_BELOW, left->where, 1);
	s->name = left->part[0]->name;
	s->part[0] = left->part[1];
	return s;
}

static Syntax *formula_item(Parser *p, const Item *it)
{
	Syntax *s = counter(p, it);
	return s ? s
		 : syntax_fail_at(
			   p, it->left->where, "an array's formula runs over name < size or name in array");
}

static Syntax *scan_item(Parser *p, const Item *it)
{
	Syntax *s = counter(p, it);
	if (!s && !it->type && it->link == TOKEN_IS && it->left->kind == SYN_NAME)
		s = entry(p, it->left->where, it->left->name, it->value);
	return s ? s
		 : syntax_fail_at(
			   p, it->left->where, "a scan has name = first value, name in array or name < size");
}

static Syntax *lambda_item(Parser *p, const Item *it)
{
	if (it->left->kind == SYN_RUN) return it->left;
	if (it->link)
		return syntax_fail_at(
			p, it->left->where, "a parameter of (x) => ... has no default; fn has them");
	if (!check_pattern(p, it->left)) return NULL;
	Syntax *s = syntax_new(p->arena, SYN_PARAM, it->left->where, 4);
	s->part[0] = it->left;
	s->part[1] = it->type;
	return s;
}

static Syntax *list_of(Parser *p, SyntaxKind kind, const ItemList *list,
	Syntax *(*turn)(Parser *, const Item *))
{
	Syntax *s = syntax_new(p->arena, kind, list->where, list->n);
	for (uint32_t i = 0; i < list->n; i++)
		if (!(s->part[i] = turn(p, &list->item[i]))) return NULL;
	return s;
}

bool arrow_allowed_here(Parser *p)
{
	if (p->in_rule) syntax_fail(p, "=> inside the right side of a rule needs parentheses");
	return !p->in_rule;
}

/* The list and => are next to one another: (x) => body or [i < n] => body. */
Syntax *items_function(Parser *p, const ItemList *list)
{
	if (!arrow_allowed_here(p)) return NULL;
	Syntax *s = names_once(p,
		list->round ? list_of(p, SYN_LAMBDA, list, lambda_item)
			    : list_of(p, SYN_FORMULA, list, formula_item));
	if (!s) return NULL;
	lex_next(p);
	Syntax *body = read_expression(p);
	if (!body) return NULL;
	syntax_add(p->arena, s, body);
	return s;
}

/* The LIST of a scan. */
Syntax *read_scan_list(Parser *p)
{
	ItemList list;
	if (!token_is(p, TOKEN_ROUND)) return token_unexpected(p, "( after scan");
	return read_items(p, &list) ? names_once(p, list_of(p, SYN_LIST, &list, scan_item)) : NULL;
}

/* ---- subscripts ------------------------------------------------------------------ */

static bool ends_slice_part(const Parser *p)
{
	return token_is(p, TOKEN_COLON) || token_is(p, TOKEN_COMMA) || token_is(p, TOKEN_SQUARE_END);
}

/* The rest of a slice, from its first colon. */
static Syntax *slice(Parser *p, Where where, Syntax *from)
{
	Syntax *s = syntax_new(p->arena, SYN_SLICE, where, 3);
	s->part[0] = from;
	for (int i = 1; i < 3 && token_take(p, TOKEN_COLON); i++)
		if (!ends_slice_part(p) && !(s->part[i] = read_expression(p))) return NULL;
	return s;
}

static Syntax *sub(Parser *p)
{
	Where where = token_where(p, p->token);
	if (token_is(p, TOKEN_RUN)) return read_run(p, true);
	if (token_is(p, TOKEN_COLON)) return slice(p, where, NULL);
	Syntax *e = read_expression(p);
	if (!e) return NULL;
	if (token_is(p, TOKEN_COLON)) return slice(p, where, e);
	if (!token_is(p, TOKEN_IS)) return e;
	if (e->kind != SYN_NAME) return token_unexpected(p, "name = value, , or ] in brackets");
	lex_next(p);
	Syntax *value = read_expression(p);
	return value ? entry(p, where, e->name, value) : NULL;
}

/* [subs], into a node of this kind after the base (which a LIST has not). */
Syntax *read_subscripts(Parser *p, SyntaxKind kind, Syntax *base)
{
	bool in_rule = p->in_rule;
	Syntax *s = syntax_new(p->arena, kind, base ? base->where : token_where(p, p->token), 0);
	if (kind != SYN_LIST) syntax_add(p->arena, s, base);
	const Where open = token_where(p, p->token);
	p->in_rule = false;
	lex_next(p);
	while (!token_is(p, TOKEN_SQUARE_END)) {
		Syntax *e = sub(p);
		if (!e) return NULL;
		syntax_add(p->arena, s, e);
		if (!token_take(p, TOKEN_COMMA)) break;
	}
	p->in_rule = in_rule;
	return close_list(p, open, TOKEN_SQUARE_END, "or , in brackets") ? s : NULL;
}
