/* test_picture.c - pictures: pixels, curves with their ticks, digits that were misread. */
#include "files_help.h"

#include <math.h>

static void test_png(void **state)
{
	(void)state;
	static const uint8_t pixels[2 * 3 * 3] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9};
	uint8_t *data;
	size_t n;
	for (int channels = 1; channels <= 3; channels += 2) {
		assert_good(png_write(in_folder("a.png"), &(Pixels){pixels, 3, 2, channels}, ERROR));
		assert_good(file_read(in_folder("a.png"), &data, &n, ERROR));
		/* signature, then IHDR: width 3, height 2, 8 bits, grey (0) or RGB (2) */
		assert_memory_equal(data, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\3\0\0\0\2\x08", 25);
		assert_int_equal(data[25], channels == 3 ? 2 : 0);
		assert_memory_equal(data + n - 8, "IEND", 4);
		free(data);
	}
	assert_error(png_write(in_folder("b.png"), &(Pixels){pixels, 3, 2, 2}, ERROR), "2 channels");
	assert_error(png_write(in_folder("b.png"), &(Pixels){pixels, 0, 2, 1}, ERROR), "0 by 2");
	assert_error(png_write("/dev/full", &(Pixels){pixels, 3, 2, 1}, ERROR), "No space left");
}

static void test_nice_ticks(void **state)
{
	(void)state;
	static const struct {
		double low, high, first, step;
		int count, decimals;
	} some[] = {{0, 1, 0, 0.2, 6, 1}, {0, 10, 0, 2, 6, 0}, {0.03, 2.31, 0, 0.5, 6, 1},
		{-1, 1, -1, 0.5, 5, 1}, {97, 103, 96, 2, 5, 0}, {0, 0, -1, 0.5, 5, 1},
		{0, 1797, 0, 500, 5, 0}, {1e-9, 5e-9, 1e-9, 1e-9, 5, 9}};
	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		Ticks t = nice_ticks(some[i].low, some[i].high, 5);
		assert_float_equal(t.first, some[i].first, 1e-12);
		assert_true(fabs(t.step / some[i].step - 1) < 1e-12);
		assert_int_equal(t.count, some[i].count);
		assert_int_equal(t.decimals, some[i].decimals);
	}
	static const double wild[] = {0, 1, -1, 1e-300, 1e300, -1e300, 1 + 1e-15, 5e-324, 3e17, 123456789};
	for (int i = 0; i < 10; i++)
		for (int j = 0; j < 10; j++) {
			double low = fmin(wild[i], wild[j]), high = fmax(wild[i], wild[j]);
			Ticks t = nice_ticks(low, high, 5);
			assert_in_range(t.count, 2, 12);
			assert_true(t.first <= low + t.step * 1e-5 &&
				t.first + (t.count - 1) * t.step >= high - t.step * 1e-5);
		}
}

static int count_of(const char *text, const char *what)
{
	int n = 0;
	for (; (text = strstr(text, what)); text++) n++;
	return n;
}

static char *drawn_curve(const Curve *c)
{
	uint8_t *data;
	size_t n;
	assert_good(svg_curve(in_folder("a.svg"), c, ERROR));
	assert_good(file_read(in_folder("a.svg"), &data, &n, ERROR));
	assert_int_equal(strlen((char *)data), n);
	assert_null(strstr((char *)data, "nan"));
	assert_null(strstr((char *)data, "inf"));
	assert_non_null(strstr((char *)data, "</svg>"));
	return (char *)data;
}

static void test_curve(void **state)
{
	(void)state;
	enum { STEPS = 5000 };
	double *loss = malloc(STEPS * sizeof *loss), metric[3] = {0.5, NAN, 0.9}, at[3] = {1000, 3000, 5000};
	for (int i = 0; i < STEPS; i++) loss[i] = 2 * exp(-i / 500.) + 0.1 + 0.05 * sin(i * 7.);
	Curve c = {.title = "a < b & c",
		.loss = loss,
		.steps = STEPS,
		.first_step = 1,
		.metric = metric,
		.metric_step = at,
		.metrics = 3,
		.metric_name = "right"};
	char *svg = drawn_curve(&c);
	assert_non_null(strstr(svg, "a &lt; b &amp; c"));
	assert_non_null(strstr(svg, "training loss</text>"));
	assert_int_equal(count_of(svg, "<path"), 3);
	assert_int_equal(count_of(svg, "<circle"), 2);
	assert_in_range(strlen(svg), 10000, 60000); /* no more points than the picture has columns */
	free(svg);

	/* gaps: the faint line is broken in two by a NaN, the metric and its axis are gone */
	double few[5] = {4, 3, NAN, 2, 1};
	c = (Curve){.loss = few, .steps = 5, .first_step = 1};
	svg = drawn_curve(&c);
	assert_int_equal(count_of(svg, "<path"), 2);
	assert_int_equal(count_of(svg, "h0"), 4);
	free(svg);

	/* a logarithmic axis: decades, and what is not positive is a gap */
	double decades[4] = {1000, 1, 0, 0.001};
	c = (Curve){.loss = decades, .steps = 4, .first_step = 1, .log_loss = true};
	svg = drawn_curve(&c);
	assert_non_null(strstr(svg, ">1000</text>"));
	assert_non_null(strstr(svg, ">0.001</text>"));
	free(svg);

	/* nothing, one number, only bad numbers, extreme numbers */
	double odd[4] = {NAN, INFINITY, -INFINITY, 1e308}, wide[2] = {-1e300, 1e300};
	free(drawn_curve(&(Curve){.loss = NULL, .steps = 0}));
	free(drawn_curve(&(Curve){.loss = few, .steps = 1, .first_step = 7}));
	free(drawn_curve(&(Curve){.loss = odd, .steps = 4}));
	free(drawn_curve(&(Curve){.loss = odd, .steps = 4, .log_loss = true}));
	free(drawn_curve(&(Curve){.loss = wide, .steps = 2}));
	free(loss);
}

