/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queue disciplines, and the state of a device's transmit queues
 * (include/net/sch_generic.h, linux/netdevice.h). */
#ifndef STACK_NET_SCH_GENERIC_H
#define STACK_NET_SCH_GENERIC_H

#include "stack/include/linux/netdevice.h"

#define TCQ_F_CAN_BYPASS 4u	/* an empty one need not be gone through */

/* Qdisc.state */
#define QDISC_STATE_SCHED 1u	/* NET_TX_SOFTIRQ has it on its list */
#define QDISC_STATE_DEACTIVATED 2u
#define QDISC_STATE_RUNNING 4u	/* where __state does not say so */
#define QDISC___STATE_RUNNING 1u

/* netdev_queue.state */
#define QUEUE_STATE_XOFF 1u	/* the driver takes no more */
#define QUEUE_STATE_FROZEN 2u

#define TC_PRIO_MAX 15u
#define PFIFO_FAST_BANDS 3u

struct Qdisc {
	struct object object;
	int (*enqueue)(struct sk_buff *skb, struct Qdisc *q);
	struct sk_buff *(*dequeue)(struct Qdisc *q);
	u32 flags;
	void *stab;		/* a table of sizes: none has one */
	struct netdev_queue *dev_queue;
	struct Qdisc *next_sched;
	struct sk_buff *gso_skb;	/* what the driver did not take */
	u64 state;
	u32 __state;
	struct { u32 qlen; struct spinlock lock; } q;
	struct { u64 bytes; u32 packets; } bstats;
	struct { u32 backlog, drops, requeues; } qstats;
	struct spinlock busylock;	/* those wait here who would only keep
					 * the one from q.lock that sends */
};

/* One of pfifo_fast's lists. */
struct qdisc_band {
	struct object object;
	struct sk_buff *next, *prev;
	u32 qlen;
};

struct pfifo_fast_priv {
	struct object object;
	u32 bitmap;		/* of the bands that hold something */
};

/* The private part lies behind the Qdisc, in the same memory. */
struct pfifo_fast {
	struct Qdisc qdisc;
	struct pfifo_fast_priv priv;
	struct qdisc_band band[PFIFO_FAST_BANDS];
};

/* Gives each queue of a device a discipline: none where the device's queues
 * have no length, else pfifo_fast, below mq if there are several. */
void attach_default_qdiscs(struct kernel *kernel, struct net_device *dev);

/* From dev_queue_xmit(): through the queue to the driver.  NET_XMIT_... */
int __dev_xmit_skb(struct sk_buff *skb, struct Qdisc *q,
		   struct net_device *dev, struct netdev_queue *txq);
/* NET_TX_SOFTIRQ is to run it on this CPU. */
void __netif_schedule(struct Qdisc *q);
void net_tx_action(void);

/* For drivers: a packet has been sent.  In an interrupt it is left to the
 * softirq. */
void dev_kfree_skb_any(struct sk_buff *skb);

static inline bool netif_tx_queue_stopped(struct netdev_queue *txq)
{
	return READ_ONCE(txq, state) & QUEUE_STATE_XOFF;
}

static inline bool netif_xmit_frozen_or_stopped(struct netdev_queue *txq)
{
	return READ_ONCE(txq, state) & (QUEUE_STATE_XOFF | QUEUE_STATE_FROZEN);
}

void netif_tx_stop_queue(struct netdev_queue *txq);
/* The driver has room again: what waits is sent by the softirq. */
void netif_tx_wake_queue(struct netdev_queue *txq);

/* The driver's lock of a queue, unless the driver needs none. */
void HARD_TX_LOCK(struct net_device *dev, struct netdev_queue *txq);
void HARD_TX_UNLOCK(struct net_device *dev, struct netdev_queue *txq);

#endif
