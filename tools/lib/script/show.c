// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --show-...-events: records other than samples, a line each, in upstream's words. Which option
 * shows a type, whose record it is and what its line says is a row of rows[].
 */
#include <stdlib.h>

#include "dump/dump.h"
#include "emit/emit.h"
#include "script-int.h"

static void put_mmap(struct obuf *o, const struct record *rec, const struct record_mmap *m)
{
	obuf_printf(o, " %d/%d: [", (int)m->pid, (int)m->tid);
	obuf_printf(o, "%#llx(%#llx) @ %#llx", (unsigned long long)m->addr,
		    (unsigned long long)m->len, (unsigned long long)m->pgoff);
	if (rec->type == PERF_RECORD_MMAP) {
		obuf_printf(o, "]: %c ", rec->misc & PERF_RECORD_MISC_MMAP_DATA ? 'r' : 'x');
	} else {
		if (m->build_id) {
			obuf_lit(o, " <");
			for (int i = 0; i < m->build_id_size; i++)
				obuf_hex_zero(o, m->build_id[i], 2);
			obuf_char(o, '>');
		} else {
			obuf_printf(o, " %02x:%02x %llu %llu", m->maj, m->min,
				    (unsigned long long)m->ino,
				    (unsigned long long)m->ino_generation);
		}
		/* PROT_READ, PROT_WRITE, PROT_EXEC; MAP_SHARED */
		obuf_printf(o, "]: %c%c%c%c ", m->prot & 1 ? 'r' : '-', m->prot & 2 ? 'w' : '-',
			    m->prot & 4 ? 'x' : '-', m->flags & 1 ? 's' : 'p');
	}
	emit_safe(o, m->filename);
	obuf_char(o, '\n');
}

static void put_namespaces(struct obuf *o, const struct record *rec,
			   const struct record_namespaces *n)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };

	obuf_printf(o, " %d/%d - nr_namespaces: %llu\n\t\t[", (int)n->pid, (int)n->tid,
		    (unsigned long long)n->nr);
	for (uint64_t i = 0; i < n->nr; i++) {
		if (i && i % 4 == 0)
			obuf_lit(o, "\n\t\t ");
		obuf_printf(o, "%llu/%s: %llu/%#llx%s", (unsigned long long)i,
			    i < ARRAY_SIZE(names) ? names[i] : "unknown",
			    (unsigned long long)load_u64(n->link + i * 16, rec->swap),
			    (unsigned long long)load_u64(n->link + i * 16 + 8, rec->swap),
			    i + 1 == n->nr ? "]\n" : ", ");
	}
}

static void put_switch(struct obuf *o, const struct record *rec, const struct record_switch *s)
{
	bool out = rec->misc & PERF_RECORD_MISC_SWITCH_OUT;
	bool preempt = rec->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;

	obuf_str(o, !out ? " IN         " : preempt ? " OUT preempt" : " OUT        ");
	if (rec->type == PERF_RECORD_SWITCH_CPU_WIDE)
		obuf_printf(o, "  %s pid/tid: %5d/%-5d", out ? "next" : "prev",
			    (int)s->next_prev_pid, (int)s->next_prev_tid);
	obuf_char(o, '\n');
}

/* ---- by type ------------------------------------------------------------------------------------ */

/* What follows "PERF_RECORD_NAME", with its newline. */
typedef int (*body_fn)(struct obuf *o, const struct record *rec, struct err *e);

static int body_mmap(struct obuf *o, const struct record *rec, struct err *e)
{
	struct record_mmap m;
	int ret = record_mmap(rec, &m, e);

	if (!ret)
		put_mmap(o, rec, &m);
	return ret;
}

static int body_comm(struct obuf *o, const struct record *rec, struct err *e)
{
	struct record_comm c;
	int ret = record_comm(rec, &c, e);

	if (ret)
		return ret;
	obuf_str(o, c.exec ? " exec: " : ": ");
	emit_safe(o, c.comm);
	obuf_printf(o, ":%d/%d\n", (int)c.pid, (int)c.tid);
	return 0;
}

static int body_task(struct obuf *o, const struct record *rec, struct err *e)
{
	struct record_task t;
	int ret = record_task(rec, &t, e);

	if (!ret)
		obuf_printf(o, "(%d:%d):(%d:%d)\n", (int)t.pid, (int)t.tid, (int)t.ppid,
			    (int)t.ptid);
	return ret;
}

