/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Receive packet steering (include/linux/netdevice.h): dev_rps.c for
 * dev_rcv.c. */
#ifndef STACK_NET_CORE_DEV_RPS_H
#define STACK_NET_CORE_DEV_RPS_H

#include "stack/include/linux/netdevice.h"

/* The CPUs that packets of a receive queue go to. */
struct rps_map {
	struct object object;
	u32 len;
	u16 cpus[];
};

struct netdev_rx_queue {
	struct object object;
	struct rps_map *rps_map;	/* NULL: packets stay where they are */
	void *rps_flow_table;		/* of RFS: none here */
};

/* Some receive queue has a map; a static branch in the kernel. */
static inline bool rps_needed(void)
{
	return this_kernel()->net_core->rps_needed;
}

/* The CPU that is to go on with the packet; -1: this one. */
int get_rps_cpu(struct sk_buff *skb);
/* False: that CPU's backlog is full, which it has counted. */
bool enqueue_to_backlog(struct sk_buff *skb, u32 cpu);
/* With interrupts off, which are on afterwards: tells those noted. */
void net_rps_action_and_irq_enable(struct softnet_data *sd);

/* dev_rcv.c: with interrupts off. */
void ____napi_schedule(struct softnet_data *sd, struct napi_struct *napi);

/* For set-up, of one softnet_data, and of a device that is made. */
void rps_init(struct kernel *kernel, u32 cpu);
void rps_init_device(struct kernel *kernel, struct net_device *dev);
void rps_exit_device(struct net_device *dev);

#endif
