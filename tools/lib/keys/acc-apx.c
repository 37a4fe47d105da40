// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accumulator: general registers, and what their number costs. Code that has too few moves values to its stack
 * and back, which sixteen more (APX) would spare; but those belong to whoever is called, so that what is
 * kept over a call is kept on the stack with them, too. So such moves are counted by where they are: close to a
 * call, or not; and beside them stands how many registers the function leaves unused, since code that
 * has some moves for another reason. What APX's registers hold, where they were recorded, says whether they are in use.
 */
#include "vector-int.h"

#define FIRST_EGPR  16 /* of the SIMD ABI's numbers: bit 24 is R16 */
#define EGPR_BIT    24
#define NR_EGPR	    16
#define FUNC_READ   65536
#define CALL_NEAR   8  /* instructions */
#define SPARE_FEW   3  /* registers: a function that leaves no more has none to spare */
#define WORTH	    50 /* permille of samples */
#define SAMPLES_MIN 4  /* before one dares to say what they could be */
#define STACK_REG   4  /* SP, which is no register for values */

enum { AT_NEW, AT_UNKNOWN, AT_KNOWN };

struct at_insn {
	uint8_t state, stack; /* enum insn_stack */
	bool apx, at_call;
	uint32_t func; /* idx of the symbol + 1; 0 = none */
};

struct stretch {
	uint32_t from, to; /* of the function's code */
};

/* A note on a function, for all threads. */
struct function {
	bool known;
	uint32_t named;
	uint32_t nr_near;
	struct stretch near[]; /* close to a call; ascending */
};

/* While it is made. */
struct scan {
	bool known;
	uint32_t named;
	VEC(struct stretch) near;
};

struct apx_counts {
	uint64_t coded;	     /* samples whose instruction is known */
	uint64_t apx;	     /* of these: in a form that APX alone has */
	uint64_t moves;	     /* at moves from or to the stack */
	uint64_t call_moves; /* of these: close to a call */
	uint64_t pushes;     /* at pushes and pops */
	uint32_t named;	     /* by the code of functions, and whether there is any that was read */
	bool scanned;
	uint32_t func; /* of struct at_insn, the last one looked at */
	/* What only recordings with these registers have lies behind. */
	uint64_t recorded; /* samples with R16 to R31 */
	uint64_t live;	   /* of these: one of them is not zero */
	uint64_t first[NR_EGPR];
	uint32_t seen, changed; /* registers, one bit each */
};

struct apx_use {
	struct acc_env env;
	struct decoders dec;
	VEC(struct at_insn) at;		   /* by location */
	VEC(const struct function *) func; /* by symbol; NULL = not looked at */
	unsigned char *buf;
};

/* ---- code -------------------------------------------------------------------------------------- */

/* A function's code in u->buf, and how much of it; 0 = none. */
static size_t read_function(struct apx_use *u, const struct loc *l)
{
	uint64_t size = l->sym->end > l->sym->start ? l->sym->end - l->sym->start : 0;
	ssize_t n;

	if (!u->buf)
		u->buf = malloc(FUNC_READ);
	if (!u->buf)
		return 0;
	n = symbol_read_code(u->env.res, l->dso, l->sym->start, u->buf, min_u64(size, FUNC_READ));
	return n > 0 ? (size_t)n : 0;
}

static struct insn_decoder *decoder_of(struct apx_use *u, const struct loc *l)
{
	return l->dso ? keys_decoder(&u->dec, u->env.res, u->env.arch, l->dso) : NULL;
}

/* Notes that instructions from @from up to @to are close to a call, or one; stretches come in order and may overlap. */
static int add_near(struct scan *f, uint32_t from, uint32_t to)
{
	struct stretch *last = f->near.n ? &f->near.v[f->near.n - 1] : NULL;

	if (from >= to)
		return 0;
	if (last && from <= last->to) {
		last->to = to > last->to ? to : last->to;
		return 0;
	}
	if (vec_reserve(&f->near, f->near.n + 1) || !f->near.v)
		return -ENOMEM;
	f->near.v[f->near.n++] = (struct stretch){ from, to };
	return 0;
}

