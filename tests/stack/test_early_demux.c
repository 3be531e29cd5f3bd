/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Early demux: who gets a datagram is the same with it and without it, a route
 * that has changed is not used, and neither is a socket that was closed.
 */
#include "net6_support.h"
#include "sim/random.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/skbuff.h"
#include "stack/include/linux/softirq.h"
#include "stack/include/net/udp.h"
#include "stack/lib/checksum.h"
#include "tests/rounds.h"

#define CASES ((int)G_N_ELEMENTS(cases))
#define SETS 40u		/* of sockets, of each case: 100,000 datagrams */
#define SOCKETS 16u
#define DATAGRAMS 500u
#define PORTS 3u
#define PEERS 2u
#define GROUPS 2u

static const struct {
	const char *kernel;
	const char *with[4], *without[4];
	u16 family;
} cases[] = {
	{ "linux-3.12", { "udp-early-demux" }, { NULL }, PF_INET },
	{ "linux-3.12", { "udp-early-demux", "pktinfo-on-demand",
			  "busy-poll-connected" }, { NULL }, PF_INET },
	{ "linux-3.15", { NULL }, { "-udp-early-demux" }, PF_INET },
	{ "linux-4.6", { NULL }, { "-udp-early-demux" }, PF_INET },
	{ "linux-6.1", { NULL }, { "-udp-early-demux" }, PF_INET },
	{ "linux-6.1", { NULL }, { "-udp6-early-demux" }, PF_INET6 },
};

/* ---- datagrams as a driver hands them over ---- */

struct datagram {
	u8 peer;		/* 10.2.2.2 + peer, fd00::2 + peer */
	u16 sport, dport;
	bool broadcast;
	u8 group;		/* 239.1.1.group, ff15::group; 0: none */
};

static u32 group4(u8 group)
{
	return IP(239, 1, 1, group);
}

static struct in6_addr group6(u8 group)
{
	return (struct in6_addr){ .s6_addr = { 0xff, 0x15, [15] = group } };
}

/* To an address of this host, to everybody, or to a group; with the address of
 * Ethernet that goes with it. */
static u32 destination4(u8 *frame, const struct datagram *d)
{
	if (d->broadcast) {
		memset(frame, 0xff, 6);
		return INADDR_BROADCAST;
	}
	if (!d->group)
		return NET_LOCAL;
	memcpy(frame, "\1\0\x5e\1\1", 5);
	frame[5] = d->group;
	return group4(d->group);
}

static struct in6_addr destination6(u8 *frame, const struct datagram *d)
{
	if (!d->group)
		return NET6_LOCAL;
	memcpy(frame, "\x33\x33\0\0\0", 5);
	frame[5] = d->group;
	return group6(d->group);
}

static u32 header_length(u16 family)
{
	return family == PF_INET ? 20 : 40;
}

static void fill(u8 *frame, u16 family, const struct datagram *d)
{
	const struct in6_addr from = FD00((u8)(2 + d->peer));
	struct in6_addr to = NET6_LOCAL;
	u8 *ip = frame + 14, *udp = ip + header_length(family);

	memset(frame, 0, 14 + header_length(family) + 8);
	memcpy(frame, "\x02\0\0\0\0\x02\x02\xaa\xbb\xcc\xdd\xee", 12);
	put_be16(frame + 12, family == PF_INET ? 0x0800 : 0x86dd);
	if (family == PF_INET) {
		ip[0] = 0x45;
		put_be16(ip + 2, 28);
		ip[8] = 64;
		ip[9] = 17;
		put_be32(ip + 12, NET_PEER + d->peer);
		put_be32(ip + 16, destination4(frame, d));
		put_be16(ip + 10, csum_fold(csum_partial(ip, 20, 0)));
	} else {
		to = destination6(frame, d);
		ip[0] = 0x60;
		put_be16(ip + 4, 8);
		ip[6] = 17;
		ip[7] = 64;
		memcpy(ip + 8, from.s6_addr, 16);
		memcpy(ip + 24, to.s6_addr, 16);
	}
	put_be16(udp, d->sport);
	put_be16(udp + 2, d->dport);
	put_be16(udp + 4, 8);
	if (family == PF_INET6)		/* which must have a sum */
		put_be16(udp + 6, csum_ipv6_magic(ip + 8, ip + 24, 8, 17,
						  csum_partial(udp, 8, 0)));
}

