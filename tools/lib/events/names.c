// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of the events that every kernel knows by number: perf_event_open(2). The first spelling is
 * the one that is printed, the others are understood.
 */
#include <stdio.h>
#include <strings.h>

#include "events/events-int.h"

const struct event_symbol event_hardware[] = {
	{ "cpu-cycles", "cycles", PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", NULL, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", NULL, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", NULL, PERF_COUNT_HW_CACHE_MISSES },
	{ "branch-instructions", "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", NULL, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", NULL, PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", "idle-cycles-frontend",
	  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", "idle-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", NULL, PERF_COUNT_HW_REF_CPU_CYCLES },
};
const size_t event_nr_hardware = ARRAY_SIZE(event_hardware);

const struct event_symbol event_software[] = {
	{ "cpu-clock", NULL, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", NULL, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", "faults", PERF_COUNT_SW_PAGE_FAULTS },
	{ "context-switches", "cs", PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", "migrations", PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "minor-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "alignment-faults", NULL, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", NULL, PERF_COUNT_SW_EMULATION_FAULTS },
	{ "dummy", NULL, PERF_COUNT_SW_DUMMY },
	{ "bpf-output", NULL, PERF_COUNT_SW_BPF_OUTPUT },
	{ "cgroup-switches", NULL, PERF_COUNT_SW_CGROUP_SWITCHES },
};
const size_t event_nr_software = ARRAY_SIZE(event_software);

int event_symbol_find(const struct event_symbol *v, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(v[i].name, name) || (v[i].alias && !strcmp(v[i].alias, name)))
			return (int)i;
	return -1;
}

/* ---- cache events: TYPE[-OP][-RESULT], the first spelling is the canonical one -------------- */

#define SPELLINGS 5

static const char *const cache_ids[][SPELLINGS] = {
	{ "L1-dcache", "l1-d", "l1d", "L1-data" },
	{ "L1-icache", "l1-i", "l1i", "L1-instruction" },
	{ "LLC", "L2" },
	{ "dTLB", "d-tlb", "Data-TLB" },
	{ "iTLB", "i-tlb", "Instruction-TLB" },
	{ "branch", "branches", "bpu", "btb", "bpc" },
	{ "node" },
};

static const char *const cache_ops[][SPELLINGS] = {
	{ "load", "loads", "read" },
	{ "store", "stores", "write" },
	{ "prefetch", "prefetches", "speculative-read", "speculative-load" },
};

static const char *const cache_results[][SPELLINGS] = {
	{ "refs", "Reference", "ops", "access" },
	{ "misses", "miss" },
};

/* Which operations each cache has: instruction caches are not written. */
static const uint8_t cache_allowed[ARRAY_SIZE(cache_ids)] = { 7, 5, 7, 7, 1, 1, 7 };

/* The longest spelling that @s begins with and that ends at '-' or the end. */
static int match_spelling(const char *const (*table)[SPELLINGS], size_t nr, const char **s)
{
	size_t best_len = 0;
	int best = -1;

	for (size_t i = 0; i < nr; i++) {
		for (size_t j = 0; j < SPELLINGS && table[i][j]; j++) {
			size_t len = strlen(table[i][j]);

			if (len > best_len && !strncasecmp(*s, table[i][j], len) &&
			    ((*s)[len] == '\0' || (*s)[len] == '-')) {
				best = (int)i;
				best_len = len;
			}
		}
	}
	*s += best_len;
	return best;
}

bool event_cache_parse(const char *name, uint64_t *config)
{
	const char *s = name;
	int id = match_spelling(cache_ids, ARRAY_SIZE(cache_ids), &s);
	int op = -1, result = -1;

	if (id < 0)
		return false;
	while (*s == '-') {
		int *slot = &op, found;

		s++;
		found = match_spelling(cache_ops, ARRAY_SIZE(cache_ops), &s);
		if (found < 0) {
			slot = &result;
			found = match_spelling(cache_results, ARRAY_SIZE(cache_results), &s);
		}
		if (found < 0 || *slot >= 0)
			return false;
		*slot = found;
	}
	if (op < 0)
		op = 0;
	if (result < 0)
		result = 0;
	if (!(cache_allowed[id] >> op & 1))
		return false;
	*config = (uint64_t)id | (uint64_t)op << 8 | (uint64_t)result << 16;
	return true;
}

bool event_cache_name(unsigned id, unsigned op, unsigned result, char *buf, size_t size)
{
	if (id >= ARRAY_SIZE(cache_ids) || op >= ARRAY_SIZE(cache_ops) ||
	    result >= ARRAY_SIZE(cache_results) || !(cache_allowed[id] >> op & 1))
		return false;
	if (result)
		snprintf(buf, size, "%s-%s-%s", cache_ids[id][0], cache_ops[op][0],
			 cache_results[result][0]);
	else
		snprintf(buf, size, "%s-%s", cache_ids[id][0], cache_ops[op][1]);
	return true;
}
