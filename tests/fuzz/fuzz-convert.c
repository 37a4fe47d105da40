// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as the file of an object that branches were recorded in. */
#include <stdio.h>
#include <stdlib.h>

#include "convert/convert.h"
#include "fuzz.h"
#include "image.h"

#define BASE 0x500000000000ULL

/* Stacks all over the file. */
static void stacks(struct convert *c, struct machine *m, const uint8_t *data, size_t size)
{
	unsigned char entries[16 * BRANCH_ENTRY_SIZE] = { 0 };
	struct sample s = { .present = PERF_SAMPLE_BRANCH_STACK };
	uint64_t rnd = size ? data[size / 2] : 0;

	for (int k = 0; k < 10; k++) {
		for (int i = 0; i < 16; i++) {
			rnd = hash_u64(rnd + 1);
			store_u64(entries + i * 24, BASE + rnd % (size + 1));
			store_u64(entries + i * 24 + 8, BASE + (rnd >> 32) % (size + 1));
		}
		s.branches = (struct sample_branches){ .nr = 16, .entries = entries };
		convert_sample(c, machine_thread(m, 1, 1), &s);
	}
}

static void run(const uint8_t *data, size_t size)
{
	struct machine *m = NULL;
	struct convert *c = NULL;
	struct obuf o;

	fuzz_file(0, data, size);
	if (machine_new(&m, "x86_64", NULL) || convert_new(&c, m, NULL) || obuf_init(&o, -1, 0))
		abort();
	image_map_file(m, 0, BASE, align_up(size + 1, 4096), 0);
	stacks(c, m, data, size);
	if (!convert_finish(c, NULL) && convert_nr_objects(c) && !convert_load(c, 0, NULL, NULL))
		for (size_t i = 0; convert_format_at(i); i++)
			if (convert_format_at(i)->object)
				convert_write(c, 0, convert_format_at(i), &o, NULL);
	o.len = 0;
	obuf_free(&o);
	convert_free(c);
	machine_free(m);
}

const struct fuzz_target fuzz_convert = {
	.name = "convert",
	.reads = "code of objects, as blocks between branches",
	.max_len = 16384,
	.run = run,
	.mutate = mutate_elf,
};
