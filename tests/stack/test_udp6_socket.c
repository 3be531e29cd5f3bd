/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UDPv6 sockets: the route that a connected one keeps, its lock, whom it may
 * talk to, and in which family.
 */
#include <errno.h>

#include "net6_support.h"
#include "stack/layout.h"

#define SENDS 20u
#define MAPPED_PEER MAPPED(2)

static const struct in6_addr link_local = {
	.s6_addr = { 0xfe, 0x80, [15] = 9 },
};

struct test {
	struct net_fixture *net;
	int fd;
	bool old;		/* Linux 3.6 */
	void (*fn)(struct test *t);
};

static void process(void *arg)
{
	struct test *t = arg;

	t->fd = net6_socket();
	t->fn(t);
	ck_assert_int_eq(net_sk(t->fd)->sk_wmem_alloc, 1);
	ck_assert_uint_eq(net_sk(t->fd)->sk_lock.owned, 0);
	sys_close(t->fd);
}

static void verify_case(void (*fn)(struct test *), int kernel)
{
	struct net_setup setup = {
		.kernel = net6_kernels[kernel], .check = true,
	};
	struct test t = {
		.net = net6_new(&setup), .fn = fn, .old = kernel == 0,
	};

	net_run_one(t.net, process, &t);
	net_verify_clean(t.net);
	net_free(t.net);
}

static void send_one(int fd)
{
	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
}

/* The family of the last packet. */
static u32 last_type(const struct test *t)
{
	const GByteArray *packet = net_packet(t->net,
					      t->net->packets->len - 1);

	return (u32)packet->data[12] << 8 | packet->data[13];
}

static void verify_last_daddr(const struct test *t, struct in6_addr daddr)
{
	const GByteArray *packet = net_packet(t->net,
					      t->net->packets->len - 1);

	ck_assert_mem_eq(packet->data + ETH_HLEN + 24, daddr.s6_addr, 16);
}

/* ---- the route that is kept ---- */

static u64 stores(const struct test *t)
{
	return net_hits(t->net, "sock", "sk_dst_cache", ACCESS_WRITE) +
	       net_hits(t->net, "sock", "sk_dst_cache", ACCESS_ATOMIC);
}

/* 3.6 stores the route again with each send; 6.1 only a new one. */
static void kept_route(struct test *t)
{
	const struct dst_entry *dst;
	s32 refs;
	u64 before;
	u32 i;

	ck_assert_int_eq(net6_connect(t->fd, NET6_PEER), 0);
	dst = net_sk(t->fd)->sk_dst_cache;
	ck_assert_ptr_nonnull(dst);
	send_one(t->fd);
	refs = dst->__refcnt;
	before = stores(t);
	for (i = 0; i < SENDS; i++)
		send_one(t->fd);
	ck_assert_uint_eq(stores(t) - before, t->old ? SENDS : 0);
	ck_assert_int_eq(dst->__refcnt, refs);
	ck_assert_ptr_eq(net_sk(t->fd)->sk_dst_cache, dst);
}

/* A change makes the route stale: it is looked up anew, once, and kept. */
static void changed_route(struct test *t)
{
	const struct in6_addr prefix = FD00(0);
	GError *error = NULL;
	u64 before, lookups;

	ck_assert_int_eq(net6_connect(t->fd, NET6_PEER), 0);
	send_one(t->fd);
	ck_assert(inet6_del_route(t->net->kernel, &prefix, 64));
	before = snmp_ip6(t->net->kernel, IPSTATS_MIB_OUTNOROUTES);
	ck_assert_int_eq(net_send(t->fd, "x", 1, 0), -ENETUNREACH);
	ck_assert_uint_eq(snmp_ip6(t->net->kernel, IPSTATS_MIB_OUTNOROUTES),
			  before + 1);
	ck_assert_ptr_null(net_sk(t->fd)->sk_dst_cache);
	if (!inet6_add_route(t->net->kernel, t->net->dev, &prefix, 64, NULL,
			     &error))
		ck_abort_msg("%s", error->message);
	send_one(t->fd);
	ck_assert_ptr_nonnull(net_sk(t->fd)->sk_dst_cache);
	lookups = net_calls(t->net, "fib6_node_lookup");
	send_one(t->fd);
	ck_assert_uint_eq(net_calls(t->net, "fib6_node_lookup"), lookups);
	ck_assert(inet6_del_route(t->net->kernel, &prefix, 64));
}

