// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records as the kernel writes them. Each value of a sample is a hash of its number and its
 * place, so that any mix-up shows; the log has one line per sample:
 *
 *	id=7 nr=0 ip=401000 iregs=2:AX?..  (bit=value pairs) ivec=qwords:v,v,... ipred=...
 *	hwidx=5 br=from/to/flags,... cntr=word,...
 */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "standin.h"

struct writer {
	unsigned char *p;
	FILE *log;
};

static void put64(struct writer *w, uint64_t v)
{
	memcpy(w->p, &v, 8);
	w->p += 8;
}

static void put_pair(struct writer *w, uint32_t a, uint32_t b)
{
	memcpy(w->p, &a, 4);
	memcpy(w->p + 4, &b, 4);
	w->p += 8;
}

static void put_text(struct writer *w, const char *s)
{
	size_t n = strlen(s) + 1, padded = (n + 7) & ~(size_t)7;

	memset(w->p, 0, padded);
	memcpy(w->p, s, n);
	w->p += padded;
}

static uint64_t value(uint64_t id, unsigned nr, unsigned what, unsigned i)
{
	uint64_t x = id * 0x9e3779b97f4a7c15ULL + nr * 0xbf58476d1ce4e5b9ULL + what * 131071 + i;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void put_header(unsigned char *buf, const struct writer *w, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };

	h.size = (uint16_t)(w->p - buf);
	memcpy(buf, &h, sizeof(h));
}

static pid_t target(const struct event *ev)
{
	return ev->pid > 0 ? ev->pid : getpid();
}

/* The trailer of every record that is no sample. */
static void put_id_sample(struct writer *w, const struct event *ev)
{
	uint64_t st = ev->attr.sample_type;

	if (!(ev->attr.flags & ATTR_FLAG_SAMPLE_ID_ALL))
		return;
	if (st & PERF_SAMPLE_TID)
		put_pair(w, (uint32_t)target(ev), (uint32_t)target(ev));
	if (st & PERF_SAMPLE_TIME)
		put64(w, now());
	if (st & PERF_SAMPLE_ID)
		put64(w, ev->id);
	if (st & PERF_SAMPLE_STREAM_ID)
		put64(w, ev->id);
	if (st & PERF_SAMPLE_CPU)
		put_pair(w, ev->cpu < 0 ? 0 : (uint32_t)ev->cpu, 0);
	if (st & PERF_SAMPLE_IDENTIFIER)
		put64(w, ev->id);
}

