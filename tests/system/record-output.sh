#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record: the output file, streams, compression, size limits, a full disk, --control.
. "$(dirname "$0")/../lib.sh"
need_root
need_events
cd "$TMP" || exit 1

# --- the file and its predecessor
"$PERF" record -q -e cpu-clock -- true
check "perf.data by default" test -s perf.data
first=$(cksum <perf.data)
umask 0
"$PERF" record -q -e cpu-clock -- true
is "an earlier recording is kept as .old" "$(cksum <perf.data.old)" "$first"
is "0600 whatever the umask" "$(stat -c %a perf.data)" 600
umask 022
: >victim
ln -s victim link.data
out=$("$PERF" record -e cpu-clock -o link.data -- true 2>&1)
is "a symlink is refused" $? 1
like "and said" "$out" "'link.data' is a symbolic link"
check "its target is untouched" test ! -s victim
"$PERF" record -q -e cpu-clock -o x.data -- true
ln -sf ../victim x.data.old
"$PERF" record -q -e cpu-clock -o x.data -- true
check "a symlink at .old is replaced, not followed" test ! -L x.data.old -a ! -s victim
mkdir dir
check_status "a directory is refused" 1 "$PERF" record -e cpu-clock -o dir -- true
check_status "a directory that is not there" 1 "$PERF" record -e cpu-clock -o no/such/file -- true
check "/dev/null is taken" "$PERF" record -e cpu-clock -o /dev/null -- true

# --- what others put there
mkdir pub home2
chmod 777 pub
nobody() { # nobody NAME: of a user who is not us
	chown -h 65534 "$1"
}
mkfifo pub/perf.data
nobody pub/perf.data
# A reader that is there, so that nothing waits for one; ends by our closing.
exec 3<>pub/perf.data
out=$(timeout 60 "$PERF" record -e cpu-clock -o pub/perf.data -- true 2>&1)
is "another user's FIFO is refused" $? 1
like "and said" "$out" "'pub/perf.data' is a FIFO of another user \(uid 65534\)"
for what in "data convert -i x.data --to folded" "list sw" "data convert --check -i x.data"; do
	# shellcheck disable=SC2086
	check_status "by $what too" 1 timeout 60 "$PERF" $what -o pub/perf.data
done
is "nothing came through" "$(dd iflag=nonblock bs=1 count=1 <&3 2>/dev/null | wc -c)" 0
exec 3<&-
rm pub/perf.data
mkfifo pub/perf.data.old
nobody pub/perf.data.old
"$PERF" record -q -e cpu-clock -o pub/perf.data -- true
"$PERF" record -q -e cpu-clock -o pub/perf.data -- true
check "a FIFO at .old is replaced" test -f pub/perf.data.old
echo theirs >pub/text
nobody pub/text
exec 3<pub/text
check "a text over another user's file" "$PERF" list -o pub/text sw
is "which gets nothing" "$(cat <&3)" theirs
exec 3<&-
is "but gives way" "$(stat -c %u pub/text)" "$(id -u)"
echo precious >home2/file
ln home2/file pub/hard
check "a text over a second name of a file" "$PERF" list -o pub/hard sw
is "leaves the first alone" "$(cat home2/file)" precious
ln -s ../home2/file pub/link
nobody pub/link
check_status "another user's link is refused" 1 "$PERF" list -o pub/link sw
is "and its target left alone" "$(cat home2/file)" precious
ln -s file home2/mine
check "a link of ours is followed" "$PERF" list -o home2/mine sw
like "for texts" "$(cat home2/file)" cpu-clock
mkfifo fifo
(timeout 60 cat fifo >fifo.out) &
check "a FIFO of ours" timeout 60 "$PERF" record -e cpu-clock -F 2000 -o fifo -- "$PERF" test -w noploop 0.2
wait
like "gets a stream" "$("$PERF" script -i - -F ip,sym <fifo.out 2>&1)" noploop
check_status "--switch-output needs a file" 129 timeout 60 "$PERF" record -e cpu-clock --switch-output -o fifo -- true
"$PERF" record -q -e cpu-clock -F 2000 -o /dev/stdout -- "$PERF" test -w noploop 0.2 >dev.data 2>/dev/null
is "/dev/stdout is -" "$(od -An -tu8 -j8 -N8 dev.data | tr -d ' ')" 16
is "-o /dev/stdout for texts" "$("$PERF" list -o /dev/stdout sw | cksum)" "$("$PERF" list -o - sw | cat | grep -v '^$' | cksum)"

