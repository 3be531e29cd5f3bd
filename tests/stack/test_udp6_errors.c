/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What UDPv6 sends say when they fail, what they count then, and that they
 * leave nothing behind: no packet, no reference on a route, no lock.
 *
 * Each case runs on both kernels, on a socket that has sent before.
 */
#include <errno.h>

#include "net6_support.h"

struct test {
	struct net_fixture *net;
	int fd;
	bool old;		/* Linux 3.6 */
	void (*fn)(struct test *t);
	u64 ip_before[NUM_IPSTATS_MIB], dev_before[NUM_IPSTATS_MIB];
	u64 udp_before[NUM_UDP_MIB];
};

/* ---- the frame ---- */

static void take_counters(struct test *t)
{
	const struct kernel *kernel = t->net->kernel;
	u32 i;

	for (i = 0; i < NUM_IPSTATS_MIB; i++) {
		t->ip_before[i] = snmp_ip6(kernel, i);
		t->dev_before[i] = snmp_ip6_dev(kernel, t->net->dev, i);
	}
	for (i = 0; i < NUM_UDP_MIB; i++)
		t->udp_before[i] = snmp_udp6(kernel, i);
}

static u64 ip_counted(const struct test *t, u32 index)
{
	return snmp_ip6(t->net->kernel, index) - t->ip_before[index];
}

static u64 dev_counted(const struct test *t, u32 index)
{
	return snmp_ip6_dev(t->net->kernel, t->net->dev, index) -
	       t->dev_before[index];
}

static u64 udp_counted(const struct test *t, u32 index)
{
	return snmp_udp6(t->net->kernel, index) - t->udp_before[index];
}

/* Nothing has been counted but n of one IPv6 counter, and m of the device's
 * own. */
static void counted_only(struct test *t, u32 index, u64 n, u64 m)
{
	u32 i;

	for (i = 0; i < NUM_IPSTATS_MIB; i++) {
		ck_assert_uint_eq(ip_counted(t, i), i == index ? n : 0);
		ck_assert_uint_eq(dev_counted(t, i), i == index ? m : 0);
	}
	for (i = 0; i < NUM_UDP_MIB; i++)
		ck_assert_uint_eq(udp_counted(t, i), 0);
	take_counters(t);
}

static void counted_nothing(struct test *t)
{
	counted_only(t, 0, 0, 0);
}

/* The route to the peer, as a socket would get it, without a reference. */
static struct dst_entry *route_to_peer(void)
{
	int fd = net6_socket_to(NET6_PEER);
	struct dst_entry *dst = net_sk(fd)->sk_dst_cache;

	sys_close(fd);
	return dst;
}

static void process(void *arg)
{
	struct test *t = arg;
	const struct dst_entry *dst;
	s32 refs;

	t->fd = net6_socket();
	net6_send_n(t->fd, 1, 0);
	dst = route_to_peer();
	refs = dst->__refcnt;
	take_counters(t);
	t->fn(t);
	ck_assert_int_eq(net_sk(t->fd)->sk_wmem_alloc, 1);
	ck_assert_uint_eq(net_sk(t->fd)->sk_lock.owned, 0);
	ck_assert_uint_eq(net6_sk(t->fd)->udp.pending, 0);
	ck_assert_uint_eq(net6_sk(t->fd)->udp.len, 0);
	ck_assert_ptr_null(net_inet(t->fd)->cork.dst);
	ck_assert_int_eq(dst->__refcnt,
			 refs + (net_sk(t->fd)->sk_dst_cache == dst));
	/* It still works. */
	net6_send_n(t->fd, 1, 0);
	sys_close(t->fd);
}

static void verify_case(void (*fn)(struct test *), int kernel, u32 node_mib)
{
	struct net_setup setup = {
		.kernel = net6_kernels[kernel], .check = true,
		.node_mib = node_mib,
	};
	struct test t = {
		.net = net6_new(&setup), .fn = fn, .old = kernel == 0,
	};

	net_run_one(t.net, process, &t);
	net_verify_clean(t.net);
	net_free(t.net);
}

/* ---- where to ---- */

static int send_named(const struct test *t, u16 family, u32 addr_len, u16 port)
{
	struct sockaddr_any to = net6_name(NET6_PEER);

	to.family = family;
	to.port = port;
	return sys_sendto(t->fd, (const u8 *)"x", 1, 0, &to, addr_len);
}

