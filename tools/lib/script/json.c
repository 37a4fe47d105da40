// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script --json: a sample is an object on a line of its own, so that a reader needs no more than
 * one at a time. Addresses and bit patterns are strings ("0x..."), as JSON numbers have 53 bits.
 */
#include <stdio.h>

#include "branch/branch.h"
#include "emit/emit.h"
#include "script-int.h"

#define F(x) BIT(SF_##x)

static bool has_form(int field)
{
	return script_field_rows[field].json;
}

/* "comm, pid, ... and brcntr" */
static void put_known(char *buf, size_t size)
{
	int last = SF_MAX - 1;
	size_t len = 0;

	while (!has_form(last))
		last--;
	for (int i = 0; i <= last && len < size; i++)
		if (has_form(i))
			len += (size_t)snprintf(buf + len, size - len, "%s%s",
						!len	    ? ""
						: i == last ? " and "
							    : ", ",
						script_field_rows[i].name);
}

int script_json_check(struct script *sc, struct err *e)
{
	char known[400];

	for (int c = 0; c < SC_MAX; c++)
		for (int i = 0; i < SF_MAX; i++) {
			if (has_form(i))
				continue;
			sc->fields.cls[c].fields &= ~BIT(i);
			if (!(sc->fields.cls[c].user_set & BIT(i)))
				continue;
			put_known(known, sizeof(known));
			err_set(e, -EINVAL, "--json has no form for field '%s'",
				script_field_rows[i].name);
			err_hint(e, "It knows %s.", known);
			return -EINVAL;
		}
	return 0;
}

static void put_place_fields(const struct ctx *c, const struct script_place *pl, struct emit *e)
{
	if (c->ev->fields & F(SYM))
		emit_str(e, "sym", pl->sym ? pl->sym->name : NULL);
	if (c->ev->fields & F(SYMOFF) && pl->sym)
		emit_u64(e, "symoff", pl->addr - pl->sym->start);
	if (c->ev->fields & F(DSO))
		emit_str(e, "dso", pl->dso ? pl->dso->name : NULL);
}

/* Innermost first, as in the text. */
static void json_chain(struct script *sc, const struct ctx *c, struct emit *e)
{
	const struct frame *frames;
	ssize_t n = unwind_chain(sc->env.unwind, c->th, c->s, &frames);
	bool last = false;

	emit_array(e, "callchain");
	for (ssize_t i = 0; i < n && !last; i++) {
		const struct script_place *pl =
			put_find_place(sc, c->th, frames[i].cpumode, frames[i].ip);

		emit_object(e, NULL);
		emit_hex(e, "ip", frames[i].ip);
		put_place_fields(c, pl, e);
		emit_end(e);
		last = script_stops_at(sc, pl->sym);
	}
	emit_end(e);
}

/* "from" and "to", with brstacksym also "from_sym", "from_symoff" ... */
static void put_branch_end(struct script *sc, const struct ctx *c, bool to, uint64_t addr,
			   struct emit *e)
{
	const struct script_place *pl;

	emit_hex(e, to ? "to" : "from", addr);
	if (!(c->ev->fields & F(BRSTACKSYM)))
		return;
	pl = put_find_place(sc, c->th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, addr);
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
	if (b->cycles)
		emit_u64(e, "cycles", b->cycles);
	else
		emit_str(e, "cycles", NULL);
	emit_str(e, "type", *type ? type : NULL);
	emit_str(e, "spec", b->spec ? branch_spec_name(b->spec) : NULL);
}

static struct script_spot spot_of(const struct script_place *pl)
{
	return (struct script_spot){ pl->dso, pl->sym, pl->addr };
}

static struct script_spot branch_spot(struct script *sc, const struct ctx *c, uint64_t addr)
{
	return spot_of(put_find_place(sc, c->th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, addr));
}

/* Answers count what ran: neither branches that were not taken nor those on a wrong path. */
static bool is_counted(const struct branch_entry *b)
{
	return !b->not_taken && b->spec != BR_SPEC_WRONG_PATH;
}

/* A stack on its way to the oldest branch. */
struct beside_walk {
	struct script_branch b;
	uint64_t
		before; /* the branch before the one at hand; where the stack ends = there is none */
	bool all;	/* no branches are missing between two of them */
};

/*
 * From entry @i to the one before it that counts. Cycles of what does not count, which lies between, are those of @i's
 * block, too, as far back as they are known.
 */
static void find_before(const struct sample_branches *s, uint64_t i, const struct branch_entry *be,
			struct beside_walk *w)
{
	bool known = be->cycles;
	struct branch_entry e;
	uint64_t sum = be->cycles;

	for (w->before = i + 1; w->before < s->nr; w->before++) {
		sample_branch(s, w->before, &e);
		if (is_counted(&e))
			break;
		known = known && e.cycles;
		sum += known ? e.cycles : 0;
	}
	w->b.cycles = (uint32_t)min_u64(sum, UINT16_MAX);
}

