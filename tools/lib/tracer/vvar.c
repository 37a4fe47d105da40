// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pages from which clock_gettime() and its like read the time without a system call. They are the kernel's,
 * mapped into every process beside the vdso, and the kernel lets nobody read them through another one; but
 * they are the same pages in this one, unless the two are in different time namespaces.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vm-int.h"

/* "[vvar]", "[vvar_vclock]" of this process. */
static void look_here(struct vm_vvar *v)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512], name[32];

	while (f && v->nr < ARRAY_SIZE(v->map) && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %31s",
			   &v->map[v->nr].start, &v->map[v->nr].end, name) == 3)
			v->nr += !strncmp(name, "[vvar", 5);
	if (f)
		fclose(f);
	v->looked = true;
}

/* Where there are no such namespaces it is the same time for all. */
static bool same_time(pid_t tid)
{
	struct stat theirs, here;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/time", tid);
	return stat("/proc/self/ns/time", &here) ||
	       (!stat(path, &theirs) && theirs.st_ino == here.st_ino);
}

/* The vdso of @tid; 0: there is none. */
static uint64_t vdso_of(pid_t tid)
{
	uint64_t pair[2], at = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/auxv", tid);
	f = fopen(path, "re");
	while (f && !at && fread(pair, sizeof(pair), 1, f) == 1 && pair[0] != AT_NULL)
		if (pair[0] == AT_SYSINFO_EHDR)
			at = pair[1];
	if (f)
		fclose(f);
	return at;
}

/*
 * The kernel maps its pages at a fixed distance before the vdso, in all processes alike, and the vdso's place is in the auxiliary vector.
 * So nobody has to read the maps of a process that has thousands.
 */
static void look_there(struct vm_vvar *v, pid_t tid, uint64_t epoch)
{
	uint64_t theirs = vdso_of(tid), ours = getauxval(AT_SYSINFO_EHDR);

	v->tid = tid;
	v->epoch = epoch;
	v->same = theirs && ours && same_time(tid);
	v->apart = theirs - ours;
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

bool vm_read_vvar(struct vm *vm, uint64_t addr, void *to)
{
	struct vm_vvar *v = &vm->vvar;

	if (!v->looked)
		look_here(v);
	if (!vm->epoch || v->tid != vm->tid || v->epoch != vm->epoch)
		look_there(v, vm->tid, vm->epoch);
	addr -= v->apart;
	for (unsigned i = 0; v->same && i < v->nr; i++)
		if (addr >= v->map[i].start && addr < v->map[i].end)
			return copy_page(addr, to);
	return false;
}
