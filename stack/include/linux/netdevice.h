/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices and their queues (include/linux/netdevice.h, sch_generic.h). */
#ifndef STACK_LINUX_NETDEVICE_H
#define STACK_LINUX_NETDEVICE_H

#include "stack/include/linux/skbuff.h"

#define NETIF_F_SG 1u
#define NETIF_F_HW_CSUM 8u
#define NETIF_F_HIGHDMA 0x20u
#define NETIF_F_FRAGLIST 0x40u
#define NETIF_F_LLTX 0x1000u
#define NETIF_F_GSO_UDP_L4 0x2000000u
#define NETIF_F_GEN_CSUM NETIF_F_HW_CSUM
#define NETIF_F_V4_CSUM NETIF_F_GEN_CSUM
#define NETIF_F_V6_CSUM NETIF_F_GEN_CSUM

#define IFF_UP 1u
#define IFF_LOOPBACK 8u
#define IFF_POINTOPOINT 0x10u
#define IFF_NOARP 0x80u
#define IFF_XMIT_DST_RELEASE 0x400u

/* sk_buff.pkt_type: for whom a frame is that came in */
#define PACKET_HOST 0
#define PACKET_BROADCAST 1
#define PACKET_MULTICAST 2
#define PACKET_OTHERHOST 3
#define PACKET_LOOPBACK 5

#define NET_RX_SUCCESS 0
#define NET_RX_DROP 1
#define NET_SKB_PAD 64u
#define NAPI_POLL_WEIGHT 64

#define ETH_P_IP 0x0800
#define ETH_P_ARP 0x0806
#define ETH_P_IPV6 0x86dd
#define ARPHRD_ETHER 1
#define NETDEV_TX_OK 0
#define NETDEV_TX_BUSY 0x10
#define NET_XMIT_SUCCESS 0
#define NET_XMIT_DROP 1
#define NET_XMIT_CN 2
#define XMIT_RECURSION_LIMIT 10u

struct net_device_ops {
	struct object object;
	int (*ndo_start_xmit)(struct sk_buff *skb, struct net_device *dev);
	/* NULL: the stack chooses. */
	u16 (*ndo_select_queue)(struct net_device *dev, struct sk_buff *skb);
};

/* The kernel's own of these three take the hh_cache instead of the neighbour
 * that it is part of. */
struct header_ops {
	struct object object;
	/* Pushes a header; daddr or saddr NULL: unknown, the device's own.
	 * Its length, or less than 0 where daddr was needed. */
	int (*create)(struct sk_buff *skb, struct net_device *dev, u16 type,
		      const u8 *daddr, const u8 *saddr, u32 len);
	int (*cache)(struct neighbour *neigh, u16 type);
	void (*cache_update)(struct neighbour *neigh, const u8 *haddr);
};

/* One CPU's counters of a device. */
struct pcpu_dstats {
	struct object object;
	u64 tx_packets;
	u64 tx_bytes;
};

struct netdev_queue {
	struct object object;
	struct net_device *dev;
	struct Qdisc *qdisc;	/* net/sch_generic.h */
	struct spinlock _xmit_lock;
	s32 xmit_lock_owner;
	u64 trans_start;
	u64 state;
};

/* Which queue a CPU sends through. */
struct xps_map {
	struct object object;
	u32 len;
	u16 queues[];
};

struct xps_dev_maps {
	struct object object;
	struct xps_map *cpu_map[];
};

/* The secret of the hash that chooses a queue. */
struct tx_hashrnd {
	struct object object;
	u32 hashrnd;
};

/* net.dev_index_head's array: the devices by index, and the next of each. */
struct dev_index_head {
	struct object object;
	struct net_device *head[256];
};

