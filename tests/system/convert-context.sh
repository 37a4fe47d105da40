#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Profiles by calling context, against the tools that make and read them: an exact trace of a program's
# branches and calls stands in for a CPU and a kernel that record them.
. "$(dirname "$0")/../lib.sh"
need_x86
need_cmd python3 objdump
TRACE=$O/tests/helpers/branch-trace
[ -x "$TRACE" ] || skip_all "the helper program is not built (make tests)"
"$PERF" version --build-options | grep -q 'libdw: \[ on' ||
	skip_all "built without libdw: lines of the source cannot be read"
tool() { # the first that there is of some names
	for _t in "$@"; do
		command -v "$_t" 2>/dev/null && return
	done
	return 1
}
PROFGEN=$(tool llvm-profgen-19 llvm-profgen)
PROFDATA=$(tool llvm-profdata-19 llvm-profdata)
OPT=$(tool opt-19 opt)
CLANG=$(tool clang-19 clang-14 clang)

# ---- a program whose functions do other things for other callers: called, inlined, through pointers, by
# recursion of one and of two, by a jump at a function's end
cat >"$TMP/app.c" <<'E'
__attribute__((noinline)) int put(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}
__attribute__((noinline)) int leaf(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += put(i) ^ n;
	return s;
}
static inline __attribute__((always_inline)) int twice(int x)
{
	int s = put(x);
	if (s & 1)
		s += put(x + 1);
	return s;
}
__attribute__((noinline)) int mid(int n)
{
	int s = leaf(n);
	return s + twice(s) + twice(n);
}
__attribute__((noinline)) int left(int n)
{
	return mid(n % 3 + 4) * 3 + 1;
}
__attribute__((noinline)) int right(int n)
{
	return put(mid(1)) - n;
}
__attribute__((noinline)) int tail(int n)
{
	put(n ^ 5);
	return leaf(n & 3);
}
__attribute__((noinline)) int fib(int n)
{
	return n < 2 ? put(n) : fib(n - 1) + fib(n - 2);
}
__attribute__((noinline)) int odd(int n);
__attribute__((noinline)) int even(int n)
{
	return n ? odd(n - 1) + 1 : put(0);
}
__attribute__((noinline)) int odd(int n)
{
	return n ? even(n - 1) + 2 : put(1);
}
int (*volatile any[])(int) = { left, right, tail };
__attribute__((noinline)) int work(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		s += any[i % 3](i);
		s += even(i % 7);
	}
	return s + fib(9);
}
__attribute__((force_align_arg_pointer)) void _start(void)
{
	long status = work(40) & 1, nr = 60; /* exit */
	__asm__ volatile("syscall" : : "a"(nr), "D"(status));
	__builtin_unreachable();
}
E
BUILD="-O2 -fno-stack-protector -fno-pie -nostdlib -static -Wl,--build-id"
build() { # build COMPILER OUT OPTION...
	_c=$1 _out=$2
	shift 2
	"$_c" $BUILD "$@" "$TMP/app.c" -o "$_out" 2>"$TMP/build.log" ||
		{ fail "$_c builds the program" "$(cat "$TMP/build.log")"; return 1; }
}
traced() { # traced PROGRAM FILE OPTION...
	_prog=$1 _file=$2
	shift 2
	"$TRACE" "$@" -o "$_file" "$_prog" >"$TMP/trace.out" 2>&1
}
convert() { # convert FORMAT PROGRAM OUT OPTION...
	_to=$1 _prog=$2 _out=$3
	shift 3
	"$PERF" data convert --to "$_to" --binary "$_prog" -i "$_prog.data" -o "$_out" "$@"
}
build "${CC:-gcc}" "$TMP/gnu" -g
traced "$TMP/gnu" "$TMP/gnu.data" -g -n 23 || # no ptrace, or no decoder built in
	skip_all "programs cannot be traced here: $(tail -1 "$TMP/trace.out")"
convert llvm "$TMP/gnu" "$TMP/gnu.llvm" --context=0

