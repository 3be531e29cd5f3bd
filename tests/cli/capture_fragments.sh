#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Requests that need four fragments each, as tshark reads them: nothing
# malformed, no wrong checksum, and as many datagrams put together again as
# were sent, the sum of UDP over all of each being right.
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

die()
{
	echo "capture_fragments: $*"
	exit 1
}

command -v tshark >/dev/null || die "tshark is needed; ./quickstart check installs it"

cat >two.scenario <<'X'
[scenario]
name    = two
machine = desktop-2cpu
kernel  = linux-3.6
[workload]
program = rr
threads = 2
count   = 20
connect = true
size    = 5000
[host client]
device  = eth0 kind nic mtu 1500 queues 2
address = eth0 10.2.2.1/24; eth0 fd00::1/64
[host server]
device  = eth0 kind nic mtu 1500 queues 2
address = eth0 10.2.2.2/24; eth0 fd00::2/64
[link wire]
ends      = client.eth0; server.eth0
rate_mbit = 1000
delay_ns  = 2000
[variant four]
workload.family = inet
[variant six]
workload.family = inet6
X

# Of each frame at the client's end: whether it is wrong, whether it is a
# fragment or what fragments became, and the length of its UDP.
frames()
{
	# By itself, or what both ends saw would be put together.
	tshark -r f.pcapng -Y 'frame.interface_name == "client.eth0"' \
		-w client.pcapng 2>errors || die "tshark: $(cat errors)"
	tshark -r client.pcapng -o ip.check_checksum:TRUE \
		-o udp.check_checksum:TRUE \
		-T fields -E occurrence=f -e _ws.malformed \
		-e ip.checksum.status -e udp.checksum.status \
		-e ip.fragment.count -e ipv6.fragment.count -e udp.length \
		-e ip.frag_offset -e ipv6.fraghdr.offset \
		2>errors || die "tshark: $(cat errors)"
}

judge()
{
	awk -F'\t' '
	$1 != "" { print "malformed: " $0 }
	$2 == 0 && $2 != "" || $3 == 0 && $3 != "" {
		print "a wrong checksum: " $0
	}
	$4 + $5 == 4 && $6 == 5008 && $3 == 1 { good++ }
	$7 + $8 > 0 { later++ }
	END {
		if (good < 40 || later != 3 * good)
			print "not each request in four fragments: " \
				good + 0, later + 0
	}'
}

for kernel in linux-3.6 linux-6.1; do
	rm -f r.db
	"$UDPSIM" run two.scenario --set "scenario.kernel=$kernel" \
		--capture 1000 -q -o r.db
	for run in 1 2; do
		"$UDPSIM" export --format pcapng --run $run r.db -o f.pcapng
		frames | judge >said
		[ ! -s said ] || die "$kernel, run $run: $(head -5 said)"
	done
done
echo "capture_fragments: passed"
