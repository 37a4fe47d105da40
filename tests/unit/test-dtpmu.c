// SPDX-License-Identifier: GPL-2.0-or-later
/* Loading trees, sound and hostile; codes and event strings; another PMU; the parser's hook. */
#include <sys/utsname.h>

#include "unit.h"

#include "config.h"
#include "dtpmu/dtpmu.h"
#include "events/events.h"

#if HAVE_LIBFDT
#include <libfdt.h>
#endif

#define DATA "tests/data/dtpmu/"

static struct dtpmu_list *load_flags(const char *path, unsigned flags)
{
	struct dtpmu_list *l = NULL;
	struct err err = { 0 };

	if (!HAVE_LIBFDT)
		skip_because("built without libfdt");
	if (dtpmu_load(&l, path, flags, &err) == -ENOENT && strstr(err.text, "start dtc")) {
		skip_because("dtc is not installed");
	}
	if (!l)
		fail_msg("%s", err.text);
	return l;
}

static struct dtpmu_list *load(const char *path)
{
	return load_flags(path, 0);
}

static const struct dtpmu_finding *finding(const struct dtpmu *pmu, const char *node,
					   const char *part)
{
	vec_for_each (f, &pmu->findings)
		if (!strcmp(f->node, node) && strstr(f->text, part))
			return f;
	return NULL;
}

/* ---- codes and strings ---- */

static void test_fields_round_trip(void **state)
{
	struct dtpmu_list *l = load(DATA "power10-pmu.dts");
	const struct dtpmu *pmu = l->pmu[0];
	struct dtpmu_want all = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(pmu->owned[0], ~0ULL);
	all.config = 0x123456789abcdef0ULL;
	all.config1 = 0x2fedc;
	assert_ptr_equal(dtpmu_field(pmu, "PMCx"), dtpmu_field(pmu, "pmc"));
	all.config1 = 1 << 18;
	assert_int_equal(dtpmu_owned(pmu, &all, &err), -EINVAL);
	assert_non_null(strstr(err.text, "0x40000 of config1"));
	dtpmu_free(l);
}

static const struct {
	const char *text;
	int ret;
	uint64_t config, config1;
	unsigned flags;
} strings[] = {
	{ "cycles", 0, 0x600f4, 0, 0 },
	{ "PM_CYC", 0, 0x600f4, 0, 0 },
	{ "0x500fa", 0, 0x500fa, 0, 0 },
	{ "r500fa", 0, 0x500fa, 0, 0 },
	{ "cycles:u", 0, 0x600f4, 0, DTPMU_EXCLUDE_KERNEL | DTPMU_EXCLUDE_HV },
	{ "cycles:ukhIb", 0, 0x600f4, 0, DTPMU_EXCLUDE_IDLE | DTPMU_BRANCH_STACK },
	{ "pmcxsel=0xf4,pmc=6", 0, 0x600f4, 0, 0 },
	{ "cpu_dts/event=0x600f4/", 0, 0x600f4, 0, 0 },
	{ "cpu_dts/cycles/k", 0, 0x600f4, 0, DTPMU_EXCLUDE_USER | DTPMU_EXCLUDE_HV },
	{ "cpu_dts/cycles,mark/", 0, 0x601f4, 0, 0 },
	{ "mem-loads,thresh_cmp=1000", 0, 0x35340401e0, 1000, 0 },
	{ "cache_sel=3", 0, 0x300000, 0, 0 },
	{ "", -EINVAL, 0, 0, 0 },
	{ "cpu_dts//", -EINVAL, 0, 0, 0 },
	{ "cpu_dts/cycles", -EINVAL, 0, 0, 0 },
	{ "cpu/cycles/", -ENOENT, 0, 0, 0 },
	{ "cyclops", -ENOENT, 0, 0, 0 },
	{ "pmc=16", -ERANGE, 0, 0, 0 },
	{ "pmc=six", -EINVAL, 0, 0, 0 },
	{ "pmc=-1", -EINVAL, 0, 0, 0 },
	{ "cycles:x", -EINVAL, 0, 0, 0 },
	{ "thresh_cmp=0x40000", -ERANGE, 0, 0, 0 },
	{ "config1=0x40000", -EINVAL, 0, 0, 0 },
};

