// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The events that options name: --event, --switch-on and --switch-off. A name may hold commas and
 * modifiers itself, so a whole name is tried before its parts, and "cycles" is also what was
 * recorded as "cycles:u". A word that is no event is an error: else nothing would be shown, and
 * nobody told why.
 */
#include "session-int.h"

static const struct perfdata_event *find_event(const struct perfdata *pd, const char *name)
{
	for (size_t i = 0; i < perfdata_nr_events(pd); i++)
		if (!strcmp(perfdata_event(pd, i)->name, name))
			return perfdata_event(pd, i);
	return NULL;
}

/* ---- --event --------------------------------------------------------------------------------- */

/* "cycles" is also who was recorded as "cycles:u", where no event has just that name. */
static bool is_without_modifiers(const char *name, const char *want)
{
	size_t n = strlen(want);

	return !strncmp(name, want, n) && name[n] == ':' && !strchr(name + n + 1, ':');
}

/* How many events @want names; they are wanted from now on. */
static unsigned choose(struct session *s, const char *want,
		       bool (*is)(const char *name, const char *want))
{
	unsigned n = 0;

	for (size_t i = 0; i < perfdata_nr_events(s->env.pd); i++)
		if (is(perfdata_event(s->env.pd, i)->name, want)) {
			bits_set(&s->events, i);
			n++;
		}
	return n;
}

static bool is_same(const char *name, const char *want)
{
	return !strcmp(name, want);
}

static bool may_lack(const struct session *s)
{
	return s->o->some_events && !s->all_events;
}

/* @e says which one of @word, whose parts between commas are names, is no event. */
static int choose_parts(struct session *s, const char *word, struct err *e)
{
	const char *part;
	size_t n;

	/* An event's own name may have commas in it. */
	if (choose(s, word, is_same) || choose(s, word, is_without_modifiers))
		return 0;
	for (; *word; word += n + (word[n] == ',')) {
		n = strcspn(word, ",");
		part = arena_strndup(&s->text, word, n);
		if (!part)
			return err_set(e, -ENOMEM, "no memory for the events");
		if (!choose(s, part, is_same) && !choose(s, part, is_without_modifiers) &&
		    !may_lack(s)) {
			err_set(e, -EINVAL, "%s no event '%s'",
				s->all_events ? "no recording has" : "the recording has", part);
			err_hint(e, "perf evlist lists the events that %s has.",
				 s->all_events ? "each" : "it");
			return -EINVAL;
		}
	}
	return 0;
}

static int choose_events(struct session *s, struct err *e)
{
	int ret = 0;

	if (!s->o->events.items.n)
		return 0;
	s->by_event = true;
	if (bits_init(&s->events, perfdata_nr_events(s->env.pd) + 1))
		return err_set(e, -ENOMEM, "no memory for the events");
	vec_for_each (word, &s->o->events.items)
		ret = ret ?: choose_parts(s, *word, e);
	s->misused = ret == -EINVAL;
	return ret;
}

int session_check_events(struct session *s, struct err *e)
{
	int ret;

	s->all_events = true;
	bits_free(&s->events);
	ret = choose_events(s, e);
	s->all_events = false;
	return ret;
}

/* ---- --switch-on, --switch-off ---------------------------------------------------------------- */

static int find_switch(const struct perfdata *pd, const char *what, const char *name,
		       const struct perfdata_event **event, struct err *e)
{
	if (!name)
		return 0;
	*event = find_event(pd, name);
	if (*event)
		return 0;
	err_set(e, -ENOENT, "%s event not found (%s)", what, name);
	err_hint(e, "use 'perf evlist' to see the available event names");
	return -ENOENT;
}

int session_find_events(struct session *s, struct err *e)
{
	const struct session_opts *o = s->o;
	int ret = choose_events(s, e);

	ret = ret ?: find_switch(s->env.pd, "switch-on", o->switch_on, &s->sw.on, e);
	ret = ret ?: find_switch(s->env.pd, "switch-off", o->switch_off, &s->sw.off, e);
	s->sw.show = o->show_switches;
	s->sw.closed = s->sw.on != NULL;
	s->switches = s->sw.on || s->sw.off;
	return ret;
}

bool session_switch_pass(struct session_switch *sw, const struct perfdata_event *event)
{
	if (sw->closed) {
		if (!sw->on || event != sw->on)
			return false;
		sw->closed = false;
		return sw->show;
	}
	if (sw->off && event == sw->off) {
		sw->closed = true;
		return sw->show;
	}
	return true;
}