# ---- what is in it
cat >"$TMP/sums.py" <<'P'
import collections, re, sys
# NAME: what a profile has of each function, over all contexts and inlined calls: "HEAD", "LINE CALLEE"
what, total = sys.argv[2], collections.Counter()
name = None
for line in open(sys.argv[1]):
    m = re.match(r'(?:\[(?:.* @ )?)?([\w.]+)\]?:(\d+):(\d+)$', line)
    if m:
        name = m[1]
        total[name + (' HEAD' if what == 'heads' else ' ')] += int(m[3] if what == 'heads' else m[2])
    m = re.match(r' ([\d.]+): \d+((?: \w+:\d+)+)$', line)
    if m and what == 'calls' and name != 'twice':  # which is inlined
        for callee, n in re.findall(r'(\w+):(\d+)', m[2]):
            if callee != 'twice':
                total['%s %s %s' % (name, m[1], callee)] += int(n)
for key, n in sorted(total.items()):
    if n and (what != 'calls' or key[-1] != ' '):
        print(key, n)
P
sums() { python3 "$TMP/sums.py" "$@"; }
convert llvm "$TMP/gnu" "$TMP/gnu.flat"
is "functions are entered as often as without contexts" "$(sums "$TMP/gnu.llvm" heads)" \
	"$(sums "$TMP/gnu.flat" heads)"
is "... and call as often" "$(sums "$TMP/gnu.llvm" calls)" "$(sums "$TMP/gnu.flat" calls)"
like "a function is told by its callers" "$(cat "$TMP/gnu.llvm")" \
	'^\[_start:2 @ work:4 @ left:2 @ mid:2 @ leaf\]:[0-9]+:[0-9]+$'
like "... by the others too" "$(cat "$TMP/gnu.llvm")" '^\[_start:2 @ work:4 @ right:2 @ mid:2 @ leaf\]'
like "what was jumped to has its caller's caller" "$(cat "$TMP/gnu.llvm")" '^\[_start:2 @ work:4 @ leaf\]'
like "an inlined call is a context that says so" \
	"$(sed -n '/^\[_start:2 @ work:4 @ left:2 @ mid:3 @ twice\]/,/^\[/p' "$TMP/gnu.llvm")" '!Attributes: 1'
like "recursion is told once" "$(cat "$TMP/gnu.llvm")" '^\[_start:2 @ work:7 @ fib:2(\.[0-9]+)? @ fib\]'
unlike "... that of two, too" "$(cat "$TMP/gnu.llvm")" 'even.*even.*even'
is "the most first" "$(sed -n 's/^\[.*\]:\([0-9]*\):.*/\1/p' "$TMP/gnu.llvm")" \
	"$(sed -n 's/^\[.*\]:\([0-9]*\):.*/\1/p' "$TMP/gnu.llvm" | sort -rn)"
convert llvm "$TMP/gnu" "$TMP/again" --context=0
same_file "the same bytes every time" "$TMP/again" "$TMP/gnu.llvm"
convert llvm "$TMP/gnu" "$TMP/again" --context=0 --pieces 19
same_file "... also of pieces that are added up" "$TMP/again" "$TMP/gnu.llvm"
convert llvm "$TMP/gnu" "$TMP/again" --context=0 --jobs 3
same_file "... and by several threads" "$TMP/again" "$TMP/gnu.llvm"

# ---- LLVM's own
cat >"$TMP/ran.py" <<'P'
import re, sys
# Contexts that ran, and lines of them without calls: what llvm-profgen guesses of these is not counted.
ctx = None
for line in open(sys.argv[1]):
    m = re.match(r'(\[.*\]):(\d+):(\d+)$', line)
    if m:
        ctx = m[1] if int(m[2]) else None
    elif ctx and re.match(r' (\d{1,4}(\.\d+)?: \d+|!.*)$', line):
        print(ctx + line.rstrip())
