// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that samples have named. A thread that no record tells of is made by its first sample; who
 * reads a recording in pieces has to tell the others of that one, and of no more.
 */
#include <stdlib.h>

#include "machine/machine-int.h"

#define RECENT 1024

struct machine_seen {
	uint64_t recent[RECENT]; /* + 1 */
	VEC(uint64_t) pair;	 /* pid << 32 | tid */
	struct htab by_pair;
};

struct machine_seen *machine_seen_new(void)
{
	return calloc(1, sizeof(struct machine_seen));
}

void machine_seen_free(struct machine_seen *m)
{
	if (!m)
		return;
	vec_free(&m->pair);
	htab_free(&m->by_pair);
	free(m);
}

static uint64_t *recent(struct machine_seen *m, uint64_t pair)
{
	return &m->recent[pair % RECENT];
}

static uint64_t pair_of(uint32_t pid, uint32_t tid)
{
	return (uint64_t)pid << 32 | tid;
}

bool machine_seen_recently(struct machine_seen *m, uint32_t pid, uint32_t tid)
{
	uint64_t pair = pair_of(pid, tid);

	return *recent(m, pair) == pair + 1;
}

bool machine_seen_first(struct machine_seen *m, uint32_t pid, uint32_t tid)
{
	uint64_t pair = pair_of(pid, tid), hash = hash_u64(pair);
	uint32_t i;

	*recent(m, pair) = pair + 1;
	for (struct htab_it it = htab_find(&m->by_pair, hash); htab_next(&m->by_pair, &it, &i);)
		if (m->pair.v[i] == pair)
			return false;
	/* Without memory it is told once more, which changes nothing. */
	if (!vec_push(&m->pair, pair))
		(void)!htab_add(&m->by_pair, hash, (uint32_t)m->pair.n - 1);
	return true;
}

bool machine_seen_record(struct machine_seen *m, const struct record *rec)
{
	/* A thread without a process learns it from its next sample, once more. */
	if (rec->type == PERF_RECORD_FORK && rec->size >= 12 &&
	    load_u32(rec->data + 8, rec->swap) == UINT32_MAX) {
		memset(m->recent, 0, sizeof(m->recent));
		m->pair.n = 0;
		htab_free(&m->by_pair);
	}
	switch (rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_CGROUP:
	case PERF_RECORD_HEADER_BUILD_ID: return true;
	default: return false; /* TEXT_POKE too: code is read from files, not from the recording */
	}
}

int machine_learn(struct machine *m, const struct record *rec)
{
	struct sample s;
	int ret = 0;

	if (rec->time != RECORD_NO_TIME)
		ret = machine_advance(m, rec->time);
	if (ret)
		return ret;
	if (rec->type != PERF_RECORD_SAMPLE)
		return machine_record(m, rec, NULL) == -ENOMEM ? -ENOMEM : 0;
	if (sample_parse_some(rec, PERF_SAMPLE_TID, &s, NULL))
		return 0;
	return machine_thread(m, (int32_t)s.pid, (int32_t)s.tid) ? 0 : -ENOMEM;
}
