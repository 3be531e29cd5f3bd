/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models kernel/spinlock.c (later kernel/locking/): what the functions of spin
 * locks do beside the lock's word. */
#include "stack/include/linux/softirq.h"
#include "stack/include/linux/spinlock.h"

void _raw_spin_lock_bh(void)
{
	FUNCTION(_raw_spin_lock_bh);
	local_bh_disable();
}

void _raw_spin_unlock_bh(void)
{
	FUNCTION(_raw_spin_unlock_bh);
	local_bh_enable();
}

/* A kernel that cannot be preempted counts nothing. */
void _raw_spin_lock(void)
{
	FUNCTION(_raw_spin_lock);
	if (has(PREEMPT_COUNT))
		preempt_count_add(1);
}

void _raw_spin_unlock(void)
{
	FUNCTION(_raw_spin_unlock);
	if (has(PREEMPT_COUNT))
		preempt_count_add(-1u);
}

void _raw_read_lock_bh(void)
{
	FUNCTION(_raw_read_lock_bh);
	local_bh_disable();
}

void _raw_read_unlock_bh(void)
{
	FUNCTION(_raw_read_unlock_bh);
	local_bh_enable();
}
