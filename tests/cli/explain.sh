#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The account adds up to the difference that `compare` shows, cut short or not;
# it names the field that the patch is about; wrong use is refused.
set -eu

command -v sqlite3 >/dev/null || { echo "SKIP: no sqlite3"; exit 77; }
seed=$top_srcdir/scenarios/seeds/neigh-confirmed.scenario
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "$1"; exit 1; }

"$UDPSIM" run "$seed" --scale 0.0005 --set scenario.repeat=2 -q -o r.db
"$UDPSIM" explain r.db >text
cat text
"$UDPSIM" explain --json -n 0 r.db >all.json
"$UDPSIM" explain --json -n 3 r.db >three.json

delta=$(sqlite3 r.db "select printf('%.6f', after - before) from comparison
	where metric = 'ns_per_op'")
for json in all three; do
	sum=$(sqlite3 :memory: "with e (j) as (select json_extract(
		readfile('$json.json'), '\$.explanations[0]'))
		select printf('%.6f', total(json_extract(value, '\$.delta_ns'))
		+ json_extract(j, '\$.residue_ns'))
		from e, json_each(j, '\$.rows')")
	test "$sum" = "$delta" || fail "$json: $sum is not $delta"
done
test "$(sqlite3 :memory: "select json_array_length(readfile('three.json'),
	'\$.explanations[0].rows')")" = 4 || fail "not three rows and the rest"
test "$(sqlite3 :memory: "select json_extract(readfile('all.json'),
	'\$.explanations[0].residue_pct') < 1")" = 1 || fail "residue"

# The largest row is the patch's field, with the stall that the record has.
top=$(sqlite3 :memory: "select printf('%s %s %.6f',
	json_extract(j, '\$.kind'), json_extract(j, '\$.name'),
	json_extract(j, '\$.before_ns')) from (select json_extract(
	readfile('all.json'), '\$.explanations[0].rows[0]') as j)")
stall=$(sqlite3 r.db "select printf('%.6f', stall_ns_per_op) from hot_field
	where run = 1 and type = 'neighbour' and field = 'confirmed'")
test "$top" = "stall neighbour.confirmed $stall" || fail "first: $top"
grep -q 'ns (.* %) an operation faster' text || fail "no summary"

# Turned round, the same figures with the other sign; by the runs' numbers.
"$UDPSIM" explain --before 2 --after 1 r.db | grep -q 'an operation slower' ||
	fail "not slower"

"$UDPSIM" explain --color=always r.db | grep -q $'\033\\[3' || fail "no color"
if "$UDPSIM" explain r.db | grep -q $'\033'; then fail "color in a pipe"; fi

refused() {
	local status=0

	"$UDPSIM" explain "$@" >out 2>err || status=$?
	test "$status" = 2 || fail "explain $*: status $status"
	test ! -s out && test -s err || fail "explain $*: output"
}
refused --before 1 r.db
refused --before 1 --after 9 r.db
refused --color=blue r.db
refused --limit=-1 r.db
refused --scenario none r.db
refused r.db r.db
echo "explain: passed"
