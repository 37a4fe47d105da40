#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# embed.sh DIR: the page of `perf report --html` as C, on stdout: page.html up to its data and from
# there on, with style and script in it and their hashes in its policy. The scripts are put one behind
# the other, in the order of tsconfig.json, and nothing else is done to them.
set -eu
cd "$1"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# A hash as policies write it. 64 hexadecimal digits, three of them two digits of base64.
hash() {
	printf 'sha256-'
	sha256sum "$1" | awk '{
		d = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
		hex = substr($1, 1, 64) "00"
		for (i = 1; i <= 64; i += 3) {
			v = 0
			for (k = 0; k < 3; k++)
				v = v * 16 + index("0123456789abcdef", substr(hex, i + k, 1)) - 1
			out = out substr(d, int(v / 64) + 1, 1) substr(d, v % 64 + 1, 1)
		}
		printf "%s=\n", substr(out, 1, 43)
	}'
}

# Text as a string of C. Trigraphs are none in gnu17.
string() {
	sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/"&\\n"/' "$1"
}

names=$(sed -n 's/.*"files": \[\(.*\)\].*/\1/p' tsconfig.json | tr -d '",')
{
	printf '\n"use strict";\n(() => {\n'
	for name in $names; do
		cat "$name"
	done
	printf '})();\n'
} >"$tmp/script"
{
	echo
	cat page.css
} >"$tmp/style"
if grep -iqE '</(script|style)|<!--' "$tmp/script" "$tmp/style"; then
	echo 'embed.sh: a script or style would end its element early' >&2
	exit 1
fi
awk -v script="$(hash "$tmp/script")" -v style="$(hash "$tmp/style")" -v dir="$tmp" '
	function put(file, line) { while ((getline line <(dir "/" file)) > 0) print line >out }
	BEGIN { out = dir "/before" }
	{ sub(/@SCRIPT_HASH@/, script); sub(/@STYLE_HASH@/, style) }
	/@STYLE@/ { printf "<style>" >out; put("style"); print "</style>" >out; next }
	/@DATA@/ { out = dir "/after"; printf "<script>" >out; put("script"); print "</script>" >out; next }
	{ print >out }' page.html
echo '/* Made by tools/web/embed.sh. */'
echo 'static const char page_before_data[] ='
string "$tmp/before"
echo ';'
echo 'static const char page_after_data[] ='
string "$tmp/after"
echo ';'
