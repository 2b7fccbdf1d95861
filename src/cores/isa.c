/* isa.c - the cores for one instruction set: compiled with -DCORE_ISA=0, 1 and 2 and the flags that it means. */
#include <stddef.h>
#include <stdint.h>
#include "../math/math.h"

#define RUN_NAME_(isa) core_run_##isa
#define RUN_NAME(isa) RUN_NAME_(isa)
#define CORE_RUN RUN_NAME(CORE_ISA)
#include "cores.h"
