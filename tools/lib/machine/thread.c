// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads, their names, and which address space they live in. Threads are never freed, since
 * samples and rows hold pointers to them; the maps of processes that ended are, but for those of
 * the newest MACHINE_GRACE, to which samples may still come late. A thread may be met in a sample
 * before any record tells of it: it gets a name of its number, and its process when a record knows
 * that.
 */
#include <stdio.h>

#include "machine/machine-int.h"

/*
 * tids are reused. by_tid maps a tid to a place in tid_head, which holds the index of the newest
 * thread with that tid.
 */
static uint32_t *tid_slot(const struct machine *m, int32_t tid)
{
	uint64_t hash = hash_u64((uint32_t)tid);
	uint32_t i;

	for (struct htab_it it = htab_find(&m->by_tid, hash); htab_next(&m->by_tid, &it, &i);)
		if (m->thread.v[m->tid_head.v[i]]->pub.tid == tid)
			return &m->tid_head.v[i];
	return NULL;
}

struct thread *machine_find_thread(const struct machine *m, int32_t tid)
{
	uint32_t *head = tid_slot(m, tid);

	return head ? &m->thread.v[*head]->pub : NULL;
}

static int tid_set(struct machine *m, int32_t tid, uint32_t idx)
{
	uint32_t *head = tid_slot(m, tid);

	if (head) {
		*head = idx;
		return 0;
	}
	if (vec_push(&m->tid_head, idx))
		return -ENOMEM;
	if (htab_add(&m->by_tid, hash_u64((uint32_t)tid), (uint32_t)m->tid_head.n - 1)) {
		m->tid_head.n--;
		return -ENOMEM;
	}
	return 0;
}

static struct process *process_find(struct machine *m, int32_t pid)
{
	uint64_t hash = hash_u64((uint32_t)pid);
	uint32_t i;

	for (struct htab_it it = htab_find(&m->by_pid, hash); htab_next(&m->by_pid, &it, &i);)
		if (m->proc.v[i].pid == pid)
			return &m->proc.v[i];
	return NULL;
}

uint32_t process_new_space(struct machine *m, int32_t pid)
{
	struct process *p = process_find(m, pid), fresh = { .pid = pid };

	if (vec_push(&m->space, (struct space){ 0 }))
		return 0;
	if (!p) {
		if (vec_push(&m->proc, fresh))
			return 0;
		if (htab_add(&m->by_pid, hash_u64((uint32_t)pid), (uint32_t)m->proc.n - 1)) {
			m->proc.n--;
			return 0;
		}
		p = &m->proc.v[m->proc.n - 1];
	}
	p->space = (uint32_t)m->space.n - 1;
	return p->space;
}

uint32_t process_space(struct machine *m, int32_t pid)
{
	struct process *p = process_find(m, pid);

	return p ? p->space : process_new_space(m, pid);
}

/* The space stays for late samples, but only the newest MACHINE_GRACE of those that are gone. */
void process_exited(struct machine *m, uint32_t space)
{
	uint32_t *slot = &m->gone[m->gone_at++ % MACHINE_GRACE];

	if (*slot && !m->keep_all) {
		machine_changes(m);
		machine_jit_forget(m, *slot);
		space_clear(&m->space.v[*slot], &m->pool);
	}
	*slot = space;
}

int thread_set_comm(struct machine *m, struct thread *th, const char *comm)
{
	uint32_t id = intern(&m->comms, comm);

	if (id == INTERN_NONE)
		return -ENOMEM;
	th->comm = id;
	return 0;
}

static int default_comm(struct machine *m, struct thread *th)
{
	char name[16];

	if (!th->tid) {
		th->comm_set = true;
		return thread_set_comm(m, th, "swapper");
	}
	snprintf(name, sizeof(name), ":%d", th->tid);
	return thread_set_comm(m, th, name);
}

struct thread *thread_create(struct machine *m, int32_t pid, int32_t tid)
{
	struct thread_obj *t = arena_alloc(&m->arena, sizeof(*t));

	if (!t)
		return NULL;
	t->pid_guessed = pid == -1 && tid != -1;
	t->pub.idx = (uint32_t)m->thread.n;
	t->pub.pid = t->pid_guessed ? tid : pid;
	t->pub.tid = tid;
	t->pub.ppid = -1;
	t->pub.space = process_space(m, t->pub.pid);
	if (!t->pub.space || default_comm(m, &t->pub) || vec_push(&m->thread, t))
		return NULL;
	if (tid_set(m, tid, t->pub.idx)) {
		m->thread.n--;
		return NULL;
	}
	m->recent[(uint32_t)tid % RECENT_THREADS] = &t->pub;
	return &t->pub;
}

/* The first record that knows the pid of a thread seen without one. */
static void thread_learn_pid(struct machine *m, struct thread *th, int32_t pid)
{
	struct thread_obj *t = m->thread.v[th->idx];
	uint32_t space;

	if (!t->pid_guessed || pid == -1)
		return;
	machine_changes(m);
	t->pid_guessed = false;
	space = process_space(m, pid);
	if (!space)
		return;
	th->pid = pid;
	th->space = space;
}

/*
 * A thread that has given its number back is -1 in samples, and so are all others of these, of which only some still have
 * the number of their process: they are one thread of no process, whichever comes first.
 */
struct thread *machine_thread(struct machine *m, int32_t pid, int32_t tid)
{
	struct thread **recent = &m->recent[(uint32_t)tid % RECENT_THREADS], *th = *recent;

	if (unlikely(!th || th->tid != tid)) {
		th = machine_find_thread(m, tid);
		if (!th)
			th = thread_create(m, tid == -1 ? -1 : pid, tid);
		if (!th)
			return NULL;
		*recent = th;
	}
	if (unlikely(th->pid != pid))
		thread_learn_pid(m, th, pid);
	return th;
}

size_t machine_nr_comms(const struct machine *m)
{
	return m->comms.str.n;
}

const char *machine_comm(const struct machine *m, uint32_t comm)
{
	return intern_str(&m->comms, comm);
}

size_t machine_nr_threads(const struct machine *m)
{
	return m->thread.n;
}

struct thread *machine_thread_at(const struct machine *m, size_t idx)
{
	return idx < m->thread.n ? &m->thread.v[idx]->pub : NULL;
}
