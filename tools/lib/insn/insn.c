// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One decoder out of two libraries, each of which may be missing: Zydis for x86 where branches and
 * vector widths matter, capstone for text and for every other architecture. With one of them a
 * decoder does all that this one can; with none it is refused, and the error names the packages.
 */
#include <stdlib.h>

#include "insn/insn-int.h"

static int lib_open(const struct insn_library *l, void **d, enum regs_arch arch, unsigned mode)
{
	return l->open ? l->open(d, arch, mode) : -ENOTSUP;
}

int insn_new(struct insn_decoder **out, enum regs_arch arch, unsigned mode, struct err *e)
{
	struct insn_decoder *d = calloc(1, sizeof(*d));
	int z, c;

	*out = NULL;
	if (!d)
		return err_set(e, -ENOMEM, "out of memory for an instruction decoder");
	z = lib_open(&insn_zydis, &d->zydis, arch, mode);
	c = lib_open(&insn_capstone, &d->capstone, arch, mode);
	if (z == -ENOMEM || c == -ENOMEM) {
		insn_free(d);
		return err_set(e, -ENOMEM, "out of memory for an instruction decoder");
	}
	if (!d->zydis && !d->capstone) {
		insn_free(d);
		err_set(e, -ENOTSUP, "no library here decodes %s%s instructions",
			mode & INSN_BIG_ENDIAN ? "big-endian " : "", regs_arch_name(arch));
		err_hint(e, "See 'perf version --build-options'; build with %s.",
			 arch == REGS_ARCH_X86 ? "libzydis-dev or libcapstone-dev"
					       : "libcapstone-dev");
		return -ENOTSUP;
	}
	*out = d;
	return 0;
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

int insn_decode(struct insn_decoder *d, const void *code, size_t size, uint64_t addr,
		struct insn *out)
{
	memset(out, 0, sizeof(*out));
	if (d->zydis)
		return insn_zydis.decode(d->zydis, code, size, addr, out);
	return insn_capstone.decode(d->capstone, code, size, addr, out);
}

int insn_vectors(struct insn_decoder *d, const void *code, size_t size, uint64_t addr,
		 struct insn_vectors *out)
{
	memset(out, 0, sizeof(*out));
	if (d->zydis)
		return insn_zydis.vectors(d->zydis, code, size, addr, out);
	return insn_capstone.vectors(d->capstone, code, size, addr, out);
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
	if (d->capstone)
		insn_capstone.set_syntax(d->capstone, syntax);
}

int insn_text(struct insn_decoder *d, const void *code, size_t size, uint64_t addr, char *buf,
	      size_t buf_size)
{
	struct insn in = { 0 };
	int len = -EINVAL;

	if (d->capstone)
		len = insn_capstone.text(d->capstone, code, size, addr, buf, buf_size);
	/* Capstone is the older of the two: there is what it does not know, or takes for another. */
	if (d->zydis && (!d->capstone || insn_zydis.decode(d->zydis, code, size, addr, &in) != len))
		return insn_zydis.text(d->zydis, code, size, addr, buf, buf_size);
	return len;
}
