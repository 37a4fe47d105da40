# SPDX-License-Identifier: GPL-2.0-or-later
# Files made to hurt whoever reads them: names that steer terminals or forge lines, bombs.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
make_file() { # KIND OUT [ARG...]
	made_file hostile-files "$@"
}

# ---- names: nothing of them steers a terminal, on stdout or stderr
make_file names "$TMP/names.data" "$TMP/objects"
printf 'no object' >"$TMP/objects"
cat >"$TMP/raw.py" <<'P'
import sys
for name in sys.argv[1:]:
    b = open(name, 'rb').read()
    bad = [c for c in b if c < 32 and c not in (9, 10) or c == 127]
    try:
        s = b.decode()
    except UnicodeDecodeError:
        print(name, 'broken UTF-8')
        continue
    bad += [ord(c) for c in s if 0x80 <= ord(c) < 0xa0 or 0x202a <= ord(c) <= 0x202e]
    if bad or '\n# forged' in s or '\n99999' in s:
        print(name, bad[:8], s[:400].encode('unicode_escape').decode())
P
for how in "report --stdio" "report --stdio -g folded" "report --json" "report --csv" \
	"report -t ," "report --tasks" "report --mmaps" "report --mmaps --json" "report --tasks --csv" \
	"report -D" "script" "script -F +srcline" "script --json" "evlist -v" \
	"buildid-list" "buildid-list --with-hits" "data convert --check" \
	"data convert --check --json" "data convert --to fdata" "data convert --to preagg" \
	"data convert --to folded" "data convert --to json"; do
	"$PERF" $how -v -i "$TMP/names.data" >"$TMP/out" 2>"$TMP/err"
	case $how in *--csv) sed -i 's/\r$//' "$TMP/out" ;; esac # as RFC 4180 ends lines
	is "hostile names: $how" "$(python3 "$TMP/raw.py" "$TMP/out" "$TMP/err")" ""
done
"$PERF" report --csv -i "$TMP/names.data" >"$TMP/csv" 2>"$TMP/err"
is "hostile names: CSV has as many values in each line" "$(python3 -c '
import csv, sys
with open(sys.argv[1], newline="") as f:
    print(len({len(line) for line in csv.reader(f, strict=True)}))' "$TMP/csv")" 1
"$PERF" data convert --to folded -i "$TMP/names.data" >"$TMP/folded"
is "folded: a comm is one field of one line" \
	"$(awk -F';' '!/^(x|\\x1b)/ || NF != 2 || !/ [0-9]+$/' "$TMP/folded")" ""
like "... and can be told from another" "$(cat "$TMP/folded")" '^x\\x0a99999\\x0a:y_7;'

# Names of objects in messages.
mkdir "$TMP/esc"
bad=$TMP/esc/$(printf 'a\033]0;title\007\n# forged: 1.so')
echo "no object" >"$bad"
make_file map "$TMP/map.data" "$bad" 0 0x1000 16
for f in fdata autofdo llvm; do
	"$PERF" data convert --to $f -i "$TMP/map.data" >"$TMP/out" 2>"$TMP/err"
	is "$f: an error that names an object" "$(python3 "$TMP/raw.py" "$TMP/out" "$TMP/err")" ""
	like "... tells it" "$(cat "$TMP/err")" 'a\\x1b\]0;title\\x07\\x0a# forged: 1.so is no ELF file'
done

# ---- an object that shrinks while stacks are unwound through it
cat >"$TMP/deep.c" <<'C'
volatile unsigned long sum;
#define DOWN(name)                                      \
	__attribute__((noinline)) void name(int n)      \
	{                                               \
		volatile char room[64];                 \
		room[0] = 1;                            \
		if (n)                                  \
			name(n - 1);                    \
		else                                    \
			for (int i = 0; i < 1000000; i++) \
				sum += i;               \
		sum += room[0];                         \
	}
