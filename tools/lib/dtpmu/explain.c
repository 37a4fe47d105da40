// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why a group is refused, in words: which two events, which constraint, and which values they
 * would need of it. The answer of dtpmu_check() has only numbers; nothing is decided here.
 */
#include <stdio.h>

#include "tree-int.h"

static const char *add_name(char *buf, size_t size, const char *name)
{
	size_t len = strlen(buf);

	snprintf(buf + len, size - len, "%s%s", len ? "|" : "", name);
	return buf;
}

const char *dtpmu_conflict_names(const struct dtpmu *pmu, uint64_t bits, char *buf, size_t size)
{
	uint64_t mask, value;
	char pmc[16];

	buf[0] = 0;
	if (bits == ~0ULL)
		return add_name(buf, size, "counters");
	for (uint32_t p = 1; p <= pmu->nr_pmc; p++) {
		dtpmu_pmc_bits(pmu, p, &mask, &value);
		snprintf(pmc, sizeof(pmc), "PMC%u", p);
		if (bits & (mask | value))
			add_name(buf, size, pmc);
	}
	if (bits & pmu->nc_mask)
		add_name(buf, size, "NC");
	vec_for_each (c, &pmu->constraints)
		if (bits & c->mask & ~pmu->nc_mask)
			add_name(buf, size, c->name);
	return buf;
}

static const char *event_text(const struct dtpmu *pmu, const struct dtpmu_want *w, char *buf,
			      size_t size)
{
	const struct dtpmu_event *ev = dtpmu_event_of(pmu, w->config, w->config1);

	if (ev)
		snprintf(buf, size, "%.60s (0x%llx)", ev->name, (unsigned long long)w->config);
	else
		snprintf(buf, size, "0x%llx", (unsigned long long)w->config);
	return buf;
}

/* Both values of the constraint that clashes, for the first one in @bits. */
static void value_text(const struct dtpmu *pmu, const struct dtpmu_answer *a, char *buf,
		       size_t size)
{
	buf[0] = 0;
	if (a->conflict_with < 0)
		return;
	vec_for_each (c, &pmu->constraints) {
		if (!(a->conflict_bits & c->mask) || a->conflict_bits == ~0ULL)
			continue;
		snprintf(
			buf, size, ": one needs 0x%llx, the other 0x%llx",
			(unsigned long long)((a->use[a->conflict_with].value & c->mask) >>
					     c->shift),
			(unsigned long long)((a->use[a->conflict_at].value & c->mask) >> c->shift));
		return;
	}
}

static const char *conflict_text(const struct dtpmu *pmu, const struct dtpmu_answer *a, char *buf,
				 size_t size)
{
	char names[256], one[96], two[96], values[96], tried[80] = "";

	if (a->conflict_at < 0) {
		snprintf(buf, size,
			 "the events fit one by one, but the group as a whole breaks the "
			 "rule that a group with cache events has one on PMC4");
		return buf;
	}
	dtpmu_conflict_names(pmu, a->conflict_bits, names, sizeof(names));
	event_text(pmu, &a->want[a->conflict_at], two, sizeof(two));
	if (a->tried)
		snprintf(tried, sizeof(tried), " (%llu placements of alternatives tried%s)",
			 (unsigned long long)a->tried, a->gave_up ? ", of more" : "");
	value_text(pmu, a, values, sizeof(values));
	if (a->conflict_with >= 0)
		snprintf(buf, size, "event %d, %s, and event %d, %s, clash on %s%s%s",
			 a->conflict_with + 1,
			 event_text(pmu, &a->want[a->conflict_with], one, sizeof(one)),
			 a->conflict_at + 1, two, names, values, tried);
	else
		snprintf(buf, size, "event %d, %s, finds no room beside the %d before it: %s%s",
			 a->conflict_at + 1, two, a->conflict_at, names, tried);
	return buf;
}

const char *dtpmu_explain(const struct dtpmu *pmu, const struct dtpmu_answer *a, char *buf,
			  size_t size)
{
	char one[96];

	switch (a->verdict) {
	case DTPMU_OK: snprintf(buf, size, "the events can be counted together"); break;
	case DTPMU_TOO_MANY:
		snprintf(buf, size, "more events than the %zu counters", a->limit);
		break;
	case DTPMU_INVALID:
		snprintf(buf, size, "event %d, %s, can never be counted: %s", a->invalid_at + 1,
			 event_text(pmu, &a->want[a->invalid_at], one, sizeof(one)),
			 a->use[a->invalid_at].why);
		break;
	case DTPMU_CONFLICT: return conflict_text(pmu, a, buf, size);
	}
	return buf;
}