static void test_event_strings(void **state)
{
	struct dtpmu_list *l = load(DATA "power10-pmu.dts");
	struct err err;
	struct dtpmu_want w;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(strings); i++) {
		int ret = dtpmu_parse_event(l->pmu[0], strings[i].text, &w, &err);

		if (ret != strings[i].ret)
			fail_msg("'%s': %d, wanted %d", strings[i].text, ret, strings[i].ret);
		if (ret)
			continue;
		assert_int_equal(w.config, strings[i].config);
		assert_int_equal(w.config1, strings[i].config1);
		assert_int_equal(w.flags, strings[i].flags);
	}
	dtpmu_free(l);
}

/* ---- groups ---- */

static void test_refusals_are_explained(void **state)
{
	struct dtpmu_list *l = load(DATA "power10-pmu.dts");
	const struct dtpmu *pmu = l->pmu[0];
	static const struct {
		const char *ev[8];
		enum dtpmu_verdict verdict;
		const char *say;
	} rows[] = {
		{ { "cycles", "instructions", "branches" }, DTPMU_OK, "can be counted" },
		{ { "l3-data-hit", "l1-instruction-miss" },
		  DTPMU_CONFLICT,
		  "event 1, l3-data-hit (0x1340000001c040), and event 2, l1-instruction-miss "
		  "(0x3f00000001c040), clash on PMC1" },
		{ { "pmc=7" }, DTPMU_INVALID, "names a counter that does not exist" },
		{ { "pmc=5" }, DTPMU_INVALID, "counts another event" },
		{ { "ebb=1" }, DTPMU_INVALID, "needs a counter number" },
		{ { "bhrb=1" }, DTPMU_INVALID, "needs the event based branch flag" },
		{ { "0x2", "0x2", "0x2", "0x2", "0x2", "0x2", "0x2" },
		  DTPMU_TOO_MANY,
		  "more events than the 6 counters" },
		{ { "0x4080", "0x4080", "0x4080", "0x4080", "0x4080" },
		  DTPMU_CONFLICT,
		  "event 5, l1-instruction-hit (0x4080), finds no room beside the 4 before it: NC" },
		{ { "0x104080", "0x4080" },
		  DTPMU_CONFLICT,
		  "l1-qualifier: one needs 0x1, the other 0x0" },
	};
	char text[640];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct dtpmu_want w[8];
		struct dtpmu_answer a;
		size_t n = 0;

		for (; n < 8 && rows[i].ev[n]; n++)
			assert_int_equal(dtpmu_parse_event(pmu, rows[i].ev[n], &w[n], NULL), 0);
		dtpmu_check(pmu, w, n, 0, &a);
		dtpmu_explain(pmu, &a, text, sizeof(text));
		if (a.verdict != rows[i].verdict || !strstr(text, rows[i].say))
			fail_msg("row %zu: %d, %s", i, a.verdict, text);
	}
	dtpmu_free(l);
}

static void test_reserved_values(void **state)
{
	struct dtpmu_list *l = load(DATA "power10-pmu.dts");
	struct dtpmu_want w = { .config = 3ULL << 24 };
	struct dtpmu_answer a;

	(void)state;
	dtpmu_check(l->pmu[0], &w, 1, 0, &a);
	assert_int_equal(a.verdict, DTPMU_OK);
	assert_non_null(a.use[0].reserved);
	assert_string_equal(a.use[0].reserved->name, "sample-mode");
	dtpmu_free(l);
}

/* ---- a PMU that shares nothing with Power ---- */