DOWN(first)
DOWN(second)
int main(void)
{
	for (int i = 0; i < 200; i++)
		first(i % 30);
	for (int i = 0; i < 400; i++)
		second(i % 30);
}
C
part() { # I: a sixteenth
	tail -c +$(($1 * _part + 1)) "$TMP/deep.data" | head -c $_part
}
# What comes later runs in a function whose rules were not looked up before.
shrink() { # feeds $TMP/deep.data until the object is mapped, cuts that, feeds the rest
	_part=$(($(wc -c <"$TMP/deep.data") / 16 + 1))
	rm -f "$TMP/fifo"
	mkfifo "$TMP/fifo"
	"$PERF" script -F comm,ip,sym -i - <"$TMP/fifo" >"$TMP/out" 2>"$TMP/err" &
	_pid=$!
	exec 9>"$TMP/fifo"
	_i=0 _mapped=
	while [ $_i -lt 10 ] && [ -z "$_mapped" ]; do
		part $_i >&9
		_i=$((_i + 1))
		# Samples wait for the end of their round: it may come with the next part.
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			grep -q /deep "/proc/$_pid/maps" 2>/dev/null && _mapped=1 && break
			sleep 0.05
		done
	done
	truncate -s 4096 "$TMP/deep"
	for _i in $(seq $_i 15); do
		part "$_i" >&9
	done
	exec 9>&-
	wait $_pid
	_status=$?
}
if ! command -v gcc >/dev/null || ! gcc -O1 -fomit-frame-pointer -fno-ipa-icf -o "$TMP/deep" "$TMP/deep.c" ||
	! "$PERF" record -q -m 32 --call-graph dwarf,4096 -e cpu-clock:u -o - -- "$TMP/deep" \
		>"$TMP/deep.data" 2>"$TMP/log" || [ -n "$VALGRIND" ]; then
	skip "an object that shrinks" "nothing can be recorded here: $(tail -1 "$TMP/log")"
elif ! "$PERF" check -q feature libdw; then
	skip "an object that shrinks" "built without libdw"
else
	"$PERF" script -F comm,ip,sym -i - <"$TMP/deep.data" >"$TMP/whole"
	shrink
	is "an object that shrinks while it is unwound: the exit status is that of any reading" \
		"$_status" 0
	is "... and all samples are there" "$(grep -c ^deep "$TMP/out")" "$(grep -c ^deep "$TMP/whole")"
	if [ -n "$_mapped" ]; then
		check "... nothing of what came before is lost" grep -q main "$TMP/out"
		like "... it is said" "$(cat "$TMP/err")" 'became shorter while'
	else
		skip "... what came before" "the recording's rounds are too long"
	fi
fi

