/* kernel.c - the kernel of one root: instructions by demand, from the result down to what is stored.
 *
 * A node is computed at an Index: for each of its axes, an affine function of
 * the kernel's axes (and of computed values, behind a gather).  So views cost
 * nothing: they change the index (index.c).  The same node at the same index is one
 * instruction.  Then axes that every access walks together are merged, and
 * schedule.c puts the instructions in stages.
 */
#include "kernel.h"

/* ---- instructions -------------------------------------------------------------------- */

static uint16_t stop(Builder *b, const Node *force)
{
	if (!b->force) b->force = force;
	b->failed = true;
	return NO_VALUE;
}

/* Of a kernel, what is used up. */
typedef struct Room { uint32_t ncode, nat, nbuffer; } Room;

static Room room_of(const Builder *b)
{
	return (Room){b->ncode, b->nat, b->nbuffer};
}

/* What x has taken since, as a share of that of which it took the most; what would free the most is stored
 * where a kernel is full. */
static void note_room(Builder *b, const Node *x, Room since)
{
	const Groups *gr = b->m->scope->groups;
	uint32_t place = gr ? region_place(b->m->scope->r, x) : UINT32_MAX;
	if (op_info[x->op].class == LEAF || place == UINT32_MAX || gr->root[place]) return;
	uint32_t share[] = {(b->ncode - since.ncode) * WHOLE / CODE_MAX,
		(b->nat - since.nat) * WHOLE / ACCESSES_MAX,
		(b->nbuffer - since.nbuffer) * WHOLE / BUFFERS_MAX};
	for (size_t i = 0; i < countof(share); i++)
		if (share[i] > b->share) {
			b->share = share[i];
			b->dear = x;
		}
}

/* There is no room for more. */
static uint16_t stop_full(Builder *b)
{
	return stop(b, b->dear ? b->dear : b->node);
}

/* Field by field: what lies between the fields is anything. */
static bool same_instruction(const Ins *x, const Ins *y)
{
	return x->kind == y->kind && x->op == y->op && x->dtype == y->dtype && x->from == y->from &&
		x->bits == y->bits; /* operands and access, or the element */
}

uint16_t emit(Builder *b, Ins i)
{
	if (b->failed) return NO_VALUE;
	if (b->ncode == CODE_MAX) return stop_full(b);
	/* The same instruction is one value; in a chain, on the same side of the fold. */
	for (uint32_t k = 0; k < b->ncode; k++)
		if (i.kind != INS_STORE && same_instruction(&b->code[k], &i) &&
			(b->recipe == RECIPE_ROWS || b->made_at[k] == b->phase))
			return (uint16_t)k;
	b->code[b->ncode] = i;
	b->made_at[b->ncode] = (uint8_t)b->phase;
	return (uint16_t)b->ncode++;
}

uint16_t access_add(Builder *b, const KAccess *a)
{
	for (uint32_t i = 0; i < b->nat; i++)
		if (!memcmp(&b->at[i], a, sizeof *a)) return (uint16_t)i;
	if (b->nat == ACCESSES_MAX) {
		stop_full(b);
		return 0;
	}
	GROW(b->scratch, b->at, b->nat, b->at_cap);
	b->at[b->nat] = *a;
	return (uint16_t)b->nat++;
}

KAccess access_of(uint8_t buffer, const Index *at)
{
	KAccess a;
	memset(&a, 0, sizeof a);
	a.buffer = buffer;
	a.at = *at;
	return a;
}

/* The kernel's number of a buffer of the plan. */
static uint8_t slot_of(Builder *b, uint32_t buffer, bool written)
{
	for (uint32_t i = 0; i < b->nbuffer; i++)
		if (b->buffer[i] == buffer) {
			b->written[i] |= written;
			return (uint8_t)i;
		}
	if (b->nbuffer == BUFFERS_MAX) {
		stop_full(b);
		return 0;
	}
	b->buffer[b->nbuffer] = buffer;
	b->written[b->nbuffer] = written;
	return (uint8_t)b->nbuffer++;
}

static uint16_t emit_index(Builder *b, const Index *at)
{
	KAccess a = access_of(NO_BUFFER, at);
	return emit(b, (Ins){.kind = INS_INDEX, .dtype = DT_I64, .at = access_add(b, &a)});
}

