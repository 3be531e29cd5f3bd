/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How locks were fought for, site by site, as rows of results. */
#include <string.h>

#include "scenarios/collect_locks.h"

static int compare_locks(const void *a, const void *b)
{
	const struct result_lock *x = a, *y = b;
	int order = strcmp(x->host, y->host);

	if (!order)
		order = strcmp(x->type, y->type);
	return order ? order : strcmp(x->field, y->field);
}

void collect_locks(const struct lock_count *counts, char *const *types,
		   const char *host, GArray *locks)
{
	u32 i, j;

	for (i = 0; i < num_access_sites(); i++) {
		const struct access_site *site = &__start_access_sites[i];
		const struct lock_count *from = &counts[i];
		struct result_lock *lock = NULL, new_lock = { 0 };

		if (!from->acquired)
			continue;
		for (j = 0; j < locks->len && !lock; j++) {
			lock = &g_array_index(locks, struct result_lock, j);
			if (!g_str_equal(lock->host, host) ||
			    !g_str_equal(lock->type, types[i]) ||
			    !g_str_equal(lock->field, site->member))
				lock = NULL;
		}
		if (!lock) {
			new_lock.host = g_strdup(host);
			new_lock.type = g_strdup(types[i]);
			new_lock.field = g_strdup(site->member);
			g_array_append_val(locks, new_lock);
			lock = &g_array_index(locks, struct result_lock,
					      locks->len - 1);
		}
		lock->acquired += from->acquired;
		lock->contended += from->contended;
		lock->wait_ps += from->wait_ps;
		lock->spin_ps += from->spin_ps;
		lock->hold_ps += from->hold_ps;
	}
	g_array_sort(locks, compare_locks);
}

void collect_spinning(struct results *results)
{
	u32 i;

	for (i = 0; i < results->locks->len; i++) {
		const struct result_lock *lock =
			&g_array_index(results->locks, struct result_lock, i);
		struct result_wait wait = {
			.count = lock->contended, .time_ps = lock->spin_ps,
		};

		if (!lock->spin_ps)
			continue;
		wait.host = g_strdup(lock->host);
		wait.kind = g_strdup("lock");
		wait.name = g_strdup_printf("%s.%s", lock->type, lock->field);
		g_array_append_val(results->waits, wait);
	}
}
