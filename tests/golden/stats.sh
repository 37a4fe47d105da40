#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# report --stats of real recordings against recorded outputs of an upstream perf.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
fx=$(fixtures) || skip_all "no ../shared/fixtures in a stranger's clone"
exec python3 "$ROOT/tests/golden/dump.py" "$PERF" "$fx" stats
