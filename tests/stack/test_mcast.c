/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups: who joins what, which sources come through, what comes back. */
#include <errno.h>

#include "net_support.h"
#include "stack/include/net/mld.h"
#include "stack/net/core/dev_addr_lists.h"

#define GROUP IP(239, 1, 1, 1)
#define SOURCES 4u
#define SOCKETS 5u
#define STEPS 400u

static const char *const kernels[] = { "linux-3.6", "linux-4.6", "linux-6.1" };

static void with_kernel(int i, void (*fn)(void *arg))
{
	const struct net_setup setup = {
		.kernel = kernels[i], .check = true,
	};
	struct net_fixture *net = net_new(&setup);

	net_run_one(net, fn, net);
	net_verify_clean(net);
	net_free(net);
}

static u32 source(u32 i)
{
	return IP(10, 2, 2, 10) + i;
}

static int group_option(int fd, int option, const struct net_fixture *net,
			u32 from)
{
	const struct group_source_req req = {
		.ifindex = net->dev->ifindex, .group = GROUP, .source = from,
	};

	return sys_setsockopt_group(fd, SOL_IP, option, &req);
}

/* ---- filters, against a reference that keeps each socket's own ---- */

struct filter {
	bool member, include;
	u32 sources;		/* a bit each */
};

static bool reference_wants(const struct filter *f, u32 i)
{
	if (!f->member)
		return false;
	return !(f->sources >> i & 1) != f->include;
}

static int reference_join(struct filter *f)
{
	if (f->member)
		return -EADDRINUSE;
	*f = (struct filter){ .member = true };
	return 0;
}

static int reference_source(struct filter *f, bool add, bool include, u32 i)
{
	bool joins = add && include;

	if (joins && !f->member)
		*f = (struct filter){ .member = true };
	if (!f->member)
		return -EINVAL;
	if (f->include != include && f->sources)
		return -EINVAL;
	f->include = include;
	if (add == (f->sources >> i & 1))
		return -EADDRNOTAVAIL;
	f->sources ^= 1u << i;
	if (!add && include && !f->sources)
		f->member = false;
	return 0;
}

static int do_step(struct net_fixture *net, int fd, struct filter *f, u32 what,
		   u32 i, int *expected)
{
	static const int options[] = {
		IP_ADD_SOURCE_MEMBERSHIP, IP_DROP_SOURCE_MEMBERSHIP,
		IP_BLOCK_SOURCE, IP_UNBLOCK_SOURCE,
	};

	if (what == 4) {
		*expected = reference_join(f);
		return group_option(fd, IP_ADD_MEMBERSHIP, net, 0);
	}
	if (what == 5) {
		*expected = f->member ? 0 : -EADDRNOTAVAIL;
		f->member = false;
		return group_option(fd, IP_DROP_MEMBERSHIP, net, 0);
	}
	*expected = reference_source(f, !(what & 1), what < 2, i);
	return group_option(fd, options[what], net, source(i));
}

static void compare(struct net_fixture *net, const int *fds,
		    const struct filter *filters)
{
	u32 i, k, ifindex = net->dev->ifindex;
	bool any, member = false;

	for (i = 0; i < SOURCES; i++) {
		any = false;
		for (k = 0; k < SOCKETS; k++) {
			bool wants = reference_wants(&filters[k], i);

			any |= wants;
			member |= filters[k].member;
			if (filters[k].member)
				ck_assert_int_eq(ip_mc_sf_allow(
					net_sk(fds[k]), GROUP, source(i),
					ifindex), wants);
		}
		ck_assert_int_eq(ip_check_mc_rcu(net->dev->ip_ptr, GROUP,
						 source(i), 17), any);
	}
	ck_assert_int_eq(ip_check_mc_rcu(net->dev->ip_ptr, GROUP, 0, 17),
			 member);
	ck_assert_int_eq(dev_mc_has(net->dev, (const u8 *)"\1\0\x5e\1\1\1"),
			 member);
}

static void merge(void *arg)
{
	struct net_fixture *net = arg;
	struct filter filters[SOCKETS] = { { false, false, 0 } };
	struct random_stream random;
	int fds[SOCKETS], expected;
	u32 i, k, what, which;

	random_seed(&random, 1, "groups", 0);
	for (k = 0; k < SOCKETS; k++)
		fds[k] = net_socket();
	for (i = 0; i < STEPS; i++) {
		k = (u32)(random_u64(&random) >> 32) % SOCKETS;
		what = (u32)(random_u64(&random) >> 32) % 6;
		which = (u32)(random_u64(&random) >> 32) % SOURCES;
		ck_assert_int_eq(do_step(net, fds[k], &filters[k], what, which,
					 &expected), expected);
		compare(net, fds, filters);
		rcu_barrier();
	}
	for (k = 0; k < SOCKETS; k++)
		sys_close(fds[k]);
	ck_assert(!ip_check_mc_rcu(net->dev->ip_ptr, GROUP, 0, 17));
}

