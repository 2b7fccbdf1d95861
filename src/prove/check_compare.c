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
	double constant;
	for (uint32_t i = 0; i < in->rule->nvar; i++) {
		const Node *x = in->m.value[i];
		uint32_t k = 0;
		while (k < in->ninput && x != in->input[k]) k++;
		bool told = x && x->op == OP_CONST && in->constant[i] && constant_value(x, &constant);
		if (!x || (k == in->ninput && !told)) continue;
		text_printf(t, "%s%s = ", first ? " at " : ", ", in->rule->var[i].name);
		first = false;
		if (told)
			text_number(t, constant, 64);
		else if (!v[k].count)
			text_add(t, "nothing");
		else
			say_value(t, &v[k], v[k].count > at ? at : 0);
	}
}

/* The rule, and element at of its inputs. */
static void say_point(Text *t, const Instance *in, const Value *v, int64_t at)
{
	say_rule(t, in->rule);
	size_t n = strlen(in->rule->name);
	const char *text = rule_text(t->arena, in->rule);
	bool label = !strncmp(text, in->rule->name, n) && !strncmp(text + n, ": ", 2);
	text_add(t, text + (label ? n + 2 : 0));
	text_char(t, ':');
	say_inputs(t, in, v, at);
}

static void differ(
	Text *t, const Instance *in, const Value *v, int64_t at, const Value *left, const Value *right)
{
	say_point(t, in, v, at);
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

static const void *element_at(const Value *v, int64_t i)
{
	return (char *)v->data + (size_t)i * dtype_bytes(v->dtype);
}

static bool inputs_finite(const Instance *in, const Value *v)
{
	for (uint32_t k = 0; k < in->ninput; k++)
		for (int64_t i = 0; (dtype_is_float(v[k].dtype) || dtype_is_complex(v[k].dtype)) &&
			i < v[k].count; i++)
			if (!value_is_finite(&v[k], i)) return false;
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
	const void *x = element_at(a, i), *y = element_at(b, i);
	if (a->dtype == DT_C128)
		return same_double(a->data, b->data, 2 * i) && same_double(a->data, b->data, 2 * i + 1);
	if (dtype_is_float(a->dtype) && isnan(element_number(a->dtype, x)) &&
		isnan(element_number(b->dtype, y)))
		return true;
	return !memcmp(x, y, dtype_bytes(a->dtype));
}

/* A side in binary128 at an element: both parts of a complex number, or a whole number or bool. */
typedef struct Point {
	Quad part[2];
} Point;

static Point point_at(const Value *v, int64_t i)
{
	Point p = {{0, 0}};
	if (dtype_is_complex(v->dtype))
		memcpy(p.part, (Quad *)v->data + 2 * i, sizeof p.part);
	else if (dtype_is_float(v->dtype))
		p.part[0] = ((Quad *)v->data)[i];
	else
		p.part[0] = (Quad)element_whole(v->dtype, element_at(v, i));
	return p;
}

static Quad size_of(Point x)
{
	return magnitude(x.part[0]) + magnitude(x.part[1]);
}

static Quad gap_of(Point x, Point y)
{
	return magnitude(x.part[0] - y.part[0]) + magnitude(x.part[1] - y.part[1]);
}

/* Is the right side in f64 or f32 nearer to the true value than the left one, by more than rounding? */
static bool improves(const Value *left, const Value *right, const Value *exact, int64_t i)
{
	bool narrow = left->dtype == DT_F32;
	Quad x = ((Quad *)exact->data)[i], size = magnitude(x), most = narrow ? 1e30Q : 1e290Q;
	Quad rounding = size * (narrow ? 1e-6Q : 1e-15Q), room = size * (narrow ? 1e-4Q : 1e-9Q);
	Quad before = magnitude((Quad)as_double(left, i) - x),
	     after = magnitude((Quad)as_double(right, i) - x);
	bool gone = !(before < 1e300Q); /* nan or inf where the value is finite */
	if (!(size > 1 / most && size < most)) return false;
	return (gone || before > 4 * after) && !(after > room) && (gone || before > rounding);
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

/* ---- one instance ----------------------------------------------------------------------------- */

enum { STIRRED = 3, STIRRED_MOST = 40, SHIFTED = 3 * (2 + 2 * LITERALS) };

/* Both sides in binary128; stirred and with literals moved once an element is not the same on both. */
typedef struct Wide {
	BothSides *sides;
	Value plain[3], stirred[STIRRED_MOST][3], shifted[SHIFTED][3];
	uint32_t nstirred, nshifted;
	bool doubted, known; /* known: they could be computed so */
} Wide;

static void stir_on(Wide *w, uint32_t n)
{
	while (w->known && w->nstirred < n) {
		w->known = sides_stirred(w->sides, 1 + 2 * (uint64_t)w->nstirred, w->stirred[w->nstirred]);
		w->nstirred += w->known;
	}
}

static bool look_again(Wide *w)
{
	if (w->doubted) return w->known;
	w->doubted = w->known = true;
	stir_on(w, STIRRED);
	while (w->known && w->nshifted < SHIFTED && sides_shifted(w->sides, w->nshifted,
		w->shifted[w->nshifted]))
		w->nshifted++;
	return w->known;
}

/* How much of the difference of the sides is binary128's own, by so many stirred values; NaN, or
 * infinite: all of it may be. What is no number on the right, and a choice, as a comparison is, are seen
 * to change by chance alone. */
static Quad lost_at(Wide *w, int64_t i, uint32_t n)
{
	Point left = point_at(&w->plain[0], i), right = point_at(&w->plain[1], i);
	Quad lost = 0;
	bool number = is_finite(size_of(right));
	for (uint32_t k = 0; k < n; k++) {
		stir_on(w, k + 1);
		if (!w->known) return quad_inf();
		Point l = point_at(&w->stirred[k][0], i), r = point_at(&w->stirred[k][1], i);
		if (!number && is_finite(size_of(r))) return quad_inf();
		Quad more = gap_of(l, left) + (number ? gap_of(r, right) : 0);
		if (!(more <= lost)) lost = more;
	}
	return lost;
}

/* Is there a choice of the literals with which the sides would be equal?  With them the sides move little, or
 * nothing can be said. */
static bool literals_explain(const Wide *w, int64_t i, Quad room)
{
	Point left = point_at(&w->plain[0], i), right = point_at(&w->plain[1], i);
	Quad gap = left.part[0] - right.part[0], least = gap, most = gap;
	for (uint32_t k = 0; k < w->nshifted; k++) {
		Point l = point_at(&w->shifted[k][0], i), r = point_at(&w->shifted[k][1], i);
		if (!(gap_of(l, left) + gap_of(r, right) <= (Quad)1e-2 * size_of(left))) return true;
		Quad d = l.part[0] - r.part[0];
		least = d < least ? d : least;
		most = d > most ? d : most;
	}
	if (w->nshifted) { /* the top between the ends,
		by the parabola through them; a tenth for what it leaves out */
		Quad up = point_at(&w->shifted[0][0], i).part[0] - point_at(&w->shifted[0][1], i).part[0],
		     down = point_at(&w->shifted[1][0], i).part[0] - point_at(&w->shifted[1][1], i).part[0],
		     slope = (up - down) / 2, bend = (up + down) / 2 - gap;
		if (magnitude(slope) < 2 * magnitude(bend)) {
			Quad top = gap - 1.1Q * slope * slope / (4 * bend);
			least = top < least ? top : least;
			most = top > most ? top : most;
		}
	}
	return w->nshifted && least <= room && most >= -room;
}

typedef enum Likeness { AGREE, UNKNOWN, DIFFER } Likeness;

/* What f64 has rounded is lost so much earlier than what binary128 rounds. */
#define ROUGH 0x1p60Q

/* Beyond the range of f64, where binary128 has little left, a right side that is no number tells nothing. */
static Likeness compare_at(Wide *w, const Rule *r, int64_t i, Quad *error)
{
	Point left = point_at(&w->plain[0], i), right = point_at(&w->plain[1], i);
	Quad size = size_of(left), gap = gap_of(left, right);
	Quad part = w->sides->rough ? 1e-14Q : 1e-25Q;
	Quad room = size * (r->law == LAW_APPROX ? (Quad)r->tolerance : part);
	if (gap <= room) {
		if (gap > 0) *error = gap / size;
		return AGREE;
	}
	if (!look_again(w)) return UNKNOWN;
	bool may_be_none = size > 1e300Q || book_is_for_search(r->book);
	if (!is_finite(size_of(right)) && may_be_none) return UNKNOWN;
	for (uint32_t n = STIRRED; n <= STIRRED_MOST; n += STIRRED_MOST - STIRRED) { /* often,
		before it is said */
		Quad lost = lost_at(w, i, n);
		bool clear = size == 0 && gap > 1e12Q * lost; /* of nothing every loss is large */
		if (!(lost <= 0.01Q * size) && !clear) return UNKNOWN;
		if (gap <= room + 64 * lost * (w->sides->rough ? ROUGH : 1)) return UNKNOWN;
	}
	return literals_explain(w, i, room) ? AGREE : DIFFER;
}

/* Of nothing the largest is -inf, and so must the other side be. */
static Likeness compare_of_nothing(const Wide *w, int64_t i)
{
	Point left = point_at(&w->plain[0], i), right = point_at(&w->plain[1], i);
	if (size_of(left) != size_of(left)) return UNKNOWN;
	return left.part[0] == right.part[0] ? AGREE : DIFFER;
}

/* The sides as their dtype has them; where that rounds them to one, how far they are apart in truth. */
static bool differ_at(const BothSides *s, int64_t i, const Value *wide, Text *report, Doubts *doubts)
{
	doubt_keep(doubts, s->in, s->input, i);
	differ(report, s->in, s->input, i, &s->own[0], &s->own[1]);
	if (wide && same_bits(&s->own[0], &s->own[1], i))
		text_printf(report, " (%.1e apart, before rounding)",
			(double)gap_of(point_at(&wide[0], i), point_at(&wide[1], i)));
	return false;
}

static bool exactly_agree(const BothSides *s, int64_t i, Text *report, Tally *tally)
{
	bool number = dtype_is_complex(s->own[0].dtype) || !isnan(as_double(&s->own[0], i));
	tally->numbers += number;
	return same_bits(&s->own[0], &s->own[1], i) || differ_at(s, i, NULL, report, tally->doubts);
}

/* Is the left side right as it runs, and the right one its opposite?  An exponent that is rounded to an even
 * number does so, and no cancelling of digits. */
static bool is_turned(const BothSides *s, const Value *wide, int64_t i)
{
	Dtype d = s->own[0].dtype;
	if (d != DT_F64 && d != DT_F32) return false;
	Quad truth = point_at(wide, i).part[0], room = magnitude(truth) * (d == DT_F64 ? 1e-9Q : 1e-4Q);
	Quad left = as_double(&s->own[0], i), right = as_double(&s->own[1], i);
	return room > 0 && magnitude(left - truth) <= room && magnitude(right + truth) <= room;
}

bool right_asks_no_more(BothSides *s, Text *report)
{
	Value left[2];
	Error why;
	bool computed = sides_left(s, left, &why);
	if (!computed || why.argument != ERR_AT_INDEX) return true;
	for (int64_t i = 0; s->mask && i < left[1].count; i++)
		if (!((uint8_t *)left[1].data)[i]) return true;
	if (!left[0].count) return true;
	say_point(report, s->in, s->input, 0);
	text_add(report, " left is ");
	say_value(report, &left[0], 0);
	const char *names = strrchr(why.text, ':'); /* of the inputs, behind what is said of the index */
	size_t n = names && names != strchr(why.text, ':') ? (size_t)(names - why.text) : strlen(why.text);
	text_printf(report, ", right is none: %.*s", (int)n, why.text);
	return false;
}

/* The numbers that variables are at element i, where inputs have an element for it. */
static void note_numbers(const BothSides *s, int64_t i, Spread *of)
{
	const Instance *in = s->in;
	for (uint32_t v = 0; v < in->rule->nvar; v++) {
		uint32_t k = 0;
		while (k < in->ninput && in->input[k] != in->m.value[v]) k++;
		if (k == in->ninput || !dtype_is_float(s->input[k].dtype)) continue;
		const Value *x = &s->input[k];
		if (x->count != s->own[0].count && x->count != 1) continue;
		double number = element_number(x->dtype, element_at(x, x->count == 1 ? 0 : i));
		if (!of[v].seen) of[v] = (Spread){.first = number, .seen = true};
		of[v].more |= number != of[v].first;
	}
}

bool samples_agree(BothSides *s, Tally *tally, Text *report)
{
	Instance *in = s->in;
	const Value *own = s->own, *mask = s->mask ? &own[2] : NULL;
	bool exact = in->rule->law == LAW_EXACT, of_nothing = instance_is_empty(in);
	Wide w = {.sides = s};
	if (!exact && !inputs_finite(in, s->input)) return nothing_let_out(in, s->input, own, mask, tally,
		report);
	if (!exact && !sides_widely(s, w.plain)) return true;
	for (int64_t i = 0; i < own[0].count; i++) {
		Quad error = 0;
		tally->samples++;
		if (mask && !((uint8_t *)mask->data)[i]) continue;
		tally->met++;
		if (exact) {
			tally->defined++;
			if (!exactly_agree(s, i, report, tally)) return false;
			continue;
		}
		note_numbers(s, i, tally->met_at);
		bool number = is_finite(size_of(point_at(&w.plain[0], i)));
		if (!number && !of_nothing) continue; /* the left side is not defined here */
		Likeness o = number ? compare_at(&w, in->rule, i, &error) : compare_of_nothing(&w, i);
		if (number && o != DIFFER && is_turned(s, &w.plain[0], i)) o = DIFFER;
		if (o == DIFFER) return differ_at(s, i, w.plain, report, tally->doubts);
		if (o == UNKNOWN) continue;
		note_numbers(s, i, tally->defined_at);
		tally->defined++;
		tally->numbers++;
		if (number && error > tally->error) tally->error = error;
		bool judged = number && (own[0].dtype == DT_F64 || own[0].dtype == DT_F32);
		if (judged) tally->better += improves(&own[0], &own[1], &w.plain[0], i);
	}
	return true;
}
