# SPDX-License-Identifier: GPL-2.0-or-later
# For system and golden tests, sourced by sh: TAP on stdout, diagnostics behind "# ".
#
#	. "$(dirname "$0")/../lib.sh"
#	need_root; need_cmd gdb			# skip the whole file with a reason; so do need_x86,
#	need_events; need_peer; need_standin; need_tracing	# these
#	[ -n "$PEER" ] || skip "NAME" "$NO_PEER"; newer_peer	# an installed perf, of a version we know
#	fx=$(fixtures) || skip_all "no ../shared/fixtures in a stranger's clone"
#	check "NAME" command args...		# ok when the command exits 0
#	is "NAME" "$got" "$want"		# ok when equal; shows both
#	like "NAME" "$got" 'ERE'
#	wait_for command...			# for what happens, never for a time
#	made_file branch-file FILE <TEXT	# recordings made by hand: tests/helpers/perfdata.py
#	screen tui <<EOF			# a program on a terminal: tests/helpers/screen.py
#	meet 3 $line $rec || continue		# a third of all pairs, others for the next $rec; PAIRS=all: each
#	faults_are_wanted			# sanitizers leave SIGSEGV and its like to the program
#	check "NAME" steady command...		# measurements: one of three holds
#	skip "NAME" "reason"
#	done_testing
#
# PERF is the program under test, PERF_FILE its file (PERF may be a script, see tests/valgrind-perf),
# TMP a directory of this test's own, ROOT the source tree.
# A line "# run: alone" in a script keeps other suites from running beside it; "# run: first" is for one
# that takes long.

ROOT=$(CDPATH='' cd "$(dirname "$0")/../.." && pwd)
O=${O:-$ROOT/build}
PERF=${PERF:-$O/perf}
PERF_FILE=${PERF_FILE:-$PERF}
TMP=$(mktemp -d "${TMPDIR:-/tmp}/perf-test.XXXXXX") || exit 1
PEER=${PEER-$(command -v perf 2>/dev/null)}
# Comparisons with an installed perf hold for these versions; what the second does differently is
# written where it matters, behind newer_peer. Of another nobody knows what is its own.
PEER_KNOWN='6.1 6.12'
NO_PEER='no installed perf to compare with'
PEER_VERSION=$([ -z "$PEER" ] || "$PEER" version 2>/dev/null | sed -n 's/^perf version \([0-9]*\.[0-9]*\).*/\1/p')
case " $PEER_KNOWN " in
*" ${PEER_VERSION:-none} "*) ;;
*)
	[ -z "$PEER_VERSION" ] ||
		NO_PEER="the installed perf is $PEER_VERSION: compared with those of $PEER_KNOWN"
	PEER=
	;;
esac
# Nothing of whoever runs this: settings, caches and debug servers, a terminal's width, a stdin
# that is closed or a pipe.
HOME=$TMP/home
LC_ALL=C
PYTHONPYCACHEPREFIX=$TMP/python
DEBUGINFOD_URLS=
PERF_SYMBOL_CACHE=0
PERF_CONFIG_NOSYSTEM=1
export HOME LC_ALL PYTHONPYCACHEPREFIX DEBUGINFOD_URLS PERF_CONFIG_NOSYSTEM PERF_SYMBOL_CACHE PERF TMP ROOT O
unset PERF_PAGER PAGER PERF_CONFIG PERF_BUILDID_DIR PERF_PMU_DT COLUMNS CDPATH XDG_CACHE_HOME POSIXLY_CORRECT
mkdir "$HOME"
umask 022
exec </dev/null
_n=0
_failed=0
trap 'rm -rf "$TMP"' EXIT
trap 'exit 1' INT TERM

diag() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

# Where everything with everything takes too long: one of $1 pairs, so that each line meets some of the
# recordings and each recording some of the lines; under sanitizers, where each takes longer, one in 5 of those.
meet() {
	[ "$PAIRS" = all ] || [ $((($2 + $3) % ($1 * ${SPARSE:-1}))) = 0 ]
}

