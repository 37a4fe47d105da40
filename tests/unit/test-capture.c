// SPDX-License-Identifier: GPL-2.0-or-later
/* Targets, synthesised records from a made /proc, control commands, and one real ring. */
#include <limits.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>

#include "base/bytes.h"
#include "unit.h"

#include "capture/capture-int.h"

static char dir[] = "/tmp/perf-test-capture.XXXXXX";

static void put(const char *path, const char *text)
{
	unit_put(dir, path, text, 0644);
}

#define STAT(comm, ppid, flags, threads) \
	"1 (" comm ") S " #ppid " 0 0 0 -1 " #flags " 0 0 0 0 0 0 0 0 20 0 " #threads " 0\n"

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	put("7/stat", STAT("a) b (c", 1, 4194560, 2));
	put("7/status", "Name:\tx\nTgid:\t7\n");
	put("7/task/7/stat", "");
	put("7/task/8/stat", STAT("a second thread with a name too long", 1, 4194560, 2));
	put("8/status", "Name:\ty\nTgid:\t7\n");
	put("7/maps", "00400000-00452000 r-xp 00001000 08:02 173521      /usr/bin/dbus daemon\n"
		      "00651000-00652000 rw-p 00051000 08:02 173521      /usr/bin/dbus daemon\n"
		      "7f0000000000-7f0000001000 rwxs 00000000 00:00 0 \n"
		      "7ffd-7fff r-xp 00000000 00:00 0          [vdso]\n"
		      "this is no map line\n");
	put("9/stat", STAT("kthreadd", 0, 2129984, 1)); /* PF_KTHREAD */
	put("9/maps", "00400000-00452000 r-xp 00001000 08:02 173521      /never\n");
	put("10/comm", "no stat: gone in between\n");
	put("kallsyms", "ffffffff81000000 T startup_64\nffffffff81000010 T _stext\n"
			"ffffffff81000000 T _text\nffffffff81001000 t some_text\n"
			"ffffffff82209988 T _etext\nffffffff90000000 T _stext\n");
	put("modules", "ext4 1003520 2 - Live 0xffffffffc0400000\nhidden 4096 0 - Live 0x0\n");
	return 0;
}

static int teardown(void **state)
{
	char cmd[PATH_MAX + 16];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	return system(cmd);
}

/* ---- a sink that keeps everything -------------------------------------------------------------- */

static int keep(void *ctx, const void *a, size_t na, const void *b, size_t nb, struct err *e)
{
	struct obuf *o = ctx;

	(void)e;
	obuf_mem(o, a, na);
	if (nb)
		obuf_mem(o, b, nb);
	return 0;
}

static struct perf_event_header header_at(const struct obuf *o, size_t at)
{
	struct perf_event_header h;

	assert_true(at + sizeof(h) <= o->len);
	memcpy(&h, o->buf + at, sizeof(h));
	assert_true(h.size >= sizeof(h) && h.size % 8 == 0 && at + h.size <= o->len);
	return h;
}

static uint32_t u32_at(const struct obuf *o, size_t at)
{
	return load_u32(o->buf + at, false);
}

static uint64_t u64_at(const struct obuf *o, size_t at)
{
	return load_u64(o->buf + at, false);
}

