# SPDX-License-Identifier: GPL-2.0-or-later
# run: first
# Programs that are hard to trace behave as if alone.
. "$(dirname "$0")/../lib.sh"
need_tracing
TRACEE=$O/tests/helpers/tracee
cd "$TMP" || exit 1

both() { # both NAME MODE...: regs, branches, bursts and all branches; output and status as without
	_name=$1
	shift
	timeout 120 "$TRACEE" "$@" >plain 2>&1
	_want=$?
	for _how in "--reg-source=ptrace --user-regs=ax,xmm --reg-budget 0 -F 2000" \
		"-b --branch-source=software --branch-span=0 --branch-budget 30 -F 2000" \
		"--branch-span=100 -b --branch-source=software --branch-budget 30 -F 2000" \
		"--branch-trace=500k"; do
		# shellcheck disable=SC2086
		timeout 120 "$PERF" record -q $_how -o r.data "$TRACEE" "$@" >traced 2>err
		_got=$?
		if [ $_got -eq $_want ] && cmp -s plain traced &&
			"$PERF" script -i r.data >/dev/null 2>script.err; then
			pass "$_name (${_how%%[= ]*})"
		else
			fail "$_name (${_how%%[= ]*})" "status $_got, wanted $_want" \
				"$(diff plain traced | head -5)" "$(head -5 err)" "$(head -2 script.err)"
		fi
	done
}
both "8 threads" threads
both "200 short children" forks
both "a chain of 20 execs" execs
both "a signal every millisecond" signals
both "SIGSTOP and SIGCONT" stop
both "all signals blocked" blocked
both "SIGTRAP used by the program" sigtrap
both "code that is rewritten while it runs" jit
both "vfork and exec" vfork
both "exec by a second thread" threadexec
both "epoll_wait never sees EINTR" eintr
both "nor does a socket with a timeout" recv
both "200 children at once" bomb
both "processes in the same memory" clonevm
both "a seccomp filter" seccomp
both "blocked signals stay blocked, and none of ours shows" mask
both "a handler for SIGURG gets the program's own, and no other" urgent
both "handlers for all our signals get the program's own, and no other" handlers
both "SIGURG waited for, likewise" sigwait

# a program with handlers for all of them, and threads that block every signal: registers and branches all the same
for how in "--reg-source=ptrace --user-regs=ax,ip --reg-budget 0 uregs" "-b --branch-source=software --branch-span=0 --branch-budget 0 brstack"; do
	field=${how##* } how=${how% *}
	for mode in mask handlers; do
		# shellcheck disable=SC2086
		"$PERF" record -q -g $how -F 500 -o b.data "$TRACEE" $mode >/dev/null 2>err
		"$PERF" script -i b.data -G -F ip,$field >b.txt
		n=$(grep -cE 'AX:0x|0x[0-9a-f]+/0x' b.txt) all=$(wc -l <b.txt)
		[ "$n" -ge 20 ] && [ $((n * 2)) -ge "$all" ] &&
			pass "$mode: $n of $all samples have their state (${how%%[= ]*})" ||
			fail "$mode: samples have their state (${how%%[= ]*})" "$n of $all" "$(cat err)"
	done
done
"$PERF" record -q --reg-source=ptrace --user-regs=ip --reg-budget 0 -F 500 -o b.data "$TRACEE" mask >/dev/null 2>err
# but for samples of the kernel, whose registers are those of user space
"$PERF" script -i b.data -F ip,uregs | awk 'length($1) < 16 {
	for (i = 2; i <= NF; i++) if ($i ~ /^IP:0x/ && substr($i, 6) != $1) bad++ }
	END { print bad + 0 }' >ips
is "and where a thread went on meanwhile, the sample is of where it was stopped" "$(cat ips)" 0

