// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Option parsing: one pass over argv, guided by the command's const table, which says where in the
 * command's struct each value goes. Options that others depend on (OPTION_EARLY, a directory where
 * events are looked up) are taken by a pass of their own before it, so that the order on the
 * command line does not matter.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli-int.h"

struct parser {
	const struct command *cmd;
	char *opts; /* the command's struct */
	bool early; /* this pass takes the early options, and only those */
};

/* A row, and where the struct of its table begins in the command's. */
struct hit {
	const struct option *o;
	size_t base;
};

enum found { FOUND_NONE, FOUND_ONE, FOUND_MANY };

static bool takes_arg(const struct option *o)
{
	switch (o->type) {
	case OPTION_BOOL:
	case OPTION_BITS:
	case OPTION_INC: return false;
	default: return !(o->flags & OPTION_NO_ARG);
	}
}

static const char *display_name(const struct option *o, char *buf, size_t size)
{
	if (o->name)
		snprintf(buf, size, "--%s", o->name);
	else
		snprintf(buf, size, "-%c", o->short_name);
	return buf;
}

static int store(const struct parser *p, struct hit hit, const char *arg, bool unset)
{
	const struct option *o = hit.o;
	void *at = p->opts + hit.base + o->offset;
	char name[64];
	struct err err = { 0 };
	uint64_t u;
	int ret = 0;

	if (p->early != !!(o->flags & OPTION_EARLY))
		return 0;
	if (!arg && !unset && takes_arg(o))
		arg = o->def;
	if (!arg && !unset && (o->type == OPTION_INT || o->type == OPTION_UINT))
		return 0; /* no number was attached: the value stays */
	switch (o->type) {
	case OPTION_BOOL: *(bool *)at = !unset; break;
	case OPTION_BITS:
		*(uint64_t *)at &= ~o->bits;
		*(uint64_t *)at |= unset ? 0 : o->bits;
		break;
	case OPTION_INC: *(int *)at = unset ? 0 : *(int *)at + 1; break;
	case OPTION_STRING: *(const char **)at = unset ? NULL : arg; break;
	case OPTION_LIST:
		if (unset)
			((struct cli_list *)at)->items.n = 0;
		else
			ret = vec_push(&((struct cli_list *)at)->items, arg);
		break;
	case OPTION_INT:
		ret = unset ? (u = 0, 0) : cli_parse_u64(arg + (*arg == '-'), &u);
		if (!ret)
			*(int64_t *)at = !unset && *arg == '-' ? -(int64_t)u : (int64_t)u;
		break;
	case OPTION_UINT:
		ret = unset ? (u = 0, 0) : cli_parse_u64(arg, &u);
		if (!ret)
			*(uint64_t *)at = u;
		break;
	case OPTION_CALL:
		ret = o->parse(p->opts + hit.base, o, arg, unset, &err);
		if (ret && err.text[0]) {
			fprintf(stderr, "%s\n", err.text);
			if (err.hint[0])
				fprintf(stderr, "%s\n", err.hint);
		}
		if (ret)
			return cli_usage_error(p->cmd, NULL);
		break;
	case OPTION_END:
	case OPTION_GROUP:
	case OPTION_INCLUDE: break;
	}
	if (ret)
		return cli_usage_error(p->cmd, "option `%s' expects a number, not '%s'",
				       display_name(o, name, sizeof(name)) + 2 * !!o->name, arg);
	return 0;
}

static struct hit find_short(const struct command *cmd, char c)
{
	struct option_walk w = option_walk_init(cmd);
	const struct option *o;

	while ((o = option_next(&w)))
		if (o->short_name == c && o->type != OPTION_GROUP)
			return (struct hit){ o, w.base };
	return (struct hit){ 0 };
}

const char *cli_long_name(const struct command *cmd, char short_name)
{
	struct hit hit = find_short(cmd, short_name);

	return hit.o ? hit.o->name : NULL;
}

/*
 * Looks @name (of @len) up: exactly, as "no-NAME", or as a prefix that only one option has. An
 * option whose own name starts with "no-" is also cleared by the name without it.
 */
static enum found find_long(const struct command *cmd, const char *name, size_t len,
			    struct hit *out, bool *unset)
{
	struct option_walk w = option_walk_init(cmd);
	enum found found = FOUND_NONE;
	const struct option *o;

	/* An option's own name goes before what another one's negation is called. */
	while ((o = option_next(&w))) {
		if (o->name && o->type != OPTION_GROUP && !strncmp(o->name, name, len) &&
		    !o->name[len]) {
			*out = (struct hit){ o, w.base };
			*unset = false;
			return FOUND_ONE;
		}
	}
	for (w = option_walk_init(cmd); (o = option_next(&w));) {
		const char *forms[2] = { o->name, o->name };
		bool strip_no = o->name && !strncmp(o->name, "no-", 3);

		if (!o->name || o->type == OPTION_GROUP)
			continue;
		for (int neg = 0; neg < 2; neg++) {
			const char *n = name;
			size_t l = len;

			if (neg && (o->flags & OPTION_NO_NEG))
				break;
			if (neg && strip_no) {
				forms[1] = o->name + 3;
			} else if (neg) {
				if (len < 3 || strncmp(name, "no-", 3))
					continue;
				n += 3;
				l -= 3;
			}
			if (strncmp(forms[neg], n, l))
				continue;
			if (!forms[neg][l]) {
				*out = (struct hit){ o, w.base };
				*unset = neg;
				return FOUND_ONE;
			}
			if (!l)
				continue;
			found = found == FOUND_NONE ? FOUND_ONE : FOUND_MANY;
			*out = (struct hit){ o, w.base };
			*unset = neg;
		}
	}
	return found;
}

