/* rows.h - what the benches in C share: time, and rows for table.py. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <porism.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec*1e-9;
}

/* Of this process: what else the machine does does not count. */
static inline double processor(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec*1e-9;
}

static inline void row(const char *name, double ours, double peer, double bound)
{
	printf("%s\t%.9g\t%.9g\t%.9g\n", name, ours, peer, bound);
	fflush(stdout);
}

static inline void row_failed(const char *name, const char *why)
{
	printf("%s\tfailed\t%s\n", name, why);
	fflush(stdout);
}

/* A whole file; NULL: there is none. */
static inline char *read_text(const char *path)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	long n = ftell(f);
	rewind(f);
	char *text = malloc((size_t)n + 1);
	size_t got = text ? fread(text, 1, (size_t)n, f) : 0;
	fclose(f);
	if (text)
		text[got] = 0;
	return text;
}

#endif
