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

# PERF_SAMPLE_*
BRANCH_STACK=0x800 REGS_USER=0x1000 STACK_USER=0x2000 WEIGHT=0x4000 REGS_INTR=0x40000
WEIGHT_STRUCT=0x1000000
# PERF_SAMPLE_BRANCH_*
BR_USER=0x1 BR_KERNEL=0x2 BR_ANY=0x8 BR_ANY_CALL=0x10 BR_COUNTERS=0x80000 BR_UNUSED=0x100000
# flags of an attr
DISABLED=0x1 EXCLUDE_KERNEL=0x20 PRECISE_1=0x8000 PRECISE_2=0x10000 UNUSED=0x4000000000
# sample_regs_*
AX=0x1 DS=0x1000 FS=0x8000 R16=0x1000000 SSP=0x10000000000 NO_REG=0x20000000000
GENERAL=0xff0fff SOME_WITH_EGPR=0x18001010003 LEGACY_XMM=0xffffffff00000000
# masks of SIMD registers
ALL_16=0xffff ALL_32=0xffffffff ALL_K=0xff
# config: the type of another PMU in its upper half
OTHER_PMU=0x800000000

INTR=sample_type=$REGS_INTR
USER=sample_type=$REGS_USER
BOTH=sample_type=$((REGS_INTR | REGS_USER))
ON=sample_simd_regs_enabled=1
V=sample_simd_vec_reg_qwords
P=sample_simd_pred_reg_qwords
VI=sample_simd_vec_reg_intr
VU=sample_simd_vec_reg_user
PI=sample_simd_pred_reg_intr
PU=sample_simd_pred_reg_user
PRECISE1=flags=$((DISABLED | PRECISE_1))
PRECISE2=flags=$((DISABLED | PRECISE_2))
PRECISE2_U=flags=$((DISABLED | PRECISE_2 | EXCLUDE_KERNEL))
SW=type=1

# sizes: a kernel before the series does not know the new fields, zero is fine
opens old ok size=176
opens old "E2BIG 136" $INTR sample_regs_intr=$AX $ON
opens full "E2BIG 176" size=32
opens full ok size=0
opens full EINVAL reserved_2=1
opens full EINVAL reserved_4=1
opens full EINVAL flags=$((DISABLED | UNUSED))

# general registers
opens full EINVAL $INTR sample_regs_intr=0
opens full ok $INTR sample_regs_intr=0 $ON
opens full EINVAL $INTR sample_regs_intr=$DS
opens full EINVAL $INTR sample_regs_intr=$DS $ON
opens full EINVAL $INTR sample_regs_intr=$R16
opens full ok $INTR sample_regs_intr=$R16 $ON
opens full ok $INTR sample_regs_intr=$SOME_WITH_EGPR $ON
opens full EINVAL $INTR sample_regs_intr=$NO_REG $ON
opens ymm EINVAL $INTR sample_regs_intr=$R16 $ON
opens ymm EINVAL $INTR sample_regs_intr=$SSP $ON
opens full ok $USER sample_regs_user=$GENERAL
opens full EINVAL $USER sample_regs_user=$FS

# XMM through bits 32-63
opens legacy ok $INTR sample_regs_intr=$LEGACY_XMM $PRECISE1
opens legacy EINVAL $INTR sample_regs_intr=$LEGACY_XMM
opens old EINVAL $INTR sample_regs_intr=$LEGACY_XMM
opens legacy EOPNOTSUPP $SW $INTR sample_regs_intr=$LEGACY_XMM

# vectors: whole sets, one of three widths, what the CPU has
opens full ok $INTR $ON $V=2 $VI=$ALL_16
opens full ok $INTR $ON $V=4 $VI=$ALL_16
opens full ok $INTR $ON $V=8 $VI=$ALL_32
opens full EINVAL $INTR $ON $V=8 $VI=$ALL_16
opens full EINVAL $INTR $ON $V=4 $VI=$ALL_32
opens full EINVAL $INTR $ON $V=2 $VI=0xff
opens full EINVAL $INTR $ON $V=3 $VI=$ALL_16
opens full EINVAL $INTR $ON $VI=$ALL_16
opens full EINVAL $INTR $ON $V=8 $VI=0x1ffffffff
opens full EINVAL $INTR sample_regs_intr=$AX $V=2 $VI=$ALL_16
opens ymm ok $INTR $ON $V=4 $VI=$ALL_16
opens ymm EINVAL $INTR $ON $V=8 $VI=$ALL_32
opens pebs-xmm ok $INTR $ON $V=8 $VI=$ALL_32
opens pebs-xmm EINVAL $INTR $ON $V=8 $VI=$ALL_32 $PRECISE1
opens pebs-xmm ok $INTR $ON $V=2 $VI=$ALL_16 $PRECISE1
opens full ok $BOTH $ON $V=8 $VI=$ALL_32 $VU=$ALL_32
opens full EINVAL $BOTH $ON $V=8 $VI=$ALL_32 $VU=$ALL_16
opens full EOPNOTSUPP $SW $INTR $ON $V=2 $VI=$ALL_16

# predicates
opens full ok $INTR $ON $P=1 $PI=$ALL_K
opens full EINVAL $INTR $ON $P=1 $PI=0x7f
opens full EINVAL $INTR $ON $P=2 $PI=$ALL_K
opens full EINVAL $INTR $ON $PI=$ALL_K
opens full ok $USER $ON $P=1 $PU=$ALL_K
opens ymm EINVAL $USER $ON $P=1 $PU=$ALL_K

# branch stacks
BR=sample_type=$BRANCH_STACK
opens full ok $BR branch_sample_type=$BR_ANY
opens full EINVAL $BR branch_sample_type=$BR_USER
opens full EINVAL $BR branch_sample_type=$((BR_ANY | BR_UNUSED))
opens full EOPNOTSUPP $SW $BR branch_sample_type=$BR_ANY
opens old EOPNOTSUPP $BR branch_sample_type=$BR_ANY
opens hybrid EINVAL $BR branch_sample_type=$((BR_ANY | BR_COUNTERS))
opens full ok $BR branch_sample_type=$((BR_ANY | BR_COUNTERS))
opens full EOPNOTSUPP $BR branch_sample_type=$BR_ANY_CALL $PRECISE2
opens full ok $BR branch_sample_type=$BR_ANY $PRECISE2
opens full EOPNOTSUPP $BR branch_sample_type=$((BR_ANY | BR_USER)) $PRECISE2
opens full ok $BR branch_sample_type=$((BR_ANY | BR_USER)) $PRECISE2_U
opens full EOPNOTSUPP $BR branch_sample_type=$((BR_ANY | BR_KERNEL)) $PRECISE2_U
opens full ok $BR branch_sample_type=$((BR_ANY | BR_USER | BR_KERNEL)) $PRECISE2
opens full ok $BR branch_sample_type=$((BR_ANY | BR_USER)) $PRECISE1

# the rest
opens full EINVAL sample_type=$((WEIGHT | WEIGHT_STRUCT))
opens full EINVAL sample_type=$STACK_USER sample_stack_user=7
opens full ok sample_type=$STACK_USER sample_stack_user=8192
opens full EINVAL pid=-1 cpu=-1
opens full ENOENT type=77
opens ymm EOPNOTSUPP $PRECISE1
opens hybrid ok config=$OTHER_PMU
opens full ENOENT config=$OTHER_PMU

done_testing
