/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sockets (include/net/sock.h, inet_sock.h, linux/udp.h). */
#ifndef STACK_NET_SOCK_H
#define STACK_NET_SOCK_H

#include "stack/include/linux/fs.h"
#include "stack/include/linux/in6.h"
#include "stack/include/linux/skbuff.h"
#include "stack/include/net/dst.h"

#define SOCK_DGRAM 2
#define IPPROTO_UDP_NUMBER 17
#define IPPROTO_UDPLITE_NUMBER 136
#define MSG_CONFIRM 0x800
#define MSG_TRUNC 0x20
#define MSG_DONTWAIT 0x40
#define MSG_ERRQUEUE 0x2000
#define MSG_OOB 0x01
#define MSG_MORE 0x8000

enum { TCP_ESTABLISHED = 1, TCP_CLOSE = 7 };
enum { SOCK_USE_WRITE_QUEUE, SOCK_DEAD, SOCK_TIMESTAMPING, SOCK_BROADCAST,
       SOCK_RCU_FREE };

/* setsockopt(): levels and options; in sk_userlocks what a program has bound
 * by itself. */
#define SOL_SOCKET 1
#define SOL_IP 0
#define SOL_IPV6 41
#define SOL_UDP 17
#define UDP_CORK 1
#define UDP_SEGMENT 103	/* the size of datagrams that a write is cut to */
#define UDP_GRO 104	/* the reader takes several of a size at once */
#define SOL_UDPLITE 136
#define UDPLITE_SEND_CSCOV 10	/* bytes that the sum covers; 0: all */
#define UDPLITE_RECV_CSCOV 11	/* the least that a reader wants */
#define UDPLITE_LEAST_COVERAGE 8u	/* the header is always covered */
#define IP_PKTINFO 8
#define IP_MTU_DISCOVER 10
#define IP_RECVERR 11
#define IP_MTU 14
#define IPV6_MTU_DISCOVER 23
#define IPV6_MTU 24
#define IPV6_RECVERR 25
#define IPV6_2292PKTINFO 2
#define IPV6_2292HOPOPTS 3
#define IPV6_2292DSTOPTS 4
#define IPV6_2292RTHDR 5
#define IPV6_2292PKTOPTIONS 6
#define IPV6_2292HOPLIMIT 8
#define IPV6_FLOWINFO 11
#define IPV6_PKTINFO 50
#define IPV6_HOPLIMIT 52
#define IPV6_HOPOPTS 54
#define IPV6_RTHDRDSTOPTS 55
#define IPV6_RTHDR 57
#define IPV6_DSTOPTS 59
#define IPV6_DONTFRAG 62
#define IPV6_TCLASS 67
#define SO_ERROR 4
#define IPV6_RECVPKTINFO 49
#define SO_REUSEADDR 2
#define SO_REUSEPORT_OPTION 15
#define SO_BINDTODEVICE 25
#define IPV6_V6ONLY 26
#define IP_MULTICAST_IF 32	/* a device's index */
#define IP_MULTICAST_TTL 33
#define IP_MULTICAST_LOOP 34
#define IP_ADD_MEMBERSHIP 35
#define IP_DROP_MEMBERSHIP 36
#define IP_UNBLOCK_SOURCE 37
#define IP_BLOCK_SOURCE 38
#define IP_ADD_SOURCE_MEMBERSHIP 39
#define IP_DROP_SOURCE_MEMBERSHIP 40
#define IP_MULTICAST_ALL 49
#define IPV6_MULTICAST_IF 17
#define IPV6_MULTICAST_HOPS 18
#define IPV6_MULTICAST_LOOP 19
#define IPV6_JOIN_GROUP 20
#define IPV6_LEAVE_GROUP 21
#define MCAST_BLOCK_SOURCE 43
#define MCAST_UNBLOCK_SOURCE 44
#define MCAST_JOIN_SOURCE_GROUP 46
#define MCAST_LEAVE_SOURCE_GROUP 47
#define SK_CAN_REUSE 1
#define SOCK_BINDADDR_LOCK 4
#define SOCK_BINDPORT_LOCK 8

