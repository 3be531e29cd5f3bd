#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `run --check` finds by itself that a patch as it was posted loses a reference
# at each send, and says where; the corrected form and the unpatched kernel are
# in order, and so is a newer kernel.
set -eu

udpsim=$UDPSIM
example=$top_srcdir/scenarios/examples/dst-leak.scenario
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
	echo "leak.sh: $*" >&2
	exit 1
}

# Runs with these options; the status, and what was said into a file.
status_of() {
	local status=0

	rm -f "$tmp/a.db"
	"$udpsim" run "$example" -q -o "$tmp/a.db" "$@" \
		>"$tmp/out" 2>"$tmp/err" || status=$?
	echo "$status"
}

# A variant leaks this many references in as many sends.
leaks() {
	local variant=$1 sends=$2
	shift 2

	[ "$(status_of --check --variant "$variant" "$@")" = 1 ] ||
		fail "$variant: no exit status 1"
	[ "$(wc -l <"$tmp/err")" = 1 ] || fail "$variant: $(cat "$tmp/err")"
	grep -q "^udpsim: check: dst-leak $variant: leak: dst_entry\.__refcnt\
 of rt6_info: +1\.000 a call of sys_sendto, taken in udpv6_sendmsg <-\
 .*: $sends calls, $sends references left\$" "$tmp/err" ||
		fail "$variant: $(cat "$tmp/err")"
}

leaks posted 300 --scale 0.3
leaks posted 400 --scale 0.1 --set workload.threads=4
for variant in before corrected; do
	[ "$(status_of --check --variant $variant --scale 0.3)" = 0 ] ||
		fail "$variant: $(cat "$tmp/err")"
	[ ! -s "$tmp/err" ] || fail "$variant: $(cat "$tmp/err")"
done

# Nothing is looked for unless one asks.
[ "$(status_of --scale 0.1)" = 0 ] || fail "without --check: $(cat "$tmp/err")"

# A route of each CPU's own points to the one that it was made of, and so do
# those of the newer kernels; nobody has lost these references.
for kernel in linux-2.6.32 linux-3.6 linux-3.15 linux-4.6 linux-6.1; do
	rm -f "$tmp/a.db"
	"$udpsim" run "$top_srcdir/scenarios/examples/udpflood-inet6.scenario" \
		-q -o "$tmp/a.db" --check --scale 0.0003 --variant inet6 \
		--set "scenario.kernel=$kernel" >"$tmp/out" 2>"$tmp/err" ||
		fail "$kernel: $(cat "$tmp/err")"
done
echo "PASS: a patch's lost reference, found with its place and its rate"
