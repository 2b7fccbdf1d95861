/* cmd_fit.c - fit: minimises a function over data. */
#include "fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the state that goes from step to step --------------------------------------------------- */

/* Result j of the step goes to `to`, an array of p or s, which is input `input` of the next. */
typedef struct FitCarried {
	FileArray *to;
	void *next; /* memory of the next value; swapped with that of `to` */
	void *best; /* what it was where the loss was least; NULL: nobody asks */
	int input, metric_input;
} FitCarried;

typedef struct FitLoop {
	Fit *fit;
	FitCarried *carried; /* by result; the loss has to = NULL */
	por_array *out;
	double loss_memory[2];
	int loss_result;
	int64_t t;    /* the inputs porism_t and porism_seed lie here */
	double *loss; /* history */
	double *metric, *metric_step;
	size_t nloss, nmetric;
	int64_t first;
	double value; /* the last metric */
	struct {
		double loss, value;
		int64_t t, waited; /* after step t; measurements since */
	} best;
} FitLoop;

static int find_input(const FitFunction *c, const char *path)
{
	for (int i = 0; c->function && i < c->nin; i++) {
		por_leaf leaf = input_of(c->function, i);
		if (!strcmp(leaf.path, path)) return i;
	}
	return -1;
}

static int find_output(const FitFunction *c, const char *path)
{
	for (int i = 0; i < c->nout; i++) {
		por_leaf leaf = output_of(c->function, i);
		if (!strcmp(leaf.path, path)) return i;
	}
	return -1;
}

/* The leaves of p (result "0", input `name`) or of s (result "1"). */
static bool carry(FitLoop *l, TextValue *v, const char *name, const char *result, const char *metric_name)
{
	ValueLeaf *leaf;
	Fit *f = l->fit;
	bool good = true;
	size_t n = value_leaves(v, &leaf);
	for (size_t i = 0; i < n && good; i++) {
		const char *dot = *leaf[i].path ? "." : "";
		char *input = text_of("%s%s%s", name, dot, leaf[i].path);
		char *output = text_of("%s%s%s", result, dot, leaf[i].path);
		char *metric = text_of("%s%s%s", metric_name, dot, leaf[i].path);
		int j = find_output(&f->step, output);
		FileArray *a = &leaf[i].leaf->array;
		if (j >= 0) {
			void *best = f->patience ? need(malloc(a->bytes + 64)) : NULL;
			l->carried[j] = (FitCarried){a, need(malloc(a->bytes + 64)), best,
				find_input(&f->step, input), find_input(&f->metric, metric)};
			l->out[j] = array_view(a);
			if (l->carried[j].input >= 0) f->step.in[l->carried[j].input] = array_view(a);
			if (l->carried[j].metric_input >= 0)
				f->metric.in[l->carried[j].metric_input] = array_view(a);
		} else
			good = false;
		free(input);
		free(output);
		free(metric);
	}
	value_leaves_free(leaf, n);
	return good;
}

static void bind_number(FitFunction *c, const char *name, int64_t *x)
{
	int i = find_input(c, name);
	if (i >= 0) c->in[i] = por_view(x, POR_I64, 0, NULL);
}

static int loop_open(FitLoop *l, Fit *f)
{
	size_t n = (size_t)f->step.nout + 1;
	*l = (FitLoop){.fit = f, .first = f->t, .t = f->t, .value = NAN, .best.loss = INFINITY};
	l->carried = need(calloc(n, sizeof *l->carried));
	l->out = need(calloc(n, sizeof *l->out));
	char *metric_p =
		f->metric.function ? text_of("%s", por_function_param(f->metric.function, 0)) : text_of("p");
	bool good = carry(l, &f->p, f->p_name, "0", metric_p) && carry(l, &f->s, "porism_s", "1", "porism_s");
	free(metric_p);
	l->loss_result = find_output(&f->step, "2");
	if (!good || l->loss_result < 0)
		return complain(f->options, EXIT_FAILED,
			"%s.step(p, g, s): (p, s), like its arguments, was wanted", f->by);
	por_leaf leaf = output_of(f->step.function, l->loss_result);
	l->out[l->loss_result] = por_view(l->loss_memory, por_type_dtype(leaf.type), 0, NULL);
	bind_number(&f->step, "porism_seed", &f->seed);
	bind_number(&f->step, "porism_t", &l->t);
	bind_number(&f->metric, "porism_seed", &f->seed);
	bind_number(&f->metric, "porism_t", &l->t);
	return EXIT_GOOD;
}

