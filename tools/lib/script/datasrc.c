// SPDX-License-Identifier: GPL-2.0-or-later
/* data_src: where a load or store found its data, bit-fields of perf_event_open(2). */
#include <stdio.h>

#include "script-int.h"

struct bits_at {
	int shift, width;
};

static const struct bits_at OP = { 0, 5 }, LVL = { 5, 14 }, SNOOP = { 19, 5 }, LOCK = { 24, 2 },
			    DTLB = { 26, 7 }, LVL_NUM = { 33, 4 }, REMOTE = { 37, 1 },
			    SNOOPX = { 38, 2 }, BLK = { 40, 3 }, HOPS = { 43, 3 };

static unsigned get(uint64_t v, struct bits_at b)
{
	return (unsigned)(v >> b.shift & (BIT(b.width) - 1));
}

static const char *const op_names[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };
static const char *const lvl_names[] = {
	"N/A",
	"HIT",
	"MISS",
	"L1",
	"LFB/MAB",
	"L2",
	"L3",
	"Local RAM",
	"Remote RAM (1 hop)",
	"Remote RAM (2 hops)",
	"Remote Cache (1 hop)",
	"Remote Cache (2 hops)",
	"I/O",
	"Uncached",
};
static const char *const lvlnum_names[16] = {
	NULL,	"L1",	    "L2",  "L3",  "L4",	       "L2 MHB",  "Memory-side Cache",
	NULL,	"Uncached", "CXL", "I/O", "Any cache", "LFB/MAB", "RAM",
	"PMEM", "N/A",
};
static const char *const hop_names[] = {
	"N/A", "core, same node", "node, same socket", "socket, same board", "board",
};
static const char *const snoop_names[] = { "N/A", "None", "Hit", "Miss", "HitM" };
static const char *const snoopx_names[] = { "Fwd", "Peer" };
static const char *const tlb_names[] = { "N/A", "HIT", "MISS", "L1", "L2", "Walker", "Fault" };

/* The names of the set bits from bit @from on, joined by " or ". */
static void put_set(struct obuf *o, unsigned v, const char *const *names, size_t nr, size_t from)
{
	bool any = false;

	for (size_t i = from; i < nr; i++) {
		if (!(v >> i & 1))
			continue;
		if (any)
			obuf_lit(o, " or ");
		obuf_str(o, names[i]);
		any = true;
	}
	if (!any)
		obuf_lit(o, "N/A");
}

static void put_hit_miss(struct obuf *o, unsigned bits)
{
	if (bits & 2)
		obuf_lit(o, " hit");
	if (bits & 4)
		obuf_lit(o, " miss");
}

static void put_level(struct obuf *o, uint64_t v)
{
	unsigned lvl = get(v, LVL), num = get(v, LVL_NUM), hops = get(v, HOPS);

	if (lvl & 1 && (!num || num == 15)) {
		obuf_lit(o, "N/A");
		return;
	}
	if (num && num != 15) {
		if (get(v, REMOTE))
			obuf_lit(o, "Remote ");
		if (hops)
			obuf_printf(o, "%s ", hops < ARRAY_SIZE(hop_names) ? hop_names[hops] : "?");
		if (lvlnum_names[num])
			obuf_str(o, lvlnum_names[num]);
		else
			obuf_printf(o, "Unknown level %u", num);
	} else if (lvl & ~7u) {
		put_set(o, lvl, lvl_names, ARRAY_SIZE(lvl_names), 3);
	} else {
		obuf_lit(o, "N/A");
		return;
	}
	put_hit_miss(o, lvl);
}

static void put_snoop(struct obuf *o, uint64_t v)
{
	unsigned s = get(v, SNOOP), x = get(v, SNOOPX);

	if (s || !x)
		put_set(o, s, snoop_names, ARRAY_SIZE(snoop_names), 1);
	if (s && x)
		obuf_lit(o, " or ");
	if (x)
		put_set(o, x, snoopx_names, ARRAY_SIZE(snoopx_names), 0);
}

static void put_blocked(struct obuf *o, uint64_t v)
{
	unsigned b = get(v, BLK);

	if (!b || b & 1) {
		obuf_lit(o, " N/A");
		return;
	}
	if (b & 2)
		obuf_lit(o, " Data");
	if (b & 4)
		obuf_lit(o, " Addr");
}

static void put_tlb(struct obuf *o, uint64_t v)
{
	unsigned t = get(v, DTLB);

	put_set(o, t, tlb_names, ARRAY_SIZE(tlb_names), 3);
	put_hit_miss(o, t);
}

void print_data_src(struct script *sc, const struct ctx *c)
{
	uint64_t v = c->s->data_src;
	unsigned lock = get(v, LOCK);
	struct obuf *o = sc->o;
	size_t at;
	int width;

	obuf_room(o, 512);
	obuf_hex_right(o, v, 16);
	obuf_char(o, ' ');
	at = o->len;
	obuf_lit(o, "|OP ");
	put_set(o, get(v, OP), op_names, ARRAY_SIZE(op_names), 1);
	obuf_lit(o, "|LVL ");
	put_level(o, v);
	obuf_lit(o, "|SNP ");
	put_snoop(o, v);
	obuf_lit(o, "|TLB ");
	put_tlb(o, v);
	obuf_lit(o, "|LCK ");
	obuf_str(o, lock & 2 ? "Yes" : lock & 1 ? "N/A" : "No");
	obuf_lit(o, "|BLK ");
	put_blocked(o, v);
	/* The column grows with what it has held. */
	width = (int)(o->len - at);
	obuf_pad(o, ' ', sc->data_src_width - width);
	if (width > sc->data_src_width)
		sc->data_src_width = width;
}
