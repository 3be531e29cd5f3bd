/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/core/dev.c, the part that receives: from a driver's poll, or from
 * a CPU's backlog, to the protocol that a packet is for.
 *
 * Packets stay on the CPU that took them in, unless RPS is set up (dev_rps.c),
 * GRO does not merge them, and nobody taps them or takes them off a device.
 */
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/rx.h"
#include "stack/include/linux/softirq.h"
#include "stack/include/linux/timer.h"
#include "stack/include/net/netns.h"
#include "stack/net/core/dev_rps.h"
#include "stack/net/core/sock_rcv.h"

#define NETDEV_MAX_BACKLOG 1000u
#define NETDEV_BUDGET 300
#define BUDGET_USECS 2000u	/* two jiffies, in kernels that count those */

static struct softnet_data *this_softnet(void)
{
	return this_kernel()->net_core->softnet_data[this_cpu->id];
}

static struct netif_rx_stats *this_rx_stats(void)
{
	return this_kernel()->net_core->netdev_rx_stat[this_cpu->id];
}

/* ---- lists of what is to be polled ---- */

static void poll_list_add(struct softnet_data *sd, struct napi_struct *napi)
{
	struct napi_struct *last = READ(sd, poll_list.prev);

	WRITE(napi, poll_list.next, NULL);
	WRITE(napi, poll_list.prev, last);
	if (last)
		WRITE(last, poll_list.next, napi);
	else
		WRITE(sd, poll_list.next, napi);
	WRITE(sd, poll_list.prev, napi);
}

static void poll_list_del(struct softnet_data *sd, struct napi_struct *napi)
{
	struct napi_struct *next = READ(napi, poll_list.next);
	struct napi_struct *prev = READ(napi, poll_list.prev);

	if (next)
		WRITE(next, poll_list.prev, prev);
	else
		WRITE(sd, poll_list.prev, prev);
	if (prev)
		WRITE(prev, poll_list.next, next);
	else
		WRITE(sd, poll_list.next, next);
	WRITE(napi, poll_list.next, NULL);
	WRITE(napi, poll_list.prev, NULL);
}

bool napi_test_and_set_sched(struct napi_struct *napi)
{
	u64 state = READ_ONCE(napi, state);

	if (state >> NAPI_STATE_DISABLE & 1)
		return true;
	return ATOMIC_XCHG(napi, state, state | 1u << NAPI_STATE_SCHED) >>
	       NAPI_STATE_SCHED & 1;
}

/* Where packets are stamped only if somebody wants it, which nobody does: the
 * question was the packet's own word once. */
static void net_timestamp_check(struct sk_buff *skb)
{
	if (!has(NETSTAMP_KEY) && !READ(skb, tstamp))
		WRITE(skb, tstamp, 0);
}

void ____napi_schedule(struct softnet_data *sd, struct napi_struct *napi)
{
	poll_list_add(sd, napi);
	raise_softirq(NET_RX_SOFTIRQ);
}

bool napi_schedule(struct napi_struct *napi)
{
	FUNCTION(__napi_schedule);
	if (napi_test_and_set_sched(napi)) {
		napi->missed = napi->busy_polled;
		return false;
	}
	cpu_irq_disable(this_cpu);
	____napi_schedule(this_softnet(), napi);
	cpu_irq_enable(this_cpu);
	return true;
}

/* Where net_rx_action() polls from a list of its own, it has taken it off. */
void napi_complete(struct napi_struct *napi)
{
	FUNCTION(napi_complete);
	cpu_irq_disable(this_cpu);
	/* A reader that polls has not put it on a list. */
	if (!has(NAPI_POLL_SPLICED) && !napi->busy_polled)
		poll_list_del(this_softnet(), napi);
	ATOMIC_XCHG(napi, state, 0);
	napi->busy_polled = false;
	cpu_irq_enable(this_cpu);
}

