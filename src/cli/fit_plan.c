/* fit_plan.c - from a fit's record and data to compiled functions.
 *
 * The step is text of the notation, added to the user's file:
 *
 *     fn porism_step(p: {...}, s: {...}, X: f32[m, 64], y: i32[m], seed: i64, t: i64) =
 *         let value = train.minimise(p, X, y, key(seed)[3][t][0])
 *         let g = grad(value, p)
 *         let (p, s) = train.by.step(p, g, s)
 *         in (p, s, value)
 *
 * so that loss, gradient and update are one program.
 */
#include "fit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- sizes and data -------------------------------------------------------------------------- */

static FitSize *find_size(Fit *f, const char *name, size_t n)
{
	for (size_t i = 0; i < f->nsize; i++)
		if (strlen(f->size[i].name) == n && !strncmp(f->size[i].name, name, n)) return &f->size[i];
	return NULL;
}

static bool is_name(const char *text)
{
	return text && !(*text >= '0' && *text <= '9') && !text[strcspn(text, " +-*/%()")];
}

int fit_learn_sizes(Fit *f, const char *path, const FileArray *a, const por_type *type)
{
	if (por_type_rank(type) != a->rank) {
		char *wanted = need(por_type_text(type)), given[128];
		int status = complain(f->options, EXIT_FAILED, "%s is %s; %s is wanted", path,
			file_array_type(a, given, sizeof given), wanted);
		por_text_free(wanted);
		return status;
	}
	int status = EXIT_GOOD;
	for (int i = 0; i < a->rank && status == EXIT_GOOD; i++) {
		char *name = need(por_size_text(f->target.graph, por_type_size(type, i)));
		FitSize *known = is_name(name) ? find_size(f, name, strlen(name)) : NULL;
		if (known && known->value != a->shape[i])
			status = complain(f->options, EXIT_FAILED,
				"%s: size %s is %" PRId64 ", and elsewhere %" PRId64, path, name, a->shape[i],
				known->value);
		else if (!known && is_name(name)) {
			f->size = need(realloc(f->size, (f->nsize + 1) * sizeof *f->size));
			f->size[f->nsize++] = (FitSize){text_of("%s", name), a->shape[i]};
		}
		por_text_free(name);
	}
	return status;
}

int fit_find_data(Fit *f, const por_leaf *leaf, FitLeaf **found)
{
	*found = NULL;
	for (size_t i = 0; i < f->ndata; i++)
		if (!strcmp(f->data[i].path, leaf->path)) *found = &f->data[i];
	if (*found) return EXIT_GOOD;
	GivenLeaves all;
	arguments_leaves(&f->arguments, &all);
	GivenLeaf *given = given_leaf(&all, leaf->path);
	int status = EXIT_GOOD;
	if (given) {
		char why[256];
		const char *dtype = por_dtype_name(por_type_dtype(leaf->type));
		if (!array_convert(given->array, dtype, why, sizeof why))
			status = complain(f->options, EXIT_FAILED, "%s %s", leaf->path, why);
		else
			status = fit_learn_sizes(f, leaf->path, given->array, leaf->type);
		FitLeaf one = {.path = text_of("%s", leaf->path), .array = *given->array, .axis = -1};
		for (int i = 0; status == EXIT_GOOD && f->block_name && i < one.array.rank; i++) {
			char *size = need(por_size_text(f->target.graph, por_type_size(leaf->type, i)));
			if (!strcmp(size, f->block_name) && one.axis < 0) one.axis = i;
			por_text_free(size);
		}
		if (one.axis >= 0 && !(f->rows = one.array.shape[one.axis]) && status == EXIT_GOOD)
			status = complain(f->options, EXIT_FAILED, "%s has no rows: size %s is 0", leaf->path,
				f->block_name);
		*found = &f->data[f->ndata];
		f->data[f->ndata++] = one;
	}
	given_leaves_free(&all);
	return status;
}

/* All data of a function's parameters from number `from` on; keys and defaults need none. */
static int collect_data(Fit *f, por_function *function, int from)
{
	int n = por_function_inputs(function), status = EXIT_GOOD;
	f->data = need(realloc(f->data, (f->ndata + (size_t)n + 1) * sizeof *f->data));
	for (int i = 0; i < n && status == EXIT_GOOD; i++) {
		por_leaf leaf;
		FitLeaf *found;
		if (por_function_input(function, i, &leaf)) return target_fail(&f->target);
		if (leaf.param < from || por_type_dtype(leaf.type) == POR_KEY) continue;
		status = fit_find_data(f, &leaf, &found);
		if (status == EXIT_GOOD && !found && !leaf.fallback)
			status = usage(f->options, "%s is not given; add %s=@FILE", leaf.path, leaf.path);
	}
	return status;
}

/* An expression with the sizes that are known as numbers, but for fields; of the file's text only those
 * within brackets, and not the one that is cut. */
