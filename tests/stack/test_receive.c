/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets that are broken, or for nobody: each is counted where the kernel
 * counts it, and nowhere else; on each kernel and in each family.
 */
#include "net6_support.h"
#include "nic_support.h"
#include "stack/include/linux/fs.h"
#include "stack/include/linux/skbuff.h"
#include "stack/lib/checksum.h"

#define CASES 14			/* kernels, families */
#define PAYLOAD 20u

static const char *const kernels[] = {
	"linux-3.4", "linux-3.4-arm", "linux-3.6", "linux-3.12", "linux-3.15",
	"linux-4.6", "linux-6.1",
};

static struct nic_fixture *f;
static bool ip6;

/* ---- frames ---- */

struct frame {
	u8 bytes[200];
	u32 len;
	u32 transport;		/* of the UDP header, from the IP header on */
};

static u8 *ip_of(struct frame *frame)
{
	return frame->bytes + 14;
}

static void sum_ip(struct frame *frame)
{
	u8 *ip = ip_of(frame);

	if (ip6)
		return;
	put_be16(ip + 10, 0);
	put_be16(ip + 10, csum_fold(csum_partial(ip, (ip[0] & 15u) * 4, 0)));
}

static void sum_udp(struct frame *frame)
{
	u8 *ip = ip_of(frame), *udp = ip + frame->transport;
	u32 len = 8 + PAYLOAD, sum;

	put_be16(udp + 6, 0);
	sum = csum_partial(udp, len, 0);
	if (ip6)
		sum = csum_ipv6_magic(ip + 8, ip + 24, len, 17, sum);
	else
		sum = csum_fold(csum_tcpudp_nofold(get_be32(ip + 12),
						   get_be32(ip + 16), len, 17,
						   sum));
	put_be16(udp + 6, (u16)sum);
}

/* A good datagram to a port where nobody listens, with `room` bytes between
 * its headers. */
static void make(struct frame *frame, u32 room)
{
	const struct in6_addr from = FD00(1), to = FD00(2);
	u8 *ip = ip_of(frame);

	memset(frame, 0, sizeof(*frame));
	frame->transport = (ip6 ? 40 : 20) + room;
	frame->len = 14 + frame->transport + 8 + PAYLOAD;
	memcpy(frame->bytes, "\x02\0\0\0\0\x11\x02\0\0\0\0\x10", 12);
	put_be16(frame->bytes + 12, ip6 ? 0x86dd : 0x0800);
	if (ip6) {
		ip[0] = 0x60;
		put_be16(ip + 4, (u16)(room + 8 + PAYLOAD));
		ip[6] = 17;
		memcpy(ip + 8, &from, 16);
		memcpy(ip + 24, &to, 16);
	} else {
		ip[0] = 0x45;
		put_be16(ip + 2, (u16)(frame->len - 14));
		ip[9] = 17;
		put_be32(ip + 12, NIC_ADDRESS(0));
		put_be32(ip + 16, NIC_ADDRESS(1));
	}
	ip[ip6 ? 7 : 8] = 64;
	put_be16(ip + frame->transport, 1000);
	put_be16(ip + frame->transport + 2, NET_PORT);
	put_be16(ip + frame->transport + 4, 8 + PAYLOAD);
	sum_udp(frame);
	sum_ip(frame);
}

/* ---- what is wrong with them ---- */

enum where { INET, UDP, DEVICE };

struct fault {
	const char *name;
	enum where where;
	u32 index;		/* of the counter */
	u32 room;
	/* Byte `at` of the IP packet becomes `value`; what the IP header's sum
	 * is made for again, unless that is wrong itself. */
	u32 at;
	u8 value;
	bool keep_sum;
	u32 cut;		/* so many bytes are missing at the end */
	const u8 *headers;	/* what lies in the room */
};

static const u8 padded[8] = { 17, 0, 1, 4 };
static const u8 two_pads[8] = { 17, 0, 0, 0, 1, 2 };
static const u8 unknown_skip[8] = { 17, 0, 0x1e, 4 };
static const u8 unknown_drop[8] = { 17, 0, 0x5e, 4 };
static const u8 overlong[8] = { 17, 0, 1, 9 };
static const u8 past_end[8] = { 17, 200, 1, 4 };
static const u8 options_twice[16] = { 60, 0, 1, 4, [8] = 17, 0, 1, 4 };
static const u8 hop_second[16] = { 0, 0, 1, 4, [8] = 17, 0, 1, 4 };

