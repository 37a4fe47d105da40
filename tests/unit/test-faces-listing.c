// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Listings through every writer, of a function made here: the form of instructions, columns, arrows,
 * shares by source line; names as a hostile object could have them.
 */
#include "faces/faces.h"
#include "unit.h"

#define MAX_LINES 16

static struct listing l;
static struct listing_line lines[MAX_LINES];
static uint32_t insn_line[MAX_LINES];
static struct annotate_count count[2 * MAX_LINES];
static struct listing_event events[2];
static struct perfdata_event event[2];
static struct symbol sym;
static struct dso dso;

static int setup(void **state)
{
	(void)state;
	memset(lines, 0, sizeof(lines));
	memset(count, 0, sizeof(count));
	sym = (struct symbol){ .name = "f" };
	dso = (struct dso){ .name = "/lib/x.so", .short_name = "x.so" };
	event[0] = (struct perfdata_event){ .name = "cycles" };
	event[1] = (struct perfdata_event){ .name = "faults" };
	events[0] = (struct listing_event){ .event = &event[0] };
	events[1] = (struct listing_event){ .event = &event[1], .idx = 1 };
	l = (struct listing){ .dso = &dso,
			      .sym = &sym,
			      .arch = REGS_ARCH_X86,
			      .start = 0x1000,
			      .end = 0x1000,
			      .line = lines,
			      .insn_line = insn_line,
			      .event = events,
			      .nr_events = 1,
			      .count = count };
	return 0;
}

/* The next instruction, a byte long; in @text a '|' is where the operands begin. */
static struct listing_line *insn(const char *text, uint64_t hits)
{
	static const unsigned char byte[] = { 0x90 };
	struct listing_line *line = &lines[l.nr_lines];
	static char texts[MAX_LINES][128];
	char *mine = texts[l.nr_lines], *bar;

	assert_true(l.nr_lines < MAX_LINES);
	snprintf(mine, sizeof(texts[0]), "%s", text);
	*line = (struct listing_line){ .kind = LISTING_INSN,
				       .len = 1,
				       .insn = l.nr_insns,
				       .target = LISTING_NONE,
				       .addr = l.end++,
				       .text = mine,
				       .bytes = byte };
	bar = strchr(mine, '|');
	if (bar) {
		*bar = ' ';
		line->args = (uint16_t)(bar + 1 - mine);
	}
	count[l.nr_insns] = (struct annotate_count){ hits, hits * 10 };
	events[0].function.count.hits += hits;
	events[0].function.count.period += hits * 10;
	events[0].all.count.hits += 2 * hits;
	events[0].all.count.period += hits * 20;
	insn_line[l.nr_insns++] = l.nr_lines++;
	return line;
}

static void source(const char *text, uint32_t number)
{
	lines[l.nr_lines++] = (struct listing_line){ .kind = LISTING_SOURCE,
						     .insn = LISTING_NONE,
						     .target = LISTING_NONE,
						     .srcline = number,
						     .file = "/src/x.c",
						     .text = text };
}

static char *text_of(const struct listing_line *line, bool full, int width)
{
	static char buf[512];
	struct obuf o;

	assert_int_equal(obuf_init(&o, -1, 0), 0);
	faces_insn_text(&l, line, full, width, &o);
	snprintf(buf, sizeof(buf), "%.*s", (int)o.len, o.buf);
	obuf_free(&o);
	return buf;
}

static char *write_with(const struct faces_listing_writer *w, struct faces_listing_opts opts)
{
	static char buf[8192];
	struct err e = { 0 };
	struct obuf o;
	struct faces_listings f = { .out = &o, .o = opts };

	assert_int_equal(obuf_init(&o, -1, 0), 0);
	w->begin(&f);
	assert_int_equal(w->put(&f, &l, &e), 0);
	w->end(&f);
	assert_int_equal(o.code, 0);
	assert_true(o.len < sizeof(buf));
	snprintf(buf, sizeof(buf), "%.*s", (int)o.len, o.buf);
	obuf_free(&o);
	return buf;
}

