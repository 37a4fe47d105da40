# SPDX-License-Identifier: GPL-2.0-or-later
# Copies of stacks by both unwinders, ours and libunwind: the same frames, or the difference has a name. And what
# --unwinder says where it cannot be.
. "$(dirname "$0")/../lib.sh"
H=$O/tests/helpers
cd "$TMP" || exit 1

for c in report script "data convert"; do
	# shellcheck disable=SC2086
	check_status "$c --unwinder: a name that is none" 129 "$PERF" $c --unwinder nonsense -i x
done
like "... and the names that are" "$("$PERF" script --unwinder nonsense 2>&1)" "no unwinder 'nonsense', but perf and libunwind"
is "... which shells complete" "$("$PERF" help --list-values report -- --unwinder | tr '\n' ' ')" "perf libunwind "
F=$ROOT/tests/data/perf/sleep-6.16.data
check "--unwinder perf is what there is without" "$PERF" script --unwinder perf -i "$F"
if ! "$PERF" check feature -q libunwind; then
	out=$("$PERF" script --unwinder libunwind -i "$F" 2>&1)
	check_status "not built in" 255 "$PERF" script --unwinder libunwind -i "$F"
	like "... what to do" "$out" 'built without lib.*--unwinder out'
	skip "the rest" "built without libunwind"
	done_testing
fi
for f in arm64-sve s390x-basic; do
	check_status "a recording of $f" 255 "$PERF" script --unwinder libunwind -i "$ROOT/tests/data/perf/$f.data"
done
like "... what to do" "$("$PERF" script --unwinder libunwind -i "$ROOT/tests/data/perf/arm64-sve.data" 2>&1 | tr '\n' ' ')" \
	'x86-64 here, and the recording is of another machine.*Leave --unwinder out'

[ -x "$H/frame-kinds" ] || skip_all "helper programs are not built: make tests"
# stacks NAME PROGRAM...: recorded, and by both; what same-stacks.pl says of them in "said"
stacks() {
	name=$1
	shift
	"$PERF" record -q -F 2000 -e cpu-clock:u --call-graph dwarf,16384 -o p.data "$@" >rec.out 2>&1 || {
		skip "$name" "cannot record here: $(head -1 rec.out)"
		return 1
	}
	for u in perf libunwind; do
		"$PERF" script --no-inline -F ip,sym --unwinder $u -i p.data >$u.out 2>$u.err
		is "$name: status with $u" $? 0
	done
	same_file "$name: what is said at the end" perf.err libunwind.err
	said=$(perl "$ROOT/tests/helpers/same-stacks.pl" perf.out libunwind.out)
	diag "$name: $said"
	has_samples p.data 20 || diag "few samples: $name"
}

# Code without rules, as .init and .fini have, is left by a guess: that it keeps a frame pointer. libunwind 1.6 finds the
# caller by that, too, but takes its stack pointer for two words above the one before, so that it loses its way in the
# first caller whose rules go by the stack pointer. All else is to be equal.
same() {
	stacks "$@" || return
	unlike "$1: stacks are equal" "$(echo "$said" | grep -v 'behind _dl_fini\|__run_exit_handlers\|call_init\|_dl_init\|_dl_call_fini')" apart
	like "$1: there are some" "$said" 'equal [1-9][0-9]+ of'
}
for p in frame-kinds frame-kinds-lazy frame-kinds-static frame-kinds-sync deep-frames deep-frames-fp \
	deep-frames-debug deep-frames-packed; do
	same $p "$H/$p"
	unlike "$p: main is there" "$(grep -c 'main$' libunwind.out)" '^.?$'
	case $p in frame-kinds*)
		for f in on_signal compare sized thrown deep; do
			check "$p: $f, and by libunwind" grep -qE " $f(\(|\$)" libunwind.out
		done
		# The frame that the kernel made, and what the signal came into.
		grep -A2 -E ' on_signal(\(|$)' libunwind.out >signal.out
		like "$p: behind a signal's frame" "$(cat signal.out)" 'kill$' ;;
	esac
	"$PERF" report --stdio -q -i p.data -g caller >perf.out 2>&1
	"$PERF" report --stdio -q -i p.data -g caller --unwinder libunwind >libunwind.out 2>&1
	same_file "$p: report" perf.out libunwind.out
	for j in 2 8; do
		"$PERF" report --stdio -q -i p.data -g caller --unwinder libunwind -j$j >jobs.out 2>&1
		same_file "$p: report by $j threads" jobs.out libunwind.out
	done
	"$PERF" data convert --to folded -o folded -i p.data --unwinder libunwind 2>err
	like "$p: data convert" "$(cat folded)" 'main;'
done
stacks deep-frames-bare "$H/deep-frames-bare" && {
	like "code without rules: main by both" "$(grep -c ' main$' perf.out) $(grep -c ' main$' libunwind.out)" '^([0-9]+) \1$'
	unlike "... and ours goes on, nothing else" "$(echo "$said" | grep apart)" 'second|both'
}
stacks "longer than their copies" "$H/deep-frames-large" &&
	like "longer than their copies: that is said" "$(cat libunwind.err)" 'go on behind the'
if command -v python3 >/dev/null 2>&1; then
	stacks "python3" python3 -c 'import json
for i in range(30): json.loads(json.dumps([{"a": k, "b": str(k)} for k in range(3000)]))' && {
		apart=$(echo "$said" | awk '/^apart/ { n += $NF } END { print n + 0 }')
		check "python3: no more than one in 50 differs" test $((apart * 50)) -le "$(grep -c '^$' perf.out)"
	}
fi

# ---- objects that mean harm: rules that divide, jump, never end; the program's own, changed
cp "$H/frame-kinds" prog
"$PERF" record -q -F 2000 -e cpu-clock:u --call-graph dwarf,16384 -o p.data ./prog >rec.out 2>&1 || {
	skip "damaged objects" "cannot record here"
	done_testing
}
seed=1
bad=
while [ $seed -le 40 ]; do
	python3 "$ROOT/tests/helpers/mangle-frames.py" "$H/frame-kinds" prog $seed || bad="$bad helper:$seed"
	timeout 20 "$PERF" script -f --no-inline -F ip,sym --unwinder libunwind -i p.data >out 2>err
	status=$?
	[ $status = 0 ] || bad="$bad $seed:$status"
	seed=$((seed + 1))
done
is "40 objects with damaged rules: read to the end" "$bad" ""
done_testing
