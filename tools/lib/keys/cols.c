// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Columns: which keys the user asked for. A table chooses the keys that it counts by, a view those
 * that it shows of them, and both by the same rules: the lists of -s and -F, what stands there by
 * itself, names that may be shortened.
 */
#include <limits.h>
#include <stdio.h>
#include <strings.h>

#include "base/nearest.h"
#include "emit/emit.h"
#include "keys-int.h"

#define DEFAULT_SORT	    "comm,dso,symbol"
#define DEFAULT_SIMD_SORT   "dso,sym"
#define DEFAULT_IDLE_SORT   "sym,loop"
#define DEFAULT_DIRTY_SORT  "sym,dirty_by"
#define DEFAULT_BRANCH_SORT "comm,dso_from,symbol_from,symbol_to,cycles"
#define DEFAULT_MEM_SORT                                                                          \
	"local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat," \
	"local_p_stage_cyc"

/* ---- choosing -------------------------------------------------------------------------------- */

/* A name may be shortened; the first key that fits wins, an exact one before. */
static const struct key *key_find(const char *name, size_t len)
{
	const struct key *k;

	for (size_t i = 0; (k = keys_at(i)); i++)
		if (strlen(k->name) == len && !strncasecmp(k->name, name, len))
			return k;
	for (size_t i = 0; (k = keys_at(i)); i++)
		if (!strncasecmp(k->name, name, len) && !k->hidden)
			return k;
	return NULL;
}

#define NEEDS_SWITCHES \
	"Use of latency profile or parallelism requires --latency flag during record."
#define NEEDS_TYPES                                                                           \
	"it names the C type that an instruction accessed: that takes DWARF's variables and " \
	"registers at each instruction, which is not done here"
#define NEEDS_MEM_STATS \
	"it is a table of perf mem report; here -s mem or --mem-mode have it in rows"

/* Keys of upstream that are not here, and why: nobody shall look for a typing error. */
static const struct {
	const char *name, *why;
} no_keys[] = {
	{ "type", NEEDS_TYPES },     { "typeoff", NEEDS_TYPES },   { "typecln", NEEDS_TYPES },
	{ "op", NEEDS_MEM_STATS },   { "cache", NEEDS_MEM_STATS }, { "memory", NEEDS_MEM_STATS },
	{ "dtlb", NEEDS_MEM_STATS },
};

static int refuse_key(struct err *e, const char *what, const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(no_keys); i++)
		if (strlen(no_keys[i].name) == len && !strncasecmp(no_keys[i].name, name, len))
			return err_set(e, -EINVAL, "--%s key `%s': %s", what, no_keys[i].name,
				       no_keys[i].why);
	return 0;
}

static struct keys_col *col_of(struct columns *cs, const struct key *key)
{
	struct keys_col *c;

	for (unsigned i = 0; i < cs->nr_cols; i++)
		if (cs->cols[i].key == key)
			return &cs->cols[i];
	if (cs->nr_cols == MAX_KEYS) {
		cs->too_many = true;
		return NULL;
	}
	c = &cs->cols[cs->nr_cols++];
	c->key = key;
	return c;
}

static bool has_col(struct keys_col *const *list, unsigned n, const struct keys_col *c)
{
	for (unsigned i = 0; i < n; i++)
		if (list[i] == c)
			return true;
	return false;
}

static void push_col(struct keys_col **list, unsigned *n, struct keys_col *c)
{
	if (c && *n < MAX_KEYS && !has_col(list, *n, c))
		list[(*n)++] = c;
}

static int unknown_key(struct err *e, const char *what, const char *name, size_t len)
{
	char word[64], near[256];
	const struct key *k;
	struct nearest n;
	int ret = err_set(e, -EINVAL, "Unknown --%s key: `%.*s'", what, (int)len, name);

	snprintf(word, sizeof(word), "%.*s", (int)min_u64(len, sizeof(word) - 1), name);
	n = nearest_init(word);
	for (size_t i = 0; (k = keys_at(i)); i++)
		if (!k->hidden)
			nearest_offer(&n, k->name);
	nearest_print(&n, near, sizeof(near));
	if (*near)
		err_hint(e, "Did you mean %s? SORT KEYS in perf-report(1) has all of them.", near);
	else
		err_hint(e, "SORT KEYS in perf-report(1) has all keys.");
	return ret;
}

/* A list of keys that is being read, and the level of --hierarchy that the next one is on. */
struct key_list {
	const char *what; /* "sort" or "fields" */
	struct keys_col **v;
	unsigned *n;
	int level;
	bool in_braces; /* these share a level */
};

