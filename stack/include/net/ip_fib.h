/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The IPv4 forwarding information base (include/net/ip_fib.h): tables of
 * prefixes, each a trie, and what their routes lead to.  Up to Linux 3.19 it is
 * an LC-trie with leaves of their own (net/ipv4/fib_trie_lc.c):
 *
 *	fib_table -> tnode -> ... -> leaf -> leaf_info -> fib_alias -> fib_info
 *	             (branches)     (key)   (one plen)    (one tos)     fib_nh[]
 *
 * With FIB_TRIE_KEY_VECTOR all nodes are tnodes, a leaf is one without bits,
 * and the aliases of all lengths hang on it (net/ipv4/fib_trie.c):
 *
 *	fib_table -> tnode -> ... -> tnode -> fib_alias -> fib_info
 *	             (branches)     (leaf)   (slen, tos)   fib_nh[]
 *
 * Addresses are in host order.  Tables change at set-up, never while packets
 * run: what is removed is freed at once, where the kernel waits for readers.
 * Changes are not charged, but for their allocations and the look-up of a
 * gateway; look-ups are.
 */
#ifndef STACK_NET_IP_FIB_H
#define STACK_NET_IP_FIB_H

#include "stack/include/linux/rcupdate.h"
#include "stack/kernel.h"

/* A route's type. */
enum {
	RTN_UNSPEC,
	RTN_UNICAST,
	RTN_LOCAL,
	RTN_BROADCAST,
	RTN_ANYCAST,
	RTN_MULTICAST,
	RTN_BLACKHOLE,
	RTN_UNREACHABLE,
	RTN_PROHIBIT,
	RTN_THROW,
	NUM_RTN
};

/* How far away a destination is: the larger, the nearer. */
enum {
	RT_SCOPE_UNIVERSE = 0,
	RT_SCOPE_SITE = 200,
	RT_SCOPE_LINK = 253,
	RT_SCOPE_HOST = 254,
	RT_SCOPE_NOWHERE = 255,
};

enum {
	RT_TABLE_MAIN = 254,
	RT_TABLE_LOCAL = 255,
};

enum {
	RTPROT_UNSPEC = 0,
	RTPROT_KERNEL = 2,
	RTPROT_BOOT = 3,
};

#define RTNH_F_DEAD 1u
#define FA_S_ACCESSED 1u

/* One CPU's cached route of a nexthop, on that CPU's node. */
struct nh_pcpu_rth {
	struct object object;
	struct rtable *rth;
};

/* What was learnt of the path to one destination: net/ipv4/route_exception.c. */
struct fib_nh_exception {
	struct object object;
	struct fib_nh_exception *fnhe_next;
	u32 fnhe_genid;
	u32 fnhe_daddr;
	u32 fnhe_pmtu;
	bool fnhe_mtu_locked;	/* so small that packets may be cut on the way */
	u64 fnhe_expires;	/* a jiffy; 0: never */
	struct rtable *fnhe_rth_output;	/* its ready route, or NULL */
	u64 fnhe_stamp;		/* the jiffy of its last change or new route */
	struct rcu_head rcu;
};

#define FNHE_HASH_SHIFT 11u
#define FNHE_HASH_SIZE (1u << FNHE_HASH_SHIFT)

/* A nexthop's table of them; the kernel's is an array of these. */
struct fnhe_hash_bucket {
	struct object object;
	struct fib_nh_exception *chain[FNHE_HASH_SIZE];
};

/* The variables of that file. */
struct fnhe_vars {
	struct object object;
	struct spinlock fnhe_lock;
	u32 ip_rt_min_pmtu;
	u32 ip_rt_mtu_expires;	/* in jiffies */
	u64 fnhe_hash_key[2];
	/* The model's own. */
	struct random_stream random;
	u32 count;		/* of exceptions */
};

/* Stands in its fib_info's memory, after the header. */
struct fib_nh {
	struct object object;
	struct net_device *nh_dev;
	struct fib_info *nh_parent;
	u32 nh_flags;
	u8 nh_scope;
	u8 nh_gw_family;	/* PF_INET where there is a gateway */
	u32 nh_oif;
	u32 nh_gw;
	u32 nh_saddr;
	s32 nh_saddr_genid;
	struct nh_pcpu_rth **nh_pcpu_rth_output;	/* by CPU */
	struct rtable *nh_rth_input;
	struct fnhe_hash_bucket *nh_exceptions;	/* NULL: there were none yet */
};

