// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sort keys: a table. A new key is a new row, and functions when nothing fits yet. A value is
 * a number that is equal when the text would be; text and order are asked for once per distinct
 * value, when all samples have come.
 */
#include <stdio.h>

#include "emit/emit.h"
#include "keys-int.h"
#include "trace/trace.h"

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t get_comm(struct keys *ks, const struct sample *s, struct thread *th)
{
	(void)s;
	return keys_comm_name(ks, th->comm);
}

static uint64_t comm_itself(struct keys *ks, const char *comm)
{
	return keys_name_id(ks, comm);
}

static uint64_t get_parent(struct keys *ks, const struct sample *s, struct thread *th)
{
	(void)s, (void)th;
	return ks->reader->parent;
}

static uint64_t get_tid(struct keys *ks, const struct sample *s, struct thread *th)
{
	(void)ks, (void)s;
	return (uint32_t)th->tid;
}

static uint64_t get_tgid(struct keys *ks, const struct sample *s, struct thread *th)
{
	(void)ks, (void)s;
	return (uint32_t)th->pid;
}

static uint64_t get_time(struct keys *ks, const struct sample *s, struct thread *th)
{
	uint64_t q = ks->o.time_quantum ? ks->o.time_quantum : 100000000;

	(void)th;
	return s->time / q * q;
}

static uint64_t get_parallelism(struct keys *ks, const struct sample *s, struct thread *th)
{
	(void)s, (void)th;
	return ks->reader->parallelism;
}

#define GET_FIELD(name, expr)                                                                  \
	static uint64_t get_##name(struct keys *ks, const struct sample *s, struct thread *th) \
	{                                                                                      \
		(void)ks, (void)s, (void)th;                                                   \
		return (expr);                                                                 \
	}

GET_FIELD(cpu, s->cpu)
GET_FIELD(local_weight, keys_weight(s))
GET_FIELD(ins_lat, s->weight_var2)
GET_FIELD(stage_cyc, s->weight_var3)
GET_FIELD(transaction, s->transaction)
GET_FIELD(cgroup, s->cgroup)
GET_FIELD(code_page, s->code_page_size)
GET_FIELD(data_page, s->data_page_size)
GET_FIELD(phys, s->phys_addr)
GET_FIELD(daddr, s->addr)
GET_FIELD(data_src, s->data_src)

static uint64_t place_dso(struct keys *ks, const struct place_in *in)
{
	return keys_dso_name(ks, in->at->dso);
}

static uint64_t place_sym(struct keys *ks, const struct place_in *in)
{
	return keys_frame_of_row(ks, in);
}

static uint64_t place_branch_sym(struct keys *ks, const struct place_in *in)
{
	return in->sym ? keys_frame_of_row(ks, in) : keys_frame_of_addr(ks, in);
}

static uint64_t place_addr(struct keys *ks, const struct place_in *in)
{
	return keys_frame_of_addr(ks, in);
}

static uint64_t place_ip(struct keys *ks, const struct place_in *in)
{
	(void)ks;
	return in->ip;
}

static uint64_t place_symsize(struct keys *ks, const struct place_in *in)
{
	(void)ks;
	return in->sym ? in->sym->end - in->sym->start : 0;
}

/* ---- widths ---------------------------------------------------------------------------------- */

static int width_name(struct keys *ks, const struct place_in *in, uint64_t v)
{
	(void)in;
	return (int)strlen(intern_str(&ks->names, (uint32_t)v));
}

/* An object with addresses that have no symbol gets room for an address. */
static int width_dso(struct keys *ks, const struct place_in *in, uint64_t v)
{
	const struct loc *l = in->at;
	int w = l->dso ? width_name(ks, in, v) : 0;

	if (!in->sym && w < 16 && !ks->o.separator && !ks->o.widths && !ks->dsos_given)
		w = 16;
	return w;
}

static int width_branch_dso(struct keys *ks, const struct place_in *in, uint64_t v)
{
	if (in->sym)
		return width_name(ks, in, v);
	return ks->o.separator || ks->o.widths || ks->dsos_given ? 0 : 16;
}

