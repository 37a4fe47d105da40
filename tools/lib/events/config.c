// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The options of a recording into perf_event_attrs. What the common command lines give is fixed
 * by other perfs' readers and tests; tests/unit/test-events-config.c holds the table.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "events/events-int.h"
#include "perfdata/perfdata.h"

#define DEFAULT_STACK 8192
#define MAX_CHAIN     7000  /* so many addresses fit into a record */
#define MAX_STACK     65528 /* the record's size is 16 bits */

uint64_t events_max_freq(void)
{
	char *text = file_read_all("/proc/sys/kernel/perf_event_max_sample_rate", 64, NULL, NULL);
	uint64_t v = text ? strtoull(text, NULL, 10) : 0;

	free(text);
	return v;
}

/* ---- call chains ------------------------------------------------------------------------------- */

static int parse_stack_size(struct callchain_opts *c, const char *text, struct err *e)
{
	char *end;
	unsigned long v = strtoul(text, &end, 0);

	if (end == text || *end || !v || v > MAX_STACK) {
		err_set(e, -EINVAL, "callchain: a stack size is 8 to %d bytes, not '%s'", MAX_STACK,
			text);
		return -EINVAL;
	}
	c->stack_size = (uint32_t)align_up(v, 8);
	return 0;
}

static int parse_depth(struct callchain_opts *c, const char *text, struct err *e)
{
	char *end;
	unsigned long v = strtoul(text, &end, 10);

	if (end == text || *end || !v || v > MAX_CHAIN)
		return err_set(e, -EINVAL, "callchain: a stack has 1 to %d frames, not '%s'",
			       MAX_CHAIN, text);
	c->max_stack = (uint16_t)v;
	return 0;
}

int events_callchain_parse(struct callchain_opts *c, const char *text, struct err *e)
{
	static const struct {
		const char *name;
		enum callchain_mode mode;
	} modes[] = {
		{ "fp", CALLCHAIN_FP },	  { "dwarf", CALLCHAIN_DWARF },
		{ "lbr", CALLCHAIN_LBR }, { "unwind", CALLCHAIN_UNWIND },
		{ "no", CALLCHAIN_NONE },
	};
	size_t len = strcspn(text, ",");
	const char *rest = text[len] ? text + len + 1 : NULL;
	size_t i = 0;

	while (i < ARRAY_SIZE(modes) &&
	       (strlen(modes[i].name) != len || strncmp(modes[i].name, text, len)))
		i++;
	if (i == ARRAY_SIZE(modes)) {
		err_set(e, -EINVAL, "callchain: unknown mode '%.*s'", (int)len, text);
		err_hint(e, "Modes are fp, dwarf[,STACK BYTES], lbr and unwind[,FRAMES].");
		return -EINVAL;
	}
	c->mode = modes[i].mode;
	c->named = true;
	if (c->mode == CALLCHAIN_DWARF) {
		c->stack_size = DEFAULT_STACK;
		return rest ? parse_stack_size(c, rest, e) : 0;
	}
	if (c->mode == CALLCHAIN_UNWIND && rest)
		return parse_depth(c, rest, e);
	if (rest) {
		err_set(e, -EINVAL, "callchain: '%s' takes no argument", modes[i].name);
		return -EINVAL;
	}
	return 0;
}

#define LBR_CALL_STACK                                                       \
	((uint64_t)PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK | \
	 PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_HW_INDEX)

/* Why an event that wants LBR call stacks gets frame pointers; NULL = it gets them. */
static const char *lbr_refused(const struct perf_event_attr *a)
{
	if (a->sample_type & PERF_SAMPLE_BRANCH_STACK && a->branch_sample_type != LBR_CALL_STACK)
		return "Cannot use LBR callstack with branch stack. "
		       "Falling back to framepointers.";
	if (a->flags & ATTR_FLAG_EXCLUDE_USER)
		return "LBR callstack option is only available to get user callchain information. "
		       "Falling back to framepointers.";
	return NULL;
}

