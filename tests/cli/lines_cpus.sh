#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two fields that are written, each by another CPU, are planted on one line of a
# socket: `lines` tells it by their CPUs, and the override parts them.  And the
# look at the CPUs changes no result: all accesses watched give the same digest.
set -eu

command -v sqlite3 >/dev/null || { echo "SKIP: no sqlite3"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "$1"; exit 1; }

# One process: it sends on its CPU, its card interrupts another.  The route is
# stored at each send, and with it the queue; whom a datagram is for is held on
# to while it is queued.
sed 's/^workload.threads = .*/workload.threads = 1/' \
	"$top_srcdir/scenarios/seeds/dst-store.scenario" >planted.scenario
printf '\n[layout]\n%s\n%s\n' 'sock.sk_tx_queue_mapping = offset 1600' \
	'sock.sk_refcnt = offset 1604' >>planted.scenario
run() {
	"$UDPSIM" run planted.scenario --scale 0.002 --variant before -q "$@"
}
verdict() {
	"$UDPSIM" lines -n 0 "$1" |
		sed -n 's/.* client:udp6_sock, line 25: //p'
}

run -o r.db
"$UDPSIM" lines -n 0 r.db | grep -A 9 'client:udp6_sock, line 25'
test "$(verdict r.db)" = "false sharing" || fail "told as: $(verdict r.db)"
cpus() {
	sqlite3 r.db "select group_concat(distinct cpus) from field_cpu
		where host = 'client' and type = 'udp6_sock'
		and field = '$1' and writers = 1 and strangers = 1"
}
sends=$(cpus sk_tx_queue_mapping)
receives=$(cpus sk_refcnt)
[[ $sends =~ ^[0-9]+$ && $receives =~ ^[0-9]+$ && $sends != "$receives" ]] ||
	fail "CPUs: $sends and $receives"

# Without the CPUs, nobody could tell.
cp r.db blind.db
sqlite3 blind.db "delete from field_cpu"
test "$(verdict blind.db)" != "false sharing" || fail "told without CPUs"

override=$("$UDPSIM" lines -n 0 r.db |
	grep -A 12 'client:udp6_sock, line 25' |
	sed -n "s/^try: --set '\(layout.sock.*\)'\$/\1/p" | head -1)
run --set "$override" -o parted.db
test "$(verdict parted.db)" != "false sharing" || fail "$override: still there"

run --check -o checked.db
test "$("$UDPSIM" digest r.db)" = "$("$UDPSIM" digest checked.db)" ||
	fail "looking on changes the results"
echo "lines_cpus: passed"
