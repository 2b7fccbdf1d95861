/* fit_plan.c - from `let train = {minimise = loss, start = init, by = optim.adam()}` to compiled functions.
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

/* ---- the record ------------------------------------------------------------------------------ */

static bool has_field(por_value *record, const char *name)
{
	for (int i = 0; i < por_value_count(record); i++)
		if (!strcmp(por_value_field(record, i), name)) return true;
	return false;
}

/* The number of a field; it may be any expression of numbers. */
static int field_number(Fit *f, const char *field, double *x)
{
	Value v = {0};
	char *text = text_of("%s.%s", f->target.function, field);
	int status = evaluate_text(&f->target, text, &v);
	if (status == EXIT_GOOD && (v.kind != VALUE_ARRAY || v.array.rank))
		status = complain(f->options, EXIT_FAILED, "%s is no number", text);
	if (status == EXIT_GOOD) *x = array_number(&v.array, 0);
	free(text);
	value_free(&v);
	return status;
}

/* "accuracy" of `show = accuracy`, as the file writes it. */
static char *written_name(Fit *f, const char *field)
{
	char *name = NULL;
	for (int i = 0; i < por_module_count(f->target.module) && !name; i++) {
		if (strcmp(por_module_name(f->target.module, i), f->target.function)) continue;
		char *text = por_module_text(f->target.module, i), *pattern = text_of("%s = ", field);
		char *at = text ? strstr(text, pattern) : NULL;
		size_t n = at ? strcspn(at + strlen(pattern), " ,}\n(") : 0;
		if (n) name = text_copy(at + strlen(pattern), n);
		free(pattern);
		por_text_free(text);
	}
	return name ? name : text_of("%s", field);
}

static int read_block(Fit *f, por_value *record)
{
	const char *given = option(f->options, "block");
	double x = 0;
	if (given) {
		size_t n = strcspn(given, "=");
		f->block = given[n] ? strtoll(given + n + 1, NULL, 10) : 0;
		f->block_name = text_copy(given, n);
	} else if (record && has_field(record, "block")) {
		por_value *block = por_value_element(record, 0);
		for (int i = 0; i < por_value_count(record); i++)
			if (!strcmp(por_value_field(record, i), "block"))
				block = por_value_element(record, i);
		if (strcmp(por_value_kind(block), "record") || por_value_count(block) != 1)
			return complain(
				f->options, EXIT_FAILED, "block: {m = 128}, a size and how many, was wanted");
		f->block_name = text_of("%s", por_value_field(block, 0));
		char *field = text_of("block.%s", f->block_name);
		int status = field_number(f, field, &x);
		free(field);
		if (status != EXIT_GOOD) return status;
		f->block = (int64_t)x;
	}
	if (f->block_name && f->block < 1)
		return complain(f->options, EXIT_FAILED, "a block of %s has %" PRId64 " rows", f->block_name,
			f->block);
	return EXIT_GOOD;
}

static int read_numbers(Fit *f, por_value *record)
{
	double steps = 1000, seed = 0;
	int status = EXIT_GOOD;
	if (record && has_field(record, "steps")) status = field_number(f, "steps", &steps);
	if (status == EXIT_GOOD && record && has_field(record, "hold"))
		status = field_number(f, "hold", &f->hold);
	if (status == EXIT_GOOD && record && has_field(record, "seed"))
		status = field_number(f, "seed", &seed);
	f->steps = (int64_t)steps, f->seed = (int64_t)seed;
	if (!option_number(f->options, "steps", 0, INT64_MAX, &f->steps)) return EXIT_USAGE;
	if (!option_number(f->options, "seed", INT64_MIN, INT64_MAX, &f->seed)) return EXIT_USAGE;
	const char *hold = option(f->options, "hold");
	char *end = NULL;
	if (hold) f->hold = strtod(hold, &end);
	if ((end && (end == hold || *end)) || !(f->hold >= 0 && f->hold < 1))
		return complain(f->options, EXIT_FAILED, "hold: a part from 0 to below 1 was wanted");
	return status;
}

