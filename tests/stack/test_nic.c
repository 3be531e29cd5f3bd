/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The NIC between the stack and the link: the frames that go out, rings that
 * fill up at either end, interrupts, and which queue a frame comes in by.
 */
#include <string.h>

#include "net6_support.h"
#include "nic_support.h"
#include "stack/include/linux/entry.h"
#include "stack/lib/checksum.h"

static struct nic_fixture *f;

static const struct {
	const char *kernel;
	bool ip6;
} cases[] = {
	{ "linux-3.6", false }, { "linux-3.12", false },
	{ "linux-3.15", false }, { "linux-4.6", false },
	{ "linux-6.1", false },
	{ "linux-3.6", true }, { "linux-3.12", true },
	{ "linux-3.15", true }, { "linux-4.6", true },
	{ "linux-6.1", true },
	{ "linux-2.6.32", true },
};

static bool ip6;		/* what the processes use */

static void build(const struct nic_setup *setup)
{
	f = nic_fixture_new(setup);
}

static void teardown(void)
{
	g_clear_pointer(&f, nic_fixture_free);
}

static u64 counter(u32 host, size_t offset)
{
	const struct nic_counters *c = nic_counters(f->host[host].dev);

	return *(const u64 *)(const void *)((const u8 *)c + offset);
}

#define COUNTER(host, name) \
	counter(host, offsetof(struct nic_counters, name))

/* ---- what goes out ---- */

static const u32 lengths[] = { 0, 1, 17, 18, 19, 100, 1471, 1472 };

/* Up to what a frame takes in either family. */
static u32 length(u32 i)
{
	return lengths[i] - (ip6 && lengths[i] > 1452 ? 20 : 0);
}

static void send_lengths(void *arg)
{
	static const u8 payload[1472] = { 0x80, 0x01, 0xff };
	int fd = ip6 ? net6_socket() : net_socket();
	u32 i;

	(void)arg;
	for (i = 0; i < G_N_ELEMENTS(lengths); i++)
		ck_assert_int_eq(ip6 ? net6_send_to(fd, payload, length(i), 0,
						    FD00(2)) :
				 net_send_to(fd, payload, length(i), 0,
					     NIC_ADDRESS(1)), (int)length(i));
	sys_close((u32)fd);
}

START_TEST(test_frames_are_well_formed)
{
	static const u8 ethernet[] = {
		0x02, 0, 0, 0, 0, 0x11, 0x02, 0, 0, 0, 0, 0x10,
	};
	const struct nic_setup setup = { .kernel = cases[_i].kernel };
	u32 i;

	ip6 = cases[_i].ip6;
	build(&setup);
	nic_process(f, 0, 1, send_lengths, NULL);
	nic_run(f);
	ck_assert_uint_eq(f->host[0].sent->len, G_N_ELEMENTS(lengths));
	for (i = 0; i < G_N_ELEMENTS(lengths); i++) {
		const GByteArray *frame = nic_frame(f->host[0].sent, i);
		const GByteArray *other = nic_frame(f->host[1].received, i);

		ck_assert_uint_eq(frame->len, MAX((ip6 ? 62 : 42) + length(i),
						  60));
		ck_assert_mem_eq(frame->data, ethernet, sizeof(ethernet));
		ck_assert_uint_eq(get_be16(frame->data + 12),
				  ip6 ? 0x86dd : 0x0800);
		nic_verify_frame(frame);
		ck_assert_uint_eq(other->len, frame->len);
		ck_assert_mem_eq(other->data, frame->data, frame->len);
	}
	ck_assert_uint_eq(COUNTER(0, tx_packets), G_N_ELEMENTS(lengths));
	ck_assert_uint_eq(COUNTER(1, rx_packets), G_N_ELEMENTS(lengths));
	ck_assert_uint_eq(COUNTER(1, rx_csum_errors), 0);
}
END_TEST

/* Packets of the test's own, each with its number; no socket's buffer limits
 * them. */
static u32 to_send;