struct net_device {
	struct object object;
	char *name;		/* the model's own: not charged */
	u32 features;
	u32 ifindex;
	struct net_device *index_hlist;
	const struct net_device_ops *netdev_ops;
	const struct header_ops *header_ops;
	u64 state;		/* a bit would say that it has no carrier */
	u32 flags;
	u32 priv_flags;
	u32 mtu;
	u16 hard_header_len;
	u16 needed_headroom;
	u16 needed_tailroom;
	u16 type;
	struct in_device *ip_ptr;
	struct inet6_dev *ip6_ptr;
	struct net_device *dev_list;	/* the next in order of making */
	u8 dev_addr[8];
	u8 broadcast[8];
	u8 addr_len;
	/* An array in the kernel; where its elements lie, the model knows. */
	struct netdev_queue **_tx;
	struct netdev_rx_queue **_rx;	/* NULL unless RPS is used */
	u32 num_tx_queues;
	u64 rx_dropped;		/* nobody wanted them, or the backlog was full */
	void *rx_handler;	/* a bridge or the like: none here */
	void *master;		/* the bond that it is part of: none here */
	void *ptype_specific;	/* packet types of this device: none here */
	u32 real_num_tx_queues;
	u32 tx_queue_len;	/* packets; 0: no queue discipline */
	struct Qdisc *qdisc;	/* the root of those of its queues */
	struct xps_dev_maps *xps_maps;
	struct net *nd_net;
	struct { u64 tx_packets, tx_bytes; } stats;	/* of all CPUs */
	struct pcpu_dstats **dstats;
	struct pcpu_dstats **lstats;	/* the same under its later name */
	void *ptype_all;	/* taps on this device: none here */
	void *priomap;		/* net_prio control groups: none here */
	void *phydev;		/* none here has one */
	u32 gso_max_size;
	u16 gso_max_segs;
	/* The model's own: the driver's data, and what frees its memory. */
	void *priv;
	void (*destructor)(struct net_device *dev);
	/* The model's own: the groups that the hardware is to take in. */
	GArray *mc;
	/* The model's own: sees each packet as the driver does, for tests. */
	void (*tap)(void *arg, const u8 *data, u32 len);
	void *tap_arg;
};

struct xmit_recursion {
	struct object object;
	u32 xmit_recursion;
};

/*
 * What net_rx_action() serves: a driver's receive queue, or a CPU's backlog.
 * The kernel's lists go round by way of their heads; here they end in NULL.
 * The lines are the same.
 */
struct napi_struct {
	struct object object;
	struct { struct napi_struct *next, *prev; } poll_list;
	u64 state;		/* bits NAPI_STATE_* */
	s32 weight;
	/* Takes up to `budget` packets and gives how many; fewer than that:
	 * it has called napi_complete(). */
	int (*poll)(struct napi_struct *napi, int budget);
	struct net_device *dev;
	u32 napi_id;
	/* The model's own: a reader polls, so it is on no list; an interrupt
	 * found that (NAPI_STATE_MISSED, which kernels before 4.12 lack). */
	bool busy_polled, missed;
};

enum { NAPI_STATE_SCHED, NAPI_STATE_DISABLE };

/* What one CPU has at hand for packets. */
struct softnet_data {
	struct object object;
	struct { struct napi_struct *next, *prev; } poll_list;
	struct sk_buff_head process_queue;
	u32 processed, time_squeeze, dropped;
	struct softnet_data *rps_ipi_list;	/* to be interrupted: a backlog */
	struct softnet_data *rps_ipi_next;	/* ... has work from here */
	void *csd;		/* the call by which it is interrupted */
	u32 cpu, received_rps;
	struct irq rps_irq;	/* the model's own */
	u32 input_queue_head, input_queue_tail;
	struct sk_buff_head input_pkt_queue;
	struct napi_struct backlog;
	struct sk_buff *defer_list;	/* others free where they allocated */
	struct { u16 recursion; u8 more; } xmit;
	struct Qdisc *output_queue;	/* those that are to be run */
	struct Qdisc *output_queue_tailp;	/* the last one of them */
	struct sk_buff *completion_queue;	/* sent, to be freed */
};

