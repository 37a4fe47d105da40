// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Many branches for one stop, and as many of each as the program has. A clock stops a program where it
 * spends its time; branches that follow are then those of slow code, too often. So what a burst
 * records is not a number of branches but a span of time: from the sample on all that pass until the
 * thread has run for so long. A branch is recorded when the sample came within a span before it,
 * which is equally likely for each, however long the branches around it take: so every one of them
 * stands for as many, and plain sums are right (Documentation/software-sampling.md).
 *
 * While the thread stands at its sample the way is computed, as far as most spans from there came. Then it runs
 * for the span, is stopped again, and its registers there are looked for behind the branches of the
 * way: that tells how many it passed, and that what was computed is true. Where it came further the way goes
 * on, in memory as it is now where nothing was read before. What passed is written as
 * consecutive stacks, each a sample of its own; the last one, with what is left, is the thread itself
 * where it stands then.
 *
 * A way ends before a system call, for nobody can compute what that leaves in memory. There the thread is stopped, and once
 * more behind the call, from where another way leads on for what is left of the span. Without that what is executed
 * close behind calls would count for less, since spans that begin before the call do not come there. A span that
 * was over before the thread came to the call has its part of the way, by instructions.
 */
#include <stdlib.h>
#include <sys/syscall.h>

#include "burst-int.h"
#include "vm-int.h"
#include "walk-int.h"

/*
 * How many instructions a way is computed for, and how it is followed; what a span holds beyond
 * that is left out.
 */
#define INSNS_LEAST 1000 /* more than spans came that hardly differ */
#define INSNS_FIRST 2	 /* that pass in a nanosecond, before any span was seen */
#define PLACE_BITS  12	 /* of an address within one place */
#define DEVIATIONS  2	 /* beyond the mean: few go on further */
#define TOO_LONG    2	 /* times as far, where ways cannot go on */
#define INSNS_MOST  (1 << 20)
#define INSNS_NS    20 /* that pass in a nanosecond, at most: further on nobody looks for the thread */

#define CALLS_MOST 8	 /* in a span */
#define STOP_LONG  60000 /* ns that such a stop may take */
#define GO_ON_PART 3	 /* a third of it is that the thread goes on, which each span has anyway */

bool burst_wanted(const struct tracer *t, const struct tracee *th, const struct user_state *st)
{
	return t->opts.branches.span && th->signal && !st->late && !st->is_32bit && t->peeked.size;
}

void burst_free(struct burst *b)
{
	if (!b)
		return;
	burst_stacks_free(&b->stacks);
	free(b);
}

/* One is kept for the next time: megabytes of fresh pages takes longer than a short walk. */
static struct burst *take_burst(struct tracer *t)
{
	struct burst *b = t->spare;

	t->spare = NULL;
	if (b)
		return b;
	b = malloc(sizeof(*b));
	if (b)
		burst_stacks_new(&b->stacks);
	return b;
}

static void give_back(struct tracer *t, struct burst *b)
{
	if (t->spare)
		burst_free(b);
	else
		t->spare = b;
}

/* ---- the way ------------------------------------------------------------------------------------------- */

static enum tracer_cut cut_of(enum vm_result r)
{
	switch (r) {
	case VM_SYSCALL: return TRACER_CUT_SYSCALL;
	case VM_NOMEM: return TRACER_CUT_MEMORY;
	case VM_UNKNOWN:
	case VM_FOREIGN: return TRACER_CUT_COMPUTED;
	case VM_OK: return TRACER_CUT_LIMIT;
	default: return TRACER_CUT_UNKNOWN;
	}
}

/*
 * Whether the way, which is on to the next mark, or to its end, is the same at any time. The twin is not asked for before a clock was
 * read, and follows branch by branch from there on: so the first one that the time decides is not written.
 */
static bool at_any_time(struct tracer *t, const struct tracee *th, struct burst *b,
			const struct user_state *st)
{
	if (!t->walker->vm->guessed)
		return true;
	return b->twin.on ? twin_follow(t, &b->twin, b->begin) : twin_begin(t, th, b, &st->gpr);
}

