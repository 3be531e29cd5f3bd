/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "icmp_support.h"
#include "stack/include/net/icmp.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/neighbour.h"

void icmp_sum_up(bool ip6, u8 *ip, u32 len)
{
	u8 *icmp = ip + (ip6 ? 40 : 20);
	u32 sum;

	put_be16(icmp + 2, 0);
	sum = csum_partial(icmp, len, 0);
	put_be16(icmp + 2, ip6 ?
		 csum_ipv6_magic(ip + 8, ip + 24, len, IPPROTO_ICMPV6_NUMBER,
				 sum) : csum_fold(sum));
}

struct sk_buff *icmp_about_last(const struct net_fixture *net,
				const struct icmp_word *word, u32 part)
{
	const GByteArray *packet = net_packet(net, net->packets->len - 1);
	u32 header = word->ip6 ? 40 : 20, len = ICMP_HLEN + part, at;
	struct sk_buff *skb = neigh_alloc_skb(net->dev, word->ip6 ?
					      ETH_P_IPV6 : ETH_P_IP,
					      header + len, &at);
	u8 *ip = skb_bytes(skb, at), *icmp = ip + header;

	memset(ip, 0, header + ICMP_HLEN);
	if (word->ip6) {
		static const struct in6_addr router = { { 0xfd, [15] = 9 } };

		memcpy(ip + 8, &router, 16);
		memcpy(ip + 24, packet->data + 14 + 8, 16);
	} else {
		put_be32(ip + 12, IP(10, 2, 2, 9));
		memcpy(ip + 16, packet->data + 14 + 12, 4);
	}
	icmp[0] = word->type;
	icmp[1] = word->code;
	put_be32(icmp + 4, word->info);
	memcpy(icmp + ICMP_HLEN, packet->data + 14, part);
	icmp_sum_up(word->ip6, ip, len);
	skb->transport_header = at + header;
	skb->data += header;
	skb->len -= header;
	return skb;
}

void icmp_take(bool ip6, struct sk_buff *skb)
{
	local_bh_disable();
	if (ip6)
		icmpv6_rcv(skb);
	else
		icmp_rcv(skb);
	local_bh_enable();
}

void icmp_too_big(const struct net_fixture *net, bool ip6, u32 mtu)
{
	const struct icmp_word word = {
		.ip6 = ip6,
		.type = ip6 ? ICMPV6_PKT_TOOBIG : ICMP_DEST_UNREACH,
		.code = ip6 ? 0 : ICMP_FRAG_NEEDED,
		.info = mtu,
	};

	icmp_take(ip6, icmp_about_last(net, &word, ip6 ? 48 : 28));
}
