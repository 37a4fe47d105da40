# SPDX-License-Identifier: GPL-2.0-or-later
# Branch stacks in software: the known table of the brstack workload, and every recorded edge of
# real programs held against their disassembly.
. "$(dirname "$0")/../lib.sh"
need_x86
need_cmd python3 objdump readelf
CHECK=$ROOT/tests/helpers/check-edges.py
cd "$TMP" || exit 1
"$PERF" record -j any,save_type,u --branch-source=software --branch-span=0 --branch-budget 0 -F 2000 -o b.data -- \
	"$PERF" test -w brstack 10000000 >/dev/null 2>err ||
	skip_all "cannot follow branches here: $(head -2 err | tr '\n' ' ')"

# Where no breakpoint fires stacks are computed only.
grep -q 'computed with breakpoints' err && fires=yes || fires=

"$PERF" script -i b.data -F brstacksym | tr ' ' '\n' | grep brstack >edges.txt
edge() { # edge FROM TO TYPE
	if grep -Eq "^$1\+[^/]*/$2\+[^/]*/.*/$3(/|$)" edges.txt; then
		pass "$1 -> $2 $3"
	else
		fail "$1 -> $2 $3" "$(grep "^$1+" edges.txt | sort | uniq -c | sort -rn | head -5)"
	fi
}
edge brstack_bench brstack_foo IND_CALL
edge brstack_foo brstack_bar CALL
edge brstack_bench brstack_foo CALL
edge brstack_bench brstack_bar CALL
edge brstack_bar brstack_foo RET
edge brstack_foo brstack_bench RET
edge brstack_bench brstack_bench COND
edge brstack brstack UNCOND

# What the branches say of the function's instructions: its conditional branch is taken two times of
# three, calls always; calls through a pointer know their target; all fit the code.
"$PERF" annotate -i b.data --json --no-source brstack_bench 2>err >bench.json
is "branches on instructions" "$(python3 - 2>&1 <<'EOF'
import json
f = json.load(open('bench.json'))['functions'][0]
insns = [i for i in f['lines'] if 'address' in i]
for i in insns:
    if i.get('branch') == 'cond':
        print('cond', 0.6 < i['taken'] / i['executions'] < 0.73, i.get('cycles'), i['ipc'])
    if i.get('branch') == 'call':
        print('call', i['taken'] == i['executions'])
    if i.get('branch') == 'ind_call':
        print(*[e['symbol'] for e in i['edges']], i['taken'] == i['executions'])
b = f['branches']
print(b['checked'] > 100 and b['checked'] == b['fit'], b['executed'] == b['instructions'], b['measured'])
EOF
)" "cond True None None
call True
call True
call True
brstack_foo True
True True 0"

only() { # only FILTER TYPES: nothing but these types is recorded
	"$PERF" record -q -j "$1,u" --branch-source=software --branch-span=0 --branch-budget 0 -F 2000 -o f.data -- \
		"$PERF" test -w brstack 6000000 >/dev/null 2>&1
	"$PERF" script -i f.data -F brstack | tr ' ' '\n' | grep / | awk -F/ '{ print $7 }' |
		sort | uniq -c >types.txt
	if [ -s types.txt ] && ! grep -Evq " ($2)\$" types.txt; then
		pass "-j $1 records $2"
	else
		fail "-j $1 records $2" "$(cat types.txt)"
	fi
}
only any_call 'CALL|IND_CALL'
only any_ret RET
only ind_call IND_CALL
only call CALL
only cond COND
only any_call,any_ret 'CALL|IND_CALL|RET'

# a system call about every 100 branches: stacks go on behind it
if [ -z "$fires" ]; then
	skip "stacks cut at quick system calls" "no breakpoint fires here"
elif command -v perl >/dev/null; then
	"$PERF" record -q -b --branch-source=software --branch-span=0 --branch-budget 0 -F 2000 -o s.data -- \
		perl -e '$n = 0; for (1..1000000) { $n++ if -e "/" }' >/dev/null 2>&1
	"$PERF" script -i s.data -F brstack | awk '{ n++; short += NF < 32 }
		END { print (n && short < n / 10 ? "rare" : short + 0 " of " n + 0) }' >short.txt
	is "stacks cut at quick system calls" "$(cat short.txt)" rare
else
	skip "stacks cut at quick system calls" "perl is not installed"
fi

check_status "-j k in software is refused" 129 \
	"$PERF" record -j any,k --branch-source=software --branch-span=0 -o x.data true
