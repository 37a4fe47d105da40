#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Documentation/tour.adoc shows the screens that other tests hold, and names keys that there are; the README has
# pictures of them, which UPDATE=1 writes.
. "$(dirname "$0")/../lib.sh"
[ -e "$ROOT/Documentation/tour.adoc" ] || skip_all "the sources are not here"
need_cmd perl
need_cmd python3
cd "$ROOT" || exit 1

check "the screens of the tour are current" perl tests/helpers/tour.pl Documentation/tour.adoc
# The check can fail, and what it advises helps.
sed 's/^branchy  /other  /' Documentation/tour.adoc >"$TMP/tour.adoc"
check_status "a screen that is not" 1 perl tests/helpers/tour.pl "$TMP/tour.adoc"
like "is told by its name" "$(cat "$TMP/check.out")" 'not as tests/data/tui-annotate/first.txt'
perl tests/helpers/tour.pl --update "$TMP/tour.adoc"
same_file "and can be made so" "$TMP/tour.adoc" Documentation/tour.adoc

for picture in terminal-report:report-keys/unfolded terminal-annotate:tui-annotate/branches; do
	name=Documentation/${picture%%:*}.svg
	perl tests/helpers/screen-picture.pl "tests/data/${picture#*:}.txt" >"$TMP/picture.svg"
	[ -z "${UPDATE:-}" ] || cp "$TMP/picture.svg" "$name"
	same_file "$name is the screen of today" "$name" "$TMP/picture.svg"
	check "the README shows it" grep -qF "]($name)" README.md
done
like "a screen without colours is no picture" "$(perl tests/helpers/screen-picture.pl tests/data/tui-annotate/source.txt 2>&1)" 'no colours'
check "pictures are XML" python3 -S -c 'import sys, xml.dom.minidom
for name in sys.argv[1:]: xml.dom.minidom.parse(name)' Documentation/terminal-report.svg Documentation/terminal-annotate.svg
done_testing