static void test_another_pmu(void **state)
{
	struct dtpmu_list *l = load(DATA "other-pmu.dts");
	const struct dtpmu *pmu = l->pmu[0];
	static const char *const group[] = { "tag-hits", "ticks",    "ticks",	"select=5,ctr=3",
					     "tag-hits", "select=1", "select=2" };
	struct dtpmu_want w[7];
	struct dtpmu_answer a;

	(void)state;
	assert_string_equal(pmu->path, "/pmus/vendor/pmu_acme");
	assert_int_equal(pmu->nr_pmc, 8);
	assert_int_equal(weight_u64(pmu->programmable), 6);
	assert_null(dtpmu_event(pmu, "off")); /* its status is disabled */
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(dtpmu_parse_event(pmu, group[i], &w[i], NULL), 0);
	dtpmu_check(pmu, w, 7, 0, &a);
	assert_int_equal(a.verdict, DTPMU_OK);
	/* the second tick moves to its alternative, on a programmable counter */
	assert_int_equal(a.use[1].pmc, 7);
	assert_int_equal(a.use[2].config, 0x55);
	assert_int_equal(a.use[2].pmc, 2);
	assert_int_equal(a.use[3].pmc, 3);
	assert_int_equal(a.use[6].pmc, 6);
	assert_int_equal(a.mmcr[0], BIT(63) | BIT(62) | BIT(3));
	assert_int_equal(a.mmcr[1], 0x001ULL << 50 | 0x055ULL << 40 | 0x005ULL << 30 |
					    0x001ULL << 20 | 0x001ULL << 10 | 0x002);
	assert_int_equal(a.mmcr[2], 1 << 8);
	w[0].config = w[0].config + (1 << 10); /* the other channel */
	dtpmu_check(pmu, w, 5, 0, &a);
	assert_int_equal(a.verdict, DTPMU_CONFLICT);
	assert_int_equal(a.conflict_at, 2); /* two ticks: the first pass sees that first */
	dtpmu_free(l);
}

/* ---- lint ---- */