#define SEND_SHUTDOWN 2

enum { IP_PMTUDISC_DONT, IP_PMTUDISC_WANT, IP_PMTUDISC_DO,
       IP_PMTUDISC_PROBE, IP_PMTUDISC_INTERFACE, IP_PMTUDISC_OMIT };
#define IPCORK_OPT 1u
#define IPCORK_ALLFRAG 2u

struct msghdr;

struct proto_ops {
	struct object object;
	int (*connect)(struct sock *sk, const struct sockaddr_any *addr,
		       u32 addr_len);	/* the model's: straight to the
					 * protocol */
	int (*sendmsg)(struct socket *sock, struct msghdr *msg, u32 len);
	int (*recvmsg)(struct socket *sock, struct msghdr *msg, u32 len);
	int (*release)(struct socket *sock);
	int (*bind)(struct socket *sock, const struct sockaddr_any *addr,
		    u32 addr_len);
	int (*getname)(struct socket *sock, struct sockaddr_any *addr,
		       bool peer);
	void *owner;		/* no module: built in */
};

struct proto {
	struct object object;
	struct any_cache *slab;
	u32 obj_size;		/* of the C struct */
	void *owner;
	int (*init)(struct sock *sk);	/* 0, or -errno */
	void (*close)(struct sock *sk);
	void (*destroy)(struct sock *sk);
	int (*connect)(struct sock *sk, const struct sockaddr_any *addr,
		       u32 addr_len);
	int (*disconnect)(struct sock *sk);
	int (*bind)(struct sock *sk);	/* NULL: as its family binds */
	int (*get_port)(struct sock *sk, u16 snum);	/* 0, or 1 */
	void (*unhash)(struct sock *sk);	/* NULL: none is hashed */
	void (*rehash)(struct sock *sk);	/* NULL: it stays */
	u32 inuse_idx;
	struct udp_table *h;
	int (*sendmsg)(struct sock *sk, struct msghdr *msg, u32 len);
	void (*release_cb)(struct sock *sk);
	int (*recvmsg)(struct sock *sk, struct msghdr *msg, u32 len);
	/* A packet that came while a task held the socket. */
	int (*backlog_rcv)(struct sock *sk, struct sk_buff *skb);
};

struct security_operations {
	struct object object;
	const void *socket_bind;
	const void *socket_sendmsg;
	const void *socket_recvmsg;
	const void *socket_sock_rcv_skb;
	const void *sk_getsecid;
	const void *socket_create, *socket_post_create;
	const void *sk_alloc_security, *sk_free_security;
};

/* One byte members decide nothing: they are there to be written and read.
 * There may be a million sockets. */
