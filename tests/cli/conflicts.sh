#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The matrix, the list and the table of hot fields say the same, each time, and
# what is asked for wrongly is refused.
set -eu

command -v sqlite3 >/dev/null || { echo "SKIP: no sqlite3"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "$1"; exit 1; }

"$UDPSIM" conflicts send sendto join --list >text
"$UDPSIM" conflicts send sendto join --list >again
cmp text again || fail "two runs differ"
"$UDPSIM" conflicts send sendto join --json >json
# Scopes and operations: four times three pairs with themselves and others.
test "$(sqlite3 :memory: "select count(*), sum(first = 'send') from (select
	json_extract(value, '\$.first') as first
	from json_each(readfile('json'), '\$.pairs'))")" = '24|12' ||
	fail "pairs"
# The matrix has as many lines as the list has of them.
awk '/^two / { scope++ }
	/^send, / { exit }
	$1 == "join" && NF > 1 { print scope, $2, $3, $4 }' text >matrix
sqlite3 -separator ' ' :memory: "select scope + 1,
	max(n) filter (where first = 'send'),
	max(n) filter (where first = 'sendto'),
	max(n) filter (where first = 'join') from (select
	instr('spdn', substr(json_extract(value, '\$.shared'), 1, 1)) - 1
		as scope, json_extract(value, '\$.first') as first,
	json_array_length(value, '\$.lines') as n
	from json_each(readfile('json'), '\$.pairs')
	where json_extract(value, '\$.second') = 'join') group by scope" >wanted
test "$(wc -l <wanted)" = 4 || fail "$(cat wanted)"
diff matrix wanted || fail "the matrix and the JSON"
grep -A3 '^join, join; two processes: two ports, two' text |
	grep -q 'in_device' || fail "join"

# ---- hot fields ----

cat >types <<'END'
struct sock {
	refcount_t                 sk_wmem_alloc;        /*     8     4 */
	/* size: 12, cachelines: 1, members: 1 */
};
END
"$UDPSIM" conflicts --hot --pahole types >text
grep -Eq '^refcount_t +sk_wmem_alloc +5 +340 +atomic +.*sock_wfree\(\)' text ||
	fail "$(grep sk_wmem_alloc text)"
awk '/^struct / { head = $2 }
	head == "neighbour," && $2 == "nud_state" { print $5 }' text |
	grep -qx read || fail "neighbour.nud_state"

# ---- refused ----

refused() {
	local status=0 wanted=$1 message=$2

	shift 2
	"$UDPSIM" conflicts "$@" >out 2>err || status=$?
	test "$status" = "$wanted" || fail "$*: status $status: $(cat err)"
	test ! -s out || fail "$*: output"
	grep -q -- "$message" err || fail "$*: $(cat err)"
}
refused 2 "no operation is called 'listen'; there are socket, bind" listen
refused 2 "no kernel is called 'linux-9'" send -k linux-9
refused 2 'must be inet or inet6' send --family inet4
refused 2 'no patch is called' send --patches nothing
refused 2 'goes without' --hot send
refused 2 'are for --hot' --pahole types
refused 3 'No such file' --hot --btf none
echo "conflicts: passed"
