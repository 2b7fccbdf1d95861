/* fuzz_program.c - any bytes as a file of functions: its last one is elaborated, rewritten, compiled and called on small
 * arguments by the reference evaluator and interpreted, with 1 thread and 2, under limits of nodes, bytes and seconds.
 * What one of them gives, tells or refuses all do, to the bit; what is printed of it is read again.
 *
 * Mutations are those of the tree: an expression is replaced by one from elsewhere in the file, or put into a form. */
#include "outcome.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(
	const uint8_t *a, size_t na, const uint8_t *b, size_t nb, uint8_t *out, size_t most, unsigned seed);

static void fault(const char *what, const char *of)
{
	fprintf(stderr, "%s: %s\n", what, of);
	abort();
}

/* ---- the file ---------------------------------------------------------------------------------- */

/* One context for all inputs: library and books are read once. */
static por_context *context(void)
{
	static por_context *all;
	if (!all)
		all = por_context_new(&(por_context_options){.size = sizeof(por_context_options),
			.max_nodes = 20000,
			.max_bytes = 64 << 20,
			.max_seconds = 1});
	return all;
}

/* The last function of a file, of those that say the types of what they take. */
static por_function *last_function(por_module *m)
{
	for (int i = por_module_count(m) - 1; i >= 0; i--)
		if (!strcmp(por_module_kind(m, i), "fn")) return por_function_named(m, por_module_name(m, i), 0, NULL);
	return NULL;
}

/* ---- a call ------------------------------------------------------------------------------------ */

/* Limits fall where they fall, and a tier may not know all dtypes. */
static bool undecided(int code)
{
	return code == POR_ERR_LIMIT || code == POR_ERR_MEMORY || code == POR_ERR_UNSUPPORTED;
}

static Outcome called(por_function *f, const Arguments *a, int tier, int threads)
{
	Outcome r = {.code = OUT_OF_IT};
	por_options o = {.size = sizeof o, .tier = tier, .threads = threads, .memory_cap = 16 << 20, .call_seconds = 0.2};
	o.hear = hear, o.hear_user = &r;
	por_program *p = por_compile_function(f, &o);
	por_frame *frame = por_frame_new(p);
	if (frame) {
		int code = por_call(p, frame, a->n, a->in, 0, NULL);
		snprintf(r.text, sizeof r.text, "%.290s", code ? por_frame_error(frame)->text : "");
		for (int i = 0; i < por_program_outputs(p) && !code; i++) {
			const por_array *x = por_frame_result(frame, i);
			if (x) r.values = mixed_values(r.values, x);
		}
		if (!undecided(code)) r.code = code;
		if (code == POR_ERR_INTERNAL) fault("a call fails within", r.text);
	}
	por_frame_free(frame);
	por_program_free(p);
	return r;
}

static void compare(const Outcome *a, const Outcome *b, por_function *f)
{
	if (a->code == OUT_OF_IT || b->code == OUT_OF_IT) return;
	bool same = a->code == b->code && (a->code || (a->values == b->values && a->told == b->told));
	if (same) return;
	char *text = por_print_function(f, 0);
	fprintf(stderr, "reference: %d %s\ninterpreted: %d %s\n", a->code, a->text, b->code, b->text);
	fault("they differ", text ? text : "");
}

/* ---- one input --------------------------------------------------------------------------------- */

/* An error tells what it is, and where it is within the text. */
static void checked_error(por_graph *g, const char *text)
{
	const por_error *e = por_graph_error(g);
	if (e->code == POR_ERR_INTERNAL) fault("an error within", e->text);
	if (e->code != POR_OK && !*e->text) fault("an error without a text", "");
	por_text_free(por_error_show(e, text));
}

static void printed_again(por_graph *g, por_function *f)
{
	char *text = por_print_function(f, 0);
	por_module *m = por_load(g, text, -1, "printed.por");
	por_function *again = last_function(m);
	int code = por_graph_error(g)->code;
	if (text && !again && code && !undecided(code)) {
		fprintf(stderr, "%s\n", por_graph_error(g)->text);
		fault("what is printed is not read", text);
	}
	por_text_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n > 4000 || memchr(data, 0, n)) return 0;
	char *text = calloc(n + 1, 1);
	if (n) memcpy(text, data, n);
	por_graph *g = por_open(context());
	por_function *f = last_function(por_load(g, text, -1, "f.por"));
	Arguments a = {.random = mixed(14695981039346656037u, text, n)};
	if (f && arguments(&a, g, f)) {
		Outcome reference = called(f, &a, POR_TIER_REFERENCE, 1);
		for (int threads = 1; threads <= 2 && reference.code != OUT_OF_IT; threads++) {
			Outcome interpreted = called(f, &a, POR_TIER_INTERPRET, threads);
			compare(&reference, &interpreted, f);
		}
		if (reference.code != OUT_OF_IT) printed_again(g, f);
	}
	checked_error(g, text);
	por_close(g);
	free(text);
	return 0;
}

/* ---- mutations ----------------------------------------------------------------------------------- */

enum { SLOTS = 4000 };

/* Places of expressions in a tree. */
typedef struct Slots {
	int n;
	Syntax **at[SLOTS];
} Slots;

static void find_slots(Slots *s, Syntax **at)
{
	Syntax *x = *at;
	if (!x) return;
	bool expression = x->kind >= SYN_NUMBER && x->kind <= SYN_FORMULA;
	if (expression && s->n < SLOTS) s->at[s->n++] = at;
	for (uint32_t i = 0; i < x->count; i++) {
		bool type = x->kind == SYN_PARAM || ((x->kind == SYN_BIND) && i < 2);
		if (!type) find_slots(s, &x->part[i]);
	}
}