START_TEST(filters_are_merged)
{
	with_kernel(_i, merge);
}
END_TEST

/* ---- a datagram comes back ---- */

static int member(struct net_fixture *net, u32 from)
{
	const struct sockaddr_any any = { .family = PF_INET, .port = NET_PORT };
	int fd = net_socket();

	sys_setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	ck_assert_int_eq(sys_bind(fd, &any, SOCKADDR_IN_SIZE), 0);
	ck_assert_int_eq(group_option(fd, from ? IP_ADD_SOURCE_MEMBERSHIP :
				      IP_ADD_MEMBERSHIP, net, from), 0);
	return fd;
}

static int receive(int fd)
{
	u8 byte = 0;
	int got = sys_recvfrom(fd, &byte, 1, MSG_DONTWAIT, NULL);

	return got == 1 ? byte : got;
}

static void come_back(void *arg)
{
	struct net_fixture *net = arg;
	int all = member(net, 0), ours = member(net, NET_LOCAL);
	int other = member(net, NET_PEER), fd = net_socket();
	const u8 *ip;

	ck_assert_int_eq(sys_setsockopt(fd, SOL_IP, IP_MULTICAST_IF,
					net->dev->ifindex), 0);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_IP, IP_MULTICAST_TTL, 3), 0);
	ck_assert_int_eq(net_send_to(fd, "a", 1, 0, GROUP), 1);
	ck_assert_uint_eq(net->packets->len, 1);
	ip = net_packet(net, 0)->data;
	ck_assert(!memcmp(ip, "\1\0\x5e\1\1\1", 6));
	ck_assert_uint_eq(ip[14 + 8], 3);
	ck_assert_int_eq(receive(all), 'a');
	ck_assert_int_eq(receive(ours), 'a');
	ck_assert_int_eq(receive(other), -EAGAIN);

	ck_assert_int_eq(sys_setsockopt(fd, SOL_IP, IP_MULTICAST_LOOP, 0), 0);
	ck_assert_int_eq(net_send_to(fd, "b", 1, 0, GROUP), 1);
	ck_assert_uint_eq(net->packets->len, 2);
	ck_assert_int_eq(receive(all), -EAGAIN);
	ck_assert_uint_eq(snmp_ip(net->kernel, IPSTATS_MIB_OUTMCASTPKTS), 2);
	ck_assert_uint_eq(snmp_ip(net->kernel, IPSTATS_MIB_INMCASTPKTS), 1);
	sys_close(all);
	sys_close(ours);
	sys_close(other);
	sys_close(fd);
}

START_TEST(members_hear_their_host)
{
	with_kernel(_i, come_back);
}
END_TEST

/* For this host alone: the device does not see it. */
static void stay_here(void *arg)
{
	struct net_fixture *net = arg;
	int all = member(net, 0), fd = net_socket();

	sys_setsockopt(fd, SOL_IP, IP_MULTICAST_IF, net->dev->ifindex);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_IP, IP_MULTICAST_TTL, 0), 0);
	ck_assert_int_eq(net_send_to(fd, "a", 1, 0, GROUP), 1);
	ck_assert_uint_eq(net->packets->len, 0);
	ck_assert_int_eq(receive(all), 'a');
	ck_assert_int_eq(group_option(all, IP_DROP_MEMBERSHIP, net, 0), 0);
	ck_assert_int_eq(net_send_to(fd, "a", 1, 0, GROUP), 1);
	ck_assert_int_eq(receive(all), -EAGAIN);
	sys_close(all);
	sys_close(fd);
}

START_TEST(ttl_0_stays_here)
{
	with_kernel(_i, stay_here);
}
END_TEST

Suite *suite_mcast(void)
{
	Suite *s = suite_create("mcast");
	TCase *tc = tcase_create("ipv4");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, filters_are_merged, 0, ARRAY_SIZE(kernels));
	tcase_add_loop_test(tc, members_hear_their_host, 0,
			    ARRAY_SIZE(kernels));
	tcase_add_loop_test(tc, ttl_0_stays_here, 0, ARRAY_SIZE(kernels));
	suite_add_tcase(s, tc);
	return s;
}
