# SPDX-License-Identifier: GPL-2.0-or-later
# Profiles told by the source, against the tools that make and read them: an exact trace of a
# program's taken branches stands in for a CPU that records them.
. "$(dirname "$0")/../lib.sh"
need_x86
need_cmd python3
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
PROFDATA=$(tool llvm-profdata-19 llvm-profdata-14 llvm-profdata)
CLANG=$(tool clang++-19 clang++-14 clang++)
GXX=$(tool g++-12 g++)

# ---- a program with what a profile has to tell: inlined calls in inlined calls, calls through
# pointers, recursion, a loop that is unrolled. No library: it is traced step by step.
cat >"$TMP/app.cc" <<'E'
extern "C" __attribute__((noinline)) int put(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}
namespace {
template <class T> struct sum {
	T v = 0;
	void add(T x)
	{
		if (x & 1)
			v += x;
		else
			v ^= x;
	}
};
}
struct base {
	virtual int f(int x) { return x; }
};
struct one : base {
	int f(int x) override { return x * 7 % 31; }
};
struct two : base {
	int f(int x) override
	{
		int s = 0;
		for (int i = 0; i < (x & 7); i++) s += i ^ x;
		return s;
	}
};
static int seldom(int x)
{
	for (int i = 0; i < 3; i++)
		x = put(x) + 5;
	return x;
}
__attribute__((noinline)) static int walk(base **v, int n)
{
	sum<int> a;
	for (int i = 0; i < n; i++) {
		a.add(v[i % 3]->f(i));
		if (__builtin_expect(a.v > 100000, 0))
			a.add(seldom(i));
	}
	return a.v;
}
__attribute__((noinline)) int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
__attribute__((noinline)) unsigned total(const unsigned char *p, int n)
{
	unsigned s = 0;
	for (int i = 0; i < n; i++)
		s += p[i] * 3;
	return s;
}
#ifdef HOSTILE
__attribute__((noinline)) int evil_one(int x) { return put(x) + fib(x % 5); }
__attribute__((noinline)) int evil_two(int x) { return x + evil_one(x); }
#define bracket(x) evil_two(x)
#else
#define bracket(x) 0
#endif
extern "C" __attribute__((noinline)) int work()
{
	one a;
	two b;
	base *v[] = { &a, &b, &a };
	static unsigned char bytes[700];
	int s = 0;
	for (int i = 0; i < 40; i++) {
		bytes[i * 3] = (unsigned char)i;
		s += walk(v, 10 + i % 4) + bracket(i);
	}
	s += fib(9) + (int)total(bytes, sizeof(bytes));
	return s;
}
extern "C" __attribute__((force_align_arg_pointer)) void _start()
{
	long status = work() & 1, nr = 60; /* exit */
	__asm__ volatile("syscall" : : "a"(nr), "D"(status));
	__builtin_unreachable();
}
E
traced() { # traced PROGRAM FILE OPTION...
	_prog=$1 _file=$2
	shift 2
	"$TRACE" -n 37 "$@" -o "$_file" "$_prog" >"$TMP/trace.out" 2>&1
}
convert() { # convert FORMAT PROGRAM OUT OPTION...
	_to=$1 _prog=$2 _out=$3
	shift 3
	"$PERF" data convert --to "$_to" --binary "$_prog" -i "$_prog.data" -o "$_out" "$@"
}
build() { # build COMPILER OUT OPTION...
	_c=$1 _out=$2
	shift 2
	"$_c" -O2 -fno-rtti -fno-exceptions -fno-stack-protector -fno-pie -no-pie -nostdlib -static \
		"$@" -Wl,--build-id "$TMP/app.cc" -o "$_out" 2>"$TMP/build.log" ||
		{ fail "$_c builds the program" "$(cat "$TMP/build.log")"; return 1; }
}
[ -n "$GXX" ] || skip_all "g++ is not installed"
build "$GXX" "$TMP/gnu" -g
traced "$TMP/gnu" "$TMP/gnu.data" || # no ptrace, or no decoder built in
	skip_all "programs cannot be traced here: $(tail -1 "$TMP/trace.out")"

