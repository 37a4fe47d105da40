#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings with SIMD register blocks that another program wrote by the format, with the values
# that went in beside them: both printers show exactly those, in either byte order.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
python3 "$ROOT/tests/system/simd-files.py" "$PERF" "$ROOT/../shared" "$TMP"
