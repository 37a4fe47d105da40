// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A record as the output has it. Where nothing of it changes it is taken as it lies there. Otherwise it
 * is copied, word for word, into the one buffer, and what is not true any more is written over: ids,
 * numbers of processes, times. Places are those of perf.data(5), RECORDS and SAMPLES.
 */
#include "fleet-int.h"
#include "sample/sample.h"

/* ---- by type ------------------------------------------------------------------------------------ */

enum merge_what merge_what(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_HEADER_ATTR:
	case PERF_RECORD_HEADER_EVENT_TYPE:
	case PERF_RECORD_HEADER_TRACING_DATA:
	case PERF_RECORD_HEADER_BUILD_ID:
	case PERF_RECORD_HEADER_FEATURE:
	case PERF_RECORD_COMPRESSED:
	case PERF_RECORD_COMPRESSED2:
	case PERF_RECORD_FINISHED_ROUND: /* ours are elsewhere */
	case PERF_RECORD_FINISHED_INIT:	 /* heads stand in several places */
	case PERF_RECORD_TIME_CONV: return MERGE_LEAVE;
	case PERF_RECORD_AUX:
	case PERF_RECORD_AUXTRACE_INFO:
	case PERF_RECORD_AUXTRACE:
	case PERF_RECORD_AUXTRACE_ERROR:
	case PERF_RECORD_STAT_CONFIG:
	case PERF_RECORD_STAT:
	case PERF_RECORD_STAT_ROUND: return MERGE_REFUSE;
	default: return MERGE_TAKE;
	}
}

static bool is_kernels(const struct record *rec)
{
	switch (rec->type) {
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT:
	case PERF_RECORD_TEXT_POKE: return true;
	default: return false;
	}
}

/* ---- words of a copy ---------------------------------------------------------------------------- */

struct edit {
	struct merge *m;
	const struct merge_input *in;
	const struct record *rec;
	unsigned char *p; /* the copy */
	uint32_t size;
	int code;
};

static void edit_pid(struct edit *ed, uint32_t at)
{
	uint32_t to;

	if (ed->code || at + 4 > ed->size)
		return;
	ed->code = merge_new_pid(ed->m, ed->in, load_u32(ed->p + at, false), &to);
	if (!ed->code)
		store_u32(ed->p + at, to);
}

/* One that is a word of 64 bits, its number in the lower half whatever the byte order. */
static void edit_pid64(struct edit *ed, uint32_t at)
{
	uint64_t was;
	uint32_t to;

	if (ed->code || at + 8 > ed->size)
		return;
	was = load_u64(ed->p + at, false);
	ed->code = merge_new_pid(ed->m, ed->in, (uint32_t)was, &to);
	if (!ed->code)
		store_u64(ed->p + at, (was & ~(uint64_t)UINT32_MAX) | to);
}

static void edit_pids(struct edit *ed, uint32_t at)
{
	edit_pid(ed, at);
	edit_pid(ed, at + 4);
}

static void edit_cgroup(struct edit *ed, uint32_t at)
{
	uint64_t to;

	if (ed->code || ed->size < 16 || at < 8 || at > ed->size - 8)
		return;
	ed->code = merge_new_cgroup(ed->m, ed->in, load_u64(ed->p + at, false), &to);
	if (!ed->code)
		store_u64(ed->p + at, to);
}

static void edit_id(struct edit *ed, uint32_t at)
{
	if (at + 8 <= ed->size)
		store_u64(ed->p + at, merge_new_id(ed->in, load_u64(ed->p + at, false)));
}

static void edit_time(struct edit *ed, uint32_t at)
{
	uint64_t t;

	if (at + 8 > ed->size)
		return;
	t = load_u64(ed->p + at, false);
	if (!t && ed->in->retime)
		t = ed->in->time;
	if (t)
		store_u64(ed->p + at, t + (uint64_t)ed->in->shift);
}

/* What a counter showed: one value, or those of its group, each with its id. */
static void edit_read(struct edit *ed, uint32_t at, uint64_t format)
{
	uint64_t nr = 1;
	uint32_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint32_t stride = 16 + !!(format & PERF_FORMAT_LOST) * 8;

	if (!(format & PERF_FORMAT_ID) || at + 8 > ed->size)
		return;
	if (!(format & PERF_FORMAT_GROUP)) {
		edit_id(ed, at + 8 + times * 8);
		return;
	}
	nr = load_u64(ed->p + at, false);
	at += 8 + times * 8;
	for (uint64_t i = 0; i < nr && at + 16 <= ed->size; i++, at += stride)
		edit_id(ed, at + 8);
}