void keys_put_name(const struct keys *ks, const struct symbol *sym, struct obuf *o)
{
	char buf[NAME_ROOM];

	emit_safe(o, symbol_shorten(sym->name, ks->o.max_name, buf, sizeof(buf)));
}

int keys_name_width(const struct keys *ks, const struct symbol *sym)
{
	char buf[NAME_ROOM];

	return (int)strlen(symbol_shorten(sym->name, ks->o.max_name, buf, sizeof(buf)));
}

static int width_sym(struct keys *ks, const struct place_in *in, uint64_t v)
{
	(void)v;
	return in->sym ? keys_name_width(ks, in->sym) + 4 : 16 + 4 + 2;
}

static int width_iaddr(struct keys *ks, const struct place_in *in, uint64_t v)
{
	(void)v;
	return (in->sym ? keys_name_width(ks, in->sym) : 0) + 22;
}

static int width_srcline(struct keys *ks, const struct place_in *in, uint64_t v)
{
	return width_name(ks, in, v);
}

static int width_dec(struct keys *ks, const struct place_in *in, uint64_t v)
{
	char buf[24];

	(void)ks, (void)in;
	return fmt_dec(buf, v);
}

/* ---- order ----------------------------------------------------------------------------------- */

/*
 * Addresses as signed numbers: kernels before programs. Upstream takes the sign of the difference, which
 * is the same but for garbage more than half of all addresses apart, of which three can go in circles.
 */
static int by_address(uint64_t a, uint64_t b)
{
	return (int64_t)a < (int64_t)b ? -1 : (int64_t)a > (int64_t)b;
}

static int cmp_name(const struct keys *ks, uint64_t a, uint64_t b)
{
	return strcmp(intern_str(&ks->names, (uint32_t)a), intern_str(&ks->names, (uint32_t)b));
}

/* Objects by name, what is in none last. */
static int cmp_dso(const struct keys *ks, uint64_t a, uint64_t b)
{
	if (a == ks->unknown || b == ks->unknown)
		return (a == ks->unknown) - (b == ks->unknown);
	return cmp_name(ks, a, b);
}

/* Branch ends the other way round, as upstream has it. */
static int cmp_branch_dso(const struct keys *ks, uint64_t a, uint64_t b)
{
	return cmp_dso(ks, b, a);
}

static int cmp_up(const struct keys *ks, uint64_t a, uint64_t b)
{
	(void)ks;
	return a < b ? -1 : a > b;
}

static int cmp_down(const struct keys *ks, uint64_t a, uint64_t b)
{
	return cmp_up(ks, b, a);
}

/* By where the functions are in their objects; one of the two has a symbol. */
static int cmp_range(const struct frame_info *x, const struct frame_info *y)
{
	int ret;

	if (!x->sym || !y->sym)
		return x->sym ? -1 : 1;
	if (x->sym->is_inline || y->sym->is_inline) {
		ret = strcmp(y->sym->name, x->sym->name);
		if (ret)
			return ret;
	}
	ret = by_address(x->sym->start, y->sym->start);
	return ret ? ret : by_address(x->sym->end, y->sym->end);
}

static int cmp_sym(const struct keys *ks, uint64_t a, uint64_t b)
{
	const struct frame_info *x = &ks->frames.v[a], *y = &ks->frames.v[b];
	int ret;

	if (!x->sym && !y->sym)
		return by_address(x->ip, y->ip);
	if (!ks->dso_is_key && x->dso_name != y->dso_name) {
		ret = cmp_name(ks, x->dso_name, y->dso_name);
		if (ret)
			return ret;
	}
	return cmp_range(x, y);
}

static bool unnamed_sym(const struct keys *ks, uint64_t v, uint64_t *ip)
{
	const struct frame_info *f = &ks->frames.v[v];

	*ip = f->ip;
	return !f->sym;
}

