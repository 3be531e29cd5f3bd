/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ports: the search for a free one, who is in whose way, and the chains of
 * sockets, each against a plain reference.
 */
#include <errno.h>
#include <string.h>

#include "net6_support.h"
#include "stack/include/net/udp.h"
#include "tests/rounds.h"

static struct sockaddr_any name4(u32 addr, u16 port)
{
	return (struct sockaddr_any){ .family = PF_INET, .port = port,
				      .daddr = addr };
}

static int bind4(int fd, u32 addr, u16 port)
{
	const struct sockaddr_any name = name4(addr, port);

	return sys_bind(fd, &name, SOCKADDR_IN_SIZE);
}

static int bind6(int fd, struct in6_addr addr, u16 port)
{
	const struct sockaddr_any name = {
		.family = PF_INET6, .port = port, .daddr6 = addr,
	};

	return sys_bind(fd, &name, SOCKADDR_IN6_SIZE);
}

static int any_socket(bool v6)
{
	return v6 ? net6_socket() : net_socket();
}

static int bind_any(int fd, bool v6, u16 port)
{
	return v6 ? bind6(fd, (struct in6_addr){ { 0 } }, port) :
	       bind4(fd, 0, port);
}

/* ---- the search ---- */

#define LOW 40000u
#define PORTS 40u
#define RESERVED 3u

/* What is known of one machine's ports, and the same random numbers. */
struct search {
	bool taken[MAX_UDP_PORTS];
	struct random_stream random;
	u32 size;		/* of the tables */
	bool v6;
};

static bool is_free(const struct search *s, u16 port)
{
	return port >= LOW && port < LOW + PORTS && !s->taken[port] &&
	       port % 13 != RESERVED;
}

/* The port that comes next; 0: none is left. */
static u16 next_port(struct search *s)
{
	u32 rand = (u32)(random_u64(&s->random) >> 32), i, j;
	u16 first = (u16)(LOW + ((u64)rand * PORTS >> 32));

	for (i = 0; i < s->size; i++)
		for (j = 0; j < MAX_UDP_PORTS / s->size; j++) {
			u16 port = (u16)(first + i +
					 j * (rand | 1) * s->size);

			if (is_free(s, port))
				return port;
		}
	return 0;
}

static void search_main(void *arg)
{
	struct search *s = arg;
	int fds[PORTS];
	u32 i, n = 0;
	u16 port;

	while ((port = next_port(s))) {
		fds[n] = any_socket(s->v6);
		ck_assert_int_eq(bind_any(fds[n], s->v6, 0), 0);
		ck_assert_uint_eq(net_inet(fds[n])->inet_num, port);
		ck_assert_uint_eq(net_inet(fds[n])->inet_sport, port);
		s->taken[port] = true;
		n++;
	}
	/* 3 of 40 are reserved. */
	ck_assert_uint_eq(n, PORTS - 3);
	i = (u32)any_socket(s->v6);
	ck_assert_int_eq(bind_any((int)i, s->v6, 0), -EADDRINUSE);
	(void)next_port(s);
	ck_assert_int_eq(net_send_to((int)i, "x", 1, 0, NET_PEER), -EAGAIN);
	(void)next_port(s);
	/* One comes back, and is the next one's. */
	port = net_inet(fds[7])->inet_num;
	ck_assert_int_eq(sys_close(fds[7]), 0);
	s->taken[port] = false;
	ck_assert_uint_eq(next_port(s), port);
	ck_assert_int_eq(bind_any((int)i, s->v6, 0), 0);
	ck_assert_uint_eq(net_inet((int)i)->inet_num, port);
	fds[7] = (int)i;
	for (i = 0; i < n; i++)
		ck_assert_int_eq(sys_close(fds[i]), 0);
}

