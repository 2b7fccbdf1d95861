/* choice.c - large work goes alone or shared among threads, whichever took less time.
 *
 * Threads are no gain where others keep the machine busy, or where the work is
 * done before a sleeping worker is awake.  So from time to time some calls go
 * the other way: several in a row, because the first may have to wake workers,
 * which then stay awake.  Which way work goes changes no bit.
 */
#include "program.h"

enum { WAIT_LEAST = 16, WAIT_MOST = 4096, CHECK = 128, SMOOTH = 64 };

/* Of a trial; the first is not counted. */
static int64_t trial_calls(bool shared)
{
	return shared ? 8 : 2;
}

bool choose_way(Choice *c)
{
	if (!c->trial && !c->left--) {
		c->trial = trial_calls(!c->shared);
		c->sum = 0;
	}
	return c->shared != (c->trial > 0);
}

/* Shared work that is seldom better is tried seldom. */
static void go_on(Choice *c, bool shared)
{
	int64_t wait = shared ? c->wait / 2 : 2 * c->wait;
	if (wait < WAIT_LEAST)
		c->wait = WAIT_LEAST;
	else if (wait > WAIT_MOST)
		c->wait = WAIT_MOST;
	else
		c->wait = wait;
	c->shared = shared;
	if (!c->took[!shared])
		c->left = 0;
	else if (shared)
		c->left = CHECK;
	else
		c->left = c->wait;
}

/* A worker that lost its CPU is seldom, but very late: it counts, up to a limit. */
static void note_usual(Choice *c, int64_t took)
{
	int64_t *mean = &c->took[c->shared], most = 16 * c->took[0];
	*mean += ((took < most ? took : most) - *mean) / SMOOTH;
	if (c->shared && *mean > c->took[0]) go_on(c, false);
}

/* A trial ends when it is seen to be the slower way. */
static void note_trial(Choice *c, int64_t took)
{
	bool other = !c->shared;
	int64_t counted = trial_calls(other) - 1, usual = c->took[c->shared] * counted;
	if (c->trial-- <= counted) c->sum += took;
	if (c->trial && (!usual || c->sum < usual)) return;
	c->trial = 0;
	c->took[other] = c->sum / counted + 1;
	go_on(c, !usual || c->sum < usual ? other : c->shared);
}

void note_way(Choice *c, int64_t took)
{
	if (c->trial)
		note_trial(c, took);
	else
		note_usual(c, took);
}
