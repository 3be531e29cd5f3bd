/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * No datagram is unaccounted for.  For each of many seeds one host sends to
 * another over a link that loses, doubles and reorders; rings and socket buffers are
 * small, readers slow, listeners go, and broken packets come in between.  Each
 * frame that was sent or doubled was lost on the link, dropped where a counter
 * says so, or read; at each layer what came in is what went on and what was
 * counted.
 */
#include "net6_support.h"
#include "nic_support.h"
#include "sim/random.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/inet_frag.h"
#include "stack/lib/checksum.h"
#include "tests/rounds.h"

#define SEEDS 1000u
#define LOOPS 20u
#define TOGETHER 10u		/* seeds that the same two hosts serve */
#define LISTENERS 3u		/* on ports from NET_PORT on; one more is free */
#define DATAGRAMS 48u
#define BROKEN 12u
#define MAX_PAYLOAD 600u
#define READING (4 * PS_PER_MS)

static const char *const kernels[] = { "linux-3.6", "linux-4.6", "linux-6.1" };

static struct {
	struct nic_fixture *f;
	ps_t start;
	struct random_stream random;	/* of what is set up */
	struct random_stream sender, reader;
	struct random_stream breaker;
	bool ip6;
	u32 rcvbuf;
	u32 to_break;
	u64 sent, broken, read;	/* of all seeds since the hosts were built */
} c;

static ps_t some_time(struct random_stream *random, ps_t most)
{
	return 1 + random_below(random, most);
}

/* ---- set-up ---- */

static struct link_profile random_wire(void)
{
	struct link_profile wire = { .rate_mbit = 10000, .delay = PS_PER_US };
	u64 most = LINK_CHANCE_ONE / 10;

	wire.loss = random_below(&c.random, most);
	wire.duplicate = random_below(&c.random, most);
	wire.reorder = random_below(&c.random, most);
	wire.reorder_delay = some_time(&c.random, 20 * PS_PER_US);
	return wire;
}

static void configure(struct nic_config *config, u32 host)
{
	if (!host)
		return;
	config->queues = 1 + (u32)random_below(&c.random, 2);
	config->ring_size = 8 + (u32)random_below(&c.random, 9);
	config->rx_usecs = 20 + (u32)random_below(&c.random, 60);
}

/* Two hosts for some seeds: a kernel and a ring. */
static void build(u64 seed)
{
	const struct nic_setup setup = {
		.kernel = kernels[seed / TOGETHER % G_N_ELEMENTS(kernels)],
		.cores = 2, .node_mib = 16, .strangers = true,
		.configure = configure,
	};

	memset(&c, 0, sizeof(c));
	random_seed(&c.random, seed, "campaign set-up", 0);
	c.f = nic_fixture_new(&setup);
	nic_make_friends(c.f);
}

/* When the CPU that is furthest is. */
static ps_t furthest(void)
{
	ps_t time = 0;
	u32 host, cpu;

	for (host = 0; host < 2; host++)
		for (cpu = 0; cpu < 2; cpu++)
			time = MAX(time,
				   c.f->host[host].machine->cpus[cpu].clock);
	return time;
}

/* All else is the seed's own. */
static void start(u64 seed)
{
	u32 i;

	random_seed(&c.random, seed, "campaign", 0);
	random_seed(&c.sender, seed, "campaign", 1);
	random_seed(&c.reader, seed, "campaign", 2);
	random_seed(&c.breaker, seed, "campaign", 3);
	for (i = 0; i < 2; i++)
		random_seed(&c.f->link->ends[i].random, seed, "link", i);
	c.f->link->profile = random_wire();
	c.ip6 = random_below(&c.random, 2);
	c.rcvbuf = 2304 + (u32)random_below(&c.random, 20000);
	c.to_break = BROKEN;
	c.start = furthest() + 100 * PS_PER_US;
}

/* ---- the sender ---- */

