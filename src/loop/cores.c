/* cores.c - runs a core by the best instruction set that the machine and the caller allow. */
#include "loop.h"
#include "../cores/items.h"

_Static_assert((int)RUN_CONTRACT == CORE_CONTRACT && (int)RUN_CUMSUM == CORE_CUMSUM && (int)RUN_QR == CORE_QR
               && (int)RUN_SCATTER == CORE_SCATTER && (int)RUN_TOP_K == CORE_TOP_K
               && (int)RUN_TRI_SOLVE == CORE_TRI_SOLVE && (int)RUN_COPY == CORE_COPY
               && (int)RUN_JOIN == CORE_JOIN && (int)RUN_CARRY == CORE_CARRY,
               "items.h numbers the cores as loop.h does");
#define SAME_NUMBER(D, ...) _Static_assert((int)IS_##D == DT_##D, "items.h numbers the dtypes as ir.h does");
ALL_DTYPES(SAME_NUMBER)
_Static_assert((int)TERMS == FOLD_BLOCK, "one block");
_Static_assert(offsetof(Fault, index) == 8 && offsetof(Fault, extent) == 16, "a fault is three integers");

typedef void Run(int core, int dtype, const CoreWork *);
Run core_run_0, core_run_1, core_run_2;

#if defined(__x86_64__)
typedef struct Registers { uint32_t a, b, c, d; } Registers;

static Registers cpuid(uint32_t leaf, uint32_t sub)
{
	Registers r;
	__asm__ volatile("cpuid" : "=a"(r.a), "=b"(r.b), "=c"(r.c), "=d"(r.d) : "0"(leaf), "2"(sub));
	return r;
}

/* Which registers the system keeps when it changes tasks. */
static uint32_t kept_registers(void)
{
	uint32_t a, d;
	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	return a;
}

static int find_isa(void)
{
	enum { FMA = 1 << 12, OSXSAVE = 1 << 27, AVX = 1 << 28, AVX2 = 1 << 5 };
	const uint32_t avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;     /* F, DQ, BW, VL */
	if (cpuid(0, 0).a < 7)
		return 0;
	Registers one = cpuid(1, 0), seven = cpuid(7, 0);
	if (!(one.c & FMA) || !(one.c & OSXSAVE) || !(one.c & AVX) || !(seven.b & AVX2))
		return 0;
	uint32_t kept = kept_registers();
	if ((kept & 0x6) != 0x6)
		return 0;
	return (seven.b & avx512) == avx512 && (kept & 0xe6) == 0xe6 ? 2 : 1;
}
#else
static int find_isa(void) { return 0; }
#endif

/* Found once; two threads that find it at once find the same. */
int cpu_isa(void)
{
	static int found;                /* 1 more than it, 0: not looked yet */
	int isa = __atomic_load_n(&found, __ATOMIC_RELAXED);
	if (!isa) {
		isa = find_isa() + 1;
		__atomic_store_n(&found, isa, __ATOMIC_RELAXED);
	}
	return isa - 1;
}

int64_t core_items(Core core, const int64_t *param) { return run_items((int)core, param); }

size_t core_scratch(Core core, uint8_t dtype, const int64_t *param)
{
	return (size_t)run_scratch((int)core, dtype, param);
}

void core_run(Core core, uint8_t dtype, const Piece *x, int isa)
{
	Run *run = core_run_0;
#if defined(__x86_64__)
	int most = cpu_isa();
	isa = isa < most ? isa : most;
	if (isa >= 2)
		run = core_run_2;
	else if (isa == 1)
		run = core_run_1;
	else
		run = core_run_0;
#endif
	run((int)core, dtype, &(CoreWork){.buffer = x->buffer,
				      .param = x->param,
				      .lo = x->lo,
				      .hi = x->hi,
				      .scratch = x->scratch,
				      .fault = x->fault ? &x->fault->position : NULL});
}
