// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * derive [ROWS]: a rich table of so many rows (10 million), every one of them of one sample, and how
 * long other tables take to be made of it. The samples are made here: 64 threads on 32 CPUs, 100,000
 * addresses without symbols, 100 s; with chains of eight frames where CHAINS=1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "view/view.h"

static struct perfdata_event event = {
	.name = "cycles",
	.attr = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				 PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN },
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static long peak_mb(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return ru.ru_maxrss / 1024;
}

static void die(const struct err *e)
{
	fprintf(stderr, "%s\n", e->text);
	exit(1);
}

static uint64_t random_of(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

static void add(struct table *t, struct machine *m, uint64_t i, uint64_t n, uint64_t *seed,
		bool chains)
{
	uint64_t ips[9] = { PERF_CONTEXT_USER };
	struct sample s = { .event = &event, .cpumode = PERF_RECORD_MISC_USER, .period = 1000 };
	uint32_t tid = 1 + (uint32_t)(random_of(seed) % 64);
	struct err e = { 0 };

	s.ip = 0x400000 + random_of(seed) % 100000 * 4;
	s.pid = 1;
	s.tid = tid;
	s.cpu = (uint32_t)(random_of(seed) % 32);
	s.time = 100000000000ULL * i / n;
	s.present = event.attr.sample_type;
	ips[1] = s.ip;
	for (unsigned f = 2; f < 9; f++)
		ips[f] = 0x800000 + f * 0x1000 + random_of(seed) % 4;
	s.callchain = (struct u64s){ (unsigned char *)ips, chains ? 9 : 0, false };
	if (table_add(t, &s, machine_thread(m, 1, (int32_t)tid), &e))
		die(&e);
}

static void derive(const struct table *rich, const char *what, const struct table_ask *ask)
{
	struct table *t;
	struct view *v;
	struct err e = { 0 };
	double start = now(), derived;

	if (table_derive(&t, rich, ask, &e))
		die(&e);
	derived = now();
	if (view_new(&v, t, NULL, NULL, &e))
		die(&e);
	printf("%-28s %7.3f s, its view %7.3f s, %9zu rows, peak %ld MB\n", what, derived - start,
	       now() - derived, view_nr_rows(v, 0), peak_mb());
	view_free(v);
	table_free(t);
}

static void derive_all(const struct table *rich, struct keys_opts o)
{
	const struct table_op thread = { .kind = TABLE_THREAD, .num = 7 };
	const struct table_op time = { .kind = TABLE_TIME, .from = 10000000000, .to = 20000000000 };
	static const char *const sorts[] = { "comm", "tid,cpu", "dso,sym", "tid,sym" };

	o.rich = false;
	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		o.sort = sorts[i];
		derive(rich, sorts[i], &(struct table_ask){ .opts = &o });
	}
	o.sort = "dso,sym";
	derive(rich, "dso,sym of a thread", &(struct table_ask){ &o, &thread, 1 });
	derive(rich, "dso,sym of a tenth of time", &(struct table_ask){ &o, &time, 1 });
	if (o.use_chains) {
		const struct table_op hide = { .kind = TABLE_RECURSION };

		derive(rich, "dso,sym, chains changed", &(struct table_ask){ &o, &hide, 1 });
	}
}

int main(int argc, char **argv)
{
	const struct symbol_opts so = { .symfs = "/nonexistent", .no_host_kernel = true };
	const char *chains = getenv("CHAINS");
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000, seed = 1;
	struct keys_opts o = { .rich = true, .use_chains = chains && *chains == '1' };
	struct machine *m;
	struct resolver *res;
	struct table *rich;
	struct err e = { 0 };
	double start = now();

	o.children = o.use_chains;
	o.chain = (struct chain_opts)CHAIN_OPTS_DEFAULT;
	o.chain.caller = true;
	if (machine_new(&m, "x86_64", &e) || resolver_new(&res, m, &so, &e) ||
	    table_new(&rich, &o, m, res, NULL, &e))
		die(&e);
	for (uint64_t i = 0; i < n; i++)
		add(rich, m, i, n, &seed, o.use_chains);
	if (table_finish(rich, &e))
		die(&e);
	printf("%-28s %7.3f s, %zu rows, peak %ld MB\n", "counted", now() - start, rich->rows.n,
	       peak_mb());
	derive_all(rich, o);
	table_free(rich);
	resolver_free(res);
	machine_free(m);
	return 0;
}