/* ---- samples ------------------------------------------------------------------------------------ */

/* The first id of the event in the output. */
static uint64_t id_of(const struct edit *ed, const struct perfdata_event *ev)
{
	const struct merge_event *to = &ed->m->events.v[ed->in->event.v[ev->idx]];

	if (ev->nr_ids)
		return merge_new_id(ed->in, ev->ids[0]);
	return to->ids.n ? to->ids.v[0] : 0;
}

static void edit_sample(struct edit *ed)
{
	static const uint64_t ids[] = { PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_ID,
					PERF_SAMPLE_STREAM_ID };
	const struct perf_event_attr *attr = &ed->rec->event->attr;
	uint64_t type = attr->sample_type, id;
	uint32_t base = 8;

	if (ed->m->told && !(type & PERF_SAMPLE_IDENTIFIER)) {
		memmove(ed->p + 16, ed->p + 8, ed->size - 8);
		ed->size += 8;
		base = 16;
	}
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (type & ids[i])
			edit_id(ed, base + attr_head_offset(type, ids[i]));
	if (base == 16) {
		uint32_t at = base + attr_head_offset(type, PERF_SAMPLE_ID);

		id = type & PERF_SAMPLE_ID && at + 8 <= ed->size ? load_u64(ed->p + at, false)
								 : id_of(ed, ed->rec->event);
		store_u64(ed->p + 8, id);
	}
	if (type & PERF_SAMPLE_TID)
		edit_pids(ed, base + attr_head_offset(type, PERF_SAMPLE_TID));
	if (type & PERF_SAMPLE_TIME)
		edit_time(ed, base + attr_head_offset(type, PERF_SAMPLE_TIME));
	/* Words of a known size are all that follows it; who samples AUX areas is not merged. */
	if (type & PERF_SAMPLE_CGROUP && !(type & PERF_SAMPLE_AUX))
		edit_cgroup(ed, ed->size - 8 * (1 + !!(type & PERF_SAMPLE_DATA_PAGE_SIZE) +
						!!(type & PERF_SAMPLE_CODE_PAGE_SIZE)));
	if (type & PERF_SAMPLE_READ) /* it stands behind all heads */
		edit_read(ed, base + attr_head_offset(type, PERF_SAMPLE_READ), attr->read_format);
}

/* ---- other records ------------------------------------------------------------------------------ */

#define MMAP_NAME  40 /* where MMAP has the path, and MMAP2 numbers of the file or its build id */
#define MMAP2_NAME 72

/* A path that names another object in another input: its build id goes into the record. */
static void edit_map(struct edit *ed)
{
	const struct perfdata_build_id *own = merge_own_id(ed->in, ed->rec);
	uint32_t grow = ed->rec->type == PERF_RECORD_MMAP ? MMAP2_NAME - MMAP_NAME : 0;

	if (!own || ed->size < (grow ? MMAP_NAME : MMAP2_NAME) ||
	    ed->size + grow > MERGE_RECORD_MAX)
		return;
	if (grow) {
		memmove(ed->p + MMAP2_NAME, ed->p + MMAP_NAME, ed->size - MMAP_NAME);
		store_u32(ed->p, PERF_RECORD_MMAP2);
		store_u32(ed->p + 64, 5); /* PROT_READ | PROT_EXEC: MMAP is for code */
		store_u32(ed->p + 68, 2); /* MAP_PRIVATE */
		ed->size += grow;
	}
	memset(ed->p + MMAP_NAME, 0, 24);
	ed->p[MMAP_NAME] = own->size;
	memcpy(ed->p + MMAP_NAME + 4, own->id, own->size);
	store_u16(ed->p + 4, (uint16_t)(ed->rec->misc | PERF_RECORD_MISC_MMAP_BUILD_ID));
}

/* Numbers in the body of a record of the kernel. */
static void edit_body(struct edit *ed)
{
	const struct record *rec = ed->rec;

	switch (rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		edit_pids(ed, 8);
		edit_map(ed);
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_ITRACE_START:
	case PERF_RECORD_SWITCH_CPU_WIDE: edit_pids(ed, 8); break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		edit_pids(ed, 8);
		edit_pids(ed, 16);
		if (ed->size >= 32 && load_u64(ed->p + 24, false))
			edit_time(ed, 24);
		break;
	case PERF_RECORD_CGROUP: edit_cgroup(ed, 8); break;
	case PERF_RECORD_LOST: edit_id(ed, 8); break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		edit_id(ed, 16);
		edit_id(ed, 24);
		break;
	case PERF_RECORD_READ:
		edit_pids(ed, 8);
		if (rec->event)
			edit_read(ed, 16, rec->event->attr.read_format);
		break;
	default: break;
	}
}

