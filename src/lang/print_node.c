/* print_node.c - a node in the notation: operators, constants, sizes, subscripts.
 *
 * In an elementwise operator a constant is a bare number and a spread operand
 * stands as it is, as long as another operand gives dtype and shape.
 */
#include "print_graph.h"

/* ---- operands ------------------------------------------------------------------------------ */

bool is_weak_size(const Node *x)
{
	return x->op == OP_SIZE ||
		(x->op == OP_CAST && x->arg[0]->op == OP_SIZE && dtype_is_float(node_dtype(x)));
}

Shown shown_node(Printer *p, Node *x)
{
	if (is_weak_size(x)) {
		const Size *s = (x->op == OP_SIZE ? x : x->arg[0])->attr->v[0].u.size;
		return atom(arena_printf(p->scratch, "%s(%s)", dtype_name(node_dtype(x)), size_text(p, s, 0)),
			LEVEL_ATOM);
	}
	switch (x->op) {
	case OP_CONST: {
		uint32_t at = region_place(p->r, x);
		return at != UINT32_MAX && p->shown[at].named ? p->shown[at] : constant_text(p, x, false);
	}
	case OP_PARAM:
		return atom(p->param[attr_int(x, 0)],
			p->param_level ? p->param_level[attr_int(x, 0)] : LEVEL_ATOM);
	case OP_INPUT: return atom(x->attr->v[0].u.name, LEVEL_ATOM);
	case OP_FRESH: return atom(x->origin && x->origin->name ? x->origin->name : "?", LEVEL_ATOM);
	case OP_IOTA:
		return atom(arena_printf(p->scratch, "iota[%s]()", size_text(p, x->attr->v[0].u.size, 0)),
			LEVEL_ATOM);
	default: break;
	}
	uint32_t at = region_place(p->r, x);
	if (at != UINT32_MAX && p->shown[at].text) return p->shown[at];
	return is_spread(p, x) || x->op == OP_EXPAND || x->op == OP_GET ? node_text(p, x)
									: atom("?", LEVEL_ATOM);
}

const char *operand(Printer *p, Node *x, int level)
{
	return parenthesised(p, shown_node(p, x), level);
}

/* A size or whole number where the notation has a weak one. */
static Shown index_text(Printer *p, Node *x)
{
	if (x->op == OP_CONST && constant_is_uniform(x) && node_is_scalar(x))
		return constant_text(p, x, true);
	if (x->op == OP_SIZE) return atom(size_text(p, x->attr->v[0].u.size, 0), LEVEL_SUM);
	return shown_node(p, x);
}

bool is_spread(Printer *p, const Node *x)
{
	(void)p;
	if (x->op != OP_EXPAND) return false;
	for (uint32_t i = 0; 2 * i < x->attr->n; i++)
		if (attr_int(x, 2 * i) != i) return false;
	return true;
}

/* What stands for an operand when a sibling gives dtype and shape. */
static Node *unspread(Printer *p, Node *x)
{
	return is_spread(p, x) ? x->arg[0] : x;
}

static bool is_weak(const Node *x)
{
	return x->op == OP_CONST ? constant_is_uniform(x) && node_dtype(x) != DT_KEY : is_weak_size(x);
}

