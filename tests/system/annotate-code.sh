#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where perf annotate takes code from: the cache of build ids before what lies at the path now,
# --symfs, jitdump files, BPF programs in the recording; never a file with another build id.
. "$(dirname "$0")/../lib.sh"
need_events
need_cmd gcc python3
grep -Eq 'HAVE_(LIBCAPSTONE|ZYDIS) 1' "$O/config.h" || skip_all "built without a disassembler library"

# prog NUMBER OUT: a program whose hot function has NUMBER in it.
prog() {
	cat >"$TMP/prog.c" <<C
volatile unsigned sink;
__attribute__((noinline)) void hot(void)
{
	for (unsigned i = 0; i < 100000000; i++)
		sink += $1;
}
int main(void) { hot(); return 0; }
C
	gcc -O1 -g -Wl,--build-id=sha1 -o "$2" "$TMP/prog.c"
}

# annotate ARGS...: text in $TMP/out, messages in $TMP/err
annotate() {
	"$PERF" annotate -i "$TMP/perf.data" "$@" >"$TMP/out" 2>"$TMP/err"
}

prog 12345 "$TMP/prog" 2>"$TMP/log" || skip_all "the program does not compile: $(head -n 1 "$TMP/log")"
"$PERF" record -q -e cpu-clock:u -F 1000 -N -o "$TMP/perf.data" "$TMP/prog" 2>"$TMP/log" ||
	skip_all "perf record does not work here: $(head -n 1 "$TMP/log")"
id=$("$PERF" buildid-list -i "$TMP/prog")
cp "$TMP/prog" "$TMP/kept"
annotate hot
like "at its path" "$(cat "$TMP/out")" '0x3039'
like "with its source" "$(cat "$TMP/out")" 'sink \+= 12345'

prog 54321 "$TMP/prog"
annotate hot
unlike "another file at its path is not shown" "$(cat "$TMP/out")" '0xd431|0x3039'
like "... and told" "$(cat "$TMP/err")" 'has changed since the recording'

mkdir -p "$TMP/fs$TMP"
cp "$TMP/kept" "$TMP/fs$TMP/prog"
touch -d '1 hour' "$TMP/prog.c"
annotate --symfs "$TMP/fs" hot
like "below --symfs" "$(cat "$TMP/out")" '0x3039'
like "a source newer than the program is told" "$(cat "$TMP/err")" 'prog.c is newer than'

"$PERF" buildid-cache --add "$TMP/kept" 2>"$TMP/log"
annotate hot
like "from the cache, by its build id" "$(cat "$TMP/out")" '0x3039'
"$PERF" buildid-cache --purge-all 2>/dev/null || rm -rf "$HOME/.debug"

# Without a build id nothing proves that a file is the one that ran.
prog 12345 "$TMP/prog"
"$PERF" record -q -e cpu-clock:u -F 1000 -B -o "$TMP/no-id.data" "$TMP/prog" 2>"$TMP/log"
"$PERF" annotate -i "$TMP/no-id.data" hot >"$TMP/out" 2>"$TMP/err"
like "no build id: the file at the path" "$(cat "$TMP/out")" '0x3039'
unlike "... which may be the one" "$(cat "$TMP/err")" 'may not be the code that ran'
touch -d '1 hour ago' "$TMP/no-id.data"
"$PERF" annotate -i "$TMP/no-id.data" hot >"$TMP/out" 2>"$TMP/err"
like "no build id, and the file is newer: it is told" "$(cat "$TMP/err")" \
	"$TMP/prog is newer than the recording, which has no build id of it"

rm "$TMP/prog"
annotate hot
is "no file: status" "$?" 1
like "no file: which, with its build id" "$(cat "$TMP/err")" "$TMP/prog \(not found, build id $id\)"
like "no file: how to get it" "$(cat "$TMP/err")" 'below --symfs DIR, and by build id after perf buildid-cache --add FILE'

