// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The object, one record's way through it, and the columns at the start of a line. Which columns
 * an event has is decided once per event. Thread and name seldom change from one sample to the
 * next, so their text is kept and copied; the numbers behind it are written by hand, as this is
 * most of what a script does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "emit/emit.h"
#include "script-int.h"
#include "simd/simd.h"
#include "trace/trace.h"

/* clang-format off */
const uint64_t put_tens[20] = {
	0, 10ULL, 100ULL, 1000ULL, 10000ULL, 100000ULL, 1000000ULL, 10000000ULL, 100000000ULL, 1000000000ULL,
	10000000000ULL, 100000000000ULL, 1000000000000ULL, 10000000000000ULL, 100000000000000ULL,
	1000000000000000ULL, 10000000000000000ULL, 100000000000000000ULL, 1000000000000000000ULL,
	10000000000000000000ULL,
};
/* clang-format on */

const char put_digits[200] =
	"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243"
	"44454647484950515253545556575859606162636465666768697071727374757677787980818283848586878889"
	"90919293949596979899";

/* ---- columns ---------------------------------------------------------------------------------- */

/* -L: the first eight bytes of a name, aligned right. */
static void put_narrow(struct obuf *o, const char *comm)
{
	char head[9];

	snprintf(head, sizeof(head), "%s", comm);
	obuf_pad(o, ' ', (int)(8 - strlen(head)));
	emit_safe(o, head);
}

/* Makes "comm pid/tid " afresh: the thread, its name or the layout changed. */
static void thread_text_make(struct script *sc, const struct ctx *c, struct thread_text *t)
{
	const struct ev *ev = c->ev;
	const char *comm = c->th ? machine_comm(sc->env.machine, c->th->comm) : "";
	struct obuf o;

	if (obuf_init(&o, -1, 128))
		return;
	if (ev->fields & BIT(SF_COMM)) {
		size_t was = o.len;

		if (sc->opts.latency)
			put_narrow(&o, comm);
		else
			emit_safe(&o, comm);
		if (ev->columns && o.len - was < 16 && !sc->opts.latency) {
			o.len = was;
			obuf_pad(&o, ' ', (int)(16 - strlen(comm)));
			emit_safe(&o, comm);
		}
		obuf_char(&o, ' ');
	}
	if ((ev->fields & BIT(SF_PID)) && (ev->fields & BIT(SF_TID)))
		obuf_printf(&o, "%7d/%-7d ", (int)c->s->pid, (int)c->s->tid);
	else if (ev->fields & (BIT(SF_PID) | BIT(SF_TID)))
		obuf_printf(&o, "%7d ", (int)(ev->fields & BIT(SF_PID) ? c->s->pid : c->s->tid));
	if (!o.code && o.len > t->cap) {
		t->s = arena_alloc(&sc->arena, o.len + 16);
		t->cap = t->s ? (uint32_t)o.len + 16 : 0;
	}
	if (!o.code && t->s) {
		memcpy(t->s, o.buf, o.len);
		t->len = (uint32_t)o.len;
		t->comm = c->th ? c->th->comm : 0;
		t->pid = c->s->pid;
		t->tid = c->s->tid;
		t->ev = ev;
	}
	obuf_free(&o);
}

void print_comm_tid(struct script *sc, const struct ctx *c)
{
	struct thread_text none = { 0 }, *t;
	uint32_t idx = c->th ? c->th->idx : 0;

	if (vec_reach(&sc->threads, idx, none))
		return;
	t = &sc->threads.v[idx];
	if (unlikely(!t->s || t->ev != c->ev || t->pid != c->s->pid || t->tid != c->s->tid ||
		     (c->th && t->comm != c->th->comm)))
		thread_text_make(sc, c, t);
	obuf_mem(sc->o, t->s, t->len);
}

void print_cpu(struct script *sc, const struct ctx *c)
{
	char *p = obuf_room(sc->o, 32);
	uint32_t cpu = c->s->cpu;

	if (!p)
		return;
	if (sc->opts.latency) {
		obuf_printf(sc->o, "%3d ", (int)cpu);
		return;
	}
	*p++ = '[';
	if (cpu == UINT32_MAX)
		p = put_lit(p, "-01");
	else if (cpu < 1000)
		p = put_dec_zero(p, cpu, 3);
	else
		p = put_dec(p, cpu);
	p = put_lit(p, "] ");
	sc->o->len = (size_t)(p - sc->o->buf);
}

