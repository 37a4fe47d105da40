// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel writes besides samples, one function per type. Every field is read through a
 * cursor that knows the record's end; texts go out escaped.
 */
#include <inttypes.h>

#include "dump/dump-int.h"
#include "emit/emit.h"

static void put_task(struct obuf *o, uint32_t pid, uint32_t tid, char sep)
{
	dump_s32(o, pid);
	obuf_char(o, sep);
	dump_s32(o, tid);
}

static void put_range(struct obuf *o, const struct record_mmap *m)
{
	obuf_char(o, ' ');
	put_task(o, m->pid, m->tid, '/');
	obuf_lit(o, ": [");
	dump_hex(o, m->addr);
	obuf_char(o, '(');
	dump_hex(o, m->len);
	obuf_lit(o, ") @ ");
	dump_hex(o, m->pgoff);
}

static int mmap_body(struct dump *d, const struct record *rec, struct err *e)
{
	struct record_mmap m;

	if (record_mmap(rec, &m, e))
		return e->code;
	put_range(d->o, &m);
	obuf_lit(d->o, "]: ");
	obuf_char(d->o, rec->misc & PERF_RECORD_MISC_MMAP_DATA ? 'r' : 'x');
	obuf_char(d->o, ' ');
	emit_safe(d->o, m.filename);
	obuf_char(d->o, '\n');
	return 0;
}

static int mmap2_body(struct dump *d, const struct record *rec, struct err *e)
{
	struct record_mmap m;
	struct obuf *o = d->o;

	if (record_mmap(rec, &m, e))
		return e->code;
	put_range(o, &m);
	if (m.build_id) {
		obuf_lit(o, " <");
		for (unsigned i = 0; i < m.build_id_size; i++)
			obuf_hex_zero(o, m.build_id[i], 2);
		obuf_char(o, '>');
	} else {
		obuf_printf(o, " %02x:%02x %" PRIu64 " %" PRIu64, m.maj, m.min, m.ino,
			    m.ino_generation);
	}
	obuf_lit(o, "]: ");
	obuf_char(o, m.prot & 1 ? 'r' : '-'); /* PROT_READ, _WRITE, _EXEC; MAP_SHARED */
	obuf_char(o, m.prot & 2 ? 'w' : '-');
	obuf_char(o, m.prot & 4 ? 'x' : '-');
	obuf_char(o, m.flags & 1 ? 's' : 'p');
	obuf_char(o, ' ');
	emit_safe(o, m.filename);
	obuf_char(o, '\n');
	return 0;
}

static int comm_body(struct dump *d, const struct record *rec, struct err *e)
{
	struct record_comm c;

	if (record_comm(rec, &c, e))
		return e->code;
	obuf_str(d->o, c.exec ? " exec: " : ": ");
	emit_safe(d->o, c.comm);
	obuf_char(d->o, ':');
	put_task(d->o, c.pid, c.tid, '/');
	obuf_char(d->o, '\n');
	return 0;
}

static int task_body(struct dump *d, const struct record *rec, struct err *e)
{
	struct record_task t;

	if (record_task(rec, &t, e))
		return e->code;
	obuf_char(d->o, '(');
	put_task(d->o, t.pid, t.tid, ':');
	obuf_lit(d->o, "):(");
	put_task(d->o, t.ppid, t.ptid, ':');
	obuf_lit(d->o, ")\n");
	return 0;
}

static int lost_body(struct dump *d, const struct record *rec, struct err *e)
{
	bool samples = rec->type == PERF_RECORD_LOST_SAMPLES;
	struct record_lost l;
	struct record_id id;

	if (record_lost(rec, &l, e))
		return e->code;
	if (samples) { /* whose, only the trailer knows */
		record_sample_id(rec, &id);
		l.id = id.present & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER) ? id.id : UINT64_MAX;
	}
	obuf_lit(d->o, ": id:");
	obuf_dec(d->o, l.id);
	obuf_str(d->o, samples ? ": lost samples :" : ": lost:");
	obuf_dec(d->o, l.lost);
	obuf_str(d->o, l.by_filter ? " (BPF)\n" : "\n");
	return 0;
}

