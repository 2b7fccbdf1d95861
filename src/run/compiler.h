/* compiler.h - the C compiler, and the disk cache of what it made.
 *
 * A unit (C text) becomes a loaded shared object.  What was compiled before,
 * by any process, is found in the cache: the key is a hash of the text, the
 * compiler's identity, the flags, and thereby the instruction set.
 */
#ifndef POR_RUN_COMPILER_H
#define POR_RUN_COMPILER_H

#include "../base/base.h"

#include <stdatomic.h>

/* ---- cache.c: a directory of entries, shared by processes -------------------------------- */

enum { CACHE_PATH = 1400 };          /* bytes of a file's path */

typedef struct Cache {
	char dir[1024];              /* absolute; made with mode 0700, the user's own */
	bool temporary; /* none was usable: a directory of this process, removed by cache_close */
	int64_t limit;               /* bytes; $PORISM_CACHE_LIMIT, with K, M or G; 512 MB otherwise */
} Cache;

typedef struct CacheEntry { char name[64]; int64_t bytes, used; } CacheEntry;  /* used: seconds since 1970 */

/* dir NULL: $PORISM_CACHE, else $XDG_CACHE_HOME/porism, else ~/.cache/porism.  When it cannot be used
 * (missing and cannot be made, not the user's, not writable) a temporary directory stands in; false with an
 * error: nor that. */
bool cache_open(Cache *, const char *dir, Error *);
void cache_close(Cache *);
/* The file of a complete entry, its checksum verified, in `path`; false: there is none (a damaged one is
 * removed). */
bool cache_find(const Cache *, const char *name, char path[CACHE_PATH]);
/* Makes the file `made` (in the cache's directory, from cache_scratch) the entry `name`, whole or not at all;
 * removes the longest unused entries beyond the limit. */
bool cache_add(const Cache *, const char *name, const char *made, char path[CACHE_PATH], Error *);
/* A fresh name in the directory that no other process or thread uses. */
void cache_scratch(const Cache *, const char *suffix, char path[CACHE_PATH]);
void remove_folder(const char *path);                   /* and the files in it */
/* Entries, longest unused first, on the arena; the number of them. */
uint32_t cache_list(const Cache *, Arena *, CacheEntry **);
/* Removes what dead processes left, old failures, and the longest unused entries and failures beyond the
 * limit, but not those of the unit `newest`, if it is not NULL. */
void cache_tidy(const Cache *, const char *newest);
void cache_clear(const Cache *);                        /* entries, failures, and what dead processes left */
void hash_name(const void *const *part, const size_t *bytes, uint32_t n, char name[33]); /* 128 bits in hex */

/* ---- compiler.c ------------------------------------------------------------------------------ */

enum { COMPILER_WORDS = 16, HURRY_SECONDS = 2 };

typedef struct Compiler {
	Cache cache;
	char command[1024];          /* as given, its words ended by 0 */
	uint16_t word[COMPILER_WORDS]; /* where each begins there */
	uint32_t nword;
	char path[1024];             /* the first word, found in $PATH; empty: there is no compiler */
	char identity[CACHE_PATH];         /* path, size and time of change */
	int time_limit;              /* seconds; 0: 60 */
	const atomic_bool *hurry;    /* when it turns true, what runs has HURRY_SECONDS more; NULL: never */
	const int *cancel;           /* when it is not 0 (atomic), what runs is ended; NULL: never */
	const Watch *watch;          /* the same when that is over; NULL: nothing */
} Compiler;

typedef struct Code Code;            /* a loaded shared object */

/* command NULL: $CC, else cc.  No compiler is no error here: compiler_exists is false then, and what the
 * cache holds is not found either (the key names the compiler).  cache_dir NULL: the user's. */
bool compiler_open(Compiler *, const char *command, const char *cache_dir, Error *);
void compiler_close(Compiler *);
bool compiler_exists(const Compiler *);

/* isa: 0 baseline, 1 AVX2 and FMA, 2 AVX-512, as cpu_isa has it.  The unit's code from the cache, or compiled
 * (unless cached_only).  Safe from any thread.  NULL with an error (ERR_COMPILER), which names a command that
 * repeats a failed compile. */
Code *compile_unit(const Compiler *, const char *source, int isa, bool cached_only, Error *);
void *code_symbol(const Code *, const char *name);      /* NULL: there is none */
bool code_was_cached(const Code *);
void code_close(Code *);

#endif
