/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which socket gets a datagram: against a plain reference that looks at all
 * sockets; and while another CPU closes sockets and opens them again.
 */
#include <string.h>

#include "mm_support.h"
#include "net6_support.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/udp.h"
#include "tests/rounds.h"

static int bind4(int fd, u32 addr, u16 port)
{
	const struct sockaddr_any name = {
		.family = PF_INET, .port = port, .daddr = addr,
	};

	return sys_bind(fd, &name, SOCKADDR_IN_SIZE);
}

/* ---- the reference ---- */

#define UDP_TABLE this_kernel()->ipv4->udp->table
#define SOCKETS 48u
#define QUERIES 400u
#define PORT 7000u
#define PORTS 6u
#define PEER 0x0a020202u

static const u32 own[] = { 0, INADDR_LOOPBACK, NET_LOCAL };

/* The addresses of IPv6 that stand for them. */
static struct in6_addr own6(u32 addr)
{
	return addr == INADDR_LOOPBACK ?
	       (struct in6_addr){ .s6_addr = { [15] = 1 } } :
	       addr ? NET6_LOCAL : (struct in6_addr){ { 0 } };
}

struct contest {
	bool v6;
	struct random_stream random;
};

struct rival {
	u32 addr, dev, peer;
	u16 port, peer_port;
	int fd;
};

struct packet {
	u32 saddr, daddr, dif;
	u16 sport, dport;
};

static struct rival random_rival(struct random_stream *random)
{
	struct rival r = { 0 };

	r.addr = own[random_below(random, 3)];
	r.dev = random_below(random, 3) ? 0 : 1 +
		(u32)random_below(random, 2);
	r.port = (u16)(PORT + random_below(random, PORTS));
	if (!random_below(random, 3)) {
		r.peer = PEER + (u32)random_below(random, 2);
		r.peer_port = (u16)(1 + random_below(random, 2));
	}
	return r;
}

/* How many of its wishes a packet fulfils; -1: not all of them. */
static s32 fits(const struct rival *r, const struct packet *p)
{
	if (r->port != p->dport || (r->addr && r->addr != p->daddr) ||
	    (r->dev && r->dev != p->dif) ||
	    (r->peer && r->peer != p->saddr) ||
	    (r->peer_port && r->peer_port != p->sport))
		return -1;
	return !!r->addr + !!r->dev + !!r->peer + !!r->peer_port;
}

/* The best score there is.  By the second table, a socket with the address
 * goes before all that have none. */
static s32 best(const struct rival *rivals, const struct packet *p)
{
	s32 of_address = -1, of_none = -1;
	u32 i, n = 0;

	for (i = 0; i < SOCKETS; i++) {
		s32 score = fits(&rivals[i], p);

		n += rivals[i].port == p->dport;
		if (rivals[i].addr)
			of_address = MAX(of_address, score);
		else
			of_none = MAX(of_none, score);
	}
	if (has(UDP_LOOKUP_HASH2) || n > 10)
		return of_address >= 0 ? of_address : of_none;
	return MAX(of_address, of_none);
}

static int bind_rival(const struct rival *r, bool v6)
{
	const struct sockaddr_any name = {
		.family = PF_INET6, .port = r->port, .daddr6 = own6(r->addr),
	};

	return v6 ? sys_bind(r->fd, &name, SOCKADDR_IN6_SIZE) :
	       bind4(r->fd, r->addr, r->port);
}

static void open_rivals(struct contest *contest, struct rival *rivals)
{
	u32 i;

	for (i = 0; i < SOCKETS; i++) {
		struct rival *r = &rivals[i];

		*r = random_rival(&contest->random);
		/* ::1 is loopback's alone. */
		if (contest->v6 && r->addr == INADDR_LOOPBACK)
			r->dev = MIN(r->dev, 1);
		r->fd = contest->v6 ? net6_socket() : net_socket();
		sys_setsockopt(r->fd, SOL_SOCKET, SO_REUSEADDR, 1);
		sys_setsockopt(r->fd, SOL_SOCKET, SO_BINDTODEVICE, r->dev);
		ck_assert_int_eq(bind_rival(r, contest->v6), 0);
		/* As connect() leaves it, but for the route. */
		if (!contest->v6)
			net_inet(r->fd)->inet_daddr = r->peer;
		else if (r->peer)
			net_sk(r->fd)->sk_v6_daddr = FD00((u8)r->peer);
		net_inet(r->fd)->inet_dport = r->peer_port;
	}
}

static struct sock *look_up(const struct packet *p, bool v6)
{
	struct net *net = this_kernel()->init_net;
	struct in6_addr saddr = FD00((u8)p->saddr), daddr = own6(p->daddr);