static void tasks_of_everybody(void **state)
{
	struct obuf o;
	struct capture_sink sink = { .write = keep, .ctx = &o };
	struct synth s = { .sink = &sink,
			   .proc = dir,
			   .sample_id_all = true,
			   .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME };
	struct capture_target t = { .system_wide = true };
	size_t forks = 0, comms = 0, maps = 0, at = 0;

	(void)state;
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	assert_int_equal(synth_tasks(&s, &t, NULL), 0);
	while (at < o.len) {
		struct perf_event_header h = header_at(&o, at);

		/* the id fields at the end: zero */
		assert_int_equal(u64_at(&o, at + h.size - 8), 0);
		assert_int_equal(u64_at(&o, at + h.size - 16), 0);
		forks += h.type == PERF_RECORD_FORK;
		if (h.type == PERF_RECORD_COMM) {
			const char *name = o.buf + at + 16;
			uint32_t tid = u32_at(&o, at + 12);

			comms++;
			if (tid == 7)
				assert_string_equal(name, "a) b (c");
			if (tid == 8)
				assert_string_equal(name, "a second thread");
		}
		if (h.type == PERF_RECORD_MMAP2) {
			assert_int_equal(u32_at(&o, at + 8), 7);
			if (!maps) {
				assert_int_equal(u64_at(&o, at + 16), 0x400000);
				assert_int_equal(u64_at(&o, at + 24), 0x52000);
				assert_int_equal(u64_at(&o, at + 32), 0x1000);
				assert_int_equal(u32_at(&o, at + 40), 8);
				assert_int_equal(u32_at(&o, at + 44), 2);
				assert_int_equal(u64_at(&o, at + 48), 173521);
				assert_int_equal(u32_at(&o, at + 64), 5);
				assert_int_equal(u32_at(&o, at + 68), 2);
				assert_string_equal(o.buf + at + 72, "/usr/bin/dbus daemon");
				assert_int_equal(h.misc, PERF_RECORD_MISC_USER);
			} else if (maps == 1) {
				assert_string_equal(o.buf + at + 72, "//anon");
				assert_int_equal(u32_at(&o, at + 68), 1);
			}
			maps++;
		}
		at += h.size;
	}
	assert_int_equal(forks, 3);
	assert_int_equal(comms, 3);
	assert_int_equal(maps, 3);
	assert_int_equal(s.nr_maps, 3);
	synth_end(&s);
	obuf_free(&o);
}

static void data_maps_too(void **state)
{
	struct obuf o;
	struct capture_sink sink = { .write = keep, .ctx = &o };
	struct synth s = { .sink = &sink, .proc = dir, .data_maps = true, .build_ids = true };
	struct capture_target t = { 0 };

	(void)state;
	assert_int_equal(vec_push(&t.tids, 8), 0); /* a thread: its process is looked at, once */
	assert_int_equal(vec_push(&t.tids, 7), 0);
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	assert_int_equal(synth_tasks(&s, &t, NULL), 0);
	assert_int_equal(s.nr_maps, 4);
	assert_int_equal(s.nr_tasks, 2);
	synth_end(&s);
	capture_target_free(&t);
	obuf_free(&o);
}

static void told(void *ctx, enum log_level level, const char *text)
{
	int *nr = ctx;

	assert_int_equal(level, LOG_WARN);
	assert_non_null(strstr(text, "kernel addresses are hidden"));
	++*nr;
}

static void kernel_maps(void **state)
{
	int nr_told = 0;
	struct obuf o;
	struct capture_sink sink = { .write = keep, .ctx = &o };
	struct synth s = { .sink = &sink, .proc = dir };
	struct perf_event_header h;
	size_t second;

	(void)state;
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	assert_int_equal(synth_kernel(&s, NULL), 0);
	assert_int_equal(s.nr_maps, 2);
	h = header_at(&o, 0);
	assert_int_equal(h.type, PERF_RECORD_MMAP);
	assert_int_equal(h.misc, PERF_RECORD_MISC_KERNEL);
	assert_int_equal(u32_at(&o, 8), UINT32_MAX);
	assert_true(u64_at(&o, 16) == 0xffffffff81000010);
	assert_true(u64_at(&o, 24) == 0x1209978);
	assert_true(u64_at(&o, 32) == 0xffffffff81000000);
	assert_string_equal(o.buf + 40, "[kernel.kallsyms]_text");
	second = h.size;
	assert_true(u64_at(&o, second + 16) == 0xffffffffc0400000);
	assert_int_equal(u64_at(&o, second + 24), 1003520);
	assert_non_null(strstr(o.buf + second + 40, "ext4"));
	/* addresses hidden from this user: no map, a warning */
	o.len = 0;
	s.nr_maps = 0;
	put("kallsyms", "0000000000000000 T _stext\n0000000000000000 T _text\n");
	s.log = (struct log_sink){ told, &nr_told };
	assert_int_equal(synth_kernel(&s, NULL), 0);
	assert_int_equal(nr_told, 1);
	assert_int_equal(s.nr_maps, 0);
	obuf_free(&o);
}

