/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A device with several transmit queues; see queue_support.h. */
#include "queue_support.h"
#include "stack/lib/checksum.h"

#define LEN 64u

static int queue_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct queue_device *q = dev->priv;
	const u8 *end = skb_bytes(skb, skb->data + skb->len);
	const struct netdev_queue *txq = dev->_tx[skb->queue_mapping];

	q->unlocked += txq->xmit_lock_owner != (s32)this_cpu->id;
	if (q->refuse) {
		q->refuse--;
		return NETDEV_TX_BUSY;
	}
	if (q->num_sent == QUEUE_MAX_SENT)
		ck_abort_msg("too many packets");
	q->sent[q->num_sent].mark = end[-1];
	q->sent[q->num_sent].number = get_be16(end - 4);
	q->sent[q->num_sent].queue = skb->queue_mapping;
	q->sent[q->num_sent++].cpu = this_cpu->id;
	consume_skb(skb);
	return NETDEV_TX_OK;
}

struct queue_device *queue_device_new(struct net_fixture *net, u32 queues,
				      u32 tx_queue_len)
{
	static const u8 mac[] = { 0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0x03 };
	struct queue_device *q = g_new0(struct queue_device, 1);
	struct net_device_ops *ops = STATIC_OBJECT(net->kernel, net_device_ops,
						   0);
	GError *error = NULL;
	u32 i;

	q->net = net;
	q->dev = register_netdevice_mq(net->kernel, "mq0", 1500, queues,
				       tx_queue_len);
	ops->ndo_start_xmit = queue_xmit;
	q->dev->netdev_ops = ops;
	q->dev->priv = q;
	ether_setup(net->kernel, q->dev);
	q->dev->flags = IFF_UP | IFF_NOARP;
	q->dev->priv_flags = IFF_XMIT_DST_RELEASE;
	q->dev->features = NETIF_F_SG | NETIF_F_HIGHDMA | NETIF_F_HW_CSUM;
	q->dev->dev_addr[0] = 0x02;
	q->dev->dev_addr[5] = 0x03;
	if (!inet_add_address(net->kernel, q->dev, IP(10, 3, 0, 1), 24,
			      &error))
		ck_abort_msg("%s", error->message);
	for (i = 1; i <= 8; i++)
		neigh_add(net->kernel, q->dev, QUEUE_PEER(i), mac,
			  NUD_REACHABLE);
	machine_settle(net->machine);
	return q;
}

void queue_device_free(struct queue_device *q)
{
	g_free(q);
}

int queue_send(struct queue_device *q, u8 mark, u32 priority)
{
	struct sk_buff *skb = alloc_skb(LEN, GFP_ATOMIC);
	u32 at = skb_put(skb, LEN);

	put_be16(skb_bytes(skb, at + LEN - 4), (u16)q->num_made++);
	skb_bytes(skb, at + LEN - 1)[0] = mark;
	skb->network_header = at;
	skb->dev = q->dev;
	skb->priority = priority;
	return dev_queue_xmit(skb);
}
