# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for perf: commands and options come from the program itself.
_perf() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} perf=${COMP_WORDS[0]}
	local words
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		words=$("$perf" help --list-cmds 2>/dev/null)
	elif [ "${COMP_WORDS[1]}" = help ]; then
		words=$("$perf" help --list-cmds 2>/dev/null)
	elif [[ $cur == -* ]]; then
		words=$("$perf" help --list-opts "${COMP_WORDS[1]}" 2>/dev/null)
	elif [[ $prev == -e || $prev == --event ]]; then
		words=$("$perf" list --raw-dump 2>/dev/null)
	elif [[ $prev == -w ]]; then
		words=$("$perf" test --list-workloads 2>/dev/null | cut -d' ' -f1)
	fi
	if [ -n "$words" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
}
complete -o default -F _perf perf
