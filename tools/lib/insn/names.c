// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches by their names, for architectures whose branches capstone's groups do not tell: there
 * "bl" of PowerPC, "jal" of MIPS and "je" of s390 are like any other instruction. Names are few and
 * regular, and what is not listed is no branch, which is what it was without this.
 */
#include "insn/insn-int.h"

static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static bool is_one_of(const char *s, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(s, *names))
			return true;
	return false;
}

/* "b", "bl", "bdnz", "beq+", "bltlr", "bctrl": how it goes on, and at the end whether it links. */
static enum insn_branch of_powerpc(const char *name)
{
	static const char *const others[] = { "bpermd", "brinc", "brh", "brw", "brd", NULL };
	static const char *const links[] = { "bl", "bla", "bcl", "bcla", NULL };
	size_t n = strcspn(name, "+-");

	if (!strcmp(name, "sc") || !strcmp(name, "scv"))
		return INSN_SYSCALL;
	if (starts(name, "rfi") || !strcmp(name, "hrfid"))
		return INSN_SYSRET;
	if (name[0] != 'b' || is_one_of(name, others) || starts(name, "bcd"))
		return INSN_NO_BRANCH;
	if (!strcmp(name, "b") || !strcmp(name, "ba"))
		return INSN_JUMP;
	if (is_one_of(name, links))
		return INSN_CALL;
	if (n > 2 && !strncmp(name + n - 2, "lr", 2))
		return INSN_RET;
	if (n > 3 && !strncmp(name + n - 3, "ctr", 3))
		return INSN_IND_JUMP;
	if (n > 3 && (!strncmp(name + n - 3, "lrl", 3) || !strncmp(name + n - 4, "ctrl", 4)))
		return INSN_IND_CALL;
	return INSN_COND;
}

static enum insn_branch of_mips(const char *name, const char *args, bool relative)
{
	static const char *const calls[] = { "jal",    "bal",	  "jalx",    "balc", "bgezal",
					     "bltzal", "bgezall", "bltzall", NULL };
	static const char *const jumps[] = { "j", "b", "bc", NULL };

	if (is_one_of(name, calls))
		return INSN_CALL;
	if (is_one_of(name, jumps))
		return INSN_JUMP;
	if (starts(name, "jalr") || !strcmp(name, "jialc"))
		return INSN_IND_CALL;
	if (starts(name, "jr") || !strcmp(name, "jrc"))
		return starts(args, "$ra") ? INSN_RET : INSN_IND_JUMP;
	if (!strcmp(name, "jic"))
		return INSN_IND_JUMP;
	if (!strcmp(name, "syscall"))
		return INSN_SYSCALL;
	if (starts(name, "eret") || !strcmp(name, "deret"))
		return INSN_SYSRET;
	return relative ? INSN_COND : INSN_NO_BRANCH;
}

/* Compare and branch: crj, clgij and what lies between, and these with a condition behind. */
static bool compares(const char *name)
{
	name += *name == 'c';
	name += *name == 'l';
	name += *name == 'g';
	return (name[0] == 'r' || name[0] == 'i') && name[1] == 'j';
}

static enum insn_branch of_s390(const char *name, const char *args)
{
	static const char *const calls[] = { "bras", "brasl", "jas", "jasl", NULL };
	static const char *const loops[] = { "brct",  "brctg", "brcth", "brxh",
					     "brxhg", "brxle", "brxlg", NULL };
	size_t n = strlen(name);

	if (is_one_of(name, calls))
		return INSN_CALL;
	if (!strcmp(name, "basr") || !strcmp(name, "bas"))
		return INSN_IND_CALL;
	if (!strcmp(name, "j") || !strcmp(name, "jg") || !strcmp(name, "jlu"))
		return INSN_JUMP;
	if (name[0] == 'j' || is_one_of(name, loops) || (name[0] == 'c' && compares(name)))
		return INSN_COND;
	/* "br %r14", "ber %r14": the register that calls leave the way back in. */
	if (name[0] == 'b' && n <= 5 && name[n - 1] == 'r' && args[0] == '%')
		return strcmp(args, "%r14") ? INSN_IND_JUMP : INSN_RET;
	if (!strcmp(name, "svc"))
		return INSN_SYSCALL;
	return starts(name, "lpsw") ? INSN_SYSRET : INSN_NO_BRANCH;
}

bool insn_branch_by_name(enum regs_arch arch, const char *name, const char *args, bool relative,
			 enum insn_branch *kind)
{
	switch (arch) {
	case REGS_ARCH_POWERPC: *kind = of_powerpc(name); return true;
	case REGS_ARCH_MIPS: *kind = of_mips(name, args, relative); return true;
	case REGS_ARCH_S390: *kind = of_s390(name, args); return true;
	default: return false;
	}
}
