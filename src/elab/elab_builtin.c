/* elab_builtin.c - what is called by name and is no definition: its brackets, and what is known of values. */
#include "elab_builtin.h"

/* ---- brackets ------------------------------------------------------------------------ */

static bool add_number(Use *u, Numbers *out, const Syntax *s, Binding *b, bool sizes)
{
	if (!b) return false;
	if (b->kind == B_TUPLE) {
		for (uint32_t i = 0; i < b->n; i++)
			if (!add_number(u, out, s, b->elem[i], sizes)) return false;
		return true;
	}
	if (out->n == countof(out->v))
		return fail_at_syntax(u->e, s, ERR_TYPE, "%s: too many values in brackets", u->f->name);
	if (sizes) {
		if (!(out->size[out->n] = size_from(u->e, s, b))) return false;
	}
	if (!known_int(b, &out->v[out->n]) && !sizes)
		return fail_at_syntax(
			u->e, s, ERR_TYPE, "%s: %s is no number here", u->f->name, shown(u->e, s));
	out->n++;
	return true;
}

bool read_numbers(Use *u, const char *flag, bool sizes, Numbers *out)
{
	const Syntax *s = u->f->brackets;
	*out = (Numbers){0};
	for (uint32_t i = 1; s && i < s->count; i++) {
		const Syntax *x = s->part[i];
		if (flag && x->kind == SYN_NAME && !strcmp(x->name, flag)) {
			out->flag = true;
		} else if (x->kind == SYN_ENTRY && flag && !strcmp(x->name, flag)) {
			if (!known_bool(u->e, elab(u->e, u->f->brackets_env, x->part[0]), &out->flag))
				return fail_at_syntax(
					u->e, x, ERR_TYPE, "%s: %s is true or false", u->f->name, flag);
		} else if (x->kind == SYN_ENTRY || x->kind == SYN_SLICE || (x->kind == SYN_RUN && !x->name)) {
			return fail_at_syntax(u->e, x, ERR_NAME,
				"%s: %s has no such bracket value; they stand by place%s", shown(u->e, s),
				u->f->name, flag ? ", as in sum[0, keep](x)" : "");
		} else if (!add_number(u, out, x,
				   x->kind == SYN_RUN ? lookup(u->e, u->f->brackets_env, x)
						      : elab(u->e, u->f->brackets_env, x),
				   sizes)) {
			return false;
		}
	}
	return true;
}

bool wants(Use *u, uint32_t n)
{
	if (u->n != n)
		return fail_at_syntax(
			u->e, u->at, ERR_TYPE, "%s: given %u operand%s, wanted %u: it is written %s%s(%s)", u->f->name,
			u->n, u->n == 1 ? "" : "s", n, u->f->name, brackets_of_view(u->f->name), operands_of(u->f->name));
	return true;
}

Node *array_of(Use *u, uint32_t i)
{
	if (u->arg[i]->kind != B_NODE || u->arg[i]->node->type->kind != TYPE_ARRAY)
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: given %s, wanted an array",
			shown(u->e, u->at), kind_text(u->arg[i]));
	return u->arg[i]->node;
}

bool one_axis(Use *u, int64_t *axis)
{
	Numbers v;
	if (!read_numbers(u, NULL, false, &v)) return false;
	if (v.n > 1)
		return fail_at_syntax(u->e, u->f->brackets, ERR_TYPE,
			"%s: %u axes in brackets, one is wanted", u->f->name, v.n);
	*axis = v.n ? v.v[0] : 0;
	return true;
}

/* ---- what is known of values ------------------------------------------------------------------------ */

static Binding *size_of(Use *u)
{
	Numbers axes;
	Node *x = wants(u, 1) ? array_of(u, 0) : NULL;
	if (!x || !read_numbers(u, NULL, false, &axes)) return NULL;
	Binding *s = bind_node(u->e->g, weak_int(u->e->g, 1));
	uint32_t rank = node_rank(x), n = axes.n ? axes.n : rank;
	for (uint32_t i = 0; i < n; i++) {
		int64_t a = axes.n ? axes.v[i] : i;
		a += a < 0 ? rank : 0;
		if (a < 0 || a >= rank)
			return fail_at_syntax(u->e, u->at, ERR_TYPE, "size: axis %lld of %s", (long long)a,
				shown_type(u->e, u->arg[0]));
		Binding *length = length_of_axis(u, x, (uint32_t)a);
		s = length && s ? bind_node(u->e->g, arith(u->e, OP_MUL, s->node, length->node)) : NULL;
	}
	return s;
}

