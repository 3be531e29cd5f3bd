#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each costs.tsv and structs.tsv that is made from a map is what
# stack/kernels/derive makes of it and of the traces.
set -eu

cd "${top_srcdir-.}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

stack/kernels/derive . "$tmp"
count=0
for made in "$tmp"/*/*.tsv; do
	file=stack/kernels/$(basename "$(dirname "$made")")/$(basename "$made")
	if ! diff -u "$file" "$made"; then
		echo "costs.sh: $file is out of date; make it anew with" \
			"stack/kernels/derive" >&2
		exit 1
	fi
	count=$((count + 1))
done
[ "$count" -gt 2 ] || {
	echo "costs.sh: only $count tables are made from maps" >&2
	exit 1
}
echo "PASS: $count tables of the kernels"
