/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events: which events this machine has, what the user asked for, and how the kernel is asked.
 *
 *	pmus	the table of PMUs; sysfs is one source, a device tree another
 *	parse	"cpu/event=0x3c/u,{cycles,instructions}:S" into a list of struct event
 *	config	the options of a recording into every perf_event_attr of the list
 *	open	one perf_event_open(), with the ladder that drops what an older kernel does not know
 *	explain	why an open was refused: the first attr field, the likely cause, the next step
 *
 *	struct event_list evs = { 0 };
 *
 *	if (pmus_new(&pmus, NULL, &err) || events_parse(&evs, pmus, "cycles:u,sched:*", &err))
 *		return cli_print_err(&err);
 *	if (events_configure(&evs, &config, &err)) ...
 *	fd = event_open(&opener, &evs.v[0], pid, cpu, -1, &err);
 *
 * Memory: a list owns its strings until events_free(); PMUs live until pmus_free(), which comes
 * after it. Errors: 0 or -errno, and a struct err whose text points at the place in the user's
 * words. Nothing here is thread safe. Sources: perf_event_open(2), perf-list(1), the kernel's
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-*, facts on attr defaults by trial.
 */
#ifndef PERF_EVENTS_H
#define PERF_EVENTS_H

#include "base/base.h"
#include "base/tables.h"
#include "base/obuf.h"
#include "regs/regs.h"
#include "uapi/perf_event.h"

struct event;

/* ---- PMUs ------------------------------------------------------------------------------------ */

/* A named field of the event code: "umask" = config:8-15. */
struct pmu_field {
	const char *name;
	uint8_t word;  /* 0 = config, 1..4 = config1..config4 */
	uint64_t mask; /* the bits; value bit 0 goes to the lowest set bit, and so on */
	uint64_t max;  /* the largest value; 0 = what fits into the bits */
};

/* A named event: a list of terms. */
struct pmu_event {
	const char *name;
	const char *terms; /* "event=0x3c,umask=0x1" */
	const char *desc;  /* NULL when unknown */
	const char *topic; /* category; NULL when unknown */
	const char *unit;  /* "Joules"; NULL when none */
	double scale;	   /* 0 = none */
};

struct pmu_cap {
	const char *name, *value;
};

enum pmu_source {
	PMU_SYSFS,
	PMU_DEVICE_TREE,
};

struct pmu {
	const char *name; /* "cpu", "cpu_core", "uprobe", "cpu_dts" */
	uint32_t type;	  /* perf_event_attr.type */
	enum pmu_source source;
	bool is_core;	  /* counts what a CPU core does: cpu, cpu_core, armv8_pmuv3_0 ... */
	const char *cpus; /* "0-3": a cpumask or the CPUs it belongs to; "" = all of them are
			     offline; NULL = all */
	/* Valid after pmu_load(), which pmus_find() calls. */
	const struct pmu_field *fields;
	size_t nr_fields;
	const struct pmu_event *events;
	size_t nr_events;
	const struct pmu_cap *caps;
	size_t nr_caps;
	/*
	 * For sources that know more than fields (a device tree): may a group be counted together?
	 * NULL = the kernel decides. -EINVAL and the two events that clash in @e otherwise.
	 */
	int (*check_group)(const struct pmu *pmu, const struct event *const *ev, size_t nr,
			   struct err *e);
	/* Whether its codes mean here what the source says; NULL = they do. */
	int (*check_machine)(const struct pmu *pmu, struct err *e);
	const void *priv; /* the source's own */
	bool loaded;
};

struct pmus;

/* @sysfs: a directory to use instead of /sys (tests); NULL = /sys. A machine without one has an
 * empty table, which is no error. */
int pmus_new(struct pmus **t, const char *sysfs, struct err *e);
void pmus_free(struct pmus *t);
/* Whom it tells that a device tree cannot be used; nobody before. */
void pmus_set_log(struct pmus *t, struct log_sink log);
/* Adds a PMU of another source; the struct is copied, what it points to must outlive the table. */
int pmus_add(struct pmus *t, const struct pmu *pmu, struct err *e);
/*
 * Adds the PMUs that a device tree describes: @path, or when NULL $PERF_PMU_DT, or the live tree
 * of this machine. Without any of them nothing is added, which is no error. See dtpmu.h.
 * pmus_find("cpu_dts") does it with NULL when nobody did.
 */
