#!/bin/sh
# report --html: what is in the page, without a browser. What browsers make of it: page-browser.sh
. "$(dirname "$0")/../lib.sh"
need_cmd python3

made_file page-file "$TMP" "$TMP/perf.data" || skip_all "cannot write $TMP/perf.data"
page() {
	python3 -S "$ROOT/tests/helpers/page-data.py" "$@"
}

"$PERF" report -i "$TMP/perf.data" --html "$TMP/page.html" 2>"$TMP/err"
is "a page is written" $? 0
is "it is one document, its script the one that the policy lets through" "$(page "$TMP/page.html")" ok
like "what is missing is said, not only in the page" "$(cat "$TMP/err")" 'no function names for .*gone<b>.so'

# ---- numbers ----

"$PERF" data convert --to folded -e cycles -i "$TMP/perf.data" -o "$TMP/folded" 2>/dev/null
page "$TMP/page.html" folded 0 >"$TMP/have"
is "samples of the first event, all that were made" "$(awk '{ n += $NF } END { print n }' "$TMP/have")" 70066
like "a recursive stack, whole" "$(cat "$TMP/have")" '^second;main;again;again;again;leaf 10000$'
# Names of C functions alone: the other writer tidies arguments and quotes.
is "stacks that folded stacks have too" "$(grep -E ';(leaf|work|__proto__|constructor) ' "$TMP/have" | sed 's/^[^;]*;//' | sort)" \
	"$(grep -E ';(leaf|work|__proto__|constructor) ' "$TMP/folded" | sed 's/^[^;]*;//' | sort)"
is "the second event has its own" "$(page "$TMP/page.html" folded 1)" "second;main;work;leaf 10"
is "branches, by edge" "$(page "$TMP/page.html" sums branches rows edges nr)" "30 10"
is "a misprediction is one" "$(page "$TMP/page.html" sums branches rows edges mispred) $(page "$TMP/page.html" sums branches rows edges flagged)" \
	"30 0 30 10"
is "lost samples" "$(page "$TMP/page.html" get recording lost_samples)" 7
is "how often a thread stopped, and what was lost, by time" "$(page "$TMP/page.html" get marks kind) $(page "$TMP/page.html" get marks nr)" \
	"[0, 0, 0, 1, 0, 0, 0] [1, 1, 1, 7, 1, 1, 1]"
is "samples without a function are counted" "$(page "$TMP/page.html" get objects 1 unnamed)" 1

# leaf runs from its beginning to its jump back (10 times), and from there to the same jump (20 times);
# all four branches in a row are one path. Vectors: there are none, and nothing of them.
is "stretches of code with their cycles" "$(page "$TMP/page.html" sums branches rows ranges nr) $(page "$TMP/page.html" sums branches rows ranges cycles)" \
	"20 10 60 30"
is "from where to where" "$(page "$TMP/page.html" get branches ranges | grep -o '"offset": [0-9]*' | tr -dc '0-9\n' | tr '\n' ' ')" "8 40 0 40 "
is "paths" "$(page "$TMP/page.html" sums branches rows paths nr) $(page "$TMP/page.html" sums branches rows paths cycles) $(page "$TMP/page.html" sums branches rows paths mispred)" \
	"10 90 30"
is "of their branches" "$(page "$TMP/page.html" get branches paths 0 | grep -o '"offset": [0-9]*' | tr -dc '0-9\n' | tr '\n' ' ')" "20 0 40 8 40 8 40 8 "
is "no vectors" "$(page "$TMP/page.html" get vectors 2>/dev/null)" ""
simd=$ROOT/../shared/fixtures/simd/zmm-opmask-intr.perf.data
if [ -e "$simd" ]; then
	"$PERF" report -q -i "$simd" --html "$TMP/simd.html" 2>/dev/null
	# 4 samples: none, 128, 256, 512 bits; with code none; registers 16-31: 4 of 4.
	like "vectors as in report --simd" "$(page "$TMP/simd.html" get vectors rows simd)" '^\[4, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 4, 4, 0, 0, 4, 1[0-9]*, 0, 0, 0\]'
