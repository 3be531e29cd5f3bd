/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flow labels of UDP over IPv6: those that a program gives, their leases, and
 * those that the kernel makes of a hash. */
#include <errno.h>

#include "net6_support.h"

static u32 first_word(const GByteArray *packet)
{
	const u8 *b = packet->data + ETH_HLEN;

	return (u32)b[0] << 24 | (u32)b[1] << 16 | (u32)b[2] << 8 | b[3];
}

static int send_labelled(int fd, u32 flowinfo)
{
	struct sockaddr_any to = net6_name(NET6_PEER);

	to.flowinfo = flowinfo;
	return sys_sendto(fd, (const u8 *)"x", 1, 0, &to, SOCKADDR_IN6_SIZE);
}

static void send_with_labels(void *arg)
{
	int fd = net6_socket();

	(void)arg;
	net6_no_auto_labels(fd);
	net6_sk(fd)->inet6.tclass = 0x10;
	/* Without IPV6_FLOWINFO_SEND it is not looked at. */
	ck_assert_int_eq(send_labelled(fd, 0x12345), 1);
	net6_sk(fd)->inet6.sndflow = 1;
	ck_assert_int_eq(ipv6_flowlabel_get(net_sk(fd), 0x12345,
					    IPV6_FL_S_ANY), 0);
	ck_assert_int_eq(send_labelled(fd, 0x12345), 1);
	ck_assert_int_eq(send_labelled(fd, 0x0c312345), 1);
	ck_assert_int_eq(send_labelled(fd, 0x0c300000), 1);
	sys_close(fd);
}

/* Of a class that is given with the label, 3.6 makes one with the socket's, and
 * 6.1 leaves it out. */
START_TEST(test_given_labels)
{
	static const u32 words[NET6_KERNELS][4] = {
		{ 0x61000000, 0x61012345, 0x6d312345, 0x6d300000 },
		{ 0x61000000, 0x61012345, 0x61012345, 0x61000000 },
	};
	struct net_setup setup = { .kernel = net6_kernels[_i], .check = true };
	struct net_fixture *net = net6_new(&setup);
	u32 i;

	net_run_one(net, send_with_labels, NULL);
	for (i = 0; i < 4; i++)
		ck_assert_uint_eq(first_word(net_packet(net, i)),
				  words[_i][i]);
	net_verify_clean(net);
	net_free(net);
}
END_TEST

/* 3.6 wants a lease for each label; 6.1 only where there is an exclusive one
 * in the namespace. */
static void send_without_lease(void *arg)
{
	const struct net_fixture *net = arg;
	int fd = net6_socket(), owner = net6_socket();
	bool old = !kernel_has(net->kernel, FLOWLABEL_FREE);

	net6_sk(fd)->inet6.sndflow = 1;
	net6_sk(owner)->inet6.sndflow = 1;
	ck_assert_int_eq(send_labelled(fd, 0x12345), old ? -EINVAL : 1);
	ck_assert_int_eq(ipv6_flowlabel_get(net_sk(owner), 0x12345,
					    IPV6_FL_S_EXCL), 0);
	ck_assert_int_eq(send_labelled(fd, 0x12345), -EINVAL);
	ck_assert_int_eq(send_labelled(owner, 0x12345), 1);
	ck_assert_int_eq(send_labelled(owner, 0x12346), -EINVAL);
	sys_close(owner);
	sys_close(fd);
}

START_TEST(test_leases)
{
	struct net_setup setup = { .kernel = net6_kernels[_i], .check = true };
	struct net_fixture *net = net6_new(&setup);

	net_run_one(net, send_without_lease, net);
	net_verify_clean(net);
	net_free(net);
}
END_TEST

static void send_unlabelled(void *arg)
{
	u32 *hashes = arg, i;

	for (i = 0; i < 2; i++) {
		int fd = net6_socket();

		net6_send_n(fd, 2, 0);
		sys_close(fd);
	}
	for (i = 0; i < 2; i++) {
		int fd = net6_socket_to(NET6_PEER);

		hashes[i] = net_sk(fd)->sk_txhash;
		ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
		sys_close(fd);
	}
}

/* From the flow, and for connected sockets from what connect() has drawn. */
START_TEST(test_automatic_labels)
{
	struct net_setup setup = { .kernel = "linux-6.1" };
	struct net_fixture *net = net6_new(&setup);
	u32 hashes[2], labels[6], want, i;

	net_run_one(net, send_unlabelled, hashes);
	for (i = 0; i < 6; i++) {
		const GByteArray *packet = net_packet(net, i);

		labels[i] = first_word(packet) & 0xfffff;
		want = i < 4 ?
		       net6_label_of_flow(net, packet->data + ETH_HLEN) :
		       net6_label_of_hash(hashes[i - 4]);
		ck_assert_uint_eq(labels[i], want);
		ck_assert_uint_ne(labels[i], 0);
	}
	/* One flow, one label; another port, another. */
	ck_assert_uint_eq(labels[0], labels[1]);
	ck_assert_uint_ne(labels[0], labels[2]);
	ck_assert_uint_ne(hashes[0], hashes[1]);
	net_free(net);
}
END_TEST

static void send_in_modes(void *arg)
{
	struct net_fixture *net = arg;
	struct netns_ipv6 *ipv6 = &net->kernel->init_net->ipv6;
	int fd = net6_socket();
	u32 mode, want;

	for (mode = 0; mode < 4; mode++)
		for (want = 0; want < 3; want++) {
			ipv6->sysctl.auto_flowlabels = (u8)mode;
			net6_sk(fd)->inet6.autoflowlabel_set = want > 0;
			net6_sk(fd)->inet6.autoflowlabel = want > 1;
			net6_send_n(fd, 1, 0);
		}
	ipv6->sysctl.auto_flowlabels = 1;
	ipv6->sysctl.flowlabel_state_ranges = 1;
	net6_sk(fd)->inet6.autoflowlabel_set = 0;
	net6_send_n(fd, 1, 0);
	sys_close(fd);
}

/* Off, unless the socket does not want it, if it does, always; the socket has
 * said nothing, no, yes. */
START_TEST(test_label_modes)
{
	static const bool labelled[4][3] = {
		{ false, false, false }, { true, false, true },
		{ false, false, true }, { true, true, true },
	};
	struct net_setup setup = { .kernel = "linux-6.1" };
	struct net_fixture *net = net6_new(&setup);
	u32 i;

	net_run_one(net, send_in_modes, net);
	for (i = 0; i < 12; i++)
		ck_assert_int_eq((first_word(net_packet(net, i)) & 0xfffff) > 0,
				 labelled[i / 3][i % 3]);
	/* Labels that nobody keeps state of have their own half. */
	ck_assert_uint_eq(first_word(net_packet(net, 12)) & 0x80000, 0x80000);
	net_free(net);
}
END_TEST

/* ---- suite ---- */

Suite *suite_udp6_labels(void)
{
	Suite *suite = suite_create("udp6_labels");
	TCase *labels = tcase_create("labels");

	tcase_add_loop_test(labels, test_given_labels, 0, NET6_KERNELS);
	tcase_add_loop_test(labels, test_leases, 0, NET6_KERNELS);
	tcase_add_test(labels, test_automatic_labels);
	tcase_add_test(labels, test_label_modes);
	suite_add_tcase(suite, labels);
	return suite;
}