struct callchain_opts event_callchain(const struct event *ev, const struct callchain_opts *all)
{
	struct callchain_opts cc = ev->set & EVENT_SET_CALLCHAIN ? ev->set_callchain : *all;
	uint32_t stack_size = ev->set_callchain.stack_size;
	bool unnamed = cc.mode == CALLCHAIN_NONE && !(ev->set & EVENT_SET_CALLCHAIN);

	if (ev->set & EVENT_SET_MAX_STACK)
		cc.max_stack = ev->set_max_stack;
	if (stack_size)
		cc.stack_size = stack_size;
	/* Who says how deep wants chains; only dwarf copies stacks. */
	if (unnamed && stack_size)
		cc.mode = CALLCHAIN_DWARF;
	else if (unnamed && ev->set & EVENT_SET_MAX_STACK && ev->set_max_stack)
		cc.mode = CALLCHAIN_FP;
	return cc;
}

/* Each reason once, however many events it is about. */
static void say_lbr_refused(const struct event_list *l, const struct events_config *c)
{
	const char *said = NULL;

	for (size_t i = 0; i < l->n; i++) {
		const struct event *ev = &l->v[i];
		const char *why = lbr_refused(&ev->attr);

		if (event_is_dummy(ev) || c->chains_elsewhere ||
		    event_callchain(ev, &c->callchain).mode != CALLCHAIN_LBR || !why || why == said)
			continue;
		log_to(&l->log, LOG_WARN, "%s", why);
		said = why;
	}
}

static void configure_callchain(const struct event *ev, const struct events_config *c,
				struct perf_event_attr *a)
{
	const struct callchain_opts cc = event_callchain(ev, &c->callchain);

	if (cc.mode == CALLCHAIN_NONE)
		return;
	a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	a->sample_max_stack = cc.max_stack;
	if (c->kernel_callchains)
		a->flags |= ATTR_FLAG_EXCLUDE_CALLCHAIN_USER;
	if (c->user_callchains)
		a->flags |= ATTR_FLAG_EXCLUDE_CALLCHAIN_KERNEL;
	/* The user part is left to who stops the thread, whatever --call-graph says. */
	if (c->chains_elsewhere) {
		a->flags |= ATTR_FLAG_EXCLUDE_CALLCHAIN_USER;
		return;
	}
	if (cc.mode == CALLCHAIN_DWARF && !c->kernel_callchains) {
		a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		a->sample_regs_user |= regs_default_mask(regs_arch_host(), sizeof(long) == 8);
		a->sample_stack_user = cc.stack_size ? cc.stack_size : DEFAULT_STACK;
		/* The user part comes from the stack copy; unwinding wants data maps too. */
		a->flags |= ATTR_FLAG_EXCLUDE_CALLCHAIN_USER;
		a->sample_type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	}
	/* The kernel's chain stays whole: its user marker is where the registers' part begins. */
	if (cc.mode == CALLCHAIN_LBR && !lbr_refused(a)) {
		a->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		a->branch_sample_type = LBR_CALL_STACK;
	}
}

/* ---- one event ------------------------------------------------------------------------------------ */

static void configure_period(const struct event *ev, const struct events_config *c,
			     struct perf_event_attr *a)
{
	/* Tracepoints and breakpoints are counted one by one unless the user says otherwise. */
	bool counted = a->type == PERF_TYPE_TRACEPOINT || a->type == PERF_TYPE_BREAKPOINT;
	uint64_t period = c->period, freq = c->freq;

	if (ev->set & EVENT_SET_PERIOD)
		period = ev->set_period;
	if (ev->set & EVENT_SET_FREQ) {
		freq = ev->set_freq;
		period = 0;
	}
	if (event_is_dummy(ev)) {
		a->sample_period = 1;
		return;
	}
	if (!period && !freq && counted)
		period = 1;
	if (period) {
		a->sample_period = period;
	} else {
		a->sample_freq = freq		   ? freq
				 : c->default_freq ? c->default_freq
						   : EVENTS_DEFAULT_FREQ;
		a->flags |= ATTR_FLAG_FREQ;
	}
	if (c->no_samples)
		a->sample_period = 0;
	if (counted || !period || c->period_given)
		a->sample_type |= PERF_SAMPLE_PERIOD;
	if (c->no_period)
		a->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	if (counted && period && a->type == PERF_TYPE_BREAKPOINT && !c->period_given)
		a->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
}

