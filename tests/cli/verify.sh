#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The model against the traces of real kernels: no operation falls below its
# floor in verify-floors.tsv, and each one that the model can do has one there.
# The model is its own truth.
set -u

floors=$top_srcdir/tests/cli/verify-floors.tsv
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99
failed=0 passed=0

# judge KERNEL: the text that verify printed on standard input.
judge()
{
	awk -v kernel="$1" '
	function below(what, value, floor) {
		if (floor != "-" && (value == "-" || value + 0 < floor + 0))
			wrong(what " " value " is below " floor)
	}
	function wrong(text) { print "FAIL: " kernel " " name ": " text; bad++ }
	/^#/ { next }
	FILENAME != "-" {
		if ($1 == kernel) floor[$2] = $0
		next
	}
	FNR == 1 || $1 == "total" { next }
	{ name = $1; seen[name] = 1 }
	$2 == "-" {
		if (name in floor) wrong("is no longer modelled")
		next
	}
	!(name in floor) {
		wrong("is modelled: give it a row in verify-floors.tsv")
		next
	}
	{
		split(floor[name], f)
		if ($4 < f[3] || $4 > f[4])
			wrong("ratio " $4 " is not within " f[3] " to " f[4])
		below("recall", $5, f[5])
		below("precision", $6, f[6])
		below("flags", $7, f[7])
		good++
	}
	END {
		for (name in floor)
			if (!(name in seen)) wrong("is not in the truth")
		print kernel ": " good + 0 " operations"
		exit bad > 0
	}' "$floors" -
}

check()
{
	if "$@"; then
		passed=$((passed + 1))
	else
		echo "FAIL: $*"
		failed=$((failed + 1))
	fi
}

verify_kernel()
{
	"$UDPSIM" verify "$top_srcdir/tests/truth/$1" --kernel "$1" >"$1" &&
		judge "$1" <"$1"
}

for kernel in linux-3.6 linux-6.1; do
	check verify_kernel $kernel
	grep -v 'not modelled yet' $kernel
done

# The JSON that scripts rely on; without lines there is no recall.
json()
{
	"$UDPSIM" verify "$top_srcdir/tests/truth/$1" --kernel "$1" \
		--json >"$1.json" || return
	for key in recall precision operations operation instructions \
		instructions_truth; do
		grep -q "\"$key\" :" "$1.json" || return
	done
	grep -q "\"recall\" : $2" "$1.json"
}
check json linux-3.6 null
check json linux-6.1 '[01]\.[0-9]'

# An operation by itself is a truth of which the model misses nothing.
own_truth()
{
	"$UDPSIM" operation "$2" --kernel "$1" -o "own/$1/$2" || return
	"$UDPSIM" verify "own/$1/$2" --kernel "$1" >own.text || return
	awk -v op="$2" '$1 == op { found = $4 == "1.000" && $5 == "1.000" &&
		$6 == "1.000" && $7 == "1.000" } END { exit !found }' own.text
}
check own_truth linux-3.6 C4SEND
check own_truth linux-6.1 U4SEND_CONF

# What no score looks at: locked instructions, and written lines that another
# process touches too.
locked_and_shared()
{
	awk -F'\t' -v op="$1" '$1 == op { print $4, $12 }'
}
same_totals()
{
	[ "$("$UDPSIM" operation "$1" --kernel linux-6.1 --table operations |
		locked_and_shared "$1")" = \
	  "$(locked_and_shared "$1" \
		<"$top_srcdir/tests/truth/linux-6.1/operations.tsv")" ]
}
for operation in C4SEND U4SEND U6SEND; do
	check same_totals $operation
done

# A patch is seen: with the confirmation written once a jiffy, no line that
# others read is written.
shared()
{
	"$UDPSIM" operation U4SEND_CONF --kernel linux-3.6 --table operations \
		"$@" | awk -F'\t' 'NR == 2 { print $NF }'
}
check [ "$(shared)" = 1 ]
check [ "$(shared --patches neigh-confirm-once)" = 0 ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
