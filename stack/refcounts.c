/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reference counts whose balance --check keeps (see sim/check_refs.h): of
 * each object at most one.  Those of sk_buffs and pages need none, since what is
 * never put there is an object that is never freed, which is found by itself.
 * A neighbour's is not here: its timer, which is still armed when a run ends,
 * holds a reference that no pointer shows.  Nor is a header's (hh_entry): the
 * neighbour that keeps it may be older than the run.
 */
#include "sim/check.h"
#include "sim/machine.h"
#include "stack/kernel.h"

static const struct {
	const char *type, *member;
} counts[] = {
	{ "cred", "usage" },
	{ "dst_entry", "__refcnt" },
	{ "fib6_info", "fib6_ref" },
	{ "file", "f_count" },
	{ "inet6_dev", "refcnt" },
	{ "inet6_ifaddr", "refcnt" },
	{ "net", "count" },
	{ "sock", "sk_refcnt" },
};

void refcounts_declare(struct machine *machine)
{
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(counts); i++)
		check_count(machine, counts[i].type, counts[i].member);
}
