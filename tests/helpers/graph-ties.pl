#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# graph-ties.pl <REPORT: exits with 0 when two branches of one node in a call graph have the same
# weight, as `report --stdio` prints it in any of the layouts. Upstream puts such branches in the
# order in which its objects lie in memory, so two reports of one recording may differ there.
use strict;
use warnings;

my @at;	# columns of the branches that this line is below, with the weight of the newest
while (<STDIN>) {
	@at = () if /% .*  \[[.k]\] /;				# a row of the table
	my $column;
	if (/^([ |]*)--([\d.]+)/) {				# graph: |--17.52%--name
		$column = length $1;
	} elsif (/^()\s*([\d.]+)%?$/ || /^()([\d.]+)%? \S+;/) {	# flat: 17.52%; folded: 17.52% a;b;c
		$column = 0;
	} else {
		next;
	}
	my $weight = $2;
	pop @at while @at && $at[-1][0] > $column;
	if (@at && $at[-1][0] == $column) {
		exit 0 if $at[-1][1] == $weight;
		$at[-1][1] = $weight;
	} else {
		push @at, [$column, $weight];
	}
}
exit 1;
