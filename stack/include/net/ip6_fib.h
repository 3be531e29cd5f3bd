/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The IPv6 forwarding information base (include/net/ip6_fib.h, ip6_route.h):
 * tables of prefixes, each a binary trie, and the routes in it.
 *
 *	fib6_table.tb6_root -> fib6_node -> ... -> leaf -> next leaf
 *	                       (one bit each)     (falling priority)
 *
 * A leaf is a fib6_info, which keeps a ready route (rt6_info) for each CPU; or,
 * before 4.18, an rt6_info, of which each CPU has a copy; or, before 4.2, the
 * route itself, to which clones for single addresses are
 * added as packets ask for them.  The trie's code sees a leaf as the object
 * that stands first in either.
 *
 * Tables change at set-up, never while packets run, but for those clones: what
 * is removed is freed at once, where the kernel waits for readers.
 *
 * What routers say of the path to one destination makes a route for just that:
 * the clone has it, or from 4.2 on a leaf is made for it; from 4.18 on it is an
 * exception to the nexthop, see route_exception.c.
 */
#ifndef STACK_NET_IP6_FIB_H
#define STACK_NET_IP6_FIB_H

#include "stack/include/net/ip_fib.h"
#include "stack/include/net/ipv6.h"

/* fib6_info.fib6_flags, rt6_info.rt6i_flags */
#define RTF_UP 0x0001u
#define RTF_GATEWAY 0x0002u
#define RTF_MODIFIED 0x0020u
#define RTF_REJECT 0x0200u
#define RTF_ANYCAST 0x00100000u
#define RTF_NONEXTHOP 0x00200000u
#define RTF_EXPIRES 0x00400000u
#define RTF_CACHE 0x01000000u
#define RTF_PCPU 0x40000000u
#define RTF_LOCAL 0x80000000u

/* fib6_node.fn_flags */
#define RTN_TL_ROOT 0x0001u
#define RTN_ROOT 0x0002u
#define RTN_RTINFO 0x0004u

/* What a look-up insists on. */
#define RT6_LOOKUP_F_IFACE 0x01u
#define RT6_LOOKUP_F_REACHABLE 0x02u
#define RT6_LOOKUP_F_HAS_SADDR 0x04u
#define RT6_LOOKUP_F_DST_NOREF 0x80u

#define IP6_RT_PRIO_USER 1024u
#define IP6_RT_PRIO_ADDRCONF 256u

struct rt6key {
	struct in6_addr addr;
	u32 plen;
};

struct fib6_node {
	struct object object;
	struct fib6_node *parent;
	struct fib6_node *left, *right;
	struct fib6_node *subtree;	/* by source, where kernels have it */
	struct object *leaf;		/* the first; of an intermediate node,
					 * one of those below it */
	u16 fn_bit;			/* the bit that parts left and right */
	u16 fn_flags;
	u32 fn_sernum;
	struct object *rr_ptr;		/* where to go on among equals */
};

struct fib6_table {
	struct object object;
	u32 tb6_id;
	struct rwlock tb6_lock;
	struct fib6_node tb6_root;	/* in the table's own memory */
};

/* One CPU's ready route of a nexthop, on that CPU's node. */
struct rt6i_pcpu {
	struct object object;
	struct rt6_info *rt;
};

/* Stands in its fib6_info's memory, after the header. */
struct fib6_nh {
	struct object object;
	struct {
		struct net_device *nhc_dev;
		u8 nhc_gw_family;	/* 0: the destination is on the link */
		u8 nhc_flags;
		struct { struct in6_addr ipv6; } nhc_gw;
	} nh_common;
	struct rt6i_pcpu **rt6i_pcpu;	/* by CPU */
	struct rt6_exception_bucket *rt6i_exception_bucket;	/* or NULL */
};

/* The route for one destination that is not like its nexthop's others. */
struct rt6_exception {
	struct object object;
	struct rt6_exception *hlist;	/* the next */
	struct rt6_info *rt6i;
	u64 stamp;		/* the jiffy of its last change */
	struct rcu_head rcu;
};

