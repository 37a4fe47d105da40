// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branch records out of state component 15: perf-xstate(1), THE AREA. The depth is a number of the
 * image and is held against the component's size before an entry is read.
 */
#include "base/bytes.h"
#include "xsave.h"

#define CTL_CALL_STACK BIT(3)

enum { OFF_CTL = 0, OFF_DEPTH = 8, OFF_LER = 16, OFF_ENTRIES = 40, ENTRY_SIZE = 24 };

const char *xsave_lbr_type_name(uint8_t type)
{
	static const char *const names[] = { "COND", "IND", "UNCOND", "IND_CALL", "CALL", "RET" };

	return type < ARRAY_SIZE(names) ? names[type] : "OTHER";
}

static struct xsave_lbr_entry read_entry(const unsigned char *p)
{
	bool swap = host_is_big_endian();
	uint64_t info = load_u64(p + 16, swap);

	return (struct xsave_lbr_entry){
		.from = load_u64(p, swap),
		.to = load_u64(p + 8, swap),
		.info = info,
		.mispred = info >> 63 & 1,
		.in_tx = info >> 62 & 1,
		.abort = info >> 61 & 1,
		.cycles_valid = info >> 60 & 1,
		.type = info >> 56 & 0xf,
		.counters = info >> 32 & 0xff,
		.cycles = info & 0xffff,
	};
}

int xsave_lbr(const struct xsave_image *im, struct xsave_lbr *lbr, enum xsave_state *state,
	      struct err *e)
{
	const unsigned char *p = xsave_component_bytes(im, XSAVE_LBR);
	uint64_t room = im->cpu->comp[XSAVE_LBR].size;

	memset(lbr, 0, sizeof(*lbr));
	*state = im->layout.set & BIT(XSAVE_LBR) ? XSAVE_INIT : XSAVE_ABSENT;
	if (!p)
		return 0;
	if (room < OFF_ENTRIES)
		return err_set(e, -EINVAL,
			       "LBR state of %llu bytes has no room for its control words",
			       (unsigned long long)room);
	*state = XSAVE_VALUE;
	lbr->ctl = load_u64(p + OFF_CTL, host_is_big_endian());
	lbr->depth = load_u64(p + OFF_DEPTH, host_is_big_endian());
	lbr->call_stack = lbr->ctl & CTL_CALL_STACK;
	lbr->last_event = read_entry(p + OFF_LER);
	if (lbr->depth > min_u64(XSAVE_LBR_MAX, (room - OFF_ENTRIES) / ENTRY_SIZE))
		return err_set(e, -EINVAL,
			       "LBR state says %llu entries, %llu bytes hold at most %llu",
			       (unsigned long long)lbr->depth, (unsigned long long)room,
			       (unsigned long long)((room - OFF_ENTRIES) / ENTRY_SIZE));
	/* the list ends at the first entry that was never written */
	for (unsigned i = 0; i < lbr->depth; i++) {
		struct xsave_lbr_entry entry = read_entry(p + OFF_ENTRIES + ENTRY_SIZE * i);

		if (!entry.from)
			break;
		lbr->entry[lbr->nr++] = entry;
	}
	return 0;
}
