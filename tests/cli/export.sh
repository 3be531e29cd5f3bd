#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Frames of a record as pcapng: what tshark reads is what was recorded, of
# even and odd lengths, from two hosts, in either direction.
set -eu

seed=$top_srcdir/scenarios/seeds/neigh-confirmed.scenario
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

die()
{
	echo "export: $*"
	exit 1
}

command -v tshark >/dev/null || die "tshark is needed; ./quickstart check installs it"

"$UDPSIM" run "$seed" --scale 0.0001 --set scenario.repeat=1 --variant before \
	-q -o r.db
"$UDPSIM" export --format pcapng r.db -o none.pcapng 2>message &&
	die "exported frames that are not there"
grep -q 'run 1 has no frames' message || die "$(cat message)"
[ -e none.pcapng ] && die "what was not written to its end stays"

# Ethernet, IPv4 or IPv6, UDP from port 1000 to port 2000, the checksums right.
v4=02000000000202000000000108004500001e00004000401126cd0a0000010a000002
v4=${v4}03e807d0000a77b66869
v6=02000000000202000000000186dd60000000000b1140fd0000000000000000000000
v6=${v6}00000001fd00000000000000000000000000000203e807d0000b75d9414243
sqlite3 r.db "INSERT INTO frame VALUES
	(1, 1, 'client', 'eth0', 1500999, 1, x'$v4'),
	(1, 2, 'server', 'eth0', 2600000, 0, x'$v4'),
	(1, 3, 'server', 'eth0', 7000000000000000, 1, x'$v6')"
"$UDPSIM" export -f pcapng r.db >f.pcapng

tshark -r f.pcapng -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE \
	-T fields -e frame.interface_name -e frame.time_epoch \
	-e frame.packet_flags_direction -e frame.len -e udp.srcport \
	-e udp.dstport -e ip.checksum.status -e udp.checksum.status \
	-e data.data -e _ws.malformed >fields 2>errors
cat >wanted <<'EOF'
client.eth0	0.000001500	0x00000002	44	1000	2000	1	1	6869	
server.eth0	0.000002600	0x00000001	44	1000	2000	1	1	6869	
server.eth0	7000.000000000	0x00000002	65	1000	2000		1	414243	
EOF
diff wanted fields || die "tshark reads other frames; $(cat errors)"
"$UDPSIM" export -f pcapng -o again.pcapng r.db
cmp f.pcapng again.pcapng || die "a file and a pipe differ"

for bad in "--format pcap" "" "--format pcapng --run 7" \
	"--format pcapng r.db r.db"; do
	# shellcheck disable=SC2086 # several words
	"$UDPSIM" export $bad r.db >out 2>message && die "took: $bad"
	if [ $? -ne 2 ] || [ -s out ]; then die "$bad: $(cat message)"; fi
done
"$UDPSIM" export --format pcapng none.db >out 2>message && die "no database"
"$UDPSIM" export --format pcapng r.db -o none/f.pcapng 2>message && die "no folder"
echo "export: passed"