static void send_raw(void *arg)
{
	struct net_device *dev = f->host[0].dev;
	u32 i;

	(void)arg;
	for (i = 0; i < to_send; i++) {
		struct sk_buff *skb = alloc_skb(1000, GFP_ATOMIC);
		u32 at = skb_put(skb, 1000);
		u8 *bytes = skb_bytes(skb, at);

		memset(bytes, 0, 1000);
		memcpy(bytes, "\x02\0\0\0\0\x11\x02\0\0\0\0\x10\x88\xb5", 14);
		put_be16(bytes + 14, (u16)i);
		skb->network_header = at + 14;
		skb->dev = dev;
		ck_assert_int_eq(dev_queue_xmit(skb), NET_XMIT_SUCCESS);
	}
}

static void small_rings(struct nic_config *config, u32 host)
{
	config->queues = 1;
	config->ring_size = host ? 512 : 16;
	config->rx_usecs = 5;
}

/* A slow wire: the ring fills up, the queue is stopped, the rest waits in the
 * queue discipline, and all go in order. */
START_TEST(test_a_full_ring_stops_the_queue)
{
	const struct nic_setup setup = {
		.kernel = cases[_i].kernel, .rate_mbit = 100,
		.configure = small_rings, .check = true,
	};
	struct netdev_queue *txq;
	u32 i;

	build(&setup);
	to_send = 200;
	nic_process(f, 0, 1, send_raw, NULL);
	nic_run(f);
	ck_assert_uint_eq(f->host[0].sent->len, to_send);
	for (i = 0; i < to_send; i++)
		ck_assert_uint_eq(get_be16(nic_frame(f->host[0].sent, i)->data +
					   14), i);
	ck_assert_uint_gt(COUNTER(0, tx_stopped), 5);
	ck_assert_uint_eq(COUNTER(0, tx_busy), 0);
	txq = f->host[0].dev->_tx[0];
	ck_assert(!(txq->state & QUEUE_STATE_XOFF));
	ck_assert_uint_eq(txq->qdisc->q.qlen, 0);
	ck_assert_uint_eq(txq->qdisc->bstats.packets, to_send);
}
END_TEST

/* ---- what comes in ---- */

/* Frames of IPv4 and UDP straight to the link, as from another device. */
static void make_frame(u8 *frame, u16 number, u16 sport)
{
	u8 *ip = frame + 14;
	u32 sum;

	memset(frame, 0, 60);
	memcpy(frame, "\x02\0\0\0\0\x11\x02\0\0\0\0\x10\x08\0", 14);
	ip[0] = 0x45;
	put_be16(ip + 2, 30);
	ip[8] = 64;
	ip[9] = 17;
	put_be32(ip + 12, NIC_ADDRESS(0));
	put_be32(ip + 16, NIC_ADDRESS(1));
	put_be16(ip + 10, csum_fold(csum_partial(ip, 20, 0)));
	put_be16(ip + 20, sport);
	put_be16(ip + 22, 9);
	put_be16(ip + 24, 10);
	put_be16(ip + 28, number);
	sum = csum_tcpudp_nofold(NIC_ADDRESS(0), NIC_ADDRESS(1), 10, 17, 0);
	put_be16(ip + 26, csum_fold(csum_partial(ip + 20, 10, sum)));
}

static void burst(u32 n, ps_t apart)
{
	u8 frame[60];
	u32 i;

	for (i = 0; i < n; i++) {
		make_frame(frame, (u16)i, 1000);
		nic_verify_frame(&(GByteArray){ .data = frame, .len = 60 });
		link_send(&f->link->ends[0], frame, 60, (i + 1) * apart);
	}
}

static void late_interrupts(struct nic_config *config, u32 host)
{
	config->queues = 1;
	config->ring_size = host ? 8 : 512;
	config->rx_usecs = 100;
	/* The device takes longer than the burst lasts. */
	config->dma_write_ps = 20 * PS_PER_US;
}

START_TEST(test_ring_overflow_is_counted)
{
	const struct nic_setup setup = { .configure = late_interrupts };

	build(&setup);
	burst(20, 0);
	nic_run(f);
	ck_assert_uint_eq(f->host[1].received->len, 20);
	ck_assert_uint_eq(COUNTER(1, rx_packets), 7);
	ck_assert_uint_eq(COUNTER(1, rx_missed_errors), 13);
}
END_TEST

