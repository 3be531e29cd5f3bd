#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A trace: nothing of the run changes; each function has the time in it that it
# has in the record, to the picosecond; the windows of a run add up; and the
# export is in the Trace Event Format: the fields of each phase, complete events
# nested in their thread, flows that begin, go on and end inside of events.
set -eu

command -v sqlite3 >/dev/null || { echo "SKIP: no sqlite3"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "$1"; exit 1; }

# nested < HOST|CPU|NAME|TIME|DURATION, by thread and time, the outer first:
# prints each function's own time; fails where one ends after what it is in.
nested() {
	awk -F '|' '
	$1 "|" $2 != thread { thread = $1 "|" $2; depth = 0 }
	{
		while (depth && (end[depth] < $4 ||
				 (end[depth] == $4 && ($5 > 0 ||
				  end[depth] == begin[depth]))))
			depth--
		if (depth && $4 + $5 > end[depth]) {
			print "not nested: " $0 > "/dev/stderr"
			bad = 1
		}
		own[$1 "|" $3] += $5
		if (depth)
			own[$1 "|" name[depth]] -= $5
		name[++depth] = $3
		begin[depth] = $4
		end[depth] = $4 + $5
	}
	END {
		for (f in own)
			if (own[f])
				printf "%s|%.0f\n", f, own[f]
		exit bad
	}' | sort
}

last='(select max(id) from run)'	# what is exported

# whole SCENARIO OPTION...: a trace of all of a run.
whole() {
	rm -f t.db u.db
	"$UDPSIM" run "$@" --set scenario.repeat=1 -q -o u.db
	"$UDPSIM" run "$@" --set scenario.repeat=1 -q -o t.db --trace 100s
	sqlite3 t.db "select host, cpu, name, time_ps, duration_ps from trace
		where kind not in ('stall', 'packet') and run = $last
		order by host, cpu, id" | nested >own || fail "$1: nesting"
	sqlite3 t.db "select host, name, sum(instruction_ps + stall_ps)
		from function where run = $last group by host, name
		having sum(instruction_ps + stall_ps) > 0" | sort >record
	diff own record || fail "$1: own time by function: trace (<), record"
	"$UDPSIM" export --format perfetto t.db >t.json
	busy=$(sqlite3 t.db "select sum(duration_ps) from trace
		where kind = 'context' and run = $last")
	test "$busy" = "$("$UDPSIM" export --format folded t.db | awk '
		{ sum += $NF } END { printf "%.0f", sum }')${busy: -3}" ||
		fail "$1: the top level has $busy ps, folded stacks differ"
	sqlite3 t.db "delete from trace"
	test "$("$UDPSIM" digest t.db)" = "$("$UDPSIM" digest u.db)" ||
		fail "$1: a run that is traced is another run"
	echo "$1: $busy ps, $(wc -l <own) functions"
}

# format FILE: against the description of the format.
format() {
	test "$(sqlite3 :memory: "select json_valid(readfile('$1'))")" = 1 ||
		fail "$1: no JSON"
	sqlite3 f.db "drop table if exists e; create table e as
		select key as n, json_extract(value, '\$.ph') as ph,
		json_extract(value, '\$.ts') as ts,
		json_extract(value, '\$.dur') as dur,
		json_extract(value, '\$.pid') as pid,
		json_extract(value, '\$.tid') as tid,
		json_extract(value, '\$.name') as name,
		json_extract(value, '\$.cat') as cat,
		json_extract(value, '\$.id') as id,
		json_extract(value, '\$.bp') as bp,
		json_extract(value, '\$.args.name') as label
		from json_each(readfile('$1'), '\$.traceEvents')"
	none() {
		test "$(sqlite3 f.db "select count(*) from e where $2")" = 0 ||
			fail "$1: $(sqlite3 f.db "select * from e where $2
				limit 3")"
	}
	none "unknown phase" "ph is null or ph not in ('M','X','s','t','f')"
	none "no name, process or thread" "name is null or
		typeof(pid) <> 'integer' or typeof(tid) <> 'integer'"
	none "no category or time" "ph <> 'M' and (cat is null or
		typeof(ts) not in ('real', 'integer') or ts < 0)"
	none "complete without duration" "ph = 'X' and
		(typeof(dur) not in ('real', 'integer') or dur < 0)"
	none "flow without id" "ph in ('s','t','f') and typeof(id) <> 'integer'"
	none "flow bound to the next slice" "ph in ('t','f') and bp is not 'e'"
	none "metadata" "ph = 'M' and (label is null or
		name not in ('process_name', 'thread_name'))"
	none "thread without a name" "ph <> 'M' and (pid, tid) not in
		(select pid, tid from e where name = 'thread_name')"
	none "process without a name" "pid not in
		(select pid from e where name = 'process_name')"
	# Picoseconds, so that no rounding hides what is wrong.
	sqlite3 f.db "select pid, tid, name, printf('%.0f', ts * 1e6),
		printf('%.0f', dur * 1e6) from e where ph = 'X'
		order by pid, tid, n" | nested >/dev/null || fail "$1: nesting"
	bad=$(sqlite3 f.db "select count(*) from (select id from e
		where ph in ('s','t','f') group by cat, id
		having sum(ph = 's') <> 1 or sum(ph = 'f') <> 1 or
		min(ts) < max(iif(ph = 's', ts, 0)) or
		max(ts) > max(iif(ph = 'f', ts, 0)))")
	test "$bad" = 0 || fail "$1: $bad flows do not begin and end once"
	sqlite3 f.db "create index if not exists e_x on e (ph, pid, tid, ts)"
	none "flow outside of any slice" "ph in ('s','t','f') and not exists
		(select 1 from e as x where x.ph = 'X' and x.pid = e.pid and
		 x.tid = e.tid and x.ts <= e.ts and x.ts + x.dur >= e.ts)"
	rm f.db
}

