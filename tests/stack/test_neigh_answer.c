/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What comes in for neighbours: requests and solicitations are answered, and
 * answers resolve, byte by byte and state by state.
 */
#include "neigh_support.h"
#include "stack/lib/checksum.h"
#include "stack/net/ipv4/arp.h"
#include "stack/net/ipv6/ndisc.h"

#define FIXTURES (NEIGH_KERNELS * NEIGH_FAMILIES)

static const struct in6_addr own6 = { { 0xfd, [15] = 1 } };
static const struct in6_addr solicited6 = {
	{ 0xff, 0x02, [11] = 1, 0xff, [15] = 1 }
};

static struct neigh_fixture *fixture(int i)
{
	return neigh_fixture_new(i / 2, i % 2, true);
}

/* ---- packets that come in ---- */

struct arp_in {
	u16 op;
	u32 sip, tip;
	const u8 *sha;
	u8 pkt_type;
};

static struct sk_buff *arp_packet(struct neigh_fixture *f,
				  const struct arp_in *in)
{
	struct sk_buff *skb;
	u32 at;
	u8 *p;

	skb = neigh_alloc_skb(f->dev, ETH_P_ARP, ARP_LEN, &at);
	p = skb_bytes(skb, at);
	memset(p, 0, ARP_LEN);
	put_be16(p, 1);
	put_be16(p + 2, ETH_P_IP);
	p[4] = ETH_ALEN;
	p[5] = 4;
	put_be16(p + 6, in->op);
	memcpy(p + 8, in->sha ? in->sha : mac_a, ETH_ALEN);
	put_be32(p + 14, in->sip);
	put_be32(p + 24, in->tip);
	skb->pkt_type = in->pkt_type;
	return skb;
}

struct nd_in {
	u8 type, flags, option;
	const struct in6_addr *saddr, *daddr, *target;
	const u8 *lladdr;
	u8 hop_limit, code;	/* 255 and 0 where they are 0 */
	u32 cut;		/* so many bytes are missing at the end */
	u8 option_size;		/* 1 where it is 0 */
};

static struct sk_buff *nd_packet(struct neigh_fixture *f,
				 const struct nd_in *in)
{
	u32 len = ND_MSG_LEN + (in->option ? ND_OPT_LEN : 0), at;
	struct sk_buff *skb;
	u8 *p;

	skb = neigh_alloc_skb(f->dev, ETH_P_IPV6, 40 + len, &at);
	p = skb_bytes(skb, at);
	memset(p, 0, 40 + len);
	p[7] = in->hop_limit ? in->hop_limit : 255;
	memcpy(p + 8, in->saddr, 16);
	memcpy(p + 24, in->daddr, 16);
	p += 40;
	p[0] = in->type;
	p[1] = in->code;
	p[4] = in->flags;
	memcpy(p + 8, in->target, 16);
	if (in->option) {
		p[24] = in->option;
		p[25] = in->option_size ? in->option_size - 1 : 1;
		memcpy(p + 26, in->lladdr ? in->lladdr : mac_a, ETH_ALEN);
	}
	skb->transport_header = at + 40;
	skb->data += 40;
	skb->len -= 40 + in->cut;
	return skb;
}

static struct in6_addr nth6(u32 i)
{
	struct in6_addr addr = { { 0xfd } };

	put_be16(addr.s6_addr + 14, (u16)i);
	return addr;
}

/* Neighbour i asks for our address, to all or to us. */
static void ask(struct neigh_fixture *f, u32 i, bool unicast)
{
	const struct in6_addr saddr = nth6(i);
	const struct arp_in arp = {
		.op = ARPOP_REQUEST, .sip = IP(10, 4, 0, 0) + i,
		.tip = NET_LOCAL, .pkt_type = unicast ? 0 : 1,
	};
	const struct nd_in nd = {
		.type = NDISC_NEIGHBOUR_SOLICITATION, .saddr = &saddr,
		.daddr = unicast ? &own6 : &solicited6, .target = &own6,
		.option = ND_OPT_SOURCE_LL_ADDR,
	};

	if (f->ip6)
		ndisc_rcv(nd_packet(f, &nd));
	else
		arp_rcv(arp_packet(f, &arp), f->dev);
}

