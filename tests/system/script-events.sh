#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf script --show-...-events: records other than samples, a line each, of a file that has one of every type. The
# lines are those that perf 6.1 prints for this file (which knows no LOST_SAMPLES).
. "$(dirname "$0")/../lib.sh"
need_cmd python3
cd "$TMP" || exit 1
PYTHONPATH="$ROOT/tests/helpers" python3 - <<'EOS' || skip_all "the recording cannot be written"
from perfdata import *
r = Recording(Attr(type=TYPE_SOFTWARE, sample_type=IP | TID | TIME | CPU, flags='sample_id_all', ids=[1]),
              time=1000000, step=1000)
pack, text, kernel = r.pack, r.text, 0xffffffff81000000
r.comm(100, 'prog')
r.record(MMAP, KERNEL, pack('iiQQQ', -1, 0, kernel, 0x1000000, kernel) + text('[kernel.kallsyms]_text'))
r.record(MMAP, USER, pack('iiQQQ', 100, 100, 0x400000, 0x1000, 0) + text('/bin/x'), pid=100)
r.record(MMAP2, USER, pack('iiQQQIIQQII', 100, 100, 0x500000, 0x1000, 0x2000, 8, 1, 77, 5, 5, 2) + text('/bin/y'), pid=100)
r.record(FORK, 0, pack('iiiiQ', 101, 100, 101, 100, 1000), pid=100)
r.record(KSYMBOL, 0, pack('QIHH', 0xffffffffa0000000, 64, 1, 0) + text('bpf_prog_x'))
r.record(TEXT_POKE, 0, pack('QHH', kernel + 0x123, 5, 20) + bytes(range(25)) + bytes(3))
r.record(TEXT_POKE, 0, pack('QHH', 0x123, 0, 1) + bytes(4))
r.record(CGROUP_NAME, 0, pack('Q', 5) + text('/a/b'))
r.record(NAMESPACES, 0, pack('iiQ', 100, 100, 7) + b''.join(pack('QQ', 4, 0xf0000000 + i) for i in range(7)), pid=100)
r.record(SWITCH, SWITCH_OUT, b'', pid=100)
r.record(SWITCH_CPU_WIDE, 0, pack('ii', 3, 4), pid=100)
r.record(LOST, 0, pack('QQ', 1, 17))
r.record(LOST_SAMPLES, 0, pack('Q', 18))
r.record(BPF_EVENT, 0, pack('HHI', 1, 0, 33) + bytes(8))
r.record(EXIT, 0, pack('iiiiQ', 100, 100, 100, 100, 1000), pid=100)
r.write('events.data')
r.record(TEXT_POKE, 0, pack('QHH', kernel, 500, 500) + bytes(4))
r.write('bad.data')
EOS
printf 'ffffffff81000000 T _stext\nffffffff81000100 T patched\nffffffff81000200 T next\n' >kallsyms

# lines OPTION: what stands behind "PERF_RECORD_", and the lines that follow it
lines() {
	"$PERF" script -i events.data --kallsyms kallsyms "$1" 2>err | sed 's/^.*: PERF_RECORD_//'
}
is "--show-mmap-events" "$(lines --show-mmap-events)" \
	"MMAP -1/0: [0xffffffff81000000(0x1000000) @ 0xffffffff81000000]: x [kernel.kallsyms]_text
MMAP 100/100: [0x400000(0x1000) @ 0]: x /bin/x
MMAP2 100/100: [0x500000(0x1000) @ 0x2000 08:01 77 5]: r-xp /bin/y"
is "--show-task-events" "$(lines --show-task-events)" "COMM: prog:100/100
FORK(101:101):(100:100)
EXIT(100:100):(100:100)"
is "--show-bpf-events" "$(lines --show-bpf-events)" \
	"KSYMBOL addr ffffffffa0000000 len 64 type 1 flags 0x0 name bpf_prog_x
