// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf pmu-dt: PMUs that a device tree describes: show, lint, decode, encode, check. Each verb is
 * a row of a table; what it says goes through emit, so that text and JSON are one. An error leaves
 * no half a document.
 */
#include "base/file.h"
#include "builtin.h"
#include "dtpmu/dtpmu.h"
#include "emit/emit.h"
#include "sandbox.h"

#include <stdlib.h>
#include <unistd.h>

#define GROUPS_MAX (16 << 20) /* bytes of a file */

struct pmu_dt_opts {
	const char *path, *pmu, *config1, *groups;
	bool json, guest, as_published, no_sandbox;
	int verbose;
};

struct pmu_dt {
	const struct pmu_dt_opts *o;
	struct emit *e;
	int status; /* of the program, when nothing fails */
	struct err *err;
};

static const struct option pmu_dt_options[] = {
	OPT_STRING(
		0, "pmu-dt", struct pmu_dt_opts, path, "PATH",
		"device tree: a .dtb, a .dts or a directory (default: $PERF_PMU_DT, this machine)"),
	OPT_STRING(0, "pmu", struct pmu_dt_opts, pmu, "NAME", "only this PMU of the tree"),
	OPT_STRING(0, "config1", struct pmu_dt_opts, config1, "VALUE",
		   "decode: the second word of the event"),
	OPT_STRING(0, "groups", struct pmu_dt_opts, groups, "FILE",
		   "check: the groups in this file, one a line; - is standard input"),
	OPT_BOOL(0, "guest", struct pmu_dt_opts, guest,
		 "check: for a guest's kernel instead of bare metal"),
	OPT_BOOL(0, "as-published", struct pmu_dt_opts, as_published,
		 "do not correct known faults of published trees"),
	OPT_BOOL(0, "no-sandbox", struct pmu_dt_opts, no_sandbox,
		 "read with all the rights of this process"),
	OPT_BOOL('j', "json", struct pmu_dt_opts, json, "print JSON"),
	OPT_INC('v', "verbose", struct pmu_dt_opts, verbose,
		"show: events too; lint: notes too; decode: fields that are 0 too"),
	OPT_END(),
};

static const char *const pmu_dt_usage[] = {
	"pmu-dt [show] [--pmu-dt PATH] [--pmu NAME] [-v] [--json]",
	"pmu-dt lint [--pmu-dt PATH] [-v] [--json]",
	"pmu-dt decode CODE... [--config1 VALUE] [-v] [--json]",
	"pmu-dt encode TERM=VALUE,... [--json]",
	"pmu-dt check {EVENT... | '{EVENT,...}'... | --groups FILE} [--guest] [--json]",
	NULL,
};

static int do_show(struct pmu_dt *c, const struct dtpmu *pmu, int argc, char **argv)
{
	(void)argc, (void)argv;
	return dtpmu_print(pmu, c->o->verbose || c->o->json, c->e, c->err);
}

static int do_lint(struct pmu_dt *c, const struct dtpmu *pmu, int argc, char **argv)
{
	size_t faults = 0;
	int ret = dtpmu_print_findings(pmu, c->o->verbose || c->o->json, c->e, &faults, c->err);

	(void)argc, (void)argv;
	if (faults)
		c->status = 1;
	return ret;
}

static int do_decode(struct pmu_dt *c, const struct dtpmu *pmu, int argc, char **argv)
{
	unsigned flags = (c->o->verbose || c->o->json ? DTPMU_PRINT_ZEROS : 0) |
			 (c->o->config1 ? DTPMU_PRINT_CONFIG1 : 0);
	struct dtpmu_want w = { 0 };
	int ret = 0;

	if (c->o->config1 && cli_parse_u64(c->o->config1, &w.config1))
		return err_set(c->err, -EINVAL, "--config1: '%s' is not a number", c->o->config1);
	emit_str(c->e, "pmu", pmu->name);
	emit_array(c->e, "codes");
	for (int i = 0; i < argc && !ret; i++) {
		if (cli_parse_u64(argv[i], &w.config))
			ret = err_set(c->err, -EINVAL, "'%s' is not an event code", argv[i]);
		else
			ret = dtpmu_print_code(pmu, &w, flags, c->e, c->err);
	}
	emit_end(c->e);
	return ret;
}

static int do_encode(struct pmu_dt *c, const struct dtpmu *pmu, int argc, char **argv)
{
	int ret = 0;

	emit_str(c->e, "pmu", pmu->name);
	emit_array(c->e, "codes");
	for (int i = 0; i < argc && !ret; i++)
		ret = dtpmu_print_event(pmu, argv[i], c->e, c->err);
	emit_end(c->e);
	return ret;
}

static int check_file(struct pmu_dt *c, struct dtpmu_checks *checks)
{
	const char *path = strcmp(c->o->groups, "-") ? c->o->groups : "/dev/stdin";
	char *text = file_read_all(path, GROUPS_MAX, NULL, c->err);
	int ret;

	if (!text)
		return c->err->code;
	ret = dtpmu_print_groups(checks, text, c->o->groups, c->err);
	free(text);
	return ret;
}

