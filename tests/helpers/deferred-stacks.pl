#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# deferred-stacks.pl OUT: a little-endian recording whose samples end in a cookie; the user part of
# their chains comes in CALLCHAIN_DEFERRED records. Two samples of thread 10 share a cookie, one of
# thread 11 has the same cookie, one never gets its chain.
use strict;
use warnings;

my ($kernel, $deferred) = (-128, -640);
my $type = 7 | 32 | 256;	# IP TID TIME CALLCHAIN PERIOD
my $flags = 1 << 18 | 1 << 38 | 1 << 39;
my $attr = pack('VVQ4QQ', 0, 112, 0, 100000, $type, 0, $flags, 0) . "\0" x 56;

sub record { my ($t, $misc, $body) = @_; return pack('Vvv', $t, $misc, 8 + length $body) . $body }
sub string { my ($s) = @_; return pack('V', 64) . $s . "\0" x (64 - length $s) }

sub sample {
	my ($time, $tid, $ip, $cookie) = @_;
	return record(9, 1, pack('QVVQQ', $ip, 10, $tid, $time, 100000) .
		pack('Qq<Qq<Q', 4, $kernel, $ip, $deferred, $cookie));
}

sub chain {
	my ($time, $tid, $cookie, @ips) = @_;
	return record(22, 2, pack('QQ', $cookie, scalar @ips) . pack('Q*', @ips) .
		pack('VVQ', 10, $tid, $time));
}

my $k = ~0 - 0x7effffff;	# 0xffffffff81000000
my $data = sample(1000, 10, $k + 1, 7) . sample(2000, 11, $k + 2, 7) . sample(3000, 10, $k + 3, 7) .
	chain(4000, 10, 7, 0x1010, 0x2020) . sample(5000, 12, $k + 4, 9) . chain(6000, 11, 7, 0x3030);
my ($at, $size, $feature) = (104, length($attr) + 16, string('x86_64'));
my $data_at = $at + $size;
my $table = pack('QQ', $data_at + length($data) + 16, length $feature);
open my $out, '>:raw', $ARGV[0] or die "$ARGV[0]: $!\n";
print $out 'PERFILE2', pack('Q12', 104, $size, $at, $size, $data_at, length $data, 0, 0, 1 << 6,
	0, 0, 0), $attr, pack('QQ', 0, 0), $data, $table, $feature;
close $out or die "$ARGV[0]: $!\n";
