/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An object around sections that are made of an input, mapped by a process of a machine. */
#ifndef TESTS_FUZZ_IMAGE_H
#define TESTS_FUZZ_IMAGE_H

#include "fuzz.h"
#include "machine/machine.h"

#define IMAGE_TEXT 0x401000ULL /* where its code is linked to, and mapped */
#define IMAGE_CODE 0x1000u     /* bytes of it */

struct image_section {
	const char *name;
	uint64_t addr; /* 0 = it is not mapped */
	const uint8_t *p;
	size_t n;
};

/* x86-64; code without instructions; the file lies in slot @slot. */
void image_write(unsigned slot, const struct image_section *sec, size_t nr);
/* Process 1 has mapped what lies in that slot. */
void image_map(struct machine *m, unsigned slot);

#endif