BPF_EVENT type 1, flags 0, id 33"
is "--show-cgroup-events" "$(lines --show-cgroup-events)" "CGROUP cgroup: 5 /a/b"
is "--show-switch-events" "$(lines --show-switch-events)" "SWITCH OUT        
SWITCH_CPU_WIDE IN           prev pid/tid:     3/4    "
is "--show-lost-events" "$(lines --show-lost-events)" "LOST lost 17
LOST_SAMPLES lost 18"
is "--show-namespace-events" "$(lines --show-namespace-events)" "NAMESPACES 100/100 - nr_namespaces: 7
		[0/net: 4/0xf0000000, 1/uts: 4/0xf0000001, 2/ipc: 4/0xf0000002, 3/pid: 4/0xf0000003, 
		 4/user: 4/0xf0000004, 5/mnt: 4/0xf0000005, 6/cgroup: 4/0xf0000006]"
is "--show-text-poke-events: the function, the bytes before and after" "$(lines --show-text-poke-events)" \
	"TEXT_POKE ffffffff81000123 patched+0x23 old len 5 new len 20
            Old bytes: 00 01 02 03 04
            New bytes: 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14
            New bytes: 15 16 17 18
TEXT_POKE 123  old len 0 new len 1
            New bytes: 00"
is "... -D: without symbols" "$("$PERF" script -D -i events.data 2>&1 | sed -n '/RECORD_TEXT_POKE/,/^$/s/^.*PERF_RECORD_//p;
	/ bytes:/p' | sed 5q)" \
	"TEXT_POKE ffffffff81000123  old len 5 new len 20
            Old bytes: 00 01 02 03 04
            New bytes: 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14
            New bytes: 15 16 17 18
TEXT_POKE 123  old len 0 new len 1"
is "bytes that are not there: the line ends, and it is an error" \
	"$("$PERF" script -i bad.data --show-text-poke-events 2>err | tail -n 1 | sed 's/^.*: //'; "$PERF" script -i bad.data --show-text-poke-events >out 2>&1; echo $?)" \
	"PERF_RECORD_TEXT_POKE
1"
like "... which is said" "$(cat err)" 'TEXT_POKE .20.: its 48 bytes end before its fields do'

# ---- recordings that have something seldom
PYTHONPATH="$ROOT/tests/helpers" python3 - <<'EOS'
from perfdata import *
CLOCK_DATA = 29
ip = Attr(type=TYPE_SOFTWARE, sample_type=IP | TID | TIME, flags='sample_id_all', ids=[1])
lost = Recording(ip)
lost.comm(1, 'prog')
lost.sample(pid=1, ip=4096)
lost.record(LOST_SAMPLES, 0, lost.pack('Q', 18))
lost.record(LOST_SAMPLES, 1 << 15, lost.pack('Q', 500))
lost.write('lost.data')

tasks = Recording(Attr(type=TYPE_SOFTWARE, sample_type=IP | TID | TIME), time=1000000)
tasks.put(FORK, 0, tasks.pack('iiiiQ', 101, 100, 101, 100, 7123456789))
tasks.sample(pid=1, ip=4096)
tasks.write('tasks.data')

for clock in 11, 5:
    tod = Recording(ip, time=123456789)
    tod.sample(pid=1, ip=4096)
    tod.features[CLOCK_DATA] = tod.pack('IIQQ', 1, clock, 1700000000000000000, 0)
    tod.write('clock-%d.data' % clock)

raw = Recording(Attr(type=TYPE_SOFTWARE, config=10, sample_type=IP | TID | TIME | RAW))
for bytes_ in b'A\0\0\0B\0\0\0', b'abcd', bytes(4), b'text\0\0\0\0 no', b'a string\0\0\0\0':
    raw.sample(pid=1, ip=4096, raw=bytes_)
raw.write('raw.data')

# The second event of the group has the bit for counters; the kernel writes them for both.
kind = IP | TID | TIME | BRANCH_STACK | IDENTIFIER | REGS_INTR
regs = dict(sample_regs_intr=1)
one, two = (Attr(sample_type=kind, ids=[i], flags='sample_id_all', branch_sample_type=BRANCH_ANY | more, **regs)
            for i, more in ((1, 0), (2, BRANCH_COUNTERS)))
