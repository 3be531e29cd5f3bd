/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Neighbours: finding and making them, their cached header, and who writes
 * when a message confirms one.
 */
#include <string.h>

#include "net6_support.h"
#include "net_support.h"

/* ---- the table ---- */

#define MANY 40u

static u32 buckets(const struct neigh_table *tbl)
{
	return 1u << tbl->nht->hash_shift;
}

static u32 chain_length(const struct neigh_table *tbl, u32 bucket)
{
	const struct neighbour *n;
	u32 length = 0;

	for (n = tbl->nht->hash_buckets->bucket[bucket]; n; n = n->next)
		length++;
	return length;
}

static u32 in_table(const struct neigh_table *tbl)
{
	u32 bucket, sum = 0;

	for (bucket = 0; bucket < buckets(tbl); bucket++)
		sum += chain_length(tbl, bucket);
	return sum;
}

static u32 position(const struct neigh_table *tbl, const struct neighbour *of)
{
	u32 bucket;

	for (bucket = 0; bucket < buckets(tbl); bucket++) {
		const struct neighbour *n =
			tbl->nht->hash_buckets->bucket[bucket];
		u32 at = 0;

		for (; n; n = n->next, at++)
			if (n == of)
				return at;
	}
	ck_abort_msg("a neighbour is not in the table");
}

START_TEST(test_lookup)
{
	struct net_fixture *net = net_new(&(struct net_setup){ 0 });
	struct net_device *other = dummy_new(net->kernel, "dummy1", 1500,
					     false);
	const struct neigh_table *tbl = net->kernel->net_core->arp_tbl;
	struct neighbour *all[MANY];
	u8 lladdr[ETH_ALEN] = { 2 };
	u32 i, longest = 0;

	for (i = 0; i < MANY; i++) {
		lladdr[5] = (u8)i;
		all[i] = neigh_add(net->kernel, net->dev, IP(10, 2, 2, 100) + i,
				   lladdr, NUD_PERMANENT);
	}
	for (i = 0; i < buckets(tbl); i++)
		longest = MAX(longest, chain_length(tbl, i));
	ck_assert_uint_eq(in_table(tbl), MANY + 1);
	ck_assert_uint_eq(tbl->entries, MANY + 1);
	ck_assert_uint_ge(longest, 2);	/* else no chain is tried */
	for (i = 0; i < MANY; i++) {
		u64 before = net_hits(net, "neighbour", "next", ACCESS_READ);

		ck_assert_ptr_eq(__ipv4_neigh_lookup_noref(net->dev,
				 IP(10, 2, 2, 100) + i), all[i]);
		/* It reads on from each that does not match. */
		ck_assert_uint_eq(net_hits(net, "neighbour", "next",
					   ACCESS_READ) - before,
				  position(tbl, all[i]));
		ck_assert_ptr_null(__ipv4_neigh_lookup_noref(other,
				   IP(10, 2, 2, 100) + i));
	}
	ck_assert_ptr_null(__ipv4_neigh_lookup_noref(net->dev,
						     IP(10, 2, 2, 99)));
	net_free(net);
}
END_TEST

/* fd00::x:y: each word of the address must count. */
static struct in6_addr address6(u32 i)
{
	struct in6_addr addr = { { 0xfd } };

	addr.s6_addr[3 + i % 4 * 4] ^= (u8)(i / 4 + 1);
	return addr;
}

START_TEST(test_lookup6)
{
	struct net_fixture *net = net_new(&(struct net_setup){ 0 });
	struct net_device *other = dummy_new(net->kernel, "dummy1", 1500,
					     false);
	const struct neigh_table *tbl = net->kernel->net_core->nd_tbl;
	u8 lladdr[ETH_ALEN] = { 2 };
	struct neighbour *all[MANY];
	struct in6_addr addr;
	u32 i;

	for (i = 0; i < MANY; i++) {
		addr = address6(i);
		lladdr[5] = (u8)i;
		all[i] = neigh_add6(net->kernel, net->dev, &addr, lladdr,
				    NUD_PERMANENT);
	}
	/* The route to ::1 has one too. */
	ck_assert_uint_eq(in_table(tbl), MANY + 1);
	ck_assert_uint_eq(tbl->entries, MANY + 1);
	ck_assert_uint_eq(net->kernel->net_core->arp_tbl->entries, 1);
	for (i = 0; i < MANY; i++) {
		u64 before = net_hits(net, "neighbour", "next", ACCESS_READ);

		addr = address6(i);
		ck_assert_ptr_eq(__ipv6_neigh_lookup_noref(net->dev, &addr),
				 all[i]);
		ck_assert_uint_eq(all[i]->ha[5], i);
		ck_assert_uint_eq(net_hits(net, "neighbour", "next",
					   ACCESS_READ) - before,
				  position(tbl, all[i]));
		ck_assert_ptr_null(__ipv6_neigh_lookup_noref(other, &addr));
	}
	addr = address6(MANY);
	ck_assert_ptr_null(__ipv6_neigh_lookup_noref(net->dev, &addr));
	net_free(net);
}
END_TEST