void netif_napi_add(struct net_device *dev, struct napi_struct *napi,
		    int (*poll)(struct napi_struct *napi, int budget),
		    int weight)
{
	napi->dev = dev;
	napi->poll = poll;
	napi->weight = weight;
}

/* ---- the softirq ---- */

static int napi_poll(struct napi_struct *napi)
{
	FUNCTION(__napi_poll);
	s32 weight = READ(napi, weight);

	if (!(READ_ONCE(napi, state) >> NAPI_STATE_SCHED & 1))
		return 0;
	return READ(napi, poll)(napi, weight);
}

static bool budget_is_spent(int budget, u64 limit)
{
	if (budget <= 0)
		return true;
	return has(NAPI_POLL_SPLICED) ? !time_before(JIFFIES(), limit) :
	       time_after(JIFFIES(), limit);
}

static void count_squeeze(struct softnet_data *sd)
{
	if (has(RPS))
		UPDATE(sd, time_squeeze, += 1);
	else
		UPDATE(this_rx_stats(), time_squeeze, += 1);
}

/* To Linux 3.18: what has more stays on the CPU's list, at its end. */
static void poll_in_place(struct softnet_data *sd, int budget, u64 limit)
{
	struct napi_struct *napi;
	int work;

	cpu_irq_disable(this_cpu);
	while ((napi = READ(sd, poll_list.next))) {
		if (budget_is_spent(budget, limit)) {
			count_squeeze(sd);
			raise_softirq(NET_RX_SOFTIRQ);
			break;
		}
		cpu_irq_enable(this_cpu);
		work = napi_poll(napi);
		budget -= work;
		cpu_irq_disable(this_cpu);
		if (work != READ(napi, weight))
			continue;
		poll_list_del(sd, napi);
		poll_list_add(sd, napi);
	}
	if (has(RPS))
		net_rps_action_and_irq_enable(sd);
	else
		cpu_irq_enable(this_cpu);
}

/* The whole list, for the stack; its next and prev are that of the CPU. */
static struct napi_struct *splice_out(struct softnet_data *sd)
{
	struct napi_struct *first = READ(sd, poll_list.next);

	(void)READ(sd, poll_list.prev);
	WRITE(sd, poll_list.next, NULL);
	WRITE(sd, poll_list.prev, NULL);
	return first;
}

/* Since Linux 3.19: what has come meanwhile is behind what is left, and that
 * behind what is to be polled again. */
static void splice_back(struct softnet_data *sd, struct napi_struct *list,
			struct napi_struct *repoll)
{
	struct napi_struct *later = splice_out(sd), *next;

	for (; list; list = next) {
		next = READ(list, poll_list.next);
		poll_list_add(sd, list);
	}
	for (; later; later = next) {
		next = READ(later, poll_list.next);
		poll_list_add(sd, later);
	}
	for (; repoll; repoll = next) {
		next = READ(repoll, poll_list.next);
		poll_list_add(sd, repoll);
	}
	if (READ(sd, poll_list.next))
		raise_softirq(NET_RX_SOFTIRQ);
}

/* What has all its weight's worth of work has more, perhaps. */
static int poll_first(struct napi_struct *napi, struct napi_struct **repoll)
{
	int work;

	WRITE(napi, poll_list.next, NULL);
	WRITE(napi, poll_list.prev, NULL);
	work = napi_poll(napi);
	if (work < READ(napi, weight))
		return work;
	while (*repoll)
		repoll = &(*repoll)->poll_list.next;
	WRITE(napi, poll_list.next, NULL);
	*repoll = napi;
	return work;
}

