// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf2bolt's pre-aggregated form, and what all formats share of opening an object. A file holds
 * one object: addresses of others could be told apart by build ids, but perf2bolt 19 takes the
 * ranges among them for its own.
 */
#include <stdio.h>
#include <stdlib.h>

#include <limits.h>

#include "base/side.h"
#include "convert/convert-int.h"
#include "session/session.h"

/* ---- loading ---- */

/* Branches of some edges that begin in no function of the object. */
struct lost {
	const struct convert *c;
	const struct convert_elf *ob;
	size_t from, to;
	uint64_t branches;
};

static void count_lost(void *list, size_t k)
{
	struct lost *l = (struct lost *)list + k;
	const struct object_file *file = &l->ob->file;
	uint64_t branches = 0; /* the others' lie in the same line of the cache */

	for (size_t i = l->from; i < l->to; i++) {
		const struct edge *g = &l->c->edges.v[l->ob->edge[i]];

		if (g->from_dso == l->ob->dso &&
		    !convert_elf_function(file, convert_elf_vaddr(file, g->from)))
			branches += g->count;
	}
	l->branches = branches;
}

static void count_functions(const struct convert *c, struct convert_elf *ob)
{
	unsigned threads = convert_threads(c, ob->nr_edges);
	struct lost part[CONVERT_THREADS];

	for (size_t i = 0; i < threads; i++)
		part[i] = (struct lost){ c, ob, i * ob->nr_edges / threads,
					 (i + 1) * ob->nr_edges / threads, 0 };
	side_by_side(threads, threads, count_lost, part);
	for (size_t i = 0; i < threads; i++)
		ob->pub.no_function += part[i].branches;
}

/* Hex digits of build ids. Old recorders wrote 20 bytes, with zeros behind a shorter one. */
static bool same_id(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (!*a || !*b) && !(a + strspn(a, "0"))[0] && !(b + strspn(b, "0"))[0];
}

int convert_load(struct convert *c, size_t i, const char *path, struct err *e)
{
	struct convert_elf *ob = &c->objects.v[i];
	char moved[PATH_MAX];
	int ret;

	if (ob->loaded)
		return 0;
	if (!path && c->session &&
	    session_symfs_path(c->session, ob->pub.dso->name, moved, sizeof(moved)))
		path = moved;
	ret = convert_elf_open(&ob->file, path ? path : ob->pub.dso->name, c->elf_flags, e);
	if (ret) {
		convert_elf_close(&ob->file);
		ob->file = (struct object_file){ 0 };
		ob->pub.problem = ret == -ENOENT ? "its file is not here" : "its file is unusable";
		return ret;
	}
	ob->loaded = true;
	ob->pub.functions = ob->file.fns.n;
	count_functions(c, ob);
	if (ob->pub.build_id[0] && ob->file.build_id[0] &&
	    !same_id(ob->pub.build_id, ob->file.build_id))
		ob->pub.problem = "its file has another build id than what was recorded";
	else if (!ob->file.fns.n)
		ob->pub.problem = "its file has no symbols";
	else if (ob->pub.from && ob->pub.no_function > ob->pub.from / 10 * 9)
		ob->pub.problem = "most branches begin in no function: its file is stripped";
	if (!ob->pub.build_id[0])
		memcpy(ob->pub.build_id, ob->file.build_id, sizeof(ob->pub.build_id));
	return 0;
}

int convert_prepare(struct convert *c, size_t i, const struct convert_format *f, struct err *e)
{
	return f->prepare ? f->prepare(c, &c->objects.v[i], e) : 0;
}

void convert_symfs(struct convert *c, const struct session *s)
{
	c->session = s;
}

void convert_log(struct convert *c, struct log_sink log)
{
	c->log = log;
}

void convert_no_limits(struct convert *c)
{
	c->elf_flags |= ELF_NO_LIMITS;
}

/* ---- records ---- */

struct writer {
	const struct convert *c;
	struct obuf *o;
	ssize_t records;
};

static void put_addr(const struct writer *w, uint64_t addr)
{
	if (addr == NO_END) {
		obuf_lit(w->o, "X:0 ");
		return;
	}
	obuf_hex(w->o, addr);
	obuf_char(w->o, ' ');
}

static void put_branch(struct writer *w, uint64_t from, uint64_t to, uint64_t count,
		       uint64_t mispred)
{
	obuf_lit(w->o, "B ");
	put_addr(w, from);
	put_addr(w, to);
	obuf_dec(w->o, count);
	obuf_char(w->o, ' ');
	obuf_dec(w->o, mispred);
	obuf_char(w->o, '\n');
	w->records++;
}

