/* inputs.h - which inputs are looked at.
 *
 * f32, one operand: the number whose bits are step*i, so that step 1 visits all 2^32; other steps are odd.
 * Else sample i, a hash of i: the interval of functions.h, random bits, random exponents, whole and half numbers,
 * neighbours of landmarks (where formulas change or results vanish), the hard inputs.
 */
#ifndef INPUTS_H
#define INPUTS_H

#include "accuracy.h"

double sample(const Function *f, uint64_t i, int operand);

#endif
