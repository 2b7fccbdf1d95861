/* form.c - what can be said of a kernel before it is printed: which values are kept, formed again, or stand
 * still. */
#include "c_kernel.h"

uint32_t ins_operands(const Kernel *k, const Ins *x, uint16_t operand[5])
{
	uint32_t n = 0, count = 0;
	switch ((InsKind)x->kind) {
	case INS_MAP: count = (uint32_t)op_info[x->op].args; break;
	case INS_KEY_A:
	case INS_KEY_B:
	case INS_RANDOM: count = 3; break;
	case INS_FOLD:
	case INS_STORE: count = 1; break;
	default: break;
	}
	const uint16_t all[3] = {x->a, x->b, x->c};
	for (; n < count && n < 3; n++) operand[n] = all[n];
	const Access *a = ins_access(k, x);
	for (uint32_t d = 0; a && d < a->ndynamic; d++) operand[n++] = a->dynamic[d].value;
	return n;
}

const Access *ins_access(const Kernel *k, const Ins *x)
{
	bool has = x->kind == INS_LOAD || x->kind == INS_STORE || x->kind == INS_INDEX;
	return has ? &k->at[x->at] : NULL;
}

static bool access_moves(const Access *a, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		if (!int_is(a->stride[i], 0)) return true;
	return false;
}

bool is_argfold(const Ins *x)
{
	return x->op == OP_ARGMAX || x->op == OP_ARGMIN;
}

bool is_ordered(const Ins *x)
{
	Dtype d = fold_accumulator(x);
	return (x->op == OP_SUM || x->op == OP_PROD) && (dtype_is_float(d) || dtype_is_complex(d));
}

bool stage_folds(const Kernel *k, uint32_t s)
{
	for (uint32_t i = k->stage[s].first; i < k->stage[s].end; i++)
		if (k->code[i].kind == INS_FOLD) return true;
	return false;
}

static bool stores_before(const Kernel *k, uint32_t stage)
{
	for (uint32_t s = 0; s < stage; s++)
		for (uint32_t i = k->stage[s].first; i < k->stage[s].end; i++)
			if (k->code[i].kind == INS_STORE) return true;
	return false;
}

/* Inner axes of a stage: in CHAIN's stage 0 the folded axes are among them. */
static uint32_t first_inner(const Kernel *k)
{
	return k->nrow;
}

/* ---- values across stages ------------------------------------------------------------------ */

/* Constants, parameters, indices, maps of those; loads, while nothing has been stored before the last stage
 * that uses them (an output may lie where an input does). */
static void find_again(Form *f)
{
	const Kernel *k = f->k;
	for (uint32_t i = 0; i < k->ncode; i++) {
		const Ins *x = &k->code[i];
		const Access *a = ins_access(k, x);
		uint16_t operand[5];
		uint32_t n = ins_operands(k, x, operand);
		switch ((InsKind)x->kind) {
		case INS_CONST:
		case INS_GIVEN:
		case INS_PARAM: f->again[i] = true; break;
		case INS_INDEX: f->again[i] = a->ndynamic == 0; break;
		case INS_LOAD: f->again[i] = a->ndynamic == 0 && !k->buffer[a->buffer].written; break;
		case INS_MAP:
			f->again[i] = true;
			for (uint32_t o = 0; o < n; o++)
				f->again[i] &= f->again[operand[o]] && k->code[operand[o]].kind != INS_LOAD &&
					f->still[operand[o]];
			break;
		default: break;
		}
		for (uint32_t o = 0; o < n; o++)
			if (f->stage[operand[o]] != f->stage[i] && k->code[operand[o]].kind == INS_LOAD &&
				stores_before(k, f->stage[i]))
				f->again[operand[o]] = false;
	}
}

/* Is operand o of an instruction of stage s at rest along the last axis? */
static bool operand_still(const Form *f, uint32_t o, uint32_t s)
{
	bool row = f->stage[o] != NOT_STAGED && !f->k->stage[f->stage[o]].inner;
	if (f->k->code[o].kind == INS_FOLD) return f->k->recipe == RECIPE_ROWS;
	return row || ((f->stage[o] == s || f->again[o]) && f->still[o]);
}

static void find_still(Form *f)
{
	const Kernel *k = f->k;
	uint32_t last = has_inner_axis(k) ? (uint32_t)k->naxis - 1 : k->naxis;
	for (uint32_t i = 0; i < k->ncode; i++) {
		const Ins *x = &k->code[i];
		const Access *a = ins_access(k, x);
		uint16_t operand[5];
		uint32_t n = ins_operands(k, x, operand);
		bool still = x->kind != INS_STORE && x->kind != INS_FOLD;
		still &= !(x->kind == INS_LOAD && k->buffer[a->buffer].written);
		still &= !(a && access_moves(a, last, k->naxis));
		for (uint32_t o = 0; o < n; o++) still &= operand_still(f, operand[o], f->stage[i]);
		f->still[i] = still;
	}
}

