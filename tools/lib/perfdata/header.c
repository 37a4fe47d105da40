// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The header of a file or pipe, its attrs and their ids: perf.data(5), FILE. Every section is held
 * against the size of the file before it is read; counts of ids too, since each is stored once.
 */
#include <stdlib.h>

#include "perfdata-int.h"

#define HEADER_SIZE	 104
#define HEADER_SIZE_OLD	 72 /* no feature bitmap */
#define HEADER_SIZE_PIPE 16

static bool section_ok(uint64_t off, uint64_t size, uint64_t file_size)
{
	return off <= file_size && size <= file_size - off;
}

/* Byte order: written into version 2's magic; version 1 tells by its attr size. */
static int header_magic(struct perfdata *pd, const unsigned char *p, size_t avail, struct err *e)
{
	bool big;

	pd->layout.version = 2;
	if (!memcmp(p, "PERFILE2", 8)) {
		big = false;
	} else if (!memcmp(p, "2ELIFREP", 8)) {
		big = true;
	} else if (!memcmp(p, "PERFFILE", 8) && avail >= 24) {
		uint64_t size = load_u64(p + 16, host_is_big_endian());

		pd->layout.version = 1;
		big = size < 16 + PERF_ATTR_SIZE_VER0 || size > 4096;
	} else {
		err_set(e, -EINVAL,
			"not a perf.data file: it starts with neither PERFILE2 nor "
			"PERFFILE");
		err_hint(e, "is it a recording of `perf record`?");
		return -EINVAL;
	}
	pd->swap = big != host_is_big_endian();
	return 0;
}

/*
 * The bitmap was once written as u32 words, and a foreign reader cannot know: the hostname,
 * which every perf records, must come out as set.
 */
static void header_bitmap(struct perfdata *pd, const unsigned char *p)
{
	uint64_t *bits = pd->feat_bits;

	for (int i = 0; i < 4; i++)
		bits[i] = load_u64(p + i * 8, pd->swap);
	if (!pd->swap || bits[0] & BIT(FEAT_HOSTNAME))
		return;
	for (int i = 0; i < 4; i++)
		bits[i] = load_u32(p + i * 8, true) | (uint64_t)load_u32(p + i * 8 + 4, true) << 32;
	if (bits[0] & BIT(FEAT_HOSTNAME))
		return;
	memset(bits, 0, sizeof(pd->feat_bits));
	bits[0] = BIT(FEAT_BUILD_ID);
	pd->bits_guessed = true;
}

/* What window_pread() says by less than was asked for. */
static const char *why_short(ssize_t got)
{
	return got < 0 ? strerror((int)-got) : "the file ends there";
}

static int header_ids(struct perfdata *pd, int fd, struct pd_event *ev, uint64_t off, uint64_t size,
		      struct err *e)
{
	unsigned char *buf;
	ssize_t got;
	int ret;

	if (!size)
		return 0;
	/* Each id is stored once: together they cannot be longer than the file. */
	if (!section_ok(off, size, pd->layout.file_size) ||
	    pd->ids.n * 8 + size > pd->layout.file_size)
		return err_set(e, -EBADMSG,
			       "ids of event %u: %lu bytes at offset %#lx pass the end of the file",
			       ev->pub.idx, size, off);
	buf = malloc(size);
	if (!buf)
		return err_set(e, -ENOMEM, "out of memory for %lu bytes of event ids", size);
	got = window_pread(fd, buf, size, off);
	if (got == (ssize_t)size)
		ret = perfdata_set_event_ids(pd, ev, buf, size / 8, e);
	else
		ret = err_set(e, -EIO, "cannot read the ids of event %u at offset %#lx: %s",
			      ev->pub.idx, off, why_short(got));
	free(buf);
	return ret;
}

