/* frame_sizes.c - the sizes of a call: bound from the arguments' shapes, checked as the plan requires. */
#include "frame.h"

#include <stdio.h>

int64_t size_at(const Buffer *b, const void *data)
{
	int64_t v;
	if (b->dtype == DT_BOOL) return *(const uint8_t *)data;
	memcpy(&v, data, sizeof v);
	return v;
}

int64_t scalar_of(const FrameSizes *s, const DimScalar *x)
{
	const Buffer *b = &s->f->program->plan->buffer[x->buffer];
	const void *data = b->space == SPACE_INPUT ? array_data(&s->in[b->index]) : s->f->base[x->buffer];
	return data ? size_at(b, data) : 0;
}

/* The quotient, rounded down; false: there is none within 64 bits. */
static bool floor_divide(int64_t a, int64_t b, int64_t *quotient, int64_t *rest)
{
	if (!b || (a == INT64_MIN && b == -1)) return false;
	bool off = a % b && (a % b < 0) != (b < 0);
	*quotient = a / b - off;
	*rest = a % b + (off ? b : 0);
	return true;
}

static int64_t dim_value(FrameSizes *s, const Dim *d, int64_t a, int64_t b)
{
	int64_t r = 0, rest = 0;
	switch (d->kind) {
	case DIM_CONST: return d->value;
	case DIM_SIZE:
		if (!s->bound[d->a]) {
			s->two |= s->missing != UINT32_MAX && s->missing != d->a;
			s->missing = d->a;
		}
		return s->size[d->a];
	case DIM_SCALAR: return scalar_of(s, &s->f->program->plan->scalar[d->a]);
	case DIM_ADD: s->overflow |= __builtin_add_overflow(a, b, &r); return r;
	case DIM_MUL: s->overflow |= __builtin_mul_overflow(a, b, &r); return r;
	case DIM_FLOORDIV:
	case DIM_MOD:
		if (!b) s->by_zero = d;
		s->overflow |= !floor_divide(a, b, &r, &rest);
		return d->kind == DIM_MOD ? rest : r;
	case DIM_MIN: return a < b ? a : b;
	default: return a > b ? a : b;
	}
}

static int64_t dim_recursive(FrameSizes *s, uint32_t i)
{
	const Dim *d = &s->f->program->plan->dim[i];
	bool pair = d->kind >= DIM_ADD;
	int64_t a = pair ? dim_recursive(s, d->a) : 0, b = pair ? dim_recursive(s, d->b) : 0;
	return dim_value(s, d, a, b);
}

static int64_t dim_where(FrameSizes *s, uint32_t dim, uint32_t size, int64_t is)
{
	s->size[size] = is;
	return dim_recursive(s, dim);
}

/* Solves dim = n for the one size it lacks, if it is affine in it.  Gives whether one was bound. */
static bool bind_axis(FrameSizes *s, uint32_t dim, int64_t n)
{
	s->missing = UINT32_MAX;
	s->two = false;
	dim_recursive(s, dim);
	if (s->missing == UINT32_MAX || s->two) return false;
	uint32_t k = s->missing;
	int64_t at_0 = dim_where(s, dim, k, 0), slope, more, there;
	if (__builtin_sub_overflow(dim_where(s, dim, k, 1), at_0, &slope) || !slope) return false;
	bool far = __builtin_sub_overflow(n, at_0, &more) || (more == INT64_MIN && slope == -1);
	int64_t found = far ? 0 : more / slope;
	bool affine = !__builtin_mul_overflow(slope, found, &there) &&
		!__builtin_add_overflow(there, at_0, &there) && there == dim_where(s, dim, k, found) &&
		!__builtin_add_overflow(slope, slope, &there) &&
		!__builtin_add_overflow(there, at_0, &there) && there == dim_where(s, dim, k, 2);
	s->size[k] = affine ? found : 0;
	s->bound[k] = affine;
	return affine;
}

void dim_values(FrameSizes *s, uint32_t phase)
{
	const Plan *p = s->f->program->plan;
	int64_t *v = s->f->dim;
	s->overflow = false;
	s->by_zero = NULL;
	for (uint32_t i = 0; i < p->ndim; i++) {
		const Dim *d = &p->dim[i];
		bool pair = d->kind > DIM_SCALAR;
		if (d->phase != phase) continue;
		int64_t a = pair ? v[d->a] : 0, b = pair ? v[d->b] : 0;
		v[i] = guard_open(v, d->guard) ? dim_value(s, d, a, b) : 0;
	}
}

