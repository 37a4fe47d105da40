#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# one-sample.pl OUT CPUMODE PID START LEN PGOFF NAME IP: a recording of one executable map and one
# sample in it.
use strict;
use warnings;
no warnings 'portable';

my ($out, $mode, $pid, @n) = @ARGV;
my ($start, $len, $pgoff, $name, $ip) = map { /^0x/ ? oct : $_ } @n;

sub record {
	my ($type, $body) = @_;
	return pack('LSS', $type, $mode, 8 + length $body) . $body;
}

$name .= "\0" x (8 - length($name) % 8);
my $data = record(1, pack('llQQQ', $pid, $pid, $start, $len, $pgoff) . $name .
	pack('llQ', $pid, $pid, 1)) . record(9, pack('QllQ', $ip, $pid, $pid, 2));
my $attr = pack('LLQQQQQ', 1, 64, 0, 1000, 7, 0, 1 << 8 | 1 << 9 | 1 << 18);
$attr .= "\0" x (64 - length $attr);
open my $o, '>:raw', $out or die "$out: $!";
print $o 'PERFILE2', pack('Q12', 104, 80, 104, 80, 184, length $data, (0) x 6), $attr,
	pack('QQ', 0, 0), $data;
