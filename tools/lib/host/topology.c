// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Features about CPUs, caches, nodes and memory blocks, from sysfs. CPUs that share something say
 * so each with the same list: of these every distinct one is written once.
 */
#include <stdio.h>
#include <stdlib.h>

#include "host/host-int.h"

#define CPU_DIR	 "/sys/devices/system/cpu"
#define NODE_DIR "/sys/devices/system/node"

/* u32 n and the distinct lists that the CPUs have in @file (or @old, its name before 5.3). */
static uint32_t put_lists(struct obuf *o, uint32_t nr_cpus, const char *file, const char *old)
{
	struct intern seen = { 0 };
	uint32_t nr;

	intern(&seen, "");
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		char *list = host_read_line(CPU_DIR "/cpu%u/topology/%s", cpu, file);

		if (!list && old)
			list = host_read_line(CPU_DIR "/cpu%u/topology/%s", cpu, old);
		if (list)
			intern(&seen, list);
		free(list);
	}
	nr = seen.str.n ? (uint32_t)seen.str.n - 1 : 0;
	feature_put_u32(o, nr);
	for (uint32_t i = 1; i <= nr; i++)
		feature_put_string(o, intern_str(&seen, i));
	intern_free(&seen);
	return nr;
}

static uint32_t cpu_id(uint32_t cpu, const char *file)
{
	uint64_t v;

	return host_read_number(&v, 10, CPU_DIR "/cpu%u/topology/%s", cpu, file) ? (uint32_t)v
										 : ~0u;
}

int host_cpu_topology(struct obuf *o)
{
	uint32_t nr = host_present_cpus(), packages;
	size_t dies;

	packages = put_lists(o, nr, "package_cpus_list", "core_siblings_list");
	put_lists(o, nr, "core_cpus_list", "thread_siblings_list");
	for (uint32_t cpu = 0; cpu < nr; cpu++) {
		feature_put_u32(o, cpu_id(cpu, "core_id"));
		feature_put_u32(o, cpu_id(cpu, "physical_package_id"));
	}
	dies = o->len;
	if (put_lists(o, nr, "die_cpus_list", NULL)) {
		for (uint32_t cpu = 0; cpu < nr; cpu++)
			feature_put_u32(o, cpu_id(cpu, "die_id"));
	} else {
		o->len = dies;
	}
	return packages ? 0 : -ENOENT;
}

