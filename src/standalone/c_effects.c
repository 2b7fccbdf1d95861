/* c_effects.c - effects in C that stands alone: prints go to standard error, and what does not hold says why
 * there before the call gives 4.
 *
 * Needs no header: of libc it declares snprintf, strtod and write itself.
 */
#include "writer.h"

/* What prints a value, but for its elements of each dtype. */
static const char support[] =
	"\n/* ---- effects ---- */\n"
	"extern double strtod(const char *, char **);\n"
	"extern float strtof(const char *, char **);\n"
	"extern long write(int, const void *, unsigned long);\n"
	"typedef struct effect_array {\n\tconst char *name;\n\tint dtype, rank;\n\tconst int64_t *size;\n\tconst void *data;\n"
	"} effect_array;\n"
	"typedef struct effect_line {\n\tchar s[1024];\n\tunsigned long n;\n} effect_line;\n"
	"static void effect_flush(effect_line *);\n"
	"static void effect_add(effect_line *l, const char *s)\n"
	"{\n"
	"\tfor (; *s; l->s[l->n++] = *s++)\n"
	"\t\tif (l->n == sizeof l->s) effect_flush(l);\n"
	"}\n"
	"static void effect_whole(effect_line *l, const char *format, long long x)\n"
	"{\n"
	"\tchar s[40];\n"
	"\t__builtin_snprintf(s, sizeof s, format, x);\n"
	"\teffect_add(l, s);\n"
	"}\n"
	"static int effect_has(const char *s, char c)\n"
	"{\n\twhile (*s && *s != c) s++;\n\treturn *s != 0;\n}\n"
	"static void effect_number(effect_line *l, double x, int single)\n"
	"{\n"
	"\tchar s[40];\n"
	"\tfor (int n = 1; n <= 17; n++) {\n"
	"\t\t__builtin_snprintf(s, sizeof s, \"%.*g\", n, x);\n"
	"\t\tif (single ? strtof(s, 0) == (float)x : strtod(s, 0) == x) break;\n"
	"\t}\n"
	"\tif ((x >= 1 || x <= -1) && x < 1e15 && x > -1e15 && effect_has(s, 'e'))\n"
	"\t\t__builtin_snprintf(s, sizeof s, \"%.15g\", x);\n"
	"\teffect_add(l, x == x ? s : \"nan\");\n"
	"\tif (x - x != 0) return;\n"
	"\tif (!effect_has(s, '.') && !effect_has(s, 'e')) effect_add(l, \".0\");\n"
	"}\n";

static const char writes[] =
	"static void effect_flush(effect_line *l)\n"
	"{\n"
	"\tunsigned long at = 0;\n"
	"\tlong n;\n"
	"\twhile (at < l->n && (n = write(2, l->s + at, l->n - at)) > 0) at += (unsigned long)n;\n"
	"\tl->n = 0;\n"
	"}\n";

/* Of one function that the library calls, which prints nothing. */
static const char silent[] = "static void effect_flush(effect_line *l)\n{\n\tl->n = 0;\n}\n";

