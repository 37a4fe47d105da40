// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script --json: a sample is an object on a line of its own, so that a reader needs no more than
 * one at a time. Addresses and bit patterns are strings ("0x..."), as JSON numbers have 53 bits.
 */
#include "branch/branch.h"
#include "emit/emit.h"
#include "script-int.h"

#define F(x) BIT(SF_##x)

#define BRANCHES (F(BRSTACK) | F(BRSTACKSYM) | F(BRCNTR))

#define JSON_FIELDS                                                                              \
	(F(COMM) | F(PID) | F(TID) | F(CPU) | F(TIME) | F(PERIOD) | F(EVENT) | F(ADDR) | F(IP) | \
	 F(SYM) | F(SYMOFF) | F(DSO) | F(IREGS) | F(UREGS) | F(SIMD) | BRANCHES)

int json_check(struct script *sc, struct err *e)
{
	for (int c = 0; c < SC_MAX; c++) {
		uint64_t no = sc->fields.cls[c].user_set & ~JSON_FIELDS;

		sc->fields.cls[c].fields &= JSON_FIELDS;
		if (!no)
			continue;
		err_set(e, -EINVAL, "--json has no form for field '%s'",
			script_field_name((enum script_field)__builtin_ctzll(no)));
		err_hint(e, "It knows comm, pid, tid, cpu, time, period, event, addr, ip, sym, "
			    "symoff, dso, iregs, uregs, simd, brstack, brstacksym and brcntr.");
		return -EINVAL;
	}
	return 0;
}

uint64_t json_need(uint64_t fields)
{
	static const struct {
		uint64_t fields, type;
	} needs[] = {
		{ F(COMM) | F(PID) | F(TID), PERF_SAMPLE_TID },
		{ F(CPU), PERF_SAMPLE_CPU },
		{ F(TIME), PERF_SAMPLE_TIME },
		{ F(PERIOD), PERF_SAMPLE_PERIOD },
		{ F(ADDR), PERF_SAMPLE_ADDR },
		{ F(IP) | F(SYM) | F(DSO), PERF_SAMPLE_IP | PERF_SAMPLE_TID },
		{ F(IREGS), PERF_SAMPLE_REGS_INTR },
		{ F(UREGS), PERF_SAMPLE_REGS_USER },
		{ F(SIMD), PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER },
		{ BRANCHES, PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_IP | PERF_SAMPLE_TID },
	};
	uint64_t need = 0;

	for (size_t i = 0; i < ARRAY_SIZE(needs); i++)
		if (fields & needs[i].fields)
			need |= needs[i].type;
	return need;
}

static void put_place_fields(const struct ctx *c, const struct place *pl, struct emit *e)
{
	if (c->ev->fields & F(SYM))
		emit_str(e, "sym", pl->sym ? pl->sym->name : NULL);
	if (c->ev->fields & F(SYMOFF) && pl->sym)
		emit_u64(e, "symoff", pl->addr - pl->sym->start);
	if (c->ev->fields & F(DSO))
		emit_str(e, "dso", pl->dso ? pl->dso->name : NULL);
}

/* Innermost first, as in the text. */
static void put_chain(struct script *sc, const struct ctx *c, struct emit *e)
{
	const struct frame *frames;
	ssize_t n = unwind_chain(sc->env.unwind, c->th, c->s, &frames);
	bool last = false;

	emit_array(e, "callchain");
	for (ssize_t i = 0; i < n && !last; i++) {
		const struct place *pl = find_place(sc, c->th, frames[i].cpumode, frames[i].ip);

		emit_object(e, NULL);
		emit_hex(e, "ip", frames[i].ip);
		put_place_fields(c, pl, e);
		emit_end(e);
		last = filter_stops(&sc->filter, pl->sym);
	}
	emit_end(e);
}

/* "from" and "to", with brstacksym also "from_sym", "from_symoff" ... */
static void put_branch_end(struct script *sc, const struct ctx *c, bool to, uint64_t addr,
			   struct emit *e)
{
	const struct place *pl;

