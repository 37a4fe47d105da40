#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Too little memory: what is printed is whole, or it is said and the status tells; nothing crashes.
. "$(dirname "$0")/../lib.sh"
need_events
cd "$TMP" || exit 1
# Sanitizers and Valgrind reserve more addresses than any limit leaves.
(ulimit -v 200000 && "$PERF" version) >/dev/null 2>&1 ||
	skip_all "this build does not run with a limit of addresses"

"$PERF" record -q -e cpu-clock --call-graph dwarf -o d.data -- "$PERF" test -w noploop 0.2 >out 2>&1 ||
	skip_all "cannot record: $(head -1 out)"

# whole_or_said KB FILE ARGS: FILE has what is printed without a limit
whole_or_said() {
	_kb=$1 _file=$2
	shift 2
	(
		ulimit -c 0
		ulimit -v "$_kb"
		exec "$PERF" "$@"
	) >got 2>err
	_status=$?
	if [ $_status -eq 0 ]; then
		cmp -s got "$_file"
	else
		[ $_status -lt 128 ] && grep -qi memory err
	fi && return
	echo "status $_status; $(wc -l <got) lines of $(wc -l <"$_file"); $(head -3 err)"
	return 1
}

for how in 'script -F ip,sym' 'report --stdio' 'data convert --to folded'; do
	# shellcheck disable=SC2086
	"$PERF" $how -i d.data >all 2>/dev/null
	said=0
	for kb in 36000 42000 48000 52000 54000 58000 64000 72000; do
		check "$how: $kb kB" whole_or_said $kb all $how -i d.data
		grep -qi memory err && said=$((said + 1))
	done
	check "$how: somewhere between it was too little" test $said -gt 0
done
done_testing
