# SPDX-License-Identifier: GPL-2.0-or-later
# run: alone
# A busy server, recorded by -p while it serves: threads come and go by the thousand, children are forked and executed, the server is
# stopped and continued, recorders come, are ended by Ctrl-C and die. Every request is answered, rightly, and
# nothing is left standing.
. "$(dirname "$0")/../lib.sh"
need_tracing
need_cmd awk
SERVER=$O/tests/helpers/server
cd "$TMP" || exit 1
"$SERVER" serve sock >served 2>err &
server=$!
wait_for test -S sock || skip_all "the server does not start: $(cat err)"

load() { # SECONDS CLIENTS REQUESTS-A-CONNECTION: in the background, to load.txt
	"$SERVER" load sock "$@" >load.txt 2>&1 &
	load=$!
}
answers() { # NAME: the load is over
	wait $load
	_status=$?
	like "$1: every request is answered, rightly" "$_status $(cat load.txt)" '^0 answered [1-9][0-9]* wrong 0 unanswered 0 '
	diag "$(cat load.txt)"
}
nobody_stands() {
	for _t in /proc/$server/task/*/stat; do
		read -r _line <$_t 2>/dev/null || continue
		case ${_line##*) } in [tT]*) return 1 ;; esac
	done
}
nobody_traces() {
	! cat /proc/$server/task/*/status 2>/dev/null | grep -q 'TracerPid:[[:space:]]*[1-9]'
}
left_alone() { # NAME
	check "$1: no thread is left standing" wait_for nobody_stands
	check "$1: nor traced" wait_for nobody_traces
}
has_begun() { test -s s.data; }

# attached while threads are made and end all the time, two requests long each
load 4 8 2
for i in 1 2 3 4 5 6; do
	for how in "-b --branch-source=software" "--reg-source=ptrace --user-regs=ax"; do
		# shellcheck disable=SC2086
		timeout -k 5 60 "$PERF" record -q $how -o s.data -p $server -- sleep 0.1 >/dev/null 2>err
		status=$?
		[ $status = 0 ] || break 2
	done
done
is "12 recordings begin among threads that come and go" "$status $(cat err)" "0 "
answers "short connections"
left_alone "short connections"

for how in "-b --branch-source=software --branch-span=0 --branch-budget 50" "-b --branch-source=software --branch-span=100 --branch-budget 50" \
	"-b --branch-source=software --call-graph dwarf --branch-budget 50" "--reg-source=ptrace --user-regs=ax,xmm" "--branch-trace=100M"; do
	rm -f s.data
	load 2 8 50
	# shellcheck disable=SC2086
	"$PERF" record -q $how -F 4000 -o s.data -p $server >out 2>err &
	rec=$!
	wait_for has_begun
	sleep 0.3
	kill -STOP $server
	sleep 0.2
	kill -CONT $server
	sleep 0.5
	kill -INT $rec
	wait $rec
	is "$how: Ctrl-C ends it" $? 130
	answers "$how"
	left_alone "$how"
	n=$("$PERF" script -i s.data -F comm,ip 2>script.err | head -1000 | grep -c server)
	[ "$n" -ge 5 ] && pass "$how: and the server is in it" || fail "$how: and the server is in it" "$n samples" "$(cat err script.err)"
done

# recorders that die
load 4 8 10
bad=
for i in 1 2 3 4 5 6; do
	case $((i % 3)) in
	0) how="-b --branch-source=software --branch-span=100 --branch-budget 50" ;;
	1) how="--branch-trace=100M" ;;
	2) how="-b --branch-source=software --branch-strategy=step --branch-budget 50" ;;
	esac
	rm -f s.data
	# shellcheck disable=SC2086
	"$PERF" record -q $how -F 4000 -o s.data -p $server >out 2>err &
	rec=$!
	wait_for has_begun
	sleep "0.$(printf %02d $((i * 7)))"
	kill -KILL $rec 2>/dev/null || bad="$how: $(cat err)"
	wait $rec 2>/dev/null
	wait_for nobody_traces # a guard of steps has its last thing to do
done
is "recorders are killed, none has ended before" "$bad" ""
answers "recorders that die"
left_alone "recorders that die"
kill $server
wait $server
like "the server ends as it would alone" "$? $(cat served)" '^0 served [0-9]+$'
done_testing
