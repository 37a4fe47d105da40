#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# report --branches=paths: superblocks and how much lies in them, loops with known numbers of rounds, returns
# that go astray.
. "$(dirname "$0")/../lib.sh"
need_x86
need_cmd python3 perl objdump
KINDS=$O/tests/helpers/branch-kinds
[ -x "$KINDS" ] || skip_all "the helper programs are not built (make tests)"
cd "$TMP" || exit 1
paths() {
	"$PERF" report --branches=paths "$@" 2>err
}
py() {
	python3 -c "import json
d = json.load(open('json'))
$1"
}
insns() {
	perl "$ROOT/tests/helpers/insns.pl" "$KINDS" "$1" 0x400000
}

# ---- made files
# shellcheck disable=SC2046
set -- $(insns main)
m1=$1 m2=$2 m3=$3 m4=$4 m5=$5 m6=$6 m7=$7
{
	echo "map 0x400000 0x100000 $KINDS.gone"
	# four branches in a round: three ways through, 80, 15 and 5 of 100 times
	echo "sample 80 $m1 from=$m5,to=$m1 from=$m3,to=$m4 from=$m2,to=$m3 from=$m5,to=$m1"
	echo "sample 15 $m1 from=$m6,to=$m1 from=$m2,to=$m6 from=$m5,to=$m1"
	echo "sample 5 $m1 from=$m7,to=$m1 from=$m2,to=$m7 from=$m5,to=$m1"
} | made_file branch-file ways.data
paths --json -i ways.data >json
is "as many blocks as steps between two branches" "$(py 'print(sum(p["blocks_run"] for p in d["paths"]))')" "$((80 * 3 + 15 * 2 + 5 * 2))"
is "the path taken most" "$(py 'p = d["paths"][0]; print(p["blocks"], p["blocks_run"], p["percent"])')" \
	"$(perl -e 'printf "3 240 %s", sprintf("%.2f", 24000 / 280) + 0')"
is "one path is 80 % of it, all are 100 %" "$(py 'print([(c["percent"], c["paths"]) for c in d["coverage"] if c["percent"] in (80, 100)][0], len(d["paths"]) == d["coverage"][-1]["paths"])')" \
	"(80, 1) True"
like "... in words" "$(paths --stdio -i ways.data)" '^# 1 path is 80 % of all blocks that ran$'

# ---- more paths than people read
{
	echo "map 0x400000 0x100000 $KINDS.gone"
	perl -e 'printf "sample 1 0x400010 from=0x%x,to=0x400010 from=0x400020,to=0x%x\n", 0x410008 + 16 * $_, 0x410000 + 16 * $_ for 1 .. 1010'
} | made_file branch-file many.data
count_paths() {
	paths --stdio -i many.data "$@" | grep -c '[0-9a-f][.][.][0-9a-f]'
}
like "text says how many paths are left out" "$(paths --stdio -i many.data)" '^# Superblocks, 1000 of 1010: --percent-limit 0 lists all$'
is "... and leaves them out" "$(count_paths)" 1000
is "... unless it is told which to list" "$(count_paths --percent-limit 0)" 1010
unlike "... and then has no more to say" "$(paths --stdio --percent-limit 0 -i many.data)" 'lists all'
is "programs have all" "$(paths --json -i many.data | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["paths"]))')" 1010
is "... with -t as well" "$(count_paths -t ,)" 1010

# ---- a trace of loops and calls that fit
if "$O/tests/helpers/branch-trace" -d 64 -n 61 -o t.data "$KINDS" 120 >trace.out 2>&1; then
	paths --json -i t.data >json
	if grep -q 'built without' err; then skip_all "built without a library that decodes instructions"; fi
	is "a loop of 7 rounds: each time that was seen whole" "$(py '
print({r["rounds"] for r in d["rounds"] if r["head"].startswith("loop7+") and r["whole"]})')" "{7}"
	is "... cut ones are shorter" "$(py '
print(max(r["rounds"] for r in d["rounds"] if r["head"].startswith("loop7+") and r["cut"]) <= 7)')" True
	check "... 7 on average, by rounds and entries" python3 -c '
import json
l = [l for l in json.load(open("json"))["loops"] if l["head"].startswith("loop7+")][0]
exit(not (abs(l["mean_rounds"] - 7) < 0.5 and l["seen_whole"] > 20))'
	like "... as text" "$(paths -q --stdio -i t.data | grep 'loop7+' | grep ' 7:')" ' 7:[0-9]+ +loop7\+'
	is "functions of the program return to behind the call" "$(py '
