# SPDX-License-Identifier: GPL-2.0-or-later
# run: alone
# How often branches in software are seen, against an exact count by callgrind. Where branches of
# very different cost take turns, a clock sees the slow ones more often than a count does; that is
# so for every sampling by time. The interpreter is even enough for 95 %; sort lies around that.
# Nothing may be recorded that is never executed.
. "$(dirname "$0")/../lib.sh"
[ "$(uname -m)" = x86_64 ] || skip_all "needs an x86-64 machine"
need_cmd python3 valgrind readelf
"$PERF" record -q -b --branch-source=software -o "$TMP/probe.data" true 2>"$TMP/err" ||
	skip_all "cannot follow branches here: $(head -1 "$TMP/err")"
cd "$TMP" || exit 1

overlap() { # overlap NAME PERCENT command...
	_name=$1 _least=$2
	shift 2
	_path=$(command -v "$1") || {
		skip "$_name" "$1 is not installed"
		return
	}
	_path=$(readlink -f "$_path")
	# several runs: one alone has too few stacks for shares of a per cent
	for _i in 1 2 3 4 5 6 7 8; do
		"$PERF" record -q -b --branch-source=software --branch-budget 0 -F 2000 -o r.data -- "$@" \
			>/dev/null 2>&1
		"$PERF" script -i r.data -F ip,brstack --show-mmap-events 2>/dev/null
	done >script.txt
	valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --compress-pos=no \
		--compress-strings=no --callgrind-out-file=exact "$@" >/dev/null 2>&1 || {
		skip "$_name" "valgrind cannot run $1 on this CPU"
		return
	}
	_got=$(python3 "$ROOT/tests/helpers/edge-overlap.py" exact "$_path" 5 <script.txt 2>&1)
	if awk -v v="${_got%% *}" -v least=$_least 'BEGIN { exit !(v >= least) }'; then
		pass "$_name: $(echo "$_got" | head -1)"
	else
		fail "$_name: at least $_least % overlap" "$_got"
	fi
	like "$_name: no edge that is never executed" "$_got" 'never-executed 0$'
}
seq 1 300000 | awk '{ print ($1 * 7919) % 300007 }' >nums
overlap lua 95 lua5.4 -e 'local t={} for i=1,2000000 do t[i%1000]=(t[i%1000] or 0)+i*2 end print(t[5])'
overlap sort 88 sort --parallel=1 -n nums
done_testing
