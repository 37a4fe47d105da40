# SPDX-License-Identifier: GPL-2.0-or-later
# What tests/helpers/edge-overlap.py says of recordings whose truth is known: 4000 places, each executed
# as often as any other, and bursts that are drawn of these without bias.
. "$(dirname "$0")/../lib.sh"
need_cmd python3 readelf
cd "$TMP" || exit 1
cat >make.py <<'EOF'
import random, re, subprocess, sys
path = sys.argv[1]
loads = re.findall(r'LOAD\s+(0x\w+)\s+(0x\w+)\s+0x\w+\s+(0x\w+)',
                   subprocess.run(['readelf', '-lW', path], capture_output=True, text=True).stdout)
off, addr, size = max(([int(v, 16) for v in load] for load in loads), key=lambda load: load[2])
START, PLACES, rnd = 0x10000000, 4000, random.Random(5)
assert size > 2 * PLACES + 1

with open('exact', 'w') as f:
    print('ob=' + path, 'fn=f', sep='\n', file=f)
    for i in range(PLACES):
        print(f'jump=100 {addr + 2 * i + 1:#x} 0', f'{addr + 2 * i:#x} 0', sep='\n', file=f)


def script(name, bursts, stacks, places=1):
    """@stacks of each of @bursts, all of one place; one burst with the next of them where it has two @places"""
    with open(name, 'w') as f:
        print(f'    7 0.000001: PERF_RECORD_MMAP2 7/7: [{START:#x}({size:#x}) @ {off:#x} 08:01 5 0]: r-xp {path}', file=f)
        for n, i in enumerate(bursts):
            edge = f'{START + 2 * i:#x}/{START + 2 * i + 1:#x}/P/-/-/0/'
            line = f'    7 {1 + n // places / 1000:.6f}: {START + 2 * i + 1:x} {edge}COND/-  {edge}RET/-  {edge}COND/-'
            f.writelines([line + '\n'] * stacks)


script('some', rnd.sample(range(PLACES), 40), 3)
for name in ('all.1', 'all.2'):
    script(name, rnd.choices(range(PLACES), k=10000), 1)