/* The end of the record, laid out as @ev's attr says: @at bytes are before it. */
static void edit_trailer(struct edit *ed, const struct perfdata_event *ev, uint32_t at)
{
	static const uint64_t ids[] = { PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_ID,
					PERF_SAMPLE_STREAM_ID };
	uint64_t type = ev->attr.sample_type;

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		uint32_t word = at + attr_trailer_offset(type, ids[i]);

		if (!(type & ids[i]))
			continue;
		if (ed->m->told && word + 8 <= ed->size && !load_u64(ed->p + word, false))
			store_u64(ed->p + word, id_of(ed, ev));
		else
			edit_id(ed, word);
	}
	if (type & PERF_SAMPLE_TID)
		edit_pids(ed, at + attr_trailer_offset(type, PERF_SAMPLE_TID));
	if (type & PERF_SAMPLE_TIME)
		edit_time(ed, at + attr_trailer_offset(type, PERF_SAMPLE_TIME));
	if (ed->m->told && !(type & PERF_SAMPLE_IDENTIFIER)) {
		store_u64(ed->p + ed->size, id_of(ed, ev));
		ed->size += 8;
	}
}

/* Recorders of before 2011 wrote none: what is known is the event, and where the walk is. */
static void put_trailer(struct edit *ed, const struct perfdata_event *ev)
{
	const struct merge_event *to = &ed->m->events.v[ed->in->event.v[ev->idx]];
	const struct attr_trailer v = {
		.time = ed->in->time ? ed->in->time + (uint64_t)ed->in->shift : 0,
		.id = id_of(ed, ev),
	};

	ed->size += (uint32_t)attr_trailer_put(&to->attr, &v, ed->p + ed->size);
}

static void edit_other(struct edit *ed)
{
	const struct perfdata_event *ev = ed->rec->event;
	size_t trailer = attr_trailer_size(&ev->attr);

	if (ed->size < 8 + trailer)
		return;
	edit_body(ed);
	if (trailer)
		edit_trailer(ed, ev, ed->size - (uint32_t)trailer);
	else if (ed->m->told)
		put_trailer(ed, ev);
}

/* ---- records of recorders ----------------------------------------------------------------------- */

static void edit_user(struct edit *ed)
{
	uint32_t at;
	uint64_t nr;

	switch (ed->rec->type) {
	case PERF_RECORD_EVENT_UPDATE: edit_id(ed, 16); break;
	case PERF_RECORD_ID_INDEX:
		nr = ed->size >= 16 ? load_u64(ed->p + 8, false) : 0;
		at = 16;
		for (uint64_t i = 0; i < nr && at + 32 <= ed->size; i++, at += 32) {
			edit_id(ed, at);
			edit_pid64(ed, at + 24);
		}
		break;
	case PERF_RECORD_THREAD_MAP:
		nr = ed->size >= 16 ? load_u64(ed->p + 8, false) : 0;
		at = 16;
		for (uint64_t i = 0; i < nr && at + 24 <= ed->size; i++, at += 24)
			edit_pid64(ed, at);
		break;
	default: break;
	}
}

int merge_record(struct merge *m, const struct merge_input *in, struct record *rec, struct err *e)
{
	struct edit ed = { .m = m, .in = in, .rec = rec, .p = m->buf, .size = rec->size };
	bool user = rec->type >= PERF_RECORD_USER_TYPE_START;

	if (in->no_kernel && is_kernels(rec)) {
		m->stats.kernel_samples += rec->type == PERF_RECORD_SAMPLE;
		return 1;
	}
	/* An event that nobody knows: where its words stand is not known either. */
	if (!user && (!rec->event || rec->event->idx >= in->event.n)) {
		m->stats.left_out++;
		return 1;
	}
	if (!in->edit)
		return 0;
	memcpy(m->buf, rec->data, rec->size);
	if (user)
		edit_user(&ed);
	else if (rec->type == PERF_RECORD_SAMPLE)
		edit_sample(&ed);
	else
		edit_other(&ed);
	if (ed.code)
		return err_set(e, ed.code,
			       ed.code == -ENOMEM ? "out of memory for processes"
						  : "the inputs have too many processes");
	if (ed.size > MERGE_RECORD_MAX) {
		m->stats.left_out++;
		return 1;
	}
	store_u16(m->buf + 6, (uint16_t)ed.size);
	rec->data = m->buf;
	rec->size = ed.size;
	return 0;
}
