#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every sampled address gets the name that an installed perf gives it: a program in C++ with code
# made at run time, its libraries and the kernel; then thousands of addresses spread over whole
# files and over the kernel's text.
. "$(dirname "$0")/../lib.sh"
need_cmd g++ perl python3
DUMP=$O/tests/symbol-dump
grep -q 'HAVE_LIBIBERTY 1' "$O/config.h" || skip_all "built without a demangler"
# Not below $TMP: perf takes every object under /tmp/perf-* for a JIT map.
dir=$(mktemp -d /tmp/symbol-agree.XXXXXX) || exit 1
trap 'rm -rf "$TMP" "$dir"' EXIT
[ -n "$PEER" ] && [ "$PEER" != "$PERF" ] || skip_all "$NO_PEER"

# Ours and theirs, one line per sample, blanks aside. Stubs are left out: perf before 6.3 names
# them one slot off, and .plt.got not at all.
compare() {
	"$PEER" script -G -i "$2" -F ip,sym,symoff,dso 2>/dev/null | sed 's/^ *//; s/ *$//' >"$TMP/theirs"
	"$DUMP" "$2" 2>"$TMP/err" | sed 's/^ *//' >"$TMP/ours"
	# 6.12 puts parameters behind names, and what templates return before them.
	newer=0
	! newer_peer || newer=1
	[ $newer = 0 ] || perl -i -pe '1 while s/\([^()]*\)(?: const)?(?: &&?)?(?=.*\+0x[0-9a-f]+ \()//' "$TMP/theirs" "$TMP/ours"
	paste -d '|' "$TMP/theirs" "$TMP/ours" | perl -e '
		my ($newer, $n, $bad, $stub) = (shift, 0, 0, 0);
		while (<>) {
			chomp;
			my ($t, $o) = split /\|/, $_, 2;
			$n++;
			next if $t eq $o;
			my ($at, $name) = split / /, $o, 2;
			next if $newer && $t =~ /^$at .* \Q$name\E$/;
			next if $newer && $t eq $o =~ s/^(\S+ )u[0-9]+_/$1_/r; # it takes u8_tolower for mangled
			if ("$t$o" =~ /\@plt|_init\+| \.plt\+/) { $stub++; next }
			print "theirs: $t\nours:   $o\n" if $bad++ < 10;
		}
		print "$n samples, $bad differ, $stub stubs left out\n";
		# 6.12: of functions that lie in one another, in assembler, the other one
		exit($bad > $newer * $n / 100000 || !$n || $stub > 3 + $n / 100);' "$newer" >"$TMP/verdict"
	if [ $? -eq 0 ]; then
		pass "$1: $(tail -n 1 "$TMP/verdict")"
	else
		fail "$1" "$(cat "$TMP/verdict")"
	fi
}

g++ -O1 -g -o "$dir/target" "$ROOT/tests/helpers/symbol-target.cpp" 2>"$TMP/log" ||
	skip_all "the target does not compile: $(head -n 1 "$TMP/log")"
if peer_record -q -F 4000 -o "$TMP/flat.data" "$dir/target" 40 >"$TMP/log" 2>&1; then
	compare "a profiled program" "$TMP/flat.data"
	like "its JIT code is named" "$("$DUMP" "$TMP/flat.data")" 'made at run time\+0x[0-9a-f]+ \(/tmp/perf-[0-9]+\.map\)'
	like "its templates are demangled" "$("$DUMP" "$TMP/flat.data")" 'target::Box<unsigned long>::mix\+0x'
else
	skip "a profiled program" "perf record does not work here: $(tail -n 1 "$TMP/log")"
fi
rm -f $("$DUMP" "$TMP/flat.data" 2>/dev/null | grep -o '/tmp/perf-[0-9]*\.map' | sort -u)

# Addresses drawn at random, in a file made for that.
made_file random-samples "$TMP/user.data" 4000 "$dir/target" /bin/sh \
	"$(command -v perl)" "$PEER" $(ldd "$PEER" | perl -ne 'print "$1 " if m{=> (/\S+)}')
compare "addresses all over files" "$TMP/user.data"
if [ "$(id -u)" -eq 0 ] && made_file random-samples "$TMP/kernel.data" 100000 kernel; then
	compare "addresses all over the kernel" "$TMP/kernel.data"
else
	skip "addresses all over the kernel" "kernel addresses are hidden"
fi
done_testing
