// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches in code. A stretch begins where a branch went to, so its bytes are instructions from there on,
 * one behind the other; it ends with the branch that was taken. If an instruction in between always
 * branches, or the last one is none, then the file is not what ran there, and nothing is believed.
 */
#include <string.h>

#include "brstat-int.h"

#define STRETCH_MAX 16384 /* bytes; upstream stops there, too */
#define INSN_MAX    16
#define SKIP_BYTES  32
#define SKIP_INSNS  4

uint32_t brstat_site(struct brstat *b, struct dso *dso, uint64_t addr)
{
	const uint64_t key[2] = { dso ? dso->idx : ID_NONE, addr };
	uint32_t id = keys_tuple_id(&b->site_keys, key);
	const struct site new = { .addr = addr, .dso = dso, .list = ID_NONE };
	const struct outcomes none = { 0 };

	if (id == ID_NONE || (id == b->sites.n && vec_push(&b->sites, new)))
		return ID_NONE;
	return b->o.what & BRSTAT_WHY && vec_reach(&b->outcomes, id, none) ? ID_NONE : id;
}

static void set_site(struct site *s, const struct insn *in)
{
	s->known = true;
	s->kind = (uint8_t)in->branch;
	s->target = in->has_target ? in->target : 0;
}

static int add_inside(struct brstat *b, struct dso *dso, uint64_t addr, const struct insn *in)
{
	uint32_t site = brstat_site(b, dso, addr);

	if (site == ID_NONE)
		return -ENOMEM;
	set_site(&b->sites.v[site], in);
	return vec_push(&b->tmp, site);
}

/* What can be between two branches that were taken, one after the other. */
static bool goes_on(enum insn_branch kind)
{
	return kind == INSN_NO_BRANCH || kind == INSN_COND || kind == INSN_SYSCALL;
}

/* Fills b->tmp. */
static int read_code(struct brstat *b, struct code_stretch *t, struct dso *dso, uint64_t start,
		     uint64_t end)
{
	struct insn_decoder *d = keys_decoder(&b->dec, b->res, b->o.arch, dso);
	unsigned char code[STRETCH_MAX + INSN_MAX];
	uint64_t at = start;
	struct insn in;
	ssize_t n;

	if (!d)
		return 0;
	n = symbol_read_code(b->res, dso, start, code, end - start + INSN_MAX);
	if (n <= 0)
		return 0;
	t->state = CODE_MISFIT;
	for (; at <= end && at - start < (uint64_t)n; at += in.len) {
		uint64_t off = at - start;

		if (insn_decode(d, code + off, (size_t)n - off, at, &in) <= 0)
			return 0;
		t->nr_insns++;
		if (at == end)
			break;
		if (!goes_on(in.branch))
			return 0;
		if (in.branch == INSN_COND && add_inside(b, dso, at, &in))
			return -ENOMEM;
	}
	if (at != end || !insn_is_branch(&in))
		return 0;
	t->state = CODE_READ;
	return add_inside(b, dso, end, &in);
}

int brstat_read_stretch(struct brstat *b, struct code_stretch *t, const struct loc *start,
			const struct loc *end)
{
	t->first = (uint32_t)b->inside.n;
	b->tmp.n = 0;
	if (!end->dso || end->addr - start->addr > STRETCH_MAX)
		return 0;
	if (read_code(b, t, end->dso, start->addr, end->addr))
		return -ENOMEM;
	if (t->state != CODE_READ) {
		t->nr_insns = 0;
		return 0;
	}
	/* The last one is what was taken. */
	t->nr = (uint32_t)b->tmp.n - 1;
	if (vec_reserve(&b->inside, b->inside.n + t->nr))
		return -ENOMEM;
	for (uint32_t i = 0; i < t->nr; i++)
		b->inside.v[b->inside.n++] = b->tmp.v[i];
	return 0;
}

void brstat_read_site(struct brstat *b, struct site *site)
{
	unsigned char code[INSN_MAX];
	struct insn_decoder *d;
	struct insn in;
	ssize_t n;

	if (site->known || site->tried || !site->dso)
		return;
	site->tried = true;
	d = keys_decoder(&b->dec, b->res, b->o.arch, site->dso);
	n = d ? symbol_read_code(b->res, site->dso, site->addr, code, sizeof(code)) : 0;
	if (n > 0 && insn_decode(d, code, (size_t)n, site->addr, &in) > 0 && insn_is_branch(&in))
		set_site(site, &in);
}

/*
 * Whether an instruction writes memory, by its text in AT&T syntax: the last operand is memory. A
 * conditional move cannot stand for that.
 */
static bool writes_memory(struct insn_decoder *d, const unsigned char *code, size_t n, uint64_t at)
{
	char text[128];
	size_t len;

	if (insn_text(d, code, n, at, text, sizeof(text)) <= 0)
		return true;
	len = strlen(text);
	if (!strncmp(text, "push", 4) || !strncmp(text, "stos", 4) || !strncmp(text, "rep", 3))
		return true;
	return len && text[len - 1] == ')' && strncmp(text, "cmp", 3) && strncmp(text, "test", 4) &&
	       strncmp(text, "nop", 3);
}

uint32_t brstat_skipped(struct brstat *b, const struct site *site)
{
	unsigned char code[SKIP_BYTES + 2 * INSN_MAX];
	struct insn_decoder *d;
	uint64_t at = site->addr;
	uint32_t nr = 0;
	struct insn in;
	ssize_t n;

	if (!site->known || site->kind != INSN_COND || b->o.arch != REGS_ARCH_X86 ||
	    site->target <= at || site->target - at > SKIP_BYTES)
		return 0;
	d = keys_decoder(&b->dec, b->res, b->o.arch, site->dso);
	n = d ? symbol_read_code(b->res, site->dso, at, code, sizeof(code)) : 0;
	for (; at < site->target; at += in.len) {
		uint64_t off = at - site->addr;

		if ((ssize_t)off >= n || insn_decode(d, code + off, (size_t)n - off, at, &in) <= 0)
			return 0;
		if (!off)
			continue;
		if (insn_is_branch(&in) || writes_memory(d, code + off, (size_t)n - off, at))
			return 0;
		nr++;
	}
	return at == site->target && nr <= SKIP_INSNS ? nr : 0;
}
