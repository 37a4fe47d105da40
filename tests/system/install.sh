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
is "tests were not asked for" "$(find "$D" -path '*libexec*')" ""
check "bash completion is there" test -e "$D/usr/local/share/bash-completion/completions/perf"
check "zsh completion is there" test -e "$D/usr/local/share/zsh/site-functions/_perf"
check "fish completion is there" test -e "$D/usr/local/share/fish/vendor_completions.d/perf.fish"
if command -v readelf >/dev/null 2>&1; then
	elf=$(readelf -WhlSd "$D/usr/local/bin/perf")
	unlike "the program is stripped" "$elf" ' \.(symtab|debug_info) '
	if [ -z "${SAN:-}" ] && ! grep -q -e -fsanitize "$O/.flags"; then
		like "it goes to any address" "$elf" 'Type: +DYN'
		like "its tables are read-only" "$elf" 'GNU_RELRO'
		like "from the start" "$elf" 'BIND_NOW'
		unlike "no stack can be executed" "$elf" 'GNU_STACK.* RWE '
		sym=$(readelf -W --dyn-syms "$D/usr/local/bin/perf")
		like "its stacks are guarded" "$sym" '__stack_chk_fail'
		like "and its buffers" "$sym" '__(mem|s[nt]).*_chk'
	fi
fi
if command -v asciidoctor >/dev/null 2>&1; then
	for c in $("$PERF" help --list-cmds); do
		check "perf-$c(1) is there" test -s "$D/usr/local/share/man/man1/perf-$c.1"
	done
	check "perf.data(5) is there" test -s "$D/usr/local/share/man/man5/perf.data.5"
else
	skip "man pages" "no asciidoctor"
fi
check "make install-tests" run_make install-tests
check "a unit suite is there" test -x "$D/usr/local/libexec/perf/tests/unit/test-base"
like "the program finds it" "$("$D/usr/local/bin/perf" test -l)" ': unit: base$'
check "make uninstall" run_make uninstall
is "nothing is left" "$(find "$D" -type f)" ""


# Completion asks the program; its answers are what --help shows.
complete_bash() {
	bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _perf
		printf "%s\n" "${COMPREPLY[@]}"' - "$ROOT/tools/perf/completion/perf.bash" "$PERF" "$@"
}
# What compset and compadd do: a prefix goes, those that begin with the rest stay.
complete_zsh() {
	zsh -f -c 'file=$1; shift; words=("$@"); CURRENT=$#words; PREFIX=$words[-1]; typeset head
		compset() { [[ $PREFIX == ${~2}* ]] || return 1; local rest=${PREFIX##${~2}}
			head+=${PREFIX%$rest}; PREFIX=$rest; }
		compadd() { local w; for w in ${(P)@[-1]}; do [[ $w == $PREFIX* ]] && print -r -- $head$w; done; }
		_files() { ls -1d -- "$PREFIX"*; }
		eval "complete() { $(cat $file)
		}"; complete; true' - "$ROOT/tools/perf/completion/_perf" "$PERF" "$@"
}
complete_fish() {
	_line="perf"
	for _w; do _line="$_line $_w"; done
	(mkdir -p "$TMP/path" && ln -sf "$PERF" "$TMP/path/perf" && PATH=$TMP/path:$PATH &&
		fish -N -c 'source $argv[1]; complete -C $argv[2]' "$ROOT/tools/perf/completion/perf.fish" \
			"$_line" | cut -f1)
}
values() {
	"$PERF" help --list-values "$@"
}
for sh in bash zsh fish; do
	command -v $sh >/dev/null 2>&1 || {
		skip "completion by $sh" "no $sh"
		continue
	}
	words=complete_$sh
	is "$sh: commands" "$($words vers)" version
	for c in $("$PERF" help --list-cmds); do
		[ $sh = bash ] || [ "$c" = report ] || continue
		is "$sh: options of $c are those of --help" "$($words "$c" - | sort)" \
			"$("$PERF" "$c" --help | grep -oE '^ +(-., )?--?[^ =[<]+' | tr -s ' ,' '\n' |
				grep . | sort)"
	done
	is "$sh: sort keys" "$($words report -s dso_f)" dso_from
	is "$sh: the second of them" "$($words report --sort comm,dso_f)" comm,dso_from
	is "$sh: formats" "$($words data convert --to autof)" autofdo
	is "$sh: answers out of branches" "$($words script --branches why,cy)" why,cycles
	is "$sh: what data does" "$($words data conv)" convert
	like "$sh: events" "$($words record -e cpu-cl)" '^cpu-clock'
	is "$sh: fields of script" "$($words script -F brstacki | sort)" "$(values script -- -F |
		grep ^brstacki | sort)"
	is "$sh: branch filters" "$($words record -j save)" save_type
	is "$sh: workloads" "$($words test -w noplo)" noploop
	touch "$TMP/a recording"
	is "$sh: files" "$(cd "$TMP" && $words report -i 'a' | sed 's/\\//g')" "a recording"
done
is "values of --sort=" "$(complete_bash report --sort = dso_f) $(complete_bash report --sort =)" \
	"dso_from $(values report -- --sort)"
for c in $("$PERF" help --list-cmds); do
	for o in $("$PERF" help --list-opts "$c"); do
		values "$c" -- "$o" >/dev/null || fail "values of $c $o"
	done
done
# A list of words in the table of values is what the option takes.
for w in $(values record -- --call-graph); do
	unlike "record --call-graph $w" "$("$PERF" record --call-graph "$w" -o "$TMP/x" -e nosuch true 2>&1)" "$w"
done
done_testing
