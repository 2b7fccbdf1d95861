/* size_help.c - see the header. */
#include "size_help.h"

#include <stdlib.h>

const char all_ops[] = "++--***//%%<>";

static uint64_t seed = 1234567;

uint32_t below(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

int64_t basic_value[BASIC][VALUES];
Node *basic_node;

const Size *basic_size(Graph *g, uint32_t i)
{
	static const char *const name[] = {"m", "n", "k"};
	return i < 3 ? size_named(g, name[i]) : i < 5 ? size_param(g, i - 3) : size_of_node(g, basic_node);
}

int basic_place(const Atom *x)
{
	return x->kind == ATOM_NAME     ? (*x->name == 'm'                  ? 0
							  : *x->name == 'n' ? 1
									    : 2)
		: x->kind == ATOM_PARAM ? 3 + (int)x->index
					: 5;
}

bool value_of(void *user, const Atom *x, int64_t *value)
{
	*value = basic_value[basic_place(x)][*(int *)user];
	return true;
}

Expr combine(Graph *g, char op, const Expr *a, const Expr *b)
{
	Expr e;
	switch (op) {
	case '+': e.s = size_add(g, a->s, b->s); break;
	case '-': e.s = size_sub(g, a->s, b->s); break;
	case '*': e.s = size_mul(g, a->s, b->s); break;
	case '/': e.s = size_floordiv(g, a->s, b->s); break;
	case '%': e.s = size_mod(g, a->s, b->s); break;
	case '<': e.s = size_min(g, a->s, b->s); break;
	default: e.s = size_max(g, a->s, b->s); break;
	}
	for (int i = 0; i < VALUES; i++) {
		int64_t x = a->value[i], y = b->value[i], q = y ? x / y - (x % y && (x < 0) != (y < 0)) : 0;
		e.ok[i] = a->ok[i] && b->ok[i] && (y || (op != '/' && op != '%'));
		e.value[i] = op == '+' ? x + y
			: op == '-'    ? x - y
			: op == '*'    ? x * y
			: op == '/'    ? q
			: op == '%'    ? x - q * y
			: op == '<'    ? (x < y ? x : y)
				       : (x > y ? x : y);
		if (llabs(e.value[i]) > 1000000000) {
			e.ok[i] = false;
			e.value[i] = 0;
		}
	}
	return e;
}

static void assign_values(void)
{
	for (int i = 0; i < BASIC; i++)
		for (int j = 0; j < VALUES; j++) basic_value[i][j] = below(3) ? below(5) : below(200);
}

Graph *open_graph(void)
{
	Graph *g = graph_open(NULL);
	assert_non_null(g);
	basic_node = fresh(g, type_scalar(g, DT_I64), "count");
	assign_values();
	return g;
}

/* A pool of expressions: small numbers, the basic atoms, and random combinations of what is there. */
void fill_pool(Graph *g, Expr pool[POOL], const char *ops)
{
	for (uint32_t i = 0; i < POOL; i++) {
		Expr *e = &pool[i];
		if (i < BASIC + 6) {
			int64_t number = (int64_t)below(9) - 3;
			e->s = i < BASIC ? basic_size(g, i) : size_const(g, number);
			for (int j = 0; j < VALUES; j++) {
				e->ok[j] = true;
				e->value[j] = i < BASIC ? basic_value[i][j] : number;
			}
			continue;
		}
		do {
			const Expr *a = &pool[below(i)], *b = &pool[below(i)];
			char op = ops[below((uint32_t)strlen(ops))];
			if (size_equals(b->s, 0) && (op == '/' || op == '%'))
				e->s = NULL;
			else
				*e = combine(g, op, a, b);
			assert_int_equal(g->error.code, 0);
		} while (!e->s || strlen(size_shown(g, e->s)) > 150);
	}
}
