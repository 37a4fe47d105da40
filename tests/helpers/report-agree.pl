#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# report-agree.pl OURS THEIRS: two `report --stdio --no-children -g none -s symbol`; every symbol
# above 1 % in either must have the same share within 0.1 in the other. Prints how many there were.
use strict;
use warnings;

sub take {
	my ($file) = @_;
	my %share;

	open my $f, '<', $file or die "$file: $!\n";
	while (<$f>) {
		$share{$2} += $1 if /^\s+([\d.]+)%\s+\[.\] (\S.*?)(?:\s+-\s+-)?\s*$/;
	}
	return \%share;
}

my ($ours, $theirs) = (take($ARGV[0]), take($ARGV[1]));
my ($bad, $n) = (0, 0);
my %all = (%$ours, %$theirs);

for (sort keys %all) {
	my ($a, $b) = ($ours->{$_} // 0, $theirs->{$_} // 0);

	next if $a < 1 && $b < 1;
	$n++;
	next if abs($a - $b) <= 0.1001;
	print "$_: ours $a, theirs $b\n";
	$bad++;
}
print "$n symbols above 1 %\n";
exit($bad || !$n ? 1 : 0);
