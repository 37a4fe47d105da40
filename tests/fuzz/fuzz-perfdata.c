// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a recording, from a file and from a pipe. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "fuzz.h"
#include "perfdata/perfdata.h"
#include "sample/sample.h"

#define PIPE_MAX (48u << 10) /* fits a pipe without a second thread */

static void bodies(const struct record *rec)
{
	struct record_mmap mmap;
	struct record_comm comm;
	struct record_task task;
	struct record_lost lost;
	struct record_switch sw;
	struct record_ksymbol ksym;
	struct record_read rd;
	struct record_namespaces ns;
	struct record_bpf bpf;
	struct record_cgroup cgroup;
	struct record_text_poke poke;
	struct record_id id;

	record_sample_id(rec, &id);
	if (!record_mmap(rec, &mmap, NULL))
		fuzz_touch(mmap.filename);
	if (!record_comm(rec, &comm, NULL))
		fuzz_touch(comm.comm);
	if (!record_ksymbol(rec, &ksym, NULL))
		fuzz_touch(ksym.name);
	if (!record_cgroup(rec, &cgroup, NULL))
		fuzz_touch(cgroup.path);
	if (!record_namespaces(rec, &ns, NULL))
		fuzz_touch_bytes(ns.link, ns.nr * 16);
	if (!record_text_poke(rec, &poke, NULL))
		fuzz_touch_bytes(poke.bytes, (size_t)poke.old_len + poke.new_len);
	if (!record_bpf(rec, &bpf, NULL))
		fuzz_touch_bytes(bpf.tag, 8);
	record_task(rec, &task, NULL);
	record_lost(rec, &lost, NULL);
	record_switch(rec, &sw, NULL);
	record_read(rec, &rd, NULL);
}

static void words(const struct u64s *a)
{
	uint64_t ends[2];

	if (!a->nr)
		return;
	ends[0] = u64s_get(a, 0);
	ends[1] = u64s_get(a, a->nr - 1);
	fuzz_touch_bytes(ends, sizeof(ends));
}

/* Whatever a sample says it holds is there. */
static void sample(const struct record *rec)
{
	struct branch_entry br;
	struct sample s;
	uint64_t reg;

	if (!rec->event || sample_parse(rec, &s, NULL))
		return;
	words(&s.callchain);
	words(&s.read.words);
	words(&s.user_regs.gpr);
	words(&s.intr_regs.gpr);
	words(&s.intr_regs.vec);
	words(&s.intr_regs.pred);
	words(&s.branches.counters);
	if (s.branches.nr) {
		sample_branch(&s.branches, s.branches.nr - 1, &br);
		fuzz_touch_bytes(&br, sizeof(br));
	}
	fuzz_touch_bytes(s.raw, s.raw_size);
	fuzz_touch_bytes(s.stack, s.stack_size);
	fuzz_touch_bytes(s.aux, s.aux_size);
	if (sample_reg(&s.user_regs, 63, &reg))
		fuzz_touch_bytes(&reg, sizeof(reg));
}

/* The features that every reader asks for, and all of them as bytes. */
static void features(struct perfdata *pd)
{
	const struct perfdata_env *env = perfdata_env(pd);
	size_t size;

	fuzz_touch(env->hostname);
	fuzz_touch(env->cpuid);
	for (uint32_t i = 0; i < env->nr_cmdline; i++)
		fuzz_touch(env->cmdline[i]);
	for (size_t i = 0; i < perfdata_nr_build_ids(pd); i++)
		fuzz_touch(perfdata_build_id(pd, i)->path);
	for (int id = 1; id < FEAT_BITS; id++) {
		const void *p = perfdata_feature_raw(pd, id, &size);

		if (p)
			fuzz_touch_bytes(p, size);
	}
	perfdata_cpu_socket(pd, 1);
}

static void events(struct perfdata *pd)
{
	for (size_t i = 0; i < perfdata_nr_events(pd); i++) {
		const struct perfdata_event *ev = perfdata_event(pd, i);

		fuzz_touch(ev->name);
		fuzz_touch(ev->group);
		fuzz_touch(ev->unit);
		fuzz_touch_bytes(ev->ids, ev->nr_ids * sizeof(*ev->ids));
		if (ev->nr_ids && !perfdata_event_by_id(pd, ev->ids[0]))
			abort();
	}
}

static void walk(const char *path, bool ordered)
{
	struct perfdata_opts opts = { .force = true, .max_mem = 1 << 20 };
	struct perfdata *pd;
	struct record rec;
	struct err err;

	if (perfdata_open(&pd, path, &opts, &err))
		return;
	while ((ordered ? perfdata_next_ordered : perfdata_next)(pd, &rec, &err) > 0) {
		fuzz_touch_bytes(rec.data, rec.size);
		bodies(&rec);
		if (rec.type == PERF_RECORD_SAMPLE)
			sample(&rec);
	}
	features(pd);
	events(pd);
	perfdata_close(pd);
}

static void through_pipe(const uint8_t *data, size_t size)
{
	char path[32];
	int fds[2];

	if (size > PIPE_MAX || pipe2(fds, O_CLOEXEC))
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	if (write_all(fds[1], data, size))
		abort();
	close(fds[1]);
	walk(path, true);
	close(fds[0]);
}

/* In one of three ways each time, by the input: the mutator brings all of them. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t how = 0;

	for (size_t i = 0; i < size; i += 61)
		how = (uint8_t)(how * 31 + data[i]);
	if (how % 4 == 3) {
		through_pipe(data, size);
		return;
	}
	fuzz_file(0, data, size);
	walk(fuzz_path(0), how % 4);
}

const struct fuzz_target fuzz_perfdata = {
	.name = "perfdata",
	.reads =
		"perf.data: header, attrs, features, records and samples, in order of the file and of time, pipes",
	.max_len = 4096,
	.run = run,
	.mutate = mutate_perfdata,
};