/* ---- instructions ------------------------------------------------------------------------------ */

/* What a library writes, and what upstream's readers know. */
static void x86_forms(void **state)
{
	static const struct {
		const char *library, *want;
	} forms[] = {
		{ "movq|%rsp, %rbp", "mov    %rsp,%rbp" },
		{ "movl|$1, 8(%rsp)", "movl   $0x1,0x8(%rsp)" },
		{ "movq|-8(%rbp), %rax", "mov    -0x8(%rbp),%rax" },
		{ "leaq|(%rax, %rsi), %rcx", "lea    (%rax,%rsi,1),%rcx" },
		{ "movl|(%rax, %rdi, 4), %eax", "mov    (%rax,%rdi,4),%eax" },
		{ "movl|(, %rdi, 4), %eax", "mov    0x0(,%rdi,4),%eax" },
		{ "movq|%fs:0x28, %rax", "mov    %fs:0x28,%rax" },
		{ "movq|$0, %fs:0x28", "movq   $0x0,%fs:0x28" },
		{ "movq|%xmm0, %rax", "movq   %xmm0,%rax" },
		{ "shll|$5, %esi", "shl    $0x5,%esi" },
		{ "shll|%cl, (%rax)", "shll   %cl,(%rax)" },
		{ "shrq|%cl, %rax", "shr    %cl,%rax" },
		{ "cmovneq|%rax, %rbx", "cmovne %rax,%rbx" },
		{ "cmovlel|%eax, %ebx", "cmovle %eax,%ebx" },
		{ "cmovl|%eax, %ebx", "cmovl  %eax,%ebx" },
		{ "movzbl|(%rax), %eax", "movzbl (%rax),%eax" },
		{ "callq|*8(%rax)", "call   *0x8(%rax)" },
		{ "pushq|$16", "push   $0x10" },
		{ "retq", "ret" },
		{ "lock cmpxchgl|%ecx, (%rdx)", "lock cmpxchg %ecx,(%rdx)" },
		{ "nopl|(%rax)", "nopl   (%rax)" },
		{ "leaq|(, %rax, 8), %rsi", "lea    0x0(,%rax,8),%rsi" },
		{ "mov|rax, qword ptr fs:[0x28]", "mov    rax,QWORD PTR fs:0x28" },
		{ "lea|rax, [rip - 0x9d]", "lea    rax,[rip+0xffffffffffffff63]" },
		{ "fld|xword ptr [rsp + 0x18]", "fld    TBYTE PTR [rsp+0x18]" },
		{ "cmpq|$-1, %rdi", "cmp    $0xffffffffffffffff,%rdi" },
		{ "cmpl|$-1, -8(%rbp)", "cmpl   $0xffffffff,-0x8(%rbp)" },
		{ "cmpw|$-15, 6(%rdx)", "cmpw   $0xfff1,0x6(%rdx)" },
		{ "movabsq|$0xfff7ffffffffbff8, %r11", "movabs $0xfff7ffffffffbff8,%r11" },
		{ "cvtsi2sdq|%rdx, %xmm0", "cvtsi2sd %rdx,%xmm0" },
		{ "cvtsi2sdq|(%rdx), %xmm0", "cvtsi2sdq (%rdx),%xmm0" },
		{ "movb|$0x2f, (%r13)", "movb   $0x2f,0x0(%r13)" },
		{ "leaq|(%r13, %r13, 2), %rdx", "lea    0x0(%r13,%r13,2),%rdx" },
		{ "callq|*(%rbp)", "call   *0x0(%rbp)" },
		{ "mov|al, byte ptr [rbp]", "mov    al,BYTE PTR [rbp+0x0]" },
		{ "mov|al, byte ptr [r13 + rax]", "mov    al,BYTE PTR [r13+rax*1+0x0]" },
		{ "mov|al, byte ptr [rbp - 1]", "mov    al,BYTE PTR [rbp-0x1]" },
		{ "cmp|rdi, -1", "cmp    rdi,0xffffffffffffffff" },
		{ "cmp|r8d, -2", "cmp    r8d,0xfffffffe" },
		{ "or|dword ptr [rax], -0x10", "or     DWORD PTR [rax],0xfffffff0" },
		{ "fxch|%st(1)", "fxch   %st(1)" },
		{ "mov|dword ptr [rax + rdi*4 - 8], 1", "mov    DWORD PTR [rax+rdi*4-0x8],0x1" },
		{ "lea|ecx, [rax + rsi]", "lea    ecx,[rax+rsi*1]" },
		{ "lea|ecx, [rax + rsi + 0x10]", "lea    ecx,[rax+rsi*1+0x10]" },
		{ "mov|eax, r8d", "mov    eax,r8d" },
		{ "vaddps|(%rdi){1to16}, %zmm0, %zmm1", "vaddps (%rdi){1to16},%zmm0,%zmm1" },
		{ "vaddpd|8(%rdi){1to8}, %zmm0, %zmm2 {%k1} {z}",
		  "vaddpd 0x8(%rdi){1to8},%zmm0,%zmm2{%k1}{z}" },
		{ "vaddpd|{rn-sae}, %zmm1, %zmm0, %zmm2", "vaddpd {rn-sae},%zmm1,%zmm0,%zmm2" },
		{ "vaddps|zmm1, zmm0, dword ptr [rdi]{1to16}",
		  "vaddps zmm1,zmm0,DWORD PTR [rdi]{1to16}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		l.nr_lines = l.nr_insns = 0;
		assert_string_equal(text_of(insn(forms[i].library, 0), true, 6), forms[i].want);
	}
}

/* A displacement of 0 is in the bytes alone. */
static void long_nops(void **state)
{
	static const unsigned char bytes[] = { 0x66, 0x0f, 0x1f, 0x44, 0, 0 },
				   none[] = { 0x0f, 0x1f, 0 };
	struct listing_line *line = insn("nopw|(%rax, %rax)", 0);

	(void)state;
	line->bytes = bytes;
	line->len = sizeof(bytes);
	assert_string_equal(text_of(line, true, 6), "nopw   0x0(%rax,%rax,1)");
	line = insn("nopl|(%rax)", 0);
	line->bytes = none;
	line->len = sizeof(none);
	assert_string_equal(text_of(line, true, 6), "nopl   (%rax)");
}

static void other_architectures_stay(void **state)
{
	(void)state;
	l.arch = REGS_ARCH_ARM64;
	assert_string_equal(text_of(insn("add|x0, x1, #1", 0), true, 6), "add     x0, x1, #1");
}

static void targets(void **state)
{
	struct listing_line *jump, *call, *data, *cbz;

	(void)state;
	call = insn("callq|0x2004", 0);
	call->ref = LISTING_CODE;
	call->ref_addr = 0x2004;
	call->name = "g";
	assert_string_equal(text_of(call, true, 6), "call   2004 <g>");
	assert_string_equal(text_of(call, false, 8), "call     g");
	call->name_off = 4;
	assert_string_equal(text_of(call, false, 6), "call   g+0x4");
	call->name = NULL;
	assert_string_equal(text_of(call, false, 6), "call   2004");
	jump = insn("jne|0x1000", 0);
	jump->ref = LISTING_LOCAL;
	jump->ref_addr = 0x1000;
	jump->target = 1;
	jump->name = "f";
	assert_string_equal(text_of(jump, true, 6), "jne    1000 <f>");
	assert_string_equal(text_of(jump, false, 6), "jne    1");
	data = insn("movl|0x10(%rip), %eax", 0);
	data->ref = LISTING_DATA;
	data->ref_addr = 0x1013;
	data->name = "table";
	assert_string_equal(text_of(data, true, 6), "mov    0x10(%rip),%eax        # 1013 <table>");
	l.arch = REGS_ARCH_ARM64;
	cbz = insn("cbz|x0, #0x1002", 0);
	cbz->ref = LISTING_LOCAL;
	cbz->ref_addr = 0x1002;
	cbz->target = 2;
	cbz->name = "f";
	cbz->name_off = 2;
	assert_string_equal(text_of(cbz, true, 6), "cbz     x0, 1002 <f+0x2>");
	assert_string_equal(text_of(cbz, false, 6), "cbz    x0, 2");
}

static void longest_mnemonic(void **state)
{
	(void)state;
	insn("nop", 0);
	assert_int_equal(faces_insn_width(&l), 6);
	insn("vpternlogd|$1, %zmm0, %zmm1, %zmm2", 0);
	assert_int_equal(faces_insn_width(&l), 10);
	insn("averyverylongprefix andinstruction|%eax", 0);
	assert_int_equal(faces_insn_width(&l), 24);
}

/* ---- writers ----------------------------------------------------------------------------------- */

static void small_function(void)
{
	struct listing_line *jump;

	source("\tif (x)", 7);
	insn("testl|%eax, %eax", 1)->srcline = 7;
	source("", 8);
	jump = insn("jne|0x1000", 3);
	jump->srcline = 9;
	jump->ref = LISTING_LOCAL;
	jump->branch = INSN_COND;
	jump->ref_addr = 0x1000;
	jump->target = 1;
	jump->name = "f";
	lines[1].jumps = 1;
	lines[1].file = jump->file = "/src/x.c";
	insn("retq", 0)->branch = INSN_RET;
}

static void stdio(void **state)
{
	(void)state;
	small_function();
	assert_string_equal(
		write_with(&faces_listing_stdio, (struct faces_listing_opts){ 0 }),
		" Percent |\tSource code & Disassembly of x.so for cycles (4 samples, percent: local "
		"period)\n"
		"-----------------------------------------------------------------------------------"
		"------------\n"
		"         : 7    if (x)\n"
		"   25.00 :   1000:   test   %eax,%eax\n"
		"         :\n"
		"   75.00 :   1001:   jne    1000 <f>\n"
		"    0.00 :   1002:   ret\n");
}

static void stdio_options(void **state)
{
	const struct faces_listing_opts opts = { .number = FACES_PERIODS,
						 .percent = LISTING_GLOBAL_HITS,
						 .full_paths = true,
						 .asm_raw = true,
						 .print_line = true,
						 .verbose = true };

	(void)state;
	small_function();
	assert_string_equal(
		write_with(&faces_listing_stdio, opts),
		"\nSorted summary for file /lib/x.so\n"
		"----------------------------------------------\n\n"
		"   37.50 x.c:9\n"
		"   12.50 x.c:7\n"
		" Period      |\tSource code & Disassembly of /lib/x.so for cycles (4 samples, "
		"percent: global hits)\n"
		"-----------------------------------------------------------------------------------"
		"--------------------\n"
		"                            1000: 1\n"
		"                            1001: 3\n"
		"                   h->nr_samples: 4\n"
		"             : 7    if (x)\n"
		"          10 :   1000:   90                      test   %eax,%eax // x.c:7\n"
		"             :\n"
		"          30 :   1001:   90                      jne    1000 <f> // x.c:9\n"
		"           0 :   1002:   90                      ret\n");
}

static void stdio2_of_a_group(void **state)
{
	(void)state;
	small_function();
	l.nr_events = 2;
	memset(count, 0, sizeof(count));
	count[0] = (struct annotate_count){ 1, 10 }; /* the first instruction's, first event */
	count[3] = (struct annotate_count){ 5, 5 };  /* the second's, second event */
	events[0].function.count = (struct annotate_count){ 4, 40 };
	events[1].function.count = (struct annotate_count){ 5, 5 };
	assert_string_equal(
		write_with(&faces_listing_stdio2, (struct faces_listing_opts){ 0 }),
		"Samples: 8  of events 'anon group { cycles, faults }', Event count (approx.): 80, "
		"[percent: local period]\n"
		"f() /lib/x.so [addresses: with skid]\n"
		"Percent\n"
		"                    if (x)\n"
		"  25.00          0:   test   %eax,%eax\n"
		"\n"
		"         100.00     \xe2\x86\x91 jne    0\n"
		"                    \xe2\x86\x90 ret\n");
}

/* Two that overlap, one that begins where they are both open, an instruction that is one itself. */
static void loops(void **state)
{
	static struct listing_loop all[] = { { .head = 0, .end = 2 },
					     { .head = 1, .end = 4 },
					     { .head = 3, .end = 3 },
					     { .head = 5, .end = 6 } };
	const struct faces_listing_opts opts = { .loops = true };

	(void)state;
	for (int i = 0; i < 8; i++)
		insn("nop", 1);
	l.loop = all;
	l.nr_loops = ARRAY_SIZE(all);
	assert_non_null(strstr(write_with(&faces_listing_stdio2, opts),
			       "  12.50     \xe2\x94\x8c    nop\n"
			       "  12.50     \xe2\x94\x82\xe2\x94\x8c   nop\n"
			       "  12.50     \xe2\x94\x94\xe2\x94\x82   nop\n"
			       "  12.50     [\xe2\x94\x82   nop\n"
			       "  12.50      \xe2\x94\x94   nop\n"
			       "  12.50     \xe2\x94\x8c    nop\n"
			       "  12.50     \xe2\x94\x94    nop\n"
			       "  12.50          nop\n"));
	assert_null(strstr(write_with(&faces_listing_stdio2, (struct faces_listing_opts){ 0 }),
			   "\xe2\x94\x8c"));
}

/* More of them around a line than there are columns. */
static void deep_loops(void **state)
{
	static struct listing_loop all[12];
	const struct faces_listing_opts opts = { .loops = true };

	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(all); i++) {
		insn("nop", 1);
		all[i] = (struct listing_loop){ .head = i, .end = 11 };
	}
	l.loop = all;
	l.nr_loops = ARRAY_SIZE(all);
	assert_non_null(strstr(write_with(&faces_listing_stdio2, opts), "\xe2\x94\x94   nop\n"));
}

