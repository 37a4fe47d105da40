// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which registers the code at a location is about to read, and as what. Code is followed from there in
 * the way that it most likely takes: straight on, along jumps that always go, and once more round a
 * loop. A register is what the first instruction makes of it that reads it, unless one before has
 * written it: what is in it now is then nobody's. Calls and returns end the way.
 */
#include <stdlib.h>
#include <string.h>

#include "simd/simd.h"

#define STEPS	   24 /* instructions */
#define CODE_BYTES 256
#define INSN_MAX   15

/* Most places have no vectors near them: that is told by a byte. */
enum known { SITE_NEW, SITE_EMPTY, SITE_KNOWN };

struct simd_sites {
	struct resolver *res;
	enum regs_arch arch;
	bool types;
	VEC(struct simd_site) at; /* by location */
	VEC(uint8_t) known;	  /* by location: enum known */
	struct insn_decoder *dec[INSN_MODES];
	bool tried[INSN_MODES];
};

int simd_sites_new(struct simd_sites **out, struct resolver *res, enum regs_arch arch, bool types)
{
	struct simd_sites *s = calloc(1, sizeof(*s));

	*out = s;
	if (!s)
		return -ENOMEM;
	s->res = res;
	s->arch = arch;
	s->types = types;
	return 0;
}

void simd_sites_free(struct simd_sites *s)
{
	if (!s)
		return;
	vec_free(&s->at);
	vec_free(&s->known);
	for (size_t i = 0; i < ARRAY_SIZE(s->dec); i++)
		insn_free(s->dec[i]);
	free(s);
}

static struct insn_decoder *decoder(struct simd_sites *s, struct dso *dso)
{
	unsigned mode = symbol_insn_mode(s->res, dso) % INSN_MODES;
	struct err e = { 0 };

	if (!s->tried[mode] && insn_new(&s->dec[mode], s->arch, mode, &e))
		resolver_warn(s->res, "what the code does is not known: %s", e.text);
	s->tried[mode] = true;
	return s->dec[mode];
}

/* On the way from a location. */
struct way {
	struct simd_sites *s;
	struct insn_decoder *dec;
	const struct loc *l;
	struct simd_site site;
	uint32_t open; /* registers that nobody has written yet */
	uint8_t sure[32], hint[32];
	uint64_t addr;
	bool jumped_back;
	uint64_t from, size; /* of code[] */
	unsigned char code[CODE_BYTES];
};

static bool in_reach(const struct way *w, uint64_t addr)
{
	return !w->l->sym || (addr >= w->l->sym->start && addr < w->l->sym->end);
}

/* The bytes at w->addr, and how many; 0 = none. */
static size_t bytes_at(struct way *w, const unsigned char **p)
{
	ssize_t n;

	if (w->addr < w->from || w->addr + INSN_MAX > w->from + w->size) {
		n = symbol_read_code(w->s->res, w->l->dso, w->addr, w->code, sizeof(w->code));
		w->from = w->addr;
		w->size = n > 0 ? (uint64_t)n : 0;
	}
	*p = w->code + (w->addr - w->from);
	return (size_t)(w->from + w->size - w->addr);
}

static void put_use(struct way *w, const struct insn_vector *v)
{
	struct simd_site *site = &w->site;
	unsigned lanes = v->bits / regs_lane_bits(v->lane);

	if (site->nr == SIMD_USES)
		return;
	site->use[site->nr].reg = v->reg;
	site->use[site->nr].lane = v->lane;
	site->use[site->nr++].lanes = (uint8_t)(lanes ?: 1);
}

/* @lanes: that its mask selects from. @first: the instruction at the location itself. */
static void look_at(struct way *w, const struct insn_vectors *in, unsigned lanes, bool first)
{
	bool used = w->site.nr;

	for (unsigned i = 0; i < in->nr; i++) {
		const struct insn_vector *v = &in->v[i];
		uint32_t bit = 1U << v->reg % 32;

		if (!v->read || !(w->open & bit) || v->lane == LANE_HEX)
			continue;
		if (v->sure && w->sure[v->reg] == LANE_HEX)
			w->sure[v->reg] = v->lane;
		if (!v->sure && w->hint[v->reg] == LANE_HEX)
			w->hint[v->reg] = v->lane;
		if (v->sure && !used)
			put_use(w, v);
	}
	if (w->site.nr && !used) {
		w->site.here = first;
		w->site.mask = in->mask;
		w->site.lanes = (uint8_t)lanes;
		w->site.memory = in->memory;
	}
	for (unsigned i = 0; i < in->nr; i++)
		if (in->v[i].written)
			w->open &= ~(1U << in->v[i].reg % 32);
}

/* False at the end of the way. */
static bool go_on(struct way *w, const struct insn *in)
{
	bool back = in->has_target && in->target <= w->addr;

	switch (in->branch) {
	case INSN_NO_BRANCH: break;
	case INSN_COND:
		if (back && !w->jumped_back && in_reach(w, in->target)) {
			w->jumped_back = true;
			w->addr = in->target;
			return true;
		}
		break;
	case INSN_JUMP:
		if (!in->has_target || (back && w->jumped_back))
			return false;
		w->jumped_back |= back;
		w->addr = in->target;
		return in_reach(w, w->addr);
	default: return false;
	}
	w->addr += in->len;
	return in_reach(w, w->addr);
}

static void follow(struct way *w)
{
	for (int i = 0; i < STEPS && w->open; i++) {
		const unsigned char *p;
		size_t n = bytes_at(w, &p);
		struct insn_vectors v;
		struct insn in;

		if (!n || insn_decode(w->dec, p, n, w->addr, &in) <= 0)
			return;
		if (in.vector_bits && insn_vectors(w->dec, p, n, w->addr, &v) > 0)
			look_at(w, &v, in.lanes, i == 0);
		if ((w->site.nr && !w->s->types) || !go_on(w, &in))
			return;
	}
}

static struct simd_site look(struct simd_sites *s, uint32_t loc)
{
	struct way w;

	/* What is read of the code needs no zeros. */
	memset(&w, 0, offsetof(struct way, code));
	w.s = s;
	w.l = resolver_loc(s->res, loc);
	w.open = UINT32_MAX;
	if (s->arch != REGS_ARCH_X86 || !w.l->dso)
		return w.site;
	w.dec = decoder(s, w.l->dso);
	w.addr = w.l->addr;
	if (w.dec)
		follow(&w);
	for (unsigned reg = 0; s->types && reg < 32; reg++)
		w.site.type[reg / 2] |= (uint8_t)((w.sure[reg] ?: w.hint[reg]) << reg % 2 * 4);
	return w.site;
}

bool simd_site_is_empty(const struct simd_sites *s, uint32_t loc)
{
	return loc < s->known.n && s->known.v[loc] == SITE_EMPTY;
}

const struct simd_site *simd_site(struct simd_sites *s, uint32_t loc)
{
	static const struct simd_site none;

	if (loc == LOC_NONE || vec_reach(&s->known, loc, SITE_NEW))
		return &none;
	if (likely(s->known.v[loc] == SITE_EMPTY))
		return &none;
	if (s->known.v[loc] == SITE_NEW) {
		struct simd_site site = look(s, loc);

		if (!memcmp(&site, &none, sizeof(site))) {
			s->known.v[loc] = SITE_EMPTY;
			return &none;
		}
		if (vec_reach(&s->at, loc, none))
			return &none;
		s->at.v[loc] = site;
		s->known.v[loc] = SITE_KNOWN;
	}
	return &s->at.v[loc];
}