	emit_hex(e, to ? "to" : "from", addr);
	if (!(c->ev->fields & F(BRSTACKSYM)))
		return;
	pl = find_place(sc, c->th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, addr);
	emit_str(e, to ? "to_sym" : "from_sym", pl->sym ? pl->sym->name : NULL);
	if (pl->sym)
		emit_u64(e, to ? "to_symoff" : "from_symoff", pl->addr - pl->sym->start);
	if (c->ev->fields & F(DSO))
		emit_str(e, to ? "to_dso" : "from_dso", pl->dso ? pl->dso->name : NULL);
}

/* What the CPU does not tell is null. */
static void put_branch_flags(const struct branch_entry *b, struct emit *e)
{
	const char *type = branch_type_name(b->type, b->new_type);

	if (b->predicted || b->mispred)
		emit_bool(e, "predicted", b->predicted);
	else
		emit_str(e, "predicted", NULL);
	emit_bool(e, "in_tx", b->in_tx);
	emit_bool(e, "abort", b->abort);
	emit_bool(e, "not_taken", b->not_taken);
	emit_u64(e, "cycles", b->cycles);
	emit_str(e, "type", *type ? type : NULL);
	emit_str(e, "spec", b->spec ? branch_spec_name(b->spec) : NULL);
}

/* Newest first, as in the text. */
static void put_branches(struct script *sc, const struct ctx *c, struct emit *e)
{
	const struct sample_branches *b = &c->s->branches;

	if (!(c->s->present & PERF_SAMPLE_BRANCH_STACK))
		return;
	emit_array(e, "branches");
	for (uint64_t i = 0; i < b->nr; i++) {
		struct branch_entry be;

		sample_branch(b, i, &be);
		emit_object(e, NULL);
		put_branch_end(sc, c, false, be.from, e);
		put_branch_end(sc, c, true, be.to, e);
		put_branch_flags(&be, e);
		if (c->ev->fields & F(BRCNTR) && i < b->counters.nr)
			emit_hex(e, "counters", u64s_get(&b->counters, i));
		emit_end(e);
	}
	emit_end(e);
}

static void put_simd(struct script *sc, const struct ctx *c, struct emit *e)
{
	emit_object(e, "simd");
	sample_emit_simd(&c->s->intr_regs, sc->arch, "intr", &sc->simd, e);
	sample_emit_simd(&c->s->user_regs, sc->arch, "user", &sc->simd, e);
	emit_end(e);
}

static void put_who(struct script *sc, const struct ctx *c, struct emit *e)
{
	uint64_t f = c->ev->fields;

	if (f & F(COMM) && c->th)
		emit_str(e, "comm", machine_comm(sc->env.machine, c->th->comm));
	if (f & F(PID))
		emit_s64(e, "pid", (int32_t)c->s->pid);
	if (f & F(TID))
		emit_s64(e, "tid", (int32_t)c->s->tid);
	if (f & F(CPU))
		emit_u64(e, "cpu", c->s->cpu);
	if (f & F(TIME))
		emit_u64(e, "time_ns", c->s->time);
	if (f & F(PERIOD))
		emit_u64(e, "period", c->s->period);
	if (f & F(EVENT))
		emit_str(e, "event", c->s->event->name);
}

void print_json(struct script *sc, const struct ctx *c)
{
	uint64_t f = c->ev->fields;
	struct emit e;

	emit_init(&e, sc->o, EMIT_JSON);
	emit_object(&e, NULL);
	put_who(sc, c, &e);
	if (f & F(ADDR))
		emit_hex(&e, "addr", c->s->addr);
	if (f & F(IP))
		emit_hex(&e, "ip", c->s->ip);
	if (f & (F(SYM) | F(SYMOFF) | F(DSO)))
		put_place_fields(c, find_place(sc, c->th, c->s->cpumode, c->s->ip), &e);
	if (c->ev->chain)
		put_chain(sc, c, &e);
	if (f & F(IREGS))
		sample_emit_regs(&c->s->intr_regs, sc->arch, "iregs", sc->opts.redact, &e);
	if (f & F(UREGS))
		sample_emit_regs(&c->s->user_regs, sc->arch, "uregs", sc->opts.redact, &e);
	if (f & F(SIMD))
		put_simd(sc, c, &e);
	if (f & BRANCHES)
		put_branches(sc, c, &e);
	emit_end(&e);
}
