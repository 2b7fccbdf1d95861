/* stop.c - calls that are cancelled, or take longer than they may.
 *
 * Steps, passes of loops and pieces of large work ask before they begin.  Any thread may find that a call is
 * over; the caller's makes the error of it.  From the first step on that writes over an argument (in_place.c)
 * nobody asks: a call that fails changes no argument.
 */
#include "program.h"

enum { LOOKS = 16, WORK_OF_LOOK = 4096 };

void stop_begin(Stop *s)
{
	s->left = 0;
	s->deadline = deadline_after(clock_ns(), s->seconds);
}

bool stopped(Frame *f)
{
	const Stop *s = &f->stop;
	if (stop_is_asked(s))
		fail(&f->error, ERR_CANCELLED, (Where){0}, "the call was cancelled");
	else
		fail(&f->error, ERR_LIMIT, (Where){0},
			"the call takes more than %g seconds, the limit call_seconds", s->seconds);
	return true;
}

/* Small steps do not ask the clock each time. */
bool stop_looks(Frame *f, int64_t work)
{
	Stop *s = &f->stop;
	s->left -= 1 + work / WORK_OF_LOOK;
	if (!stop_is_asked(s) && s->left > 0) return false;
	s->left = LOOKS;
	return stop_is_due(s) && stopped(f);
}

void frame_cancel(Frame *f, bool on)
{
	__atomic_store_n(&f->stop.own, on, __ATOMIC_RELAXED);
}

void frame_limit(Frame *f, double seconds)
{
	f->stop.seconds = seconds;
	f->stop.deadline = 0;
}

void frame_row(Frame *f, bool begins)
{
	f->stop.row = begins;
	if (begins && f->stop.seconds > 0) stop_begin(&f->stop);
}