static void test_lint_names_the_published_faults(void **state)
{
	struct dtpmu_list *l = load_flags(DATA "power10-published-pmu.dts", DTPMU_AS_PUBLISHED);
	const struct dtpmu *pmu = l->pmu[0];
	static const char *const known[][2] = {
		{ "evt_code_format/PMCxCOMB", "POWER8's" },
		{ "evt_code_format/PMCxCOMB", "less than the 2 bits" },
		{ "evt_code_format", "ibm,pmus" },
		{ "evt_code_format/SDAR_MODE", "no default-value" },
		{ "evt_code_format/RAND_SAMP_MODE", "no condition" },
		{ "evt_code_format/L2L3_SELECT", "no condition" },
		{ "evt_code_format/IFM", "no condition" },
		{ "evt_code_format/BHRB", "bit 62" },
		{ "evt_code_format/EBB", "bit 63" },
		{ "config1_format/THRESH_CMP", "no config1_format" },
		{ "mmcr2/fcwait", "missing" },
		{ "mmcr0-setters/pmcjce", "lacks PMC5 and PMC6" },
		{ "mmcr0-setters/fc56", "inverted" },
		{ "mmcr0-setters/pmccext", "missing" },
		{ "mmcr0-setters/c56run", "missing" },
		{ "mmcra-setters/bhrbrd", "missing" },
		{ "constraints/threshold/thresh-sel", "thresh-ctl" },
		{ "thresh-sel", "is not event-mask" },
		{ "constraints/threshold/thresh-cmp", "event-shift 40" },
		{ "constraints/cache", "POWER8 rule" },
		{ "constraints/cache/cache-group", "POWER9 rule" },
		{ "cache-group", "is not event-mask" },
		{ "constraints/cache/cache-pmc4", "POWER9 rule" },
		{ "constraints/cache/l2l3-group", "40 and 55" },
		{ "l2l3-group", "is not event-mask" },
		{ "constraints/grouping", "bit 54" },
		{ "constraints/fab-match", "POWER8 rule" },
		{ "constraints/nc", "means nothing" },
		{ "constraints/alternatives/cycles", "no table" },
		{ "events/cycles", "generic" },
	};
	bool cells = false;

	(void)state;
	assert_int_equal(dtpmu_lint(l, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!finding(pmu, known[i][0], known[i][1]))
			fail_msg("lint does not say of %s: %s", known[i][0], known[i][1]);
	vec_for_each (f, &pmu->findings)
		cells |= strstr(f->text, "in four cells") != NULL;
	assert_true(cells);
	dtpmu_free(l);
}

static void test_lint_is_quiet_about_sound_trees(void **state)
{
	static const char *const trees[] = { "power10", "power9", "power8", "other" };
	char path[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
		struct dtpmu_list *l;

		snprintf(path, sizeof(path), DATA "%s-pmu.dts", trees[i]);
		l = load_flags(path, DTPMU_AS_PUBLISHED);
		assert_int_equal(dtpmu_lint(l, NULL), 0);
		vec_for_each (f, &l->pmu[0]->findings)
			if (f->level == DTPMU_FAULT)
				fail_msg("%s: %s: %s", trees[i], f->node, f->text);
		dtpmu_free(l);
	}
}

/* ---- where trees come from ---- */

static void test_no_tree(void **state)
{
	struct dtpmu_list *l;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(dtpmu_load(&l, "tests/data/dtpmu/nowhere", 0, &err), -ENOENT);
	assert_null(l);
	assert_int_equal(dtpmu_load(&l, "Makefile", 0, &err), -EINVAL);
	assert_non_null(strstr(err.text, "neither a device tree blob nor a source"));
	assert_int_equal(dtpmu_load(&l, "tests", 0, &err), -ENODEV);
	assert_non_null(strstr(err.hint, "ibm,power-pmu"));
	setenv("PERF_PMU_DT", "tests/data/dtpmu/nowhere", 1);
	assert_int_equal(dtpmu_load_default(&l, NULL, 0, &err), -ENOENT);
	unsetenv("PERF_PMU_DT");
}

#if HAVE_LIBFDT

static void *compile(const char *dts, size_t *size)
{
	char cmd[256];
	char *blob = malloc(1 << 20);
	FILE *f;

	snprintf(cmd, sizeof(cmd), "dtc -q -I dts -O dtb %s 2>/dev/null", dts);
	f = popen(cmd, "r");
	assert_non_null(f);
	assert_non_null(blob);
	*size = fread(blob, 1, 1 << 20, f);
	if (pclose(f) || !*size) {
		free(blob);
		skip_because("dtc is not installed");
	}
	return blob;
}

/* Whatever the bytes are: an error or a description, and every question gets an answer. */
static bool survives(const unsigned char *blob, size_t size)
{
	struct dtpmu_want w[3] = { { .config = 0x600f4 }, { .config = 0x1e }, { .config = ~0ULL } };
	struct dtpmu_list *l = NULL;
	struct err err = { 0 };
	struct dtpmu_answer a;
	char text[256];

	if (dtpmu_load_blob(&l, blob, size, 0, &err)) {
		assert_true(err.text[0]);
		return false;
	}
	for (size_t i = 0; i < l->nr; i++) {
		dtpmu_check(l->pmu[i], w, 3, 0, &a);
		dtpmu_explain(l->pmu[i], &a, text, sizeof(text));
	}
	dtpmu_lint(l, &err);
	dtpmu_free(l);
	return true;
}

static void test_hostile_blobs(void **state)
{
	size_t size, loaded = 0;
	unsigned char *blob = compile(DATA "power10-pmu.dts", &size), *copy = malloc(size);
	uint64_t rnd = 1;

	(void)state;
	for (size_t cut = 0; cut < size; cut += cut < 256 ? 1 : 61)
		assert_false(survives(blob, cut));
	for (int i = 0; i < 3000; i++) {
		memcpy(copy, blob, size);
		for (int k = 0; k <= i % 4; k++) {
			rnd = hash_u64(rnd + 1);
			copy[rnd % size] = (unsigned char)(rnd >> 32);
		}
		loaded += survives(copy, size);
	}
	print_message("# %zu of 3000 damaged blobs still made sense\n", loaded);
	for (size_t i = 0; i < size; i++)
		copy[i] = (unsigned char)(rnd = hash_u64(rnd));
	assert_false(survives(copy, size));
	memcpy(copy, blob, 40); /* a header and noise */
	assert_false(survives(copy, size));
	free(copy);
	free(blob);
}

/* Every version, and every field of the header at its edges: libfdt's own check died of some. */
static void test_hostile_headers(void **state)
{
	static const uint32_t edges[] = { 0, 1, 2, 3, 15, 16, 17, 18, 0x7fffffff, 0x80000000, ~0U };
	size_t size;
	unsigned char *blob = compile(DATA "power10-pmu.dts", &size), *copy = malloc(size);
	struct dtpmu_list *l;
	struct err err;

	(void)state;
	assert_non_null(copy);
	for (unsigned word = 1; word < 10; word++) {
		for (unsigned i = 0; i < 2 * ARRAY_SIZE(edges); i++) {
			memcpy(copy, blob, size);
			fdt32_st(copy + 4 * word, edges[i / 2]);
			if (i & 1) /* a blob of any version says which may read it */
				fdt32_st(copy + 24, 1);
			survives(copy, size);
		}
	}
	for (uint32_t version = 0; version < 16; version++) {
		memcpy(copy, blob, size);
		fdt32_st(copy + 20, version);
		fdt32_st(copy + 24, version);
		assert_int_equal(dtpmu_load_blob(&l, copy, size, 0, &err), -EINVAL);
		assert_non_null(strstr(err.text, "16 is the oldest"));
		assert_non_null(strstr(err.hint, "dtc -I dtb -O dtb"));
	}
	free(copy);
	free(blob);
}

/* Properties that say they are longer than the tree, or end where libfdt's int has wrapped: a
 * length of -12 led it to the same property again, and it never came back. */
static void test_hostile_lengths(void **state)
{
	static const uint32_t edges[] = {
		-4, -8, -12, -16, -400, 0x7fffffff, 0x7ffffff0, 0x80000000
	};
	size_t size;
	unsigned char *blob = compile(DATA "other-pmu.dts", &size), *copy = malloc(size);
	unsigned tried = 0;

	(void)state;
	assert_non_null(copy);
	memcpy(copy, blob, size);
	for (size_t at = fdt_off_dt_struct(blob); at + 8 <= size; at += 4) {
		uint32_t len = fdt32_ld((const fdt32_t *)(blob + at + 4));

		if (fdt32_ld((const fdt32_t *)(blob + at)) != FDT_PROP)
			continue;
		for (unsigned i = 0; i < ARRAY_SIZE(edges); i++, tried++) {
			fdt32_st(copy + at + 4, edges[i]);
			survives(copy, size);
		}
		fdt32_st(copy + at + 4, len);
	}
	assert_true(tried > 100);
	free(copy);
	free(blob);
}

static void test_unaligned_blob(void **state)
{
	size_t size;
	unsigned char *blob = compile(DATA "power10-pmu.dts", &size);

	(void)state;
	memmove(blob + 1, blob, size);
	assert_true(survives(blob + 1, size));
	free(blob);
}

/* A tree in @blob, up to what its root holds. */
static void begin_tree(char *blob, size_t size)
{
	fdt_create(blob, (int)size);
	fdt_finish_reservemap(blob);
	fdt_begin_node(blob, "");
}

/* A PMU of four counters, up to the fields of its codes. */
static void begin_code_format(char *blob)
{
	fdt_begin_node(blob, "p");
	fdt_property_string(blob, "compatible", "ibm,power-pmu");
	fdt_property_u32(blob, "nr_pmc", 4);
	fdt_begin_node(blob, "evt_code_format");
}

static void test_too_deep(void **state)
{
	static char blob[64 << 10];
	struct dtpmu_list *l;
	struct err err;

	(void)state;
	begin_tree(blob, sizeof(blob));
	for (int i = 0; i < 1000; i++)
		fdt_begin_node(blob, "pmus");
	for (int i = 0; i <= 1000; i++)
		fdt_end_node(blob);
	assert_int_equal(fdt_finish(blob), 0);
	assert_int_equal(dtpmu_load_blob(&l, blob, sizeof(blob), 0, &err), -ELOOP);
	assert_non_null(strstr(err.text, "nested deeper"));
}

/* @nodes with @nr properties each: names of @len characters, or, with @tails, ends of one such name. */
static void make_names(char *blob, int size, unsigned nodes, unsigned nr, int len, bool tails)
{
	char name[512];

	begin_tree(blob, size);
	for (unsigned i = 0; i < nodes; i++) {
		fdt_begin_node(blob, "node");
		for (unsigned j = 0; j < nr; j++) {
			snprintf(name, sizeof(name), "%0*u", len, tails ? 0 : j);
			fdt_property(blob, name + (tails ? j : 0), "", 0);
		}
		fdt_end_node(blob);
	}
	fdt_end_node(blob);
	assert_int_equal(fdt_finish(blob), 0);
}

static void test_names_in_names(void **state)
{
	static char blob[4 << 20];
	struct dtpmu_list *l;
	struct err err;

	(void)state;
	make_names(blob, sizeof(blob), 1, 1, 256, false);
	assert_int_equal(dtpmu_load_blob(&l, blob, fdt_totalsize(blob), 0, &err), -EINVAL);
	assert_non_null(strstr(err.text, "not a sound"));
	make_names(blob, sizeof(blob), 1, 1, 255, false);
	assert_int_equal(dtpmu_load_blob(&l, blob, fdt_totalsize(blob), 0, &err), -ENODEV);
	make_names(blob, sizeof(blob), 1, 4096, 5, false);
	assert_int_equal(dtpmu_load_blob(&l, blob, fdt_totalsize(blob), 0, &err), -ENODEV);
	make_names(blob, sizeof(blob), 1, 4097, 5, false);
	assert_int_equal(dtpmu_load_blob(&l, blob, fdt_totalsize(blob), 0, &err), -EFBIG);
	assert_non_null(strstr(err.text, "more than 4096 properties"));
	/* a file of less than 2 MB would be more than 16 in memory */
	make_names(blob, sizeof(blob), 450, 250, 255, true);
	assert_in_range(fdt_totalsize(blob), 1, 2 << 20);
	assert_int_equal(dtpmu_load_blob(&l, blob, fdt_totalsize(blob), 0, &err), -EFBIG);
}

/* 10,000 codes that stand for each other, all on one counter: pairs of them are many millions. */
static void test_many_alternatives(void **state)
{
	static const struct dtpmu_want both[] = { { .config = 0x10000 }, { .config = 0x10001 } };
	static char blob[1 << 20];
	static uint64_t codes[10000];
	struct dtpmu_answer a;
	struct dtpmu_list *l;
	char text[768];

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(codes); i++)
		codes[i] = cpu_to_fdt64(0x10000 + i);
	begin_tree(blob, sizeof(blob));
	begin_code_format(blob);
	fdt_begin_node(blob, "PMCx");
	fdt_property_u64(blob, "bits", 16ULL << 32 | 19);
	fdt_end_node(blob);
	fdt_begin_node(blob, "SEL");
	fdt_property_u64(blob, "bits", 15);
	fdt_end_node(blob);
	fdt_end_node(blob);
	fdt_begin_node(blob, "constraints");
	fdt_begin_node(blob, "alternatives");
	fdt_begin_node(blob, "row");
	fdt_property(blob, "valid-events", codes, sizeof(codes));
	for (int i = 0; i < 5; i++)
		fdt_end_node(blob);
	assert_int_equal(fdt_finish(blob), 0);
	assert_int_equal(dtpmu_load_blob(&l, blob, fdt_totalsize(blob), 0, NULL), 0);
	dtpmu_check(l->pmu[0], both, 2, 0, &a);
	assert_int_equal(a.verdict, DTPMU_CONFLICT);
	assert_true(a.gave_up);
	assert_int_equal(a.tried, 100000);
	assert_non_null(strstr(dtpmu_explain(l->pmu[0], &a, text, sizeof(text)), "tried, of more"));
	dtpmu_free(l);
}

