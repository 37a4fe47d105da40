# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for perf: commands, options and their values come from the program itself.
_perf() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} perf=${COMP_WORDS[0]}
	local command=${COMP_WORDS[1]} words='' head=''
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		words=$("$perf" help --list-cmds 2>/dev/null)
	else
		# bash makes words of their own of "=" and ":".
		[[ $cur == = ]] && cur=
		[[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}
		if [[ $prev == -* ]]; then
			words=$("$perf" help --list-values "$command" -- "$prev" 2>/dev/null)
		elif [ "$COMP_CWORD" -eq 2 ]; then
			words=$("$perf" help --list-values "$command" 2>/dev/null)
		fi
		if [[ $cur == -* ]]; then
			words=$("$perf" help --list-opts "$command" 2>/dev/null)
		elif [[ -n $words && $cur == *,* ]]; then # the last of a list
			head=${cur%,*},
			cur=${cur##*,}
		fi
	fi
	if [ -n "$words" ]; then
		mapfile -t COMPREPLY < <(compgen -P "$head" -W "$words" -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
}
complete -o default -F _perf perf
