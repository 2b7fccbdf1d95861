/* compiler.c - runs the system's C compiler without a shell, and loads what it made. */
#include "compiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct Code {
	void *handle;
	bool cached;
};

/* ---- flags ------------------------------------------------------------------------------- */

/* No -ffast-math, no -march=NAME: bits do not depend on flags, and a cached unit runs wherever its bits are
 * there.
 * -fno-trapping-math: with traps gcc leaves log, acosh, floor and fifty others without vectors, and they take
 * three to ten times as long.  -O2 with the dynamic cost of vectors compiles in 0.74 to 0.98 of the time, but
 * rows of few elements take 1.26 of theirs. */
static const char *const common_flags[] = {"-x", "c", "-std=gnu11", "-w", "-O3", "-fPIC", "-shared",
	"-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fno-semantic-interposition",
	"-fno-asynchronous-unwind-tables", "-fno-stack-protector", NULL};
static const char *const isa_flags[3][10] = {
	{NULL},
#if defined(__x86_64__)
	{"-mavx2", "-mfma", NULL},
	{"-mavx2", "-mfma", "-mavx512f", "-mavx512dq", "-mavx512bw", "-mavx512vl",
		"-mprefer-vector-width=512", NULL},
#endif
};

/* ---- finding the compiler --------------------------------------------------------------------- */

static bool is_program(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static const char usual_path[] = "PATH=/usr/bin:/bin";

static void find_in_path(const char *name, char path[1024])
{
	const char *dirs = getenv("PATH");
	path[0] = 0;
	if (strchr(name, '/')) {
		if (strlen(name) < 1024 && is_program(name)) strcpy(path, name);
		return;
	}
	for (const char *at = dirs ? dirs : usual_path + strlen("PATH="); *at;) {
		size_t n = strcspn(at, ":");
		int length = snprintf(path, 1024, "%.*s/%s", (int)n, at, name);
		if (n && length > 0 && length < 1024 && is_program(path)) return;
		at += n + (at[n] == ':');
	}
	path[0] = 0;
}

bool compiler_open(Compiler *c, const char *command, const char *cache_dir, Error *error)
{
	memset(c, 0, sizeof *c);
	if (!command || !*command) command = getenv("CC");
	if (!command || !command[strspn(command, " \t")]) command = "cc";
	snprintf(c->command, sizeof c->command, "%s", command);
	for (char *at = c->command + strspn(c->command, " \t"); *at && c->nword < COMPILER_WORDS;) {
		c->word[c->nword++] = (uint16_t)(at - c->command);
		at += strcspn(at, " \t");
		if (*at) *at++ = 0;
		at += strspn(at, " \t");
	}
	find_in_path(c->command + c->word[0], c->path);
	struct stat st;
	if (c->path[0] && stat(c->path, &st) == 0)
		snprintf(c->identity, sizeof c->identity, "%s %lld %lld.%09ld", c->path,
			(long long)st.st_size, (long long)st.st_mtim.tv_sec, (long)st.st_mtim.tv_nsec);
	return cache_open(&c->cache, cache_dir, error);
}

void compiler_close(Compiler *c)
{
	cache_close(&c->cache);
}

bool compiler_exists(const Compiler *c)
{
	return c->path[0] != 0;
}

/* ---- running it ------------------------------------------------------------------------------------ */

typedef struct CompilerRun {
	const char *argument[64];
	uint32_t n;
	/* TMPDIR=FOLDER: what an ended compiler leaves goes with the folder */
	char temporary[CACHE_PATH + 8];
	char output[8192]; /* the first of what it said */
	size_t said;
	int status;      /* as waitpid gives it */
	bool late, gone; /* past the time limit; not started */
	bool hurried;    /* nobody waits for it any more */
	bool cancelled;
} CompilerRun;

static void add_words(CompilerRun *r, const char *const *word)
{
	for (; *word && r->n + 1 < countof(r->argument); word++) r->argument[r->n++] = *word;
}

static void add_command(CompilerRun *r, const Compiler *c)
{
	for (uint32_t i = 0; i < c->nword; i++) r->argument[r->n++] = c->command + c->word[i];
}

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool is_cancelled(const Compiler *c)
{
	return (c->cancel && __atomic_load_n(c->cancel, __ATOMIC_RELAXED)) ||
		(c->watch && watch_is_over(c->watch));
}

/* Reads what the compiler says until it ends or is late. */
static void listen_to(CompilerRun *r, int fd, int64_t end, const Compiler *c)
{
	const atomic_bool *hurry = c->hurry;
	for (;;) {
		char spill[4096];
		int64_t now = now_ms(), soon = now + 1000ll * HURRY_SECONDS;
		if (hurry && atomic_load(hurry)) {
			end = end < soon ? end : soon;
			hurry = NULL;
			r->hurried = true;
		}
		r->cancelled = is_cancelled(c);
		int64_t left = r->cancelled ? 0 : end - now;
		struct pollfd p = {.fd = fd, .events = POLLIN};
		if (left <= 0) {
			r->late = true;
			return;
		}
		int ready = poll(&p, 1, left > 100 ? 100 : (int)left);
		if (ready <= 0) continue;
		ssize_t n = read(fd, spill, sizeof spill);
		if (n == 0 || (n < 0 && errno != EINTR)) return;
		size_t room = sizeof r->output - 1 - r->said, got = n > 0 ? (size_t)n : 0;
		memcpy(r->output + r->said, spill, got < room ? got : room);
		r->said += got < room ? got : room;
	}
}

/* The environment, with a folder for temporary files, and a path without which the compiler finds no
 * linker. */
static void environment(char **to, const char *temporary)
{
	size_t n = 0;
	for (char **from = environ; from && *from; from++)
		if (strncmp(*from, "TMPDIR=", 7)) to[n++] = *from;
	if (!getenv("PATH")) to[n++] = (char *)(uintptr_t)usual_path;
	to[n++] = (char *)(uintptr_t)temporary;
	to[n] = NULL;
}

static bool start(CompilerRun *r, const char *path, int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	sigemptyset(&none);
	if (posix_spawn_file_actions_init(&actions)) return false;
	if (posix_spawnattr_init(&attributes)) {
		posix_spawn_file_actions_destroy(&actions);
		return false;
	}
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, out, 2);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	size_t n = 0;
	while (environ && environ[n]) n++;
	char *own[n + 3];
	environment(own, r->temporary);
	int failed =
		posix_spawn(pid, path, &actions, &attributes, (char *const *)(uintptr_t)r->argument, own);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return failed == 0;
}

