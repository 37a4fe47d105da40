// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as the file of an object that branches were recorded in. */
#include <stdio.h>
#include <stdlib.h>

#include "convert/convert.h"
#include "fuzz.h"

#define BASE 0x500000000000ULL

static void map(struct machine *m, const char *path, uint64_t len)
{
	unsigned char b[128] = { 0 };
	struct record rec = { .data = b,
			      .size = 112,
			      .type = PERF_RECORD_MMAP2,
			      .misc = PERF_RECORD_MISC_USER,
			      .time = RECORD_NO_TIME };

	store_u32(b, PERF_RECORD_MMAP2);
	store_u16(b + 4, PERF_RECORD_MISC_USER);
	store_u16(b + 6, 112);
	store_u32(b + 8, 1);
	store_u32(b + 12, 1);
	store_u64(b + 16, BASE);
	store_u64(b + 24, len);
	store_u32(b + 64, 5);
	snprintf((char *)b + 72, 40, "%s", path);
	machine_record(m, &rec, NULL);
}

/* Stacks all over the file. */
static void stacks(struct convert *c, struct machine *m, const uint8_t *data, size_t size)
{
	unsigned char entries[16 * BRANCH_ENTRY_SIZE] = { 0 };
	struct sample s = { .present = PERF_SAMPLE_BRANCH_STACK };
	uint64_t rnd = size ? data[size / 2] : 0;

	for (int k = 0; k < 40; k++) {
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
	map(m, fuzz_path(0), align_up(size + 1, 4096));
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