int pmus_add_device_tree(struct pmus *t, const char *path, struct err *e);
size_t pmus_nr(const struct pmus *t);
size_t pmus_nr_cores(struct pmus *t); /* kinds of cores: 2 and more on a hybrid machine */
struct pmu *pmus_at(struct pmus *t, size_t i);
struct pmu *pmus_find(struct pmus *t, const char *name); /* NULL = none */
int pmu_load(struct pmus *t, struct pmu *pmu);		 /* reads format, events, caps once */
bool pmu_has_cpu(const struct pmu *pmu, size_t cpu);	 /* NULL has all */
const struct pmu_field *pmu_find_field(const struct pmu *pmu, const char *name);
const struct pmu_event *pmu_find_event(const struct pmu *pmu, const char *name);
const char *pmu_cap(const struct pmu *pmu, const char *name); /* NULL = none */

/* Puts @value into the field's bits of the attr. -ERANGE when it has more bits than the field. */
int pmu_field_set(const struct pmu_field *f, struct perf_event_attr *attr, uint64_t value);

/* The directory of tracepoints ("/sys/kernel/tracing"), NULL when none is mounted or readable. */
const char *events_tracefs(void);

/* ---- what there is (perf list, suggestions) -------------------------------------------------- */

enum event_kind {
	EVENT_HARDWARE = 1,
	EVENT_SOFTWARE = 2,
	EVENT_CACHE = 4,
	EVENT_PMU = 8, /* named events of PMUs */
	EVENT_TRACEPOINT = 16,
	EVENT_ALL = 31,
};

struct event_info {
	enum event_kind kind;
	const char *name;  /* as -e takes it: "cycles", "cpu/mem-loads/", "sched:sched_switch" */
	const char *alias; /* "cpu-cycles"; NULL when none */
	const struct pmu *pmu;	     /* EVENT_PMU only */
	const struct pmu_event *def; /* EVENT_PMU only */
	const char *desc;	     /* NULL when unknown */
};

/*
 * Calls @fn for every event of the wanted kinds, in the order of perf list; stops when it returns
 * non-zero and returns that. Strings live during the call. Hardware and cache events are listed
 * whether or not this machine opens them: event_is_supported() asks the kernel.
 */
int events_for_each(struct pmus *t, unsigned kinds,
		    int (*fn)(void *ctx, const struct event_info *info), void *ctx);
/* @log: why not. */
bool event_is_supported(uint32_t type, uint64_t config, const struct log_sink *log);

enum events_form { EVENTS_AS_TEXT, EVENTS_AS_JSON, EVENTS_AS_NAMES };

/* perf list. */
struct events_listing {
	struct pmus *pmus;
	enum events_form form;
	bool desc, details;
	const char *unit; /* only events of this PMU; NULL = all */
	int columns;	  /* descriptions are broken here */
	/* Of an event that is not listed, since the kernel does not open it; NULL = nobody asks. */
	void (*left_out)(void *ctx, const struct event_info *info);
	void *ctx;
	struct log_sink log; /* what the kernel said then, and words without events */
};

/*
 * Everything, or what @words name: a class (hw, sw, cache, tracepoint, pmu), a PMU, a part of a name
 * or a glob. The log gets why nothing was listed for a word. 0, -errno, or out->code.
 */
int events_list(const struct events_listing *l, char *const *words, size_t nr, struct obuf *out,
		struct err *e);
/* Shell globs: * ? [...]; a plain word matches itself. */
bool event_glob(const char *pattern, const char *name);

/* ---- events a user asked for ------------------------------------------------------------------ */

enum callchain_mode {
	CALLCHAIN_NONE,
	CALLCHAIN_FP,
	CALLCHAIN_DWARF,
	CALLCHAIN_LBR,
	CALLCHAIN_UNWIND, /* of a thread that is stopped for it */
};

struct callchain_opts {
	enum callchain_mode mode;
	uint32_t stack_size; /* dwarf: bytes of user stack per sample, a multiple of 8, <= 65528 */
	uint16_t max_stack;  /* 0 = the kernel's */
	bool named;	     /* the mode was named, not what -g is by itself */
};

/* What @ev gets: its own terms before what the recording asks of @all. */
struct callchain_opts event_callchain(const struct event *ev, const struct callchain_opts *all);
/* "fp", "dwarf", "dwarf,64000", "lbr", "unwind", "unwind,500", "no". */
int events_callchain_parse(struct callchain_opts *c, const char *text, struct err *e);

/* Terms given with one event, which win over the options of the recording. */
enum event_set {
	EVENT_SET_PERIOD = 1 << 0,
	EVENT_SET_FREQ = 1 << 1,
	EVENT_SET_TIME = 1 << 2,
	EVENT_SET_CALLCHAIN = 1 << 3,
	EVENT_SET_INHERIT = 1 << 4,
	EVENT_SET_BRANCH = 1 << 5,
	EVENT_SET_MAX_STACK = 1 << 6,
	EVENT_SET_EXCLUDE = 1 << 7, /* modifiers named u, k or h */
};

