/* Every form of the notation, in which one thing goes wrong after the other: the n-th allocation fails, for every n; at
 * the n-th look whether to go on the work is cancelled, or past its time; it may have n nodes more, or so many bytes.
 * Each time the error says so, nothing is left, the context goes on, and so does a frame whose call has failed, with the
 * same bits.  By itself the test takes a sample; `make test-alloc` takes all.
 *
 * The forms are the functions of forms.por, which fuzzing begins with too, and what the API makes of each of them.
 */
#include "fuzz/outcome.h"
#include "graph_says.h"
#include "refusing.h"

#include "../../src/run/program.h"

/* ---- what goes wrong --------------------------------------------------------------------------- */

typedef enum Way { ALLOCATION, CANCELLED, LATE, NODES, MEMORY, WAYS } Way;

static const struct {
	const char *name;
	int code;
	int thin; /* beyond so many not every n */
} ways[WAYS] = {
	[ALLOCATION] = {"an allocation fails", POR_ERR_MEMORY, 300},
	[CANCELLED] = {"it is cancelled", POR_ERR_CANCELLED, 24},
	[LATE] = {"its time is over", POR_ERR_LIMIT, 24},
	[NODES] = {"no more nodes", POR_ERR_LIMIT, 24},
	[MEMORY] = {"no more bytes", POR_ERR_LIMIT, 24},
};

enum { BYTES_EACH = 256, SECONDS = 1000000 }; /* that is a limit which nothing meets */
static Counter memory = {.left = -1};
static por_context *context;
static Way way;
static long looks = -1; /* until the one that ends the work; -1: none does */
static bool told;       /* something went wrong, and the error said so */
static bool met;        /* with the last form something went wrong, or was to */

static void begin(por_graph *g, long n)
{
	Watch *w = g->ir->watch;
	told = false;
	switch (way) {
	case ALLOCATION: refuse_in = n; break;
	case NODES: w->nodes_most = *w->nodes + (uint64_t)n + 1; break;
	case MEMORY: w->bytes_most = w->bytes + (uint64_t)n * BYTES_EACH + 1; break;
	default: looks = n;
	}
}

/* From now on all is well; gives whether it was not. */
static bool end(por_graph *g)
{
	bool was = told || (way == ALLOCATION && refuse_in < 0) || ((way == CANCELLED || way == LATE) && looks < 0);
	refuse_in = looks = -1;
	if (g) g->ir->watch->nodes_most = g->ir->watch->bytes_most = 0;
	por_cancel(context, 0);
	return was;
}

static bool looks_away(void)
{
	return looks < 0 || looks-- > 0;
}

/* The linker turns the library's calls of these here (--wrap): every step is a look. */
extern bool __real_watch_look(Watch *), __real_stop_looks(Frame *, int64_t work);
extern void __real_watch_begin(Watch *);
void __wrap_watch_begin(Watch *);
bool __wrap_watch_look(Watch *), __wrap_stop_looks(Frame *, int64_t work);

void __wrap_watch_begin(Watch *w)
{
	__real_watch_begin(w);
	w->looks = 1;
}

/* Work that nobody bounds does not end. */
bool __wrap_watch_look(Watch *w)
{
	if (!(w->seconds_most > 0) || looks_away()) {
	} else if (way == CANCELLED)
		por_cancel(context, 1);
	else
		w->began = w->deadline = 1;
	bool over = __real_watch_look(w);
	w->looks = 1;
	return over;
}

bool __wrap_stop_looks(Frame *f, int64_t work)
{
	if (looks_away()) {
	} else if (way == CANCELLED)
		por_cancel(context, 1);
	else
		f->stop.deadline = 1, f->stop.left = 0;
	return __real_stop_looks(f, work);
}

/* ---- a form -------------------------------------------------------------------------------------- */

typedef struct Form {
	const char *name;
	Arguments arguments;
	uint64_t wanted;
	long n;
} Form;

static char *forms; /* the file */

static void refused(const Form *form, const char *what, const por_error *e)
{
	fail_msg("%s, %s, %ld, %s: error %d: %s", form->name, ways[way].name, form->n, what, e->code, e->text);
}

