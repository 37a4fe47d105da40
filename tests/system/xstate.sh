# SPDX-License-Identifier: GPL-2.0-or-later
# perf xstate against CPUID, the kernel's boot lines, and gdb.
. "$(dirname "$0")/../lib.sh"
need_x86
need_cmd python3
VECTORS=$O/tests/helpers/vectors
ulimit -c unlimited

# ---- described CPUs
json=$("$PERF" xstate --cpu spr --json)
is "the 808 + 576 bytes of the on-demand design" "$(echo "$json" | python3 -c '
import json, sys
d = json.load(sys.stdin)["dynamic supervisor state, bytes"]
print(*d.values())')" "808 1384 576 3584 2752 8192"
is "sample bytes of zmm and opmask" "$("$PERF" xstate --cpu icx --set zmm,opmask |
	sed -n 's/bytes per sample: //p')" 2152
check_status "an unknown CPU is refused" 1 "$PERF" xstate --cpu zen40
like "and the known ones are named" "$("$PERF" xstate --cpu zen40 2>&1)" 'skx, icx, spr, dmr, zen4'
check_status "a component that the CPU lacks is refused" 1 "$PERF" xstate --cpu zen4 --set lbr
check_status "two sources are a usage error" 129 "$PERF" xstate --pid 1 --core x
check_status "there is no process 0" 1 "$PERF" xstate --cpu spr --pid 0
like "... which is said" "$("$PERF" xstate --cpu spr --pid 0 2>&1)" "there is no process 0"
check_status "... and two sources are two" 129 "$PERF" xstate --pid 0 --set zmm
is "no described CPU depends on the host" "$(for c in skx icx spr dmr zen4; do
	"$PERF" xstate --cpu $c --json | python3 -c 'import json,sys; json.load(sys.stdin)' || echo bad
done)" ""

# ---- the simulated policy
is "1 task in 100 uses LBR: memory and traffic of both designs" \
	"$("$PERF" xstate --cpu spr --simulate made:tasks=100,lbr=1,switches=1000 --json | python3 -c '
import json, sys
for r in json.load(sys.stdin)["designs"]: print(r["always"], r["on_demand"])')" \
"358400 276584
1000 10
1000 10
1616000 17440
7168000 5521440"
printf 'start 1\nstart 2 # two tasks\nlbr-begin 2\n\nswitch 0 1 2\nswitch 0 2 0\nexit 2\n' >"$TMP/s"
is "a schedule from a file" "$("$PERF" xstate --cpu dmr --simulate "$TMP/s" |
	awk '/^(saves|restores)/ { print $(NF-1), $NF }')" "2 1
1 1"
echo 'switch 1 2' >>"$TMP/s"
like "a bad line is named" "$("$PERF" xstate --cpu dmr --simulate "$TMP/s" 2>&1)" 's: line 8 is not'
for line in 'start 4294967297' 'exit -1' 'start 5x' 'exit 5 foo' 'switch 0 1 2 3' 'start' '\f'; do
	# shellcheck disable=SC2059
	printf "start 1\n$line\n" >"$TMP/bad"
	like "... also '$line'" "$("$PERF" xstate --cpu dmr --simulate "$TMP/bad" 2>&1)" 'bad: line 2 is not'
done
printf 'start 1\n\0\nstart 2\n' >"$TMP/bad"
like "... and what is no text" "$("$PERF" xstate --cpu dmr --simulate "$TMP/bad" 2>&1)" 'bad is no text'
check_status "no LBR, nothing to simulate" 1 "$PERF" xstate --cpu zen4 --simulate made

if "$PERF" record -q -a -R -e sched:sched_switch -o "$TMP/sw.data" -- sleep 0.3 2>/dev/null; then
	n=$("$PERF" script -i "$TMP/sw.data" -F event 2>/dev/null | grep -c sched_switch)
	is "the switches of a recording ($n)" "$("$PERF" xstate --cpu spr --simulate "$TMP/sw.data" |
		sed -n 's/^switches: //p')" "$n"
	"$PERF" record -q -e cpu-clock -o "$TMP/none.data" -- true 2>/dev/null
	like "a recording without them is refused, with the way to make one" \
		"$("$PERF" xstate --cpu spr --simulate "$TMP/none.data" 2>&1)" \
		'Record them: perf record -a -R -e sched:sched_switch'
else
	skip "the switches of a recording" "sched:sched_switch cannot be recorded here"
fi

