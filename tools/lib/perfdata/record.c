// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names and bodies of records: perf_event_open(2) and perf.data(5), RECORDS. The fields at a
 * record's end are found by counting back, since what is before them may have grown in newer
 * kernels.
 */
#include "perfdata-int.h"

static const char *const kernel_names[] = {
	[PERF_RECORD_MMAP] = "MMAP",
	[PERF_RECORD_LOST] = "LOST",
	[PERF_RECORD_COMM] = "COMM",
	[PERF_RECORD_EXIT] = "EXIT",
	[PERF_RECORD_THROTTLE] = "THROTTLE",
	[PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE",
	[PERF_RECORD_FORK] = "FORK",
	[PERF_RECORD_READ] = "READ",
	[PERF_RECORD_SAMPLE] = "SAMPLE",
	[PERF_RECORD_MMAP2] = "MMAP2",
	[PERF_RECORD_AUX] = "AUX",
	[PERF_RECORD_ITRACE_START] = "ITRACE_START",
	[PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
	[PERF_RECORD_SWITCH] = "SWITCH",
	[PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
	[PERF_RECORD_NAMESPACES] = "NAMESPACES",
	[PERF_RECORD_KSYMBOL] = "KSYMBOL",
	[PERF_RECORD_BPF_EVENT] = "BPF_EVENT",
	[PERF_RECORD_CGROUP] = "CGROUP",
	[PERF_RECORD_TEXT_POKE] = "TEXT_POKE",
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
	[PERF_RECORD_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
};

static const char *const tool_names[] = {
	"ATTR",		  "EVENT_TYPE",	   "TRACING_DATA",     "BUILD_ID",
	"FINISHED_ROUND", "ID_INDEX",	   "AUXTRACE_INFO",    "AUXTRACE",
	"AUXTRACE_ERROR", "THREAD_MAP",	   "CPU_MAP",	       "STAT_CONFIG",
	"STAT",		  "STAT_ROUND",	   "EVENT_UPDATE",     "TIME_CONV",
	"FEATURE",	  "COMPRESSED",	   "FINISHED_INIT",    "COMPRESSED2",
	"BPF_METADATA",	  "SCHEDSTAT_CPU", "SCHEDSTAT_DOMAIN",
};

const char *record_type_name(uint32_t type)
{
	const char *name = NULL;

	if (type < ARRAY_SIZE(kernel_names))
		name = kernel_names[type];
	else if (type >= PERF_RECORD_USER_TYPE_START &&
		 type - PERF_RECORD_USER_TYPE_START < ARRAY_SIZE(tool_names))
		name = tool_names[type - PERF_RECORD_USER_TYPE_START];
	return name ? name : "UNKNOWN";
}

void record_sample_id(const struct record *rec, struct record_id *id)
{
	uint64_t t = rec->event ? rec->event->attr.sample_type : 0;
	const unsigned char *p = rec->data + rec->size;
	struct cursor c;
	size_t n;

	memset(id, 0, sizeof(*id));
	if (!rec->event || !attr_flag(&rec->event->attr, ATTR_FLAG_SAMPLE_ID_ALL) ||
	    rec->type == PERF_RECORD_SAMPLE || rec->type >= PERF_RECORD_USER_TYPE_START)
		return;
	t &= PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
	     PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	n = (size_t)weight_u64(t) * 8;
	if (n + 8 > rec->size)
		return;
	c = cursor_init(p - n, n, rec->swap);
	if (t & PERF_SAMPLE_TID) {
		id->pid = cursor_u32(&c);
		id->tid = cursor_u32(&c);
	}
	if (t & PERF_SAMPLE_TIME)
		id->time = cursor_u64(&c);
	if (t & PERF_SAMPLE_ID)
		id->id = cursor_u64(&c);
	if (t & PERF_SAMPLE_STREAM_ID)
		id->stream_id = cursor_u64(&c);
	if (t & PERF_SAMPLE_CPU) {
		id->cpu = cursor_u32(&c);
		cursor_u32(&c);
	}
	if (t & PERF_SAMPLE_IDENTIFIER)
		id->id = cursor_u64(&c);
	id->present = t;
}

static struct cursor body(const struct record *rec)
{
	return cursor_init(rec->data + 8, rec->size - 8, rec->swap);
}

/* A string to the end of the record; what follows its NUL is padding and sample_id. */
static const char *body_str(struct cursor *c)
{
	return cursor_str(c, cursor_left(c));
}

static int body_done(const struct record *rec, const struct cursor *c, struct err *e)
{
	if (likely(!c->bad))
		return 0;
	return err_set(e, -EBADMSG, RECORD_FMT ": its %u bytes end before its fields do",
		       RECORD_ARG(rec->offset, rec->type), rec->size);
}

/*
 * MMAP2's 24 bytes hold device and inode, or the object's build id: u8 size, three bytes of 0, 20
 * bytes, zero behind the size. misc says which, but kernels let the bit of one recorder leak into
 * the records of another that runs beside it; then the size byte is a device number.
 */
static bool has_build_id(const struct record *rec, const struct cursor *c)
{
	const unsigned char *p = c->p;

	if (!(rec->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) || cursor_left(c) < 24)
		return false;
	if (!p[0] || p[0] > 20 || p[1] || p[2] || p[3])
		return false;
	if (rec->event && attr_flag(&rec->event->attr, ATTR_FLAG_BUILD_ID))
		return true;
	for (int i = p[0]; i < 20; i++)
		if (p[4 + i])
			return false;
	return true;
}

static void body_mmap2(const struct record *rec, struct cursor *c, struct record_mmap *m)
{
	if (has_build_id(rec, c)) {
		m->build_id_size = cursor_u8(c);
		cursor_skip(c, 3);
		m->build_id = cursor_bytes(c, 20);
	} else {
		m->maj = cursor_u32(c);
		m->min = cursor_u32(c);
		m->ino = cursor_u64(c);
		m->ino_generation = cursor_u64(c);
	}
	m->prot = cursor_u32(c);
	m->flags = cursor_u32(c);
}

int record_mmap(const struct record *rec, struct record_mmap *m, struct err *e)
{
	struct cursor c = body(rec);

	memset(m, 0, sizeof(*m));
	m->pid = cursor_u32(&c);
	m->tid = cursor_u32(&c);
	m->addr = cursor_u64(&c);
	m->len = cursor_u64(&c);
	m->pgoff = cursor_u64(&c);
	if (rec->type == PERF_RECORD_MMAP2)
		body_mmap2(rec, &c, m);
	m->filename = body_str(&c);
	return body_done(rec, &c, e);
}

int record_comm(const struct record *rec, struct record_comm *o, struct err *e)
{
	struct cursor c = body(rec);

	o->pid = cursor_u32(&c);
	o->tid = cursor_u32(&c);
	o->comm = body_str(&c);
	o->exec = rec->misc & PERF_RECORD_MISC_COMM_EXEC;
	return body_done(rec, &c, e);
}

int record_task(const struct record *rec, struct record_task *t, struct err *e)
{
	struct cursor c = body(rec);

	t->pid = cursor_u32(&c);
	t->ppid = cursor_u32(&c);
	t->tid = cursor_u32(&c);
	t->ptid = cursor_u32(&c);
	t->time = cursor_u64(&c);
	return body_done(rec, &c, e);
}

int record_lost(const struct record *rec, struct record_lost *l, struct err *e)
{
	struct cursor c = body(rec);

	l->id = rec->type == PERF_RECORD_LOST_SAMPLES ? 0 : cursor_u64(&c);
	l->lost = cursor_u64(&c);
	l->by_filter = rec->type == PERF_RECORD_LOST_SAMPLES &&
		       rec->misc & PERF_RECORD_MISC_LOST_SAMPLES_BPF;
	return body_done(rec, &c, e);
}

int record_switch(const struct record *rec, struct record_switch *s, struct err *e)
{
	struct cursor c = body(rec);

	s->next_prev_pid = s->next_prev_tid = 0;
	if (rec->type == PERF_RECORD_SWITCH_CPU_WIDE) {
		s->next_prev_pid = cursor_u32(&c);
		s->next_prev_tid = cursor_u32(&c);
	}
	return body_done(rec, &c, e);
}

int record_ksymbol(const struct record *rec, struct record_ksymbol *k, struct err *e)
{
	struct cursor c = body(rec);

	k->addr = cursor_u64(&c);
	k->len = cursor_u32(&c);
	k->ksym_type = cursor_u16(&c);
	k->flags = cursor_u16(&c);
	k->name = body_str(&c);
	return body_done(rec, &c, e);
}

int record_read(const struct record *rec, struct record_read *r, struct err *e)
{
	struct cursor c = body(rec);

	r->pid = cursor_u32(&c);
	r->tid = cursor_u32(&c);
	r->values = c.p;
	r->size = cursor_left(&c);
	return body_done(rec, &c, e);
}

int record_namespaces(const struct record *rec, struct record_namespaces *n, struct err *e)
{
	struct cursor c = body(rec);

	n->pid = cursor_u32(&c);
	n->tid = cursor_u32(&c);
	n->nr = cursor_u64(&c);
	if (n->nr > cursor_left(&c) / 16)
		c.bad = true;
	n->link = c.p;
	return body_done(rec, &c, e);
}

int record_bpf(const struct record *rec, struct record_bpf *b, struct err *e)
{
	struct cursor c = body(rec);

	b->type = cursor_u16(&c);
	b->flags = cursor_u16(&c);
	b->id = cursor_u32(&c);
	b->tag = cursor_bytes(&c, 8);
	return body_done(rec, &c, e);
}

int record_build_id(const struct record *rec, struct perfdata_build_id *b, struct err *e)
{
	struct cursor c = body(rec);
	const unsigned char *id;

	*b = (struct perfdata_build_id){ .size = sizeof(b->id) };
	b->misc = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	b->pid = (int32_t)cursor_u32(&c);
	id = cursor_bytes(&c, sizeof(b->id) + 4); /* its size is in the 4, where misc says so */
	if (id)
		memcpy(b->id, id, sizeof(b->id));
	if (id && rec->misc & PERF_RECORD_MISC_EXT_RESERVED && id[20] <= sizeof(b->id))
		b->size = id[20];
	b->path = body_str(&c);
	return body_done(rec, &c, e);
}

int record_cgroup(const struct record *rec, struct record_cgroup *g, struct err *e)
{
	struct cursor c = body(rec);

	g->id = cursor_u64(&c);
	g->path = body_str(&c);
	return body_done(rec, &c, e);
}

int record_text_poke(const struct record *rec, struct record_text_poke *t, struct err *e)
{
	struct cursor c = body(rec);

	t->addr = cursor_u64(&c);
	t->old_len = cursor_u16(&c);
	t->new_len = cursor_u16(&c);
	t->bytes = cursor_bytes(&c, (uint64_t)t->old_len + t->new_len);
	return body_done(rec, &c, e);
}