/* The operands of an elementwise operator. */
static void map_operands(Printer *p, const Node *x, Shown *out)
{
	uint32_t n = x->narg, rank = node_rank(x), first = op_info[x->op].dtype == SELECT ? 1 : 0;
	uint32_t whole = UINT32_MAX, typed = UINT32_MAX;
	Node *bare[4];
	for (uint32_t i = 0; i < n && i < countof(bare); i++) {
		bare[i] = unspread(p, x->arg[i]);
		bool weak = is_weak(bare[i]);
		if (whole == UINT32_MAX && !weak && bare[i] == x->arg[i]) whole = i;
		if (typed == UINT32_MAX && !weak && i >= first) typed = i;
	}
	if (n == 1) whole = typed = n;
	if (!rank) whole = n;
	if (whole == UINT32_MAX) { /* one operand shows the shape */
		for (uint32_t i = 0; i < n && whole == UINT32_MAX; i++) whole = is_weak(bare[i]) ? whole : i;
		whole = whole == UINT32_MAX ? 0 : whole;
		bare[whole] = x->arg[whole];
		if (typed == UINT32_MAX && whole >= first) typed = whole;
		out[whole] = shown_node(p, x->arg[whole]);
		if (n > 1 && is_weak(x->arg[whole]) && x->arg[whole]->op != OP_CONST)
			out[whole] = node_text(p, x->arg[whole]);
	}
	if (typed == UINT32_MAX) typed = first;
	for (uint32_t i = 0; i < n; i++) {
		if (i == whole || n == 1) {
			out[i] = shown_node(p, x->arg[i]);
		} else if (!is_weak(bare[i])) {
			out[i] = shown_node(p, bare[i]);
		} else if (bare[i]->op == OP_CONST) {
			bool minus = x->op == OP_POW && i == 1 && dtype_is_integer(node_dtype(x));
			bool alone = i == typed || minus;
			Node *scalar = constant(
				p->g, type_scalar(p->g, node_dtype(bare[i])), constant_bytes(bare[i]));
			out[i] = constant_text(p, scalar, !alone || node_dtype(scalar) == DT_BOOL);
		} else {
			Node *size = bare[i]->op == OP_SIZE ? bare[i] : bare[i]->arg[0];
			const Size *s = size->attr->v[0].u.size;
			out[i] = i == typed
				? atom(arena_printf(p->scratch, "%s(%s)", dtype_name(node_dtype(bare[i])),
					       size_text(p, s, 0)),
					  LEVEL_ATOM)
				: atom(size_text(p, s, LEVEL_ATOM), LEVEL_ATOM);
		}
	}
}

/* ---- elementwise operators -------------------------------------------------------------------- */

static int infix_level(Op op)
{
	switch (op) {
	case OP_ADD:
	case OP_SUB: return LEVEL_SUM;
	case OP_MUL:
	case OP_DIV:
	case OP_FLOORDIV:
	case OP_MOD: return LEVEL_PRODUCT;
	case OP_POW: return LEVEL_POWER;
	case OP_EQ:
	case OP_NE:
	case OP_LT:
	case OP_LE:
	case OP_GT:
	case OP_GE: return LEVEL_COMPARE;
	case OP_AND: return LEVEL_AND;
	case OP_OR: return LEVEL_OR;
	default: return -1;
	}
}

static uint8_t deeper(uint32_t n, const Shown *s)
{
	uint8_t d = 0;
	for (uint32_t i = 0; i < n; i++) d = s[i].depth > d ? s[i].depth : d;
	return d + 1;
}

static Shown map_text(Printer *p, Node *x)
{
	Shown s[4], r;
	Op op = (Op)x->op;
	map_operands(p, x, s);
	int level = infix_level(op);
	if (level >= 0) {
		const char *text = op_info[op].text;
		bool tight = level == LEVEL_POWER || op == OP_MUL || op == OP_DIV || op == OP_FLOORDIV;
		int left = level == LEVEL_POWER ? LEVEL_ATOM : level == LEVEL_COMPARE ? level + 1 : level;
		int right = level == LEVEL_POWER ? LEVEL_MINUS : level + 1;
		r = atom(arena_printf(p->scratch, tight ? "%s%s%s" : "%s %s %s", parenthesised(p, s[0], left),
				 text, parenthesised(p, s[1], right)),
			level);
	} else if (op == OP_NEG) {
		r = atom(arena_printf(p->scratch, "-%s", parenthesised(p, s[0], LEVEL_POWER)), LEVEL_MINUS);
	} else if (op == OP_NOT) {
		r = atom(
			arena_printf(p->scratch, "not %s", parenthesised(p, s[0], LEVEL_COMPARE)), LEVEL_NOT);
	} else if (op == OP_CAST) {
		r = atom(arena_printf(p->scratch, "%s(%s)", dtype_name(node_dtype(x)),
				 x->arg[0]->op == OP_SIZE ? size_text(p, x->arg[0]->attr->v[0].u.size, 0)
							  : s[0].text),
			LEVEL_ATOM);
	} else {
		Text t;
		text_open(&t, p->scratch);
		text_add(&t, op_info[op].text);
		if (op == OP_BITCAST) text_printf(&t, "[%s]", dtype_name(node_dtype(x)));
		for (uint32_t i = 0; i < x->narg; i++) text_printf(&t, "%s%s", i ? ", " : "(", s[i].text);
		text_add(&t, ")");
		r = atom(text_done(&t), LEVEL_ATOM);
	}
	r.depth = deeper(x->narg, s);
	return r;
}

