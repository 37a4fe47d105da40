# SPDX-License-Identifier: GPL-2.0-or-later
# run: first
# A recorder that is killed at any moment: programs outlive it, and nothing of it is left behind.
. "$(dirname "$0")/../lib.sh"
need_tracing
need_cmd pgrep
TRACEE=$O/tests/helpers/tracee
cd "$TMP" || exit 1

# kill -9 of the recorder at random moments: the program finishes with the right output, also where
# its threads are stepped; six that the recorder started take turns with six that it attached to. KILL_ROUNDS=200: so many
want=$("$TRACEE" work 2)
rounds=${KILL_ROUNDS:-40}
sleep 60 &
sleeper=$! attaches=1
timeout -k 5 30 "$PERF" record -q -b --branch-source=software -o probe.data -p $sleeper -- true 2>err || {
	attaches=0
	skip "kills of a recorder that attached" "it may not attach here: $(head -2 err | tr '\n' ' ')"
}
kill $sleeper
wait $sleeper 2>/dev/null
bad=0 killed=0
for i in $(seq "$rounds"); do
	case $((i % 6)) in
	2) how="-b --branch-source=software --branch-span=100 --branch-budget 80" ;;
	3) how="--branch-trace=3M" ;;
	1) how="-b --branch-source=software --branch-strategy=step --branch-budget 80" ;;
	0) how="--reg-source=ptrace --user-regs=ax,xmm --reg-budget 0" ;;
	*) how="-b --branch-source=software --branch-span=0 --branch-budget 80" ;;
	esac
	rm -f o.txt o.tmp started
	# the program writes its status itself: its parent will be gone
	work=": >started; $TRACEE work 2 >o.tmp; echo \$? >>o.tmp; mv o.tmp o.txt"
	# shellcheck disable=SC2086
	if [ $attaches = 0 ] || [ $((i / 6 % 2)) = 0 ]; then
		"$PERF" record -q $how -F 5000 -o "$TMP/k.data" -- sh -c "$work" 2>/dev/null &
		rec=$!
	else
		# it begins when perf has it, and ends where perf is refused
		sh -c "until grep -q 'TracerPid:[[:space:]]*[1-9]' /proc/\$\$/status; do [ -e '$TMP' ] || exit; done; $work" 2>/dev/null &
		"$PERF" record -q $how -F 5000 -o "$TMP/k.data" -p $! 2>/dev/null &
		rec=$!
	fi
	for t in $(seq 3000); do [ -e started ] && break; sleep 0.01; done
	sleep "0.$(printf %03d $((1 + (i * 37) % 180)))"
	kill -9 $rec 2>/dev/null && killed=$((killed + 1))
	wait $rec 2>/dev/null
	for t in $(seq 600); do [ -e o.txt ] && break; sleep 0.05; done
	[ "$(cat o.txt 2>/dev/null)" = "$want
0" ] || bad=$((bad + 1))
done
is "$rounds kills of the recorder ($killed while it ran): programs that came to harm" "$bad" 0
# and at moments when it still looks at the machine, with a child of its own
for i in $(seq 60); do
	"$PERF" record -q -b --branch-source=software -o "$TMP/k.data" true 2>/dev/null &
	rec=$!
	sleep "0.$(printf %03d $((i % 40)))"
	kill -9 $rec 2>/dev/null
	wait $rec 2>/dev/null
done
nobody_is_left() {
	! pgrep -f "record .*$TMP/k.data"
}
check "no process of the recorder's is left behind" wait_for nobody_is_left
# what its guard is told by a signal or tells by its status is the recorder's
check_status "stepped: the exit status is the program's" 7 \
	"$PERF" record -q -b --branch-source=software --branch-strategy=step -o e.data sh -c 'exit 7'
"$PERF" record -b --branch-source=software --branch-strategy=step -o e.data \
	sh -c 'echo $$ >s.tmp; mv s.tmp s.pid; exec sleep 100' 2>err &
rec=$!
wait_for test -e s.pid
kill -TERM $rec
wait $rec
is "stepped: SIGTERM ends the recording and its command" \
	"$? $(kill -0 "$(cat s.pid)" 2>/dev/null && echo alive)" "143 "
like "stepped: which is complete" "$(cat err)" 'Captured and wrote'
# Ctrl-C on a terminal reaches both of them, and is one signal: who reads the stream has time to go on reading.
cat >ctrl-c.py <<'E2'
import os, pty, select, signal, sys, time

def pending(pid):
    try:
        with open(f"/proc/{pid}/status") as f:
            return any(int(l.split()[1], 16) >> (signal.SIGINT - 1) & 1 for l in f if l.startswith(("SigPnd", "ShdPnd")))
    except FileNotFoundError:
        return False

def until(what):
    end = time.monotonic() + 120
    while not what():
        if time.monotonic() > end:
            os.kill(guard, signal.SIGKILL)
            sys.exit("nothing comes of it")
        time.sleep(.01)

os.mkfifo("stuck")
pipe = os.open("stuck", os.O_RDWR | os.O_NONBLOCK)
guard, terminal = pty.fork()
if not guard:
    os.dup2(os.open("ctrl-c.err", os.O_WRONLY | os.O_CREAT), 2)
    os.execv(sys.argv[1], sys.argv[1:])
until(lambda: not select.select([], [pipe], [], 0)[1])
with open(f"/proc/{guard}/task/{guard}/children") as f:
    recorder = int(f.read())
os.kill(guard, signal.SIGSTOP)
os.waitpid(guard, os.WUNTRACED)
os.write(terminal, b"\003")
until(lambda: pending(guard))
time.sleep(.05)
until(lambda: not pending(recorder))
os.kill(guard, signal.SIGCONT)
until(lambda: not pending(guard))
time.sleep(.05)
until(lambda: not pending(recorder))
status = None
while status is None:
    if select.select([pipe], [], [], .05)[0]:
        os.read(pipe, 65536)
    ended, s = os.waitpid(guard, os.WNOHANG)
    status = s if ended else None
print(os.WIFSIGNALED(status) and os.WTERMSIG(status), os.WIFEXITED(status) and os.WEXITSTATUS(status))
E2
if command -v python3 >/dev/null && [ -e "/proc/$$/task/$$/children" ]; then
	is "stepped: Ctrl-C ends the recording as one signal" "$(python3 ctrl-c.py "$PERF" record -b --branch-source=software \
		--branch-strategy=step --branch-budget 80 -o stuck "$PERF" test -w noploop 120)" "2 False"
	unlike "... with all of it read" "$(cat ctrl-c.err)" 'nobody reads'
else
	skip "stepped: Ctrl-C" "needs python3, and children in /proc"
fi
done_testing
