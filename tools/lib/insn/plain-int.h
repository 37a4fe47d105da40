/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of room insn: the instructions that most x86-64 code is made of, by table. */
#ifndef PERF_INSN_PLAIN_INT_H
#define PERF_INSN_PLAIN_INT_H

#include "insn/insn.h"

/*
 * 64-bit code. The length, with what the libraries would say; 0 = ask one of them, be it that there is no such instruction,
 * that it is cut off, or that it is rare.
 */
int insn_plain_decode(const unsigned char *code, size_t size, uint64_t addr, struct insn *out);
int insn_plain_general(const unsigned char *code, size_t size, struct insn_general *out);

#endif