/* Neighbour i answers that it is at an address. */
static void tell(struct neigh_fixture *f, u32 i, const u8 *lladdr, u8 flags)
{
	const struct in6_addr target = nth6(i);
	const struct arp_in arp = {
		.op = ARPOP_REPLY, .sip = IP(10, 4, 0, 0) + i,
		.tip = NET_LOCAL, .sha = lladdr,
	};
	const struct nd_in nd = {
		.type = NDISC_NEIGHBOUR_ADVERTISEMENT, .flags = flags,
		.saddr = &target, .daddr = &own6, .target = &target,
		.option = ND_OPT_TARGET_LL_ADDR, .lladdr = lladdr,
	};

	if (f->ip6)
		ndisc_rcv(nd_packet(f, &nd));
	else
		arp_rcv(arp_packet(f, &arp), f->dev);
}

/* ---- answers of ours ---- */

/* 10.2.2.1 is at 02:00:00:00:00:02, to 10.4.0.9. */
static const u8 arp_reply[] = {
	0x02, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0x02, 0, 0, 0, 0, 0x02, 0x08, 0x06,
	0x00, 0x01, 0x08, 0x00, 0x06, 0x04, 0x00, 0x02,
	0x02, 0, 0, 0, 0, 0x02, 10, 2, 2, 1,
	0x02, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 10, 4, 0, 9,
};

/* fd00::1 is at 02:00:00:00:00:02, to fd00::9: solicited, override. */
static const u8 na[] = {
	0x02, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0x02, 0, 0, 0, 0, 0x02, 0x86, 0xdd,
	0x60, 0, 0, 0, 0x00, 0x20, 58, 255,
	0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01,
	0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x09,
	136, 0, 0x1c, 0x94, 0x60, 0, 0, 0,
	0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01,
	2, 1, 0x02, 0, 0, 0, 0, 0x02,	/* target link-layer address */
};

static u32 sent(const struct neigh_fixture *f)
{
	return f->net->packets->len;
}

START_TEST(test_answer)
{
	struct neigh_fixture *f = fixture(_i);
	const u8 *want = f->ip6 ? na : arp_reply;
	const GByteArray *packet;
	struct neighbour *n;

	ask(f, 9, false);
	ck_assert_uint_eq(sent(f), 1);
	packet = net_packet(f->net, 0);
	ck_assert_uint_eq(packet->len, f->ip6 ? sizeof(na) : sizeof(arp_reply));
	ck_assert_mem_eq(packet->data, want, packet->len);
	ck_assert(neigh_exists(f, 9));
	n = neigh_nth(f, 9);
	ck_assert_mem_eq(n->ha, mac_a, ETH_ALEN);
	/* It has told us its address; that it hears us it has not.  What we
	 * send it by the neighbour, as IPv6 does, starts the delay. */
	ck_assert_uint_eq(n->nud_state, f->ip6 ? NUD_DELAY : NUD_STALE);
	neigh_release(n);
	net_verify_rules(f->net);
	neigh_fixture_free(f);
}
END_TEST

/* Whoever asks us alone knows our address: it need not be said (RFC 4861,
 * 7.2.4), and no other one is overridden. */
START_TEST(test_answer_to_unicast)
{
	struct neigh_fixture *f = fixture(_i);
	const GByteArray *packet;

	ask(f, 9, true);
	ck_assert_uint_eq(sent(f), 1);
	packet = net_packet(f->net, 0);
	if (f->ip6) {
		ck_assert_uint_eq(packet->len, sizeof(na) - ND_OPT_LEN);
		ck_assert_uint_eq(packet->data[14 + 40 + 4], ND_SOLICITED);
	} else {
		ck_assert_mem_eq(packet->data, arp_reply, sizeof(arp_reply));
	}
	neigh_fixture_free(f);
}
END_TEST

/* Is the address free?  It is not, says who has it, to all. */
START_TEST(test_answer_to_duplicate_detection)
{
	struct neigh_fixture *f = fixture(_i);
	static const struct in6_addr any;
	const struct arp_in arp = { .op = ARPOP_REQUEST, .tip = NET_LOCAL };
	struct nd_in nd = {
		.type = NDISC_NEIGHBOUR_SOLICITATION, .saddr = &any,
		.daddr = &solicited6, .target = &own6,
	};
	const GByteArray *packet;

	if (f->ip6) {
		ndisc_rcv(nd_packet(f, &nd));
		ck_assert_uint_eq(sent(f), 1);
		packet = net_packet(f->net, 0);
		ck_assert_uint_eq(packet->data[0], 0x33);
		ck_assert_uint_eq(packet->data[14 + 24], 0xff);
		ck_assert_uint_eq(packet->data[14 + 40 + 4], ND_OVERRIDE);
		/* Neither with an address of its own nor to us alone. */
		nd.option = ND_OPT_SOURCE_LL_ADDR;
		ndisc_rcv(nd_packet(f, &nd));
		nd.option = 0;
		nd.daddr = &own6;
		ndisc_rcv(nd_packet(f, &nd));
	} else {
		arp_rcv(arp_packet(f, &arp), f->dev);
	}
	ck_assert_uint_eq(sent(f), 1);
	ck_assert_uint_eq(neigh_count(f), 0);
	neigh_fixture_free(f);
}
END_TEST

