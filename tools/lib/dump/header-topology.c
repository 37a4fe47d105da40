// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --header lines of the features that hold lists: topology, caches, PMUs. Counts are of the file:
 * a loop ends with the payload, whatever number it was told.
 */
#include <stdio.h>
#include <stdlib.h>

#include "emit/emit.h"
#include "dump/dump.h"
#include "header-int.h"

static void print_lists(struct header_line *p, struct cursor *c, const char *label)
{
	uint32_t nr = cursor_u32(c);

	for (uint32_t i = 0; i < nr && !c->bad; i++) {
		const char *list = feature_str(c);

		if (!list)
			return;
		obuf_printf(p->o, "# sibling %s : ", label);
		emit_safe(p->o, list);
		obuf_char(p->o, '\n');
	}
}

static void skip_lists(struct cursor *c)
{
	for (uint32_t i = 0, nr = cursor_u32(c); i < nr && !c->bad; i++)
		feature_str(c);
}

/*
 * Sockets and threads as lists, { core, socket } of each CPU, then (since 5.x) dies as lists and
 * one number for each CPU. Dies are printed between sockets and threads.
 */
void dump_cpu_topology(struct header_line *p)
{
	struct cursor threads, cpus, dies, die;
	uint32_t nr = perfdata_env(p->pd)->nr_cpus_avail;
	bool has_dies;

	print_lists(p, p->c, "sockets");
	threads = *p->c;
	skip_lists(p->c);
	cpus = *p->c;
	cursor_skip(p->c, (uint64_t)nr * 8);
	dies = *p->c;
	has_dies = !dies.bad && cursor_left(&dies) >= 4;
	if (has_dies)
		print_lists(p, &dies, "dies   ");
	die = dies;
	print_lists(p, &threads, "threads");
	if (p->c->bad || !nr) {
		obuf_lit(p->o, "# Core ID and Socket ID information is not available\n");
		return;
	}
	for (uint32_t i = 0; i < nr; i++) {
		int core = (int)cursor_u32(&cpus), socket = (int)cursor_u32(&cpus);

		if (has_dies)
			obuf_printf(p->o, "# CPU %u: Core ID %d, Die ID %d, Socket ID %d\n", i,
				    core, (int)cursor_u32(&die), socket);
		else
			obuf_printf(p->o, "# CPU %u: Core ID %d, Socket ID %d\n", i, core, socket);
	}
}

void dump_numa_topology(struct header_line *p)
{
	uint32_t nr = cursor_u32(p->c);

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t node = cursor_u32(p->c);
		uint64_t total = cursor_u64(p->c), free_kb = cursor_u64(p->c);
		const char *cpus = feature_str(p->c);

		if (!cpus)
			return;
		obuf_printf(p->o, "# node%u meminfo  : total = %lu kB, free = %lu kB\n", node,
			    total, free_kb);
		obuf_printf(p->o, "# node%u cpu list : ", node);
		emit_safe(p->o, cpus);
		obuf_char(p->o, '\n');
	}
}

void dump_pmu_mappings(struct header_line *p)
{
	uint32_t nr = cursor_u32(p->c);

	if (!nr) {
		obuf_lit(p->o, "# pmu mappings: not available\n");
		return;
	}
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t type = cursor_u32(p->c);
		const char *name = feature_str(p->c);

		if (!name)
			break;
		obuf_str(p->o, i ? ", " : "# pmu mappings: ");
		emit_safe(p->o, name);
		obuf_printf(p->o, " = %u", type);
	}
	obuf_char(p->o, '\n');
}

void dump_cache(struct header_line *p)
{
	uint32_t nr;

	cursor_u32(p->c); /* version */
	nr = cursor_u32(p->c);
	obuf_lit(p->o, "# CPU cache info:\n");
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t level = cursor_u32(p->c);
		const char *type, *size, *map;

		cursor_skip(p->c, 12); /* line size, sets, ways */
		type = feature_str(p->c);
		size = feature_str(p->c);
		map = feature_str(p->c);
		if (p->c->bad)
			return;
		obuf_printf(p->o, "#  L%u ", level);
		emit_safe(p->o, type);
		obuf_pad(p->o, ' ', 15 - (int)strlen(type));
		obuf_pad(p->o, ' ', 1 + 8 - (int)min_u64(strlen(size), 8));
		emit_safe(p->o, size);
		obuf_lit(p->o, " [");
		emit_safe(p->o, map);
		obuf_lit(p->o, "]\n");
	}
}

