# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for perf: commands, options and their values come from the program itself.
function __perf_words
	set -l words (commandline -opc)
	set -l cur (commandline -ct)
	set -l perf $words[1]
	set -l list
	if test (count $words) -lt 2
		$perf help --list-cmds 2>/dev/null
		return
	end
	set -l prev $words[-1]
	set -l head ''
	if string match -qr -- '^--[^=]+=' $cur
		set prev (string replace -r -- '=.*' '' $cur)
		set head $prev=
	end
	if string match -q -- '-*' $prev
		set list ($perf help --list-values $words[2] -- $prev 2>/dev/null | string split -n ' ')
	else if test (count $words) -eq 2
		set list ($perf help --list-values $words[2] 2>/dev/null)
	end
	if test (count $list) -gt 0; and not string match -qr -- '^-[^=]*$' $cur
		# The last of a list.
		set -l before (string match -r -- '^.*,' $cur)
		test -n "$before"; and set head $before
		for word in $list
			echo $head$word
		end
	else if string match -q -- '-*' $cur
		$perf help --list-opts $words[2] 2>/dev/null
	else
		__fish_complete_path $cur
	end
end
complete -c perf -f -a '(__perf_words)'
