/* watch.c - what bounds a long piece of work: the clock, a flag, counts; and who is told how far it is.
 *
 * Work that is past a limit ends as work ends whose memory has run out: by a jump to the entry point's trap.
 */
#include "base.h"

#include <stdio.h>
#include <time.h>

enum { LOOKS = 256, PROGRESS_NS = 100000000 };

static bool is_cancelled(const Watch *w)
{
	for (int i = 0; i < 2; i++)
		if (w->cancel[i] && __atomic_load_n(w->cancel[i], __ATOMIC_RELAXED)) return true;
	return false;
}

int64_t clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t deadline_after(int64_t begin, double seconds)
{
	double ns = seconds * 1e9;
	if (!(seconds > 0)) return 0;
	if (ns < (double)(INT64_MAX / 2)) return begin + (int64_t)ns + 1;
	return INT64_MAX;
}

void watch_begin(Watch *w)
{
	w->why = WATCH_GOES_ON;
	w->began = w->told = 0;
	w->looks = LOOKS;
}

bool watch_is_over(const Watch *w)
{
	return is_cancelled(w) || w->why || (w->began && w->deadline && clock_ns() > w->deadline);
}

/* The clock begins with the first look: most entry points are done long before. */
static void look_at_clock(Watch *w)
{
	int64_t now = clock_ns();
	if (!w->began) {
		w->began = w->told = now;
		w->deadline = deadline_after(now, w->seconds_most);
	}
	if (w->deadline && now > w->deadline) w->why = WATCH_SECONDS;
	if (!w->progress || now - w->told < PROGRESS_NS || w->why) return;
	w->told = now;
	if (w->progress(w->user, w, (double)(now - w->began) * 1e-9)) w->why = WATCH_CANCELLED;
}

bool watch_look(Watch *w)
{
	w->looks = LOOKS;
	if (is_cancelled(w)) w->why = WATCH_CANCELLED;
	if (!w->why) look_at_clock(w);
	if (w->why) w->looks = 1; /* whoever asks next is told the same */
	return w->why;
}

bool watch_takes(Watch *w, uint64_t bytes)
{
	if (w->bytes_most && bytes > w->bytes_most - (w->bytes < w->bytes_most ? w->bytes : w->bytes_most)) {
		w->why = WATCH_BYTES;
		w->looks = 1;
	} else if (!watch_look(w)) {
		return true;
	}
	return false;
}

void watch_fail(const Watch *w, Error *e, Where where)
{
	const char *stage = w->stage ? w->stage : "work";
	switch (w->why) {
	case WATCH_CANCELLED: fail(e, ERR_CANCELLED, where, "%s: cancelled", stage); break;
	case WATCH_SECONDS:
		fail(e, ERR_LIMIT, where, "%s: it takes more than %g seconds, the limit max_seconds", stage,
			w->seconds_most);
		break;
	case WATCH_BYTES:
		fail(e, ERR_LIMIT, where, "%s: it takes more than %llu bytes, the limit max_bytes", stage,
			(unsigned long long)w->bytes_most);
		break;
	case WATCH_NODES:
		fail(e, ERR_LIMIT, where, "%s: it takes more than %llu nodes, the limit max_nodes", stage,
			(unsigned long long)w->nodes_most);
		break;
	default: fail(e, ERR_MEMORY, where, "out of memory"); break;
	}
}
