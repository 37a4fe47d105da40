#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# LBR call stacks of written recordings: script and report against what the writer's model says,
# and against an installed perf, as recorded and stitched.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
# Not below /tmp/perf-*: perf 6.1 takes such files for maps of JIT code.
D=$O/tests/lbr-stacks
mkdir -p "$D" && made_file lbr-files "$D" || skip_all "the recordings cannot be written"

# One line per sample with its frames' addresses.
lines() {
	awk 'NF { s = s (s == "" ? "" : " ") $1; next } s != "" { print s; s = "" }
		END { if (s != "") print s }'
}
same_lines() { # same_lines NAME GOT WANT
	if cmp -s "$2" "$3"; then pass "$1"; else fail "$1" "$(diff "$3" "$2" | head -6)"; fi
}

for want in "$D"/*.want; do
	n=$(basename "$want" .want)
	"$PERF" script -F ip -i "$D/$n.data" 2>"$TMP/messages" | lines >"$TMP/got"
	same_lines "$n: as the model says" "$TMP/got" "$want"
	"$PERF" script -F ip --stitch-lbr -i "$D/$n.data" 2>"$TMP/messages" | lines >"$TMP/got"
	same_lines "$n: stitched, as the model says" "$TMP/got" "$D/$n.stitched"
done

# A group of which the first event alone asked for them.
python3 -S -c 'import sys
sys.path.insert(0, sys.argv[1])
from perfdata import *
r = Recording(*[Attr(config=n, sample_type=IP | TID | READ | ID | CALLCHAIN | BRANCH_STACK, flags="sample_id_all", ids=[11 + n],
                     read_format=FORMAT_ID | FORMAT_GROUP, branch_sample_type=0 if n else 1 << 11 | 3) for n in range(2)])
r.comm(7, "group")
r.mmap(7, 0x400000, 0x1000, 0, "/none")
r.sample(pid=7, ip=0x400100, id=11, read=[2, 5, 11, 5, 12], chain=[M64 - 511, 0x400100],
         branches=[{"from": 0x400200, "to": 0x400100}, {"from": 0x400300, "to": 0x400200}])
r.features[GROUP_DESC] = r.pack("I", 1) + r.string("") + r.pack("II", 0, 2)
r.write(sys.argv[2])' "$ROOT/tests/helpers" "$TMP/group.data"
"$PERF" script -F ip -i "$TMP/group.data" 2>"$TMP/messages" | lines >"$TMP/got"
is "a group: the stack of each of its events" "$(cat "$TMP/got")" "$(echo 400100 400200 400300; echo 400100 400200 400300)"

like "--stitch-lbr without LBR says so" "$("$PERF" script --stitch-lbr \
	-i "$ROOT/tests/data/perf/armhf-uregs.data" 2>&1 >/dev/null)" \
	"^Can't find LBR callchain. Switch off --stitch-lbr"

# ---- branch history
made_file history-file "$D"
branch_history() { # branch_history ARGS...: the frames of the graph
	"$PERF" report --stdio --branch-history -i "$D/history.data" "$@" 2>&1 |
		sed -n 's/^  *\(---\)\{0,1\}\(f[0-9].*[^%]\)$/\2/p'
}
cat >"$TMP/want" <<'E'
f5 +0 (CALL)
f2 +96 (cycles:9)
f2 +48 (RET)
f4 +32 (cycles:5)
f4 +0 (CALL)
f3 +32 (cycles:3)
f3 +0 (CALL)
f2 +36 (cycles:2)
f2 +48 (RET)
f4 +32 (cycles:5 iter:1 avg_cycles:10)
f4 +0 (CALL)
f3 +32 (cycles:3)
f3 +0 (CALL)
f2 +36 (cycles:2)
f2 +0 (CALL)
f1 +16 (cycles:4)
f0 +64 (calltrace)
f11 +64 (COND_FWD predicted:0.0%)
f11 +16 (cycles:1)
f11 +8 (COND_BWD abort:100.0%)
f11 +128 (cycles:7)
f11 +68 (calltrace)
f0 +80 (calltrace)
f9 +8 (COND_FWD)
f9 +4
f9 +0 (CALL)
f8 +32
f8 +0 (CALL)
f7 +16
f6 +51 (calltrace)
E
branch_history >"$TMP/got"
same_lines "--branch-history: loops and calls once, and what the branches say" "$TMP/got" "$TMP/want"
branch_history -G >"$TMP/got"
awk '{ l[NR] = $0 } END {
	n = split("17 23 30", last, " ")
	from = 1
	for (i = 1; i <= n; i++) {
		for (k = last[i]; k >= from; k--)
			print l[k]
		from = last[i] + 1
	}
}' "$TMP/want" >"$TMP/reversed"
same_lines "--branch-history -G: the same, outermost first" "$TMP/got" "$TMP/reversed"
branch_history --max-stack 2 >"$TMP/got"
is "--branch-history --max-stack: branches, and frames behind them" "$(sed 's/ *(.*//' "$TMP/got" | tr '\n' ' ')" \
	"f5 +0 f2 +96 f2 +48 f4 +32 f1 +21 f0 +64 f11 +64 f11 +16 f11 +8 f11 +128 f11 +68 f0 +80 f9 +8 f9 +4 f9 +0 f8 +32 f7 +21 f6 +51 "
