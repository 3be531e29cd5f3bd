/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What goes on the link for neighbours: requests and solicitations byte by
 * byte, addresses that need none, and headers while an address changes.
 */
#include "neigh_support.h"
#include "stack/include/net/ip_fib.h"

#define OVER NEIGH_UPDATE_F_OVERRIDE

static const GByteArray *last_packet(const struct neigh_fixture *f)
{
	ck_assert_uint_gt(f->net->packets->len, 0);
	return net_packet(f->net, f->net->packets->len - 1);
}

static void verify_last(const struct neigh_fixture *f, const u8 *want, u32 len)
{
	const GByteArray *packet = last_packet(f);

	ck_assert_uint_eq(packet->len, len);
	ck_assert_mem_eq(packet->data, want, len);
}

/* ---- byte by byte ---- */

/* Who has 10.4.0.9? */
static const u8 arp_broadcast[] = {
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0, 0, 0, 0, 0x02, 0x08, 0x06,
	0x00, 0x01,		/* Ethernet */
	0x08, 0x00,		/* IPv4 */
	0x06, 0x04, 0x00, 0x01,	/* lengths; a request */
	0x02, 0, 0, 0, 0, 0x02, 10, 2, 2, 1,
	0, 0, 0, 0, 0, 0, 10, 4, 0, 9,
};

/* The same to an address that was good. */
static const u8 arp_unicast[] = {
	0x02, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0x02, 0, 0, 0, 0, 0x02, 0x08, 0x06,
	0x00, 0x01, 0x08, 0x00, 0x06, 0x04, 0x00, 0x01,
	0x02, 0, 0, 0, 0, 0x02, 10, 2, 2, 1,
	0, 0, 0, 0, 0, 0, 10, 4, 0, 9,
};

/* Who has fd00::9?  From fd00::1 to ff02::1:ff00:9. */
static const u8 ns_multicast[] = {
	0x33, 0x33, 0xff, 0x00, 0x00, 0x09, 0x02, 0, 0, 0, 0, 0x02, 0x86, 0xdd,
	0x60, 0, 0, 0, 0x00, 0x20, 58, 255,
	0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01,
	0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0xff, 0x00, 0x00, 0x09,
	135, 0, 0x7d, 0x88, 0, 0, 0, 0,
	0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x09,
	1, 1, 0x02, 0, 0, 0, 0, 0x02,	/* source link-layer address */
};

/* The same from fe80::ff:fe00:2 to fd00::9 itself. */
static const u8 ns_unicast[] = {
	0x02, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0x02, 0, 0, 0, 0, 0x02, 0x86, 0xdd,
	0x60, 0, 0, 0, 0x00, 0x20, 58, 255,
	0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfe, 0, 0, 0x02,
	0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x09,
	135, 0, 0x7e, 0x0b, 0, 0, 0, 0,
	0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x09,
	1, 1, 0x02, 0, 0, 0, 0, 0x02,
};

/* Three by multicast for a packet, and no more; then, of a neighbour that was
 * known, three to its address, without a packet to take the source from. */
START_TEST(test_probes)
{
	struct neigh_fixture *f = neigh_fixture_new(_i / 2, _i % 2, true);
	const u8 *multicast = f->ip6 ? ns_multicast : arp_broadcast;
	const u8 *unicast = f->ip6 ? ns_unicast : arp_unicast;
	u32 len = f->ip6 ? sizeof(ns_multicast) : sizeof(arp_broadcast), i;
	struct neighbour *n = neigh_nth(f, 9);

	neigh_output(n, neigh_packet(f, 0), false);
	for (i = 1; i <= 3; i++) {
		ck_assert_uint_eq(f->net->packets->len, i);
		verify_last(f, multicast, len);
		pass_timer(n);
	}
	ck_assert_uint_eq(f->net->packets->len, 3);
	ck_assert_uint_eq(n->nud_state, NUD_FAILED);

	neigh_update(n, mac_a, NUD_STALE, OVER);
	neigh_event_send(n, NULL);
	for (i = 1; i <= 3; i++) {
		pass_timer(n);
		ck_assert_uint_eq(n->nud_state, NUD_PROBE);
		ck_assert_uint_eq(f->net->packets->len, 3 + i);
		verify_last(f, unicast, len);
	}
	pass_timer(n);
	ck_assert_uint_eq(n->nud_state, NUD_FAILED);
	ck_assert_uint_eq(f->net->packets->len, 6);
	neigh_release(n);
	net_verify_rules(f->net);
	neigh_fixture_free(f);
}
END_TEST

