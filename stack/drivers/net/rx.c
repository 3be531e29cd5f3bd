/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model's own: a stand-in for a device that receives, its driver and IP's
 * layer, for scenarios whose subject is the socket alone.  What arrives for a CPU
 * waits in a ring; an interrupt asks for the softirq, which takes up to a budget
 * of packets, makes a buffer for each and hands it to UDP.  Real devices go by
 * net/core/dev_rcv.c.  The device has put the bytes into the core's cache, and
 * has verified the checksum unless a datagram is said not to be summed up.
 */
#include <string.h>

#include "stack/include/linux/fs.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rx.h"
#include "stack/include/linux/softirq.h"
#include "stack/lib/checksum.h"
#include "stack/net/ipv4/udp_rcv.h"
#include "stack/net/ipv6/udp.h"

#define ETH_HEADER 14u

struct rx_ring {
	GQueue waiting;		/* struct rx_datagram * */
	GQueue spare;
	struct irq irq;
};

/* ---- the packet ---- */

static void fill_ipv4(struct sk_buff *skb, const struct rx_datagram *d)
{
	u8 *iph = skb_bytes(skb, skb->network_header);

	memset(iph, 0, IP_HLEN);
	iph[0] = 0x45;
	put_be16(iph + 2, (u16)(IP_HLEN + UDP_HLEN + d->len));
	iph[8] = 64;
	iph[9] = IPPROTO_UDP_NUMBER;
	put_be32(iph + 12, d->from.daddr);
	put_be32(iph + 16, d->to.daddr);
	put_be16(iph + 10, csum_fold(csum_partial(iph, IP_HLEN, 0)));
}

static void fill_ipv6(struct sk_buff *skb, const struct rx_datagram *d)
{
	u8 *iph = skb_bytes(skb, skb->network_header);

	memset(iph, 0, IPV6_HLEN);
	iph[0] = 0x60;
	put_be16(iph + 4, (u16)(UDP_HLEN + d->len));
	iph[6] = IPPROTO_UDP_NUMBER;
	iph[7] = 64;
	memcpy(iph + 8, d->from.daddr6.s6_addr, 16);
	memcpy(iph + 24, d->to.daddr6.s6_addr, 16);
}

static u16 udp_sum(const u8 *uh, const struct rx_datagram *d)
{
	const u32 len = UDP_HLEN + d->len;
	const u32 sum = csum_partial(uh, len, 0);
	u16 check;

	if (d->to.family == PF_INET6)
		check = csum_ipv6_magic(d->from.daddr6.s6_addr,
					d->to.daddr6.s6_addr, len,
					IPPROTO_UDP_NUMBER, sum);
	else
		check = csum_fold(csum_tcpudp_nofold(d->from.daddr, d->to.daddr,
						     len, IPPROTO_UDP_NUMBER,
						     sum));
	return check ? check : 0xffff;
}

static void fill(struct sk_buff *skb, const struct rx_datagram *d)
{
	u8 *uh = skb_bytes(skb, skb->transport_header);

	if (d->to.family == PF_INET6)
		fill_ipv6(skb, d);
	else
		fill_ipv4(skb, d);
	put_be16(uh, d->from.port);
	put_be16(uh + 2, d->to.port);
	put_be16(uh + 4, (u16)(UDP_HLEN + d->len));
	put_be16(uh + 6, 0);
	memset(uh + UDP_HLEN, 0, d->len);
	put_be16(uh + 6, udp_sum(uh, d));
	if (d->damaged)
		uh[UDP_HLEN + d->len - 1] ^= 1;
}

static struct sk_buff *rx_skb(const struct rx_datagram *d)
{
	u32 header = d->to.family == PF_INET6 ? IPV6_HLEN : IP_HLEN;
	u32 room = NET_SKB_PAD + ETH_HEADER + header;
	struct sk_buff *skb;

	FUNCTION(netdev_alloc_skb);
	skb = __alloc_skb(room + UDP_HLEN + d->len, GFP_ATOMIC, 0, -1);
	if (!skb)
		return NULL;
	skb_reserve(skb, room);
	skb_put(skb, UDP_HLEN + d->len);
	WRITE(skb, dev, d->dev);
	WRITE(skb, ip_summed, d->unsummed || d->damaged ? CHECKSUM_NONE :
	      CHECKSUM_UNNECESSARY);
	WRITE(skb, network_header, skb->data - header);
	WRITE(skb, transport_header, skb->data);
	fill(skb, d);
	return skb;
}

static void receive(const struct rx_datagram *d)
{
	struct sk_buff *skb = rx_skb(d);

	if (!skb)
		return;
	if (d->to.family == PF_INET6)
		udpv6_rcv(skb);
	else
		udp_rcv(skb);
}

/* ---- the softirq ---- */

static struct rx_ring *this_ring(void)
{
	return &this_kernel()->net_core->rx_rings[this_cpu->id];
}

bool rx_action(void)
{
	struct rx_ring *ring = this_ring();
	struct rx_datagram *d;
	u32 budget = NAPI_POLL_WEIGHT;

	if (g_queue_is_empty(&ring->waiting))
		return false;
	FUNCTION(rx_action);
	while (budget-- && (d = g_queue_pop_head(&ring->waiting))) {
		receive(d);
		g_queue_push_tail(&ring->spare, d);
	}
	if (!g_queue_is_empty(&ring->waiting))
		raise_softirq(NET_RX_SOFTIRQ);
	return true;
}

static void rx_interrupt(struct cpu *cpu, void *arg)
{
	(void)cpu;
	(void)arg;
	FUNCTION(rx_interrupt);
	raise_softirq(NET_RX_SOFTIRQ);
	irq_exit();
}

void rx_arrive(struct kernel *kernel, u32 cpu, const struct rx_datagram *d,
	       ps_t now)
{
	struct rx_ring *ring = &kernel->net_core->rx_rings[cpu];
	struct rx_datagram *copy = g_queue_pop_head(&ring->spare);

	if (!copy)
		copy = g_new(struct rx_datagram, 1);
	*copy = *d;
	g_queue_push_tail(&ring->waiting, copy);
	if (!ring->irq.pending)
		cpu_raise(&kernel->machine->cpus[cpu], &ring->irq, now);
}

void rx_poll(const struct rx_datagram *d, u32 n)
{
	local_bh_disable();
	{
		FUNCTION(rx_action);
		while (n--)
			receive(d);
	}
	local_bh_enable();
}

void rx_init(struct kernel *kernel)
{
	u32 n = kernel->machine->num_cpus, i;

	kernel->net_core->rx_rings = g_new0(struct rx_ring, n);
	for (i = 0; i < n; i++) {
		struct rx_ring *ring = &kernel->net_core->rx_rings[i];

		g_queue_init(&ring->waiting);
		g_queue_init(&ring->spare);
		ring->irq.name = "rx";
		ring->irq.fn = rx_interrupt;
	}
}

void rx_exit(struct kernel *kernel)
{
	u32 i;

	for (i = 0; i < kernel->machine->num_cpus; i++) {
		struct rx_ring *ring = &kernel->net_core->rx_rings[i];

		g_queue_clear_full(&ring->waiting, g_free);
		g_queue_clear_full(&ring->spare, g_free);
	}
	g_free(kernel->net_core->rx_rings);
}