static void loop_close(FitLoop *l)
{
	for (int j = 0; l->carried && j < l->fit->step.nout; j++) {
		free(l->carried[j].next);
		free(l->carried[j].best);
	}
	free(l->carried);
	free(l->out);
	free(l->loss);
	free(l->metric);
	free(l->metric_step);
}

/* ---- a step ---------------------------------------------------------------------------------- */

static int take_block(Fit *f)
{
	int64_t blocks = fit_blocks(f), place = f->t % blocks;
	int status = fit_shuffle(f, f->t / blocks);
	if (!f->rows || status != EXIT_GOOD) return status;
	int64_t first = place * f->block, n = f->ntrain - first;
	fit_take(&f->step, f->order + first, n < f->block ? n : f->block);
	return EXIT_GOOD;
}

/* Lists have room for the next power of two. */
static void push(double **list, size_t n, double x)
{
	if (!(n & (n - 1))) *list = need(realloc(*list, (2 * n + 1) * sizeof **list));
	(*list)[n] = x;
}

static int one_step(FitLoop *l)
{
	Fit *f = l->fit;
	int status = take_block(f);
	if (status != EXIT_GOOD) return status;
	l->t = f->t;
	for (int j = 0; j < f->step.nout; j++)
		if (l->carried[j].to) l->out[j].data = l->carried[j].next;
	if (por_call(f->step.program, f->step.frame, f->step.nin, f->step.in, f->step.nout, l->out))
		return complain_with(f->options, por_frame_error(f->step.frame), NULL);
	FileArray loss = {.data = l->loss_memory};
	snprintf(loss.dtype, sizeof loss.dtype, "%s",
		por_dtype_name(por_array_dtype(&l->out[l->loss_result])));
	for (int j = 0; j < f->step.nout; j++) {
		FitCarried *c = &l->carried[j];
		if (!c->to) continue;
		void *old = c->to->data;
		c->to->data = c->next;
		c->next = old;
		if (c->input >= 0) f->step.in[c->input].data = c->to->data;
		if (c->metric_input >= 0) f->metric.in[c->metric_input].data = c->to->data;
	}
	double value = array_number(&loss, 0);
	f->t++;
	push(&l->loss, l->nloss++, value);
	if (isfinite(value)) return EXIT_GOOD;
	const char *infinite = value > 0 ? "inf" : "-inf";
	return complain(f->options, EXIT_FAILED, "the loss is %s at step %" PRId64,
		isnan(value) ? "nan" : infinite, f->t);
}

static double metric_result(const FitLoop *l, int i)
{
	FileArray a = copy_array(por_frame_result(l->fit->metric.frame, i));
	double value = array_number(&a, 0);
	file_array_free(&a);
	return value;
}

/* Where the loss is lower than ever, what is fitted is kept. */
static void keep_best(FitLoop *l, double loss)
{
	l->best.waited++;
	if (!(loss < l->best.loss)) return;
	l->best.loss = loss;
	l->best.value = l->value;
	l->best.t = l->fit->t;
	l->best.waited = 0;
	for (int j = 0; j < l->fit->step.nout; j++) {
		const FitCarried *c = &l->carried[j];
		if (c->to) memcpy(c->best, c->to->data, c->to->bytes);
	}
}

static void take_best(FitLoop *l)
{
	if (!(l->best.loss < INFINITY)) return;
	l->value = l->best.value;
	l->fit->t = l->best.t;
	for (int j = 0; j < l->fit->step.nout; j++) {
		const FitCarried *c = &l->carried[j];
		if (c->to) memcpy(c->to->data, c->best, c->to->bytes);
	}
}

/* The shown metric and the loss, on what is held out, or on everything. */
static int measure(FitLoop *l)
{
	Fit *f = l->fit;
	if (!f->metric.function || (l->nmetric && l->metric_step[l->nmetric - 1] == (double)f->t))
		return EXIT_GOOD;
	if (f->rows) fit_take(&f->metric, f->nheld ? f->held : f->train, f->nheld ? f->nheld : f->ntrain);
	if (por_call(f->metric.program, f->metric.frame, f->metric.nin, f->metric.in, 0, NULL))
		return complain_with(f->options, por_frame_error(f->metric.frame), NULL);
	l->value = metric_result(l, 0);
	push(&l->metric, l->nmetric, l->value);
	push(&l->metric_step, l->nmetric++, (double)f->t);
	if (f->patience) keep_best(l, metric_result(l, f->metric.nout - 1));
	return EXIT_GOOD;
}

