/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/ip6_flowlabel.c: the flow labels that sockets have leased.
 * The kernel keeps leases for a while after the last user; here they end with
 * the socket.  What a lease says of the destination is not looked at.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/fs.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/ipv6_txoptions.h"
#include "stack/net/ipv6/udp.h"

/* One lock for the lists of all sockets, until RCU took its place. */
static void lock_lists(void)
{
	if (has(FLOWLABEL_RCU)) {
		rcu_read_lock();
		return;
	}
	local_bh_disable();
	READ_LOCK(this_kernel()->ipv6->fl_lock, lock);
}

static void unlock_lists(void)
{
	if (has(FLOWLABEL_RCU)) {
		rcu_read_unlock();
		return;
	}
	READ_UNLOCK(this_kernel()->ipv6->fl_lock, lock);
	local_bh_enable();
}

static struct ip6_flowlabel *__fl6_sock_lookup(struct sock *sk, u32 label)
{
	struct udp6_sock *up6 = INET6_SK(sk);
	struct ip6_flowlabel *fl, *found = NULL;
	struct ipv6_fl_socklist *sfl;

	FUNCTION(fl6_sock_lookup);
	lock_lists();
	for (sfl = READ(up6, inet6.ipv6_fl_list); sfl && !found;
	     sfl = READ(sfl, next)) {
		WORK(4);
		fl = READ(sfl, fl);
		if (READ(fl, label) != label)
			continue;
		WRITE_ONCE(fl, lastuse, JIFFIES());
		ATOMIC_INC(fl, users);
		found = fl;
	}
	unlock_lists();
	return found;
}

int fl6_sock_lookup(struct sock *sk, u32 label, struct ip6_flowlabel **fl)
{
	const struct net *net = this_kernel()->init_net;

	*fl = NULL;
	if (has(FLOWLABEL_FREE)) {
		/* A jump label says whether any namespace has one. */
		if (!net->ipv6.flowlabel_has_excl ||
		    !READ_ONCE(net, ipv6.flowlabel_has_excl))
			return 0;
	}
	*fl = __fl6_sock_lookup(sk, label);
	return *fl ? 0 : -ENOENT;
}

void fl6_sock_release(struct ip6_flowlabel *fl)
{
	if (fl)
		ATOMIC_DEC(fl, users);
}

/* Up to the routing header all packets of a label are alike; what comes behind
 * is the message's. */
const struct ipv6_txoptions *
fl6_merge_options(struct ipv6_txoptions *space, struct ip6_flowlabel *fl,
		  const struct ipv6_txoptions *opt)
{
	struct ipv6_txoptions merged = { .tot_len = 0 };
	const struct ipv6_txoptions *fl_opt;

	FUNCTION(fl6_merge_options);
	fl_opt = READ(fl, opt);
	if (!opt || !TXOPT(opt, opt_flen))
		return fl_opt;
	if (fl_opt) {
		merged.hopopt = READ(fl_opt, hopopt);
		merged.dst0opt = READ(fl_opt, dst0opt);
		merged.srcrt = READ(fl_opt, srcrt);
		merged.opt_nflen = READ(fl_opt, opt_nflen);
	} else if (!TXOPT(opt, opt_nflen)) {
		return opt;
	}
	merged.dst1opt = TXOPT(opt, dst1opt);
	merged.opt_flen = TXOPT(opt, opt_flen);
	*space = merged;
	return space;
}

int ipv6_flowlabel_get(struct sock *sk, u32 label, u8 share)
{
	struct ipv6_fl_socklist *sfl = KMALLOC(ipv6_fl_socklist, GFP_KERNEL);
	struct ip6_flowlabel *fl = sfl ? KMALLOC(ip6_flowlabel, GFP_KERNEL) :
				   NULL;
	struct udp6_sock *up6 = udp6_sk(sk);

	if (!fl) {
		if (sfl)
			kfree(sfl);
		return -ENOMEM;
	}
	WRITE(fl, label, label & IPV6_FLOWLABEL_MASK);
	WRITE(fl, users, 1);
	WRITE(fl, opt, NULL);
	WRITE(fl, lastuse, JIFFIES());
	WRITE(sfl, fl, fl);
	WRITE(sfl, next, READ(up6, inet6.ipv6_fl_list));
	WRITE_ONCE(up6, inet6.ipv6_fl_list, sfl);
	if (share == IPV6_FL_S_EXCL)
		this_kernel()->init_net->ipv6.flowlabel_has_excl = 1;
	return 0;
}

void fl6_free_socklist(struct sock *sk)
{
	struct ipv6_fl_socklist *sfl = READ(udp6_sk(sk), inet6.ipv6_fl_list);

	while (sfl) {
		struct ipv6_fl_socklist *next = READ(sfl, next);

		kfree(READ(sfl, fl));
		kfree(sfl);
		sfl = next;
	}
}
