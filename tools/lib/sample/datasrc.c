// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Words of a sample that are bit-fields (perf_event_open(2)), in upstream's words: data_src, where a
 * load or store found its data, and transaction, how one ended.
 */
#include "sample/sample.h"

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

static const char *const lvl_names[] = {
	NULL,
	NULL, /* hit, miss: said behind the level */
	NULL,
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
	"PMEM", NULL,
};
static const char *const hop_names[] = {
	"N/A", "core, same node", "node, same socket", "socket, same board", "board",
};
static const char *const snoop_names[] = { "N/A", "None", "Hit", "Miss", "HitM", "Fwd", "Peer" };
static const char *const tlb_names[] = { "N/A", NULL, NULL, "L1", "L2", "Walker", "Fault" };

/* The names of the set bits, joined by " or ". */
static void put_set(struct obuf *o, unsigned v, const char *const *names, size_t nr)
{
	bool any = false;

	for (size_t i = 0; i < nr; i++) {
		if (!(v >> i & 1) || !names[i])
			continue;
		if (any)
			obuf_lit(o, " or ");
		obuf_str(o, names[i]);
		any = true;
	}
	if (!any)
		obuf_lit(o, "N/A");
}

void data_src_op(struct obuf *o, uint64_t v)
{
	static const char *const names[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };
	unsigned op = get(v, OP);

	obuf_str(o, op ? names[__builtin_ctz(op)] : "No");
}

void data_src_level(struct obuf *o, uint64_t v)
{
	unsigned lvl = get(v, LVL), num = get(v, LVL_NUM), hops = get(v, HOPS);

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
		put_set(o, lvl, lvl_names, ARRAY_SIZE(lvl_names));
	} else {
		obuf_lit(o, "N/A");
		return;
	}
	obuf_str(o, lvl & 2 ? " hit" : lvl & 4 ? " miss" : " ");
}

void data_src_snoop(struct obuf *o, uint64_t v)
{
	put_set(o, get(v, SNOOP) | get(v, SNOOPX) << 5, snoop_names, ARRAY_SIZE(snoop_names));
}

void data_src_tlb(struct obuf *o, uint64_t v)
{
	unsigned t = get(v, DTLB);

	put_set(o, t, tlb_names, ARRAY_SIZE(tlb_names));
	if (t & 2)
		obuf_lit(o, " hit");
	if (t & 4)
		obuf_lit(o, " miss");
}

void data_src_locked(struct obuf *o, uint64_t v)
{
	unsigned lock = get(v, LOCK);

	obuf_str(o, lock & 1 ? "N/A" : lock & 2 ? "Yes" : "No");
}

void data_src_blocked(struct obuf *o, uint64_t v)
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

/* ---- transaction ------------------------------------------------------------------------------- */

void sample_transaction(struct obuf *o, uint64_t v)
{
	static const char *const bits[] = { "EL ",    "TX ",  "SYNC ",	    "ASYNC ",
					    "RETRY ", "CON ", "CAP-WRITE ", "CAP-READ " };

	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		if (v >> i & 1)
			obuf_str(o, bits[i]);
	if (v && !(v & 12))
		obuf_lit(o, "NEITHER ");
	if (v >> 32) {
		obuf_char(o, ':');
		obuf_hex(o, v >> 32);
	}
}