# --- streams
"$PERF" record -q -e cpu-clock -F 1000 -o - -- "$PERF" test -w noploop 0.5 >stream 2>stream.err
check "-o - writes a stream" test -s stream
is "with the short header" "$(od -An -tu8 -j8 -N8 stream | tr -d ' ')" 16
like "that is read from a pipe" "$("$PERF" script -i - -F ip,sym <stream 2>&1)" noploop
like "live too" "$("$PERF" record -q -e cpu-clock -F 1000 -o - -- "$PERF" test -w noploop 0.3 2>/dev/null | "$PERF" script -i - -F ip,sym 2>/dev/null)" noploop
("$PERF" record -q -e cpu-clock -F 5000 -a -o - -- sleep 60 2>gone.err; echo $? >gone) | head -c 16 >head
wait_for test -s gone
"$PERF" record -q -e cpu-clock -o - -- sh -c 'for i in 1 2 3; do echo said by the program; done' >stream 2>said.err
is "what the program prints goes to stderr" "$(grep -c '^said by the program$' said.err)" 3
check "and not into the stream" "$PERF" script -i - -F ip <stream
is "it keeps its stdout beside a file" "$("$PERF" record -q -e cpu-clock -o beside.data -- echo said 2>/dev/null)" said
# Bytes of somebody else that could be records: type, misc, size.
cp stream mixed
printf 'text\0\0\020\0said....' >>mixed
"$PERF" script -i - -F ip <mixed >mixed.out 2>mixed.err
is "other bytes in a stream are an error" $? 1
like "and said" "$(cat mixed.err)" 'UNKNOWN \([0-9]*\).*: there is no such record'
# A record of a kernel to come.
cp stream newer
printf '\074\0\0\0\0\0\020\0said....' >>newer
check "a record that only kernels make is passed over" "$PERF" script -i - -F ip <newer
like "and said" "$(cat check.out)" '1 records are of types that this perf does not know'
# A pipe whose reader never reads: full before the signal comes.
mkfifo stuck
exec 3<>stuck
is_full() {
	perl -e 'vec(my $w = "", 0, 1) = 1; exit select(undef, $w, undef, 0)' <&3
}
"$PERF" record -e cpu-clock -F 20000 -g -o stuck -- "$PERF" test -w noploop 120 2>stuck.err & pid=$!
check "a reader that does not read" wait_for is_full
kill -TERM $pid
(
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
		sleep 1
		kill -0 $pid 2>/dev/null || exit
	done
	kill -KILL $pid
) &
wait $pid
is "does not keep a recorder that is told to end" $? 1
like "which says why" "$(cat stuck.err)" 'nobody reads the stream'
exec 3<&-
is "the reader goes away: an error, no signal" "$(wc -c <head) $(cat gone)" '16 1'
like "and said" "$(cat gone.err)" 'Broken pipe'

# --- compression
for z in -z -z3 -z=5 --compression-level=2; do
	check "$z" "$PERF" record $z -e cpu-clock -F 2000 -o z.data -- "$PERF" test -w noploop 0.3
	like "$z reads back" "$("$PERF" script -i z.data -F ip,sym 2>/dev/null)" noploop
done
like "the summary tells the ratio, behind the samples" "$("$PERF" record -z -e cpu-clock -F 2000 -o z.data -- "$PERF" test -w noploop 0.3 2>&1)" \
	'z\.data \([0-9]+ samples\), compressed \(original [0-9.]+ MB, ratio is [0-9.]+\) \]$'
like "and none where there are none" "$("$PERF" record -n -e cpu-clock -o z.data -- true 2>&1)" 'MB z\.data \]$'
check_status "a level out of range" 129 "$PERF" record -z99 -e cpu-clock -o z.data -- true

# --- limits
# One process: the maps of all that run here may be more than that already.
out=$("$PERF" record -e cpu-clock -F 10000 -g --max-size 200K --per-thread -o m.data -- "$PERF" test -w noploop 120 2>&1)
like "--max-size ends the recording" "$out" 'size limit reached \(200 KB\)'
size=$(stat -c %s m.data)
check "near that size ($size)" test "$size" -gt 150000 -a "$size" -lt 2500000
check "--mmap-flush" "$PERF" record -e cpu-clock --mmap-flush 64K -o f.data -- true
check "-m in pages" "$PERF" record -e cpu-clock -m 16 -o f.data -- true
check "-m in bytes" "$PERF" record -e cpu-clock -m 1M -o f.data -- true
check_status "-m of nothing" 129 "$PERF" record -e cpu-clock -m 0 -o f.data -- true
check_status "-m of more than there can be" 129 "$PERF" record -e cpu-clock -m 1025G -o f.data -- true
like "... and how much that is" "$(cat check.out)" 'at least one page and at most 1T'
check "--aio is accepted" "$PERF" record --aio -e cpu-clock -o f.data -- true
check "--aio=4 is accepted" "$PERF" record --aio=4 -e cpu-clock -o f.data -- true