/* The counters of softnet_data, where kernels have them apart. */
struct netif_rx_stats {
	struct object object;
	u32 total, dropped, time_squeeze;
};

/* Who takes packets of a protocol. */
struct packet_type {
	struct object object;
	u16 type;
	int (*func)(struct sk_buff *skb, struct net_device *dev);
	struct packet_type *list;	/* the next of its hash */
};

#define PTYPE_HASH_SIZE 16u

struct ptype_data {
	struct object object;
	void *ptype_all;	/* packet taps: none here */
	struct packet_type *ptype_base[PTYPE_HASH_SIZE];
};

void net_dev_init(struct kernel *kernel);
void net_dev_exit(struct kernel *kernel);

int dev_queue_xmit(struct sk_buff *skb);
/* Of net/core/dev.c, what its other parts call: before the driver's call, what
 * the device cannot do itself (NULL: the packet is gone; else it, or the
 * segments that it is now, by `next`); and that call, which leaves in *skb what
 * the driver has not taken. */
struct sk_buff *validate_xmit_skb(struct sk_buff *skb);
int dev_hard_start_xmit(struct sk_buff **skb, struct net_device *dev,
			struct netdev_queue *txq);

/* net/core/dev_queue.c: the queue that a packet goes through, noted in it. */
struct netdev_queue *dev_pick_tx(struct net_device *dev, struct sk_buff *skb);
/* The first device with several queues: draws the secret of their hash. */
void dev_queue_init(struct kernel *kernel);
/* A CPU is to send through this queue. */
void netif_set_xps_queue(struct kernel *kernel, struct net_device *dev,
			 u32 cpu, u16 queue);

static inline struct netdev_queue *netdev_get_tx_queue(struct net_device *dev,
						       u32 index)
{
	return READ(dev, _tx)[index];
}

/* How deep devices have called each other on this CPU. */
u32 dev_recursion_level(void);
/* Room for the hardware header: the kernel's LL_RESERVED_SPACE(). */
u32 ll_reserved_space(const struct net_device *dev);
struct net_device *dev_get_by_index_rcu(struct net *net, u32 ifindex);
struct net_device *dev_get_by_name(struct kernel *kernel, const char *name);
/* NULL: there is none, as for index 0. */
struct net_device *dev_get_by_index_rcu(struct net *net, u32 ifindex);
/* Registers a device: gives it an index, one transmit queue without a queue
 * discipline, and counters. */
struct net_device *register_netdevice(struct kernel *kernel, const char *name,
				      u32 mtu);
/* The same with several queues, each tx_queue_len packets long. */
struct net_device *register_netdevice_mq(struct kernel *kernel,
					 const char *name, u32 mtu,
					 u32 queues, u32 tx_queue_len);
struct net_device *dummy_new(struct kernel *kernel, const char *name, u32 mtu,
			     bool tx_checksumming);

struct net_device *loopback_new(struct kernel *kernel);

/* ---- net/core/dev_rcv.c: from a driver to a protocol ---- */

void net_rcv_init(struct kernel *kernel);
void net_rcv_exit(struct kernel *kernel);
/* For set-up: a protocol's handler, which takes over the packet. */
void dev_add_pack(struct kernel *kernel, u16 type,
		  int (*func)(struct sk_buff *skb, struct net_device *dev));

/* net/core/dev_rps.c, for set-up, of kernels with RPS: flows of this receive
 * queue are shared out among these CPUs. */
void netif_set_rps_map(struct kernel *kernel, struct net_device *dev,
		       u32 queue, const u32 *cpus, u32 n);
/* For set-up: the driver's own struct, which it has allocated (a STATIC_OBJECT
 * will do), before its interrupts come. */
void netif_napi_add(struct net_device *dev, struct napi_struct *napi,
		    int (*poll)(struct napi_struct *napi, int budget),
		    int weight);
