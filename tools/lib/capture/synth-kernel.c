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

#include "capture/private.h"

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
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *buf = malloc(CHUNK + 1), *line, *end;
	size_t left = 0;
	bool done = false;
	ssize_t n;

	if (fd < 0 || !buf) {
		int code = fd < 0 ? -errno : -ENOMEM;

		free(buf);
		if (fd >= 0)
			close(fd);
		return code;
	}
	while (!done && (n = read(fd, buf + left, CHUNK - left)) > 0) {
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
	return 0;
}

static int put_kernel_map(struct synth *s, struct synth_record *r, uint64_t start, uint64_t len,
			  uint64_t pgoff, const char *name, struct err *e)
{
	record_begin(r, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	record_u32(r, UINT32_MAX); /* pid -1: every process */
	record_u32(r, 0);
	record_u64(r, start);
	record_u64(r, len);
	record_u64(r, pgoff);
	record_string(r, name);
	s->nr_maps++;
	return record_end(r, s, e);
}

/* ---- modules ------------------------------------------------------------------------------------- */

/* "kernel/fs/ext4/ext4.ko.xz: kernel/..." of modules.dep is module ext4? '-' and '_' are one. */
static bool is_module_path(const char *path, const char *name)
{
	const char *base = strrchr(path, '/');
	size_t i = 0;

	base = base ? base + 1 : path;
	for (; name[i]; i++) {
		char c = base[i] == '-' ? '_' : base[i];

		if (c != name[i])
			return false;
	}
	return !strncmp(base + i, ".ko", 3);
}

/* The file of a module from modules.dep; "[name]" when it is not listed. */
static void module_path(const char *dep, const char *release, const char *name, char *buf,
			size_t size)
{
	for (const char *p = dep; p && *p;) {
		size_t len = strcspn(p, ":\n");
		char path[PATH_MAX - 256];

		if (len && len < sizeof(path) && p[len] == ':') {
			memcpy(path, p, len);
			path[len] = '\0';
			if (is_module_path(path, name)) {
				snprintf(buf, size, "/lib/modules/%s/%s", release, path);
				return;
			}
		}
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
	snprintf(buf, size, "[%s]", name);
}

static int put_modules(struct synth *s, struct synth_record *r, const char *proc, struct err *e)
{
	char path[PATH_MAX], *text, *dep = NULL, *save = NULL;
	struct utsname u = { 0 };
	int ret = 0;

	snprintf(path, sizeof(path), "%s/modules", proc);
	text = file_read_all(path, 1 << 20, NULL, NULL);
	if (!text)
		return 0; /* a kernel without modules */
	if (!uname(&u)) {
		snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", u.release);
		dep = file_read_all(path, 16 << 20, NULL, NULL);
	}
	for (char *line = strtok_r(text, "\n", &save); !ret && line;
	     line = strtok_r(NULL, "\n", &save)) {
		/* "name size refcount used-by state address" */
		char name[128];
		unsigned long size;
		unsigned long long addr;

		if (sscanf(line, "%127s %lu %*s %*s %*s %llx", name, &size, &addr) != 3 || !addr)
			continue;
		module_path(dep, u.release, name, path, sizeof(path));
		ret = put_kernel_map(s, r, addr, size, 0, path, e);
	}
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
			log_warn(
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
