// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call stacks of threads that stand still, for the tracer: the maps of the thread's process as they are
 * now, in a machine of their own, and the unwinder over the thread's memory. What of the maps has
 * changed the rings tell: nothing is mapped, and no program started, without a record there. While
 * none came since a process's maps were read they are still true; else they are read again.
 *
 * Who has ended is not told. Of a build, or of a server that forks, processes are without number: so after
 * some thousand all is forgotten, and those that live are learned again.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recorder/recorder-int.h"
#include "unwind/unwind.h"

#define PROCESSES_MOST 1024

struct process {
	pid_t pid;
	uint64_t seen; /* what the rings had when its maps were read */
	uint64_t text; /* hash of these */
};

struct recorder_stacks {
	struct machine *m;
	struct resolver *res;
	struct unwind *u;
	VEC(struct process) processes; /* last is who was asked for last */
	VEC(char) text;		       /* of /proc/PID/maps */
};

static void forget(struct recorder_stacks *s)
{
	unwind_free(s->u);
	resolver_free(s->res);
	machine_free(s->m);
	s->u = NULL;
	s->res = NULL;
	s->m = NULL;
	s->processes.n = 0;
}

/* -errno: nothing is there, as behind forget(). */
static int begin(struct recorder_stacks *s, struct err *e)
{
	const struct unwind_opts uo = { .ips_only = true, .max_stack = TRACER_MAX_CHAIN };
	const struct symbol_opts so = { .no_host_kernel = true };
	int ret = machine_new(&s->m, NULL, e);

	if (!ret)
		ret = resolver_new(&s->res, s->m, &so, e);
	if (!ret)
		ret = unwind_new(&s->u, s->m, s->res, &uo, e);
	if (ret)
		forget(s);
	return ret;
}

void recorder_stacks_free(struct recorder_stacks *s)
{
	if (!s)
		return;
	forget(s);
	vec_free(&s->processes);
	vec_free(&s->text);
	free(s);
}

int recorder_stacks_new(struct recorder *rec, struct err *e)
{
	struct recorder_stacks *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return err_set(e, -ENOMEM, "no memory for call stacks");
	ret = begin(s, e);
	if (ret)
		recorder_stacks_free(s);
	else
		rec->soft.stacks = s;
	return ret;
}

/* ---- maps ------------------------------------------------------------------------------------ */

static bool read_maps(struct recorder_stacks *s, pid_t pid)
{
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	s->text.n = 0;
	while (!vec_reserve(&s->text, s->text.n + 65536)) {
		got = read(fd, s->text.v + s->text.n, 65535);
		if (got <= 0)
			break;
		s->text.n += (size_t)got;
	}
	close(fd);
	if (!s->text.n)
		return false;
	s->text.v[s->text.n] = '\0';
	return true;
}

static int tell(struct recorder_stacks *s, uint32_t type, uint16_t misc, const struct obuf *o)
{
	struct record r = { .data = (const unsigned char *)o->buf,
			    .size = (uint32_t)o->len,
			    .type = type,
			    .misc = misc };

	return o->code ? o->code : machine_record(s->m, &r, NULL);
}

static void begin_record(struct obuf *o, pid_t pid)
{
	o->len = 0;
	feature_put_u64(o, 0); /* the header: struct record says what stands there */
	feature_put_u32(o, (uint32_t)pid);
	feature_put_u32(o, (uint32_t)pid);
}

/* Strings of records are padded with zeros to 8 bytes. */
static void put_padded(struct obuf *o, const char *name)
{
	static const char zeros[8];
	size_t n = strlen(name);

	obuf_mem(o, name, n);
	obuf_mem(o, zeros, 8 - n % 8);
}

