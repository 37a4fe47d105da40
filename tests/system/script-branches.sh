#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What script makes of branch stacks: an exact trace of a program stands in for branch records;
# blocks of instructions beside an installed perf's, counters, gaps and refusals on made files.
. "$(dirname "$0")/../lib.sh"
need_x86
need_cmd perl nm objdump python3
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
# 6.12 decodes other bytes than those of the libraries: of that, instructions of the program alone.
only_program() {
	if newer_peer; then
		sed '/^	/{/^	00005/!d}'
	else
		cat
	fi
}
# same NAME FILTER script-arguments...: equal once FILTER (sed) took out of both what may differ
same() {
	_name=$1 _filter=$2
	shift 2
	[ -s t.data ] || { skip "$_name" "programs cannot be traced here"; return; }
	{ [ -n "$PEER" ] && "$PEER" script "$@" -i t.data >peer.raw 2>/dev/null; } ||
		{ skip "$_name" "$NO_PEER"; return; }
	script "$@" -i t.data | sed "$_filter" | only_program >ours
	sed "$_filter" peer.raw | only_program >theirs
	if [ "$(wc -l <ours)" -gt 100 ]; then
		check "$_name: $(wc -l <ours) lines" perl "$ROOT/tests/helpers/same-blocks.pl" ours theirs
	else
		fail "$_name" "$(wc -l <ours) lines" "$(cat err)"
	fi
}
# brstackoff is not compared: it takes most objects' addresses as they are.
# It names stubs of the PLT "@plt" or not at all, and their head ".plt" or not at all; older ones
# end entries behind the cycles.
PLT='/@plt/d; /^	_init+[0-9]*:/d; /^	\.plt[.a-z]*:/d; /^	\.plt[.a-z]*+[0-9]*:/d'
TAIL='s#\([0-9a-f]\)(\([/[]\)#\1 (\2#g; s#\(/[PM-]N*/[X-]/[A-]/[0-9]*\)[^ ]*#\1#g; s/[^ /]*@plt/PLT/g
s#PLT+0x[0-9a-f]*#PLT#g; s#\.plt[.a-z]*+0x[0-9a-f]*#PLT#g; s# \.plt[.a-z]* (/# PLT (/#g; s#\[unknown\] (/#PLT (/#g'
same brstackinsn "$PLT" -F ip,brstackinsn
same brstackinsnlen "$PLT" -F ip,brstackinsnlen
# samples in stubs, too, go by many names
same "brstackinsn with symbols and objects" "$PLT; $TAIL; /^ .* PLT (/d; /^ .* _init (/d" -F ip,sym,dso,brstackinsn
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
	made_file branch-file "$@" "$_out"
}
f2=$(perl -e 'for (`nm $ARGV[0]`) { printf "0x%x", 0x400000 + hex $1 if /^(\S+) T f2$/ }' "$CALLS")
ret=$(perl -e 'for (`nm $ARGV[0]`) { printf "0x%x", 0x400000 + hex($1) + 11 if /^(\S+) T f2$/ }' "$CALLS")
off=$(perl -e 'printf "0x%x", hex($ARGV[0]) - 0x400000' "$f2")
{
	echo "map 0x400000 0x100000 $CALLS"
	echo "sample 1 $f2 from=$f2,to=$f2,mispred=1,in_tx=1,abort=1,cycles=4,counter=0x6 from=$f2,to=$f2,predicted=1,cycles=2,counter=0x1"
} >counted.txt
make_file counted.data -c <counted.txt
script -F ip,brstackinsn,brcntr -i counted.data >out
is "legend of the counters" "$(head -4 out | tr '\n' '~')" \
	"# Branch counter abbr list:~# cycles = A~# '-' No event occurs~# '+' Event occurrences may be lost due to branch counter saturated~"
like "brcntr: one letter per count" "$(cat out)" '		# br_cntr: A  PRED 2 cycles \[2\]'
like "brcntr: flags behind" "$(cat out)" \
	'		# br_cntr: AA  MISPRED INTX ABORT 4 cycles \[6\] 0.25 IPC'
like "brcntr with -v: names" "$(script -v -F ip,brstackinsn,brcntr -i counted.data)" 'br_cntr: cycles 2   MIS'
{
	echo "map 0x400000 0x100000 $CALLS"
	echo "sample 2 $f2 from=$f2,to=$f2,counter=0 from=$f2,to=$f2,counter=0x7 from=$f2,to=$f2,counter=0xd from=$f2,to=$f2,counter=4"
} | make_file saturated.data -c -e 2
script -F ip,brstackinsnlen,brcntr -i saturated.data >out
is "brcntr: none is -, as many as fit are +, of one group" \
	"$(sed -n 's/.*ilen: [0-9]*//p' out | head -4 | tr '\t\n' ' ~')" \
	"  # br_cntr: - ~  # br_cntr: A ~  # br_cntr: AAA+ ~  # br_cntr: - ~"
is "brcntr: the legend stands before every sample" "$(grep -c 'abbr list' out)" 2
is "brcntr with -v: as many as fit, and no legend" \
	"$(script -v -F ip,brstackinsn,brcntr -i saturated.data | grep -c 'abbr list\|br_cntr: cycles 3+ ')" 2
