#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A field that is read at each send is planted beside one that all CPUs write:
# `lines` finds it, and the override that it prints removes it.
set -eu

command -v sqlite3 >/dev/null || { echo "SKIP: no sqlite3"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "$1"; exit 1; }
ns() { sqlite3 "$1" "select value from metric where name = 'ns_per_op'"; }

cp "$top_srcdir/scenarios/seeds/neigh-confirmed.scenario" clean.scenario
{
	cat clean.scenario
	printf '\n[layout]\nneighbour.nud_state = offset 12\n'
} >planted.scenario
run() {
	"$UDPSIM" run "$@" --variant before --scale 0.0005 \
		--set scenario.repeat=1 -q
}
run clean.scenario -o clean.db
run planted.scenario -o planted.db

"$UDPSIM" lines planted.db >text
head -12 text
grep -q 'neighbour, line 0: false sharing' text || fail "not found"
override=$(sed -n "s/^try: --set '\(layout.neighbour.*\)'\$/\1/p" text)
test "$override" = 'layout.neighbour.nud_state=own line' ||
	fail "other override: $override"
"$UDPSIM" lines clean.db >text
if grep -q 'neighbour.*false sharing' text; then fail "found without the plant"; fi

run planted.scenario --set "$override" -o parted.db
"$UDPSIM" lines parted.db >text
if grep -q 'neighbour.*false sharing' text; then fail "still there"; fi
test "$(sqlite3 :memory: "select $(ns parted.db) < $(ns planted.db)")" = 1 ||
	fail "no gain: $(ns planted.db) to $(ns parted.db)"

# What --try prints is what the run of our own gave.
"$UDPSIM" lines --try planted.db >text
want=$(sqlite3 :memory: "select printf('tried: ns_per_op %.2f, %.2f with it: '
	|| '%+.2f ns,', b, a, a - b)
	from (select $(ns planted.db) as b, $(ns parted.db) as a)")
tail -1 text
grep -qF "$want" text || fail "not: $want"

# The JSON has the figures of the record.
"$UDPSIM" lines --json -n 1 planted.db >json
test "$(sqlite3 :memory: "select json_extract(readfile('json'),
	'\$.lines[0].stall_ps')")" = "$(sqlite3 planted.db "select max(stall_ps)
	from line")" || fail "stall"
test "$(sqlite3 :memory: "select json_extract(readfile('json'),
	'\$.lines[0].part[0]')")" = nud_state || fail "part"

for wrong in "--run 9" "--limit=-1" "--run=-1" "planted.db"; do
	status=0
	# shellcheck disable=SC2086
	"$UDPSIM" lines $wrong planted.db >out 2>err || status=$?
	test "$status" = 2 || fail "lines $wrong: status $status"
	test ! -s out || fail "lines $wrong: output"
done
echo "lines: passed"