static void bad_address(struct test *t)
{
	ck_assert_int_eq(send_named(t, PF_INET6, 0, NET_PORT), -EINVAL);
	ck_assert_int_eq(send_named(t, PF_INET6, 1, NET_PORT), -EINVAL);
	ck_assert_int_eq(send_named(t, PF_INET6, 23, NET_PORT), -EINVAL);
	ck_assert_int_eq(send_named(t, PF_INET6, 129, NET_PORT), -EINVAL);
	ck_assert_int_eq(send_named(t, PF_INET6, 28, 0), -EINVAL);
	/* Not what IPv4 says to an unknown family. */
	ck_assert_int_eq(send_named(t, 1, 28, NET_PORT), -EINVAL);
	ck_assert_int_eq(send_named(t, PF_INET, 15, NET_PORT), -EINVAL);
	/* No family: as if there were no name. */
	ck_assert_int_eq(send_named(t, 0, 2, NET_PORT), -EDESTADDRREQ);
	counted_nothing(t);
	ck_assert_int_eq(send_named(t, PF_INET6, 24, NET_PORT), 1);
	ck_assert_int_eq(send_named(t, PF_INET6, 128, NET_PORT), 1);
}

static void no_destination(struct test *t)
{
	ck_assert_int_eq(net_send(t->fd, "x", 1, 0), -EDESTADDRREQ);
	counted_nothing(t);
	ck_assert_int_eq(net6_connect(t->fd, FD00(3)), 0);
	ck_assert_int_eq(net_send(t->fd, "x", 1, 0), 1);
	ck_assert_int_eq(send_named(t, 0, 28, 0), 1);
}

static void no_route(struct test *t)
{
	static const struct in6_addr far = {
		.s6_addr = { 0x20, 1, 0xd, 0xb8, [15] = 1 },
	};

	ck_assert_int_eq(net6_send_to(t->fd, "x", 1, 0, far), -ENETUNREACH);
	counted_only(t, IPSTATS_MIB_OUTNOROUTES, 1, 0);
	ck_assert_int_eq(net6_connect(t->fd, far), -ENETUNREACH);
	counted_only(t, IPSTATS_MIB_OUTNOROUTES, 1, 0);
	ck_assert_int_eq(net_send(t->fd, "x", 1, 0), -EDESTADDRREQ);
	counted_nothing(t);
}

/* ---- what ---- */

static void bad_message(struct test *t)
{
	static const u32 too_long[] = {
		65528,	/* with its header more than a length can say */
		65535, 65536, INT32_MAX - 8, INT32_MAX - 7,
		UINT32_MAX
	};
	g_autofree u8 *payload = g_malloc0(65536);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(too_long); i++)
		ck_assert_int_eq(net6_send_to(t->fd, payload, too_long[i], 0,
					      NET6_PEER), -EMSGSIZE);
	counted_nothing(t);
	/* The socket may want shorter ones. */
	net6_sk(t->fd)->inet6.frag_size = 1280;
	net6_sk(t->fd)->inet6.pmtudisc = IP_PMTUDISC_DO;
	ck_assert_int_eq(net6_send_to(t->fd, payload, 1233, 0, NET6_PEER),
			 -EMSGSIZE);
	net6_sk(t->fd)->inet6.pmtudisc = IP_PMTUDISC_WANT;
	ck_assert_int_eq(net6_send_to(t->fd, payload, 1232, 0, NET6_PEER),
			 1232);
	net6_sk(t->fd)->inet6.frag_size = 0;
}

/* ---- the socket ---- */

static void socket_refuses(struct test *t)
{
	struct sock *sk = net_sk(t->fd);

	sk->sk_shutdown = SEND_SHUTDOWN;
	ck_assert_int_eq(net6_send_to(t->fd, "x", 1, 0, NET6_PEER), -EPIPE);
	sk->sk_shutdown = 0;
	counted_only(t, IPSTATS_MIB_OUTDISCARDS, 1, 1);
	/* What a packet met on its way is told once. */
	sk->sk_err = ECONNREFUSED;
	ck_assert_int_eq(net6_send_to(t->fd, "x", 1, 0, NET6_PEER),
			 -ECONNREFUSED);
	net6_send_n(t->fd, 1, 0);
	take_counters(t);
	/* A buffer that the socket's own share fills. */
	sk->sk_sndbuf = 1;
	ck_assert_int_eq(net6_send_to(t->fd, "x", 1, MSG_DONTWAIT, NET6_PEER),
			 -EAGAIN);
	sk->sk_sndbuf = SOCK_SNDBUF_DEFAULT;
	counted_only(t, IPSTATS_MIB_OUTDISCARDS, 1, 1);
}

/* ---- below ---- */

static void device_down(struct test *t)
{
	t->net->dev->flags &= ~IFF_UP;
	ck_assert_int_eq(net6_send_to(t->fd, "x", 1, 0, NET6_PEER), -ENETDOWN);
	t->net->dev->flags |= IFF_UP;
	ck_assert_uint_eq(udp_counted(t, UDP_MIB_OUTDATAGRAMS), 0);
	ck_assert_uint_eq(ip_counted(t, IPSTATS_MIB_OUTDISCARDS), 1);
	ck_assert_uint_eq(dev_counted(t, IPSTATS_MIB_OUTDISCARDS), 1);
	ck_assert_uint_eq(ip_counted(t, IPSTATS_MIB_OUTPKTS), 1);
	ck_assert_uint_eq(dev_counted(t, IPSTATS_MIB_OUTOCTETS), 49);
}

