#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs with changed bytes, in headers above all: their functions are listed, with sources and
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
done_testing
