/* sample.c - values for the inputs of an instance of a rule. */
#include "sample.h"

static uint64_t random_next(Random *r)
{
	uint64_t z = r->s += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint32_t random_below(Random *r, uint32_t n)
{
	return n ? (uint32_t)(random_next(r) >> 33) % n : 0;
}

static double random_unit(Random *r)
{
	return (double)(random_next(r) >> 11) * 0x1p-53;
}

/* 0: moderate; 1: (0, 1); 2: (1, 4); 3: negative; 4: every scale; 5: small whole numbers with ties; 6:
 * halves; 7: tiny; 8: large; 9: too large to square; 10: the whole range; 11: where functions end, bend
 * or cancel; 12: specials */
double sample_value(Random *r, int mode)
{
	static const double special[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0x1p-1074,
		0x1.fffffffffffffp1023, 0.5, 2, 710, -745};
	static const double place[] = {0, 1e-200, -1e-200, 1e200, -1e200, 1000, -1000, 1, -1, 0.5, -0.5, 2,
		-2, 1e-8, -1e-8, 3e-5, 0.1, 5, -5, 9, -9, 27, 30, -30, 37, -37, -38, 40, -40, 100, -100, 350,
		700, -700, 720, -720, 800, -800, 1e8, -1e8, 1e16, -1e16, 1e20, -1e20, 1e155, -1e155, 1e-300,
		1e300, -1e300, 0.999, 1.5, INFINITY, -INFINITY, -0.0};
	double u = random_unit(r);
	switch (mode) {
	case 0: return 6 * u - 3;
	case 1: return u;
	case 2: return 1 + 3 * u;
	case 3: return -5 * u;
	case 4: return (random_below(r, 2) ? 1 : -1) * exp2(40 * u - 36);
	case 5: return (double)random_below(r, 7) - 3;
	case 6: return ((double)random_below(r, 13) - 6) / 2;
	case 7: return (random_below(r, 2) ? 1 : -1) * exp2(-20 - 30 * u);
	case 8: return (random_below(r, 2) ? 1 : -1) * exp2(14 * u - 2);
	case 9: return (random_below(r, 2) ? 1 : -1) * exp2(500 + 100 * u);
	case SAMPLE_WHOLE: return (random_below(r, 2) ? 1 : -1) * exp2(2097 * u - 1074);
	case SAMPLE_PLACES: return place[random_below(r, countof(place))];
	default: return special[random_below(r, countof(special))];
	}
}

/* Moderate, small with zeros and ties, at the ends of 8, 16, 32 and 64 bits, or any. */
int64_t sample_integer(Random *r)
{
	static const int64_t special[] = {
		0, 1, -1, 63, 64, INT8_MAX, INT8_MIN, UINT8_MAX, INT16_MAX, INT16_MIN, UINT16_MAX, INT32_MAX,
		INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN, INT64_MAX - 1};
	uint32_t kind = random_below(r, 8);
	if (kind < 3) return (int64_t)(random_next(r) >> 40) - 8388608;
	if (kind < 6) return (int64_t)random_below(r, 7) - 3;
	return kind == 6 ? special[random_below(r, countof(special))] : (int64_t)random_next(r);
}

/* About a number that the rule names: upon it, next to it, or above or below, near or as far as it is
 * from 0. */
static double edge_value(Instance *in, double edge, int side)
{
	double u = random_unit(in->random), far = random_below(in->random, 2) ? fabs(edge) : fabs(edge) + 3;
	uint32_t how = random_below(in->random, 8);
	if (!side) side = random_below(in->random, 2) ? 1 : -1;
	if (!how) return edge;
	if (how == 1) return nextafter(edge, side * INFINITY);
	if (how < 4) far *= exp2(-60 * random_unit(in->random));
	return edge + side * far * u;
}

double sample_of_range(Random *r, Dtype d)
{
	int least = ilogb(dtype_min(d)) - dtype_digits(d) + 1, most = ilogb(dtype_max(d));
	double x = ldexp(1 + random_unit(r), least + (int)random_below(r, (uint32_t)(most - least + 1)));
	return random_below(r, 2) ? x : -x;
}

/* A number for an input of real dtype d: where the rule names numbers, often about those. */
static double number_for(Instance *in, uint32_t k, Dtype d)
{
	uint32_t n = in->edged ? in->nguard : in->nedge, first = random_below(in->random, n), var = 0;
	while (var < in->rule->nvar && in->m.value[var] != in->input[k]) var++;
	bool often = in->near || in->close, some = in->mode != SAMPLE_PLACES || in->close;
	bool about = in->edged || (some && !random_below(in->random, often ? 2 : 8));
	for (uint32_t i = 0; about && i < n; i++) {
		const Edge *e = &in->edge[(first + i) % n];
		if (e->var == UINT32_MAX && !in->edged)
			return edge_value(in, random_below(in->random, 2) ? e->value : -e->value, 0);
		if (e->var == var)
			return edge_value(in, e->value, in->edged &&
				var < RULE_VARIABLES ? in->side[var] : 0);
	}
	if (in->mode == SAMPLE_WHOLE && dtype_is_float(d)) return sample_of_range(in->random, d);
	return sample_value(in->random, in->mode);
}

void sample_put_float(Instance *in, Dtype d, void *at, double x)
{
	element_cast(d, at, DT_F64, &x);
	double y = element_number(d, at);
	bool lost = isfinite(x) && !isfinite(y), minus = y == 0 && in->rule->law != LAW_EXACT;
	if (lost) x = sample_value(in->random, 0);
	if (minus) x = 0;
	if (lost || minus) element_cast(d, at, DT_F64, &x);
}

/* Where the rule names numbers, now and then one of those or next to it. */
static int64_t whole_for(Instance *in, uint32_t k)
{
	if (in->below[k] > 0) return random_below(in->random, (uint32_t)in->below[k]);
	if (!dtype_is_integer(in->real)) return random_below(in->random, 2);
	double edge = in->nedge ? in->edge[random_below(in->random, in->nedge)].value : 0;
	if (!in->nedge || !(fabs(edge) < 0x1p53) || random_below(in->random, in->edged ? 2 : 8))
		return sample_integer(in->random);
	uint32_t far = random_below(in->random, 2) ? 3 : (uint32_t)fmin(fabs(edge), 1e9) + 3;
	return (int64_t)edge + random_below(in->random, far) * (random_below(in->random, 2) ? 1 : -1);
}

static void put_value(Instance *in, uint32_t k, Dtype d, void *at)
{
	if (d == DT_BOOL) {
		*(uint8_t *)at = (uint8_t)random_below(in->random, 2);
	} else if (dtype_is_integer(d)) {
		int64_t x = whole_for(in, k);
		memcpy(at, &x, dtype_bytes(d));
	} else if (dtype_is_complex(d)) { /* now and then on an axis, where branches are cut */
		for (int part = 0; part < 2; part++)
			((double *)at)[part] = random_below(in->random, 6) ? number_for(in, k, DT_F64) : 0;
	} else {
		sample_put_float(in, d, at, number_for(in, k, d));
	}
}

/* Now and then an input is nearly another one, its opposite or its inverse, or another one by a number that
 * the rule names: there differences and logarithms of products cancel. */
static void relate_values(Instance *in, Value *v)
{
	if (in->edged || (in->mode == SAMPLE_PLACES && !in->close)) return;
	if (random_below(in->random, in->close ? 2 : 5)) return;
	for (uint32_t k = 1; k < in->ninput; k++) {
		if (v[k].type != v[0].type || !dtype_is_float(v[k].dtype) || random_below(in->random,
			3) == 0) continue;
		size_t bytes = dtype_bytes(v[k].dtype);
		uint32_t how = random_below(in->random, in->nedge ? 6 : 3);
		double edge = how > 2 ? in->edge[random_below(in->random, in->nedge)].value : 0;
		for (int64_t i = 0; i < v[k].count; i++) {
			double x = element_number(v[0].dtype, (char *)v[0].data + (size_t)i * bytes);
			if (how == 1) x = -x;
			if (how == 2 && x != 0) x = 1 / x;
			if (how == 3) x *= edge;
			if (how == 4) x /= edge;
			if (how == 5) x += edge;
			bool less = in->close && random_below(in->random, 2); /* log((x - y)/x) */
			if (random_below(in->random, 4))
				x *= 1 + (less ? -1 : 1) * exp2(-50 * random_unit(in->random));
			if (isfinite(x))
				sample_put_float(in, v[k].dtype, (char *)v[k].data + (size_t)i * bytes, x);
		}
	}
}

/* Now and then what a comparison compares is equal. */
static void tie_values(Instance *in, Arena *a, Value *v)
{
	if (!in->ntie || in->edged || random_below(in->random, 4)) return;
	const Tie *tie = &in->tie[random_below(in->random, in->ntie)];
	Value out;
	if (evaluates(in->m.g, a, tie->f, v, &out, false) && out.type == v[tie->input].type)
		memcpy(v[tie->input].data, out.data, (size_t)out.count * dtype_bytes(out.dtype));
}

/* Upon a threshold, or next to it: what is next to 0 is lost beside any other number. */
static void place_at_threshold(Instance *in, Value *v)
{
	const Threshold *t = &in->threshold[random_below(in->random, in->nthreshold)];
	Value *of = &v[t->input];
	if (!dtype_is_float(of->dtype)) return;
	for (int64_t i = 0; i < of->count; i++) {
		double x = t->value;
		uint32_t how = random_below(in->random, 8);
		if (how > 3) continue;
		if (how > 1 && x != 0) x = nextafter(x, how == 2 ? INFINITY : -INFINITY);
		sample_put_float(in, of->dtype, (char *)of->data + (size_t)i * dtype_bytes(of->dtype), x);
	}
}

Value *instance_values(Instance *in, Arena *a)
{
	Value *v = NEW_ARRAY(a, Value, in->ninput ? in->ninput : 1);
	for (uint32_t k = 0; k < in->ninput; k++) {
		const Type *t = in->input[k]->type;
		size_t bytes = dtype_bytes((Dtype)t->dtype);
		v[k] = (Value){.type = t, .dtype = (Dtype)t->dtype, .rank = t->n, .count = 1};
		for (uint32_t i = 0; i < t->n; i++) {
			size_is(DIM(t, i), &v[k].dim[i]);
			v[k].count *= v[k].dim[i];
		}
		v[k].data = arena_alloc(a, (size_t)(v[k].count ? v[k].count : 1) * bytes);
		for (int64_t i = 0; i < v[k].count; i++)
			put_value(in, k, v[k].dtype, (char *)v[k].data + (size_t)i * bytes);
	}
	if (in->hard) {
		instance_harden(in, v);
		return v;
	}
	relate_values(in, v);
	tie_values(in, a, v);
	for (uint32_t k = 0; in->nthreshold && k < in->ninput; k++) place_at_threshold(in, v);
	return v;
}

Value *values_widened(Arena *a, uint32_t n, const Value *v)
{
	Value *w = NEW_ARRAY(a, Value, n ? n : 1);
	for (uint32_t k = 0; k < n; k++) {
		w[k] = v[k];
		if (!dtype_is_float(v[k].dtype) && !dtype_is_complex(v[k].dtype)) continue;
		int64_t count = v[k].count * (dtype_is_complex(v[k].dtype) ? 2 : 1);
		__float128 *q = arena_alloc(a, (size_t)(count ? count : 1) * sizeof *q);
		bool complex = dtype_is_complex(v[k].dtype);
		for (int64_t i = 0; i < count; i++)
			q[i] = complex ? ((double *)v[k].data)[i] :
				element_number(v[k].dtype,
					(char *)v[k].data + (size_t)i * dtype_bytes(v[k].dtype));
		w[k].data = q;
	}
	return w;
}