P
ran() { python3 "$TMP/ran.py" "$1" | sort; }
like_profgen() { # like_profgen NAME PROGRAM
	if [ -z "$PROFGEN" ]; then
		skip "$1: what ran is what llvm-profgen counts" "no llvm-profgen is installed (Debian: llvm-19)"
		return
	fi
	"$PERF" script -i "$2.data" --no-inline -F ip,brstack --show-mmap-events >"$2.script"
	"$PROFGEN" --perfscript="$2.script" --binary="$2" --format=text --output="$2.want" \
		--csprof-merge-cold-context=0 --csspgo-preinliner=0 --gen-cs-nested-profile=0 >"$TMP/log" 2>&1
	ran "$2.want" >"$TMP/want"
	ran "$2.llvm" >"$TMP/got"
	check "$1: llvm-profgen counts contexts" grep -q '@ left:2 @ mid:2 @ leaf' "$TMP/want"
	same_file "... what ran is the same" "$TMP/got" "$TMP/want"
}
read_back() { # read_back NAME PROGRAM
	if [ -z "$PROFDATA" ]; then
		skip "$1: llvm-profdata" "no llvm-profdata is installed (Debian: llvm-19)"
		return
	fi
	convert llvm-extbinary "$2" "$2.ext" --context=0
	"$PROFDATA" merge -sample -text "$2.llvm" -o "$TMP/text" >"$TMP/log" 2>&1 ||
		fail "$1: llvm-profdata reads it" "$(cat "$TMP/log")"
	"$PROFDATA" merge -sample -text "$2.ext" -o "$TMP/got" >"$TMP/log" 2>&1 ||
		fail "$1: llvm-profdata reads the binary form" "$(cat "$TMP/log")"
	same_file "$1: LLVM's binary form says the same" "$TMP/got" "$TMP/text"
	"$PROFDATA" merge -sample -extbinary "$2.llvm" -o "$TMP/ext" &&
		"$PROFDATA" merge -sample -text "$TMP/ext" -o "$TMP/got"
	same_file "... and what llvm-profdata makes of the text" "$TMP/got" "$TMP/text"
	is "... its summary is what LLVM counts of the text" "$("$PROFDATA" show -sample -detailed-summary "$2.ext" | tail -20)" \
		"$("$PROFDATA" show -sample -detailed-summary "$2.llvm" | tail -20)"
}
like_profgen "gcc's code" "$TMP/gnu"
read_back "gcc's code" "$TMP/gnu"
if [ -n "$CLANG" ] && build "$CLANG" "$TMP/clang" -g -fdebug-info-for-profiling; then
	traced "$TMP/clang" "$TMP/clang.data" -g -n 17
	convert llvm "$TMP/clang" "$TMP/clang.llvm" --context=0
	like_profgen "clang's code" "$TMP/clang"
	read_back "clang's code" "$TMP/clang"
	for form in llvm ext; do
		[ -f "$TMP/clang.$form" ] || continue
		"$CLANG" -O2 -gline-tables-only -fprofile-sample-use="$TMP/clang.$form" -S -emit-llvm \
			-Rpass=sample-profile-inline -o "$TMP/ll.$form" "$TMP/app.c" >"$TMP/log" 2>&1 ||
			fail "clang compiles with it ($form)" "$(cat "$TMP/log")"
		unlike "clang takes it without a warning ($form)" "$(cat "$TMP/log")" 'warning|error'
		like "... and inlines as the contexts say ($form)" "$(cat "$TMP/log")" 'to match profiling context'
	done
	[ -f "$TMP/ll.ext" ] && same_file "clang makes the same code of both forms" "$TMP/ll.ext" "$TMP/ll.llvm"
	if [ -n "$OPT" ] && [ -f "$TMP/clang.want" ]; then
		"$CLANG" -O2 -gline-tables-only -fdebug-info-for-profiling -fprofile-sample-use="$TMP/clang.llvm" \
			-Xclang -disable-llvm-passes -S -emit-llvm -o "$TMP/raw.ll" "$TMP/app.c" >"$TMP/log" 2>&1
		for form in llvm want; do
			"$OPT" -S -passes=sample-profile -sample-profile-file="$TMP/clang.$form" "$TMP/raw.ll" \
				-o "$TMP/opt.$form" >"$TMP/log" 2>&1 || fail "opt takes it ($form)" "$(cat "$TMP/log")"
			none=$(sed -n 's/^\(![0-9]*\) = .*function_entry_count", i64 -1}/\1/p' "$TMP/opt.$form")
			sed -n 's/^define [^@]*@\([^(]*\).*!prof \(![0-9]*\).*/\1 \2/p' "$TMP/opt.$form" |
				grep -v " $none\$" | cut -d' ' -f1 >"$TMP/entries.$form"
		done
		is "LLVM's passes know how often functions are entered" "$(grep -cE '^(leaf|mid|work)$' "$TMP/entries.llvm")" 3
		same_file "... of the same as by llvm-profgen's" "$TMP/entries.llvm" "$TMP/entries.want"
	else
		skip "LLVM's passes" "no opt of the same LLVM as llvm-profgen is installed (Debian: llvm-19)"
	fi
