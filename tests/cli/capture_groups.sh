#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reports of groups, as tshark reads them: who listens in a ping-pong over a group
# says so by IGMPv3 and MLDv2, by older versions when it is made to.  Nothing is
# malformed, no sum is wrong, and each has one hop and router alert.
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

die()
{
	echo "capture_groups: $*"
	exit 1
}

command -v tshark >/dev/null || die "tshark is needed; ./quickstart check installs it"

cat >two.scenario <<'X'
[scenario]
name    = two
machine = desktop-2cpu
kernel  = linux-3.6
[workload]
program = multicast-pingpong
threads = 1
count   = 1200
[host client]
device  = eth0 kind nic mtu 1500 queues 1
address = eth0 10.2.2.1/24; eth0 fd00::1/64
route   = 239.0.0.0/8 dev eth0
[host server]
device  = eth0 kind nic mtu 1500 queues 1
address = eth0 10.2.2.2/24; eth0 fd00::2/64
route   = 239.0.0.0/8 dev eth0
[link wire]
ends      = client.eth0; server.eth0
rate_mbit = 1000
delay_ns  = 2000
[variant four]
workload.family = inet
[variant four-old]
workload.family = inet
parameters.net.ipv4.conf.all.force_igmp_version = 2
[variant six]
workload.family = inet6
[variant six-old]
workload.family = inet6
parameters.net.ipv6.conf.all.force_mld_version = 1
X

# Of each frame that the client's end saw of IGMP and MLD: whether it is wrong, its
# hops, its type, and the type of a record.
frames()
{
	tshark -r f.pcapng -Y 'frame.interface_name == "client.eth0" &&
		(igmp || icmpv6.type == 131 || icmpv6.type == 143)' \
		-o ip.check_checksum:TRUE -T fields -E occurrence=f \
		-e _ws.malformed -e ip.checksum.status \
		-e igmp.checksum.status -e icmpv6.checksum.status \
		-e ip.ttl -e ipv6.hlim -e igmp.type -e icmpv6.type \
		-e igmp.record_type -e icmpv6.mldr.mar.record_type \
		-e ip.opt.type -e ipv6.opt.type \
		2>errors || die "tshark: $(cat errors)"
}

judge()
{
	awk -F'\t' -v wanted="$1" '
	$1 != "" { print "malformed: " $0 }
	$2 == "0" || $3 == "0" || $4 == "0" { print "a wrong checksum: " $0 }
	$5 $6 != 1 { print "not one hop: " $0 }
	$11 != 148 && $12 != 5 { print "no router alert: " $0 }
	$7 $8 " " $9 $10 == wanted { good++ }
	END {
		if (!good)
			print "no " wanted
		print good + 0 > "total"
	}'
}

for kernel in linux-3.6 linux-6.1; do
	rm -f r.db
	"$UDPSIM" run two.scenario --set "scenario.kernel=$kernel" \
		--capture 20000 -q -o r.db
	run=0
	for wanted in '0x22 4' '0x16 ' '143 4' '131 '; do
		run=$((run + 1))
		"$UDPSIM" export --format pcapng --run $run r.db -o f.pcapng
		frames | judge "$wanted" >said
		[ ! -s said ] || die "$kernel, run $run: $(head -5 said)"
		echo "$kernel, run $run: $(cat total) reports"
	done
done
echo "capture_groups: passed"
