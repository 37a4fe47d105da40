#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Symbols of stripped files from each place where they may lie, files that changed, and source
# lines and inlined calls as addr2line prints them.
. "$(dirname "$0")/../lib.sh"
need_cmd g++ objcopy strip readelf addr2line perl python3
DUMP=$O/tests/symbol-dump
# A home of its own: the cache of build ids is there.
HOME=$TMP/home
export HOME
cd "$TMP" || exit 1

g++ -O2 -g -Wl,--build-id -o whole "$ROOT/tests/helpers/symbol-target.cpp" 2>log ||
	skip_all "the target does not compile: $(head -n 1 log)"
id=$(readelf -n whole | sed -n 's/.*Build ID: //p')
[ -n "$id" ] || skip_all "the linker makes no build ids"
dir=$(echo "$id" | cut -c 1-2)
rest=$(echo "$id" | cut -c 3-)
objcopy --only-keep-debug whole whole.debug
cp whole bare && strip bare
cp whole linked && objcopy --strip-all --add-gnu-debuglink=whole.debug linked

# names FILE [options]: whether the function is named, and which file was complained about
names() {
	_file=$1
	shift
	made_file at-symbol x.data "$_file" >/dev/null
	"$DUMP" "$@" x.data 2>err | grep -c ' not_inlined+0x'
}

named() {
	_name=$1
	shift
	[ "$(names "$@")" -gt 0 ] && pass "$_name" || fail "$_name" "$(cat err)"
}

unnamed() {
	_name=$1
	shift
	is "$_name" "$(names "$@")" 0
}

named "the file's own table" "$TMP/whole"
unnamed "a stripped file has no local names" "$TMP/bare"
named ".gnu_debuglink beside it" "$TMP/linked"
mkdir .debug && mv whole.debug .debug/
named ".gnu_debuglink in .debug/" "$TMP/linked"
mkdir -p "sys$TMP" "sys/usr/lib/debug/.build-id/$dir" && cp bare "sys$TMP/bare" &&
	cp .debug/whole.debug "sys/usr/lib/debug/.build-id/$dir/$rest.debug"
named "build-id directory, below --symfs" "$TMP/bare" -s "$TMP/sys"
mkdir -p "sys/usr/lib/debug$TMP" && mv "sys/usr/lib/debug/.build-id/$dir/$rest.debug" \
	"sys/usr/lib/debug$TMP/bare.debug"
named "/usr/lib/debug/PATH.debug, below --symfs" "$TMP/bare" -s "$TMP/sys"
mkdir -p "home/.debug/.build-id/$dir/$rest" && cp .debug/whole.debug "home/.debug/.build-id/$dir/$rest/debug"
named "debug file in the cache of build ids" "$TMP/bare"
rm -r home
# Where functions are known by words in the program's own file, of which a debug file has none.
words=home/.debug/.build-id/00/0102030405060708090a0b0c0d0e0f10111213
mkdir -p $words && made_file small-elf opd "$TMP/words" 0 && made_file small-elf opd $words/debug 1
made_file one-sample w.data 2 7 0x10000 0x2000 0 "$TMP/words" 0x11044
like "debug file of big-endian PowerPC" "$("$DUMP" w.data)" ' second\+0x4 '
rm -r home
# A debug file of another program must not lend its names.
g++ -O1 -g -DOTHER -Wl,--build-id=0x1234567890 -o other "$ROOT/tests/helpers/symbol-target.cpp"
cp other .debug/whole.debug
unnamed "a debug file with another build id" "$TMP/linked"

# Recorded with its build id, since then built again.
made_file at-symbol id.data "$TMP/whole" "$id" >/dev/null
check "a build id that fits" sh -c "$DUMP id.data | grep -q ' not_inlined+0x'"
made_file at-symbol id.data "$TMP/whole" 00112233 >/dev/null
"$DUMP" id.data >out 2>err
like "a build id that does not fit is said" "$(cat err)" 'whole has changed since the recording'
is "and names nothing" "$(grep -c not_inlined out)" 0
mkdir -p "home/.debug/.build-id/00/112233" && cp whole "home/.debug/.build-id/00/112233/elf"
"$DUMP" id.data >out 2>err
like "not even a cached file with another id" "$(cat err)" 'whole has changed'
rm -r home
mkdir -p "home/.debug/.build-id/$dir/$rest" && cp whole "home/.debug/.build-id/$dir/$rest/elf"
made_file at-symbol id.data "$TMP/whole" "$id" >/dev/null
mv whole away
check "a file that is only in the cache of build ids" sh -c "$DUMP id.data | grep -q ' not_inlined+0x'"
# Only the debug file is here, whose headers do not tell where code lay in the program. Stubs of the PLT are in the program alone.
with_lines() {
	"$DUMP" -r -l -i id.data | grep -Ev 'plt\+|_init\+|_fini\+|\[unknown\]'
}
cp home/.debug/.build-id/$dir/$rest/elf cached && rm "home/.debug/.build-id/$dir/$rest/elf"
objcopy --only-keep-debug cached "home/.debug/.build-id/$dir/$rest/debug"
with_lines >only
mv away whole
with_lines >with
check "only the debug file: functions, lines and inlined calls are found as with the program" cmp with only
like "... all of them" "$(cat only)" ' not_inlined\+0x'
rm -r home

