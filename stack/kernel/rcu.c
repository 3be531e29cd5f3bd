/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models kernel/rcu/tree.c and tree_plugin.h, before 3.14 kernel/rcutree.c: the
 * readers' side, and freeing what they may still read.  Readers run through
 * without sleeping and in far less than a tick, so that a fixed number of
 * ticks stands for a grace period.
 */
#include "stack/include/linux/fs.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/softirq.h"
#include "stack/include/linux/timer.h"

struct rcu_callback {
	void *object;
	u64 since;		/* jiffies */
};

/* What one CPU has to free, oldest first. */
struct rcu_callbacks {
	GArray *list;
};

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

void kfree_rcu(void *object)
{
	struct rcu_callback callback = {
		.object = object, .since = JIFFIES(),
	};

	/* It is freed for certain, though perhaps after the run. */
	kmemleak_not_leak(object);
	g_array_append_val(THIS_CPU(rcu_callbacks)->list, callback);
}

static u32 ready(const struct rcu_callbacks *callbacks, u64 now)
{
	const GArray *list = callbacks->list;
	u32 i;

	for (i = 0; i < list->len; i++)
		if (time_after(g_array_index(list, struct rcu_callback,
					     i).since + RCU_GRACE_JIFFIES,
			       now))
			break;
	return i;
}

void rcu_check_callbacks(void)
{
	if (ready(THIS_CPU(rcu_callbacks), jiffies_data()->jiffies))
		raise_softirq(RCU_SOFTIRQ);
}

void rcu_process_callbacks(void)
{
	GArray *list = THIS_CPU(rcu_callbacks)->list;
	u32 i, n;

	FUNCTION(rcu_process_callbacks);
	n = ready(THIS_CPU(rcu_callbacks), JIFFIES());
	for (i = 0; i < n; i++)
		kfree(g_array_index(list, struct rcu_callback, i).object);
	if (n)
		g_array_remove_range(list, 0, n);
}

bool rcu_wants_cpu(const struct kernel *kernel, u32 cpu, u64 now)
{
	return ready(kernel->percpu[cpu].rcu_callbacks, now);
}

void rcu_init(struct kernel *kernel)
{
	u32 i;

	for (i = 0; i < kernel->machine->num_cpus; i++) {
		struct rcu_callbacks *callbacks =
			g_new0(struct rcu_callbacks, 1);

		callbacks->list = g_array_new(FALSE, FALSE,
					      sizeof(struct rcu_callback));
		kernel->percpu[i].rcu_callbacks = callbacks;
	}
}

void rcu_exit(struct kernel *kernel)
{
	u32 i, j;

	for (i = 0; kernel->percpu && i < kernel->machine->num_cpus; i++) {
		struct rcu_callbacks *callbacks =
			kernel->percpu[i].rcu_callbacks;

		if (!callbacks)
			continue;
		for (j = 0; j < callbacks->list->len; j++)
			kfree(g_array_index(callbacks->list,
					    struct rcu_callback, j).object);
		g_array_unref(callbacks->list);
		g_free(callbacks);
	}
}
