# SPDX-License-Identifier: GPL-2.0-or-later
# A short, fixed number of runs of each fuzz target, the same on every machine, which may be slow;
# `make fuzz` does more, and others each time.
. "$(dirname "$0")/../lib.sh"
need_cmd clang make
cd "$ROOT" || exit 1
echo 'int main(void) { return 0; }' >"$TMP/t.c"
clang -fsanitize=address "$TMP/t.c" -o "$TMP/t" 2>/dev/null || skip_all "clang has no sanitizers here"

check "the fuzz targets build" make -s -j3 fuzz-build O="$O"
for t in tests/fuzz/fuzz-*.c; do
	name=$(basename "$t" .c)
	check "$name: 3000 runs" sh tests/fuzz/run "$O/fuzz/$name" 3000 -seed=1 -timeout=300
done
done_testing