static int read_body(struct dump *d, const struct record *rec, struct err *e)
{
	uint64_t format = rec->event ? rec->event->attr.read_format : 0;
	struct record_read r;
	struct cursor c;

	if (record_read(rec, &r, e))
		return e->code;
	c = cursor_init(r.values, r.size, rec->swap);
	obuf_printf(d->o, ": %d %d ", (int)r.pid, (int)r.tid);
	emit_safe(d->o, rec->event ? rec->event->name : "FAIL");
	obuf_printf(d->o, " %" PRIu64 "\n", cursor_u64(&c));
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		obuf_printf(d->o, "... time enabled : %" PRIu64 "\n", cursor_u64(&c));
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		obuf_printf(d->o, "... time running : %" PRIu64 "\n", cursor_u64(&c));
	if (format & PERF_FORMAT_ID)
		obuf_printf(d->o, "... id           : %" PRIu64 "\n", cursor_u64(&c));
	if (format & PERF_FORMAT_LOST)
		obuf_printf(d->o, "... lost         : %" PRIu64 "\n", cursor_u64(&c));
	return 0;
}

static int aux_body(struct dump *d, const struct record *rec, struct err *e)
{
	struct cursor c = cursor_init(rec->data + 8, rec->size - 8, rec->swap);
	uint64_t offset = cursor_u64(&c), size = cursor_u64(&c), flags = cursor_u64(&c);

	if (c.bad)
		return err_set(e, -EBADMSG, "cut short");
	obuf_lit(d->o, " offset: ");
	dump_hex(d->o, offset);
	obuf_lit(d->o, " size: ");
	dump_hex(d->o, size);
	obuf_lit(d->o, " flags: ");
	dump_hex(d->o, flags);
	obuf_printf(d->o, " [%s%s%s%s]\n", flags & 1 ? "T" : "", flags & 2 ? "O" : "",
		    flags & 4 ? "P" : "", flags & 8 ? "C" : "");
	return 0;
}

static int itrace_body(struct dump *d, const struct record *rec, struct err *e)
{
	struct cursor c = cursor_init(rec->data + 8, rec->size - 8, rec->swap);
	uint32_t pid = cursor_u32(&c), tid = cursor_u32(&c);

	if (c.bad)
		return err_set(e, -EBADMSG, "cut short");
	obuf_printf(d->o, " pid: %u tid: %u\n", pid, tid);
	return 0;
}

static int hw_id_body(struct dump *d, const struct record *rec, struct err *e)
{
	struct cursor c = cursor_init(rec->data + 8, rec->size - 8, rec->swap);
	uint64_t id = cursor_u64(&c);

	if (c.bad)
		return err_set(e, -EBADMSG, "cut short");
	obuf_lit(d->o, " hw_id: ");
	dump_hex(d->o, id);
	obuf_char(d->o, '\n');
	return 0;
}

static int switch_body(struct dump *d, const struct record *rec, struct err *e)
{
	bool out = rec->misc & PERF_RECORD_MISC_SWITCH_OUT;
	bool preempt = rec->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	struct record_switch s;

	if (rec->type == PERF_RECORD_SWITCH_CPU_WIDE && record_switch(rec, &s, e))
		return e->code;
	obuf_str(d->o, !out ? " IN         " : preempt ? " OUT preempt" : " OUT        ");
	if (rec->type == PERF_RECORD_SWITCH_CPU_WIDE)
		obuf_printf(d->o, "  %s pid/tid: %5d/%-5d", out ? "next" : "prev",
			    (int)s.next_prev_pid, (int)s.next_prev_tid);
	obuf_char(d->o, '\n');
	return 0;
}

static int namespaces_body(struct dump *d, const struct record *rec, struct err *e)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	struct record_namespaces n;
	struct obuf *o = d->o;

	if (record_namespaces(rec, &n, e))
		return e->code;
	obuf_char(o, ' ');
	put_task(o, n.pid, n.tid, '/');
	obuf_lit(o, " - nr_namespaces: ");
	obuf_dec(o, n.nr);
	obuf_lit(o, "\n\t\t[");
	for (uint64_t i = 0; i < n.nr; i++) {
		if (i && i % 4 == 0)
			obuf_lit(o, "\n\t\t ");
		obuf_dec(o, i);
		obuf_printf(o, "/%s: %" PRIu64 "/", i < ARRAY_SIZE(names) ? names[i] : "unknown",
			    load_u64(n.link + i * 16, rec->swap));
		dump_hex(o, load_u64(n.link + i * 16 + 8, rec->swap));
		obuf_str(o, i + 1 == n.nr ? "]\n" : ", ");
	}
	return 0;
}