#define FIB6_EXCEPTION_BUCKET_SIZE_SHIFT 10u
#define FIB6_EXCEPTION_BUCKET_SIZE (1u << FIB6_EXCEPTION_BUCKET_SIZE_SHIFT)

/* A nexthop's table of them; the kernel's is an array of slots. */
struct rt6_exception_bucket {
	struct object object;
	struct rt6_exception_slot {
		struct rt6_exception *chain;
		u64 depth;
	} slot[FIB6_EXCEPTION_BUCKET_SIZE];
};

/* The variables of route_exception.c. */
struct rt6_exception_vars {
	struct object object;
	struct spinlock rt6_exception_lock;
	u64 rt6_exception_key[2];
	/* The model's own. */
	struct random_stream random;
	u32 count;		/* of exceptions */
};

struct fib6_info {
	struct object object;
	struct fib6_table *fib6_table;
	struct fib6_info *fib6_next;
	struct fib6_node *fib6_node;	/* NULL: removed */
	u32 fib6_nsiblings;		/* no multipath: always 0 */
	s32 fib6_ref;
	struct rt6key fib6_dst;
	u32 fib6_flags;
	struct rt6key fib6_src;
	struct rt6key fib6_prefsrc;
	u32 fib6_metric;
	u8 fib6_protocol;
	u8 fib6_type;
	void *nh;			/* no nexthop objects: always NULL */
	struct fib6_nh fib6_nh;		/* the kernel's is an array in place */
};

struct rt6_info {
	struct dst_entry dst;
	struct fib6_info *from;		/* NULL: that route is gone */
	u32 sernum;			/* of routes by nexthop object only */
	struct rt6key rt6i_dst, rt6i_src;
	struct in6_addr rt6i_gateway;
	struct inet6_dev *rt6i_idev;
	u32 rt6i_flags;
	void *rt6i_uncached;		/* a list of its own: always empty */
	u16 rt6i_nfheader_len;
	/* Before 4.18 the leaf is one too. */
	struct neighbour *n;
	struct fib6_table *rt6i_table;
	struct fib6_node *rt6i_node;	/* NULL: removed */
	s32 rt6i_ref;			/* nodes that have it for a leaf */
	struct rt6key rt6i_prefsrc;
	u32 rt6i_metric;
	u32 rt6i_nsiblings;		/* no multipath: always 0 */
	struct rt6i_pcpu **rt6i_pcpu;	/* of a leaf from 4.2 on, by CPU */
	u32 rt6i_peer_genid;
	u32 rt6i_genid;
	u8 rt6i_protocol;
	u32 rt6i_pmtu;			/* of 4.2 to 4.17; 0: as the device's */
};

/* A route to add. */
struct fib6_config {
	u32 fc_metric;
	u32 fc_dst_len, fc_src_len;
	u32 fc_flags;			/* RTF_* */
	u8 fc_type;			/* RTN_*; 0: RTN_UNICAST */
	u8 fc_protocol;
	u8 fc_mode;			/* FIB6_ADD_* */
	struct net_device *fc_dev;
	struct in6_addr fc_dst, fc_src;
	struct in6_addr fc_gateway;	/* with RTF_GATEWAY */
	struct in6_addr fc_prefsrc;	/* any: none */
};

/* What a look-up finds; lives on the stack, so it is not charged. */
struct fib6_result {
	struct fib6_info *f6i;
	struct fib6_nh *nh;
	u32 fib6_flags;
	u8 fib6_type;
};

static inline struct fib6_info *leaf_f6i(struct object *leaf)
{
	return (struct fib6_info *)(void *)leaf;
}

static inline struct rt6_info *leaf_rt6(struct object *leaf)
{
	return (struct rt6_info *)(void *)leaf;
}

static inline bool addr_bit_set(const struct in6_addr *addr, u32 bit)
{
	/* Behind the last bit of a node for a single address stands none. */
	return bit < 128 && addr->s6_addr[bit / 8] >> (7 - bit % 8) & 1;
}

/* Whether the first plen bits are the same. */
bool ipv6_prefix_equal(const struct in6_addr *a, const struct in6_addr *b,
		       u32 plen);
