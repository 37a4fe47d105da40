// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every task under its parent, and its maps (--tasks, --mmaps). A recording may name parents that
 * it never saw, and rings of parents: each task is printed once all the same.
 */
#include <stdlib.h>

#include "faces/faces-int.h"

/* The inode, or the build id where the record has that in its place. */
static void print_file_id(const struct faces_walk *k, const struct map *m)
{
	if (m->ino || !m->dso->build_id_size) {
		obuf_dec(k->out, m->ino);
		return;
	}
	for (unsigned i = 0; i < m->dso->build_id_size; i++)
		obuf_hex_zero(k->out, m->dso->build_id[i], 2);
}

static void print_maps(const struct faces_walk *k, const struct thread *th, int indent)
{
	const struct map *m;

	for (size_t i = 0; (m = machine_map_at(k->f->m, th->space, i)); i++) {
		obuf_pad(k->out, ' ', indent);
		obuf_printf(k->out, "  %llx-%llx %c%c%c%c %08llx ", (unsigned long long)m->start,
			    (unsigned long long)m->end, m->prot & 1 ? 'r' : '-',
			    m->prot & 2 ? 'w' : '-', m->prot & 4 ? 'x' : '-',
			    m->flags & 1 ? 's' : 'p', (unsigned long long)m->pgoff);
		print_file_id(k, m);
		obuf_char(k->out, ' ');
		emit_safe(k->out, m->dso->name);
		obuf_char(k->out, '\n');
	}
}

static void print_task(const struct faces_walk *k, const struct thread *th, int level)
{
	obuf_printf(k->out, "  %8d %8d %8d |", th->pid, th->tid, th->ppid);
	obuf_pad(k->out, ' ', level);
	emit_safe(k->out, machine_comm(k->f->m, th->comm));
	obuf_char(k->out, '\n');
	if (k->f->o.mmaps)
		print_maps(k, th, 30 + level);
}

/* A thread hangs under its process, a process under its parent's leader. */
static int32_t parent_of(const struct thread *t)
{
	return t->tid != t->pid ? t->pid : t->ppid;
}

/* Which tasks hang under which: there may be many of them. */
struct child {
	int32_t parent;
	uint32_t idx;
};

struct family {
	size_t n;
	struct child *children; /* by parent, then in order of appearance */
	int32_t *tids;		/* ascending */
	struct bits done;
};

static int cmp_child(const void *a, const void *b)
{
	const struct child *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return x->idx < y->idx ? -1 : x->idx > y->idx;
}

static int cmp_tid(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int family_init(struct family *f, const struct machine *m)
{
	f->n = machine_nr_threads(m);
	f->children = calloc(f->n + 1, sizeof(*f->children));
	f->tids = calloc(f->n + 1, sizeof(*f->tids));
	if (!f->children || !f->tids || bits_init(&f->done, f->n + 1))
		return -ENOMEM;
	for (size_t i = 0; i < f->n; i++) {
		const struct thread *t = machine_thread_at(m, i);

		f->children[i] = (struct child){ parent_of(t), (uint32_t)i };
		f->tids[i] = t->tid;
	}
	qsort(f->children, f->n, sizeof(*f->children), cmp_child);
	qsort(f->tids, f->n, sizeof(*f->tids), cmp_tid);
	return 0;
}

static void family_free(struct family *f)
{
	free(f->children);
	free(f->tids);
	bits_free(&f->done);
}

static bool has_parent(const struct family *f, const struct thread *t)
{
	int32_t parent = parent_of(t);

	return parent != t->tid && bsearch(&parent, f->tids, f->n, sizeof(*f->tids), cmp_tid);
}

/* The first that has this parent or a larger one. */
static size_t first_child(const struct family *f, int32_t parent)
{
	size_t from = 0, to = f->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (f->children[mid].parent < parent)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static void print_below(const struct faces_walk *k, struct family *fam, const struct thread *th,
			int level)
{
	if (level > 128)
		return;
	bits_set(&fam->done, th->idx);
	print_task(k, th, level);
	for (size_t i = first_child(fam, th->tid); i < fam->n && fam->children[i].parent == th->tid;
	     i++) {
		const struct thread *t = machine_thread_at(k->f->m, fam->children[i].idx);

		if (!bits_test(&fam->done, t->idx) && t->tid != th->tid)
			print_below(k, fam, t, level + 1);
	}
}

int faces_write_tasks(const struct faces *f, struct obuf *out, struct err *e)
{
	const struct faces_walk k = { .f = f, .out = out };
	struct family fam = { 0 };
	int ret = family_init(&fam, f->m);

	if (!ret)
		obuf_printf(out, "# %8s %8s %8s  %s\n", "pid", "tid", "ppid", "comm");
	/* Those without a parent first; then who is left, in rings. */
	for (int pass = 0; !ret && pass < 2; pass++)
		for (size_t i = 0; i < fam.n; i++) {
			const struct thread *t = machine_thread_at(f->m, i);

			if (!bits_test(&fam.done, i) && (pass || !has_parent(&fam, t)))
				print_below(&k, &fam, t, t->tid ? 1 : 0);
		}
	family_free(&fam);
	return ret ? err_set(e, ret, "no memory for the tree of tasks") : 0;
}