# ---- this CPU
if "$PERF" xstate >"$TMP/host" 2>&1; then
	cat >"$TMP/cpuid.c" <<-'E'
	#include <cpuid.h>
	#include <stdio.h>
	int main(void)
	{
		unsigned a, b, c, d, i;

		for (i = 2; i < 63; i++) {
			__cpuid_count(0xd, i, a, b, c, d);
			if (a)
				printf("%u %u %u %u\n", i, a, c & 1 ? 0 : b, c & 1);
		}
		return 0;
	}
	E
	${CC:-cc} -o "$TMP/cpuid" "$TMP/cpuid.c" 2>/dev/null
	"$PERF" xstate --json >"$TMP/host.json"
	is "sizes and offsets agree with CPUID" "$(python3 - "$TMP/host.json" <<-'E'
	import json, sys
	for c in json.load(open(sys.argv[1]))["components"]:
	    if c["nr"] >= 2:
	        sup = c["kind"].startswith("supervisor")
	        print(c["nr"], c["size"], 0 if sup else c["standard"], int(sup))
	E
	)" "$("$TMP/cpuid")"
	# Of this boot: what lies in /var/log may be of another machine.
	boot=$( (dmesg 2>/dev/null; journalctl -q -k -b 2>/dev/null) |
		grep -E 'x86/fpu: (xstate_offset|Enabled xstate)')
	if [ -n "$boot" ]; then
		is "sizes and compacted offsets agree with the kernel's boot lines" \
			"$(python3 - "$TMP/host.json" <<-'E'
		import json, sys
		for c in json.load(open(sys.argv[1]))["components"]:
		    if c["nr"] >= 2:
		        print(c["nr"], c["compacted"], c["size"])
		E
		)" "$(printf '%s\n' "$boot" |
			sed -n 's/.*xstate_offset\[\([0-9]*\)\]: *\([0-9]*\), xstate_sizes\[[0-9]*\]: *\([0-9]*\).*/\1 \2 \3/p' |
			sort -nu)"
		is "and so does the size of a task's area" \
			"$(sed -n 's/^compacted form, bytes: //p' "$TMP/host")" \
			"$(printf '%s\n' "$boot" |
				sed -n 's/.*context size is \([0-9]*\) bytes.*compacted.*/\1/p' | tail -1)"
	else
		skip "agreement with the boot lines" "the kernel log is not readable or lost them"
	fi
else
	skip "this CPU" "no XSAVE here: $(cat "$TMP/host")"
fi

