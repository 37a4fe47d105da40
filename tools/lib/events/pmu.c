// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of PMUs, and what sysfs says about each. Names are listed at once; formats, events and
 * caps of a PMU are read when somebody asks for it, since a server has hundreds of uncore PMUs and
 * a run needs one.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/lack.h"
#include "dtpmu/dtpmu.h"
#include "events/events-int.h"

#define DEVICES "bus/event_source/devices"
#define SMALL	(64 << 10) /* no sysfs file is larger */
#define MAX_DIR 100000

int pmus_new(struct pmus **out, const char *sysfs, struct err *e)
{
	struct pmus *t = calloc(1, sizeof(*t));
	struct names dirs = { 0 };
	int ret = 0;

	*out = NULL;
	if (!t)
		return err_set(e, -ENOMEM, "no memory for the table of PMUs");
	t->root = arena_printf(&t->arena, "%s/" DEVICES, sysfs ? sysfs : "/sys");
	if (!t->root || dirlist_read(&dirs, t->root) == -ENOMEM)
		ret = err_set(e, -ENOMEM, "no memory for the table of PMUs");
	for (size_t i = 0; !ret && i < dirs.n; i++)
		ret = pmu_add_sysfs(t, dirs.v[i], e);
	dirlist_free(&dirs);
	if (ret) {
		pmus_free(t);
		return ret;
	}
	*out = t;
	return 0;
}

void pmus_set_log(struct pmus *t, struct log_sink log)
{
	t->log = log;
}

void pmus_free(struct pmus *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++)
		free(t->v[i]);
	free(t->v);
	arena_free(&t->arena);
	dtpmu_free(t->dt);
	free(t);
}

int pmus_add(struct pmus *t, const struct pmu *pmu, struct err *e)
{
	struct pmu *copy = malloc(sizeof(*copy));

	if (!copy || vec_reserve(t, t->n + 1)) {
		free(copy);
		return err_set(e, -ENOMEM, "no memory for PMU %s", pmu->name);
	}
	*copy = *pmu;
	t->v[t->n++] = copy;
	return 0;
}

size_t pmus_nr(const struct pmus *t)
{
	return t ? t->n : 0;
}

size_t pmus_nr_cores(struct pmus *t)
{
	size_t n = 0;

	for (size_t i = 0; i < pmus_nr(t); i++)
		n += t->v[i]->is_core && t->v[i]->source == PMU_SYSFS;
	return n;
}

struct pmu *pmus_at(struct pmus *t, size_t i)
{
	return t && i < t->n ? t->v[i] : NULL;
}

/* A tree that nobody named on the command line is read when its PMU is asked for. */
static bool device_tree_wanted(struct pmus *t, const char *name)
{
	struct err err = { 0 };

	if (!t || t->dt_tried || t->dt || strncmp(name, "cpu_dts", 7))
		return false;
	t->dt_tried = true;
	if (pmus_add_device_tree(t, NULL, &err))
		log_to(&t->log, LOG_WARN, "%s", err.text);
	return t->dt != NULL;
}

struct pmu *pmus_find(struct pmus *t, const char *name)
{
	for (size_t i = 0; i < pmus_nr(t); i++) {
		if (!strcmp(t->v[i]->name, name)) {
			pmu_load(t, t->v[i]);
			return t->v[i];
		}
	}
	return device_tree_wanted(t, name) ? pmus_find(t, name) : NULL;
}

/* ---- one directory ------------------------------------------------------------------------- */

/* The text of a one-line file without its newline, in the arena; NULL when there is none. */
static const char *read_line(struct pmus *t, const char *dir, const char *sub, const char *name)
{
	char path[PATH_MAX];
	char *text, *copy;
	size_t n;

	if (snprintf(path, sizeof(path), "%s/%s/%s%s", t->root, dir, sub, name) >=
	    (int)sizeof(path))
		return NULL;
	text = file_read_all(path, SMALL, &n, NULL);
	if (!text)
		return NULL;
	while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
		n--;
	copy = arena_strndup(&t->arena, text, n);
	free(text);
	return copy;
}

int pmu_add_sysfs(struct pmus *t, const char *name, struct err *e)
{
	struct pmu pmu = { .source = PMU_SYSFS };
	const char *type = read_line(t, name, "", "type");
	const char *mask;
	char *end;
	unsigned long v;

	if (!type)
		return 0;
	v = strtoul(type, &end, 10);
	if (*end || end == type || v > UINT32_MAX)
		return 0;
	pmu.type = (uint32_t)v;
	pmu.name = arena_strdup(&t->arena, name);
	if (!pmu.name)
		return err_set(e, -ENOMEM, "no memory for PMU %s", name);
	/* A core PMU of a hybrid or Arm machine has `cpus`; an uncore one has `cpumask`. */
	pmu.cpus = read_line(t, name, "", "cpus");
	pmu.is_core = pmu.cpus != NULL || !strcmp(name, "cpu") || !strcmp(name, "cpum_cf");
	mask = pmu.cpus ? NULL : read_line(t, name, "", "cpumask");
	if (mask && mask[0])
		pmu.cpus = mask;
	return pmus_add(t, &pmu, e);
}

/* "config1:0-7,32" -> word and mask. */
static bool parse_format(const char *text, struct pmu_field *f)
{
	const char *p = text;
	char *end;

	if (strncmp(p, "config", 6))
		return false;
	p += 6;
	f->word = 0;
	if (*p >= '1' && *p <= '4')
		f->word = (uint8_t)(*p++ - '0');
	if (*p++ != ':')
		return false;
	f->mask = 0;
	do {
		unsigned long lo = strtoul(p, &end, 10), hi = lo;

		if (end == p)
			return false;
		if (*end == '-') {
			p = end + 1;
			hi = strtoul(p, &end, 10);
			if (end == p)
				return false;
		}
		if (hi > 63 || lo > hi)
			return false;
		f->mask |= (~0ULL >> (63 - (hi - lo))) << lo;
		p = end + 1;
	} while (*end == ',');
	return *end == '\0';
}