/* The kept route is for the peer alone. */
static void other_destination(struct test *t)
{
	const struct dst_entry *dst;
	u64 lookups;

	ck_assert_int_eq(net6_connect(t->fd, NET6_PEER), 0);
	dst = net_sk(t->fd)->sk_dst_cache;
	lookups = net_calls(t->net, "fib6_node_lookup");
	net6_send_n(t->fd, 1, 0);	/* named, but the same */
	ck_assert_uint_eq(net_calls(t->net, "fib6_node_lookup"), lookups);
	ck_assert_int_eq(net6_send_to(t->fd, "x", 1, 0, FD00(7)), 1);
	ck_assert_uint_gt(net_calls(t->net, "fib6_node_lookup"), lookups);
	verify_last_daddr(t, FD00(7));
	ck_assert_ptr_eq(net_sk(t->fd)->sk_dst_cache, dst);
	send_one(t->fd);
	verify_last_daddr(t, NET6_PEER);
}

/* ---- IPv4 ---- */

static void mapped_destination(struct test *t)
{
	const struct sockaddr_any v4 = {
		.family = PF_INET, .daddr = NET_PEER, .port = NET_PORT,
	};

	ck_assert_int_eq(net6_send_to(t->fd, "x", 1, 0, MAPPED_PEER), 1);
	ck_assert_uint_eq(last_type(t), 0x0800);
	ck_assert_uint_eq(net_packet(t->net, 0)->len, 14 + 20 + 8 + 1);
	ck_assert_int_eq(sys_sendto(t->fd, (const u8 *)"x", 1, 0, &v4,
				    SOCKADDR_IN_SIZE), 1);
	ck_assert_uint_eq(last_type(t), 0x0800);
	net6_send_n(t->fd, 1, 0);
	ck_assert_uint_eq(last_type(t), 0x86dd);
	net6_sk(t->fd)->inet6.ipv6only = 1;
	ck_assert_int_eq(net6_send_to(t->fd, "x", 1, 0, MAPPED_PEER),
			 -ENETUNREACH);
	ck_assert_int_eq(sys_sendto(t->fd, (const u8 *)"x", 1, 0, &v4,
				    SOCKADDR_IN_SIZE), -ENETUNREACH);
	ck_assert_uint_eq(snmp_udp(t->net->kernel, UDP_MIB_OUTDATAGRAMS), 2);
	ck_assert_uint_eq(snmp_udp6(t->net->kernel, UDP_MIB_OUTDATAGRAMS), 1);
}

static void mapped_connect(struct test *t)
{
	const struct in6_addr local = MAPPED(1), peer = MAPPED_PEER;
	const struct sockaddr_any v4 = {
		.family = PF_INET, .daddr = NET_PEER, .port = NET_PORT,
	};

	net6_sk(t->fd)->inet6.ipv6only = 1;
	ck_assert_int_eq(net6_connect(t->fd, peer), -ENETUNREACH);
	ck_assert_int_eq(sys_connect(t->fd, &v4, SOCKADDR_IN_SIZE),
			 -EAFNOSUPPORT);
	net6_sk(t->fd)->inet6.ipv6only = 0;
	ck_assert_int_eq(net6_connect(t->fd, peer), 0);
	ck_assert(ipv6_addr_equal(&net_sk(t->fd)->sk_v6_daddr, &peer));
	ck_assert(ipv6_addr_equal(&net_sk(t->fd)->sk_v6_rcv_saddr, &local));
	ck_assert(ipv6_addr_equal(&net6_sk(t->fd)->inet6.saddr, &local));
	send_one(t->fd);
	ck_assert_uint_eq(last_type(t), 0x0800);
	ck_assert_int_eq(sys_connect(t->fd, &v4, SOCKADDR_IN_SIZE), 0);
	send_one(t->fd);
	ck_assert_uint_eq(last_type(t), 0x0800);
	/* IPv6 from an IPv4 address: 3.6 does it. */
	ck_assert_int_eq(net6_send_to(t->fd, "x", 1, 0, NET6_PEER),
			 t->old ? 1 : -EAFNOSUPPORT);
	ck_assert_uint_eq(t->net->packets->len, t->old ? 3 : 2);
	if (t->old)
		ck_assert_mem_eq(net_packet(t->net, 2)->data + ETH_HLEN + 8,
				 local.s6_addr, 16);
}