/* One way through a function: what it names, and where calls are among the few instructions before or behind. */
static int scan(struct apx_use *u, const struct loc *l, struct scan *f)
{
	struct insn_decoder *d = decoder_of(u, l);
	size_t n = d ? read_function(u, l) : 0;
	uint32_t begin[CALL_NEAR] = { 0 }; /* of the last instructions, by number */
	unsigned nr = 0, left = 0;	   /* behind a call: how many more are close to it */
	int len, ret = 0;

	for (size_t i = 0; i < n && !ret; i += (size_t)len, nr++) {
		struct insn_general in;

		len = insn_general(d, u->buf + i, n - i, i, &in);
		if (len <= 0)
			break;
		f->known = true;
		f->named |= in.named;
		if (left) {
			left--;
			ret = add_near(f, (uint32_t)i, (uint32_t)i + (uint32_t)len);
		}
		if (in.call && !ret) {
			/* From the eighth before it on, which the ring holds where this one will be. */
			ret = add_near(f, nr < CALL_NEAR ? 0 : begin[nr % CALL_NEAR],
				       (uint32_t)i + (uint32_t)len);
			left = CALL_NEAR;
		}
		begin[nr % CALL_NEAR] = (uint32_t)i;
	}
	return ret;
}

static bool is_near(const struct function *f, uint64_t at)
{
	size_t lo = 0, hi = f->nr_near;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->near[mid].to <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < f->nr_near && at >= f->near[lo].from;
}

static const struct symbol_note_kind apx_note = { .drop = free };

/* NULL: no memory. */
static const struct function *make_function(struct apx_use *u, const struct loc *l)
{
	struct scan of = { 0 };
	struct function *f = NULL;
	size_t size;

	if (!scan(u, l, &of)) {
		size = of.near.n * sizeof(*f->near);
		f = malloc(sizeof(*f) + size);
		if (f) {
			f->known = of.known;
			f->named = of.named;
			f->nr_near = (uint32_t)of.near.n;
			if (size)
				memcpy(f->near, of.near.v, size);
		}
	}
	vec_free(&of.near);
	return f ? symbol_note_keep(u->env.res, l, &apx_note, f) : NULL;
}

/* Of the symbol there. NULL: no memory. */
static const struct function *function_of(struct apx_use *u, const struct loc *l)
{
	const struct function **f;

	if (vec_reach(&u->func, l->sym->idx, NULL))
		return NULL;
	f = &u->func.v[l->sym->idx];
	if (!*f)
		*f = symbol_note(u->env.res, l, &apx_note);
	if (!*f)
		*f = make_function(u, l);
	return *f;
}

static int look(struct apx_use *u, const struct loc *l, struct at_insn *c)
{
	struct insn_decoder *d = decoder_of(u, l);
	const struct function *f;
	unsigned char code[16];
	struct insn_general in;
	ssize_t n = d ? symbol_read_code(u->env.res, l->dso, l->addr, code, sizeof(code)) : -1;

	c->state = AT_UNKNOWN;
	if (n <= 0 || insn_general(d, code, (size_t)n, l->addr, &in) <= 0)
		return 0;
	c->state = AT_KNOWN;
	c->func = l->sym ? l->sym->idx + 1 : 0;
	c->stack = (uint8_t)in.stack;
	c->apx = in.apx || in.named >> FIRST_EGPR;
	if (!l->sym || (in.stack != INSN_SPILL && in.stack != INSN_RELOAD))
		return 0;
	f = function_of(u, l);
	if (!f)
		return -ENOMEM;
	c->at_call = is_near(f, l->addr - l->sym->start);
	return 0;
}

/* ---- a sample ---------------------------------------------------------------------------------- */