/* ---- views and indices --------------------------------------------------------------------------- */

/* Does a reshape only put in axes of size 1?  Then it is x[:, _]. */
static const char *new_axes(Printer *p, const Node *x)
{
	Text t;
	const Node *y = x->arg[0];
	uint32_t from = 0;
	text_open(&t, p->scratch);
	for (uint32_t i = 0; i < node_rank(y); i++)
		if (size_equals(node_dim(y, i), 1)) return NULL;
	if (node_rank(x) <= node_rank(y)) return NULL;
	for (uint32_t i = 0; i < node_rank(x); i++) {
		text_add(&t, i ? ", " : "");
		if (from < node_rank(y) && node_dim(x, i) == node_dim(y, from))
			text_char(&t, ':'), from++;
		else if (size_equals(node_dim(x, i), 1))
			text_char(&t, '_');
		else
			return NULL;
	}
	return from == node_rank(y) ? text_done(&t) : NULL;
}

static const char *join(Printer *p, const Node *x, uint32_t from, uint32_t n)
{
	Text t;
	text_open(&t, p->scratch);
	for (uint32_t i = 0; i < n; i++) {
		const AttrValue *v = &x->attr->v[from + i];
		text_add(&t, i ? ", " : "");
		if (v->kind == A_SIZE)
			text_add(&t, size_text(p, v->u.size, 0));
		else
			text_printf(&t, "%lld", (long long)v->u.i);
	}
	return text_done(&t);
}

/* A bound on an axis of size n: from the end where that is a number. */
static const char *bound_text(Printer *p, const Size *b, const Size *n)
{
	int64_t v;
	const Size *end = size_sub(p->g, b, n);
	if (!size_is(n, &v) && end && size_is(end, &v) && v < 0)
		return arena_printf(p->scratch, "%lld", (long long)v);
	return size_text(p, b, 0);
}

/* x[a:b:c] where all steps are forward; NULL where that does not say it. */
static const char *slice_subs(Printer *p, const Node *x)
{
	Text t;
	Graph *g = p->g;
	uint32_t n = node_rank(x);
	text_open(&t, p->scratch);
	for (uint32_t i = 0; i < n; i++) {
		const Size *dim = node_dim(x->arg[0], i), *start = x->attr->v[i].u.size,
			   *length = x->attr->v[n + i].u.size;
		int64_t step = attr_int(x, 2 * n + i), v, s;
		text_add(&t, i ? ", " : "");
		if (size_equals(start, 0) && length == dim && step == 1) {
			text_char(&t, ':');
			continue;
		}
		if (step < 1 || size_equals(length, 0) || (step > 1 && !size_is(length, &v))) return NULL;
		if (size_is(start, &s) && s < 0) return NULL;
		const Size *stop = size_add(g, start, step == 1 ? length : size_const(g, step * (v - 1) + 1));
		/* a number that counts from the end of a symbolic axis, or that would be taken for one */
		if (!size_equals(start, 0)) text_add(&t, bound_text(p, start, dim));
		text_char(&t, ':');
		if (stop != dim) text_add(&t, bound_text(p, stop, dim));
		if (step != 1) text_printf(&t, ":%lld", (long long)step);
	}
	return text_done(&t);
}

