#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Includes between the rooms run one way:
#	udpsim.c -> { scenarios, analysis } -> stack -> sim
# and scenarios/ may use analysis/.  An include names a file from the top of the
# tree, so its first folder is the room, or one that lies beside it.  A wrong
# one fails the test, and tries on trees made for it show that it would.
set -eu

top_srcdir=${top_srcdir-.}

# Whether a file of one room may include one of another.
may_include()
{
	case $1:$2 in
	udpsim.c:scenarios | udpsim.c:analysis) ;;
	scenarios:scenarios | scenarios:analysis | scenarios:stack) ;;
	scenarios:sim) ;;
	analysis:analysis) ;;
	stack:stack | stack:sim) ;;
	sim:sim) ;;
	*) return 1 ;;
	esac
}

# Prints what is wrong in the tree at $1, one include a line; 1 if anything is.
check_tree()
{
	local top=$1 wrong=0 file line path room

	while IFS= read -r file; do
		room=${file%%/*}
		while IFS=: read -r line path; do
			case $path in
			*/*) may_include "$room" "${path%%/*}" && continue ;;
			*) continue ;;
			esac
			echo "$file:$line: includes \"$path\""
			wrong=1
		done < <(sed -nE \
			'/^[ \t]*#[ \t]*include[ \t]*"/ {
				s/^[^"]*"([^"]*)".*/\1/
				=
				p
			}' "$top/$file" | paste -d: - -)
	done < <(cd "$top" && find udpsim.c sim stack analysis scenarios \
		-name '*.[ch]' 2>/dev/null | LC_ALL=C sort)
	return $wrong
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail()
{
	echo "arrows.sh: $*" >&2
	exit 1
}

# A tree with one include: does check_tree() say what it should?
try()
{
	local verdict=$1 file=$2 include=$3 out

	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/$(dirname "$file")"
	printf '/* a file */\n%s\n' "$include" > "$tmp/tree/$file"
	if out=$(check_tree "$tmp/tree"); then
		[ "$verdict" = good ] || fail "not noticed: $file: $include"
	else
		[ "$verdict" = wrong ] || fail "taken for wrong: $out"
		[ "${out%%:*}" = "$file" ] || fail "the wrong file: $out"
		case $out in
		"$file:2: "*) ;;
		*) fail "the wrong line: $out" ;;
		esac
	fi
}

try good udpsim.c '#include "scenarios/commands.h"'
try good udpsim.c '#include "analysis/commands.h"'
try wrong udpsim.c '#include "stack/kernel.h"'
try wrong udpsim.c '#include "sim/machine.h"'
try good scenarios/a.c '#include "scenarios/run.h"'
try good scenarios/a.h '#include "analysis/results.h"'
try good scenarios/workloads/a.c '#include "stack/kernel.h"'
try good scenarios/a.c '#include "sim/machine.h"'
try good analysis/a.c '#include "analysis/results.h"'
try wrong analysis/a.c '#include "scenarios/run.h"'
try wrong analysis/a.h '#include "stack/kernel.h"'
try wrong analysis/a.c '#include "sim/machine.h"'
try good stack/net/ipv4/a.c '#include "stack/kernel.h"'
try good stack/a.h '#include "sim/machine.h"'
try wrong stack/a.c '#include "scenarios/run.h"'
try wrong stack/net/a.c '#include "analysis/results.h"'
try good sim/a.c '#include "sim/machine.h"'
try wrong sim/a.c '#include "stack/kernel.h"'
try wrong sim/a.h '#include "scenarios/run.h"'
try wrong sim/a.c '  #  include	"analysis/results.h" /* why */'
try good sim/a.c '#include "machine.h"'
try wrong sim/a.c '#include "../stack/kernel.h"'
try wrong stack/a.c '#include "tests/stack/net_support.h"'
# Those of the system are nobody's room.
try good sim/a.c '#include <glib.h>'

[ -f "$top_srcdir/udpsim.c" ] || fail "no udpsim.c in $top_srcdir"
files=$(cd "$top_srcdir" && find udpsim.c sim stack analysis scenarios \
	-name '*.[ch]' | wc -l)
[ "$files" -gt 50 ] || fail "only $files files found"
if ! out=$(check_tree "$top_srcdir"); then
	echo "$out"
	fail "includes that point the wrong way"
fi
echo "PASS: the includes of $files files"