/* Which packet the source address is taken from: the one that has waited
 * longest, later the newest. */
START_TEST(test_probe_source)
{
	struct neigh_fixture *f = neigh_fixture_new(_i / 2, _i % 2, false);
	struct neighbour *n = neigh_nth(f, 9);
	struct sk_buff *newer = neigh_packet(f, 0);
	u32 at = newer->network_header + (f->ip6 ? 23 : 15);
	const GByteArray *packet;

	*skb_bytes(newer, at) = 77;
	neigh_output(n, neigh_packet(f, 0), false);
	neigh_output(n, newer, false);
	pass_timer(n);
	packet = last_packet(f);
	ck_assert_uint_eq(packet->data[f->ip6 ? 37 : 31], _i / 2 ? 77 : 1);
	neigh_release(n);
	neigh_fixture_free(f);
}
END_TEST

/* Without an address there is nothing to ask with. */
START_TEST(test_no_address)
{
	struct neigh_fixture *f = neigh_fixture_new(_i / 2, _i % 2, false);
	struct neighbour *n;

	f->dev->ip_ptr = NULL;
	f->dev->ip6_ptr = NULL;
	n = neigh_nth(f, 9);
	if (f->ip6)
		neigh_event_send(n, NULL);
	else
		neigh_output(n, neigh_packet(f, 0), false);
	while (n->timer.pending)
		pass_timer(n);
	ck_assert_uint_eq(n->nud_state, NUD_FAILED);
	ck_assert_uint_eq(f->net->packets->len, 0);
	neigh_release(n);
	neigh_fixture_free(f);
}
END_TEST

/* ---- neighbours that nobody is asked for ---- */

struct mapped {
	bool ip6;
	u32 key;
	struct in6_addr addr;
	u32 flags;		/* of the device */
	u8 mac[ETH_ALEN];
	u8 type;
};

#define BROADCAST { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }
#define OWN { 0x02, 0, 0, 0, 0, 0x02 }

static const struct mapped mapped[] = {
	{ false, IP(224, 0, 0, 251), { { 0 } }, 0,
	  { 0x01, 0x00, 0x5e, 0x00, 0x00, 0xfb }, RTN_MULTICAST },
	{ false, IP(239, 129, 2, 3), { { 0 } }, 0,
	  { 0x01, 0x00, 0x5e, 0x01, 0x02, 0x03 }, RTN_MULTICAST },
	{ false, IP(224, 1, 1, 1), { { 0 } }, IFF_NOARP,
	  { 0x01, 0x00, 0x5e, 0x01, 0x01, 0x01 }, RTN_MULTICAST },
	{ false, INADDR_BROADCAST, { { 0 } }, 0, BROADCAST, RTN_BROADCAST },
	{ false, IP(10, 2, 2, 255), { { 0 } }, 0, BROADCAST, RTN_BROADCAST },
	{ false, IP(10, 4, 0, 9), { { 0 } }, IFF_NOARP, OWN, RTN_UNICAST },
	{ false, IP(10, 4, 0, 9), { { 0 } }, IFF_POINTOPOINT, BROADCAST,
	  RTN_UNICAST },
	{ true, 0, { { 0xff, 0x02, [13] = 1, [15] = 3 } }, 0,
	  { 0x33, 0x33, 0x00, 0x01, 0x00, 0x03 }, RTN_MULTICAST },
	{ true, 0, { { 0xfd, [15] = 9 } }, IFF_NOARP, OWN, RTN_UNICAST },
	{ true, 0, { { 0xfd, [15] = 9 } }, IFF_LOOPBACK, OWN, RTN_LOCAL },
	{ true, 0, { { 0xfd, [15] = 9 } }, IFF_POINTOPOINT, BROADCAST,
	  RTN_UNICAST },
};

