/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The routing cache of IPv4 before 3.6: when it saves a look-up in the FIB, what
 * makes it stale, what it gives over random tables, and how large it grows.
 */
#include "neigh_support.h"
#include "net6_support.h"
#include "sim/random.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/skbuff.h"
#include "stack/include/linux/softirq.h"
#include "stack/net/ipv4/ip_input.h"
#include "stack/net/ipv4/route.h"
#include "stack/net/ipv4/route_cache.h"
#include "tests/rounds.h"

#define KERNELS ((int)G_N_ELEMENTS(kernels))
#define FAR(i) (IP(172, 16, 0, 0) + (i))	/* 172.16.0.0/12 */
#define FAR_PREFIX 12u
#define OTHER_GATEWAY IP(10, 2, 2, 3)

static const struct {
	const char *name;
	bool cache;
} kernels[] = {
	{ "linux-3.4", true }, { "linux-3.6", false }, { "linux-3.12", false },
	{ "linux-3.15", false },
};

static u32 num_routes(const struct net_fixture *net)
{
	return net->kernel->ipv4->cached_routes->len;
}

static u64 walks(const struct net_fixture *net)
{
	return net_calls(net, "fib_table_lookup");
}

static void add_route(const struct net_fixture *net, u32 address, u32 prefix,
		      u32 gateway)
{
	GError *error = NULL;

	if (!inet_add_route(net->kernel, net->dev, address, prefix, gateway,
			    &error))
		ck_abort_msg("%s", error->message);
}

/* The route for a packet from the peer, as the last word says; or -errno. */
static int route_in(const struct net_fixture *net, u32 daddr, u16 *type)
{
	struct sk_buff *skb;
	int err;

	local_bh_disable();
	rcu_read_lock();
	skb = netdev_alloc_skb(net->dev, 64);
	ck_assert_ptr_nonnull(skb);
	err = ip_route_input_noref(skb, daddr, NET_PEER, 0, net->dev);
	if (!err)
		*type = ((struct rtable *)(void *)skb->_skb_refdst)->rt_type;
	kfree_skb(skb);
	rcu_read_unlock();
	local_bh_enable();
	return err;
}

static struct rtable *route_out(const struct net_fixture *net,
				struct flowi4 *fl4, int *err)
{
	return ip_route_output_flow(net->kernel->init_net, fl4, NULL, err);
}

/* ---- what it saves, and when not ---- */

struct flow {
	struct net_fixture *net;
	u64 out[4], in[4];	/* walks: first, second, after a change, ... */
	u32 routes[4];
	struct rtable *first, *changed;
	u8 gateway[2];		/* last bytes of who got what went out */
};

static void use_flow(struct flow *f, int fd, u32 i)
{
	u64 before = walks(f->net);
	u16 type = 0;

	ck_assert_int_eq(net_send_to(fd, "x", 1, 0, FAR(7)), 1);
	f->out[i] = walks(f->net) - before;
	before = walks(f->net);
	ck_assert_int_eq(route_in(f->net, NET_LOCAL, &type), 0);
	ck_assert_uint_eq(type, RTN_LOCAL);
	f->in[i] = walks(f->net) - before;
	f->routes[i] = num_routes(f->net);
}

static u8 last_lladdr(const struct flow *f)
{
	return net_packet(f->net, f->net->packets->len - 1)->data[5];
}

static void follow_flow(void *arg)
{
	static const u8 other[] = { 0x02, 0, 0, 0, 0, 0xbb };
	struct flow *f = arg;
	int fd = net_socket();

	neigh_add(f->net->kernel, f->net->dev, OTHER_GATEWAY, other,
		  NUD_REACHABLE);
	add_route(f->net, FAR(0), FAR_PREFIX, NET_PEER);
	use_flow(f, fd, 0);
	f->first = net_newest_route(f->net);
	use_flow(f, fd, 1);
	f->gateway[0] = last_lladdr(f);
	/* By a longer prefix the same flow goes elsewhere. */
	add_route(f->net, FAR(0), 24, OTHER_GATEWAY);
	use_flow(f, fd, 2);
	f->changed = net_newest_route(f->net);
	use_flow(f, fd, 3);
	f->gateway[1] = last_lladdr(f);
	sys_close(fd);
}

START_TEST(a_flow_walks_once)
{
	const struct net_setup setup = {
		.kernel = kernels[_i].name, .check = true,
	};
	struct flow f = { .net = net_new(&setup) };
	u32 i;

	net_run_one(f.net, follow_flow, &f);
	for (i = 0; i < 4; i++) {
		const bool walks_not = i % 2 && kernels[_i].cache;

		/* The socket is not connected: it keeps no route. */
		ck_assert_msg(!f.out[i] == walks_not, "%u: %u walks out", i,
			      (u32)f.out[i]);
		ck_assert_msg(!f.in[i] == walks_not, "%u: %u walks in", i,
			      (u32)f.in[i]);
	}
	ck_assert_uint_eq(f.routes[1], f.routes[0]);
	ck_assert_uint_eq(f.routes[2], f.routes[1] + 2);
	ck_assert_uint_eq(f.routes[3], f.routes[2]);
	ck_assert_ptr_ne(f.first, f.changed);
	ck_assert_uint_ne(f.first->rt_genid, f.changed->rt_genid);
	ck_assert_uint_eq(f.gateway[0], 0xee);
	ck_assert_uint_eq(f.gateway[1], 0xbb);
	net_verify_rules(f.net);
	net_free(f.net);
}
END_TEST

