#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record where the kernel says no: each of the usual causes, on this kernel where it can be
# had, else by the stand-in. (Every message: tests/unit/test-events-explain.c. As an ordinary user,
# with the limits of descriptors and locked memory: record-user.sh.)
. "$(dirname "$0")/../lib.sh"
need_root
need_events
SO=$O/tests/standin/standin.so
SANDBOX=$O/tests/helpers/sandbox
cd "$TMP" || exit 1

# refused NAME ERE ERE(hint) command...: exit 1, both texts, no file
refused() {
	name=$1 what=$2 hint=$3
	shift 3
	out=$("$@" 2>&1)
	is "$name: fails" $? 1
	like "$name: the cause" "$out" "$what"
	like "$name: the next step" "$out" "$hint"
	check "$name: no file" test ! -e no.data
}
standin() { # PROFILE record options...
	profile=$1
	shift
	STANDIN=$profile LD_PRELOAD=$SO "$PERF" record -o no.data "$@" true
}

# --- the first field of the attr that is refused
refused "frames of a chain" "sample_max_stack: 60000 frames are more" "perf_event_max_stack=60000" "$PERF" record -o no.data -g -e cpu-clock/max-stack=60000/ true
refused "not an event" 'config 0x7777 of type 1 is not an event' 'perf list' "$PERF" record -o no.data -e software/config=0x7777/ true

# --- no PMU in this VM
if grep -q '^flags.* hypervisor' /proc/cpuinfo && [ ! -e /sys/bus/event_source/devices/cpu ] && ! has_cycles; then
	refused "no PMU here" 'this virtual machine has no PMU' 'cpu-clock' "$PERF" record -o no.data --no-fallback -e cycles true
else
	skip "no PMU here" "this is no virtual machine without a PMU"
fi

# --- seccomp
if [ -x "$SANDBOX" ] && "$SANDBOX" 1 true; then
	refused "seccomp, EPERM" 'refused with EPERM by a seccomp filter' 'cap-add PERFMON' "$SANDBOX" 1 "$PERF" record -o no.data -e cpu-clock true
	like "seccomp: no register can be had" "$("$SANDBOX" 1 "$PERF" record '--intr-regs=?' 2>&1)" \
		'^available registers: none \(-v says why\)$'
	refused "seccomp, ENOSYS" 'answered with ENOSYS by a seccomp filter' 'seccomp profile' "$SANDBOX" 38 "$PERF" record -o no.data -e cpu-clock true
else
	skip "seccomp" "no filter can be set here"
fi