# --- a full disk
mkdir full
if mount -t tmpfs -o size=3m tmpfs full 2>/dev/null; then
	out=$("$PERF" record -e cpu-clock -F 20000 -g --per-thread -o full/perf.data -- "$PERF" test -w noploop 120 2>&1)
	is "a full disk is an error" $? 1
	like "that says so" "$out" 'No space left on device'
	check "what was written before is readable" has_samples full/perf.data 100
	is "and what the summary counts" "$(samples full/perf.data)" \
		"$(echo "$out" | sed -n 's/.*(\([0-9]*\) samples).*/\1/p')"
	umount full
else
	skip "a full disk" "tmpfs cannot be mounted here"
fi

# --- a limit on the size of files, in the middle of the first flush and later. What is packed takes ten times as many
# samples to get there.
for how in "-F 20000 -g" "-F 20000 -g --mmap-flush 4M -m 8M" "-z -F 20000 -g -k CLOCK_MONOTONIC --user-regs=ip,sp,bp,ax,bx,cx,dx"; do
	# shellcheck disable=SC2086
	case $how in -z*) limit=200 ;; *) limit=2000 ;; esac
	out=$(ulimit -f $limit; "$PERF" record -e cpu-clock $how --per-thread -o limit.data -- "$PERF" test -w noploop 120 2>&1)
	is "$how: ulimit -f is an error" $? 1
	like "$how: that says so" "$out" 'File too large'
	n=$(samples limit.data)
	check "$how: what was written is readable ($n)" test "$n" -gt 100
	is "$how: and counted" "$(echo "$out" | sed -n 's/.*(\([0-9]*\) samples).*/\1/p')" "$n"
done
# The workload is not told to ignore the signal.
is "the program's own SIGXFSZ" "$("$PERF" record -q -e cpu-clock -o sig.data -- sh -c "ulimit -f 1; head -c 1000000 /dev/zero >big; :" 2>&1 | grep -c 'ile size limit exceeded')" 1

# --- build ids
"$PERF" record -q -e cpu-clock -F 2000 -o b.data -- "$PERF" test -w noploop 0.2
like "build ids of what was hit" "$("$PERF" buildid-list -i b.data)" '^[0-9a-f]{40} .*perf$'
"$PERF" record -q -B -e cpu-clock -F 2000 -o b.data -- "$PERF" test -w noploop 0.2
like "-B leaves the feature out" "$("$PERF" report --header-only -I -i b.data 2>/dev/null)" 'missing features:.* BUILD_ID'
# without samples, too
check "--buildid-all" "$PERF" record -q -n --buildid-all -e cpu-clock -o b.data -- true
like "lists what was only mapped" "$("$PERF" buildid-list -i b.data)" 'libc'
"$PERF" record -q --no-buildid-mmap -e cpu-clock -o b.data -- "$PERF" test -w noploop 0.1
like "--no-buildid-mmap: device and inode in the maps" "$("$PERF" script --show-mmap-events -i b.data 2>/dev/null)" 'MMAP2 .* [0-9a-f]+:[0-9a-f]+ [1-9][0-9]* '
like "and still build ids at the end" "$("$PERF" buildid-list -i b.data)" '^[0-9a-f]{40} .*perf$'

# --- control
mkfifo ctl ack
(
	exec 3<>ctl 4<>ack
	sleep 0.5
	echo evlist -v >&3
	head -c 5 <&4 >/dev/null
	echo enable >&3
	head -c 4 <&4 >ack.out
	sleep 0.6
	echo disable >&3
	sleep 0.2
	echo stop >&3
) &
"$PERF" record -e cpu-clock -F 1000 -a -D -1 --control fifo:ctl,ack -o ctl.data 2>ctl.err
is "stop over the control fifo ends with success" $? 0
wait
is "commands are answered" "$(cat ack.out)" ack
like "enable and disable are told" "$(tr '\n' ' ' <ctl.err)" 'Events enabled.*Events disabled'
like "evlist -v over it" "$(cat ctl.err)" '^cpu-clock: type: 1 .*sample_freq'
check "samples between the two" has_samples ctl.data 100
"$PERF" record -e cpu-clock -F 1000 --control fifo:ctl,ack -o term.data -- "$PERF" test -w noploop 120 2>ctl.err & pid=$!
wait_for has_samples term.data 0
kill -TERM $pid
wait $pid
is "SIGTERM under --control" $? 143
like "as GUIs stop it: the file is there" "$("$PERF" script -i term.data -F ip,sym 2>/dev/null)" noploop
check_status "a fifo that is not there" 1 "$PERF" record -e cpu-clock --control fifo:nothing -o no.data -- true
check_status "-D -1 without --control" 129 "$PERF" record -e cpu-clock -D -1 -o no.data -- true
done_testing
