#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf report: latency, the time of samples divided by the threads that ran, and parallelism.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
make_file() { # make_file NAME CPUS WORDS...
	_file=$TMP/$1
	shift
	made_file switch-file "$_file" "$@" || skip_all "cannot write $_file"
}
report() { # report NAME OPTIONS...: heads and rows, an end of line as a bar
	_file=$TMP/$1
	shift
	"$PERF" report --stdio -g none -i "$_file" "$@" 2>"$TMP/err" |
		sed -n 's/ *$//; /^# *\(Overhead\|Latency\|Children\|Command\|Address\|Self\)/p; /^[^#]/p' |
		tr '\n' '|'
}

# ---- one thread runs at first; s is taken by 1, 2, 2, 3, 3, 3, 3 and 1
make_file plain 8 s:101 in:102 s:102 s:102 in:103 s:103 s:103 s:103 s:103 out:103 exit:102 s:101
is "columns" "$(report plain -s addr)" \
	"# Overhead   Latency  Address|    50.00%    30.77%  0x400030|    25.00%    46.15%  0x400010|    25.00%    23.08%  0x400020|"
is "--latency: first, and in this order" "$(report plain -s addr --latency)" \
	"#  Latency  Overhead  Address|    46.15%    25.00%  0x400010|    30.77%    50.00%  0x400030|    23.08%    25.00%  0x400020|"
is "key parallelism" "$(report plain -s parallelism)" \
	"# Overhead   Latency  Parallelism|    50.00%    30.77%            3|    25.00%    46.15%            1|    25.00%    23.08%            2|"
is "key latency: that column alone" "$(report plain -s latency,addr)" \
	"#  Latency  Address|    46.15%  0x400010|    30.77%  0x400030|    23.08%  0x400020|"
is "keys latency, overhead: order of rows, not of columns" "$(report plain -s latency,overhead,addr)" \
	"# Overhead   Latency  Address|    25.00%    46.15%  0x400010|    50.00%    30.77%  0x400030|    25.00%    23.08%  0x400020|"
is "-F latency" "$(report plain -F addr,latency)" \
	"# Address              Latency|  0x400010              46.15%|  0x400020              23.08%|  0x400030              30.77%|"
is "--parallelism" "$(report plain -s addr --parallelism 2-3)" \
	"# Overhead   Latency  Address|    50.00%    30.77%  0x400030|    25.00%    23.08%  0x400020|"
is "--parallelism: relative" "$(report plain -s addr --parallelism 1,2 --percentage relative)" \
	"# Overhead   Latency  Address|    50.00%    66.67%  0x400010|    50.00%    33.33%  0x400020|"
is "--parallelism: no such level" "$(report plain -s addr --parallelism 8)" "# Overhead   Latency  Address|"
like "JSON" "$("$PERF" report -i "$TMP/plain" --json -s addr --latency)" \
	'"rows":\[\{"latency":46\.15,"overhead":25\.00,"addr":"0x400010"'
is "-t" "$(report plain -s parallelism --latency -t ,)" \
	"#  Latency,Overhead,Parallelism| 46.15% , 25.00% ,          1| 30.77% , 50.00% ,          3| 23.08% , 25.00% ,          2|"

# ---- call chains
make_file chains 8 S:101 in:102 S:102 S:102 in:103 S:103 S:103 S:103 S:103
is "chains" "$(report chains -s addr)" \
	"# Children  Latency      Self   Latency  Address|   100.00%   100.00%     0.00%     0.00%  0x402000|    71.43%   70.00%     0.00%     0.00%  0x401010|    57.14%   40.00%    57.14%    40.00%  0x400030|    28.57%   30.00%    28.57%    30.00%  0x400020|    28.57%   30.00%     0.00%     0.00%  0x401000|    14.29%   30.00%    14.29%    30.00%  0x400010|"
is "chains: --latency" "$(report chains -s addr --latency --percent-limit 50)" \
	"# Latency  Children   Latency      Self  Address|   100.00%   100.00%     0.00%     0.00%  0x402000|   70.00%    71.43%     0.00%     0.00%  0x401010|   40.00%    57.14%    40.00%    57.14%  0x400030|"
is "chains: --no-children" "$(report chains -s addr --no-children)" \
	"# Overhead   Latency  Address|    57.14%    40.00%  0x400030|    28.57%    30.00%  0x400020|    14.29%    30.00%  0x400010|"
