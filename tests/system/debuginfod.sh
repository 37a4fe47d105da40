#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Debug files from a server: a real one, on this machine's loopback, with the debug file of a stripped
# program.
. "$(dirname "$0")/../lib.sh"
need_root
need_events
need_cc
need_cmd objcopy strip readelf debuginfod curl
has_debuginfod || skip_all "no libdebuginfod"
cd "$TMP" || exit 1
cat >spin.c <<'EOS'
volatile long sum;
static void __attribute__((noinline)) fetched_name(void) { for (long i = 0; i < 200000000; i++) sum += i; }
int main(void) { fetched_name(); return 0; }
EOS
mkdir served
$CC -g -O1 -Wl,--build-id -o spin spin.c || skip_all "no working compiler"
objcopy --only-keep-debug spin served/spin.debug
strip -s spin
"$PERF" record -q -e cpu-clock -F 500 -o a.data -- ./spin >out 2>&1 || skip_all "cannot record here"
unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
id=$(readelf -n spin | awk '/Build ID/ { print $3 }')
serves() { # whether it has the file, or has ended
	curl -s -f -o /dev/null "http://127.0.0.1:$port/buildid/$id/debuginfo" || ! kill -0 $server
}
# Somebody else may have the port, and then another one is tried.
for i in 1 2 3 4 5; do
	port=$((20000 + ($$ + i * 1013) % 20000))
	debuginfod -p $port -d :memory: -F served >server.log 2>&1 &
	server=$!
	trap 'kill $server 2>/dev/null; rm -rf "$TMP"' EXIT
	wait_for serves || skip_all "the server does not answer: $(tail -1 server.log)"
	kill -0 $server 2>/dev/null && break
done
kill -0 $server 2>/dev/null || skip_all "the server does not run: $(head -1 server.log)"
export DEBUGINFOD_CACHE_PATH="$TMP/cache"
unlike "unasked: no names" "$(DEBUGINFOD_URLS=http://127.0.0.1:$port "$PERF" report -i a.data -s sym 2>&1)" 'fetched_name'
like "--debuginfod=URL" "$("$PERF" report -i a.data -s sym --debuginfod=http://127.0.0.1:$port 2>&1)" \
	'\[\.\] fetched_name'
rm -rf cache
like "--debuginfod: the environment's server" \
	"$(DEBUGINFOD_URLS=http://127.0.0.1:$port "$PERF" script -i a.data -F ip,sym --debuginfod 2>&1)" ' fetched_name'
like "lines come from it too" "$("$PERF" script -i a.data -F ip,srcline --debuginfod=http://127.0.0.1:$port 2>&1)" \
	'^ +spin\.c:2$'
mv spin gone
like "... with the debug file alone: the program is not here" \
	"$("$PERF" report -i a.data -s sym --debuginfod=http://127.0.0.1:$port 2>&1)" '\[\.\] fetched_name'
mv gone spin
rm -rf cache
kill $server
wait $server 2>/dev/null
like "no server: the report comes all the same" \
	"$("$PERF" report -i a.data -s dso --debuginfod=http://127.0.0.1:$port 2>&1)" '%  spin'
done_testing
