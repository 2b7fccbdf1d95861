/* cache.c - a directory of compiled units, safe for many processes.
 *
 * An entry NAME.so is a shared object with 32 bytes behind it, which the
 * loader does not look at:
 *
 *     | ELF ... | XXH3-128 of it (16) | its length (8) | "porism1\n" (8) |
 *
 * It is written under a name of its own and renamed, so that a reader finds a
 * whole entry or none.  Its time of change is the time of last use.
 */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700
#include "compiler.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

static const char magic[8] = {'p', 'o', 'r', 'i', 's', 'm', '1', '\n'};

enum { TAIL = 32, STALE_SECONDS = 3600 };

void hash_name(const void *const *part, const size_t *bytes, uint32_t n, char name[33])
{
	XXH3_state_t *state = XXH3_createState();
	XXH128_hash_t h = {0, 0};
	if (state) {
		XXH3_128bits_reset(state);
		for (uint32_t i = 0; i < n; i++) {
			uint64_t size = bytes[i];
			XXH3_128bits_update(state, &size, sizeof size);
			XXH3_128bits_update(state, part[i], bytes[i]);
		}
		h = XXH3_128bits_digest(state);
	}
	XXH3_freeState(state);
	snprintf(name, 33, "%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
}

/* ---- the directory ------------------------------------------------------------------------ */

/* Bytes, with K, M or G after them; -1: none of these. */
static int64_t limit_of(const char *text)
{
	static const char units[] = "KMG";
	if (!text || !*text) return 512ll << 20;
	char *end;
	double x = strtod(text, &end);
	const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
	if (unit) {
		x *= (double)(1ll << 10 * (unit - units + 1));
		end++;
	}
	if (end == text || *end || !(x >= 0)) return -1;
	return x > 0x1p60 ? 1ll << 60 : (int64_t)x;
}

/* Makes the directory and those above it. */
static bool make_dir(const char *dir)
{
	char part[1024];
	size_t n = strlen(dir);
	for (size_t i = 1; i <= n; i++) {
		if (dir[i] != '/' && dir[i] != 0) continue;
		memcpy(part, dir, i);
		part[i] = 0;
		if (mkdir(part, 0700) && errno != EEXIST) return false;
	}
	return true;
}

/* Nobody else may put code there. */
static bool is_ours(const char *dir)
{
	struct stat st;
	return stat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022) &&
		access(dir, W_OK | X_OK) == 0;
}

static bool take_dir(Cache *c, const char *root, const char *below)
{
	if (!root || root[0] != '/') return false;
	int n = snprintf(c->dir, sizeof c->dir, "%s%s", root, below);
	if (n < 0 || (size_t)n >= sizeof c->dir) return false;
	return make_dir(c->dir) && is_ours(c->dir);
}

static bool take_temporary(Cache *c)
{
	const char *root = getenv("TMPDIR");
	if (!root || root[0] != '/' || strlen(root) > 500) root = "/tmp";
	snprintf(c->dir, sizeof c->dir, "%s/porism-XXXXXX", root);
	c->temporary = mkdtemp(c->dir) != NULL;
	return c->temporary;
}

bool cache_open(Cache *c, const char *dir, Error *error)
{
	*c = (Cache){.limit = limit_of(getenv("PORISM_CACHE_LIMIT"))};
	if (c->limit < 0) {
		fail(error, ERR_VALUE, (Where){0},
			"PORISM_CACHE_LIMIT is %s; bytes were wanted, as 1000000, 300M or 2G", getenv("PORISM_CACHE_LIMIT"));
		return false;
	}
	const char *chosen = dir ? dir : getenv("PORISM_CACHE");
	char here[1024];
	if (chosen && *chosen && *chosen != '/' && getcwd(here, sizeof here - 2)) {
		size_t n = strlen(here);
		if (n + strlen(chosen) + 2 < sizeof here) {
			here[n] = '/';
			strcpy(here + n + 1, chosen);
			chosen = here;
		}
	}
	if (chosen && *chosen) {
		if (take_dir(c, chosen, "")) return true;
	} else if (getenv("XDG_CACHE_HOME") && getenv("XDG_CACHE_HOME")[0] == '/') {
		if (take_dir(c, getenv("XDG_CACHE_HOME"), "/porism")) return true;
	} else if (take_dir(c, getenv("HOME"), "/.cache/porism"))
		return true;
	if (take_temporary(c)) return true;
	fail(error, ERR_FILE, (Where){0}, "no directory for compiled code can be written: neither %s nor %s",
		chosen && *chosen ? chosen : "~/.cache/porism", c->dir);
	return false;
}

