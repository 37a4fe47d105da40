// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events with slashes: "cpu/event=0x3c/u", "uncore_imc/cas_count_read/", "cycles/period=1000/",
 * and breakpoints, "mem:0x1000/8:rw". A name may stand for a family of PMUs (uncore_imc_0,
 * uncore_imc_1, ...): then it is an event of each.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "events/events-int.h"

/* Does "uncore_imc_3" go by the name "uncore_imc", "imc" or a glob? */
static bool same_family(const char *pmu, const char *asked)
{
	size_t n = strlen(asked);
	const char *rest;

	if (strpbrk(asked, "*?["))
		return !fnmatch(asked, pmu, 0);
	if (!strncmp(pmu, "uncore_", 7) && strncmp(asked, "uncore_", 7))
		pmu += 7;
	if (strncmp(pmu, asked, n))
		return false;
	rest = pmu + n;
	if (*rest == '_')
		rest++;
	while (isxdigit((unsigned char)*rest))
		rest++;
	return *rest == '\0';
}

static int unknown_pmu(struct parse *ps, const char *at, const char *name)
{
	struct nearest s = nearest_init(name);
	char near[320];

	for (size_t i = 0; i < pmus_nr(ps->t); i++)
		nearest_offer(&s, pmus_at(ps->t, i)->name);
	nearest_print(&s, near, sizeof(near));
	parse_error(ps, -ENOENT, at, "no PMU '%.64s' on this machine", name);
	if (!strncmp(name, "cpu", 3))
		err_hint(
			ps->e,
			"/sys/bus/event_source/devices has no %s: a VM without a virtual PMU shows none.\n"
			"The clock works everywhere: -e cpu-clock; -e cycles becomes it where there is no PMU.",
			name);
	else if (near[0])
		err_hint(ps->e, "Did you mean %s?", near);
	else
		err_hint(ps->e, "'perf list' shows the PMUs of this machine.");
	return -ENOENT;
}

/* Terms of events that need no PMU: those added since @first. */
static int apply_to_all(struct parse *ps, size_t first, const struct terms *terms)
{
	int ret = 0;

	for (size_t i = first; !ret && i < ps->l->n; i++)
		ret = parse_apply_terms(ps, &ps->l->v[i], NULL, terms);
	return ret;
}

/* Behind the closing slash modifiers stand with or without a colon. */
static int modifiers_of_terms(struct parse *ps, size_t first)
{
	if (*ps->p == ':')
		ps->p++;
	if (!*ps->p || strchr(",{}: \t\n\r", *ps->p))
		return 0;
	return parse_modifiers(ps, first, false);
}

int parse_terms_behind(struct parse *ps, size_t first)
{
	struct terms terms = { 0 };
	int ret;

	ps->p++;
	ret = parse_terms(ps, &terms);
	if (!ret)
		ret = apply_to_all(ps, first, &terms);
	free(terms.v);
	return ret ? ret : modifiers_of_terms(ps, first);
}

static int add_for_pmu(struct parse *ps, struct pmu *pmu, const char *text, size_t len,
		       const struct terms *terms)
{
	struct event *ev;

	if (pmu_load(ps->t, pmu))
		return parse_no_memory(ps);
	ev = parse_new_event(ps, text, len);
	return ev ? parse_apply_terms(ps, ev, pmu, terms) : -ENOMEM;
}

int parse_pmu_event(struct parse *ps, const char *word, size_t len)
{
	struct terms terms = { 0 };
	size_t first = ps->l->n;
	struct pmu *exact;
	char name[128];
	int ret;

	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	ps->p = word + len + 1;
	ret = parse_terms(ps, &terms);
	if (ret)
		goto out;
	exact = pmus_find(ps->t, name);
	if (exact)
		ret = add_for_pmu(ps, exact, word, (size_t)(ps->p - word), &terms);
	for (size_t i = 0; !ret && !exact && i < pmus_nr(ps->t); i++) {
		struct pmu *pmu = pmus_at(ps->t, i);

		if (same_family(pmu->name, name))
			ret = add_for_pmu(ps, pmu, word, (size_t)(ps->p - word), &terms);
	}
	if (!ret && ps->l->n == first) {
		ret = parse_symbol(ps, word, len);
		if (ret == -ENOENT)
			ret = unknown_pmu(ps, word, name);
		if (!ret)
			ret = apply_to_all(ps, first, &terms);
	}
	if (!ret)
		ret = modifiers_of_terms(ps, first);
out:
	free(terms.v);
	return ret;
}

/* ---- breakpoints ------------------------------------------------------------------------------ */

enum {
	BP_R = 1,
	BP_W = 2,
	BP_X = 4,
};

/* ps->p behind ':': "rw" and the like; 0 when these letters are no access. */
static uint32_t parse_access(const char *s, size_t len)
{
	uint32_t type = 0;

	for (size_t i = 0; i < len; i++) {
		uint32_t bit = s[i] == 'r' ? BP_R : s[i] == 'w' ? BP_W : s[i] == 'x' ? BP_X : 0;

		if (!bit || type & bit)
			return 0;
		type |= bit;
	}
	return type;
}

int parse_breakpoint(struct parse *ps)
{
	const char *start = ps->p, *addr = start + 4;
	uint64_t where, size = 0;
	uint32_t access = 0;
	struct event *ev;
	char *end;

	errno = 0;
	where = strtoull(addr, &end, 0);
	if (end == addr || errno)
		return parse_error(
			ps, -EINVAL, addr,
			"a breakpoint is mem:ADDRESS[/LENGTH][:ACCESS], the address a number");
	if (*end == '/' && isdigit((unsigned char)end[1])) { /* else terms begin */
		const char *at = end + 1;

		size = strtoull(at, &end, 0);
		if (end == at || (size != 1 && size != 2 && size != 4 && size != 8))
			return parse_error(ps, -EINVAL, at, "a length is 1, 2, 4 or 8");
	}
	ps->p = end;
	if (*end == ':') {
		size_t len = strcspn(end + 1, ",{}:/ \t\n\r");

		access = parse_access(end + 1, len);
		if (access)
			ps->p = end + 1 + len;
		else if (!parse_is_modifiers(end + 1, len))
			return parse_error(ps, -EINVAL, end + 1, "an access is of r, w and x");
	}
	if (!access)
		access = BP_R | BP_W;
	if (access & BP_X && access != BP_X)
		return parse_error(ps, -EINVAL, end + 1, "x cannot be combined with r or w");
	ev = parse_new_event(ps, start, (size_t)(ps->p - start));
	if (!ev)
		return -ENOMEM;
	ev->attr.type = PERF_TYPE_BREAKPOINT;
	ev->attr.bp_type = access;
	ev->attr.bp_addr = where;
	/* Execution is watched at an instruction's first byte; the ABI wants sizeof(long). */
	ev->attr.bp_len = size ? size : access == BP_X ? sizeof(long) : 4;
	return 0;
}