/* The expressions of a file's functions, the last ones thrice as likely. */
static Syntax **any_slot(Syntax *file, uint64_t *random)
{
	static Slots slots;
	if (!file->count) return NULL;
	uint32_t i = draw(random, 3) ? file->count - 1 : draw(random, file->count);
	Syntax *d = file->part[i];
	if (d->kind != SYN_FN && d->kind != SYN_OP) return NULL;
	slots.n = 0;
	find_slots(&slots, &d->part[d->count - 1]);
	return slots.n ? slots.at[draw(random, (unsigned)slots.n)] : NULL;
}

/* `e` is what stood there, `o` another of the file. */
static const char *const forms[] = {
	"if sum(e) > 0 then e else o", "if k == 1 then o else e", "where(e > 0, e, o)", "scan (z = e, i < 3) => z*0.5 + o",
	"scan (z = e, i < k) => {z = o, t = z}", "scan (z = e) while sum(z) < 4 => z + 1", "scan[back] (z = o, v in e) => z + v",
	"(scan (z = o, v in e, i < len(e)) while sum(z) < 3 => {z = z + v, t = z}).t", "[v in e] => o", "[v in e] => v*o",
	"[i < 3] => e", "[i < n] => if i > 0 then x[i - 1] else o", "[i < n] => sum(x[:i])*o", "checkpoint(e)",
	"checkpoint((z) => z*o)(e)", "kept((z) => sin(z)*2)(e)", "grad(sum(e), x)", "jvp(e, x, x)", "vjp(e, x, e)",
	"jacobian(e, x)", "hessian(sum(e), x)", "sparse_jacobian(e, x).values", "sparse_hessian(sum(e), x).values",
	"with_derivative((z) => z*2, (z, y, dz) => dz*y)(e)", "with_vjp((z) => z, (z, y, u) => clip(u, -1, 1))(e)",
	"with_system((b) => b/2, (z) => 2*z, (u) => u/2)(e)", "exact((z) => z + 1 - z)(e)", "(do print(e) in o)",
	"(do assert(sum(e) < 9, e) in e)", "(do check(e) in o)", "grad(scan[states = 2] (s = sum(e), i < 5) => s*sum(o), x)",
	"grad(scan[levels = 2] (s = sum(e), i < 5) => sin(s)*sum(o), x)", "scan[bytes = 64] (z = e, i < 9) => sin(z)",
	"nonzero(e > 0)", "e[e > 0]", "e[k]", "e[k:]", "e[:-k]", "e[::-1]", "e with [0] = o", "e with [k] += o", "repeat(e, k)",
	"unique(e)", "f64[k](1)*o", "len(e)", "sum(e)", "cumsum[0](e)", "max[0](e)", "e @ e", "e.T", "f32(e)", "i64(e)",
	"normal[f64[3]](key(k))", "[i < 3] => uniform[f64](key(7)[i])*o", "let h = (z) => z*o in h(h(e))",
	"{a = e, b = o}.a", "stop_gradient(e)", "e + o", "e*o", "-e", "sin(e)", "let {a, b} = {a = e, b = o} in b - a"};

static void put_in(Syntax **at, const char *name, Syntax *e)
{
	Syntax *x = *at;
	if (!x) return;
	if (x->kind == SYN_NAME && !strcmp(x->name, name)) {
		*at = e;
		return;
	}
	for (uint32_t i = 0; i < x->count; i++) put_in(&x->part[i], name, e);
}

static Syntax *in_a_form(Arena *a, Names *names, Syntax *e, Syntax *o, uint64_t *random)
{
	const char *form = forms[draw(random, sizeof forms / sizeof *forms)];
	Error error = {0};
	Syntax *x = parse_expression(a, names, "form", form, strlen(form), &error);
	if (!x) fault("a form is not read", form);
	/* what is put in has names e and o of its own: o goes first, and each is looked for in the form alone */
	Syntax *hole = syntax_name(a, x->where, names_get(names, "hole", 4));
	put_in(&x, "e", hole);
	put_in(&x, "o", o);
	put_in(&x, "hole", e);
	return x;
}

/* The text of `file` with an expression of `other` in it, or in a form; 0: there is none that is different. */
static size_t changed(const uint8_t *data, size_t n, const uint8_t *from, size_t nfrom, uint8_t *out, size_t most,
	uint64_t random)
{
	Trap trap;
	size_t given = 0;
	Arena *a = arena_new(NULL);
	if (TRAP(&trap)) {
		arena_free(a);
		return 0;
	}
	arena_arm(a, &trap);
	Names names;
	Error error = {0};
	Text text;
	names_open(&names, a);
	text_open(&text, a);
	Syntax *file = parse_file(a, &names, "f", (const char *)data, n, &error);
	Syntax *other = file ? parse_file(a, &names, "o", (const char *)from, nfrom, &error) : NULL;
	Syntax **at = other ? any_slot(file, &random) : NULL, **o = at ? any_slot(other, &random) : NULL;
	if (o) {
		*at = draw(&random, 3) ? in_a_form(a, &names, *at, *o, &random) : *o;
		print_syntax(&text, file);
		const char *printed = text_done(&text);
		if ((given = strlen(printed)) <= most)
			memcpy(out, printed, given);
		else
			given = 0;
	}
	arena_disarm(a, &trap);
	arena_free(a);
	return given;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned seed)
{
	uint64_t random = seed;
	size_t given = draw(&random, 4) ? changed(data, n, data, n, data, most, random) : 0;
	return given ? given : LLVMFuzzerMutate(data, n, most);
}

size_t LLVMFuzzerCustomCrossOver(
	const uint8_t *a, size_t na, const uint8_t *b, size_t nb, uint8_t *out, size_t most, unsigned seed)
{
	return changed(a, na, b, nb, out, most, seed);
}
