#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# ipc-model.pl OBJECT BASE <BRSTACK: "NAME IPC [COVERAGE%]" of OBJECT's functions, from the text
# of script -F brstack and from objdump. BASE: where offset 0 of the object was mapped.
#
# Of the blocks that end at one branch only the longest counts. Blocks are taken from the last to
# the first; one that lies in those before is left out. A block of one instruction is none, as in
# upstream's IPC column.
use strict;
use warnings;
no warnings 'portable';

my ($object, $base) = ($ARGV[0], hex $ARGV[1]);
my (%func, @funcs, @insns, %block);
for (`nm -S --defined-only $object`) {
	push @funcs, [hex $1, hex($1) + hex $2, $3] if /^(\S+) (\S+) [Tt] (\S+)$/;
}
/^ +([0-9a-f]+):\t/ and push @insns, hex $1 for `objdump -d --no-show-raw-insn $object`;
sub func {
	my ($at) = @_;
	my ($f) = grep { $at >= $_->[0] && $at < $_->[1] } @funcs;
	return $f;
}
while (<STDIN>) {
	my $start;
	for (reverse split) {
		my ($from, $to, @rest) = split '/';
		my ($cycles, $end) = ($rest[3], hex($from) - $base);
		my $f = func($end);
		if ($f && $cycles) {
			my $known = defined $start && $start >= $f->[0] && $start < $end;
			my $b = $block{$end} //= [$f, -1, 0, 0];
			@$b[1 .. 3] = ($start, 0, 0) if $known && ($b->[1] < 0 || $start < $b->[1]);
			if ($known && $start == $b->[1]) {
				$b->[2] += $cycles;
				$b->[3]++;
			}
		}
		$start = hex($to) - $base;
	}
}
my (%covered, %sum);
for my $end (sort { $b <=> $a } keys %block) {
	my ($f, $start, $cycles, $nr) = @{ $block{$end} };
	my $s = $sum{$f->[2]} //= [$f, 0, 0, 0];
	next if $start < 0;
	my @in = grep { $_ >= $start && $_ <= $end } @insns;
	my $new = grep { !$covered{$_}++ } @in;
	next if !$new;
	$s->[1] += @in * $nr;
	$s->[2] += $cycles;
	$s->[3] += $new;
}
for (sort keys %sum) {
	my ($f, $n, $cycles, $covered) = @{ $sum{$_} };
	my $all = grep { $_ >= $f->[0] && $_ < $f->[1] } @insns;
	printf "%s %-5.2f [%5.1f%%]\n", $_, $cycles ? $n / $cycles : 0, 100 * $covered / $all;
}