/* ---- walking through it ------------------------------------------------------------------------ */

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);
	return n >= k && !strcmp(name + n - k, end);
}

static bool is_entry(const char *name)
{
	return strlen(name) == 35 && ends_with(name, ".so");
}

static bool is_failure(const char *name)
{
	return !strncmp(name, "failed-", 7);
}

/* scratch-..., failed-...: ours, but no entries */
static bool is_leftover(const char *name)
{
	return !strncmp(name, "scratch-", 8) || is_failure(name);
}

/* What counts under the limit. */
static bool is_kept(const char *name)
{
	return is_entry(name) || is_failure(name);
}

static void path_of(const Cache *c, const char *name, const char *suffix, char path[CACHE_PATH])
{
	snprintf(path, CACHE_PATH, "%s/%s%s", c->dir, name, suffix);
}

static int by_use(const void *a, const void *b)
{
	const CacheEntry *x = a, *y = b;
	if (x->used != y->used) return x->used < y->used ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Files whose names are wanted, with their names. */
static uint32_t list_files(const Cache *c, Arena *arena, bool (*wanted)(const char *), CacheEntry **out)
{
	CacheEntry *entry = NULL;
	uint32_t n = 0, cap = 0;
	DIR *d = opendir(c->dir);
	for (struct dirent *e; d && (e = readdir(d));) {
		char path[CACHE_PATH];
		struct stat st;
		if (!wanted(e->d_name)) continue;
		path_of(c, e->d_name, "", path);
		if (stat(path, &st)) continue;
		GROW(arena, entry, n, cap);
		CacheEntry *x = &entry[n++];
		snprintf(x->name, sizeof x->name, "%.60s", e->d_name);
		x->bytes = st.st_size;
		x->used = st.st_mtime;
	}
	if (d) closedir(d);
	if (n) qsort(entry, n, sizeof *entry, by_use);
	*out = entry;
	return n;
}

uint32_t cache_list(const Cache *c, Arena *arena, CacheEntry **out)
{
	uint32_t n = list_files(c, arena, is_entry, out);
	for (uint32_t i = 0; i < n; i++) (*out)[i].name[32] = 0;
	return n;
}

/* scratch-PID-...: is that process gone? */
static bool is_orphan(const char *name)
{
	long pid = !strncmp(name, "scratch-", 8) ? strtol(name + 8, NULL, 10) : 0;
	return pid > 0 && kill((pid_t)pid, 0) && errno == ESRCH;
}

void remove_folder(const char *path)
{
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));) {
		char file[CACHE_PATH + 300];
		snprintf(file, sizeof file, "%s/%s", path, e->d_name);
		unlink(file);
	}
	if (d) closedir(d);
	rmdir(path);
}

static void remove_leftovers(const Cache *c, bool all)
{
	DIR *d = opendir(c->dir);
	for (struct dirent *e; d && (e = readdir(d));) {
		char path[CACHE_PATH];
		struct stat st;
		bool entry = is_entry(e->d_name), failure = is_failure(e->d_name);
		if (!is_leftover(e->d_name) && !(all && entry)) continue;
		path_of(c, e->d_name, "", path);
		if (stat(path, &st)) continue;
		bool old = st.st_mtime < time(NULL) - (failure ? 24 : 1) * STALE_SECONDS;
		if (!old && !is_orphan(e->d_name) && !(all && (entry || failure || c->temporary))) continue;
		if (S_ISDIR(st.st_mode))
			remove_folder(path);
		else
			unlink(path);
	}
	if (d) closedir(d);
}

