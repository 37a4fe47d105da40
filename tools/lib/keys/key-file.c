// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sort keys that ask for more than the sample: trace, socket, cgroup_id, names and maps. Their
 * values become numbers while samples come, since maps and names mean something else later.
 */
#include <stdio.h>

#include "emit/emit.h"
#include "keys-int.h"
#include "trace/trace.h"

#define SOCKET_NOT_ASKED INT32_MIN

static struct trace_printer *trace_printer(struct keys *ks)
{
	struct trace_printer **p = &ks->reader->trace;
	struct err e;

	if (!*p && trace_printer_new(p, perfdata_trace(ks->o.pd), ks->o.raw_trace,
				     perfdata_path(ks->o.pd), &e))
		log_to(&ks->o.log, LOG_WARN, "%s", e.text);
	return *p;
}

/* The text of a tracepoint's fields; distinct texts are kept once. */
uint64_t keys_get_trace(struct keys *ks, const struct sample *s, struct thread *th)
{
	const char *text = NULL;
	size_t len;

	(void)th;
	if (s->event && s->event->attr.type == PERF_TYPE_TRACEPOINT && ks->o.pd) {
		const struct trace_raw raw = { s->raw, s->raw_size, s->cpu, s->event->attr.config };

		text = trace_text(trace_printer(ks), &raw, &len);
	}
	return keys_name_id(ks, text ? text : "N/A");
}

static int32_t *socket_slot(struct keys *ks, uint32_t cpu)
{
	if (cpu >= 1 << 16)
		return NULL;
	if (vec_reach(&ks->reader->sockets, cpu, SOCKET_NOT_ASKED))
		return NULL;
	return &ks->reader->sockets.v[cpu];
}

uint64_t keys_get_socket(struct keys *ks, const struct sample *s, struct thread *th)
{
	int32_t *slot = socket_slot(ks, s->cpu);

	(void)th;
	if (!slot || !ks->o.pd)
		return (uint32_t)-1;
	if (*slot == SOCKET_NOT_ASKED)
		*slot = perfdata_cpu_socket(ks->o.pd, s->cpu);
	return (uint32_t)*slot;
}

void keys_text_socket(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	(void)ks, (void)r;
	obuf_printf(o, "%6.3d", (int)(uint32_t)v);
}

/* Device and inode of the thread's cgroup namespace, 0/0x0 when no record told. */
uint64_t keys_get_cgroup_id(struct keys *ks, const struct sample *s, struct thread *th)
{
	char buf[48];

	(void)s;
	snprintf(buf, sizeof(buf), "%llu/0x%llx", (unsigned long long)th->cgroup_ns_dev,
		 (unsigned long long)th->cgroup_ns_ino);
	return keys_name_id(ks, buf);
}

/* "python<N>": every number in the name of a thread becomes one word. */
uint64_t keys_comm_nodigit(struct keys *ks, const char *comm)
{
	char buf[3 * 64 + 1];
	size_t n = 0;

	while (*comm && n + 4 < sizeof(buf)) {
		if (*comm < '0' || *comm > '9') {
			buf[n++] = *comm++;
			continue;
		}
		memcpy(buf + n, "<N>", 3);
		n += 3;
		comm += strspn(comm, "0123456789");
	}
	buf[n] = 0;
	return keys_name_id(ks, buf);
}

uint64_t keys_get_comm_nodigit(struct keys *ks, const struct sample *s, struct thread *th)
{
	(void)s;
	return keys_comm_nodigit(ks, machine_comm(ks->m, th->comm));
}

/* The size of the map that the address lies in; 0 = in none. */
uint64_t keys_place_dso_size(struct keys *ks, const struct place_in *in)
{
	struct map_hit hit;

	if (!ks->reader->at_thread ||
	    !machine_find_map(ks->m, ks->reader->at_thread, in->at->cpumode, in->ip, &hit))
		return 0;
	return hit.map->end - hit.map->start;
}

/* ---- source lines ---------------------------------------------------------------------------- */

static bool line_of(struct keys *ks, const struct place_in *in, struct srcline *s)
{
	const struct loc *l = in->at;

	return l->dso && symbol_srcline(ks->res, l->dso, l->addr, s);
}

/* "file:line", else "symbol+offset", else "object[address]", as upstream falls back. */
uint64_t keys_place_srcline(struct keys *ks, const struct place_in *in)
{
	const struct loc *l = in->at;
	struct srcline s;
	char buf[512];

	if (line_of(ks, in, &s))
		snprintf(buf, sizeof(buf), "%s:%u", s.base, s.line);
	else if (in->sym)
		snprintf(buf, sizeof(buf), "%s+%llu", in->sym->name,
			 (unsigned long long)(l->addr - in->sym->start));
	else if (l->dso)
		snprintf(buf, sizeof(buf), "%s[%llx]", l->dso->short_name,
			 (unsigned long long)symbol_listed_addr(ks->res, l->dso, l->addr));
	else
		snprintf(buf, sizeof(buf), "%#llx", (unsigned long long)in->ip);
	return keys_name_id(ks, buf);
}

uint64_t keys_place_srcfile(struct keys *ks, const struct place_in *in)
{
	struct srcline s;

	return line_of(ks, in, &s) ? keys_name_id(ks, s.base) : 0;
}