/* The vm stands behind a branch. */
static void add_mark(struct tracer *t, struct burst *b)
{
	struct vm *vm = t->walker->vm;
	uint32_t differs = b->twin.on ? twin_differs(t) : 0;

	if (b->twin.on)
		b->twin.differs[b->nr] = differs;
	b->mark[b->nr++] = (struct burst_mark){
		/* most ways read no clock, and then no register is asked whether it differs */
		differs ? burst_state(vm, differs) : burst_state(vm, 0),
		(uint32_t)(vm->executed - b->begin), vm->nr_stored
	};
	b->end_stored = vm->nr_stored;
}

/* On to @insns from the begin of the way, or to @end, if that is not NULL. */
static int follow(struct tracer *t, struct tracee *th, struct burst *b, const struct user_state *st,
		  uint32_t insns, struct burst_end *end)
{
	struct vm *vm = t->walker->vm;
	uint64_t until = b->begin + insns;
	int ret = 0;

	while (!ret && b->nr < BURST_MOST) {
		struct vm_insn *in = NULL;
		enum vm_result r;

		/* of others nothing but the address of their end is asked for */
		b->twin.before.rip = vm->rip;
		if (!b->stacks.bare)
			burst_note_place(&b->twin.before, vm);
		r = vm->executed < until ? vm_run(vm, until - vm->executed, &in) : VM_OK;
		if (!at_any_time(t, th, b, st)) {
			vm->rip = b->twin.before.rip;
			if (!b->stacks.bare)
				burst_back_to(vm, &b->twin.before);
			b->is_cut = true;
			b->cut = TRACER_CUT_CLOCK;
			break;
		}
		if (r == VM_OK)
			break;
		if (r != VM_BRANCH) {
			b->is_cut = true;
			b->cut = cut_of(r);
			break;
		}
		add_mark(t, b);
		if (end && burst_is_end(t, b, b->nr - 1, end))
			break;
		if (walker_wants(t, in->branch))
			ret = burst_stacks_put(
				t, th, &b->stacks, st, b->nr,
				(struct walk_entry){ in->addr, vm->rip, in->branch });
	}
	return ret;
}

/*
 * Running mean and deviation, as of round trips in a network. One span tells no deviation: it is @first then, or a quarter
 * of the span where that is more.
 */
static void note_reach(struct reach *r, uint32_t insns, uint32_t first)
{
	uint32_t off = insns > r->mean ? insns - r->mean : r->mean - insns;

	if (!r->mean) {
		r->mean = insns;
		r->deviation = (uint32_t)max_u64(insns / 4, first);
		return;
	}
	r->mean = insns > r->mean ? r->mean + off / 4 : r->mean - off / 4;
	r->deviation = off > r->deviation ? r->deviation + (off - r->deviation) / 4
					  : r->deviation - (r->deviation - off) / 4;
}

static void note_span(struct tracer *t, const struct burst *b, uint32_t insns)
{
	note_reach(b->place, insns, t->span.usual.deviation);
	note_reach(&t->span.usual, insns, 0);
}

/* That can pass in a span. */
static uint32_t most_insns(const struct tracer *t)
{
	return (uint32_t)min_u64(INSNS_MOST, t->opts.branches.span * INSNS_NS);
}

/* As far as spans from there came, and some further. */
static uint32_t reaches(const struct tracer *t, const struct reach *r)
{
	return (uint32_t)min_u64(most_insns(t), (uint64_t)r->mean +
							(uint64_t)r->deviation * DEVIATIONS +
							INSNS_LEAST);
}

/*
 * How far the way from @ip is computed beforehand. Before any span was seen by its length alone, at a place that is new by all
 * of them.
 */
static void expect(struct tracer *t, struct burst *b, uint64_t ip)
{
	uint64_t place = ip >> PLACE_BITS;
	struct reach *r = &t->span.from[hash_u64(place) % REACHES];

	if (r->place != place)
		*r = (struct reach){ .place = place };
	b->place = r;
	if (!t->span.usual.mean)
		b->insns = (uint32_t)min_u64(most_insns(t), t->opts.branches.span * INSNS_FIRST);
	else
		b->insns = reaches(t, r->mean ? r : &t->span.usual);
	/* one that cannot go on later is better too long */
	if (!b->stacks.bare)
		b->insns = (uint32_t)min_u64(most_insns(t), (uint64_t)b->insns * TOO_LONG);
	if (b->left < t->opts.branches.span)
		b->insns = INSNS_LEAST + (uint32_t)(b->insns * b->left / t->opts.branches.span);
}

