/* check_table.c - the lines of the tables of derivatives against numbers.
 *
 * A differential must equal the central difference in binary128 wherever the
 * operator is finite on both sides; a transpose must satisfy <g, L dx> = <L' g, dx>,
 * L being the differential by one operand; what an op gives for all of an axis must
 * be what it gives for each.
 */
#include "check.h"

enum { TABLE_TRIALS = 60, TABLE_MOST = 600, TABLE_LEAST = 100 };

typedef struct TableSeen {
	uint64_t samples, met, trials;
	Quad error;
} TableSeen;

typedef struct TableLine {
	Instance in;
	Node *tangent[2 * RULE_VARIABLES];
	Node *cotangent;
	Value *values; /* of its inputs, once they are wanted */
} TableLine;

static void say_line(Text *t, const Rule *r, const char *what, double is, double should)
{
	text_printf(t, "rule %s: %s is ", r->name, what);
	text_number(t, is, 64);
	text_add(t, ", should be ");
	text_number(t, should, 64);
}

static Quad size_of(Quad x)
{
	return x < 0 ? -x : x;
}

static uint32_t array_results(Graph *g, Node *x, Node **out)
{
	if (x->type->kind == TYPE_ARRAY) {
		out[0] = x;
		return 1;
	}
	for (uint32_t i = 0; i < x->type->n; i++) out[i] = get(g, x, i);
	return x->type->n;
}

/* NULL: they cannot be computed, as with an index outside; another sample will do. */
static Value *run(const Instance *in, uint32_t n, Node *const *result, const Value *v)
{
	Graph *g = in->m.g;
	Arena *a = in->m.scratch;
	Closure c = {0};
	Value *out = NEW_ARRAY(a, Value, n);
	bool good = function_close(g, (Title){.name = "check"}, (Nodes){in->ninput, in->input}, (Nodes){n,
		result}, &c) &&
		!c.ncapture && evaluates(g, a, c.function, v, out, true);
	return good ? out : NULL;
}

/* Real numbers in an array: two for each complex one, none where there is no derivative. */
static int64_t reals(const Value *v)
{
	if (dtype_is_float(v->dtype)) return v->count;
	if (dtype_is_complex(v->dtype)) return 2 * v->count;
	return 0;
}

/* The inputs moved by h times their tangents. */
static Value *moved(const TableLine *l, const Value *v, double h)
{
	Arena *a = l->in.m.scratch;
	Value *w = NEW_ARRAY(a, Value, l->in.ninput);
	uint32_t n = l->in.ninput / 2;
	memcpy(w, v, l->in.ninput * sizeof *w);
	for (uint32_t k = 0; k < n; k++) {
		Quad *q = arena_alloc(a, (size_t)(reals(&v[k]) + 1) * sizeof *q);
		if (!reals(&v[k])) continue;
		for (int64_t i = 0; i < reals(&v[k]); i++)
			q[i] = ((Quad *)v[k].data)[i] + (Quad)h * ((Quad *)v[n + k].data)[i];
		w[k].data = q;
	}
	return w;
}

/* Values lie about the numbers that the meaning of an op names, too. */
static void know_meaning(Instance *in)
{
	Graph *g = in->m.g;
	double value;
	in->near = library_name(in->m.node);
	Node *x = in->near ? expand_op(g, in->m.node) : NULL;
	Region *r = x && !g->error.code ? region_of(in->m.scratch, 1, &x) : NULL;
	for (uint32_t i = 0; r && i < r->n && in->nedge < EDGES; i++)
		if (literal_value(r->node[i], &value) && isfinite(value))
			in->edge[in->nedge++] = (Edge){value, UINT32_MAX};
}

