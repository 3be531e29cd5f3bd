/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models kernel/sched/wait.c, and of kernel/sched/core.c what a task passes
 * when it goes to sleep and when it is woken.
 *
 * Each CPU runs one task, so that nothing is chosen and no time slice ends.
 * What the processor does to switch, and the interrupt that tells an idle CPU,
 * take no time beyond their instructions and lines.
 */
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/wait.h"

static bool autoremove_wake_function(struct wait_queue_entry *entry)
{
	FUNCTION(autoremove_wake_function);
	return default_wake_function(entry);
}

void init_wait(struct wait_queue_entry *entry)
{
	*entry = (struct wait_queue_entry){
		.func = autoremove_wake_function,
		.context = this_cpu->current,
	};
}

static void lock_queue(struct sock *sk)
{
	cpu_irq_disable(this_cpu);
	if (socket_wq_embedded())
		SPIN_LOCK(sk->sk_socket, wq_lock);
	else
		SPIN_LOCK(sk->sk_wq, wait.lock);
}

static void unlock_queue(struct sock *sk)
{
	if (socket_wq_embedded())
		SPIN_UNLOCK(sk->sk_socket, wq_lock);
	else
		SPIN_UNLOCK(sk->sk_wq, wait.lock);
	cpu_irq_enable(this_cpu);
}

static struct wait_queue_entry *first_of(struct sock *sk)
{
	return socket_wq_embedded() ? READ(sk->sk_socket, wq_wait) :
				      READ(sk->sk_wq, task_list);
}

static void set_first(struct sock *sk, struct wait_queue_entry *entry)
{
	if (socket_wq_embedded())
		WRITE_ONCE(sk->sk_socket, wq_wait, entry);
	else
		WRITE_ONCE(sk->sk_wq, task_list, entry);
}

/* Those who want it alone stand behind the others. */
static void queue(struct sock *sk, struct wait_queue_entry *entry)
{
	struct wait_queue_entry *first = first_of(sk);

	entry->queued = true;
	if (!entry->exclusive || !first) {
		entry->next = first;
		set_first(sk, entry);
		return;
	}
	while (first->next)
		first = first->next;
	entry->next = NULL;
	first->next = entry;
}

static void unqueue(struct sock *sk, struct wait_queue_entry *entry)
{
	struct wait_queue_entry *before = first_of(sk);

	entry->queued = false;
	if (before == entry) {
		set_first(sk, entry->next);
		return;
	}
	while (before->next != entry)
		before = before->next;
	before->next = entry->next;
}

void add_wait_queue(struct sock *sk, struct wait_queue_entry *entry)
{
	FUNCTION(add_wait_queue);
	lock_queue(sk);
	queue(sk, entry);
	unlock_queue(sk);
}

void remove_wait_queue(struct sock *sk, struct wait_queue_entry *entry)
{
	FUNCTION(remove_wait_queue);
	lock_queue(sk);
	if (entry->queued)
		unqueue(sk, entry);
	unlock_queue(sk);
}

void prepare_to_wait_exclusive(struct sock *sk, struct wait_queue_entry *entry)
{
	FUNCTION(prepare_to_wait_exclusive);
	entry->exclusive = true;
	lock_queue(sk);
	if (!entry->queued)
		queue(sk, entry);
	WRITE_ONCE(current_task(), state, TASK_INTERRUPTIBLE);
	FENCE();
	unlock_queue(sk);
}

/* The one that is woken has been taken off the queue, as a rule. */
void finish_wait(struct sock *sk, struct wait_queue_entry *entry)
{
	FUNCTION(finish_wait);
	WRITE_ONCE(current_task(), state, TASK_RUNNING);
	if (!entry->queued)
		return;
	lock_queue(sk);
	if (entry->queued)
		unqueue(sk, entry);
	unlock_queue(sk);
}

/* ---- going to sleep, and being woken ---- */

void wait_schedule(struct wait_queue_entry *entry)
{
	struct rq *rq = THIS_CPU(rq);

	FUNCTION(schedule);
	cpu_irq_disable(this_cpu);
	SPIN_LOCK(rq, lock);
	if (READ_ONCE(current_task(), state) != TASK_RUNNING) {
		UPDATE(rq, nr_running, -= 1);
		entry->off_rq = true;
	}
	SPIN_UNLOCK(rq, lock);
	cpu_irq_enable(this_cpu);
	/* No time passes between the question and the sleep. */
	if (entry->woken)
		return;
	entry->sleeping = true;
	context_block();
	entry->sleeping = false;
}

/* The task may still be on its way to sleep. */
static void ttwu_queue(struct wait_queue_entry *entry)
{
	struct rq *rq = this_kernel()->percpu[entry->context->cpu->id].rq;

	FUNCTION(ttwu_queue);
	SPIN_LOCK(rq, lock);
	if (entry->off_rq) {
		UPDATE(rq, nr_running, += 1);
		entry->off_rq = false;
	}
	SPIN_UNLOCK(rq, lock);
}

bool default_wake_function(struct wait_queue_entry *entry)
{
	struct task_struct *task = entry->context->owner;

	FUNCTION(try_to_wake_up);
	cpu_irq_disable(this_cpu);
	SPIN_LOCK(task, pi_lock);
	if (READ_ONCE(task, state) != TASK_RUNNING) {
		WRITE_ONCE(task, state, TASK_RUNNING);
		ttwu_queue(entry);
	}
	SPIN_UNLOCK(task, pi_lock);
	cpu_irq_enable(this_cpu);
	entry->woken = true;
	if (entry->sleeping)
		context_wake(entry->context, this_cpu->clock);
	entry->sleeping = false;
	return true;
}

void __wake_up_sync_key(struct sock *sk)
{
	struct wait_queue_entry *entry, *next;

	FUNCTION(__wake_up_sync_key);
	lock_queue(sk);
	for (entry = first_of(sk); entry; entry = next) {
		bool exclusive = entry->exclusive;

		next = entry->next;
		if (exclusive)
			unqueue(sk, entry);
		if (entry->func(entry) && exclusive)
			break;
	}
	unlock_queue(sk);
}
