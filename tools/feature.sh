#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# feature.sh CC OUT 'NO_LIBS': probes each optional library by compiling and linking a call to it.
# Writes OUT/config.h (HAVE_X), OUT/config.mk (LIBS) and prints what is on and off.
# CPPFLAGS and LDFLAGS of the environment count, as in the build.
# NO_LIBS names libraries to leave out though they are there, or "all".
# With a fourth argument, "fortify" or "plain", the ways of hardening that compiler and linker have too
# (HARDEN_CFLAGS, HARDEN_LDFLAGS): "fortify" where there is an optimizer.
cc=$1 out=$2 no=$3 harden=${4:-none}
mkdir -p "$out"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
libs='' on='' off=''
: >"$tmp/config.h"

# probe NAME 'LDLIBS' 'INCLUDES' 'EXPRESSION' 'DEBIAN PACKAGE' 'WHAT IT GIVES' ['CFLAGS']
probe() {
	macro=HAVE_$(echo "$1" | tr 'a-z-' 'A-Z_')
	have=0
	{
		printf '%b\n' "$3"
		echo "int main(void) { return (int)(long)($4); }"
	} >"$tmp/t.c"
	case " $no " in
	*" $1 "* | *" all "*) case $1 in libelf | seccomp) allowed=1 ;; *) allowed=0 ;; esac ;;
	*) allowed=1 ;;
	esac
	if [ $allowed = 1 ] && $cc -w -D_GNU_SOURCE $CPPFLAGS $7 "$tmp/t.c" -o "$tmp/t" $LDFLAGS \
		$libs $2 2>"$tmp/log"; then
		have=1
		libs="$2 $libs"
		on="$on $1"
		[ -n "$7" ] && cflags="$cflags $7"
	else
		off="$off $1"
	fi
	printf '#define %s %d\n' "$macro" $have >>"$tmp/config.h"
	case $1 in # as upstream spells them
	libtraceevent) upstream=$macro ;;
	libslang) upstream=HAVE_SLANG_SUPPORT ;;
	*) upstream=${macro}_SUPPORT ;;
	esac
	printf 'FEATURE("%s", %s, "%s", "%s", "%s")\n' "$1" $have "$upstream" "$5" "$6" \
		>>"$tmp/features.def"
}

cflags=''
: >"$tmp/features.def"
probe zlib -lz '#include <zlib.h>' 'zlibVersion()' zlib1g-dev 'kernel modules packed by gzip, compressed debug sections'
probe libdeflate -ldeflate '#include <libdeflate.h>' '(long)libdeflate_alloc_decompressor()' libdeflate-dev 'compressed debug sections, faster than by zlib'
probe libelf -lelf '#include <libelf.h>' 'elf_version(EV_CURRENT)' libelf-dev 'symbols of ELF files'
probe libdw -ldw '#include <elfutils/libdwfl.h>\n#include <elfutils/libdw.h>' 'dwfl_begin(0)' libdw-dev 'source lines, inlines, DWARF unwinding'
probe libunwind -lunwind-x86_64 '#ifndef __x86_64__\n#error "its other machines were not tried"\n#endif\n#include <libunwind-x86_64.h>' 'unw_create_addr_space(0, 0)' libunwind-dev 'a second unwinder, on x86-64'
probe libtraceevent -ltraceevent '#include <traceevent/event-parse.h>' 'tep_alloc()' libtraceevent-dev 'tracepoint fields' '-I/usr/include/traceevent'
probe zstd -lzstd '#include <zstd.h>' 'ZSTD_versionNumber()' libzstd-dev 'compressed recordings, kernel modules packed by zstd'
probe libiberty -liberty '#include <libiberty/demangle.h>' 'cplus_demangle("_Z1fv", DMGL_AUTO)' libiberty-dev 'C++ and Rust names'
probe lzma -llzma '#include <lzma.h>' 'lzma_version_number()' liblzma-dev 'symbols in .gnu_debugdata, kernel modules packed by xz'
probe libcapstone -lcapstone '#include <capstone/capstone.h>' 'cs_version(0, 0)' libcapstone-dev 'disassembly, every architecture'
probe zydis '-lZydis' '#include <Zydis/Zydis.h>' 'ZydisGetVersion()' libzydis-dev 'x86 instruction decoding'
probe libfdt -lfdt '#include <libfdt.h>' 'fdt_check_header(0)' libfdt-dev 'device tree blobs'
probe libslang -lslang '#include <slang.h>' 'SLtt_initialize(0)' libslang2-dev 'browsers in the terminal'
probe libarchive -larchive '#include <archive.h>\n#include <archive_entry.h>' 'archive_write_new()' libarchive-dev 'archives of the objects of a recording'
probe debuginfod -ldebuginfod '#include <elfutils/debuginfod.h>' 'debuginfod_begin()' libdebuginfod-dev 'debug files from a server, on request'
probe libcurl -lcurl '#include <curl/curl.h>' 'curl_easy_init()' libcurl4-openssl-dev 'recordings pushed to ClickHouse'
probe libpq -lpq '#include <postgresql/libpq-fe.h>' 'PQlibVersion()' libpq-dev 'recordings pushed to PostgreSQL'
probe seccomp '' '#include <linux/audit.h>\n#include <linux/filter.h>\n#include <linux/seccomp.h>\n#include <sys/syscall.h>' '__NR_seccomp + SECCOMP_FILTER_FLAG_TSYNC' linux-libc-dev 'recordings read without what reading does not need'

