#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run: first
# What valgrind.sh does, by report.
VALGRIND_FIRST='report --stdio --symfs /nonexistent' VALGRIND_SECOND='report -D --symfs /nonexistent'
. "$(dirname "$0")/valgrind.sh"
