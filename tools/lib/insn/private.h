/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two libraries behind one decoder. A missing one is a half that answers -ENOTSUP. */
#ifndef PERF_INSN_PRIVATE_H
#define PERF_INSN_PRIVATE_H

#include "insn/insn.h"

struct zydis_decoder;
struct capstone_decoder;

struct insn_decoder {
	struct zydis_decoder *zydis;	   /* NULL = not x86, or not built in */
	struct capstone_decoder *capstone; /* NULL = architecture unknown to it, or not built in */
};

int zydis_new(struct zydis_decoder **d, enum regs_arch arch, bool is_64bit);
void zydis_free(struct zydis_decoder *d);
int zydis_decode(struct zydis_decoder *d, const void *code, size_t size, uint64_t addr,
		 struct insn *out);
int zydis_text(struct zydis_decoder *d, const void *code, size_t size, uint64_t addr, char *buf,
	       size_t buf_size);

int capstone_new(struct capstone_decoder **d, enum regs_arch arch, bool is_64bit);
void capstone_free(struct capstone_decoder *d);
int capstone_decode(struct capstone_decoder *d, const void *code, size_t size, uint64_t addr,
		    struct insn *out);
int capstone_text(struct capstone_decoder *d, const void *code, size_t size, uint64_t addr,
		  char *buf, size_t buf_size);

#endif