is "chains: no sums" "$(report chains -F overhead,overhead_children,latency_children,addr --no-children)" \
	"# Overhead  Children  Latency  Address|    57.14%       N/A   N/A     0x400030|    28.57%       N/A   N/A     0x400020|    14.29%       N/A   N/A     0x400010|"
like "chains: no sums in JSON" "$("$PERF" report -i "$TMP/chains" --json -F overhead_children,addr --no-children)" \
	'"overhead_children":null'
is "no chains: no columns of sums" "$(report plain -s overhead_children,latency_children,addr)" \
	"# Address|  0x400010|  0x400020|  0x400030|"
like "graphs show periods" "$("$PERF" report -i "$TMP/chains" --stdio --latency -s addr)" '--71\.43%--0x401010'

# ---- where it says nothing
make_file single 8 s:101 in:102 exit:102 s:102 s:102
is "one thread at a time: no column" "$(report single -s addr)" \
	"# Overhead  Address|    66.67%  0x400020|    33.33%  0x400010|"
is "one thread at a time: asked for" "$(report single -s addr --latency)" \
	"#  Latency  Overhead  Address|    66.67%    66.67%  0x400020|    33.33%    33.33%  0x400010|"
make_file two-cpus 2 in:102 in:103 in:104 in:105 s:101
is "not more than there are CPUs" "$(report two-cpus -s parallelism)" \
	"# Overhead   Latency  Parallelism|   100.00%   100.00%            2|"
make_file leaving 2 out:101 out:102 out:103 s:101 in:101 in:102 in:103 s:101 in:104 s:102
is "threads that leave and never came" "$(report leaving -s parallelism)" \
	"# Overhead   Latency  Parallelism|    66.67%    80.00%            1|    33.33%    20.00%            2|"

# ---- read by several threads: what runs when another's piece begins
# shellcheck disable=SC2046
make_file long 8 $(awk 'BEGIN {
	srand(7)
	for (i = 0; i < 6000; i++) {
		tid = 101 + int(rand() * 12)
		what = rand()
		print (what < 0.205 ? "in" : what < 0.4 ? "out" : what < 0.405 ? "exit" : "S") ":" tid
	}
}')
for o in "-s parallelism" "-s addr --latency" "-s parallelism,addr --parallelism 2-5"; do
	# shellcheck disable=SC2086
	"$PERF" report -i "$TMP/long" -j1 $o >"$TMP/one" 2>&1
	like "$o: there is something" "$(cat "$TMP/one")" '[0-9]%'
	for j in 2 3 8; do
		# shellcheck disable=SC2086
		"$PERF" report -i "$TMP/long" -j$j $o >"$TMP/more" 2>&1
		same_file "$o: $j jobs" "$TMP/more" "$TMP/one"
	done
done
like "read by several indeed" "$("$PERF" report -i "$TMP/long" -j3 -vv -s parallelism 2>&1)" 'job 3 of 3: '

# ---- refusals
make_file none 0 s:101
for o in "--latency" "--parallelism 1" "-s parallelism" "-s latency,addr" "-F +latency_children"; do
	# shellcheck disable=SC2086
	check_status "no switches: $o" 129 "$PERF" report -i "$TMP/none" $o
	like "no switches: $o: message" "$(cat "$TMP/check.out")" \
		'Use of latency profile or parallelism requires --latency flag during record\.'
done
is "no switches: no column" "$(report none -s addr)" "# Overhead  Address|   100.00%  0x400010|"
for l in x 2- 3-1 4097; do
	check_status "--parallelism $l" 129 "$PERF" report -i "$TMP/plain" --parallelism $l
	like "--parallelism $l: message" "$(cat "$TMP/check.out")" 'failed to parse parallelism filter list'
done
check_status "--parallelism 0" 129 "$PERF" report -i "$TMP/plain" --parallelism 0,1
like "--parallelism 0: message" "$(cat "$TMP/check.out")" 'Requested parallelism level 0 is invalid'

if [ "$(id -u)" -eq 0 ] && "$PERF" record -q --latency -e cpu-clock -o "$TMP/rec.data" -- true 2>"$TMP/err"; then
	check_status "a recording made here" 0 "$PERF" report -i "$TMP/rec.data" --latency -s parallelism
else
	skip "a recording made here" "cannot record: $(head -1 "$TMP/err" 2>&1)"
fi
done_testing
