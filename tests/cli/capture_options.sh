#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The packets of control messages, which tests/stack/test_cmsg4.c and
# test_cmsg6.c hold against bytes worked out by hand, as tshark reads them:
# nothing malformed, no wrong checksum, behind a routing header neither, and in
# each the addresses, the options and the rest that its name stands for.
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

die()
{
	echo "capture_options: $*"
	exit 1
}

for tool in tshark text2pcap; do
	command -v $tool >/dev/null ||
		die "$tool is needed; ./quickstart check installs it"
done

# IPv4: name, source, TTL, class of service, length of UDP.
cat >wanted4 <<'X4'
nothing 10.2.2.1 64 0x00 9
packet-info-source 10.9.0.7 64 0x00 9
packet-info-device 10.2.2.1 64 0x00 9
ttl 10.2.2.1 7 0x00 9
largest-ttl 10.2.2.1 255 0x00 9
tos 10.2.2.1 64 0x10 9
tos-in-a-byte 10.2.2.1 64 0x08 9
tos-of-zero 10.2.2.1 64 0x00 9
tos-and-ttl 10.2.2.1 7 0x10 9
mark 10.2.2.1 64 0x00 9
mapped 10.9.0.7 64 0x00 9
mapped-packet-info-6 10.9.0.7 64 0x00 9
of-others 10.2.2.1 64 0x00 9
X4

# IPv6: name, source, destination, hop limit, class, label, next header; router
# alert, limit of tunnels, lengths of all options; type of the routing header,
# segments left, its address; length of UDP.  A dash is what is not there.
cat >wanted6 <<'X6'
nothing fd00::1 fd00::2 64 0x00000000 0x000000 17 - - - - - - 9
hop-limit fd00::1 fd00::2 7 0x00000000 0x000000 17 - - - - - - 9
hop-limit-2292 fd00::1 fd00::2 255 0x00000000 0x000000 17 - - - - - - 9
hop-limit-by-default fd00::1 fd00::2 64 0x00000000 0x000000 17 - - - - - - 9
last-hop-limit fd00::1 fd00::2 9 0x00000000 0x000000 17 - - - - - - 9
class fd00::1 fd00::2 64 0x000000b8 0x000000 17 - - - - - - 9
class-by-default fd00::1 fd00::2 64 0x00000000 0x000000 17 - - - - - - 9
class-and-hop-limit fd00::1 fd00::2 0 0x00000001 0x000000 17 - - - - - - 9
packet-info fd00::1 fd00::2 64 0x00000000 0x000000 17 - - - - - - 9
packet-info-source fd00:0:0:1::5 fd00::2 64 0x00000000 0x000000 17 - - - - - - 9
packet-info-2292 fd00:0:0:1::5 fd00::2 64 0x00000000 0x000000 17 - - - - - - 9
packet-info-of-device fd00::1 fd00::2 64 0x00000000 0x000000 17 - - - - - - 9
hop-options fd00::1 fd00::2 64 0x00000000 0x000000 0 0 - 2,0 - - - 9
hop-options-2292 fd00::1 fd00::2 64 0x00000000 0x000000 0 0 - 2,0 - - - 9
destination-options fd00::1 fd00::2 64 0x00000000 0x000000 60 - 5 1,1 - - - 9
destination-options-2292 fd00::1 fd00::2 64 0x00000000 0x000000 60 - 5 1,1 - - - 9
long-options fd00::1 fd00::2 64 0x00000000 0x000000 0 - - 12 - - - 9
routing-header fd00::1 fd00::3 64 0x00000000 0x000000 43 - - - 2 1 fd00::2 9
routing-header-2292 fd00::1 fd00::3 64 0x00000000 0x000000 43 - - - 2 1 fd00::2 9
options-on-no-way fd00::1 fd00::2 64 0x00000000 0x000000 17 - - - - - - 9
options-on-no-way-and-others fd00::1 fd00::2 64 0x00000000 0x000000 0 0 5 2,0,1,1 - - - 9
options-on-the-way fd00::1 fd00::3 64 0x00000000 0x000000 60 - - 4 2 1 fd00::2 9
all-headers fd00::1 fd00::3 3 0x00000000 0x000000 0 0 5 2,0,4,1,1 2 1 fd00::2 9
options-before-routing-2292 fd00::1 fd00::3 64 0x00000000 0x000000 60 - 5 1,1 2 1 fd00::2 9
options-behind-routing-2292 fd00::1 fd00::3 64 0x00000000 0x000000 43 - 5 1,1 2 1 fd00::2 9
of-others fd00::1 fd00::2 64 0x00000000 0x000000 17 - - - - - - 9
flow-info fd00::1 fd00::2 64 0x00000000 0x012345 17 - - - - - - 9
flow-info-and-class fd00::1 fd00::2 64 0x000000ff 0x012345 17 - - - - - - 9
parts fd00::1 fd00::2 64 0x00000000 0x000000 0 0 5 2,0,1,1 - - - 1508
routed-parts fd00::1 fd00::3 64 0x00000000 0x000000 43 - 5 1,1 2 1 fd00::2 1508
X6

