/* schedule.c - from a kernel's instructions to its final form.
 *
 * needs: instructions in an order where operands come first
 * gives: axes merged where every access walks them as one; instructions in
 *        stages: what does not move with the inner index once a row, the rest
 *        in passes over the inner index, a pass for each layer of folds;
 *        sizes and constants as literals or parameters; the kernel interned, its
 *        step added
 */
#include "kernel.h"

/* ---- merging axes -------------------------------------------------------------------- */

/* Does a step along axis k lead, in every access, where all of axis k + 1 does? */
static bool merges(Builder *b, uint32_t k)
{
	for (uint32_t i = 0; i < b->nat; i++) {
		const Index *at = &b->at[i].at;
		if (at->coef[k] != size_mul(b->g, at->coef[k + 1], b->extent[k + 1])) return false;
	}
	return true;
}

void axis_drop(Builder *b, uint32_t k)
{
	for (uint32_t j = k; j + 1 < b->naxis; j++) b->extent[j] = b->extent[j + 1];
	for (uint32_t i = 0; i < b->nat; i++) {
		const Size **coef = b->at[i].at.coef;
		for (uint32_t j = k; j + 1 < AXES_MAX; j++) coef[j] = coef[j + 1];
		coef[AXES_MAX - 1] = size_const(b->g, 0);
	}
	b->naxis--;
	b->nrow -= k < b->nrow;
	b->nfold -= k < b->nfold;
}

/* Axes k and k + 1 of one kind become one: the second is walked, the extents multiply. */
static void merge_axes(Builder *b)
{
	for (uint32_t k = 0; k + 1 < b->naxis;) {
		bool border = k + 1 == b->nrow || (b->recipe == RECIPE_CHAIN && k + 1 == b->nfold);
		if (border || !merges(b, k)) {
			k++;
			continue;
		}
		b->extent[k + 1] = size_mul(b->g, b->extent[k], b->extent[k + 1]);
		axis_drop(b, k);
		k = 0; /* the axis before may merge with the longer one */
	}
}

/* ---- stages ---------------------------------------------------------------------------- */

typedef struct StagePlace {
	uint16_t pass;
	bool inner;
} StagePlace;

static uint32_t operands(const Ins *i, uint16_t v[3])
{
	v[0] = i->a;
	v[1] = i->b;
	v[2] = i->c;
	return ins_arity(i);
}

static bool moves(const Builder *b, const Index *at, const StagePlace *place)
{
	for (uint32_t k = b->nrow; k < b->naxis; k++)
		if (!size_equals(at->coef[k], 0)) return true;
	if (at->within) return true;
	for (uint32_t k = 0; k < at->ndynamic; k++) {
		uint32_t v = at->dynamic[k].value;
		if (place[v].inner && b->code[v].kind != INS_FOLD) return true; /* a fold has one value */
	}
	return false;
}

static void place_instructions(Builder *b, StagePlace *place)
{
	for (uint32_t i = 0; i < b->ncode; i++) {
		const Ins *x = &b->code[i];
		uint16_t v[3];
		uint32_t n = operands(x, v);
		for (uint32_t k = 0; k < n; k++) {
			const Ins *y = &b->code[v[k]];
			uint16_t pass = place[v[k]].pass + (y->kind == INS_FOLD);
			place[i].pass = pass > place[i].pass ? pass : place[i].pass;
			place[i].inner |= place[v[k]].inner && y->kind != INS_FOLD;
		}
		if (x->kind == INS_LOAD || x->kind == INS_STORE || x->kind == INS_INDEX) {
			const Index *at = &b->at[x->at].at;
			place[i].inner |= moves(b, at, place);
			for (uint32_t k = 0; k < at->ndynamic; k++) {
				const StagePlace *p = &place[at->dynamic[k].value];
				uint16_t pass = p->pass + (b->code[at->dynamic[k].value].kind == INS_FOLD);
				place[i].pass = pass > place[i].pass ? pass : place[i].pass;
			}
		}
		if (b->recipe == RECIPE_CHAIN) /* one pass up to the folds, one after them */
			place[i] = (StagePlace){.pass = x->kind != INS_FOLD && !b->made_at[i], .inner = true};
		else if (x->kind == INS_FOLD)
			place[i].inner = true;
	}
}