/* A key by its name; of a register it is made when the first one names it. NULL: there is none. */
static int find_key(struct columns *cs, const char *s, size_t len, const char *what,
		    const struct key **k, struct err *e)
{
	int ret = 0;

	*k = NULL;
	if (len <= 4 || strncmp(s, "reg:", 4)) {
		if (!cs->o->branch)
			ret = refuse_key(e, what, s, len);
		if (!ret)
			*k = key_find(s, len);
		return ret;
	}
	*k = keys_reg_key_find(cs->ks, s, len);
	if (*k)
		return 0;
	if (!cs->maker)
		return err_set(e, -EINVAL, "key `%.*s' was not counted", (int)len, s);
	return keys_reg_key(cs->maker, s, len, k, e);
}

static int add_key(struct columns *cs, const char *s, size_t len, struct key_list *l, struct err *e)
{
	bool fields = l->what[0] == 'f';
	unsigned had = cs->nr_cols;
	const struct key *k;
	struct keys_col *c;
	int ret = find_key(cs, s, len, l->what, &k, e);

	if (ret)
		return ret;
	if (!k)
		return unknown_key(e, l->what, s, len);
	if (k->hidden || (k->branch && !cs->o->branch))
		return err_set(e, -EINVAL, "Invalid --%s key: `%.*s'", l->what, (int)len, s);
	if (k->switches && !cs->o->switches)
		return err_set(e, -EINVAL, NEEDS_SWITCHES);
	c = col_of(cs, k);
	if (!c || *l->n == MAX_KEYS)
		return err_set(e, -E2BIG, "more than %d --%s keys", MAX_KEYS, l->what);
	/* Each key of -F is a level; numbers behind it stand on the same. */
	if (fields && k->at != KEY_STAT)
		l->level++;
	if (cs->nr_cols > had)
		c->level = l->level;
	push_col(l->v, l->n, c);
	return 0;
}

/* Between two keys of -s: the next one is a level below, but within braces. */
static void step_level(struct key_list *l, char delim)
{
	if (l->what[0] == 'f')
		return;
	if (!l->in_braces)
		l->level++;
	if (delim == '{' || delim == '}')
		l->in_braces = delim == '{';
}

/* Adds the keys of a comma list. */
static int parse_list(struct columns *cs, const char *s, struct key_list *l, struct err *e)
{
	const char *delims = l->what[0] == 'f' ? ", " : "{}, ";

	while (*s) {
		size_t len = strcspn(s, delims);
		int ret = len ? add_key(cs, s, len, l, e) : 0;

		if (ret)
			return ret;
		s += len;
		if (*s)
			step_level(l, *s++);
	}
	return 0;
}

static void push_key(struct columns *cs, struct keys_col **list, unsigned *n, const char *name)
{
	push_col(list, n, col_of(cs, key_find(name, strlen(name))));
}

/* The same for a key of its own level, unless it has one. */
static void push_key_at(struct columns *cs, struct keys_col **list, unsigned *n, const char *name,
			int level)
{
	unsigned had = cs->nr_cols;

	push_key(cs, list, n, name);
	if (cs->nr_cols > had)
		cs->cols[had].level = level;
}

static bool has_key(struct keys_col *const *keys, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(keys[i]->key->name, name))
			return true;
	return false;
}

static bool has_share(struct keys_col *const *keys, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!strncmp(keys[i]->key->name, "overhead", 8) || keys[i]->key->latency)
			return true;
	return false;
}

/* The columns of shares, in their order; under --latency in the other one. */
static const char *const shares[2][4] = {
	{ "overhead_children", "latency_children", "overhead", "latency" },
	{ "latency_children", "overhead_children", "latency", "overhead" },
};

static bool share_is_there(const struct columns *cs, const char *name)
{
	const struct key *k = key_find(name, strlen(name));

	return (!k->acc || cs->o->children) && (!k->latency || cs->o->switches);
}

/* --latency: shares that the text of the sort keys does not name come before the others. */
static bool share_is_added(const struct columns *cs, const char *name)
{
	return cs->o->latency && !(cs->o->sort && strstr(cs->o->sort, name));
}

/* Whoever names columns of shares among the keys gets these and no other; they stay in front. */
static void push_default_stats(struct columns *cs, struct keys_col *const *keys, unsigned nr,
			       struct keys_col **list, unsigned *n)
{
	bool all = !has_share(keys, nr);
	const struct acc *acc;

	for (size_t i = 0; i < ARRAY_SIZE(shares[0]); i++) {
		const char *name = shares[cs->o->latency][i];
		bool named = has_key(keys, nr, name);

		if (!share_is_there(cs, name) || !(all || named || share_is_added(cs, name)))
			continue;
		push_key(cs, list, n, name);
	}
	if (cs->o->show_modes) {
		push_key(cs, list, n, "overhead_sys");
		push_key(cs, list, n, "overhead_us");
	}
	if (cs->o->show_samples)
		push_key(cs, list, n, "sample");
	if (cs->o->show_period)
		push_key(cs, list, n, "period");
	for (unsigned i = 0; (acc = keys_acc_at(i)); i++)
		for (unsigned c = 0; acc->shown && acc->shown(cs->o) && c < acc->nr_cols; c++)
			push_col(list, n, col_of(cs, &acc->cols[c]));
}

