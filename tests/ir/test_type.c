/* test_type.c - dtypes and where they meet, interned types, attributes and data, operators by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#undef fail                               /* ours is another */
#include "../../src/ir/ir.h"

#include <stdio.h>

/* ---- dtypes ---- */

/* The whole table, as the array API has it within a kind.  "." is: they do not meet. */
static const char *const meet[][9] = {
	/* i8 i16 i32 i64 u8 u16 u32 u64 */
	{"i8",  "i8",  "i16", "i32", "i64", "i16", "i32", "i64", "."},
	{"i16", "i16", "i16", "i32", "i64", "i16", "i32", "i64", "."},
	{"i32", "i32", "i32", "i32", "i64", "i32", "i32", "i64", "."},
	{"i64", "i64", "i64", "i64", "i64", "i64", "i64", "i64", "."},
	{"u8",  "i16", "i16", "i32", "i64", "u8",  "u16", "u32", "u64"},
	{"u16", "i32", "i32", "i32", "i64", "u16", "u16", "u32", "u64"},
	{"u32", "i64", "i64", "i64", "i64", "u32", "u32", "u32", "u64"},
	{"u64", ".",   ".",   ".",   ".",   "u64", "u64", "u64", "u64"},
};
static const char *const float_meet[][10] = {
	/* f16 bf16 f32 f64 c64 c128 weak_float weak_complex weak_int */
	{"f16",  "f16", "f32",  "f32", "f64", "c64",  "c128", "f16",  "c64",  "f16"},
	{"bf16", "f32", "bf16", "f32", "f64", "c64",  "c128", "bf16", "c64",  "bf16"},
	{"f32",  "f32", "f32",  "f32", "f64", "c64",  "c128", "f32",  "c64",  "f32"},
	{"f64",  "f64", "f64",  "f64", "f64", "c128", "c128", "f64",  "c128", "f64"},
	{"c64",  "c64", "c64",  "c64", "c128", "c64", "c128", "c64",  "c64",  "c64"},
	{"c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128"},
	{"number", "f16", "bf16", "f32", "f64", "c64", "c128", "number", "complex number", "number"},
	{"complex number", "c64", "c64", "c64", "c128", "c64", "c128", "complex number", "complex number",
	 "complex number"},
	{"whole number", "f16", "bf16", "f32", "f64", "c64", "c128", "number", "complex number", "whole number"},
};

/* A literal's dtype has a name in messages, but none that a program could write. */
static Dtype named(const char *text)
{
	for (Dtype d = DT_WEAK_INT; d < DT_COUNT; d++)
		if (!strcmp(text, dtype_name(d))) {
			assert_int_equal(dtype_named(text, strlen(text)), DT_NONE);
			return d;
		}
	return *text == '.' ? DT_NONE : dtype_named(text, strlen(text));
}

static void expect_meeting(const char *a, const char *b, const char *result)
{
	Dtype got = dtype_promote(named(a), named(b));
	if (got != named(result))
		print_message("%s and %s: %s\n", a, b, dtype_name(got));
	assert_int_equal(got, named(result));
}

static void test_promotion(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(meet); i++) {
		for (size_t j = 0; j < countof(meet); j++)
			expect_meeting(meet[i][0], meet[j][0], meet[i][j + 1]);
		for (size_t j = 0; j < countof(float_meet); j++)
			expect_meeting(meet[i][0], float_meet[j][0], j < 8 ? float_meet[j][0] : meet[i][0]);
		expect_meeting(meet[i][0], "bool", ".");
		expect_meeting(meet[i][0], "key", ".");
	}
	for (size_t i = 0; i < countof(float_meet); i++) {
		for (size_t j = 0; j < countof(float_meet); j++)
			expect_meeting(float_meet[i][0], float_meet[j][0], float_meet[i][j + 1]);
		expect_meeting(float_meet[i][0], "bool", ".");
		expect_meeting(float_meet[i][0], "key", ".");
	}
	expect_meeting("bool", "bool", "bool");
	expect_meeting("key", "key", "key");
	expect_meeting("bool", "key", ".");
}