# --- paranoid, and what older kernels do not know
if [ -e "$SO" ] && [ "$(uname -m)" = x86_64 ]; then
	mkdir -p proc/self proc/sys/kernel
	sed 's/^CapEff:.*/CapEff:	0000000000000000/' /proc/self/status >proc/self/status
	STANDIN_PROC=$TMP/proc
	export STANDIN_PROC
	for level in 4 3 2 1; do
		echo $level >proc/sys/kernel/perf_event_paranoid
		STANDIN_PARANOID=$level
		export STANDIN_PARANOID
		case $level in
		4) refused "paranoid 4, nothing named" 'only privileged users open events' 'perf_event_paranoid=2' standin full
			unlike "paranoid 4: nothing is promised that then is refused" "$out" 'recording user space' ;;
		3) refused "paranoid 3" 'only privileged users open events' 'perf_event_paranoid=2' standin full -e cycles:u ;;
		2) refused "paranoid 2" 'sampling the kernel needs CAP_PERFMON' 'cycles:u' standin full -e cycles:k ;;
		1) refused "paranoid 1, all CPUs" 'watching all processes' 'perf_event_paranoid=0' standin full -a -e cycles:u ;;
		esac
	done
	# To a kernel without patches 3 and 4 are 2.
	STANDIN_MAINLINE=1
	export STANDIN_MAINLINE
	for level in 2 3 4; do
		echo $level >proc/sys/kernel/perf_event_paranoid
		STANDIN_PARANOID=$level
		out=$(STANDIN=full LD_PRELOAD=$SO "$PERF" record -o user.data sleep 0.1 2>&1)
		is "paranoid $level, mainline: recorded" $? 0
		like "paranoid $level, mainline: user space" "$out" "perf_event_paranoid is $level: recording user space only"
		is "paranoid $level, mainline: the file says so" "$("$PERF" evlist -i user.data)" cycles:Pu
		refused "paranoid $level, mainline, the kernel" 'sampling the kernel needs CAP_PERFMON' 'cycles:u' standin full -e cycles:k
		refused "paranoid $level, mainline, --all-kernel" 'sampling the kernel needs CAP_PERFMON' 'cycles:u' standin full -e cycles --all-kernel
		refused "paranoid $level, mainline, all CPUs" 'watching all processes' 'perf_event_paranoid=0' standin full -a -e cycles
	done
	refused "paranoid 4, mainline, no PMU" 'no PMU' '-e cpu-clock' standin nopmu --no-fallback
	unlike "nothing is said to be recorded that is refused" "$out" 'recording user space only'
	unset STANDIN_PROC STANDIN_PARANOID STANDIN_MAINLINE
	refused "a branch filter that the kernel does not know" 'does not know the branch filter priv' '-j any,u opens' standin lbr4.14 -e cycles -j any,u,priv

	# --- registers: who has them with which events
	refused "PEBS with XMM only" 'precise events of this CPU \(PEBS\) cannot sample all' '^Drop the p modifiers: -e branches$' standin pebs-xmm -e branches:p -Izmm
	check_status "and without p they are had" 0 env STANDIN=pebs-xmm LD_PRELOAD="$SO" "$PERF" record -o r.data -e branches -Izmm true
	refused "XMM by PEBS only" 'samples XMM registers only with precise events' '^Add the p modifier: -e branches:p$' standin legacy -e branches -Ixmm
	check_status "and with p they are had" 0 env STANDIN=legacy LD_PRELOAD="$SO" "$PERF" record -o r.data -e branches:p -Ixmm true
	refused "a clock has no R16" '^cpu-clock: -I: no software event can give the registers R16$' '-e cycles' standin full -e cpu-clock -Iax,r16
	refused "a clock has no SSP" '^cpu-clock: -I: no software event can give the registers SSP$' '-e cycles' standin full -e cpu-clock -Issp
	refused "a clock has none for user space" 'no software event can give the registers R16 SSP$' 'reg-source=ptrace' standin full -e cpu-clock --user-regs=r16,ssp
	check_status "without a list it gives what it has" 0 env STANDIN=full LD_PRELOAD="$SO" "$PERF" record -o r.data -e cpu-clock -I true
	STANDIN=full LD_PRELOAD=$SO "$PERF" record -q -o r.data -e cycles -Iax true
	like "plain registers need no new attr" "$("$PERF" evlist -v -i r.data)" 'size: (104|112|120|128|136),'
	out=$(STANDIN=old LD_PRELOAD=$SO "$PERF" record -o no.data -Ixmm true 2>&1)
	like "-I names who has the registers" "$out" '^By ptrace, of a command or a process: perf record --user-regs=xmm -- COMMAND$'
	if grep -q '^flags.* apx' /proc/cpuinfo; then
		skip "the register that nobody has is to blame" "this CPU has APX"
	else
		like "the register that nobody has is to blame" "$(STANDIN=old LD_PRELOAD=$SO "$PERF" record -o no.data --user-regs=xmm,r16 true 2>&1)" '^"r16" cannot be sampled here: this CPU has no APX state'
	fi
	refused "LBR call stacks without LBR" 'branch records|LBR' '^Call chains without branch records: --call-graph dwarf' standin old --no-fallback -e cycles --call-graph lbr

	refused "no such hardware" 'PMU' 'cpu-clock' standin nopmu --no-fallback -e cycles
else
	skip "paranoid levels" "the stand-in stands for an x86-64 kernel"
fi

# --- limits
refused "locked memory of all" 'cannot map .* rings' '-m ' "$PERF" record -o no.data -e cpu-clock -a -m 1T true
done_testing