/* ---- who it is connected to ---- */

static void connect_again(struct test *t)
{
	struct sockaddr_any far = net6_name(NET6_PEER);
	struct ipv6_pinfo *np = &net6_sk(t->fd)->inet6;

	far.daddr6.s6_addr[0] = 0x20;	/* no route leads there */
	far.port = 7;
	ck_assert_int_eq(net6_connect(t->fd, NET6_PEER), 0);
	ck_assert(ipv6_addr_equal(&np->saddr, &NET6_LOCAL));
	ck_assert_uint_eq(net_inet(t->fd)->inet_dport, NET_PORT);
	ck_assert_int_eq(sys_connect(t->fd, &far, SOCKADDR_IN6_SIZE),
			 -ENETUNREACH);
	/* 3.6 has changed the peer before it looked, and keeps the route that
	 * was good for the old one. */
	ck_assert_uint_eq(net_inet(t->fd)->inet_dport, t->old ? 7 : NET_PORT);
	ck_assert_int_eq(net_send(t->fd, "x", 1, 0), 1);
	verify_last_daddr(t, t->old ? far.daddr6 : NET6_PEER);
	ck_assert_int_eq(net6_connect(t->fd, FD00(5)), 0);
	send_one(t->fd);
	verify_last_daddr(t, FD00(5));
}

static void connect_wrong(struct test *t)
{
	struct sockaddr_any name = net6_name(NET6_PEER);

	ck_assert_int_eq(sys_connect(t->fd, &name, 1), -EINVAL);
	ck_assert_int_eq(sys_connect(t->fd, &name, 23), -EINVAL);
	name.family = 1;
	ck_assert_int_eq(sys_connect(t->fd, &name, SOCKADDR_IN6_SIZE),
			 -EAFNOSUPPORT);
	ck_assert_int_eq(net_send(t->fd, "x", 1, 0), -EDESTADDRREQ);
	/* Without the scope an address is as good. */
	name.family = PF_INET6;
	ck_assert_int_eq(sys_connect(t->fd, &name, 24), 0);
	send_one(t->fd);
}

/* ---- the link ---- */

static void scopes(struct test *t)
{
	struct sockaddr_any name = net6_name(link_local);
	u32 ifindex = t->net->dev->ifindex;
	int other;

	ck_assert_int_eq(sys_connect(t->fd, &name, SOCKADDR_IN6_SIZE),
			 -EINVAL);
	name.scope_id = ifindex;
	ck_assert_int_eq(sys_connect(t->fd, &name, 24), -EINVAL);
	ck_assert_int_eq(sys_connect(t->fd, &name, SOCKADDR_IN6_SIZE), 0);
	ck_assert_uint_eq(net_sk(t->fd)->sk_bound_dev_if, ifindex);
	name.scope_id = ifindex + 1;
	ck_assert_int_eq(sys_connect(t->fd, &name, SOCKADDR_IN6_SIZE),
			 -EINVAL);
	send_one(t->fd);
	verify_last_daddr(t, link_local);
	/* From the device's own address of the link. */
	ck_assert_uint_eq(net_packet(t->net, 0)->data[ETH_HLEN + 8], 0xfe);
	other = net6_socket();
	name.scope_id = ifindex;
	ck_assert_int_eq(sys_sendto(other, (const u8 *)"x", 1, 0, &name,
				    SOCKADDR_IN6_SIZE), 1);
	verify_last_daddr(t, link_local);
	sys_close(other);
}