/* A cheap value of an earlier pass (a load) is formed anew in the pass that uses it instead of being kept. */
static bool reloads(const Builder *b, const Ins *x)
{
	return (x->kind == INS_LOAD && !b->at[x->at].at.ndynamic) ||
		(x->kind == INS_INDEX && !b->at[x->at].at.ndynamic);
}

/* Is a value used in the pass that it belongs to?  If not, a load waits for the pass that does. */
static void mark_used(const Builder *b, const StagePlace *place, bool *used)
{
	for (uint32_t i = 0; i < b->ncode; i++) {
		const Ins *x = &b->code[i];
		uint16_t v[3];
		uint32_t n = operands(x, v);
		for (uint32_t k = 0; k < n; k++) used[v[k]] |= place[v[k]].pass == place[i].pass;
		if (x->kind == INS_LOAD || x->kind == INS_STORE || x->kind == INS_INDEX)
			for (uint32_t k = 0; k < b->at[x->at].at.ndynamic; k++) {
				uint32_t d = b->at[x->at].at.dynamic[k].value;
				used[d] |= place[d].pass == place[i].pass;
			}
	}
}

typedef struct Ordering {
	Builder *b;
	const StagePlace *place;
	const bool *used; /* old number: by something of its own pass */
	Ins *out;
	uint32_t n;
	uint16_t *moved;        /* old number -> new number, as of the current stage */
	uint16_t *made_in;      /* old number -> the stage that holds it, + 1 */
	uint16_t (*dynamic)[2]; /* access -> new numbers of its computed indices */
} Ordering;

static uint16_t order_value(Ordering *o, uint16_t old, uint16_t stage)
{
	const StagePlace *p = &o->place[old];
	const Ins *x = &o->b->code[old];
	if (p->inner && o->made_in[old] != stage + 1 && reloads(o->b, x) && o->n < CODE_MAX) {
		o->moved[old] = (uint16_t)o->n;
		o->made_in[old] = stage + 1;
		o->out[o->n++] = *x;
	}
	return o->moved[old];
}

static void order_stage(Ordering *o, Kernel *k, uint16_t pass, bool inner)
{
	Builder *b = o->b;
	uint16_t first = (uint16_t)o->n, stage = k->nstage;
	for (uint32_t i = 0; i < b->ncode; i++) {
		if (o->place[i].pass != pass || o->place[i].inner != inner) continue;
		Ins x = b->code[i];
		uint16_t v[3];
		uint32_t n = operands(&x, v);
		if (inner && (o->made_in[i] == stage + 1 || (!o->used[i] && reloads(b, &x)))) continue;
		for (uint32_t j = 0; j < n; j++) {
			uint16_t to = order_value(o, v[j], stage);
			if (j == 0) x.a = to;
			if (j == 1) x.b = to;
			if (j == 2) x.c = to;
		}
		if (o->n == CODE_MAX) {
			graph_fail(b->g, ERR_INTERNAL, "a kernel of more than %d instructions", CODE_MAX);
			return;
		}
		if (x.kind == INS_LOAD || x.kind == INS_STORE || x.kind == INS_INDEX)
			for (uint32_t j = 0; j < b->at[x.at].at.ndynamic; j++)
				o->dynamic[x.at][j] =
					order_value(o, (uint16_t)b->at[x.at].at.dynamic[j].value, stage);
		o->moved[i] = (uint16_t)o->n;
		o->made_in[i] = stage + 1;
		o->out[o->n++] = x;
	}
	if (o->n > first) k->stage[k->nstage++] = (Stage){first, (uint16_t)o->n, inner};
}

