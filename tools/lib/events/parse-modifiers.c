// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Modifiers: the letters behind an event or a group (perf-list(1), EVENT SYNTAX). The first letter
 * of a kind excludes the whole kind and each lets its own back in, so "uk" is both and no letter
 * is all.
 */
#include <stdio.h>

#include "events/events-int.h"

#define LETTERS "ukhIGHpPSDeWb"
/* Letters that say what is counted and so belong to the event's name. */
#define NAMED "ukhIGHpP"

#define EXCLUDE_UKH (ATTR_FLAG_EXCLUDE_USER | ATTR_FLAG_EXCLUDE_KERNEL | ATTR_FLAG_EXCLUDE_HV)
#define EXCLUDE_GH  (ATTR_FLAG_EXCLUDE_GUEST | ATTR_FLAG_EXCLUDE_HOST)

bool parse_is_modifiers(const char *s, size_t n)
{
	return n && strspn(s, LETTERS) >= n;
}

/* The first letter of a kind excludes the whole kind; each letter lets its own back in. */
static void include_only(struct perf_event_attr *attr, uint64_t all, uint64_t own)
{
	if (!(attr->flags & all))
		attr->flags |= all;
	attr->flags &= ~own;
}

static void apply_letter(struct event *ev, char c)
{
	struct perf_event_attr *attr = &ev->attr;

	switch (c) {
	case 'u': include_only(attr, EXCLUDE_UKH, ATTR_FLAG_EXCLUDE_USER); break;
	case 'k': include_only(attr, EXCLUDE_UKH, ATTR_FLAG_EXCLUDE_KERNEL); break;
	case 'h': include_only(attr, EXCLUDE_UKH, ATTR_FLAG_EXCLUDE_HV); break;
	case 'G': include_only(attr, EXCLUDE_GH, ATTR_FLAG_EXCLUDE_GUEST); break;
	case 'H': include_only(attr, EXCLUDE_GH, ATTR_FLAG_EXCLUDE_HOST); break;
	case 'I': attr->flags |= ATTR_FLAG_EXCLUDE_IDLE; break;
	case 'p': attr->flags += BIT(ATTR_FLAG_PRECISE_SHIFT); break;
	case 'P': ev->max_precise = true; break;
	case 'S': ev->sample_read = true; break;
	case 'D': attr->flags |= ATTR_FLAG_PINNED; break;
	case 'e': attr->flags |= ATTR_FLAG_EXCLUSIVE; break;
	case 'W': ev->weak_group = true; break;
	}
	if (strchr("ukh", c))
		ev->set |= EVENT_SET_EXCLUDE;
}

/* "cycles" + "u" is "cycles:u", "cpu/cycles/" + "u" is "cpu/cycles/u". */
static int append_to_name(struct parse *ps, struct event *ev, const char *mods)
{
	size_t n = strlen(ev->name);
	bool slash = n && ev->name[n - 1] == '/',
	     has = strchr(ev->name, ':') && ev->attr.type != PERF_TYPE_BREAKPOINT;
	const char *name;

	if (!mods[0] || ev->tp_system || ev->name_given)
		return 0;
	name = arena_printf(&ps->l->arena, "%s%s%s", ev->name, slash || has ? "" : ":", mods);
	if (!name)
		return parse_no_memory(ps);
	ev->name = name;
	return 0;
}

static int check_letters(struct parse *ps, const char *s, size_t len)
{
	size_t precise = 0;

	for (size_t i = 0; i < len; i++) {
		if (!strchr(LETTERS, s[i])) {
			parse_error(ps, -EINVAL, s + i, "unknown modifier '%c'", s[i]);
			err_hint(ps->e,
				 "Modifiers are u k h (where), G H (guest, host), I (no idle), "
				 "p P (precise),\nS (group read), D (pinned), e (exclusive), "
				 "W (weak group).");
			return -EINVAL;
		}
		if (s[i] == 'b')
			return parse_error(
				ps, -ENOTSUP, s + i,
				"modifier 'b' (BPF counters) counts only; it cannot sample");
		precise += s[i] == 'p';
		if (s[i] != 'p' && memchr(s, s[i], i))
			return parse_error(ps, -EINVAL, s + i, "modifier '%c' is given twice",
					   s[i]);
	}
	if (precise > 3)
		return parse_error(ps, -EINVAL, s, "at most three 'p' are possible");
	if (precise && memchr(s, 'P', len))
		return parse_error(ps, -EINVAL, s, "'p' and 'P' exclude each other");
	return 0;
}

int parse_modifiers(struct parse *ps, size_t first, bool group)
{
	const char *s = ps->p;
	size_t len = strcspn(s, ",{}:/ \t\n\r"), n = 0;
	char named[16] = "";
	int ret;

	if (!len)
		return parse_error(ps, -EINVAL, s, "modifiers are expected here");
	ret = check_letters(ps, s, len);
	if (ret)
		return ret;
	for (size_t i = 0; i < len && n + 1 < sizeof(named); i++)
		if (strchr(NAMED, s[i]))
			named[n++] = s[i];
	named[n] = '\0';
	for (size_t i = first; i < ps->l->n; i++) {
		struct event *ev = &ps->l->v[i];

		for (size_t j = 0; j < len; j++) {
			/* Pinned and exclusive are the leader's; more 'p' than three wrap. */
			if (group && ev->leader != i && strchr("De", s[j]))
				continue;
			if (s[j] == 'p' &&
			    (ev->attr.flags & ATTR_FLAG_PRECISE_MASK) == ATTR_FLAG_PRECISE_MASK)
				return parse_error(ps, -EINVAL, s + j,
						   "at most three 'p' are possible");
			apply_letter(ev, s[j]);
		}
		ret = append_to_name(ps, ev, named);
		if (ret)
			return ret;
	}
	ps->p = s + len;
	return 0;
}
