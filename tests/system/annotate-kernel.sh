#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where code of the kernel and of its modules comes from, with a made kernel, a made module and made
# recordings: module files as distributions have them, images, copies of /proc/kcore, the cache of build
# ids, a server. Each is taken away before the next is tried.
. "$(dirname "$0")/../lib.sh"
need_cmd gcc ld nm python3 objcopy readelf
grep -Eq 'HAVE_(LIBCAPSTONE|ZYDIS) 1' "$O/config.h" || skip_all "built without a disassembler library"
cd "$TMP" || exit 1
export HOME="$TMP/home"
mkdir -p home

cat >mod.c <<'C'
int counter;
static int table[64];
extern int printk(const char *s, ...);
__attribute__((noinline)) int other(int x) { return x * 3 + counter; }
__attribute__((noinline, cold)) int seldom(int x) { return printk("never %d\n", x); }
int hot_path(int x)
{
	while (x--) {
		counter += other(x);
		if (x == 77777)
			return seldom(x);
		table[x & 63]++;
	}
	return counter;
}
C
cat >kernel.c <<'C'
volatile int jiffies;
__attribute__((noipa)) int printk(const char *s) { return *s + 0x1234; }
int schedule(int x)
{
	while (x--)
		jiffies += printk("x");
	return jiffies;
}
C
flags="-O1 -g -ffreestanding -fno-pic -fno-pie -mcmodel=kernel -fcf-protection=none -fno-asynchronous-unwind-tables"
BASE=0xffffffff81000000
{ gcc $flags -O2 -c -o mod.o mod.c && ld -r --build-id=sha1 -o plain.ko mod.o &&
	gcc $flags -c -o kernel.o kernel.c &&
	ld -static --build-id=sha1 -Ttext=$BASE --defsym=_text=$BASE -e schedule -o vmlinux kernel.o; } 2>err ||
	skip_all "no kernel code from this compiler: $(head -n 1 err)"
build_id() { readelf -n "$1" | awk '/Build ID/ { print $3 }'; }
mod_id=$(build_id plain.ko)
kernel_id=$(build_id vmlinux)
# at FILE SYMBOL: its address, in hexadecimal
at() { nm "$1" | awk -v s="$2" '$3 == s { print "0x" $1 }'; }
plus() { python3 -c 'import sys; print(hex(sum(int(a, 0) for a in sys.argv[1:])))' "$@"; }
MOD=0xffffffffc0400000
: >none

# module PATH [ID]: samples in hot_path of a module that was mapped by that name
module() {
	made_file kernel-file a.data <<T
release 9.9.9-made
module $MOD 0x10000 $*
sample 3 $(plus $MOD "$(at plain.ko hot_path)")
sample 1 $(plus $MOD "$(at plain.ko other)")
T
}
annotate() { "$PERF" annotate -i a.data "$@" >out 2>err; }

# ---- modules ------------------------------------------------------------------------------------------

# shown NAME: that the module's function is listed, with what relocations name
shown() { like "$1" "$(cat out)" 'call +ffffffffc0400000 <other>'; }

cp plain.ko here.ko
module "$TMP/here.ko" "$mod_id"
annotate --kallsyms none hot_path
shown "a module at its path: a call of its own function"
like "... data by the relocation's word" "$(cat out)" '# <counter>'
like "... an array, from its start on" "$(cat out)" '# <table>'
like "... a jump into another section of code" "$(cat out)" 'j.. +ffffffff[0-9a-f]+ <(seldom|hot_path\.cold|hot_path\+)|call +ffffffff[0-9a-f]+ <seldom>'
if "$PERF" check feature -q dwarf; then
	like "... its source" "$(cat out)" 'counter \+= other\(x\);'
else
	skip "... its source" "built without libdw"