like "with the reason" "$(cat check.out)" 'in user space only'
for depth in 65 0 -1 many; do
	check_status "--branch-depth $depth is refused" 129 \
		"$PERF" record -b --branch-source=software --branch-span=0 --branch-depth=$depth -o x.data true
	like "with what it takes" "$(cat check.out)" "--branch-depth takes 1 to 64, not '$depth'"
done
"$PERF" record -q -b --branch-source=software --branch-span=0 --branch-depth 64 --branch-budget 0 -F 500 -o d.data -- \
	"$PERF" test -w brstack 10000000 >/dev/null 2>&1
is "--branch-depth 64" "$("$PERF" script -i d.data -F brstack |
	awk '{ n = gsub("/-/", "&"); if (NF > m) m = NF } END { print m }')" 64
like "the header names the source" "$("$PERF" report -i b.data --header-only 2>/dev/null)" \
	'sample source : .*branches from software'

like "evlist, too" "$("$PERF" evlist -i b.data)" 'sample source : .*branches from software'
like "and report" "$("$PERF" report --stdio -i b.data 2>/dev/null | head -8)" \
	'sample source : .*branches from software'
unlike "recordings of the kernel have no such line" "$("$PERF" record -q -e cpu-clock -o k.data true
	"$PERF" report --stdio -i k.data 2>/dev/null; "$PERF" evlist -i k.data)" 'sample source'

# ---- real programs: every edge is one that the code has, consecutive ones chain
real() { # real NAME command...
	_name=$1
	shift
	command -v "$1" >/dev/null 2>&1 || {
		skip "$_name: every edge is possible" "$1 is not installed"
		return
	}
	"$PERF" record -q -b --branch-source=software --branch-span=0 --branch-budget 0 -F 1000 -o r.data -- "$@" >out 2>err
	_rc=$?
	"$@" >plain 2>/dev/null
	if [ $_rc -eq $? ] && cmp -s out plain; then
		pass "$_name: output and status are its own"
	else
		fail "$_name: output and status are its own" "status $_rc" "$(cat err)"
	fi
	if "$PERF" script -i r.data -F ip,brstack --show-mmap-events 2>/dev/null |
		python3 "$CHECK" >edges.out 2>&1; then
		pass "$_name: every edge is possible ($(tail -1 edges.out))"
	else
		fail "$_name: every edge is possible" "$(cat edges.out)"
	fi
}
seq 1 300000 | awk '{ print ($1 * 7919) % 300007 }' >nums
real sort sort -n nums
real xz xz -1 -k -c nums
real lua lua5.4 -e 'local t={} for i=1,1500000 do t[i%1000]=(t[i%1000] or 0)+i*2 end print(t[5])'
real perl perl -e 'my %h; $h{"k".($_ % 5000)} .= chr(65+$_%26) for 1..300000; my $c=0; for (values %h) { $c++ while /AB?C+/g } print "$c\n"'

# What a walk keeps open of a thread shows the memory that it had then: not any more that of a program
# which executes another, in a chain, from a second thread, or while it has its parent's memory.
for mode in execs threadexec handed; do
	"$PERF" record -q -b --branch-source=software --branch-span=0 --branch-budget 0 -F 1000 -o h.data \
		"$O/tests/helpers/tracee" $mode >/dev/null 2>err
	"$PERF" script -i h.data -F ip,brstack | awk '{ n++; full += gsub("/-/", "&") >= 32 }
		END { print (n >= 20 && full * 10 >= n * 9 ? "full" : full + 0 " of " n + 0) }' >full
	is "$mode: stacks of every program are full" "$(cat full)" full || diag "$(cat err)"
done

# What is kept open for threads' times is closed when they end.
cat >kids.sh <<'E'
for i in $(seq 60); do "$1" execs 2 >/dev/null; done
ls -l /proc/$PPID/fd | grep -c schedstat
E
"$PERF" record -q -b --branch-source=software --branch-span=0 --branch-budget 50 -F 2000 -o h.data \
	sh kids.sh "$O/tests/helpers/tracee" >out 2>err
[ "$(cat out)" -le 8 ] && pass "nothing stays open of 60 programs that ended" ||
	fail "nothing stays open of 60 programs that ended" "$(cat out) files" "$(cat err)"

