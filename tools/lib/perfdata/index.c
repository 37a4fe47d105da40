// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a recording can be cut. What order.c hands out comes in stages: at the end of each round all
 * that is not newer than the newest record of the round before. While a round is walked through that limit
 * is known, so each run in it is one stretch that this stage takes and one that is left for the next.
 * A stage is small where the recorder wrote rounds; else it is cut by time, at times that marks along the
 * stretches tell. So a piece is a few stretches of the file, which can be read and merged without
 * anything that was read before.
 *
 * What is packed has places of its own: streams behind the file's, one for what comes out of each (frames.c).
 *
 * What cannot be found in this way is read as a whole: pipes, what is packed in one frame, samples without a
 * time, a file in no order at all.
 */
#include <stdlib.h>

#include "index-int.h"

#define STRETCHES_MAX (1u << 20)
#define MARKS_A_PIECE 16
#define MARK_MIN      512
#define LOOK	      (4u << 10)  /* read at once where most is only looked at */
#define AHEAD	      32	  /* samples that are fetched from memory before their turn */
#define WORTH_HELP    (32u << 20) /* bytes whose pages others map */

/* ---- what was walked over -------------------------------------------------------------------- */

static int keep_record(struct index_walk *w, const struct record *rec, struct err *e)
{
	struct spool *s = &w->x->spool;
	struct {
		uint64_t offsets[2];
		unsigned char header[8];
	} head = { .offsets = { rec->offset, rec->file_offset } };
	struct known k = { .time = rec->time, .at = s->end, .size = rec->size };
	int ret;

	/* Stacks, branches and registers of samples are most of what would be copied, and nobody asks for them. */
	if (rec->type == PERF_RECORD_SAMPLE)
		k.size = (uint32_t)min_u64(k.size, KNOWN_SAMPLE);
	memcpy(head.header, rec->data, 6);
	store_u16(head.header + 6,
		  rec->swap ? __builtin_bswap16((uint16_t)k.size) : (uint16_t)k.size);
	ret = spool_append(s, &head, KNOWN_PREFIX + 8, e);
	ret = ret ?: spool_append(s, rec->data + 8, k.size - 8, e);
	if (ret)
		return ret;
	if (rec->time == RECORD_NO_TIME || !rec->time)
		ret = vec_push(&w->known_untimed, k);
	else if (rec->time <= w->limit)
		ret = vec_push(&w->known_now, k);
	else
		ret = vec_push(&w->known_next, k);
	return ret ? perfdata_index_no_memory(e) : 0;
}

static int note_untimed(struct index_walk *w, const struct record *rec, struct err *e)
{
	struct place_in_file at = { rec->offset, w->source };

	if (rec->type == PERF_RECORD_SAMPLE)
		return perfdata_index_refuse(e);
	return vec_push(&w->x->untimed, at) ? perfdata_index_no_memory(e) : 0;
}

static int new_stretch(struct index_walk *w, const struct record *rec, bool next, struct err *e)
{
	struct stretch s = { .from = rec->offset, .first = rec->time, .stream = w->source };

	s.mark = (uint32_t)w->x->marks[s.stream].v.n;
	w->stream = s.stream;
	w->open = true;
	w->open_next = next;
	w->last_time = 0;
	if (w->now.n + w->next.n + w->x->stretches.n >= STRETCHES_MAX)
		return perfdata_index_refuse(e);
	return (next ? vec_push(&w->next, s) : vec_push(&w->now, s)) ? perfdata_index_no_memory(e)
								     : 0;
}

/* What prolongs the last stretch and needs no mark: most records. */
static inline bool prolong(struct index_walk *w, const struct record *rec)
{
	bool next = rec->time > w->limit;
	struct stretch *s;

	if (unlikely(!w->open || rec->time < w->last_time || w->stream != w->source ||
		     next != w->open_next || rec->offset >= w->next_mark))
		return false;
	s = next ? &w->next.v[w->next.n - 1] : &w->now.v[w->now.n - 1];
	s->to = rec->offset + rec->size;
	s->last = w->last_time = rec->time;
	w->max_time = max_u64(w->max_time, rec->time);
	return true;
}

