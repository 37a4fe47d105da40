// SPDX-License-Identifier: GPL-2.0-or-later
/* libFuzzer target: any bytes as a recording, from a file and from a pipe. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "dump/dump.h"
#include "sample/sample.h"

#define PIPE_MAX (48u << 10) /* fits a pipe without a second thread */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every string that a body claims to have is read to its end. */
static volatile size_t sink;

static void touch(const char *s)
{
	if (s)
		sink += strlen(s);
}

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
		touch(mmap.filename);
	if (!record_comm(rec, &comm, NULL))
		touch(comm.comm);
	if (!record_ksymbol(rec, &ksym, NULL))
		touch(ksym.name);
	if (!record_cgroup(rec, &cgroup, NULL))
		touch(cgroup.path);
	if (!record_namespaces(rec, &ns, NULL) && ns.nr)
		sink += load_u64(ns.link + ns.nr * 16 - 8, rec->swap);
	if (!record_text_poke(rec, &poke, NULL) && poke.new_len)
		sink += poke.bytes[poke.old_len + poke.new_len - 1];
	if (!record_bpf(rec, &bpf, NULL))
		sink += bpf.tag[7];
	record_task(rec, &task, NULL);
	record_lost(rec, &lost, NULL);
	record_switch(rec, &sw, NULL);
	record_read(rec, &rd, NULL);
}

static void words(const struct u64s *a)
{
	if (a->nr)
		sink += u64s_get(a, 0) + u64s_get(a, a->nr - 1);
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
		sink += br.to;
	}
	if (s.raw_size)
		sink += s.raw[s.raw_size - 1];
	if (s.stack_size)
		sink += s.stack[s.stack_size - 1];
	if (s.aux_size)
		sink += s.aux[s.aux_size - 1];
	sink += sample_reg(&s.user_regs, 63, &reg);
}

static void fields(struct perfdata *pd, uint64_t id, struct obuf *o)
{
	const struct trace_format *f = trace_find(perfdata_trace(pd), id);
	struct trace_field pid;

	if (!f)
		return;
	trace_field_names(f, o);
	sink += trace_field(f, "prev_pid", &pid) ? pid.offset : 0;
}

static void walk(int fd, bool ordered)
{
	struct perfdata_opts opts = { .force = true, .max_mem = 1 << 20 };
	struct perfdata *pd;
	struct record rec;
	struct err err;
	struct obuf o;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (perfdata_open(&pd, path, &opts, &err))
		return;
	while ((ordered ? perfdata_next_ordered : perfdata_next)(pd, &rec, &err) > 0) {
		sink += rec.data[rec.size - 1];
		bodies(&rec);
		if (rec.type == PERF_RECORD_SAMPLE)
			sample(&rec);
	}
	if (obuf_init(&o, -1, 0) == 0) {
		dump_header(pd, &o, true, &err);
		for (size_t i = 0; i < perfdata_nr_events(pd); i++)
			fields(pd, perfdata_event(pd, i)->attr.config, &o);
		obuf_free(&o);
	}
	perfdata_close(pd);
}

static void through_pipe(const uint8_t *data, size_t size)
{
	int fds[2];

	if (size > PIPE_MAX || pipe2(fds, O_CLOEXEC))
		return;
	if (write_all(fds[1], data, size) == 0) {
		close(fds[1]);
		walk(fds[0], true);
	} else {
		close(fds[1]);
	}
	close(fds[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (fd < 0) {
		log_set_level(LOG_ERROR);
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	}
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	walk(fd, false);
	walk(fd, true);
	through_pipe(data, size);
	return 0;
}