# A sample in vfork itself waits for its thread until the child has ended, and 2 rounds later it would
# be too late for every reader.
for how in "--reg-source=ptrace --user-regs=ax --reg-budget 0 -g" "-b --branch-source=software --branch-span=0 --branch-budget 0"; do
	# shellcheck disable=SC2086
	"$PERF" record -q $how -F 10000 -o b.data "$TRACEE" borrowed >out 2>err
	is "vfork: output and status (${how%%[= ]*})" "$? $(cat out)" "0 8"
	like "no sample comes too late for its round (${how%%[= ]*})" \
		"$("$O/tests/helpers/perfdata-walk" -o b.data)" ' late=0 backwards=0 '
	if [ -n "$PEER" ] && "$PEER" version >/dev/null 2>&1; then
		unlike "an installed perf finds none out of order (${how%%[= ]*})" \
			"$("$PEER" script -i b.data 2>&1 >/dev/null)" 'out of order|below last timeslice'
	fi
done

# what outlives the command is left alone, and the recording ends with the command: the daemon
# goes on until it finds daemon.end
rm -f daemon.txt daemon.end
timeout 60 "$PERF" record -q -b --branch-source=software -o r.data "$TRACEE" daemon >out 2>err
is "a daemon stays behind: the recording ends with the command" "$? $(cat out)" "0 parent"
: >daemon.end
wait_for test -e daemon.txt
is "and the daemon finishes" "$(cat daemon.txt 2>/dev/null)" 1903865e00a6f689

# a program that traces others finds them traced; with -i they are its own
timeout 60 "$PERF" record -q -b --branch-source=software -o r.data "$TRACEE" debugger >out 2>&1
like "a debugger under perf is told that its child is traced" "$(cat out)" 'Operation not permitted'
timeout 60 "$PERF" record -q -i -b --branch-source=software -o r.data "$TRACEE" debugger >out 2>&1
is "with -i it has its children for itself" "$? $(cat out)" "0 1 1"
if command -v strace >/dev/null; then
	timeout 60 strace -f -o /dev/null "$PERF" record -q -b --branch-source=software -o r.data true 2>err
	[ $? -ne 124 ] && pass "perf itself under strace -f ends" || fail "perf itself under strace -f ends"
fi
if command -v unshare >/dev/null && unshare -pf --mount-proc true 2>/dev/null; then
	timeout 60 "$PERF" record -q -b --branch-source=software --branch-span=0 --branch-budget 0 -F 500 -o r.data -- \
		unshare -pf --mount-proc "$TRACEE" work 10 >out 2>err
	is "a pid namespace: output and status" "$? $(cat out)" "0 $("$TRACEE" work 10)"
	n=$("$PERF" script -i r.data -F comm,ip,sym | grep -c 'tracee.*\(mix\|compute\)')
	[ "$n" -ge 10 ] && pass "and its samples have names" || fail "and its samples have names" "$n samples"
else
	skip "a pid namespace" "unshare -pf --mount-proc is not allowed here"
fi

check_status "the exit status is the program's" 7 \
	"$PERF" record -q -b --branch-source=software -o e.data sh -c 'exit 7'
"$PERF" record -q -b --branch-source=software -o e.data sh -c 'kill -TERM $$' 2>/dev/null
is "a deadly signal, too" $? 143

