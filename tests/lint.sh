#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# make lint: format, what keeps rooms apart (lint-rooms.pl), cppcheck, clang-tidy on rooms that changed since BASE (default:
# the last commit before the working tree's changes; ALL=1 takes every room), man pages against
# options. Prints what it finds; exits non-zero when there is anything.
set -u
cd "$(dirname "$0")/.." || exit 1
O=${O:-build}
status=0

note() {
	echo "lint: $*"
	status=1
}

missing() {
	echo "lint: $1 is not installed; that check was left out"
}

files=$(git ls-files 'tools/*.c' 'tools/*.h' 'tests/*.c' 'tests/*.h')

if command -v clang-format >/dev/null 2>&1; then
	for f in $files; do
		clang-format --dry-run --Werror "$f" >/dev/null 2>&1 || note "format: clang-format -i $f"
	done
else
	missing clang-format
fi

# What keeps rooms apart: tests/lint-rooms.pl, over the sources, the objects of the build, and what
# the linker leaves out of a build of its own because nobody calls it.
gc=
mkdir -p "$O/lint" && rm -f "$O/lint/perf"
if make -s -j2 O="$O/lint" OPT=-O0 HARDEN= SAN= CFLAGS=-ffunction-sections \
	LDFLAGS='-Wl,--gc-sections,--print-gc-sections' all >"$O/lint/log" 2>&1; then
	gc=$O/lint/log
else
	note "dead: no build with -ffunction-sections: $O/lint/log"
fi
[ -f "$O/libperf.a" ] || echo "lint: $O/libperf.a is not built; names and statics were not looked at"
perl tests/lint-rooms.pl . "$O" "$gc" || status=1

# Sizes: a file under 800 lines.
for f in $files; do
	n=$(wc -l <"$f")
	[ "$n" -le 800 ] || note "size: $f has $n lines"
done

# Every command has a man page. The terms of its OPTIONS name each option that --help shows, and no
# option that the command does not know; --no-NAME may stand for NAME.
if [ -x "$O/perf" ]; then
	perl - "$O/perf" <<'P' || status=1
my ($perf, $bad) = (@ARGV, 0);
for my $c (split ' ', `$perf help --list-cmds`) {
	my $page = "Documentation/perf-$c.adoc";
	my %shown = map { $_ => 1 } split ' ', `$perf help --list-opts $c`;
	my %known = map { $_ => 1 } split ' ', `$perf help --list-opts $c --hidden`;
	my %named;
	open my $in, '<', $page or do { print "lint: docs: no $page\n"; $bad = 1; next };
	my $term = '';
	while (<$in>) {
		# A term may go over several lines; text starts with a tab.
		$term = /^\*-/ || ($term && /^\S/) ? $term . $_ : '';
		next unless $term =~ /::$/;
		$named{$1} = 1 while $term =~ /\*(--?[\w?][\w-]*)/g;
		$term = '';
	}
	for (sort keys %shown) { $named{$_} or print "lint: docs: $page does not name $_\n" and $bad = 1 }
	for (sort keys %named) {
		my $positive = s/^--no-/--/r;
		$known{$_} || $known{$positive} || $known{s{^--}{--no-}r} or print "lint: docs: perf $c has no $_\n" and $bad = 1;
	}
}
exit $bad;
P
else
	echo "lint: $O/perf is not built; options were not held against the man pages"
fi

# What comments cite is in Documentation/.
perl tests/lint-citations || status=1

if command -v cppcheck >/dev/null 2>&1; then
	cppcheck -q --std=c11 --enable=warning,portability --inline-suppr --error-exitcode=1 \
		--suppress=missingIncludeSystem --suppress=syntaxError --suppress=unknownMacro \
		--suppress=preprocessorErrorDirective --suppress=uninitvar:tests/* -j 2 \
		-D_GNU_SOURCE -D__x86_64__ -Itools/include -Itools/lib tools tests/unit || note "cppcheck"
else
	missing cppcheck
fi

# The page's script: types by tsc, faults by eslint; from npm, see tools/deps.sh.
npm=$O/npm/node_modules/.bin
if [ -x "$npm/tsc" ] && [ -x "$npm/eslint" ]; then
	"$npm/tsc" -p tools/web/tsconfig.json || note "tsc: tools/web"
	"$npm/eslint" -c tools/web/eslint.config.mjs tools/web/*.js || note "eslint: tools/web"
else
	missing "npm's typescript or eslint (make deps DEPS_BROWSER=1)"
fi

if command -v clang-tidy >/dev/null 2>&1; then
	base=${BASE:-HEAD}
	changed=$(git diff --name-only "$base" -- 'tools/*.c')
	[ -z "${ALL:-}" ] || changed=$(git ls-files 'tools/*.c')
	dirs=$(for f in $changed; do dirname "$f"; done | sort -u)
	for d in $dirs; do
		# Those that this machine builds: tracer/host-arm64.c is another's.
		built=$(for f in "$d"/*.c; do [ ! -e "$O/lint/${f%.c}.o" ] || echo "$f"; done)
		[ -n "$built" ] || continue
		# shellcheck disable=SC2086 # one word for each file
		clang-tidy -quiet --warnings-as-errors='*' \
			-checks='-*,bugprone-*,clang-analyzer-core*,clang-analyzer-unix*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-bugprone-macro-parentheses,-bugprone-narrowing-conversions,-bugprone-assignment-in-if-condition,-bugprone-branch-clone,-bugprone-suspicious-string-compare,-bugprone-implicit-widening-of-multiplication-result,-bugprone-sizeof-expression,-bugprone-not-null-terminated-result' \
			$built -- -std=gnu17 -D_GNU_SOURCE -DPERF_VERSION='""' \
			-DPERF_LIBEXECDIR='""' -I"$O" -Itools/include -Itools/lib \
			-I/usr/include/traceevent 2>/dev/null || note "clang-tidy: $d"
	done
else
	missing clang-tidy
fi

[ $status -eq 0 ] && echo "lint: nothing found"
exit $status
