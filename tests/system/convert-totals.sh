#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What data convert writes for viewers holds all samples and periods that the report has, for real recordings
# of many kernels, tools and machines; read by readers that are not ours.
. "$(dirname "$0")/../lib.sh"
fx=$(fixtures) || skip_all "the fixtures are not here"
protobuf=$(node_module protobufjs) && node_module pprof-format >/dev/null && command -v node >/dev/null ||
	skip_all "npm's protobufjs and pprof-format are not here (make deps DEPS_BROWSER=1 installs them)"

n=0
for f in $(find -L "$fx/real" -type f -size -300k \( -name '*.data' -o -name '*.data.*' \) | sort); do
	# What nobody reads is no matter of writers; what has no samples has no columns.
	"$PERF" report -i "$f" --no-branch-stack --csv --no-group -g none --no-children -s comm -F comm,sample,period \
		>"$TMP/report" 2>/dev/null </dev/null && [ -s "$TMP/report" ] || continue
	n=$((n + 1))
	mv "$TMP/report" "$TMP/$n.report"
	echo "$n ${f#"$fx"/}" >>"$TMP/names"
	for to in pprof otlp speedscope firefox json 'folded --by event'; do
		"$PERF" data convert -i "$f" --to $to -o "$TMP/$n.${to%% *}" >/dev/null 2>"$TMP/err" </dev/null ||
			grep -q '^such a .* cannot be made' "$TMP/err" || fail "--to $to: $f" "$(cat "$TMP/err")"
	done
done
check "there are many recordings" test "$n" -gt 60
node "$ROOT/tests/helpers/read-totals.mjs" "${protobuf%/*}" "$ROOT/tests/data/convert/otlp.proto" "$TMP" >"$TMP/totals" 2>&1
for to in pprof otlp speedscope firefox json folded; do
	is "$to: samples and periods are the report's" "$(grep "^[0-9]* $to" "$TMP/totals"; awk -v f=$to '$1 == f { print ($2 == $3 && $3 > 60) }' "$TMP/totals")" 1
done
done_testing
