/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model's own multi-queue network interface, in the shape of the drivers
 * of Intel's devices (drivers/net/ixgbe/, igb/): rings of 16-byte descriptors,
 * a pair of them an interrupt, NAPI, one doorbell a packet.
 *
 * What such a device and driver do and this one does not: segmentation and
 * receive coalescing, VLANs, flow director, flow control, moderation that
 * adapts to the traffic, header split, a watchdog.  A context descriptor goes
 * before each packet that the device is to sum up, and one for each of its
 * pages behind it.  Where a packet has none, that the driver looks for some is
 * not charged.
 *
 * Latencies are estimates of PCI Express of the second generation: a posted
 * write crosses in a quarter of a microsecond, a read comes back after a little
 * more than half of one.
 */
#include <string.h>

#include "stack/drivers/net/nic.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/softirq.h"
#include "stack/include/net/neighbour.h"
#include "stack/net/core/busy_poll.h"
#include "stack/include/net/sch_generic.h"

#define NET_IP_ALIGN 2u
#define VLAN_HLEN 4u
#define NAPI_WEIGHT 64
#define RX_BUFFER_WRITE 16u	/* buffers that are given back at a time */
#define DESC_NEEDED 22u		/* for a packet with all fragments */

static struct nic *netdev_priv(const struct net_device *dev)
{
	return dev->priv;
}

#define READ_DESC(ring, at) \
	READ_BYTES((ring)->desc, data, (at) * NIC_DESC, NIC_DESC)
#define WRITE_DESC(ring, at) \
	WRITE_BYTES((ring)->desc, data, (at) * NIC_DESC, NIC_DESC)
#define READ_BUFFER(ring, at) \
	READ_BYTES((ring)->buffer_info, data, (at) * NIC_BUFFER, NIC_BUFFER)
#define WRITE_BUFFER(ring, at) \
	WRITE_BYTES((ring)->buffer_info, data, (at) * NIC_BUFFER, NIC_BUFFER)

/* ---- sending ---- */

/* With so few descriptors left the stack must not send more. */
static u32 stop_threshold(const struct nic_ring *ring)
{
	return MIN(DESC_NEEDED, ring->count / 4);
}

/* By the clock, whether a write-back has come. */
static bool is_done(const struct nic_desc *slot)
{
	return slot->done && slot->ready <= this_cpu->clock;
}

static struct nic_desc *fill_slot(struct nic_ring *ring, u32 at)
{
	const struct nic_config *config = &ring->nic->config;
	struct nic_desc *slot = &ring->slots[at];

	memset(slot, 0, sizeof(*slot));
	slot->ready = this_cpu->clock + config->mmio_ps + config->doorbell_ps +
		      2 * config->dma_read_ps;
	return slot;
}

/* How the device is to sum up the next packet. */
static u32 tx_context(struct nic_ring *ring, struct sk_buff *skb, u32 at)
{
	FUNCTION(nic_tx_csum);
	(void)READ(skb, protocol);
	(void)READ(skb, network_header);
	(void)READ(skb, csum_start);
	fill_slot(ring, at)->context = true;
	WRITE_BUFFER(ring, at);
	WRITE_DESC(ring, at);
	return nic_next(ring, at);
}

static void tx_packet(struct nic_ring *ring, struct sk_buff *skb, u32 at,
		      bool csum)
{
	struct nic_desc *slot = fill_slot(ring, at);

	slot->skb = skb;
	slot->len = READ(skb, len);
	(void)READ(skb, head);
	slot->offset = READ(skb, data);
	slot->csum = csum;
	if (csum) {
		slot->csum_start = (u16)(skb->csum_start - slot->offset);
		slot->csum_offset = READ(skb, csum_offset);
	}
	(void)JIFFIES();
	WRITE_BUFFER(ring, at);
	WRITE_DESC(ring, at);
	UPDATE(ring, stats.packets, += 1);
	UPDATE(ring, stats.bytes, += slot->len);
}

/* A descriptor for each page; gives the packet's last. */
static u32 tx_pages(struct nic_ring *ring, const struct sk_buff *skb, u32 at)
{
	const struct skb_shared_info *shinfo = &skb->head->shinfo;
	u32 i;

	ring->slots[at].frags = shinfo->nr_frags;
	for (i = 0; i < shinfo->nr_frags; i++) {
		(void)READ(shinfo, nr_frags);
		(void)READ_AT(shinfo, frags, i);
		at = nic_next(ring, at);
		(void)fill_slot(ring, at);
		WRITE_BUFFER(ring, at);
		WRITE_DESC(ring, at);
	}
	return at;
}