static void make_stages(Builder *b, Kernel *k, Ordering *o)
{
	StagePlace *place = NEW_ARRAY(b->scratch, StagePlace, b->ncode);
	place_instructions(b, place);
	uint16_t last = 0;
	for (uint32_t i = 0; i < b->ncode; i++) last = place[i].pass > last ? place[i].pass : last;
	bool *used = NEW_ARRAY(b->scratch, bool, b->ncode);
	mark_used(b, place, used);
	*o = (Ordering){.b = b, .place = place, .used = used};
	o->out = NEW_ARRAY(b->scratch, Ins, CODE_MAX);
	o->moved = NEW_ARRAY(b->scratch, uint16_t, b->ncode);
	o->made_in = NEW_ARRAY(b->scratch, uint16_t, b->ncode);
	o->dynamic = arena_array(b->scratch, sizeof *o->dynamic, b->nat);
	for (uint16_t pass = 0; pass <= last && pass < 7; pass++) {
		order_stage(o, k, pass, false);
		order_stage(o, k, pass, true);
	}
	if (last >= 7) graph_fail(b->g, ERR_INTERNAL, "a kernel of more than 7 layers of folds");
}

/* ---- numbers ------------------------------------------------------------------------------ */

typedef struct ParamNumbers {
	const Size *size[256];
	uint32_t n;
} ParamNumbers;

static Int number(Builder *b, ParamNumbers *p, const Size *s)
{
	int64_t v;
	if (size_is(s, &v) && v == (int32_t)v) return INT_LITERAL((int32_t)v);
	for (uint32_t i = 0; i < p->n; i++)
		if (p->size[i] == s) return (Int){(int32_t)i, 0};
	if (p->n == countof(p->size)) {
		graph_fail(b->g, ERR_INTERNAL, "a kernel of too many symbolic sizes");
		return INT_LITERAL(0);
	}
	p->size[p->n] = s;
	return (Int){(int32_t)p->n++, 0};
}

static Access final_access(Builder *b, ParamNumbers *p, const KAccess *from, const uint16_t *dynamic)
{
	Access to = {.buffer = (uint8_t)from->buffer, .ndynamic = (uint8_t)from->at.ndynamic};
	to.offset = number(b, p, from->at.offset);
	to.stride = NEW_ARRAY(b->scratch, Int, b->naxis);
	for (uint32_t k = 0; k < b->naxis; k++) to.stride[k] = number(b, p, from->at.coef[k]);
	to.dynamic = NEW_ARRAY(b->scratch, Dynamic, to.ndynamic);
	for (uint32_t k = 0; k < to.ndynamic; k++) {
		to.dynamic[k].value = dynamic[k];
		to.dynamic[k].stride = number(b, p, from->at.dynamic[k].coef);
		to.dynamic[k].extent = number(b, p, from->at.dynamic[k].extent);
	}
	return to;
}

/* ---- constants ------------------------------------------------------------------------- */

/* Is it 0, a power of two, infinite or NaN?  Code that knows those is faster: x/4 is a product. */
static bool is_plain(Dtype d, uint64_t bits)
{
	int fraction = dtype_digits(d) - 1;
	uint64_t exponent = (1ull << (8 * dtype_bytes(d) - (size_t)dtype_digits(d))) - 1;
	return !(bits & ((1ull << fraction) - 1)) || (bits >> fraction & exponent) == exponent;
}

/* Other constants of floats, and numbers that are an index (x[7]), are given by the step, so that kernels
 * that differ in them alone are one; but for exponents, which are few and worth knowing. */
