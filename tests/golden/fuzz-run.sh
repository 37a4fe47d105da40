#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What tests/fuzz/run makes of the end of a fuzz target: too slow or too large on a machine that does other things
# too is no find, the same of an input that is alone is one, and so is everything else. A script stands in for
# the target: NAME-alone says how it ends with one input.
. "$(dirname "$0")/../lib.sh"
[ -f "$ROOT/tests/fuzz/run" ] || skip_all "no tests/fuzz here"

mkdir -p "$TMP/fuzz"
# ends NAME KIND ALONE: KIND is how libFuzzer names what it leaves, or - for nothing.
ends() {
	mkdir "$TMP/fuzz/seeds-$1"
	cat >"$TMP/fuzz/fuzz-$1" <<END
#!/bin/sh
dir=
for word; do
	case \$word in
	-artifact_prefix=*) dir=\${word#*=} ;;
	esac
done
[ -n "\$dir" ] || { $3; }
echo 'stat::number_of_executed_units: 7'
[ $2 != - ] || exit 0
echo x >"\${dir}$2-1"
echo "Test unit written to \${dir}$2-1"
exit 70
END
	chmod +x "$TMP/fuzz/fuzz-$1"
	O=$TMP TIME=1 CPU_SECONDS=1 sh "$ROOT/tests/fuzz/run" "$1" >"$TMP/out" 2>&1
	echo "status $?, $(sed -n 's/.*passes when it is run alone.*/alone/p' "$TMP/out") finds $(awk -v n="$1" '$1 == n { print $NF }' "$TMP/fuzz/counts")"
}

is "a run without a find" "$(ends fine - 'exit 0')" "status 0,  finds 0"
is "slow beside others" "$(ends late timeout 'exit 0')" "status 0, alone finds 0"
is "large after others" "$(ends grown oom 'exit 0')" "status 0, alone finds 0"
is "slow by itself" "$(ends loop timeout 'while :; do :; done')" "status 1,  finds 1"
is "large by itself" "$(ends large oom 'exit 71')" "status 1,  finds 1"
is "a crash that passes alone" "$(ends crash crash 'exit 0')" "status 1,  finds 1"
is "a leak" "$(ends leak leak 'exit 0')" "status 1,  finds 1"
done_testing