struct event {
	struct perf_event_attr attr; /* after parsing: what is counted; after configuring: all */
	const char *name;	     /* as the file and the reports call it */
	const struct pmu *pmu;	     /* NULL for hardware, software, tracepoint, breakpoint ... */
	uint32_t leader;	     /* index of its group's leader, its own when alone */
	uint32_t nr_members;	     /* leader: size of the group; 0 for members */
	uint32_t word;		     /* of the command line: may be an event of several PMUs */
	const char *group;	     /* name given to the group; NULL */
	const char *filter;	     /* --filter; NULL */
	const char *cgroup;	     /* -G: only tasks of this cgroup; NULL = all */
	int cgroup_fd;		     /* with cgroup: its directory */
	const char *tp_system, *tp_name; /* tracepoints; else NULL */
	bool max_precise;		 /* P: the highest precise_ip that opens */
	bool sample_read;		 /* S: the leader samples, members are read */
	bool weak_group;		 /* W: broken up when the kernel refuses the group */
	bool tracking;			 /* carries mmap, comm, task records */
	bool all_cpus;			 /* opened on every CPU, whatever -C says */
	bool is_default;		 /* nobody asked for it: may fall back to a clock */
	bool name_given;		 /* by a name= term */
	bool max_freq;			 /* as often as can be: -F max, freq=max */
	unsigned set;			 /* EVENT_SET_* */
	uint64_t set_period, set_freq, set_branch;
	bool set_time, set_inherit;
	struct callchain_opts set_callchain;
	uint16_t set_max_stack;
};

struct event_list {
	struct event *v;
	size_t n, cap;
	uint32_t last;	/* first event of the last -e argument: what --filter is about */
	uint32_t words; /* parsed so far */
	struct arena arena;
	struct log_sink log; /* what is ignored or done otherwise; the caller sets it */
};

/*
 * Adds the events of one -e argument. Grammar: perf-list(1). On an error the text holds the
 * argument and a caret under the place, the hint the closest known names.
 */
int events_parse(struct event_list *l, struct pmus *t, const char *text, struct err *e);
/*
 * Makes the events from @first on a group, called @name or NULL; those of several PMUs a group of each PMU, for which
 * they may change places.
 */
void events_group(struct event_list *l, size_t first, const char *name);
/* The event recorded when none is given: cycles:P, is_default. */
int events_add_default(struct event_list *l, struct pmus *t, struct err *e);
/* A dummy event that only carries mmap, comm, task records. */
int events_add_dummy(struct event_list *l, struct err *e);
/*
 * Takes out what would open nowhere, since its PMU (a kind of core, a socket) has none of @cpus,
 * where another PMU's event of the same word stays. An event that its PMU was named for stays.
 */
void events_keep_cpus(struct event_list *l, const struct bits *cpus);
/* --filter: for the tracepoints of the last -e argument. */
int events_set_filter(struct event_list *l, const char *filter, struct err *e);
/* -G: one name for all events so far, or a list with one for each ("" = no cgroup). */
int events_set_cgroups(struct event_list *l, const char *names, struct err *e);
/* Where cgroups lie that events know; false = nowhere. */
bool events_cgroup_mount(char *dir, size_t size);
bool event_is_dummy(const struct event *ev);
void events_free(struct event_list *l);

/* ---- options of a recording, into attrs -------------------------------------------------------- */

struct events_config {
	uint64_t freq;	       /* samples per second; 0 with period 0 = the default */
	uint64_t default_freq; /* 0 = 4000 */
	bool max_freq;	       /* that is the most that the kernel allows: clocks take less */
	uint64_t period;       /* events per sample; wins over freq */
	struct callchain_opts callchain;
	uint64_t branch_filter; /* PERF_SAMPLE_BRANCH_*; 0 = no branch stacks */
	/* Registers; NULL = none. Caps say what opens here for each (room regs' own business). */
	const struct regs_selection *intr_regs, *user_regs;
	const struct regs_caps *regs_caps, *user_regs_caps;
	bool user_regs_elsewhere; /* somebody else than the kernel reads them */
	bool chains_elsewhere;	  /* likewise: the user part of call chains */
	int32_t clockid;	  /* with use_clockid */
	bool use_clockid;
	bool inherit;
	bool inherit_stat;   /* -s */
	bool enable_on_exec; /* a workload that we start */
	bool disabled;	     /* enabled by hand later */
	bool dummy_starts;   /* the tracking dummy runs from the start, */
	bool dummy_on_exec;  /* or from the workload's exec on, whatever the others do */
	bool per_cpu;	     /* -a, -C: samples carry the CPU */
	uint64_t sample;     /* PERF_SAMPLE_*: what needs no more than its bit */
	bool sample_cpu, sample_address;
	bool raw;	   /* -R */
	bool period_given; /* -P: the period in every sample */
	bool no_period;
	bool no_samples; /* -n */
	bool no_time;
	bool all_user, all_kernel, kernel_callchains, user_callchains;
	bool switch_events, namespaces, cgroups;
	bool no_build_id;  /* mmap records with device and inode instead of a build id */
	bool no_bpf_event; /* no records of BPF programs */
	bool data_maps;	   /* records of maps without execute permission too */
	bool identifier;   /* an id at the same place of every sample, also of a single event */
	bool running_time; /* S: how long each counter was enabled and running */
	bool no_buffering; /* wake the reader at every sample */
	bool backward;	   /* rings that keep the newest: the kernel writes downwards */
};