/* Stops the queue where the next packet might find no room; looks again, since
 * another CPU may have cleaned meanwhile. */
static void maybe_stop_tx(struct nic_ring *ring, struct netdev_queue *txq,
			  u32 use)
{
	u32 limit = stop_threshold(ring);

	if (nic_unused(ring->count, use, READ_ONCE(ring, next_to_clean)) >=
	    limit)
		return;
	netif_tx_stop_queue(txq);
	ring->nic->counters.tx_stopped++;
	FENCE();
	if (nic_unused(ring->count, use, READ_ONCE(ring, next_to_clean)) >=
	    limit)
		netif_tx_wake_queue(txq);
}

static int nic_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct nic *nic = netdev_priv(dev);
	struct nic_ring *ring;
	u32 queue, use, unused;
	bool csum;

	FUNCTION(nic_xmit);
	queue = READ(skb, queue_mapping);
	ring = READ_AT(nic, tx_ring, queue);
	csum = READ(skb, ip_summed) == CHECKSUM_PARTIAL;
	use = READ_ONCE(ring, next_to_use);
	unused = nic_unused(ring->count, use, READ_ONCE(ring, next_to_clean));
	if (unused < 2u + skb->head->shinfo.nr_frags) {
		nic->counters.tx_busy++;
		netif_tx_stop_queue(netdev_get_tx_queue(dev, queue));
		return NETDEV_TX_BUSY;
	}
	if (csum)
		use = tx_context(ring, skb, use);
	tx_packet(ring, skb, use, csum);
	use = nic_next(ring, tx_pages(ring, skb, use));
	WRITE_ONCE(ring, next_to_use, use);
	(void)READ(ring, tail);
	mmio_write(nic->config.mmio_ps);
	nic_hw_tx_doorbell(nic, this_cpu->clock + nic->config.doorbell_ps);
	maybe_stop_tx(ring, netdev_get_tx_queue(dev, queue), use);
	return NETDEV_TX_OK;
}

/* What has been sent is freed, and a queue that was stopped goes on. */
static void nic_clean_tx_irq(struct nic_ring *ring)
{
	struct net_device *dev = ring->nic->dev;
	u32 clean, use, at, room;

	FUNCTION(nic_clean_tx_irq);
	clean = READ(ring, next_to_clean);
	use = READ_ONCE(ring, next_to_use);
	at = clean;
	while (at != use) {
		struct nic_desc *slot = &ring->slots[at];
		u32 first = slot->context ? nic_next(ring, at) : at, last;

		slot = &ring->slots[first];
		last = (first + slot->frags) % ring->count;
		READ_BUFFER(ring, at);
		READ_DESC(ring, last);
		if (!is_done(&ring->slots[last]))
			break;
		WORK(45);
		dev_kfree_skb_any(slot->skb);
		slot->skb = NULL;
		WRITE_BUFFER(ring, first);
		while (first != last) {
			first = nic_next(ring, first);
			WRITE_BUFFER(ring, first);
		}
		at = nic_next(ring, last);
	}
	if (at == clean)
		return;
	WRITE_ONCE(ring, next_to_clean, at);
	room = nic_unused(ring->count, READ_ONCE(ring, next_to_use), at);
	if (room >= 2 * stop_threshold(ring)) {
		struct netdev_queue *txq = netdev_get_tx_queue(dev,
							       ring->index);

		FENCE();
		if (netif_tx_queue_stopped(txq))
			netif_tx_wake_queue(txq);
	}
}

/* ---- receiving ---- */

/* So that the IP header is aligned. */
static struct sk_buff *rx_skb(struct nic *nic)
{
	struct sk_buff *skb = netdev_alloc_skb(nic->dev, nic->buffer_size +
					       NET_IP_ALIGN);

	if (skb)
		skb_reserve(skb, NET_IP_ALIGN);
	return skb;
}

/* Buffers in the ring are the device's: nobody has lost them. */
static void rx_slot(struct nic_ring *ring, u32 at, struct sk_buff *skb)
{
	struct nic_desc *slot = &ring->slots[at];

	memset(slot, 0, sizeof(*slot));
	slot->skb = skb;
	slot->offset = skb->data;
	kmemleak_not_leak(skb);
	kmemleak_not_leak(skb->head);
}