/* An instance, and behind its inputs as many tangents. */
static bool open_line(TableLine *l, Graph *g, const Rule *r, Random *random, int mode)
{
	Instance *in = &l->in;
	if (!instance_open(in, g, r, random, r->complex ? DT_C128 : DT_F64, mode) &&
		!(in->m.node && in->m.node->type->kind == TYPE_TUPLE))
		return false;
	uint32_t n = in->ninput;
	know_meaning(in);
	for (uint32_t k = 0; k < n; k++)
		if (!instance_input(in, in->input[k]->type)) return false;
	for (uint32_t i = 0; i < in->m.node->narg; i++) {
		l->tangent[i] = NULL;
		for (uint32_t k = 0; k < n; k++)
			if (in->m.node->arg[i] == in->input[k] &&
				(dtype_is_float(node_dtype(in->input[k])) ||
					dtype_is_complex(node_dtype(in->input[k]))))
				l->tangent[i] = in->input[n + k];
	}
	return true;
}

/* Tangents of the size of what they belong to, so that a step is one everywhere. Where numbers are small
 * and whole, one alone moves: along a line on which several meet, a tie or a corner may look smooth. The
 * largest number. */
static Quad scale_tangents(const TableLine *l, const Value *v)
{
	Random *random = l->in.random;
	uint32_t n = l->in.ninput / 2, which = random_below(random, n);
	bool alone = l->in.mode == 5;
	Quad most = 0;
	for (uint32_t k = 0; k < n; k++) {
		int64_t element = random_below(random, (uint32_t)reals(&v[k]));
		for (int64_t i = 0; i < reals(&v[k]); i++) {
			Quad x = size_of(((Quad *)v[k].data)[i]), part = (Quad)(1 + random_below(random,
				1000)) / 1000;
			if (random_below(random, 2)) part = -part;
			if (alone && (k != which || i != element)) part = 0;
			((Quad *)v[n + k].data)[i] = (x == 0 ? 1 : x) * part;
			if (x > most) most = x;
		}
	}
	return most;
}

/* One number of a function along a line: at 0, and at steps of -2h, -h, h, 2h. */
typedef struct Along {
	Quad at, step[4];
	Quad most; /* of what goes in: its roundings are seen */
	Quad part; /* how well the table is known */
} Along;

/* The slope at 0, and how far from it the true one may be; false: there is a kink, a jump or a pole. */
static bool slope_of(const Along *f, Quad h, Quad *slope, Quad *room)
{
	Quad near = (f->step[2] - f->step[1]) / (2 * h), far = (f->step[3] - f->step[0]) / (4 * h),
	     bend = size_of(f->step[2] - 2 * f->at + f->step[1]) / h, doubt = size_of(near - far);
	*slope = near;
	Quad seen = size_of(f->at) + f->most;
	*room = f->part * size_of(near) + 16 * doubt + seen * 0x1p-100Q / h + 0x1p-1022Q;
	if (!(size_of(f->at) < 1e4800Q)) return false;
	for (uint32_t k = 0; k < 4; k++)
		if (!(size_of(f->step[k]) < 1e4800Q)) return false;
	return bend + doubt <= 1e-6Q * size_of(near) + size_of(f->at) * 0x1p-60Q;
}

/* Where that was, of inputs that have such an element. */
static void say_place(Text *t, const TableLine *l, const Value *v, int64_t i)
{
	for (uint32_t k = 0; k < l->in.ninput / 2; k++)
		if (i < reals(&v[k])) {
			text_printf(t, "%s", k ? ", " : " at ");
			text_number(t, (double)((Quad *)v[k].data)[i], 64);
		}
}

