/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Datagrams that wait for the rest of their fragments (include/net/inet_frag.h,
 * ip.h, ipv6.h): what IPv4 and IPv6 share.
 *
 *	inet_frags -> inet_frag_bucket -> inet_frag_queue -> sk_buff -> ...
 *	(a family)    (a chain)           (a datagram)       (by offset)
 *
 * A queue is an ipq or a frag_queue.  It has a reference for its timer, one for
 * its chain and one for whoever works on it.
 */
#ifndef STACK_NET_INET_FRAG_H
#define STACK_NET_INET_FRAG_H

#include "stack/include/linux/skbuff.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/timer.h"
#include "stack/include/net/inetpeer.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/netns.h"

/* What a queue has and is; the kernel's last_in, flags later. */
enum {
	INET_FRAG_FIRST_IN = 1,
	INET_FRAG_LAST_IN = 2,
	INET_FRAG_COMPLETE = 4,	/* done, or given up: off its chain */
	INET_FRAG_EVICTED = 8,
};

struct inet_frag_queue {
	struct object object;
	struct inet_frag_queue *list;		/* the next of the chain */
	struct inet_frag_queue *lru_next, *lru_prev;
	struct timer_list timer;
	struct spinlock lock;
	s32 refcnt;
	struct sk_buff *fragments, *fragments_tail;
	u64 stamp;		/* when the last one came */
	u32 len;		/* of the datagram, as far as it is known */
	u32 meat;		/* bytes that are there */
	u8 last_in;
	struct rcu_head rcu;
	/* The model's own. */
	struct inet_frag_bucket *bucket;
	struct inet_frag_queue *evicted;	/* the next to be */
	struct net_device *dev;			/* that of iif */
};

/* IPv4's. */
struct ipq {
	struct inet_frag_queue q;
	u32 saddr, daddr;
	u16 id;
	u8 protocol;
	u8 ecn;			/* a bit for each kind that was seen */
	u32 iif;
	u32 rid;		/* the peer's fragments when this was touched */
	struct inet_peer *peer;
};

/* IPv6's. */
struct frag_queue {
	struct inet_frag_queue q;
	u32 id;
	struct in6_addr saddr, daddr;
	u32 iif;
	u16 nhoffset;		/* of the byte that names the next header */
	u8 ecn;
};

struct inet_frag_bucket {
	struct object object;
	struct inet_frag_queue *chain;
	struct spinlock chain_lock;
};

/* A family's memory and limits: netns_frags in the namespace before 5.3, here
 * on lines of its own in all kernels. */
struct fqdir {
	struct object object;
	s64 mem;		/* true sizes of all that waits */
	u32 high_thresh, low_thresh;
	u32 timeout;		/* jiffies */
	u32 max_dist;
	u32 nqueues;
	struct inet_frag_queue *lru_first, *lru_last;
};

/* What is told apart by whom: a fragment of which datagram this is. */
struct frag_key {
	u32 words[8];		/* IPv4: source, destination */
	u32 id;
	u8 protocol;		/* IPv4's */
};

/* What has become of fragments: the model's own, for who balances accounts.
 * Each that came in is waiting, dropped, or went on in a datagram. */
struct frag_report {
	u64 waiting, dropped, joined;
	u64 datagrams;		/* that the joined ones became */
};

struct inet_frags {
	struct object object;
	struct rwlock lock;	/* of all chains, before FRAG_BUCKET_LOCKS */
	u32 rnd;
	struct delayed_work frags_work;
	/* The model's own. */
	struct inet_frag_bucket *hash;
	u32 buckets;
	u32 next_bucket;	/* where the worker goes on */
	struct any_cache *cachep;
	struct fqdir *fqdir;
	struct frag_report report;
	struct inet_frag_queue *(*init)(struct inet_frags *f,
					const struct frag_key *key);
	bool (*match)(const struct inet_frag_queue *q,
		      const struct frag_key *key);
	void (*frag_expire)(struct timer_list *timer);
	void (*destructor)(struct inet_frag_queue *q);
};

/* How a fragment fits in. */
enum frag_fit {
	FRAG_FITS,
	FRAG_USELESS,		/* what it has is there */
	FRAG_OVERLAPS,		/* the datagram is to go */
};

/* A family's; `id` is the struct of its queues. */
struct inet_frags *inet_frags_init(struct kernel *kernel, const char *cache,
				   enum struct_id id, size_t c_size,
				   u32 timeout);
/* At the kernel's end, with all that waits; or NULL. */
void inet_frags_fini(struct inet_frags *f);

/* The queue of a datagram, made where there is none, with a reference; NULL
 * without memory. */
struct inet_frag_queue *inet_frag_find(struct inet_frags *f, u32 hash,
				       const struct frag_key *key);
/* Off its chain and without a timer: q->lock is held. */
void inet_frag_kill(struct inet_frags *f, struct inet_frag_queue *q);
void inet_frag_put(struct inet_frags *f, struct inet_frag_queue *q);
/* What came before a new fragment is too much: how many datagrams went. */
u32 inet_frag_evictor(struct inet_frags *f);

/* For q->lock's holder.  Where the packet, cut to its data, belongs: its place
 * is found, and overlaps are trimmed if `trim`. */
enum frag_fit inet_frag_queue_insert(struct inet_frags *f,
				     struct inet_frag_queue *q,
				     struct sk_buff *skb, u32 offset, u32 end,
				     bool trim);
/* Is the end at `end` at odds with what is known?  Else notes it. */
bool inet_frag_end_is_bad(struct inet_frag_queue *q, u32 end, bool more);
/* A packet that is now in the queue. */
void inet_frag_account(struct inet_frags *f, struct inet_frag_queue *q,
		       struct sk_buff *skb, u32 offset, u32 truesize);
bool inet_frag_is_whole(const struct inet_frag_queue *q);
/* All that waits goes, and the queue stays. */
void inet_frag_flush(struct inet_frags *f, struct inet_frag_queue *q);
/* The datagram: `headers` bytes of the first packet from `from` on, then all
 * data.  It has the route of `last`.  NULL without memory. */
struct sk_buff *inet_frag_reasm(struct inet_frags *f, struct inet_frag_queue *q,
				u32 from, u32 headers, struct sk_buff *last);
/* A packet that is not in a queue. */
void inet_frag_drop(struct inet_frags *f, struct sk_buff *skb);
/* The bits of ECN of the whole by those seen; 0xff: they do not go together. */
u8 ip_frag_ecn(u8 seen);

/* Of IPv4 and of IPv6, or nothing yet. */
struct frag_report ip_frag_report(const struct kernel *kernel);
struct frag_report ip6_frag_report(const struct kernel *kernel);

/* From a fragment to the datagram that it completes, or NULL; used up. */
struct sk_buff *ip_defrag(struct net *net, struct sk_buff *skb);
/* The same, from a fragment header at `at`, whose number stands at `nhoff`
 * behind the IPv6 header's start. */
struct sk_buff *ipv6_frag_rcv(struct net *net, struct sk_buff *skb, u32 at,
			      u32 nhoff);
void ipfrag_exit(struct kernel *kernel);
void ipv6_frag_exit(struct kernel *kernel);

#endif