/* The order in which operands meet changes nothing, where they all meet. */
static void test_promotion_laws(void **state)
{
	(void)state;
	for (Dtype a = DT_NONE; a < DT_COUNT; a++)
		for (Dtype b = DT_NONE; b < DT_COUNT; b++) {
			Dtype ab = dtype_promote(a, b);
			assert_int_equal(ab, dtype_promote(b, a));
			assert_int_equal(dtype_promote(a, a), a);
			if (a == DT_NONE)
				assert_int_equal(ab, DT_NONE);
			for (Dtype c = DT_NONE; c < DT_COUNT; c++) {
				Dtype bc = dtype_promote(b, c), left = dtype_promote(ab, c), right = dtype_promote(a, bc);
				if (left != DT_NONE && right != DT_NONE)
					assert_int_equal(left, right);
			}
		}
}

static void test_dtypes(void **state)
{
	(void)state;
	for (Dtype d = DT_NONE + 1; d < DT_COUNT; d++) {
		const char *name = dtype_name(d);
		assert_int_equal(dtype_named(name, strlen(name)), d < DT_WEAK_INT ? d : DT_NONE);
		assert_int_equal(dtype_named(name, strlen(name) - 1), DT_NONE);
		assert_true(dtype_bytes(d) > 0);
		assert_int_equal(dtype_is_number(d), dtype_is_integer(d) + dtype_is_float(d) + dtype_is_complex(d));
		assert_int_equal(dtype_is_weak(d), d >= DT_WEAK_INT);
		assert_int_equal(dtype_bytes(dtype_strong(d)), dtype_bytes(d));
		assert_false(dtype_is_weak(dtype_strong(d)));
		if (!dtype_is_weak(d))
			assert_int_equal(dtype_strong(d), d);
		int bits;
		if (sscanf(name, "%*[a-z]%d", &bits) == 1)
			assert_int_equal(dtype_bytes(d), bits / 8);
	}
	assert_int_equal(dtype_bytes(DT_BOOL), 1);
	assert_int_equal(dtype_bytes(DT_KEY), 16);
	assert_int_equal(dtype_strong(DT_WEAK_COMPLEX), DT_C128);
	assert_int_equal(dtype_named("f3", 2), DT_NONE);
	assert_int_equal(dtype_named("none", 4), DT_NONE);
	assert_false(dtype_is_number(DT_BOOL) || dtype_is_number(DT_KEY));
}

/* ---- types ---- */

static const char *text_of(Graph *g, const Type *type)
{
	Text t;
	text_open(&t, g->arena);
	type_print(&t, type);
	return text_done(&t);
}

static void test_types(void **state)
{
	(void)state;
	Graph *g = graph_open(NULL);
	const Size *n = size_named(g, "n"), *m = size_named(g, "m"), *one = size_const(g, 1);
	const Size *mn[] = {m, size_add(g, n, one)}, *nm[] = {mn[1], m}, *again[] = {m, size_add(g, one, n)};
	const Type *a = type_array(g, DT_F64, 2, mn), *f = type_scalar(g, DT_F32);
	assert_ptr_equal(a, type_array(g, DT_F64, 2, again));
	assert_ptr_not_equal(a, type_array(g, DT_F64, 2, nm));
	assert_ptr_not_equal(a, type_array(g, DT_F64, 1, mn));
	assert_ptr_equal(type_with_dtype(g, a, DT_I8), type_array(g, DT_I8, 2, mn));
	assert_ptr_equal(type_token(g), type_token(g));
	const Type *parts[] = {a, f, type_token(g)}, *t = type_tuple(g, 3, parts);
	assert_ptr_equal(t, type_tuple(g, 3, parts));
	assert_ptr_not_equal(t, type_tuple(g, 2, parts));
	assert_string_equal(text_of(g, t), "(f64[m, n + 1], f32, token)");
	assert_ptr_equal(type_elements(g, a), size_mul(g, m, mn[1]));
	assert_ptr_equal(type_elements(g, f), one);
	assert_null(type_tuple(g, 1, &t));
	assert_int_equal(g->error.code, ERR_TYPE);
	graph_close(g);
}

static const Size *n_is_seven(void *user, const Atom *x)
{
	return x->kind == ATOM_NAME && *x->name == 'n' ? user : NULL;
}

/* Both operands have a batch axis of 1 against another size: NumPy gives (5, 7, 1, 3). */
static void test_matmul_batches(void **state)
{
	(void)state;
	static const int64_t x_size[] = {1, 7, 1, 4}, y_size[] = {5, 1, 4, 3};
	const Size *x_dim[4], *y_dim[4];
	Graph *g = graph_open(NULL);
	for (int i = 0; i < 4; i++) x_dim[i] = size_const(g, x_size[i]), y_dim[i] = size_const(g, y_size[i]);
	Node *z = matmul(g, input(g, "x", type_array(g, DT_F64, 4, x_dim)),
		input(g, "y", type_array(g, DT_F64, 4, y_dim)));
	assert_non_null(z);
	assert_string_equal(type_shown(g, z->type), "f64[5, 7, 1, 3]");
	graph_close(g);
}