static void receive(struct net_device *dev, u16 family,
		    const struct datagram *d)
{
	const u32 len = 14 + header_length(family) + 8;
	struct sk_buff *skb;
	u16 protocol;

	local_bh_disable();
	skb = netdev_alloc_skb(dev, len);
	ck_assert_ptr_nonnull(skb);
	fill(skb_bytes(skb, skb_put(skb, len)), family, d);
	WRITE(skb, ip_summed, CHECKSUM_UNNECESSARY);
	protocol = eth_type_trans(skb, dev);
	WRITE(skb, protocol, protocol);
	netif_receive_skb(skb);
	local_bh_enable();
}

/* ---- sets of sockets ---- */

struct contest {
	struct net_fixture *net;
	u16 family;
	u64 seed;
	struct random_stream random;
	int fds[SOCKETS];
	u32 connections;	/* that there are: peer, its port, own port */
	u32 joined;		/* groups that the host is in, a bit each */
	u32 *got;		/* by datagram: which sockets, a bit each */
	u64 demuxed;
};

static u32 some(struct contest *c, u32 n)
{
	return (u32)random_below(&c->random, n);
}

static void bind_some(struct contest *c, int fd, u16 port)
{
	const struct in6_addr none = { { 0 } };
	const bool own = some(c, 2);
	struct sockaddr_any name = {
		.family = c->family, .port = port,
		.daddr = own ? NET_LOCAL : 0,
		.daddr6 = own ? NET6_LOCAL : none,
	};

	ck_assert_int_eq(sys_bind(fd, &name, SOCKADDR_IN6_SIZE), 0);
}

/* No two sockets have the same two ends: of those the first in the chain would
 * have all with early demux, and only a share without it. */
static void connect_some(struct contest *c, int fd, u16 port)
{
	const u32 peer = some(c, PEERS), sport = 1 + some(c, 2);
	const u32 bit = ((port - NET_PORT) * PEERS + peer) * 2 + sport - 1;
	struct sockaddr_any name = {
		.family = c->family, .port = (u16)sport,
		.daddr = NET_PEER + peer, .daddr6 = FD00((u8)(2 + peer)),
	};

	/* The peer is not to be reached by loopback. */
	if (net_sk(fd)->sk_bound_dev_if == 1 && c->family == PF_INET6)
		return;
	if (c->connections >> bit & 1)
		return;
	c->connections |= 1u << bit;
	ck_assert_int_eq(sys_connect(fd, &name, SOCKADDR_IN6_SIZE), 0);
}

/* One who is bound to an address of the host hears nothing of it. */
static void join_some(struct contest *c, int fd)
{
	const bool ip4 = c->family == PF_INET;
	const u8 group = (u8)(1 + some(c, GROUPS));
	const struct group_source_req req = {
		.ifindex = c->net->dev->ifindex,
		.group = group4(group), .group6 = group6(group),
	};

	c->joined |= 1u << group;
	ck_assert_int_eq(sys_setsockopt_group(fd, ip4 ? SOL_IP : SOL_IPV6,
					      ip4 ? IP_ADD_MEMBERSHIP :
					      IPV6_JOIN_GROUP, &req), 0);
}

