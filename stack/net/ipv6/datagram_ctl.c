/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/datagram.c, ip6_datagram_send_ctl(): the control messages of
 * a datagram, in the order in which they stand.  Of most the last one counts,
 * a second header of hop-by-hop options is refused.  Which of them the
 * superuser's alone are is asked after their lengths.
 */
#include <errno.h>

#include "stack/include/linux/cred.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/socket.h"
#include "stack/include/net/ipv6_txoptions.h"
#include "stack/net/ipv6/udp.h"

#define IN6_PKTINFO_LEN 20u	/* an address and the index of a device */
#define RT_FIXED_LEN 4u		/* what each routing header begins with */

/* What they are written to, and what they are about. */
struct ctl {
	struct net *net;
	struct sock *sk;
	struct flowi6 *fl6;
	struct ipcm6_cookie *ipc6;
	struct ipv6_txoptions *opt;
};

/* The source, which must be this host's; on the device if it means another
 * host elsewhere. */
static int set_source(const struct ctl *ctl, const struct in6_addr *addr,
		      const struct net_device *dev)
{
	u32 type = __ipv6_addr_type(addr);
	bool strict = type >> 16 <= IPV6_ADDR_SCOPE_LINKLOCAL;

	if (type == IPV6_ADDR_ANY)
		return 0;
	if (!READ((struct inet_sock *)(void *)ctl->sk, freebind) &&
	    !ipv6_chk_addr(ctl->net, addr, strict ? dev : NULL))
		return -EINVAL;
	ctl->fl6->saddr = *addr;
	return 0;
}

static int pktinfo(const struct ctl *ctl, const struct cmsg *cmsg)
{
	const struct net_device *dev = NULL;
	struct flowi6 *fl6 = ctl->fl6;
	struct in6_addr addr;
	u32 ifindex;
	int err;

	if (cmsg->len < IN6_PKTINFO_LEN)
		return -EINVAL;
	memcpy(addr.s6_addr, cmsg->data, sizeof(addr));
	memcpy(&ifindex, cmsg->data + sizeof(addr), sizeof(ifindex));
	if (ifindex) {
		if (fl6->flowi6_oif && ifindex != fl6->flowi6_oif)
			return -EINVAL;
		fl6->flowi6_oif = ifindex;
	}
	rcu_read_lock();
	if (fl6->flowi6_oif) {
		dev = dev_get_by_index_rcu(ctl->net, fl6->flowi6_oif);
		err = dev ? 0 : -ENODEV;
	} else {
		err = __ipv6_addr_type(&addr) & IPV6_ADDR_LINKLOCAL ? -EINVAL :
								      0;
	}
	if (!err)
		err = set_source(ctl, &addr, dev);
	rcu_read_unlock();
	return err;
}

/* One that is there already differs only by what is no part of it, the version:
 * so far the kernel's comparison goes. */
static int flowinfo(const struct ctl *ctl, const struct cmsg *cmsg)
{
	u32 value;

	if (cmsg->len < sizeof(value))
		return -EINVAL;
	value = get_be32(cmsg->data);
	if (ctl->fl6->flowlabel & IPV6_FLOWINFO_MASK &&
	    (ctl->fl6->flowlabel ^ value) & ~IPV6_FLOWINFO_MASK)
		return -EINVAL;
	ctl->fl6->flowlabel = value & IPV6_FLOWINFO_MASK;
	return 0;
}

/* A header of options, which only the superuser sends. */
static int options(const struct ctl *ctl, const struct cmsg *cmsg)
{
	struct ipv6_txoptions *opt = ctl->opt;
	bool hop = cmsg->type == IPV6_HOPOPTS || cmsg->type == IPV6_2292HOPOPTS;
	u32 len;

	if ((hop && opt->hopopt) || cmsg->len < 2)
		return -EINVAL;
	len = ipv6_optlen(cmsg->data);
	if (cmsg->len < len)
		return -EINVAL;
	if (!capable(CAP_NET_RAW))
		return -EPERM;
	if (cmsg->type == IPV6_2292DSTOPTS && opt->dst1opt)
		return -EINVAL;
	if (hop) {
		opt->opt_nflen += (u16)len;
		opt->hopopt = cmsg->data;
	} else if (cmsg->type == IPV6_RTHDRDSTOPTS) {
		opt->opt_nflen += (u16)len;
		opt->dst0opt = cmsg->data;
	} else {
		opt->opt_flen += (u16)len;
		opt->dst1opt = cmsg->data;
	}
	return 0;
}