	return v6 ? __udp6_lib_lookup(net, &saddr, p->sport, &daddr, p->dport,
				      p->dif, UDP_TABLE) :
	       __udp4_lib_lookup(net, p->saddr, p->sport, p->daddr, p->dport,
				 p->dif, UDP_TABLE);
}

static void rivals_main(void *arg)
{
	struct contest *contest = arg;
	struct random_stream *random = &contest->random;
	struct rival rivals[SOCKETS];
	u32 i, j, found = 0;

	open_rivals(contest, rivals);
	for (i = 0; i < QUERIES; i++) {
		struct packet p;
		struct sock *sk;
		s32 want;

		p.saddr = PEER + (u32)random_below(random, 3);
		p.daddr = own[1 + random_below(random, 2)];
		p.dif = 1 + (u32)random_below(random, 2);
		p.sport = (u16)(1 + random_below(random, 3));
		p.dport = (u16)(PORT + random_below(random, PORTS + 1));
		want = best(rivals, &p);
		sk = look_up(&p, contest->v6);
		ck_assert_int_eq(sk != NULL, want >= 0);
		if (!sk)
			continue;
		for (j = 0; net_sk(rivals[j].fd) != sk; j++)
			ck_assert_uint_lt(j, SOCKETS - 1);
		ck_assert_int_eq(fits(&rivals[j], &p), want);
		ck_assert_int_eq(sk->sk_refcnt, 2 + !has(UDP_SOCK_RCU_FREE));
		if (!has(UDP_SOCK_RCU_FREE))
			sock_put(sk);
		found++;
	}
	ck_assert_uint_gt(found, QUERIES / 2);
	ck_assert_uint_lt(found, QUERIES);
	for (i = 0; i < SOCKETS; i++)
		sys_close(rivals[i].fd);
}

START_TEST(test_rivals)
{
	struct net_setup setup = { .kernel = net6_kernels[_i / 2] };
	struct net_fixture *net = net6_new(&setup);
	struct contest contest = { .v6 = _i % 2 };

	random_seed(&contest.random, 1, "rivals", (u32)_i);
	net_run_one(net, rivals_main, &contest);
	net_free(net);
}
END_TEST

/* ---- sharing a port ---- */

#define SHARERS 4u
#define FLOWS 800u

static void share_main(void *arg)
{
	struct net *net = this_kernel()->init_net;
	u32 i, j, got[SHARERS] = { 0 };
	int fds[SHARERS];
	struct sock *sk;

	(void)arg;
	for (i = 0; i < SHARERS; i++) {
		fds[i] = net_socket();
		ck_assert_int_eq(sys_setsockopt(fds[i], SOL_SOCKET,
						SO_REUSEPORT_OPTION, 1), 0);
		ck_assert_int_eq(bind4(fds[i], 0, PORT), 0);
	}
	for (i = 0; i < 2 * FLOWS; i++) {
		u16 sport = (u16)(1000 + i % FLOWS);

		sk = __udp4_lib_lookup(net, PEER, sport, NET_LOCAL, PORT, 1,
				       UDP_TABLE);
		for (j = 0; net_sk(fds[j]) != sk; j++)
			ck_assert_uint_lt(j, SHARERS - 1);
		got[j]++;
		if (!has(UDP_SOCK_RCU_FREE))
			sock_put(sk);
	}
	/* Each its share, and a flow always the same: even numbers. */
	for (i = 0; i < SHARERS; i++) {
		ck_assert_uint_eq(got[i] % 2, 0);
		ck_assert_uint_gt(got[i], 2 * FLOWS / SHARERS * 3 / 4);
		ck_assert_uint_lt(got[i], 2 * FLOWS / SHARERS * 5 / 4);
	}
	for (i = 0; i < SHARERS; i++)
		ck_assert_int_eq(sys_close(fds[i]), 0);
}

START_TEST(test_sharing)
{
	/* With an array of the group, and without. */
	const char *no_group[] = { "-udp-reuseport-group", NULL };
	struct net_setup setup = {
		.kernel = "linux-6.1", .patches = _i ? no_group : NULL,
		.check = true,
	};
	struct net_fixture *net = net_new(&setup);

	net_run_one(net, share_main, NULL);
	net_free(net);
}
END_TEST

/* ---- the whole range ---- */

#define BINS 16u

static u32 lookup_port(struct sock *sk)
{
	u16 port = inet_sk(sk)->inet_num;
	struct sock *found = __udp4_lib_lookup(this_kernel()->init_net, PEER, 9,
					       NET_LOCAL, port, 1, UDP_TABLE);

	ck_assert_ptr_eq(found, sk);
	if (!has(UDP_SOCK_RCU_FREE))
		sock_put(found);
	return port;
}

