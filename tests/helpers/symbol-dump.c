// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol-dump [options] FILE: one line per sample as `perf script -F ip,sym,symoff,dso` prints it
 * without call chains. -b branch stacks too, -l source lines, -i inlined calls, -r raw names, -x code bytes,
 * -s DIR symfs, -k FILE vmlinux, -K FILE kallsyms, -n N resolves everything N times and prints
 * nothing but how long one lookup took.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "sample/sample.h"
#include "symbol/symbol.h"

static struct resolver *res;
static struct machine *mach;
static bool branches, lines, inlines, code;
static long repeat;
static double spent;
static uint64_t lookups;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void print_inlines(const struct loc *l)
{
	const struct inline_frame *f;
	int n = symbol_inlines(res, l->dso, l->addr, &f);

	for (int i = 0; i < n; i++)
		printf("  %s at %s:%u\n", f[i].sym->name, f[i].call.file, f[i].call.line);
}

static void print_code(const struct loc *l)
{
	unsigned char buf[8];
	ssize_t n = symbol_read_code(res, l->dso, l->addr, buf, sizeof(buf));

	printf("  code");
	for (ssize_t i = 0; i < n; i++)
		printf(" %02x", buf[i]);
	printf(" %s\n", n < 0 ? strerror((int)-n) : "");
}

static void print_loc(uint64_t ip, uint32_t loc)
{
	const struct loc *l = resolver_loc(res, loc);
	struct srcline line;

	printf("%16" PRIx64 " ", ip);
	if (l->sym)
		printf("%s+0x%" PRIx64, l->sym->name, l->addr - l->sym->start);
	else
		printf("[unknown]");
	printf(" (%s)\n", l->dso ? l->dso->name : "[unknown]");
	if (lines && l->dso && symbol_srcline(res, l->dso, l->addr, &line))
		printf("  %s:%u\n", line.file, line.line);
	if (code && l->dso)
		print_code(l);
	if (inlines && l->dso)
		print_inlines(l);
}

static void one(struct thread *th, uint8_t mode, uint64_t ip)
{
	uint32_t loc = resolver_find(res, th, mode, ip);
	double t;

	if (!repeat) {
		print_loc(ip, loc);
		return;
	}
	t = now();
	for (long i = 0; i < repeat; i++)
		loc ^= resolver_find(res, th, mode, ip);
	spent += now() - t;
	lookups += (uint64_t)repeat;
}

static int sample(const struct record *rec)
{
	struct err e = { 0 };
	struct thread *th;
	struct sample s;

	if (sample_parse(rec, &s, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	th = machine_thread(mach, (int32_t)s.pid, (int32_t)s.tid);
	one(th, s.cpumode, s.ip);
	if (!branches)
		return 0;
	for (uint64_t i = 0; i < s.branches.nr; i++) {
		one(th, s.cpumode, sample_branch_from(&s.branches, i));
		one(th, s.cpumode, sample_branch_to(&s.branches, i));
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct symbol_opts so = { 0 };
	struct perfdata *pd;
	struct record rec;
	struct err e = { 0 };
	const char *warning;
	int opt, ret;

	while ((opt = getopt(argc, argv, "blirxn:s:k:K:")) != -1)
		switch (opt) {
		case 'b': branches = true; break;
		case 'l': lines = true; break;
		case 'i': inlines = true; break;
		case 'r': so.no_demangle = true; break;
		case 'x': code = true; break;
		case 'n': repeat = atol(optarg); break;
		case 's': so.symfs = optarg; break;
		case 'k': so.vmlinux = optarg; break;
		case 'K': so.kallsyms = optarg; break;
		default: return 129;
		}
	if (perfdata_open(&pd, argv[optind], NULL, &e) ||
	    machine_new(&mach, perfdata_env(pd)->arch, &e) || machine_add_build_ids(mach, pd, &e) ||
	    resolver_new(&res, mach, &so, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	while ((ret = perfdata_next_ordered(pd, &rec, &e)) > 0) {
		if (rec.type == PERF_RECORD_SAMPLE)
			sample(&rec);
		else if (machine_record(mach, &rec, &e))
			fprintf(stderr, "%s\n", e.text);
	}
	if (ret < 0)
		fprintf(stderr, "%s\n", e.text);
	while ((warning = resolver_next_warning(res)))
		fprintf(stderr, "Warning: %s\n", warning);
	if (repeat)
		printf("%" PRIu64 " lookups, %.1f ns each\n", lookups,
		       spent / (double)lookups * 1e9);
	resolver_free(res);
	machine_free(mach);
	perfdata_close(pd);
	return ret < 0;
}
