#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run: alone
# With only libelf present the program builds without a warning and says what is off. Code that looks at nothing that was made
# in the build directory (config.h) is the same then, and its objects are taken from this build.
. "$(dirname "$0")/../lib.sh"
[ -e "$ROOT/Makefile" ] || skip_all "the sources are not here"

B=$TMP/build
CC=${CC:-gcc}
build() {
	env -u MAKEFLAGS -u MAKELEVEL make -C "$ROOT" -s -j2 O="$B" NO_LIBS=all WERROR=1 OPT=-O0 CC="$CC" "$@"
}
# By the names of what was made, as paths depend on how the directory was named.
take_same() {
	find "$O" -maxdepth 1 -name '*.[hd]*' -type f | sed 's,.*/,,' >"$TMP/made"
	find "$O/tools" -name '*.d' -exec awk '
		NR == FNR { made[$1]; next }
		FNR == 1 { $1 = "" }
		{ for (i = 1; i <= NF; i++) { n = split($i, part, "/"); if (part[n] in made) { print FILENAME; nextfile } } }
		' "$TMP/made" {} + >"$TMP/differ"
	grep -q /unpack.d "$TMP/differ" || return
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
