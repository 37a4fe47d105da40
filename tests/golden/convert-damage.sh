#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each format of data convert, of recordings that are cut, mangled, empty or without what the format needs: a
# file that holds, or an error that says why; never a crash, never half a file that its reader chokes on.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
P=$ROOT/tests/data/perf

# WHAT.data: whole ones, two cuts and two mangled ones of each, and one without samples
python3 -S -c 'import os, random, sys
sys.path.insert(0, sys.argv[1])
from perfdata import *
out = sys.argv[2]
for path in sys.argv[3:]:
    data, name = open(path, "rb").read(), os.path.basename(path)[:-5]
    random.seed(len(data))
    bad = {"whole": data}
    for share in 4, 8:
        bad["cut%d" % share] = data[:len(data) * share // 10]
    for n in 3, 30:
        b = bytearray(data)
        for _ in range(n):
            b[random.randrange(104, len(b))] = random.choice((0, 1, 127, 128, 255, random.randrange(256)))
        bad["mangled%d" % n] = b
    for what, b in bad.items():
        open("%s/%s-%s.data" % (out, name, what), "wb").write(b)
r = Recording(Attr(sample_type=IP | TID | TIME, flags="mmap"))
r.mmap(1, 0x400000, 0x2000, 0, "/nothing")
r.write(out + "/empty.data")' "$ROOT/tests/helpers" "$TMP" "$P/branch-4.14.data" "$P/arm64-zstd.data" "$P/pipe-group-6.8.data"

formats=$("$PERF" data convert --to help | cut -d' ' -f1)
mkdir "$TMP/out"
wrong= runs=0 rec=0
for f in "$TMP"/*.data; do
	name=$(basename "$f" .data)
	rec=$((rec + 1)) line=0
	"$PERF" report --stats -i "$f" >"$TMP/stdout" 2>"$TMP/damage"
	damaged=$?
	for to in $formats; do
		line=$((line + 1))
		meet 1 $line $rec || continue
		out=$TMP/out/$name.$to
		mkdir -p "$TMP/dir"
		# Profiles of objects go into a directory: there may be several.
		case $to in
		fdata | preagg | autofdo | profgen | llvm* | gcc-afdo | *-order | propeller | parquet | native | pgcopy) out=$TMP/dir/ ;;
		esac
		"$PERF" data convert --to "$to" -i "$f" -o "$out" --symfs /nonexistent >"$TMP/stdout" 2>"$TMP/err"
		status=$? runs=$((runs + 1))
		[ $status -le 1 ] || wrong="$wrong $name --to $to: status $status;"
		[ $status -ge $damaged ] || wrong="$wrong $name --to $to: damage is no success;"
		[ $status -eq 0 ] || [ -s "$TMP/err" ] || wrong="$wrong $name --to $to: no word of why;"
		# Of a damaged one all is written, and the damage is the last that is said.
		[ $status -eq 0 ] || grep -qxF "$(tail -n 1 "$TMP/err")" "$TMP/damage" || rm -f "$TMP/out/$name.$to"
	done
done
is "no format falls over ($runs files)" "$wrong" ""
is "what is JSON is whole" "$(python3 -c 'import glob, json, sys
for f in glob.glob(sys.argv[1] + "/*"):
    if f.rsplit(".", 1)[1] in ("json", "speedscope", "firefox", "chrome"):
        try:
            json.load(open(f))
        except Exception as e:
            print(f.rsplit("/", 1)[1], e)' "$TMP/out")" ""
is "what is packed is whole" "$(for f in "$TMP"/out/*.pprof; do gzip -t <"$f" 2>/dev/null || echo "$f"; done)" ""
check "files were written" test "$(ls "$TMP/out" | wc -l)" -gt $((100 / ${SPARSE:-1}))
"$PERF" data convert --to pprof -i "$TMP/empty.data" -o "$TMP/no.pb" 2>"$TMP/err"
like "that there are no samples is said" "$(cat "$TMP/err")" 'has no samples'
done_testing
