/* context.c - contexts, graphs, errors, text: what is freed by the user, in any order. */
#define POR_NO_LINES
#include "api.h"

#include <stdlib.h>

_Static_assert(sizeof(por_error) == sizeof(Error) && sizeof(por_error) == 1024, "por_error is an Error");
_Static_assert((int)POR_ERR_CANCELLED == ERR_CANCELLED, "codes are the same");

const char *por_version(void)
{
#define VERSION(a, b, c) POR_STRING(a) "." POR_STRING(b) "." POR_STRING(c)
	return VERSION(POR_VERSION_MAJOR, POR_VERSION_MINOR, POR_VERSION_PATCH);
}

/* ---- options ------------------------------------------------------------------------------ */

bool options_copy(void *to, size_t room, const void *from, size_t size)
{
	memset(to, 0, room);
	if (!from) return true;
	memcpy(to, from, size < room ? size : room);
	for (size_t i = room; i < size; i++) /* a newer caller has set what we lack */
		if (((const unsigned char *)from)[i]) return false;
	return true;
}

/* ---- contexts -------------------------------------------------------------------------------- */

__attribute__((noinline)) void *context_alloc(const por_context *c, size_t n)
{
	const Allocator *m = c ? &c->allocator : &allocator_libc;
	void *p = m->alloc(m->user, n, 16);
	return p ? memset(p, 0, n) : NULL;
}

void context_release(const por_context *c, void *p, size_t n)
{
	const Allocator *m = c ? &c->allocator : &allocator_libc;
	if (p) m->free(m->user, p, n, 16);
}

/* The graph into which library and books are read, once for all graphs of a context; NULL when memory has run
 * out. */
static Graph *library_new(const Allocator *allocator)
{
	Graph *g = graph_open(allocator);
	Trap t;
	if (!g) return NULL;
	if (TRAP(&t)) {
		graph_close(g);
		return NULL;
	}
	arena_arm(g->arena, &t);
	arena_expect_much(g->arena);
	bool good = library_read(g) && books_finish(g);
	arena_disarm(g->arena, &t);
	if (good) return g;
	graph_close(g);
	return NULL;
}

por_context *por_context_new(const por_context_options *given)
{
	por_context_options o;
	if (given && given->size < sizeof given->size)
		return NULL; /* forgotten: nothing of it would be read */
	if (!options_copy(&o, sizeof o, given, given ? given->size : 0) || !o.alloc != !o.free) return NULL;
	if (!(o.max_seconds >= 0)) return NULL;
	por_context start = {.allocator = allocator_libc,
		.log = o.log,
		.load = o.load,
		.user = o.user,
		.max_nodes = o.max_nodes,
		.max_bytes = o.max_bytes,
		.max_seconds = o.max_seconds,
		.progress = o.progress,
		.refs = 1};
	if (o.alloc) start.allocator = (Allocator){o.alloc, o.free, o.user};
	start.library = library_new(&start.allocator);
	por_context *c = start.library ? context_alloc(&start, sizeof *c) : NULL;
	if (c)
		*c = start;
	else
		graph_close(start.library);
	return c;
}

por_context *context_retain(por_context *c)
{
	if (c) __atomic_add_fetch(&c->refs, 1, __ATOMIC_RELAXED);
	return c;
}

void context_drop(por_context *c)
{
	if (!c || __atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL)) return;
	por_context last = *c;
	graph_close(c->library);
	context_release(&last, c, sizeof *c);
}

void por_context_free(por_context *c)
{
	context_drop(c);
}

void por_cancel(por_context *c, int on)
{
	if (c) __atomic_store_n(&c->cancelled, on != 0, __ATOMIC_RELAXED);
}

/* The same line twice on end is told once. */
void context_log(por_context *c, const char *line)
{
	if (!c || !c->log) return;
	uint64_t hash = 14695981039346656037u;
	for (const char *s = line; *s; s++) hash = (hash ^ (unsigned char)*s) * 1099511628211u;
	if (__atomic_exchange_n(&c->said, hash, __ATOMIC_ACQ_REL) != hash) c->log(c->user, line);
}

/* ---- graphs ------------------------------------------------------------------------------------- */

static int tell_progress(void *user, const Watch *w, double seconds)
{
	por_graph *g = user;
	const por_context *c = g->context;
	int before = g->inside;
	por_progress p = {.size = sizeof p,
		.stage = w->stage ? w->stage : "",
		.nodes = *w->nodes,
		.bytes = w->bytes,
		.seconds = seconds};
	g->inside = INSIDE_CALLBACK;
	int stop = c->progress(c->user, &p);
	g->inside = before;
	return stop;
}

static void watch_open(por_graph *g)
{
	por_context *c = g->context;
	Watch *w = g->ir->watch;
	w->cancel[0] = &c->cancelled;
	w->nodes_most = c->max_nodes;
	w->bytes_most = c->max_bytes;
	w->seconds_most = c->max_seconds;
	w->progress = c->progress ? tell_progress : NULL;
	w->user = g;
}

bool graph_refuses(por_graph *g)
{
	if (__atomic_load_n(&g->context->cancelled, __ATOMIC_RELAXED))
		fail(&g->ir->error, ERR_CANCELLED, g->at, "cancelled");
	else if (g->inside == INSIDE_CALLBACK)
		fail(&g->ir->error, ERR_VALUE, g->at,
			"a function of the context must not call the graph that called it");
	return g->ir->error.code;
}

por_graph *alone(por_graph *g, const char *what)
{
	if (!g || !g->inside) return g;
	fail(&g->ir->error, ERR_VALUE, g->at,
		"%s: a rule's function builds nodes, and does nothing else with the graph", what);
	return NULL;
}

