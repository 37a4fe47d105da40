#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What script makes of branch stacks: an exact trace of a program stands in for branch records;
# blocks of instructions beside an installed perf's, counters, gaps and refusals on made files.
. "$(dirname "$0")/../lib.sh"
[ "$(uname -m)" = x86_64 ] || skip_all "needs an x86-64 machine"
need_cmd perl nm
CALLS=$O/tests/helpers/calls
cd "$TMP" || exit 1
script() {
	"$PERF" script "$@" 2>err
}
script -F ip,brstackinsn -i /dev/null >out
if grep -q 'built without' err; then skip_all "built without a library that decodes instructions"; fi

# ---- beside an installed perf, on an exact trace
"$O/tests/helpers/branch-trace" -n 97 -o t.data "$O/tests/helpers/hot-paths" >trace.out 2>&1 ||
	rm -f t.data
# same NAME LIMIT FILTER script-arguments...: equal once FILTER (sed) took out of both what may differ
same() {
	_name=$1 _filter=$2
	shift 2
	[ -s t.data ] || { skip "$_name" "programs cannot be traced here"; return; }
	{ [ -n "$PEER" ] && "$PEER" script "$@" -i t.data >peer.raw 2>/dev/null; } ||
		{ skip "$_name" "no installed perf to compare with"; return; }
	script "$@" -i t.data | sed "$_filter" >ours
	sed "$_filter" peer.raw >theirs
	if [ "$(wc -l <ours)" -gt 100 ]; then
		check "$_name: $(wc -l <ours) lines" cmp ours theirs
	else
		fail "$_name" "$(wc -l <ours) lines" "$(cat err)"
	fi
}
# brstackoff is not compared: it takes most objects' addresses as they are.
# It names stubs of the PLT "@plt" or not at all; older ones end entries behind the cycles.
PLT='/@plt/d; /^	_init+[0-9]*:/d; /^	\.plt[.a-z]*:/d; /^	\.plt[.a-z]*+[0-9]*:/d'
TAIL='s#\([0-9a-f]\)(/#\1 (/#g; s#\(/[PM-]N*/[X-]/[A-]/[0-9]*\)[^ ]*#\1#g; s/[a-z_]*@plt/PLT/g; s#PLT+0x[0-9a-f]*#PLT#g; s#\.plt[.a-z]*+0x[0-9a-f]*#PLT#g'
same brstackinsn "$PLT" -F ip,brstackinsn
same brstackinsnlen "$PLT" -F ip,brstackinsnlen
same "brstackinsn with symbols and objects" "$PLT; $TAIL" -F ip,sym,dso,brstackinsn
same "--max-blocks" "$PLT" -F ip,brstackinsn --max-blocks 3
same "brstack with dso" "$TAIL" -F ip,dso,brstack
if [ -s t.data ]; then
	script -F ip,brstackinsn -i t.data >out
	unlike "an exact trace fits the program" "$(cat out)" 'mismatch|not reaching|<bad>'
	script -F ip,brstackdisasm -i t.data >out
	like "brstackdisasm" "$(cat out)" '	(jmp|je|jne) 0x[0-9a-f]+ +	# PRED'
	like "brstackinsn with srcline" "$(script -F ip,sym,srcline,brstackinsn -i t.data)" \
		'^	collatz:	hot-paths.c:[0-9]+$'
else
	skip "an exact trace" "$(tail -1 trace.out)"
fi

# ---- made files
make_file() {
	_out=$1
	shift
	perl "$ROOT/tests/helpers/branch-file.pl" "$@" "$_out"
}
f2=$(perl -e 'for (`nm $ARGV[0]`) { printf "0x%x", 0x400000 + hex $1 if /^(\S+) T f2$/ }' "$CALLS")
ret=$(perl -e 'for (`nm $ARGV[0]`) { printf "0x%x", 0x400000 + hex($1) + 11 if /^(\S+) T f2$/ }' "$CALLS")
{
	echo "map 0x400000 0x100000 $CALLS"
	echo "sample 1 $f2 from=$f2,to=$f2,mispred=1,in_tx=1,abort=1,cycles=4,counter=0x6 from=$f2,to=$f2,predicted=1,cycles=2,counter=0x1"
} >counted.txt
make_file counted.data -c <counted.txt
script -F ip,brstackinsn,brcntr -i counted.data >out
is "legend of the counters" "$(head -4 out | tr '\n' '~')" \
	"# Branch counter abbr list:~# cycles = A~# '-' No event occurs~# '+' Event occurrences may be lost due to branch counter saturated~"
like "brcntr: one letter per count" "$(cat out)" '	br_cntr: A	# PRED 2 cycles \[2\]'
like "brcntr: flags behind" "$(cat out)" \
	'	br_cntr: AA	# MISPRED INTX ABORT 4 cycles \[6\] 0.25 IPC'
like "brcntr with -v: names" "$(script -v -F ip,brstackinsn,brcntr -i counted.data)" 'br_cntr: cycles 2 	#'
make_file plain.data <counted.txt
script -F ip,brstackinsn,brcntr -i plain.data >out
like "brcntr without counters is refused" "$(cat err)" \
	"Display of branch counter requested but it's not enabled"
off=$(perl -e 'printf "0x%x", hex($ARGV[0]) - 0x400000' "$f2")
like "brstackoff: addresses inside the object" "$(script -F brstackoff -i plain.data)" \
	"^ $off/$off/M/X/A/4//-  $off/$off/P/-/-/2//- \$"
like "brstackoff with dso" "$(script -F dso,brstackoff,ip -i plain.data)" " $off \([^ ]*calls\)/$off \("
like "brstacksym with dso" "$(script -F ip,sym,dso,brstacksym -i plain.data)" \
	'f2\+0x0 \([^ ]*calls\)/f2\+0x0 \([^ ]*calls\)/M/X/A/4//- '
make_file gap.data <<EOF
map 0x400000 0x100000 $CALLS
sample 1 $ret from=${f2%?}0,to=$f2,predicted=1 from=$f2,to=$(perl -e 'printf "0x%x", hex($ARGV[0]) - 3' "$f2"),predicted=1
EOF
script -F ip,brstackinsn -i gap.data >out
check "blocks that do not fit end quietly" test -s out
done_testing