static Where where_of(const struct PlanArg *a)
{
	return (Where){a->file, a->line, 0};
}

bool bind_sizes(FrameSizes *s)
{
	Frame *f = s->f;
	const Plan *p = f->program->plan;
	for (uint32_t i = 0; i < p->nin; i++)
		for (uint32_t k = 0; k < p->in[i].rank; k++)
			if (s->in[i].shape[k] < 0)
				return call_error(f, where_of(&p->in[i]), (int)i + 1,
					"argument %u (%s): size %lld on axis %u", i + 1,
					p->in[i].name ? p->in[i].name : "?", (long long)s->in[i].shape[k], k);
	for (int plain = 1; plain >= 0; plain--)
		for (bool more = true; more;) {
			more = false;
			for (uint32_t i = 0; i < p->nin; i++)
				for (uint32_t k = 0; k < p->in[i].rank; k++) {
					uint32_t dim = buffer_dims(p, p->in[i].buffer)[k];
					if ((p->dim[dim].kind == DIM_SIZE) >= plain)
						more |= bind_axis(s, dim, s->in[i].shape[k]);
				}
		}
	for (uint32_t i = 0; i < p->nsize; i++)
		if (!s->bound[i])
			return call_error(f, (Where){0}, 0,
				"the arguments' shapes do not determine the size %s",
				p->size_name && p->size_name[i] ? p->size_name[i] : "of a hidden axis");
	for (uint32_t i = 0; i < p->nsize; i++)
		if (s->size[i] < 0)
			return call_error(f, (Where){0}, 0,
				"the arguments' shapes would make the size %s negative: %lld",
				p->size_name && p->size_name[i] ? p->size_name[i] : "of a hidden axis",
				(long long)s->size[i]);
	dim_values(s, 0);
	for (uint32_t i = 0; i < p->nin; i++)
		for (uint32_t k = 0; k < p->in[i].rank; k++)
			if (f->dim[buffer_dims(p, p->in[i].buffer)[k]] != s->in[i].shape[k])
				return call_error(f, where_of(&p->in[i]), (int)i + 1,
					"argument %u (%s): size %lld on axis %u, wanted %lld", i + 1,
					p->in[i].name ? p->in[i].name : "?", (long long)s->in[i].shape[k], k,
					(long long)f->dim[buffer_dims(p, p->in[i].buffer)[k]]);
	return true;
}

/* The argument that has this size, or is it. */
static Where declared_size(const Plan *p, uint32_t dim)
{
	for (uint32_t i = 0; i < p->nin; i++) {
		for (uint32_t k = 0; k < p->in[i].rank; k++)
			if (buffer_dims(p, p->in[i].buffer)[k] == dim) return where_of(&p->in[i]);
		if (p->dim[dim].kind == DIM_SCALAR && p->scalar[p->dim[dim].a].buffer == p->in[i].buffer)
			return where_of(&p->in[i]);
	}
	return (Where){0};
}

/* The largest number of a size, of those that are known from one phase on; UINT32_MAX: there is none. */
static uint32_t largest_size(const Frame *f, uint32_t from, uint32_t to)
{
	const Plan *p = f->program->plan;
	uint32_t found = UINT32_MAX;
	for (uint32_t i = 0; i < p->ndim; i++) {
		const Dim *d = &p->dim[i];
		bool named = d->kind == DIM_SIZE || d->kind == DIM_SCALAR;
		bool more = found == UINT32_MAX ? f->dim[i] >= 0 : f->dim[i] >= f->dim[found];
		if (named && more && d->phase >= from && d->phase <= to) found = i;
	}
	return found;
}

/* The error "what: NAME is NUMBER" about this size. */
static bool size_error(Frame *f, uint32_t i, const char *what)
{
	const Plan *p = f->program->plan;
	const char *own = NULL;
	if (p->dim[i].kind == DIM_SCALAR)
		own = p->scalar[p->dim[i].a].text;
	else if (p->size_name)
		own = p->size_name[p->dim[i].a];
	return call_error(f, declared_size(p, i), 0, "%s: %s is %lld", what, own ? own : "a size",
		(long long)f->dim[i]);
}

