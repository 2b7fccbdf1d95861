/* test_progress.c - the line that tells how far a fit is. */
#include "files_help.h"

#include <math.h>

static void test_progress_line(void **state)
{
	(void)state;
	char line[PROGRESS_LINE_MAX];
	Progress p = {.total = 500, .step = 190, .loss = 0.23456789, .rate = 1234};
	progress_line(&p, 0, line);
	assert_string_equal(line, " 38%  190/500  loss 0.23457  1.23k steps/s  0:00 left");
	progress_line(&p, 79, line);
	assert_string_equal(
		line, "[#######------------]  38%  190/500  loss 0.23457  1.23k steps/s  0:00 left");
	progress_line(&p, 20, line);
	assert_int_equal(strlen(line), 20);
	p.metric_name = "accuracy";
	p.metric = 0.9143219;
	p.epoch = 2;
	progress_line(&p, 0, line);
	assert_string_equal(line, " 38%  190/500  loss 0.23457  accuracy 0.91432  epoch 2  1.23k steps/s  0:00 left");
	p = (Progress){.total = 100000, .step = 0, .loss = NAN, .rate = 25};
	progress_line(&p, 0, line);
	assert_string_equal(line, "  0%  0/100000  25 steps/s  1:06:40 left");
	p = (Progress){.total = 0, .step = 7, .loss = -INFINITY};
	progress_line(&p, 79, line);
	assert_string_equal(line, "step 7  loss -inf");
	p = (Progress){.total = INT64_MAX, .step = INT64_MAX - 1, .loss = -1.2345e-300, .rate = 1e300};
	for (int columns = 0; columns < 1000; columns++) {
		progress_line(&p, columns, line);
		if (columns) assert_true(strlen(line) <= (size_t)columns);
	}
}

/* Piped: the first step, then a line when ten seconds have passed, and the end; no escapes. */
static void test_progress_piped(void **state)
{
	(void)state;
	char text[1000] = "";
	FILE *f = tmpfile();
	Progress p;
	progress_open(&p, f, 0, 1000);
	assert_false(p.terminal);
	double began = p.began;
	for (int i = 1; i <= 25; i++) progress_step_at(&p, 10 * i, 1.0 / i, began + i);
	rewind(f);
	assert_int_equal(text[fread(text, 1, sizeof text - 1, f)], 0);
	assert_string_equal(text,
		"  1%  10/1000  loss 1\n"
		" 11%  110/1000  loss 0.090909  10 steps/s  1:29 left\n"
		" 21%  210/1000  loss 0.047619  10 steps/s  1:19 left\n");
	progress_close_at(&p, began + 25);
	rewind(f);
	memset(text, 0, sizeof text);
	assert_true(fread(text, 1, sizeof text - 1, f) > 0);
	assert_non_null(strstr(text, " 25%  250/1000  loss 0.04  10 steps/s  1:15 left\n"));
	assert_null(strchr(text, '\r'));
	assert_null(strchr(text, '\033'));
	fclose(f);
}

/* The rate follows a change within some seconds. */
static void test_progress_rate(void **state)
{
	(void)state;
	FILE *f = tmpfile();
	Progress p;
	progress_open(&p, f, 500, 100000);
	p.terminal = true;
	double now = p.began;
	int64_t step = 500;
	for (int i = 0; i < 50; i++) progress_step_at(&p, step += 1, 1, now += 0.2);
	assert_float_equal(p.rate, 5, 0.1);
	for (int i = 0; i < 100; i++) progress_step_at(&p, step += 100, 1, now += 0.2);
	assert_float_equal(p.rate, 500, 10);
	fclose(f);
}

/* A first step that takes a second, before 2000 in a second: it is no part of the rate after it, and the end tells
 * the mean of all. */
static void test_progress_first_step(void **state)
{
	(void)state;
	char text[1000] = "";
	FILE *f = tmpfile();
	Progress p;
	progress_open(&p, f, 0, 4001);
	p.terminal = true;
	double now = p.began + 1;
	progress_step_at(&p, 1, 1, now);
	assert_float_equal(p.rate, 0, 0);
	for (int i = 1; i <= 2000; i++) progress_step_at(&p, 1 + i, 1, now + 0.0005 * i);
	assert_float_equal(p.rate, 2000, 10);
	p.terminal = false;
	progress_close_at(&p, now + 1);
	rewind(f);
	assert_true(fread(text, 1, sizeof text - 1, f) > 0);
	assert_non_null(strstr(text, "2001/4001  loss 1  1k steps/s"));
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_progress_line), TEST(test_progress_piped), TEST(test_progress_rate),
		TEST(test_progress_first_step)};
	return cmocka_run_group_tests_name("files: progress", tests, make_folder, remove_folder) != 0;
}
