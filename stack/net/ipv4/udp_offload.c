/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/udp_offload.c, and of net/ipv4/af_inet.c and
 * net/ipv6/ip6_offload.c what it needs: a packet that stands for several
 * datagrams, which one call of the sender has made (UDP_SEGMENT).
 *
 *	validate_xmit_skb -> skb_gso_segment	for devices that cannot cut it
 *	udp_queue_rcv_skb -> skb_gso_segment	for sockets that do not take it
 *	    whole (UDP_GRO)
 *
 * inet_gso_segment() and __udp_gso_segment() are one function here.  The NIC
 * joins nothing: what comes in whole has been sent over loopback.
 */
#include <errno.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/net/udp.h"
#include "stack/lib/checksum.h"
#include "stack/net/ipv4/udp.h"
#include "stack/net/ipv4/udp_offload.h"
#include "stack/net/ipv4/udp_rcv.h"
#include "stack/net/ipv6/udp.h"

/* ---- cutting ---- */

/* The n-th segment's own lengths, identification and sums. */
static void fix_headers(struct sk_buff *seg, u32 n)
{
	u32 network = READ(seg, network_header);
	u32 transport = READ(seg, transport_header);
	u8 *ip = skb_bytes(seg, network), *uh = skb_bytes(seg, transport);
	u32 len = READ(seg, len) - (transport - READ(seg, data));
	u16 sum;

	put_be16(uh + 4, (u16)len);
	if (ip[0] >> 4 == 4) {
		put_be16(ip + 2, (u16)(len + transport - network));
		put_be16(ip + 4, (u16)(get_be16(ip + 4) + n));
		put_be16(ip + 10, 0);
		put_be16(ip + 10, csum_fold(csum_partial(ip,
						transport - network, 0)));
		WORK(12);
		sum = (u16)~csum_fold(csum_tcpudp_nofold(get_be32(ip + 12),
				get_be32(ip + 16), len, ip[9], 0));
	} else {
		put_be16(ip + 4, (u16)(len + transport - network - IPV6_HLEN));
		sum = (u16)~csum_ipv6_magic(ip + 8, ip + 24, len,
					    IPPROTO_UDP_NUMBER, 0);
	}
	/* Only what the device, or nobody, sums up goes this way. */
	put_be16(uh + 6, sum);
	WRITE_SKB_DATA(seg, network, transport - network + UDP_HLEN);
	WORK(12);
}

/* The segments are charged to the sender in the packet's place. */
static void hand_over(struct sk_buff *skb, struct sk_buff *segs)
{
	struct sock *sk = READ(skb, sk);
	u32 truesize = 0;

	if (!sk || READ(skb, destructor) != sock_wfree)
		return;
	for (; segs; segs = READ(segs, next)) {
		WRITE(segs, destructor, sock_wfree);
		WRITE(segs, sk, sk);
		truesize += READ(segs, truesize);
	}
	truesize -= READ(skb, truesize);
	(void)ATOMIC_ADD_RETURN(sk, sk_wmem_alloc, (s32)truesize);
	WRITE(skb, destructor, NULL);
	WRITE(skb, sk, NULL);
}

struct sk_buff *skb_gso_segment(struct sk_buff *skb)
{
	u32 headers = READ(skb, transport_header) + UDP_HLEN;
	u32 mss = READ(&skb->head->shinfo, gso_size), n = 0;
	struct sk_buff *segs, *seg;

	FUNCTION(__udp_gso_segment);
	headers -= READ(skb, data);
	segs = skb_segment(skb, headers, mss);
	if (!segs) {
		kfree_skb(skb);
		return NULL;
	}
	for (seg = segs; seg; seg = READ(seg, next))
		fix_headers(seg, n++);
	hand_over(skb, segs);
	consume_skb(skb);
	return segs;
}

/* ---- sockets ---- */

