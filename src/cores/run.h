/* run.h - which routine runs a core for a dtype. */

CORE void run_simple(int core, int dtype, const CoreWork *w)
{
	if (run_real(core, dtype, w))
		return;
	switch (dtype) {
#if HAS(1u << IS_C64)
	case IS_C64: run_core_c64(core, w); break;
#endif
#if HAS(1u << IS_C128)
	case IS_C128: run_core_c128(core, w); break;
#endif
#if HAS(1u << IS_KEY)
	case IS_KEY: run_core_key(core, w); break;
#endif
	}
}

/* Contractions and linear algebra of floats.  Gives whether it was one. */
CORE int run_float(int core, int dtype, const CoreWork *w)
{
#if WANTED(RUN_CONTRACT)
	if (core == RUN_CONTRACT && contract_narrow(dtype, w))
		return 1;
#endif
	switch (core*32 + dtype) {
#if WANTED(RUN_CONTRACT)
#if HAS(1u << IS_F32)
	case RUN_CONTRACT*32 + IS_F32: contract_regions_core_of_f32(w); return 1;
#endif
#if HAS(1u << IS_F64)
	case RUN_CONTRACT*32 + IS_F64: contract_regions_core_of_f64(w); return 1;
#endif
#endif
#if WANTED(RUN_QR) || WANTED(RUN_TRI_SOLVE)
#if HAS(1u << IS_F32)
	case RUN_QR*32 + IS_F32: qr_core_f32(w); return 1;
	case RUN_TRI_SOLVE*32 + IS_F32: tri_solve_core_f32(w); return 1;
#endif
#if HAS(1u << IS_F64)
	case RUN_QR*32 + IS_F64: qr_core_f64(w); return 1;
	case RUN_TRI_SOLVE*32 + IS_F64: tri_solve_core_f64(w); return 1;
#endif
#endif
	}
	return 0;
}

CORE void run_copy(int dtype, const CoreWork *w)
{
	int64_t bytes = element_bytes(dtype), from = w->lo*ITEM_COPY, to = least(w->hi*ITEM_COPY, w->param[0]);
	if (from < to && w->buffer[0] != w->buffer[1])
		__builtin_memcpy((char *)w->buffer[1] + from*bytes, (const char *)w->buffer[0] + from*bytes,
		                 (uint64_t)((to - from)*bytes));
}

#ifdef CORE_RUN
void CORE_RUN(int core, int dtype, const CoreWork *w);
#else
#define CORE_RUN core_run_here
CORE
#endif
void CORE_RUN(int core, int dtype, const CoreWork *w)
{
	if (core == RUN_COPY)
		run_copy(dtype, w);
	else if (!run_float(core, dtype, w))
		run_simple(core, dtype, w);
}