/* A socket without a file: there are many of them. */
static struct sock *bare_socket(struct net *net)
{
	struct proto *prot = this_kernel()->net_core->sockets->udp_prot;
	struct sock *sk = sk_alloc(net, PF_INET, prot);

	sk->sk_refcnt = 1;
	sk->sk_destruct = inet_sock_destruct;
	return sk;
}

static void range_main(void *arg)
{
	struct net *net = this_kernel()->init_net;
	u32 n = has(LOCAL_PORTS_EVEN) ? 60999 - 32767 : 61000 - 32767, i;
	u32 early[BINS] = { 0 };
	g_autofree struct sock **socks = g_new(struct sock *, n + 1);
	g_autofree bool *seen = g_new0(bool, MAX_UDP_PORTS);
	g_autofree bool *taken = g_new0(bool, MAX_UDP_PORTS);
	u32 next = 0;

	(void)arg;
	/* Half are chosen, the rest asked for; one more than there are. */
	for (i = 0; i <= n; i++) {
		u16 want = 0;

		while (i >= n / 2 && i < n && taken[32768 + next])
			next++;
		if (i >= n / 2 && i < n)
			want = (u16)(32768 + next);
		socks[i] = bare_socket(net);
		ck_assert_int_eq(socks[i]->sk_prot->get_port(socks[i], want),
				 i == n);
		taken[inet_sk(socks[i])->inet_num] = true;
		if (i < 1600)
			early[(inet_sk(socks[i])->inet_num - 32768u) * BINS /
			      n]++;
	}
	for (i = 0; i < n; i++) {
		u32 port = lookup_port(socks[i]);

		ck_assert(port >= 32768 && port < 32768 + n && !seen[port]);
		seen[port] = true;
	}
	/* Of the first 1,600 a hundred each; five times the deviation. */
	for (i = 0; i < BINS; i++)
		ck_assert(early[i] > 50 && early[i] < 150);
	for (i = 0; i <= n; i++)
		sk_common_release(socks[i]);
	ck_assert_ptr_null(__udp4_lib_lookup(net, PEER, 9, NET_LOCAL, 40000,
					     1, UDP_TABLE));
}

START_TEST(test_whole_range)
{
	static const struct kernel_setting size[] = {
		{ "udp.hash_entries", "16384", "a.scenario:1" },
		{ NULL, NULL, NULL }
	};
	struct net_setup setup = {
		.kernel = net6_kernels[_i], .parameters = size,
	};
	struct net_fixture *net = net_new(&setup);

	net_run_one(net, range_main, NULL);
	net_free(net);
}
END_TEST

/* ---- a socket that goes and comes back as another ---- */

#define SEEDS 10000u

/* Ports with so many sockets, as good as the one that is found first: a reader
 * has to see them all before it holds that. */
static const u32 others[] = { 10, 25, 50, 75, 100, 150, 200, 400 };
#define RACE_PORT(i) ((u16)(PORT + 2 * (i)))
#define MAX_OTHERS 1010u

/* What a seed decides. */
struct race_plan {
	u32 writer_cpu;
	u16 port;
	u32 pause[2];		/* of reader and writer, at most */
	struct random_stream reader, writer;
};

struct race {
	u32 seeds;
	u32 arrived[2];		/* seeds that each CPU has come to */
	bool over;		/* the writer's part of this seed */
	struct race_plan plan;
	u32 found, wrong;
	u32 found_in_seed, wrong_in_seed;
	u32 seeds_found, seeds_wrong;
	int fds[MAX_OTHERS];
};

static void plan_race(struct race *race, u32 seed)
{
	struct race_plan *plan = &race->plan;
	struct random_stream random;
	u32 i;

	random_seed(&random, seed, "plan", 0);
	plan->writer_cpu = (u32)random_below(&random, 2);
	i = (u32)random_below(&random, ARRAY_SIZE(others));
	plan->port = RACE_PORT(i);
	for (i = 0; i < 2; i++)
		plan->pause[i] = 100 + (u32)random_below(&random, 8000);
	random_seed(&plan->reader, seed, "reader", 0);
	random_seed(&plan->writer, seed, "writer", 0);
	race->over = false;
	race->found_in_seed = race->wrong_in_seed = 0;
}