/* The ring is filled again: later bursts find room. */
START_TEST(test_ring_is_refilled)
{
	const struct nic_setup setup = { .configure = late_interrupts };

	build(&setup);
	burst(100, 200 * PS_PER_US);
	nic_run(f);
	ck_assert_uint_eq(COUNTER(1, rx_packets), 100);
	ck_assert_uint_eq(COUNTER(1, rx_missed_errors), 0);
}
END_TEST

static u32 usecs;

static void moderated(struct nic_config *config, u32 host)
{
	(void)host;
	config->queues = 1;
	config->rx_usecs = usecs;
}

/* 100 frames, 10 us apart: a host that is never busy for long. */
START_TEST(test_moderation)
{
	static const u32 wait[] = { 0, 20, 50 };
	const struct nic_setup setup = { .configure = moderated };
	u64 interrupts;

	usecs = wait[_i];
	build(&setup);
	burst(100, 10 * PS_PER_US);
	nic_run(f);
	interrupts = COUNTER(1, interrupts);
	ck_assert_uint_eq(COUNTER(1, rx_packets), 100);
	if (!usecs) {
		ck_assert_uint_ge(interrupts, 90);
		return;
	}
	ck_assert_uint_le(interrupts, 1000 / usecs + 2);
	ck_assert_uint_ge(interrupts, 1000 / (usecs + 10));
}
END_TEST

/* ---- from socket to socket ---- */

static struct sock *server_sk;

static void server(void *arg)
{
	const struct sockaddr_any any = {
		.family = ip6 ? PF_INET6 : PF_INET, .port = NET_PORT,
	};
	int fd = ip6 ? net6_socket() : net_socket();

	(void)arg;
	ck_assert_int_eq(sys_bind(fd, &any, SOCKADDR_IN6_SIZE), 0);
	server_sk = net_sk(fd);
	context_block();
}

/* Once the server is ready. */
static void client(void *arg)
{
	u32 i;

	for (i = 0; i < 2000; i++)
		sys_getppid();
	send_lengths(arg);
}

START_TEST(test_datagrams_reach_their_socket)
{
	const struct nic_setup setup = {
		.kernel = cases[_i].kernel, .check = true,
	};

	ip6 = cases[_i].ip6;
	build(&setup);
	nic_process(f, 0, 1, client, NULL);
	nic_process(f, 1, 1, server, NULL);
	nic_run(f);
	ck_assert_uint_eq(server_sk->sk_receive_queue.qlen,
			  G_N_ELEMENTS(lengths));
}
END_TEST

/* ---- receive hashing ---- */

/* From "Verifying the RSS hash calculation" of Windows' driver documentation:
 * source, destination, their ports, and the hashes with and without those. */
START_TEST(test_published_hashes)
{
	static const struct {
		u32 saddr, daddr;
		u16 sport, dport;
		u32 with, without;
	} known[] = {
		{ IP(66, 9, 149, 187), IP(161, 142, 100, 80), 2794, 1766,
		  0x51ccc178, 0x323e8fc2 },
		{ IP(199, 92, 111, 2), IP(65, 69, 140, 83), 14230, 4739,
		  0xc626b0ea, 0xd718262a },
		{ IP(24, 19, 198, 95), IP(12, 22, 207, 184), 12898, 38024,
		  0x5c2b394a, 0xd2d0a5de },
	};
	u8 frame[60];
	u32 i;

	for (i = 0; i < G_N_ELEMENTS(known); i++) {
		make_frame(frame, 0, known[i].sport);
		put_be32(frame + 26, known[i].saddr);
		put_be32(frame + 30, known[i].daddr);
		put_be16(frame + 36, known[i].dport);
		ck_assert_uint_eq(nic_rss_hash(frame, 60, true),
				  known[i].with);
		ck_assert_uint_eq(nic_rss_hash(frame, 60, false),
				  known[i].without);
		frame[20] = 0x20;	/* the first fragment: more follow */
		ck_assert_uint_eq(nic_rss_hash(frame, 60, true),
				  known[i].without);
	}
}
END_TEST

