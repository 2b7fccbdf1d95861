/* line.c - values in a line of text of fixed room, for messages of calls: nothing is allocated. */
#include "ir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void line_printf(Line *l, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(l->s + l->n, sizeof l->s - l->n, format, args);
	va_end(args);
	if (n > 0) l->n = l->n + (size_t)n < sizeof l->s ? l->n + (size_t)n : sizeof l->s - 1;
}

/* The fewest digits that read back as it. */
static void add_number(Line *l, double x, bool single)
{
	char s[40];
	for (int n = 1; n <= 17; n++) {
		snprintf(s, sizeof s, "%.*g", n, x);
		if (single ? strtof(s, NULL) == (float)x : strtod(s, NULL) == x) break;
	}
	if (fabs(x) >= 1 && fabs(x) < 1e15 && strchr(s, 'e')) snprintf(s, sizeof s, "%.15g", x); /* not 3e+02 */
	line_printf(l, "%s", isnan(x) ? "nan" : s);
}

static void add_element(Line *l, Dtype d, const char *p)
{
	if (d == DT_BOOL) {
		line_printf(l, *p ? "true" : "false");
	} else if (d == DT_KEY) {
		int64_t word[2];
		memcpy(word, p, sizeof word);
		line_printf(l, "key(%lld, %lld)", (long long)word[0], (long long)word[1]);
	} else if (dtype_is_complex(d)) {
		add_element(l, dtype_part(d), p);
		line_printf(l, " + ");
		add_element(l, dtype_part(d), p + dtype_bytes(d) / 2);
		line_printf(l, "i");
	} else if (dtype_is_float(d)) {
		add_number(l, element_number(d, p), d != DT_F64);
	} else {
		line_printf(l, "%lld", (long long)element_whole(d, p));
	}
}

static const char *element_at(const Value *v, int64_t i)
{
	return (const char *)v->data + (size_t)i * dtype_bytes(v->dtype);
}

void line_element(Line *l, const Value *v, int64_t i)
{
	add_element(l, v->dtype, element_at(v, i));
}

void line_value(Line *l, const Value *v)
{
	enum { FEW = 8 };
	if (v->rank) line_printf(l, "[");
	for (int64_t i = 0; i < v->count && i < FEW; i++) {
		line_printf(l, "%s", i ? ", " : "");
		line_element(l, v, i);
	}
	line_printf(l, "%s%s", v->count > FEW ? ", ..." : "", v->rank ? "]" : "");
}

void line_place(Line *l, const Value *v, int64_t i)
{
	int64_t index[RANK_MAX];
	for (uint32_t k = v->rank; k-- > 0; i /= v->dim[k]) index[k] = i % v->dim[k];
	for (uint32_t k = 0; k < v->rank; k++) line_printf(l, "%s%lld", k ? ", " : "[", (long long)index[k]);
	if (v->rank) line_printf(l, "]");
}

void line_passes(Line *l, uint32_t n, const int64_t *pass)
{
	for (uint32_t i = 0; i < n; i++)
		line_printf(l, "%s%lld", i ? ", " : "; in pass ", (long long)pass[i]);
}

/* Of the parts of a complex number, too. */
static bool holds(const Value *v, int64_t i, bool (*is)(double))
{
	Dtype part = dtype_part(v->dtype);
	const char *p = element_at(v, i);
	if (!dtype_is_float(part)) return true;
	return is(element_number(part, p)) &&
		(part == v->dtype || is(element_number(part, p + dtype_bytes(part))));
}

static bool is_finite(double x)
{
	return isfinite(x);
}

static bool is_number(double x)
{
	return !isnan(x);
}

bool value_is_finite(const Value *v, int64_t i)
{
	return holds(v, i, is_finite);
}

bool value_is_number(const Value *v, int64_t i)
{
	return holds(v, i, is_number);
}
