# SPDX-License-Identifier: GPL-2.0-or-later
# perf list: classes, words and globs, layouts, and an installed perf's names.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
unset PERF_PMU_DT
DT=$ROOT/tests/data/dtpmu/power10-pmu.dtb

sw=$("$PERF" list sw)
is "sw: only software events" "$(echo "$sw" | grep -vc '\[Software event\]$')" 0
like "upstream's layout" "$sw" '^  context-switches OR cs {29}\[Software event\]$'
is "names are in order" "$(echo "$sw" | LC_ALL=C sort)" "$sw"
is "hw is hardware, sw is software" "$("$PERF" list software hardware 2>/dev/null | md5sum)" \
	"$("$PERF" list sw hw 2>/dev/null | md5sum)"
like "an unmatched word is said on stderr" "$("$PERF" list nosuchevent 2>&1 >/dev/null)" \
	"no event matches 'nosuchevent'"
like "... beside one that is matched" "$("$PERF" list nosuchevent sw 2>&1 >/dev/null)" \
	"^no event matches 'nosuchevent'$"
if has_cycles; then
	like "hw: what the kernel opens" "$("$PERF" list hw)" 'cpu-cycles OR cycles +\[Hardware event\]'
else
	like "hw: why there is none" "$("$PERF" list hw 2>&1)" 'without a virtual PMU'
fi
"$PERF" list --debug >"$TMP/out" 2>"$TMP/err"
is "--debug lists the same" "$(cat "$TMP/out")" "$("$PERF" list)"
like "--debug: where PMUs come from" "$(cat "$TMP/err")" '^PMU [^ ]+: type [0-9]+, from sysfs'
like "--debug: where tracepoints come from" "$(cat "$TMP/err")" 'PMUs; tracepoints: (/sys/|no readable)'
if has_standin; then
	like "--debug: why an event does not open" "$(with_standin nopmu list --debug hw 2>&1)" \
		'^type 0, config 0: No such file or directory$'
else
	skip "--debug: why an event does not open" "the stand-in stands for an x86-64 kernel"
fi
all=$("$PERF" list)
like "raw codes" "$all" '^  rNNN +\[Raw event descriptor\]$'
like "breakpoints" "$all" '^  mem:<addr>\[/len\]\[:access\] +\[Hardware breakpoint\]$'
if [ -r /sys/kernel/tracing/events/sched/sched_switch/id ]; then
	is "a glob over tracepoints" "$("$PERF" list 'sched:sched_swit?h')" \
		"$(printf '  %-50s [Tracepoint event]' sched:sched_switch)"
	like "a word is found anywhere" "$("$PERF" list ched_switc)" 'sched:sched_switch'
	is "tracepoint: nothing else" "$("$PERF" list tracepoint | grep -vc 'Tracepoint event')" 0
else
	skip "tracepoints" "no readable tracefs here"
fi
if [ -n "$PEER" ] && "$PEER" list >"$TMP/peer" 2>/dev/null; then
	grep -E '\[(Hardware|Software|Hardware cache|Kernel PMU|Tracepoint) event\]' "$TMP/peer" | grep -v sdt_ | awk '{ print $1 }' | sort >"$TMP/a"
	# Asked again: an installed perf mounts tracefs where nobody did before.
	"$PERF" list | awk '{ print $1 }' | sort >"$TMP/b"
	is "every event of an installed perf is listed" "$(comm -23 "$TMP/a" "$TMP/b" | head -5)" ""
else
	skip "every event of an installed perf is listed" "$NO_PEER"
fi

# ---- JSON
is "-j is an array of the same events" "$("$PERF" list -j sw | python3 -c '
import json, sys
for e in json.load(sys.stdin): print(e["EventName"], e["EventType"], e.get("EventAlias", ""))' |
	md5sum)" "$(echo "$sw" | sed 's/ OR / /; s/^ *//; s/\[\(.*\)\]/\1/' |
	awk '{ print $1, $(NF-1), $NF, NF == 4 ? $2 : "" }' | md5sum)"
is "--raw-dump is names alone" "$("$PERF" list --raw-dump sw | tr ' ' '\n' | grep -c .)" \
	"$(echo "$sw" | wc -l)"
"$PERF" list -o "$TMP/out" sw
is "-o writes a file" "$(cat "$TMP/out")" "$sw"
check_status "-o that cannot be written" 1 "$PERF" list -o "$TMP/no/where" sw
check_status "--unit of no PMU" 1 "$PERF" list --unit nosuch
check_status "an unknown option" 129 "$PERF" list --frobnicate

# ---- a device tree
if "$PERF" check feature -q libfdt; then
	dt=$("$PERF" list --pmu-dt "$DT" cpu_dts)
	like "its events by category" "$dt" '^tlb:$'
	like "with description and code" "$dt" '\[Data TLB reloads. event=0x300fc. Unit: cpu_dts\]'
	like "its fields as terms" "$dt" '^  cpu_dts/event=0\.\.0xfffffffffffffff,pmcxsel=0\.\.255,mark,'
	is "a PMU's name is for its word only" \
		"$("$PERF" list --pmu-dt "$DT" cpu_dts sw | grep -F '[Software event]')" "$sw"
	unlike "--no-desc" "$("$PERF" list --no-desc --pmu-dt "$DT" cpu_dts)" 'Data TLB'
	like "--details" "$("$PERF" list --details --pmu-dt "$DT" cpu_dts)" \
		'^        cpu_dts/event=0x300fc/$'
	is "-j has them too" "$(PERF_PMU_DT=$DT "$PERF" list -j --unit cpu_dts | python3 -c '
import json, sys
l = [e for e in json.load(sys.stdin) if e["EventType"] == "Device tree PMU event"]
print(len(l), {e["Unit"] for e in l}, len({e["Topic"] for e in l}))')" "28 {'cpu_dts'} 6"
	check_status "no such tree" 1 "$PERF" list --pmu-dt "$TMP/none"
else
	skip "events of a device tree" "built without libfdt"
fi
done_testing
