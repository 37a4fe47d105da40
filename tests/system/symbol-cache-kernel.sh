#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's own symbols out of the cache on disk: whatever /proc/kallsyms says meanwhile, a report with
# the cache names what one without it does. A text of our own lies over /proc/kallsyms, in a namespace.
. "$(dirname "$0")/../lib.sh"
need_cmd awk python3 unshare mount
[ -r /sys/kernel/notes ] || skip_all "this kernel shows no build id"
cd "$TMP" || exit 1
touch kallsyms
unshare -m --propagation private mount --bind kallsyms /proc/kallsyms 2>err ||
	skip_all "no mounts of our own here: $(cat err)"
PERF_SYMBOL_CACHE=64
export PERF_SYMBOL_CACHE
KEPT=$HOME/.cache/perf/symbols

# text BASE MODULE BPF [hidden|among]: 12,000 functions of the kernel, 10 of a module, one of BPF
text() {
	awk -v high="$1" -v module="$2" -v bpf="$3" -v how="${4-}" 'BEGIN {
		printf "%s000000 T _text\n", high
		for (i = 1; i < 12000; i++)
			printf "%s%06x t own%d\n", high, i * 256, i
		if (how == "among")
			printf "%s%06x t %s_stray\t[%s]\n", high, 100 * 256 + 128, module, module
		for (i = 0; i < 10; i++)
			printf "ffffffffc0%06x t %s_f%d\t[%s]\n", i * 256, module, i, module
		printf "ffffffffc1000000 t bpf_prog_%s\t[bpf]\n", bpf
	}' >kallsyms
	[ "${4-}" != hidden ] || sed -i 's/^[0-9a-f]*/0000000000000000/' kallsyms
}

# recording FILE BASE SAMPLES [own] [late] [moved-late]: of this kernel, which lay at BASE; "own": of its own functions alone;
# "late": a sample comes before the kernel is named; "moved-late": and before it says where the kernel lay, in records without a time
recording() {
	PYTHONPATH=$ROOT/tests/helpers python3 -S - "$@" <<'P' || skip_all "no recording"
import os
import sys
from perfdata import *

base = int(sys.argv[2] + '000000', 16)
r = Recording(Attr(type=TYPE_SOFTWARE, size=64, sample_period=1000, sample_type=IP | TID | TIME,
                   flags='mmap comm' if 'moved-late' in sys.argv else 'mmap comm sample_id_all'))
r.features.update({OSRELEASE: r.string(os.uname().release), ARCH: r.string('x86_64')})
if 'moved-late' in sys.argv:
    r.mmap(-1, base, 0xffffffffbfffffff - base, base, '[kernel.kallsyms]', tid=0, misc=KERNEL)
if 'late' in sys.argv or 'moved-late' in sys.argv:
    r.sample(ip=base + 8, pid=100, misc=KERNEL)
r.mmap(-1, base, 0xffffffffbfffffff - base, base, '[kernel.kallsyms]_text', tid=0, misc=KERNEL)
r.mmap(-1, 0xffffffffc0000000, 0x4000, 0, '[some]', tid=0, misc=KERNEL)
r.mmap(-1, 0xffffffffc0010000, 0x3ffeffff, 0xffffffffc0010000, '[kernel.kallsyms]', tid=0,
       misc=KERNEL)
r.comm(100, 'worker')
for i in range(int(sys.argv[3])):
    kinds = [base + i * 2560 % (12000 * 256) + 8] * 3
    if 'own' not in sys.argv:
        kinds = [kinds[0], 0xffffffffc0000010 + i % 10 * 256, 0xffffffffc1000004]
    r.sample(ip=kinds[i % 3], pid=100, misc=KERNEL)
r.write(sys.argv[1])
P
}

# report TO FILE [option...]
report() {
	_to=$1 _file=$2
	shift 2
	unshare -m --propagation private sh -c 'mount --bind kallsyms /proc/kallsyms && exec "$@"' - \
		"$PERF" report --stdio -s dso,sym -i "$_file" "$@" >"$_to" 2>"$_to.err"
}

# both TEXT FILE WORD [yes|no]: with the cache as without, WORD in it; whether it came from the cache
both() {
	report off "$2" --no-symbol-cache
	report on "$2" -v
	same_file "$1" on off
	like "$1: $3" "$(cat on)" "$3"
	[ -n "${4-}" ] || return 0
	_from=no
	! grep -q 'symbols of the cache: .*\.kallsyms\.symtab' on.err || _from=yes
	is "$1: out of the cache" "$_from" "$4"
}

