// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records of what runs already, at the start of each file or (--tail-synthesize) its end. A file of
 * several has them too: it must be readable without those before it.
 */
#include <stdlib.h>

#include "recorder/recorder-int.h"

/* No address of a sample, nor of its branches, lies in the kernel: reading its 5 MB of symbols is most of a short record. */
static bool is_user_only(const struct event_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (!(l->v[i].attr.flags & ATTR_FLAG_EXCLUDE_KERNEL) ||
		    l->v[i].attr.branch_sample_type & PERF_SAMPLE_BRANCH_KERNEL)
			return false;
	return true;
}

/* In a later file: what a program that we started, or what we were given, has become, and the children that are recorded. */
static int synth_running(struct synth *s, const struct recorder *rec, struct err *e)
{
	struct capture_target now = { 0 };
	int ret = 0;

	for (size_t i = 0; !ret && i < rec->target->tids.n; i++)
		ret = capture_target_process(&now, rec->target->tids.v[i], e);
	if (!ret && !rec->opts->no_inherit && !rec->opts->per_thread)
		ret = capture_target_children(&now, e);
	if (!ret)
		ret = synth_tasks(s, &now, e);
	capture_target_free(&now);
	return ret;
}

static int synth_world(struct synth *s, const struct recorder *rec, bool first, struct err *e)
{
	unsigned kinds = rec->opts->synth;
	int ret = s->user_only ? 0 : synth_kernel(s, e);

	if (!ret && rec->opts->all_cgroups && kinds & RECORDER_SYNTH_CGROUP)
		ret = synth_cgroups(s, e);
	if (!ret)
		ret = synth_thread_map(s, rec->target, e);
	if (!ret)
		ret = synth_cpu_map(s, rec->target, e);
	if (ret || !(kinds & (RECORDER_SYNTH_TASK | RECORDER_SYNTH_MMAP)))
		return ret;
	if (!rec->target->system_wide && !first)
		return synth_running(s, rec, e);
	return synth_tasks(s, rec->target, e);
}

int recorder_synthesize(struct recorder *rec, enum recorder_when when, struct err *e)
{
	const struct perf_event_attr *first = &rec->events->v[0].attr;
	const struct recorder_opts *o = rec->opts;
	struct synth s;
	bool here =
		when == RECORDER_AT_END ? o->tail_synthesize : !o->tail_synthesize || o->overwrite;
	int ret = 0;

	s = (struct synth){ .sink = &rec->sink,
			    .sample_type = first->sample_type,
			    .sample_id_all = first->flags & ATTR_FLAG_SAMPLE_ID_ALL,
			    .data_maps =
				    o->data || o->data_mmap ||
				    (o->callchain.mode == CALLCHAIN_DWARF && !rec->soft.chains),
			    .build_ids = !o->no_buildid_mmap && !o->no_buildid,
			    .namespaces = o->namespaces,
			    .no_maps = !(o->synth & RECORDER_SYNTH_MMAP),
			    .user_only = is_user_only(rec->events),
			    .log = o->log };
	if (when != RECORDER_AT_END)
		ret = synth_id_index(&s, rec->capture, e);
	if (!ret && here)
		ret = synth_world(&s, rec, when == RECORDER_AT_START, e);
	if (!ret && when != RECORDER_AT_END)
		ret = synth_finished_init(&s, e);
	synth_end(&s);
	return ret;
}