static void run(CompilerRun *r, const Compiler *c, int seconds)
{
	int ends[2];
	pid_t pid;
	r->argument[r->n] = NULL;
	if (pipe2(ends, O_CLOEXEC)) { /* a compiler started by another thread must not hold it open */
		r->gone = true;
		return;
	}
	r->gone = !start(r, c->path, ends[1], &pid);
	close(ends[1]);
	if (!r->gone) {
		listen_to(r, ends[0], now_ms() + 1000ll * seconds, c);
		if (r->late) kill(-pid, SIGKILL);
		while (waitpid(pid, &r->status, 0) < 0)
			if (errno != EINTR) {
				r->status = 0; /* the program ignores its children: the output will tell */
				break;
			}
	}
	close(ends[0]);
	r->output[r->said] = 0;
}

/* ---- compiling a unit ---------------------------------------------------------------------------------- */

static bool write_text(const char *path, const char *text, size_t n)
{
	FILE *f = fopen(path, "wb");
	bool good = f && fwrite(text, 1, n, f) == n;
	return f && fclose(f) == 0 && good;
}

static void command_text(const CompilerRun *r, char *text, size_t size)
{
	size_t n = 0;
	for (uint32_t i = 0; i < r->n && n + strlen(r->argument[i]) + 2 < size; i++)
		n += (size_t)snprintf(text + n, size - n, i ? " %s" : "%s", r->argument[i]);
}

/* Keeps source, command and output, and says how to see the failure again. */
static void *failed(
	const Compiler *c, CompilerRun *r, const char *name, const char *source, int seconds, Error *error)
{
	char kept[CACHE_PATH], log[CACHE_PATH], command[3000];
	snprintf(kept, sizeof kept, "%s/failed-%s.c", c->cache.dir, name);
	snprintf(log, sizeof log, "%s/failed-%s.txt", c->cache.dir, name);
	for (uint32_t i = 0; i < r->n; i++)
		if (r->argument[i] == source) r->argument[i] = kept;
	r->argument[r->n - 1] = "/dev/null";
	command_text(r, command, sizeof command);
	bool written = rename(source, kept) == 0;
	FILE *f = fopen(log, "wb");
	if (f) {
		fprintf(f, "%s\n\n%s", command, r->output);
		fclose(f);
	}
	char why[80];
	if (r->gone)
		snprintf(why, sizeof why, "cannot be started");
	else if (r->late)
		snprintf(why, sizeof why, "took more than %d seconds", seconds);
	else if (WIFSIGNALED(r->status))
		snprintf(why, sizeof why, "was ended by signal %d", WTERMSIG(r->status));
	else
		snprintf(why, sizeof why, "gave status %d", WEXITSTATUS(r->status));
	cache_tidy(&c->cache, name);
	fail(error, ERR_COMPILER, (Where){0}, "the C compiler %s %s; to see it again: %s", c->path, why,
		written ? command : "(the source could not be kept)");
	return NULL;
}

