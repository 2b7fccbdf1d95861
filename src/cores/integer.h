/* integer.h - simple.h for an integer dtype.  Before: N, T, and W, SUM, SUMMED (see there). */
#define LOAD(t) ((W)(t))
#define STORE(w) ((T)(w))
#define ADD(x, y) ((x) + (y))
#define MUL(x, y) ((x)*(y))
#define MADD(x, y, acc) ((acc) + (x)*(y))
#define NOTHING 0
#define SUM_OF(t) ((SUM)(t))
#define SUM_ADD(x, y) ((x) + (y))
#define SUM_STORE(s) ((SUMMED)(s))
#define SUM_NOTHING 0
#define KEY T
#define KEY_OF(t) (t)
#define KEY_NAN(k) 0
#define PLAIN_CONTRACT
#include "simple.h"
#include "clear.h"