# ---- bombs: what a file costs is bounded by its size
cat >"$TMP/cost.py" <<'P'
import resource, subprocess, sys
st = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
u = resource.getrusage(resource.RUSAGE_CHILDREN)
print('%.2f %d %d' % (u.ru_utime + u.ru_stime, u.ru_maxrss // 1024, st))
P
cost() { # command...: CPU seconds, MiB, status
	python3 "$TMP/cost.py" "$@" 2>"$TMP/err"
}
cheap() { # SECONDS MIB STATUS command...
	_s=$1 _mb=$2 _st=$3
	shift 3
	_cost=$(cost "$@")
	diag "$_cost: $*"
	# Sanitizers and valgrind cost what they cost.
	[ -z "$PLAIN" ] || echo "$_cost" | awk -v s="$_s" -v mb="$_mb" -v st="$_st" \
		'{ exit !($1 <= s && $2 <= mb && $3 == st) }'
}
PLAIN=1
if [ "$PERF" != "$PERF_FILE" ] || grep -qa __asan_init "$PERF_FILE"; then
	PLAIN=
fi
make_file maps "$TMP/maps.data" 200000
check "200,000 maps, the highest first" steady cheap 3 150 0 \
	"$PERF" report --stdio -i "$TMP/maps.data"
make_file forks "$TMP/forks.data" 10000 10000
check "10,000 forks of a process with 10,000 maps" steady cheap 10 150 0 \
	"$PERF" report --stdio -i "$TMP/forks.data"
make_file ends "$TMP/ends.data" 100000
check "100,000 ends of one call chain" steady cheap 3 150 0 \
	"$PERF" report --stdio -i "$TMP/ends.data"
make_file modules "$TMP/modules.data" 5000 30
check "150,000 addresses in 5,000 kernel modules" steady cheap 3 150 0 \
	"$PERF" report --stdio -i "$TMP/modules.data"
make_file reads "$TMP/reads.data" 150000
check "150,000 counters that are read with as many unknown ones" steady cheap 3 150 0 \
	"$PERF" report --stdio -i "$TMP/reads.data"
make_file groups "$TMP/groups.data" 200
is "groups that overlap: each event is of one" "$("$PERF" evlist -g -i "$TMP/groups.data" | tr , '\n' |
	grep -c cpu-clock)" 200
make_file types "$TMP/types.data" 50000 200000
check "50,000 tracepoints that are named 200,000 times" steady cheap 3 150 1 \
	"$PERF" evlist -i "$TMP/types.data"
like "... it is said" "$(cat "$TMP/err")" 'EVENT_TYPE.*: 50000 events are described too often'
make_file types "$TMP/many.data" 65537 0
"$PERF" evlist -i "$TMP/many.data" >"$TMP/out" 2>"$TMP/err"
is "65,536 events are read" "$(grep -c unknown "$TMP/out")" 65536
like "... one more is too many" "$(cat "$TMP/err")" 'ATTR.*: event 65536: no more than 65536 events can be read'
make_file ids "$TMP/ids.data" 150000
check "150,000 ids with one place in tables" steady cheap 2 150 0 "$PERF" evlist -i "$TMP/ids.data"
make_file comms "$TMP/comms.data" 50000
check "50,000 names with one hash" steady cheap 2 150 0 "$PERF" report --stdio -s comm -i "$TMP/comms.data"
make_file places "$TMP/places.data" 100000
check "100,000 addresses with one place in tables" steady cheap 2 150 0 \
	"$PERF" report --stdio -s dso -i "$TMP/places.data"
make_file objects "$TMP/objects.data" 50000
check "50,000 addresses that are one with their objects" steady cheap 3 200 0 \
	"$PERF" report --stdio -s comm -i "$TMP/objects.data"
make_file spelled "$TMP/spelled.data" 50000 "$PERF_FILE"
check "50,000 messages of files that have changed" steady cheap 3 200 0 \
	"$PERF" report --stdio -s comm -i "$TMP/spelled.data"
bomb=$ROOT/tests/data/hostile/zstd-bomb.data
if "$PERF" check -q feature libzstd; then
	check "39 kB that unpack to 564 MB" steady cheap 10 150 1 "$PERF" report --stdio -i "$bomb"
	like "... it is said" "$(cat "$TMP/err")" 'unpack to more than [0-9]* MB'
	like "... what came before is used" "$("$PERF" report --stdio -i "$bomb" 2>/dev/null)" \
		'100.00%'
	# What the message names is an option of whoever prints it; none of what comes out is kept.
	made_file file-to-pipe "$bomb" "$TMP/bomb.pipe" attr
	for how in "evlist -i $TMP/bomb.pipe" "inject -b -i $bomb"; do
		"$PERF" $how 2>"$TMP/err" >/dev/null
		like "${how%% *}: ... what to do is said" "$(cat "$TMP/err")" '^What came before is used\. --no-limits reads on'
		{
			"$PERF" $how --no-limits 2>"$TMP/err"
			echo $? >"$TMP/status"
		} | cat >/dev/null
		is "${how%% *}: ... and does so" "$(cat "$TMP/status" "$TMP/err")" 0
	done
else
	skip "a recording that unpacks to 564 MB" "built without zstd"
fi

# ---- objects that stand for more than they are: symbols still, lines of the honest one only
cat >"$TMP/plain.c" <<'C'
volatile int v;
static inline __attribute__((always_inline)) void deeper(void)
{
	v++;
}
__attribute__((noinline)) void work(void)
{
	deeper();
}
int main(void)
{
	work();
}
C
if ! gcc -g -O1 -gz=none -o "$TMP/plain" "$TMP/plain.c" 2>"$TMP/log"; then
	skip "bombs of objects" "no gcc here: $(tail -1 "$TMP/log")"
	done_testing
fi
at=0x$(nm "$TMP/plain" | awk '$3 == "work" { print $1 }')
object() { # OBJECT [OPTION...]: what script says of work() in it, and what that costs
	_o=$1
	shift
	make_file map "$TMP/object.data" "$_o" 0 0x10000 "$at"
	steady cheap 10 100 0 "$PERF" script -F ip,sym,srcline "$@" -i "$TMP/object.data"
}
lines() {
	"$PERF" script -F ip,sym,srcline "$@" -i "$TMP/object.data" 2>"$TMP/err"
}
check "an honest object" object "$TMP/plain"
like "... has symbols" "$(lines)" ' work'
"$PERF" check -q feature libdw && have_lines=1 || have_lines=
[ -z "$have_lines" ] || like "... and lines" "$(lines)" 'plain\.c:[0-9]'
is "... and is read in silence" "$(cat "$TMP/err")" ""
for bomb in zinfo zline sparse-info sparse-notes sparse-symtab sparse-names; do
	python3 "$ROOT/tests/helpers/hostile-elf.py" $bomb "$TMP/plain" "$TMP/$bomb" 2>"$TMP/log" || {
		skip "$bomb" "cannot be made here: $(tail -1 "$TMP/log")"
		continue
	}
	check "$bomb costs what its size allows" object "$TMP/$bomb"
	case $bomb in
	zinfo | zline | sparse-info)
		like "$bomb: symbols are there" "$(lines)" ' work'
		[ -z "$have_lines" ] || like "$bomb: the limit is said" "$(cat "$TMP/err")" \
			"/$bomb: its .*--no-limits"
		;;
	esac
