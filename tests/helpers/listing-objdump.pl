#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# listing-objdump.pl OURS THEIRS: compares what listing-dump and objdump -d -z -w --insn-width=16 say of
# the same file. At every address of a function both have an instruction of the same length, and a
# direct branch the same target. Exits 1 when anything differs, or when one of them knows many
# instructions that the other takes for none.
use strict;
use warnings;

my ($ours, $theirs) = @ARGV;
my (%at, $machine);

open my $in, '<', $theirs or die "$theirs: $!\n";
while (<$in>) {
	$machine = $1 if /file format (\S+)/;
	next unless /^\s*([0-9a-f]+):\t([0-9a-f ]+?)\s*(?:\t(.*))?$/;
	my ($addr, $bytes, $text) = ($1, $2, $3 // '');
	$bytes =~ tr/ //d;
	$at{$addr} = [length($bytes) / 2, $text];
}
close $in;

# The branch's target as objdump has it: the only number, or the last.
sub target {
	my ($text) = @_;
	return $text =~ /(?:^|[\s,])(?:0x)?([0-9a-f]+) <[^>]*>$/ ? $1 : undef;
}

sub is_data {
	my ($text) = @_;
	return $text =~ /^\.|\(bad\)|undefined|UNDEFINED|^$/;
}

my ($n, $functions, $differ, $left, $branches) = (0, 0, 0, 0, 0);
my $function = '';
sub differ {
	my ($what, $us, $them) = @_;
	print "# $what in $function\n#  ours:   $us\n#  theirs: $them\n" if $differ++ < 20;
}

open $in, '<', $ours or die "$ours: $!\n";
while (<$in>) {
	chomp;
	if (/^FUNCTION \S+ \S+ (.*)/) { $function = $1; $functions++; next }
	my ($addr, $bytes, $target, $text) = split / /, $_, 4;
	my $len = length($bytes) / 2;
	my $them = $at{$addr};
	$n++;
	if (!$them && is_data($text)) { $left++; next }
	if (!$them) { differ('no instruction of theirs', $_, ''); next }
	my $shown = "$them->[0] bytes: $them->[1]";
	# Data among code: neither knows it.
	if (is_data($them->[1]) || is_data($text)) {
		if (!is_data($them->[1]) || !is_data($text)) { $left++; $ENV{VERBOSE} and print "# left: $_ | $shown\n" }
		next;
	}
	differ('another length', $_, $shown), next if $len != $them->[0];
	next if $target eq '-';
	$branches++;
	my $t = target($them->[1]);
	differ('another target', $_, $shown) if defined $t && $t ne $target;
}
print "$functions functions, $n instructions, $branches branches, $differ differ, $left known to one only\n";
exit($differ || $n < 1000 || $left > $n / 1000 ? 1 : 0);
