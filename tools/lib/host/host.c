// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What this machine says of itself: names, CPU, memory; and the table by which a feature finds its
 * function. Files below /proc and /sys differ between kernels and are hidden in containers, so
 * what cannot be read is left out of the recording, and no recording fails for it. Payloads:
 * perf.data(5), FEATURES.
 */
#include <ctype.h>
#include <dirent.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lack.h"
#include "host/host-int.h"

char *host_read_line(const char *fmt, ...)
{
	char path[512];
	struct err err;
	va_list ap;
	char *text, *nl;
	size_t size;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	text = file_read_all(path, 1 << 20, &size, &err);
	nl = text ? strchr(text, '\n') : NULL;
	if (nl)
		*nl = 0;
	return text;
}

bool host_read_number(uint64_t *v, int base, const char *fmt, ...)
{
	char path[512], *text, *end;
	va_list ap;
	bool ok;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	text = host_read_line("%s", path);
	if (!text)
		return false;
	*v = strtoull(text, &end, base);
	ok = end != text;
	free(text);
	return ok;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int host_names(struct host_names *n, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *de;

	memset(n, 0, sizeof(*n));
	if (!d) {
		lack_note(errno, "cannot read", dir);
		return 0;
	}
	while (errno = 0, (de = readdir(d))) {
		char *name = de->d_name[0] == '.' ? NULL : strdup(de->d_name);

		if (name && vec_push(&n->names, name)) {
			free(name);
			break;
		}
	}
	if (!de)
		lack_note(errno, "cannot read", dir);
	closedir(d);
	if (n->names.n)
		qsort(n->names.v, n->names.n, sizeof(char *), by_name);
	return (int)n->names.n;
}

void host_names_free(struct host_names *n)
{
	vec_for_each (p, &n->names)
		free(*p);
	vec_free(&n->names);
}

void host_put_u32_at(struct obuf *o, size_t at, uint32_t v)
{
	if (!o->code && at + 4 <= o->len)
		store_u32(o->buf + at, v);
}

/* A file of which host_close() notes that it was not read to its end. */
static FILE *host_open(const char *path)
{
	FILE *f = fopen(path, "re");

	if (!f)
		lack_note(errno, "cannot open", path);
	errno = 0;
	return f;
}

static void host_close(FILE *f, const char *path)
{
	if (f && ferror(f))
		lack_note(errno, "cannot read", path);
	if (f)
		fclose(f);
}

/* The text behind "KEY : " in /proc/cpuinfo, blanks squeezed; NULL when there is none. */
static char *cpuinfo(const char *key)
{
	FILE *f = host_open("/proc/cpuinfo");
	char line[1024], *found = NULL, *p, *to;
	size_t n = strlen(key);

	while (f && !found && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, n) || !isspace((unsigned char)line[n]))
			continue;
		p = strchr(line, ':');
		if (p)
			found = strdup(p + 1 + strspn(p + 1, " \t"));
	}
	host_close(f, "/proc/cpuinfo");
	if (!found)
		return NULL;
	for (p = to = found; *p && *p != '\n'; p++)
		if (!isspace((unsigned char)*p) || !isspace((unsigned char)p[1]))
			*to++ = *p;
	*to = 0;
	return found;
}

uint32_t host_present_cpus(void)
{
	struct bits b = { 0 };
	char *text = host_read_line("/sys/devices/system/cpu/present");
	long nr = sysconf(_SC_NPROCESSORS_CONF);

	if (text && !bits_parse_list(&b, text, 1 << 20))
		for (size_t i = 0; i < b.nr; i++)
			if (bits_test(&b, i) && (long)i >= nr)
				nr = (long)i + 1;
	free(text);
	bits_free(&b);
	return nr > 0 ? (uint32_t)nr : 1;
}

static int host_uname(int id, struct obuf *o)
{
	struct utsname u;

	if (uname(&u))
		return -errno;
	feature_put_string(o, id == FEAT_HOSTNAME    ? u.nodename
			      : id == FEAT_OSRELEASE ? u.release
						     : u.machine);
	return 0;
}

