#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record as a user without privileges: what still works, and what the refusals say.
. "$(dirname "$0")/../lib.sh"
need_root
need_events
need_cmd su
id nobody >/dev/null 2>&1 || skip_all "there is no user nobody"
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
[ "$paranoid" -eq 2 ] || skip_all "kernel.perf_event_paranoid is $paranoid, not 2"
chmod 755 "$TMP"
mkdir "$TMP/nobody"
chmod 777 "$TMP/nobody"
cp "$PERF" "$TMP/nobody/perf"
su nobody -s /bin/sh -c "'$TMP/nobody/perf' version" >/dev/null 2>&1 ||
	skip_all "user nobody cannot run programs in $TMP"

nobody() {
	su nobody -s /bin/sh -c "cd '$TMP/nobody' && ulimit -l 64 && rm -f x.data && ./perf $*" 2>&1
}

out=$(nobody record -F 1000 -e cpu-clock -o x.data ./perf test -w noploop 0.3)
is "a program of one's own is recorded" $? 0
like "user space only, and that is said" "$out" 'perf_event_paranoid is 2: recording user space only'
unlike "hidden kernel addresses are no matter then" "$out" 'addresses are hidden'
is "the event is called so" "$(su nobody -s /bin/sh -c "cd '$TMP/nobody' && ./perf evlist -i x.data" 2>&1)" 'cpu-clock:u'
nobody record -q -F 1000 -e cpu-clock:u -o x.data ./perf test -w noploop 0.3 >/dev/null
like "with its symbols" "$("$PERF" script --force -i "$TMP/nobody/x.data" -F ip,sym 2>/dev/null)" noploop
like "the kernel is refused" "$(nobody record -e cpu-clock:k -o x.data true)" 'sampling the kernel needs CAP_PERFMON'
like "all processes are refused" "$(nobody record -e cpu-clock -a -o x.data true)" 'watching all processes .* kernel.perf_event_paranoid <= 0 \(it is 2\)'
like "somebody else's process is refused" "$(nobody record -e cpu-clock:u -p 1 -o x.data true)" 'process 1 may not be watched'
like "large rings are refused" "$(nobody record -e cpu-clock:u -m 16384 -o x.data true)" 'kernel.perf_event_mlock_kb'
like "too few descriptors" "$(su nobody -s /bin/sh -c "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n 7; cd '$TMP/nobody'; ./perf record -e cpu-clock:u,faults:u,cs:u,minor-faults:u -o x.data true" 2>&1)" 'too many open files.*limit is 7'
check "no refusal leaves a file" test ! -e "$TMP/nobody/x.data"
done_testing
