/* progress.c - how far a long computation is.
 *
 *     [########--------------]  38%  190/500  loss 0.2341  accuracy 0.914  epoch 2  1.2k steps/s  0:04 left
 */
#define _XOPEN_SOURCE 700
#include "files.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const double terminal_seconds = 0.1, rate_seconds = 4;

double seconds_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int columns_of(FILE *to)
{
	struct winsize size;
	return !ioctl(fileno(to), TIOCGWINSZ, &size) && size.ws_col > 0 ? size.ws_col : 80;
}

void progress_open(Progress *p, FILE *to, int64_t first, int64_t total)
{
	const char *kind = getenv("TERM"), *plain = getenv("NO_COLOR");
	double now = seconds_now();
	*p = (Progress){.to = to, .total = total, .loss = NAN, .metric = NAN, .shown = -1};
	p->first = p->step = p->measured_step = first;
	p->began = p->measured = now;
	p->terminal = isatty(fileno(to)) && kind && strcmp(kind, "dumb");
	p->colour = p->terminal && !(plain && *plain);
}

/* Steps and seconds up to now, where what was `rate_seconds` ago weighs 1/e.  The first step is not among
 * them: what is made once, as threads, is in its time. */
static void measure_rate(Progress *p, double now)
{
	double seconds = now - p->measured, kept = exp(-seconds / rate_seconds);
	if (seconds <= 0 || p->step <= p->measured_step) return;
	if (p->shown >= 0) {
		p->lately_steps *= kept;
		p->lately_steps += (double)(p->step - p->measured_step);
		p->lately_seconds = kept * p->lately_seconds + seconds;
		p->rate = p->lately_steps / p->lately_seconds;
	}
	p->measured = now;
	p->measured_step = p->step;
}

/* "3:07" or "1:02:59"; nothing past four days, which no one would believe. */
static int add_time(char *to, size_t room, double seconds)
{
	if (!(seconds < 4 * 86400.0)) return 0;
	long s = lround(seconds);
	if (s < 3600) return snprintf(to, room, "  %ld:%02ld left", s / 60, s % 60);
	return snprintf(to, room, "  %ld:%02ld:%02ld left", s / 3600, s / 60 % 60, s % 60);
}

static int add_rate(char *to, size_t room, double rate)
{
	if (rate >= 999.5e3) return snprintf(to, room, "  %.3gM steps/s", rate / 1e6);
	if (rate >= 999.5) return snprintf(to, room, "  %.3gk steps/s", rate / 1e3);
	return snprintf(to, room, "  %.3g steps/s", rate);
}

void progress_line(const Progress *p, int columns, char line[PROGRESS_LINE_MAX])
{
	char tail[256];
	int n = 0, room = sizeof tail, bar;
	double part = p->total > 0 ? fmin(1, (double)p->step / (double)p->total) : 0;
	if (p->total > 0)
		n = snprintf(tail, sizeof tail, "%3d%%  %" PRId64 "/%" PRId64, (int)(100 * part), p->step,
			p->total);
	else
		n = snprintf(tail, sizeof tail, "step %" PRId64, p->step);
	if (!isnan(p->loss)) n += snprintf(tail + n, (size_t)(room - n), "  loss %.5g", p->loss);
	if (p->metric_name && !isnan(p->metric) && n < room / 2)
		n += snprintf(tail + n, (size_t)(room - n), "  %.40s %.5g", p->metric_name, p->metric);
	if (p->epoch > 0) n += snprintf(tail + n, (size_t)(room - n), "  epoch %" PRId64, p->epoch);
	if (p->rate > 0) n += add_rate(tail + n, (size_t)(room - n), p->rate);
	if (p->rate > 0 && p->total > p->step)
		n += add_time(tail + n, (size_t)(room - n), (double)(p->total - p->step) / p->rate);

	/* A width that does not follow the length of the numbers, unless they leave too little. */
	if (columns < 68)
		bar = 8;
	else if (columns < 90)
		bar = columns - 60;
	else
		bar = 30;
	if (bar > columns - n - 3) bar = columns - n - 3;
	if (p->total <= 0 || bar < 8) {
		snprintf(line, columns > 0 && columns < n ? (size_t)columns + 1 : PROGRESS_LINE_MAX, "%s",
			tail);
		return;
	}
	*line++ = '[';
	for (int i = 0; i < bar; i++) *line++ = i < (int)(part * bar) ? '#' : '-';
	sprintf(line, "] %s", tail);
}

static void show(Progress *p, double now)
{
	char line[PROGRESS_LINE_MAX];
	progress_line(p, p->terminal ? columns_of(p->to) - 1 : 0, line);
	p->shown = now;
	if (!p->terminal) {
		fprintf(p->to, "%s\n", line);
	} else if (p->colour && *line == '[') {
		char *end = strchr(line, ']');
		fprintf(p->to, "\r\033[36m%.*s\033[0m%s\033[K", (int)(end + 1 - line), line, end + 1);
	} else {
		fprintf(p->to, "\r%s\033[K", line);
	}
	fflush(p->to);
}

void progress_step_at(Progress *p, int64_t step, double loss, double now)
{
	p->step = step;
	p->loss = loss;
	if (p->shown >= 0 && now - p->shown < (p->terminal ? terminal_seconds : PROGRESS_PLAIN_SECONDS))
		return;
	measure_rate(p, now);
	show(p, now);
}

void progress_step(Progress *p, int64_t step, double loss)
{
	progress_step_at(p, step, loss, seconds_now());
}

void progress_close_at(Progress *p, double now)
{
	if (p->shown < 0 && p->step == p->measured_step) return;
	if (p->step > p->first && now > p->began) p->rate = (double)(p->step - p->first) / (now - p->began);
	show(p, now);
	if (p->terminal) fputc('\n', p->to);
	fflush(p->to);
}

void progress_close(Progress *p)
{
	progress_close_at(p, seconds_now());
}