static int ksymbol_body(struct dump *d, const struct record *rec, struct err *e)
{
	struct record_ksymbol k;

	if (record_ksymbol(rec, &k, e))
		return e->code;
	obuf_printf(d->o, " addr %" PRIx64 " len %u type %u flags 0x%x name ", k.addr, k.len,
		    k.ksym_type, k.flags);
	emit_safe(d->o, k.name);
	obuf_char(d->o, '\n');
	return 0;
}

static int bpf_body(struct dump *d, const struct record *rec, struct err *e)
{
	struct record_bpf b;

	if (record_bpf(rec, &b, e))
		return e->code;
	obuf_printf(d->o, " type %u, flags %u, id %u\n", b.type, b.flags, b.id);
	return 0;
}

static int cgroup_body(struct dump *d, const struct record *rec, struct err *e)
{
	struct record_cgroup c;

	if (record_cgroup(rec, &c, e))
		return e->code;
	obuf_printf(d->o, " cgroup: %" PRIu64 " ", c.id);
	emit_safe(d->o, c.path);
	obuf_char(d->o, '\n');
	return 0;
}

static void put_code(struct obuf *o, const char *title, const unsigned char *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (i % 16 == 0)
			obuf_str(o, title);
		obuf_char(o, ' ');
		obuf_hex_zero(o, p[i], 2);
		if (i % 16 == 15 || i + 1 == n)
			obuf_char(o, '\n');
	}
}

void dump_text_poke(struct obuf *o, const struct record_text_poke *t, const char *name,
		    uint64_t offset)
{
	obuf_char(o, ' ');
	obuf_hex(o, t->addr);
	obuf_char(o, ' ');
	if (name) {
		emit_safe(o, name);
		obuf_lit(o, "+0x");
		obuf_hex(o, offset);
	}
	obuf_printf(o, " old len %u new len %u\n", t->old_len, t->new_len);
	put_code(o, "            Old bytes:", t->bytes, t->old_len);
	put_code(o, "            New bytes:", t->bytes + t->old_len, t->new_len);
}

static int text_poke_body(struct dump *d, const struct record *rec, struct err *e)
{
	struct record_text_poke t;

	if (record_text_poke(rec, &t, e))
		return e->code;
	dump_text_poke(d->o, &t, NULL, 0);
	return 0;
}

static int deferred_body(struct dump *d, const struct record *rec, struct err *e)
{
	struct cursor c = cursor_init(rec->data + 8, rec->size - 8, rec->swap);
	uint64_t cookie = cursor_u64(&c), nr = cursor_u64(&c);

	if (c.bad || nr > cursor_left(&c) / 8)
		return err_set(e, -EBADMSG, "%" PRIu64 " entries do not fit", nr);
	obuf_lit(d->o, " cookie: ");
	dump_hex(d->o, cookie);
	obuf_printf(d->o, "\n... FP chain: nr:%" PRIu64 "\n", nr);
	for (uint64_t i = 0; i < nr; i++)
		obuf_printf(d->o, "..... %2" PRIu64 ": %016" PRIx64 "\n", i, cursor_u64(&c));
	return 0;
}

dump_body dump_kernel_body(uint32_t type)
{
	static const dump_body body[PERF_RECORD_KERNEL_MAX] = {
		[PERF_RECORD_MMAP] = mmap_body,
		[PERF_RECORD_LOST] = lost_body,
		[PERF_RECORD_COMM] = comm_body,
		[PERF_RECORD_EXIT] = task_body,
		[PERF_RECORD_FORK] = task_body,
		[PERF_RECORD_READ] = read_body,
		[PERF_RECORD_MMAP2] = mmap2_body,
		[PERF_RECORD_AUX] = aux_body,
		[PERF_RECORD_ITRACE_START] = itrace_body,
		[PERF_RECORD_LOST_SAMPLES] = lost_body,
		[PERF_RECORD_SWITCH] = switch_body,
		[PERF_RECORD_SWITCH_CPU_WIDE] = switch_body,
		[PERF_RECORD_NAMESPACES] = namespaces_body,
		[PERF_RECORD_KSYMBOL] = ksymbol_body,
		[PERF_RECORD_BPF_EVENT] = bpf_body,
		[PERF_RECORD_CGROUP] = cgroup_body,
		[PERF_RECORD_TEXT_POKE] = text_poke_body,
		[PERF_RECORD_AUX_OUTPUT_HW_ID] = hw_id_body,
		[PERF_RECORD_CALLCHAIN_DEFERRED] = deferred_body,
	};

	return type < ARRAY_SIZE(body) ? body[type] : NULL;
}
