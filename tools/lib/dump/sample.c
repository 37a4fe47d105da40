// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A SAMPLE: a line, then a block of lines for each part that it holds (text-formats.adoc, "perf
 * report -D"). Order and spelling are what test suites look for; lines are put together by hand,
 * since a dump is mostly these.
 */
#include <inttypes.h>

#include "base/hex.h"
#include "dump/dump-int.h"
#include "emit/emit.h"

/* "..... 12: " */
static char *put_number(char *p, uint64_t i)
{
	memcpy(p, "..... ", 6);
	p += 6;
	if (i < 10)
		*p++ = ' ';
	p += fmt_dec(p, i);
	*p++ = ':';
	*p++ = ' ';
	return p;
}

static void put_address(struct obuf *o, uint64_t i, uint64_t addr, const char *suffix)
{
	char *start = obuf_room(o, 128), *p;
	size_t n = strlen(suffix);

	if (!start)
		return;
	p = hex_put16(put_number(start, i), addr);
	memcpy(p, suffix, n);
	p += n;
	*p++ = '\n';
	o->len += (size_t)(p - start);
}

/* ---- callchain ---------------------------------------------------------------------------------- */

#define MARKER_ROOM 40

/* " (PERF_CONTEXT_USER)", nothing for markers that nobody knows. */
static const char *marker(uint64_t ip, char *buf)
{
	const char *what = sample_marker_name(ip);

	*buf = 0;
	if (what)
		stpcpy(stpcpy(stpcpy(buf, " ("), what), ")");
	return buf;
}

