/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two kernels on a link find one another by real packets, and lose one another:
 * the life of a neighbour with the standard constants (RFC 4861, 10), in each
 * family and on each kernel.
 */
#include "net6_support.h"
#include "nic_support.h"
#include "stack/lib/checksum.h"

#define CASES ((int)G_N_ELEMENTS(cases))
#define STATES 16u

static const struct {
	const char *kernel;
	bool ip6;
} cases[] = {
	{ "linux-3.6", false }, { "linux-3.6", true },
	{ "linux-3.12", false }, { "linux-3.12", true },
	{ "linux-3.15", false }, { "linux-3.15", true },
	{ "linux-4.6", false }, { "linux-4.6", true },
	{ "linux-6.1", false }, { "linux-6.1", true },
	{ "linux-2.6.32", true },
};

/* A state, and since when. */
struct stay {
	u8 state;
	ps_t since;
};

static struct nic_fixture *f;
static bool ip6;
static struct neighbour *n;		/* host 1 as host 0 sees it */
static struct stay stays[STATES];
static u32 num_stays;
static struct sock *server_sk;
static ps_t last_send;

static void build(int i)
{
	const struct nic_setup setup = {
		.kernel = cases[i].kernel, .cores = 2, .strangers = true,
		.check = true,
	};

	f = nic_fixture_new(&setup);
	ip6 = cases[i].ip6;
	n = NULL;
	num_stays = 0;
}

static void teardown(void)
{
	g_clear_pointer(&f, nic_fixture_free);
}

/* ---- what is seen ---- */

static void note_state(ps_t now)
{
	if (num_stays && stays[num_stays - 1].state == n->nud_state)
		return;
	ck_assert_uint_lt(num_stays, STATES);
	stays[num_stays].since = now;
	stays[num_stays++].state = n->nud_state;
}

/* Looks at the neighbour again and again. */
static void look(void *arg, ps_t now)
{
	(void)arg;
	machine_at(f->host[0].machine, now + 2 * PS_PER_MS, EVENT_DEVICE, 0, 1,
		   look, NULL);
	if (n)
		note_state(now);
}

static const struct stay *expect_state(u32 index, u8 state)
{
	ck_assert_uint_lt(index, num_stays);
	ck_assert_uint_eq(stays[index].state, state);
	return &stays[index];
}

/* Timers keep their time to a jiffy, and to an eighth of it where they stand
 * in a coarse level of the wheel. */
static void expect_time(ps_t from, ps_t to, u64 jiffies)
{
	u64 hz = f->host[0].kernel->parameters.hz;
	ps_t jiffy = PS_PER_S / hz, time = jiffies * jiffy;

	ck_assert_uint_ge(to + 3 * jiffy, from + time);
	ck_assert_uint_le(to, from + time + time / 8 + 4 * jiffy);
}

enum kind { DATA, BROADCAST, UNICAST, OTHER };

/* What a frame that reached host 1 is: a datagram, or a question for the
 * address that datagrams go to. */
static enum kind kind_of(const GByteArray *frame)
{
	const u8 *eth = frame->data, *p = eth + 14;
	bool many = eth[0] & 1;

	if (get_be16(eth + 12) == (ip6 ? 0x86dd : 0x0800) &&
	    p[ip6 ? 6 : 9] == 17)
		return DATA;
	if (ip6 ? get_be16(eth + 12) == 0x86dd && p[6] == 58 &&
	    p[40] == 135 && p[48] == 0xfd :
	    get_be16(eth + 12) == 0x0806 && get_be16(p + 6) == 1)
		return many ? BROADCAST : UNICAST;
	return OTHER;
}

/* The `nth` of those; gives when it came. */
static ps_t expect_frame(u32 nth, enum kind kind)
{
	const GPtrArray *frames = f->host[1].received;
	u32 i;

	for (i = 0; i < frames->len; i++)
		if (kind_of(nic_frame(frames, i)) != OTHER && !nth--)
			break;
	ck_assert_int_eq(kind_of(nic_frame(frames, i)), kind);
	return g_array_index(f->host[1].times, ps_t, i);
}

static u32 count_frames(void)
{
	const GPtrArray *frames = f->host[1].received;
	u32 i, count = 0;

	for (i = 0; i < frames->len; i++)
		count += kind_of(nic_frame(frames, i)) != OTHER;
	return count;
}

/* ---- what the hosts do ---- */

static int open_client(void)
{
	int fd = sys_socket(ip6 ? PF_INET6 : PF_INET, SOCK_DGRAM, 0);

	ck_assert_int_ge(fd, 0);
	return fd;
}