static const uint64_t *give_constants(Builder *b, Kernel *k)
{
	bool *exponent = NEW_ARRAY(b->scratch, bool, k->ncode);
	bool *index = NEW_ARRAY(b->scratch, bool, k->ncode);
	uint64_t *given = NEW_ARRAY(b->scratch, uint64_t, k->ncode);
	for (uint32_t i = 0; i < k->ncode; i++)
		if (k->code[i].kind == INS_MAP && k->code[i].op == OP_POW) exponent[k->code[i].b] = true;
	for (uint32_t i = 0; i < k->nat; i++)
		for (uint32_t j = 0; j < k->at[i].ndynamic; j++) index[k->at[i].dynamic[j].value] = true;
	for (uint32_t i = 0; i < k->ncode; i++) {
		Ins *x = &k->code[i];
		Dtype d = (Dtype)x->dtype;
		bool is_given = index[i] || (dtype_is_float(d) && !exponent[i] && !is_plain(d, x->bits));
		if (x->kind != INS_CONST || !is_given) continue;
		given[k->nconstant] = x->bits;
		x->kind = INS_GIVEN;
		x->bits = k->nconstant++;
	}
	return given;
}

static const char *describe(Builder *b, Node *root)
{
	const char *op = op_info[root->op].text;
	for (Origin *o = root->origin; o; o = o->next)
		if (o->name) return arena_printf(b->scratch, "%s (%s)", op, o->name);
	return op;
}

static const char *describe_all(Builder *b, uint32_t n, Node *const *root)
{
	Text t;
	if (n == 1) return describe(b, root[0]);
	text_open(&t, b->scratch);
	for (uint32_t i = 0; i < n; i++) text_printf(&t, "%s%s", i ? ", " : "", describe(b, root[i]));
	return text_done(&t);
}

void kernel_finish(Builder *b, uint32_t nroot, Node *const *root)
{
	PlanMaker *m = b->m;
	folds_write_out(b);
	if (b->recipe == RECIPE_ROWS && !b->rows) b->nrow = 0;
	merge_axes(b);
	if (b->recipe == RECIPE_ROWS && !b->rows) /* a map: the last axis inside, the others rows */
		b->nrow = b->naxis ? b->naxis - 1 : 0;
	if (m->g->error.code) /* a size that overflows */
		return;
	Kernel *k = NEW(b->scratch, Kernel);
	k->recipe = (uint8_t)b->recipe;
	k->naxis = (uint8_t)b->naxis;
	k->nrow = (uint8_t)b->nrow;
	k->nfold = (uint8_t)b->nfold;
	k->stage = NEW_ARRAY(b->scratch, Stage, STAGES_MAX);
	Ordering o;
	make_stages(b, k, &o);
	ParamNumbers p = {.n = 0};
	k->extent = NEW_ARRAY(b->scratch, Int, b->naxis);
	for (uint32_t i = 0; i < b->naxis; i++) k->extent[i] = number(b, &p, b->extent[i]);
	k->buffer = NEW_ARRAY(b->scratch, KernelBuffer, b->nbuffer);
	k->nbuffer = (uint8_t)b->nbuffer;
	for (uint32_t i = 0; i < b->nbuffer; i++) {
		k->buffer[i].dtype = m->plan->buffer[b->buffer[i]].dtype;
		k->buffer[i].written = b->written[i];
	}
	k->at = NEW_ARRAY(b->scratch, Access, b->nat);
	k->nat = (uint16_t)b->nat;
	for (uint32_t i = 0; i < b->nat; i++) k->at[i] = final_access(b, &p, &b->at[i], o.dynamic[i]);
	k->code = o.out;
	k->ncode = (uint16_t)o.n;
	k->nparam = (uint16_t)p.n;
	StepCall c = {.nbuffer = (uint16_t)b->nbuffer, .nparam = (uint16_t)p.n};
	c.rules = describe_all(b, nroot, root);
	const uint64_t *given = give_constants(b, k);
	c.nconstant = k->nconstant;
	c.kernel = kernel_intern(m, k);
	uint64_t *constant = NEW_ARRAY(b->scratch, uint64_t, c.nconstant + p.n);
	uint32_t *param = (uint32_t *)(constant + c.nconstant);
	memcpy(constant, given, c.nconstant * sizeof *given);
	for (uint32_t i = 0; i < p.n; i++) param[i] = dim_of(m, p.size[i]);
	c.param = param;
	Step *s = step_call(m, STEP_KERNEL, root[0], &c, b->buffer);
	s->indices = indices_told(m, nroot, root);
}