names = ("alternates", "biased", "coin", "loop7", "picks", "skips")
print(sum(c["astray"] for c in d["calls"] if c["function"] in names),
      all(c["matched"] for c in d["calls"] if c["function"] in names))')" "0 True"
	is "blocks that ran are those that --branches=cycles has" "$(py 'print(sum(p["blocks_run"] for p in d["paths"]))')" \
		"$("$PERF" report --branches=cycles --json -i t.data 2>err | python3 -c '
import json, sys; print(sum(b["count"] for b in json.load(sys.stdin)["blocks"]))')"
	check "shares add up" python3 -c '
import json
p = json.load(open("json"))["paths"]
exit(not (99 < sum(x["percent"] for x in p) < 101 and abs(p[-1]["cumulative"] - 100) < 0.01))'
else
	skip "loops of a trace" "programs cannot be traced here: $(tail -1 trace.out)"
fi

# ---- returns that go elsewhere
# shellcheck disable=SC2046
set -- $(insns skips)
skips=$1
eval "ret=\${$#}"
call=$(objdump -d "$KINDS" | perl -ne 'printf("0x%x", 0x400000 + hex $1), last if /^ *([0-9a-f]+):.*\tcall.*<skips>/')
far=$m7
cat >astray <<E
map 0x400000 0x100000 $KINDS
sample 30 $call from=$ret,to=$(printf '0x%x' $((call + 5))),predicted=1 from=$call,to=$skips,predicted=1
sample 10 $call from=$ret,to=$far,mispred=1 from=$call,to=$skips,predicted=1
E
made_file branch-file astray.data <astray
paths --json -i astray.data >json
is "10 of 40 returns do not go back to behind the call" "$(py '
c = [c for c in d["calls"] if c["function"] == "skips"][0]
print(c["calls"], c["returns"], c["matched"], c["astray"], c["astray_percent"])')" "40 40 30 10 25.0"
is "... and are listed first" "$(paths -q --stdio -i astray.data | awk '$4 == 10 && $5 == "25.00%" { print $6 }')" skips
# A recording may take calls and returns for jumps (type 2); what the instruction is holds.
sed 's/from=/type=2,from=/g' astray | made_file branch-file jumps.data
paths --json -i jumps.data >jumps.json
same_file "... also where the recording has them as jumps" jumps.json json

# ---- records that do not agree about what a branch is, where no code tells: what a stack says is the same whichever came before
made_file branch-file types.data <<'E'
map 0x400000 0x1000 /nowhere
sample 4000 0x400183 from=0x400190,to=0x400170,type=1,predicted=1 from=0x400190,to=0x400170,predicted=1 from=0x4001a0,to=0x400150,predicted=1
sample 4000 0x400183 from=0x400190,to=0x400170,type=5,predicted=1 from=0x400190,to=0x400170,predicted=1 from=0x4001a0,to=0x400150,predicted=1
sample 4000 0x400183 from=0x400190,to=0x400170,predicted=1 from=0x400190,to=0x400170,type=1,predicted=1 from=0x4001a0,to=0x400150,predicted=1
E
paths --json -j 1 -i types.data >one
for j in 2 3 8; do
	paths --json -j $j -i types.data >some
	same_file "branches of several types: the same by $j threads" some one
done

# ---- code and stacks made to be slow: each of 2700 branches passes 2700 that lead back, to a place that is never come to
{
	printf '\t.globl hot\n\t.type hot, @function\nhot:\tnop\n.Lround:\n\t.rept 2700\n'
	printf '\t.byte 0x0f, 0x85\n\t.long hot - (. + 4)\n\t.endr\n\t.byte 0xe9\n\t.long .Lround - (. + 4)\n'
	printf '\t.size hot, . - hot\n'
} >slow.s
if gcc -shared -nostdlib -o slow.so slow.s 2>err; then
	hot=$(nm slow.so | perl -ne 'printf "%u", 0x400000 + hex $1 if /^(\w+) \w hot$/')
	perl -e '($from, $to) = @ARGV; print "map 0x400000 0x8000 $ENV{PWD}/slow.so\nsample 4 $from", " from=$from,to=$to,predicted=1" x 2700' \
		$((hot + 1 + 6 * 2700)) $((hot + 1)) | made_file branch-file slow.data
	(ulimit -t 30; exec "$PERF" report --branches=paths --json -i slow.data >json 2>err)
	is "stacks made to be slow end" "$? $(py 'print(d["loops"][0]["head"], d["loops"][0]["rounds"])')" "0 hot+0x1 10796"
else
	skip "stacks made to be slow end" "gcc makes no object of it"
fi

# ---- what optimizers take of the same recording
"$PERF" data convert --to symbol-order --binary branch-kinds -o- -i t.data >order 2>err
like "the same recording becomes an order for the linker" "$(cat order)" "^(main|coin)$"
done_testing
