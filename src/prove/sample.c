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
 * halves; 7: tiny; 8: large; 9: too large to square; 10: specials; SAMPLE_PLACES: where functions end, bend
 * or cancel */
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
	case SAMPLE_PLACES: return place[random_below(r, countof(place))];
	default: return special[random_below(r, countof(special))];
	}
}

/* Moderate, small with zeros and ties, at the ends of 8 and of 64 bits, or any. */
static int64_t sample_integer(Random *r)
{
	static const int64_t special[] = {
		0, 1, -1, 63, 64, INT8_MAX, INT8_MIN, UINT8_MAX, INT64_MAX, INT64_MIN, INT64_MAX - 1};
	uint32_t kind = random_below(r, 8);
	if (kind < 3) return (int64_t)(random_next(r) >> 40) - 8388608;
	if (kind < 6) return (int64_t)random_below(r, 7) - 3;
	return kind == 6 ? special[random_below(r, countof(special))] : (int64_t)random_next(r);
}

/* About what the guard compares with: upon it, above or below. */
static double edge_value(const Instance *in, double edge)
{
	double u = random_unit(in->random), far = (fabs(edge) + 3) * u;
	uint32_t side = random_below(in->random, 8);
	if (!side) return edge;
	if (in->side) return edge + in->side * far;
	return side & 1 ? edge + far : edge - far;
}

/* Does the guard speak of this input? */
static bool is_guarded(const Instance *in, const Node *input)
{
	for (uint32_t i = 0; in->nedge && i < in->rule->nvar; i++)
		if (in->guarded[i] && in->m.value[i] == input) return true;
	return false;
}

static void put_value(Instance *in, const Type *t, bool guarded, void *data, int64_t i)
{
	double x = guarded ? edge_value(in, in->edge[random_below(in->random, in->nedge)])
			   : sample_value(in->random, in->mode);
	switch ((Dtype)t->dtype) {
	case DT_BOOL: ((uint8_t *)data)[i] = (uint8_t)random_below(in->random, 2); break;
	case DT_U8:
	case DT_I8: ((uint8_t *)data)[i] = (uint8_t)sample_integer(in->random); break;
	case DT_I64: /* an index, where real numbers are something else */
		((int64_t *)data)[i] =
			in->real == DT_I64 ? sample_integer(in->random) : random_below(in->random, 2);
		break;
	case DT_F32: ((float *)data)[i] = (float)x; break;
	case DT_C128:
		((double *)data)[2 * i] = x;
		((double *)data)[2 * i + 1] = sample_value(in->random, in->mode);
		break;
	default: ((double *)data)[i] = x;
	}
}

Value *instance_values(Instance *in, Arena *a)
{
	Value *v = NEW_ARRAY(a, Value, in->ninput ? in->ninput : 1);
	for (uint32_t k = 0; k < in->ninput; k++) {
		const Type *t = in->input[k]->type;
		v[k] = (Value){.type = t, .dtype = (Dtype)t->dtype, .rank = t->n, .count = 1};
		for (uint32_t i = 0; i < t->n; i++) {
			size_is(DIM(t, i), &v[k].dim[i]);
			v[k].count *= v[k].dim[i];
		}
		v[k].data = arena_alloc(a, (size_t)(v[k].count ? v[k].count : 1) * dtype_bytes(v[k].dtype));
		bool guarded = is_guarded(in, in->input[k]);
		for (int64_t i = 0; i < v[k].count; i++) put_value(in, t, guarded, v[k].data, i);
	}
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
		for (int64_t i = 0; i < count; i++)
			q[i] = v[k].dtype == DT_F32 ? ((float *)v[k].data)[i] : ((double *)v[k].data)[i];
		w[k].data = q;
	}
	return w;
}
