/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a host remembers of another one (include/net/inetpeer.h): here, how many
 * ICMP messages it may still have.
 */
#ifndef STACK_NET_INETPEER_H
#define STACK_NET_INETPEER_H

#include "stack/include/net/neighbour.h"

#define PEER_KEY_WORDS 4u

struct inet_peer {
	struct object object;
	struct inet_peer *avl_left, *avl_right;
	u32 daddr[PEER_KEY_WORDS];	/* IPv4: the first, in host order */
	u32 rate_tokens;	/* in jiffies */
	u64 rate_last;		/* when these were counted */
	s32 rid;		/* fragments that it has sent */
	s32 refcnt;
	u32 ip_id_count;	/* of what is sent to it */
};

/* The peers of a family. */
struct inet_peer_base {
	struct object object;
	struct inet_peer *root;
	struct seqlock lock;
};

/* The peer of an address, made where there is none, with a reference; NULL
 * without memory. */
struct inet_peer *inet_getpeer(struct inet_peer_base *base, const u32 *daddr);
void inet_putpeer(struct inet_peer *peer);
/* The next identification of what goes to an address, from a family's peers,
 * which are made where there are none. */
u32 inet_getid(struct inet_peer_base **base, const u32 *daddr);
/* May it have one more message, where one each `timeout` jiffies is allowed and
 * six may come at once?  NULL may. */
bool inet_peer_xrlim_allow(struct inet_peer *peer, u32 timeout);

struct inet_peer_base *inet_peer_base_new(struct kernel *kernel);
/* With all peers. */
void inet_peer_base_free(struct inet_peer_base *base);

#endif