static uint16_t emit_load(Builder *b, uint32_t buffer, Dtype d, const Index *at)
{
	KAccess a = access_of(slot_of(b, buffer, false), at);
	return emit(b, (Ins){.kind = INS_LOAD, .dtype = (uint8_t)d, .at = access_add(b, &a)});
}

uint16_t emit_const(Builder *b, Dtype d, uint64_t bits)
{
	return emit(b, (Ins){.kind = INS_CONST, .dtype = (uint8_t)d, .bits = bits});
}

uint16_t emit_cast(Builder *b, uint16_t x, Dtype from, Dtype to)
{
	if (from == to) return x;
	return emit(b,
		(Ins){.kind = INS_MAP, .op = OP_CAST, .dtype = (uint8_t)to, .from = (uint8_t)from, .a = x});
}

/* The 64 bits of a whole number: a cast would make 0 of those below it. */
static uint16_t emit_word(Builder *b, uint16_t x, Dtype d)
{
	if (dtype_is_unsigned(d)) return emit_cast(b, x, d, DT_U64);
	x = emit_cast(b, x, d, DT_I64);
	return emit(b,
		(Ins){.kind = INS_MAP, .op = OP_BIT_OR, .dtype = DT_U64, .from = DT_U64, .a = x, .b = x});
}

/* ---- a node at an index ----------------------------------------------------------------- */

/* A key is two values. */
typedef struct KeyValue {
	uint16_t a, b;
} KeyValue;

static KeyValue eval_key(Builder *b, Node *x, const Index *at)
{
	uint32_t buffer = buffer_of(b->m, x);
	KeyValue k = {NO_VALUE, NO_VALUE};
	if (buffer) {
		Index linear, twice = index_zero(b);
		if (!index_linear(b, x->type, at, &linear) ||
			!index_add(b, &twice, &linear, size_const(b->g, 2))) {
			stop(b, x);
			return k;
		}
		k.a = emit_load(b, buffer - 1, DT_U64, &twice);
		twice.offset = size_add(b->g, twice.offset, size_const(b->g, 1));
		k.b = emit_load(b, buffer - 1, DT_U64, &twice);
	} else if (x->op == OP_KEY) {
		k.a = emit_word(b, value_at(b, x->arg[0], at), node_dtype(x->arg[0]));
		int64_t seed;
		if (constant_integer(x->arg[0], &seed)) k.a = emit_const(b, DT_U64, (uint64_t)seed);
		k.b = emit_const(b, DT_U64, 0);
	} else if (x->op == OP_KEY_AT) {
		KeyValue from = eval_key(b, x->arg[0], at);
		uint16_t i = value_at(b, x->arg[1], at);
		k.a = emit(b, (Ins){.kind = INS_KEY_A, .dtype = DT_U64, .a = from.a, .b = from.b, .c = i});
		k.b = emit(b, (Ins){.kind = INS_KEY_B, .dtype = DT_U64, .a = from.a, .b = from.b, .c = i});
	} else if (x->op == OP_WHERE) {
		Ins half = {.kind = INS_MAP, .op = OP_WHERE, .dtype = DT_U64, .from = DT_U64};
		half.a = value_at(b, x->arg[0], at);
		KeyValue yes = eval_key(b, x->arg[1], at), no = eval_key(b, x->arg[2], at);
		half.b = yes.a;
		half.c = no.a;
		k.a = emit(b, half);
		half.b = yes.b;
		half.c = no.b;
		k.b = emit(b, half);
	} else if (x->op == OP_CONST && constant_is_uniform(x)) {
		uint64_t w[2];
		memcpy(w, constant_bytes(x), 16);
		k.a = emit_const(b, DT_U64, w[0]);
		k.b = emit_const(b, DT_U64, w[1]);
	} else {
		/* views and gathers of keys: the same key at another index */
		Node *inner;
		Index to[RANK_MAX];
		if (view_index(b, x, at, &inner, to)) return eval_key(b, inner, to);
		stop(b, x);
	}
	return k;
}

