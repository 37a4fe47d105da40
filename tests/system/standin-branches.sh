#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Branch stacks end to end against the stand-in for perf_event_open: every filter, branches per
# event, counters, what the ladder takes back, and each refusal with its reason. report -D and
# script show exactly what it put into the samples.
. "$(dirname "$0")/../lib.sh"
need_standin
need_cmd python3
CMP="python3 $ROOT/tests/standin/compare.py"
cd "$TMP" || exit 1

# A core PMU with LBR of 32 entries and branch counters; an Intel CPU on bare metal.
mkdir -p sys/cpu/caps sys/cpu/format sys/cpu/events sys/software proc
echo config:0-7 >sys/cpu/format/event
echo event=0xc4 >sys/cpu/events/branch-brs
echo 4 >sys/cpu/type
echo 1 >sys/software/type
echo 32 >sys/cpu/caps/branches
echo 4 >sys/cpu/caps/branch_counter_nr
echo 2 >sys/cpu/caps/branch_counter_width
cpu() { # cpu VENDOR FAMILY FLAGS
	printf 'vendor_id\t: %s\ncpu family\t: %s\nflags\t\t: fpu %s sse\n' "$@" >proc/cpuinfo
}
cpu GenuineIntel 6 arch_lbr

# standin PROFILE record-arguments...
standin() {
	profile=$1
	shift
	rm -f log perf.data
	STANDIN=$profile STANDIN_SYSFS=$TMP/sys STANDIN_PROC=$TMP/proc STANDIN_LOG=$TMP/log \
		LD_PRELOAD=$SO "$PERF" record -o perf.data "$@" >rec.out 2>&1
}
mask() {
	"$PERF" evlist -v -i perf.data | sed -n 's/.*branch_sample_type: \([A-Z_|]*\).*/\1/p'
}

# filter MASK TYPES record-arguments...: TYPES that branches may have, when they are saved
filter() {
	want=$1 types=$2
	shift 2
	standin full -e cycles "$@" -c 10000 -- sleep 0.1
	is "record $*" "$?" 0
	[ -s perf.data ] || diag "$(cat rec.out)"
	is "record $*: branch_sample_type" "$(mask)" "$want"
	"$PERF" report -D -i perf.data >dump 2>err
	check "record $*: report -D shows what was logged" $CMP dump log dump
	"$PERF" script -F ip,brstack -i perf.data >text 2>err
	check "record $*: script shows what was logged" $CMP brstack log text
	[ -n "$types" ] || return
	got=$(tr ' ' '\n' <text | awk -F/ 'NF > 6 && $7 { print $7 }' | sort -u | tr '\n' ' ')
	is "record $*: types" "$got" "$types"
}
S=TYPE_SAVE
filter ANY "" -b
filter ANY "" -j any
filter ANY "" -j u
filter ANY "" -j k,hv
filter ANY "" -j hv
filter "USER|ANY" "" -j any,u
filter "KERNEL|ANY" "" -j any,k
filter "HV|ANY" "" -j ANY,HV
filter "ANY|$S" "CALL COND IND IND_CALL RET SYSCALL SYSRET UNCOND " -j any,save_type
filter "ANY_CALL|$S" "CALL IND_CALL SYSCALL " -j any_call,save_type
filter "ANY_RETURN|$S" "RET SYSRET " -j any_ret,save_type
filter "IND_CALL|$S" "IND_CALL " -j ind_call,save_type
filter "IND_JUMP|$S" "IND " -j ind_jmp,save_type
filter "CALL|$S" "CALL " -j call,save_type
filter "COND|$S" "COND " -j cond,save_type
filter "USER|ANY_CALL|ANY_RETURN|$S" "CALL IND_CALL RET SYSCALL SYSRET " \
	-j any_call,any_ret,u,save_type
filter ABORT_TX "" -j abort_tx
filter "ANY|IN_TX" "" -j in_tx,any
filter "ANY|NO_TX" "" -j any,no_tx
filter "ANY|NO_FLAGS|NO_CYCLES" "" -j any,no_flags,no_cycles
filter "ANY|HW_INDEX" "" -j any,hw_index
filter "ANY|PRIV_SAVE" "" -j any,priv
filter "ANY|COUNTERS" "" -j any,counter
filter "USER|ANY|$S|HW_INDEX|PRIV_SAVE|COUNTERS" "" -j any,u,save_type,hw_index,priv,counter

