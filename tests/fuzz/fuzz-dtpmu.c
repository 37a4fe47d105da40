// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a flattened device tree. */
#include "fuzz.h"

static void run(const uint8_t *data, size_t size)
{
	fuzz_dtpmu_ask(data, size);
}

const struct fuzz_target fuzz_dtpmu = {
	.name = "dtpmu",
	.reads = "device trees (.dtb) and questions about their PMUs",
	.max_len = 16384,
	.run = run,
	.mutate = mutate_tree,
};
