// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Groups of events against what Linux's own code answered for them: verdict, reason, PMCs, codes,
 * every register, the check at open. All rows of ../shared/facts/powerpc when it is there, and a
 * subset of them in tests/data, so that a clone has a test too.
 */
#include <strings.h>
#include "unit.h"

#include "config.h"
#include "dtpmu/dtpmu.h"

#define MAX_COLS 32

struct csv {
	FILE *f;
	char *line;
	size_t cap;
	char *head;
	const char *name[MAX_COLS];
	char *cell[MAX_COLS];
	size_t nr;
};

static size_t split(char *line, char sep, char **v, size_t max)
{
	size_t n = 0;

	line[strcspn(line, "\r\n")] = 0;
	for (char *c = line; c && n < max; n++) {
		v[n] = c;
		c = strchr(c, sep);
		if (c)
			*c++ = 0;
	}
	return n;
}

static bool csv_open(struct csv *c, const char *path)
{
	*c = (struct csv){ .f = fopen(path, "r") };
	if (!c->f)
		return false;
	assert_true(getline(&c->line, &c->cap, c->f) > 0);
	c->head = strdup(c->line);
	c->nr = split(c->head, ',', (char **)c->name, MAX_COLS);
	return true;
}

static bool csv_row(struct csv *c)
{
	if (getline(&c->line, &c->cap, c->f) <= 0)
		return false;
	assert_int_equal(split(c->line, ',', c->cell, MAX_COLS), c->nr);
	return true;
}

static void csv_close(struct csv *c)
{
	fclose(c->f);
	free(c->line);
	free(c->head);
}

static const char *get(const struct csv *c, const char *name)
{
	for (size_t i = 0; i < c->nr; i++)
		if (!strcmp(c->name[i], name))
			return c->cell[i];
	fail_msg("no column %s", name);
	return "";
}

/* ---- one row ---- */

static size_t wants(const struct csv *c, struct dtpmu_want *w, size_t max)
{
	char codes[1024], configs[1024], flags[1024], *code[32], *config1[32], *flag[32];
	size_t n;

	snprintf(codes, sizeof(codes), "%s", get(c, "codes"));
	snprintf(configs, sizeof(configs), "%s", get(c, "config1"));
	snprintf(flags, sizeof(flags), "%s", get(c, "flags"));
	n = split(codes, ';', code, max);
	assert_int_equal(split(configs, ';', config1, max), n);
	assert_int_equal(split(flags, ';', flag, max), n);
	assert_int_equal(n, strtoul(get(c, "n"), NULL, 10));
	for (size_t i = 0; i < n; i++) {
		w[i] = (struct dtpmu_want){ .config = strtoull(code[i], NULL, 16),
					    .config1 = strtoull(config1[i], NULL, 16) };
		for (const char *f = flag[i]; *f; f++)
			w[i].flags |= *f == 'u'	  ? DTPMU_EXCLUDE_USER
				      : *f == 'k' ? DTPMU_EXCLUDE_KERNEL
				      : *f == 'h' ? DTPMU_EXCLUDE_HV
				      : *f == 'i' ? DTPMU_EXCLUDE_IDLE
				      : *f == 'b' ? DTPMU_BRANCH_STACK
						  : 0;
	}
	return n;
}

static void join(char *buf, size_t size, const char *fmt, size_t i, ...)
	__attribute__((format(printf, 3, 5)));
static void join(char *buf, size_t size, const char *fmt, size_t i, ...)
{
	size_t len = i ? strlen(buf) : 0;
	va_list ap;

	if (i && len + 1 < size)
		buf[len++] = ';';
	va_start(ap, i);
	vsnprintf(buf + len, size - len, fmt, ap);
	va_end(ap);
}

/* The vectors name constraints as Linux does; the tree has its own names. */
static const char *linux_names(const struct dtpmu *pmu, uint64_t bits, char *buf, size_t size)
{
	static const char *const names[][2] = {
		{ "sample", "SAMPLE" },
		{ "radix-scope", "RADIX_SCOPE" },
		{ "l1-qualifier", "L1_QUAL" },
		{ "ebb", "EBB" },
		{ "bhrb", "IFM" },
		{ "thresh-sel", "THRESH_SEL" },
		{ "thresh-ctl", "THRESH_CTL" },
		{ "thresh-cmp", "THRESH_CMP" },
		{ "l2l3-group", "L2L3_GROUP" },
	};
	char ours[256], *word[32];
	size_t n;

	dtpmu_conflict_names(pmu, bits, ours, sizeof(ours));
	buf[0] = 0;
	n = ours[0] ? split(ours, '|', word, 32) : 0;
	for (size_t i = 0; i < n; i++) {
		const char *name = word[i];

		for (size_t k = 0; k < ARRAY_SIZE(names); k++)
			if (!strcmp(names[k][0], name))
				name = names[k][1];
		snprintf(buf + strlen(buf), size - strlen(buf), "%s%s", i ? "|" : "", name);
	}
	return buf;
}

static unsigned same(const struct csv *c, const char *col, const char *got)
{
	if (!strcmp(get(c, col), got))
		return 0;
	print_message("# %s: %s is %s, wanted %s\n", get(c, "id"), col, got, get(c, col));
	return 1;
}

