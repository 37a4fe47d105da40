#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run: alone
# Software sampling on AArch64 as it is: an arm64 kernel under qemu-system-aarch64, in it perf on its own programs. Some
# minutes, and of things that this machine does not have, so only on request:
#	ARM64_KERNEL	vmlinuz, of Debian's linux-image-cloud-arm64
#	ARM64_BUSYBOX	bin/busybox of busybox-static:arm64
#	ARM64_PERF	perf, built by make CC=aarch64-linux-gnu-gcc LDFLAGS=-static O=... against libelf-dev:arm64
# (apt-get download with APT::Architecture "arm64" and a state of its own gets the packages, dpkg-deb -x opens them.)
. "$(dirname "$0")/../lib.sh"
[ -n "${ARM64_KERNEL:-}" ] && [ -n "${ARM64_BUSYBOX:-}" ] && [ -n "${ARM64_PERF:-}" ] ||
	skip_all "on request only: ARM64_KERNEL, ARM64_BUSYBOX and ARM64_PERF name what a virtual machine needs"
need_cmd qemu-system-aarch64 cpio aarch64-linux-gnu-strip

R=$TMP/root
mkdir -p "$R/bin" "$R/proc" "$R/sys" "$R/dev" "$R/tmp"
cp "$ARM64_BUSYBOX" "$R/bin/busybox"
aarch64-linux-gnu-strip -g -o "$R/bin/perf" "$ARM64_PERF"
cat >"$R/init" <<'EOF'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs s /sys; mount -t devtmpfs d /dev; mount -t tmpfs t /tmp
cd /tmp
edges() {
	perf script -i $1 -F brstacksym 2>/dev/null | tr ' ' '\n' | grep brstack | sed 's/+0x[0-9a-f]*//g' |
		awk -F/ '{ print "'$1'-edge " $1, $2, $7 }' | sort | uniq -c
}
perf record -b --branch-span 0 --branch-budget 0 -e cpu-clock:u -F 100 -o stacks -- perf test -w brstack 200000 2>&1
edges stacks
perf record -b --branch-span 2000 --branch-budget 0 -e cpu-clock:u -F 20 -o bursts -- perf test -w brstack 200000 2>&1
edges bursts
perf record --branch-trace=60000 -e cpu-clock -F 200 -o trace -- perf test -w brstack 100000 2>&1
edges trace
perf record -b --branch-budget 0 --user-regs=x0,lr,sp,pc,vg -e cpu-clock:u -F 50 -o regs -- perf test -w leafloop 1 2>&1
perf script -i regs -F ip,uregs 2>/dev/null | awk '{ sub("^ *", ""); ip = $1; print "regs", ($0 ~ "pc:0x" ip " ") ? "agree" : "differ" }' | sort | uniq -c
perf record -b --branch-budget 0 --call-graph dwarf -e cpu-clock:u -F 50 -o copies -- perf test -w leafloop 1 2>&1
perf script -i copies -F ip,uregs -G 2>/dev/null | awk '{ sub("^ *", ""); ip = $1; print "copies", ($0 ~ "pc:0x" ip " ") ? "agree" : "differ" }' | sort | uniq -c
for s in breakpoint block step; do perf record -b --branch-strategy=$s -e cpu-clock -o x -- true 2>&1; done
perf record --user-regs=v0 -e cpu-clock -o x -- true 2>&1
perf record --call-graph unwind -e cpu-clock -o x -- true 2>&1
poweroff -f
EOF
chmod +x "$R/init"
(cd "$R" && find . | cpio -o -H newc 2>/dev/null | gzip -1) >"$TMP/initrd"
timeout "${ARM64_SECONDS:-280}" qemu-system-aarch64 -M virt -cpu "${ARM64_CPU:-max}" -smp 2 -m 1024 -nographic -nic none \
	-no-reboot -kernel "$ARM64_KERNEL" -initrd "$TMP/initrd" -append "console=ttyAMA0 quiet panic=-1" 2>&1 |
	tr -d '\r' >"$TMP/out"
like "the machine ran to its end" "$(tail -1 "$TMP/out")" 'reboot: Power down'

# What the workload's source has, and nothing else: from, to, kind.
allowed='brstack_bench brstack_foo IND_CALL
brstack_foo brstack_bar CALL
brstack_bench brstack_foo CALL
brstack_bench brstack_bar CALL
brstack_bar brstack_foo RET
brstack_bar brstack_bench RET
brstack_foo brstack_bench RET
brstack_bench brstack_bench COND
brstack_bench brstack RET
brstack brstack_bench CALL
brstack brstack UNCOND'
for f in stacks bursts trace; do
	sed -n "s/^ *[0-9]* $f-edge //p" "$TMP/out" | sort >"$TMP/$f"
	is "$f: edges that there are not" "$(grep -vxF "$allowed" "$TMP/$f" | grep -v 'brstack COND\|run_workload\|brstack brstack ')" ""
	is "$f: every edge is seen" "$(echo "$allowed" | grep -vxF -f "$TMP/$f")" ""
done
like "a trace without a gap" "$(cat "$TMP/out")" 'trace of 60000 branches without a gap'
like "bursts are compared with the thread" "$(grep 'compared with the thread' "$TMP/out" | sed -n 2p)" '[1-9][0-9]* compared with the thread, 0 of them dropped'
like "registers are those of the sample's place" "$(cat "$TMP/out")" '[0-9] regs agree'
unlike "... all of them" "$(cat "$TMP/out")" 'regs differ'
like "so are those that go with copies of stacks" "$(cat "$TMP/out")" '[0-9] copies agree'
unlike "... all of them" "$(cat "$TMP/out")" 'copies differ'
for s in breakpoint block step; do
	like "--branch-strategy=$s is refused" "$(cat "$TMP/out")" "branch-strategy=$s: there for x86-64 only"
done
like "vectors are refused" "$(cat "$TMP/out")" 'a place for vectors of x86 only; the length of'
like "stacks by rules are refused" "$(cat "$TMP/out")" 'call stacks by ptrace are there for x86-64 only'
cp "$TMP/out" "${ARM64_LOG:-/dev/null}"
done_testing