fi
made_file kernel-file b.data <<T
module $MOD 0x10000 $TMP/here.ko
sample 1 $(plus $MOD 0x$(readelf -SW plain.ko | sed -n 's/.* \.text  *PROGBITS  *[0-9a-f]*  *[0-9a-f]*  *\([0-9a-f]*\) .*/\1/p'))
T
"$PERF" annotate -i b.data --kallsyms none --no-source >out 2>err
like "a section behind the first" "$(cat out)" '<seldom>:'
like "... and a function of the kernel, by name alone" "$(cat out)" '(call|jmp) +<printk>'
"$PERF" annotate -i b.data --kallsyms none --json >json 2>err
check "... in JSON without an address" python3 -c '
import json, sys
f = json.load(open(sys.argv[1]))["functions"][0]
t = [l["target"] for l in f["lines"] if l.get("target", {}).get("symbol") == "printk"]
sys.exit(len(t) != 1 or "address" in t[0])' json
"$PERF" annotate -i b.data --kallsyms none --stdio2 >out 2>err
like "... and in --stdio2" "$(cat out)" '→ (call|jmp) +printk$'

# packed PROGRAM SUFFIX LIBRARY
packed() {
	if ! command -v "$1" >/dev/null || ! "$PERF" check feature -q "$3"; then
		skip "packed by $1" "no $1 here, or built without $3"
		skip "... with its source" "the same"
		return
	fi
	"$1" -q -c plain.ko >"packed.ko.$2"
	module "$TMP/packed.ko.$2" "$mod_id"
	annotate --kallsyms none hot_path
	shown "packed by $1"
	if "$PERF" check feature -q dwarf; then
		like "... with its source" "$(cat out)" 'counter \+= other\(x\);'
	else
		skip "... with its source" "built without libdw"
	fi
}
packed gzip gz zlib
packed xz xz lzma
packed zstd zst zstd

# Debug symbols of a stripped module lie elsewhere.
objcopy --only-keep-debug plain.ko here.debug
objcopy -g plain.ko stripped.ko
mkdir -p "root/usr/lib/debug$TMP" "root$TMP"
cp stripped.ko "root$TMP/here.ko"
cp here.debug "root/usr/lib/debug$TMP/here.ko.debug"
module "$TMP/here.ko" "$mod_id"
annotate --symfs root hot_path
shown "a stripped module below --symfs"
if "$PERF" check feature -q dwarf; then
	like "... its source, by its file of debug symbols" "$(cat out)" 'counter \+= other\(x\);'
else
	skip "... its source, by its file of debug symbols" "built without libdw"
fi

mkdir -p root/lib/modules/9.9.9-made/kernel/fs
cp plain.ko root/lib/modules/9.9.9-made/kernel/fs/made-mod.ko
echo 'kernel/fs/made-mod.ko: kernel/fs/none.ko' >root/lib/modules/9.9.9-made/modules.dep
module '[made_mod]' "$mod_id"
annotate --symfs root hot_path
shown "a module without a path, by the list of modules"

cp mod.o here.ko
module "$TMP/here.ko" "$mod_id"
annotate --kallsyms none hot_path
unlike "another file at its path is not shown" "$(cat out)" '<other>'
like "... and told" "$(cat err)" 'has changed since the recording'
made_file kernel-file a.data <<T
release 9.9.9-made
module $MOD 0x10000 $TMP/gone.ko $mod_id
sample 3 $(plus $MOD "$(at plain.ko hot_path)")
T
nm plain.ko | awk '/hot_path$|other$/ { printf "ffffffffc04%s T %s\t[gone]\n", substr($1, 12), $3 }' >syms
echo "$(echo $BASE | sed s/0x//) T _text" >>syms
annotate --kallsyms syms hot_path
like "no file: the message names path and build id" "$(cat err)" "no file with build id $mod_id at $TMP/gone.ko"
like "... and the ways to get it" "$(cat err)" "below --symfs DIR, in the cache after 'perf buildid-cache --add FILE', or from a server"
"$PERF" buildid-cache --add plain.ko 2>log
annotate --kallsyms syms hot_path
shown "from the cache of build ids"
"$PERF" buildid-cache --purge-all 2>log || rm -rf "$HOME/.debug"
if [ -f packed.ko.xz ]; then
	"$PERF" buildid-cache --add packed.ko.xz 2>log
	annotate --kallsyms syms hot_path
	shown "from the cache, where it is packed"
	"$PERF" buildid-cache --purge-all 2>log || rm -rf "$HOME/.debug"
else
	skip "from the cache, where it is packed" "no xz here"
