// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page from which clock_gettime() and its like read the time without a system call. It is the kernel's,
 * mapped into every process, and the kernel lets nobody read it through another one; but it is the
 * same page in this one (but for time namespaces, where it says so itself).
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "vm-int.h"

struct mapping {
	uint64_t start, end;
	char name[32]; /* "[vvar]", "[vvar_vclock]" */
};

/* The one around @addr, or with @addr 0 the one called @m->name. */
static bool find_mapping(const char *path, uint64_t addr, struct mapping *m)
{
	struct mapping now = { .name = "" };
	char line[512];
	bool found = false;
	FILE *f = fopen(path, "re");

	while (f && !found && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %31s", &now.start,
			   &now.end, now.name) != 3)
			continue;
		found = addr ? addr >= now.start && addr < now.end : !strcmp(now.name, m->name);
	}
	if (f)
		fclose(f);
	if (found)
		*m = now;
	return found;
}

/* By a pipe: parts of it may be mapped and not there, which ends a process that just reads. */
static bool copy_page(uint64_t from, void *to)
{
	int fd[2];
	bool ok;

	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK))
		return false;
	ok = write(fd[1], (const void *)from, VM_PAGE) == VM_PAGE &&
	     read(fd[0], to, VM_PAGE) == VM_PAGE;
	close(fd[0]);
	close(fd[1]);
	return ok;
}

bool vm_read_vvar(pid_t tid, uint64_t addr, void *to)
{
	struct mapping theirs = { 0 }, ours;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", tid);
	if (!find_mapping(path, addr, &theirs) || strncmp(theirs.name, "[vvar", 5) != 0)
		return false;
	ours = theirs;
	return find_mapping("/proc/self/maps", 0, &ours) &&
	       ours.end - ours.start == theirs.end - theirs.start &&
	       copy_page(ours.start + (addr - theirs.start), to);
}