static void send_datagrams(void *arg)
{
	static const u8 payload[MAX_PAYLOAD];
	struct sockaddr_any to = {
		.family = c.ip6 ? PF_INET6 : PF_INET,
		.daddr = NIC_ADDRESS(1), .daddr6 = FD00(2),
	};
	int fd = sys_socket(to.family, SOCK_DGRAM, 0);
	u32 i, len;

	(void)arg;
	nic_sleep(c.start + 100 * PS_PER_US - this_cpu->clock);
	for (i = 0; i < DATAGRAMS; i++) {
		to.port = NET_PORT;
		to.port += (u16)random_below(&c.sender, LISTENERS + 1);
		len = (u32)random_below(&c.sender, MAX_PAYLOAD);
		/* Bursts, and then a pause. */
		if (!random_below(&c.sender, 6))
			nic_sleep(some_time(&c.sender, 150 * PS_PER_US));
		if (sys_sendto(fd, payload, len, MSG_DONTWAIT, &to,
			       SOCKADDR_IN6_SIZE) == (int)len)
			c.sent++;
	}
	sys_close((u32)fd);
}

/* ---- broken packets ---- */

static void fill_udp(u8 *ip, u32 header, u32 len)
{
	u8 *udp = ip + header;
	u32 sum;

	put_be16(udp, 1000);
	put_be16(udp + 2, NET_PORT);
	put_be16(udp + 4, (u16)len);
	sum = csum_partial(udp, len, 0);
	if (c.ip6)
		sum = csum_ipv6_magic(ip + 8, ip + 24, len, 17, sum);
	else
		sum = csum_fold(csum_tcpudp_nofold(NIC_ADDRESS(0),
						   NIC_ADDRESS(1), len, 17,
						   sum));
	put_be16(udp + 6, sum ? (u16)sum : 0xffff);
}

static u32 good_frame(u8 *frame, u32 payload)
{
	u32 header = c.ip6 ? 40 : 20, len = 8 + payload;
	const struct in6_addr from = FD00(1), to = FD00(2);
	u8 *ip = frame + 14;

	memset(frame, 0, 14 + header + len);
	memcpy(frame, "\x02\0\0\0\0\x11\x02\0\0\0\0\x10", 12);
	put_be16(frame + 12, c.ip6 ? 0x86dd : 0x0800);
	if (c.ip6) {
		ip[0] = 0x60;
		put_be16(ip + 4, (u16)len);
		ip[6] = 17;
		ip[7] = 64;
		memcpy(ip + 8, &from, 16);
		memcpy(ip + 24, &to, 16);
	} else {
		ip[0] = 0x45;
		put_be16(ip + 2, (u16)(header + len));
		ip[8] = 64;
		ip[9] = 17;
		put_be32(ip + 12, NIC_ADDRESS(0));
		put_be32(ip + 16, NIC_ADDRESS(1));
	}
	fill_udp(ip, header, len);
	return 14 + header + len;
}

/* Changes one thing at random: a byte of the headers, or how much of the frame
 * there is.  Of IPv4 the header's sum is put right in half of the cases, so
 * that the change is seen behind it. */
static u32 spoil(u8 *frame, u32 len)
{
	u32 header = c.ip6 ? 40 : 20, at;
	u8 *ip = frame + 14;

	at = (u32)random_below(&c.breaker, header + 8 + 4);
	if (at < header + 8)
		ip[at] ^= 1u << random_below(&c.breaker, 8);
	else
		len = 14 + (u32)random_below(&c.breaker, len - 14);
	if (!c.ip6 && random_below(&c.breaker, 2)) {
		put_be16(ip + 10, 0);
		put_be16(ip + 10, csum_fold(csum_partial(ip, 20, 0)));
	}
	return len;
}

