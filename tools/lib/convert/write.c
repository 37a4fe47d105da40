// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The profiles of one object as text. Lines are sorted by address and then equal ones are added,
 * so that a recording gives the same bytes every time, whatever order its branches came in.
 */
#include <stdlib.h>

#include "base/numbered.h"
#include "base/side.h"
#include "convert/convert-int.h"
#include "session/session.h"

static int by_edge(const void *a, const void *b)
{
	const struct local_edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

/* The few that start at one place. */
static void sort_few(struct local_edge *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct local_edge e = v[i];
		size_t at = i;

		for (; at && by_edge(&v[at - 1], &e) > 0; at--)
			v[at] = v[at - 1];
		v[at] = e;
	}
}

#define FEW 16

/* By where they start, and those that start at one place among themselves; without memory all where they are. */
static void sort_edges(struct local_edge *v, size_t n)
{
	bool unsorted = numbered_sort_items(v, n, sizeof(*v), offsetof(struct local_edge, from));
	size_t alike;

	for (size_t i = 0; i < n; i += alike) {
		for (alike = 1; i + alike < n && (unsorted || v[i].from == v[i + alike].from);)
			alike++;
		if (alike <= FEW)
			sort_few(v + i, alike);
		else
			qsort(v + i, alike, sizeof(*v), by_edge);
	}
}

static size_t merge(struct local_edge *v, size_t n)
{
	size_t out = 0;

	sort_edges(v, n);
	for (size_t i = 0; i < n; i++) {
		if (out && !by_edge(&v[out - 1], &v[i])) {
			v[out - 1].count += v[i].count;
			v[out - 1].mispred += v[i].mispred;
		} else {
			v[out++] = v[i];
		}
	}
	return out;
}

/* ---- an object's edges ---- */

#define WORTH_A_THREAD 8192 /* edges, at least */

unsigned convert_threads(const struct convert *c, size_t edges)
{
	size_t most = min_u64(edges / WORTH_A_THREAD, CONVERT_THREADS);

	return most < 2 || !c->session ? 1 : (unsigned)min_u64(most, session_jobs(c->session));
}

/* Some of an object's edges: sorted, and each once. */
struct part {
	const struct convert *c;
	const struct convert_elf *ob;
	const uint32_t *edge; /* their numbers */
	size_t nr_edges;
	struct local_edge *v; /* there is room for all */
	size_t n;
};

static void make_part(void *list, size_t k)
{
	struct part *p = (struct part *)list + k;
	const struct object_file *file = &p->ob->file;
	size_t n = 0; /* the others' lie in the same line of the cache */

	for (size_t i = 0; i < p->nr_edges; i++) {
		const struct edge *g = &p->c->edges.v[p->edge[i]];
		struct local_edge l = { NO_END, NO_END, NO_END, g->count, g->mispred };

		if (g->from_dso == p->ob->dso)
			l.from = convert_elf_vaddr(file, g->from);
		if (g->to_dso == p->ob->dso) {
			l.to = convert_elf_vaddr(file, g->to);
			if (g->end != NO_END && l.to != NO_END)
				l.end = convert_elf_vaddr(file, g->end);
		}
		if (l.from != NO_END || l.to != NO_END)
			p->v[n++] = l;
	}
	p->n = merge(p->v, n);
}

/* Parts one behind the other, and where two of them go that become one: as far behind @to as the first lies behind @from. */
struct joining {
	struct part *part;
	size_t step; /* parts that each of both was made of */
	struct local_edge *from, *to;
};

static void join_two(void *ctx, size_t k)
{
	const struct joining *j = ctx;
	struct part *a = &j->part[2 * k * j->step], *b = a + j->step;
	struct local_edge *to = j->to + (a->v - j->from);
	size_t i = 0, m = 0, n = 0;

	while (i < a->n && m < b->n) {
		int order = by_edge(&a->v[i], &b->v[m]);

		to[n] = order <= 0 ? a->v[i] : b->v[m];
		if (!order) {
			to[n].count += b->v[m].count;
			to[n].mispred += b->v[m].mispred;
		}
		i += order <= 0;
		m += order >= 0;
		n++;
	}
	memcpy(to + n, a->v + i, (a->n - i) * sizeof(*to));
	n += a->n - i;
	memcpy(to + n, b->v + m, (b->n - m) * sizeof(*to));
	n += b->n - m;
	a->v = to;
	a->n = n;
}

