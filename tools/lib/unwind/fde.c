// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list of an object's FDEs. Both sections are the same lists of entries with a length in front; an entry is a
 * CIE, what many functions have in common, or an FDE: a function, and the CIE it goes by. They differ in how an FDE
 * names its CIE and in what addresses are relative to, so .debug_frame is written anew as .eh_frame.
 */
#include "fde-int.h"
#include "config.h"

#if HAVE_LIBDW && HAVE_LIBUNWIND

#include <dwarf.h>
#include <stdlib.h>

#include "base/bytes.h"

#define MAX_SECTION (1u << 30)
#define MAX_PROGRAM (1u << 16) /* bytes of one function's rules */
#define MAX_MADE    (1u << 31) /* of a section written anew: places in it have 32 bits */
#define ABSOLUTE    (DW_EH_PE_pcrel | DW_EH_PE_sdata8)

struct cie {
	uint64_t code, ra;
	int64_t data;
	uint8_t encoding;
	bool signal;
	bool lengths; /* its FDEs have augmentation data */
	struct cursor program;
};

/* A CIE that an FDE went by. Compilers write one for many FDEs; linkers leave several in turns. */
struct known_cie {
	uint64_t at;
	struct cie cie;
	bool ok;
	uint32_t made; /* where it stands in what is written anew */
};

/* A section that is walked through. */
struct walk {
	const unsigned char *p;
	size_t size;
	uint64_t vaddr;
	bool debug;
	VEC(struct known_cie) known;
	struct htab by_place;
	uint64_t cies;	      /* bytes of these: more than the section has if they overlap */
	struct known_cie now; /* that of the FDE, and most often of the next */
};

/* A pointer; @at is where it stands. False: of a kind that needs more than the section. */
static bool pointer(struct cursor *c, uint8_t encoding, uint64_t at, uint64_t *v)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8: *v = cursor_u64(c); break;
	case DW_EH_PE_udata4: *v = cursor_u32(c); break;
	case DW_EH_PE_sdata4: *v = (uint64_t)(int32_t)cursor_u32(c); break;
	case DW_EH_PE_udata2: *v = cursor_u16(c); break;
	case DW_EH_PE_sdata2: *v = (uint64_t)(int16_t)cursor_u16(c); break;
	default: return false;
	}
	if (encoding & DW_EH_PE_indirect ||
	    ((encoding & 0x70) && (encoding & 0x70) != DW_EH_PE_pcrel))
		return false;
	if (encoding & 0x70)
		*v += at;
	return !c->bad;
}

/* The letters behind "z", and what each stands for. */
static bool augmentation(struct cursor *c, const char *letters, struct cie *cie)
{
	uint64_t n = cursor_uleb(c), v;
	struct cursor data = cursor_init(cursor_bytes(c, n), c->bad ? 0 : n, false);

	cie->lengths = true;
	for (; *letters && !c->bad; letters++)
		switch (*letters) {
		case 'R': cie->encoding = cursor_u8(&data); break;
		case 'L': cursor_u8(&data); break;
		case 'S': cie->signal = true; break;
		case 'P':
			if (!pointer(&data, cursor_u8(&data) & 0x0f, 0, &v))
				return false; /* of a personality, which may be anywhere */
			break;
		default: return false;
		}
	return !data.bad;
}

/* @c: behind length and id. */
static bool read_cie(struct cursor *c, bool debug, struct cie *cie)
{
	uint8_t version = cursor_u8(c);
	const char *letters = (const char *)c->p;

	memset(cie, 0, sizeof(*cie));
	if (c->bad || !memchr(letters, 0, cursor_left(c)))
		return false;
	cursor_skip(c, strlen(letters) + 1);
	if (version == 4 && debug && (cursor_u8(c) != 8 || cursor_u8(c)))
		return false;
	if (version != 1 && version != 3 && (version != 4 || !debug))
		return false;
	cie->code = cursor_uleb(c);
	cie->data = cursor_sleb(c);
	cie->ra = version == 1 ? cursor_u8(c) : cursor_uleb(c);
	cie->encoding = DW_EH_PE_absptr;
	if (*letters == 'z') {
		if (!augmentation(c, letters + 1, cie))
			return false;
	} else if (*letters == 'S' && !letters[1]) {
		cie->signal = true;
	} else if (*letters) {
		return false;
	}
	cie->program = *c;
	return !c->bad && cursor_left(c) <= MAX_PROGRAM;
}

