// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report --tasks and --mmaps: every task under its parent. */
#include "report.h"

/* The inode, or the build id where the record has that in its place. */
static void print_file_id(struct report *r, const struct map *m)
{
	if (m->ino || !m->dso->build_id_size) {
		obuf_dec(&r->out, m->ino);
		return;
	}
	for (unsigned i = 0; i < m->dso->build_id_size; i++)
		obuf_hex_zero(&r->out, m->dso->build_id[i], 2);
}

static void print_maps(struct report *r, const struct thread *th, int indent)
{
	const struct map *m;

	for (size_t i = 0; (m = machine_map_at(r->m, th->space, i)); i++) {
		obuf_pad(&r->out, ' ', indent);
		obuf_printf(&r->out, "  %llx-%llx %c%c%c%c %08llx ", (unsigned long long)m->start,
			    (unsigned long long)m->end, m->prot & 1 ? 'r' : '-',
			    m->prot & 2 ? 'w' : '-', m->prot & 4 ? 'x' : '-',
			    m->flags & 1 ? 's' : 'p', (unsigned long long)m->pgoff);
		print_file_id(r, m);
		obuf_char(&r->out, ' ');
		emit_safe(&r->out, m->dso->name);
		obuf_char(&r->out, '\n');
	}
}

static void print_task(struct report *r, const struct thread *th, int level)
{
	obuf_printf(&r->out, "  %8d %8d %8d |", th->pid, th->tid, th->ppid);
	obuf_pad(&r->out, ' ', level);
	emit_safe(&r->out, machine_comm(r->m, th->comm));
	obuf_char(&r->out, '\n');
	if (r->o.mmaps)
		print_maps(r, th, 30 + level);
}

static bool is_parent(const struct thread *t, const struct thread *parent)
{
	if (t == parent || t->tid == parent->tid)
		return false;
	/* A thread hangs under its process, a process under its parent's leader. */
	if (t->tid != t->pid)
		return parent->tid == t->pid;
	return t->ppid == parent->tid;
}

static void print_below(struct report *r, const struct thread *th, int level, struct bits *done)
{
	size_t n = machine_nr_threads(r->m);

	if (level > 128)
		return;
	bits_set(done, th->idx);
	print_task(r, th, level);
	for (size_t i = 0; i < n; i++) {
		const struct thread *t = machine_thread_at(r->m, i);

		if (!bits_test(done, i) && is_parent(t, th))
			print_below(r, t, level + 1, done);
	}
}

int report_tasks(struct report *r)
{
	size_t n = machine_nr_threads(r->m);
	struct bits done;
	int ret = bits_init(&done, n + 1);

	if (ret)
		return ret;
	obuf_printf(&r->out, "# %8s %8s %8s  %s\n", "pid", "tid", "ppid", "comm");
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n; i++) {
			const struct thread *t = machine_thread_at(r->m, i);
			bool has_parent = false;

			for (size_t j = 0; !pass && j < n && !has_parent; j++)
				has_parent = is_parent(t, machine_thread_at(r->m, j));
			if (!bits_test(&done, i) && !has_parent)
				print_below(r, t, t->tid ? 1 : 0, &done);
		}
	bits_free(&done);
	return 0;
}