START_TEST(test_mapped)
{
	u32 count = ARRAY_SIZE(mapped);
	const struct mapped *m = &mapped[(u32)_i % count];
	struct neigh_fixture *f = neigh_fixture_new((u32)_i / count, m->ip6,
						    false);
	struct neighbour *n;
	u8 type = m->type;

	/* All the other ends of such a device are one, whose address is none:
	 * that one is a broadcast address. */
	if (has(NEIGH_KEY_POINTOPOINT) && !m->ip6 &&
	    (m->flags & IFF_POINTOPOINT))
		type = RTN_BROADCAST;
	f->dev->flags |= m->flags;
	n = __neigh_create(f->tbl, m->ip6 ? (const void *)&m->addr : &m->key,
			   f->dev);
	ck_assert_uint_eq(n->nud_state, NUD_NOARP);
	ck_assert_uint_eq(n->type, type);
	ck_assert_mem_eq(n->ha, m->mac, ETH_ALEN);
	ck_assert_ptr_eq(m->ip6 ? __ipv6_neigh_lookup_noref(f->dev, &m->addr) :
			 __ipv4_neigh_lookup_noref(f->dev, m->key), n);
	neigh_output(n, neigh_packet(f, 0), false);
	ck_assert_uint_eq(f->net->packets->len, 1);
	ck_assert_mem_eq(last_packet(f)->data, m->mac, ETH_ALEN);
	neigh_fixture_free(f);
}
END_TEST

START_TEST(test_pointopoint_key)
{
	struct neigh_fixture *f = neigh_fixture_new(_i, false, false);
	struct neighbour *a, *b;
	u32 key = IP(10, 4, 0, 9);

	f->dev->flags |= IFF_POINTOPOINT;
	a = __neigh_create(f->tbl, &key, f->dev);
	key++;
	b = __ipv4_neigh_lookup_noref(f->dev, key);
	ck_assert_ptr_eq(b, _i ? a : NULL);
	neigh_fixture_free(f);
}
END_TEST

/* ---- an address that changes while others send ---- */

#define SENDS 400u
#define CHANGES 60u

static void send_many(void *arg)
{
	int fd = net_socket();
	u32 i;

	(void)arg;
	for (i = 0; i < SENDS; i++)
		if (net_send_to(fd, "x", 1, 0, IP(10, 2, 2, 9)) != 1)
			ck_abort_msg("send %u failed", i);
	sys_close(fd);
}

static void change_address(void *arg)
{
	struct neigh_fixture *f = arg;
	struct neighbour *n = __ipv4_neigh_lookup_noref(f->dev,
							IP(10, 2, 2, 9));
	u32 i;

	for (i = 0; i < CHANGES; i++) {
		neigh_update(n, i % 2 ? mac_b : mac_a, NUD_REACHABLE, OVER);
		WORK(20000);
	}
}

/* Each packet goes to the one address or to the other, and after the last
 * change to the last one; nothing races. */
START_TEST(test_change)
{
	struct neigh_fixture *f = neigh_fixture_new(_i, false, true);
	const struct net_process processes[] = {
		{ .cpu = 0, .fn = send_many },
		{ .cpu = 1, .fn = send_many },
		{ .cpu = 2, .fn = change_address, .arg = f },
	};
	struct neighbour *n = neigh_add(f->net->kernel, f->dev,
					IP(10, 2, 2, 9), mac_b, NUD_REACHABLE);
	u32 i, to_a = 0, to_b = 0, changes = 0;
	const u8 *before = NULL;

	net_run(f->net, processes, 3);
	ck_assert_uint_eq(f->net->packets->len, 2 * SENDS);
	for (i = 0; i < 2 * SENDS; i++) {
		const u8 *mac = net_packet(f->net, i)->data;

		to_a += !memcmp(mac, mac_a, ETH_ALEN);
		to_b += !memcmp(mac, mac_b, ETH_ALEN);
		changes += before && memcmp(mac, before, ETH_ALEN);
		before = mac;
	}
	ck_assert_uint_eq(to_a + to_b, 2 * SENDS);
	ck_assert_uint_ge(changes, 20);
	ck_assert_uint_eq(n->hh.hh_lock.sequence % 2, 0);
	ck_assert_uint_eq(n->ha_lock.sequence, 2 * (CHANGES + 1));
	net_run_one(f->net, send_many, NULL);
	ck_assert_mem_eq(last_packet(f)->data, mac_b, ETH_ALEN);
	/* The header is changed under its own sequence count. */
	i = n->hh.hh_lock.sequence;
	neigh_update(n, mac_a, NUD_REACHABLE, OVER);
	ck_assert_uint_eq(n->hh.hh_lock.sequence, i + 2);
	ck_assert_mem_eq(n->hh.hh_data + 2, mac_a, ETH_ALEN);
	net_verify_rules(f->net);
	neigh_fixture_free(f);
}
END_TEST