static char *with_sizes(Fit *f, const char *text, bool in_file)
{
	TextBuffer b = {0};
	int depth = 0;
	while (*text) {
		size_t n = 0;
		while (is_name_char(text[n])) n++;
		bool field = b.n && b.text[b.n - 1] == '.';
		FitSize *s = n && !field && (depth || !in_file) ? find_size(f, text, n) : NULL;
		if (s && in_file && f->block_name && !strcmp(s->name, f->block_name)) s = NULL;
		if (s)
			buffer_printf(&b, "%" PRId64, s->value);
		else
			buffer_add(&b, text, n ? n : 1);
		if (!n && *text == '[') depth++;
		if (!n && *text == ']') depth--;
		text += n ? n : 1;
	}
	return b.text ? b.text : text_of("()");
}

/* How many rows a step takes.  The size that is cut can be none of the parameters'. */
static int read_rows(Fit *f)
{
	for (int i = 0; i < por_function_inputs(f->loss); i++) {
		por_leaf leaf;
		if (por_function_input(f->loss, i, &leaf) || leaf.param > 0) continue;
		for (int k = 0; k < por_type_rank(leaf.type); k++) {
			char *size = need(por_size_text(f->target.graph, por_type_size(leaf.type, k)));
			bool fitted = !strcmp(size, f->block_name);
			por_text_free(size);
			if (fitted)
				return complain(f->options, EXIT_FAILED,
					"block: %s is a size of %s, which is fitted; a size of the data alone can be cut",
					f->block_name, leaf.path);
		}
	}
	double rows = 0;
	char *text = with_sizes(f, f->block_text, false);
	int status = fit_number(f, text, &rows);
	free(text);
	if (status == EXIT_GOOD && !(rows >= 1 && rows < 0x1p53 && rows == (double)(int64_t)rows))
		status = complain(f->options, EXIT_FAILED,
			"block: given %s = %.17g, wanted a whole number of rows, 1 or more", f->block_name,
			rows);
	f->block = status == EXIT_GOOD ? (int64_t)rows : 0;
	return status;
}

int fit_read(Fit *f)
{
	por_param p;
	int status = fit_record(f);
	if (status == EXIT_GOOD) status = unknown_arguments(f);
	if (status != EXIT_GOOD) return status;
	if (plain_param(f, f->minimise, 0, &p)) f->p_name = text_of("%s", p.name);
	if (f->p_name && !*p.type && f->start && !fit_is_given(f)) status = fit_call_start(f);
	if (status != EXIT_GOOD) return status;
	f->loss = fit_function(f, f->minimise);
	if (!f->loss) return target_fail(&f->target);
	if (!por_function_params(f->loss))
		return complain(f->options, EXIT_FAILED, "%s has no parameter", f->minimise);
	if (!f->p_name) f->p_name = text_of("%s", por_function_param(f->loss, 0));
	status = collect_data(f, f->loss, 1);
	if (status == EXIT_GOOD && f->block_name && !f->rows)
		status = complain(f->options, EXIT_FAILED, "block: no array that is given has the size %s",
			f->block_name);
	if (status == EXIT_GOOD && f->block_name) status = read_rows(f);
	if (status == EXIT_GOOD && f->hold > 0 && !f->rows)
		status = complain(f->options, EXIT_FAILED,
			"hold needs `block`, which says the size whose rows are held out; add --block m=32, say");
	return status;
}

/* ---- texts of types -------------------------------------------------------------------------- */

char *fit_structure_type(Fit *f, const por_structure *s, por_function *function, bool output)
{
	TextBuffer b = {0};
	add_structure_type(&b, s, function, output);
	char *text = with_sizes(f, buffer_get(&b), true);
	buffer_free(&b);
	return text;
}

/* ---- the step -------------------------------------------------------------------------------- */

/* Declares the parameters of `function` from `from` on that are given and are not yet, and writes the call's
 * arguments. */
static void add_parameters(Fit *f, por_function *function, int from, TextBuffer *declared, TextBuffer *call)
{
	int keys = 0;
	bool by_name = false;
	for (int i = from; i < por_function_params(function); i++) {
		const por_structure *s = por_function_param_structure(function, i);
		const char *name = por_function_param(function, i);
		por_leaf leaf = {0};
		bool is_array = !strcmp(por_structure_kind(s), "array"), given = !is_array;
		if (is_array) leaf = input_of(function, por_structure_leaf(s));
		for (size_t k = 0; k < f->ndata; k++) given |= !strcmp(f->data[k].path, name);
		bool key = is_array && por_type_dtype(leaf.type) == POR_KEY;
		if (!key && !given) {
			by_name = true;
			continue;
		}
		buffer_text(call, ", ");
		if (by_name) buffer_printf(call, "%s = ", name);
		if (key) {
			buffer_printf(call, "key(porism_seed)[3][porism_t][%d]", keys++);
			continue;
		}
		buffer_text(call, name);
		char *as = text_of(", %s: ", name), *type = fit_structure_type(f, s, function, false);
		if (!strstr(buffer_get(declared), as)) buffer_printf(declared, "%s%s", as, type);
		free(as);
		free(type);
	}
}