/* Whether the way could go on behind what was computed beforehand. */
static bool goes_on(const struct tracer *t, const struct burst *b)
{
	return !b->is_cut && b->walk == t->walker->vm->walk && b->stacks.bare &&
	       b->insns < most_insns(t);
}

/* Whether the way ends before a call, where the thread can be stopped, or could come to one. The thread is at @r, or was. */
static void look_for_call(const struct tracer *t, struct burst *b, const struct user_regs_struct *r)
{
	b->call_at = BURST_CALL_NONE;
	if (b->calls < CALLS_MOST && b->is_cut && b->cut == TRACER_CUT_SYSCALL)
		b->call_at = BURST_CALL_END;
	else if (b->calls < CALLS_MOST && goes_on(t, b))
		b->call_at = BURST_CALL_BEYOND;
	b->to_insns = t->walker->vm->executed - b->begin;
	b->call = *r;
	b->call_known = t->walker->vm->known & ~(b->twin.on ? twin_differs(t) : 0);
	(void)vm_registers(t->walker->vm, &b->call);
}

/* The way from @st on, for what is left of the span. We stay on the CPU where the thread stands. */
static int compute(struct tracer *t, struct tracee *th, struct burst *b,
		   const struct user_state *st)
{
	uint64_t start = tracer_cpu_ns(), before;
	struct vm *vm = t->walker->vm;
	uint32_t nr = b->nr;
	int ret;

	b->on_its_cpu = affinity_follow(&b->cpu, th->pid, th->tid);
	expect(t, b, arch_ip(&st->gpr));
	b->is_cut = b->lost = b->vague = b->signalled = false;
	b->around = 0;
	before = vm->executed;
	vm->exact = false;
	vm->uncounted = true;
	b->twin.on = false;
	vm->clock = (struct vm_clock){ .known = false };
	if (walker_timeless(t))
		twin_clock(&b->twin, vm);
	vm_begin(vm, th->tid, &st->gpr);
	b->begin = before;
	b->begin_stored = vm->nr_stored;
	ret = follow(t, th, b, st, b->insns, NULL);
	b->walk = vm->walk;
	if (b->twin.on)
		twin_end(t, &b->twin);
	if (!ret)
		ret = burst_stacks_end(t, th, &b->stacks, st, b->nr);
	look_for_call(t, b, &st->gpr);
	t->stats.on_its_cpu += b->on_its_cpu && !b->calls;
	t->stats.passed += b->nr - nr;
	t->stats.interpreted += vm->executed - before;
	t->stats.walk_ns += tracer_cpu_ns() - start;
	return ret;
}

int burst_begin(struct tracer *t, struct tracee *th, const struct user_state *st)
{
	struct burst *b = take_burst(t);
	int ret;

	if (!b || vm_keep_stored(t->walker->vm)) {
		burst_free(b);
		return -ENOMEM;
	}
	b->nr = b->first = b->calls = b->call_stops = 0;
	b->left = t->opts.branches.span;
	burst_stacks_begin(t, &b->stacks);
	ret = compute(t, th, b, st);
	if (ret) {
		affinity_restore(&b->cpu);
		burst_free(b);
		return ret;
	}
	t->stats.spans++;
	t->stats.walks++;
	th->burst = b;
	return 0;
}

/*
 * Last of all: what is done here behind reading displaces what was read, and a CPU that was left has nothing to
 * do up to when the thread goes on.
 */
static void leave_cpu(struct tracer *t, struct burst *b)
{
	uint64_t start = tracer_cpu_ns();

	if (b->on_its_cpu)
		vm_warm(t->walker->vm);
	if (b->twin.on)
		twin_stood(t, &b->twin);
	b->on_its_cpu = false;
	affinity_restore(&b->cpu);
	t->stats.walk_ns += tracer_cpu_ns() - start;
}

