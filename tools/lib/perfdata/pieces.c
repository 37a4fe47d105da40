// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pieces of a recording, by an index that was made of it (index.c): the stretches of a piece are read
 * whole, and order.c merges them as it does runs. Each thread has a struct perfdata of its own for
 * that; the index is only looked at.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lack.h"
#include "pieces-int.h"

struct pieces {
	const struct perfdata_index *x;
	size_t at, end;		/* pieces */
	size_t untimed, head;	/* of the piece at hand: the next one, and behind the last */
	bool begun;		/* the piece at hand: its untimed ones are handed out */
	VEC(unsigned char) buf; /* its bytes; or one record that was read by itself */
	VEC(struct order_run *) runs;
	/* Of the piece at hand: the end, in the file, of what was copied out of its map; 0 = nothing was. */
	uint64_t mapped_to;
	struct stream
		*packed; /* stand for what comes out of the streams, for runs; they read nothing */
};

void pieces_free(struct pieces *p)
{
	if (!p)
		return;
	vec_free(&p->buf);
	vec_free(&p->runs);
	free(p->packed);
	free(p);
}

static int no_memory(struct err *e)
{
	return err_set(e, -ENOMEM, "out of memory for a piece of the recording");
}

static int read_at(struct perfdata *pd, uint32_t stream, uint64_t off, void *buf, size_t n,
		   struct err *e)
{
	ssize_t got;

	if (stream >= pd->nr_streams)
		return frames_read(pd->order->parts->x->frames, pd, stream - pd->nr_streams, off,
				   buf, n, e);
	got = window_pread(pd->streams[stream].win.fd, buf, n, off);
	if (got == (ssize_t)n)
		return 0;
	if (got < 0)
		lack_note((int)got, "cannot read", "the recording");
	return err_set(e, got < 0 ? (int)got : -EIO, "cannot read again at offset %#lx: %s", off,
		       got < 0 ? strerror((int)-got) : "the file changed");
}

/* ---- records by themselves ------------------------------------------------------------------- */

static void fill_record(struct perfdata *pd, const struct raw_record *raw, struct record *rec)
{
	*rec = (struct record){ .data = raw->data,
				.size = raw->size,
				.type = raw->type,
				.misc = raw->misc,
				.swap = pd->swap,
				.offset = raw->offset,
				.file_offset = raw->file_offset };
	perfdata_resolve(pd, raw, rec);
}

static int read_untimed(struct perfdata *pd, struct pieces *p, struct record *rec, struct err *e)
{
	const struct place_in_file *at = &p->x->untimed.v[p->untimed++];
	struct raw_record raw = { .offset = at->offset, .file_offset = at->offset };
	int ret;

	if (vec_reserve(&p->buf, RECORD_MAX))
		return no_memory(e);
	ret = read_at(pd, at->stream, at->offset, p->buf.v, 8, e);
	if (ret)
		return ret;
	raw.data = p->buf.v;
	record_header(&raw, raw.data, pd->swap);
	if (raw.size < 8)
		return err_set(e, -EBADMSG, "a record changed while it was read");
	ret = read_at(pd, at->stream, at->offset, p->buf.v, raw.size, e);
	if (!ret && at->stream >= pd->nr_streams)
		raw.file_offset = frames_find(p->x->frames, at->stream - pd->nr_streams,
					      at->offset + raw.size)
					  ->at;
	if (!ret)
		fill_record(pd, &raw, rec);
	return ret;
}

int perfdata_known_records(struct perfdata *pd, const struct perfdata_index *x, size_t from,
			   size_t to, perfdata_known_fn *fn, void *ctx, struct err *e)
{
	size_t end = to < x->pieces.n ? x->pieces.v[to].known : x->known.n;
	unsigned char *buf = malloc(KNOWN_PREFIX + RECORD_MAX);
	int ret = buf ? 0 : no_memory(e);

	for (size_t i = x->pieces.v[from].known; !ret && i < end; i++) {
		const struct known *k = &x->known.v[i];
		struct raw_record raw = { .data = buf ? buf + KNOWN_PREFIX : NULL };
		struct record rec;

		ret = spool_read(&x->spool, k->at, buf, KNOWN_PREFIX + k->size, e);
		if (ret)
			break;
		raw.offset = load_u64(buf, false);
		raw.file_offset = load_u64(buf + 8, false);
		record_header(&raw, raw.data, pd->swap);
		fill_record(pd, &raw, &rec);
		ret = fn(ctx, &rec, e);
	}
	free(buf);
	return ret;
}