if command -v xz >/dev/null 2>&1 && grep -q 'HAVE_LZMA 1' "$O/config.h"; then
	objcopy --strip-debug whole small && objcopy -S -j .symtab -j .strtab small mini 2>/dev/null
	objcopy --only-keep-debug small mini && xz -f -k mini
	cp bare packed && objcopy --add-section .gnu_debugdata=mini.xz packed
	named ".gnu_debugdata" "$TMP/packed"
	head -c 200 mini.xz >cut.xz && cp bare packed && objcopy --add-section .gnu_debugdata=cut.xz packed
	unnamed "a cut .gnu_debugdata" "$TMP/packed"
else
	skip ".gnu_debugdata" "needs xz and a build with liblzma"
fi
mkfifo fifo
cp x.data y.data && perl -pi -e "s{\Q$TMP/packed\E}{$TMP/fifo\0\0}" y.data
check "a FIFO in place of an object" timeout 60 "$DUMP" y.data

# ---- a vmlinux, recorded where KASLR had moved it ----------------------------------------------

cat >kernel.s <<'EOF'
.text
.globl _text
_text: nop
.globl first
.type first, @function
first: ret
.space 62
.globl second
.type second, @function
second: ret
.space 64
EOF
if gcc -nostdlib -static -Wl,-Ttext=0xffffffff81000000 -Wl,-e,_text -Wl,--build-id=0x1234 -o vmlinux \
	kernel.s 2>log; then
	made_file one-sample k.data 1 -1 0xffffffff9d000000 0x100000 \
		0xffffffff9d000000 '[kernel.kallsyms]_text' 0xffffffff9d000048
	like "a moved vmlinux" "$("$DUMP" -k vmlinux k.data)" 'second\+0x8 \(\[kernel.kallsyms\]\)'
	like "a file that is no vmlinux is said" "$("$DUMP" -k kernel.s k.data 2>&1)" 'kernel.s: this is no ELF file'
else
	skip "a moved vmlinux" "cannot link one: $(head -n 1 log)"
fi

# ---- a process in a container: its own /tmp, its own pid ----------------------------------------

if unshare -mpf mount -t tmpfs none /tmp 2>/dev/null; then
	mkfifo ready
	unshare -mpf sh -c 'mount -t tmpfs none /tmp && echo "10100 20 boxed code" >/tmp/perf-1.map &&
		echo ok >ready; exec sleep 600' &
	box=$!
	is "a process in a container" "$(timeout 120 cat ready)" ok
	pid=$(cat "/proc/$box/task/$box/children")
	made_file one-sample box.data 2 $((pid)) 0x10000 0x1000 0 //anon 0x10104
	like "JIT code of a container" "$("$DUMP" box.data)" "boxed code\\+0x4 \\(/tmp/perf-$((pid)).map\\)"
	kill -9 $((pid))
	wait $box 2>/dev/null
else
	skip "JIT code of a container" "no namespaces here"
fi

# ---- lines -----------------------------------------------------------------------------------

