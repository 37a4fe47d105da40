// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the page says about the recording itself: where, how and with what it was made, its events, what
 * was lost or cannot be used, and what this page left out. A fact that the file does not tell is not
 * said at all, so that the page can write "-" and never 0.
 */
#include "dump/dump.h"
#include "page-int.h"

static void put_command(const struct perfdata_env *env, struct json *j)
{
	page_open(j, "command", '[');
	for (uint32_t i = 0; i < env->nr_cmdline; i++)
		page_str(j, NULL, env->cmdline[i]);
	page_close(j, ']');
}

static void put_event(const struct perfdata_event *ev, struct json *j)
{
	const struct perf_event_attr *a = &ev->attr;

	page_open(j, NULL, '{');
	page_str(j, "name", ev->name);
	page_str(j, "group", ev->group);
	page_num(j, "leader", ev->leader);
	page_num(j, attr_flag(a, ATTR_FLAG_FREQ) ? "frequency" : "every", a->sample_period);
	page_num(j, "precise", attr_precise(a));
	page_num(j, "stacks", (a->sample_type & PERF_SAMPLE_CALLCHAIN) != 0);
	page_num(j, "branches", (a->sample_type & PERF_SAMPLE_BRANCH_STACK) != 0);
	page_close(j, '}');
}

static void put_warnings(struct page *p, struct session *s, struct json *j)
{
	const struct err *damage = session_damage(s);

	page_open(j, "warnings", '[');
	if (damage)
		page_str(j, NULL, damage->text);
	for (const char *const *w = session_warnings(s, SESSION_WARN_ALL); *w; w++) {
		page_str(j, NULL, *w);
		log_to(&p->o.log, LOG_WARN, "%s", *w);
	}
	page_close(j, ']');
}

/* The header as `report --header` prints it, where registers and branches came from too. */
static int put_header(struct page *p, struct json *j, struct err *e)
{
	struct obuf text;
	int ret = obuf_init(&text, -1, 0);

	ret = ret ? err_set(e, ret, "no memory for the header")
		  : dump_header(p->env->pd, &text, false, e);
	obuf_char(&text, 0);
	if (!ret && !text.code)
		page_str(j, "header", text.buf);
	obuf_free(&text);
	return ret;
}

static void put_sources(struct page *p, struct json *j)
{
	struct obuf text;

	if (obuf_init(&text, -1, 0))
		return;
	dump_sample_source(p->env->pd, &text);
	obuf_char(&text, 0);
	if (!text.code)
		page_str(j, "sources", text.buf);
	obuf_free(&text);
}

static void put_cut(const struct page *p, struct json *j)
{
	page_open(j, "cut", '{');
	page_num(j, "nodes", p->cut_nodes);
	page_num(j, "samples", p->cut_samples);
	page_num(j, "cpu", p->cut_cpu);
	page_num(j, "time", p->cut_time);
	page_close(j, '}');
}

static void put_facts(struct page *p, const struct page_side *side, struct json *j)
{
	struct session *s = side->session;
	const struct perfdata *pd = session_env(s)->pd;
	const struct perfdata_env *env = perfdata_env(pd);
	const struct session_counts *n = session_counts(s);

	page_str(j, "file", p->o.name && side == &p->side[0] ? p->o.name : perfdata_path(pd));
	put_command(env, j);
	page_str(j, "host", env->hostname);
	page_str(j, "kernel", env->os_release);
	page_str(j, "arch", env->arch);
	page_str(j, "cpu", env->cpu_desc);
	page_str(j, "recorded_by", env->version);
	if (env->nr_cpus_online)
		page_num(j, "cpus", env->nr_cpus_online);
	if (env->total_mem_kb)
		page_num(j, "memory_kb", env->total_mem_kb);
	if (env->first_time && env->last_time > env->first_time)
		page_num(j, "duration_ns", env->last_time - env->first_time);
	page_num(j, "samples", side->samples);
	page_num(j, "lost_samples", n->lost_samples);
	page_num(j, "lost_events", n->lost_events);
	page_num(j, "bad", n->bad);
	put_warnings(p, s, j);
}

int page_put_recording(struct page *p, struct json *j, struct err *e)
{
	const struct perfdata *pd = p->env->pd;
	int ret;

	page_open(j, "recording", '{');
	page_str(j, "perf", PERF_VERSION);
	put_facts(p, &p->side[0], j);
	put_cut(p, j);
	put_sources(p, j);
	ret = put_header(p, j, e);
	page_close(j, '}');
	if (p->o.before) {
		page_open(j, "before", '{');
		put_facts(p, &p->side[1], j);
		page_num(j, "apart", p->side[1].apart);
		page_close(j, '}');
	}
	page_open(j, "events", '[');
	for (size_t i = 0; i < perfdata_nr_events(pd); i++)
		put_event(perfdata_event(pd, i), j);
	page_close(j, ']');
	return ret;
}
