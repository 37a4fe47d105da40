// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a schedule comes from, and the two designs side by side.
 *
 * A schedule as text has one event per line, "#" starts a comment:
 *	start TID | exit TID | lbr-begin TID | lbr-end TID | switch CPU PREV NEXT
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "cli/cli.h"
#include "xstate/xstate-int.h"

#define TEXT_MAX (64 << 20)

/* ---- a made schedule: round robin on every CPU ----------------------------------------------------- */

struct made {
	uint64_t tasks, lbr, switches, cpus;
};

static int parse_made(struct made *m, const char *spec, struct err *e)
{
	struct {
		const char *name;
		uint64_t *v, max;
	} keys[] = { { "tasks", &m->tasks, 1 << 20 },
		     { "lbr", &m->lbr, 1 << 20 },
		     { "switches", &m->switches, 1 << 30 },
		     { "cpus", &m->cpus, 4096 } };
	char word[64];

	while (*spec) {
		size_t n = strcspn(spec, ","), i;
		char *eq;

		snprintf(word, sizeof(word), "%.*s", (int)min_u64(n, sizeof(word) - 1), spec);
		eq = strchr(word, '=');
		if (eq)
			*eq = 0;
		for (i = 0; i < ARRAY_SIZE(keys); i++)
			if (!strcmp(word, keys[i].name))
				break;
		if (i == ARRAY_SIZE(keys) || !eq || cli_parse_u64(eq + 1, keys[i].v) ||
		    *keys[i].v > keys[i].max)
			return err_set(
				e, -EINVAL,
				"made schedule: '%.*s' is not tasks=N, lbr=N, switches=N or cpus=N",
				(int)n, spec);
		spec += n + (spec[n] == ',');
	}
	if (!m->tasks || !m->cpus || m->lbr > m->tasks)
		return err_set(e, -EINVAL,
			       "made schedule: needs tasks, cpus, and no more lbr than tasks");
	return 0;
}

/* Tasks t with t % cpus == cpu take turns there; those that use LBR are spread evenly. */
static int run_made(struct xsave_sim *sim, const struct made *m)
{
	uint64_t *turn = calloc(m->cpus, sizeof(*turn));
	int ret = turn ? 0 : -ENOMEM;

	for (uint64_t i = 0; !ret && i < m->tasks; i++) {
		struct xsave_sim_event ev = { XSAVE_SIM_START, 0, i + 1, 0 };

		ret = xsave_sim_event(sim, &ev);
		ev.kind = XSAVE_SIM_LBR_BEGIN;
		if (!ret && i * m->lbr / m->tasks != (i + 1) * m->lbr / m->tasks)
			ret = xsave_sim_event(sim, &ev);
	}
	for (uint64_t i = 0; !ret && i < m->switches; i++) {
		uint64_t cpu = i % m->cpus;
		uint64_t mine = m->tasks / m->cpus + (cpu < m->tasks % m->cpus);
		struct xsave_sim_event ev = { .kind = XSAVE_SIM_SWITCH, .cpu = cpu };

		if (mine < 2)
			continue;
		ev.task = cpu + m->cpus * turn[cpu] + 1;
		turn[cpu] = (turn[cpu] + 1) % mine;
		ev.next = cpu + m->cpus * turn[cpu] + 1;
		ret = xsave_sim_event(sim, &ev);
	}
	free(turn);
	return ret;
}

/* ---- a schedule as text ---------------------------------------------------------------------------- */

static bool parse_line(char *line, struct xsave_sim_event *ev)
{
	static const struct {
		const char *word;
		enum xsave_sim_kind kind;
		unsigned numbers;
	} kinds[] = { { "start", XSAVE_SIM_START, 1 },
		      { "exit", XSAVE_SIM_EXIT, 1 },
		      { "lbr-begin", XSAVE_SIM_LBR_BEGIN, 1 },
		      { "lbr-end", XSAVE_SIM_LBR_END, 1 },
		      { "switch", XSAVE_SIM_SWITCH, 3 } };
	const char *words[1 + 3], *word;
	uint64_t n[3] = { 0 };
	unsigned got = 0;

	while ((word = strsep(&line, " \t"))) {
		if (!*word)
			continue;
		if (got == ARRAY_SIZE(words))
			return false;
		words[got++] = word;
	}
	for (unsigned i = 1; i < got; i++)
		if (cli_parse_u64(words[i], &n[i - 1]) || n[i - 1] > UINT32_MAX)
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (got != kinds[i].numbers + 1 || strcmp(words[0], kinds[i].word))
			continue;
		*ev = (struct xsave_sim_event){ .kind = kinds[i].kind, .task = n[0] };
		if (ev->kind == XSAVE_SIM_SWITCH)
			*ev = (struct xsave_sim_event){ XSAVE_SIM_SWITCH, n[0], n[1], n[2] };
		return true;
	}
	return false;
}

