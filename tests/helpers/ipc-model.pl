#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# ipc-model.pl OBJECT BASE <BRSTACK: "NAME IPC [COVERAGE%]" of OBJECT's functions, from the text
# of script -F brstack and from objdump. BASE: where offset 0 of the object was mapped. Blocks count
# as often as they ran.
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
		if ($f && $cycles && defined $start && $start >= $f->[0] && $start <= $end) {
			my $b = $block{"$start-$end"} //= [$f, $start, $end, 0, 0];
			$b->[3] += $cycles;
			$b->[4]++;
		}
		$start = hex($to) - $base;
	}
}
my (%covered, %sum);
for (values %block) {
	my ($f, $start, $end, $cycles, $nr) = @$_;
	my $s = $sum{$f->[2]} //= [$f, 0, 0, 0];
	my @in = grep { $_ >= $start && $_ <= $end } @insns;
	$s->[1] += @in * $nr;
	$s->[2] += $cycles;
	$s->[3] += grep { !$covered{$_}++ } @in;
}
for (sort keys %sum) {
	my ($f, $n, $cycles, $covered) = @{ $sum{$_} };
	my $all = grep { $_ >= $f->[0] && $_ < $f->[1] } @insns;
	printf "%s %-5.2f [%5.1f%%]\n", $_, $n / $cycles, 100 * $covered / $all;
}