static bool compare_differential(TableLine *l, Node *d, TableSeen *seen, Text *report)
{
	const double h = 0x1p-40, step[] = {-2, -1, 1, 2};
	Graph *g = l->in.m.g;
	Node *f[8], *df[8], *both[16];
	uint32_t n = array_results(g, l->in.m.node, f), m = array_results(g, d, df);
	if (m != n) return true;
	memcpy(both, f, n * sizeof *f);
	memcpy(both + n, df, n * sizeof *df);
	Arena *a = l->in.m.scratch;
	Value *moved_to[4], *v = values_widened(a, l->in.ninput, instance_values(&l->in, a));
	Quad most = scale_tangents(l, v);
	Quad part = is_rough(a, g, 2 * n, both) ? 1e-11Q : 1e-18Q;
	Value *at = run(&l->in, 2 * n, both, v);
	for (uint32_t k = 0; k < countof(step); k++)
		if (!(moved_to[k] = run(&l->in, n, f, moved(l, v, step[k] * h)))) return true;
	for (uint32_t k = 0; at && k < n; k++)
		for (int64_t i = 0; i < reals(&at[k]); i++) {
			Along f_at = {.at = ((Quad *)at[k].data)[i], .most = most, .part = part};
			Quad is = ((Quad *)at[n + k].data)[i], should, room;
			for (uint32_t q = 0; q < countof(step); q++)
				f_at.step[q] = ((Quad *)moved_to[q][k].data)[i];
			seen->samples++;
			if (!slope_of(&f_at, h, &should, &room)) continue;
			if (should == 0 && is != is) continue; /* nothing moves at a pole */
			seen->met++;
			Quad gap = size_of(is - should);
			if (should != 0 && gap > seen->error * size_of(should))
				seen->error = gap / size_of(should);
			if (gap <= room) continue;
			say_line(report, l->in.rule, "the differential", (double)is, (double)should);
			say_place(report, l, v, i);
			return false;
		}
	return true;
}

static void say_error(Text *report, const TableLine *l)
{
	text_printf(report, "rule %s: %s", l->in.rule->name, l->in.m.g->error.text);
}

static bool differential_trial(TableLine *l, TableSeen *seen, Text *report)
{
	Graph *g = l->in.m.g;
	Node *x = l->in.m.node, *d = NULL;
	if (!derivative_apply(g, l->in.m.scratch, x, l->tangent, &d)) {
		say_error(report, l);
		return false;
	}
	if (!d) d = solid(g, zero_tangent(l->in.m.scratch, x->type));
	if (seen->trials++ % 4 == 3) collect_thresholds(&l->in, d, false);
	return compare_differential(l, d, seen, report);
}

static Quad inner_product(const Value *a, const Value *b, Quad *size)
{
	Quad s = 0;
	bool complex = dtype_is_complex(a->dtype); /* the real part of the product, without conjugation */
	for (int64_t i = 0; i < reals(a); i++) {
		Quad p = ((Quad *)a->data)[i] * ((Quad *)b->data)[i];
		s += complex && i % 2 ? -p : p;
		*size += size_of(((Quad *)a->data)[i] * ((Quad *)b->data)[i]);
	}
	return s;
}

/* <ct, dy> and <dx, t>, of operand k. */
static bool compare_transpose(TableLine *l, uint32_t k, TableSeen *seen, Text *report)
{
	Graph *g = l->in.m.g;
	Node *t[2 * RULE_VARIABLES] = {0}, *dy, *dx;
	t[k] = l->tangent[k];
	bool applied = derivative_apply(g, l->in.m.scratch, l->in.m.node, t, &dy) &&
		transpose_apply(g, l->in.m.scratch, l->in.m.node, l->cotangent, k, &dx);
	if (!applied || !dy || !dx) return true;
	Arena *a = l->in.m.scratch;
	if (!l->values) l->values = values_widened(a, l->in.ninput, instance_values(&l->in, a));
	Value *out = run(&l->in, 4, (Node *[]){l->cotangent, dy, dx, t[k]}, l->values);
	if (!out) return true;
	Quad size = 0;
	Quad x = inner_product(&out[0], &out[1], &size), y = inner_product(&out[2], &out[3], &size);
	seen->samples += (uint64_t)out[0].count;
	seen->met += (uint64_t)out[0].count;
	if (size_of(x - y) > seen->error * (1 + size)) seen->error = size_of(x - y) / (1 + size);
	if (size_of(x - y) <= 1e-20Q * (1 + size)) return true;
	say_line(report, l->in.rule, "the product with the transpose", (double)y, (double)x);
	return false;
}

static bool transpose_trial(TableLine *l, TableSeen *seen, Text *report)
{
	for (uint32_t k = 0; k < l->in.m.node->narg; k++)
		if (l->tangent[k] && !compare_transpose(l, k, seen, report)) return false;
	if (!l->in.m.g->error.code) return true;
	say_error(report, l);
	return false;
}

