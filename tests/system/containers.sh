#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Processes whose paths mean other files: programs in mounts that only they see. Their names are found
# while they live, and after that by what record copied; a file of that path here is never taken.
. "$(dirname "$0")/../lib.sh"
need_root
need_events
need_cmd unshare mount
H=$O/tests/helpers
[ -x "$H/contained" ] || skip_all "helper programs are not built: make tests"
unshare -m mount -t tmpfs none /mnt 2>"$TMP/err" || skip_all "no mounts of our own here: $(cat "$TMP/err")"
cd "$TMP" || exit 1
mkdir app
cp "$H/deep-frames" app/prog # who takes this one for the other finds outer, middle and leaf

# enter PROGRAM SECONDS: in another mount namespace it lies where another one lies here
enter() {
	rm -f pid
	unshare -m --propagation private sh -c '
		mount -t tmpfs none "$1/app" && cp "$2" "$1/app/prog" && "$1/app/prog" 0 &&
		echo $$ >"$1/pid.new" && mv "$1/pid.new" "$1/pid" && exec "$1/app/prog" "$3"' \
		- "$TMP" "$1" "$2" &
	child=$!
	wait_for test -s pid
	pid=$(cat pid)
	wait_for is_prog
}
is_prog() { [ "$(readlink "/proc/$pid/exe")" = "$TMP/app/prog" ]; }
leave() {
	kill "$child" 2>/dev/null
	wait "$child" 2>/dev/null
}
record() { # record OPTIONS...: of the process, while a command runs, or to its end
	"$PERF" record -e cpu-clock:u -F 500 -p "$pid" "$@" >rec.out 2>&1
}
# Of this program alone, where all that runs was recorded.
named() { # named NAME DATA
	"$PERF" report -i "$2" --comms prog -s sym --stdio >out 2>err
	like "$1" "$(cat out)" ' spin_in_container$'
	unlike "$1: never by another file" "$(cat out)" ' (outer|middle|leaf)$'
}
instructions() { # instructions NAME DATA
	if grep -Eq 'HAVE_(LIBCAPSTONE|ZYDIS) 1' "$O/config.h"; then
		"$PERF" annotate -i "$2" --stdio --no-source spin_in_container >out 2>err
		like "$1: its instructions" "$(cat out err)" '[0-9]+\.[0-9]+ : +[0-9a-f]+: +[a-z]+'
	else
		skip "$1: its instructions" "built without a disassembler library"
	fi
}
unnamed() { # unnamed NAME DATA WHY
	"$PERF" report -i "$2" --comms prog -s sym --stdio >out 2>err
	unlike "$1: no names" "$(cat out)" ' (spin_in_container|outer|middle|leaf)$'
	like "$1: it is said" "$(cat err)" "$3"
}
copied='^perf record: files of containers: [0-9]+ copied to .*/home/\.debug$'

# It lives on.
enter "$H/contained" 60
record -o live.data -N -- sleep 0.5
check "the recording has samples" test "$("$PERF" script -i live.data -F ip 2>/dev/null | wc -l)" -gt 0
unlike "-N copies nothing" "$(cat rec.out)" copied
check "... indeed" test ! -e "$HOME/.debug"
named "while it lives" live.data
instructions "while it lives" live.data
mv app/prog app/other
named "while it lives, and here is no such file" live.data
mv app/other app/prog
"$PERF" report -i live.data -s sym --stdio --symfs / >out 2>&1
unlike "--symfs means those files only" "$(cat out)" ' spin_in_container$'
chmod 755 .
chmod 644 live.data
if setpriv --reuid 65534 --clear-groups "$PERF" report -f -i live.data -s sym --stdio >out 2>err; then
	unlike "a reader who may not look there: no names" "$(cat out)" ' (spin_in_container|outer|middle|leaf)$'
	like "a reader who may not look there: it is said" "$(cat err)" 'another build id'
else
	skip "a reader who may not look there" "cannot run as another user: $(head -1 err)"
fi
record -o kept.data -- sleep 0.5
like "it is copied, and that is said" "$(cat rec.out)" "$copied"
record -o again.data -- sleep 0.5
unlike "once" "$(cat rec.out)" copied
is "in whole" "$(find "$HOME/.debug$TMP/app/prog" -name elf -exec cmp {} "$H/contained" \; 2>&1)" ""
like "its build id is listed" "$("$PERF" buildid-list -i kept.data)" "/app/prog$"
leave
named "after its end" kept.data
instructions "after its end" kept.data
mv app/prog app/other
named "after its end, and here is no such file" kept.data
mv app/other app/prog
rm -rf "$HOME/.debug"
unnamed "the copy is gone" kept.data 'another build id'
rm app/prog
unnamed "the file here too" kept.data 'no function names for .*/app/prog \(not found, build id [0-9a-f]{8,}\)'
cp "$H/deep-frames" app/prog

# It ends before the recording does.
enter "$H/contained" 60
mkfifo ctl ack
exec 3<>ctl 4<>ack
"$PERF" record -e cpu-clock:u -F 500 -p "$pid" -o ended.data -D -1 --control fd:3,4 >rec.out 2>&1 &
recorder=$!
echo enable >&3
read -r _ <&4
sleep 0.3
leave
wait "$recorder"
exec 3>&- 4>&-
like "it ended: it is copied" "$(cat rec.out)" "$copied"
named "it ended" ended.data
rm -rf "$HOME/.debug"

# Nowhere to copy it to.
enter "$H/contained" 60
env -u HOME "$PERF" record -e cpu-clock:u -p "$pid" -o nowhere.data -- sleep 0.5 >rec.out 2>&1
is "no place for copies: the recording is good" $? 0
like "... and it is said" "$(cat rec.out)" 'containers: [0-9]+ not copied, .* no directory for the cache .*Set HOME'
leave

