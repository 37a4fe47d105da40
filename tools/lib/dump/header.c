// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The "# ..." lines of --header: one row of a table and one small function per feature, word for
 * word as upstream prints them. A payload that ends too early is shown as far as it goes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "emit/emit.h"
#include "dump/dump.h"
#include "header-int.h"

/* ---- single values ------------------------------------------------------------------------------- */

static void print_string(struct header_line *p, const char *label)
{
	const char *s = feature_str(p->c);

	if (!s)
		return;
	obuf_printf(p->o, "# %s : ", label);
	emit_safe(p->o, s);
	obuf_char(p->o, '\n');
}

static void print_hostname(struct header_line *p)
{
	print_string(p, "hostname");
}

static void print_os_release(struct header_line *p)
{
	print_string(p, "os release");
}

static void print_version(struct header_line *p)
{
	print_string(p, "perf version");
}

static void print_arch(struct header_line *p)
{
	print_string(p, "arch");
}

static void print_cpu_desc(struct header_line *p)
{
	print_string(p, "cpudesc");
}

static void print_cpuid(struct header_line *p)
{
	print_string(p, "cpuid");
}

static void print_nr_cpus(struct header_line *p)
{
	uint32_t avail = cursor_u32(p->c), online = cursor_u32(p->c);

	if (!p->c->bad)
		obuf_printf(p->o, "# nrcpus online : %u\n# nrcpus avail : %u\n", online, avail);
}

static void print_total_mem(struct header_line *p)
{
	obuf_printf(p->o, "# total memory : %lu kB\n", cursor_u64(p->c));
}

static void print_cmdline(struct header_line *p)
{
	uint32_t nr = cursor_u32(p->c);

	obuf_lit(p->o, "# cmdline : ");
	for (uint32_t i = 0; i < nr && !p->c->bad; i++) {
		const char *s = feature_str(p->c);

		for (size_t n; s && *s; s += n) {
			n = strcspn(s, "'");
			emit_safe_n(p->o, s, n);
			if (s[n]) {
				obuf_lit(p->o, "\\'");
				n++;
			}
		}
		obuf_char(p->o, ' ');
	}
	obuf_char(p->o, '\n');
}

static void print_branch_stack(struct header_line *p)
{
	obuf_lit(p->o, "# contains samples with branch stack\n");
}

static void print_auxtrace(struct header_line *p)
{
	obuf_lit(p->o, "# contains AUX area data (e.g. instruction trace)\n");
}

static void print_stat(struct header_line *p)
{
	obuf_lit(p->o, "# contains stat data\n");
}

static void print_time(struct obuf *o, const char *label, uint64_t ns)
{
	obuf_printf(o, "# time of %s sample : %lu.%06lu\n", label, ns / 1000000000,
		    ns % 1000000000 / 1000);
}

static void print_sample_time(struct header_line *p)
{
	uint64_t first = cursor_u64(p->c), last = cursor_u64(p->c);

	if (p->c->bad)
		return;
	print_time(p->o, "first", first);
	print_time(p->o, "last", last);
	obuf_printf(p->o, "# sample duration : %10.3f ms\n", (double)(last - first) / 1e6);
}

static void print_clockid(struct header_line *p)
{
	obuf_printf(p->o, "# clockid frequency: %lu MHz\n", cursor_u64(p->c) * 1000);
}

static const char *clock_name(uint32_t id)
{
	/* Those that an event can have. */
	static const char *const names[] = {
		[CLOCK_REALTIME] = "realtime",
		[CLOCK_MONOTONIC] = "monotonic",
		[CLOCK_MONOTONIC_RAW] = "monotonic_raw",
		[CLOCK_BOOTTIME] = "boottime",
		[CLOCK_TAI] = "tai",
	};

	return id < ARRAY_SIZE(names) && names[id] ? names[id] : "(not found)";
}