faults_are_wanted() {
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0
	TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0
	export ASAN_OPTIONS TSAN_OPTIONS
}

pass() {
	_n=$((_n + 1))
	echo "ok $_n - $1"
}

fail() {
	_n=$((_n + 1))
	_failed=$((_failed + 1))
	echo "not ok $_n - $1"
	shift
	[ $# -eq 0 ] || diag "$@"
}

skip() {
	_n=$((_n + 1))
	echo "ok $_n - $1 # SKIP $2"
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

check() {
	_name=$1
	shift
	if "$@" >"$TMP/check.out" 2>&1; then
		pass "$_name"
	else
		fail "$_name" "exit $? from: $*" "$(head -c 2000 "$TMP/check.out")"
	fi
}

# check_status NAME STATUS command...: the exact exit status
check_status() {
	_name=$1 _want=$2
	shift 2
	"$@" >"$TMP/check.out" 2>&1
	_got=$?
	if [ $_got -eq "$_want" ]; then
		pass "$_name"
	else
		fail "$_name" "exit $_got, wanted $_want, from: $*" "$(head -c 2000 "$TMP/check.out")"
	fi
}

is() {
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1" "got:    $2" "wanted: $3"
	fi
}

like() {
	if printf '%s\n' "$2" | grep -Eq -- "$3"; then
		pass "$1"
	else
		fail "$1" "no match for: $3" "in: $(printf '%s' "$2" | head -c 2000)"
	fi
}

unlike() {
	if printf '%s\n' "$2" | grep -Eq -- "$3"; then
		fail "$1" "should not match: $3" "in: $(printf '%s' "$2" | head -c 2000)"
	else
		pass "$1"
	fi
}

# same_file NAME GOT WANTED
same_file() {
	if cmp -s "$2" "$3"; then
		pass "$1"
	else
		fail "$1" "$(diff "$3" "$2" | head -20)"
	fi
}

need_root() {
	[ "$(id -u)" -eq 0 ] || skip_all "needs root"
}

# A kernel that opens events: containers often forbid it. Asked without the perf under test.
need_events() {
	# Others than root are mostly shown user space only.
	[ "$(id -u)" -eq 0 ] && _flags=0 || _flags=0x60
	_open=$("$O/tests/standin/try-open" type=1 size=64 flags=$_flags 2>&1)
	[ "$_open" = ok ] || skip_all "perf_event_open does not work here: $_open"
}

# The library that asks servers is loaded when it is needed: built with it is not here with it.
has_debuginfod() {
	"$PERF" check feature -q debuginfod && python3 -S -c 'import ctypes; ctypes.CDLL("libdebuginfod.so.1")' 2>/dev/null
}
need_cmd() {
	for _c in "$@"; do
		command -v "$_c" >/dev/null 2>&1 || skip_all "needs $_c, which is not installed"
	done
}

# node_module NAME: where make deps DEPS_BROWSER=1 put a package of npm.
node_module() {
	for _d in "$O/npm/node_modules" "${NODE_PATH:-}" "$ROOT/node_modules"; do
		[ -z "$_d" ] || [ ! -d "$_d/$1" ] || {
			echo "$_d/$1"
			return 0
		}
	done
	return 1
}

# The C compiler, which may have a word in front: CC='ccache gcc'.
need_cc() {
	CC=${CC:-cc}
	# shellcheck disable=SC2086
	need_cmd $CC
}

# An installed perf to compare with: its path in PEER.
need_peer() {
	[ -n "$PEER" ] || skip_all "$NO_PEER"
}

# Whether it is 6.12, of Debian 13, and not 6.1, of Debian 12.
newer_peer() {
	[ "$PEER_VERSION" = 6.12 ]
}

# "$PEER" record: perf 6.1 dies of one recording in ten or so, of a build id at its end.
peer_record() {
	for _ in 1 2 3 4 5 6 7 8; do
		"$PEER" record "$@" && return
	done
	return 1
}

need_x86() {
	[ "$(uname -m)" = x86_64 ] || skip_all "needs an x86-64 machine"
}

# The stand-in for perf_event_open, in SO, which stands for an x86-64 kernel.
need_standin() {
	SO=$O/tests/standin/standin.so
	[ -e "$SO" ] || skip_all "the stand-in is not built"
	need_x86
}

# For suites that need it in one place: whether it is there, and perf with it. Not under valgrind.
has_standin() {
	[ -e "$O/tests/standin/standin.so" ] && [ "$(uname -m)" = x86_64 ]
}
with_standin() { # with_standin PROFILE perf's arguments...
	_profile=$1
	shift
	STANDIN=$_profile LD_PRELOAD=$O/tests/standin/standin.so "$PERF_FILE" "$@"
}

# Branches in software.
need_tracing() {
	need_x86
	timeout 60 "$PERF" record -q -b --branch-source=software -o "$TMP/probe.data" true \
		>/dev/null 2>"$TMP/err" ||
		skip_all "cannot follow branches here: $(head -2 "$TMP/err" | tr '\n' ' ')"
}

# Whether hardware cycles can be sampled here.
has_cycles() {
	"$PERF" record -q --no-fallback -e cycles -o "$TMP/probe.data" -- true >/dev/null 2>&1
	_r=$?
	rm -f "$TMP/probe.data"
	return $_r
}

# Prints the directory of the unpacked fixtures (real/, expected/); fails when there is no
# ../shared. Unpacked once, below $O.
fixtures() {
	_sh=$ROOT/../shared/fixtures
	[ -e "$_sh/real.tar.xz" ] || return 1
	_dir=$O/fixtures
	mkdir -p "$_dir"
	(
		flock 9
		[ -e "$_dir/.unpacked" ] || {
			tar -xJf "$_sh/real.tar.xz" -C "$_dir" && touch "$_dir/.unpacked"
		}
	) 9>"$_dir/.lock" || return 1
	echo "$_dir"
}

# Calls check FILE NAME for recordings of every kind: those of tests/data; of the fixtures some with chains with
# registers and stacks, branches, groups, tracepoints, weights; with "vectors" those with SIMD state too.
each_kind() {
	for _rec in "$ROOT"/tests/data/perf/*.data; do
		check "$_rec" "$(basename "$_rec")"
	done
	_fx=$(fixtures) || return 0
	for _rec in cpp-recursion/perf.data vector_static_gcc/perf.data PerfFormatLost \
		testdata/lbr/perf_lbr.data perf_with_trace_offcpu.data; do
		_found=$(find "$_fx/real" -path "*$_rec" -o -name "*.$_rec" | head -1)
		[ -n "$_found" ] && check "$_found" "$_rec"
	done
	[ "$1" = vectors ] || return 0
	for _rec in "$ROOT"/../shared/fixtures/simd/*.perf.data; do
		[ -e "$_rec" ] && check "$_rec" "$(basename "$_rec")"
	done
}

# Waits until a command succeeds; fails when it does not within two minutes, or four where each attempt takes long.
wait_for() {
	_left=2400
	read -r _end _ </proc/uptime
	_end=$((${_end%.*} + 240))
	until "$@" >/dev/null 2>&1; do
		_left=$((_left - 1))
		read -r _now _ </proc/uptime
		[ $_left -gt 0 ] && [ "${_now%.*}" -lt $_end ] || return 1
		sleep 0.05
	done
}

# A measurement that a busy machine may spoil: COMMAND makes it anew and says whether it holds;
# one of three attempts has to. Not for what is true or false whatever the machine does.
steady() { # steady COMMAND...
	for _ in 1 2 3; do
		"$@" && return
	done
	return 1
}

# How many samples a recording has, by our own reader; one that is still written, too.
samples() {
	"$PERF" script -i "$1" -F pid 2>/dev/null | grep -c .
}

has_samples() { # has_samples FILE N: more than N
	test "$(samples "$1")" -gt "$2"
}

# Whether the recorder PID has mapped its rings.
is_open() {
	grep -q perf_event "/proc/$1/maps"
}

is_in_state() { # is_in_state PID LETTERS: of /proc/PID/stat
	grep -q ") [$2] " "/proc/$1/stat"
}

# made_file NAME ARGS...: a recording made by hand, by tests/helpers/NAME.py and perfdata.py there.
made_file() {
	_made=$1
	shift
	# -S: nothing but the language, which starts in a third of the time.
	python3 -S "$ROOT/tests/helpers/$_made.py" "$@"
}

# not_of_libraries FILE: messages, but for those on names of the system's libraries, which are stripped on
# some machines: chains with frame pointers lead into these.
not_of_libraries() {
	grep -Ev '^no function names for ([^,]*/(ld|lib)[^/,]* \(stripped[^),]*, build id [0-9a-f]*\)(, |$))+$' "$1" |
		grep -v '^Packages with debug symbols'
}