struct fib_info {
	struct object object;
	struct ip_fib *fib;	/* the model's own: not charged */
	s32 fib_treeref;	/* aliases that use it */
	s32 fib_clntref;
	u32 fib_flags;
	u8 fib_dead;
	u8 fib_protocol;
	u8 fib_scope;
	u8 fib_type;
	u32 fib_prefsrc;
	u32 fib_priority;
	u32 fib_nhs;
	void *nh;		/* a nexthop object: always NULL, none are made */
	struct fib_nh *fib_nh;	/* the kernel's is an array in place */
};

struct fib_alias {
	struct object object;
	struct fib_alias *fa_list;	/* next: tos falls, priority rises */
	struct fib_info *fa_info;
	u8 fa_tos;
	u8 fa_type;
	u8 fa_state;
	/* With key vectors: of which prefix, and of which table. */
	u8 fa_slen;		/* bits behind the prefix */
	u32 tb_id;
};

/* ---- the LC-trie ---- */

struct leaf_info {
	struct object object;
	struct leaf_info *hlist;	/* the next, with a smaller plen */
	u32 plen;
	u32 mask_plen;		/* the netmask of plen */
	struct fib_alias *falh;	/* the first alias */
};

/* A node of the trie is a tnode or a leaf; which one stands in the low bit of
 * the kernel's parent word, so that asking reads that. */
struct leaf {
	struct object object;
	struct tnode *parent;
	u32 key;
	struct leaf_info *list;	/* the first */
};

struct tnode {
	struct object object;
	struct tnode *parent;
	u32 full_children;	/* tnodes that skip no bit */
	u32 empty_children;
	/* In the LC-trie. */
	u32 key;		/* the bits before pos */
	u8 pos;			/* first bit that chooses a child, 0: highest */
	u8 bits;		/* how many do */
	struct object **child;	/* 1 << bits; the kernel's array is in place */
	/* The key vector. */
	struct {
		u32 key;	/* the bits above pos + bits; a leaf's: all */
		u8 pos;		/* lowest bit that chooses a child, 0: lowest */
		u8 bits;	/* how many do; 0: it is a leaf */
		u8 slen;	/* the most bits behind a prefix below */
		struct tnode **tnode;	/* the children, as `child` */
		struct fib_alias *leaf;	/* in the same place: a leaf's first */
	} kv;
};

/* One CPU's counts of look-ups in a trie of key vectors. */
struct trie_use_stats {
	struct object object;
	u32 gets;
	u32 backtrack;
	u32 semantic_match_passed;
	u32 semantic_match_miss;
	u32 null_node_hit;
};

struct fib_table {
	struct object object;
	struct ip_fib *fib;	/* the model's own: not charged */
	u32 tb_id;
	u32 tb_num_default;
	struct object *trie;	/* the LC-trie's root */
	/*
	 * Key vectors: the table in whose memory the trie is, this one or
	 * that with which it shares; and the trie, whose own key vector has
	 * the root for its only child.
	 */
	struct fib_table *tb_data;
	struct {
		struct { u32 key; u8 pos; struct tnode *tnode; } kv;
		struct trie_use_stats **stats;	/* by CPU */
	} __data;
};

/* What a look-up asks for: the part of a flow that routing looks at. */
struct fib_key {
	u32 daddr;
	u32 saddr;		/* for rules; a table does not look at it */
	u32 oif;		/* ifindex, 0: any */
	u8 tos;
	u8 scope;		/* routes of a wider scope will not do */
};

/* What it finds; lives on the stack, so it is not charged. */
struct fib_result {
	u8 prefixlen;
	u8 nh_sel;
	u8 type;
	u8 scope;
	struct fib_info *fi;
	struct fib_table *table;
};

#define FIB_RES_NH(res) (&(res).fi->fib_nh[(res).nh_sel])

/* A way out.  With a gateway, the device may be left to the table. */
struct fib_nexthop {
	struct net_device *dev;
	u32 oif;		/* the device's ifindex, 0: none given */
	u32 gw;			/* 0: the destination is on the link */
	u32 saddr;		/* the device's own address as
				 * inet_select_addr() would choose it */
};

/* A route to add or to remove. */
struct fib_config {
	u32 fc_dst;
	u8 fc_dst_len;
	u8 fc_tos;
	u8 fc_protocol;
	u8 fc_scope;
	u8 fc_type;
	bool fc_append;		/* a second route of this prefix, tos and
				 * priority goes behind the first, as those
				 * that the kernel makes; else it is an error */
	u32 fc_priority;
	u32 fc_prefsrc;
	struct fib_nexthop fc_nh;
	const struct fib_nexthop *fc_mp;	/* several ways, or NULL */
	u32 fc_mp_len;
};

struct fib_trie_ops;		/* one of the two kinds of trie */