/* One group of the arguments, or many: of arguments in braces, or of the file --groups. */
static int do_check(struct pmu_dt *c, const struct dtpmu *pmu, int argc, char **argv)
{
	struct dtpmu_checks checks = { .pmu = pmu,
				       .flags = c->o->guest ? DTPMU_GUEST : 0,
				       .out = c->e };
	int ret = 0;

	emit_str(c->e, "pmu", pmu->name);
	if (!c->o->groups && argv[0][0] != '{') {
		ret = dtpmu_print_check(&checks, argv, (size_t)argc, c->err);
		c->status |= checks.refused != 0;
		return ret;
	}
	emit_array(c->e, "groups");
	if (c->o->groups)
		ret = check_file(c, &checks);
	for (int i = 0; i < argc && !ret; i++)
		ret = dtpmu_print_group(&checks, argv[i], 0, c->err);
	emit_end(c->e);
	emit_u64(c->e, "groups checked", checks.groups);
	emit_u64(c->e, "groups refused", checks.refused);
	c->status |= checks.refused != 0;
	return ret;
}

static const struct verb {
	const char *name;
	int (*run)(struct pmu_dt *c, const struct dtpmu *pmu, int argc, char **argv);
	bool args, lint;
} verbs[] = {
	{ "show", do_show, false, false },    { "lint", do_lint, false, true },
	{ "decode", do_decode, true, false }, { "encode", do_encode, true, false },
	{ "check", do_check, true, false },
};

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

static int load(struct pmu_dt *c, const struct verb *v, struct dtpmu_list **l)
{
	unsigned flags = c->o->as_published || v->lint ? DTPMU_AS_PUBLISHED : 0;
	int ret = dtpmu_load_default(l, c->o->path, flags, c->err);

	if (ret)
		return ret;
	if (!*l) {
		err_set(c->err, -ENODEV, "this machine's device tree describes no PMU");
		err_hint(c->err, "Give a tree with --pmu-dt PATH or in $PERF_PMU_DT: a .dtb, a "
				 ".dts, or a directory such as a copy of /proc/device-tree.");
		return -ENODEV;
	}
	if (c->o->pmu && !dtpmu_find(*l, c->o->pmu)) {
		err_set(c->err, -ENOENT, "%s has no PMU '%s'", (*l)->source, c->o->pmu);
		err_hint(c->err, "Its first one is called %s.", (*l)->pmu[0]->name);
		return -ENOENT;
	}
	return v->lint ? dtpmu_lint(*l, c->err) : 0;
}

/* show and lint walk all PMUs of the tree; the others work on one. */
static int run_verb(struct pmu_dt *c, const struct verb *v, int argc, char **argv)
{
	struct dtpmu_list *l = NULL;
	int ret = load(c, v, &l);

	if (ret)
		goto out;
	if (c->o->pmu || v->args || l->nr == 1) {
		emit_object(c->e, NULL);
		ret = v->run(c, c->o->pmu ? dtpmu_find(l, c->o->pmu) : l->pmu[0], argc, argv);
		emit_end(c->e);
		goto out;
	}
	emit_object(c->e, NULL);
	emit_array(c->e, "pmus");
	for (size_t i = 0; i < l->nr && !ret; i++) {
		emit_object(c->e, NULL);
		ret = v->run(c, l->pmu[i], argc, argv);
		emit_end(c->e);
	}
	emit_end(c->e);
	emit_end(c->e);
out:
	dtpmu_free(l);
	return ret;
}

static int pmu_dt_run(const struct command *cmd, int argc, char **argv)
{
	struct pmu_dt_opts o = { 0 };
	struct err err = { 0 };
	struct obuf out;
	struct emit e;
	struct pmu_dt c = { .o = &o, .e = &e, .err = &err };
	int n = cli_parse(cmd, &o, argc, argv, 0), ret;
	const struct verb *v;

	if (n < 0)
		return CLI_STATUS(n);
	v = n ? find_verb(argv[0]) : &verbs[0];
	if (!v)
		return cli_usage_error(cmd, "unknown subcommand '%s'", argv[0]);
	if (o.groups && (v->run != do_check || n > 1))
		return cli_usage_error(cmd, "--groups goes with check, and without events");
	if (v->args && n < 2 && !o.groups)
		return cli_usage_error(cmd, "%s needs an argument", v->name);
	if (!v->args && n > 1)
		return cli_usage_error(cmd, "unexpected argument '%s'", argv[1]);
	sandbox_enter(&(struct sandbox){
		.off = o.no_sandbox,
		.device_tree = o.path ?: getenv("PERF_PMU_DT"),
		.read = { o.groups, "/proc/device-tree", "/sys/firmware/devicetree" },
	});
	if (obuf_init(&out, -1, 0))
		return cli_print_err(&(struct err){ .code = -ENOMEM, .text = "no memory" });
	emit_init(&e, &out, o.json ? EMIT_JSON : EMIT_TEXT);
	ret = run_verb(&c, v, n ? n - 1 : 0, argv + 1);
	emit_finish(&e);
	if (ret)
		out.len = 0;
	out.fd = STDOUT_FILENO;
	if (cli_end_output(&out))
		c.status = 1;
	return ret ? cli_print_err(&err) : c.status;
}

const struct command cmd_pmu_dt = {
	.name = "pmu-dt",
	.summary = "Show, check and compute with PMUs that a device tree describes",
	.usage = pmu_dt_usage,
	.options = pmu_dt_options,
	.run = pmu_dt_run,
};