# Without a build id only the file itself tells that it is the one.
enter "$H/contained-no-id" 60
record -o no-id.data -- sleep 0.5
like "no build id: it is said" "$(cat rec.out)" 'files of containers: 1 without build id'
named "no build id, while it lives" no-id.data
unlike "no build id: nor is the other's listed" "$("$PERF" buildid-list -i no-id.data)" '[0-9a-f]{8} .*/app/prog$'
leave

# Root file systems of containers are overlays: maps of a file tell another device than stat.
rm -rf "$HOME/.debug"
rm -f pid
unshare -m --propagation private sh -c 'cd "$1" && mount -t tmpfs none app && mkdir app/l app/u app/m &&
	mount -t tmpfs none app/u && mkdir app/u/u app/u/w && cp "$2" app/l/prog &&
	mount -t overlay overlay -o lowerdir=app/l,upperdir=app/u/u,workdir=app/u/w app/m &&
	app/m/prog 0 && echo $$ >pid.new && mv pid.new pid && exec "$1/app/m/prog" 60' \
	- "$TMP" "$H/contained" 2>overlay.err &
child=$!
overlay_decided() { [ -s pid ] || ! kill -0 "$child" 2>/dev/null; }
is_on_overlay() { [ "$(readlink "/proc/$child/exe")" = "$TMP/app/m/prog" ]; }
wait_for overlay_decided
if [ -s pid ]; then
	pid=$child
	wait_for is_on_overlay
	record -o overlay.data -- sleep 0.5
	named "overlay, while it lives" overlay.data
	leave
	like "overlay: it is copied" "$(cat rec.out)" "$copied"
	named "overlay, after its end" overlay.data
else
	skip "overlay" "$(head -1 overlay.err)"
fi

# Of all processes.
enter "$H/contained" 60
"$PERF" record -a -e cpu-clock:u -F 500 -o all.data -- sleep 0.5 >rec.out 2>&1
like "-a" "$(cat rec.out)" "$copied"
leave
named "-a" all.data

# It begins and ends while all is recorded.
rm -rf "$HOME/.debug"
brief() { # brief FILE OPTIONS...: the container is gone for long when the recording ends
	_brief=$1
	shift
	"$PERF" record -a "$@" -e cpu-clock:u -F 500 -o "$_brief" -- sh -c 'unshare -m --propagation private sh -c "
		mount -t tmpfs none $1/app && cp $2 $1/app/prog && exec timeout 1 $1/app/prog 60"; sleep 0.3' - "$TMP" "$H/contained" >rec.out 2>&1
}
brief brief.data
unnamed "a container that is gone" brief.data 'another build id|not found'
brief brief.data --keep-objects
like "--keep-objects: it is copied" "$(cat rec.out)" "$copied"
named "--keep-objects" brief.data
# In the second file of a recording, with fewer processes than in the first.
rm -rf "$HOME/.debug"
"$PERF" record -a -e cpu-clock:u -F 500 --switch-output -o second.data -- sleep 60 >rec.out 2>&1 &
recorder=$!
wait_for has_samples second.data 0
for _ in $(seq 100); do
	env true
done
kill -USR2 $recorder
wait_for grep -q Dump rec.out
enter "$H/contained" 60
sleep 0.5
kill -INT $recorder
wait $recorder
leave
like "a container of the second file: it is copied" "$(cat rec.out)" "$copied"
for f in second.data.*; do :; done # the last one
named "a container of the second file" "$f"
# A root is kept while any process has it: the first one ends in the first file, the last one in the second.
rm -rf "$HOME/.debug"
rm -f pid
"$PERF" record -a --keep-objects -e cpu-clock:u -F 500 --switch-output -o first.data -- sleep 60 >rec.out 2>&1 &
recorder=$!
wait_for has_samples first.data 0
unshare -m --propagation private sh -c '
	mount -t tmpfs none "$1/app" && cp "$2" "$1/app/prog" && { "$1/app/prog" 60 & } &&
	echo $! >"$1/pid.new" && mv "$1/pid.new" "$1/pid" && sleep 1' - "$TMP" "$H/contained"
pid=$(cat pid)
kill -USR2 $recorder
wait_for grep -q Dump rec.out
wait_for has_samples first.data 0
sleep 0.5
rm -rf "$HOME/.debug"
kill "$pid"
sleep 0.3
kill -INT $recorder
wait $recorder
like "a container that outlives its first process: it is copied" "$(cat rec.out)" "$copied"
for f in first.data.*; do :; done
named "a container that outlives its first process" "$f"
check_status "--keep-objects -N" 129 "$PERF" record --keep-objects -N -o x.data true
check_status "--keep-objects -o -" 129 "$PERF" record --keep-objects -o - true

# Another root without another mount namespace.
mkdir -p jail/app
ldd "$H/contained" | grep -o '/[^ ]*' | while read -r lib; do
	mkdir -p "jail${lib%/*}" && cp "$lib" "jail$lib"
done
cp "$H/contained" jail/app/prog
if chroot jail /app/prog 0 2>/dev/null; then
	rm -rf "$HOME/.debug"
	# Where the kernel says its path it is that within.
	"$PERF" record -e cpu-clock:u -F 500 -o jail.data -- \
		sh -c 'chroot jail /app/prog 60 & echo $! >pid
			until [ "$(readlink /proc/$!/exe)" = "$1" ]; do sleep 0.1; done
			sleep 0.3' - "$TMP/jail/app/prog" >rec.out 2>&1
	child=$(cat pid)
	named "chroot, while it lives" jail.data
	leave
	named "chroot, after its end" jail.data
else
	skip "chroot" "the program does not run there"
fi
done_testing
