#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What every command that reads samples has in common: which samples are left out, how words that
# mean nothing are refused, chains whose user part comes later.
. "$(dirname "$0")/../lib.sh"
made_file deferred-stacks "$TMP/deferred.data" ||
	skip_all "the recording cannot be written"
cd "$TMP" || exit 1

# Chains of report as "own caller caller ...", a row each.
chains() {
	"$PERF" report -i deferred.data --stdio --no-children -g "$@" 2>&1 |
		awk '$1 ~ /%$/ { if (s) print s; s = $2 } /0x/ && $1 !~ /%$/ { sub(/.*---/, ""); s = s " " $1 }
			END { if (s) print s }'
}
is "report -g: chains are completed by cookie and thread" "$(chains callee)" \
	":10 0xffffffff81000001 0x1010 0x2020
:10 0xffffffff81000003 0x1010 0x2020
:11 0xffffffff81000002 0x3030
:12 0xffffffff81000004"
is "report --children: callers are rows" \
	"$("$PERF" report -i deferred.data --stdio --children -g none -s sym -F overhead_children,sym |
		awk '/^ / { print $1, $NF }' | sort -k2)" \
	"50.00% 0x0000000000001010
50.00% 0x0000000000002020
25.00% 0x0000000000003030
25.00% 0xffffffff81000001
25.00% 0xffffffff81000002
25.00% 0xffffffff81000003
25.00% 0xffffffff81000004"

# A list of ids takes numbers.
for c in report script "data convert --to folded" "data convert --check"; do
	for o in "--pid abc" "--tid 10,x" "--tid 99999999999" "--pid=10x" "-C 1-x" "--symfs /x,square"; do
		$PERF $c -i deferred.data $o >out 2>err
		is "$c $o is a usage error" "$?" 129
		is "and nothing is printed but that" "$(cat out; wc -l <err | tr -d ' ')" 1
	done
	like "$c: the word is named" "$("$PERF" $c -i deferred.data --tid 10,x 2>&1)" "^Invalid tid 'x'$"
	$PERF $c -i deferred.data -e nothing >out 2>err
	[ $? != 0 ] && [ ! -s out ]
	is "$c: an event that is not there is refused" "$?" 0
	like "and it says so" "$(cat err)" "no event 'nothing'"
done
is "--pid and --tid together: what is of both" \
	"$("$PERF" report -i deferred.data --stdio -s tid -F sample,tid --pid 10 --tid 11,12 -g none |
		awk '/^ / { print $1, $2 }')" "1 11::11
1 12::12"
# Chains of both formats that are made of stacks.
is "folded: chains are completed" "$("$PERF" data convert --to folded -i deferred.data 2>/dev/null | sort)" \
	":10;[unknown];[unknown];[unknown] 200000
:11;[unknown];[unknown] 100000
:12;[unknown] 100000"
ips() {
	"$PERF" data convert --to json -i deferred.data "$@" 2>/dev/null | tr -d ' \n' |
		grep -o '"tid":[0-9]*\|"ip":"[^"]*"' | sed 's/.*:"*//; s/"//' | tr '\n' ' '
}
is "json: chains are completed" "$(ips)" "10 0xffffffff81000001 0x1010 0x2020 \
10 0xffffffff81000003 0x1010 0x2020 11 0xffffffff81000002 0x3030 12 0xffffffff81000004 "
is "json --max-stack" "$(ips --max-stack 2)" "10 0xffffffff81000001 0x1010 \
10 0xffffffff81000003 0x1010 11 0xffffffff81000002 0x3030 12 0xffffffff81000004 "
is "json --tid" "$(ips --tid 11,12)" "11 0xffffffff81000002 0x3030 12 0xffffffff81000004 "
is "json --comms" "$(ips --comms :12)" "12 0xffffffff81000004 "
is "json -S, by address" "$(ips -S ffffffff81000002)" "11 0xffffffff81000002 0x3030 "
is "json -e" "$(ips -e cycles --time 0.000005,)" "12 0xffffffff81000004 "

# A choice of CPUs where none was recorded is refused by all alike, not answered with nothing.
for c in report script "data convert --to folded" "data convert --check"; do
	$PERF $c -C 0 -i deferred.data >out 2>err
	[ $? != 0 ] && [ ! -s out ]
	is "$c -C without CPUs" "$?" 0
	like "and it says so" "$(cat err)" 'File does not contain CPU events'
done

# --symfs: objects of a profile for an optimizer come from there, too.
if [ -x "$O/tests/bench/gen" ] && cp "$PERF" there 2>/dev/null && mkdir -p fs &&
	"$O/tests/bench/gen" branches branches.data 100 8 "$TMP/there" 2>/dev/null; then
	functions() {
		"$PERF" data convert --check -i branches.data "$@" 2>/dev/null | awk '/there/ { print ($8 > 0) }'
	}
	mv there fs/
	is "the object is not where it was recorded" "$(functions)" 0
	is "but below --symfs" "$(functions --symfs "$TMP/fs,flat")" 1
	"$PERF" data convert --to autofdo -i branches.data --symfs "$TMP/fs,flat" >out 2>err
	is "a profile is made of it" "$? $([ -s out ] && echo text)" "0 text"
fi
done_testing