static int count_code(struct apx_use *u, struct apx_counts *c, const struct acc_in *in)
{
	static const struct at_insn new_at = { .state = AT_NEW };
	uint32_t loc = keys_acc_loc(&u->env, in);
	const struct at_insn *at;
	const struct function *f;

	if (loc == LOC_NONE || vec_reach(&u->at, loc, new_at))
		return -ENOMEM;
	if (u->at.v[loc].state == AT_NEW && look(u, resolver_loc(u->env.res, loc), &u->at.v[loc]))
		return -ENOMEM;
	at = &u->at.v[loc];
	if (at->state != AT_KNOWN)
		return 0;
	c->coded++;
	c->apx += at->apx;
	c->pushes += at->stack == INSN_PUSH || at->stack == INSN_POP;
	if (at->stack == INSN_SPILL || at->stack == INSN_RELOAD) {
		c->moves++;
		c->call_moves += at->at_call;
	}
	if (!at->func || at->func == c->func)
		return 0;
	f = function_of(u, resolver_loc(u->env.res, loc));
	if (!f)
		return -ENOMEM;
	c->func = at->func;
	c->scanned |= f->known;
	c->named |= f->named;
	return 0;
}

static void see(struct apx_counts *c, unsigned i, uint64_t value)
{
	uint32_t bit = 1U << i;

	if (c->seen & bit && c->first[i] != value)
		c->changed |= bit;
	c->first[i] = value;
	c->seen |= bit;
}

static void count_values(const struct apx_use *u, struct apx_counts *c, const struct sample *s)
{
	const struct sample_regs *r = s->intr_regs.abi ? &s->intr_regs : &s->user_regs;
	uint64_t value;
	bool any = false, live = false;

	if (!(r->mask >> EGPR_BIT & 0xffff))
		return;
	/* Registers of user space are not those of code in the kernel. */
	if (u->env.redact || (r == &s->user_regs && s->cpumode != PERF_RECORD_MISC_USER))
		return;
	for (unsigned i = 0; r->simd && i < NR_EGPR; i++) {
		if (!sample_reg(r, EGPR_BIT + i, &value))
			continue;
		any = true;
		live |= value != 0;
		see(c, i, value);
	}
	c->recorded += any;
	c->live += live;
}

static int add(void *slot, const struct acc_in *in, void *state)
{
	struct apx_use *u = state;

	if (u->env.arch != REGS_ARCH_X86)
		return 0;
	count_values(u, slot, in->s);
	return u->env.res ? count_code(u, slot, in) : 0;
}

static void expect(uint32_t loc, const void *state)
{
	const struct apx_use *u = state;

	if (loc < u->at.n)
		__builtin_prefetch(&u->at.v[loc]);
}

static int merge(void *slot, const void *from, const struct acc_maps *maps)
{
	const struct apx_counts *f = from;
	struct apx_counts *c = slot;

	(void)maps;
	c->coded += f->coded;
	c->apx += f->apx;
	c->moves += f->moves;
	c->call_moves += f->call_moves;
	c->pushes += f->pushes;
	c->recorded += f->recorded;
	c->live += f->live;
	c->changed |= f->changed;
	for (unsigned i = 0; i < NR_EGPR; i++)
		if (f->seen >> i & 1)
			see(c, i, f->first[i]);
	c->named |= f->named;
	c->scanned |= f->scanned;
	c->func = 0;
	return 0;
}

static int start(void **state, const struct acc_env *env)
{
	struct apx_use *u = calloc(1, sizeof(*u));

	if (!u)
		return -ENOMEM;
	u->env = *env;
	*state = u;
	return 0;
}

static void stop(void *state)
{
	struct apx_use *u = state;

	if (!u)
		return;
	vec_free(&u->at);
	vec_free(&u->func);
	keys_decoders_free(&u->dec);
	free(u->buf);
	free(u);
}

/* ---- columns ----------------------------------------------------------------------------------- */

VECTOR_SHARE(struct apx_counts, moves, moves, coded)
VECTOR_SHARE(struct apx_counts, call_moves, call_moves, coded)
VECTOR_SHARE(struct apx_counts, pushes, pushes, coded)
VECTOR_SHARE(struct apx_counts, apx, apx, coded)
VECTOR_SHARE(struct apx_counts, live, live, recorded)

/* Of the sixteen that every x86-64 has, less the stack pointer: those that no instruction of the function names. */
static uint64_t stat_spare(const struct keys_row *r, const void *slot)
{
	const struct apx_counts *c = slot;

	(void)r;
	return c->scanned ? 15 - (unsigned)weight_u64(c->named & 0xffff & ~BIT(STACK_REG))
			  : STAT_UNKNOWN;
}

