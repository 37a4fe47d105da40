#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# insns.pl OBJECT FUNCTION [BASE]: the addresses of the function's instructions, BASE added.
use strict;
use warnings;

my ($object, $name, $base) = (@ARGV, '0');
my ($start, $size) = map { /^(\S+) (\S+) [Tt] \Q$name\E$/ ? (hex $1, hex $2) : () } `nm -S $object`;
die "$object has no function $name with a size\n" if !$size;
for (`objdump -d --no-show-raw-insn $object`) {
	next if !/^ *([0-9a-f]+):\t/ || hex $1 < $start || hex $1 >= $start + $size;
	printf "0x%x ", hex($base) + hex $1;
}