struct sock {
	struct object object;
	u8 memory[1];		/* its first byte */
	u8 sk_prot_creator, sk_type, sk_lingertime, sk_security;
	u8 sk_classid, sk_cgrp_prioidx, sk_cgroup;
	u8 sk_timer, sk_rcvlowat, sk_peer_pid, sk_peer_cred;
	u8 sk_rcvtimeo, sk_stamp, sk_state_change, sk_data_ready;
	u8 sk_error_report, sk_backlog_rcv, sk_send_head;
	u32 sk_omem_alloc;	/* of options and the like, in bytes */
	u32 sk_bound_dev_if;
	u8 sk_state;
	u16 sk_family;
	u8 sk_reuse, sk_reuseport;
	s32 sk_incoming_cpu;	/* -1: none yet */
	struct { void *next, *pprev; } sk_node;	/* of its port's chain */
	struct proto *sk_prot;
	struct net *sk_net;
	struct in6_addr sk_v6_daddr;	/* kernels before 3.13 have these two */
	struct in6_addr sk_v6_rcv_saddr;	/* in the ipv6_pinfo */
	s32 sk_refcnt;
	struct {
		struct spinlock slock;
		u32 owned;		/* by a task */
		struct semaphore wq;	/* where tasks wait for it */
		u32 waiters;		/* the model's own: not charged */
	} sk_lock;
	struct sk_buff_head sk_error_queue;
	struct sk_buff_head sk_receive_queue;
	struct {
		s32 rmem_alloc;		/* of all packets that are here */
		u32 len;
		struct sk_buff *head, *tail;
	} sk_backlog;
	s32 sk_forward_alloc;
	u32 sk_rcvbuf;
	u32 sk_drops;
	s32 sk_peek_off;
	u32 sk_rxhash;
	struct socket_wq *sk_wq;
	void *sk_filter;
	void *sk_policy;
	u64 sk_flags;
	struct dst_entry *sk_rx_dst;	/* of what came in last */
	u32 sk_rx_dst_cookie;
	u32 sk_napi_id, sk_ll_usec;
	struct dst_entry *sk_dst_cache;
	struct spinlock sk_dst_lock;
	struct rwlock sk_dst_rwlock;	/* sk_dst_lock before 2.6.35 */
	s32 sk_tx_queue_mapping;
	s32 sk_wmem_alloc;
	u32 sk_sndbuf;
	struct { struct sk_buff *next, *prev; u32 qlen; } sk_write_queue;
	u8 sk_protocol;
	u8 sk_no_check;
	u32 sk_uid;
	u16 sk_tsflags;
	u32 sk_txhash;
	u32 sk_dst_pending_confirm;
	void *sk_validate_xmit_skb;
	u8 sk_shutdown;
	u8 sk_userlocks;
	u32 sk_allocation;
	u64 sk_route_caps;
	u64 sk_route_nocaps;
	u32 sk_gso_type;
	u32 sk_gso_max_size;
	u16 sk_gso_max_segs;
	u32 sk_err;
	u32 sk_priority;
	u64 sk_sndtimeo;
	struct rwlock sk_callback_lock;
	struct socket *sk_socket;
	u32 sk_mark;
	struct frag_page *sk_sndmsg_page;	/* where the data of fragments goes */
	u32 sk_sndmsg_off;
	void (*sk_write_space)(struct sock *sk);
	void (*sk_destruct)(struct sock *sk);
	struct sock_reuseport *sk_reuseport_cb;
	struct rcu_head sk_rcu;
};

struct inet_sock {
	struct sock sk;
	void *pinet6;
	u32 inet_daddr, inet_rcv_saddr;
	u16 inet_dport;
	u16 inet_num;
	u32 inet_saddr;
	s16 uc_ttl;
	u16 inet_sport;
	u16 inet_id;
	u16 cmsg_flags;
	void *inet_opt;
	u8 is_icsk, mc_ttl, rcv_tos, mc_loop, mc_all;
	struct ip_mc_socklist *mc_list;
	u8 tos;
	u8 pmtudisc;
	u8 recverr;
	u8 freebind;
	u8 bind_address_no_port;
	struct { u16 lo, hi; } local_port_range;	/* 0: none of its own */
	u32 uc_index;
	u32 mc_index;
	u32 mc_addr;
	struct {
		/* The flow of a connected IPv4 socket, from connect() on. */
		struct { u32 saddr, daddr; u16 fl4_dport, fl4_sport; } fl;
		/* Of a packet in the making, where kernels keep that here. */
		u32 flags;
		struct dst_entry *dst;
		void *opt;
		u32 fragsize;
		u32 length;
		struct frag_page *page;	/* where its data goes, up to 3.6 */
		u32 off;
		u16 gso_size;
		/* What a message says of it. */
		u8 ttl, priority;
		s16 tos;	/* -1: nothing */
		u32 mark;
		u64 flow[8];		/* stands for a struct flowi6 */
	} cork;
};