static void open_set(struct contest *c)
{
	u32 i;

	c->connections = 0;
	c->joined = 0;
	for (i = 0; i < SOCKETS; i++) {
		/* Sockets that share one port among themselves, where nobody
		 * connects: since 4.5 the first of them that fits ends a
		 * look-up, though one connected to the sender may come
		 * behind it, which early demux finds. */
		const u32 number = some(c, PORTS);
		const u16 port = (u16)(NET_PORT + number);
		int fd = sys_socket(c->family, SOCK_DGRAM, 0);

		c->fds[i] = fd;
		sys_setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, 1);
		if (!number)
			sys_setsockopt(fd, SOL_SOCKET, SO_REUSEPORT_OPTION, 1);
		if (!some(c, 4))
			sys_setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE,
				       1 + some(c, 2));
		bind_some(c, fd, port);
		if (number && !some(c, 3))
			connect_some(c, fd, port);
		if (!some(c, 3))
			join_some(c, fd);
	}
}

/* Which sockets have got one; takes it. */
static u32 who_got_it(struct contest *c)
{
	u32 i, got = 0;

	for (i = 0; i < SOCKETS; i++) {
		if (!net_sk(c->fds[i])->sk_receive_queue.next)
			continue;
		got |= 1u << i;
		ck_assert_int_eq(sys_recvfrom(c->fds[i], NULL, 100,
					      MSG_DONTWAIT, NULL), 0);
		ck_assert_ptr_null(net_sk(c->fds[i])->sk_receive_queue.next);
	}
	return got;
}

/* Before 4.2 early demux did not ask whether the host is in a group: who had
 * heard of another one got what is dropped without it.  So it goes to groups
 * that the host is in there. */
static u8 some_group(struct contest *c)
{
	const u8 group = (u8)(1 + some(c, GROUPS));

	if (c->joined >> group & 1 ||
	    kernel_has(c->net->kernel, UDP_DEMUX_MC_OURS))
		return group;
	return 0;
}

static void contest(void *arg)
{
	struct contest *c = arg;
	u32 set, n, i;

	for (set = 0; set < test_rounds(SETS); set++) {
		random_seed(&c->random, c->seed, "early demux", set);
		open_set(c);
		for (n = 0; n < DATAGRAMS; n++) {
			struct datagram d = { .peer = (u8)some(c, PEERS) };

			d.sport = (u16)(1 + some(c, 2));
			d.dport = (u16)(NET_PORT + some(c, PORTS));
			d.broadcast = !some(c, 8) && c->family == PF_INET;
			if (!d.broadcast && !some(c, 4))
				d.group = some_group(c);
			receive(c->net->dev, c->family, &d);
			c->got[set * DATAGRAMS + n] = who_got_it(c);
		}
		for (i = 0; i < SOCKETS; i++)
			sys_close(c->fds[i]);
	}
}

/* What each datagram of the contest came to; free it. */
static u32 *deliveries(int i, const char *const *patches, u64 *demuxed)
{
	const struct net_setup setup = {
		.kernel = cases[i].kernel, .patches = patches,
	};
	struct contest c = {
		.net = net6_new(&setup), .family = cases[i].family,
		.seed = 1 + (u64)i, .got = g_new0(u32, SETS * DATAGRAMS),
	};

	net_run_one(c.net, contest, &c);
	*demuxed = net_calls(c.net, "udp_v4_early_demux") +
		   net_calls(c.net, "udp_v6_early_demux");
	net_free(c.net);
	return c.got;
}

START_TEST(the_same_sockets_get_it)
{
	u64 demuxed, never;
	g_autofree u32 *with = deliveries(_i, cases[_i].with, &demuxed);
	g_autofree u32 *without = deliveries(_i, cases[_i].without, &never);
	const u32 n = test_rounds(SETS) * DATAGRAMS;
	u32 i, given = 0, to_many = 0;

	for (i = 0; i < n; i++) {
		ck_assert_msg(with[i] == without[i], "datagram %u: %x with, "
			      "%x without", i, with[i], without[i]);
		given += with[i] != 0;
		to_many += with[i] & (with[i] - 1) ? 1 : 0;
	}
	ck_assert_uint_eq(demuxed, n);
	ck_assert_uint_eq(never, 0);
	ck_assert_uint_gt(given, n / 2);
	ck_assert_uint_gt(to_many, n / 50);
}
END_TEST