static const struct fault faults4[] = {
	{ "none", UDP, UDP_MIB_NOPORTS, .at = 8, .value = 64 },
	{ "short", INET, IPSTATS_MIB_INHDRERRORS, .cut = 36, .keep_sum = true },
	{ "version", INET, IPSTATS_MIB_INHDRERRORS, .at = 0, .value = 0x65 },
	{ "header length", INET, IPSTATS_MIB_INHDRERRORS, .value = 0x44,
	  .keep_sum = true },
	{ "header past the end", INET, IPSTATS_MIB_INHDRERRORS, .value = 0x4f,
	  .keep_sum = true },
	{ "header sum", INET, IPSTATS_MIB_INHDRERRORS, .at = 10, .value = 1,
	  .keep_sum = true },
	{ "too long", INET, IPSTATS_MIB_INTRUNCATEDPKTS, .at = 3, .value = 200 },
	{ "cut", INET, IPSTATS_MIB_INTRUNCATEDPKTS, .at = 8, .value = 64,
	  .cut = 1 },
	{ "less than its header", INET, IPSTATS_MIB_INHDRERRORS, .at = 3,
	  .value = 19 },
	{ "fragment", INET, IPSTATS_MIB_REASMREQDS, .at = 6, .value = 0x20 },
	{ "later fragment", INET, IPSTATS_MIB_REASMREQDS, .at = 6, .value = 1 },
	{ "protocol", INET, IPSTATS_MIB_INUNKNOWNPROTOS, .at = 9, .value = 99 },
	{ "another host's", INET, IPSTATS_MIB_INADDRERRORS, .at = 19,
	  .value = 77 },
	{ "UDP length less than its header", UDP, UDP_MIB_INERRORS, .at = 25,
	  .value = 7 },
	{ "UDP length past the end", UDP, UDP_MIB_INERRORS, .at = 25,
	  .value = 100 },
	{ "UDP sum", UDP, UDP_MIB_INERRORS, .at = 30, .value = 99 },
};

static const struct fault faults6[] = {
	{ "none", UDP, UDP_MIB_NOPORTS, .at = 7, .value = 64 },
	{ "short", INET, IPSTATS_MIB_INHDRERRORS, .at = 7, .cut = 30 },
	{ "version", INET, IPSTATS_MIB_INHDRERRORS, .at = 0, .value = 0x40 },
	{ "too long", INET, IPSTATS_MIB_INTRUNCATEDPKTS, .at = 5, .value = 200 },
	{ "cut", INET, IPSTATS_MIB_INTRUNCATEDPKTS, .at = 7, .cut = 1 },
	{ "from a group", INET, IPSTATS_MIB_INHDRERRORS, .at = 8,
	  .value = 0xff },
	{ "protocol", INET, IPSTATS_MIB_INUNKNOWNPROTOS, .at = 6, .value = 99 },
	{ "fragment", INET, IPSTATS_MIB_REASMREQDS, .at = 6, .value = 44 },
	{ "no next header", INET, IPSTATS_MIB_INDELIVERS, .at = 6, .value = 59 },
	{ "another host's", INET, IPSTATS_MIB_INADDRERRORS, .at = 39,
	  .value = 77 },
	{ "UDP length less than its header", UDP, UDP_MIB_INERRORS, .at = 45,
	  .value = 7 },
	{ "UDP length past the end", UDP, UDP_MIB_INERRORS, .at = 45,
	  .value = 100 },
	{ "UDP sum", UDP, UDP_MIB_INERRORS, .at = 50, .value = 99 },
	/* Extension headers: hop-by-hop options are 0, destination's 60. */
	{ "hop-by-hop", UDP, UDP_MIB_NOPORTS, 8, 6, 0, .headers = padded },
	{ "pads", UDP, UDP_MIB_NOPORTS, 8, 6, 60, .headers = two_pads },
	{ "skipped", UDP, UDP_MIB_NOPORTS, 8, 6, 60, .headers = unknown_skip },
	{ "twice", UDP, UDP_MIB_NOPORTS, 16, 6, 60,
	  .headers = options_twice },
	{ "unknown option", INET, IPSTATS_MIB_INHDRERRORS, 8, 6, 0,
	  .headers = unknown_drop },
	{ "overlong option", INET, IPSTATS_MIB_INHDRERRORS, 8, 6, 60,
	  .headers = overlong },
	{ "header past the end", INET, IPSTATS_MIB_INHDRERRORS, 8, 6, 0,
	  .headers = past_end },
	{ "hop-by-hop second", INET, IPSTATS_MIB_INHDRERRORS, 16, 6, 60,
	  .headers = hop_second },
};

