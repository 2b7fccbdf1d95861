/* float.h - simple.h for a float dtype or a complex one.  Before: N, T, W, LOAD, STORE, NOTHING; of complex ones
 * ADD, MADD and PLAIN_CONTRACT too; of floats KEY; MOVED_ONLY: no numbers, ADD is not used. */
#ifndef ADD
#define ADD(x, y) ((x) + (y))
#define MUL(x, y) ((x)*(y))
#define KEY_OF(t) LOAD(t)
#define KEY_NAN(k) ((k) != (k))
#endif
#ifndef MOVED_ONLY
#define SUM W
#define SUMMED T
#define SUM_OF(t) LOAD(t)
#define SUM_ADD(x, y) ADD(x, y)
#define SUM_STORE(s) STORE(s)
#define SUM_NOTHING NOTHING
#endif
#include "simple.h"
#include "clear.h"