struct udp_sock {
	struct inet_sock inet;
	u16 udp_port_hash;
	u16 udp_portaddr_hash;
	struct { void *next, *pprev; } udp_portaddr_node;
	u32 pending;
	u32 corkflag;
	u16 encap_type;
	u16 len;
	u16 pcslen, pcrlen;	/* UDPLITE_SEND_CSCOV, UDPLITE_RECV_CSCOV */
	u16 pcflag;		/* UDPLITE_BIT and others */
	u16 gso_size;
	u8 no_check6_tx;
	u8 gro_enabled;		/* UDP_GRO */
	struct sk_buff_head reader_queue;
	s32 forward_deficit;
};

/* A message as sendmsg() gets it; on the stack, so not charged. */
struct msghdr {
	const u8 *data;		/* user's bytes */
	const struct sockaddr_any *msg_name;	/* NULL: none */
	u32 msg_namelen;
	u32 msg_flags;
	const u8 *msg_control;	/* sendmsg(): ancillary data, linux/socket.h */
	u32 msg_controllen;
	u8 *to;			/* recvmsg(): the user's; NULL: nobody looks */
	struct sockaddr_any *from;	/* NULL: nobody wants to know */
	struct recv_pktinfo *pktinfo;	/* NULL: no room for it */
	u32 *gso_size;		/* recvmsg(): of a part, with UDP_GRO; left as it
				 * is without parts.  NULL likewise */
	struct recv_error *error;	/* with MSG_ERRQUEUE; NULL likewise */
};

/* What IP_RECVERR and IPV6_RECVERR give. */
struct recv_error {
	bool valid;
	struct sock_exterr ee;
	struct sockaddr_any offender;	/* .family 0: this host itself */
};

/* Packet info of either family, for a socket that has asked for it. */
struct recv_pktinfo {
	bool valid;
	u32 ifindex;
	u32 addr, spec_dst;	/* IPv4: where it went to, and what to answer
				 * from */
	struct in6_addr addr6;
};

/* The model's own: all memory that UDP's sockets hold, in pages. */
struct udp_memory {
	struct object object;
	s64 memory_allocated;
};

/* One of the locks that packets for a full socket pass one by one; the kernel
 * has an array of them. */
struct udp_busylock {
	struct object object;
	struct spinlock lock;
};

#define UDP_BUSYLOCKS 64u	/* as on a machine of four CPUs */
#define SOCK_SNDBUF_DEFAULT 212992u	/* sysctl_wmem_default at 3.6 */
#define SOCK_RCVBUF_DEFAULT 212992u	/* sysctl_rmem_default */

/* A new socket of a protocol with nothing set, NULL without memory; then what
 * all sockets start with. */
struct sock *sk_alloc(struct net *net, int family, struct proto *prot);
void sock_init_data(struct socket *sock, struct sock *sk);
/* What a protocol's close() does: the socket is taken from its user, and ends
 * when nobody holds it any more. */
void sk_common_release(struct sock *sk);
void sock_hold(struct sock *sk);
void sock_put(struct sock *sk);
/* Of whoever changes the route in a socket, where kernels have such a lock. */
#define SK_DST_WRITE_LOCK(sk) \
	do { \
		if (!has(SK_DST_RCU)) \
			WRITE_LOCK(sk, sk_dst_rwlock); \
		else if (!has(SK_DST_XCHG)) \
			SPIN_LOCK(sk, sk_dst_lock); \
	} while (0)
#define SK_DST_WRITE_UNLOCK(sk) \
	do { \
		if (!has(SK_DST_RCU)) \
			WRITE_UNLOCK(sk, sk_dst_rwlock); \
		else if (!has(SK_DST_XCHG)) \
			SPIN_UNLOCK(sk, sk_dst_lock); \
	} while (0)

/* For who knows that no reference is left: packets on their way may still
 * keep it. */
