// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sample of the kernel, finished: fields stand in the order of perf_event_open(2), and between
 * those before BRANCH_STACK and those behind STACK_USER go the blocks that come from here. When a
 * walk has moved on, IP, call chain and stack are those of the place where it ended.
 */
#include <sys/uio.h>

#include "private.h"

#define ID_FIELDS (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)
/* 8 bytes each, in this order, before READ */
static const uint64_t leading[] = {
	PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,	  PERF_SAMPLE_TID,
	PERF_SAMPLE_TIME,	PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID,	PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD,
};

#define CHAIN_MAX    127
#define CONTEXT_USER ((uint64_t)-512) /* PERF_CONTEXT_USER */

void tracer_kernel_attr(const struct tracer_opts *o, const struct perf_event_attr *file,
			struct perf_event_attr *k)
{
	const uint64_t drop =
		ATTR_FLAG_INHERIT | ATTR_FLAG_INHERIT_STAT | ATTR_FLAG_INHERIT_THREAD |
		ATTR_FLAG_ENABLE_ON_EXEC | ATTR_FLAG_WATERMARK | ATTR_FLAG_MMAP | ATTR_FLAG_MMAP2 |
		ATTR_FLAG_MMAP_DATA | ATTR_FLAG_COMM | ATTR_FLAG_COMM_EXEC | ATTR_FLAG_TASK |
		ATTR_FLAG_CONTEXT_SWITCH | ATTR_FLAG_KSYMBOL | ATTR_FLAG_BPF_EVENT |
		ATTR_FLAG_NAMESPACES | ATTR_FLAG_CGROUP | ATTR_FLAG_TEXT_POKE | ATTR_FLAG_BUILD_ID;

	*k = *file;
	k->flags &= ~drop;
	k->wakeup_events = 1; /* a signal for each sample */
	if (o->regs) {
		k->sample_type &= ~PERF_SAMPLE_REGS_USER;
		k->sample_regs_user = 0;
		k->sample_simd_regs_enabled = 0;
		k->sample_simd_pred_reg_qwords = k->sample_simd_vec_reg_qwords = 0;
		k->sample_simd_pred_reg_user = k->sample_simd_vec_reg_user = 0;
		k->size = PERF_ATTR_SIZE_VER7;
	}
	if (o->branches.on) {
		k->sample_type &= ~(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_STACK_USER |
				    PERF_SAMPLE_CALLCHAIN);
		k->branch_sample_type = 0;
		k->sample_stack_user = 0;
	}
}