static void skid(void **state)
{
	const struct faces_listing_opts opts = { 0 };

	(void)state;
	assert_non_null(strstr(write_with(&faces_listing_stdio2, opts), "[addresses: no samples]"));
	small_function();
	events[0].function.exact = 3;
	assert_non_null(
		strstr(write_with(&faces_listing_stdio2, opts), "[addresses: 75.0% exact]"));
	events[0].function.exact = 4;
	assert_non_null(strstr(write_with(&faces_listing_stdio2, opts), "[addresses: exact]"));
}

static void no_line_is_above_the_limit(void **state)
{
	const char *text;

	(void)state;
	insn("nop", 1);
	text = write_with(&faces_listing_stdio, (struct faces_listing_opts){ .print_line = true });
	assert_non_null(strstr(text, "\n\n Nothing higher than 0.5%\n Percent"));
}

static void colors(void **state)
{
	(void)state;
	insn("nop", 90);
	insn("nop", 1);
	assert_non_null(strstr(
		write_with(&faces_listing_stdio, (struct faces_listing_opts){ .color = true }),
		"\033[31m  98.90\033[m :   1000:"));
	assert_non_null(strstr(
		write_with(&faces_listing_stdio2, (struct faces_listing_opts){ .color = true }),
		"\033[32m1.10\033[m"));
	assert_null(strchr(
		write_with(&faces_listing_json, (struct faces_listing_opts){ .color = true }),
		'\033'));
}

