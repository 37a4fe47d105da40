// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The argument of -g: "graph,0.5,10,caller,function,percent". Its parts are told apart by
 * themselves and may come in any order; of numbers the first is the share, the second the limit.
 */
#include "keys-int.h"

struct word {
	const char *name;
	int field, value;
};

enum { STYLE, ORDER, KEY, VALUE, IGNORED };

static const struct word words[] = {
	{ "none", STYLE, CHAIN_NONE },
	{ "graph", STYLE, CHAIN_GRAPH },
	{ "fractal", STYLE, CHAIN_FRACTAL },
	{ "flat", STYLE, CHAIN_FLAT },
	{ "folded", STYLE, CHAIN_FOLDED },
	{ "caller", ORDER, 1 },
	{ "callee", ORDER, 0 },
	{ "function", KEY, CHAIN_BY_FUNCTION },
	{ "address", KEY, CHAIN_BY_ADDRESS },
	{ "srcline", KEY, CHAIN_BY_SRCLINE },
	{ "percent", VALUE, CHAIN_PERCENT },
	{ "period", VALUE, CHAIN_PERIOD },
	{ "count", VALUE, CHAIN_COUNT },
	{ "branch", IGNORED, 0 },
};

static bool apply_word(struct chain_opts *c, const char *s, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const struct word *w = &words[i];

		if (strlen(w->name) < n || strncmp(w->name, s, n))
			continue;
		switch (w->field) {
		case STYLE: c->style = (enum chain_style)w->value; break;
		case ORDER:
			c->caller = w->value;
			c->order_set = true;
			break;
		case KEY: c->key = (enum chain_key)w->value; break;
		case VALUE: c->value = (enum chain_value)w->value; break;
		}
		return true;
	}
	return false;
}

int chain_opts_parse(struct chain_opts *c, const char *arg, struct err *e)
{
	int numbers = 0;

	for (const char *s = arg ? arg : ""; *s;) {
		size_t n = strcspn(s, ",");
		char *end;

		if (n && !apply_word(c, s, n)) {
			double v = strtod(s, &end);

			if (end != s + n || !(v >= 0 && v <= UINT32_MAX) || numbers == 2) {
				err_set(e, -EINVAL, "-g: `%.*s' is no part of a call graph mode",
					(int)n, s);
				err_hint(e, "Parts: graph|flat|fractal|folded|none, a threshold in "
					    "percent, a print limit, caller|callee, "
					    "function|address|srcline, percent|period|count.");
				return -EINVAL;
			}
			if (numbers++)
				c->print_limit = (uint32_t)v;
			else
				c->min_percent = v;
		}
		s += n + (s[n] == ',');
	}
	return 0;
}
