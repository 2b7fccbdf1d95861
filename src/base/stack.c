/* stack.c - how much of this thread's stack is left.  Where it ends is asked once a thread; code that runs on
 * a stack of its own making is recognised, and not limited. */

#include "stack.h"

#include <pthread.h>
#include <stdint.h>

size_t stack_left(void)
{
	static _Thread_local uintptr_t low, high;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	pthread_attr_t a;
	if (!high && !pthread_getattr_np(pthread_self(), &a)) {
		void *at = NULL;
		size_t size = 0;
		if (!pthread_attr_getstack(&a, &at, &size)) low = (uintptr_t)at;
		high = low + size;
		pthread_attr_destroy(&a);
	}
	return here >= low && here < high ? here - low : SIZE_MAX;
}
