#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The allocator's caches of a run, in the form of /proc/slabinfo: as many
# columns as the kernel prints, for both allocators.
set -eu

seed=$top_srcdir/scenarios/seeds/neigh-confirmed.scenario
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

"$UDPSIM" run "$seed" --scale 0.0001 --set scenario.repeat=1 --variant before \
	-q -o r.db
"$UDPSIM" run "$seed" --scale 0.0001 --set scenario.repeat=1 --variant before \
	--set parameters.mm.allocator=slub -q -o r.db
"$UDPSIM" slabinfo r.db --run 1 >slab
"$UDPSIM" slabinfo r.db >slub
head -n 1 slab | grep -qx 'slabinfo - version: 2.1'
grep -q '^# name            <active_objs> <num_objs>' slab

# name, 5 figures, ": tunables", 3, ": slabdata", 3
awk 'FNR > 2 && (NF != 16 || $7 != ":" || $8 != "tunables" || $12 != ":" ||
	$13 != "slabdata") { print "odd row: " $0; exit 1 }' slab slub
# SLAB keeps 54 free sockets a CPU, SLUB has no such number.
awk '$1 == "UDP" && $9 == 54 && $10 == 27 { found = 1 }
	END { exit !found }' slab
awk '$1 == "UDP" && $9 == 0 && $10 == 0 { found = 1 }
	END { exit !found }' slub
# A slab holds as many objects as it has room for.
awk 'FNR > 2 && ($2 > $3 || $3 != $15 * $5 || $4 * $5 > $6 * 4096) {
	print "cannot be: " $0; exit 1 }' slab

# As published of 4.6, without and with the patch that grows the socket.
cat >churn.scenario <<EOF
[scenario]
name      = churn
machine   = xeon-x5660-2p
kernel    = linux-4.6

[workload]
program   = socket-churn
threads   = 2
count     = 20
family    = inet

[variant before]
[variant after]
patches   = udp-sock-rcu-free
EOF
for variant in before after; do
	"$UDPSIM" run churn.scenario --variant $variant -q -o $variant.db
	"$UDPSIM" slabinfo $variant.db >slab
	awk -v which=$variant '
		{ row = $4 " " $5 " " $6 " " $9 " " $10 " " $11 }
		$1 == "UDP" && row == "960 4 1 54 27 8" { udp = 1 }
		$1 == "UDPv6" && row == "1088 7 2 24 12 8" { udpv6 = 1 }
		END { if (!udp || !udpv6) {
			print "4.6, " which ": not as published"; exit 1 } }
	' slab
done

if "$UDPSIM" slabinfo r.db --run 99 2>message; then
	echo "run 99 was there"; exit 1
fi
grep -q 'no caches of a run 99' message
echo "slabinfo: passed"
