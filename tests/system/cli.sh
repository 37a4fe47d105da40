#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What every command promises: help on stdout with status 0, usage errors on stderr with 129.
. "$(dirname "$0")/../lib.sh"

check_status "no command" 129 "$PERF"
check_status "an unknown command" 129 "$PERF" nonsense
like "the nearest command is named" "$("$PERF" verson 2>&1)" 'Did you mean.*version'
check_status "perf --help" 0 "$PERF" --help
check_status "perf --version" 0 "$PERF" --version
for c in $("$PERF" help --list-cmds); do
	out=$("$PERF" "$c" --help 2>"$TMP/err")
	is "$c --help exits with 0" "$?" 0
	like "$c --help goes to stdout" "$out" "Usage: perf $c"
	is "$c --help prints nothing to stderr" "$(cat "$TMP/err")" ""
	"$PERF" "$c" --no-such-option >"$TMP/out" 2>"$TMP/err"
	is "$c --no-such-option exits with 129" "$?" 129
	is "$c --no-such-option prints nothing to stdout" "$(cat "$TMP/out")" ""
	like "$c --no-such-option says so" "$(cat "$TMP/err")" 'no-such-option'
done

# What scripts ask of every perf: the names and lines are upstream's.
lines=$("$PERF" version --build-options)
like "a feature's line" "$lines" '^ +libelf: \[ on  \]  # HAVE_LIBELF_SUPPORT$'
is "no feature is there twice" "$(echo "$lines" | sed 's/:.*//' | sort | uniq -d)" ""
is "perf -vv is the same" "$("$PERF" -vv)" "$lines"
is "perf version -vv too" "$("$PERF" version -vv)" "$lines"
unlike "no library is named that nothing uses" "$lines" 'bpf|libperl'
if [ -f "$O/config.h" ] && [ -d "$ROOT/tools/lib" ]; then
	unused=$(sed -n 's/^#define \(HAVE_[A-Z0-9_]*\) .*/\1/p' "$O/config.h" | while read -r macro; do
		grep -rqw "$macro" "$ROOT/tools/lib" "$ROOT/tools/perf" || [ "$macro" = HAVE_LIBELF ] || echo "$macro"
	done)
	is "every library that is probed is one that code asks for" "$(echo $unused)" ""
else
	skip "every library that is probed is one that code asks for" "installed: no sources here"
fi
is "check feature prints that line" "$("$PERF" check feature libelf)" "$(echo "$lines" | grep ' libelf:')"
for f in libelf elf HAVE_LIBELF_SUPPORT LIBELF aio aio,libelf; do
	check_status "check feature $f" 0 "$PERF" check feature "$f"
done
for f in libperl rust libelf,libperl nonsense; do
	check_status "check feature $f" 1 "$PERF" check feature "$f"
done
is "an unknown feature" "$("$PERF" check feature nonsense 2>&1)" \
	"Unknown feature 'nonsense', please use 'perf version --build-options' to see which ones are available."
is "check feature -q is silent" "$("$PERF" check feature -q nonsense,libelf,rust 2>&1)" ""
check_status "check without a name" 129 "$PERF" check feature

# Readers take their file without -i too; a second one is one too many.
F=$ROOT/tests/data/perf/arm64-sve.data
for c in script evlist buildid-list "report --stdio"; do
	# shellcheck disable=SC2086
	"$PERF" $c -i "$F" >"$TMP/want" 2>/dev/null
	# shellcheck disable=SC2086
	"$PERF" $c "$F" >"$TMP/got" 2>/dev/null
	is "$c FILE: status" $? 0
	same_file "$c FILE is $c -i FILE" "$TMP/got" "$TMP/want"
	# shellcheck disable=SC2086 # words
	case $c in
	script | report*) check_status "$c with two files" 0 "$PERF" $c "$F" "$F" ;;
	*) check_status "$c with two files" 129 "$PERF" $c "$F" "$F" ;;
	esac
