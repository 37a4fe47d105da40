#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run: first
# What is built for AArch64 compiles without a warning, links, and starts under qemu-user. Of libelf, of which
# Debian has no cross package, the headers are this machine's and the functions are empty.
. "$(dirname "$0")/../lib.sh"
[ -e "$ROOT/Makefile" ] || skip_all "the sources are not here"
need_cmd aarch64-linux-gnu-gcc
lib=$(ls /usr/lib/*/libelf.so.1 2>/dev/null | head -1)
[ -n "$lib" ] && [ -r /usr/include/libelf.h ] || skip_all "no libelf to take the names of its functions from"

B=$TMP/build
mkdir -p "$TMP/include" "$TMP/lib"
for f in libelf.h gelf.h elfutils; do
	[ ! -e "/usr/include/$f" ] || ln -s "/usr/include/$f" "$TMP/include/$f"
done
nm -D "$lib" | sed -n 's/@.*//; s/.* T \(.*\)/.globl \1\n\1: mov x0, 0\n ret/p' >"$TMP/elf.s"
aarch64-linux-gnu-gcc -c "$TMP/elf.s" -o "$TMP/elf.o" && aarch64-linux-gnu-ar rc "$TMP/lib/libelf.a" "$TMP/elf.o"
if env -u MAKEFLAGS -u MAKELEVEL CPPFLAGS="-isystem $TMP/include" LDFLAGS="-static -L$TMP/lib" CFLAGS= \
	make -C "$ROOT" -s -j2 O="$B" NO_LIBS=all WERROR=1 OPT=-O0 SAN= CC=aarch64-linux-gnu-gcc \
	>"$TMP/log" 2>&1; then
	pass "builds for AArch64"
else
	fail "builds for AArch64" "$(grep -v 'statically linked' "$TMP/log" | tail -20)"
	done_testing
	exit
fi
# "Using 'getaddrinfo' in statically linked applications" is the linker's, and of no interest here.
is "no warnings" "$(grep 'warning:' "$TMP/log" | grep -v 'statically linked')" ""
like "it is of AArch64" "$(LC_ALL=C readelf -h "$B/perf")" 'Machine: *AArch64'
if command -v qemu-aarch64 >/dev/null 2>&1; then
	is "it starts" "$(qemu-aarch64 "$B/perf" --version)" "$("$PERF" --version)"
else
	skip "it starts" "no qemu-aarch64 here: qemu-user has it"
fi
done_testing