static void unit_name(const Compiler *c, const char *source, int isa, char name[33])
{
	CompilerRun flags = {.n = 0};
	char text[2500] = "";
	add_words(&flags, common_flags);
	add_words(&flags, isa_flags[isa]);
	add_command(&flags, c);
	command_text(&flags, text, sizeof text);
	const void *part[] = {source, c->identity, text};
	const size_t bytes[] = {strlen(source), strlen(c->identity), strlen(text)};
	hash_name(part, bytes, 3, name);
}

/* Into a file of its own, `to`. */
static bool build(
	const Compiler *c, const char *source, int isa, const char *name, char to[CACHE_PATH], Error *error)
{
	char from[CACHE_PATH];
	int seconds = c->time_limit > 0 ? c->time_limit : 60;
	cache_scratch(&c->cache, ".c", from);
	cache_scratch(&c->cache, ".so", to);
	cache_tidy(&c->cache, NULL);
	if (!write_text(from, source, strlen(source))) {
		int why = errno;
		unlink(from);
		fail(error, ERR_FILE, (Where){0}, "cannot write %s: %s", from, strerror(why));
		return false;
	}
	CompilerRun r = {.temporary = "TMPDIR="};
	char *folder = r.temporary + strlen(r.temporary);
	cache_scratch(&c->cache, "", folder);
	mkdir(folder, 0700);
	add_command(&r, c);
	add_words(&r, common_flags);
	add_words(&r, isa_flags[isa]);
	add_words(&r, (const char *const[]){from, "-lm", "-o", to, NULL});
	run(&r, c, seconds);
	remove_folder(folder);
	bool good = !r.gone && !r.late && r.status == 0 && access(to, R_OK) == 0;
	if (r.cancelled || (r.late && r.hurried)) { /* no fault of anybody's: there is nothing to see again */
		unlink(to);
		unlink(from);
		fail(error, ERR_CANCELLED, (Where){0}, "compiling was %s",
			r.cancelled ? "cancelled" : "not waited for");
		return false;
	}
	if (!good) {
		unlink(to);
		failed(c, &r, name, from, seconds, error);
		return false;
	}
	unlink(from);
	return true;
}

static Code *load(const char *path, bool cached)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	Code *code = handle ? malloc(sizeof *code) : NULL;
	if (handle && !code) dlclose(handle);
	if (code) *code = (Code){handle, cached};
	return code;
}

Code *compile_unit(const Compiler *c, const char *source, int isa, bool cached_only, Error *error)
{
	char name[33], path[CACHE_PATH], made[CACHE_PATH];
	Error unkept = {0}; /* code that the cache has no room for runs all the same */
	Code *code;
	if (isa > 2) isa = 2;
	if (isa < 0 || !isa_flags[isa][0]) isa = 0;
	if (!compiler_exists(c))
		return fail(error, ERR_COMPILER, (Where){0},
			"there is no C compiler: '%s' is not a program in $PATH (set CC)",
			c->command + c->word[0]);
	if (is_cancelled(c)) return fail(error, ERR_CANCELLED, (Where){0}, "compiling was cancelled");
	unit_name(c, source, isa, name);
	if (cache_find(&c->cache, name, path) && (code = load(path, true))) return code;
	if (cached_only)
		return fail(error, ERR_COMPILER, (Where){0}, "the cache %s does not hold this unit",
			c->cache.dir);
	if (!build(c, source, isa, name, made, error)) return NULL;
	if (!(code = load(made, false))) {
		const char *why = dlerror();
		fail(error, ERR_COMPILER, (Where){0}, "cannot load %s: %s", made,
			why ? why : "memory has run out");
		unlink(made);
		return NULL;
	}
	cache_add(&c->cache, name, made, path,
		&unkept); /* loaded before: other processes may clear the cache */
	return code;
}

void *code_symbol(const Code *code, const char *name)
{
	return dlsym(code->handle, name);
}

bool code_was_cached(const Code *code)
{
	return code->cached;
}

void code_close(Code *code)
{
	if (!code) return;
	dlclose(code->handle);
	free(code);
}