START_TEST(test_add_again)
{
	static const u8 lladdr[] = { 2, 4, 6, 8, 10, 12 };
	struct net_fixture *net = net_new(&(struct net_setup){ 0 });

	ck_assert_ptr_eq(neigh_add(net->kernel, net->dev, NET_PEER, lladdr,
				   NUD_PERMANENT), net->neigh);
	ck_assert_uint_eq(net->kernel->net_core->arp_tbl->entries, 1);
	ck_assert_uint_eq(net->neigh->nud_state, NUD_PERMANENT);
	ck_assert_mem_eq(net->neigh->ha, lladdr, ETH_ALEN);
	net_free(net);
}
END_TEST

static void send_to_new(void *arg)
{
	struct net_fixture *net = arg;
	const struct neighbour *n;
	int fd = net_socket();
	u32 i;

	ck_assert_int_eq(arp_tbl()->entries, 1);
	for (i = 0; i < 3; i++) {
		ck_assert_int_eq(net_send_to(fd, "x", 1, 0, IP(10, 2, 2, 9)),
				 1);
		ck_assert_uint_eq(arp_tbl()->entries, 2);
	}
	n = __ipv4_neigh_lookup_noref(net->dev, IP(10, 2, 2, 9));
	ck_assert_ptr_nonnull(n);
	ck_assert_uint_eq(n->nud_state, NUD_NOARP);
	ck_assert_uint_eq(n->primary_key[0], IP(10, 2, 2, 9));
	ck_assert_uint_eq(n->refcnt, 1);
	sys_close(fd);
}

START_TEST(test_made_at_first_send)
{
	struct net_setup setup = { .check = true };
	struct net_fixture *net = net_new(&setup);
	u32 i;

	net_run_one(net, send_to_new, net);
	for (i = 0; i < 3; i++)	/* without ARP: the device's own address */
		ck_assert_mem_eq(net_packet(net, i)->data, net->dev->dev_addr,
				 ETH_ALEN);
	net_verify_clean(net);
	net_free(net);
}
END_TEST

static void send_to_many_new(void *arg)
{
	int fd = net_socket();
	u32 i;

	(void)arg;
	for (i = 10; i < 60; i++)
		ck_assert_int_eq(net_send_to(fd, "x", 1, 0, IP(10, 2, 2, i)),
				 1);
	sys_close(fd);
}

/* Two CPUs that need the same neighbours at the same time make each once. */
START_TEST(test_made_once)
{
	struct net_setup setup = { .cores = 2, .check = true };
	struct net_fixture *net = net_new(&setup);
	const struct net_process processes[] = {
		{ .cpu = 0, .fn = send_to_many_new },
		{ .cpu = 1, .fn = send_to_many_new },
	};

	net_run(net, processes, 2);
	ck_assert_uint_eq(net->packets->len, 100);
	ck_assert_uint_eq(net->kernel->net_core->arp_tbl->entries, 51);
	ck_assert_uint_eq(in_table(net->kernel->net_core->arp_tbl), 51);
	/* Else this would try nothing: both have found none at least once. */
	ck_assert_uint_gt(net_hits(net, "neighbour", "primary_key",
				   ACCESS_WRITE), 51);
	net_verify_clean(net);
	net_free(net);
}
END_TEST

/* ---- the cached header ---- */

static void send_ten(void *arg)
{
	int fd = net_socket();

	(void)arg;
	net_send_n(fd, 10, 0);
	sys_close(fd);
}

