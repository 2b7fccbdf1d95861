/* c_unit.c - a translation unit: types, the scalar functions that its kernels use, their helpers, the
 * kernels. */
#include "c_kernel.h"

#include <stdio.h>

/* ---- scalar functions ------------------------------------------------------------------- */

static uint32_t math_count(void)
{
	uint32_t n = 0;
	while (embedded_math[n].name) n++;
	return n;
}

static int math_find(const char *name)
{
	for (int i = 0; embedded_math[i].name; i++)
		if (!strcmp(embedded_math[i].name, name)) return i;
	return -1;
}

static uint32_t weight_of(uint32_t i)
{
	uint32_t w = (uint32_t)strlen(embedded_math[i].text);
	for (const unsigned short *u = embedded_math[i].uses; *u != 65535; u++) w += weight_of(*u);
	return w;
}

uint32_t math_weight(const char *name)
{
	int i = math_find(name);
	return i < 0 ? 0 : weight_of((uint32_t)i);
}

const char *unit_math(Unit *u, const char *name)
{
	int i = math_find(name);
	if (i >= 0)
		u->need[i] = true;
	else if (!u->failed) {
		u->failed = true;
		fail(u->error, ERR_UNSUPPORTED, (Where){0}, "there is no scalar function %s", name);
	}
	return arena_printf(u->arena, "%s", name);
}

void print_math(const Unit *u, Text *t)
{
	for (uint32_t i = math_count(); i-- > 0;)
		for (const unsigned short *k = embedded_math[i].uses; u->need[i] && *k != 65535; k++)
			u->need[*k] = true;
	for (uint32_t i = 0; embedded_math[i].name; i++)
		if (u->need[i]) text_add(t, embedded_math[i].text);
}

/* ---- what stands before ---------------------------------------------------------------------- */

static const char prelude[] =
	"typedef __INT8_TYPE__ int8_t;\ntypedef __INT16_TYPE__ int16_t;\n"
	"typedef __INT32_TYPE__ int32_t;\ntypedef __INT64_TYPE__ int64_t;\n"
	"typedef __UINT8_TYPE__ uint8_t;\ntypedef __UINT16_TYPE__ uint16_t;\n"
	"typedef __UINT32_TYPE__ uint32_t;\ntypedef __UINT64_TYPE__ uint64_t;\n"
	"#define INT8_MAX __INT8_MAX__\n#define INT8_MIN (-INT8_MAX - 1)\n#define UINT8_MAX __UINT8_MAX__\n"
	"#define INT16_MAX __INT16_MAX__\n#define INT16_MIN (-INT16_MAX - 1)\n#define UINT16_MAX __UINT16_MAX__\n"
	"#define INT32_MAX __INT32_MAX__\n#define INT32_MIN (-INT32_MAX - 1)\n#define UINT32_MAX __UINT32_MAX__\n"
	"#define INT64_MAX __INT64_MAX__\n#define INT64_MIN (-INT64_MAX - 1)\n#define UINT64_MAX __UINT64_MAX__\n"
	"#define M static inline __attribute__((always_inline, unused))\n"
	"#ifdef __clang__\n#pragma clang diagnostic ignored \"-Wpass-failed\"\n#define LOOP _Pragma(\"clang loop vectorize(assume_safety)\")\n"
	"#define ALONE __attribute__((noinline))\n"
	/* gcc 12 may find that a part does nothing (it does), and drops calls of it: noipa keeps it from
	 * looking */
	"#else\n#define LOOP _Pragma(\"GCC ivdep\")\n#define ALONE __attribute__((noipa))\n#endif\n"
	"#define UNKNOWN(i) __asm__(\"\" : \"+r\"(i))\n"
	"#if defined(__clang__)\n#define ROUNDED(p) (void)0\n"
	"#elif defined(__x86_64__)\n#define ROUNDED(p) __asm__(\"\" : \"+x\"(p))\n"
	"#elif defined(__aarch64__)\n#define ROUNDED(p) __asm__(\"\" : \"+w\"(p))\n"
	"#else\n#define ROUNDED(p) (void)0\n#endif\n"
	"struct fault { int64_t position, index, extent; };\n";

static const char outside[] =
	"static __attribute__((noinline, cold, unused)) void outside(struct fault *f, int64_t position, int64_t index, int64_t extent)\n"
	"{\n\tif (position < f->position) f->position = position, f->index = index, f->extent = extent;\n}\n";

/* ---- kernels ------------------------------------------------------------------------------------ */

Unit unit_open(Arena *a, const char *suffix, Error *error)
{
	return (Unit){
		.arena = a, .need = NEW_ARRAY(a, bool, math_count() + 1), .suffix = suffix, .error = error};
}

void print_prelude(Text *t)
{
	text_add(t, prelude);
	text_add(t, outside);
}

bool prelude_defines(const char *name)
{
	static const char define[] = "#define ";
	size_t n = strlen(name);
	for (const char *s = prelude; (s = strstr(s, define));) {
		s += sizeof define - 1;
		if (!strncmp(s, name, n) && (s[n] == ' ' || s[n] == '(')) return true;
	}
	return false;
}

void print_kernel(Unit *u, const Form *f, const char *name, Text *t)
{
	Print p = {.u = u,
		.arena = u->arena,
		.f = f,
		.k = f->k,
		.name = name,
		.along = (uint32_t)f->k->naxis - 1,
		.need = NEW_ARRAY(u->arena, bool, f->k->ncode + 1),
		.done = NEW_ARRAY(u->arena, bool, f->k->ncode + 1)};
	Part first = f->sizes.splits && f->k->recipe == RECIPE_ROWS ? BLOCKS : WHOLE,
	     last = f->sizes.splits ? FINISH : WHOLE;
	text_open(&p.t, u->arena);
	if (has_across(&p)) print_across(&p);
	for (Part part = first; part <= last; part++) {
		text_add(&p.t, "\n");
		if (f->k->recipe == RECIPE_CHAIN)
			print_chain_kernel(&p, part);
		else
			print_rows(&p, part);
	}
	if (f->sizes.splits) print_split(&p);
	text_add_n(t, p.t.s, p.t.n);
}

uint32_t unit_size(uint32_t nkernel)
{
	return nkernel > 16 * UNIT_KERNELS ? UNIT_MOST : UNIT_KERNELS;
}

bool emit_unit(Text *t, uint32_t n, const Kernel *const *kernel, Error *error)
{
	Arena *a = arena_child(t->arena);
	Unit u = unit_open(a, "", error);
	Text body;
	text_open(&body, a);
	for (uint32_t i = 0; i < n && !u.failed; i++) {
		Form f;
		if (n > UNIT_MOST || !form_open(a, kernel[i], &f)) {
			u.failed = true;
			fail(error, ERR_INTERNAL, (Where){0},
				"kernel %u cannot be printed: its stages do not fit together", i);
		} else
			print_kernel(&u, &f, arena_printf(a, "k%u", i), &body);
	}
	if (!u.failed) {
		print_prelude(t);
		Text helpers;
		text_open(&helpers, a);
		print_helpers(&u, &helpers);
		print_math(&u, t);
		if (helpers.n) text_add_n(t, helpers.s, helpers.n);
		text_add_n(t, body.s, body.n);
	}
	arena_free(a);
	return !u.failed;
}