/* ---- counters ---- */

#define NUM_WATCHED 13u

/* Those that a packet's end is told by. */
static const struct {
	enum where where;
	u32 index;
} watched[NUM_WATCHED] = {
	{ INET, IPSTATS_MIB_INHDRERRORS }, { INET, IPSTATS_MIB_INADDRERRORS },
	{ INET, IPSTATS_MIB_INUNKNOWNPROTOS }, { INET, IPSTATS_MIB_INTRUNCATEDPKTS },
	{ INET, IPSTATS_MIB_INDISCARDS }, { INET, IPSTATS_MIB_REASMFAILS },
	{ INET, IPSTATS_MIB_INDELIVERS }, { UDP, UDP_MIB_NOPORTS },
	{ UDP, UDP_MIB_INERRORS }, { UDP, UDP_MIB_INDATAGRAMS },
	{ UDP, UDP_MIB_RCVBUFERRORS }, { DEVICE, 0 },
	{ INET, IPSTATS_MIB_REASMREQDS },	/* waits for the others */
};

static u64 counter(u32 i)
{
	const struct kernel *k = f->host[1].kernel;
	u32 index = watched[i].index;

	if (watched[i].where == DEVICE)
		return f->host[1].dev->rx_dropped;
	if (watched[i].where == UDP)
		return ip6 ? snmp_udp6(k, index) : snmp_udp(k, index);
	return ip6 ? snmp_ip6(k, index) : snmp_ip(k, index);
}

static u64 before[NUM_WATCHED];

static void snapshot(void)
{
	u32 i;

	for (i = 0; i < NUM_WATCHED; i++)
		before[i] = counter(i);
}

/* That which the fault says went up by one; what came to UDP was delivered. */
static void verify_fault(const struct fault *fault)
{
	u32 i;

	for (i = 0; i < NUM_WATCHED; i++) {
		bool wanted = watched[i].where == fault->where &&
			      watched[i].index == fault->index;

		if (fault->where == UDP && watched[i].where == INET &&
		    watched[i].index == IPSTATS_MIB_INDELIVERS)
			wanted = true;
		ck_assert_msg(counter(i) == before[i] + wanted,
			      "%s: counter %u is %lu more", fault->name, i,
			      (unsigned long)(counter(i) - before[i]));
	}
}

/* ---- the test ---- */

static void send_fault(const struct fault *fault)
{
	struct frame frame;

	make(&frame, fault->room);
	if (fault->headers)
		memcpy(ip_of(&frame) + frame.transport - fault->room,
		       fault->headers, fault->room);
	ip_of(&frame)[fault->at] = fault->value;
	if (!fault->keep_sum)
		sum_ip(&frame);
	link_send(&f->link->ends[0], frame.bytes, frame.len - fault->cut,
		  this_cpu->clock);
}

static void send_all(void *arg)
{
	const struct fault *faults = ip6 ? faults6 : faults4;
	u32 n = ip6 ? G_N_ELEMENTS(faults6) : G_N_ELEMENTS(faults4), i;

	(void)arg;
	for (i = 0; i < n; i++) {
		snapshot();
		send_fault(&faults[i]);
		nic_sleep(200 * PS_PER_US);
		verify_fault(&faults[i]);
	}
}

static void build(int i)
{
	const struct nic_setup setup = {
		.kernel = kernels[i / 2], .cores = 2, .strangers = true,
		.check = true, .node_mib = 32,
	};

	f = nic_fixture_new(&setup);
	nic_make_friends(f);
	ip6 = i % 2;
}

static void teardown(void)
{
	g_clear_pointer(&f, nic_fixture_free);
}

START_TEST(test_faults)
{
	build(_i);
	nic_process(f, 0, 1, send_all, NULL);
	ck_assert(world_run(f->world));
}
END_TEST

/* ---- whose source is checked ---- */

/* A source, and by mode of rp_filter where its packet ends: at UDP, whose sum
 * is wrong; as one whose way back is another; or as one that is no source. */
