#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A word of a sample wherever one sees it: evlist -v, report -D, script, --json, a sort key. The
# numbers are those that went into the made recording.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
made_file mem-file "$PERF" "$TMP/mem.data" || skip_all "cannot write $TMP/mem.data"
cd "$TMP" || exit 1

is "evlist -v names them" \
	"$("$PERF" evlist -v -i mem.data | sed 's/.*sample_type: //;s/,.*//')" \
	"IP|TID|TIME|ADDR|CPU|PERIOD|DATA_SRC|PHYS_ADDR|CGROUP|DATA_PAGE_SIZE|CODE_PAGE_SIZE|WEIGHT_STRUCT"
"$PERF" report -D -i mem.data 2>/dev/null | grep -a '^[ .]*\. [a-z_ ]*: ' >dump
is "report -D: a sample's words in upstream's order" "$(grep -n -m2 weight dump | sed -n '2s/:.*//p' |
	{ read -r n; sed -n "$n,$((n + 5))p" dump; } | sed 's/:.*//' | tr '\n' ';')" \
	"... weight; . data_src; .. phys_addr; .. data page size; .. code page size;... transaction;"

# column NAME: of all samples; seen NAME HOW: the same from JSON
column() {
	"$PERF" script -i mem.data -F "$1" 2>err | sed 's/ *$//'
}
seen() {
	"$PERF" script --json -i mem.data -F "$1" 2>err | python3 -c '
import json, sys
for line in sys.stdin:
    v = json.loads(line)[sys.argv[1]]
    print(eval(sys.argv[2]))' "$1" "$2"
}
is "phys_addr: JSON says what the text says" "$(seen phys_addr "'%16x' % int(v, 16)")" "$(column phys_addr)"
is "data_page_size: likewise" "$(column data_page_size | head -4 | tr '\n' ';')" " N/A; 4K; 2M; 1G;"
is "data_page_size: JSON" "$(seen data_page_size v | head -4 | tr '\n' ';')" "0;4096;2097152;1073741824;"
is "code_page_size" "$(column code_page_size | sort -u)" " 4K"
is "weight" "$(seen weight "'%16d' % v")" "$(column weight)"
is "ins_lat" "$(seen ins_lat "'%16d' % v")" "$(column ins_lat)"
is "retire_lat" "$(seen retire_lat "'%16d' % v")" "$(column retire_lat)"
is "data_src: the number in front of the words" "$(seen data_src "'%x' % int(v, 16)")" \
	"$(column data_src | sed 's/^ *//;s/ .*//')"
is "transaction: -, one bit, the word above it" "$(column transaction | sed -n '1,4p' | tr '\n' ';')" \
	" -; EL NEITHER :1; TX NEITHER; EL TX NEITHER :1;"
is "transaction: the samples of reports" "$(column transaction | grep -c ASYNC)" \
	"$("$PERF" report -i mem.data -s transaction -F sample,transaction 2>/dev/null |
		awk '/ASYNC/ { n += $1 } END { print n }')"
is "transaction: JSON" "$(seen transaction v | sed -n 2p)" 0x100000001
is "cgroup without a name" "$(seen cgroup v | sort -u)" None

# What samples do not have is said by name, with how to record it.
plain=$ROOT/tests/data/perf/branch-4.14.data
for f in phys_addr:PHYS_ADDR transaction:TRANSACTION cgroup:CGROUP weight:WEIGHT; do
	like "no ${f%:*}" "$("$PERF" script -i "$plain" -F "${f%:*}" 2>&1)" \
		"do not have ${f#*:} attribute set. Cannot print '${f%:*}' field"
done
like "transaction: the hint" "$("$PERF" script -i "$plain" -F transaction 2>&1)" "perf record --transaction"
done_testing
