// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Inputs of one machine and boot have the same processes, clock and kernel; others have neither. No
 * recording names its boot, but host name, release and the place where the kernel's text lies, which is
 * drawn anew at each boot, tell two of them apart as a rule.
 *
 * Processes: numbers are kept where only one machine has them, and those that another one used before
 * get numbers above all that a kernel gives (2^22). So a map is never that of another machine's process.
 *
 * Cgroups: ids are inodes, small numbers that each machine begins anew. They are treated alike.
 *
 * Clocks: where all inputs say what their clock and the wall clock were at one moment (CLOCK_DATA), and
 * there is more than one machine or clock, times become those of the wall clock. Else they stay.
 *
 * Kernels: a file has one kernel. Samples that ran in another could only be named after the wrong one.
 */
#include <stdlib.h>

#include "fleet-int.h"

#define PID_LIMIT    (1u << 22)	  /* no kernel gives this pid, or one above */
#define CGROUP_LIMIT (1ULL << 63) /* inode and generation, of which none gets that far */

/* ---- kernels ------------------------------------------------------------------------------------ */

void merge_see_head(struct merge_input *in, const struct record *rec)
{
	static const char name[] = "[kernel.kallsyms]";
	struct record_mmap map;
	struct err e;

	if (in->kernel_known || (rec->type != PERF_RECORD_MMAP && rec->type != PERF_RECORD_MMAP2) ||
	    (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL ||
	    record_mmap(rec, &map, &e) || strncmp(map.filename, name, sizeof(name) - 1) != 0)
		return;
	in->kernel_known = true;
	in->kernel_start = map.addr;
	in->kernel_pgoff = map.pgoff;
}

static bool differ(const char *a, const char *b)
{
	return *a && *b && strcmp(a, b) != 0;
}

static bool other_kernel(const struct merge_input *a, const struct merge_input *b)
{
	const struct perfdata_env *x = perfdata_env(a->pd), *y = perfdata_env(b->pd);

	return differ(x->os_release, y->os_release) ||
	       (a->kernel_known && b->kernel_known &&
		(a->kernel_start != b->kernel_start || a->kernel_pgoff != b->kernel_pgoff));
}

static bool samples_kernel(const struct merge_input *in)
{
	for (size_t i = 0; i < perfdata_nr_events(in->pd); i++)
		if (!attr_flag(&perfdata_event(in->pd, i)->attr, ATTR_FLAG_EXCLUDE_KERNEL))
			return true;
	return false;
}

/* The first input whose kernel has samples: it stays. */
static const struct merge_input *kept_kernel(const struct merge *m)
{
	for (size_t i = 0; i < m->nr; i++)
		if (samples_kernel(&m->in[i]))
			return &m->in[i];
	return &m->in[0];
}

static int choose_kernel(struct merge *m, struct err *e)
{
	const struct merge_input *kept = m->kernel = kept_kernel(m);

	for (size_t i = 0; i < m->nr; i++) {
		struct merge_input *in = &m->in[i];

		if (differ(perfdata_env(kept->pd)->arch, perfdata_env(in->pd)->arch))
			return err_set(e, -EINVAL,
				       "%s is of %s and %s of %s: a file has one architecture",
				       merge_name(kept), perfdata_env(kept->pd)->arch,
				       merge_name(in), perfdata_env(in->pd)->arch);
		if (in == kept || !other_kernel(kept, in))
			continue;
		if (samples_kernel(in) && !m->o->no_kernel) {
			err_set(e, -EINVAL,
				"%s and %s ran on different kernels or boots, and in one file an "
				"address can be that of one kernel only",
				merge_name(kept), merge_name(in));
			err_hint(e,
				 "perf data merge --no-kernel leaves out what ran in the other "
				 "kernels; perf record -e cycles:u records user space alone. perf "
				 "diff and perf report read the files side by side.");
			return -EINVAL;
		}
		in->no_kernel = true;
	}
	return 0;
}

/* ---- machines ----------------------------------------------------------------------------------- */

static bool other_machine(const struct merge_input *a, const struct merge_input *b)
{
	return differ(perfdata_env(a->pd)->hostname, perfdata_env(b->pd)->hostname) ||
	       other_kernel(a, b);
}

static void number_machines(struct merge *m)
{
	m->stats.machines = 0;
	for (size_t i = 0; i < m->nr; i++) {
		struct merge_input *in = &m->in[i];
		size_t k = 0;

		in->machine = m->stats.machines;
		while (k < i && (m->o->pids == FLEET_PIDS_APART ||
				 (m->o->pids == FLEET_PIDS_AUTO && other_machine(&m->in[k], in))))
			k++;
		if (k < i)
			in->machine = m->in[k].machine;
		else
			m->stats.machines++;
	}
	m->pids.last = PID_LIMIT;
	m->cgroups.last = CGROUP_LIMIT;
}

/* ---- clocks ------------------------------------------------------------------------------------- */

/* u32 version, u32 clock, u64 wall clock, u64 that clock, ns. */
static bool wall_offset(const struct merge_input *in, int64_t *offset)
{
	size_t size;
	const unsigned char *p = perfdata_feature_raw(in->pd, FEAT_CLOCK_DATA, &size);
	bool swap = perfdata_swapped(in->pd);

	if (!p || size < 24)
		return false;
	*offset = (int64_t)(load_u64(p + 8, swap) - load_u64(p + 16, swap));
	return true;
}

static bool same_clock(const struct merge_input *a, const struct merge_input *b)
{
	const struct perfdata_event *x = perfdata_event(a->pd, 0), *y = perfdata_event(b->pd, 0);

	return !x || !y ||
	       (attr_flag(&x->attr, ATTR_FLAG_USE_CLOCKID) ==
			attr_flag(&y->attr, ATTR_FLAG_USE_CLOCKID) &&
		x->attr.clockid == y->attr.clockid);
}

static void choose_clock(struct merge *m)
{
	bool all = true, one = m->stats.machines < 2;
	int64_t offset;

	for (size_t i = 0; i < m->nr; i++) {
		all &= wall_offset(&m->in[i], &offset);
		one &= same_clock(&m->in[0], &m->in[i]);
	}
	if (one)
		return;
	m->wall_clock = all;
	for (size_t i = 0; all && i < m->nr; i++)
		wall_offset(&m->in[i], &m->in[i].shift);
	if (!all)
		log_to(&m->o->log, LOG_WARN,
		       "times are of different clocks, and stay as they were recorded: what ran at the "
		       "same time cannot be told (perf record -k CLOCK_MONOTONIC says when its clock "
		       "began)");
}

int merge_machines(struct merge *m, struct err *e)
{
	number_machines(m);
	choose_clock(m);
	return choose_kernel(m, e);
}

/* ---- numbers of processes, ids of cgroups -------------------------------------------------------- */

static bool is_used(const struct merge_numbers *n, uint64_t to)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&n->used, hash_u64(to)); htab_next(&n->used, &it, &i);)
		if (n->v.v[i].to == to)
			return true;
	return false;
}

