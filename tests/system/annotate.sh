#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf annotate: options that are wrong or go not together, functions and objects that are not there,
# names of a hostile object, colours, JSON, the patterns that clients look for.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
"$PERF" check feature -q capstone || skip_all "no capstone in this build"
WALK=$ROOT/tests/data/annotate/walk
ID=00112233445566778899aabbccddeeff00112233
F=$TMP/walk.data
text='sample 5 0x40017e 1000
sample 3 0x40018d 100
sample 1 0x40014e 400'
echo "$text" | made_file listing-file "$F" "$WALK" || skip_all "cannot write $F"

# ---- the command line
usage() { # usage NAME ERE OPTION...
	_usage=$1 _ere=$2
	shift 2
	check_status "$_usage" 129 "$PERF" annotate -i "$F" "$@"
	like "$_usage: says so" "$(cat "$TMP/check.out")" "$_ere"
}
usage "two forms" '--stdio, --stdio2 and --json are one or the other' --stdio --stdio2
usage "two numbers" 'show-nr-samples and --show-total-period are one or the other' -n --show-total-period
usage "--prefix-strip alone" '--prefix-strip requires --prefix' --prefix-strip 2
usage "--prefix-strip of a word" '`two. is no number' --prefix /x --prefix-strip two
usage "--percent-type" 'local-period, local-hits, global-period or global-hits, not `local' --percent-type local
usage "--percent-limit" 'is no number from 0 to 100' --percent-limit 101
usage "-M" 'att or intel, not `arm' -M arm
usage "--stdio-color" 'auto, always or never, not `blue' --stdio-color blue
usage "two symbols" 'more than one function: leaf' branchy leaf
usage "-s and a symbol" 'more than one function: leaf' -s branchy leaf
for o in data-type type-stat insn-stat code-with-type gtk; do
	usage "--$o is refused" "--$o: .*(--mem-mode|--stdio2)" --$o
done
check_status "upstream's options that change nothing" 0 "$PERF" annotate -i "$F" --objdump=objdump \
	--addr2line addr2line -m --itrace --stdio
check_status "no such file" 1 "$PERF" annotate -i "$TMP/none"

# ---- what upstream's test and its clients look for
pattern='[0-9]*\.[0-9]* *: *\w*: *\w*'
check "a line of percent, address, instruction" sh -c "'$PERF' annotate -i '$F' --stdio | grep -q '$pattern'"
check "... of a symbol" sh -c "'$PERF' annotate -i '$F' --stdio branchy | grep -q '$pattern'"
check "... from a pipe" sh -c "'$PERF' annotate -i - --stdio <'$F' | grep -q '$pattern'"
check "... - without -i" sh -c "'$PERF' annotate - --stdio <'$F' | grep -q '$pattern'"
echo "$text" | made_file listing-file -p "$TMP/stream.data" "$WALK"
check "... from a stream" sh -c "cat '$TMP/stream.data' | '$PERF' annotate -i - --stdio | grep -q '$pattern'"
check "... with --objdump" sh -c "'$PERF' annotate -i '$F' --objdump=objdump branchy | grep -q '$pattern'"

# ---- words that name files, too
mkdir -p "$TMP/here/branchy" "$TMP/some" && cp "$F" "$TMP/some/one.data"
is "a directory called as the function" "$(cd "$TMP/here" && "$PERF" annotate -i "$F" branchy 2>&1)" \
	"$("$PERF" annotate -i "$F" -s branchy 2>&1)"
is "... one with a recording in it is no function" "$("$PERF" annotate "$TMP/some" branchy 2>&1 | sed "s|$TMP/some/one.data|$F|")" \
	"$("$PERF" annotate -i "$F" -s branchy 2>&1)"