static const char values[] =
	"static int64_t effect_count(const effect_array *v)\n"
	"{\n"
	"\tint64_t n = 1;\n"
	"\tfor (int k = 0; k < v->rank; k++) n *= v->size[k];\n"
	"\treturn n;\n"
	"}\n"
	"static void effect_value(effect_line *l, const effect_array *v)\n"
	"{\n"
	"\tint64_t n = effect_count(v);\n"
	"\tif (v->name[0]) {\n\t\teffect_add(l, v->name);\n\t\teffect_add(l, \" = \");\n\t}\n"
	"\tif (!n) effect_add(l, \"[\");\n"
	"\tfor (int64_t i = 0; i < n; i++) {\n"
	"\t\tint64_t row = 1;\n"
	"\t\tif (i) effect_add(l, \", \");\n"
	"\t\tfor (int k = v->rank; k-- > 0;)\n"
	"\t\t\tif (i % (row *= v->size[k]) == 0) effect_add(l, \"[\");\n"
	"\t\teffect_element(l, v->dtype, v->data, i);\n"
	"\t\trow = 1;\n"
	"\t\tfor (int k = v->rank; k-- > 0;)\n"
	"\t\t\tif ((i + 1) % (row *= v->size[k]) == 0) effect_add(l, \"]\");\n"
	"\t}\n"
	"\tif (!n) effect_add(l, \"]\");\n"
	"}\n"
	"static void effect_values(effect_line *l, int n, const effect_array *v)\n"
	"{\n"
	"\tfor (int i = 0; i < n; i++) {\n"
	"\t\tif (i) effect_add(l, \", \");\n"
	"\t\teffect_value(l, &v[i]);\n"
	"\t}\n"
	"}\n"
	"static void effect_print(int n, const effect_array *v)\n"
	"{\n"
	"\teffect_line l = { .n = 0 };\n"
	"\teffect_values(&l, n, v);\n"
	"\teffect_add(&l, \"\\n\");\n"
	"\teffect_flush(&l);\n"
	"}\n"
	"static int effect_broken(effect_line *l, int npass, const int64_t *pass)\n"
	"{\n"
	"\tfor (int i = 0; i < npass; i++) effect_whole(l, i ? \", %lld\" : \"; in pass %lld\", pass[i]);\n"
	"\teffect_add(l, \"\\n\");\n"
	"\teffect_flush(l);\n"
	"\treturn 4;\n"
	"}\n"
	"static int effect_assert(const char *text, int npass, const int64_t *pass, int n, const effect_array *v)\n"
	"{\n"
	"\teffect_line l = { .n = 0 };\n"
	"\tif (*(const uint8_t *)v[0].data) return 0;\n"
	"\teffect_add(&l, text);\n"
	"\teffect_add(&l, n > 1 ? \" does not hold: \" : \" does not hold\");\n"
	"\teffect_values(&l, n - 1, v + 1);\n"
	"\treturn effect_broken(&l, npass, pass);\n"
	"}\n"
	"static int effect_check(const char *text, int npass, const int64_t *pass, int n, const effect_array *v)\n"
	"{\n"
	"\teffect_line l = { .n = 0 };\n"
	"\tfor (int i = 0; i < n; i++) {\n"
	"\t\tint64_t count = effect_count(&v[i]), at = 0, rest;\n"
	"\t\twhile (at < count && effect_is_finite(v[i].dtype, v[i].data, at)) at++;\n"
	"\t\tif (at == count) continue;\n"
	"\t\teffect_add(&l, text);\n"
	"\t\teffect_add(&l, \": \");\n"
	"\t\teffect_add(&l, v[i].name);\n"
	"\t\trest = at;\n"
	"\t\tfor (int k = 0; k < v[i].rank; k++) {\n"
	"\t\t\tcount /= v[i].size[k];\n"
	"\t\t\teffect_whole(&l, k ? \", %lld\" : \"[%lld\", rest / count);\n"
	"\t\t\trest %= count;\n"
	"\t\t}\n"
	"\t\teffect_add(&l, v[i].rank ? \"] is \" : \" is \");\n"
	"\t\teffect_element(&l, v[i].dtype, v[i].data, at);\n"
	"\t\treturn effect_broken(&l, npass, pass);\n"
	"\t}\n"
	"\treturn 0;\n"
	"}\n\n";

static bool is_wanted(const Writer *w, Dtype d)
{
	return w->effects >> d & 1;
}

static const char *as_number(Writer *w, Unit *u, Dtype d)
{
	const char *element = arena_printf(w->arena, "((const %s *)data)[i]", memory_type(d));
	if (!dtype_is_narrow(d)) return element;
	const char *cast = unit_math(u, arena_printf(w->arena, "cast_%s_f32", dtype_name(d)));
	return arena_printf(w->arena, "%s(%s)", cast, element);
}

static const char *element_text(Writer *w, Unit *u, Dtype d)
{
	if (d == DT_BOOL) return "effect_add(l, ((const uint8_t *)data)[i] ? \"true\" : \"false\");";
	if (d == DT_KEY)
		return "effect_whole(l, \"key(%lld, \", ((const int64_t *)data)[2*i]);\n"
		       "\t\teffect_whole(l, \"%lld)\", ((const int64_t *)data)[2*i + 1]);";
	if (dtype_is_float(d))
		return arena_printf(w->arena, "effect_number(l, %s, %d);", as_number(w, u, d), d != DT_F64);
	return arena_printf(w->arena, "effect_whole(l, \"%%ll%c\", (long long)%s);", d == DT_U64 ? 'u' : 'd',
		as_number(w, u, d));
}

