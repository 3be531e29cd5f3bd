/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model's own: the device that nic.c drives.  It fetches descriptors and
 * packets from memory, sums up and sends them, puts what comes in into the
 * buffers of the queue that a hash says, and interrupts.
 *
 * It sends one frame at a time, of the queues in turn, when the wire is free:
 * so a ring drains as the wire does.  It has no store of its own for frames
 * that come in: one without a free descriptor is lost at once.
 */
#include <string.h>

#include "sim/cpu.h"
#include "stack/drivers/net/nic.h"
#include "stack/include/net/neighbour.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/dev_addr_lists.h"

#define EVENT_NUMBER(nic) (2048u + (nic)->end->number)

#define IPV4_MIN 20u
#define IPV6_LEN 40u
#define UDP_LEN 8u
#define UDP_PROTOCOL 17u

/* ---- interrupts ---- */

static void fire(struct nic_vector *v, ps_t now)
{
	ps_t at = v->last + v->nic->config.rx_usecs * PS_PER_US;

	v->nic->counters.interrupts++;
	cpu_raise(v->cpu, &v->irq, MAX(at, MAX(now, v->cause)));
}

/* Something has happened to a queue. */
static void cause(struct nic_vector *v, ps_t now)
{
	if (!v->has_cause)
		v->cause = now;
	v->has_cause = true;
	if (!v->masked && !v->irq.pending)
		fire(v, now);
}

void nic_hw_interrupt_taken(struct nic_vector *v, ps_t now)
{
	v->last = now;
	v->has_cause = false;
	v->masked = true;
}

void nic_hw_unmask(struct nic_vector *v, ps_t now)
{
	v->masked = false;
	if (v->has_cause && !v->irq.pending)
		fire(v, now);
}

/* ---- memory ---- */

static u64 desc_address(const struct nic_ring *ring, u32 at)
{
	return object_address(&ring->desc->object) + at * NIC_DESC;
}

static u64 packet_address(const struct nic_desc *slot)
{
	return object_address(&slot->skb->head->object) + slot->offset;
}

/* ---- what goes out ---- */

/* Ones' complement over what the context says, into where it says. */
static void sum_up(u8 *frame, u32 len, const struct nic_desc *slot)
{
	u16 sum = csum_fold(csum_partial(frame + slot->csum_start,
					 len - slot->csum_start, 0));

	put_be16(frame + slot->csum_start + slot->csum_offset,
		 sum ? sum : 0xffff);
}

/* The pages behind the linear part, each with a descriptor of its own. */
static void read_pages(struct nic *nic, struct nic_ring *ring,
		       const struct nic_desc *slot)
{
	const struct skb_frag *frag = slot->skb->head->shinfo.frags, *end;

	for (end = frag + slot->frags; frag < end; frag++) {
		ring->hw_head = nic_next(ring, ring->hw_head);
		dma_read(&nic->dma, desc_address(ring, ring->hw_head),
			 NIC_DESC);
		dma_read(&nic->dma, object_address(&frag->page->object) +
				    frag->offset, frag->size);
	}
}

static ps_t send_frame(struct nic *nic, struct nic_ring *ring,
		       const struct nic_desc *slot, ps_t now)
{
	u32 len = slot->len;

	memcpy(nic->frame, skb_all_bytes(nic->kernel, slot->skb), len);
	dma_read(&nic->dma, packet_address(slot),
		 slot->skb->tail - slot->offset);
	read_pages(nic, ring, slot);
	if (slot->csum)
		sum_up(nic->frame, len, slot);
	if (len < LINK_MIN_FRAME) {
		memset(nic->frame + len, 0, LINK_MIN_FRAME - len);
		len = LINK_MIN_FRAME;
	}
	nic->counters.tx_packets++;
	nic->counters.tx_bytes += len;
	return link_send(nic->end, nic->frame, len, now);
}

/* One packet of a ring; gives when the wire is free again. */
static ps_t tx_one(struct nic *nic, struct nic_ring *ring, ps_t now)
{
	struct nic_desc *slot = &ring->slots[ring->hw_head];
	ps_t free_at;

	if (slot->context) {
		dma_read(&nic->dma, desc_address(ring, ring->hw_head),
			 NIC_DESC);
		slot->done = true;
		ring->hw_head = nic_next(ring, ring->hw_head);
		slot = &ring->slots[ring->hw_head];
	}
	dma_read(&nic->dma, desc_address(ring, ring->hw_head), NIC_DESC);
	free_at = send_frame(nic, ring, slot, now);
	slot = &ring->slots[ring->hw_head];	/* the packet's last */
	dma_write(&nic->dma, desc_address(ring, ring->hw_head), NIC_DESC);
	slot->done = true;
	slot->ready = now + nic->config.dma_write_ps;
	ring->hw_head = nic_next(ring, ring->hw_head);
	cause(nic->vector[ring->index], slot->ready);
	return free_at;
}