static unsigned compare_events(const struct csv *c, const struct dtpmu_answer *a)
{
	char attr[512] = "", con[1024] = "", codes[512] = "", pmcs[128] = "";
	unsigned bad;

	for (size_t i = 0; i < a->nr; i++) {
		const struct dtpmu_use *u = &a->use[i];

		join(attr, sizeof(attr), "%s", i, u->reserved ? "EINVAL" : "0");
		if (u->valid)
			join(con, sizeof(con), "0x%llx/0x%llx", i, (unsigned long long)u->mask,
			     (unsigned long long)u->value);
		else
			join(con, sizeof(con), "%s", i, "fail");
		join(codes, sizeof(codes), "0x%llx", i, (unsigned long long)u->config);
		join(pmcs, sizeof(pmcs), "%u", i, u->pmc);
	}
	bad = same(c, "attr_rc", attr) + same(c, "constraints", con);
	if (a->verdict == DTPMU_OK)
		bad += same(c, "final_codes", codes) + same(c, "pmcs", pmcs);
	return bad;
}

static unsigned compare_registers(const struct csv *c, const struct dtpmu_answer *a)
{
	static const char *const cols[] = { "mmcr0", "mmcr1", "mmcr2", "mmcr3", "mmcra" };
	unsigned bad = 0;
	char v[32];

	for (size_t i = 0; i < ARRAY_SIZE(cols); i++) {
		snprintf(v, sizeof(v), "0x%llx", (unsigned long long)a->mmcr[i]);
		bad += same(c, cols[i], v);
	}
	return bad;
}

static unsigned compare(const struct csv *c, const struct dtpmu *pmu, bool names)
{
	static const char *const reasons[] = { "", "too_many_events", "invalid_event", "conflict" };
	struct dtpmu_want w[32];
	struct dtpmu_answer a;
	char text[256];
	unsigned bad;

	dtpmu_check(pmu, w, wants(c, w, 32), atoi(get(c, "hvmode")) ? 0 : DTPMU_GUEST, &a);
	bad = same(c, "check", a.verdict == DTPMU_OK ? "ok" : "refused");
	bad += same(c, "reason", reasons[a.verdict]);
	bad += compare_events(c, &a);
	if (a.verdict == DTPMU_OK)
		bad += compare_registers(c, &a);
	snprintf(text, sizeof(text), "%d", a.conflict_at);
	bad += same(c, "first_conflict_at", text);
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)a.conflict_bits);
	bad += same(c, "conflict_bits", text);
	if (names)
		bad += same(c, "conflict_fields",
			    linux_names(pmu, a.conflict_bits, text, sizeof(text)));
	return bad;
}

/* ---- files ---- */

static struct dtpmu_list *load(const char *tree)
{
	struct dtpmu_list *l = NULL;
	struct err err = { 0 };
	char path[256];

	if (!HAVE_LIBFDT)
		skip_because("built without libfdt");
	snprintf(path, sizeof(path), "tests/data/dtpmu/%s-pmu.dts", tree);
	if (dtpmu_load(&l, path, 0, &err) == -ENOENT && strstr(err.text, "start dtc"))
		skip_because("dtc is not installed");
	if (!l)
		fail_msg("%s", err.text);
	return l;
}

static void run_vectors(const char *const *files, const char *p10)
{
	struct dtpmu_list *p8 = load("power8"), *p9 = load("power9"), *list = load(p10);
	unsigned rows = 0, differ = 0, opened = 0;
	struct csv c;

	for (; *files; files++) {
		if (!csv_open(&c, *files))
			continue;
		opened++;
		while (csv_row(&c)) {
			const char *cpu = get(&c, "cpu");
			struct dtpmu_list *l = !strcmp(cpu, "p8")   ? p8
					       : !strcmp(cpu, "p9") ? p9
								    : list;

			differ += compare(&c, l->pmu[0], l == list) != 0;
			rows++;
		}
		csv_close(&c);
	}
	dtpmu_free(p8);
	dtpmu_free(p9);
	dtpmu_free(list);
	if (!opened)
		skip_because("no ../shared/facts/powerpc in this clone");
	print_message("# %u groups compared, %u differ\n", rows, differ);
	assert_true(rows > 0);
	assert_int_equal(differ, 0);
}

static void test_subset(void **state)
{
	static const char *const files[] = { "tests/data/dtpmu/vectors.csv", NULL };

	(void)state;
	run_vectors(files, "power10");
}

static const char *const all_files[] = {
	"../shared/facts/powerpc/ppc-vectors-dev.csv",
	"../shared/facts/powerpc/ppc-vectors-p8p9-dev.csv",
	NULL,
};

static void test_all(void **state)
{
	(void)state;
	run_vectors(all_files, "power10");
}

/* With its known faults corrected, the tree that firmware publishes answers the same. */
static void test_published_tree(void **state)
{
	(void)state;
	run_vectors(all_files, "power10-published");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_subset),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_published_tree),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("dtpmu-vectors", tests, NULL, NULL);
}