/* ---- headers and room ---- */

/* A packet that has a hardware header already gets a new one in its place. */
START_TEST(test_header_again)
{
	struct neigh_fixture *f = neigh_fixture_new(_i / 2, _i % 2, false);
	struct neighbour *n = neigh_nth(f, 9);
	struct sk_buff *skb = neigh_packet(f, 0);
	u32 len = skb->len;

	neigh_update(n, mac_a, NUD_DELAY, ADMIN);
	skb_push(skb, ETH_HLEN);
	ck_assert_int_eq(neigh_output(n, skb, false), 0);
	ck_assert_uint_eq(last_packet(f)->len, len + ETH_HLEN);
	ck_assert_mem_eq(last_packet(f)->data, mac_a, ETH_ALEN);
	neigh_release(n);
	neigh_fixture_free(f);
}
END_TEST

/* Later kernels drop a packet without room for the header. */
START_TEST(test_no_headroom)
{
	struct neigh_fixture *f = neigh_fixture_new(1, _i, true);
	struct neighbour *n = neigh_nth(f, 9);
	struct sk_buff *skb = neigh_packet(f, 0);

	neigh_update(n, mac_a, NUD_PERMANENT, ADMIN);
	neigh_output(n, skb, false);
	ck_assert_uint_eq(f->net->packets->len, 1);
	skb = neigh_packet(f, 0);
	skb_push(skb, skb->data - HH_DATA_MOD);
	skb->network_header = skb->data;
	ck_assert_int_eq(neigh_output(n, skb, false), 0);
	ck_assert_uint_eq(f->net->packets->len, 2);
	skb = neigh_packet(f, 0);
	skb_push(skb, skb->data - HH_DATA_MOD + 1);
	ck_assert_int_eq(neigh_output(n, skb, false), NET_XMIT_DROP);
	ck_assert_uint_eq(f->net->packets->len, 2);
	ck_assert_int_eq(f->rt->dst.__refcnt, 1);
	neigh_release(n);
	net_verify_rules(f->net);
	neigh_fixture_free(f);
}
END_TEST

/* ---- suite ---- */

Suite *suite_neigh_packet(void)
{
	Suite *suite = suite_create("neigh_packet");
	TCase *bytes = tcase_create("bytes");
	TCase *unasked = tcase_create("unasked");
	TCase *change = tcase_create("change");

	tcase_add_loop_test(bytes, test_probes, 0, 4);
	tcase_add_loop_test(bytes, test_probe_source, 0, 4);
	tcase_add_loop_test(bytes, test_no_address, 0, 4);
	tcase_add_loop_test(bytes, test_header_again, 0, 4);
	tcase_add_loop_test(bytes, test_no_headroom, 0, NEIGH_FAMILIES);
	suite_add_tcase(suite, bytes);
	tcase_add_loop_test(unasked, test_mapped, 0,
			    NEIGH_KERNELS * ARRAY_SIZE(mapped));
	tcase_add_loop_test(unasked, test_pointopoint_key, 0, NEIGH_KERNELS);
	suite_add_tcase(suite, unasked);
	tcase_set_timeout(change, 60);
	tcase_add_loop_test(change, test_change, 0, NEIGH_KERNELS);
	suite_add_tcase(suite, change);
	return suite;
}