/* @from as it is where no other machine has it; else the next from n->last on, below @limit. */
static int new_number(struct merge_numbers *n, uint32_t machine, uint64_t from, uint64_t limit,
		      uint64_t *to)
{
	uint64_t hash = hash_mix(hash_u64(from), machine);
	struct merge_number new = { .from = from, .to = from, .machine = machine };
	uint32_t i;

	for (struct htab_it it = htab_find(&n->tab, hash); htab_next(&n->tab, &it, &i);)
		if (n->v.v[i].from == from && n->v.v[i].machine == machine) {
			*to = n->v.v[i].to;
			return 0;
		}
	while (is_used(n, new.to)) {
		if (n->last == limit)
			return -EOVERFLOW;
		new.to = n->last++;
	}
	*to = new.to;
	i = (uint32_t)n->v.n;
	return vec_push(&n->v, new) ?: htab_add(&n->tab, hash, i)
		       ?: htab_add(&n->used, hash_u64(new.to), i);
}

int merge_new_pid(struct merge *m, const struct merge_input *in, uint32_t pid, uint32_t *to)
{
	uint64_t number = pid;
	int ret = 0;

	/* The idle task and the kernel are no processes. */
	if (m->stats.machines > 1 && (int32_t)pid > 0)
		ret = new_number(&m->pids, in->machine, pid, INT32_MAX, &number);
	*to = (uint32_t)number;
	return ret;
}

int merge_new_cgroup(struct merge *m, const struct merge_input *in, uint64_t id, uint64_t *to)
{
	*to = id;
	/* 0 is that of no cgroup. */
	if (m->stats.machines < 2 || !id)
		return 0;
	return new_number(&m->cgroups, in->machine, id, UINT64_MAX, to);
}

void merge_numbers_free(struct merge_numbers *n)
{
	vec_free(&n->v);
	htab_free(&n->tab);
	htab_free(&n->used);
}