/* 2,000 fields of one bit: each pair overlaps, which would be two million findings. */
static void test_many_findings(void **state)
{
	static char blob[1 << 20];
	size_t faults = 0, notes = 0;
	struct dtpmu_list *l;
	char name[16];

	(void)state;
	begin_tree(blob, sizeof(blob));
	begin_code_format(blob);
	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		fdt_begin_node(blob, name);
		fdt_property_u64(blob, "bits", 0);
		fdt_end_node(blob);
	}
	for (int i = 0; i < 3; i++)
		fdt_end_node(blob);
	assert_int_equal(fdt_finish(blob), 0);
	assert_int_equal(dtpmu_load_blob(&l, blob, fdt_totalsize(blob), 0, NULL), 0);
	assert_int_equal(l->pmu[0]->fields.n, 1000);
	assert_non_null(finding(l->pmu[0], "evt_code_format", "more than 1000"));
	assert_int_equal(dtpmu_lint(l, NULL), 0);
	vec_for_each (f, &l->pmu[0]->findings) {
		if (f->level == DTPMU_FAULT && ++faults == 1001)
			assert_string_equal(f->text, "and more of these, which are left out here");
		notes += f->level == DTPMU_NOTE;
	}
	assert_int_equal(faults, 1001);
	assert_int_equal(notes, 1);
	dtpmu_free(l);
}

