// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One decoder out of two libraries, each of which may be missing: Zydis for x86 where branches and
 * vector widths matter, capstone for text and for every other architecture. With one of them a
 * decoder does all that this one can; with none it is refused, and the error names the packages.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "insn/insn-int.h"
#include "insn/plain-int.h"

static int lib_open(const struct insn_library *l, void **d, enum regs_arch arch, unsigned mode,
		    struct err *e)
{
	return l->open ? l->open(d, arch, mode, e) : -ENOTSUP;
}

static int open_capstone(struct insn_decoder *d, struct err *e)
{
	d->tried = true;
	return lib_open(&insn_capstone, &d->capstone, d->arch, d->mode, e);
}

/* Loading capstone costs more than many a report: where Zydis decodes, it waits until a text is asked for. */
static int open_one(struct insn_decoder *d, struct err *e)
{
	int ret = lib_open(&insn_zydis, &d->zydis, d->arch, d->mode, e);

	return ret && ret != -ENOMEM ? open_capstone(d, e) : ret;
}

int insn_new(struct insn_decoder **out, enum regs_arch arch, unsigned mode, struct err *e)
{
	struct insn_decoder *d = calloc(1, sizeof(*d));
	struct err why = { 0 };
	int ret;

	*out = NULL;
	if (!d)
		return err_set(e, -ENOMEM, "out of memory for an instruction decoder");
	d->arch = arch;
	d->mode = mode;
	ret = open_one(d, &why);
	if (!ret) {
		*out = d;
		return 0;
	}
	insn_free(d);
	if (ret == -ENOMEM)
		return err_set(e, -ENOMEM, "out of memory for an instruction decoder");
	err_set(e, -ENOTSUP, "no library here decodes %s%s instructions%s%s",
		mode & INSN_BIG_ENDIAN ? "big-endian " : "", regs_arch_name(arch),
		why.text[0] ? ": " : "", why.text);
	if (why.hint[0])
		err_hint(e, "%s", why.hint);
	else
		err_hint(e, "See 'perf version --build-options'; build with %s.",
			 arch == REGS_ARCH_X86 ? "libzydis-dev or libcapstone-dev"
					       : "libcapstone-dev");
	return -ENOTSUP;
}

void insn_free(struct insn_decoder *d)
{
	if (!d)
		return;
	if (d->zydis)
		insn_zydis.close(d->zydis);
	if (d->capstone)
		insn_capstone.close(d->capstone);
	free(d);
}

static int lib_decode(struct insn_decoder *d, const void *code, size_t size, uint64_t addr,
		      struct insn *out)
{
	memset(out, 0, sizeof(*out));
	if (d->zydis)
		return insn_zydis.decode(d->zydis, code, size, addr, out);
	return insn_capstone.decode(d->capstone, code, size, addr, out);
}

/* Whether what needs no library is this decoder's code. */
static bool knows_plain(const struct insn_decoder *d)
{
	return d->arch == REGS_ARCH_X86 && d->mode & INSN_64BIT && !(d->mode & INSN_BIG_ENDIAN);
}

/* One that the library does not know, because it is younger. */
static int decode_apx(struct insn_decoder *d, const void *code, size_t size, uint64_t addr,
		      struct insn *out)
{
	struct apx a;
	int len;

	if (insn_apx(code, size, &a))
		return -EINVAL;
	/* What is relative counts from its end. */
	len = a.plain_size ? lib_decode(d, a.plain, a.plain_size, addr + a.grown, out) : 0;
	if (a.len) {
		if (len != (int)a.len)
			*out = (struct insn){ .len = (uint8_t)a.len };
		out->has_data = false;
		return out->len;
	}
	if (len <= 0 || (size_t)len + a.grown > size)
		return -EINVAL;
	if (a.jumps) {
		out->branch = INSN_JUMP;
		out->has_target = true;
		out->target = load_u64(a.plain + len - 8, host_is_big_endian());
	}
	out->len = (uint8_t)(out->len + a.grown);
	return out->len;
}

int insn_decode(struct insn_decoder *d, const void *code, size_t size, uint64_t addr,
		struct insn *out)
{
	int len = knows_plain(d) ? insn_plain_decode(code, size, addr, out) : 0;

	if (likely(len > 0))
		return len;
	len = lib_decode(d, code, size, addr, out);
	if (likely(len > 0) || d->arch != REGS_ARCH_X86 || !(d->mode & INSN_64BIT))
		return len;
	return decode_apx(d, code, size, addr, out);
}