static void poll_spliced(struct softnet_data *sd, int budget, u64 limit)
{
	struct napi_struct *list, *repoll = NULL, *napi;
	struct softnet_data *waiting;

	cpu_irq_disable(this_cpu);
	list = splice_out(sd);
	cpu_irq_enable(this_cpu);
	while (list) {
		if (has(SKB_DEFER_FREE))
			(void)READ_ONCE(sd, defer_list);
		napi = list;
		list = READ(napi, poll_list.next);
		if (has(SKB_DEFER_FREE))
			(void)READ(napi, dev);
		budget -= poll_first(napi, &repoll);
		if (budget_is_spent(budget, limit)) {
			count_squeeze(sd);
			break;
		}
	}
	if (has(SKB_DEFER_FREE))
		(void)READ_ONCE(sd, defer_list);
	waiting = READ(sd, rps_ipi_list);
	if (!waiting && !list && !repoll && !READ(sd, poll_list.next))
		return;
	cpu_irq_disable(this_cpu);
	splice_back(sd, list, repoll);
	if (waiting)
		net_rps_action_and_irq_enable(sd);
	else
		cpu_irq_enable(this_cpu);
}

static u64 time_limit(void)
{
	if (!has(NAPI_POLL_SPLICED))
		return JIFFIES() + 2;
	return JIFFIES() + MAX(1u, (BUDGET_USECS * HZ + 999999u) / 1000000u);
}

void net_rx_action(void)
{
	struct softnet_data *sd = this_softnet();
	u64 limit;

	if (rx_action() && !sd->poll_list.next)
		return;
	FUNCTION(net_rx_action);
	if (has(NAPI_POLL_SPLICED))
		THIS_CPU_PTR();
	limit = time_limit();
	if (has(NAPI_POLL_SPLICED))
		poll_spliced(sd, NETDEV_BUDGET, limit);
	else
		poll_in_place(sd, NETDEV_BUDGET, limit);
}

/* ---- the backlog ---- */

/* Before RPS, netif_rx() itself: the CPU's queue has no lock, and the backlog
 * is scheduled as others are. */
static bool enqueue_here(struct sk_buff *skb)
{
	struct softnet_data *sd = this_softnet();
	u32 len, most = this_kernel()->net_core->netdev_max_backlog;

	cpu_irq_disable(this_cpu);
	UPDATE(this_rx_stats(), total, += 1);
	len = READ(sd, input_pkt_queue.qlen);
	if (len <= most) {
		if (!len && !napi_test_and_set_sched(&sd->backlog))
			____napi_schedule(sd, &sd->backlog);
		__SKB_QUEUE_TAIL(sd, input_pkt_queue, skb);
	} else {
		UPDATE(this_rx_stats(), dropped, += 1);
	}
	cpu_irq_enable(this_cpu);
	return len <= most;
}

static int enqueue_or_drop(struct sk_buff *skb, u32 cpu)
{
	struct net_device *dev;

	if (has(RPS) ? enqueue_to_backlog(skb, cpu) : enqueue_here(skb))
		return NET_RX_SUCCESS;
	dev = READ(skb, dev);
	if (has(RPS))
		ATOMIC_INC(dev, rx_dropped);
	kfree_skb(skb);
	return NET_RX_DROP;
}

int netif_rx(struct sk_buff *skb)
{
	int cpu = -1, ret;

	FUNCTION(netif_rx);
	SMP_PROCESSOR_ID();
	net_timestamp_check(skb);
	if (!rps_needed())
		return enqueue_or_drop(skb, this_cpu->id);
	rcu_read_lock();
	cpu = get_rps_cpu(skb);
	ret = enqueue_or_drop(skb, cpu < 0 ? this_cpu->id : (u32)cpu);
	rcu_read_unlock();
	return ret;
}

static int __netif_receive_skb(struct sk_buff *skb);

/* All that waits, in one piece. */
static bool take_input(struct softnet_data *sd)
{
	struct sk_buff *first = READ(sd, input_pkt_queue.next);

	if (!first)
		return false;
	WRITE(sd, process_queue.next, first);
	WRITE(sd, process_queue.prev, READ(sd, input_pkt_queue.prev));
	WRITE(sd, process_queue.qlen, READ(sd, input_pkt_queue.qlen));
	WRITE(sd, input_pkt_queue.next, NULL);
	WRITE(sd, input_pkt_queue.prev, NULL);
	WRITE(sd, input_pkt_queue.qlen, 0);
	return true;
}