standin full -e cycles -j in_tx -- sleep 0.1
is "a filter that nothing passes: empty stacks" \
	"$("$PERF" report -D -i perf.data 2>/dev/null | grep 'branch stack' | sort -u)" \
	"... branch stack: nr:0"
standin full -e cycles -j any,u -- sleep 0.1
unlike "any,u has no branch of the kernel" "$(cat log)" 'ffffffff81'
standin full -e cycles -j any,k -- sleep 0.1
unlike "any,k has none of user space" "$(cat log)" '[=,]40[0-9a-f]{4}/'
standin full -e cycles:u -b -- sleep 0.1
unlike "-b takes the levels of the event" "$(cat log)" 'ffffffff81'
standin full -e cycles -j stack,u -- sleep 0.1
is "-j stack,u" "$(mask)" "USER|CALL_STACK"
like "-j stack,u: report -D" "$("$PERF" report -D -i perf.data 2>/dev/null)" 'branch callstack: nr:'
standin full -e cycles -j any,counter -c 10000 -- sleep 0.1
like "counters have width and number of the PMU" "$("$PERF" report -D -i perf.data 2>/dev/null)" \
	'branch stack counters: nr:32 \(counter width: 2 max counter nr:4\)'

standin full -e '{branches:p,instructions}' -j any,counter -c 10000 -- sleep 0.1
is "a group counts into branches" "$(mask | tr '\n' ' ')" "ANY|COUNTERS ANY|COUNTERS "
"$PERF" report -D -i perf.data >dump 2>err
check "a group: report -D shows the counters logged" $CMP dump log dump
like "a group: a letter for each event" "$("$PERF" report --total-cycles -i perf.data 2>err |
	grep -A2 'abbr list' | tr '\n' ' ')" '# branches:p = A # instructions = B'

# Branches per event, beside what -b says for the rest.
standin full -e 'cpu/event=0xc4,branch_type=any_call|u/' -e cycles -- sleep 0.1
is "branch_type of one event: the other has none" "$("$PERF" evlist -v -i perf.data | grep -c branch_sample_type)" 1
like "branch_type takes several, joined by a bar" "$(mask)" '^USER\|ANY_CALL$'
standin full -b -e cpu/event=0xc4,branch_type=no/ -e cycles -- sleep 0.1
like "branch_type=no beside -b" "$("$PERF" evlist -v -i perf.data | grep -v branch_sample_type)" \
	'branch_type=no'
standin full -e 'cpu/event=0xc4,branch_type=bogus/' -- true
like "an unknown filter in branch_type" "$(cat rec.out)" 'unknown branch filter bogus'

# What may be dropped is, and -v says so; what the user named and has no substitute is refused.
standin lbr4.14 -v -e cycles -j any,hw_index -- sleep 0.1
is "hw_index on an older kernel: recorded" "$?" 0
is "hw_index on an older kernel: dropped" "$(mask)" ANY
like "hw_index on an older kernel: said with -v" "$(cat rec.out)" \
	'this kernel does not know: branch stack index'
standin hybrid -v -e cpu-cycles -j any,counter -- sleep 0.1
is "counter on a CPU without: dropped" "$(mask)" ANY
like "counter on a CPU without: said with -v" "$(cat rec.out)" 'does not know: branch counters'
standin hybrid -e cpu-cycles -j any,counter -- sleep 0.1
unlike "without -v nothing is said" "$(cat rec.out)" 'branch counters'

