/* prim_0.c - the primitives for the machine's baseline, and the choice among what was built. */
#define PRIMS prims_0
#include "prim.c"

const Prims *prims_of(int isa)
{
#if defined(__x86_64__)
	return isa >= 2 ? &prims_2 : isa == 1 ? &prims_1 : &prims_0;
#else
	(void)isa;
	return &prims_0;
#endif
}
