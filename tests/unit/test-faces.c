// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What answers look like: one small profile through every writer, and the walk that brings it to
 * them. Names are as a hostile file could have them: they must not end a line, a value or a
 * string in any face.
 */
#include "faces/faces.h"
#include "perfdata-build.h"
#include "table-build.h"

#define HOSTILE	  "a\"b,\\c\n\033[2J;d" /* of a command */
#define COMM_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID)
#define LIB	  0x1000
#define LIB_SIZE  0x1000

static struct build file;
static struct perfdata *pd;
static struct perfdata_event event;
static struct faces_threads *threads;

static int setup_recording(uint64_t sample_type)
{
	struct err e = { 0 };

	start_file_of(&file, false, PERF_ATTR_SIZE_VER5, sample_type, 0);
	end_file(&file);
	if (open_build(&pd, &file, &e))
		fail_msg("%s", e.text);
	event = (struct perfdata_event){ .name = "cpu-clock", .attr.sample_type = sample_type };
	return 0;
}

static int setup(void **state)
{
	threads = NULL;
	return setup_bare(state);
}

static int teardown_all(void **state)
{
	perfdata_close(pd);
	pd = NULL;
	faces_threads_free(threads);
	return teardown(state);
}

static void name_thread(uint32_t tid, const char *comm)
{
	static struct build b;
	struct record rec;
	size_t at;

	start_records(&b, false);
	at = begin_record(&b, PERF_RECORD_COMM, 0);
	P32(&b, tid);
	P32(&b, tid);
	put_string(&b, comm);
	end_record(&b, at);
	rec = built_record(&b, at, &event);
	assert_int_equal(machine_record(m, &rec, NULL), 0);
}

/* @chain: innermost first, 0 ends it. */
static void add(struct table *t, uint32_t tid, uint64_t period, const uint64_t *chain)
{
	uint64_t ips[16] = { PERF_CONTEXT_USER };
	struct sample s = { .event = &event, .period = period };
	unsigned n = 1;

	for (; chain[n - 1]; n++)
		ips[n] = chain[n - 1];
	s.cpumode = PERF_RECORD_MISC_USER;
	s.ip = chain[0];
	s.pid = s.tid = tid;
	s.present = event.attr.sample_type;
	s.callchain = (struct u64s){ (unsigned char *)ips, n, false };
	assert_int_equal(table_add(t, &s, machine_thread(m, (int)tid, (int)tid), NULL), 0);
}

#define CHAIN(...) ((const uint64_t[]){ __VA_ARGS__, 0 })

/* One branch from @from to @to; @flags: 1 mispredicted, 2 predicted; cycles from bit 4 on. */
static void add_branch(struct table *t, uint32_t tid, uint64_t from, uint64_t to, uint64_t flags)
{
	uint64_t e[3] = { from, to, flags };
	struct sample s = { .event = &event, .period = 1, .cpumode = PERF_RECORD_MISC_USER };

	s.pid = s.tid = tid;
	s.ip = from;
	s.present = event.attr.sample_type;
	s.branches.nr = 1;
	s.branches.entries = (const unsigned char *)e;
	assert_int_equal(table_add(t, &s, machine_thread(m, (int)tid, (int)tid), NULL), 0);
}

/* What @w makes of the rows that @fill adds. */
static char *face(const struct faces_writer *w, const struct keys_opts *po, struct faces f,
		  void (*fill)(struct table *))
{
	struct table *t = new_profile(po);
	struct err e = { 0 };
	struct obuf o;

	fill(t);
	finish(t);
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	f.t = t;
	f.v = v;
	f.po = po;
	f.pd = pd;
	f.m = m;
	f.res = res;
	f.o.socket = -1;
	if (faces_write(&f, w, &o, &e))
		fail_msg("%s", e.text);
	obuf_char(&o, 0);
	done(t);
	return o.buf;
}

static void expect(const struct faces_writer *w, const struct keys_opts *po, struct faces f,
		   void (*fill)(struct table *), const char *want)
{
	char *got = face(w, po, f, fill);

	assert_string_equal(got, want);
	free(got);
}

static const struct faces plain = { .o = { .skip_empty = true } };
static const struct faces quiet = { .o = { .skip_empty = true, .quiet = true } };

/* ---- plain rows -------------------------------------------------------------------------------- */

