// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every task under its parent, and its maps (--tasks, --mmaps). A recording may name parents that
 * it never saw, and rings of parents: each task is printed once all the same.
 */
#include <stdio.h>
#include <stdlib.h>

#include "elf/elf.h"
#include "faces/faces-int.h"

#define MAX_LEVEL 128 /* as deep as tasks are shown below each other */

/* ---- maps of a task ----------------------------------------------------------------------------- */

static struct faces_cell number_cell(uint64_t n)
{
	return (struct faces_cell){ .kind = FACES_U64, .n = n };
}

static struct faces_cell text_cell(const char *s)
{
	return (struct faces_cell){ .kind = FACES_STR, .s = s };
}

enum map_col { M_START, M_END, M_PROT, M_OFFSET, M_INODE, M_BUILD_ID, M_NAME, NR_MAP_COLS };

static const struct faces_column map_cols[NR_MAP_COLS] = {
	[M_START] = PLAIN_COLUMN("start", NULL, 0, true, FACES_PROGRAMS),
	[M_END] = PLAIN_COLUMN("end", NULL, 0, true, FACES_PROGRAMS),
	[M_PROT] = PLAIN_COLUMN("prot", NULL, 0, false, FACES_PROGRAMS),
	[M_OFFSET] = PLAIN_COLUMN("offset", NULL, 0, true, FACES_PROGRAMS),
	[M_INODE] = PLAIN_COLUMN("inode", NULL, 0, true, FACES_PROGRAMS),
	[M_BUILD_ID] = PLAIN_COLUMN("build_id", NULL, 0, false, FACES_PROGRAMS),
	[M_NAME] = PLAIN_COLUMN("name", NULL, 0, false, FACES_PROGRAMS),
};

void faces_map_prot(const struct map *m, char prot[5])
{
	prot[0] = m->prot & 1 ? 'r' : '-';
	prot[1] = m->prot & 2 ? 'w' : '-';
	prot[2] = m->prot & 4 ? 'x' : '-';
	prot[3] = m->flags & 1 ? 's' : 'p';
	prot[4] = '\0';
}

static int walk_map(struct walk *k, const struct faces_row *row)
{
	const struct map *m = row->map;
	const struct dso *dso = m->dso;
	char prot[5], id[2 * BUILD_ID_MAX + 1];
	struct faces_cell cells[NR_MAP_COLS] = {
		[M_START] = number_cell(m->start), [M_END] = number_cell(m->end),
		[M_PROT] = text_cell(prot),	   [M_OFFSET] = number_cell(m->pgoff),
		[M_INODE] = number_cell(m->ino),   [M_BUILD_ID] = text_cell(id),
		[M_NAME] = text_cell(dso->name),
	};
	size_t n = 0;
	int ret;

	faces_map_prot(m, prot);
	for (; n < dso->build_id_size && n < BUILD_ID_MAX; n++)
		snprintf(id + 2 * n, 3, "%02x", dso->build_id[n]);
	if (!n)
		cells[M_BUILD_ID].kind = FACES_NONE;
	ret = walk_begin_row(k, row, cells) ?: VISIT(k, row_end, row);
	return ret < 0 ? ret : 0;
}

static int walk_maps(struct walk *k, const struct faces_row *task)
{
	const struct faces_table t = { .kind = FACES_MAPS,
				       .cols = map_cols,
				       .nr_cols = NR_MAP_COLS };
	struct faces_row row = { .table = &t, .task = task->task, .level = task->level };
	const struct machine *m = k->pub.f->m;
	int ret = VISIT(k, table, &t);

	for (size_t i = 0; !ret && (row.map = machine_map_at(m, task->task->space, i)); i++)
		ret = walk_map(k, &row);
	ret = ret ?: VISIT(k, table_end, &t);
	return ret < 0 ? ret : 0;
}

/* ---- tasks -------------------------------------------------------------------------------------- */

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
	size_t *next;		/* by a parent's first child: the one that is to be looked at */
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
	f->next = calloc(f->n + 1, sizeof(*f->next));
	if (!f->children || !f->tids || !f->next || bits_init(&f->done, f->n + 1))
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
	free(f->next);
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

enum task_col { T_PID, T_TID, T_PPID, T_COMM, NR_TASK_COLS };

static const struct faces_column task_cols[NR_TASK_COLS] = {
	[T_PID] = PLAIN_COLUMN("pid", "pid", 8, true, FACES_PEOPLE | FACES_PROGRAMS),
	[T_TID] = PLAIN_COLUMN("tid", "tid", 8, true, FACES_PEOPLE | FACES_PROGRAMS),
	[T_PPID] = PLAIN_COLUMN("ppid", "ppid", 8, true, FACES_PEOPLE | FACES_PROGRAMS),
	[T_COMM] = PLAIN_COLUMN("comm", "comm", 4, false, FACES_PEOPLE | FACES_PROGRAMS),
};

static struct faces_cell id_cell(int32_t id)
{
	return (struct faces_cell){ .kind = FACES_S64, .n = (uint64_t)(int64_t)id };
}

static int walk_task(struct walk *k, const struct faces_row *row)
{
	const struct thread *th = row->task;
	struct faces_cell cells[NR_TASK_COLS] = {
		[T_PID] = id_cell(th->pid),
		[T_TID] = id_cell(th->tid),
		[T_PPID] = id_cell(th->ppid),
		[T_COMM] = text_cell(machine_comm(k->pub.f->m, th->comm)),
	};
	int ret = walk_begin_row(k, row, cells);

	if (!ret && k->pub.f->o.mmaps)
		ret = walk_maps(k, row);
	ret = ret ?: VISIT(k, row_end, row);
	return ret < 0 ? ret : 0;
}

static int walk_below(struct walk *k, const struct faces_table *t, struct family *fam,
		      const struct thread *th, unsigned level)
{
	const struct faces_row row = { .table = t, .task = th, .level = level };
	size_t first = first_child(fam, th->tid), *i = &fam->next[first];
	int ret;

	if (walk_broken(k))
		return 0;
	bits_set(&fam->done, th->idx);
	ret = walk_task(k, &row);
	/* Many threads may have had this number, one after the other: the first of them that is shown takes all children. */
	*i = max_u64(*i, first);
	while (!ret && level < MAX_LEVEL && *i < fam->n && fam->children[*i].parent == th->tid) {
		const struct thread *c = machine_thread_at(k->pub.f->m, fam->children[(*i)++].idx);

		if (!bits_test(&fam->done, c->idx) && c->tid != th->tid)
			ret = walk_below(k, t, fam, c, level + 1);
	}
	return ret;
}

int walk_tasks(struct walk *k)
{
	const struct faces_table t = { .kind = FACES_TASKS,
				       .cols = task_cols,
				       .nr_cols = NR_TASK_COLS };
	const struct machine *m = k->pub.f->m;
	struct family fam = { 0 };
	int ret = family_init(&fam, m);

	ret = ret ?: VISIT(k, table, &t);
	/* Those without a parent first; then who is left, in rings. */
	for (int pass = 0; !ret && pass < 2; pass++)
		for (size_t i = 0; !ret && i < fam.n; i++) {
			const struct thread *th = machine_thread_at(m, i);

			if (!bits_test(&fam.done, i) && (pass || !has_parent(&fam, th)))
				ret = walk_below(k, &t, &fam, th, th->tid ? 1 : 0);
		}
	ret = ret ?: VISIT(k, table_end, &t);
	family_free(&fam);
	return ret < 0 ? ret : 0;
}