/* One letter per fact that the record's misc bits tell, padded to a column of 6. */
void print_misc(struct script *sc, const struct ctx *c)
{
	static const char modes[8] = { 0, 'K', 'U', 'H', 'G', 'g' };
	uint16_t misc = c->rec->misc;
	char text[8] = "";
	int n = 0;

	if (modes[misc & 7])
		text[n++] = modes[misc & 7];
	if ((c->rec->type == PERF_RECORD_MMAP || c->rec->type == PERF_RECORD_MMAP2) &&
	    (misc & PERF_RECORD_MISC_MMAP_DATA))
		text[n++] = 'M';
	if (c->rec->type == PERF_RECORD_COMM && (misc & PERF_RECORD_MISC_COMM_EXEC))
		text[n++] = 'E';
	if ((c->rec->type == PERF_RECORD_SWITCH || c->rec->type == PERF_RECORD_SWITCH_CPU_WIDE) &&
	    (misc & PERF_RECORD_MISC_SWITCH_OUT)) {
		text[n++] = 'S';
		if (misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
			text[n++] = 'p';
	}
	obuf_str_left(sc->o, text, 6);
}

void print_tod(struct script *sc, const struct ctx *c)
{
	int64_t ns = (int64_t)c->s->time + sc->tod_offset;
	time_t sec = (time_t)(ns / 1000000000);
	struct tm tm;
	char day[64];

	if (!sc->have_tod || !localtime_r(&sec, &tm) ||
	    !strftime(day, sizeof(day), "%Y-%m-%d %H:%M:%S", &tm)) {
		obuf_lit(sc->o, "<invalid> ");
		return;
	}
	if (sc->opts.ns)
		obuf_printf(sc->o, "%s.%09d ", day, (int)(ns % 1000000000));
	else
		obuf_printf(sc->o, "%s.%06d ", day, (int)(ns % 1000000000 / 1000));
}

/* The time as it is shown: absolute, since the first sample, or since the last one. */
static uint64_t shown_time(struct script *sc, uint64_t time)
{
	uint64_t t = time;

	if (sc->opts.reltime) {
		if (!sc->have_first)
			sc->first_time = time;
		sc->have_first = true;
		t = time - sc->first_time;
	} else if (sc->opts.deltatime) {
		t = sc->have_last && time > sc->last_time ? time - sc->last_time : 0;
		sc->last_time = time;
		sc->have_last = true;
	}
	return t;
}

void print_time(struct script *sc, const struct ctx *c)
{
	uint64_t t = shown_time(sc, c->s->time), sec = t / 1000000000;
	uint32_t nsec = (uint32_t)(t - sec * 1000000000);
	char *p = obuf_room(sc->o, 48);

	if (!p)
		return;
	if (unlikely(sec != sc->sec || !sc->sec_len)) {
		sc->sec = sec;
		sc->sec_len = (uint8_t)(put_dec_right(sc->sec_text, sec, 5) - sc->sec_text);
		sc->sec_text[sc->sec_len++] = '.';
	}
	memcpy(p, sc->sec_text, sizeof(sc->sec_text));
	p += sc->sec_len;
	put_pair(p, put_digits + nsec / 10000000 * 2);
	put_pair(p + 2, put_digits + nsec / 100000 % 100 * 2);
	put_pair(p + 4, put_digits + nsec / 1000 % 100 * 2);
	p += 6;
	if (sc->opts.ns)
		p = put_dec_zero(p, nsec % 1000, 3);
	p = put_lit(p, ": ");
	sc->o->len = (size_t)(p - sc->o->buf);
}

void print_period(struct script *sc, const struct ctx *c)
{
	char *p = obuf_room(sc->o, 48);

	if (!p)
		return;
	p = put_dec_right(p, c->s->period, 10);
	*p++ = ' ';
	sc->o->len = (size_t)(p - sc->o->buf);
}

void print_event(struct script *sc, const struct ctx *c)
{
	obuf_mem(sc->o, c->ev->name, c->ev->name_len);
}

/* What an instruction trace decoder says about a branch; ordinary samples have nothing. */
void print_flags(struct script *sc, const struct ctx *c)
{
	(void)c;
	obuf_pad(sc->o, ' ', 24);
}

/* The columns that records other than samples share with them. */
void print_start(struct script *sc, const struct ev *ev, const struct sample *s, struct thread *th,
		 uint32_t type, uint16_t misc)
{
	struct record rec = { .type = type, .misc = misc };
	struct ctx c = { .rec = &rec, .s = s, .th = th, .ev = ev };

	if (ev->fields & (BIT(SF_COMM) | BIT(SF_PID) | BIT(SF_TID)))
		print_comm_tid(sc, &c);
	if (ev->fields & BIT(SF_CPU))
		print_cpu(sc, &c);
	if (ev->fields & BIT(SF_MISC))
		print_misc(sc, &c);
	if (ev->fields & BIT(SF_TOD))
		print_tod(sc, &c);
	if (ev->fields & BIT(SF_TIME))
		print_time(sc, &c);
}

/* ---- the object ----------------------------------------------------------------------------------- */

static void load_tod(struct script *sc)
{
	size_t size;
	const unsigned char *p = perfdata_feature_raw(sc->env.pd, FEAT_CLOCK_DATA, &size);
	struct cursor c = cursor_init(p, p ? size : 0, perfdata_swapped(sc->env.pd));
	uint64_t wall, clock;

	cursor_u32(&c); /* version */
	cursor_u32(&c); /* clock id */
	wall = cursor_u64(&c);
	clock = cursor_u64(&c);
	sc->have_tod = !c.bad;
	sc->tod_offset = (int64_t)(wall - clock);
}

int script_new(struct script **scp, struct session *s, const struct script_opts *opts,
	       const struct script_fields *f, struct obuf *o, struct err *e)
{
	const struct session_env *env = session_env(s);
	struct script *sc = calloc(1, sizeof(*sc));
	int ret = -ENOMEM;

	*scp = NULL;
	if (!sc)
		return err_set(e, -ENOMEM, "no memory to print with");
	sc->session = s;
	sc->env = *env;
	sc->opts = *opts;
	sc->fields = *f;
	sc->o = o;
	sc->arch = regs_arch_from_uname(perfdata_env(env->pd)->arch);
	if (sc->arch == REGS_ARCH_NONE && perfdata_env(env->pd)->e_machine)
		sc->arch = regs_arch_from_elf(perfdata_env(env->pd)->e_machine);
	if (sc->arch == REGS_ARCH_NONE && !perfdata_env(env->pd)->arch[0])
		sc->arch = regs_arch_host();
	sc->places = calloc(1 << PLACE_BITS, sizeof(*sc->places));
	if (!sc->places || print_tails_resize(sc, TAIL_BITS_MIN)) {
		err_set(e, -ENOMEM, "no memory to print with");
		goto out;
	}
	if (opts->beside) {
		sc->beside = opts->beside->begin(opts->beside_ctx);
		if (!sc->beside) {
			err_set(e, -ENOMEM, "no memory to print with");
			goto out;
		}
	}
	load_tod(sc);
	sc->simd = (struct sample_simd_opts){ .lane = opts->lane, .hide = opts->redact };
	ret = opts->regs ? regs_pick_parse(&sc->simd.pick, opts->regs, sc->arch, e) : 0;
	if (opts->misused)
		*opts->misused = ret != 0;
	if (!ret && opts->regs)
		ret = sample_check_pick(env->pd, &sc->simd.pick, opts->regs, sc->arch, e);
	if (ret)
		err_context(e, "--regs");
	if (!ret)
		ret = script_stops_parse(sc, e);
	if (!ret && perfdata_nr_events(env->pd))
		ret = script_check(sc, e);
out:
	if (ret)
		script_free(sc);
	else
		*scp = sc;
	return ret;
}

void script_free(struct script *sc)
{
	if (!sc)
		return;
	vec_for_each (ev, &sc->ev)
		free(*ev);
	vec_free(&sc->ev);
	for (size_t i = 0; i < sc->nr_forms; i++) {
		print_chain_free(sc->forms[i]->frames);
		free(sc->forms[i]);
	}
	vec_free(&sc->threads);
	vec_free(&sc->stops);
	trace_printer_free(sc->trace);
	print_insns_free(sc->insn);
	simd_sites_free(sc->sites);
	keys_marks_free(sc->marks);
	free(sc->mark);
	if (sc->opts.beside)
		sc->opts.beside->end(sc->beside);
	print_srccode_free(sc->sources);
	vec_free(&sc->syms);
	vec_free(&sc->dsos);
	vec_free(&sc->others);
	free(sc->places);
	free(sc->tails);
	print_brstack_free(sc->branch_texts);
	arena_free(&sc->arena);
	free(sc);
}

bool script_has_names(const struct script *sc)
{
	uint64_t names = BIT(SF_SYM) | BIT(SF_BRSTACKSYM);

	vec_for_each (ev, &sc->ev)
		if (*ev && (*ev)->ready && (*ev)->fields & names)
			return true;
	return false;
}

static void put_sample(struct script *sc, const struct ctx *c)
{
	if (unlikely(c->ev->fields & BIT(SF_BRCNTR)) && !sc->opts.json)
		print_counter_legend(sc);
	for (int i = 0; i < c->ev->n; i++)
		c->ev->prog[i](sc, c);
	obuf_char(sc->o, '\n');
}

/* The same where the caller wants it. */
static int put_sample_apart(struct script *sc, const struct ctx *c, struct err *e)
{
	struct obuf *usual = sc->o, *o = sc->opts.out(sc->opts.out_ctx, c->s->event, e);

	if (!o)
		return e ? e->code : -EIO;
	sc->o = o;
	put_sample(sc, c);
	sc->o = usual;
	return 0;
}

static uint64_t need(void *ctx, const struct perfdata_event *event)
{
	struct script *sc = ctx;
	const struct ev *ev;

	/* Events that come late in a stream are told apart by what is asked of all of them. */
	if (!sc->checked && script_check(sc, &sc->refused))
		return SESSION_NONE;
	ev = script_ev(sc, event, &sc->refused);
	return ev && ev->fields ? ev->need : SESSION_NONE;
}

bool script_in_pieces(struct script *sc)
{
	/* Columns that grow, lines and a legend that are shown once. */
	const uint64_t in_turn = BIT(SF_DATA_SRC) | BIT(SF_SRCCODE) | BIT(SF_BRCNTR);

	if (sc->opts.reltime || sc->opts.deltatime || sc->opts.out ||
	    (!sc->checked && script_check(sc, &sc->refused)))
		return false;
	for (size_t i = 0; i < perfdata_nr_events(sc->env.pd); i++) {
		const struct ev *ev = script_ev(sc, perfdata_event(sc->env.pd, i), NULL);

		if (!ev || ev->fields & in_turn)
			return false;
	}
	return true;
}

void script_print_to(struct script *sc, struct obuf *o)
{
	sc->o = o;
}

static int print_sample(void *ctx, const struct session_sample *in, struct err *e)
{
	struct script *sc = ctx;
	struct ctx c = { .rec = in->rec, .s = in->s, .th = in->thread };
	int ret = 0;

	c.ev = script_ev(sc, in->s->event, e);
	if (unlikely(!c.ev))
		return -ENOMEM;
	if (unlikely(!c.ev->fields))
		return 0;
	if (unlikely(sc->opts.out != NULL))
		ret = put_sample_apart(sc, &c, e);
	else
		put_sample(sc, &c);
	return ret ? ret : sc->o->code != 0;
}

static int finish(void *ctx, struct err *e)
{
	struct script *sc = ctx;

	if (!sc->refused.code)
		return 0;
	*e = sc->refused;
	return e->code;
}

const struct session_consumer script_consumer = {
	.need = need,
	.sample = print_sample,
	.before = script_show_before,
	.record = script_show_after,
	.finish = finish,
};
