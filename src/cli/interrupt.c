/* interrupt.c - the command's context with its limits; how SIGINT and SIGTERM end what is under way.
 *
 * The first signal cancels all work of the context: what runs ends by itself, removes what it was writing and
 * ends its compilers.  What has not ended after most of a second, as a file that is read, is ended here; a
 * second signal does so at once.
 */
#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static por_context *context; /* of the process: its graphs come and go */
static Sources *reading;     /* of the target that is open */
static volatile sig_atomic_t caught;
static volatile sig_atomic_t lines; /* interrupt_lines */

int interrupted(void)
{
	return caught ? 128 + caught : 0;
}

static void end_now(int signal)
{
	(void)signal;
	files_abandon();
	_exit(interrupted());
}

static void end_soon(int signal)
{
	static const struct itimerval most = {.it_value = {0, 800000}};
	const bool line = lines && signal == SIGINT;
	if (caught && !line) end_now(signal);
	caught = signal;
	por_cancel(context, 1);
	if (line) return;
	setitimer(ITIMER_REAL, &most, NULL);
}

void interrupt_lines(void)
{
	lines = 1;
}

bool interrupt_line(void)
{
	if (caught != SIGINT) return false;
	caught = 0;
	por_cancel(context, 0);
	return true;
}

bool interrupt_read(int from, char *byte)
{
	struct pollfd input = {.fd = from, .events = POLLIN};
	sigset_t held, before;
	ssize_t n = -1;
	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigprocmask(SIG_BLOCK, &held, &before);
	while (!caught && n < 0) {
		if (ppoll(&input, 1, NULL, &before) > 0) n = read(from, byte, 1);
		if (n < 0 && errno != EINTR && errno != EAGAIN) break;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return n == 1;
}

void interrupt_saves(void)
{
	static const struct itimerval none;
	setitimer(ITIMER_REAL, &none, NULL);
}

/* What was ignored from the start, as of a job behind &, stays ignored. */
static void handle(int signal, void (*with)(int))
{
	struct sigaction old, new = {.sa_handler = with};
	sigemptyset(&new.sa_mask);
	if (!sigaction(signal, NULL, &old) && old.sa_handler != SIG_IGN) sigaction(signal, &new, NULL);
}

/* ---- the context --------------------------------------------------------------------------------- */

static void log_line(void *user, const char *line)
{
	(void)user;
	fprintf(stderr, "porism: %s\n", line);
}

static int load(void *user, por_source *asked)
{
	(void)user;
	return source_load(reading, asked);
}

/* Half of the machine's memory, at most 16 GiB. */
static uint64_t usual_bytes(void)
{
	const uint64_t most = (uint64_t)16 << 30;
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	uint64_t half = pages > 0 && page > 0 ? (uint64_t)pages / 2 * (uint64_t)page : most;
	return half < most ? half : most;
}

/* 500M: bytes, with K, M or G for 2^10, 2^20, 2^30. */
static bool option_bytes(const Options *o, const char *name, uint64_t *value)
{
	static const char units[] = "KMG";
	const char *text = option(o, name);
	if (!text) return true;
	char *end;
	errno = 0;
	unsigned long long n = strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;
	int shift = unit ? 10 * (int)(unit - units + 1) : 0;
	if (end == text || *text == '-' || errno || end[unit != NULL] || !n || n > UINT64_MAX >> shift) {
		usage(o, "--%s %s: bytes, as 500M or 4G, were wanted", name, text);
		return false;
	}
	*value = (uint64_t)n << shift;
	return true;
}

bool option_seconds(const Options *o, const char *name, double *value)
{
	const char *text = option(o, name);
	if (!text) return true;
	char *end;
	double x = strtod(text, &end);
	if (end == text || *end || !(x > 0)) {
		usage(o, "--%s %s: seconds, more than 0, were wanted", name, text);
		return false;
	}
	*value = x;
	return true;
}

por_context *command_context(const Options *o, Sources *sources, int *status)
{
	int64_t nodes = 20000000;
	por_context_options c = {
		.size = sizeof c, .log = log_line, .load = load, .max_seconds = 600,
			.max_bytes = usual_bytes()};
	reading = sources;
	*status = EXIT_USAGE;
	if (context) return context;
	if (!option_number(o, "max-nodes", 1, INT64_MAX, &nodes) ||
		!option_bytes(o, "max-bytes", &c.max_bytes) ||
		!option_seconds(o, "max-seconds", &c.max_seconds))
		return NULL;
	c.max_nodes = (uint64_t)nodes;
	context = por_context_new(&c);
	*status = context ? EXIT_GOOD : complain(o, EXIT_ENVIRONMENT, "out of memory");
	return context;
}

void interrupt_open(void)
{
	handle(SIGALRM, end_now);
	handle(SIGINT, end_soon);
	handle(SIGTERM, end_soon);
}

void interrupt_close(void)
{
	por_context *last = context;
	context = NULL;
	por_context_free(last);
}
