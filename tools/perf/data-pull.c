// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf data pull: the profile of one build over all machines. The engine adds up branches by offset; the object's file turns
 * offsets into addresses and functions, as it does for a recording. Rows of an engine are strangers' bytes: numbers are
 * taken as numbers, and what lies outside of the file's code is left out where a recording's would be.
 */
#include "builtin.h"
#include "data.h"

#include <math.h>
#include <stdlib.h>

const struct option data_pull_options[] = {
	OPT_STRING(0, "build-id", struct data_pull_opts, build_id, "ID",
		   "the object whose profile is pulled"),
	OPT_STRING(0, "where", struct data_pull_opts, where, "SQL",
		   "only loads of which this holds: service = 'web' AND day >= '2026-01-31'"),
	OPT_END(),
};

struct pull {
	struct convert *c;
	const struct dso *dso;
	const char *id;
	uint64_t rows;
};

/* A count that was multiplied by weights: whole, and not 0 because it was small. */
static bool take_count(const char *s, bool zero, uint64_t *v)
{
	char *end;
	double d = strtod(s, &end);

	if (end == s || *end || !(d >= 0) || d > 9e18)
		return false;
	*v = d > 0 || !zero ? (uint64_t)fmax(1, round(d)) : 0;
	return true;
}

static bool take_offset(const char *s, uint64_t *v)
{
	char *end;
	long long n = strtoll(s, &end, 10);

	*v = (uint64_t)n;
	return end != s && !*end && n >= -1;
}

/* object, from_off, to_object, to_off, end_off, taken, mispred */
static int take_row(void *ctx, char **f, size_t nr, struct err *e)
{
	struct pull *p = ctx;
	struct convert_branch b = { .dso = p->dso };

	if (nr != 7 || !take_offset(f[1], &b.from) || !take_offset(f[3], &b.to) ||
	    !take_offset(f[4], &b.end) || !take_count(f[5], false, &b.count) ||
	    !take_count(f[6], true, &b.mispred))
		return err_set(e, -EPROTO, "the engine's answer is no branch: '%.100s'",
			       nr ? f[nr - 1] : "");
	b.from_here = !strcmp(f[0], p->id);
	b.to_here = !strcmp(f[2], p->id);
	p->rows++;
	return convert_take(p->c, &b) ? err_set(e, -ENOMEM, "no memory for the profile") : 0;
}

static int ask(struct net *n, struct pull *p, const char *where, struct err *e)
{
	bool clickhouse = net_target(n)->kind == NET_CLICKHOUSE;
	struct obuf sql = { .fd = -1 };
	int ret;

	obuf_printf(
		&sql,
		"SELECT object, from_off, to_object, to_off, end_off, sum(taken * weight), "
		"sum(mispred * weight) FROM edges %s (SELECT load, weight FROM loads WHERE (\n%s\n)) %s "
		"USING (load) WHERE object = '%s' OR to_object = '%s' "
		"GROUP BY object, from_off, to_object, to_off, end_off "
		"ORDER BY object, from_off, to_object, to_off, end_off",
		clickhouse ? "GLOBAL ANY INNER JOIN" : "JOIN", where ? where : "1 = 1",
		clickhouse ? "" : "l", p->id, p->id);
	obuf_char(&sql, 0);
	ret = sql.code ?: net_query(n, sql.buf, take_row, p, e);
	free(sql.buf);
	if (!ret && !p->rows) {
		ret = err_set(e, -ENOENT, "%s has no branches of build id %s", net_target(n)->shown,
			      p->id);
		err_hint(e, "Its objects: SELECT object, path FROM objects.");
	}
	return ret;
}

static int write_it(struct pull *p, const struct data_opts *o, const struct convert_format *f,
		    struct err *e)
{
	const struct convert_object *ob;
	struct obuf out;
	ssize_t n;
	int ret = convert_finish(p->c, e) ?: convert_load(p->c, 0, o->binaries.items.v[0], e);

	if (ret)
		return ret;
	ob = convert_object(p->c, 0);
	if (ob->problem && strstr(ob->problem, "build id"))
		return err_set(e, -EINVAL, "%s: %s", o->binaries.items.v[0], ob->problem);
	ret = convert_prepare(p->c, 0, f, e) ?: data_open_output(o->output, &out, e);
	if (ret)
		return ret;
	n = convert_write(p->c, 0, f, &out, e);
	ret = data_close_output(o->output, &out, n < 0 ? NULL : e);
	return n < 0 ? (int)n : ret;
}

static bool read_id(const char *s, unsigned char *id, size_t *n)
{
	size_t len = strlen(s);

	for (size_t i = 0; i + 1 < len && i < 40; i += 2)
		if (sscanf(s + i, "%2hhx", &id[i / 2]) != 1)
			return false;
	*n = len / 2;
	return len >= 16 && len <= 40 && !(len % 2) && !s[strspn(s, "0123456789abcdef")];
}

int data_pull(const struct command *cmd, const struct data_opts *o, int argc, char **argv)
{
	const struct convert_format *f = o->to ? convert_format_find(o->to) : NULL;
	struct pull p = { .id = o->pull.build_id };
	struct machine *m = NULL;
	struct net_target t;
	struct net_opts opts;
	struct net *n = NULL;
	unsigned char id[20];
	size_t nr_id;
	struct err e = { 0 };
	int ret;

	if (argc != 1 || !o->pull.build_id || o->binaries.items.n != 1)
		return cli_usage_error(
			cmd, "pull takes a URL, --build-id ID, --to FORMAT and --binary FILE");
	if (!f || !f->object)
		return cli_usage_error(cmd,
				       "--to names a format of optimizers: --to help lists them");
	if (!read_id(o->pull.build_id, id, &nr_id))
		return cli_usage_error(cmd, "--build-id takes hex digits, not '%s'",
				       o->pull.build_id);
	if (net_target_parse(argv[0], &t, &e)) {
		cli_print_err(&e);
		return CLI_USAGE;
	}
	ret = machine_new(&m, NULL, &e) ?: convert_new(&p.c, m, &e);
	if (!ret) {
		p.dso = machine_object(m, o->binaries.items.v[0], id, nr_id);
		ret = p.dso ? 0 : err_set(&e, -ENOMEM, "no memory for the profile");
	}
	if (!ret)
		convert_log(p.c, LOG_STDERR);
	opts = o->push.net;
	opts.read_only = true;
	ret = ret ?: net_open(&n, &t, &opts, &e) ?: net_check_schema(n, &e);
	ret = ret ?: ask(n, &p, o->pull.where, &e);
	net_close(n);
	ret = ret ?: write_it(&p, o, f, &e);
	convert_free(p.c);
	machine_free(m);
	return ret ? cli_print_err(&e) : 0;
}