is "branches with the address in the object, with its name alone" \
	"$(script -F dsoff,brstack -i counted.data; script -F dsoff,brstacksym -i counted.data; script -F dso,brstack -i counted.data)" \
	"$(for w in " $f2 ($CALLS+$off)/$f2 ($CALLS+$off)" "f2+0x0 ($CALLS+$off)/f2+0x0 ($CALLS+$off)" " $f2 ($CALLS)/$f2 ($CALLS)"; do
		echo "$w/M/X/A/4//- $w/P/-/-/2//- "
	done)"
is "brstackinsn with srcline: of the function, and of the branches" \
	"$(script -F ip,srcline,brstackinsnlen -i counted.data |
		grep -c '^	f2:	calls\.c:[0-9]*$\|	ilen: [0-9]*	 srcline: calls\.c:[0-9]*	# ')" 3
cp "$CALLS" bare && strip -g bare
sed "s|$CALLS|$TMP/bare|" counted.txt >bare.txt
make_file bare.data <bare.txt
is "the same without lines" "$(script -F ip,srcline,brstackinsn -i bare.data |
	grep -c "^	f2:	bare\[${off#0x}\]\$\|	 srcline: bare\[${off#0x}\]	# ")" 3
script -C 0 -F brstack -i counted.data >out
like "-C without CPUs is refused" "$(cat err)" 'File does not contain CPU events. Remove -C option to proceed.'
is "the mode of a map" "$(script -F misc --show-mmap-events -i counted.data | grep -c '^U     PERF_RECORD_MMAP ')" 1
make_file plain.data <counted.txt
script -F ip,brstackinsn,brcntr -i plain.data >out
like "brcntr without counters is refused" "$(cat err)" \
	"Display of branch counter requested but it's not enabled"
like "brstackoff: addresses inside the object" "$(script -F brstackoff -i plain.data)" \
	"^ $off/$off/M/X/A/4//-  $off/$off/P/-/-/2//- \$"
like "brstackoff with dso" "$(script -F dso,brstackoff,ip -i plain.data)" " $off \([^ ]*calls\)/$off \("
like "brstacksym with dso" "$(script -F ip,sym,dso,brstacksym -i plain.data)" \
	'f2\+0x0 \([^ ]*calls\)/f2\+0x0 \([^ ]*calls\)/M/X/A/4//- '

