# SPDX-License-Identifier: GPL-2.0-or-later
# run: first
# Each way to follow branches in software, forced by --branch-strategy: the same edges for a known
# program, possible edges for a real one, and programs that are in the way of single steps.
. "$(dirname "$0")/../lib.sh"
need_x86
need_cmd python3 objdump readelf
CHECK=$ROOT/tests/helpers/check-edges.py
TRACEE=$O/tests/helpers/tracee
cd "$TMP" || exit 1
"$PERF" record -v -b --branch-source=software -o probe.data true >/dev/null 2>err ||
	skip_all "cannot follow branches here: $(head -2 err | tr '\n' ' ')"
like "-v says what the machine can do" "$(cat err)" \
	'branches: computed with.* breakpoints: (yes|no, .*); single steps: (yes|no); block steps: (yes|no).*[0-9]+ stops over 34 instructions with 2 branches'
# Named strategies that this machine has; "auto" goes on with less where one is missing, so it is
# tried without breakpoints, too: "auto-hits" where they open and do not fire.
unset have
grep -q 'breakpoints: yes' err && have=breakpoint
grep -q 'single steps: yes' err && have="$have step block"
[ "$have" = "breakpoint step block" ] || skip "all strategies" "this machine has only: $have"

soft() { # soft STRATEGY[-WITHOUT] FILE options and command...
	_how=${1%%-*} _file=$2 _without=
	case $1 in *-*) _without=${1#*-} ;; esac
	shift 2
	PERF_TRACER_WITHOUT=$PERF_TRACER_WITHOUT,$_without timeout 120 "$PERF" record -b --branch-source=software --branch-span=0 --branch-strategy="$_how" --branch-budget 0 \
		-o "$_file" "$@"
}

cat >want.txt <<'E2'
brstack brstack UNCOND
brstack brstack_bench CALL
brstack_bar brstack_bench RET
brstack_bar brstack_foo RET
brstack_bench brstack RET
brstack_bench brstack_bar CALL
brstack_bench brstack_bench COND
brstack_bench brstack_foo CALL
brstack_bench brstack_foo IND_CALL
brstack_foo brstack_bar CALL
brstack_foo brstack_bench RET
E2
seq 1 60000 | awk '{ print ($1 * 7919) % 60013 }' >nums
sort -n nums >plain
for how in interpret auto-hits auto-breakpoints $have; do
	soft $how $how.data -F 400 -- "$PERF" test -w brstack 9000000 >/dev/null 2>err
	"$PERF" script -i $how.data -F brstacksym | tr ' ' '\n' | grep -E '^brstack[^/]*/brstack' |
		sed -E 's,^(brstack[a-z_]*)\+[^/]*/(brstack[a-z_]*)\+.*/([A-Z_]+)(/.*)?$,\1 \2 \3,' |
		sed '/^brstack brstack COND$/d' | sort -u >got.txt # a loop as some compilers write it
	same_file "$how: the known edges and no others" got.txt want.txt
	like "$how: the end report says how" "$(cat err)" 'stacks of (3[0-2]|2[0-9])\.[0-9] branches, (computed with(out)?|by) '
	like "$how: and the file" "$("$PERF" evlist -i $how.data)" 'followed from the overflow on, (computed with(out)?|by) '
	unlike "$how: no stack was dropped" "$(cat err)" '[1-9][0-9]* of them dropped'
	soft $how r.data -F 500 -- sort --parallel=1 -n nums >out 2>err
	same_file "$how: sort has its output" out plain
	if "$PERF" script -i r.data -F ip,brstack --show-mmap-events 2>/dev/null |
		python3 "$CHECK" >edges.out 2>&1; then
		pass "$how: every edge of sort is possible ($(tail -1 edges.out))"
	else
		fail "$how: every edge of sort is possible" "$(cat edges.out)"
	fi
done

case $have in
*block)
	# single steps in place of block steps stop behind each round of a move: none is lost
	soft block m.data -F 200 -- "$TRACEE" rounds >out 2>err
	like "block: a move of 4000 rounds drops no stack" "$(cat err)" 'stacks of .* 0 of them dropped'
	;;