static struct sk_buff *dequeue(struct softnet_data *sd)
{
	struct sk_buff *skb = READ(sd, process_queue.next);

	if (skb)
		__SKB_DEQUEUE(sd, process_queue, skb);
	return skb;
}

static void receive_one(struct softnet_data *sd, struct sk_buff *skb)
{
	cpu_irq_enable(this_cpu);
	if (has(NAPI_POLL_SPLICED))
		rcu_read_lock();
	__netif_receive_skb(skb);
	if (has(NAPI_POLL_SPLICED))
		rcu_read_unlock();
	cpu_irq_disable(this_cpu);
	UPDATE(sd, input_queue_head, += 1);
}

/* Nothing is left.  Under its lock, the backlog is its own and needs no locked
 * operation. */
static void backlog_done(struct softnet_data *sd)
{
	if (!has(NAPI_POLL_SPLICED))
		poll_list_del(sd, &sd->backlog);
	if (has(RPS))
		WRITE(&sd->backlog, state, 0);
	else
		ATOMIC_XCHG(&sd->backlog, state, 0);
}

static int process_backlog_batch(struct softnet_data *sd, int quota)
{
	struct sk_buff *skb;
	int work = 0;
	bool more = true;

	if (READ(sd, rps_ipi_list)) {
		cpu_irq_disable(this_cpu);
		net_rps_action_and_irq_enable(sd);
	}
	WRITE(&sd->backlog, weight, NAPI_POLL_WEIGHT);
	cpu_irq_disable(this_cpu);
	while (more) {
		while ((skb = dequeue(sd))) {
			receive_one(sd, skb);
			if (++work >= quota)
				goto out;
		}
		SPIN_LOCK(sd, input_pkt_queue.lock);
		more = take_input(sd);
		if (!more)
			backlog_done(sd);
		SPIN_UNLOCK(sd, input_pkt_queue.lock);
	}
out:
	cpu_irq_enable(this_cpu);
	return work;
}

/* Before RPS: one by one off the queue, within a jiffy. */
static int process_backlog_single(struct softnet_data *sd, int quota)
{
	u64 started = JIFFIES();
	struct sk_buff *skb;
	int work = 0;

	WRITE(&sd->backlog, weight, NAPI_POLL_WEIGHT);
	do {
		cpu_irq_disable(this_cpu);
		skb = READ(sd, input_pkt_queue.next);
		if (!skb) {
			backlog_done(sd);
			cpu_irq_enable(this_cpu);
			break;
		}
		__SKB_DEQUEUE(sd, input_pkt_queue, skb);
		cpu_irq_enable(this_cpu);
		netif_receive_skb(skb);
	} while (++work < quota && JIFFIES() == started);
	return work;
}

static int process_backlog(struct napi_struct *napi, int quota)
{
	struct softnet_data *sd = this_softnet();

	(void)napi;
	FUNCTION(process_backlog);
	return has(RPS) ? process_backlog_batch(sd, quota) :
			  process_backlog_single(sd, quota);
}

/* ---- to the protocols ---- */

static u32 ptype_hash(u16 type)
{
	return type % PTYPE_HASH_SIZE;
}

void dev_add_pack(struct kernel *kernel, u16 type,
		  int (*func)(struct sk_buff *skb, struct net_device *dev))
{
	struct packet_type *pt = STATIC_OBJECT(kernel, packet_type, 0);
	struct packet_type **head =
		&kernel->net_core->ptype->ptype_base[ptype_hash(type)];

	pt->type = type;
	pt->func = func;
	pt->list = *head;
	*head = pt;
}

/* What is set on the way in, and who may want to see it. */
static struct packet_type *receive_core(struct sk_buff *skb,
					struct net_device *dev)
{
	struct ptype_data *ptype = this_kernel()->net_core->ptype;
	struct packet_type *pt;
	u32 at, mac;
	u16 type;

