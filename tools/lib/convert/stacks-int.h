/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks: samples added up by their stacks, for formats that say each stack once. A stack is a node
 * of a tree, a node a frame below its caller: memory follows what is distinct. Who ran is a group:
 * which of thread, name and CPU tell samples apart is asked for at the beginning.
 *
 *	stacks_new(&st, run, by, &err);
 *	stacks_add(st, run, in, &err);			each sample
 *	stacks_end(st);
 *	for (i < st->counts.n) ... st->counts.v[i] is a node, a group, and sums by event
 *
 * Nodes stand behind their parents, so that a walk from the end of nodes adds up what callees cost.
 */
#ifndef PERF_CONVERT_STACKS_INT_H
#define PERF_CONVERT_STACKS_INT_H

#include "convert/convert-int.h"

#define STACKS_NONE UINT32_MAX

struct stacks_frame {
	uint32_t loc;
	bool inlined; /* into the function of the frame above it, at the same address */
	/*
	 * The address is where a call returns to: the call is in front of it. Frames of unwound stacks
	 * and of branch records are calls already, and so is what an interrupt left.
	 */
	bool returns;
	const struct symbol *sym;
	const struct inline_frame *inl;
};

struct stacks_node {
	uint32_t parent, frame;
};

struct stacks_group {
	int32_t pid, tid; /* -1 = all */
	uint32_t comm;	  /* machine_comm(); STACKS_NONE = all */
	uint32_t cpu;	  /* STACKS_NONE = all, or unknown */
};

#define STACKS_VALUES 3

/* Samples and their period; in branch mode: branches, mispredicted ones, cycles. */
struct stacks_count {
	uint32_t node, group, event; /* event: perfdata_event idx; node NONE = no stack */
	uint64_t v[STACKS_VALUES];
};

struct stacks {
	const struct session_env *env;
	unsigned by;
	bool branches; /* are counted: those of all events are one */
	VEC(struct stacks_frame) frames;
	VEC(struct stacks_node) nodes;
	VEC(struct stacks_group) groups;
	VEC(struct stacks_count) counts;
	struct htab frame_tab, node_tab, group_tab, count_tab;
	struct htab stack_tab; /* by all frames of a stack: its innermost node */
	/* After stacks_functions(): by frame its function's number, by function its first frame. */
	uint32_t *function_of;
	VEC(uint32_t) functions;
	VEC(uint32_t) events;		/* after stacks_end(): those that have counts, ascending */
	uint64_t first_time, last_time; /* of samples; first > last = none had any */
};

int stacks_new(struct stacks **st, const struct convert_run *r, unsigned by, struct err *e);
void stacks_free(struct stacks *st); /* NULL is fine */
/* The sample's stack and group; what a format of samples one by one asks. 0 or -ENOMEM. */
int stacks_place(struct stacks *st, const struct convert_run *r, const struct session_sample *in,
		 uint32_t *node, uint32_t *group);
int stacks_add(struct stacks *st, const struct convert_run *r, const struct session_sample *in,
	       struct err *e);
/* Each entry of the branch stack instead: its target, called by its source. */
int stacks_add_branches(struct stacks *st, const struct convert_run *r,
			const struct session_sample *in, struct err *e);

/* By number in other stacks: the number here. To be freed. */
struct stacks_maps {
	uint32_t *node, *group;
};

/*
 * Before stacks_end() of either: adds what @from has. If that had the samples behind those of @st then
 * nodes, groups and counts are numbered as if @st had had them all. @out: NULL, or what became what.
 */
int stacks_merge(struct stacks *st, const struct stacks *from, const struct session_maps *maps,
		 struct stacks_maps *out, struct err *e);
/*
 * Counts in order of node, group, event; events, the recording's first where none has samples: readers
 * want one. 0 or -ENOMEM.
 */
int stacks_end(struct stacks *st);

/* Frames of one function, or of one object where there is no name, as one thing. 0 or -ENOMEM. */
int stacks_functions(struct stacks *st);

/* The address of the frame's code in its object: of the call, where it returns. */
uint64_t stacks_addr(const struct stacks *st, const struct stacks_frame *f);
const struct dso *stacks_dso(const struct stacks *st, const struct stacks_frame *f);
/* Its function; without one "[OBJECT]" or "[unknown]", put together in @buf. Bytes of the file. */
const char *stacks_name(const struct stacks *st, const struct stacks_frame *f, char *buf,
			size_t size);
/* Its line; false when unknown. */
bool stacks_line(const struct stacks *st, const struct stacks_frame *f, struct srcline *out);
/* "cycles", and what it counts: "nanoseconds" for clocks, else "count". */
const char *stacks_unit(const struct perfdata_event *event);
/* What tells the group from others: "sleep 123/124 cpu 3"; "" where it is all. Appended. */
void stacks_group_name(const struct stacks *st, uint32_t group, struct obuf *o);

#endif
