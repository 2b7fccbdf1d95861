/* check_compare.c - the values of both sides compared as the law asks, and what differs said. */
#include <inttypes.h>

#include "check.h"

/* ---- what is said ---------------------------------------------------------------------- */

static const char *law_name(Law l)
{
	static const char *const names[] = {"none", "exact", "real", "finite", "approx"};
	return names[l];
}

void say_rule(Text *t, const Rule *r)
{
	text_printf(t, "rule %s, law %s: ", r->name, law_name(r->law));
}

void say_counts(Text *t, const Rule *r, uint64_t samples, uint64_t met, double error)
{
	text_printf(t, "%s: %s, %llu samples, %llu met the guard, largest error %.1g", r->name,
		law_name(r->law), (unsigned long long)samples, (unsigned long long)met, error);
}

static double as_double(const Value *v, int64_t i)
{
	return element_number(v->dtype, (char *)v->data + (size_t)i * dtype_bytes(v->dtype));
}

/* Element i as the notation writes it, of a complex number both parts. */
static void say_value(Text *t, const Value *v, int64_t i)
{
	double im = v->dtype == DT_C128 ? ((double *)v->data)[2 * i + 1] : 0;
	const void *at = (char *)v->data + (size_t)i * dtype_bytes(v->dtype);
	if (v->dtype == DT_BOOL)
		text_add(t, element_whole(v->dtype, at) ? "true" : "false");
	else if (dtype_is_unsigned(v->dtype))
		text_printf(t, "%" PRIu64, (uint64_t)element_whole(v->dtype, at));
	else if (dtype_is_integer(v->dtype))
		text_printf(t, "%" PRId64, element_whole(v->dtype, at));
	else
		text_number(t, as_double(v, i), 64);
	if (v->dtype != DT_C128) return;
	text_add(t, signbit(im) ? " - " : " + ");
	text_number(t, fabs(im), 64);
	text_char(t, 'i');
}

static void say_inputs(Text *t, const Instance *in, const Value *v, int64_t at)
{
	bool first = true;
	for (uint32_t i = 0; i < in->rule->nvar; i++)
		for (uint32_t k = 0; k < in->ninput; k++)
			if (in->m.value[i] == in->input[k]) {
				int64_t j = v[k].count > at ? at : 0;
				text_printf(t, "%s%s = ", first ? " at " : ", ", in->rule->var[i].name);
				say_value(t, &v[k], j);
				first = false;
			}
}

static void differ(
	Text *t, const Instance *in, const Value *v, int64_t at, const Value *left, const Value *right)
{
	say_rule(t, in->rule);
	size_t n = strlen(in->rule->name);
	const char *text = rule_text(t->arena, in->rule);
	bool label = !strncmp(text, in->rule->name, n) && !strncmp(text + n, ": ", 2);
	text_add(t, text + (label ? n + 2 : 0));
	text_char(t, ':');
	say_inputs(t, in, v, at);
	text_add(t, " left is ");
	say_value(t, left, at);
	text_add(t, ", right is ");
	say_value(t, right, at);
}

/* ---- numbers ------------------------------------------------------------------------------ */

static Quad magnitude(Quad x)
{
	return x < 0 ? -x : x;
}
static bool is_finite(Quad x)
{
	return magnitude(x) < (Quad)1e4900L;
}

/* The largest finite number met inside: what is lost to rounding of binary128 is a part of it. */
static Quad largest(uint32_t n, const Value *v)
{
	Quad most = 0;
	for (uint32_t k = 0; k < n; k++) {
		if (!dtype_is_float(v[k].dtype) && !dtype_is_complex(v[k].dtype)) continue;
		int64_t count = v[k].count * (dtype_is_complex(v[k].dtype) ? 2 : 1);
		for (int64_t i = 0; i < count; i++) {
			Quad x = magnitude(((Quad *)v[k].data)[i]);
			if (is_finite(x) && x > most) most = x;
		}
	}
	return most;
}

/* Elements of an array in the samples' own dtypes, as doubles: two for each complex one. */
static int64_t doubles(const Value *v)
{
	if (v->dtype == DT_F64) return v->count;
	if (v->dtype == DT_C128) return 2 * v->count;
	return 0;
}

static bool inputs_finite(const Instance *in, const Value *v)
{
	for (uint32_t k = 0; k < in->ninput; k++)
		for (int64_t i = 0; i < doubles(&v[k]); i++)
			if (!isfinite(((double *)v[k].data)[i])) return false;
	return true;
}

/* Any NaN is any other. */
static bool same_double(const void *a, const void *b, int64_t i)
{
	const double *x = a, *y = b;
	return (isnan(x[i]) && isnan(y[i])) || !memcmp(x + i, y + i, sizeof *x);
}

static bool same_bits(const Value *a, const Value *b, int64_t i)
{
	size_t w = dtype_bytes(a->dtype);
	if (a->dtype == DT_F64) return same_double(a->data, b->data, i);
	if (a->dtype == DT_C128)
		return same_double(a->data, b->data, 2 * i) && same_double(a->data, b->data, 2 * i + 1);
	if (a->dtype == DT_F32 && isnan(((float *)a->data)[i]) && isnan(((float *)b->data)[i])) return true;
	return !memcmp((char *)a->data + i * (int64_t)w, (char *)b->data + i * (int64_t)w, w);
}