if grep -q 'HAVE_LIBDW 1' "$O/config.h"; then
	made_file at-symbol l.data "$TMP/whole" >ips
	"$DUMP" -r -l -i l.data >ours
	cut -d ' ' -f 2 ips | addr2line -afie whole >theirs
	perl "$ROOT/tests/helpers/compare-lines.pl" ips ours theirs >verdict &&
		pass "lines and inlined calls as addr2line has them: $(tail -n 1 verdict)" ||
		fail "lines and inlined calls as addr2line has them" "$(cat verdict)"
	like "the inlined calls, innermost first" "$(cat ours)" '  deepest at .*symbol-target.cpp:[0-9]+'
	like "the function itself last" "$(cat ours)" '  not_inlined at .*symbol-target.cpp:[0-9]+'

	# Functions that lie in other things than a unit: in a class of a function, and in a module.
	cat >local.cpp <<-'EOF'
		static inline __attribute__((always_inline)) int twice(volatile int *x) { return *x * 2; }
		int main()
		{
			struct local {
				__attribute__((noipa)) int go(volatile int *x) { return twice(x) + 1; }
			};
			volatile int v = 1;
			return local().go(&v);
		}
	EOF
	g++ -O2 -g -o local local.cpp && made_file at-symbol local.data "$TMP/local" >/dev/null
	like "what is inlined in a local class" "$("$DUMP" -i local.data)" '^  _*[A-Z0-9]*twice.* at .*local.cpp:1$'
	cat >module.f90 <<-'EOF'
		module work
		contains
		  pure function inner(x) result(y)
		    real(8), intent(in) :: x
		    real(8) :: y
		    y = sqrt(x * 3.0d0 + 1.0d0)
		  end function
		  subroutine outer(a)
		    real(8), intent(inout) :: a(:)
		    a(1) = inner(a(2))
		  end subroutine
		end module
		program p
		  use work
		  real(8) :: a(2) = 2
		  call outer(a)
		  print *, a
		end program
	EOF
	if gfortran -O2 -g -o module module.f90 2>/dev/null; then
		made_file at-symbol module.data "$TMP/module" >/dev/null
		like "what is inlined in a procedure of a module" "$("$DUMP" -i module.data | grep -A1 'work_MOD_outer+')" \
			'^  __work_MOD_inner at .*module.f90:6$'
	else
		skip "what is inlined in a procedure of a module" "no Fortran compiler"
	fi

	# Packed; then with damage where nobody looks: where variables lie.
	objcopy --compress-debug-sections=zlib whole gzips
	off=$(readelf -SW gzips | sed -n 's/.* \.debug_loc[lists]* *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	if [ -n "$off" ] && readelf -tW gzips | grep -q 'ZLIB'; then
		made_file at-symbol gz.data "$TMP/gzips" >/dev/null
		"$DUMP" -r -l -i gz.data | sed 's/gzips/whole/' >gz
		is "packed lines and inlined calls" "$(cmp ours gz 2>&1)" ""
		printf 'this is nothing that zlib knows' |
			dd of=gzips bs=1 seek=$((0x$off + 24)) conv=notrunc 2>/dev/null
		"$DUMP" -r -l -i gz.data | sed 's/gzips/whole/' >gz
		is "packed where variables lie, and damaged" "$(cmp ours gz 2>&1)" ""
	else
		skip "packed lines and inlined calls" "objcopy packs no sections where variables lie"
	fi
	# As Go packed until 1.18, in sections of another name.
	objcopy --compress-debug-sections=zlib-gnu whole olds 2>/dev/null
	if readelf -SW olds 2>/dev/null | grep -q ' \.zdebug_info'; then
		made_file at-symbol old.data "$TMP/olds" >/dev/null
		"$DUMP" -r -l -i old.data | sed 's/olds/whole/' >old
		is "lines and inlined calls packed as .zdebug_info" "$(cmp ours old 2>&1)" ""
	else
		skip "lines and inlined calls packed as .zdebug_info" "objcopy packs no such sections"
	fi
	# The part that everybody looks at, damaged: no lines, and nothing worse.
	objcopy --compress-debug-sections=zlib whole torn
	off=$(readelf -SW torn | sed -n 's/.* \.debug_info *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	if [ -n "$off" ] && readelf -tW torn | grep -q 'ZLIB'; then
		printf 'this is nothing that zlib knows' |
			dd of=torn bs=1 seek=$((0x$off + 24)) conv=notrunc 2>/dev/null
		made_file at-symbol torn.data "$TMP/torn" >/dev/null
		"$DUMP" -r -l -i torn.data >torn.out 2>&1
		is "packed and damaged: the status" $? 0
		unlike "packed and damaged: no lines" "$(cat torn.out)" 'symbol-target.cpp:'
	else
		skip "packed and damaged" "objcopy packs no debug information"
	fi
	# libelf before 0.189 knows nothing of zstd.
	if ! grep -q 'HAVE_ZSTD 1' "$O/config.h"; then
		skip "lines and inlined calls packed by zstd" "built without zstd"
	elif objcopy --compress-debug-sections=zstd whole zstds 2>/dev/null &&
		readelf -tW zstds | grep -q 'ZSTD'; then
		made_file at-symbol zs.data "$TMP/zstds" >/dev/null
		"$DUMP" -r -l -i zs.data | sed 's/zstds/whole/' >zs
		is "lines and inlined calls packed by zstd" "$(cmp ours zs 2>&1)" ""
	else
		skip "lines and inlined calls packed by zstd" "objcopy packs nothing by zstd"
	fi
else
	skip "lines and inlined calls" "built without libdw"
fi

# A 64-bit kernel has another [vdso] for 32-bit processes, whose functions ours does not name.
PYTHONPATH=$ROOT/tests/helpers python3 -S - <<'P' 2>err
import os
from perfdata import *

r = Recording(Attr(type=TYPE_SOFTWARE, sample_period=1000, sample_type=IP | TID | TIME, flags='mmap comm'))
r.features.update({OSRELEASE: r.string(os.uname().release)})
for pid, at in ((7, 0x7ffe00000000), (8, 0xf7f00000)):
    r.mmap(pid, at, 0x2000, 0, '[vdso]')
    for ip in range(at, at + 0x2000, 16):
        r.sample(ip=ip, pid=pid)
r.write('vdso.data')
P
# vdso PID: how many samples of it have a name
vdso() {
	"$PERF" script -F ip,sym,dso --pid "$1" -i vdso.data 2>err | grep -vcF '[unknown]'
}
if [ "$(vdso 7)" -gt 0 ]; then
	pass "the [vdso] of this kernel"
	is "... and the one for 32-bit processes" "$(vdso 8)" 0
else
	skip "the [vdso] of this kernel" "none, or a perf of 32 bits: $(head -n 1 err)"
fi
done_testing