static void multicasts(struct test *t)
{
	static const struct in6_addr all_nodes = {
		.s6_addr = { 0xff, 0x02, [15] = 1 },
	}, this_host = {
		.s6_addr = { 0xff, 0x01, [15] = 1 },
	};
	struct ipv6_pinfo *np = &net6_sk(t->fd)->inet6;
	const struct kernel *kernel = t->net->kernel;

	np->mcast_oif = t->net->dev->ifindex;
	np->mcast_hops = 3;
	ck_assert_int_eq(net6_send_to(t->fd, "x", 1, 0, all_nodes), 1);
	verify_last_daddr(t, all_nodes);
	ck_assert_uint_eq(net_packet(t->net, 0)->data[ETH_HLEN + 7], 3);
	/* One that is for this host alone does not leave it. */
	ck_assert_int_eq(net6_send_to(t->fd, "x", 1, 0, this_host), 1);
	ck_assert_uint_eq(t->net->packets->len, 1);
	ck_assert_uint_eq(snmp_ip6(kernel, IPSTATS_MIB_OUTMCASTPKTS), 2);
	ck_assert_uint_eq(snmp_ip6_dev(kernel, t->net->dev,
				       IPSTATS_MIB_OUTMCASTOCTETS), 2 * 49);
	ck_assert_uint_eq(snmp_udp6(kernel, UDP_MIB_OUTDATAGRAMS), 2);
}

static void confirmed(struct test *t)
{
	const struct in6_addr peer = NET6_PEER;
	struct neighbour *n = __ipv6_neigh_lookup_noref(t->net->dev, &peer);
	u64 now = jiffies_data()->jiffies;

	n->confirmed = now - 5;
	net6_send_n(t->fd, 1, 0);
	ck_assert_uint_eq(n->confirmed, now - 5);
	net6_send_n(t->fd, 1, MSG_CONFIRM);
	ck_assert_uint_eq(n->confirmed, now);
}

static void (*const cases[])(struct test *) = {
	kept_route, changed_route, other_destination, mapped_destination,
	mapped_connect, connect_again, connect_wrong, scopes, multicasts,
	confirmed,
};

START_TEST(test_case)
{
	verify_case(cases[_i / NET6_KERNELS], _i % NET6_KERNELS);
}
END_TEST

/* ---- the same by other ways ---- */

static const struct {
	const char *kernel;
	const char *patches[4];
} ways[] = {
	{ "linux-3.6", { "udp6-make-skb" } },
	{ "linux-3.6", { "udp6-make-skb", "ip6-dst-steal",
			 "udp6-dst-store-once" } },
	{ "linux-3.6", { "udp6-dst-store-once" } },
	{ "linux-3.6", { "ip6-csum-partial", "ip6-sk-dst-skip-xfrm" } },
	{ "linux-3.6", { "rt6-neigh-lookup", "l3mdev-out",
			 "dev-recursion-level" } },
	{ "linux-6.1", { "-udp6-make-skb" } },
	{ "linux-6.1", { "-udp6-make-skb", "-udp6-dst-store-once" } },
	{ "linux-6.1", { "-ip6-dst-steal" } },
	{ "linux-6.1", { "-ip6-dst-steal", "-udp6-dst-store-once" } },
	{ "linux-6.1", { "-ip6-sk-dst-skip-xfrm", "-inet6-sendmsg" } },
};

