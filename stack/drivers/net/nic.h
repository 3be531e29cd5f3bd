/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the driver of the NIC (nic.c) and the device (nic_hw.c) share. */
#ifndef STACK_DRIVERS_NET_NIC_H
#define STACK_DRIVERS_NET_NIC_H

#include "sim/dma.h"
#include "stack/include/linux/nic.h"

#define NIC_DESC 16u		/* bytes of a descriptor */
#define NIC_BUFFER 32u		/* bytes of what the driver notes of one */

/* What stands in a descriptor and in the driver's note of it. */
struct nic_desc {
	struct sk_buff *skb;
	u32 offset;		/* of the bytes, in skb->head */
	u32 len;		/* tx: of the whole packet */
	u8 frags;		/* tx: so many pages have the next ones */
	ps_t ready;		/* it may be looked at from then on */
	u16 csum_start, csum_offset;	/* behind the frame's first byte */
	bool context;		/* says only how to sum up the next one */
	bool csum;		/* tx: to be summed up; rx: the sum is right */
	bool done;		/* the device has written it back */
	u32 hash;
};

/* A ring of descriptors, in memory that CPU and device share. */
struct nic_descs {
	struct object object;
	u8 data[];
};

/* The driver's notes of each descriptor. */
struct nic_buffers {
	struct object object;
	u8 data[];
};

struct nic_ring {
	struct object object;
	struct nic_descs *desc;
	struct nic_buffers *buffer_info;
	u32 count;
	u32 next_to_use;
	u32 next_to_clean;
	void *tail;		/* the register */
	struct { u64 packets, bytes; } stats;
	/* The model's own. */
	struct nic *nic;
	struct nic_desc *slots;	/* what stands in desc and buffer_info */
	u32 index;		/* of the queue */
	u32 hw_head;		/* the device's: the next one it looks at */
};

/* A queue pair's place on the lists of those to be polled; part of the kernel's
 * struct of the interrupt, in the model one of its own. */
struct nic_napi {
	struct napi_struct napi;
	struct nic_vector *vector;
};

/* One interrupt, and the queues that it serves. */
struct nic_vector {
	struct object object;
	struct nic_ring *rx, *tx;
	u32 eims;		/* its bit in the mask register */
	/* The model's own. */
	struct nic_napi *napi;
	struct nic *nic;
	struct cpu *cpu;
	struct irq irq;
	ps_t last;		/* when the last one was taken */
	ps_t cause;		/* there is something since then */
	bool has_cause;
	bool masked;		/* until the driver has polled all */
};

/* The driver's private data of the device. */
struct nic {
	struct object object;
	struct nic_ring *tx_ring[NIC_MAX_QUEUES];
	struct nic_ring *rx_ring[NIC_MAX_QUEUES];
	/* The model's own. */
	struct nic_vector *vector[NIC_MAX_QUEUES];
	struct nic_config config;
	struct kernel *kernel;
	struct net_device *dev;
	struct link_end *end;
	struct nic_counters counters;
	struct dma dma;
	u32 buffer_size;	/* of a receive buffer, bytes */
	u32 tx_turn;		/* the queue that the device looks at next */
	event_id tx_event;	/* when it will look; 0: there is nothing */
	ps_t tx_event_at;
	ps_t wire_free_at;
	u8 *frame;		/* what it sends now */
};

static inline u32 nic_next(const struct nic_ring *ring, u32 at)
{
	return at + 1 == ring->count ? 0 : at + 1;
}

/* Descriptors that the driver may fill: one stays empty. */
static inline u32 nic_unused(u32 count, u32 use, u32 clean)
{
	return (clean > use ? 0 : count) + clean - use - 1;
}

/* ---- the device's registers, for the driver ---- */

/* There are new descriptors up to next_to_use, from this time on. */
void nic_hw_tx_doorbell(struct nic *nic, ps_t now);
/* The driver has taken an interrupt, or wants the next one. */
void nic_hw_interrupt_taken(struct nic_vector *v, ps_t now);
void nic_hw_unmask(struct nic_vector *v, ps_t now);

/* The link's: a frame has come in. */
void nic_hw_receive(void *arg, const u8 *data, u32 len, ps_t now);

#endif