/* One line of /proc/PID/maps, where it is code. */
static int tell_map(struct recorder_stacks *s, struct obuf *o, pid_t pid, const char *line)
{
	unsigned long long start, end, offset, inode;
	unsigned maj, min;
	char prot[5];
	int name = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, prot, &offset, &maj,
		   &min, &inode, &name) < 7 ||
	    prot[2] != 'x')
		return 0;
	begin_record(o, pid);
	feature_put_u64(o, start);
	feature_put_u64(o, end - start);
	feature_put_u64(o, offset);
	feature_put_u32(o, maj);
	feature_put_u32(o, min);
	feature_put_u64(o, inode);
	feature_put_u64(o, 0);
	feature_put_u32(o, PROT_READ | PROT_EXEC);
	feature_put_u32(o, MAP_PRIVATE);
	put_padded(o, name && line[name] ? line + name : "//anon");
	return tell(s, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, o);
}

/* As after an exec: what was there before is gone. */
static int tell_maps(struct recorder_stacks *s, struct obuf *o, pid_t pid)
{
	char *line = s->text.v, *end;
	int ret;

	begin_record(o, pid);
	put_padded(o, "");
	ret = tell(s, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, o);
	for (; !ret && (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		ret = tell_map(s, o, pid, line);
	}
	return ret;
}

/* NULL: no memory. */
static struct process *process_of(struct recorder_stacks *s, pid_t pid)
{
	/* those that ended long ago are at the beginning */
	for (size_t i = s->processes.n; i-- > 0;) {
		struct process *p = &s->processes.v[i], found = *p;
		struct process *last = &s->processes.v[s->processes.n - 1];

		if (found.pid != pid)
			continue;
		*p = *last;
		*last = found;
		return last;
	}
	if (s->processes.n == PROCESSES_MOST)
		forget(s);
	if (!s->m && begin(s, NULL))
		return NULL;
	if (vec_push(&s->processes, ((struct process){ .pid = pid, .seen = UINT64_MAX })))
		return NULL;
	return &s->processes.v[s->processes.n - 1];
}

/* False: nothing is known of its maps. */
static bool learn_maps(struct recorder *rec, pid_t pid)
{
	struct recorder_stacks *s = rec->soft.stacks;
	uint64_t written = capture_written(rec->capture), hash;
	struct process *p = process_of(s, pid);
	struct obuf o;
	int ret;

	if (!p)
		return false;
	if (p->seen == written)
		return true;
	if (!read_maps(s, pid) || obuf_init(&o, -1, 0))
		return false;
	hash = hash_bytes(s->text.v, s->text.n);
	ret = p->text == hash ? 0 : tell_maps(s, &o, pid);
	obuf_free(&o);
	p->seen = ret ? UINT64_MAX : written;
	p->text = ret ? 0 : hash;
	return !ret;
}

/* ---- stacks ------------------------------------------------------------------------------------ */

static void take_regs(struct unwind_regs *to, const struct tracer_regs *from)
{
	to->known = from->known;
	memcpy(to->reg, from->reg, sizeof(from->reg));
}

static bool returns(void *ctx, uint64_t sp, struct unwind_regs *r)
{
	const struct tracer_stack *ts = ctx;
	struct tracer_regs regs;

	if (!ts->returns || !ts->returns(ts->ctx, sp, &regs))
		return false;
	take_regs(r, &regs);
	return true;
}

static size_t read_memory(void *ctx, uint64_t addr, void *buf, size_t n)
{
	const struct tracer_stack *ts = ctx;

	return ts->read(ts->ctx, addr, buf, n);
}

size_t recorder_stack(void *ctx, const struct tracer_stack *ts, uint64_t *ip, size_t max)
{
	struct unwind_live l = {
		.is_32bit = ts->is_32bit, .read = read_memory, .returns = returns, .ctx = (void *)ts
	};
	struct recorder *rec = ctx;
	struct thread *th;
	ssize_t n;

	if (!learn_maps(rec, ts->pid))
		return 0;
	th = machine_thread(rec->soft.stacks->m, ts->pid, ts->pid);
	if (!th)
		return 0;
	take_regs(&l.regs, &ts->regs);
	n = unwind_live(rec->soft.stacks->u, th, &l, ip, max);
	return n < 0 ? 0 : (size_t)n;
}
