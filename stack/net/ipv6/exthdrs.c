/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models the half of net/ipv6/exthdrs.c that sends, and what ip6_output.c does
 * to keep options for a packet in the making:
 *
 *	udpv6_sendmsg -> txopt_get, ipv6_fixup_options, fl6_update_dst
 *	ip6_setup_cork -> ip6_opts_dup
 *	__ip6_make_skb -> ipv6_push_frag_opts, ipv6_push_nfrag_opts
 *
 * On the wire stand, one after another: hop-by-hop options, destination options
 * for each hop, routing header, those for the last host.
 */
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/socket.h"
#include "stack/include/net/ipv6_txoptions.h"
#include "stack/net/ipv6/udp.h"

#define RT_HLEN 8u		/* of a routing header, without addresses */

struct ipv6_txoptions *txopt_get(struct udp6_sock *up6)
{
	struct ipv6_txoptions *opt;

	if (has(TXOPT_RCU))
		rcu_read_lock();
	opt = READ_ONCE(up6, inet6.opt);
	if (has(TXOPT_RCU)) {
		if (opt)
			ATOMIC_INC(opt, refcnt);
		rcu_read_unlock();
	}
	return opt;
}

/* Before there were references, nobody waited for readers. */
void txopt_put(struct ipv6_txoptions *opt)
{
	if (opt && has(TXOPT_RCU) && ATOMIC_DEC_AND_TEST(opt, refcnt))
		KFREE_RCU(opt, rcu);
}

void ipv6_release_options(struct sock *sk, struct ipv6_txoptions *opt)
{
	u32 size;

	if (!opt)
		return;
	size = READ(opt, tot_len);
	if (!has(TXOPT_RCU)) {
		sock_kfree_s(sk, opt, size);
		return;
	}
	ATOMIC_SUB_RETURN(sk, sk_omem_alloc, size);
	txopt_put(opt);
}

const struct ipv6_txoptions *
ipv6_fixup_options(struct ipv6_txoptions *space,
		   const struct ipv6_txoptions *opt)
{
	const u8 *dst0opt;

	if (!opt)
		return NULL;
	FUNCTION(ipv6_fixup_options);
	dst0opt = TXOPT(opt, dst0opt);
	if (!dst0opt || TXOPT(opt, srcrt))
		return opt;
	if (space != opt) {
		space->opt_flen = TXOPT(opt, opt_flen);
		space->opt_nflen = TXOPT(opt, opt_nflen);
		space->hopopt = TXOPT(opt, hopopt);
		space->srcrt = NULL;
		space->dst1opt = TXOPT(opt, dst1opt);
	}
	space->opt_nflen -= (u16)ipv6_optlen(dst0opt);
	space->dst0opt = NULL;
	return space;
}

static struct in6_addr address_at(const u8 *p)
{
	struct in6_addr address;

	memcpy(address.s6_addr, p, sizeof(address.s6_addr));
	return address;
}

/* Where a routing header sends the packet first: segments stand in it from the
 * last to the first. */
static struct in6_addr first_hop(const u8 *header)
{
	u32 index = header[2] == IPV6_SRCRT_TYPE_4 ? header[3] : 0;

	return address_at(header + RT_HLEN + index * sizeof(struct in6_addr));
}

const struct in6_addr *fl6_update_dst(struct flowi6 *fl6,
				      const struct ipv6_txoptions *opt,
				      struct in6_addr *orig)
{
	const u8 *srcrt;

	FUNCTION(fl6_update_dst);
	srcrt = opt ? TXOPT(opt, srcrt) : NULL;
	if (!srcrt)
		return NULL;
	*orig = fl6->daddr;
	fl6->daddr = first_hop(srcrt);
	return orig;
}

/* ---- for a packet in the making ---- */

static struct ipv6_opt_copy *copy_of(const u8 *header)
{
	return (struct ipv6_opt_copy *)((uintptr_t)header -
					offsetof(struct ipv6_opt_copy, data));
}

void txopt_read_header(const struct ipv6_txoptions *opt, const u8 *header,
		       u32 len)
{
	u32 at;

	if (!opt->allocated)
		return;
	at = this_kernel()->types[STRUCT_ipv6_txoptions].size;
	at += (u32)(header - txopt_bytes(opt));
	READ_BYTES(opt, data, at, len);
}

void txopt_write_bytes(struct ipv6_txoptions *opt, u32 at, u32 len)
{
	at += this_kernel()->types[STRUCT_ipv6_txoptions].size;
	WRITE_BYTES(opt, data, at, len);
}

/* NULL: there is none to copy, or no memory, and then not *ok. */
static const u8 *ip6_opt_dup(const struct ipv6_txoptions *opt,
			     const u8 *header, bool *ok)
{
	struct ipv6_opt_copy *copy;
	u32 len;

	if (!header || !*ok)
		return NULL;
	len = ipv6_optlen(header);
	copy = kmalloc(len, STRUCT_ipv6_opt_copy, sizeof(*copy) + len,
		       GFP_KERNEL);
	*ok = copy;
	if (!copy)
		return NULL;
	txopt_read_header(opt, header, len);
	memcpy(copy->data, header, len);
	WRITE_BYTES(copy, data, 0, len);
	return copy->data;
}

