#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The program as it was built: what keeps a mistake in reading from becoming more. What this compiler has of it
# stands in config.mk.
. "$(dirname "$0")/../lib.sh"
need_cmd readelf

flags=$(sed -n 's/^HARDEN_[A-Z]* := *//p' "$O/config.mk" 2>/dev/null)
[ -n "$flags" ] || skip_all "a build without hardening (HARDEN=, SAN=), or an installed one"

# has NAME FLAG ERE OPTIONS...: where the compiler has FLAG, readelf OPTIONS shows ERE.
has() {
	name=$1 flag=$2 ere=$3
	shift 3
	case " $(echo $flags) " in
	*" $flag "*) like "$name" "$(readelf "$@" "$PERF_FILE")" "$ere" ;;
	*) skip "$name" "this compiler has no $flag" ;;
	esac
}

has "at any address" -pie 'Type: +DYN' -hW
has "tables of functions: read only" -Wl,-z,relro 'GNU_RELRO' -lW
has "... and complete at the start" -Wl,-z,now 'BIND_NOW|FLAGS.* NOW' -dW
has "no code on stacks" -Wl,-z,noexecstack 'GNU_STACK .* RW ' -lW
has "stacks are guarded" -fstack-protector-strong '__stack_chk_fail' --dyn-syms -W
has "buffers are guarded" -D_FORTIFY_SOURCE=3 '__(vsn|sn|memcpy|read|vfp|fp)[a-z]*_chk' --dyn-syms -W
unlike "nothing is writable code" "$(readelf -lW "$PERF_FILE")" 'LOAD .* RWE '
case " $(echo $flags) " in
*" -fcf-protection=full "*)
	need_cmd objdump
	n=$(objdump -d --no-show-raw-insn "$PERF_FILE" | grep -c endbr64)
	check "jumps land where they may: $n places" test "$n" -ge 1000
	;;
*) skip "jumps land where they may" "this compiler has no -fcf-protection" ;;
esac
done_testing
