# SPDX-License-Identifier: GPL-2.0-or-later
# run: first
# User registers by ptrace: known values in the widest vector class that this CPU has.
. "$(dirname "$0")/../lib.sh"
need_x86
need_cmd python3
VECTORS=$O/tests/helpers/vectors
class=$("$VECTORS" class)
case $class in
zmm) regs=zmm,opmask ;;
*) regs=$class ;;
esac
cd "$TMP" || exit 1
"$PERF" record --reg-source=ptrace --user-regs=ip,sp,$regs --reg-budget 0 -F 400 -o v.data "$VECTORS" spin 8 \
	>out 2>err || skip_all "cannot record by ptrace here: $(head -2 err | tr '\n' ' ')"
is "the program's output is its own" "$(cat out)" done

# Every sample inside the loop of hot_CLASS (not the instructions that fill the registers).
"$PERF" script -i v.data -F ip,sym,uregs >s.txt
loop=$(objdump -d --no-show-raw-insn "$VECTORS" | awk -v f="<hot_$class>:" '
	$2 == f { on = 1 } on && /^$/ { exit }
	on && /dec / { sub(":", "", $1); print $1; getline; sub(":", "", $1); print $1 }')
python3 - "$class" $loop >r.txt <<'E'
import re, sys
cls, addrs = sys.argv[1].upper(), {int(a, 16) for a in sys.argv[2:]}
nr, qwords = {"ZMM": (32, 8), "YMM": (16, 4), "XMM": (16, 2)}[cls]
inside = right = masks = 0
for line in open("s.txt"):
    if int(line.split()[0], 16) not in addrs:
        continue
    inside += 1
    got = {(int(a), int(b)): int(v, 16) for a, b, v in re.findall(cls + r"\[(\d+)\]\[(\d+)\]:(0x[0-9a-f]+)", line)}
    if not got:
        got = {(int(a), int(b or 0)): int(v, 16) for a, b, v in re.findall(cls + r"(\d+)\[?(\d*)\]?:(0x[0-9a-f]+)", line)}
    want = {(n, i): 0x0101010101010101 * (n * 8 + i) for n in range(nr) for i in range(qwords)}
    right += got == want
    k = [int(v, 16) for v in re.findall(r"OPMASK\[(?:\d+)\](?:\[0\])?:(0x[0-9a-f]+)|OPMASK\d+:(0x[0-9a-f]+)", line) for v in v if v]
    masks += k == [0x1111 * n for n in range(8)]
print(inside, right, masks)
E
read -r inside right masks <r.txt
[ "${inside:-0}" -ge 100 ] && pass "the loop was sampled ($inside times, $class)" ||
	fail "the loop was sampled" "$(cat r.txt)" "$(head -c 600 s.txt)"
is "every sample there has the values that the program put into $class" "$right" "$inside"
if [ $class = zmm ]; then
	is "and into the masks" "$masks" "$inside"
fi

# A thread that uses no vector registers: initial state is left out, not shown as zeros.
cat >init.c <<'E'
int main(void)
{
	unsigned long n = 1500000000;

	/* vzeroall and a clean x87: nothing but initial state, if the CPU tracks it */
	__asm__ volatile("vzeroall\n1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
	return 0;
}
E
if ${CC:-cc} -O1 -mavx -o init init.c 2>/dev/null && [ $class != xmm ]; then
	"$PERF" record -q --reg-source=ptrace --user-regs=ymm --reg-budget 0 -F 400 -o i.data ./init 2>err
	# not __libc_start_main, nor the linker's main
	"$PERF" script -i i.data -F ip,sym,uregs | awk '$2 == "main"' >i.txt
	is "upper halves in their initial state are not shown as zeros" "$(grep -c YMM i.txt)" 0
	[ "$(wc -l <i.txt)" -ge 20 ] && pass "of $(wc -l <i.txt) samples" ||
		fail "enough samples" "$(wc -l <i.txt)"
fi

# The profile agrees with one that the kernel makes alone.
share() { # share FILE: percent of samples in the hot function
	"$PERF" script -i "$1" -F ip,sym | awk -v f=hot_$class '{ n++ } $2 ~ f { h++ } END { printf "%.1f", 100 * h / n }'
}
agree() {
	[ -e v.data ] || "$PERF" record -q --reg-source=ptrace --user-regs=ip,sp,$regs --reg-budget 0 -F 400 -o v.data \
		"$VECTORS" spin 8 >/dev/null 2>&1
	"$PERF" record -q -e cpu-clock -F 400 -o k.data "$VECTORS" spin 8 >/dev/null 2>&1
	a=$(share v.data) b=$(share k.data)
	rm v.data
	echo "$a % and $b %"
	awk -v a="$a" -v b="$b" 'BEGIN { exit !(a - b < 8 && b - a < 8 && a > 20 && a < 95) }'
}
check "by symbol it agrees with a kernel-only recording" steady agree

# Who delivered is said on stderr, in the file and by evlist.
"$PERF" record -F 200 --reg-source=ptrace --user-regs=$class -g -o g.data "$VECTORS" spin 2 >/dev/null 2>err
like "the header names the source" "$("$PERF" report -i g.data --header-only 2>/dev/null)" \
	'sample source : .*registers from ptrace'
like "call chains and registers in one run" \
	"$("$PERF" script -i g.data -F ip,sym,uregs 2>&1 | tr '\n' ' ')" "hot_$class +ABI:[0-9]+ +$(echo $class | tr a-z A-Z)"
like "the end report says how long threads stood still" "$(cat err)" 'threads stood still [0-9.]+ %'
# With branches a sample is of where its stack ends. Few threads can be brought there: in a loop of
# vector instructions the registers are computed, and where they cannot be the stack ends.
COUNTING=$O/tests/helpers/counting
for without in none hits avx512 hits,avx512 avx hits,avx; do
	PERF_TRACER_WITHOUT=$without "$PERF" record -b --branch-source=software --user-regs=ip,bx,$class \
		--branch-budget 0 -F 1000 -o c.data "$COUNTING" $class 100000000 >/dev/null 2>err
	"$PERF" script -i c.data -F ip,sym,symoff,uregs |
		python3 "$ROOT/tests/helpers/check-counting.py" "$COUNTING" $class >c.txt
	read -r right wrong none <c.txt
	[ "$right" -ge 10 ] && [ "$wrong $none" = "0 0" ] &&
		pass "-b without $without: $right samples of a vector loop have its registers" ||
		fail "-b without $without: samples of a vector loop have its registers" \
			"right, wrong, without: $(cat c.txt)" "$(cat err)"
done
# What stops cost is bounded: on virtual machines 4000 a second took threads 40 % of their time.
within_budget() { # within_budget PERCENT options...
	_most=$1
	shift
	"$PERF" record "$@" --reg-source=ptrace --user-regs=$class -F 4000 -o n.data "$VECTORS" spin 4 2>&1 >/dev/null |
		grep 'stood still' >still.txt
	cat still.txt
	sed 's/.*still \([0-9.]*\) %.*/\1/' still.txt | awk -v most="$_most" '{ exit !($1 <= most) }'
}
check "registers at 4000 Hz take 5 % of the time" steady within_budget 7
like "and the end report says what was done for it" "$(cat still.txt)" \
	'samples spaced out [1-9][0-9]* times \(--reg-budget 5\)'
check "a budget that is asked for is kept" steady within_budget 3 --reg-budget 2
"$PERF" record --reg-budget 0 --reg-source=ptrace --user-regs=ax -F 4000 -o n.data "$VECTORS" spin 1 >/dev/null 2>err
unlike "without a bound nothing is spaced out" "$(cat err)" 'spaced out'
check_status "a budget that is none" 129 "$PERF" record --reg-budget=much --reg-source=ptrace --user-regs=ax -o x.data true
like "is refused by name" "$(cat check.out)" "--reg-budget takes a percentage, not 'much'"
check_status "-a is refused" 129 "$PERF" record -a --reg-source=ptrace --user-regs=$class -o x.data true
like "with the reason and the way out" "$(cat check.out)" 'not with -a.*|Name a command'
check_status "a source that does not exist" 129 "$PERF" record --reg-source=magic --user-regs=ax -o x.data true
if [ -n "$PEER" ]; then
	"$PERF" record -q --reg-source=ptrace --user-regs=ax,ip -F 200 -o p.data "$VECTORS" spin 2 >/dev/null 2>&1
	"$PEER" script -i p.data -F ip,uregs >peer.txt 2>peer.err
	like "an installed perf reads a recording of general registers" "$(head -1 peer.txt)" 'AX:0x'
fi

# The bases of FS and GS: the program says the one and sets the other.
cat >bases.c <<'E'
#include <asm/prctl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) static void based_loop(unsigned long n)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
}

int main(void)
{
	unsigned long fs = 0;

	syscall(SYS_arch_prctl, ARCH_SET_GS, 0x12345000UL);
	syscall(SYS_arch_prctl, ARCH_GET_FS, &fs);
	printf("0x%lx\n", fs);
	fflush(stdout);
	based_loop(1500000000);
	return 0;
}
E
${CC:-cc} -O1 -o bases bases.c || fail "the program for the bases compiles" "$?"
# shows FILE REGEX OPTIONS...: samples in the loop that have registers, and those whose line matches
shows() {
	file=$1 re=$2
	shift 2
	"$PERF" script -i "$file" -F ip,sym,uregs "$@" |
		awk -v re="$re" '/based_loop/ && /ABI:/ { n++; r += $0 ~ re } END { print n + 0, r + 0 }'
}
for list in fsbase ip,GS_base,ax; do
	"$PERF" record --user-regs=$list --reg-budget 0 -F 400 -o b.data ./bases >out 2>err
	fs=$(cat out)
	case $list in
	fsbase) gpr='ABI:2 ' ;;
	*) gpr='AX:0x[0-9a-f]+ +IP:0x[0-9a-f]+ ' ;;
	esac
	shows b.data "${gpr}FSBASE:$fs GSBASE:0x12345000 \$" >r.txt
	read -r n right <r.txt
	[ "$n" -ge 10 ] && pass "$list: the loop was sampled ($n times)" ||
		fail "$list: the loop was sampled" "$n" "$(cat err)"
	is "$list: each sample has the bases of the program" "$right" "$n"
	is "$list: hidden on demand" "$(shows b.data 'FSBASE:- GSBASE:- $' --redact)" "$n $n"