/* A value of an inner stage that another stage uses is kept, unless it is a fold's or formed again. */
static bool find_kept(Form *f)
{
	const Kernel *k = f->k;
	for (uint32_t i = 0; i < k->ncode; i++) {
		uint16_t operand[5];
		uint32_t n = ins_operands(k, &k->code[i], operand), s = f->stage[i];
		for (uint32_t o = 0; o < n; o++) {
			uint32_t v = operand[o], from = f->stage[v];
			if (v >= i || k->code[v].kind == INS_STORE ||
				(k->code[v].kind == INS_FOLD && from == s))
				return false;
			if (from == s || k->code[v].kind == INS_FOLD || !k->stage[from].inner) continue;
			const Access *a = ins_access(k, &k->code[v]);
			uint32_t last = k->recipe == RECIPE_CHAIN ? k->nfold : k->naxis;
			if (f->again[v] && (k->stage[s].inner && k->recipe == RECIPE_ROWS)) continue;
			if (f->again[v] && !(a && access_moves(a, first_inner(k), last))) continue;
			if (!k->stage[s].inner || k->recipe == RECIPE_CHAIN) return false;
			f->kept[v] = true;
		}
	}
	return true;
}

void stage_needs(const Form *f, uint32_t s, bool *need)
{
	const Kernel *k = f->k;
	memset(need, 0, k->ncode);
	for (uint32_t i = k->stage[s].first; i < k->stage[s].end; i++) need[i] = true;
	for (uint32_t i = k->stage[s].end; i-- > 0;) {
		uint16_t operand[5];
		if (!need[i] || (f->stage[i] != s && !f->again[i])) continue;
		uint32_t n = ins_operands(k, &k->code[i], operand);
		for (uint32_t o = 0; o < n; o++) {
			uint32_t v = operand[o];
			need[v] |= f->again[v] || f->kept[v] ||
				(k->recipe == RECIPE_CHAIN && k->code[v].kind == INS_FOLD);
		}
	}
}

/* ---- what the stages are ----------------------------------------------------------------------- */

static bool find_stages(Form *f)
{
	const Kernel *k = f->k;
	memset(f->stage, NOT_STAGED, k->ncode);
	for (uint32_t s = 0; s < k->nstage; s++) {
		if (k->stage[s].end > k->ncode || k->stage[s].first > k->stage[s].end) return false;
		for (uint32_t i = k->stage[s].first; i < k->stage[s].end; i++) f->stage[i] = (uint8_t)s;
		if (!k->stage[s].inner && stage_folds(k, s)) return false;
	}
	for (uint32_t i = 0; i < k->ncode; i++) {
		uint16_t operand[5];
		uint32_t n = ins_operands(k, &k->code[i], operand);
		for (uint32_t o = 0; o < n; o++)
			if (operand[o] >= i) return false; /* it comes later */
		if (f->stage[i] == NOT_STAGED) return false;
	}
	if (k->recipe == RECIPE_CHAIN)
		return k->nstage == 2 && k->stage[0].inner && k->stage[1].inner && stage_folds(k, 0) &&
			!stage_folds(k, 1);
	return true;
}

/* Terms are laid down first when lanes differ, an index is looked for, the inner index has several axes,
 * forming them is dear (so that it is printed once), or a vector of what is read has more elements than there
 * are lanes, of which compilers make no vectors. */
static bool is_direct(const Form *f, uint32_t i)
{
	const Kernel *k = f->k;
	const Ins *x = &k->code[i];
	if (x->kind != INS_FOLD || k->recipe != RECIPE_ROWS || k->naxis != k->nrow + 1) return false;
	const Ins *from = &k->code[x->a];
	if (from->kind != INS_LOAD) return false;
	const Access *a = &k->at[from->at];
	return f->stage[x->a] == f->stage[i] && a->ndynamic == 0 && int_is(a->stride[k->nrow], 1) &&
		k->buffer[a->buffer].dtype == fold_accumulator(x) && x->from == fold_accumulator(x);
}

/* Of what a stage reads, as many as the largest vector has. */
static uint32_t vector_elements(const Form *f, uint32_t s, bool *need)
{
	enum { VECTOR_BYTES = 64 };
	const Kernel *k = f->k;
	uint32_t elements = 0;
	stage_needs(f, s, need);
	for (uint32_t i = 0; i < k->ncode; i++) {
		const Ins *x = &k->code[i];
		if (!need[i] || x->kind != INS_LOAD || f->still[i]) continue;
		size_t bytes = dtype_bytes((Dtype)k->buffer[k->at[x->at].buffer].dtype);
		uint32_t most = VECTOR_BYTES / (uint32_t)bytes;
		elements = most > elements ? most : elements;
	}
	return elements;
}