# hardens FLAGS...: whether a program is compiled and linked with them, and without a warning.
hardens() {
	$cc -Werror -D_GNU_SOURCE $CPPFLAGS "$@" "$tmp/h.c" -o "$tmp/h" $LDFLAGS 2>/dev/null
}

# Writing behind a buffer, jumping to where no call leads, stacks that grow into the heap, tables of functions that can be
# written. What one machine calls -fcf-protection another calls -mbranch-protection.
hard_c='' hard_ld=''
printf '#include <stdio.h>\nint main(int n, char **v) { char b[64]; return snprintf(b, 64, "%%s", v[n - 1]); }\n' >"$tmp/h.c"
if [ "$harden" != none ]; then
	for flag in -fPIE -fstack-protector-strong -fstack-clash-protection -fcf-protection=full \
		-mbranch-protection=standard; do
		! hardens $flag || hard_c="$hard_c $flag"
	done
	for flag in -pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack; do
		! hardens $hard_c $flag || hard_ld="$hard_ld $flag"
	done
	for level in 3 2; do
		[ "$harden" = fortify ] || break
		flag="-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$level"
		! hardens -O2 $flag || { hard_c="$hard_c $flag" && break; }
	done
fi

command -v "${cc%% *}" >/dev/null 2>&1 || {
	echo "feature.sh: no compiler '$cc' here; make deps installs gcc" >&2
	exit 1
}
case "$on" in
*libelf*) ;;
*)
	echo "feature.sh: a program with -lelf does not compile; make deps installs libelf-dev" >&2
	exit 1
	;;
esac
cmp -s "$tmp/config.h" "$out/config.h" || cp "$tmp/config.h" "$out/config.h"
cmp -s "$tmp/features.def" "$out/features.def" || cp "$tmp/features.def" "$out/features.def"
# What is loaded on request must not become a dependency.
use=$(printf '%s\n' "$libs" | sed 's/-ldebuginfod//; s/-lunwind-x86_64//; s/-larchive//; s/-lcurl//; s/-lpq//; s/-lcapstone//')
{
	echo "LIBS := $use"
	echo "LIBS_CFLAGS := $cflags"
	echo "HARDEN_CFLAGS := $hard_c"
	echo "HARDEN_LDFLAGS := $hard_ld"
} >"$out/config.mk"
echo "  FEATURES on:${on:- none}${off:+   off:$off}"
