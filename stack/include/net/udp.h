/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UDP's tables of sockets, and the choice of ports (include/net/udp.h, ip.h,
 * inet_connection_sock.h).
 *
 * A socket with a port stands on two chains: one of its port, and one of its
 * port and its own address together.  Chains of kernels that reuse sockets at
 * once end in a mark that tells which chain it is (hlist_nulls): a reader whom
 * a socket has taken along to another chain sees it there.
 */
#ifndef STACK_NET_UDP_H
#define STACK_NET_UDP_H

#include "stack/include/net/sock.h"

#define MAX_UDP_PORTS 65536u
#define UDP_HTABLE_SIZE_MIN 256u
#define UDP_HTABLE_SIZE_MAX 65536u
#define UDP_HTABLE_LOG 7
#define UDP_HTABLE_SIZE (1u << UDP_HTABLE_LOG)	/* before 2.6.33 */
#define PORTS_PER_CHAIN (MAX_UDP_PORTS / UDP_HTABLE_SIZE)

/* A chain: 16 bytes of the kernel's, four to a line. */
struct udp_hslot {
	struct object object;
	struct { void *first; } head;
	u32 count;
	struct spinlock lock;
};

struct udp_table {
	struct object object;
	struct udp_hslot *hash;		/* by port */
	struct udp_hslot *hash2;	/* by address and port */
	u32 mask;
	u32 log;
	u64 *pages;		/* of both, in order; the model's own */
};

/* One CPU's count of the sockets of each protocol. */
#define PROTO_INUSE_NR 64
enum { UDP_INUSE_IDX = 2, UDPLITE_INUSE_IDX = 5, UDPV6_INUSE_IDX = 11,
       UDPLITEV6_INUSE_IDX = 12 };

struct prot_inuse {
	struct object object;
	u32 all;
	u32 val[PROTO_INUSE_NR];
};

/* The range for ports that nobody asked for; and the ports kept out of it. */
struct sysctl_local_ports {
	struct object object;
	struct seqcount lock;
	u32 range[2];
};

struct local_reserved_ports {
	struct object object;
	u64 bits[MAX_UDP_PORTS / 64];
};

/* What the model keeps for all of this; not charged. */
struct udp_room {
	struct udp_table *table;
	struct udplite_room *udplite;	/* NULL before its first socket or
					 * packet */
	bool nulls;			/* chains end in marks */
	struct random_stream *ports;	/* by CPU */
	struct net_rand_state **net_rand_state;	/* by CPU */
	struct batched_entropy_u32 **batched_entropy_u32;	/* by CPU */
	struct base_crng *base_crng;
	struct sysctl_local_ports *local_ports;
	struct local_reserved_ports *reserved_ports;
	struct reuseport_lock *reuseport_lock;
	u32 ehash_secret;
};

/* The end of a chain: nothing, or a mark. */
static inline bool is_a_nulls(const void *p)
{
	return !p || (uintptr_t)p & 1;
}

/* Where kernels cannot tell by themselves: a socket is on a chain. */
/* Marked, though the kernel's load is plain: asked without the lock, it may see
 * a neighbour in the chain come or go, which makes no difference. */
static inline bool sk_unhashed(const struct sock *sk)
{
	return !READ_ONCE(sk, sk_node.pprev);
}

static inline struct udp_sock *udp_sk(struct sock *sk)
{
	return (struct udp_sock *)(void *)sk;
}

static inline struct inet_sock *inet_sk(struct sock *sk)
{
	return (struct inet_sock *)(void *)sk;
}

/* ---- ipv4/udp_table.c ---- */

/* Slots for a machine with that much memory: one for 2 MiB. */
u32 udp_hash_entries(const struct kernel *kernel);
/* A table of its own for a protocol; free it with udp_table_free(). */
struct udp_table *udp_table_new(struct kernel *kernel);
void udp_table_free(struct udp_table *table);
void udp_table_init(struct kernel *kernel);
void udp_table_exit(struct kernel *kernel);
/* The chain of a port; that of an address and port by their hash. */
struct udp_hslot *udp_hashslot(struct udp_table *table, struct net *net,
			       u32 port);
/* The number of slots, less one, and its logarithm; constants before 2.6.33. */
#define UDP_TABLE_MASK(table) \
	(has(UDP_HASH2) ? READ(table, mask) : UDP_HTABLE_SIZE - 1)
