// SPDX-License-Identifier: GPL-2.0-or-later
/* Every question about the PMUs of a flattened device tree, with and without our corrections. */
#include "dtpmu/dtpmu.h"
#include "fuzz.h"

static void ask(const struct dtpmu *pmu)
{
	struct dtpmu_want w[9] = { { .config = 0x600f4 }, { .config = 0x1e }, { .config = ~0ULL } };
	struct dtpmu_answer a;
	char text[768];
	size_t n = 3;

	vec_for_each (ev, &pmu->events) {
		if (n == ARRAY_SIZE(w))
			break;
		w[n++] = (struct dtpmu_want){ .config = ev->config, .config1 = ev->config1 };
		dtpmu_terms(pmu, &w[n - 1], text, sizeof(text));
		dtpmu_parse_event(pmu, ev->name, &w[n - 1], NULL);
	}
	for (size_t first = 0; first < n; first++) {
		dtpmu_check(pmu, w + first, n - first, first & 1 ? DTPMU_GUEST : 0, &a);
		dtpmu_explain(pmu, &a, text, sizeof(text));
	}
}

void fuzz_dtpmu_ask(const void *data, size_t size)
{
	struct dtpmu_list *l;
	struct err err;

	for (unsigned flags = 0; flags <= DTPMU_AS_PUBLISHED; flags++) {
		if (dtpmu_load_blob(&l, data, size, flags, &err))
			return;
		for (size_t i = 0; i < l->nr; i++)
			ask(l->pmu[i]);
		dtpmu_lint(l, &err);
		dtpmu_free(l);
	}
}