/* ---- answers to us ---- */

/* The whole life: asked for, known, doubted, probed, known once more; then
 * nobody answers. */
START_TEST(test_life)
{
	struct neigh_fixture *f = fixture(_i);
	struct neighbour *n = neigh_nth(f, 9);

	neigh_output(n, neigh_packet(f, 1), false);
	neigh_output(n, neigh_packet(f, 2), false);
	ck_assert_uint_eq(n->nud_state, NUD_INCOMPLETE);
	ck_assert_uint_eq(sent(f), 1);
	tell(f, 9, mac_a, ND_SOLICITED | ND_OVERRIDE);
	ck_assert_uint_eq(n->nud_state, NUD_REACHABLE);
	/* Both that waited, in their order. */
	ck_assert_uint_eq(sent(f), 3);
	ck_assert_uint_eq(net_packet(f->net, 1)->data[f->ip6 ? 61 : 41], 1);
	ck_assert_uint_eq(net_packet(f->net, 2)->data[f->ip6 ? 61 : 41], 2);
	ck_assert_mem_eq(net_packet(f->net, 2)->data, mac_a, ETH_ALEN);

	while (n->nud_state == NUD_REACHABLE)
		pass_timer(n);
	ck_assert_uint_eq(n->nud_state, NUD_STALE);
	neigh_output(n, neigh_packet(f, 3), false);
	ck_assert_uint_eq(sent(f), 4);
	ck_assert_uint_eq(n->nud_state, NUD_DELAY);
	pass_timer(n);
	ck_assert_uint_eq(n->nud_state, NUD_PROBE);
	ck_assert_uint_eq(sent(f), 5);
	tell(f, 9, mac_a, ND_SOLICITED | ND_OVERRIDE);
	ck_assert_uint_eq(n->nud_state, NUD_REACHABLE);

	while (n->nud_state == NUD_REACHABLE)
		pass_timer(n);
	neigh_output(n, neigh_packet(f, 4), false);
	while (n->nud_state != NUD_FAILED)
		pass_timer(n);
	ck_assert_uint_eq(sent(f), 5 + 1 + 3);
	neigh_release(n);
	net_verify_rules(f->net);
	neigh_fixture_free(f);
}
END_TEST

/* Of two answers the first counts: for ARP within a second, for IPv6 unless
 * the second says that it overrides. */
START_TEST(test_second_answer)
{
	struct neigh_fixture *f = fixture(_i);
	struct neighbour *n = neigh_nth(f, 9);

	neigh_event_send(n, NULL);
	tell(f, 9, mac_a, ND_SOLICITED | ND_OVERRIDE);
	tell(f, 9, mac_b, ND_SOLICITED);
	ck_assert_mem_eq(n->ha, mac_a, ETH_ALEN);
	ck_assert_uint_eq(n->nud_state, f->ip6 ? NUD_STALE : NUD_REACHABLE);
	pass_jiffies(HZ + 1);
	tell(f, 9, mac_b, ND_SOLICITED | ND_OVERRIDE);
	ck_assert_mem_eq(n->ha, mac_b, ETH_ALEN);
	ck_assert_uint_eq(n->nud_state, NUD_REACHABLE);
	neigh_release(n);
	neigh_fixture_free(f);
}
END_TEST

