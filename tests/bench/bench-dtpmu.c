// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long a tree of 1,000 events takes to load, and a group of six with a full search over its
 * alternatives to be refused. The best of several rounds counts; the limits are in the output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "config.h"
#include "dtpmu/dtpmu.h"

#if HAVE_LIBFDT
#include <libfdt.h>

#define EVENTS 1000

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Six counters of which one is fixed: a group of six on any counter never fits. */
static void add_counters(char *blob)
{
	char name[8];

	fdt_begin_node(blob, "sprs");
	fdt_begin_node(blob, "pmcs");
	for (unsigned i = 1; i <= 6; i++) {
		snprintf(name, sizeof(name), "pmc%u", i);
		fdt_begin_node(blob, name);
		fdt_property_u32(blob, "programmable", i < 6);
		fdt_end_node(blob);
	}
	fdt_end_node(blob);
	fdt_end_node(blob);
}

static void begin(char *blob, int size)
{
	const uint32_t bits[2] = { 0, cpu_to_fdt32(15) };
	const uint32_t pmc_bits[2] = { cpu_to_fdt32(16), cpu_to_fdt32(19) };

	fdt_create(blob, size);
	fdt_finish_reservemap(blob);
	fdt_begin_node(blob, "");
	fdt_begin_node(blob, "pmus");
	fdt_begin_node(blob, "p");
	fdt_property_string(blob, "compatible", "ibm,power-pmu");
	fdt_property_u32(blob, "nr_pmc", 6);
	add_counters(blob);
	fdt_begin_node(blob, "evt_code_format");
	fdt_begin_node(blob, "code");
	fdt_property(blob, "bits", bits, 8);
	fdt_end_node(blob);
	fdt_begin_node(blob, "PMCx");
	fdt_property(blob, "bits", pmc_bits, 8);
	fdt_end_node(blob);
	fdt_end_node(blob);
}

/* A second code for each event of the group. */
static void add_alternatives(char *blob)
{
	fdt_begin_node(blob, "constraints");
	fdt_begin_node(blob, "alternatives");
	for (unsigned row = 0; row < 6; row++) {
		uint32_t cells[4] = { 0 };
		char name[16];

		for (unsigned k = 0; k < 2; k++)
			cells[2 * k + 1] = cpu_to_fdt32(0x100 | row << 4 | k);
		snprintf(name, sizeof(name), "row%u", row);
		fdt_begin_node(blob, name);
		fdt_property(blob, "valid-events", cells, sizeof(cells));
		fdt_end_node(blob);
	}
	fdt_end_node(blob);
	fdt_end_node(blob);
}

static void add_events(char *blob)
{
	fdt_begin_node(blob, "events");
	for (unsigned i = 0; i < EVENTS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "event-%u", i);
		fdt_begin_node(blob, name);
		fdt_property_u32(blob, "event_code", i + 1);
		fdt_property_string(blob, "event-category", i % 2 ? "cache" : "core");
		fdt_property_string(blob, "event-class", "primary");
		fdt_property_string(blob, "description", "What it counts, in a sentence of words");
		fdt_property_string(blob, "status", "okay");
		fdt_end_node(blob);
	}
	fdt_end_node(blob);
}

static double best_load(const char *blob, struct dtpmu_list **l)
{
	double best = 1e9;

	for (int i = 0; i < 10; i++) {
		double start = now();

		dtpmu_free(*l);
		if (dtpmu_load_blob(l, blob, fdt_totalsize(blob), 0, NULL))
			return -1;
		start = now() - start;
		best = start < best ? start : best;
	}
	return best;
}

static double best_check(const struct dtpmu *pmu, struct dtpmu_answer *a)
{
	struct dtpmu_want w[6] = { 0 };
	double best = 1e9;

	for (unsigned i = 0; i < 6; i++)
		w[i].config = 0x100 | i << 4;
	for (int i = 0; i < 1000; i++) {
		double start = now();

		dtpmu_check(pmu, w, 6, 0, a);
		start = now() - start;
		best = start < best ? start : best;
	}
	return best;
}

int main(void)
{
	static char blob[4 << 20];
	struct dtpmu_list *l = NULL;
	struct dtpmu_answer a;
	double load, check;

	begin(blob, sizeof(blob));
	add_alternatives(blob);
	add_events(blob);
	fdt_end_node(blob);
	fdt_end_node(blob);
	fdt_end_node(blob);
	if (fdt_finish(blob))
		return 1;
	load = best_load(blob, &l);
	if (load < 0)
		return 1;
	check = best_check(l->pmu[0], &a);
	printf("pmu-dt load            %zu events in %.2f ms (limit 50)\n", l->pmu[0]->events.n,
	       load);
	printf("pmu-dt check           6 events, %llu placements, verdict %s, in %.4f ms (limit 1)\n",
	       (unsigned long long)a.tried, a.verdict == DTPMU_CONFLICT ? "conflict" : "?", check);
	dtpmu_free(l);
	return load > 50 || check > 1 || a.verdict != DTPMU_CONFLICT;
}

#else

int main(void)
{
	puts("pmu-dt                 not measured: built without libfdt");
	return 0;
}

#endif
