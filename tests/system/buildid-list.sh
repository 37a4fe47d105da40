# SPDX-License-Identifier: GPL-2.0-or-later
# Build ids of recordings, as stored and as hit, beside an installed perf's.
. "$(dirname "$0")/../lib.sh"
D=$ROOT/tests/data/perf

is "stored in a file of the other byte order" \
	"$("$PERF" buildid-list -i "$D/s390x-basic.data" | sed 1q | wc -c | awk '{ print ($1 > 42) }')" 1
is "records of a pipe" "$("$PERF" buildid-list -i - <"$D/s390x-pipe.data")" \
	"$("$PERF" buildid-list -i "$D/s390x-pipe.data")"
is "a program's own" "$("$PERF" buildid-list -i "$PERF_FILE")" \
	"$(readelf -n "$PERF_FILE" 2>/dev/null | sed -n 's/.*Build ID: //p')"
like "-v says more" "$("$PERF" buildid-list -v -i "$D/s390x-basic.data" 2>&1 >/dev/null)" '^sandbox: '
check_status "wrong option" 129 "$PERF" buildid-list --no-such
check_status "junk" 1 "$PERF" buildid-list -i "$ROOT/README.md"

all=$("$PERF" buildid-list -i "$D/s390x-basic.data")
hits=$("$PERF" buildid-list -H -i "$D/s390x-basic.data")
is "what was hit is among what is stored" \
	"$(printf '%s\n%s\n' "$all" "$hits" | sort -u)" "$(printf '%s\n' "$all" | sort -u)"

# Pieces of a recording, read by sessions with machines of their own, hit together what it hit.
for f in "$D"/*.data; do
	"$PERF" buildid-list -H -i "$f" >"$TMP/whole" 2>"$TMP/err" || continue
	"$PERF" buildid-list -H -i "$f" --pieces 2 >"$TMP/pieces" 2>"$TMP/err"
	cmp -s "$TMP/whole" "$TMP/pieces" || basename "$f"
done >"$TMP/differ"
is "hits of pieces add up" "$(cat "$TMP/differ")" ""

# The running kernel and its modules.
kernel=$("$PERF" buildid-list -k 2>/dev/null)
if [ -n "$kernel" ]; then
	like "-m: the kernel's line" "$("$PERF" buildid-list -m 2>/dev/null | grep -F '[kernel.kallsyms]')" \
		"^$kernel +[0-9a-f]+ +[0-9a-f]+ \\[kernel\\.kallsyms\\]\$"
	is "-m: no module without build id and path" "$("$PERF" buildid-list -m 2>/dev/null |
		grep -Ev '^[0-9a-f]{40} +[0-9a-f]+ +[0-9a-f]+ [^ ]+$')" ""
else
	skip "-m" "the running kernel has no build id"
fi
if [ -n "$PEER" ] && [ -n "$kernel" ] && [ "$(id -u)" -eq 0 ]; then
	is "-m: the kernel as the installed perf" \
		"$("$PERF" buildid-list --kernel-maps 2>/dev/null | grep kallsyms)" \
		"$("$PEER" buildid-list -m 2>/dev/null | grep kallsyms)"
else
	skip "-m: the kernel as the installed perf" "needs root and an installed perf"
fi

if [ -n "$PEER" ]; then
	for f in s390x-basic armhf-uregs ppc64le-phys i386-breakpoint arm64-zstd armhf-cgroup; do
		is "$f: as the installed perf" "$("$PERF" buildid-list -i "$D/$f.data" | sort)" \
			"$("$PEER" buildid-list -i "$D/$f.data" 2>/dev/null | sort)"
	done
else
	skip "as the installed perf" "$NO_PEER"
fi
done_testing
