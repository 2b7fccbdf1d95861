/* files.h - the files that the command reads and writes: arrays, tables, pictures, progress.
 *
 * Nothing here depends on the library.  A function that can fail gives false and writes one sentence into
 * `error` (at most `room` bytes with its 0): the file, what was given and what was wanted.  What it would
 * have filled is then zero, so freeing it is harmless.  Sizes are in bytes unless a name says otherwise.
 * Numbers are read and written as the C locale has them: leave LC_NUMERIC alone.
 */
#ifndef PORISM_CLI_FILES_H
#define PORISM_CLI_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define FILES_PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#else
#define FILES_PRINTF_LIKE(f, a)
#endif

enum { FILE_RANK_MAX = 32 };

/* An array as it lies in memory: row-major, in this machine's byte order. */
typedef struct FileArray {
	char dtype[8];                   /* bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c64 c128 */
	int rank;
	int64_t shape[FILE_RANK_MAX];
	void *data;                      /* from malloc; not NULL even when there are no elements */
	size_t bytes;                    /* elements times the size of one */
} FileArray;

/* A name and its array, as a .npz keeps them. */
typedef struct NamedArray {
	char *key;
	FileArray array;
} NamedArray;

/* ---- array.c: the arrays themselves --------------------------------------- */

size_t file_dtype_bytes(const char *dtype);             /* of one element; 0 when there is no such dtype */
bool file_array_bytes(const FileArray *, size_t *bytes); /* from dtype and shape; false: bad or past size_t */
char *file_array_type(const FileArray *, char *text, size_t room); /* "f32[3, 4]", cut to fit; gives text */
void file_array_free(FileArray *);                      /* frees the data, zeroes the array; NULL is fine */
void named_arrays_free(NamedArray *, size_t count);     /* the arrays, their keys and the list */

/* ---- file.c: whole files ---------------------------------------------------- */

/* Writes the sentence; always gives false, so that `return file_fail(...)` reads well. */
bool file_fail(char *error, size_t room, const char *format, ...) FILES_PRINTF_LIKE(3, 4);

/* All of a file; *data is from malloc and has a 0 after its n bytes.  "-" is standard input. */
bool file_read(const char *path, uint8_t **data, size_t *n, char *error, size_t room);

/* A file that appears whole or not at all: it is written beside its place and renamed when closed.  A device
 * or a pipe (/dev/stdout) is written directly.  An existing file keeps its permissions.  Failures stick, so
 * only opening and closing are checked. */
typedef struct Output {
	FILE *file;
	char *path;                      /* where it shall be, symbolic links followed */
	char *temporary;                 /* where it is being written; NULL when directly */
	int failure;                     /* the first errno; 0 when all is well */
} Output;
bool output_open(Output *, const char *path, char *error, size_t room);
void output_write(Output *, const void *data, size_t n);
void output_printf(Output *, const char *format, ...) FILES_PRINTF_LIKE(2, 3);
bool output_close(Output *, char *error, size_t room);  /* on failure nothing is left and an old file stays */
/* removes what output_open began and output_close has not ended; from a handler of signals */
void files_abandon(void);

/* ---- npy.c: one array (NumPy's format, versions 1 to 3) ----------------------- */

/* Reads the n bytes of a .npy: any byte order, C or Fortran order.  The data must be exactly as long as the
 * shape says.  Bools become 0 or 1. */
bool npy_parse(const uint8_t *data, size_t n, FileArray *, char *error, size_t room);
bool npy_read(const char *path, FileArray *, char *error, size_t room);
bool npy_write(const char *path, const FileArray *, char *error, size_t room);

enum { NPY_HEADER_MAX = 1024 };
/* The header for an array, a multiple of 64 long; its length, or 0 for a bad dtype, rank or size. */
size_t npy_header(const FileArray *, char header[NPY_HEADER_MAX]);

/* ---- npz.c: several arrays (a zip of .npy; members stored or deflated) --------- */

/* The array `key` (with or without .npy) of the n bytes of a .npz.  A NULL key takes the only one.  When it
 * is not there the error lists those that are. */
bool npz_find(const uint8_t *data, size_t n, const char *key, FileArray *, char *error, size_t room);
bool npz_read(const char *path, const char *key, FileArray *, char *error, size_t room);

/* Every array, in the order of the file.  Free with named_arrays_free. */
bool npz_parse_all(const uint8_t *data, size_t n, NamedArray **, size_t *count, char *error, size_t room);
bool npz_read_all(const char *path, NamedArray **, size_t *count, char *error, size_t room);

/* Stored, with fixed times: the same arrays give the same bytes.  Keys are distinct and not empty. */
bool npz_write(const char *path, const NamedArray *, size_t count, char *error, size_t room);

/* The same; sizes and offsets of `wide` and more take 64-bit fields (npz_write: 2^32 - 1, as they must). */
bool npz_write_wide(const char *path, const NamedArray *, size_t count, uint64_t wide, char *error,
	size_t room);