done
if [ -n "$have_lines" ]; then
	make_file map "$TMP/object.data" "$TMP/zinfo" 0 0x10000 "$at"
	like "--no-limits lifts them" "$(lines --no-limits)" 'plain\.c:[0-9]'
	is "... and says nothing" "$(cat "$TMP/err")" ""
fi

# ---- objects that no linker would make
made() { # KIND VADDR [N...]: $TMP/KIND, with a sample at VADDR
	_kind=$1 at=$2
	shift 2
	made_file small-elf "$_kind" "$TMP/$_kind" "$@"
	make_file map "$TMP/object.data" "$TMP/$_kind" 0 0x10000 "$at"
}
made stubs 0xdb70 3000
like "3,000 stubs of one slot have the name of what fills it" "$(lines)" ' picker@plt'
made aliases 0x1000 300000
check "300,000 names of one place, each the rest of another" steady cheap 3 150 0 "$PERF" script -F ip,sym -i "$TMP/object.data"
is "... are one function" "$(lines | grep -c " aaaa")" 1
made names 0x1000 300000 10000000
check "300,000 relocations that name no end of 10 MB" steady cheap 3 150 0 "$PERF" script -F ip,sym -i "$TMP/object.data"
made segments 0x1000 200000 65000
check "200,000 functions and 65,000 segments" steady cheap 3 150 0 "$PERF" script -F ip,sym -i "$TMP/object.data"
like "... are found" "$(lines)" ' f$'
made slots 0x1000 20000 60000
if grep -Eq 'HAVE_(LIBCAPSTONE|ZYDIS) 1' "$O/config.h"; then
	check "20,000 slots of names of 60,000 letters" steady cheap 3 150 0 \
		"$PERF" annotate --stdio main -i "$TMP/object.data"
	like "... are called by those that are shorter" "$("$PERF" annotate --stdio main -i "$TMP/object.data")" \
		' call .*fff'
else
	skip "20,000 slots of names of 60,000 letters" "built without a disassembler library"
fi
for kind in notes noted; do
	made $kind 0x1000 30000
	check "30,000 $kind megabytes" steady cheap 3 150 0 "$PERF" script -F ip,sym -i "$TMP/object.data"
	check "... added to the cache" steady cheap 3 150 1 "$PERF" buildid-cache --add "$TMP/$kind"
done

# ---- sources that the recorded program names
sed 's/plain/secret/' "$TMP/plain.c" >"$TMP/secret.c"
gcc -g -O1 -o "$TMP/secret" "$TMP/secret.c"
make_file map "$TMP/object.data" "$TMP/secret" 0 0x10000 "0x$(nm "$TMP/secret" | awk '$3 == "work" { print $1 }')"
source_line() {
	"$PERF" script -F ip,sym,srccode -i "$TMP/object.data" 2>"$TMP/err"
}
if [ -z "$have_lines" ]; then
	skip "srccode of files that others may not read" "built without libdw"
elif [ "$(id -u)" != 0 ]; then
	skip "srccode of files that others may not read" "for root only"
else
	like "srccode shows a source" "$(source_line)" '^\|'
	chmod 640 "$TMP/secret.c"
	unlike "... but to root none that not everybody may read" "$(source_line)" '^\|'
	like "... and says so" "$(cat "$TMP/err")" 'secret.c: lines of it are not shown'
fi

# ---- build ids: shorter than 20 bytes, with zeros behind
gcc -O1 -Wl,--build-id=0x0123456789abcdef -o "$TMP/short" "$TMP/plain.c"
at=0x$(nm "$TMP/short" | awk '$3 == "work" { print $1 }')
for id in 0123456789abcdef 0123456789abcdee; do
	make_file map-id "$TMP/id.data" "$TMP/short" 0 0x10000 $id "$at"
	"$PERF" data convert --to fdata -i "$TMP/id.data" >"$TMP/out" 2>"$TMP/err"
	case $id in
	*f) unlike "data convert: a build id with zeros behind it" "$(cat "$TMP/err")" 'build id' ;;
	*) like "... unlike another one" "$(cat "$TMP/err")" 'another build id' ;;
	esac
done
done_testing
