/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/core/dev.c, receive packet steering: get_rps_cpu() picks a CPU of
 * the receive queue's map by the flow's hash, enqueue_to_backlog()
 * puts the packet into that CPU's backlog, and at the end of the softirq
 * net_rps_action_and_irq_enable() interrupts those CPUs, where
 * rps_trigger_softirq() asks for NET_RX.
 *
 * Left out: RFS, so that no table of flows is looked at; flow limits; the
 * other CPU's queue of calls, of which the call itself (csd) is charged; and
 * the short cut of maps of one CPU that kernels to 3.19 have.
 */
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/softirq.h"
#include "stack/net/core/dev_rps.h"
#include "stack/net/core/flow_dissector.h"
#include "stack/net/core/sock_rcv.h"

int get_rps_cpu(struct sk_buff *skb)
{
	struct netdev_rx_queue **rx, *queue;
	struct rps_map *map;
	u32 recorded, hash, len;

	FUNCTION(get_rps_cpu);
	rx = READ(READ(skb, dev), _rx);
	recorded = READ(skb, queue_mapping);
	queue = rx[recorded ? recorded - 1 : 0];
	(void)READ_ONCE(queue, rps_flow_table);
	map = READ_ONCE(queue, rps_map);
	if (!map)
		return -1;
	WRITE(skb, network_header, READ(skb, data));
	hash = skb_get_hash(skb);
	if (!hash)
		return -1;
	len = READ(map, len);
	return READ_AT(map, cpus, (u32)((u64)hash * len >> 32));
}

/* Is the backlog another CPU's?  Then it is noted for an interrupt. */
static bool rps_ipi_queued(struct softnet_data *sd)
{
	struct softnet_data *mine =
		this_kernel()->net_core->softnet_data[this_cpu->id];

	if (sd == mine)
		return false;
	WRITE(sd, rps_ipi_next, READ(mine, rps_ipi_list));
	WRITE(mine, rps_ipi_list, sd);
	raise_softirq(NET_RX_SOFTIRQ);
	return true;
}

/* Under its lock, which is why no locked operation is needed. */
static void schedule_backlog(struct softnet_data *sd)
{
	u64 state = READ(&sd->backlog, state);

	WRITE(&sd->backlog, state, state | 1u << NAPI_STATE_SCHED);
	if (!(state >> NAPI_STATE_SCHED & 1) && !rps_ipi_queued(sd))
		____napi_schedule(sd, &sd->backlog);
}

bool enqueue_to_backlog(struct sk_buff *skb, u32 cpu)
{
	struct softnet_data *sd = this_kernel()->net_core->softnet_data[cpu];
	u32 len, most = this_kernel()->net_core->netdev_max_backlog;

	FUNCTION(enqueue_to_backlog);
	if (has(NAPI_POLL_SPLICED))
		THIS_CPU_PTR();
	cpu_irq_disable(this_cpu);
	SPIN_LOCK(sd, input_pkt_queue.lock);
	if (has(BACKLOG_RUNNING))
		(void)READ(READ(skb, dev), state);
	len = READ(sd, input_pkt_queue.qlen);
	if (len <= most) {
		if (!len)
			schedule_backlog(sd);
		__SKB_QUEUE_TAIL(sd, input_pkt_queue, skb);
		UPDATE(sd, input_queue_tail, += 1);
	} else {
		UPDATE(sd, dropped, += 1);
	}
	SPIN_UNLOCK(sd, input_pkt_queue.lock);
	cpu_irq_enable(this_cpu);
	return len <= most;
}

/* Nobody else has one under way for it: its backlog is scheduled but once.  The
 * exchanges stand for those of the queue of calls, by which both are ordered. */
static void smp_call_function_single_async(struct softnet_data *sd)
{
	struct machine *machine = this_cpu->machine;

	FUNCTION(smp_call_function_single_async);
	(void)ATOMIC_XCHG(sd, csd, sd);
	g_assert(!sd->rps_irq.pending);
	cpu_raise(&machine->cpus[READ(sd, cpu)], &sd->rps_irq,
		  this_cpu->clock + machine->profile->ipi_ps);
}

void net_rps_action_and_irq_enable(struct softnet_data *sd)
{
	struct softnet_data *next, *remote = READ(sd, rps_ipi_list);

	if (!remote) {
		cpu_irq_enable(this_cpu);
		return;
	}
	FUNCTION(net_rps_action_and_irq_enable);
	WRITE(sd, rps_ipi_list, NULL);
	cpu_irq_enable(this_cpu);
	for (; remote; remote = next) {
		next = READ(remote, rps_ipi_next);
		smp_call_function_single_async(remote);
	}
}

/* The other CPU's interrupt. */
static void rps_trigger_softirq(struct cpu *cpu, void *arg)
{
	struct softnet_data *sd = arg;

	(void)cpu;
	FUNCTION(rps_trigger_softirq);
	(void)ATOMIC_XCHG(sd, csd, NULL);
	____napi_schedule(sd, &sd->backlog);
	UPDATE(sd, received_rps, += 1);
	irq_exit();
}

/* ---- set-up ---- */

void rps_init(struct kernel *kernel, u32 cpu)
{
	struct softnet_data *sd = kernel->net_core->softnet_data[cpu];

	sd->cpu = cpu;
	sd->rps_irq.name = "call function";
	sd->rps_irq.fn = rps_trigger_softirq;
	sd->rps_irq.arg = sd;
}

/* Where nobody asks for them there are no queues, so that objects made later lie
 * where they lay. */
void rps_init_device(struct kernel *kernel, struct net_device *dev)
{
	u32 i;

	if (!kernel->net_core->rps_needed || dev->_rx)
		return;
	dev->_rx = g_new0(struct netdev_rx_queue *, dev->num_tx_queues);
	for (i = 0; i < dev->num_tx_queues; i++)
		dev->_rx[i] = STATIC_OBJECT(kernel, netdev_rx_queue, 0);
}

void rps_exit_device(struct net_device *dev)
{
	g_free(dev->_rx);
}

void netif_set_rps_map(struct kernel *kernel, struct net_device *dev,
		       u32 queue, const u32 *cpus, u32 n)
{
	struct net_core *core = kernel->net_core;
	struct rps_map *map;
	u32 i;

	g_assert(kernel_has(kernel, RPS) && queue < dev->num_tx_queues && n);
	core->rps_needed = true;
	flow_dissector_secret(kernel);
	for (i = 0; i < core->devices->len; i++)
		rps_init_device(kernel, g_ptr_array_index(core->devices, i));
	map = static_object(kernel, STRUCT_rps_map,
			    sizeof(*map) + n * sizeof(map->cpus[0]), 0);
	map->len = n;
	for (i = 0; i < n; i++)
		map->cpus[i] = (u16)cpus[i];
	dev->_rx[queue]->rps_map = map;
}