/* vjp(op(x), g) of book derivative is no transpose, so there are no numbers to compare: it must fit. */
static bool vjp_trial(TableLine *l, TableSeen *seen, Text *report)
{
	Graph *g = l->in.m.g;
	Node *n = l->in.m.node, **out = NEW_ARRAY(l->in.m.scratch, Node *, n->narg);
	seen->samples += TABLE_LEAST;
	seen->met += TABLE_LEAST;
	if (vjp_apply(g, n, l->cotangent, out) && !g->error.code) return true;
	say_error(report, l);
	return false;
}

/* ---- batch(f(x)) => ... --------------------------------------------------------------------------- */

enum { LANES = 3, LANE_RESULTS = 8 };

/* The operand with a first axis; of one in four, and of what is no input, the same in all lanes. */
static Node *sampled_lanes(TableLine *l, Node *operand, Random *random, bool *shared)
{
	Graph *g = l->in.m.g;
	const Size *dim[RANK_MAX + 1] = {size_const(g, LANES)};
	const Type *t = operand->type;
	bool input = false;
	for (uint32_t k = 0; k < l->in.ninput; k++) input |= l->in.input[k] == operand;
	*shared = !input || !random_below(random, 4);
	if (*shared) return expand(g, operand, 1, (int64_t[]){0}, dim);
	if (t->n == RANK_MAX) return NULL;
	memcpy(dim + 1, t->u.dim, t->n * sizeof *dim);
	return instance_input(&l->in, type_array(g, (Dtype)t->dtype, t->n + 1, dim));
}

/* Lane j of the results: the op of that lane of each operand. */
static bool lane_results(Graph *g, Arena *a, Node *x, Node *const *lanes, int64_t j, Node **out)
{
	uint32_t n = node_operands(x);
	Node **arg = NEW_ARRAY(a, Node *, n + 1);
	for (uint32_t i = 0; i < n; i++)
		arg[i] = gather(g, lanes[i], constant_int(g, type_scalar(g, DT_I64), j), 0);
	Node *y = g->error.code ? NULL : node_make(g, (Op)x->op, x->attr, n, arg);
	return y && array_results(g, y, out) && !g->error.code;
}

static bool same_number(TableSeen *seen, Quad is, Quad should)
{
	Quad gap = size_of(is - should), room = 1 + size_of(should);
	bool same = is == should || (is != is && should != should);
	if (!same && gap > seen->error * room) seen->error = gap / room;
	return same || gap <= 1e-20Q * room;
}

/* Lane j of `all` beside what it should be. */
static bool same_lane(
	TableLine *l, TableSeen *seen, const Value *all, const Value *lane, int64_t j, Text *report)
{
	int64_t n = reals(lane);
	size_t bytes = (size_t)lane->count * dtype_bytes(lane->dtype);
	seen->samples += (uint64_t)lane->count;
	seen->met += (uint64_t)lane->count;
	if (!n && memcmp((char *)all->data + (size_t)j * bytes, lane->data, bytes)) {
		text_printf(report, "rule %s: a lane is not what it is alone", l->in.rule->name);
		return false;
	}
	for (int64_t i = 0; i < n; i++) {
		Quad is = ((Quad *)all->data)[j * n + i], should = ((Quad *)lane->data)[i];
		if (same_number(seen, is, should)) continue;
		say_line(report, l->in.rule, "a lane", (double)is, (double)should);
		return false;
	}
	return true;
}

static bool compare_lanes(
	TableLine *l, Node *const *lanes, uint32_t n, Node **all, TableSeen *seen, Text *report)
{
	Graph *g = l->in.m.g;
	Arena *a = l->in.m.scratch;
	for (int64_t j = 0; j < LANES; j++)
		if (!lane_results(g, a, l->in.m.node, lanes, j, all + n * (uint32_t)(1 + j))) return true;
	const Value *in = values_widened(a, l->in.ninput, instance_values(&l->in, a));
	const Value *v = run(&l->in, n * (1 + LANES), all, in);
	for (uint32_t i = 0; v && i < n * LANES; i++)
		if (!same_lane(l, seen, &v[i % n], &v[n + i], i / n, report)) return false;
	return true;
}

