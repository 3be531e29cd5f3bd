/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packet buffers (include/linux/skbuff.h). */
#ifndef STACK_LINUX_SKBUFF_H
#define STACK_LINUX_SKBUFF_H

#include "stack/include/linux/mm.h"

#define SMP_CACHE_BYTES 64u
#define SKB_DATA_ALIGN(x) (((x) + SMP_CACHE_BYTES - 1) & ~(SMP_CACHE_BYTES - 1))

enum { CHECKSUM_NONE, CHECKSUM_UNNECESSARY, CHECKSUM_COMPLETE,
       CHECKSUM_PARTIAL };

#define SKB_GSO_UDP_L4 (1u << 17)

/* A piece of the data in a page. */
struct skb_frag {
	struct frag_page *page;
	u32 offset;
	u32 size;
};

/* Room for 64 KiB that begin anywhere in a page; 18 in 2.6.32. */
#define MAX_SKB_FRAGS 17u

struct skb_shared_info {
	struct object object;
	u8 flags;
	u8 nr_frags;
	u8 tx_flags;
	u32 tskey;
	u16 gso_size;
	u16 gso_segs;
	u32 gso_type;		/* SKB_GSO_* */
	struct sk_buff *frag_list;
	u32 dataref;
	void *destructor_arg;
	struct skb_frag frags[MAX_SKB_FRAGS];
};

/* The linear part: the packet's real bytes, then the shared info at `end`.  What
 * stands in pages comes behind the tail, and is counted on from there. */
struct skb_head {
	struct object object;
	struct skb_shared_info shinfo;
	u32 size;		/* bytes of data[] */
	u8 data[];
};

/* A queue of packets; net/core/sock_rcv.h has what is done with it. */
struct sk_buff_head {
	struct sk_buff *next, *prev;
	u32 qlen;
	struct spinlock lock;
};

/* An error in a socket's queue, in the kernel sock_extended_err and some. */
struct sock_exterr {
	u32 ee_errno;
	u8 ee_origin, ee_type, ee_code;
	u32 ee_info;		/* an MTU, or which byte is wrong */
	u16 addr_offset;	/* from the IP header on: whom it was for */
	u16 port;		/* 0: nobody knows */
};

enum {	/* sock_exterr.ee_origin */
	SO_EE_ORIGIN_LOCAL = 1,
	SO_EE_ORIGIN_ICMP = 2,
	SO_EE_ORIGIN_ICMP6 = 3,
};

struct sk_buff {
	struct object object;
	struct sk_buff *next;
	struct sk_buff *prev;
	u64 tstamp;
	struct sock *sk;
	struct net_device *dev;
	struct {
		u32 flags;
		/* IPv4's, behind UDP: for who asks for packet info. */
		u32 ipi_ifindex, ipi_spec_dst;
		u32 frag_offset;	/* of a fragment that waits */
		struct sock_exterr err;	/* in a queue of errors */
		/* UDP-Lite's: the sum covers that many bytes, not all. */
		u16 cscov;
		u8 partial_cov;
	} cb;
	struct dst_entry *_skb_refdst;
	bool dst_noref;		/* the kernel has it as a bit of the pointer */
	void *sp;
	u32 len;
	u32 data_len;
	u16 mac_len;
	u16 hdr_len;
	u32 csum;
	u16 csum_start;
	u16 csum_offset;
	u32 priority;
	u8 cloned;
	u8 ip_summed;
	u8 local_df;
	u8 nohdr;
	u8 fclone;
	u8 pkt_type;
	u16 protocol;
	void (*destructor)(struct sk_buff *skb);
	void *nfct;
	void *nfct_reasm;
	u32 skb_iif;
	u32 napi_id;
	u32 rxhash;
	u16 vlan_tci;
	u16 queue_mapping;
	u8 ooo_okay;
	u8 pfmemalloc;
	u8 head_frag;
	u8 dst_pending_confirm;
	u8 active_extensions;
	u16 alloc_cpu;
	u32 mark;
	u32 transport_header;
	u32 network_header;
	u32 mac_header;
	u32 tail;
	u32 end;
	struct skb_head *head;
	u32 data;		/* offset into head->data */
	u32 truesize;
	u32 users;
};

/* Host pointers to the packet's bytes: uncharged. */
static inline u8 *skb_bytes(const struct sk_buff *skb, u32 offset)
{
	return skb->head->data + offset;
}

#define READ_SKB_DATA(skb, from, len) \
	READ_BYTES((skb)->head, data, from, len)
#define COPY_SKB_DATA(skb, from, len) COPY((skb)->head, data, from, len)
#define WRITE_SKB_DATA(skb, from, len) \
	WRITE_BYTES((skb)->head, data, from, len)

struct sk_buff *alloc_skb(u32 size, gfp_t gfp);
struct sk_buff *__alloc_skb(u32 size, gfp_t gfp, int flags, int node);
void skb_reserve(struct sk_buff *skb, u32 len);
/* These give the offset of the new room into head->data. */
u32 skb_put(struct sk_buff *skb, u32 len);
u32 skb_push(struct sk_buff *skb, u32 len);
void kfree_skb(struct sk_buff *skb);
/* What hangs on each other by `next`; NULL: nothing. */
void kfree_skb_list(struct sk_buff *segs);
/* The packet's route goes, and its reference, if it has one. */
void skb_dst_drop(struct sk_buff *skb);
/* A copy of the header that shares the bytes; NULL without memory. */
struct sk_buff *skb_clone(struct sk_buff *skb);
void consume_skb(struct sk_buff *skb);
/* For the last user. */
void __kfree_skb(struct sk_buff *skb);
/* The same where nothing hangs on it but its data. */
void consume_stateless_skb(struct sk_buff *skb);
/* Bytes in pages. */
u32 skb_paged_len(const struct sk_buff *skb);
/*
 * The longest piece in one place of the `len` bytes that begin at `from`: in
 * the linear part, if page is NULL, else in a page.
 */
struct skb_piece {
	struct frag_page *page;
	u32 at, len;
};
struct skb_piece skb_piece(const struct sk_buff *skb, u32 from, u32 len);
/* Reads all of a piece, as a copy does; gives the host's pointer to it. */
const u8 *skb_copy_piece(const struct sk_buff *skb,
			 const struct skb_piece *piece);
/* What a copy of `len` bytes reads, from `from` on and wherever they are; `to`
 * is the host's.  The copy's instructions are its caller's. */
void skb_read_bits(const struct sk_buff *skb, u32 from, u8 *to, u32 len);
/* Their sum, added to `sum`; `from` is where a word begins. */
u32 skb_checksum(const struct sk_buff *skb, u32 from, u32 len, u32 sum);
/* Cuts a packet without a frag_list to `len` bytes; less than it has. */
void pskb_trim_unique(struct sk_buff *skb, u32 len);
/* All bytes from skb->data on in one place, for who stands outside the model:
 * uncharged, and until the next call. */
const u8 *skb_all_bytes(const struct kernel *kernel,
			const struct sk_buff *skb);
/* Completes a CHECKSUM_PARTIAL packet in software; 0 or -errno. */
int skb_checksum_help(struct sk_buff *skb);

void skb_init(struct kernel *kernel);

#endif
