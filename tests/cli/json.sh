#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What each command prints with --json parses, and has the members that
# doc/json.md names, all of them and no others, of the types that it says.
set -eu

command -v sqlite3 >/dev/null || { echo "SKIP: no sqlite3"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "$1"; exit 1; }

# The tables of the document: section, path, type.
awk -F '|' '
	/^##/ { sub(/^#+ */, ""); section = $0 }
	/^\| `/ {
		gsub(/[` ]/, "", $2)
		gsub(/^ *| *$/, "", $3)
		print section "\t" $2 "\t" $3
	}' "$top_srcdir/doc/json.md" >doc.tsv

# check SECTION FILE: the paths and types of a file against the section.
check() {
	awk -F '\t' -v section="$1" '$1 == section { print $2 }' doc.tsv |
		sort -u >named
	test -s named || fail "$1: not in doc/json.md"
	sqlite3 -separator $'\t' :memory: "select substr(fullkey, 3), type
		from json_tree(readfile('$2'))
		where type not in ('array', 'object')" |
		sed 's/\[[0-9]*\]/[]/g; s/"//g' | sort -u >seen
	cut -f 1 seen | sort -u >paths
	diff named paths || fail "$1: the document (<) and the output (>)"
	while IFS=$'\t' read -r path type; do
		says=$(awk -F '\t' -v section="$1" -v path="$path" \
			'$1 == section && $2 == path { print $3 }' doc.tsv)
		case $type:$says in
		text:text* | integer:integer* | true:boolean* | false:boolean*)
			;;
		real:number* | integer:number* | null:*" or null")
			;;
		*)
			fail "$1: $path is $type, and said to be $says"
			;;
		esac
	done <seen
	sections="$sections$1"$'\n'
}
sections=

# A planted false sharing, so that `lines` has a field to part.
{
	cat "$top_srcdir/scenarios/seeds/neigh-confirmed.scenario"
	printf '\n[layout]\nneighbour.nud_state = offset 12\n'
} >s.scenario
"$UDPSIM" run s.scenario --scale 0.0005 --set scenario.repeat=1 -q -o r.db \
	--json >run
check compare run
for command in compare digest explain lines slabinfo; do
	"$UDPSIM" $command --json r.db >out
	check $command out
done
"$UDPSIM" validate --json --scale 0.0005 -q neigh-confirmed >out
check compare out
cat >pahole <<'END'
struct neighbour {
	long unsigned int          confirmed;            /*     0     8 */
	int                        bits:3;               /*     8: 0  4 */
	/* size: 12, cachelines: 1, members: 2 */
};
END
"$UDPSIM" layout neighbour --json --db r.db --pahole pahole >out
check layout out
"$UDPSIM" conflicts bind close --json >out
check conflicts out
"$UDPSIM" conflicts --hot --pahole pahole --json >out
check "conflicts --hot" out
for list in scenarios machines kernels patches workloads metrics; do
	"$UDPSIM" list $list --json >out
	check "list $list" out
done
for table in lines functions calls operations; do
	"$UDPSIM" operation C4SEND --table $table --json >out
	check "operation $table" out
done
"$UDPSIM" verify --json "$top_srcdir/tests/truth/linux-6.1" >out
check verify out

# The same figures as without it.
test "$("$UDPSIM" digest r.db)" = "$("$UDPSIM" digest --json r.db |
	sed 's/.*:"\(.*\)".*/\1/')" || fail "digest"
test "$("$UDPSIM" operation C4SEND | sed 1d | wc -l)" = "$(sqlite3 :memory: \
	"select json_array_length('$("$UDPSIM" operation C4SEND --json |
	sed "s/'/''/g")', '\$.lines')")" || fail "operation: rows"

# Each section was looked at.
cut -f 1 doc.tsv | sort -u >all
printf %s "$sections" | sort -u | diff all - || fail "sections not checked"

# Colour: where it is wanted, and never in JSON.
has_color() { grep -q $'\033\\[' "$1"; }
for command in explain lines; do
	"$UDPSIM" $command --color=always r.db >out
	has_color out || fail "$command --color=always has none"
	for when in auto never; do
		"$UDPSIM" $command --color=$when r.db >out
		if has_color out; then fail "$command --color=$when: colour"; fi
	done
	"$UDPSIM" $command --color=always --json r.db >out
	if has_color out; then fail "$command --json: colour"; fi
done
if "$UDPSIM" list --color=always nonsense 2>err; then fail "list nonsense"; fi
has_color err || fail "an error without colour"
if command -v script >/dev/null; then
	on_terminal() { script -qec "'$UDPSIM' lines r.db" /dev/null >out; }
	TERM=xterm NO_COLOR= on_terminal
	has_color out || fail "no colour on a terminal"
	TERM=xterm NO_COLOR=1 on_terminal
	if has_color out; then fail "NO_COLOR is not heeded"; fi
	TERM=dumb NO_COLOR= on_terminal
	if has_color out; then fail "colour on a dumb terminal"; fi
fi
echo "OK: $(wc -l <all) sections, $(wc -l <doc.tsv) members"
