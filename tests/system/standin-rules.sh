#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The stand-in for perf_event_open refuses what the kernel's documents say is refused.
. "$(dirname "$0")/../lib.sh"
need_standin
TRY=$O/tests/standin/try-open

# opens PROFILE WANTED FIELD=VALUE...
opens() {
	p=$1 want=$2
	shift 2
	got=$(STANDIN=$p LD_PRELOAD=$SO "$TRY" "$@" 2>&1)
	is "$p: $*: $want" "$got" "$want"
}

INTR=sample_type=0x40000
USER=sample_type=0x1000
ON=sample_simd_regs_enabled=1
V=sample_simd_vec_reg_qwords
P=sample_simd_pred_reg_qwords
VI=sample_simd_vec_reg_intr
VU=sample_simd_vec_reg_user
PI=sample_simd_pred_reg_intr
PU=sample_simd_pred_reg_user
PRECISE1=flags=0x8001
SW=type=1

# sizes: a kernel before the series does not know the new fields, zero is fine
opens old ok size=176
opens old "E2BIG 136" $INTR sample_regs_intr=1 $ON
opens full "E2BIG 176" size=32
opens full ok size=0
opens full EINVAL reserved_2=1
opens full EINVAL reserved_4=1
opens full EINVAL flags=0x4000000001

# general registers
opens full EINVAL $INTR sample_regs_intr=0
opens full ok $INTR sample_regs_intr=0 $ON
opens full EINVAL $INTR sample_regs_intr=0x1000
opens full EINVAL $INTR sample_regs_intr=0x1000 $ON
opens full EINVAL $INTR sample_regs_intr=0x1000000
opens full ok $INTR sample_regs_intr=0x1000000 $ON
opens full ok $INTR sample_regs_intr=0x18001010003 $ON
opens full EINVAL $INTR sample_regs_intr=0x20000000000 $ON
opens ymm EINVAL $INTR sample_regs_intr=0x1000000 $ON
opens ymm EINVAL $INTR sample_regs_intr=0x10000000000 $ON
opens full ok $USER sample_regs_user=0xff0fff
opens full EINVAL $USER sample_regs_user=0x8000

# XMM through bits 32-63
opens legacy ok $INTR sample_regs_intr=0xffffffff00000000 $PRECISE1
opens legacy EINVAL $INTR sample_regs_intr=0xffffffff00000000
opens old EINVAL $INTR sample_regs_intr=0xffffffff00000000
opens legacy EOPNOTSUPP $SW $INTR sample_regs_intr=0xffffffff00000000

# vectors: whole sets, one of three widths, what the CPU has
opens full ok $INTR $ON $V=2 $VI=0xffff
opens full ok $INTR $ON $V=4 $VI=0xffff
opens full ok $INTR $ON $V=8 $VI=0xffffffff
opens full EINVAL $INTR $ON $V=8 $VI=0xffff
opens full EINVAL $INTR $ON $V=4 $VI=0xffffffff
opens full EINVAL $INTR $ON $V=2 $VI=0xff
opens full EINVAL $INTR $ON $V=3 $VI=0xffff
opens full EINVAL $INTR $ON $VI=0xffff
opens full EINVAL $INTR $ON $V=8 $VI=0x1ffffffff
opens full EINVAL $INTR sample_regs_intr=1 $V=2 $VI=0xffff
opens ymm ok $INTR $ON $V=4 $VI=0xffff
opens ymm EINVAL $INTR $ON $V=8 $VI=0xffffffff
opens pebs-xmm ok $INTR $ON $V=8 $VI=0xffffffff
opens pebs-xmm EINVAL $INTR $ON $V=8 $VI=0xffffffff $PRECISE1
opens pebs-xmm ok $INTR $ON $V=2 $VI=0xffff $PRECISE1
opens full ok sample_type=0x41000 $ON $V=8 $VI=0xffffffff $VU=0xffffffff
opens full EINVAL sample_type=0x41000 $ON $V=8 $VI=0xffffffff $VU=0xffff
opens full EOPNOTSUPP $SW $INTR $ON $V=2 $VI=0xffff

# predicates
opens full ok $INTR $ON $P=1 $PI=0xff
opens full EINVAL $INTR $ON $P=1 $PI=0x7f
opens full EINVAL $INTR $ON $P=2 $PI=0xff
opens full EINVAL $INTR $ON $PI=0xff
opens full ok $USER $ON $P=1 $PU=0xff
opens ymm EINVAL $USER $ON $P=1 $PU=0xff

# branch stacks
BR=sample_type=0x800
opens full ok $BR branch_sample_type=0x8
opens full EINVAL $BR branch_sample_type=0x1
opens full EINVAL $BR branch_sample_type=0x100008
opens full EOPNOTSUPP $SW $BR branch_sample_type=0x8
opens old EOPNOTSUPP $BR branch_sample_type=0x8
opens hybrid EINVAL $BR branch_sample_type=0x80008
opens full ok $BR branch_sample_type=0x80008
opens full EOPNOTSUPP $BR branch_sample_type=0x10 flags=0x10001
opens full ok $BR branch_sample_type=0x8 flags=0x10001
opens full EOPNOTSUPP $BR branch_sample_type=0x9 flags=0x10001
opens full ok $BR branch_sample_type=0x9 flags=0x10021
opens full EOPNOTSUPP $BR branch_sample_type=0xa flags=0x10021
opens full ok $BR branch_sample_type=0xb flags=0x10001
opens full ok $BR branch_sample_type=0x9 flags=0x8001

# the rest
opens full EINVAL sample_type=0x1004000
opens full EINVAL sample_type=0x2000 sample_stack_user=7
opens full ok sample_type=0x2000 sample_stack_user=8192
opens full EINVAL pid=-1 cpu=-1
opens full ENOENT type=77
opens ymm EOPNOTSUPP flags=0x8001
opens hybrid ok config=0x800000000
opens full ENOENT config=0x800000000

done_testing
