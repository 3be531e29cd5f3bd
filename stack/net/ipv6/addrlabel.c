/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/addrlabel.c: the labels of RFC 6724's policy table.  A source
 * whose label is the destination's is preferred.  Entries stand in a list, the
 * longer prefix first.
 */
#include <string.h>

#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/ip6_fib.h"

#define IPV6_ADDR_LABEL_DEFAULT 0xffffffffu

/* The types that an entry may insist on. */
#define LABEL_TYPES \
	(IPV6_ADDR_MAPPED | IPV6_ADDR_COMPATv4 | IPV6_ADDR_LOOPBACK)

static const struct policy {
	struct in6_addr prefix;
	u32 prefixlen;
	u32 label;
	bool later;		/* of RFC 6724, not of RFC 3484 */
} policies[] = {
	{ { { 0 } }, 0, 1, false },
	{ { { 0xfc } }, 7, 5, false },
	{ { { 0xfe, 0xc0 } }, 10, 11, true },
	{ { { 0x20, 0x02 } }, 16, 2, false },
	{ { { 0x3f, 0xfe } }, 16, 12, true },
	{ { { 0x20, 0x01 } }, 32, 6, false },
	{ { { 0x20, 0x01, 0x00, 0x10 } }, 28, 7, false },
	{ { { [10] = 0xff, [11] = 0xff } }, 96, 4, false },
	{ { { 0 } }, 96, 3, false },
	{ { { [15] = 1 } }, 128, 0, false },
};

static bool prefix_equal(const struct in6_addr *addr,
			 const struct ip6addrlbl_entry *p)
{
	u32 plen = READ(p, prefixlen);

	WORK(13);
	if (plen)
		(void)READ_AT(p, prefix.s6_addr, 0);
	if (plen > 64 && ipv6_addr_diff(addr, &p->prefix) >= 64)
		(void)READ_AT(p, prefix.s6_addr, 8);
	return ipv6_prefix_equal(addr, &p->prefix, plen);
}

static bool __ip6addrlbl_match(struct net *net,
			       const struct ip6addrlbl_entry *p,
			       const struct in6_addr *addr, u32 type,
			       u32 ifindex)
{
	u32 wanted;

	WORK(14);
	if (!has(ADDRLABEL_NETNS) && READ(p, lbl_net) != net)
		return false;
	wanted = READ(p, ifindex);
	if (wanted && wanted != ifindex)
		return false;
	wanted = READ(p, addrtype);
	if (wanted && wanted != type)
		return false;
	return prefix_equal(addr, p);
}

static struct ip6addrlbl_entry **list_head(struct net *net)
{
	return has(ADDRLABEL_NETNS) ? &net->ipv6.ip6addrlbl_table.head :
				      &this_kernel()->ipv6->labels->head;
}

static const struct ip6addrlbl_entry *
__ipv6_addr_label(struct net *net, const struct in6_addr *addr, u32 type,
		  u32 ifindex)
{
	const struct ip6addrlbl_entry *p;

	FUNCTION(__ipv6_addr_label);
	p = has(ADDRLABEL_NETNS) ? READ(net, ipv6.ip6addrlbl_table.head) :
				   READ(this_kernel()->ipv6->labels, head);
	for (; p; p = READ(p, list))
		if (__ip6addrlbl_match(net, p, addr, type, ifindex))
			return p;
	return NULL;
}

u32 ipv6_addr_label(struct net *net, const struct in6_addr *addr, u32 type,
		    u32 ifindex)
{
	const struct ip6addrlbl_entry *p;
	u32 label = IPV6_ADDR_LABEL_DEFAULT;

	FUNCTION(ipv6_addr_label);
	rcu_read_lock();
	p = __ipv6_addr_label(net, addr, type & LABEL_TYPES, ifindex);
	if (p)
		label = READ(p, label);
	rcu_read_unlock();
	return label;
}

/* The type of addresses that have this prefix, if they are all of one. */
static u32 policy_type(const struct policy *policy)
{
	u32 type = ipv6_addr_type(&policy->prefix) & LABEL_TYPES;

	return policy->prefixlen < 96 ||
	       (type == IPV6_ADDR_LOOPBACK && policy->prefixlen != 128) ?
		0 : type;
}

static void ip6addrlbl_add(struct net *net, const struct policy *policy)
{
	struct ip6addrlbl_entry *p = KMALLOC(ip6addrlbl_entry, GFP_KERNEL);
	struct ip6addrlbl_entry **next = list_head(net);

	if (!p)
		g_error("no memory for the labels of IPv6 addresses");
	p->lbl_net = net;
	p->prefix = policy->prefix;
	p->prefixlen = policy->prefixlen;
	p->ifindex = 0;
	p->addrtype = policy_type(policy);
	p->label = policy->label;
	while (*next && (*next)->prefixlen > p->prefixlen)
		next = &(*next)->list;
	p->list = *next;
	*next = p;
}

void ipv6_addr_label_init(struct kernel *kernel)
{
	u32 i;

	kernel->ipv6->labels = STATIC_OBJECT(kernel, ip6addrlbl_table, 0);
	for (i = 0; i < ARRAY_SIZE(policies); i++)
		if (!policies[i].later || has(SADDR_RFC6724))
			ip6addrlbl_add(kernel->init_net, &policies[i]);
}

void ipv6_addr_label_exit(struct kernel *kernel)
{
	struct ip6addrlbl_entry *p = *list_head(kernel->init_net), *next;

	for (; p; p = next) {
		next = p->list;
		kfree(p);
	}
}