/* As many as threads are at hand for, a power of two, so that pairs become one in the end. Memory for joining them is asked for. */
static size_t nr_parts(const struct convert *c, const struct convert_elf *ob,
		       struct local_edge **spare)
{
	size_t most = convert_threads(c, ob->nr_edges), nr = 1;

	*spare = NULL;
	while (2 * nr <= most)
		nr *= 2;
	*spare = nr > 1 ? malloc(ob->nr_edges * sizeof(**spare)) : NULL;
	return *spare ? nr : 1;
}

struct local_edge *convert_local(const struct convert *c, const struct convert_elf *ob, size_t *nr,
				 struct err *e)
{
	struct local_edge *v = malloc((ob->nr_edges + 1) * sizeof(*v)), *spare;
	struct part part[CONVERT_THREADS];
	size_t parts, i = 0;

	if (!v) {
		err_set(e, -ENOMEM, "no memory for %zu edges", ob->nr_edges);
		return NULL;
	}
	parts = nr_parts(c, ob, &spare);
	do { /* one at least */
		size_t from = i * ob->nr_edges / parts, to = (i + 1) * ob->nr_edges / parts;

		part[i] = (struct part){ c, ob, ob->edge + from, to - from, v + from, 0 };
	} while (++i < parts);
	side_by_side((unsigned)parts, parts, make_part, part);
	for (size_t step = 1; step < parts; step *= 2) {
		struct joining j = { part, step, v, spare };

		side_by_side((unsigned)parts, parts / step / 2, join_two, &j);
		v = j.to;
		spare = j.from;
	}
	free(spare);
	*nr = part[0].n;
	return v;
}

/* ---- fdata ---- */

struct records {
	VEC(struct local_edge) v; /* end unused */
	uint64_t count;		  /* of the range being walked */
};

static int add_fall_through(void *ctx, uint64_t last, uint64_t next)
{
	struct records *r = ctx;

	return vec_push(&r->v, ((struct local_edge){ last, next, NO_END, r->count, 0 }));
}

/* BOLT's separator is escaped; what would break the line is in no name that BOLT knows. */
static void put_name(const char *s, struct obuf *o)
{
	size_t len;

	for (; *s; s += len) {
		len = safe_char(s, strnlen(s, 4));
		if (*s == ' ' || *s == '\\')
			obuf_char(o, '\\');
		if (!len)
			obuf_printf(o, "\\\\x%02x", (unsigned char)*s);
		obuf_mem(o, s, len);
		len = len ? len : 1;
	}
}

static void put_place(const struct convert_elf *ob, uint64_t addr, struct obuf *o)
{
	const struct function *fn = convert_elf_function(&ob->file, addr);

	if (!fn) {
		obuf_lit(o, "0 [unknown] 0 ");
		return;
	}
	obuf_lit(o, "1 ");
	put_name(fn->name, o);
	obuf_char(o, ' ');
	obuf_hex(o, addr - fn->start);
	obuf_char(o, ' ');
}

static ssize_t put_records(const struct convert_elf *ob, struct records *r, struct obuf *o)
{
	ssize_t written = 0;

	r->v.n = merge(r->v.v, r->v.n);
	vec_for_each (l, &r->v) {
		if (!convert_elf_function(&ob->file, l->from) &&
		    !convert_elf_function(&ob->file, l->to))
			continue;
		put_place(ob, l->from, o);
		put_place(ob, l->to, o);
		obuf_dec(o, l->mispred);
		obuf_char(o, ' ');
		obuf_dec(o, l->count);
		obuf_char(o, '\n');
		written++;
	}
	return written;
}

