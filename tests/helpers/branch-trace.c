// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * branch-trace [-n EVERY] [-d DEPTH] [-i] [-c] [-g] -o FILE -- PROGRAM [ARG...]
 *
 * Runs a program step by step and writes a recording as if the CPU had kept branch records: every
 * taken branch in user space is seen, and after EVERY of them a sample holds the last DEPTH,
 * newest first; with -i only where it was. -c: branches have cycles, one for every instruction.
 * -g: samples have call chains, too, of the calls and returns that were seen, and wait for a place where
 * others trust a chain: not where a function begins or ends.
 * For machines without such records; exact, and slow. x86-64 only.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "branch/branch.h"
#include "host/host.h"
#include "insn/insn.h"
#include "perfdata/perfdata.h"

#define MAX_DEPTH 128
#define MAX_CALLS 4096
#define TABLE	  (1u << 16)
#define SAMPLE_TYPE                                                                 \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | \
	 PERF_SAMPLE_BRANCH_STACK)

struct branch {
	uint64_t from, to, flags;
};

struct step { /* what is known of the instruction at an address */
	uint64_t addr;
	uint8_t len;
	bool branch, cond, call, ret;
	uint64_t last_to;
};

struct trace {
	struct perfdata_writer *w;
	struct insn_decoder *d;
	struct err err;
	pid_t pid;
	unsigned every, depth;
	bool ips;    /* no branch stacks */
	bool cycles; /* of every branch: the instructions since the one before */
	bool chains, due;
	uint64_t calls[MAX_CALLS]; /* where they return to */
	size_t nr_calls;
	uint64_t time, taken, steps;
	struct branch ring[MAX_DEPTH];
	struct step table[TABLE];
	VEC(uint64_t) maps; /* start, end */
};

static void die(const struct trace *t, const char *what)
{
	fprintf(stderr, "branch-trace: %s: %s\n", what,
		t->err.text[0] ? t->err.text : strerror(errno));
	exit(1);
}

/* ---- records ---- */

static void put(struct trace *t, struct obuf *o, uint32_t type, uint16_t misc)
{
	char head[8];

	store_u32(head, type);
	store_u16(head + 4, misc);
	store_u16(head + 6, (uint16_t)(8 + o->len));
	if (perfdata_writer_write(t->w, head, 8, o->buf, o->len, &t->err))
		die(t, "write");
	o->len = 0;
}

static void put_string(struct obuf *o, const char *s)
{
	size_t n = strlen(s) + 1;

	obuf_mem(o, s, n);
	obuf_pad(o, 0, (int)(align_up(n, 8) - n));
}

/* The fields that follow under sample_id_all. */
static void put_id(struct trace *t, struct obuf *o)
{
	feature_put_u32(o, (uint32_t)t->pid);
	feature_put_u32(o, (uint32_t)t->pid);
	feature_put_u64(o, ++t->time);
}

static void put_comm(struct trace *t, const char *path)
{
	const char *base = strrchr(path, '/');
	char comm[16] = "";
	struct obuf o;

	obuf_init(&o, -1, 0);
	snprintf(comm, sizeof(comm), "%.15s", base ? base + 1 : path);
	feature_put_u32(&o, (uint32_t)t->pid);
	feature_put_u32(&o, (uint32_t)t->pid);
	put_string(&o, comm);
	put_id(t, &o);
	put(t, &o, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC | PERF_RECORD_MISC_USER);
	obuf_free(&o);
}

static bool known(const struct trace *t, uint64_t addr)
{
	for (size_t i = 0; i < t->maps.n; i += 2)
		if (addr >= t->maps.v[i] && addr < t->maps.v[i + 1])
			return true;
	return false;
}

