/* check_values.c - random arguments that suit a function: sizes for its names, numbers within its facts. */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The text of a size with its names replaced by numbers; new names get one. */
static char *size_numbers(Check *c, RandomArguments *s, const char *text)
{
	static const int64_t choice[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 33}, wild[] = {0, 1, 2, 3, 3, 4, 5, 9};
	TextBuffer b = {0};
	while (*text) {
		size_t n = 0;
		while (is_name_char(text[n])) n++;
		bool name = n && !(*text >= '0' && *text <= '9') && text[n] != '(';
		int k = 0;
		while (name && k < s->nsize &&
			(strlen(s->size[k].name) != n || strncmp(s->size[k].name, text, n)))
			k++;
		if (name && k == s->nsize && k < SIZES_MAX) {
			uint64_t at = next_random(&c->random);
			s->size[s->nsize++] = (SizeValue){text_copy(text, n),
				c->wild || c->smooth ? wild[at % (sizeof wild / sizeof *wild)]
					: choice[at % (sizeof choice / sizeof *choice)]};
		}
		if (name && k < SIZES_MAX)
			buffer_printf(&b, "%" PRId64, s->size[k].value);
		else
			buffer_add(&b, text, n ? n : 1);
		text += n ? n : 1;
	}
	return b.text ? b.text : text_of("0");
}

static int64_t size_value(Check *c, RandomArguments *s, por_size size)
{
	if (size >= 0) return size;
	char *text = need(por_size_text(c->target->graph, size)), *numbers = size_numbers(c, s, text);
	por_text_free(text);
	TextValue v = {0};
	char *end;
	int64_t value = strtoll(numbers, &end, 10);
	if (*end && evaluate_text(c->target, NULL, numbers, &v) == EXIT_GOOD)
		value = (int64_t)array_number(&v.array, 0);
	value_free(&v);
	free(numbers);
	return value < 0 ? 0 : value;
}

static double random_float(Check *c, const por_leaf *leaf)
{
	bool low = isfinite(leaf->low), high = isfinite(leaf->high);
	double u = next_unit(&c->random), x = 4 * u - 2;
	if (low && high) return leaf->low + (leaf->high - leaf->low) * (0.001 + 0.998 * u);
	if (!c->smooth && next_random(&c->random) % 8 == 0) x *= exp(20 * next_unit(&c->random) - 10);
	if (low) return leaf->low + fabs(x) + 0x1p-20;
	if (high) return leaf->high - fabs(x) - 0x1p-20;
	return x;
}

/* A whole number as an index, a count or a size: few, or what has to be refused. */
static int64_t random_whole(Check *c, int rank)
{
	static const int64_t bad[] = {
		-1, -2, -3, -4, 5, 6, 9, 10, 100, INT64_C(1) << 62, INT64_MAX, INT64_MIN};
	uint64_t at = next_random(&c->random);
	if (c->wild && at % (rank ? 16 : 4) == 0) return bad[at / 16 % (sizeof bad / sizeof *bad)];
	return (int64_t)(at % (c->wild ? 4 : 3));
}

/* Within what an integer of so many bytes holds; INT64_MAX is as much as is drawn for u64. */
static int64_t clamped(int64_t x, const char *dtype)
{
	int bits = 8 * (int)element_bytes(dtype);
	bool natural = dtype[0] == 'u';
	int64_t most = bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - !natural)) - 1;
	int64_t least = natural ? 0 : -most - 1;
	if (x < least) return least;
	return x > most ? most : x;
}