/* The smooth line does not lag: a loss that is its own mirror image gives one that is too. */
static void test_smooth_line(void **state)
{
	(void)state;
	enum { STEPS = 41 };
	double loss[STEPS], y[STEPS], x;
	for (int i = 0; i < STEPS; i++) loss[i] = abs(i - STEPS / 2);
	char *svg = drawn_curve(&(Curve){.loss = loss, .steps = STEPS, .first_step = 1});
	const char *at = strstr(strstr(svg, "<path") + 1, "<path");
	at = strstr(at, " d=\"") + 4;
	for (int i = 0, used; i < STEPS; i++) {
		assert_int_equal(sscanf(at, i ? "L%lf %lf%n" : "M%lf %lfh0%n", &x, &y[i], &used), 2);
		at += used;
	}
	for (int i = 0; i < STEPS; i++) assert_float_equal(y[i], y[STEPS - 1 - i], 0.011);
	assert_true(y[STEPS / 2] > y[0] + 100);
	free(svg);
}

/* Nor is it cut at its ends: of a loss that falls evenly it is that line, from the first step to the last. */
static void test_smooth_ends(void **state)
{
	(void)state;
	enum { STEPS = 5000 };
	double *loss = malloc(STEPS * sizeof *loss), ends[4], x, y;
	for (int i = 0; i < STEPS; i++) loss[i] = 5000 - i;
	char *svg = drawn_curve(&(Curve){.loss = loss, .steps = STEPS, .first_step = 1});
	const char *at = strstr(svg, "<path");
	for (int line = 0; line < 2; line++) {
		int used;
		at = strstr(at, " d=\"") + 4;
		assert_int_equal(sscanf(at, "M%lf %lfh0%n", &x, &y, &used), 2);
		ends[2 * line] = y;
		for (at += used; sscanf(at, "L%lf %lf%n", &x, &y, &used) == 2;) at += used;
		ends[2 * line + 1] = y;
		assert_float_equal(x, 732, 0.01); /* the right end of the plot */
	}
	assert_float_equal(ends[0], ends[2], 0.02);
	assert_float_equal(ends[1], ends[3], 0.02);
	free(svg);
	free(loss);
}

/* What the axes measure stands along them. */
static void test_axis_names(void **state)
{
	(void)state;
	double loss[3] = {100, 1, 0.01}, metric[2] = {0.5, 0.9}, at[2] = {1, 3};
	char *svg = drawn_curve(&(Curve){.loss = loss, .steps = 3, .first_step = 1, .log_loss = true, .metric = metric,
		.metric_step = at, .metrics = 2, .metric_name = "accuracy"});
	assert_non_null(strstr(svg, ">training loss, log</text>"));
	assert_non_null(strstr(svg, ">accuracy, held out</text>"));
	free(svg);
	svg = drawn_curve(&(Curve){.loss = loss, .steps = 3, .first_step = 1, .loss_name = "energy"});
	assert_non_null(strstr(svg, "rotate(-90)\" text-anchor=\"middle\" fill=\"#1f6fb4\">energy</text>"));
	free(svg);
}

static void test_misread_digits(void **state)
{
	(void)state;
	static const double pixels[2][4] = {{16, 16, 0, 8}, {0, 0, 0, NAN}};
	static const int read[] = {3, 1}, is[] = {5, 7};
	Digits d = {.title = "misread",
		.pixels = pixels[0],
		.count = 2,
		.width = 2,
		.height = 2,
		.ink = 16,
		.read = read,
		.is = is};
	uint8_t *data;
	size_t n;
	assert_good(svg_digits(in_folder("a.svg"), &d, ERROR));
	assert_good(file_read(in_folder("a.svg"), &data, &n, ERROR));
	assert_non_null(strstr((char *)data, ">read 3, is 5</text>"));
	assert_non_null(strstr((char *)data, ">read 1, is 7</text>"));
	assert_non_null(strstr((char *)data, "width=\"72.00\" height=\"36.00\" fill=\"#000000\""));
	assert_non_null(strstr((char *)data, "width=\"36.00\" height=\"36.00\" fill=\"#808080\""));
	assert_int_equal(count_of((char *)data, "fill=\"#000000\""), 1);
	free(data);
	d.count = 0;
	assert_good(svg_digits(in_folder("a.svg"), &d, ERROR));
	d.count = 1;
	d.width = 0;
	assert_error(svg_digits(in_folder("a.svg"), &d, ERROR), "0 by 2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_png), TEST(test_nice_ticks), TEST(test_curve), TEST(test_smooth_ends), TEST(test_axis_names),
		TEST(test_smooth_line), TEST(test_misread_digits)};
	return cmocka_run_group_tests_name("files: pictures", tests, make_folder, remove_folder) != 0;
}
