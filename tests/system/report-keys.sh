#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf report's sort keys on made recordings: memory samples, weights, names and maps; and what it
# says about keys of upstream that are not there.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
H=$O/tests/helpers
[ -x "$H/report-cpp" ] || skip_all "helper programs are not built: make tests"
MEM=$TMP/mem.data
made_file mem-file "$H/report-cpp" "$MEM" || skip_all "cannot write $MEM"

# table ARGS...: rows and headings, blanks at the ends of lines removed
table() {
	"$PERF" report -i "$MEM" "$@" 2>"$TMP/err" |
		sed -n '/^# Overhead/,/^$/p' | sed 's/ *$//; /^$/d; /^#$/d'
}

# rows NAME ARGS... <WANT: the table
rows() {
	_name=$1
	shift
	cat >"$TMP/want"
	table "$@" >"$TMP/got"
	same_file "$_name" "$TMP/got" "$TMP/want"
}

rows "tlb" --mem-mode -s tlb <<'EOT'
# Overhead  TLB access
# ........  ......................
    84.98%  N/A
     1.95%  N/A
     1.95%  L1 hit
     1.95%  L1 hit miss
     1.83%  Fault
     1.71%  Walker
     1.59%  L2
     1.47%  L1
     1.34%  N/A miss
     1.22%  N/A hit
EOT
rows "locked" --mem-mode -s locked <<'EOT'
# Overhead  Locked
# ........  ......
    94.51%  No
     3.66%  N/A
     1.83%  Yes
EOT
rows "blocked" --mem-mode -s blocked <<'EOT'
# Overhead  Blocked
# ........  ..........
    95.48%   N/A
     1.95%   N/A
     1.34%   Addr
     1.22%   Data
EOT
rows "data_page_size" --mem-mode -s data_page_size <<'EOT'
# Overhead  Data Page Size
# ........  ......................
    25.64%  2M
    25.40%  4K
    25.15%  N/A
    23.81%  1024M
EOT
# weights: of one sample, and the sum over those that are equal
rows "local_weight" -s local_weight <<'EOT'
# Overhead  Local Weight
# ........  ............
    14.61%  16
    14.50%  15
    14.39%  14
    14.29%  13
    14.18%  12
    14.07%  11
    13.96%  10
EOT
rows "weight" -s weight <<'EOT'
# Overhead  Weight
# ........  ............
    14.61%  144
    14.50%  135
    14.39%  126
    14.29%  117
    14.18%  108
    14.07%  99
    13.96%  90
EOT
rows "retire_lat" -s comm,retire_lat <<'EOT'
# Overhead  Command  Pipeline Stage Cycle
# ........  .......  ....................
    33.59%  mem      42
    33.33%  mem      21
    33.08%  mem      0
EOT
rows "means of weights" -s comm,weight1,weight2,weight3 <<'EOT'
# Overhead  Command   Weight1   Weight2   Weight3
# ........  .......  ........  ........  ........
   100.00%  mem          13.0       2.0       1.0
EOT
rows "code_page_size" -s code_page_size,tgid <<'EOT'
# Overhead  Code Page Size     Tgid:Command
# ........  ..............  ...............
   100.00%  4K                   77:mem
EOT
"$PERF" report -i "$MEM" -s comm,overhead_us 2>/dev/null >"$TMP/got"
like "a column of shares takes the place of the first" "$(cat "$TMP/got")" '^  mem +100\.00%'

# Levels by their number: upstream has them all in one row.
table --mem-mode -s mem >"$TMP/got"
for name in 'L4' 'RAM' 'CXL' 'Remote L3' 'L1 hit' 'Remote RAM \(2 hops\)' 'Unknown level 7'; do
	like "mem: $name" "$(cat "$TMP/got")" "^ +[0-9.]+%  $name\$"
done
"$PERF" report -i "$MEM" --mem-mode >"$TMP/got" 2>&1
like "--mem-mode: the sum" "$(cat "$TMP/got")" '^# Total weight : 819$'
like "--mem-mode: the keys" "$(cat "$TMP/got")" \
	'^# Sort order   : local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,'
like "--mem-mode: a data symbol" "$(table --mem-mode -s symbol_daddr)" \
	'^ +[0-9.]+%  \[\.\] [A-Za-z_:]+.*\+0x[0-9a-f]+'
like "--mem-mode: no symbol" "$(cat "$TMP/got")" '\[\.\] 0x00007ffc00001090'
like "dcacheline" "$(table --mem-mode -s dcacheline)" '^ +[0-9.]+%  \[X\] 0x00007ffc00001080$'
like "phys_daddr" "$(table --mem-mode -s phys_daddr)" '^ +[0-9.]+%  \[\.\] 0x0000000000001090$'
like "symbol_iaddr" "$(table --mem-mode -s symbol_iaddr)" '^ +1\.95%  \[\.\] _start'
like "symoff" "$(table -s symoff)" '\[\.\] _start\+0x[0-9a-f]+$'
size=$(table -s dso_size | awk '/%/ { print $2 }')
check "dso_size is the size of the map ($size)" test "$size" -gt 100
like "addr" "$(table -s addr)" '^ +[0-9.]+%  0x55550000[0-9a-f]{4}$'

# Keys that upstream has and we have not.
for k in type typeoff typecln op cache memory dtlb; do
	check_status "key $k" 129 "$PERF" report -i "$MEM" -s $k
	like "key $k: says why not" "$(cat "$TMP/check.out")" "^--sort key .$k': it "
done
check_status "key ipc_null" 129 "$PERF" report -i "$MEM" -s ipc_null
"$PERF" report -i "$MEM" -s symbol_dadr >/dev/null 2>"$TMP/err"
like "a key with a slip: the nearest" "$(cat "$TMP/err")" 'symbol_daddr'

# What a mode asks for and the recording has not.
if [ "$(id -u)" -eq 0 ] && "$PERF" record -q -e cpu-clock -o "$TMP/plain.data" -- true >/dev/null 2>&1; then
	check_status "--mem-mode without data sources" 1 "$PERF" report --mem-mode -i "$TMP/plain.data"
	like "--mem-mode without data sources: message" "$(cat "$TMP/check.out")" \
		'Selected --mem-mode but no mem data. Did you call perf record without -d\?'
	check_status "parent without chains" 1 "$PERF" report -s parent -i "$TMP/plain.data"
	like "parent without chains: message" "$(cat "$TMP/check.out")" \
		"Selected --sort parent, but no callchain data. Did you call 'perf record' without -g\?"
	"$PERF" report --parent true -i "$TMP/plain.data" >"$TMP/out" 2>&1
	is "--parent without chains: the same" "$(cat "$TMP/out")" "$(cat "$TMP/check.out")"
else
	for t in "--mem-mode without data sources" "its message" "parent without chains" "its message" \
		"--parent without chains"; do
		skip "$t" "cannot record here"
	done
fi
done_testing
