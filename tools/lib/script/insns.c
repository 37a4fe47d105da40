// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions: insn, insnlen, disasm of the sampled one, and the blocks between the branches of
 * a stack (brstackinsn and its kin), oldest first: text-formats.adoc, "Instructions between
 * branches".
 */
#include <stdlib.h>

#include "branch/branch.h"
#include "emit/emit.h"
#include "insn/insn.h"
#include "script-int.h"

#define BLOCK_MAX 16384 /* bytes of one block */
#define INSN_MAX  15	/* bytes behind a block that may belong to its last instruction */
#define SCAN_MAX  128	/* bytes behind the newest branch when its way to the sample is lost */

#define COUNTER_MAX_WIDTH 16 /* bits; what a wider one says would not fit on a line */

#define CROSSES (-2) /* read_block(): from user to kernel or back */

struct insn_walk {
	struct insn_decoder *decoder[INSN_MODES];
	bool missing; /* no library: said once */
	unsigned char code[BLOCK_MAX + INSN_MAX];
	/* One walk: */
	const struct symbol *last;
	struct insn_decoder *now;
	uint64_t cycles;
};

void print_insns_free(struct insn_walk *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(w->decoder); i++)
		insn_free(w->decoder[i]);
	free(w);
}

static struct insn_walk *walk_of(struct script *sc)
{
	if (!sc->insn)
		sc->insn = calloc(1, sizeof(*sc->insn));
	return sc->insn;
}

static struct insn_decoder *decoder_of(struct script *sc, struct insn_walk *w, unsigned mode)
{
	struct err e = { 0 };

	if (!w->decoder[mode] && !w->missing && insn_new(&w->decoder[mode], sc->arch, mode, &e)) {
		w->missing = true;
		log_to(&sc->opts.log, LOG_WARN, "%s", e.text);
	}
	return w->decoder[mode];
}

static bool is_kernel(uint64_t addr)
{
	return addr >> 63;
}

/*
 * The code from @start through the instruction at @end: bytes in w->code, 0 when it cannot be
 * had, CROSSES when the two are not in the same mode.
 */
static int read_block(struct script *sc, const struct ctx *c, struct insn_walk *w, uint64_t start,
		      uint64_t end)
{
	const struct script_place *pl;
	ssize_t n;

	if (!start || !end)
		return 0;
	if (is_kernel(start) != is_kernel(end))
		return CROSSES;
	if (end < start || end - start > BLOCK_MAX - INSN_MAX)
		return 0;
	pl = put_find_place(sc, c->th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, start);
	if (!pl->dso)
		return 0;
	n = symbol_read_code(sc->env.resolver, pl->dso, pl->addr, w->code,
			     (size_t)(end - start) + INSN_MAX);
	w->now = decoder_of(sc, w, symbol_insn_mode(sc->env.resolver, pl->dso) % INSN_MODES);
	return n > 0 && w->now ? (int)n : 0;
}

/* "\tSYM+off:" when another function begins. */
static void put_label(struct script *sc, const struct ctx *c, struct insn_walk *w, uint64_t ip)
{
	const struct script_place *pl =
		put_find_place(sc, c->th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, ip);

	if (!pl->sym || pl->sym == w->last)
		return;
	w->last = pl->sym;
	obuf_char(sc->o, '\t');
	emit_safe(sc->o, pl->sym->name);
	if (pl->addr != pl->sym->start) {
		obuf_char(sc->o, '+');
		obuf_dec(sc->o, pl->addr - pl->sym->start);
	}
	obuf_char(sc->o, ':');
	if (c->ev->fields & BIT(SF_SRCLINE))
		put_srcline(sc, "\t", pl->dso, pl->addr, NULL);
	obuf_char(sc->o, '\n');
}

/* The instruction's bytes or text; its length, 0 when it is none. */
static int put_insn(struct script *sc, const struct ctx *c, struct insn_walk *w,
		    const unsigned char *code, size_t left, uint64_t ip, struct insn *in)
{
	bool text = c->ev->fields & (BIT(SF_BRSTACKDISASM) | BIT(SF_DISASM));
	char buf[128];

	if (insn_decode(w->now, code, left, ip, in) <= 0) {
		obuf_lit(sc->o, "<bad>");
		return 0;
	}
	if (text && insn_text(w->now, code, left, ip, buf, sizeof(buf)) > 0) {
		emit_safe(sc->o, buf);
		return in->len;
	}
	obuf_lit(sc->o, "insn: ");
	for (int i = 0; i < in->len; i++) {
		obuf_hex_zero(sc->o, code[i], 2);
		obuf_char(sc->o, ' ');
	}
	return in->len;
}

static void put_ip(struct script *sc, uint64_t ip)
{
	obuf_char(sc->o, '\t');
	obuf_hex_zero(sc->o, ip, 16);
	obuf_char(sc->o, '\t');
}

static int put_plain(struct script *sc, const struct ctx *c, struct insn_walk *w,
		     const unsigned char *code, size_t left, uint64_t ip, struct insn *in)
{
	int len;

	put_ip(sc, ip);
	len = put_insn(sc, c, w, code, left, ip, in);
	if (c->ev->fields & BIT(SF_BRSTACKINSNLEN))
		obuf_printf(sc->o, "\tilen: %d", len);
	obuf_char(sc->o, '\n');
	return len;
}