static Shown view_text(Printer *p, Node *x)
{
	Op op = (Op)x->op;
	Node *a = x->arg[0];
	uint32_t n = node_rank(x), r = op == OP_CONCAT ? 0 : node_rank(a);
	const char *subs = op == OP_RESHAPE ? new_axes(p, x) : op == OP_SLICE ? slice_subs(p, x) : NULL;
	if (subs)
		return atom(arena_printf(p->scratch, "%s[%s]", operand(p, a, LEVEL_ATOM), subs), LEVEL_ATOM);
	if (op == OP_TRANSPOSE && n >= 2) {
		bool turned = attr_int(x, n - 1) == n - 2 && attr_int(x, n - 2) == n - 1;
		for (uint32_t i = 0; i + 2 < n; i++) turned &= attr_int(x, i) == i;
		if (turned)
			return atom(arena_printf(p->scratch, "%s.T", operand(p, a, LEVEL_ATOM)), LEVEL_ATOM);
	}
	if (is_spread(p, x) || is_sized(x))
		return atom(arena_printf(p->scratch, "%s(%s)", type_text(p, x->type), operand(p, a, 0)),
			LEVEL_ATOM);
	if (op == OP_CONCAT) {
		Text t;
		text_open(&t, p->scratch);
		text_add(&t, "concat");
		if (attr_int(x, 0)) text_printf(&t, "[%lld]", (long long)attr_int(x, 0));
		for (uint32_t i = 0; i < x->narg; i++)
			text_printf(&t, "%s%s", i ? ", " : "(", operand(p, x->arg[i], 0));
		text_add(&t, ")");
		return atom(text_done(&t), LEVEL_ATOM);
	}
	uint32_t count = op == OP_SLICE || op == OP_PAD ? 3 * r : attr_count(x);
	return atom(arena_printf(p->scratch, "%s[%s](%s)", op_info[op].text, join(p, x, 0, count),
			    operand(p, a, 0)),
		LEVEL_ATOM);
}

/* v of a scatter spreads by itself. */
static const char *scattered(Printer *p, Node *v)
{
	if (v->op == OP_CONST && constant_is_uniform(v))
		return constant_text(p, v, node_dtype(v) != DT_BOOL || !v->type->n).text;
	return operand(p, unspread(p, v), 0);
}

static Shown index_node_text(Printer *p, Node *x)
{
	Op op = (Op)x->op;
	Text t;
	text_open(&t, p->scratch);
	if (op == OP_GATHER) {
		text_printf(&t, "%s[", operand(p, x->arg[0], LEVEL_ATOM));
		for (int64_t i = 0; i < attr_int(x, 0); i++) text_add(&t, ":, ");
		text_printf(&t, "%s]", index_text(p, x->arg[1]).text);
	} else if (op == OP_ONE_HOT) {
		text_printf(&t, "one_hot[%s, %s](%s)", size_text(p, x->attr->v[0].u.size, 0),
			dtype_name(node_dtype(x)), operand(p, x->arg[0], 0));
	} else if (op == OP_TOP_K) {
		text_printf(
			&t, "top_k[%s](%s)", size_text(p, x->attr->v[0].u.size, 0), operand(p, x->arg[0], 0));
	} else {
		text_printf(&t, "%s[%lld](%s, %s, %s)", op_info[op].text, (long long)attr_int(x, 0),
			operand(p, x->arg[0], 0), index_text(p, x->arg[1]).text, scattered(p, x->arg[2]));
	}
	return atom(text_done(&t), LEVEL_ATOM);
}

/* ---- contractions ----------------------------------------------------------------------------------- */

/* A matrix product is what matmul makes of the same operands. */
static bool is_matmul(Printer *p, const Node *x)
{
	Node *a = x->arg[0], *b = x->arg[1];
	if (!node_rank(a) || !node_rank(b) || p->g->error.code) return false;
	Node *y = matmul(p->g, a, b);
	error_clear(&p->g->error);
	return y == x;
}