	FUNCTION(__netif_receive_skb);
	net_timestamp_check(skb);
	if (!has(RX_HANDLER)) {		/* is it part of a bond? */
		(void)READ(skb, skb_iif);
		(void)READ(dev, master);
	}
	at = READ(skb, data);
	WRITE(skb, network_header, at);
	mac = READ(skb, mac_header);
	WRITE(skb, mac_len, (u16)(at - mac));
	WRITE(skb, skb_iif, READ(dev, ifindex));
	if (has(RPS))
		UPDATE(this_softnet(), processed, += 1);
	else
		UPDATE(this_rx_stats(), total, += 1);
	type = READ(skb, protocol);
	(void)READ(ptype, ptype_all);
	if (has(PTYPE_ALL_DEV))
		(void)READ(dev, ptype_all);
	(void)READ(skb, vlan_tci);
	if (has(RX_HANDLER))
		(void)READ(dev, rx_handler);
	pt = READ_AT(ptype, ptype_base, ptype_hash(type));
	while (pt && READ(pt, type) != type)
		pt = READ(pt, list);
	if (has(PTYPE_ALL_DEV))
		(void)READ(dev, ptype_specific);
	return pt;
}

static int __netif_receive_skb(struct sk_buff *skb)
{
	struct net_device *dev = READ(skb, dev);
	struct packet_type *pt;
	int ret = NET_RX_DROP;

	if (!has(NAPI_POLL_SPLICED))
		rcu_read_lock();
	pt = receive_core(skb, dev);
	if (pt) {
		ret = READ(pt, func)(skb, dev);
	} else {
		if (has(RPS))
			ATOMIC_INC(dev, rx_dropped);
		kfree_skb(skb);
	}
	if (!has(NAPI_POLL_SPLICED))
		rcu_read_unlock();
	return ret ? NET_RX_DROP : NET_RX_SUCCESS;
}

int netif_receive_skb(struct sk_buff *skb)
{
	int cpu, ret;

	if (!rps_needed())
		return __netif_receive_skb(skb);
	rcu_read_lock();
	cpu = get_rps_cpu(skb);
	ret = cpu < 0 ? __netif_receive_skb(skb) :
			enqueue_or_drop(skb, (u32)cpu);
	rcu_read_unlock();
	return ret;
}

int napi_gro_receive(struct napi_struct *napi, struct sk_buff *skb)
{
	(void)napi;
	return netif_receive_skb(skb);
}

/* ---- start and end ---- */

static void softnet_init(struct kernel *kernel, struct softnet_data *sd,
			 struct object_type *type)
{
	*type = kernel->types[STRUCT_napi_struct];
	type->name = sd->object.type->name;
	type->within = &sd->object;
	object_init(&sd->backlog.object, type, MEMBER_ADDRESS(sd, backlog));
	sd->backlog.poll = process_backlog;
	sd->backlog.weight = NAPI_POLL_WEIGHT;
}

void net_rcv_init(struct kernel *kernel)
{
	struct net_core *core = kernel->net_core;
	u32 i, n = kernel->machine->num_cpus;

	core->netdev_max_backlog = NETDEV_MAX_BACKLOG;
	core->netdev_rx_stat = g_new0(struct netif_rx_stats *, n);
	core->backlog_types = g_new0(struct object_type, n);
	for (i = 0; i < n; i++) {
		softnet_init(kernel, core->softnet_data[i],
			     &core->backlog_types[i]);
		rps_init(kernel, i);
		if (!kernel_has(kernel, RPS))
			core->netdev_rx_stat[i] =
				STATIC_OBJECT(kernel, netif_rx_stats,
					kernel->machine->cpus[i].package);
	}
}

void net_rcv_exit(struct kernel *kernel)
{
	g_free(kernel->net_core->netdev_rx_stat);
	g_free(kernel->net_core->backlog_types);
}
