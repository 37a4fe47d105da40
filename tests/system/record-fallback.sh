#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record where no counters are to be had, which is made so on every machine: named events
# become a clock, one line says it, --no-fallback refuses; the examples of the man pages work.
. "$(dirname "$0")/../lib.sh"
need_root
need_events
need_standin
cd "$TMP" || exit 1
mkdir sys

# hidden command...: the kernel is real, its counters are not there
hidden() {
	STANDIN=hidden STANDIN_SYSFS=$TMP/sys LD_PRELOAD=$SO "$@"
}
record() {
	hidden "$PERF" record -o perf.data "$@" 2>err
}
events() {
	"$PERF" evlist | sed '/^dummy/d; /^#/d' | tr '\n' ' '
}
# becomes NAME EVENTS-IN-THE-FILE LINE OPTIONS...
becomes() {
	name=$1 want=$2 line=$3
	shift 3
	record "$@" -- "$PERF" test -w noploop 0.1
	is "$name: recorded" $? 0
	is "$name: the file has the clock" "$(events)" "$want "
	is "$name: one line says so" "$(grep -c 'no hardware counter here' err)" 1
	like "$name: which one" "$(cat err)" "$line"
	check "$name: there are samples" has_samples perf.data 0
}

becomes "cycles" cpu-clock '^cycles: no hardware counter here \(.*\); recording cpu-clock in its place \(--no-fallback refuses\)$' -e cycles
becomes "modifiers stay" cpu-clock:u '^cycles:upp: .*recording cpu-clock:u in its' -e cycles:upp
becomes "several are one clock" cpu-clock '^cycles, instructions, r1c2: .*recording cpu-clock in their place' -e cycles,instructions,r1c2
becomes "per thread" task-clock 'recording task-clock in its' --per-thread -e branches
becomes "the whole machine" cpu-clock '^cycles: ' -a -e cycles
becomes "beside a clock that was named" cpu-clock '^cycles: ' -e cpu-clock -e cycles
becomes "a group" 'cpu-clock cs' '^cycles, instructions: ' -e '{cycles,instructions,cs}' --group
for options in '-e cycles' '' '-b' '-a -b' '-e cycles:u -j any,k' '--branch-source=hardware -b -e cycles'; do
	# shellcheck disable=SC2086
	record --no-fallback $options true
	is "--no-fallback $options: refused" $? 1
	like "--no-fallback $options: with the cause" "$(cat err)" 'no PMU'
done

record -e cpu/cycles/ true
is "a PMU that was named is not replaced" $? 129
like "the hint works here" "$(cat err)" 'The clock works everywhere: -e cpu-clock'

# --- branches: followed in software where that can be, else the hint is a way that can
for options in '-e cycles:u -j any,u' '--branch-source=software -e cycles:u -b' '-e branches -b'; do
	# shellcheck disable=SC2086
	record $options -- "$PERF" test -w noploop 0.1
	is "$options: recorded" $? 0
	check "$options: with branches" test -n "$("$PERF" script -F brstack | head -1 | tr -d ' ')"
done
for options in '-b' '-b -e cycles,instructions' '-b -e branches' '-b --branch-span=50 -e cycles,instructions'; do
	# shellcheck disable=SC2086
	record -v --branch-budget 0 -F 99 $options -- "$PERF" test -w brstack 20000000
	like "$options: bursts, as it is one clock" "$(cat err)" ' of [1-9][0-9]* spans were computed'
done
for options in '-a -b' '-a -e cycles -b' '-e cycles:u -j any,k'; do
	# shellcheck disable=SC2086
	record $options true
	is "$options: refused" $? 1
	like "$options: names what works" "$(cat err)" 'perf record -b -- COMMAND'
done
hidden "$PERF" record -b -o perf.data -- true 2>/dev/null
is "which does work" $? 0
record --no-fallback --call-graph lbr true
is "call chains from branch records: refused where nothing may take their place" $? 1
like "they get other chains offered" "$(cat err)" '--call-graph dwarf'
unlike "and no -b, which nobody gave" "$(cat err)" '(^| )-b '
record --call-graph dwarf true
is "which can be had" $? 0
record --call-graph lbr true
is "by ptrace they can be had too" $? 0
like "with the reason and the price" "$(cat err)" 'call stacks by ptrace: this machine shows .*--reg-budget'

# --- the examples of the man pages, as they stand; only who and how long are ours
cat >program.c <<'END'
int main(void) { for (volatile long i = 0; i < 20000000; i++); return 0; }
END
need_cc
$CC -O1 -o program program.c && cp program app
printf 'all:\n\t./program\n' >Makefile
sleep 600 & victim=$!
trap 'kill $victim 2>/dev/null; rm -rf "$TMP"' EXIT
cat >bin-perf <<END
#!/bin/sh
STANDIN=hidden STANDIN_SYSFS=$TMP/sys LD_PRELOAD=$SO exec "$PERF" "\$@"
END
mkdir bin
mv bin-perf bin/perf
chmod +x bin/perf
nr=0
while IFS= read -r line; do
	nr=$((nr + 1))
	case $line in
	*node\ * | *java\ * | *dotnet\ *) skip "$line" "another program's own example"; continue ;;
	*make*) command -v make >/dev/null || { skip "$line" "no make here"; continue; } ;;
	*zstd*) "$PERF" check -q feature zstd || { skip "$line" "built without zstd"; continue; } ;;
	*sched:*) [ -r /sys/kernel/tracing/events/sched/sched_switch/id ] || { skip "$line" "no tracefs here"; continue; } ;;
	esac
	ours=$(printf '%s\n' "$line" | sed "s/1234/$victim/; s/sleep [0-9]*/sleep 0.1/; s/-p [0-9]*\$/& -- sleep 0.1/")
	PATH=$TMP/bin:$PATH sh -c "$ours" >out 2>&1
	is "works: $line" "$?$(grep -i 'error' out)" 0
done <<END
$(sed -n '/^== EXAMPLES/,/^== SEE/s/^\(\$ \|[ 	]*\)\(perf .*record .*\)$/\2/p' "$ROOT"/Documentation/perf-*.adoc | sed 's/^\$ //')
END
check "there are examples" test $nr -gt 5
done_testing
