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

# Registers of which several bits of the mask have one name, or none.
cat >regs.py <<'E'
import sys
from perfdata import *
for name, arch, mask in ('xmm', 'x86_64', 1 | 7 << 32), ('mips', 'mips64', 1 | 3 << 26):
    r = Recording(Attr(size=112, sample_type=IP|TID|TIME|REGS_INTR, flags='comm mmap sample_id_all', sample_regs_intr=mask))
    r.comm(10, 'l')
    r.sample(ip=0x1234, pid=10, regs_intr=dict(abi=2, gprs=[0x11 * n for n in range(1, 1 + bin(mask).count('1'))]))
    r.features[ARCH] = r.string(arch)
    r.write(name + '.data')
E
PYTHONPATH=$ROOT/tests/helpers python3 regs.py
pairs() { # pairs FILE OPTION...: the keys of iregs with their values, none of which is lost
	_data=$1
	shift
	"$PERF" script --json -F iregs "$@" -i "$_data" 2>err | python3 -c '
import json, sys
print(json.load(sys.stdin, object_pairs_hook=lambda p: p)[0][1])'
}
is "halves of a register are one value" "$(pairs xmm.data)" \
	"[('abi', 2), ('AX', '0x11'), ('XMM0', ['0x22', '0x33']), ('XMM1', ['0x44', None])]"
is "... hidden, too" "$(pairs xmm.data --redact)" "[('abi', 2), ('AX', None), ('XMM0', None), ('XMM1', None)]"
is "what has no name has a number" "$(pairs mips.data)" \
	"[('abi', 2), ('PC', '0x11'), ('unknown26', '0x22'), ('unknown27', '0x33')]"
done_testing