# ---- functions that are not there
check_status "a name near" 1 "$PERF" annotate -i "$F" brunchy
like "a name near: which" "$(cat "$TMP/check.out")" "no samples in a function called .brunchy"
like "a name near: is named" "$(cat "$TMP/check.out")" "branchy"
check_status "a function without samples" 1 "$PERF" annotate -i "$F" tail
check_status "nothing of any object" 0 "$PERF" annotate -i "$F" -d nosuch
like "nothing of any object: says so" "$(cat "$TMP/check.out")" 'data has no samples!'
like "... and that options left all of them out" "$(cat "$TMP/check.out")" 'It has [0-9]+, all of them left out'
echo "$text" | made_file listing-file "$TMP/clocks.data" "$WALK" 2
for how in "--time 9999,10000" "-e task-clock"; do
	"$PERF" annotate -i "$TMP/clocks.data" $how >"$TMP/out" 2>"$TMP/err"
	like "... by $how" "$(cat "$TMP/err")" 'It has 9, all of them left out'
done
"$PERF" annotate -i "$F" --reg ax --simd >"$TMP/out" 2>"$TMP/err"
like "a register that no sample has: says so" "$(cat "$TMP/err")" 'no sample has the register ax: perf record -I'
like "vectors that no sample has: says so" "$(cat "$TMP/err")" 'no sample has vector registers'
"$PERF" annotate -i "$F" --percent-limit 10 >"$TMP/out" 2>&1
unlike "--percent-limit leaves out functions" "$(cat "$TMP/out")" '<leaf>:'
like "... and not others" "$(cat "$TMP/out")" 'je '

# Names of C++: plain, with arguments, as the linker sees them.
CPP=$O/tests/helpers/report-cpp
if [ -x "$CPP" ] && "$PERF" check feature -q libiberty &&
	made_file at-symbol "$TMP/cpp.data" "$CPP" >"$TMP/out" 2>&1; then
	for name in work::inner 'work::inner(long, int)' _ZN4work5innerEli; do
		check_status "$name" 0 "$PERF" annotate -v -i "$TMP/cpp.data" --no-source "$name"
		like "$name: is shown" "$(cat "$TMP/check.out")" '<work::inner(\(long, int\))?>:'
		unlike "$name: it alone" "$(cat "$TMP/check.out")" '<work::outer(\(long\))?>:'
	done
	check_status "other arguments" 1 "$PERF" annotate -i "$TMP/cpp.data" 'work::inner(int)'
	check_status "names as the linker sees them" 0 "$PERF" annotate -i "$TMP/cpp.data" --no-demangle _ZN4work5innerEli
else
	skip "names of C++" "no demangler, or no such program"
fi

# A function that only branches led to.
made_file branch-file "$TMP/branches.data" <<EOF
map 0x400000 0x1000 $WALK
sample 10 0x400144 from=0x40018d,to=0x400171,predicted=1,cycles=4 from=0x40017a,to=0x4001a1,mispred=1,cycles=3
EOF
check_status "a function without samples that branches led to" 0 "$PERF" annotate -i "$TMP/branches.data" branchy
like "it is shown" "$(cat "$TMP/check.out")" ' 0\.00 : +40018d: je '
# Oldest last: into the middle of what is one loop with two jumps back, by the order of addresses two that
# cross. Who comes to the second comes from the first. And from leaf back into the function.
made_file branch-file "$TMP/crossing.data" <<EOF
map 0x400000 0x1000 $WALK
sample 10 0x400171 from=0x40018d,to=0x400171,predicted=1 from=0x400199,to=0x400174,predicted=1 from=0x400154,to=0x400196,predicted=1 from=0x400191,to=0x400144,predicted=1 from=0x40018d,to=0x400171,predicted=1 from=0x40016f,to=0x40017c,predicted=1
EOF
"$PERF" annotate -i "$TMP/crossing.data" --stdio --no-source branchy >"$TMP/crossing" 2>"$TMP/err"
like "loops that cross are told" "$(cat "$TMP/crossing")" '400171: +sub .*# \+'
unlike "... but not how often they were come to" "$(cat "$TMP/crossing")" 'iterations'
"$PERF" annotate -i "$TMP/crossing.data" --json branchy >"$TMP/crossing" 2>"$TMP/err"
check "... nor in JSON; who came from where is no part of the function" python3 -c '
import json, sys
f = json.load(open(sys.argv[1]))["functions"][0]
e = f["branches"]["entered_from"]
sys.exit(len(f["loops"]) != 2 or any("entries" in l for l in f["loops"]) or
         [(x["address"], x["symbol"], "offset" in x) for x in e] != [("0x400154", "leaf", False)])' "$TMP/crossing"