static Shown contract_text(Printer *p, Node *x)
{
	static const char names[] = "ijklmnopqrstuvwxyzabcdefgh";
	if (is_matmul(p, x))
		return atom(arena_printf(p->scratch, "%s @ %s", operand(p, x->arg[0], LEVEL_PRODUCT),
				    operand(p, x->arg[1], LEVEL_MINUS)),
			LEVEL_PRODUCT);
	Text t;
	uint32_t at = 0;
	text_open(&t, p->scratch);
	text_add(&t, "einsum[");
	for (int part = 0; part < 3; part++) {
		uint32_t n = 0;
		text_add(&t, part ? ", (" : "(");
		for (; at < x->attr->n && attr_int(x, at) >= 0; at++, n++) {
			int64_t l = attr_int(x, at);
			text_add(&t, n ? ", " : "");
			if (l < (int64_t)sizeof names - 1)
				text_char(&t, names[l]);
			else
				text_printf(&t, "i%lld", (long long)l);
		}
		at++;
		text_add(&t, n == 1 ? ",)" : ")");
	}
	text_printf(&t, "](%s, %s)", operand(p, x->arg[0], 0), operand(p, x->arg[1], 0));
	return atom(text_done(&t), LEVEL_ATOM);
}

/* ---- calls of ops --------------------------------------------------------------------------------------- */

/* One parameter's operands: a record where its type is one. */
static void argument_text(Printer *p, Text *t, const Syntax *type, const Node *x, uint32_t *at)
{
	if (!type || type->kind != SYN_RECORD) {
		if (*at < x->narg) text_add(t, operand(p, x->arg[*at], 0));
		++*at;
		return;
	}
	const char **done = NEW_ARRAY(p->scratch, const char *, type->count);
	text_char(t, '{');
	for (uint32_t i = 0; i < type->count; i++) { /* leaves lie in the order of their names */
		uint32_t least = UINT32_MAX;
		for (uint32_t k = 0; k < type->count; k++)
			if (!done[k] &&
				(least == UINT32_MAX ||
					strcmp(type->part[k]->name, type->part[least]->name) < 0))
				least = k;
		done[least] = type->part[least]->name;
		text_printf(t, "%s%s = ", i ? ", " : "", done[least]);
		argument_text(p, t, type->part[least]->part[0], x, at);
	}
	text_char(t, '}');
}

static Shown call_text(Printer *p, Node *x)
{
	const Function *f = call_function(x);
	Text t;
	text_open(&t, p->scratch);
	if (f->flags & (FN_EXACT | FN_CHECKPOINT)) return lambda_text(p, x);
	text_add(&t, f->op ? f->op : f->name ? f->name : "call");
	for (uint32_t i = 0; f->opattr && i < f->opattr->n; i++) {
		const AttrValue *v = &f->opattr->v[i];
		double d;
		text_add(&t, i ? ", " : "[");
		if (v->kind == A_SIZE)
			text_add(&t, size_text(p, v->u.size, 0));
		else if (v->kind == A_DTYPE)
			text_add(&t, dtype_name(v->u.dtype));
		else if (v->kind == A_DATA)
			memcpy(&d, v->u.data->at, sizeof d), text_number(&t, d, 64);
		else
			text_printf(&t, "%lld", (long long)v->u.i);
	}
	text_add(&t, f->opattr ? "](" : "(");
	const Syntax *op = op_declaration(f), *params = op ? op->part[1] : NULL;
	for (uint32_t i = 0, at = 0; params ? i < params->count : at < x->narg; i++) {
		text_add(&t, i ? ", " : "");
		argument_text(p, &t, params ? params->part[i]->part[1] : NULL, x, &at);
	}
	text_add(&t, ")");
	return atom(text_done(&t), LEVEL_ATOM);
}

/* ---- all nodes --------------------------------------------------------------------------------------------- */

