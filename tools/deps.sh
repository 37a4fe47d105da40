#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# deps.sh [OUT]: installs the Debian packages that building and testing need and that are missing.
# Asks for root only then, and forgets what an earlier build in OUT found. On other systems it
# prints the list.
set -eu

build='gcc make pkg-config libelf-dev libdw-dev libtraceevent-dev libzstd-dev zlib1g-dev
libiberty-dev libcapstone-dev libzydis-dev libfdt-dev libunwind-dev libslang2-dev
libdebuginfod-dev liblzma-dev'
tests='g++ libcmocka-dev perl python3 device-tree-compiler asciidoctor clang libclang-rt-14-dev
gdb xz-utils valgrind linux-perf procps'
# Tools that read our profiles; their tests are skipped without them. Large, so only on request:
# make deps DEPS_CLIENTS=1
clients='bolt-19 llvm-19 autofdo'

if ! command -v dpkg-query >/dev/null 2>&1; then
	echo "deps: not a Debian system; the build uses these packages, under your system's names:"
	echo $build
	echo "deps: and the tests:"
	echo $tests
	exit 0
fi
missing=''
[ -n "${DEPS_CLIENTS:-}" ] || clients=''
for p in $build $tests $clients; do
	dpkg-query -W -f='${Status}\n' "$p" 2>/dev/null | grep -q 'ok installed' ||
		missing="$missing $p"
done
[ -n "$missing" ] || exit 0
echo "deps: installing$missing"
sudo=''
if [ "$(id -u)" -ne 0 ]; then
	sudo='sudo'
	command -v sudo >/dev/null 2>&1 || {
		echo "deps: root is needed; run: apt-get install$missing" >&2
		exit 1
	}
fi
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
# shellcheck disable=SC2086
$sudo apt-get install -y -qq --no-install-recommends $missing
rm -f "${1:-build}/config.mk"
