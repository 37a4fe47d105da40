// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Large samples without their stacks. Of 16 kB that were copied from a thread's stack who unwinds them needs a few words, and
 * to copy all of them out of the page cache once more takes a third of the time that unwinding does. So the map through which
 * the index looked at the headers is kept. Of such a sample only its begin and its end are copied out of it, to where all of it
 * would lie, and a word of its stack is loaded where the map has it, once, for the file may change meanwhile. A file that
 * was cut short has zeros there (elf/guard.c): that is found out behind each piece, and is an error.
 */
#include <sys/resource.h>
#include <sys/stat.h>

#include "elf/elf.h"
#include "pieces-int.h"

#define HEAD	       2048u /* what stands before a stack, but for very long call chains */
#define TAIL	       256u  /* what stands behind it */
#define GAP_LEAST      8192u /* less is copied in the time that it takes to tell it apart */
#define MAP_MOST       (512u << 20)
#define RECORD_AVERAGE 4096 /* where they are smaller most are copied anyway */

static bool has_gap(uint32_t type, uint32_t size)
{
	return type == PERF_RECORD_SAMPLE && size >= HEAD + GAP_LEAST + TAIL;
}

/* What is mapped counts as memory of this process, though nobody has less for it. */
static bool can_map(const struct perfdata *pd)
{
	struct rlimit space;

	return pd->nr_streams == 1 && perfdata_record_bytes(pd) <= MAP_MOST &&
	       !getrlimit(RLIMIT_AS, &space) && space.rlim_cur == RLIM_INFINITY;
}

static bool has_large_stacks(const struct perf_event_attr *a)
{
	return a->sample_type & PERF_SAMPLE_STACK_USER && a->sample_stack_user >= GAP_LEAST + HEAD;
}

/* The map has to be kept from the first record on, when nobody knows yet what most of them are like. */
bool gaps_may_pay(const struct perfdata *pd)
{
	for (size_t i = 0; i < own_events(pd); i++)
		if (has_large_stacks(&pd->events.v[i]->pub.attr))
			return can_map(pd);
	return false;
}

bool gaps_pay(const struct perfdata *pd)
{
	return pd->stats.bytes / RECORD_AVERAGE >= pd->stats.records;
}

bool gaps_can(const struct window_map *map, uint64_t off, size_t n)
{
	return map->at && off >= map->base && off - map->base <= map->len &&
	       n <= map->len - (size_t)(off - map->base);
}

/* Each byte is copied once before anybody looks at it: in the map it may change. */
void gaps_copy(const struct window_map *map, uint64_t off, unsigned char *buf, size_t n, bool swap)
{
	const unsigned char *from = map->at + (off - map->base);

	while (n >= 8) {
		struct raw_record raw = { .data = memcpy(buf, from, 8) };
		uint64_t all;
		size_t head;

		record_header(&raw, buf, swap);
		if (raw.size < 8 || raw.size > n) /* who reads the records says what is wrong */
			break;
		head = has_gap(raw.type, raw.size) ? HEAD : raw.size;
		memcpy(buf + 8, from + 8, head - 8);
		if (head < raw.size)
			memcpy(buf + raw.size - TAIL, from + raw.size - TAIL, TAIL);
		all = raw.size;
		if (raw.type != PERF_RECORD_SAMPLE)
			all += min_u64(record_payload(&raw, swap), n - raw.size);
		memcpy(buf + raw.size, from + raw.size, (size_t)all - raw.size);
		buf += all;
		from += all;
		n -= (size_t)all;
	}
	memcpy(buf, from, n);
}

/*
 * What gaps_copy() left out goes by size alone: it knows no events. Here it is known whose the sample is, and
 * where no stack of its is large the bytes are copied after all, so that nobody else meets gaps.
 */
void gaps_note(struct order_run *r, const unsigned char *data, uint32_t type, uint32_t size)
{
	size_t skip = (size_t)(data - r->buf);

	r->rec.gap = NULL;
	if (!has_gap(type, size))
		return;
	r->gap = (struct record_gap){ .from = HEAD,
				      .to = size - TAIL,
				      .there = r->map->at + (r->base - r->map->base) + skip,
				      .data = r->filled + skip };
	/* What an empty branch stack is like only shows at the end of the sample. */
	if (r->rec.event && has_large_stacks(&r->rec.event->attr) &&
	    !(r->rec.event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK))
		r->rec.gap = &r->gap;
	else
		perfdata_fill(&r->gap);
}

/* The bytes may be others than those that were looked at in the map before. */
void perfdata_fill(struct record_gap *gap)
{
	memcpy(gap->data + gap->from, gap->there + gap->from, gap->to - gap->from);
	gap->from = gap->to;
}

bool gaps_changed(const struct window_map *map, int fd, uint64_t end)
{
	struct stat st;

	/* Zeros up to the end of the last page raise no signal. */
	return elf_guard_mended(map->guard) || fstat(fd, &st) || (uint64_t)st.st_size < end;
}
