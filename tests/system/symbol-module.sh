#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Symbols of kernel modules from their files, where kallsyms does not have them: a made object file
# as the module, plain and packed, and a made recording with samples in it.
. "$(dirname "$0")/../lib.sh"
need_cc
need_cmd nm python3
cd "$TMP" || exit 1
cat >mod.c <<'EOS'
int counter;
int other(int x) { return x * 3 + counter; }
int hot_path(int x) { while (x--) counter += other(x); return counter; }
EOS
$CC -O1 -c -Wl,--build-id=none -o plain.ko mod.c || skip_all "no working compiler"
: >no-kallsyms

# recording FILE MODULE: two samples in hot_path, one in other, one behind both
recording() {
	{ nm "$2" 2>/dev/null || nm plain.ko; } |
		made_file module-file "$1" "$2" hot_path+1 hot_path+2 other+0 0x8000
}

# names NAME MODULE: what report says of a recording in MODULE
names() {
	recording a.data "$2"
	"$PERF" report -i a.data --kallsyms no-kallsyms -s sym -F sample,sym >out 2>err
	like "$1: a function" "$(cat out)" '^ +2  \[k\] hot_path$'
	like "$1: another one" "$(cat out)" '^ +1  \[k\] other$'
	like "$1: behind the code" "$(cat out)" '^ +1  \[k\] 0x0+8000$'
}

names "plain" "$TMP/plain.ko"
printf 'ffffffff81000000 T _text\nffffffffc0400000 t wrong\t[xfs]\nffffffffc0408000 t behind\t[plain]\n' >no-kallsyms
names "where another module lies now" "$TMP/plain.ko"
: >no-kallsyms
# packed PROGRAM SUFFIX LIBRARY: the module packed by PROGRAM, all of it and cut off
packed() {
	if ! command -v "$1" >/dev/null || ! "$PERF" check feature -q "$3"; then
		skip "$1" "no $1 here, or built without $3"
		return
	fi
	"$1" -q -c plain.ko >"plain.ko.$2"
	names "$1" "$TMP/plain.ko.$2"
	head -c 300 "plain.ko.$2" >"cut.ko.$2"
	recording a.data "$TMP/cut.ko.$2"
	check "$1, cut off: no symbols, no crash" "$PERF" report -i a.data --kallsyms no-kallsyms
	head -c 300 plain.ko >"junk.ko.$2"
	recording a.data "$TMP/junk.ko.$2"
	check "$1, not packed at all: no crash" "$PERF" report -i a.data --kallsyms no-kallsyms
	mkfifo "fifo.ko.$2"
	recording a.data "$TMP/fifo.ko.$2"
	check "$1, a FIFO: nobody waits" timeout 60 "$PERF" report -i a.data --kallsyms no-kallsyms
}

packed gzip gz zlib
packed xz xz lzma
packed zstd zst zstd
mkdir -p root"$TMP"
cp plain.ko root"$TMP"/elsewhere.ko
recording a.data "$TMP/elsewhere.ko"
"$PERF" report -i a.data --symfs "$TMP/root" -s sym -F sample,sym >out 2>err
like "--symfs: a function" "$(cat out)" '^ +2  \[k\] hot_path$'
mkdir flat
cp plain.ko flat/flat.ko
recording a.data "$TMP/elsewhere/flat.ko"
"$PERF" report -i a.data --symfs "$TMP/flat,flat" -s sym -F sample,sym >out 2>err
like "--symfs DIR,flat: a function" "$(cat out)" '^ +2  \[k\] hot_path$'
recording a.data "$TMP/none.ko"
"$PERF" report -i a.data --kallsyms no-kallsyms -s sym -F sample,sym >out 2>err
unlike "no file: no names" "$(cat out)" 'hot_path'
echo junk >junk.ko
recording a.data "$TMP/junk.ko"
check "no ELF file: no crash" "$PERF" report -i a.data --kallsyms no-kallsyms
done_testing
