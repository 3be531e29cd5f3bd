/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/sched/sch_generic.c, and of net/core/dev.c what goes through a
 * queue: __dev_xmit_skb(), netif_schedule() and the softirq of transmission.
 *
 * The lockless pfifo_fast that Linux has from 4.16 on is not modelled: such a
 * kernel sends through the one with a lock.
 */
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/sched.h"
#include "stack/include/linux/softirq.h"
#include "stack/include/linux/spinlock.h"
#include "stack/include/net/sch_generic.h"

#define WEIGHT_P 64		/* packets that one CPU sends in a row */
#define THIS_SOFTNET (this_kernel()->net_core->softnet_data[this_cpu->id])

/* ---- the state of a queue ---- */

/* Whether a bit was set before; locked operations on the word. */
static bool test_and_set_state(struct Qdisc *q, u64 bit)
{
	bool was;

	(void)ATOMIC_ADD_RETURN(q, state, 0);
	was = q->state & bit;
	q->state |= bit;
	return was;
}

static void clear_state(struct Qdisc *q, u64 bit)
{
	(void)ATOMIC_ADD_RETURN(q, state, 0);
	q->state &= ~bit;
}

/* One CPU at a time takes packets out of a queue. */
static bool qdisc_is_running(struct Qdisc *q)
{
	return READ_ONCE(q, __state) & QDISC___STATE_RUNNING;
}

static bool qdisc_run_begin(struct Qdisc *q)
{
	if (!has(QDISC_RUNNING_PLAIN))
		return !test_and_set_state(q, QDISC_STATE_RUNNING);
	if (READ(q, __state) & QDISC___STATE_RUNNING)
		return false;
	WRITE_ONCE(q, __state, q->__state | QDISC___STATE_RUNNING);
	return true;
}

static void qdisc_run_end(struct Qdisc *q)
{
	if (!has(QDISC_RUNNING_PLAIN))
		clear_state(q, QDISC_STATE_RUNNING);
	else
		WRITE_ONCE(q, __state, q->__state & ~QDISC___STATE_RUNNING);
}

void netif_tx_stop_queue(struct netdev_queue *txq)
{
	(void)ATOMIC_ADD_RETURN(txq, state, 0);
	txq->state |= QUEUE_STATE_XOFF;
}

void netif_tx_wake_queue(struct netdev_queue *txq)
{
	bool was;

	FUNCTION(netif_tx_wake_queue);
	(void)ATOMIC_ADD_RETURN(txq, state, 0);
	was = txq->state & QUEUE_STATE_XOFF;
	txq->state &= ~(u64)QUEUE_STATE_XOFF;
	if (was)
		__netif_schedule(READ(txq, qdisc));
}

void HARD_TX_LOCK(struct net_device *dev, struct netdev_queue *txq)
{
	if (READ(dev, features) & NETIF_F_LLTX)
		return;
	SPIN_LOCK_NESTED(txq, _xmit_lock);
	WRITE_ONCE(txq, xmit_lock_owner, (s32)this_cpu->id);
}

void HARD_TX_UNLOCK(struct net_device *dev, struct netdev_queue *txq)
{
	if (READ(dev, features) & NETIF_F_LLTX)
		return;
	WRITE_ONCE(txq, xmit_lock_owner, -1);
	SPIN_UNLOCK_NESTED(txq, _xmit_lock);
}

/* ---- pfifo_fast ---- */

/* By the priority of the packet, see pfifo_fast(8). */
static const u8 prio2band[TC_PRIO_MAX + 1] = {
	1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1
};

static struct pfifo_fast *pfifo_fast(struct Qdisc *q)
{
	return (struct pfifo_fast *)(void *)q;
}

/* Behind the last one. */
static void band_add(struct qdisc_band *band, struct sk_buff *skb)
{
	struct sk_buff *last = READ(band, prev);

	WRITE(skb, next, NULL);
	WRITE(skb, prev, last);
	if (last)
		WRITE(last, next, skb);
	else
		WRITE(band, next, skb);
	WRITE(band, prev, skb);
	UPDATE(band, qlen, += 1);
}

static struct sk_buff *band_remove(struct qdisc_band *band)
{
	struct sk_buff *skb = READ(band, next), *next;

