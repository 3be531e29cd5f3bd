/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a host says of its groups, on the wire: IGMP and MLD, version by version.
 * Each case runs over IPv4 and IPv6; igmp_support.h has the words. */
#include "igmp_support.h"
#include "net6_support.h"
#include "stack/include/net/mld.h"

static const char *const kernels[] = {
	"linux-3.6", "linux-3.12", "linux-3.15", "linux-4.6", "linux-6.1",
};

/* ---- what the host does ---- */

static int open_socket(void)
{
	int fd = sys_socket(igmp_test.ip6 ? PF_INET6 : PF_INET, SOCK_DGRAM, 0);

	ck_assert_int_ge(fd, 0);
	return fd;
}

static void option(int fd, int option4, int option6, u8 group, u8 source)
{
	const struct group_source_req req = {
		.ifindex = igmp_test.net->host[0].dev->ifindex,
		.group = igmp_group4(group), .source = IP(10, 4, 0, source),
		.group6 = igmp_group6(group), .source6 = FD00(source),
	};

	ck_assert_int_eq(sys_setsockopt_group(fd, igmp_test.ip6 ? SOL_IPV6 : SOL_IP,
					      igmp_test.ip6 ? option6 : option4, &req),
			 0);
}

static void join(int fd, u8 group)
{
	option(fd, IP_ADD_MEMBERSHIP, IPV6_JOIN_GROUP, group, 0);
}

static void leave(int fd, u8 group)
{
	option(fd, IP_DROP_MEMBERSHIP, IPV6_LEAVE_GROUP, group, 0);
}

static void join_source(int fd, u8 group, u8 source)
{
	option(fd, IP_ADD_SOURCE_MEMBERSHIP, MCAST_JOIN_SOURCE_GROUP, group,
	       source);
}

static void leave_source(int fd, u8 group, u8 source)
{
	option(fd, IP_DROP_SOURCE_MEMBERSHIP, MCAST_LEAVE_SOURCE_GROUP, group,
	       source);
}

static void block(int fd, u8 group, u8 source)
{
	option(fd, IP_BLOCK_SOURCE, MCAST_BLOCK_SOURCE, group, source);
}

static void unblock(int fd, u8 group, u8 source)
{
	option(fd, IP_UNBLOCK_SOURCE, MCAST_UNBLOCK_SOURCE, group, source);
}

static bool kernel_is(enum feature feature)
{
	return kernel_has(igmp_test.net->host[0].kernel, feature);
}

/* ---- the frame of a test ---- */

static void run(int i, void (*fn)(void *arg))
{
	const struct nic_setup setup = {
		.kernel = kernels[i % ARRAY_SIZE(kernels)], .cores = 2,
		.check = true, .node_mib = 32,
	};
	const char *const *findings;

	igmp_test.ip6 = i >= (int)ARRAY_SIZE(kernels);
	igmp_test.heard = 0;
	igmp_test.net = nic_fixture_new(&setup);
	nic_make_friends(igmp_test.net);
	nic_process(igmp_test.net, 0, 1, fn, NULL);
	nic_run_ticking(igmp_test.net);
	this_cpu = &igmp_test.net->host[0].machine->cpus[0];
	rcu_barrier();
	check_leaks(igmp_test.net->host[0].machine);
	findings = check_findings(igmp_test.net->host[0].machine->check);
	if (*findings)
		ck_abort_msg("%s: %s", setup.kernel, *findings);
}

static void teardown(void)
{
	g_clear_pointer(&igmp_test.net, nic_fixture_free);
}

