/* run.h - which routine runs a core for a dtype. */

CORE void run_simple(int core, int dtype, const CoreWork *w)
{
	switch (dtype) {
#if HAS(1u << IS_BOOL)
	case IS_BOOL: run_core_bool(core, w); break;
#endif
#if HAS(1u << IS_I8)
	case IS_I8: run_core_i8(core, w); break;
#endif
#if HAS(1u << IS_I16)
	case IS_I16: run_core_i16(core, w); break;
#endif
#if HAS(1u << IS_I32)
	case IS_I32: run_core_i32(core, w); break;
#endif
#if HAS(1u << IS_I64)
	case IS_I64: run_core_i64(core, w); break;
#endif
#if HAS(1u << IS_U8)
	case IS_U8: run_core_u8(core, w); break;
#endif
#if HAS(1u << IS_U16)
	case IS_U16: run_core_u16(core, w); break;
#endif
#if HAS(1u << IS_U32)
	case IS_U32: run_core_u32(core, w); break;
#endif
#if HAS(1u << IS_U64)
	case IS_U64: run_core_u64(core, w); break;
#endif
#if HAS(1u << IS_F16)
	case IS_F16: run_core_simple_f16(core, w); break;
#endif
#if HAS(1u << IS_BF16)
	case IS_BF16: run_core_simple_bf16(core, w); break;
#endif
#if HAS(1u << IS_F32)
	case IS_F32: run_core_simple_f32(core, w); break;
#endif
#if HAS(1u << IS_F64)
	case IS_F64: run_core_simple_f64(core, w); break;
#endif
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
	switch (core*32 + dtype) {
#if WANTED(RUN_CONTRACT)
#if HAS(1u << IS_F16)
	case RUN_CONTRACT*32 + IS_F16: contract_regions_core_of_f16(w); return 1;
#endif
#if HAS(1u << IS_BF16)
	case RUN_CONTRACT*32 + IS_BF16: contract_regions_core_of_bf16(w); return 1;
#endif
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
