#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Documentation/tour.adoc shows the screens that other tests hold, and names keys that there are.
. "$(dirname "$0")/../lib.sh"
[ -e "$ROOT/Documentation/tour.adoc" ] || skip_all "the sources are not here"
need_cmd perl
cd "$ROOT" || exit 1

check "the screens of the tour are current" perl tests/helpers/tour.pl Documentation/tour.adoc
# The check can fail, and what it advises helps.
sed 's/^branchy  /other  /' Documentation/tour.adoc >"$TMP/tour.adoc"
check_status "a screen that is not" 1 perl tests/helpers/tour.pl "$TMP/tour.adoc"
like "is told by its name" "$(cat "$TMP/check.out")" 'not as tests/data/tui-annotate/first.txt'
perl tests/helpers/tour.pl --update "$TMP/tour.adoc"
same_file "and can be made so" "$TMP/tour.adoc" Documentation/tour.adoc
done_testing