static Binding *len(Use *u)
{
	if (!wants(u, 1)) return NULL;
	if (u->arg[0]->kind == B_TUPLE) return bind_node(u->e->g, weak_int(u->e->g, u->arg[0]->n));
	Binding *b = u->arg[0];
	while (b->kind == B_RECORD && b->n) /* a structure with a leading axis */
		b = b->elem[0];
	if (b->kind != B_NODE || b->node->type->kind != TYPE_ARRAY || !node_rank(b->node))
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: given %s, wanted an array with an axis",
			shown(u->e, u->at), shown_type(u->e, u->arg[0]));
	return length_of_axis(u, b->node, 0);
}

static Binding *get_element(Use *u)
{
	Numbers v;
	if (!wants(u, 1) || !read_numbers(u, NULL, false, &v)) return NULL;
	bool tuple = v.n == 1 && u->arg[0]->kind == B_TUPLE;
	if (tuple && (v.v[0] < 0 || v.v[0] >= u->arg[0]->n))
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: index %lld of a tuple of %u, %s",
			shown(u->e, u->at), (long long)v.v[0], u->arg[0]->n, shown_type(u->e, u->arg[0]));
	if (!tuple)
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: no such element of %s", shown(u->e, u->at),
			shown_type(u->e, u->arg[0]));
	return u->arg[0]->elem[v.v[0]];
}

static Binding *wrapped(Use *u)
{
	if (!wants(u, 1)) return NULL;
	if (u->arg[0]->kind != B_FUNCTION)
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: given %s, wanted a function, as (x) => 2*x",
			shown(u->e, u->at), kind_text(u->arg[0]));
	return bind_function(
		u->e->g, &(FunctionValue){.kind = F_WRAPPED, .name = u->f->name, .inner = u->arg[0]});
}

static bool want_functions(Use *u, uint32_t n)
{
	if (!wants(u, n)) return false;
	for (uint32_t i = 0; i < n; i++)
		if (u->arg[i]->kind != B_FUNCTION)
			return fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: given %s, wanted a function",
				shown(u->e, u->at), kind_text(u->arg[i]));
	return true;
}

/* with_system(f, a, t), with_system[n](f, a, t) */
static Binding *with_system(Use *u)
{
	Numbers v;
	if (!want_functions(u, 3) || !read_numbers(u, NULL, false, &v)) return NULL;
	if (v.n > 1 || (v.n && v.v[0] < 1))
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: how many arguments are the right side is wanted",
			shown(u->e, u->at));
	return bind_function(u->e->g,
		&(FunctionValue){.kind = F_WRAPPED,
			.name = u->f->name,
			.inner = u->arg[0],
			.rule = u->arg[1],
			.back = u->arg[2],
			.sides = v.n ? (uint32_t)v.v[0] : 1});
}

/* with_derivative(f, d), with_vjp(f, b) */
static Binding *with_own(Use *u)
{
	if (!want_functions(u, 2)) return NULL;
	return bind_function(u->e->g,
		&(FunctionValue){
			.kind = F_WRAPPED, .name = u->f->name, .inner = u->arg[0], .rule = u->arg[1]});
}

static Binding *differential(Use *u)
{
	if (!wants(u, 1)) return NULL;
	return u->arg[0]->kind == B_FUNCTION ? wrapped(u) : differential_of(u->e, u->at, u->arg[0]);
}

static Binding *counted(Use *u)
{
	Numbers v;
	if (!read_numbers(u, NULL, true, &v)) return NULL;
	if (v.n != 1 || u->n) return fail_at_syntax(u->e, u->at, ERR_TYPE, "iota: iota[n]() is wanted");
	at(u->e, u->at);
	return bind_node(u->e->g, iota(u->e->g, v.size[0]));
}

/* key(a, b): the key of two known words, as a derived one is printed. */
static Binding *key_of_words(Use *u)
{
	int64_t word[2];
	if (!wants(u, 2)) return NULL;
	if (!known_int(u->arg[0], &word[0]) || !known_int(u->arg[1], &word[1]))
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "key: its two words are known whole numbers");
	return bind_node(u->e->g, constant(u->e->g, type_scalar(u->e->g, DT_KEY), word));
}

static Binding *make_key(Use *u)
{
	if (u->n == 2) return key_of_words(u);
	Node *x = wants(u, 1) ? array_of(u, 0) : NULL;
	if (!x) return NULL;
	ask_integers(u->e, x);
	if (!dtype_is_integer(node_dtype(x)))
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "key: given %s, wanted an integer",
			shown_type(u->e, u->arg[0]));
	at(u->e, u->at);
	x = cast(u->e->g, x, dtype_strong(node_dtype(x)));
	return bind_node(u->e->g, build1(u->e->g, OP_KEY, x));
}