/* f: the range was entered from another function, which for BOLT may be a return. */
static void put_range(struct writer *w, const struct convert_elf *ob, const struct local_edge *l)
{
	const struct function *fn = convert_elf_function(&ob->file, l->to);
	bool inside = fn && l->from >= fn->start && l->from < fn->end;

	obuf_str(w->o, inside ? "F " : "f ");
	put_addr(w, l->to);
	put_addr(w, l->end);
	obuf_dec(w->o, l->count);
	obuf_char(w->o, '\n');
	w->records++;
}

/* A stretch of the edges, which begins and ends with a branch. */
struct stretch {
	struct writer w;
	const struct convert_elf *ob;
	const struct local_edge *v;
	size_t n;
	struct obuf text; /* where several are made side by side */
};

static void put_stretch(void *list, size_t k)
{
	struct stretch *s = (struct stretch *)list + k;

	for (size_t i = 0; i < s->n;) {
		const struct local_edge *v = &s->v[i];
		uint64_t count = 0, mispred = 0;

		for (; i < s->n && s->v[i].from == v->from && s->v[i].to == v->to; i++) {
			count += s->v[i].count;
			mispred += s->v[i].mispred;
			if (s->v[i].end != NO_END)
				put_range(&s->w, s->ob, &s->v[i]);
		}
		put_branch(&s->w, v->from, v->to, count, mispred);
	}
}

/* The end of the stretch of about @n edges that begins with @from. */
static size_t stretch_end(const struct local_edge *v, size_t nr, size_t from, size_t n)
{
	size_t to = from + n < nr ? from + n : nr;

	while (to < nr && v[to].from == v[to - 1].from && v[to].to == v[to - 1].to)
		to++;
	return to;
}

#define STRETCH	    4096 /* edges that are worth a thread, at least */
#define PER_THREAD  2
#define THREADS_MAX 64

/* As many stretches as there are threads at hand for, each into memory. */
static int put_side(struct writer *w, const struct convert_elf *ob, const struct local_edge *v,
		    size_t n, unsigned threads, struct err *e)
{
	size_t max = (size_t)threads * PER_THREAD, step = max_u64(STRETCH, n / max + 1), nr = 0;
	struct stretch *list = calloc(max, sizeof(*list));
	int ret = list ? 0 : -ENOMEM;

	for (size_t from = 0; !ret && from < n; nr++) {
		struct stretch *s = &list[nr];

		*s = (struct stretch){ .w.o = &s->text, .ob = ob, .v = v + from };
		s->n = stretch_end(v, n, from, step) - from;
		from += s->n;
		ret = obuf_init(&s->text, -1, 0);
	}
	if (!ret)
		side_by_side(threads, nr, put_stretch, list);
	for (size_t i = 0; i < nr; i++) {
		if (!ret)
			obuf_move(w->o, &list[i].text);
		w->records += list[i].w.records;
		list[i].text.len = 0;
		obuf_free(&list[i].text);
	}
	free(list);
	return ret ? err_set(e, ret, "no memory for the lines of %s", ob->pub.name) : 0;
}

static int put_object(struct writer *w, const struct convert_elf *ob, struct err *e)
{
	const struct session *s = w->c->session;
	size_t n;
	struct local_edge *v = convert_local(w->c, ob, &n, e);
	unsigned threads = v && s && n > STRETCH ? session_jobs(s) : 1;
	int ret = v ? 0 : -ENOMEM;

	if (!ret && threads > 1)
		ret = put_side(w, ob, v, n, (unsigned)min_u64(threads, THREADS_MAX), e);
	if (!ret && threads == 1) {
		struct stretch all = { .w = *w, .ob = ob, .v = v, .n = n };

		put_stretch(&all, 0);
		w->records = all.w.records;
	}
	free(v);
	return ret;
}

static ssize_t write_preagg(const struct convert *c, const struct convert_elf *ob, struct obuf *o,
			    struct err *e)
{
	struct writer w = { .c = c, .o = o };
	int ret = put_object(&w, ob, e);

	return ret ? ret : w.records;
}

const struct convert_format convert_preagg = {
	.name = "preagg",
	.holds = "branches and ranges by address, for perf2bolt -pa",
	.object = write_preagg,
};

ssize_t convert_write(struct convert *c, size_t i, const struct convert_format *f, struct obuf *o,
		      struct err *e)
{
	const struct convert_elf *ob = &c->objects.v[i];

	if (!ob->loaded)
		return err_set(e, -EINVAL, "%s is not loaded", ob->pub.name);
	return f->object(c, ob, o, e);
}