# 32-bit code: registers are recorded as 32-bit, branches say why not
cat >m32.c <<'E'
void _start(void)
{
	unsigned long n = 300000000;
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(n));
	for (;;) __asm__ volatile("int $0x80" : : "a"(1), "b"(3)); /* exit(3) */
}
E
cat >x32.c <<'E'
void _start(void)
{
	static const char *const argv[] = { "m64", 0 }, *const env[] = { 0 };
	for (;;) __asm__ volatile("int $0x80" : : "a"(11), "b"("./m64"), "c"(argv), "d"(env)); /* execve() */
}
E
cat >m64.c <<'E'
__attribute__((noinline)) void turn(void) { __asm__ volatile(""); }
void _start(void)
{
	for (int i = 0; i < 320000; i++) turn();
	for (;;) __asm__ volatile("syscall" : : "a"(231), "D"(0)); /* exit_group(0) */
}
E
if ${CC:-cc} -m32 -O1 -nostdlib -static -o m32 m32.c 2>/dev/null &&
	${CC:-cc} -m32 -O1 -fno-pic -no-pie -nostdlib -static -o x32 x32.c 2>/dev/null &&
	${CC:-cc} -O1 -nostdlib -static -o m64 m64.c 2>/dev/null; then
	./m32 2>err
	want=$?
	if [ $want = 3 ]; then
		"$PERF" record -b --branch-source=software -o m.data ./m32 2>err
		is "32-bit code runs as alone" $? $want
		like "and its empty stacks are explained" "$(cat err)" '32-bit code'
		"$PERF" record --branch-trace=3M -o m.data sh -c './m32; exit 4' 2>err
		is "so it does in a trace" $? 4
		like "which has a gap there" "$(cat err)" 'gaps: .*1 32-bit code'
		"$PERF" record --branch-trace=3M -o m.data sh -c './x32; exit 4' 2>err
		is "... up to where it executes another program" \
			"$? $("$PERF" script -i m.data -F comm,brstacksym 2>/dev/null |
				awk '/^ *m64 .*\/turn\+/ { n++ } END { print (n > 10000) }')" "4 1"
	else
		skip "32-bit code" "this kernel runs none: $(tr '\n' ' ' <err)"
	fi
else
	skip "32-bit code" "this compiler makes none"
fi

# one tracer only: under a debugger the recording is refused, with its name
"$TRACEE" work 100000 >/dev/null &
pid=$!
python3 - "$pid" "$PERF" >traced 2>&1 <<'E'
import ctypes, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace(0x4206, int(sys.argv[1]), 0, 0)  # PTRACE_SEIZE
p = subprocess.run([sys.argv[2], "record", "-b", "--branch-source=software", "-o", "d.data", "-p", sys.argv[1]],
                   capture_output=True, text=True, timeout=60)
print(p.returncode, p.stderr)
E
like "a process under a debugger is refused, the tracer named" "$(tr '\n' ' ' <traced)" \
	'^1 .*process [0-9]+ \(.*\) traces it already'

# attached and let go: the program runs on, stopped programs stay stopped
timeout 60 "$PERF" record -q -b --branch-source=software -o a.data -p $pid -- $(while_runs $pid 50) 2>err
if [ -s a.data ] && kill -0 $pid 2>/dev/null; then
	pass "-p with a command that says how long"
else
	fail "-p with a command that says how long" "$(cat err)"
fi
is "nobody traces it any more" "$(sed -n 's/^TracerPid:[[:space:]]*//p' /proc/$pid/status)" 0
n=$("$PERF" script -i a.data -F tid,time 2>/dev/null | sort -u | wc -l)
[ "$n" -ge 3 ] && pass "and it was sampled" || fail "and it was sampled" "$n samples"
kill -STOP $pid
wait_for is_in_state $pid T
timeout 60 "$PERF" record -q -b --branch-source=software -o a.data -p $pid -- sleep 0.2 2>err
# Let go, it wakes up only to enter its stop again: on a busy machine that takes a moment.
wait_for is_in_state $pid T
like "a stopped program stays stopped" "$(cat /proc/$pid/stat)" '\) T '
kill -KILL $pid
wait $pid 2>/dev/null

# one that waits in the kernel is not woken by whoever attaches and leaves
"$TRACEE" wait >out 2>&1 &
pid=$!
wait_for grep -q waiting out
timeout 60 "$PERF" record -q -b --branch-source=software -p $pid -o a.data -- sleep 0.3 2>err
timeout 60 "$PERF" xstate --pid $pid >/dev/null 2>&1
wait $pid
is "a program that waits in the kernel goes on waiting" "$? $(tr '\n' ' ' <out)" "0 waiting timeout "
done_testing
