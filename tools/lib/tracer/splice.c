// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sample of the kernel, finished: fields stand in the order of perf_event_open(2), and between
 * those before BRANCH_STACK and those behind STACK_USER go the blocks that come from here. When a
 * walk has moved on, IP, call chain and stack are those of the place where it ended.
 */
#include "perfdata/perfdata.h"
#include "attr/attr.h"
#include "tracer-int.h"
#include "vm-int.h"

#define ID_FIELDS (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)
/* 8 bytes each, in this order, before READ */
static const uint64_t leading[] = { ATTR_SAMPLE_FIELDS(ATTR_HEAD_BIT, ATTR_NO_PART, ATTR_NO_WORD) };

#define FP_CHAIN     127
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
	if (o->bases || o->mxcsr)
		k->sample_type &= ~PERF_SAMPLE_RAW;
	if (o->branches.on) {
		k->sample_type &= ~(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_STACK_USER |
				    PERF_SAMPLE_CALLCHAIN);
		k->branch_sample_type = 0;
		k->sample_stack_user = 0;
	}
	if (o->chains.unwind) {
		k->flags |= ATTR_FLAG_EXCLUDE_CALLCHAIN_USER;
		k->sample_max_stack = 0;
	}
}

/* Where the parts of a kernel's record end; the blocks go between @front and the rest. */
struct parts {
	size_t chain, chain_end; /* CALLCHAIN; equal when there is none */
	size_t front;
	size_t stack_end; /* STACK_USER, right behind the front */
	size_t end;
};

static void skip_read(struct cursor *c, const struct perf_event_attr *k)
{
	uint64_t f = k->read_format, words;

	if (!(k->sample_type & PERF_SAMPLE_READ))
		return;
	words = 1 + !!(f & PERF_FORMAT_ID) + !!(f & PERF_FORMAT_LOST);
	if (f & PERF_FORMAT_GROUP)
		words = (words * cursor_u64(c)) & 0xffff;
	words += !!(f & PERF_FORMAT_TOTAL_TIME_ENABLED);
	words += !!(f & PERF_FORMAT_TOTAL_TIME_RUNNING);
	cursor_skip(c, 8 * words);
}

/* False: the record does not hold together. */
static bool find_parts(const unsigned char *rec, size_t size, const struct perf_event_attr *k,
		       struct parts *parts)
{
	struct cursor c = cursor_init(rec, size, false);
	uint64_t nr;

