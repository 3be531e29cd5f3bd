#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# compare, lines and explain find what they read by indices: the plans that
# UDPSIM_QUERY_PLANS shows read no table whole but the runs' own (by an index
# that covers it) and the few rows of published figures.  Everything else that
# is scanned is a step of a query, with a row for each pair at most.
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

die()
{
	echo "query_plans: $*"
	exit 1
}

"$UDPSIM" run neigh-confirmed --set workload.threads=2 \
	--set scenario.repeat=1 --scale 0.0005 -q -o r.db >/dev/null

steps='(\(subquery-[0-9]+\)|variants|ranked|ends|pair|p|n|figures|cell|cause'
steps+='|part|published_unmatched)'
allowed="plan: +SCAN ($steps|q|run USING COVERING INDEX run_scenario"
allowed+='|sqlite_(master|schema))$'
for command in compare lines explain; do
	"$UDPSIM" $command r.db >plain 2>err
	[ ! -s err ] || die "$command: $(head -1 err)"
	UDPSIM_QUERY_PLANS=0 "$UDPSIM" $command r.db 2>err >/dev/null
	[ ! -s err ] || die "$command: plans that nobody asked for"
	UDPSIM_QUERY_PLANS=1 "$UDPSIM" $command r.db >planned 2>plans
	cmp plain planned || die "$command: another result with the plans"
	searches=$(grep -c '^plan: .*SEARCH .* USING' plans) || true
	[ "$searches" -ge 3 ] || die "$command: $searches searches"
	grep ' SCAN ' plans | grep -vE "^$allowed" >whole || true
	[ ! -s whole ] || die "$command reads whole: $(head -1 whole)"
	echo "query_plans: $command: $(grep -c ^query: plans) statements," \
		"$searches searches by an index"
done

# The step q, which is scanned, is the table of published figures.
grep -q 'FROM published AS q' <(sqlite3 r.db .schema) || die "what is q?"

# The check can fail: a view that reads metrics by value.
sqlite3 r.db "PRAGMA writable_schema = 1" "DROP VIEW comparison_pair" \
	"CREATE VIEW comparison_pair AS SELECT r.scenario, r.point,
	 'before' AS before_variant, 'after' AS after_variant,
	 1 AS before_run, 2 AS after_run FROM metric AS m
	 JOIN run AS r ON r.id = m.run WHERE m.value > 0 LIMIT 1"
UDPSIM_QUERY_PLANS=1 "$UDPSIM" compare r.db 2>plans >/dev/null
grep ' SCAN ' plans | grep -qvE "^$allowed" || die "a scan is not seen"
echo "query_plans: passed"
