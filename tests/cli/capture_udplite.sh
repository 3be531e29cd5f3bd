#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# UDP-Lite as tshark reads it: requests of which twenty bytes are covered and
# responses of which all are, and the other way round; nothing is malformed, and
# each sum is right over just what its header says.
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

die()
{
	echo "capture_udplite: $*"
	exit 1
}

command -v tshark >/dev/null || die "tshark is needed; ./quickstart check installs it"

cat >two.scenario <<'X'
[scenario]
name    = two
machine = desktop-2cpu
kernel  = linux-3.6
[workload]
program  = rr
threads  = 2
count    = 50
connect  = true
protocol = udplite
coverage = 20
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
[variant inet]
workload.family = inet
workload.size   = 100
[variant inet6]
workload.family = inet6
workload.size   = 100
[variant inet-answers]
workload.family = inet
workload.size = 1
workload.response_size = 1001
[variant inet6-answers]
workload.family = inet6
workload.size = 1
workload.response_size = 1001
X

frames()
{
	tshark -r f.pcapng -Y udplite -o ip.check_checksum:TRUE \
		-o udplite.check_checksum:TRUE \
		-o udplite.ignore_checksum_coverage:FALSE -T fields \
		-E occurrence=f -e _ws.malformed -e _ws.expert.message \
		-e ip.checksum.status -e udp.checksum.status \
		-e udp.length -e udp.checksum_coverage 2>errors ||
		die "tshark: $(cat errors)"
}

# What is wrong with them: all that is as long as $1 covers 20 bytes, the rest,
# which is shorter, all.
judge()
{
	awk -F'\t' -v long="$1" '
	$1 != "" || $2 != "" { print "tshark does not like it: " $0 }
	$3 == "0" || $4 != 1 { print "a wrong checksum: " $0 }
	$6 != ($5 == long ? 20 : $5) { print "covers something else: " $0 }
	$5 == long { part++ }
	END {
		if (NR != 400 || part != 200)
			print "not 100 transactions at both ends: " NR, part
	}'
}

for kernel in linux-2.6.32 linux-3.6 linux-4.6 linux-6.1; do
	for variant in inet inet6 inet-answers inet6-answers; do
		case $kernel,$variant in linux-2.6.32,inet | linux-2.6.32,inet-*)
			continue ;;
		esac
		case $variant in *-answers) long=1009 ;; *) long=108 ;; esac
		rm -f r.db
		"$UDPSIM" run two.scenario --set "scenario.kernel=$kernel" \
			--variant $variant --capture 1000 -q -o r.db
		"$UDPSIM" export --format pcapng r.db -o f.pcapng
		frames | judge $long >said
		[ -s said ] && die "$kernel, $variant: $(head -5 said)"
		n=$(sqlite3 r.db "SELECT sum(value) FROM snmp WHERE name IN
			('UdpLiteInDatagrams', 'UdpLite6InDatagrams')")
		[ "$n" = 200 ] || die "$kernel, $variant: $n were read"
	done
	echo "$kernel: 400 frames of each kind"
done
echo "capture_udplite: passed"
