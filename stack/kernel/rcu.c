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

/* What one CPU has to invoke, oldest first: those that wait for the grace
 * period which began at `since`, and behind them those that came later. */
struct rcu_callbacks {
	struct rcu_head *head, **wait, **tail;
	u64 since;		/* jiffies */
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

static struct object *object_of(struct rcu_head *head)
{
	return (struct object *)(void *)((u8 *)head - head->func->offset);
}

static void touch(const struct object *o, const struct access_site *site)
{
	access_line(o, o->line + o->table[site->offset], site,
		    site->kind == ACCESS_WRITE);
}

void call_rcu(struct object *object, const struct rcu_callback *callback)
{
	struct rcu_callbacks *list = THIS_CPU(rcu_callbacks);
	struct rcu_head *head = (struct rcu_head *)(void *)
				((u8 *)object + callback->offset);

	FUNCTION(call_rcu);
	/* It is freed for certain, though perhaps after the run. */
	if (unlikely(this_cpu->machine->check))
		kmemleak_not_leak(object);
	touch(object, callback->set_func);
	head->func = callback;
	touch(object, callback->set_next);
	head->next = NULL;
	*list->tail = head;
	list->tail = &head->next;
	if (list->wait == &list->head) {
		list->wait = list->tail;
		list->since = jiffies_data()->jiffies;
	}
}

static bool ready(const struct rcu_callbacks *list, u64 now)
{
	return list->wait != &list->head &&
	       time_before_eq(list->since + RCU_GRACE_JIFFIES, now);
}

void rcu_check_callbacks(void)
{
	if (ready(THIS_CPU(rcu_callbacks), jiffies_data()->jiffies))
		raise_softirq(RCU_SOFTIRQ);
}

/* Takes those off that have waited; the later ones begin to. */
static struct rcu_head *take_ready(struct rcu_callbacks *list, u64 now)
{
	struct rcu_head *first = list->head;

	list->head = *list->wait;
	*list->wait = NULL;
	if (!list->head)
		list->tail = &list->head;
	list->wait = list->tail;
	list->since = now;
	return first;
}

static void invoke(struct rcu_head *head)
{
	while (head) {
		struct rcu_head *next = head->next;
		struct object *object = object_of(head);

		touch(object, head->func->get_next);
		touch(object, head->func->get_func);
		head->func->function(object);
		head = next;
	}
}

void rcu_process_callbacks(void)
{
	struct rcu_callbacks *list = THIS_CPU(rcu_callbacks);
	u64 now;

	FUNCTION(rcu_process_callbacks);
	now = JIFFIES();
	if (ready(list, now))
		invoke(take_ready(list, now));
}

void synchronize_rcu(void)
{
}

void rcu_barrier(void)
{
	const struct kernel *kernel = this_kernel();
	u32 i;

	for (i = 0; i < kernel->machine->num_cpus; i++) {
		struct rcu_callbacks *list = kernel->percpu[i].rcu_callbacks;

		list->wait = list->tail;
		invoke(take_ready(list, jiffies_data()->jiffies));
	}
}

bool rcu_wants_cpu(const struct kernel *kernel, u32 cpu, u64 now)
{
	return ready(kernel->percpu[cpu].rcu_callbacks, now);
}

void rcu_init(struct kernel *kernel)
{
	u32 i;

	for (i = 0; i < kernel->machine->num_cpus; i++) {
		struct rcu_callbacks *list = g_new0(struct rcu_callbacks, 1);

		list->wait = &list->head;
		list->tail = &list->head;
		kernel->percpu[i].rcu_callbacks = list;
	}
}

void rcu_exit(struct kernel *kernel)
{
	u32 i;

	if (!kernel->percpu)
		return;
	if (kernel->time)
		rcu_barrier();
	for (i = 0; i < kernel->machine->num_cpus; i++)
		g_free(kernel->percpu[i].rcu_callbacks);
}