/* What follows the length at @at; false: at the end, or of no use from here on. */
static bool entry(const unsigned char *p, size_t size, uint64_t at, struct cursor *c)
{
	uint32_t length;

	if (at > size || size - at < 8)
		return false;
	length = load_u32(p + at, false);
	if (!length || length < 4 || length > size - at - 4)
		return false;
	*c = cursor_init(p + at + 4, length, false);
	return true;
}

/* The CIE of the FDE at @at whose pointer to it is @id; its place. */
static uint64_t cie_place(uint64_t at, uint32_t id, bool debug)
{
	return debug ? id : at + 4 - id;
}

static bool cie_at(const unsigned char *p, size_t size, uint64_t at, bool debug, struct cie *cie)
{
	struct cursor c;

	return entry(p, size, at, &c) && cursor_u32(&c) == (debug ? UINT32_MAX : 0) &&
	       read_cie(&c, debug, cie);
}

/*
 * ---- what a library may be given ---------------------------------------------------------------------
 *
 * libunwind 1.6 divides as the file says, which traps for one pair of numbers, and follows jumps without counting.
 * No compiler writes either in call frame information; a function with such rules has none here.
 */

static bool safe_expression(struct cursor *c)
{
	uint64_t n = cursor_uleb(c);
	struct cursor e = cursor_init(cursor_bytes(c, n), c->bad ? 0 : n, false);

	while (!e.bad && cursor_left(&e)) {
		uint8_t op = cursor_u8(&e);

		if (op >= DW_OP_lit0 && op <= DW_OP_reg31)
			continue;
		if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
			cursor_sleb(&e);
			continue;
		}
		switch (op) {
		case DW_OP_addr:
		case DW_OP_const8u:
		case DW_OP_const8s: cursor_skip(&e, 8); break;
		case DW_OP_const4u:
		case DW_OP_const4s: cursor_skip(&e, 4); break;
		case DW_OP_const2u:
		case DW_OP_const2s: cursor_skip(&e, 2); break;
		case DW_OP_const1u:
		case DW_OP_const1s:
		case DW_OP_pick:
		case DW_OP_deref_size: cursor_skip(&e, 1); break;
		case DW_OP_constu:
		case DW_OP_plus_uconst: cursor_uleb(&e); break;
		case DW_OP_consts: cursor_sleb(&e); break;
		case DW_OP_bregx: cursor_uleb(&e), cursor_sleb(&e); break;
		case DW_OP_deref:
		case DW_OP_dup:
		case DW_OP_drop:
		case DW_OP_over:
		case DW_OP_swap:
		case DW_OP_rot:
		case DW_OP_abs:
		case DW_OP_and:
		case DW_OP_minus:
		case DW_OP_mul:
		case DW_OP_neg:
		case DW_OP_not:
		case DW_OP_or:
		case DW_OP_plus:
		case DW_OP_shl:
		case DW_OP_shr:
		case DW_OP_shra:
		case DW_OP_xor:
		case DW_OP_eq:
		case DW_OP_ge:
		case DW_OP_gt:
		case DW_OP_le:
		case DW_OP_lt:
		case DW_OP_ne:
		case DW_OP_nop: break;
		default: return false;
		}
	}
	return !e.bad && !c->bad;
}

