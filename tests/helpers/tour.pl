#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# tour.pl [--update] PAGE: the screens in a page are those that the tests compare. A line
#
#	// screen: tests/data/DIR/NAME.txt
#
# stands before a block between lines "----"; the block has to be that file's screen, without blank
# rows and colours. --update writes it so. Prints what differs; 1 when anything does.
use strict;
use warnings;

my $update = @ARGV && $ARGV[0] eq '--update' ? shift : 0;
my ($page) = @ARGV;
open my $in, '<', $page or die "cannot read $page: $!\n";
my @lines = <$in>;
close $in;

sub screen {
	my ($path) = @_;
	open my $f, '<', $path or die "$page: no screen $path: $!\n";
	my @rows;
	while (<$f>) {
		last if /^colours$/;
		push @rows, $_ if /\S/;
	}
	return @rows;
}

my (@out, $status, $count);
($status, $count) = (0, 0);
while (@lines) {
	my $line = shift @lines;
	push @out, $line;
	next if $line !~ m{^// screen: (\S+)$};
	my $path = $1;
	push @out, shift @lines while @lines && $lines[0] ne "----\n";
	push @out, shift @lines;
	my @old;
	push @old, shift @lines while @lines && $lines[0] ne "----\n";
	@lines or die "$page: no end of the block behind $path\n";
	my @new = screen($path);
	$count++;
	if (join('', @old) ne join('', @new)) {
		print "$page: not as $path; perl tests/helpers/tour.pl --update $page makes it so\n" if !$update;
		$status = 1;
	}
	push @out, @new, shift @lines;
}
die "$page: no screens\n" if !$count;
exit $status if !$update;
open my $o, '>', $page or die "cannot write $page: $!\n";
print $o @out;
close $o or die "cannot write $page: $!\n";