static bool tx_waits(const struct nic_ring *ring)
{
	return ring->hw_head != ring->next_to_use;
}

/* When the device has the first of all packets that wait; TIME_NEVER: none
 * waits. */
static ps_t tx_first(const struct nic *nic)
{
	ps_t first = TIME_NEVER;
	u32 i;

	for (i = 0; i < nic->config.queues; i++) {
		const struct nic_ring *ring = nic->tx_ring[i];

		if (tx_waits(ring))
			first = MIN(first, ring->slots[ring->hw_head].ready);
	}
	return first;
}

/* The next ring in turn that has something for the device by now. */
static struct nic_ring *tx_choose(struct nic *nic, ps_t now)
{
	u32 n = nic->config.queues, i;

	for (i = 0; i < n; i++) {
		u32 queue = (nic->tx_turn + i) % n;
		struct nic_ring *ring = nic->tx_ring[queue];

		if (!tx_waits(ring) || ring->slots[ring->hw_head].ready > now)
			continue;
		nic->tx_turn = (queue + 1) % n;
		return ring;
	}
	return NULL;
}

static void tx_event(void *arg, ps_t now);

/* The device looks at its rings at `time`, if not before, but not before the
 * wire is free. */
static void tx_schedule(struct nic *nic, ps_t time)
{
	struct machine *machine = nic->kernel->machine;

	time = MAX(time, nic->wire_free_at);
	if (nic->tx_event) {
		if (nic->tx_event_at <= time)
			return;
		engine_cancel(machine->engine, nic->tx_event);
	}
	nic->tx_event_at = time;
	nic->tx_event = machine_at(machine, time, EVENT_DEVICE,
				   EVENT_NUMBER(nic), EVENT_NUMBER(nic),
				   tx_event, nic);
}

static void tx_event(void *arg, ps_t now)
{
	struct nic *nic = arg;
	struct nic_ring *ring = tx_choose(nic, now);
	ps_t first;

	nic->tx_event = 0;
	if (ring)
		nic->wire_free_at = tx_one(nic, ring, now);
	first = tx_first(nic);
	if (first != TIME_NEVER)
		tx_schedule(nic, first);
}

void nic_hw_tx_doorbell(struct nic *nic, ps_t now)
{
	tx_schedule(nic, now);
}

/* ---- what comes in ---- */

static const u8 rss_key[NIC_RSS_KEY] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
	0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
	0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
	0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa
};

/* Each bit that is set adds the 32 bits of the key from its place on. */
u32 nic_toeplitz(const u8 key[NIC_RSS_KEY], const u8 *data, u32 len)
{
	u32 window = (u32)key[0] << 24 | (u32)key[1] << 16 | key[2] << 8 |
		     key[3];
	u32 hash = 0, i, bit;

	g_assert(len + 4 <= NIC_RSS_KEY);
	for (i = 0; i < len; i++) {
		for (bit = 0; bit < 8; bit++) {
			if (data[i] << bit & 0x80)
				hash ^= window;
			window = window << 1 | (key[i + 4] >> (7 - bit) & 1u);
		}
	}
	return hash;
}

/* Where things are in a frame of IP. */
struct frame_parts {
	const u8 *ip;
	u32 ip_len;		/* of the header */
	bool ipv6;
	const u8 *udp;		/* NULL: no UDP, or a fragment of it */
	u32 udp_len;		/* by the IP header */
};

static bool parse_ipv4(struct frame_parts *parts, u32 len)
{
	const u8 *ip = parts->ip;
	u32 total;

	if (len < IPV4_MIN || ip[0] >> 4 != 4)
		return false;
	parts->ip_len = (ip[0] & 15u) * 4;
	total = get_be16(ip + 2);
	if (parts->ip_len < IPV4_MIN || parts->ip_len > total || total > len)
		return false;
	if (ip[9] == UDP_PROTOCOL && !(get_be16(ip + 6) & 0x3fff) &&
	    total - parts->ip_len >= UDP_LEN) {
		parts->udp = ip + parts->ip_len;
		parts->udp_len = total - parts->ip_len;
	}
	return true;
}

