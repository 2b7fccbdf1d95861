/* interp_registers.c - preparing a kernel: registers by lifetime. */
#include "interp_make.h"

/* ---- registers ------------------------------------------------------------------------------------ */

static uint32_t operands_of(const RunOp *op, uint16_t slot[6])
{
	uint32_t n = 0;
	if (op->a != NONE) slot[n++] = op->a;
	if (op->b != NONE && op->kind <= RUN_PRIM_STORE) slot[n++] = op->b;
	if (op->c != NONE && op->kind <= RUN_PRIM_STORE) slot[n++] = op->c;
	for (uint32_t i = 0; i < op->ndynamic; i++) slot[n++] = op->dynamic[i];
	return n;
}

static void find_lifetimes(ScriptMaker *m)
{
	Script *s = m->s;
	memset(m->last, 0, s->nslot * sizeof *m->last);
	memset(m->defined, 0xff, s->nslot * sizeof *m->defined);
	for (uint32_t i = 0; i < s->nop; i++)
		if (s->op[i].out != NONE && m->defined[s->op[i].out] == UINT32_MAX)
			m->defined[s->op[i].out] = i;
	for (uint32_t k = 0; k < s->nstage; k++)
		for (uint32_t i = s->stage[k].before; i < s->stage[k].end; i++) {
			uint16_t slot[6];
			uint32_t n = operands_of(&s->op[i], slot);
			/* a stage runs again and again: what it reads from outside lives to its end; a fold
			 * ends there */
			for (uint32_t j = 0; j < n; j++) {
				uint32_t to = m->defined[slot[j]] < s->stage[k].first ? s->stage[k].end : i;
				m->last[slot[j]] = to > m->last[slot[j]] ? to : m->last[slot[j]];
			}
			if (s->op[i].kind == RUN_FOLD || s->op[i].kind == RUN_ARG) {
				uint32_t to = s->stage[k].end;
				m->last[s->op[i].out] =
					to > m->last[s->op[i].out] ? to : m->last[s->op[i].out];
			}
		}
	for (uint32_t i = 0; i < s->nprologue; i++) /* made once: live to the end */
		if (s->op[i].out != NONE) m->last[s->op[i].out] = UINT32_MAX;
}

/* Values of an inner stage that a later one reads are kept for the row (LONG). */
static void find_kept(ScriptMaker *m)
{
	Script *s = m->s;
	if (s->mode != MODE_LONG) return;
	for (uint32_t k = 0; k < s->nstage; k++)
		for (uint32_t i = s->stage[k].first; s->stage[k].inner && i < s->stage[k].end; i++) {
			RunOp *op = &s->op[i];
			bool value = op->out != NONE && op->kind != RUN_FOLD && op->kind != RUN_ARG;
			if (value && m->last[op->out] >= s->stage[k].end &&
				s->slot[op->out].place == PLACE_REGISTER)
				s->slot[op->out] = (Slot){PLACE_KEPT, s->slot[op->out].size, s->nkept++};
		}
}

typedef struct Free {
	uint32_t *at[4], n[4];
	bool *done;
} Free;

static void release(ScriptMaker *m, Free *f, uint32_t slot)
{
	Slot *x = &m->s->slot[slot];
	if (x->place != PLACE_REGISTER || m->defined[slot] == UINT32_MAX || f->done[slot]) return;
	f->done[slot] = true;
	f->at[x->size][f->n[x->size]++] = x->at;
}

static void take_register(Script *s, Free *f, Slot *x)
{
	if (f->n[x->size]) {
		x->at = f->at[x->size][--f->n[x->size]];
		return;
	}
	x->at = s->registers;
	s->registers += ((uint32_t)BLOCK << x->size) + 64;
}

/* A primitive may write over an operand of its own size; other operations need their operands whole. */
static void assign_by_lifetime(ScriptMaker *m)
{
	Script *s = m->s;
	Free f = {.done = NEW_ARRAY(m->scratch, bool, s->nslot)};
	for (int c = 0; c < 4; c++) f.at[c] = NEW_ARRAY(m->scratch, uint32_t, s->nslot + s->nop);
	for (uint32_t i = 0; i < s->nop; i++) {
		RunOp *op = &s->op[i];
		uint16_t slot[6];
		uint32_t n = operands_of(op, slot);
		bool prim = op->kind <= RUN_PRIM_STORE;
		for (uint32_t k = 0; k < s->nstage; k++) /* what a stage that ends here held */
			for (uint32_t v = 0; s->stage[k].end == i && v < s->nslot; v++)
				if (m->last[v] == i) release(m, &f, v);
		for (uint32_t j = 0; prim && j < n; j++)
			if (m->last[slot[j]] == i) release(m, &f, slot[j]);
		if (op->out != NONE && s->slot[op->out].place == PLACE_REGISTER && m->defined[op->out] == i)
			take_register(s, &f, &s->slot[op->out]);
		for (uint32_t j = 0; !prim && j < n; j++)
			if (m->last[slot[j]] == i) release(m, &f, slot[j]);
	}
}

static void assign_scalars(Script *s)
{
	for (uint32_t i = 0; i < s->nslot; i++)
		if (s->slot[i].place == PLACE_SCALAR) {
			s->slot[i].at = s->registers;
			s->registers += 64;
		}
}

void assign_registers(ScriptMaker *m)
{
	find_lifetimes(m);
	find_kept(m);
	assign_by_lifetime(m);
	assign_scalars(m->s);
}