done

# "help" where names are taken: all of them, and no recording is needed.
like "report -s help" "$(cd "$TMP" && "$PERF" report -s help 2>&1)" '^  symbol_from$'
like "report -F help" "$(cd "$TMP" && "$PERF" report -F help 2>&1)" '^  overhead$'
like "script -F help" "$(cd "$TMP" && "$PERF" script -F help 2>&1)" '^  brstacksym$'
check_status "which is a success" 0 "$PERF" script -F help
like "record -e help names the list" "$("$PERF" record -e help true 2>&1)" "'perf list' shows"
like "record -F help says what it takes" "$("$PERF" record -F help true 2>&1)" "takes samples per second or 'max'"
like "record -j help names the filters" "$("$PERF" record -j help true 2>&1)" 'any_call'
like "record --call-graph help names the modes" "$("$PERF" record --call-graph help true 2>&1)" 'dwarf'

# What came before the bad option is given back: LeakSanitizer looks at these.
check_status "script: a list, then a bad option" 129 "$PERF" script -F ip --no-such-option
check_status "data: a list, then a bad option" 129 "$PERF" data --binary /bin/true --no-such-option
# Commands of upstream: what there is instead, in commands and options that exist.
for c in annotate archive bench c2c config daemon diff ftrace iostat kallsyms kmem kvm kwork lock mem \
	probe sched stat timechart top trace; do
	"$PERF" help --list-cmds | grep -qx $c && continue
	check_status "perf $c" 129 "$PERF" $c
	out=$("$PERF" $c 2>&1)
	like "perf $c: what there is instead" "$out" "^perf: this perf has no '$c'\. Instead: "
	bad=$(echo "$out" | sed 's,[.]$,,' | grep -o '\bperf [a-z]\+ -[^,;]*' | while read -r _ cmd rest; do
		for o in $rest; do
			case $o in --) ;; -*) "$PERF" help --list-opts "$cmd" --hidden | grep -qxe "$o" || echo "$cmd $o" ;; esac
		done
	done)
	is "perf $c: in options that exist" "$bad" ""
done
like "a command that is misspelt" "$("$PERF" recrod 2>&1)" 'Did you mean record'

# ---- options before the command
is "--list-cmds" "$("$PERF" --list-cmds)" "$("$PERF" help --list-cmds)"
mkdir -p "$TMP/debugfs/tracing/events/made/up"
echo 77 >"$TMP/debugfs/tracing/events/made/up/id"
for given in "--debugfs-dir $TMP/debugfs" "--debugfs-dir=$TMP/debugfs/tracing"; do
	# shellcheck disable=SC2086
	is "$given" "$("$PERF" $given list --raw-dump tracepoint | tr ' ' '\n' | grep made)" made:up
done
check_status "--debugfs-dir without tracepoints" 129 "$PERF" --debugfs-dir "$TMP" list
for o in --debugfs-dir --buildid-dir --buildid-dir=; do
	like "$o without a directory" "$("$PERF" $o 2>&1)" 'no directory given for --'
