# SPDX-License-Identifier: GPL-2.0-or-later
# run: first
# Programs that end in every way at every moment, also in the middle of a walk: the recording ends
# with them, with their status. A thousand of them, followed in each way that a machine may leave.
. "$(dirname "$0")/../lib.sh"
need_tracing
ENDS=$O/tests/helpers/ends
cd "$TMP" || exit 1
"$ENDS" list >modes
rounds=${END_ROUNDS:-3}
seed=1

# each NAME WITHOUT options...: programs that the recorder starts
each() {
	_name=$1 _without=$2
	shift 2
	_count=0 _bad=
	for _round in $(seq "$rounds"); do
		while read -r mode want; do
			seed=$((seed + 1)) _count=$((_count + 1))
			PERF_TRACER_WITHOUT=$_without timeout -k 5 60 "$PERF" record -v "$@" -o e.data -- \
				"$ENDS" "$mode" $seed >out 2>err
			_got=$?
			[ $_got -eq "$want" ] && ! grep -q unseen err && continue
			_bad="$_bad $mode $seed: status $_got, wanted $want; $(tail -1 err)"
			break 2
		done <modes
	done
	is "$_name: $_count programs end, and so do their recordings" "$_bad" ""
}

# among NAME WITHOUT options...: children of a program, many at once
among() {
	_name=$1 _without=$2
	shift 2
	_bad=
	for _round in $(seq "$rounds"); do
		seed=$((seed + 1))
		PERF_TRACER_WITHOUT=$_without timeout -k 5 120 "$PERF" record -v "$@" -o e.data -- \
			"$ENDS" many 60 $seed >out 2>err
		_got=$?
		[ "$_got $(cat out)" = "0 60" ] && ! grep -q unseen err && continue
		_bad="seed $seed: status $_got $(tr '\n' ' ' <out) $(tail -1 err)"
		break
	done
	is "$_name: $((60 * rounds)) children end, with their statuses" "$_bad" ""
}

# attached NAME WITHOUT options...: -p ends with the process
attached() {
	_name=$1 _without=$2
	shift 2
	_bad=
	for mode in exit zero killed leader texec; do
		seed=$((seed + 1))
		# it begins when perf has it
		sh -c "until grep -q 'TracerPid:[[:space:]]*[1-9]' /proc/\$\$/status; do :; done; exec $ENDS $mode $seed" &
		_pid=$!
		PERF_TRACER_WITHOUT=$_without timeout -k 5 60 "$PERF" record -v "$@" -o e.data -p $_pid \
			>out 2>err
		_got=$?
		[ $_got -eq 0 ] || kill -9 $_pid # perhaps it waits for perf
		wait $_pid 2>/dev/null
		[ $_got -eq 0 ] && ! grep -q unseen err && continue
		_bad="$_bad $mode $seed: status $_got $(tail -1 err)"
		break
	done
	is "$_name: -p ends with its process" "$_bad" ""
}

all() { # all NAME WITHOUT options...
	each "$@"
	among "$@"
	attached "$@"
}
all "single stacks" '' -b --branch-source=software --branch-span=0 --branch-budget 0 -F 4000
all "breakpoints that do not come" later-hits -b --branch-source=software --branch-span=0 -F 4000
all "breakpoints that never fire" hits -b --branch-source=software --branch-span=0 --branch-budget 0 -F 4000
all "no breakpoints" breakpoints -b --branch-source=software --branch-span=0 --branch-budget 0 -F 4000
all "single steps" '' -b --branch-source=software --branch-strategy=step -F 4000
all "bursts" '' -b --branch-source=software --branch-span=100 --branch-budget 0 -F 4000
all "every branch" '' --branch-trace=2M
all "registers" '' --reg-source=ptrace --user-regs=ax,fsbase -F 4000
done_testing