done
like "auto took ptrace and says why" "$(cat err)" \
	'user registers by ptrace: "GS_base" cannot be sampled here: .* no register number'
"$PERF" script -i b.data --json -F ip,sym,uregs >json.txt
like "as JSON" "$(grep -m 1 based_loop json.txt)" \
	"\"IP\":\"0x[0-9a-f]+\",\"FSBASE\":\"$fs\",\"GSBASE\":\"0x12345000\""
"$PERF" script -i b.data --json --redact -F ip,sym,uregs >json.txt
like "hidden there, too" "$(grep -m 1 based_loop json.txt)" '"FSBASE":null,"GSBASE":null'
like "-D shows them" "$("$PERF" script -D -i b.data | grep GSBASE | sort -u)" 'GSBASE 0x0000000012345000'
is "-D hides them" "$("$PERF" script -D --redact -i b.data | grep GSBASE | sort -u)" '.... GSBASE -'
"$PERF" record -q --user-regs=gsbase --reg-budget 0 -F 400 -o - sh -c './bases >out' >b.pipe 2>err
like "from a pipe" "$("$PERF" script -i - -F ip,sym,uregs <b.pipe | grep based_loop)" 'GSBASE:0x12345000'
"$PERF" record -q -b --branch-source=software --user-regs=fsbase -F 100 -o s.data ./bases >out 2>err
like "with branches in software" "$(shows s.data 'GSBASE:0x12345000')" '^([1-9][0-9]*) \1$'
if [ -n "$PEER" ]; then
	for how in "script -F ip,uregs" "report --stdio" evlist; do
		# shellcheck disable=SC2086
		"$PEER" $how -i b.data >peer.txt 2>peer.err
		unlike "an installed perf reads them without a warning: $how" "$(cat peer.err)" \
			'[Ww]arning|[Ee]rror|incompatible|nknown|corrupt'
		like "and shows the rest" "$(cat peer.txt)" 'IP:0x|based_loop|clock|cycles'
	done
fi
done_testing