static int lib_vectors(struct insn_decoder *d, const void *code, size_t size, uint64_t addr,
		       struct insn_vectors *out)
{
	memset(out, 0, sizeof(*out));
	if (d->zydis)
		return insn_zydis.vectors(d->zydis, code, size, addr, out);
	return insn_capstone.vectors(d->capstone, code, size, addr, out);
}

int insn_vectors(struct insn_decoder *d, const void *code, size_t size, uint64_t addr,
		 struct insn_vectors *out)
{
	int len = lib_vectors(d, code, size, addr, out);
	struct apx a;

	if (len > 0 || !knows_plain(d) || insn_apx(code, size, &a))
		return len;
	len = a.plain_size ? lib_vectors(d, a.plain, a.plain_size, addr, out) : 0;
	if (a.len) {
		if (len != (int)a.len)
			memset(out, 0, sizeof(*out));
		return (int)a.len;
	}
	return len > 0 && (size_t)len + a.grown <= size ? len + (int)a.grown : -EINVAL;
}

/* One that no table has: by the library, or as APX. Apart, since most instructions need nothing of it. */
static int __attribute__((noinline))
lib_general(struct insn_decoder *d, const void *code, size_t size, struct insn_general *out)
{
	struct apx a;
	int len;

	memset(out, 0, sizeof(*out));
	len = insn_zydis.general(d->zydis, code, size, NULL, out);
	if (len > 0 || insn_apx(code, size, &a))
		return len;
	out->apx = true;
	if (!a.len) {
		len = insn_zydis.general(d->zydis, a.plain, a.plain_size, &a, out);
		if (a.jumps)
			out->named = 0; /* it has no AX, nor memory */
		return len > 0 && (size_t)len + a.grown <= size ? len + (int)a.grown : -EINVAL;
	}
	out->named = a.named;
	out->stack = a.pushes ? INSN_PUSH : a.pops ? INSN_POP : INSN_NO_STACK;
	return (int)a.len;
}

int insn_general(struct insn_decoder *d, const void *code, size_t size, uint64_t addr,
		 struct insn_general *out)
{
	int len;

	(void)addr;
	if (!d->zydis || !(d->mode & INSN_64BIT)) {
		memset(out, 0, sizeof(*out));
		return -ENOTSUP;
	}
	len = insn_plain_general(code, size, out);
	return likely(len > 0) ? len : lib_general(d, code, size, out);
}

void insn_set_thumb(struct insn_decoder *d, bool thumb)
{
	if (d->capstone)
		insn_capstone.set_thumb(d->capstone, thumb);
}

void insn_set_syntax(struct insn_decoder *d, enum insn_syntax syntax)
{
	if (d->zydis)
		insn_zydis.set_syntax(d->zydis, syntax);
	d->syntax = syntax;
	if (d->capstone)
		insn_capstone.set_syntax(d->capstone, syntax);
}

/* No library here has its name: the bytes are what can be said. */
static int apx_text(struct insn_decoder *d, const unsigned char *code, size_t size, uint64_t addr,
		    char *buf, size_t buf_size)
{
	struct insn in;
	int len = decode_apx(d, code, size, addr, &in);
	size_t at;

	if (len <= 0 || buf_size < 8)
		return len;
	at = (size_t)snprintf(buf, buf_size, "(apx)");
	/* Faces write numbers anew: a byte without 0x would be decimal. */
	for (int i = 0; i < len && at + 8 < buf_size; i++)
		at += (size_t)snprintf(buf + at, buf_size - at, "%s0x%02x", i ? "," : " ", code[i]);
	return len;
}

int insn_text(struct insn_decoder *d, const void *code, size_t size, uint64_t addr, char *buf,
	      size_t buf_size)
{
	struct insn in = { 0 };
	int len = -EINVAL;

	if (!d->tried && !open_capstone(d, NULL))
		insn_capstone.set_syntax(d->capstone, d->syntax);
	if (d->capstone)
		len = insn_capstone.text(d->capstone, code, size, addr, buf, buf_size);
	if (d->arch == REGS_ARCH_X86 && d->mode & INSN_64BIT &&
	    lib_decode(d, code, size, addr, &in) <= 0)
		return apx_text(d, code, size, addr, buf, buf_size);
	/* Capstone is the older of the two: there is what it does not know, or takes for another. */
	if (d->zydis && (!d->capstone || insn_zydis.decode(d->zydis, code, size, addr, &in) != len))
		return insn_zydis.text(d->zydis, code, size, addr, buf, buf_size);
	return len;
}
