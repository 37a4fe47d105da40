// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text of an instruction as objdump's readers know it. Disassembler libraries write "movq %rsp,
 * %rbp", "jne 0x401158", "movl $1, 8(%rsp)"; upstream's listings, which came from objdump for years,
 * "mov    %rsp,%rbp", "jne    401158 <main+0x22>", "movl   $0x1,0x8(%rsp)". Eyes and scripts are used
 * to the latter, and it must not depend on the library, so what the library wrote is put into that
 * form here: the mnemonic without a suffix that a register says as well and filled up to a column,
 * no blanks between operands, all numbers hexadecimal, and the target of a jump or call with a name.
 *
 * Only x86 is changed inside its operands; of other architectures both write them alike. What is not
 * understood is left as it is: this is about looks, never about meaning.
 */
#include <ctype.h>

#include "faces/faces-int.h"

/* ---- mnemonics of AT&T syntax ----------------------------------------------------------------- */

/* In front of a suffix b, w, l or q that says no more than a register among the operands does. */
static const char *const sized[] = {
	"adc", "add", "and",  "bsf", "bsr",  "bswap",	"bt",	"btc",	 "btr",	  "bts",    "cmp",
	"dec", "div", "idiv", "inc", "lea",  "mov",	"mul",	"neg",	 "not",	  "imul",   "or",
	"sbb", "sub", "test", "xor", "xadd", "cmpxchg", "xchg", "lzcnt", "tzcnt", "popcnt",
};
/* The same where that register is what they work on: a count in %cl says nothing of it. */
static const char *const shifts[] = { "rcl", "rcr", "rol", "ror", "sal", "sar", "shl", "shr" };
/* Always so wide. */
static const char *const stack[] = { "call", "jmp", "leave", "pop", "push", "ret" };
static const char *const conditions[] = { "a",	"ae", "b",  "be", "e",	"g", "ge", "l",
					  "le", "ne", "no", "np", "ns", "o", "p",  "s" };

static bool is_in(const char *const *table, size_t nr, const char *s, size_t n)
{
	for (size_t i = 0; i < nr; i++)
		if (strlen(table[i]) == n && !memcmp(table[i], s, n))
			return true;
	return false;
}

#define IS_IN(table, s, n) is_in(table, ARRAY_SIZE(table), s, n)

/* Where a register is an operand, not a part of an address; NULL where none is. */
static const char *register_operand(const char *s)
{
	int depth = 0;

	for (; *s; s++) {
		depth += (*s == '(') - (*s == ')');
		if (*s != '%' || depth)
			continue;
		size_t n = strspn(s + 1, "abcdefghijklmnopqrstuvwxyz0123456789");

		if (s[n + 1] != ':') /* %fs:0x28 */
			return s;
		s += n;
	}
	return NULL;
}

/* How much of a mnemonic is printed. */
static size_t plain_mnemonic(const char *s, size_t n, const char *args)
{
	const char *reg = register_operand(args), *comma = strrchr(args, ',');

	if (n < 3 || !strchr("bwlq", s[n - 1]))
		return n;
	if (s[n - 1] == 'q' && IS_IN(stack, s, n - 1))
		return n - 1;
	if (!reg || strstr(args, "mm"))
		return n;
	if (IS_IN(shifts, s, n - 1))
		return register_operand(comma ?: args) ? n - 1 : n;
	if (n > 5 && !memcmp(s, "cmov", 4) && IS_IN(conditions, s + 4, n - 5))
		return n - 1;
	return IS_IN(sized, s, n - 1) ? n - 1 : n;
}

/* ---- operands of x86 ------------------------------------------------------------------------ */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '%';
}

/* "8" is 0x8, unless it is a scale or a register's number. */
static const char *put_number(struct obuf *o, const char *s)
{
	size_t n = strspn(s, "0123456789");
	uint64_t v = 0;

	if (s[0] == '0' && s[1] == 'x') {
		n = 2 + strspn(s + 2, "0123456789abcdef");
		obuf_mem(o, s, n);
		return s + n;
	}
	if (n > 18) {
		obuf_mem(o, s, n);
		return s + n;
	}
	for (size_t i = 0; i < n; i++)
		v = v * 10 + (uint64_t)(s[i] - '0');
	obuf_lit(o, "0x");
	obuf_hex(o, v);
	return s + n;
}

/* A register, a name; "dword ptr" in capitals. */
static const char *put_word(struct obuf *o, const char *s)
{
	size_t n = 1;

	while (is_word(s[n]))
		n++;
	if (strncmp(s + n, " ptr ", 5) != 0) {
		obuf_mem(o, s, n);
		return s + n;
	}
	for (size_t i = 0; i < n; i++)
		obuf_char(o, (char)toupper((unsigned char)s[i]));
	obuf_lit(o, " PTR ");
	return s + n + 5;
}

/* Of a memory operand: how many registers, and whether one has a scale. */
struct address {
	char end; /* ')' or ']' of the one that is open; else 0 */
	unsigned nr_registers;
	bool scaled;
};