static bool counts_in_branches(const struct perfdata_event *ev)
{
	return ev->attr.branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS;
}

/* Events with branch counters are called A, B ... in the order of the file. */
static char counter_letter(const struct script *sc, uint32_t event)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < event; i++)
		n += counts_in_branches(perfdata_event(sc->env.pd, i));
	return (char)('A' + n % 26);
}

void print_counter_legend(struct script *sc)
{
	if (sc->opts.verbose)
		return;
	obuf_lit(sc->o, "# Branch counter abbr list:\n");
	for (uint32_t i = 0; i < perfdata_nr_events(sc->env.pd); i++) {
		const struct perfdata_event *ev = perfdata_event(sc->env.pd, i);

		if (!counts_in_branches(ev))
			continue;
		obuf_lit(sc->o, "# ");
		emit_safe(sc->o, ev->name);
		obuf_printf(sc->o, " = %c\n", counter_letter(sc, i));
	}
	obuf_lit(sc->o, "# '-' No event occurs\n"
			"# '+' Event occurrences may be lost due to branch counter saturated\n");
}

/* How often an event of the group happened, as letters or, with -v, as a number; + = or more. */
static void put_counter(struct script *sc, uint32_t event, uint64_t n, uint64_t max)
{
	if (sc->opts.verbose) {
		emit_safe(sc->o, perfdata_event(sc->env.pd, event)->name);
		obuf_printf(sc->o, " %llu", (unsigned long long)n);
	} else {
		obuf_pad(sc->o, counter_letter(sc, event), (int)n);
	}
	if (n == max)
		obuf_char(sc->o, '+');
	if (sc->opts.verbose)
		obuf_char(sc->o, ' ');
}

/* What the counting events of the group did during the branch. */
static void put_counters(struct script *sc, const struct ctx *c, uint64_t i)
{
	uint32_t width = perfdata_env(sc->env.pd)->branch_counter_width ?: 2;
	uint32_t leader = c->s->event->leader, bit = 0;
	uint64_t word = 0, max, any = 0;

	obuf_lit(sc->o, "\t# br_cntr: ");
	if (i < c->s->branches.counters.nr && width <= COUNTER_MAX_WIDTH)
		word = u64s_get(&c->s->branches.counters, i);
	max = BIT(min_u64(width, COUNTER_MAX_WIDTH)) - 1;
	for (uint32_t k = leader; k < perfdata_nr_events(sc->env.pd) && bit + width <= 64; k++) {
		const struct perfdata_event *ev = perfdata_event(sc->env.pd, k);

		if (ev->leader != leader)
			break;
		if (!counts_in_branches(ev))
			continue;
		put_counter(sc, k, word >> bit & max, max);
		any |= word >> bit & max;
		bit += width;
	}
	if (!any && !sc->opts.verbose)
		obuf_char(sc->o, '-');
	obuf_char(sc->o, ' ');
}

/* The branch that ends a block: its flags, its cycles, @nr instructions of the block. */
static void put_jump(struct script *sc, const struct ctx *c, struct insn_walk *w,
		     const unsigned char *code, size_t left, uint64_t ip, uint64_t i, unsigned nr)
{
	struct branch_entry be;
	const struct script_place *pl;
	struct insn in;
	size_t at;
	int len;

	sample_branch(&c->s->branches, i, &be);
	put_ip(sc, ip);
	obuf_room(sc->o, 1024); /* no flush between: the padding counts from here */
	at = sc->o->len;
	len = put_insn(sc, c, w, code, left, ip, &in);
	obuf_pad(sc->o, ' ', 30 - (int)(sc->o->len - at));
	obuf_char(sc->o, '\t');
	if (c->ev->fields & BIT(SF_BRSTACKINSNLEN))
		obuf_printf(sc->o, "ilen: %d\t", len);
	if (c->ev->fields & BIT(SF_SRCLINE)) {
		pl = put_find_place(sc, c->th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, ip);
		put_srcline(sc, " srcline: ", pl->dso, pl->addr, NULL);
		obuf_char(sc->o, '\t');
	}
	if (c->ev->fields & BIT(SF_BRCNTR))
		put_counters(sc, c, i);
	else
		obuf_char(sc->o, '#');
	obuf_printf(sc->o, "%s%s%s%s", be.predicted ? " PRED" : "", be.mispred ? " MISPRED" : "",
		    be.in_tx ? " INTX" : "", be.abort ? " ABORT" : "");
	if (be.cycles) {
		w->cycles += be.cycles;
		obuf_printf(sc->o, " %u cycles [%llu]", be.cycles, (unsigned long long)w->cycles);
		if (nr)
			obuf_printf(sc->o, " %.2f IPC", (double)nr / be.cycles);
	}
	obuf_char(sc->o, '\n');
}