static Binding *type_of_operand(Use *u)
{
	if (!wants(u, 1)) return NULL;
	if (!u->e->library_calls) lengths_of_arrays(u->e, u->arg[0], true);
	return bind_type(u->e->g, type_of_value(u->e, u->arg[0]));
}

static Binding *rank_of(Use *u)
{
	Node *x = wants(u, 1) ? array_of(u, 0) : NULL;
	return x ? bind_node(u->e->g, weak_int(u->e->g, node_rank(x))) : NULL;
}

/* ---- by name ------------------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	Binding *(*make)(Use *);
	bool bare; /* nothing stands in its brackets */
} special[] = {
	{"len", len, true},
	{"rank", rank_of, true},
	{"size", size_of},
	{"typeof", type_of_operand, true},
	{"iota", counted},
	{"key", make_key, true},
	{"get", get_element},
	{"checkpoint", wrapped, true},
	{"exact", wrapped, true},
	{"kept", wrapped, true},
	{"with_derivative", with_own, true},
	{"with_vjp", with_own, true},
	{"with_system", with_system},
	{"differential", differential, true},
	{"concat", call_concat},
	{"one_hot", call_one_hot},
	{"top_k", call_top_k},
	{"tri_solve", call_tri_solve},
	{"einsum", einsum},
	{"cumsum", call_cumulative},
	{"squeeze", call_squeeze},
};

static Op any_op(const char *name, uint32_t n)
{
	size_t len = strlen(name);
	if ((unsigned char)name[0] < 'A') return OP_NONE;
	Op op = op_named(name, len, (int)n);
	if (op == OP_NONE && n > 2 && (!strcmp(name, "max") || !strcmp(name, "min")))
		op = op_named(name, len, 2);
	return op;
}

bool is_builtin(const char *name)
{
	for (size_t i = 0; i < countof(special); i++)
		if (!strcmp(special[i].name, name)) return true;
	return (unsigned char)name[0] >= 'A' && op_is_named(name, strlen(name));
}

const char *builtin_name(uint32_t i)
{
	if (i < countof(special)) return special[i].name;
	if ((i -= countof(special)) >= OP_COUNT) return derivative_name(i - OP_COUNT);
	return is_builtin(op_info[i].text) ? op_info[i].text : "";
}

static bool bare(Use *u)
{
	return !u->f->brackets ||
		fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: %s takes nothing in brackets", shown(u->e, u->at),
			u->f->name);
}

/* What stands in the parentheses, for those whose operands are not x, y, z. */
static const struct {
	const char *name, *operands;
} operands[] = {{"where", "c, x, y"}, {"atan2", "y, x"}, {"polygamma", "n, x"}, {"gather", "x, i"},
	{"scatter_add", "x, i, v"}, {"scatter_set", "x, i, v"}, {"one_hot", "i"}, {"concat", "x, y, ..."},
	{"scatter_max", "x, i, v"}, {"scatter_min", "x, i, v"}, {"scatter_mul", "x, i, v"},
	{"scatter_and", "x, i, v"}, {"scatter_or", "x, i, v"},
	{"einsum", "x, y, ..."}, {"tri_solve", "a, b"}, {"key", "seed"}, {"uniform", "k"}, {"normal", "k"},
	{"uniform_open", "k"}, {"exponential", "k"}, {"gamma_draw", "k, s"}, {"iota", ""}, {"exact", "f"}, {"kept", "f"},
	{"checkpoint", "e"}, {"with_derivative", "f, d"}, {"with_vjp", "f, b"}, {"with_system", "f, a, t"}, {"differential", "e"}};

/* And in its brackets, which are asked for. */
static const char *brackets_of(const char *name)
{
	static const char *const list[][2] = {{"top_k", "[k]"}, {"one_hot", "[n]"}, {"iota", "[n]"},
		{"uniform", "[T]"}, {"normal", "[T]"}, {"uniform_open", "[T]"}, {"exponential", "[T]"}, {"size", "[0]"}};
	for (size_t i = 0; i < countof(list); i++)
		if (!strcmp(list[i][0], name)) return list[i][1];
	return "";
}