/* Adam, where the record names none. */
static int usual_optimiser(Fit *f)
{
	por_module *m = f->target.module;
	bool used = false;
	for (int i = 0; i < por_module_count(m); i++)
		used |= !strcmp(por_module_kind(m, i), "use") && !strcmp(por_module_name(m, i), "optim");
	char *text = text_of("%slet porism_by = optim.adam()\n", used ? "" : "use optim\n");
	int code = por_module_add(m, text, "the command");
	free(text);
	return code ? target_fail(&f->target) : EXIT_GOOD;
}

/* A field that says nothing to a fit is most often a slip of the pen. */
static void unknown_fields(const Fit *f, por_value *record)
{
	static const char *const known[] = {
		"minimise", "start", "by", "block", "steps", "hold", "seed", "show", NULL};
	for (int i = 0; i < por_value_count(record); i++) {
		int k = 0;
		while (known[k] && strcmp(known[k], por_value_field(record, i))) k++;
		if (!known[k])
			fprintf(stderr, "porism: %s: `%s` is no field that fit reads\n", f->target.function,
				por_value_field(record, i));
	}
}

static int read_record(Fit *f)
{
	const char *name = f->target.function;
	por_value *record = por_value_named(f->target.module, name);
	if (!record) return target_fail(&f->target);
	if (!strcmp(por_value_kind(record), "function")) {
		f->minimise = text_of("%s", name);
		record = NULL;
	} else if (strcmp(por_value_kind(record), "record") || !has_field(record, "minimise"))
		return complain(f->options, EXIT_FAILED,
			"%s: a record with a field `minimise`, or a function, was wanted", name);
	else
		f->minimise = text_of("%s.minimise", name);
	if (record) unknown_fields(f, record);
	if (record && has_field(record, "start")) f->start = text_of("%s.start", name);
	if (record && has_field(record, "show")) {
		f->show = text_of("%s.show", name);
		f->show_name = written_name(f, "show");
	}
	f->by = record && has_field(record, "by") ? text_of("%s.by", name) : text_of("porism_by");
	int status = record && has_field(record, "by") ? EXIT_GOOD : usual_optimiser(f);
	if (status == EXIT_GOOD) status = read_block(f, record);
	return status == EXIT_GOOD ? read_numbers(f, record) : status;
}

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

/* What the shape of `path` says of the sizes of its type. */
static int learn_sizes(Fit *f, const char *path, const FileArray *a, const por_type *type)
{
	if (por_type_rank(type) != a->rank) {
		char *wanted = por_type_text(type), given[128];
		int status = complain(f->options, EXIT_FAILED, "%s is %s; %s is wanted", path,
			file_array_type(a, given, sizeof given), wanted);
		por_text_free(wanted);
		return status;
	}
	int status = EXIT_GOOD;
	for (int i = 0; i < a->rank && status == EXIT_GOOD; i++) {
		char *name = por_size_text(f->target.graph, por_type_size(type, i));
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

/* The leaf `path` of a function, from the command line; *found is NULL when it is not given. */
static int find_data(Fit *f, const por_leaf *leaf, FitLeaf **found)
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
			status = learn_sizes(f, leaf->path, given->array, leaf->type);
		FitLeaf one = {.path = text_of("%s", leaf->path), .array = *given->array, .axis = -1};
		for (int i = 0; status == EXIT_GOOD && f->block_name && i < one.array.rank; i++) {
			char *size = need(por_size_text(f->target.graph, por_type_size(leaf->type, i)));
			if (!strcmp(size, f->block_name) && one.axis < 0) one.axis = i;
			por_text_free(size);
		}
		if (one.axis >= 0) f->rows = one.array.shape[one.axis];
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
		status = find_data(f, &leaf, &found);
		if (status == EXIT_GOOD && !found && !leaf.fallback)
			status = usage(f->options, "%s is not given; add %s=@FILE", leaf.path, leaf.path);
	}
	return status;
}

