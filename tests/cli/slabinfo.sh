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

if "$UDPSIM" slabinfo r.db --run 99 2>message; then
	echo "run 99 was there"; exit 1
fi
grep -q 'no caches of a run 99' message
echo "slabinfo: passed"
