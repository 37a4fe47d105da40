#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run: alone
# With only libelf present the program builds without a warning and says what is off.
. "$(dirname "$0")/../lib.sh"
[ -e "$ROOT/Makefile" ] || skip_all "the sources are not here"

B=$TMP/build
CC=${CC:-gcc}
if env -u MAKEFLAGS -u MAKELEVEL make -C "$ROOT" -s -j2 O="$B" NO_LIBS=all WERROR=1 OPT=-O0 \
	CC="$CC" >"$TMP/log" 2>&1; then
	pass "builds with libelf only"
else
	fail "builds with libelf only" "$(tail -20 "$TMP/log")"
fi
out=$("$B/perf" version --build-options)
like "libelf is on" "$out" 'libelf: \[ on  \]'
for f in zstd libdw libtraceevent libiberty libcapstone libfdt libslang; do
	like "$f is off, and the package is named" "$out" "$f: \[ OFF \].*install"
done
check_status "perf check feature says no" 1 "$B/perf" check feature zstd
unlike "nothing but libelf and libc is linked" "$(readelf -d "$B/perf" | grep NEEDED)" 'libdw|libzstd|libtraceevent|libslang'
made_file bpf-file "$TMP/bpf.data"
"$B/perf" annotate -i "$TMP/bpf.data" >"$TMP/out" 2>&1
like "annotate says which libraries decode instructions" "$(cat "$TMP/out")" 'libzydis-dev or libcapstone-dev'
done_testing