/* From a driver's interrupt: asks this CPU's NET_RX_SOFTIRQ for a poll.  False:
 * it was asked before (or is being polled), and nothing was done. */
bool napi_schedule(struct napi_struct *napi);
/* It is the caller's to poll from here on; true: it was somebody's before. */
bool napi_test_and_set_sched(struct napi_struct *napi);
/* From a poll function that has found fewer packets than its budget: it will
 * not be called again before the next napi_schedule(). */
void napi_complete(struct napi_struct *napi);

/* A buffer of `len` bytes for a frame, with room in front; skb_put() what came.
 * NULL without memory. */
struct sk_buff *netdev_alloc_skb(struct net_device *dev, u32 len);
/* Takes the Ethernet header off the front of the data, tells for whom the frame
 * is (skb->pkt_type), gives its protocol.  The caller WRITEs skb->protocol. */
u16 eth_type_trans(struct sk_buff *skb, struct net_device *dev);
/* From a poll function: up the stack at once.  NET_RX_SUCCESS or _DROP; the
 * packet is gone either way. */
int netif_receive_skb(struct sk_buff *skb);
/* The same, since packets are not merged here (GRO is not modelled). */
int napi_gro_receive(struct napi_struct *napi, struct sk_buff *skb);
/* From a driver without NAPI: by way of this CPU's backlog. */
int netif_rx(struct sk_buff *skb);
/* NET_RX_SOFTIRQ */
void net_rx_action(void);

/* net/ethernet/eth.c: what all Ethernet devices have in common. */
void ether_setup(struct kernel *kernel, struct net_device *dev);

/* What a family's neighbours do, by the device: without a header, with one but
 * no copy of it, with both. */
struct neigh_ops_set {
	struct neigh_ops *direct, *generic, *hh;
};

/* Roots of stack/net/core/. */
struct net_core {
	GPtrArray *devices;	/* struct net_device * */
	struct xmit_recursion **xmit_recursion;	/* by CPU */
	struct softnet_data **softnet_data;	/* by CPU */
	struct ptype_data *ptype;
	struct netif_rx_stats **netdev_rx_stat;	/* by CPU, before RPS */
	struct object_type *backlog_types;	/* by CPU: parts of softnet_data */
	u32 netdev_max_backlog;
	bool rps_needed;	/* net/core/dev_rps.c */
	struct nf_hooks *nf_hooks;
	struct neigh_table *arp_tbl;
	struct neigh_table *nd_tbl;
	struct neigh_ops_set arp_ops, ndisc_ops;
	struct header_ops *eth_header_ops;
	struct hashrnd *hashrnd;	/* net/core/flow_dissector.c */
	struct tx_hashrnd *tx_hashrnd;	/* net/core/dev_queue.c */
	/* The model's own: packets that had a choice of transmit queues, and
	 * those of them whose queue was a matter of a hash. */
	u64 tx_picked, tx_hashed;
	struct any_cache *skbuff_head_cache;
	struct any_cache *peer_cachep;	/* of struct inet_peer */
	struct icmp_global *icmp_global;
	/* Packets that came in with addresses that no packet on a wire has, or
	 * to a group that this host is not in: no counter of snmp is theirs. */
	u64 strays;
	/* By their source, where rp_filter is set; of those, whose way back is
	 * another (the kernel's IPReversePathFilter). */
	u64 martian_sources, rp_filtered;
	u8 *all_bytes;		/* net/core/skbuff_frag.c */
	GPtrArray *napis;	/* struct napi_struct *, by number */
	struct rx_ring *rx_rings;	/* by CPU; drivers/net/rx.c */
	struct socket_room *sockets;
	struct rtnl_mutex *rtnl;
};

/* Which netfilter chains have a hook: none has, and the test costs a line. */
struct nf_hooks {
	struct object object;
	void *local_out;
	void *post_routing;
	void *local_out6;
	void *post_routing6;
};

#endif
