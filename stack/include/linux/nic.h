/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model's own multi-queue 10 Gbit/s network interface: drivers/net/nic.c
 * is its driver, nic_hw.c the device.
 */
#ifndef STACK_LINUX_NIC_H
#define STACK_LINUX_NIC_H

#include "sim/link.h"
#include "stack/include/linux/netdevice.h"

#define NIC_MAX_QUEUES 64u
#define NIC_RSS_TABLE 128u	/* hash values to receive queues */
#define NIC_RSS_KEY 40u

struct nic_config {
	u8 mac[6];
	u32 mtu;
	u32 queues;		/* pairs of them, each with its interrupt */
	u32 ring_size;		/* descriptors of each; at least 8 */
	u32 rx_usecs;		/* interrupts of a queue are as far apart */
	const u32 *cpus;	/* where each queue's interrupt goes; NULL:
				 * queue i to CPU i */
	u32 tx_queue_len;	/* packets that wait in each queue discipline */
	bool dca;		/* the device writes into its node's L3 */
	bool xps;		/* each CPU sends through its own queue */
	bool rss_ports;		/* ports are part of the hash of UDP */
	u32 node;		/* where the device is */
	ps_t mmio_ps;		/* what a doorbell keeps the CPU */
	ps_t doorbell_ps;	/* until the device knows of it */
	ps_t dma_read_ps;	/* the device reads memory: there and back */
	ps_t dma_write_ps;	/* until what it writes is there */
};

/* What the device has counted (ethtool -S); the driver's own counters are in
 * the rings. */
struct nic_counters {
	u64 tx_packets, tx_bytes;
	u64 rx_packets, rx_bytes;
	u64 rx_missed_errors;	/* no descriptor was free */
	u64 rx_filtered;	/* for another host, or a group not ours */
	u64 rx_no_buffer;	/* the driver found no memory for one */
	u64 rx_csum_errors;
	u64 rx_length_errors;	/* longer than the buffer */
	u64 tx_busy;		/* a packet came though the ring was full */
	u64 tx_stopped;		/* times that a queue was stopped */
	u64 interrupts;
};

/* Numbers of a 10 Gbit/s device of about 2009, with one queue a CPU at most;
 * nic.c says where they come from. */
void nic_config_init(struct nic_config *config, const struct kernel *kernel);

/* A device that is up, at its end of a link.  The kernel owns it. */
struct net_device *nic_new(struct kernel *kernel, const char *name,
			   const struct nic_config *config,
			   struct link_end *end);
/* NULL: it is another device. */
const struct nic_counters *nic_counters(const struct net_device *dev);

/* The device's hash of a frame, 0 where it has none: addresses, and the ports
 * of UDP if `ports`. */
u32 nic_toeplitz(const u8 key[NIC_RSS_KEY], const u8 *data, u32 len);
u32 nic_rss_hash(const u8 *frame, u32 len, bool ports);

#endif
