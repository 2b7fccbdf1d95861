/* print_node.c - a node in the notation: operators, calls; views and indices are in print_indexed.c.
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

Shown shown_node(GraphPrinter *p, Node *x)
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

const char *operand(GraphPrinter *p, Node *x, int level)
{
	return parenthesised(p, shown_node(p, x), level);
}

Shown index_text(GraphPrinter *p, Node *x)
{
	if (x->op == OP_CONST && constant_is_uniform(x) && node_is_scalar(x))
		return constant_text(p, x, true);
	if (x->op == OP_SIZE) return atom(size_text(p, x->attr->v[0].u.size, 0), LEVEL_SUM);
	return shown_node(p, x);
}

bool is_spread(GraphPrinter *p, const Node *x)
{
	(void)p;
	if (x->op != OP_EXPAND) return false;
	for (uint32_t i = 0; 2 * i < x->attr->n; i++)
		if (attr_int(x, 2 * i) != i) return false;
	return true;
}

Node *unspread(GraphPrinter *p, Node *x)
{
	return is_spread(p, x) ? x->arg[0] : x;
}

static bool is_weak(const Node *x)
{
	return x->op == OP_CONST ? constant_is_uniform(x) && node_dtype(x) != DT_KEY : is_weak_size(x);
}

/* Operands whose sizes the call compares: each shows its own. */
static bool shapes_differ(const Node *x)
{
	const Type *first = x->arg[0]->type;
	for (uint32_t i = 1; i < x->narg; i++)
		if (memcmp(first->u.dim, x->arg[i]->type->u.dim, first->n * sizeof *first->u.dim))
			return true;
	return false;
}

/* Operands of a map: bare, without what spreads them over the shape; the one that shows the shape (n: none
 * has to), and the one among literals that shows the dtype. */
typedef struct MapOperands {
	uint32_t n, whole, typed;
	Node *bare[3];
} MapOperands;

static MapOperands map_roles(GraphPrinter *p, const Node *x)
{
	const uint32_t nobody = UINT32_MAX, first = op_info[x->op].dtype == SELECT ? 1 : 0;
	MapOperands m = {.n = x->narg, .whole = nobody, .typed = nobody};
	uint32_t strong = nobody;
	for (uint32_t i = 0; i < m.n; i++) {
		m.bare[i] = unspread(p, x->arg[i]);
		if (is_weak(m.bare[i])) continue;
		if (strong == nobody) strong = i;
		if (m.whole == nobody && m.bare[i] == x->arg[i]) m.whole = i;
		if (m.typed == nobody && i >= first) m.typed = i;
	}
	if (m.n == 1) m.whole = m.typed = m.n;
	if (!node_rank(x)) m.whole = m.n;
	if (m.whole == nobody) { /* all are spread: one shows to what */
		m.whole = strong == nobody ? 0 : strong;
		m.bare[m.whole] = x->arg[m.whole];
		if (m.typed == nobody && m.whole >= first) m.typed = m.whole;
	}
	if (m.typed == nobody) m.typed = first;
	return m;
}

/* A literal or size beside other operands, with its dtype where nothing else shows it. */
static Shown weak_operand(GraphPrinter *p, Node *x, bool typed, bool bare)
{
	if (x->op == OP_CONST) {
		Node *scalar = constant(p->g, type_scalar(p->g, node_dtype(x)), constant_bytes(x));
		return constant_text(p, scalar, bare || node_dtype(scalar) == DT_BOOL);
	}
	const Size *s = (x->op == OP_SIZE ? x : x->arg[0])->attr->v[0].u.size;
	if (!typed) return atom(size_text(p, s, LEVEL_ATOM), LEVEL_ATOM);
	return atom(arena_printf(p->scratch, "%s(%s)", dtype_name(node_dtype(x)), size_text(p, s, 0)), LEVEL_ATOM);
}