/* The value v of x, which does not hang on its axes, where computed indices are checked all the same: those
 * of the axes that `asked` marks (NULL: of all). */
static uint16_t checked_value(Builder *b, const Node *x, const Index *at, const bool *asked, uint16_t v)
{
	Index all = index_zero(b);
	uint8_t d = (uint8_t)node_dtype(x);
	for (uint32_t i = 0; i < node_rank(x); i++)
		if (at[i].ndynamic && (!asked || asked[i]) &&
			!index_add(b, &all, &at[i], size_const(b->g, 1)))
			return stop(b, x);
	if (!all.ndynamic) return v;
	uint16_t i = emit_index(b, &all);
	uint16_t same = emit(
		b, (Ins){.kind = INS_MAP, .op = OP_EQ, .dtype = DT_BOOL, .from = DT_I64, .a = i, .b = i});
	return emit(b,
		(Ins){.kind = INS_MAP, .op = OP_WHERE, .dtype = d, .from = d, .a = same, .b = v, .c = v});
}

/* Repeated along new axes: an index that was computed for one of those is checked, and not used. */
static uint16_t eval_expand(Builder *b, Node *x, const Index *at)
{
	bool new[RANK_MAX] = {false};
	Index to[RANK_MAX];
	for (uint32_t k = 0; k < attr_count(x); k += 2) new[attr_int(x, k)] = true;
	for (uint32_t i = 0, from = 0; i < node_rank(x); i++)
		if (!new[i]) to[from++] = at[i];
	return checked_value(b, x, at, new, value_at(b, x->arg[0], to));
}

uint32_t constant_buffer(PlanMaker *m, const Node *x)
{
	Plan *p = m->plan;
	uint32_t buffer = buffer_new(m, x->type, SPACE_CONST);
	size_t bytes = x->attr->v[0].u.data->bytes;
	void *copy = arena_alloc_aligned(p->arena, bytes + 1, 64);
	memcpy(copy, constant_bytes(x), bytes);
	GROW(m->scratch, p->constant, p->nconstant, m->constant_cap);
	p->buffer[buffer].constant = p->nconstant;
	p->constant[p->nconstant++] = (Elements){copy, bytes};
	return buffer;
}

static uint16_t eval_constant(Builder *b, Node *x, const Index *at)
{
	if (constant_is_uniform(x)) {
		uint64_t bits = 0;
		memcpy(&bits, constant_bytes(x), dtype_bytes(node_dtype(x)));
		return checked_value(b, x, at, NULL, emit_const(b, node_dtype(x), bits));
	}
	Index linear;
	if (!index_linear(b, x->type, at, &linear)) return stop(b, x);
	uint32_t buffer = constant_buffer(b->m, x);
	return emit_load(b, buffer, node_dtype(x), &linear);
}

/* A fold computed on the way: its operand over the kernel's folded axes. */
static uint16_t eval_fold(Builder *b, Node *x, const Index *at)
{
	Index whole[RANK_MAX];
	Node *y = x->arg[0];
	if (!b->rows || b->rows->attr != x->attr || (b->recipe == RECIPE_CHAIN && b->phase))
		return stop(b, x);
	for (uint32_t i = 0, kept = 0, folded = 0; i < node_rank(y); i++) {
		bool fold = fold_takes(x, i);
		int axis = fold ? b->folded_axis[folded++] : b->kept_axis[kept++];
		Index want = axis < 0 ? index_zero(b) : index_axis(b, (uint32_t)axis);
		if (DIM(b->rows->arg[0]->type, i) != node_dim(y, i)) return stop(b, x);
		/* the row must be this row */
		if (!fold && axis >= 0 && memcmp(&at[kept - 1], &want, sizeof want)) return stop(b, x);
		whole[i] = want;
	}
	b->phase++;
	uint16_t v = value_at(b, y, whole);
	b->phase--;
	return emit(b,
		(Ins){.kind = INS_FOLD,
			.op = x->op,
			.dtype = (uint8_t)node_dtype(x),
			.from = (uint8_t)node_dtype(y),
			.a = v});
}