static void own_records(void **state)
{
	struct obuf o;
	struct capture_sink sink = { .write = keep, .ctx = &o };
	struct synth s = { .sink = &sink, .proc = dir };
	struct capture_target t = { 0 };

	(void)state;
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	assert_int_equal(vec_push(&t.tids, 10), 0);
	assert_int_equal(synth_thread_map(&s, &t, NULL), 0);
	assert_int_equal(header_at(&o, 0).type, PERF_RECORD_THREAD_MAP);
	assert_int_equal(u64_at(&o, 8), 1);
	assert_int_equal(u64_at(&o, 16), 10);
	assert_string_equal(o.buf + 24, "no stat: gone i");
	o.len = 0;
	assert_int_equal(synth_cpu_map(&s, &t, NULL), 0);
	assert_int_equal(header_at(&o, 0).type, PERF_RECORD_CPU_MAP);
	o.len = 0;
	assert_int_equal(synth_finished_init(&s, NULL), 0);
	assert_int_equal(header_at(&o, 0).type, PERF_RECORD_FINISHED_INIT);
	capture_target_free(&t);
	obuf_free(&o);
}

/* ---- targets ------------------------------------------------------------------------------------- */

static void target_lists(void **state)
{
	struct capture_target t = { 0 };
	struct err e = { 0 };
	char list[64];

	(void)state;
	snprintf(list, sizeof(list), "%d,%d", getpid(), getpid());
	assert_int_equal(capture_target_pids(&t, list, &e), 0);
	assert_int_equal(t.tids.n, 1);
	assert_int_equal(capture_target_tids(&t, list, &e), 0);
	assert_int_equal(t.tids.n, 1);
	assert_int_equal(capture_target_pids(&t, "2147483646", &e), -ESRCH);
	assert_non_null(strstr(e.text, "process 2147483646 does not exist"));
	assert_int_equal(capture_target_tids(&t, "2147483646", &e), -ESRCH);
	assert_int_equal(capture_target_pids(&t, "1x", &e), -EINVAL);
	assert_int_equal(capture_target_pids(&t, "", &e), -EINVAL);
	assert_int_equal(capture_target_pids(&t, "-5", &e), -EINVAL);
	assert_int_equal(capture_target_pids(&t, "99999999999", &e), -EINVAL);
	assert_int_equal(capture_target_user(&t, "no such user", &e), -EINVAL);
	assert_non_null(strstr(e.text, "no user 'no such user'"));
	assert_int_equal(capture_target_user(&t, "4000000000", &e), t.tids.n ? 0 : -ESRCH);
	assert_int_equal(capture_target_cpus(&t, "0", &e), 0);
	assert_true(t.cpus_given && bits_test(&t.cpus, 0));
	capture_target_free(&t);
	memset(&t, 0, sizeof(t));
	assert_int_equal(capture_target_cpus(&t, "60000", &e), -EINVAL);
	assert_non_null(strstr(e.text, "CPU 60000 is not online"));
	assert_int_equal(capture_target_cpus(&t, "x", &e), -EINVAL);
	capture_target_free(&t);
}

/* ---- control ---------------------------------------------------------------------------------------- */

static void control_commands(void **state)
{
	static const char input[] =
		"enable\ndisable cycles\nping\n\0stop\nevlist -v\nwhat is this\n"
		"snapshot\nenab";
	static const struct {
		enum control_cmd cmd;
		const char *arg;
	} want[] = {
		{ CONTROL_ENABLE, "" },	  { CONTROL_DISABLE, "cycles" },
		{ CONTROL_PING, "" },	  { CONTROL_STOP, "" },
		{ CONTROL_EVLIST, "-v" }, { CONTROL_UNKNOWN, "what is this" },
		{ CONTROL_SNAPSHOT, "" }, { CONTROL_NONE, NULL },
	};
	int ctl[2], ack[2];
	char spec[64], arg[64], answer[16] = "";
	struct control c;

	(void)state;
	assert_int_equal(pipe(ctl) | pipe(ack), 0);
	snprintf(spec, sizeof(spec), "fd:%d,%d", ctl[0], ack[1]);
	assert_int_equal(control_open(&c, spec, NULL), 0);
	assert_int_equal(write(ctl[1], input, sizeof(input) - 1), sizeof(input) - 1);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(control_next(&c, arg, sizeof(arg)), want[i].cmd);
		if (want[i].arg)
			assert_string_equal(arg, want[i].arg);
	}
	assert_int_equal(control_ack(&c), 0);
	assert_int_equal(read(ack[0], answer, sizeof(answer)), 5);
	assert_string_equal(answer, "ack\n");
	/* the descriptor is others', too */
	assert_int_equal(fcntl(ctl[0], F_GETFL) & O_NONBLOCK, 0);
	assert_false(c.ended);
	close(ctl[1]);
	assert_int_equal(control_next(&c, arg, sizeof(arg)), CONTROL_NONE);
	assert_true(c.ended);
	control_close(&c);
	close(ctl[0]);
	close(ack[0]);
	close(ack[1]);
}