# ---- LLVM's sample profile
# What llvm-profgen counts for code of no line, it counts for the line as many before the function. Of code by clang 19
# it lists a function of which nothing was counted, too.
known_lines() {
	awk '/^[^ ]/ { none = /:0:0$/ } !none' | grep -vE '^ +(3[3-9]|[4-6][0-9])[0-9]{3}(\.[0-9]+)?: '
}
like_profgen() { # like_profgen NAME PROGRAM
	if [ -z "$PROFGEN" ] || [ -z "$PROFDATA" ]; then
		skip "$1: counts are llvm-profgen's" \
			"no llvm-profgen newer than 14 is installed (Debian: llvm-19)"
		return
	fi
	convert profgen "$2" "$2.raw"
	if ! "$PROFGEN" --unsymbolized-profile="$2.raw" --binary="$2" --format=text \
		--output="$2.want" >"$TMP/log" 2>&1; then
		skip "$1: counts are llvm-profgen's" "$(tail -1 "$TMP/log")"
		return
	fi
	"$PROFDATA" merge -sample -text "$2.want" -o "$TMP/want0"
	known_lines <"$TMP/want0" >"$TMP/want"
	"$PROFDATA" merge -sample -text "$2.llvm" -o "$TMP/got0" >"$TMP/log" 2>&1 ||
		fail "$1: llvm-profdata reads it" "$(cat "$TMP/log")"
	known_lines <"$TMP/got0" >"$TMP/got"
	same_file "$1: counts are llvm-profgen's" "$TMP/got" "$TMP/want"
}
convert llvm "$TMP/gnu" "$TMP/gnu.llvm"
like_profgen "g++'s code" "$TMP/gnu"
is "the hottest function comes first" "$(grep '^[^ ]' "$TMP/gnu.llvm" | cut -d: -f2)" \
	"$(grep '^[^ ]' "$TMP/gnu.llvm" | cut -d: -f2 | sort -rn)"
like "a line counts from where its function is declared" "$(cat "$TMP/gnu.llvm")" \
	'^ 2(\.[0-9]+)?: [0-9]+ _Z3fibi:[0-9]+$'
like "an inlined call is told inside" "$(cat "$TMP/gnu.llvm")" '^ 4: [a-zA-Z0-9_]*add[a-zA-Z0-9_]*:[0-9]+$'
convert llvm "$TMP/gnu" "$TMP/again"
same_file "the same bytes every time" "$TMP/again" "$TMP/gnu.llvm"

# same_binary NAME PROGRAM: LLVM's binary form is what its text says, its summary too
same_binary() {
	if [ -z "$PROFDATA" ]; then
		skip "$1: LLVM's binary form" "no llvm-profdata is installed (Debian: llvm-19)"
		return
	fi
	convert llvm-extbinary "$2" "$2.ext"
	"$PROFDATA" merge -sample -text "$2.ext" -o "$TMP/got" >"$TMP/log" 2>&1 ||
		fail "$1: llvm-profdata reads the binary form" "$(cat "$TMP/log")"
	"$PROFDATA" merge -sample -text "$2.llvm" -o "$TMP/want"
	same_file "$1: LLVM's binary form says the same" "$TMP/got" "$TMP/want"
	is "... its summary is what LLVM counts of the text" "$("$PROFDATA" show -sample -detailed-summary "$2.ext" | tail -20)" \
		"$("$PROFDATA" show -sample -detailed-summary "$2.llvm" | tail -20)"
}
same_binary "g++'s code" "$TMP/gnu"

