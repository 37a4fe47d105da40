#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf script: source text, switches, and what is said of options and fields that are not there.
. "$(dirname "$0")/../lib.sh"
need_root
need_cc
cd "$TMP" || exit 1
cat >loop.c <<'EOS'
volatile long sum;
static void __attribute__((noinline)) spin(void)
{
	for (long i = 0; i < 200000000; i++) sum += i; /* the loop */
}
int main(void) { spin(); return 0; }
EOS
$CC -g -O1 -o loop loop.c || skip_all "no working compiler"
"$PERF" record -q -e cpu-clock,task-clock -F 1000 -o a.data -- ./loop >out 2>&1 ||
	skip_all "cannot record here: $(head -1 out)"
script() {
	"$PERF" script -i a.data "$@" 2>err
}

script -F comm,ip,sym,srccode >got
if "$PERF" check feature -q libdw; then
	like "srccode: the line" "$(cat got)" '^\|4        	for \(long i = 0; i < 200000000; i\+\+\) sum \+= i; /\* the loop \*/$'
	n=$(grep -c '^|4 ' got)
	check "srccode: only when the line is another one ($n)" test "$n" -lt "$(grep -c spin got)"
	rm loop.c
	unlike "srccode: no source, no line" "$(script -F comm,ip,sym,srccode)" '^\|'
	like "srcline: the file's name" "$(script -F ip,srcline)" '^ +loop\.c:4$'
	like "--full-source-path" "$(script -F ip,srcline --full-source-path)" "^ +$TMP/loop\\.c:4\$"
else
	for t in "srccode: the line" "srccode: only when new" "srccode: no source" "srcline" "full path"; do
		skip "$t" "built without libdw"
	done
fi
strip loop -o bare
"$PERF" record -q -e cpu-clock -o bare.data -- ./bare >out 2>&1
like "srcline: none known" "$("$PERF" script -i bare.data -F ip,srcline 2>&1)" '^ +bare\[[0-9a-f]+\]$'

all=$(script -F event | wc -l)
on=$(script -F event --switch-on task-clock | wc -l)
off=$(script -F event --switch-off task-clock | wc -l)
shown=$(script -F event --switch-off task-clock --show-on-off-events | wc -l)
check "--switch-on ($on of $all)" test "$on" -gt 0 -a "$on" -lt "$all"
check "--switch-off ($off of $all)" test "$off" -lt "$on"
is "--show-on-off-events" "$shown" $((off + 1))
mkdir flat
cp loop flat
like "--symfs DIR,flat" "$(script -F ip,sym --symfs "$TMP/flat,flat")" ' spin$'
like "--dump-unsorted-raw-trace" "$(script --dump-unsorted-raw-trace)" 'PERF_RECORD_SAMPLE'
like "a class of no event here changes nothing" "$(script -F trace:comm)" 'cpu-clock: .* spin'
check_status "accepted options" 0 "$PERF" script -i a.data -a --merge-callchains --guest-code \
	--addr2line /bin/true --unwind-style libdw --itrace=i1us --show-kernel-path

refuses() { # refuses NAME STATUS PATTERN ARGS...
	_name=$1 _status=$2 _pattern=$3
	shift 3
	check_status "$_name" "$_status" "$PERF" script -i a.data "$@"
	like "$_name: message" "$(cat "$TMP/check.out")" "$_pattern"
}
for o in "-g python" "-s x.py" "-l" "--dlfilter x.so" "--insn-trace" "--call-trace" "--xed" \
	"--per-event-dump" "--stop-bt x" "--addr-range 3" "-d" "-L" "--guestmount /x"; do
	# shellcheck disable=SC2086
	refuses "refused: $o" 129 '^--[A-Za-z-]+: .{20}' $o
done
refuses "tod without clock data" 255 "Can't provide 'tod' time, missing clock data\. Please record with -k/--clockid option\." -F tod
refuses "cgroup that is not there" 255 "^Hint: run 'perf record --all-cgroups \.\.\.'" -F cgroup
refuses "brstackinsn without branches" 255 "^Hint: run 'perf record -b \.\.\.'" -F brstackinsn
refuses "--switch-on: no such event" 255 'switch-on event not found \(nosuch\)' --switch-on nosuch
done_testing
