// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects' call frame information, looked up through libdw and kept as rules. Most addresses of a
 * program share few rules: a rule is a dense number, and libdw is asked once per address. Its
 * debug frames cover what its eh_frame does not.
 */
#include "base/lack.h"
#include "cfi-libdw-int.h"

#if HAVE_LIBDW

#include <dwarf.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#define SPARE (16u << 20) /* for what libdw keeps of one object */

int cfi_new(struct cfi **cp, struct resolver *res)
{
	struct cfi *c = calloc(1, sizeof(*c));

	*cp = c;
	if (!c)
		return -ENOMEM;
	elf_version(EV_CURRENT);
	c->res = res;
	return 0;
}

static void object_free(struct cfi_object *o)
{
	if (!o)
		return;
	if (o->dwarf)
		dwarf_end(o->dwarf);
	if (o->eh)
		dwarf_cfi_end(o->eh);
	elf_close(o->file);
	free(o->vdso);
	vec_free(&o->load.v);
	free(o);
}

void cfi_free(struct cfi *c)
{
	if (!c)
		return;
	vec_for_each (o, &c->objects)
		object_free(*o);
	vec_free(&c->objects);
	bits_free(&c->tried);
	vec_free(&c->rules);
	vec_free(&c->exprs);
	vec_free(&c->keys);
	htab_free(&c->by_rule);
	htab_free(&c->by_expr);
	htab_free(&c->by_key);
	arena_free(&c->arena);
	free(c);
}

/* ---- objects ------------------------------------------------------------------------------------ */

static int open_vdso(struct cfi_object *o)
{
	const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	/* libelf takes its section headers, which lie behind the first page, for the end. */
	o->vdso = vdso ? calloc(2, page) : NULL;
	if (!o->vdso)
		return vdso ? -ENOMEM : -ENOENT;
	memcpy(o->vdso, vdso, page);
	return elf_open_memory(&o->file, o->vdso, 2 * page);
}

/* What libdw has no rules for, for want of memory: errno, 0 before, tells it from all else. */
static void refused(const struct cfi_object *o)
{
	const char *path = elf_path(o->file);

	lack_note(errno, "cannot read callers' frames of", path ? path : "the vdso");
}

static void no_memory(struct cfi *c, const char *name)
{
	resolver_no_memory(c->res, "callers' frames", name);
}

static int open_file(struct cfi *c, const struct dso *dso, struct cfi_object *o)
{
	char *path;
	int ret;

	if (dso->kind == DSO_VDSO)
		return open_vdso(o);
	path = symbol_run_file(c->res, dso);
	ret = !path ? -ENOENT : elf_open(&o->file, path, ELF_MAPPED | symbol_elf_flags(c->res));
	free(path);
	return ret;
}

static struct cfi_object *object_open(struct cfi *c, const struct dso *dso)
{
	struct cfi_object *o = calloc(1, sizeof(*o));
	int ret = -ENOMEM;

	if (!o)
		goto fail;
	o->idx = dso->idx;
	ret = open_file(c, dso, o);
	if (!ret && dso->kind == DSO_VDSO &&
	    !symbol_is_own_vdso(c->res, dso, elf_build_id(o->file)))
		ret = -ESTALE;
	if (!ret)
		ret = elf_segments(o->file, &o->load);
	/* libdw ends the program, or dies, where it gets no memory. */
	if (!ret && !mem_spare(SPARE))
		ret = -ENOMEM;
	if (ret)
		goto fail;
	errno = 0;
	o->eh = dwarf_getcfi_elf(o->file->elf);
	if (!o->eh)
		refused(o);
	return o;
fail:
	if (ret == -ENOMEM)
		no_memory(c, dso->name);
	object_free(o);
	return NULL;
}

struct cfi_object *cfi_object(struct cfi *c, const struct dso *dso)
{
	struct cfi_object *none = NULL;

	if (dso->kind != DSO_USER && dso->kind != DSO_VDSO)
		return NULL;
	if (vec_reach(&c->objects, dso->idx, none)) {
		no_memory(c, dso->name);
		return NULL;
	}
	if (bits_test(&c->tried, dso->idx))
		return c->objects.v[dso->idx];
	if (c->tried.nr <= dso->idx) {
		struct bits more;

		if (bits_init(&more, (dso->idx + 1) * 2)) {
			no_memory(c, dso->name);
			return NULL;
		}
		for (size_t i = 0; i < c->tried.nr; i++)
			if (bits_test(&c->tried, i))
				bits_set(&more, i);
		bits_free(&c->tried);
		c->tried = more;
	}
	bits_set(&c->tried, dso->idx);
	c->objects.v[dso->idx] = object_open(c, dso);
	return c->objects.v[dso->idx];
}