check_status "one that they did not lead to" 1 "$PERF" annotate -i "$TMP/branches.data" tail

# ---- code that is not here: said once, the others go on
cp "$WALK" "$TMP/gone"
printf 'map %s\n%s\nmap %s 0x1000000\nsample 2 0x140017e 10\nsample 2 0x140014e 10\n' "$WALK" "$text" "$TMP/gone" |
	made_file listing-file -b $ID "$TMP/missing.data" "$WALK"
rm "$TMP/gone"
"$PERF" annotate -i "$TMP/missing.data" >"$TMP/out" 2>"$TMP/err"
is "code that is not here: others go on" "$?" 0
like "code that is not here: they are shown" "$(cat "$TMP/out")" 'je '

# ---- names of a hostile object
python3 - "$WALK" "$TMP/hostile" <<'E'
import sys
b = open(sys.argv[1], 'rb').read()
assert b.count(b'branchy\0')
open(sys.argv[2], 'wb').write(b.replace(b'branchy\0', b'\33[2J"\n\\\0'))
E
echo "$text" | made_file listing-file "$TMP/hostile.data" "$TMP/hostile"
for form in --stdio --stdio2 --json; do
	"$PERF" annotate -i "$TMP/hostile.data" $form >"$TMP/out" 2>&1
	is "a hostile name $form: no control bytes" "$(tr -d '\n\t' <"$TMP/out" | LC_ALL=C tr -cd '\001-\037\177' | wc -c)" 0
	check "a hostile name $form: is there" grep -q '2J' "$TMP/out"
done

# ---- JSON
"$PERF" annotate -i "$TMP/hostile.data" --json >"$TMP/json" 2>"$TMP/err"
check "JSON: of a hostile name" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$TMP/json"
"$PERF" annotate -i "$F" --json >"$TMP/json" 2>"$TMP/err"
cat >"$TMP/sums.py" <<'E'
import json, sys
for f in json.load(open(sys.argv[1]))['functions']:
    code = [l for l in f['lines'] if 'address' in l]
    for n, event in enumerate(f['events']):
        lines = [l['counts'][n] for l in code]
        assert sum(c['samples'] for c in lines) == event['samples'], f['symbol']
        assert sum(c['period'] for c in lines) == event['period'], f['symbol']
        assert abs(sum(c['percent'] for c in lines) - 100) < 0.1, f['symbol']
    at = int(f['start'], 16)
    for l in code:
        assert int(l['address'], 16) == at, l
        at += len(bytes.fromhex(l['bytes']))
    assert at == int(f['start'], 16) + f['size'], f['symbol']
E
check "JSON: lines add up to their function, bytes to its code" python3 "$TMP/sums.py" "$TMP/json"

# ---- colours
esc=$(printf '\033')
is "no colours in a file" "$("$PERF" annotate -i "$F" 2>&1 | grep -c "$esc")" 0
check "colours with --stdio-color always" sh -c "'$PERF' annotate -i '$F' --stdio-color always | grep -q '$esc\[31m'"
made_file branch-file -f 0 "$TMP/half.data" <<T
map 0x400000 0x1000 $ROOT/tests/data/annotate/walk
sample 198 0x400144
sample 1 0x40014e
sample 1 0x400147
T
is "... half a percent has none" "$("$PERF" annotate -i "$TMP/half.data" --stdio --stdio-color always --no-source leaf 2>&1 |
	sed -n "s/$esc\[[0-9]*m/esc/g; s/ *0\.50.*/half/p" | tr '\n' ' ')" "half half "

# ---- registers
if "$PERF" record -q -F 3000 --user-regs=ax,zmm,opmask -o "$TMP/regs.data" -- "$PERF" test -w simdloop 1 \
	>/dev/null 2>"$TMP/err" && "$PERF" report -i "$TMP/regs.data" --stdio 2>/dev/null | grep -q simdloop_avx512; then
	"$PERF" annotate -i "$TMP/regs.data" --simd --reg k1 --json --no-source simdloop_avx512 >"$TMP/regs.json" 2>"$TMP/err"
	is "registers at instructions" "$(python3 - 2>&1 <<EOF
