#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# lbr-stacks.pl OUT: a little-endian recording with LBR call stacks of depth 4 (pmu caps
# "branches"), taken while one thread calls f1 ... f8, each at 0x1000 * number:
#
#	sample 1	f1 to f4 active		sample 2	f1 to f6: the registers hold f3 to f6
#	sample 3	f1 to f8		sample 4	another stack: does not join
use strict;
use warnings;

my ($user, $ip_tid_time, $chain, $period, $branch) = (-512, 7, 32, 256, 2048);
my $type = $ip_tid_time | $chain | $period | $branch;
# branch_sample_type: u, stack, no_flags, no_cycles, hw_index
my $attr = pack('VVQ4Q', 0, 112, 0, 100000, $type, 0, 1 << 18) .
	pack('VVQQQQVVQVvv', 0, 0, 0, 0, 1 | 1 << 11 | 1 << 14 | 1 << 15 | 1 << 17, 0, 0, 0, 0, 0, 0, 0);

sub record { my ($t, $misc, $body) = @_; return pack('Vvv', $t, $misc, 8 + length $body) . $body }
sub string { my ($s) = @_; return pack('V', 64) . $s . "\0" x (64 - length $s) }
sub padded { my ($s) = @_; $s .= "\0"; return $s . "\0" x (-length($s) % 8) }

# A sample with the calls of @ids in registers, newest first; every call is made at from + 0x10.
sub sample {
	my ($time, $hw_idx, @ids) = @_;
	my $ip = $ids[0] * 0x1000 + 0x20;
	my $body = pack('QVVQQ', $ip, 10, 10, $time, 100000) . pack('Qq<Q', 2, $user, $ip) .
		pack('QQ', scalar @ids, $hw_idx);
	$body .= pack('QQQ', ($_ - 1) * 0x1000 + 0x10, $_ * 0x1000, 0) for @ids;
	return record(9, 2, $body);
}

my $id = pack('VVQ', 10, 10, 1000);	# the sample id of records that are no samples
my $data = record(3, 0, pack('VV', 10, 10) . padded('lbr') . $id) .
	record(1, 2, pack('VVQQQ', 10, 10, 0x1000, 0x20000, 0) . padded('/nonexistent/lbr') . $id) .
	sample(2000, 3, 4, 3, 2, 1) . sample(3000, 1, 6, 5, 4, 3) . sample(4000, 3, 8, 7, 6, 5) .
	sample(5000, 0, 14, 13, 12, 11);
my $caps = pack('V', 1) . string('branches') . string('4');
my %feature = (6 => string('x86_64'), 28 => $caps);
my ($attrs_at, $attrs_size) = (104, length($attr) + 16);
my $data_at = $attrs_at + $attrs_size;
my $pos = $data_at + length($data) + 16 * keys %feature;
my ($table, $payload, $bits) = ('', '', 0);
for my $n (sort { $a <=> $b } keys %feature) {
	$table .= pack('QQ', $pos, length $feature{$n});
	$pos += length $feature{$n};
	$payload .= $feature{$n};
	$bits |= 1 << $n;
}
open my $out, '>:raw', $ARGV[0] or die "$ARGV[0]: $!\n";
print $out 'PERFILE2', pack('Q12', 104, $attrs_size, $attrs_at, $attrs_size, $data_at,
	length $data, 0, 0, $bits, 0, 0, 0), $attr, pack('QQ', 0, 0), $data, $table, $payload;
close $out or die "$ARGV[0]: $!\n";
