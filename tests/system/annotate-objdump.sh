#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run: first
# Instructions as listings have them against objdump's, for every function of whole files: addresses,
# lengths, names and targets of branches of this machine's libraries, of 32-bit ones, of other
# architectures, and of made objects in the other byte order.
. "$(dirname "$0")/../lib.sh"
need_cmd objdump perl
DUMP=$O/tests/helpers/listing-dump
grep -Eq 'HAVE_(LIBCAPSTONE|ZYDIS) 1' "$O/config.h" || skip_all "built without a disassembler library"

# compare NAME OBJDUMP FILE
compare() {
	if ! command -v "$2" >/dev/null 2>&1; then
		skip "$1" "no $2 here"
		return
	fi
	if [ ! -r "$3" ]; then
		skip "$1" "no $3 here"
		return
	fi
	if ! "$DUMP" -f "$3" >"$TMP/ours" 2>"$TMP/err"; then
		fail "$1" "$(head -n 3 "$TMP/err")"
		return
	fi
	wide="-w --insn-width=16"
	case $2 in *llvm*) wide= ;; esac
	"$2" -d -z $wide "$3" >"$TMP/theirs"
	if perl "$ROOT/tests/helpers/listing-objdump.pl" "$TMP/ours" "$TMP/theirs" >"$TMP/verdict"; then
		pass "$1: $(tail -n 1 "$TMP/verdict")"
	else
		fail "$1: $(tail -n 1 "$TMP/verdict")" "$(head -n 60 "$TMP/verdict")"
	fi
}

libc=$(ldd "$(command -v perl)" | perl -ne 'print $1 if m{=> (/\S*libc\.so\S*)}')
compare "the C library" objdump "$libc"
libcxx=$(ls /usr/lib/*/libstdc++.so.6 2>/dev/null | head -n 1)
compare "the C++ library" objdump "${libcxx:-libstdc++.so.6}"
compare "this perf, with local functions" objdump "$PERF_FILE"
compare "a 32-bit C library" objdump /lib32/libc.so.6
if grep -q 'HAVE_LIBCAPSTONE 1' "$O/config.h"; then
	compare "aarch64's C library" aarch64-linux-gnu-objdump /usr/aarch64-linux-gnu/lib/libc.so.6
	compare "ARM's C library" arm-linux-gnueabihf-objdump /usr/arm-linux-gnueabihf/lib/libc.so.6
	if [ -r /usr/aarch64-linux-gnu/lib/libc.so.6 ]; then
		# puts: adrp, then ldr of what lies in the page
		"$DUMP" -d /usr/aarch64-linux-gnu/lib/libc.so.6 >"$TMP/ours"
		like "aarch64: data by page and rest" "$(grep ' ldr .*# ' "$TMP/ours")" '# [0-9a-f]+ stdout@got\+0'
		mkdir "$TMP/broken"
		for n in 4 5 6; do echo 'no library' >"$TMP/broken/libcapstone.so.$n"; done
		like "aarch64: a library that does not load is named" \
			"$(LD_LIBRARY_PATH=$TMP/broken "$DUMP" -d /usr/aarch64-linux-gnu/lib/libc.so.6 2>&1)" \
			'no library here decodes arm64 instructions: .* libcapstone\.so\.[0-9], which does not load here: .*'
	fi
else
	skip "aarch64's C library" "built without libcapstone"
fi

# APX, which no library here decodes: code that clang makes with it, hundreds of its instructions, by length and by
# where branches go. (Names of these are LLVM's alone.)
apx() {
	clang=$(command -v clang-19 || command -v clang) objdump=$(command -v llvm-objdump-19 || command -v llvm-objdump)
	perl "$ROOT/tests/helpers/many-functions.pl" >"$TMP/many.c"
	if [ -z "$clang" ] || [ -z "$objdump" ]; then
		skip "x86-64 with APX" "no clang or no llvm-objdump here"
	elif ! "$clang" --target=x86_64-linux-gnu -mapxf -O2 -w -c -x c -o "$TMP/made.o" "$TMP/many.c" 2>"$TMP/err" ||
		! ld -e f0 -o "$TMP/made" "$TMP/made.o" 2>>"$TMP/err"; then
		skip "x86-64 with APX" "this clang makes none: $(head -n 1 "$TMP/err")"
	else
		LENGTHS=1 compare "x86-64 with APX" "$objdump" "$TMP/made"
		is "... of which hundreds are its own" "$(sed -n 's/^\([0-9]*\) instructions of APX$/\1/p' "$TMP/verdict" | grep -c '^[0-9][0-9][0-9]')" 1
	fi
}
if grep -q 'HAVE_ZYDIS 1' "$O/config.h"; then
	apx
else
	skip "x86-64 with APX" "built without Zydis"
fi

# made TARGET OBJDUMP LINKER...: functions compiled for another machine.
made() {
	target=$1 objdump=$2
	shift 2
	if ! command -v clang >/dev/null || ! command -v "$1" >/dev/null; then
		skip "$target" "no clang or no $1 here"
	elif ! clang -target "$target" -c -O1 -w -x c -o "$TMP/made.o" "$TMP/many.c" 2>"$TMP/err" ||
		! "$@" -e f0 -o "$TMP/made" "$TMP/made.o" 2>>"$TMP/err"; then
		skip "$target" "it does not compile: $(head -n 1 "$TMP/err")"
	else
		compare "$target, by ${*}" "$objdump" "$TMP/made"
	fi
}
if grep -q 'HAVE_LIBCAPSTONE 1' "$O/config.h"; then
	perl "$ROOT/tests/helpers/many-functions.pl" >"$TMP/many.c"
	made aarch64_be-linux-gnu aarch64-linux-gnu-objdump aarch64-linux-gnu-ld -EB -maarch64linuxb
	made armeb-linux-gnueabi arm-linux-gnueabihf-objdump arm-linux-gnueabihf-ld -EB -marmelfb_linux_eabi
	made armeb-linux-gnueabi arm-linux-gnueabihf-objdump arm-linux-gnueabihf-ld -EB --be8 -marmelfb_linux_eabi
	made mips-linux-gnu llvm-objdump ld.lld
	made mips64-linux-gnuabi64 llvm-objdump ld.lld
	made powerpc-linux-gnu llvm-objdump ld.lld
	made powerpc64-linux-gnu llvm-objdump ld.lld
	made powerpc64le-linux-gnu llvm-objdump ld.lld
else
	skip "objects of the other byte order" "built without libcapstone"
fi

# The same addresses in the other syntax, and nothing of AT&T's in it.
"$DUMP" -i "$PERF_FILE" >"$TMP/intel" 2>"$TMP/err"
"$DUMP" "$PERF_FILE" | cut -d ' ' -f 1-3 >"$TMP/att"
check "Intel's syntax has the same instructions" sh -c 'cut -d " " -f 1-3 "$1" | cmp -s - "$2"' sh "$TMP/intel" "$TMP/att"
is "and no AT&T operands" "$(grep -v '^FUNCTION' "$TMP/intel" | grep -c '%')" 0
done_testing
