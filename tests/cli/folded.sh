#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The folded stacks of a run: each function of the record, no nanosecond more or
# less than the record has, and that is the time that the CPU was busy.
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

die()
{
	echo "folded: $*"
	exit 1
}

"$UDPSIM" run udpflood --set workload.threads=1 --set scenario.repeat=1 \
	--scale 0.01 -q -o r.db
"$UDPSIM" export --format folded r.db >f
grep -qvE '^[A-Za-z0-9_.]+(;[A-Za-z0-9_.]+)* [1-9][0-9]*$' f &&
	die "not a stack and a number: $(grep -vE '^[^ ]+ [0-9]+$' f | head -1)"
total=$(awk '{ sum += $NF } END { print sum }' f)
wanted=$(sqlite3 r.db 'SELECT sum(instruction_ps + stall_ps) / 1000 FROM function')
[ "$total" -eq "$wanted" ] || die "$total ns, but the record has $wanted"

# Leaves by name against the record, which other columns were made from.
awk '{ n = split($1, path, ";"); ns[path[n]] += $NF }
	END { for (name in ns) print name, ns[name] }' f | sort >leaves
sqlite3 -separator ' ' r.db 'SELECT name, sum(instruction_ps + stall_ps) / 1000
	FROM function GROUP BY name HAVING sum(instruction_ps + stall_ps) >= 1000' |
	sort >names
join -a 2 names leaves | awk '$3 - $2 > 100 || $2 - $3 > 100 {
	print; bad = 1 } END { exit bad }' || die "other functions"

# One thread that never waits: the clock of its loop is the time of its CPU.
busy=$(sqlite3 r.db "SELECT CAST(value * operations AS INTEGER)
	FROM metric JOIN run ON run.id = run WHERE name = 'ns_per_op'")
udpflood=$(awk '/^udpflood[; ]/ { sum += $NF } END { print sum }' f)
echo "folded: $udpflood ns in the thread's functions, $busy ns by its clock"
awk -v a="$udpflood" -v b="$busy" \
	'BEGIN { exit !(a > b * 0.999 && a < b * 1.001) }' ||
	die "the stacks do not account for the CPU"
echo "folded: passed"
