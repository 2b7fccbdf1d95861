/* prim_1.c - the primitives for AVX2 and FMA. */
#include <stdint.h>
#include <string.h>
#include "prim.h"
#include "../loop/order.h"

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define PRIMS prims_1
#include "prim.c"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