static void nic_alloc_rx_buffers(struct nic_ring *ring, u32 n)
{
	struct nic *nic = ring->nic;
	u32 use;

	FUNCTION(nic_alloc_rx_buffers);
	use = READ(ring, next_to_use);
	for (; n; n--) {
		struct sk_buff *skb = rx_skb(nic);

		if (!skb) {
			nic->counters.rx_no_buffer++;
			break;
		}
		WORK(25);
		rx_slot(ring, use, skb);
		WRITE_BUFFER(ring, use);
		WRITE_DESC(ring, use);
		use = nic_next(ring, use);
	}
	if (use == ring->next_to_use)
		return;
	WRITE_ONCE(ring, next_to_use, use);
	(void)READ(ring, tail);
	mmio_write(nic->config.mmio_ps);
}

static void nic_receive_skb(struct nic_ring *ring, struct nic_vector *v,
			    const struct nic_desc *slot)
{
	struct net_device *dev = ring->nic->dev;
	struct sk_buff *skb = slot->skb;
	u16 protocol;

	skb_put(skb, slot->len);
	WRITE(skb, ip_summed, slot->csum ? CHECKSUM_UNNECESSARY :
					   CHECKSUM_NONE);
	if (has(SKB_RXHASH))
		WRITE(skb, rxhash, slot->hash);
	if (has(BUSY_POLL)) {
		u32 id = READ(&v->napi->napi, napi_id);

		WRITE(skb, napi_id, id);
	}
	WRITE(skb, queue_mapping, (u16)(ring->index + 1));
	protocol = eth_type_trans(skb, dev);
	WRITE(skb, protocol, protocol);
	napi_gro_receive(&v->napi->napi, skb);
}

/* Up to `budget` frames; gives how many. */
static int nic_clean_rx_irq(struct nic_ring *ring, struct nic_vector *v,
			    int budget)
{
	u32 at, given = 0;
	int done = 0;

	FUNCTION(nic_clean_rx_irq);
	at = READ(ring, next_to_clean);
	while (done < budget) {
		struct nic_desc slot;

		READ_DESC(ring, at);
		slot = ring->slots[at];
		if (at == ring->next_to_use || !is_done(&slot))
			break;
		READ_BUFFER(ring, at);
		WORK(70);
		ring->slots[at].skb = NULL;
		ring->slots[at].done = false;
		WRITE_BUFFER(ring, at);
		at = nic_next(ring, at);
		WRITE(ring, next_to_clean, at);
		UPDATE(ring, stats.packets, += 1);
		UPDATE(ring, stats.bytes, += slot.len);
		nic_receive_skb(ring, v, &slot);
		done++;
		if (++given == RX_BUFFER_WRITE) {
			nic_alloc_rx_buffers(ring, given);
			given = 0;
		}
	}
	given = nic_unused(ring->count, ring->next_to_use, at);
	if (done && given)
		nic_alloc_rx_buffers(ring, given);
	return done;
}

/* ---- interrupts ---- */

static int nic_poll(struct napi_struct *napi, int budget)
{
	struct nic_vector *v = ((struct nic_napi *)(void *)napi)->vector;
	int done;

	FUNCTION(nic_poll);
	nic_clean_tx_irq(READ(v, tx));
	done = nic_clean_rx_irq(READ(v, rx), v, budget);
	if (done < budget) {
		napi_complete(napi);
		(void)READ(v, eims);
		mmio_write(v->nic->config.mmio_ps);
		nic_hw_unmask(v, this_cpu->clock + v->nic->config.doorbell_ps);
	}
	return done;
}

/* The device masks the interrupt by itself until it is told otherwise. */
static void nic_msix_clean(struct cpu *cpu, void *arg)
{
	struct nic_vector *v = arg;

	FUNCTION(nic_msix_clean);
	nic_hw_interrupt_taken(v, cpu->clock);
	napi_schedule(&v->napi->napi);
	irq_exit();
}

/* ---- set-up ---- */

static struct nic_ring *ring_new(struct nic *nic, u32 queue, u32 node)
{
	struct kernel *kernel = nic->kernel;
	u32 n = nic->config.ring_size;
	struct nic_ring *ring = STATIC_OBJECT(kernel, nic_ring, node);

	ring->desc = static_object(kernel, STRUCT_nic_descs,
				   sizeof(*ring->desc) + n * NIC_DESC, node);
	ring->buffer_info = static_object(kernel, STRUCT_nic_buffers,
					  sizeof(*ring->buffer_info) +
					  n * NIC_BUFFER, node);
	ring->slots = g_new0(struct nic_desc, n);
	ring->nic = nic;
	ring->count = n;
	ring->index = queue;
	return ring;
}