static bool safe_program(struct cursor c, uint8_t encoding)
{
	unsigned depth = 0;
	uint64_t v;

	while (cursor_left(&c) && !c.bad) {
		uint8_t op = cursor_u8(&c);

		if ((op & 0xc0) == DW_CFA_offset) {
			cursor_uleb(&c);
			continue;
		}
		switch (op & 0xc0 ? DW_CFA_nop : op) {
		case DW_CFA_nop:
		case DW_CFA_GNU_window_save: break;
		case DW_CFA_remember_state:
			if (++depth > 64)
				return false;
			break;
		case DW_CFA_restore_state:
			if (!depth--)
				return false;
			break;
		case DW_CFA_set_loc:
			if (!pointer(&c, encoding, 0, &v))
				return false;
			break;
		case DW_CFA_advance_loc1: cursor_skip(&c, 1); break;
		case DW_CFA_advance_loc2: cursor_skip(&c, 2); break;
		case DW_CFA_advance_loc4: cursor_skip(&c, 4); break;
		case DW_CFA_restore_extended:
		case DW_CFA_undefined:
		case DW_CFA_same_value:
		case DW_CFA_def_cfa_register:
		case DW_CFA_def_cfa_offset:
		case DW_CFA_GNU_args_size: cursor_uleb(&c); break;
		case DW_CFA_def_cfa_offset_sf: cursor_sleb(&c); break;
		case DW_CFA_offset_extended:
		case DW_CFA_register:
		case DW_CFA_def_cfa:
		case DW_CFA_val_offset:
		case DW_CFA_GNU_negative_offset_extended: cursor_uleb(&c), cursor_uleb(&c); break;
		case DW_CFA_offset_extended_sf:
		case DW_CFA_def_cfa_sf:
		case DW_CFA_val_offset_sf: cursor_uleb(&c), cursor_sleb(&c); break;
		case DW_CFA_expression:
		case DW_CFA_val_expression: cursor_uleb(&c); __attribute__((fallthrough));
		case DW_CFA_def_cfa_expression:
			if (!safe_expression(&c))
				return false;
			break;
		default: return false;
		}
	}
	return !c.bad;
}

/* ---- .debug_frame as .eh_frame ------------------------------------------------------------------- */

static int put(struct fdes *f, const void *p, size_t n)
{
	if (vec_reserve(&f->made, f->made.n + n))
		return -ENOMEM;
	memcpy(f->made.v + f->made.n, p, n);
	f->made.n += n;
	return 0;
}

static int put_leb(struct fdes *f, int64_t v, bool is_signed)
{
	uint64_t u = (uint64_t)v;

	for (;;) {
		uint8_t b = u & 0x7f;
		bool last;

		u = is_signed ? (uint64_t)((int64_t)u >> 7) : u >> 7;
		last = is_signed ? (u == 0 && !(b & 0x40)) || (u == ~0ULL && b & 0x40) : !u;
		b |= last ? 0 : 0x80;
		if (put(f, &b, 1))
			return -ENOMEM;
		if (last)
			return 0;
	}
}

static int put_u32(struct fdes *f, uint32_t v)
{
	return put(f, &v, 4);
}

/* The length of the entry at @at, which ends here. */
static void put_length(struct fdes *f, uint32_t at)
{
	uint32_t n = (uint32_t)(f->made.n - at - 4);

	memcpy(f->made.v + at, &n, 4);
}

static int make_cie(struct fdes *f, struct walk *w)
{
	static const unsigned char plain[] = { 3, 'z', 'R', 0 }, signal[] = { 3, 'z', 'R', 'S', 0 };
	static const unsigned char data[] = { 1, ABSOLUTE };
	const struct cie *cie = &w->now.cie;
	int ret;

	w->now.made = (uint32_t)f->made.n;
	ret = put_u32(f, 0) ?: put_u32(f, 0);
	ret = ret ?: cie->signal ? put(f, signal, sizeof(signal)) : put(f, plain, sizeof(plain));
	ret = ret ?: put_leb(f, (int64_t)cie->code, false) ?: put_leb(f, cie->data, true);
	ret = ret ?: put_leb(f, (int64_t)cie->ra, false) ?: put(f, data, sizeof(data));
	ret = ret ?: put(f, cie->program.p, cursor_left(&cie->program));
	if (!ret)
		put_length(f, w->now.made);
	return ret;
}