fi

# ---- the kernel ---------------------------------------------------------------------------------------

# moved SHIFT: samples in schedule of a kernel that lay SHIFT higher than it was linked
moved() {
	start=$(plus $BASE "$1")
	made_file kernel-file a.data <<T
release 9.9.9-made
kernel $start 0x1000000 _text $start $kernel_id
sample 3 $(plus "$(at vmlinux schedule)" "$1")
T
}
# kernel_shown NAME ADDRESS
kernel_shown() { like "$1" "$(cat out)" "call +$(plus "$(at vmlinux printk)" "$2" | sed 's/0x//') <printk>"; }

moved 0x2000000
annotate -k vmlinux schedule
kernel_shown "an image that was named, of a kernel that was moved" 0x2000000
cp kernel.o other.vmlinux
nm vmlinux | awk '{ print $1, $2, $3 }' >kallsyms
annotate --kallsyms kallsyms schedule
like "no image: the message" "$(cat err)" "the recorded kernel is 9.9.9-made, build id $kernel_id"
like "... with the ways to get one" "$(cat err)" 'name it with --vmlinux FILE, .*--debuginfod.* beside the file that --kallsyms names, as kcore'

# The kernel that runs, whose memory cannot be read: what is missing is named here, too.
host_id=$("$PERF" buildid-list -k 2>log)
if [ -r /proc/kcore ]; then
	skip "the kernel that runs: the message" "/proc/kcore is readable here"
elif [ -z "$host_id" ]; then
	skip "the kernel that runs: the message" "this kernel has no build id"
else
	made_file kernel-file host.data <<T
release $(uname -r)
kernel $BASE 0x1000000 _text $BASE $host_id
sample 3 $(at vmlinux schedule)
T
	"$PERF" annotate -i host.data --kallsyms kallsyms schedule >out 2>err
	like "the kernel that runs: the message" "$(cat err)" \
		"/proc/kcore: [A-Z].*; no vmlinux with build id $host_id was found"
	if [ -e /proc/kcore ]; then
		like "... and why" "$(cat err)" 'Only root \(CAP_SYS_RAWIO\) may read /proc/kcore'
	else
		like "... and why" "$(cat err)" 'This kernel was built without /proc/kcore'
	fi
fi

mkdir kept
cp kallsyms kept/kallsyms
made_file core-file kept/kcore vmlinux 0
annotate --kallsyms kept/kallsyms schedule
kernel_shown "a copy of kcore beside that of kallsyms" 0x2000000
made_file core-file core vmlinux 0x2000000
nm vmlinux | sed 's/^ffffffff81/ffffffff83/' >kallsyms.moved
annotate --kallsyms kallsyms.moved -k core schedule
kernel_shown "a copy of kcore that was named as image" 0x2000000