static int loop_run(FitLoop *l)
{
	Fit *f = l->fit;
	Progress bar;
	int64_t blocks = fit_blocks(f), seldom = f->steps / 200;
	int status = EXIT_GOOD;
	bool quiet = option(f->options, "quiet");
	progress_open(&bar, stderr, f->t, f->steps);
	bar.metric_name = f->show_name ? f->show_name : "loss of held out rows";
	bool hopes = true; /* the loss has not been the same or higher for too long */
	for (int64_t last = f->t; f->t < f->steps && status == EXIT_GOOD && hopes && !interrupted();) {
		status = one_step(l);
		if (f->rows && blocks > 1) bar.epoch = (f->t - 1) / blocks + 1;
		if (status == EXIT_GOOD && !quiet) progress_step(&bar, f->t, l->loss[l->nloss - 1]);
		if (status == EXIT_GOOD && f->t % blocks == 0 && f->t - last >= seldom) {
			status = measure(l);
			bar.metric = l->nmetric ? l->metric[l->nmetric - 1] : NAN;
			last = f->t;
			hopes = !f->patience || l->best.waited < f->patience;
		}
	}
	/* what the last whole step left is saved */
	if (interrupted() && status == interrupted()) status = EXIT_GOOD;
	if (status == EXIT_GOOD && !interrupted()) status = measure(l);
	bar.metric = l->nmetric ? l->metric[l->nmetric - 1] : NAN;
	if (status == EXIT_GOOD && f->patience && !interrupted()) take_best(l);
	if (!quiet) progress_close(&bar);
	return status;
}

/* ---- what is left behind --------------------------------------------------------------------- */

static bool write_history(const FitLoop *l, const char *path, char *error, size_t room)
{
	const char *show = l->fit->show_name;
	const char *names[] = {"step", "loss", show};
	size_t columns = show ? 3 : 2, k = 0;
	double *table = need(malloc((l->nloss + 1) * columns * sizeof *table));
	for (size_t i = 0; i < l->nloss; i++) {
		double step = (double)l->first + (double)i + 1;
		table[i * columns] = step;
		table[i * columns + 1] = l->loss[i];
		if (!show) continue;
		while (k < l->nmetric && l->metric_step[k] < step) k++;
		table[i * columns + 2] = k < l->nmetric && l->metric_step[k] == step ? l->metric[k] : NAN;
	}
	const CsvTable t = {.names = names, .columns = columns, .rows = l->nloss, .values = table};
	bool good = csv_write(path, &t, error, room);
	free(table);
	return good;
}

static bool draw_curve(const FitLoop *l, const char *path, char *error, size_t room)
{
	double low = INFINITY, high = -INFINITY;
	for (size_t i = 0; i < l->nloss; i++) {
		low = fmin(low, l->loss[i]);
		high = fmax(high, l->loss[i]);
	}
	const char *file = strrchr(l->fit->target.file, '/');
	char *title = text_of("%s: %s", file ? file + 1 : l->fit->target.file, l->fit->target.function);
	Curve c = {.title = title,
		.loss = l->loss,
		.steps = l->nloss,
		.first_step = l->first + 1,
		.log_loss = low > 0 && high > 20 * low, /* else it has hardly two ticks */
		.metric_name = l->fit->show_name,
		.metric = l->metric,
		.metric_step = l->metric_step,
		.metrics = l->fit->show_name ? l->nmetric : 0};
	bool good = svg_curve(path, &c, error, room);
	free(title);
	return good;
}

static int write_losses(const FitLoop *l)
{
	char error[512];
	const Options *o = l->fit->options;
	const char *history = option(o, "history");
	if (history && !write_history(l, history, error, sizeof error))
		return complain(o, EXIT_ENVIRONMENT, "%s", error);
	return EXIT_GOOD;
}

static int write_files(FitLoop *l)
{
	char error[512];
	const Options *o = l->fit->options;
	const char *curve = option(o, "curve"), *save = option(o, "save");
	int status = write_losses(l);
	if (status != EXIT_GOOD) return status;
	if (curve && !draw_curve(l, curve, error, sizeof error))
		return complain(o, EXIT_ENVIRONMENT, "%s", error);
	return save ? fit_save(l->fit, save) : EXIT_GOOD;
}

