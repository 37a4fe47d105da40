// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accumulator: a row's period by where the CPU was: kernel or user, of the host or of a guest. A
 * sample in a hypervisor is in none of them, so that the four need not add up to the row.
 */
#include "keys-int.h"

struct modes {
	uint64_t sys, usr, guest_sys, guest_usr;
};

static int add(void *slot, const struct acc_in *in, void *state)
{
	struct modes *m = slot;

	(void)state;
	switch (in->s->cpumode) {
	case PERF_RECORD_MISC_KERNEL: m->sys += in->period; break;
	case PERF_RECORD_MISC_USER: m->usr += in->period; break;
	case PERF_RECORD_MISC_GUEST_KERNEL: m->guest_sys += in->period; break;
	case PERF_RECORD_MISC_GUEST_USER: m->guest_usr += in->period; break;
	}
	return 0;
}

static int merge(void *slot, const void *from, const struct acc_maps *maps)
{
	struct modes *m = slot;
	const struct modes *f = from;

	(void)maps;
	m->sys += f->sys;
	m->usr += f->usr;
	m->guest_sys += f->guest_sys;
	m->guest_usr += f->guest_usr;
	return 0;
}

#define MODE(name)                                                              \
	static uint64_t stat_##name(const struct keys_row *r, const void *slot) \
	{                                                                       \
		(void)r;                                                        \
		return ((const struct modes *)slot)->name;                      \
	}
MODE(sys)
MODE(usr)
MODE(guest_sys)
MODE(guest_usr)

#define COLUMN(width) \
	.at = KEY_STAT, .of = &keys_acc_modes, .percent = true, .min_width = (width), .right = true

static const struct key cols[] = {
	{ "overhead_sys", "sys", COLUMN(8), .stat = stat_sys },
	{ "overhead_us", "usr", COLUMN(8), .stat = stat_usr },
	{ "overhead_guest_sys", "guest sys", COLUMN(9), .stat = stat_guest_sys },
	{ "overhead_guest_us", "guest usr", COLUMN(9), .stat = stat_guest_usr },
};

const struct acc keys_acc_modes = {
	.name = "modes",
	.size = sizeof(struct modes),
	.cols = cols,
	.nr_cols = ARRAY_SIZE(cols),
	.needs_sample = true,
	.of_row = true,
	.add = add,
	.merge = merge,
};
