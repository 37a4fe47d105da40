# SPDX-License-Identifier: GPL-2.0-or-later
# run: first
# Short programs that everybody has, recorded in every way: none hangs, and output and status are as alone. Each takes each way
# PROGRAM_ROUNDS times, once if nothing is said; ten are more than a thousand recordings.
. "$(dirname "$0")/../lib.sh"
need_tracing
TRACEE=$O/tests/helpers/tracee
cd "$TMP" || exit 1
seq 1 20000 >nums
# Go's runtime takes seconds to build: once, below $O
cat >hello.go <<'E'
package main

import "syscall"

func main() {
	c := make(chan int)
	for i := 0; i < 4; i++ {
		go func(n int) { c <- n * n }(i)
	}
	if <-c+<-c+<-c+<-c == 14 {
		syscall.Write(1, []byte("hello\n"))
	}
}
E
if command -v go >/dev/null; then
	GOCACHE=$O/go GOFLAGS=-trimpath go build -o hello hello.go 2>err || diag "$(head -3 err)"
fi

# program STATUS command...: as it is alone, in every way
program() {
	_want=$1 _bad='' _runs=0
	shift
	_name=$(echo "$*" | sed "s|$O/tests/helpers/||" | tr '\n' ' ' | cut -c1-60)
	command -v "$1" >/dev/null || {
		skip "$_name" "$1 is not here"
		return
	}
	timeout 60 "$@" </dev/null >want 2>want.err
	is "$_name: its status" $? "$_want"
	for _round in $(seq "${PROGRAM_ROUNDS:-1}"); do
		while read -r _how; do
			# shellcheck disable=SC2086
			timeout -k 5 60 "$PERF" record -q $_how -o p.data -- "$@" </dev/null >out 2>err
			_got=$? _runs=$((_runs + 1))
			[ $_got -eq "$_want" ] && cmp -s want out && "$PERF" script -i p.data >script 2>script.err &&
				continue
			_bad="$_bad $_how: status $_got; $(cmp want out 2>&1) $(tail -2 err) $(head -2 script.err)"
			break 2
		done <hows
	done
	is "... and as alone, recorded $_runs times" "$_bad" ""
}
cat >hows <<'E'
-b --branch-source=software --branch-span=0
-b --branch-source=software --branch-span=0 --branch-budget 0 -F 4000
-b --branch-source=software --branch-span=50
-b --branch-source=software --branch-strategy=step -F 2000
-b --branch-source=software --call-graph dwarf
--branch-source=software --call-graph lbr
--branch-trace=1M
--reg-source=ptrace --user-regs=ax,xmm -F 4000
E

program 0 true
program 1 false
program 0 ls -l /usr/lib
program 3 sh -c 'for i in 1 2 3 4 5 6 7 8; do echo $i | cat; done; (exit 3)'
program 143 sh -c 'kill -TERM $$'
program 0 sh -c 'trap "echo caught" USR1; for i in 1 2 3; do kill -USR1 $$; done; sleep 0.05 & wait'
program 4 perl -e 'my %h; $h{$_ % 7} += $_ for 1 .. 20000; print "$h{5}\n"; exit 4'
program 0 python3 -S -c 'import threading
r = []
t = [threading.Thread(target=lambda n=n: r.append(sum(range(n * 1000)))) for n in range(8)]
[x.start() for x in t]
[x.join() for x in t]
print(sorted(r))'
program 0 lua5.4 -e 'local t = {} for i = 1, 50000 do t[i % 10] = (t[i % 10] or 0) + i end print(t[5])'
program 0 gzip -c nums
program 0 sort -rn --parallel=2 -S 100K nums
program 0 awk '{ s += $1 } END { print s }' nums
program 0 ./hello
program 0 "$TRACEE" threads
program 0 "$TRACEE" signals
program 0 "$TRACEE" vfork
done_testing