static Shown fold_text(Printer *p, Node *x)
{
	const char *name = op_info[x->op].text;
	bool all = attr_count(x) == node_rank(x->arg[0]);
	if (op_info[x->op].class == FOLD && all)
		return atom(arena_printf(p->scratch, "%s(%s)", name, operand(p, x->arg[0], 0)), LEVEL_ATOM);
	return atom(arena_printf(p->scratch, "%s[%s](%s)", name, join(p, x, 0, attr_count(x)),
			    operand(p, x->arg[0], 0)),
		LEVEL_ATOM);
}

static Shown random_text(Printer *p, Node *x)
{
	if (x->op == OP_KEY)
		return atom(arena_printf(p->scratch, "key(%s)", index_text(p, x->arg[0]).text), LEVEL_ATOM);
	Node *k = x->arg[0]->op == OP_EXPAND ? x->arg[0]->arg[0] : x->arg[0];
	if (x->op == OP_KEY_AT && node_is_scalar(k))
		return atom(
			arena_printf(p->scratch, "%s[%s]", operand(p, k, LEVEL_ATOM),
				node_is_scalar(x) ? index_text(p, x->arg[1]).text : operand(p, x->arg[1], 0)),
			LEVEL_ATOM);
	if (op_info[x->op].args == 2)
		return atom(arena_printf(p->scratch, "%s(%s, %s)", op_info[x->op].text,
				    operand(p, x->arg[0], 0), operand(p, x->arg[1], 0)),
			LEVEL_ATOM);
	return atom(arena_printf(p->scratch, "%s[%s](%s)", op_info[x->op].text, type_text(p, x->type),
			    operand(p, x->arg[0], 0)),
		LEVEL_ATOM);
}

static Shown get_text(Printer *p, Node *x)
{
	Shown t = shown_node(p, x->arg[0]);
	uint32_t i = (uint32_t)attr_int(x, 0);
	if (t.bare) return t;
	if (t.field) return atom(arena_printf(p->scratch, "%s.%s", t.text, t.field[i]), LEVEL_ATOM);
	return atom(arena_printf(p->scratch, "get[%u](%s)", i, t.text), LEVEL_ATOM);
}

static Shown solve_text(Printer *p, Node *x)
{
	Text t;
	text_open(&t, p->scratch);
	text_add(&t, op_info[x->op].text);
	if (x->op == OP_TRI_SOLVE)
		text_printf(
			&t, "[%s%s]", attr_int(x, 0) ? "upper" : "lower", attr_int(x, 1) ? ", turned" : "");
	for (uint32_t i = 0; i < x->narg; i++)
		text_printf(&t, "%s%s", i ? ", " : "(", operand(p, x->arg[i], 0));
	text_add(&t, ")");
	return atom(text_done(&t), LEVEL_ATOM);
}

Shown node_text(Printer *p, Node *x)
{
	Shown r;
	uint8_t depth = 0;
	switch (op_info[x->op].class) {
	case LEAF: return shown_node(p, x);
	case MAP: return map_text(p, x);
	case FOLD:
	case CUMULATIVE: r = fold_text(p, x); break;
	case VIEW: r = view_text(p, x); break;
	case INDEX: r = index_node_text(p, x); break;
	case CONTRACT: r = contract_text(p, x); break;
	case RANDOM: r = random_text(p, x); break;
	case SOLVE: r = solve_text(p, x); break;
	default:
		if (x->op == OP_GET) return get_text(p, x);
		if (x->op == OP_SCAN) return scan_text(p, x);
		r = x->op == OP_CALL ? call_text(p, x) : solve_text(p, x);
		break;
	}
	for (uint32_t i = 0; i < x->narg; i++) {
		uint32_t at = region_place(p->r, x->arg[i]);
		uint8_t d = at == UINT32_MAX || p->shown[at].named ? 0 : p->shown[at].depth;
		depth = d > depth ? d : depth;
	}
	r.depth = depth + 1;
	return r;
}