static int sort_sym(const struct keys *ks, uint64_t a, uint64_t b)
{
	const struct frame_info *x = &ks->frames.v[a], *y = &ks->frames.v[b];

	if (!x->sym || !y->sym)
		return !x->sym && !y->sym ? 0 : x->sym ? -1 : 1;
	return strcmp(x->sym->name, y->sym->name);
}

/* Objects in falling order here, as upstream has it. */
static int cmp_addr(const struct keys *ks, uint64_t a, uint64_t b)
{
	const struct frame_info *x = &ks->frames.v[a], *y = &ks->frames.v[b];

	if (!x->dso || !y->dso) {
		if (x->dso || y->dso)
			return x->dso ? 1 : -1;
	} else if (x->dso_name != y->dso_name) {
		int ret = cmp_name(ks, y->dso_name, x->dso_name);

		if (ret)
			return ret;
	}
	return by_address(x->order, y->order);
}

static int cmp_branch_sym(const struct keys *ks, uint64_t a, uint64_t b)
{
	const struct frame_info *x = &ks->frames.v[a], *y = &ks->frames.v[b];

	if (!x->sym && !y->sym)
		return by_address(x->order, y->order);
	return cmp_range(x, y);
}

static int cmp_target(const struct keys *ks, uint64_t a, uint64_t b)
{
	return !ks->frames.v[a].sym && !ks->frames.v[b].sym ? cmp_branch_sym(ks, a, b)
							    : cmp_sym(ks, a, b);
}

static int cmp_signed(const struct keys *ks, uint64_t a, uint64_t b)
{
	(void)ks;
	return by_address(a, b);
}

static int cmp_iaddr(const struct keys *ks, uint64_t a, uint64_t b)
{
	return cmp_signed(ks, ks->frames.v[a].order, ks->frames.v[b].order);
}

/* Names up, addresses down. */
static int cmp_symoff(const struct keys *ks, uint64_t a, uint64_t b)
{
	int ret = sort_sym(ks, a, b);

	return ret ? ret : cmp_iaddr(ks, b, a);
}