static por_function *add_function(Fit *f, const char *name, const char *text)
{
	if (option(f->options, "text")) fputs(text, stderr);
	if (por_module_add(f->target.module, text, name)) return NULL;
	return por_function_named(f->target.module, name, 0, NULL);
}

static por_function *step_function(Fit *f)
{
	TextBuffer declared = {0}, call = {0};
	add_parameters(f, f->loss, 1, &declared, &call);
	char *text = text_of("fn porism_step(%s: %s, porism_s: %s%s, porism_seed: i64, porism_t: i64) =\n"
			     "    let porism_value = %s(%s%s)\n"
			     "    let porism_g = grad(porism_value, %s)\n"
			     "    let (porism_p, porism_s) = %s.step(%s, porism_g, porism_s)\n"
			     "    in (porism_p, porism_s, porism_value)\n",
		f->p_name, f->p_type, f->s_type, buffer_get(&declared), f->minimise, f->p_name,
		buffer_get(&call), f->p_name, f->by, f->p_name);
	por_function *function = add_function(f, "porism_step", text);
	free(text);
	buffer_free(&declared);
	buffer_free(&call);
	return function;
}

/* What is shown, and the loss where the fit ends by it. */
static por_function *metric_function(Fit *f, por_function *show)
{
	TextBuffer declared = {0}, both = {0};
	const char *p = por_function_param(show ? show : f->loss, 0), *name[] = {f->show, f->minimise};
	por_function *of[] = {show, f->patience ? f->loss : NULL};
	for (int i = 0; i < 2; i++) {
		TextBuffer call = {0};
		if (!of[i]) continue;
		add_parameters(f, of[i], 1, &declared, &call);
		buffer_printf(&both, "%s(%s%s), ", name[i], p, buffer_get(&call));
		buffer_free(&call);
	}
	char *text = text_of("fn porism_metric(%s: %s%s, porism_seed: i64, porism_t: i64) = (%s)\n", p, f->p_type,
		buffer_get(&declared), buffer_get(&both));
	por_function *function = add_function(f, "porism_metric", text);
	free(text);
	buffer_free(&declared);
	buffer_free(&both);
	return function;
}

static int fit_bind(FitFunction *c, Fit *f, por_function *function, const por_options *o)
{
	*c = (FitFunction){.function = function,
		.nin = por_function_inputs(function),
		.nout = por_function_outputs(function)};
	c->program = por_compile_function(function, o);
	if (!c->program) return target_fail(&f->target);
	c->frame = por_frame_new(c->program);
	if (!c->frame) return complain_with(f->options, por_program_error(c->program), NULL);
	size_t n = (size_t)c->nin;
	c->in = need(calloc(n + 1, sizeof *c->in));
	c->data = need(calloc(n + 1, sizeof(FitLeaf *)));
	c->cut = need(calloc(n + 1, sizeof *c->cut));
	for (int i = 0; i < c->nin; i++) {
		por_leaf leaf = input_of(function, i);
		for (size_t k = 0; k < f->ndata; k++) {
			if (strcmp(f->data[k].path, leaf.path)) continue;
			FitLeaf *data = c->data[i] = &f->data[k];
			FileArray *cut = &c->cut[i];
			*cut = data->array;
			cut->data = data->axis < 0 ? NULL : need(malloc(cut->bytes + 1));
			c->in[i] = array_view(cut->data ? cut : &data->array);
		}
	}
	return EXIT_GOOD;
}

int fit_compile(Fit *f)
{
	por_options o;
	if (!options_compile(f->options, &o)) return EXIT_USAGE;
	por_function *show = NULL, *metric = NULL;
	if (f->show) {
		show = fit_function(f, f->show);
		if (!show) return target_fail(&f->target);
		int status = collect_data(f, show, 1);
		if (status != EXIT_GOOD) return status;
	}
	if (show || f->patience) {
		metric = metric_function(f, show);
		if (!metric) return target_fail(&f->target);
	}
	por_function *step = step_function(f);
	if (!step) return target_fail(&f->target);
	int status = fit_bind(&f->step, f, step, &o);
	return status == EXIT_GOOD && metric ? fit_bind(&f->metric, f, metric, &o) : status;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void function_free(FitFunction *c)
{
	por_frame_free(c->frame);
	por_program_free(c->program);
	for (int i = 0; c->cut && i < c->nin; i++) free(c->cut[i].data);
	free(c->in);
	free(c->data);
	free(c->cut);
}

void fit_free(Fit *f)
{
	function_free(&f->step);
	function_free(&f->metric);
	value_free(&f->p);
	value_free(&f->s);
	for (size_t i = 0; i < f->nsize; i++) free(f->size[i].name);
	for (size_t i = 0; i < f->ndata; i++) free(f->data[i].path);
	free(f->size);
	free(f->data);
	free(f->minimise);
	free(f->start);
	free(f->by);
	free(f->show);
	free(f->show_name);
	free(f->block_name);
	free(f->block_text);
	free(f->p_name);
	free(f->p_type);
	free(f->s_type);
	free(f->train);
	free(f->held);
	free(f->order);
	arguments_free(&f->arguments);
	target_close(&f->target);
}