static void print_clock_data(struct header_line *p)
{
	uint32_t version = cursor_u32(p->c), id = cursor_u32(p->c);
	uint64_t wall = cursor_u64(p->c), clock = cursor_u64(p->c);
	time_t sec = (time_t)(wall / 1000000000);
	struct tm tm;
	char date[64] = "";

	if (p->c->bad || version != 1)
		return;
	if (localtime_r(&sec, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm);
	obuf_printf(p->o, "# clockid: %s (%u)\n", clock_name(id), id);
	obuf_printf(p->o, "# reference time: %s.%06lu = %lu.%06lu (TOD) = %lu.%09lu (%s)\n", date,
		    wall % 1000000000 / 1000, wall / 1000000000, wall % 1000000000 / 1000,
		    clock / 1000000000, clock % 1000000000, clock_name(id));
}

static void print_dir_format(struct header_line *p)
{
	obuf_printf(p->o, "# directory data version : %lu\n", cursor_u64(p->c));
}

static void print_compressed(struct header_line *p)
{
	uint32_t type, level, ratio;

	cursor_u32(p->c); /* version */
	type = cursor_u32(p->c);
	level = cursor_u32(p->c);
	ratio = cursor_u32(p->c);
	if (!p->c->bad)
		obuf_printf(p->o, "# compressed : %s, level = %u, ratio = %u\n",
			    type == 1 ? "Zstd" : "Unknown", level, ratio);
}

static void print_e_machine(struct header_line *p)
{
	uint32_t machine = cursor_u32(p->c), flags = cursor_u32(p->c);

	if (!p->c->bad)
		obuf_printf(p->o, "# e_machine : %u\n#   e_flags : %u\n", machine, flags);
}

static void print_cache_line(struct header_line *p)
{
	uint32_t bytes = cursor_u32(p->c);

	if (!p->c->bad)
		obuf_printf(p->o, "# cacheline size: %u\n", bytes);
}

/* ---- events ------------------------------------------------------------------------------------------- */

static void print_event_desc(struct header_line *p)
{
	for (size_t i = 0; i < perfdata_nr_events(p->pd); i++) {
		const struct perfdata_event *ev = perfdata_event(p->pd, i);

		obuf_lit(p->o, "# event : name = ");
		emit_safe(p->o, ev->name);
		obuf_lit(p->o, ", ");
		for (size_t k = 0; k < ev->nr_ids; k++)
			obuf_printf(p->o, "%s %lu", k ? "," : ", id = {", ev->ids[k]);
		if (ev->nr_ids)
			obuf_lit(p->o, " }");
		obuf_lit(p->o, ", ");
		attr_print_fields(&ev->attr, p->o, " = ");
		obuf_char(p->o, '\n');
	}
}

static void print_group_desc(struct header_line *p)
{
	for (size_t i = 0; i < perfdata_nr_events(p->pd); i++) {
		const struct perfdata_event *ev = perfdata_event(p->pd, i);

		if (ev->nr_members < 2)
			continue;
		obuf_lit(p->o, "# group: ");
		emit_safe(p->o, ev->group ? ev->group : "");
		for (size_t k = 0; k < ev->nr_members; k++) {
			obuf_char(p->o, k ? ',' : '{');
			emit_safe(p->o, perfdata_event(p->pd, i + k)->name);
		}
		obuf_lit(p->o, "}\n");
	}
}

/* Ours: who delivered registers and branches, see perf.data(5). */
static void print_sample_source(struct header_line *p)
{
	uint32_t version = cursor_u32(p->c), nr = cursor_u32(p->c);

	if (version != 1)
		return;
	for (uint32_t i = 0; i < nr && !p->c->bad; i++) {
		uint32_t idx = cursor_u32(p->c);
		const char *regs = feature_str(p->c), *branches = feature_str(p->c);
		const char *note = feature_str(p->c);

		if (p->c->bad || idx >= perfdata_nr_events(p->pd))
			continue;
		obuf_lit(p->o, "# sample source : ");
		emit_safe(p->o, perfdata_event(p->pd, idx)->name);
		if (*regs) {
			obuf_lit(p->o, ", registers from ");
			emit_safe(p->o, regs);
		}
		if (*branches) {
			obuf_lit(p->o, ", branches from ");
			emit_safe(p->o, branches);
		}
		if (*note) {
			obuf_lit(p->o, " (");
			emit_safe(p->o, note);
			obuf_char(p->o, ')');
		}
		obuf_char(p->o, '\n');
	}
}

/* ---- the table ------------------------------------------------------------------------------------------ */

struct feature_text {
	const char *name;
	void (*print)(struct header_line *p); /* NULL: nothing is said about it */
	bool full;			      /* only with -I */
};

static const struct feature_text features[FEAT_LAST] = {
	[FEAT_TRACING_DATA] = { "TRACING_DATA", NULL, false },
	[FEAT_BUILD_ID] = { "BUILD_ID", NULL, false },
	[FEAT_HOSTNAME] = { "HOSTNAME", print_hostname, false },
	[FEAT_OSRELEASE] = { "OSRELEASE", print_os_release, false },
	[FEAT_VERSION] = { "VERSION", print_version, false },
	[FEAT_ARCH] = { "ARCH", print_arch, false },
	[FEAT_NRCPUS] = { "NRCPUS", print_nr_cpus, false },
	[FEAT_CPUDESC] = { "CPUDESC", print_cpu_desc, false },
	[FEAT_CPUID] = { "CPUID", print_cpuid, false },
	[FEAT_TOTAL_MEM] = { "TOTAL_MEM", print_total_mem, false },
	[FEAT_CMDLINE] = { "CMDLINE", print_cmdline, false },
	[FEAT_EVENT_DESC] = { "EVENT_DESC", print_event_desc, false },
	[FEAT_CPU_TOPOLOGY] = { "CPU_TOPOLOGY", dump_cpu_topology, true },
	[FEAT_NUMA_TOPOLOGY] = { "NUMA_TOPOLOGY", dump_numa_topology, true },
	[FEAT_BRANCH_STACK] = { "BRANCH_STACK", print_branch_stack, false },
	[FEAT_PMU_MAPPINGS] = { "PMU_MAPPINGS", dump_pmu_mappings, false },
	[FEAT_GROUP_DESC] = { "GROUP_DESC", print_group_desc, false },
	[FEAT_AUXTRACE] = { "AUXTRACE", print_auxtrace, false },
	[FEAT_STAT] = { "STAT", print_stat, false },
	[FEAT_CACHE] = { "CACHE", dump_cache, true },
	[FEAT_SAMPLE_TIME] = { "SAMPLE_TIME", print_sample_time, false },
	[FEAT_MEM_TOPOLOGY] = { "MEM_TOPOLOGY", dump_mem_topology, true },
	[FEAT_CLOCKID] = { "CLOCKID", print_clockid, false },
	[FEAT_DIR_FORMAT] = { "DIR_FORMAT", print_dir_format, false },
	[FEAT_BPF_PROG_INFO] = { "BPF_PROG_INFO", dump_bpf_prog_info, false },
	[FEAT_BPF_BTF] = { "BPF_BTF", dump_bpf_btf, false },
	[FEAT_COMPRESSED] = { "COMPRESSED", print_compressed, false },
	[FEAT_CPU_PMU_CAPS] = { "CPU_PMU_CAPS", dump_cpu_pmu_caps, false },
	[FEAT_CLOCK_DATA] = { "CLOCK_DATA", print_clock_data, false },
	[FEAT_HYBRID_TOPOLOGY] = { "HYBRID_TOPOLOGY", dump_hybrid_topology, true },
	[FEAT_PMU_CAPS] = { "PMU_CAPS", dump_pmu_caps, false },
	[FEAT_CPU_DOMAIN_INFO] = { "CPU_DOMAIN_INFO", NULL, true },
	[FEAT_E_MACHINE] = { "E_MACHINE", print_e_machine, false },
	[FEAT_CLN_SIZE] = { "CLN_SIZE", print_cache_line, false },
	[FEAT_MEMORY_RANGES] = { "MEMORY_RANGES", NULL, false },
};

static void print_feature(struct perfdata *pd, struct obuf *o, int id,
			  void (*print)(struct header_line *p))
{
	size_t size;
	const void *data = perfdata_feature_raw(pd, id, &size);
	struct cursor c;
	struct header_line p = { pd, o, &c };

	if (!data)
		return;
	c = cursor_init(data, size, perfdata_swapped(pd));
	print(&p);
}

void dump_feature(struct perfdata *pd, int id, const void *data, size_t size, struct obuf *o)
{
	struct cursor c = cursor_init(data, size, perfdata_swapped(pd));
	struct header_line p = { pd, o, &c };

	if (id > 0 && id < FEAT_LAST && features[id].print)
		features[id].print(&p);
}

static void print_missing(struct perfdata *pd, struct obuf *o)
{
	obuf_lit(o, "# missing features: ");
	for (int id = 1; id < FEAT_LAST; id++)
		if (!perfdata_has_feature(pd, id))
			obuf_printf(o, "%s ", features[id].name);
	obuf_char(o, '\n');
}

static void print_layout(const struct perfdata *pd, struct obuf *o)
{
	struct perfdata_layout l;
	time_t mtime;
	char date[64] = "";

	perfdata_layout(pd, &l);
	mtime = l.mtime;
	if (!ctime_r(&mtime, date))
		snprintf(date, sizeof(date), "%ld\n", (long)mtime);
	obuf_printf(o, "# captured on    : %s", date);
	obuf_printf(o, "# header version : %d\n", l.version - 1);
	obuf_printf(o, "# data offset    : %lu\n", l.data_offset);
	obuf_printf(o, "# data size      : %lu\n", l.data_size);
	obuf_printf(o, "# feat offset    : %lu\n", l.feat_offset);
}

void dump_sample_source(struct perfdata *pd, struct obuf *o)
{
	print_feature(pd, o, FEAT_SAMPLE_SOURCE, print_sample_source);
}

int dump_header(struct perfdata *pd, struct obuf *o, bool full, struct err *e)
{
	obuf_lit(o, "# ========\n");
	print_layout(pd, o);
	for (int id = 1; id < FEAT_LAST; id++) {
		const struct feature_text *f = &features[id];

		if (!perfdata_has_feature(pd, id) || (!f->print && !f->full))
			continue;
		if (f->full && (!full || !f->print))
			obuf_printf(o, "# %s info available, use -I to display\n", f->name);
		else
			print_feature(pd, o, id, f->print);
	}
	print_feature(pd, o, FEAT_SAMPLE_SOURCE, print_sample_source);
	if (!perfdata_is_pipe(pd))
		print_missing(pd, o);
	obuf_lit(o, "# ========\n#\n");
	return o->code ? err_set(e, o->code, "cannot print the header: %s", strerror(-o->code)) : 0;
}