/* What depends on dtypes; marks the scalar functions used. */
static const char *elements_text(Writer *w, Unit *u)
{
	Text element, finite;
	text_open(&element, w->arena);
	text_open(&finite, w->arena);
	for (Dtype d = 1; d < DT_COUNT; d++) {
		if (!is_wanted(w, d)) continue;
		text_printf(&element, "\tcase %d:\n\t\t%s\n\t\tbreak;\n", (int)d, element_text(w, u, d));
		if (dtype_is_float(d))
			text_printf(&finite, "\tcase %d: return %s - %s == 0;\n", (int)d, as_number(w, u, d),
				as_number(w, u, d));
	}
	return arena_printf(w->arena,
		"static void effect_element(effect_line *l, int dtype, const void *data, int64_t i)\n"
		"{\n\tswitch (dtype) {\n%s\tdefault: break;\n\t}\n}\n"
		"static int effect_is_finite(int dtype, const void *data, int64_t i)\n"
		"{\n\tswitch (dtype) {\n%s\tdefault: return 1;\n\t}\n}\n",
		text_done(&element), text_done(&finite));
}

const char *effects_text(Writer *w, Unit *u)
{
	if (!w->effects) return "";
	return arena_printf(w->arena, "%s%s%s%s", support, w->isa < 0 ? writes : silent, elements_text(w, u), values);
}

void use_effect(Writer *w, const Step *s)
{
	w->effects |= 1u << DT_BOOL;
	for (uint32_t i = s->call->effect->npass; i < s->call->nbuffer; i++)
		w->effects |= 1u << w->plan->buffer[s->buffer[i]].dtype;
}

/* A text as a literal of C. */
static const char *quoted(Writer *w, const char *s)
{
	Text t;
	text_open(&t, w->arena);
	text_char(&t, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\' || *s == '?') text_char(&t, '\\');
		text_char(&t, (unsigned char)*s < ' ' ? ' ' : *s);
	}
	text_char(&t, '"');
	return text_done(&t);
}

/* FILE:LINE: assert(c) */
static const char *said(Writer *w, const Effect *e)
{
	const char *file = e->where.file ? e->where.file : "line";
	const char *where = e->where.line ? arena_printf(w->arena, "%s:%d: ", file, e->where.line) : "";
	const char *what = e->kind == EFFECT_ASSERT ? "assert" : "check";
	return quoted(w, arena_printf(w->arena, "%s%s(%s)", where, what, e->text));
}

void write_effect(Writer *w, const Step *s)
{
	const Effect *e = s->call->effect;
	Text v, pass;
	uint32_t sizes = 0;
	text_open(&v, w->arena);
	text_open(&pass, w->arena);
	for (uint32_t i = 0; i < e->npass; i++)
		text_printf(&pass, "*(const int64_t *)%s, ", place_text(w, PLACE_ARRAY, s->buffer[i]));
	for (uint32_t i = 0; i < e->nvalue; i++) {
		uint32_t value = s->buffer[e->npass + i];
		const Buffer *b = &w->plan->buffer[value];
		text_printf(&v, "{ %s, %d, %u, m + %u, %s }, ", quoted(w, effect_name(e, i)), b->dtype, b->rank,
			sizes, place_text(w, PLACE_ARRAY, value));
		sizes += b->rank;
	}
	say_open(w, "%s", "");
	say(w, "const int64_t m[] = { %s0 };", axes_text(w, s));
	say(w, "const effect_array v[] = { %s{ 0 } };", text_done(&v));
	if (e->kind == EFFECT_PRINT) {
		if (w->isa < 0) say(w, "effect_print(%u, v);", e->nvalue);
	} else {
		say(w, "const int64_t pass[] = { %s0 };", text_done(&pass));
		say(w, "if (effect_%s(%s, %u, pass, %u, v)) return 4;",
			e->kind == EFFECT_ASSERT ? "assert" : "check", said(w, e), e->npass, e->nvalue);
	}
	say_close(w);
}
