/* random_text.c - random expressions of the notation, for checks that compare the ways of computing.
 *
 * An expression is made for a wanted dtype and shape, from the result down.  Every class of operators occurs:
 * maps, folds, views, indices, contractions, cumulative sums, loops.  The same seed gives the same text.
 */
#include "cli.h"

#include <stdlib.h>

typedef enum DrawnShape { SCALAR, VEC_M, VEC_N, MAT_MN, MAT_NM, SHAPES } DrawnShape;
typedef enum DrawnKind { F64, F32, I64, BOOL, KINDS } DrawnKind;

static const char *const kinds[KINDS] = {"f64", "f32", "i64", "bool"};
static const char *const sizes[SHAPES] = {"", "[m]", "[n]", "[m, n]", "[n, m]"};

typedef struct TextMaker {
	uint64_t state;
	TextBuffer *b;
	int left;  /* operators that may still be made */
	int loops; /* loops around this place */
	bool used[KINDS][SHAPES];
} TextMaker;

static void make(TextMaker *, DrawnKind, DrawnShape);

uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

double next_unit(uint64_t *state)
{
	return (double)(next_random(state) >> 11) * 0x1p-53;
}

static unsigned pick(TextMaker *r, unsigned n)
{
	return (unsigned)(next_random(&r->state) % n);
}

static void say(TextMaker *r, const char *text)
{
	buffer_text(r->b, text);
}

/* An operand of this dtype and shape between two texts. */
static void wrap(TextMaker *r, const char *before, DrawnKind k, DrawnShape s, const char *after)
{
	say(r, before);
	make(r, k, s);
	say(r, after);
}

typedef struct Drawn {
	DrawnKind kind;
	DrawnShape shape;
} Drawn;

static void two(TextMaker *r, const char *before, Drawn a, const char *between, Drawn b, const char *after)
{
	wrap(r, before, a.kind, a.shape, between);
	wrap(r, "", b.kind, b.shape, after);
}

static void leaf(TextMaker *r, DrawnKind k, DrawnShape s)
{
	static const char *const numbers[] = {"0.5", "2.0", "1.0", "-3.25", "0.1", "1e-3", "40.0"};
	char text[64];
	bool number = pick(r, 4) == 0;
	if (number && s == SCALAR && k <= F32)
		snprintf(text, sizeof text, "%s(%s)", kinds[k], numbers[pick(r, 7)]);
	else if (number && s == SCALAR && k == I64)
		snprintf(text, sizeof text, "i64(%u)", pick(r, 5));
	else {
		static const char letter[] = "xyic";
		snprintf(text, sizeof text, "%c%d", letter[k], (int)s);
		r->used[k][s] = true;
	}
	say(r, text);
}

static DrawnShape turned(DrawnShape s)
{
	return s == MAT_MN ? MAT_NM : MAT_MN;
}

static const char *const unary[] = {"-(", "abs(", "exp(", "log(", "sqrt(", "tanh(", "sin(", "sigmoid(",
	"softplus(", "erf(", "expm1(", "log1p(", "floor(", "atan(", "cosh(", "relu(", "sign(",
	"stop_gradient("};
static const char *const binary[] = {" + ", " - ", "*", "/", " + ", "*", " % "};
static const char *const integer[] = {" + ", " - ", "*", "//", " % "};
static const char *const compared[] = {" < ", " <= ", " == ", " != ", " > "};

static void make_map(TextMaker *r, DrawnKind k, DrawnShape s)
{
	unsigned way = pick(r, 10);
	DrawnKind other = k == F64 ? F32 : F64;
	if (way == 0) {
		two(r, "where(", (Drawn){BOOL, s}, ", ", (Drawn){k, s}, ", ");
		wrap(r, "", k, s, ")");
	} else if (way == 1)
		two(r, pick(r, 2) ? "max(" : "min(", (Drawn){k, s}, ", ", (Drawn){k, s}, ")");
	else if (k == I64 && way == 2)
		wrap(r, "i64(clip(", F64, s, ", -100, 100))");
	else if (k == I64)
		two(r, "(", (Drawn){k, s}, integer[pick(r, 5)], (Drawn){k, s}, ")");
	else if (way < 5)
		wrap(r, unary[pick(r, 18)], k, s, ")");
	else if (way == 5)
		wrap(r, k == F64 ? "f64(" : "f32(", pick(r, 2) ? I64 : other, s, ")");
	else if (way == 6 && s != SCALAR)
		two(r, "(", (Drawn){k, SCALAR}, binary[pick(r, 7)], (Drawn){k, s}, ")");
	else
		two(r, "(", (Drawn){k, s}, binary[pick(r, 7)], (Drawn){k, s}, ")");
}

static void make_bool(TextMaker *r, DrawnShape s)
{
	unsigned way = pick(r, 5);
	if (way == 0)
		wrap(r, "(not ", BOOL, s, ")");
	else if (way == 1)
		two(r, "(", (Drawn){BOOL, s}, pick(r, 2) ? " and " : " or ", (Drawn){BOOL, s}, ")");
	else {
		DrawnKind k = (DrawnKind)pick(r, 3);
		two(r, "(", (Drawn){k, s}, compared[pick(r, 5)], (Drawn){k, s}, ")");
	}
}

