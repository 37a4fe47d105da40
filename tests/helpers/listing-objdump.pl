#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# listing-objdump.pl OURS THEIRS: compares what listing-dump -f and objdump -d -z -w say of the same
# file, GNU's or LLVM's. At every address of a function both have an instruction of the same length
# and the same name, and a direct branch the same target. Names may differ as %alike says, and in no
# other way. LENGTHS=1: names are not compared, LLVM's of x86 have suffixes. Exits 1 when anything differs,
# or when one of them knows many instructions that the other takes for none. Of a large file every third function is looked at; PAIRS=all: each.
use strict;
use warnings;

my ($ours, $theirs) = @ARGV;
my (%at, $machine);
my $every = ($ENV{PAIRS} // '') ne 'all' && -s $ours > 4e6 ? 3 : 1;

# The lines of ours that are looked at, and where theirs are wanted.
my (@lines, $nr);
open my $in, '<', $ours or die "$ours: $!\n";
while (<$in>) {
	$nr++ if /^FUNCTION /;
	next if $nr % $every;
	chomp;
	push @lines, $_;
	$at{$1} = undef if /^([0-9a-f]+) /;
}
close $in;

open $in, '<', $theirs or die "$theirs: $!\n";
while (<$in>) {
	my $end = index $_, ':';
	if ($end < 1 || !exists $at{substr($_, 0, $end) =~ tr/ //dr}) {
		$machine = lc $1 if !$machine && /file format (\S+)/;
		next;
	}
	next unless /^ *([0-9a-f]+):\s+([0-9a-f]{2}[0-9a-f ]*+)(?:\t\s*(.*))?$/;
	my ($addr, $bytes, $text) = ($1, $2, $3 // '');
	$text =~ tr/\t/ /;
	$at{$addr} = [($bytes =~ tr/0-9a-f//) / 2, $text];
}
close $in;

# ---- names -----------------------------------------------------------------------------------------

# Names of one instruction, ours first: other words for it, each with its reason.
my %alike = (
	x86 => {
		'nopw cs nopw' => 'the prefix stands in the operand',
		'nopw data16 cs nopw' => 'the same, and one that fills up',
		'wait fwait' => 'two words',
		'lea data16 lea' => 'a prefix that does nothing but fill up',
		'call data16 data16 rex.W call' => 'the same: a call that a linker may change',
	},
	aarch64 => {
		'movz mov' => 'movz is what it is, mov how assemblers let one write it',
		'movn mov' => 'the same',
		'orr mov' => 'the same: or with the register that is zero',
		'ins mov' => 'the same',
		'sshll sxtl' => 'the same: a shift by 0',
		'ushll uxtl' => 'the same',
		'b.hs b.cs' => 'two words for a condition',
		'b.lo b.cc' => 'the same',
		'hint xpaclri' => 'a hint that older processors take for none',
		'hint bti' => 'the same',
		'hint paciasp' => 'the same',
		'hint autiasp' => 'the same',
	},
	arm => {
		'adr add' => 'an address by what is added to pc',
		'adr sub' => 'the same',
		'mov nop' => 'mov r0, r0',
		'pop ldm' => 'pop is ldm of sp',
		'push stmdb' => 'push is stmdb of sp',
		'stcl stfp' => 'of a coprocessor that is no longer made',
		'ldcl ldfp' => 'the same',
		'bx bxns' => 'a bit that older processors do not look at',
		'vext.32 vext.8' => 'the same bytes in pieces of other sizes',
	},
	mips => {},
	powerpc => {
		'subf sub' => 'operands in the other order',
		'blt bt' => 'a condition by name, and by number',
		'bgt bt' => 'the same',
		'beq bt' => 'the same',
		'bge bf' => 'the same, where it is not',
		'ble bf' => 'the same',
		'bne bf' => 'the same',
	},
);
my $family = $machine =~ /x86|i386/ ? 'x86' : $machine =~ /aarch64/ ? 'aarch64'
	   : $machine =~ /arm/ ? 'arm' : $machine =~ /mips/ ? 'mips' : 'powerpc';
my $prefix = qr/(?:rep\w*|lock|notrack|bnd|data16|addr32|cs|ds|es|ss|fs|gs|rex\S*) /;

# Mnemonic with its prefixes.
sub name {
	my ($text) = @_;
	my ($name) = $text =~ /^((?:$prefix)*\S+)/;
	$name =~ s/\.[nw]$// if $family eq 'arm'; # how wide it is, is said by its length
	return $name;
}

# Words that are made of conditions, or of what an operand says.
sub by_rule {
	my ($us, $them, $text) = @_;
	if ($family eq 'arm') {
		s/hs$/cs/, s/lo$/cc/ for $us;
		s/^(ldm|stm)ia/$1/ for $us, $them;
		return 1 if $us eq $them;
		# "lsl r1, r2, #3" is "mov r1, r2, lsl #3"; "rsb r1, r2, #0" is "neg r1, r2"
		return 1 if $us =~ /^(?:lsl|lsr|asr|ror)(s?)(\w*)$/ && $them =~ /^mov\Q$1$2\E$/;
		return 1 if $us =~ /^rsb(\w*)$/ && $them eq "neg$1" && $text =~ /#0$/;
		return $alike{arm}{"$us $them"};
	}
	return 0;
}

# Data that no mark in the file tells from code: objdump takes what "it" says of the instructions behind
# it for all, also for those that cannot stand there.
sub is_odd {
	my ($us, $them) = (name($_[0]), name($_[1]));
	return $family eq 'arm' && $them =~ /^\Q@{[$us =~ s{^movs$}{mov}r]}\E(?:[a-z]{2})$/;
}

sub same_name {
	my ($us, $them) = (name($_[0]), name($_[1]));
	return $us eq $them || $alike{$family}{"$us $them"} || by_rule($us, $them, $_[0]);
}

# ---- targets ---------------------------------------------------------------------------------------

# The branch's target as objdump has it: the only number, or the last.
sub target {
	my ($addr, $text) = @_;
	# LLVM has distances for MIPS, in decimal
	return sprintf '%x', hex($addr) + $1 if $family eq 'mips' && $text =~ /(?:^|[\s,])(-?\d+) <[^>]*>$/;
	return $text =~ /(?:^|[\s,])(?:0x)?([0-9a-f]+) <[^>]*>$/ ? $1 : undef;
}

sub is_data {
	my ($text) = @_;
	return $text =~ /^\.|\(bad\)|undefined|UNDEFINED|<unknown>|illegal|<und>|\?\?|^$/;
}

# What name() and is_data() look behind.
my %slow = map { $_ => 1 } qw((bad) ?? .byte .word .long .short .inst .hword undefined udf illegal rep repz repnz
	repe repne lock notrack bnd data16 addr32 cs ds es ss fs gs);
my ($n, $functions, $differ, $left, $branches, $named, $apx) = (0, 0, 0, 0, 0, 0, 0);
my $lengths = $ENV{LENGTHS};
my $function = '';
sub differ {
	my ($what, $us, $them) = @_;
	print "# $what in $function\n#  ours:   $us\n#  theirs: $them\n" if $differ++ < 20;
}

for (@lines) {
	if (/^FUNCTION \S+ \S+ (.*)/) { $function = $1; $functions++; next }
	my ($addr, $bytes, $target, $text) = split / /, $_, 4;
	my $len = length($bytes) / 2;
	my $them = $at{$addr};
	$n++;
	if (!$them && is_data($text)) { $left++; next }
	if (!$them) { differ('no instruction of theirs', $_, ''); next }
	# Nearly all: one word for both, which is neither a prefix nor a word for data.
	my $word = substr $text, 0, index("$text ", ' ');
	if ($them->[0] == $len && !$slow{$word} && $word eq substr $them->[1], 0, index("$them->[1] ", ' ')) {
		$named++;
		next if $target eq '-';
		$branches++;
		my $t = target($addr, $them->[1]);
		differ('another target', $_, "$len bytes: $them->[1]") if defined $t && $t ne $target;
		next;
	}
	my $shown = "$them->[0] bytes: $them->[1]";
	# Data among code: neither knows it.
	if (is_data($them->[1]) || is_data($text)) {
		if (!is_data($them->[1]) || !is_data($text)) { $left++; $ENV{VERBOSE} and print "# left: $_ | $shown\n" }
		next;
	}
	differ('another length', $_, $shown), next if $len != $them->[0];
	$apx++ if $text =~ /^\(apx\)/;
	if ($lengths) {
		$named++;
	} elsif (same_name($text, $them->[1])) {
		$named++ if name($text) eq name($them->[1]);
	} elsif (is_odd($text, $them->[1])) {
		$left++;
	} else {
		differ('another name', $_, $shown);
	}
	next if $target eq '-';
	$branches++;
	my $t = target($addr, $them->[1]);
	differ('another target', $_, $shown) if defined $t && $t ne $target;
}
print "$apx instructions of APX\n" if $apx;
printf "%d functions, %d instructions (%.2f%% by the same name), %d branches, %d differ, %d known to one only\n",
	$functions, $n, $n ? 100 * $named / $n : 0, $branches, $differ, $left;
exit($differ || $n < 1000 || $left > $n / 400 ? 1 : 0);
