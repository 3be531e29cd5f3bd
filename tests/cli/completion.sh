#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion in bash, as bash calls it: each command, each option of each
# command's help, and the names that options and arguments take.
set -eu

fail() { echo "completion: $*"; exit 1; }

# shellcheck source=/dev/null
. "${top_srcdir:?}/completion/udpsim"
[[ $(complete -p udpsim) == *_udpsim* ]] || fail "no completion of udpsim"

# Sets `reply` to what is offered at the end of the words $@, a line each.
offer()
{
	COMP_WORDS=("$UDPSIM" "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_udpsim "$UDPSIM"
	reply=$(printf '%s\n' "${COMPREPLY[@]}")
}

# Holds what is offered against the lines $1: exactly these.
exactly()
{
	local wanted=$1

	shift
	offer "$@"
	[ "$wanted" ] || fail "the test wants nothing of: $*"
	[ "$(sort <<<"$reply")" = "$(sort <<<"$wanted")" ] ||
		fail "$*: offered $(tr '\n' ' ' <<<"$reply"), not" \
			"$(tr '\n' ' ' <<<"$wanted")"
}

COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'

commands=$("$UDPSIM" help | awk '/^Commands:/ { on = 1; next }
	on && /^  / { print $1 }')
exactly "$commands"$'\nhelp\n--help\n--version' ""
exactly compare com
exactly "$commands" help ""

# Each option, from nothing, and each by itself from all but its end.
options=0
for command in $commands; do
	mapfile -t long < <("$UDPSIM" "$command" --help |
		grep -oE '^  (-., )?--[^ ]+' | sed 's/.*--/--/; s/=.*/=/')
	[ "${#long[@]}" -ge 2 ] || fail "$command: no options in its help"
	exactly "$(printf '%s\n' "${long[@]}")" "$command" --
	for option in "${long[@]}"; do
		offer "$command" "${option%?}"
		grep -qxe "$option" <<<"$reply" || fail "$command: no $option"
		options=$((options + 1))
	done
done

list() { "$UDPSIM" list "$1" | awk '{ print $1 }'; }

what='scenarios machines kernels patches workloads metrics'
exactly "$(tr ' ' '\n' <<<"$what")" list ""
exactly "$(list scenarios)" run ""
exactly "$(list scenarios)" run --check -- ""
exactly "$(list scenarios)" validate -q ""
exactly "$(list scenarios)" explain --scenario ""
exactly "$(list kernels)" operation -k ""
exactly "$(list kernels)" layout --kernel = ""
exactly "$(list kernels)" layout --kernel =
exactly "$(list metrics)" compare -m ""
exactly "$(list machines)" run --set = scenario.machine = ""
exactly "$(list kernels)" run --set scenario.kernel = ""
exactly "$(list workloads)" run --set = workload.program = ""
exactly "$(list patches)" operation --patches = ""
exactly "$(list patches | sed 's/^/udp-hash2; -/')" \
	conflicts --patches = "'udp-hash2; -"
exactly $'always\nauto\nnever' lines --color = ""
exactly $'csv\nfolded\njson\npcapng\nperfetto' export -f ""
exactly $'inet\ninet6' conflicts --family = in
exactly $'U4SEND\nU4SEND_CONF' operation U4
exactly $'U4SEND\nU4SEND_CONF' verify --operation = U4
exactly $'send\nsendto\nsetsockopt\nsocket' conflicts s

# Where '=' parts no words, the whole word is put in.
COMP_WORDBREAKS=$' \t\n'
exactly "$(list kernels | sed 's/^/--kernel=/')" layout --kernel=

# What takes a number, or no value at all, offers nothing.
for words in "run --jobs=" "run --quiet=" "no-such-command -" "run --no-such="; do
	# shellcheck disable=SC2086 # several words
	offer $words
	[ -z "$reply" ] || fail "$words: offered $reply"
done
echo "completion: passed, $options options"
