#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A run, its comparison, and the same figures from plain sqlite3; the JSON that
# scripts rely on; results do not depend on the number of workers.
set -eu

command -v sqlite3 >/dev/null || { echo "SKIP: no sqlite3"; exit 77; }
seed=$top_srcdir/scenarios/seeds/neigh-confirmed.scenario
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

"$UDPSIM" run "$seed" --scale 0.0005 --set scenario.repeat=2 -j 2 -o r.db
"$UDPSIM" compare r.db >table
cat table
grep -q '^neigh-confirmed  elapsed_s ' table
grep -q 'scale 0.0005' table

sqlite3 r.db "select * from comparison where metric = 'elapsed_s'" >row
sqlite3 r.db "select printf('%.3f %.3f %.3f %.3f', before, after,
	published_before, published_after) from comparison
	where metric = 'elapsed_s'" >figures
read -r before after published_before published_after <figures
for figure in "$before" "$after" "$published_before" "$published_after"; do
	grep -q "$figure" table || { echo "$figure is not in the table"; exit 1; }
done

"$UDPSIM" compare --json r.db >json
for key in experiments rows row metric published_before published_after \
	published_delta_pct before after delta_pct error_points noise_pct; do
	grep -q "\"$key\"" json || { echo "no $key in the JSON"; exit 1; }
done

# Each datagram counted once, by the kernel's own counters.
test "$(sqlite3 r.db "select distinct value from snmp
	where name = 'UdpOutDatagrams'")" = 24000

# The workers' number changes nothing; nor does a progress line or its lack.
"$UDPSIM" run "$seed" --scale 0.0005 --set scenario.repeat=2 -j 1 -q -o s.db
test "$("$UDPSIM" digest r.db)" = "$("$UDPSIM" digest s.db)"

# --check finds nothing in the shipped scenario, and changes no result.
"$UDPSIM" run "$seed" --scale 0.0002 --set scenario.repeat=1 -q -o a.db
"$UDPSIM" run "$seed" --scale 0.0002 --set scenario.repeat=1 -q --check -o b.db
test "$("$UDPSIM" digest a.db)" = "$("$UDPSIM" digest b.db)"
echo "compare: passed"