static void test_type_limits(void **state)
{
	(void)state;
	Graph *g = graph_open(NULL);
	const Size *n = size_named(g, "n"), *huge = size_const(g, INT64_MAX), *zero = size_const(g, 0);
	const Size *many[RANK_MAX + 1];
	for (uint32_t i = 0; i <= RANK_MAX; i++)
		many[i] = i % 2 ? n : size_const(g, i + 1);
	const Type *wide = type_array(g, DT_U8, RANK_MAX, many), *token = type_token(g);
	assert_int_equal(wide->n, RANK_MAX);
	const Type *both[] = {wide, token}, *t = type_tuple(g, 2, both);
	const Type *known = type_substitute(g, t, n_is_seven, (void *)(uintptr_t)size_const(g, 7));
	for (uint32_t i = 0; i < RANK_MAX; i++)
		assert_true(size_equals(DIM(known->u.elem[0], i), i % 2 ? 7 : i + 1));
	assert_ptr_equal(known->u.elem[1], token);
	const Size *product[] = {huge, huge, zero};
	assert_true(size_equals(type_elements(g, type_array(g, DT_I8, 3, product)), 0));
	assert_int_equal(g->error.code, 0);
	assert_null(type_elements(g, type_array(g, DT_I8, 2, product)));
	assert_int_equal(g->error.code, ERR_VALUE);
	error_clear(&g->error);
	assert_null(type_array(g, DT_U8, RANK_MAX + 1, many));
	assert_int_equal(g->error.code, ERR_UNSUPPORTED);
	error_clear(&g->error);
	const Size *negative = size_const(g, -1), *none = NULL;
	assert_null(type_array(g, DT_U8, 1, &negative));
	assert_int_equal(g->error.code, ERR_VALUE);
	error_clear(&g->error);
	assert_null(type_array(g, DT_U8, 1, &none));
	assert_null(type_with_dtype(g, NULL, DT_U8));
	assert_null(type_substitute(g, NULL, n_is_seven, NULL));
	assert_int_equal(g->error.code, 0);
	graph_close(g);
}

/* ---- attributes and data ---- */

static void test_attributes(void **state)
{
	(void)state;
	Graph *g = graph_open(NULL);
	const Data *data = data_make(g, "abc", 3);
	const char *name = names_get(&g->names, "name", 4);
	static const int custom[2];
	AttrValue all[] = {
		av_int(5), av_size(size_const(g, 5)), av_dtype((Dtype)5), av_name(name), av_data(data),
		{.kind = A_CUSTOM, .u.custom = &custom[0]}, {.kind = A_CUSTOM, .u.custom = &custom[1]}, av_int(-5),
		av_size(size_named(g, "n")), av_name(names_get(&g->names, "other", 5)),
	};
	const Attr *one[countof(all)];
	for (size_t i = 0; i < countof(all); i++) {
		one[i] = attr_make(g, 1, &all[i]);
		assert_ptr_equal(one[i], attr_make(g, 1, &all[i]));
		for (size_t j = 0; j < i; j++)
			assert_ptr_not_equal(one[i], one[j]);
	}
	const Attr *list = attr_make(g, countof(all), all);
	assert_int_equal(list->n, countof(all));
	assert_ptr_equal(list, attr_make(g, countof(all), all));
	assert_ptr_not_equal(list, attr_make(g, countof(all) - 1, all));
	assert_null(attr_make(g, 0, NULL));
	AttrValue bad[] = {av_int(1), av_size(NULL)};
	assert_null(attr_make(g, 2, bad));
	int64_t ints[40];
	for (int i = 0; i < 40; i++)
		ints[i] = i * i;
	assert_ptr_equal(attr_ints(g, 40, ints), attr_ints(g, 40, ints));
	assert_int_equal(attr_ints(g, 40, ints)->v[39].u.i, 39 * 39);
	graph_close(g);
}

