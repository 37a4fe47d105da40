#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf archive: what a recording's samples fell into is packed, and read where the objects are gone; by an
# installed perf too. Archives that somebody made for harm put nothing where it does not belong.
. "$(dirname "$0")/../lib.sh"
need_cmd cc python3 tar
"$PERF" version --build-options | grep -q 'libarchive: \[ on' || skip_all "built without libarchive"
P=$TMP/perf.data
A=$TMP/a.tar.gz

# A recording by the format, of a program with functions to find and of a library that is not here.
printf 'int hot(int n) { while (n--) __asm__(""); return 1; }\nint main(void) { return hot(9) - 1; }\n' >"$TMP/a.c"
id=aabbccdd00112233445566778899aabbccddeeff
# Not below TMP: an installed perf takes /tmp/perf-* for the map of a JIT.
mkdir -p "$TMP/root/opt/test"
PROG=$TMP/root/opt/test/prog
cc -Wl,--build-id=0x$id -o "$PROG" "$TMP/a.c"
at=$(nm "$PROG" | awk '$3 == "hot" { print $1 }')
python3 -S -c 'import sys
sys.path.insert(0, sys.argv[1])
from perfdata import *
r = Recording(Attr(sample_type=IP | TID | TIME, flags="mmap mmap2 comm sample_id_all"))
at, base = int(sys.argv[4], 16), 0x550000000000
r.mmap2(100, base, 0x10000, 0, sys.argv[3], build_id=bytes.fromhex(sys.argv[5]))
r.mmap2(100, 0x7f0000000000, 0x1000, 0, "/gone/lib.so", build_id=bytes(range(20)))
for i in range(20):
    r.sample(ip=base + at, pid=100, tid=100, time=10 + i)
r.sample(ip=0x7f0000000010, pid=100, tid=100, time=50)
r.write(sys.argv[2])' "$ROOT/tests/helpers" "$P" /opt/test/prog "$at" "$id" 2>"$TMP/log" ||
	fail "the recording is made" "$(cat "$TMP/log")"

check_status "archive" 0 "$PERF" archive --symfs "$TMP/root" -i "$P" -o "$A"
out=$("$PERF" archive --symfs "$TMP/root" -i "$P" -o "$A" 2>&1)
like "what is not here is said" "$out" '/gone/lib.so is not here as it was recorded'
like "what to do there is said" "$out" "perf archive --unpack $A"
is "the layout of the cache" "$(tar tf "$A" | sort)" ".build-id/aa/${id#aa}
opt/test/prog/$id/elf"
for s in tar tar.bz2 tar.xz tar.zst tgz; do
	"$PERF" archive --symfs "$TMP/root" -i "$P" -o "$TMP/b.$s" 2>/dev/null
	is ".$s holds the same" "$(PERF_BUILDID_DIR=$TMP/c.$s "$PERF" archive --unpack "$TMP/b.$s" 2>&1)" \
		"1 files came into the cache, 0 were there"
done
"$PERF" archive --symfs "$TMP/root" -i "$P" -o - 2>/dev/null >"$TMP/stdout.tar"
is "-o - is a tar" "$(tar tf "$TMP/stdout.tar" | wc -l)" 2

mkdir "$TMP/dir.data"
cp "$P" "$TMP/dir.data/data"
(cd "$TMP" && "$PERF" archive --symfs "$TMP/root" "dir.data/") 2>/dev/null
check "a directory with a slash behind it: the archive's name" test -s "$TMP/dir.data.tar.bz2"

# ---- read elsewhere
"$PERF" report --stdio -g none --symfs "$TMP/root" -i "$P" >"$TMP/want" 2>/dev/null
mv "$PROG" "$TMP/kept"
unlike() { # NAME TEXT ERE
	is "$1" "$(echo "$2" | grep -Ec "$3")" 0
}
unlike "without it the function has no name" "$("$PERF" report --stdio -i "$P" 2>/dev/null)" '\[\.\] hot'
check_status "--unpack" 0 "$PERF" archive --unpack "$A"
like "with it the function is found" "$("$PERF" report --stdio -i "$P" 2>/dev/null)" '\[\.\] hot'
"$PERF" report --stdio -g none -i "$P" >"$TMP/got" 2>/dev/null
same_file "report there says what it says here" "$TMP/got" "$TMP/want"
is "again: it is there" "$("$PERF" archive --unpack "$A" 2>&1)" "0 files came into the cache, 1 were there"
printf '[buildid]\n\tdir = %s\n' "$TMP/configured" >"$HOME/.perfconfig"
is "--unpack goes where ~/.perfconfig has others look" "$("$PERF" archive --unpack "$A" 2>&1)" "1 files came into the cache, 0 were there"
check "... there" test -e "$TMP/configured/.build-id/aa/${id#aa}/elf"
rm "$HOME/.perfconfig"
mkdir "$TMP/tar"
tar xf "$A" -C "$TMP/tar"
like "tar puts it there too" "$(PERF_BUILDID_DIR=$TMP/tar "$PERF" report --stdio -i "$P" 2>/dev/null)" '\[\.\] hot'
if [ -n "$PEER" ]; then
	like "an installed perf reads it" "$("$PEER" --buildid-dir "$TMP/tar" report --stdio -f -i "$P" 2>/dev/null)" '\[\.\] hot'
