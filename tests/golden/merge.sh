# SPDX-License-Identifier: GPL-2.0-or-later
# run: first
# A recording counted in 2 and in 7 pieces, in tables of their own that are added up at the end
# (report --pieces), gives the text, JSON and trees that one table gives. No difference is allowed,
# so there is no file of them. In 3 pieces it is read by 3 sessions, each with a machine and symbols
# of its own (--apart), which are gone when the answer is written. Each recording meets a third of the options.
. "$(dirname "$0")/../lib.sh"

# What is counted differs from line to line.
cat >"$TMP/options" <<'EOF'

-g caller
-g flat,callee --no-children
-g fractal,address
--hierarchy --show-nr-threads
--json --hierarchy -s comm,{dso,sym}
-b
-b --json -s symbol_from,addr_to,mispredict,cycles
--branch-history
--total-cycles
--hot-paths 2
--branches=why --json
--branches=cycles --csv
--branches=paths --json
--profile-quality --json
--latency
--simd
--no-group -s pid,srcline,symoff,comm_nodigit,cpu,parent
-s symbol_daddr,dcacheline,dso_daddr,sym,trace,weight --mem-mode
EOF

# Names for kernel addresses, so that there are symbols to find again.
awk 'BEGIN {
	print "ffffffff81000000 T _text\nffffffff81000000 T _stext"
	for (i = 0; i < 4096; i++)
		printf "ffffffff81%05x0 %s fn_%d\n", i * 160, i % 3 ? "t" : "T", i % 1000
}' >"$TMP/kallsyms"

# apart FILE NR OPTION...: prints what differs in the answer; warnings of a piece are its own
apart() {
	_f=$1 _nr=$2
	shift 2
	set -- --symfs /nonexistent --kallsyms "$TMP/kallsyms" -i "$_f" "$@"
	"$PERF" report "$@" >"$TMP/whole" 2>/dev/null
	"$PERF" report "$@" --apart --pieces $(((_nr + 2) / 3)) >"$TMP/pieces" 2>/dev/null &&
		cmp -s "$TMP/whole" "$TMP/pieces" || echo "3 pieces apart: $*"
}

# report FILE OUT OPTION...: text and what it said
report() {
	_f=$1 _out=$2
	shift 2
	"$PERF" report --symfs /nonexistent -i "$_f" "$@" >"$_out" 2>&1
}

rec=0
# Prints what differs: nothing.
differences() {
	rec=$((rec + 1)) line=0
	_nr=$("$PERF" report --symfs /nonexistent --stats -i "$1" 2>/dev/null |
		awk '/SAMPLE events/ { print $3; exit }')
	[ "${_nr:-0}" -gt 1 ] || return 0
	while read -r opts; do
		line=$((line + 1))
		meet 3 $line $rec || continue
		report "$1" "$TMP/whole" $opts || continue # the recording has no such thing
		for n in 2 7; do
			report "$1" "$TMP/pieces" $opts --pieces $(((_nr + n - 1) / n)) &&
				cmp -s "$TMP/whole" "$TMP/pieces" || echo "$n pieces: $opts"
		done
		apart "$1" "$_nr" $opts
	done <"$TMP/options"
}

check() {
	differences "$1" >"$TMP/differences"
	: >"$TMP/none"
	same_file "$2 in pieces" "$TMP/differences" "$TMP/none"
}

each_kind vectors
done_testing