/* A scale of 1 is told. */
static void put_scale(struct obuf *o, struct address *a, char next)
{
	if (a->nr_registers != 2 || a->scaled || next == '*')
		return;
	if (a->end == ')' && next == ')')
		obuf_lit(o, ",1");
	else if (a->end == ']')
		obuf_lit(o, "*1");
	else
		return;
	a->scaled = true;
}

static void put_x86_operands(struct obuf *o, const char *s)
{
	struct address a = { 0 };

	while (*s) {
		if (*s == ',' && s[1] == ' ') {
			obuf_char(o, ',');
			s += 2;
		} else if (a.end == ']' && s[0] == ' ' && (s[1] == '+' || s[1] == '-') &&
			   s[2] == ' ') {
			obuf_char(o, s[1]);
			s += 3;
		} else if (isdigit((unsigned char)*s)) {
			bool scale = a.end == ')' || (a.end && s[-1] == '*');

			if (scale) {
				a.scaled = true;
				obuf_char(o, *s++);
			} else {
				s = put_number(o, s);
			}
		} else if (is_word(*s)) {
			s = put_word(o, s);
			a.nr_registers += a.end != 0;
			put_scale(o, &a, *s);
		} else {
			if (*s == '(' || *s == '[')
				a = (struct address){ .end = *s == '(' ? ')' : ']' };
			else if (*s == a.end)
				a.end = 0;
			else if (*s == '*')
				a.scaled |= a.end != 0;
			obuf_char(o, *s++);
		}
	}
}

/* ---- what an operand refers to ---------------------------------------------------------------- */

static void put_name(const struct listing_line *line, struct obuf *o)
{
	emit_safe(o, line->name);
	if (line->name_off) {
		obuf_lit(o, "+0x");
		obuf_hex(o, line->name_off);
	}
}

static void put_ref_name(const struct listing_line *line, struct obuf *o)
{
	if (!line->name)
		return;
	obuf_lit(o, " <");
	put_name(line, o);
	obuf_char(o, '>');
}

/* The last operand, where that is nothing but the address a branch goes to; else NULL. */
static const char *find_target(const char *args)
{
	const char *comma = strrchr(args, ','), *p = comma ? comma + 1 : args, *start;

	p += *p == ' ';
	start = p;
	p += *p == '#' || *p == '$';
	if (p[0] != '0' || p[1] != 'x')
		return NULL;
	p += 2;
	return p[strspn(p, "0123456789abcdef")] ? NULL : start;
}

static void put_short_target(const struct listing *l, const struct listing_line *line,
			     struct obuf *o)
{
	if (line->ref == LISTING_LOCAL && line->target != LISTING_NONE)
		obuf_hex(o, l->line[line->target].addr - l->start);
	else if (line->name)
		put_name(line, o);
	else
		obuf_hex(o, line->ref_addr);
}

static void put_operands(const struct listing *l, const struct listing_line *line, bool full,
			 struct obuf *o)
{
	const char *args = line->text + line->args, *target = NULL;

	if (line->ref == LISTING_LOCAL || line->ref == LISTING_CODE)
		target = find_target(args);
	if (target) {
		emit_safe_n(o, args, (size_t)(target - args)); /* cbz x0, TARGET */
		if (!full) {
			put_short_target(l, line, o);
			return;
		}
		obuf_hex(o, line->ref_addr);
		put_ref_name(line, o);
		return;
	}
	if (l->arch == REGS_ARCH_X86)
		put_x86_operands(o, args);
	else
		emit_safe(o, args);
	if (line->ref == LISTING_NO_REF || line->ref == LISTING_LOCAL)
		return;
	obuf_lit(o, "        # ");
	obuf_hex(o, line->ref_addr);
	put_ref_name(line, o);
}

/* ---- an instruction --------------------------------------------------------------------------- */

/* How much of the text is the mnemonic, with its prefixes, and how much of that is printed. */
static size_t mnemonic_len(const struct listing *l, const struct listing_line *line,
			   size_t *printed)
{
	size_t n = line->args ? line->args : strlen(line->text), start;

	while (n && line->text[n - 1] == ' ')
		n--;
	start = n;
	while (start && line->text[start - 1] != ' ')
		start--;
	*printed = n;
	if (l->arch == REGS_ARCH_X86 && !line->bad)
		*printed = start + plain_mnemonic(line->text + start, n - start,
						  line->args ? line->text + line->args : "");
	return n;
}

int faces_insn_width(const struct listing *l)
{
	size_t width = FACES_INSN_WIDTH, n;

	for (uint32_t i = 0; i < l->nr_insns; i++) {
		const struct listing_line *line = &l->line[l->insn_line[i]];

		if (!line->args)
			continue;
		mnemonic_len(l, line, &n);
		width = n > width ? n : width;
	}
	return (int)(width < 24 ? width : 24);
}

void faces_insn_text(const struct listing *l, const struct listing_line *line, bool full, int width,
		     struct obuf *o)
{
	size_t n;

	mnemonic_len(l, line, &n);
	emit_safe_n(o, line->text, n);
	if (!line->args)
		return;
	obuf_pad(o, ' ', width - (int)n);
	obuf_char(o, ' ');
	put_operands(l, line, full, o);
}
