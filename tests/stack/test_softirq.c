/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ksoftirqd beside a task: more packets come than their CPU can take in, and
 * the reader of their socket, on that CPU, is to have its share of it.
 */
#include <string.h>

#include "nic_support.h"
#include "stack/include/linux/entry.h"
#include "stack/lib/checksum.h"

static const char *const kernels[] = {
	"linux-3.6", "linux-3.12", "linux-3.15", "linux-4.6", "linux-6.1",
};
#define KERNELS ((int)G_N_ELEMENTS(kernels))

#define FRAME 60u
#define BATCH 40u		/* frames, every 40 us */
#define BATCH_PS (BATCH * PS_PER_US)
#define BEGIN (20 * PS_PER_MS)
#define END (120 * PS_PER_MS)

static struct nic_fixture *f;

static struct {
	u32 sent, got, got_before;
	bool leaves;		/* softirqs to ksoftirqd, once it is to run */
	ps_t ran;		/* what the reader had of the flood's time */
	ps_t ended;
} test;

static void make_frame(u8 *frame)
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
	put_be16(ip + 20, 1000);
	put_be16(ip + 22, NET_PORT);
	put_be16(ip + 24, 10);
}

static void flood(void *arg, ps_t now)
{
	u8 frame[FRAME];
	u32 i;

	make_frame(frame);
	for (i = 0; i < BATCH; i++)
		link_send(&f->link->ends[0], frame, FRAME, now);
	test.sent += BATCH;
	if (now + BATCH_PS < END)
		machine_at(f->host[0].machine, now + BATCH_PS, EVENT_DEVICE, 0,
			   0, flood, arg);
}

static void one_queue(struct nic_config *config, u32 host)
{
	(void)host;
	config->queues = 1;
}

/* Never sleeps: a microsecond of its own, then a look at the socket. */
static void read_until(u32 fd, ps_t until)
{
	while (this_cpu->clock < until) {
		WORK(1000);
		if (sys_recvfrom(fd, NULL, 2, MSG_DONTWAIT, NULL) == 2)
			test.got++;
	}
}

static void reader(void *arg)
{
	const struct sockaddr_any any = { .family = PF_INET, .port = NET_PORT };
	struct context *self = this_cpu->current;
	int fd = net_socket();
	ps_t before;

	(void)arg;
	test.leaves = has(KSOFTIRQD_RUNNING);
	context_pin(self, this_cpu);
	ck_assert_int_eq(sys_bind(fd, &any, SOCKADDR_IN6_SIZE), 0);
	read_until((u32)fd, BEGIN);
	before = context_ran(self);
	test.got_before = test.got;
	read_until((u32)fd, END);
	test.ran = context_ran(self) - before;
	test.ended = this_cpu->clock;
	sys_close((u32)fd);
}

static void build(const char *kernel)
{
	const struct nic_setup setup = {
		.kernel = kernel, .configure = one_queue, .cores = 1,
	};

	memset(&test, 0, sizeof(test));
	f = nic_fixture_new(&setup);
	nic_make_friends(f);
	machine_at(f->host[0].machine, 10 * PS_PER_MS, EVENT_DEVICE, 0, 0,
		   flood, NULL);
	nic_process(f, 1, 0, reader, NULL);
	nic_run_ticking(f);
}

static void teardown(void)
{
	g_clear_pointer(&f, nic_fixture_free);
}

/* Of 100 ms the reader has half, give or take two slices, while the device drops
 * what ksoftirqd cannot take.  Up to 4.8 most of that half goes to softirqs, as
 * interrupts and ends of system calls run them on top of the reader. */
START_TEST(test_fair_share)
{
	const ps_t whole = END - BEGIN, slack = 2 * 8 * PS_PER_MS;

	build(kernels[_i]);
	ck_assert_uint_gt(test.ran, whole / 2 - slack);
	ck_assert_uint_lt(test.ran, whole / 2 + slack);
	ck_assert_uint_gt(test.got - test.got_before, test.leaves ? 1000 : 4);
	ck_assert_uint_lt(test.ended, END + slack);
	ck_assert_uint_gt(nic_counters(f->host[1].dev)->rx_missed_errors,
			  test.sent / 4);
}
END_TEST

Suite *suite_softirq(void)
{
	Suite *suite = suite_create("softirq");
	TCase *tcase = tcase_create("softirq");

	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_fair_share, 0, KERNELS);
	suite_add_tcase(suite, tcase);
	return suite;
}