static void test_data(void **state)
{
	(void)state;
	Graph *g = graph_open(NULL);
	double zero = 0, minus = -0.0;
	const Data *a = data_make(g, &zero, 8), *b = data_make(g, &minus, 8);
	assert_ptr_not_equal(a, b);
	assert_ptr_equal(a, data_make(g, &zero, 8));
	assert_ptr_not_equal(a, data_make(g, &zero, 4));
	assert_int_equal((uintptr_t)a->at % 16, 0);
	assert_memory_equal(b->at, &minus, 8);
	assert_int_equal(data_make(g, NULL, 0)->bytes, 0);
	assert_ptr_equal(data_make(g, NULL, 0), data_make(g, &zero, 0));
	graph_close(g);
}

/* ---- operators ---- */

static Op op(const char *text, int n) { return op_named(text, strlen(text), n); }

static void test_operators(void **state)
{
	(void)state;
	assert_int_equal(op("-", 1), OP_NEG);
	assert_int_equal(op("-", 2), OP_SUB);
	assert_int_equal(op("-", 3), OP_NONE);
	assert_int_equal(op("max", 1), OP_MAX);
	assert_int_equal(op("max", 2), OP_MAXIMUM);
	assert_int_equal(op("min", 1), OP_MIN);
	assert_int_equal(op("min", 2), OP_MINIMUM);
	assert_int_equal(op("concat", 1), OP_CONCAT);
	assert_int_equal(op("concat", 9), OP_CONCAT);
	assert_int_equal(op_named("log1px", 5, 1), OP_LOG1P);
	assert_int_equal(op_named("log1p", 3, 1), OP_LOG);
	const char *unnamed[] = {
		"input", "param", "fresh", "const", "size", "iota", "tuple", "get", "call", "scan", "none",
	};
	for (size_t i = 0; i < countof(unnamed); i++)
		for (int n = 0; n < 4; n++)
			assert_int_equal(op(unnamed[i], n), OP_NONE);
	for (Op o = OP_NONE + 1; o < OP_COUNT; o++) {   /* a name and a number of operands mean one operator */
		const OpInfo *info = &op_info[o];
		assert_true(info->name && info->text && info->formula && info->notes);
		if (info->class != LEAF && info->class != CONTROL)
			assert_int_equal(op(info->text, info->args == VARIADIC ? 3 : info->args), o);
	}
}

/* A node may have a million names (let a1 = a0, let a2 = a1, ...): a few are kept, the first first. */
static void test_provenance(void **state)
{
	(void)state;
	Graph *g = graph_open(NULL);
	Node *x = fresh(g, type_scalar(g, DT_F64), "first");
	for (int i = 0; i < 1000; i++) {
		g->where = (Where){"f.por", i + 1, 1};
		node_note(g, x, names_get(&g->names, arena_printf(g->arena, "name%d", i), 7), NULL, 0);
	}
	int n = 0;
	for (const Origin *o = x->origin; o; o = o->next) n++;
	assert_in_range(n, 2, 8);
	assert_string_equal(leaf_name(x), "first");
	graph_close(g);
}

/* Nodes that are made again are the same, of few and of many users of one operand, of old and new operands, and
 * beyond marks; those of other operands are others. */
static void test_nodes(void **state)
{
	(void)state;
	enum { LEAVES = 40, NODES = LEAVES*LEAVES };
	Graph *g = graph_open(NULL);
	Node *leaf[LEAVES], *made[NODES];
	for (uint32_t i = 0; i < LEAVES; i++) leaf[i] = fresh(g, type_scalar(g, DT_F64), NULL);
	for (uint32_t round = 0; round < 3; round++) {
		const uint32_t before = g->nnode;
		for (uint32_t i = 0; i < NODES; i++) {
			Node *x = build2(g, OP_ATAN2, leaf[i%LEAVES], leaf[i/LEAVES]);
			if (round) assert_ptr_equal(x, made[i]);
			made[i] = x;
		}
		assert_int_equal(g->nnode, before + (round ? 0 : NODES));
		graph_mark(g);
	}
	for (uint32_t round = 0; round < 3; round++) {
		Node *x = made[NODES - 1], *last = made[0];
		const uint32_t before = g->nnode;
		for (uint32_t i = 0; i < 1000; i++) x = build2(g, OP_ATAN2, x, i%3 ? leaf[i%LEAVES] : last), last = x;
		assert_int_equal(g->nnode, before + (round ? 0 : 1000));
	}
	for (uint32_t round = 0; round < 3; round++) graph_release(g);
	assert_int_equal(g->nnode, LEAVES + NODES);
	graph_close(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_promotion),
		cmocka_unit_test(test_promotion_laws),
		cmocka_unit_test(test_dtypes),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_matmul_batches),
		cmocka_unit_test(test_type_limits),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_provenance),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
