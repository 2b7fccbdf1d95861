/* file.c - reading files whole, and writing files that appear whole or not at all. */
#define _XOPEN_SOURCE 700
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_fail(char *error, size_t room, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	if (room) vsnprintf(error, room, format, list);
	va_end(list);
	return false;
}

/* Everything from here to the end of f; false leaves the reason in errno. */
static bool read_all(FILE *f, size_t guess, uint8_t **data, size_t *n)
{
	size_t room = guess + 1; /* one more, so that the end shows without growing, and for the 0 */
	uint8_t *p = malloc(room + 1);
	*n = 0;
	while (p) {
		*n += fread(p + *n, 1, room - *n, f);
		if (ferror(f)) break;
		if (*n < room) {
			p[*n] = 0;
			*data = p;
			return true;
		}
		uint8_t *more = room < PTRDIFF_MAX / 2 ? realloc(p, 2 * room + 1) : NULL;
		if (!more) {
			errno = ENOMEM;
			break;
		}
		p = more;
		room *= 2;
	}
	int why = errno;
	free(p);
	errno = why;
	return false;
}

bool file_read(const char *path, uint8_t **data, size_t *n, char *error, size_t room)
{
	bool standard = !strcmp(path, "-");
	struct stat about;
	FILE *f = standard ? stdin : fopen(path, "rb");
	*data = NULL;
	*n = 0;
	if (!f) return file_fail(error, room, "%s: cannot be read: %s", path, strerror(errno));
	bool good = !fstat(fileno(f), &about);
	if (good && S_ISDIR(about.st_mode)) {
		errno = EISDIR;
		good = false;
	}
	size_t guess = good && S_ISREG(about.st_mode) && about.st_size > 0 ? (size_t)about.st_size : 65536;
	good = good && read_all(f, guess, data, n);
	int why = errno;
	if (!standard) fclose(f);
	if (!good) *n = 0;
	return good || file_fail(error, room, "%s: cannot be read: %s", path, strerror(why));
}

/* The file that is being written, for files_abandon. */
static char *volatile unfinished;

void files_abandon(void)
{
	char *path = unfinished;
	if (path) unlink(path);
}

/* Opens a new file beside o->path, with the permissions of the one that it shall replace. */
static void open_beside(Output *o, const struct stat *old)
{
	size_t room = strlen(o->path) + 48;
	int fd = -1;
	if (!(o->temporary = malloc(room))) return;
	for (int i = 0; i < 100 && fd < 0; i++) {
		snprintf(o->temporary, room, "%s.%ld-%d.part", o->path, (long)getpid(), i);
		fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST) return;
	}
	if (fd < 0) return;
	unfinished = o->temporary;
	if (old && fchmod(fd, old->st_mode & 07777)) o->failure = errno;
	if (!o->failure && (o->file = fdopen(fd, "wb"))) return;
	int why = errno;
	close(fd);
	unlink(o->temporary);
	unfinished = NULL;
	errno = why;
}

static void output_clear(Output *o)
{
	free(o->path);
	free(o->temporary);
	*o = (Output){0};
}

bool output_open(Output *o, const char *path, char *error, size_t room)
{
	struct stat old;
	bool exists = !stat(path, &old);
	*o = (Output){0};
	o->path = exists ? realpath(path, NULL) : NULL;
	if (!o->path) o->path = strdup(path);
	if (!o->path) {
		errno = ENOMEM;
	} else if (exists && S_ISDIR(old.st_mode)) {
		errno = EISDIR;
	} else if (!exists) {
		open_beside(o, NULL);
	} else if (!S_ISREG(old.st_mode)) {
		o->file = fopen(path, "wb");
	} else if (!access(o->path, W_OK)) {
		open_beside(o, &old);
	}
	if (o->file) return true;
	file_fail(error, room, "%s: cannot be written: %s", path, strerror(errno));
	output_clear(o);
	return false;
}

void output_write(Output *o, const void *data, size_t n)
{
	if (o->failure || !n) return;
	errno = 0;
	if (fwrite(data, 1, n, o->file) != n) o->failure = errno ? errno : EIO;
}

void output_printf(Output *o, const char *format, ...)
{
	va_list list;
	if (o->failure) return;
	va_start(list, format);
	errno = 0;
	if (vfprintf(o->file, format, list) < 0) o->failure = errno ? errno : EIO;
	va_end(list);
}

bool output_close(Output *o, char *error, size_t room)
{
	if (fflush(o->file) && !o->failure) o->failure = errno;
	if (o->temporary && !o->failure && fsync(fileno(o->file)) && errno != EINVAL) o->failure = errno;
	if (fclose(o->file) && !o->failure) o->failure = errno;
	if (o->temporary && !o->failure && rename(o->temporary, o->path)) o->failure = errno;
	if (o->temporary && o->failure) unlink(o->temporary);
	unfinished = NULL;
	bool good = !o->failure;
	if (!good) file_fail(error, room, "%s: cannot be written: %s", o->path, strerror(o->failure));
	output_clear(o);
	return good;
}
