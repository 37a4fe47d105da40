# SPDX-License-Identifier: GPL-2.0-or-later
# What perf record says about registers by ptrace and branches in software: why it takes them, why it
# refuses, and what to do then. Reasons that this machine cannot show are in test-tracer-attach.
. "$(dirname "$0")/../lib.sh"
need_tracing
TRACEE=$O/tests/helpers/tracee
cd "$TMP" || exit 1
B="-b --branch-source=software" R="--reg-source=ptrace --user-regs=ax"

refused() { # refused NAME ERE options and command...: fails, says why and the next step in two lines
	_name=$1 _ere=$2
	shift 2
	rm -f x.data
	timeout 60 "$PERF" record -o x.data "$@" >out 2>err </dev/null
	_rc=$?
	if [ $_rc -ne 0 ] && [ $_rc -ne 124 ] && tr '\n' ' ' <err | grep -Eq -e "$_ere" && [ ! -e x.data ]; then
		pass "$_name"
	else
		fail "$_name" "status $_rc, $(ls x.data 2>/dev/null)" "wanted: $_ere" "$(head -5 err)"
	fi
}
# shellcheck disable=SC2086
{
	refused "-a with branches" 'branches in software need programs that can be stopped: not with -a or -C Name a command, or -p PID' -a $B true
	refused "-C with registers" 'registers by ptrace need programs that can be stopped: not with -a or -C Name a command' -C 0 $R true
	refused "a group" 'a group cannot be sampled with branches in software: .* Leave the braces .*--branch-source=hardware' -e '{task-clock,cpu-clock}' $B true
	refused "a group read by its leader" 'a group cannot be sampled with registers by ptrace: .* Leave the braces .*:S out.*--reg-source=kernel' -e '{task-clock,cpu-clock}:S' $R true
	refused "-I with branches" 'use --user-regs' $B -Iax true
	refused "kernel branches" 'user space only: leave k and hv out of -j' -j any,k --branch-source=software true
	refused "a filter that software does not know" 'know the filters any, any_call' -j in_tx,u --branch-source=software true
	refused "a budget that is none" '--branch-budget takes a percentage' $B --branch-budget x true
	refused "a depth that is none" '--branch-depth takes 1 to 64' $B --branch-depth 65 true
	refused "a source of branches that does not exist" '--branch-source takes auto, hardware or software' -b --branch-source=magic true
	refused "a source of registers that does not exist" '--reg-source takes auto, kernel or ptrace' --reg-source=magic --user-regs=ax true
	refused "the base of FS by the kernel" 'no register number for a segment.s base \(FS and GS are the selectors\) ptrace does: --reg-source=ptrace' --reg-source=kernel --user-regs=fsbase true
	refused "MXCSR by the kernel" "no number for MXCSR ptrace does: --reg-source=ptrace" --reg-source=kernel --user-regs=mxcsr true
	refused "MXCSR where raw data are" 'its samples carry raw data .* where MXCSR would go Leave mxcsr out' -R --user-regs=ip,mxcsr true
	refused "the base of FS at the interrupt" '"fs_base" cannot be sampled here: .* --user-regs has them, by ptrace' --intr-regs=fs_base true
	refused "a base where raw data are" 'its samples carry raw data .* Leave fsbase and gsbase out' -R --user-regs=ip,gsbase true
	refused "more events than it takes" 'at most 8 events can be sampled by ptrace' $B -e task-clock,cpu-clock,task-clock,cpu-clock,task-clock,cpu-clock,task-clock,cpu-clock,task-clock true
	# more than there can be
	refused "a process that is not there" 'process 999999999 does not exist' $B -p 999999999
	case $(cat /proc/2/comm 2>/dev/null) in
	kthreadd) refused "a thread of the kernel" 'thread 2: it is a thread of the kernel Sample it without' $B -p 2 ;;
	*) skip "a thread of the kernel" "in this pid namespace there is none" ;;
	esac
}

# why software: on stderr, in one line each
"$PERF" record -b -e task-clock -o b.data true >/dev/null 2>err
like "auto says why branches come from software" "$(cat err)" \
	'^perf record: branches in software, by ptrace: a clock has no branch records$'
"$PERF" record --user-regs=fs -o f.data "$TRACEE" work 1 >/dev/null 2>err
like "and why registers come by ptrace" "$(cat err)" \
	'^perf record: user registers by ptrace: "fs" cannot be sampled here: the kernel gives no'
is "in one line" "$(grep -c 'by ptrace' err)" 1
"$PERF" record -q -b -e task-clock -o b.data true >/dev/null 2>err
is "-q says nothing" "$(cat err)" ""
"$PERF" record --branch-source=software -b -o b.data true >/dev/null 2>err
unlike "who asked for software is not told why" "$(cat err)" 'by ptrace:'

# what no budget bounds
"$PERF" record -v $B -o s.data "$TRACEE" signals >/dev/null 2>err
like "signals of the program's own are stops, too" "$(cat err)" \
	"threads stopped [1-9][0-9]+ times more, for the program's own signals .* but --branch-budget does not bound that"
"$PERF" record -v $R -o s.data "$TRACEE" work 1 >/dev/null 2>err
unlike "of a program without signals nobody says so" "$(cat err)" 'times more'