static uint16_t eval_random(Builder *b, Node *x, const Index *at)
{
	/* a key for each element, or for all along the axes behind those of the keys */
	bool own = x->op == OP_GAMMA_DRAW;
	Index linear;
	uint32_t keys = node_rank(x->arg[0]);
	const Type *of_key = type_array(b->g, node_dtype(x), node_rank(x) - keys, x->type->u.dim + keys);
	if (!own && (!of_key || !index_linear(b, of_key, at + keys, &linear))) return stop(b, x);
	KeyValue k = eval_key(b, x->arg[0], at);
	return emit(b,
		(Ins){.kind = INS_RANDOM,
			.op = x->op,
			.dtype = (uint8_t)node_dtype(x),
			.a = k.a,
			.b = k.b,
			.c = own ? value_at(b, x->arg[1], at) : emit_index(b, &linear)});
}

/* x - c is c' + x of the constant with the other sign, so that kernels do not differ by the signs of
 * constants. */
static uint16_t eval_less(Builder *b, Node *x, const Index *at)
{
	Dtype d = node_dtype(x);
	uint64_t bits = 0;
	memcpy(&bits, constant_bytes(x->arg[1]), dtype_bytes(d));
	bits ^= 1ull << (8 * dtype_bytes(d) - 1);
	uint16_t c = emit_const(b, d, bits), v = value_at(b, x->arg[0], at);
	return emit(b,
		(Ins){.kind = INS_MAP,
			.op = OP_ADD,
			.dtype = (uint8_t)d,
			.from = (uint8_t)d,
			.a = c,
			.b = v});
}

static uint16_t eval_map(Builder *b, Node *x, const Index *at)
{
	uint16_t v[3] = {0};
	Node *typed = x->arg[op_info[x->op].dtype == SELECT ? 1 : 0];
	if (x->op == OP_SUB && dtype_is_float(node_dtype(x)) && constant_is_uniform(x->arg[1]))
		return eval_less(b, x, at);
	for (int i = 0; i < op_info[x->op].args; i++) v[i] = value_at(b, x->arg[i], at);
	if (x->op == OP_STOP ||
		((x->op == OP_RE || x->op == OP_CONJ) && !dtype_is_complex(node_dtype(typed))))
		return v[0];
	if (x->op == OP_IM && !dtype_is_complex(node_dtype(typed))) return emit_const(b, node_dtype(x), 0);
	return emit(b,
		(Ins){.kind = INS_MAP,
			.op = x->op,
			.dtype = (uint8_t)node_dtype(x),
			.from = (uint8_t)node_dtype(typed),
			.a = v[0],
			.b = v[1],
			.c = v[2]});
}

static uint16_t eval_fresh(Builder *b, Node *x, const Index *at)
{
	Index to[RANK_MAX];
	Node *inner;
	uint32_t buffer = buffer_of(b->m, x);
	b->node = x;
	if (dtype_is_complex(node_dtype(x))) {
		graph_fail(b->g, ERR_UNSUPPORTED, "complex numbers run on the reference tier only");
		return stop(b, NULL);
	}
	if (buffer) {
		Index linear;
		if (!index_linear(b, x->type, at, &linear)) return stop(b, x);
		return emit_load(b, buffer - 1, node_dtype(x), &linear);
	}
	switch (op_info[x->op].class) {
	case LEAF:
		if (x->op == OP_CONST) return eval_constant(b, x, at);
		if (x->op == OP_IOTA) return emit_index(b, at);
		if (x->op == OP_SIZE) {
			Index size = index_zero(b);
			size.offset = x->attr->v[0].u.size;
			return emit_index(b, &size);
		}
		break;
	case MAP: return eval_map(b, x, at);
	case FOLD: return eval_fold(b, x, at);
	case CONTRACT: return product_at(b, x, at);
	case RANDOM: return eval_random(b, x, at);
	case INDEX:
		if (x->op == OP_ONE_HOT) {
			uint16_t i = emit_cast(b, value_at(b, x->arg[0], at), node_dtype(x->arg[0]), DT_I64);
			uint16_t j = emit_index(b, &at[node_rank(x) - 1]);
			uint16_t same = emit(b,
				(Ins){.kind = INS_MAP,
					.op = OP_EQ,
					.dtype = DT_BOOL,
					.from = DT_I64,
					.a = i,
					.b = j});
			return emit_cast(b, same, DT_BOOL, node_dtype(x));
		}
		break;
	default: break;
	}
	/* A reshape that merges is walked in its operand's memory. */
	if (x->op == OP_RESHAPE && buffer_of(b->m, x->arg[0])) {
		Index linear;
		if (!index_linear(b, x->type, at, &linear)) return stop(b, x);
		return emit_load(b, buffer_of(b->m, x->arg[0]) - 1, node_dtype(x), &linear);
	}
	if (x->op == OP_EXPAND) return eval_expand(b, x, at);
	if (view_index(b, x, at, &inner, to)) return value_at(b, inner, to);
	return stop(b, x->op == OP_RESHAPE && !buffer_of(b->m, x->arg[0]) ? x->arg[0] : x);
}