static void fill_comms(struct table *t)
{
	name_thread(1, "one");
	name_thread(2, "two");
	add(t, 1, 75, CHAIN(0x20));
	add(t, 2, 25, CHAIN(0x20));
}

static const struct keys_opts by_comm = { .sort = "comm", .show_samples = true };

static void text_has_headings_and_aligned_columns(void **state)
{
	(void)state;
	setup_recording(COMM_TYPE);
	expect(&faces_text, &by_comm, plain, fill_comms,
	       "#\n"
	       "# Total Lost Samples: 0\n"
	       "#\n"
	       "# Samples: 2  of event 'cpu-clock'\n"
	       "# Event count (approx.): 100\n"
	       "#\n"
	       "# Overhead       Samples  Command\n"
	       "# ........  ............  .......\n"
	       "#\n"
	       "    75.00%             1  one    \n"
	       "    25.00%             1  two    \n"
	       "\n\n"
	       "#\n"
	       "# (Tip: For a higher level overview, try: perf report --sort comm,dso)\n"
	       "#\n");
}

static void widths_cut_columns(void **state)
{
	struct keys_opts o = by_comm;

	(void)state;
	setup_recording(COMM_TYPE);
	o.widths = "9,4,2";
	expect(&faces_text, &o, quiet, fill_comms,
	       "     75.00%             1  on\n"
	       "     25.00%             1  tw\n"
	       "\n\n");
}

static void separated_has_a_letter_between_columns(void **state)
{
	struct keys_opts o = by_comm;

	(void)state;
	setup_recording(COMM_TYPE);
	o.separator = 'o';
	/* where a name has the letter upstream puts a dot */
	expect(&faces_separated, &o, quiet, fill_comms,
	       " 75.00% o 1          o.ne    \n"
	       " 25.00% o 1          otw.    \n"
	       "\n\n");
}

static void json_has_keys_and_numbers(void **state)
{
	(void)state;
	setup_recording(COMM_TYPE);
	expect(&faces_json, &by_comm, plain, fill_comms,
	       "{\"lost_samples\":0,\"events\":[{\"event\":\"cpu-clock\",\"samples\":2,"
	       "\"event_count\":100,\"rows\":["
	       "{\"overhead\":75.00,\"sample\":1.00,\"comm\":\"one\",\"samples\":1,\"weight\":75},"
	       "{\"overhead\":25.00,\"sample\":1.00,\"comm\":\"two\",\"samples\":1,\"weight\":25}"
	       "]}]}\n");
}

static void csv_has_heads_and_bare_values(void **state)
{
	(void)state;
	setup_recording(COMM_TYPE);
	expect(&faces_csv, &by_comm, plain, fill_comms,
	       "event,overhead,sample,comm,samples,weight\r\n"
	       "cpu-clock,75.00,1,one,1,75\r\n"
	       "cpu-clock,25.00,1,two,1,25\r\n");
}

static void small_rows_are_in_no_face(void **state)
{
	static const struct faces_writer *const writers[] = { &faces_text, &faces_json,
							      &faces_csv };
	struct faces f = quiet;

	(void)state;
	setup_recording(COMM_TYPE);
	f.o.min_percent = 30;
	for (size_t i = 0; i < ARRAY_SIZE(writers); i++) {
		char *got = face(writers[i], &by_comm, f, fill_comms);

		assert_non_null(strstr(got, "one"));
		assert_null(strstr(got, "two"));
		free(got);
	}
}

/* ---- hostile names ------------------------------------------------------------------------------ */

static void fill_hostile(struct table *t)
{
	name_thread(1, HOSTILE);
	add(t, 1, 1, CHAIN(0x20));
}

/* Every byte is a letter or ends a line of the table's. */
static void assert_harmless(const char *text, int lines)
{
	for (; *text; text++) {
		assert_true(*text == '\n' || (*text >= ' ' && *text < 0x7f));
		lines -= *text == '\n';
	}
	assert_int_equal(lines, 0);
}

static void text_escapes(void **state)
{
	static const struct keys_opts o = { .sort = "comm" };
	char *got;

	(void)state;
	setup_recording(COMM_TYPE);
	got = face(&faces_text, &o, quiet, fill_hostile);
	assert_non_null(strstr(got, "100.00%  a\"b,\\c\\x0a\\x1"));
	assert_harmless(got, 3);
	free(got);
}