/* At a record of the last stretch. */
static int add_mark(struct index_walk *w, uint64_t offset, uint64_t time)
{
	const struct mark m = { offset, time };
	int ret = vec_push(&w->x->marks[w->stream].v, m);

	if (!ret)
		w->next_mark = offset + w->mark_bytes;
	return ret;
}

/* As note() in order.c, so that the runs are the same. */
static int note_timed(struct index_walk *w, const struct record *rec, struct err *e)
{
	bool next = rec->time > w->limit;
	int ret;

	if (prolong(w, rec))
		return 0;
	if (!w->open || rec->time < w->last_time || w->stream != w->source ||
	    next != w->open_next) {
		ret = new_stretch(w, rec, next, e);
		if (ret)
			return ret;
		w->next_mark = rec->offset + w->mark_bytes;
	} else if (add_mark(w, rec->offset, rec->time)) {
		return perfdata_index_no_memory(e);
	}
	prolong(w, rec);
	return 0;
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* Attrs and updates behind the first sample would hold for those before it too. */
static bool describes(uint32_t type)
{
	return (type >= PERF_RECORD_HEADER_ATTR && type <= PERF_RECORD_HEADER_BUILD_ID) ||
	       type == PERF_RECORD_EVENT_UPDATE || type == PERF_RECORD_HEADER_FEATURE;
}

static uint32_t source_of(const struct perfdata *pd, size_t stream, bool unzipped)
{
	return (uint32_t)(stream + (unzipped ? pd->nr_streams : 0));
}

/* Where events are of several kinds each sample is looked at by itself. */
static struct index_places find_places(const struct perfdata *pd)
{
	const struct pd_event *ev = pd->events.v[0];
	struct index_places at = { .time = ev->sample_time, .thread = ev->sample_tid };

	for (size_t i = 1; i < own_events(pd); i++) {
		const struct pd_event *other = pd->events.v[i];

		if (!ev->sample_id || other->sample_id != ev->sample_id ||
		    other->sample_time != ev->sample_time || other->sample_tid != ev->sample_tid)
			return (struct index_places){ 0 };
		at.id = ev->sample_id;
	}
	if (!at.thread)
		return (struct index_places){ 0 };
	at.least = 8 + (uint32_t)max_u64(at.id, max_u64(at.time, at.thread));
	return at;
}

static void know_thread(struct index_walk *w, uint64_t thread)
{
	size_t i = hash_u64(thread) % KNOWN_THREADS;

	w->known_thread[i].thread = thread;
	w->known_thread[i].turn = w->turn + 1;
	w->has_thread = true;
	w->thread = thread;
}

static inline bool is_known_thread(const struct index_walk *w, uint64_t thread)
{
	size_t i = hash_u64(thread) % KNOWN_THREADS;

	return w->known_thread[i].thread == thread && w->known_thread[i].turn == w->turn + 1;
}

static int keep_if_asked(struct index_walk *w, const struct record *rec, struct err *e)
{
	enum perfdata_keep keep = w->o->keep(w->o->ctx, rec);

	if (rec->type != PERF_RECORD_SAMPLE) {
		w->has_thread = false;
		w->turn++;
	}
	if (keep == PERFDATA_KEEP)
		return keep_record(w, rec, e);
	if (keep == PERFDATA_KEEP_NO_MORE && w->places.time && w->places.least <= rec->size)
		know_thread(w, load_u64(rec->data + w->places.thread, false));
	return 0;
}

static int walk_record(struct index_walk *w, const struct record *rec, bool unzipped, bool *samples,
		       struct err *e)
{
	int ret;

	*samples |= rec->type == PERF_RECORD_SAMPLE;
	w->source = source_of(w->pd, w->pd->cur, unzipped);
	if (unlikely((unzipped && !w->x->frames) || (describes(rec->type) && *samples)))
		return perfdata_index_refuse(e);
	if (unlikely(rec->type == PERF_RECORD_HEADER_ATTR))
		w->places = find_places(w->pd);
	ret = keep_if_asked(w, rec, e);
	if (ret)
		return ret;
	if (unlikely(rec->time == RECORD_NO_TIME || !rec->time))
		ret = note_untimed(w, rec, e);
	else
		ret = note_timed(w, rec, e);
	if (!ret && rec->type == PERF_RECORD_FINISHED_ROUND && w->pd->nr_streams == 1)
		ret = perfdata_index_end_round(w, e);
	return ret;
}

/* Whether there is a whole record in @left bytes. */
static inline bool holds_record(const unsigned char *p, size_t left, bool swap)
{
	return left >= 8 && left >= load_u16(p + 6, swap);
}

/*
 * Bytes at the walk's place that need no reading, and no unpacking, any more. *viewed: they may change while they
 * are looked at.
 */
static inline const unsigned char *at_hand(struct index_walk *w, struct stream *s, size_t *left,
					   uint64_t *offset, bool *viewed)
{
	uint64_t skip = s->pos - s->win.base;
	const unsigned char *p;

	*viewed = false;
	if (s->in_zip)
		return unzip_peek(s->zip, left, offset);
	*offset = s->pos;
	*left = skip < s->win.len ? (size_t)min_u64(s->win.len - skip, s->end - s->pos) : 0;
	if (!w->copy || holds_record(s->win.buf + skip, *left, w->pd->swap))
		return s->win.buf + skip;
	p = window_view_at(&w->view, s->win.fd, s->pos, left);
	if (unlikely(!p)) /* then all of it is read */
		s->win.look = 0;
	*left = (size_t)min_u64(*left, s->end - s->pos);
	*viewed = *left;
	return p;
}

/* What is there of the record at @p, in *left bytes of at least 8, where nobody changes it. */
static const unsigned char *copy_record(const struct index_walk *w, const unsigned char *p,
					size_t *left)
{
	*left = (size_t)min_u64(*left, max_u64(8, load_u16(p + 6, w->pd->swap)));
	return memcpy(w->copy, p, *left);
}

/*
 * The sample at the walk's place, if it lies in the window and there is nothing to it but its time: the same
 * as perfdata_next_in_file() in a third of the time, which is what a reading by many has to wait for.
 */
static inline bool plain_sample(struct index_walk *w, struct record *rec)
{
	struct perfdata *pd = w->pd;
	struct stream *s = &pd->streams[pd->cur];
	struct pd_event *ev = pd->events.v[0];
	struct raw_record raw;
	const unsigned char *p;
	uint64_t offset;
	bool viewed;
	size_t left;

	p = at_hand(w, s, &left, &offset, &viewed);
	if (left < 8)
		return false;
	if (viewed && load_u32(p, pd->swap) != PERF_RECORD_SAMPLE)
		return false;
	if (viewed)
		p = copy_record(w, p, &left);
	record_header(&raw, p, pd->swap);
	if (raw.type != PERF_RECORD_SAMPLE || left < raw.size || raw.size < 8)
		return false;
	if (own_events(pd) > 1) {
		if (!ev->sample_id || raw.size < ev->sample_id + 8u)
			return false;
		ev = perfdata_find_event(pd, load_u64(p + ev->sample_id, pd->swap));
	}
	if (!ev || raw.size < ev->sample_time + 8u)
		return false;
	*rec = (struct record){ .data = p,
				.size = raw.size,
				.type = raw.type,
				.misc = raw.misc,
				.swap = pd->swap,
				.offset = offset,
				.file_offset = s->in_zip ? s->zip_pos : offset,
				.time = load_u64(p + ev->sample_time, pd->swap),
				.event = &ev->pub };
	if (rec->time == RECORD_NO_TIME || !rec->time)
		return false;
	if (s->in_zip)
		unzip_skip(s->zip, raw.size);
	else
		s->pos += raw.size;
	w->source = source_of(pd, pd->cur, s->in_zip);
	pd->stats.records++;
	pd->stats.bytes += raw.size;
	return true;
}

/* Bytes of samples in a row, and what was found in them. */
struct row {
	const unsigned char *p, *end; /* here; those that are at hand */
	const unsigned char *mark;    /* the first that begins here is none of them */
	uint64_t time, most;	      /* of the last; of those to come */
	uint64_t nr;
};

/*
 * Most samples: of a thread that was asked for, later in time, of the same stretch. All that is to be
 * known of such a row is how long it is.
 */
static inline void walk_row(const struct index_walk *w, struct row *row, bool several, bool swap,
			    bool viewed)
{
	const struct index_places *at = &w->places;
	const unsigned char *p = row->p;
	uint64_t last = row->time, nr = 0, known = w->thread;

	while (p < row->mark && row->end - p >= 8) {
		uint32_t size = load_u16(p + 6, swap);
		uint64_t time, thread;

		/* What is looked at more than once has to be the same each time. */
		__asm__("" : "+r"(size));
		if (load_u32(p, swap) != PERF_RECORD_SAMPLE || size < at->least ||
		    size > (size_t)(row->end - p))
			break;
		/* Where samples are of about one size the next ones lie there, in memory that nobody read lately. */
		if (viewed) {
			__builtin_prefetch(p + AHEAD * size);
			__builtin_prefetch(p + AHEAD * size + at->least);
		}
		time = load_u64(p + at->time, swap);
		thread = load_u64(p + at->thread, false);
		__asm__("" : "+r"(time), "+r"(thread));
		if (time < last || time > row->most ||
		    (thread != known && !is_known_thread(w, thread)) ||
		    (several && !perfdata_is_recent(w->pd, load_u64(p + at->id, swap))))
			break;
		known = thread;
		last = time;
		p += size;
		nr++;
	}
	row->p = p;
	row->time = last;
	row->nr = nr;
}

/* A row up to where a mark is due, or the sample that has it. False: what comes next is none of a row. */
static bool skip_row(struct index_walk *w)
{
	struct perfdata *pd = w->pd;
	struct stream *s = &pd->streams[pd->cur];
	struct stretch *st;
	struct row row;
	uint64_t offset;
	size_t left, n;
	bool viewed, marks;

	if (!w->has_thread || !w->open || w->stream != source_of(pd, pd->cur, s->in_zip))
		return false;
	row.p = at_hand(w, s, &left, &offset, &viewed);
	if (!left)
		return false;
	marks = offset >= w->next_mark;
	row.end = row.p + left;
	row.mark = row.p + (marks ? 1 : min_u64(left, w->next_mark - offset));
	row.time = w->last_time;
	row.most = w->open_next ? RECORD_NO_TIME - 1 : w->limit;
	if (likely(!pd->swap && !w->places.id && viewed))
		walk_row(w, &row, false, false, true);
	else if (!pd->swap && !w->places.id)
		walk_row(w, &row, false, false, false);
	else
		walk_row(w, &row, w->places.id, pd->swap, viewed);
	n = left - (size_t)(row.end - row.p);
	if (!n || (marks && add_mark(w, offset, row.time)))
		return false;
	if (s->in_zip)
		unzip_skip(s->zip, n);
	else
		s->pos += n;
	pd->stats.records += row.nr;
	pd->stats.bytes += n;
	st = w->open_next ? &w->next.v[w->next.n - 1] : &w->now.v[w->now.n - 1];
	st->to = offset + n;
	st->last = w->last_time = row.time;
	w->max_time = max_u64(w->max_time, row.time);
	return row.p >= row.mark;
}

/* Samples up to one that is not plain. */
static int walk_samples(struct index_walk *w, bool *samples, struct err *e)
{
	struct record rec;
	int ret = 0;

	while (!ret) {
		while (skip_row(w))
			;
		if (!plain_sample(w, &rec))
			break;
		*samples = true;
		ret = keep_if_asked(w, &rec, e);
		if (!ret && unlikely(!prolong(w, &rec)))
			ret = note_timed(w, &rec, e);
	}
	return ret;
}

/* What is no plain sample is copied to where records are read, with a few behind it, for these come in groups. */
static void copy_next(struct index_walk *w)
{
	struct stream *s = &w->pd->streams[w->pd->cur];
	uint64_t skip = s->pos - s->win.base;

	if (!w->copy || s->in_zip || s->pos >= s->end)
		return;
	if (skip > s->win.len || !holds_record(s->win.buf + skip, s->win.len - skip, w->pd->swap))
		window_view_read(&w->view, &s->win, s->pos, LOOK);
}

/* What is no plain sample is read, and of the others a few words looked at. */
static void start_view(struct index_walk *w)
{
	/* Packed records are read whole. */
	w->copy = w->x->frames ? NULL : malloc(RECORD_MAX + 1);
	if (w->copy && perfdata_record_bytes(w->pd) >= WORTH_HELP)
		w->view.side = window_side_new(w->o->threads ? w->o->threads - 1 : 0);
	w->view.whole = w->o->gaps && gaps_may_pay(w->pd);
	for (size_t i = 0; w->copy && i < w->pd->nr_streams; i++)
		w->pd->streams[i].win.look = LOOK;
}

static void end_view(struct index_walk *w)
{
	for (size_t i = 0; i < w->pd->nr_streams; i++)
		w->pd->streams[i].win.look = 0;
	if (w->view.whole && gaps_pay(w->pd))
		window_view_take(&w->view, &w->x->map);
	window_view_free(&w->view);
	w->x->map_seconds = window_side_free(w->view.side, &w->x->nr_mapping);
	free(w->copy);
}

static int walk_all(struct index_walk *w, struct err *e)
{
	struct perfdata_index *x = w->x;
	bool unzipped, samples = false;
	struct record rec;
	int ret = 0, end = 0;

	w->places = find_places(w->pd);
	start_view(w);
	w->pd->next_progress = UINT64_MAX; /* that is told by those who read */
	while (!ret) {
		copy_next(w);
		end = perfdata_next_in_file(w->pd, &rec, &unzipped, &x->damage);
		if (end <= 0)
			break;
		ret = walk_record(w, &rec, unzipped, &samples, e);
		ret = ret ?: walk_samples(w, &samples, e);
	}
	end_view(w);
	if (!ret && x->frames && frames_gave_up(x->frames))
		ret = perfdata_index_refuse(e);
	if (ret)
		return ret;
	w->pd->next_progress = 0;
	x->damaged = end < 0;
	return perfdata_index_end_walk(w, e);
}

static void rewind_streams(struct perfdata *pd)
{
	for (size_t i = 0; i < pd->nr_streams; i++) {
		struct stream *s = &pd->streams[i];

		s->pos = s->start;
		s->in_zip = false;
		s->nr_zipped[0] = s->nr_zipped[1] = 0;
		unzip_free(s->zip);
		s->zip = NULL;
	}
	pd->cur = 0;
	pd->done_before = pd->next_progress = 0;
	pd->failed = pd->ended = false;
	memset(&pd->stats, 0, sizeof(pd->stats));
}

/* What is known before the first byte is read. */
static bool can_be_cut(const struct perfdata *pd)
{
	if (pd->pipe || pd->opts.no_order || pd->order || pd->events.n == 0)
		return false;
	for (size_t i = 0; i < pd->nr_streams; i++)
		if (!pd->streams[i].win.seekable)
			return false;
	vec_for_each (ev, &pd->events)
		if (!(*ev)->sample_time)
			return false;
	return true;
}

/*
 * Threads unpack ahead of the walk what is packed. It is unpacked once more by those who read, so two threads are
 * better off when one reads ahead for the other.
 */
static int walk_packed(struct index_walk *w, struct err *e)
{
	struct perfdata *pd = w->pd;
	struct perfdata_index *x = w->x;
	int ret = w->o->threads > 2 ? frames_new(&x->frames, pd, w->o->threads, e)
				    : perfdata_index_refuse(e);

	for (size_t i = 0; !ret && i < pd->nr_streams; i++) {
		struct stream *s = &pd->streams[i];

		s->zip = unzip_new(s->no_limits, e);
		if (!s->zip)
			return -ENOMEM;
		unzip_by_frames(s->zip, x->frames, pd, i);
	}
	if (ret)
		return ret;
	frames_start(x->frames, pd);
	ret = walk_all(w, e);
	for (size_t i = 0; i < pd->nr_streams; i++) {
		unzip_free(pd->streams[i].zip);
		pd->streams[i].zip = NULL;
	}
	frames_stop(x->frames);
	return ret;
}

static int walk_any(struct index_walk *w, struct err *e)
{
	/* What is walked over is one list, what is unpacked another one. */
	w->x->marks = calloc(2 * w->pd->nr_streams, sizeof(*w->x->marks));
	if (!w->x->marks)
		return perfdata_index_no_memory(e);
	/* A recorder that was killed did not say. */
	if (perfdata_has_feature(w->pd, FEAT_COMPRESSED) ||
	    (w->pd->layout.data_cut && w->o->threads > 2))
		return walk_packed(w, e);
	return walk_all(w, e);
}

int perfdata_index_new(struct perfdata_index **out, struct perfdata *pd,
		       const struct perfdata_index_opts *o, struct err *e)
{
	struct perfdata_index *x = calloc(1, sizeof(*x));
	struct index_walk w = { .pd = pd, .x = x, .o = o };
	int ret = 0;

	*out = NULL;
	if (!x)
		return perfdata_index_no_memory(e);
	w.mark_bytes = max_u64(MARK_MIN, o->piece / MARKS_A_PIECE);
	if (!can_be_cut(pd))
		ret = perfdata_index_refuse(e);
	if (!ret) {
		spool_init(&x->spool, pd->opts.max_mem);
		x->nr_streams = pd->nr_streams;
		ret = walk_any(&w, e);
	}
	vec_free(&w.now);
	vec_free(&w.next);
	vec_free(&w.known_now);
	vec_free(&w.known_next);
	vec_free(&w.known_untimed);
	if (ret) {
		rewind_streams(pd);
		perfdata_index_free(x);
		return ret;
	}
	*out = x;
	return 0;
}

void perfdata_index_free(struct perfdata_index *x)
{
	if (!x)
		return;
	for (size_t i = 0; x->marks && i < 2 * x->nr_streams; i++)
		vec_free(&x->marks[i].v);
	free(x->marks);
	window_map_free(&x->map);
	vec_free(&x->stretches);
	vec_free(&x->stages);
	vec_free(&x->pieces);
	vec_free(&x->untimed);
	vec_free(&x->known);
	spool_free(&x->spool);
	frames_free(x->frames);
	free(x);
}

size_t perfdata_nr_pieces(const struct perfdata_index *x)
{
	return x->pieces.n;
}

uint64_t perfdata_piece_bytes(const struct perfdata_index *x, size_t i)
{
	return x->pieces.v[i].bytes;
}

double perfdata_index_map_seconds(const struct perfdata_index *x, unsigned *threads)
{
	*threads = x->nr_mapping;
	return x->map_seconds;
}

const struct err *perfdata_index_damage(const struct perfdata_index *x)
{
	return x->damaged ? &x->damage : NULL;
}
