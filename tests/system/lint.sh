#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What make lint holds about rooms: of a tree that keeps the rules nothing is said, and each breach of
# one is told.
. "$(dirname "$0")/../lib.sh"
CC=${CC:-cc}
need_cmd objdump perl "${CC%% *}"

T=$TMP/tree
lint() {
	perl "$ROOT/tests/lint-rooms.pl" "$T" "$T/build" "$T/gc" 2>&1
}
compile() {
	rm -rf build
	for f in tools/lib/*/*.c; do
		mkdir -p "build/${f%/*}"
		$CC -w -Itools/lib -c "$f" -o "build/${f%.c}.o" || return 1
	done
}

mkdir -p "$T/Documentation" "$T/tools/lib/low" "$T/tools/lib/high" "$T/tools/perf"
cd "$T" || exit 1
# shellcheck disable=SC2016 # the backquotes are the table's
printf '| `low` | |\n| `high` | |\n' >Documentation/design.md
echo 'int low_one(void);' >tools/lib/low/low.h
printf 'struct low_part {\n\tint a;\n};\n' >tools/lib/low/low-int.h
printf '#include "low/low.h"\nint low_one(void)\n{\n\treturn 1;\n}\n' >tools/lib/low/low.c
printf '#include "low/low.h"\nint high_one(void)\n{\n\treturn low_one();\n}\n' >tools/lib/high/high.c
echo '#include "low/low.h"' >tools/perf/main.c
echo "ld: removing unused section '.text._start' in file '/usr/lib/crt1.o'" >gc
check "the tree compiles" compile
is "nothing is said of a tree that keeps the rules" "$(lint)" ''

# breach NAME FILE ERE: what stdin adds to FILE is told, by a line of its own kind and the status.
breach() {
	rm -f "$TMP/kept"
	[ ! -e "$2" ] || cp "$2" "$TMP/kept"
	cat >>"$2"
	# An include of what is private does not have to be found.
	compile 2>/dev/null
	check "$1: fails" sh -c '! perl "$0" . build gc >/dev/null 2>&1' "$ROOT/tests/lint-rooms.pl"
	like "$1: told" "$(lint)" "^lint: $3"
	rm -f "$2"
	[ ! -e "$TMP/kept" ] || mv "$TMP/kept" "$2"
}

breach "a room uses one above it" tools/lib/low/up.c 'rooms: .*low is below high' <<'C'
#include "high/high.h"
C
breach "a room uses what is private to another" tools/lib/high/deep.c 'rooms: .*low-int.h is private' <<'C'
#include "low/low-int.h"
C
breach "a command does" tools/perf/main.c 'rooms: .*low-int.h is private' <<'C'
#include "low/low-int.h"
C
breach "a room that does not exist" tools/perf/main.c 'rooms: .*no room attic' <<'C'
#include "attic/attic.h"
C
breach "a second public header" tools/lib/low/more.h 'headers: .*low/more.h' <<'C'
int low_two(void);
C
breach "a tag in headers of two rooms" tools/lib/high/high-int.h 'names: .*high low .*low_part' <<'C'
struct low_part {
	int b;
};
C
breach "a name without the prefix of its room" tools/lib/low/name.c 'names: .*exports lowest' <<'C'
int lowest;
C
breach "a name with the prefix of another" tools/lib/high/name.c 'names: .*low_three: a prefix of room low' <<'C'
int low_three(void)
{
	return 3;
}
C
breach "a static that changes" tools/lib/low/count.c 'static: low/count.o:count' <<'C'
int low_count(void)
{
	static int count = 1;

	return count++;
}
C
{
	printf 'int low_long(void)\n{\n\tint a = 0;\n'
	for i in 1 2 3 4 5 6 7 8; do printf '\ta++;\n\ta++;\n\ta++;\n\ta++;\n\ta++;\n\ta++;\n\ta++;\n\ta++;\n\ta++;\n\ta++;\n'; done
	printf '\treturn a;\n}\n'
} >"$TMP/long"
breach "a function of more than 80 lines" tools/lib/low/long.c 'length: .*low_long' <"$TMP/long"
breach "code that nobody calls" gc 'dead: low_one' <<'C'
ld: removing unused section '.text.low_one' in file 'build/libperf.a(low.o)'
C
breach "a library that logs" tools/lib/low/say.c 'log: room low' <<'C'
void low_say(void)
{
	log_warn("the disk is full");
}
C
breach "numbers of ioctl()" tools/lib/low/ctl.c 'ioctl: ' <<'C'
#define LOW_ENABLE _IO('$', 0)
C
breach "fields of branch flags by shifts" tools/lib/low/flags.c 'branch: ' <<'C'
unsigned low_type(unsigned long flags)
{
	return flags >> 20 & 15;
}
C
breach "a second opener of objects" tools/lib/low/open.c 'elf: ' <<'C'
void *low_open(int fd)
{
	return elf_begin(fd, ELF_C_READ, 0);
}
C
breach "a text that is not there" tools/lib/low/cite.c 'citation: .*secrets.md' <<'C'
/* See secrets.md 5.6. */
C
is "what was put back keeps the rules again" "$(compile && lint)" ''
done_testing