if [ -n "$CLANG" ]; then
	build "$CLANG" "$TMP/clang" -g -fdebug-info-for-profiling &&
		traced "$TMP/clang" "$TMP/clang.data" && convert llvm "$TMP/clang" "$TMP/clang.llvm"
	like_profgen "clang's code" "$TMP/clang"
	build "$CLANG" "$TMP/lines" -gline-tables-only -fdebug-info-for-profiling \
		-funique-internal-linkage-names &&
		traced "$TMP/lines" "$TMP/lines.data" && convert llvm "$TMP/lines" "$TMP/lines.llvm"
	like_profgen "clang's code with line tables only" "$TMP/lines"
	like "local names that clang made unique stay so" "$(cat "$TMP/lines.llvm")" \
		'^_ZL4walk.*\.__uniq\.'
	"$CLANG" -O2 -fno-rtti -fno-exceptions -gline-tables-only -fprofile-sample-use="$TMP/clang.llvm" -S -emit-llvm \
		-o "$TMP/ll" "$TMP/app.cc" >"$TMP/log" 2>&1 ||
		fail "clang compiles with it" "$(cat "$TMP/log")"
	is "clang knows how often fib was entered" \
		"$(prof=$(sed -n 's/^define .*_Z3fibi.* !prof \(![0-9]*\) .*/\1/p' "$TMP/ll")
		sed -n "s/^$prof = .*function_entry_count\", i64 \([0-9]*\)}/\1/p" "$TMP/ll")" \
		"$(($(sed -n 's/^_Z3fibi:[0-9]*://p' "$TMP/clang.llvm") + 1))"
	like "... and which way branches go" "$(cat "$TMP/ll")" 'branch_weights'
	same_binary "clang's code" "$TMP/clang"
	cp "$TMP/ll" "$TMP/by-text"
	"$CLANG" -O2 -fno-rtti -fno-exceptions -gline-tables-only -fprofile-sample-use="$TMP/clang.ext" -S -emit-llvm \
		-o "$TMP/ll" "$TMP/app.cc" >"$TMP/log" 2>&1
	same_file "clang makes the same code of the binary form" "$TMP/ll" "$TMP/by-text"
	build "$CLANG" "$TMP/bare" -gline-tables-only &&
		traced "$TMP/bare" "$TMP/bare.data" &&
		convert llvm "$TMP/bare" "$TMP/bare.llvm" 2>"$TMP/err"
	like "lines without declarations: what to build with" "$(cat "$TMP/err")" \
		'does not tell where functions are declared.*-fdebug-info-for-profiling'
	if build "$CLANG" "$TMP/fs" -g -fdebug-info-for-profiling -mllvm -enable-fs-discriminator; then
		traced "$TMP/fs" "$TMP/fs.data"
		check_status "numbers of blocks that libdw does not read are refused" 1 \
			convert llvm "$TMP/fs" "$TMP/none"
		like "... and what takes them is named" "$(cat "$TMP/check.out")" 'llvm-profgen'
	fi
else
	skip "clang" "clang is not installed (Debian: clang)"
fi

# ---- GCC's profile
cat >"$TMP/afdo.py" <<'P'
import struct, sys
# What is in a profile, as text-formats(5) has it: "NAME HEAD" of functions, "NAME+LINE COUNT CALLEES".
data, at = open(sys.argv[1], 'rb').read(), 0
def word():
    global at
    at += 4
    return struct.unpack_from('<I', data, at - 4)[0]
def count():
    low = word()
    return word() << 32 | low
def function(path):
    path = path + [names[word()]]
    places, calls = word(), word()
    for _ in range(places):
        line = word() >> 16
        n, ran = word(), count()
        to = sorted((names[i], c) for _, i, c in [(word(), count(), count()) for _ in range(n)])
        print('/'.join(path) + '+%d' % line, ran, *('%s:%d' % t for t in to))
    for _ in range(calls):
        line = word() >> 16
        function(path[:-1] + [path[-1] + '+%d' % line])
assert [word(), word(), word()] == [0x67636461, 2, 0]
assert word() == 0xaa000000
length, start, names = word(), at, []
for _ in range(word()):
    n = word()
    names.append(data[at:at + n - 1].decode())
    assert data[at + n - 1] == 0
    at += n
assert length == (at - start + 3) // 4
assert word() == 0xac000000
length, start = word(), at
for _ in range(word()):
    head, here = count(), at
    print(names[word()], head)
    at = here
    function([])