uint16_t value_at(Builder *b, Node *x, const Index *at)
{
	if (b->failed) return NO_VALUE;
	uint32_t n = node_rank(x);
	uint32_t phase =
		b->recipe == RECIPE_CHAIN ? b->phase : 0; /* both sides of the fold see different axes */
	uint32_t h = hash_mix(x->id, phase);
	for (uint32_t i = 0; i < n; i++) {
		h = hash_mix(h, at[i].offset->id);
		for (uint32_t k = 0; k < b->naxis; k++) h = hash_mix(h, at[i].coef[k]->id);
		h = hash_mix(h, at[i].ndynamic ? at[i].dynamic[0].value + 1u : 0);
	}
	for (uint32_t i = 0; i < b->nmemo; i++) {
		Memo *m = &b->memo[i];
		if (m->hash == h && m->x == x && m->phase == phase &&
			(!n || !memcmp(m->at, at, n * sizeof *at)))
			return m->value;
	}
	Room before = room_of(b);
	uint16_t v = eval_fresh(b, x, at);
	if (!b->failed) {
		note_room(b, x, before);
		GROW(b->scratch, b->memo, b->nmemo, b->memo_cap);
		Memo *m = &b->memo[b->nmemo++];
		*m = (Memo){.hash = h, .x = x, .phase = phase, .value = v};
		m->at = NEW_ARRAY(b->scratch, Index, n);
		if (n) memcpy(m->at, at, n * sizeof *at);
	}
	return v;
}

/* ---- the root ------------------------------------------------------------------------------ */

/* The kernel's axes from the root's shape (a map) or from the fold whose rows it walks; axes of size 1 are
 * none. */
static void choose_axes(Builder *b, Node *x)
{
	const Node *rows = b->rows;
	const Type *t = rows ? rows->arg[0]->type : x->type;
	uint32_t kept = 0, folded = 0, last_folded = 0;
	for (uint32_t i = 0; rows && i < t->n; i++) last_folded = fold_takes(rows, i) ? i : last_folded;
	b->recipe = rows && !fold_takes_last(rows) ? RECIPE_CHAIN : RECIPE_ROWS;
	/* rows, then folded axes, then (chains) the kept axes after the last folded one */
	for (int pass = 0; pass < 3; pass++) {
		kept = folded = 0;
		for (uint32_t i = 0; i < t->n; i++) {
			bool fold = rows && fold_takes(rows, i);
			int *slot = fold ? &b->folded_axis[folded++] : &b->kept_axis[kept++];
			int mine = 0;
			if (fold)
				mine = 1;
			else if (b->recipe == RECIPE_CHAIN && i > last_folded)
				mine = 2;
			if (mine != pass) continue;
			*slot = -1;
			if (size_equals(DIM(t, i), 1)) continue;
			*slot = (int)b->naxis;
			b->extent[b->naxis] = DIM(t, i);
			b->naxis++;
		}
		if (pass == 0) b->nrow = b->naxis;
		if (pass == 1) b->nfold = b->naxis;
	}
}

/* The index of the root itself: its axes are the kernel's, whole or kept ones. */
static void root_index(Builder *b, Node *x, Index *at)
{
	const Node *rows = b->rows;
	bool whole = !rows ||
		(node_rank(x) == node_rank(rows->arg[0]) && x != rows && node_rank(x) != node_rank(rows));
	for (uint32_t i = 0, kept = 0, folded = 0; i < node_rank(x); i++) {
		bool fold = rows && whole && fold_takes(rows, i);
		int axis = fold ? b->folded_axis[folded++] : b->kept_axis[kept++];
		at[i] = axis < 0 ? index_zero(b) : index_axis(b, (uint32_t)axis);
	}
}