/* A connected socket asks its route, and finds it stale after a flush. */
static void flush(void *arg)
{
	struct net_fixture *net = arg;
	int fd = net_socket_to(NET_PEER);
	struct dst_entry *first = net_sk(fd)->sk_dst_cache;

	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	ck_assert_ptr_eq(net_sk(fd)->sk_dst_cache, first);
	rt_cache_flush(net->kernel->init_net);
	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	ck_assert_ptr_ne(net_sk(fd)->sk_dst_cache, first);
	ck_assert_uint_eq(((struct rtable *)(void *)
			   net_sk(fd)->sk_dst_cache)->rt_genid,
			  net->kernel->init_net->rt_genid);
	sys_close(fd);
}

START_TEST(a_flush_makes_it_stale)
{
	const struct net_setup setup = {
		.kernel = kernels[_i].name, .check = true,
	};
	struct net_fixture *net = net_new(&setup);

	net_run_one(net, flush, net);
	net_verify_rules(net);
	net_free(net);
}
END_TEST

/* ---- the same route as the tables give ---- */

#define TABLES 20u
#define STEPS 300u
#define DESTINATIONS 24u
#define ROUTES 8u

struct random_tables {
	struct net_fixture *net;
	struct random_stream random;
	u32 seed;
	struct { u32 dst, len; } routes[ROUTES];
	u32 destinations[DESTINATIONS];
	u32 right, wrong_type;		/* routes and errors that were compared */
};

static u32 some(struct random_tables *t, u32 n)
{
	return (u32)random_below(&t->random, n);
}

static void change_route(struct random_tables *t, u32 i)
{
	static const u32 gateways[] = { 0, NET_PEER, OTHER_GATEWAY };
	u32 len = 13 + some(t, 18), k;
	u32 dst = FAR(some(t, 1 << 20)) & ~0u << (32 - len);

	if (t->routes[i].len)
		ck_assert(inet_del_route(t->net->kernel, t->routes[i].dst,
					 t->routes[i].len));
	t->routes[i].len = 0;
	for (k = 0; k < ROUTES; k++)
		if (t->routes[k].len == len && t->routes[k].dst == dst)
			return;		/* there already */
	add_route(t->net, dst, len, gateways[some(t, 3)]);
	t->routes[i].dst = dst;
	t->routes[i].len = len;
}

/* Half of them within a route that there is. */
static u32 some_destination(struct random_tables *t)
{
	const u32 i = some(t, ROUTES), address = FAR(some(t, 1 << 20));

	if (!t->routes[i].len || some(t, 2))
		return address;
	return t->routes[i].dst | (address & ~(~0u << (32 - t->routes[i].len)));
}

static void compare_out(struct random_tables *t, u32 daddr)
{
	struct net *net = t->net->kernel->init_net;
	const struct fib_key key = { .daddr = daddr };
	struct flowi4 fl4 = { .daddr = daddr, .flowi4_proto = 17 };
	struct fib_result res = { 0 };
	int err, expected = fib_lookup(net, &key, &res);
	struct rtable *rt = route_out(t->net, &fl4, &err);
	const struct fib_nh *nh;

	if (expected) {
		ck_assert_ptr_null(rt);
		ck_assert_int_eq(err, expected);
		t->wrong_type++;
		return;
	}
	ck_assert_ptr_nonnull(rt);
	nh = FIB_RES_NH(res);
	ck_assert_uint_eq(rt->rt_type, res.type);
	ck_assert_uint_eq(rt->rt_gateway ? rt->rt_gateway : daddr,
			  nh->nh_gw ? nh->nh_gw : daddr);
	ck_assert_ptr_eq(rt->dst.dev, res.type == RTN_LOCAL ?
			 net->loopback_dev : nh->nh_dev);
	ck_assert_uint_eq(fl4.saddr, res.type == RTN_LOCAL ? daddr :
			  fib_res_prefsrc(net, &res));
	dst_release(&rt->dst);
	t->right++;
}

static void compare_in(struct random_tables *t, u32 daddr)
{
	const struct fib_key key = { .daddr = daddr };
	struct fib_result res = { 0 };
	u16 type = 0;
	int expected = fib_lookup(t->net->kernel->init_net, &key, &res);
	int err = route_in(t->net, daddr, &type);

	if (expected || (res.type != RTN_LOCAL && res.type != RTN_BROADCAST)) {
		ck_assert_int_eq(err, expected ? expected : -EHOSTUNREACH);
		t->wrong_type++;
		return;
	}
	ck_assert_int_eq(err, 0);
	ck_assert_uint_eq(type, res.type);
	t->right++;
}