/* A terminal without an echo: that nobody reads. */
static int open_terminal(int fd[2])
{
	struct termios how;

	fd[1] = posix_openpt(O_RDWR | O_NOCTTY);
	if (fd[1] < 0 || grantpt(fd[1]) || unlockpt(fd[1]))
		return -1;
	fd[0] = open(ptsname(fd[1]), O_RDWR | O_NOCTTY);
	if (fd[0] < 0 || tcgetattr(fd[0], &how))
		return -1;
	how.c_lflag &= ~(tcflag_t)ECHO;
	return tcsetattr(fd[0], TCSANOW, &how);
}

static int open_pipe(int fd[2])
{
	return pipe(fd);
}

static int open_sockets(int fd[2])
{
	return socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
}

/* Who reads the same descriptor takes many commands, some of them between a look and the read. */
static void control_shared(void **state)
{
	int (*const opens[])(int fd[2]) = { open_pipe, open_sockets, open_terminal };
	char spec[64], arg[64], buf[64];
	struct control c;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(opens); i++) {
		int fd[2];
		pid_t thief;

		if (opens[i](fd)) {
			print_message("# kind %zu cannot be opened here\n", i);
			continue;
		}
		snprintf(spec, sizeof(spec), "fd:%d", fd[0]);
		assert_int_equal(control_open(&c, spec, NULL), 0);
		thief = fork();
		if (!thief) {
			close(fd[1]);
			while (read(fd[0], buf, sizeof(buf)) > 0)
				;
			_exit(0);
		}
		alarm(60); /* it waits for what was taken */
		for (int round = 0; round < 20000; round++) {
			assert_int_equal(write(fd[1], "ping\n", 5), 5);
			control_next(&c, arg, sizeof(arg));
		}
		alarm(0);
		assert_int_equal(fcntl(fd[0], F_GETFL) & O_NONBLOCK, 0);
		kill(thief, SIGKILL);
		waitpid(thief, NULL, 0);
		control_close(&c);
		close(fd[0]);
		close(fd[1]);
	}
}

static void control_refusals(void **state)
{
	static const char *const bad[] = { "fifo:",  "fifo:/nonexistent/fifo",
					   "fd:",    "fd:x",
					   "fd:999", "fd:0,",
					   "fd:0,x", "pipe:3",
					   "" };
	struct control c;
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		err_clear(&e);
		assert_true(control_open(&c, bad[i], &e) < 0);
		assert_non_null(strstr(e.text, "--control"));
	}
}

/* ---- signals ----------------------------------------------------------------------------------------- */

static void signals_at_once(void **state)
{
	struct capture c = { .epoll_fd = epoll_create1(EPOLL_CLOEXEC) };
	sigset_t before;

	(void)state;
	assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &before), 0);
	assert_int_equal(capture_signals(&c, NULL), 0);
	assert_int_equal(capture_look_for_signals(&c), 0);
	raise(SIGINT);
	assert_int_equal(capture_look_for_signals(&c), 1);
	raise(SIGHUP);
	raise(SIGINT);
	assert_int_equal(capture_look_for_signals(&c), 1);
	c.signal_ms -= 1000; /* later */
	raise(SIGINT);
	assert_int_equal(capture_look_for_signals(&c), 2);
	assert_int_equal(capture_signal(&c), SIGINT);
	close(c.signal_fd);
	close(c.epoll_fd);
	assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
}