/* The letter must not be in a value, whatever escaping makes of that. */
static void separated_escapes(void **state)
{
	static const struct keys_opts o = { .sort = "comm", .separator = 'x' };
	char *got;

	(void)state;
	setup_recording(COMM_TYPE);
	got = face(&faces_separated, &o, quiet, fill_hostile);
	assert_non_null(strstr(got, "100.00%xa\"b,\\c\\.0a\\.1"));
	assert_harmless(got, 3);
	free(got);
}

static void json_escapes(void **state)
{
	static const struct keys_opts o = { .sort = "comm" };
	char *got;

	(void)state;
	setup_recording(COMM_TYPE);
	got = face(&faces_json, &o, plain, fill_hostile);
	assert_non_null(strstr(got, "\"comm\":\"a\\\"b,\\\\c\\\\x0a\\\\x1b[2J;d\","));
	free(got);
}

static void csv_quotes(void **state)
{
	static const struct keys_opts o = { .sort = "comm" };

	(void)state;
	setup_recording(COMM_TYPE);
	expect(&faces_csv, &o, plain, fill_hostile,
	       "event,overhead,comm,samples,weight\r\n"
	       "cpu-clock,100.00,\"a\"\"b,\\c\\x0a\\x1b[2J;d\",1,1\r\n");
}

/* ---- rows below rows ---------------------------------------------------------------------------- */

static void fill_levels(struct table *t)
{
	fill_comms(t);
	add(t, 1, 100, CHAIN(0x30));
}

static const struct keys_opts levels = { .sort = "comm,addr", .hierarchy = true };

static void hierarchy_is_indented(void **state)
{
	struct faces f = plain;
	char *got;

	(void)state;
	setup_recording(COMM_TYPE);
	f.o.min_percent = 20;
	got = face(&faces_text, &levels, f, fill_levels);
	assert_non_null(strstr(got, "#    Overhead  Command / Address\n"
				    "# ...........  .....................\n"
				    "#\n"
				    "    87.50%     one    \n"
				    "       50.00%     0x30              \n"
				    "       37.50%     0x20              \n"
				    "\n\n"));
	free(got);
	/* a row whose own rows are all too small says so */
	f.o.min_percent = 60;
	got = face(&faces_text, &levels, f, fill_levels);
	assert_non_null(strstr(got, "    87.50%     one    \n"
				    "                  no entry >= 60.00%\n"
				    "\n\n"));
	free(got);
}

static void hierarchy_is_nested(void **state)
{
	(void)state;
	setup_recording(COMM_TYPE);
	expect(&faces_json, &levels, plain, fill_levels,
	       "{\"lost_samples\":0,\"events\":[{\"event\":\"cpu-clock\",\"samples\":3,"
	       "\"event_count\":200,\"rows\":["
	       "{\"overhead\":87.50,\"comm\":\"one\",\"samples\":2,\"weight\":175,\"rows\":["
	       "{\"overhead\":50.00,\"addr\":\"0x30\",\"samples\":1,\"weight\":100},"
	       "{\"overhead\":37.50,\"addr\":\"0x20\",\"samples\":1,\"weight\":75}]},"
	       "{\"overhead\":12.50,\"comm\":\"two\",\"samples\":1,\"weight\":25,\"rows\":["
	       "{\"overhead\":12.50,\"addr\":\"0x20\",\"samples\":1,\"weight\":25}]}"
	       "]}]}\n");
}

static void hierarchy_in_lines(void **state)
{
	(void)state;
	setup_recording(COMM_TYPE);
	expect(&faces_csv, &levels, plain, fill_levels,
	       "event,level,overhead,comm,addr,samples,weight\r\n"
	       "cpu-clock,0,87.50,one,,2,175\r\n"
	       "cpu-clock,1,50.00,,0x30,1,100\r\n"
	       "cpu-clock,1,37.50,,0x20,1,75\r\n"
	       "cpu-clock,0,12.50,two,,1,25\r\n"
	       "cpu-clock,1,12.50,,0x20,1,25\r\n");
}

/* ---- call trees --------------------------------------------------------------------------------- */

static void fill_chains(struct table *t)
{
	name_thread(1, "one");
	add(t, 1, 60, CHAIN(0x10, 0x20, 0x30));
	add(t, 1, 40, CHAIN(0x10, 0x28, 0x30));
}

