/* stack.h - how much of the stack is left: for what recurses on the nesting of a text. */
#ifndef POR_STACK_H
#define POR_STACK_H

#include <stddef.h>

/* More than any one level of a text takes, with all that it calls. */
enum { STACK_SPARE = 96 << 10 };

size_t stack_left(void);         /* bytes of this thread's stack; SIZE_MAX where that is not known */

#endif