/* "no_lbr cycles:u:", as perf2bolt heads such a file; a name that would break it is left out. */
static void put_no_lbr(const struct convert *c, struct obuf *o)
{
	const char *name = c->event && c->event->name ? c->event->name : "";
	bool plain = name[0];

	for (const char *s = name; *s; s++)
		plain &= *s > ' ' && *s < 0x7f;
	obuf_lit(o, "no_lbr");
	if (plain) {
		obuf_char(o, ' ');
		obuf_str(o, name);
		obuf_char(o, ':');
	}
	obuf_char(o, '\n');
}

/* Without branch stacks: where samples fell. */
static ssize_t write_ips(const struct convert *c, const struct convert_elf *ob, struct obuf *o)
{
	struct records r = { 0 };
	ssize_t written = 0;

	vec_for_each (ip, &c->ips) {
		uint64_t addr =
			ip->dso == ob->dso ? convert_elf_vaddr(&ob->file, ip->addr) : NO_END;

		if (convert_elf_function(&ob->file, addr) &&
		    vec_push(&r.v, ((struct local_edge){ addr, 0, NO_END, ip->count, 0 }))) {
			vec_free(&r.v);
			return -ENOMEM;
		}
	}
	r.v.n = merge(r.v.v, r.v.n);
	put_no_lbr(c, o);
	vec_for_each (l, &r.v) {
		put_place(ob, l->from, o);
		obuf_dec(o, l->count);
		obuf_char(o, '\n');
		written++;
	}
	vec_free(&r.v);
	return written;
}

static int collect(const struct local_edge *v, size_t n, struct flow *fl, struct records *r)
{
	for (size_t i = 0; i < n; i++)
		if (fl && v[i].from != NO_END && v[i].to != NO_END)
			flow_add_target(fl, v[i].from, v[i].to);
	for (size_t i = 0; i < n; i++) {
		struct local_edge l = v[i];

		r->count = l.count;
		if (fl && l.end != NO_END)
			flow_walk(fl, l.from, l.to, l.end, add_fall_through, r);
		l.end = NO_END;
		/* Where a return goes is no edge of the program's text. */
		if (fl && l.from != NO_END && flow_is_return(fl, l.from))
			continue;
		if (vec_push(&r->v, l))
			return -ENOMEM;
	}
	return 0;
}

static ssize_t write_fdata(const struct convert *c, const struct convert_elf *ob, struct obuf *o,
			   struct err *e)
{
	struct records r = { 0 };
	struct flow *fl = NULL;
	struct local_edge *v;
	struct err no_decoder;
	ssize_t ret;
	size_t n;

	if (!c->stats.with_branches)
		return write_ips(c, ob, o);
	v = convert_local(c, ob, &n, e);
	if (!v)
		return -ENOMEM;
	if (flow_new(&fl, &ob->file, &no_decoder))
		log_to(&c->log, LOG_WARN, "%s: %s: only taken branches are in its profile",
		       ob->pub.dso->name, no_decoder.text);
	ret = collect(v, n, fl, &r);
	if (fl && flow_is_cut(fl))
		log_to(&c->log, LOG_WARN,
		       "%s: its functions overlap and stand for more code than its file: of some, only taken "
		       "branches are in its profile",
		       ob->pub.dso->name);
	ret = ret ? err_set(e, -ENOMEM, "no memory for records") : put_records(ob, &r, o);
	flow_free(fl);
	vec_free(&r.v);
	free(v);
	return ret;
}

/* ---- autofdo and profgen: ranges, (addresses,) branches ---- */

static int by_range(const void *a, const void *b)
{
	const struct local_edge *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

/* How many, then a line for each: "from-to:count" of ranges, "from->to:count" of branches. */
static void put_lines(const struct local_edge *v, size_t n, uint64_t base, bool ranges,
		      struct obuf *o)
{
	obuf_dec(o, n);
	obuf_char(o, '\n');
	for (size_t i = 0; i < n; i++) {
		obuf_hex(o, (ranges ? v[i].to : v[i].from) - base);
		obuf_str(o, ranges ? "-" : "->");
		obuf_hex(o, (ranges ? v[i].end : v[i].to) - base);
		obuf_char(o, ':');
		obuf_dec(o, v[i].count);
		obuf_char(o, '\n');
	}
}

static size_t put_ranges(struct local_edge *v, size_t n, uint64_t base, struct obuf *o)
{
	size_t out = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i].end == NO_END || v[i].to == NO_END)
			continue;
		v[out++] = v[i];
	}
	if (out)
		qsort(v, out, sizeof(*v), by_range);
	n = out;
	out = 0;
	for (size_t i = 0; i < n; i++) {
		if (out && !by_range(&v[out - 1], &v[i]))
			v[out - 1].count += v[i].count;
		else
			v[out++] = v[i];
	}
	put_lines(v, out, base, true, o);
	return out;
}

