/* cmd_cache.c - cache: the native code that is kept. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

/* "NAME BYTES SECONDS" lines as objects. */
static void add_entries(TextBuffer *b, const char *text)
{
	char name[65];
	long long bytes, seconds;
	for (bool first = true; sscanf(text, "%64s %lld %lld", name, &bytes, &seconds) == 3; first = false) {
		buffer_printf(b, "%s{\"name\": \"%s\", \"bytes\": %lld, \"seconds\": %lld}",
			first ? "" : ",\n  ", name, bytes, seconds);
		text += strcspn(text, "\n");
		text += *text != 0;
	}
}

static int list(const Options *o, const char *folder)
{
	por_cache c;
	if (por_cache_stat(folder, &c)) return complain(o, EXIT_ENVIRONMENT, "the cache cannot be read");
	char *text = por_cache_list(folder);
	if (o->json) {
		TextBuffer b = {0};
		json_key(&b, "folder");
		json_text(&b, c.folder);
		buffer_printf(&b, ", \"entries\": %" PRId64 ", \"bytes\": %" PRId64 ", \"list\": [",
			c.entries, c.bytes);
		add_entries(&b, text ? text : "");
		printf("{%s]}\n", b.text);
		buffer_free(&b);
		por_text_free(text);
		return EXIT_GOOD;
	}
	fputs(text ? text : "", stdout);
	por_text_free(text);
	printf("%s: %" PRId64 " entries, %" PRId64 " bytes\n", c.folder, c.entries, c.bytes);
	return EXIT_GOOD;
}

static int clear(const Options *o, const char *folder)
{
	por_cache c;
	if (por_cache_stat(folder, &c) || por_cache_clear(folder))
		return complain(o, EXIT_ENVIRONMENT, "the cache cannot be cleared");
	if (o->json)
		printf("{\"cleared\": %" PRId64 "}\n", c.entries);
	else
		printf("%s: %" PRId64 " entries cleared\n", c.folder, c.entries);
	return EXIT_GOOD;
}

static int run(Options *o)
{
	const char *folder = option(o, "folder");
	if (o->nword != 1) return usage(o, "list or clear was wanted");
	if (!strcmp(o->word[0], "list")) return list(o, folder);
	if (!strcmp(o->word[0], "clear")) return clear(o, folder);
	return usage(o, "%s: list or clear was wanted", o->word[0]);
}

static const OptionSpec own[] = {{"folder", 0, "DIR", "another folder than the user's"}, {0}};

const Command command_cache = {"cache", "list | clear", "the native code that is kept", NULL, own, 0, run};