# Its memory where that can be read, in a /proc of our own: it started again since the recording, and lies lower.
# in_proc command...: with proc/kallsyms, proc/modules and proc/kcore
in_proc() {
	unshare -m --propagation private sh -c 'mount --rbind /proc real && mount -t tmpfs none /proc || exit 1
		for f in self sys cpuinfo meminfo stat mounts; do ln -s "$PWD/real/$f" /proc || exit 1; done
		cp proc/* /proc && exec "$@"' - "$@" >out 2>err
}
mkdir proc real
: >proc/kallsyms
if [ -z "$host_id" ] || ! in_proc true ||
	! ld -static -Ttext=$MOD --unresolved-symbols=ignore-all -e hot_path -o lying mod.o 2>err; then
	skip "the kernel that runs: code of its memory" "no build id of it, or no mounts of our own here: $(head -n 1 err)"
else
	cp kallsyms proc/kallsyms
	nm lying | awk '/^ffffffffc0.* [Tt] / { print $0 "\t[made]" }' | tee -a proc/kallsyms >symbols
	cat kallsyms.moved symbols >then
	made_file core-file proc/kcore vmlinux 0
	made_file kernel-file host.data <<T
release $(uname -r)
kernel $(plus $BASE 0x2000000) 0x1000000 _text $(plus $BASE 0x2000000) $host_id
module $MOD 0x10000 [made]
sample 3 $(plus "$(at vmlinux schedule)" 0x2000000)
sample 3 $(at lying hot_path)
T
	in_proc "$PERF" annotate -i host.data schedule
	kernel_shown "the kernel that runs: code of its memory, where it lies now" 0x2000000
	in_proc "$PERF" annotate -i host.data --kallsyms then schedule
	kernel_shown "... with names as they were when it was recorded" 0x2000000
	sed -i 's/^[0-9a-f]*/0000000000000000/' proc/kallsyms
	in_proc "$PERF" annotate -i host.data --kallsyms then schedule
	like "... and nobody tells where it lies now" "$(cat err)" '/proc/kallsyms does not tell where it lies in /proc/kcore now'
	made_file core-file proc/kcore lying 0
	echo "made 65536 0 - Live $MOD" >proc/modules
	in_proc "$PERF" annotate -i host.data --kallsyms then hot_path
	like "... a module, where it was" "$(cat out)" "call +$(at lying other | sed s/0x//) <other>"
	for line in "made 65536 0 - Live 0xffffffffc0800000" "made2 65536 0 - Live $MOD" "mad 65536 0 - Live $MOD" made; do
		echo "$line" >proc/modules
		in_proc "$PERF" annotate -i host.data --kallsyms then hot_path
		like "... and where it is not: $line" "$(cat err)" 'the module \[made\] is not here: .* it does not lie in /proc/kcore where it was'
	done
fi

mkdir -p root/boot
cp vmlinux root/boot/vmlinux-9.9.9-made
annotate --symfs root schedule
kernel_shown "an image where distributions put it, below --symfs" 0x2000000
rm root/boot/vmlinux-9.9.9-made

"$PERF" buildid-cache --add vmlinux 2>log
annotate schedule
kernel_shown "from the cache of build ids, symbols too" 0x2000000
annotate --kallsyms kallsyms schedule
kernel_shown "from the cache, where kallsyms has the symbols" 0x2000000
if "$PERF" check feature -q dwarf; then
	like "... with source lines, which kallsyms has not" "$(cat out)" 'jiffies \+= printk'
else
	skip "... with source lines, which kallsyms has not" "built without libdw"
fi
"$PERF" buildid-cache --purge-all 2>log || rm -rf "$HOME/.debug"

# ---- a server -----------------------------------------------------------------------------------------

cat >user.c <<'C'
volatile int sink;
int main(void) { for (int i = 0; i < 4711; i++) sink += i; return 0; }
C
if ! has_debuginfod || ! gcc -O1 -g -Wl,--build-id=sha1 -o user user.c 2>log; then
	skip "a server" "no libdebuginfod, or no compiler for programs"
	done_testing
fi
user_id=$(build_id user)
for id in "$mod_id plain.ko" "$kernel_id vmlinux" "$user_id user"; do
	mkdir -p "served/${id%% *}"
	cp "${id#* }" "served/${id%% *}/executable"
done
mv "served/$kernel_id/executable" "served/$kernel_id/debuginfo"
python3 -S "$ROOT/tests/helpers/build-id-server.py" served port &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$TMP"' EXIT
wait_for test -s port || skip_all "the server does not start"
unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
url=http://127.0.0.1:$(cat port)
export DEBUGINFOD_CACHE_PATH="$TMP/cache"

annotate schedule
is "unasked nobody is asked" "$(cat port.log 2>/dev/null)" ''
annotate --debuginfod="$url" schedule
kernel_shown "the kernel from a server, symbols too" 0x2000000
module "$TMP/gone.ko" "$mod_id"
annotate --kallsyms none --debuginfod="$url" hot_path
shown "a module from a server"
main=$(at user main)
echo "map $TMP/gone-user
sample 3 $main" | made_file listing-file -b "$user_id" a.data user
annotate --debuginfod="$url" main
like "a program from a server" "$(cat out)" '0x1266|0x1267'
rm -rf cache
kill $server
wait $server 2>/dev/null
annotate --debuginfod="$url" main
like "the server is gone: which file is missing" "$(cat err)" "$user_id|no samples"
like "... and that nobody answers" "$(cat err)" "^no debuginfod server answers \\($url\\): Connection refused"
done_testing
