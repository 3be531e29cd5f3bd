/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source address selection: the rules of RFC 6724, section 5, and the examples
 * of its section 10.1, each with the candidates added in either order; and how
 * Linux 3.6, which is built with fewer rules, decides otherwise.
 */
#include <errno.h>

#include "ip6_support.h"

#define CANDIDATES 3

struct candidate {
	const char *addr;
	u32 flags;		/* IFA_F_* */
	u32 dev;		/* by number; a destination goes by dummy0 */
};

struct choice {
	const char *why;
	const char *daddr;
	struct candidate candidates[CANDIDATES];
	const char *chosen;
	const char *by_3_6;	/* NULL: the same */
	u32 prefs;
};

/* Rule by rule; the example's own words where one is of section 10.1. */
static const struct choice choices[] = {
	/* 1: the same address. */
	{ "10.1: same address", "2001:db8:1::1",
	  { { "2001:db8:1::1", IFA_F_DEPRECATED, 0 },
	    { "2001:db8:2::1", 0, 0 } }, "2001:db8:1::1", NULL, 0 },
	{ "same address of another device", "2001:db8:1::1",
	  { { "2001:db8:1::1", 0, 1 }, { "2001:db8:1::2", 0, 0 } },
	  "2001:db8:1::1", NULL, 0 },
	/* 2: the scope. */
	{ "10.1: scope reaches", "2001:db8:1::1",
	  { { "2001:db8:3::1", 0, 0 }, { "fe80::1", 0, 0 } },
	  "2001:db8:3::1", NULL, 0 },
	{ "10.1: scope of a site's group", "ff05::1",
	  { { "2001:db8:3::1", 0, 0 }, { "fe80::1", 0, 0 } },
	  "2001:db8:3::1", NULL, 0 },
	{ "10.1: smallest scope that reaches", "fe80::1",
	  { { "fe80::2", IFA_F_DEPRECATED, 0 }, { "2001:db8:1::1", 0, 0 } },
	  "fe80::2", NULL, 0 },
	{ "a link's group", "ff02::1",
	  { { "fe80::2", 0, 0 }, { "2001:db8:1::1", 0, 0 } },
	  "fe80::2", NULL, 0 },
	{ "a site's scope is too small", "2001:db8:1::1",
	  { { "fec0::1", 0, 0 }, { "2001:db8:9::1", IFA_F_DEPRECATED, 0 } },
	  "2001:db8:9::1", NULL, 0 },
	{ "the largest where none reaches", "2001:db8:1::1",
	  { { "fec0::1", IFA_F_DEPRECATED, 0 }, { "fe80::1", 0, 0 } },
	  "fec0::1", NULL, 0 },
	/* 3: not deprecated. */
	{ "deprecated", "2001:db8:1::1",
	  { { "2001:db8:1::2", IFA_F_DEPRECATED, 0 },
	    { "2001:db8:9::2", 0, 0 } }, "2001:db8:9::2", NULL, 0 },
	{ "optimistic", "2001:db8:1::1",
	  { { "2001:db8:1::2", IFA_F_OPTIMISTIC | IFA_F_TENTATIVE, 0 },
	    { "2001:db8:9::2", 0, 0 } }, "2001:db8:9::2", NULL, 0 },
	/* 4: home addresses. */
	{ "10.1: home address", "2001:db8:1::1",
	  { { "2001:db8:1::2", 0, 0 },
	    { "2001:db8:3::2", IFA_F_HOMEADDRESS, 0 } },
	  "2001:db8:3::2", "2001:db8:1::2", 0 },
	{ "care-of address if wanted", "2001:db8:1::1",
	  { { "2001:db8:1::2", 0, 0 },
	    { "2001:db8:3::2", IFA_F_HOMEADDRESS, 0 } },
	  "2001:db8:1::2", NULL, IPV6_PREFER_SRC_COA },
	/* 5: the outgoing device. */
	{ "outgoing device", "2001:db8:1::1",
	  { { "2001:db8:1::2", 0, 1 }, { "2001:db8:3::2", 0, 0 } },
	  "2001:db8:3::2", NULL, 0 },
	/* 6: the label. */
	{ "10.1: label of 6to4", "2002:c633:6401::1",
	  { { "2002:c633:6401::d5e3:7953:13eb:22e8", IFA_F_TEMPORARY, 0 },
	    { "2001:db8:1::2", 0, 0 } },
	  "2002:c633:6401::d5e3:7953:13eb:22e8", NULL, 0 },
	{ "label of unique local addresses", "fd11::1",
	  { { "fc00::2", 0, 0 }, { "2001:db8:1::2", 0, 0 } }, "fc00::2",
	  NULL, 0 },
	{ "label of Teredo", "2001:0:1::1",
	  { { "2001::2", 0, 0 }, { "2001:1::2", 0, 0 } }, "2001::2", NULL,
	  0 },
	/* Of RFC 6724 only: 3ffe::/16 has a label of its own. */
	{ "label of the 6bone", "2001:db8:1::1",
	  { { "3ffe:1::1", 0, 0 }, { "2400::2", 0, 0 } }, "2400::2",
	  NULL, 0 },
	{ "label of the 6bone against a longer prefix", "3ffe:1::1",
	  { { "3ffe:2::2", 0, 0 }, { "2001:db8::2", 0, 0 } }, "3ffe:2::2",
	  NULL, 0 },
	{ "label, not prefix", "3001::1",
	  { { "3ffe::2", 0, 0 }, { "2001:db8::2", 0, 0 } }, "2001:db8::2",
	  "3ffe::2", 0 },
	/* 7: public or temporary. */
	{ "10.1: temporary if wanted", "2001:db8:1::d5e3:0:0:1",
	  { { "2001:db8:1::2", 0, 0 },
	    { "2001:db8:1::d5e3:7953:13eb:22e8", IFA_F_TEMPORARY, 0 } },
	  "2001:db8:1::d5e3:7953:13eb:22e8", NULL, IPV6_PREFER_SRC_TMP },
	{ "public by the device's settings", "2001:db8:1::1",
	  { { "2001:db8:9::2", 0, 0 },
	    { "2001:db8:1::2", IFA_F_TEMPORARY, 0 } }, "2001:db8:9::2",
	  "2001:db8:1::2", 0 },
	{ "public if wanted", "2001:db8:1::1",
	  { { "2001:db8:9::2", 0, 0 },
	    { "2001:db8:1::2", IFA_F_TEMPORARY, 0 } }, "2001:db8:9::2",
	  "2001:db8:1::2", IPV6_PREFER_SRC_PUBLIC },
	/* ORCHIDs with their like. */
	{ "an ORCHID", "2001:10::1",
	  { { "2001:10:ffff::2", 0, 0 }, { "2001:18::2", 0, 0 } },
	  "2001:10:ffff::2", NULL, 0 },
	/* 8: the longest prefix. */
	{ "10.1: longest prefix", "2001:db8:1::1",
	  { { "2001:db8:1::2", 0, 0 }, { "2001:db8:3::2", 0, 0 } },
	  "2001:db8:1::2", NULL, 0 },
	{ "of three", "2001:db8:1::1",
	  { { "2001:db8:f::2", 0, 0 }, { "2001:db8:1:1::2", 0, 0 },
	    { "2001:db8:3::2", 0, 0 } }, "2001:db8:1:1::2", NULL, 0 },
	/* Who is no candidate. */
	{ "tentative", "2001:db8:1::1",
	  { { "2001:db8:1::2", IFA_F_TENTATIVE, 0 },
	    { "2001:db8:9::2", IFA_F_DEPRECATED, 0 } }, "2001:db8:9::2",
	  NULL, 0 },
	{ "another device's, on a link", "fe80::1",
	  { { "fe80::2", 0, 1 } }, NULL, NULL, 0 },
	{ "none at all", "2001:db8:1::1", { { NULL, 0, 0 } }, NULL, NULL, 0 },
};

