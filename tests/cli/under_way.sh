#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is under way when a run ends has not leaked: frames on a link with a long
# delay, in a ring behind a slow wire, before a moderated interrupt, and in the
# hands of a softirq.
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >two.scenario <<'X'
[scenario]
name    = two
machine = desktop-2cpu
kernel  = linux-3.6
[workload]
program = udpflood
threads = 1
count   = 300
size    = 200
destination = 10.2.2.2
[host client]
device  = eth0 kind nic mtu 1500 queues 1 rx_usecs 10
address = eth0 10.2.2.1/24
neighbour = eth0 10.2.2.2 lladdr 02:00:00:00:02:01 nud permanent
[host server]
device  = eth0 kind nic mtu 1500 queues 1 rx_usecs 1000
address = eth0 10.2.2.2/24
[link wire]
ends      = client.eth0; server.eth0
rate_mbit = 1000
delay_ns  = 2000
[variant softirq]
[variant delay]
link.wire.delay_ns = 3000000000
[variant ring]
link.wire.rate_mbit = 1
X

for kernel in linux-3.6 linux-4.6 linux-6.1; do
	rm -f r.db
	"$UDPSIM" run two.scenario --set "scenario.kernel=$kernel" --check \
		-q -o r.db >said 2>&1 || {
		echo "under_way: $kernel: $(head -5 said)"
		exit 1
	}
done
echo "under_way: passed"