/* Names, paths and source cannot end a line, a string or a terminal's patience. */
static void hostile_strings(void **state)
{
	static const char bad[] = "a\"\\\n\033[2J";
	const struct faces_listing_writer *writers[] = { &faces_listing_stdio,
							 &faces_listing_stdio2,
							 &faces_listing_json };
	const char *calm = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(writers); i++) {
		size_t nr_lines = 0;

		setup(NULL);
		small_function();
		sym.name = dso.name = dso.short_name = event[0].name = bad;
		for (uint32_t n = 0; n < l.nr_lines; n++) {
			lines[n].name = bad;
			lines[n].file = bad;
			if (lines[n].kind == LISTING_SOURCE)
				lines[n].text = bad;
		}
		l.arch = REGS_ARCH_ARM64;
		lines[1].text = bad;
		calm = write_with(writers[i], (struct faces_listing_opts){ .print_line = true });
		assert_null(strchr(calm, '\033'));
		assert_non_null(strstr(calm, "2J"));
		for (const char *p = calm; (p = strchr(p, '\n')); p++)
			nr_lines++;
		assert_true(nr_lines <= 16);
		assert_true(writers[i] != &faces_listing_json || nr_lines == 1);
	}
}

static void json(void **state)
{
	(void)state;
	small_function();
	assert_string_equal(
		write_with(&faces_listing_json, (struct faces_listing_opts){ 0 }),
		"{\"percent_type\":\"local period\",\"functions\":[{\"symbol\":\"f\",\"object\":"
		"\"/lib/x.so\",\"code\":null,\"start\":\"0x1000\",\"size\":3,\"events\":[{"
		"\"event\":\"cycles\",\"samples\":4,\"period\":40,\"exact\":0,\"precise_ip\":0,"
		"\"all\":{\"samples\":8,\"period\":80}}],\"notes\":[],\"lines\":["
		"{\"file\":\"/src/x.c\",\"line\":7,\"source\":\"\\u0009if (x)\"},"
		"{\"address\":\"0x1000\",\"offset\":0,\"bytes\":\"90\",\"text\":\"test   "
		"%eax,%eax\",\"file\":\"/src/x.c\",\"line\":7,\"jumps_here\":1,\"counts\":[{"
		"\"percent\":25.0000,\"samples\":1,\"period\":10}]},"
		"{\"file\":\"/src/x.c\",\"line\":8,\"source\":\"\"},"
		"{\"address\":\"0x1001\",\"offset\":1,\"bytes\":\"90\",\"text\":\"jne    1000 "
		"<f>\",\"file\":\"/src/x.c\",\"line\":9,\"branch\":\"cond\",\"target\":{"
		"\"address\":\"0x1000\",\"offset\":0,\"symbol\":\"f\",\"symbol_offset\":0},"
		"\"counts\":[{\"percent\":75.0000,\"samples\":3,\"period\":30}]},"
		"{\"address\":\"0x1002\",\"offset\":2,\"bytes\":\"90\",\"text\":\"ret\","
		"\"branch\":\"ret\",\"counts\":[{\"percent\":0.0000,\"samples\":0,\"period\":0}]}"
		"]}]}\n");
}

