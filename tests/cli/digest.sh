#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Same input, same bits: two runs give one digest, and it is the golden one,
# whatever compiler, optimisation or sanitizer built this program.  A change
# that moves it says why in its commit and writes the new one:
#	UDPSIM_WRITE_GOLDEN=1 make check TESTS=tests/cli/digest.sh
set -eu

golden=$top_srcdir/tests/cli/golden-digest
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

for db in a.db b.db; do
	"$UDPSIM" run "$top_srcdir/tests/cli/golden.scenario" -q -o $db
done
a=$("$UDPSIM" digest a.db)
b=$("$UDPSIM" digest b.db)
echo "digest $a"
[ "$a" = "$b" ] || { echo "two runs differ: $b"; exit 1; }
if [ "${UDPSIM_WRITE_GOLDEN-}" ]; then
	echo "$a" >"$golden"
fi
[ "$a" = "$(cat "$golden")" ] ||
	{ echo "golden $(cat "$golden")"; exit 1; }
