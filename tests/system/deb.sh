#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run: alone
# debian/: versions agree, every library that is probed is asked for; with TEST_DEB=1 the
# packages are built and hold what they should.
. "$(dirname "$0")/../lib.sh"
[ -e "$ROOT/debian/rules" ] || skip_all "the sources are not here"
version=$(cat "$ROOT/VERSION")
is "the package has the program's version" \
	"$(sed -n '1s/.*(\(.*\)).*/\1/p' "$ROOT/debian/changelog")" "$version"
like "CHANGELOG.md has it, too" "$(cat "$ROOT/CHANGELOG.md")" "^## $version(,|\$)"
for d in $(sed -n "s/^probe .* \\([a-z0-9]*-dev\\) '.*/\\1/p" "$ROOT/tools/feature.sh"); do
	like "the package is built with $d" "$(cat "$ROOT/debian/control")" "[ ,]$d( \[[a-z0-9 ]*\])?,"
done

[ -n "${TEST_DEB:-}" ] || {
	skip "building packages" "takes minutes: TEST_DEB=1"
	done_testing
}
{ command -v dh && command -v dpkg-buildpackage; } >/dev/null 2>&1 || {
	skip "building packages" "no debhelper (apt-get install debhelper)"
	done_testing
}
mkdir "$TMP/src"
(cd "$ROOT" && git ls-files -co --exclude-standard 2>/dev/null) >"$TMP/list"
[ -s "$TMP/list" ] || {
	skip "building packages" "not in a clone"
	done_testing
}
(cd "$ROOT" && xargs cp -P --parents -t "$TMP/src" <"$TMP/list") 2>"$TMP/cp.err"
build() {
	(cd "$TMP/src" && env -u O -u MAKEFLAGS -u MAKELEVEL -u SAN -u OPT -u CFLAGS -u LDFLAGS -u CC \
		DEB_BUILD_OPTIONS='nocheck parallel=2' dpkg-buildpackage -us -uc -b -d >"$TMP/log" 2>&1) ||
		{ tail -20 "$TMP/log"; return 1; }
}
check "dpkg-buildpackage" build
set -- "$TMP"/perf-standalone_*.deb
check "a package of the program" test -e "$1"
dpkg-deb -c "$1" >"$TMP/files"
for f in bin/perf share/man/man1/perf-record.1.gz share/bash-completion/completions/perf \
	share/zsh/vendor-completions/_perf share/fish/vendor_completions.d/perf.fish \
	share/doc/perf-standalone/copyright; do
	case $f in */man/*) command -v asciidoctor >/dev/null 2>&1 || continue ;; esac
	like "it has $f" "$(cat "$TMP/files")" " \./usr/$f\$"
done
unlike "no tests" "$(cat "$TMP/files")" 'libexec'
dpkg-deb -x "$1" "$TMP/root"
check "the program runs" "$TMP/root/usr/bin/perf" version
dpkg-deb -x "$(echo "$TMP"/perf-standalone-tests_*.deb)" "$TMP/root"
like "the tests run beside it" "$("$TMP/root/usr/bin/perf" test -v 'unit: base' 2>&1)" 'Ok$'
done_testing