static int cmp_equal(const struct keys *ks, uint64_t a, uint64_t b)
{
	(void)ks, (void)a, (void)b;
	return 0;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void text_name(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	(void)r;
	emit_safe(o, intern_str(&ks->names, (uint32_t)v));
}

char keys_cpumode_char(uint8_t cpumode)
{
	static const char chars[] = { 'H', 'k', '.', 'H', 'g', 'u', 'H', 'H' };

	return chars[cpumode & 7];
}

/* 16 hex digits behind 0x; a zero has no 0x. */
static void put_addr(struct obuf *o, uint64_t v)
{
	if (v)
		obuf_lit(o, "0x");
	obuf_hex_zero(o, v, 16);
}

static void put_level(struct obuf *o, uint8_t cpumode)
{
	obuf_char(o, '[');
	obuf_char(o, keys_cpumode_char(cpumode));
	obuf_lit(o, "] ");
}

static void put_sym(const struct keys *ks, const struct frame_info *f, struct obuf *o)
{
	if (!f->sym) {
		put_addr(o, f->ip);
		return;
	}
	keys_put_name(ks, f->sym, o);
	if (f->sym->is_inline)
		obuf_lit(o, " (inlined)");
}

static void text_sym(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	const struct frame_info *f = &ks->frames.v[v];

	(void)r;
	put_level(o, f->cpumode);
	put_sym(ks, f, o);
}

static void text_iaddr(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	const struct frame_info *f = &ks->frames.v[v];

	put_level(o, r->cpumode);
	if (f->sym)
		put_sym(ks, f, o);
	else
		put_addr(o, f->order);
}

static void text_addr(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	const struct frame_info *f = &ks->frames.v[v];

	put_level(o, r->cpumode);
	if (f->sym) {
		keys_put_name(ks, f->sym, o);
		if (f->ip != f->sym->start) {
			obuf_lit(o, "+0x");
			obuf_hex(o, f->ip - f->sym->start);
		}
	} else {
		put_addr(o, f->ip);
	}
}

/* An address without a symbol gets the digits that the heading leaves room for. */
static void text_symoff(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	const struct frame_info *f = &ks->frames.v[v];

	put_level(o, r->cpumode);
	if (f->sym) {
		keys_put_name(ks, f->sym, o);
		obuf_lit(o, "+0x");
		obuf_hex(o, f->ip - f->sym->start);
	} else {
		obuf_printf(o, "%#.9llx", (unsigned long long)f->ip);
	}
}

static void text_known_dec(const struct keys *ks, const struct keys_row *r, uint64_t v,
			   struct obuf *o)
{
	(void)ks, (void)r;
	if (v)
		obuf_dec(o, v);
	else
		obuf_lit(o, "unknown");
}

static void text_dec(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	(void)ks, (void)r;
	obuf_dec(o, v);
}

static void text_cpu(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	(void)ks, (void)r;
	obuf_printf(o, "%3.3d", (int)(uint32_t)v);
}

static void text_ip(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	(void)ks, (void)r;
	obuf_lit(o, "0x");
	obuf_hex(o, v);
}

static void text_thread(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	const struct thread *th = machine_thread_at(ks->m, r->thread);

	obuf_printf(o, "%7d:", (int)(uint32_t)v);
	if (th)
		emit_safe(o, machine_comm(ks->m, th->comm));
}

/* The process by the name of its first thread, cut at the column, as upstream has it. */
static void text_leader(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	int32_t pid = (int32_t)v;
	const struct thread *th = machine_find_thread(ks->m, pid);
	char name[8];

	(void)r;
	/*
	 * Several threads print rows: a leader that no record and no sample named is not made here. It has the
	 * name that it would get then.
	 */
	if (th || !pid)
		snprintf(name, sizeof(name), "%s", th ? machine_comm(ks->m, th->comm) : "swapper");
	else
		snprintf(name, sizeof(name), ":%d", pid);
	obuf_printf(o, "%7d:", (int)(uint32_t)v);
	emit_safe(o, name);
}

static void text_time(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	(void)r;
	obuf_dec(o, v / 1000000000);
	obuf_char(o, '.');
	if (ks->o.nsec)
		obuf_dec_zero(o, v % 1000000000, 9);
	else
		obuf_dec_zero(o, v % 1000000000 / 1000, 6);
}

static void text_size(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	(void)ks, (void)r;
	if (!v)
		obuf_lit(o, "N/A");
	else if (v % 1024)
		obuf_dec(o, v);
	else
		obuf_printf(o, "%llu%c", (unsigned long long)(v >> 10 >> (v >> 20 ? 10 : 0)),
			    v >> 20 ? 'M' : 'K');
}

static void text_cgroup(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	const char *s = v ? machine_cgroup(ks->m, v) : NULL;

	(void)r;
	emit_safe(o, s ? s : v ? "unknown" : "N/A");
}

static void text_other(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	(void)r;
	emit_safe(o, v ? intern_str(&ks->names, (uint32_t)v) : "[other]");
}

static void text_ipc_null(const struct keys *ks, const struct keys_row *r, uint64_t v,
			  struct obuf *o)
{
	(void)ks, (void)r, (void)v;
	obuf_lit(o, "-      -");
}

/* ---- numbers of a row ------------------------------------------------------------------------ */

#define STAT(name)                                                              \
	static uint64_t stat_##name(const struct keys_row *r, const void *slot) \
	{                                                                       \
		(void)slot;                                                     \
		return r->name;                                                 \
	}

STAT(period)
STAT(acc)
STAT(nr)

/* ---- the table ------------------------------------------------------------------------------- */

#define S    .at = KEY_SAMPLE
#define P    .at = KEY_PLACE
#define F    .at = KEY_FROM, .branch = true
#define T    .at = KEY_TO, .branch = true
#define B    .at = KEY_BITS, .branch = true, .pads = true
#define NAME .cmp = cmp_name, .text = text_name, .pads = true
#define DEC  .cmp = cmp_down, .text = text_dec, .pads = true
#define SUM  .cmp = cmp_down, .text = keys_text_sum, .pads = true
#define MEM(field)                                                           \
	S, .sample = get_data_src, .cmp = cmp_up, .text = keys_text_##field, \
	   .need = PERF_SAMPLE_DATA_SRC

#define N .at = KEY_STAT, .right = true

static const struct key overhead[] = {
	{ "overhead", "Overhead", N, .stat = stat_period, .percent = true, .min_width = 8 },
};

static const struct key totals[] = {
	{ "overhead_children", "Children", N, .stat = stat_acc, .percent = true, .acc = true,
	  .min_width = 8 },
	{ "sample", "Samples", N, .stat = stat_nr, .min_width = 12 },
	{ "period", "Period", N, .stat = stat_period, .min_width = 12 },
};

static const struct key keys[] = {
	{ "pid", "    Pid:Command", S, .sample = get_tid, .cmp = cmp_up, .text = text_thread,
	  .need = PERF_SAMPLE_TID, .pads = true, .by_content = true, .of_thread = true },
	{ "tid", "    Tid:Command", S, .sample = get_tid, .cmp = cmp_up, .text = text_thread,
	  .need = PERF_SAMPLE_TID, .pads = true, .by_content = true, .of_thread = true },
	{ "tgid", "   Tgid:Command", S, .sample = get_tgid, .cmp = cmp_up, .text = text_leader,
	  .need = PERF_SAMPLE_TID, .pads = true, .of_thread = true },
	{ "comm", "Command", S, .value = VALUE_NAME, .sample = get_comm, NAME, .truncates = true,
	  .need = PERF_SAMPLE_TID, .of_comm = comm_itself },
	{ "comm_nodigit", "CommandNoDigit", S, .value = VALUE_NAME, .sample = keys_get_comm_nodigit,
	  NAME, .by_content = true, .need = PERF_SAMPLE_TID, .of_comm = keys_comm_nodigit },
	{ "dso", "Shared Object", P, .value = VALUE_NAME, .per_symbol = true, .place = place_dso,
	  .place_width = width_dso, .cmp = cmp_dso, .text = text_name, .pads = true },
	{ "symbol", "Symbol", P, .value = VALUE_FRAME, .per_symbol = true, .place = place_sym,
	  .place_width = width_sym, .cmp = cmp_sym, .sort = sort_sym, .unnamed = unnamed_sym,
	  .text = text_sym },
	{ "parent", "Parent symbol", S, .value = VALUE_NAME, .sample = get_parent, .cmp = cmp_name,
	  .text = text_other, .pads = true, .parent = true, .by_content = true },
	{ "cpu", "CPU", S, .sample = get_cpu, .cmp = cmp_up, .text = text_cpu, .pads = true,
	  .need = PERF_SAMPLE_CPU, .of_thread = true },
	{ "srcline", "Source:Line", P, .value = VALUE_NAME, .place = keys_place_srcline,
	  .place_width = width_srcline, .cmp = cmp_name, .text = text_name },
	{ "srcfile", "Source File", P, .value = VALUE_NAME, .place = keys_place_srcfile,
	  .place_width = width_srcline, .cmp = cmp_name, .text = text_name },
	{ "local_weight", "Local Weight", S, .sample = get_local_weight, DEC,
	  .need = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT },
	{ "weight", "Weight", S, .sample = get_local_weight, SUM, .min_width = 12,
	  .need = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT },
	{ "transaction", "Transaction", S, .sample = get_transaction, .cmp = cmp_down,
	  .text = keys_text_transaction, .pads = true, .value_width = keys_width_transaction,
	  .need = PERF_SAMPLE_TRANSACTION },
	{ "symbol_size", "Symbol size", P, .per_symbol = true, .place = place_symsize,
	  .cmp = cmp_up, .text = text_known_dec, .text_right = true, .place_width = width_dec },
	{ "symoff", "Symbol Offset", P, .value = VALUE_FRAME, .place = place_addr,
	  .cmp = cmp_symoff, .text = text_symoff, .raw_ip = RAW_ALWAYS },
	{ "dso_size", "DSO size", P, .per_symbol = true, .place = keys_place_dso_size,
	  .cmp = cmp_up, .text = text_known_dec, .text_right = true },
	{ "cgroup", "Cgroup", S, .value = VALUE_CGROUP, .sample = get_cgroup, .cmp = cmp_up,
	  .text = text_cgroup, .by_content = true, .need = PERF_SAMPLE_CGROUP },
	{ "cgroup_id", "cgroup id (dev/inode)", S, .value = VALUE_NAME,
	  .sample = keys_get_cgroup_id, .cmp = cmp_name, .text = text_name, .by_content = true,
	  .need = PERF_SAMPLE_TID, .of_thread = true },
	{ "socket", "Socket", S, .sample = keys_get_socket, .cmp = cmp_up, .text = keys_text_socket,
	  .pads = true, .need = PERF_SAMPLE_CPU, .of_thread = true },
	{ "trace", "Trace output", S, .value = VALUE_NAME, .sample = keys_get_trace,
	  .cmp = cmp_name, .text = text_name, .by_content = true, .need = PERF_SAMPLE_RAW },
	{ "time", "Time", S, .sample = get_time, .cmp = cmp_up, .text = text_time, .min_width = 12,
	  .need = PERF_SAMPLE_TIME },
	{ "code_page_size", "Code Page Size", S, .sample = get_code_page, .cmp = cmp_down,
	  .text = text_size, .pads = true, .need = PERF_SAMPLE_CODE_PAGE_SIZE },
	{ "data_page_size", "Data Page Size", S, .sample = get_data_page, .cmp = cmp_down,
	  .text = text_size, .pads = true, .min_width = 22, .need = PERF_SAMPLE_DATA_PAGE_SIZE },
	{ "phys_daddr", "Data Physical Address", S, .sample = get_phys, .cmp = cmp_up,
	  .text = keys_text_phys, .pads = true, .min_width = 22, .need = PERF_SAMPLE_PHYS_ADDR },
	{ "daddr", "Data Address", S, .sample = get_daddr, .cmp = cmp_up, .text = text_ip,
	  .pads = true, .min_width = 18, .need = PERF_SAMPLE_ADDR },
	{ "local_ins_lat", "Local INSTR Latency", S, .sample = get_ins_lat, DEC,
	  .need = PERF_SAMPLE_WEIGHT_STRUCT },
	{ "ins_lat", "INSTR Latency", S, .sample = get_ins_lat, SUM,
	  .need = PERF_SAMPLE_WEIGHT_STRUCT },
	{ "local_p_stage_cyc", "Local Retire Latency", S, .sample = get_stage_cyc, DEC,
	  .need = PERF_SAMPLE_WEIGHT_STRUCT },
	{ "p_stage_cyc", "Retire Latency", S, .sample = get_stage_cyc, SUM,
	  .need = PERF_SAMPLE_WEIGHT_STRUCT },
	{ "local_retire_lat", "Local Pipeline Stage Cycle", S, .sample = get_stage_cyc, DEC,
	  .need = PERF_SAMPLE_WEIGHT_STRUCT },
	{ "retire_lat", "Pipeline Stage Cycle", S, .sample = get_stage_cyc, SUM,
	  .need = PERF_SAMPLE_WEIGHT_STRUCT },

	{ "symbol_daddr", "Data Symbol", S, .value = VALUE_DADDR, .sample = keys_get_symbol_daddr,
	  .value_width = keys_width_daddr, .cmp = keys_cmp_daddr, .text = keys_text_daddr,
	  .pads = true, .min_width = 22, .need = PERF_SAMPLE_ADDR },
	{ "dso_daddr", "Data Object", S, .value = VALUE_NAME, .sample = keys_get_dso_daddr,
	  .value_width = keys_width_dso_daddr, .cmp = cmp_branch_dso, .text = text_name,
	  .pads = true, .need = PERF_SAMPLE_ADDR },
	{ "symbol_iaddr", "Code Symbol", P, .value = VALUE_FRAME, .place = place_addr,
	  .place_width = width_iaddr, .cmp = cmp_iaddr, .text = text_iaddr, .raw_ip = RAW_ALWAYS },
	{ "dcacheline", "Data Cacheline", S, .value = VALUE_DADDR, .sample = keys_get_dcacheline,
	  .value_width = keys_width_daddr, .cmp = keys_cmp_dcacheline, .text = keys_text_daddr,
	  .pads = true, .min_width = 22, .need = PERF_SAMPLE_ADDR },
	{ "parallelism", "Parallelism", S, .sample = get_parallelism, .cmp = cmp_up,
	  .text = text_dec, .text_right = true, .switches = true },
	{ "mem", "Memory access", MEM(level), .min_width = 39, .pads = true,
	  .mask = 0x3fffULL << 5 | 31ULL << 33 | 7ULL << 43 },
	{ "snoop", "Snoop", MEM(snoop), .min_width = 12, .pads = true,
	  .mask = 31ULL << 19 | 3ULL << 38 },
	{ "tlb", "TLB access", MEM(tlb), .min_width = 22, .pads = true, .mask = 127ULL << 26 },
	{ "locked", "Locked", MEM(locked), .mask = 3ULL << 24 },
	{ "blocked", "Blocked", MEM(blocked), .min_width = 10, .mask = 7ULL << 40 },

	{ "simd_width", "SIMD Width", S, .sample = keys_get_simd_width, .cmp = cmp_down,
	  .text = keys_text_simd_width, .pads = true,
	  .need = PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER },
	{ "simd_upper", "Upper Halves", S, .sample = keys_get_simd_upper, .cmp = cmp_down,
	  .text = keys_text_simd_upper, .pads = true,
	  .need = PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER },
	{ "opmask", "Opmask", S, .sample = keys_get_opmask, .cmp = cmp_up, .text = keys_text_opmask,
	  .pads = true, .min_width = 9, .need = PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER },
	{ "dirty_by", "Upper halves left by", S, .value = VALUE_NAME, .sample = keys_get_dirty_by,
	  .cmp = cmp_name, .text = text_name, .by_content = true,
	  .need = PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_BRANCH_STACK |
		  PERF_SAMPLE_CALLCHAIN },
	{ "loop", "Loop", P, .value = VALUE_NAME, .place = keys_place_loop,
	  .place_width = width_srcline, .cmp = cmp_name, .text = text_name, .pads = true },
	{ "addr", "Address", P, .place = place_ip, .cmp = cmp_signed, .text = text_ip, .pads = true,
	  .min_width = 18, .raw_ip = RAW_ALWAYS },
	{ "ipc_null", "IPC   [IPC Coverage]", P, .value = VALUE_FRAME, .per_symbol = true,
	  .place = place_sym, .cmp = cmp_sym, .unnamed = unnamed_sym, .text = text_ipc_null,
	  .pads = true, .hidden = true },
};

static const struct key branch_keys[] = {
	{ "dso_from", "Source Shared Object", F, .value = VALUE_NAME, .place = place_dso,
	  .place_width = width_branch_dso, .cmp = cmp_branch_dso, .text = text_name, .pads = true },
	{ "dso_to", "Target Shared Object", T, .value = VALUE_NAME, .place = place_dso,
	  .place_width = width_branch_dso, .cmp = cmp_branch_dso, .text = text_name, .pads = true },
	{ "symbol_from", "Source Symbol", F, .value = VALUE_FRAME, .place = place_branch_sym,
	  .place_width = width_sym, .raw_ip = RAW_UNNAMED, .cmp = cmp_branch_sym,
	  .text = text_sym },
	{ "symbol_to", "Target Symbol", T, .value = VALUE_FRAME, .place = place_branch_sym,
	  .place_width = width_sym, .raw_ip = RAW_UNNAMED, .cmp = cmp_branch_sym,
	  .text = text_sym },
	{ "srcline_from", "From Source:Line", F, .value = VALUE_NAME, .place = keys_place_srcline,
	  .place_width = width_srcline, .cmp = cmp_name, .text = text_name, .pads = true },
	{ "srcline_to", "To Source:Line", T, .value = VALUE_NAME, .place = keys_place_srcline,
	  .place_width = width_srcline, .cmp = cmp_name, .text = text_name, .pads = true },
	{ "addr_from", "Source Address", F, .value = VALUE_FRAME, .place = place_addr,
	  .place_width = width_sym, .cmp = cmp_addr, .text = text_addr, .raw_ip = RAW_ALWAYS },
	{ "addr_to", "Target Address", T, .value = VALUE_FRAME, .place = place_addr,
	  .place_width = width_sym, .cmp = cmp_addr, .text = text_addr, .raw_ip = RAW_ALWAYS },
	{ "mispredict", "Branch Mispredicted", B, .bits = 3, .cmp = cmp_equal,
	  .text = keys_text_mispredict },
	{ "in_tx", "Branch in transaction", B, .bits = 4, .cmp = cmp_equal,
	  .text = keys_text_in_tx },
	{ "abort", "Transaction abort", B, .bits = 8, .cmp = cmp_equal, .text = keys_text_abort },
	{ "cycles", "Basic Block Cycles", B, .bits = 0xffff0, .cmp = cmp_down,
	  .text = keys_text_cycles },
	{ "type", "Branch Type", B, .bits = 0xf << 20 | 0xf << 26, .cmp = cmp_up,
	  .text = keys_text_type },
	/* It is the target's: one row per target, be that a column or not. */
	{ "ipc_lbr", "IPC   [IPC Coverage]", T, .value = VALUE_FRAME, .place = place_branch_sym,
	  .cmp = cmp_target, .raw_ip = RAW_UNNAMED, .of = &keys_acc_branches,
	  .slot_text = keys_text_ipc, .pads = true, .hidden = true },
};

/*
 * Keys and accumulators, in the order in which a shortened name finds them. A new accumulator is
 * its file and a line here.
 */
#define KEYS(keys)                                  \
	{                                           \
		.v = (keys), .nr = ARRAY_SIZE(keys) \
	}
#define ACC(a)            \
	{                 \
		.acc = &a \
	}

static const struct {
	const struct key *v;
	size_t nr;
	const struct acc *acc;
} table[] = {
	/* clang-format off */
	KEYS(overhead),
	ACC(keys_acc_latency),
	ACC(keys_acc_modes),
	KEYS(totals),
	ACC(keys_acc_weights),
	ACC(keys_acc_branches),
	KEYS(keys),
	ACC(keys_acc_notes),
	KEYS(branch_keys),
	ACC(keys_acc_simd),
	ACC(keys_acc_numbers),
	ACC(keys_acc_mxcsr),
	ACC(keys_acc_idle),
	ACC(keys_acc_dirty),
	ACC(keys_acc_apx),
	ACC(keys_acc_shadow),
	ACC(keys_acc_values),
	ACC(keys_acc_threads),
	/* clang-format on */
};

const struct key *keys_at(size_t at)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const struct acc *acc = table[i].acc;
		size_t nr = acc ? acc->nr_cols : table[i].nr;

		if (at < nr)
			return &(acc ? acc->cols : table[i].v)[at];
		at -= nr;
	}
	return NULL;
}

const struct acc *keys_acc_at(unsigned at)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].acc && !at--)
			return table[i].acc;
	return NULL;
}

const char *keys_name(size_t i)
{
	const struct key *k = keys_at(i);

	return k ? k->name : NULL;
}

/* ---- what numbers stand for ------------------------------------------------------------------ */

void keys_reader_free(struct key_reader *r)
{
	vec_free(&r->comm_name);
	vec_free(&r->dso_name);
	vec_free(&r->sockets);
	trace_printer_free(r->trace);
	keys_walk_free(r->walk);
	keys_tuples_free(&r->frame_keys);
	vec_free(&r->frame_at);
	htab_free(&r->bare_tab);
	if (r->reg_text.buf)
		obuf_free(&r->reg_text);
}

void keys_free(struct keys *ks)
{
	intern_free(&ks->names);
	vec_free(&ks->frames);
	keys_tuples_free(&ks->daddrs);
	vec_free(&ks->ipc);
	arena_free(&ks->text);
}
