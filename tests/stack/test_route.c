/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Routes as packets take them: each CPU's cached one, that of a connected
 * socket, what makes them stale, gateways, and the source address.
 */
#include <errno.h>
#include <string.h>

#include "net_support.h"
#include "stack/include/linux/rcupdate.h"

#define GATEWAY_A NET_PEER
#define GATEWAY_B IP(10, 2, 2, 3)
#define FAR_NET IP(192, 0, 2, 0)
#define FAR_HOST IP(192, 0, 2, 200)

static const u8 mac_a[] = { 0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee };
static const u8 mac_b[] = { 0x02, 0x00, 0x00, 0x00, 0x00, 0xbb };

/* ---- steps ---- */

static void add_route(struct net_fixture *net, u32 address, u32 prefix,
		      u32 gateway)
{
	GError *error = NULL;

	if (!inet_add_route(net->kernel, net->dev, address, prefix, gateway,
			    &error))
		ck_abort_msg("%s", error->message);
}

static void add_address(struct net_fixture *net, struct net_device *dev,
			u32 address, u32 prefix)
{
	GError *error = NULL;

	if (!inet_add_address(net->kernel, dev, address, prefix, &error))
		ck_abort_msg("%s", error->message);
}

static u32 num_routes(const struct net_fixture *net)
{
	return net->kernel->ipv4->cached_routes->len;
}

/* Where the last packet went, by Ethernet and by IPv4. */
static void last_went_to(const struct net_fixture *net, const u8 *mac,
			 u32 daddr)
{
	const GByteArray *packet = net_packet(net, net->packets->len - 1);
	const u8 *to = packet->data + ETH_HLEN + 16;

	ck_assert_mem_eq(packet->data, mac, ETH_ALEN);
	ck_assert_uint_eq(IP(to[0], to[1], to[2], to[3]), daddr);
}

static u32 last_source(const struct net_fixture *net)
{
	const GByteArray *packet = net_packet(net, net->packets->len - 1);
	const u8 *from = packet->data + ETH_HLEN + 12;

	return IP(from[0], from[1], from[2], from[3]);
}

/* Every test runs on both, which have routes of different kinds. */
static const char *const kernels[] = { "linux-3.6", "linux-6.1" };

static void run_case(int kernel, void (*fn)(void *net))
{
	struct net_setup setup = {
		.kernel = kernels[kernel], .cores = 2, .check = true,
	};
	struct net_fixture *net = net_new(&setup);

	net_run_one(net, fn, net);
	net_verify_rules(net);	/* routes that were added are still there */
	net_free(net);
}

/* ---- the cache ---- */

static void use_cached(void *arg)
{
	struct net_fixture *net = arg;
	int fd = net_socket();
	const struct rtable *first, *second;

	net_send_n(fd, 3, 0);
	ck_assert_uint_eq(num_routes(net), 1);
	first = net_newest_route(net);
	ck_assert_uint_eq(first->dst.obsolete, DST_OBSOLETE_FORCE_CHK);
	ck_assert_uint_eq(first->rt_gateway, 0);

	/* Another destination of the same network shares it. */
	ck_assert_int_eq(net_send_to(fd, "x", 1, 0, IP(10, 2, 2, 77)), 1);
	ck_assert_uint_eq(num_routes(net), 1);

	/* Any change of the tables makes it stale. */
	add_route(net, FAR_NET, 24, 0);
	net_send_n(fd, 3, 0);
	ck_assert_uint_eq(num_routes(net), 2);
	second = net_newest_route(net);
	ck_assert_int_eq(first->dst.__refcnt, 0);
	ck_assert_int_eq(second->dst.__refcnt, 1);
	ck_assert_uint_ne(first->rt_genid, second->rt_genid);

	rt_cache_flush(net->kernel->init_net);
	net_send_n(fd, 1, 0);
	ck_assert_uint_eq(num_routes(net), 3);
	ck_assert_int_eq(second->dst.__refcnt, 0);
	add_address(net, net->dev, IP(10, 9, 9, 1), 24);
	net_send_n(fd, 1, 0);
	ck_assert_uint_eq(num_routes(net), 4);
	ck_assert(inet_del_route(net->kernel, FAR_NET, 24));
	net_send_n(fd, 1, 0);
	ck_assert_uint_eq(num_routes(net), 5);
	/* One that was not there changes nothing. */
	ck_assert(!inet_del_route(net->kernel, FAR_NET, 24));
	net_send_n(fd, 1, 0);
	ck_assert_uint_eq(num_routes(net), 5);
	sys_close(fd);
}

