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
#include <stdlib.h>

#include "faces/faces-int.h"

/* ---- mnemonics of AT&T syntax ----------------------------------------------------------------- */

/* In front of a suffix b, w, l or q that says no more than a register among the operands does. */
static const char *const sized[] = {
	"adc",	 "add",	  "and",    "bsf",  "bsr",  "bswap", "bt",   "btc",  "btr",	"bts",
	"cmp",	 "dec",	  "div",    "idiv", "inc",  "lea",   "mov",  "mul",  "neg",	"not",
	"imul",	 "or",	  "movabs", "sbb",  "sub",  "test",  "xor",  "xadd", "cmpxchg", "xchg",
	"lzcnt", "tzcnt", "popcnt", "shld", "shrd", "stos",  "lods", "scas",
};
/* The same where that register is what they work on: a count in %cl says nothing of it. */
static const char *const shifts[] = { "rcl", "rcr", "rol", "ror", "sal", "sar", "shl", "shr" };
/* Always as wide as addresses are; q for 64 bits, l where these have 32. */
static const char *const stack[] = {
	"call", "jmp", "leave", "pop", "popf", "push", "pushf", "ret"
};
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
	if ((s[n - 1] == 'q' || s[n - 1] == 'l') && IS_IN(stack, s, n - 1))
		return n - 1;
	if (reg && !memcmp(s, "cvtsi2s", 7 < n ? 7 : n) && n == 9)
		return args[0] == '%' ? n - 1 : n;
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

/* "8" is 0x8. */
static const char *put_number(struct obuf *o, const char *s)
{
	char *end;

	obuf_lit(o, "0x");
	obuf_hex(o, strtoull(s, &end, 0)); /* no library writes octal numbers */
	return end;
}

/* "-1" is 0xffffffff where that many bits are meant. */
static const char *put_negative(struct obuf *o, const char *s, unsigned bits)
{
	char *end;
	uint64_t v = -strtoull(s + 1, &end, 0); /* no library writes octal numbers */

	obuf_lit(o, "0x");
	obuf_hex(o, bits < 64 ? v & ((1ULL << bits) - 1) : v);
	return end;
}

/* How wide the first operand is in Intel's syntax; 0 = unknown. */
static unsigned intel_bits(const char *s)
{
	static const struct {
		const char *start;
		unsigned bits;
	} sizes[] = {
		{ "byte ptr", 8 }, { "word ptr", 16 }, { "dword ptr", 32 }, { "qword ptr", 64 }
	};
	size_t n = strcspn(s, ",");

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (!strncmp(s, sizes[i].start, strlen(sizes[i].start)))
			return sizes[i].bits;
	if (!n || n > 4 || strchr("xyzk", s[0]))
		return 0;
	if (s[0] == 'r')
		return s[n - 1] == 'd' ? 32 : s[n - 1] == 'w' ? 16 : s[n - 1] == 'b' ? 8 : 64;
	if (s[n - 1] == 'l' || s[n - 1] == 'h')
		return 8;
	return s[0] == 'e' ? 32 : 16;
}

/* How wide immediate operands are; 0 = unknown. */
static unsigned operand_bits(const char *mnemonic, size_t n, const char *args)
{
	if (!strpbrk(args, "%$"))
		return intel_bits(args);
	switch (n ? mnemonic[n - 1] : 0) {
	case 'b': return 8;
	case 'w': return 16;
	case 'l': return 32;
	case 'q': return 64;
	default: return 0;
	}
}

