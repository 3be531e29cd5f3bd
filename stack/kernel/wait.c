/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models kernel/sched/wait.c: wait queues, and tasks that sleep there.
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

/* Its owner looks at `queued` without the lock, and the entry may be gone from
 * its stack as soon as that is false: nobody touches it after. */
static void unqueue(struct sock *sk, struct wait_queue_entry *entry)
{
	struct wait_queue_entry *before = first_of(sk);

	if (before == entry) {
		set_first(sk, entry->next);
	} else {
		while (before->next != entry)
			before = before->next;
		before->next = entry->next;
	}
	entry->queued = false;
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
	FUNCTION(schedule);
	/* No time passes between the question and the sleep. */
	if (entry->woken)
		return;
	entry->sleeping = true;
	context_block();
	entry->sleeping = false;
}

/* The task may still be on its way to sleep. */
bool default_wake_function(struct wait_queue_entry *entry)
{
	bool asleep = entry->sleeping;

	entry->woken = true;
	entry->sleeping = false;
	try_to_wake_up(entry->context, asleep, entry->sync);
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
		entry->sync = true;
		if (entry->func(entry) && exclusive) {
			unqueue(sk, entry);
			break;
		}
	}
	unlock_queue(sk);
}