static int make_fde(struct fdes *f, const struct walk *w, struct fde *fde, const struct cursor *c)
{
	uint32_t at = (uint32_t)f->made.n;
	uint64_t from, length = fde->end - fde->start;
	int ret = put_u32(f, 0) ?: put_u32(f, at + 4 - w->now.made);

	from = fde->start - (FDE_MADE + f->made.n);
	ret = ret ?: put(f, &from, 8) ?: put(f, &length, 8) ?: put(f, "", 1);
	ret = ret ?: put(f, c->p, cursor_left(c));
	if (!ret)
		put_length(f, at);
	fde->at = at;
	return ret;
}

/* ---- the list ------------------------------------------------------------------------------------- */

/* @c: of the FDE at @at, behind its pointer to the CIE. 0 where it is of no use. */
static int add_fde(struct fdes *f, struct walk *w, uint64_t at, struct cursor *c)
{
	struct fde fde = { .at = (uint32_t)at, .debug = w->debug, .signal = w->now.cie.signal };
	uint64_t length;

	if (!pointer(c, w->now.cie.encoding, w->vaddr + (uint64_t)(c->p - w->p), &fde.start) ||
	    !pointer(c, w->now.cie.encoding & 0x0f, 0, &length) || !length ||
	    fde.start + length < fde.start)
		return 0;
	fde.end = fde.start + length;
	if (w->now.cie.lengths)
		cursor_skip(c, cursor_uleb(c));
	if (c->bad || !safe_program(*c, w->now.cie.encoding))
		return 0;
	if (w->debug && make_fde(f, w, &fde, c))
		return -ENOMEM;
	return vec_push(&f->v, fde) ? -ENOMEM : 0;
}

/*
 * The CIE at @at becomes w->now: read, and written anew, once however many FDEs have it. Those of a real file lie side
 * by side; what reads as others in the middle of them is left out.
 */
static int use_cie(struct fdes *f, struct walk *w, uint64_t at)
{
	struct known_cie k = { .at = at };
	struct cursor c;
	uint32_t i;
	int ret = 0;

	for (struct htab_it it = htab_find(&w->by_place, hash_u64(at));
	     htab_next(&w->by_place, &it, &i);)
		if (i < w->known.n && w->known.v[i].at == at) {
			w->now = w->known.v[i];
			return 0;
		}
	w->cies += entry(w->p, w->size, at, &c) ? 4 + cursor_left(&c) : 0;
	k.ok = w->cies <= w->size && cie_at(w->p, w->size, at, w->debug, &k.cie) &&
	       safe_program(k.cie.program, k.cie.encoding);
	w->now = k;
	if (k.ok && w->debug)
		ret = make_cie(f, w);
	return ret ?: vec_push(&w->known, w->now)
			       ?: htab_add(&w->by_place, hash_u64(at), (uint32_t)w->known.n - 1);
}

static int walk(struct fdes *f, struct walk *w)
{
	struct cursor c;
	int ret = 0;

	w->now.at = UINT64_MAX;
	for (uint64_t at = 0; !ret && f->made.n < MAX_MADE && entry(w->p, w->size, at, &c);) {
		uint64_t here = at, cie;
		uint32_t id;

		at += 4 + cursor_left(&c);
		id = cursor_u32(&c);
		if (id == (w->debug ? UINT32_MAX : 0))
			continue;
		cie = cie_place(here, id, w->debug);
		if (cie != w->now.at)
			ret = use_cie(f, w, cie);
		if (!ret && w->now.ok && cursor_left(&c) <= MAX_PROGRAM)
			ret = add_fde(f, w, here, &c);
	}
	vec_free(&w->known);
	htab_free(&w->by_place);
	return ret;
}

