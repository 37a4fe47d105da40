// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf pmu-dt check: can these events be counted together? One group is answered at length. Of many
 * (each argument in braces is one, each line of a file is one) an event that does not exist or a
 * refusal is the answer of its group and no end: whoever checks a thousand wants all answers.
 */
#include <stdlib.h>

#include "pmu-dt.h"

#define GROUPS_MAX (16 << 20) /* bytes of a file */

static void emit_registers(struct pmu_dt_ctx *c, const struct dtpmu *pmu,
			   const struct dtpmu_answer *a)
{
	char name[16];

	emit_object(c->e, "registers");
	for (unsigned i = 0; i < DTPMU_MAX_MMCR; i++) {
		bool known = a->mmcr[i] != 0;

		vec_for_each (s, &pmu->mmcrs)
			known |= s->number == i;
		if (known)
			emit_hex(c->e, dtpmu_mmcr_name(i, name), a->mmcr[i]);
	}
	emit_end(c->e);
}

static int emit_uses(struct pmu_dt_ctx *c, const struct dtpmu_answer *a, char **names)
{
	static const struct emit_column cols[] = {
		{ "event", "EVENT", false },	      { "code", "CODE", false },
		{ "counts", "COUNTED AS", false },    { "pmc", "PMC", true },
		{ "mask", "CONSTRAINT MASK", false }, { "value", "VALUE", false },
		{ "open", "OPENING", false },
	};
	struct emit_table *t = emit_table_new(cols, ARRAY_SIZE(cols));

	if (!t)
		return err_set(c->err, -ENOMEM, "no memory for a table");
	for (size_t i = 0; i < a->nr; i++) {
		const struct dtpmu_use *u = &a->use[i];

		emit_table_cell(t, "%s", names[i]);
		emit_table_cell(t, "0x%llx", (unsigned long long)a->want[i].config);
		emit_table_cell(t, "0x%llx", (unsigned long long)u->config);
		emit_table_cell(t, "%u", u->pmc);
		emit_table_cell(t, "0x%llx", (unsigned long long)u->mask);
		emit_table_cell(t, "0x%llx", (unsigned long long)u->value);
		if (u->reserved)
			emit_table_cell(t, "refused: reserved %s", u->reserved->name);
		else
			emit_table_cell(t, "%s", u->valid ? "ok" : "refused");
		c->status |= u->reserved != NULL;
	}
	if (c->e->format == EMIT_TEXT)
		obuf_char(c->e->o, '\n');
	emit_table_print(t, c->e, "events");
	emit_table_free(t);
	return 0;
}

static void emit_conflict(struct pmu_dt_ctx *c, const struct dtpmu *pmu,
			  const struct dtpmu_answer *a)
{
	char names[512];

	if (a->conflict_at < 0)
		return;
	emit_s64(c->e, "clashing event", a->conflict_at + 1);
	emit_s64(c->e, "with event", a->conflict_with + 1);
	emit_hex(c->e, "clashing bits", a->conflict_bits);
	emit_str(c->e, "constraint",
		 dtpmu_conflict_names(pmu, a->conflict_bits, names, sizeof(names)));
	emit_u64(c->e, "placements tried", a->tried);
}

static int check_names(struct pmu_dt_ctx *c, const struct dtpmu *pmu, int nr, char **names)
{
	static const char *const verdicts[] = { "ok", "too many events", "invalid event",
						"conflict" };
	struct dtpmu_want w[DTPMU_MAX_GROUP];
	struct dtpmu_answer a;
	char text[768];

	if (!nr)
		return err_set(c->err, -EINVAL, "a group without events");
	if (nr > DTPMU_MAX_GROUP)
		return err_set(c->err, -E2BIG, "a group of %d events: the limit is %d", nr,
			       DTPMU_MAX_GROUP);
	for (int i = 0; i < nr; i++)
		if (dtpmu_parse_event(pmu, names[i], &w[i], c->err))
			return err_context(c->err, "event %d, '%s'", i + 1, names[i]);
	dtpmu_check(pmu, w, (size_t)nr, c->o->guest ? DTPMU_GUEST : 0, &a);
	emit_str(c->e, "verdict", verdicts[a.verdict]);
	emit_str(c->e, "because", dtpmu_explain(pmu, &a, text, sizeof(text)));
	if (a.verdict == DTPMU_OK)
		emit_registers(c, pmu, &a);
	else
		emit_conflict(c, pmu, &a);
	c->status |= a.verdict != DTPMU_OK;
	return emit_uses(c, &a, names);
}

