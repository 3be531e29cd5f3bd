/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wait queues, and tasks that sleep at them (include/linux/wait.h).
 *
 * The only wait queues so far are those of sockets, so that a queue is named
 * by its socket: kernels keep it in the socket or in a socket_wq.
 */
#ifndef STACK_LINUX_WAIT_H
#define STACK_LINUX_WAIT_H

#include "stack/include/linux/sched.h"
#include "stack/include/net/sock.h"

/* Who waits; on a stack, and so not charged. */
struct wait_queue_entry {
	struct wait_queue_entry *next;
	bool (*func)(struct wait_queue_entry *entry);	/* it woke somebody */
	void *private;
	struct context *context;
	bool exclusive;		/* waking one of these is enough */
	bool queued;
	bool woken, sleeping;
	bool sync;		/* who wakes it will soon sleep */
};

/* An entry that wakes the task that runs now. */
void init_wait(struct wait_queue_entry *entry);
void add_wait_queue(struct sock *sk, struct wait_queue_entry *entry);
void remove_wait_queue(struct sock *sk, struct wait_queue_entry *entry);
void prepare_to_wait_exclusive(struct sock *sk,
			       struct wait_queue_entry *entry);
void finish_wait(struct sock *sk, struct wait_queue_entry *entry);
/* Sleeps until the entry's function is called; not at all if it has been since
 * init_wait(). */
void wait_schedule(struct wait_queue_entry *entry);
/* Wakes the entry's task, from wherever. */
bool default_wake_function(struct wait_queue_entry *entry);
/* Calls the functions of those that wait at a socket. */
void __wake_up_sync_key(struct sock *sk);

#endif