/* A register, a name; "dword ptr" in capitals. */
static const char *put_word(struct obuf *o, const char *s)
{
	size_t n = 1;

	while (is_word(s[n]))
		n++;
	if (!strncmp(s, "xword ptr ", 10)) {
		obuf_lit(o, "TBYTE PTR ");
		return s + 10;
	}
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
	bool zero; /* a displacement of 0 that is in the code: no other form has this base */
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

/* Whether the address that begins at @s has a base which needs a displacement, also one of 0. */
static bool needs_zero(const char *s)
{
	s += *s == '%';
	return (!strncmp(s, "rbp", 3) || !strncmp(s, "r13", 3) || !strncmp(s, "rip", 3)) &&
	       !is_word(s[3]);
}

/* '(' or '['. @first: nothing stands in front of it. */
static void open_address(struct obuf *o, struct address *a, const char *s, bool first, bool nop)
{
	*a = (struct address){ .end = *s == '(' ? ')' : ']' };
	a->zero = needs_zero(s + 1) || s[1] == ',' || nop;
	if (*s == '[' && s[strcspn(s, "]")] == ']') {
		const char *sign = strpbrk(s, "+-]"), *digits = s + strcspn(s, "]");

		/* [rbp + 8], [rbp + rax*4 - 8]: there is one */
		while (digits > s && digits[-1] != ' ' && digits[-1] != '[')
			digits--;
		if (*sign != ']' && isdigit((unsigned char)*digits))
			a->zero = false;
	} else if (!first) {
		a->zero = false; /* 8(%rbp) */
	}
	if (*s == '(' && a->zero)
		obuf_lit(o, "0x0");
	obuf_char(o, *s);
}

static void close_address(struct obuf *o, struct address *a)
{
	if (a->end == ']' && a->zero)
		obuf_lit(o, "+0x0");
	obuf_char(o, a->end);
	a->end = 0;
}

/* @bits: of immediate operands. @nop: memory operands have a displacement, whatever it is. */
static void put_x86_operands(struct obuf *o, const char *s, unsigned bits, bool nop)
{
	const char *start = s;
	struct address a = { 0 };

	while (*s) {
		char before = s > start ? s[-1] : ' ';

		if (*s == ',' && s[1] == ' ') {
			obuf_char(o, ',');
			s += 2;
		} else if (*s == ' ' && s[1] == '{') {
			s++; /* %zmm2 {%k1} {z} */
		} else if (*s == '{') {
			size_t n = strcspn(s, "}"); /* {1to16}: no number */

			n += s[n] == '}';
			obuf_mem(o, s, n);
			s += n;
		} else if (!strncmp(s, "[rip - ", 7)) {
			a = (struct address){ .end = ']' };
			obuf_lit(o, "[rip+");
			s = put_negative(o, s + 5, 64);
		} else if (*s == '[' && before == ':' && isdigit((unsigned char)s[1])) {
			s = put_number(o, s + 1); /* fs:[0x28] */
			s += *s == ']';
		} else if (a.end == ']' && s[0] == ' ' && (s[1] == '+' || s[1] == '-') &&
			   s[2] == ' ') {
			obuf_char(o, s[1]);
			s += 3;
		} else if (isdigit((unsigned char)*s) &&
			   (a.end ? a.end == ')' || before == '*' : before == '(')) {
			a.scaled = true; /* or %st(1) */
			obuf_char(o, *s++);
		} else if (isdigit((unsigned char)*s)) {
			s = put_number(o, s);
		} else if (*s == '-' && bits && !a.end && isdigit((unsigned char)s[1]) &&
			   (before == '$' || (before == ' ' && !strchr(s, '(')))) {
			s = put_negative(o, s, bits);
		} else if (is_word(*s)) {
			s = put_word(o, s);
			a.nr_registers += a.end != 0;
			put_scale(o, &a, *s);
		} else if ((*s == '(' && before != 't') || *s == '[') { /* not %st(1) */
			open_address(o, &a, s++, strchr(" ,*:", before), nop);
		} else if (a.end && *s == a.end) {
			close_address(o, &a);
			s++;
		} else {
			a.scaled |= *s == '*' && a.end;
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

/* "401136 <main+0x10>"; without a name, or without an address. */
static void put_place(const struct listing_line *line, struct obuf *o)
{
	if (line->ref_addr || !line->name)
		obuf_hex(o, line->ref_addr);
	if (!line->name)
		return;
	obuf_str(o, line->ref_addr ? " <" : "<");
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
	return p[strspn(p, "0123456789abcdefABCDEF")] ? NULL : start;
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

/* 0f 1f /0 with a displacement, that is one of 0: compilers fill up with it. */
static bool is_long_nop(const struct listing_line *line)
{
	const unsigned char *p = line->len > 2 ? memchr(line->bytes, 0x0f, line->len - 2u) : NULL;

	return p && p[1] == 0x1f && (p[2] >> 6 == 1 || p[2] >> 6 == 2);
}

static void put_operands(const struct listing *l, const struct listing_line *line, bool full,
			 struct obuf *o)
{
	const char *args = line->text + line->args, *target = NULL;
	size_t n, printed;

	if (line->ref == LISTING_LOCAL || line->ref == LISTING_CODE)
		target = find_target(args);
	if (target) {
		emit_safe_n(o, args, (size_t)(target - args)); /* cbz x0, TARGET */
		if (!full) {
			put_short_target(l, line, o);
			return;
		}
		put_place(line, o);
		return;
	}
	n = mnemonic_len(l, line, &printed);
	if (l->arch == REGS_ARCH_X86 && emit_is_safe(args))
		put_x86_operands(o, args, operand_bits(line->text, n, args), is_long_nop(line));
	else
		emit_safe(o, args);
	if (line->ref == LISTING_NO_REF || line->ref == LISTING_LOCAL)
		return;
	obuf_lit(o, "        # ");
	put_place(line, o);
}

/* ---- an instruction --------------------------------------------------------------------------- */

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
	/* Of other architectures objdump has a tab there. */
	if (full && l->arch != REGS_ARCH_X86)
		width = (int)n | 7;
	obuf_pad(o, ' ', width - (int)n);
	obuf_char(o, ' ');
	put_operands(l, line, full, o);
}