/* Each lane of the right side is what the left side is of that lane. */
static bool batch_trial(TableLine *l, Random *random, TableSeen *seen, Text *report)
{
	Graph *g = l->in.m.g;
	Node *x = l->in.m.node, *lanes[2 * RULE_VARIABLES], *all[LANE_RESULTS * (1 + LANES)];
	bool tuple = x->type->kind == TYPE_TUPLE;
	uint32_t n = tuple ? x->type->n : 1;
	const Type *want[LANE_RESULTS];
	bool shared[countof(lanes)];
	if (n > LANE_RESULTS || node_operands(x) > countof(lanes)) return true;
	for (uint32_t i = 0; i < node_operands(x); i++)
		if (!(lanes[i] = sampled_lanes(l, x->arg[i], random, &shared[i]))) return true;
	for (uint32_t i = 0; i < n; i++) {
		const Type *t = tuple ? x->type->u.elem[i] : x->type;
		const Size *dim[RANK_MAX + 1] = {size_const(g, LANES)};
		if (t->n == RANK_MAX) return true;
		memcpy(dim + 1, t->u.dim, t->n * sizeof *dim);
		want[i] = type_array(g, (Dtype)t->dtype, t->n + 1, dim);
	}
	if (batch_apply(g, x, (OperandLanes){lanes, shared}, n, want, all))
		return compare_lanes(l, lanes, n, all, seen, report);
	if (!g->error.code) return true; /* its guard does not hold */
	say_error(report, l);
	return false;
}

static bool too_few(const Rule *r, const TableSeen *seen, Text *report)
{
	if (seen->met >= TABLE_LEAST) return false;
	text_printf(report, "rule %s: of %llu samples only %llu can be compared, %d are needed", r->name,
		(unsigned long long)seen->samples, (unsigned long long)seen->met, TABLE_LEAST);
	return true;
}

static bool batch_check(Graph *g, const Rule *r, Random *random, Text *report)
{
	TableSeen seen = {0};
	for (int i = 0; i < TABLE_TRIALS || (i < TABLE_MOST && seen.met < TABLE_LEAST); i++) {
		TableLine l = {.values = NULL};
		Instance *in = &l.in;
		bool open = instance_open(in, g, r, random, r->complex ? DT_C128 : DT_F64, i % 4) ||
			(in->m.node && in->m.node->type->kind == TYPE_TUPLE);
		bool good = !open || batch_trial(&l, random, &seen, report);
		instance_close(in);
		if (!good) return false;
	}
	if (too_few(r, &seen, report)) return false;
	say_counts(report, r, seen.samples, seen.met, (double)seen.error);
	return true;
}

/* ---- all of them ---------------------------------------------------------------------------------- */

typedef bool TableTrial(TableLine *, TableSeen *, Text *report);

bool table_check(Graph *g, const Rule *r, Random *random, Text *report)
{
	static const int modes[] = {1, 0, 2, 3, 1, 4, 8, 5, 7};
	TableSeen seen = {0};
	bool vjp = r->head == HEAD_VJP, own = vjp && strcmp(r->book->stage, "transposition");
	if (r->head == HEAD_BATCH) return batch_check(g, r, random, report);
	TableTrial *reverse = own ? vjp_trial : transpose_trial, *trial = vjp ? reverse : differential_trial;
	if (r->left->op == OP_STOP) { /* its differential is not its difference: that is its meaning */
		text_printf(report, "%s: not compared", r->name);
		return true;
	}
	for (uint32_t i = 0; i < TABLE_TRIALS || (i < TABLE_MOST && seen.met < TABLE_LEAST); i++) {
		TableLine l = {.values = NULL};
		bool good = true;
		if (open_line(&l, g, r, random, vjp ? 0 : modes[i % countof(modes)])) {
			if (vjp) l.cotangent = instance_input(&l.in, l.in.m.node->type);
			good = trial(&l, &seen, report);
		}
		instance_close(&l.in);
		if (!good) return false;
	}
	if (too_few(r, &seen, report)) return false;
	if (own)
		text_printf(report, "%s: fits; a reverse that is no transpose is not compared", r->name);
	else
		say_counts(report, r, seen.samples, seen.met, (double)seen.error);
	return true;
}