#define UDP_TABLE_LOG(table) \
	(has(UDP_HASH2) ? READ(table, log) : UDP_HTABLE_LOG)
struct udp_hslot *udp_hashslot2(struct udp_table *table, u32 hash);
u32 net_hash_mix(const struct net *net);
u32 ipv4_portaddr_hash(const struct net *net, u32 saddr, u32 port);
u32 ipv6_portaddr_hash(const struct net *net, const struct in6_addr *addr,
		       u32 port);

/* ---- ipv4/udp_hash.c, ipv6/udp_hash.c ---- */

/*
 * Gives a socket the port `snum`, or any free one for 0, and puts it on its
 * chains.  0, or 1 if there is none.  `hash2_nulladdr` is the hash of the port
 * with no address.
 */
int udp_lib_get_port(struct sock *sk, u16 snum, u32 hash2_nulladdr);
void udp_lib_unhash(struct sock *sk);
/* The socket's own address has changed, and so its hash. */
void udp_lib_rehash(struct sock *sk, u16 newhash);
/* The same as its protocol does it, which may not (NULL). */
static inline void sk_rehash(struct sock *sk, void (*rehash)(struct sock *sk))
{
	if (rehash)
		rehash(sk);
}

int udp_v4_get_port(struct sock *sk, u16 snum);
void udp_v4_rehash(struct sock *sk);
int udp_v6_get_port(struct sock *sk, u16 snum);
void udp_v6_rehash(struct sock *sk);

/* ---- ipv4/udp_lookup.c, ipv6/udp_lookup.c ---- */

/*
 * The socket of a table for a datagram, NULL: none.  It has a reference, unless
 * UDP_SOCK_RCU_FREE keeps it for as long as the caller reads under RCU.
 */
struct sock *__udp4_lib_lookup(struct net *net, u32 saddr, u16 sport,
			       u32 daddr, u16 dport, u32 dif,
			       struct udp_table *table);
struct sock *__udp6_lib_lookup(struct net *net, const struct in6_addr *saddr,
			       u16 sport, const struct in6_addr *daddr,
			       u16 dport, u32 dif, struct udp_table *table);

/* To each socket for which a datagram of a group is; takes over the packet. */
void __udp4_lib_mcast_deliver(struct net *net, struct sk_buff *skb, u32 saddr,
			      u16 sport, u32 daddr, u16 dport, u32 dif,
			      struct udp_table *table);
void __udp6_lib_mcast_deliver(struct net *net, struct sk_buff *skb,
			      const struct in6_addr *saddr, u16 sport,
			      const struct in6_addr *daddr, u16 dport, u32 dif,
			      struct udp_table *table);

/* ---- ipv4/udp.c, ipv6/udp.c ---- */

/* Options of SOL_UDP and SOL_UDPLITE: 0 or -errno. */
int udp_lib_setsockopt(struct sock *sk, int option, u32 value);
int udp_lib_getsockopt(struct sock *sk, int option, u32 *value);
/* What waits in the socket, which is locked, goes; or is lost. */
int udp_push_pending_frames(struct sock *sk);
void udp_flush_pending_frames(struct sock *sk);
int udp_v6_push_pending_frames(struct sock *sk);
void udp_v6_flush_pending_frames(struct sock *sk);

/* ---- ipv4/inet_connection_sock.c ---- */

/* Do two sockets' own addresses meet, where none means all? */
bool inet_rcv_saddr_equal(struct sock *sk, struct sock *sk2);
/* The same where none means none. */
bool inet_rcv_saddr_same(struct sock *sk, struct sock *sk2);
bool ipv6_only_sock(struct sock *sk);
void inet_sk_get_local_port_range(struct sock *sk, u32 *low, u32 *high);
bool inet_is_local_reserved_port(struct net *net, u16 port);
/* `sysctl -w`: the range; a port that is never chosen. */
void inet_set_local_port_range(struct kernel *kernel, u32 low, u32 high);
void inet_reserve_local_port(struct kernel *kernel, u16 port, bool reserve);

/* ---- core/sock.c ---- */

u32 sock_i_uid(struct sock *sk);
void sock_prot_inuse_add(struct net *net, struct proto *prot, s32 val);

#endif