/* Keys with `symbol` in their list get an IPC column, which only branch mode can fill. */
static void push_ipc(struct columns *cs, struct key_list *l)
{
	const char *name = cs->o->branch ? "ipc_lbr" : "ipc_null";

	if (!cs->o->sort || !strstr(cs->o->sort, "symbol"))
		return;
	step_level(l, ',');
	push_key_at(cs, l->v, l->n, name, l->level);
}

const char *keys_default_sort(const struct keys_opts *o)
{
	return o->branch						   ? DEFAULT_BRANCH_SORT
	       : o->mem							   ? DEFAULT_MEM_SORT
	       : o->dirty						   ? DEFAULT_DIRTY_SORT
	       : o->idle						   ? DEFAULT_IDLE_SORT
	       : o->simd || o->numbers || o->values || o->apx || o->shadow ? DEFAULT_SIMD_SORT
									   : DEFAULT_SORT;
}

/* The keys of --sort. */
static int choose_keys(struct columns *cs, bool strict, struct keys_col **keys, unsigned *n,
		       struct err *e)
{
	struct key_list l = { .what = "sort", .v = keys, .n = n };
	const char *sort = cs->o->sort;
	bool plus = sort && *sort == '+';
	int ret = 0;

	/* Shares that nobody has named stand before the first key. */
	l.level = !strict && !(sort && (strstr(sort, "overhead") || strstr(sort, "latency")));
	if (plus) {
		ret = parse_list(cs, keys_default_sort(cs->o), &l, e);
		step_level(&l, ',');
		sort++;
	}
	if (!sort && !strict)
		sort = keys_default_sort(cs->o);
	if (!ret && sort)
		ret = parse_list(cs, sort, &l, e);
	if (!ret)
		push_ipc(cs, &l);
	return ret;
}

int keys_cols_choose(struct columns *cs, struct err *e)
{
	const char *fields = cs->o->fields;
	bool strict = fields && *fields && *fields != '+';
	struct key_list out = { .what = "fields", .v = cs->out, .n = &cs->nr_out };
	struct keys_col *keys[MAX_KEYS];
	unsigned n = 0;
	int ret = choose_keys(cs, strict, keys, &n, e);

	if (ret)
		return ret;
	if (!strict) {
		push_default_stats(cs, keys, n, cs->out, &cs->nr_out);
		for (size_t i = 0; i < ARRAY_SIZE(shares[0]); i++) {
			const char *name = shares[cs->o->latency][i];

			if (share_is_there(cs, name) &&
			    (!has_share(keys, n) || share_is_added(cs, name)))
				push_key(cs, cs->order, &cs->nr_order, name);
		}
	}
	cs->latency_named = strict || cs->o->latency;
	for (unsigned i = 0; i < n; i++)
		cs->latency_named |= keys[i]->key->latency;
	if (cs->o->parent)
		push_key_at(cs, keys, &n, "parent", INT_MAX);
	if (fields) {
		ret = parse_list(cs, fields + (*fields == '+'), &out, e);
		if (ret)
			return ret;
	}
	for (unsigned i = 0; i < n; i++) {
		push_col(cs->out, &cs->nr_out, keys[i]);
		push_col(cs->order, &cs->nr_order, keys[i]);
	}
	for (unsigned i = 0; i < cs->nr_out; i++)
		push_col(cs->order, &cs->nr_order, cs->out[i]);
	if (cs->too_many)
		return err_set(e, -E2BIG,
			       "more than %d columns, with those that other options ask for",
			       MAX_KEYS);
	return 0;
}

/*
 * A filter for exactly one comm, dso or symbol takes the column away and says so in a line instead;
 * but not the last key, and no level of a hierarchy.
 */
void keys_cols_elide(struct columns *cs)
{
	static const struct {
		const char *key;
		enum session_filter_list list;
	} lists[] = {
		{ "comm", SESSION_COMMS },
		{ "dso", SESSION_DSOS },
		{ "symbol", SESSION_SYMBOLS },
	};
	const char *const *names;
	bool others = false;

	for (unsigned i = 0; i < cs->nr_cols; i++) {
		for (size_t j = 0; j < ARRAY_SIZE(lists); j++)
			if (!strcmp(cs->cols[i].key->name, lists[j].key) &&
			    session_filter_names(cs->o->filter.session, lists[j].list, &names) == 1)
				cs->cols[i].one_value = names[0];
		others |= cs->cols[i].key->at != KEY_STAT && !cs->cols[i].one_value;
	}
	for (unsigned i = 0; i < cs->nr_cols; i++)
		cs->cols[i].elided = others && cs->cols[i].one_value && !cs->o->hierarchy;
}