static void vector_new(struct nic *nic, u32 queue)
{
	struct kernel *kernel = nic->kernel;
	u32 cpu = nic->config.cpus ? nic->config.cpus[queue] :
				     queue % kernel->machine->num_cpus;
	u32 node = kernel->machine->cpus[cpu].package;
	struct nic_vector *v = STATIC_OBJECT(kernel, nic_vector, node);

	v->tx = nic->tx_ring[queue] = ring_new(nic, queue, node);
	v->rx = nic->rx_ring[queue] = ring_new(nic, queue, node);
	v->nic = nic;
	v->cpu = &kernel->machine->cpus[cpu];
	v->irq.name = "nic";
	v->irq.fn = nic_msix_clean;
	v->irq.arg = v;
	v->napi = static_object(kernel, STRUCT_napi_struct, sizeof(*v->napi),
				node);
	v->napi->vector = v;
	netif_napi_add(nic->dev, &v->napi->napi, nic_poll, NAPI_WEIGHT);
	napi_hash_add(kernel, &v->napi->napi);
	nic->vector[queue] = v;
	nic_alloc_rx_buffers(v->rx, nic->config.ring_size - 1);
}

static void nic_free(struct net_device *dev)
{
	struct nic *nic = netdev_priv(dev);
	u32 i;

	for (i = 0; i < nic->config.queues; i++) {
		g_free(nic->tx_ring[i]->slots);
		g_free(nic->rx_ring[i]->slots);
	}
	g_free(nic->frame);
}

void nic_config_init(struct nic_config *config, const struct kernel *kernel)
{
	*config = (struct nic_config){
		.mac = { 0x02 },
		.mtu = 1500,
		.queues = MIN(kernel->machine->num_cpus, 16),
		.ring_size = 512,
		.rx_usecs = 10,
		.tx_queue_len = 1000,
		.dca = true,
		.rss_ports = true,
		.mmio_ps = 100 * PS_PER_NS,
		.doorbell_ps = 250 * PS_PER_NS,
		.dma_read_ps = 600 * PS_PER_NS,
		.dma_write_ps = 300 * PS_PER_NS,
	};
}

static void set_up_device(struct nic *nic, struct net_device_ops *ops)
{
	struct net_device *dev = nic->dev;

	ops->ndo_start_xmit = nic_xmit;
	dev->netdev_ops = ops;
	dev->priv = nic;
	dev->destructor = nic_free;
	ether_setup(nic->kernel, dev);
	dev->flags = IFF_UP;
	dev->priv_flags = IFF_XMIT_DST_RELEASE;
	dev->features = NETIF_F_SG | NETIF_F_HIGHDMA | NETIF_F_HW_CSUM;
	memcpy(dev->dev_addr, nic->config.mac, ETH_ALEN);
}

struct net_device *nic_new(struct kernel *kernel, const char *name,
			   const struct nic_config *config,
			   struct link_end *end)
{
	struct net_device *dev = register_netdevice_mq(kernel, name,
						       config->mtu,
						       config->queues,
						       config->tx_queue_len);
	struct nic *nic = STATIC_OBJECT(kernel, nic, config->node);
	u32 i;

	g_assert(config->queues && config->queues <= NIC_MAX_QUEUES);
	g_assert(config->ring_size >= 8);
	nic->config = *config;
	nic->kernel = kernel;
	nic->dev = dev;
	nic->end = end;
	nic->dma = (struct dma){
		.machine = kernel->machine,
		.package = config->node,
		.direct = config->dca,
	};
	nic->buffer_size = config->mtu + ETH_HLEN + VLAN_HLEN + LINK_FCS;
	nic->frame = g_malloc0(MAX(nic->buffer_size, LINK_MIN_FRAME));
	set_up_device(nic, STATIC_OBJECT(kernel, net_device_ops, 0));
	for (i = 0; i < config->queues; i++) {
		vector_new(nic, i);
		if (config->xps && kernel_has(kernel, XPS))
			netif_set_xps_queue(kernel, dev,
					    nic->vector[i]->cpu->id, (u16)i);
	}
	end->receive = nic_hw_receive;
	end->arg = nic;
	return dev;
}

const struct nic_counters *nic_counters(const struct net_device *dev)
{
	return dev->destructor == nic_free ? &netdev_priv(dev)->counters :
					     NULL;
}
