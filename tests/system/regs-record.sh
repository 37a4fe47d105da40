#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Registers of a real program on this machine's kernel: what is listed, what is recorded, what is
# said about what cannot be had.
. "$(dirname "$0")/../lib.sh"
[ "$(uname -m)" = x86_64 ] || skip_all "the program is x86-64 assembly"
need_cmd cc
need_events
cat >"$TMP/hold.c" <<'C'
/* Keeps known values in registers for some tenths of a second of work. */
int main(void)
{
	__asm__ volatile("mov $0x1122334455667788, %%r8\n\t"
			 "mov $0x0123456789abcdef, %%rbx\n\t"
			 "mov $1200000000, %%rcx\n"
			 "1:\tdec %%rcx\n\t"
			 "jnz 1b"
			 : : : "r8", "rbx", "rcx", "cc");
	return 0;
}
C
cc -O1 -o "$TMP/hold" "$TMP/hold.c" || skip_all "cannot compile"

"$PERF" record '-I?' >"$TMP/out" 2>"$TMP/err"
is "-I? exits with 129" "$?" 129
like "-I? lists general registers" "$(head -1 "$TMP/err")" \
	'^available registers: AX BX CX DX SI DI BP SP IP FLAGS CS SS R8 R9 R10 R11 R12 R13 R14 R15'
unlike "the list ends without a blank" "$(head -1 "$TMP/err")" ' $'
is "it goes to stderr" "$(cat "$TMP/out")" ""
"$PERF" record -v '--user-regs=?' >/dev/null 2>"$TMP/err"
is "--user-regs=? exits with 129" "$?" 129
listed=$(head -1 "$TMP/err")
like "--user-regs=? lists what ptrace gives" "$(sed -n 2p "$TMP/err")" \
	'^by ptrace, of a program that is started or attached to: DS ES FS GS .*FSBASE GSBASE MXCSR$'
for r in $(sed -n '2s/.*: //p' "$TMP/err"); do
	unlike "listed once: $r" " $listed " " $r "
done
unlike "-I? lists nothing of ptrace" "$("$PERF" record '-I?' 2>&1)" 'FSBASE'
case $listed in
*ZMM0-31*) skip "-v says why a class is missing" "this machine has them all" ;;
*) like "-v says why a class is missing" "$(cat "$TMP/err")" \
	'^ZMM0-31: not available: this (kernel|CPU) has' ;;
esac

# r8 and bx in nearly every sample of the program's own code
record() {
	"$PERF" record -q -e cpu-clock:u -c 2000000 -o "$TMP/r.data" "$@" -- "$TMP/hold" \
		>"$TMP/rec" 2>&1
	is "record $*" "$?" 0
}
record --user-regs=ax,ip,sp,r8,bx
"$PERF" script -F uregs -i "$TMP/r.data" >"$TMP/text"
n=$(grep -c ABI: "$TMP/text")
hit=$(grep -c ' BX:0x123456789abcdef .* R8:0x1122334455667788 ' "$TMP/text")
check "user registers hold the program's values ($hit of $n)" \
	test "$hit" -gt 20 -a $((hit * 10)) -gt $((n * 8))
record -Ir8 -Ibx,ip
"$PERF" script -F iregs -i "$TMP/r.data" >"$TMP/text"
hit=$(grep -c ' BX:0x123456789abcdef    IP:0x.* R8:0x1122334455667788 ' "$TMP/text")
check "so do those at the interrupt; lists add up ($hit)" test "$hit" -gt 20
like "report -D shows them by name" "$("$PERF" report -D -i "$TMP/r.data" | grep '^\.\.\.\. R8 ')" \
	'^\.\.\.\. R8    0x1122334455667788$'
unlike "--redact hides them" "$("$PERF" script --redact -F iregs -i "$TMP/r.data")" \
	'1122334455667788'
unlike "in report -D too" "$("$PERF" report --redact -D -i "$TMP/r.data")" \
	'1122334455667788|88 77 66 55'
is "the recording is its owner's only" "$(stat -c %a "$TMP/r.data")" 600

refused() {
	name=$1 ere=$2
	shift 2
	"$PERF" record -o "$TMP/no.data" "$@" -- true >"$TMP/out" 2>&1
	is "$name is refused" "$?" 129
	like "$name: why" "$(cat "$TMP/out")" "$ere"
}
refused "an unknown name" 'Unknown register "flag".*' -Iflag
like "the nearest name is offered" "$(cat "$TMP/out")" 'FLAGS'
refused "an unknown user register" 'run "perf record --user-regs=\?"' --user-regs=foo
refused "a range that runs backwards" 'runs backwards' -Ir15-r8
case $listed in
*ZMM0-31*) skip "zmm: who lacks it" "this machine has it" ;;
*) refused "zmm at the interrupt" '"zmm" cannot be sampled here: this (kernel|CPU) has' -Izmm ;;
esac
done_testing