/* ---- csv.c: tables of numbers --------------------------------------------------- */

enum { NUMBER_TEXT_MAX = 32 };
/* The shortest decimal that reads back as exactly x (whole numbers below 1e15 plain); "nan", "inf", "-inf".
 * Gives text. */
char *number_text(double x, char text[NUMBER_TEXT_MAX]);

/* A line of names, then `rows` lines of `columns` numbers; values are row-major. */
typedef struct CsvTable {
	const char *const *names;
	size_t columns, rows;
	const double *values;
} CsvTable;
bool csv_write(const char *path, const CsvTable *, char *error, size_t room);

/* Reads commas and numbers; a first line with anything else is one of names.  Without a column: f64[rows,
 * columns]; with the name of one: f64[rows]. */
bool csv_parse(const uint8_t *data, size_t n, const char *column, FileArray *, char *error, size_t room);
bool csv_read(const char *path, const char *column, FileArray *, char *error, size_t room);

/* ---- png.c: pictures of bytes ---------------------------------------------------- */

/* Rows from the top, each of width*channels bytes; channels: 1 (grey) or 3 (RGB). */
typedef struct Pixels {
	const uint8_t *pixels;
	size_t width, height;
	int channels;
} Pixels;
bool png_write(const char *path, const Pixels *, char *error, size_t room);

/* ---- svg.c, svg_curve.c, svg_digits.c: pictures of lines --------------------------- */

void svg_text(Output *, const char *text);              /* as XML has it; control characters become spaces */

/* Ticks at 1, 2 or 5 times a power of ten that cover low..high in about `wanted` steps. */
typedef struct Ticks {
	double first, step;
	int count;
	int decimals;                    /* digits after the point that tell the ticks apart */
} Ticks;
Ticks nice_ticks(double low, double high, int wanted);  /* finite numbers; low == high is widened */

/* What a fit did.  Values that are not finite, or past 1e300, leave gaps. */
typedef struct Curve {
	const char *title;               /* NULL: none */
	const char *loss_name;           /* NULL: "training loss" */
	const double *loss;              /* after each step */
	size_t steps;
	int64_t first_step;              /* the number of loss[0]; 1 unless the fit was resumed */
	bool log_loss;                   /* a logarithmic axis for the loss; what is not above 0 is a gap */
	const char *metric_name;         /* NULL: "held out" */
	const double *metric;            /* after each epoch, on the right axis */
	const double *metric_step;       /* the step that each was measured after */
	size_t metrics;                  /* 0: no right axis */
} Curve;
bool svg_curve(const char *path, const Curve *, char *error, size_t room);

/* Small grey pictures, enlarged, each with "read 3, is 5" below. */
typedef struct Digits {
	const char *title;               /* NULL: none */
	const double *pixels;            /* count pictures of height rows of width numbers */
	size_t count, width, height;
	double ink;                      /* the number that is black; 0 is white */
	const int *read, *is;            /* of each picture: what was read and what it is */
} Digits;
bool svg_digits(const char *path, const Digits *, char *error, size_t room);

/* ---- progress.c: how far a long computation is --------------------------------------- */

/* On a terminal one line that is drawn again, ten times a second at most; elsewhere a plain line at the first
 * step, every PROGRESS_PLAIN_SECONDS, and at the end. */
enum { PROGRESS_PLAIN_SECONDS = 10, PROGRESS_LINE_MAX = 512 };
typedef struct Progress {
	FILE *to;
	bool terminal, colour;
	int64_t total;                   /* the last step; 0 when unknown */
	int64_t first, step;             /* done at the beginning, and now */
	double loss;                     /* NaN: none is shown */
	double rate;                     /* steps a second, lately; at the end of all; 0: not known yet */
	double lately_steps, lately_seconds;
	double began, measured, shown;   /* seconds of the monotonic clock; shown < 0: never */
	int64_t measured_step;
	int64_t epoch;                   /* pass over the rows, from 1; 0: none is shown */
	const char *metric_name;
	double metric;                   /* the last one; NaN: none is shown */
} Progress;
double seconds_now(void); /* of a clock that is never set back */
void progress_open(Progress *, FILE *to, int64_t first, int64_t total); /* first: steps done already */
void progress_step(Progress *, int64_t step, double loss);              /* steps done; cheap if none is due */
void progress_close(Progress *);                                        /* shows the end, then a new line */

/* What progress_step and progress_close do at the time `now`, and the line they would show: no escapes, at
 * most `columns` wide; with 0 columns of any width and without a bar, as in a log. */
void progress_step_at(Progress *, int64_t step, double loss, double now);
void progress_close_at(Progress *, double now);
void progress_line(const Progress *, int columns, char line[PROGRESS_LINE_MAX]);

#endif
