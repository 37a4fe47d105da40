// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups of events in a file, as pmu-dt check --groups reads them, against the PMUs of a device tree: two parts. */
#include <stdlib.h>

#include "dtpmu/dtpmu.h"
#include "emit/emit.h"
#include "fuzz.h"

static void check(const struct dtpmu *pmu, const uint8_t *text, size_t n, enum emit_format form)
{
	struct obuf out = { .fd = -1 };
	struct emit e;
	struct dtpmu_checks checks = { .pmu = pmu, .flags = n % 2 ? DTPMU_GUEST : 0, .out = &e };
	char *copy = malloc(n + 1);
	struct err err = { 0 };

	if (!copy)
		abort();
	if (n)
		memcpy(copy, text, n);
	copy[n] = 0;
	emit_init(&e, &out, form);
	emit_array(&e, "groups");
	dtpmu_print_groups(&checks, copy, "groups", &err);
	emit_end(&e);
	emit_finish(&e);
	if (checks.refused > checks.groups)
		abort();
	fuzz_touch(err.text);
	err_clear(&err);
	free(copy);
	free(out.buf);
}

static void run(const uint8_t *data, size_t size)
{
	struct fuzz_bytes b = { data, size };
	struct dtpmu_list *l;
	struct err err = { 0 };
	const uint8_t *tree, *text;
	size_t nr_tree, nr_text;

	tree = fuzz_part(&b, &nr_tree);
	text = fuzz_part(&b, &nr_text);
	if (!dtpmu_load_blob(&l, tree, nr_tree, 0, &err)) {
		for (size_t i = 0; i < l->nr && i < 4; i++)
			check(l->pmu[i], text, nr_text, i ? EMIT_TEXT : EMIT_JSON);
		dtpmu_free(l);
	}
	err_clear(&err);
}

/* The tree is dtpmu's business: here it stays as it is. */
static size_t mutate(uint8_t *data, size_t size, size_t max, uint32_t seed)
{
	struct fuzz_bytes b = { data, size };
	size_t n, to;
	uint8_t *text;

	fuzz_part(&b, &n);
	if (b.left <= 2 || size > max)
		return 0;
	n = b.left - 2;
	text = data + (size - n);
	to = mutate_text(text, n, max - (size - n), seed);
	if (!to || to > UINT16_MAX)
		return 0;
	text[-2] = (uint8_t)to;
	text[-1] = (uint8_t)(to >> 8);
	return size - n + to;
}

const struct fuzz_target fuzz_groups = {
	.name = "groups",
	.reads = "groups of events, checked by a device tree's PMUs",
	.max_len = 4096,
	.run = run,
	.mutate = mutate,
};