static void send_broken(void *arg, ps_t now)
{
	static u8 frame[14 + 40 + 8 + MAX_PAYLOAD];
	u32 len = good_frame(frame, 1 + (u32)random_below(&c.breaker, 100));

	(void)arg;
	len = spoil(frame, len);
	link_send(&c.f->link->ends[0], frame, len, now);
	c.broken++;
	if (--c.to_break)
		machine_at(c.f->host[0].machine, now +
			   some_time(&c.breaker, 200 * PS_PER_US),
			   EVENT_DEVICE, 0, 7, send_broken, NULL);
}

/* ---- the readers ---- */

static int listen_on(u32 i)
{
	struct sockaddr_any any = {
		.family = c.ip6 ? PF_INET6 : PF_INET,
		.port = (u16)(NET_PORT + i),
	};
	int fd = sys_socket(any.family, SOCK_DGRAM, 0);

	ck_assert_int_eq(sys_bind(fd, &any, SOCKADDR_IN6_SIZE), 0);
	net_sk(fd)->sk_rcvbuf = c.rcvbuf;
	return fd;
}

/* Some of what is there, by a reader who may take less than all of each. */
static void read_some(int fd, u64 most)
{
	u8 buffer[MAX_PAYLOAD];
	u32 want;

	while (most--) {
		want = (u32)random_below(&c.reader, MAX_PAYLOAD) + 1;
		if (sys_recvfrom(fd, buffer, want, MSG_DONTWAIT, NULL) < 0)
			return;
		c.read++;
	}
}

/* All listeners but the first go at some time, with or without what is there
 * for them. */
static void read_datagrams(void *arg)
{
	ps_t end = c.start + READING;
	int fds[LISTENERS];
	u32 i;

	(void)arg;
	for (i = 0; i < LISTENERS; i++)
		fds[i] = listen_on(i);
	while (this_cpu->clock < end) {
		nic_sleep(some_time(&c.reader, 200 * PS_PER_US));
		for (i = 0; i < LISTENERS; i++) {
			if (fds[i] < 0)
				continue;
			read_some(fds[i], random_below(&c.reader, 8));
			if (i && !random_below(&c.reader, 20)) {
				sys_close((u32)fds[i]);
				fds[i] = -1;
			}
		}
	}
	/* The last one takes all that is left. */
	read_some(fds[0], UINT64_MAX);
	for (i = 0; i < LISTENERS; i++)
		if (fds[i] >= 0)
			sys_close((u32)fds[i]);
}

/* ---- the accounts ---- */

