#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What two hosts send each other, as tshark reads it at both ends of the link:
# address resolution, requests, responses; nothing malformed, no wrong checksum,
# and nothing that one end sent is missing at the other.
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

die()
{
	echo "capture: $*"
	exit 1
}

command -v tshark >/dev/null || die "tshark is needed; ./quickstart check installs it"

cat >two.scenario <<'EOF'
[scenario]
name    = two
machine = desktop-2cpu
kernel  = linux-3.6
[workload]
program = rr
threads = 2
count   = 100
connect = true
size    = 37
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
[variant arp]
workload.family = inet
[variant ndisc]
workload.family = inet6
EOF

# Of each frame: the end, whether it is wrong, what it is, and what tells it
# from others.
frames()
{
	tshark -r f.pcapng -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE \
		-T fields -E occurrence=f -e frame.interface_name \
		-e _ws.malformed -e _ws.expert.message -e ip.checksum.status \
		-e udp.checksum.status -e icmpv6.checksum.status \
		-e arp.opcode -e icmpv6.type -e udp.length -e frame.len \
		-e eth.src -e eth.dst -e udp.srcport -e udp.dstport 2>errors ||
		die "tshark: $(cat errors)"
}

# Says what is wrong with the frames on standard input; the two ends may see
# them in another order.
judge()
{
	awk -F'\t' -v asked="$1" '
	$2 != "" || $3 != "" { print "tshark does not like it: " $0 }
	$4 == 0 && $4 != "" || $5 == 0 && $5 != "" || $6 == 0 && $6 != "" {
		print "a wrong checksum: " $0
	}
	{
		n[$1]++
		end = $1
		$1 = ""
		seen[$0] += end == "client.eth0" ? 1 : -1
	}
	$7 != "" { kinds["arp" $7]++ }
	$8 != "" { kinds["ndisc" $8]++ }
	$9 == 45 { kinds["request"]++ }
	$9 == 9 { kinds["response"]++ }
	END {
		for (frame in seen)
			if (seen[frame])
				print "one end has more of " frame
		if (kinds["request"] != 400 || kinds["response"] != 400)
			print "not 200 transactions at both ends: " \
				kinds["request"] + 0, kinds["response"] + 0
		if (asked == "arp" && (!kinds["arp1"] || !kinds["arp2"]) ||
		    asked == "ndisc" &&
		    (!kinds["ndisc135"] || !kinds["ndisc136"]))
			print "no " asked
		print n["client.eth0"] + n["server.eth0"] > "total"
	}'
}

# Each frame of run $1 stands at its interface, in its direction, at the
# nanosecond of virtual time that the record has, and each interface has some.
check_times()
{
	tshark -r f.pcapng -T fields -E separator=' ' -e frame.interface_name \
		-e frame.packet_flags_direction -e frame.time_epoch \
		-e frame.len 2>errors >read || die "tshark: $(cat errors)"
	sqlite3 -separator ' ' r.db "SELECT host || '.' || device,
		iif(outbound, '0x00000002', '0x00000001'),
		printf('%d.%09d', time_ps / 1000000000000,
		       time_ps / 1000 % 1000000000), length(bytes)
		FROM frame WHERE run = $1 ORDER BY id" >recorded
	diff read recorded >differs ||
		die "run $1: other than recorded: $(head -3 differs)"
	for end in client.eth0 server.eth0; do
		for direction in 1 2; do
			grep -q "^$end 0x0000000$direction " read ||
				die "run $1: nothing of $end in direction $direction"
		done
	done
}

for kernel in linux-3.6 linux-6.1; do
	rm -f r.db
	"$UDPSIM" run two.scenario --set "scenario.kernel=$kernel" \
		--capture 1000 -q -o r.db
	for run in 1 2; do
		"$UDPSIM" export --format pcapng --run $run r.db -o f.pcapng
		frames | judge "$([ $run = 1 ] && echo arp || echo ndisc)" >said
		check_times $run
		[ -s said ] && die "$kernel, run $run: $(head -5 said)"
		echo "$kernel, run $run: $(cat total) frames"
	done
done
echo "capture: passed"
