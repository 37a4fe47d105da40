#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Orders of basic blocks: compilers take them, and the program that they make branches less. An exact trace
# of a program's taken branches stands in for a CPU that records them.
. "$(dirname "$0")/../lib.sh"
need_x86
need_cmd python3
TRACE=$O/tests/helpers/branch-trace
[ -x "$TRACE" ] || skip_all "the helper program is not built (make tests)"
CLANG=$(command -v clang-14 || command -v clang)
command -v ld.lld >/dev/null && [ -n "$CLANG" ] || skip_all "clang or ld.lld is not installed"

# Which way its branches go the program tells the compiler wrongly.
cat >"$TMP/app.c" <<'E'
__attribute__((noinline)) static int put(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}
__attribute__((noinline)) int work(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		if (__builtin_expect(i % 16 != 3, 0))
			s += put(i);
		else
			s ^= put(put(s) + put(i));
		if (__builtin_expect(i % 8 != 5, 0))
			s += 3 * put(s);
	}
	return s;
}
__attribute__((noinline)) int unused(int n)
{
	return n < 3 ? put(n) : put(n) + put(n + 1);
}
__attribute__((force_align_arg_pointer)) void _start(void)
{
	long status = (work(300) & 63) + (work(-1) ? unused(2) : 0), nr = 60; /* exit */
	__asm__ volatile("syscall" : : "a"(nr), "D"(status));
	__builtin_unreachable();
}
E
build() { # build OUT OPTION...
	_out=$1
	shift
	"$CLANG" -O2 -fno-stack-protector -fno-pie -nostdlib -static -fuse-ld=lld -Wl,--build-id "$@" "$TMP/app.c" \
		-o "$_out" 2>"$TMP/log"
}
# traced PROGRAM FILE: how many branches it took
traced() {
	"$TRACE" -n 37 -o "$2" "$1" 2>&1 | sed -n 's/.*: \([0-9]*\) taken branches.*/\1/p'
}
convert() {
	"$PERF" data convert --to propeller --binary "$1" -i "$1.data" -o "$2" 2>"$TMP/err"
}
build "$TMP/app" -fbasic-block-sections=labels || skip_all "this clang makes no maps of blocks: $(head -1 "$TMP/log")"
before=$(traced "$TMP/app" "$TMP/app.data")
[ -n "$before" ] || skip_all "programs cannot be traced here"
"$TMP/app"
status=$?

convert "$TMP/app" "$TMP/order"
is "the hottest function comes first, the entry first in it" "$(head -2 "$TMP/order" | cut -c1-5 | sed 's/^!!0.*/!!0/' | tr '\n' ' ')" "!work !!0 "
unlike "what did not run is not there" "$(cat "$TMP/order")" unused
build "$TMP/better" -fbasic-block-sections=list="$TMP/order"
is "clang takes the order" "$(cat "$TMP/log")" ""
after=$(traced "$TMP/better" "$TMP/better.data")
check "the program takes a third less branches ($before, $after)" test "$((after * 3))" -lt "$((before * 2))"
"$TMP/better"
is "... and does the same" "$?" "$status"
like "blocks that did not run are elsewhere" "$(nm "$TMP/better")" ' unused$| work.cold$'
convert "$TMP/app" "$TMP/again"
same_file "the same bytes every time" "$TMP/again" "$TMP/order"

# ---- numbers of blocks, and the order's second version
if command -v llc-19 >/dev/null; then
	"$CLANG" -O2 -fno-stack-protector -fno-pie -S -emit-llvm "$TMP/app.c" -o "$TMP/app.ll"
	by_llc() { # by_llc OUT OPTION
		llc-19 -O2 -filetype=obj "$2" "$TMP/app.ll" -o "$TMP/app.o" 2>"$TMP/log" &&
			ld.lld -static --build-id "$TMP/app.o" -o "$1"
	}
	by_llc "$TMP/new" -basic-block-sections=labels
	before=$(traced "$TMP/new" "$TMP/new.data")
	convert "$TMP/new" "$TMP/order.v1"
	is "a map with numbers gives version 1" "$(head -2 "$TMP/order.v1" | tr '\n' ' ')" "v1 f work "
	by_llc "$TMP/new2" -basic-block-sections="$TMP/order.v1"
	is "... LLVM 19 takes it" "$(cat "$TMP/log")" ""
	after=$(traced "$TMP/new2" "$TMP/new2.data")
	check "... the program takes a third less branches ($before, $after)" test "$((after * 3))" -lt "$((before * 2))"
else
	skip "maps of version 2" "llc-19 is not installed (Debian: llvm-19)"
fi