static FileArray random_array(Check *c, RandomArguments *s, const por_leaf *leaf)
{
	FileArray f = {.rank = por_type_rank(leaf->type)};
	const char *dtype = por_dtype_name(por_type_dtype(leaf->type));
	bool real = dtype[0] == 'f' || dtype[0] == 'b' || dtype[0] == 'c', is_bool = !strcmp(dtype, "bool");
	int64_t n = 1;
	for (int i = 0; i < f.rank; i++) n *= f.shape[i] = size_value(c, s, por_type_size(leaf->type, i));
	if (is_bool || !strcmp(dtype, "key")) {
		snprintf(f.dtype, sizeof f.dtype, "%s", dtype);
		f.bytes = (size_t)n * element_bytes(dtype);
		f.data = need(calloc(f.bytes + 1, 1));
		for (size_t i = 0; i < f.bytes; i += is_bool ? 1 : 16)
			((uint8_t *)f.data)[i] = (uint8_t)(next_random(&c->random) & (is_bool ? 1 : 255));
		return f;
	}
	snprintf(f.dtype, sizeof f.dtype, "%s", real ? "f64" : "i64");
	f.bytes = (size_t)n * 8;
	f.data = need(malloc(f.bytes + 1));
	for (int64_t i = 0; i < n; i++) {
		int64_t whole = random_whole(c, f.rank);
		if (isfinite(leaf->low) && (double)whole < leaf->low) whole = (int64_t)ceil(leaf->low);
		if (!real)
			((int64_t *)f.data)[i] = clamped(whole, dtype);
		else
			((double *)f.data)[i] = leaf->integer ? (double)whole : random_float(c, leaf);
	}
	char error[256];
	array_convert(&f, dtype, error, sizeof error); /* which holds them */
	return f;
}

RandomArguments random_arguments(Check *c, por_function *f)
{
	RandomArguments a = {.n = por_function_inputs(f)};
	a.own = need(calloc((size_t)a.n + 1, sizeof *a.own));
	a.in = need(calloc((size_t)a.n + 1, sizeof *a.in));
	for (int i = 0; i < a.n; i++) {
		por_leaf leaf = input_of(f, i);
		a.own[i] = random_array(c, &a, &leaf);
		a.in[i] = array_view(&a.own[i]);
	}
	return a;
}

/* The one name in the text of a size that has no value yet, for who frees it; NULL: there is none, or more.
 * */
static char *unknown_name(const RandomArguments *s, const char *text)
{
	char *found = NULL;
	while (*text) {
		size_t n = 0;
		while (is_name_char(text[n])) n++;
		bool known = !n || (*text >= '0' && *text <= '9') || text[n] == '(';
		for (int k = 0; k < s->nsize && !known; k++)
			known = strlen(s->size[k].name) == n && !strncmp(s->size[k].name, text, n);
		bool again = !known && found && strlen(found) == n && !strncmp(found, text, n);
		if (!known && !again && found) {
			free(found);
			return NULL;
		}
		if (!known && !again) found = text_copy(text, n);
		text += n ? n : 1;
	}
	return found;
}

/* n + 1 is 4: so n is 3, where the size grows evenly with a name of it. */
static void learn_size(Check *c, RandomArguments *a, por_size size, int64_t is)
{
	enum { AT = 1000 };
	char *text = size < 0 && a->nsize < SIZES_MAX ? need(por_size_text(c->target->graph, size)) : NULL;
	char *name = text ? unknown_name(a, text) : NULL;
	por_text_free(text);
	if (!name) return;
	SizeValue *s = &a->size[a->nsize++];
	*s = (SizeValue){name, AT};
	int64_t at = size_value(c, a, size);
	s->value = AT + 1;
	int64_t slope = size_value(c, a, size) - at;
	s->value = slope ? AT + (is - at)/slope : 0;
	if (size_value(c, a, size) == is) return;
	free(name);
	a->nsize--;
}

RandomArguments given_arguments(Check *c, por_function *f, const por_array *in)
{
	RandomArguments a = {.n = por_function_inputs(f)};
	a.own = need(calloc((size_t)a.n + 1, sizeof *a.own));
	a.in = need(calloc((size_t)a.n + 1, sizeof *a.in));
	for (int i = 0; i < a.n; i++) {
		a.own[i] = copy_array(&in[i]);
		a.in[i] = array_view(&a.own[i]);
	}
	for (int known = -1; known < a.nsize;) { /* of m + n both are known when one is */
		known = a.nsize;
		for (int i = 0; i < a.n; i++)
			for (int d = 0; d < in[i].ndim; d++)
				learn_size(c, &a, por_type_size(input_of(f, i).type, d), in[i].shape[d]);
	}
	return a;
}

void random_arguments_free(RandomArguments *a)
{
	for (int i = 0; i < a->n; i++) file_array_free(&a->own[i]);
	for (int i = 0; i < a->nsize; i++) free(a->size[i].name);
	free(a->own);
	free(a->in);
}