/* ---- a workload and a real ring ------------------------------------------------------------------------ */

static void workload_status(void **state)
{
	static char *const ok[] = { "sh", "-c", "exit 5", NULL };
	static char *const none[] = { "/nonexistent/program", NULL };
	struct program w;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(program_start(&w, (char **)ok, false, NULL), 0);
	assert_false(program_ended(&w, false)); /* it waits */
	assert_int_equal(program_go(&w, NULL), 0);
	assert_true(program_ended(&w, true));
	assert_int_equal(WEXITSTATUS(w.status), 5);
	program_free(&w);
	assert_int_equal(program_start(&w, (char **)none, false, NULL), 0);
	assert_int_equal(program_go(&w, &e), -ENOENT);
	assert_true(w.reaped);
	program_free(&w);
	/* never started: it goes away by itself */
	assert_int_equal(program_start(&w, (char **)ok, false, NULL), 0);
	program_free(&w);
	assert_true(w.reaped);
	assert_int_equal(WEXITSTATUS(w.status), 0);
}

static void real_ring(void **state)
{
	static char *const cmd[] = { "sh", "-c", "for i in 1 2 3 4 5; do :; done; exec true",
				     NULL };
	struct pmus *none;
	struct event_list l = { 0 };
	struct event_opener op = { 0 };
	struct open_context ctx;
	struct capture_target t = { .workload = true };
	struct events_config cfg = {
		.inherit = true, .disabled = true, .enable_on_exec = true, .period = 1
	};
	struct capture_opts opts = { .events = &l,
				     .target = &t,
				     .opener = &op,
				     .context = &ctx,
				     .ring_pages = 8,
				     .inherit = true };
	struct capture *c = NULL;
	struct program w;
	struct err e = { 0 };
	struct obuf o;
	struct capture_sink sink = { .write = keep, .ctx = &o };
	size_t nr, at = 0, comms = 0, exits = 0;

	(void)state;
	assert_int_equal(pmus_new(&none, "/nonexistent", NULL), 0);
	events_open_context(&ctx, none);
	assert_int_equal(events_parse(&l, none, "page-faults:u", &e), 0);
	assert_int_equal(events_configure(&l, &cfg, &e), 0);
	assert_int_equal(program_start(&w, (char **)cmd, false, &e), 0);
	assert_int_equal(vec_push(&t.tids, w.pid), 0);
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	if (capture_open(&c, &opts, &e)) {
		print_message("# no events may be opened here: %s\n", e.text);
		program_free(&w);
		goto out;
	}
	assert_non_null(capture_ids(c, 0, &nr));
	assert_int_equal(nr, capture_nr_rings(c));
	assert_int_equal(program_go(&w, &e), 0);
	while (!(capture_wait(c, 60000, &e) & (CAPTURE_GONE | CAPTURE_TIMEOUT)))
		assert_int_equal(capture_drain(c, 0, &sink, &e), 0);
	assert_int_equal(capture_finish(c, &sink, &e), 0);
	assert_true(program_ended(&w, true));
	while (at < o.len) {
		struct perf_event_header h = header_at(&o, at);

		comms += h.type == PERF_RECORD_COMM && h.misc & PERF_RECORD_MISC_COMM_EXEC;
		exits += h.type == PERF_RECORD_EXIT;
		at += h.size;
	}
	assert_int_equal(at, o.len);
	assert_int_equal(comms, 2); /* sh, true */
	assert_int_equal(exits, 1);
	assert_true(capture_stats(c)->samples > 10);
	assert_true(capture_stats(c)->first_time <= capture_stats(c)->last_time);
	program_free(&w);
out:
	capture_free(c);
	events_free(&l);
	pmus_free(none);
	capture_target_free(&t);
	obuf_free(&o);
}

struct group_kernel {
	pid_t ended;
	int leader[16]; /* by thread */
	size_t members;
};