# What the tables have between the name and the length of UDP.
fields()
{
	case $1 in
	4) echo ip.src ip.ttl ip.dsfield ;;
	6) echo ipv6.src ipv6.dst ipv6.hlim ipv6.tclass ipv6.flow ipv6.nxt \
		ipv6.opt.router_alert ipv6.opt.tel ipv6.opt.length \
		ipv6.routing.type ipv6.routing.segleft \
		ipv6.routing.mipv6.home_address ;;
	esac
}

# The frames of one family and kernel, each with its name in front.  Of the
# fragments of a datagram tshark shows UDP with the last.
read_frames()
{
	grep "^$2 " "packets$1" >some
	awk '{
		printf "000000"
		for (i = 1; i < length($3); i += 2)
			printf " %s", substr($3, i, 2)
		print ""
	}' some >dump
	text2pcap -q dump some.pcap 2>errors || die "text2pcap: $(cat errors)"
	# shellcheck disable=SC2046	# a word each
	tshark -r some.pcap -o ip.check_checksum:TRUE \
		-o udp.check_checksum:TRUE -T fields -e _ws.malformed \
		-e _ws.expert.message -e ip.checksum.status \
		-e udp.checksum.status $(fields "$1" | sed 's/^\| / -e /g') \
		-e udp.length 2>errors >fields || die "tshark: $(cat errors)"
	[ "$(wc -l <fields)" = "$(wc -l <some)" ] || die "frames are missing"
	cut -d' ' -f2 some | paste - fields
}

# What is wrong with the frames on standard input.
judge()
{
	awk -F'\t' -v wanted="wanted$1" '
	BEGIN {
		while ((getline line < wanted) > 0) {
			split(line, word, " ")
			of[word[1]] = line
		}
	}
	$2 != "" || $3 != "" { print "tshark does not like it: " $0; next }
	$4 != "" && $4 != 1 { print "a wrong checksum: " $0; next }
	$NF == "" && $1 ~ /parts$/ { next }
	$5 != 1 { print "no right checksum of UDP: " $0; next }
	{
		got = $1
		for (i = 6; i <= NF; i++)
			got = got " " ($i == "" ? "-" : $i)
		if (got != of[$1])
			print "it reads " got ", wanted is " of[$1]
	}'
}

for family in 4 6; do
	UDPSIM_PACKETS=$dir/packets$family CK_RUN_SUITE=cmsg$family \
		"$top_builddir/tests/stack/check_stack" >said ||
		die "the suite of IPv$family fails: $(tail -3 said)"
	# Each example was sent by some kernel.
	cut -d' ' -f2 packets$family | sort -u >sent
	cut -d' ' -f1 wanted$family | sort -u | diff - sent >differs ||
		die "IPv$family: other examples: $(head -3 differs)"
	for kernel in $(cut -d' ' -f1 packets$family | sort -u); do
		read_frames $family "$kernel" >frames
		judge $family <frames >said
		[ ! -s said ] || die "IPv$family, $kernel: $(head -3 said)"
		echo "IPv$family, $kernel: $(wc -l <frames) frames"
	done
done
echo "capture_options: passed"