# ---- registers against gdb
class=$("$VECTORS" class)
ours() { # ours ARGS...: "n qwords..." of every vector register
	"$PERF" xstate "$@" --json | python3 -c '
import json, re, sys
for t in json.load(sys.stdin)["threads"]:
    for name, v in t["registers"].items():
        m = re.match(r"[XYZ]MM(\d+)$", name)
        if m: print(m.group(1), *(hex(int(q, 16)) for q in v.split()))'
}
masks() { # masks ARGS...: K0-K7, MXCSR and the state of the AVX-512 components
	"$PERF" xstate --all "$@" --json | python3 -c '
import json, sys
for t in json.load(sys.stdin)["threads"]:
    r, c = t["registers"], t["components"]
    print(*(hex(int(str(r["K%d" % i]), 0)) for i in range(8)))
    print(*(c[n] for n in ("opmask", "zmm_hi256", "hi16_zmm")))'
}
want_masks="0x0 0x1111 0x2222 0x3333 0x4444 0x5555 0x6666 0x7777
stored stored stored"
theirs() { # theirs GDB-ARGS...: xmm0-15 and ymm0-15, as far as this gdb reads them
	for i in $(seq 0 15); do
		for c in x2 y4; do
			set -- "$@" -ex "printf \"reg $i \"" -ex 'printf "\n"' \
				-ex "output/x \$${c%?}mm$i.v${c#?}_int64" -ex 'printf "\n"'
		done
	done
	gdb -nx -q -batch "$@" 2>/dev/null | python3 -c '
import re, sys
reg, best = None, {}
for l in sys.stdin:
    m = re.match(r"reg (\d+)", l)
    if m:
        reg = int(m.group(1))
    elif reg is not None and l.startswith("{"):
        out = []
        for m in re.finditer(r"(0x[0-9a-f]+)(?: <repeats (\d+) times>)?", l):
            out += [m.group(1)] * int(m.group(2) or 1)
        best[reg] = max(best.get(reg, []), out, key=len)
for n in sorted(best):
    print(n, *best[n])'
}
# gdb's registers as a prefix of ours: it knows upper halves only where it knows the layout (gdb
# before 15 takes Intel's offsets for AVX-512 everywhere).
agree() { # agree NAME OURS GDBS
	printf '%s\n' "$2" >"$TMP/ours"
	printf '%s\n' "$3" >"$TMP/gdbs"
	if [ "$(wc -l <"$TMP/gdbs")" -ne 16 ]; then
		fail "$1" "gdb printed: $3"
		return
	fi
	is "$1 ($(awk 'NF > n { n = NF } END { print 64 * (n - 1) }' "$TMP/gdbs") bits each)" \
		"$(awk 'NR == FNR { w[$1] = NF; next }
			$1 in w { for (i = 1; i <= w[$1]; i++) printf "%s ", $i; print "" }' \
			"$TMP/gdbs" "$TMP/ours" | sed 's/ $//')" "$(cat "$TMP/gdbs")"
}
case $class in
zmm) last=31 qwords=8 ;;
ymm) last=15 qwords=4 ;;
*) last=15 qwords=2 ;;
esac
(cd "$TMP" && "$VECTORS" core >/dev/null 2>&1)
core=$(ls "$TMP"/core* 2>/dev/null | head -1)
want=$(python3 -c "
for n in range($last + 1):
    print(n, *(hex(0x0101010101010101 * (n * 8 + i)) for i in range($qwords)))")
if [ -n "$core" ]; then
	is "--core shows the values that the program put there ($class)" "$(ours --core "$core")" "$want"
	[ "$class" != zmm ] ||
		is "and the masks" "$(masks --core "$core")" "$want_masks"
	if command -v gdb >/dev/null 2>&1; then
		agree "and gdb shows the same" "$want" "$(theirs "$VECTORS" "$core")"
	else
		skip "gdb on the core" "gdb is not installed"
	fi
	head -c 1000 "$core" >"$TMP/cut"
	check_status "a cut core is refused" 1 "$PERF" xstate --core "$TMP/cut"
	like "with the place" "$("$PERF" xstate --core "$TMP/cut" 2>&1)" 'cut'
else
	skip "--core" "no core file appeared (core_pattern: $(cat /proc/sys/kernel/core_pattern))"
fi

# Cores without a note of the layout, of a CPU that this one is not: what is kept at another place
# there than on other CPUs is not shown, and that is said.
case $("$PERF" xstate --json 2>/dev/null) in
*'"standard":"832"'* | *'"standard":832'*) other=icx size=2696 ;;
*) other=zen4 size=2440 ;;
esac
cat >"$TMP/core.py" <<'E'
import struct, sys
out, size, how = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
def note(owner, kind, desc):
    name = owner.encode() + b"\0"
    pad = lambda b: b + bytes(-len(b) % 4)
    return struct.pack("<3I", len(name), len(desc), kind) + pad(name) + pad(desc)
def thread(tid, xcr0=0x2e7):
    regs = bytearray(336)
    regs[32:36] = struct.pack("<I", tid)
    area = bytearray(range(256)) * 11
    area[24:32] = struct.pack("<2I", 0x1f80, 0)
    area[464:472] = area[512:520] = struct.pack("<Q", xcr0)
    area[520:576] = bytes(56)
    return note("CORE", 1, bytes(regs)) + note("LINUX", 0x202, bytes(area[:size]))
notes = thread(1) + thread(2, 0xe7 if "unlike" in how else 0x2e7)
if "gdb" in how:
    notes += note("GDB", 0xff000000, b"<target/>\0")
if "strange" in how:  # another owner's notes with the same numbers
    notes += note("ODD", 0x202, bytes(700)) + note("ODD", 1, bytes(336)) + note("ODD", 0x205, bytes(16))
ident = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
n = 2 if "twice" in how else 1
head = ident + struct.pack("<2HI3QI6H", 4, 62, 1, 0, 64, 0, 0, 64, 56, n, 0, 0, 0)
head += struct.pack("<2I6Q", 4, 0, 64 + 56 * n, 0, 0, len(notes), 0, 4) * n
open(out, "wb").write(head + notes)
E
python3 "$TMP/core.py" "$TMP/none" $size
out=$("$PERF" xstate --core "$TMP/none" 2>"$TMP/err")
like "a core that does not say where components lie: a warning names them" "$(cat "$TMP/err")" \
	"none does not say where its CPU keeps opmask, zmm_hi256, hi16_zmm, pkru.*: --cpu "
unlike "... and their registers are not guessed" "$out" '(ZMM|K)[0-9]+:|PKRU'
like "... the others are shown" "$out" 'YMM15: 0x'
like "... and the list of components says it" "$out" 'hi16_zmm: stored, place not known'
like "... a CPU that is named is believed" "$("$PERF" xstate --core "$TMP/none" --cpu $other 2>&1)" \
	'ZMM31: 0x'