START_TEST(test_cached_route)
{
	run_case(_i, use_cached);
}
END_TEST

static void send_some(void *arg)
{
	int fd = net_socket();

	(void)arg;
	net_send_n(fd, 20, 0);
	sys_close(fd);
}

START_TEST(test_a_route_for_each_cpu)
{
	struct net_setup setup = {
		.kernel = kernels[_i], .cores = 2, .check = true,
	};
	struct net_fixture *net = net_new(&setup);
	const struct net_process processes[] = {
		{ .cpu = 0, .fn = send_some }, { .cpu = 1, .fn = send_some },
	};

	net_run(net, processes, 2);
	ck_assert_uint_eq(num_routes(net), 2);
	net_run(net, processes, 2);
	ck_assert_uint_eq(num_routes(net), 2);
	net_verify_clean(net);
	net_free(net);
}
END_TEST

static void hold_route(void *arg)
{
	struct net_fixture *net = arg;
	int fd = net_socket_to(NET_PEER);
	struct dst_entry *first = net_sk(fd)->sk_dst_cache, *second;

	ck_assert_ptr_eq(first, &net_newest_route(net)->dst);
	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	ck_assert_ptr_eq(net_sk(fd)->sk_dst_cache, first);

	add_route(net, FAR_NET, 24, 0);
	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	second = net_sk(fd)->sk_dst_cache;
	ck_assert_ptr_eq(second, &net_newest_route(net)->dst);
	ck_assert_ptr_ne(first, second);
	ck_assert_int_eq(first->__refcnt, 0);
	ck_assert_int_eq(second->__refcnt, 2);
	ck_assert_int_eq(net_sk(fd)->sk_tx_queue_mapping, -1);
	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	ck_assert_int_eq(second->__refcnt, 2);
	sys_close(fd);
	rcu_barrier();		/* it may go later than its descriptor */
	ck_assert_int_eq(second->__refcnt, 1);
}

START_TEST(test_route_of_a_connected_socket)
{
	run_case(_i, hold_route);
}
END_TEST

static void lose_route(void *arg)
{
	struct net_fixture *net = arg;
	int fd;

	add_route(net, FAR_NET, 24, GATEWAY_A);
	fd = net_socket_to(FAR_HOST);
	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	ck_assert(inet_del_route(net->kernel, FAR_NET, 24));
	ck_assert_int_eq(net_send(fd, "x", 1, 0), -ENETUNREACH);
	ck_assert_ptr_null(net_sk(fd)->sk_dst_cache);
	ck_assert_int_eq(net_send(fd, "x", 1, 0), -ENETUNREACH);
	ck_assert_uint_eq(snmp_ip(net->kernel, IPSTATS_MIB_OUTNOROUTES), 2);
	add_route(net, FAR_NET, 24, GATEWAY_A);
	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	last_went_to(net, mac_a, FAR_HOST);
	sys_close(fd);
}

START_TEST(test_route_that_went_and_came)
{
	run_case(_i, lose_route);
}
END_TEST

/* ---- gateways ---- */

