/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models how __ip_append_data() of net/ipv4/ip_output.c, and its like of IPv6,
 * puts more data of the user into a packet: into a page that the task keeps
 * (skb_page_frag_refill() of net/core/sock.c), or before 3.7 into one that is
 * the socket's as long as the datagram is in the making.
 */
#include <errno.h>

#include "stack/include/linux/fs.h"
#include "stack/net/ipv4/ip_output_frag.h"
#include "stack/net/ipv4/udp.h"

#define SKB_FRAG_PAGE_ORDER 3u	/* 32 KiB */
#define SKB_FRAG_LEAST 32u	/* bytes: less is not worth it */
#define __GFP_WAIT 0x10u

/* Where the next bytes of a packet go; it is the last of its pages by then. */
struct room {
	struct frag_page *page;
	u32 at, len;
};

/* At least so many bytes in the page that the task keeps, or in a new one.  A
 * page that nobody else holds is begun again. */
static bool skb_page_frag_refill(struct task_struct *task, u32 least, gfp_t gfp)
{
	struct frag_page *page = READ(task, task_frag.page);

	FUNCTION(skb_page_frag_refill);
	if (page) {
		if (page_count(page) == 1) {
			WRITE(task, task_frag.offset, 0);
			return true;
		}
		if (READ(task, task_frag.offset) + least <=
		    READ(task, task_frag.size))
			return true;
		put_page(page);
	}
	WRITE(task, task_frag.offset, 0);
	page = alloc_frag_page(gfp & ~__GFP_WAIT, SKB_FRAG_PAGE_ORDER);
	if (!page)
		page = alloc_frag_page(gfp, 0);
	WRITE(task, task_frag.page, page);
	if (!page)
		return false;
	WRITE(task, task_frag.size, page->size);
	return true;
}

/* One more page of a packet, of which nothing is its own yet; `shared`: with a
 * reference of its own.  0 or -errno. */
static int fill_page_desc(struct sk_buff *skb, struct frag_page *page, u32 at,
			  bool shared)
{
	struct skb_shared_info *shinfo = &skb->head->shinfo;
	const struct skb_frag frag = { .page = page, .offset = at };
	u32 n = READ(shinfo, nr_frags);

	if (n == MAX_SKB_FRAGS)
		return -EMSGSIZE;
	WRITE_AT(shinfo, frags, n, frag);
	WRITE(shinfo, nr_frags, (u8)(n + 1));
	if (shared)
		get_page(page);
	return 0;
}

/* Does the packet's last page end where the next bytes would go? */
static bool skb_can_coalesce(const struct sk_buff *skb,
			     const struct frag_page *page, u32 at)
{
	const struct skb_shared_info *shinfo = &skb->head->shinfo;
	u32 n = READ(shinfo, nr_frags);
	struct skb_frag frag;

	if (!n)
		return false;
	frag = READ_AT(shinfo, frags, n - 1);
	return frag.page == page && frag.offset + frag.size == at;
}

static int room_of_task(struct sock *sk, struct sk_buff *skb, u32 want,
			struct room *room)
{
	struct task_struct *task = GET_CURRENT();
	gfp_t gfp = READ(sk, sk_allocation);
	int err;

	if (!skb_page_frag_refill(task, SKB_FRAG_LEAST, gfp))
		return -ENOMEM;
	room->page = READ(task, task_frag.page);
	room->at = READ(task, task_frag.offset);
	if (!skb_can_coalesce(skb, room->page, room->at)) {
		err = fill_page_desc(skb, room->page, room->at, true);
		if (err)
			return err;
	}
	room->len = MIN(want, READ(task, task_frag.size) - room->at);
	UPDATE(task, task_frag.offset, += room->len);
	return 0;
}

/* The page of a datagram in the making: in IPv4's part of the socket, or in
 * that of all sockets. */
static struct frag_page *sock_page(struct sock *sk, bool ip6, u32 *at)
{
	struct inet_sock *inet = (struct inet_sock *)(void *)sk;
	struct frag_page *page = ip6 ? READ(sk, sk_sndmsg_page) :
				 READ(inet, cork.page);

	*at = ip6 ? READ(sk, sk_sndmsg_off) : READ(inet, cork.off);
	return page;
}

static void sock_page_set(struct sock *sk, bool ip6, struct frag_page *page,
			  u32 at)
{
	struct inet_sock *inet = (struct inet_sock *)(void *)sk;

	if (ip6) {
		if (page)
			WRITE(sk, sk_sndmsg_page, page);
		WRITE(sk, sk_sndmsg_off, at);
		return;
	}
	if (page)
		WRITE(inet, cork.page, page);
	WRITE(inet, cork.off, at);
}

/* Single pages; one is asked for again as long as there is room in it. */
static int room_of_sock(struct sock *sk, bool ip6, struct sk_buff *skb,
			u32 want, struct room *room)
{
	const struct skb_shared_info *shinfo = &skb->head->shinfo;
	struct frag_page *page = sock_page(sk, ip6, &room->at), *last = NULL;
	u32 n = READ(shinfo, nr_frags);
	int err = 0;

	if (n)
		last = READ_AT(shinfo, frags, n - 1).page;
	if (page && room->at < PAGE_SIZE) {
		if (page != last)
			err = fill_page_desc(skb, page, room->at, true);
	} else {
		page = n < MAX_SKB_FRAGS ?
		       alloc_frag_page(READ(sk, sk_allocation), 0) : NULL;
		if (!page)
			return n < MAX_SKB_FRAGS ? -ENOMEM : -EMSGSIZE;
		room->at = 0;
		sock_page_set(sk, ip6, page, 0);
		err = fill_page_desc(skb, page, 0, false);
	}
	if (err)
		return err;
	room->page = page;
	room->len = MIN(want, PAGE_SIZE - room->at);
	sock_page_set(sk, ip6, NULL, room->at + room->len);
	return 0;
}

int ip_append_page(struct sock *sk, bool ip6, struct sk_buff *skb,
		   getfrag_t getfrag, const u8 *from, u32 want)
{
	struct skb_shared_info *shinfo = &skb->head->shinfo;
	struct room room = { 0 };
	int err;

	err = has(TASK_PAGE_FRAG) ? room_of_task(sk, skb, want, &room) :
				    room_of_sock(sk, ip6, skb, want, &room);
	if (err)
		return err;
	getfrag(skb, room.page, from, room.at, room.len, READ(skb, len));
	UPDATE_AT(shinfo, frags, shinfo->nr_frags - 1u, .size += room.len);
	UPDATE(skb, len, += room.len);
	UPDATE(skb, data_len, += room.len);
	UPDATE(skb, truesize, += room.len);
	(void)ATOMIC_ADD_RETURN(sk, sk_wmem_alloc, room.len);
	return (int)room.len;
}