#define IPX(name) (snmp_ip(k, IPSTATS_MIB_##name) + \
		   snmp_ip6(k, IPSTATS_MIB_##name))
#define UDP(name) (snmp_udp(k, UDP_MIB_##name) + snmp_udp6(k, UDP_MIB_##name))

/* What IP's layers have counted and not handed on. */
static u64 ip_drops(const struct kernel *k)
{
	return IPX(INHDRERRORS) + IPX(INTRUNCATEDPKTS) + IPX(INADDRERRORS) +
	       IPX(INUNKNOWNPROTOS) + IPX(INDISCARDS);
}

/* Fragments that wait, or have gone without their datagram, or are now one with
 * others. */
static u64 fragments(const struct kernel *k)
{
	struct frag_report v4 = ip_frag_report(k), v6 = ip6_frag_report(k);

	return v4.waiting + v4.dropped + v4.joined - v4.datagrams +
	       v6.waiting + v6.dropped + v6.joined - v6.datagrams;
}

/* Those that no counter of snmp is for: addresses that no packet on a wire has
 * and groups that the host is not in, of which /proc/net/stat/rt_cache says
 * more. */
static u64 elsewhere(const struct kernel *k)
{
	return k->net_core->strays;
}

static u64 icmp_in(const struct kernel *k)
{
	return snmp_icmp(k, ICMP_MIB_INMSGS) + snmp_icmp6(k, ICMP6_MIB_INMSGS);
}

static void verify_accounts(u64 seed)
{
	const struct kernel *k = c.f->host[1].kernel;
	const struct nic_counters *nic = nic_counters(c.f->host[1].dev);
	const struct link_counters *link = &c.f->link->ends[0].counters;
	const struct link_counters *arrived = &c.f->link->ends[1].counters;
	u64 drops;

#define EQUAL(a, b) ck_assert_msg((a) == (b), "seed %lu: %s %lu, %s %lu", \
	(unsigned long)seed, #a, (unsigned long)(a), #b, (unsigned long)(b))
	EQUAL(link->sent, c.sent + c.broken);
	EQUAL(link->sent + link->duplicated, link->lost + arrived->received);
	EQUAL(arrived->received, nic->rx_packets + nic->rx_missed_errors +
	      nic->rx_length_errors);
	EQUAL(nic->rx_packets, IPX(INPKTS) + c.f->host[1].dev->rx_dropped);
	EQUAL(IPX(INPKTS), IPX(INDELIVERS) + ip_drops(k) + fragments(k) +
	      elsewhere(k));
	EQUAL(IPX(INDELIVERS), UDP(INDATAGRAMS) + UDP(NOPORTS) + UDP(INERRORS) +
	      k->net_core->sockets->unread + icmp_in(k));
	EQUAL(UDP(INDATAGRAMS), c.read);
	/* All in one line. */
	drops = link->lost + nic->rx_missed_errors +
		c.f->host[1].dev->rx_dropped + ip_drops(k) + fragments(k) +
		elsewhere(k) + icmp_in(k) + UDP(NOPORTS) + UDP(INERRORS) +
		k->net_core->sockets->unread;
	EQUAL(c.sent + c.broken + link->duplicated, c.read + drops);
}

static struct { u64 sum[8]; } seen;

/* What the campaign is to have met at least once. */
static void note(void)
{
	const struct kernel *k = c.f->host[1].kernel;
	const u64 now[] = {
		c.f->link->ends[0].counters.lost,
		c.f->link->ends[0].counters.duplicated,
		nic_counters(c.f->host[1].dev)->rx_missed_errors,
		ip_drops(k), UDP(NOPORTS), UDP(RCVBUFERRORS),
		UDP(INERRORS) - UDP(RCVBUFERRORS),
		k->net_core->sockets->unread,
	};
	u32 i;

	for (i = 0; i < G_N_ELEMENTS(now); i++)
		seen.sum[i] += now[i];
}

static void run_seed(u64 seed)
{
	start(seed);
	nic_process(c.f, 0, 1, send_datagrams, NULL);
	nic_process(c.f, 1, 1, read_datagrams, NULL);
	machine_at(c.f->host[0].machine, c.start + 150 * PS_PER_US,
		   EVENT_DEVICE, 0, 7, send_broken, NULL);
	ck_assert(world_run(c.f->world));
	/* Sockets that wait for late readers of theirs. */
	this_cpu = &c.f->host[1].machine->cpus[0];
	rcu_barrier();
	verify_accounts(seed);
	nic_end_processes(c.f);
}

START_TEST(test_nothing_is_unaccounted_for)
{
	u32 n = test_rounds(SEEDS) / LOOPS, i;

	memset(&seen, 0, sizeof(seen));
	for (i = 0; i < n; i++) {
		if (i % TOGETHER == 0)
			build((u64)_i * (SEEDS / LOOPS) + i);
		run_seed((u64)_i * (SEEDS / LOOPS) + i);
		if ((i + 1) % TOGETHER && i + 1 < n)
			continue;
		note();
		nic_fixture_free(c.f);
	}
	for (i = 0; i < G_N_ELEMENTS(seen.sum) && n >= 20; i++)
		ck_assert_msg(seen.sum[i], "counter %u was never met", i);
}
END_TEST

Suite *suite_campaign(void)
{
	Suite *suite = suite_create("campaign");
	TCase *tc = tcase_create("campaign");

	tcase_add_loop_test(tc, test_nothing_is_unaccounted_for, 0, LOOPS);
	suite_add_tcase(suite, tc);
	return suite;
}