script('short', rnd.sample(range(PLACES), 40), 1)
script('long', range(80), 1, 2)
script('all-long', [place for i in range(20000) for place in (i // 5, (i // 5 + 2000) % PLACES)], 1, 2)
script('few', rnd.choices(range(PLACES), k=319), 1)
script('fewer', rnd.choices(range(PLACES), k=20), 1)
# and bursts that repeat: 4 places
script('repeating', rnd.choices(range(4), k=400), 1)
script('all-repeating', rnd.choices(range(4), k=4000), 1)
script('empty', [], 1)
# and of 40 places, so that draws of many have most of them
script('forty', rnd.choices(range(40), k=100), 1)
for n in (2, 5, 200):
    script(f'all-forty.{n}', rnd.choices(range(40), k=100 * n), 1)
EOF
check "files are made" python3 make.py "$PERF_FILE"
judge() { # judge arguments...: the first line goes to $line
	line=$(python3 "$ROOT/tests/helpers/edge-overlap.py" exact "$@" 2>&1 | head -1)
}
said() { # said WORD: what follows it in $line
	echo "$line" | awk -v w="$1" '{ for (i = 2; i < NF; i++) if ($i == w) print $(i + 1) }'
}
between() { # between LEAST MOST NUMBER
	awk -v v="$3" "BEGIN { exit !(v ~ /^[0-9.]+\$/ && v + 0 >= $1 && v + 0 <= $2) }"
}
judge some
without=$line
is "40 bursts of 4000 places overlap with the truth by one per cent" "${line%% *}" 1.0
is "they are bursts of three stacks" "$(said bursts) $(said stacks)" "40 120"
mark=$(said unbiased-bursts)
check "drawn again of themselves they seem to be 63 % ($mark)" between 58 68 "$mark"
judge some --all all.1 all.2
mark=$(said of-all)
check "drawn of many more they are the one per cent that it is ($mark)" between 0.9 2 "$mark"
is "and it is said of how many" "$(said all-bursts)" 20000
is "what is said otherwise stays" "$(echo "$line" | sed 's/ of-all [0-9.]* all-bursts [0-9]*//')" "$without"
judge short --all all-long
mark=$(said of-all)
check "of longer ones, of two places each, no more than the first is drawn ($mark)" between 0.9 1.2 "$mark"
judge long --all all-long
mark=$(said of-all)
check "both are where the recording's have two as well ($mark)" between 1.8 2.2 "$mark"
line=$(python3 "$ROOT/tests/helpers/edge-overlap.py" -b 400 exact some --all all.1 all.2)
mark=$(said of-all)
check "ten times as many have ten per cent ($mark)" between 9 12 "$mark"
line=$(python3 "$ROOT/tests/helpers/edge-overlap.py" -b 400 exact some 2>&1 | head -1)
like "which nobody can say without all" "$line" '^edge-overlap.py '
judge some --all few
mark=$(said of-all)
check "of fewer than eight times as many it is too high ($mark)" between 5 8 "${mark#<}"
is "which a sign says" "${mark%%[0-9]*}" "<"
judge some --all fewer
is "nothing is known of fewer than these are" "$(said of-all)" "<100.0"
judge repeating --all all-repeating
own=$(said unbiased-bursts) mark=$(said of-all)
check "both are right of bursts that repeat ($own, $mark)" between 95 99 "$own"
check "and near each other" between "$(awk "BEGIN { print $own - 2 }")" "$(awk "BEGIN { print $own + 2 }")" "$mark"
# 100 draws of 40 places: 100 - 50 * 40 * sqrt(2 / pi * 1/40 * 39/40 / 100) = 75.1
for n in 2 5 200; do
	judge forty --all all-forty.$n
	mark=$(said of-all)
	check "of $n times as many the mark is what it is of all that there are ($mark)" between 73.5 76.5 "${mark#<}"
done
judge some --all empty
is "none to draw from" "$line" "--all: no edges"
judge some --all
like "nor a file" "$line" '^edge-overlap.py '

# The other exact count, for what valgrind cannot run: calls, a loop's way back, a branch of one in three.
cat >known.c <<'EOF'
int sum;
void third(int i);
__asm__(".globl third, at_cond, to_cond, at_ret\n"
	"third: test %edi, %edi\nat_cond: je to_cond\n\tincl sum\nto_cond: nop\nat_ret: ret");
int main(void)
{
	for (int i = 0; i < 90000; i++)
		third(i % 3);
	return sum != 60000;
}
EOF
if ! command -v qemu-x86_64 >/dev/null; then
	skip "branches counted by qemu-user" "qemu-x86_64 is not installed"
elif [ "$(uname -m)" != x86_64 ]; then
	skip "branches counted by qemu-user" "the program is x86-64's"
elif ! cc -O1 -static -no-pie known.c -o known 2>cc.err; then
	skip "branches counted by qemu-user" "cc links no static program: $(head -1 cc.err)"
elif ! cc -shared -fPIC -O2 "$ROOT/tests/helpers/qemu-edges.c" -o edges.so; then
	fail "branches counted by qemu-user: the plugin"
elif ! qemu-x86_64 -cpu max -plugin "./edges.so,ob=$PWD/known,out=known.edges" ./known 2>qemu.err && [ ! -e known.edges ]; then
	skip "branches counted by qemu-user" "it does not take the plugin: $(head -1 qemu.err)"
else
	at() { nm known | awk -v s="$1" '$3 == s { sub(/^0+/, "", $1); print "0x" $1 }'; }
	counts() { grep -A1 "^jump=[0-9]* $1\$" known.edges | tr '\n' ' '; }
	is "calls" "$(counts "$(at third)" | cut -d' ' -f1)" jump=90000
	is "one in three" "$(counts "$(at to_cond)")" "jump=30000 $(at to_cond) $(at at_cond) 0 "
	is "no returns" "$(grep -c "^$(at at_ret) " known.edges)" 0
	is "the loop's way back" "$(grep -c '^jump=89999 ' known.edges)" 1
fi
done_testing
