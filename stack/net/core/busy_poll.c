/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/core/dev.c and include/net/busy_poll.h: a reader that finds nothing
 * polls the receive queue that its packets come by, for as long as
 * net.core.busy_read says, before it sleeps.
 *
 * The poll is that of Linux 4.5 and later for all kernels: who polls holds the
 * queue as the softirq would.  The first drivers had a poll of their own for it,
 * with a lock of their own, which each of their softirqs had to take as well.
 */
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/sched.h"
#include "stack/include/linux/softirq.h"
#include "stack/include/net/sock.h"
#include "stack/net/core/busy_poll.h"
#include "stack/net/core/sock_rcv.h"

#define BUSY_POLL_BUDGET 8

void napi_hash_add(struct kernel *kernel, struct napi_struct *napi)
{
	GPtrArray *napis = kernel->net_core->napis;

	g_ptr_array_add(napis, napi);
	/* Lower numbers are CPUs. */
	napi->napi_id = kernel->machine->num_cpus + napis->len;
}

static struct napi_struct *napi_by_id(u32 id)
{
	const struct kernel *kernel = this_kernel();
	const u32 first = kernel->machine->num_cpus + 1;

	WORK(12);
	if (id < first || id - first >= kernel->net_core->napis->len)
		return NULL;
	return kernel->net_core->napis->pdata[id - first];
}

void sk_mark_napi_id(struct sock *sk, struct sk_buff *skb)
{
	u32 id = READ(skb, napi_id);

	WRITE(sk, sk_napi_id, id);
}

/* One look at the device's queue, unless the softirq is at it. */
static void busy_poll_once(struct napi_struct *napi)
{
	int (*poll)(struct napi_struct *napi, int budget);
	bool more;

	local_bh_disable();
	if (!napi_test_and_set_sched(napi)) {
		napi->busy_polled = true;
		poll = READ(napi, poll);
		more = poll(napi, BUSY_POLL_BUDGET) == BUSY_POLL_BUDGET;
		if (more)
			napi_complete(napi);
		/* An interrupt that came meanwhile found it taken. */
		if (more || napi->missed)
			napi_schedule(napi);
		napi->missed = false;
	}
	local_bh_enable();
}

static bool has_packets(const struct sock *sk)
{
	return READ_ONCE(sk, sk_receive_queue.next);
}

bool sk_busy_loop(struct sock *sk, bool noblock)
{
	struct napi_struct *napi;
	ps_t end;
	u32 usec;

	usec = READ(sk, sk_ll_usec);
	if (!usec || need_resched())
		return false;
	FUNCTION(sk_busy_loop);
	napi = napi_by_id(READ_ONCE(sk, sk_napi_id));
	if (!napi)
		return false;
	end = this_cpu->clock + usec * PS_PER_US;
	do {
		WORK(20);	/* the clock, and a pause */
		busy_poll_once(napi);
	} while (!noblock && !has_packets(sk) && !need_resched() &&
		 this_cpu->clock < end);
	return has_packets(sk);
}
