/* test_compiler.c - the compiler missing, failing, killed, late; the cache found, damaged, full, shared, refused. */
#include "../../src/run/compiler.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[64];

/* What a compiler gets here that is to end by itself, however busy the machine: a guard against one that hangs. */
enum { PATIENCE = 3600 };

static int fresh_dir(void **user)
{
	(void)user;
	strcpy(dir, "/tmp/porism-test-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int no_dir(void **user)
{
	(void)user;
	char command[100];
	snprintf(command, sizeof command, "rm -rf '%s'", dir);
	return system(command);
}

static Compiler opened(const char *command)
{
	Compiler c;
	Error error = {0};
	if (!compiler_open(&c, command, dir, &error)) fail_msg("%s", error.text);
	c.time_limit = PATIENCE;
	return c;
}

/* but for the scripts that stand for compilers */
static int files_in_dir(void)
{
	int n = 0;
	DIR *d = opendir(dir);
	for (struct dirent *e; d && (e = readdir(d));)
		n += !strncmp(e->d_name, "scratch-", 8) || !strncmp(e->d_name, "failed-", 7) || strstr(e->d_name, ".so");
	if (d) closedir(d);
	return n;
}

static const char *const source = "int seven(void) { return 7; }\n";

static void check_seven(Code *code, bool cached)
{
	assert_non_null(code);
	int (*seven)(void) = (int (*)(void))(uintptr_t)code_symbol(code, "seven");
	assert_non_null(seven);
	assert_int_equal(seven(), 7);
	assert_int_equal(code_was_cached(code), cached);
	assert_null(code_symbol(code, "eight"));
	code_close(code);
}

/* ---- the compiler ------------------------------------------------------------------------ */

static void compiles_once(void **user)
{
	(void)user;
	Error error = {0};
	Compiler c = opened(NULL);
	assert_null(compile_unit(&c, source, 0, true, &error));
	assert_int_equal(error.code, ERR_COMPILER);
	check_seven(compile_unit(&c, source, 0, false, &error), false);
	check_seven(compile_unit(&c, source, 0, false, &error), true);
	check_seven(compile_unit(&c, source, 0, true, &error), true);
#if defined(__x86_64__)
	check_seven(compile_unit(&c, source, 1, false, &error), false); /* other flags: another entry */
#endif
	compiler_close(&c);
	c = opened(NULL); /* another process would find it, too */
	check_seven(compile_unit(&c, source, 0, false, &error), true);
	compiler_close(&c);
	c = opened("cc -DOTHER"); /* other words: another entry */
	check_seven(compile_unit(&c, source, 0, false, &error), false);
	compiler_close(&c);
}

static void there_is_no_compiler(void **user)
{
	(void)user;
	Error error = {0};
	Compiler c = opened("no-such-compiler-here -x");
	assert_false(compiler_exists(&c));
	assert_null(compile_unit(&c, source, 0, false, &error));
	assert_int_equal(error.code, ERR_COMPILER);
	assert_string_equal(error.text,
		"there is no C compiler: 'no-such-compiler-here' is not a program in $PATH (set CC)");
	compiler_close(&c);
}

/* The linker is found where the compiler was. */
static void there_is_no_path(void **user)
{
	(void)user;
	Error error = {0};
	char before[4096];
	snprintf(before, sizeof before, "%s", getenv("PATH"));
	unsetenv("PATH");
	Compiler c = opened("cc");
	Code *code = compile_unit(&c, source, 0, false, &error);
	setenv("PATH", before, 1);
	assert_string_equal(error.text, "");
	check_seven(code, false);
	compiler_close(&c);
}

static int output_of(const char *command, char *text, size_t room)
{
	FILE *f = popen(command, "r");
	size_t n = fread(text, 1, room - 1, f);
	text[n] = 0;
	return pclose(f);
}

/* The error names a command; run again, it fails again; source and output are kept. */
static void a_failure_can_be_repeated(void **user)
{
	(void)user;
	Error error = {0};
	char command[1000], log[1000], line[2000];
	Compiler c = opened(NULL);
	assert_null(compile_unit(&c, "int f(void) { return nothing; }\n", 0, false, &error));
	assert_int_equal(error.code, ERR_COMPILER);
	const char *again = strstr(error.text, "to see it again: ");
	assert_non_null(again);
	snprintf(command, sizeof command, "%s 2>&1", again + strlen("to see it again: "));
	assert_int_not_equal(output_of(command, line, sizeof line), 0);
	assert_non_null(strstr(line, "nothing")); /* the compiler's own complaint */
	assert_null(strstr(line, "No such file"));
	snprintf(log, sizeof log, "cat %s/failed-*.txt", dir);
	assert_int_equal(output_of(log, line, sizeof line), 0);
	assert_non_null(strstr(line, "nothing"));
	compiler_close(&c);
}

static void script(const char *name, const char *body, char path[200])
{
	snprintf(path, 200, "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	fprintf(f, "#!/bin/sh\n%s\n", body);
	fclose(f);
	chmod(path, 0755);
}

static void compilers_that_die(void **user)
{
	(void)user;
	Error error = {0};
	char path[200];
	script("killed", "kill -9 $$", path);
	Compiler c = opened(path);
	assert_null(compile_unit(&c, source, 0, false, &error));
	assert_non_null(strstr(error.text, "was ended by signal 9"));
	compiler_close(&c);
	error_clear(&error);
	script("silent", "exit 0", path); /* says it worked, and made nothing */
	c = opened(path);
	assert_null(compile_unit(&c, source, 0, false, &error));
	assert_int_equal(error.code, ERR_COMPILER);
	compiler_close(&c);
	error_clear(&error);
	script("nonsense", "for last; do :; done; echo this is no program > \"$last\"", path);
	c = opened(path);
	assert_null(compile_unit(&c, source, 0, false, &error));
	assert_non_null(strstr(error.text, "cannot load"));
	compiler_close(&c);
	error_clear(&error);
	script("talker", "head -c 300000 /dev/zero | tr '\\0' x; exit 1", path);
	c = opened(path);
	assert_null(compile_unit(&c, source, 0, false, &error));
	assert_non_null(strstr(error.text, "gave status 1"));
	compiler_close(&c);
}

/* ---- compilers that never end --------------------------------------------------------------------- */

/* A compiler that starts another process; both hold a pipe, which so tells that they work and when both have ended. */
typedef struct Endless {
	char path[200], pipe[200];
	int from; /* the pipe */
	pthread_t thread;
	atomic_bool works;
} Endless;

static void endless_compiler(Endless *e, const char *before)
{
	char body[600];
	snprintf(e->pipe, sizeof e->pipe, "%s/pipe", dir);
	assert_int_equal(mkfifo(e->pipe, 0600), 0);
	e->from = open(e->pipe, O_RDONLY | O_NONBLOCK); /* before there is a writer */
	assert_true(e->from >= 0);
	assert_int_equal(fcntl(e->from, F_SETFL, 0), 0);
	snprintf(body, sizeof body, "%s\nexec 9>%s\necho >&9\nsleep 100000 & sleep 100000", before, e->pipe);
	script("endless", body, e->path);
}

/* Waits, however long it takes, until both have ended: nobody holds the pipe. */
static void both_have_ended(Endless *e)
{
	char said[10];
	while (read(e->from, said, sizeof said) > 0) continue;
	close(e->from);
}

static void *wait_until_it_works(void *user)
{
	Endless *e = user;
	char said;
	struct pollfd p = {.fd = e->from, .events = POLLIN};
	while (poll(&p, 1, -1) <= 0 || !(p.revents & POLLIN)) continue;
	atomic_store(&e->works, read(e->from, &said, 1) == 1);
	return NULL;
}

static void a_compiler_that_hangs(void **user)
{
	(void)user;
	Error error = {0};
	Endless e = {0};
	endless_compiler(&e, "");
	Compiler c = opened(e.path);
	c.time_limit = 1;
	assert_null(compile_unit(&c, source, 0, false, &error));
	assert_non_null(strstr(error.text, "took more than 1 seconds"));
	both_have_ended(&e);
	compiler_close(&c);
}

/* A program that ends while a compiler works does not wait for it; what that wrote beside its output, in a folder that
 * goes with it, is gone. */
static void a_compiler_that_nobody_waits_for(void **user)
{
	(void)user;
	Error error = {0};
	Endless e = {0};
	endless_compiler(&e, "echo > $TMPDIR/a.s; echo > $TMPDIR/b.o");
	Compiler c = opened(e.path);
	c.hurry = &e.works;
	assert_int_equal(pthread_create(&e.thread, NULL, wait_until_it_works, &e), 0);
	assert_null(compile_unit(&c, source, 0, false, &error));
	assert_int_equal(error.code, ERR_CANCELLED);
	pthread_join(e.thread, NULL);
	both_have_ended(&e);
	assert_int_equal(files_in_dir(), 0);
	compiler_close(&c);
}

/* Files and folders of processes that are no more go when the next compiler begins. */
static void what_dead_processes_left(void **user)
{
	(void)user;
	Error error = {0};
	Compiler c = opened(NULL);
	pid_t child = fork();
	if (!child) {
		for (int i = 0; i < 20; i++) {
			char path[CACHE_PATH], file[CACHE_PATH + 10];
			cache_scratch(&c.cache, i % 2 ? ".c" : "", path);
			if (i % 2 == 0) mkdir(path, 0700);
			snprintf(file, sizeof file, "%s%s", path, i % 2 ? "" : "/cc.s");
			fclose(fopen(file, "w"));
		}
		_exit(0);
	}
	waitpid(child, NULL, 0);
	assert_int_equal(files_in_dir(), 20);
	check_seven(compile_unit(&c, source, 0, false, &error), false);
	assert_int_equal(files_in_dir(), 1);
	compiler_close(&c);
}

/* Failures count under the limit as entries do; the last one stays. */
static void failures_keep_to_the_limit(void **user)
{
	(void)user;
	char path[200], text[4000];
	script("fails", "exit 1", path);
	Compiler c = opened(path);
	c.cache.limit = 10000;
	for (int i = 0; i < 20; i++) {
		Error error = {0};
		snprintf(text, sizeof text, "/* %d %*s */", i, 3000, "");
		assert_null(compile_unit(&c, text, 0, false, &error));
		const char *kept = strstr(error.text, dir);
		assert_non_null(kept);
	}
	int files = files_in_dir();
	assert_true(files >= 2 && files <= 8);
	compiler_close(&c);
}

/* ---- the cache ------------------------------------------------------------------------------ */

static void spoil(const char *path, long at)
{
	FILE *f = fopen(path, "r+b");
	fseek(f, at, at < 0 ? SEEK_END : SEEK_SET);
	int c = fgetc(f);
	fseek(f, at, at < 0 ? SEEK_END : SEEK_SET);
	fputc(c ^ 1, f);
	fclose(f);
}

static void only_entry(const Compiler *c, char path[CACHE_PATH])
{
	Arena *a = arena_new(NULL);
	CacheEntry *entry;
	assert_int_equal(cache_list(&c->cache, a, &entry), 1);
	snprintf(path, CACHE_PATH, "%s/%s.so", c->cache.dir, entry[0].name);
	arena_free(a);
}

static void a_damaged_entry_is_made_again(void **user)
{
	(void)user;
	Error error = {0};
	char path[CACHE_PATH];
	Compiler c = opened(NULL);
	const long places[] = {0, 1000, -1, -20, -40};
	check_seven(compile_unit(&c, source, 0, false, &error), false);
	only_entry(&c, path);
	for (size_t i = 0; i < countof(places); i++) {
		spoil(path, places[i]);
		check_seven(compile_unit(&c, source, 0, false, &error), false);
	}
	const off_t lengths[] = {0, 10, 3000};
	for (size_t i = 0; i < countof(lengths); i++) {
		assert_int_equal(truncate(path, lengths[i]), 0);
		check_seven(compile_unit(&c, source, 0, false, &error), false);
	}
	check_seven(compile_unit(&c, source, 0, false, &error), true);
	cache_clear(&c.cache);
	check_seven(compile_unit(&c, source, 0, false, &error), false);
	compiler_close(&c);
}

static bool has_entry(const Compiler *c, const char *name)
{
	char path[CACHE_PATH];
	snprintf(path, sizeof path, "%s/%s.so", c->cache.dir, name);
	return access(path, R_OK) == 0;
}

/* The longest unused entries go; a found one is used. */
static void the_limit_is_kept(void **user)
{
	(void)user;
	Error error = {0};
	Compiler c = opened(NULL);
	char path[CACHE_PATH], name[4][33], made[CACHE_PATH];
	c.cache.limit = 3500;
	for (int i = 0; i < 4; i++) {
		const void *part[] = {&i};
		const size_t bytes[] = {sizeof i};
		hash_name(part, bytes, 1, name[i]);
		cache_scratch(&c.cache, ".so", made);
		FILE *f = fopen(made, "wb");
		for (int k = 0; k < 1000; k++) fputc(k, f);
		fclose(f);
		assert_true(cache_add(&c.cache, name[i], made, path, &error));
		struct timeval long_ago[2] = {{1000000 + 100 * i, 0}, {1000000 + 100 * i, 0}};
		if (i < 3) utimes(path, long_ago);
		if (i == 2) assert_true(cache_find(&c.cache, name[0], path)); /* used now */
	}
	assert_true(has_entry(&c, name[0]));
	assert_false(has_entry(&c, name[1]));
	assert_true(has_entry(&c, name[2]));
	assert_true(has_entry(&c, name[3]));
	compiler_close(&c);
}

/* Eight processes compile the same three units; one of them clears the cache meanwhile. */
static void eight_processes(int64_t limit)
{
	pid_t child[8];
	for (int i = 0; i < 8; i++)
		if ((child[i] = fork()) == 0) {
			Error error = {0};
			Compiler c;
			bool good = compiler_open(&c, NULL, dir, &error);
			c.time_limit = PATIENCE;
			c.cache.limit = limit;
			for (int k = 0; k < 6 && good; k++) {
				char text[100];
				snprintf(text, sizeof text, "int number(void) { return %d; }\n", k % 3);
				Code *code = compile_unit(&c, text, 0, false, &error);
				int (*number)(void) =
					code ? (int (*)(void))(uintptr_t)code_symbol(code, "number") : NULL;
				good = number && number() == k % 3;
				code_close(code);
				if (i == 3 && k == 2)
					cache_clear(&c.cache);
			}
			_exit(good ? 0 : 1);
		}
	int bad = 0;
	for (int i = 0; i < 8; i++) {
		int status;
		waitpid(child[i], &status, 0);
		bad += status != 0;
	}
	assert_int_equal(bad, 0);
}

static void eight_processes_share_it(void **user)
{
	(void)user;
	eight_processes(512 << 20);
}

/* Each entry drives out the one before, whoever made it: all have their code nevertheless. */
static void eight_processes_share_room_for_one(void **user)
{
	(void)user;
	eight_processes(1);
}

/* Not ours, writable by others, a file, unset: a temporary directory stands in, and goes. */
static void directories_that_cannot_be_used(void **user)
{
	(void)user;
	Error error = {0};
	Cache c;
	char path[200], kept[sizeof c.dir];
	snprintf(path, sizeof path, "%s/open", dir);
	mkdir(path, 0700);
	chmod(path, 0777);
	assert_true(cache_open(&c, path, &error));
	assert_true(c.temporary);
	strcpy(kept, c.dir);
	assert_int_equal(access(kept, W_OK), 0);
	cache_close(&c);
	assert_int_not_equal(access(kept, F_OK), 0);
	snprintf(path, sizeof path, "%s/file", dir);
	fclose(fopen(path, "w"));
	assert_true(cache_open(&c, path, &error));
	assert_true(c.temporary);
	cache_close(&c);
	snprintf(path, sizeof path, "%s/a/b/c", dir);
	assert_true(cache_open(&c, path, &error));
	assert_false(c.temporary);
	assert_string_equal(c.dir, path);
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	cache_close(&c);
	if (geteuid() == 0) { /* in a namespace of one user there is nobody else: EINVAL */
		snprintf(path, sizeof path, "%s/theirs", dir);
		mkdir(path, 0700);
		if (chown(path, 12345, 12345)) {
			assert_int_equal(errno, EINVAL);
			return;
		}
		assert_true(cache_open(&c, path, &error));
		assert_true(c.temporary);
		cache_close(&c);
	}
}

static void where_the_directory_is(void **user)
{
	(void)user;
	Error error = {0};
	Cache c;
	char want[200];
	setenv("XDG_CACHE_HOME", dir, 1);
	unsetenv("PORISM_CACHE");
	assert_true(cache_open(&c, NULL, &error));
	snprintf(want, sizeof want, "%s/porism", dir);
	assert_string_equal(c.dir, want);
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", dir, 1);
	assert_true(cache_open(&c, NULL, &error));
	snprintf(want, sizeof want, "%s/.cache/porism", dir);
	assert_string_equal(c.dir, want);
	snprintf(want, sizeof want, "%s/own", dir);
	setenv("PORISM_CACHE", want, 1);
	setenv("PORISM_CACHE_LIMIT", "3K", 1);
	assert_true(cache_open(&c, NULL, &error));
	assert_string_equal(c.dir, want);
	assert_int_equal(c.limit, 3072);
	static const char *const odd[] = {"abc", "1X", "-3", "2KB", "nan"};
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		setenv("PORISM_CACHE_LIMIT", odd[i], 1);
		assert_false(cache_open(&c, NULL, &error));
		snprintf(want, sizeof want, "PORISM_CACHE_LIMIT is %s; bytes were wanted", odd[i]);
		assert_non_null(strstr(error.text, want));
		error_clear(&error);
	}
	unsetenv("PORISM_CACHE");
	unsetenv("PORISM_CACHE_LIMIT");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh_dir, no_dir)
	const struct CMUnitTest tests[] = {
		TEST(compiles_once),
		TEST(there_is_no_compiler),
		TEST(there_is_no_path),
		TEST(a_failure_can_be_repeated),
		TEST(compilers_that_die),
		TEST(a_compiler_that_hangs),
		TEST(a_compiler_that_nobody_waits_for),
		TEST(what_dead_processes_left),
		TEST(failures_keep_to_the_limit),
		TEST(a_damaged_entry_is_made_again),
		TEST(the_limit_is_kept),
		TEST(eight_processes_share_it),
		TEST(eight_processes_share_room_for_one),
		TEST(directories_that_cannot_be_used),
		TEST(where_the_directory_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