/* A fold or a contraction that gives a scalar or a vector. */
static void make_fold(TextMaker *r, DrawnKind k, DrawnShape s)
{
	static const char *const folds[] = {"sum", "max", "min", "mean", "logsumexp", "prod"};
	unsigned n = k == I64 ? 3 : 6;
	const char *name = folds[pick(r, n)];
	if (s == SCALAR) {
		DrawnShape from = (DrawnShape)(1 + pick(r, 4));
		if (k != I64 && pick(r, 4) == 0) {
			two(r, "(", (Drawn){k, VEC_N}, " @ ", (Drawn){k, VEC_N}, ")");
			return;
		}
		buffer_printf(r->b, "%s(", name);
		wrap(r, "", k, from, ")");
		return;
	}
	bool axis = pick(r, 2);
	/* sum[1] of [m, n], sum[0] of [n, m] give [m] */
	DrawnShape from = (s == VEC_M) == axis ? MAT_MN : MAT_NM;
	if (pick(r, 3) == 0 && k != I64) {
		two(r, "(", (Drawn){k, s == VEC_M ? MAT_MN : MAT_NM}, " @ ",
			(Drawn){k, s == VEC_M ? VEC_N : VEC_M}, ")");
		return;
	}
	buffer_printf(r->b, "%s[%d](", name, axis);
	wrap(r, "", k, from, ")");
}

static void make_view(TextMaker *r, DrawnKind k, DrawnShape s)
{
	bool matrix = s >= MAT_MN;
	unsigned way = pick(r, 4);
	const char *size = s == VEC_M ? "m" : "n";
	if (matrix && way == 0)
		wrap(r, "(", k, turned(s), ").T");
	else if (matrix && way == 1)
		two(r, "outer(", (Drawn){k, s == MAT_MN ? VEC_M : VEC_N}, ", ",
			(Drawn){k, s == MAT_MN ? VEC_N : VEC_M}, ")");
	else if (matrix)
		wrap(r, "(", k, s, ")[::-1, :]");
	else if (way == 0)
		wrap(r, "(", k, s == VEC_M ? MAT_MN : MAT_NM, ")[:, 0]");
	else if (way == 1)
		wrap(r, "(", k, s == VEC_M ? MAT_MN : MAT_NM, ")[.., -1]");
	else if (way == 2) {
		say(r, "concat((");
		make(r, k, s);
		say(r, ")[1:], (");
		make(r, k, s);
		say(r, ")[:1])");
	} else {
		say(r, "(");
		make(r, k, s);
		buffer_printf(r->b, ")[(i64(%s) - 1) - iota[%s]()]", size, size);
	}
}

/* A loop that carries the wanted value and walks over a vector. */
static void make_loop(TextMaker *r, DrawnKind k, DrawnShape s)
{
	char name[16], element[16];
	snprintf(name, sizeof name, "h%d", r->loops);
	snprintf(element, sizeof element, "e%d", r->loops++);
	buffer_printf(r->b, "(scan (%s = ", name);
	make(r, k, s);
	buffer_printf(r->b, ", %s in ", element);
	make(r, k, VEC_N);
	buffer_printf(r->b, ") => 0.5*%s + tanh(%s)*", name, element);
	make(r, k, s);
	say(r, ")");
}

static void make(TextMaker *r, DrawnKind k, DrawnShape s)
{
	if (r->left-- <= 0) {
		leaf(r, k, s);
		return;
	}
	unsigned way = pick(r, 12);
	if (k == BOOL)
		make_bool(r, s);
	else if (way < 2 && s <= VEC_N)
		make_fold(r, k, s);
	else if (way < 4 && s != SCALAR)
		make_view(r, k, s);
	else if (way == 4 && k <= F32 && r->loops < 2)
		make_loop(r, k, s);
	else if (way == 5 && k <= F32 && (s == VEC_M || s == VEC_N))
		wrap(r, "cumsum(", k, s, ")");
	else if (way == 6 && k <= F32 && s >= MAT_MN)
		wrap(r, "softmax[1](", k, s, ")");
	else
		make_map(r, k, s);
}

/* An expression of about `nodes` operators, and the words that declare its names: "x1: f64[m]". */
char *random_expression(uint64_t seed, int nodes, char ***declared, int *count)
{
	static const char letter[] = "xyic";
	TextBuffer b = {0};
	TextMaker r = {.state = seed * 0x2545f4914f6cdd1du + 1, .b = &b, .left = nodes};
	make(&r, (DrawnKind)pick(&r, 3), (DrawnShape)pick(&r, SHAPES));
	*declared = need(calloc(KINDS * SHAPES + 1, sizeof **declared));
	*count = 0;
	for (int k = 0; k < KINDS; k++)
		for (int s = 0; s < SHAPES; s++)
			if (r.used[k][s])
				(*declared)[(*count)++] =
					text_of("%c%d: %s%s", letter[k], s, kinds[k], sizes[s]);
	return b.text;
}
