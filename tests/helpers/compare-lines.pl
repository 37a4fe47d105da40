#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# compare-lines.pl IPS OURS THEIRS: symbol-dump -l -i against addr2line -afi for the addresses of
# IPS ("IP VADDR" lines). Files are compared by their last component; the last name of a chain is
# the symbol table's with us and DWARF's with addr2line, so only what was inlined is compared.
use strict;
use warnings;

my (%ours, %theirs, $at, @order);
open my $f, '<', $ARGV[0] or die;
my %vaddr = map { chomp; split / / } <$f>;

sub place {
	my ($s) = @_;
	$s =~ s/ \(discriminator \d+\)//;
	return $s =~ m{([^/]*):(\d+)$} ? "$1:$2" : '?';
}

open $f, '<', $ARGV[1] or die;
while (<$f>) {
	chomp;
	if (/^ *([0-9a-f]{6,}) \S.*\(.*\)$/) { $at = $vaddr{$1}; push @order, $at; $ours{$at} = [] }
	elsif (/^  (.*) at (.*)$/) { push @{$ours{$at}}, [$1, place($2)] }
	elsif (/^  (.*:\d+)$/) { $ours{$at}[0] = ['', place($1)] if !@{$ours{$at}} }
}
# The line alone comes first; with a chain the chain says the same.
for my $o (values %ours) { shift @$o if @$o > 1 && $o->[0][0] eq '' }

open $f, '<', $ARGV[2] or die;
while (<$f>) {
	chomp;
	if (/^0x0*([0-9a-f]+)$/) { $at = $1; $theirs{$at} = []; next }
	my $line = <$f>;
	chomp $line;
	push @{$theirs{$at}}, [$_, place($line)];
}
my ($n, $bad, $inlined) = (0, 0, 0);
for my $a (@order) {
	my ($o, $t) = ($ours{$a}, $theirs{$a} // []);
	# Nothing is known of start files and stubs.
	next if $t->[0][1] =~ /^\?|:0$/ && !@$o;
	next if $t->[0][1] eq '?';
	$n++;
	my $chain = @$o > 1;
	$inlined++ if $chain;
	my $same = $chain || @$t > 1 ? @$o == @$t : $o->[0][1] eq $t->[0][1];
	for my $i (0 .. $#$o) {
		last if !$same;
		$same = 0 if $o->[$i][1] ne $t->[$i][1];
		# At the first byte of an inlined call binutils may call it by the outer name.
		next if !$chain || $i == $#$o || (!$i && $t->[0][0] eq $t->[-1][0]);
		$same = 0 if $o->[$i][0] ne $t->[$i][0];
	}
	next if $same;
	print "$a: ours ", join(' < ', map { "@$_" } @$o), "\n", ' ' x length($a), "theirs ",
		join(' < ', map { "@$_" } @$t), "\n" if $bad++ < 5;
}
print "$n addresses, $inlined in inlined calls, $bad differ\n";
exit($n < 100 || $inlined < 20 || $bad > $n / 200);