/* A tree of @nr events with long names, and 1-, 2-, 4- and 3-cell codes. */
static void make_events(char *blob, int size, unsigned nr)
{
	uint32_t cells[4] = { 0 };
	char name[200];

	begin_tree(blob, size);
	fdt_begin_node(blob, "pmus");
	begin_code_format(blob);
	fdt_begin_node(blob, "code");
	cells[1] = cpu_to_fdt32(63);
	fdt_property(blob, "bits", cells, 8);
	fdt_end_node(blob);
	fdt_end_node(blob);
	fdt_begin_node(blob, "events");
	for (unsigned i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "an-event-with-a-name-longer-than-31-characters-%u",
			 i);
		fdt_begin_node(blob, name);
		memset(cells, 0, sizeof(cells));
		cells[i % 4 == 3 ? 3 : i % 4] = cpu_to_fdt32(i + 1);
		if (i % 4 == 3)
			cells[1] = cpu_to_fdt32(1);
		fdt_property(blob, "event_code", cells, 4 * (i % 4 + 1));
		fdt_property_string(blob, "event-category", i % 2 ? "odd" : "even");
		fdt_property_string(blob, "description", "What it counts, in a sentence of words");
		fdt_end_node(blob);
	}
	for (int i = 0; i < 4; i++)
		fdt_end_node(blob);
	assert_int_equal(fdt_finish(blob), 0);
}