else
	skip "vectors as in report --simd" "no ../shared/fixtures in a stranger's clone"
fi

# Instructions: 600 samples lie at one of leaf.
code=$(page "$TMP/page.html" get code)
case $code in
*'"missing": '*"disassembl"*) like "without a disassembler the page says so" "$code" 'disassembl' ;;
*)
	like "functions as instructions, with the place of the samples" "$code" '"places": \[0, 17\], "ranges": \[0, 9, 41, 1, 1, 41\]'
	is "that was counted" "$(page "$TMP/page.html" sums places nr | cut -d' ' -f1) $(page "$TMP/page.html" sums places cycles | cut -d' ' -f1)" "610 50010"
	like "with their text" "$code" '"text": \["leaf", "nop", "nop"'
	;;
esac

# ---- registers ----

# asked PAGE NAME FILE OPTION...: that the page says of NAME what report says of the recording when it is asked by OPTION
asked() {
	_page=$1 _name=$2 _file=$3
	shift 3
	"$PERF" report --json "$@" -i "$_file" >"$TMP/asked.json" 2>/dev/null
	page "$_page" registers "$_name" "$TMP/asked.json"
}
mkdir -p "$TMP/regs"
made_file page-file "$TMP/regs" "$TMP/registers.data" registers
"$PERF" report -q -i "$TMP/registers.data" --dirty --apx --values ax --html "$TMP/registers.html" 2>/dev/null
is "a page with registers" "$? $(page "$TMP/registers.html")" "0 ok"
is "has a table for each that was asked for" "$(page "$TMP/registers.html" get registers | grep -o '"name": "[a-z-]*"' | tr -d '\n')" \
	'"name": "dirty""name": "apx""name": "values"'
is "and none for others" "$(page "$TMP/page.html" get registers 2>/dev/null)" ""
like "values by function" "$(page "$TMP/registers.html" get registers 2 events 0 rows 0)" '"4001", "75.0%", "3", "0x40 75% 0x80 25% 0x7 0%",.*"\[\.\] leaf"'
is "of each event its own" "$(page "$TMP/registers.html" get registers 2 events 1 rows)" \
	"$("$PERF" report -q -i "$TMP/registers.data" --values ax --json 2>/dev/null | python3 -c 'import json, sys
