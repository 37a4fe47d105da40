#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# same-stacks.pl A B: stacks of `script -F ip,sym` by two unwinders, one by one. Prints how many are equal, and of
# those that are not how many go apart behind which function: what both had last.
use strict;
use warnings;

sub stacks {
	my ($path) = @_;
	local $/ = '';
	open my $in, '<', $path or die "$path: $!\n";
	return map { [map { s/^\s+//r } split /\n/] } <$in>;
}

my @a = stacks($ARGV[0]);
my @b = stacks($ARGV[1]);
my ($equal, $frames, %apart) = (0, 0);
die "not as many stacks: ", scalar @a, " and ", scalar @b, "\n" if @a != @b;
for my $n (0 .. $#a) {
	my ($x, $y, $i) = ($a[$n], $b[$n], 0);
	$i++ while $i < @$x && $i < @$y && $x->[$i] eq $y->[$i];
	$frames += $i;
	if ($i == @$x && $i == @$y) {
		$equal++;
		next;
	}
	my $last = $i ? $x->[$i - 1] =~ s/^\S+ //r : '-';
	$apart{"$last: " . ($i == @$x ? 'the second goes on' : $i == @$y ? 'the first goes on' : 'both go on')}++;
}
print "equal $equal of ", scalar @a, ", $frames frames\n";
print "apart behind $_ $apart{$_}\n" for sort keys %apart;