static bool parse_ipv6(struct frame_parts *parts, u32 len)
{
	const u8 *ip = parts->ip;
	u32 payload;

	if (len < IPV6_LEN || ip[0] >> 4 != 6)
		return false;
	parts->ip_len = IPV6_LEN;
	parts->ipv6 = true;
	payload = get_be16(ip + 4);
	if (payload > len - IPV6_LEN)
		return false;
	if (ip[6] == UDP_PROTOCOL && payload >= UDP_LEN) {
		parts->udp = ip + IPV6_LEN;
		parts->udp_len = payload;
	}
	return true;
}

/* False: no IP, or none that is right. */
static bool parse(struct frame_parts *parts, const u8 *frame, u32 len)
{
	u16 type = len > ETH_HLEN ? get_be16(frame + 12) : 0;

	memset(parts, 0, sizeof(*parts));
	parts->ip = frame + ETH_HLEN;
	if (type == ETH_P_IP)
		return parse_ipv4(parts, len - ETH_HLEN);
	return type == ETH_P_IPV6 && parse_ipv6(parts, len - ETH_HLEN);
}

u32 nic_rss_hash(const u8 *frame, u32 len, bool ports)
{
	struct frame_parts parts;
	u8 words[36];
	u32 n;

	if (!parse(&parts, frame, len))
		return 0;
	n = parts.ipv6 ? 32 : 8;
	memcpy(words, parts.ip + (parts.ipv6 ? 8 : 12), n);
	if (parts.udp && ports) {
		memcpy(words + n, parts.udp, 4);
		n += 4;
	}
	return nic_toeplitz(rss_key, words, n);
}

enum sum { SUM_NONE, SUM_RIGHT, SUM_WRONG };

/* What the device finds of the checksums of IPv4 and UDP. */
static enum sum verify_sums(const u8 *frame, u32 len)
{
	struct frame_parts parts;
	u32 sum;

	if (!parse(&parts, frame, len))
		return SUM_NONE;
	if (!parts.ipv6 && csum_fold(csum_partial(parts.ip, parts.ip_len, 0)))
		return SUM_WRONG;
	if (!parts.udp || !get_be16(parts.udp + 6))
		return SUM_NONE;
	sum = csum_partial(parts.udp, parts.udp_len, 0);
	if (parts.ipv6)
		return csum_ipv6_magic(parts.ip + 8, parts.ip + 24,
				       parts.udp_len, UDP_PROTOCOL, sum) ?
			SUM_WRONG : SUM_RIGHT;
	sum = csum_partial(parts.ip + 12, 8, sum);
	sum += UDP_PROTOCOL + parts.udp_len;
	return csum_fold(sum) ? SUM_WRONG : SUM_RIGHT;
}

/* The frame is for this host, as far as a device can tell. */
static bool for_us(const struct nic *nic, const u8 *frame, u32 len)
{
	static const u8 broadcast[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

	if (len < ETH_HLEN)
		return false;
	if (!(frame[0] & 1))
		return !memcmp(frame, nic->config.mac, 6);
	return !memcmp(frame, broadcast, 6) || dev_mc_has(nic->dev, frame);
}

static void put_frame(struct nic *nic, struct nic_ring *ring, const u8 *data,
		      u32 len, ps_t now)
{
	struct nic_desc *slot = &ring->slots[ring->hw_head];
	enum sum sum = verify_sums(data, len);

	memcpy(slot->skb->head->data + slot->offset, data, len);
	dma_write(&nic->dma, packet_address(slot), len);
	dma_write(&nic->dma, desc_address(ring, ring->hw_head), NIC_DESC);
	slot->len = len;
	slot->csum = sum == SUM_RIGHT;
	slot->done = true;
	slot->ready = now + nic->config.dma_write_ps;
	nic->counters.rx_csum_errors += sum == SUM_WRONG;
	nic->counters.rx_packets++;
	nic->counters.rx_bytes += len;
	ring->hw_head = nic_next(ring, ring->hw_head);
	cause(nic->vector[ring->index], slot->ready);
}

void nic_hw_receive(void *arg, const u8 *data, u32 len, ps_t now)
{
	struct nic *nic = arg;
	struct nic_ring *ring;
	u32 hash;

	if (!for_us(nic, data, len)) {
		nic->counters.rx_filtered++;
		return;
	}
	hash = nic_rss_hash(data, len, nic->config.rss_ports);
	ring = nic->rx_ring[hash % NIC_RSS_TABLE % nic->config.queues];
	if (len > nic->buffer_size) {
		nic->counters.rx_length_errors++;
	} else if (ring->hw_head == ring->next_to_use) {
		nic->counters.rx_missed_errors++;
	} else {
		ring->slots[ring->hw_head].hash = hash;
		put_frame(nic, ring, data, len, now);
	}
}
