// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The functions of the C library that perf and its libraries call to get something from the system,
 * each in front of the library's own. Those of stdio count as what they do at last: a print to a
 * buffer is a write, though the bytes may go later; one that fails marks its stream as the library does.
 * What goes to stderr is not counted: nobody could be told of it.
 */
#undef _FORTIFY_SOURCE /* which would make some of these inline */

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults.h"

/* `next`: the function that stands behind ours. */
#define NEXT(name)                     \
	static __typeof__(name) *next; \
	if (!next)                     \
	next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* A function of which nothing more is to be said than its class and what it returns when it fails. */
#define CALL(class, ret, bad, name, params, ...)                       \
	ret name params                                                \
	{                                                              \
		NEXT(name);                                            \
		return fails(FAULT_##class) ? bad : next(__VA_ARGS__); \
	}
/* One that returns the errno. */
#define CODE(class, name, params, ...)                                   \
	int name params                                                  \
	{                                                                \
		NEXT(name);                                              \
		return fails(FAULT_##class) ? errno : next(__VA_ARGS__); \
	}

/* ---- memory -------------------------------------------------------------------------------- */

/*
 * dlsym() may allocate, and sanitizers do so before anything else: those few get memory of ours, which
 * nobody takes back.
 */
static _Alignas(64) char early[1 << 16];
static size_t early_used;
static bool looking;

static bool is_early(const void *p)
{
	return (const char *)p >= early && (const char *)p < early + sizeof(early);
}

static void *early_alloc(size_t size)
{
	void *p = early + early_used;

	early_used += (size + 63) & ~(size_t)63;
	return early_used <= sizeof(early) ? p : NULL;
}

#define NEXT_ALLOC(name, size)                                      \
	static __typeof__(name) *next;                              \
	if (!next) {                                                \
		if (looking)                                        \
			return early_alloc(size);                   \
		looking = true;                                     \
		next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name); \
		looking = false;                                    \
	}

void *malloc(size_t size)
{
	NEXT_ALLOC(malloc, size);
	return fails(FAULT_ALLOC) ? NULL : next(size);
}

void *calloc(size_t n, size_t size)
{
	NEXT_ALLOC(calloc, n * size);
	return fails(FAULT_ALLOC) ? NULL : next(n, size);
}

void *realloc(void *p, size_t size)
{
	NEXT_ALLOC(realloc, size);
	if (fails(FAULT_ALLOC))
		return NULL;
	if (is_early(p)) {
		void *got = malloc(size);

		return got ? memcpy(got, p, size) : NULL;
	}
	return next(p, size);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	NEXT(reallocarray);
	return fails(FAULT_ALLOC) ? NULL : next(p, n, size);
}

void *aligned_alloc(size_t align, size_t size)
{
	NEXT(aligned_alloc);
	return fails(FAULT_ALLOC) ? NULL : next(align, size);
}

CODE(ALLOC, posix_memalign, (void **p, size_t align, size_t size), p, align, size)

void free(void *p)
{
	NEXT(free);
	if (!is_early(p))
		next(p);
}

/* ---- bytes --------------------------------------------------------------------------------- */

/* How many of @n bytes, -1 where none. */
static ssize_t transfer(enum fault_class class, int fd, size_t n)
{
	int how = fd == STDERR_FILENO && class == FAULT_WRITE ? 0 : fault_of(class);

	if (how > 0)
		errno = how;
	return how > 0 ? -1 : (ssize_t)(how == FAULT_SHORT ? (n + 1) / 2 : n);
}

#define TRANSFER(class, name, params, ...)                     \
	ssize_t name params                                    \
	{                                                      \
		NEXT(name);                                    \
		ssize_t size = transfer(FAULT_##class, fd, n); \
                                                               \
		n = (size_t)size;                              \
		return size < 0 ? -1 : next(__VA_ARGS__);      \
	}

TRANSFER(READ, read, (int fd, void *buf, size_t n), fd, buf, n)
TRANSFER(READ, pread, (int fd, void *buf, size_t n, off_t at), fd, buf, n, at)
TRANSFER(READ, pread64, (int fd, void *buf, size_t n, off64_t at), fd, buf, n, at)
TRANSFER(WRITE, write, (int fd, const void *buf, size_t n), fd, buf, n)
TRANSFER(WRITE, pwrite, (int fd, const void *buf, size_t n, off_t at), fd, buf, n, at)
TRANSFER(WRITE, pwrite64, (int fd, const void *buf, size_t n, off64_t at), fd, buf, n, at)

ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room)
{
	if (n > room)
		abort();
	return read(fd, buf, n);
}

ssize_t __pread_chk(int fd, void *buf, size_t n, off_t at, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t n, off_t at, size_t room)
{
	if (n > room)
		abort();
	return pread(fd, buf, n, at);
}

/* Cut short: the first vector, by half. */
static ssize_t vectors(enum fault_class class, int fd, const struct iovec *v, int n, off_t at)
{
	int how = fault_of(class);
	struct iovec one = { v->iov_base, (v->iov_len + 1) / 2 };

	if (how > 0) {
		errno = how;
		return -1;
	}
	if (how == FAULT_SHORT) {
		v = &one;
		n = 1;
	}
	if (class == FAULT_READ)
		return at < 0 ? syscall(SYS_readv, fd, v, n) : syscall(SYS_preadv, fd, v, n, at, 0);
	return at < 0 ? syscall(SYS_writev, fd, v, n) : syscall(SYS_pwritev, fd, v, n, at, 0);
}

ssize_t readv(int fd, const struct iovec *v, int n)
{
	return vectors(FAULT_READ, fd, v, n, -1);
}

ssize_t preadv(int fd, const struct iovec *v, int n, off_t at)
{
	return vectors(FAULT_READ, fd, v, n, at);
}

ssize_t writev(int fd, const struct iovec *v, int n)
{
	return vectors(FAULT_WRITE, fd, v, n, -1);
}

ssize_t pwritev(int fd, const struct iovec *v, int n, off_t at)
{
	return vectors(FAULT_WRITE, fd, v, n, at);
}

CALL(READ, ssize_t, -1, process_vm_readv,
     (pid_t pid, const struct iovec *to, unsigned long nr_to, const struct iovec *from,
      unsigned long nr_from, unsigned long flags),
     pid, to, nr_to, from, nr_from, flags)

/* ---- stdio --------------------------------------------------------------------------------- */

static bool stream_fails(enum fault_class class, FILE *f)
{
	/* NULL: fflush() of all streams, for which no error is seen. */
	if (!f || f == stderr || !fails(class))
		return false;
	f->_flags |= 0x20; /* what ferror() asks for */
	return true;
}

#define STREAM(class, ret, bad, name, params, ...)                               \
	ret name params                                                          \
	{                                                                        \
		NEXT(name);                                                      \
		return stream_fails(FAULT_##class, f) ? bad : next(__VA_ARGS__); \
	}

STREAM(READ, size_t, 0, fread, (void *buf, size_t size, size_t n, FILE *f), buf, size, n, f)
STREAM(READ, char *, NULL, fgets, (char *buf, int n, FILE *f), buf, n, f)
STREAM(READ, ssize_t, -1, getline, (char **line, size_t *n, FILE *f), line, n, f)
STREAM(READ, ssize_t, -1, getdelim, (char **line, size_t *n, int c, FILE *f), line, n, c, f)
ssize_t __getdelim(char **line, size_t *n, int c, FILE *f);
STREAM(READ, ssize_t, -1, __getdelim, (char **line, size_t *n, int c, FILE *f), line, n, c, f)
STREAM(READ, int, EOF, fgetc, (FILE * f), f)
#undef getc
STREAM(READ, int, EOF, getc, (FILE * f), f)
STREAM(WRITE, size_t, 0, fwrite, (const void *buf, size_t size, size_t n, FILE *f), buf, size, n, f)
STREAM(WRITE, int, EOF, fputs, (const char *s, FILE *f), s, f)
STREAM(WRITE, int, EOF, fputc, (int c, FILE *f), c, f)
#undef putc
STREAM(WRITE, int, EOF, putc, (int c, FILE *f), c, f)
STREAM(WRITE, int, EOF, fflush, (FILE * f), f)

int puts(const char *s)
{
	NEXT(puts);
	return stream_fails(FAULT_WRITE, stdout) ? EOF : next(s);
}

int __fprintf_chk(FILE *f, int flag, const char *fmt, ...);
int __fprintf_chk(FILE *f, int flag, const char *fmt, ...)
{
	va_list ap;
	int n;

	(void)flag;
	if (stream_fails(FAULT_WRITE, f))
		return -1;
	va_start(ap, fmt);
	n = vfprintf(f, fmt, ap);
	va_end(ap);
	return n;
}

int __printf_chk(int flag, const char *fmt, ...);
int __printf_chk(int flag, const char *fmt, ...)
{
	va_list ap;
	int n;

	(void)flag;
	if (stream_fails(FAULT_WRITE, stdout))
		return -1;
	va_start(ap, fmt);
	n = vfprintf(stdout, fmt, ap);
	va_end(ap);
	return n;
}

int fprintf(FILE *f, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (stream_fails(FAULT_WRITE, f))
		return -1;
	va_start(ap, fmt);
	n = vfprintf(f, fmt, ap);
	va_end(ap);
	return n;
}

/* ---- files --------------------------------------------------------------------------------- */

static int mode_of(int flags, va_list ap)
{
	return flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? va_arg(ap, int) : 0;
}

/* The kernel has 100,000 symbols and more, in 4 KB at a time: a short list stands for it. */
static const char *opened(const char *path)
{
	return fault_kallsyms && !strcmp(path, "/proc/kallsyms") ? fault_kallsyms : path;
}

#define OPEN(name)                                                               \
	int name(const char *path, int flags, ...)                               \
	{                                                                        \
		va_list ap;                                                      \
		int mode;                                                        \
                                                                                 \
		NEXT(name);                                                      \
		va_start(ap, flags);                                             \
		mode = mode_of(flags, ap);                                       \
		va_end(ap);                                                      \
		return fails(FAULT_OPEN) ? -1 : next(opened(path), flags, mode); \
	}
#define OPENAT(name)                                                          \
	int name(int dir, const char *path, int flags, ...)                   \
	{                                                                     \
		va_list ap;                                                   \
		int mode;                                                     \
                                                                              \
		NEXT(name);                                                   \
		va_start(ap, flags);                                          \
		mode = mode_of(flags, ap);                                    \
		va_end(ap);                                                   \
		return fails(FAULT_OPEN) ? -1 : next(dir, path, flags, mode); \
	}
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
int __open_2(const char *path, int flags);
CALL(OPEN, int, -1, __open_2, (const char *path, int flags), path, flags)
int __open64_2(const char *path, int flags);
CALL(OPEN, int, -1, __open64_2, (const char *path, int flags), path, flags)
int __openat_2(int dir, const char *path, int flags);
CALL(OPEN, int, -1, __openat_2, (int dir, const char *path, int flags), dir, path, flags)
CALL(OPEN, FILE *, NULL, fopen, (const char *path, const char *mode), path, mode)
CALL(OPEN, FILE *, NULL, fopen64, (const char *path, const char *mode), path, mode)
CALL(OPEN, FILE *, NULL, fdopen, (int fd, const char *mode), fd, mode)
CALL(OPEN, FILE *, NULL, setmntent, (const char *path, const char *mode), path, mode)
CALL(OPEN, DIR *, NULL, opendir, (const char *path), path)
CALL(OPEN, DIR *, NULL, fdopendir, (int fd), fd)
CALL(OPEN, int, -1, mkostemp, (char *path, int flags), path, flags)
CALL(OPEN, int, -1, scandir,
     (const char *path, struct dirent ***list, int (*want)(const struct dirent *),
      int (*order)(const struct dirent **, const struct dirent **)),
     path, list, want, order)
CALL(READ, struct dirent *, NULL, readdir, (DIR * dir), dir)
CALL(READ, struct dirent64 *, NULL, readdir64, (DIR * dir), dir)

/* Closed they are in any case. */
int close(int fd)
{
	int code;

	NEXT(close);
	code = next(fd);
	return fails(FAULT_CLOSE) ? -1 : code;
}

int fclose(FILE *f)
{
	bool diagnostics = f == stderr;
	int code;

	NEXT(fclose);
	code = next(f);
	return !diagnostics && fails(FAULT_CLOSE) ? EOF : code;
}

CALL(SIZE, int, -1, fsync, (int fd), fd)
CALL(SIZE, int, -1, fdatasync, (int fd), fd)
CALL(SIZE, int, -1, ftruncate, (int fd, off_t n), fd, n)
CALL(SIZE, int, -1, ftruncate64, (int fd, off64_t n), fd, n)
CALL(SIZE, int, -1, fallocate, (int fd, int mode, off_t at, off_t n), fd, mode, at, n)
CALL(SIZE, off_t, -1, lseek, (int fd, off_t at, int whence), fd, at, whence)
CALL(SIZE, off64_t, -1, lseek64, (int fd, off64_t at, int whence), fd, at, whence)

CALL(NAME, int, -1, rename, (const char *from, const char *to), from, to)
CALL(NAME, int, -1, renameat, (int a, const char *from, int b, const char *to), a, from, b, to)
CALL(NAME, int, -1, renameat2, (int a, const char *from, int b, const char *to, unsigned int flags),
     a, from, b, to, flags)
CALL(NAME, int, -1, link, (const char *from, const char *to), from, to)
CALL(NAME, int, -1, symlink, (const char *to, const char *path), to, path)
CALL(NAME, int, -1, unlink, (const char *path), path)
CALL(NAME, int, -1, unlinkat, (int dir, const char *path, int flags), dir, path, flags)
CALL(NAME, int, -1, mkdir, (const char *path, mode_t mode), path, mode)
CALL(NAME, int, -1, mkdirat, (int dir, const char *path, mode_t mode), dir, path, mode)
CALL(NAME, int, -1, rmdir, (const char *path), path)
CALL(NAME, int, -1, fchmod, (int fd, mode_t mode), fd, mode)
CALL(NAME, int, -1, futimens, (int fd, const struct timespec t[2]), fd, t)

CALL(STAT, int, -1, stat, (const char *path, struct stat *st), path, st)
CALL(STAT, int, -1, lstat, (const char *path, struct stat *st), path, st)
CALL(STAT, int, -1, fstat, (int fd, struct stat *st), fd, st)
CALL(STAT, int, -1, fstatat, (int dir, const char *path, struct stat *st, int flags), dir, path, st,
     flags)
CALL(STAT, int, -1, stat64, (const char *path, struct stat64 *st), path, st)
CALL(STAT, int, -1, fstat64, (int fd, struct stat64 *st), fd, st)
CALL(STAT, int, -1, access, (const char *path, int mode), path, mode)
CALL(STAT, ssize_t, -1, readlink, (const char *path, char *buf, size_t n), path, buf, n)
CALL(STAT, char *, NULL, realpath, (const char *path, char *buf), path, buf)
char *__realpath_chk(const char *path, char *buf, size_t room);
CALL(STAT, char *, NULL, __realpath_chk, (const char *path, char *buf, size_t room), path, buf,
     room)

/* ---- mappings, processes, events ----------------------------------------------------------- */

CALL(MMAP, void *, MAP_FAILED, mmap, (void *at, size_t n, int prot, int flags, int fd, off_t from),
     at, n, prot, flags, fd, from)
CALL(MMAP, void *, MAP_FAILED, mmap64,
     (void *at, size_t n, int prot, int flags, int fd, off64_t from), at, n, prot, flags, fd, from)
CALL(MMAP, int, -1, mprotect, (void *at, size_t n, int prot), at, n, prot)

void *mremap(void *at, size_t old, size_t n, int flags, ...)
{
	va_list ap;
	void *to;

	NEXT(mremap);
	va_start(ap, flags);
	to = va_arg(ap, void *);
	va_end(ap);
	return fails(FAULT_MMAP) ? MAP_FAILED : next(at, old, n, flags, to);
}

long ptrace(enum __ptrace_request request, ...)
{
	va_list ap;
	void *at, *data;
	pid_t pid;

	NEXT(ptrace);
	va_start(ap, request);
	pid = va_arg(ap, pid_t);
	at = va_arg(ap, void *);
	data = va_arg(ap, void *);
	va_end(ap);
	return fails(FAULT_PTRACE) ? -1 : next(request, pid, at, data);
}

CALL(POLL, int, -1, poll, (struct pollfd * fds, nfds_t n, int ms), fds, n, ms)
CALL(POLL, int, -1, ppoll,
     (struct pollfd * fds, nfds_t n, const struct timespec *t, const sigset_t *set), fds, n, t, set)
CALL(POLL, int, -1, epoll_wait, (int fd, struct epoll_event *e, int n, int ms), fd, e, n, ms)
CALL(POLL, int, -1, epoll_ctl, (int fd, int op, int of, struct epoll_event *e), fd, op, of, e)
CALL(POLL, int, -1, sigtimedwait, (const sigset_t *set, siginfo_t *i, const struct timespec *t),
     set, i, t)

CODE(THREAD, pthread_create,
     (pthread_t * t, const pthread_attr_t *a, void *(*run)(void *), void *arg), t, a, run, arg)

CALL(FORK, pid_t, -1, fork, (void), )
CODE(FORK, posix_spawnp,
     (pid_t * pid, const char *file, const posix_spawn_file_actions_t *acts,
      const posix_spawnattr_t *attr, char *const argv[], char *const envp[]),
     pid, file, acts, attr, argv, envp)

CALL(PIPE, int, -1, pipe, (int fds[2]), fds)
CALL(PIPE, int, -1, pipe2, (int fds[2], int flags), fds, flags)
CALL(PIPE, int, -1, dup, (int fd), fd)
CALL(PIPE, int, -1, dup2, (int fd, int to), fd, to)
CALL(PIPE, int, -1, epoll_create1, (int flags), flags)
CALL(PIPE, int, -1, memfd_create, (const char *name, unsigned int flags), name, flags)
int signalfd(int fd, const sigset_t *set, int flags);
CALL(PIPE, int, -1, signalfd, (int fd, const sigset_t *set, int flags), fd, set, flags)

CALL(WAIT, pid_t, -1, waitpid, (pid_t pid, int *status, int options), pid, status, options)
CALL(WAIT, int, -1, waitid, (idtype_t type, id_t id, siginfo_t *i, int options), type, id, i,
     options)

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;

	NEXT(ioctl);
	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	return fails(FAULT_IOCTL) ? -1 : next(fd, request, arg);
}

int fcntl(int fd, int cmd, ...)
{
	va_list ap;
	void *arg;

	NEXT(fcntl);
	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	return fails(FAULT_IOCTL) ? -1 : next(fd, cmd, arg);
}

long syscall(long nr, ...)
{
	va_list ap;
	long a[6];

	NEXT(syscall);
	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (nr == SYS_perf_event_open && fails(FAULT_EVENT))
		return -1;
	return next(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

CALL(LIMIT, int, -1, getrlimit, (__rlimit_resource_t what, struct rlimit *l), what, l)
CALL(LIMIT, int, -1, setrlimit, (__rlimit_resource_t what, const struct rlimit *l), what, l)
CALL(LIMIT, int, -1, sched_getaffinity, (pid_t pid, size_t n, cpu_set_t *set), pid, n, set)
CALL(LIMIT, int, -1, sched_setscheduler, (pid_t pid, int policy, const struct sched_param *p), pid,
     policy, p)
CALL(LIMIT, int, -1, sigaltstack, (const stack_t *now, stack_t *old), now, old)
CALL(LIMIT, int, -1, setenv, (const char *name, const char *value, int over), name, value, over)
