#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf script: source text, switches, and what is said of options and fields that are not there.
. "$(dirname "$0")/../lib.sh"
need_root
need_events
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
cat >chain.c <<'EOS'
volatile long sum;
static void __attribute__((noinline)) leaf(void)
{
	for (long i = 0; i < 200000000; i++) sum += i;
}
static void __attribute__((noinline)) mid(void)
{
	leaf();
	sum++;
}
int main(void)
{
	mid();
	return (int)(sum & 1);
}
EOS
$CC -g -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o chain chain.c
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
	for v in 4 5; do
		$CC -gdwarf-$v -gsplit-dwarf -O1 -fno-omit-frame-pointer loop.c -o split$v &&
			"$PERF" record -q -e cpu-clock -o split$v.data -- ./split$v >out 2>&1
		like "srcline: DWARF $v, split" "$("$PERF" script -i split$v.data -F ip,srcline 2>&1)" '^ +loop\.c:4$'
	done
	rm loop.c
	unlike "srccode: no source, no line" "$(script -F comm,ip,sym,srccode)" '^\|'
	like "srcline: the file's name" "$(script -F ip,srcline)" '^ +loop\.c:4$'
	like "--full-source-path" "$(script -F ip,srcline --full-source-path)" "^ +$TMP/loop\\.c:4\$"
else
	for t in "srcline: split" "srccode: the line" "srccode: only when new" "srccode: no source" "srcline" "full path"; do
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
	"-d" "--guestmount /x"; do
	# shellcheck disable=SC2086
	refuses "refused: $o" 129 '^--[A-Za-z-]+: .{20}' $o
done
refuses "tod without clock data" 255 "Can't provide 'tod' time, missing clock data\. Please record with -k/--clockid option\." -F tod
refuses "cgroup that is not there" 255 "^Hint: run 'perf record --all-cgroups \.\.\.'" -F cgroup
refuses "brstackinsn without branches" 255 "^Hint: run 'perf record -b \.\.\.'" -F brstackinsn
refuses "--switch-on: no such event" 255 'switch-on event not found \(nosuch\)' --switch-on nosuch

# --stop-bt: frames behind the function are not printed, neither in text nor in JSON.
"$PERF" record -q -g -e cpu-clock,task-clock -F 500 -o g.data -- ./chain >out 2>&1
all=$("$PERF" script -i g.data -F ip,sym)
stopped=$("$PERF" script -i g.data -F ip,sym --stop-bt nosuch,main)
is "--stop-bt: main's frames stay" "$(echo "$stopped" | grep -c ' main$')" \
	"$(echo "$all" | grep -c ' main$')"
is "--stop-bt: none behind" "$(echo "$stopped" | awk '/ main$/ { at = NR } NF && at && NR == at + 1' | grep -cv ' main$')" 0
behind=$(echo "$all" | awk '/ main$/ { at = NR } NF && at && NR == at + 1' | grep -cv ' main$')
if [ "$behind" -gt 0 ]; then
	pass "--stop-bt: there were frames behind"
else
	skip "--stop-bt: there were frames behind" "frame pointers lead no further than main here"
fi
unlike "--stop-bt: JSON" "$("$PERF" script -i g.data -F ip,sym --json --stop-bt main)" '"sym":"main"[^]]*\{'

# -S with addresses: what is at them, whatever it is called.
at=$(script -F ip,sym | sed -n 's/^ *\([0-9a-f]*\) spin$/\1/p' | head -1)
n=$(script -F ip | grep -c "$at")
is "-S 0xADDR" "$(script -F ip -S "0x$at" | wc -l)" "$n"
is "-S with a name and an address" "$(script -F ip -S "nosuch,$at" | wc -l)" "$n"
is "--addr-range" "$(script -F ip -S "0x${at%???}000" --addr-range 4096 | wc -l)" \
	"$(script -F ip | grep -c " ${at%???}...\$")"
like "-L" "$(script -L)" '^    loop +[0-9]+ '

# --per-event-dump
mkdir dump
(cd dump && "$PERF" script -i ../a.data -F ip,event --per-event-dump) >got 2>err
is "--per-event-dump: the files" "$(echo a.data.*)" "a.data.cpu-clock.dump a.data.task-clock.dump"
for e in cpu-clock task-clock; do
	script -F ip,event | grep "^ *$e: " >want
	same_file "--per-event-dump: $e" a.data.$e.dump want
	is "--per-event-dump: $e for its owner only" "$(stat -c %a a.data.$e.dump)" 600
	like "--per-event-dump: $e is told" "$(cat got)" \
		"^\[ perf script: Wrote 0\.[0-9]{3} MB \.\./a\.data\.$e\.dump \($(wc -l <want) samples\) \]\$"
done
is "--per-event-dump: nothing else" "$(grep -cv '^\[ perf script: Wrote' got)$(cat err)" 0
check "--per-event-dump: once more" "$PERF" script -i a.data --comms nosuch --per-event-dump
is "--per-event-dump: a file without samples" "$(wc -c <a.data.cpu-clock.dump)" 0
like "--per-event-dump: records that are no samples stay" \
	"$(script --per-event-dump --show-mmap-events)" ' PERF_RECORD_MMAP'
rm a.data.*.dump
check_status "--per-event-dump: a wrong field" 255 "$PERF" script -i a.data --per-event-dump -F cgroup
is "--per-event-dump: leaves no files then" "$(echo a.data.*)" "a.data.*"
echo precious >victim
for kind in link dir fifo; do
	case $kind in
	link) ln -s victim a.data.task-clock.dump && what="symbolic link" ;;
	dir) mkdir a.data.task-clock.dump && what="directory" ;;
	fifo) mkfifo a.data.task-clock.dump && what=FIFO ;;
	esac
	check_status "--per-event-dump: a $what in the way" 255 "$PERF" script -i a.data --per-event-dump
	is "--per-event-dump: a $what: message" "$(cat "$TMP/check.out")" "Couldn't create the per event dump files: cannot create 'a.data.task-clock.dump': there is a $what of that name"
	rm -rf a.data.*.dump
done
is "--per-event-dump: links are not followed" "$(cat victim)" precious
ln victim a.data.task-clock.dump
check "--per-event-dump: a second name of a file" "$PERF" script -i a.data --per-event-dump
is "--per-event-dump: leaves the first alone" "$(cat victim)" precious
"$PERF" record -q -e cpu-clock/name=odd-name/,cpu-clock/name=same/,task-clock/name=same/ -o odd.data -- ./chain >out 2>&1
sed -i 's,odd-name,odd/name,g' odd.data
"$PERF" script -i odd.data --per-event-dump >got 2>&1
is "--per-event-dump: slashes, two events with one name" "$(echo odd.data.*)" \
	"odd.data.odd_name.dump odd.data.same.dump"
"$PERF" script -i odd.data --per-event-dump >got 2>&1
is "--per-event-dump: all samples of that name" "$(wc -l <odd.data.same.dump)" \
	"$("$PERF" script -i odd.data -F event | grep -c '^ *same: ')"
"$PERF" record -q -e task-clock -o - -- ./chain >pipe.data 2>out
check "--per-event-dump: a stream" sh -c '"$1" script -i - --per-event-dump <pipe.data' - "$PERF"
is "--per-event-dump: a stream: the file" "$(wc -l <stdin.task-clock.dump)" \
	"$("$PERF" script -i - -F ip <pipe.data | wc -l)"
if [ -e /dev/full ]; then
	check_status "--per-event-dump: stdout is full" 1 sh -c '"$1" script -i a.data --per-event-dump >/dev/full' - "$PERF"
fi
done_testing
