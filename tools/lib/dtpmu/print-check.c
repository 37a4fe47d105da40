// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Answers of dtpmu_check() as text or JSON: can these events be counted together? One group is
 * answered at length. Of many an event that does not exist or a refusal is the answer of its group
 * and no end: whoever checks a thousand wants all answers.
 */
#include "dtpmu/dtpmu.h"
#include "emit/emit.h"

static void emit_registers(struct dtpmu_checks *c, const struct dtpmu_answer *a)
{
	char name[16];

	emit_object(c->out, "registers");
	for (unsigned i = 0; i < DTPMU_MAX_MMCR; i++) {
		bool known = a->mmcr[i] != 0;

		vec_for_each (s, &c->pmu->mmcrs)
			known |= s->number == i;
		if (known)
			emit_hex(c->out, dtpmu_mmcr_name(i, name), a->mmcr[i]);
	}
	emit_end(c->out);
}

/* *@reserved: the kernel refuses to open one of them. */
static int emit_uses(struct dtpmu_checks *c, const struct dtpmu_answer *a, char **names,
		     bool *reserved, struct err *e)
{
	static const struct emit_column cols[] = {
		{ "event", "EVENT", false },	      { "code", "CODE", false },
		{ "counts", "COUNTED AS", false },    { "pmc", "PMC", true },
		{ "mask", "CONSTRAINT MASK", false }, { "value", "VALUE", false },
		{ "open", "OPENING", false },
	};
	struct emit_table *t = emit_table_new(cols, ARRAY_SIZE(cols));

	if (!t)
		return err_set(e, -ENOMEM, "no memory for a table");
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
		*reserved |= u->reserved != NULL;
	}
	if (c->out->format == EMIT_TEXT)
		obuf_char(c->out->o, '\n');
	emit_table_print(t, c->out, "events");
	emit_table_free(t);
	return 0;
}

static void emit_conflict(struct dtpmu_checks *c, const struct dtpmu_answer *a)
{
	char names[512];

	if (a->conflict_at < 0)
		return;
	emit_s64(c->out, "clashing event", a->conflict_at + 1);
	if (a->conflict_with >= 0) /* no single one: it finds no room beside all of them */
		emit_s64(c->out, "with event", a->conflict_with + 1);
	emit_hex(c->out, "clashing bits", a->conflict_bits);
	emit_str(c->out, "constraint",
		 dtpmu_conflict_names(c->pmu, a->conflict_bits, names, sizeof(names)));
	emit_u64(c->out, "placements tried", a->tried);
}

/* *@refused: the group as a whole, or one of its events. */
static int check_names(struct dtpmu_checks *c, char **names, size_t nr, bool *refused,
		       struct err *e)
{
	static const char *const verdicts[] = { "ok", "too many events", "invalid event",
						"conflict" };
	struct dtpmu_want w[DTPMU_MAX_GROUP];
	struct dtpmu_answer a;
	char text[768];

	if (!nr)
		return err_set(e, -EINVAL, "a group without events");
	if (nr > DTPMU_MAX_GROUP)
		return err_set(e, -E2BIG, "a group of %zu events: the limit is %d", nr,
			       DTPMU_MAX_GROUP);
	for (size_t i = 0; i < nr; i++)
		if (dtpmu_parse_event(c->pmu, names[i], &w[i], e))
			return err_context(e, "event %zu, '%s'", i + 1, names[i]);
	dtpmu_check(c->pmu, w, nr, c->flags, &a);
	emit_str(c->out, "verdict", verdicts[a.verdict]);
	emit_str(c->out, "because", dtpmu_explain(c->pmu, &a, text, sizeof(text)));
	if (a.verdict == DTPMU_OK)
		emit_registers(c, &a);
	else
		emit_conflict(c, &a);
	*refused = a.verdict != DTPMU_OK;
	return emit_uses(c, &a, names, refused, e);
}

int dtpmu_print_check(struct dtpmu_checks *c, char **names, size_t nr, struct err *e)
{
	bool refused = false;
	int ret = check_names(c, names, nr, &refused, e);

	c->groups++;
	c->refused += refused;
	return ret;
}

/* ---- many groups --------------------------------------------------------------------------------- */

/*
 * Cuts "a b,c" or "{a,b}" into names, in place: at blanks and, between slashes excepted, at commas.
 * More than the array has room for are counted and not stored.
 */
static size_t split(char *text, char **names, size_t room)
{
	bool quoted = false, in_name = false;
	size_t n = 0;

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

int dtpmu_print_group(struct dtpmu_checks *c, char *text, uint64_t line, struct err *e)
{
	char *names[DTPMU_MAX_GROUP + 1] = { NULL };
	bool refused = false;
	size_t nr;
	int ret;

	if (c->out->format == EMIT_TEXT && c->groups)
		obuf_char(c->out->o, '\n');
	emit_object(c->out, NULL);
	emit_str(c->out, "group", text);
	if (line)
		emit_u64(c->out, "line", line);
	nr = split(text, names, ARRAY_SIZE(names));
	ret = check_names(c, names, nr, &refused, e);
	if (ret && ret != -ENOMEM) {
		emit_str(c->out, "verdict", "invalid event");
		emit_str(c->out, "because", e->text);
		err_clear(e);
		refused = true;
		ret = 0;
	}
	emit_end(c->out);
	c->groups++;
	c->refused += refused;
	return ret;
}

int dtpmu_print_groups(struct dtpmu_checks *c, char *text, const char *name, struct err *e)
{
	uint64_t nr = 0;
	char *line;
	int ret = 0;

	while (!ret && (line = strsep(&text, "\n"))) {
		nr++;
		line[strcspn(line, "#")] = 0;
		line += strspn(line, " \t\r");
		if (*line)
			ret = dtpmu_print_group(c, line, nr, e);
	}
	if (!ret && !c->groups)
		ret = err_set(e, -ENODATA,
			      "%s has no groups: one a line, its events between blanks or commas",
			      name);
	return ret;
}