static void says_so(const Form *form, const por_error *e)
{
	if (e->code != ways[way].code || !*e->text) refused(form, "it goes wrong", e);
	told = true;
}

static por_function *open_form(const char *name, por_graph **g, long n)
{
	*g = por_open(context);
	por_module *m = por_load(*g, forms, -1, "forms.por");
	good(*g);
	begin(*g, n);
	return por_function_named(m, name, 0, NULL);
}

static uint64_t results(uint64_t h, por_program *p, por_frame *frame)
{
	for (int i = 0; i < por_program_outputs(p); i++) {
		const por_array *x = por_frame_result(frame, i);
		if (x) h = mixed_values(h, x);
	}
	return h;
}

/* What fails with a program is done again, when all is well. */
static uint64_t call_of(const Form *form, por_graph *g, por_program *p, por_frame *frame, Outcome *heard)
{
	const Arguments *a = &form->arguments;
	if (por_call(p, frame, a->n, a->in, 0, NULL)) {
		says_so(form, por_frame_error(frame));
		end(g);
		heard->told = 0;
		if (por_call(p, frame, a->n, a->in, 0, NULL)) refused(form, "called again", por_frame_error(frame));
	}
	return results(heard->told, p, frame);
}

static char *text_of(por_program *p, int which)
{
	return which ? por_explain(p, "plan") : por_export_c(p, "form", 0);
}

static uint64_t texts_of(const Form *form, por_graph *g, por_program *p, uint64_t h)
{
	for (int i = 0; i < 2; i++) {
		char *text = text_of(p, i);
		if (!text && por_program_error(p)->code == ways[way].code) {
			says_so(form, por_program_error(p));
			end(g);
			text = text_of(p, i);
		}
		h = mixed_text(h, text ? text : por_program_error(p)->text);
		por_text_free(text);
	}
	return h;
}

/* What cannot be compiled is no program. */
static bool called(const Form *form, por_graph *g, por_function *f, int tier, uint64_t *h)
{
	Outcome heard = {0};
	por_program *p = por_compile_function(f, &(por_options){.size = sizeof(por_options),
		.tier = tier, .threads = 1, .hear = hear, .hear_user = &heard});
	por_frame *frame = por_frame_new(p);
	bool made = frame != NULL;
	if (made) {
		por_frame_limit(frame, SECONDS);
		uint64_t given = call_of(form, g, p, frame, &heard);
		*h = mixed(texts_of(form, g, p, *h), &given, sizeof given);
	} else {
		says_so(form, p ? por_program_error(p) : por_graph_error(g));
	}
	por_frame_free(frame);
	por_program_free(p);
	return made;
}

/* What the API makes of a function, each as it is printed. */
static por_function *same(por_function *f)
{
	return f;
}
static por_function *exactly(por_function *f)
{
	return por_with_laws(f, POR_LAW_EXACT);
}
static por_function *mapped(por_function *f)
{
	int n = por_function_inputs(f), axes[ARGUMENTS] = {0};
	return f ? por_vmap(f, n, axes) : NULL;
}
static por_function *lowered(por_function *f)
{
	return por_optimise(f, NULL, "lower");
}
static por_function *(*const made_of[])(por_function *) = {same, por_kept, por_checkpoint, exactly, mapped, lowered};

static bool printed(const Form *form, por_graph *g, por_function *f, uint64_t *h)
{
	for (size_t i = 0; i < countof(made_of); i++) {
		char *text = por_print_function(made_of[i](f), POR_PRINT_NOTES);
		const por_error *e = por_graph_error(g);
		if (!text && e->code == ways[way].code) return says_so(form, e), false;
		*h = mixed_text(*h, text ? text : e->text);
		por_text_free(text);
		por_clear_error(g);
	}
	return true;
}

