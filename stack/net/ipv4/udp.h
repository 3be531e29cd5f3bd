/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of IPv4: what sends a datagram. */
#ifndef STACK_NET_IPV4_UDP_H
#define STACK_NET_IPV4_UDP_H

#include "stack/include/net/netns.h"
#include "stack/include/net/sock.h"

#define IP_HLEN 20u
#define UDP_HLEN 8u

/* A datagram in the making: on the stack, or copied from the socket. */
struct ip_cork {
	struct rtable *rt;	/* its reference goes to the packet */
	u32 fragsize;
	u32 length;		/* what is in it by now */
	u16 gso_size;		/* these as in ipcm_cookie */
	u32 mark;
	bool marked;
	u8 ttl;
	s16 tos;
	u32 priority;
};

/* What a message says of its datagram.  On the stack, so it is not charged. */
struct ipcm_cookie {
	u32 oif;		/* 0: nothing */
	u32 addr;		/* the source; 0: nothing */
	u16 gso_size;		/* it is to be cut so; 0: it is not */
	u32 mark;
	bool marked;
	u8 ttl;			/* 0: nothing */
	s16 tos;		/* -1: nothing */
	u32 priority;		/* by the tos */
};

int ip4_datagram_connect(struct sock *sk, const struct sockaddr_any *addr,
			 u32 addr_len);
int inet_sendmsg(struct socket *sock, struct msghdr *msg, u32 len);
int udp_sendmsg(struct sock *sk, struct msghdr *msg, u32 len);
/* Does the socket speak UDP-Lite? */
bool is_udplite(struct sock *sk);
void security_sk_classify_flow(void);
/* A port for a socket that has none; 0 or -errno. */
int inet_autobind(struct inet_sock *inet);
/* May a socket have this address for its own? */
bool inet_addr_valid_or_nonlocal(struct net *net, struct sock *sk, u32 addr);
/* The part of bind() that chooses the port; 0, or 1. */
int inet_bind_port(struct sock *sk, u16 snum);
void ip4_datagram_release_cb(struct sock *sk);
int udp_disconnect(struct sock *sk);
/* What each socket of the Internet's families does before it sends. */
int inet_send_prepare(struct sock *sk);
void udp_init(struct kernel *kernel);
void udp_exit(struct kernel *kernel);

/* Copies data into a packet: to `at` of a page, or without one of the linear
 * part, `odd` bytes behind where a word of its sum begins. */
typedef int (*getfrag_t)(struct sk_buff *skb, struct frag_page *page,
			 const u8 *from, u32 at, u32 len, u32 odd);
/* Without help from the device it sums up on the way. */
int ip_generic_getfrag(struct sk_buff *skb, struct frag_page *page,
		       const u8 *from, u32 at, u32 len, u32 odd);
/* The bytes of the copy alone, and their charges. */
void copy_from_user(struct sk_buff *skb, struct frag_page *page, const u8 *from,
		    u32 at, u32 len);
/* Makes the packet with everything below the UDP header filled in; takes over
 * *rtp.  *cork is for the caller to read; `ipc` is NULL where no message says
 * anything.  NULL and -errno in *err. */
struct sk_buff *ip_make_skb(struct sock *sk, const struct flowi4 *fl4,
			    struct ip_cork *cork, const struct ipcm_cookie *ipc,
			    getfrag_t getfrag,
			    const u8 *data, u32 length, struct rtable **rtp,
			    u32 flags, int *err);
/* The same in several steps, in the socket, which is locked: more data (the
 * first takes over *rtp and sets the flow), and the packet; NULL: there is
 * none.  0 or -errno: what is there must be flushed then. */
int ip_append_data(struct sock *sk, const struct ipcm_cookie *ipc,
		   getfrag_t getfrag, const u8 *data, u32 length,
		   struct rtable **rtp, u32 flags);
struct sk_buff *ip_finish_skb(struct sock *sk, const struct flowi4 *fl4,
			      struct ip_cork *cork);
void ip_flush_pending_frames(struct sock *sk);
/* The IPv4 header of a packet, whose other parts hang on it; length and
 * checksum come with ip_local_out(). */
void __ip_make_skb(struct sock *sk, const struct flowi4 *fl4,
		   struct sk_buff *skb, struct ip_cork *cork);
/* ip_cmsg_send.c: control messages into *ipc, of an IPv6 socket also those of
 * IPv6 that mean IPv4.  0 or -errno. */
int ip_cmsg_send(const struct msghdr *msg, struct ipcm_cookie *ipc,
		 bool allow_ipv6);
/* Those of UDP, which are looked at first: 1: there are others; 0; -errno. */
int udp_cmsg_send(const struct msghdr *msg, u16 *gso_size);
int ip_send_skb(struct sk_buff *skb);
/* The sum of the header and of all the data, as the copies have it. */
u32 udp_csum_outgoing(struct sk_buff *skb, const u8 *uh);
void ip_init(struct kernel *kernel);

int xfrm_lookup(struct dst_entry *dst, const struct sock *sk);
u32 ipv4_mtu(const struct dst_entry *dst);

#endif