void kernel_store(Builder *b, Node *x, const Index *at, uint32_t buffer, const StoreTarget *target)
{
	Index linear = index_zero(b);
	const Size *two = size_const(b->g, 2);
	if (target) {
		linear.offset = target->offset;
		for (uint32_t i = 0; i < node_rank(x); i++) index_add(b, &linear, &at[i], target->stride[i]);
	} else {
		index_linear(b, x->type, at, &linear);
	}
	if (node_dtype(x) == DT_KEY) {
		KeyValue k = eval_key(b, x, at);
		Index twice = index_zero(b);
		index_add(b, &twice, &linear, two);
		KAccess a = access_of(slot_of(b, buffer, true), &twice);
		emit(b, (Ins){.kind = INS_STORE, .dtype = DT_U64, .a = k.a, .at = access_add(b, &a)});
		a.at.offset = size_add(b->g, a.at.offset, size_const(b->g, 1));
		emit(b, (Ins){.kind = INS_STORE, .dtype = DT_U64, .a = k.b, .at = access_add(b, &a)});
		return;
	}
	uint16_t v = value_at(b, x, at);
	KAccess a = access_of(slot_of(b, buffer, true), &linear);
	emit(b, (Ins){.kind = INS_STORE, .dtype = (uint8_t)node_dtype(x), .a = v, .at = access_add(b, &a)});
}

/* A chain whose fold lies in memory, because another kernel wanted it there. */
static bool lacks_fold(const Builder *b)
{
	for (uint32_t i = 0; i < b->ncode; i++)
		if (b->code[i].kind == INS_FOLD) return false;
	return b->recipe == RECIPE_CHAIN;
}

static bool make(Builder *b, Node *x, uint32_t buffer, const StoreTarget *target, const Node **force)
{
	PlanMaker *m = b->m;
	uint32_t at_place = region_place(m->scope->r, x);
	b->node = x;
	bool copied = at_place == UINT32_MAX || buffer_of(m, x) || !m->scope->groups->root[at_place];
	b->rows = copied ? NULL : m->scope->groups->rows[at_place];
	Index at[RANK_MAX];
	choose_axes(b, x);
	root_index(b, x, at);
	kernel_store(b, x, at, buffer, target);
	if (m->g->error.code) return false;
	if (b->failed) {
		*force = b->force;
		if (!b->force && !m->g->error.code)
			graph_fail(m->g, ERR_INTERNAL, "%s: no kernel for it", op_info[x->op].text);
		return false;
	}
	if (lacks_fold(b)) {
		m->scope->groups->rows[at_place] = NULL;
		return kernel_make(m, x, buffer, target, force);
	}
	kernel_finish(b, 1, &x);
	return !m->g->error.code;
}

/* Does x lie somewhere, in whatever shape? */
static bool is_stored(PlanMaker *m, Node *x)
{
	while (x->op == OP_RESHAPE) x = x->arg[0];
	return buffer_of(m, x) != 0;
}

bool kernel_make(PlanMaker *m, Node *x, uint32_t buffer, const StoreTarget *target, const Node **force)
{
	Step **made = m->tail;
	Arena *scratch = arena_child(m->scratch);
	Builder *b = NEW(scratch, Builder);
	b->m = m;
	b->g = m->g;
	b->scratch = scratch;
	*force = NULL;
	bool good = make(b, x, buffer, target, force);
	if (good && !target) (*made)->moves = is_stored(m, x);
	arena_free(scratch);
	return good;
}

/* ---- one value everywhere ------------------------------------------------------------------------- */

bool kernel_fill(PlanMaker *m, const Type *t, uint32_t buffer)
{
	const Node *force;
	Step **made = m->tail;
	if (!kernel_make(m, constant_int(m->g, t, 0), buffer, NULL, &force)) return false;
	(*made)->fills = true;
	return true;
}