/* ---- a piece --------------------------------------------------------------------------------- */

/* Of marks @from up to @to, less @to, the first that is newer than @time; @to: none. */
static size_t mark_behind(const struct marks *m, size_t from, size_t to, uint64_t time)
{
	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (m->v.v[mid].time > time)
			to = mid;
		else
			from = mid + 1;
	}
	return from;
}

/* Marks ascend in offset as in time: behind the last one of the stretch. */
static size_t marks_end(const struct marks *m, const struct stretch *s)
{
	size_t from = s->mark, to = m->v.n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (m->v.v[mid].offset >= s->to)
			to = mid;
		else
			from = mid + 1;
	}
	return from;
}

/*
 * The part of a stretch that can have records of the piece: from a mark to a mark. Empty for the many whose
 * times are others; a long one has as many marks as pieces are cut of it, so they are searched.
 */
static struct stretch part_of(const struct perfdata_index *x, const struct stretch *s,
			      const struct piece *p)
{
	const struct marks *m = &x->marks[s->stream];
	struct stretch part = *s;
	size_t end, first, last;

	if (s->last <= p->after || s->first > p->until) {
		part.to = part.from;
		return part;
	}
	end = marks_end(m, s);
	first = mark_behind(m, s->mark, end, p->after);
	last = mark_behind(m, first, end, p->until);
	if (first > s->mark)
		part.from = m->v.v[first - 1].offset;
	if (last < end)
		part.to = m->v.v[last].offset;
	return part;
}

/* A run of the bytes of @part, which come to @at in the buffer. */
static int add_run(struct perfdata *pd, struct pieces *p, const struct stretch *part, size_t at)
{
	size_t n = pd->nr_streams;
	bool packed = part->stream >= n;
	struct stream *st = packed ? &p->packed[part->stream - n] : &pd->streams[part->stream];
	struct order_run *r = order_run_new(pd->order, st, part->from);

	if (!r)
		return -ENOMEM;
	if (packed)
		r->packed = frames_find(p->x->frames, part->stream - n, part->from + 1);
	r->end = part->to;
	r->base = part->from;
	r->len = (size_t)(part->to - part->from);
	r->cap = at; /* until the buffer is there */
	if (!vec_push(&p->runs, r))
		return 0;
	order_run_free(pd->order, r);
	return -ENOMEM;
}

static int collect(struct perfdata *pd, struct pieces *p, const struct piece *piece, struct err *e)
{
	const struct stage *st = &p->x->stages.v[piece->stage];
	size_t bytes = 0;

	p->runs.n = 0;
	for (size_t i = st->stretch; i < st[1].stretch; i++) {
		struct stretch part = part_of(p->x, &p->x->stretches.v[i], piece);

		if (part.from >= part.to)
			continue;
		if (add_run(pd, p, &part, bytes))
			return no_memory(e);
		bytes += (size_t)(part.to - part.from);
	}
	return vec_reserve(&p->buf, bytes + 1) ? no_memory(e) : 0;
}

static uint32_t source_of(const struct perfdata *pd, const struct pieces *p,
			  const struct order_run *r)
{
	return (uint32_t)(r->packed ? r->st - p->packed + (ptrdiff_t)pd->nr_streams
				    : r->st - pd->streams);
}

/*
 * From @r on up to @end, to where the run says. What comes out of a map may be zeros that the file
 * does not have: that is asked behind the piece, when its gaps have been looked at, too.
 */
static int read_bytes(struct perfdata *pd, struct pieces *p, const struct order_run *r,
		      uint64_t end, struct err *e)
{
	size_t n = (size_t)(end - r->base);

	if (!r->map)
		return read_at(pd, source_of(pd, p, r), r->base, p->buf.v + r->cap, n, e);
	gaps_copy(r->map, r->base, p->buf.v + r->cap, n, pd->swap);
	p->mapped_to = max_u64(p->mapped_to, end);
	return 0;
}

