// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System calls that a walk goes through: like a hardware record of user branches it goes on behind
 * them. If all walks ended there, branches before system calls would be seen too often and those
 * behind them too rarely. Only calls that return at once: the recorder waits for them.
 */
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "walk-int.h"

enum { ALWAYS = 1, REGULAR_FILE, TERMINAL_STATE };

static const struct {
	uint16_t nr;
	uint8_t when;
} quick[] = {
#ifdef SYS_stat /* newer architectures have those with a directory only */
	{ SYS_stat, ALWAYS },	       { SYS_lstat, ALWAYS },
	{ SYS_access, ALWAYS },	       { SYS_readlink, ALWAYS },
	{ SYS_time, ALWAYS },
#endif
	{ SYS_read, REGULAR_FILE },    { SYS_write, REGULAR_FILE },
	{ SYS_pread64, REGULAR_FILE }, { SYS_pwrite64, REGULAR_FILE },
	{ SYS_readv, REGULAR_FILE },   { SYS_writev, REGULAR_FILE },
	{ SYS_ioctl, TERMINAL_STATE }, { SYS_lseek, ALWAYS },
	{ SYS_close, REGULAR_FILE },   { SYS_fstat, ALWAYS },
	{ SYS_newfstatat, ALWAYS },    { SYS_getcwd, ALWAYS },
	{ SYS_brk, ALWAYS },	       { SYS_mmap, ALWAYS },
	{ SYS_munmap, ALWAYS },	       { SYS_mremap, ALWAYS },
	{ SYS_mprotect, ALWAYS },      { SYS_madvise, ALWAYS },
	{ SYS_getpid, ALWAYS },	       { SYS_gettid, ALWAYS },
	{ SYS_getuid, ALWAYS },	       { SYS_clock_gettime, ALWAYS },
	{ SYS_gettimeofday, ALWAYS },  { SYS_getrusage, ALWAYS },
	{ SYS_times, ALWAYS },
};

static bool is_regular(pid_t tid, uint64_t fd)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd/%u", tid, (unsigned)fd);
	return !stat(path, &st) && S_ISREG(st.st_mode);
}

bool cross_allowed(const struct vm *vm, const struct vm_insn *in)
{
	const uint32_t needed = 1 << ARCH_CALL_NR | 1 << ARCH_CALL_ARG0 | 1 << ARCH_CALL_ARG1;

	if (memcmp(in->bytes, ARCH_CALL_CODE, ARCH_CALL_LEN) || (vm->known & needed) != needed)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(quick); i++) {
		if (quick[i].nr != vm->reg[ARCH_CALL_NR])
			continue;
		switch (quick[i].when) {
		case REGULAR_FILE: return is_regular(vm->tid, vm->reg[ARCH_CALL_ARG0]);
		case TERMINAL_STATE:
			return vm->reg[ARCH_CALL_ARG1] == TCGETS ||
			       vm->reg[ARCH_CALL_ARG1] == TIOCGWINSZ;
		default: return true;
		}
	}
	return false;
}

void cross_syscall(struct vm *vm, const struct vm_insn *in)
{
	/* the result, and what the instruction overwrites */
	vm->known &= ~ARCH_CALL_CLOBBERS;
	vm->rip = in->addr + in->len;
}
