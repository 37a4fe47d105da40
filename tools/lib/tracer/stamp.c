// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What time it is by the samples' clock, for stacks that are not the kernel's. Without -k nobody but
 * the kernel can read that clock: so it is asked for a sample of ourselves, of a page that we touch,
 * and our own clock is read before.
 *
 * A sample of the traced says less. It was taken when its thread stopped, which on a busy machine
 * is long before we get to see it; and a branch trace has but one. What is dated too early by as
 * much may be older than the start of its process or the mapping of its code: readers find no
 * symbols for it then.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attr/attr.h"
#include "base/bytes.h"
#include "tracer-int.h"

#define KEPT_NS	  5000000 /* clocks that drift apart by a thousandth are 5 us apart then */
#define NARROW_NS 20000	  /* a touch that takes longer was interrupted, */
#define TRIES	  4	  /* or is that dear here */

struct stamps {
	int fd;
	size_t page_size;
	/* And its ring, of one page; NULL: nothing is asked any more. */
	struct perf_event_mmap_page *page;
	volatile unsigned char *spot; /* a page, not there before it is touched */
	int64_t diff;		      /* our clock less the samples': this or more */
	uint64_t asked;		      /* when it was (ns); 0 = never yet */
};

/* Behind the touch: the newest of its samples, and whether there is one. */
static bool take_time(struct stamps *s, uint64_t *time)
{
	const unsigned char *data = (unsigned char *)s->page + s->page_size;
	uint64_t head = __atomic_load_n(&s->page->data_head, __ATOMIC_ACQUIRE);
	bool found = false;

	/* records are multiples of 8: no word wraps */
	for (uint64_t tail = s->page->data_tail; head - tail >= 24;) {
		struct perf_event_header h;

		memcpy(&h, data + tail % s->page_size, sizeof(h));
		if (h.size < sizeof(h))
			break;
		/* other pages may be missing as well */
		if (h.type == PERF_RECORD_SAMPLE &&
		    load_u64(data + (tail + 16) % s->page_size, false) == (uintptr_t)s->spot) {
			*time = load_u64(data + (tail + 8) % s->page_size, false);
			found = true;
		}
		tail += h.size;
	}
	__atomic_store_n(&s->page->data_tail, head, __ATOMIC_RELEASE);
	return found;
}

/* *@diff is between what is found and *@width more. */
static bool ask_once(struct stamps *s, int64_t *diff, uint64_t *width)
{
	uint64_t before, after, time;

	if (madvise((void *)(uintptr_t)s->spot, s->page_size, MADV_DONTNEED) ||
	    ioctl(s->fd, PERF_EVENT_IOC_ENABLE, 0))
		return false;
	before = tracer_now();
	*s->spot = 1;
	after = tracer_now();
	ioctl(s->fd, PERF_EVENT_IOC_DISABLE, 0);
	if (!take_time(s, &time))
		return false;
	*diff = (int64_t)(before - time);
	*width = after - before;
	return true;
}

/*
 * Of what the difference may be the least is taken: a stack is then dated a little late rather than
 * before what the kernel recorded of its thread.
 */
static bool ask(struct stamps *s, uint64_t now)
{
	uint64_t best = UINT64_MAX, width;
	int64_t diff;

	for (unsigned i = 0; i < TRIES && best > NARROW_NS; i++) {
		if (!ask_once(s, &diff, &width) || width >= best)
			continue;
		best = width;
		s->diff = diff;
	}
	s->asked = now;
	return best != UINT64_MAX;
}

/*
 * Faults of this thread in user space, at the clock that samples of the traced have. The first answer is
 * asked for at once: who cannot have it is told before anything is dated.
 */
static int open_event(const struct tracer *t, struct stamps *s)
{
	const struct perf_event_attr *of = &t->opts.event[0].attr;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.size = PERF_ATTR_SIZE_VER5,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR,
		.clockid = of->clockid,
		.flags = ATTR_FLAG_DISABLED | ATTR_FLAG_EXCLUDE_KERNEL |
			 (of->flags & ATTR_FLAG_USE_CLOCKID),
	};
	void *map;

	s->fd = -1;
	if (t->without & WITHOUT_CLOCK)
		return -EOPNOTSUPP;
	s->page_size = t->page_size;
	s->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			     PERF_EVENT_OPEN_FLAG_FD_CLOEXEC);
	if (s->fd < 0)
		return -errno;
	map = mmap(NULL, 2 * s->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	s->page = map;
	map = mmap(NULL, s->page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return -errno;
	s->spot = map;
	return ask(s, tracer_now()) ? 0 : -ENODATA;
}

bool stamps_give_back(struct stamps *s)
{
	if (!s || !s->page)
		return false;
	munmap(s->page, 2 * s->page_size);
	s->page = NULL;
	return true;
}

void stamps_free(struct stamps *s)
{
	if (!s)
		return;
	if (s->spot)
		munmap((void *)(uintptr_t)s->spot, s->page_size);
	stamps_give_back(s);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

void stamps_begin(struct tracer *t)
{
	struct stamps *s = calloc(1, sizeof(*s));
	int ret = s ? open_event(t, s) : -ENOMEM;

	if (!ret) {
		t->stamps = s;
		return;
	}
	stamps_free(s);
	log_to(&t->opts.log, LOG_WARN,
	       "the clock of samples cannot be read (%s): stacks may be dated before the start of "
	       "their process, and have no symbols then",
	       strerror(-ret));
}

uint64_t stamps_now(struct tracer *t)
{
	uint64_t now = tracer_now();

	if (!t->stamps)
		return now - (uint64_t)t->clock_diff;
	if (t->stamps->page && now - t->stamps->asked > KEPT_NS)
		(void)ask(t->stamps, now);
	return now - (uint64_t)t->stamps->diff;
}
