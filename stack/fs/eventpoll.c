/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models fs/eventpoll.c in a small way: sockets that have become readable
 * stand in a list, and the one task that waits for them is woken.
 *
 * What is there: the system calls, an entry in each socket's wait queue, its
 * call from the softirq, the sleep and the wake-up.  What is not: the memory
 * of the items and their tree, the locks of the list, more than one event at a
 * time, more than one task.
 */
#include <errno.h>

#include "stack/include/linux/entry.h"
#include "stack/include/linux/eventpoll.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/net/core/sock_rcv.h"

struct epitem {
	struct wait_queue_entry wait;
	struct eventpoll *ep;
	struct epitem *next;	/* that is ready */
	struct sock *sk;
	int fd;
	bool ready;
};

struct eventpoll {
	struct cpu *cpu;
	GPtrArray *items;	/* by descriptor; NULL where there never was */
	struct epitem *first, *last;
	struct wait_queue_entry *waiter;	/* the task, while it waits */
	struct irq timer;
	bool expired;
};

static void timer_interrupt(struct cpu *cpu, void *arg)
{
	struct eventpoll *ep = arg;

	(void)cpu;
	FUNCTION(hrtimer_interrupt);
	ep->expired = true;
	if (ep->waiter)
		default_wake_function(ep->waiter);
}

static void timer_event(void *arg, ps_t now)
{
	struct eventpoll *ep = arg;

	if (!ep->timer.pending)
		cpu_raise(ep->cpu, &ep->timer, now);
}

struct eventpoll *eventpoll_new(struct cpu *cpu)
{
	struct eventpoll *ep = g_new0(struct eventpoll, 1);

	ep->cpu = cpu;
	ep->items = g_ptr_array_new_with_free_func(g_free);
	ep->timer.name = "hrtimer";
	ep->timer.fn = timer_interrupt;
	ep->timer.arg = ep;
	return ep;
}

void eventpoll_free(struct eventpoll *ep)
{
	g_ptr_array_unref(ep->items);
	g_free(ep);
}

/* ---- which sockets are ready ---- */

static void add_ready(struct epitem *item)
{
	struct eventpoll *ep = item->ep;

	if (item->ready)
		return;
	item->ready = true;
	item->next = NULL;
	if (ep->last)
		ep->last->next = item;
	else
		ep->first = item;
	ep->last = item;
}

static void drop_ready(struct epitem *item)
{
	struct eventpoll *ep = item->ep;
	struct epitem **at = &ep->first, *before = NULL;

	while (*at != item) {
		before = *at;
		at = &before->next;
	}
	*at = item->next;
	if (ep->last == item)
		ep->last = before;
	item->ready = false;
}

/* From the socket's wait queue, where it has become readable. */
static bool ep_poll_callback(struct wait_queue_entry *entry)
{
	struct epitem *item = container_of(entry, struct epitem, wait);

	FUNCTION(ep_poll_callback);
	add_ready(item);
	if (item->ep->waiter)
		default_wake_function(item->ep->waiter);
	return true;
}

static struct epitem *item_of(struct eventpoll *ep, int fd)
{
	if (ep->items->len <= (u32)fd)
		g_ptr_array_set_size(ep->items, 2 * fd + 1);
	if (!ep->items->pdata[fd])
		ep->items->pdata[fd] = g_new0(struct epitem, 1);
	return ep->items->pdata[fd];
}

static bool is_readable(struct sock *sk)
{
	return READ_ONCE(sk, sk_receive_queue.next) ||
	       (has(UDP_READER_QUEUE) &&
		READ_ONCE((struct udp_sock *)(void *)sk, reader_queue.next));
}

static int ep_insert(struct eventpoll *ep, struct socket *sock, int fd)
{
	struct epitem *item = item_of(ep, fd);

	FUNCTION(ep_insert);
	item->ep = ep;
	item->fd = fd;
	item->sk = READ(sock, sk);
	item->wait = (struct wait_queue_entry){ .func = ep_poll_callback };
	add_wait_queue(item->sk, &item->wait);
	if (is_readable(item->sk))
		add_ready(item);
	return 0;
}

int sys_epoll_ctl_add(struct eventpoll *ep, int fd)
{
	int err, fput_needed;
	struct socket *sock;

	system_call_enter();
	{
		FUNCTION(sys_epoll_ctl);
		sock = sockfd_lookup_light(fd, &err, &fput_needed);
		if (sock) {
			err = ep_insert(ep, sock, fd);
			fput_light(READ(sock, file), fput_needed);
		}
	}
	system_call_exit();
	return err;
}

void eventpoll_release_file(struct eventpoll *ep, int fd)
{
	struct epitem *item = (u32)fd < ep->items->len ?
		ep->items->pdata[fd] : NULL;

	if (!item || !item->wait.queued)
		return;
	FUNCTION(ep_remove);
	remove_wait_queue(item->sk, &item->wait);
	cpu_irq_disable(this_cpu);
	if (item->ready)
		drop_ready(item);
	cpu_irq_enable(this_cpu);
}

/* ---- waiting ---- */

static int take_ready(struct eventpoll *ep)
{
	struct epitem *item;

	for (item = ep->first; item; item = ep->first) {
		drop_ready(item);
		if (is_readable(item->sk)) {
			add_ready(item);	/* until it has been read */
			return item->fd;
		}
	}
	return -1;
}

/* Sleeps until a socket is ready or the time has come. */
static void ep_sleep(struct eventpoll *ep, ps_t until)
{
	struct wait_queue_entry wait;
	event_id timer = 0;

	init_wait(&wait);
	wait.func = default_wake_function;
	ep->expired = false;
	WRITE_ONCE(current_task(), state, TASK_INTERRUPTIBLE);
	ep->waiter = &wait;
	if (until != TIME_NEVER)
		timer = machine_at(ep->cpu->machine, MAX(until, this_cpu->clock),
				   EVENT_TIMER, this_cpu->id, this_cpu->id,
				   timer_event, ep);
	if (!ep->first) {
		THIS_CPU(hrtimer) = timer ? MAX(until, this_cpu->clock) : 0;
		wait_schedule(&wait);
		THIS_CPU(hrtimer) = 0;
	}
	ep->waiter = NULL;
	if (timer)
		engine_cancel(ep->cpu->machine->engine, timer);
	WRITE_ONCE(current_task(), state, TASK_RUNNING);
}

int sys_epoll_wait(struct eventpoll *ep, ps_t until)
{
	int fd;

	system_call_enter();
	{
		FUNCTION(sys_epoll_wait);
		fd = take_ready(ep);
		while (fd < 0 && this_cpu->clock < until) {
			ep_sleep(ep, until);
			fd = take_ready(ep);
		}
	}
	system_call_exit();
	return fd;
}