table_of() { # table_of FILE ARGS...: the table, its graphs
	f=$1
	shift
	"$PERF" report --stdio --branch-history -i "$D/$f.data" "$@" 2>"$TMP/messages" |
		sed '/^#/d; s/^  *$//; s/ *$//; s/^  *//' | cat -s
}
cat >"$TMP/want" <<'E'
100.00%  f2+24        [.] f2  lbr.elf        -          -      -       -      -
|
---f2 +16
f3 +32
f3 +0
f2 +32
f2 +0
f1 +16 (iter:0.3)
f2 +24 (calltrace)
f0 +64 (calltrace)

E
table_of history-bare >"$TMP/got"
same_lines "--branch-history: what no branch says is no zero, nor is a loop of every third sample" \
	"$TMP/got" "$TMP/want"
like "... nor in JSON" "$("$PERF" report --json --branch-history -i "$D/history-bare.data" |
	tr -d ' \n')" '"end":"to","count":3,"predicted":null,"aborted":null'
is "--branch-history --hide-unresolved: no frames without a symbol" \
	"$(table_of history-wild -U | sed -n 's/^-*\(f[0-9] [^ ]*\).*/\1/p; /0x/p' | tr '\n' ' ')" "f2 +0 f1 +16 f2 +24 f0 +64 "
is "--branch-history --children: callers' rows too" "$(table_of history --children |
	awk '/%.*%/ { print $1, $2, $3 }' | sort | grep -c ' 0.00% ')" 22
like "... and their graphs" "$(table_of history --children | tr -d '|\n')" \
	'49.51% +0.00%  f2\+96 [^%]*---f2 \+96f5 \+0'
unlike "... which do not take branches for call traces" "$(table_of history --children |
	awk '/%/ { caller = / 0.00% / } caller')" calltrace
table_of plain8-user --children >"$TMP/got"
is "--branch-history of call stacks: each call once" "$(table_of plain8-user -G |
	sed -n '/28.79%/,/^$/p' | grep -v '[%|]$' | grep -c '[+]')" 5
unlike "... nothing about prediction" "$(cat "$TMP/got")" 'predicted|Predicted|calltrace'
like "... --children" "$(cat "$TMP/got")" '100.00% +13.95% +f1'
like "... and says what is shown" "$(cat "$TMP/messages")" 'are call stacks .*, no history'
if "$PERF" check feature -q slang; then
	# The browser is there before that is known: it has the line, and the terminal has it behind the browser.
	screen <<EOF
size 150x20
run $PERF report --branch-history -i $D/plain8-user.data
wait Samples:
match call stacks .*, no history
key Down
unmatch call stacks
key q
exit 0
match call stacks .*, no history
ok ... in the browser, and behind it
EOF
fi
like "columns of --branch-history" "$("$PERF" report --stdio --branch-history \
	-i "$D/history.data" 2>/dev/null)" '^# Overhead  Source:Line +Symbol +Shared Object +Predicted  Abort  Cycles  IPC   \[IPC Coverage\]$'
like "--branch-history without branches" "$("$PERF" report --branch-history \
	-i "$ROOT/tests/data/perf/armhf-uregs.data" 2>&1)" 'Selected --branch-history but no branch data'

# ---- long names: whole in a file, on a terminal of 80 columns without what is between brackets
long='std::map<std::string, std::vector<int, std::allocator<int> >, std::less<std::string> >::find'
sed "s/ k1\$/ $long/" "$D/kallsyms" >"$TMP/long"
shown() { # shown tty|file ARGS...: the names that a terminal, or a file, gets to see
	python3 "$ROOT/tests/helpers/slow-pipe.py" "$1" "$PERF" report --stdio --stdio-color never \
		--kallsyms "$TMP/long" -i "$D/plain8.data" --no-children ${2:+"$2"} 2>&1 | grep -o 'std::map.*find' | sort -u
}
is "a name with templates in a file" "$(shown file)" "$long"
is "... on a terminal, in rows and graphs" "$(shown tty)" "std::map<...>::find"
is "... whole with -v" "$(shown tty -v)" "$long"
if [ -z "$PEER" ]; then
	skip "the same in an installed perf" "$NO_PEER"
	done_testing