void graph_begin(por_graph *g, Trap *t)
{
	arena_arm(g->ir->arena, t);
	if (t->before) return;
	watch_begin(g->ir->watch);
	g->ir->watch->stage = "build";
}

/* ---- graphs of work ---------------------------------------------------------------------------- */

Graph *work_begin(por_graph *g)
{
	if (rules_call(g->ir)) return g->ir;
	return g->work = graph_open_above(g->ir);
}

void work_end(por_graph *g)
{
	if (!g->work) return;
	if (!g->ir->error.code) g->ir->error = g->work->error;
	graph_close(g->work);
	g->work = NULL;
}

static Function *carried(Graph *from, Graph *to, Function *f)
{
	Carrier *c = carrier_open(from, to);
	Function *there = carry_function(c, f);
	carrier_close(c);
	return there;
}

Function *work_up(por_graph *g, Function *f)
{
	return g->work ? carried(g->ir, g->work, f) : f;
}

Function *work_down(por_graph *g, Function *f)
{
	return g->work && f ? carried(g->work, g->ir, f) : f;
}

por_graph *por_open(por_context *c)
{
	c = c ? context_retain(c) : por_context_new(NULL);
	por_graph *g = c ? context_alloc(c, sizeof *g) : NULL;
	Graph *ir = g ? graph_open_on(c->library) : NULL;
	if (!ir) {
		context_release(c, g, sizeof *g);
		context_drop(c);
		return NULL;
	}
	*g = (por_graph){.context = c, .ir = ir, .refs = 1, .home = ir->arena};
	Trap t;
	if (TRAP(&t)) {
		graph_drop(g);
		return NULL;
	}
	arena_arm(ir->arena, &t);
	held_open(&g->held, ir->arena);
	diff_open(ir);
	prove_open(ir);
	arena_disarm(ir->arena, &t);
	watch_open(g);
	return g;
}

por_graph *graph_retain(por_graph *g)
{
	if (g) __atomic_add_fetch(&g->refs, 1, __ATOMIC_RELAXED);
	return g;
}

void graph_drop(por_graph *g)
{
	if (!g || __atomic_sub_fetch(&g->refs, 1, __ATOMIC_ACQ_REL)) return;
	por_context *c = g->context;
	graph_close(g->ir);
	context_release(c, g, sizeof *g);
	context_drop(c);
}

void por_close(por_graph *g)
{
	if (alone(g, "close")) graph_drop(g);
}

/* ---- where --------------------------------------------------------------------------------------- */

/* "file:line"; without a line all of it is the file. */
static Where read_where(por_graph *g, const char *text)
{
	size_t n = strlen(text), k = n;
	while (k && text[k - 1] >= '0' && text[k - 1] <= '9') k--;
	if (k == n || !k || text[k - 1] != ':') return (Where){names_get(&g->ir->names, text, n), 0, 0};
	return (Where){names_get(&g->ir->names, text, k - 1), (int)strtol(text + k, NULL, 10), 0};
}

void graph_where(por_graph *g, const char *where)
{
	g->ir->where = where ? read_where(g, where) : g->at;
}

void por_at(por_graph *g, const char *where)
{
	ENTER(g, );
	g->at = where ? read_where(g, where) : (Where){NULL, 0, 0};
	arena_disarm(g->ir->arena, &trap_);
}

/* ---- errors --------------------------------------------------------------------------------------- */

static const por_error no_graph = {.code = POR_ERR_VALUE, .text = "there is no graph"};

const por_error *por_graph_error(const por_graph *g)
{
	return g ? (const por_error *)&g->ir->error : &no_graph;
}

void por_clear_error(por_graph *g)
{
	if (g && !g->spent) error_clear(&g->ir->error);
}

/* The graph's tables may lack what they should hold: the error stays. */
void graph_out_of_memory(por_graph *g)
{
	const Graph *at = g->work ? g->work : g->ir;
	error_clear(&g->ir->error);
	watch_fail(g->ir->watch, &g->ir->error, at->where.file ? at->where : g->at);
	work_end(g);
	g->spent = true;
	g->ir->rule = NULL;
	g->ir->user = (Where){NULL, 0, 0};
	g->ir->from = 0;
	g->ir->stamp = g->ir->heritage = NULL;
}

int code_of(const por_graph *g)
{
	return g ? g->ir->error.code : POR_ERR_VALUE;
}

/* ---- text that the user frees ------------------------------------------------------------------------ */

typedef struct TextHead {
	Allocator allocator;
	size_t size;
	size_t pad;
} TextHead;

char *text_give(const por_context *c, const char *s)
{
	if (!s) return NULL;
	size_t n = sizeof(TextHead) + strlen(s) + 1;
	TextHead *h = context_alloc(c, n);
	if (!h) return NULL;
	h->allocator = c ? c->allocator : allocator_libc;
	h->size = n;
	return memcpy(h + 1, s, n - sizeof *h);
}

char *graph_text(por_graph *g, const char *s)
{
	char *out = text_give(g->context, s);
	if (s && !out) graph_out_of_memory(g);
	return out;
}

void por_text_free(char *s)
{
	if (!s) return;
	TextHead *h = (TextHead *)(void *)s - 1;
	Allocator m = h->allocator;
	m.free(m.user, h, h->size, 16);
}

char *por_error_show(const por_error *e, const char *source)
{
	Arena *a = e ? arena_new(NULL) : NULL;
	if (!a) return NULL;
	Trap t;
	if (TRAP(&t)) {
		arena_free(a);
		return NULL;
	}
	arena_arm(a, &t);
	Text text;
	text_open(&text, a);
	error_show(&text, (const Error *)e, source);
	char *out = text_give(NULL, text_done(&text));
	arena_free(a);
	return out;
}