size_t comm_compose(const struct event *ev, unsigned char *buf)
{
	struct writer w = { .p = buf + 8 };

	put_pair(&w, (uint32_t)target(ev), (uint32_t)target(ev));
	put_text(&w, "standin");
	put_id_sample(&w, ev);
	put_header(buf, &w, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	return (size_t)(w.p - buf);
}

size_t mmap2_compose(const struct event *ev, unsigned char *buf)
{
	struct writer w = { .p = buf + 8 };

	put_pair(&w, (uint32_t)target(ev), (uint32_t)target(ev));
	put64(&w, 0x400000);
	put64(&w, 0x100000);
	put64(&w, 0);
	put_pair(&w, 8, 1);
	put64(&w, 42);
	put64(&w, 1);
	put_pair(&w, 5, 2);
	put_text(&w, "/standin/program");
	put_id_sample(&w, ev);
	put_header(buf, &w, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	return (size_t)(w.p - buf);
}

size_t lost_compose(const struct event *ev, uint64_t lost, unsigned char *buf)
{
	struct writer w = { .p = buf + 8 };

	put64(&w, ev->id);
	put64(&w, lost);
	put_id_sample(&w, ev);
	put_header(buf, &w, PERF_RECORD_LOST, 0);
	return (size_t)(w.p - buf);
}

size_t throttle_compose(const struct event *ev, unsigned char *buf)
{
	struct writer w = { .p = buf + 8 };

	put64(&w, 1);
	put64(&w, ev->id);
	put64(&w, ev->id);
	put_id_sample(&w, ev);
	put_header(buf, &w, PERF_RECORD_THROTTLE, 0);
	return (size_t)(w.p - buf);
}

enum { WHAT_USER = 1, WHAT_INTR = 2, WHAT_BRANCH = 3 };

/* One register block, with the SIMD part when the attr asks for it. */
static void put_regs(struct writer *w, const struct event *ev, unsigned nr, unsigned what)
{
	const struct perf_event_attr *a = &ev->attr;
	bool user = what == WHAT_USER;
	uint64_t mask = user ? a->sample_regs_user : a->sample_regs_intr;
	uint64_t vec = user ? a->sample_simd_vec_reg_user : a->sample_simd_vec_reg_intr;
	uint64_t pred = user ? a->sample_simd_pred_reg_user : a->sample_simd_pred_reg_intr;
	unsigned vq = vec ? a->sample_simd_vec_reg_qwords : 0;
	unsigned pq = pred ? a->sample_simd_pred_reg_qwords : 0;
	unsigned nv = (unsigned)__builtin_popcountll(vec);
	unsigned np = (unsigned)__builtin_popcountll(pred);
	bool simd = vec || pred;

	fprintf(w->log, " %cregs=", user ? 'u' : 'i');
	put64(w,
	      simd ? PERF_SAMPLE_REGS_ABI_64 | PERF_SAMPLE_REGS_ABI_SIMD : PERF_SAMPLE_REGS_ABI_64);
	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t v = value(ev->id, nr, what, bit);

		if (!(mask >> bit & 1))
			continue;
		put64(w, v);
		fprintf(w->log, "%u:%llx,", bit, (unsigned long long)v);
	}
	if (!simd)
		return;
	put64(w, nv);
	put64(w, vq);
	put64(w, np);
	put64(w, pq);
	fprintf(w->log, " %cvec=%u:", user ? 'u' : 'i', vq);
	for (unsigned i = 0; i < nv * vq; i++) {
		uint64_t v = value(ev->id, nr, what + 10, i);

		put64(w, v);
		fprintf(w->log, "%llx,", (unsigned long long)v);
	}
	fprintf(w->log, " %cpred=", user ? 'u' : 'i');
	for (unsigned i = 0; i < np * pq; i++) {
		uint64_t v = value(ev->id, nr, what + 20, i);

		put64(w, v);
		fprintf(w->log, "%llx,", (unsigned long long)v);
	}
}

enum { ABORT = 16 }; /* none of the types of an entry, which have four bits */

/* Every kind of branch: what a filter lets through is chosen from these, again and again. */
static const struct kind {
	unsigned type; /* of the entry */
	uint64_t filters;
} kinds[] = {
	{ 1, PERF_SAMPLE_BRANCH_COND },
	{ 2, 0 },
	{ 3, PERF_SAMPLE_BRANCH_IND_JUMP },
	{ 4, PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_CALL },
	{ 5, PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_IND_CALL },
	{ 6, PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ 7, PERF_SAMPLE_BRANCH_ANY_CALL },
	{ 8, PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ ABORT, PERF_SAMPLE_BRANCH_ABORT_TX },
};

static bool passes(const struct kind *k, uint64_t m)
{
	return m & (PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_CALL_STACK | k->filters);
}

/* Inside a transaction or not, as far as the filter leaves that open. */
static bool in_tx(const struct kind *k, uint64_t m, unsigned seed)
{
	bool in = m & PERF_SAMPLE_BRANCH_IN_TX, out = m & PERF_SAMPLE_BRANCH_NO_TX;

	return k->type == ABORT || (in == out ? seed % 3 == 0 : in);
}

/* Bits of a branch's word of flags: perf.data(5), BRANCH STACKS. */
enum {
	BR_MISPRED = 1 << 0,
	BR_PREDICTED = 1 << 1,
	BR_IN_TX = 2, /* from here on: where a field begins */
	BR_ABORT = 3,
	BR_CYCLES = 4,
	BR_TYPE = 20,
	BR_PRIV = 30,
};
enum { PRIV_USER = 1, PRIV_KERNEL = 2 };

static uint64_t branch_flags(const struct table *p, uint64_t m, const struct kind *k, unsigned seed,
			     bool kernel)
{
	uint64_t f = 0;

	if (!(m & PERF_SAMPLE_BRANCH_NO_FLAGS)) {
		f |= seed % 5 == 0 ? BR_MISPRED : BR_PREDICTED;
		f |= (uint64_t)in_tx(k, m, seed) << BR_IN_TX;
		f |= (uint64_t)(k->type == ABORT) << BR_ABORT;
	}
	if (!(m & PERF_SAMPLE_BRANCH_NO_CYCLES))
		f |= (uint64_t)(seed % 1000) << BR_CYCLES;
	if ((m & PERF_SAMPLE_BRANCH_TYPE_SAVE) && p->lbr_type && k->type != ABORT)
		f |= (uint64_t)k->type << BR_TYPE;
	if (m & PERF_SAMPLE_BRANCH_PRIV_SAVE)
		f |= (uint64_t)(kernel ? PRIV_KERNEL : PRIV_USER) << BR_PRIV;
	return f;
}

static void put_entry(struct writer *w, const struct table *p, uint64_t m, const struct kind *k,
		      uint64_t h)
{
	bool kernel = !(m & PERF_SAMPLE_BRANCH_USER) ||
		      ((m & PERF_SAMPLE_BRANCH_KERNEL) && (h >> 60 & 1));
	uint64_t base = kernel ? 0xffffffff81000000ULL : 0x401000;
	uint64_t flags = branch_flags(p, m, k, (unsigned)(h >> 40) & 0xffff, kernel);
	uint64_t from = base + h % 0x1000, to = base + 0x1000 + (h >> 16) % 0x1000;

	put64(w, from);
	put64(w, to);
	put64(w, flags);
	fprintf(w->log, "%llx/%llx/%llx,", (unsigned long long)from, (unsigned long long)to,
		(unsigned long long)flags);
}

/* Two bits for each event of the group that counts into the branches. */
static void put_counters(struct writer *w, const struct event *ev, unsigned nr, uint64_t entries)
{
	fprintf(w->log, " cntr=");
	for (uint64_t i = 0; i < entries; i++) {
		uint64_t v = value(ev->id, nr, WHAT_BRANCH + 10, (unsigned)i) & 0xff;

		put64(w, v);
		fprintf(w->log, "%llx,", (unsigned long long)v);
	}
}

/*
 * Call-stack mode: a recursion that goes three calls deeper from sample to sample, from 20 to 59,
 * then begins anew; the registers have its newest 32 calls, register n % 32 that of depth n.
 */
#define LBR_REGISTERS 32

static unsigned call_depth(unsigned nr)
{
	return 20 + nr * 3 % 40;
}

static uint64_t function_at(unsigned depth)
{
	return 0x410000 + 64ULL * depth;
}

static bool in_kernel(unsigned nr)
{
	return nr % 2;
}

static bool is_call_stack(const struct perf_event_attr *a)
{
	return a->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

static void put_call_stack(struct writer *w, const struct perf_event_attr *a, unsigned nr)
{
	unsigned depth = call_depth(nr), n = depth < LBR_REGISTERS ? depth : LBR_REGISTERS;

	put64(w, n);
	if (a->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		put64(w, (depth - 1) % LBR_REGISTERS);
	for (unsigned i = 0; i < n; i++) {
		put64(w, function_at(depth - 1 - i) + 16);
		put64(w, function_at(depth - i));
		put64(w, 0);
	}
}

/* The kernel's part, when the sample was taken there, and two user frames as by frame pointers. */
static void put_call_chain(struct writer *w, const struct event *ev, unsigned nr, uint64_t ip)
{
	bool kernel = is_call_stack(&ev->attr) && in_kernel(nr);

	put64(w, kernel ? 6 : 3);
	if (kernel) {
		put64(w, PERF_CONTEXT_KERNEL);
		put64(w, 0xffffffff81000100 + nr);
		put64(w, 0xffffffff81000010);
	}
	put64(w, PERF_CONTEXT_USER);
	put64(w, ip);
	put64(w, 0x405000);
	if (!is_call_stack(&ev->attr))
		return;
	fprintf(w->log, " chain=");
	if (kernel)
		fprintf(w->log, "%llx,ffffffff81000010,", 0xffffffff81000100ULL + nr);
	/* Where the sample is; of one in the kernel only the innermost function is known. */
	fprintf(w->log, "%llx,", (unsigned long long)(kernel ? function_at(call_depth(nr)) : ip));
	for (unsigned d = call_depth(nr); d--;)
		fprintf(w->log, "%llx,", (unsigned long long)function_at(d) + 16);
}

static void put_branches(struct writer *w, const struct table *p, const struct event *ev,
			 unsigned nr)
{
	uint64_t m = ev->attr.branch_sample_type, entries = 0;
	unsigned k = nr;

	if (is_call_stack(&ev->attr)) {
		put_call_stack(w, &ev->attr, nr);
		return;
	}
	/* A filter that no kind of branch passes leaves the stack empty. */
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (passes(&kinds[i], m))
			entries = p->brs ? 16 : 32;
	put64(w, entries);
	if (m & PERF_SAMPLE_BRANCH_HW_INDEX) {
		put64(w, nr % 32);
		fprintf(w->log, " hwidx=%u", nr % 32);
	}
	fprintf(w->log, " br=");
	for (uint64_t i = 0; i < entries; i++) {
		const struct kind *kind;

		do
			kind = &kinds[k++ % (sizeof(kinds) / sizeof(kinds[0]))];
		while (!passes(kind, m));
		put_entry(w, p, m, kind, value(ev->id, nr, WHAT_BRANCH, (unsigned)i));
	}
	if (m & PERF_SAMPLE_BRANCH_COUNTERS)
		put_counters(w, ev, nr, entries);
}

static void put_read(struct writer *w, const struct event *ev)
{
	uint64_t f = ev->attr.read_format;

	if (f & PERF_FORMAT_GROUP)
		put64(w, 1);
	else
		put64(w, ev->count);
	if (f & PERF_FORMAT_TOTAL_TIME_ENABLED)
		put64(w, 1000);
	if (f & PERF_FORMAT_TOTAL_TIME_RUNNING)
		put64(w, 1000);
	if (f & PERF_FORMAT_GROUP)
		put64(w, ev->count);
	if (f & PERF_FORMAT_ID)
		put64(w, ev->id);
	if (f & PERF_FORMAT_LOST)
		put64(w, ev->lost);
}

size_t sample_compose(const struct table *p, struct event *ev, unsigned nr, unsigned char *buf,
		      FILE *log)
{
	const struct perf_event_attr *a = &ev->attr;
	uint64_t st = a->sample_type, ip = 0x401000 + 16 * (nr % 4096);
	struct writer w = { .p = buf + 8, .log = log };
	uint16_t mode;
	uint64_t period = a->sample_period ? a->sample_period : 1;

	if (a->flags & ATTR_FLAG_FREQ)
		period = 100000 + nr;
	if (is_call_stack(a))
		ip = in_kernel(nr) ? 0xffffffff81000100 + nr : function_at(call_depth(nr)) + 32;
	ev->count += period;
	fprintf(log, "id=%llu nr=%u ip=%llx", (unsigned long long)ev->id, nr,
		(unsigned long long)ip);
	if (st & PERF_SAMPLE_IDENTIFIER)
		put64(&w, ev->id);
	if (st & PERF_SAMPLE_IP)
		put64(&w, ip);
	if (st & PERF_SAMPLE_TID)
		put_pair(&w, (uint32_t)target(ev), (uint32_t)target(ev));
	if (st & PERF_SAMPLE_TIME)
		put64(&w, now());
	if (st & PERF_SAMPLE_ADDR)
		put64(&w, 0);
	if (st & PERF_SAMPLE_ID)
		put64(&w, ev->id);
	if (st & PERF_SAMPLE_STREAM_ID)
		put64(&w, ev->id);
	if (st & PERF_SAMPLE_CPU)
		put_pair(&w, ev->cpu < 0 ? 0 : (uint32_t)ev->cpu, 0);
	if (st & PERF_SAMPLE_PERIOD)
		put64(&w, period);
	if (st & PERF_SAMPLE_READ)
		put_read(&w, ev);
	if (st & PERF_SAMPLE_CALLCHAIN)
		put_call_chain(&w, ev, nr, ip);
	if (st & PERF_SAMPLE_RAW)
		put_pair(&w, 4, 0);
	if (st & PERF_SAMPLE_BRANCH_STACK)
		put_branches(&w, p, ev, nr);
	if (st & PERF_SAMPLE_REGS_USER)
		put_regs(&w, ev, nr, WHAT_USER);
	if (st & PERF_SAMPLE_STACK_USER)
		put64(&w, 0);
	if (st & PERF_SAMPLE_WEIGHT_TYPE)
		put64(&w, 0);
	if (st & PERF_SAMPLE_DATA_SRC)
		put64(&w, 0);
	if (st & PERF_SAMPLE_TRANSACTION)
		put64(&w, 0);
	if (st & PERF_SAMPLE_REGS_INTR)
		put_regs(&w, ev, nr, WHAT_INTR);
	if (st & PERF_SAMPLE_PHYS_ADDR)
		put64(&w, 0);
	if (st & PERF_SAMPLE_CGROUP)
		put64(&w, 1);
	if (st & PERF_SAMPLE_DATA_PAGE_SIZE)
		put64(&w, 4096);
	if (st & PERF_SAMPLE_CODE_PAGE_SIZE)
		put64(&w, 4096);
	if (st & PERF_SAMPLE_AUX)
		put64(&w, 0);
	fputc('\n', log);
	mode = is_call_stack(a) && in_kernel(nr) ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	put_header(buf, &w, PERF_RECORD_SAMPLE, mode | PERF_RECORD_MISC_EXACT_IP);
	return (size_t)(w.p - buf);
}
