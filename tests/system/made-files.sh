#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# One recording in every shape that the format has: both byte orders, the attrs of older and later
# kernels, as a file and as a stream, packed and not. All say the same.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
made_file all-shapes "$TMP" >"$TMP/shapes" || skip_all "the recordings cannot be written"
"$PERF" check -q feature libzstd && zstd=1 || zstd=

shown() { # what is in a recording
	"$PERF" script -F comm,pid,tid,cpu,time,period,event,addr,ip,sym,dso,brstack -i "$TMP/$1" 2>&1
}
shown "$(head -1 "$TMP/shapes")" >"$TMP/want"
like "a sample: all that went in" "$(grep -A 4 ' 101 cpu-clock' "$TMP/want" | tr -s ' \n' ' ')" \
	'shapes 11/11 \[001\] 0\.000001: 101 cpu-clock: 10000000000 .*ffffffff81000001 .* 400101 \[unknown\] \(/nonexistent/program\) .*0x400001 .*/P/-/-/1/COND/-'
is "... all samples" "$(grep -c 'cpu-clock' "$TMP/want")" 2000
is "... all branches" "$(grep -o '/0x400100 (/nonexistent/program)/P/' "$TMP/want" | wc -l)" 1999
while read -r name; do
	case $name$zstd in
	*-0 | *-01 | *-11 | *-21)
		shown "$name" >"$TMP/got"
		same_file "$name" "$TMP/got" "$TMP/want"
		;;
	*) skip "$name" "built without zstd" ;;
	esac
done <"$TMP/shapes"
done_testing
