# SPDX-License-Identifier: GPL-2.0-or-later
# run: first
# A recording read by 2, 3, 8 and 64 threads gives the bytes that one thread gives, on stdout and on
# stderr, and the same status: every recording with a few of the command lines below, each command line with many
# recordings. PAIRS=all holds every recording against every command line.
. "$(dirname "$0")/../lib.sh"

cat >"$TMP/commands" <<'EOF'
report
report -g caller
report -g flat,callee --no-children
report -g fractal,address
report --hierarchy --show-nr-threads
report --json --hierarchy -s comm,{dso,sym}
report -b
report -b --json -s symbol_from,addr_to,mispredict,cycles
report --branch-history
report --total-cycles
report --hot-paths 2
report --branches=why
report --branches=why --json
report --branches=cycles --json
report --branches=paths
report --branches=paths --json
report --profile-quality
report --profile-quality --json
report --latency
report --simd
report --tasks
report --mmaps
report --csv -s pid,tid,cpu,time
report --no-group -s pid,srcline,symoff,comm_nodigit,cpu,parent
report -s symbol_daddr,dcacheline,dso_daddr,sym,trace,weight --mem-mode
report --time 20%-70% --comms perf,bash,main
report -C 0-3 -s cpu,sym
report -T
report -D
script -D
script
script -F comm,tid,cpu,time,event,ip,sym,dso,symoff
script -F ip,brstack
script -F ip,brstacksym
script -F +srcline,+insn
script -F +brstackinsn
script -F ip,sym,uregs,iregs
script --json -F comm,pid,tid,time,ip,sym,dso
script --json --branches=why,cycles,paths --profile-quality -F ip
script --show-task-events --show-mmap-events --show-lost-events --show-switch-events
script --time 20%-70% --show-round-events
script --reltime --ns
annotate --stdio
annotate --json
buildid-list -H
data convert --check --json -o-
data convert --to folded --by event,comm,cpu -o-
data convert --to pprof -o-
data convert --to callgrind -o-
data convert --to speedscope --time-order -o-
data convert --to otlp -o-
data convert --to json -o-
data convert --to html -o-
EOF

# same FILE COMMAND...: prints what differs. Names are those of the recording: what is installed here is not asked.
SYMFS=/nonexistent
same() {
	_f=$1
	shift
	set -- "$@" --symfs "$SYMFS" -i "$_f"
	"$PERF" "$@" --jobs=1 >"$TMP/one" 2>"$TMP/one.err"
	_status=$?
	for _j in $JOBS; do
		"$PERF" "$@" "--jobs=$_j" >"$TMP/many" 2>"$TMP/many.err"
		_got=$?
		[ $_got = $_status ] || echo "$_j jobs: status $_got, not $_status: $*"
		cmp -s "$TMP/one" "$TMP/many" || echo "$_j jobs: $*"
		cmp -s "$TMP/one.err" "$TMP/many.err" || echo "$_j jobs, stderr: $*"
	done
}

n=0
set -f
check() {
	: >"$TMP/differences"
	while read -r opts; do
		n=$((n + 1))
		# Every command line comes round, with another number of threads each time.
		meet 19 $n 0 || continue
		case $((n / 19 % 4)) in
		0) JOBS=2 ;;
		1) JOBS=3 ;;
		2) JOBS=8 ;;
		3) JOBS=64 ;;
		esac
		[ "$PAIRS" != all ] || JOBS='2 3 8 64'
		same "$1" $opts >>"$TMP/differences"
	done <"$TMP/commands"
	: >"$TMP/none"
	same_file "$2 by several threads" "$TMP/differences" "$TMP/none"
}

for rec in $(find "$ROOT/tests/data/perf" -name '*.data' | sort); do
	check "$rec" "$(basename "$rec")"
done
if fx=$(fixtures); then
	# Under sanitizers the small ones: their time goes by bytes, what they look for by kinds of records.
	for rec in $(find "$fx/real" "$ROOT/../shared/fixtures/simd" -type f -size "-$((SPARSE ? 1024 : 4096))k" | sort); do
		"$PERF" evlist -i "$rec" >"$TMP/out" 2>&1 || continue
		check "$rec" "${rec#"$fx"/}"
	done
fi

# What is packed, in many frames: by both records, in both byte orders, cut and damaged.
mkdir "$TMP/shapes"
python3 "$ROOT/tests/helpers/all-shapes.py" "$TMP/shapes" >/dev/null
cut() {
	head -c "$3" "$TMP/shapes/$1" >"$TMP/shapes/$2"
}
cut little-120-file-1 cut 150000
cut big-120-file-2 cut-too 70001
{
	cut little-120-file-1 flipped 150000
	printf '\377\377' >>"$TMP/shapes/flipped"
	tail -c +150003 "$TMP/shapes/little-120-file-1" >>"$TMP/shapes/flipped"
}
JOBS='3 8 64'
for rec in little-120-file-1 little-72-file-2 big-120-file-1 big-200-file-2 cut cut-too flipped; do
	: >"$TMP/differences"
	while read -r opts; do
		same "$TMP/shapes/$rec" $opts >>"$TMP/differences"
	done <<-'EOF'
		report
		report -b -s symbol_from,addr_to,cycles
		report -D
		report --stats
		script -F comm,tid,cpu,time,event,ip,sym,dso
		data convert --to folded -o-
	EOF
	same_file "packed, $rec, by several threads" "$TMP/differences" "$TMP/none"
done

# Functions with names, of several objects, beside addresses that no function has, and threads that have exited.
SYMFS=/
JOBS='2 3 8 64'
made_file random-samples --mixed "$TMP/mixed" 3000 "$O/tests/helpers/deep-frames" "$O/tests/helpers/limit" /bin/sh
: >"$TMP/differences"
while read -r opts; do
	same "$TMP/mixed" $opts >>"$TMP/differences"
done <<EOF
report
report -s pid,sym
report -s sym -g caller
report -s comm,sym --no-children
report -s tid,symoff -g flat
script -F comm,pid,tid,ip,sym,dso
data convert --to folded --by comm -o-
EOF
same_file "names, addresses without, and threads that have exited, by several threads" "$TMP/differences" "$TMP/none"
done_testing
