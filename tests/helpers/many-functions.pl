#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# many-functions.pl: C source of 200 functions that need no library, with loops, tables of cases, calls
# and divisions; f0 is the first.
use strict;
use warnings;

print "volatile int v[64];\n";
print "int f$_(int, int);\n" for 0 .. 199;
for my $i (0 .. 199) {
	my ($next, $limit, $at, $factor) = (($i * 7 + 3) % 200, $i % 13, $i % 64, $i + 3);
	print <<C;
__attribute__((noinline)) int f$i(int a, int b)
{
	if (a > $limit) {
		v[$at] += a * $factor;
		for (int i = 0; i < b; i++)
			v[i & 63] ^= a >> (i & 7);
	} else {
		switch (b) {
		case 1: v[1] = a; break;
		case 2: v[2] -= a; break;
		case 3: v[3] ^= b; break;
		case 4: return a / 7;
		case 5: return b * a;
		default: v[4] = a % 5;
		}
	}
	return f$next(a - 1, b) + v[a & 63];
}
C
}