START_TEST(test_search)
{
	static const struct kernel_setting size[] = {
		{ "udp.hash_entries", "4096", "a.scenario:1" },
		{ NULL, NULL, NULL }
	};
	struct net_setup setup = {
		.kernel = net6_kernels[_i / 4], .check = true,
		.parameters = _i / 2 % 2 ? size : NULL,
	};
	struct net_fixture *net = net6_new(&setup);
	struct search s = { .v6 = _i % 2 };
	u32 i;

	s.size = net->kernel->ipv4->udp->table->mask + 1;
	ck_assert_uint_eq(s.size, setup.parameters ? 4096 : 512);
	random_seed(&s.random, net->machine->seed, "ports", 0);
	inet_set_local_port_range(net->kernel, LOW, LOW + PORTS - 1);
	for (i = 0; i < MAX_UDP_PORTS; i++)
		if (i % 13 == RESERVED)
			inet_reserve_local_port(net->kernel, (u16)i, true);
	net_run_one(net, search_main, &s);
	net_verify_rules(net);
	net_free(net);
}
END_TEST

/* ---- conflicts ---- */

#define SOCKETS 48u
#define ROUNDS 150u

/* What a socket asks for. */
struct wish {
	bool v6, v6only, reuse, reuseport;
	u32 dev;
	u32 uid;
	u32 addr;		/* of IPv4, or the number of fd00::N */
	bool mapped;
	u16 port;
	int fd;
};

static const u32 addresses4[] = { 0, INADDR_LOOPBACK, NET_LOCAL };

static bool draw(struct random_stream *random, u32 of)
{
	return !random_below(random, of);
}

static struct wish random_wish(struct random_stream *random)
{
	struct wish w = { 0 };

	w.v6 = draw(random, 2);
	w.v6only = w.v6 && draw(random, 4);
	w.reuse = draw(random, 4);
	w.reuseport = draw(random, 3);
	w.dev = draw(random, 3) ? 1 + (u32)random_below(random, 2) : 0;
	w.uid = (u32)random_below(random, 2);
	w.mapped = w.v6 && !w.v6only && draw(random, 3);
	w.addr = (u32)random_below(random, 3);
	w.port = (u16)(5000 + random_below(random, 3));
	return w;
}

/* As sets of addresses: bits 0 to 2 are three of IPv4, 3 and 4 two of IPv6. */
static u32 address_set(const struct wish *w)
{
	if (!w->v6 || w->mapped)
		return w->addr ? 1u << w->addr : 7;
	if (w->addr)
		return 8u << w->addr;
	return w->v6only ? 0xf8 : 0xff;
}

/* Wishes that came true, as their port's chain has them. */
struct chain {
	const struct wish *wishes[SOCKETS];
	u32 n;
};

static void chain_add(struct chain *chain, const struct wish *w)
{
	bool last = has(REUSEPORT_TAIL) && w->v6 && w->reuseport;

	if (!last)
		memmove(chain->wishes + 1, chain->wishes,
			chain->n * sizeof(chain->wishes[0]));
	chain->wishes[last ? chain->n : 0] = w;
	chain->n++;
}

static bool meets(const struct wish *a, const struct wish *b)
{
	if (a->port != b->port || (a->reuse && b->reuse))
		return false;
	if (a->dev && b->dev && a->dev != b->dev)
		return false;
	return address_set(a) & address_set(b);
}

/* What the second table goes by: no address, one of IPv4, one of IPv6. */
static u32 address_key(const struct wish *w)
{
	return w->v6 && !w->mapped && w->addr ? 8 + w->addr : w->addr;
}

/* Is somebody in the way?  Of the whole chain, or of those with one key. */
static bool walk(const struct chain *chain, const struct wish *w, s32 key)
{
	bool shares;
	u32 i;

	for (i = 0; i < chain->n; i++) {
		const struct wish *b = chain->wishes[i];

		if ((key >= 0 && address_key(b) != (u32)key) || !meets(w, b))
			continue;
		shares = has(SO_REUSEPORT) && w->reuseport && b->reuseport &&
			 w->uid == b->uid;
		if (!shares)
			return true;
		if (has(UDP_REUSEPORT_QUIT_EARLY))
			return false;
	}
	return false;
}