# Code made at run time.
if "$O/tests/helpers/jit-dump" "$TMP" >"$TMP/path" 2>&1 &&
	rm -f "$TMP"/jit-*.dump &&
	"$PERF" record -q -k mono -e cpu-clock:u -F 2000 -o "$TMP/perf.data" \
		"$O/tests/helpers/jit-dump" "$TMP" >"$TMP/path" 2>"$TMP/log"; then
	annotate second_loop
	like "from a jitdump file" "$(cat "$TMP/out")" '(dec|subs)'
	annotate --json second_loop
	check "where the code was loaded" python3 -c '
import json, sys
f = json.load(open(sys.argv[1]))["functions"][0]
jumps = [l for l in f["lines"] if l.get("branch") == "cond"]
sys.exit(int(f["start"], 16) < 4096 or len(jumps) != 1 or "target" not in jumps[0])' "$TMP/out"
else
	skip "from a jitdump file" "the helper's code is for another machine"
fi

# Code that has names only, and no names.
cat >"$TMP/made.c" <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	/* mov $0x10000000,%ecx; dec %ecx; jne; ret */
	static const unsigned char code[] = { 0xb9, 0, 0, 0, 0x10, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };
	unsigned char *p = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char name[64];
	FILE *f;

	memcpy(p, code, sizeof(code));
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
	f = fopen(name, "w");
	fprintf(f, "%lx %zx made_spin\n", (unsigned long)p, sizeof(code));
	fclose(f);
	puts(name);
	fflush(stdout);
	((void (*)(void))p)();
	return 0;
}
C
if [ "$(uname -m)" = x86_64 ] && gcc -o "$TMP/made" "$TMP/made.c" 2>"$TMP/log" &&
	"$PERF" record -q -e cpu-clock:u -F 1000 -o "$TMP/perf.data" "$TMP/made" >"$TMP/map" 2>"$TMP/log"; then
	map=$(cat "$TMP/map")
	annotate made_spin
	like "a perf map has no code: which file it is" "$(cat "$TMP/err")" "left no bytes: $map has names only"
	like "... and how to get code" "$(cat "$TMP/err")" 'write a jitdump file'
	rm -f "$map"
	annotate --dsos "$map" # the loader, where samples may lie too, has names
	like "no map: where names are looked for" "$(cat "$TMP/err")" "names are read from $map"
else
	skip "a perf map has no code: which file it is" "the code is for another machine"
fi

made_file bpf-file "$TMP/perf.data"
annotate
like "a BPF program, from the recording" "$(cat "$TMP/out")" 'xor +%eax,%eax'
like "... and its second function" "$(cat "$TMP/out")" 'nop'
made_file bpf-file "$TMP/pipe" pipe
"$PERF" annotate -i - <"$TMP/pipe" >"$TMP/out" 2>"$TMP/err"
like "a BPF program, from a stream" "$(cat "$TMP/out")" 'xor +%eax,%eax'
made_file bpf-file "$TMP/perf.data" cut
annotate
like "a BPF program whose bytes are not there" "$(cat "$TMP/err")" 'is not in the recording: it has no BPF_PROG_INFO of it'
# A symbol without a size is taken to go on to the next one: not into another section.
cat >"$TMP/sizeless.S" <<'E2'
	.globl _start
	.section .text
_start:	nop
	.globl last
last:	inc %eax
	dec %eax
	ret
	.section .far,"ax"
	.fill 64, 1, 0xcc
	.globl far
far:	ret
E2
if [ "$(uname -m)" = x86_64 ] && gcc -nostdlib -static -o "$TMP/sizeless" "$TMP/sizeless.S" 2>"$TMP/log"; then
	at=$(nm "$TMP/sizeless" | awk '$3 == "last" { print "0x" $1 }')
	printf 'map 0x400000 0x4000 %s\nsample 3 %s from=%s,to=%s\n' "$TMP/sizeless" "$at" "$at" "$at" >"$TMP/made"
	made_file branch-file "$TMP/perf.data" <"$TMP/made"
	annotate --stdio2 last
	is "a symbol without a size ends with its section" "$(grep -oE '(inc|dec|ret|int3)' "$TMP/out" | tr '\n' ' ')" 'inc dec ret '
	like "... and that is said" "$(cat "$TMP/err")" 'last has no size by its symbol: it is shown up to the end of its section'
else
	skip "a symbol without a size" "not x86-64, or: $(head -n 1 "$TMP/log")"
fi
done_testing