esac
# the trap flag of a step must not be seen by the program, nor stay with it
for how in auto auto-hits $have; do
	soft $how f.data -F 100 -- "$TRACEE" flags >out 2>err
	is "$how: a program that reads and writes its flags sees no step" "$? $(cat out)" "0 0"
done
# conditional branches that no flag decides
for how in auto interpret auto-hits $have; do
	soft $how l.data -F 1000 -- "$TRACEE" loops >out 2>err
	if "$PERF" script -i l.data -F ip,brstack --show-mmap-events 2>/dev/null |
		python3 "$CHECK" >edges.out 2>&1; then
		pass "$how: loop and jrcxz are branches where they are taken"
	else
		fail "$how: loop and jrcxz are branches where they are taken" "$(cat edges.out)"
	fi
done
# code that cannot be read, and an instruction that the disassembler does not know
"$TRACEE" odd >plain
for how in auto interpret auto-hits ${have#breakpoint}; do
	soft $how o.data -F 500 -- "$TRACEE" odd >out 2>err
	is "$how: odd code runs as alone" "$? $(cat out)" "0 $(cat plain)"
	# of four stacks, those that pass the odd instruction; the program's start may have some
	n=$("$PERF" script -i o.data -F brstack | awk 'NF >= 20 { n++ } END { print int(n * 4 / NR) }')
	case $how in
	step | block)
		[ "$n" -ge 2 ] && pass "$how: a step leads over it" ||
			fail "$how: a step leads over it" "$n of four" "$(cat err)"
		;;
	*)
		like "$how: its stacks end there, and the report says why" "$n $(tail -1 err)" \
			'^[01] .*stacks with fewer entries: .*[0-9]+ exception'
		;;
	esac
done
# A step over CPUID may pass over the instruction behind it, too: here three in five branches stand there.
case $have in *step*) set -- step step-cpuid-steps block block-cpuid-steps ;; *) set -- ;; esac
for how; do
	soft $how c.data -F 500 -- "$TRACEE" cpuids >out 2>err
	"$PERF" script -i c.data -F ip,brstack --show-mmap-events 2>/dev/null >c.txt
	if python3 "$CHECK" <c.txt >edges.out 2>&1; then
		pass "$how: branches behind CPUID are possible edges"
	else
		fail "$how: branches behind CPUID are possible edges" "$(cat edges.out)"
	fi
	# five edges of a round take turns: 6 or 7 of each are in a stack
	is "$how: and none of them is lost" "$(awk '/0x/ { for (i = 1; i <= NF; i++)
		if (split($i, f, "/") > 2 && NF > 25) n[f[1]]++ }
		END { for (a in n) if (n[a] > m) m = n[a]
			for (a in n) k += n[a] * 4 > m * 3
			print k + 0 }' c.txt)" 5
done
# nothing is stepped that was not asked for, and what cannot be done is refused
for how in auto auto-hits auto-breakpoints auto-hits,steps; do
	soft $how n.data -F 500 -- "$TRACEE" loops >out 2>err
	like "$how: no single step" "$? $(tr '\n' ' ' <err)" '^0 .*\(0 single steps\)'
done
for how in breakpoint-hits breakpoint-breakpoints step-steps block-steps; do
	check_status "$how: refused" 1 soft $how n.data true
	like "$how: with the reason" "$(cat check.out)" \
		"strategy=${how%-*}: (hardware breakpoints (open here and do not fire|are refused here)|single steps do not work here)"
done
case $have in
*step*)
	# a step would change what the program does with SIGTRAP: it is not taken
	soft step b.data -F 200 -- "$TRACEE" ignored >out 2>err
	is "a program that ignores SIGTRAP still does" "$? $(cat out)" "0 ignored"
	like "and the report says that nothing was stepped" "$(cat err)" \
		'stacks with fewer entries: .*[0-9]+ signals blocked'
	soft step s.data -F 200 -- "$TRACEE" sigtrap >out 2>err
	is "a program with a handler for SIGTRAP gets its own" "$? $(cat out)" "0 $("$TRACEE" sigtrap)"
	;;
esac
check_status "a strategy that does not exist" 129 \
	"$PERF" record -b --branch-source=software --branch-strategy=magic -o x.data true
like "is named, with those that do" "$(cat check.out)" 'auto, interpret, breakpoint, block or step'
done_testing