# Registers with branches read them where the stack ends: there every stack is compared with the
# thread, which must have come to where the computing said.
"$PERF" record -b --branch-source=software --branch-span=0 --reg-source=ptrace --user-regs=ax,sp,ip \
	--branch-budget 0 -F 1000 -o v.data -- gzip -c nums nums nums >/dev/null 2>err
if [ -n "$fires" ]; then
	like "computed ways are those that the thread took" "$(cat err)" \
		'([2-9][0-9]|[1-9][0-9]{2,}) compared with the thread, 0 of them dropped'
else
	skip "computed ways are those that the thread took" "no breakpoint fires here"
fi
"$PERF" script -i v.data -F ip,uregs | awk '{ for (i = 2; i <= NF; i++) if ($i ~ /^IP:0x/) {
	n++; if (substr($i, 6) != $1) bad++ } } END { print (n > 20 ? "many" : n) " " (bad + 0) }' >ips
is "and the registers' IP is the sample's" "$(cat ips)" "many 0"
# Every 16th stack is compared, also of a loop so hot that few of them end where that is cheap.
compared() { # compared FILE: "STACKS COMPARED DROPPED"
	sed -n 's/.* \([0-9]*\) stacks of .* \([0-9]*\) compared with the thread, \([0-9]*\) of them.*/\1 \2 \3/p' "$1"
}
"$PERF" record -b --branch-source=software --branch-span=0 --branch-budget 0 -F 2000 -o c.data -- \
	"$PERF" test -w brstack 20000000 >/dev/null 2>err
if [ -n "$fires" ]; then
	like "every 16th stack is compared with the thread" "$(compared err | awk '{
		print ($1 >= 100 && $2 * 20 >= $1 - 32 && !$3 ? "so it is" : "stacks, compared, dropped: " $0) }')" 'so it is'
	PERF_TRACER_WITHOUT=later-hits timeout 60 "$PERF" record -b --branch-source=software --branch-span=0 \
		--branch-budget 0 -F 2000 -o c.data -- "$PERF" test -w brstack 60000000 >/dev/null 2>err
	like "breakpoints that have stopped to fire are not waited for any more" "$? $(tr '\n' ' ' <err)" \
		'^0 .*computed without breakpoints,.* 0 compared with the thread, 0 of them dropped, 4 that the thread did not follow'
else
	skip "every 16th stack is compared with the thread" "no breakpoint fires here"
	skip "breakpoints that have stopped to fire are not waited for any more" "no breakpoint fires here"
fi
PERF_TRACER_WITHOUT=hits "$PERF" record -b --branch-source=software --branch-span=0 --branch-budget 0 -F 2000 \
	-o c.data -- "$PERF" test -w brstack 20000000 >/dev/null 2>err
like "where none fires nothing is compared, nothing dropped, and the end says so" "$(cat err)" \
	'computed without breakpoints, 0.000 stops .* 0 compared with the thread, 0 of them dropped \]'
# long double is computed by x87, whose results decide branches, too
cat >x87.c <<'E'
#include <stdio.h>
int main(void)
{
	long double s = 0;

	for (int i = 1; i < 20000000; i++) {
		s += 1.0L / i;
		if (s > 3.0L)
			s -= 2.5L;
	}
	printf("%.6Lf\n", s);
	return 0;
}
E
if ${CC:-cc} -O1 -o x87 x87.c 2>/dev/null; then
	./x87 >plain
	PERF_TRACER_WITHOUT=hits "$PERF" record -b --branch-source=software --branch-span=0 --branch-budget 0 -F 1000 \
		-o x.data ./x87 >out 2>err
	same_file "x87 code runs as alone" out plain
	like "and what it decides is computed" "$(cat err)" ' stacks of 3[0-2]\.[0-9] branches, computed without'
	if "$PERF" script -i x.data -F ip,brstack --show-mmap-events 2>/dev/null |
		python3 "$CHECK" >edges.out 2>&1; then
		pass "every edge of it is possible ($(tail -1 edges.out))"
	else
		fail "every edge of it is possible" "$(cat edges.out)"
	fi
else
	skip "x87 code" "no C compiler"
fi
if [ -n "$PEER" ]; then
	"$PEER" script -i b.data -F brstack 2>peer.err | head -1 >peer.txt
	like "an installed perf reads the stacks" "$(cat peer.txt)" '0x[0-9a-f]+/0x[0-9a-f]+/'
	unlike "without a warning" "$(cat peer.err)" '[a-z]'
fi
done_testing