static int host_nr_cpus(struct obuf *o)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	feature_put_u32(o, host_present_cpus());
	feature_put_u32(o, online > 0 ? (uint32_t)online : 1);
	return 0;
}

/* /proc/cpuinfo calls the processor's name differently on each architecture. */
static int host_cpu_desc(struct obuf *o)
{
	static const char *const keys[] = { "model name", "Model Name", "vendor_id", "cpu model",
					    "cpu type",	  "Processor",	"uarch",     "system type",
					    "core ID",	  "cpu" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		char *text = cpuinfo(keys[i]);

		if (!text)
			continue;
		feature_put_string(o, text);
		free(text);
		return 0;
	}
	return -ENOENT;
}

/* x86: "VENDOR,FAMILY,MODEL,STEPPING"; arm64: the MIDR as the kernel prints it. */
static int host_cpuid(struct obuf *o)
{
	static const char *const keys[] = { "vendor_id", "cpu family", "model", "stepping" };
	char *midr = host_read_line("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
	char text[256];
	size_t len = 0;

	if (midr) {
		feature_put_string(o, midr);
		free(midr);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		char *part = cpuinfo(keys[i]);

		if (!part)
			return -ENOENT;
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%.60s", i ? "," : "",
					part);
		free(part);
	}
	feature_put_string(o, text);
	return 0;
}

static int host_total_mem(struct obuf *o)
{
	FILE *f = host_open("/proc/meminfo");
	char line[256];
	unsigned long kb = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemTotal: %lu kB", &kb) == 1)
			break;
	host_close(f, "/proc/meminfo");
	if (!kb)
		return -ENOENT;
	feature_put_u64(o, kb);
	return 0;
}

/* The machine as ELF files call it: this program is one of its files. */
static int host_e_machine(struct obuf *o)
{
	ElfW(Ehdr) h;
	FILE *f = host_open("/proc/self/exe");
	bool got = f && fread(&h, sizeof(h), 1, f) == 1;

	host_close(f, "/proc/self/exe");
	if (!got)
		return -ENOENT;
	feature_put_u32(o, h.e_machine);
	feature_put_u32(o, h.e_flags);
	return 0;
}

static int host_cache_line(struct obuf *o)
{
	uint64_t bytes;

	if (!host_read_number(&bytes, 10,
			      "/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size"))
		return -ENOENT;
	feature_put_u32(o, (uint32_t)bytes);
	return 0;
}

int host_feature(int id, struct obuf *o)
{
	int ret;

	switch (id) {
	case FEAT_HOSTNAME:
	case FEAT_OSRELEASE:
	case FEAT_ARCH: ret = host_uname(id, o); break;
	case FEAT_VERSION:
		feature_put_string(o, PERF_VERSION);
		ret = 0;
		break;
	case FEAT_NRCPUS: ret = host_nr_cpus(o); break;
	case FEAT_CPUDESC: ret = host_cpu_desc(o); break;
	case FEAT_CPUID: ret = host_cpuid(o); break;
	case FEAT_TOTAL_MEM: ret = host_total_mem(o); break;
	case FEAT_CPU_TOPOLOGY: ret = host_cpu_topology(o); break;
	case FEAT_NUMA_TOPOLOGY: ret = host_numa_topology(o); break;
	case FEAT_PMU_MAPPINGS: ret = host_pmu_mappings(o); break;
	case FEAT_CACHE: ret = host_cache(o); break;
	case FEAT_MEM_TOPOLOGY: ret = host_mem_topology(o); break;
	case FEAT_CPU_PMU_CAPS: ret = host_cpu_pmu_caps(o); break;
	case FEAT_HYBRID_TOPOLOGY: ret = host_hybrid_topology(o); break;
	case FEAT_PMU_CAPS: ret = host_pmu_caps(o); break;
	case FEAT_E_MACHINE: ret = host_e_machine(o); break;
	case FEAT_CLN_SIZE: ret = host_cache_line(o); break;
	default: ret = -ENOENT; break;
	}
	return ret ? ret : o->code;
}
