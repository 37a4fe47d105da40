#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# deps.sh [OUT [build]]: installs the Debian packages that building (alone, with "build") and testing
# need and that are missing. Asks for root only then, and forgets what an earlier build in OUT found.
# What cannot be had is named, and noted in OUT so that it is not tried each time; only what nothing
# works without is an error. On other systems it prints the list.
set -eu

out=${1:-build} what=${2:-all}
must='gcc make libelf-dev'
libs='pkg-config libdw-dev libtraceevent-dev libzstd-dev zlib1g-dev libdeflate-dev libiberty-dev libcapstone-dev
libzydis-dev libunwind-dev libfdt-dev libdebuginfod-dev liblzma-dev libslang2-dev
libarchive-dev libcurl4-openssl-dev libpq-dev'
must_tests='g++ libcmocka-dev perl python3'
tests='device-tree-compiler asciidoctor clang libclang-rt-dev gdb xz-utils zstd valgrind linux-perf
procps gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user libc6-i386 binutils-arm-linux-gnueabihf
libc6-armhf-cross'
# Tools that read our profiles; their tests are skipped without them. Large, so only on request:
# make deps DEPS_CLIENTS=1
clients='bolt-19 llvm-19 lld autofdo golang-go'
# The page of report --html in a browser, and what checks its script; on request, too:
# make deps DEPS_BROWSER=1. From npm, into OUT/npm: what drives the browser, tsc and eslint, and
# readers of what data convert writes for viewers.
browser='chromium'
command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || browser='chromium nodejs npm'
modules='playwright-core@1.65.1 typescript@5.9.3 eslint@9.39.1
pprof-format@2.3.2 protobufjs@8.8.1 speedscope@1.25.0 ajv@8.17.1 @firefox-devtools/profiler-cli@0.10.0'

# Engines that keep many recordings: readers of what data convert --to parquet writes, from npm; on request:
# make deps DEPS_ENGINES=1
# and servers; what their packages would start is held back.
readers='@duckdb/node-api@1.5.6-r.1'
engines='clickhouse-server clickhouse-client postgresql'
[ -n "${DEPS_ENGINES:-}" ] || engines=''
[ -n "${DEPS_ENGINES:-}" ] && modules="$modules $readers"

if [ "$what" = build ]; then
	must_tests='' tests='' clients='' browser='' engines=''
fi
[ -n "${DEPS_CLIENTS:-}" ] || clients=''
[ -n "${DEPS_BROWSER:-}" ] || browser=''
if ! command -v dpkg-query >/dev/null 2>&1; then
	echo "deps: not a Debian system; these packages are used, under your system's names:"
	echo $must $libs $must_tests $tests
	exit 0
fi

# lacking NAME...: those that are not installed
lacking() {
	for name in "$@"; do
		dpkg-query -W -f='${Status}\n' "$name" 2>/dev/null | grep -q 'ok installed' ||
			printf '%s ' "$name"
	done
}

# What is of npm, where it was asked for and is not there yet. Without it its tests are skipped.
npm_modules() {
	[ -n "$browser" ] || [ -n "${DEPS_ENGINES:-}" ] || return 0
	left=
	for name in $modules; do
		[ -d "$out/npm/node_modules/${name%@*}" ] || left=1
	done
	[ -n "$left" ] || return 0
	command -v npm >/dev/null 2>&1 || return 0
	mkdir -p "$out/npm"
	(cd "$out/npm" && npm install --no-save --ignore-scripts --no-audit --no-fund --silent $modules) ||
		echo "deps: npm has not installed $modules; the page is not tested in a browser" >&2
}
trap npm_modules EXIT

note=$out/deps.left-out
missing=''
for name in $(lacking $must $libs $must_tests $tests $clients $browser $engines); do
	grep -qxF "$name" "$note" 2>/dev/null || missing="$missing $name"
done
[ -n "$missing" ] || exit 0

# sudo drops the environment: what keeps debconf from asking goes behind it.
sudo=''
[ "$(id -u)" -eq 0 ] || sudo=sudo
apt() {
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 \
		-o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$@" </dev/null
}

if [ -z "$sudo" ] || command -v sudo >/dev/null 2>&1; then
	# Servers that are installed are not to run: invoke-rc.d asks this file, and 101 is no.
	if [ -n "$engines" ] && [ ! -e /usr/sbin/policy-rc.d ]; then
		printf '#!/bin/sh\nexit 101\n' | $sudo tee /usr/sbin/policy-rc.d >/dev/null
		$sudo chmod 755 /usr/sbin/policy-rc.d
		trap '$sudo rm -f /usr/sbin/policy-rc.d; npm_modules' EXIT
	fi
	apt update || echo "deps: apt-get update failed; going on with the lists that are there" >&2
	names=''
	for name in $missing; do
		! apt-cache show "$name" >/dev/null 2>&1 || names="$names $name"
	done
	echo "deps: installing$names"
	# One that does not install must not keep the others out.
	[ -z "$names" ] || apt install -y --no-install-recommends $names ||
		for name in $names; do
			apt install -y --no-install-recommends "$name" || true
		done
	rm -f "$out/config.mk"
else
	note=''
	echo "deps: root is needed, and there is no sudo; to install it all: apt-get install$missing" >&2
fi

left=$(lacking $missing)
[ -n "$left" ] || exit 0
echo "deps: not installed: $left" >&2
left_must=$(lacking $must $must_tests)
if [ -n "$left_must" ]; then
	echo "deps: nothing works without: $left_must" >&2
	exit 1
fi
echo "deps: going on without; what needs them is off or skipped" >&2
[ -n "$note" ] || exit 0
mkdir -p "$out"
printf '%s\n' $left >>"$note"
echo "deps: to try again: rm $note" >&2
