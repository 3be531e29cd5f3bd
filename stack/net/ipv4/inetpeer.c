/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/inetpeer.c: peers by address, and the rate of ICMP messages
 * to each (which the kernel has in net/ipv4/icmp.c at first).
 *
 * The tree is not balanced here, and peers stay until the end.
 */
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/inetpeer.h"
#include "stack/net/core/neighbour.h"

#define XRLIM_BURST_FACTOR 6u

static int compare(const struct inet_peer *peer, const u32 *daddr)
{
	u32 i;

	for (i = 0; i < PEER_KEY_WORDS; i++) {
		u32 word = READ_AT(peer, daddr, i);

		WORK(4);
		if (daddr[i] != word)
			return daddr[i] < word ? -1 : 1;
	}
	return 0;
}

static struct inet_peer *lookup(const struct inet_peer_base *base,
				const u32 *daddr)
{
	struct inet_peer *peer = READ_ONCE(base, root);
	int order;

	while (peer && (order = compare(peer, daddr)))
		peer = order < 0 ? READ_ONCE(peer, avl_left) :
				   READ_ONCE(peer, avl_right);
	return peer;
}

static struct inet_peer *peer_new(const u32 *daddr)
{
	struct inet_peer *peer =
		kmem_cache_alloc(this_kernel()->net_core->peer_cachep,
				 GFP_ATOMIC);
	u32 i;

	if (!peer)
		return NULL;
	kmemleak_not_leak(peer);
	for (i = 0; i < PEER_KEY_WORDS; i++)
		WRITE_AT(peer, daddr, i, daddr[i]);
	WRITE(peer, avl_left, NULL);
	WRITE(peer, avl_right, NULL);
	WRITE(peer, refcnt, 1);
	WRITE(peer, rid, 0);
	WRITE(peer, rate_tokens, 0);
	WRITE(peer, rate_last, JIFFIES() - 60ull * HZ);
	return peer;
}

/* base->lock is held. */
static void link_peer(struct inet_peer_base *base, struct inet_peer *peer)
{
	struct inet_peer *at = READ(base, root), *next = at;
	int order = 0;

	while (next) {
		at = next;
		order = compare(at, peer->daddr);
		next = order < 0 ? READ(at, avl_left) : READ(at, avl_right);
	}
	if (!at)
		WRITE_ONCE(base, root, peer);
	else if (order < 0)
		WRITE_ONCE(at, avl_left, peer);
	else
		WRITE_ONCE(at, avl_right, peer);
}

struct inet_peer *inet_getpeer(struct inet_peer_base *base, const u32 *daddr)
{
	struct inet_peer *peer;

	FUNCTION(inet_getpeer);
	rcu_read_lock();
	peer = lookup(base, daddr);
	if (peer)
		ATOMIC_INC(peer, refcnt);
	rcu_read_unlock();
	if (peer)
		return peer;
	local_bh_disable();
	WRITE_SEQLOCK(base, lock);
	peer = lookup(base, daddr);	/* another CPU may have come first */
	if (!peer) {
		peer = peer_new(daddr);
		if (peer)
			link_peer(base, peer);
	}
	if (peer)
		ATOMIC_INC(peer, refcnt);
	WRITE_SEQUNLOCK(base, lock);
	local_bh_enable();
	return peer;
}

void inet_putpeer(struct inet_peer *peer)
{
	FUNCTION(inet_putpeer);
	ATOMIC_DEC(peer, refcnt);
}

/* inlined */
u32 inet_getid(struct inet_peer_base **base, const u32 *daddr)
{
	struct inet_peer *peer;
	u32 id;

	if (!*base)
		*base = inet_peer_base_new(this_kernel());
	peer = inet_getpeer(*base, daddr);
	if (!peer)
		return 1;
	id = ATOMIC_ADD_RETURN(peer, ip_id_count, 1);
	inet_putpeer(peer);
	return id;
}

/* CPUs may race for the tokens: one message more or less does not matter. */
bool inet_peer_xrlim_allow(struct inet_peer *peer, u32 timeout)
{
	u64 now, token;
	bool allow = false;

	FUNCTION(inet_peer_xrlim_allow);
	if (!peer)
		return true;
	token = READ_ONCE(peer, rate_tokens);
	now = JIFFIES();
	token += now - READ_ONCE(peer, rate_last);
	WRITE_ONCE(peer, rate_last, now);
	token = MIN(token, (u64)XRLIM_BURST_FACTOR * timeout);
	if (token >= timeout) {
		token -= timeout;
		allow = true;
	}
	WRITE_ONCE(peer, rate_tokens, (u32)token);
	return allow;
}

/* ---- start and end ---- */

/* The kernel makes the cache as it starts; here nobody pays for it before the
 * first error goes out. */
struct inet_peer_base *inet_peer_base_new(struct kernel *kernel)
{
	struct net_core *core = kernel->net_core;

	if (!core->peer_cachep)
		core->peer_cachep =
			kmem_cache_create(kernel, "inet_peer_cache",
					  STRUCT_inet_peer,
					  sizeof(struct inet_peer), 0, 0,
					  SLAB_HWCACHE_ALIGN);
	return STATIC_OBJECT(kernel, inet_peer_base, 0);
}

static void free_tree(struct inet_peer *peer)
{
	if (!peer)
		return;
	free_tree(peer->avl_left);
	free_tree(peer->avl_right);
	kmem_cache_free(this_kernel()->net_core->peer_cachep, peer);
}

void inet_peer_base_free(struct inet_peer_base *base)
{
	if (base)
		free_tree(base->root);
}
