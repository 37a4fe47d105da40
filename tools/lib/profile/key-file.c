// SPDX-License-Identifier: GPL-2.0-or-later
/* Sort keys that ask the recording for more than its samples: trace, socket, cgroup_id. */
#include <stdio.h>

#include "emit/emit.h"
#include "profile-int.h"
#include "script/script.h"

#define SOCKET_NOT_ASKED INT32_MIN

/* The text of a tracepoint's fields; distinct texts are kept once. */
uint64_t prof_get_trace(struct profile *p, const struct sample *s, struct thread *th)
{
	const char *text = NULL;
	size_t len;

	(void)th;
	if (s->event && s->event->attr.type == PERF_TYPE_TRACEPOINT && p->o.pd) {
		if (!p->trace)
			p->trace = trace_load(p->o.pd);
		text = trace_text(p->trace, s, &len);
	}
	return prof_name_id(p, text ? text : "N/A");
}

static int32_t *socket_slot(struct profile *p, uint32_t cpu)
{
	if (cpu >= 1 << 16)
		return NULL;
	while (p->sockets.n <= cpu)
		if (vec_push(&p->sockets, SOCKET_NOT_ASKED))
			return NULL;
	return &p->sockets.v[cpu];
}

uint64_t prof_get_socket(struct profile *p, const struct sample *s, struct thread *th)
{
	int32_t *slot = socket_slot(p, s->cpu);

	(void)th;
	if (!slot || !p->o.pd)
		return (uint32_t)-1;
	if (*slot == SOCKET_NOT_ASKED)
		*slot = perfdata_cpu_socket(p->o.pd, s->cpu);
	return (uint32_t)*slot;
}

void prof_text_socket(const struct profile *p, const struct profile_row *r, uint64_t v,
		      struct obuf *o)
{
	(void)p, (void)r;
	obuf_printf(o, "%6.3d", (int)(uint32_t)v);
}

/* Device and inode of the thread's cgroup namespace, 0/0x0 when no record told. */
uint64_t prof_get_cgroup_id(struct profile *p, const struct sample *s, struct thread *th)
{
	char buf[48];

	(void)s;
	snprintf(buf, sizeof(buf), "%llu/0x%llx", (unsigned long long)th->cgroup_ns_dev,
		 (unsigned long long)th->cgroup_ns_ino);
	return prof_name_id(p, buf);
}
