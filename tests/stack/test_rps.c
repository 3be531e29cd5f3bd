/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Receive packet steering: flows keep their CPU, work leaves the interrupt's
 * CPU, and nothing is lost that is not counted. */
#include <string.h>

#include "nic_support.h"
#include "stack/include/linux/entry.h"
#include "stack/lib/checksum.h"

static const char *const kernels[] = {
	"linux-3.6", "linux-3.12", "linux-3.15", "linux-4.6", "linux-6.1",
};
#define KERNELS ((int)G_N_ELEMENTS(kernels))
#define FRAME 60u
#define FLOWS 16u
#define FRAMES 160u

static struct nic_fixture *f;

static void one_queue(struct nic_config *config, u32 host)
{
	(void)host;
	config->queues = 1;
}

static void make_frame(u8 *frame, u16 sport)
{
	u8 *ip = frame + 14;

	memset(frame, 0, FRAME);
	memcpy(frame, "\x02\0\0\0\0\x11\x02\0\0\0\0\x10\x08\0", 14);
	ip[0] = 0x45;
	put_be16(ip + 2, 30);
	ip[8] = 64;
	ip[9] = 17;
	put_be32(ip + 12, NIC_ADDRESS(0));
	put_be32(ip + 16, NIC_ADDRESS(1));
	put_be16(ip + 10, csum_fold(csum_partial(ip, 20, 0)));
	put_be16(ip + 20, sport);
	put_be16(ip + 22, NET_PORT);
	put_be16(ip + 24, 10);
}

static u32 flows;
static u32 received;

static void reader(void *arg)
{
	const struct sockaddr_any any = { .family = PF_INET, .port = NET_PORT };
	int fd = net_socket();

	(void)arg;
	ck_assert_int_eq(sys_bind(fd, &any, SOCKADDR_IN6_SIZE), 0);
	while (this_cpu->clock < 10 * PS_PER_MS) {
		WORK(1000);
		while (sys_recvfrom(fd, NULL, 2, MSG_DONTWAIT, NULL) == 2)
			received++;
	}
	sys_close((u32)fd);
}

static const struct softnet_data *softnet(u32 cpu)
{
	return f->host[1].kernel->net_core->softnet_data[cpu];
}

/* The wire's frames: so many flows, each in turn, from 1 ms on. */
static void run(const char *kernel, bool rps, u32 most, ps_t apart)
{
	static const u32 cpus[] = { 1, 2, 3 };
	const struct nic_setup setup = {
		.kernel = kernel, .configure = one_queue, .cores = 4,
		.check = true,
	};
	u8 frame[FRAME];
	u32 i;

	f = nic_fixture_new(&setup);
	nic_make_friends(f);
	received = 0;
	if (rps)
		netif_set_rps_map(f->host[1].kernel, f->host[1].dev, 0, cpus,
				  G_N_ELEMENTS(cpus));
	if (most)
		f->host[1].kernel->net_core->netdev_max_backlog = most;
	for (i = 0; i < FRAMES; i++) {
		make_frame(frame, (u16)(1000 + i % flows));
		link_send(&f->link->ends[0], frame, FRAME,
			  PS_PER_MS + i * apart);
	}
	nic_process(f, 1, 3, reader, NULL);
	nic_run(f);
}

static u32 sum_processed(u32 first)
{
	u32 i, sum = 0;

	for (i = first; i < 4; i++)
		sum += softnet(i)->processed;
	return sum;
}

static void teardown(void)
{
	g_clear_pointer(&f, nic_fixture_free);
}

START_TEST(test_work_moves)
{
	flows = FLOWS;
	run(kernels[_i], true, 0, 20 * PS_PER_US);
	ck_assert_uint_eq(received, FRAMES);
	ck_assert_uint_eq(softnet(0)->processed, 0);
	ck_assert_uint_eq(sum_processed(1), FRAMES);
	ck_assert_uint_gt(softnet(1)->processed, 0);
	ck_assert_uint_gt(softnet(2)->processed, 0);
	ck_assert_uint_gt(softnet(1)->received_rps, 0);
	teardown();
	run(kernels[_i], false, 0, 20 * PS_PER_US);
	ck_assert_uint_eq(received, FRAMES);
	ck_assert_uint_eq(softnet(0)->processed, FRAMES);
	ck_assert_uint_eq(sum_processed(1), 0);
}
END_TEST

START_TEST(test_a_flow_keeps_its_cpu)
{
	u32 i, n = 0;

	flows = 1;
	run(kernels[_i], true, 0, 20 * PS_PER_US);
	for (i = 0; i < 4; i++)
		n += softnet(i)->processed != 0;
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(sum_processed(1), FRAMES);
}
END_TEST

START_TEST(test_drops_are_counted)
{
	u32 i, dropped = 0;

	flows = 1;
	run(kernels[_i], true, 2, 100 * PS_PER_NS);
	for (i = 0; i < 4; i++)
		dropped += softnet(i)->dropped;
	ck_assert_uint_gt(dropped, 0);
	ck_assert_uint_eq(received + dropped, FRAMES);
	ck_assert_uint_eq(f->host[1].dev->rx_dropped, dropped);
}
END_TEST

Suite *suite_rps(void)
{
	const TTest *const tests[] = {
		test_work_moves, test_a_flow_keeps_its_cpu,
		test_drops_are_counted,
	};
	Suite *suite = suite_create("rps");
	TCase *tcase = tcase_create("rps");
	size_t i;

	tcase_add_checked_fixture(tcase, NULL, teardown);
	for (i = 0; i < G_N_ELEMENTS(tests); i++)
		tcase_add_loop_test(tcase, tests[i], 0, KERNELS);
	suite_add_tcase(suite, tcase);
	return suite;
}