int fit_read(Fit *f)
{
	int status = read_record(f);
	if (status != EXIT_GOOD) return status;
	f->loss = por_function_named(f->target.module, f->minimise, 0, NULL);
	if (!f->loss) return target_fail(&f->target);
	if (!por_function_params(f->loss))
		return complain(f->options, EXIT_FAILED, "%s has no parameter", f->minimise);
	f->p_name = text_of("%s", por_function_param(f->loss, 0));
	status = collect_data(f, f->loss, 1);
	if (status == EXIT_GOOD && f->block_name && !f->rows)
		status = complain(f->options, EXIT_FAILED, "block: no array that is given has the size %s",
			f->block_name);
	if (status == EXIT_GOOD && f->hold > 0 && !f->rows)
		status = complain(f->options, EXIT_FAILED,
			"hold needs `block`, which says the size whose rows are held out");
	return status;
}

/* ---- texts of types -------------------------------------------------------------------------- */

static bool name_char(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		(unsigned char)c > 127;
}

/* Within brackets, sizes that are known become numbers; the one that is cut stays. */
static char *fix_sizes(Fit *f, const char *text)
{
	Buffer b = {0};
	int depth = 0;
	while (*text) {
		size_t n = 0;
		while (name_char(text[n])) n++;
		FitSize *s = n && depth ? find_size(f, text, n) : NULL;
		if (s && !(f->block_name && !strcmp(s->name, f->block_name)))
			buffer_printf(&b, "%" PRId64, s->value);
		else
			buffer_add(&b, text, n ? n : 1);
		depth += !n && *text == '[' ? 1 : !n && *text == ']' ? -1 : 0;
		text += n ? n : 1;
	}
	return b.text ? b.text : text_of("()");
}

static char *structure_type(Fit *f, const por_structure *s, por_function *function, bool output)
{
	Buffer b = {0};
	add_structure_type(&b, s, function, output);
	char *text = fix_sizes(f, buffer_get(&b));
	buffer_free(&b);
	return text;
}

/* ---- where it starts ------------------------------------------------------------------------- */

/* The value of an input of `start`: a key is root[0], sizes and data come by name. */
static int bind_start(Fit *f, Call *c)
{
	Value key = {0};
	char *text = text_of("key(%" PRId64 ")[0]", f->seed);
	int status = evaluate_text(&f->target, text, &key);
	free(text);
	for (int i = 0; i < c->nin && status == EXIT_GOOD; i++) {
		por_leaf leaf;
		FitLeaf *found = NULL;
		por_array *fallback = NULL;
		por_function_input(c->function, i, &leaf);
		FileArray *own = &c->own[i];
		if (por_type_dtype(leaf.type) == POR_KEY) {
			por_array view = por_view(key.array.data, POR_KEY, 0, NULL);
			*own = copy_array(&view);
		} else {
			f->data = need(realloc(f->data, (f->ndata + 1) * sizeof *f->data));
			status = find_data(f, &leaf, &found);
			if (found) {
				por_array view =
					por_view(found->array.data, por_dtype_named(found->array.dtype),
						found->array.rank, found->array.shape);
				*own = copy_array(&view);
			} else if (leaf.fallback && (fallback = por_node_constant(leaf.fallback)))
				*own = copy_array(fallback);
			else if (status == EXIT_GOOD)
				status = usage(f->options, "start needs %s, which is not given", leaf.path);
		}
		por_array_free(fallback);
		if (status == EXIT_GOOD)
			c->in[i] = por_view(own->data, por_dtype_named(own->dtype), own->rank, own->shape);
	}
	value_free(&key);
	return status;
}

