// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a rich table counts by, so that other tables can be made of it: the thread and its name at that
 * time, the CPU, the slice of time; and of addresses the location with the address in memory. Every
 * key of threads and of places is a function of these. They have no text, as nobody is shown them.
 *
 * Slices are powers of two long, so that two of them make one of the next length whatever was counted
 * before: values of both lengths stand side by side until somebody asks where they are.
 */
#include "keys-int.h"

#define SHIFT_MIN 10 /* 1 us */
#define SHIFT_AT  58 /* where in a value the length is; a time has less than 2^68 ns */

/* Long enough for what the header says of the recording. */
static unsigned first_shift(const struct keys *ks)
{
	const struct perfdata_env *env = ks->o.pd ? perfdata_env(ks->o.pd) : NULL;
	uint64_t span =
		env && env->last_time > env->first_time ? env->last_time - env->first_time : 0;
	unsigned shift = SHIFT_MIN;

	while (span >> shift >= MAX_SLICES - 1)
		shift++;
	return shift;
}

static void lengthen(struct time_slices *s)
{
	uint64_t last = (s->first + s->nr - 1) / 2;

	s->shift++;
	s->first /= 2;
	s->nr = last - s->first + 1;
}

/* Makes room for slices @from to @to of the present length, or of longer ones. */
static void reach(struct time_slices *s, uint64_t from, uint64_t to)
{
	uint64_t first = s->nr ? min_u64(s->first, from) : from;
	uint64_t last = s->nr ? max_u64(s->first + s->nr - 1, to) : to;

	s->first = first;
	s->nr = last - first + 1;
	while (s->nr > MAX_SLICES)
		lengthen(s);
}

static uint64_t get_slice(struct keys *ks, const struct sample *smp, struct thread *th)
{
	struct time_slices *s = &ks->slices;
	uint64_t at;

	(void)th;
	if (smp->time == UINT64_MAX)
		return 0;
	if (unlikely(!s->nr))
		s->shift = first_shift(ks);
	at = smp->time >> s->shift;
	if (unlikely(at - s->first >= s->nr)) {
		reach(s, at, at);
		at = smp->time >> s->shift;
	}
	return (uint64_t)s->shift << SHIFT_AT | at;
}

uint32_t keys_slice_at(const struct time_slices *s, uint64_t value)
{
	unsigned shift = (unsigned)(value >> SHIFT_AT);
	uint64_t at = value & ((1ULL << SHIFT_AT) - 1);

	if (!shift || shift > s->shift)
		return ID_NONE;
	at >>= s->shift - shift;
	return at - s->first < s->nr ? (uint32_t)(at - s->first) : ID_NONE;
}

void keys_slices_join(struct time_slices *s, const struct time_slices *other)
{
	struct time_slices o = *other;

	if (!o.nr)
		return;
	if (!s->nr)
		s->shift = o.shift;
	while (s->shift < o.shift)
		lengthen(s);
	while (o.shift < s->shift)
		lengthen(&o);
	reach(s, o.first, o.first + o.nr - 1);
}

static uint64_t get_comm(struct keys *ks, const struct sample *s, struct thread *th)
{
	(void)s;
	return keys_comm_name(ks, th->comm);
}

static uint64_t get_thread(struct keys *ks, const struct sample *s, struct thread *th)
{
	(void)ks, (void)s;
	return th->idx;
}

static uint64_t get_cpu(struct keys *ks, const struct sample *s, struct thread *th)
{
	(void)ks, (void)th;
	return s->cpu;
}

static uint64_t place_loc(struct keys *ks, const struct place_in *in)
{
	(void)ks;
	return in->loc;
}

static uint64_t place_ip(struct keys *ks, const struct place_in *in)
{
	(void)ks;
	return in->ip;
}

static const struct key group[NR_RICH_GROUP] = {
	[RICH_COMM] = { .name = "rich_comm",
			.sample = get_comm,
			.value = VALUE_NAME,
			.need = PERF_SAMPLE_TID },
	[RICH_THREAD] = { .name = "rich_thread",
			  .sample = get_thread,
			  .value = VALUE_THREAD,
			  .need = PERF_SAMPLE_TID },
	[RICH_CPU] = { .name = "rich_cpu", .sample = get_cpu, .need = PERF_SAMPLE_CPU },
	[RICH_SLICE] = { .name = "rich_slice", .sample = get_slice, .need = PERF_SAMPLE_TIME },
};

static const struct key place[NR_RICH_PLACE] = {
	[RICH_LOC] = { .name = "rich_loc", .place = place_loc, .value = VALUE_LOC },
	[RICH_IP] = { .name = "rich_ip", .place = place_ip, .raw_ip = RAW_ALWAYS },
};

const struct key *keys_rich_group(unsigned i)
{
	return &group[i];
}

const struct key *keys_rich_place(unsigned i)
{
	return &place[i];
}

bool keys_is_derived(const struct key *k)
{
	if (k->at == KEY_SAMPLE)
		return k->of_thread || k->of_comm;
	return k->at != KEY_STAT;
}
