// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What JIT compilers tell about their code: /tmp/perf-PID.map, "START SIZE NAME" in hex, one line
 * per piece of code; and jitdump files, which room `machine` has read.
 */
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lack.h"
#include "jit/jit.h"
#include "symbol/symbol-int.h"

#define JIT_MAX (256u << 20)

/* A descriptor of the map file, or -errno. */
static int map_open(struct resolver *res, const char *path, int32_t pid)
{
	char inside[64];
	const char *why;
	struct stat st;
	int fd = jit_file_open(path, pid, false, &why);

	/* In the process's own /tmp it may go by another number. */
	if (fd == -ENOENT && !why && !res->symfs) {
		snprintf(inside, sizeof(inside), "/tmp/perf-%d.map", jit_namespace_pid(pid));
		fd = jit_file_open(inside, pid, true, &why);
	}
	if (fd >= 0 && (fstat(fd, &st) || st.st_size > JIT_MAX)) {
		why = "it is larger than 256 MiB";
		close(fd);
		fd = -EFBIG;
	}
	if (why)
		resolver_warn(res, "%s is not used for symbols: %s", path, why);
	return fd;
}

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

static int jit_line(struct symtab *t, char *line)
{
	char *end;
	const char *p;
	uint64_t start, size;

	errno = 0;
	start = strtoull(line, &end, 16);
	if (end == line || errno)
		return 0;
	p = skip_blanks(end);
	size = strtoull(p, &end, 16);
	if (end == p || errno || !size)
		return 0;
	p = skip_blanks(end);
	return *p ? symtab_add(t, start, size, SYM_GLOBAL, p) : 0;
}

/* Code is compiled again at the same place: the later line holds. */
static void newest_first(struct symtab *t)
{
	for (size_t i = 0, j = t->sym.n; i + 1 < j; i++) {
		struct sym s = t->sym.v[i];

		t->sym.v[i] = t->sym.v[--j];
		t->sym.v[j] = s;
	}
}

int symtab_read_jit(FILE *fp, struct symtab *t)
{
	char *line = NULL;
	size_t cap = 0;
	int ret = 0;
	ssize_t n;

	while (!ret && (n = getline(&line, &cap, fp)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = 0;
		ret = jit_line(t, line);
	}
	if (!ret && !feof(fp))
		ret = errno ? -errno : -EIO;
	free(line);
	newest_first(t);
	return ret;
}

int symtab_load_jit(struct resolver *res, const struct dso *dso, struct found *found)
{
	char path[PATH_MAX];
	FILE *fp;
	int fd, ret;

	if (!files_symfs_path(res, dso->name, path, sizeof(path)))
		return -ENOENT;
	fd = map_open(res, path, dso->pid);
	if (fd < 0)
		return fd;
	fp = fdopen(fd, "r");
	if (!fp) {
		close(fd);
		return -ENOMEM;
	}
	ret = symtab_read_jit(fp, &found->tab);
	/* What came before holds. */
	if (ret)
		lack_note(ret, "cannot read", path);
	fclose(fp);
	found->file = strdup(path);
	return ret;
}

/* Symbols by offset of the code in the file: those are the object's addresses. */
int symtab_load_jitdump(struct resolver *res, const struct dso *dso, struct found *found)
{
	const struct jitdump *d = machine_jitdump(res->m, dso);
	const struct jit_code *c;
	int ret = 0;

	if (!d) /* another machine's */
		return 0;
	for (size_t i = 0; !ret && (c = jitdump_code(d, i)); i++)
		ret = symtab_add(&found->tab, c->at, c->size, SYM_GLOBAL, c->name);
	found->e_machine = jitdump_e_machine(d);
	if (found->e_machine == EM_386 || found->e_machine == EM_ARM)
		found->insn_mode &= ~(unsigned)INSN_64BIT;
	found->file = strdup(dso->path);
	return ret;
}

bool lines_of_jit(struct resolver *res, const struct dso *dso, uint64_t addr, struct srcline *out)
{
	struct jitdump *d = machine_jitdump(res->m, dso);
	struct jit_line l;

	if (!d || !jitdump_line(d, addr, &l))
		return false;
	lines_set(res, l.file, out);
	out->line = l.line;
	return true;
}
