/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ICMP errors between two hosts: of a neighbour that does not answer, of a port
 * where nobody listens, at which rate, and who hears of them; on each kernel
 * and in each family.
 */
#include <errno.h>

#include "net6_support.h"
#include "nic_support.h"
#include "stack/include/net/icmp.h"
#include "stack/lib/checksum.h"

#define CASES 12			/* kernels, families */
#define BURST 6u		/* that a silent peer may have at once */

static const char *const kernels[] = {
	"linux-3.4", "linux-3.6", "linux-3.12", "linux-3.15", "linux-4.6",
	"linux-6.1",
};

static struct nic_fixture *f;
static bool ip6;
static int got[8];

static void build(int i)
{
	const struct nic_setup setup = {
		.kernel = kernels[i / 2], .cores = 2, .strangers = true,
		.check = true,
	};

	f = nic_fixture_new(&setup);
	ip6 = i % 2;
}

static void teardown(void)
{
	g_clear_pointer(&f, nic_fixture_free);
}

static u64 icmp(u32 host, u32 index4, u32 index6)
{
	const struct kernel *kernel = f->host[host].kernel;

	return ip6 ? snmp_icmp6(kernel, index6) : snmp_icmp(kernel, index4);
}

#define ICMP(host, name) icmp(host, ICMP_MIB_##name, ICMP6_MIB_##name)

/* Of errors alone, not of solicitations. */
static u32 count_errors(const GPtrArray *frames)
{
	u32 i, count = 0;

	for (i = 0; i < frames->len; i++) {
		const u8 *eth = nic_frame(frames, i)->data, *ip = eth + 14;

		if (get_be16(eth + 12) == (ip6 ? 0x86dd : 0x0800))
			count += ip6 ? ip[6] == 58 && ip[40] == 1 :
				       ip[9] == 1 && ip[20] == 3;
	}
	return count;
}

static int open_client(bool connected, bool asks, u8 peer)
{
	int fd = sys_socket(ip6 ? PF_INET6 : PF_INET, SOCK_DGRAM, 0);

	ck_assert_int_ge(fd, 0);
	if (connected)
		ck_assert_int_eq(ip6 ? net6_connect(fd, FD00(peer)) :
				 net_connect(fd, NIC_ADDRESS(0) - 1 + peer,
					     NET_PORT), 0);
	if (ip6)
		net6_sk(fd)->inet6.recverr = asks;
	else
		net_inet(fd)->recverr = asks;
	return fd;
}

static int send_one(int fd, u8 peer)
{
	return ip6 ? net6_send_to(fd, "x", 1, 0, FD00(peer)) :
		     net_send_to(fd, "x", 1, 0, NIC_ADDRESS(0) - 1 + peer);
}

/* ---- a neighbour that does not answer ---- */

/* Sockets that have asked for errors, or are connected, or both. */
static void send_in_vain(void *arg)
{
	int fds[4], i;

	(void)arg;
	for (i = 0; i < 4; i++) {
		fds[i] = open_client(i & 1, i & 2, 9);
		ck_assert_int_eq(send_one(fds[i], 9), 1);
	}
	nic_sleep(2500 * PS_PER_MS);	/* still one to be asked */
	for (i = 0; i < 4; i++)
		ck_assert_uint_eq(net_sk(fds[i])->sk_err, 0);
	nic_sleep(1500 * PS_PER_MS);
	for (i = 0; i < 4; i++)
		got[i] = send_one(fds[i], 9);
	for (i = 0; i < 4; i++) {
		got[4 + i] = send_one(fds[i], 9);
		sys_close((u32)fds[i]);
	}
}

/* Such an error may pass, so that only who has asked for errors hears. */
START_TEST(test_no_neighbour)
{
	u32 i, asked = 0;

	build(_i);
	nic_process(f, 0, 1, send_in_vain, NULL);
	nic_run_ticking(f);
	for (i = 0; i < 4; i++) {
		ck_assert_int_eq(got[i], i & 2 ? -EHOSTUNREACH : 1);
		ck_assert_int_eq(got[4 + i], 1);	/* it is told once */
	}
	for (i = 0; i < f->host[0].sent->len; i++)
		asked += nic_frame(f->host[0].sent, i)->data[0] & 1;
	/* Three questions in vain, and one since. */
	ck_assert_uint_eq(asked, 4);
	ck_assert_uint_eq(f->host[0].sent->len, asked);
	/* One error a datagram, over the loopback device. */
	ck_assert_uint_eq(ICMP(0, OUTMSGS), ip6 ? 4 + asked : 4);
	ck_assert_uint_eq(ICMP(0, INMSGS), 4);
	ck_assert_uint_eq(ICMP(0, INERRORS), 0);
	ck_assert_uint_eq(ICMP(0, OUTERRORS), 0);
}
END_TEST

/* ---- the message itself ---- */

/* Every byte of the first one, but for the identification and the sums, which
 * a capture's reader would verify. */
