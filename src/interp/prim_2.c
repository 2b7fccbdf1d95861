/* prim_2.c - the primitives for AVX-512. */
#include <stdint.h>
#include <string.h>
#include "prim.h"
#include "../loop/order.h"

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,fma,prefer-vector-width=512")
#endif
#define PRIMS prims_2
#include "prim.c"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