static uint64_t stat_used(const struct keys_row *r, const void *slot)
{
	const struct apx_counts *c = slot;

	(void)r;
	return c->recorded ? (uint64_t)weight_u64(c->changed) : STAT_UNKNOWN;
}

enum { COULD_STAY, COULD_TAKE, COULD_SPARE, COULD_PUSH2, COULD_CALLS, IS_APX };

/* Enough of all to be worth something; and whether so few are a reason to say anything, else *@few is set. */
static bool is_worth(const struct apx_counts *c, uint64_t n, bool *few)
{
	if (vector_permille(n, c->coded) < WORTH)
		return false;
	*few |= n < SAMPLES_MIN;
	return n >= SAMPLES_MIN;
}

/* What the moves of this row are for, as far as that can be seen. */
static uint64_t stat_could(const struct keys_row *r, const void *slot)
{
	const struct apx_counts *c = slot;
	bool few = false;

	if (c->coded && (c->named >> FIRST_EGPR || c->apx))
		return IS_APX;
	if (c->coded < SAMPLES_MIN)
		return STAT_UNKNOWN;
	if (c->scanned && is_worth(c, c->moves - c->call_moves, &few))
		return stat_spare(r, slot) <= SPARE_FEW ? COULD_TAKE : COULD_SPARE;
	if (is_worth(c, c->call_moves, &few))
		return COULD_CALLS;
	if (is_worth(c, c->pushes, &few))
		return COULD_PUSH2;
	return few ? STAT_UNKNOWN : COULD_STAY;
}

static const char *could_text(uint64_t v)
{
	static const char *const words[] = { "as it is", "r16-r31",  "free regs",
					     "push2",	 "at calls", "is APX" };

	return v < ARRAY_SIZE(words) ? words[v] : "-";
}

static uint64_t told(const void *slot)
{
	const struct apx_counts *c = slot;

	return c->coded;
}

static bool shown(const struct keys_opts *o)
{
	return o->apx;
}

#define STAT \
	.at = KEY_STAT, .of = &keys_acc_apx, .need = PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER
#define COLUMN STAT, .permille = true, .right = true, .min_width = 7, .unknown = "-"
#define NUMBER STAT, .right = true, .min_width = 5, .unknown = "-"

/* All of them are the columns of report --apx, in this order. */
static const struct key cols[] = {
	{ "stack_moves", "Spills", COLUMN, .stat = stat_moves },
	{ "call_moves", "AtCalls", COLUMN, .stat = stat_call_moves },
	{ "push_pop", "PushPop", COLUMN, .stat = stat_pushes },
	{ "regs_spare", "Spare", NUMBER, .stat = stat_spare },
	{ "apx_code", "APXcode", COLUMN, .stat = stat_apx },
	{ "egpr_live", "R16-31", COLUMN, .stat = stat_live },
	{ "egpr_used", "Used", NUMBER, .stat = stat_used },
	{ "apx_could", "Could be", STAT, .min_width = 9, .stat = stat_could,
	  .stat_text = could_text },
};

const struct acc keys_acc_apx = {
	.name = "apx",
	.size = sizeof(struct apx_counts),
	.cols = cols,
	.nr_cols = ARRAY_SIZE(cols),
	.shown = shown,
	.told = told,
	.legend =
		"# Spills: samples at moves of a register from or to the function's stack; AtCalls: those close to a call. PushPop:\n"
		"# at pushes and pops. Spare: of 15 registers, how many the function's code does not name. APXcode: samples at\n"
		"# instructions of APX. R16-31: samples with one of these that is not zero; Used: how many of them held more\n"
		"# than one value. Could be: r16-r31 where values are moved for want of registers; - where\n"
		"# fewer than four samples would say so. R16-31 and Used are - where these were not recorded.\n"
		"#\n",
	.needs_sample = true,
	.start = start,
	.stop = stop,
	.add = add,
	.expect = expect,
	.merge = merge,
};