else
	skip "clang" "clang is not installed (Debian: clang)"
fi

# ---- contexts that hardly ran
sum() { awk -F: '/^\[/ { n += $(NF - 1) } END { print n }' "$1"; }
convert llvm "$TMP/gnu" "$TMP/warm" --context=400
is "contexts that ran less than asked for count without" \
	"$(grep '@' "$TMP/warm" | sed -n 's/^\[.*\]:\([0-9]*\):.*/\1/p' | awk '$1 < 400')" ""
check "... others stay" grep -q '^\[_start:2 @ work:4 @ left:2 @ mid:2 @ leaf\]' "$TMP/warm"
like "... a function without context has the rest" "$(cat "$TMP/warm")" '^\[right\]:'
is "... nothing gets lost" "$(sum "$TMP/warm")" "$(sum "$TMP/gnu.llvm")"
is "... no call either" "$(sums "$TMP/warm" calls)" "$(sums "$TMP/gnu.flat" calls)"

# ---- chains without branches
traced "$TMP/gnu" "$TMP/chain.data" -g -i -n 23
"$PERF" data convert --to llvm --context=0 --binary "$TMP/gnu" -i "$TMP/chain.data" -o "$TMP/chain.llvm"
is "without branch stacks contexts have as many as there are samples" "$(sum "$TMP/chain.llvm")" \
	"$("$PERF" script -i "$TMP/chain.data" -F ip,sym --no-inline -G | grep -c .)"
is "... those of one function too" "$(sed -n 's/^\[\(.* @ \)\{0,1\}leaf\]:\([0-9]*\):.*/\2/p' "$TMP/chain.llvm" |
	awk '{ n += $1 } END { print n }')" \
	"$("$PERF" report -i "$TMP/chain.data" --stdio -g none --no-children -F sample,sym --no-inline 2>/dev/null |
		awk '$NF == "leaf" { print $1 }')"
like "... by callers" "$(cat "$TMP/chain.llvm")" '^\[_start:2 @ work:4 @ left:2 @ mid:2 @ leaf\]'