/* From where branch @i + 1 went to, through the instruction of branch @i. */
static void put_block(struct script *sc, const struct ctx *c, struct insn_walk *w, uint64_t start,
		      uint64_t end, int size, uint64_t i)
{
	unsigned nr = 0;
	uint64_t off;
	int len;

	for (off = 0; off < (uint64_t)size; off += (uint64_t)len, nr++) {
		uint64_t ip = start + off;
		struct insn in;

		put_label(sc, c, w, ip);
		if (ip == end) {
			put_jump(sc, c, w, w->code + off, (size_t)size - off, ip, i, nr + 1);
			break;
		}
		len = put_plain(sc, c, w, w->code + off, (size_t)size - off, ip, &in);
		if (!len)
			break;
	}
	if (off != end - start)
		obuf_lit(sc->o, "\tmismatch of LBR data and executable\n");
}

/* A stack with every taken branch would have it. */
static bool is_missing(const struct ctx *c, const struct insn *in)
{
	uint64_t type = sample_branch_filter(c->s);

	return (!type || type & PERF_SAMPLE_BRANCH_ANY) && insn_is_branch(in) &&
	       in->branch != INSN_COND;
}

/* From where the newest branch went to the sample. */
static void put_last(struct script *sc, const struct ctx *c, struct insn_walk *w)
{
	const struct sample *s = c->s;
	uint64_t start = sample_branch_to(&s->branches, 0);
	uint64_t end = s->ip < start ? start + SCAN_MAX : s->ip;
	int size = read_block(sc, c, w, start, end), len;
	struct insn in;

	put_label(sc, c, w, start);
	if (size <= 0) {
		size = read_block(sc, c, w, s->ip, s->ip);
		if (size > 0)
			put_plain(sc, c, w, w->code, (size_t)size, s->ip, &in);
		return;
	}
	for (uint64_t off = 0; off <= end - start && off < (uint64_t)size; off += (uint64_t)len) {
		len = put_plain(sc, c, w, w->code + off, (size_t)size - off, start + off, &in);
		if (!len)
			return;
		if (is_missing(c, &in) && start + off != s->ip) {
			obuf_lit(sc->o, "\t... not reaching sample ...\n");
			return;
		}
	}
}

static void put_blocks(struct script *sc, const struct ctx *c, struct insn_walk *w)
{
	const struct sample_branches *b = &c->s->branches;
	struct branch_entry newest;
	uint64_t nr = b->nr, from;
	int size;

	if (sc->opts.max_blocks && nr > sc->opts.max_blocks + 1ULL)
		nr = sc->opts.max_blocks + 1ULL;
	obuf_char(sc->o, '\n');
	/* Of the oldest branch only the jump itself is known. */
	from = sample_branch_from(b, nr - 1);
	size = read_block(sc, c, w, from, from);
	if (size > 0) {
		put_label(sc, c, w, from);
		put_jump(sc, c, w, w->code, (size_t)size, from, nr - 1, 0);
	}
	for (uint64_t i = nr - 1; i-- > 0;) {
		uint64_t start = sample_branch_to(b, i + 1), end = sample_branch_from(b, i);

		size = read_block(sc, c, w, start, end);
		/* The way into the kernel was filtered out: go on with the way back. */
		if (size == CROSSES && i > 0) {
			end = sample_branch_from(b, --i);
			size = read_block(sc, c, w, start, end);
		}
		if (size > 0)
			put_block(sc, c, w, start, end, size, i);
	}
	sample_branch(b, 0, &newest);
	/* Sampled at the branch: its target was not executed yet. */
	if (newest.from != c->s->ip && !newest.abort)
		put_last(sc, c, w);
}

static void put_sampled(struct script *sc, const struct ctx *c, struct insn_walk *w)
{
	int size = read_block(sc, c, w, c->s->ip, c->s->ip);
	struct insn in = { 0 };
	char buf[128];

	if (size > 0 && insn_decode(w->now, w->code, (size_t)size, c->s->ip, &in) <= 0)
		in.len = 0;
	if (c->ev->fields & BIT(SF_INSNLEN))
		obuf_printf(sc->o, " ilen: %d", in.len);
	if (!in.len)
		return;
	if (c->ev->fields & BIT(SF_INSN)) {
		obuf_lit(sc->o, " insn:");
		for (int i = 0; i < in.len; i++)
			obuf_printf(sc->o, " %02x", w->code[i]);
	}
	if ((c->ev->fields & BIT(SF_DISASM)) &&
	    insn_text(w->now, w->code, (size_t)size, c->s->ip, buf, sizeof(buf)) > 0) {
		obuf_lit(sc->o, "\t\t");
		emit_safe(sc->o, buf);
	}
}

void print_insns(struct script *sc, const struct ctx *c)
{
	struct insn_walk *w = walk_of(sc);

	if (!w)
		return;
	w->last = NULL;
	w->cycles = 0;
	if (c->ev->fields & (BIT(SF_INSN) | BIT(SF_INSNLEN) | BIT(SF_DISASM)))
		put_sampled(sc, c, w);
	if ((c->ev->fields &
	     (BIT(SF_BRSTACKINSN) | BIT(SF_BRSTACKINSNLEN) | BIT(SF_BRSTACKDISASM))) &&
	    c->s->branches.nr)
		put_blocks(sc, c, w);
}