static void print_bytes(struct obuf *o, uint64_t n)
{
	static const char units[] = "BKMG";
	int i = 0;

	for (; n / 1024 > 1 && i < 3; i++)
		n /= 1024;
	obuf_printf(o, "%lu%c", n, units[i]);
}

static void print_ranges(struct header_line *p, const unsigned char *words, uint64_t bits)
{
	const char *sep = "";

	for (uint64_t i = 0; i < bits; i++) {
		uint64_t end = i;

#define SET(n) \
	((n) < bits && load_u64(words + (n) / 64 * 8, perfdata_swapped(p->pd)) >> ((n) % 64) & 1)
		if (!SET(i))
			continue;
		while (SET(end + 1))
			end++;
#undef SET
		obuf_printf(p->o, end > i ? "%s%lu-%lu" : "%s%lu", sep, i, end);
		sep = ",";
		i = end;
	}
}

void dump_mem_topology(struct header_line *p)
{
	uint64_t version = cursor_u64(p->c), block = cursor_u64(p->c), nr = cursor_u64(p->c);

	if (p->c->bad || version != 1)
		return;
	obuf_printf(p->o, "# memory nodes (nr %lu, block size 0x%lx):\n", nr, block);
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t node = cursor_u64(p->c), bits, set = 0, words;
		const unsigned char *map;

		cursor_u64(p->c); /* the number of bits once more */
		bits = cursor_u64(p->c);
		words = bits / 64 + (bits % 64 != 0);
		map = words > cursor_left(p->c) / 8 ? NULL : cursor_bytes(p->c, words * 8);
		if (!map || p->c->bad)
			return;
		for (uint64_t k = 0; k < words; k++)
			set += (uint64_t)weight_u64(load_u64(map + k * 8, false));
		obuf_printf(p->o, "#  %3lu [", node);
		print_bytes(p->o, block * set);
		obuf_lit(p->o, "]: ");
		print_ranges(p, map, bits);
		obuf_char(p->o, '\n');
	}
}

static void print_caps(struct header_line *p, const char *pmu, struct cursor *c)
{
	uint32_t nr = cursor_u32(c);

	obuf_lit(p->o, "# ");
	emit_safe(p->o, pmu);
	obuf_lit(p->o, " pmu capabilities: ");
	if (!nr)
		obuf_lit(p->o, "not available");
	for (uint32_t i = 0; i < nr; i++) {
		const char *name = feature_str(c), *value = feature_str(c);

		if (c->bad)
			break;
		if (i)
			obuf_lit(p->o, ", ");
		emit_safe(p->o, name);
		obuf_char(p->o, '=');
		emit_safe(p->o, value);
	}
	obuf_char(p->o, '\n');
}

void dump_cpu_pmu_caps(struct header_line *p)
{
	print_caps(p, "cpu", p->c);
}

/* The PMU's name stands behind its capabilities. */
void dump_pmu_caps(struct header_line *p)
{
	uint32_t nr = cursor_u32(p->c);

	for (uint32_t i = 0; i < nr && !p->c->bad; i++) {
		struct cursor caps = *p->c;
		uint32_t n = cursor_u32(p->c);
		const char *pmu;

		for (uint32_t k = 0; k < n && !p->c->bad; k++) {
			feature_str(p->c);
			feature_str(p->c);
		}
		pmu = feature_str(p->c);
		if (pmu)
			print_caps(p, pmu, &caps);
	}
}

void dump_hybrid_topology(struct header_line *p)
{
	uint32_t nr = cursor_u32(p->c);

	obuf_lit(p->o, "# hybrid cpu system:\n");
	for (uint32_t i = 0; i < nr; i++) {
		const char *pmu = feature_str(p->c), *cpus = feature_str(p->c);

		if (p->c->bad)
			return;
		obuf_lit(p->o, "# ");
		emit_safe(p->o, pmu);
		obuf_lit(p->o, " cpu list : ");
		emit_safe(p->o, cpus);
		obuf_char(p->o, '\n');
	}
}