bool too_large(Frame *f, uint32_t phase, int code, const char *what)
{
	uint32_t from = phase, i = largest_size(f, from, phase);
	while (from && (i == UINT32_MAX || f->dim[i] < 2)) i = largest_size(f, --from, phase);
	if (i != UINT32_MAX)
		size_error(f, i, what);
	else
		call_error(f, (Where){0}, 0, "%s", what);
	f->error.code = code;
	return false;
}

/* The first size that a dim is made of, but rather one that is 0; UINT32_MAX: of none. */
static uint32_t size_within(const Frame *f, uint32_t dim)
{
	const Dim *d = &f->program->plan->dim[dim];
	if (d->kind == DIM_CONST) return UINT32_MAX;
	if (d->kind <= DIM_SCALAR) return dim;
	uint32_t a = size_within(f, d->a), b = size_within(f, d->b);
	return a == UINT32_MAX || (b != UINT32_MAX && f->dim[a] && !f->dim[b]) ? b : a;
}

static bool divided_by_zero(Frame *f, const Dim *d)
{
	const char *what = "a size is divided by 0";
	const Plan *p = f->program->plan;
	uint32_t i = size_within(f, d->b);
	if (i != UINT32_MAX) return size_error(f, i, what);
	return call_error(f, p->nin ? where_of(&p->in[0]) : (Where){0}, 0, "%s", what);
}

/* How much an extent holds, or one number past LARGEST: elements, or steps of a loop. */
static int64_t elements_of(const Frame *f, const Extent *x, int64_t most)
{
	int64_t n = 1;
	bool empty = false;
	for (uint32_t k = 0; k < x->rank; k++) {
		int64_t size = f->dim[x->dim[k]];
		empty |= !size;
		if (size && __builtin_mul_overflow(n, size, &n)) return INT64_MAX;
		if (n > most) return n;
	}
	return empty ? 0 : n;
}

static bool check_extents(Frame *f, uint32_t phase)
{
	const Plan *p = f->program->plan;
	for (uint32_t i = 0; i < p->nextent; i++) {
		const Extent *x = &p->extent[i];
		Dtype d = (Dtype)x->dtype;
		int64_t most = d ? LARGEST / (int64_t)dtype_bytes(d) : LARGEST;
		int64_t n = x->phase == phase && guard_open(f->dim, x->guard) ? elements_of(f, x, most) : 0;
		char text[100];
		if (n <= most) continue;
		if (d)
			snprintf(text, sizeof text, "an array of %lld elements of %s is too large",
				(long long)n, dtype_name(d));
		else
			snprintf(text, sizeof text, "a loop of %lld steps is too long", (long long)n);
		return too_large(f, phase, ERR_CALL, text);
	}
	return true;
}

bool check_requirements(FrameSizes *s, uint32_t phase)
{
	Frame *f = s->f;
	const Plan *p = f->program->plan;
	if (s->by_zero) return divided_by_zero(f, s->by_zero);
	if (s->overflow) return too_large(f, phase, ERR_CALL, "the sizes are too large");
	for (uint32_t i = 0; i < p->nsized; i++) {
		const Sized *z = &p->sized[i];
		if (later_phase(p, p->dim[z->dim].phase, z->guard) == phase && f->dim[z->dim] < 0 &&
			guard_open(f->dim, z->guard))
			return call_error(f, (Where){z->file, z->line, 0}, 0, "the size %s is negative: %lld",
				z->text, (long long)f->dim[z->dim]);
	}
	for (uint32_t i = 0; i < p->nrequirement; i++) {
		const Requirement *r = &p->requirement[i];
		int64_t a = f->dim[r->a], b = f->dim[r->b];
		if (requirement_phase(p, r) != phase || !guard_open(f->dim, r->guard)) continue;
		if (r->equal ? a == b : a <= b) continue;
		const Where where = {r->file, r->line, 0};
		int what = r->of_index ? ERR_AT_INDEX : 0;
		if (!r->equal && p->dim[r->a].kind == DIM_CONST)
			return call_error(f, where, what, "%s, it is %lld", r->text, (long long)b);
		return call_error(f, where, what, "%s: %lld and %lld", r->text, (long long)f->dim[r->told_a],
			(long long)f->dim[r->told_b]);
	}
	return check_extents(f, phase);
}
