// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A function as lines. Its bytes are decoded from the first to the last, at the addresses that the
 * linker gave them, so that what is shown is what a disassembler of the file shows; what does not
 * decode is shown byte by byte as such, for data lies among code. After that come names, source
 * lines, loops and counts, each a pass of its own over instructions in order: nothing is searched
 * but by halves, and a function of a hundred thousand instructions takes a hundred times as long
 * as one of a thousand.
 *
 * A hit counts at the instruction that holds its address. One at no instruction (the function was
 * cut short) is told, not dropped: sums must come out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "annotate-int.h"

#define CODE_MAX (64u << 20) /* bytes of one function: more is damage */
#define TEXT_MAX 256

int annotate_note(struct listing_build *b, const char *fmt, ...)
{
	char text[1024], *copy;
	va_list ap;

	va_start(ap, fmt);
	safe_format(text, sizeof(text), fmt, ap);
	va_end(ap);
	copy = arena_strdup(&b->arena, text);
	return copy ? vec_push(&b->notes, copy) : -ENOMEM;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* A symbol without a size is taken to go on to the next one, which may lie in another section. */
static int keep_to_section(struct listing_build *b)
{
	uint64_t limit = symbol_code_limit(b->res, b->l.dso, b->l.start);

	if (limit >= b->l.end)
		return 0;
	b->l.end = limit;
	return annotate_note(
		b, "%s has no size by its symbol: it is shown up to the end of its section",
		b->l.sym->name);
}

static int read_code(struct listing_build *b, struct err *e)
{
	int ret = keep_to_section(b);
	uint64_t size = b->l.end - b->l.start;
	ssize_t n;

	if (ret)
		return err_set(e, ret, "out of memory for a function");
	if (size > CODE_MAX) {
		size = CODE_MAX;
		if (annotate_note(b, "%s has %llu bytes by its symbol: %u are shown",
				  b->l.sym->name, (unsigned long long)(b->l.end - b->l.start),
				  CODE_MAX))
			return err_set(e, -ENOMEM, "out of memory for a function");
	}
	b->code = malloc(size + 1);
	if (!b->code)
		return err_set(e, -ENOMEM, "out of memory for a function of %llu bytes",
			       (unsigned long long)size);
	n = symbol_read_code(b->res, b->l.dso, b->l.start, b->code, size);
	if (n <= 0) {
		symbol_code_error(b->res, b->l.dso, n < 0 ? (int)n : 0, e);
		return err_context(e, "%s", b->l.sym->name);
	}
	b->size = (size_t)n;
	b->l.path = symbol_code_path(b->res, b->l.dso);
	if (b->size < size &&
	    annotate_note(b, "%s ends %llu bytes before %s does: the rest is not shown", b->l.path,
			  (unsigned long long)(size - b->size), b->l.sym->name))
		return err_set(e, -ENOMEM, "out of memory for a function");
	return 0;
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* Words that stand before an instruction's name. */
static bool is_prefix(const char *s, size_t n)
{
	static const char *const words[] = { "rep",  "repe",	"repne",    "repz",    "repnz",
					     "lock", "notrack", "bnd",	    "data16",  "addr32",
					     "cs",   "ds",	"xacquire", "xrelease" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == n && !memcmp(words[i], s, n))
			return true;
	return false;
}

/* Where the operands begin in "rep stosb %al, (%rdi)"; 0 = there are none. */
static uint16_t args_of(const char *text)
{
	const char *word = text, *blank = strchr(text, ' ');

	while (blank && is_prefix(word, (size_t)(blank - word))) {
		word = blank + 1;
		blank = strchr(word, ' ');
	}
	return blank && blank[1] ? (uint16_t)(blank + 1 - text) : 0;
}

/*
 * Without a build id a file may be another one than what ran, and nobody can tell; but one that was
 * put there after the recording was written most likely is.
 */
static int note_unproven(struct listing_build *b)
{
	const struct perfdata *pd = machine_recording(b->a->m);
	struct stat code, recording;

	if (b->l.dso->kind != DSO_USER || b->l.dso->build_id_size || !pd || !b->l.path ||
	    stat(b->l.path, &code) || stat(perfdata_path(pd), &recording) ||
	    code.st_ctim.tv_sec <= recording.st_mtim.tv_sec)
		return 0;
	return annotate_note(b,
			     "%s is newer than the recording, which has no build id of it: this "
			     "may not be the code that ran",
			     b->l.path);
}

/* Where kinds of code begin: symbol_marks(). */
struct marks {
	const struct symbol_mark *v;
	size_t n;
};

/* Bytes that an instruction which does not decode is taken for. */
static size_t least_len(const struct listing_build *b, size_t at)
{
	uint64_t left = b->size - at;

	switch (b->l.arch) {
	case REGS_ARCH_X86: return 1;
	case REGS_ARCH_ARM: /* these bits say that there are four bytes */
		if (!b->thumb)
			return min_u64(left, 4);
		return left >= 4 && load_u16(b->code + at, b->swap_insns) >> 11 >= 0x1d
			       ? 4
			       : min_u64(left, 2);
	case REGS_ARCH_S390:
	case REGS_ARCH_CSKY:
	case REGS_ARCH_RISCV: return min_u64(left, 2);
	default: return min_u64(left, 4);
	}
}

/* "(bad)", or the number that no library here knows: it may be younger than they are. */
static const char *bad_text(struct listing_build *b, const struct listing_line *line)
{
	if (line->len != 4)
		return "(bad)";
	if (b->thumb)
		return arena_printf(&b->arena, ".inst.w 0x%04x%04x",
				    load_u16(line->bytes, b->swap_insns),
				    load_u16(line->bytes + 2, b->swap_insns));
	return arena_printf(&b->arena, ".inst 0x%08x", load_u32(line->bytes, b->swap_insns));
}

static int add_insn(struct listing_build *b, struct insn_decoder *d, size_t at)
{
	struct listing_line line = { .kind = LISTING_INSN,
				     .insn = (uint32_t)b->insns.n,
				     .target = LISTING_NONE,
				     .addr = b->l.start + at,
				     .bytes = b->code + at };
	uint64_t addr = line.addr + b->l.shift;
	char text[TEXT_MAX];
	struct insn in;
	size_t n;

	if (insn_decode(d, b->code + at, b->size - at, addr, &in) <= 0) {
		in = (struct insn){ .len = (uint8_t)least_len(b, at) };
		line.bad = true;
	}
	line.len = in.len;
	if (line.bad || insn_text(d, b->code + at, b->size - at, addr, text, sizeof(text)) <= 0) {
		line.text = bad_text(b, &line);
	} else {
		for (n = strlen(text); n && text[n - 1] == ' '; n--)
			;
		line.text = arena_strndup(&b->arena, text, n);
	}
	if (!line.text)
		return -ENOMEM;
	line.args = line.bad ? 0 : args_of(line.text);
	line.branch = (uint8_t)in.branch;
	line.mask = in.mask;
	line.lanes = in.lanes;
	if (in.has_target || in.has_data) {
		line.ref = in.has_target ? LISTING_CODE : LISTING_DATA;
		line.ref_addr = in.has_target ? in.target : in.data;
	}
	return vec_push(&b->insns, line);
}

/* Bytes that are data by the object's word: a literal, or what is left of one. */
static int add_data(struct listing_build *b, size_t at, size_t len)
{
	struct listing_line line = { .kind = LISTING_INSN,
				     .insn = (uint32_t)b->insns.n,
				     .target = LISTING_NONE,
				     .len = (uint8_t)len,
				     .addr = b->l.start + at,
				     .bytes = b->code + at,
				     .bad = true };
	uint32_t v = len == 4	? load_u32(line.bytes, b->swap_data)
		     : len == 2 ? load_u16(line.bytes, b->swap_data)
				: line.bytes[0];

	line.text = arena_printf(&b->arena, "%s 0x%0*x",
				 len == 4   ? ".word"
				 : len == 2 ? ".short"
					    : ".byte",
				 (int)(2 * len), v);
	return line.text ? vec_push(&b->insns, line) : -ENOMEM;
}

/* What lies at @at by the marks, as symbol_mark has it; *end: up to where. */
static char kind_at(const struct listing_build *b, struct marks *m, size_t at, size_t *end)
{
	uint64_t addr = b->l.start + at;

	while (m->n > 1 && m->v[1].addr <= addr) {
		m->v++;
		m->n--;
	}
	*end = b->size;
	if (m->n > 1)
		*end = (size_t)min_u64(*end, m->v[1].addr - b->l.start);
	return m->n && m->v->addr <= addr ? m->v->kind : 0;
}

static int decode_all(struct listing_build *b, struct insn_decoder *d)
{
	struct marks m = { 0 };
	char before = 0;
	size_t end;
	int ret;

	m.n = symbol_marks(b->res, b->l.dso, b->l.start, &m.v);
	for (size_t at = 0; at < b->size; at += b->insns.v[b->insns.n - 1].len) {
		char kind = kind_at(b, &m, at, &end);

		if (kind == 'd') {
			size_t left = end - at, odd = (b->l.start + at) % 4;

			ret = add_data(b, at, odd % 2 || left < 2 ? 1 : odd || left < 4 ? 2 : 4);
			if (ret)
				return ret;
			continue;
		}
		if (kind != before) {
			b->thumb = kind == 't';
			insn_set_thumb(d, b->thumb);
		}
		before = kind;
		ret = add_insn(b, d, at);
		if (ret)
			return ret;
	}
	return 0;
}

static int decode(struct listing_build *b, struct err *e)
{
	unsigned mode = symbol_insn_mode(b->res, b->l.dso);
	struct insn_decoder *d;
	int ret;

	ret = insn_new(&d, b->l.arch, mode, e);
	if (ret)
		return ret;
	insn_set_syntax(d, b->o.syntax);
	b->swap_insns = !(mode & INSN_BIG_ENDIAN) == host_is_big_endian();
	b->swap_data = !(mode & INSN_BIG_DATA) == host_is_big_endian();
	ret = decode_all(b, d);
	insn_free(d);
	return ret ? err_set(e, ret, "out of memory for a function") : 0;
}

static uint32_t insn_holding(const struct listing_line *insns, size_t n, uint64_t addr)
{
	size_t lo = 0;

	while (n) {
		size_t half = n / 2;

		if (insns[lo + half].addr <= addr) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	if (!lo || addr - insns[lo - 1].addr >= insns[lo - 1].len)
		return LISTING_NONE;
	return (uint32_t)lo - 1;
}

uint32_t annotate_insn_holding(const struct listing_build *b, uint64_t addr)
{
	return insn_holding(b->insns.v, b->insns.n, addr);
}

uint32_t annotate_insn_start(const struct listing_build *b, uint64_t addr)
{
	uint32_t i = insn_holding(b->insns.v, b->insns.n, addr);

	return i != LISTING_NONE && b->insns.v[i].addr == addr ? i : LISTING_NONE;
}

/* ---- counts ---------------------------------------------------------------------------------- */

static int set_events(struct listing_build *b)
{
	const struct annotate *a = b->a;
	uint32_t nr = b->o.nr_events ? b->o.nr_events : (uint32_t)a->total.n;

	b->l.event = calloc((size_t)nr + 1, sizeof(*b->l.event));
	b->l.count = calloc(b->insns.n * nr + 1, sizeof(*b->l.count));
	if (!b->l.event || !b->l.count)
		return -ENOMEM;
	b->l.nr_events = nr;
	for (uint32_t k = 0; k < nr; k++) {
		struct listing_event *ev = &b->l.event[k];

		ev->idx = b->o.event + k;
		if (ev->idx >= a->total.n)
			continue;
		ev->event = a->event.v[ev->idx];
		ev->all = a->total.v[ev->idx];
		if (b->l.function)
			ev->function = b->l.function->total[ev->idx];
	}
	return 0;
}

static int add_counts(struct listing_build *b)
{
	const struct annotate_function *f = b->l.function;
	const struct annotate *a = b->a;

	if (set_events(b))
		return -ENOMEM;
	for (uint32_t i = f ? f->first : 0; f && i < f->first + f->nr; i++) {
		const struct annotate_row *r = &a->rows.v[a->places.v[i].row];
		uint32_t k = r->event - b->o.event, n;
		struct annotate_count *c;

		if (r->event < b->o.event || k >= b->l.nr_events)
			continue;
		n = insn_holding(b->insns.v, b->insns.n, a->places.v[i].addr);
		c = n == LISTING_NONE ? &b->l.event[k].outside
				      : &b->l.count[(size_t)n * b->l.nr_events + k];
		c->hits += r->count.hits;
		c->period += r->count.period;
	}
	return 0;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int build(struct listing_build *b, struct err *e)
{
	int ret = read_code(b, e);

	if (!ret && note_unproven(b))
		ret = err_set(e, -ENOMEM, "out of memory for a function");
	ret = ret ?: decode(b, e);
	if (ret)
		return ret;
	if (annotate_refs(b) || annotate_sources(b) || add_counts(b) || annotate_flow(b) ||
	    annotate_registers_lay(b) || annotate_marks_lay(b) || annotate_answers_lay(b) ||
	    annotate_lines(b) || annotate_loops(b) || annotate_flow_loops(b))
		return err_set(e, -ENOMEM, "out of memory for a function");
	if (vec_push(&b->notes, NULL))
		return err_set(e, -ENOMEM, "out of memory for a function");
	b->l.line = b->lines.v;
	b->l.nr_lines = (uint32_t)b->lines.n;
	b->l.insn_line = b->insn_line.v;
	b->l.nr_insns = (uint32_t)b->insn_line.n;
	b->l.loop = b->loops.v;
	b->l.nr_loops = (uint32_t)b->loops.n;
	b->l.notes = b->notes.v;
	vec_free(&b->insns);
	return 0;
}

/* To addresses as they are shown: the linker's; of code made at run time, where it was loaded. */
static uint64_t shift_of(const struct annotate *a, struct dso *dso, const struct symbol *sym)
{
	const struct jitdump *d = dso->kind == DSO_JIT ? machine_jitdump(a->m, dso) : NULL;
	const struct jit_code *code = d ? jitdump_find(d, sym->start) : NULL;

	if (code)
		return code->addr - code->at;
	return symbol_listed_addr(a->res, dso, sym->start) - sym->start;
}

/* Code that lies in no file is of the recorded machine. */
static enum regs_arch arch_of(const struct annotate *a, struct dso *dso)
{
	uint32_t machine = symbol_e_machine(a->res, dso);
	const struct perfdata *pd = machine_recording(a->m);
	enum regs_arch arch = pd ? regs_arch_from_uname(perfdata_env(pd)->arch) : REGS_ARCH_NONE;

	if (machine)
		return regs_arch_from_elf(machine);
	return arch != REGS_ARCH_NONE ? arch : regs_arch_host();
}

int listing_open(struct listing **out, const struct annotate *a, struct dso *dso,
		 const struct symbol *sym, const struct listing_opts *opts, struct err *e)
{
	struct listing_build *b = calloc(1, sizeof(*b));
	int ret;

	*out = NULL;
	if (!b)
		return err_set(e, -ENOMEM, "out of memory for a function");
	b->a = a;
	b->res = a->res;
	if (opts)
		b->o = *opts;
	b->l.dso = dso;
	b->l.sym = sym;
	b->l.start = sym->start;
	b->l.end = sym->end;
	b->l.shift = shift_of(a, dso, sym);
	b->l.function = annotate_find(a, sym);
	b->l.arch = arch_of(a, dso);
	ret = build(b, e);
	if (ret)
		listing_close(&b->l);
	else
		*out = &b->l;
	return ret;
}

void listing_close(struct listing *l)
{
	struct listing_build *b = (struct listing_build *)l;

	if (!b)
		return;
	free(b->code);
	free(b->l.event);
	free(b->l.count);
	free(b->l.flow);
	free(b->l.regs);
	free(b->l.answers);
	annotate_marks_drop(b);
	vec_free(&b->insns);
	vec_free(&b->lines);
	vec_free(&b->insn_line);
	vec_free(&b->loops);
	vec_free(&b->edges);
	vec_free(&b->notes);
	arena_free(&b->arena);
	free(b);
}

/* ---- questions ------------------------------------------------------------------------------- */

uint64_t listing_addr(const struct listing *l, const struct listing_line *line)
{
	return line->addr + l->shift;
}

uint32_t listing_insn_at(const struct listing *l, uint64_t addr)
{
	size_t lo = 0, n = l->nr_insns;

	while (n) {
		size_t half = n / 2;

		if (l->line[l->insn_line[lo + half]].addr <= addr) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	if (!lo || addr - l->line[l->insn_line[lo - 1]].addr >= l->line[l->insn_line[lo - 1]].len)
		return LISTING_NONE;
	return (uint32_t)lo - 1;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

double listing_percent(const struct listing *l, const struct listing_line *line, uint32_t k,
		       enum listing_percent type)
{
	struct annotate_count c = listing_count(l, line, k);
	const struct listing_event *ev = &l->event[k];

	switch (type) {
	case LISTING_LOCAL_HITS: return share(c.hits, ev->function.count.hits);
	case LISTING_GLOBAL_HITS: return share(c.hits, ev->all.count.hits);
	case LISTING_GLOBAL_PERIOD: return share(c.period, ev->all.count.period);
	default: return share(c.period, ev->function.count.period);
	}
}

uint32_t listing_hottest(const struct listing *l)
{
	uint32_t best = LISTING_NONE;
	uint64_t most = 0;

	for (uint32_t i = 0; i < l->nr_insns; i++) {
		uint64_t period = 0;

		for (uint32_t k = 0; k < l->nr_events; k++)
			period += l->count[(size_t)i * l->nr_events + k].period;
		if (period > most) {
			most = period;
			best = l->insn_line[i];
		}
	}
	return best;
}
