#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# With only libelf present the program builds without a warning and says what is off. Code that does not look at
# what this build found (config.h and what else is made) is the same then, and its objects are taken from there:
# for warnings .ci/run compiles it anew, with sanitizers, and build-aarch64.
. "$(dirname "$0")/../lib.sh"
[ -e "$ROOT/Makefile" ] || skip_all "the sources are not here"

B=$TMP/build
CC=${CC:-gcc}
build() {
	env -u MAKEFLAGS -u MAKELEVEL make -C "$ROOT" -s -j2 O="$B" NO_LIBS=all WERROR=1 OPT=-O0 CC="$CC" "$@"
}
built=${O#"$ROOT"/}
take_same() {
	find "$O/tools" -name '*.d' -exec awk -v made="$built/" '
		FNR == 1 { $1 = "" }
		{ for (i = 1; i <= NF; i++) if (index($i, made) == 1) { print FILENAME; nextfile } }' {} + >"$TMP/differ"
	find "$O/tools" -name '*.d' | grep -vxFf "$TMP/differ" >"$TMP/same"
	while read -r d; do
		o=${d%.d}.o to=$B/${d#"$O"/}
		mkdir -p "${to%/*}" && cp "$o" "${to%.d}.o" || return
	done <"$TMP/same"
}
if build "$B/config.mk" >"$TMP/log" 2>&1 && ! grep -q -e -fsanitize "$O/.flags"; then
	check "objects that do not look at libraries" take_same
fi
if build >"$TMP/log" 2>&1; then
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
