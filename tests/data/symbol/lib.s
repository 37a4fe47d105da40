# SPDX-License-Identifier: GPL-2.0-or-later
# gcc -shared -nostdlib -Wl,--build-id=sha1,-z,noseparate-code,--hash-style=gnu -o lib64 lib.s
.globl outer
.type outer,@function
outer: call f@plt
 call *g@GOTPCREL(%rip)
 jmp g@plt
.type inner,@function
inner: nop
.size inner,1
 ret
.size outer,.-outer
.section .data.rel,"aw"
.quad outer
