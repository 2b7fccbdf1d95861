/* map_ops.h - the maps of ops.h, by the kinds of dtypes that each has scalar functions for.
 *
 * Who includes it, as often as is wanted, has defined OF_BOOL, OF_WHOLE, OF_FLOAT and OF_COMPLEX, each of
 * (NAME, name, args, forms): what becomes of an operator that has functions of that kind; and OF_CHOICE, of WHERE, which
 * has them of all.  Maps with a dtype rule of their own have none.
 */
#ifndef POR_IR_MAP_OPS_H
#define POR_IR_MAP_OPS_H

#define MAPS_LEAF(...)
#define MAPS_FOLD(...)
#define MAPS_CUMULATIVE(...)
#define MAPS_VIEW(...)
#define MAPS_INDEX(...)
#define MAPS_CONTRACT(...)
#define MAPS_SOLVE(...)
#define MAPS_RANDOM(...)
#define MAPS_CONTROL(...)
#define MAPS_MAP(dtype, ...) MAPS_OF_##dtype(__VA_ARGS__)

#define MAPS_OF_SAME(...) OF_WHOLE(__VA_ARGS__) OF_FLOAT(__VA_ARGS__) OF_COMPLEX(__VA_ARGS__)
#define MAPS_OF_MODULUS(...) MAPS_OF_SAME(__VA_ARGS__)
#define MAPS_OF_REAL(...) OF_WHOLE(__VA_ARGS__) OF_FLOAT(__VA_ARGS__)
#define MAPS_OF_FLOAT(...) OF_FLOAT(__VA_ARGS__) OF_COMPLEX(__VA_ARGS__)
#define MAPS_OF_RFLOAT(...) OF_FLOAT(__VA_ARGS__)
#define MAPS_OF_INT(...) OF_WHOLE(__VA_ARGS__)
#define MAPS_OF_BITS(...) OF_BOOL(__VA_ARGS__) OF_WHOLE(__VA_ARGS__)
#define MAPS_OF_BOOL(...) OF_BOOL(__VA_ARGS__)
#define MAPS_OF_TEST(...) OF_BOOL(__VA_ARGS__) MAPS_OF_SAME(__VA_ARGS__)
#define MAPS_OF_RTEST(...) OF_BOOL(__VA_ARGS__) MAPS_OF_REAL(__VA_ARGS__)
#define MAPS_OF_FTEST(...) OF_FLOAT(__VA_ARGS__)
#define MAPS_OF_SELECT(...) OF_CHOICE(__VA_ARGS__)
#define MAPS_OF_OWN(...)

#endif

#define OP(NAME, name, text, args, class, dtype, flags, cost, forms, ...) MAPS_##class(dtype, NAME, name, args, forms)
#include "ops.h"
#undef OP