/*
 * Fills the attrs of the whole list. The first event (or the dummy) becomes the tracking one.
 * Defaults are upstream's for common command lines.
 */
int events_configure(struct event_list *l, const struct events_config *c, struct err *e);
/* Before opening: -ENODEV when an event's PMU was described for another machine than this. */
int events_check_machine(const struct event_list *l, struct err *e);
#define EVENTS_DEFAULT_FREQ 4000
/* kernel.perf_event_max_sample_rate, 0 = unknown. */
uint64_t events_max_freq(void);

/* ---- opening ------------------------------------------------------------------------------------ */

/* The system call, or a test's stand-in: a descriptor or -errno. */
typedef int (*event_open_fn)(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu,
			     int group_fd, unsigned long flags);

int event_open_sys(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		   unsigned long flags);

struct event_opener {
	event_open_fn open; /* NULL = event_open_sys */
	void *ctx;
	uint32_t missing;    /* steps of the ladder this kernel needs, found by trial */
	unsigned long flags; /* of the call, beside close-on-exec */
	bool no_cloexec;
	struct log_sink log; /* what this kernel does without */
};

/*
 * Which registers can be sampled here, found out by trial events, never by guess: fills @caps for
 * --user-regs (@user) or -I. @o may be NULL (the system call), @t may be NULL (events of a hybrid
 * machine then carry no PMU's number). Where cycles cannot be opened at all, the plain registers are
 * tried with a clock. About ten opens.
 */
void events_probe_regs(struct event_opener *o, struct pmus *t, bool user, struct regs_caps *caps);

/*
 * Opens one event. A refusal walks the ladder: what upstream drops silently is dropped from
 * ev->attr (the log says what), highest-precision events step down. The descriptor or -errno of
 * the first refusal; nothing is printed or explained.
 */
int event_open(struct event_opener *o, struct event *ev, pid_t pid, int cpu, int group_fd);

/* What an explanation may know of the machine; events_open_context() looks. */
struct open_context {
	int paranoid;	 /* kernel.perf_event_paranoid; -1 lets everybody do everything */
	bool privileged; /* CAP_PERFMON or CAP_SYS_ADMIN */
	bool in_vm;
	bool has_core_pmu;  /* any PMU that counts what a core does */
	bool has_lbr;	    /* caps/branches of a core PMU, or the CPU says so */
	uint32_t lbr_depth; /* most branches that a core PMU keeps; 0 = unknown */
	bool has_brs;	    /* AMD Zen 3's branch sampling */
	bool soft_branches; /* set by the caller: it can follow branches in software */
	bool seccomp;	    /* a filter is in force for this process */
	char vendor[16];    /* "GenuineIntel"; "" when unknown */
	unsigned family;
	uint64_t nofile;   /* RLIMIT_NOFILE */
	uint64_t max_freq; /* kernel.perf_event_max_sample_rate */
	char release[64];  /* uname -r */
};

void events_open_context(struct open_context *ctx, struct pmus *t);

/* Whether this -errno of an open says that there is no such event, nor its PMU. */
static inline bool event_is_missing(int code)
{
	return code == -ENOENT || code == -ENODEV || code == -ENXIO || code == -EOPNOTSUPP;
}

/* Makes a hardware event a clock: per_thread says which. */
int event_fall_back_to_clock(struct event_list *l, struct event *ev, bool per_thread);

/* What became of events that were named where the CPU counts nothing. */
struct fallback {
	size_t nr;		 /* 0 = they open, or are refused for another reason */
	char was[256], now[128]; /* names, with commas between */
};

/*
 * Before events_configure(): where this machine has no counters, all events of the CPU become a
 * clock, one for all that would be alike. The caller says so. 0 or -ENOMEM.
 */
int events_fall_back(struct event_list *l, const struct event_opener *o, bool per_thread,
		     struct fallback *f);

/*
 * Says why the kernel refused @ev with @code: reopens with fields added one by one to find the
 * first that is refused. Returns @code; @e has cause and next step.
 */
int events_explain_open_error(struct event_opener *o, const struct event *ev, pid_t pid, int cpu,
			      int code, const struct open_context *ctx, struct err *e);

#endif
