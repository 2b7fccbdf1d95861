/* store.c - the cache of native code, and the compiler that fills it. */
#define POR_NO_LINES
#include "api.h"
#include "../run/compiler.h"

#include <stdio.h>
#include <time.h>

static bool open_cache(Cache *c, const char *folder)
{
	Error e = {0};
	return cache_open(c, folder, &e);
}

static Arena *list_cache(const Cache *c, CacheEntry **entry, uint32_t *n)
{
	Arena *a = arena_new(NULL);
	Trap t;
	if (a && TRAP(&t)) {
		arena_free(a);
		return NULL;
	}
	if (!a) return NULL;
	arena_arm(a, &t);
	*n = cache_list(c, a, entry);
	arena_disarm(a, &t);
	return a;
}

int por_cache_stat(const char *folder, por_cache *out)
{
	Cache c;
	CacheEntry *entry;
	uint32_t n;
	if (!out) return POR_ERR_VALUE;
	*out = (por_cache){0};
	if (!open_cache(&c, folder)) return POR_ERR_FILE;
	Arena *a = list_cache(&c, &entry, &n);
	for (uint32_t i = 0; a && i < n; i++) out->bytes += entry[i].bytes;
	out->entries = a ? n : 0;
	snprintf(out->folder, sizeof out->folder, "%s", c.dir);
	cache_close(&c);
	arena_free(a);
	return a ? POR_OK : POR_ERR_MEMORY;
}

char *por_cache_list(const char *folder)
{
	Cache c;
	CacheEntry *entry;
	uint32_t n;
	if (!open_cache(&c, folder)) return NULL;
	Arena *a = list_cache(&c, &entry, &n);
	cache_close(&c);
	if (!a) return NULL;
	Trap t;
	if (TRAP(&t)) {
		arena_free(a);
		return NULL;
	}
	arena_arm(a, &t);
	Text text;
	text_open(&text, a);
	int64_t now = (int64_t)time(NULL);
	for (uint32_t i = 0; i < n; i++)
		text_printf(&text, "%s %lld %lld\n", entry[i].name, (long long)entry[i].bytes,
			(long long)(now - entry[i].used));
	char *out = text_give(NULL, text_done(&text));
	arena_free(a);
	return out;
}

int por_cache_clear(const char *folder)
{
	Cache c;
	if (!open_cache(&c, folder)) return POR_ERR_FILE;
	cache_clear(&c);
	cache_close(&c);
	return POR_OK;
}

char *por_compiler_path(const char *command)
{
	Compiler c;
	Error e = {0};
	if (!compiler_open(&c, command, NULL, &e)) return NULL;
	char *out = text_give(NULL, compiler_exists(&c) ? c.path : "");
	compiler_close(&c);
	return out;
}