static void report(const FitLoop *l, double seconds)
{
	const Fit *f = l->fit;
	char loss[NUMBER_TEXT_MAX];
	double last = l->nloss ? l->loss[l->nloss - 1] : NAN;
	if (f->patience && l->best.loss < INFINITY) last = l->best.loss;
	if (f->options->json) {
		TextBuffer b = {0};
		buffer_printf(&b, "{\"steps\": %" PRId64, f->t);
		json_key(&b, "loss");
		if (l->nloss)
			json_number(&b, last);
		else
			buffer_text(&b, "null");
		if (f->show_name) {
			json_key(&b, f->show_name);
			json_number(&b, l->value);
		}
		json_key(&b, "held_out");
		buffer_printf(&b, "%" PRId64, f->nheld);
		json_key(&b, "seed");
		buffer_printf(&b, "%" PRId64, f->seed);
		json_key(&b, "seconds");
		json_number(&b, seconds);
		buffer_text(&b, "}");
		puts(b.text);
		buffer_free(&b);
		return;
	}
	if (l->nloss)
		printf("step %" PRId64 "  loss %s  %.1f s\n", f->t, number_text(last, loss), seconds);
	else
		printf("step %" PRId64 "  no step of %" PRId64 " was left\n", f->t, f->steps);
	if (f->show_name && f->nheld)
		printf("%s %.6g on %" PRId64 " rows held out\n", f->show_name, l->value, f->nheld);
	else if (f->show_name)
		printf("%s %.6g\n", f->show_name, l->value);
}

static int fit(Fit *f)
{
	const char *resume = option(f->options, "resume");
	double began = seconds_now();
	int status = fit_read(f);
	if (status == EXIT_GOOD) status = fit_begin(f);
	if (status == EXIT_GOOD && resume) status = fit_resume(f, resume);
	if (status == EXIT_GOOD) status = fit_compile(f);
	if (status == EXIT_GOOD) status = fit_split(f);
	if (status != EXIT_GOOD) return status;
	FitLoop l;
	status = loop_open(&l, f);
	if (status == EXIT_GOOD) status = loop_run(&l);
	bool computed = status == EXIT_GOOD;
	interrupt_saves();
	if (computed)
		status = write_files(&l);
	else if (l.nloss) /* what led to a loss that is no number; its parameters are worth nothing */
		write_losses(&l);
	if (status == EXIT_GOOD) report(&l, seconds_now() - began);
	if (status == EXIT_GOOD && interrupted())
		status = complain(f->options, interrupted(), "stopped at step %" PRId64, f->t);
	loop_close(&l);
	return status;
}

static int run(Options *o)
{
	Fit f = {.options = o};
	if (!o->nword) return usage(o, "what is to be fitted? %s", o->command->words);
	int status = target_open(&f.target, o, o->word[0]);
	if (status == EXIT_GOOD && !f.target.function) status = usage(o, "FILE.por:NAME was wanted");
	if (status == EXIT_GOOD) status = arguments_read(&f.arguments, &f.target, o, 1);
	if (status == EXIT_GOOD) status = fit(&f);
	fit_free(&f);
	return status;
}

static const OptionSpec own[] = {
	{"steps", 0, "N", "steps in all; else the record's, or 1000"},
	{"block", 0, "m=N", "N rows of size m in a step; N may name sizes, as in m=m//10"},
	{"hold", 0, "PART", "the part of the rows that is kept out of the fit"},
	{"by", 0, "EXPR", "the optimiser, as in 'optim.momentum(rate = 0.1)'; else the record's, or optim.adam()"},
	{"rate", 0, "R", "its rate, in the place of the one that is written there"},
	{"patience", 0, "N", "end when the loss of held out rows was not lower N times; the best is kept"},
	{"history", 0, "FILE", "loss and metric of every step, as .csv", 0, ".csv"},
	{"curve", 0, "FILE", "a picture of them, as .svg", 0, ".svg"},
	{"save", 0, "FILE", "parameters, optimiser, step and seed, as .npz", 0, ".npz"},
	{"resume", 0, "FILE", "go on from such a file, with the same bits"},
	{"quiet", 'q', NULL, "no progress"},
	{"text", 0, NULL, "print the functions that are compiled"},
	{0},
};

const Command command_fit = {"fit", "FILE:NAME [name=@FILE]... [options]", "minimise a function over data",
	"  porism fit examples/digits/digits.por:train X=@digits.npz:x y=@digits.npz:y --save model.npz\n"
	"NAME is a record, let train = {minimise = loss, start = init, by = optim.adam(rate = 1e-3),\n"
	"block = {m = 128}, steps = 5000, show = accuracy, hold = 0.2}, or a function, which begins with what the\n"
	"file's function `start` gives, if it has one.  Its first parameter is fitted; the others come by name; a\n"
	"parameter of type key gets a new key in each step.  `block` names the size that is cut; `by` is any record\n"
	"with start(p) and step(p, g, s).",
	own, TAKES_ALL, run};
