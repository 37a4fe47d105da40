#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs and modules with changed bytes, in headers above all: their functions are listed, with sources and
# names, or refused; nothing else. Sanitizers see more than an exit status.
. "$(dirname "$0")/../lib.sh"
need_cmd gcc python3
grep -Eq 'HAVE_(LIBCAPSTONE|ZYDIS) 1' "$O/config.h" || skip_all "built without a disassembler library"
gcc -O1 -g -o "$TMP/prog" "$ROOT/tests/helpers/hot-paths.c" 2>"$TMP/log" ||
	skip_all "the program does not compile: $(head -n 1 "$TMP/log")"

"$O/tests/helpers/listing-dump" -dl "$TMP/prog" >"$TMP/out"
like "the program as it is" "$(cat "$TMP/out")" '^FUNCTION .* collatz$'
i=0 bad='' listed=0
while [ $i -lt 100 ]; do
	i=$((i + 1))
	python3 -S "$ROOT/tests/helpers/mangle-file.py" "$TMP/prog" "$TMP/mangled" $i
	timeout 60 "$O/tests/helpers/listing-dump" -dl "$TMP/mangled" >"$TMP/out" 2>"$TMP/err"
	case $? in
	0) ! grep -q '^FUNCTION' "$TMP/out" || listed=$((listed + 1)) ;;
	1 | 129) ;;
	*) bad="$bad $i" ;;
	esac
done
is "a hundred damaged ones: those that it died of" "$bad" ""
check "some of them are good enough to be listed" test $listed -gt 20

# A module of the kernel, whose relocations and sections are read, too.
cat >"$TMP/mod.c" <<'C'
int counter;
extern int printk(const char *s, ...);
__attribute__((noinline)) int other(int x) { return x * 3 + counter; }
int hot_path(int x)
{
	while (x--)
		counter += other(x) + printk("%d", x);
	return counter;
}
C
gcc -O2 -g -c -fno-pic -mcmodel=kernel -o "$TMP/mod.o" "$TMP/mod.c" 2>"$TMP/log" || {
	skip "a module" "it does not compile: $(head -n 1 "$TMP/log")"
	done_testing
}
made_file kernel-file "$TMP/perf.data" <<T
module 0xffffffffc0400000 0x10000 $TMP/mod.ko
sample 3 0xffffffffc0400000
sample 1 0xffffffffc0400010
T
echo "ffffffffc0400000 T other	[mod]
ffffffffc0400010 T hot_path	[mod]" >"$TMP/kallsyms"
i=0 bad='' listed=0
while [ $i -lt 100 ]; do
	i=$((i + 1))
	python3 -S "$ROOT/tests/helpers/mangle-file.py" "$TMP/mod.o" "$TMP/mod.ko" $i
	timeout 60 "$PERF" annotate -i "$TMP/perf.data" --kallsyms "$TMP/kallsyms" >"$TMP/out" 2>"$TMP/err"
	case $? in
	0) ! grep -q '<printk>' "$TMP/out" || listed=$((listed + 1)) ;;
	1) ;;
	*) bad="$bad $i" ;;
	esac
done
is "a hundred damaged modules: those that it died of" "$bad" ""
check "some of them are good enough to be listed" test $listed -gt 20
done_testing