struct ipv6_txoptions *ip6_opts_dup(const struct ipv6_txoptions *opt)
{
	struct ipv6_txoptions *nopt = KMALLOC(ipv6_txoptions, GFP_KERNEL);
	const u8 *dst0opt, *dst1opt, *hopopt, *srcrt;
	bool ok = true;

	FUNCTION(ip6_opts_dup);
	if (!nopt)
		return NULL;
	nopt->allocated = true;
	WRITE(nopt, tot_len, this_kernel()->types[STRUCT_ipv6_txoptions].size);
	WRITE(nopt, opt_flen, TXOPT(opt, opt_flen));
	WRITE(nopt, opt_nflen, TXOPT(opt, opt_nflen));
	dst0opt = TXOPT(opt, dst0opt);
	WRITE(nopt, dst0opt, ip6_opt_dup(opt, dst0opt, &ok));
	dst1opt = TXOPT(opt, dst1opt);
	WRITE(nopt, dst1opt, ip6_opt_dup(opt, dst1opt, &ok));
	hopopt = TXOPT(opt, hopopt);
	WRITE(nopt, hopopt, ip6_opt_dup(opt, hopopt, &ok));
	srcrt = TXOPT(opt, srcrt);
	WRITE(nopt, srcrt, ip6_opt_dup(opt, srcrt, &ok));
	if (ok)
		return nopt;
	ip6_opts_free(nopt);
	return NULL;
}

static void free_copy(const u8 *header)
{
	if (header)
		kfree(copy_of(header));
}

void ip6_opts_free(struct ipv6_txoptions *opt)
{
	if (!opt)
		return;
	free_copy(READ(opt, dst0opt));
	free_copy(READ(opt, dst1opt));
	free_copy(READ(opt, hopopt));
	free_copy(READ(opt, srcrt));
	kfree(opt);
}

/* Room in front, filled with the header; gives where its bytes are. */
static u32 ipv6_push_exthdr(struct sk_buff *skb, const u8 *header, u8 *proto,
			    u8 type)
{
	u32 len = ipv6_optlen(header), at;
	u8 *p;

	FUNCTION(ipv6_push_exthdr);
	READ_BYTES(copy_of(header), data, 0, len);
	WORK(len / 8);
	at = skb_push(skb, len);
	p = skb_bytes(skb, at);
	memcpy(p, header, len);
	p[0] = *proto;
	*proto = type;
	WRITE_SKB_DATA(skb, at, len);
	return at;
}

/* The destination goes to the end of the way, and what was its beginning into
 * the IPv6 header. */
static void ipv6_push_rthdr(struct sk_buff *skb, const u8 *header, u8 *proto,
			    struct in6_addr *daddr)
{
	const u32 size = sizeof(struct in6_addr);
	u32 hops = header[1] / 2u, at;
	u8 *list;

	FUNCTION(ipv6_push_rthdr);
	at = ipv6_push_exthdr(skb, header, proto, NEXTHDR_ROUTING) + RT_HLEN;
	list = skb_bytes(skb, at);
	if (header[2] != IPV6_SRCRT_TYPE_4) {
		memmove(list, list + size, (hops - 1) * size);
		at += (hops - 1) * size;
	}
	memcpy(skb_bytes(skb, at), daddr, size);
	WRITE_SKB_DATA(skb, at, size);
	*daddr = first_hop(header);
}

void ipv6_push_frag_opts(struct sk_buff *skb, const struct ipv6_txoptions *opt,
			 u8 *proto)
{
	const u8 *dst1opt;

	FUNCTION(ipv6_push_frag_opts);
	dst1opt = READ(opt, dst1opt);
	if (dst1opt)
		ipv6_push_exthdr(skb, dst1opt, proto, NEXTHDR_DEST);
}

void ipv6_push_nfrag_opts(struct sk_buff *skb,
			  const struct ipv6_txoptions *opt, u8 *proto,
			  struct in6_addr *daddr)
{
	const u8 *srcrt, *dst0opt, *hopopt;

	FUNCTION(ipv6_push_nfrag_opts);
	srcrt = READ(opt, srcrt);
	if (srcrt) {
		ipv6_push_rthdr(skb, srcrt, proto, daddr);
		dst0opt = READ(opt, dst0opt);
		if (dst0opt)
			ipv6_push_exthdr(skb, dst0opt, proto, NEXTHDR_DEST);
	}
	hopopt = READ(opt, hopopt);
	if (hopopt)
		ipv6_push_exthdr(skb, hopopt, proto, NEXTHDR_HOP);
}
