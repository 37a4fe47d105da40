#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run: alone
# make install: everything lands below DESTDIR, the installed program runs and finds its suites,
# make uninstall leaves nothing behind.
. "$(dirname "$0")/../lib.sh"
[ -e "$ROOT/Makefile" ] || skip_all "the sources are not here"

D=$TMP/dest
run_make() {
	env -u MAKEFLAGS -u MAKELEVEL make -C "$ROOT" -s O="$O" DESTDIR="$D" "$@"
}

check "make install" run_make install
check "the program runs" "$D/usr/local/bin/perf" version
check "a unit suite is there" test -x "$D/usr/local/libexec/perf/tests/unit/test-base"
check "bash completion is there" test -e "$D/usr/local/share/bash-completion/completions/perf"
if command -v asciidoctor >/dev/null 2>&1; then
	for c in $("$PERF" help --list-cmds); do
		check "perf-$c(1) is there" test -s "$D/usr/local/share/man/man1/perf-$c.1"
	done
	check "perf.data(5) is there" test -s "$D/usr/local/share/man/man5/perf.data.5"
else
	skip "man pages" "no asciidoctor"
fi
check "make uninstall" run_make uninstall
is "nothing is left" "$(find "$D" -type f)" ""

# Completion asks the program; its answers are what --help shows.
complete_words() {
	bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _perf
		printf "%s\n" "${COMPREPLY[@]}"' - "$ROOT/tools/perf/perf-completion.bash" "$PERF" "$@"
}
if command -v bash >/dev/null 2>&1; then
	is "commands by completion" "$(complete_words vers)" version
	for c in $("$PERF" help --list-cmds); do
		is "options of $c: completion and --help" "$(complete_words "$c" - | sort)" \
			"$("$PERF" "$c" --help | grep -oE '^ +(-., )?--?[^ =[<]+' | tr -s ' ,' '\n' |
				grep . | sort)"
	done
else
	skip "completion" "no bash"
fi
done_testing