else
	skip "an installed perf reads it" "$NO_PEER"
fi
mv "$TMP/kept" "$PROG"
(umask 027 && "$PERF" archive --symfs "$TMP/root" -i "$P" -o "$TMP/mask.tar" 2>/dev/null)
is "an archive is what the umask says" "$(stat -c %a "$TMP/mask.tar")" 640
(umask 027 && "$PERF" archive --no-sandbox --symfs "$TMP/root" -i "$P" -o "$TMP/mask.tar" 2>/dev/null)
is "... without a box, too" "$(stat -c %a "$TMP/mask.tar")" 640
mkdir "$TMP/there"
check_status "--all" 0 "$PERF" archive --symfs "$TMP/root" --all -i "$P" -o "$TMP/all.tar.gz"
(cd "$TMP/there" && echo mine >perf.data && PERF_BUILDID_DIR=$TMP/d "$PERF" archive --unpack ../all.tar.gz 2>"$TMP/err")
same_file "... brings the recording" "$TMP/there/perf.data" "$P"
is "... and what was there is perf.data.old" "$(cat "$TMP/there/perf.data.old")" mine
is "... and is for its owner only" "$(stat -c %a "$TMP/all.tar.gz")" 600

# ---- the kernel's symbols
if [ -n "$("$PERF" record -q -a -e cpu-clock -o "$TMP/k" -- sh -c 'i=0; while [ $i -lt 300 ]; do (:); i=$((i + 1)); done' 2>&1)" ] ||
	! "$PERF" buildid-list -i "$TMP/k" | grep -q kernel.kallsyms || ! grep -qv '^0000000000000000 ' /proc/kallsyms; then
	skip "kallsyms" "no kernel can be recorded here, or its addresses are hidden"
else
	kernel=$("$PERF" buildid-list -i "$TMP/k" | sed -n 's/ \[kernel.kallsyms\]//p')
	"$PERF" archive -i "$TMP/k" -o "$TMP/k.tar" 2>/dev/null
	PERF_BUILDID_DIR=$TMP/k.cache "$PERF" archive --unpack "$TMP/k.tar" 2>/dev/null
	cat /proc/kallsyms >"$TMP/want" # whose size is 0, which cmp believes
	same_file "kallsyms" "$TMP/k.cache/[kernel.kallsyms]/$kernel/kallsyms" "$TMP/want"
fi

# ---- bad input
check_status "no such ending" 1 "$PERF" archive --symfs "$TMP/root" -i "$P" -o "$TMP/x.zip"
check "... leaves no file" test ! -e "$TMP/x.zip"
check_status "--unpack with -o" 129 "$PERF" archive --unpack -o x "$A"
check_status "no archive" 1 "$PERF" archive --unpack "$TMP/a.c"
tar cf "$TMP/other.tar" -C "$TMP" a.c
check_status "an archive of something else" 1 "$PERF" archive --unpack "$TMP/other.tar"
like "... is told" "$(cat "$TMP/check.out")" 'holds no file that is called as an object'
head -c 2000 "$A" >"$TMP/cut.tar.gz"
check_status "an archive that is cut short" 1 env PERF_BUILDID_DIR="$TMP/e" "$PERF" archive --unpack "$TMP/cut.tar.gz"
is "... leaves nothing half" "$(find "$TMP/e" -type f 2>/dev/null | wc -l)" 0
mkdir "$TMP/twice"
echo mine >"$TMP/twice/perf.data"
cp "$P" "$TMP/twice/first"
tar cf "$TMP/two.tar" -C "$TMP/twice" --transform 's/first/perf.data/' first
tar rf "$TMP/two.tar" -C "$TMP/twice" perf.data
head -c $(($(stat -c %s "$P") + 512 - 9)) "$TMP/two.tar" >"$TMP/cut.tar"
unpack_here() {
	(cd "$TMP/twice" && PERF_BUILDID_DIR=$TMP/e "$PERF" archive --unpack "$1" >"$TMP/out" 2>&1)
}
check_status "a recording that is cut short" 1 unpack_here "$TMP/cut.tar"
is "... leaves what was there" "$(cat "$TMP/twice/perf.data" && ls "$TMP/twice")" "mine
first
perf.data"
check_status "an archive with two recordings" 1 unpack_here "$TMP/two.tar"
like "... is told" "$(cat "$TMP/out")" 'second perf.data'
is "... and what was there is perf.data.old" "$(cat "$TMP/twice/perf.data.old")" mine
same_file "... behind the first" "$TMP/twice/perf.data" "$P"
rm "$PROG"
check_status "nothing is here" 1 env PERF_BUILDID_DIR="$TMP/none" "$PERF" archive --symfs "$TMP/root" -i "$P" -o "$TMP/y.tar"
check "... leaves no archive" test ! -e "$TMP/y.tar"
if [ -w /dev/full ]; then
	printf 'x' >"$PROG" # another file at that path is not taken
	check_status "another file at its path" 1 env PERF_BUILDID_DIR="$TMP/none" "$PERF" archive --symfs "$TMP/root" -i "$P" -o "$TMP/y.tar"
	check_status "a full disk" 1 sh -c "\"\$1\" archive --symfs \"\$3\" -i \"\$2\" -o - >/dev/full" sh "$PERF" "$P" "$TMP/root"