	UPDATE(band, qlen, -= 1);
	next = READ(skb, next);
	WRITE(band, next, next);
	if (next)
		WRITE(next, prev, NULL);
	else
		WRITE(band, prev, NULL);
	WRITE(skb, next, NULL);
	WRITE(skb, prev, NULL);
	return skb;
}

static int pfifo_fast_enqueue(struct sk_buff *skb, struct Qdisc *q)
{
	struct pfifo_fast *fast = pfifo_fast(q);
	struct net_device *dev;
	u32 band, limit;

	FUNCTION(pfifo_fast_enqueue);
	dev = READ(READ(q, dev_queue), dev);
	limit = READ(dev, tx_queue_len);
	if (READ(q, q.qlen) >= limit) {
		UPDATE(q, qstats.drops, += 1);
		kfree_skb(skb);
		return NET_XMIT_DROP;
	}
	band = prio2band[READ(skb, priority) & TC_PRIO_MAX];
	UPDATE(&fast->priv, bitmap, |= 1u << band);
	UPDATE(q, q.qlen, += 1);
	if (!has(QDISC_STATS_DEQUEUE)) {
		UPDATE(q, bstats.bytes, += skb->len);
		UPDATE(q, bstats.packets, += 1);
	}
	band_add(&fast->band[band], skb);
	UPDATE(q, qstats.backlog, += READ(skb, len));
	return NET_XMIT_SUCCESS;
}

static struct sk_buff *pfifo_fast_dequeue(struct Qdisc *q)
{
	struct pfifo_fast *fast = pfifo_fast(q);
	u32 bitmap, band;
	struct sk_buff *skb;

	FUNCTION(pfifo_fast_dequeue);
	bitmap = READ(&fast->priv, bitmap);
	if (!bitmap)
		return NULL;
	band = (u32)__builtin_ctz(bitmap);
	skb = band_remove(&fast->band[band]);
	UPDATE(q, qstats.backlog, -= READ(skb, len));
	if (has(QDISC_STATS_DEQUEUE)) {
		UPDATE(q, bstats.bytes, += skb->len);
		UPDATE(q, bstats.packets, += 1);
	}
	UPDATE(q, q.qlen, -= 1);
	if (!READ(&fast->band[band], next))
		UPDATE(&fast->priv, bitmap, &= ~(1u << band));
	return skb;
}

/* ---- to the driver ---- */

/* The driver has not taken it, or not the last segments of it: they go first the
 * next time.  They count as one packet, in the kernel as so many. */
static void dev_requeue_skb(struct sk_buff *skb, struct Qdisc *q)
{
	FUNCTION(dev_requeue_skb);
	WRITE(q, gso_skb, skb);
	UPDATE(q, qstats.requeues, += 1);
	UPDATE(q, q.qlen, += 1);
	__netif_schedule(q);
}

static struct netdev_queue *skb_queue(struct net_device *dev,
				      struct sk_buff *skb)
{
	return netdev_get_tx_queue(dev, READ(skb, queue_mapping));
}

static struct sk_buff *dequeue_skb(struct Qdisc *q, bool *requeued)
{
	struct sk_buff *skb = READ(q, gso_skb);

	*requeued = skb != NULL;
	if (!skb)
		return READ(q, dequeue)(q);
	if (netif_xmit_frozen_or_stopped(skb_queue(READ(skb, dev), skb)))
		return NULL;
	WRITE(q, gso_skb, NULL);
	UPDATE(q, q.qlen, -= 1);
	return skb;
}

/*
 * With q.lock held, which is let go meanwhile.  False: there is nothing more to
 * send for now.
 */
static bool sch_direct_xmit(struct sk_buff *skb, struct Qdisc *q,
			    struct net_device *dev, struct netdev_queue *txq,
			    bool validate)
{
	int rc = NETDEV_TX_BUSY;

	FUNCTION(sch_direct_xmit);
	SPIN_UNLOCK_NESTED(q, q.lock);
	if (validate && has(XMIT_VALIDATE))
		skb = validate_xmit_skb(skb);
	if (!skb) {
		SPIN_LOCK_NESTED(q, q.lock);
		return READ(q, q.qlen);
	}
	HARD_TX_LOCK(dev, txq);
	if (!netif_xmit_frozen_or_stopped(txq))
		rc = dev_hard_start_xmit(&skb, dev, txq);
	HARD_TX_UNLOCK(dev, txq);
	SPIN_LOCK_NESTED(q, q.lock);
	if (rc == NETDEV_TX_BUSY) {
		dev_requeue_skb(skb, q);
		return false;
	}
	if (!READ(q, q.qlen))
		return false;
	return !netif_xmit_frozen_or_stopped(txq);
}

