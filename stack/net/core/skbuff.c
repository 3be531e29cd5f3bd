/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/core/skbuff.c: packet buffers, their life and their bytes. */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/skbuff.h"
#include "stack/include/net/sock.h"
#include "stack/lib/checksum.h"

static u32 shared_info_size(void)
{
	return SKB_DATA_ALIGN(this_kernel()->types[STRUCT_skb_shared_info].size);
}

/* The linear part, from the general-purpose caches: what the cache gives
 * beyond the request is used as well. */
static struct skb_head *alloc_head(u32 *size, gfp_t gfp, int node)
{
	u32 want = SKB_DATA_ALIGN(*size) + shared_info_size(), got;
	struct skb_head *head;

	FUNCTION(kmalloc_reserve);
	if (has(KMALLOC_SIZE_ROUNDUP))
		want = kmalloc_size_roundup(want);
	head = __kmalloc_node_track_caller(want, STRUCT_skb_head,
					   sizeof(*head) + 2 * want, gfp, node);
	if (!head)
		return NULL;
	got = has(KMALLOC_SIZE_ROUNDUP) ? want : ksize(head);
	*size = MIN(got, 2 * want) - shared_info_size();
	head->size = *size;
	object_init(&head->shinfo.object,
		    &this_kernel()->types[STRUCT_skb_shared_info],
		    object_address(&head->object) + *size);
	return head;
}

struct sk_buff *__alloc_skb(u32 size, gfp_t gfp, int flags, int node)
{
	struct skb_shared_info *shinfo;
	struct sk_buff *skb;
	struct skb_head *head;

	FUNCTION(__alloc_skb);
	skb = kmem_cache_alloc_node(this_kernel()->net_core->skbuff_head_cache,
				    gfp, node);
	if (!skb)
		return NULL;
	head = alloc_head(&size, gfp, node);
	if (!head) {
		kmem_cache_free(this_kernel()->net_core->skbuff_head_cache,
				skb);
		return NULL;
	}
	/* All up to the tail is cleared: three lines and a little. */
	REP_STRING(2);
	WRITE(skb, next, NULL);
	WRITE(skb, prev, NULL);
	WRITE(skb, sk, NULL);
	WRITE(skb, dev, NULL);
	WRITE(skb, _skb_refdst, NULL);
	WRITE(skb, len, 0);
	WRITE(skb, data_len, 0);
	WRITE(skb, ip_summed, CHECKSUM_NONE);
	WRITE(skb, destructor, NULL);
	WRITE(skb, queue_mapping, 0);
	skb->cloned = 0;
	skb->nohdr = 0;
	skb->local_df = 0;
	skb->csum = skb->rxhash = 0;
	skb->priority = 0;
	skb->mark = 0;
	skb->protocol = 0;
	skb->pkt_type = PACKET_HOST;
	skb->dst_noref = false;
	skb->nfct = NULL;
	skb->sp = NULL;
	WRITE(skb, truesize, size + this_kernel()->types[STRUCT_sk_buff].size +
	      shared_info_size());
	WRITE(skb, users, 1);
	WRITE(skb, head, head);
	WRITE(skb, data, 0);
	WRITE(skb, tail, 0);
	WRITE(skb, end, size);
	WRITE(skb, mac_header, UINT32_MAX);
	if (has(SKB_ALLOC_CPU)) {
		SMP_PROCESSOR_ID();
		WRITE(skb, alloc_cpu, (u16)this_cpu->id);
		skb->dst_pending_confirm = 0;
		skb->active_extensions = 0;
	}
	shinfo = &head->shinfo;
	WRITE(shinfo, nr_frags, 0);
	WRITE(shinfo, tx_flags, 0);
	WRITE(shinfo, gso_size, 0);
	WRITE(shinfo, frag_list, NULL);
	WRITE(shinfo, dataref, 1);
	(void)flags;
	return skb;
}

struct sk_buff *alloc_skb(u32 size, gfp_t gfp)
{
	return __alloc_skb(size, gfp, 0, -1);
}

struct sk_buff *netdev_alloc_skb(struct net_device *dev, u32 len)
{
	struct sk_buff *skb;

	FUNCTION(netdev_alloc_skb);
	skb = __alloc_skb(len + NET_SKB_PAD, GFP_ATOMIC, 0, -1);
	if (!skb)
		return NULL;
	skb_reserve(skb, NET_SKB_PAD);
	WRITE(skb, dev, dev);
	return skb;
}

/* Inlined in its callers. */
void skb_reserve(struct sk_buff *skb, u32 len)
{
	UPDATE(skb, data, += len);
	UPDATE(skb, tail, += len);
}

u32 skb_put(struct sk_buff *skb, u32 len)
{
	u32 at;

	FUNCTION(skb_put);
	at = READ(skb, tail);
	WRITE(skb, tail, at + len);
	UPDATE(skb, len, += len);
	g_assert(skb->tail <= READ(skb, end));
	return at;
}

u32 skb_push(struct sk_buff *skb, u32 len)
{
	UPDATE(skb, data, -= len);
	UPDATE(skb, len, += len);
	g_assert(skb->data < skb->head->size);
	return skb->data;
}