	cursor_skip(&c, sizeof(struct perf_event_header));
	for (size_t i = 0; i < ARRAY_SIZE(leading); i++)
		if (k->sample_type & leading[i])
			cursor_skip(&c, 8);
	skip_read(&c, k);
	parts->chain = cursor_pos(&c);
	if (k->sample_type & PERF_SAMPLE_CALLCHAIN) {
		nr = cursor_u64(&c);
		cursor_skip(&c, nr > size ? UINT64_MAX : 8 * nr);
	}
	parts->chain_end = cursor_pos(&c);
	if (k->sample_type & PERF_SAMPLE_RAW)
		cursor_skip(&c, cursor_u32(&c));
	if (k->sample_type & PERF_SAMPLE_BRANCH_STACK) {
		nr = cursor_u64(&c);
		if (k->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
			cursor_skip(&c, 8);
		cursor_skip(&c, nr > size ? UINT64_MAX : 24 * nr);
	}
	parts->front = cursor_pos(&c);
	if (k->sample_type & PERF_SAMPLE_STACK_USER) {
		nr = cursor_u64(&c);
		cursor_skip(&c, nr > size ? UINT64_MAX : nr ? nr + 8 : 0);
	}
	parts->stack_end = cursor_pos(&c);
	parts->end = size;
	return !c.bad;
}

static unsigned char *put(unsigned char *p, uint64_t v)
{
	store_u64(p, v);
	return p + 8;
}

/* Events of new threads have ids that the file's header does not know: one id stands for all. */
static void patch_front(unsigned char *rec, const struct tracer_event *ev,
			const struct user_regs_struct *moved)
{
	unsigned char *p = rec + sizeof(struct perf_event_header);

	for (size_t i = 0; i < ARRAY_SIZE(leading); i++) {
		if (!(ev->attr.sample_type & leading[i]))
			continue;
		if (leading[i] & ID_FIELDS)
			store_u64(p, ev->id);
		if (leading[i] == PERF_SAMPLE_IP && moved)
			store_u64(p, arch_ip(moved));
		p += 8;
	}
}

/* struct perf_branch_entry: no field that nobody measured is set. */
static unsigned char *put_branches(unsigned char *p, const struct perf_event_attr *attr,
				   const struct walked *walk)
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

static unsigned char *put_stack(unsigned char *p, const struct stack_place *w, uint64_t sp,
				uint32_t size)
{
	size_t got;

	p = put(p, size);
	got = stack_read(w, sp, p, size);
	memset(p + got, 0, size - got);
	return put(p + size, got);
}

/*
 * MXCSR of where the thread stood. What was computed from there on does not change what it says to do, and may have met
 * exceptions that its flags do not know.
 */
static unsigned char *put_mxcsr(unsigned char *p, const struct user_state *st, bool moved)
{
	uint32_t value = 0, known = 0;

	if (arch_mxcsr(&st->arch, &value))
		known = RAW_MXCSR_KNOWN | (moved ? 0 : RAW_MXCSR_FLAGS);
	store_u32(p, value);
	store_u32(p + 4, known);
	return p + 8;
}

/* RAW, see RAW_BASES; without registers the kernel's own empty one. */
static unsigned char *put_raw(const struct tracer *t, unsigned char *p, const struct user_state *st,
			      const struct walked *walk)
{
	const struct user_regs_struct *gpr = walk ? &walk->end : st ? &st->gpr : NULL;
	unsigned char *size = p;

	p += 8;
	if (!st) {
		store_u32(size, 4);
		store_u32(size + 4, 0);
		return p;
	}
	store_u32(size + 4, RAW_BASES_VERSION);
	if (t->opts.bases)
		p = put(put(p, arch_base(gpr, 'f')), arch_base(gpr, 'g'));
	if (t->opts.mxcsr)
		p = put_mxcsr(p, st, walk && !walk->moved);
	store_u32(size, (uint32_t)(p - size - 4));
	return p;
}

/*
 * What is put behind a chain, at most: registers with all of SIMD, branches, RAW, and a stack of which nothing
 * is copied. Beside it stands what the kernel wrote there.
 */
#define REGS_MOST     (8 + 64 * 8 + 32 + 32 * 64 + 8 * 8)
#define BRANCHES_MOST (16 + TRACER_MAX_DEPTH * 24)
#define OTHERS_MOST   (32 + 16)

static uint32_t room_for_chain(size_t used, size_t behind)
{
	size_t taken = used + behind + REGS_MOST + BRANCHES_MOST + OTHERS_MOST;

	return taken < RECORD_MAX ? (uint32_t)((RECORD_MAX - taken) / 8) : 1;
}

/* The user part; without registers all that is known is where the sample was. */
static unsigned char *put_user(struct tracer *t, unsigned char *p, const struct tracer_event *ev,
			       const struct user_regs_struct *gpr, const struct stack_place *w,
			       size_t behind)
{
	unsigned max = t->stacks ? TRACER_CHAIN : FP_CHAIN;
	uint64_t type = ev->attr.sample_type;

	if (ev->attr.sample_max_stack)
		max = min_u64(ev->attr.sample_max_stack, TRACER_MAX_CHAIN);
	p = put(p, CONTEXT_USER);
	max = (unsigned)min_u64(max, room_for_chain((size_t)(p - t->out), behind));
	if (gpr)
		return p + 8 * stack_chain(t, w, gpr, p, max);
	return put(p, load_u64(t->out + 8 + attr_head_offset(type, PERF_SAMPLE_IP), false));
}

static bool is_user(const unsigned char *rec)
{
	struct perf_event_header h;

	memcpy(&h, rec, sizeof(h));
	return (h.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
}

/*
 * The chain. The kernel wrote its own part, and that of user space where frame pointers will do and
 * the sample is where the kernel says.
 */
static unsigned char *put_chain(struct tracer *t, const struct tracer_event *ev,
				const struct parts *parts, const struct user_regs_struct *gpr,
				bool moved, const struct stack_place *w)
{
	bool here = t->opts.branches.on, kernels = parts->chain_end > parts->chain;
	/* others' rules make a user part that the kernel's attr has not; else it is not wanted */
	bool user = t->stacks || !(ev->attr.flags & ATTR_FLAG_EXCLUDE_CALLCHAIN_USER);
	unsigned char *count = t->out + parts->chain, *p = count + 8;

	if (!here && (!user || (!t->stacks && !(moved && gpr))))
		return mempcpy(count, t->rec + parts->chain, parts->chain_end - parts->chain);
	if (t->stacks && kernels)
		p = mempcpy(p, t->rec + parts->chain + 8, parts->chain_end - parts->chain - 8);
	if (user && (gpr || (is_user(t->rec) && ev->attr.sample_type & PERF_SAMPLE_IP)))
		p = put_user(t, p, ev, gpr, w, parts->end - parts->chain_end);
	put(count, (p - count) / 8 - 1);
	return p;
}

/* Up to where RAW and the blocks go in. @moved: the sample is of @gpr and not of where the kernel says. */
static unsigned char *put_front(struct tracer *t, const struct tracer_event *ev,
				const struct parts *parts, const struct user_regs_struct *gpr,
				bool moved, const struct stack_place *w)
{
	memcpy(t->out, t->rec, parts->chain);
	patch_front(t->out, ev, moved ? gpr : NULL);
	if (ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		return put_chain(t, ev, parts, gpr, moved, w);
	return t->out + parts->chain;
}

static struct stack_place place_of(const struct tracee *th, const struct user_state *st,
				   const struct walked *walk)
{
	struct stack_place w = { .pid = th->pid, .tid = th->tid, .is_32bit = st && st->is_32bit };

	if (walk) {
		w.memory = walk->memory;
		w.insns = walk->insns;
	}
	if (st && !st->is_32bit && w.insns != UINT64_MAX)
		w.start = walk && walk->moved ? &walk->end : &st->gpr;
	return w;
}

size_t splice_sample(struct tracer *t, const struct tracee *th, uint32_t event, size_t size,
		     const struct user_state *st, const struct walked *walk)
{
	const struct tracer_event *ev = &t->opts.event[event];
	const struct stack_place w = place_of(th, st, walk);
	const struct user_regs_struct *gpr = walk ? &walk->end : st ? &st->gpr : NULL;
	const struct perf_event_attr *attr = &ev->attr;
	/* with branches, chain and stack are ours in any case */
	bool late = st && st->late && st->sampled_ip != arch_ip(&st->gpr),
	     ours = t->opts.branches.on;
	struct perf_event_attr kernel;
	struct parts parts;
	unsigned char *p;
	size_t total;
	uint16_t size16;

	tracer_kernel_attr(&t->opts, attr, &kernel);
	if (!find_parts(t->rec, size, &kernel, &parts))
		/* cannot happen with a sane kernel; an empty sample says nothing false */
		parts = (struct parts){ size, size, size, size, size };
	p = put_front(t, ev, &parts, gpr, walk || late, &w);
	if (walk && walk->inexact)
		st = NULL;
	if (t->opts.bases || t->opts.mxcsr)
		p = put_raw(t, p, st, walk);
	p = mempcpy(p, t->rec + parts.chain_end, parts.front - parts.chain_end);
	if (ours)
		p = put_branches(p, attr, walk);
	if (t->opts.regs && (attr->sample_type & PERF_SAMPLE_REGS_USER))
		p += state_regs_block(st, gpr, attr, p);
	if ((ours || late) && (attr->sample_type & PERF_SAMPLE_STACK_USER)) {
		/* what is behind must still fit into a record */
		uint64_t room = RECORD_MAX - (p - t->out) - (size - parts.stack_end) - 16;

		p = gpr ? put_stack(p, &w, arch_sp(gpr),
				    min_u64(attr->sample_stack_user, room & ~7ULL))
			: put(p, 0);
		parts.front = parts.stack_end;
	}
	total = p - t->out;
	if (total + size - parts.front <= RECORD_MAX) {
		memcpy(p, t->rec + parts.front, size - parts.front);
		total += size - parts.front;
	}
	size16 = (uint16_t)total;
	memcpy(t->out + offsetof(struct perf_event_header, size), &size16, sizeof(size16));
	return total;
}
