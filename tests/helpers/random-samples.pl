#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# random-samples.pl OUT N FILE...: a recording with N samples per executable segment of each ELF
# file, mapped one behind the other; the FILE "kernel" stands for the running kernel's text.
use strict;
use warnings;
no warnings 'portable';
use Cwd 'realpath';

my ($out, $n, @files) = @ARGV;
my ($data, $base, @ips) = ('', 0x7f0000000000);
srand 7;

sub record {
	my ($type, $misc, $body) = @_;
	$data .= pack('LSS', $type, $misc, 8 + length $body) . $body;
}

sub padded { my $s = "$_[0]\0"; return $s . "\0" x (-length($s) % 8) }
sub trailer { return pack('LLQ', 100, 100, 1) }

sub map_user {
	my ($path) = @_;
	open my $f, '<:raw', $path or return;
	read $f, my $h, 64;
	return if length $h < 64 || substr($h, 0, 6) ne "\x7fELF\x02\x01";
	my ($phoff, $size, $nr) = (unpack('Q', substr $h, 32), unpack('SS', substr $h, 54, 4));
	for my $i (0 .. $nr - 1) {
		seek $f, $phoff + $i * $size, 0;
		read $f, my $p, 56;
		my ($type, $flags, $off, undef, undef, $filesz) = unpack 'LLQQQQ', $p;
		next if $type != 1 || !($flags & 1);
		my $page = $off & ~4095;
		my $len = ($off - $page + $filesz + 4095) & ~4095;
		record(10, 2, pack('LLQQQLLQQLL', 100, 100, $base, $len, $page, 8, 1, 123, 0, 5, 2) .
			padded(realpath $path) . trailer());
		push @ips, [2, $base + $off - $page + int rand $filesz] for 1 .. $n;
		$base += $len + 0x10000;
	}
}

sub map_kernel {
	open my $f, '<', '/proc/kallsyms' or exit 1;
	my ($text, $end) = (0, 0);
	while (<$f>) {
		$text = hex $1 if /^(\w+) T _text$/;
		$end = hex $1 if /^(\w+) T _etext$/;
	}
	exit 1 if !$text || $end <= $text;
	record(1, 1, pack('LLQQQ', 0xffffffff, 0, $text, $end - $text, $text) .
		padded('[kernel.kallsyms]_text') . trailer());
	push @ips, [1, $text + int rand($end - $text)] for 1 .. $n;
}

record(3, 0, pack('LL', 100, 100) . padded('random') . trailer());
for (@files) { $_ eq 'kernel' ? map_kernel() : map_user($_) }
my $time = 2;
record(9, $_->[0], pack('QLLQ', $_->[1], 100, 100, $time++)) for @ips;

# cpu-clock; IP, TID, TIME; sample_id_all, comm, mmap
my $attr = pack('LLQQQQQ', 1, 64, 0, 1000, 7, 0, 1 << 8 | 1 << 9 | 1 << 18);
$attr .= "\0" x (64 - length $attr);
chomp(my $release = `uname -r`);
$release .= "\0" x (64 - length $release);
$release = pack('L', 64) . $release;
my $start = 104 + 80;
open my $o, '>:raw', $out or die "$out: $!";
print $o 'PERFILE2', pack('QQQQQQQQ', 104, 80, 104, 80, $start, length $data, 0, 0),
	pack('QQQQ', 1 << 4, 0, 0, 0), $attr, pack('QQ', 0, 0), $data,
	pack('QQ', $start + length($data) + 16, length $release), $release;