/* ---- many groups --------------------------------------------------------------------------------- */

struct count {
	uint64_t groups, refused;
};

/*
 * Cuts "a b,c" or "{a,b}" into names, in place: at blanks and, between slashes excepted, at commas.
 * More than the array has room for are counted and not stored.
 */
static int split(char *text, char **names, int room)
{
	bool quoted = false, in_name = false;
	int n = 0;

	for (char *p = text; *p; p++) {
		bool end = strchr(" \t\r{}", *p) || (*p == ',' && !quoted);

		if (*p == '/')
			quoted = !quoted;
		if (end)
			*p = 0;
		else if (!in_name && n++ < room)
			names[n - 1] = p;
		in_name = !end;
	}
	return n;
}

static int check_one(struct pmu_dt_ctx *c, const struct dtpmu *pmu, char *text, uint64_t line,
		     struct count *count)
{
	char *names[DTPMU_MAX_GROUP + 1] = { NULL };
	int status = c->status, ret;

	if (c->e->format == EMIT_TEXT && count->groups)
		obuf_char(c->e->o, '\n');
	emit_object(c->e, NULL);
	emit_str(c->e, "group", text);
	if (line)
		emit_u64(c->e, "line", line);
	ret = split(text, names, DTPMU_MAX_GROUP + 1);
	c->status = 0;
	ret = check_names(c, pmu, ret, names);
	if (ret && ret != -ENOMEM) {
		emit_str(c->e, "verdict", "invalid event");
		emit_str(c->e, "because", c->err->text);
		*c->err = (struct err){ 0 };
		c->status = 1;
		ret = 0;
	}
	emit_end(c->e);
	count->groups++;
	count->refused += c->status != 0;
	c->status |= status;
	return ret;
}

static int check_file(struct pmu_dt_ctx *c, const struct dtpmu *pmu, struct count *count)
{
	const char *path = strcmp(c->o->groups, "-") ? c->o->groups : "/dev/stdin";
	char *text = file_read_all(path, GROUPS_MAX, NULL, c->err), *rest = text, *line;
	uint64_t nr = 0;
	int ret = 0;

	if (!text)
		return c->err->code;
	while (!ret && (line = strsep(&rest, "\n"))) {
		nr++;
		line[strcspn(line, "#")] = 0;
		line += strspn(line, " \t\r");
		if (*line)
			ret = check_one(c, pmu, line, nr, count);
	}
	free(text);
	if (!ret && !count->groups)
		ret = err_set(c->err, -ENODATA,
			      "%s has no groups: one a line, its events between "
			      "blanks or commas",
			      c->o->groups);
	return ret;
}

int pmu_dt_check(struct pmu_dt_ctx *c, const struct dtpmu *pmu, int argc, char **argv)
{
	struct count count = { 0 };
	int ret = 0;

	emit_str(c->e, "pmu", pmu->name);
	if (!c->o->groups && argv[0][0] != '{')
		return check_names(c, pmu, argc, argv);
	emit_array(c->e, "groups");
	if (c->o->groups)
		ret = check_file(c, pmu, &count);
	for (int i = 0; i < argc && !ret; i++)
		ret = check_one(c, pmu, argv[i], 0, &count);
	emit_end(c->e);
	emit_u64(c->e, "groups checked", count.groups);
	emit_u64(c->e, "groups refused", count.refused);
	return ret;
}