static void configure_payload(const struct event *ev, const struct events_config *c,
			      struct perf_event_attr *a)
{
	uint64_t branches = ev->set & EVENT_SET_BRANCH ? ev->set_branch : c->branch_filter;

	a->sample_type |= c->sample;
	/* They are about the address. */
	if (c->sample & (PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE))
		a->sample_type |= PERF_SAMPLE_ADDR;
	if (c->sample_address)
		a->sample_type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	if (c->raw)
		a->sample_type |= PERF_SAMPLE_TIME | PERF_SAMPLE_RAW | PERF_SAMPLE_CPU;
	if (c->cgroups)
		a->sample_type |= PERF_SAMPLE_CGROUP;
	if (a->type == PERF_TYPE_TRACEPOINT)
		a->sample_type |= PERF_SAMPLE_RAW | PERF_SAMPLE_CPU;
	if (a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_BPF_OUTPUT)
		a->sample_type |= PERF_SAMPLE_RAW;
	if (branches) {
		a->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		a->branch_sample_type = branches;
	}
	configure_callchain(ev, c, a);
	if (c->intr_regs || c->user_regs)
		regs_to_attr(c->intr_regs, c->regs_caps, c->user_regs, c->user_regs_caps, a);
}

/* Members of a group that is read at once do not sample; the leader's sample holds them. */
static void configure_group_read(const struct event_list *l, struct event *ev,
				 const struct events_config *c)
{
	const struct event *leader = &l->v[ev->leader];
	struct perf_event_attr *a = &ev->attr;

	if (!leader->sample_read)
		return;
	a->sample_type |= PERF_SAMPLE_READ | PERF_SAMPLE_ID;
	a->read_format |= PERF_FORMAT_GROUP;
	if (c->running_time)
		a->read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	/* Inherited counters cannot be read as a group by kernels before 6.12. */
	a->flags &= ~ATTR_FLAG_INHERIT;
	if (leader != ev) {
		a->flags &= ~ATTR_FLAG_FREQ;
		a->sample_period = 0;
	}
}

static void configure_privilege(const struct event *ev, const struct events_config *c,
				struct perf_event_attr *a)
{
	if (ev->set & EVENT_SET_EXCLUDE || event_is_dummy(ev))
		return;
	if (c->all_user)
		a->flags |= ATTR_FLAG_EXCLUDE_KERNEL;
	if (c->all_kernel)
		a->flags |= ATTR_FLAG_EXCLUDE_USER;
}

static void configure_start(const struct event_list *l, const struct event *ev,
			    const struct events_config *c, struct perf_event_attr *a)
{
	bool leader = &l->v[ev->leader] == ev;
	bool runs_first = event_is_dummy(ev) && ev->tracking;

	if (!leader)
		return;
	if (c->disabled)
		a->flags |= ATTR_FLAG_DISABLED;
	if (c->enable_on_exec)
		a->flags |= ATTR_FLAG_DISABLED | ATTR_FLAG_ENABLE_ON_EXEC;
	/* A dummy that watches maps must not miss those made before the others start. */
	if (runs_first && c->dummy_starts)
		a->flags &= ~ATTR_FLAG_DISABLED;
	if (runs_first && c->dummy_on_exec)
		a->flags |= ATTR_FLAG_DISABLED | ATTR_FLAG_ENABLE_ON_EXEC;
}

static void configure_tracking(const struct event *ev, const struct events_config *c,
			       struct perf_event_attr *a)
{
	bool data = a->sample_type & PERF_SAMPLE_ADDR && a->type != PERF_TYPE_TRACEPOINT;

