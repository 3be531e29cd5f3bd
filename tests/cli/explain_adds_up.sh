#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Of each published experiment, small: the rows of `explain` and the difference
# of ns_per_op agree, in the record, to the picosecond, the threads' time is
# what the calling tree and the CPUs' times come to, and the folded stacks of
# each run are the time that its CPUs were busy, to the nanosecond.
set -eu

command -v sqlite3 >/dev/null || { echo "SKIP: no sqlite3"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "$1"; exit 1; }

# Every run: its id and what is wrong with it, nothing where all is right.
check="with tree as (select run, sum(instruction_ps + stall_ps) as all_ps,
	sum(stall_ps) as stall_ps from function group by run),
field as (select run, sum(stall_ps) as stall_ps from field_access group by run),
waited as (select run, sum(time_ps) as ps from wait group by run),
cpu as (select run, sum(threads * elapsed_ps) as threads_ps,
	sum(busy_ps + outside_ps) as work_ps, sum(outside_ps) as outside_ps,
	sum(exit_ps) as exit_ps,
	sum(idle_ps - (1 - threads) * elapsed_ps) as waiting_ps,
	max(abs(elapsed_ps - busy_ps - exit_ps - idle_ps)) as unlike,
	min(busy_ps) as least_busy, min(idle_ps) as least_idle,
	max(elapsed_ps) - min(elapsed_ps) as uneven
	from cpu_time group by run)
select run, case
	when tree.all_ps <> work_ps then 'work ' || (tree.all_ps - work_ps)
	when tree.stall_ps <> field.stall_ps + waited.ps
	then 'stalls ' || (tree.stall_ps - field.stall_ps - waited.ps)
	when threads_ps <> tree.all_ps - outside_ps + exit_ps + waiting_ps
	then 'the account'
	when unlike or uneven then 'a CPU'
	when least_busy < -10000000 or least_idle < -10000000
	then 'a time below 0' end as wrong
from tree join field using (run) join waited using (run) join cpu using (run)
where wrong is not null"

# The busy time: that of the measured time, and what was charged outside it.
folded_is_busy()
{
	local run busy total

	while read -r run busy; do
		total=$("$UDPSIM" export --format folded --run "$run" r.db |
			awk '{ sum += $NF } END { printf "%d", sum }')
		test "$total" -eq "$busy" ||
			fail "$1: run $run: folded $total ns, busy $busy ns"
	done <<-EOF
		$(sqlite3 -separator ' ' r.db 'select run,
		sum(busy_ps + outside_ps) / 1000 from cpu_time group by run')
	EOF
}

# Scenario, scale and repeats: where each sends for a time, their operations
# differ, so that the mean of their ns_per_op is not that of all operations.
for experiment in neigh-confirmed:0.0005:2 rcu-free:0.0002:2 dst-store:0.002:2 \
		early-demux:0.003:2 sendmsg-unify:0.0005:1; do
	IFS=: read -r name scale repeat <<<"$experiment"
	"$UDPSIM" run "$top_srcdir/scenarios/seeds/$name.scenario" \
		--scale "$scale" --set "scenario.repeat=$repeat" -q -o r.db
	wrong=$(sqlite3 r.db "$check")
	test ! "$wrong" || fail "$name: run|what $wrong"
	folded_is_busy "$name"
	"$UDPSIM" explain --json -n 0 r.db >e.json
	sqlite3 :memory: "select json_extract(e.value, '\$.scenario'),
		json_extract(e.value, '\$.point'),
		printf('%.3f ns, residue %.9f %%, %d rows',
		json_extract(e.value, '\$.delta_ns'),
		json_extract(e.value, '\$.residue_pct'),
		json_array_length(e.value, '\$.rows'))
		from json_each(readfile('e.json'), '\$.explanations') as e"
	test "$(sqlite3 :memory: "select count(*) > 0
		and max(json_extract(e.value, '\$.residue_pct')) < 0.000001
		and max(abs(json_extract(e.value, '\$.delta_ns') -
		(select total(json_extract(r.value, '\$.delta_ns'))
		from json_each(e.value, '\$.rows') as r))) < 0.000001
		from json_each(readfile('e.json'), '\$.explanations') as e")" = 1 ||
		fail "$name: the rows do not add up"
	rm r.db
done
echo "explain_adds_up: passed"