/* ---- branch stacks ------------------------------------------------------------------------------ */

/* A loop that ran four times in each of ten calls, and a call through a pointer. */
static void with_branches(bool cycles)
{
	static struct listing_flow flow[MAX_LINES];
	static struct listing_edge edges[3];
	static struct listing_loop loop;
	static struct symbol callee = { .name = "\033[31mcallee", .start = 0x40 };

	insn("test|%edi, %edi", 1);
	insn("jne|0x1000", 2)->branch = INSN_COND;
	insn("callq|*%rax", 1)->branch = INSN_IND_CALL;
	insn("nop", 0);
	memset(flow, 0, sizeof(flow));
	flow[0] = (struct listing_flow){ .executions = 40, .began = 30 };
	flow[1] = (struct listing_flow){ .executions = 40,
					 .taken = 30,
					 .left = 32,
					 .mispred = 8,
					 .flagged = 32,
					 .edge = 0,
					 .nr_edges = 1 };
	flow[2] = (struct listing_flow){
		.executions = 10, .taken = 10, .left = 10, .edge = 1, .nr_edges = 2
	};
	if (cycles) {
		flow[0].ipc_insns = flow[1].ipc_insns = 90;
		flow[0].ipc_cycles = flow[1].ipc_cycles = 60;
		flow[1].cycles = 45;
		flow[1].nr_cycles = 30;
		flow[1].min = 1;
		flow[1].max = 7;
	}
	edges[0] = (struct listing_edge){ .from = 1, .to = 0, .addr = 0x1000, .nr = 32 };
	edges[1] = (struct listing_edge){
		.from = 2, .to = LISTING_NONE, .sym = &callee, .dso = &dso, .addr = 0x44, .nr = 9
	};
	edges[2] = (struct listing_edge){ .from = 2, .to = LISTING_NONE, .nr = 1 };
	loop = (struct listing_loop){ .head = 0, .end = 1, .iterations = 40, .entries = 10 };
	l.flow = flow;
	l.edge = edges;
	l.nr_edges = l.nr_leaving = ARRAY_SIZE(edges);
	l.loop = &loop;
	l.nr_loops = 1;
	l.flow_sum = (struct listing_flow_sum){ .executed = 3,
						.measured = cycles ? 2 : 0,
						.insns = cycles ? 90 : 0,
						.cycles = cycles ? 60 : 0 };
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in\n%s", part, text);
}

