#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fetches what tests/system/big-endian.sh needs, on Debian and as root: qemu-user, a compiler for
# s390x, and that architecture's libelf, unpacked below $O/s390x so that nothing else changes.
set -eu
O=${O:-build}
root=$O/s390x
mkdir -p "$root/debs"
root=$(cd "$root" && pwd)
dpkg --add-architecture s390x
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
	qemu-user-static gcc-s390x-linux-gnu libc6-dev-s390x-cross
(
	cd "$root/debs"
	apt-get download libelf-dev:s390x zlib1g-dev:s390x
	for d in *.deb; do dpkg -x "$d" ..; done
)
dpkg --remove-architecture s390x
apt-get update -qq