whole udpflood --scale 0.00001
format t.json
grep -q '"cat":"stall"' t.json || fail "no stalls"
grep -q '"otherData":{"scenario":"udpflood"' t.json || fail "no otherData"
whole udp-rr --scale 0.00003 --variant inet6
format t.json
test "$(grep -c '"process_name"' t.json)" = 2 || fail "not two hosts"
grep -q '"ph":"t"' t.json || fail "no packet is passed on"
grep -q '"cat":"interrupt"' t.json || fail "no interrupts"
whole dns-resolver --scale 0.0002 --variant before

# A window within a run, and what is before and after it.
window() {
	rm -f w.db
	"$UDPSIM" run neigh-confirmed --scale 0.001 --variant before -q \
		--set scenario.repeat=1 -o w.db --trace "$1"
	sqlite3 w.db "select sum(duration_ps) from trace where kind = 'context'"
}
rest=$(window 30us+12.5us)
test "$(sqlite3 w.db "select min(time_ps) >= 30000000 and
	max(time_ps + duration_ps) = 42500000 from trace")" = 1 ||
	fail "events outside of the window"
"$UDPSIM" export --format perfetto w.db >w.json
format w.json
sqlite3 w.db "delete from trace"
"$UDPSIM" run neigh-confirmed --scale 0.001 --variant before -q \
	--set scenario.repeat=1 -o v.db
test "$("$UDPSIM" digest w.db)" = "$("$UDPSIM" digest v.db)" ||
	fail "a window changes the run"
test $(($(window 30us) + rest)) = "$(window 42500ns)" || fail "windows"

# What cannot be done is said.
refused() {
	status=0
	"$UDPSIM" run udpflood --scale 0.00001 -q -o x.db --trace "$1" 2>err ||
		status=$?
	test $status = 2 || fail "--trace $1: status $status"
	grep -q 'such as 50us' err || fail "--trace $1: $(cat err)"
}
for bad in 50 us 0us 1.5 5um 1us+ +1us 1us+2 1.2345us -1us; do
	refused "$bad"
done
status=0
"$UDPSIM" export --format perfetto v.db >out 2>err || status=$?
test $status = 2 || fail "without a trace: status $status"
test ! -s out || fail "without a trace: output"
grep -q 'has no trace' err || fail "without a trace: $(cat err)"
"$UDPSIM" run udpflood --scale 0.00001 -q -o x.db --trace 1000s+1us 2>err
grep -q 'the trace is empty' err || fail "an empty window: $(cat err)"

# One that is full ends at one time on all CPUs.
"$UDPSIM" run neigh-confirmed --scale 0.001 --variant before -q \
	--set scenario.repeat=1 -o full.db --trace 1s 2>err
at=$(sed -n 's/.*the trace ends at \([0-9.]*\) us: it is full.*/\1/p' err)
test -n "$at" || fail "a full trace: $(cat err)"
test "$(sqlite3 full.db "select count(*) < 1100000 and count(*) > 900000 and
	max(time_ps + duration_ps) <= ($at + 0.001) * 1e6 from trace")" = 1 ||
	fail "a full trace: more than that"
echo "perfetto: passed"