static void branches_as_comments(void **state)
{
	const char *text;

	(void)state;
	with_branches(true);
	text = write_with(&faces_listing_stdio, (struct faces_listing_opts){ 0 });
	has(text, "%edi,%edi\t# +75.00% loop: 4.0 iterations\n");
	has(text, "\t# -75.00% (p:75.00%)\n");
	has(text, "*%rax\t# -100.00% -> ");
	has(text, "callee 90.0%, ? 10.0%\n");
	has(text, "nop\n");
	assert_null(strchr(text, '\033'));
}

static void branches_in_columns(void **state)
{
	const char *text;

	(void)state;
	with_branches(true);
	text = write_with(&faces_listing_stdio2, (struct faces_listing_opts){ 0 });
	has(text, "() /lib/x.so (Average IPC: 1.50, IPC Coverage: 50.0%) [");
	has(text, "Percent IPC   Cycle(min/max)     Runs\n");
	has(text, "  25.00  1.50                          40 ");
	has(text, "  50.00  1.50             2(1/7)       40 ");
	has(text, "  25.00     -                  -       10 ");
}

/* What has no cycles has no quotient of them. */
static void branches_without_cycles(void **state)
{
	const char *text;

	(void)state;
	with_branches(false);
	text = write_with(&faces_listing_stdio2, (struct faces_listing_opts){ 0 });
	has(text, " (Average IPC: -, no cycles in the branch stacks; Coverage: 75.0%) [");
	has(text, "  50.00     -                  -       40 ");
	assert_null(strstr(text, " 0.00"));
	text = write_with(&faces_listing_json, (struct faces_listing_opts){ 0 });
	has(text, "\"ipc\":null,\"cycles\":null,\"executions\":40,\"taken\":30,");
	has(text,
	    "\"loops\":[{\"head\":0,\"end\":1,\"depth\":0,\"iterations\":40,\"entries\":10}]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(x86_forms, setup),
		cmocka_unit_test_setup(long_nops, setup),
		cmocka_unit_test_setup(other_architectures_stay, setup),
		cmocka_unit_test_setup(targets, setup),
		cmocka_unit_test_setup(longest_mnemonic, setup),
		cmocka_unit_test_setup(stdio, setup),
		cmocka_unit_test_setup(stdio_options, setup),
		cmocka_unit_test_setup(stdio2_of_a_group, setup),
		cmocka_unit_test_setup(loops, setup),
		cmocka_unit_test_setup(deep_loops, setup),
		cmocka_unit_test_setup(skid, setup),
		cmocka_unit_test_setup(no_line_is_above_the_limit, setup),
		cmocka_unit_test_setup(colors, setup),
		cmocka_unit_test_setup(hostile_strings, setup),
		cmocka_unit_test_setup(json, setup),
		cmocka_unit_test_setup(branches_as_comments, setup),
		cmocka_unit_test_setup(branches_in_columns, setup),
		cmocka_unit_test_setup(branches_without_cycles, setup),
	};

	return cmocka_run_group_tests_name("faces-listing", tests, NULL, NULL);
}