/* A long chain is left for the two of the second table. */
static bool is_in_use(const struct chain *chain, const struct wish *w)
{
	u32 key = address_key(w);

	if (chain->n <= 10)
		return walk(chain, w, -1);
	return walk(chain, w, (s32)key) || (key && walk(chain, w, 0));
}

/* ::1 is loopback's alone. */
static bool is_elsewhere(const struct wish *w)
{
	return w->v6 && !w->mapped && w->addr == 1 && w->dev == 2;
}

static int bind_wish(struct wish *w, bool has_reuseport)
{
	int fd = w->fd = any_socket(w->v6);

	net_sk(fd)->sk_socket->i_uid = w->uid;
	ck_assert_int_eq(sys_setsockopt(fd, SOL_SOCKET, SO_REUSEADDR,
					w->reuse), 0);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_SOCKET, SO_REUSEPORT_OPTION,
					w->reuseport),
			 has_reuseport ? 0 : -ENOPROTOOPT);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_IPV6, IPV6_V6ONLY, w->v6only),
			 w->v6 ? 0 : -ENOPROTOOPT);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE,
					w->dev), 0);
	if (!w->v6)
		return bind4(fd, addresses4[w->addr], w->port);
	if (w->mapped) {
		struct in6_addr addr = MAPPED(0);
		u32 v4 = addresses4[w->addr];

		memcpy(addr.s6_addr + 12, (u8[]){ v4 >> 24, v4 >> 16 & 0xff,
		       v4 >> 8 & 0xff, v4 & 0xff }, 4);
		return bind6(fd, addr, w->port);
	}
	return bind6(fd, w->addr == 2 ? NET6_LOCAL :
		     w->addr ? (struct in6_addr){ .s6_addr = { [15] = 1 } } :
		     (struct in6_addr){ { 0 } }, w->port);
}

static void conflicts_main(void *arg)
{
	struct random_stream *random = arg;
	bool has_reuseport = has(SO_REUSEPORT);
	struct wish wishes[SOCKETS];
	u32 i, round, rounds = test_rounds(ROUNDS), bound = 0;
	int err;

	for (round = 0; round < rounds; round++) {
		struct chain chains[3] = { { .n = 0 } };

		for (i = 0; i < SOCKETS; i++) {
			struct wish *w = &wishes[i];
			struct chain *chain;

			*w = random_wish(random);
			chain = &chains[w->port - 5000];
			err = is_elsewhere(w) ? -EADDRNOTAVAIL :
			      is_in_use(chain, w) ? -EADDRINUSE : 0;
			ck_assert_int_eq(bind_wish(w, has_reuseport), err);
			if (!err)
				chain_add(chain, w);
			bound += !err;
		}
		for (i = 0; i < SOCKETS; i++)
			ck_assert_int_eq(sys_close(wishes[i].fd), 0);
	}
	/* There is something to see. */
	ck_assert_uint_gt(bound, rounds * SOCKETS / 8);
	ck_assert_uint_lt(bound, rounds * SOCKETS * 7 / 8);
}

START_TEST(test_conflicts)
{
	struct net_setup setup = {
		.kernel = net6_kernels[_i], .check = true,
	};
	struct net_fixture *net = net6_new(&setup);
	struct random_stream random;

	random_seed(&random, 1, "conflicts", (u32)_i);
	net_run_one(net, conflicts_main, &random);
	net_verify_rules(net);
	net_free(net);
}
END_TEST

Suite *suite_bind(void)
{
	Suite *suite = suite_create("bind");
	TCase *tests = tcase_create("bind");

	tcase_set_timeout(tests, 60);	/* under sanitizers */
	tcase_add_loop_test(tests, test_search, 0, 4 * NET6_KERNELS);
	tcase_add_loop_test(tests, test_conflicts, 0, NET6_KERNELS);
	suite_add_tcase(suite, tests);
	return suite;
}
