# SPDX-License-Identifier: GPL-2.0-or-later
# run: first
# A table that is derived from one which counted richly (report --derive) gives the text, JSON and trees
# of a table that was read with the same options. No difference is allowed, so there is no file of
# them. Filters are options of the derived table alone: reading has left nothing out. Each recording meets a
# third of the options.
. "$(dirname "$0")/../lib.sh"

cat >"$TMP/options" <<'EOF'

-s comm
-s dso,sym --no-children
-g caller
-G
-g flat,callee --no-children
-g fractal,address
--hierarchy --show-nr-threads --show-cpu-utilization
--json --hierarchy -s comm,{dso,sym}
-b
-b --json -s symbol_from,addr_to,mispredict,cycles
-b --comms perf,wl,cmake -s symbol_to,type --branch-stats
--branch-history
--latency
--simd
--no-group -s pid,srcline,comm_nodigit,cpu,parent
--json -s tid,tgid,socket,cgroup_id,symbol_size,addr
-s symbol_daddr,dcacheline,dso_daddr,sym,trace,weight --mem-mode
--comms ls,perf,wl,cpp-recursion
--tid 208,210,11512
--dsos [kernel.kallsyms],libc.so.6,wl --percentage relative -n
--symbol-filter a --no-children
-U --no-group
-x -s sym,parent
--socket-filter 0
--pieces 7
EOF

# Filters that leave out a thread or an object whole: names for kernel addresses give symbols to these.
awk 'BEGIN {
	print "ffffffff81000000 T _text\nffffffff81000000 T _stext"
	for (i = 0; i < 4096; i++)
		printf "ffffffff81%05x0 %s fn_%d\n", i * 160, i % 3 ? "t" : "T", i % 1000
}' >"$TMP/kallsyms"

# report FILE OUT OPTION...
report() {
	_f=$1 _out=$2
	shift 2
	"$PERF" report --symfs /nonexistent --kallsyms "$TMP/kallsyms" -i "$_f" "$@" \
		>"$_out" 2>"$TMP/err"
}

rec=0
# Prints what differs: nothing.
differences() {
	rec=$((rec + 1)) line=0
	while read -r opts; do
		line=$((line + 1))
		meet 3 $line $rec || continue
		report "$1" "$TMP/read" $opts || continue # the recording has no such thing
		report "$1" "$TMP/derived" $opts --derive && cmp -s "$TMP/read" "$TMP/derived" ||
			echo "derived: $opts"
	done <"$TMP/options"
	apart "$1"
}

# Rich tables of sessions of their own, added up: three pieces.
apart() {
	_nr=$("$PERF" report --symfs /nonexistent --stats -i "$1" 2>/dev/null |
		awk '/SAMPLE events/ { print $3; exit }')
	[ "${_nr:-0}" -gt 1 ] && report "$1" "$TMP/read" || return 0
	report "$1" "$TMP/derived" --derive --apart --pieces $(((_nr + 2) / 3)) &&
		cmp -s "$TMP/read" "$TMP/derived" || echo "derived of three pieces apart"
}

check() {
	differences "$1" >"$TMP/differences"
	: >"$TMP/none"
	same_file "$2 derived" "$TMP/differences" "$TMP/none"
}

each_kind vectors
done_testing