/* @outside: the address that stands for a source elsewhere; NO_END leaves such branches out. */
static size_t put_branches(struct local_edge *v, size_t n, uint64_t base, uint64_t outside,
			   struct obuf *o)
{
	size_t out = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i].from == NO_END)
			v[i].from = outside;
		if (v[i].from == NO_END || v[i].to == NO_END)
			continue;
		v[out] = v[i];
		v[out++].end = NO_END;
	}
	out = merge(v, out);
	put_lines(v, out, base, false, o);
	return out;
}

static int by_ip(const void *a, const void *b)
{
	const struct ip *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static ssize_t put_addresses(const struct convert *c, const struct convert_elf *ob, uint64_t base,
			     struct obuf *o)
{
	VEC(struct ip) v = { 0 };
	ssize_t n;

	vec_for_each (ip, &c->ips) {
		struct ip at = { .addr = convert_elf_vaddr(&ob->file, ip->addr),
				 .count = ip->count };

		if (ip->dso == ob->dso && at.addr != NO_END && vec_push(&v, at)) {
			vec_free(&v);
			return -ENOMEM;
		}
	}
	if (v.n)
		qsort(v.v, v.n, sizeof(*v.v), by_ip);
	obuf_dec(o, v.n);
	obuf_char(o, '\n');
	vec_for_each (ip, &v) {
		obuf_hex(o, ip->addr - base);
		obuf_char(o, ':');
		obuf_dec(o, ip->count);
		obuf_char(o, '\n');
	}
	n = (ssize_t)v.n;
	vec_free(&v);
	return n;
}

static ssize_t write_lines(const struct convert *c, const struct convert_elf *ob, bool addresses,
			   struct obuf *o, struct err *e)
{
	/* llvm-profgen counts from the start of the text, AutoFDO from the start of the file. */
	uint64_t base = ob->file.first_vaddr - (addresses ? ob->file.first_offset : 0);
	struct local_edge *v, *again;
	ssize_t written, n_addr = 0;
	size_t n;

	v = convert_local(c, ob, &n, e);
	again = v ? malloc((n + 1) * sizeof(*again)) : NULL;
	if (!again) {
		free(v);
		return err_set(e, -ENOMEM, "no memory for %zu edges", ob->nr_edges);
	}
	memcpy(again, v, n * sizeof(*v));
	written = (ssize_t)put_ranges(v, n, base, o);
	if (addresses)
		n_addr = put_addresses(c, ob, base, o);
	written += (ssize_t)put_branches(again, n, base, addresses ? NO_END : 1, o);
	free(v);
	free(again);
	return n_addr < 0 ? err_set(e, -ENOMEM, "no memory for addresses") : written + n_addr;
}

static ssize_t write_autofdo(const struct convert *c, const struct convert_elf *ob, struct obuf *o,
			     struct err *e)
{
	return write_lines(c, ob, true, o, e);
}

static ssize_t write_profgen(const struct convert *c, const struct convert_elf *ob, struct obuf *o,
			     struct err *e)
{
	return write_lines(c, ob, false, o, e);
}

const struct convert_format convert_fdata = {
	.name = "fdata",
	.holds = "branches by function, for llvm-bolt -data",
	.object = write_fdata,
};

const struct convert_format convert_autofdo = {
	.name = "autofdo",
	.holds = "ranges, addresses and branches, for create_llvm_prof --profiler=text",
	.object = write_autofdo,
};

const struct convert_format convert_profgen = {
	.name = "profgen",
	.holds = "ranges and branches, for llvm-profgen --unsymbolized-profile",
	.object = write_profgen,
};