/* How far is y from x, and how large is x?  Of complex numbers the sum of both parts. */
static Quad distance(const Value *x, const Value *y, int64_t i, Quad *size)
{
	if (!dtype_is_float(x->dtype) && !dtype_is_complex(x->dtype)) {
		*size = magnitude((Quad)as_double(x, i));
		return magnitude((Quad)as_double(x, i) - (Quad)as_double(y, i));
	}
	uint32_t n = dtype_is_complex(x->dtype) ? 2 : 1;
	const Quad *a = (Quad *)x->data + n * i, *b = (Quad *)y->data + n * i;
	Quad gap = 0;
	*size = 0;
	for (uint32_t k = 0; k < n; k++) {
		*size += magnitude(a[k]);
		gap += magnitude(a[k] - b[k]);
	}
	return gap;
}

/* Is the right side in f64 nearer to the true value than the left one, by more than rounding? */
static bool improves(const Value *left, const Value *right, const Value *exact, int64_t i)
{
	Quad x = ((Quad *)exact->data)[i], size = magnitude(x);
	Quad before = magnitude((Quad)as_double(left, i) - x),
	     after = magnitude((Quad)as_double(right, i) - x);
	bool gone = !(before < 1e300Q); /* nan or inf where the value is finite */
	if (!(size > 1e-290Q && size < 1e290Q)) return false;
	return (gone || before > 4 * after) && !(after > size * 1e-9Q) && (gone || before > size * 1e-15Q);
}

/* Has the left side lost nearly all digits of f64?  Then binary128 may have lost many too: (1 - cos(x))/x^2
 * at 1e-14 has six left. */
static bool cancelled(const Value *left, const Value *exact, int64_t i)
{
	if (left->dtype != DT_F64 || !isfinite(as_double(left, i))) return false;
	Quad x = ((Quad *)exact->data)[i];
	return magnitude((Quad)as_double(left, i) - x) > magnitude(x) * 1e-2Q;
}

bool has_choice(const Pattern *p)
{
	if (p->kind == P_OPERATOR && p->op == OP_WHERE) return true;
	for (uint32_t i = 0; i < p->n; i++)
		if (has_choice(p->arg[i])) return true;
	return false;
}

/* Inputs that are no numbers: a choice that gives a number lets no NaN of the other branch out, and so does
 * the right side. */
static bool nothing_let_out(Instance *in, const Value *values, const Value *own, const Value *mask,
	Tally *tally, Text *report)
{
	bool judged = in->rule->law == LAW_REAL && dtype_is_float(own[0].dtype) && has_choice(in->rule->left);
	for (int64_t i = 0; i < own[0].count; i++) {
		bool left = isnan(as_double(&own[0], i)), right = isnan(as_double(&own[1], i));
		tally->better += left && isfinite(as_double(&own[1], i));
		if (!judged || (mask && !((uint8_t *)mask->data)[i])) continue;
		if (!right || !isfinite(as_double(&own[0], i))) continue;
		differ(report, in, values, i, &own[0], &own[1]);
		return false;
	}
	return true;
}

bool samples_agree(Instance *in, const Samples *s, Tally *tally, Text *report)
{
	const Rule *r = in->rule;
	const Value *values = s->input, *own = s->own, *wide = s->wide, *mask = s->masked ? &own[2] : NULL;
	bool exact = r->law == LAW_EXACT, finite = inputs_finite(in, values);
	Quad scale = exact ? 0 : largest(s->n, wide);
	if (!exact && !finite) return nothing_let_out(in, values, own, mask, tally, report);
	for (int64_t i = 0; i < own[0].count; i++) {
		tally->samples++;
		if (mask && !((uint8_t *)mask->data)[i]) continue;
		tally->met++;
		if (exact) {
			tally->defined++;
			if (same_bits(&own[0], &own[1], i)) continue;
			differ(report, in, values, i, &own[0], &own[1]);
			return false;
		}
		Quad size, other, gap = distance(&wide[0], &wide[1], i, &size);
		distance(&wide[1], &wide[1], i, &other);
		if (!is_finite(size)) /* the left side is not defined here */
			continue;
		tally->defined++;
		Quad room =
			size * (r->law == LAW_APPROX ? (Quad)r->tolerance : 1e-9Q) + scale * 1e-30Q + 1e-300Q;
		bool rough = cancelled(&own[0], &wide[0], i);
		if (rough) room += size * 1e-2Q;
		bool far = in->mode >= 8 &&
			is_finite(other); /* binary128 itself is at its end: only NaN and inf count */
		if (!far && !(gap <= room)) {
			differ(report, in, values, i, &own[0], &own[1]);
			return false;
		}
		Quad top = size > scale ? size : scale;
		if (!far && !rough && gap > 0 && gap / top > tally->error) tally->error = gap / top;
		if (own[0].dtype == DT_F64) tally->better += improves(&own[0], &own[1], &wide[0], i);
	}
	return true;
}