int burst_run(struct tracer *t, struct tracee *th)
{
	struct burst *b = th->burst;
	int ret;

	/* It stops before the call of itself, and no clock is to come while it does. */
	b->more = b->call_at == BURST_CALL_END ? STOP_LONG : 0;
	ret = span_begin(th, b->left + b->more);
	b->clock = span_ns(th);
	leave_cpu(t, b);
	return ret;
}

/* ---- further than was computed ----------------------------------------------------------------------------- */

/*
 * Up to @most instructions, in memory as it was read before the thread ran. What was not read then, vector registers too, is read now and may
 * be another by now, so where this leads is a guess: it counts only if that is where the thread stands.
 */
static int go_on(struct tracer *t, struct tracee *th, struct burst *b, const struct user_state *st,
		 uint32_t most, struct burst_end *end)
{
	struct vm *vm = t->walker->vm;
	uint64_t before = vm->executed;
	uint32_t nr = b->nr;
	int ret;

	vm->late = true;
	/* where it has read no clock it is too late to go there twice */
	vm->clock.known = b->twin.on;
	ret = follow(t, th, b, st, most, end);
	t->stats.passed += b->nr - nr;
	t->stats.interpreted += vm->executed - before;
	return ret;
}

/* It led to nowhere: what was computed beforehand, up to @nr branches, is all that is known. */
static void give_up(struct burst *b, uint32_t nr)
{
	b->cut = TRACER_CUT_LIMIT;
	b->is_cut = true;
	b->nr = nr;
	b->end_stored = nr > b->first ? b->mark[nr - 1].stored : b->begin_stored;
	burst_stacks_back(&b->stacks, nr);
}

/*
 * The thread has run for @ns and enters a call, at @r: the way goes on to there. It was never asked whether it stands in between, so all
 * registers have to be known, and there is to be time enough.
 */
static void reach_call(struct tracer *t, struct tracee *th, struct burst *b,
		       const struct user_regs_struct *r, uint64_t ns)
{
	uint64_t start = tracer_cpu_ns(), most = min_u64(most_insns(t), ns * INSNS_NS);
	uint32_t nr = b->nr;
	bool leads;

	b->call_at = BURST_CALL_NONE;
	if (!goes_on(t, b) || most <= b->insns)
		return;
	leads = !go_on(t, th, b, &t->state, (uint32_t)most, NULL);
	look_for_call(t, b, r);
	leads = leads && b->call_at == BURST_CALL_END && b->call_known == VM_HOST_ALL &&
		arch_call_entered(&b->call, b->call_known, false, r) &&
		!burst_stacks_end(t, th, &b->stacks, &t->state, b->nr);
	if (!leads) {
		b->call_at = BURST_CALL_NONE;
		give_up(b, nr);
	} else if (!b->calls) { /* it comes so far at least */
		note_span(t, b, (uint32_t)b->to_insns);
	}
	t->stats.walk_ns += tracer_cpu_ns() - start;
}

/* ---- system calls in the span ------------------------------------------------------------------------------ */

bool burst_awaits_call(const struct burst *b)
{
	return b->call_at != BURST_CALL_NONE;
}

/* Of branches up to @passed, behind which @insns of the way were executed, those in @part of @whole. */
static uint32_t part_of_way(const struct burst *b, uint32_t passed, uint64_t insns, uint64_t part,
			    uint64_t whole)
{
	uint64_t until = part < whole ? insns * part / whole : insns;

	while (passed > b->first && b->mark[passed - 1].insns > until)
		passed--;
	return passed;
}

/*
 * The thread enters one. Another than was computed: the end of the span will be looked for as if there had been none, but not further on. 1: the
 * span was over before.
 */
