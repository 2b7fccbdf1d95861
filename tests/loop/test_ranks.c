/* test_ranks.c - maps, broadcasts, transposes, slices and folds of arrays of every rank, in every tier, to the bit. */
#include "compare.h"
#include "random.h"

#include <setjmp.h>
#include <cmocka.h>

enum { SEEDS = 8 };

static uint64_t state;

static uint32_t below(uint32_t n)
{
	state ^= state << 13, state ^= state >> 7, state ^= state << 17;
	return (uint32_t)(state >> 33) % n;
}

/* Mostly 1 and 2, now and then more, seldom 0; together few elements. */
static void draw_sizes(uint32_t rank, int64_t dim[RANK_MAX])
{
	int64_t elements = 1;
	bool empty = below(12) == 0;
	for (uint32_t k = 0; k < rank; k++) {
		uint32_t r = below(8);
		dim[k] = elements > 1500 || r < 2 ? 1 : r == 7 ? 3 + below(3) : 2;
		elements *= dim[k];
	}
	if (empty && rank) dim[below(rank)] = 0;
}

static Node *array(Graph *g, uint32_t rank, const int64_t *dim, bool named)
{
	const Size *size[RANK_MAX];
	for (uint32_t k = 0; k < rank; k++) {
		char name[8] = {(char)('a' + k), 0};
		size[k] = named && dim[k] != 1 ? size_named(g, names_get(&g->names, name, 1)) : size_const(g, dim[k]);
	}
	return fresh(g, type_array(g, DT_F64, rank, size), NULL);
}

static Node *transposed(Graph *g, Node *x)
{
	int64_t perm[RANK_MAX];
	uint32_t rank = node_rank(x);
	for (uint32_t k = 0; k < rank; k++) perm[k] = k;
	for (uint32_t k = rank; k-- > 1;) {
		uint32_t j = below(k + 1);
		int64_t t = perm[k];
		perm[k] = perm[j], perm[j] = t;
	}
	return rank ? transpose(g, x, perm) : x;
}

static Node *folded(Graph *g, Node *x)
{
	static const Op ops[] = {OP_SUM, OP_MAX, OP_PROD};
	int64_t axes[RANK_MAX];
	uint32_t n = 0;
	for (uint32_t k = 0; k < node_rank(x); k++)
		if (below(2)) axes[n++] = k;
	return n ? fold(g, ops[below(3)], x, n, axes) : x;
}

/* x spread along axes that it has folded, and taken from itself: softmax's kind. */
static Node *centred(Graph *g, Node *x)
{
	int64_t axes[RANK_MAX];
	const Size *size[RANK_MAX];
	uint32_t n = 0;
	for (uint32_t k = 0; k < node_rank(x); k++)
		if (below(2)) size[n] = node_dim(x, k), axes[n++] = k;
	return n ? build2(g, OP_SUB, x, expand(g, fold(g, OP_SUM, x, n, axes), n, axes, size)) : x;
}

/* One seed of each rank runs natively too, by turns with constant sizes and named ones: the C compiler runs twice
 * for it, which is nearly all the time that this test takes. */
static void check(uint32_t rank, uint64_t seed)
{
	bool native = seed == rank % 2;
	Graph *g = graph_open(NULL);
	int64_t dim[RANK_MAX];
	state = (seed + 1) * 0x9e3779b97f4a7c15u + rank;
	draw_sizes(rank, dim);
	Node *x = array(g, rank, dim, seed % 2), *y = array(g, 0, NULL, false);
	Node *z = build2(g, OP_MUL, build1(g, OP_EXP, x), y);
	Node *turned = transposed(g, z), *middle = centred(g, turned);
	Node *result[] = {turned, build2(g, OP_ADD, middle, turned), folded(g, middle), folded(g, transposed(g, x))};
	Closure c;
	Value in[2] = {{.type = x->type, .dtype = DT_F64, .rank = rank, .count = 1},
		{.type = y->type, .dtype = DT_F64, .count = 1}};
	memcpy(in[0].dim, dim, sizeof dim);
	for (uint32_t k = 0; k < rank; k++) in[0].count *= dim[k];
	for (int i = 0; i < 2; i++) {
		in[i].data = NEW_ARRAY(g->arena, double, (size_t)in[i].count + 1);
		random_fill(seed + (uint64_t)i, DT_F64, in[i].data, in[i].count);
	}
	if (!function_close(g, (Title){0}, (Nodes){2, (Node *[]){x, y}}, (Nodes){4, result}, &c))
		fail_msg("%s", g->error.text);
	Comparison compared;
	Error e = {0};
	bool done = compare_tiers(g, c.function, in, native, &compared, &e);
	if (!done) fail_msg("rank %u, seed %llu: %s", rank, (unsigned long long)seed, e.text);
	if (compared.same != compared.runs) fail_msg("rank %u, seed %llu: %s", rank, (unsigned long long)seed, compared.text);
	graph_close(g);
}

static void every_rank(void **user)
{
	(void)user;
	for (uint32_t rank = 0; rank <= RANK_MAX; rank++)
		for (uint64_t seed = 0; seed < SEEDS; seed++) check(rank, seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_rank)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