/* One that fits is closed, and comes back as one of another port. */
static void reopen(struct race *race)
{
	struct race_plan *plan = &race->plan;
	u32 i;

	for (i = 0; i < 2; i++) {
		int fd = net_socket();

		net_sk(fd)->sk_reuse = 1;
		must(!bind4(fd, 0, (u16)(plan->port + i)));
		WORK((u32)random_below(&plan->writer, plan->pause[1]));
		must(!sys_close(fd));
	}
	race->over = true;
}

static void look_up_often(struct race *race)
{
	struct race_plan *plan = &race->plan;
	struct sock *sk;

	while (!race->over) {
		FUNCTION(udp_ehashfn);	/* a place to wait */
		WORK((u32)random_below(&plan->reader, plan->pause[0]));
		sk = __udp4_lib_lookup(this_kernel()->init_net, PEER, 9,
				       NET_LOCAL, plan->port, 2, UDP_TABLE);
		if (!sk)
			continue;
		race->found_in_seed++;
		/* It is held, so it stays what it is. */
		race->wrong_in_seed += udp_sk(sk)->udp_port_hash != plan->port;
		sock_put(sk);
	}
}

/* The CPUs begin each seed together; the last to come makes its plan. */
static void meet(struct race *race, u32 seed)
{
	u32 cpu = this_cpu->id;

	if (race->arrived[!cpu] > seed) {
		race->found += race->found_in_seed;
		race->wrong += race->wrong_in_seed;
		race->seeds_found += race->found_in_seed > 0;
		race->seeds_wrong += race->wrong_in_seed > 0;
		plan_race(race, seed);
	}
	race->arrived[cpu] = seed + 1;
	while (race->arrived[!cpu] <= seed) {
		FUNCTION(udp_ehashfn);
		WORK(100);
	}
}

static void race_main(void *arg)
{
	struct race *race = arg;
	u32 seed;

	for (seed = 0; seed < race->seeds; seed++) {
		meet(race, seed);
		if (race->plan.writer_cpu == this_cpu->id)
			reopen(race);
		else
			look_up_often(race);
	}
	meet(race, seed);	/* and count the last */
}

static void open_others(void *arg)
{
	struct race *race = arg;
	u32 i, j, n = 0;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		for (j = 0; j < others[i]; j++) {
			int fd = race->fds[n++] = net_socket();

			sys_setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, 1);
			ck_assert_int_eq(bind4(fd, 0, RACE_PORT(i)), 0);
		}
	ck_assert_uint_eq(n, MAX_OTHERS);
}

static void first_main(void *arg)
{
	struct race *race = arg;
	u32 i;

	open_others(race);
	race_main(race);
	for (i = 0; i < MAX_OTHERS; i++)
		ck_assert_int_eq(sys_close(race->fds[i]), 0);
}

/* One machine for all: what a seed sets is who reads and who writes, where,
 * past how many others, and the pauses of both. */
static struct race *run_race(const char *kernel, const char *const *patches)
{
	struct net_setup setup = {
		.cores = 2, .kernel = kernel, .patches = patches,
	};
	struct net_fixture *net = net_new(&setup);
	struct race *race = g_new0(struct race, 1);
	const struct net_process processes[] = {
		{ 0, first_main, race, false },
		{ 1, race_main, race, false },
	};

	race->seeds = test_rounds(SEEDS);
	net_run(net, processes, 2);
	net_free(net);
	/* In nearly all of them there is something to see. */
	ck_assert_uint_gt(race->seeds_found, race->seeds * 9 / 10);
	return race;
}

static const char *const race_kernels[] = { "linux-3.6", "linux-4.6" };

START_TEST(test_recheck)
{
	struct race *race = run_race(race_kernels[_i], NULL);

	ck_assert_uint_eq(race->wrong, 0);
	g_free(race);
}
END_TEST

/* And the test can tell. */
START_TEST(test_no_recheck)
{
	const char *patches[] = { "udp-lookup-no-recheck", NULL };
	struct race *race = run_race(race_kernels[_i], patches);

	/* In one of a hundred at least. */
	ck_assert_uint_gt(race->seeds_wrong, race->seeds / 100);
	g_free(race);
}
END_TEST

Suite *suite_udp_lookup(void)
{
	Suite *suite = suite_create("udp_lookup");
	TCase *tests = tcase_create("udp_lookup");

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, test_rivals, 0, 2 * NET6_KERNELS);
	tcase_add_loop_test(tests, test_sharing, 0, 2);
	tcase_add_loop_test(tests, test_whole_range, 0, NET6_KERNELS);
	tcase_add_loop_test(tests, test_recheck, 0, ARRAY_SIZE(race_kernels));
	tcase_add_loop_test(tests, test_no_recheck, 0,
			    ARRAY_SIZE(race_kernels));
	suite_add_tcase(suite, tests);
	return suite;
}