# ---- brstacksym keeps the texts of addresses in a table that grows and at last starts anew
cat >many.pl <<'EOF'
# many.pl OBJECT: all addresses of its functions, some 200,000, in two orders: as branches on
# stdout, as samples without branches in ips.txt
my @at;
for (`nm -n --defined-only $ARGV[0]`) {
	push @at, hex $1 if /^(\S+) [Tt] /;
}
my ($from, $n) = ($at[0], 200000);
$n = $at[-1] - $from if $at[-1] - $from < $n;
open my $ips, '>', 'ips.txt';
print $_ "map 0x10000000 0x10000000 $ARGV[0]\n" for $ips, *STDOUT;
printf $ips "sample 1 0x%x\n", 0x10000000 + $from + $_ for 0 .. $n - 1;
close $ips;
for my $step (1, 77773) {
	for (my $i = 0; $i < $n; $i += 2000) {
		my @a = map { 0x10000000 + $from + ($_ * $step) % $n } $i .. ($i + 2000 < $n ? $i + 1999 : $n - 1);
		printf "sample 1 0x%x %s\n", $a[0], join ' ', map { sprintf 'from=0x%x,to=0x%x', $_, $_ ^ 1 } @a;
	}
}
print STDERR "$n\n";
EOF
n=$(perl many.pl "$PERF_FILE" 2>&1 >many.txt)
make_file many.data <many.txt
make_file ips.data -f 0 <ips.txt
script -F ip,sym,symoff -i ips.data >ips
# names may hold blanks
script -F brstacksym -i many.data | sed 's#/-/-/-/0//- *#\n#g' | sed '/^ *$/d; s/^ *//' >many
perl -ne 'BEGIN { open F, "<", "ips"; while (<F>) { $t{hex $1} = $2 if /^ *([0-9a-f]+) (.*?) *$/ } }
	while (/from=(\S+),to=(\S+)/g) { print $t{hex $1}, "/", $t{hex $2} // "?", "\n" }' many.txt >want
perl -e 'open A, "<", "many"; open B, "<", "want"; my ($n, $bad) = (0, 0);
	while (defined($a = <A>) && defined($b = <B>)) { $n++; next if $b =~ m#/\?$#; $bad++ if $a ne $b }
	print "$n lines, $bad differ\n"; print "too long\n" if defined <A> || defined <B>' >cmp.out
is "brstacksym of $n addresses, twice" "$(cat cmp.out)" "$((2 * n)) lines, 0 differ"
if [ "$n" -gt 131072 ]; then
	pass "... which are more than its table can hold"
else
	skip "... which are more than its table can hold" "$PERF has symbols for $n bytes only"
fi

# ---- stacks that do not fit the program, beside an installed perf
insns() { # insns FUNCTION: addresses of its instructions in the files below
	perl "$ROOT/tests/helpers/insns.pl" "$CALLS" "$1" 0x400000
}
# f1: push, mov, test, je, call ...; main: push, mov, push, sub, mov, mov, call
# shellcheck disable=SC2046
set -- $(insns f1)
f1=$1 test=$3 je=$4 call=$5 after=$6
# shellcheck disable=SC2046
set -- $(insns main)
main=$1 mcall=$7
# shellcheck disable=SC2046
set -- $(insns f2)
f2=$1 f2b=$2 ret=$4
plus() {
	perl -e 'printf "0x%x", hex($ARGV[0]) + $ARGV[1]' "$1" "$2"
}
walk() { # walk NAME IP BRANCH...: the text of one stack, kept in out
	_stack=$1 _ip=$2
	shift 2
	printf 'map 0x400000 0x100000 %s\nsample 1 %s %s\n' "$OBJECT" "$_ip" "$*" | make_file w.data
	script -F ip,brstackinsn -i w.data >out
	if [ -n "$PEER" ] && "$PEER" script -F ip,brstackinsn -i w.data >theirs 2>/dev/null; then
		same_file "$_stack: as an installed perf" out theirs
	else
		skip "$_stack: as an installed perf" "$NO_PEER"
	fi
}
first="from=$mcall,to=$f1,predicted=1"
OBJECT=$CALLS
walk "a stack that fits" "$f2b" "from=$call,to=$f2,cycles=3" "$first"
unlike "a stack that fits" "$(cat out)" 'mismatch|not reaching|bad'
walk "a branch that is not where an instruction begins" "$f2b" "from=$(plus "$je" 1),to=$f2" "$first"
like "a branch inside of an instruction: mismatch" "$(cat out)" '^	mismatch of LBR data and executable$'
is "and the walk goes on behind it" "$(tail -3 out | grep -c '	0000')" 2
walk "a target inside of an instruction" "$f2b" "from=$je,to=$f2" "from=$mcall,to=$(plus "$f1" 2)"
walk "a branch that is none" "$f2b" "from=$test,to=$f2" "$first"
unlike "an instruction that is no branch is shown as one" "$(cat out)" 'mismatch'
walk "a branch behind its block" "$f2b" "from=$f1,to=$f2" "from=$mcall,to=$je"
is "a branch that lies before its block: no block" "$(grep -c '	0000' out)" 3
walk "a branch 17,000 bytes on" "$f2b" "from=$(plus "$f1" 17000),to=$f2" "$first"
is "a block that is too long: none" "$(grep -c '	0000' out)" 3
for n in 16368 16369 16370; do
	walk "a block of $n bytes and one instruction" "$f2b" "from=$(plus "$f1" $n),to=$f2" "$first"
done
walk "a sample before the newest target" "$main" "from=$je,to=$after"
like "a sample that the code does not lead to" "$(cat out)" '^	\.\.\. not reaching sample \.\.\.$'
walk "a sample in another function" "$main" "from=$call,to=$f2" "$first"
like "a return before the sample" "$(tail -3 out)" '^	\.\.\. not reaching sample \.\.\.$'
walk "a sample too far away" "$(plus "$f2" 20000)" "from=$call,to=$f2" "$first"
walk "a sample inside of an instruction" "$(plus "$f2b" 1)" "from=$call,to=$f2" "$first"
walk "a sample at the branch itself" "$call" "from=$call,to=$f2" "$first"
is "a sample at the branch: its target was not executed" "$(grep -c '	f2:' out)" 0
walk "an aborted branch" "$f2b" "from=$call,to=$f2,abort=1" "$first"
walk "an end without an object" "$f2b" "from=0x10000000,to=$f2" "$first"
walk "a target without an object" "$f2b" "from=$call,to=0x10000000" "$first"
walk "ends that are zero" "$f2b" "from=0x0,to=$f2" "from=$call,to=0x0" "$first"
walk "the way into the kernel left out" "$f2b" "from=0xffffffff81000010,to=$f2" "from=$call,to=$f1" "$first"
walk "a block in the kernel" "$f2b" "from=0xffffffff81000010,to=$f2" "from=$mcall,to=0xffffffff81000000"
OBJECT=/nonexistent/calls
walk "an object that is gone" "$f2b" "from=$call,to=$f2,cycles=3" "$first"
is "an object that is gone: no instructions" "$(grep -c '	0000' out)" 0
# Stacks with some branches only: a call on the way to the sample is nothing strange.
OBJECT=$CALLS
printf 'map 0x400000 0x100000 %s\nsample 1 %s from=%s,to=%s\n' "$OBJECT" "$after" "$mcall" "$f1" >w.txt
make_file all.data <w.txt
make_file calls.data -f $((0x70)) <w.txt
script -F ip,brstackinsn -i all.data >out
like "all branches: a call before the sample" "$(cat out)" 'not reaching'
script -F ip,brstackinsn -i calls.data >out
like "calls and returns only are refused" "$(cat err)" \
	'Display of branch stack assembler requested, but non all-branch filter set'
done_testing