/* Sends one packet; false: none is left, or the driver is full. */
static bool qdisc_restart(struct Qdisc *q)
{
	struct net_device *dev;
	struct sk_buff *skb;
	bool requeued;

	FUNCTION(qdisc_restart);
	skb = dequeue_skb(q, &requeued);
	if (!skb)
		return false;
	dev = READ(READ(q, dev_queue), dev);
	return sch_direct_xmit(skb, q, dev, skb_queue(dev, skb), !requeued);
}

/* How long one CPU goes on: so many packets, or formerly until the next
 * jiffy; and no longer than until another task is to run. */
static void __qdisc_run(struct Qdisc *q)
{
	u64 start = 0;
	int quota = WEIGHT_P;

	FUNCTION(__qdisc_run);
	if (!has(QDISC_QUOTA))
		start = JIFFIES();
	while (qdisc_restart(q)) {
		if (has(QDISC_QUOTA) ? --quota > 0 && !need_resched() :
				       !need_resched() && JIFFIES() == start)
			continue;
		__netif_schedule(q);
		break;
	}
	qdisc_run_end(q);
}

static void qdisc_bstats_update(struct Qdisc *q, struct sk_buff *skb)
{
	UPDATE(q, bstats.bytes, += READ(skb, len));
	UPDATE(q, bstats.packets, += 1);
}

/* Those who find it running wait one by one at another lock, so that the CPU
 * that sends gets q.lock sooner. */
static bool take_busylock(struct Qdisc *q)
{
	if (!has(QDISC_BUSYLOCK) || !qdisc_is_running(q))
		return false;
	SPIN_LOCK_NESTED(q, busylock);
	return true;
}

static void drop_busylock(struct Qdisc *q, bool *contended)
{
	if (*contended)
		SPIN_UNLOCK_NESTED(q, busylock);
	*contended = false;
}

int __dev_xmit_skb(struct sk_buff *skb, struct Qdisc *q,
		   struct net_device *dev, struct netdev_queue *txq)
{
	bool contended;
	int rc = NET_XMIT_SUCCESS;

	FUNCTION(__dev_xmit_skb);
	(void)READ(q, stab);
	contended = take_busylock(q);
	SPIN_LOCK_NESTED(q, q.lock);
	if (READ_ONCE(q, state) & QDISC_STATE_DEACTIVATED) {
		kfree_skb(skb);
		rc = NET_XMIT_DROP;
	} else if (READ(q, flags) & TCQ_F_CAN_BYPASS && !READ(q, q.qlen) &&
		   qdisc_run_begin(q)) {
		qdisc_bstats_update(q, skb);
		if (sch_direct_xmit(skb, q, dev, txq, true)) {
			drop_busylock(q, &contended);
			__qdisc_run(q);
		} else {
			qdisc_run_end(q);
		}
	} else {
		rc = READ(q, enqueue)(skb, q);
		if (qdisc_run_begin(q)) {
			drop_busylock(q, &contended);
			__qdisc_run(q);
		}
	}
	SPIN_UNLOCK_NESTED(q, q.lock);
	drop_busylock(q, &contended);
	return rc;
}

/* ---- the softirq ---- */

static void __netif_reschedule(struct Qdisc *q)
{
	struct softnet_data *sd = THIS_SOFTNET;

	if (has(OUTPUT_QUEUE_FIFO)) {
		struct Qdisc *last = READ(sd, output_queue_tailp);

		WRITE(q, next_sched, NULL);
		if (last)
			WRITE(last, next_sched, q);
		else
			WRITE(sd, output_queue, q);
		WRITE(sd, output_queue_tailp, q);
	} else {
		WRITE(q, next_sched, READ(sd, output_queue));
		WRITE(sd, output_queue, q);
	}
	raise_softirq(NET_TX_SOFTIRQ);
}