static const struct {
	u32 source;
	char ends[4];
} sources[] = {
	{ NIC_ADDRESS(0), "uuu" },	/* of the link */
	{ IP(10, 5, 0, 5), "uru" },	/* has a way by another device */
	{ IP(10, 9, 0, 5), "urr" },	/* has none */
	{ IP(10, 4, 0, 255), "umm" },	/* the link's broadcast address */
};

static void send_from(u32 source)
{
	struct frame frame;

	make(&frame, 0);
	put_be32(ip_of(&frame) + 12, source);
	sum_ip(&frame);
	ip_of(&frame)[frame.transport + 7] ^= 1;
	link_send(&f->link->ends[0], frame.bytes, frame.len, this_cpu->clock);
	nic_sleep(200 * PS_PER_US);
}

static void check_sources(void *arg)
{
	const struct kernel *k = f->host[1].kernel;
	const struct net_core *core = k->net_core;
	u32 *mode = &k->init_net->ipv4.devconf_all->data[IPV4_DEVCONF_RP_FILTER];
	u32 i, at_udp = 0, martian = 0, filtered = 0;

	(void)arg;
	for (*mode = 0; *mode <= 2; ++*mode) {
		/* A route that is cached was let in by the last mode. */
		k->init_net->rt_genid++;
		for (i = 0; i < G_N_ELEMENTS(sources); i++) {
			char end = sources[i].ends[*mode];

			send_from(sources[i].source);
			at_udp += end == 'u';
			filtered += end == 'r';
			martian += end != 'u';
			ck_assert_uint_eq(snmp_udp(k, UDP_MIB_INERRORS), at_udp);
			ck_assert_uint_eq(core->rp_filtered, filtered);
			ck_assert_uint_eq(core->martian_sources, martian);
		}
	}
}

START_TEST(test_rp_filter)
{
	struct kernel *k;

	build(2 * _i);
	k = f->host[1].kernel;
	ck_assert(inet_add_route(k, k->init_net->loopback_dev,
				 IP(10, 5, 0, 0), 16, 0, NULL));
	nic_process(f, 0, 1, check_sources, NULL);
	ck_assert(world_run(f->world));
}
END_TEST

/* ---- a full backlog ---- */

#define BACKLOG 4u
#define ARRIVALS 9u

static struct sk_buff *make_skb(struct net_device *dev)
{
	struct sk_buff *skb;
	struct frame frame;
	u32 at;

	make(&frame, 0);
	skb = netdev_alloc_skb(dev, frame.len);
	at = skb_put(skb, frame.len);
	memcpy(skb_bytes(skb, at), frame.bytes, frame.len);
	skb->protocol = eth_type_trans(skb, dev);
	return skb;
}

/* More come than may wait, before the softirq has a chance. */
static void overrun(void *arg)
{
	struct net_device *dev = f->host[1].dev;
	u32 i;

	(void)arg;
	this_kernel()->net_core->netdev_max_backlog = BACKLOG;
	local_bh_disable();
	for (i = 0; i < ARRIVALS; i++)
		ck_assert_int_eq(netif_rx(make_skb(dev)), i <= BACKLOG ?
				 NET_RX_SUCCESS : NET_RX_DROP);
	local_bh_enable();
}

START_TEST(test_backlog)
{
	const struct net_core *core;
	const struct kernel *k;

	build(_i);
	nic_process(f, 1, 1, overrun, NULL);
	ck_assert(world_run(f->world));
	k = f->host[1].kernel;
	core = k->net_core;
	ck_assert_uint_eq(core->softnet_data[1]->dropped,
			  ARRIVALS - BACKLOG - 1);
	ck_assert_uint_eq(f->host[1].dev->rx_dropped, ARRIVALS - BACKLOG - 1);
	ck_assert_uint_eq(ip6 ? snmp_udp6(k, UDP_MIB_NOPORTS) :
			  snmp_udp(k, UDP_MIB_NOPORTS), BACKLOG + 1);
}
END_TEST

Suite *suite_receive(void)
{
	Suite *suite = suite_create("receive");
	TCase *tc = tcase_create("receive");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_loop_test(tc, test_faults, 0, CASES);
	tcase_add_loop_test(tc, test_rp_filter, 0, CASES / 2);
	tcase_add_loop_test(tc, test_backlog, 0, CASES);
	suite_add_tcase(suite, tc);
	return suite;
}
