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
done_testing