static int call_start(Fit *f)
{
	int count = por_declared_params(f->target.module, f->start), n = (int)f->nsize;
	por_given *given = need(calloc(f->nsize + (size_t)(count > 0 ? count : 0) + 1, sizeof *given));
	for (size_t i = 0; i < f->nsize; i++)
		given[i] = (por_given){
			.name = f->size[i].name, .value = por_integer(f->target.graph, f->size[i].value)};
	for (int i = 0; i < count; i++) { /* (k) => ...: what has neither type nor default is the key */
		por_param p;
		if (!por_declared_param(f->target.module, f->start, i, &p) && !p.bracket && !*p.type &&
			!*p.fallback)
			given[n++] =
				(por_given){.name = p.name, .type = por_type_parse(f->target.graph, "key")};
	}
	por_function *start = por_function_named(f->target.module, f->start, n, given);
	free(given);
	if (!start) return target_fail(&f->target);
	Call c = {.function = start, .nin = por_function_inputs(start)};
	c.own = need(calloc((size_t)c.nin + 1, sizeof *c.own));
	c.in = need(calloc((size_t)c.nin + 1, sizeof *c.in));
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .threads = 1};
	int status = bind_start(f, &c);
	if (status == EXIT_GOOD) status = call_compile(&c, &f->target, &o);
	if (status == EXIT_GOOD) status = call_run(&c, &f->target, &f->p);
	if (status == EXIT_GOOD)
		f->p_type = structure_type(f, por_function_result_structure(start), start, true);
	call_free(&c);
	return status;
}

/* A structure like s, its arrays taken from those given by path. */
static int take_given(Fit *f, const por_structure *s, const char *path, GivenLeaves *all, Value *v)
{
	const char *kind = por_structure_kind(s);
	int n = por_structure_count(s), status = EXIT_GOOD;
	bool record = !strcmp(kind, "record");
	*v = (Value){.kind = !strcmp(kind, "array") ? VALUE_ARRAY : record ? VALUE_RECORD : VALUE_TUPLE};
	if (v->kind == VALUE_ARRAY) {
		por_leaf leaf;
		por_function_input(f->loss, por_structure_leaf(s), &leaf);
		GivenLeaf *given = given_leaf(all, path);
		char why[256];
		if (!given) return usage(f->options, "%s is not given, and there is no `start`", path);
		if (!array_convert(given->array, por_dtype_name(por_type_dtype(leaf.type)), why, sizeof why))
			return complain(f->options, EXIT_FAILED, "%s %s", path, why);
		por_array view = por_view(given->array->data, por_dtype_named(given->array->dtype),
			given->array->rank, given->array->shape);
		v->array = copy_array(&view);
		return learn_sizes(f, path, &v->array, leaf.type);
	}
	v->n = (size_t)n;
	v->elem = need(calloc(v->n + 1, sizeof *v->elem));
	if (record) v->field = need(calloc(v->n + 1, sizeof *v->field));
	for (int i = 0; i < n && status == EXIT_GOOD; i++) {
		char number[16];
		snprintf(number, sizeof number, "%d", i);
		const char *name = record ? por_structure_field(s, i) : number;
		char *inner = text_of("%s.%s", path, name);
		if (record) v->field[i] = text_of("%s", name);
		status = take_given(f, por_structure_element(s, i), inner, all, &v->elem[i]);
		free(inner);
	}
	return status;
}

static bool is_given(const Fit *f)
{
	size_t n = strlen(f->p_name);
	for (size_t i = 0; i < f->arguments.n; i++) {
		const char *name = f->arguments.given[i].name;
		if (!strncmp(name, f->p_name, n) && (!name[n] || name[n] == '.')) return true;
	}
	return false;
}

static int given_start(Fit *f)
{
	GivenLeaves all;
	const por_structure *s = por_function_param_structure(f->loss, 0);
	arguments_leaves(&f->arguments, &all);
	int status = take_given(f, s, f->p_name, &all, &f->p);
	given_leaves_free(&all);
	if (status == EXIT_GOOD) f->p_type = structure_type(f, s, f->loss, false);
	return status;
}