/* The packet is lost, and nobody is told but the counters. */
static void disabled(struct test *t)
{
	u32 before = t->net->packets->len;

	t->net->dev->ip6_ptr->cnf.disable_ipv6 = 1;
	ck_assert_int_eq(net6_send_to(t->fd, "x", 1, 0, NET6_PEER), 1);
	t->net->dev->ip6_ptr->cnf.disable_ipv6 = 0;
	ck_assert_uint_eq(t->net->packets->len, before);
	ck_assert_uint_eq(ip_counted(t, IPSTATS_MIB_OUTDISCARDS), 1);
	ck_assert_uint_eq(dev_counted(t, IPSTATS_MIB_OUTDISCARDS), 1);
	ck_assert_uint_eq(udp_counted(t, UDP_MIB_OUTDATAGRAMS), 1);
}

/* Another user of memory, who takes all there is. */
static void no_memory(struct test *t)
{
	struct any_cache *cache = t->net->kernel->net_core->skbuff_head_cache;
	g_autoptr(GPtrArray) objects = g_ptr_array_new();
	void *object;
	u32 i;

	for (;;) {
		object = kmem_cache_alloc(cache, GFP_KERNEL);
		if (!object)
			break;
		g_ptr_array_add(objects, object);
	}
	ck_assert_int_eq(net6_send_to(t->fd, "x", 1, 0, NET6_PEER), -ENOBUFS);
	for (i = 0; i < objects->len; i++)
		kmem_cache_free(cache, objects->pdata[i]);
	ck_assert_uint_eq(ip_counted(t, IPSTATS_MIB_OUTDISCARDS), 1);
	ck_assert_uint_eq(udp_counted(t, UDP_MIB_SNDBUFERRORS), 1);
	ck_assert_uint_eq(udp_counted(t, UDP_MIB_OUTDATAGRAMS), 0);
}

static void (*const cases[])(struct test *) = {
	bad_address, no_destination, no_route, bad_message, socket_refuses,
	device_down, disabled,
};

START_TEST(test_case)
{
	verify_case(cases[_i / NET6_KERNELS], _i % NET6_KERNELS, 0);
}
END_TEST

START_TEST(test_no_memory)
{
	verify_case(no_memory, _i, 16);
}
END_TEST

/* ---- what is counted when all is well ---- */

static void send_lengths(void *arg)
{
	static const u8 filled[1452];
	int fd = net6_socket();
	u32 i;

	(void)arg;
	for (i = 0; i <= 1452; i += 363)
		ck_assert_int_eq(net6_send_to(fd, filled, i, 0, NET6_PEER),
				 (int)i);
	sys_close(fd);
}

START_TEST(test_counters)
{
	struct net_setup setup = { .kernel = net6_kernels[_i] };
	struct net_fixture *net = net6_new(&setup);
	const struct kernel *kernel = net->kernel;
	const u64 octets = 5 * 48 + (363 + 726 + 1089 + 1452);

	net_run_one(net, send_lengths, NULL);
	ck_assert_uint_eq(snmp_ip6(kernel, IPSTATS_MIB_OUTPKTS), 5);
	ck_assert_uint_eq(snmp_ip6_dev(kernel, net->dev, IPSTATS_MIB_OUTPKTS),
			  5);
	ck_assert_uint_eq(snmp_ip6(kernel, IPSTATS_MIB_OUTOCTETS), octets);
	ck_assert_uint_eq(snmp_ip6_dev(kernel, net->dev,
				       IPSTATS_MIB_OUTOCTETS), octets);
	ck_assert_uint_eq(snmp_udp6(kernel, UDP_MIB_OUTDATAGRAMS), 5);
	/* Not as IPv4's. */
	ck_assert_uint_eq(snmp_ip(kernel, IPSTATS_MIB_OUTPKTS), 0);
	ck_assert_uint_eq(snmp_udp(kernel, UDP_MIB_OUTDATAGRAMS), 0);
	net_free(net);
}
END_TEST

/* ---- suite ---- */

Suite *suite_udp6_errors(void)
{
	Suite *suite = suite_create("udp6_errors");
	TCase *tcase = tcase_create("cases");

	tcase_add_loop_test(tcase, test_case, 0,
			    ARRAY_SIZE(cases) * NET6_KERNELS);
	tcase_add_loop_test(tcase, test_no_memory, 0, NET6_KERNELS);
	tcase_add_loop_test(tcase, test_counters, 0, NET6_KERNELS);
	suite_add_tcase(suite, tcase);
	return suite;
}