# ---- chains and branches that do not fit; stacks that nobody has
objdump -d --no-show-raw-insn "$TMP/gnu" >"$TMP/asm"
made() { # made CASE: a recording of samples in leaf
	PYTHONPATH="$ROOT/tests/helpers" python3 - "$TMP/gnu" "$1" "$TMP/asm" "$TMP/gnu.data" <<'P'
import random, re, sys
import perfdata as P
program, case, asm, out = sys.argv[1:]
start, calls, all_calls, last, fn = {}, {}, [], None, None
for line in open(asm):
    m = re.match(r'([0-9a-f]+) <(\w+)>:', line)
    if m:
        fn, start[m[2]] = m[2], int(m[1], 16)
    m = re.match(r' +([0-9a-f]+):\s+(.*)', line)
    if m and last:  # behind a call
        calls[last[:2]] = last[2], int(m[1], 16)
        all_calls.append(int(m[1], 16))
        last = None
    m = re.match(r' +([0-9a-f]+):\s+call +[0-9a-f]+ <(\w+)>', line)
    if m:
        last = fn, m[2], int(m[1], 16)
def branch(caller, callee):
    return {'from': calls[caller, callee][0], 'to': start[callee]}
def ret(caller, callee):
    return calls[caller, callee][1]
code = next(s for s in P.segments(program) if s[0] & 1)
r = P.Recording(P.Attr(sample_type=P.IP | P.TID | P.TIME | P.CALLCHAIN | P.BRANCH_STACK,
                       branch_sample_type=P.BRANCH_USER | P.BRANCH_ANY, flags='comm mmap sample_id_all'))
r.comm(10, 'gnu')
r.mmap(10, code[2], code[3], code[1], program)
ip = start['leaf'] + 4
way = [branch('mid', 'leaf'), branch('left', 'mid')]
def sample(chain, branches=way):
    r.sample(ip=ip, pid=10, chain=[P.CONTEXT_USER, ip] + chain, branches=branches)
if case == 'fits':
    sample([ret('mid', 'leaf'), ret('left', 'mid'), ret('_start', 'work')])
elif case == 'missing':  # leaf has no frame: its caller is not there
    sample([ret('left', 'mid'), ret('_start', 'work')])
elif case == 'contrary':
    sample([ret('mid', 'leaf'), ret('right', 'mid'), ret('_start', 'work')])
elif case == 'alone':
    sample([])
elif case == 'elsewhere':  # called by what is in no file
    sample([ret('mid', 'leaf'), ret('left', 'mid'), 0x7000, ret('_start', 'work')])
elif case == 'deep':
    random.seed(1)
    for _ in range(20):
        sample([random.choice(all_calls) for _ in range(7900)], way * 4)
elif case == 'round':
    sample([ret('mid', 'leaf')] + [ret('left', 'mid')] * 7900)
elif case == 'wild':
    random.seed(2)
    for _ in range(200):
        any_address = lambda: random.choice([random.randrange(code[2], code[2] + code[3]), random.getrandbits(64)])
        sample([any_address() for _ in range(30)], [{'from': any_address(), 'to': any_address()} for _ in range(32)])
r.features[P.ARCH] = r.string('x86_64')
r.write(out)
P
}
contexts() { # contexts CASE OPTION...: of mid, whose beginning ran
	made "$1"
	shift
	convert llvm "$TMP/gnu" "$TMP/made.llvm" --context=0 "$@" 2>"$TMP/err"
	sed -n 's/^\(\[\(.* @ \)\{0,1\}mid\]\):[1-9][0-9]*:.*/\1/p' "$TMP/made.llvm"
}
is "a chain that fits" "$(contexts fits)" "[_start:2 @ left:2 @ mid]"
is "one without the caller, who has no frame" "$(contexts missing)" "[_start:2 @ left:2 @ mid]"
is "one that branches contradict: what they know holds" "$(contexts contrary)" "[left:2 @ mid]"
like "... and that is said" "$(cat "$TMP/err")" '100\.0 % of samples have branches that contradict'
is "no chain" "$(contexts alone)" "[left:2 @ mid]"
is "a caller in no file: it begins there" "$(contexts elsewhere)" "[left:2 @ mid]"
is "calls that go round in one place are one" "$(contexts round --max-stack 9000)" "[left:2 @ mid]"
contexts deep --max-stack 9000 >/dev/null
check "no context is without end" test "$(awk -F' @ ' 'NF > n { n = NF } END { print n + 0 }' "$TMP/made.llvm")" -le 258
check "... with 7900 callers there is one" grep -q ' @ .* @ .*mid\]' "$TMP/made.llvm"
contexts wild >/dev/null
check "addresses from anywhere do no harm" test -f "$TMP/made.llvm"
[ -z "$PROFDATA" ] || check "... and llvm-profdata reads what is left" "$PROFDATA" merge -sample -text \
	"$TMP/made.llvm" -o "$TMP/got"

# ---- what is refused
traced "$TMP/gnu" "$TMP/gnu.data" -n 37
check_status "a recording without call chains is refused" 1 convert llvm "$TMP/gnu" "$TMP/none" --context
like "... with what to do" "$(cat "$TMP/check.out")" 'no call chains'
like "... by a command" "$(cat "$TMP/check.out")" 'perf record -b -g'
check_status "a number is a number" 129 convert llvm "$TMP/gnu" "$TMP/none" --context=x
like "... which is said" "$(cat "$TMP/check.out")" "takes a number of instructions, not 'x'"
check_status "formats without contexts" 129 convert fdata "$TMP/gnu" "$TMP/none" --context
like "... name those that have them" "$(cat "$TMP/check.out")" '\-\-context goes with --to llvm, llvm-extbinary'
done_testing
