/* order.h - the numbers of the order in which a fold adds; docs/architecture.md tells the order. */
#ifndef POR_LOOP_ORDER_H
#define POR_LOOP_ORDER_H

enum { FOLD_BLOCK = 4096,                /* terms of a block */
       LANE_BYTES = 256 };               /* of the accumulators of a block */

#endif