# refused NAME PROFILE ERE record-arguments...
refused() {
	name=$1 profile=$2 ere=$3
	shift 3
	standin "$profile" --branch-source=hardware "$@" -- true
	st=$?
	if [ $st -eq 0 ]; then fail "$name is refused" "exit 0"; else pass "$name is refused"; fi
	like "$name: the reason" "$(tr '\n' ' ' <rec.out)" "$ere"
	check "$name: no file" test ! -s perf.data
}
refused "-b with -j" full "Error: Can't use --branch-any \(-b\) with --branch-filter \(-j\)\." -b -j any
refused "-j with -b" full "Error: Can't use --branch-any \(-b\) with --branch-filter \(-j\)\." -j any -b
refused "an empty filter in the list" full "unknown branch filter , check man page" -j any,,u
refused "an unknown filter" full \
	"unknown branch filter nay_call, check man page.*Did you mean any_call" -j nay_call
refused "a software event" full \
	"cpu-clock: PMU Hardware or event type doesn't support branch stack sampling.*-e cycles:u" \
	-e cpu-clock -b
refused "a filter beside call stacks" full 'refuses the branch filters 0x[0-9a-f]+ together' \
	-e cycles -j stack,any_ret,u
refused "an indirect-call filter with precise samples" full \
	"at precise level 2 this CPU takes only the filter 'any'.*Drop the p modifiers" \
	-e cycles:pp -j ind_call
refused "branches of other privilege levels with precise samples" full \
	"takes only the filter 'any' with the event's own privilege levels.*Drop the p modifiers" \
	-e cycles:ppu -j any,k
standin full -e cycles:ppu -j any,u -- sleep 0.1
is "branches of the event's levels with precise samples" "$?" 0
refused "a filter newer than the kernel" lbr4.14 'does not know the branch filter priv.*-j any,u opens' \
	-e cycles -j any,priv
mv sys/cpu/caps/branches sys/cpu/caps/branches.off
refused "a filter newer than the kernel, which says nothing of LBR" lbr4.14 \
	'does not know the branch filter priv' -e cycles -j any,priv
cpu GenuineIntel 6 ''
refused "a CPU without LBR" old 'this CPU has no last branch records \(LBR\).*record -b -- COMMAND' \
	-e cycles -b
cpu GenuineIntel 6 hypervisor
refused "a VM that hides LBR" old \
	'the hypervisor gives this virtual machine counters but no LBR.*metal' -e cycles -b
cpu AuthenticAMD 26 hypervisor
refused "a VM that hides Zen 5's LBR" old 'virtual machine counters but no LBR' -e cycles -b
cpu AuthenticAMD 23 ''
refused "AMD before Zen 3" old 'family 0x17\) records no taken branches.*Zen 4' -e cycles -b
cpu AuthenticAMD 25 brs
refused "Zen 3 on another event" zen3 'only for the event branch-brs, at a fixed period.*-c 1000037' \
	-e cycles -b
refused "Zen 3 with a filter" zen3 'only for the event branch-brs' \
	-e cpu/branch-brs/ -c 1000037 -j any_call
refused "Zen 3 with a frequency" zen3 'only for the event branch-brs' -e cpu/branch-brs/ -F 99 -b
standin zen3 -e cpu/branch-brs/ -c 1000037 -b -- sleep 0.1
is "Zen 3 as the message says" "$?" 0
"$PERF" report -D -i perf.data >dump 2>err
check "Zen 3: report -D shows what was logged" $CMP dump log dump

# Nobody's privileges.
cpu GenuineIntel 6 arch_lbr
mv sys/cpu/caps/branches.off sys/cpu/caps/branches
mkdir -p proc/sys/kernel proc/self
echo 2 >proc/sys/kernel/perf_event_paranoid
printf 'CapEff:\t0000000000000000\nSeccomp:\t0\n' >proc/self/status
STANDIN_PARANOID=2
export STANDIN_PARANOID
refused "the kernel's branches without privilege" full \
	'kernel need CAP_PERFMON or kernel.perf_event_paranoid <= 1 \(it is 2\).*-j any,u' \
	-e cycles:u -j any,k
standin full -e cycles:u -b -- sleep 0.1
is "one's own branches without privilege" "$?" 0
unset STANDIN_PARANOID

# No PMU at all: not even the event exists.
rm -rf sys/cpu proc/sys proc/self
cpu GenuineIntel 6 hypervisor
refused "a VM without PMU" nopmu 'no taken branches to record.*metal' -e cycles -b
done_testing