group = Recording(one, two)
group.comm(1, 'prog')
for attr in one, two:
    got = Attr(sample_type=kind, branch_sample_type=BRANCH_ANY | BRANCH_COUNTERS, **regs)
    group.sample(attr=got, id=attr.ids[0], pid=1, ip=0x7000, branches=[dict(to=32, counter=6, **{'from': 16})],
                 regs_intr=dict(abi=2, gprs=[0x1234]))
group.features[GROUP_DESC] = group.pack('I', 1) + group.string('{anon_group}') + group.pack('II', 0, 2)
group.features[ARCH] = group.string('x86_64')
group.features[CPU_PMU_CAPS] = group.caps(branch_counter_nr=4, branch_counter_width=2)
group.write('group.data')
EOS
is "what a BPF filter dropped is not lost" "$("$PERF" report --stdio -i lost.data 2>&1 | sed -n 's/^# Total Lost Samples: //p')" 18
is "--stats: of the event, samples and not records" \
	"$("$PERF" report --stats -i lost.data 2>&1 | sed -n '/^cpu-clock stats/,$ s/^  *//p')" 'SAMPLE events:          1
LOST_SAMPLES events:         18
LOST_SAMPLES (BPF) events:        500'
like "... -D says so" "$("$PERF" report -D -i lost.data 2>&1)" ': lost samples :500 \(BPF\)$'
like "... and not of what was lost" "$("$PERF" report -D -i lost.data 2>&1)" ': lost samples :18$'
like "without sample ids a task's record has its own time" \
	"$("$PERF" script -i tasks.data --show-task-events 2>&1)" ' 7\.123456: PERF_RECORD_FORK'
is "-F with a class leaves out what samples lack" "$("$PERF" script -i lost.data -F sw:ip,cpu,comm 2>&1 | tr -s ' ')" ' prog 1000'
check_status "... and without one it is an error" 255 "$PERF" script -i lost.data -F ip,cpu,comm
like "-F tod" "$("$PERF" script -i clock-11.data -F tod 2>&1)" ':20\.123456 *$'
like "-F tod --ns" "$("$PERF" script -i clock-11.data -F tod --ns 2>&1)" ':20\.123456[0-9]{3} *$'
like "--header: the clock" "$("$PERF" script --header-only -i clock-11.data 2>&1)" '^# clockid: tai \(11\)$'
like "--header: a clock that no event has" "$("$PERF" script --header-only -i clock-5.data 2>&1)" \
	'^# clockid: \(not found\) \(5\)$'
is "bpf-output: a string ends with NULs, and has nothing else behind them" \
	"$("$PERF" script -i raw.data 2>&1 | sed -n 's/^ *BPF string: //p')" '""
"a string"'
is "bpf-output: lines of one width" "$("$PERF" script -i raw.data -F bpf-output 2>&1 | grep ' 00[0-9a-f]*:' |
	awk '{ print length }' | sort -u)" 57
is "a group with branch counters in one event: registers behind them" \
	"$("$PERF" script -i group.data -F ip,iregs 2>&1 | grep -c '7000 .*AX:0x1234')" 2
is "... and the counters themselves" "$("$PERF" report -D -i group.data 2>&1 | sed -n '/stack counters/{ n; p; }' | sort -u)" \
	".....  0: 0000000000000006"
check "-F brcntr is taken" "$PERF" script -i group.data -F ip,brstack,brcntr
made_file bpf-file bpf.data
is "--header: a BPF program's functions by their own tags" \
	"$("$PERF" report --header-only -i bpf.data 2>&1 | sed -n 's/ addr.*//; /sub_prog/p')" \
	"# 	sub_prog 0: bpf_prog_0123456789abcdef_F
# 	sub_prog 1: bpf_prog_0123456789abcdee_F"
made_file bpf-file bpf.data btf
is "... and by their names, where BTF has them" \
	"$("$PERF" report --header-only -i bpf.data 2>&1 | sed -n 's/ addr.*//; /sub_prog/p')" \
	"# 	sub_prog 0: bpf_prog_0123456789abcdef_main_with_a_name_that_is_long
# 	sub_prog 1: bpf_prog_0123456789abcdee_sub"
done_testing