static void put_map(struct trace *t, const char *line)
{
	unsigned long start, end, off, ino;
	unsigned maj, min;
	char prot[8], path[512] = "//anon";
	struct obuf o;

	if (sscanf(line, "%lx-%lx %7s %lx %x:%x %lu %511[^\n]", &start, &end, prot, &off, &maj,
		   &min, &ino, path) < 7)
		return;
	if (prot[2] != 'x' || known(t, start))
		return;
	obuf_init(&o, -1, 0);
	feature_put_u32(&o, (uint32_t)t->pid);
	feature_put_u32(&o, (uint32_t)t->pid);
	feature_put_u64(&o, start);
	feature_put_u64(&o, end - start);
	feature_put_u64(&o, off);
	feature_put_u32(&o, maj);
	feature_put_u32(&o, min);
	feature_put_u64(&o, ino);
	feature_put_u64(&o, 0);
	feature_put_u32(&o, 5); /* PROT_READ | PROT_EXEC */
	feature_put_u32(&o, 2); /* MAP_PRIVATE */
	put_string(&o, path);
	put_id(t, &o);
	put(t, &o, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	obuf_free(&o);
	if (vec_push(&t->maps, start) || vec_push(&t->maps, end))
		die(t, "maps");
}

static void read_maps(struct trace *t)
{
	char path[64], line[1024];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", t->pid);
	f = fopen(path, "r");
	if (!f)
		die(t, path);
	while (fgets(line, sizeof(line), f))
		put_map(t, line);
	fclose(f);
}

/* As the kernel walks it: a marker, the place, and where calls return to. */
static void put_chain(struct trace *t, uint64_t ip, struct obuf *o)
{
	size_t n = t->nr_calls < 126 ? t->nr_calls : 126;

	feature_put_u64(o, n + 2);
	feature_put_u64(o, PERF_CONTEXT_USER);
	feature_put_u64(o, ip);
	for (size_t i = 1; i <= n; i++)
		feature_put_u64(o, t->calls[t->nr_calls - i]);
}

static void put_sample(struct trace *t, uint64_t ip)
{
	uint64_t nr = t->taken < t->depth ? t->taken : t->depth;
	struct obuf o;

	if (!known(t, ip)) /* the first branch into it */
		read_maps(t);
	obuf_init(&o, -1, 0);
	feature_put_u64(&o, ip);
	put_id(t, &o);
	feature_put_u64(&o, t->every);
	if (t->chains)
		put_chain(t, ip, &o);
	if (!t->ips)
		feature_put_u64(&o, nr);
	for (uint64_t i = 1; i <= nr && !t->ips; i++) {
		const struct branch *b = &t->ring[(t->taken - i) % t->depth];

		feature_put_u64(&o, b->from);
		feature_put_u64(&o, b->to);
		feature_put_u64(&o, b->flags);
	}
	put(t, &o, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	obuf_free(&o);
}

/* ---- steps ---- */

static struct step *look_up(struct trace *t, uint64_t addr)
{
	struct step *s = &t->table[hash_u64(addr) % TABLE];
	unsigned char code[16];
	struct iovec to = { code, sizeof(code) }, from = { (void *)(uintptr_t)addr, sizeof(code) };
	struct insn in;
	ssize_t n;

	if (s->addr == addr)
		return s;
	if (!known(t, addr))
		read_maps(t);
	*s = (struct step){ .addr = addr };
	n = process_vm_readv(t->pid, &to, 1, &from, 1, 0);
	if (n < 0) { /* the last bytes of a map */
		from.iov_len = to.iov_len = 4096 - (addr & 4095) < 16 ? 4096 - (addr & 4095) : 16;
		n = process_vm_readv(t->pid, &to, 1, &from, 1, 0);
	}
	if (n > 0 && insn_decode(t->d, code, (size_t)n, addr, &in) > 0) {
		s->len = in.len;
		s->branch = insn_is_branch(&in) && in.branch != INSN_SYSCALL;
		s->cond = in.branch == INSN_COND;
		s->call = in.branch == INSN_CALL || in.branch == INSN_IND_CALL;
		s->ret = in.branch == INSN_RET;
	}
	return s;
}

/* Where a frame is whole. */
static bool in_body(struct trace *t, const struct step *s, uint64_t to)
{
	const struct step *at = look_up(t, to);

	return (s->ret || s->cond) && !at->ret && !look_up(t, to + at->len)->ret;
}

static void took(struct trace *t, struct step *s, uint64_t to)
{
	/* "Mispredicted" when it went elsewhere the last time. */
	bool missed = s->last_to && s->last_to != to;
	struct branch_entry b = { .mispred = missed, .predicted = !missed };

	if (t->cycles)
		b.cycles = (uint16_t)min_u64(t->steps, UINT16_MAX);
	s->last_to = to;
	if (s->call && t->nr_calls < MAX_CALLS)
		t->calls[t->nr_calls++] = s->addr + s->len;
	if (s->ret && t->nr_calls)
		t->nr_calls--;
	t->ring[t->taken++ % t->depth] = (struct branch){ s->addr, to, branch_pack_flags(&b) };
	t->steps = 0;
	t->due |= !(t->taken % t->every);
	if (!t->due || (t->chains && !in_body(t, s, to)))
		return;
	put_sample(t, to);
	t->due = false;
}

static int run(struct trace *t)
{
	struct user_regs_struct regs;
	uint64_t last = 0;
	int status;

	while (waitpid(t->pid, &status, 0) == t->pid && WIFSTOPPED(status)) {
		int sig = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);

		if (ptrace(PTRACE_GETREGS, t->pid, 0, &regs))
			die(t, "registers");
		if (last) {
			struct step *s = look_up(t, last);

			t->steps++;
			/* a jump may lead to the next instruction, too */
			if (s->branch && (!s->cond || regs.rip != last + s->len))
				took(t, s, regs.rip);
		}
		last = regs.rip;
		look_up(t, last);
		if (ptrace(PTRACE_SINGLESTEP, t->pid, 0, sig))
			die(t, "step");
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* ---- the build id of the program, as perf buildid-list shows it ---- */

static size_t build_id(const char *path, uint8_t id[20])
{
	size_t size, found = 0;
	char *file = file_read_all(path, 64 << 20, &size, NULL);

	/* The note's header: name size 4, type 3 (NT_GNU_BUILD_ID), "GNU". */
	for (size_t i = 0; file && !found && i + 36 <= size; i += 4)
		if (load_u32(file + i, false) == 4 && load_u32(file + i + 8, false) == 3 &&
		    !memcmp(file + i + 12, "GNU", 4) && load_u32(file + i + 4, false) <= 20) {
			found = load_u32(file + i + 4, false);
			memcpy(id, file + i + 16, found);
		}
	free(file);
	return found;
}

static void put_build_id(struct trace *t, const char *path)
{
	uint8_t id[24] = { 0 };
	size_t n = build_id(path, id);
	struct obuf o;
	char head[8];

	if (!n)
		return;
	obuf_init(&o, -1, 0);
	id[20] = (uint8_t)n;
	feature_put_u32(&o, (uint32_t)-1);
	obuf_mem(&o, id, sizeof(id));
	obuf_str(&o, path);
	obuf_pad(&o, 0, (int)(64 - strlen(path) % 64));
	store_u32(head, 0);
	store_u16(head + 4, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXT_RESERVED);
	store_u16(head + 6, (uint16_t)(8 + o.len));
	o.len += 8;
	obuf_room(&o, 8);
	memmove(o.buf + 8, o.buf, o.len - 8);
	memcpy(o.buf, head, 8);
	if (perfdata_writer_feature(t->w, FEAT_BUILD_ID, o.buf, o.len, &t->err))
		die(t, "feature");
	o.len = 0;
	obuf_free(&o);
}

static void put_features(struct trace *t, const char *path)
{
	static const int ids[] = { FEAT_HOSTNAME, FEAT_OSRELEASE, FEAT_VERSION,
				   FEAT_ARCH,	  FEAT_NRCPUS,	  FEAT_CPUDESC };

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		struct obuf o;

		obuf_init(&o, -1, 0);
		if (!host_feature(ids[i], &o))
			perfdata_writer_feature(t->w, ids[i], o.buf, o.len, NULL);
		o.len = 0;
		obuf_free(&o);
	}
	put_build_id(t, path);
}

static void start(struct trace *t, char **argv)
{
	t->pid = fork();
	if (t->pid < 0)
		die(t, "fork");
	if (!t->pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[0], argv);
		_exit(127);
	}
}

int main(int argc, char **argv)
{
	static struct trace t = { .every = 97, .depth = 32, .time = 1000000000 };
	struct perfdata_writer_event ev = { .name = "cycles:u", .nr_members = 1 };
	struct perfdata_writer_opts opts = { 0 };
	const char *out = "perf.data";
	char *path;
	int c, status;

	while ((c = getopt(argc, argv, "+n:d:icgo:")) != -1) {
		if (c == 'n')
			t.every = (unsigned)atoi(optarg);
		else if (c == 'd')
			t.depth = (unsigned)atoi(optarg);
		else if (c == 'i')
			t.ips = true;
		else if (c == 'c')
			t.cycles = true;
		else if (c == 'g')
			t.chains = true;
		else if (c == 'o')
			out = optarg;
		else
			return 2;
	}
	if (optind == argc || !t.every || !t.depth || t.depth > MAX_DEPTH)
		return 2;
	path = realpath(argv[optind], NULL);
	opts.fd = open(out, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (opts.fd < 0 || !path)
		die(&t, out);
	ev.attr.type = PERF_TYPE_HARDWARE;
	ev.attr.sample_period = t.every;
	ev.attr.sample_type = SAMPLE_TYPE;
	if (t.chains)
		ev.attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (t.ips)
		ev.attr.sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
	else
		ev.attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	ev.attr.flags = ATTR_FLAG_EXCLUDE_KERNEL | ATTR_FLAG_EXCLUDE_HV | ATTR_FLAG_MMAP |
			ATTR_FLAG_MMAP2 | ATTR_FLAG_COMM | ATTR_FLAG_COMM_EXEC | ATTR_FLAG_TASK |
			ATTR_FLAG_SAMPLE_ID_ALL;
	if (insn_new(&t.d, REGS_ARCH_X86, INSN_64BIT, &t.err) ||
	    perfdata_writer_open(&t.w, &opts, &ev, 1, &t.err))
		die(&t, "start");
	argv[optind] = path;
	start(&t, argv + optind);
	put_comm(&t, path);
	status = run(&t);
	put_features(&t, path);
	if (perfdata_writer_finish(t.w, &t.err))
		die(&t, "finish");
	perfdata_writer_free(t.w);
	insn_free(t.d);
	vec_free(&t.maps);
	free(path);
	close(opts.fd);
	fprintf(stderr, "branch-trace: %llu taken branches, exit %d\n", (unsigned long long)t.taken,
		status);
	return 0;
}