static void use_gateways(void *arg)
{
	struct net_fixture *net = arg;
	int fd = net_socket(), connected;

	neigh_add(net->kernel, net->dev, GATEWAY_B, mac_b, NUD_PERMANENT);
	add_route(net, FAR_NET, 24, GATEWAY_A);
	ck_assert_int_eq(net_send_to(fd, "x", 1, 0, FAR_HOST), 1);
	last_went_to(net, mac_a, FAR_HOST);
	ck_assert_uint_eq(net_newest_route(net)->rt_gateway, GATEWAY_A);
	ck_assert_uint_eq(net_newest_route(net)->rt_uses_gateway, 1);
	connected = net_socket_to(FAR_HOST);
	ck_assert_int_eq(net_send(connected, "x", 1, 0), 1);
	last_went_to(net, mac_a, FAR_HOST);

	/* A longer prefix over another gateway takes them over. */
	add_route(net, IP(192, 0, 2, 128), 25, GATEWAY_B);
	ck_assert_int_eq(net_send(connected, "x", 1, 0), 1);
	last_went_to(net, mac_b, FAR_HOST);
	ck_assert_int_eq(net_send_to(fd, "x", 1, 0, FAR_HOST), 1);
	last_went_to(net, mac_b, FAR_HOST);
	ck_assert_int_eq(net_send_to(fd, "x", 1, 0, IP(192, 0, 2, 7)), 1);
	last_went_to(net, mac_a, IP(192, 0, 2, 7));
	/* No neighbour was made for what lies behind them. */
	ck_assert_uint_eq(arp_tbl()->entries, 2);

	ck_assert(inet_del_route(net->kernel, IP(192, 0, 2, 128), 25));
	ck_assert_int_eq(net_send(connected, "x", 1, 0), 1);
	last_went_to(net, mac_a, FAR_HOST);
	sys_close(connected);
	sys_close(fd);
}

START_TEST(test_gateways)
{
	run_case(_i, use_gateways);
}
END_TEST

static void use_default_route(void *arg)
{
	struct net_fixture *net = arg;
	int fd = net_socket();

	add_route(net, 0, 0, GATEWAY_A);
	ck_assert_int_eq(net_send_to(fd, "x", 1, 0, IP(8, 8, 8, 8)), 1);
	last_went_to(net, mac_a, IP(8, 8, 8, 8));
	/* What is on the link does not take it. */
	ck_assert_int_eq(net_send_to(fd, "x", 1, 0, GATEWAY_B), 1);
	last_went_to(net, net->dev->dev_addr, GATEWAY_B);
	/* The broadcast to the link may take it, but needs permission; and
	 * leaves no mark on the route that others use. */
	ck_assert_int_eq(net_send_to(fd, "x", 1, 0, INADDR_BROADCAST),
			 -EACCES);
	ck_assert_int_eq(net_send_to(fd, "x", 1, 0, IP(8, 8, 8, 8)), 1);
	sys_close(fd);
}

START_TEST(test_default_route)
{
	run_case(_i, use_default_route);
}
END_TEST

START_TEST(test_gateway_that_is_not_there)
{
	struct net_fixture *net = net_new(&(struct net_setup){
		.kernel = kernels[_i],
	});
	GError *error = NULL;

	ck_assert(!inet_add_route(net->kernel, net->dev, FAR_NET, 24,
				  IP(172, 16, 0, 1), &error));
	ck_assert(g_error_matches(error, KERNEL_ERROR, KERNEL_ERROR_NETWORK));
	ck_assert_ptr_nonnull(strstr(error->message, "192.0.2.0/24"));
	g_error_free(error);
	net_free(net);
}
END_TEST

/* ---- the source ---- */

static void add_route_from(struct net_fixture *net, u32 dst, u32 prefsrc)
{
	struct fib_config cfg = {
		.fc_dst = dst, .fc_dst_len = 32, .fc_type = RTN_UNICAST,
		.fc_scope = RT_SCOPE_LINK, .fc_prefsrc = prefsrc,
		.fc_nh = { .dev = net->dev, .oif = net->dev->ifindex,
			   .saddr = NET_LOCAL },
	};

	ck_assert(fib_table_insert(net->kernel->init_net->ipv4.fib_main, &cfg,
				   NULL));
	rt_cache_flush(net->kernel->init_net);
}