static void send_one(int fd)
{
	if (ip6)
		ck_assert_int_eq(net6_send_to(fd, "x", 1, 0, FD00(2)), 1);
	else
		ck_assert_int_eq(net_send_to(fd, "x", 1, 0, NIC_ADDRESS(1)),
				 1);
}

static struct neighbour *find_neighbour(void)
{
	const struct in6_addr peer6 = FD00(2);

	return ip6 ? __ipv6_neigh_lookup_noref(f->host[0].dev, &peer6) :
		     __ipv4_neigh_lookup_noref(f->host[0].dev, NIC_ADDRESS(1));
}

static void serve(void *arg)
{
	struct sockaddr_any any = {
		.family = ip6 ? PF_INET6 : PF_INET, .port = NET_PORT,
	};
	int fd = open_client();

	(void)arg;
	ck_assert_int_eq(sys_bind(fd, &any, SOCKADDR_IN6_SIZE), 0);
	server_sk = net_sk(fd);
	nic_sleep(PS_PER_S);
	ck_assert_uint_eq(server_sk->sk_receive_queue.qlen, 3);
	sys_close((u32)fd);
}

/* Three datagrams wait for the answer, and then go in their order. */
static void meet(int fd)
{
	u32 i;

	nic_sleep(10 * PS_PER_MS);
	for (i = 0; i < 3; i++) {
		send_one(fd);
		n = find_neighbour();
		note_state(this_cpu->clock);
		ck_assert_uint_eq(n->nud_state, NUD_INCOMPLETE);
		ck_assert_uint_eq(n->arp_queue.qlen, i + 1);
	}
	nic_sleep(5 * PS_PER_MS);
	ck_assert_uint_eq(n->nud_state, NUD_REACHABLE);
	ck_assert_uint_eq(n->arp_queue.qlen, 0);
}

static void live_on(void *arg)
{
	int fd = open_client();

	(void)arg;
	meet(fd);
	/* Host 1 goes, when all that it had to ask has been answered. */
	nic_sleep(8 * PS_PER_S);
	f->link->ends[1].receive = NULL;
	while (n->nud_state != NUD_STALE)
		nic_sleep(100 * PS_PER_MS);
	nic_sleep(PS_PER_S);
	last_send = this_cpu->clock;
	send_one(fd);
	nic_sleep(12 * PS_PER_S);
	sys_close((u32)fd);
}

/* By RFC 4861: from half to one and a half times 30 s, 1 s, 5 s, three. */
static void verify_constants(const struct neigh_parms *p)
{
	u32 hz = f->host[0].kernel->parameters.hz;

	ck_assert_uint_eq(p->base_reachable_time, 30 * hz);
	ck_assert_uint_ge(p->reachable_time, 15 * hz);
	ck_assert_uint_le(p->reachable_time, 45 * hz);
	ck_assert_uint_eq(p->retrans_time, hz);
	ck_assert_uint_eq(p->delay_probe_time, 5 * hz);
	ck_assert_uint_eq(p->ucast_probes, 3);
	ck_assert_uint_eq(p->mcast_probes, 3);
}

START_TEST(test_life)
{
	const struct neigh_parms *p;
	u32 i;

	build(_i);
	machine_at(f->host[0].machine, 0, EVENT_DEVICE, 0, 1, look, NULL);
	nic_process(f, 0, 1, live_on, NULL);
	nic_process(f, 1, 1, serve, NULL);
	nic_run_ticking(f);
	p = n->parms;
	verify_constants(p);
	ck_assert_uint_eq(num_stays, 6);
	expect_state(0, NUD_INCOMPLETE);
	expect_state(1, NUD_REACHABLE);
	expect_time(stays[1].since, expect_state(2, NUD_STALE)->since,
		    p->reachable_time);
	expect_time(last_send, expect_state(3, NUD_DELAY)->since, 0);
	expect_time(last_send, expect_state(4, NUD_PROBE)->since,
		    p->delay_probe_time);
	expect_time(stays[4].since, expect_state(5, NUD_FAILED)->since,
		    3 * p->retrans_time);
	/* The wire: a question to all, then the data; later data on trust and
	 * three questions to the old address. */
	expect_frame(0, BROADCAST);
	for (i = 1; i <= 3; i++)
		expect_frame(i, DATA);
	ck_assert_uint_eq(count_frames(), 8);
	expect_frame(4, DATA);
	for (i = 0; i < 3; i++)
		expect_time(stays[4].since, expect_frame(5 + i, UNICAST),
			    i * p->retrans_time);
}
END_TEST

Suite *suite_resolve(void)
{
	Suite *suite = suite_create("resolve");
	TCase *tc = tcase_create("resolve");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_loop_test(tc, test_life, 0, CASES);
	suite_add_tcase(suite, tc);
	return suite;
}
