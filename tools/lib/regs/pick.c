// SPDX-License-Identifier: GPL-2.0-or-later
/* --regs: which registers of a recording to show. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/nearest.h"
#include "regs/private.h"

static const char *const vector_names[] = { "xmm", "ymm", "zmm", "vec" };
static const char *const pred_names[] = { "k", "opmask", "pred" };

static uint64_t bits_between(unsigned lo, unsigned hi)
{
	return (hi >= 63 ? UINT64_MAX : BIT(hi + 1) - 1) & ~(BIT(lo) - 1);
}

/* "3", "3-7", "3-zmm7" and "" (all) behind a class name; false when it is none of them. */
static bool numbers(const char *s, const char *cls, uint64_t *bits)
{
	char *end;
	unsigned long lo, hi;

	if (!*s) {
		*bits = UINT64_MAX;
		return true;
	}
	if (!isdigit((unsigned char)*s))
		return false;
	lo = hi = strtoul(s, &end, 10);
	if (*end == '-') {
		s = end + 1;
		if (!strncasecmp(s, cls, strlen(cls)))
			s += strlen(cls);
		if (!isdigit((unsigned char)*s))
			return false;
		hi = strtoul(s, &end, 10);
	}
	if (*end || lo > hi || hi > 63)
		return false;
	*bits = bits_between((unsigned)lo, (unsigned)hi);
	return true;
}

static bool pick_class(const char *name, const char *const *classes, size_t nr, uint64_t *mask)
{
	for (size_t i = 0; i < nr; i++) {
		size_t n = strlen(classes[i]);
		uint64_t bits;

		if (!strncasecmp(name, classes[i], n) && numbers(name + n, classes[i], &bits)) {
			*mask |= bits;
			return true;
		}
	}
	return false;
}

static int unknown(const char *name, enum regs_arch arch, struct err *e)
{
	struct nearest near = nearest_init(name);
	char buf[128];

	for (unsigned i = 0; i < 64; i++) {
		const char *known = regs_find_name(arch, i, true);

		if (known)
			nearest_offer(&near, known);
	}
	for (size_t i = 0; i < ARRAY_SIZE(vector_names); i++)
		nearest_offer(&near, vector_names[i]);
	nearest_print(&near, buf, sizeof(buf));
	err_set(e, -EINVAL, "--regs: unknown register \"%s\"", name);
	if (*buf)
		err_hint(e, "Did you mean %s?", buf);
	else
		err_hint(e, "Registers are zmm3, ymm0-7, k1, ax and the like.");
	return -EINVAL;
}

static int pick_one(struct regs_pick *p, const char *name, enum regs_arch arch, struct err *e)
{
	bool found = false;

	for (unsigned i = 0; i < 64; i++) {
		const char *known = regs_find_name(arch, i, true);

		if (known && !strcasecmp(known, name)) {
			p->gpr |= BIT(i);
			found = true;
		}
	}
	if (found || pick_class(name, vector_names, ARRAY_SIZE(vector_names), &p->vec) ||
	    pick_class(name, pred_names, ARRAY_SIZE(pred_names), &p->pred))
		return 0;
	return unknown(name, arch, e);
}

int regs_pick_parse(struct regs_pick *p, const char *list, enum regs_arch arch, struct err *e)
{
	char name[64];

	for (;; list++) {
		size_t n = strcspn(list, ",");
		int ret;

		snprintf(name, sizeof(name), "%.*s", (int)(n < sizeof(name) ? n : sizeof(name)),
			 list);
		ret = pick_one(p, name, arch, e);
		if (ret)
			return ret;
		list += n;
		if (!*list)
			return 0;
	}
}
