# SPDX-License-Identifier: GPL-2.0-or-later
# What the kernel does otherwise with signals and threads that are traced stays as it is without.
. "$(dirname "$0")/../lib.sh"
need_tracing
PROGRAM=$O/tests/helpers/signalled
cd "$TMP" || exit 1
exec </dev/null

regs="--reg-source=ptrace --user-regs=ax"
soft="-b --branch-source=software"

samples() { # samples LEAST
	_n=$("$PERF" script -i r.data -F ip | wc -l)
	[ "$_n" -ge "$1" ] && echo enough || echo "$_n of $1"
}

same() { # same NAME PROGRAM MODE OPTION...: as alone
	_name=$1 _program=$2 _mode=$3
	shift 3
	timeout 60 "$PERF" record -q "$@" -o r.data "$_program" "$_mode" >out 2>err
	is "$_name" "$? $(cat out)" "0 $(cat alone.txt)"
}

# sigsuspend() and ppoll() block what they are told to for as long as they wait. A fault in them is sampled, our signal
# waits, blocked, and is taken out. With no bound on samples the first fault in new memory would be the only one.
"$PROGRAM" suspend >alone.txt
is "alone: as many are blocked behind the calls as before" "$?" 0
for budget in 20 0; do
	# shellcheck disable=SC2086
	same "what a program blocks outlives sigsuspend() and ppoll() (budget $budget)" "$PROGRAM" suspend \
		$regs --reg-budget $budget -e page-faults -c 1
done
# shellcheck disable=SC2086
same "so with branches" "$PROGRAM" suspend $soft --branch-span=0 --branch-budget 0 -e page-faults -c 1
is "and new memory is sampled to its end" "$(samples 30)" enough
# shellcheck disable=SC2086
same "a thread comes on though its stops are what is sampled" "$PROGRAM" suspend $regs --reg-budget 0 -e context-switches -c 1
is "and is sampled on" "$(samples 30)" enough
# A clock says nothing of where a thread comes to: one system call after the other looks the same.
# shellcheck disable=SC2086
"$PERF" record -q $regs --reg-budget 0 -e task-clock -c 1000000 -o r.data dd if=/dev/zero of=/dev/null bs=1M count=8000 2>err
is "and one that makes the same call for ever likewise" "$(samples 60)" enough

# A tracer is stopped for signals that are ignored. epoll_wait() ends for that, if nobody helps.
"$PROGRAM" ignored >alone.txt
# shellcheck disable=SC2086
same "signals that nobody handles end no call (registers)" "$PROGRAM" ignored $regs
# shellcheck disable=SC2086
same "signals that nobody handles end no call (bursts)" "$PROGRAM" ignored $soft
same "signals that nobody handles end no call (trace)" "$PROGRAM" ignored --branch-trace=100k
if [ "$(uname -m)" != x86_64 ]; then
	skip "nor a 32-bit one" "there is none on $(uname -m)"
elif ! "$PROGRAM" ignored32 >alone.txt 2>err; then
	skip "nor a 32-bit one" "this kernel knows none: $(tail -1 alone.txt err | tr '\n' ' ')"
else
	# shellcheck disable=SC2086
	same "nor a 32-bit one" "$PROGRAM" ignored32 $regs
fi

# /proc shows a first thread that has ended until all have
"$PROGRAM" alone >alone.txt &
wait_for grep -q second alone.txt
# shellcheck disable=SC2086
timeout -k 5 60 "$PERF" record $soft -o a.data -p $! >out 2>err
is "-p of a process whose first thread has ended" "$?" 0
"$PERF" script -i a.data -F brstack >a.txt
[ "$(grep -c 0x a.txt)" -ge 10 ] && pass "has the branches of the others" ||
	fail "has the branches of the others" "$(grep -c 0x a.txt)" "$(cat err)"
wait
is "and the program ends as it does alone" "$(tail -1 alone.txt)" done

# Where a call that a stop ends is not entered again, who sleeps in one is not stopped to be let go.
mkfifo go
sleeper() { # sleeper SECONDS WORD... -- OPTION...: recorded until it sleeps again, by a perf with these in its environment
	_seconds=$1 _env=
	shift
	while [ "$1" != -- ]; do
		_env="$_env $1"
		shift
	done
	shift
	: >out
	"$PROGRAM" sleeps "$_seconds" <go >out &
	pid=$!
	exec 3>go
	wait_for grep -q sleeps out
	# shellcheck disable=SC2086
	timeout -k 5 60 env PERF_TRACER_WITHOUT=kernel $_env "$PERF" record -v "$@" -o s.data -p $pid -- \
		sh -c 'until grep -q again out && grep -q "^State:.S" /proc/'$pid'/status; do sleep 0.05; done' >/dev/null 2>err 3>&- &
	perf=$!
	wait_for grep -q 'TracerPid:.*[1-9]' /proc/$pid/status
	printf 1 >&3
}
for how in "$soft" "--branch-trace" "$regs"; do
	# shellcheck disable=SC2086
	sleeper 0.3 -- $how
	wait $perf
	like "it sleeps on ($how)" "$(cat err)" "thread $pid sleeps: it is let go where it stops next"
	is "and perf says so once" "$(grep -c "$pid sleeps" err)" 1
	is "and nobody traces it any more" "$(awk '/TracerPid/ { print $2 }' /proc/$pid/status)" 0
	printf 2 >&3
	exec 3>&-
	wait $pid
	is "and the call ends as it does alone" "$? $(tail -n +3 out | tr '\n' ' ')" "0 1 ready forked "
	[ "$how" = --branch-trace ] || unlike "and its time counts" "$(grep 'stood still' err || echo nothing)" 'nothing|still 0\.0 %'
	# With an end that takes long it need not wait for that.
	# shellcheck disable=SC2086
	sleeper 0 LD_PRELOAD=$O/tests/helpers/odd-machine.so ODD_WRITE=3000 -- $how
	wait_for grep -q "$pid sleeps" err
	printf 2 >&3
	exec 3>&-
	wait $pid
	is "waked up while perf is at its end it goes on" "$? $(tail -n +3 out | tr '\n' ' ')" "0 1 ready forked "
	kill -0 $perf && ! grep -q 'Captured and wrote' err && pass "and did not wait for that" || fail "and did not wait for that" "$(cat err)"
	wait $perf
	is "perf ends well ($how)" "$?" 0
	"$PERF" script -i s.data >/dev/null 2>err
	is "and the file is whole" "$? $(cat err)" "0 "
done

# exec by a thread while the first one stands: the kernel ends that one, and tells of the exec in its place
# shellcheck disable=SC2086
timeout 60 "$PERF" record -v $soft --branch-span=0 --branch-budget 80 -F 1000 -o e.data "$PROGRAM" exec 12 >out 2>err
is "12 execs by second threads" "$? $(cat out)" "0 last"
"$PERF" script -i e.data --show-task-events -F pid,time,event | awk '/COMM exec/ { n = 0 } !/COMM|FORK|EXIT/ { n++ } END { print n + 0 }' >n
[ "$(cat n)" -ge 20 ] && pass "and what comes last has samples" || fail "and what comes last has samples" "$(cat n)" "$(tail -5 err)"
unlike "nobody was lost" "$(cat err)" 'ended unseen|stood unseen'
done_testing
