#!/bin/sh
# The page of report --html in a real browser: Chromium, headless, driven by playwright-core from npm; both
# come with make deps DEPS_BROWSER=1. Pictures of the views are left in $O/page/.
# run: first
. "$(dirname "$0")/../lib.sh"
need_cmd python3
need_cmd node
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
	skip_all "no Chromium here (make deps DEPS_BROWSER=1 installs it)"
driver=$(node_module playwright-core) || skip_all "no playwright-core here (make deps DEPS_BROWSER=1 installs it)"

made_file page-file "$TMP" "$TMP/perf.data" || skip_all "cannot write $TMP/perf.data"
"$PERF" report -q -i "$TMP/perf.data" --html "$TMP/pa ge#1.html" 2>/dev/null
made_file page-file "$TMP" "$TMP/before.data" before
"$PERF" report -q -i "$TMP/perf.data" --diff "$TMP/before.data" --html "$TMP/diff.html" 2>/dev/null
"$PERF" diff -q -g -s sym --html "$TMP/three.html" "$TMP/before.data" "$TMP/perf.data" "$TMP/before.data" 2>/dev/null
simd=$ROOT/../shared/fixtures/simd/zmm-opmask-intr.perf.data
[ -e "$simd" ] && "$PERF" report -q -i "$simd" --html "$TMP/simd.html" 2>/dev/null
made_file page-simd "$TMP/vectors.data"
"$PERF" report -q -i "$TMP/vectors.data" --html "$TMP/vectors.html" 2>/dev/null
mkdir -p "$TMP/sys/opt/truth"
cp "$ROOT/tests/data/answers/truth" "$TMP/sys/opt/truth"
"$PERF" report -q --symfs "$TMP/sys" --branches=why -i "$ROOT/tests/data/answers/branches.data" --html "$TMP/answers.html" 2>/dev/null
"$PERF" report -q --symfs "$TMP/sys" --numbers --idle-lanes --apx --values 'zmm1.f32[0]' --profile-quality -i "$ROOT/tests/data/answers/regs.data" --html "$TMP/truth.html" 2>/dev/null
made_file page-file "$TMP" "$TMP/registers.data" registers
"$PERF" report -q -i "$TMP/registers.data" --dirty --values ax --profile-quality --html "$TMP/registers.html" 2>/dev/null
# Two objects with functions of the same names, both hot.
mkdir -p "$TMP/twins"
cp "$O/tests/helpers/branch-kinds" "$TMP/twins/one"
cp "$O/tests/helpers/branch-kinds" "$TMP/twins/two"
(cd "$TMP/twins" && PYTHONPATH=$ROOT/tests/helpers python3 - <<'PY'
import os, subprocess
from perfdata import *
words = [line.split() for line in subprocess.run(['nm', 'one'], capture_output=True, text=True).stdout.splitlines()]
at = [int(w[0], 16) for w in words if w[-1] == 'biased'][0]
r = Recording(Attr(sample_type=IP | TID | TIME, flags='sample_id_all mmap2'), step=1000000)
r.comm(10, 'twins')
for i, name in enumerate(('one', 'two')):
    r.mmap2(10, 0x400000 * (i + 1), 0x100000, 0, os.path.abspath(name))
    for _ in range(500):
        r.sample(ip=0x400000 * (i + 1) + at, pid=10)
r.features[ARCH] = r.string('x86_64')
r.write('twins.data')
PY
)
"$PERF" report -q -i "$TMP/twins/twins.data" --profile-quality --html "$TMP/twins.html" 2>/dev/null
shots=$O/page
mkdir -p "$shots"
told() {
	while IFS= read -r line; do
		case $line in
		'ok - '*) pass "${line#ok - }" ;;
		'not ok - '*) fail "${line#not ok - }" ;;
		*) diag "$line" ;;
		esac
	done <"$TMP/told"
}
NOISE=$("$PERF" diff -s sym --csv "$TMP/before.data" "$TMP/perf.data" 2>/dev/null | awk -F, '$1 ~ /^cycles/ && $2 ~ /leaf/ { printf "%.2f", $NF; exit }')
export NOISE
# Chromium writes into its home, which is this test's own.
node "$ROOT/tests/helpers/page-browser.mjs" "$driver" "$browser" "$TMP/pa ge#1.html" "$TMP/diff.html" "$TMP/simd.html" "$TMP/vectors.html" "$TMP/three.html" "$TMP/answers.html" "$TMP/registers.html" "$TMP/truth.html" "$TMP/twins.html" "$shots" >"$TMP/told" 2>"$TMP/err"
status=$?
told
is "the driver comes to its end" $status 0
[ $status -eq 0 ] || diag "$(tail -20 "$TMP/err")"

# UPDATE=1: the pictures of the README, of perf reading a recording that bench's generator makes.
if [ -n "${UPDATE:-}" ]; then
	cp "$PERF_FILE" "$TMP/object"
	"$O/tests/bench/gen" stacks "$TMP/stacks.data" 400000 20000 59 "$TMP/object"
	(cd "$TMP" && PATH=$(dirname "$PERF_FILE"):$PATH &&
		perf record -q -F 4000 -g -o perf.data -- perf report --stdio -i stacks.data >/dev/null &&
		perf report -q --html page.html)
	node "$ROOT/tests/helpers/page-picture.mjs" "$driver" "$browser" "$TMP/page.html" "$ROOT/Documentation" ||
		fail "pictures"
fi
done_testing
