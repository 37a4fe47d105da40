// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Addresses of data on aarch64, which take two instructions: "adrp x0, #0x52000" has the page,
 * "add x0, x0, #0x18" or "ldr x1, [x0, #0x18]" behind it the rest. What a register's page is, is
 * followed from one instruction to the next, and forgotten where control flow may have come from
 * elsewhere: at targets of jumps, behind jumps and calls. Told from the text, for there only the
 * few forms matter that compilers write.
 */
#include <stdio.h>
#include <stdlib.h>

#include "annotate-int.h"

#define NR_REGS 31
#define NO_PAGE UINT64_MAX

struct pages {
	uint64_t of[NR_REGS];
};

static void forget(struct pages *p)
{
	for (int i = 0; i < NR_REGS; i++)
		p->of[i] = NO_PAGE;
}

/* The number of "x0" or "w0" at @s; -1 when that is none. */
static int reg_at(const char *s)
{
	char *end;
	unsigned long n;

	if ((s[0] != 'x' && s[0] != 'w') || s[1] < '0' || s[1] > '9')
		return -1;
	n = strtoul(s + 1, &end, 10);
	return n < NR_REGS && (*end == ',' || *end == ']' || !*end) ? (int)n : -1;
}

/* "#0x18" or "#-8"; false for another operand. */
static bool number_at(const char *s, uint64_t *v)
{
	char *end;

	if (s[0] != '#')
		return false;
	*v = s[1] == '-' ? -strtoull(s + 2, &end, 0) : strtoull(s + 1, &end, 0);
	return *end == '\0' || *end == ']';
}

/* Of "x0, [x1, #0x18]": the register and the number, 0 when there is none. */
static int memory_at(const char *args, uint64_t *off)
{
	const char *m = strchr(args, '['), *comma = m ? strchr(m, ',') : NULL;

	*off = 0;
	if (!m || strchr(m, '!') || (m[strlen(m) - 1] != ']') ||
	    (comma && (comma[1] != ' ' || !number_at(comma + 2, off))))
		return -1;
	return reg_at(m + 1);
}

static void set_ref(struct listing_line *line, uint64_t addr)
{
	if (line->name) /* known better */
		return;
	line->ref = LISTING_DATA;
	line->ref_addr = addr;
}

static bool is(const struct listing_line *line, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(line->text, name, n) && line->text[n] == ' ';
}

/* "[x1, #8]!" and "[x1], #8" change the register. */
static void step_base(struct pages *p, const char *args)
{
	const char *m = strchr(args, '[');
	int base = m && m[strlen(m) - 1] != ']' ? reg_at(m + 1) : -1;

	if (base >= 0)
		p->of[base] = NO_PAGE;
}

/* What the instruction refers to by the pages so far; then what it does to them. */
static void follow(struct pages *p, struct listing_line *line)
{
	const char *args = line->text + line->args, *comma = strchr(args, ',');
	const char *second = comma && comma[1] == ' ' ? comma + 2 : "";
	const char *comma2 = strchr(second, ',');
	const char *third = comma2 && comma2[1] == ' ' ? comma2 + 2 : "";
	bool stores = (!strncmp(line->text, "st", 2) && !strstr(line->text, "xr") &&
		       !strstr(line->text, "xp")) ||
		      is(line, "cmp") || is(line, "tst");
	int to = reg_at(args), from; /* stxr tells in it whether it stored */
	uint64_t v, page = NO_PAGE;

	if (is(line, "adrp") && number_at(second, &v)) {
		page = v;
	} else if ((is(line, "adr") || !strncmp(line->text, "ldr", 3)) && number_at(second, &v)) {
		set_ref(line, v);
	} else if (is(line, "add") && number_at(third, &v)) {
		from = reg_at(second);
		if (from >= 0 && p->of[from] != NO_PAGE)
			set_ref(line, p->of[from] + v);
	} else {
		from = memory_at(args, &v);
		if (from >= 0 && p->of[from] != NO_PAGE)
			set_ref(line, p->of[from] + v);
	}
	step_base(p, args);
	if (to >= 0 && !stores)
		p->of[to] = page;
	/* Of a pair the second is loaded, too. */
	if (!strncmp(line->text, "ldp", 3) && reg_at(second) >= 0)
		p->of[reg_at(second)] = NO_PAGE;
}

/* What a branch leaves of the pages for the instruction behind it. */
static void leave(struct pages *p, const struct listing_line *line)
{
	switch (line->branch) {
	case INSN_NO_BRANCH:
	case INSN_COND: break;
	case INSN_CALL:
	case INSN_IND_CALL: /* x19 to x29 are the caller's */
		for (int i = 0; i <= 18; i++)
			p->of[i] = NO_PAGE;
		p->of[30] = NO_PAGE;
		break;
	default: forget(p);
	}
}

void annotate_pages(struct listing_build *b)
{
	struct pages p;

	forget(&p);
	vec_for_each (line, &b->insns) {
		if (line->jumps)
			forget(&p);
		leave(&p, line);
		if (line->branch == INSN_NO_BRANCH && line->args)
			follow(&p, line);
	}
}