	if (!ev->tracking)
		return;
	a->flags |= ATTR_FLAG_MMAP | ATTR_FLAG_MMAP2 | ATTR_FLAG_COMM | ATTR_FLAG_COMM_EXEC |
		    ATTR_FLAG_TASK | ATTR_FLAG_KSYMBOL;
	if (!c->no_bpf_event)
		a->flags |= ATTR_FLAG_BPF_EVENT;
	if (data || c->data_maps || c->sample_address ||
	    (c->callchain.mode == CALLCHAIN_DWARF && !c->chains_elsewhere))
		a->flags |= ATTR_FLAG_MMAP_DATA;
	if (!c->no_build_id)
		a->flags |= ATTR_FLAG_BUILD_ID;
	if (c->switch_events)
		a->flags |= ATTR_FLAG_CONTEXT_SWITCH;
	if (c->namespaces)
		a->flags |= ATTR_FLAG_NAMESPACES;
	if (c->cgroups)
		a->flags |= ATTR_FLAG_CGROUP;
}

static void configure_event(const struct event_list *l, struct event *ev,
			    const struct events_config *c)
{
	struct perf_event_attr *a = &ev->attr;
	bool inherit = ev->set & EVENT_SET_INHERIT ? ev->set_inherit : c->inherit;
	bool time = ev->set & EVENT_SET_TIME ? ev->set_time : !c->no_time;

	a->flags |= ATTR_FLAG_SAMPLE_ID_ALL;
	if (inherit)
		a->flags |= ATTR_FLAG_INHERIT;
	a->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	a->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	if (time)
		a->sample_type |= PERF_SAMPLE_TIME;
	if (c->per_cpu || c->sample_cpu)
		a->sample_type |= PERF_SAMPLE_CPU;
	if (c->inherit_stat && !event_is_dummy(ev)) {
		a->read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		a->flags |= ATTR_FLAG_INHERIT_STAT;
	}
	if (c->use_clockid) {
		a->flags |= ATTR_FLAG_USE_CLOCKID;
		a->clockid = c->clockid;
	}
	configure_period(ev, c, a);
	ev->max_freq |= c->max_freq && !(ev->set & (EVENT_SET_FREQ | EVENT_SET_PERIOD));
	event_cap_clock(ev, &l->log);
	configure_privilege(ev, c, a);
	if (!event_is_dummy(ev))
		configure_payload(ev, c, a);
	configure_start(l, ev, c, a);
	configure_tracking(ev, c, a);
	configure_group_read(l, ev, c);
	if (c->no_buffering)
		a->wakeup_events = 1;
	if (c->backward)
		a->flags |= ATTR_FLAG_WRITE_BACKWARD;
	if (ev->max_precise && a->type != PERF_TYPE_SOFTWARE)
		a->flags |= ATTR_FLAG_PRECISE_MASK;
}

/* ---- the whole list --------------------------------------------------------------------------------- */

/*
 * Samples of several events are told apart by an id. When all have the same layout the id stands
 * at the same place (ID); when not it must come first (IDENTIFIER).
 */
static void configure_ids(struct event_list *l, bool identifier)
{
	bool differ = identifier;

	for (size_t i = 1; i < l->n; i++)
		differ |= l->v[i].attr.sample_type != l->v[0].attr.sample_type ||
			  l->v[i].attr.read_format != l->v[0].attr.read_format;
	if (l->n < 2 && !identifier)
		return;
	for (size_t i = 0; i < l->n; i++) {
		uint64_t *type = &l->v[i].attr.sample_type;

		if (differ) {
			*type &= ~(uint64_t)PERF_SAMPLE_ID;
			*type |= PERF_SAMPLE_IDENTIFIER;
		} else {
			*type |= PERF_SAMPLE_ID;
		}
	}
}

static void choose_tracking(struct event_list *l)
{
	struct event *ev = &l->v[0];

	for (size_t i = 0; i < l->n; i++)
		l->v[i].tracking = false;
	for (size_t i = 0; i < l->n; i++)
		if (event_is_dummy(&l->v[i]))
			ev = &l->v[i];
	ev->tracking = true;
}