static uint64_t node_mem(size_t node, const char *what)
{
	char path[256], line[256], key[64];
	unsigned long kb = 0;
	FILE *f;

	snprintf(path, sizeof(path), NODE_DIR "/node%zu/meminfo", node);
	snprintf(key, sizeof(key), "Node %zu %s: %%lu kB", node, what);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, key, &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

static int online_nodes(struct bits *b)
{
	char *text = host_read_line(NODE_DIR "/online");
	int ret = text ? bits_parse_list(b, text, 1 << 16) : -ENOENT;

	free(text);
	return ret;
}

int host_numa_topology(struct obuf *o)
{
	struct bits nodes = { 0 };
	size_t at = o->len;
	uint32_t nr = 0;
	int ret = online_nodes(&nodes);

	feature_put_u32(o, 0);
	for (size_t i = 0; i < nodes.nr && !ret; i++) {
		char *cpus = bits_test(&nodes, i) ? host_read_line(NODE_DIR "/node%zu/cpulist", i)
						  : NULL;

		if (!cpus)
			continue;
		feature_put_u32(o, (uint32_t)i);
		feature_put_u64(o, node_mem(i, "MemTotal"));
		feature_put_u64(o, node_mem(i, "MemFree"));
		feature_put_string(o, cpus);
		free(cpus);
		nr++;
	}
	host_put_u32_at(o, at, nr);
	bits_free(&nodes);
	return ret ? ret : nr ? 0 : -ENOENT;
}

/* ---- memory blocks ------------------------------------------------------------------------------ */

/* The memoryN of a node as a bitmap; false when it has none. */
static bool node_blocks(size_t node, struct bits *b)
{
	struct host_names n;
	char dir[256];
	size_t max = 0;
	bool any = false;

	snprintf(dir, sizeof(dir), NODE_DIR "/node%zu", node);
	host_names(&n, dir);
	for (int pass = 0; pass < 2; pass++) {
		vec_for_each (name, &n.names) {
			unsigned nr;
			char junk;

			if (sscanf(*name, "memory%u%c", &nr, &junk) != 1)
				continue;
			any = true;
			if (pass)
				bits_set(b, nr);
			else
				max = max_u64(max, nr);
		}
		if (!any || (!pass && bits_init(b, max + 1))) {
			any = false;
			break;
		}
	}
	host_names_free(&n);
	return any;
}

int host_mem_topology(struct obuf *o)
{
	struct bits nodes = { 0 };
	uint64_t block, nr = 0;
	size_t at;
	int ret;

	if (!host_read_number(&block, 16, "/sys/devices/system/memory/block_size_bytes"))
		return -ENOENT;
	ret = online_nodes(&nodes);
	feature_put_u64(o, 1); /* version */
	feature_put_u64(o, block);
	at = o->len;
	feature_put_u64(o, 0);
	for (size_t i = 0; i < nodes.nr && !ret; i++) {
		struct bits b = { 0 };

		if (!bits_test(&nodes, i) || !node_blocks(i, &b))
			continue;
		feature_put_u64(o, i);
		feature_put_u64(o, (uint64_t)b.nr);
		feature_put_u64(o, (uint64_t)b.nr);
		obuf_mem(o, b.w, (b.nr + 63) / 64 * 8);
		bits_free(&b);
		nr++;
	}
	if (!o->code)
		store_u64(o->buf + at, nr);
	bits_free(&nodes);
	return ret ? ret : nr ? 0 : -ENOENT;
}

/* ---- caches ----------------------------------------------------------------------------------------- */

struct cache {
	uint64_t level, line, sets, ways;
	char *type, *size, *map;
};

static void cache_free(struct cache *c)
{
	free(c->type);
	free(c->size);
	free(c->map);
}

#define CACHE_MAX_INDEX 16

static bool cache_read(struct cache *c, uint32_t cpu, int index)
{
	char dir[256];

	memset(c, 0, sizeof(*c));
	snprintf(dir, sizeof(dir), CPU_DIR "/cpu%u/cache/index%d", cpu, index);
	if (!host_read_number(&c->level, 10, "%s/level", dir))
		return false;
	host_read_number(&c->line, 10, "%s/coherency_line_size", dir);
	host_read_number(&c->sets, 10, "%s/number_of_sets", dir);
	host_read_number(&c->ways, 10, "%s/ways_of_associativity", dir);
	c->type = host_read_line("%s/type", dir);
	c->size = host_read_line("%s/size", dir);
	c->map = host_read_line("%s/shared_cpu_list", dir);
	return c->type && c->size && c->map;
}

static bool cache_equal(const struct cache *a, const struct cache *b)
{
	return a->level == b->level && a->line == b->line && a->sets == b->sets &&
	       a->ways == b->ways && !strcmp(a->type, b->type) && !strcmp(a->size, b->size) &&
	       !strcmp(a->map, b->map);
}

int host_cache(struct obuf *o)
{
	VEC(struct cache) all = { 0 };
	uint32_t nr_cpus = host_present_cpus();
	uint64_t max_level = 0;

	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		for (int i = 0; i < CACHE_MAX_INDEX; i++) {
			struct cache c;
			bool ok = cache_read(&c, cpu, i);

			vec_for_each (other, &all)
				ok = ok && !cache_equal(other, &c);
			if (!ok || vec_push(&all, c))
				cache_free(&c);
			else
				max_level = max_u64(max_level, c.level);
		}
	}
	feature_put_u32(o, 1); /* version */
	feature_put_u32(o, (uint32_t)all.n);
	for (uint64_t level = 0; level <= max_level; level++) {
		vec_for_each (c, &all) {
			if (c->level != level)
				continue;
			feature_put_u32(o, (uint32_t)c->level);
			feature_put_u32(o, (uint32_t)c->line);
			feature_put_u32(o, (uint32_t)c->sets);
			feature_put_u32(o, (uint32_t)c->ways);
			feature_put_string(o, c->type);
			feature_put_string(o, c->size);
			feature_put_string(o, c->map);
		}
	}
	nr_cpus = (uint32_t)all.n;
	vec_for_each (c, &all)
		cache_free(c);
	vec_free(&all);
	return nr_cpus ? 0 : -ENOENT;
}