/* The operands of an elementwise operator. */
static void map_operands(GraphPrinter *p, const Node *x, Shown *out)
{
	bool apart = shapes_differ(x);
	MapOperands m = apart ? (MapOperands){.n = x->narg} : map_roles(p, x);
	for (uint32_t i = 0; i < m.n; i++) {
		Node *own = x->arg[i];
		bool exponent = x->op == OP_POW && i == 1 && dtype_is_integer(node_dtype(x));
		if (apart || m.n == 1 || i == m.whole)
			out[i] = shown_node(p, own);
		else if (!is_weak(m.bare[i]))
			out[i] = shown_node(p, m.bare[i]);
		else
			out[i] = weak_operand(p, m.bare[i], i == m.typed, i != m.typed && !exponent);
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

/* x + y; powers, products and quotients stand close. */
static Shown infix_text(GraphPrinter *p, const Node *x, int level, const Shown *s)
{
	Op op = (Op)x->op;
	bool tight = level == LEVEL_POWER || op == OP_MUL || op == OP_DIV || op == OP_FLOORDIV;
	int left = level, right = level + 1;
	if (level == LEVEL_COMPARE) left = level + 1;
	if (level == LEVEL_POWER) {
		left = LEVEL_ATOM;
		right = LEVEL_MINUS;
	}
	return atom(arena_printf(p->scratch, tight ? "%s%s%s" : "%s %s %s", parenthesised(p, s[0], left),
			    op_info[op].text, parenthesised(p, s[1], right)),
		level);
}

/* exp(x), max(x, y), bitcast[u64](x) */
static Shown called_text(GraphPrinter *p, const Node *x, const Shown *s)
{
	Text t;
	text_open(&t, p->scratch);
	text_add(&t, op_info[x->op].text);
	if (x->op == OP_BITCAST) text_printf(&t, "[%s]", dtype_name(node_dtype(x)));
	for (uint32_t i = 0; i < x->narg; i++) text_printf(&t, "%s%s", i ? ", " : "(", s[i].text);
	text_add(&t, ")");
	return atom(text_done(&t), LEVEL_ATOM);
}

static Shown cast_text(GraphPrinter *p, const Node *x, const Shown *s)
{
	const Node *of = x->arg[0];
	const char *text = of->op == OP_SIZE ? size_text(p, of->attr->v[0].u.size, 0) : s->text;
	return atom(arena_printf(p->scratch, "%s(%s)", dtype_name(node_dtype(x)), text), LEVEL_ATOM);
}

static Shown map_text(GraphPrinter *p, Node *x)
{
	Shown s[3], r;
	int level = infix_level((Op)x->op);
	map_operands(p, x, s);
	if (level >= 0)
		r = infix_text(p, x, level, s);
	else if (x->op == OP_NEG)
		r = atom(arena_printf(p->scratch, "-%s", parenthesised(p, s[0], LEVEL_POWER)), LEVEL_MINUS);
	else if (x->op == OP_NOT)
		r = atom(arena_printf(p->scratch, "not %s", parenthesised(p, s[0], LEVEL_COMPARE)), LEVEL_NOT);
	else if (x->op == OP_CAST)
		r = cast_text(p, x, s);
	else
		r = called_text(p, x, s);
	r.depth = deeper(x->narg, s);
	return r;
}

/* ---- calls of ops ----------------------------------------------------------------------------------- */

/* One parameter's operands: a record where its type is one. */
static void argument_text(GraphPrinter *p, Text *t, const Syntax *type, const Node *x, uint32_t *at)
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

static Shown call_text(GraphPrinter *p, Node *x)
{
	const Function *f = call_function(x);
	Text t;
	text_open(&t, p->scratch);
	if (call_is_plain(x) || f->flags & (FN_EXACT | FN_CHECKPOINT | FN_KEPT)) return lambda_text(p, x);
	if (f->flags & FN_OWN) return own_text(p, x);
	const char *name = f->name ? f->name : "call";
	text_add(&t, f->op ? f->op : name);
	for (uint32_t i = 0; f->opattr && i < f->opattr->n; i++) {
		const AttrValue *v = &f->opattr->v[i];
		double d;
		text_add(&t, i ? ", " : "[");
		if (v->kind == A_SIZE)
			text_add(&t, size_text(p, v->u.size, 0));
		else if (v->kind == A_DTYPE)
			text_add(&t, dtype_name(v->u.dtype));
		else if (v->kind == A_DATA) {
			memcpy(&d, v->u.data->at, sizeof d);
			text_number(&t, d, 64);
		} else
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

/* ---- all nodes -------------------------------------------------------------------------------------- */

static Shown fold_text(GraphPrinter *p, Node *x)
{
	const char *name = op_info[x->op].text;
	bool all = attr_count(x) == node_rank(x->arg[0]);
	if (op_info[x->op].class == FOLD && all)
		return atom(arena_printf(p->scratch, "%s(%s)", name, operand(p, x->arg[0], 0)), LEVEL_ATOM);
	return atom(arena_printf(p->scratch, "%s[%s](%s)", name, bracket_text(p, x, 0, attr_count(x)),
			    operand(p, x->arg[0], 0)),
		LEVEL_ATOM);
}

static Shown random_text(GraphPrinter *p, Node *x)
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
	uint32_t keys = node_rank(x->arg[0]); /* an array of the type for each */
	const Type *t = type_array(p->g, node_dtype(x), node_rank(x) - keys, x->type->u.dim + keys);
	return atom(arena_printf(p->scratch, "%s[%s](%s)", op_info[x->op].text, type_text(p, t ? t : x->type),
			    operand(p, x->arg[0], 0)),
		LEVEL_ATOM);
}

static Shown get_text(GraphPrinter *p, Node *x)
{
	Shown t = shown_node(p, x->arg[0]);
	uint32_t i = (uint32_t)attr_int(x, 0);
	if (t.bare) return t;
	if (t.field) return atom(arena_printf(p->scratch, "%s.%s", t.text, t.field[i]), LEVEL_ATOM);
	return atom(arena_printf(p->scratch, "get[%u](%s)", i, t.text), LEVEL_ATOM);
}

static Shown solve_text(GraphPrinter *p, Node *x)
{
	Text t;
	text_open(&t, p->scratch);
	if (x->op != OP_TUPLE) text_add(&t, op_info[x->op].text);
	if (x->op == OP_TRI_SOLVE)
		text_printf(
			&t, "[%s%s]", attr_int(x, 0) ? "upper" : "lower", attr_int(x, 1) ? ", turned" : "");
	for (uint32_t i = 0; i < x->narg; i++)
		text_printf(&t, "%s%s", i ? ", " : "(", operand(p, x->arg[i], 0));
	text_add(&t, x->op == OP_TUPLE && x->narg == 1 ? ",)" : ")");
	return atom(text_done(&t), LEVEL_ATOM);
}

/* Is one array all that a call gives, beside what tells of its effects? */
static bool gives_one_array(const Node *x)
{
	uint32_t arrays = 0;
	for (uint32_t i = 0; x->type->kind == TYPE_TUPLE && i < x->type->n; i++)
		arrays += x->type->u.elem[i]->kind == TYPE_ARRAY;
	return x->op == OP_CALL && arrays == 1;
}

Shown node_text(GraphPrinter *p, Node *x)
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
		if (x->op == OP_IF) return if_text(p, x);
		r = x->op == OP_CALL ? call_text(p, x) : solve_text(p, x);
		r.bare = gives_one_array(x);
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