static void choose_source(void *arg)
{
	struct net_fixture *net = arg;
	int fd = net_socket(), connected;

	add_address(net, net->dev, IP(10, 9, 9, 1), 24);
	net_send_n(fd, 1, 0);
	ck_assert_uint_eq(last_source(net), NET_LOCAL);
	/* Each network has the address that brought it. */
	ck_assert_int_eq(net_send_to(fd, "x", 1, 0, IP(10, 9, 9, 2)), 1);
	ck_assert_uint_eq(last_source(net), IP(10, 9, 9, 1));
	/* A route without one takes the device's first address. */
	add_route(net, FAR_NET, 24, IP(10, 9, 9, 2));
	ck_assert_int_eq(net_send_to(fd, "x", 1, 0, FAR_HOST), 1);
	ck_assert_uint_eq(last_source(net), NET_LOCAL);
	/* One that names its own wins. */
	add_route_from(net, FAR_HOST, IP(10, 9, 9, 1));
	ck_assert_int_eq(net_send_to(fd, "x", 1, 0, FAR_HOST), 1);
	ck_assert_uint_eq(last_source(net), IP(10, 9, 9, 1));
	/* A socket that has one keeps it, whatever the routes say. */
	connected = net_socket_to(FAR_HOST);
	add_route_from(net, IP(192, 0, 2, 7), NET_LOCAL);
	ck_assert_int_eq(net_send(connected, "x", 1, 0), 1);
	ck_assert_uint_eq(last_source(net), IP(10, 9, 9, 1));
	ck_assert_int_eq(net_send_to(connected, "x", 1, 0, IP(192, 0, 2, 7)),
			 1);
	ck_assert_uint_eq(last_source(net), IP(10, 9, 9, 1));
	sys_close(connected);
	sys_close(fd);
}

START_TEST(test_source)
{
	run_case(_i, choose_source);
}
END_TEST

/* ---- a second device ---- */

static void use_small_mtu(void *arg)
{
	struct net_fixture *net = arg;
	struct net_device *dev = dummy_new(net->kernel, "dummy1", 576, false);
	u8 payload[1472] = { 0 };
	int fd = net_socket();

	add_address(net, dev, IP(10, 3, 3, 1), 24);
	ck_assert_uint_eq(dev->ifindex, 3);
	ck_assert_int_eq(net_send_to(fd, payload, 548, 0, IP(10, 3, 3, 3)),
			 548);
	ck_assert_int_eq(net_send_to(fd, payload, 549, 0, IP(10, 3, 3, 3)),
			 549);	/* in two fragments */
	ck_assert_int_eq(net_send_to(fd, payload, 1472, 0, NET_PEER), 1472);
	ck_assert_uint_eq(dev->dstats[0]->tx_packets, 3);
	ck_assert_uint_eq(net->dev->dstats[0]->tx_packets, 1);
	sys_close(fd);
}

START_TEST(test_two_devices)
{
	run_case(_i, use_small_mtu);
}
END_TEST

Suite *suite_route(void)
{
	Suite *suite = suite_create("route");
	TCase *cache = tcase_create("cache");
	TCase *ways = tcase_create("ways");

	tcase_add_loop_test(cache, test_cached_route, 0, 2);
	tcase_add_loop_test(cache, test_a_route_for_each_cpu, 0, 2);
	tcase_add_loop_test(cache, test_route_of_a_connected_socket, 0, 2);
	tcase_add_loop_test(cache, test_route_that_went_and_came, 0, 2);
	suite_add_tcase(suite, cache);
	tcase_add_loop_test(ways, test_gateways, 0, 2);
	tcase_add_loop_test(ways, test_default_route, 0, 2);
	tcase_add_loop_test(ways, test_gateway_that_is_not_there, 0, 2);
	tcase_add_loop_test(ways, test_source, 0, 2);
	tcase_add_loop_test(ways, test_two_devices, 0, 2);
	suite_add_tcase(suite, ways);
	return suite;
}