bool cfi_is_of(const struct cfi_object *o, enum regs_arch arch, unsigned word)
{
	unsigned machine = elf_e_machine(o->file);
	/* x32 has the registers of x86-64. */
	bool wide = o->file->is_64bit || machine == EM_X86_64;

	return regs_arch_from_elf(machine) == arch && wide == (word == 8);
}

bool cfi_read(const struct cfi_object *o, uint64_t addr, void *buf, size_t n)
{
	return elf_bytes(o->file, addr, buf, n);
}

/* ---- rules ----------------------------------------------------------------------------------------- */

/* Field by field: what lies between these is whatever libdw had in its memory. */
static bool same_op(const Dwarf_Op *a, const Dwarf_Op *b)
{
	return a->atom == b->atom && a->number == b->number && a->number2 == b->number2 &&
	       a->offset == b->offset;
}

static bool same_expr(const struct expr *e, const Dwarf_Op *ops, size_t n)
{
	if (e->n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!same_op(&e->ops[i], &ops[i]))
			return false;
	return true;
}

/* libdw makes an expression anew for each address; few are distinct. */
int cfi_add_expr(struct cfi *c, const Dwarf_Op *ops, size_t n, uint16_t *nr)
{
	uint64_t hash = hash_u64(n);
	struct expr e = { .n = n };
	uint32_t idx;

	for (size_t i = 0; i < n; i++) {
		hash = hash_mix(hash, (uint64_t)ops[i].offset << 8 | ops[i].atom);
		hash = hash_mix(hash_mix(hash, ops[i].number), ops[i].number2);
	}
	for (struct htab_it it = htab_find(&c->by_expr, hash); htab_next(&c->by_expr, &it, &idx);)
		if (same_expr(&c->exprs.v[idx], ops, n)) {
			*nr = (uint16_t)idx;
			return 0;
		}
	if (c->exprs.n >= UINT16_MAX)
		return -ENOSPC;
	e.ops = arena_memdup(&c->arena, ops, n * sizeof(*ops));
	idx = (uint32_t)c->exprs.n;
	if (!e.ops || vec_push(&c->exprs, e) || htab_add(&c->by_expr, hash, idx))
		return -ENOMEM;
	*nr = (uint16_t)idx;
	return 0;
}

static int set_cfa(struct cfi *c, Dwarf_Frame *f, struct cfi_rule *r)
{
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_frame_cfa(f, &ops, &n) || !n)
		return -EINVAL;
	if (n == 1 && ops[0].atom == DW_OP_bregx && ops[0].number < CFI_MAX_REG) {
		r->cfa_reg = (uint8_t)ops[0].number;
		r->cfa_off = (int32_t)ops[0].number2;
		return 0;
	}
	if (n == 1 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
		r->cfa_reg = (uint8_t)(ops[0].atom - DW_OP_breg0);
		r->cfa_off = (int32_t)ops[0].number;
		return 0;
	}
	r->cfa_expr = true;
	return cfi_add_expr(c, ops, n, &r->expr);
}

/* What libdw says of one register, in our words. */
static int set_reg(struct cfi *c, const Dwarf_Op *ops, size_t n, struct cfi_reg *reg)
{
	bool cfa = n && ops[0].atom == DW_OP_call_frame_cfa;
	bool value = n && ops[n - 1].atom == DW_OP_stack_value;

	if (n == 1 && (ops[0].atom == DW_OP_regx ||
		       (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31))) {
		reg->how = CFI_REG;
		reg->off = ops[0].atom == DW_OP_regx ? (int32_t)ops[0].number
						     : ops[0].atom - DW_OP_reg0;
		return 0;
	}
	if (cfa && (n - value == 1 || (n - value == 2 && ops[1].atom == DW_OP_plus_uconst))) {
		reg->how = value ? CFI_CFA_PLUS : CFI_AT_CFA;
		reg->off = n - value == 2 ? (int32_t)ops[1].number : 0;
		return 0;
	}
	reg->how = value ? CFI_EXPR : CFI_AT_EXPR;
	return cfi_add_expr(c, ops, n, &reg->expr);
}

