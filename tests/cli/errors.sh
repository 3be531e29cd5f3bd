#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Bad input is one line on standard error that says where, what is wrong and
# what would be right; nothing on standard output; the exit status of the
# design: 2 for input, 3 for files and databases.
set -u

seed=$top_srcdir/scenarios/seeds/neigh-confirmed.scenario
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99
failed=0 passed=0

# expect STATUS PATTERN COMMAND...: PATTERN is a bash pattern for the message.
expect()
{
	local status=$1 pattern=$2 got

	shift 2
	timeout 60 "$UDPSIM" "$@" >out 2>err
	got=$?
	# shellcheck disable=SC2053 # the pattern is one
	if [ $got -ne "$status" ] || [ "$(wc -l <err)" -ne 1 ] ||
	   [ -s out ] || [[ $(cat err) != $pattern ]]; then
		echo "FAIL: udpsim $*"
		echo "  wanted status $status and: $pattern"
		echo "  got status $got, $(wc -c <out) bytes of output and:"
		cat err
		failed=$((failed + 1))
	else
		passed=$((passed + 1))
	fi
}

# scenario SED-SCRIPT: the seed with a change, as bad.scenario.
scenario()
{
	sed "$1" "$seed" >bad.scenario
	cmp -s bad.scenario "$seed" && { echo "no change: $1"; exit 99; }
}

run=(run bad.scenario --scale 0.0001 -o r.db)

scenario 's/^threads /thread /'
expect 2 "*bad.scenario:15: unknown key 'thread' in \[workload\]; did you mean 'threads'?" "${run[@]}"
scenario 's/^machine .*/machine = xeon-x5670/'
expect 2 "*bad.scenario:8: xeon-x5670: no machine of that name *; did you mean 'xeon-x5660-2p'?" "${run[@]}"
scenario 's/^kernel .*/kernel = linux-3.66/'
expect 2 "*bad.scenario:9: no kernel is called 'linux-3.66'; did you mean 'linux-3.6'?" "${run[@]}"
scenario 's/^threads .*/threads = 0/'
expect 2 "*bad.scenario:15: '0' of 'threads' is out of range; give a whole number from 1 to 4096" "${run[@]}"
scenario 's/^count .*/count = -5/'
expect 2 "*bad.scenario:16: '-5' of 'count' is negative; *" "${run[@]}"
scenario 's/^threads .*/threads = 4097/'
expect 2 "*bad.scenario:15: '4097' of 'threads' is out of range; give a whole number from 1 to 4096" "${run[@]}"
scenario 's/^patches .*/patches = neigh-confirm-twice/'
expect 2 "*bad.scenario:27: no patch is called 'neigh-confirm-twice'; *" "${run[@]}"

small=(run "$seed" --scale 0.0001)
expect 2 "*: --scale 0: must be a number above 0*" run "$seed" --scale 0
expect 2 "*--set workload.thread=3: unknown key 'thread'*'threads'*" "${small[@]}" --set workload.thread=3 -o r.db
expect 2 "*struct neighbour has no field 'confirmd'" "${small[@]}" --set 'layout.neighbour.confirmd=own line' -o r.db
expect 2 "*must be from 100 to 1000" "${small[@]}" --set parameters.kernel.hz=7 -o r.db
expect 2 "*failed: Network is unreachable" "${small[@]}" --set workload.destination=11.0.0.1 -o r.db
expect 2 "*has no variant 'middle'*" "${small[@]}" --variant middle -o r.db
expect 2 "*neigh-confirmd: no scenario of that name *did you mean 'neigh-confirmed'?" run neigh-confirmd -o r.db
expect 2 "*no command 'frob'*" frob
expect 2 "*cannot list foo*" list foo
expect 2 "*Unknown option --frob" run --frob
expect 2 "*no scenario given*" run

expect 2 "*no operation is called 'C5SEND'; did you mean 'C4SEND'?" operation C5SEND
expect 2 "*give one operation; *" operation
expect 2 "*give one operation; *" operation C4SEND U4SEND
expect 2 "*--table frob: must be lines, functions, operations or calls" operation NULLSYS --table frob
expect 2 "*no kernel is called 'linux-3.66'; did you mean 'linux-3.6'?" operation NULLSYS -k linux-3.66
expect 2 "*--patches: no patch is called 'frob'; *" operation NULLSYS --patches frob
expect 2 "*MC4RECV is not modelled yet on linux-2.6.32" operation MC4RECV -k linux-2.6.32
expect 3 "*/proc/none: cannot make the folder: *" operation NULLSYS -o /proc/none
expect 2 "*give one folder of traces, *" verify
expect 2 "*give one folder of traces, *" verify a b
expect 3 "*none/operations.tsv: cannot read: *" verify none
mkdir truth
printf 'op\tinsns\tinsns_minus_null_syscall\nNULLSYS\t307\t0\n' >truth/operations.tsv
expect 2 "*truth/operations.tsv: has no C4SEND" verify truth --operation C4SEND
expect 2 "*no kernel is called 'linux-3.7'; *" verify truth -k linux-3.7
printf 'operation\tclass\n' >truth/lines.tsv
expect 2 "*truth/lines.tsv:1: column 3 is ''; it must be 'object'" verify truth

expect 2 "*--capture -1: must be 0 or more" run "$seed" --capture -1
# A data folder without the data: no empty lists, no empty table.
mkdir -p part/scenarios/seeds part/stack/kernels
export UDPSIM_DATADIR=$dir/none
expect 2 "*$dir/none: there is no folder scenarios *; *" validate
for what in scenarios machines kernels; do
	expect 2 "*$dir/none: there is no folder scenarios *; *" list $what
done
UDPSIM_DATADIR=$dir/part
echo '[scenari]' >part/scenarios/seeds/bad.scenario
expect 2 "*bad.scenario:1: *" validate
export UDPSIM_DATADIR=$top_srcdir

expect 3 "*no such database*" compare none.db
expect 3 "*no such database*" digest none.db
expect 3 "*/none/r.db: no folder */none*" "${small[@]}" -o "$dir/none/r.db"
expect 3 "*/proc/r.db: cannot open*" "${small[@]}" -o /proc/r.db
"$UDPSIM" "${small[@]}" -q -o whole.db || exit 99
for bytes in 0 1 100 5000 $(($(stat -c %s whole.db) - 4096)); do
	head -c "$bytes" whole.db >cut.db
	[ "$bytes" -eq 0 ] && continue
	expect 3 "*cut.db: *; *" compare cut.db
	expect 3 "*cut.db: *; *" digest cut.db
	expect 3 "*cut.db: *; *" "${small[@]}" -o cut.db
done
echo "not a database, but longer than a header of one: $(seq 100)" >text.db
expect 3 "*text.db: *" compare text.db

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
