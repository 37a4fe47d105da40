#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# brreport.pl GOT WANTED: compares two `report -b -s addr_from,addr_to,mispredict`.
#
# Faults of perf 7.2.13 that we do not have, and what is done about them here:
#
#   - A row without prediction flags repeats the letter of the row before; ours says N/A. The
#     letter is left out.
#   - Its search tree has no order for that letter, so that one pair of addresses may have
#     several rows with the same letter, or one row before and after another of equal weight.
#     Rows of one pair are added up, and rows are sorted.
#   - Rows of equal weight in different objects do not always come in the order of their names
#     (branch_stack_hw_index). Rows are sorted.
#   - The tip is drawn by lot there.
#
# A printed share is off by 0.005 at most, a sum of them by as much per row.
use strict;
use warnings;

sub take {
	my ($file) = @_;
	my (%sum, %rows, @head);

	open my $f, '<', $file or die "$file: $!\n";
	while (<$f>) {
		next if /^# \(Tip/;
		if (/^\s+([\d.]+)%\s+(\[.\] \S+)\s+(\[.\] \S+)/) {
			$sum{"$2 $3"} += $1;
			$rows{"$2 $3"}++;
		} else {
			s/\s+$//;
			push @head, "$_\n";
		}
	}
	return (\%sum, \%rows, join '', @head);
}

my ($got, $got_rows, $got_head) = take($ARGV[0]);
my ($want, $want_rows, $want_head) = take($ARGV[1]);
my $bad = 0;

print "heads differ:\n$got_head$want_head" and $bad++ if $got_head ne $want_head;
for (sort keys %$want) {
	if (!defined $got->{$_}) {
		print "missing: $_\n";
		$bad++;
	} elsif (abs($got->{$_} - $want->{$_}) >
		 0.00501 * ($got_rows->{$_} + $want_rows->{$_})) {
		print "$_: $got->{$_}, wanted $want->{$_}\n";
		$bad++;
	}
}
for (sort keys %$got) {
	print "not wanted: $_\n" and $bad++ if !defined $want->{$_};
}
exit($bad ? 1 : 0);
