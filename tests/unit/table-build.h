/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine and its maps made by hand, for the tests of tables and views: what they share of it. */
#ifndef PERF_UNIT_TABLE_BUILD_H
#define PERF_UNIT_TABLE_BUILD_H

#include "perfdata-build.h"
#include "view/view.h"

static struct machine *m;
static struct resolver *res;
static struct view *v; /* of the table that finish() was called for */

static inline int build_machine(const struct symbol_opts *so)
{
	return machine_new(&m, "x86_64", NULL) || resolver_new(&res, m, so, NULL) ? -1 : 0;
}

/* For tests whose addresses have no symbols. */
static inline int setup_bare(void **state)
{
	const struct symbol_opts so = { .symfs = "/nonexistent", .no_host_kernel = true };

	(void)state;
	return build_machine(&so);
}

static inline int teardown(void **state)
{
	(void)state;
	resolver_free(res);
	machine_free(m);
	return 0;
}

/* An MMAP record: @pid has @size bytes of @path at @start, from @off in the file on. */
static inline void map_file(uint32_t pid, uint64_t start, uint64_t size, uint64_t off,
			    const char *path)
{
	static struct build f;
	struct perfdata_event ev = { 0 };
	struct record rec;

	start_records(&f, host_is_big_endian());
	put_mmap(&f, PERF_RECORD_MISC_USER, pid, start, size, off, path);
	rec = built_record(&f, 0, &ev);
	assert_int_equal(machine_record(m, &rec, NULL), 0);
}

/* An MMAP record for the part of this program that holds @addr. */
static inline void map_self(uintptr_t addr)
{
	unsigned long start, end, off;
	char line[4400], path[4096];
	FILE *f = fopen("/proc/self/maps", "r");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4000[^\n]", &start, &end, &off, path) !=
			    4 ||
		    addr < start || addr >= end)
			continue;
		map_file(1, start, end - start, off, path);
	}
	fclose(f);
}

static inline struct table *new_profile(const struct keys_opts *o)
{
	struct table *t = NULL;
	struct err e = { 0 };

	if (table_new(&t, o, m, res, NULL, &e))
		fail_msg("%s", e.text);
	return t;
}

/* What --comms, --tid and so on of @o leave; to be freed. */
static inline struct session_filter *new_filter(const struct session_opts *o)
{
	struct session_filter *f = NULL;
	struct err e = { 0 };

	if (session_filter_new(&f, o, &e))
		fail_msg("%s", e.text);
	return f;
}

/* No more samples: there is a view of it. */
static inline void finish(struct table *t)
{
	struct err e = { 0 };

	if (table_finish(t, &e) || view_new(&v, t, NULL, NULL, &e))
		fail_msg("%s", e.text);
}

static inline void done(struct table *t)
{
	view_free(v);
	v = NULL;
	table_free(t);
}

/* What the columns behind the share say of the only row of x86 samples; "-" for what is not known. */
static inline void expect_columns(struct keys_opts o, const char *want,
				  void (*fill)(struct table *))
{
	struct table *t;
	struct obuf out;

	o.arch = REGS_ARCH_X86;
	t = new_profile(&o);
	fill(t);
	finish(t);
	assert_int_equal(obuf_init(&out, -1, 0), 0);
	assert_int_equal(view_nr_rows(v, 0), 1);
	for (size_t c = 1; c + 1 < view_nr_cols(v); c++) {
		if (c > 1)
			obuf_char(&out, ' ');
		view_value(v, view_row(v, 0, 0), view_col(v, c), &out);
	}
	obuf_char(&out, 0);
	assert_string_equal(out.buf, want);
	obuf_free(&out);
	done(t);
}

#endif