static int enter_call(struct tracer *t, struct tracee *th, const struct user_regs_struct *r,
		      uint64_t nr)
{
	struct burst *b = th->burst;
	uint64_t spent = span_ns(th) - b->clock, ran, most;
	bool beyond = b->call_at == BURST_CALL_BEYOND, expected;

	if (beyond)
		reach_call(t, th, b, r, spent);
	/* behind an exec it is another program, of which nothing was told yet */
	expected = b->call_at == BURST_CALL_END && nr != SYS_execve && nr != SYS_execveat &&
		   arch_call_entered(&b->call, b->call_known, false, r);
	b->call_at = expected ? BURST_CALL_IN : BURST_CALL_NONE;
	if (!expected)
		return 0;
	/* Time in the kernel is no part of the span: samples there have no branches either. */
	ran = span_ran(&t->span.call_ns, b->to_insns, spent);
	most = b->left - min_u64(t->span.call_ns / GO_ON_PART, b->left / 2);
	span_end(th);
	th->span_armed = spent < b->left + b->more;
	/* or the clock has come while it stops */
	if (ran >= most || (beyond && spent >= b->left)) {
		b->call_at = BURST_CALL_NONE;
		b->nr = part_of_way(b, b->nr, b->to_insns, most, ran);
		return 1;
	}
	b->left -= ran;
	b->first = b->nr;
	return 0;
}

static int leave_call(struct tracer *t, struct tracee *th, const struct user_regs_struct *r)
{
	struct burst *b = th->burst;
	int ret = 0;

	b->call_at = BURST_CALL_NONE;
	/* the way still ends here where the call is to be made again */
	if (!arch_restarts(arch_result(r))) {
		ret = state_read(t, th->tid, &t->state);
		if (!ret && !t->state.is_32bit &&
		    arch_call_left(&b->call, b->call_known, &t->state.gpr)) {
			b->calls++;
			ret = compute(t, th, b, &t->state);
			t->stats.followed++;
		}
	}
	return ret ?: burst_run(t, th);
}

/* The next call is the handler's, or what returns from it. */
void burst_signal(struct burst *b)
{
	b->signalled = true;
	b->call_at = BURST_CALL_NONE;
}

unsigned burst_stops(const struct burst *b)
{
	return 2 + b->call_stops;
}

int burst_call(struct tracer *t, struct tracee *th)
{
	struct __ptrace_syscall_info info;
	struct user_regs_struct r;

	th->burst->call_stops++;
	if (arch_read(th->tid, &r) &&
	    ptrace(PTRACE_GET_SYSCALL_INFO, th->tid, (void *)sizeof(info), &info) > 0) {
		if (info.op == PTRACE_SYSCALL_INFO_EXIT && th->burst->call_at == BURST_CALL_IN)
			return leave_call(t, th, &r);
		if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
			return enter_call(t, th, &r, info.entry.nr);
	}
	th->burst->call_at = BURST_CALL_NONE;
	return 0;
}

/* ---- the end of the span ----------------------------------------------------------------------------------- */

/*
 * The thread came further than was computed: it may be ten times as far, where a loop is faster than all that was seen before. The way
 * leads to it only if it comes to all its general registers. Memory says less there: what the way counts up that was read too late was
 * counted up before. So registers that come once are enough.
 */
static void extend(struct tracer *t, struct tracee *th, struct burst *b,
		   const struct user_state *st, struct burst_end *end)
{
	uint32_t nr = b->nr;
	int ret;

	if (!goes_on(t, b))
		return;
	end->nr_alike = end->nr_close = 0;
	ret = go_on(t, th, b, st, most_insns(t), end);
	if (end->guess && !end->gave_up && end->found < 0)
		end->found = burst_only(end);
	if (!ret && end->found >= 0)
		return;
	end->found = -1;
	give_up(b, nr); /* what went astray may come to a system call, too */
}

/* Instructions that pass in @ns as a rule; 0: no span was seen yet. */
static uint64_t mean_insns(const struct tracer *t, const struct burst *b, uint64_t ns)
{
	uint64_t mean = b->place->mean ? b->place->mean : t->span.usual.mean;

	return mean * ns / t->opts.branches.span;
}

