/* c_bounds.c - the most that the dims of a program may be, where some are computed: from the most that
 * computed sizes may be, by intervals.  The workspace is made for those, so it is known when the call
 * begins. */
#include "writer.h"

static const char ranges[] =
	"\nstruct range { int64_t least, most; };\n"
	"static __attribute__((unused)) struct range range(int64_t least, int64_t most)\n"
	"{\n\tstruct range r = { least, most };\n\treturn r;\n}\n"
	"static __attribute__((unused)) struct range range_add(struct range a, struct range b, int *bad)\n"
	"{\n"
	"\tstruct range r;\n"
	"\t*bad |= __builtin_add_overflow(a.least, b.least, &r.least);\n"
	"\t*bad |= __builtin_add_overflow(a.most, b.most, &r.most);\n"
	"\treturn r;\n"
	"}\n"
	"/* Of the ends' products, or of their quotients where what divides is positive. */\n"
	"static __attribute__((unused)) struct range range_ends(struct range a, struct range b, int divide, int *bad)\n"
	"{\n"
	"\tstruct range r = { INT64_MAX, INT64_MIN };\n"
	"\tfor (int i = 0; i < 4; i++) {\n"
	"\t\tint64_t x = i & 1 ? a.most : a.least, y = i & 2 ? b.most : b.least, z = 0;\n"
	"\t\tif (divide) z = floor_divide(x, y, bad);\n"
	"\t\telse *bad |= __builtin_mul_overflow(x, y, &z);\n"
	"\t\tif (z < r.least) r.least = z;\n"
	"\t\tif (z > r.most) r.most = z;\n"
	"\t}\n"
	"\treturn r;\n"
	"}\n"
	"static __attribute__((unused)) struct range range_mul(struct range a, struct range b, int *bad)\n"
	"{\n\treturn range_ends(a, b, 0, bad);\n}\n"
	"static __attribute__((unused)) int64_t range_far(struct range a)\n"
	"{\n"
	"\tint64_t low = a.least == INT64_MIN ? INT64_MAX : a.least < 0 ? -a.least : a.least;\n"
	"\treturn low > a.most ? low : a.most;\n"
	"}\n"
	"static __attribute__((unused)) struct range range_divide(struct range a, struct range b, int *bad)\n"
	"{\n"
	"\tint64_t far = range_far(a);\n"
	"\tif (b.least > 0) return range_ends(a, b, 1, bad);\n"
	"\treturn range(-far, far < INT64_MAX ? far + 1 : far);\n"
	"}\n"
	"static __attribute__((unused)) struct range range_rest(struct range a, struct range b)\n"
	"{\n"
	"\tint64_t far = range_far(a) > range_far(b) ? range_far(a) : range_far(b);\n"
	"\treturn b.least > 0 ? range(0, b.most - 1) : range(-far, far);\n"
	"}\n"
	"static __attribute__((unused)) int64_t least_of(int64_t a, int64_t b)\n{\n\treturn a < b ? a : b;\n}\n"
	"static __attribute__((unused)) int64_t most_of(int64_t a, int64_t b)\n{\n\treturn a > b ? a : b;\n}\n";

/* A computed size is 0 or more where the program needs it to be. */
static bool is_count(const Plan *p, uint32_t dim)
{
	for (uint32_t i = 0; i < p->nsized; i++)
		if (p->sized[i].dim == dim) return true;
	return false;
}

static void write_scalar(Writer *w, uint32_t i)
{
	const Plan *p = w->plan;
	uint32_t a = p->dim[i].a, at = p->nsize + a;
	const DimScalar *s = &p->scalar[a];
	if (!p->dim[i].phase)
		say(w, "d[%u] = range(size[%u], size[%u]);", i, at, at);
	else if (p->buffer[s->buffer].dtype == DT_BOOL)
		say(w, "d[%u] = range(0, 1);", i);
	else if (s->below != UINT32_MAX)
		say(w, "d[%u] = range(0, most_of(d[%u].most - 1, 0));", i, s->below);
	else
		say(w, "d[%u] = range(%ssize[%u], size[%u]);", i, is_count(p, i) ? "0*" : "-", at, at);
}

static void write_range(Writer *w, uint32_t i)
{
	static const char *const name[] = {
		[DIM_ADD] = "add", [DIM_MUL] = "mul", [DIM_FLOORDIV] = "divide", [DIM_MOD] = "rest"};
	const Dim *d = &w->plan->dim[i];
	const char *x;
	switch (d->kind) {
	case DIM_CONST:
		x = dtype_literal(w->arena, DT_I64, (uint64_t)d->value);
		say(w, "d[%u] = range(%s, %s);", i, x, x);
		break;
	case DIM_SIZE: say(w, "d[%u] = range(size[%u], size[%u]);", i, d->a, d->a); break;
	case DIM_SCALAR: write_scalar(w, i); break;
	case DIM_MIN:
	case DIM_MAX:
		x = d->kind == DIM_MIN ? "least_of" : "most_of";
		say(w, "d[%u] = range(%s(d[%u].least, d[%u].least), %s(d[%u].most, d[%u].most));", i, x, d->a,
			d->b, x, d->a, d->b);
		break;
	default:
		say(w, "d[%u] = range_%s(d[%u], d[%u]%s);", i, name[d->kind], d->a, d->b,
			d->kind == DIM_MOD ? "" : ", &bad");
	}
}

void write_bounds(Writer *w)
{
	uint32_t n = w->plan->ndim;
	if (w->plan->nphase == 1) return;
	text_add(&w->t, ranges);
	say_open(w, "static int %s_bounds(const int64_t *size, int64_t *most)", w->name);
	say(w, "struct range d[%u];", n);
	say(w, "int bad = 0;");
	for (uint32_t i = 0; i < n; i++) {
		uint32_t guard = w->plan->dim[i].guard;
		if (guard != UINT32_MAX) say(w, "d[%u] = range(0, 0);", i);
		if (guard != UINT32_MAX) w->lead = arena_printf(w->arena, "if (d[%u].most > 0) ", guard);
		write_range(w, i);
		w->lead = NULL;
	}
	say(w, "for (int i = 0; i < %u; i++) most[i] = most_of(d[i].most, 0);", n);
	for (uint32_t k = 0; k < w->plan->nphase; k++) say(w, "bad |= %s_huge_%u(most);", w->name, k);
	say(w, "return bad;");
	say_close(w);
}