/* All that is made of a form, as a number; 0: something went wrong, and was told. */
static uint64_t answer(const Form *form)
{
	por_graph *g;
	uint64_t h = 14695981039346656037u;
	por_function *f = open_form(form->name, &g, form->n);
	if (!f) says_so(form, por_graph_error(g));
	bool done = f && called(form, g, f, POR_TIER_REFERENCE, &h) && called(form, g, f, POR_TIER_INTERPRET, &h) &&
		printed(form, g, f, &h);
	met = end(g);
	por_close(g);
	return done ? h : 0;
}

/* Arguments with which the call is a good one, none of them empty. */
static void choose_arguments(Form *form)
{
	por_graph *g;
	por_function *f = open_form(form->name, &g, -1);
	good(g);
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .call_seconds = 1};
	por_program *p = por_compile_function(f, &o);
	por_frame *frame = por_frame_new(p);
	Arguments *a = &form->arguments;
	bool found = false;
	for (uint64_t i = 0; i < 1000 && !found; i++) {
		*a = (Arguments){.random = mixed(0, &i, sizeof i)};
		found = arguments(a, g, f);
		for (int k = 0; k < a->n; k++) found &= a->in[k].ndim ? a->in[k].shape[0] > 1 : 1;
		found = found && !por_call(p, frame, a->n, a->in, 0, NULL);
	}
	if (!found) fail_msg("%s: no arguments: %s", form->name, por_frame_error(frame)->text);
	por_frame_free(frame);
	por_program_free(p);
	por_close(g);
}

/* ---- all of them --------------------------------------------------------------------------------- */

static long every = 211; /* of so many points one */

static void form_survives(void **state)
{
	Form form = {.name = *state, .n = -1};
	way = ALLOCATION;
	choose_arguments(&form);
	assert_true(form.wanted = answer(&form));
	long live = memory.live;
	long count = 0;
	for (way = 0; way < WAYS; way++) {
		met = true;
		for (long n = (long)(mixed_text(way, form.name) % (uint64_t)every); met;
			n += every + n / ways[way].thin, count++) {
			form.n = n;
			uint64_t h = answer(&form);
			if (memory.live != live)
				fail_msg("%s, %s, %ld: %ld blocks are left", form.name, ways[way].name, n,
					memory.live - live);
			if (h && h != form.wanted)
				fail_msg("%s, %s, %ld: it gives something else", form.name, ways[way].name, n);
		}
	}
	print_message("%s: survived %ld of %ld\n", form.name, count, count);
}

/* Of a form that failed nothing goes on. */
static int form_ends(void **state)
{
	(void)state;
	end(NULL);
	return 0;
}

static bool open_all(void)
{
	FILE *f = fopen("tests/lang/cases/forms.por", "r");
	forms = calloc(1, 1 << 16);
	size_t n = f && forms ? fread(forms, 1, (1 << 16) - 1, f) : 0;
	if (f) fclose(f);
	context = por_context_new(&(por_context_options){.size = sizeof(por_context_options),
		.alloc = counted_alloc, .free = counted_free, .user = &memory, .max_seconds = SECONDS});
	return n && context;
}

static bool close_all(void)
{
	por_context_free(context);
	free(forms);
	return !memory.live;
}

/* test_every_form [EVERY [NAME...]] */
int main(int n, char **word)
{
	size_t count = 0;
	if (n > 1) every = atol(word[1]);
	if (every < 1 || !open_all()) return 2;
	por_graph *g = por_open(context);
	por_module *m = por_load(g, forms, -1, "forms.por");
	struct CMUnitTest *tests = calloc((size_t)por_module_count(m), sizeof *tests);
	for (int i = 0; i < por_module_count(m); i++) {
		const char *name = por_module_name(m, i);
		bool wanted = n < 3 && !strcmp(por_module_kind(m, i), "fn");
		for (int k = 2; k < n; k++) wanted |= !strcmp(word[k], name);
		if (wanted) tests[count++] = (struct CMUnitTest){name, form_survives, NULL, form_ends, (void *)(uintptr_t)name};
	}
	bool good = !por_graph_error(g)->code && count && !_cmocka_run_group_tests("forms", tests, count, NULL, NULL);
	free(tests);
	por_close(g);
	return !close_all() || !good;
}