static int body_switch(struct obuf *o, const struct record *rec, struct err *e)
{
	struct record_switch s;
	int ret = record_switch(rec, &s, e);

	if (!ret)
		put_switch(o, rec, &s);
	return ret;
}

static int body_namespaces(struct obuf *o, const struct record *rec, struct err *e)
{
	struct record_namespaces n;
	int ret = record_namespaces(rec, &n, e);

	if (!ret)
		put_namespaces(o, rec, &n);
	return ret;
}

static int body_cgroup(struct obuf *o, const struct record *rec, struct err *e)
{
	struct record_cgroup cg;
	int ret = record_cgroup(rec, &cg, e);

	if (ret)
		return ret;
	obuf_printf(o, " cgroup: %llu ", (unsigned long long)cg.id);
	emit_safe(o, cg.path);
	obuf_char(o, '\n');
	return 0;
}

static int body_lost(struct obuf *o, const struct record *rec, struct err *e)
{
	struct record_lost l;
	int ret = record_lost(rec, &l, e);

	if (!ret)
		obuf_printf(o, " lost %llu\n", (unsigned long long)l.lost);
	return ret;
}

static int body_bpf(struct obuf *o, const struct record *rec, struct err *e)
{
	struct record_bpf b;
	int ret = record_bpf(rec, &b, e);

	if (!ret)
		obuf_printf(o, " type %u, flags %u, id %u\n", b.type, b.flags, b.id);
	return ret;
}

static int body_ksymbol(struct obuf *o, const struct record *rec, struct err *e)
{
	struct record_ksymbol k;
	int ret = record_ksymbol(rec, &k, e);

	if (ret)
		return ret;
	obuf_printf(o, " addr %llx len %u type %u flags 0x%x name ", (unsigned long long)k.addr,
		    k.len, k.ksym_type, k.flags);
	emit_safe(o, k.name);
	obuf_char(o, '\n');
	return 0;
}

static int body_none(struct obuf *o, const struct record *rec, struct err *e)
{
	(void)rec, (void)e;
	obuf_char(o, '\n');
	return 0;
}

/* Whose record it is: a process and thread at its start, a new or ended task, or its sample id's. */
enum owner { OWNER_OF_ID, OWNER_FIRST, OWNER_TASK };

static const struct shown {
	enum script_show by;
	enum owner owner;
	body_fn body;
} rows[] = {
	[PERF_RECORD_MMAP] = { SHOW_MMAP, OWNER_FIRST, body_mmap },
	[PERF_RECORD_MMAP2] = { SHOW_MMAP, OWNER_FIRST, body_mmap },
	[PERF_RECORD_COMM] = { SHOW_TASK, OWNER_FIRST, body_comm },
	[PERF_RECORD_FORK] = { SHOW_TASK, OWNER_TASK, body_task },
	[PERF_RECORD_EXIT] = { SHOW_TASK, OWNER_TASK, body_task },
	[PERF_RECORD_SWITCH] = { SHOW_SWITCH, OWNER_OF_ID, body_switch },
	[PERF_RECORD_SWITCH_CPU_WIDE] = { SHOW_SWITCH, OWNER_OF_ID, body_switch },
	[PERF_RECORD_NAMESPACES] = { SHOW_NAMESPACES, OWNER_FIRST, body_namespaces },
	[PERF_RECORD_CGROUP] = { SHOW_CGROUP, OWNER_OF_ID, body_cgroup },
	[PERF_RECORD_LOST] = { SHOW_LOST, OWNER_OF_ID, body_lost },
	[PERF_RECORD_LOST_SAMPLES] = { SHOW_LOST, OWNER_OF_ID, body_lost },
	[PERF_RECORD_KSYMBOL] = { SHOW_BPF, OWNER_OF_ID, body_ksymbol },
	[PERF_RECORD_BPF_EVENT] = { SHOW_BPF, OWNER_OF_ID, body_bpf },
	[PERF_RECORD_TEXT_POKE] = { SHOW_TEXT_POKE, OWNER_OF_ID, NULL }, /* show_poke() */
	[PERF_RECORD_FINISHED_ROUND] = { SHOW_ROUND, OWNER_OF_ID, body_none },
};

