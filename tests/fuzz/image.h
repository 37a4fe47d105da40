/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An object around sections that are made of an input, mapped by a process of a machine. */
#ifndef TESTS_FUZZ_IMAGE_H
#define TESTS_FUZZ_IMAGE_H

#include "fuzz.h"
#include "machine/machine.h"

#define IMAGE_TEXT 0x401000ULL /* where its code is linked to, and mapped */
#define IMAGE_CODE 0x1000u     /* bytes of it */

/* A section of this name is no section: it is what the code begins with. */
#define IMAGE_CODE_NAME ".text"

struct image_section {
	const char *name;
	uint64_t addr; /* 0 = it is not mapped */
	const uint8_t *p;
	size_t n;
};

/* x86-64; code without instructions unless a section brings some; the file lies in slot @slot. */
void image_write(unsigned slot, const struct image_section *sec, size_t nr);
/* Process 1 has mapped @len bytes of the file in that slot, from offset @pgoff on, at @addr. */
void image_map_file(struct machine *m, unsigned slot, uint64_t addr, uint64_t len, uint64_t pgoff);
/* The same of an object that image_write() made, where it is linked to. */
void image_map(struct machine *m, unsigned slot);

#endif