# screen [SCREENS] <SCRIPT: a program on a terminal, typed at and looked at; the steps are told in
# tests/helpers/screen.py, SCREENS is a directory of tests/data with whole screens, UPDATE=1 writes
# them. Each line that it prints is a test.
screen() {
	cat >"$TMP/screen"
	_screen "${1:-}" "$TMP/screen"
	_screen_told "$TMP/screen"
}

# screens FILE...: many scripts, each a screen of its own, four at a time: they mostly wait.
screens() {
	_pids=
	_nr=0
	for _script; do
		_screen '' "$_script" &
		_pids="$_pids $!"
		_nr=$((_nr + 1))
		[ $((_nr % 4)) -ne 0 ] || wait $_pids
	done
	wait $_pids
	for _script; do
		_screen_told "$_script"
	done
}

# press_keys KEYS STEPS BEFORE WHERE: each key of file KEYS, a line each: a screen of its own where the
# steps of BEFORE come first, then what STEPS KEY prints. Where that fails the key has no test.
press_keys() {
	_keys=$1 _steps=$2 _before=$3 _where=$4
	set --
	while IFS= read -r _key; do
		set -- "$@" "$TMP/press.$#"
		{
			echo "title key $_key of $_where"
			printf '%s\n' "$_before"
			"$_steps" "$_key" || echo "no test for $_key"
			echo "ok key $_key of $_where"
		} >"$TMP/press.$(($# - 1))"
	done <"$_keys"
	screens "$@"
}

_screen() {
	python3 -S "$ROOT/tests/helpers/screen.py" "$ROOT/tests/data/$1" <"$2" >"$2.out" 2>&1
	echo $? >"$2.status"
}

_screen_told() {
	_told=
	while IFS= read -r _line; do
		case $_line in
		'ok - '*) pass "${_line#ok - }" ;;
		'not ok - '*) fail "${_line#not ok - }" && _told=1 ;;
		*) printf '%s\n' "$_line" | sed 's/^\(# \)\{0,1\}/# /' ;;
		esac
	done <"$1.out"
	read -r _status <"$1.status"
	[ "$_status" -eq 0 ] || [ -n "$_told" ] || fail "the script of a screen test" "exit $_status"
}

# What to record beside process PID: ends when that has run for N hundredths of a second,
# however long a busy machine takes to give it those.
#
#	perf record -p PID -- $(while_runs PID N)
while_runs() {
	echo "sh $ROOT/tests/helpers/while-runs.sh $1 $2"
}

done_testing() {
	echo "1..$_n"
	[ "$_failed" -eq 0 ]
	exit $?
}