assert length == (at - start + 3) // 4
assert [word(), word(), word()] == [0xae000000, 1, 0] and at == len(data)
P
convert gcc-afdo "$TMP/gnu" "$TMP/gnu.afdo"
python3 "$TMP/afdo.py" "$TMP/gnu.afdo" >"$TMP/afdo" 2>"$TMP/err"
is "GCC's profile has the form that its page gives" "$(tail -1 "$TMP/err")" ""
is "functions are entered as often as in LLVM's" "$(sed -n '/^[^+]* [0-9]*$/p' "$TMP/afdo" | sort)" \
	"$(sed -n 's/^\([^ :]*\):[0-9]*:\([0-9]*\)$/\1 \2/p' "$TMP/gnu.llvm" | sort)"
is "lines have the count of their busiest block" "$(sed -n 's/^_Z3fibi+1 //p' "$TMP/afdo")" \
	"$(sed -n '/^_Z3fibi:/,/^[^ ]/s/^ 1\(\.[0-9]*\)\{0,1\}: //p' "$TMP/gnu.llvm" | sort -n | tail -1)"
like "callees of indirect calls" "$(grep '^walk+4 ' "$TMP/afdo")" '_ZN3one1fEi:[0-9]+ _ZN3two1fEi:[0-9]+$'
is "... of no others" "$(grep -c '_Z3fibi:' "$TMP/afdo")" 0
"$GXX" -O2 -g -fno-rtti -fno-exceptions -fno-inline -fno-ipa-cp -fno-indirect-inlining -fauto-profile="$TMP/gnu.afdo" -S -o "$TMP/gnu.s" \
	-fdump-tree-optimized-blocks-details="$TMP/dump" "$TMP/app.cc" >"$TMP/log" 2>&1
if grep -q 'profile version .* does not match' "$TMP/log"; then
	skip "gcc takes it" "$(tail -1 "$TMP/log")"
else
	is "gcc takes it without a word" "$(cat "$TMP/log")" ""
	is "gcc knows how often a function was entered" \
		"$(sed -n '/^;; Function.*(_ZN3one1fEi,/,/^;; Function.*fib/s/.*pred: *ENTRY.*count:\([0-9]*\) (auto FDO).*/\1/p' \
			"$TMP/dump" | head -1)" "$(sed -n 's/^_ZN3one1fEi //p' "$TMP/afdo")"
fi

# ---- orders for linkers
LLD=$(tool ld.lld-19 ld.lld-14 ld.lld)
convert symbol-order "$TMP/gnu" "$TMP/symbols"
convert call-order "$TMP/gnu" "$TMP/calls"
is "symbols are ordered by the code that they ran" "$(head -4 "$TMP/symbols" | tr '\n' ' ')" \
	"$(convert llvm "$TMP/gnu" - | sed -n 's/^\([^ :]*\):.*/\1/p' | head -4 | sed 's/^walk$/_ZL4walkPP4basei/' |
		tr '\n' ' ')"
is "calls are those of LLVM's profile" "$(grep '^_ZL4walk' "$TMP/calls" | cut -d' ' -f2-)" \
	"$(grep -o '_ZN3one1fEi:[0-9]* _ZN3two1fEi:[0-9]*' "$TMP/gnu.llvm" | tr ' :' '\n ')"
unlike "recursion is no call between functions" "$(cat "$TMP/calls")" '^([^ ]*) \1 '
linked() { # linked OPTION...: the program's functions in the order of addresses
	"$LLD" -e _start "$@" "$TMP/app.o" -o "$TMP/linked" 2>"$TMP/err"
	nm -n "$TMP/linked" | awk '$2 ~ /[TtWw]/ { print $3 }'
}
if [ -n "$LLD" ]; then
	"$GXX" -O2 -fno-rtti -fno-exceptions -fno-stack-protector -fno-pie -ffunction-sections -c \
		"$TMP/app.cc" -o "$TMP/app.o"
	is "lld lays functions out in the order of the symbols" "$(linked --symbol-ordering-file="$TMP/symbols" |
		head -"$(wc -l <"$TMP/symbols")")" "$(cat "$TMP/symbols")"
	is "... and knows them all" "$(cat "$TMP/err")" ""
	linked --call-graph-ordering-file="$TMP/calls" >"$TMP/order"
	is "lld takes the calls" "$(cat "$TMP/err")" ""
	is "... and puts the callee that is called most behind its caller" \
		"$(grep -A1 '^_ZL4walk' "$TMP/order" | tail -1)" "_ZN3one1fEi"