void cache_clear(const Cache *c)
{
	remove_leftovers(c, true);
}

void cache_close(Cache *c)
{
	if (!c->temporary) return;
	cache_clear(c);
	rmdir(c->dir);
	c->temporary = false;
}

/* ---- entries --------------------------------------------------------------------------------------- */

static unsigned char *read_file(const char *path, size_t *n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	unsigned char *data = NULL;
	if (fd < 0) return NULL;
	if (fstat(fd, &st) == 0 && st.st_size >= 0 && st.st_size < 1 << 30 &&
		(data = malloc((size_t)st.st_size + 1))) {
		size_t got = 0;
		for (ssize_t r; got < (size_t)st.st_size &&
			(r = read(fd, data + got, (size_t)st.st_size - got)) != 0;) {
			if (r < 0 && errno != EINTR) break;
			got += r > 0 ? (size_t)r : 0;
		}
		*n = got;
	}
	close(fd);
	return data;
}

static void tail_of(const unsigned char *data, size_t n, unsigned char tail[TAIL])
{
	XXH128_canonical_t h;
	uint64_t length = n;
	XXH128_canonicalFromHash(&h, XXH3_128bits(data, n));
	memcpy(tail, h.digest, 16);
	memcpy(tail + 16, &length, 8);
	memcpy(tail + 24, magic, 8);
}

static bool is_whole(const char *path)
{
	size_t n = 0;
	unsigned char tail[TAIL], *data = read_file(path, &n);
	bool good = data && n > TAIL;
	if (good) {
		tail_of(data, n - TAIL, tail);
		good = !memcmp(tail, data + n - TAIL, TAIL);
	}
	free(data);
	return good;
}

bool cache_find(const Cache *c, const char *name, char path[CACHE_PATH])
{
	path_of(c, name, ".so", path);
	if (access(path, R_OK)) return false;
	if (!is_whole(path)) {
		unlink(path);
		return false;
	}
	utimensat(AT_FDCWD, path, NULL, 0);
	return true;
}

void cache_scratch(const Cache *c, const char *suffix, char path[CACHE_PATH])
{
	static atomic_uint serial;
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(path, CACHE_PATH, "%s/scratch-%ld-%u-%lld%s", c->dir, (long)getpid(),
		atomic_fetch_add(&serial, 1u), (long long)now.tv_sec * 1000000000ll + now.tv_nsec, suffix);
}

void cache_tidy(const Cache *c, const char *newest)
{
	Arena *a = arena_new(NULL);
	Trap trap;
	remove_leftovers(c, false);
	if (!a) return;
	if (!TRAP(&trap)) {
		arena_arm(a, &trap);
		CacheEntry *entry;
		int64_t total = 0;
		uint32_t n = list_files(c, a, is_kept, &entry);
		for (uint32_t i = 0; i < n; i++) total += entry[i].bytes;
		for (uint32_t i = 0; i < n && total > c->limit; i++) {
			char path[CACHE_PATH];
			if (newest && strstr(entry[i].name, newest)) continue;
			path_of(c, entry[i].name, "", path);
			unlink(path);
			total -= entry[i].bytes;
		}
		arena_disarm(a, &trap);
	}
	arena_free(a);
}

bool cache_add(const Cache *c, const char *name, const char *made, char path[CACHE_PATH], Error *error)
{
	size_t n = 0;
	unsigned char tail[TAIL], *data = read_file(made, &n);
	int fd = open(made, O_WRONLY | O_APPEND | O_CLOEXEC);
	bool good = data && fd >= 0;
	if (good) {
		tail_of(data, n, tail);
		good = write(fd, tail, TAIL) == TAIL;
	}
	free(data);
	if (fd >= 0) good = close(fd) == 0 && good;
	path_of(c, name, ".so", path);
	good = good && rename(made, path) == 0;
	if (!good) {
		int why = errno;
		unlink(made);
		fail(error, ERR_FILE, (Where){0}, "cannot write %s: %s", path, strerror(why));
		return false;
	}
	cache_tidy(c, name);
	return true;
}
