#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# lint-rooms.pl [ROOT [OBJECTS [GC_LOG]]]: what keeps rooms apart, as far as a program can see it.
# The sources below ROOT say who includes whom, how long functions are, who logs; objects below
# OBJECTS (a build), when it is given, what a room exports and what changes while a program runs;
# the linker's log GC_LOG, which code nobody calls. A line per finding; exits 1 when there is any.
# tests/system/lint.sh makes a tree that breaks every rule, and looks that each is told.
use strict;
use warnings;

my ($root, $objects, $gc) = @ARGV;
chdir($root // '.') or die "$root: $!\n";
my $bad = 0;

sub note {
	print "lint: @_\n";
	$bad = 1;
}

sub slurp {
	my ($path) = @_;
	open my $in, '<', $path or return '';
	local $/;
	return scalar <$in>;
}

# Lowest first: a room may include those before it.
my @rooms = slurp('Documentation/design.md') =~ /^\| `([a-z]+)` \|/mg;
my %place = map { $rooms[$_] => $_ } 0 .. $#rooms;
my @headers = glob 'tools/lib/*/*.h';
my @lib = (glob('tools/lib/*/*.c'), @headers);
my @all = (@lib, glob('tools/perf/*.[ch]'));

# base is no room of one matter: what few need is in headers of its own.
my %second = map { $_ => 1 } qw(base/bytes.h base/cachedir.h base/file.h base/hex.h base/lack.h base/loaded.h base/nearest.h base/numbered.h base/obuf.h
	base/output.h base/proto.h base/sha256.h base/side.h base/tables.h base/turns.h);

# What a room may call its exports beside ROOM and ROOM_: no other room may.
my %prefix = (
	base => 'arena bits cachedir err file fmt hash htab intern lack loaded log mem nearest numbered obuf output safe sha256 side slots turns vec write',
	annotate => 'listing',
	capture => 'control grid program ring synth',
	cli => 'option',
	convert => 'flow raw source contexts llvm stacks places blocks firefox loads',
	dtpmu => 'dt',
	elf => 'build_id guard limits packed segments',
	events => 'dirlist event explain parse pmu pmus',
	faces => 'list text walk',
	fleet => 'merge',
	inject => 'ids',
	jit => 'jitdump',
	machine => 'dso map process space thread tree',
	perfdata => 'feature features frames gaps order pieces record spool stream time_spans tracing unzip window writer',
	keys => 'chain',
	sample => 'data_src',
	script => 'filter print put',
	symbol => 'files kallsyms kernel lines module object resolver segs sources starts stored symcache symtab unpack',
	table => 'derive',
	tracer => 'a64 advance affinity ahead arch breakpoint btrace budget burst cross exec finish native points signals span splice stack'
		. ' stamps state status step strategy tracee twin vm wait walker',
	tui => 'browse browser outline',
	unwind => 'cfi deferred dwarf fde fp frame lbr remote',
	# Programs that are sampled: the names are what tests and tutorials look for.
	workload => 'brstack buf1 context_switch_work inlineloop leaf named_thread_loop noploop parent'
		. ' scalarloop simdloop sqrtloop test_loop trap_here workloads',
);

# What changes while a program runs and belongs to nobody: object:name, and why it must be.
my %static = (
	'insn/capstone.o:no_memory' => 'an allocator of the library has no argument',
	'elf/guard.o:before' => 'what stood before its signal handler, which has no argument',
	'elf/guard.o:guards' => 'likewise', 'elf/guard.o:hits' => 'likewise',
	'elf/guard.o:installed' => 'likewise', 'elf/guard.o:pending' => 'likewise, of a thread',
	'elf/starved.o:before_segv' => 'likewise', 'elf/starved.o:before_abort' => 'likewise',
	'elf/starved.o:installed' => 'likewise',
	'base/mem.o:hash_secret' => 'one process, one secret, set before all tables',
	'base/lack.o:first' => 'one process, one status',
	'base/log.o:threshold' => 'one stderr, one level',
	'tui/terminal.o:the' => 'S-Lang has one terminal, and signal handlers have no argument',
	'cli/term.o:pager_pid' => 'one stdout, one pager',
	'box/box.o:the' => 'a process is boxed as a whole, for good',
);

# Not called by the program, and why it stays.
my %called_elsewhere = (
	__wrap___asprintf_chk => 'FORTIFY calls it, which the build for this has not',
	__wrap___vasprintf_chk => 'likewise',
	dtpmu_load_blob => 'targets of make fuzz have no files',
	table_totals => 'tests ask a table without making a view',
);

# Libraries hand warnings to their caller. These still print theirs: never more of them.
my %log = (cli => 1);

# ---- who includes whom --------------------------------------------------------------------------

sub is_public {
	my ($room, $header) = @_;
	return $header eq "$room.h" || $second{"$room/$header"};
}

for my $f (@all) {
	my ($room) = $f =~ m{^tools/lib/([^/]+)/};
	if ($room && !exists $place{$room}) {
		note("rooms: $room is not in Documentation/design.md");
		next;
	}
	my $n = 0;
	for (split /^/, slurp($f)) {
		$n++;
		next unless m{^\s*#\s*include\s+"([^"/]+)/([^"]+)"};
		my ($other, $header) = ($1, $2);
		next if $other eq 'uapi' || ($room && $other eq $room);
		if (!exists $place{$other}) { note("rooms: $f:$n: no room $other") }
		elsif ($room && $place{$other} > $place{$room}) { note("rooms: $f:$n: $room is below $other and may not use it") }
		elsif (!is_public($other, $header)) { note("rooms: $f:$n: $other/$header is private to $other") }
	}
}

my %tag;
for my $f (@headers) {
	my ($room, $header) = $f =~ m{^tools/lib/([^/]+)/([^/]+)$};
	note("headers: $f: neither the room's public one, $room.h, nor a private one, SOMETHING-int.h")
		if !is_public($room, $header) && $header !~ /-int\.h$/;
	$tag{$_}{$room} = 1 for slurp($f) =~ /^(?:struct|union|enum) (\w+) \{/mg;
}
for (sort keys %tag) {
	my @in = sort keys %{$tag{$_}};
	note("names: headers of @in each have a struct, union or enum $_") if @in > 1;
}

# ---- what stands in the files -------------------------------------------------------------------

my %logs;
for my $f (@all) {
	my ($room) = $f =~ m{^tools/lib/([^/]+)/};
	my ($n, $start, $name, $before) = (0, 0, '', '');
	for (split /^/, slurp($f)) {
		$n++;
		if (/^\{/) { ($start, $name) = ($n, $before =~ /(\w+)\(/ ? $1 : '') }
		if (/^\}/ && $start) {
			my $lines = $n - $start + 1;
			note("length: $f:$start: $name() has $lines lines, more than 80") if $lines > 80;
			$start = 0;
		}
		$before = $_ if /^\w/;
		$logs{$room}++ if $room && $room ne 'base' && /^[^*]*\blog_(?:debug|info|warn|error)\(/;
		note("ioctl: $f:$n: numbers of ioctl() belong into uapi/perf_event.h") if /_IO[RW]*\('\$'/;
		note("branch: $f:$n: fields of branch flags are taken out in room branch")
			if ($room // '') ne 'branch' && /\bflags >> (?:4 & 0xffff|20 & 15|26 & 15)/;
		note("elf: $f:$n: objects are opened in room elf") if ($room // '') ne 'elf' && /\belf_(?:begin\(.*READ|memory\()/;
		while (m{((?:[\w.-]+/)*[\w-]+\.md)\b(?:\s+\d)?}g) {
			my $cited = $1;
			note("citation: $f:$n: $cited is not in the repository")
				unless -e $cited || -e "Documentation/$cited" || -e "tests/$cited";
		}
	}
}
for (sort keys %logs) {
	my $most = $log{$_} // 0;
	note("log: room $_ logs in $logs{$_} places, $most are known: hand warnings to the caller")
		if $logs{$_} > $most;
}

# ---- what the objects say -----------------------------------------------------------------------

my %owner;
for my $room (@rooms) {
	for ($room, grep { !exists $place{$_} } split ' ', $prefix{$room} // '') {
		note("names: $_ is a prefix of $owner{$_} and of $room") if $owner{$_} && $owner{$_} ne $room;
		$owner{$_} = $room;
	}
}

# The longest known prefix of a name, at a '_' or its end.
sub owner_of {
	my ($name) = @_;
	for (my $p = $name; ; ) {
		return $owner{$p} if $owner{$p};
		$p =~ s/_[^_]*$// or return undef;
	}
}

my @objects = $objects ? grep { -e s{^\Q$objects\E/}{}r =~ s/\.o$/.c/r } glob("$objects/tools/lib/*/*.o $objects/tools/perf/*.o") : ();
for my $o (@objects) {
	my ($room, $file) = $o =~ m{/tools/lib/([^/]+)/([^/]+)$};
	for (`objdump -t '$o' 2>/dev/null`) {
		my ($bind, $kind, $section, $name) = /^[0-9a-f]+ (.)(.{6}) (\S+)\t[0-9a-f]+ (?:\.hidden )?(\S+)$/ or next;
		next if $section eq '*UND*' || $name =~ /^\./;
		if ($bind eq 'g' && $room) {
			my $whose = owner_of($name);
			note("names: $o exports $name: " . ($whose ? "a prefix of room $whose" : "no prefix of room $room"))
				if ($whose // '') ne $room;
		}
		next unless $kind =~ /O/ && $section =~ /^\.t?(?:bss|data)|^\*COM\*/ && $section !~ /^\.data\.rel\.ro/;
		my $key = ($room ? "$room/$file" : $o =~ s{.*/tools/}{}r) . ':' . ($name =~ s/\.\d+$//r);
		note("static: $key changes while the program runs and belongs to nobody")
			unless $static{$key} || ($room // '') eq 'workload' || $name =~ /^__/;
	}
}

if ($gc) {
	my %seen;
	for (split /^/, slurp($gc)) {
		next unless /unused section '\.text\.([\w.]+)' in file '([^']*)'/;
		my ($name, $file) = ($1, $2);
		next if $file =~ m{^/(?:usr|lib)} || $called_elsewhere{$name} || $seen{$name}++;
		note("dead: $name() is called by nobody ($file)");
	}
}
exit $bad;