/* ---- the route that a socket remembers ---- */

struct memory {
	struct net_fixture *net;
	u16 family;
	u64 inputs[4];		/* look-ups of routes for what came in */
	struct dst_entry *first, *second;
};

static u64 inputs(const struct memory *m)
{
	return net_calls(m->net, m->family == PF_INET ?
			 "ip_route_input_noref" : "ip6_route_input");
}

static void receive_and_read(struct memory *m, int fd)
{
	const struct datagram d = { .sport = 1, .dport = NET_PORT };

	receive(m->net->dev, m->family, &d);
	ck_assert_int_eq(sys_recvfrom(fd, NULL, 100, MSG_DONTWAIT, NULL), 0);
}

/* As a change of the tables marks what it touches. */
static void change_routes(struct memory *m)
{
	if (m->family == PF_INET)
		rt_cache_flush(m->net->kernel->init_net);
	else
		((struct rt6_info *)(void *)m->first)->from->
			fib6_node->fn_sernum++;
}

static void remember(void *arg)
{
	struct memory *m = arg;
	struct sockaddr_any own = { .family = m->family, .port = NET_PORT };
	struct sockaddr_any peer = {
		.family = m->family, .port = 1, .daddr = NET_PEER,
		.daddr6 = NET6_PEER,
	};
	int fd = sys_socket(m->family, SOCK_DGRAM, 0);

	ck_assert_int_eq(sys_bind(fd, &own, SOCKADDR_IN6_SIZE), 0);
	ck_assert_int_eq(sys_connect(fd, &peer, SOCKADDR_IN6_SIZE), 0);
	receive_and_read(m, fd);
	m->inputs[0] = inputs(m);
	m->first = net_sk(fd)->sk_rx_dst;
	receive_and_read(m, fd);
	receive_and_read(m, fd);
	m->inputs[1] = inputs(m);
	change_routes(m);
	receive_and_read(m, fd);
	m->inputs[2] = inputs(m);
	m->second = net_sk(fd)->sk_rx_dst;
	receive_and_read(m, fd);
	m->inputs[3] = inputs(m);
	sys_close(fd);
}

/* The first one goes by the tables, and so does the first one after a change of
 * them; no other.  But over IPv6 the table gives the same route again after a
 * change nearby, and a socket notes a new cookie with another route only: so it
 * does not use what it remembers any more, in the kernel as here. */
START_TEST(a_changed_route_is_not_used)
{
	const struct net_setup setup = {
		.kernel = cases[_i].kernel, .patches = cases[_i].with,
		.check = true,
	};
	struct memory m = {
		.net = net6_new(&setup), .family = cases[_i].family,
	};

	net_run_one(m.net, remember, &m);
	ck_assert_uint_eq(m.inputs[0], 1);
	ck_assert_uint_eq(m.inputs[1], 1);
	ck_assert_uint_eq(m.inputs[2], 2);
	ck_assert_uint_eq(m.inputs[3], m.family == PF_INET ? 2 : 3);
	ck_assert_ptr_nonnull(m.first);
	ck_assert_ptr_nonnull(m.second);
	if (m.family == PF_INET)
		ck_assert_ptr_ne(m.first, m.second);
	net_verify_rules(m.net);
	net_free(m.net);
}
END_TEST

/* ---- sockets that are closed meanwhile ---- */

#define SEEDS 10000u

/* Of each seed: one CPU opens and closes sockets, the other receives. */
struct race {
	struct net_fixture *net;
	u32 seeds, seed;
	u32 arrived[2];		/* seeds that each CPU has come to */
	bool over;		/* the sockets of this seed are closed */
	u32 pause[2];
	struct random_stream random[2];
	u32 right, wrong;	/* seeds in which a socket got some, and the
				 * wrong one did */
};