static struct net_fixture *net;
static bool backwards;

/* The devices have these addresses only; lists of addresses are not charged
 * here, and the fixture's are freed by their owner. */
static void set_candidates(const struct candidate *candidates)
{
	struct net_device *dev = net->kernel->init_net->dev_base_head;
	u32 i;

	for (; dev; dev = dev->dev_list)
		if (dev->ip6_ptr)
			dev->ip6_ptr->addr_list = NULL;
	for (i = 0; i < CANDIDATES; i++) {
		const struct candidate *c =
			&candidates[backwards ? CANDIDATES - 1 - i : i];
		struct in6_addr addr;
		struct inet6_ifaddr *ifa;

		if (!c->addr)
			continue;
		addr = ip6(c->addr);
		dev = ip6_dev(net, c->dev);
		if (!inet6_add_address(net->kernel, dev, &addr, 64, NULL)) {
			/* One of an earlier case: its routes are there. */
			ck_assert_ptr_nonnull(dev->ip6_ptr->addr_list);
		}
		for (ifa = dev->ip6_ptr->addr_list;
		     !ipv6_addr_equal(&ifa->addr, &addr); ifa = ifa->if_list)
			;
		ifa->flags = IFA_F_PERMANENT | c->flags;
	}
}

static void check_choice(const struct choice *choice, bool is_3_6)
{
	const char *wanted = is_3_6 && choice->by_3_6 ? choice->by_3_6 :
							choice->chosen;
	const struct in6_addr daddr = ip6(choice->daddr);
	struct in6_addr saddr = { { 0 } }, right;
	int err;

	set_candidates(choice->candidates);
	err = ipv6_dev_get_saddr(net->kernel->init_net, ip6_dev(net, 0),
				 &daddr, choice->prefs, &saddr);
	if (!wanted) {
		ck_assert_msg(err == -EADDRNOTAVAIL, "%s: %d", choice->why,
			      err);
		return;
	}
	right = ip6(wanted);
	if (err || !ipv6_addr_equal(&saddr, &right))
		ck_abort_msg("%s%s: %s was chosen, %s is right", choice->why,
			     backwards ? ", backwards" : "",
			     err ? "none" : ipv6_addr_text(&saddr), wanted);
}