static int make_rule(struct cfi *c, Dwarf_Frame *f, struct cfi_rule *r)
{
	bool signal_frame = false;
	int ra = dwarf_frame_info(f, NULL, NULL, &signal_frame), ret;

	if (ra < 0 || ra >= CFI_MAX_REG)
		return -EINVAL;
	ret = set_cfa(c, f, r);
	if (ret)
		return ret;
	r->ra_reg = (uint8_t)ra;
	r->signal_frame = signal_frame;
	for (int i = 0; i < CFI_MAX_REG && r->nr < ARRAY_SIZE(r->regs); i++) {
		struct cfi_reg reg = { .reg = (uint8_t)i };
		Dwarf_Op mem[3], *ops;
		size_t n;

		if (dwarf_frame_register(f, i, mem, &ops, &n))
			continue;
		/* Of the undefined ones only the return address tells something: the end. */
		if (!n && (!ops || i != ra))
			continue;
		if (!n)
			reg.how = CFI_UNDEFINED;
		ret = n ? set_reg(c, ops, n, &reg) : 0;
		if (ret)
			return ret;
		r->regs[r->nr++] = reg;
	}
	return 0;
}

static int intern_rule(struct cfi *c, const struct cfi_rule *r, uint32_t *nr)
{
	uint64_t hash = hash_bytes(r, sizeof(*r));
	uint32_t idx;

	for (struct htab_it it = htab_find(&c->by_rule, hash); htab_next(&c->by_rule, &it, &idx);)
		if (!memcmp(&c->rules.v[idx], r, sizeof(*r))) {
			*nr = idx;
			return 0;
		}
	if (vec_push(&c->rules, *r) || htab_add(&c->by_rule, hash, (uint32_t)c->rules.n - 1))
		return -ENOMEM;
	*nr = (uint32_t)c->rules.n - 1;
	return 0;
}

/* .debug_frame, which few objects have: libdw reads and unpacks all debug sections for it. */
static void open_debug_frame(struct cfi_object *o)
{
	o->debug_tried = true;
	if (!elf_has_section(o->file, ".debug_frame") && !elf_has_section(o->file, ".zdebug_frame"))
		return;
	errno = 0;
	if (elf_debug_allowed(o->file)) {
		elf_unpack_debug(o->file);
		o->dwarf = dwarf_begin_elf(o->file->elf, DWARF_C_READ, NULL);
	}
	o->debug = o->dwarf ? dwarf_getcfi(o->dwarf) : NULL;
	if (!o->debug)
		refused(o);
}

static uint32_t look_up(struct cfi *c, struct cfi_object *o, uint64_t vaddr)
{
	Dwarf_Frame *f = NULL;
	struct cfi_rule r;
	uint32_t rule = CFI_NONE;
	int ret;

	errno = 0;
	if (!o->eh || dwarf_cfi_addrframe(o->eh, vaddr, &f)) {
		refused(o);
		if (!o->debug_tried)
			open_debug_frame(o);
		errno = 0;
		if (!o->debug || dwarf_cfi_addrframe(o->debug, vaddr, &f)) {
			refused(o);
			return CFI_NONE;
		}
	}
	memset(&r, 0, sizeof(r));
	ret = make_rule(c, f, &r) ?: intern_rule(c, &r, &rule);
	if (ret == -ENOMEM)
		no_memory(c, elf_path(o->file) ? elf_path(o->file) : "the vdso");
	free(f);
	return rule;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A rule may be a program of any length, run for each address anew. */
static bool time_allowed(struct cfi *c, struct cfi_object *o)
{
	if (likely(o->spent_ns <= elf_time_allowed(o->file)))
		return true;
	resolver_warn(c->res,
		      "%s: its call frame information takes longer than a file of that size "
		      "should; frames are missing (--no-limits goes on whatever it takes)",
		      elf_path(o->file) ? elf_path(o->file) : "[vdso]");
	return false;
}

uint32_t cfi_find(struct cfi *c, struct cfi_object *o, uint64_t addr)
{
	uint64_t hash = hash_mix(o->idx, addr);
	struct cfi_key key = { .addr = addr, .object = o->idx, .rule = CFI_NONE };
	uint64_t vaddr;
	uint32_t idx;

	for (struct htab_it it = htab_find(&c->by_key, hash); htab_next(&c->by_key, &it, &idx);)
		if (c->keys.v[idx].addr == addr && c->keys.v[idx].object == o->idx)
			return c->keys.v[idx].rule;
	if (segments_to_vaddr(&o->load, addr, &vaddr) && time_allowed(c, o)) {
		uint64_t start = now_ns();

		key.rule = look_up(c, o, vaddr);
		o->spent_ns += now_ns() - start;
	}
	if (!vec_push(&c->keys, key))
		htab_add(&c->by_key, hash, (uint32_t)c->keys.n - 1);
	return key.rule;
}

const struct cfi_rule *cfi_rule(const struct cfi *c, uint32_t rule)
{
	return &c->rules.v[rule];
}

#endif