/* Each entry once: what does not count goes by with the one that counts behind it. */
static void put_beside(struct script *sc, const struct ctx *c, uint64_t i,
		       const struct branch_entry *be, struct beside_walk *w, struct emit *e)
{
	const struct sample_branches *s = &c->s->branches;
	struct script_branch other = { .cycles = be->cycles };

	if (!is_counted(be)) {
		other.from = branch_spot(sc, c, be->from);
		other.to = branch_spot(sc, c, be->to);
		sc->opts.beside->branch(sc->beside, &other, e);
		return;
	}
	if (w->b.has_before) {
		w->b.from = w->b.before_from;
		w->b.to = w->b.before_to;
	} else {
		w->b.from = branch_spot(sc, c, be->from);
		w->b.to = branch_spot(sc, c, be->to);
	}
	find_before(s, i, be, w);
	w->b.has_before = w->all && w->before < s->nr;
	if (w->b.has_before) {
		struct branch_entry before;

		sample_branch(s, w->before, &before);
		w->b.before_from = branch_spot(sc, c, before.from);
		w->b.before_to = branch_spot(sc, c, before.to);
	}
	sc->opts.beside->branch(sc->beside, &w->b, e);
}

/* Whether stacks of an event have all branches, as answers see it. */
static bool has_all(const struct ctx *c)
{
	return sample_branch_filter(c->s) & PERF_SAMPLE_BRANCH_ANY;
}

/* Newest first, as in the text. */
void script_json_branches(struct script *sc, const struct ctx *c, struct emit *e)
{
	const struct sample_branches *b = &c->s->branches;
	const bool beside = sc->opts.beside && sc->opts.beside->branch && c->th;
	struct beside_walk walk = { .all = has_all(c) };

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
		if (beside)
			put_beside(sc, c, i, &be, &walk, e);
		emit_end(e);
	}
	emit_end(e);
}

void script_json_comm(struct script *sc, const struct ctx *c, struct emit *e)
{
	if (c->th)
		emit_str(e, "comm", machine_comm(sc->env.machine, c->th->comm));
}

void script_json_event(struct script *sc, const struct ctx *c, struct emit *e)
{
	(void)sc;
	emit_str(e, "event", c->s->event->name);
}

/* Numbers of the sample as they are. */
#define NUMBER(name, put, key, value)                                                   \
	void script_json_##name(struct script *sc, const struct ctx *c, struct emit *e) \
	{                                                                               \
		(void)sc;                                                               \
		put(e, key, value);                                                     \
	}

NUMBER(pid, emit_s64, "pid", (int32_t)c->s->pid)
NUMBER(tid, emit_s64, "tid", (int32_t)c->s->tid)
NUMBER(cpu, emit_u64, "cpu", c->s->cpu)
NUMBER(time, emit_u64, "time_ns", c->s->time)
NUMBER(period, emit_u64, "period", c->s->period)
NUMBER(addr, emit_hex, "addr", c->s->addr)
NUMBER(ip, emit_hex, "ip", c->s->ip)
NUMBER(data_src, emit_hex, "data_src", c->s->data_src)
NUMBER(weight, emit_u64, "weight", script_weight(c->s))
NUMBER(ins_lat, emit_u64, "ins_lat", c->s->weight_var2)
NUMBER(retire_lat, emit_u64, "retire_lat", c->s->weight_var3)

void script_json_cgroup(struct script *sc, const struct ctx *c, struct emit *e)
{
	emit_str(e, "cgroup", machine_cgroup(sc->env.machine, c->s->cgroup));
}

void script_json_place(struct script *sc, const struct ctx *c, struct emit *e)
{
	put_place_fields(c, put_find_place(sc, c->th, c->s->cpumode, c->s->ip), e);
}

void script_json_iregs(struct script *sc, const struct ctx *c, struct emit *e)
{
	sample_emit_regs(&c->s->intr_regs, sc->arch, "iregs", sc->opts.redact, e);
}

void script_json_uregs(struct script *sc, const struct ctx *c, struct emit *e)
{
	sample_emit_regs(&c->s->user_regs, sc->arch, "uregs", sc->opts.redact, e);
}

static void add(struct ev *ev, json_fn fn)
{
	for (int i = 0; i < ev->nr_json; i++)
		if (ev->json[i] == fn)
			return;
	ev->json[ev->nr_json++] = fn;
}

/* The callchain has no field of its own: it follows the sampled address and what belongs to it. */
void script_json_prepare(struct ev *ev)
{
	for (int i = 0; i < SF_MAX; i++) {
		const struct field_row *row = &script_field_rows[i];

		if (ev->fields >> i & 1 && row->json) {
			add(ev, row->json);
			ev->need |= row->need;
		}
		if (i == SF_DSO && ev->chain)
			add(ev, json_chain);
	}
}

void print_json(struct script *sc, const struct ctx *c)
{
	struct emit e;

	emit_init(&e, sc->o, EMIT_JSON);
	emit_object(&e, NULL);
	for (int i = 0; i < c->ev->nr_json; i++)
		c->ev->json[i](sc, c, &e);
	if (sc->opts.beside && sc->opts.beside->sample && c->th) {
		const struct script_spot at =
			spot_of(put_find_place(sc, c->th, c->s->cpumode, c->s->ip));

		sc->opts.beside->sample(sc->beside, &at, &e);
	}
	emit_end(&e);
}
