// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --regs: which registers of a recording to show. Names are of the file's architecture; a class
 * with a number that it does not have is told apart from a name that nobody knows.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/tables.h"
#include "base/nearest.h"
#include "regs/regs-int.h"

struct pick_class {
	const char *name;
	unsigned nr; /* registers it can have */
	bool x86;    /* there, and there alone; the others elsewhere */
};

static const struct pick_class vector_names[] = {
	{ "xmm", 32, true }, { "ymm", 32, true }, { "zmm", 32, true }, { "vec", 64, false }
};
static const struct pick_class pred_names[] = { { "k", 8, true },
						{ "opmask", 8, true },
						{ "pred", 64, false } };

static uint64_t bits_between(unsigned lo, unsigned hi)
{
	return (hi >= 63 ? UINT64_MAX : BIT(hi + 1) - 1) & ~(BIT(lo) - 1);
}

/* "3", "3-7", "3-zmm7" and "" (all) behind a class name; false when it is none of them. */
static bool numbers(const char *s, const struct pick_class *c, uint64_t *bits)
{
	const char *cls = c->name;
	char *end;
	unsigned long lo, hi;

	if (!*s) {
		*bits = bits_between(0, c->nr - 1);
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
	if (*end || lo > hi || hi >= c->nr)
		return false;
	*bits = bits_between((unsigned)lo, (unsigned)hi);
	return true;
}

static bool pick_class(const char *name, const struct pick_class *classes, size_t nr,
		       enum regs_arch arch, uint64_t *mask)
{
	for (size_t i = 0; i < nr; i++) {
		size_t n = strlen(classes[i].name);
		uint64_t bits;

		if (classes[i].x86 == (arch == REGS_ARCH_X86) &&
		    !strncasecmp(name, classes[i].name, n) &&
		    numbers(name + n, &classes[i], &bits)) {
			*mask |= bits;
			return true;
		}
	}
	return false;
}

/* "zmm40": the class is right, the number is not. */
static bool class_of(const char *name, const struct pick_class *classes, size_t nr,
		     enum regs_arch arch, struct err *e)
{
	for (size_t i = 0; i < nr; i++) {
		const struct pick_class *c = &classes[i];

		if (c->x86 != (arch == REGS_ARCH_X86) ||
		    strncasecmp(name, c->name, strlen(c->name)) != 0 ||
		    !isdigit((unsigned char)name[strlen(c->name)]))
			continue;
		err_set(e, -EINVAL, "there is no register \"%s\"", name);
		err_hint(e, "They are %s0 to %s%u.", c->name, c->name, c->nr - 1);
		return true;
	}
	return false;
}

static int unknown(const char *name, enum regs_arch arch, struct err *e)
{
	struct nearest near = nearest_init(name);
	char buf[128];

	if (class_of(name, vector_names, ARRAY_SIZE(vector_names), arch, e) ||
	    class_of(name, pred_names, ARRAY_SIZE(pred_names), arch, e))
		return -EINVAL;
	for (unsigned i = 0; i < 64; i++) {
		const char *known = regs_find_name(arch, i, true);

		if (known)
			nearest_offer(&near, known);
	}
	for (size_t i = 0; i < ARRAY_SIZE(vector_names); i++)
		if (vector_names[i].x86 == (arch == REGS_ARCH_X86))
			nearest_offer(&near, vector_names[i].name);
	nearest_print(&near, buf, sizeof(buf));
	err_set(e, -EINVAL, "unknown register \"%s\"", name);
	if (*buf)
		err_hint(e, "Did you mean %s?", buf);
	else
		err_hint(e, arch == REGS_ARCH_X86
				    ? "Registers are zmm3, ymm0-7, k1, ax and the like."
				    : "Registers are vec3, pred0-7 and general ones.");
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
	if (found || pick_class(name, vector_names, ARRAY_SIZE(vector_names), arch, &p->vec) ||
	    pick_class(name, pred_names, ARRAY_SIZE(pred_names), arch, &p->pred))
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
