#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# make lint: format, room order, cppcheck, clang-tidy on rooms that changed since BASE (default:
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

# Rooms, lowest first: a room may include those before it (design.md has the same list).
rooms=$(sed -n 's/^| `\([a-z]*\)` |.*/\1/p' Documentation/design.md)
perl - $rooms <<'P' || status=1
my @rooms = @ARGV;
my %pos = map { $rooms[$_] => $_ } 0 .. $#rooms;
my $bad = 0;
for my $f (glob 'tools/lib/*/*.[ch]') {
	my ($room) = $f =~ m{^tools/lib/([^/]+)/};
	if (!exists $pos{$room}) { print "lint: rooms: $room is not in Documentation/design.md\n"; $bad = 1; next }
	open my $in, '<', $f or next;
	while (<$in>) {
		next unless m{^\s*#\s*include\s+"([^"/]+)/([^"]+)"};
		my ($other, $header) = ($1, $2);
		next if $other eq 'uapi' || $other eq $room;
		if (!exists $pos{$other}) { print "lint: rooms: $f:$.: no room $other\n"; $bad = 1 }
		elsif ($pos{$other} > $pos{$room}) { print "lint: rooms: $f:$.: $room is below $other and may not use it\n"; $bad = 1 }
		elsif ($header ne "$other.h" && $other ne 'base') { print "lint: rooms: $f:$.: $other/$header is private to $other\n"; $bad = 1 }
	}
}
exit $bad;
P

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
		$known{$_} || $known{$positive} or print "lint: docs: perf $c has no $_\n" and $bad = 1;
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

if command -v clang-tidy >/dev/null 2>&1; then
	base=${BASE:-HEAD}
	changed=$(git diff --name-only "$base" -- 'tools/*.c')
	[ -z "${ALL:-}" ] || changed=$(git ls-files 'tools/*.c')
	dirs=$(for f in $changed; do dirname "$f"; done | sort -u)
	for d in $dirs; do
		clang-tidy -quiet --warnings-as-errors='*' \
			-checks='-*,bugprone-*,clang-analyzer-core*,clang-analyzer-unix*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-bugprone-macro-parentheses,-bugprone-narrowing-conversions,-bugprone-assignment-in-if-condition,-bugprone-branch-clone,-bugprone-suspicious-string-compare,-bugprone-implicit-widening-of-multiplication-result,-bugprone-sizeof-expression,-bugprone-not-null-terminated-result' \
			"$d"/*.c -- -std=gnu17 -D_GNU_SOURCE -DPERF_VERSION='""' \
			-DPERF_LIBEXECDIR='""' -I"$O" -Itools/include -Itools/lib \
			-I/usr/include/traceevent 2>/dev/null || note "clang-tidy: $d"
	done
else
	missing clang-tidy
fi

[ $status -eq 0 ] && echo "lint: nothing found"
exit $status