/* Where .eh_frame begins by its header in the program's headers, for files without sections. */
static bool eh_by_header(struct elf_file *elf, uint64_t *vaddr)
{
	unsigned char h[12];
	GElf_Phdr ph;
	size_t n = 0;

	if (elf_getphdrnum(elf->elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct cursor c = cursor_init(h + 4, sizeof(h) - 4, false);

		if (gelf_getphdr(elf->elf, (int)i, &ph) && ph.p_type == PT_GNU_EH_FRAME)
			return elf_bytes(elf, ph.p_offset, h, sizeof(h)) && h[0] == 1 &&
			       pointer(&c, h[1], ph.p_vaddr + 4, vaddr);
	}
	return false;
}

/* Bytes of the segment from @vaddr on that are in the file. */
static uint64_t to_end(struct elf_file *elf, uint64_t vaddr, uint64_t *offset)
{
	struct segments load = { 0 };
	uint64_t n = 0;

	if (!elf_segments(elf, &load))
		vec_for_each (s, &load.v)
			if (vaddr >= s->vaddr && vaddr - s->vaddr < s->filesz) {
				*offset = s->offset + (vaddr - s->vaddr);
				n = s->filesz - (vaddr - s->vaddr);
			}
	vec_free(&load.v);
	return n;
}

static int read_eh(struct fdes *f, struct elf_file *elf)
{
	struct walk w = { .debug = false };
	uint64_t offset = 0, size;
	unsigned char *p;
	GElf_Shdr shdr;
	int ret = 0;

	if (elf_scn_named(elf, ".eh_frame", &shdr) && elf_has_bytes(elf, &shdr)) {
		w.vaddr = shdr.sh_addr;
		offset = shdr.sh_offset;
		size = shdr.sh_size;
	} else {
		size = eh_by_header(elf, &w.vaddr) ? to_end(elf, w.vaddr, &offset) : 0;
		size = min_u64(size, elf->size - min_u64(elf->size, offset));
	}
	if (!size || size > MAX_SECTION)
		return 0;
	p = malloc(size);
	if (!p)
		return -ENOMEM;
	if (elf_bytes(elf, offset, p, size)) {
		w.p = p;
		w.size = size;
		f->eh = w.vaddr;
		ret = walk(f, &w);
	}
	free(p);
	return ret;
}

static int read_debug(struct fdes *f, struct elf_file *elf)
{
	struct walk w = { .debug = true };
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_scn_named(elf, ".debug_frame", &shdr);
	bool old = !scn && (scn = elf_scn_named(elf, ".zdebug_frame", &shdr));
	Elf_Data *data;

	if (!scn || !elf_has_bytes(elf, &shdr) || !elf_debug_allowed(elf))
		return 0;
	elf_unpack(elf, scn);
	if (!gelf_getshdr(scn, &shdr))
		return 0;
	if ((old && elf_compress_gnu(scn, 0, 0) < 0) ||
	    (shdr.sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0))
		return 0;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || data->d_size > MAX_SECTION)
		return 0;
	w.p = data->d_buf;
	w.size = data->d_size;
	return walk(f, &w);
}

/* Of two for the same code the one of .eh_frame counts, as in the first unwinder; else the first one. */
static int by_start(const void *a, const void *b)
{
	const struct fde *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->debug != y->debug)
		return x->debug - y->debug;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Once, and not at each look: a damaged file has any number with one start. */
static void keep_first(struct fdes *f)
{
	size_t n = 0;

	vec_for_each (fde, &f->v)
		if (!n || fde->start != f->v.v[n - 1].start)
			f->v.v[n++] = *fde;
	f->v.n = n;
}

int fde_read(struct fdes *f, struct elf_file *elf)
{
	int ret;

	if (elf_e_machine(elf) != EM_X86_64 || !elf->is_64bit || elf->swap)
		return 0;
	ret = read_eh(f, elf) ?: read_debug(f, elf);
	if (f->v.n)
		qsort(f->v.v, f->v.n, sizeof(*f->v.v), by_start);
	keep_first(f);
	return ret;
}

void fde_free(struct fdes *f)
{
	vec_free(&f->v);
	vec_free(&f->made);
}

const struct fde *fde_find(const struct fdes *f, uint64_t vaddr)
{
	size_t low = 0, high = f->v.n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (f->v.v[mid].start <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	return low && vaddr < f->v.v[low - 1].end ? &f->v.v[low - 1] : NULL;
}

#endif