int udp_gso_prepare(struct sock *sk, struct sk_buff *skb, u32 gso_size,
		    u32 fragsize, u32 len)
{
	struct skb_shared_info *shinfo = &skb->head->shinfo;
	u32 hlen = READ(skb, transport_header) - READ(skb, network_header);

	len -= UDP_HLEN;
	if (hlen + UDP_HLEN + gso_size > fragsize ||
	    len > gso_size * UDP_MAX_SEGMENTS || READ(sk, sk_no_check))
		return -EINVAL;
	if (READ(skb, ip_summed) != CHECKSUM_PARTIAL || is_udplite(sk))
		return -EIO;
	if (len <= gso_size)
		return 0;
	WRITE(shinfo, gso_size, (u16)gso_size);
	WRITE(shinfo, gso_type, SKB_GSO_UDP_L4);
	WRITE(shinfo, gso_segs, (u16)((len + gso_size - 1) / gso_size));
	return 0;
}

static bool udp_unexpected_gso(const struct sock *sk, const struct sk_buff *skb)
{
	const struct udp_sock *up = (const struct udp_sock *)(const void *)sk;

	if (!has(UDP_GRO_SOCK) || !READ(&skb->head->shinfo, gso_size))
		return false;
	return !READ_ONCE(up, gro_enabled);
}

/* All of it is lost where there is no memory. */
static struct sk_buff *udp_rcv_segment(struct sock *sk, struct sk_buff *skb)
{
	u32 n = READ(&skb->head->shinfo, gso_segs);
	u32 network = READ(skb, network_header);
	struct net *net = READ(sk, sk_net);

	UPDATE(skb, len, += READ(skb, data) - network);
	WRITE(skb, data, network);
	skb = skb_gso_segment(skb);
	if (skb)
		return skb;
	(void)ATOMIC_ADD_RETURN(sk, sk_drops, n);
	while (n--)
		udp_inc_stats(net, sk, UDP_MIB_INERRORS);
	return NULL;
}

int udp_rcv_segments(struct sock *sk, struct sk_buff *skb,
		     int (*one)(struct sock *sk, struct sk_buff *skb))
{
	struct sk_buff *next;
	int err = 0;

	if (likely(!udp_unexpected_gso(sk, skb)))
		return one(sk, skb);
	for (skb = udp_rcv_segment(sk, skb); skb; skb = next) {
		u32 headers = READ(skb, transport_header);

		next = READ(skb, next);
		WRITE(skb, next, NULL);
		headers -= READ(skb, data);
		UPDATE(skb, data, += headers);
		UPDATE(skb, len, -= headers);
		err = one(sk, skb);
	}
	return err;
}

void udp_cmsg_recv(struct msghdr *msg, const struct sock *sk,
		   const struct sk_buff *skb)
{
	const struct udp_sock *up = (const struct udp_sock *)(const void *)sk;

	u32 size;

	if (!has(UDP_GRO_SOCK) || !READ_ONCE(up, gro_enabled))
		return;
	size = READ(&skb->head->shinfo, gso_size);
	if (size && msg->gso_size)
		*msg->gso_size = size;
}

int udp_gso_setsockopt(struct sock *sk, int option, u32 value)
{
	struct udp_sock *up = udp_sk(sk);

	if (option == UDP_SEGMENT && has(UDP_GSO)) {
		if (value > UINT16_MAX)
			return -EINVAL;
		WRITE_ONCE(up, gso_size, (u16)value);
		return 0;
	}
	if (option == UDP_GRO && has(UDP_GRO_SOCK)) {
		WRITE_ONCE(up, gro_enabled, value != 0);
		return 0;
	}
	return 1;
}

int udp_gso_getsockopt(struct sock *sk, int option, u32 *value)
{
	struct udp_sock *up = udp_sk(sk);

	if (option == UDP_SEGMENT && has(UDP_GSO))
		*value = READ_ONCE(up, gso_size);
	else if (option == UDP_GRO && has(UDP_GRO_SOCK))
		*value = READ_ONCE(up, gro_enabled);
	else
		return 1;
	return 0;
}