START_TEST(test_header_is_filled_once)
{
	/* Two bytes in front align what follows to 16. */
	static const u8 header[] = {
		0x00, 0x00,
		0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee,
		0x02, 0x00, 0x00, 0x00, 0x00, 0x02,
		0x08, 0x00
	};
	struct net_fixture *net = net_new(&(struct net_setup){ 0 });
	u32 i;

	ck_assert_uint_eq(net->neigh->hh.hh_len, 0);
	net_run_one(net, send_ten, NULL);
	ck_assert_uint_eq(net->neigh->hh.hh_len, ETH_HLEN);
	ck_assert_mem_eq(net->neigh->hh.hh_data, header, sizeof(header));
	ck_assert_uint_eq(net_calls(net, "neigh_resolve_output"), 1);
	ck_assert_uint_eq(net_calls(net, "neigh_hh_init"), 1);
	ck_assert_uint_eq(net_hits(net, "neighbour", "hh.hh_len",
				   ACCESS_WRITE), 1);
	for (i = 0; i < 10; i++)
		ck_assert_mem_eq(net_packet(net, i)->data, header + 2,
				 ETH_HLEN);
	net_free(net);
}
END_TEST

/* The copy of 16 bytes is a call, or not. */
START_TEST(test_header_copy)
{
	static const char *const inline_copy[] = { "neigh-hh-output-inline",
						   NULL };
	const struct net_setup setup = {
		.patches = _i ? inline_copy : NULL,
	};
	struct net_fixture *net = net_new(&setup);
	u32 i;

	net_run_one(net, send_ten, NULL);
	ck_assert_uint_eq(net_calls(net, "memcpy"), _i ? 0 : 9);
	for (i = 1; i < 10; i++)
		ck_assert_mem_eq(net_packet(net, i)->data,
				 net_packet(net, 0)->data, ETH_HLEN);
	net_free(net);
}
END_TEST

/* ---- confirmations ---- */

struct confirm {
	struct net_fixture *net;
	u64 confirmed, pending;	/* stores before */
	bool once;		/* the patch is in */
};

static void take_stores(struct confirm *c)
{
	c->confirmed = net_hits(c->net, "neighbour", "confirmed",
				ACCESS_WRITE);
	c->pending = net_hits(c->net, "dst_entry", "pending_confirm",
			      ACCESS_WRITE);
}

/* So many have been made since, and the neighbour has the time. */
static void stored(struct confirm *c, u64 confirmed, u64 pending)
{
	ck_assert_uint_eq(net_hits(c->net, "neighbour", "confirmed",
				   ACCESS_WRITE) - c->confirmed, confirmed);
	ck_assert_uint_eq(net_hits(c->net, "dst_entry", "pending_confirm",
				   ACCESS_WRITE) - c->pending, pending);
	ck_assert_uint_eq(net_newest_route(c->net)->dst.pending_confirm, 0);
	take_stores(c);
}

static void next_jiffy(void)
{
	jiffies_data()->jiffies++;
}

static void confirm(void *arg)
{
	struct confirm *c = arg;
	static const u8 payload[65508];
	int fd = net_socket();
	u32 i;

	net_send_n(fd, 1, 0);
	take_stores(c);
	net_send_n(fd, 10, 0);
	stored(c, 0, 0);

	/* In the jiffy in which the neighbour was made. */
	net_send_n(fd, 10, MSG_CONFIRM);
	stored(c, c->once ? 0 : 10, 20);

	for (i = 0; i < 5; i++) {
		next_jiffy();
		net_send_n(fd, 10, MSG_CONFIRM);
		ck_assert_uint_eq(c->net->neigh->confirmed,
				  jiffies_data()->jiffies);
	}
	stored(c, c->once ? 5 : 50, 100);
	next_jiffy();
	net_send_n(fd, 10, 0);
	stored(c, 0, 0);
	ck_assert_uint_eq(c->net->neigh->confirmed,
			  jiffies_data()->jiffies - 1);

	/* A message that fails after it has confirmed leaves that to the
	 * next one. */
	ck_assert_int_lt(net_send_to(fd, payload, sizeof(payload), MSG_CONFIRM,
				     NET_PEER), 0);
	ck_assert_uint_eq(net_newest_route(c->net)->dst.pending_confirm, 1);
	net_send_n(fd, 1, 0);
	stored(c, 1, 2);
	ck_assert_uint_eq(c->net->neigh->confirmed, jiffies_data()->jiffies);
	sys_close(fd);
}