/* The optimiser's state for the parameters. */
static int call_state(Fit *f)
{
	char *text = text_of("fn porism_state(p: %s) = %s.start(p)\n", f->p_type, f->by);
	int code = por_module_add(f->target.module, text, "the optimiser");
	free(text);
	por_function *state = code ? NULL : por_function_named(f->target.module, "porism_state", 0, NULL);
	if (!state) return target_fail(&f->target);
	f->s_type = structure_type(f, por_function_result_structure(state), state, true);
	if (!por_function_outputs(state)) {
		f->s = (Value){.kind = VALUE_TUPLE};
		return EXIT_GOOD;
	}
	Arguments a = {.given = &(Given){.name = "p", .value = f->p}, .n = 1};
	Call c;
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .threads = 1};
	int status = call_bind(&c, &f->target, state, &a, false);
	if (status == EXIT_GOOD) status = call_compile(&c, &f->target, &o);
	if (status == EXIT_GOOD) status = call_run(&c, &f->target, &f->s);
	call_free(&c);
	return status;
}

int fit_begin(Fit *f)
{
	int status = f->start && !is_given(f) ? call_start(f) : given_start(f);
	return status == EXIT_GOOD ? call_state(f) : status;
}

/* ---- the step -------------------------------------------------------------------------------- */

/* Declares the parameters of `function` from `from` on that are given, and writes the call's arguments. */
static void add_parameters(Fit *f, por_function *function, int from, Buffer *declared, Buffer *call)
{
	int keys = 0;
	bool by_name = false;
	for (int i = from; i < por_function_params(function); i++) {
		const por_structure *s = por_function_param_structure(function, i);
		const char *name = por_function_param(function, i);
		por_leaf leaf = {0};
		bool is_array = !strcmp(por_structure_kind(s), "array"), given = !is_array;
		if (is_array) por_function_input(function, por_structure_leaf(s), &leaf);
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
		char *type = structure_type(f, s, function, false);
		buffer_text(call, name);
		buffer_printf(declared, ", %s: %s", name, type);
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
	Buffer declared = {0}, call = {0};
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
	buffer_free(&declared), buffer_free(&call);
	return function;
}

static por_function *metric_function(Fit *f, por_function *show)
{
	Buffer declared = {0}, call = {0};
	add_parameters(f, show, 1, &declared, &call);
	const char *p = por_function_param(show, 0);
	char *text = text_of("fn porism_metric(%s: %s%s, porism_seed: i64, porism_t: i64) = %s(%s%s)\n", p,
		f->p_type, buffer_get(&declared), f->show, p, buffer_get(&call));
	por_function *function = add_function(f, "porism_metric", text);
	free(text);
	buffer_free(&declared), buffer_free(&call);
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
		por_leaf leaf;
		por_function_input(function, i, &leaf);
		for (size_t k = 0; k < f->ndata; k++) {
			if (strcmp(f->data[k].path, leaf.path)) continue;
			FitLeaf *data = c->data[i] = &f->data[k];
			FileArray *cut = &c->cut[i];
			*cut = data->array;
			cut->data = data->axis < 0 ? NULL : need(malloc(cut->bytes + 1));
			void *at = cut->data ? cut->data : data->array.data;
			c->in[i] = por_view(at, por_dtype_named(cut->dtype), cut->rank, cut->shape);
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
		show = por_function_named(f->target.module, f->show, 0, NULL);
		if (!show) return target_fail(&f->target);
		int status = collect_data(f, show, 1);
		if (status != EXIT_GOOD) return status;
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
	free(f->size), free(f->data);
	free(f->minimise), free(f->start), free(f->by), free(f->show), free(f->show_name),
		free(f->block_name);
	free(f->p_name), free(f->p_type), free(f->s_type);
	free(f->train), free(f->held), free(f->order);
	arguments_free(&f->arguments);
	target_close(&f->target);
}
