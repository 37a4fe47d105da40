#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# script-compare.pl WANTED GOT [RULE...]: compares two texts of perf script line by line; lines
# that differ must become equal by one of the rules (script.differences). Prints the number of
# such lines, or the first lines that no rule explains and exits 1.
use strict;
use warnings;

my ($want_path, $got_path, @rules) = @ARGV;
my %on = map { $_ => 1 } @rules;

sub lines {
	open my $f, '<:raw', $_[0] or die "$_[0]: $!\n";
	return map { chomp; $_ } <$f>;
}

my %explain = (
	exited => sub {
		my ($w, $g) = @_;
		return 0 if $w !~ s/^ *:(\d+) +\1 //;
		my $tid = $1;
		$g =~ s/^.*? +\Q$tid\E (?=\s*[\[\d])//;
		return $w eq $g;
	},
	module => sub {
		my ($w, $g) = @_;
		return $g =~ s{ \(/lib/modules/[^ ]*\.ko\)$}{} && $w =~ s/ \(\[kernel\.kallsyms\]\)$// &&
		       $w eq $g;
	},
	cpu => sub {
		my ($w, $g) = @_;
		return $w =~ s/\[000\]// && $g =~ s/\[\d+\]// && $w eq $g;
	},
	regnames => sub {
		my ($w, $g) = @_;
		s/ +[A-Za-z_0-9]+(?=:0x)/ R/g for $w, $g;
		return $w eq $g;
	},
);

my @want = lines($want_path);
my @got = lines($got_path);
my ($explained, $bad) = (0, 0);
if ($on{trace}) {
	# Only what both have: every sample of ours is among theirs.
	my %theirs = map { s/ +/ /gr => 1 } @want;
	for (@got) {
		next if $theirs{s/ +/ /gr};
		print "# not among the wanted: $_\n" if $bad++ < 5;
	}
	exit 1 if $bad;
	print scalar(@want) - scalar(@got), "\n";
	exit 0;
}
if (@want != @got) {
	print '# lines: wanted ', scalar @want, ', got ', scalar @got, "\n";
	$bad++;
}
for my $i (0 .. ($#want < $#got ? $#want : $#got)) {
	next if $want[$i] eq $got[$i];
	if (grep { $explain{$_} && $explain{$_}->($want[$i], $got[$i]) } @rules) {
		$explained++;
		next;
	}
	print '# line ', $i + 1, "\n# - $want[$i]\n# + $got[$i]\n" if $bad++ < 5;
}
exit 1 if $bad;
print "$explained\n";