static const struct shown *row_of(const struct record *rec)
{
	return rec->type < ARRAY_SIZE(rows) && rows[rec->type].by ? &rows[rec->type] : NULL;
}

/*
 * The process that a record is about, left alone where only its sample id says; and @time where the record itself has one,
 * which is all there is of recordings without sample ids.
 */
static void task_of(const struct record *rec, enum owner owner, uint32_t *pid, uint32_t *tid,
		    uint64_t *time)
{
	struct record_task t;

	if (owner == OWNER_FIRST && rec->size >= 16) {
		*pid = load_u32(rec->data + 8, rec->swap);
		*tid = load_u32(rec->data + 12, rec->swap);
	} else if (owner == OWNER_TASK && !record_task(rec, &t, NULL)) {
		*pid = t.pid;
		*tid = t.tid;
		*time = t.time;
	}
}

/* The one line that names code: with the function that was patched. */
static int show_poke(struct script *sc, const struct thread *th, const struct record *rec,
		     struct err *e)
{
	const struct script_place *pl = NULL;
	struct record_text_poke t;
	int ret = record_text_poke(rec, &t, e);

	if (ret)
		return ret;
	if (th)
		pl = put_find_place(sc, th, PERF_RECORD_MISC_KERNEL, t.addr);
	if (pl && pl->sym)
		dump_text_poke(sc->o, &t, pl->sym->name, pl->addr - pl->sym->start);
	else
		dump_text_poke(sc->o, &t, NULL, 0);
	return 0;
}

static int show_line(struct script *sc, const struct record *rec, const struct shown *row,
		     struct err *e)
{
	struct sample s = { .time = 0, .pid = UINT32_MAX, .tid = UINT32_MAX };
	struct record_id id = { 0 };
	struct thread *th;
	uint32_t pid, tid;
	uint64_t time = 0;
	struct ev *ev;
	int ret;

	if (rec->type == PERF_RECORD_FINISHED_ROUND) {
		obuf_lit(sc->o, "PERF_RECORD_FINISHED_ROUND\n");
		return 0;
	}
	if (!rec->event)
		return 0;
	ev = script_ev(sc, rec->event, e);
	if (!ev)
		return -ENOMEM;
	if (rec->event->attr.flags & ATTR_FLAG_SAMPLE_ID_ALL)
		record_sample_id(rec, &id);
	if (id.present & PERF_SAMPLE_TID) {
		s.pid = id.pid;
		s.tid = id.tid;
	}
	if (id.present & PERF_SAMPLE_CPU)
		s.cpu = id.cpu;
	pid = s.pid;
	tid = s.tid;
	task_of(rec, row->owner, &pid, &tid, &time);
	s.time = id.present & PERF_SAMPLE_TIME ? id.time : time;
	if (!(id.present & PERF_SAMPLE_TID)) {
		s.pid = pid;
		s.tid = tid;
	}
	if (sc->opts.show_by_cpu && !session_wants(sc->session, s.time, s.cpu))
		return 0;
	th = machine_thread(sc->env.machine, (int32_t)pid, (int32_t)tid);
	print_start(sc, ev, &s, th, rec->type, rec->misc);
	obuf_lit(sc->o, "PERF_RECORD_");
	obuf_str(sc->o, record_type_name(rec->type));
	ret = row->body ? row->body(sc->o, rec, e) : show_poke(sc, th, rec, e);
	if (ret) /* one that is malformed says nothing more: its line ends all the same */
		obuf_char(sc->o, '\n');
	return ret;
}

static int show(struct script *sc, const struct record *rec, struct err *e)
{
	const struct shown *row = row_of(rec);
	int ret = 0;

	if (!row || !(sc->opts.show & row->by))
		return 0;
	if (!sc->checked)
		ret = script_check(sc, e);
	return ret ? ret : show_line(sc, rec, row, e);
}

/* An exiting thread is printed while it still is one. */
int script_show_before(void *sc, const struct record *rec, struct err *e)
{
	return rec->type == PERF_RECORD_EXIT ? show(sc, rec, e) : 0;
}

int script_show_after(void *sc, const struct record *rec, struct err *e)
{
	return rec->type == PERF_RECORD_EXIT ? 0 : show(sc, rec, e);
}