static int load_fields(struct pmus *t, struct pmu *pmu, const struct names *files)
{
	struct pmu_field *v = arena_alloc(&t->arena, files->n * sizeof(*v));
	size_t n = 0;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < files->n; i++) {
		const char *text = read_line(t, pmu->name, "format/", files->v[i]);

		if (!text || !parse_format(text, &v[n]))
			continue;
		v[n].name = arena_strdup(&t->arena, files->v[i]);
		if (!v[n++].name)
			return -ENOMEM;
	}
	pmu->fields = v;
	pmu->nr_fields = n;
	return 0;
}

static bool has_suffix(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && !strcmp(s + n - m, suffix);
}

static const char *read_event_extra(struct pmus *t, const struct pmu *pmu, const char *event,
				    const char *suffix)
{
	char name[NAME_MAX + 16];

	snprintf(name, sizeof(name), "%s%s", event, suffix);
	return read_line(t, pmu->name, "events/", name);
}

static int load_events(struct pmus *t, struct pmu *pmu, const struct names *files)
{
	struct pmu_event *v = arena_alloc(&t->arena, files->n * sizeof(*v));
	size_t n = 0;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < files->n; i++) {
		const char *file = files->v[i], *scale;

		if (has_suffix(file, ".unit") || has_suffix(file, ".scale") ||
		    has_suffix(file, ".per-pkg") || has_suffix(file, ".snapshot"))
			continue;
		v[n].terms = read_line(t, pmu->name, "events/", file);
		if (!v[n].terms)
			continue;
		v[n].unit = read_event_extra(t, pmu, file, ".unit");
		scale = read_event_extra(t, pmu, file, ".scale");
		v[n].scale = scale ? strtod(scale, NULL) : 0;
		v[n].name = arena_strdup(&t->arena, file);
		if (!v[n++].name)
			return -ENOMEM;
	}
	pmu->events = v;
	pmu->nr_events = n;
	return 0;
}

static int load_caps(struct pmus *t, struct pmu *pmu, const struct names *files)
{
	struct pmu_cap *v = arena_alloc(&t->arena, files->n * sizeof(*v));
	size_t n = 0;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < files->n; i++) {
		v[n].value = read_line(t, pmu->name, "caps/", files->v[i]);
		if (!v[n].value)
			continue;
		v[n].name = arena_strdup(&t->arena, files->v[i]);
		if (!v[n++].name)
			return -ENOMEM;
	}
	pmu->caps = v;
	pmu->nr_caps = n;
	return 0;
}

int pmu_load(struct pmus *t, struct pmu *pmu)
{
	static const struct {
		const char *dir;
		int (*load)(struct pmus *t, struct pmu *pmu, const struct names *files);
	} parts[] = {
		{ "format", load_fields },
		{ "events", load_events },
		{ "caps", load_caps },
	};

	if (pmu->loaded || pmu->source != PMU_SYSFS)
		return 0;
	pmu->loaded = true;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		struct names files = { 0 };
		char path[PATH_MAX];
		int ret = 0;

		snprintf(path, sizeof(path), "%s/%s/%s", t->root, pmu->name, parts[i].dir);
		if (!dirlist_read(&files, path) && files.n)
			ret = parts[i].load(t, pmu, &files);
		dirlist_free(&files);
		if (ret)
			return ret;
	}
	return 0;
}

const struct pmu_field *pmu_find_field(const struct pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->nr_fields; i++)
		if (!strcmp(pmu->fields[i].name, name))
			return &pmu->fields[i];
	return NULL;
}

const struct pmu_event *pmu_find_event(const struct pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->nr_events; i++)
		if (!strcmp(pmu->events[i].name, name))
			return &pmu->events[i];
	return NULL;
}

const char *pmu_cap(const struct pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->nr_caps; i++)
		if (!strcmp(pmu->caps[i].name, name))
			return pmu->caps[i].value;
	return NULL;
}

/* ---- fields -------------------------------------------------------------------------------- */

static uint64_t *attr_word(struct perf_event_attr *attr, unsigned word)
{
	switch (word) {
	case 0: return &attr->config;
	case 1: return &attr->config1;
	case 2: return &attr->config2;
	case 3: return &attr->config3;
	default: return &attr->config4;
	}
}

int pmu_field_set(const struct pmu_field *f, struct perf_event_attr *attr, uint64_t value)
{
	uint64_t *word = attr_word(attr, f->word);
	unsigned bits = (unsigned)weight_u64(f->mask), i = 0;

	if (bits < 64 && value >> bits)
		return -ERANGE;
	*word &= ~f->mask;
	for (uint64_t m = f->mask; m; m &= m - 1, i++)
		if (value >> i & 1)
			*word |= m & -m;
	return 0;
}

/* ---- directory listings --------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int dirlist_read(struct names *names, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	int ret = 0, code = 0;

	if (!dir)
		return -errno;
	while (!ret && names->n < MAX_DIR && (d = file_dir_next(dir, &code))) {
		char *copy;

		if (d->d_name[0] == '.')
			continue;
		copy = strdup(d->d_name);
		if (!copy || vec_push(names, copy)) {
			free(copy);
			ret = -ENOMEM;
		}
	}
	closedir(dir);
	lack_note(code, "cannot read what is in", path);
	if (names->n)
		qsort(names->v, names->n, sizeof(*names->v), compare_names);
	return ret;
}

void dirlist_free(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->v[i]);
	vec_free(names);
}