static struct keys_opts chains(enum chain_style style)
{
	return (struct keys_opts){ .sort = "comm",
				   .use_chains = true,
				   .chain = { .style = style, .caller = true } };
}

static void graph_in_letters(void **state)
{
	static const struct {
		enum chain_style style;
		const char *want;
	} cases[] = {
		{ CHAIN_GRAPH, "   100.00%  one    \n"
			       "            |\n"
			       "            ---0x30\n"
			       "               |          \n"
			       "               |--60.00%--0x20\n"
			       "               |          0x10\n"
			       "               |          \n"
			       "                --40.00%--0x28\n"
			       "                          0x10\n"
			       "\n\n\n" },
		{ CHAIN_FLAT, "   100.00%  one    \n"
			      "           60.00%\n"
			      "                0x30\n"
			      "                0x20\n"
			      "                0x10\n"
			      "\n"
			      "           40.00%\n"
			      "                0x30\n"
			      "                0x28\n"
			      "                0x10\n"
			      "\n\n\n" },
		{ CHAIN_FOLDED, "   100.00%  one    \n"
				"60.00% 0x30;0x20;0x10\n"
				"40.00% 0x30;0x28;0x10\n"
				"\n\n" },
	};

	(void)state;
	setup_recording(COMM_TYPE | PERF_SAMPLE_CALLCHAIN);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct keys_opts o = chains(cases[i].style);

		expect(&faces_text, &o, quiet, fill_chains, cases[i].want);
	}
}

/* What a limit leaves out for people is there for programs. */
static void print_limit_is_for_people(void **state)
{
	struct keys_opts o = chains(CHAIN_GRAPH);
	char *got;

	(void)state;
	setup_recording(COMM_TYPE | PERF_SAMPLE_CALLCHAIN);
	o.chain.print_limit = 1;
	got = face(&faces_text, &o, quiet, fill_chains);
	assert_non_null(strstr(got, "0x20"));
	assert_null(strstr(got, "0x28"));
	free(got);
	got = face(&faces_json, &o, plain, fill_chains);
	assert_non_null(strstr(got,
			       "\"children\":[{\"frames\":[\"0x30\"],\"period\":100,\"count\":2,"
			       "\"self\":0,\"children\":["
			       "{\"frames\":[\"0x20\",\"0x10\"],\"period\":60,\"count\":1,"
			       "\"self\":60},"
			       "{\"frames\":[\"0x28\",\"0x10\"],\"period\":40,\"count\":1,"
			       "\"self\":40}]}]"));
	free(got);
}

/* ---- branches ----------------------------------------------------------------------------------- */

static void fill_branches(struct table *t)
{
	map_file(1, LIB, LIB_SIZE, 0, "/lib/x\"y.so");
	add_branch(t, 1, LIB + 0x20, LIB + 0x40, 2 | 7 << 4);
	add_branch(t, 1, LIB + 0x20, LIB + 0x40, 1 | 9 << 4);
}

static void dot_is_quoted(void **state)
{
	static const struct keys_opts o = { .fields = "overhead,dso_from,dso_to", .branch = true };

	(void)state;
	setup_recording(COMM_TYPE | PERF_SAMPLE_BRANCH_STACK);
	expect(&faces_dot, &o, plain, fill_branches,
	       "digraph branches {\n"
	       "\tnode [shape=box, fontname=monospace];\n"
	       "\t\"x\\\"y.so\" -> \"x\\\"y.so\" [label=\"100.00%\\n2\\n50.0% missed\\n8.0 cycles\","
	       " penwidth=21.0];\n"
	       "}\n");
}

/* Without both ends there are no edges. */
static void dot_without_ends(void **state)
{
	static const struct keys_opts o = { .fields = "overhead,dso_from", .branch = true };

	(void)state;
	setup_recording(COMM_TYPE | PERF_SAMPLE_BRANCH_STACK);
	expect(&faces_dot, &o, plain, fill_branches,
	       "digraph branches {\n"
	       "\tnode [shape=box, fontname=monospace];\n"
	       "}\n");
}

static void fill_unflagged(struct table *t)
{
	map_file(1, LIB, LIB_SIZE, 0, "/lib/x.so");
	add_branch(t, 1, LIB + 0x20, LIB + 0x40, 0);
}

