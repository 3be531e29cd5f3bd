#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The layouts that a traced kernel's debug information gave, printed as pahole
# does, read back and put through derive-layout, make that kernel's structs.tsv.
# Then: side by side, the heat of a run beside it, and what is refused.
set -eu

command -v sqlite3 >/dev/null || { echo "SKIP: no sqlite3"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "$1"; exit 1; }
kernels=$top_srcdir/stack/kernels

# ---- a round trip ----

as_pahole() {
	awk -F '\t' '
	function end() {
		if (name != "")
			printf "\n\t/* size: %d, x */\n};\n", size
	}
	NR == 1 { next }
	$1 != name { end(); name = $1; size = 0; printf "struct %s {\n", $1 }
	$4 == "(whole)" { size = $3; next }
	{
		split($2, at, ":")
		bit = at[2] == "" ? "" : ":" at[2]
		width = at[2] == "" ? "" : ":1"
		printf "\tsome_t %s%s; /* %d%s %d */\n", $4, width, at[1], bit, $3
	}
	END { end() }' "$1"
}
as_pahole "$top_srcdir/tests/truth/linux-6.1/structs.tsv" >pahole
"$UDPSIM" layout --tsv --pahole pahole >rows
awk -f "$kernels/derive-layout" rows "$kernels/linux-6.1/layout.map" |
	LC_ALL=C sort >made
LC_ALL=C sort "$kernels/linux-6.1/structs.tsv" >wanted
wc -l <made
diff made wanted || fail "structs.tsv did not come back"

# ... and so do the rows of a table that is in the model's names.
"$UDPSIM" layout --tsv -k linux-3.6 neighbour >own
grep -qx 'neighbour	24	8	confirmed' own || fail "confirmed is not at 24"

# ---- side by side ----

cat >moved <<'END'
struct neighbour {
	struct neighbour *         next;                 /*     0     8 */

	/* XXX 56 bytes hole, try to pack */

	/* --- cacheline 1 boundary (64 bytes) --- */
	long unsigned int          confirmed;            /*    64     8 */
	int                        mine;                 /*    72     4 */

	/* size: 80, cachelines: 2, members: 3 */
};
END
"$UDPSIM" layout neighbour --pahole moved -k linux-3.6 >text
grep -Eq '^\* confirmed +24 +8 +0 +64 +8 +1$' text || fail "confirmed"
grep -Eq '^  next +0 +8 +0 +0 +8 +0$' text || fail "next"
grep -Eq '^  mine +- +- +- +72 +4 +1$' text || fail "mine"
grep -Eq '^\* ' text || fail "nothing moved"
tail -1 text | grep -q '^2 members on both sides, 1 of them at another offset, 1 on' ||
	fail "$(tail -1 text)"

# A struct that the model does not know, by itself.
sed 's/neighbour {/stranger {/' moved >stranger
"$UDPSIM" layout stranger --pahole stranger >text
cat >wanted <<'END'
struct stranger of stranger: 80 bytes, 2 lines
   offset     size  member
    --- line 0: bytes 0 to 63 ---
        0        8  struct neighbour *  next
                56  (hole)
    --- line 1: bytes 64 to 127 ---
       64        8  long unsigned int  confirmed
       72        4  int  mine
                 4  (hole)
END
diff text wanted || fail "a struct by itself"

# ---- heat ----

"$UDPSIM" run "$top_srcdir/scenarios/seeds/neigh-confirmed.scenario" \
	--scale 0.0005 --set scenario.repeat=1 -q -o r.db
"$UDPSIM" layout neighbour --db r.db --run 1 >text
grep -q '^heat: an operation of run 1 (neigh-confirmed, before) on linux-3.6' \
	text || fail "run"
grep -Eq '^ +24 +8  confirmed +0\.00 +1\.00 +0\.00 ' text ||
	fail "$(grep confirmed text)"
"$UDPSIM" layout neighbour --db r.db --run 1 --json >json
test "$(sqlite3 :memory: "select json_extract(value, '\$.stall_ps')
	from json_each(readfile('json'), '\$.members')
	where json_extract(value, '\$.member') = 'confirmed'")" = \
	"$(sqlite3 r.db "select sum(stall_ps) from field_access where run = 1
	and type = 'neighbour' and field = 'confirmed'")" || fail "stall"
# What the sockets of a run are is told of the struct that they begin with.
"$UDPSIM" layout sock --db r.db >text
grep -Eq 'sk_wmem_alloc +[0-9.]+ +0\.00 +[1-9]' text ||
	fail "$(grep sk_wmem_alloc text)"

# A run's own layout is what its heat is of, whether its text moved a member or its
# command line did, in this variant or in another.
cat >moved.scenario <<'END'
[scenario]
name    = moved
machine = desktop-2cpu
kernel  = linux-3.6
[workload]
program = udpflood
threads = 1
count   = 50
[network]
device    = dummy0 kind dummy mtu 1500
address   = dummy0 10.2.2.1/24
neighbour = dummy0 10.2.2.2 lladdr 02:00:00:00:00:02 nud reachable
[layout]
sock.sk_mark = offset 512
[variant plain]
[variant other]
layout.neighbour.confirmed = own line
[sweep]
workload.size = 8; 16
END
"$UDPSIM" run moved.scenario --set 'layout.dst_entry.__refcnt=own line' -q -o m.db
for run in $(sqlite3 m.db 'select id from run'); do
	variant=$(sqlite3 m.db "select variant from run where id = $run")
	for member in sock.sk_mark neighbour.confirmed dst_entry.__refcnt; do
		"$UDPSIM" layout "${member%.*}" --db m.db --run "$run" >ran
		"$UDPSIM" layout "${member%.*}" -k linux-3.6 >plain
		at() { awk -v m="${member#*.}" '$3 == m { print $1 }' "$1"; }
		moved=$([ "$(at ran)" = "$(at plain)" ] || echo moved)
		wanted=moved
		if [ $member = neighbour.confirmed ] && [ "$variant" = plain ]; then
			wanted=
		fi
		[ "$(at ran)" ] && [ "$moved" = "$wanted" ] ||
			fail "run $run, $variant: $member at $(at ran)," \
				"in the kernel at $(at plain)"
	done
done

# ---- refused ----

refused() {
	local status=0 wanted=$1 message=$2

	shift 2
	"$UDPSIM" layout "$@" >out 2>err || status=$?
	test "$status" = "$wanted" || fail "$*: status $status: $(cat err)"
	test ! -s out || fail "$*: output"
	grep -q -- "$message" err || fail "$*: $(cat err)"
}
sed 's/^	int .*/	int mine;/' moved >broken
refused 2 'broken:8: .*has no place' neighbour --pahole broken
refused 2 "no struct 'neighbor'; did you mean 'neighbour'" neighbor
refused 2 "no struct 'rt_hash_bucket'" rt_hash_bucket -k linux-6.1
refused 2 "no kernel is called 'linux-3.66'" sock -k linux-3.66
refused 2 'no patch is called' sock --patches nothing
refused 2 'no BTF in it' sock --btf moved
refused 3 'No such file' sock --btf none
refused 3 'No such file' sock --pahole none
refused 3 'none.db' sock --db none.db
refused 2 'no such run' sock --db r.db --run 9
sqlite3 m.db "UPDATE run SET variant = 'gone' WHERE id = 1"
refused 2 "variant 'gone', which its own" sock --db m.db --run 1
refused 2 'of a database' sock --run 9
refused 2 'no more' sock -k linux-3.6 -k linux-6.1 --btf moved
refused 2 'one struct' sock inet_sock
refused 2 'one struct'
echo "layout: passed"