/* Neighbours in the file lie side by side in the buffer as well, and are read as one. */
static int read_runs(struct perfdata *pd, struct pieces *p, struct err *e)
{
	int ret = 0;

	vec_for_each (r, &p->runs)
		if (!(*r)->packed && gaps_can(&p->x->map, (*r)->base, (*r)->len))
			(*r)->map = &p->x->map;
	for (size_t i = 0, next; !ret && i < p->runs.n; i = next) {
		struct order_run *r = p->runs.v[i];
		uint64_t end = r->end;

		for (next = i + 1; next < p->runs.n; next++) {
			const struct order_run *n = p->runs.v[next];

			if (n->st != r->st || n->base != end || n->map || r->map)
				break;
			end = n->end;
		}
		ret = read_bytes(pd, p, r, end, e);
	}
	vec_for_each (r, &p->runs) {
		(*r)->filled = p->buf.v + (*r)->cap;
		(*r)->buf = (*r)->filled;
		(*r)->cap = 0;
	}
	return ret;
}

static int start_piece(struct perfdata *pd, struct pieces *p, struct err *e)
{
	const struct piece *piece = &p->x->pieces.v[p->at++];
	struct order *o = pd->order;
	int ret = collect(pd, p, piece, e);

	ret = ret ?: read_runs(pd, p, e);
	if (ret) {
		vec_for_each (r, &p->runs)
			order_run_free(o, *r);
		return ret;
	}
	pd->stats.bytes += piece->bytes;
	o->merging = true;
	o->after = piece->after;
	o->limit = piece->until;
	p->begun = false;
	return order_heap_fill(pd, &o->heap, p->runs.v, p->runs.n, e);
}

static void begin(struct pieces *p)
{
	const struct piece *piece = &p->x->pieces.v[p->at];
	const struct stage *st = &p->x->stages.v[piece->stage];

	p->untimed = st->untimed;
	p->head = piece->first ? st[1].untimed : st->untimed;
	p->begun = true;
}

int pieces_walk(struct perfdata *pd, struct record *rec, struct err *e)
{
	struct pieces *p = pd->order->parts;
	int ret;

	/* Of the piece before. */
	if (p->mapped_to && gaps_changed(&p->x->map, pd->streams[0].win.fd, p->mapped_to))
		return err_set(e, -EIO, "the file changed while it was read");
	p->mapped_to = 0;
	if (!p->begun) {
		if (p->at >= p->end) {
			pd->order->at_end = true;
			return 0;
		}
		begin(p);
	}
	if (p->untimed >= p->head)
		return start_piece(pd, p, e);
	ret = read_untimed(pd, p, rec, e);
	return ret ? ret : 1;
}

int perfdata_read_pieces(struct perfdata *pd, const struct perfdata_index *x, size_t from,
			 size_t to, struct err *e)
{
	struct order *o = pd->order;

	if (!o) {
		o = calloc(1, sizeof(*o));
		if (!o)
			return no_memory(e);
		spool_init(&o->spool, pd->opts.max_mem);
		pd->order = o;
		o->parts = calloc(1, sizeof(*o->parts));
	}
	if (o->parts && !o->parts->packed) {
		o->parts->packed = calloc(pd->nr_streams, sizeof(*o->parts->packed));
		for (size_t i = 0; o->parts->packed && i < pd->nr_streams; i++)
			o->parts->packed[i].win.fd = -1;
	}
	if (!o->parts || !o->parts->packed)
		return no_memory(e);
	o->parts->x = x;
	o->parts->at = from;
	o->parts->end = to;
	o->parts->begun = false;
	o->at_end = false;
	return 0;
}

int perfdata_same_file(const struct perfdata *a, const struct perfdata *b, struct err *e)
{
	bool same = a->nr_streams == b->nr_streams;

	for (size_t i = 0; same && i < a->nr_streams; i++) {
		struct stat x, y;

		if (fstat(a->streams[i].win.fd, &x) || fstat(b->streams[i].win.fd, &y)) {
			int ret = -errno;

			return err_set(e, ret, "cannot stat %s: %s", a->path, strerror(-ret));
		}
		same = x.st_dev == y.st_dev && x.st_ino == y.st_ino && x.st_size == y.st_size;
	}
	return same ? 0
		    : err_set(e, -ESTALE, "%s was replaced while it was read; read it again",
			      a->path);
}

int perfdata_open_again(struct perfdata **again, const struct perfdata *pd, struct err *e)
{
	struct perfdata_opts o = pd->opts;
	int ret;

	o.progress = NULL;
	o.log = (struct log_sink){ 0 };
	ret = perfdata_open(again, pd->path, &o, e);
	return ret ?: perfdata_same_file(pd, *again, e);
}
