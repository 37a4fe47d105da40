/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What SIMD state a row's samples had, and what the code under them does. Inside room keys.
 *
 * A sample's live width (sample_simd_live()) is that of the widest of vector registers 0 to 15 with a bit set: 128, 256,
 * 512 or none. The code's width is that of the widest vector register which the instruction at the
 * sampled address names. Live state wider than the code is dirty; whether the function itself
 * ever uses that width tells "uses zmm" and "zmm left dirty" apart. Registers 16 to 31 are apart:
 * vzeroupper spares them, so what a program's start left there lives on in everything behind it.
 */
#ifndef PERF_KEYS_SIMD_INT_H
#define PERF_KEYS_SIMD_INT_H

#include "insn/insn.h"
#include "keys/keys.h"

#endif
