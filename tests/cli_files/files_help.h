/* files_help.h - what the tests of the command's files share. */
#ifndef FILES_HELP_H
#define FILES_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "../../src/cli/files/files.h"

extern char error[1024];
#define ERROR error, sizeof error

#define assert_good(call)                                                                                    \
	do {                                                                                                 \
		if (!(call)) fail_msg("%s: %s", #call, error);                                               \
	} while (0)

#define assert_error(call, wanted)                                                                           \
	do {                                                                                                 \
		strcpy(error, "(nothing)");                                                                  \
		if (call) fail_msg("%s is good; an error was wanted: %s", #call, wanted);                    \
		if (!strstr(error, wanted)) fail_msg("%s: \"%s\" has no \"%s\"", #call, error, wanted);      \
	} while (0)

/* A group: files are made in a folder of its own, which is empty before each test. */
#define TEST(f) cmocka_unit_test_teardown(f, empty_folder)
int make_folder(void **state);
int remove_folder(void **state);
int empty_folder(void **state);
const char *test_folder(void);
const char *in_folder(const char *name); /* its path; four last */
int files_in_folder(void);

/* data NULL: not set */
FileArray array_of(const char *dtype, int rank, const int64_t *shape, const void *data);
void assert_same(const FileArray *, const FileArray *);

#endif