text ffffffff81 some one
recording all.data ffffffff81 300
recording own.data ffffffff81 300 own
report none own.data --no-symbol-cache
is "--no-symbol-cache puts nothing there" "$(find "$HOME/.cache" -name '*.symtab' 2>/dev/null)" ""
both "the first run" own.data ' own1020$' no
is "which puts the kernel's there" "$(find "$KEPT" -name '*.kallsyms.symtab' | wc -l)" 1
both "the second" own.data ' own1020$' yes
both "with a module and BPF" all.data ' some_f4$' yes
both "BPF" all.data ' bpf_prog_one$'

# threads FILE [yes|no]: several threads print what one does; whether one of them reads kallsyms while it walks over the file
threads() {
	for _j in 1 4; do
		unshare -m --propagation private sh -c 'mount --bind kallsyms /proc/kallsyms && exec "$@"' - \
			"$PERF" script -vv -F ip,sym,dso --no-symbol-cache "--jobs=$_j" -i "$1" >"by$_j" 2>"by$_j.err"
		report "rows$_j" "$1" --no-symbol-cache "--jobs=$_j"
	done
	same_file "$1 by four threads" by1 by4
	same_file "report of $1 by four threads" rows1 rows4
	like "$1: names" "$(cat by4)" ' own[0-9]+ '
	_beside=no
	! grep -q "symbols are read beside the index" by4.err || _beside=yes
	is "$1: read beside the index" "$_beside" "$2"
	[ "$2" = no ] || like "$1: what that takes is said" "$(cat by4.err)" "kernel's symbols: [0-9.]+ s of CPU time"
}

recording late.data ffffffff81 300 late
threads all.data yes
threads late.data no
recording moved-late.data ffffffff8a 3000 own moved-late
threads moved-late.data no

text ffffffff81 other two
both "another module at its place names nothing" all.data ' \[some\] +\[k\] 0x[0-9a-f]*410$' yes
unlike "... in it" "$(cat on)" 'other_f'
both "another program at its place" all.data ' bpf_prog_two$' yes
grep -v '\[other\]' kallsyms >fewer && cp fewer kallsyms
both "the module is gone" all.data ' bpf_prog_two$' yes
text ffffffff81 some one
for jobs in 1 2 8; do
	report "with $jobs" all.data -j$jobs
	report "without $jobs" all.data -j$jobs --no-symbol-cache
	same_file "$jobs jobs" "with $jobs" "without $jobs"
done
recording many.data ffffffff81 40000
both "many samples" many.data ' some_f4$' yes
for command in "script -F ip,sym" "annotate --stdio own1020" "diff own.data"; do
	unshare -m --propagation private sh -c 'mount --bind kallsyms /proc/kallsyms &&
		"$0" $1 -i all.data >a 2>a.err; "$0" $1 --no-symbol-cache -i all.data >b 2>b.err' "$PERF" "$command"
	same_file "$command" a b
done

# A kernel that starts elsewhere: of the recording before, and of one made now.
text ffffffff8a some one
both "it has moved" all.data ' own1020$' no
unlike "with what its modules were then" "$(cat on)" 'some_f'
recording moved.data ffffffff8a 300
both "it has moved before the recording" moved.data ' own1020$' no
both "a second time" moved.data ' some_f4$' yes
text ffffffff81 some one hidden
both "addresses are hidden" moved.data ffffffff8a no
like "which is said" "$(cat on.err)" 'kptr_restrict'
text ffffffff81 some one
both "back again" all.data ' own1020$' no
both "and kept" all.data ' own1020$' yes

for at in 0 104 5000; do
	printf 'XXXXXXXX' | dd of="$(echo "$KEPT"/*.kallsyms.symtab)" bs=1 seek="$at" conv=notrunc 2>/dev/null
	both "word at $at of it was changed" all.data ' own1020$' no
done
rm -rf "$HOME/.cache"
text ffffffff81 some one among
both "a module's among them" all.data ' own1020$' no
both "is not kept" all.data ' own1020$' no
rm -rf "$HOME/.cache"
text ffffffff81 some one
for i in 1 2 3; do
	report a own.data & report b own.data & report c own.data & wait
	same_file "several at once, $i" a b
	same_file "the third, $i" a c
done
is "leave one table" "$(ls "$KEPT")" "$(cd "$KEPT" && echo *.kallsyms.symtab)"
done_testing