for how in header-only evlist report; do
	case $how in
	header-only) got=$("$PERF" report -i f.data --header-only 2>/dev/null) ;;
	evlist) got=$("$PERF" evlist -i f.data) ;;
	report) got=$("$PERF" report --stdio -i f.data 2>/dev/null | head -12) ;;
	esac
	like "$how says that registers are ptrace's" "$got" \
		'sample source : .*registers from ptrace.*user state read by ptrace at each overflow'
done

# not allowed: other users' processes, protected ones, traced ones
command -v setpriv >/dev/null && [ "$(id -u)" = 0 ] || {
	skip "what ordinary users are told" "needs root and setpriv"
	done_testing
}
WHO=54321 # who runs nothing else here; "nobody" may
mkdir user && chmod 777 user "$TMP" && cp "$PERF" "$TRACEE" user/ && chmod 755 user/*
nobody() {
	(cd user && setpriv --reuid=$WHO --regid=$WHO --clear-groups "$@")
}
user_refused() { # NAME ERE options...
	_name=$1 _ere=$2
	shift 2
	nobody timeout 60 ./perf record -o x.data $B "$@" >out 2>err
	_rc=$?
	if [ $_rc -ne 0 ] && [ $_rc -ne 124 ] && tr '\n' ' ' <err | grep -Eq -e "$_ere"; then
		pass "$_name"
	else
		fail "$_name" "status $_rc" "wanted: $_ere" "$(head -5 err)"
	fi
	rm -f user/x.data
}
"$TRACEE" work 100000 >/dev/null &
mine=$!
user_refused "another user's process" "thread $mine: it belongs to root \(uid 0\), perf runs as uid $WHO Run perf as that user, as root" -p $mine
user_refused "another user's thread" "thread $mine: it belongs to root" -t $mine
user_refused "another user's processes" 'none of the processes can be traced|belongs to|may not be watched' -u root
kill $mine
wait $mine 2>/dev/null
nobody ./tracee protected >protected.out &
wait_for grep -q protected protected.out
theirs=$(pgrep -x -u $WHO tracee | head -1)
user_refused "a process that is not dumpable" "thread $theirs: it is protected: set-user-ID" -p "$theirs"
timeout 60 "$PERF" record -q -b --branch-source=software -p "$theirs" -o p.data -- $(while_runs "$theirs" 20) 2>err
is "root may" $? 0
timeout 60 "$PERF" record -b --branch-source=software -u $WHO -o u.data -- $(while_runs "$theirs" 30) >/dev/null 2>err
n=$("$PERF" script -i u.data -F comm 2>/dev/null | grep -c tracee)
[ "$n" -ge 1 ] && pass "-u attaches to a user's processes" || fail "-u attaches to a user's processes" "$(cat err)"
kill "$theirs"
# Each thread's ring is locked memory, and so are those for all else, which may not take all that there is.
may_map() { # OPTION...: samples; where the rings for all else were told to take the limit, or it is low, it may be said, too
	(ulimit -l 0 && nobody timeout 60 ./perf record $B -o l.data "$@" >/dev/null 2>err)
	_rc=$?
	_found=$("$PERF" script -f -i user/l.data -F ip 2>/dev/null | wc -l)
	rm -f user/l.data
	[ $_rc -eq 0 ] && [ "$_found" -gt 0 ] && return
	echo "status $_rc, $_found samples: $(cat err)"
	[ $_rc -ne 0 ] && grep -q '^cannot map ' err && grep -q '^Raise \|^Ask for less' err &&
		{ [ "$1 $2" = "-m 128" ] || [ "$(cat /proc/sys/kernel/perf_event_mlock_kb)" -lt 516 ]; }
}
if nobody timeout 60 ./perf record -q $B -o l.data -- ./tracee work 100 >/dev/null 2>err; then
	check "no memory to lock" may_map -- ./tracee work 100
	check "no memory to lock, small rings for all else" may_map -m 8 -- ./tracee work 100
	check "no memory to lock, large rings for all else" may_map -m 128 -- ./tracee work 100
	nobody ./tracee work 100000 >/dev/null &
	wait_for pgrep -x -u $WHO tracee >/dev/null
	check "no memory to lock, large rings for all else, -u" may_map -m 128 -u $WHO -- $(while_runs "$(pgrep -x -u $WHO tracee)" 10)
	pkill -x -u $WHO tracee
else
	skip "no memory to lock" "an ordinary user may not record here: $(head -1 err)"
fi
# what runs with its owner's privileges cannot be followed there by an ordinary user
cp "$TRACEE" user/suid && chown root user/suid && chmod 4755 user/suid
is "a set-user-ID program under perf: without its privileges" \
	"$(nobody timeout 60 ./perf record -q -b --branch-source=software -o s.data ./suid uid 2>err; cat err)" \
	"$(nobody ./tracee uid)"
is "as root it has them" "$("$PERF" record -q -b --branch-source=software -o s.data -- \
	setpriv --reuid=$WHO --regid=$WHO --clear-groups user/suid uid)" "$(nobody ./suid uid)"
done_testing