done
check_status "... is a usage error" 129 "$PERF" --buildid-dir
cp "$PERF_FILE" "$TMP/object"
check "--buildid-dir: the cache is there" "$PERF" --buildid-dir "$TMP/cache" --no-pager buildid-cache -a "$TMP/object"
check "... and has it" test -d "$TMP/cache/.build-id"
check "... not at home" test ! -e "$HOME/.debug"
# ---- the pager
if command -v python3 >/dev/null 2>&1; then
	python=$(command -v python3)
	mkdir "$TMP/slim" "$TMP/pagers"
	printf '#!/bin/sh\necho paged by "$0" "$@"\nexec cat\n' >"$TMP/pagers/less"
	chmod +x "$TMP/pagers/less"
	cp "$TMP/pagers/less" "$TMP/pagers/other"
	touch "$TMP/slim/other" # no program
	on_terminal() { # on_terminal DIR VAR=VALUE... ARGS: of perf, PATH being DIR
		_dir=$1
		shift
		"$python" -c 'import os, pty, sys
os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' /usr/bin/env PATH="$_dir" "$@" 2>&1 | tr -d '\r'
	}
	# The pagers use cat.
	tools=$TMP/pagers:/usr/bin:/bin
	out=$(on_terminal "$TMP/slim" "$PERF" list sw)
	like "no less: what was asked for" "$out" '^ *cpu-clock'
	unlike "... and no complaint" "$out" 'not found|less'
	out=$(on_terminal "$TMP/slim" PAGER='other -x' "$PERF" list sw)
	like "a PAGER that is not there: what was asked for" "$out" '^ *cpu-clock'
	like "... and why it is not used" "$out" "^no pager: PAGER is 'other -x', which is not installed here"
	like "less where it is" "$(on_terminal "$tools" "$PERF" list sw)" '^paged by .*/less'
	like "PAGER with options" "$(on_terminal "$tools" PAGER='other -x' "$PERF" list sw)" '^paged by .*/other -x'
	like "PERF_PAGER first" "$(on_terminal "$tools" PERF_PAGER="$TMP/pagers/other" PAGER=less "$PERF" list sw)" '^paged by .*/other'
	unlike "--no-pager" "$(on_terminal "$tools" "$PERF" --no-pager list sw)" 'paged by'
	D=$ROOT/tests/data/perf
	printf '[pager]\n\tlist = false\n\tdiff = off\n' >"$HOME/.perfconfig"
	for c in "list sw" "diff $D/remmap-3.2.data $D/singleprocess-3.8.data"; do
		# shellcheck disable=SC2086
		unlike "[pager] of ~/.perfconfig: ${c%% *}" "$(on_terminal "$tools" "$PERF" $c)" 'paged by'
	done
	rm "$HOME/.perfconfig"
	like "a shell's command line" "$(on_terminal "$tools" PAGER='X=1 other | cat' "$PERF" list sw)" '^paged by .*/other'
else
	skip "the pager" "python3 is not installed"
fi
if [ -w /dev/full ]; then
	mkdir -p "$HOME"
	for c in "evlist -i $ROOT/tests/data/perf/group-4.14.data" "buildid-list -i $ROOT/tests/data/perf/s390x-basic.data" \
		"--buildid-dir $TMP/cache buildid-cache -l" "list sw" "pmu-dt --pmu-dt $ROOT/tests/data/dtpmu/power10-pmu.dtb" "xstate --cpu spr"; do
		# shellcheck disable=SC2016,SC2086
		is "a full disk is told: ${c%% -*}" "$(sh -c '"$@" 2>&1 >/dev/full; echo $?' - "$PERF" $c)" "cannot write the output: No space left on device
1"
	done
else
	skip "a full disk" "no /dev/full"
fi
like "an option that is none" "$("$PERF" --buildid-dirs x list 2>&1)" "'--buildid-dirs' is not a perf command"

# Each subcommand of data takes the options that say something to it: one that is ignored is believed (merge --redact).
while read -r verb option value; do
	is "data $verb takes no $option" "$("$PERF" data $verb x "$option" ${value:+"$value"} y 2>&1 | sed '1s/,.*//;q'; "$PERF" data "$option" ${value:+"$value"} $verb x y >/dev/null 2>&1; echo $?)" \
		"  Error: unknown $([ "${option#--}" = "$option" ] && echo switch || echo option) \`${option##*-}'
129"
done <<'E2'
merge --redact host
merge --time 10%-20%
merge --comms gcc
merge -C 0
merge --init
merge --spool dir
merge --check
pull --check
pull --by pid
pull --service web
pull --time 1,2
pull --init
push --check
push --to folded
push --pids apart
push --where 1=1
convert --pids apart
convert -z
convert --init
convert --where 1=1
convert --spool dir
E2
done_testing
