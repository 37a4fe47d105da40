// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers, the plain numbers of a sample, and the fields of a tracepoint. A field that the sample does not have was refused
 * or left out when the fields were chosen, so nothing is asked here.
 */
#include <ctype.h>

#include "emit/emit.h"
#include "script-int.h"
#include "simd/simd.h"
#include "trace/trace.h"

void print_iregs(struct script *sc, const struct ctx *c)
{
	if (c->s->intr_regs.abi)
		sample_print_regs(&c->s->intr_regs, sc->arch, sc->opts.redact, sc->o);
}

void print_uregs(struct script *sc, const struct ctx *c)
{
	if (c->s->user_regs.abi)
		sample_print_regs(&c->s->user_regs, sc->arch, sc->opts.redact, sc->o);
}

/* Types of registers by the code that ran, for registers that are of it. */
static void choose_lanes(struct script *sc, const struct ctx *c, bool of_code, uint8_t lanes[32])
{
	const struct simd_site *site;
	uint32_t loc;

	if (!sc->opts.lane_auto)
		return;
	memset(lanes, LANE_HEX, 32);
	sc->simd.lanes = lanes;
	if (!of_code || !c->th ||
	    (!sc->sites && simd_sites_new(&sc->sites, sc->env.resolver, sc->arch, true)))
		return;
	loc = resolver_find(sc->env.resolver, c->th, c->s->cpumode, c->s->ip);
	site = simd_site(sc->sites, loc);
	for (unsigned reg = 0; reg < 32; reg++)
		lanes[reg] = (uint8_t)simd_lane(site, reg);
}

static bool in_user(const struct sample *s)
{
	return s->cpumode == PERF_RECORD_MISC_USER || s->cpumode == PERF_RECORD_MISC_GUEST_USER;
}

void print_simd(struct script *sc, const struct ctx *c)
{
	uint8_t lanes[32];

	choose_lanes(sc, c, true, lanes);
	sample_print_simd(&c->s->intr_regs, sc->arch, "intr", &sc->simd, sc->o);
	choose_lanes(sc, c, in_user(c->s), lanes);
	sample_print_simd(&c->s->user_regs, sc->arch, "user", &sc->simd, sc->o);
	sc->simd.lanes = NULL;
}

void script_json_simd(struct script *sc, const struct ctx *c, struct emit *e)
{
	uint8_t lanes[32];

	emit_object(e, "simd");
	choose_lanes(sc, c, true, lanes);
	sample_emit_simd(&c->s->intr_regs, sc->arch, "intr", &sc->simd, e);
	choose_lanes(sc, c, in_user(c->s), lanes);
	sample_emit_simd(&c->s->user_regs, sc->arch, "user", &sc->simd, e);
	emit_end(e);
	sc->simd.lanes = NULL;
}

static void put_number(struct script *sc, uint64_t v)
{
	char *p = obuf_room(sc->o, 48);

	if (p)
		sc->o->len = (size_t)(put_dec_right(p, v, 16) - sc->o->buf);
}

void print_weight(struct script *sc, const struct ctx *c)
{
	put_number(sc, script_weight(c->s));
}

void print_ins_lat(struct script *sc, const struct ctx *c)
{
	put_number(sc, c->s->weight_var2);
}

void print_retire_lat(struct script *sc, const struct ctx *c)
{
	put_number(sc, c->s->weight_var3);
}

void print_cgroup(struct script *sc, const struct ctx *c)
{
	const char *path = machine_cgroup(sc->env.machine, c->s->cgroup);

	obuf_char(sc->o, ' ');
	emit_safe(sc->o, path ? path : "unknown");
}

/* Raw bytes, 8 a line, and the string when they are one: printable, and nothing but NULs behind it. */
void print_bpf_output(struct script *sc, const struct ctx *c)
{
	const unsigned char *raw = c->s->raw;
	uint32_t size = c->s->raw_size;
	bool text = true, ended = false;

	obuf_char(sc->o, '\n');
	for (uint32_t i = 0; i < size; i += 8) {
		uint32_t n = size - i < 8 ? size - i : 8;

		obuf_printf(sc->o, "%17s %04x:", i ? "" : "BPF output:", i);
		for (uint32_t j = 0; j < 8; j++) {
			if (j < n)
				obuf_printf(sc->o, " %02x", raw[i + j]);
			else
				obuf_lit(sc->o, "   ");
		}
		obuf_lit(sc->o, "  ");
		for (uint32_t j = 0; j < n; j++) {
			unsigned char c = raw[i + j];

			obuf_char(sc->o, isprint(c) ? (char)c : '.');
			text &= ended ? !c : isprint(c) || !c;
			ended |= !c;
		}
		obuf_printf(sc->o, "%*s\n", (int)(8 - n), "");
	}
	if (text && ended) {
		obuf_printf(sc->o, "%17s \"", "BPF string:");
		emit_safe_n(sc->o, (const char *)raw, strnlen((const char *)raw, size));
		obuf_lit(sc->o, "\"\n");
	}
}

static struct trace_printer *trace_printer(struct script *sc)
{
	struct perfdata *pd = sc->env.pd;
	struct err e;

	if (!sc->trace &&
	    trace_printer_new(&sc->trace, perfdata_trace(pd), false, perfdata_path(pd), &e))
		log_to(&sc->opts.log, LOG_WARN, "%s", e.text);
	return sc->trace;
}

void print_trace(struct script *sc, const struct ctx *c)
{
	const struct sample *s = c->s;
	const struct trace_raw raw = { s->raw, s->raw_size, s->cpu, s->event->attr.config };
	size_t len;
	const char *text = trace_text(trace_printer(sc), &raw, &len);

	if (text)
		emit_safe_n(sc->o, text, len);
}