static void compare(void *arg)
{
	struct random_tables *t = arg;
	GError *error = NULL;
	u32 i, step;

	random_seed(&t->random, t->seed, "routes", 0);
	/* Addresses of this host, with a network and a broadcast address. */
	for (i = 0; i < 4; i++) {
		const u32 own = FAR(some(t, 1 << 12) << 8 | 1);

		t->destinations[i * 3] = own;
		t->destinations[i * 3 + 1] = own | 0xff;
		t->destinations[i * 3 + 2] = own + 1;
		if (!inet_add_address(t->net->kernel, t->net->dev, own, 24,
				      &error))
			ck_abort_msg("%s", error->message);
	}
	for (i = 0; i < ROUTES; i++)
		change_route(t, i);
	for (i = 12; i < DESTINATIONS; i++)
		t->destinations[i] = some_destination(t);
	for (step = 0; step < STEPS; step++) {
		const u32 daddr = t->destinations[some(t, DESTINATIONS)];

		if (!some(t, 30))
			change_route(t, some(t, ROUTES));
		if (some(t, 2))
			compare_out(t, daddr);
		else
			compare_in(t, daddr);
	}
}

START_TEST(it_gives_what_the_tables_give)
{
	const struct net_setup setup = {
		.kernel = kernels[_i].name, .check = true,
	};
	u32 i, right = 0, wrong_type = 0, hits = 0;
	const u32 n = test_rounds(TABLES);

	for (i = 0; i < n; i++) {
		struct random_tables t = { .net = net_new(&setup), .seed = i };
		const struct rt_cache_stat *stat;

		net_run_one(t.net, compare, &t);
		net_verify_rules(t.net);
		right += t.right;
		wrong_type += t.wrong_type;
		stat = kernels[_i].cache ?
			t.net->kernel->ipv4->cache->stats[0] : NULL;
		hits += stat ? stat->in_hit + stat->out_hit : 0;
		net_free(t.net);
	}
	ck_assert_uint_eq(right + wrong_type, n * STEPS);
	ck_assert_uint_gt(right, n * STEPS / 4);
	ck_assert_uint_gt(wrong_type, n * STEPS / 10);
	if (kernels[_i].cache)
		ck_assert_uint_gt(hits, n * STEPS / 20);
}
END_TEST

/* ---- how large it grows ---- */

#define FEW_MIB 64u
#define CHAINS 1024u		/* of a machine with so little memory */
#define MANY 30000u

struct growth {
	struct net_fixture *net;
	u32 most, held, left;
};

static void grow(void *arg)
{
	struct growth *g = arg;
	const u32 n = test_rounds(MANY);
	int fd = net_socket(), held;
	u32 i;

	add_route(g->net, FAR(0), FAR_PREFIX, NET_PEER);
	held = net_socket_to(FAR(0));
	for (i = 1; i <= n; i++) {
		ck_assert_int_eq(net_send_to(fd, "x", 1, 0, FAR(i)), 1);
		if (i % 200)
			continue;
		rcu_barrier();
		pass_jiffies(20);
		g->most = MAX(g->most, num_routes(g->net));
	}
	/* After all of their time only what is in use is left. */
	pass_jiffies((u64)(RT_GC_TIMEOUT_S * 2 + RT_GC_INTERVAL_S) * HZ);
	rcu_barrier();
	g->left = num_routes(g->net);
	ck_assert_int_eq(net_send(held, "x", 1, 0), 1);
	sys_close(held);
	sys_close(fd);
}

START_TEST(it_does_not_grow_for_ever)
{
	const struct net_setup setup = {
		.kernel = "linux-3.4", .node_mib = FEW_MIB,
	};
	struct growth g = { .net = net_new(&setup) };
	const struct route_cache *cache = g.net->kernel->ipv4->cache;

	ck_assert_uint_eq(rt_hash_entries(g.net->kernel), CHAINS);
	net_run_one(g.net, grow, &g);
	ck_assert_uint_gt(g.most, CHAINS);
	ck_assert_uint_lt(g.most, CHAINS * (RT_GC_ELASTICITY + 2));
	ck_assert_uint_gt(cache->stats[0]->gc_total, 0);
	ck_assert_uint_eq(g.left, 1);
	net_free(g.net);
}
END_TEST

Suite *suite_route_cache(void)
{
	Suite *s = suite_create("route_cache");
	TCase *tc = tcase_create("flows");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, a_flow_walks_once, 0, KERNELS);
	tcase_add_loop_test(tc, a_flush_makes_it_stale, 0, KERNELS);
	tcase_add_loop_test(tc, it_gives_what_the_tables_give, 0, KERNELS);
	tcase_add_test(tc, it_does_not_grow_for_ever);
	suite_add_tcase(s, tc);
	return s;
}