void sk_free(struct sock *sk);
void sk_destruct(struct sock *sk);
/* After sk_wmem_alloc was lowered to `left`: the last one frees it. */
void sk_wmem_put(struct sock *sk, s32 left);
void sock_def_write_space(struct sock *sk);

/* net/ipv4/ and net/ipv6/: their beginning and end. */
void inet_sock_init(struct socket *sock, struct inet_sock *inet, u8 protocol);
int inet_create(struct net *net, struct socket *sock, int protocol);
int inet_release(struct socket *sock);
int inet_bind(struct socket *sock, const struct sockaddr_any *addr, u32 len);
int inet6_bind(struct socket *sock, const struct sockaddr_any *addr, u32 len);
int inet_getname(struct socket *sock, struct sockaddr_any *addr, bool peer);
int inet6_getname(struct socket *sock, struct sockaddr_any *addr, bool peer);
int inet_dgram_connect(struct sock *sk, const struct sockaddr_any *addr,
		       u32 addr_len);
/* An IPv6 socket loses its own address. */
void inet6_reset_saddr(struct sock *sk);
int ipv6_set_v6only(struct sock *sk, bool only);
void inet_sock_destruct(struct sock *sk);
int inet6_create(struct net *net, struct socket *sock, int protocol);
int inet6_release(struct socket *sock);
void inet6_destroy_sock(struct sock *sk);
u32 udp_slab_flags(const struct kernel *kernel);	/* of both caches */
void udp_lib_close(struct sock *sk);
int udp_init_sock(struct sock *sk);
void udp_destroy_sock(struct sock *sk);
int udpv6_init_sock(struct sock *sk);
void udpv6_destroy_sock(struct sock *sk);

/* Looks, uncharged, how much of a socket's memory this core holds; for
 * sk_prot_alloc(), before anything is written. */
void sock_count_reuse(const struct sock *sk);

struct sk_buff *sock_alloc_send_skb(struct sock *sk, u32 size, bool noblock,
				    int *err);
void skb_set_owner_w(struct sk_buff *skb, struct sock *sk);
void sock_wfree(struct sk_buff *skb);
struct dst_entry *sk_dst_check(struct sock *sk, u32 cookie);
void sk_dst_set(struct sock *sk, struct dst_entry *dst);
/* The same, and what the route's device can do.  Where there is an sk_dst_lock
 * the caller holds it. */
void sk_setup_caps(struct sock *sk, struct dst_entry *dst);
/* A new random hash for what a connected socket sends; where sockets have
 * one. */
void sk_set_txhash(struct sock *sk);

/* What came while a task held the socket; core/sock_rcv.c. */
void __release_sock(struct sock *sk);
/* The task's hold on a socket; may sleep until another lets it go. */
void lock_sock_nested(struct sock *sk);
void release_sock(struct sock *sk);
/* The same for a moment: true if it had to be taken in full. */
bool lock_sock_fast(struct sock *sk);
void unlock_sock_fast(struct sock *sk, bool slow);

/* Is a socket's wait queue part of it?  At first, and again since 5.3. */
static inline bool socket_wq_embedded(void)
{
	return !has(SOCKET_WQ) || has(SOCKET_WQ_EMBEDDED);
}

/* net/socket.c: the system calls.  They return what the kernel would: a count
 * or -errno. */
int sys_socket(int family, int type, int protocol);
int sys_sendto(int fd, const u8 *data, u32 len, u32 flags,
	       const struct sockaddr_any *name, u32 name_len);
