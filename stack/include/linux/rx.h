/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model's own: a stand-in for a network device that receives, its driver and
 * IP's layer: a datagram comes in here as IP would hand it to UDP.
 */
#ifndef STACK_LINUX_RX_H
#define STACK_LINUX_RX_H

#include "stack/include/linux/netdevice.h"
#include "stack/include/net/sock.h"

/* Who sends what to whom; the payload is zeroes.  The device has verified the
 * checksum unless it is said not to; of a damaged one it is wrong. */
struct rx_datagram {
	struct net_device *dev;
	struct sockaddr_any from, to;
	u32 len;		/* of a damaged one at least 1 */
	bool unsummed, damaged;
};

/* It arrives at `now` for a CPU, which is interrupted and takes it in its
 * softirq.  For events. */
void rx_arrive(struct kernel *kernel, u32 cpu, const struct rx_datagram *d,
	       ps_t now);
/* A CPU that has no end of them takes n, as ksoftirqd does; for tasks. */
void rx_poll(const struct rx_datagram *d, u32 n);
/* What NET_RX_SOFTIRQ does for this stand-in; false: nothing waits. */
bool rx_action(void);
void rx_init(struct kernel *kernel);
void rx_exit(struct kernel *kernel);

#endif
