#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run: alone
# A recording reads the same on a big-endian machine: the program is built for s390x and run under
# qemu-user. Optional: tests/big-endian-setup.sh fetches what it needs.
. "$(dirname "$0")/../lib.sh"

S=${S390X_ROOT:-$O/s390x}
need_cmd qemu-s390x-static s390x-linux-gnu-gcc
[ -e "$S/usr/lib/s390x-linux-gnu/libelf.a" ] ||
	skip_all "no libelf for s390x (tests/big-endian-setup.sh fetches it)"
[ -e "$ROOT/Makefile" ] || skip_all "the sources are not here"

B=$O/s390x/build
if env -u MAKEFLAGS -u MAKELEVEL make -C "$ROOT" -s -j2 O="$B" CC=s390x-linux-gnu-gcc OPT=-O1 \
	WERROR=1 NO_LIBS='libdeflate libdw libtraceevent zstd libiberty libcapstone zydis libfdt libslang debuginfod' \
	CPPFLAGS="-I$S/usr/include -I$S/usr/include/s390x-linux-gnu" \
	LDFLAGS="-static -L$S/usr/lib/s390x-linux-gnu" all >"$TMP/log" 2>&1; then
	pass "builds for s390x"
else
	fail "builds for s390x" "$(tail -20 "$TMP/log")"
	done_testing
fi

BIG="qemu-s390x-static $B/perf"
for f in "$ROOT"/tests/data/perf/*.data "$ROOT"/../shared/fixtures/simd/*.perf.data; do
	[ -e "$f" ] || continue
	name=$(basename "$f")
	case $name in *zstd* | *compressed*) continue ;; esac
	for how in "script --symfs /nonexistent" "evlist -v" "report -D --symfs /nonexistent"; do
		$PERF $how -i "$f" >"$TMP/little" 2>"$TMP/little.err"
		$BIG $how -i "$f" >"$TMP/big" 2>"$TMP/big.err"
		# Tracepoint fields need a library that this build is without.
		grep -q libtraceevent "$TMP/big.err" && {
			skip "$name: $how" "the s390x build has no libtraceevent"
			continue
		}
		same_file "$name: $how" "$TMP/big" "$TMP/little"
	done
done
done_testing