static int unknown_long(const struct command *cmd, const char *name, size_t len)
{
	struct option_walk w = option_walk_init(cmd);
	const struct option *o;
	const char *names[256];
	char word[64], near[256];
	size_t nr = 0;

	while ((o = option_next(&w)))
		if (o->name && nr < ARRAY_SIZE(names))
			names[nr++] = o->name;
	snprintf(word, sizeof(word), "%.*s", (int)len, name);
	cli_suggest(word, names, nr, near, sizeof(near));
	if (near[0])
		return cli_usage_error(cmd, "unknown option `%s', did you mean %s?", word, near);
	return cli_usage_error(cmd, "unknown option `%s'", word);
}

/* argv[*i] is "--name[=value]". */
static int parse_long(const struct parser *p, int argc, char **argv, int *i)
{
	const char *name = argv[*i] + 2, *eq = strchr(name, '='), *arg = eq ? eq + 1 : NULL;
	size_t len = eq ? (size_t)(eq - name) : strlen(name);
	struct hit hit = { 0 };
	const struct option *o;
	bool unset = false;

	switch (find_long(p->cmd, name, len, &hit, &unset)) {
	case FOUND_NONE: return unknown_long(p->cmd, name, len);
	case FOUND_MANY:
		return cli_usage_error(p->cmd, "option `%.*s' is ambiguous", (int)len, name);
	case FOUND_ONE: break;
	}
	o = hit.o;
	if (arg && (unset || !takes_arg(o)))
		return cli_usage_error(p->cmd, "option `%.*s' takes no value", (int)len, name);
	if (!arg && !unset && takes_arg(o) && !(o->flags & OPTION_OPTARG)) {
		if (*i + 1 >= argc)
			return cli_usage_error(p->cmd, "option `%s' requires a value", o->name);
		arg = argv[++*i];
	}
	return store(p, hit, arg, unset);
}

/* argv[*i] is "-abc": flags, or an option with its value attached or following. */
static int parse_short(const struct parser *p, int argc, char **argv, int *i)
{
	for (const char *c = argv[*i] + 1; *c; c++) {
		struct hit hit = find_short(p->cmd, *c);
		const struct option *o = hit.o;
		const char *arg = NULL;
		int ret;

		if (!o)
			return cli_usage_error(p->cmd, "unknown switch `%c'", *c);
		if (takes_arg(o)) {
			if (c[1])
				arg = c[1] == '=' && o->type != OPTION_LIST ? c + 2 : c + 1;
			else if (!(o->flags & OPTION_OPTARG) && *i + 1 < argc)
				arg = argv[++*i];
			else if (!(o->flags & OPTION_OPTARG))
				return cli_usage_error(p->cmd, "switch `%c' requires a value", *c);
		}
		ret = store(p, hit, arg, false);
		if (ret || takes_arg(o))
			return ret;
	}
	return 0;
}

static bool wants_help(const struct command *cmd, const char *arg)
{
	return !strcmp(arg, "--help") || (!strcmp(arg, "-h") && !find_short(cmd, 'h').o);
}

static bool has_early(const struct command *cmd)
{
	struct option_walk w = option_walk_init(cmd);
	const struct option *o;

	while ((o = option_next(&w)))
		if (o->flags & OPTION_EARLY)
			return true;
	return false;
}

/* Arguments left, moved to the front but in an early pass. */
static int parse_all(const struct parser *p, int argc, char **argv, unsigned flags)
{
	int left = 0, i, ret;

	for (i = 1; i < argc; i++) {
		char *a = argv[i];

		if (!strcmp(a, "--")) {
			i++;
			break;
		}
		if (a[0] != '-' || !a[1]) {
			if (flags & CLI_STOP_AT_ARG)
				break;
			if (!p->early)
				argv[left++] = a;
			continue;
		}
		if (wants_help(p->cmd, a)) {
			cli_print_help(p->cmd, 1);
			return CLI_EXIT(0);
		}
		ret = a[1] == '-' ? parse_long(p, argc, argv, &i) : parse_short(p, argc, argv, &i);
		if (ret)
			return CLI_EXIT(ret);
	}
	if (p->early)
		return 0;
	for (; i < argc; i++)
		argv[left++] = argv[i];
	argv[left] = NULL;
	return left;
}

int cli_parse(const struct command *cmd, void *opts, int argc, char **argv, unsigned flags)
{
	struct parser p = { .cmd = cmd, .opts = opts, .early = has_early(cmd) };
	int ret = p.early ? parse_all(&p, argc, argv, flags) : 0;

	p.early = false;
	return ret ? ret : parse_all(&p, argc, argv, flags);
}

void cli_list_free(struct cli_list *l)
{
	vec_free(&l->items);
}
