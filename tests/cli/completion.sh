#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# bash completes each command, each option of each command's --help, and names.
set -eu

fail() { echo "$*"; exit 1; }

. "$top_srcdir/completion/udpsim"
program=$(basename "$UDPSIM")
PATH=$(dirname "$UDPSIM"):$PATH

# What is offered for these words, of which the last is to be completed.
offered()
{
	COMP_WORDS=("$program" "$@")
	COMP_CWORD=$#
	_udpsim
	printf '%s\n' "${COMPREPLY[@]}"
}

has() # WORD, the words before it...
{
	local word=$1

	shift
	grep -qxF -- "$word" <(offered "$@") ||
		fail "'$word' is not offered after: $*"
}

commands=$("$UDPSIM" help | awk '/^Commands:/ { on = 1; next } !NF { on = 0 }
	on { print $1 }')
test "$(wc -w <<<"$commands")" -ge 10 || fail "too few commands: $commands"
options=0
for command in $commands; do
	has "$command" "${command:0:1}"
	for option in $("$UDPSIM" "$command" --help |
			grep -oE '^  (-[A-Za-z], )?--[a-z-]+=?' | tr -d ' ' | tr , ' '); do
		has "$option" "$command" "${option%"${option#??}"}"
		options=$((options + 1))
	done
done
test "$options" -ge 60 || fail "only $options options"

has neigh-confirmed run neigh
has linux-6.1 layout --kernel = linux-6
has linux-6.1 layout -k linux-6
has udp-early-demux operation --patches = udp-early
has always compare --color = al
has perfetto export --format = p
has kernels list k
has explain help ex
test -z "$(offered compare nothing-like-this)" || fail "a name out of nothing"
echo "OK: $(wc -w <<<"$commands") commands, $options options"