static void send_both_ways(void *arg)
{
	int fd = net6_socket_to(NET6_PEER), other = net6_socket();
	const struct dst_entry *dst = net_sk(fd)->sk_dst_cache;
	s32 refs;
	u32 i;

	(void)arg;
	send_one(fd);
	net6_send_n(other, 1, 0);
	refs = dst->__refcnt;
	for (i = 0; i < SENDS; i++) {
		send_one(fd);
		net6_send_n(other, 1, MSG_CONFIRM);
	}
	ck_assert_ptr_eq(net_sk(fd)->sk_dst_cache, dst);
	ck_assert_int_eq(dst->__refcnt, refs);
	/* One that fails leaves nothing either. */
	ck_assert_int_eq(net_send(fd, "x", 65528, 0), -EMSGSIZE);
	ck_assert_int_eq(dst->__refcnt, refs);
	sys_close(other);
	sys_close(fd);
}

/* Each way gives the packets that the others do, and no reference is lost. */
START_TEST(test_ways)
{
	struct net_setup setup = {
		.kernel = ways[_i].kernel, .patches = ways[_i].patches,
		.check = true,
	};
	struct net_fixture *net = net6_new(&setup);
	u32 i;

	net_run_one(net, send_both_ways, NULL);
	ck_assert_uint_eq(net->packets->len, 2 * SENDS + 2);
	for (i = 2; i < net->packets->len; i++)
		ck_assert_mem_eq(net_packet(net, i)->data,
				 net_packet(net, i % 2)->data,
				 net_packet(net, i)->len);
	/* Nothing that the kernel's tables have not. */
	layout_check_absent(net->kernel);
	net_verify_clean(net);
	net_free(net);
}
END_TEST

/* ---- one socket, two tasks ---- */

struct shared {
	int fd;
	u32 ready, done;
};

static void send_shared(void *arg)
{
	struct shared *s = arg;
	u32 i;

	if (!s->ready++) {
		int fd = net6_socket();

		net6_send_n(fd, 1, 0);	/* binds it */
		s->fd = fd;
	}
	while (s->fd < 0)
		sys_close(-1);
	/* What the first has made of it is seen behind this. */
	lock_sock_nested(net_sk(s->fd));
	release_sock(net_sk(s->fd));
	for (i = 0; i < SENDS; i++)
		net6_send_n(s->fd, 1, 0);
	s->done++;
	while (s->done < 2)
		sys_close(-1);
}

/* 3.6 lets one of them in at a time; 6.1 needs no lock. */
START_TEST(test_two_tasks)
{
	struct net_setup setup = {
		.kernel = net6_kernels[_i], .check = true, .cores = 2,
	};
	struct net_fixture *net = net6_new(&setup);
	struct shared s = { .fd = -1 };
	const struct net_process processes[] = {
		{ .cpu = 0, .fn = send_shared, .arg = &s },
		{ .cpu = 1, .fn = send_shared, .arg = &s, .share_files = true },
	};

	net_run(net, processes, 2);
	ck_assert_uint_eq(net->packets->len, 2 * SENDS + 1);
	ck_assert_uint_eq(net_calls(net, "lock_sock_nested") >= 2 * SENDS,
			  _i == 0);
	/* Somebody has had to wait. */
	ck_assert_uint_eq(net_hits(net, "sock", "sk_lock.wq", ACCESS_ATOMIC) >
			  0, _i == 0);
	net_verify_rules(net);
	net_free(net);
}
END_TEST

/* ---- suite ---- */

Suite *suite_udp6_socket(void)
{
	Suite *suite = suite_create("udp6_socket");
	TCase *tcase = tcase_create("cases");
	TCase *patched = tcase_create("ways");
	TCase *tasks = tcase_create("tasks");

	tcase_add_loop_test(tcase, test_case, 0,
			    ARRAY_SIZE(cases) * NET6_KERNELS);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(patched, test_ways, 0, ARRAY_SIZE(ways));
	suite_add_tcase(suite, patched);
	tcase_add_loop_test(tasks, test_two_tasks, 0, NET6_KERNELS);
	suite_add_tcase(suite, tasks);
	return suite;
}