/* Bytes of the kernel's record before the blocks; 0 = the record does not hold together. */
static size_t front_size(const unsigned char *rec, size_t size, const struct perf_event_attr *k)
{
	struct cursor c = cursor_init(rec, size, false);

	cursor_skip(&c, sizeof(struct perf_event_header));
	for (size_t i = 0; i < ARRAY_SIZE(leading); i++)
		if (k->sample_type & leading[i])
			cursor_skip(&c, 8);
	if (k->sample_type & PERF_SAMPLE_READ) {
		uint64_t f = k->read_format, words;

		words = 1 + !!(f & PERF_FORMAT_ID) + !!(f & PERF_FORMAT_LOST);
		if (f & PERF_FORMAT_GROUP)
			words = (words * cursor_u64(&c)) & 0xffff;
		words += !!(f & PERF_FORMAT_TOTAL_TIME_ENABLED);
		words += !!(f & PERF_FORMAT_TOTAL_TIME_RUNNING);
		cursor_skip(&c, 8 * words);
	}
	if (k->sample_type & PERF_SAMPLE_CALLCHAIN) {
		uint64_t nr = cursor_u64(&c);

		cursor_skip(&c, nr > size ? UINT64_MAX : 8 * nr);
	}
	if (k->sample_type & PERF_SAMPLE_RAW)
		cursor_skip(&c, cursor_u32(&c));
	if (k->sample_type & PERF_SAMPLE_BRANCH_STACK) {
		uint64_t nr = cursor_u64(&c);

		if (k->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
			cursor_skip(&c, 8);
		cursor_skip(&c, nr > size ? UINT64_MAX : 24 * nr);
	}
	return c.bad ? 0 : cursor_pos(&c);
}

static unsigned char *put(unsigned char *p, uint64_t v)
{
	store_u64(p, v);
	return p + 8;
}

/* Events of new threads have ids that the file's header does not know: one id stands for all. */
static void patch_front(unsigned char *rec, const struct tracer_event *ev, const struct walk *walk)
{
	unsigned char *p = rec + sizeof(struct perf_event_header);

	for (size_t i = 0; i < ARRAY_SIZE(leading); i++) {
		if (!(ev->attr.sample_type & leading[i]))
			continue;
		if (leading[i] & ID_FIELDS)
			store_u64(p, ev->id);
		if (leading[i] == PERF_SAMPLE_IP && walk)
			store_u64(p, walk->end.rip);
		p += 8;
	}
}

static size_t read_user(pid_t tid, uint64_t addr, void *buf, size_t n)
{
	struct iovec to = { buf, n }, from = { (void *)addr, n };
	ssize_t r = process_vm_readv(tid, &to, 1, &from, 1, 0);

	return r < 0 ? 0 : (size_t)r;
}

/* By frame pointers, as the kernel does it. */
static unsigned char *put_callchain(unsigned char *p, pid_t tid, const struct user_regs_struct *r,
				    unsigned max)
{
	unsigned char *count = p;
	uint64_t frame = r->rbp, nr = 2;

	p = put(put(put(p, 0), CONTEXT_USER), r->rip);
	while (nr < max) {
		uint64_t pair[2];

		if ((frame & 7) || frame < r->rsp || read_user(tid, frame, pair, 16) != 16)
			break;
		p = put(p, pair[1]);
		nr++;
		if (pair[0] <= frame)
			break;
		frame = pair[0];
	}
	put(count, nr);
	return p;
}

/* struct perf_branch_entry: no field that nobody measured is set. */
static unsigned char *put_branches(unsigned char *p, const struct perf_event_attr *attr,
				   const struct walk *walk)
{
	uint64_t nr = walk ? walk->nr : 0, filter = attr->branch_sample_type;
	/* type: bits 20-23; privilege: bits 30-32, 1 = user */
	uint64_t flags = filter & PERF_SAMPLE_BRANCH_PRIV_SAVE ? 1ULL << 30 : 0;
	bool types = filter & PERF_SAMPLE_BRANCH_TYPE_SAVE;

	p = put(p, nr);
	if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		p = put(p, UINT64_MAX);
	for (uint64_t i = nr; i-- > 0;) {
		const struct walk_entry *b = &walk->entry[i];

		p = put(put(p, b->from), b->to);
		p = put(p, flags | (types ? (uint64_t)b->type << 20 : 0));
	}
	return p;
}

static unsigned char *put_stack(unsigned char *p, pid_t tid, uint64_t sp, uint32_t size)
{
	size_t got;

	p = put(p, size);
	got = read_user(tid, sp, p, size);
	memset(p + got, 0, size - got);
	return put(p + size, got);
}

size_t splice_sample(struct tracer *t, const struct thread *th, uint32_t event, size_t size,
		     const struct user_state *st, const struct walk *walk)
{
	const struct tracer_event *ev = &t->opts.event[event];
	const struct user_regs_struct *gpr = walk ? &walk->end : st ? &st->gpr : NULL;
	const struct perf_event_attr *attr = &ev->attr;
	struct perf_event_attr kernel;
	unsigned char *p = t->out;
	size_t front, total;
	uint16_t size16;

	tracer_kernel_attr(&t->opts, attr, &kernel);
	front = front_size(t->rec, size, &kernel);
	if (!front) /* cannot happen with a sane kernel; an empty sample says nothing false */
		front = size;
	memcpy(p, t->rec, front);
	patch_front(p, ev, walk);
	p += front;
	if (t->opts.branches.on) {
		if ((attr->sample_type & PERF_SAMPLE_CALLCHAIN) && gpr)
			p = put_callchain(p, th->tid, gpr,
					  attr->sample_max_stack ? attr->sample_max_stack
								 : CHAIN_MAX);
		else if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
			p = put(p, 0);
		p = put_branches(p, attr, walk);
	}
	if (t->opts.regs && (attr->sample_type & PERF_SAMPLE_REGS_USER))
		p += state_regs_block(walk && walk->inexact ? NULL : st, gpr, attr, p);
	if (t->opts.branches.on && (attr->sample_type & PERF_SAMPLE_STACK_USER)) {
		/* what is behind must still fit into a record */
		uint64_t room = RECORD_MAX - (p - t->out) - (size - front) - 16;

		p = gpr ? put_stack(p, th->tid, gpr->rsp,
				    min_u64(attr->sample_stack_user, room & ~7ULL))
			: put(p, 0);
	}
	total = p - t->out;
	if (total + size - front <= RECORD_MAX) {
		memcpy(p, t->rec + front, size - front);
		total += size - front;
	}
	size16 = (uint16_t)total;
	memcpy(t->out + offsetof(struct perf_event_header, size), &size16, sizeof(size16));
	return total;
}
