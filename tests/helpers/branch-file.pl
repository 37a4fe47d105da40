#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# branch-file.pl [-b] [-i] [-c] [-e EVENTS] [-f FILTER] OUT <TEXT: a recording with branch stacks,
# as TEXT says:
#
#	map START LENGTH NAME			executable map of process 10, from offset 0 of NAME
#	sample TIMES IP FIELD=N,...  ...	one word per branch, newest first
#	kernel TIMES IP FIELD=N,...  ...	the same in kernel mode
#
# FIELDs: from, to, mispred, predicted, in_tx, abort, cycles, type, spec, new_type, priv, not_taken,
# counter (the branch's counters). -b: big-endian; -i: with the stack's index; -c: with counters,
# two of four bits; -e: so many events, of which the first has all samples; -f: branch_sample_type
# (ANY; 0 = no branch stacks). Bit-fields lie from the lowest bit up in little-endian files and from the highest down in
# big-endian ones (perf_event_open(2)).
use strict;
use warnings;
no warnings 'portable';

my ($big, $index, $counters, $events, $filter) = (0, 0, 0, 1, 8);
while (@ARGV && $ARGV[0] =~ /^-(.)$/) {
	shift;
	$1 eq 'b' ? $big = 1 : $1 eq 'i' ? $index = 1 : $1 eq 'e' ? $events = shift :
		$1 eq 'f' ? $filter = shift : ($counters = 1);
}
my ($U16, $U32, $U64) = $big ? ('n', 'N', 'Q>') : ('v', 'V', 'Q<');
my @fields = ([mispred => 1], [predicted => 1], [in_tx => 1], [abort => 1], [cycles => 16],
	[type => 4], [spec => 2], [new_type => 4], [priv => 3], [not_taken => 1]);

sub u64 { return pack("$U64*", @_) }
sub u32 { return pack("$U32*", @_) }
sub number { return $_[0] =~ /^0x/ ? hex $_[0] : $_[0] }
sub record { my ($t, $misc, $body) = @_; return u32($t) . pack("$U16$U16", $misc, 8 + length $body) . $body }
sub string { my ($s) = @_; return u32(64) . $s . "\0" x (64 - length $s) }

sub flags {
	my ($v, $pos, %e) = (0, 0, @_);
	for (@fields) {
		my ($name, $width) = @$_;
		$v |= ($e{$name} // 0) << ($big ? 64 - $pos - $width : $pos);
		$pos += $width;
	}
	return $v;
}

sub stack {
	my @e = map { { map { my ($k, $v) = split /=/; $k => number($v) } split /,/ } } @_;
	return '' if !$filter;
	my $s = u64(scalar @e) . ($index ? u64(@e ? 3 : -1) : '');
	$s .= u64($_->{from} // 0, $_->{to} // 0, flags(%$_)) for @e;
	$s .= u64($_->{counter} // 0) for $counters ? @e : ();
	return $s;
}

my ($data, $time) = ('', 0);
my $mode = 2;	# user
$data .= record(3, 0, u32(10, 10) . "calls\0\0\0" . u32(10, 10) . u64($time++));
while (<STDIN>) {
	my ($what, @w) = split;
	next if !defined $what;
	if ($what eq 'map') {
		my $name = $w[2] . "\0" x (8 - length($w[2]) % 8);
		$data .= record(1, $mode, u32(10, 10) . u64(number($w[0]), number($w[1]), 0) .
			$name . u32(10, 10) . u64($time++));
	} elsif ($what eq 'sample' || $what eq 'kernel') {
		my ($times, $ip, @branches) = @w;
		my $stack = stack(@branches);
		$data .= record(9, $what eq 'kernel' ? 1 : $mode, u64(number($ip)) . u32(10, 10) . u64($time++) . $stack)
			for 1 .. $times;
	} else {
		die "$what?\n";
	}
}
# IP, TID, TIME, BRANCH_STACK; sample_id_all; ANY and what the options add
my $branch = $filter | ($index ? 1 << 17 : 0) | ($counters ? 1 << 19 : 0);
my $attr = u32(0, 112) . u64(0, 100000, $filter ? 7 | 2048 : 7, 0, 1 << ($big ? 63 - 18 : 18)) . u32(0, 0) .
	u64(0, 0, $branch);
$attr .= "\0" x (112 - length $attr);
my $attrs = ($attr . u64(0, 0)) x $events;
my $caps = u32(2) . string('branch_counter_nr') . string('4') . string('branch_counter_width') .
	string('2');
my %feature = (6 => string($big ? 's390x' : 'x86_64'), 15 => '', 28 => $caps);
delete $feature{28} if !$counters;
my $data_at = 104 + length $attrs;
my $pos = $data_at + length($data) + 16 * keys %feature;
my ($table, $payload, $bits) = ('', '', 0);
for my $n (sort { $a <=> $b } keys %feature) {
	$table .= u64($pos, length $feature{$n});
	$pos += length $feature{$n};
	$payload .= $feature{$n};
	$bits |= 1 << $n;
}
open my $out, '>:raw', $ARGV[0] or die "$ARGV[0]: $!\n";
print $out $big ? '2ELIFREP' : 'PERFILE2';
print $out u64(104, length($attr) + 16, 104, length $attrs, $data_at, length $data, 0, 0,
	$bits, 0, 0, 0), $attrs, $data, $table, $payload;
close $out or die "$ARGV[0]: $!\n";