else
	skip "lld" "ld.lld is not installed (Debian: lld)"
fi

# ---- samples without branch stacks
traced "$TMP/gnu" "$TMP/ip.data" -i
"$PERF" data convert --to llvm --binary "$TMP/gnu" -i "$TMP/ip.data" -o "$TMP/ip.llvm"
is "without branch stacks a function has as many as it has samples" \
	"$(sed -n 's/^_Z3fibi:\([0-9]*\):0$/\1/p' "$TMP/ip.llvm")" \
	"$("$PERF" report -i "$TMP/ip.data" --stdio -F sample,sym --no-inline 2>/dev/null |
		awk '$3 ~ /^fib/ { print $1 }')"

"$PERF" data convert --to symbol-order --binary "$TMP/gnu" -i "$TMP/ip.data" -o "$TMP/symbols"
is "... and symbols are ordered by samples" "$(head -1 "$TMP/symbols")" "_ZL4walkPP4basei"
check_status "calls are in branch stacks only" 1 "$PERF" data convert --to call-order --binary "$TMP/gnu" \
	-i "$TMP/ip.data"
like "... which are recorded with" "$(cat "$TMP/check.out")" 'perf record -b'

# ---- callgrind: lines, inlined code of another file, jumps
if command -v callgrind_annotate >/dev/null; then
	mkdir "$TMP/two"
	sed -e 's/^namespace {/#line 8 "sum.h"\n&/' -e 's/^struct base {/#line 20 "app.cc"\n&/' \
		-e 's/^.return n < 2.*/#line 10 "sum.h"\n&\n#line 60 "app.cc"/' "$TMP/app.cc" >"$TMP/two/app.cc"
	TMP=$TMP/two build "$GXX" "$TMP/two/app" -g
	traced "$TMP/two/app" "$TMP/two/data"
	"$PERF" data convert --to callgrind -i "$TMP/two/data" -o "$TMP/two/out"
	callgrind_annotate --threshold=100 --auto=no "$TMP/two/out" >"$TMP/two/text" 2>&1
	of_report() { # of_report FUNCTION: its periods
		"$PERF" report -i "$TMP/two/data" --no-branch-stack --no-inline --stdio -F period,sym 2>/dev/null |
			awk -v f="$1" '$NF == f { print $1 }'
	}
	of_callgrind() { # of_callgrind FILE:FUNCTION
		tr -d , <"$TMP/two/text" | awk -v f="$1" '$0 ~ " [^ ]*" f "( |$)" { print $1 }'
	}
	is "callgrind_annotate: a function of one file has the report's periods" "$(of_callgrind app.cc:total)" "$(of_report total)"
	check "... inlined code is at its own file" test "$(of_callgrind sum.h:walk)" -gt 0
	is "... with the function's the report's" "$(($(of_callgrind sum.h:walk) + $(of_callgrind app.cc:walk)))" "$(of_report walk)"
	like "... which begins in its file" "$(grep -B1 '^fn=.*walk' "$TMP/two/out")" 'fl=.*app\.cc'
	is "... totals are all" "$(tr -d , <"$TMP/two/text" | awk '/PROGRAM TOTALS/ { print $1 }')" \
		"$("$PERF" script -i "$TMP/two/data" -F period | awk '{ n += $1 } END { print n }')"
	check "... among jumps" grep -q '^jcnd=[0-9]*/[0-9]* 0x' "$TMP/two/out"
	# Lines 8 to 19 are sum.h's and no others.
	is "... both ends of which are in their files" "$(awk '
		function look(file, line) { bad += line && (file ~ /sum\.h$/) != (line >= 8 && line < 20); other += file ~ /sum\.h$/ }
		/^(fl|fi|fe|cfi|jfi)=/ {
			key = $1; sub(/=.*/, "", key); id = $1; sub(/.*=/, "", id)
			if (NF > 1) name[id] = $2
			if (key == "jfi") to = name[id]; else if (key != "cfi") file = name[id]
		}
		from { look(file, $2); look(to ? to : file, from); from = to = "" }
		/^j(ump|cnd)=/ { from = $3 }
		END { print bad + 0, (other > 0) }' "$TMP/two/out")" "0 1"
