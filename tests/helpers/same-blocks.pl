#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# same-blocks.pl OURS THEIRS: whether two texts of script's are the same, but for labels of blocks.
#
# Upstream writes "SYMBOL:" where an instruction is outside of the symbol before, for which it
# compares addresses inside of objects but not the objects: it leaves out a label when the symbol
# before has the same place in another object. There, it may come later in the function, as
# "SYMBOL+OFFSET:".
use strict;
use warnings;

my (@text, $left_out, $labels);
for my $i (0, 1) {
	open my $f, '<', $ARGV[$i] or die "$ARGV[$i]: $!\n";
	$text[$i] = [<$f>];
}
sub label {
	my ($line) = @_;
	return ($line // '') =~ /^\t(\S.*?)(?:\+\d+)?:(?:\t.*)?$/ ? $1 : undef;
}
my ($ours, $theirs) = @text;
my ($o, $t, $late) = (0, 0);
$left_out = $labels = 0;
while ($o < @$ours || $t < @$theirs) {
	my ($mine, $other) = ($ours->[$o], $theirs->[$t]);
	my $name = label($mine);
	if (defined $mine && defined $other && $mine eq $other) {
		$o++, $t++;
		$late = undef if defined $name;
		$labels++ if defined $name;
	} elsif (defined $name) {
		$late = $name;
		$left_out++;
		$o++;
	} elsif (defined $late && (label($other) // '') eq $late) {
		$late = undef;
		$t++;
	} else {
		printf "line %d: %sline %d: %s", $o + 1, $mine // "\n", $t + 1, $other // "\n";
		exit 1;
	}
}
print "$labels labels, $left_out left out\n";
exit($left_out * 20 > $labels);