print(json.dumps([["%.2f%%" % r["overhead"], "%d" % r["samples"], "100.0%", "1", r["value_top"], r["dso"], r["symbol"], "%d" % r["value_samples"]] for r in json.load(sys.stdin)["events"][1]["rows"]]))')"
for _asked in "dirty --dirty" "apx --apx" "values --values=ax"; do
	is "the table is what report says: ${_asked#* }" "$(asked "$TMP/registers.html" "${_asked% *}" "$TMP/registers.data" -n "${_asked#* }" | tail -3)" "ok 13"
done
for _jobs in 1 2 8; do
	"$PERF" report -q -i "$TMP/registers.data" --dirty --apx --values ax -j $_jobs --html "$TMP/jobs-$_jobs.html" 2>/dev/null
done
same_file "by two threads it is the same" "$TMP/jobs-1.html" "$TMP/jobs-2.html"
same_file "and by eight" "$TMP/jobs-1.html" "$TMP/jobs-8.html"
"$PERF" report -q --html "$TMP/twice.html" --values ax "$TMP/registers.data" "$TMP/registers.data" 2>/dev/null
like "of two recordings what both have" "$(page "$TMP/twice.html" get registers 0 events 0 rows 0)" '"8002", .*"0x40 75% 0x80 25% 0x7 0%"'
"$PERF" report -q -i "$TMP/registers.data" --html - --values ax --redact 2>/dev/null >"$TMP/redacted.html"
unlike "--redact shows no value" "$(page "$TMP/redacted.html" get registers 0 events 0 rows)" 0x40
like "a function leads to its frame" "$(page "$TMP/registers.html" get strings | python3 -c 'import json, subprocess, sys
strings = json.load(sys.stdin)
get = lambda *a: json.loads(subprocess.run(["python3", "-S", sys.argv[1], sys.argv[2], "get", *a], capture_output=True, text=True).stdout)
frames, rows = get("registers", "2", "events", "0", "frames"), get("registers", "2", "events", "0", "rows")
names = get("frames", "name")
told = [strings[names[f]] == r[-2][4:] for f, r in zip(frames, rows) if r[-2][4:].isalpha() and len(r[-2]) < 20]
print(all(told), len(told))' "$ROOT/tests/helpers/page-data.py" "$TMP/registers.html")" '^True 5$'
mkdir -p "$TMP/sys/opt/truth"
cp "$ROOT/tests/data/answers/truth" "$TMP/sys/opt/truth"
set -- --symfs "$TMP/sys" -i "$ROOT/tests/data/answers/regs.data"
"$PERF" report -q "$@" --numbers --idle-lanes --dirty --apx --values 'zmm1.f32[0]' --html "$TMP/truth.html" 2>/dev/null
for _asked in "numbers --numbers" "idle-lanes --idle-lanes" "dirty --dirty" "apx --apx" "values --values=zmm1.f32[0]"; do
	like "of a program whose truth is known: ${_asked#* }" \
		"$(asked "$TMP/truth.html" "${_asked% *}" "$ROOT/tests/data/answers/regs.data" --symfs "$TMP/sys" -n "${_asked#* }" | tail -3)" '^ok [1-9]'
done
for _asked in "--values=nothing nothing: no such register" "--shadow-stack no shadow stack pointers"; do
	"$PERF" report -q -i "$TMP/registers.data" --html "$TMP/refused.html" "${_asked%% *}" 2>"$TMP/err"
	is "${_asked%% *} of what is not there is an error" "$? $([ -e "$TMP/refused.html" ] && echo written)" "$([ "${_asked%%=*}" = --values ] && echo 129 || echo 1) "
	like "as it is for text" "$(cat "$TMP/err")" "${_asked#* }"
done
"$PERF" report -q -i "$TMP/perf.data" --html "$TMP/refused.html" --numbers 2>"$TMP/err"
like "nor are vectors that were not recorded" "$? $(cat "$TMP/err")" '^1 --numbers: this recording has no vector registers'

# ---- names ----

like "markup is data" "$(page "$TMP/page.html" get strings)" '</script><script>document.title'
like "marks of direction are seen" "$(page "$TMP/page.html" get strings)" 'bidi..xe2..x80..xae'
like "what is no UTF-8 is seen" "$(page "$TMP/page.html" get strings)" 'broken..xff'
is "a long name is whole, and there once" "$(page "$TMP/page.html" longest)" "100000 1"

# ---- filters, outputs, errors ----

"$PERF" report -i "$TMP/perf.data" --html - --comms second -q >"$TMP/second.html" 2>"$TMP/err"
is "- is stdout" "$(page "$TMP/second.html") $(cat "$TMP/err")" "ok "
is "switches of other threads are left out" "$("$PERF" report -q -i "$TMP/perf.data" --html - --tid 20 2>/dev/null >"$TMP/one.html"
	page "$TMP/one.html" get marks kind)" "[1]"
is "filters choose what is in the page" "$(page "$TMP/second.html" rows | cut -d' ' -f2)" 211
"$PERF" report -i "$TMP/perf.data" --html "$TMP/no/where.html" 2>"$TMP/err"
is "no such directory is an error" $? 1
like "that names the file" "$(cat "$TMP/err")" 'no/where.html'
"$PERF" report -i "$TMP/nothing" --html "$TMP/not.html" 2>/dev/null
check "no page of no recording" [ ! -e "$TMP/not.html" ]
head -c 20000 "$TMP/perf.data" >"$TMP/cut.data"
"$PERF" report -i "$TMP/cut.data" --html "$TMP/cut.html" 2>/dev/null
is "of a damaged file what comes before" "$(page "$TMP/cut.html" 2>/dev/null || echo none)" "$([ -e "$TMP/cut.html" ] && echo ok || echo none)"

"$PERF" data convert --to html -i "$TMP/perf.data" -o "$TMP/other.html" 2>"$TMP/other.err"
check "data convert writes the same page" cmp "$TMP/page.html" "$TMP/other.html"
like "and says what is missing" "$(cat "$TMP/other.err")" 'no function names for .*gone<b>.so'

# More rows of branches than a page has room for: slices of time become longer, and nothing is lost.
made_file page-branches "$TMP/many.data"
"$PERF" report -q -i "$TMP/many.data" --html "$TMP/many.html" 2>/dev/null
is "branches in longer slices" "$(page "$TMP/many.html" get branches rows edges shift) $(page "$TMP/many.html" get branches rows edges things)" "4 512"
is "and all of them" "$(page "$TMP/many.html" sums branches rows edges nr | tr ' ' '\n' | awk '{ n += $1 } END { print n }')" 64000

# ---- two recordings ----

made_file page-file "$TMP" "$TMP/before.data" before
"$PERF" report -i "$TMP/perf.data" --diff "$TMP/before.data" --html "$TMP/diff.html" 2>"$TMP/err"
is "a page of two recordings" "$? $(page "$TMP/diff.html")" "0 ok"
page "$TMP/diff.html" folded 0 0 >"$TMP/now"
same_file "what is in it of this one is what it is alone" "$TMP/now" "$TMP/have"
"$PERF" report -q -i "$TMP/before.data" --html "$TMP/before.html" 2>/dev/null
is "and of the other one what that is alone" "$(page "$TMP/diff.html" folded 0 1)" "$(page "$TMP/before.html" folded 0)"
is "with functions that are the same in both" "$(page "$TMP/diff.html" get frames name)" "$(page "$TMP/page.html" get frames name)"
is "what it is of" "$(page "$TMP/diff.html" get before file) $(page "$TMP/diff.html" get before samples)" "$TMP/before.data 319"
like "events that only one has are told" "$(cat "$TMP/err")" "10 samples of .*before.data are of events that .*perf.data has none of"
head -c $(($(stat -c %s "$TMP/before.data") * 2 / 3)) "$TMP/before.data" >"$TMP/before-cut.data"
"$PERF" report -i "$TMP/perf.data" --diff "$TMP/before-cut.data" --html "$TMP/cut.html" 2>"$TMP/err"
is "of a damaged one before: status" $? 1
like "... which is told" "$(cat "$TMP/err")" '--diff: '
is "... and the page is there" "$(page "$TMP/cut.html")" ok
"$PERF" report -i "$TMP/perf.data" --diff "$TMP/nothing" --html "$TMP/none.html" 2>"$TMP/err"
is "no other recording is an error" "$? $([ -e "$TMP/none.html" ] && echo written)" "1 "
like "that says which" "$(cat "$TMP/err")" '--diff.*nothing'

# Real recordings: the numbers of the report.
fx=$(fixtures) || fx=
for f in $([ -z "$fx" ] || find "$fx" -name 'perf.data' | sort | head -12); do
	"$PERF" report -q -i "$f" --html "$TMP/real.html" 2>/dev/null || continue
	want=$("$PERF" report -i "$f" --no-branch-stack --csv --no-group -g none --no-children -s comm -F comm,sample,period 2>/dev/null |
		python3 -c 'import csv, sys
rows = [r for r in csv.reader(sys.stdin) if r and r[-1].isdigit()]
print(sum(int(r[-2]) for r in rows), sum(int(r[-1]) for r in rows))')
	is "samples and periods are the report's: ${f#"$fx"/}" "$(page "$TMP/real.html" rows | cut -d' ' -f2-)" "$want"
done
done_testing