unlike "... without a warning" "$("$PERF" xstate --core "$TMP/none" --cpu $other 2>&1)" 'not say'
python3 "$TMP/core.py" "$TMP/gdb" $size gdb
like "a core that gdb wrote: what gdb does" "$("$PERF" xstate --core "$TMP/gdb" 2>&1 >/dev/null)" \
	'gdb wrote it, which before version 15'
python3 "$TMP/core.py" "$TMP/odd" $size strange
is "notes of other owners are left alone" "$("$PERF" xstate --core "$TMP/odd" 2>/dev/null)" "$out"
python3 "$TMP/core.py" "$TMP/unlike" $size unlike
like "threads of one process that have different components: damage" \
	"$("$PERF" xstate --core "$TMP/unlike" 2>&1)" \
	"damaged: thread 1 has $size bytes .* 0x2e7, thread 2 $size for 0xe7"
python3 "$TMP/core.py" "$TMP/twice" $size twice
like "one segment of notes as two: more could be read so than a file has" \
	"$("$PERF" xstate --core "$TMP/twice" 2>&1)" 'its segments of notes overlap'
check_status "a file that is no core is refused" 1 "$PERF" xstate --core "$PERF"
# a segment of 256 MB in a file that has 24 bytes of it
{
	head -c 96 "$TMP/none"
	printf '\0\0\0\020\0\0\0\0'
	tail -c +105 "$TMP/none" | head -c 40
} >"$TMP/claims"
# sanitizers and Valgrind reserve more addresses than any limit leaves
if (ulimit -v 200000 && "$PERF" version) >/dev/null 2>&1; then
	like "notes that the file does not have take no memory" \
		"$(ulimit -v 200000 && "$PERF" xstate --core "$TMP/claims" 2>&1)" 'cut: the notes'
else
	skip "memory of notes that are not there" "this build does not run with a limit of addresses"
fi

"$VECTORS" pause 600 >"$TMP/ready" &
pid=$!
wait_for grep -q ready "$TMP/ready"
$(while_runs $pid 10)	# a tenth of a second in the loop behind the loads
if got=$(ours --pid $pid) && [ -n "$got" ]; then
	is "--pid shows the values of a running process" "$got" "$want"
	kill -STOP $pid
	wait_for is_in_state $pid T
	is "--pid shows those of a stopped process" "$(ours --pid $pid)" "$want"
	[ "$class" != zmm ] || is "and its masks" "$(masks --pid $pid)" "$want_masks"
	like "which stays stopped" "$(cat /proc/$pid/stat)" '\) [Tt] '
	if command -v gdb >/dev/null 2>&1; then
		agree "gdb shows the same for the process" "$want" "$(theirs -p $pid)"
	else
		skip "gdb on the process" "gdb is not installed"
	fi
	kill -CONT $pid
	python3 - "$pid" "$PERF" >"$TMP/traced" 2>&1 <<-'E'
	import ctypes, os, subprocess, sys
	libc = ctypes.CDLL(None, use_errno=True)
	if libc.ptrace(0x4206, int(sys.argv[1]), 0, 0):  # PTRACE_SEIZE
	    sys.exit("no ptrace")
	p = subprocess.run([sys.argv[2], "xstate", "--pid", sys.argv[1]], capture_output=True, text=True)
	print(p.returncode, p.stderr)
	E
	like "another tracer is named" "$(cat "$TMP/traced")" '^1 .*process [0-9]+ .*traces it already'
else
	skip "--pid" "ptrace is not permitted here"
fi
kill -9 $pid
wait $pid 2>/dev/null
check_status "a process that is not there" 1 "$PERF" xstate --pid 999999999

# ---- raw images
python3 - "$TMP/image" <<-'E'
import struct, sys
b = bytearray(576 + 808)
b[512:528] = struct.pack("<QQ", 1 << 15, 1 << 63 | 1 << 15)
lbr = [0x8, 32, 0, 0, 0]
lbr += [0x401000, 0x402000, 1 << 63 | 1 << 60 | 3 << 56 | 77]
lbr += [0x403000, 0x404000, 5 << 56]
b[576:576 + 8 * len(lbr)] = struct.pack("<%dQ" % len(lbr), *lbr)
open(sys.argv[1], "wb").write(b)
E
is "LBR entries out of a compacted image" "$("$PERF" xstate --cpu spr --image "$TMP/image" |
	awk '/0x40/ { $1 = $1; print }')" "0x401000 0x402000 IND_CALL mispred 77
0x403000 0x404000 RET predicted -"
like "absent in a CPU without LBR" "$("$PERF" xstate --cpu zen4 --image "$TMP/image" 2>&1)" \
	'component 15 \(lbr\), which Zen 4 lacks'
done_testing
