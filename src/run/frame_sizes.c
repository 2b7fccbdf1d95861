/* frame_sizes.c - the sizes of a call: bound from the arguments' shapes, checked as the plan requires. */
#include "frame.h"

#include <stdio.h>

/* Of one array: more than processors address, and sums of many are far from 64 bits. */
static const int64_t LARGEST_BYTES = (int64_t)1 << 48;

int64_t scalar_of(const Sizes *s, const DimScalar *x)
{
	const Buffer *b = &s->f->program->plan->buffer[x->buffer];
	const void *data = b->space == SPACE_INPUT ? array_data(&s->in[b->index]) : s->f->base[x->buffer];
	int64_t v = 0;
	if (data) memcpy(&v, data, sizeof v);
	return v;
}

static int64_t floor_divide(int64_t a, int64_t b, int64_t *rest)
{
	int64_t q = b == 0 ? 0 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b - (a % b != 0 && (a ^ b) < 0);
	*rest = b == 0 ? a : b == -1 ? 0 : a - q * b;
	return q;
}

static int64_t dim_value(Sizes *s, const Dim *d, int64_t a, int64_t b)
{
	int64_t r = 0, rest;
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
	case DIM_FLOORDIV: return floor_divide(a, b, &rest);
	case DIM_MOD: floor_divide(a, b, &rest); return rest;
	case DIM_MIN: return a < b ? a : b;
	default: return a > b ? a : b;
	}
}

static int64_t dim_recursive(Sizes *s, uint32_t i)
{
	const Dim *d = &s->f->program->plan->dim[i];
	bool pair = d->kind >= DIM_ADD;
	int64_t a = pair ? dim_recursive(s, d->a) : 0, b = pair ? dim_recursive(s, d->b) : 0;
	return dim_value(s, d, a, b);
}

/* Solves dim = n for the one size it lacks, if it is affine in it.  Gives whether one was bound. */
static bool bind_axis(Sizes *s, uint32_t dim, int64_t n)
{
	s->missing = UINT32_MAX, s->two = false;
	dim_recursive(s, dim);
	if (s->missing == UINT32_MAX || s->two) return false;
	uint32_t k = s->missing;
	s->size[k] = 0;
	int64_t at_0 = dim_recursive(s, dim);
	s->size[k] = 1;
	int64_t slope = dim_recursive(s, dim) - at_0;
	s->size[k] = slope ? (n - at_0) / slope : 0;
	s->bound[k] = slope != 0;
	return s->bound[k];
}

void dim_values(Sizes *s, uint32_t phase)
{
	const Plan *p = s->f->program->plan;
	int64_t *v = s->f->dim;
	s->overflow = false;
	for (uint32_t i = 0; i < p->ndim; i++) {
		const Dim *d = &p->dim[i];
		bool pair = d->kind > DIM_SCALAR;
		if (d->phase != phase) continue;
		v[i] = guard_open(v, d->guard) ? dim_value(s, d, pair ? v[d->a] : 0, pair ? v[d->b] : 0) : 0;
	}
}

static Where where_of(const struct PlanArg *a)
{
	return (Where){a->file, a->line, 0};
}

bool bind_sizes(Sizes *s)
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
				for (uint32_t k = 0; k < p->in[i].rank; k++)
					if ((p->dim[p->in[i].dim[k]].kind == DIM_SIZE) >= plain)
						more |= bind_axis(s, p->in[i].dim[k], s->in[i].shape[k]);
		}
	for (uint32_t i = 0; i < p->nsize; i++)
		if (!s->bound[i])
			return call_error(f, (Where){0}, 0,
				"the arguments' shapes do not determine the size %s",
				p->size_name && p->size_name[i] ? p->size_name[i] : "of a hidden axis");
	dim_values(s, 0);
	for (uint32_t i = 0; i < p->nin; i++)
		for (uint32_t k = 0; k < p->in[i].rank; k++)
			if (f->dim[p->in[i].dim[k]] != s->in[i].shape[k])
				return call_error(f, where_of(&p->in[i]), (int)i + 1,
					"argument %u (%s): size %lld on axis %u, wanted %lld", i + 1,
					p->in[i].name ? p->in[i].name : "?", (long long)s->in[i].shape[k], k,
					(long long)f->dim[p->in[i].dim[k]]);
	return true;
}

bool too_large(Frame *f, uint32_t phase, int code, const char *what)
{
	const Plan *p = f->program->plan;
	const char *name = NULL;
	int64_t most = 0;
	for (uint32_t i = 0; i < p->ndim; i++) {
		const Dim *d = &p->dim[i];
		if ((d->kind != DIM_SIZE && d->kind != DIM_SCALAR) || d->phase != phase || f->dim[i] < most)
			continue;
		const char *own = d->kind == DIM_SCALAR ? p->scalar[d->a].text
			: p->size_name                  ? p->size_name[d->a]
							: NULL;
		name = own ? own : "a size";
		most = f->dim[i];
	}
	if (name)
		call_error(f, (Where){0}, 0, "%s: %s is %lld", what, name, (long long)most);
	else
		call_error(f, (Where){0}, 0, "%s", what);
	f->error.code = code;
	return false;
}

bool check_requirements(Sizes *s, uint32_t phase)
{
	Frame *f = s->f;
	const Plan *p = f->program->plan;
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
		if (r->equal ? a != b : a > b)
			return call_error(f, (Where){r->file, r->line, 0}, 0, "%s: %lld and %lld", r->text,
				(long long)a, (long long)b);
	}
	for (uint32_t i = 0; i < p->nbuffer; i++) {
		const Buffer *b = &p->buffer[i];
		int64_t n = f->dim[b->elements];
		char text[80];
		if (b->phase != phase || n <= LARGEST_BYTES / (int64_t)dtype_bytes((Dtype)b->dtype)) continue;
		snprintf(text, sizeof text, "an array of %lld elements of %s is too large", (long long)n,
			dtype_name((Dtype)b->dtype));
		return too_large(f, phase, ERR_CALL, text);
	}
	return true;
}
