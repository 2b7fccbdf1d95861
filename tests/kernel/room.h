/* room.h - room for a kernel that is written down by hand or by chance, as large as they come. */
#ifndef POR_TESTS_ROOM_H
#define POR_TESTS_ROOM_H

#include "../../src/loop/loop.h"

typedef struct KernelRoom {
	Int extent[AXES_MAX], stride[CODE_MAX][AXES_MAX];
	Dynamic dynamic[CODE_MAX][DYNAMICS_MAX];
	KernelBuffer buffer[BUFFERS_MAX];
	Ins code[CODE_MAX];
	Access at[CODE_MAX];
	Stage stage[STAGES_MAX];
} KernelRoom;

/* The kernel's lists lie there; axes are of size 1, accesses move along none. */
static inline void kernel_takes(Kernel *k, KernelRoom *room)
{
	k->extent = room->extent;
	k->buffer = room->buffer;
	k->code = room->code;
	k->at = room->at;
	k->stage = room->stage;
	for (int axis = 0; axis < AXES_MAX; axis++) {
		room->extent[axis] = INT_LITERAL(1);
		for (int i = 0; i < CODE_MAX; i++) room->stride[i][axis] = INT_LITERAL(0);
	}
	for (int i = 0; i < CODE_MAX; i++)
		room->at[i] = (Access){.stride = room->stride[i], .dynamic = room->dynamic[i]};
}

#endif
