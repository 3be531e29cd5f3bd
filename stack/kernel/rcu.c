/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models kernel/rcu/tree_plugin.h: the readers' side. */
#include "stack/include/linux/fs.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"

void __rcu_read_lock(void)
{
	struct task_struct *task;

	FUNCTION(__rcu_read_lock);
	task = GET_CURRENT();
	UPDATE(task, rcu_read_lock_nesting, += 1);
}

/* Only the outermost end asks whether somebody waits for this reader. */
void __rcu_read_unlock(void)
{
	struct task_struct *task;

	FUNCTION(__rcu_read_unlock);
	task = GET_CURRENT();
	UPDATE(task, rcu_read_lock_nesting, -= 1);
	if (READ(task, rcu_read_lock_nesting))
		return;
	WORK(3);
	(void)READ(task, rcu_read_unlock_special.b.blocked);
}
