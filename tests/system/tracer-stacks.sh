#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Call stacks unwound while the thread stands still, against programs whose stacks are known: code
# without frame pointers, without rules, of a JIT, under a signal, in the vdso, and very deep.
. "$(dirname "$0")/../lib.sh"
need_x86
need_tracing
need_cmd awk
STACKS=$O/tests/helpers/stacks
[ -x "$STACKS" ] || skip_all "the programs were not built"
"$PERF" check feature -q libdw 2>/dev/null || skip_all "perf was built without libdw"
cd "$TMP" || exit 1

record() { # record PROGRAM ARGS...: into x.data
	_program=$1
	shift
	# shellcheck disable=SC2086
	"$PERF" record -F 999 --reg-budget 0 --branch-budget 0 "$@" -o x.data -- "$STACKS" $_program \
		>out 2>err
}
# The user part of each sample's chain in one line, less what the C library has around main. (Where it is stripped that has
# no name.)
chains() {
	"$PERF" script -i x.data -F ip,sym,dso "$@" 2>/dev/null | awk '
		/kernel/ { next }
		NF { s = s (s == "" ? "" : " ") ($2 == "[unknown]" ? "?" : $2); next }
		s != "" { print s; s = "" } END { if (s != "") print s }' | sed 's/ __libc_start.*//; s/ main ?.*/ main/'
}
# Of the samples in @1's own code, 9 of 10 at least have just this chain.
mostly() { # mostly NAME INNERMOST CHAIN
	chains >chains.txt
	share=$(awk -v in_="$2" -v want="$3" '
		$1 == in_ { n++; good += $0 == want } END { print (n >= 20 && good >= 0.9 * n) }' chains.txt 2>&1)
	if [ "$share" = 1 ]; then
		pass "$1"
	else
		fail "$1" "$(sort chains.txt | uniq -c | sort -rn | head -4)" "$(head -3 err)"
	fi
}

record bare --call-graph unwind || skip_all "cannot stop threads here: $(head -2 err | tr '\n' ' ')"
is "the program ran to its end" "$(cat out)" bare
attr=$("$PERF" evlist -v -i x.data | head -1)
like "an ordinary chain" "$attr" 'CALLCHAIN'
unlike "without copies of registers and stacks" "$attr" 'STACK_USER|REGS_USER'

record 'deep 6' --call-graph unwind
mostly "calls without frame pointers" spin "spin down down down down down down down main"
record signal --call-graph unwind
chains | sed 's/__pthread_kill_implementation //; s/ raise / /; s/ pthread_kill[^ ]*//' >chains.txt
like "through a signal's frame" "$(sort chains.txt | uniq -c | sort -rn | head -1)" \
	'spin handler [^ ]* .*interrupted main$'
record jit --call-graph unwind
mostly "through code of a JIT" spin "spin called_back ? runs_jit main"
record vdso --call-graph unwind
like "out of the vdso" "$(chains | sort | uniq -c | sort -rn | head -3)" \
	'clock_gettime[^ ]* asks main'

# What no rule tells, its own return does; where branches are followed, from wherever they led to.
record bare --call-graph lbr
mostly "code without rules, --call-graph lbr" bare "bare calls_bare main"
like "which says what it costs" "$(cat err)" 'call stacks by ptrace: .*--reg-budget'
for options in '-b --call-graph dwarf' '-b -g' '-b --call-graph lbr' '-b --user-regs=ax -g'; do
	# shellcheck disable=SC2086
	record bare --branch-source=software $options
	mostly "code without rules, $options" bare "bare calls_bare main"
done
# shellcheck disable=SC2086
record 'deep 6' --branch-source=software -b --call-graph dwarf
mostly "where the branches end" spin "spin down down down down down down down main"
unlike "no copies there either" "$("$PERF" evlist -v -i x.data)" 'STACK_USER'
# Where they cannot be unwound there, they are from what is copied there.
export PERF_TRACER_WITHOUT=kernel
record 'deep 6' --branch-source=software -b --call-graph dwarf
mostly "and where only copies can be had" spin "spin down down down down down down down main"
is "whose registers are of the sample's place" "$("$PERF" script -i x.data -F ip,uregs | awk '
	NF == 1 && !ip { ip = $1 } /ABI:/ { n++; bad += !index($0, "IP:0x" ip " "); ip = "" } END { print (n >= 20), bad + 0 }')" "1 0"
for options in --branch-trace '-b --branch-source=software --branch-span=50'; do
	# shellcheck disable=SC2086
	"$PERF" record $options --call-graph dwarf -o no.data true >out 2>err
	is "not with $options" "$? $(grep -c -e '--call-graph dwarf' err)" "129 1"
done
unset PERF_TRACER_WITHOUT
record 'deep 3' --user-regs=ax --reg-source=ptrace --call-graph dwarf
mostly "with registers by ptrace" spin "spin down down down down main"
like "and the registers" "$("$PERF" script -i x.data -F uregs | head -1)" 'AX:'
record bare --branch-source=software -b --call-graph fp
unlike "frame pointers where they are asked for by name" "$(chains)" 'bare calls_bare main'
for options in '-b --branch-source=software -g' '-b --branch-source=software --call-graph unwind' \
	'--user-regs=ax --reg-source=ptrace -g' '--call-graph unwind'; do
	# shellcheck disable=SC2086
	record bare $options --kernel-callchains
	is "no user part with --kernel-callchains, $options" "$("$PERF" report -D -i x.data | grep -c 'FP chain: nr:0$' | awk '{
		print $1 >= 20 }') $("$PERF" script -i x.data -F ip,sym | grep -cw 'bare\|main')" "1 0"
done

# Deep recursion: as many frames as asked for, whatever lies behind them.
(
	ulimit -s unlimited 2>/dev/null || ulimit -s "$(ulimit -H -s)"
	record 'deep 100000' --call-graph unwind,300
)
if [ "$(cat out)" = deep ]; then
	is "100,000 frames: as many as asked for" "$(chains --max-stack 10000 | grep -c '^spin')" \
		"$(chains --max-stack 10000 | grep '^spin' | awk 'NF == 300' | wc -l)"
	check "some of them" test "$(chains --max-stack 10000 | grep -c '^spin')" -ge 10
else
	skip "100,000 frames" "the stack may not grow so far"
fi

refused() { # refused NAME ERE ARGS...
	_name=$1 _ere=$2
	shift 2
	"$PERF" record -o no.data "$@" true >out 2>err
	[ $? -ne 0 ] && tr '\n' ' ' <err | grep -Eq -e "$_ere" && [ ! -e no.data ]
	check "refused: $_name" test $? = 0
}
refused "the whole machine" 'call stacks by ptrace need programs that can be stopped: not with -a' -a --call-graph unwind
refused "a depth that is none" 'a stack has 1 to 7000 frames' --call-graph unwind,0
refused "too deep" 'a stack has 1 to 7000 frames' --call-graph unwind,7001
refused "a group" 'a group cannot be sampled with call stacks by ptrace' --call-graph unwind -e '{task-clock,cpu-clock}'

# What other perfs make of it: the program's own functions; the names that it has for the loader's are its own.
if [ -n "$PEER" ]; then
	record 'deep 6' --call-graph unwind
	own() {
		"$@" script -i x.data -F ip,sym --no-inline 2>/dev/null | awk '$2 ~ /^(spin|down|main)$/ { print $2 }'
	}
	own "$PEER" >theirs
	own "$PERF" >ours
	check "there are chains" test -s ours
	is "the installed perf reads the same chains" "$(diff theirs ours | head -4)" ""
else
	skip "the installed perf reads the same chains" "no perf is installed"
fi
done_testing