static void four_queues(struct nic_config *config, u32 host)
{
	(void)host;
	config->queues = 4;
}

/* Each flow has one queue, whose interrupt goes to its own CPU. */
START_TEST(test_flows_spread)
{
	const struct nic_setup setup = { .configure = four_queues };
	u8 frame[60];
	u32 i, cpu;

	build(&setup);
	for (i = 0; i < 256; i++) {
		make_frame(frame, (u16)i, (u16)(1000 + i));
		link_send(&f->link->ends[0], frame, 60, 0);
	}
	nic_run(f);
	ck_assert_uint_eq(COUNTER(1, rx_packets), 256);
	for (cpu = 0; cpu < 4; cpu++)
		ck_assert_uint_gt(f->host[1].machine->cpus[cpu].clock, 0);
}
END_TEST

/* A bad sum is seen by the device and told to nobody but the counter. */
START_TEST(test_a_bad_sum_is_counted)
{
	const struct nic_setup setup = { .configure = four_queues };
	u8 frame[60];

	build(&setup);
	make_frame(frame, 0, 1000);
	frame[43] ^= 1;
	link_send(&f->link->ends[0], frame, 60, 0);
	frame[43] ^= 1;
	frame[24] ^= 1;		/* of the IPv4 header */
	link_send(&f->link->ends[0], frame, 60, 0);
	nic_run(f);
	ck_assert_uint_eq(COUNTER(1, rx_csum_errors), 2);
	ck_assert_uint_eq(COUNTER(1, rx_packets), 2);
}
END_TEST

/* ---- direct cache access ---- */

static bool dca;

static void with_dca(struct nic_config *config, u32 host)
{
	(void)host;
	config->queues = 1;
	config->dca = dca;
}

/* Loads of descriptors that found them in memory. */
static u64 from_memory(void)
{
	const struct account *account = &f->host[1].machine->account;
	u64 sum = 0;
	u32 i;

	for (i = 0; i < num_access_sites(); i++)
		if (g_str_equal(__start_access_sites[i].type, "nic_descs"))
			sum += account->sites[i].level[LEVEL_LOCAL_DRAM];
	return sum;
}

/* So that no answer goes out, whose descriptors would be new to the CPU. */
static void take_all(void *arg)
{
	const struct sockaddr_any any = { .family = PF_INET, .port = 9 };

	(void)arg;
	ck_assert_int_eq(sys_bind(net_socket(), &any, SOCKADDR_IN_SIZE), 0);
	context_block();
}

START_TEST(test_direct_cache_access)
{
	const struct nic_setup setup = { .configure = with_dca };

	dca = _i;
	build(&setup);
	nic_process(f, 1, 1, take_all, NULL);
	burst(100, 100 * PS_PER_US);
	nic_run(f);
	ck_assert_uint_eq(COUNTER(1, rx_packets), 100);
	if (dca)
		ck_assert_uint_eq(from_memory(), 0);
	else
		ck_assert_uint_ge(from_memory(), 100);
}
END_TEST

Suite *suite_nic(void)
{
	Suite *suite = suite_create("nic");
	TCase *tc = tcase_create("nic");
	int n = G_N_ELEMENTS(cases);

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_loop_test(tc, test_frames_are_well_formed, 0, n);
	tcase_add_loop_test(tc, test_a_full_ring_stops_the_queue, 0, n);
	tcase_add_test(tc, test_ring_overflow_is_counted);
	tcase_add_test(tc, test_ring_is_refilled);
	tcase_add_loop_test(tc, test_moderation, 0, 3);
	tcase_add_loop_test(tc, test_datagrams_reach_their_socket, 0, n);
	tcase_add_test(tc, test_published_hashes);
	tcase_add_test(tc, test_flows_spread);
	tcase_add_test(tc, test_a_bad_sum_is_counted);
	tcase_add_loop_test(tc, test_direct_cache_access, 0, 2);
	suite_add_tcase(suite, tc);
	return suite;
}