static void choose(void *arg)
{
	u32 i;

	(void)arg;
	for (i = 0; i < ARRAY_SIZE(choices); i++)
		check_choice(&choices[i], !has(SADDR_RFC6724));
}

START_TEST(rules_and_examples)
{
	net = ip6_new(_i, 1);
	backwards = false;
	net_run_one(net, choose, NULL);
	net_free(net);
	net = ip6_new(_i, 1);
	backwards = true;
	net_run_one(net, choose, NULL);
	net_verify_rules(net);
	net_free(net);
}
END_TEST

/* ---- settings ---- */

static void choose_by_settings(void *arg)
{
	static const struct candidate candidates[CANDIDATES] = {
		{ "2001:db8:9::2", 0, 0 },
		{ "2001:db8:1::2", IFA_F_TEMPORARY, 0 },
		{ "2001:db8:1::1", 0, 1 },
	};
	const struct in6_addr daddr = ip6("2001:db8:1::1");
	struct inet6_dev *idev = ip6_dev(net, 0)->ip6_ptr;
	struct in6_addr saddr, right;

	(void)arg;
	set_candidates(candidates);
	/* Another device's is the destination itself, unless only those of
	 * the outgoing device will do. */
	idev->cnf.use_oif_addrs_only = 1;
	ck_assert_int_eq(ipv6_dev_get_saddr(net->kernel->init_net,
					    ip6_dev(net, 0), &daddr, 0,
					    &saddr), 0);
	right = ip6("2001:db8:9::2");
	ck_assert(ipv6_addr_equal(&saddr, &right));
	idev->cnf.use_tempaddr = 2;
	ck_assert_int_eq(ipv6_dev_get_saddr(net->kernel->init_net,
					    ip6_dev(net, 0), &daddr, 0,
					    &saddr), 0);
	right = ip6("2001:db8:1::2");
	ck_assert(ipv6_addr_equal(&saddr, &right));
	/* No device is given: any will do. */
	ck_assert_int_eq(ipv6_dev_get_saddr(net->kernel->init_net, NULL,
					    &daddr, 0, &saddr), 0);
	ck_assert(ipv6_addr_equal(&saddr, &daddr));
}

START_TEST(settings_of_the_device)
{
	net = ip6_new(1, 1);
	net_run_one(net, choose_by_settings, NULL);
	net_free(net);
}
END_TEST

/* ---- by route ---- */

static void choose_by_route(void *arg)
{
	const struct in6_addr daddr = ip6("2001:db8:ffff:2::99");
	struct net *ns = net->kernel->init_net;
	struct in6_addr saddr, right = ip6("2001:db8:ffff:2::1");
	struct rt6_info *rt = ip6_find(&daddr);

	(void)arg;
	ck_assert_int_eq(ip6_route_get_saddr(ns, rt, &daddr, 0, &saddr), 0);
	ck_assert(ipv6_addr_equal(&saddr, &right));
	/* The route's own, whatever the rules say. */
	right = ip6("2001:db8:ffff:3::1");
	if (has(FIB6_RCU)) {
		rt->from->fib6_prefsrc.addr = right;
		rt->from->fib6_prefsrc.plen = 128;
	} else {
		rt->rt6i_prefsrc.addr = right;
		rt->rt6i_prefsrc.plen = 128;
	}
	ck_assert_int_eq(ip6_route_get_saddr(ns, rt, &daddr, 0, &saddr), 0);
	ck_assert(ipv6_addr_equal(&saddr, &right));
	dst_release(&rt->dst);
}