fi
ours() {
	"$PERF" "$@" --kallsyms "$D/kallsyms" -i "$D/$n.data" 2>"$TMP/ours.err"
}
theirs() {
	"$PEER" "$@" --kallsyms "$D/kallsyms" -i "$D/$n.data" 2>"$TMP/theirs.err"
}
# Of a sample in user mode 6.1 has the start of the innermost function, 32 bytes before.
innermost() {
	awk '/^$/ { first = 1 } first && $1 ~ /20$/ && $1 !~ /^ffff/ { sub(/20 /, "00 ") } NF { first = 0 } { print }'
}
# perf 6.1 shows user addresses as offsets in their file, 0x400000 below; 6.12 does not.
offsets() {
	! newer_peer || { cat; return; }
	awk '$1 ~ /^40[0-9a-f][0-9a-f][0-9a-f][0-9a-f]$/ {
		a = substr($1, 3)
		sub(/^0+/, "", a)
		sub(/ *40[0-9a-f]+/, sprintf("%16s", a))
	} { print }'
}
table() {
	grep -v '^# (Tip\|^# Samples:'
}
# Graphs of more than 31 levels: 6.1 keeps the bars of a line in 32 bits, level 32 is level 0.
bars() {
	for f in "$TMP/ours" "$TMP/theirs"; do
		sed 's/^[ |]*//; s/ *$//' "$f" >"$f.flat"
		mv "$f.flat" "$f"
	done
}
rec=0
for want in "$D"/*.want; do
	n=$(basename "$want" .want)
	rec=$((rec + 1)) line=0
	# Of those 6.1 reads the next record; of these it has the stub that jumped to the function.
	case $n in empty* | jumps*) continue ;; esac
	for a in "" --stitch-lbr; do
		# shellcheck disable=SC2086
		ours script -F ip,sym,dso $a | innermost | offsets >"$TMP/ours"
		# shellcheck disable=SC2086
		theirs script -F ip,sym,dso $a >"$TMP/theirs"
		same_lines "$n: script $a" "$TMP/ours" "$TMP/theirs"
	done
	# Outermost first 6.1 takes kernel frames for the user's, because it meets their marker late.
	set -- "--children -g callee --stitch-lbr" "--no-children" "--no-children --stitch-lbr" \
		"--no-children -g folded,0 --stitch-lbr"
	case $n in
	*-user) set -- "$@" "" "--stitch-lbr" "--no-children -g caller --stitch-lbr" \
		"--no-children -g flat,0,caller --stitch-lbr" ;;
	esac
	for a in "$@"; do
		line=$((line + 1))
		meet 3 $line $rec || continue # an installed perf takes its time
		# shellcheck disable=SC2086
		ours report --stdio $a | table >"$TMP/ours"
		# shellcheck disable=SC2086
		theirs report --stdio $a | table >"$TMP/theirs"
		! grep -q '^[ |-]\{352\}' "$TMP/ours" || bars
		same_lines "$n: report $a" "$TMP/ours" "$TMP/theirs"
	done
done
# Colours: rows, graphs, levels.
n=walk8-1-user
for a in "" "--no-children -g flat" "--no-children -s comm,sym -n" "--no-children --hierarchy -g none" \
	"-g none -t ,"; do
	# shellcheck disable=SC2086
	ours report --stdio --stdio-color always $a | table >"$TMP/ours"
	# shellcheck disable=SC2086
	theirs report --stdio --stdio-color always $a | table >"$TMP/theirs"
	same_lines "colours: report $a" "$TMP/ours" "$TMP/theirs"
done
# 6.1 cuts the end of the chain, and counts a loop's rounds for one sample less than there are.
norm() {
	sed -n 's/^  *\(---\)\{0,1\}\(f[0-9].*[^%]\)$/\2/p' |
		sed 's/ ??:0//; s/ +[0-9]*//; s/ iter:[0-9]*//; /calltrace/d'
}
"$PERF" report --stdio --branch-history -i "$D/history.data" 2>/dev/null | norm >"$TMP/ours"
"$PEER" report --stdio --no-children --branch-history -i "$D/history.data" 2>/dev/null |
	norm >"$TMP/theirs"
same_lines "--branch-history: the branches as perf 6.1 has them" "$TMP/ours" "$TMP/theirs"
done_testing