#define REPORTS_TEST(name) \
	static void name(void *arg); \
	START_TEST(test_##name) \
	{ \
		run(_i, name); \
	} \
	END_TEST \
	static void name(void *arg)

/* ---- changes ---- */

REPORTS_TEST(join_and_leave)
{
	int fd = open_socket();

	(void)arg;
	igmp_expect("");
	join(fd, 1);
	igmp_expect_all("TO_EX 1; TO_EX 1");
	leave(fd, 1);
	igmp_expect_all("TO_IN 1; TO_IN 1");
	/* Several at once are in one packet, the newest first. */
	join(fd, 1);
	join(fd, 2);
	igmp_expect_all("TO_EX 2, TO_EX 1; TO_EX 2, TO_EX 1");
	sys_close((u32)fd);
	igmp_expect_all("TO_IN 1, TO_IN 2; TO_IN 1, TO_IN 2");
}

/* A second member changes nothing; the report stops at the second of leave. */
REPORTS_TEST(one_report_for_all_members)
{
	int a = open_socket(), b = open_socket();

	(void)arg;
	join(a, 1);
	igmp_expect_all("TO_EX 1; TO_EX 1");
	join(b, 1);
	leave(a, 1);
	igmp_expect_all("");
	sys_close((u32)b);
	igmp_expect_all("TO_IN 1; TO_IN 1");
	sys_close((u32)a);
}

REPORTS_TEST(repeats_as_often_as_told)
{
	int fd = open_socket();

	(void)arg;
	if (igmp_test.ip6)
		igmp_test.net->host[0].kernel->parameters.mld_qrv = 4;
	else
		igmp_test.net->host[0].kernel->parameters.igmp_qrv = 4;
	join(fd, 1);
	igmp_seconds(20);
	igmp_expect_all("TO_EX 1; TO_EX 1; TO_EX 1; TO_EX 1");
	sys_close((u32)fd);
}

/* Of Linux 3.12 and later within a second, before within ten. */
REPORTS_TEST(second_report_comes_in_time)
{
	u32 i, late = 0;
	int fd = open_socket();

	(void)arg;
	for (i = 0; i < 8; i++) {
		join(fd, 1);
		nic_sleep(1100 * PS_PER_MS);
		late += igmp_test.net->host[0].sent->len == igmp_test.heard + 1;
		igmp_expect_all("TO_EX 1; TO_EX 1");
		leave(fd, 1);
		igmp_expect_all("TO_IN 1; TO_IN 1");
	}
	if (kernel_is(MC_FAST_REPORT))
		ck_assert_uint_eq(late, 0);
	else
		ck_assert_uint_gt(late, 3);
	sys_close((u32)fd);
}

REPORTS_TEST(sources_of_an_include_filter)
{
	int fd = open_socket();

	(void)arg;
	join_source(fd, 1, 10);
	if (kernel_is(MCAST_SSM_JOIN))
		igmp_expect_all("ALLOW 1 10; ALLOW 1 10");
	else
		igmp_expect_all("ALLOW 1 10, TO_IN 1 10; ALLOW 1 10, TO_IN 1 10");
	join_source(fd, 1, 11);
	igmp_expect_all("ALLOW 1 11; ALLOW 1 11");
	leave_source(fd, 1, 10);
	igmp_expect_all("BLOCK 1 10; BLOCK 1 10");
	leave_source(fd, 1, 11);	/* and so the group */
	igmp_expect_all("BLOCK 1 11; BLOCK 1 11");
	sys_close((u32)fd);
}

REPORTS_TEST(sources_of_an_exclude_filter)
{
	int a = open_socket(), b = open_socket();

	(void)arg;
	join(a, 1);
	igmp_expect_all("TO_EX 1; TO_EX 1");
	block(a, 1, 10);
	igmp_expect_all("BLOCK 1 10; BLOCK 1 10");
	unblock(a, 1, 10);
	igmp_expect_all("ALLOW 1 10; ALLOW 1 10");
	block(a, 1, 10);
	block(a, 1, 11);
	igmp_expect_all("BLOCK 1 10 11; BLOCK 1 10 11");
	/* Another one wants to hear one of them. */
	join_source(b, 1, 10);
	igmp_expect_all(kernel_is(MCAST_SSM_JOIN) ? "ALLOW 1 10; ALLOW 1 10" :
		   "BLOCK 1 11, ALLOW 1 10; BLOCK 1 11, ALLOW 1 10");
	sys_close((u32)b);
	igmp_expect_all("BLOCK 1 10; BLOCK 1 10");
	sys_close((u32)a);
}

/* The one who excludes goes, the one who includes stays. */
REPORTS_TEST(mode_changes)
{
	int a = open_socket(), b = open_socket();

	(void)arg;
	join_source(b, 1, 10);
	igmp_seconds(23);
	igmp_test.heard = igmp_test.net->host[0].sent->len;
	join(a, 1);
	igmp_expect_all("TO_EX 1; TO_EX 1");
	leave(a, 1);
	igmp_expect_all("TO_IN 1 10; TO_IN 1 10");
	sys_close((u32)a);
	sys_close((u32)b);
}

/* ---- queries ---- */

REPORTS_TEST(queries_are_answered)
{
	int fd = open_socket();

	(void)arg;
	join(fd, 1);
	join_source(fd, 2, 10);
	join_source(fd, 2, 11);
	igmp_seconds(23);
	igmp_test.heard = igmp_test.net->host[0].sent->len;
	igmp_query(0, 10, "");
	nic_sleep(1100 * PS_PER_MS);
	igmp_expect("IS_IN 2 10 11, IS_EX 1");
	igmp_query(1, 10, "");
	nic_sleep(1100 * PS_PER_MS);
	igmp_expect("IS_EX 1");
	igmp_query(2, 10, "");
	igmp_query(3, 10, "");	/* of nobody here */
	nic_sleep(1100 * PS_PER_MS);
	igmp_expect("IS_IN 2 10 11");
	igmp_expect_all("");
	sys_close((u32)fd);
}

REPORTS_TEST(queries_of_sources)
{
	int fd = open_socket();

	(void)arg;
	join(fd, 1);
	block(fd, 1, 10);
	join_source(fd, 2, 10);
	join_source(fd, 2, 11);
	igmp_seconds(23);
	igmp_test.heard = igmp_test.net->host[0].sent->len;
	igmp_query(2, 10, "\13\14");	/* sources 11 and 12 */
	igmp_expect_all("IS_IN 2 11");
	igmp_query(2, 10, "\14");
	igmp_expect_all("");
	igmp_query(1, 10, "\12");	/* source 10, which is blocked */
	igmp_expect_all("");
	igmp_query(1, 10, "\12\13");
	igmp_expect_all("IS_EX 1 10");
	/* All of the group, and then one: the answer is of all. */
	igmp_query(2, 20, "");
	nic_sleep(PS_PER_MS);
	igmp_query(2, 20, "\13");
	igmp_expect_all("IS_IN 2 10 11");
	sys_close((u32)fd);
}

/* ---- old routers ---- */

REPORTS_TEST(old_routers_hear_old_reports)
{
	g_autofree char *thrice = NULL, *twice = NULL;
	const char *once = igmp_test.ip6 ? "v1 1" : "v2 1";
	int fd = open_socket();

	(void)arg;
	igmp_old_query(0, 100);
	nic_sleep(PS_PER_MS);
	join(fd, 1);
	twice = g_strdup_printf("%s; %s", once, once);
	thrice = g_strdup_printf("%s; %s", twice, once);
	igmp_expect_all(igmp_test.ip6 || kernel_is(IGMP_V2_QRV) ? twice : thrice);
	igmp_old_query(1, 10);
	nic_sleep(1100 * PS_PER_MS);
	igmp_expect(once);
	leave(fd, 1);
	igmp_expect_all("leave 1");
	/* It has not been heard for long: the newest version again. */
	igmp_seconds(500);
	join(fd, 1);
	igmp_expect_all("TO_EX 1; TO_EX 1");
	sys_close((u32)fd);
}

/* Who hears another one's report keeps quiet, also when it leaves. */
REPORTS_TEST(others_reports_suffice)
{
	int fd = open_socket();

	(void)arg;
	join(fd, 1);
	igmp_expect_all("TO_EX 1; TO_EX 1");
	igmp_old_query(0, 200);
	nic_sleep(PS_PER_MS);
	igmp_old_message(igmp_test.ip6 ? ICMPV6_MGM_REPORT :
					 IGMPV2_HOST_MEMBERSHIP_REPORT, 1,
		    0);
	igmp_expect_all("");
	leave(fd, 1);
	igmp_expect_all("");
	sys_close((u32)fd);
}

/* A router of IGMPv1 tells by a code of 0; it hears of no leave. */
REPORTS_TEST(version_1)
{
	int fd = open_socket();

	(void)arg;
	igmp_old_query(0, igmp_test.ip6 ? 200 : 0);
	nic_sleep(PS_PER_MS);
	join(fd, 1);
	igmp_expect_all(igmp_test.ip6 || kernel_is(IGMP_V2_QRV) ? "v1 1; v1 1" :
		   "v1 1; v1 1; v1 1");
	leave(fd, 1);
	igmp_expect_all(igmp_test.ip6 ? "leave 1" : "");
	sys_close((u32)fd);
}

REPORTS_TEST(forced_version)
{
	int fd = open_socket();

	(void)arg;
	igmp_test.net->host[0].kernel->parameters.force_mld_version = 1;
	igmp_test.net->host[0].kernel->parameters.force_igmp_version = 2;
	join(fd, 1);
	igmp_seconds(1);
	leave(fd, 1);
	igmp_seconds(1);
	ck_assert_uint_ge(igmp_test.net->host[0].sent->len, 2);
	igmp_expect_all(igmp_test.ip6 ? "v1 1; leave 1" : "v2 1; leave 1");
	sys_close((u32)fd);
}

/* ---- timers that run when their groups go ---- */

REPORTS_TEST(leave_while_timers_run)
{
	int fd = open_socket();

	(void)arg;
	join(fd, 1);
	leave(fd, 1);		/* before anything was said */
	igmp_expect_all("TO_IN 1; TO_IN 1");
	join(fd, 1);
	igmp_seconds(23);
	igmp_test.heard = igmp_test.net->host[0].sent->len;
	igmp_query(1, 100, "");
	nic_sleep(PS_PER_MS);
	leave(fd, 1);
	igmp_expect_all("TO_IN 1; TO_IN 1");
	/* Back before it was told that the group is gone. */
	join(fd, 1);
	igmp_seconds(23);
	leave(fd, 1);
	join(fd, 1);
	igmp_test.heard = igmp_test.net->host[0].sent->len;
	igmp_expect_all("TO_EX 1; TO_EX 1");
	/* And the run ends while all of it waits: no leak. */
	igmp_query(1, 100, "");
	igmp_query(0, 100, "");
	join_source(fd, 2, 10);
	nic_sleep(PS_PER_MS);
	sys_close((u32)fd);
}

static TCase *tcase(const char *name, int from)
{
	const TTest *const tests[] = {
		test_join_and_leave, test_one_report_for_all_members,
		test_repeats_as_often_as_told,
		test_second_report_comes_in_time,
		test_sources_of_an_include_filter,
		test_sources_of_an_exclude_filter, test_mode_changes,
		test_queries_are_answered, test_queries_of_sources,
		test_old_routers_hear_old_reports, test_others_reports_suffice,
		test_version_1, test_forced_version,
		test_leave_while_timers_run,
	};
	TCase *tc = tcase_create(name);
	u32 i;

	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, NULL, teardown);
	for (i = 0; i < ARRAY_SIZE(tests); i++)
		tcase_add_loop_test(tc, tests[i], from,
				    from + (int)ARRAY_SIZE(kernels));
	return tc;
}

Suite *suite_igmp(void)
{
	Suite *s = suite_create("igmp");

	suite_add_tcase(s, tcase("ipv4", 0));
	return s;
}

Suite *suite_mld(void)
{
	Suite *s = suite_create("mld");

	suite_add_tcase(s, tcase("ipv6", ARRAY_SIZE(kernels)));
	return s;
}