/* What all tables of a kernel share; the lookup order is that of `tables`. */
struct ip_fib {
	struct kernel *kernel;
	const struct fib_trie_ops *ops;
	struct any_cache *fn_alias_kmem;
	struct any_cache *trie_leaf_kmem;
	GPtrArray *tables;	/* struct fib_table *, in order of making */
	GPtrArray *infos;	/* struct fib_info *, each once */
	GPtrArray *spare_cells;	/* struct nh_pcpu_rth **, of freed nexthops */
};

/* By type: what a look-up that hits it returns, and the widest scope that a
 * route of the type may have. */
struct fib_prop {
	int error;
	u8 scope;
};
extern const struct fib_prop fib_props[NUM_RTN];

/* ---- fib_table.c: what the two tries have in common ---- */

/* Makes what the tables share; free with fib_trie_exit(), tables first. */
struct ip_fib *fib_trie_init(struct kernel *kernel);
void fib_trie_exit(struct ip_fib *fib);

/*
 * An empty table; NULL when memory has run out.  fib_table_free() removes all
 * its routes.  With key vectors the tables "local" and "main" share main's
 * trie, as they do in the kernel until rules are added: making the first makes
 * both, and "local" must be freed first.
 */
struct fib_table *fib_table_new(struct ip_fib *fib, u32 id);
void fib_table_free(struct fib_table *tb);

/* Adds a route.  False and an error where the configuration makes no sense,
 * a gateway cannot be reached, or there is such a route. */
bool fib_table_insert(struct fib_table *tb, const struct fib_config *cfg,
		      GError **error);
/*
 * Removes the first route of this prefix and tos that fits what is given of
 * type, scope (RT_SCOPE_NOWHERE: any), preferred source, protocol, priority,
 * device and gateway (0: any).  False and an error if there is none.
 */
bool fib_table_delete(struct fib_table *tb, const struct fib_config *cfg,
		      GError **error);

/* Whether an alias of the right prefix is such a route. */
bool fib_alias_matches(const struct fib_alias *fa,
		       const struct fib_config *cfg);

/* A kind of trie. */
struct fib_trie_ops {
	struct any_cache *(*leaf_cache)(struct kernel *kernel);
	/* What a new table needs; or NULL. */
	void (*init)(struct fib_table *tb);
	/* fib_table_lookup() */
	int (*lookup)(struct fib_table *tb, const struct fib_key *flp,
		      struct fib_result *res);
	/* Adds an alias for a fib_info; false and an error. */
	bool (*insert)(struct fib_table *tb, const struct fib_config *cfg,
		       struct fib_info *fi, GError **error);
	bool (*delete)(struct fib_table *tb, const struct fib_config *cfg);
	void (*flush)(struct fib_table *tb);	/* all routes of the table */
};
extern const struct fib_trie_ops fib_trie_ops, fib_trie_lc_ops;

/*
 * Finds the route with the longest matching prefix.  0 and the result, or
 * -errno: that of the route's type (fib_props), -ENETUNREACH where none
 * matches (the kernel says 1, later -EAGAIN).  Takes no reference, as
 * FIB_LOOKUP_NOREF.  The kernel once had this pointer in the table too.
 */
static inline int tb_lookup(struct fib_table *tb, const struct fib_key *flp,
			    struct fib_result *res)
{
	return tb->fib->ops->lookup(tb, flp, res);
}

/* Of an LC-trie. */
static inline bool fib_node_is_leaf(const struct object *n)
{
	return n->type == &this_kernel()->types[STRUCT_leaf];
}

/* ---- fib_semantics.c ---- */

/* The fib_info of a route, shared with the routes that lead to the same; its
 * treeref counts this one.  NULL and an error. */
struct fib_info *fib_create_info(struct ip_fib *fib,
				 const struct fib_config *cfg, GError **error);
void fib_release_info(struct fib_info *fi);
void fib_info_put(struct fib_info *fi);

/* Whether a route to remove may mean this one. */
bool fib_nh_match(const struct fib_config *cfg, const struct fib_info *fi);

/* A device goes down: its nexthops are dead, and so are routes with no other.
 * And comes up again.  The number of routes' fib_infos that changed. */
u32 fib_sync_down_dev(struct ip_fib *fib, const struct net_device *dev);
u32 fib_sync_up(struct ip_fib *fib, const struct net_device *dev);

/* Looks through all tables in order, as fib_lookup() does with no rules. */
int fib_lookup_tables(struct ip_fib *fib, const struct fib_key *flp,
		      struct fib_result *res);

/* Sets an error about a route, which the message names first. */
G_GNUC_PRINTF(3, 4)
bool fib_error(GError **error, const struct fib_config *cfg, const char *format,
	       ...);

/* Memory of kmalloc(), zeroed behind its object: for kzalloc(). */
void *fib_zalloc(u32 size, enum struct_id id, size_t c_size);

#endif