void skb_dst_drop(struct sk_buff *skb)
{
	struct dst_entry *dst = READ(skb, _skb_refdst);

	if (!dst)
		return;
	if (!skb->dst_noref)
		dst_release(dst);
	skb->dst_noref = false;
	WRITE(skb, _skb_refdst, NULL);
}

static void skb_release_head_state(struct sk_buff *skb)
{
	FUNCTION(skb_release_head_state);
	skb_dst_drop(skb);
	if (!has(SKB_EXTENSIONS))
		(void)READ(skb, sp);
	if (READ(skb, destructor))
		READ(skb, destructor)(skb);
	(void)READ(skb, nfct);
	if (has(SKB_EXTENSIONS))
		(void)READ(skb, active_extensions);
}

void kfree_skb_list(struct sk_buff *segs)
{
	while (segs) {
		struct sk_buff *next = READ(segs, next);

		kfree_skb(segs);
		segs = next;
	}
}

static void skb_release_data(struct sk_buff *skb)
{
	struct skb_head *head = READ(skb, head);
	struct skb_shared_info *shinfo = &head->shinfo;
	u32 n, i;

	FUNCTION(skb_release_data);
	/* One user and never cloned: the count need not be decremented. */
	if (READ(skb, cloned) && ATOMIC_SUB_RETURN(shinfo, dataref, 1))
		return;
	n = READ(shinfo, nr_frags);
	if (has(SKB_SHINFO_FLAGS))
		(void)READ(shinfo, flags);
	else
		(void)READ(shinfo, tx_flags);
	for (i = 0; i < n; i++)
		put_page(READ_AT(shinfo, frags, i).page);
	kfree_skb_list(READ(shinfo, frag_list));
	if (has(SKB_HEAD_FRAG))
		(void)READ(skb, head_frag);
	kfree(head);
}

static void kfree_skbmem(struct sk_buff *skb)
{
	FUNCTION(kfree_skbmem);
	(void)READ(skb, fclone);
	kmem_cache_free(this_kernel()->net_core->skbuff_head_cache, skb);
}

void __kfree_skb(struct sk_buff *skb)
{
	FUNCTION(__kfree_skb);
	skb_release_head_state(skb);
	skb_release_data(skb);
	kfree_skbmem(skb);
}

void consume_stateless_skb(struct sk_buff *skb)
{
	FUNCTION(__consume_stateless_skb);
	skb_release_data(skb);
	kfree_skbmem(skb);
}

/* The last user frees it; one user is seen without a locked operation. */
/* Another header for the same bytes, which nobody owns yet. */
struct sk_buff *skb_clone(struct sk_buff *skb)
{
	struct any_cache *cache = this_kernel()->net_core->skbuff_head_cache;
	struct sk_buff *n = kmem_cache_alloc(cache, GFP_ATOMIC);
	struct dst_entry *dst;
	struct object object;
	struct skb_head *head;

	FUNCTION(skb_clone);
	if (!n)
		return NULL;
	/* Nearly all of it is copied. */
	(void)READ(skb, next);
	(void)READ(skb, len);
	(void)READ(skb, transport_header);
	object = n->object;
	*n = *skb;
	n->object = object;
	WRITE(n, next, NULL);
	WRITE(n, prev, NULL);
	WRITE(n, sk, NULL);
	WRITE(n, len, skb->len);
	WRITE(n, cloned, 1);
	WRITE(n, nohdr, 0);
	WRITE(n, destructor, NULL);
	WRITE(n, transport_header, skb->transport_header);
	WRITE(n, users, 1);
	dst = READ(skb, _skb_refdst);
	if (dst && !skb->dst_noref)
		ATOMIC_INC(dst, __refcnt);
	WRITE(n, _skb_refdst, dst);
	head = READ(skb, head);
	ATOMIC_INC(&head->shinfo, dataref);
	WRITE(skb, cloned, 1);
	return n;
}

static void put_skb(struct sk_buff *skb)
{
	if (READ(skb, users) != 1 && ATOMIC_SUB_RETURN(skb, users, 1))
		return;
	__kfree_skb(skb);
}

void kfree_skb(struct sk_buff *skb)
{
	FUNCTION(kfree_skb);
	put_skb(skb);
}

void consume_skb(struct sk_buff *skb)
{
	FUNCTION(consume_skb);
	put_skb(skb);
}

/* The device cannot do it: the sum over what csum_start leaves, stored at
 * csum_offset behind it. */
int skb_checksum_help(struct sk_buff *skb)
{
	u32 start, len;
	u16 sum;

	FUNCTION(skb_checksum_help);
	start = READ(skb, csum_start);
	len = READ(skb, tail) - start + skb->data_len;
	sum = csum_fold(skb_checksum(skb, start, len, 0));
	start += READ(skb, csum_offset);
	put_be16(skb_bytes(skb, start), sum);
	WRITE_SKB_DATA(skb, start, 2);
	WRITE(skb, ip_summed, CHECKSUM_NONE);
	return 0;
}

void skb_init(struct kernel *kernel)
{
	kernel->net_core->skbuff_head_cache =
		kmem_cache_create(kernel, "skbuff_head_cache", STRUCT_sk_buff,
				  sizeof(struct sk_buff), 0, 0,
				  SLAB_HWCACHE_ALIGN);
}
