#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A scenario over IPv6 runs on both kernels: each datagram is counted once as
# IPv6's and none as IPv4's, and 6.1 without the patch of 2012 writes the
# neighbour's line that it leaves alone with it.
set -eu

command -v sqlite3 >/dev/null || { echo "SKIP: no sqlite3"; exit 77; }
udpsim=$UDPSIM
scenarios=$top_srcdir/scenarios/examples
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
	echo "inet6.sh: $*" >&2
	exit 1
}

# The value of a counter in one variant.
counter() {
	sqlite3 "$tmp/a.db" "SELECT sum(value) FROM snmp JOIN run
		ON run.id = snmp.run WHERE variant = '$1' AND name = '$2'"
}

for kernel in linux-3.6 linux-6.1; do
	rm -f "$tmp/a.db"
	"$UDPSIM" run "$scenarios/udpflood-inet6.scenario" -q -o "$tmp/a.db" \
		--set "scenario.kernel=$kernel" --scale 0.0005
	# 6 threads, 50 sends each, 2 repeats
	for name in UdpOutDatagrams IpOutRequests; do
		[ "$(counter inet $name)" = 600 ] ||
			fail "$kernel: inet: $name is $(counter inet $name)"
		[ "$(counter inet6 $name)" = 0 ] ||
			fail "$kernel: inet6: $name is $(counter inet6 $name)"
	done
	for name in Udp6OutDatagrams Ip6OutRequests; do
		[ "$(counter inet6 $name)" = 600 ] ||
			fail "$kernel: inet6: $name is $(counter inet6 $name)"
		[ "$(counter inet $name)" = 0 ] ||
			fail "$kernel: inet: $name is $(counter inet $name)"
	done
	# 40 + 8 + the 64 bytes that udpflood sends unless told otherwise
	[ "$(counter inet6 Ip6OutOctets)" = $((600 * 112)) ] ||
		fail "$kernel: Ip6OutOctets is $(counter inet6 Ip6OutOctets)"
done

rm -f "$tmp/a.db"
"$UDPSIM" run "$scenarios/neigh-confirmed-6.1.scenario" -q -o "$tmp/a.db" \
	--scale 0.0005 --set scenario.repeat=1
moves() {
	sqlite3 "$tmp/a.db" "SELECT coalesce(sum(moves_per_op), 0) > $2
		FROM hot_line WHERE variant = '$1' AND type = 'neighbour'"
}
[ "$(moves before 0.5)" = 1 ] || fail "without the patch no line moves"
[ "$(moves after 0.05)" = 0 ] || fail "with the patch the line moves"
echo "PASS: IPv6 on two kernels, and a patch taken out of 6.1"