/* What no branch says is no number, for whomever. */
static void unknown_is_empty_or_null(void **state)
{
	static const struct keys_opts o = { .sort = "dso_to",
					    .branch = true,
					    .branch_stats = true };
	char *got;

	(void)state;
	setup_recording(COMM_TYPE | PERF_SAMPLE_BRANCH_STACK);
	expect(&faces_csv, &o, plain, fill_unflagged,
	       "event,overhead,mispredict_rate,avg_cycles,dso_to,samples,weight\r\n"
	       "cpu-clock,100.00,,,x.so,1,1\r\n");
	got = face(&faces_json, &o, plain, fill_unflagged);
	assert_non_null(strstr(got, "\"mispredict_rate\":null,\"avg_cycles\":null,"));
	free(got);
}

/* ---- counts of threads --------------------------------------------------------------------------- */

static void count_thread(uint32_t tid, uint64_t value)
{
	static struct build b;
	struct record rec;
	size_t at;

	event.attr.flags |= ATTR_FLAG_INHERIT_STAT;
	start_records(&b, false);
	at = begin_record(&b, PERF_RECORD_READ, 0);
	P32(&b, 7);
	P32(&b, tid);
	P64(&b, value);
	end_record(&b, at);
	rec = built_record(&b, at, &event);
	assert_int_equal(faces_threads_add(&threads, &rec, NULL), 0);
}

static void fill_nothing(struct table *t)
{
	(void)t;
}

static void threads_in_all_faces(void **state)
{
	static const struct keys_opts o = { .sort = "comm" };
	struct faces f = quiet;

	(void)state;
	setup_recording(COMM_TYPE);
	count_thread(8, 5);
	count_thread(1234, 12345678901);
	count_thread(8, 6); /* counts of one thread add up */
	f.threads = threads;
	f.o.threads = true;
	expect(&faces_text, &o, f, fill_nothing,
	       "# PID   TID    cpu-clock\n"
	       "    7     8           11\n"
	       "    7  1234  12345678901\n");
	expect(&faces_json, &o, f, fill_nothing,
	       "{\"lost_samples\":0,\"events\":[],\"threads\":["
	       "{\"pid\":7,\"tid\":8,\"event\":\"cpu-clock\",\"count\":11},"
	       "{\"pid\":7,\"tid\":1234,\"event\":\"cpu-clock\",\"count\":12345678901}]}\n");
	expect(&faces_csv, &o, f, fill_nothing,
	       "pid,tid,event,count\r\n"
	       "7,8,cpu-clock,11\r\n"
	       "7,1234,cpu-clock,12345678901\r\n");
}

/* ---- tasks --------------------------------------------------------------------------------------- */

static void fork_thread(uint32_t pid, uint32_t ppid)
{
	static struct build b;
	struct record rec;
	size_t at;

	start_records(&b, false);
	at = begin_record(&b, PERF_RECORD_FORK, 0);
	P32(&b, pid);
	P32(&b, ppid);
	P32(&b, pid);
	P32(&b, ppid);
	P64(&b, 1);
	end_record(&b, at);
	rec = built_record(&b, at, &event);
	assert_int_equal(machine_record(m, &rec, NULL), 0);
}

/* 5 is a task of which nothing is known but its name. */
static void tasks_in_all_faces(void **state)
{
	static const struct keys_opts o = { .sort = "comm" };
	struct faces f = plain;

	(void)state;
	setup_recording(COMM_TYPE);
	fork_thread(1, 0);
	name_thread(1, "a\"b,\n");
	fork_thread(2, 1);
	name_thread(2, "two");
	map_file(2, LIB, LIB_SIZE, 0x3000, "/lib/x\n\".so");
	machine_thread(m, 5, 5);
	name_thread(5, "five");
	f.o.tasks = f.o.mmaps = true;
	expect(&faces_text, &o, f, fill_nothing,
	       "#      pid      tid     ppid  comm\n"
	       "         0        0       -1 |swapper\n"
	       "         1        1        0 | a\"b,\\x0a\n"
	       "         2        2        1 |  two\n"
	       "                                  1000-2000 --xp 00003000 0 /lib/x\\x0a\".so\n"
	       "         5        5       -1 | five\n");
	expect(&faces_json, &o, f, fill_nothing,
	       "{\"tasks\":["
	       "{\"pid\":0,\"tid\":0,\"ppid\":-1,\"comm\":\"swapper\",\"maps\":[]},"
	       "{\"pid\":1,\"tid\":1,\"ppid\":0,\"comm\":\"a\\\"b,\\u000a\",\"maps\":[]},"
	       "{\"pid\":2,\"tid\":2,\"ppid\":1,\"comm\":\"two\",\"maps\":[{\"start\":4096,"
	       "\"end\":8192,\"prot\":\"--xp\",\"offset\":12288,\"inode\":0,\"build_id\":null,"
	       "\"name\":\"/lib/x\\u000a\\\".so\"}]},"
	       "{\"pid\":5,\"tid\":5,\"ppid\":-1,\"comm\":\"five\",\"maps\":[]}]}\n");
	expect(&faces_csv, &o, f, fill_nothing,
	       "pid,tid,ppid,comm\r\n"
	       "0,0,-1,swapper\r\n"
	       "1,1,0,\"a\"\"b,\\x0a\"\r\n"
	       "2,2,1,two\r\n"
	       "5,5,-1,five\r\n");
}

