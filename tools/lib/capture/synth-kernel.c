// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel maps: one MMAP for the core text, named after the symbol that readers relocate by, and
 * one per module. Addresses come from /proc/kallsyms and /proc/modules.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lack.h"
#include "capture/capture-int.h"

#define CHUNK (256 << 10)

struct kernel_text {
	uint64_t text, stext, etext;
};

/* One line of kallsyms: "ffffffff81000000 T _text". True when all that is wanted is there. */
static bool take_symbol(struct kernel_text *k, const char *line)
{
	char *end;
	uint64_t addr = strtoull(line, &end, 16);

	if (end == line || strlen(end) < 4)
		return false;
	end += 3; /* " T " */
	if (!strcmp(end, "_text"))
		k->text = addr;
	else if (!strcmp(end, "_stext"))
		k->stext = addr;
	else if (!strcmp(end, "_etext"))
		k->etext = addr;
	return (k->text || k->stext) && k->etext;
}

/* The list is long (100,000 lines and more): read in chunks, and only as far as needed. */
static int find_text(const char *path, struct kernel_text *k)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), code = 0;
	char *buf = malloc(CHUNK + 1), *line, *end;
	size_t left = 0;
	bool done = false;
	ssize_t n;

	if (fd < 0 || !buf) {
		code = fd < 0 ? -errno : -ENOMEM;
		lack_note(code, "cannot open", path);
		free(buf);
		if (fd >= 0)
			close(fd);
		return code;
	}
	while (!done && (n = read(fd, buf + left, CHUNK - left)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			code = -errno;
			lack_note(code, "cannot read", path);
			break;
		}
		left += (size_t)n;
		buf[left] = '\0';
		for (line = buf; !done && (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			/* Only these three begin with an underscore and end in "text". */
			if (end - line > 8 && !strcmp(end - 4, "text"))
				done = take_symbol(k, line);
		}
		left = (size_t)(buf + left - line);
		memmove(buf, line, left);
		if (left == CHUNK)
			left = 0; /* no line is that long */
	}
	free(buf);
	close(fd);
	return code;
}

static int put_kernel_map(struct synth *s, struct synth_record *r, uint64_t start, uint64_t len,
			  uint64_t pgoff, const char *name, struct err *e)
{
	synth_rec_begin(r, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	synth_rec_u32(r, UINT32_MAX); /* pid -1: every process */
	synth_rec_u32(r, 0);
	synth_rec_u64(r, start);
	synth_rec_u64(r, len);
	synth_rec_u64(r, pgoff);
	synth_rec_string(r, name);
	s->nr_maps++;
	return synth_rec_end(r, s, e);
}

/* ---- modules ------------------------------------------------------------------------------------- */

struct module {
	char name[64];
	uint64_t addr, size;
	const char *path; /* in modules.dep, up to ':'; NULL when it is not listed */
};

struct modules {
	struct module *v;
	size_t n, cap;
};

static int compare_modules(const void *a, const void *b)
{
	return strcmp(((const struct module *)a)->name, ((const struct module *)b)->name);
}

/* Lines of /proc/modules: "name size refcount used-by state address". */
static int parse_modules(struct modules *ms, char *text)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct module m = { 0 };
		unsigned long size;
		unsigned long long addr;

		/* No address: it is hidden from us. */
		if (sscanf(line, "%63s %lu %*s %*s %*s %llx", m.name, &size, &addr) != 3 || !addr)
			continue;
		m.addr = addr;
		m.size = size;
		if (vec_push(ms, m))
			return -ENOMEM;
	}
	if (ms->n)
		qsort(ms->v, ms->n, sizeof(*ms->v), compare_modules);
	return 0;
}

/* Lines of modules.dep: "kernel/fs/ext4/ext4.ko.xz: ..."; in names '-' and '_' are one. */
static void find_paths(struct modules *ms, const char *dep)
{
	for (const char *line = dep; line && *line;) {
		size_t len = strcspn(line, ":\n"), base = len, n = 0;
		struct module key = { 0 }, *m;

		while (base > 0 && line[base - 1] != '/')
			base--;
		for (; base < len && line[base] != '.' && n + 1 < sizeof(key.name); base++)
			key.name[n++] = line[base] == '-' ? '_' : line[base];
		m = ms->n ? bsearch(&key, ms->v, ms->n, sizeof(*ms->v), compare_modules) : NULL;
		if (m && line[len] == ':')
			m->path = line;
		line = strchr(line + len, '\n');
		line = line ? line + 1 : NULL;
	}
}

static char *read_dep(struct utsname *u)
{
	char path[PATH_MAX];

	if (uname(u))
		return NULL;
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", u->release);
	return file_read_all(path, 16 << 20, NULL, NULL);
}

static int put_modules(struct synth *s, struct synth_record *r, const char *proc, struct err *e)
{
	char path[PATH_MAX], *text, *dep;
	struct utsname u = { 0 };
	struct modules ms = { 0 };
	int ret;

	snprintf(path, sizeof(path), "%s/modules", proc);
	text = file_read_all(path, 1 << 20, NULL, NULL);
	if (!text)
		return 0; /* a kernel without modules */
	dep = read_dep(&u);
	ret = parse_modules(&ms, text);
	if (ret)
		err_set(e, ret, "no memory for the list of modules");
	find_paths(&ms, dep);
	for (size_t i = 0; !ret && i < ms.n; i++) {
		const struct module *m = &ms.v[i];

		if (m->path)
			snprintf(path, sizeof(path), "/lib/modules/%s/%.*s", u.release,
				 (int)strcspn(m->path, ":"), m->path);
		else
			snprintf(path, sizeof(path), "[%s]", m->name);
		ret = put_kernel_map(s, r, m->addr, m->size, 0, path, e);
	}
	vec_free(&ms);
	free(dep);
	free(text);
	return ret;
}

int synth_kernel(struct synth *s, struct err *e)
{
	const char *proc = s->proc ? s->proc : "/proc";
	struct synth_record *r = malloc(sizeof(*r));
	struct kernel_text k = { 0 };
	char path[PATH_MAX];
	int ret;

	if (!r)
		return err_set(e, -ENOMEM, "no memory for a record");
	snprintf(path, sizeof(path), "%s/kallsyms", proc);
	ret = find_text(path, &k);
	if (ret == -ENOMEM) {
		err_set(e, ret, "no memory to read %s", path);
	} else if (!k.text && !k.stext) {
		if (!s->user_only)
			log_to(&s->log, LOG_WARN,
			       "kernel addresses are hidden (kernel.kptr_restrict, kernel.perf_event_paranoid): kernel samples will have no symbols");
		ret = 0;
	} else {
		uint64_t start = k.stext ? k.stext : k.text;
		bool by_text = k.text != 0;

		ret = put_kernel_map(s, r, start, k.etext > start ? k.etext - start : 1ULL << 24,
				     by_text ? k.text : k.stext,
				     by_text ? "[kernel.kallsyms]_text" : "[kernel.kallsyms]_stext",
				     e);
		if (!ret)
			ret = put_modules(s, r, proc, e);
	}
	free(r);
	return ret;
}
