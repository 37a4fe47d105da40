#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# screen-picture.pl SCREEN: a screen that a test holds, tests/data/DIR/NAME.txt with its colours, as a picture
# (SVG) on stdout. What has a colour of its own is a piece of text at its place, as wide as its cells are: so
# columns stay columns whatever font the reader has.
use strict;
use warnings;
use open qw(:std :encoding(UTF-8));

my ($path) = @ARGV;
my ($wide, $high, $base) = (8, 18, 13);
my %colour = (
	black => '#1b1d23', red => '#e06c60', green => '#8fbf6a', brown => '#d9ae47', blue => '#5f9fe0',
	magenta => '#c78ae0', cyan => '#56b6c2', lightgray => '#d7dae0', brightblack => '#7d8494',
	brightred => '#ff8a7a', brightgreen => '#b0dd8a', brightyellow => '#f0d060', brightblue => '#8fc0ff',
	brightmagenta => '#e0a8f5', brightcyan => '#80d8e4', brightwhite => '#ffffff', white => '#d7dae0',
	yellow => '#f0d060',
);
my ($ink, $paper, %band) = ('#d7dae0', '#1b1d23', blue => '#24407a', red => '#9a3a30');

open my $in, '<', $path or die "cannot read $path: $!\n";
chomp(my @lines = <$in>);
close $in;
my ($mark) = grep { $lines[$_] eq 'colours' } 0 .. $#lines;
defined $mark or die "$path: no colours\n";
my @rows = @lines[0 .. $mark - 2];
my $columns = 0;
my %runs;
for (@lines[$mark + 1 .. $#lines]) {
	my ($row, $list) = /^(\d+): (.*)$/ or die "$path: what is '$_'?\n";
	for (split /, /, $list) {
		m{^(\d+)-(\d+) ([^/]+)/([^+]+)(.*)$} or die "$path: what is '$_'?\n";
		push @{$runs{$row}}, [$1, $2, $3, $4, $5];
		$columns = $2 + 1 if $2 >= $columns;
	}
}
$columns < length and $columns = length for @rows;

sub text {
	my ($row, $from, $to, $fill, $bold) = @_;
	my $piece = substr($rows[$row] . ' ' x $columns, $from, $to - $from + 1);
	# Pieces between wide gaps stand each at their own place.
	my $out = '';
	while ($piece =~ /(\S+(?: \S+)*)/g) {
		my ($word, $at) = ($1, $from + $-[1]);
		my $length = length($word) * $wide;
		$word =~ s/&/&amp;/g;
		$word =~ s/</&lt;/g;
		$word =~ s/>/&gt;/g;
		$out .= sprintf qq{<text x="%d" y="%d" textLength="%d" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>\n},
			10 + $at * $wide, 10 + $row * $high + $base, $length, $fill, $bold ? ' font-weight="bold"' : '', $word;
	}
	return $out;
}

my ($width, $height) = ($columns * $wide + 20, @rows * $high + 20);
print qq{<svg xmlns="http://www.w3.org/2000/svg" width="$width" height="$height" viewBox="0 0 $width $height" },
	qq{font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="13">\n},
	qq{<rect width="$width" height="$height" rx="8" fill="$paper"/>\n};
for my $row (0 .. $#rows) {
	my $at = 0;
	for my $run (@{$runs{$row} || []}) {
		my ($from, $to, $fg, $bg, $flags) = @$run;
		print text($row, $at, $from - 1, $ink, 0) if $from > $at;
		my ($fill, $ground) = ($colour{$fg} // $ink, $band{$bg} // $colour{$bg});
		($fill, $ground) = ($ground // $paper, $fill) if $flags =~ /R/;
		printf qq{<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>\n}, 10 + $from * $wide, 10 + $row * $high,
			($to - $from + 1) * $wide, $high, $ground if $ground;
		print text($row, $from, $to, $fill, $flags =~ /B/);
		$at = $to + 1;
	}
	print text($row, $at, $columns - 1, $ink, 0) if $at < $columns;
}
print "</svg>\n";
