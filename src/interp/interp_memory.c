/* interp_memory.c - the interpreter's loads and stores: runs of memory, gathers, rows widened. */
#include "machine.h"

/* The lowest position wins, as that is the first one whatever the threads and the width of blocks. */
static void fault_at(Machine *m, int64_t e, int64_t index, int64_t extent)
{
	int64_t position = m->position + e * m->step;
	if (position < m->fault->position) *m->fault = (Fault){position, index, extent};
}

/* Where elements are held as they lie, a run of memory stands for the value itself: nothing is copied. */
void run_load(Machine *m, const RunOp *op, int64_t n)
{
	const AccessWalk *w = &m->b->walk[op->walk];
	const char *direct =
		op->direct || op->narrow ? walk_direct(w, base_of(m, op), op->size, m->where, n) : NULL;
	if (op->direct && direct) {
		m->value[op->out] = (char *)direct;
		return;
	}
	const Slot *slot = &m->s->slot[op->out];
	if (slot->place == PLACE_REGISTER) m->value[op->out] = m->registers + slot->at;
	if (op->narrow && !direct) {
		walk_load(w, base_of(m, op), op->size, m->where, n, m->raw);
		direct = m->raw;
	}
	if (op->narrow)
		op->fn(n, m->value[op->out], direct, NULL, NULL);
	else
		walk_load(w, base_of(m, op), op->size, m->where, n, m->value[op->out]);
}

/* Index values of each row: a shift of the row's first place. */
void run_load_rows(Machine *m, const RunOp *op)
{
	const AccessWalk *w = &m->b->walk[op->walk];
	char *out = op->narrow ? m->raw : m->value[op->out];
	for (int64_t r = 0; r < m->rows; r++) {
		const char *base = base_of(m, op);
		int64_t shift = 0;
		bool absent = false;
		for (uint32_t d = 0; d < op->ndynamic; d++) {
			int64_t v = ((int64_t *)m->value[op->dynamic[d]])[op->one >> d & 1 ? 0 : r],
				extent = w->dynamic[d].extent;
			if ((uint64_t)v >= (uint64_t)extent) {
				fault_at(m, r * m->inner - (m->rows == 1 ? m->first : 0), extent ? v : 0,
					extent);
				absent |= !extent;
				v = 0;
			}
			shift += v * w->dynamic[d].stride;
		}
		if (absent)
			memset(out + (r * m->inner << op->size), 0, (size_t)m->inner << op->size);
		else
			walk_load(w, base + shift * (1 << op->size), op->size, m->where + r * m->inner,
				m->inner, out + (r * m->inner << op->size));
	}
	if (op->narrow) op->fn(m->rows * m->inner, m->value[op->out], m->raw, NULL, NULL);
}

/* Adds the index values to places; false: an axis has no elements. */
bool add_dynamic(Machine *m, const RunOp *op, int64_t n, int64_t *place)
{
	const AccessWalk *w = &m->b->walk[op->walk];
	for (uint32_t d = 0; d < op->ndynamic; d++) {
		const int64_t *v = (int64_t *)m->value[op->dynamic[d]];
		int64_t extent = w->dynamic[d].extent, stride = w->dynamic[d].stride;
		if (!extent) {
			fault_at(m, 0, 0, 0);
			return false;
		}
		for (int64_t i = 0; i < n; i++) { /* index 0 instead: the step fails at its end */
			bool inside = (uint64_t)v[i] < (uint64_t)extent;
			place[i] += inside ? v[i] * stride : 0;
			if (__builtin_expect(!inside, 0)) fault_at(m, i, v[i], extent);
		}
	}
	return true;
}

#define GATHER(T)                                                                                            \
	for (int64_t i = 0; i < n; i++) ((T *)out)[i] = ((const T *)base)[place[i]];                         \
	break
#define SCATTER(T)                                                                                           \
	for (int64_t i = 0; i < n; i++) ((T *)base)[place[i]] = ((const T *)from)[i];                        \
	break

void run_load_each(Machine *m, const RunOp *op, int64_t n)
{
	const char *base = base_of(m, op);
	char *out = op->narrow ? m->raw : m->value[op->out];
	int64_t *place = m->place;
	walk_index(&m->b->walk[op->walk], m->where, n, place);
	if (!add_dynamic(m, op, n, place))
		memset(out, 0, (size_t)n << op->size);
	else
		switch (op->size) {
		case 0: GATHER(uint8_t);
		case 1: GATHER(uint16_t);
		case 2: GATHER(uint32_t);
		default: GATHER(uint64_t);
		}
	if (op->narrow) op->fn(n, m->value[op->out], m->raw, NULL, NULL);
}

void run_store_each(Machine *m, const RunOp *op, int64_t n)
{
	char *base = base_of(m, op);
	const char *from = m->value[op->a];
	int64_t *place = m->place;
	walk_index(&m->b->walk[op->walk], m->where, n, place);
	if (!add_dynamic(m, op, n, place) || m->quiet) return;
	if (op->narrow) {
		op->fn(n, m->raw, from, NULL, NULL);
		from = m->raw;
	}
	switch (op->size) {
	case 0: SCATTER(uint8_t);
	case 1: SCATTER(uint16_t);
	case 2: SCATTER(uint32_t);
	default: SCATTER(uint64_t);
	}
}

void run_store(Machine *m, const RunOp *op, int64_t n)
{
	if (m->quiet) return;
	const AccessWalk *w = &m->b->walk[op->walk];
	const char *from = m->value[op->a];
	if (op->narrow) {
		op->fn(n, m->raw, from, NULL, NULL);
		from = m->raw;
	}
	walk_store(w, base_of(m, op), op->size, m->where, n, from);
}

void run_expand(Machine *m, const RunOp *op)
{
	const char *from = m->value[op->a];
	char *out = m->value[op->out];
	if (m->s->mode == MODE_BATCH && m->rows > 0)
		for (int64_t r = 0; r < m->rows; r++)
			op->fn(m->inner, out + (r * m->inner << op->size), from + (r << op->size), NULL,
				NULL);
	else
		op->fn(m->b->width, out, from, NULL, NULL);
}

void run_cut(Machine *m, const RunOp *op, int64_t n)
{
	const char *from = m->value[op->a];
	char *out = m->value[op->out];
	for (int64_t i = 0; i < n; i++) /* the low bytes: little-endian */
		memcpy(out + (i << op->size), from + (i << op->c), (size_t)1 << op->size);
}