static int header_attrs(struct perfdata *pd, int fd, struct err *e)
{
	uint64_t entry = pd->attr_entry, nr;
	unsigned char *buf;
	ssize_t got;
	int ret = 0;

	if (entry < 16 + PERF_ATTR_SIZE_VER0 || entry > 65536)
		return err_set(e, -EBADMSG, "header: %lu bytes for each attr cannot be", entry);
	if (!section_ok(pd->attr_off, pd->attr_size, pd->layout.file_size))
		return err_set(e, -EBADMSG,
			       "header: attrs, %lu bytes at offset %#lx, pass the end of the file",
			       pd->attr_size, pd->attr_off);
	nr = pd->attr_size / entry;
	buf = malloc(entry);
	if (!buf)
		return err_set(e, -ENOMEM, "out of memory for attrs");
	for (uint64_t i = 0; i < nr && !ret; i++) {
		uint64_t off = pd->attr_off + i * entry;
		struct perf_event_attr attr;
		struct pd_event *ev;

		got = window_pread(fd, buf, entry, off);
		if (got != (ssize_t)entry) {
			ret = err_set(e, -EIO, "cannot read the attr at offset %#lx: %s", off,
				      why_short(got));
			break;
		}
		ret = attr_load(&attr, buf, entry - 16, pd->swap, e);
		ev = ret ? NULL : perfdata_add_event(pd, &attr, e);
		if (!ev) {
			ret = err_context(e, "attr %lu at offset %#lx", i, off);
			break;
		}
		ret = header_ids(pd, fd, ev, load_u64(buf + entry - 16, pd->swap),
				 load_u64(buf + entry - 8, pd->swap), e);
	}
	free(buf);
	return ret;
}

static int header_file(struct perfdata *pd, struct stream *s, const unsigned char *p, uint64_t size,
		       struct err *e)
{
	struct perfdata_layout *l = &pd->layout;
	uint64_t end;
	int ret;

	pd->attr_entry = load_u64(p + 16, pd->swap);
	pd->attr_off = load_u64(p + 24, pd->swap);
	pd->attr_size = load_u64(p + 32, pd->swap);
	l->attrs_offset = pd->attr_off;
	l->attr_size = (uint32_t)min_u64(pd->attr_entry, UINT32_MAX);
	l->data_offset = load_u64(p + 40, pd->swap);
	l->data_size = load_u64(p + 48, pd->swap);
	if (size == HEADER_SIZE)
		header_bitmap(pd, p + 72);
	if (l->data_offset > INT64_MAX || l->data_size > INT64_MAX - l->data_offset)
		return err_set(e, -EBADMSG, "header: data of %lu bytes at offset %#lx cannot be",
			       l->data_size, l->data_offset);
	end = l->data_offset + l->data_size;
	l->feat_offset = end;
	l->data_cut = !l->data_size || end > l->file_size;
	ret = header_attrs(pd, s->win.fd, e);
	if (ret)
		return ret;
	s->pos = s->start = l->data_offset;
	s->end = l->data_size ? end : OFFSET_UNKNOWN;
	s->cut_ok = !l->data_size;
	if (l->data_cut) {
		memset(pd->feat_bits, 0, sizeof(pd->feat_bits));
		return 0;
	}
	return features_load(pd, e);
}

int perfdata_read_header(struct perfdata *pd, struct stream *s, struct err *e)
{
	size_t avail;
	const unsigned char *p = window_at(&s->win, 0, HEADER_SIZE_PIPE, &avail);
	uint64_t size;
	int ret;

	if (s->win.code)
		return err_set(e, s->win.code, "cannot read: %s", strerror(-s->win.code));
	if (avail < HEADER_SIZE_PIPE)
		return err_set(e, -EINVAL, "not a perf.data file: it has only %zu bytes", avail);
	ret = header_magic(pd, p, avail, e);
	if (ret)
		return ret;
	size = load_u64(p + 8, pd->swap);
	if (size == HEADER_SIZE_PIPE) {
		pd->pipe = true;
		pd->layout.attr_size = 0;
		s->pos = s->start = HEADER_SIZE_PIPE;
		s->collect = true;
		return 0;
	}
	if (size != HEADER_SIZE && size != HEADER_SIZE_OLD)
		return err_set(e, -EINVAL,
			       "header of %lu bytes: perf.data files have one of %d, pipes of %d",
			       size, HEADER_SIZE, HEADER_SIZE_PIPE);
	if (!s->win.seekable) {
		err_set(e, -ESPIPE, "the recording is a file, but it comes through a pipe");
		err_hint(e, "name the file with -i; only what `perf record -o -` writes can be "
			    "piped");
		return -ESPIPE;
	}
	p = window_at(&s->win, 0, size, &avail);
	if (avail < size)
		return err_set(e, -EINVAL, "the file ends inside its header, after %zu bytes",
			       avail);
	return header_file(pd, s, p, size, e);
}
