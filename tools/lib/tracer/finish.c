// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a walk ends. Some walks are followed by the thread to there, which shows whether what was
 * computed is true: every 16th of a program with one thread, and with several, whose stores the
 * computing does not see, all but those that end in a hot loop, where that is dear. The others end
 * in what was computed; the registers of the sample are then, too.
 */
#include "walk-int.h"

#define CHECK_EVERY  16
#define CHEAP_PASSES 2

/*
 * A walk that owes a comparison and ends where none can be had leaves it to the next. When two are
 * owed, the next walk keeps its first branches: the thread can follow as far as that.
 */
bool finish_must(const struct tracer *t)
{
	return t->walker->strategy->advance == advance_interpret &&
	       t->walker->strategy->max_stops && t->walker->owed >= 2 * CHECK_EVERY;
}

static bool wants_thread(const struct progress *p, const struct vm *vm)
{
	if (!p->strategy->max_stops)
		return false;
	if (p->t->opts.regs || p->t->walker->owed >= CHECK_EVERY)
		return true;
	return tracee_shares(p->t, p->th) && walker_passes(p, vm, vm->rip) <= CHEAP_PASSES;
}

static bool stands_there(const struct progress *p)
{
	return p->at_stop || p->came.kind || p->lost;
}

int finish(struct progress *p, struct vm *vm)
{
	struct walker *w = p->t->walker;
	enum vm_result why;
	enum tracer_cut cut;
	bool arrived = false;
	int ret = 0;

	w->owed++;
	if (!stands_there(p) && wants_thread(p, vm) && vm_fetch(vm, &why)) {
		ret = walker_sync(p, vm, &cut);
		arrived = !ret;
		if (ret == 1)
			ret = 0;
	}
	if (arrived)
		w->owed = w->owed > CHECK_EVERY ? w->owed - CHECK_EVERY : 0;
	p->t->stats.verified += arrived || p->differed;
	p->t->stats.verify_failed += p->differed;
	p->walk->end = p->last;
	p->walk->moved = stands_there(p);
	p->walk->memory = p->walk->moved ? NULL : vm;
	if (!p->walk->moved && !vm_registers(vm, &p->walk->end))
		p->walk->inexact = true;
	return ret;
}

static bool wants_vectors(const struct tracer *t)
{
	for (size_t i = 0; i < t->opts.nr_events; i++) {
		const struct perf_event_attr *a = &t->opts.event[i].attr;

		if (a->sample_simd_vec_reg_user | a->sample_simd_pred_reg_user)
			return true;
	}
	return false;
}

/* The thread's state at its last stop, and what was computed since. */
void finish_state(struct progress *p, struct vm *vm)
{
	struct walked *walk = p->walk;

	/* it stands elsewhere; of the last stop only the general registers were read */
	if (p->came.kind)
		walk->inexact |=
			wants_vectors(p->t) && memcmp(&p->last, &p->st->gpr, sizeof(p->last)) != 0;
	else if (p->stops && state_read(p->t, p->th->tid, p->st))
		walk->inexact = true;
	if (!walk->moved && wants_vectors(p->t) &&
	    (vm->vec_known != UINT32_MAX || vm->mask_known != UINT8_MAX))
		walk->inexact = true;
	if (!walk->moved && vm->vectors_read && !walk->inexact)
		state_take_vectors(p->t, p->st, vm);
	p->t->stats.inexact += walk->inexact;
}