const char *operands_of(const char *name)
{
	for (size_t i = 0; i < countof(operands); i++)
		if (!strcmp(operands[i].name, name)) return operands[i].operands;
	if (any_op(name, 3) != OP_NONE && strcmp(name, "max") && strcmp(name, "min")) return "x, y, z";
	if (any_op(name, 2) != OP_NONE) return "x, y";
	return "x";
}

/* Operators take operands by place; what others call axis or dtype stands in brackets. */
static void *named_operand(Elab *e, const Syntax *s, const FunctionValue *f, const Given *named, uint32_t n,
	const Given *given)
{
	Op op = any_op(f->name, 1);
	Class class = op == OP_NONE ? LEAF : op_info[op].class;
	bool folds = class == FOLD || class == CUMULATIVE || class == VIEW || !strcmp(f->name, "concat") ||
		!strcmp(f->name, "size");
	if (folds && !refuse_brackets(e, s, f, NULL, n, given)) return NULL;
	return fail_at_syntax(e, named->syntax, ERR_NAME,
		"%s: %s has no parameter %s; it takes its operands by place: %s%s(%s)", shown(e, s), f->name,
		named->name, f->name, brackets_of(f->name), operands_of(f->name));
}

/* What stands in brackets of those that take axes or sizes there, as an example; NULL: nothing does. */
static const char *example_of_brackets(Op op)
{
	switch (op) {
	case OP_RESHAPE: return "[2, 3]";
	case OP_TRANSPOSE: return "[1, 0]";
	case OP_EXPAND: return "[0, 3]";
	default: return op_info[op].class == FOLD || op_info[op].class == VIEW ? "[0]" : NULL;
	}
}

const char *brackets_of_view(const char *name)
{
	Op op = any_op(name, 1);
	const char *brackets = op != OP_NONE && op_info[op].class == VIEW ? example_of_brackets(op) : NULL;
	return brackets ? brackets : brackets_of(name);
}

/* What people mean by a second operand that there is not. */
static const char *beside(const char *name)
{
	static const char *const table[][2] = {{"log", "; to a base b log(x)/log(b)"},
		{"round", "; to two places round(x*100)/100"}, {"floor", "; to two places floor(x*100)/100"},
		{"normal", "; of key(seed), as in mean + sd*normal[f64[3]](key(7))"},
		{"uniform", "; of key(seed), as in low + (high - low)*uniform[f64[3]](key(7))"},
		{"exponential", "; of key(seed), as in scale*exponential[f64[3]](key(7))"},
		{"transpose", "; of two axes it is transpose[1, 0](A), or A.T"}};
	for (size_t i = 0; i < countof(table); i++)
		if (!strcmp(table[i][0], name)) return table[i][1];
	return NULL;
}

static Binding *wrong_count(Use *u)
{
	const char *name = u->f->name, *axes = "";
	Op op = any_op(name, 1);
	if (op != OP_NONE && op_info[op].class == FOLD)
		axes = arena_printf(u->e->g->arena, "; axes stand in brackets, as in %s%s(x)", name,
			example_of_brackets(op));
	if (u->n == 2 && beside(name)) axes = beside(name);
	return fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: %s does not take %u operand%s: it is written %s%s(%s)%s",
		shown(u->e, u->at), name, u->n, u->n == 1 ? "" : "s", name, brackets_of_view(name), operands_of(name), axes);
}

static Binding *by_operator(Use *u)
{
	Op op = any_op(u->f->name, u->n);
	if (op == OP_NONE) return wrong_count(u);
	switch (op_info[op].class) {
	case MAP: return call_map(u, op);
	case FOLD: return call_fold(u, op);
	case VIEW: return call_view(u, op);
	case RANDOM: return random_draw(u, op);
	case INDEX: return call_index(u, op);
	case SOLVE: return bare(u) ? call_tuple(u, op, NULL) : NULL;
	default:
		return fail_at_syntax(u->e, u->at, ERR_UNSUPPORTED, "%s: %s is not supported yet",
			shown(u->e, u->at), u->f->name);
	}
}

Binding *apply_builtin(Elab *e, const Syntax *s, const FunctionValue *f, uint32_t n, const Given *given)
{
	for (uint32_t i = 0; i < n; i++)
		if (given[i].name) return named_operand(e, s, f, &given[i], n, given);
	Use u = {e, s, f, n, given, NEW_ARRAY(e->g->arena, Binding *, n)};
	for (uint32_t i = 0; i < n; i++) u.arg[i] = given[i].value;
	for (size_t i = 0; i < countof(special); i++)
		if (!strcmp(special[i].name, f->name))
			return special[i].bare && !bare(&u) ? NULL : special[i].make(&u);
	return by_operator(&u);
}