static const char *const confirm_once[] = { "neigh-confirm-once", NULL };

START_TEST(test_confirm)
{
	const struct net_setup setup = {
		.check = true, .patches = _i ? confirm_once : NULL,
	};
	struct net_fixture *net = net_new(&setup);
	struct confirm c = { .net = net, .once = _i };

	net_run_one(net, confirm, &c);
	net_verify_clean(net);
	net_free(net);
}
END_TEST

static void flood(void *arg)
{
	int fd = net_socket();
	u32 i;

	(void)arg;
	for (i = 0; i < 3000; i++)
		if (net_send_to(fd, "x", 1, MSG_CONFIRM, NET_PEER) != 1)
			ck_abort_msg("send %u of a flood failed", i);
	sys_close(fd);
}

/* The same by the ticks' own time: before the patch a store for each packet,
 * with it no more than one a jiffy and CPU. */
START_TEST(test_confirm_by_ticks)
{
	const struct net_setup setup = {
		.cores = 2, .patches = _i ? confirm_once : NULL,
	};
	struct net_fixture *net = net_new(&setup);
	const struct net_process processes[] = {
		{ .cpu = 0, .fn = flood }, { .cpu = 1, .fn = flood },
	};
	const struct jiffies_data *time = jiffies_data();
	u64 start = time->jiffies, jiffies, stores;

	time_start_ticks(net->kernel);
	net_run(net, processes, 2);
	jiffies = time->jiffies - start;
	stores = net_hits(net, "neighbour", "confirmed", ACCESS_WRITE);
	ck_assert_uint_ge(jiffies, 3);
	if (_i) {
		ck_assert_uint_ge(stores, jiffies);
		ck_assert_uint_le(stores, 2 * jiffies);
	} else {
		ck_assert_uint_eq(stores, 6000);
	}
	ck_assert_uint_le(time->jiffies - net->neigh->confirmed, 1);
	net_free(net);
}
END_TEST

static void flood6(void *arg)
{
	int fd = net6_socket();

	(void)arg;
	net6_send_n(fd, 200, MSG_CONFIRM);
	sys_close(fd);
}

/* An IPv6 route is all CPUs' at first: that they race for what it carries is
 * the kernel's own intention. */
START_TEST(test_confirm_by_shared_route)
{
	const struct net_setup setup = {
		.cores = 2, .check = true,
		.patches = _i ? confirm_once : NULL,
	};
	struct net_fixture *net = net6_new(&setup);
	const struct net_process processes[] = {
		{ .cpu = 0, .fn = flood6 }, { .cpu = 1, .fn = flood6 },
	};

	net_run(net, processes, 2);
	ck_assert_uint_eq(net->packets->len, 400);
	ck_assert_uint_ge(net_hits(net, "dst_entry", "pending_confirm",
				   ACCESS_WRITE), 600);
	net_verify_rules(net);
	net_free(net);
}
END_TEST

/* ---- suite ---- */

Suite *suite_neighbour(void)
{
	Suite *suite = suite_create("neighbour");
	TCase *table = tcase_create("table");
	TCase *header = tcase_create("header");
	TCase *confirmed = tcase_create("confirmed");

	tcase_add_test(table, test_lookup);
	tcase_add_test(table, test_lookup6);
	tcase_add_test(table, test_add_again);
	tcase_add_test(table, test_made_at_first_send);
	tcase_add_test(table, test_made_once);
	suite_add_tcase(suite, table);
	tcase_add_test(header, test_header_is_filled_once);
	tcase_add_loop_test(header, test_header_copy, 0, 2);
	suite_add_tcase(suite, header);
	tcase_add_loop_test(confirmed, test_confirm, 0, 2);
	tcase_add_loop_test(confirmed, test_confirm_by_ticks, 0, 2);
	tcase_add_loop_test(confirmed, test_confirm_by_shared_route, 0, 2);
	suite_add_tcase(suite, confirmed);
	return suite;
}