/* The only type that a message may have is that of mobile hosts, with one
 * address.  By RFC 2292, options that came before it are for each hop. */
static int routing_header(const struct ctl *ctl, const struct cmsg *cmsg)
{
	struct ipv6_txoptions *opt = ctl->opt;
	const u8 *header = cmsg->data;
	u16 len;

	if (cmsg->len < RT_FIXED_LEN)
		return -EINVAL;
	if (header[2] != IPV6_SRCRT_TYPE_2 || !has(IPV6_MIP6) ||
	    header[1] != 2 || header[3] != 1)
		return -EINVAL;
	len = (u16)ipv6_optlen(header);
	if (cmsg->len < len)
		return -EINVAL;
	opt->opt_nflen += len;
	opt->srcrt = header;
	if (cmsg->type == IPV6_2292RTHDR && opt->dst1opt) {
		len = (u16)ipv6_optlen(opt->dst1opt);
		opt->opt_nflen += len;
		opt->opt_flen -= len;
		opt->dst0opt = opt->dst1opt;
		opt->dst1opt = NULL;
	}
	return 0;
}

/* A number from `least` to `most`. */
static int number(const struct cmsg *cmsg, s32 least, s32 most, s32 *value)
{
	s32 wanted;

	if (cmsg->len != sizeof(wanted))
		return -EINVAL;
	wanted = cmsg_int(cmsg);
	if (wanted < least || wanted > most)
		return -EINVAL;
	*value = wanted;
	return 0;
}

/* Before SO_MARK_CMSG a mark is taken and does nothing. */
static int of_socket(const struct ctl *ctl, const struct cmsg *cmsg)
{
	u32 mark = 0;
	int err = __sock_cmsg_send(cmsg, &mark);

	if (!err && has(SO_MARK_CMSG))
		ctl->ipc6->mark = mark;
	return err;
}

static int one_message(const struct ctl *ctl, const struct cmsg *cmsg)
{
	switch (cmsg->type) {
	case IPV6_PKTINFO:
	case IPV6_2292PKTINFO:
		return pktinfo(ctl, cmsg);
	case IPV6_FLOWINFO:
		return flowinfo(ctl, cmsg);
	case IPV6_HOPOPTS:
	case IPV6_2292HOPOPTS:
	case IPV6_DSTOPTS:
	case IPV6_2292DSTOPTS:
	case IPV6_RTHDRDSTOPTS:
		return options(ctl, cmsg);
	case IPV6_RTHDR:
	case IPV6_2292RTHDR:
		return routing_header(ctl, cmsg);
	case IPV6_HOPLIMIT:
	case IPV6_2292HOPLIMIT:
		return number(cmsg, -1, 255, &ctl->ipc6->hlimit);
	case IPV6_TCLASS:
		return number(cmsg, -1, 255, &ctl->ipc6->tclass);
	case IPV6_DONTFRAG:
		if (!has(IPV6_DONTFRAG_OPTION))
			return -EINVAL;
		return number(cmsg, 0, 1, &ctl->ipc6->dontfrag);
	default:
		return -EINVAL;
	}
}

int ip6_datagram_send_ctl(struct net *net, struct sock *sk,
			  const struct msghdr *msg, struct flowi6 *fl6,
			  struct ipcm6_cookie *ipc6, struct ipv6_txoptions *opt)
{
	const struct ctl ctl = { net, sk, fl6, ipc6, opt };
	struct cmsg cmsg = { .next = 0 };
	int more;

	FUNCTION(ip6_datagram_send_ctl);
	STACK_PROTECTOR();
	while ((more = cmsg_at(msg, cmsg.next, &cmsg)) > 0) {
		int err = 0;

		if (cmsg.level == SOL_SOCKET && has(IP_SOCK_CMSG))
			err = of_socket(&ctl, &cmsg);
		else if (cmsg.level == SOL_IPV6)
			err = one_message(&ctl, &cmsg);
		if (err)
			return err;
	}
	return more;
}