static void verify_message(const u8 *ip, const u8 *sent)
{
	u32 header = ip6 ? 40 : 20, len = header + 9, sum;
	const u8 *icmp = ip + header;

	ck_assert_uint_eq(ip6 ? get_be16(ip + 4) : get_be16(ip + 2),
			  8 + len + (ip6 ? 0 : header));
	ck_assert_uint_eq(icmp[0], ip6 ? 1 : 3);
	ck_assert_uint_eq(icmp[1], ip6 ? 4 : 3);
	ck_assert_uint_eq(get_be32(icmp + 4), 0);
	ck_assert_mem_eq(icmp + 8, sent, len);
	sum = csum_partial(icmp, 8 + len, 0);
	if (ip6) {
		ck_assert_uint_eq(csum_ipv6_magic(ip + 8, ip + 24, 8 + len, 58,
						  sum), 0);
		ck_assert_mem_eq(ip + 8, sent + 24, 16);
		ck_assert_mem_eq(ip + 24, sent + 8, 16);
		return;
	}
	ck_assert_uint_eq(csum_fold(sum), 0);
	ck_assert_uint_eq(csum_fold(csum_partial(ip, 20, 0)), 0);
	ck_assert_uint_eq(get_be16(ip + 6), 0);
	ck_assert_mem_eq(ip + 12, sent + 16, 4);
	ck_assert_mem_eq(ip + 16, sent + 12, 4);
}

static const u8 *first_of(const GPtrArray *frames, u8 protocol)
{
	u32 i;

	for (i = 0; i < frames->len; i++) {
		const u8 *eth = nic_frame(frames, i)->data, *ip = eth + 14;

		if (get_be16(eth + 12) == (ip6 ? 0x86dd : 0x0800) &&
		    ip[ip6 ? 6 : 9] == protocol &&
		    (protocol != 58 || ip[40] < 128))
			return ip;
	}
	ck_abort_msg("no such frame");
}

/* ---- a port where nobody listens ---- */

static u64 no_ports(u32 host)
{
	const struct kernel *kernel = f->host[host].kernel;

	return ip6 ? snmp_udp6(kernel, UDP_MIB_NOPORTS) :
		     snmp_udp(kernel, UDP_MIB_NOPORTS);
}

static void knock(void *arg)
{
	int fd = open_client(true, false, 2), plain;

	(void)arg;
	ck_assert_int_eq(send_one(fd, 2), 1);
	nic_sleep(PS_PER_MS);
	got[0] = send_one(fd, 2);
	got[1] = send_one(fd, 2);
	nic_sleep(PS_PER_MS);
	sys_close((u32)fd);
	/* One that is not connected does not hear. */
	plain = open_client(false, false, 2);
	ck_assert_int_eq(send_one(plain, 2), 1);
	nic_sleep(PS_PER_MS);
	got[2] = send_one(plain, 2);
	sys_close((u32)plain);
	nic_sleep(PS_PER_MS);
}

START_TEST(test_no_port)
{
	build(_i);
	nic_process(f, 0, 1, knock, NULL);
	nic_run_ticking(f);
	ck_assert_int_eq(got[0], -ECONNREFUSED);
	ck_assert_int_eq(got[1], 1);
	ck_assert_int_eq(got[2], 1);
	ck_assert_uint_eq(no_ports(1), 4);
	ck_assert_uint_eq(count_errors(f->host[0].received), 4);
	/* The last one found nobody who had sent. */
	ck_assert_uint_eq(ICMP(0, INERRORS), 1);
	verify_message(first_of(f->host[0].received, ip6 ? 58 : 1),
		       first_of(f->host[0].sent, 17));
}
END_TEST

/* ---- the rate ---- */

static void knock_on(void *arg)
{
	int fd = open_client(false, false, 2);
	u32 i;

	(void)arg;
	for (i = 0; i < 40; i++) {
		ck_assert_int_eq(send_one(fd, 2), 1);
		nic_sleep(100 * PS_PER_US);
	}
	nic_sleep(10 * PS_PER_MS);
	got[0] = (int)count_errors(f->host[0].received);
	nic_sleep(1100 * PS_PER_MS);
	for (i = 0; i < 40; i++) {
		ck_assert_int_eq(send_one(fd, 2), 1);
		nic_sleep(100 * PS_PER_US);
	}
	nic_sleep(10 * PS_PER_MS);
	got[1] = (int)count_errors(f->host[0].received);
	sys_close((u32)fd);
}

/* Six at once, then one a second; of IPv6 from Linux 4.2 on, whose routes are
 * for the network, four. */
START_TEST(test_rate)
{
	u32 later, limited;

	build(_i);
	later = ip6 && kernel_has(f->host[1].kernel, RT6_PCPU) ? 4 : 1;
	nic_process(f, 0, 1, knock_on, NULL);
	nic_run_ticking(f);
	ck_assert_uint_eq(no_ports(1), 80);
	ck_assert_int_eq(got[0], BURST);
	ck_assert_int_eq(got[1], (int)(BURST + later));
	ck_assert_uint_eq(ICMP(1, OUTERRORS), 0);
	if (ip6 && kernel_has(f->host[1].kernel, ICMP6_RATELIMIT_STAT)) {
		limited = 80 - BURST - later;
		ck_assert_uint_eq(snmp_icmp6(f->host[1].kernel,
					     ICMP6_MIB_RATELIMITHOST),
				  limited);
	}
}
END_TEST

Suite *suite_unreach(void)
{
	Suite *suite = suite_create("unreach");
	TCase *tc = tcase_create("unreach");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_loop_test(tc, test_no_neighbour, 0, CASES);
	tcase_add_loop_test(tc, test_no_port, 0, CASES);
	tcase_add_loop_test(tc, test_rate, 0, CASES);
	suite_add_tcase(suite, tc);
	return suite;
}