else
	skip "callgrind" "no callgrind_annotate here (Debian's valgrind has it)"
fi

# ---- where debug information is looked for
cp "$TMP/gnu" "$TMP/part"
traced "$TMP/part" "$TMP/part.data"
objcopy --only-keep-debug "$TMP/part" "$TMP/part.debug"
objcopy --strip-all --add-gnu-debuglink="$TMP/part.debug" "$TMP/part"
convert llvm "$TMP/part" "$TMP/part.llvm" 2>"$TMP/err"
same_file "lines of a stripped file come from its file of debug symbols" "$TMP/part.llvm" \
	"$TMP/gnu.llvm"
rm "$TMP/part.debug"
check_status "without it that is an error" 1 convert llvm "$TMP/part" "$TMP/none"
like "... that says what to do" "$(cat "$TMP/check.out")" 'Build with -g .*debug symbols'
check "... and nothing was written" test ! -e "$TMP/none"
mkdir "$TMP/dir"
"$PERF" data convert --to llvm -i "$TMP/gnu.data" -o "$TMP/dir/" 2>"$TMP/err"
same_file "a directory's file is that of the object alone" \
	"$TMP/dir/$(ls "$TMP/dir" | grep ^gnu-)" "$TMP/gnu.llvm"

# ---- files that are not as they should be
build "$GXX" "$TMP/hostile" -g -DHOSTILE && python3 - "$TMP/hostile" <<'P'
import sys
data = open(sys.argv[1], 'rb').read()
assert b'_Z8evil_onei' in data and b'_Z8evil_twoi' in data
data = data.replace(b'_Z8evil_onei', b'evil\n x:1:1\t').replace(b'_Z8evil_twoi', b'[evil] x:1:1')
open(sys.argv[1], 'wb').write(data)
P
traced "$TMP/hostile" "$TMP/hostile.data" && convert llvm "$TMP/hostile" "$TMP/hostile.llvm"
check "a program with names of its own choice has a profile" grep -q '^_Z3fibi' "$TMP/hostile.llvm"
unlike "names that would end a line are left out" "$(cat "$TMP/hostile.llvm")" 'evil|\['
[ -z "$PROFDATA" ] || check "... and llvm-profdata reads what is left" "$PROFDATA" merge -sample \
	-text "$TMP/hostile.llvm" -o "$TMP/got"
cp "$TMP/gnu" "$TMP/whole"
damage() { # damage SEED: other bytes where debug information is
	python3 - "$TMP/whole" "$TMP/gnu" "$1" "$(readelf -SW "$TMP/whole" |
		sed -n 's/.*\.debug_\(info\|line\|rnglists\|abbrev\) *PROGBITS *[0-9a-f]* \([0-9a-f]*\) \([0-9a-f]*\).*/\2 \3/p')" <<'P'
import random, sys
data = bytearray(open(sys.argv[1], 'rb').read())
random.seed(int(sys.argv[3]))
for line in sys.argv[4].split('\n'):
    at, size = (int(x, 16) for x in line.split())
    for i in range(6):
        data[at + random.randrange(size)] = random.randrange(256)
open(sys.argv[2], 'wb').write(data)
P
	convert llvm "$TMP/gnu" "$TMP/broken.llvm" 2>"$TMP/err"
	[ $? -le 1 ]
}
for seed in 1 2 3 4 5 6 7 8; do
	damage $seed || fail "damaged debug information does no harm ($seed)" "$(cat "$TMP/err")"
done
pass "damaged debug information was read eight times"
done_testing
