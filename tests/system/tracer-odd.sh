# SPDX-License-Identifier: GPL-2.0-or-later
# run: first
# Odd lives: filters of system calls, processes that share memory, files or a parent, handlers on stacks of their own.
# In each way of sampling their output and status are as alone, and the recording can be read.
. "$(dirname "$0")/../lib.sh"
need_tracing
LIVES=$O/tests/helpers/lives
cd "$TMP" || exit 1
"$LIVES" list >modes

while read -r mode; do
	timeout 60 "$LIVES" "$mode" >want 2>&1
	want=$?
	if [ $want -ne 0 ]; then
		# an older kernel, a filter around us
		skip "$mode" "not to be had here: $(head -1 want)"
		continue
	fi
	bad=
	for how in "--reg-source=ptrace --user-regs=ax,sp --reg-budget 0" \
		"-b --branch-source=software --branch-span=0 --branch-budget 0" \
		"--branch-span=50 -b --branch-source=software --branch-budget 30" \
		"--branch-strategy=step -b --branch-source=software" \
		"--branch-trace=300k"; do
		# shellcheck disable=SC2086
		timeout -k 5 60 "$PERF" record -q $how -F 4000 -o r.data -- "$LIVES" "$mode" >out 2>err
		got=$?
		[ $got -eq 0 ] && cmp -s want out && "$PERF" script -i r.data >script 2>err && [ -s script ] && continue
		bad="$bad${how%% *}: status $got, $(tr '\n' ' ' <out), not $(tr '\n' ' ' <want); $(head -2 err) "
	done
	is "$mode: as alone, in five ways" "$bad" ""
done <modes
is "and there are as many as were written" "$(wc -l <modes)" 18
done_testing