import json
f = json.load(open('$TMP/regs.json'))['functions'][0]
seen = [l for l in f['lines'] if 'value' in l]
n = sum(l['value']['samples'] for l in seen)
print(n > 10, all(l['vectors']['512'] == l['vectors']['samples'] for l in seen[1:]))
print(max(seen, key=lambda l: l['value']['samples'])['value']['top'])
EOF
)" "True True
0x1111"
	"$PERF" annotate -i "$TMP/regs.data" --simd --reg k1 --json --no-source --pieces 5 --apart \
		simdloop_avx512 >"$TMP/pieces.json" 2>"$TMP/err"
	same_file "registers in pieces" "$TMP/pieces.json" "$TMP/regs.json"
else
	skip "registers at instructions" "no 512-bit registers here: $(head -1 "$TMP/err")"
fi

# ---- several recordings of one program
cp "$WALK" "$TMP/walk"
cd "$TMP" || exit 1
first='sample 5 0x40017e 1000
sample 3 0x40018d 100'
second='sample 4 0x40017e 500
sample 1 0x40014e 400
sample 2 0x4001ab 40'
echo "$first" | made_file listing-file -b $ID one.data /proc/self/cwd/walk
echo "$second" | made_file listing-file -b $ID other.data /proc/self/cwd/walk
printf '%s\n' "$first" "$second" | made_file listing-file -b $ID both.data /proc/self/cwd/walk
for o in --stdio '--stdio2 -n' '--stdio --show-total-period' --json; do
	# shellcheck disable=SC2086 # words
	"$PERF" annotate $o both.data >want 2>err
	# shellcheck disable=SC2086
	"$PERF" annotate $o one.data other.data >got 2>err
	same_file "annotate $o of two recordings: as of one with both" got want
done
mkdir two recorded
cp one.data other.data two
cp other.data recorded/data
is "... of a directory with both" "$("$PERF" annotate --stdio two 2>/dev/null)" "$("$PERF" annotate --stdio both.data 2>/dev/null)"
is "... one of them a directory itself" "$("$PERF" annotate --stdio one.data recorded 2>/dev/null)" "$("$PERF" annotate --stdio both.data 2>/dev/null)"
like "--by-file: a column for each" "$("$PERF" annotate --stdio --by-file one.data other.data branchy 2>/dev/null)" \
	'anon group \{ one.data: cpu-clock:H, other.data: cpu-clock:H \}'
echo "$second" | made_file listing-file -b ff112233445566778899aabbccddeeff00112233 newer.data /proc/self/cwd/walk
out=$("$PERF" annotate --stdio one.data newer.data 2>&1)
like "... of another build of it: said" "$out" '/walk has changed since the recording \(another build id\)'
like "... and its samples are no other build's" "$out" 'cpu-clock:H \(8 samples'
like "... nor in report" "$("$PERF" report --stdio one.data newer.data 2>/dev/null)" '25\.71% .*0x000000000000017e'
check_status "... one that is not there" 1 "$PERF" annotate --stdio one.data none.data
like "... is named" "$(cat check.out)" 'none\.data'

# ---- events of a group that did not come: columns and names like the others
name="an event of a group that had no sample has its name"
if "$PERF" record -q -e '{cpu-clock:u,alignment-faults:u,emulation-faults:u}' -o "$TMP/g.data" -- "$PERF" test -w noploop 0.2 \
	>"$TMP/log" 2>&1; then
	is "$name" "$("$PERF" annotate --stdio --group -i "$TMP/g.data" noploop 2>"$TMP/err" |
		sed -n 's/.*for \(anon group {.*}\).*/\1/p')" \
		"anon group { cpu-clock:u, alignment-faults:u, emulation-faults:u }"
else
	skip "$name" "perf record does not work here: $(tail -n 1 "$TMP/log")"
fi
done_testing
