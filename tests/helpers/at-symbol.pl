#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# at-symbol.pl OUT FILE [BUILDID]: a recording of FILE mapped at 0x10000000 plus its offset, with a
# sample at every 3rd byte of its code; prints "IP VADDR" for each. With BUILDID (hex) the map
# carries that build id.
use strict;
use warnings;
no warnings 'portable';

my ($out, $path, $id) = @ARGV;
my ($data, $base, $time, @ips) = ('', 0x10000000, 2);

sub record {
	my ($type, $misc, $body) = @_;
	$data .= pack('LSS', $type, $misc, 8 + length $body) . $body;
}

sub padded { my $s = "$_[0]\0"; return $s . "\0" x (-length($s) % 8) }

open my $f, '<:raw', $path or die "$path: $!";
read $f, my $h, 64;
my ($phoff, $size, $nr) = (unpack('Q', substr $h, 32), unpack('SS', substr $h, 54, 4));
for my $i (0 .. $nr - 1) {
	seek $f, $phoff + $i * $size, 0;
	read $f, my $p, 56;
	my ($type, $flags, $off, $vaddr, undef, $filesz) = unpack 'LLQQQQ', $p;
	next if $type != 1 || !($flags & 1);
	my $page = $off & ~4095;
	my $len = ($off - $page + $filesz + 4095) & ~4095;
	my $who = defined $id ? pack('CCSa20', length($id) / 2, 0, 0, pack('H*', $id)) :
		pack('LLQQ', 8, 1, 123, 0);
	record(10, defined $id ? 2 | 1 << 14 : 2, pack('LLQQQ', 100, 100, $base + $page, $len, $page) .
		$who . pack('LL', 5, 2) . padded($path) . pack('LLQ', 100, 100, 1));
	for (my $at = 0; $at < $filesz; $at += 3) {
		push @ips, $base + $off + $at;
		printf "%x %x\n", $base + $off + $at, $vaddr + $at;
	}
}
record(9, 2, pack('QLLQ', $_, 100, 100, $time++)) for @ips;
my $attr = pack('LLQQQQQ', 1, 64, 0, 1000, 7, 0, 1 << 8 | 1 << 9 | 1 << 18);
$attr .= "\0" x (64 - length $attr);
open my $o, '>:raw', $out or die "$out: $!";
print $o 'PERFILE2', pack('QQQQQQQQQQQQ', 104, 80, 104, 80, 184, length $data, 0, 0, 0, 0, 0, 0),
	$attr, pack('QQ', 0, 0), $data;
