/* prim_0.c - the primitives for the machine's baseline, and the choice among what was built. */
#define PRIMS prims_0
#include "prim.c"

const Prims *prims_of(int isa)
{
#if defined(__x86_64__)
	if (isa >= 2) return &prims_2;
	if (isa == 1) return &prims_1;
	return &prims_0;
#else
	(void)isa;
	return &prims_0;
#endif
}