/* ---- a writer of one's own ---------------------------------------------------------------------- */

struct visits {
	int rows;
};

static struct visits *visits_of(const struct faces_walk *k)
{
	return k->state;
}

static int visit_begin(struct faces_walk *k)
{
	assert_int_equal(visits_of(k)->rows, 0); /* zeros at first */
	return 0;
}

static int visit_row(struct faces_walk *k, const struct faces_row *row)
{
	obuf_printf(k->out, "row %u\n", row->level);
	return visits_of(k)->rows++ == 0; /* the first one is left out */
}

static int visit_cell(struct faces_walk *k, const struct faces_cell *cell)
{
	obuf_printf(k->out, "%s=", cell->col->name);
	faces_cell_value(k->f, cell, k->out);
	obuf_char(k->out, '\n');
	return 0;
}

static int visit_row_end(struct faces_walk *k, const struct faces_row *row)
{
	(void)row;
	obuf_lit(k->out, "end\n");
	return 0;
}

static int refuse_cell(struct faces_walk *k, const struct faces_cell *cell)
{
	(void)k, (void)cell;
	return -EIO;
}

static void skipping_leaves_out_what_is_below(void **state)
{
	static const struct faces_writer w = {
		.name = "visits",
		.reader = FACES_PEOPLE,
		.state_size = sizeof(struct visits),
		.begin = visit_begin,
		.row = visit_row,
		.cell = visit_cell,
		.row_end = visit_row_end,
	};

	(void)state;
	setup_recording(COMM_TYPE);
	expect(&w, &by_comm, plain, fill_comms,
	       "row 0\n"
	       "row 0\noverhead=25.00\nsample=1\ncomm=two\nend\n");
}

static void errors_end_the_walk(void **state)
{
	static const struct faces_writer w = { .name = "nothing",
					       .reader = FACES_PEOPLE,
					       .cell = refuse_cell };
	struct table *t;
	struct faces f = plain;
	struct err e = { 0 };
	struct obuf o;

	(void)state;
	setup_recording(COMM_TYPE);
	t = new_profile(&by_comm);
	fill_comms(t);
	finish(t);
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	f.t = t;
	f.v = v;
	f.po = &by_comm;
	f.pd = pd;
	assert_int_equal(faces_write(&f, &w, &o, &e), -EIO);
	assert_string_equal(e.text, "writing the answer as nothing: Input/output error");
	obuf_free(&o);
	done(t);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown_all)
	const struct CMUnitTest tests[] = {
		T(text_has_headings_and_aligned_columns),
		T(widths_cut_columns),
		T(separated_has_a_letter_between_columns),
		T(json_has_keys_and_numbers),
		T(csv_has_heads_and_bare_values),
		T(small_rows_are_in_no_face),
		T(text_escapes),
		T(separated_escapes),
		T(json_escapes),
		T(csv_quotes),
		T(hierarchy_is_indented),
		T(hierarchy_is_nested),
		T(hierarchy_in_lines),
		T(graph_in_letters),
		T(print_limit_is_for_people),
		T(dot_is_quoted),
		T(dot_without_ends),
		T(unknown_is_empty_or_null),
		T(threads_in_all_faces),
		T(tasks_in_all_faces),
		T(skipping_leaves_out_what_is_below),
		T(errors_end_the_walk),
	};

	return cmocka_run_group_tests_name("faces", tests, NULL, NULL);
}