/* What was named is not left out silently. */
static int check_regs(const struct event *ev, const struct events_config *c, struct err *e)
{
	uint64_t intr = regs_not_of_software(c->intr_regs, c->regs_caps, ev->attr.type);
	uint64_t user =
		c->user_regs_elsewhere
			? 0
			: regs_not_of_software(c->user_regs, c->user_regs_caps, ev->attr.type);
	char names[128];

	if (event_is_dummy(ev) || !(intr | user))
		return 0;
	regs_mask_text(intr | user, REGS_ARCH_X86, true, names, sizeof(names));
	err_set(e, -EOPNOTSUPP, "%s: %s: no software event can give the registers %s", ev->name,
		intr ? "-I" : "--user-regs", names);
	err_hint(e, "Take an event of the CPU, such as -e cycles%s",
		 intr ? ", or --user-regs with --reg-source=ptrace."
		      : ", or have them read by ptrace: --reg-source=ptrace");
	return -EOPNOTSUPP;
}

static int check_config(const struct event_list *l, const struct events_config *c, struct err *e)
{
	uint64_t max = events_max_freq();

	if (!l->n)
		return err_set(e, -EINVAL, "there is no event to record");
	if (c->all_user && c->all_kernel)
		return err_set(e, -EINVAL, "--all-user and --all-kernel exclude each other");
	if (c->kernel_callchains && c->user_callchains)
		return err_set(e, -EINVAL,
			       "--kernel-callchains and --user-callchains exclude each other");
	for (size_t i = 0; i < l->n; i++) {
		const struct event *ev = &l->v[i];
		int ret = check_regs(ev, c, e);

		if (ret)
			return ret;
		if (ev->set & EVENT_SET_FREQ && max && ev->set_freq > max) {
			err_set(e, -EINVAL,
				"%s: %llu samples a second are more than the kernel's limit of %llu",
				ev->name, (unsigned long long)ev->set_freq,
				(unsigned long long)max);
			err_hint(
				e,
				"Use freq=max, or raise the limit: sysctl kernel.perf_event_max_sample_rate=%llu",
				(unsigned long long)ev->set_freq);
			return -EINVAL;
		}
	}
	return 0;
}

/*
 * PMUs that know which of their events can be counted together say so before the kernel does. Asked
 * is with the first such event of a group, which others may lead. What can be broken up need not
 * fit as a whole: each of its events is asked about alone.
 */
static int check_groups(const struct event_list *l, struct err *e)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct event *members[64], *leader = &l->v[l->v[i].leader];
		const struct pmu *pmu = l->v[i].pmu;
		size_t n = 0;
		int ret;

		if (!pmu || !pmu->check_group)
			continue;
		for (size_t j = 0; j < leader->nr_members && n < ARRAY_SIZE(members); j++)
			if (leader[j].pmu == pmu && (!leader->weak_group || &leader[j] == &l->v[i]))
				members[n++] = &leader[j];
		if (!n || members[0] != &l->v[i])
			continue;
		ret = pmu->check_group(pmu, members, n, e);
		if (ret)
			return ret;
	}
	return 0;
}

int events_check_machine(const struct event_list *l, struct err *e)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct pmu *pmu = l->v[i].pmu;
		int ret = pmu && pmu->check_machine ? pmu->check_machine(pmu, e) : 0;

		if (ret)
			return ret;
	}
	return 0;
}

int events_configure(struct event_list *l, const struct events_config *c, struct err *e)
{
	int ret = check_config(l, c, e);

	if (ret)
		return ret;
	choose_tracking(l);
	for (size_t i = 0; i < l->n; i++)
		configure_event(l, &l->v[i], c);
	say_lbr_refused(l, c);
	configure_ids(l, c->identifier);
	for (size_t i = 0; i < l->n; i++)
		l->v[i].attr.size = attr_min_size(&l->v[i].attr);
	return check_groups(l, e);
}