int sys_connect(int fd, const struct sockaddr_any *name, u32 name_len);
int sys_close(int fd);
int sys_bind(int fd, const struct sockaddr_any *name, u32 name_len);
int sys_getsockname(int fd, struct sockaddr_any *name);
/* With a name, flags and ancillary data as `msg` has them. */
int sys_sendmsg(int fd, struct msghdr *msg, u32 len);
/* With all that `msg` has room for; it is the caller's. */
int sys_recvmsg(int fd, struct msghdr *msg, u32 len);
/* SOL_SOCKET: SO_REUSEADDR, SO_REUSEPORT_OPTION and SO_BINDTODEVICE, which
 * takes the device's index in place of its name; SOL_IPV6: IPV6_V6ONLY; SOL_UDP
 * and SOL_UDPLITE, which are the same: UDP_CORK, UDP_SEGMENT, UDP_GRO, and what
 * a checksum covers. */
int sys_setsockopt(int fd, int level, int option, u32 value);
/* SOL_SOCKET: SO_ERROR; SOL_IP and SOL_IPV6: the MTU of a connected socket's
 * path, or -ENOTCONN; SOL_UDP and SOL_UDPLITE as above. */
int sys_getsockopt(int fd, int level, int option, u32 *value);
/* The options of SOL_IPV6 that are bytes: headers of packets.  *len is the room
 * that there is, and then how much the option has. */
int sys_setsockopt_bytes(int fd, int level, int option, const u8 *bytes,
			 u32 len);
int sys_getsockopt_bytes(int fd, int level, int option, u8 *bytes, u32 *len);
/* The options that name a group, of SOL_IP and SOL_IPV6. */
struct group_source_req {
	u32 ifindex;		/* 0: by `address`, or by a route */
	u32 address;		/* of this host */
	u32 group, source;
	struct in6_addr group6, source6;
};
int sys_setsockopt_group(int fd, int level, int option,
			 const struct group_source_req *req);
/* Memberships change by one at a time. */
void rtnl_lock(void);
void rtnl_unlock(void);
/* Does a sender want its own datagrams for groups?  NULL: yes. */
bool sk_mc_loop(struct sock *sk);
int dev_loopback_xmit(struct sk_buff *skb);
struct rtnl_mutex {
	struct object object;
	struct mutex mutex;
};
/* What the system calls share. */
struct socket *sockfd_lookup_light(int fd, int *err, int *fput_needed);
int move_addr_to_kernel(u32 len);
int sock_sendmsg(struct socket *sock, struct msghdr *msg, u32 len);
/* net/socket_recv.c: `to` and `from` may be NULL. */
int sys_recvfrom(int fd, u8 *to, u32 len, u32 flags, struct sockaddr_any *from);

/* One CPU's count of sockets; a namespace has such a count later. */
struct sockets_in_use {
	struct object object;
	s32 sockets_in_use;
};

/* What the sockets and system calls keep for the kernel. */
struct socket_room {
	struct any_cache *udp_cache;
	struct any_cache *file_cache;
	struct any_cache *socket_cache;
	struct any_cache *task_cache;
	struct any_cache *pid_cache;
	struct any_cache *signal_cache;
	struct task_struct *init_task;	/* the parent of all */
	struct netlink_table *diag_table;	/* NETLINK_SOCK_DIAG's */
	struct any_cache *cred_cache;
	struct nsproxy *nsproxy;
	struct css_set *css_set;
	struct cgroup_refcnt **cgroup_refcnt;	/* by CPU */
	struct sockets_in_use **in_use;	/* by CPU */
	u32 last_pid;
	struct any_cache *files_cache;
	struct any_cache *udp6_cache;
	struct proto *udp_prot;
	struct proto *udpv6_prot;
	struct proto_ops *inet_dgram_ops;
	struct proto_ops *inet6_dgram_ops;
	struct security_operations *security_ops;
	struct udp_memory *udp_memory;
	struct udp_busylock *udp_busylocks[UDP_BUSYLOCKS];
	struct random_stream *txhash;	/* by CPU */
	u64 sockets_made, sockets_hot;	/* sock_reuse.c */
	/* Datagrams whose socket ended before they were read: the kernel does
	 * not count them. */
	u64 unread;
};

#endif
