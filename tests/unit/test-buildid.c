// SPDX-License-Identifier: GPL-2.0-or-later
/* Build ids as lines of text, whose columns scripts cut by number; the cache as a whole. */
#include <sys/stat.h>

#include "buildid/buildid.h"
#include "emit/emit.h"
#include "perfdata-build.h"

#define FULL 20 /* bytes of the ids that linkers make by default */

static void assert_text(struct obuf *o, const char *want)
{
	obuf_char(o, 0);
	assert_string_equal(o->buf, want);
	o->len = 0;
}

static void digits(void **state)
{
	static const uint8_t id[] = { 0x0a, 0xff, 0x00 };
	struct obuf o;

	(void)state;
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	buildid_print(&o, id, sizeof(id));
	assert_text(&o, "0aff00");
	obuf_free(&o);
}

/* A column of 40 letters, whatever there is. */
static void objects(void **state)
{
	struct dso dso = { .name = "/bin/a\nb", .path = "/bin/a\nb" };
	static struct build f;
	uint8_t id[FULL];
	struct perfdata *pd;
	struct obuf o;

	(void)state;
	start_file(&f, false, PERF_ATTR_SIZE_VER5);
	end_file(&f);
	assert_int_equal(open_build(&pd, &f, NULL), 0);
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	buildid_print_dso(pd, &dso, &o);
	assert_text(&o, "                                         /bin/a\\x0ab\n");
	dso.build_id_size = 4; /* shorter ones with zeros behind */
	memset(id, 0xab, sizeof(id));
	dso.build_id = id;
	buildid_print_dso(pd, &dso, &o);
	assert_text(&o, "abababab00000000000000000000000000000000 /bin/a\\x0ab\n");
	dso.build_id_size = FULL;
	buildid_print_dso(pd, &dso, &o);
	assert_text(&o, "abababababababababababababababababababab /bin/a\\x0ab\n");
	obuf_free(&o);
	perfdata_close(pd);
}

static int count_entry(void *ctx, const struct build_id *id, const char *path)
{
	assert_int_equal(id->size, FULL);
	assert_string_equal(path, "/bin/prog");
	++*(int *)ctx;
	return 0;
}

static void cleared(void **state)
{
	char dir[] = "/tmp/test-buildid.XXXXXX", command[64];
	struct build_id id = { .size = FULL, .id = { 1, 2, 3 } };
	int n = 0;

	(void)state;
	assert_non_null(mkdtemp(dir));
	setenv("PERF_BUILDID_DIR", dir, 1);
	assert_int_equal(buildid_cache_add(&id, "/proc/self/exe", "/bin/prog", "elf", NULL), 0);
	id.id[0] = 9;
	assert_int_equal(buildid_cache_add(&id, "/proc/self/exe", "/bin/prog", "elf", NULL), 0);
	assert_int_equal(buildid_cache_list(count_entry, &n, NULL), 0);
	assert_int_equal(n, 2);
	assert_int_equal(buildid_cache_clear(NULL), 0);
	n = 0;
	buildid_cache_list(count_entry, &n, NULL);
	assert_int_equal(n, 0);
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits),
		cmocka_unit_test(objects),
		cmocka_unit_test(cleared),
	};

	return cmocka_run_group_tests_name("buildid", tests, NULL, NULL);
}