START_TEST(source_of_a_route)
{
	net = ip6_new(_i, 1);
	net_run_one(net, choose_by_route, NULL);
	net_verify_clean(net);
	net_free(net);
}
END_TEST

/* ---- addresses of devices ---- */

/* Link-local from 02:00:00:00:00:02; of one scope the last comes first. */
START_TEST(device_lists_its_addresses)
{
	static const char *const wanted[] = {
		"fd00::1", "2001:db8:ffff::1", "fe80::ff:fe00:2",
	};
	const struct inet6_ifaddr *ifa;
	struct in6_addr addr;
	u32 i;

	net = ip6_new(_i, 1);
	ip6_add_address(net, ip6_dev(net, 0), "fd00::1", 64);
	ifa = ip6_dev(net, 0)->ip6_ptr->addr_list;
	for (i = 0; i < ARRAY_SIZE(wanted); i++, ifa = ifa->if_list) {
		addr = ip6(wanted[i]);
		ck_assert_ptr_nonnull(ifa);
		ck_assert(ipv6_addr_equal(&ifa->addr, &addr));
	}
	ck_assert_ptr_null(ifa);
	ifa = net->kernel->init_net->loopback_dev->ip6_ptr->addr_list;
	addr = ip6("::1");
	ck_assert(ipv6_addr_equal(&ifa->addr, &addr));
	ck_assert_uint_eq(ifa->scope, IPV6_ADDR_LOOPBACK);
	ck_assert_ptr_null(ifa->if_list);
	net_free(net);
}
END_TEST

START_TEST(types_of_addresses)
{
	static const struct {
		const char *addr;
		u32 type, scope;
	} types[] = {
		{ "::", IPV6_ADDR_ANY, 0 },
		{ "::1", IPV6_ADDR_LOOPBACK | IPV6_ADDR_UNICAST, 2 },
		{ "::10.1.2.3", IPV6_ADDR_COMPATv4 | IPV6_ADDR_UNICAST, 14 },
		{ "::ffff:10.1.2.3", IPV6_ADDR_MAPPED, 14 },
		{ "::1:0:0:0:1", IPV6_ADDR_UNICAST, 14 },
		{ "::2:0:0", IPV6_ADDR_UNICAST, 14 },
		{ "2001:db8::1", IPV6_ADDR_UNICAST, 14 },
		{ "fc00::1", IPV6_ADDR_UNICAST, 14 },
		{ "fdff::1", IPV6_ADDR_UNICAST, 14 },
		{ "fe80::1", IPV6_ADDR_LINKLOCAL | IPV6_ADDR_UNICAST, 2 },
		{ "febf::1", IPV6_ADDR_LINKLOCAL | IPV6_ADDR_UNICAST, 2 },
		{ "fec0::1", IPV6_ADDR_SITELOCAL | IPV6_ADDR_UNICAST, 5 },
		{ "ff02::1", IPV6_ADDR_MULTICAST, 2 },
		{ "ff1e::1", IPV6_ADDR_MULTICAST, 14 },
	};
	u32 i;

	net = ip6_new(_i, 1);
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		const struct in6_addr addr = ip6(types[i].addr);
		u32 type = __ipv6_addr_type(&addr);

		ck_assert_msg((type & 0xffff) == types[i].type &&
			      type >> 16 == types[i].scope, "%s: %x",
			      types[i].addr, type);
	}
	net_free(net);
}
END_TEST

Suite *suite_saddr6(void)
{
	Suite *suite = suite_create("saddr6");
	TCase *tc = tcase_create("saddr6");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, rules_and_examples, 0, 2);
	tcase_add_test(tc, settings_of_the_device);
	tcase_add_loop_test(tc, source_of_a_route, 0, IP6_KERNELS);
	tcase_add_loop_test(tc, device_lists_its_addresses, 0, IP6_KERNELS);
	tcase_add_loop_test(tc, types_of_addresses, 0, IP6_KERNELS);
	suite_add_tcase(suite, tc);
	return suite;
}