static int run_text(struct xsave_sim *sim, const char *path, char *text, struct err *e)
{
	char *save = NULL, *p = text;
	unsigned long nr = 0;

	/* strsep keeps empty lines, so that the line number is right */
	while ((save = strsep(&p, "\n"))) {
		struct xsave_sim_event ev;

		nr++;
		save[strcspn(save, "#\r")] = 0;
		if (!save[strspn(save, " \t")])
			continue;
		if (!parse_line(save, &ev))
			return err_set(
				e, -EINVAL,
				"%s: line %lu is not 'start TID', 'exit TID', 'lbr-begin TID', "
				"'lbr-end TID' or 'switch CPU PREV NEXT'",
				path, nr);
		if (xsave_sim_event(sim, &ev))
			return err_set(e, -ENOMEM, "no memory for the simulation");
	}
	return 0;
}

static bool is_recording(const char *path)
{
	char magic[8] = "";
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(magic, 1, sizeof(magic), f) : 0;

	if (f)
		fclose(f);
	return n == 8 && (!memcmp(magic, "PERFILE2", 8) || !memcmp(magic, "2ELIFREP", 8));
}

static int run_file(struct xsave_sim *sim, const char *path, const struct log_sink *log,
		    struct err *e)
{
	size_t size;
	char *text;
	int ret;

	if (is_recording(path))
		return xstate_feed_recording(sim, path, log, e);
	text = file_read_all(path, TEXT_MAX, &size, e);
	if (!text)
		return e->code;
	/* A line behind it would not be seen. */
	if (strlen(text) != size)
		ret = err_set(e, -EINVAL, "%s is no text: there is a NUL byte in it", path);
	else
		ret = run_text(sim, path, text, e);
	free(text);
	return ret;
}

/* ---- the result -------------------------------------------------------------------------------------- */

static const struct emit_column columns[] = {
	{ "figure", "", false },
	{ "always", "in every task", true },
	{ "on_demand", "on demand", true },
};

static int print_stats(struct emit *e, const struct xsave_sim_stats *st)
{
	const struct xsave_sim_side *a = &st->always, *d = &st->on_demand;
	const struct {
		const char *name;
		uint64_t always, on_demand;
	} rows[] = {
		{ "peak bytes of state buffers", a->bytes_peak, d->bytes_peak },
		{ "saves of LBR state", a->saves, d->saves },
		{ "restores of LBR state", a->restores, d->restores },
		{ "bytes moved for LBR state", a->dynamic_bytes_moved, d->dynamic_bytes_moved },
		{ "bytes moved by all switches", a->bytes_moved, d->bytes_moved },
	};
	struct emit_table *t = emit_table_new(columns, ARRAY_SIZE(columns));

	if (!t)
		return -ENOMEM;
	emit_u64(e, "tasks", st->tasks);
	emit_u64(e, "tasks at a time", st->tasks_peak);
	emit_u64(e, "buffers for LBR", st->users);
	emit_u64(e, "buffers at a time", st->users_peak);
	emit_u64(e, "switches", st->switches);
	emit_u64(e, "events ignored", st->ignored);
	emit_hex(e, "IA32_XSS, constant", st->xss);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		emit_table_cell(t, "%s", rows[i].name);
		emit_table_cell(t, "%llu", (unsigned long long)rows[i].always);
		emit_table_cell(t, "%llu", (unsigned long long)rows[i].on_demand);
	}
	emit_table_print(t, e, "designs");
	emit_table_free(t);
	return 0;
}

int xstate_simulate(struct emit *e, const struct xsave_cpu *cpu, const char *source,
		    const struct log_sink *log, struct err *err)
{
	struct made m = { .tasks = 100, .lbr = 1, .switches = 100000, .cpus = 1 };
	struct xsave_sim *sim = xsave_sim_new(cpu, err);
	bool made = !strcmp(source, "made") || !strncmp(source, "made:", 5);
	int ret;

	if (!sim)
		return err->code;
	emit_str(e, "cpu", cpu->title);
	if (!made)
		ret = run_file(sim, source, log, err);
	else if (source[4])
		ret = parse_made(&m, source + 5, err);
	else
		ret = 0;
	if (!ret && made && run_made(sim, &m))
		ret = err_set(err, -ENOMEM, "no memory for the schedule");
	if (!ret && print_stats(e, xsave_sim_stats(sim)))
		ret = err_set(err, -ENOMEM, "no memory for the table");
	xsave_sim_free(sim);
	return ret;
}
