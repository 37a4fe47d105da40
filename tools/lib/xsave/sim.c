// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The policy for dynamic supervisor state beside its alternative, on one schedule. Both sides see
 * the same events; every component of an area counts as moved (no init or modified optimisation
 * of the hardware is assumed), so that the figures are exact and comparable.
 */
#include <stdlib.h>

#include "base/tables.h"
#include "xsave.h"

struct task {
	uint32_t id;
	bool alive;
	uint32_t events; /* that use the call stack */
};

struct xsave_sim {
	struct xsave_cost cost;
	struct xsave_sim_stats st;
	VEC(struct task) tasks;
	struct htab tab;
};

struct xsave_sim *xsave_sim_new(const struct xsave_cpu *cpu, struct err *e)
{
	struct xsave_sim *sim;

	if (!cpu->dynamic) {
		err_set(e, -ENOTSUP, "%s has no architectural LBR, so no state is saved on demand",
			cpu->title);
		err_hint(e, "Choose a CPU that has it: --cpu spr or --cpu dmr.");
		return NULL;
	}
	sim = calloc(1, sizeof(*sim));
	if (!sim) {
		err_set(e, -ENOMEM, "no memory for the simulation");
		return NULL;
	}
	if (xsave_cost(cpu, &sim->cost, e)) {
		free(sim);
		return NULL;
	}
	sim->st.xss = cpu->xss; /* the dynamic bits are in it from the start, and stay */
	return sim;
}

void xsave_sim_free(struct xsave_sim *sim)
{
	if (!sim)
		return;
	vec_free(&sim->tasks);
	htab_free(&sim->tab);
	free(sim);
}

const struct xsave_sim_stats *xsave_sim_stats(const struct xsave_sim *sim)
{
	return &sim->st;
}

static void grow(struct xsave_sim_side *side, uint64_t bytes)
{
	side->bytes_now += bytes;
	side->bytes_peak = max_u64(side->bytes_peak, side->bytes_now);
}

static struct task *find(struct xsave_sim *sim, uint32_t id)
{
	struct htab_it it = htab_find(&sim->tab, hash_u64(id));
	uint32_t idx;

	while (htab_next(&sim->tab, &it, &idx))
		if (sim->tasks.v[idx].id == id)
			return &sim->tasks.v[idx];
	return NULL;
}

/* The living task @id; one that was not heard of before starts now. NULL when memory is out. */
static struct task *get(struct xsave_sim *sim, uint32_t id)
{
	struct task *t = find(sim, id);

	if (!t) {
		if (vec_push(&sim->tasks, ((struct task){ .id = id })))
			return NULL;
		if (htab_add(&sim->tab, hash_u64(id), sim->tasks.n - 1)) {
			sim->tasks.n--;
			return NULL;
		}
		t = &sim->tasks.v[sim->tasks.n - 1];
	}
	if (t->alive)
		return t;
	t->alive = true;
	sim->st.tasks++;
	sim->st.tasks_peak = max_u64(sim->st.tasks_peak, ++sim->st.tasks_now);
	grow(&sim->st.always, sim->cost.task_always);
	grow(&sim->st.on_demand, sim->cost.task_on_demand);
	return t;
}

static void drop_buffer(struct xsave_sim *sim, struct task *t)
{
	t->events = 0;
	sim->st.users_now--;
	sim->st.on_demand.bytes_now -= sim->cost.dynamic_buffer;
}

/* One task's share of a switch: its area goes out (save) or comes in. */
static int move_state(struct xsave_sim *sim, uint32_t id, bool save)
{
	struct xsave_sim_side *always = &sim->st.always, *demand = &sim->st.on_demand;
	struct task *t = find(sim, id);

	/* A kernel says that a task has ended before it leaves its CPU for good: nothing of it is kept then. */
	if (!id || (save && t && !t->alive))
		return 0;
	t = get(sim, id);
	if (!t)
		return -ENOMEM;
	always->bytes_moved += sim->cost.task_always;
	always->dynamic_bytes_moved += sim->cost.dynamic_state;
	*(save ? &always->saves : &always->restores) += 1;
	demand->bytes_moved += sim->cost.task_on_demand;
	if (!t->events)
		return 0;
	/* XSAVES with this component alone leaves the legacy region as it is */
	demand->dynamic_bytes_moved += sim->cost.dynamic_state + XSAVE_HEADER_SIZE;
	demand->bytes_moved += sim->cost.dynamic_state + XSAVE_HEADER_SIZE;
	*(save ? &demand->saves : &demand->restores) += 1;
	return 0;
}

static int lbr_begin(struct xsave_sim *sim, uint32_t id)
{
	struct task *t = find(sim, id);

	if (t && !t->alive) {
		sim->st.ignored++;
		return 0;
	}
	t = get(sim, id);
	if (!t)
		return -ENOMEM;
	if (t->events++)
		return 0;
	sim->st.users++;
	sim->st.users_peak = max_u64(sim->st.users_peak, ++sim->st.users_now);
	grow(&sim->st.on_demand, sim->cost.dynamic_buffer);
	return 0;
}

static void lbr_end(struct xsave_sim *sim, uint32_t id)
{
	struct task *t = find(sim, id);

	if (!t || !t->events)
		sim->st.ignored++;
	else if (t->events == 1)
		drop_buffer(sim, t);
	else
		t->events--;
}

bool xsave_sim_uses_lbr(struct xsave_sim *sim, uint32_t task)
{
	const struct task *t = find(sim, task);

	return t && t->events;
}

static void task_exit(struct xsave_sim *sim, uint32_t id)
{
	struct task *t = find(sim, id);

	if (!t || !t->alive) {
		sim->st.ignored++;
		return;
	}
	if (t->events)
		drop_buffer(sim, t);
	t->alive = false;
	sim->st.tasks_now--;
	sim->st.always.bytes_now -= sim->cost.task_always;
	sim->st.on_demand.bytes_now -= sim->cost.task_on_demand;
}

int xsave_sim_event(struct xsave_sim *sim, const struct xsave_sim_event *ev)
{
	/* task 0 is idle: it owns no user state and lives on every CPU */
	if (ev->kind != XSAVE_SIM_SWITCH && !ev->task) {
		sim->st.ignored++;
		return 0;
	}
	switch (ev->kind) {
	case XSAVE_SIM_START: return get(sim, ev->task) ? 0 : -ENOMEM;
	case XSAVE_SIM_EXIT: task_exit(sim, ev->task); return 0;
	case XSAVE_SIM_LBR_BEGIN: return lbr_begin(sim, ev->task);
	case XSAVE_SIM_LBR_END: lbr_end(sim, ev->task); return 0;
	case XSAVE_SIM_SWITCH: break;
	}
	if (ev->task == ev->next)
		return 0;
	sim->st.switches++;
	if (move_state(sim, ev->task, true))
		return -ENOMEM;
	return move_state(sim, ev->next, false);
}
