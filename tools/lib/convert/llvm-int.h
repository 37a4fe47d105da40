/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What LLVM's two forms share. */
#ifndef PERF_CONVERT_LLVM_INT_H
#define PERF_CONVERT_LLVM_INT_H

#include "convert/source-int.h"

int llvm_prepare(const struct convert *c, struct convert_elf *ob, struct err *e);
/* Pseudo probes, which clang would match instead. */
void llvm_say_probes(const struct convert *c, const struct convert_elf *ob);

#endif