static void test_many_events(void **state)
{
	static char blob[4 << 20];
	char name[200];
	struct dtpmu_list *l;
	const struct dtpmu *pmu;

	(void)state;
	make_events(blob, sizeof(blob), 1000);
	assert_int_equal(dtpmu_load_blob(&l, blob, fdt_totalsize(blob), 0, NULL), 0);
	pmu = l->pmu[0];
	assert_int_equal(pmu->events.n, 750); /* a code of three cells is no code */
	for (unsigned i = 0; i < 1000; i++) {
		const struct dtpmu_event *ev;

		snprintf(name, sizeof(name), "an-event-with-a-name-longer-than-31-characters-%u",
			 i);
		ev = dtpmu_event(pmu, name);
		assert_true((ev != NULL) == (i % 4 != 2));
		if (ev)
			assert_int_equal(ev->config, i % 4 == 3 ? BIT(32) | (i + 1) : i + 1);
	}
	dtpmu_free(l);
}

#endif

/* ---- the event parser ---- */

static int configure(struct pmus *t, const char *text, struct event_list *l, struct err *e)
{
	static const struct events_config config;

	return events_parse(l, t, text, e) ?: events_configure(l, &config, e);
}

static void test_event_parser(void **state)
{
	static const char clash[] = "cannot be counted together on cpu_dts: event 1, "
				    "l3-data-hit (0x1340000001c040), and event 2";
	static const struct {
		const char *text, *why;
	} groups[] = {
		{ "{cpu_dts/cycles/,cpu_dts/instructions/}", NULL },
		{ "{cpu_dts/l3-data-hit/,cpu_dts/l1-instruction-miss/}", clash },
		/* whoever leads it */
		{ "{cpu-clock,cpu_dts/l3-data-hit/,cpu_dts/l1-instruction-miss/}", clash },
		/* that may be broken up, but not what no counter takes */
		{ "{cpu_dts/l3-data-hit/,cpu_dts/l1-instruction-miss/}:W", NULL },
		{ "{cpu-clock,cpu_dts/cycles/,cpu_dts/event=0x9001e/}:W", "cannot be counted:" },
	};
	struct event_list l = { 0 };
	struct pmus *t;
	struct err err = { 0 };
	struct pmu *pmu;
	struct utsname machine;

	(void)state;
	if (!HAVE_LIBFDT)
		skip_because("built without libfdt");
	assert_int_equal(pmus_new(&t, "/nonexistent", &err), 0);
	if (pmus_add_device_tree(t, DATA "power10-pmu.dts", &err) == -ENOENT) {
		pmus_free(t);
		skip_because("dtc is not installed");
	}
	pmu = pmus_find(t, "cpu_dts");
	assert_non_null(pmu);
	assert_int_equal(pmu->nr_events, 28);
	assert_non_null(pmu_find_field(pmu, "pmcxsel"));
	assert_int_equal(pmu_find_field(pmu, "event")->mask, BIT(60) - 1);
	assert_int_equal(configure(t,
				   "cpu_dts/l3-data-hit/,cpu_dts/pmcxsel=0xf4,pmc=6/,"
				   "cpu_dts/event=0x600f4,thresh_cmp=7/u,cycles",
				   &l, &err),
			 0);
	assert_int_equal(l.n, 4);
	assert_int_equal(l.v[0].attr.type, PERF_TYPE_RAW);
	assert_int_equal(l.v[0].attr.config, 0x1340000001c040);
	assert_int_equal(l.v[1].attr.config, 0x600f4);
	assert_int_equal(l.v[2].attr.config1, 7);
	assert_int_equal(l.v[3].attr.type, PERF_TYPE_HARDWARE); /* plain names stay generic */
	if (!uname(&machine) && strncmp(machine.machine, "ppc", 3)) {
		assert_int_equal(events_check_machine(&l, &err), -ENODEV);
		assert_non_null(strstr(err.text, "cpu_dts describes POWER10 PMU; this machine is"));
	}
	events_free(&l);
	memset(&l, 0, sizeof(l));
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		memset(&l, 0, sizeof(l));
		assert_int_equal(configure(t, groups[i].text, &l, &err),
				 groups[i].why ? -EINVAL : 0);
		if (groups[i].why)
			assert_non_null(strstr(err.text, groups[i].why));
		events_free(&l);
	}
	pmus_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_round_trip),
		cmocka_unit_test(test_event_strings),
		cmocka_unit_test(test_refusals_are_explained),
		cmocka_unit_test(test_reserved_values),
		cmocka_unit_test(test_another_pmu),
		cmocka_unit_test(test_lint_names_the_published_faults),
		cmocka_unit_test(test_lint_is_quiet_about_sound_trees),
		cmocka_unit_test(test_no_tree),
#if HAVE_LIBFDT
		cmocka_unit_test(test_hostile_blobs),
		cmocka_unit_test(test_hostile_headers),
		cmocka_unit_test(test_hostile_lengths),
		cmocka_unit_test(test_unaligned_blob),
		cmocka_unit_test(test_too_deep),
		cmocka_unit_test(test_many_events),
		cmocka_unit_test(test_names_in_names),
		cmocka_unit_test(test_many_findings),
		cmocka_unit_test(test_many_alternatives),
#endif
		cmocka_unit_test(test_event_parser),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("dtpmu", tests, NULL, NULL);
}