void __netif_schedule(struct Qdisc *q)
{
	FUNCTION(__netif_schedule);
	if (!test_and_set_state(q, QDISC_STATE_SCHED))
		__netif_reschedule(q);
}

static void run_scheduled(struct Qdisc *q)
{
	if (!SPIN_TRYLOCK(q, q.lock)) {
		if (!(READ_ONCE(q, state) & QDISC_STATE_DEACTIVATED))
			__netif_reschedule(q);
		else
			clear_state(q, QDISC_STATE_SCHED);
		return;
	}
	clear_state(q, QDISC_STATE_SCHED);
	if (qdisc_run_begin(q))
		__qdisc_run(q);
	SPIN_UNLOCK(q, q.lock);
}

void net_tx_action(void)
{
	struct softnet_data *sd = THIS_SOFTNET;
	struct sk_buff *skb;
	struct Qdisc *q;

	FUNCTION(net_tx_action);
	skb = READ(sd, completion_queue);
	if (skb)
		WRITE(sd, completion_queue, NULL);
	while (skb) {
		struct sk_buff *next = READ(skb, next);

		__kfree_skb(skb);
		skb = next;
	}
	q = READ(sd, output_queue);
	if (q) {
		WRITE(sd, output_queue, NULL);
		if (has(OUTPUT_QUEUE_FIFO))
			WRITE(sd, output_queue_tailp, NULL);
	}
	while (q) {
		struct Qdisc *next = READ(q, next_sched);

		run_scheduled(q);
		q = next;
	}
}

/* Interrupts are off here: the packet is freed when they are on again. */
static void dev_kfree_skb_irq(struct sk_buff *skb)
{
	struct softnet_data *sd = THIS_SOFTNET;

	FUNCTION(dev_kfree_skb_irq);
	if (ATOMIC_SUB_RETURN(skb, users, 1))
		return;
	WRITE(skb, next, READ(sd, completion_queue));
	WRITE(sd, completion_queue, skb);
	raise_softirq(NET_TX_SOFTIRQ);
}

void dev_kfree_skb_any(struct sk_buff *skb)
{
	if (this_cpu->irqs_off && !in_softirq())
		dev_kfree_skb_irq(skb);
	else
		consume_skb(skb);
}

/* ---- set-up ---- */

static void place_private(struct kernel *kernel, struct pfifo_fast *fast)
{
	u64 at = object_address(&fast->qdisc.object) +
		 SKB_DATA_ALIGN(kernel->types[STRUCT_Qdisc].size);
	u32 size = kernel->types[STRUCT_qdisc_band].size, i;

	object_init(&fast->priv.object, &kernel->types[STRUCT_pfifo_fast_priv],
		    at);
	for (i = 0; i < PFIFO_FAST_BANDS; i++)
		object_init(&fast->band[i].object,
			    &kernel->types[STRUCT_qdisc_band],
			    at + kernel->pointer_bytes + i * size);
}

static struct Qdisc *pfifo_fast_new(struct kernel *kernel,
				    struct netdev_queue *txq)
{
	struct pfifo_fast *fast = static_object(kernel, STRUCT_Qdisc,
						sizeof(*fast), 0);

	place_private(kernel, fast);
	fast->qdisc.enqueue = pfifo_fast_enqueue;
	fast->qdisc.dequeue = pfifo_fast_dequeue;
	fast->qdisc.flags = TCQ_F_CAN_BYPASS;
	fast->qdisc.dev_queue = txq;
	return &fast->qdisc;
}

void attach_default_qdiscs(struct kernel *kernel, struct net_device *dev)
{
	u32 i;

	for (i = 0; i < dev->num_tx_queues; i++) {
		struct netdev_queue *txq = dev->_tx[i];

		txq->qdisc = dev->tx_queue_len ?
			pfifo_fast_new(kernel, txq) :
			STATIC_OBJECT(kernel, Qdisc, 0);
	}
	/* The root is what tc(8) sees: packets go to the queues below it. */
	dev->qdisc = dev->num_tx_queues > 1 && dev->tx_queue_len ?
		STATIC_OBJECT(kernel, Qdisc, 0) : dev->_tx[0]->qdisc;
}