/* How many leading bits are. */
u32 ipv6_addr_diff(const struct in6_addr *a, const struct in6_addr *b);
/* The first plen bits, the rest zero. */
struct in6_addr ipv6_addr_prefix(const struct in6_addr *addr, u32 plen);

/* As RFC 5952 has it; free with g_free(). */
char *ipv6_addr_text(const struct in6_addr *addr);

/* ---- ip6_fib.c ---- */

void fib6_init(struct kernel *kernel);
void fib6_exit(struct kernel *kernel);
/* An empty table, of which the root's leaf is the null entry. */
struct fib6_table *fib6_new_table(struct kernel *kernel, u32 id);

/* The node with the longest prefix that has routes, the root if none has.
 * `daddr` NULL: a tree by source. */
struct fib6_node *fib6_node_lookup(struct fib6_node *root,
				   const struct in6_addr *daddr,
				   const struct in6_addr *saddr);
/* The next node up that has routes; NULL above the root. */
struct fib6_node *fib6_backtrack(struct fib6_node *fn,
				 const struct in6_addr *saddr);

/* What to do where the prefix has a route of the same metric already. */
enum fib6_add_mode {
	FIB6_ADD_APPEND,	/* all right, if it leads elsewhere */
	FIB6_ADD_EXCL,		/* an error */
	FIB6_ADD_REPLACE,	/* put the new one in its place */
};

/* Puts a leaf into the trie: 0, -EEXIST or -ENOMEM.  *replaced is the leaf
 * whose place it took, or NULL.  Whoever may meet readers holds tb6_lock. */
int fib6_add(struct fib6_table *table, struct object *leaf,
	     enum fib6_add_mode mode, struct object **replaced);
/* Takes one out that is in it.  Clones below it go too. */
void fib6_del(struct fib6_table *table, struct object *leaf);
/* The node of just this prefix, if it has routes. */
struct fib6_node *fib6_locate(struct fib6_table *table,
			      const struct in6_addr *dst, u32 dst_len,
			      const struct in6_addr *src, u32 src_len);
/* The leaf that says that there is no route. */
struct object *fib6_null_leaf(void);
/* Where the list of leaves goes on. */
struct object *fib6_leaf_next(struct object *leaf);

/* ---- fib6_rules.c ---- */

typedef struct rt6_info *(*pol_lookup_t)(struct net *net,
					 struct fib6_table *table,
					 struct flowi6 *fl6, u32 flags);

struct rt6_info *fib6_rule_lookup(struct net *net, struct flowi6 *fl6,
				  u32 flags, pol_lookup_t lookup);

/* ---- route_add.c ---- */

void ip6_route_init(struct kernel *kernel);
void ip6_route_exit(struct kernel *kernel);

/* Adds a route; false and an error that names it.  Set-up only, as is: removes
 * a leaf. */
bool ip6_route_add(struct kernel *kernel, struct fib6_table *table,
		   const struct fib6_config *cfg, GError **error);
void ip6_del_rt(struct fib6_table *table, struct object *leaf);
/* The table for routes to this host's own addresses. */
struct fib6_table *fib6_local_table(struct kernel *kernel);
/* A leaf has been taken out: the CPUs' ready routes must not be used by those
 * who hold them still. */
void fib6_drop_pcpu_from(struct fib6_info *f6i);

/* ---- addrlabel.c ---- */

struct ip6addrlbl_entry {
	struct object object;
	struct net *lbl_net;
	struct in6_addr prefix;
	u32 prefixlen;
	u32 ifindex;
	u32 addrtype;
	u32 label;
	struct ip6addrlbl_entry *list;	/* the next */
};

struct ip6addrlbl_table {
	struct object object;
	struct ip6addrlbl_entry *head;
};

void ipv6_addr_label_init(struct kernel *kernel);
void ipv6_addr_label_exit(struct kernel *kernel);
u32 ipv6_addr_label(struct net *net, const struct in6_addr *addr, u32 type,
		    u32 ifindex);

#endif
