#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each costs.tsv that is made from a costs.map is what derive-costs makes of it
# and of the traces.
set -eu

cd "${top_srcdir-.}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

count=0
for map in stack/kernels/*/costs.map; do
	folder=${map%/costs.map}
	truth=tests/truth/$(basename "$folder")
	awk -f stack/kernels/derive-costs tests/truth/linux-6.1/functions.tsv \
		"$truth/operations.tsv" "$map" > "$tmp/costs.tsv"
	if ! diff -u "$folder/costs.tsv" "$tmp/costs.tsv"; then
		echo "costs.sh: $folder/costs.tsv is out of date; make it anew" \
			"with stack/kernels/derive-costs" >&2
		exit 1
	fi
	count=$((count + 1))
done
[ "$count" -gt 0 ] || {
	echo "costs.sh: no costs.map found" >&2
	exit 1
}
echo "PASS: the costs of $count kernels"