fi

python3 - "$TMP" "$HOME/.debug/opt/test/prog/$id/elf" "$id" <<'END'
import io, sys, tarfile
tmp, elf, id = sys.argv[1:]
data = open(elf, 'rb').read()
with tarfile.open(tmp + '/evil.tar', 'w') as t:
    def put(name, body, **kw):
        i = tarfile.TarInfo(name)
        i.size = len(body)
        for k, v in kw.items():
            setattr(i, k, v)
        t.addfile(i, io.BytesIO(body))
    put('../../../outside/%s/elf' % id, data)
    put('usr/../../outside/%s/elf' % id, data)
    put('link', b'', type=tarfile.SYMTYPE, linkname=tmp + '/victim')
    put('link/%s/elf' % id, data)                        # goes below the cache, not through the link
    put('usr/bin/other/%s/elf' % ('11' * 20), data)      # another build id
    put('usr/bin/text/%s/elf' % ('22' * 20), b'text')
    put('usr/bin/names/%s/kallsyms' % ('33' * 20), b'0 T x\n')
    put('usr/bin/prog/%s/sh' % id, data)
    put('usr/bin/prog/zz/elf', data)
    put('.bashrc', b'boo')
class Padded:
    def __init__(self, data):
        self.data = data
    def read(self, n):
        out, self.data = self.data[:n], self.data[n:]
        return out + bytes(n - len(out))
for name in 'bomb.tar.gz', 'large.tar':
    with tarfile.open(tmp + '/' + name, 'w:gz' if 'gz' in name else 'w') as t:
        i = tarfile.TarInfo('usr/bin/bomb/%s/elf' % id)
        i.size = 80 << 20
        t.addfile(i, Padded(data))
END
mkdir "$TMP/victim" "$TMP/cwd"
out=$(cd "$TMP/cwd" && PERF_BUILDID_DIR=$TMP/evil "$PERF" archive --unpack ../evil.tar 2>&1)
like "what is not what it is called is refused" "$out" '3 files of the archive are not what they are called'
is "nothing is put outside" "$(find "$TMP/outside" "$TMP/victim" "$TMP/cwd" -type f 2>/dev/null | wc -l)" 0
is "links of the archive are not made" "$(find "$TMP/evil" -type l -not -path '*/.build-id/*' | wc -l)" 0
is "only the good one is there" "$(find "$TMP/evil" -type f)" "$TMP/evil/link/$id/elf"
out=$(PERF_BUILDID_DIR=$TMP/bomb "$PERF" archive --unpack "$TMP/bomb.tar.gz" 2>&1)
like "what unpacks to far more ends" "$out" 'unpacks to more than [0-9]* MB'
is "... and leaves nothing" "$(find "$TMP/bomb" -type f | wc -l)" 0
out=$(PERF_BUILDID_DIR=$TMP/bomb "$PERF" archive --unpack - <"$TMP/bomb.tar.gz" 2>&1; cat "$TMP/bomb.tar.gz" | PERF_BUILDID_DIR=$TMP/bomb "$PERF" archive --unpack - 2>&1)
is "... by stdin and by a pipe" "$(echo "$out" | grep -c 'unpacks to more than')" 2
is "what is large comes by a pipe, too" "$(cat "$TMP/large.tar" | PERF_BUILDID_DIR=$TMP/large "$PERF" archive --unpack - 2>&1)" \
	"1 files came into the cache, 0 were there"
rm -r "$TMP/large" "$TMP/large.tar"
done_testing