# ---- what cannot be
build "$TMP/plain"
traced "$TMP/plain" "$TMP/plain.data" >"$TMP/log"
check_status "a program without a map is refused" 1 "$PERF" data convert --to propeller --binary "$TMP/plain" \
	-i "$TMP/plain.data" -o "$TMP/no"
like "... and how it is built is said" "$(cat "$TMP/check.out")" '-fbasic-block-sections=labels'
check "... no file is begun" test ! -e "$TMP/no"
"$TRACE" -i -n 37 -o "$TMP/ip.data" "$TMP/app" >"$TMP/log" 2>&1
check_status "so are samples without branches" 1 "$PERF" data convert --to propeller --binary "$TMP/app" -i "$TMP/ip.data" -o "$TMP/no"
like "... which are recorded with" "$(cat "$TMP/check.out")" 'perf record -b'
cp "$TMP/app" "$TMP/whole"
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
	python3 -S -c 'import random, sys
d = bytearray(open(sys.argv[1], "rb").read())
random.seed(int(sys.argv[3]))
at, size = (int(x, 16) for x in sys.argv[4].split())
for i in range(1 + int(sys.argv[3]) % 4):
    d[at + random.randrange(size)] = random.choice((0, 1, 127, 128, 255, random.randrange(256)))
open(sys.argv[2], "wb").write(d)' "$TMP/whole" "$TMP/app" $seed "$(readelf -SW "$TMP/whole" |
		sed -n 's/.*\.llvm_bb_addr_map *[^ ]* *[0-9a-f]* \([0-9a-f]*\) \([0-9a-f]*\) .*/\1 \2/p')"
	convert "$TMP/app" "$TMP/damaged"
	[ $? -le 1 ] || fail "a damaged map does no harm ($seed)" "$(cat "$TMP/err")"
done
pass "damaged maps were read twelve times"
# ---- hot paths as an order of symbols: with a section for each block the linker alone lays blocks out
paths() { # paths PROGRAM FILE
	"$PERF" data convert --to path-order --binary "$1" -i "$1.data" -o "$2" 2>"$TMP/err"
}
if build "$TMP/blocks" -fbasic-block-sections=all -Wl,--optimize-bb-jumps; then
	before=$(traced "$TMP/blocks" "$TMP/blocks.data")
	paths "$TMP/blocks" "$TMP/paths"
	is "blocks have names, and no function is missed" "$(wc -c <"$TMP/err")" 0
	like "the hottest path comes first" "$(head -1 "$TMP/paths")" '^(work|put)'
	unlike "what did not run is on none" "$(cat "$TMP/paths")" unused
	is "a symbol is there once" "$(sort "$TMP/paths" | uniq -d)" ""
	build "$TMP/along" -fbasic-block-sections=all -Wl,--optimize-bb-jumps -Wl,--symbol-ordering-file="$TMP/paths"
	is "lld takes the order" "$(cat "$TMP/log")" ""
	is "... and lays blocks out by it" "$(nm -n "$TMP/along" | awk '{ print $3 }' | grep -xF -f "$TMP/paths")" "$(cat "$TMP/paths")"
	"$TMP/blocks"
	want=$?
	"$TMP/along"
	is "the program does what it did" $? $want
	after=$(traced "$TMP/along" "$TMP/along.data")
	check "it takes a tenth of its branches less, and more ($before, $after)" test "$((after * 10))" -lt "$((before * 9))"
	paths "$TMP/blocks" "$TMP/again"
	same_file "the same order every time" "$TMP/again" "$TMP/paths"
else
	skip "blocks along paths" "this clang makes no sections of blocks: $(head -1 "$TMP/log")"
fi
# Functions along paths: who calls stands beside what is called.
build "$TMP/app" -fbasic-block-sections=labels -ffunction-sections
traced "$TMP/app" "$TMP/app.data" >/dev/null
paths "$TMP/app" "$TMP/paths"
is "functions, where blocks have no sections" "$(sort "$TMP/paths" | tr '\n' ' ')" "put work "
# Names of a stranger's program reach no terminal as they are.
check "a name that colours a terminal" objcopy --redefine-sym "put=$(printf 'p\033[1mut')" "$TMP/app"
for form in path-order propeller symbol-order; do
	"$PERF" data convert --to $form --binary "$TMP/app" -i "$TMP/app.data" -o "$TMP/raw" 2>"$TMP/err"
	check "--to $form: has others" grep -q work "$TMP/raw"
	is "--to $form: no name with control bytes" "$(tr -cd '\000-\011\013-\037\177' <"$TMP/raw" | wc -c)" 0
done
done_testing