/* How many branches of the way the thread, which stands at @st, has passed; -1 = it is not on it. */
static int64_t find_end(struct tracer *t, struct tracee *th, struct burst *b,
			const struct user_state *st)
{
	struct burst_end end;
	int64_t only;
	uint64_t ns;

	b->lost = !burst_look(t, th, &st->gpr, &end);
	if (b->lost) {
		b->vague = b->signalled;
		return -1;
	}
	for (uint32_t i = b->first; i < b->nr && !burst_is_end(t, b, i, &end); i++)
		;
	/* the only place of such registers, or of such memory around it: another thread has stored there */
	only = burst_only(&end);
	if (only < 0 && end.nr_close == 1 && tracee_shares(t, th))
		only = end.close;
	if (end.found < 0 && !end.gave_up && !b->signalled) {
		end.guess = only < 0;
		extend(t, th, b, st, &end);
	}
	if (end.found < 0) {
		/* in a handler, or where that has led to: what would have passed without counts */
		b->vague = end.gave_up || (b->signalled && only < 0);
		return end.gave_up ? -1 : only;
	}
	ns = b->left + b->more;
	b->around = burst_goes_round(t, b, ns, mean_insns(t, b, ns) ?: ns * INSNS_FIRST, &end);
	b->vague = b->around;
	return end.found;
}

/* How far the thread came in the span, for those that begin at the same place and at new ones. */
static void learn(struct tracer *t, const struct burst *b, int64_t passed)
{
	uint32_t insns;

	if (b->calls) /* only a part of it is known */
		return;
	if (b->vague) { /* others than here are not like that */
		if (b->around)
			note_reach(b->place, (uint32_t)min_u64(most_insns(t), b->around),
				   t->span.usual.deviation);
		return;
	}
	if (passed < 0 && (b->lost || (b->is_cut && b->cut != TRACER_CUT_LIMIT)))
		return;
	if (passed < 0) /* further, nobody knows by how much */
		insns = (uint32_t)min_u64(most_insns(t), 2ULL * b->insns);
	else
		insns = b->mark[passed].insns;
	note_span(t, b, (uint32_t)max_u64(insns, 1));
}

/*
 * Where the thread was when the span ended is not known: all that it was to come to where that ends of itself, else what
 * passes in a span as a rule.
 */
static uint32_t presumed(const struct tracer *t, const struct burst *b)
{
	/* marks count from the last call on, where so much of the span was left */
	uint64_t mean = mean_insns(t, b, b->left);
	bool ends = b->is_cut && b->cut != TRACER_CUT_LIMIT;
	uint32_t nr = b->nr;

	while (!ends && mean && nr > b->first && b->mark[nr - 1].insns > mean)
		nr--;
	return nr;
}

void burst_stand(struct tracer *t, struct tracee *th, struct user_state *st)
{
	uint64_t start = tracer_cpu_ns();
	struct burst *b = th->burst;
	int64_t passed = -1;

	b->call_at = BURST_CALL_NONE;
	span_end(th);
	if (st && !st->is_32bit)
		passed = find_end(t, th, b, st);
	if (st)
		learn(t, b, passed);
	t->stats.walk_ns += tracer_cpu_ns() - start;
	t->stats.verified += passed >= 0;
	t->stats.not_arrived += passed < 0;
	if (passed < 0 && b->is_cut)
		t->stats.cut[b->cut]++;
	if (passed > b->first && b->more)
		burst_stacks_part(t, th, &b->stacks,
				  part_of_way(b, (uint32_t)passed, b->mark[passed - 1].insns,
					      b->left, b->left + b->more),
				  st);
	else if (passed >= 0)
		burst_stacks_passed(t, th, &b->stacks, (uint32_t)passed, st);
	else
		burst_stacks_passed(t, th, &b->stacks, st && !b->vague ? b->nr : presumed(t, b),
				    NULL);
}

void burst_over(struct tracer *t, struct tracee *th)
{
	int ret = state_read(t, th->tid, &t->state);

	t->stats.verified++;
	burst_stacks_part(t, th, &th->burst->stacks, th->burst->nr, ret ? NULL : &t->state);
}

int burst_write(struct tracer *t, struct tracee *th, struct err *e)
{
	struct burst *b = th->burst;
	int ret = burst_stacks_write(t, th, &b->stacks, e);

	affinity_restore(&b->cpu); /* where it ended before it ran */
	th->burst = NULL;
	give_back(t, b);
	return ret;
}

int burst_end(struct tracer *t, struct tracee *th, struct err *e)
{
	burst_stand(t, th, NULL);
	return burst_write(t, th, e);
}