static bool callstack_mode(const struct sample *s)
{
	return s->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

static uint64_t kernel_part(const struct u64s *chain)
{
	for (uint64_t i = 0; i < chain->nr; i++) {
		if (u64s_get(chain, i) == PERF_CONTEXT_USER)
			return i;
	}
	return chain->nr;
}

/* Kernel frames up to the user marker, then what the branch records say. */
static void print_lbr_chain(struct dump *d, const struct sample *s)
{
	uint64_t kernel = kernel_part(&s->callchain), at;

	if (kernel == s->callchain.nr || !s->branches.nr)
		return;
	obuf_lit(d->o, "... LBR call chain: nr:");
	obuf_dec(d->o, kernel + 1 + s->branches.nr + 1);
	obuf_char(d->o, '\n');
	for (at = 0; at <= kernel; at++)
		put_address(d->o, at, u64s_get(&s->callchain, at), "");
	put_address(d->o, at++, sample_branch_to(&s->branches, 0), "");
	for (uint64_t i = 0; i < s->branches.nr; i++)
		put_address(d->o, at++, sample_branch_from(&s->branches, i), "");
}

static void print_callchain(struct dump *d, const struct record *rec, const struct sample *s)
{
	char text[MARKER_ROOM];

	(void)rec;
	if (callstack_mode(s))
		print_lbr_chain(d, s);
	obuf_lit(d->o, "... FP chain: nr:");
	obuf_dec(d->o, s->callchain.nr);
	obuf_char(d->o, '\n');
	for (uint64_t i = 0; i < s->callchain.nr; i++) {
		uint64_t ip = u64s_get(&s->callchain, i);

		put_address(d->o, i, ip, ip >= PERF_CONTEXT_MAX ? marker(ip, text) : "");
	}
}

/* ---- branches ------------------------------------------------------------------------------------- */

#define BRANCH_ROOM 192

static char *put_str(char *p, const char *s)
{
	size_t n = strlen(s);

	memcpy(p, s, n);
	return p + n;
}

static char *put_branch(char *p, uint64_t i, const struct branch_entry *b)
{
	p = hex_put16(put_number(p, i), b->from);
	memcpy(p, " -> ", 4);
	p = hex_put16(p + 4, b->to);
	*p++ = ' ';
	p += fmt_dec(p, b->cycles);
	memcpy(p, " cycles ", 8);
	p += 8;
	*p++ = b->mispred ? 'M' : ' ';
	*p++ = b->predicted ? 'P' : ' ';
	*p++ = b->abort ? 'A' : ' ';
	*p++ = b->in_tx ? 'T' : ' ';
	*p++ = ' ';
	p = hex_put(p, b->reserved);
	*p++ = ' ';
	p = put_str(p, branch_type_name(b->type, b->new_type));
	*p++ = ' ';
	if (b->spec)
		p = put_str(p, branch_spec_name(b->spec));
	*p++ = '\n';
	return p;
}

static void print_counters(struct dump *d, const struct sample_branches *b)
{
	const struct perfdata_env *env = perfdata_env(d->pd);

	/* What current hardware has, when the file does not say. */
	obuf_printf(d->o,
		    "... branch stack counters: nr:%" PRIu64
		    " (counter width: %u max counter nr:%u)\n",
		    b->counters.nr, env->branch_counter_width ? env->branch_counter_width : 2,
		    env->branch_counter_nr ? env->branch_counter_nr : 4);
	for (uint64_t i = 0; i < b->counters.nr; i++)
		put_address(d->o, i, u64s_get(&b->counters, i), "");
}

static void print_branches(struct dump *d, const struct record *rec, const struct sample *s)
{
	const struct sample_branches *b = &s->branches;
	struct branch_entry entry;

	(void)rec;
	if (callstack_mode(s)) {
		obuf_lit(d->o, "... branch callstack: nr:");
		obuf_dec(d->o, b->nr ? b->nr + 1 : 0);
		obuf_char(d->o, '\n');
		if (b->nr)
			put_address(d->o, 0, sample_branch_to(b, 0), "");
		for (uint64_t i = 0; i < b->nr; i++)
			put_address(d->o, i + 1, sample_branch_from(b, i), "");
	} else {
		obuf_lit(d->o, "... branch stack: nr:");
		obuf_dec(d->o, b->nr);
		obuf_char(d->o, '\n');
		for (uint64_t i = 0; i < b->nr; i++) {
			char *start = obuf_room(d->o, BRANCH_ROOM);

			if (!start)
				return;
			sample_branch(b, i, &entry);
			d->o->len += (size_t)(put_branch(start, i, &entry) - start);
		}
	}
	if (b->counters.nr)
		print_counters(d, b);
}

/* ---- registers ------------------------------------------------------------------------------------- */

static const char *abi_text(uint64_t abi)
{
	switch (abi & ~(uint64_t)PERF_SAMPLE_REGS_ABI_SIMD) {
	case PERF_SAMPLE_REGS_ABI_NONE: return "none";
	case PERF_SAMPLE_REGS_ABI_32: return "32-bit";
	case PERF_SAMPLE_REGS_ABI_64: return "64-bit";
	default: return "unknown";
	}
}

static char *put_value(struct dump *d, char *p, uint64_t v)
{
	*p++ = ' ';
	if (d->opts.redact) {
		*p++ = '-';
	} else {
		*p++ = '0';
		*p++ = 'x';
		p = hex_put16(p, v);
	}
	*p++ = '\n';
	return p;
}

static void print_reg(struct dump *d, const char *name, uint64_t v)
{
	char *start = obuf_room(d->o, 64), *p;
	size_t n = strlen(name);

	if (!start)
		return;
	memcpy(start, ".... ", 5);
	memset(start + 5, ' ', 5);
	memcpy(start + 5, name, n);
	p = put_value(d, start + 5 + (n > 5 ? n : 5), v);
	d->o->len += (size_t)(p - start);
}

static void print_gpr(struct dump *d, const struct sample_regs *r)
{
	uint64_t mask = r->mask, v;
	uint32_t mxcsr;
	bool flags;

	for (uint64_t i = 0; i < r->gpr.nr; i++, mask &= mask - 1)
		print_reg(d, regs_name(d->arch, (unsigned)__builtin_ctzll(mask), r->simd),
			  u64s_get(&r->gpr, i));
	for (unsigned i = 0; i < REGS_NR_BASES && sample_base(r, i, &v); i++)
		print_reg(d, regs_base_name(i), v);
	if (sample_mxcsr(r, &mxcsr, &flags))
		print_reg(d, REGS_MXCSR_NAME, mxcsr);
}

static void print_vectors(struct dump *d, const struct u64s *v, unsigned qwords, const char *name)
{
	for (uint64_t i = 0; i < v->nr; i++) {
		char *start = obuf_room(d->o, 96), *p;

		if (!start)
			return;
		p = put_str(put_str(start, ".... "), name);
		*p++ = '[';
		p += fmt_dec(p, i / qwords);
		*p++ = ']';
		if (qwords > 1) {
			*p++ = '[';
			p += fmt_dec(p, i % qwords);
			*p++ = ']';
		}
		p = put_value(d, p, u64s_get(v, i));
		d->o->len += (size_t)(p - start);
	}
}

static void print_regs(struct dump *d, const char *title, const struct sample_regs *r)
{
	struct obuf *o = d->o;

	if (!r->abi)
		return;
	obuf_str(o, title);
	obuf_lit(o, " regs: mask 0x");
	obuf_hex(o, r->mask);
	obuf_lit(o, " ABI ");
	obuf_str(o, abi_text(r->abi));
	obuf_char(o, '\n');
	print_gpr(d, r);
	if (!r->nr_vectors && !r->nr_pred)
		return;
	obuf_printf(o, "... SIMD ABI nr_vectors %u vector_qwords %u nr_pred %u pred_qwords %u\n",
		    r->nr_vectors, r->vector_qwords, r->nr_pred, r->pred_qwords);
	print_vectors(d, &r->vec, r->vector_qwords, regs_vector_class(d->arch, r->vector_qwords));
	print_vectors(d, &r->pred, r->pred_qwords, regs_pred_class(d->arch));
}

/* ---- the rest -------------------------------------------------------------------------------------- */

static void print_stack(struct dump *d, const struct record *rec, const struct sample *s)
{
	obuf_lit(d->o, "... ustack: size ");
	obuf_dec(d->o, s->stack_size);
	obuf_lit(d->o, ", offset 0x");
	/* where the size stands, 8 bytes before the stack itself */
	obuf_hex(d->o, (uint64_t)(s->stack - rec->data) - 8);
	obuf_char(d->o, '\n');
}

static void print_weight(struct dump *d, const struct record *rec, const struct sample *s)
{
	(void)rec;
	obuf_lit(d->o, "... weight: ");
	if (s->present & PERF_SAMPLE_WEIGHT_STRUCT) {
		obuf_printf(d->o, "%u,0x%x,0x%x\n", s->weight_var1, s->weight_var2, s->weight_var3);
		return;
	}
	obuf_dec(d->o, s->weight);
	obuf_char(d->o, '\n');
}

static void print_word(struct dump *d, const char *title, uint64_t value)
{
	obuf_str(d->o, title);
	obuf_hex(d->o, value);
	obuf_char(d->o, '\n');
}

#define WORD(bit_, listed, name, dump) { PERF_SAMPLE_##bit_, offsetof(struct sample, name), dump },

/* The words of the record in its order, but for the transaction, which comes last. */
static void print_words(struct dump *d, const struct record *rec, const struct sample *s)
{
	static const struct {
		uint64_t bit;
		size_t at;
		const char *title;
	} words[] = { ATTR_SAMPLE_FIELDS(ATTR_NO_HEAD, ATTR_NO_PART, WORD) };

	(void)rec;
	for (int last = 0; last < 2; last++)
		for (size_t i = 0; i < ARRAY_SIZE(words); i++)
			if (s->present & words[i].bit && words[i].title &&
			    (words[i].bit == PERF_SAMPLE_TRANSACTION) == last)
				print_word(d, words[i].title,
					   *(const uint64_t *)((const char *)s + words[i].at));
}

static void print_read(struct dump *d, const struct record *rec, const struct sample *s)
{
	const struct sample_read *r = &s->read;
	uint64_t format = s->event->attr.read_format;
	struct sample_value v;

	(void)rec;
	obuf_lit(d->o, "... sample_read:\n");
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		obuf_printf(d->o, "...... time enabled %016" PRIx64 "\n", r->time_enabled);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		obuf_printf(d->o, "...... time running %016" PRIx64 "\n", r->time_running);
	if (r->group)
		obuf_printf(d->o, ".... group nr %" PRIu64 "\n", r->nr);
	for (uint64_t i = 0; i < r->nr; i++) {
		sample_read_value(r, i, &v);
		obuf_printf(d->o, "..... id %016" PRIx64 ", value %016" PRIx64,
			    r->has_id ? v.id : 0, v.value);
		if (r->has_lost)
			obuf_printf(d->o, ", lost %" PRIu64, v.lost);
		obuf_char(d->o, '\n');
	}
}

static void print_user_regs(struct dump *d, const struct record *rec, const struct sample *s)
{
	(void)rec;
	print_regs(d, "... user", &s->user_regs);
}

static void print_intr_regs(struct dump *d, const struct record *rec, const struct sample *s)
{
	(void)rec;
	print_regs(d, "... intr", &s->intr_regs);
}

#define WORD_BIT(bit, listed, name, dump) | PERF_SAMPLE_##bit
#define PART_BIT(bit, listed, name)	  | PERF_SAMPLE_##bit

#define WORDS ((uint64_t)(0 ATTR_SAMPLE_FIELDS(ATTR_NO_HEAD, ATTR_NO_PART, WORD_BIT)))

/* Parts with a block of lines; RAW and AUX are in the record's bytes and nowhere else. */
#define SHOWN                                                                     \
	(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK |    \
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_STACK_USER | \
	 PERF_SAMPLE_WEIGHT_TYPE)

_Static_assert((0 ATTR_SAMPLE_FIELDS(ATTR_NO_HEAD, PART_BIT, ATTR_NO_WORD)) ==
		       (SHOWN | PERF_SAMPLE_RAW | PERF_SAMPLE_AUX),
	       "a part of a sample has a row in print_parts(), or is left out by name");

/* Upstream's order, not the record's. */
static void print_parts(struct dump *d, const struct record *rec, const struct sample *s)
{
	static const struct {
		uint64_t bits;
		void (*print)(struct dump *d, const struct record *rec, const struct sample *s);
	} rows[] = {
		{ PERF_SAMPLE_CALLCHAIN, print_callchain },
		{ PERF_SAMPLE_BRANCH_STACK, print_branches },
		{ PERF_SAMPLE_REGS_USER, print_user_regs },
		{ PERF_SAMPLE_REGS_INTR, print_intr_regs },
		{ PERF_SAMPLE_STACK_USER, print_stack },
		{ PERF_SAMPLE_WEIGHT_TYPE, print_weight },
		{ WORDS, print_words },
		{ PERF_SAMPLE_READ, print_read },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (s->present & rows[i].bits)
			rows[i].print(d, rec, s);
}

static void print_owner(struct dump *d, const struct sample *s)
{
	struct thread *th = machine_thread(d->machine, (int32_t)s->pid, (int32_t)s->tid);
	struct map_hit hit;

	obuf_lit(d->o, " ... thread: ");
	if (th)
		emit_safe(d->o, machine_comm(d->machine, th->comm));
	obuf_char(d->o, ':');
	dump_s32(d->o, s->tid);
	obuf_lit(d->o, "\n ...... dso: ");
	if (th && machine_find_map(d->machine, th, s->cpumode, s->ip, &hit))
		emit_safe(d->o, hit.map->dso->kind == DSO_MODULE ? hit.map->dso->path
								 : hit.map->dso->name);
	else
		obuf_str(d->o, s->cpumode == PERF_RECORD_MISC_HYPERVISOR ? "[hypervisor]"
									 : "<not found>");
	obuf_char(d->o, '\n');
}

static char *put_s32(char *p, uint32_t v)
{
	int64_t n = (int32_t)v;

	if (n < 0)
		*p++ = '-';
	return p + fmt_dec(p, (uint64_t)(n < 0 ? -n : n));
}

/* Seven numbers, and 40 bytes between them. */
#define LINE_ROOM (7 * DUMP_NUMBER + 40)

static void print_first_line(struct obuf *o, const struct record *rec, const struct sample *s)
{
	char *start = obuf_room(o, LINE_ROOM), *p = start;

	if (!p)
		return;
	p = DUMP_PUT(p, "(IP, 0x");
	p += fmt_hex(p, rec->misc);
	p = DUMP_PUT(p, "): ");
	p = put_s32(p, s->pid);
	*p++ = '/';
	p = put_s32(p, s->tid);
	p = DUMP_PUT(p, ": ");
	p = dump_put_hex(p, s->ip);
	p = DUMP_PUT(p, " period: ");
	p += fmt_dec(p, s->period);
	p = DUMP_PUT(p, " addr: ");
	p = dump_put_hex(p, s->addr);
	*p++ = '\n';
	o->len += (size_t)(p - start);
}

int dump_sample(struct dump *d, const struct record *rec, struct err *e)
{
	const struct sample *s = &d->sample;

	if (!d->parsed && sample_parse(rec, &d->sample, e))
		return e->code;
	print_first_line(d->o, rec, s);
	print_parts(d, rec, s);
	print_owner(d, s);
	return 0;
}