/* The last to come makes the plan. */
static void meet(struct race *race, u32 seed)
{
	const u32 cpu = this_cpu->id;
	struct random_stream plan;
	u32 i;

	if (race->arrived[!cpu] > seed) {
		random_seed(&plan, seed, "plan", 0);
		race->pause[0] = 100 + (u32)random_below(&plan, 1500);
		race->pause[1] = 2000 + (u32)random_below(&plan, 20000);
		for (i = 0; i < 2; i++)
			random_seed(&race->random[i], seed, "race", i);
		race->over = false;
	}
	race->arrived[cpu] = seed + 1;
	while (race->arrived[!cpu] <= seed) {
		FUNCTION(udp_ehashfn);	/* a place to wait */
		WORK(100);
	}
}

static void pause_some(struct race *race)
{
	const u32 i = this_cpu->id;

	FUNCTION(udp_ehashfn);
	WORK((u32)random_below(&race->random[i], race->pause[i]));
}

/* A socket connected to the sender of what comes; then one like it, most often
 * in the same memory, to which nothing is sent. */
static void open_and_close(struct race *race)
{
	struct sockaddr_any peer = {
		.family = PF_INET, .port = 1, .daddr = NET_PEER,
	};
	u32 i;

	for (i = 0; i < 2; i++) {
		const struct sockaddr_any own = {
			.family = PF_INET, .port = (u16)(NET_PORT + i),
		};
		int fd = sys_socket(PF_INET, SOCK_DGRAM, 0);

		ck_assert_int_eq(sys_bind(fd, &own, SOCKADDR_IN_SIZE), 0);
		ck_assert_int_eq(sys_connect(fd, &peer, SOCKADDR_IN_SIZE), 0);
		pause_some(race);
		if (sys_recvfrom(fd, NULL, 100, MSG_DONTWAIT, NULL) >= 0) {
			race->right += !i;
			race->wrong += i;
		}
		sys_close(fd);
	}
	race->over = true;
}

static void race_main(void *arg)
{
	const struct datagram d = { .sport = 1, .dport = NET_PORT };
	struct race *race = arg;
	u32 seed;

	for (seed = 0; seed < race->seeds; seed++) {
		meet(race, seed);
		if (this_cpu->id) {
			open_and_close(race);
			continue;
		}
		while (!race->over) {
			pause_some(race);
			receive(race->net->dev, PF_INET, &d);
		}
	}
}

/* --check looks for accesses to what was freed. */
START_TEST(a_closed_socket_is_not_used)
{
	const struct net_setup setup = {
		.cores = 2, .kernel = cases[_i].kernel,
		.patches = cases[_i].with, .check = true,
	};
	struct race race = {
		.net = net6_new(&setup), .seeds = test_rounds(SEEDS),
	};
	const struct net_process processes[] = {
		{ 0, race_main, &race, false }, { 1, race_main, &race, false },
	};

	net_run(race.net, processes, 2);
	ck_assert_uint_gt(net_calls(race.net, "udp_v4_early_demux"),
			  race.seeds);
	ck_assert_uint_gt(race.right, race.seeds / 4);
	ck_assert_uint_eq(race.wrong, 0);
	net_verify_rules(race.net);
	net_free(race.net);
}
END_TEST

Suite *suite_early_demux(void)
{
	Suite *s = suite_create("early_demux");
	TCase *tc = tcase_create("all");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, the_same_sockets_get_it, 0, CASES);
	tcase_add_loop_test(tc, a_changed_route_is_not_used, 0, CASES);
	/* Those of IPv4, each once. */
	tcase_add_loop_test(tc, a_closed_socket_is_not_used, 1, CASES - 1);
	suite_add_tcase(s, tc);
	return s;
}