/* Nobody has asked: no entry is made.  One that is known becomes stale. */
START_TEST(test_unasked)
{
	struct neigh_fixture *f = fixture(_i);
	const struct in6_addr target = nth6(9);
	const struct arp_in arp = {
		.op = ARPOP_REPLY, .sip = IP(10, 4, 0, 9),
		.tip = IP(10, 4, 0, 9), .pkt_type = 1,
	};
	const struct nd_in nd = {
		.type = NDISC_NEIGHBOUR_ADVERTISEMENT, .saddr = &target,
		.daddr = &own6, .target = &target, .flags = ND_OVERRIDE,
		.option = ND_OPT_TARGET_LL_ADDR,
	};
	struct neighbour *n;
	int i;

	for (i = 0; i < 2; i++) {
		if (f->ip6)
			ndisc_rcv(nd_packet(f, &nd));
		else
			arp_rcv(arp_packet(f, &arp), f->dev);
		ck_assert_uint_eq(neigh_count(f), (u32)i);
		n = neigh_nth(f, 9);
		if (!i)
			neigh_event_send(n, NULL);
		else
			ck_assert_uint_eq(n->nud_state, NUD_STALE);
		neigh_release(n);
	}
	neigh_fixture_free(f);
}
END_TEST

/* ---- what must be passed over ---- */

START_TEST(test_bad_arp)
{
	static const struct { u8 at, value; } bytes[] = {
		{ 1, 6 }, { 2, 9 }, { 4, 8 }, { 5, 16 }, { 7, 3 },
		{ 24, 224 }, { 24, 127 }, { 27, 77 },
	};
	const struct arp_in arp = {
		.op = ARPOP_REQUEST, .sip = IP(10, 4, 0, 9), .tip = NET_LOCAL,
	};
	struct neigh_fixture *f = neigh_fixture_new(_i, false, true);
	struct sk_buff *skb;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bytes); i++) {
		skb = arp_packet(f, &arp);
		skb_bytes(skb, skb->network_header)[bytes[i].at] =
			bytes[i].value;
		arp_rcv(skb, f->dev);
	}
	skb = arp_packet(f, &arp);
	skb->len--;
	arp_rcv(skb, f->dev);
	skb = arp_packet(f, &arp);
	skb->pkt_type = 3;	/* it is for another host */
	arp_rcv(skb, f->dev);
	f->dev->flags |= IFF_NOARP;
	arp_rcv(arp_packet(f, &arp), f->dev);
	f->dev->flags &= ~IFF_NOARP;
	ck_assert_uint_eq(sent(f), 0);
	ck_assert_uint_eq(neigh_count(f), 0);
	arp_rcv(arp_packet(f, &arp), f->dev);
	ck_assert_uint_eq(sent(f), 1);
	neigh_fixture_free(f);
}
END_TEST

START_TEST(test_bad_nd)
{
	static const struct in6_addr other = { { 0xfd, [15] = 2 } };
	const struct in6_addr saddr = nth6(9);
	const struct nd_in good = {
		.type = NDISC_NEIGHBOUR_SOLICITATION, .saddr = &saddr,
		.daddr = &solicited6, .target = &own6,
		.option = ND_OPT_SOURCE_LL_ADDR,
	};
	struct nd_in bad[8];
	struct neigh_fixture *f = neigh_fixture_new(_i, true, true);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = good;
	bad[0].hop_limit = 254;		/* a router has passed it on */
	bad[1].code = 1;
	bad[2].cut = ND_OPT_LEN + 1;
	bad[3].cut = 1;			/* in the middle of the option */
	bad[4].option_size = 1;		/* 0 in the packet */
	bad[5].target = &other;
	bad[6].target = &solicited6;
	bad[7].type = NDISC_NEIGHBOUR_ADVERTISEMENT;	/* of our address */
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		ndisc_rcv(nd_packet(f, &bad[i]));
		ck_assert_msg(!sent(f) && !neigh_count(f), "message %u", i);
	}
	ndisc_rcv(nd_packet(f, &good));
	ck_assert_uint_eq(sent(f), 1);
	neigh_fixture_free(f);
}
END_TEST

Suite *suite_neigh_answer(void)
{
	Suite *suite = suite_create("neigh_answer");
	TCase *tcase = tcase_create("neigh_answer");

	tcase_add_loop_test(tcase, test_answer, 0, FIXTURES);
	tcase_add_loop_test(tcase, test_answer_to_unicast, 0, FIXTURES);
	tcase_add_loop_test(tcase, test_answer_to_duplicate_detection, 0,
			    FIXTURES);
	tcase_add_loop_test(tcase, test_life, 0, FIXTURES);
	tcase_add_loop_test(tcase, test_second_answer, 0, FIXTURES);
	tcase_add_loop_test(tcase, test_unasked, 0, FIXTURES);
	tcase_add_loop_test(tcase, test_bad_arp, 0, NEIGH_KERNELS);
	tcase_add_loop_test(tcase, test_bad_nd, 0, NEIGH_KERNELS);
	suite_add_tcase(suite, tcase);
	return suite;
}