static bool is_heavy(const Form *f, uint32_t s, bool *need)
{
	const Kernel *k = f->k;
	uint32_t weight = 0, lanes = 0, fewest = UINT32_MAX;
	bool all = true;
	for (uint32_t i = k->stage[s].first; i < k->stage[s].end; i++)
		all &= f->direct[i] || k->code[i].kind == INS_LOAD;
	if (all) return true;
	if (k->naxis > k->nrow + 1) return true;
	for (uint32_t i = k->stage[s].first; i < k->stage[s].end; i++) {
		const Ins *x = &k->code[i];
		const Access *a = ins_access(k, x);
		if ((a && a->ndynamic) || x->kind == INS_RANDOM || x->kind == INS_KEY_A ||
			x->kind == INS_KEY_B)
			return true;
		if (x->kind == INS_MAP) {
			char name[40];
			map_function(x, name);
			weight += math_weight(name);
		}
		if (x->kind != INS_FOLD) continue;
		if (is_argfold(x) || (is_ordered(x) && lanes && lanes != ins_lanes(x))) return true;
		lanes = is_ordered(x) ? ins_lanes(x) : lanes;
		fewest = ins_lanes(x) < fewest ? ins_lanes(x) : fewest;
	}
	return weight > 400 || vector_elements(f, s, need) > fewest;
}

/* One row, one inner stage: its blocks can be shared among threads. */
static bool can_split(const Form *f)
{
	const Kernel *k = f->k;
	uint32_t inner = 0;
	bool folds = false;
	if (k->nrow || k->recipe == RECIPE_CHAIN) return k->nrow == 0;
	for (uint32_t s = 0; s < k->nstage; s++) {
		inner += k->stage[s].inner;
		folds |= stage_folds(k, s);
		for (uint32_t i = k->stage[s].first; i < k->stage[s].end; i++)
			if (k->code[i].kind == INS_STORE && inner == 0) return false;
	}
	return inner == 1 && folds;
}

/* ---- sizes ------------------------------------------------------------------------------------------ */

static uint32_t size_class(uint32_t bytes)
{
	return (uint32_t)__builtin_ctz(bytes);
}

/* All chains of a kernel, which stand in the nearest cache while the folded index walks on. */
enum { CHAIN_BYTES = 16384 };

static void find_sizes(Form *f)
{
	const Kernel *k = f->k;
	KernelForm *z = &f->sizes;
	bool by_row = false;
	uint32_t chains = 0;
	*z = (KernelForm){.kernel = k};
	for (uint32_t i = 0; i < k->ncode; i++) {
		const Ins *x = &k->code[i];
		z->kept[size_class(held_bytes((Dtype)x->dtype))] += f->kept[i];
		by_row |= x->kind == INS_FOLD || (x->kind == INS_STORE && !k->stage[f->stage[i]].inner);
		if (x->kind != INS_FOLD) continue;
		uint32_t bytes = held_bytes(fold_accumulator(x));
		z->slot[size_class(bytes)]++;
		z->slot[size_class(sizeof(int64_t))] += is_argfold(x);
		z->fixed += k->recipe == RECIPE_ROWS && f->heavy[f->stage[i]] && !f->direct[i]
			? FOLD_BLOCK * bytes
			: 0;
		z->level += is_argfold(x) ? 0 : bytes;
		chains += bytes + (is_argfold(x) ? sizeof(int64_t) : 0);
	}
	z->splits = can_split(f);
	if (k->recipe == RECIPE_CHAIN)
		z->items = ITEM_CHAIN;
	else if (by_row)
		z->items = ITEM_ROW;
	else
		z->items = ITEM_BLOCK;
	z->wide = chains ? CHAIN_BYTES / chains / CHAIN_BLOCK * CHAIN_BLOCK : 0;
	z->wide = z->wide > CHAIN_BLOCK ? z->wide : CHAIN_BLOCK;
	z->level = k->recipe == RECIPE_CHAIN ? z->level * z->wide : 0;
}

bool form_open(Arena *a, const Kernel *k, Form *f)
{
	*f = (Form){.k = k,
		.stage = NEW_ARRAY(a, uint8_t, k->ncode + 1),
		.kept = NEW_ARRAY(a, bool, k->ncode + 1),
		.direct = NEW_ARRAY(a, bool, k->ncode + 1),
		.again = NEW_ARRAY(a, bool, k->ncode + 1),
		.still = NEW_ARRAY(a, bool, k->ncode + 1)};
	if (k->nstage > STAGES_MAX || k->naxis > AXES_MAX || k->nrow > k->naxis || !find_stages(f))
		return false;
	find_still(f); /* what is formed again depends on what stands still, and the other way round: */
	find_again(f); /* the first pass sees no `again`, and so takes less for still */
	find_still(f);
	if (!find_kept(f)) return false;
	for (uint32_t i = 0; i < k->ncode; i++) f->direct[i] = is_direct(f, i);
	bool *need = NEW_ARRAY(a, bool, k->ncode + 1);
	for (uint32_t s = 0; s < k->nstage; s++)
		f->heavy[s] = k->stage[s].inner && stage_folds(k, s) && is_heavy(f, s, need);
	find_sizes(f);
	return true;
}
