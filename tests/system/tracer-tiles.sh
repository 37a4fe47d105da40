# SPDX-License-Identifier: GPL-2.0-or-later
# AMX: 8 KB more of state in every thread that uses it. Programs behave as alone, their tiles are what they were, and
# branches that depend on what comes out of a tile are recorded as they were taken; so are those of half precision.
. "$(dirname "$0")/../lib.sh"
need_x86
need_tracing
cd "$TMP" || exit 1
${CC:-cc} -O2 -g -D_GNU_SOURCE -pthread -o tiles "$ROOT/tests/helpers/tiles.c" 2>log ||
	skip_all "this compiler makes no AMX code: $(grep -m1 error log)"
tiles=$(./tiles can)

behaves() { # behaves MODE...: output and status as alone, in each way of sampling
	timeout 60 ./tiles "$@" >want
	_want=$?
	for _how in "--reg-source=ptrace --user-regs=ip,zmm --reg-budget 0" \
		"-b --branch-source=software --branch-span=0 --branch-budget 30" \
		"--branch-span=100 -b --branch-source=software --branch-budget 30" \
		"--user-regs=ip,zmm -b --branch-source=software --branch-budget 30" \
		"--branch-trace=200k"; do
		# shellcheck disable=SC2086
		timeout 120 "$PERF" record -q $_how -F 2000 -o r.data ./tiles "$@" >out 2>err
		is "$1: output and status (${_how%%[= ]*})" "$? $(cat out)" "$_want $(cat want)"
		check "$1: the recording can be read (${_how%%[= ]*})" "$PERF" script -i r.data
	done
}
exact() { # exact MODE N: a trace has each call as often as the program says
	timeout 120 "$PERF" record --branch-trace=3M -o t.data ./tiles "$@" >out 2>err
	like "$1: a trace without a gap" "$(cat err)" 'branches without a gap'
	is "$1: which of two calls was taken, as often as it was" "$("$PERF" script -i t.data -F brstacksym |
		tr ' ' '\n' | awk -F/ '$2 == "one+0x0" { one++ } $2 == "zero+0x0" { zero++ }
		END { print one + 0, zero + 0 }')" "$(grep -o '[0-9]* [0-9]* wrong' out | cut -d' ' -f1,2)"
}

if [ -z "$tiles" ]; then
	behaves work 1000
	behaves keep 2
	behaves threads 1
	exact work 60
	./tiles pause 60 >ready &
	pid=$!
	wait_for grep -q ready ready
	$(while_runs $pid 5)
	like "xstate: a thread that uses tiles has them in its state" \
		"$("$PERF" xstate --all --pid $pid 2>&1 | tr '\n' ' ')" 'xtilecfg: stored +xtiledata: stored'
	kill $pid
	wait $pid 2>/dev/null
else
	skip "tiles" "$tiles"
fi
./tiles half 1 >out
if [ $? = 77 ]; then
	skip "half precision" "this CPU has no AVX512-FP16"
else
	behaves half 20000
	exact half 1000
fi
done_testing