/* Zeros are what can be read as an id. */
static int open_in_group(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			 unsigned long flags)
{
	struct group_kernel *k = ctx;
	int fd = pid == k->ended ? -ESRCH : open("/dev/zero", O_RDWR);

	(void)cpu, (void)flags;
	if (attr->config == PERF_COUNT_SW_CPU_CLOCK) {
		assert_int_equal(group_fd, -1);
		k->leader[pid] = fd;
	} else {
		assert_int_equal(group_fd, k->leader[pid]);
		k->members++;
	}
	return fd;
}

/* Each member is opened with the leader of its own thread, also behind one that has ended. */
static void members_and_leaders(void **state)
{
	struct group_kernel k = { .ended = 12 };
	struct event_list l = { 0 };
	struct event_opener op = { .open = open_in_group, .ctx = &k };
	struct capture_target t = { .per_thread = true };
	struct capture_opts opts = { .events = &l, .target = &t, .opener = &op, .ring_pages = 1 };
	struct capture *c = NULL;

	(void)state;
	for (pid_t tid = 10; tid < 16; tid++)
		assert_int_equal(vec_push(&t.tids, tid), 0);
	assert_int_equal(events_parse(&l, NULL, "{cpu-clock,task-clock,page-faults}", NULL), 0);
	assert_int_equal(capture_open(&c, &opts, NULL), -ENOTTY); /* rings are no files */
	assert_int_equal(k.members, 2 * 5);
	events_free(&l);
	capture_target_free(&t);
}

/* A ring made by hand; @bytes of it hold records of 64. */
static void made_ring(struct ring *r, struct perf_event_mmap_page *page, unsigned char *data,
		      uint64_t size, uint64_t bytes)
{
	static const struct perf_event_header h = { .type = PERF_RECORD_AUX, .size = 64 };

	for (uint64_t at = 0; at < bytes; at += h.size)
		memcpy(data + at, &h, sizeof(h));
	page->data_head = bytes;
	page->data_tail = 0;
	*r = (struct ring){ .page = page, .data = data, .size = size, .fd = -1 };
}

/* A ring is left alone until it holds so much, but never until it is full. */
static void flush_of_more_than_a_ring(void **state)
{
	static struct perf_event_mmap_page page;
	static unsigned char data[4096] __attribute__((aligned(8)));
	struct capture c = { .time_offset = -1 };
	struct obuf o;
	struct capture_sink sink = { .write = keep, .ctx = &o };
	struct ring r;

	(void)state;
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	assert_int_equal(vec_push(&c.rings, (struct ring){ 0 }), 0);
	made_ring(&r, &page, data, sizeof(data), 512);
	c.rings.v[0] = r;
	assert_int_equal(capture_drain(&c, 1024, &sink, NULL), 0);
	assert_int_equal(o.len, 0);
	made_ring(&r, &page, data, sizeof(data), 1024);
	c.rings.v[0] = r;
	assert_int_equal(capture_drain(&c, 1 << 20, &sink, NULL), 0);
	assert_int_equal(page.data_tail, 1024);
	assert_int_equal(header_at(&o, 0).type, PERF_RECORD_AUX);
	vec_free(&c.rings);
	obuf_free(&o);
}

/* A thread that ended before its events were opened has no ring. */
static void written_without_a_ring(void **state)
{
	static struct perf_event_mmap_page page = { .data_head = 640 };
	struct capture c = { .time_offset = -1 };

	(void)state;
	assert_int_equal(vec_push(&c.rings, (struct ring){ .fd = -1 }), 0);
	assert_int_equal(vec_push(&c.rings, ((struct ring){ .page = &page, .fd = -1 })), 0);
	assert_int_equal(capture_written(&c), 640);
	vec_free(&c.rings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_of_everybody),
		cmocka_unit_test(data_maps_too),
		cmocka_unit_test(own_records),
		cmocka_unit_test(kernel_maps),
		cmocka_unit_test(target_lists),
		cmocka_unit_test(control_commands),
		cmocka_unit_test(control_shared),
		cmocka_unit_test(control_refusals),
		cmocka_unit_test(signals_at_once),
		cmocka_unit_test(workload_status),
		cmocka_unit_test(real_ring),
		cmocka_unit_test(members_and_leaders),
		cmocka_unit_test(flush_of_more_than_a_ring),
		cmocka_unit_test(written_without_a_ring),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
