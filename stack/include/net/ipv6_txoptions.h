/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a socket or a message wants between the IPv6 header and UDP's
 * (struct ipv6_txoptions of include/net/ipv6.h), and what net/ipv6/exthdrs.c
 * does with it.
 */
#ifndef STACK_NET_IPV6_TXOPTIONS_H
#define STACK_NET_IPV6_TXOPTIONS_H

#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/ipv6.h"

#define NEXTHDR_HOP 0
#define NEXTHDR_ROUTING 43
#define NEXTHDR_DEST 60
#define IPV6_TLV_HAO 201	/* of the mobile host's home address */

#define IPV6_SRCRT_TYPE_2 2	/* of the mobile host's home address, too */
#define IPV6_SRCRT_TYPE_4 4	/* segments */

/* The headers are bytes as they go out, but for the next header; their length
 * stands in their second byte. */
struct ipv6_txoptions {
	struct object object;
	s32 refcnt;
	u32 tot_len;
	u16 opt_flen;		/* what only the first fragment has */
	u16 opt_nflen;		/* what each has */
	const u8 *hopopt;
	const u8 *dst0opt;	/* for all hosts of the routing header */
	const u8 *srcrt;
	const u8 *dst1opt;	/* for the last one */
	struct rcu_head rcu;
	/* The model's own: it is not on the stack, and has the headers behind
	 * itself, or each elsewhere in a copy. */
	bool allocated;
	u8 data[1];		/* its first byte */
};

/* A header by itself, of a packet in the making. */
struct ipv6_opt_copy {
	struct object object;
	u8 data[];
};

/* Reads a member where that costs something. */
#define TXOPT(opt, member) \
	((opt)->allocated ? READ(opt, member) : (opt)->member)

/* Bytes of those for the last host, and of those that each fragment has; 0 for
 * NULL. */
static inline u32 txopt_flen(const struct ipv6_txoptions *opt)
{
	return opt ? READ(opt, opt_flen) : 0;
}

static inline u32 txopt_nflen(const struct ipv6_txoptions *opt)
{
	return opt ? READ(opt, opt_nflen) : 0;
}

/* The headers of a socket's or label's own. */
static inline u8 *txopt_bytes(const struct ipv6_txoptions *opt)
{
	return (u8 *)(uintptr_t)(opt + 1);
}

static inline u32 ipv6_optlen(const u8 *header)
{
	return (header[1] + 1u) * 8;
}

/* ---- exthdrs.c ---- */

/* Charges for one of its headers: a socket's options are read line by line, a
 * message's are on the stack. */
void txopt_read_header(const struct ipv6_txoptions *opt, const u8 *header,
		       u32 len);
/* Charges for bytes of a socket's options that are written, `at` bytes behind
 * txopt_bytes(). */
void txopt_write_bytes(struct ipv6_txoptions *opt, u32 at, u32 len);

/* The socket's own, with a reference; NULL: it has none. */
struct ipv6_txoptions *txopt_get(struct udp6_sock *up6);
void txopt_put(struct ipv6_txoptions *opt);
/* Drops a reference and what they count for in the socket; no-op for NULL. */
void ipv6_release_options(struct sock *sk, struct ipv6_txoptions *opt);

/* Without what a missing routing header makes pointless; `space` may hold the
 * result. */
const struct ipv6_txoptions *
ipv6_fixup_options(struct ipv6_txoptions *space,
		   const struct ipv6_txoptions *opt);
/* A flow label's options in front of the message's. */
const struct ipv6_txoptions *
fl6_merge_options(struct ipv6_txoptions *space, struct ip6_flowlabel *fl,
		  const struct ipv6_txoptions *opt);
/* The routing header's first hop in place of the destination, which *orig takes
 * and which is returned; NULL: there is no such header. */
const struct in6_addr *fl6_update_dst(struct flowi6 *fl6,
				      const struct ipv6_txoptions *opt,
				      struct in6_addr *orig);

/* A copy for a packet in the making: all of it in memory of its own.  NULL:
 * there is none. */
struct ipv6_txoptions *ip6_opts_dup(const struct ipv6_txoptions *opt);
void ip6_opts_free(struct ipv6_txoptions *opt);
/* In front of what the packet has already: such a copy's headers for the last
 * host, and for those on the way.  *proto becomes the first header's, *daddr the
 * first hop. */
void ipv6_push_frag_opts(struct sk_buff *skb, const struct ipv6_txoptions *opt,
			 u8 *proto);
void ipv6_push_nfrag_opts(struct sk_buff *skb,
			  const struct ipv6_txoptions *opt, u8 *proto,
			  struct in6_addr *daddr);

/* ---- sticky_options.c ---- */

/* Is this option of sockets about headers? */
bool ipv6_is_sticky_option(int option);
/* One header, or none where `len` is 0; or all of them, by way of control
 * messages (IPV6_2292PKTOPTIONS).  0 or -errno. */
int ipv6_set_sticky_option(struct sock *sk, int option, const u8 *bytes,
			   u32 len);
/* What the socket has; *len is the room, and then how much there is in it.  0
 * or -errno. */
int ipv6_getsockopt_sticky(struct sock *sk, int option, u8 *bytes, u32 *len);

/* ---- datagram_ctl.c ---- */

struct ipcm6_cookie;
/* What the message says of its packet: into fl6, ipc6 and opt, which is on the
 * stack and points into the message.  0 or -errno. */
int ip6_datagram_send_ctl(struct net *net, struct sock *sk,
			  const struct msghdr *msg, struct flowi6 *fl6,
			  struct ipcm6_cookie *ipc6,
			  struct ipv6_txoptions *opt);

#endif
